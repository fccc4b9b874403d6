/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The figures of a communicator, and the table of all figures, which has the
 * names, units and descriptions, and says how values of several communicators or
 * processes are merged. Users see them through pml_champion_stats, as text and
 * as JSON, and as MPI performance variables. To add one, add a field here, or
 * to mca_pml_champion_counters_t if it counts for the process, and a line to
 * the table.
 *
 * The user's messages are counted apart from those of collective operations and
 * of Open MPI itself, which have negative tags: neither kind matches the other.
 */

#ifndef MCA_PML_CHAMPION_STATS_STATS_TABLE_H
#define MCA_PML_CHAMPION_STATS_STATS_TABLE_H

#include "ompi/mca/mq/base/domain/observe.h"

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Counters of a communicator. Their table says what they count. */
typedef struct mca_pml_champion_comm_counters_t {
    /* Messages and receives of the user. */
    mca_mq_queue_stats_t posted;
    mca_mq_queue_stats_t unexpected; /**< searched by receives */
    uint64_t unexpected_bytes;
    uint64_t unexpected_bytes_max;
    uint64_t probe_hits;
    uint64_t probe_misses;
    uint64_t probe_traversed;
    uint64_t recv_exact;
    uint64_t recv_any_source;
    uint64_t recv_any_tag;
    uint64_t recv_any;
    uint64_t messages;
    uint64_t bytes;
    uint64_t bytes_max;
    uint64_t self;
    uint64_t size_class[MCA_MQ_BASE_SIZE_CLASSES];
    /* Internal messages. Probes count as searches; there are hardly any. */
    mca_mq_queue_stats_t internal_posted;
    mca_mq_queue_stats_t internal_unexpected;
    uint64_t internal_messages;
    uint64_t internal_bytes;
} mca_pml_champion_comm_counters_t;

/** Kinds of counters. */
typedef enum {
    MCA_PML_CHAMPION_STAT_COUNT, /**< only grows; merged by sum */
    MCA_PML_CHAMPION_STAT_MAX,   /**< high-water mark; merged by maximum */
    MCA_PML_CHAMPION_STAT_NOW    /**< current level; merged by sum */
} mca_pml_champion_stat_kind_t;

/** Description of a counter. */
typedef struct mca_pml_champion_stat_t {
    const char *group;
    const char *name; /**< within its group */
    mca_pml_champion_stat_kind_t kind;
    /** Counter of the same group by which this one is divided for a mean, or
     * NULL. */
    const char *per;
    const char *unit;
    const char *description; /**< one sentence, without the full stop */
} mca_pml_champion_stat_t;

#define MCA_PML_CHAMPION_COMM_STATS                                            \
    (sizeof(mca_pml_champion_comm_counters_t) / sizeof(uint64_t))
#define MCA_PML_CHAMPION_PROCESS_STATS                                         \
    (sizeof(mca_pml_champion_counters_t) / sizeof(uint64_t))
#define MCA_PML_CHAMPION_STATS                                                 \
    (MCA_PML_CHAMPION_COMM_STATS + MCA_PML_CHAMPION_PROCESS_STATS)

/** Index of a field's counter in the table. */
#define MCA_PML_CHAMPION_COMM_STAT(field)                                      \
    (offsetof(mca_pml_champion_comm_counters_t, field) / sizeof(uint64_t))
#define MCA_PML_CHAMPION_PROCESS_STAT(field)                                   \
    (MCA_PML_CHAMPION_COMM_STATS +                                             \
     offsetof(mca_pml_champion_counters_t, field) / sizeof(uint64_t))

/**
 * The counters of a communicator (mca_pml_champion_comm_counters_t), then those
 * of a process (mca_pml_champion_counters_t), each in the order of its fields.
 * Counters of one group are adjacent.
 */
extern const mca_pml_champion_stat_t
    mca_pml_champion_stats[MCA_PML_CHAMPION_STATS];

/** The end of the group that begins at `from`, exclusive. */
size_t mca_pml_champion_stats_group_end(size_t from, size_t count);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_STATS_TABLE_H */
