/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules of random operations, many at a time, whose messages complete in
 * random order, and fail; whose reductions and copies take several pieces; and
 * that start again as soon as they are over. A model knows of each operation
 * only whether it has begun, and whether it is complete:
 *
 *   - an operation begins once, when all that it waits for are complete
 *   - it does begin: nothing stays behind where nothing is left to be done
 *   - a schedule is over when all its operations are complete, or after an
 *     error none of its messages is under way; and nothing refers to it then
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/mpi/schedule.h"

#include "pml_random.h"

static void *simulated_calloc(size_t count, size_t size);
static void simulated_reduce(const void *from, const void *to, size_t count);
static void simulated_copy(const void *to, const void *from, size_t bytes);
static mca_pml_champion_peer_t *simulated_peer(ompi_communicator_t *comm,
                                               int rank);
static ompi_proc_t here = {.super.proc_flags = OPAL_PROC_ON_NODE};

#define calloc simulated_calloc
#define memcpy simulated_copy
#define mca_pml_champion_peer_get simulated_peer
#define ompi_op_reduce(op, from, to, count, type)                              \
    simulated_reduce(from, to, count)
#define ompi_comm_peer_lookup(comm, rank) ((void) (comm), (void) (rank), &here)

#include "ompi/mca/pml/champion/mpi/engine.c"

#undef calloc
#undef memcpy
#undef mca_pml_champion_peer_get
#undef ompi_op_reduce
#undef ompi_comm_peer_lookup

#include "pml_test.h" /* cmocka has a fail(), too */

enum {
    SCHEDULES = 9,
    OPS = 24,
    BEFORE = 3, /* most that an operation waits for */
    FLYING = SCHEDULES * OPS,
    EXTENT = 8,
    PIECES = 4, /* most of an operation */
    /* Addresses are numbers, that of the operation above so many bits. */
    SHIFT = 24
};

typedef enum { WAITS, BEGUN, COMPLETE } stage_t;

/* An operation, as the test sees it. */
typedef struct seen_t {
    stage_t stage;
    unsigned num_before;
    uint32_t before[BEFORE];
    size_t left; /* bytes to reduce or copy */
} seen_t;

/* A schedule, and its owner. */
typedef struct owner_t {
    schedule_t schedule;
    op_t ops[OPS];
    mca_pml_champion_schedule_edge_t edges[OPS * BEFORE];
    seen_t seen[OPS];
    bool started, failed;
    unsigned under_way;
} owner_t;

static owner_t owners[SCHEDULES];
static slot_t *flying_now[FLYING]; /* posted, or under way */
static unsigned num_flying, num_standing;
static unsigned failing; /* percent of messages and allocations */
static uint64_t ended, ended_by_error;

/* ---- what stands for the rest of the component --------------------------- */

static ompi_communicator_t comm_of_mpi;
static mca_pml_champion_comm_t comm_of_champion;
static mca_mq_base_domain_t domain;

uint32_t mca_pml_champion_standstill_watched;
void (*mca_pml_champion_request_on_popped)(mca_pml_champion_request_t *request);

void mca_pml_champion_standstill_open(void)
{
}

void mca_pml_champion_standstill_close(void)
{
}

void mca_pml_champion_standstill_begins(mca_pml_champion_poll_delay_t *delay,
                                        size_t bytes)
{
    assert_int_equal(0, bytes); /* all is within the node */
    ++num_standing;
}

void mca_pml_champion_standstill_ends(
    const mca_pml_champion_poll_delay_t *delay)
{
    --num_standing;
}

void mca_pml_champion_standstill_on_poll(bool goes_on)
{
    fail_msg("not needed");
}

static mca_pml_champion_peer_t *simulated_peer(ompi_communicator_t *comm,
                                               int rank)
{
    static mca_pml_champion_peer_t *peer = (void *) &peer;

    return pml_random_percent(failing) ? NULL : peer;
}

static void *simulated_calloc(size_t count, size_t size)
{
    return pml_random_percent(failing) ? NULL : calloc(count, size);
}

void mca_pml_champion_request_complete(mca_pml_champion_request_t *request)
{
    mca_pml_champion_request_on_popped(request);
}

/* ---- the model ------------------------------------------------------------ */

static owner_t *owner_of(const schedule_t *schedule)
{
    return (owner_t *) ((uintptr_t) schedule - offsetof(owner_t, schedule));
}

