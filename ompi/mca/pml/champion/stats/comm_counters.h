/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The statistics of a communicator. Users see them through pml_champion_stats,
 * as text and as JSON, and as MPI performance variables. The name, unit and
 * description of each are in one table (stats/stats_table.c). To add one, add a
 * field here, or to mca_pml_champion_counters_t if it counts for the process,
 * and a line there.
 *
 * The user's messages are counted apart from those of collective operations and
 * of Open MPI itself, which have negative tags: neither kind matches the other.
 */

#ifndef MCA_PML_CHAMPION_STATS_COMM_COUNTERS_H
#define MCA_PML_CHAMPION_STATS_COMM_COUNTERS_H

#include <stdint.h>

/** Searches of a queue, and its length. */
typedef struct mca_pml_champion_queue_figures_t {
    uint64_t hits;
    uint64_t misses;
    uint64_t traversed_hit;  /**< entries compared by hits, sum */
    uint64_t traversed_miss; /**< entries compared by misses, sum */
    uint64_t traversed_max;  /**< most entries compared by one search */
    uint64_t length;         /**< entries queued now */
    uint64_t length_max;
} mca_pml_champion_queue_figures_t;

/** Size classes of messages by payload: up to 64 bytes, 1 KiB, 16 KiB, 256 KiB,
 * and larger. */
#define MCA_PML_CHAMPION_SIZE_CLASSES 5

/** Counters of one communicator; nothing but 64-bit numbers. */
typedef struct mca_pml_champion_comm_counters_t {
    /* Messages and receives of the user. */
    mca_pml_champion_queue_figures_t posted;
    mca_pml_champion_queue_figures_t unexpected; /**< searched by receives */
    uint64_t unexpected_bytes;                   /**< payload queued now */
    uint64_t unexpected_bytes_max;
    uint64_t probe_hits; /**< probes of the unexpected messages */
    uint64_t probe_misses;
    uint64_t probe_traversed;
    uint64_t recv_exact; /**< receives without wildcards; then those with */
    uint64_t recv_any_source;
    uint64_t recv_any_tag;
    uint64_t recv_any;
    uint64_t messages; /**< messages that arrived */
    uint64_t bytes;    /**< of their payloads */
    uint64_t bytes_max;
    uint64_t self; /**< messages from this process to itself */
    uint64_t size_class[MCA_PML_CHAMPION_SIZE_CLASSES];
    /* Internal messages. Probes count as searches; there are hardly any. */
    mca_pml_champion_queue_figures_t internal_posted;
    mca_pml_champion_queue_figures_t internal_unexpected;
    uint64_t internal_messages;
    uint64_t internal_bytes;
} mca_pml_champion_comm_counters_t;

#endif /* MCA_PML_CHAMPION_STATS_COMM_COUNTERS_H */
