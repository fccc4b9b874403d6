/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "coll_champion_plan.h"

#include <stdlib.h>
#include <string.h>

#include "opal/class/opal_free_list.h"
#include "ompi/mca/pml/champion/core/happens_before.h"

#define NONE MCA_COLL_CHAMPION_NONE

/* Most segments of a block, and of all blocks together if a block has more than
 * one: a process has up to five operations for each. */
enum { SEGMENTS_MAX = 256, SEGMENTS_MAX_ALL = 32768 };

/* A plan that is not used keeps memory for so many operations. */
enum { OPS_KEPT = 4096 };

/* Plans that a free list allocates at a time. */
enum { PLANS_STEP = 16 };

/* Bits of a plan's state. */
enum { COMPLETE = 1, FREED = 2 };

typedef mca_coll_champion_plan_t plan_t;
typedef mca_pml_champion_schedule_op_t op_t;

/* Used by the program's threads only. */
static opal_free_list_t plans;

/* ---- requests ----------------------------------------------------------- */

static void free_operations(plan_t *plan)
{
    free(plan->schedule.ops);
    free(plan->schedule.edges);
    plan->schedule.ops = NULL;
    plan->schedule.edges = NULL;
    plan->max_ops = 0;
    plan->max_edges = 0;
}

static void plan_reset(plan_t *plan)
{
    mca_coll_champion_memory_t *memory;

    if (plan->max_ops > OPS_KEPT) {
        free_operations(plan);
    }
    while (NULL != (memory = plan->memory)) {
        plan->memory = memory->next;
        free(memory);
    }
    plan->schedule.num_ops = 0;
    plan->schedule.num_edges = 0;
    plan->state = 0;
    plan->failed = false;
    plan->in_callback = false;
    plan->user.packed = NULL;
}

/* Nothing refers to a plan any more. */
static void plan_return(plan_t *plan)
{
    ompi_communicator_t *comm = plan->schedule.comm;

    OMPI_REQUEST_FINI(&plan->super.super);
    plan_reset(plan);
    MCA_PML_CHAMPION_HAPPENS_BEFORE(plan);
    opal_free_list_return(&plans, &plan->super.super.super);
    OBJ_RELEASE(comm);
}

static int plan_free(ompi_request_t **request)
{
    plan_t *plan = (plan_t *) *request;

    MCA_PML_CHAMPION_HAPPENS_AFTER(plan);
    *request = MPI_REQUEST_NULL;
    if (0 ==
        (COMPLETE & __atomic_fetch_or(&plan->state, FREED, __ATOMIC_ACQ_REL))) {
        return OMPI_SUCCESS; /* returned when it is complete */
    }
    /* Another thread may be about to mark it complete. */
    while (!plan->in_callback &&
           REQUEST_COMPLETED != __atomic_load_n(&plan->super.super.req_complete,
                                                __ATOMIC_ACQUIRE)) {
        opal_atomic_rmb();
    }
    plan_return(plan);
    return OMPI_SUCCESS;
}

/* MPI does not allow it. */
static int plan_cancel(ompi_request_t *request, int complete)
{
    (void) request;
    (void) complete;
    return MPI_ERR_REQUEST;
}

static void unpack(mca_coll_champion_user_t *user)
{
    (void) ompi_datatype_sndrcv(
        user->packed, (int32_t) (user->datatype->super.size * user->count),
        &ompi_mpi_packed.dt, user->buffer, (int32_t) user->count,
        user->datatype);
}

static void user_release(plan_t *plan)
{
    if (NULL != plan->user.packed) {
        OMPI_DATATYPE_RELEASE(plan->user.datatype);
        plan->user.packed = NULL;
    }
}

