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
 *     all_unexpected   oldest -> ... -> newest     every message, again
 *
 * Each array is allocated when something is queued for one of its ranks for
 * the first time. A search for a source follows its coordinates; the first
 * that leads nowhere ends it, and all ranks of that cube, plane or line were
 * skipped with one look. Otherwise it reads the source's own two lists. What
 * any_posted and all_unexpected are for, see source_array.
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
 * Wins in large jobs where few of the ranks are ever queued: 1.6 times the time
 * of source_array (fds, alltoall) for a small part of its memory. Loses when
 * queues are short, since its loads are on the path of every operation, where
 * one source has a long queue (its list is an ordinary list), and with many
 * receives from any source.
 *
 * For communicators of fewer than mq_fourd_min_size ranks it is a list: all
 * receives are in any_posted then, all messages in all_unexpected only.
 *
 * Source: Zounmevo, Afsahi, "A fast and resource-conscious MPI message queue
 * mechanism for large-scale jobs" (2014), with what Ghazimirsaeed and Afsahi
 * (2017, 2018) say about it. Left open there or done in another way here:
 *
 * - The edge. d = ceil(size^(1/4)) would make the coordinates quotients and
 *   remainders, three divisions one after the other. Here each edge is a power
 *   of two, the coordinates are bits of the rank, and the bits of the largest
 *   rank are shared out as evenly as they can be. With a million ranks that is
 *   the same: 32.
 * - min_size. The paper takes the communicator's size to decide, the value is
 *   not in the public texts. 1024 by default: below, source_array's table
 *   is at most 32 KiB, so there is no memory worth saving.
 * - Giving back. The arrays stay while entries are queued, since most sources
 *   come again. When the last entry of the cubes leaves, all are given back,
 *   if they are more than MCA_MQ_FOURD_KEEP bytes and there were at least
 *   mq_fourd_reuse (64) insertions for each array. So allocating them again
 *   costs an insertion next to nothing, and a burst does not hold its memory
 *   for ever.
 * - When an array cannot be allocated, a receive goes to any_posted, in its
 *   place by order number, and a message to all_unexpected only; as long as
 *   there are such messages every search for one reads all_unexpected.
 */

#ifndef OMPI_MCA_MQ_FOURD_H
#define OMPI_MCA_MQ_FOURD_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/fifo.h"

BEGIN_C_DECLS

/** The parameters mq_fourd_*. */
typedef struct mca_mq_fourd_params_t {
    unsigned min_size; /**< ranks of the smallest domain that has cubes */
    unsigned reuse;    /**< insertions for each array that is given back */
} mca_mq_fourd_params_t;

#define MCA_MQ_FOURD_DIMENSIONS 4
#define MCA_MQ_FOURD_LAST (MCA_MQ_FOURD_DIMENSIONS - 1)

/** Bytes of arrays that are never given back. */
#define MCA_MQ_FOURD_KEEP 8192

/** What one source has queued. Zero: nothing. */
typedef struct mca_mq_fourd_source_t {
    mca_mq_base_fifo_t posted;
    mca_mq_base_fifo_t unexpected;
} mca_mq_fourd_source_t;

/** Which bits of a rank are a coordinate. */
typedef struct mca_mq_fourd_dimension_t {
    uint32_t shift;
    uint32_t mask; /**< elements of an array - 1 */
} mca_mq_fourd_dimension_t;

/** What the cubes have had to do. */
typedef struct mca_mq_fourd_figures_t {
    uint64_t arrays; /**< that exist now */
    uint64_t bytes;  /**< of them */
    uint64_t trims;  /**< how often all were given back */
    uint64_t strays; /**< entries that found no place in them */
} mca_mq_fourd_figures_t;

typedef struct mca_mq_fourd_module_t {
    mca_mq_base_module_t super;
    /** The arrays of all dimensions but the last have pointers to arrays of
     * the next; those of the last have mca_mq_fourd_source_t. */
    void *space;
    mca_mq_fourd_dimension_t dimension[MCA_MQ_FOURD_DIMENSIONS];
    mca_mq_base_fifo_t any_posted;
    mca_mq_base_fifo_t all_unexpected; /**< in plane B */
    uint64_t stray_messages;           /**< in all_unexpected only, now */
    uint64_t queued;                   /**< entries in cubes, now */
    uint64_t inserted;                 /**< in cubes since they were empty */
    mca_mq_fourd_figures_t figures;
    uint32_t size;
    uint32_t reuse;
    bool is_list;
} mca_mq_fourd_module_t;

/** The component, with what its tests and reports want to know. */
typedef struct mca_mq_fourd_component_t {
    mca_mq_base_component_t super;
    /** Read the figures of one of this component's modules. */
    void (*figures)(const mca_mq_base_module_t *module,
                    mca_mq_fourd_figures_t *figures);
} mca_mq_fourd_component_t;

OMPI_DECLSPEC extern const mca_mq_fourd_component_t mca_mq_fourd_component;

/** What new modules are made with. */
extern mca_mq_fourd_params_t mca_mq_fourd_params;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_fourd_create(const mca_mq_domain_info_t *info,
                        mca_mq_base_module_t **module);

/** See mca_mq_fourd_component_t. */
void mca_mq_fourd_figures(const mca_mq_base_module_t *module,
                          mca_mq_fourd_figures_t *figures);

/** Share the bits of the ranks of a domain out among the dimensions. */
void mca_mq_fourd_cubes_init(mca_mq_fourd_module_t *m);

/** The lists of a source, made if need be; NULL when there is no memory. */
mca_mq_fourd_source_t *mca_mq_fourd_cubes_get(mca_mq_fourd_module_t *m,
                                              uint32_t source);

/** Give all arrays back. Nothing is in them. */
void mca_mq_fourd_cubes_free(mca_mq_fourd_module_t *m);

/** Visit the receives in the cubes. */
void mca_mq_fourd_cubes_each_posted(mca_mq_fourd_module_t *m,
                                    mca_mq_visit_fn_t visit, void *arg);

/** A source's place in the array of a dimension. */
static inline uint32_t mca_mq_fourd_coordinate(const mca_mq_fourd_module_t *m,
                                               int dimension, uint32_t source)
{
    return source >> m->dimension[dimension].shift &
           m->dimension[dimension].mask;
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_FOURD_H */
