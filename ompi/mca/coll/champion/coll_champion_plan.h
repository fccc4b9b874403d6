/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Making the schedule of a collective: its request, operations and buffers.
 *
 * A function that adds to a plan returns the number of the operation. Failing
 * allocations are noted, and reported when the plan is started; until then it
 * can be filled in without checks.
 */

#ifndef MCA_COLL_CHAMPION_PLAN_H
#define MCA_COLL_CHAMPION_PLAN_H

#include "coll_champion.h"

#pragma GCC visibility push(hidden)

/** No operation: what would wait for it begins at once. */
#define MCA_COLL_CHAMPION_NONE MCA_PML_CHAMPION_SCHEDULE_NONE

/** The user's buffer of a result that is made elsewhere. */
typedef struct mca_coll_champion_user_t {
    void *packed; /**< NULL: there is none */
    void *buffer;
    size_t count;
    ompi_datatype_t *datatype;
} mca_coll_champion_user_t;

/** Memory of a plan, freed with its request. */
typedef struct mca_coll_champion_memory_t {
    struct mca_coll_champion_memory_t *next;
    _Alignas(64) char data[];
} mca_coll_champion_memory_t;

/** A collective under way: its request, and its schedule. */
typedef struct mca_coll_champion_plan_t {
    /** Open MPI keeps here which datatypes and operations it has retained for
     * the call. */
    ompi_coll_base_nbc_request_t super;
    mca_pml_champion_schedule_t schedule;
    uint32_t state; /**< COMPLETE, FREED; atomic */
    uint32_t max_ops, max_edges;
    bool failed;
    bool in_callback; /**< its completion callback may be running */
    mca_coll_champion_memory_t *memory;
    mca_coll_champion_user_t user;
} mca_coll_champion_plan_t;
OBJ_CLASS_DECLARATION(mca_coll_champion_plan_t);

int mca_coll_champion_plans_open(void);
void mca_coll_champion_plans_close(void);

/** A new plan, or NULL. Its messages have tags below `tags`, which is the same
 * number in all processes. */
mca_coll_champion_plan_t *mca_coll_champion_plan_new(ompi_communicator_t *comm,
                                                     int tags);

/** It reduces, by a predefined operation on a predefined type. */
void mca_coll_champion_plan_reduces(mca_coll_champion_plan_t *plan,
                                    ompi_op_t *op, ompi_datatype_t *type);

/** Start it. On success *request is set; otherwise it is freed. */
int mca_coll_champion_plan_start(mca_coll_champion_plan_t *plan,
                                 ompi_request_t **request);

/** Memory until the collective is complete. */
void *mca_coll_champion_scratch(mca_coll_champion_plan_t *plan, size_t bytes);

/** The user's data, contiguous in host memory: where they are, or packed. */
const void *mca_coll_champion_data(mca_coll_champion_plan_t *plan,
                                   const void *buffer, size_t count,
                                   ompi_datatype_t *type);

/** Where the collective may make the user's result: contiguous, in host
 * memory. Unpacked at the end if it is not the user's buffer; once a plan. */
void *mca_coll_champion_result(mca_coll_champion_plan_t *plan, void *buffer,
                               size_t count, ompi_datatype_t *type);

uint32_t mca_coll_champion_send(mca_coll_champion_plan_t *plan, int rank,
                                int tag, const void *from, size_t bytes);
uint32_t mca_coll_champion_recv(mca_coll_champion_plan_t *plan, int rank,
                                int tag, void *to, size_t bytes);
/** Of so many bytes, which are whole elements. */
uint32_t mca_coll_champion_reduction(mca_coll_champion_plan_t *plan,
                                     const void *from, void *to, size_t bytes);
uint32_t mca_coll_champion_copy(mca_coll_champion_plan_t *plan,
                                const void *from, void *to, size_t bytes);

