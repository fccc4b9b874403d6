/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which messages are prefetched, and how prefetches end: with receives posted
 * before, during or after the fetch, messages that are never received, and
 * fetches that fail. Slots never overlap, all are returned, and so is the memory
 * of the pool; it counts as memory of unexpected messages.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static int simulated_clock(clockid_t clock, struct timespec *time);
#define clock_gettime simulated_clock

#include "ompi_config.h"

#include "opal/class/opal_object.h"
#include "opal/util/output.h"

/* Open MPI 5.0 has no output before it is initialized. */
static void no_output(int stream, const char *format, ...)
{
}
#define opal_output no_output

#include "ompi/mca/pml/champion/core/unit.c"
#include "ompi/mca/pml/champion/match/deliver.c"
#include "ompi/mca/pml/champion/match/message.c"
#include "ompi/mca/pml/champion/large/prefetch.c"
#include "ompi/mca/pml/champion/large/prefetch_pool.c"

#undef clock_gettime

#include "pml_random.h"

enum {
    PEERS = 3,
    MESSAGES = 48, /* at a time */
    POOL = 1 << 20,
    QUARTER = POOL / 4,
    LARGEST = POOL / 2,
    BIG = POOL, /* larger than that */
    LIMIT = 8 * POOL,
    OWN = LIMIT / LIMIT_SHARE /* of own slots together */
};

/* ---- what stands for the rest of the component, Open MPI and UCX -------- */

/* A message at its sender, and what the test expects of it. */
typedef struct one_t {
    bool there;
    bool tagged;
    bool dropped; /* nobody will receive it */
    int peer;
    size_t length;
    unsigned char pattern;
    mca_pml_champion_message_t *message; /* not once it is matched or dropped */
    mca_pml_champion_recv_t recv;
    ompi_status_public_t status;
    unsigned char *data; /* of the receive */
    bool matched;
    bool lost; /* its fetch has failed */
    bool was_prefetched;
    /* Its fetch: */
    mca_pml_champion_transfer_t *transfer; /* under way */
    void *slot;
} one_t;

mca_pml_champion_t mca_pml_champion;
mca_pml_champion_backlog_t mca_pml_champion_backlog;
#if !defined(NDEBUG)
_Thread_local bool mca_pml_champion_lock_mine = true;
#endif

static one_t remotes[MESSAGES];
static mca_pml_champion_peer_t peers[PEERS];
static uint64_t clock_says = 1000; /* ns */
static uint64_t cost;
static uint64_t receiving; /* ns in which other messages were received */
static unsigned acks, releases, announced, maps, asked, prefetches;
static int (*looks)(void); /* what opal_progress calls from time to time */
static ucs_status_t map_status;
/* How fetches end that complete within the call. */
static enum { LATER, AT_ONCE, FAILS_AT_ONCE } ends;

static int simulated_clock(clockid_t clock, struct timespec *time)
{
    assert_int_equal(CLOCK_MONOTONIC, clock);
    *time = (struct timespec){.tv_sec = (time_t) (clock_says / 1000000000),
                              .tv_nsec = (long) (clock_says % 1000000000)};
    return 0;
}

static one_t *remote_of(const mca_pml_champion_source_t *source)
{
    one_t *remote = NULL != source->descriptor ? source->descriptor
                    : 0 != source->address
                        ? (one_t *) (uintptr_t) source->address
                        : &remotes[source->tag - 1];

    assert_true(remote >= remotes && remote < remotes + MESSAGES);
    assert_true(remote->there);
    assert_int_equal(NULL == source->descriptor && 0 == source->address,
                     remote->tagged);
    assert_int_equal(remote->length, source->length);
    assert_ptr_equal(&peers[remote->peer], source->peer);
    return remote;
}

static void end_fetch(one_t *remote, ucs_status_t status)
{
    mca_pml_champion_transfer_t *transfer = remote->transfer;

    if (UCS_OK == status) {
        memset(remote->slot, remote->pattern, remote->length);
    } else {
        remote->lost = true;
        remote->slot = NULL;
    }
    remote->transfer = NULL;
    if (remote->matched || remote->dropped) {
        remote->slot = NULL;
    }
    if (remote->dropped) {
        remote->there = false;
    }
    transfer->done(transfer, status);
}

void *mca_pml_champion_transfer_begin(mca_pml_champion_transfer_t *transfer,
                                      const mca_pml_champion_source_t *source,
                                      void *buffer, size_t count,
                                      ucp_request_param_t *param)
{
    one_t *remote = remote_of(source);

    assert_int_equal(remote->length, count);
    assert_null(remote->transfer);
    assert_false(remote->was_prefetched);
    assert_int_equal(!remote->tagged && count <= LARGEST,
                     0 != (param->op_attr_mask & UCP_OP_ATTR_FIELD_MEMH));
    if (count <= LARGEST) {
        assert_true((char *) buffer >= (char *) slots.memory);
        assert_true((char *) buffer + count <=
                    (char *) slots.memory + slots.length);
    }
    assert_int_equal(mca_pml_champion.counters.prefetched, prefetches);
    remote->transfer = transfer;
    remote->slot = buffer;
    remote->was_prefetched = true;
    if (LATER == ends) {
        return transfer;
    }
    end_fetch(remote, AT_ONCE == ends ? UCS_OK : UCS_ERR_IO_ERROR);
    return NULL;
}

