/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads records from rings, and matches and delivers their messages.
 */

#include "ompi/mca/pml/champion/shm/rings.h"

#include <errno.h>
#include <string.h>

#include "ompi/mca/pml/champion/match/reorder.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/shm/ring_in.h"
#include "ompi/mca/pml/champion/shm/ring_send.h"

/* Maximum number of small messages read from a ring or FIFO before the next one is
 * polled. Where other threads may want the lock, which is held all the while, a
 * quarter of it. Of other records, which may take as long as a few, 16. */
enum { AT_ONCE = 64, AT_ONCE_THREADS = 16, OTHERS_AT_ONCE = 16 };

/* Is there such a rank in the communicator? */
static inline bool source_exists(const mca_pml_champion_comm_t *comm,
                                 int source)
{
    return (uint32_t) source < comm->sources;
}

/* Result of handling a record. */
typedef enum {
    INVALID, /* the ring is corrupted */
    HANDLED,
    HANDLED_OUT_OF_ORDER /* and UCX is to be polled next */
} outcome_t;

/* A message is ahead of its turn: the ones before it have gone by UCP, so UCX
 * is polled next. Otherwise, if the sender has filled UCX's queues, all that
 * the ring delivers meanwhile would have to be kept. */
static inline outcome_t handled_out_of_order(void)
{
    mca_pml_champion_rings.busy = 1;
    return HANDLED_OUT_OF_ORDER;
}

/* The arrival is filled in. */
static outcome_t arrive(mca_pml_champion_arrival_t *arrival)
{
    return mca_pml_champion_reorder_arrive(arrival) ? handled_out_of_order()
                                                    : HANDLED;
}

/* The slow path: the message is out of order, its communicator is unknown, or
 * all are slow. */
static __attribute__((noinline)) outcome_t arrive_slow(
    mca_pml_champion_arrival_t *arrival)
{
    if (NULL != arrival->comm &&
        !source_exists(arrival->comm, arrival->envelope.source)) {
        return INVALID;
    }
    mca_pml_champion_arrival_eager(arrival);
    return arrive(arrival);
}

/* Handle a message in one record. shared, by the FIFO, is a constant. */
static inline __attribute__((always_inline)) outcome_t receive(
    mca_pml_champion_peer_t *peer, const mca_pml_champion_ring_slot_t *slot,
    const void *payload, size_t length, bool shared)
{
    mca_pml_champion_arrival_t arrival;
    mca_pml_champion_recv_t *recv;

    mca_pml_champion_arrival_address(&arrival, slot->word);
    arrival.peer = peer;
    arrival.payload = payload;
    arrival.length = length;
    arrival.comm = mca_pml_champion_comm_find(arrival.envelope.context);
    if (OPAL_UNLIKELY(NULL == arrival.comm ||
                      arrival.sequence != peer->recv_sequence ||
                      peer->slow_arrivals ||
                      !source_exists(arrival.comm, arrival.envelope.source))) {
        return arrive_slow(&arrival);
    }
    ++peer->recv_sequence;
    recv = (mca_pml_champion_recv_t *) mca_mq_base_arrive(
        arrival.comm->domain, &arrival.envelope,
        mca_pml_champion_arrival_entry_eager, &arrival);
    if (OPAL_LIKELY(NULL != recv)) {
        (shared ? mca_pml_champion_deliver_here
                : mca_pml_champion_deliver_eager)(recv, &arrival.envelope,
                                                  payload, length);
    }
    return HANDLED;
}

/* Fill in the arrival of a record. False if it is invalid. */
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

/* A synchronous message, whole in its record. False if it is invalid. */
static bool receive_sync(mca_pml_champion_peer_t *peer,
                         const mca_pml_champion_ring_record_t *record)
{
    mca_pml_champion_arrival_t arrival;
    uint64_t token;

    if (record->length < sizeof(token) ||
        !arrival_open(&arrival, peer, record->slot)) {
        return false;
    }
    memcpy(&token, record->slot->data, sizeof(token));
    mca_pml_champion_arrival_eager(&arrival);
    arrival.payload = record->slot->data + sizeof(token);
    arrival.length = record->length - sizeof(token);
    arrival.token = token;
    return 0 != token && INVALID != arrive(&arrival);
}

/* Handle an ACK; its token is the address of the send that waits for it. False
 * if it is invalid. */
static bool receive_ack(const mca_pml_champion_ring_record_t *record)
{
    const uint64_t token = record->slot->word[0];

    if (0 == token) {
        return false;
    }
    ++mca_pml_champion_rings.went_on;
    mca_pml_champion_send_event((mca_pml_champion_send_t *) (uintptr_t) token);
    return true;
}

