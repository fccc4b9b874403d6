/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What statistics say of a communicator. Users see these figures in
 * pml_champion_stats, as text and as JSON, and as performance variables of MPI;
 * what each is called, its unit and its description are in one table for all
 * of them (stats/stats_table.c). To add a figure, add a field here, or
 * to mca_pml_champion_counters_t if it is of the process, and a line there.
 *
 * Traffic of the user is kept apart from that of collective operations and of
 * Open MPI itself, which have negative tags: neither matches the other.
 */

#ifndef MCA_PML_CHAMPION_STATS_COMM_COUNTERS_H
#define MCA_PML_CHAMPION_STATS_COMM_COUNTERS_H

#include <stdint.h>

/** Searches of a queue, and what is in it. */
typedef struct mca_pml_champion_queue_figures_t {
    uint64_t hits;
    uint64_t misses;
    uint64_t traversed_hit;  /**< entries compared by the former, sum */
    uint64_t traversed_miss; /**< and by the latter */
    uint64_t traversed_max;  /**< by one search */
    uint64_t length;         /**< entries queued now */
    uint64_t length_max;
} mca_pml_champion_queue_figures_t;

/** Classes of messages by their payload: up to 64 bytes, 1 KiB, 16 KiB, 256
 * KiB, and larger. */
#define MCA_PML_CHAMPION_SIZE_CLASSES 5

/** Figures of one communicator; numbers of 64 bits and nothing else. */
typedef struct mca_pml_champion_comm_counters_t {
    /* Of the user. */
    mca_pml_champion_queue_figures_t posted;
    mca_pml_champion_queue_figures_t unexpected; /**< searched by receives */
    uint64_t unexpected_bytes;                   /**< payload queued now */
    uint64_t unexpected_bytes_max;
    uint64_t probe_hits; /**< probes of the unexpected messages */
    uint64_t probe_misses;
    uint64_t probe_traversed;
    uint64_t recv_exact; /**< receives, by the wildcards they have */
    uint64_t recv_any_source;
    uint64_t recv_any_tag;
    uint64_t recv_any;
    uint64_t messages; /**< that arrived */
    uint64_t bytes;    /**< of their payloads */
    uint64_t bytes_max;
    uint64_t self; /**< of the messages, from this process */
    uint64_t size_class[MCA_PML_CHAMPION_SIZE_CLASSES];
    /* Internal ones. Probes count as searches; there are hardly any. */
    mca_pml_champion_queue_figures_t internal_posted;
    mca_pml_champion_queue_figures_t internal_unexpected;
    uint64_t internal_messages;
    uint64_t internal_bytes;
} mca_pml_champion_comm_counters_t;

#endif /* MCA_PML_CHAMPION_STATS_COMM_COUNTERS_H */