mca_pml_champion_cost_models_t mca_pml_champion_cost_models;

uint64_t mca_pml_champion_transfer_cost(const mca_pml_champion_peer_t *peer,
                                        size_t bytes)
{
    assert_non_null(peer);
    assert_true(bytes > 0);
    return cost;
}

uint64_t mca_pml_champion_cost_model_receiving(uint64_t now)
{
    assert_int_equal(clock_says, now);
    return receiving;
}

void mca_pml_champion_send_marked_ended(mca_pml_champion_send_t *send)
{
}

void mca_pml_champion_cost_model_prefetches(void)
{
    ++prefetches;
}

void mca_pml_champion_thread_trigger_fetching(mca_pml_champion_peer_t *peer,
                                              size_t bytes)
{
    assert_non_null(peer);
    assert_true(bytes > 0);
    ++announced;
}

ucs_status_t ucp_mem_map(ucp_context_h context,
                         const ucp_mem_map_params_t *params, ucp_mem_h *handle)
{
    assert_non_null(params->address);
    *handle = NULL;
    maps += UCS_OK == map_status;
    return map_status;
}

ucs_status_t ucp_mem_unmap(ucp_context_h context, ucp_mem_h handle)
{
    --maps;
    return UCS_OK;
}

const char *ucs_status_string(ucs_status_t status)
{
    return UCS_OK == status ? "fine" : "not fine";
}

void ucp_am_data_release(ucp_worker_h worker, void *data)
{
    assert_true(((one_t *) data)->there);
    assert_false(((one_t *) data)->was_prefetched);
    ++releases;
}

ucs_status_t mca_pml_champion_ctrl_msg_send(mca_pml_champion_peer_t *peer,
                                            unsigned id, const void *data,
                                            size_t length, uint32_t flags)
{
    assert_int_equal(MCA_PML_CHAMPION_AM_ACK, id);
    assert_int_equal(sizeof(uint64_t), length);
    assert_non_null(data);
    ++acks;
    return UCS_OK;
}

void mca_pml_champion_recv_fail(mca_pml_champion_recv_t *recv, int error)
{
    recv->status->MPI_ERROR = error;
}

void mca_pml_champion_abort(int error, const char *format, ...)
{
    fail_msg("aborted: %s", format);
}

/* opal_progress calls without the lock. */
static void looked(void)
{
#if !defined(NDEBUG)
    mca_pml_champion_lock_mine = false;
#endif
    assert_int_equal(0, looks());
#if !defined(NDEBUG)
    mca_pml_champion_lock_mine = true;
#endif
}

void mca_pml_champion_lock_slow(void)
{
    fail();
}

/* Not used: no process sleeps, sends or has requests, and all data are
 * contiguous. */
void mca_pml_champion_wake(void)
{
    fail();
}

void mca_pml_champion_layout_recv(mca_pml_champion_layout_t *layout,
                                  size_t length)
{
    fail();
}

bool mca_pml_champion_layout_unpack(mca_pml_champion_layout_t *layout,
                                    size_t offset, const void *data,
                                    size_t length)
{
    fail();
    return false;
}

size_t mca_pml_champion_layout_pack(mca_pml_champion_layout_t *layout,
                                    size_t offset, void *data, size_t length)
{
    fail();
    return 0;
}

void mca_pml_champion_layout_end(mca_pml_champion_layout_t *layout)
{
    fail();
}

void mca_pml_champion_peer_due(mca_pml_champion_peer_t *peer, unsigned news)
{
    fail();
}

/* To release those that were throttled. */
void mca_pml_champion_backlog_ask(void)
{
    assert_true(mca_pml_champion_backlog.stopped > 0);
    ++asked;
}

int opal_progress_register_lp(opal_progress_callback_t callback)
{
    assert_null(looks);
    looks = callback;
    return OPAL_SUCCESS;
}

int opal_progress_unregister(opal_progress_callback_t callback)
{
    assert_ptr_equal(looks, callback);
    looks = NULL;
    return OPAL_SUCCESS;
}

void mca_pml_champion_backlog_exceeded(mca_pml_champion_peer_t *peer)
{
    fail();
}

void mca_pml_champion_backlog_shrunk(mca_pml_champion_peer_t *peer)
{
    assert_non_null(peer);
    assert_true(mca_pml_champion_backlog.stopped > 0);
}

/* A message that was not prefetched is read straight into its receive. */
static void read_remote(mca_pml_champion_arrival_t *arrival,
                        mca_pml_champion_recv_t *recv)
{
    const mca_pml_champion_source_t source = {
        .peer = arrival->peer,
        .descriptor = MCA_PML_CHAMPION_TAGGED == arrival->kind
                          ? NULL
                          : (void *) (uintptr_t) arrival->payload,
        .tag = arrival->token,
        .length = arrival->length,
    };
    one_t *remote = remote_of(&source);

    assert_ptr_equal(&remote->recv, recv);
    assert_false(remote->was_prefetched);
    memset(recv->data, remote->pattern,
           recv->capacity < remote->length ? recv->capacity : remote->length);
    if (recv->capacity < remote->length) {
        mca_pml_champion_recv_fail(recv, MPI_ERR_TRUNCATE);
    }
    arrival->kept = true;
    mca_pml_champion_recv_complete(recv);
}

/* ---- messages and receives ---------------------------------------------- */

/* Messages that are not tagged are at a sender of this node. */
static bool on_node;

