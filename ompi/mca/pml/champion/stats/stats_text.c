/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Statistics in a few words (pml_champion_stats text): at most seven lines, of
 * which the first says about what matching costs, and each answers a question
 * that users ask first. What did not occur has no line. All figures are those of
 * stats/stats_table.c, and the time since MPI_Init.
 */

#include "ompi/mca/pml/champion/stats/stats.h"

#include <inttypes.h>
#include <string.h>

#include "ompi/mca/pml/champion/shm/rings.h"
#include "ompi/mca/pml/champion/large/thread_trigger.h"

typedef mca_pml_champion_summary_t summary_t;
typedef mca_pml_champion_report_t report_t;

/* A figure of the report at hand: of communicators, all of them together, or of
 * processes. */
#define COMM(field) (&report->of[MCA_PML_CHAMPION_COMM_STAT(field)])
#define PROCESS(field) (&report->of[MCA_PML_CHAMPION_PROCESS_STAT(field)])

/* The end of a noun: one thing has no s. */
static const char *s_of(uint64_t count)
{
    return 1 == count ? "" : "s";
}

static void put_bytes(FILE *file, uint64_t bytes)
{
    static const char units[] = "KMGTPE";
    double value = (double) bytes / 1024;
    int unit = 0;

    if (bytes < 1024) {
        fprintf(file, "%" PRIu64 " byte%s", bytes, s_of(bytes));
        return;
    }
    while (value >= 1024) {
        value /= 1024;
        ++unit;
    }
    fprintf(file, "%.1f %ciB", value, units[unit]);
}

/* How many entries a search compared, whether it found one or not. */
static double traversed(const report_t *report)
{
    return mca_pml_champion_ratio(
        COMM(posted.traversed_hit)->sum + COMM(posted.traversed_miss)->sum +
            COMM(unexpected.traversed_hit)->sum +
            COMM(unexpected.traversed_miss)->sum,
        COMM(posted.hits)->sum + COMM(posted.misses)->sum +
            COMM(unexpected.hits)->sum + COMM(unexpected.misses)->sum);
}

/* The component that serves MPI_COMM_WORLD, and whether another one serves
 * elsewhere. */
static void put_component(FILE *file, const report_t *report)
{
    bool others = false;

    for (int i = 0; i < report->num_comms; ++i) {
        others = others || 0 != strcmp(report->mq, report->comms[i].mq);
    }
    fprintf(file, "mq=%s%s", report->mq,
            others ? " (in MPI_COMM_WORLD; not in all communicators)" : "");
}

/* What matching takes, ns: above most means that were measured, below few
 * (decision 144). Searches are not timed: a clock costs more than they do. */
#define NS_PER_SEARCH 40
#define NS_PER_ENTRY 6

/* Share of the run below which no component can gain anything. */
#define WORTH 0.01

static double queue_cost(const summary_t *queue)
{
#define MOST(field)                                                            \
    queue[offsetof(mca_mq_queue_stats_t, field) / sizeof(uint64_t)].max
    return NS_PER_SEARCH * ((double) MOST(hits) + (double) MOST(misses)) +
           NS_PER_ENTRY *
               ((double) MOST(traversed_hit) + (double) MOST(traversed_miss));
#undef MOST
}

/* For the process that it costs most: as if one had the largest values
 * of all figures. Internal messages included. Nanoseconds. */
static double matching_cost(const report_t *report)
{
    return queue_cost(COMM(posted)) + queue_cost(COMM(unexpected)) +
           queue_cost(COMM(internal_posted)) +
           queue_cost(COMM(internal_unexpected)) +
           NS_PER_SEARCH * ((double) COMM(probe_hits)->max +
                            (double) COMM(probe_misses)->max) +
           NS_PER_ENTRY * (double) COMM(probe_traversed)->max;
}

static void put_longest(FILE *file, const report_t *report)
{
    const summary_t *unexpected = COMM(unexpected.length_max);
    const summary_t *posted = COMM(posted.length_max);
    bool is_posted = posted->max > unexpected->max;
    const summary_t *longest = is_posted ? posted : unexpected;

    fprintf(file, "longest queue %" PRIu64, longest->max);
    if (0 != longest->max) {
        fprintf(file, " on rank %d (%s)", longest->max_rank,
                is_posted ? "posted receives" : "unexpected messages");
    }
}

