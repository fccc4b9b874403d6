/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/mca/pml/champion/stuck/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef mca_pml_champion_stuck_report_t report_t;
typedef mca_pml_champion_stuck_process_t process_t;
typedef mca_pml_champion_stuck_item_t item_t;

/* ---- what is said ---- */

static void keep_line(const char *line, void *arg)
{
    report_t *report = arg;

    if (report->lines < MCA_PML_CHAMPION_STUCK_LINES) {
        snprintf(report->line[report->lines], sizeof(report->line[0]), "%s",
                 line);
        ++report->lines;
    }
}

void mca_pml_champion_stuck_report(report_t *report)
{
    const mca_pml_champion_stuck_job_t job = {
        .process = report->process,
        .count = report->count,
        .size = report->size > report->count ? report->size : report->count,
        .least = report->least,
    };

    report->lines = 0;
    report->verdict = mca_pml_champion_stuck_judge(&job, keep_line, report);
    memset(report->host, 0, sizeof(report->host));
    (void) gethostname(report->host, sizeof(report->host) - 1);
    report->when = time(NULL);
}

void mca_pml_champion_stuck_report_time(const report_t *report, char text[32])
{
    struct tm local;

    (void) strftime(text, 32, "%Y-%m-%d %H:%M:%S",
                    localtime_r(&report->when, &local));
}

const char *mca_pml_champion_stuck_report_verdict(const report_t *report)
{
    static const char *const words[] = {
        [MCA_PML_CHAMPION_STUCK_NOT] = "goes on",
        [MCA_PML_CHAMPION_STUCK_SLOW] = "slow",
        [MCA_PML_CHAMPION_STUCK_SEEMS] = "seems stuck",
        [MCA_PML_CHAMPION_STUCK_HANGS] = "stuck",
    };

    return words[report->verdict];
}

static const char *told_state(uint32_t where)
{
    switch (where) {
    case MCA_PML_CHAMPION_STUCK_WAITS:
        return "waits";
    case MCA_PML_CHAMPION_STUCK_POLLS:
        return "polls";
    case MCA_PML_CHAMPION_STUCK_ENDS:
        return "is in MPI_Finalize";
    case MCA_PML_CHAMPION_STUCK_OUTSIDE:
        return "computes";
    default:
        return "goes on";
    }
}

const char *mca_pml_champion_stuck_report_state(const process_t *process)
{
    switch (process->known) {
    case MCA_PML_CHAMPION_STUCK_TOLD:
        return told_state(process->state.where);
    case MCA_PML_CHAMPION_STUCK_RUNS:
        return "computes";
    case MCA_PML_CHAMPION_STUCK_SLEEPS:
        return "sleeps";
    case MCA_PML_CHAMPION_STUCK_OUT:
        return "is in no MPI call that waits";
    case MCA_PML_CHAMPION_STUCK_STOPPED:
        return "is stopped";
    case MCA_PML_CHAMPION_STUCK_TRACED:
        return "is in a debugger";
    case MCA_PML_CHAMPION_STUCK_GONE:
        return "has ended";
    default:
        return "has shown nothing";
    }
}

/* ---- as JSON ---- */

/* Names come from programs, in whatever encoding: what is not ASCII is told by
 * its number, as if it were Latin-1. */
static void print_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; '\0' != *text; ++text) {
        const unsigned char c = (unsigned char) *text;

        if ('"' == c || '\\' == c) {
            fprintf(file, "\\%c", c);
        } else if (c < 0x20 || c >= 0x7f) {
            fprintf(file, "\\u%04x", c);
        } else {
            fputc(c, file);
        }
    }
    fputc('"', file);
}

static void print_pair(FILE *file, const char *name, const char *text)
{
    fprintf(file, "\"%s\": ", name);
    print_string(file, text);
}