/* A fragment and its data. */
typedef struct frag_t {
    mca_pml_champion_ring_frag_t super;
    const unsigned char *data;
} frag_t;

/* Find the data of a fragment. False if the record is invalid. */
static bool frag_find(mca_pml_champion_ring_from_t *from,
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
    if (frag->super.fragment >= mca_pml_champion_rings.shape.fragments ||
        frag->super.bytes > MCA_PML_CHAMPION_RING_FRAGMENT) {
        return false;
    }
    if (OPAL_UNLIKELY(NULL == from->fragments)) {
        mca_pml_champion_ring_find_fragments(from);
    }
    frag->data = from->fragments[frag->super.fragment];
    ++mca_pml_champion.counters.ring_fragments;
    return true;
}

static mca_mq_entry_t *no_entry(void *arg)
{
    (void) arg;
    return NULL;
}

/* Match a message whose first fragment has arrived. Returns the receive, or
 * NULL if none is posted or the message cannot be matched yet. */
static mca_pml_champion_recv_t *partial_match(
    mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_peer_t *peer = arrival->peer;
    mca_pml_champion_recv_t *recv;

    if (NULL == arrival->comm || arrival->sequence != peer->recv_sequence ||
        peer->slow_arrivals) {
        return NULL;
    }
    recv = (mca_pml_champion_recv_t *) mca_mq_base_arrive(
        arrival->comm->domain, &arrival->envelope, no_entry, arrival);
    if (NULL != recv) {
        ++peer->recv_sequence;
    }
    return recv;
}

/* Begin a message that goes to its receive. False if none is posted, or it
 * cannot be matched yet. */
static bool partial_begin_here(mca_pml_champion_ring_partial_t *partial,
                               mca_pml_champion_arrival_t *arrival)
{
    *partial = (mca_pml_champion_ring_partial_t){
        .total = arrival->length,
        .recv = partial_match(arrival),
    };
    if (NULL == partial->recv) {
        return false;
    }
    mca_pml_champion_fragments_begin(partial->recv, &arrival->envelope,
                                     arrival->length);
    return true;
}

/* The first fragment of a message: match the message, or allocate memory in
 * which it is assembled. False if it is invalid. */
static bool partial_begin(mca_pml_champion_ring_partial_t *partial,
                          mca_pml_champion_arrival_t *arrival)
{
    if (arrival->length > MCA_PML_CHAMPION_RING_MESSAGE_MAX) {
        return false;
    }
    if (partial_begin_here(partial, arrival)) {
        return true;
    }
    if (arrival->sequence != arrival->peer->recv_sequence) {
        (void) handled_out_of_order();
    }
    mca_pml_champion_arrival_eager(arrival);
    partial->message = mca_pml_champion_message_new(arrival);
    return NULL != partial->message;
}

/* The last fragment of a message has been copied. */
static void partial_end(mca_pml_champion_ring_partial_t *partial)
{
    partial->total = 0;
    if (NULL == partial->recv) {
        mca_pml_champion_reorder_message(partial->message);
    } else {
        mca_pml_champion_fragments_end(partial->recv);
    }
}

/* Copy a fragment of the current message. False if it is invalid. */
static bool partial_add(mca_pml_champion_ring_partial_t *partial,
                        const frag_t *frag)
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
        partial_end(partial);
    }
    return true;
}

/* A message has begun that goes to its receive this way: measure it, perhaps. */
static void measure(mca_pml_champion_ring_from_t *from,
                    mca_pml_champion_way_t way)
{
    mca_pml_champion_ring_partial_t *partial = &from->partial;

    if (NULL != partial->recv && partial->recv->contiguous) {
        partial->since =
            mca_pml_champion_ring_measures(from, partial->total, way);
    }
}

/* Handle a record with a fragment, which may be a whole message. False if it is
 * invalid. */
static bool receive_frag(mca_pml_champion_ring_in_t *in,
                         const mca_pml_champion_ring_record_t *record)
{
    mca_pml_champion_ring_from_t *from = in->from;
    bool first = MCA_PML_CHAMPION_RING_FIRST == record->kind;
    frag_t frag;
    mca_pml_champion_arrival_t arrival;
    uint64_t since;

    if (!frag_find(from, record, &frag) ||
        first != (0 == from->partial.total)) {
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
            return INVALID != arrive_slow(&arrival);
        }
        if (!partial_begin(&from->partial, &arrival)) {
            return false;
        }
        measure(from, MCA_PML_CHAMPION_WAY_FRAGMENTS);
    }
    since = from->partial.since;
    if (!partial_add(&from->partial, &frag)) {
        return false;
    }
    if (OPAL_UNLIKELY(0 != since && 0 == from->partial.total)) {
        mca_pml_champion_ring_record_time(
            from, frag.super.total, MCA_PML_CHAMPION_WAY_FRAGMENTS, since);
    }
    return true;
}

