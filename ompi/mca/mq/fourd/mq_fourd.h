/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * fourd: the rank of the source as four coordinates, for large communicators.
 *
 *     rank = | c0 | c1 | c2 | c3 |       bits; 5 each for a million ranks
 *
 *     space        cube         plane        line
 *     | . |        | . |        | . |        | posted  unexpected |
 *     | .----c0--> | . |   +--> | .----c2--> | posted  unexpected |
 *     | . |        | .----c1    | . |        | posted  unexpected | <-- c3
 *     | . |        | . |        | . |        | posted  unexpected |
 *
 *     any_posted       oldest -> ... -> newest     receives from any source
 *     all_unexpected   oldest -> ... -> newest     every message as well
 *
 * Each array is allocated when something is first queued for one of its ranks.
 * A search for a source follows its coordinates; the first missing array ends
 * it, which skips all ranks of that cube, plane or line at once. Otherwise it
 * reads the source's own two lists. any_posted and all_unexpected are used as
 * in source_array.
 *
 *     search      at most 4 dependent loads, then O(entries of the source +
 *                 receives from any source); from any source: O(unexpected
 *                 messages)
 *     insertion   O(1); the first for a source may allocate up to 4 arrays of
 *                 size^(1/4) elements
 *     removal     O(1); of a message 4 loads
 *     visit       O(what is allocated); O(unexpected messages)
 *     memory      of a million ranks: under 300 bytes while nothing was ever
 *                 queued, 1.8 KiB more for the first source, 1 KiB for
 *                 another one far from it, 33 MiB if all of them were used
 *
 * Wins in large jobs where few ranks ever have queued entries: it takes 1.6
 * times as long as source_array (fds, alltoall), with a small part of its
 * memory. Loses when queues are short, since its loads are on the path of every
 * operation, where one source has a long queue (an ordinary list), and with
 * many receives from any source.
 *
 * For communicators of fewer than mq_fourd_min_size ranks it is a list: then
 * all receives are in any_posted, and all messages only in all_unexpected.
 *
 * Source: Zounmevo, Afsahi, "A fast and resource-conscious MPI message queue
 * mechanism for large-scale jobs" (2014), as described by Ghazimirsaeed and
 * Afsahi (2017, 2018), too. Choices that they leave open, or that differ here:
 *
 * - The edge. With d = ceil(size^(1/4)), coordinates would be quotients and
 *   remainders, with three dependent divisions. Here each edge is a power of
 *   two, the coordinates are bits of the rank, and the bits of the largest rank
 *   are distributed as evenly as possible. With a million ranks, the edge is 32
 *   either way.
 * - min_size. The paper decides by the communicator's size; the threshold is
 *   not in the public texts. 1024 by default: below, source_array's table takes
 *   at most 32 KiB, so there is no memory worth saving.
 * - Freeing. The arrays stay while entries are queued, since most sources come
 *   again. When the last entry of the cubes is removed, all are freed if they
 *   take more than MCA_MQ_FOURD_KEEP bytes and there were at least
 *   mq_fourd_reuse (64) insertions per array. So reallocation costs next to
 *   nothing per insertion, and the memory of a burst is not held forever.
 * - If an array cannot be allocated, a receive goes to any_posted, and a
 *   message only to all_unexpected; while there are such messages, every search
 *   for a message reads all_unexpected.
 */

#ifndef OMPI_MCA_MQ_FOURD_H
#define OMPI_MCA_MQ_FOURD_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/fifo.h"

BEGIN_C_DECLS

/** The parameters mq_fourd_*. */
typedef struct mca_mq_fourd_params_t {
    unsigned min_size; /**< ranks of the smallest domain with cubes */
    unsigned reuse;    /**< insertions per array before arrays are freed */
} mca_mq_fourd_params_t;

#define MCA_MQ_FOURD_DIMENSIONS 4
#define MCA_MQ_FOURD_LAST (MCA_MQ_FOURD_DIMENSIONS - 1)

/** Arrays of up to this many bytes are never freed. */
#define MCA_MQ_FOURD_KEEP 8192

/** The queues of one source. All zero: empty. */
typedef struct mca_mq_fourd_source_t {
    mca_mq_base_fifo_t posted;
    mca_mq_base_fifo_t unexpected;
} mca_mq_fourd_source_t;

/** The bits of a rank that form a coordinate. */
typedef struct mca_mq_fourd_dimension_t {
    uint32_t shift;
    uint32_t mask; /**< elements per array - 1 */
} mca_mq_fourd_dimension_t;

/** Statistics of the cubes. */
typedef struct mca_mq_fourd_figures_t {
    uint64_t arrays; /**< arrays that exist now */
    uint64_t bytes;  /**< size of all arrays */
    uint64_t trims;  /**< times that all were freed */
    uint64_t strays; /**< entries for which they had no place */
} mca_mq_fourd_figures_t;

typedef struct mca_mq_fourd_module_t {
    mca_mq_base_module_t super;
    /** Arrays of all dimensions but the last contain pointers to arrays of the
     * next one; those of the last contain mca_mq_fourd_source_t. */
    void *space;
    mca_mq_fourd_dimension_t dimension[MCA_MQ_FOURD_DIMENSIONS];
    mca_mq_base_fifo_t any_posted;
    mca_mq_base_fifo_t all_unexpected; /**< in plane B */
    uint64_t stray_messages;           /**< messages that are only in
                                            all_unexpected now */
    uint64_t queued;                   /**< entries in cubes now */
    uint64_t inserted;                 /**< insertions into cubes since they
                                            were last freed */
    mca_mq_fourd_figures_t figures;
    uint32_t size;
    uint32_t reuse;
    bool is_list;
} mca_mq_fourd_module_t;

/** The component, with functions for tests and reports. */
typedef struct mca_mq_fourd_component_t {
    mca_mq_base_component_t super;
    /** Read the statistics of one of this component's modules. */
    void (*figures)(const mca_mq_base_module_t *module,
                    mca_mq_fourd_figures_t *figures);
} mca_mq_fourd_component_t;

OMPI_DECLSPEC extern const mca_mq_fourd_component_t mca_mq_fourd_component;

/** Parameters of new modules. */
extern mca_mq_fourd_params_t mca_mq_fourd_params;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_fourd_create(const mca_mq_domain_info_t *info,
                        mca_mq_base_module_t **module);

/** See mca_mq_fourd_component_t. */
void mca_mq_fourd_figures(const mca_mq_base_module_t *module,
                          mca_mq_fourd_figures_t *figures);

/** Distribute the bits of the domain's ranks among the dimensions. */
void mca_mq_fourd_cubes_init(mca_mq_fourd_module_t *m);

/** Get the lists of a source, made if necessary; NULL if out of memory. */
mca_mq_fourd_source_t *mca_mq_fourd_cubes_get(mca_mq_fourd_module_t *m,
                                              uint32_t source);

/** Free all arrays, which must be empty. */
void mca_mq_fourd_cubes_free(mca_mq_fourd_module_t *m);

/** Visit the receives in the cubes. */
void mca_mq_fourd_cubes_each_posted(mca_mq_fourd_module_t *m,
                                    mca_mq_visit_fn_t visit, void *arg);

/** A source's index in an array of a dimension. */
static inline uint32_t mca_mq_fourd_coordinate(const mca_mq_fourd_module_t *m,
                                               int dimension, uint32_t source)
{
    return source >> m->dimension[dimension].shift &
           m->dimension[dimension].mask;
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_FOURD_H */
