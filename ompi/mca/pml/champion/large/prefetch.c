/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/large/prefetch.h"

#include "ompi/mca/pml/champion/offload/transfer.h"
#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/core/estimate.h"
#include "ompi/mca/pml/champion/core/events.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/large/prefetch_pool.h"
#include "ompi/mca/pml/champion/large/thread_trigger.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/core/wake.h"

typedef mca_pml_champion_remote_message_t remote_t;

static struct {
    uint64_t fetching;      /* fetches in flight */
    remote_t *first, *last; /* messages waiting for a slot, oldest first */
    bool serving;           /* slot_free is handing out slots */
} prefetch;

/* ---- the rule ----------------------------------------------------------- */

/* How long the transfer would have taken had it begun with the receive: as long
 * as it was under way by now, or what the model says if the program computed and
 * saw its end late. */
static void count_saved(const remote_t *remote)
{
    const mca_pml_champion_message_t *message = &remote->super;
    const uint64_t passed = mca_pml_champion_now() - remote->begun;
    const uint64_t cost =
        mca_pml_champion_transfer_cost(message->peer, message->length);

    mca_pml_champion.counters.prefetch_saved += passed < cost ? passed : cost;
}

/* Recent prefetches of a peer that decide about the next one: the bits of its
 * history. */
enum { WINDOW = 16 };

/* Record whether a prefetch completed before its receive was posted. */
static void learn(const remote_t *remote, bool useful)
{
    mca_pml_champion_peer_t *peer = remote->super.peer;

    mca_pml_champion_history_add(&peer->prefetch.useful, WINDOW, useful);
    count_saved(remote);
    if (useful) {
        ++mca_pml_champion.counters.prefetch_useful;
    } else {
        ++mca_pml_champion.counters.prefetch_late;
        mca_pml_champion_event_of_peer(MCA_PML_CHAMPION_EVENT_PREFETCH_LATE,
                                       &peer->name, remote->super.length);
    }
}

/* Do a peer's recent prefetches justify another one? Once per window it is
 * tried anyway, or a peer could never recover. */
static bool is_promising(mca_pml_champion_peer_t *peer)
{
    if (peer->prefetch.useful.known < WINDOW ||
        2 * mca_pml_champion_history_count(&peer->prefetch.useful) >= WINDOW) {
        return true;
    }
    if (++peer->prefetch.declined >= WINDOW) {
        peer->prefetch.declined = 0;
        return true;
    }
    return false;
}

/* Do a peer's messages wait for their receives longer than their transfer
 * takes? Where cores are shared all that comes from this node does, and what is
 * fetched early is copied once more. */
static bool is_worth_it(const mca_pml_champion_message_t *message)
{
    const mca_pml_champion_peer_t *peer = message->peer;

    if (MCA_PML_CHAMPION_READABLE == message->kind &&
        MCA_PML_CHAMPION_ON != mca_pml_champion.params.prefetch &&
        !__atomic_load_n(&mca_pml_champion.core_free, __ATOMIC_RELAXED)) {
        return false;
    }
    return MCA_PML_CHAMPION_ON == mca_pml_champion.params.prefetch ||
           peer->prefetch.wait >
               mca_pml_champion_transfer_cost(peer, message->length);
}

/* Should a message be prefetched, if there is room? Counts the reason if not.
 * Messages of a sender that was told to stop are not: a prefetch completes the
 * send, and that sender's next messages would fill the pool as well. */
static bool is_wanted(const mca_pml_champion_message_t *message)
{
    mca_pml_champion_counters_t *counters = &mca_pml_champion.counters;

    if (message->sync || message->peer->flow.stopped ||
        !mca_pml_champion_prefetch_pool_fits(message->length)) {
        return false;
    }
    if (!is_worth_it(message)) {
        ++counters->prefetch_unneeded;
        return false;
    }
    if (!is_promising(message->peer)) {
        ++counters->prefetch_declined;
        return false;
    }
    return true;
}

/* ---- slots -------------------------------------------------------------- */

static void waiting_add(remote_t *remote)
{
    remote->waits = true;
    remote->list.next = NULL;
    remote->list.previous = prefetch.last;
    if (NULL != prefetch.last) {
        prefetch.last->list.next = remote;
    } else {
        prefetch.first = remote;
    }
    prefetch.last = remote;
}

static void waiting_leave(remote_t *remote)
{
    if (!remote->waits) {
        return;
    }
    remote->waits = false;
    if (NULL != remote->list.previous) {
        remote->list.previous->list.next = remote->list.next;
    } else {
        prefetch.first = remote->list.next;
    }
    if (NULL != remote->list.next) {
        remote->list.next->list.previous = remote->list.previous;
    } else {
        prefetch.last = remote->list.previous;
    }
}