static seen_t *seen_of(const slot_t *slot)
{
    return &owner_of(slot->schedule)->seen[slot->op];
}

static bool may_begin(const owner_t *owner, const seen_t *seen)
{
    for (unsigned i = 0; i < seen->num_before; ++i) {
        if (COMPLETE != owner->seen[seen->before[i]].stage) {
            return false;
        }
    }
    return true;
}

static void begins(const owner_t *owner, seen_t *seen)
{
    assert_true(owner->started);
    assert_int_equal(MPI_SUCCESS, owner->schedule.error);
    assert_int_equal(WAITS, seen->stage);
    assert_true(may_begin(owner, seen));
    seen->stage = BEGUN;
}

static void goes_on_here(const void *from, const void *to, size_t bytes)
{
    const size_t id = (uintptr_t) to >> SHIFT;
    owner_t *owner = &owners[id / OPS];
    seen_t *seen = &owner->seen[id % OPS];

    assert_true(bytes <= MCA_PML_CHAMPION_SCHEDULE_PIECE);
    assert_ptr_equal(from, to);
    if (WAITS == seen->stage) {
        begins(owner, seen);
    }
    assert_int_equal(BEGUN, seen->stage);
    assert_true(bytes <= seen->left);
    seen->left -= bytes;
    if (0 == seen->left) {
        seen->stage = COMPLETE;
    }
}

static void simulated_reduce(const void *from, const void *to, size_t count)
{
    goes_on_here(from, to, count * EXTENT);
}

static void simulated_copy(const void *to, const void *from, size_t bytes)
{
    goes_on_here(from, to, bytes);
}

/* What can begin has begun, in all schedules. */
static void nothing_stays_behind(void)
{
    for (int i = 0; i < SCHEDULES; ++i) {
        const owner_t *owner = &owners[i];

        for (uint32_t op = 0; op < owner->schedule.num_ops; ++op) {
            const seen_t *seen = &owner->seen[op];

            assert_false(owner->started && !owner->failed &&
                         WAITS == seen->stage && may_begin(owner, seen));
            assert_false(owner->started && !owner->failed &&
                         BEGUN == seen->stage && 0 != seen->left);
        }
    }
}

/* ---- messages ------------------------------------------------------------- */

static void flies(slot_t *slot)
{
    assert_true(num_flying < FLYING);
    flying_now[num_flying++] = slot;
    ++owner_of(slot->schedule)->under_way;
}

static void lands(unsigned index)
{
    --owner_of(flying_now[index]->schedule)->under_way;
    flying_now[index] = flying_now[--num_flying];
}

static bool is_send(const slot_t *slot)
{
    return MCA_PML_REQUEST_SEND == slot->super.super.req_type;
}

/* It is complete, or has failed. */
static void complete(slot_t *slot, bool failed)
{
    if (failed) {
        owner_of(slot->schedule)->failed = true;
        slot->super.error = MPI_ERR_OTHER;
        slot->super.state |= is_send(slot) ? 0 : MCA_PML_CHAMPION_FAILED;
    } else {
        seen_of(slot)->stage = COMPLETE;
    }
    if (is_send(slot)) {
        slot->send.send.error = failed ? MPI_ERR_OTHER : MPI_SUCCESS;
    }
}

/* One of those under way, if any: it is matched, complete, or both. */
static void something_happens(void)
{
    unsigned index;
    slot_t *slot;

    if (0 == num_flying) {
        return;
    }
    index = pml_random_below(num_flying);
    slot = flying_now[index];
    if (!is_send(slot) && slot->recv.recv.posted) {
        slot->recv.recv.posted = false;
        if (pml_random_once_in(3)) {
            return;
        }
    }
    lands(index);
    complete(slot, pml_random_percent(failing));
    mca_pml_champion_request_push(&slot->super);
}

void mca_pml_champion_send_describe(mca_pml_champion_send_t *send,
                                    const void *buffer, size_t count,
                                    ompi_datatype_t *datatype,
                                    mca_pml_base_send_mode_t mode,
                                    opal_convertor_t *convertor)
{
    send->data = buffer;
    send->length = count;
}