static one_t *arrives(int peer, size_t length, bool tagged, bool sync)
{
    mca_pml_champion_arrival_t arrival = {
        .peer = &peers[peer],
        .length = length,
        .kind = tagged    ? MCA_PML_CHAMPION_TAGGED
                : on_node ? MCA_PML_CHAMPION_READABLE
                          : MCA_PML_CHAMPION_RENDEZVOUS,
        .envelope.source = peer,
        .sync = tagged && sync,
    };
    one_t *remote = remotes;

    while (remote->there) {
        ++remote;
        assert_true(remote < remotes + MESSAGES);
    }
    memset(remote, 0, sizeof(*remote));
    remote->there = true;
    remote->tagged = tagged;
    remote->peer = peer;
    remote->length = length;
    remote->pattern = (unsigned char) pml_random_below(256);
    arrival.payload = tagged ? NULL : remote;
    arrival.token = tagged ? (uint64_t) (remote - remotes) + 1 : (sync ? 7 : 0);
    remote->message = mca_pml_champion_message_new(&arrival);
    mca_pml_champion_message_queued(remote->message);
    return remote;
}

/* Its receive is complete. */
static void check_received(one_t *remote)
{
    const size_t length = remote->recv.capacity < remote->length
                              ? remote->recv.capacity
                              : remote->length;

    assert_int_equal(1, remote->recv.done);
    assert_int_equal(remote->length, remote->status._ucount);
    if (remote->lost) {
        assert_int_equal(MPI_ERR_OTHER, remote->status.MPI_ERROR);
    } else {
        assert_int_equal(length < remote->length ? MPI_ERR_TRUNCATE : 0,
                         remote->status.MPI_ERROR);
        for (size_t i = 0; i < length; i += length < 64 ? 1 : length / 64) {
            assert_int_equal(remote->pattern, remote->data[i]);
        }
        assert_int_equal(remote->pattern, remote->data[length - 1]);
    }
    free(remote->data);
    remote->data = NULL;
    remote->there = false;
}

static void receive_into(one_t *remote, size_t capacity)
{
    mca_pml_champion_message_t *message = remote->message;

    remote->data = malloc(capacity);
    assert_non_null(remote->data);
    remote->recv.data = remote->data;
    remote->recv.capacity = capacity;
    remote->recv.contiguous = true;
    remote->recv.status = &remote->status;
    remote->matched = true;
    remote->message = NULL;
    if (NULL == remote->transfer) {
        remote->slot = NULL;
    }
    mca_pml_champion_message_deliver(message, &remote->recv);
    if (NULL == remote->transfer) {
        check_received(remote);
    } else {
        assert_int_equal(0, remote->recv.done);
    }
}

static void receive(one_t *remote)
{
    receive_into(remote, remote->length);
}

/* End the fetch of a message, which may be matched by now. */
static void fetch_ends(one_t *remote, ucs_status_t status)
{
    end_fetch(remote, status);
    if (remote->matched) {
        check_received(remote);
    }
}

static void drop(one_t *remote)
{
    mca_pml_champion_message_t *message = remote->message;

    remote->message = NULL;
    remote->dropped = true;
    if (NULL == remote->transfer) {
        remote->slot = NULL;
    }
    mca_pml_champion_message_drop(message);
    if (NULL == remote->transfer) {
        remote->there = false;
    }
}

/* ---- before and after each test ----------------------------------------- */

static void open_prefetch(int mode)
{
    memset(&mca_pml_champion, 0, sizeof(mca_pml_champion));
    opal_size_pool_init(&mca_pml_champion.pool);
    memset(&mca_pml_champion_backlog, 0, sizeof(mca_pml_champion_backlog));
    mca_pml_champion_backlog.limit = LIMIT;
    mca_pml_champion_backlog.ask_at = SIZE_MAX;
    mca_pml_champion.params.prefetch = mode;
    mca_pml_champion.params.prefetch_pool = POOL;
    memset(&prefetch, 0, sizeof(prefetch));
    memset(&slots, 0, sizeof(slots));
    memset(peers, 0, sizeof(peers));
    memset(remotes, 0, sizeof(remotes));
    acks = releases = announced = maps = asked = prefetches = 0;
    map_status = UCS_OK;
    cost = 0;
    ends = LATER;
    for (int kind = 0; kind < MCA_PML_CHAMPION_PAYLOADS; ++kind) {
        mca_pml_champion_payloads[kind].queued = NULL;
        mca_pml_champion_payloads[kind].taken = NULL;
    }
    mca_pml_champion_payloads[MCA_PML_CHAMPION_READABLE] =
        (mca_pml_champion_payload_ops_t){.deliver = read_remote};
    mca_pml_champion_payloads[MCA_PML_CHAMPION_RENDEZVOUS] =
        (mca_pml_champion_payload_ops_t){
            .deliver = read_remote,
            .drop = mca_pml_champion_ucx_drop,
        };
    mca_pml_champion_payloads[MCA_PML_CHAMPION_TAGGED] =
        (mca_pml_champion_payload_ops_t){.deliver = read_remote};
    mca_pml_champion_prefetch_open();
}

static int begin(void **state)
{
    open_prefetch(MCA_PML_CHAMPION_ON);
    return 0;
}

