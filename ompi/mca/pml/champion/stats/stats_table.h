/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of all that statistics say: names, units, descriptions, and how
 * figures of several communicators or processes become one.
 */

#ifndef MCA_PML_CHAMPION_STATS_STATS_TABLE_H
#define MCA_PML_CHAMPION_STATS_STATS_TABLE_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/stats/comm_counters.h"

#pragma GCC visibility push(hidden)

/** What kind of number a figure is. */
typedef enum {
    MCA_PML_CHAMPION_STAT_COUNT, /**< grows; added up */
    MCA_PML_CHAMPION_STAT_MAX,   /**< the highest so far; the largest counts */
    MCA_PML_CHAMPION_STAT_NOW    /**< goes up and down; added up */
} mca_pml_champion_stat_kind_t;

/** A figure. */
typedef struct mca_pml_champion_stat_t {
    const char *group;
    const char *name; /**< in its group */
    mca_pml_champion_stat_kind_t kind;
    const char *unit;
    /** Figure of the same group that it is divided by to be understood, or
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
 * The figures of a communicator (mca_pml_champion_comm_counters_t), then those of a
 * process (mca_pml_champion_counters_t), each in the order of its fields. Those
 * of a group are side by side.
 */
extern const mca_pml_champion_stat_t
    mca_pml_champion_stats[MCA_PML_CHAMPION_STATS];

/** Add figures to a sum, as their kinds want it. */
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
