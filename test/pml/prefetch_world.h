/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process that prefetches messages of simulated senders: for test_prefetch and
 * test_prefetch_random. Fetches end when the test says so. At the end of a test
 * nothing may be left.
 */

#ifndef TEST_PML_PREFETCH_WORLD_H
#define TEST_PML_PREFETCH_WORLD_H

/* Included for the slots and the messages that wait for one. */
#include "ompi/mca/pml/champion/large/prefetch.c"
#include "ompi/mca/pml/champion/large/prefetch_pool.c"

#include "pml_random.h"
#include "pml_world.h"

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

mca_pml_champion_backlog_t mca_pml_champion_backlog;
mca_pml_champion_cost_models_t mca_pml_champion_cost_models;

static one_t remotes[MESSAGES];
static mca_pml_champion_peer_t peers[PEERS];
static uint64_t cost;
static uint64_t receiving; /* ns in which other messages were received */
static unsigned acks, releases, announced, maps, asked, prefetches;
static ucs_status_t map_status;
/* How fetches end that complete within the call. */
static enum { LATER, AT_ONCE, FAILS_AT_ONCE } ends;

static inline one_t *remote_of(const mca_pml_champion_source_t *source)
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

static inline void end_fetch(one_t *remote, ucs_status_t status)
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
    transfer->on_end(transfer, status);
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

uint64_t mca_pml_champion_transfer_cost(const mca_pml_champion_peer_t *peer,
                                        size_t bytes)
{
    assert_non_null(peer);
    assert_true(bytes > 0);
    return cost;
}

uint64_t mca_pml_champion_cost_model_receiving(uint64_t now)
{
    assert_int_equal(pml_world.now, now);
    return receiving;
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

/* To release those that were throttled. */
void mca_pml_champion_backlog_ask(void)
{
    assert_true(mca_pml_champion_backlog.stopped > 0);
    ++asked;
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
static inline void read_remote(mca_pml_champion_arrival_t *arrival,
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

static inline one_t *arrives(int peer, size_t length, bool tagged, bool sync)
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
static inline void check_received(one_t *remote)
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

static inline void receive_into(one_t *remote, size_t capacity)
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

static inline void receive(one_t *remote)
{
    receive_into(remote, remote->length);
}

/* End the fetch of a message, which may be matched by now. */
static inline void fetch_ends(one_t *remote, ucs_status_t status)
{
    end_fetch(remote, status);
    if (remote->matched) {
        check_received(remote);
    }
}

static inline void drop(one_t *remote)
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

static inline void open_prefetch(int mode)
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
        mca_pml_champion_payloads[kind].dequeued = NULL;
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

static inline int begin(void **state)
{
    pml_world.now = 1000;
    open_prefetch(MCA_PML_CHAMPION_ON);
    return 0;
}

/* What is left is dropped, and everything comes back. */
static inline void close_prefetch(void)
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
    assert_null(pml_world.look);
    opal_size_pool_fini(&mca_pml_champion.pool);
}

static inline int end(void **state)
{
    close_prefetch();
    return 0;
}

#define TEST(name) UNIT_TEST_WITH(name, begin, end)

#endif /* TEST_PML_PREFETCH_WORLD_H */
