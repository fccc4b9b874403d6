/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Matching statistics, printed when MPI_Finalize begins. MPI is still complete
 * then, so the figures are summed up with ordinary collective operations.
 */

#include "ompi/mca/pml/champion/pml_champion_stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/mca/coll/coll.h"

#include "ompi/mca/pml/champion/offload/pml_champion_offload.h"
#include "ompi/mca/pml/champion/pml_champion_context.h"
#include "ompi/mca/pml/champion/pml_champion_prefetch.h"
#include "ompi/mca/pml/champion/pml_champion_thread.h"
#include "ompi/mca/pml/champion/ring/pml_champion_rings.h"

/* Figures of one queue that are summed up, and those whose largest counts. */
enum { HITS, MISSES, TRAVERSED, SUMS };
enum { TRAVERSED_MAX, LENGTH_MAX, MAXIMA };

_Static_assert(0 == sizeof(mca_pml_champion_counters_t) % sizeof(uint64_t),
               "counters are summed up as numbers of 64 bits");

/* What travels to rank 0. */
typedef struct report_t {
    uint64_t sums[MCA_MQ_QUEUES][SUMS];
    uint64_t counters[sizeof(mca_pml_champion_counters_t) / sizeof(uint64_t)];
} report_t;

typedef struct maxima_t {
    uint64_t of[MCA_MQ_QUEUES][MAXIMA];
    uint64_t prefetch_used; /* bytes of the pool */
} maxima_t;

mca_mq_stats_t mca_pml_champion_stats_total;

void mca_pml_champion_stats_add(mca_mq_stats_t *sum,
                                const mca_mq_stats_t *stats)
{
    MCA_PML_CHAMPION_LOCKED();
    for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
        mca_mq_queue_stats_t *to = &sum->queue[i];
        const mca_mq_queue_stats_t *from = &stats->queue[i];

        to->hits += from->hits;
        to->misses += from->misses;
        to->traversed_hit += from->traversed_hit;
        to->traversed_miss += from->traversed_miss;
        if (from->traversed_max > to->traversed_max) {
            to->traversed_max = from->traversed_max;
        }
        if (from->length_max > to->length_max) {
            to->length_max = from->length_max;
        }
    }
}

/* Migrations of the domains in use. */
static uint64_t migrations(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < mca_pml_champion.num_comms; ++i) {
        mca_pml_champion_comm_t *comm = mca_pml_champion_comm_at(i);

        if (NULL != comm && comm->domain == &comm->own) {
            sum += comm->own.migrations;
        }
    }
    if (mca_mq_base_is_process_scope()) {
        sum += mca_pml_champion_comm(&ompi_mpi_comm_world.comm)
                   ->domain->migrations;
    }
    return sum;
}

/* This process's figures: of the communicators that are gone, and of those that
 * are there. */
static void collect(report_t *report, maxima_t *maxima)
{
    mca_pml_champion_counters_t counters;
    mca_mq_stats_t sum;

    mca_pml_champion_lock();
    sum = mca_pml_champion_stats_total;
    for (uint32_t i = 0; i < mca_pml_champion.num_comms; ++i) {
        mca_pml_champion_comm_t *comm = mca_pml_champion_comm_at(i);

        if (NULL != comm && NULL != comm->stats) {
            mca_pml_champion_stats_add(&sum, comm->stats);
        }
    }
    counters = mca_pml_champion.counters;
    counters.migrations += migrations();
    mca_pml_champion_thread_count(&counters);
    memcpy(report->counters, &counters, sizeof(report->counters));
    maxima->prefetch_used = mca_pml_champion_prefetch_used_max();
    mca_pml_champion_unlock();
    for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
        const mca_mq_queue_stats_t *queue = &sum.queue[i];

        report->sums[i][HITS] = queue->hits;
        report->sums[i][MISSES] = queue->misses;
        report->sums[i][TRAVERSED] =
            queue->traversed_hit + queue->traversed_miss;
        maxima->of[i][TRAVERSED_MAX] = queue->traversed_max;
        maxima->of[i][LENGTH_MAX] = queue->length_max;
    }
}

static int reduce(const void *in, void *out, size_t bytes, struct ompi_op_t *op)
{
    ompi_communicator_t *world = &ompi_mpi_comm_world.comm;

    return world->c_coll->coll_reduce(in, out, (int) (bytes / sizeof(uint64_t)),
                                      &ompi_mpi_uint64_t.dt, op, 0, world,
                                      world->c_coll->coll_reduce_module);
}

static void print_queue(const char *name, const char *missed,
                        const uint64_t *sums, const uint64_t *maxima)
{
    uint64_t searches = sums[HITS] + sums[MISSES];

    fprintf(stderr,
            "champion: stats %s matched=%llu %s=%llu traversed_mean=%.2f "
            "traversed_max=%llu queue_max=%llu\n",
            name, (unsigned long long) sums[HITS], missed,
            (unsigned long long) sums[MISSES],
            0 == searches ? 0.0 : (double) sums[TRAVERSED] / (double) searches,
            (unsigned long long) maxima[TRAVERSED_MAX],
            (unsigned long long) maxima[LENGTH_MAX]);
}

