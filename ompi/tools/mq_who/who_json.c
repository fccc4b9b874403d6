/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "who_print.h"

typedef mca_pml_champion_stuck_process_t process_t;
typedef mca_pml_champion_stuck_item_t item_t;

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

static void print_process(FILE *file, const who_job_t *job, size_t i)
{
    const process_t *process = &job->process[i];
    const int core = who_core(job->pid[i]);

    fprintf(file, "{\"rank\": %u, ", process->state.vpid);
    if (0 != job->pid[i]) {
        fprintf(file, "\"pid\": %d, ", job->pid[i]);
    }
    if (core >= 0) {
        fprintf(file, "\"core\": %d, ", core);
    }
    print_pair(file, "state", who_state(job, i));
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

void who_print_json(FILE *file, const who_job_t *job)
{
    fprintf(file, "{");
    print_pair(file, "host", job->host);
    fprintf(file, ", ");
    print_pair(file, "time", job->when);
    fprintf(file, ", \"size\": %zu, ", job->size);
    print_pair(file, "verdict", who_verdict(job));
    fprintf(file, ", \"lines\": [");
    for (size_t i = 0; i < job->lines; ++i) {
        fprintf(file, "%s", 0 == i ? "" : ", ");
        print_string(file, job->line[i]);
    }
    fprintf(file, "], \"processes\": [");
    for (size_t i = 0; i < job->count; ++i) {
        fprintf(file, "%s", 0 == i ? "" : ",\n  ");
        print_process(file, job, i);
    }
    fprintf(file, "]}");
}