/* The schedule is over; called in the program's calls. */
static void on_plan_end(mca_pml_champion_schedule_t *schedule)
{
    plan_t *plan = (plan_t *) ((char *) schedule - offsetof(plan_t, schedule));

    if (NULL != plan->user.packed && MPI_SUCCESS == schedule->error) {
        unpack(&plan->user);
    }
    user_release(plan);
    plan->super.super.req_status.MPI_ERROR = schedule->error;
    plan->in_callback = NULL != plan->super.super.req_complete_cb;
    MCA_PML_CHAMPION_HAPPENS_BEFORE(plan);
    if (FREED & __atomic_fetch_or(&plan->state, COMPLETE, __ATOMIC_ACQ_REL)) {
        plan_return(plan);
    } else {
        ompi_request_complete(&plan->super.super, true);
    }
}

static void plan_construct(plan_t *plan)
{
    plan->super.super.req_type = OMPI_REQUEST_COLL;
    plan->super.super.req_free = plan_free;
    plan->super.super.req_cancel = plan_cancel;
    memset(&plan->schedule, 0, sizeof(plan->schedule));
    plan->schedule.on_end = on_plan_end;
    plan->max_ops = 0;
    plan->max_edges = 0;
    plan->memory = NULL;
    plan_reset(plan);
    MCA_PML_CHAMPION_HAPPENS_BEFORE(plan);
}

static void plan_destruct(plan_t *plan)
{
    free_operations(plan);
}

OBJ_CLASS_INSTANCE(mca_coll_champion_plan_t, ompi_coll_base_nbc_request_t,
                   plan_construct, plan_destruct);

int mca_coll_champion_plans_open(void)
{
    OBJ_CONSTRUCT(&plans, opal_free_list_t);
    return opal_free_list_init(&plans, sizeof(plan_t), opal_cache_line_size,
                               OBJ_CLASS(mca_coll_champion_plan_t), 0,
                               opal_cache_line_size, 0, -1, PLANS_STEP, NULL, 0,
                               NULL, NULL, NULL);
}

void mca_coll_champion_plans_close(void)
{
    OBJ_DESTRUCT(&plans);
}

plan_t *mca_coll_champion_plan_new(ompi_communicator_t *comm, int tags)
{
    plan_t *plan = (plan_t *) opal_free_list_get(&plans);

    if (NULL == plan) {
        return NULL;
    }
    MCA_PML_CHAMPION_HAPPENS_AFTER(plan);
    OMPI_REQUEST_INIT(&plan->super.super, false);
    plan->super.super.req_state = OMPI_REQUEST_ACTIVE;
    plan->super.super.req_status = ompi_status_empty;
    plan->super.super.req_mpi_object.comm = comm;
    plan->schedule.comm = comm;
    plan->schedule.tag = ompi_coll_base_nbc_reserve_tags(comm, tags);
    OBJ_RETAIN(comm);
    return plan;
}

void mca_coll_champion_plan_reduces(plan_t *plan, ompi_op_t *op,
                                    ompi_datatype_t *type)
{
    plan->schedule.op = op;
    plan->schedule.datatype = type;
    plan->schedule.extent = type->super.size;
}

int mca_coll_champion_plan_start(plan_t *plan, ompi_request_t **request)
{
    int rc = OMPI_ERR_OUT_OF_RESOURCE;

    *request = &plan->super.super;
    if (!plan->failed) {
        rc = mca_coll_champion_calls->start(&plan->schedule);
    }
    if (OMPI_SUCCESS != rc) {
        *request = MPI_REQUEST_NULL;
        user_release(plan);
        plan_return(plan);
    }
    return rc;
}

/* ---- memory ------------------------------------------------------------- */

void *mca_coll_champion_scratch(plan_t *plan, size_t bytes)
{
    static char none[64];
    mca_coll_champion_memory_t *memory =
        aligned_alloc(64, (sizeof(*memory) + bytes + 63) / 64 * 64);

    if (NULL == memory) {
        plan->failed = true;
        return none;
    }
    memory->next = plan->memory;
    plan->memory = memory;
    return memory->data;
}