static void put_seconds(FILE *file, double ns)
{
    if (ns < 1e9) {
        fprintf(file, "%.*f ms", ns < 1e6 ? 3 : 1, ns * 1e-6);
    } else {
        fprintf(file, "%.1f s", ns * 1e-9);
    }
}

/* Is it worth thinking about matching at all? */
static void put_matching(FILE *file, const report_t *report)
{
    const uint64_t wild = COMM(recv_any_source)->sum + COMM(recv_any_tag)->sum +
                          COMM(recv_any)->sum;
    const double cost = matching_cost(report);
    const double run = report->run.seconds * 1e9;

    fputs("champion: ", file);
    put_longest(file, report);
    fprintf(file,
            ", %.1f %% of messages came unexpected, %.1f %% of receives had "
            "wildcards: ",
            100 * mca_pml_champion_ratio(COMM(posted.misses)->sum,
                                         COMM(messages)->sum),
            100 * mca_pml_champion_ratio(wild, wild + COMM(recv_exact)->sum));
    if (report->counted < report->ranks && NULL == report->ended) {
        fputs("the cost of matching is not known\n", file);
        return;
    }
    fputs("matching costs a process about ", file);
    put_seconds(file, cost);
    fputs(" of ", file);
    put_seconds(file, run);
    fprintf(file, " (an estimate): %s",
            cost < WORTH * run
                ? "nothing to gain"
                : "mq_replay(1) says what other components cost");
    if (NULL != report->ended) {
        fputs("; ", file);
        mca_pml_champion_stats_put_ended(file, report);
    }
    fputc('\n', file);
}

static void put_messages(FILE *file, const report_t *report)
{
    const bool ended = NULL != report->ended;
    const int ranks = ended ? report->counted : report->ranks;
    const int missing = report->ranks - report->counted;
    const uint64_t messages = COMM(messages)->sum;

    fprintf(file, "champion: %d rank%s received %" PRIu64 " message%s (", ranks,
            s_of((uint64_t) ranks), messages, s_of(messages));
    put_bytes(file, COMM(bytes)->sum);
    fputs("); ", file);
    put_component(file, report);
    fprintf(file, " compared %.1f entries per search", traversed(report));
    if (0 != missing && !ended) {
        fprintf(file,
                "; not counted are those of %d rank%s, which did not arrive",
                missing, s_of((uint64_t) missing));
    }
    fputc('\n', file);
}

/* What was done about messages that waited because the program computed. */
static void put_thread(FILE *file, const report_t *report)
{
    const uint64_t delayed = PROCESS(thread_delayed)->sum;
    const uint64_t collectives = PROCESS(coll_delayed)->sum;
    const uint64_t started = PROCESS(thread_started)->sum;

    if (MCA_PML_CHAMPION_ON == mca_pml_champion_thread_mode()) {
        fputs("; every process had a progress thread", file);
    } else if (0 != delayed + collectives) {
        fprintf(file, "; %" PRIu64 " ", delayed);
        if (0 != collectives) {
            fprintf(file, "of them and %" PRIu64 " collective%s ", collectives,
                    s_of(collectives));
        }
        fputs("delayed because the program computed (", file);
        put_seconds(file, (double) PROCESS(thread_lost)->sum);
        fprintf(file,
                " lost), for which %" PRIu64
                " of %d processes started a progress thread",
                started, report->ranks);
    } else if (MCA_PML_CHAMPION_AUTO == mca_pml_champion_thread_mode()) {
        fputs("; none delayed because the program computed", file);
    }
}