/* What is left is dropped, and everything comes back. */
static void close_prefetch(void)
{
    mca_pml_champion.ending = true;
    for (int i = 0; i < MESSAGES; ++i) {
        if (remotes[i].there && NULL != remotes[i].message) {
            drop(&remotes[i]);
        }
    }
    for (int i = 0; i < MESSAGES; ++i) {
        if (remotes[i].there) {
            fetch_ends(&remotes[i], UCS_ERR_CANCELED);
        }
        assert_false(remotes[i].there);
    }
    assert_false(mca_pml_champion_prefetch_is_busy());
    assert_int_equal(0, slots.buddy.used);
    assert_int_equal(0, slots.own);
    assert_int_equal(NULL == slots.memory ? 0 : slots.length,
                     mca_pml_champion_backlog.other);
    assert_null(prefetch.first);
    assert_null(prefetch.last);
    assert_int_equal(0, mca_pml_champion.pool.live);
    for (int i = 0; i < PEERS; ++i) {
        assert_int_equal(0, peers[i].backlog.waiting);
    }
    mca_pml_champion_prefetch_pool_fini();
    mca_pml_champion_prefetch_pool_fini();
    assert_int_equal(0, maps);
    assert_int_equal(0, mca_pml_champion_backlog.other);
    assert_null(looks);
    opal_size_pool_fini(&mca_pml_champion.pool);
}

static int end(void **state)
{
    close_prefetch();
    return 0;
}

/* ---- single messages ---------------------------------------------------- */

static void a_receive_after_the_fetch_copies(void **state)
{
    one_t *remote = arrives(0, 100000, false, false);

    assert_non_null(remote->transfer);
    assert_true(mca_pml_champion_prefetch_is_busy());
    fetch_ends(remote, UCS_OK);
    assert_false(mca_pml_champion_prefetch_is_busy());
    assert_int_equal(1, mca_pml_champion.counters.prefetch_useful);
    receive(remote);
    assert_int_equal(0, slots.buddy.used);
    assert_int_equal(1 << 17, mca_pml_champion_prefetch_pool_used_max());
    assert_int_equal(1, peers[0].prefetch.total);
    assert_int_equal(1, announced);
}

static void a_receive_during_the_fetch_waits_for_it(void **state)
{
    one_t *remote = arrives(0, 100000, true, false);

    receive(remote);
    assert_int_equal(1, mca_pml_champion.counters.prefetch_late);
    fetch_ends(remote, UCS_OK);
    assert_int_equal(0, mca_pml_champion.counters.prefetch_useful);
    assert_int_equal(0, slots.buddy.used);
}

static void a_receive_that_is_too_small_is_told(void **state)
{
    one_t *remote = arrives(0, 100000, false, false);

    receive_into(remote, 99999);
    fetch_ends(remote, UCS_OK);
    remote = arrives(0, 100000, false, false);
    fetch_ends(remote, UCS_OK);
    receive_into(remote, 1);
}

static void a_fetch_that_fails_fails_the_receive(void **state)
{
    one_t *remote = arrives(0, 100000, false, false);

    receive(remote);
    fetch_ends(remote, UCS_ERR_IO_ERROR);
    remote = arrives(0, 100000, false, false);
    fetch_ends(remote, UCS_ERR_IO_ERROR);
    assert_int_equal(0, slots.buddy.used);
    receive(remote);
    ends = FAILS_AT_ONCE;
    receive(arrives(0, 100000, true, false));
    drop(arrives(0, 100000, true, false));
    assert_int_equal(0, mca_pml_champion.counters.prefetch_useful);
}

static void a_dropped_message_gives_its_slot_back(void **state)
{
    one_t *remote = arrives(0, 100000, false, false);

    drop(remote);
    assert_true(remote->there); /* the fetch is still under way */
    fetch_ends(remote, UCS_OK);
    assert_int_equal(0, slots.buddy.used);
    ends = AT_ONCE;
    drop(arrives(0, 100000, false, false));
    assert_int_equal(0, slots.buddy.used);
    assert_int_equal(2, mca_pml_champion.counters.purged);
}

/* A synchronous send is acknowledged when it is matched. */
static void a_synchronous_send_hears_of_its_match(void **state)
{
    one_t *remote = arrives(0, 100000, false, true);

    assert_non_null(remote->transfer);
    fetch_ends(remote, UCS_OK);
    assert_int_equal(0, acks);
    receive(remote);
    assert_int_equal(1, acks);
    remote = arrives(0, 100000, true, true);
    assert_null(remote->transfer);
    receive(remote);
    assert_int_equal(1, acks);
}

/* ---- which ones --------------------------------------------------------- */

static void some_are_left_where_they_are(void **state)
{
    fetch_ends(arrives(0, LARGEST, false, false), UCS_OK);
    assert_null(arrives(0, OWN + 1, false, false)->transfer);
    peers[1].flow.stopped = true;
    assert_null(arrives(1, 1000, false, false)->transfer);
    assert_non_null(arrives(2, 1000, false, false)->transfer);
    assert_int_equal(2, mca_pml_champion.counters.prefetched);
    assert_int_equal(0, mca_pml_champion.counters.prefetch_declined);
}

static void the_first_one_may_be_too_large(void **state)
{
    assert_null(arrives(0, OWN + 1, false, false)->transfer);
    assert_null(arrives(0, LIMIT, false, false)->transfer);
    assert_int_equal(0, mca_pml_champion.counters.prefetch_full);
    assert_null(slots.memory);
}