static void fetch(remote_t *remote, void *slot);

/* Free a slot and hand out free slots to the messages that have waited longest;
 * not during MPI_Finalize, when nobody will receive them. */
static void slot_free(void *slot, size_t length)
{
    mca_pml_champion_prefetch_pool_put(slot, length);
    if (prefetch.serving || mca_pml_champion.ending) {
        return;
    }
    prefetch.serving = true;
    while (NULL != prefetch.first) {
        remote_t *remote = prefetch.first;

        slot = mca_pml_champion_prefetch_pool_get(remote->super.length);
        if (NULL == slot) {
            break;
        }
        waiting_leave(remote);
        ++mca_pml_champion.counters.prefetch_served;
        fetch(remote, slot);
    }
    prefetch.serving = false;
}

/* ---- fetching ----------------------------------------------------------- */

/* Complete the receive that was matched during the fetch. Its status has been
 * filled in; only the data were missing. */
static void awaited_end(mca_pml_champion_message_t *message, bool arrived)
{
    mca_pml_champion_recv_t *recv = message->entry.link[0];

    if (OPAL_LIKELY(arrived)) {
        mca_pml_champion_unpack(recv, message->payload, message->length);
    } else {
        mca_pml_champion_recv_fail(recv, MPI_ERR_OTHER);
    }
    mca_pml_champion_recv_complete(recv);
    mca_pml_champion_message_free(message);
}

static void fetched(mca_pml_champion_transfer_t *transfer, ucs_status_t status)
{
    remote_t *remote =
        (void *) ((char *) transfer - offsetof(remote_t, transfer));
    mca_pml_champion_message_t *message = &remote->super;
    void *slot = message->payload;
    const size_t length = message->length;

    --prefetch.fetching;
    if (MCA_PML_CHAMPION_FETCHING == message->kind) {
        if (OPAL_LIKELY(UCS_OK == status)) {
            message->kind = MCA_PML_CHAMPION_PREFETCHED;
            learn(remote, true);
            return;
        }
        message->kind = MCA_PML_CHAMPION_LOST;
    } else if (MCA_PML_CHAMPION_AWAITED == message->kind) {
        awaited_end(message, UCS_OK == status);
    } else {
        mca_pml_champion_message_free(message);
    }
    slot_free(slot, length);
}

static void fetch(remote_t *remote, void *slot)
{
    mca_pml_champion_message_t *message = &remote->super;
    const bool tagged = MCA_PML_CHAMPION_TAGGED == message->kind;
    const bool readable = MCA_PML_CHAMPION_READABLE == message->kind;
    const mca_pml_champion_source_t source = {
        .peer = message->peer,
        .descriptor = tagged || readable ? NULL : message->payload,
        .address = readable ? (uintptr_t) message->payload : 0,
        .tag = message->token,
        .length = message->length,
        .sequence = message->sequence,
    };
    ucp_request_param_t param = {.op_attr_mask = 0};

    MCA_PML_CHAMPION_LOCKED();
    if (mca_pml_champion_prefetch_pool_handle(slot, &param.memh) && !tagged) {
        param.op_attr_mask = UCP_OP_ATTR_FIELD_MEMH;
    }
    ++mca_pml_champion.counters.prefetched;
    ++message->peer->prefetch.total;
    ++prefetch.fetching;
    message->payload = slot;
    message->kind = MCA_PML_CHAMPION_FETCHING;
    if (tagged) {
        message->token = 0; /* of other kinds of messages, a token requests an
                               ACK */
    }
    remote->begun = mca_pml_champion_now();
    remote->transfer.on_end = fetched;
    mca_pml_champion_cost_model_prefetches();
    if (NULL != mca_pml_champion_transfer_begin(&remote->transfer, &source,
                                                slot, source.length, &param)) {
        mca_pml_champion_wake_tell();
    }
    mca_pml_champion_thread_trigger_fetching(source.peer, source.length);
}

/* A clock that stands still while the program receives other messages: what
 * waits then waits for its turn on the link. */
static uint64_t idle_clock(void)
{
    const uint64_t now = mca_pml_champion_now();

    return now - mca_pml_champion_cost_model_receiving(now);
}

/* A message is about to be queued as unexpected, its data still at the sender:
 * fetch them if that is worth it. */
