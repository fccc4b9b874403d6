/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of all statistics: names, units, descriptions, and how values of
 * several communicators or processes are merged.
 */

#ifndef MCA_PML_CHAMPION_STATS_STATS_TABLE_H
#define MCA_PML_CHAMPION_STATS_STATS_TABLE_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/stats/comm_counters.h"

#pragma GCC visibility push(hidden)

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
    const char *unit;
    /** Counter of the same group by which this one is divided for a mean, or
     * NULL. */
    const char *per;
    const char *description; /**< one sentence, without the full stop */
} mca_pml_champion_stat_t;

#define MCA_PML_CHAMPION_COMM_STATS                                            \
    (sizeof(mca_pml_champion_comm_counters_t) / sizeof(uint64_t))
#define MCA_PML_CHAMPION_PROCESS_STATS                                         \
    (sizeof(mca_pml_champion_counters_t) / sizeof(uint64_t))
#define MCA_PML_CHAMPION_STATS                                                 \
    (MCA_PML_CHAMPION_COMM_STATS + MCA_PML_CHAMPION_PROCESS_STATS)

/**
 * The counters of a communicator (mca_pml_champion_comm_counters_t), then those
 * of a process (mca_pml_champion_counters_t), each in the order of its fields.
 * Counters of one group are adjacent.
 */
extern const mca_pml_champion_stat_t
    mca_pml_champion_stats[MCA_PML_CHAMPION_STATS];

/** Merge values into a sum, according to their kinds. */
static inline void mca_pml_champion_stats_merge(
    uint64_t *sum, const uint64_t *values, const mca_pml_champion_stat_t *stats,
    size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (MCA_PML_CHAMPION_STAT_MAX != stats[i].kind) {
            sum[i] += values[i];
        } else if (values[i] > sum[i]) {
            sum[i] = values[i];
        }
    }
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_STATS_TABLE_H */