/* UCX may be polled there. */
void mca_pml_champion_send_start(mca_pml_champion_send_t *send, int tag,
                                 mca_pml_champion_comm_t *comm,
                                 mca_pml_champion_peer_t *peer,
                                 uint32_t attributes)
{
    slot_t *slot = (slot_t *) send->request;

    assert_ptr_equal(&comm_of_champion, comm);
    assert_non_null(peer);
    begins(owner_of(slot->schedule), seen_of(slot));
    if (pml_random_once_in(4)) {
        something_happens();
    }
    send->pending = !pml_random_once_in(3);
    if (0 == send->pending) {
        complete(slot, pml_random_percent(failing));
    } else {
        flies(slot);
    }
}

static slot_t *slot_of(const void *member, size_t offset)
{
    return (slot_t *) ((uintptr_t) member - offset);
}

static mca_mq_entry_t *post(mca_mq_base_module_t *module,
                            mca_mq_entry_t *receive)
{
    static mca_mq_entry_t message;
    slot_t *slot = slot_of(receive, offsetof(slot_t, recv.recv.entry));

    begins(owner_of(slot->schedule), seen_of(slot));
    flies(slot);
    return pml_random_once_in(3) ? &message : NULL;
}

/* The message was waiting. */
void mca_pml_champion_message_deliver(mca_pml_champion_message_t *message,
                                      mca_pml_champion_recv_t *recv)
{
    slot_t *slot = slot_of(recv, offsetof(slot_t, recv.recv));

    recv->posted = false;
    if (pml_random_once_in(2)) {
        assert_ptr_equal(slot, flying_now[num_flying - 1]);
        lands(num_flying - 1);
        complete(slot, pml_random_percent(failing));
        mca_pml_champion_request_push(&slot->super);
    }
}

void mca_pml_champion_recv_cancelled(mca_pml_champion_recv_t *recv)
{
    slot_t *slot = slot_of(recv, offsetof(slot_t, recv.recv));
    unsigned index = 0;

    while (slot != flying_now[index]) {
        ++index;
    }
    assert_true(recv->posted);
    recv->posted = false;
    lands(index);
    mca_pml_champion_request_push(&slot->super);
}

/* ---- owners --------------------------------------------------------------- */

static void choose_op(owner_t *owner, uint32_t index)
{
    static const mca_pml_champion_schedule_kind_t kinds[] = {
        MCA_PML_CHAMPION_SCHEDULE_SEND, MCA_PML_CHAMPION_SCHEDULE_RECV,
        MCA_PML_CHAMPION_SCHEDULE_REDUCE, MCA_PML_CHAMPION_SCHEDULE_COPY};
    const size_t id = (size_t) (owner - owners) * OPS + index;
    const size_t unit = MCA_PML_CHAMPION_SCHEDULE_PIECE / EXTENT;
    op_t *op = &owner->ops[index];
    seen_t *seen = &owner->seen[index];

    *op = (op_t){
        .kind = kinds[pml_random_below(4)],
        .first = NONE,
        .from = (void *) (uintptr_t) (id << SHIFT),
        .to = (void *) (uintptr_t) (id << SHIFT),
        .count = 1 + pml_random_below(
                         pml_random_once_in(2) ? 9 : PIECES * (uint32_t) unit),
    };
    *seen = (seen_t){.stage = WAITS};
    if (MCA_PML_CHAMPION_SCHEDULE_REDUCE == op->kind) {
        seen->left = op->count * EXTENT;
    } else if (MCA_PML_CHAMPION_SCHEDULE_COPY == op->kind) {
        op->count *= EXTENT;
        seen->left = op->count;
    }
}

static void waits_for(owner_t *owner, uint32_t index, uint32_t before)
{
    schedule_t *schedule = &owner->schedule;
    seen_t *seen = &owner->seen[index];

    seen->before[seen->num_before++] = before;
    owner->edges[schedule->num_edges] = (mca_pml_champion_schedule_edge_t){
        .op = index, .next = owner->ops[before].first};
    owner->ops[before].first = schedule->num_edges++;
    ++owner->ops[index].waits;
}

static void choose_schedule(owner_t *owner)
{
    schedule_t *schedule = &owner->schedule;

    schedule->num_ops = pml_random_below(OPS + 1);
    schedule->num_edges = 0;
    for (uint32_t i = 0; i < schedule->num_ops; ++i) {
        choose_op(owner, i);
        for (int k = 0; i > 0 && k < BEFORE && pml_random_once_in(2); ++k) {
            waits_for(owner, i, pml_random_below(i));
        }
    }
}