static void queued(remote_t *remote)
{
    mca_pml_champion_message_t *message = &remote->super;
    void *slot;

    remote->since = idle_clock();
    if (!is_wanted(message)) {
        return;
    }
    slot = mca_pml_champion_prefetch_pool_get(message->length);
    if (NULL != slot) {
        fetch(remote, slot);
    } else if (mca_pml_champion_prefetch_pool_fits(message->length)) {
        ++mca_pml_champion.counters.prefetch_full;
        waiting_add(remote);
    }
}

/* ---- matching and dropping ---------------------------------------------- */

/* A message was matched or dropped: update the peer's average waiting time. */
static void dequeued(remote_t *remote)
{
    mca_pml_champion_peer_t *peer = remote->super.peer;

    if (0 != remote->since) {
        peer->prefetch.wait = mca_pml_champion_mean(
            peer->prefetch.wait, idle_clock() - remote->since);
        remote->since = 0;
    }
    waiting_leave(remote);
}

/* A message was matched while FETCHING: the end of the fetch completes its
 * receive. */
static void fetching_deliver(mca_pml_champion_arrival_t *arrival,
                             mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_message_t *message = arrival->message;

    learn((remote_t *) message, false);
    message->kind = MCA_PML_CHAMPION_AWAITED;
    message->entry.link[0] = recv;
    arrival->kept = true;
    arrival->message = NULL;
}

static void fetching_drop(mca_pml_champion_arrival_t *arrival)
{
    arrival->message->kind = MCA_PML_CHAMPION_ABANDONED;
    arrival->message = NULL;
}

/* The data have been copied, or the message is purged with its communicator. */
static void prefetched_drop(mca_pml_champion_arrival_t *arrival)
{
    slot_free((void *) (uintptr_t) arrival->payload, arrival->length);
}

static bool prefetch_register(void)
{
    mca_pml_champion_params_t *params = &mca_pml_champion.params;
    bool good;

    params->prefetch = MCA_PML_CHAMPION_AUTO;
    params->prefetch_pool = MCA_MQ_BASE_SIZE_AUTO;
    good =
        OMPI_SUCCESS ==
        mca_mq_base_param_enum(
            mca_pml_champion.component, "prefetch",
            "Fetch the data of unexpected rendezvous messages into a "
            "registered memory pool, so that late receives do not hold up "
            "their senders. auto: from peers whose messages wait for their "
            "receive longer than their transfer takes",
            OPAL_INFO_LVL_4, mca_pml_champion_switch_words, &params->prefetch);
    good &= mca_pml_champion_param_auto_size(
        "prefetch_pool",
        "Size, in bytes, of each process's pool for prefetched messages: at "
        "most a quarter of pml_champion_unexpected_limit, towards which it "
        "counts. Rounded down to a power of two; allocated when needed, and "
        "given back when it was not used for 5 s. Messages larger than half "
        "of the pool get memory of their own, together at most a quarter of "
        "that limit. auto: 64 MiB, or 1 % of the node's memory divided by the "
        "number of its processes if that is less",
        OPAL_INFO_LVL_9, (size_t) 64 << 10, (size_t) 32 << 30,
        &params->prefetch_pool);
    return good;
}

int mca_pml_champion_prefetch_open(void)
{
    mca_pml_champion_payload_ops_t *payloads = mca_pml_champion_payloads;

    if (MCA_PML_CHAMPION_OFF == mca_pml_champion.params.prefetch) {
        return OMPI_SUCCESS;
    }
    mca_pml_champion_cost_models.on = true;
    payloads[MCA_PML_CHAMPION_RENDEZVOUS].queued = queued;
    payloads[MCA_PML_CHAMPION_RENDEZVOUS].dequeued = dequeued;
    payloads[MCA_PML_CHAMPION_READABLE].queued = queued;
    payloads[MCA_PML_CHAMPION_READABLE].dequeued = dequeued;
    payloads[MCA_PML_CHAMPION_TAGGED].queued = queued;
    payloads[MCA_PML_CHAMPION_TAGGED].dequeued = dequeued;
    payloads[MCA_PML_CHAMPION_FETCHING] = (mca_pml_champion_payload_ops_t){
        .deliver = fetching_deliver,
        .drop = fetching_drop,
        .dequeued = dequeued,
    };
    payloads[MCA_PML_CHAMPION_PREFETCHED] = (mca_pml_champion_payload_ops_t){
        .drop = prefetched_drop,
        .dequeued = dequeued,
    };
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(prefetch) = {
    .name = "prefetch",
    .registers = prefetch_register,
    .open = mca_pml_champion_prefetch_open,
    .close = mca_pml_champion_prefetch_pool_fini,
};

bool mca_pml_champion_prefetch_is_busy(void)
{
    return 0 != prefetch.fetching;
}