static void off_is_off(void **state)
{
    end(state);
    open_prefetch(MCA_PML_CHAMPION_OFF);
    assert_null(arrives(0, 1000, false, false)->transfer);
    assert_null(slots.memory);
}

static void by_itself_those_of_late_receivers(void **state)
{
    one_t *remote;

    end(state);
    open_prefetch(MCA_PML_CHAMPION_AUTO);
    cost = 5000;
    for (int i = 0; i < 3; ++i) { /* receives are posted soon */
        remote = arrives(0, 1000, false, false);
        assert_null(remote->transfer);
        clock_says += 4999;
        receive(remote);
    }
    assert_int_equal(3, mca_pml_champion.counters.prefetch_unneeded);
    assert_int_equal(4999, peers[0].prefetch.wait);
    assert_null(slots.memory);
    remote = arrives(0, 1000, false, false);
    clock_says += 1000000;
    receive(remote);
    assert_non_null(arrives(0, 1000, false, false)->transfer);
    assert_null(arrives(1, 1000, false, false)->transfer);
}

/* On a shared core everything waits for its receive, and what is of this node
 * would be copied once more. */
static void messages_of_the_node_only_on_a_free_core(void **state)
{
    one_t *remote;

    end(state);
    open_prefetch(MCA_PML_CHAMPION_AUTO);
    on_node = true;
    cost = 5000;
    remote = arrives(0, 1000, false, false);
    clock_says += 1000000;
    receive(remote);
    assert_null(arrives(0, 1000, false, false)->transfer);
    mca_pml_champion.core_free = true;
    assert_non_null(arrives(0, 1000, false, false)->transfer);
    mca_pml_champion.core_free = false;
    on_node = false;
    assert_non_null(arrives(0, 1000, false, false)->transfer);
}

/* Each of a row of messages is received as soon as the one before is there: the
 * last ones wait for the link. Later the program is away. */
static void a_row_of_messages_is_not_late(void **state)
{
    one_t *row[4];

    end(state);
    open_prefetch(MCA_PML_CHAMPION_AUTO);
    cost = 5000;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 4; ++i) {
            row[i] = arrives(0, 1000, false, false);
            assert_null(row[i]->transfer);
        }
        for (int i = 0; i < 4; ++i) {
            receive(row[i]);
            clock_says += 5000;
            receiving += 5000;
        }
    }
    assert_true(peers[0].prefetch.wait <= 1);
    row[0] = arrives(0, 1000, false, false);
    clock_says += 1005000;
    receiving += 5000;
    receive(row[0]);
    assert_true(peers[0].prefetch.wait > cost);
    assert_non_null(arrives(0, 1000, false, false)->transfer);
}

/* A peer whose prefetches come too late is not prefetched from, except for
 * occasional trials. */
static void a_peer_without_gain_is_tried_now_and_then(void **state)
{
    unsigned fetched_ones = 0;

    for (int i = 0; i < WINDOW + 4 * WINDOW; ++i) {
        one_t *remote = arrives(0, 1000, false, false);

        if (NULL != remote->transfer) {
            ++fetched_ones;
            receive(remote); /* before the fetch has ended */
            fetch_ends(remote, UCS_OK);
        } else {
            receive(remote);
        }
    }
    assert_int_equal(WINDOW + 4, fetched_ones);
    assert_int_equal(4 * (WINDOW - 1),
                     mca_pml_champion.counters.prefetch_declined);
    /* Receives are posted later from now on: trials succeed, until prefetching
     * is on again. */
    ends = AT_ONCE;
    for (int i = 0; i < WINDOW / 2 * WINDOW; ++i) {
        receive(arrives(0, 1000, false, false));
    }
    fetched_ones = (unsigned) mca_pml_champion.counters.prefetched;
    for (int i = 0; i < 8; ++i) {
        receive(arrives(0, 1000, false, false));
    }
    assert_int_equal(fetched_ones + 8, mca_pml_champion.counters.prefetched);
}

/* ---- the pool ----------------------------------------------------------- */

static void a_message_without_a_slot_is_fetched_later(void **state)
{
    one_t *first[4], *late[3];

    for (int i = 0; i < 4; ++i) {
        first[i] = arrives(0, QUARTER, false, false);
        assert_non_null(first[i]->transfer);
    }
    for (int i = 0; i < 3; ++i) {
        late[i] = arrives(1, QUARTER, false, false);
        assert_null(late[i]->transfer);
    }
    assert_int_equal(3, mca_pml_champion.counters.prefetch_full);
    receive(late[1]); /* it does not wait any more */
    fetch_ends(first[2], UCS_OK);
    receive(first[2]);
    assert_non_null(late[0]->transfer);
    assert_null(late[2]->transfer);
    drop(first[0]);
    assert_null(late[2]->transfer);
    fetch_ends(first[0], UCS_OK);
    assert_non_null(late[2]->transfer);
    assert_int_equal(2, mca_pml_champion.counters.prefetch_served);
}

static void fetches_that_waited_may_end_at_once(void **state)
{
    one_t *first, *late[8];

    first = arrives(0, QUARTER, false, false);
    for (int i = 0; i < 3; ++i) {
        (void) arrives(0, QUARTER, false, false);
    }
    for (int i = 0; i < 8; ++i) {
        late[i] = arrives(1, QUARTER, 0 != i % 2, false);
    }
    ends = FAILS_AT_ONCE; /* each one frees its slot for the next */
    drop(first);
    fetch_ends(first, UCS_OK);
    for (int i = 0; i < 8; ++i) {
        assert_true(late[i]->lost);
    }
    assert_int_equal(8, mca_pml_champion.counters.prefetch_served);
    assert_null(prefetch.first);
}

