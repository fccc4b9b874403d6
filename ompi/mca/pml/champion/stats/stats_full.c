/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All statistics as text (pml_champion_stats full): a line for each group of
 * figures, each of which begins with `champion: stats`. First sums, then how
 * they are spread over the ranks, then both for communicators.
 */

#include "ompi/mca/pml/champion/stats/stats.h"

#include <inttypes.h>
#include <string.h>

#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/shm/rings.h"

typedef mca_pml_champion_summary_t summary_t;

/* The figure of this name in the group that begins at `from`. */
static const summary_t *figure(const summary_t *of, size_t from,
                               const char *name)
{
    while (0 != strcmp(mca_pml_champion_stats[from].name, name)) {
        ++from;
    }
    return &of[from];
}

/* Of all searches of a queue, whether they found something or not. */
static void print_traversed_mean(FILE *file, const summary_t *of, size_t from)
{
    fprintf(file, " traversed_mean=%.2f",
            mca_pml_champion_ratio(of[from + 2].sum + of[from + 3].sum,
                                   of[from].sum + of[from + 1].sum));
}

static void print_value(FILE *file, const summary_t *of, size_t from, size_t i)
{
    const mca_pml_champion_stat_t *stat = &mca_pml_champion_stats[i];

    if (NULL != stat->per) {
        if (0 == strcmp("traversed_hit", stat->name)) {
            print_traversed_mean(file, of, from);
        }
        fprintf(file, " %s_mean=%.2f", stat->name,
                mca_pml_champion_ratio(of[i].sum,
                                       figure(of, from, stat->per)->sum));
    } else {
        fprintf(file, " %s=%" PRIu64, stat->name,
                MCA_PML_CHAMPION_STAT_MAX == stat->kind ? of[i].max
                                                        : of[i].sum);
    }
}

/* The smallest value, the mean and the largest, with the ranks that have the
 * first and the last; or the value that all ranks have. */
static void print_spread(FILE *file, const summary_t *of, size_t i, int ranks)
{
    const char *name = mca_pml_champion_stats[i].name;

    if (of[i].min == of[i].max) {
        fprintf(file, " %s=%" PRIu64, name, of[i].max);
    } else {
        fprintf(file, " %s=%" PRIu64 "@%d..%.1f..%" PRIu64 "@%d", name,
                of[i].min, of[i].min_rank,
                mca_pml_champion_ratio(of[i].sum, (uint64_t) ranks), of[i].max,
                of[i].max_rank);
    }
}

static bool is_zero(const summary_t *of, size_t from, size_t end)
{
    for (size_t i = from; i < end; ++i) {
        if (0 != of[i].max) {
            return false;
        }
    }
    return true;
}

/* Of a group about a feature: is that on? Of the others: is there anything in
 * it, or is it one of those that are read most? */
static bool is_shown(const summary_t *of, size_t from, size_t end)
{
    const char *group = mca_pml_champion_stats[from].group;

    if (0 == strcmp("rings", group)) {
        return mca_pml_champion_rings.on;
    }
    if (0 == strcmp("prefetch", group)) {
        return MCA_PML_CHAMPION_OFF != mca_pml_champion.params.prefetch;
    }
    if (0 == strcmp("offload", group)) {
        return mca_pml_champion_offload.on;
    }
    if (0 == strcmp("thread", group)) {
        return MCA_PML_CHAMPION_ON == mca_pml_champion_thread_mode() ||
               !is_zero(of, from, end);
    }
    return !is_zero(of, from, end) || 0 == strcmp("posted", group) ||
           0 == strcmp("unexpected", group) || 0 == strcmp("paths", group);
}

static void print_sums(FILE *file, const summary_t *of)
{
    for (size_t i = 0, end; i < MCA_PML_CHAMPION_STATS; i = end) {
        end = mca_pml_champion_stats_group_end(i, MCA_PML_CHAMPION_STATS);
        if (!is_shown(of, i, end)) {
            continue;
        }
        fprintf(file, "champion: stats %s", mca_pml_champion_stats[i].group);
        for (size_t j = i; j < end; ++j) {
            print_value(file, of, i, j);
        }
        fputc('\n', file);
    }
}