/** An operation waits for another one, which may be NONE. */
void mca_coll_champion_after(mca_coll_champion_plan_t *plan, uint32_t op,
                             uint32_t before);

/** A row of operations of which only `size` are under way: each waits for the
 * end of the one so many places before it.
 *
 * Where two processes exchange messages in rows, both sides have them in the
 * order of their segments and, of a segment, of the distance of their ranks. So
 * the first message in that order that is not complete waits for none, and all
 * complete. */
typedef struct mca_coll_champion_window_t {
    uint32_t last[MCA_COLL_CHAMPION_WINDOW_MAX];
    uint32_t count, size;
} mca_coll_champion_window_t;

/** A row of at most `most` at a time. */
static inline mca_coll_champion_window_t mca_coll_champion_window(int most)
{
    return (mca_coll_champion_window_t){.size =
                                            most < MCA_COLL_CHAMPION_WINDOW_MAX
                                                ? (uint32_t) most
                                                : MCA_COLL_CHAMPION_WINDOW_MAX};
}

/** The place of the next one. */
static inline uint32_t mca_coll_champion_window_place(
    const mca_coll_champion_window_t *window)
{
    return window->count % window->size;
}

/** The next one begins with `first` and ends with `last`. */
void mca_coll_champion_window_add(mca_coll_champion_plan_t *plan,
                                  mca_coll_champion_window_t *window,
                                  uint32_t first, uint32_t last);

/** Data that are cut into blocks, one for each process, of which the first are
 * one element longer, and blocks that are cut into segments. */
typedef struct mca_coll_champion_cut_t {
    size_t unit;     /**< size of an element, bytes */
    size_t count;    /**< elements */
    int blocks;      /**< number of blocks */
    size_t segment;  /**< bytes; whole elements */
    size_t segments; /**< of the longest block; at least 1 */
} mca_coll_champion_cut_t;

/** is_exchange: two processes reduce, and take turns of sending and reducing: a
 * segment should be in the cache until it is reduced. */
mca_coll_champion_cut_t mca_coll_champion_cut(
    const mca_coll_base_module_t *module, size_t count, size_t unit, int blocks,
    bool is_exchange);

/** With segments of so many bytes, or longer ones where that would be too many. */
mca_coll_champion_cut_t mca_coll_champion_cut_by(size_t segment, size_t count,
                                                 size_t unit, int blocks);

/** A part of the data. */
typedef struct mca_coll_champion_part_t {
    size_t offset, bytes;
} mca_coll_champion_part_t;

mca_coll_champion_part_t mca_coll_champion_part(
    const mca_coll_champion_cut_t *cut, int block, size_t segment);

/** Can it be reduced here? */
bool mca_coll_champion_can_reduce(size_t count, ompi_datatype_t *type,
                                  ompi_op_t *op);

/** Of MPI_Iallreduce: a ring. `mine` may be `all`; see
 * coll_champion_iallreduce_ring.c. It takes so many tags. */
void mca_coll_champion_plan_ring(mca_coll_champion_plan_t *plan,
                                 const void *mine, void *all,
                                 const mca_coll_champion_cut_t *cut, int rank,
                                 int size);
int mca_coll_champion_ring_tags(const mca_coll_champion_cut_t *cut);

/** Of MPI_Reduce: a chain that ends at the root, whose result is `all`; `mine`
 * may be the same. The data are one block; see coll_champion_ireduce_chain.c.
 * It takes a tag for each segment. */
void mca_coll_champion_plan_chain(mca_coll_champion_plan_t *plan,
                                  const void *mine, void *all,
                                  const mca_coll_champion_cut_t *cut, int rank,
                                  int root, int size);

/** Is this a size of data that is served here? */
static inline bool mca_coll_champion_is_served(size_t bytes)
{
    return 0 != bytes && bytes <= INT32_MAX;
}

#pragma GCC visibility pop

#endif /* MCA_COLL_CHAMPION_PLAN_H */