/* Read the data of an RGET from the sender's memory to their destination. False
 * if they cannot be read; errno is set. */
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

/* The sender's memory cannot be read, because it is a device's, say: fail the
 * receive, now or when it is matched. */
static void on_rget_lost(const mca_pml_champion_ring_partial_t *partial,
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

/* A message of this length stays at its sender until its receive comes. */
static void arrive_readable(mca_pml_champion_arrival_t *arrival,
                            uint64_t address)
{
    mca_pml_champion_arrival_eager(arrival);
    arrival->kind = MCA_PML_CHAMPION_READABLE;
    arrival->payload = (const void *) (uintptr_t) address;
    (void) arrive(arrival);
}

/* Has the message matched a receive that both sides can copy it to? */
static bool may_be_shared(const mca_pml_champion_ring_partial_t *partial)
{
    const mca_pml_champion_recv_t *recv = partial->recv;

    return NULL != mca_pml_champion_rings.copy && NULL != recv &&
           partial->total >= MCA_PML_CHAMPION_WAY_LARGE && recv->contiguous &&
           partial->total <= recv->capacity;
}

/* Handle an RGET. False if it is invalid. */
static bool receive_rget(mca_pml_champion_ring_in_t *in,
                         const mca_pml_champion_ring_record_t *record)
{
    mca_pml_champion_ring_from_t *from = in->from;
    mca_pml_champion_peer_t *peer = in->peer;
    mca_pml_champion_ring_rget_t rget;
    mca_pml_champion_arrival_t arrival;
    bool read;

    if (sizeof(rget) != record->length || 0 != from->partial.total ||
        !from->can_be_read) {
        return false;
    }
    memcpy(&rget, record->slot->data, sizeof(rget));
    arrival.payload = NULL;
    arrival.length = rget.length;
    if (0 == rget.length || !arrival_open(&arrival, peer, record->slot)) {
        return false;
    }
    if (mca_pml_champion_ring_stays(rget.length)) {
        if (rget.length > mca_pml_champion_rings.max ||
            !partial_begin_here(&from->partial, &arrival)) {
            from->partial.total = 0;
            arrive_readable(&arrival, rget.address);
            return true;
        }
    } else if (!partial_begin(&from->partial, &arrival)) {
        return false;
    }
    if (may_be_shared(&from->partial)) {
        from->partial.total = 0;
        mca_pml_champion_rings.copy(peer, arrival.sequence, rget.address,
                                    rget.length, from->partial.recv);
        return true;
    }
    measure(from, MCA_PML_CHAMPION_WAY_FETCHED);
    read = rget_read(&from->partial, from->pid, rget.address);
    if (OPAL_UNLIKELY(!read)) {
        on_rget_lost(&from->partial, peer);
    } else if (0 != from->partial.since) {
        mca_pml_champion_ring_record_time(from, rget.length,
                                          MCA_PML_CHAMPION_WAY_FETCHED,
                                          from->partial.since);
    }
    ++mca_pml_champion.counters.ring_rget;
    mca_pml_champion_ring_fin(peer, arrival.sequence, read);
    partial_end(&from->partial);
    return true;
}

/* Handle a record that is not a small message. False if it is invalid. */
static bool receive_other(mca_pml_champion_ring_in_t *in,
                          const mca_pml_champion_ring_record_t *record)
{
    bool message = false, good;

    switch (record->kind) {
    case MCA_PML_CHAMPION_RING_FIRST:
        message = true;
        /* fall through */
    case MCA_PML_CHAMPION_RING_MORE:
        good = receive_frag(in, record);
        break;
    case MCA_PML_CHAMPION_RING_RGET:
        message = true;
        good = receive_rget(in, record);
        break;
    case MCA_PML_CHAMPION_RING_FIN:
        good = mca_pml_champion_ring_on_fin(in->peer,
                                            (uint32_t) record->slot->word[0],
                                            0 == record->slot->word[1]);
        break;
    case MCA_PML_CHAMPION_RING_SYNC:
        message = true;
        good = 0 == in->from->partial.total && receive_sync(in->peer, record);
        break;
    case MCA_PML_CHAMPION_RING_ACK:
        good = receive_ack(record);
        break;
    case MCA_PML_CHAMPION_RING_TRY:
        mca_pml_champion_ring_try_to_read(in->from);
        good = true;
        break;
    default:
        good = MCA_PML_CHAMPION_RING_PAD == record->kind;
        break;
    }
    mca_pml_champion.counters.ring_messages -= !message;
    return good;
}

/* Find the sender of a record of the FIFO. False if there is no such process.
 */
static inline bool find_sender(mca_pml_champion_ring_in_t *in,
                               mca_pml_champion_ring_record_t *record)
{
    uint32_t place;

    in->peer = NULL;
    if (!mca_pml_champion_fifo_sender(record, &place)) {
        return false;
    }
    in->from = place < mca_pml_champion_rings.shape.places
                   ? mca_pml_champion_rings.from + place
                   : NULL;
    if (OPAL_UNLIKELY(NULL == in->from || NULL == in->from->peer)) {
        in->from = mca_pml_champion_ring_from(place);
        if (NULL == in->from) {
            return false;
        }
    }
    in->peer = in->from->peer;
    return true;
}

/* Handle a record that is not a small message, and go on to the next one.
 * Returns for how many messages it counts: for all if it is ahead of its turn
 * (handled_out_of_order), for 0 if it is invalid. In the statistics it is one.
 */
static __attribute__((noinline)) unsigned handle_other(
    mca_pml_champion_ring_in_t *in, bool shared)
{
    mca_pml_champion_ring_record_t record;
    const unsigned at_once = mca_pml_champion_rings.at_once;
    unsigned weight;

    if (!mca_pml_champion_ring_look(&in->reader, &record) ||
        (shared && MCA_PML_CHAMPION_RING_PAD != record.kind &&
         !find_sender(in, &record)) ||
        !receive_other(in, &record)) {
        mca_pml_champion_rings_broken(in->peer);
        return 0;
    }
    if (shared) {
        mca_pml_champion_fifo_advance(&in->reader, &record);
    } else {
        mca_pml_champion_ring_advance(&in->reader, record.slots);
    }
    if (MCA_PML_CHAMPION_RING_FIRST == record.kind ||
        MCA_PML_CHAMPION_RING_MORE == record.kind) {
        /* The sender may wait for this fragment. */
        mca_pml_champion_ring_publish_position(&in->reader);
    }
    weight =
        1 == mca_pml_champion_rings.busy ? at_once : at_once / OTHERS_AT_ONCE;
    mca_pml_champion.counters.ring_messages -= weight - 1;
    return weight;
}

/* Read a ring; the FIFO if `shared`, a constant. */
static inline __attribute__((always_inline)) unsigned read_records(
    mca_pml_champion_ring_in_t *in, bool shared)
{
    mca_pml_champion_ring_record_t record;
    outcome_t outcome;
    unsigned handled = 0;

    do {
        if (OPAL_LIKELY(mca_pml_champion_ring_look(&in->reader, &record) &&
                        MCA_PML_CHAMPION_RING_MESSAGE == record.kind &&
                        (!shared || find_sender(in, &record)))) {
            outcome = receive(in->peer, record.slot, record.slot->data,
                              record.length, shared);
            if (OPAL_UNLIKELY(INVALID == outcome)) {
                mca_pml_champion_rings_broken(in->peer);
                break;
            }
            if (shared) {
                mca_pml_champion_fifo_advance(&in->reader, &record);
            } else {
                mca_pml_champion_ring_advance(&in->reader, record.slots);
            }
            ++handled;
            if (OPAL_UNLIKELY(HANDLED_OUT_OF_ORDER == outcome)) {
                break;
            }
        } else {
            const unsigned weight = handle_other(in, shared);

            handled += weight;
            if (OPAL_UNLIKELY(0 == weight)) {
                break;
            }
        }
    } while (handled < mca_pml_champion_rings.at_once &&
             mca_pml_champion_ring_ready(&in->reader));
    mca_pml_champion.counters.ring_messages += handled;
    return handled;
}

static unsigned read_ring(mca_pml_champion_ring_in_t *in)
{
    return read_records(in, false);
}

static unsigned read_fifo(mca_pml_champion_ring_in_t *in)
{
    const uint64_t before = mca_pml_champion.counters.ring_messages;
    const unsigned handled = read_records(in, true);

    mca_pml_champion.counters.ring_fifo +=
        mca_pml_champion.counters.ring_messages - before;
    return handled;
}

void mca_pml_champion_ring_recv_open(void)
{
    mca_pml_champion_rings.at_once =
        mca_pml_champion.multiple ? AT_ONCE_THREADS : AT_ONCE;
    mca_pml_champion_rings.read =
        0 == mca_pml_champion_rings.shape.slots ? read_ring : read_fifo;
}