/* What is 0 everywhere is left out; with `user`, what is internal too. */
static void print_spreads(FILE *file, const char *what, const summary_t *of,
                          size_t count, int ranks, bool user)
{
    for (size_t i = 0, end; i < count; i = end) {
        end = mca_pml_champion_stats_group_end(i, count);
        if (is_zero(of, i, end) ||
            (user &&
             0 == strncmp("internal", mca_pml_champion_stats[i].group, 8))) {
            continue;
        }
        fprintf(file, "champion: stats %s %s", what,
                mca_pml_champion_stats[i].group);
        for (size_t j = i; j < end; ++j) {
            if (0 != of[j].max) {
                print_spread(file, of, j, ranks);
            }
        }
        fputc('\n', file);
    }
}

/* The name in quotes; it is the user's, and may contain anything: neither a line
 * end nor what a terminal takes for a command gets out. */
static void quote(const char *name, char *to)
{
    const unsigned char *at = (const unsigned char *) name;

    while ('\0' != *at) {
        int length = mca_pml_champion_stats_utf8_length(at);
        bool is_control = *at < 0x20 || 0x7f == *at ||
                          (2 == length && 0xc2 == at[0] && at[1] < 0xa0);

        if (0 == length || is_control || '"' == *at || '\\' == *at) {
            to += sprintf(to, "\\x%02x", *at++);
            /* The second byte of a control character is invalid alone. */
        } else {
            memcpy(to, at, (size_t) length);
            to += length;
            at += length;
        }
    }
    *to = '\0';
}

static void print_comms(FILE *file, const mca_pml_champion_report_t *report)
{
    for (int i = 0; i < report->num_comms; ++i) {
        const mca_pml_champion_comm_summary_t *comm = &report->comms[i];
        char name[4 * MPI_MAX_OBJECT_NAME];
        char what[sizeof(name) + 96];

        quote(comm->name, name);
        snprintf(what, sizeof(what), "comm \"%s\" ranks=%d mq=%s", name,
                 comm->ranks, comm->mq);
        print_spreads(file, what, comm->of, MCA_PML_CHAMPION_COMM_STATS,
                      comm->ranks, true);
    }
}

/* Each line with the rank that it is of. */
static void print_stories(FILE *file, const mca_pml_champion_report_t *report)
{
    for (int i = 0; i < report->num_decisions; ++i) {
        const char *line = report->decisions[i].text;

        while ('\0' != *line) {
            int length = (int) strcspn(line, "\n");

            fprintf(file, "champion: stats rank %d: %.*s\n",
                    report->decisions[i].rank, length, line);
            line += length + ('\n' == line[length]);
        }
    }
    if (0 != report->more_decisions) {
        fprintf(file, "champion: stats %d more ranks have decided something\n",
                report->more_decisions);
    }
}

void mca_pml_champion_stats_put_ended(FILE *file,
                                      const mca_pml_champion_report_t *report)
{
    fprintf(file, "ended by %s: these are the figures of %d of %d ranks",
            report->ended, report->counted, report->ranks);
    if (NULL != report->host) {
        fprintf(file, ", on %s", report->host);
    }
}

static void print_missing(FILE *file, const mca_pml_champion_report_t *report)
{
    if (NULL != report->ended) {
        fputs("champion: stats ", file);
        mca_pml_champion_stats_put_ended(file, report);
        fputc('\n', file);
    } else if (report->counted < report->ranks) {
        fprintf(file,
                "champion: stats without those of %d ranks, which did not "
                "arrive\n",
                report->ranks - report->counted);
    }
}

void mca_pml_champion_stats_full(FILE *file,
                                 const mca_pml_champion_report_t *report)
{
    fprintf(file, "champion: stats ranks=%d mq=%s version=%s\n", report->ranks,
            report->mq, MCA_MQ_RELEASE);
    print_missing(file, report);
    print_sums(file, report->of);
    if (report->counted > 1) {
        print_spreads(file, "ranks", report->of, MCA_PML_CHAMPION_STATS,
                      report->counted, false);
    }
    print_comms(file, report);
    print_stories(file, report);
}
