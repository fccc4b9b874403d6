/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages come out of rings.
 */

#include "ompi/mca/pml/champion/ring/ring_recv.h"

#include <errno.h>
#include <string.h>

#include "ompi/mca/pml/champion/match/reorder.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/match/test_delay.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/offload_hooks.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/ring/ring_in.h"
#include "ompi/mca/pml/champion/ring/ring_send.h"

/* Records that are taken from one ring before it is the next one's turn. */
enum { AT_ONCE = 16 };

static void broken(const mca_pml_champion_ring_in_t *in)
{
    mca_pml_champion_abort(MPI_ERR_INTERN,
                           "the memory shared with %s is corrupted",
                           OPAL_NAME_PRINT(in->peer->name));
}

/* Is there such a rank in the communicator? */
static inline bool source_exists(const mca_pml_champion_comm_t *comm,
                                 int source)
{
    return (uint32_t) source < comm->sources;
}

/* What becomes of a record. */
typedef enum {
    IMPOSSIBLE, /* it cannot be */
    TAKEN,
    TAKEN_EARLY /* and it is UCX's turn */
} outcome_t;

/* What comes before a message has gone by UCP if it is not there: look there
 * next. A sender has filled UCX's queues before it was granted a ring, while
 * this process did not look, and the more is taken from the ring meanwhile the
 * more has to be kept. */
static inline outcome_t taken_early(void)
{
    mca_pml_champion_rings.busy = 1;
    return TAKEN_EARLY;
}

/* The slow path: a peer that offload counts for, a message that is not next in
 * its pair, or whose communicator is not there. */
static __attribute__((noinline)) outcome_t arrive_slow(
    mca_pml_champion_arrival_t *arrival)
{
    const bool early = arrival->sequence != arrival->peer->recv_sequence;

    if (NULL != arrival->comm &&
        !source_exists(arrival->comm, arrival->envelope.source)) {
        return IMPOSSIBLE;
    }
    mca_pml_champion_arrival_eager(arrival);
    mca_pml_champion_reorder_arrive(arrival);
    return early ? taken_early() : TAKEN;
}

/* Everything waits in a network that is late on purpose. */
static outcome_t arrive_late(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_message_t *message;

    mca_pml_champion_arrival_eager(arrival);
    message = mca_pml_champion_message_new(arrival);
    if (NULL != message) {
        mca_pml_champion_test_delay_add(message);
    }
    return NULL != arrival->peer->reorder.first ? taken_early() : TAKEN;
}

/* The message found a receive that offload has to do with. */
static void match_offload(mca_pml_champion_arrival_t *arrival,
                          mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_arrival_eager(arrival);
    mca_pml_champion_offload_hooks.matched(arrival, recv);
}

/* One message. offload and late are constants. */
static inline __attribute__((always_inline)) outcome_t receive(
    mca_pml_champion_peer_t *peer, const mca_pml_champion_ring_slot_t *slot,
    const void *payload, size_t length, bool offload, bool late)
{
    mca_pml_champion_arrival_t arrival;
    mca_pml_champion_recv_t *recv;

    mca_pml_champion_arrival_address(&arrival, slot->word);
    arrival.peer = peer;
    arrival.payload = payload;
    arrival.length = length;
    arrival.comm = mca_pml_champion_comm_find(arrival.envelope.context);
    if (late) {
        return arrive_late(&arrival);
    }
    if (OPAL_UNLIKELY(NULL == arrival.comm ||
                      arrival.sequence != peer->recv_sequence ||
                      NULL != peer->reorder.first ||
                      !source_exists(arrival.comm, arrival.envelope.source) ||
                      (offload && NULL != peer->offload.inflows))) {
        return arrive_slow(&arrival);
    }
    ++peer->recv_sequence;
    recv = (mca_pml_champion_recv_t *) mca_mq_base_arrive(
        arrival.comm->domain, &arrival.envelope,
        mca_pml_champion_arrival_entry_eager, &arrival);
    if (offload && NULL != recv && 0 != recv->offload.flags) {
        match_offload(&arrival, recv);
    } else if (OPAL_LIKELY(NULL != recv)) {
        mca_pml_champion_deliver_eager(recv, &arrival.envelope, payload,
                                       length);
    }
    return TAKEN;
}