static void print_item(FILE *file, const item_t *item)
{
    static const char *const kinds[] = {
        [MCA_PML_CHAMPION_STUCK_RECEIVE] = "receive",
        [MCA_PML_CHAMPION_STUCK_PROBE] = "probe",
        [MCA_PML_CHAMPION_STUCK_SEND] = "send",
        [MCA_PML_CHAMPION_STUCK_MESSAGE] = "message",
    };
    const bool known = item->kind <= MCA_PML_CHAMPION_STUCK_MESSAGE;

    fprintf(file, "{");
    print_pair(file, "kind",
               known && NULL != kinds[item->kind] ? kinds[item->kind] : "?");
    /* Any: null; of another job: -1. */
    if (MCA_PML_CHAMPION_STUCK_ANY == item->vpid) {
        fprintf(file, ", \"rank\": null");
    } else {
        fprintf(file, ", \"rank\": %d",
                MCA_PML_CHAMPION_STUCK_FOREIGN == item->vpid
                    ? -1
                    : (int) item->vpid);
    }
    if (-1 == item->tag) {
        fprintf(file, ", \"tag\": null, ");
    } else {
        fprintf(file, ", \"tag\": %d, ", item->tag);
    }
    print_pair(file, "communicator", item->comm);
    fprintf(file, ", \"bytes\": %llu, \"count\": %u",
            (unsigned long long) item->bytes, item->count);
    if (0 != item->counted) {
        const bool sends = MCA_PML_CHAMPION_STUCK_SEND == item->kind;

        fprintf(file, ", \"sent\": %u, \"come\": %u",
                sends ? item->messages : item->theirs,
                sends ? item->theirs : item->messages);
    }
    fprintf(file, "}");
}

static void print_items(FILE *file, const char *name, const item_t *item,
                        uint32_t count)
{
    fprintf(file, ", \"%s\": [", name);
    for (uint32_t i = 0; i < count; ++i) {
        fprintf(file, "%s", 0 == i ? "" : ", ");
        print_item(file, &item[i]);
    }
    fprintf(file, "]");
}

static void print_process(FILE *file, const report_t *report, size_t i)
{
    const process_t *process = &report->process[i];

    fprintf(file, "{\"rank\": %u, ", process->state.vpid);
    if ('\0' != process->host[0]) {
        print_pair(file, "host", process->host);
        fprintf(file, ", ");
    }
    if (NULL != report->pid && 0 != report->pid[i]) {
        fprintf(file, "\"pid\": %d, ", report->pid[i]);
    }
    if (NULL != report->core && report->core[i] >= 0) {
        fprintf(file, "\"core\": %d, ", report->core[i]);
    }
    print_pair(file, "state", mca_pml_champion_stuck_report_state(process));
    fprintf(file, ", \"seconds\": %.3f", (double) process->state.since / 1000);
    if (MCA_PML_CHAMPION_STUCK_TOLD == process->known) {
        fprintf(file, ", ");
        print_pair(file, "call", process->state.call);
        print_items(file, "waits_for", process->state.item,
                    process->state.items);
        fprintf(file, ", \"waits_for_all\": %u", process->state.items_all);
        print_items(file, "not_received", process->state.near,
                    process->state.nears);
    }
    fprintf(file, "}");
}

static void print(FILE *file, const report_t *report, const char *between)
{
    char when[32];

    mca_pml_champion_stuck_report_time(report, when);
    fprintf(file, "{");
    print_pair(file, "host", report->host);
    fprintf(file, ", ");
    print_pair(file, "time", when);
    if (0 != report->job) {
        fprintf(file, ", \"job\": %u", report->job);
    }
    fprintf(file, ", \"size\": %zu, ", report->size);
    print_pair(file, "verdict", mca_pml_champion_stuck_report_verdict(report));
    fprintf(file, ", \"lines\": [");
    for (size_t i = 0; i < report->lines; ++i) {
        fprintf(file, "%s", 0 == i ? "" : ", ");
        print_string(file, report->line[i]);
    }
    fprintf(file, "], \"processes\": [");
    for (size_t i = 0; i < report->count; ++i) {
        fprintf(file, "%s", 0 == i ? "" : between);
        print_process(file, report, i);
    }
    fprintf(file, "]}");
}

void mca_pml_champion_stuck_report_json(FILE *file, const report_t *report)
{
    print(file, report, ",\n  ");
}

/* ---- to a file ---- */

/* As one line, in memory; NULL if there is none. */
static char *text_of(const report_t *report, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);

    if (NULL == stream) {
        return NULL;
    }
    print(stream, report, ", ");
    fputc('\n', stream);
    if (0 != fclose(stream)) {
        free(text);
        return NULL;
    }
    return text;
}

int mca_pml_champion_stuck_report_add(const char *path, const report_t *report)
{
    /* A pipe without a reader is an error, and does not block. */
    const int fd = open(
        path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
        0666);
    size_t length = 0;
    char *text = NULL;
    int error = 0;

    if (fd < 0) {
        return errno;
    }
    if (NULL != report) {
        ssize_t put;

        text = text_of(report, &length);
        put = NULL == text ? 0 : write(fd, text, length);
        error = NULL == text             ? ENOMEM
                : put < 0                ? errno
                : (size_t) put != length ? ENOSPC
                                         : 0;
    }
    free(text);
    if (0 != close(fd) && 0 == error) {
        error = errno;
    }
    return error;
}