static void at_the_end_nobody_is_served(void **state)
{
    one_t *first, *late;

    first = arrives(0, QUARTER, false, false);
    for (int i = 0; i < 3; ++i) {
        (void) arrives(0, QUARTER, false, false);
    }
    late = arrives(0, QUARTER, false, false);
    mca_pml_champion.ending = true;
    drop(first);
    fetch_ends(first, UCS_OK);
    assert_null(late->transfer);
    assert_ptr_equal(late->message, &prefetch.first->super);
}

static void a_pool_that_cannot_be_created_is_tried_once(void **state)
{
    map_status = UCS_ERR_NO_MEMORY;
    assert_null(arrives(0, 1000, false, false)->transfer);
    map_status = UCS_OK;
    assert_null(arrives(0, 1000, false, false)->transfer);
    assert_true(slots.refused);
    end(state);
    begin(state);
    mca_pml_champion.params.prefetch_pool = 1; /* less than a slot */
    assert_null(arrives(0, 1000, false, false)->transfer);
    assert_true(slots.refused);
}

static void by_itself_the_pool_is_a_share_of_the_node(void **state)
{
    mca_pml_champion.params.prefetch_pool = MCA_MQ_BASE_SIZE_AUTO;
    assert_non_null(arrives(0, 1000, false, false)->transfer);
    assert_true(slots.length <= POOL_MAX);
    assert_true(slots.length * POOL_SHARE <=
                (uint64_t) sysconf(_SC_PHYS_PAGES) *
                    (uint64_t) sysconf(_SC_PAGESIZE));
    assert_int_equal(slots.length / 2, slots.largest);
}

/* ---- memory ------------------------------------------------------------- */

static void large_ones_get_memory_of_their_own(void **state)
{
    const size_t page = (size_t) sysconf(_SC_PAGESIZE);
    one_t *large = arrives(0, LARGEST + 1, false, false);
    one_t *tagged = arrives(0, BIG, true, false);

    assert_null(slots.memory);
    assert_int_equal(LARGEST + page + BIG, mca_pml_champion_backlog.other);
    fetch_ends(large, UCS_OK);
    receive(large);
    assert_int_equal(BIG, mca_pml_champion_backlog.other);
    receive(tagged);
    assert_int_equal(BIG, mca_pml_champion_backlog.other);
    fetch_ends(tagged, UCS_OK);
    assert_int_equal(0, mca_pml_champion_backlog.other);
    assert_int_equal(LARGEST + page + BIG,
                     mca_pml_champion_prefetch_pool_used_max());
}

static void own_memory_has_a_limit(void **state)
{
    one_t *first = arrives(0, BIG, false, false);
    one_t *second = arrives(0, BIG, false, false);
    one_t *late = arrives(0, BIG, false, false);

    assert_int_equal(OWN, mca_pml_champion_backlog.other);
    assert_non_null(second->transfer);
    assert_null(late->transfer);
    assert_int_equal(1, mca_pml_champion.counters.prefetch_full);
    fetch_ends(first, UCS_OK);
    receive(first);
    assert_non_null(late->transfer);
    assert_int_equal(1, mca_pml_champion.counters.prefetch_served);
}

/* Memory of other unexpected messages. */
static void the_limit_is_for_all_unexpected_messages(void **state)
{
    one_t *remote;

    mca_pml_champion_backlog.other = LIMIT - POOL + 1 - 4096;
    mca_pml_champion_backlog.limit = LIMIT + 4096; /* those here, too */
    assert_null(arrives(0, 1000, false, false)->transfer);
    assert_null(slots.memory);
    assert_null(arrives(0, BIG, false, false)->transfer);
    assert_int_equal(2, mca_pml_champion.counters.prefetch_full);
    mca_pml_champion_backlog.other = 0;
    remote = arrives(0, 1000, false, false);
    assert_non_null(remote->transfer);
    assert_int_equal(POOL, mca_pml_champion_backlog.other);
}

static void the_pool_is_a_quarter_of_the_limit(void **state)
{
    mca_pml_champion_backlog.limit = POOL;
    assert_non_null(arrives(0, POOL / 8, false, false)->message);
    assert_int_equal(POOL / LIMIT_SHARE, slots.length);
    assert_int_equal(POOL / LIMIT_SHARE, mca_pml_champion_backlog.other);
}

static void a_limit_without_room_for_a_pool_has_none(void **state)
{
    mca_pml_champion_backlog.limit = 4 * OPAL_BUDDY_MIN - 1;
    assert_false(mca_pml_champion_prefetch_pool_fits(1000));
    mca_pml_champion_backlog.limit = LIMIT;
    assert_null(arrives(0, 1000, false, false)->transfer);
    assert_int_equal(0, mca_pml_champion.counters.prefetch_full);
}