/* A piece, and where it is. */
typedef struct frag_t {
    mca_pml_champion_ring_frag_t super;
    const unsigned char *data;
} frag_t;

/* False: it cannot be. */
static bool frag_find(const mca_pml_champion_peer_t *peer,
                      const mca_pml_champion_ring_record_t *record,
                      frag_t *frag)
{
    if (record->length < sizeof(frag->super)) {
        return false;
    }
    memcpy(&frag->super, record->slot->data, sizeof(frag->super));
    if (MCA_PML_CHAMPION_RING_NO_FRAGMENT == frag->super.fragment) {
        frag->data = record->slot->data + sizeof(frag->super);
        return frag->super.bytes == record->length - sizeof(frag->super);
    }
    if (NULL == peer->ring.fragments ||
        frag->super.fragment >= peer->ring.num_fragments ||
        frag->super.bytes > MCA_PML_CHAMPION_RING_FRAGMENT) {
        return false;
    }
    frag->data = peer->ring.fragments->fragment[frag->super.fragment];
    ++mca_pml_champion.counters.ring_fragments;
    return true;
}

static mca_mq_entry_t *no_entry(void *arg)
{
    (void) arg;
    return NULL;
}

/* The receive of a message of which only the first piece has come, if it is
 * posted. */
static mca_pml_champion_recv_t *partial_match(
    mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_peer_t *peer = arrival->peer;
    mca_pml_champion_recv_t *recv;

    if (NULL == arrival->comm || arrival->sequence != peer->recv_sequence ||
        NULL != peer->reorder.first || NULL != peer->offload.inflows) {
        return NULL;
    }
    recv = (mca_pml_champion_recv_t *) mca_mq_base_arrive(
        arrival->comm->domain, &arrival->envelope, no_entry, arrival);
    if (NULL != recv) {
        ++peer->recv_sequence;
    }
    return recv;
}

/* Who sends what to whom. False: it cannot be. */
static bool arrival_open(mca_pml_champion_arrival_t *arrival,
                         mca_pml_champion_peer_t *peer,
                         const mca_pml_champion_ring_slot_t *slot)
{
    mca_pml_champion_arrival_address(arrival, slot->word);
    arrival->peer = peer;
    arrival->comm = mca_pml_champion_comm_find(arrival->envelope.context);
    return NULL == arrival->comm ||
           source_exists(arrival->comm, arrival->envelope.source);
}

/* A message begins. False: it cannot be. */
static bool partial_begin(mca_pml_champion_ring_partial_t *partial,
                          mca_pml_champion_arrival_t *arrival, bool at_once)
{

    if (arrival->length > MCA_PML_CHAMPION_RING_MESSAGE_MAX) {
        return false;
    }
    *partial = (mca_pml_champion_ring_partial_t){.total = arrival->length};
    if (at_once) {
        partial->recv = partial_match(arrival);
    }
    if (NULL != partial->recv) {
        mca_pml_champion_fragments_begin(partial->recv, &arrival->envelope,
                                         arrival->length);
        return true;
    }
    if (arrival->sequence != arrival->peer->recv_sequence) {
        (void) taken_early();
    }
    mca_pml_champion_arrival_eager(arrival);
    partial->message = mca_pml_champion_message_new(arrival);
    return NULL != partial->message;
}

/* All of a message has come. */
static void partial_end(mca_pml_champion_ring_partial_t *partial, bool late)
{
    partial->total = 0;
    if (NULL == partial->recv) {
        if (late) {
            mca_pml_champion_test_delay_add(partial->message);
        } else {
            mca_pml_champion_reorder_message(partial->message);
        }
        return;
    }
    mca_pml_champion_fragments_end(partial->recv);
}