/* Can the data be used where they are? */
static bool is_plain(const void *buffer, size_t count, ompi_datatype_t *type)
{
    return opal_datatype_is_contiguous_memory_layout(&type->super,
                                                     count > 1 ? 2 : 1) &&
           (NULL == mca_mq_ompi_accelerator() ||
            !mca_mq_ompi_is_device(buffer));
}

const void *mca_coll_champion_data(plan_t *plan, const void *buffer,
                                   size_t count, ompi_datatype_t *type)
{
    const size_t bytes = type->super.size * count;
    void *packed;

    if (is_plain(buffer, count, type)) {
        return (const char *) buffer + type->super.true_lb;
    }
    packed = mca_coll_champion_scratch(plan, bytes);
    if (!plan->failed) {
        (void) ompi_datatype_sndrcv(buffer, (int32_t) count, type, packed,
                                    (int32_t) bytes, &ompi_mpi_packed.dt);
    }
    return packed;
}

void *mca_coll_champion_result(plan_t *plan, void *buffer, size_t count,
                               ompi_datatype_t *type)
{
    if (is_plain(buffer, count, type)) {
        return (char *) buffer + type->super.true_lb;
    }
    plan->user = (mca_coll_champion_user_t){
        .packed = mca_coll_champion_scratch(plan, type->super.size * count),
        .buffer = buffer,
        .count = count,
        .datatype = type,
    };
    OMPI_DATATYPE_RETAIN(type);
    return plan->user.packed;
}

/* ---- operations --------------------------------------------------------- */

/* An array with room for one more; NULL if there is no memory. */
static void *with_room(void *array, uint32_t num, uint32_t *max, size_t size)
{
    uint32_t more = 0 == *max ? 64 : 2 * *max;
    void *larger;

    if (num < *max) {
        return array;
    }
    larger = realloc(array, more * size);
    if (NULL != larger) {
        *max = more;
    }
    return larger;
}

static uint32_t add(plan_t *plan, op_t op)
{
    mca_pml_champion_schedule_t *schedule = &plan->schedule;
    op_t *ops =
        with_room(schedule->ops, schedule->num_ops, &plan->max_ops, sizeof(op));

    if (NULL == ops) {
        plan->failed = true;
        return NONE;
    }
    schedule->ops = ops;
    op.waits = 0;
    op.first = NONE;
    schedule->ops[schedule->num_ops] = op;
    return schedule->num_ops++;
}

uint32_t mca_coll_champion_send(plan_t *plan, int rank, int tag,
                                const void *from, size_t bytes)
{
    return add(plan, (op_t){.kind = MCA_PML_CHAMPION_SCHEDULE_SEND,
                            .rank = rank,
                            .tag = tag,
                            .from = from,
                            .count = bytes});
}

uint32_t mca_coll_champion_recv(plan_t *plan, int rank, int tag, void *to,
                                size_t bytes)
{
    return add(plan, (op_t){.kind = MCA_PML_CHAMPION_SCHEDULE_RECV,
                            .rank = rank,
                            .tag = tag,
                            .to = to,
                            .count = bytes});
}

uint32_t mca_coll_champion_reduction(plan_t *plan, const void *from, void *to,
                                     size_t bytes)
{
    return add(plan, (op_t){.kind = MCA_PML_CHAMPION_SCHEDULE_REDUCE,
                            .from = from,
                            .to = to,
                            .count = bytes / plan->schedule.extent});
}

uint32_t mca_coll_champion_copy(plan_t *plan, const void *from, void *to,
                                size_t bytes)
{
    return add(plan, (op_t){.kind = MCA_PML_CHAMPION_SCHEDULE_COPY,
                            .from = from,
                            .to = to,
                            .count = bytes});
}