static void print_rings(const mca_pml_champion_counters_t *counters)
{
    fprintf(stderr,
            "champion: stats rings messages=%llu granted=%llu refused=%llu "
            "moved=%llu failed=%llu waited=%llu bells=%llu\n",
            (unsigned long long) counters->ring_messages,
            (unsigned long long) counters->ring_granted,
            (unsigned long long) counters->ring_refused,
            (unsigned long long) counters->ring_moved,
            (unsigned long long) counters->ring_failed,
            (unsigned long long) counters->ring_waited,
            (unsigned long long) counters->ring_bells);
}

static void print_offload(const mca_pml_champion_counters_t *counters)
{
    fprintf(stderr,
            "champion: stats offload offloaded=%llu matched=%llu "
            "cancelled=%llu blocked=%llu onloaded=%llu\n",
            (unsigned long long) counters->offloaded,
            (unsigned long long) counters->offload_matched,
            (unsigned long long) counters->offload_cancelled,
            (unsigned long long) counters->offload_blocked,
            (unsigned long long) counters->onloaded);
}

static void print_thread(const mca_pml_champion_counters_t *counters)
{
    fprintf(stderr,
            "champion: stats thread woken=%llu told=%llu left=%llu "
            "events=%llu\n",
            (unsigned long long) counters->thread_woken,
            (unsigned long long) counters->thread_told,
            (unsigned long long) counters->thread_left,
            (unsigned long long) counters->thread_events);
}

static void print_others(const mca_pml_champion_counters_t *counters)
{
    fprintf(stderr, "champion: stats others connected=%llu parted=%llu\n",
            (unsigned long long) counters->others_connected,
            (unsigned long long) counters->others_parted);
}

static void print(const report_t *report, const maxima_t *maxima)
{
    mca_pml_champion_comm_t *world =
        mca_pml_champion_comm(&ompi_mpi_comm_world.comm);
    mca_pml_champion_counters_t counters;

    memcpy(&counters, report->counters, sizeof(counters));
    fprintf(stderr, "champion: stats ranks=%d mq=%s\n",
            ompi_comm_size(&ompi_mpi_comm_world.comm),
            mca_mq_base_domain_name(world->domain));
    print_queue("posted", "unexpected", report->sums[MCA_MQ_POSTED],
                maxima->of[MCA_MQ_POSTED]);
    print_queue("unexpected", "missed", report->sums[MCA_MQ_UNEXPECTED],
                maxima->of[MCA_MQ_UNEXPECTED]);
    fprintf(stderr,
            "champion: stats paths rendezvous=%llu early=%llu overtook=%llu "
            "parked=%llu held=%llu delayed=%llu purged=%llu migrations=%llu\n",
            (unsigned long long) counters.rendezvous,
            (unsigned long long) counters.early,
            (unsigned long long) counters.overtook,
            (unsigned long long) counters.parked,
            (unsigned long long) counters.held,
            (unsigned long long) counters.delayed,
            (unsigned long long) counters.purged,
            (unsigned long long) counters.migrations);
    if (0 != counters.others_connected) {
        print_others(&counters);
    }
    if (mca_pml_champion_rings.on) {
        print_rings(&counters);
    }
    if (mca_pml_champion.params.prefetch) {
        fprintf(stderr,
                "champion: stats prefetch fetched=%llu useful=%llu late=%llu "
                "full=%llu declined=%llu pool_max=%llu\n",
                (unsigned long long) counters.prefetched,
                (unsigned long long) counters.prefetch_useful,
                (unsigned long long) counters.prefetch_late,
                (unsigned long long) counters.prefetch_full,
                (unsigned long long) counters.prefetch_declined,
                (unsigned long long) maxima->prefetch_used);
    }
    if (mca_pml_champion_offload.on) {
        print_offload(&counters);
    }
    if (mca_pml_champion.params.progress_thread) {
        print_thread(&counters);
    }
}

void mca_pml_champion_stats_report(void)
{
    report_t mine, sum;
    maxima_t largest_mine, largest;

    memset(&sum, 0, sizeof(sum));
    memset(&largest, 0, sizeof(largest));
    collect(&mine, &largest_mine);
    if (OMPI_SUCCESS == reduce(&mine, &sum, sizeof(sum), MPI_SUM) &&
        OMPI_SUCCESS ==
            reduce(&largest_mine, &largest, sizeof(largest), MPI_MAX) &&
        0 == ompi_comm_rank(&ompi_mpi_comm_world.comm)) {
        print(&sum, &largest);
    }
}