static void put_large(FILE *file, const report_t *report)
{
    const uint64_t rendezvous = PROCESS(rendezvous)->sum;
    const uint64_t prefetched = PROCESS(prefetched)->sum;
    const uint64_t offloaded = PROCESS(offload_matched)->sum;

    if (0 == rendezvous + prefetched + offloaded +
                 PROCESS(thread_delayed)->sum + PROCESS(coll_delayed)->sum) {
        return;
    }
    fprintf(file, "champion: large messages: %" PRIu64 " by rendezvous",
            rendezvous);
    if (0 != prefetched) {
        fprintf(file,
                "; %" PRIu64 " prefetched, %" PRIu64 " of them complete before "
                "their receive (about ",
                prefetched, PROCESS(prefetch_useful)->sum);
        put_seconds(file, (double) PROCESS(prefetch_saved)->sum);
        fputs(" saved)", file);
    }
    if (0 != offloaded) {
        fprintf(file, "; %" PRIu64 " received by offload", offloaded);
    }
    put_thread(file, report);
    fputc('\n', file);
}

static void put_memory(FILE *file, const report_t *report)
{
    const summary_t *most = PROCESS(memory_waiting_max);
    const uint64_t stopped = PROCESS(flow_stopped)->sum;

    const uint64_t shared = PROCESS(memory_shared)->max;
    const uint64_t pool = PROCESS(prefetch_pool_max)->max;
    const uint64_t connections = PROCESS(memory_connections)->max;

    fputs("champion: memory of a process, at most: ", file);
    put_bytes(file, shared);
    fprintf(file,
            " shared, for messages within the node; %" PRIu64
            " connection%s of UCX",
            connections, s_of(connections));
    if (0 != pool) {
        fputs("; ", file);
        put_bytes(file, pool);
        fputs(" of the prefetch pool", file);
    }
    if (0 != most->max) {
        fputs("; ", file);
        put_bytes(file, most->max);
        fprintf(file, " of messages waiting for a receive (rank %d); ",
                most->max_rank);
        if (0 == stopped) {
            fputs("no sender was told to stop", file);
        } else {
            fprintf(file, "senders were told to stop %" PRIu64 " time%s",
                    stopped, s_of(stopped));
        }
    }
    fputc('\n', file);
}

static void put_waiting(FILE *file, const report_t *report)
{
    const uint64_t sleeps = PROCESS(wait_sleeps)->sum;

    if (0 == sleeps) {
        return;
    }
    fprintf(file,
            "champion: waiting: calls slept %" PRIu64 " time%s; an event ended "
            "%" PRIu64 " of these sleeps, the others a time limit\n",
            sleeps, s_of(sleeps), PROCESS(wait_woken)->sum);
}

/* Collective operations' messages included, as transports do not tell them
 * from others. */
static void put_transports(FILE *file, const report_t *report)
{
    const uint64_t all = COMM(messages)->sum + COMM(internal_messages)->sum;
    const uint64_t by_ring = PROCESS(ring_messages)->sum;
    const uint64_t by_ucx = all > by_ring ? all - by_ring : 0;
    const uint64_t rget = PROCESS(ring_rget)->sum;

    if (0 == all) {
        return;
    }
    fputs("champion: transports, collective operations included: ", file);
    if (mca_pml_champion_rings.on) {
        fprintf(file, "%" PRIu64 " message%s through shared-memory rings",
                by_ring, s_of(by_ring));
        if (0 != rget) {
            fprintf(file, " (%" PRIu64 " read from the sender's memory)", rget);
        }
        fputs(", ", file);
    }
    fprintf(file, "%" PRIu64 " message%s by UCX", by_ucx, s_of(by_ucx));
    for (int i = 0; i < MCA_PML_CHAMPION_RUN_TRANSPORTS &&
                    '\0' != report->transports[i].name[0];
         ++i) {
        fprintf(file, "%s%s", 0 == i ? " (" : ", ", report->transports[i].name);
    }
    fprintf(file, "%s or within a process\n",
            '\0' != report->transports[0].name[0] ? ")" : "");
}

void mca_pml_champion_stats_text(FILE *file, const report_t *report)
{
    put_matching(file, report);
    put_messages(file, report);
    put_large(file, report);
    put_memory(file, report);
    put_waiting(file, report);
    put_transports(file, report);
    fputs("champion: for all figures: --mca pml_champion_stats full; they are "
          "explained in pml_champion_stats(7)\n",
          file);
}