void mca_coll_champion_after(plan_t *plan, uint32_t op, uint32_t before)
{
    mca_pml_champion_schedule_t *schedule = &plan->schedule;
    mca_pml_champion_schedule_edge_t *edges;

    if (NONE == op || NONE == before) {
        return;
    }
    edges = with_room(schedule->edges, schedule->num_edges, &plan->max_edges,
                      sizeof(*edges));
    if (NULL == edges) {
        plan->failed = true;
        return;
    }
    schedule->edges = edges;
    schedule->edges[schedule->num_edges] = (mca_pml_champion_schedule_edge_t){
        .op = op,
        .next = schedule->ops[before].first,
    };
    schedule->ops[before].first = schedule->num_edges++;
    ++schedule->ops[op].waits;
}

void mca_coll_champion_window_add(plan_t *plan,
                                  mca_coll_champion_window_t *window,
                                  uint32_t first, uint32_t last)
{
    uint32_t *place = &window->last[mca_coll_champion_window_place(window)];

    if (window->count >= window->size) {
        mca_coll_champion_after(plan, first, *place);
    }
    *place = last;
    ++window->count;
}

/* ---- parts of the data -------------------------------------------------- */

mca_coll_champion_cut_t mca_coll_champion_cut_by(size_t segment, size_t count,
                                                 size_t unit, int blocks)
{
    const size_t parts = (size_t) blocks;
    const size_t longest = (count + parts - 1) / parts * unit;
    const size_t share =
        parts < SEGMENTS_MAX_ALL ? SEGMENTS_MAX_ALL / parts : 1;
    const size_t most = share < SEGMENTS_MAX ? share : SEGMENTS_MAX;

    segment -= segment % unit;
    if (0 == segment) {
        segment = unit;
    }
    while (longest > most * segment) {
        segment *= 2;
    }
    return (mca_coll_champion_cut_t){
        .unit = unit,
        .count = count,
        .blocks = blocks,
        .segment = segment,
        .segments = longest <= segment ? 1 : (longest + segment - 1) / segment,
    };
}

mca_coll_champion_cut_t mca_coll_champion_cut(
    const mca_coll_base_module_t *module, size_t count, size_t unit, int blocks,
    bool is_exchange)
{
    /* Between nodes short ones are sent without asking, and keep links busy. */
    const bool is_short =
        is_exchange || !mca_coll_champion_module_of(module)->on_node;

    return mca_coll_champion_cut_by(mca_coll_champion_params.segment /
                                        (is_short ? 4 : 1),
                                    count, unit, blocks);
}

mca_coll_champion_part_t mca_coll_champion_part(
    const mca_coll_champion_cut_t *cut, int block, size_t segment)
{
    const size_t blocks = (size_t) cut->blocks, index = (size_t) block;
    const size_t least = cut->count / blocks, longer = cut->count % blocks;
    const size_t begin = least * index + (index < longer ? index : longer);
    const size_t bytes = (least + (index < longer)) * cut->unit;
    const size_t skip = segment * cut->segment;
    const size_t rest = skip < bytes ? bytes - skip : 0;

    return (mca_coll_champion_part_t){
        .offset = begin * cut->unit + (bytes - rest),
        .bytes = rest < cut->segment ? rest : cut->segment,
    };
}

bool mca_coll_champion_can_reduce(size_t count, ompi_datatype_t *type,
                                  ompi_op_t *op)
{
    const ptrdiff_t extent = type->super.ub - type->super.lb;

    return ompi_op_is_intrinsic(op) && ompi_op_is_commute(op) &&
           ompi_datatype_is_predefined(type) && 0 == type->super.true_lb &&
           extent == (ptrdiff_t) type->super.size &&
           type->super.size <= MCA_PML_CHAMPION_SCHEDULE_PIECE &&
           -1 != ompi_op_ddt_map[type->id] &&
           NULL != op->o_func.intrinsic.fns[ompi_op_ddt_map[type->id]] &&
           mca_coll_champion_is_served(type->super.size * count);
}