/* A piece of a message that has begun. False: it cannot be. */
static bool partial_add(mca_pml_champion_ring_partial_t *partial,
                        const frag_t *frag, bool late)
{
    size_t bytes = frag->super.bytes;

    if (0 == bytes || bytes > partial->total - partial->done) {
        return false;
    }
    if (NULL != partial->recv) {
        mca_pml_champion_fragments_add(partial->recv, partial->done, frag->data,
                                       bytes);
    } else {
        memcpy(partial->message->copy + partial->done, frag->data, bytes);
    }
    partial->done += bytes;
    if (partial->done == partial->total) {
        partial_end(partial, late);
    }
    return true;
}

/* All of a message in one piece, or a piece of it. False: it cannot be. */
static bool receive_frag(mca_pml_champion_ring_in_t *in,
                         const mca_pml_champion_ring_record_t *record,
                         bool offload, bool late)
{
    bool first = MCA_PML_CHAMPION_RING_FIRST == record->kind;
    frag_t frag;
    mca_pml_champion_arrival_t arrival;

    if (!frag_find(in->peer, record, &frag) ||
        first != (0 == in->partial.total)) {
        return false;
    }
    if (first) {
        arrival.payload = NULL;
        arrival.length = frag.super.total;
        if (!arrival_open(&arrival, in->peer, record->slot)) {
            return false;
        }
        if (frag.super.bytes == frag.super.total) {
            arrival.payload = frag.data;
            return IMPOSSIBLE !=
                   (late ? arrive_late(&arrival) : arrive_slow(&arrival));
        }
        if (!partial_begin(&in->partial, &arrival, !offload && !late)) {
            return false;
        }
    }
    return partial_add(&in->partial, &frag, late);
}

/* Read what was lent to where it belongs. */
static bool rget_read(const mca_pml_champion_ring_partial_t *partial,
                      int32_t pid, uint64_t address)
{
    mca_pml_champion_recv_t *recv = partial->recv;
    unsigned char frag[MCA_PML_CHAMPION_RING_FRAGMENT];
    size_t length = partial->total;

    if (NULL == recv) {
        return mca_pml_champion_ring_read(pid, address, partial->message->copy,
                                          length);
    }
    if (length > recv->capacity) {
        length = recv->capacity;
    }
    if (recv->contiguous) {
        return mca_pml_champion_ring_read(pid, address, recv->data, length);
    }
    for (size_t at = 0, part; at < length; at += part) {
        part = length - at < sizeof(frag) ? length - at : sizeof(frag);
        if (!mca_pml_champion_ring_read(pid, address + at, frag, part)) {
            return false;
        }
        mca_pml_champion_fragments_add(recv, at, frag, part);
    }
    return true;
}

/* The sender's memory is such that nobody else can read it: a device's, say.
 * The receive says so. */
static void rget_lost(const mca_pml_champion_ring_partial_t *partial,
                      const mca_pml_champion_peer_t *peer)
{
    opal_output(0, "champion: %zu bytes of %s cannot be read: %s",
                (size_t) partial->total, OPAL_NAME_PRINT(peer->name),
                strerror(errno));
    if (NULL != partial->recv) {
        mca_pml_champion_recv_fail(partial->recv, MPI_ERR_OTHER);
    } else {
        partial->message->kind = MCA_PML_CHAMPION_LOST;
    }
}

/* A message that is at its sender. False: it cannot be. */
static bool receive_rget(mca_pml_champion_ring_in_t *in,
                         const mca_pml_champion_ring_record_t *record,
                         bool offload, bool late)
{
    mca_pml_champion_peer_t *peer = in->peer;
    mca_pml_champion_ring_rget_t rget;
    mca_pml_champion_arrival_t arrival;

    if (sizeof(rget) != record->length || 0 != in->partial.total ||
        !peer->ring.can_be_read) {
        return false;
    }
    memcpy(&rget, record->slot->data, sizeof(rget));
    arrival.payload = NULL;
    arrival.length = rget.length;
    if (0 == rget.length || !arrival_open(&arrival, peer, record->slot) ||
        !partial_begin(&in->partial, &arrival, !offload && !late)) {
        return false;
    }
    if (!rget_read(&in->partial, peer->ring.pid, rget.address)) {
        rget_lost(&in->partial, peer);
    }
    ++mca_pml_champion.counters.ring_rget;
    mca_pml_champion_ring_fin(peer, arrival.sequence);
    partial_end(&in->partial, late);
    return true;
}