static void begin_schedule(owner_t *owner)
{
    choose_schedule(owner);
    owner->started = true;
    owner->failed = false;
    if (OMPI_SUCCESS !=
        mca_pml_champion_schedule_calls.start(&owner->schedule)) {
        assert_true(0 != failing);
        owner->started = false;
    }
}

/* Its memory is the owner's again. */
static void over(schedule_t *schedule)
{
    owner_t *owner = owner_of(schedule);

    assert_true(owner->started);
    owner->started = false;
    ++ended;
    assert_int_equal(0, owner->under_way);
    ended_by_error += MPI_SUCCESS != schedule->error;
    for (uint32_t i = 0;
         i < schedule->num_ops && MPI_SUCCESS == schedule->error; ++i) {
        assert_int_equal(COMPLETE, owner->seen[i].stage);
    }
    for (const schedule_t *at = all.first; NULL != at; at = at->next) {
        assert_ptr_not_equal(at, schedule);
    }
    memset(owner->ops, 0xa5, sizeof(owner->ops));
    if (pml_random_once_in(4)) {
        begin_schedule(owner);
    }
}

/* ---- the program, and a progress thread ----------------------------------- */

static void look(bool in_thread)
{
    mca_pml_champion_request_t *completed = NULL;

    mca_pml_champion_lock();
    if (0 != mca_pml_champion.schedules) {
        (void) CHORE.step();
    }
    if (!in_thread) {
        completed = mca_pml_champion_request_pop_all();
    }
    mca_pml_champion_unlock();
    mca_pml_champion_request_complete_all(completed);
}

/* Until nothing is left to do but messages. */
static void look_at_all(void)
{
    do {
        look(false);
    } while (0 != mca_pml_champion.chores ||
             NULL != mca_pml_champion.completed);
    nothing_stays_behind();
}

static void one_step(void)
{
    owner_t *owner = &owners[pml_random_below(SCHEDULES)];

    switch (pml_random_below(8)) {
    case 0:
        if (!owner->started) {
            begin_schedule(owner);
        }
        break;
    case 1:
        look(true);
        break;
    case 2:
        look(false);
        break;
    case 3:
        if (pml_random_once_in(4)) {
            look_at_all();
        }
        break;
    default:
        mca_pml_champion_lock();
        something_happens();
        mca_pml_champion_unlock();
    }
}

static void all_end(void)
{
    do {
        look_at_all();
        mca_pml_champion_lock();
        something_happens();
        mca_pml_champion_unlock();
    } while (0 != num_flying || 0 != mca_pml_champion.schedules);
    for (int i = 0; i < SCHEDULES; ++i) {
        assert_false(owners[i].started);
    }
    assert_null(all.first);
    assert_int_equal(0, mca_pml_champion.chores);
    assert_int_equal(0, mca_pml_champion.inflight);
    assert_int_equal(0, num_standing);
}

static int begin_world(void **state)
{
    static mca_mq_base_module_t module = {.mq_post = post};

    domain.module = &module;
    comm_of_champion.domain = &domain;
    comm_of_mpi.c_pml_comm = (void *) &comm_of_champion;
    for (int i = 0; i < SCHEDULES; ++i) {
        owners[i].schedule = (schedule_t){
            .comm = &comm_of_mpi,
            .ops = owners[i].ops,
            .edges = owners[i].edges,
            .extent = EXTENT,
            .on_end = over,
        };
    }
    ended = ended_by_error = 0;
    return schedules_open();
}

static int end_world(void **state)
{
    schedules_close();
    return 0;
}

static void steps(unsigned percent)
{
    const uint64_t rounds = pml_random_ops(200000) / 1000;

    for (uint64_t round = 0; round < rounds; ++round) {
        failing = percent;
        for (int i = 0; i < 1000; ++i) {
            one_step();
        }
        failing = 0;
        all_end();
    }
    assert_true(0 == rounds || ended > rounds);
}

UNIT_TEST_WITH(operations_begin_when_what_they_wait_for_is_complete,
               begin_world, end_world)
{
    steps(0);
    assert_int_equal(0, ended_by_error);
}

UNIT_TEST_WITH(failed_schedules_end_too, begin_world, end_world)
{
    steps(2);
    assert_true(0 != ended_by_error);
}

int main(void)
{
    pml_random_begin();
    return unit_run(NULL, NULL);
}
