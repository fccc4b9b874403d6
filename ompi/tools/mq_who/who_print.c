/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "who_print.h"

#include <string.h>

/* Of what a process waits for, so many are told in its row. */
enum { ROW_ITEMS = 2 };

typedef mca_pml_champion_stuck_report_t report_t;
typedef mca_pml_champion_stuck_process_t process_t;
typedef mca_pml_champion_stuck_item_t item_t;

size_t who_stand(const report_t *report)
{
    size_t all = 0;

    for (size_t i = 0; i < report->count; ++i) {
        all +=
            mca_pml_champion_stuck_stands(&report->process[i], report->least);
    }
    return all;
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

static void print_row(FILE *file, const report_t *report, size_t i)
{
    const process_t *process = &report->process[i];
    const bool told = MCA_PML_CHAMPION_STUCK_TOLD == process->known;
    char pid[16] = "?", on[16] = "?";

    if (0 != report->pid[i]) {
        snprintf(pid, sizeof(pid), "%d", report->pid[i]);
    }
    if (report->core[i] >= 0) {
        snprintf(on, sizeof(on), "%d", report->core[i]);
    }
    fprintf(file, "%6u %8s %5s %6.1f s  ", process->state.vpid, pid, on,
            (double) process->state.since / 1000);
    if (told && (MCA_PML_CHAMPION_STUCK_WAITS == process->state.where ||
                 MCA_PML_CHAMPION_STUCK_POLLS == process->state.where)) {
        fprintf(file, "%s in ", mca_pml_champion_stuck_report_state(process));
        print_wait(file, &process->state);
    } else {
        fprintf(file, "%s", mca_pml_champion_stuck_report_state(process));
    }
    fprintf(file, "\n");
}

static void print_verdict(FILE *file, const report_t *report)
{
    for (size_t i = 0; i < report->lines; ++i) {
        fprintf(file, "%s: ", mca_pml_champion_stuck_report_verdict(report));
        print_plain(file, report->line[i]);
        fprintf(file, "\n");
    }
    if (0 == report->size) {
        fprintf(file, "Processes have shown nothing: pml_champion_stuck_after "
                      "is 0, or they have just begun.\n");
    } else if (0 == report->lines && 0 == who_stand(report)) {
        fprintf(file, "Nobody has waited for %.0f s.\n",
                (double) report->least / 1000);
    } else if (0 == report->lines) {
        fprintf(file, "Waits change, or may yet end.\n");
    }
}

void who_print_text(FILE *file, const report_t *report)
{
    char when[32];

    mca_pml_champion_stuck_report_time(report, when);
    fprintf(file, "%s, %s: ", report->host, when);
    if (report->size > report->count) {
        fprintf(file,
                "%zu processes of a job of %zu, whose others are on other "
                "nodes, or do not show themselves\n",
                report->count, report->size);
    } else {
        fprintf(file, "%zu processes\n", report->count);
    }
    fprintf(file, "  rank      pid  core      for\n");
    for (size_t i = 0; i < report->count; ++i) {
        print_row(file, report, i);
    }
    print_verdict(file, report);
}