/* This process's own message has been read. False: there was none. */
static bool receive_fin(const mca_pml_champion_ring_in_t *in,
                        const mca_pml_champion_ring_record_t *record)
{
    return mca_pml_champion_ring_fin_came(in->peer->out,
                                          (uint32_t) record->slot->word[0]);
}

/* What is no message in the slots. Returns false at the end of the ring, and if
 * it cannot be. */
static __attribute__((noinline)) bool receive_other(
    mca_pml_champion_ring_in_t *in, bool offload, bool late)
{
    mca_pml_champion_ring_record_t record;
    bool good = mca_pml_champion_ring_look(&in->reader, &record);
    bool message = false;

    if (good && MCA_PML_CHAMPION_RING_END == record.kind &&
        0 == in->partial.total) {
        mca_pml_champion_ring_in_end(in);
        return false;
    }
    switch (record.kind) {
    case MCA_PML_CHAMPION_RING_FIRST:
        message = true;
        /* fall through */
    case MCA_PML_CHAMPION_RING_MORE:
        good = good && receive_frag(in, &record, offload, late);
        break;
    case MCA_PML_CHAMPION_RING_RGET:
        message = true;
        good = good && receive_rget(in, &record, offload, late);
        break;
    case MCA_PML_CHAMPION_RING_FIN:
        good = good && receive_fin(in, &record);
        break;
    default:
        good = good && MCA_PML_CHAMPION_RING_PAD == record.kind;
        break;
    }
    if (!good) {
        broken(in);
        return false;
    }
    mca_pml_champion.counters.ring_messages -= !message;
    mca_pml_champion_ring_advance(&in->reader, record.slots);
    if (MCA_PML_CHAMPION_RING_FIRST == record.kind ||
        MCA_PML_CHAMPION_RING_MORE == record.kind) {
        /* A fragment is free. */
        mca_pml_champion_ring_tell(&in->reader);
    }
    return true;
}

static inline __attribute__((always_inline)) unsigned take(
    mca_pml_champion_ring_in_t *in, bool offload, bool late)
{
    mca_pml_champion_ring_record_t record;
    outcome_t outcome;
    unsigned taken = 0;

    do {
        if (OPAL_LIKELY(mca_pml_champion_ring_look(&in->reader, &record) &&
                        MCA_PML_CHAMPION_RING_MESSAGE == record.kind)) {
            outcome = receive(in->peer, record.slot, record.slot->data,
                              record.length, offload, late);
            if (OPAL_UNLIKELY(IMPOSSIBLE == outcome)) {
                broken(in);
                break;
            }
            mca_pml_champion_ring_advance(&in->reader, record.slots);
            if (OPAL_UNLIKELY(TAKEN_EARLY == outcome)) {
                ++taken;
                break;
            }
        } else if (!receive_other(in, offload, late)) {
            break;
        }
        ++taken;
    } while (taken < AT_ONCE && mca_pml_champion_ring_ready(&in->reader));
    mca_pml_champion.counters.ring_messages += taken;
    return taken;
}

unsigned mca_pml_champion_ring_take(mca_pml_champion_ring_in_t *in)
{
    return take(in, false, false);
}

unsigned mca_pml_champion_ring_take_offload(mca_pml_champion_ring_in_t *in)
{
    return take(in, true, false);
}

unsigned mca_pml_champion_ring_take_late(mca_pml_champion_ring_in_t *in)
{
    return take(in, false, true);
}
