/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/mca/pml/champion/stuck/cards.h"
#include "who_print.h"

#include <string.h>

/* Of what a process waits for, so many are told in its row. */
enum { ROW_ITEMS = 2 };

typedef mca_pml_champion_stuck_process_t process_t;
typedef mca_pml_champion_stuck_item_t item_t;

const char *who_verdict(const who_job_t *job)
{
    static const char *const words[] = {
        [MCA_PML_CHAMPION_STUCK_NOT] = "goes on",
        [MCA_PML_CHAMPION_STUCK_SLOW] = "slow",
        [MCA_PML_CHAMPION_STUCK_SEEMS] = "seems stuck",
        [MCA_PML_CHAMPION_STUCK_HANGS] = "stuck",
    };

    return words[job->verdict];
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

const char *who_state(const who_job_t *job, size_t i)
{
    const process_t *process = &job->process[i];

    switch (process->known) {
    case MCA_PML_CHAMPION_STUCK_TOLD:
        return told_state(process->state.where);
    case MCA_PML_CHAMPION_STUCK_RUNS:
        return "computes";
    case MCA_PML_CHAMPION_STUCK_SLEEPS:
        return "sleeps";
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

size_t who_stand(const who_job_t *job)
{
    size_t all = 0;

    for (size_t i = 0; i < job->count; ++i) {
        all += mca_pml_champion_stuck_stands(&job->process[i], job->least);
    }
    return all;
}

int who_core(int32_t pid)
{
    enum { CORE = 39 }; /* processor, in proc(5) */
    char line[1024];

    return 0 == pid ? -1
                    : mca_pml_champion_stuck_stat_field(
                          mca_pml_champion_stuck_stat(pid, line, sizeof(line)),
                          CORE);
}

/* ---- rows ---- */

/* Names come from programs: a terminal is to obey none of their bytes. */
static void print_plain(FILE *file, const char *text)
{
    for (; '\0' != *text; ++text) {
        const unsigned char c = (unsigned char) *text;

        fputc(c < 0x20 || 0x7f == c ? '?' : c, file);
    }
}

static void print_other(FILE *file, const item_t *item)
{
    if (MCA_PML_CHAMPION_STUCK_ANY == item->vpid) {
        fprintf(file, "any rank");
    } else if (MCA_PML_CHAMPION_STUCK_FOREIGN == item->vpid) {
        fprintf(file, "another job");
    } else {
        fprintf(file, "rank %u", item->vpid);
    }
}

/* "a message from rank 1, tag 7, halo" */
static void print_item(FILE *file, const item_t *item)
{
    const bool is_receive = mca_pml_champion_stuck_is_receive(item);

    fprintf(file, "%s", is_receive ? "a message from " : "its message to ");
    print_other(file, item);
    if (item->tag >= 0) {
        fprintf(file, ", tag %d", item->tag);
    } else if (-1 == item->tag) {
        fprintf(file, ", any tag");
    }
    if (!is_receive) {
        fprintf(file, ", %llu bytes", (unsigned long long) item->bytes);
    }
    fprintf(file, ", ");
    print_plain(file, item->comm);
}

static void print_wait(FILE *file, const mca_pml_champion_stuck_state_t *state)
{
    const uint32_t shown = state->items < ROW_ITEMS ? state->items : ROW_ITEMS;

    print_plain(file, state->call);
    for (uint32_t i = 0; i < shown; ++i) {
        fprintf(file, "%s", 0 == i ? ": " : "; ");
        print_item(file, &state->item[i]);
    }
    if (state->items_all > shown && 0 != shown) {
        fprintf(file, "; %u more", state->items_all - shown);
    }
}

static void print_row(FILE *file, const who_job_t *job, size_t i)
{
    const process_t *process = &job->process[i];
    const bool told = MCA_PML_CHAMPION_STUCK_TOLD == process->known;
    const int core = who_core(job->pid[i]);
    char pid[16] = "?", on[16] = "?";

    if (0 != job->pid[i]) {
        snprintf(pid, sizeof(pid), "%d", job->pid[i]);
    }
    if (core >= 0) {
        snprintf(on, sizeof(on), "%d", core);
    }
    fprintf(file, "%6u %8s %5s %6.1f s  ", process->state.vpid, pid, on,
            (double) process->state.since / 1000);
    if (told && (MCA_PML_CHAMPION_STUCK_WAITS == process->state.where ||
                 MCA_PML_CHAMPION_STUCK_POLLS == process->state.where)) {
        fprintf(file, "%s in ", who_state(job, i));
        print_wait(file, &process->state);
    } else {
        fprintf(file, "%s", who_state(job, i));
    }
    fprintf(file, "\n");
}

static void print_verdict(FILE *file, const who_job_t *job)
{
    for (size_t i = 0; i < job->lines; ++i) {
        fprintf(file, "%s: ", who_verdict(job));
        print_plain(file, job->line[i]);
        fprintf(file, "\n");
    }
    if (0 == job->size) {
        fprintf(file, "Processes have shown nothing: pml_champion_stuck_after "
                      "is 0, or they have just begun.\n");
    } else if (0 == job->lines && 0 == who_stand(job)) {
        fprintf(file, "Nobody has waited for %.0f s.\n",
                (double) job->least / 1000);
    } else if (0 == job->lines) {
        fprintf(file, "Waits change, or may yet end.\n");
    }
}

void who_print_text(FILE *file, const who_job_t *job)
{
    fprintf(file, "%s, %s: ", job->host, job->when);
    if (job->size > job->count) {
        fprintf(file,
                "%zu processes of a job of %zu, whose others are on other "
                "nodes, or do not show themselves\n",
                job->count, job->size);
    } else {
        fprintf(file, "%zu processes\n", job->count);
    }
    fprintf(file, "  rank      pid  core      for\n");
    for (size_t i = 0; i < job->count; ++i) {
        print_row(file, job, i);
    }
    print_verdict(file, job);
}