static void an_idle_pool_is_given_back(void **state)
{
    one_t *remote = arrives(0, 1000, false, false);

    fetch_ends(remote, UCS_OK);
    clock_says += 2 * IDLE_NS;
    looked();
    assert_non_null(slots.memory); /* one waits for its receive */
    receive(remote);
    clock_says += IDLE_NS - 1;
    looked();
    assert_non_null(slots.memory);
    assert_int_equal(0, asked);
    mca_pml_champion_backlog.stopped = 1;
    clock_says += 1;
    looked();
    assert_null(slots.memory);
    assert_int_equal(0, maps);
    assert_int_equal(0, mca_pml_champion_backlog.other);
    assert_int_equal(1, asked);
    mca_pml_champion_backlog.stopped = 0;
    clock_says += IDLE_NS;
    looked();
    /* And made anew. */
    remote = arrives(0, 1000, false, false);
    assert_non_null(remote->transfer);
    assert_int_equal(1, maps);
    assert_int_equal(POOL, mca_pml_champion_backlog.other);
}

static void throttled_senders_hear_of_own_memory(void **state)
{
    one_t *remote = arrives(0, BIG, false, false);

    fetch_ends(remote, UCS_OK);
    mca_pml_champion_backlog.stopped = 1;
    drop(remote);
    assert_int_equal(1, asked);
    mca_pml_champion_backlog.stopped = 0;
}

/* ---- all at random, beside a model -------------------------------------- */

/* The history of a peer, in full. */
typedef struct model_t {
    bool useful[WINDOW]; /* the last ones, newest first */
    unsigned remembered, declined;
} model_t;

static model_t models[PEERS];
static uint64_t expect_soon, expect_declined;

static void model_learns(int peer, bool useful)
{
    model_t *model = &models[peer];

    memmove(model->useful + 1, model->useful,
            (WINDOW - 1) * sizeof(*model->useful));
    model->useful[0] = useful;
    model->remembered += model->remembered < WINDOW;
}

static bool model_promises(model_t *model)
{
    unsigned useful = 0;

    if (model->remembered < WINDOW) {
        return true;
    }
    for (unsigned i = 0; i < WINDOW; ++i) {
        useful += model->useful[i];
    }
    if (2 * useful >= WINDOW) {
        return true;
    }
    if (++model->declined < WINDOW) {
        return false;
    }
    model->declined = 0;
    return true;
}

/* Is a message that arrives now to be prefetched? */
static bool model_wants(int peer, size_t length, bool sync)
{
    if (sync || peers[peer].flow.stopped || length > OWN) {
        return false;
    }
    if (MCA_PML_CHAMPION_AUTO == mca_pml_champion.params.prefetch &&
        peers[peer].prefetch.wait <= cost) {
        ++expect_soon;
        return false;
    }
    if (!model_promises(&models[peer])) {
        ++expect_declined;
        return false;
    }
    return true;
}

static one_t *any_remote(bool (*is)(const one_t *remote))
{
    const uint32_t from = pml_random_below(MESSAGES);

    for (uint32_t i = 0; i < MESSAGES; ++i) {
        one_t *remote = &remotes[(from + i) % MESSAGES];

        if (remote->there && is(remote)) {
            return remote;
        }
    }
    return NULL;
}

static bool is_queued(const one_t *remote)
{
    return NULL != remote->message;
}

static bool is_under_way(const one_t *remote)
{
    return NULL != remote->transfer;
}

static bool has_slot(const one_t *remote)
{
    return NULL != remote->slot;
}

/* Slots do not overlap, and none is lost. */
static void check_slots(void)
{
    size_t used = 0, own = 0;

    for (const one_t *one = remotes; one < remotes + MESSAGES; ++one) {
        if (!one->there || !has_slot(one)) {
            continue;
        }
        if (one->length <= LARGEST) {
            used += opal_buddy_rounded(one->length);
        } else {
            own += own_length(one->length);
        }
        for (const one_t *other = remotes; other < one; ++other) {
            assert_true(
                !other->there || !has_slot(other) ||
                (char *) other->slot + other->length <= (char *) one->slot ||
                (char *) one->slot + one->length <= (char *) other->slot);
        }
    }
    assert_int_equal(used, slots.buddy.used);
    assert_int_equal(own, slots.own);
    assert_true(own <= OWN);
    assert_int_equal(own + (NULL == slots.memory ? 0 : POOL),
                     mca_pml_champion_backlog.other);
}

/* A message waits only if there is no room for it; checked after a slot was
 * returned. */
static void check_waiting(bool given_back)
{
    unsigned waiting = 0;

    for (mca_pml_champion_remote_message_t *late = prefetch.first; NULL != late;
         late = late->list.next) {
        assert_true(late->waits);
        ++waiting;
    }
    for (const one_t *one = remotes; one < remotes + MESSAGES; ++one) {
        waiting -= one->there && NULL != one->message &&
                   ((mca_pml_champion_remote_message_t *) one->message)->waits;
    }
    assert_int_equal(0, waiting);
    if (given_back && NULL != prefetch.first) {
        assert_null(
            mca_pml_champion_prefetch_pool_get(prefetch.first->super.length));
    }
}

static size_t any_length(void)
{
    return 1 + (pml_random_percent(20)
                    ? pml_random_below(BIG)
                    : pml_random_below(1 << (10 + pml_random_below(9))));
}

static void act_arrive(void)
{
    const int peer = (int) pml_random_below(PEERS);
    const size_t length = any_length();
    const bool tagged = pml_random_percent(40), sync = pml_random_percent(20);
    const uint64_t full = mca_pml_champion.counters.prefetch_full;
    one_t *remote;
    bool wanted;

    ends = pml_random_percent(80) ? LATER : AT_ONCE;
    ends = pml_random_percent(95) ? ends : FAILS_AT_ONCE;
    wanted = model_wants(peer, length, tagged && sync);
    remote = arrives(peer, length, tagged, sync);
    assert_int_equal(wanted,
                     remote->was_prefetched +
                         (mca_pml_champion.counters.prefetch_full - full));
    if (remote->was_prefetched && AT_ONCE == ends) {
        model_learns(peer, true);
    }
    ends = LATER;
}

