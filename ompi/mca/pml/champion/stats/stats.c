/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Gathering. Each process sends to rank 0 its own counters, and those of its
 * communicators by name, in blocks of a fixed size. Rank 0 keeps only
 * summaries, so that its memory does not depend on the number of ranks.
 */

#include "ompi/mca/pml/champion/stats/stats.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/match/backlog.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/stats/gather_tree.h"
#include "ompi/mca/pml/champion/large/prefetch_pool.h"
#include "ompi/mca/pml/champion/progress/thread.h"

_Static_assert(0 == sizeof(mca_pml_champion_counters_t) % sizeof(uint64_t) &&
                   0 == sizeof(mca_pml_champion_comm_counters_t) %
                            sizeof(uint64_t),
               "figures are numbers of 64 bits");

#define NAMES_MAX MCA_PML_CHAMPION_STATS_NAMES
#define OTHERS "(other communicators)"

typedef mca_pml_champion_stats_block_t block_t;
typedef mca_pml_champion_own_stats_t mine_t;

static size_t mine_size(const mine_t *mine)
{
    return offsetof(mine_t, blocks) +
           (size_t) mine->num_blocks * sizeof(block_t);
}

/* Statistics of deleted communicators. */
static mine_t gone;

/* Merge values into a sum, according to their kinds. */
static void merge(uint64_t *sum, const uint64_t *values)
{
    for (size_t i = 0; i < MCA_PML_CHAMPION_COMM_STATS; ++i) {
        if (MCA_PML_CHAMPION_STAT_MAX != mca_pml_champion_stats[i].kind) {
            sum[i] += values[i];
        } else if (values[i] > sum[i]) {
            sum[i] = values[i];
        }
    }
}

/* Find the block of a name, or make it. */
static block_t *block_of(mine_t *mine, const char *name)
{
    block_t *block = mine->blocks;

    for (; block < mine->blocks + mine->num_blocks; ++block) {
        if (0 == strncmp(block->name, name, sizeof(block->name) - 1)) {
            return block;
        }
    }
    if (NAMES_MAX - 1 == mine->num_blocks) {
        name = OTHERS;
    } else if (NAMES_MAX == mine->num_blocks) {
        return block - 1;
    }
    snprintf(block->name, sizeof(block->name), "%s", name);
    ++mine->num_blocks;
    return block;
}

/* Keep the component of communicators of one name, if all have one. */
static void merge_mq(char *mq, const char *other)
{
    if ('\0' == *mq) {
        snprintf(mq, MCA_PML_CHAMPION_STATS_MQ_MAX, "%.31s", other);
    } else if (0 != strcmp(mq, other)) {
        snprintf(mq, MCA_PML_CHAMPION_STATS_MQ_MAX, "several");
    }
}

static void add_comm(mine_t *mine, const mca_pml_champion_comm_t *comm)
{
    block_t *block = block_of(mine, comm->comm->c_name);

    merge_mq(block->mq, mca_mq_base_domain_name(comm->domain));
    merge(block->values, (const uint64_t *) comm->figures);
}

void mca_pml_champion_stats_leave(const mca_pml_champion_comm_t *comm)
{
    uint64_t *values = (uint64_t *) comm->figures;

    MCA_PML_CHAMPION_LOCKED();
    if (!mca_pml_champion.params.stats || NULL == values) {
        return;
    }
    for (size_t i = 0; i < MCA_PML_CHAMPION_COMM_STATS; ++i) {
        if (MCA_PML_CHAMPION_STAT_NOW == mca_pml_champion_stats[i].kind) {
            values[i] = 0;
        }
    }
    add_comm(&gone, comm);
}

/* Migrations of the domains that are in use. */
static uint64_t migrations(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < mca_pml_champion.num_comms; ++i) {
        mca_pml_champion_comm_t *comm = mca_pml_champion_comm_at(i);

        if (NULL != comm && comm->domain == &comm->own) {
            sum += comm->own.migrations;
        }
    }
    if (mca_mq_base_is_process_scope() && 0 < mca_pml_champion.num_comms) {
        sum += mca_pml_champion_comm(&ompi_mpi_comm_world.comm)
                   ->domain->migrations;
    }
    return sum;
}

static uint64_t connections;

static void add_connection(mca_pml_champion_peer_t *peer)
{
    connections += NULL != peer->ep;
}

void mca_pml_champion_stats_memory(mca_pml_champion_counters_t *counters)
{
    MCA_PML_CHAMPION_LOCKED();
    connections = 0;
    mca_pml_champion_peers_each(add_connection);
    counters->memory_connections = connections;
    counters->memory_shared = mca_pml_champion_board_used();
}

void mca_pml_champion_stats_counters(mca_pml_champion_counters_t *counters)
{
    MCA_PML_CHAMPION_LOCKED();
    *counters = mca_pml_champion.counters;
    counters->migrations += migrations();
    counters->prefetch_pool_max = mca_pml_champion_prefetch_pool_used_max();
    counters->memory_waiting_max = mca_pml_champion_backlog_bytes_max();
    mca_pml_champion_thread_count(counters);
}

void mca_pml_champion_stats_collect(mine_t *own)
{
    MCA_PML_CHAMPION_LOCKED();
    *own = gone;
    for (uint32_t i = 0; i < mca_pml_champion.num_comms; ++i) {
        mca_pml_champion_comm_t *comm = mca_pml_champion_comm_at(i);

        if (NULL != comm && NULL != comm->figures) {
            add_comm(own, comm);
        }
    }
    mca_pml_champion_stats_counters(
        (mca_pml_champion_counters_t *) own->process);
    mca_pml_champion_stats_memory((mca_pml_champion_counters_t *) own->process);
}

/* ---- At rank 0 ---- */

/* Add a rank's values to the summaries; first: they are still empty. */
static void summarize(mca_pml_champion_summary_t *of, const uint64_t *values,
                      size_t count, int rank, bool first)
{
    for (size_t i = 0; i < count; ++i) {
        uint64_t value = values[i];

        of[i].sum += value;
        if (first || value < of[i].min) {
            of[i].min = value;
            of[i].min_rank = rank;
        }
        if (first || value > of[i].max) {
            of[i].max = value;
            of[i].max_rank = rank;
        }
    }
}

static mca_pml_champion_comm_summary_t *comm_of(
    mca_pml_champion_report_t *report, const char *name)
{
    mca_pml_champion_comm_summary_t *comms = report->comms;

    for (int i = 0; i < report->num_comms; ++i) {
        if (0 == strcmp(comms[i].name, name)) {
            return &comms[i];
        }
    }
    comms = realloc(comms, sizeof(*comms) * (size_t) (report->num_comms + 1));
    if (NULL == comms) {
        return NULL;
    }
    report->comms = comms;
    comms += report->num_comms++;
    memset(comms, 0, sizeof(*comms));
    memcpy(comms->name, name, sizeof(comms->name));
    return comms;
}

static void add_decisions(mca_pml_champion_report_t *report,
                          const char *decisions, int rank)
{
    if ('\0' == *decisions) {
        return;
    }
    if (report->num_decisions < MCA_PML_CHAMPION_DECISIONS_RANKS) {
        report->decisions[report->num_decisions].rank = rank;
        memcpy(report->decisions[report->num_decisions].text, decisions,
               MCA_PML_CHAMPION_DECISIONS_LENGTH);
        ++report->num_decisions;
    } else {
        ++report->more_decisions;
    }
}

static void add_transports(mca_pml_champion_report_t *report,
                           const mine_t *mine)
{
    for (int i = 0; i < MCA_PML_CHAMPION_RUN_TRANSPORTS; ++i) {
        const mca_pml_champion_run_transport_t *one = &mine->transports[i];
        mca_pml_champion_run_transport_t *sum =
            '\0' == one->name[0]
                ? NULL
                : mca_pml_champion_run_transport(report->transports, one->name);

        if (NULL != sum) {
            sum->endpoints += one->endpoints;
            ++report->transport_ranks[sum - report->transports];
        }
    }
}

void mca_pml_champion_report_add(mca_pml_champion_report_t *report,
                                 const mine_t *mine, int rank)
{
    uint64_t values[MCA_PML_CHAMPION_STATS] = {0};

    for (int64_t i = 0; i < mine->num_blocks; ++i) {
        const block_t *block = &mine->blocks[i];
        mca_pml_champion_comm_summary_t *comm = comm_of(report, block->name);

        merge(values, block->values);
        if (NULL != comm) {
            summarize(comm->of, block->values, MCA_PML_CHAMPION_COMM_STATS,
                      rank, 0 == comm->ranks);
            merge_mq(comm->mq, block->mq);
            ++comm->ranks;
        }
    }
    memcpy(values + MCA_PML_CHAMPION_COMM_STATS, mine->process,
           sizeof(mine->process));
    summarize(report->of, values, MCA_PML_CHAMPION_STATS, rank,
              0 == report->counted++);
    add_decisions(report, mine->decisions, rank);
    add_transports(report, mine);
}

/* Static, so that nothing here can fail: the other ranks wait to be asked. */
static mca_pml_champion_report_t report;
static mine_t mine;     /* at rank 0 then those of the other ranks */
static size_t received; /* bytes of them */

static void on_chunk(const void *chunk, size_t length, void *arg)
{
    (void) arg;
    if (length <= sizeof(mine) - received) {
        memcpy((char *) &mine + received, chunk, length);
        received += length;
    }
}

static void on_end(int rank, bool whole, void *arg)
{
    (void) arg;
    if (whole && received == mine_size(&mine)) {
        mca_pml_champion_report_add(&report, &mine, rank);
    }
    received = 0;
}

static const mca_pml_champion_gather_sink_t sink = {.chunk = on_chunk,
                                                    .end = on_end};

static void report_all(void)
{
    report = (mca_pml_champion_report_t){
        .ranks = ompi_comm_size(&ompi_mpi_comm_world.comm),
        .mq = mca_mq_base_domain_name(
            mca_pml_champion_comm(&ompi_mpi_comm_world.comm)->domain),
    };
    mca_pml_champion_run_describe(&report.run);
    mca_pml_champion_report_add(&report, &mine, 0);
    mca_pml_champion_gather(NULL, 0, &sink, NULL);
}

mca_pml_champion_report_t *mca_pml_champion_stats_report(void)
{
    mca_pml_champion_lock();
    mca_pml_champion_stats_collect(&mine);
    mca_pml_champion_decision_report(mine.decisions);
    mca_pml_champion_run_transports(mine.transports);
    mca_pml_champion_unlock();
    if (0 == ompi_comm_rank(&ompi_mpi_comm_world.comm)) {
        report_all();
        return &report;
    }
    mca_pml_champion_gather(&mine, mine_size(&mine), &sink, NULL);
    return NULL;
}

void mca_pml_champion_stats_forget(void)
{
    memset(&gone, 0, sizeof(gone));
}

void mca_pml_champion_report_free(mca_pml_champion_report_t *of)
{
    free(of->comms);
    of->comms = NULL;
    of->num_comms = 0;
}