static void act_end(one_t *remote)
{
    const ucs_status_t status =
        pml_random_percent(90) ? UCS_OK : UCS_ERR_IO_ERROR;

    if (UCS_OK == status && NULL != remote->message) {
        model_learns(remote->peer, true);
    }
    fetch_ends(remote, status);
}

static void act_receive(one_t *remote)
{
    if (is_under_way(remote)) {
        model_learns(remote->peer, false);
    }
    receive_into(remote, pml_random_percent(90)
                             ? remote->length + pml_random_below(100)
                             : 1 + pml_random_below((uint32_t) remote->length));
}

static unsigned room_left(void)
{
    unsigned room = 0;

    for (int i = 0; i < MESSAGES; ++i) {
        room += !remotes[i].there;
    }
    return room;
}

static void act(void)
{
    const size_t used = slots.buddy.used + slots.own;
    const uint64_t served = mca_pml_champion.counters.prefetch_served;
    const uint32_t what = pml_random_below(100);
    one_t *remote;

    clock_says += pml_random_below(2000);
    if (NULL != looks && pml_random_percent(1)) {
        clock_says += IDLE_NS;
        looked();
    }
    if (what < 40) {
        if (room_left() > 0) {
            act_arrive();
        }
    } else if (what < 65) {
        remote = any_remote(is_under_way);
        if (NULL != remote) {
            act_end(remote);
        }
    } else if (what < 95) {
        remote = any_remote(is_queued);
        if (NULL != remote && what < 90) {
            act_receive(remote);
        } else if (NULL != remote) {
            drop(remote);
        }
    } else {
        peers[pml_random_below(PEERS)].flow.stopped = pml_random_percent(20);
    }
    check_slots();
    check_waiting(slots.buddy.used + slots.own < used ||
                  mca_pml_champion.counters.prefetch_served != served);
}

static void check_peers(void)
{
    for (int i = 0; i < PEERS; ++i) {
        assert_int_equal(models[i].remembered, peers[i].prefetch.useful.known);
        for (unsigned k = 0; k < models[i].remembered; ++k) {
            assert_int_equal(models[i].useful[k],
                             peers[i].prefetch.useful.bits >> k & 1);
        }
    }
    assert_int_equal(expect_soon, mca_pml_champion.counters.prefetch_unneeded);
    assert_int_equal(expect_declined,
                     mca_pml_champion.counters.prefetch_declined);
}

static void no_slot_is_lost_whatever_happens(void **state)
{
    mca_pml_champion_counters_t sum;

    memset(&sum, 0, sizeof(sum));
    for (int round = 0; round < 60; ++round) {
        end(state);
        open_prefetch(0 == round % 2 ? MCA_PML_CHAMPION_ON
                                     : MCA_PML_CHAMPION_AUTO);
        memset(models, 0, sizeof(models));
        expect_soon = expect_declined = 0;
        cost = pml_random_below(10000);
        for (int i = 0; i < 600; ++i) {
            act();
            check_peers();
        }
        sum.prefetched += mca_pml_champion.counters.prefetched;
        sum.prefetch_served += mca_pml_champion.counters.prefetch_served;
        sum.prefetch_declined += expect_declined;
        sum.prefetch_unneeded += expect_soon;
    }
    /* Otherwise the test has checked nothing. */
    assert_true(sum.prefetched > 1000);
    assert_true(sum.prefetch_served > 100);
    assert_true(sum.prefetch_declined > 100);
    assert_true(sum.prefetch_unneeded > 100);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_receive_after_the_fetch_copies),
        TEST(a_receive_during_the_fetch_waits_for_it),
        TEST(a_receive_that_is_too_small_is_told),
        TEST(a_fetch_that_fails_fails_the_receive),
        TEST(a_dropped_message_gives_its_slot_back),
        TEST(a_synchronous_send_hears_of_its_match),
        TEST(some_are_left_where_they_are),
        TEST(the_first_one_may_be_too_large),
        TEST(off_is_off),
        TEST(by_itself_those_of_late_receivers),
        TEST(messages_of_the_node_only_on_a_free_core),
        TEST(a_row_of_messages_is_not_late),
        TEST(a_peer_without_gain_is_tried_now_and_then),
        TEST(a_message_without_a_slot_is_fetched_later),
        TEST(fetches_that_waited_may_end_at_once),
        TEST(at_the_end_nobody_is_served),
        TEST(a_pool_that_cannot_be_created_is_tried_once),
        TEST(by_itself_the_pool_is_a_share_of_the_node),
        TEST(large_ones_get_memory_of_their_own),
        TEST(own_memory_has_a_limit),
        TEST(the_limit_is_for_all_unexpected_messages),
        TEST(the_pool_is_a_quarter_of_the_limit),
        TEST(a_limit_without_room_for_a_pool_has_none),
        TEST(an_idle_pool_is_given_back),
        TEST(throttled_senders_hear_of_own_memory),
        TEST(no_slot_is_lost_whatever_happens),
    };

    pml_random_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
