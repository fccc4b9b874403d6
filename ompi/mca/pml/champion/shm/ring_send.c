/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes messages into rings and FIFOs. The fast path, for small contiguous
 * messages of single-threaded runs that find room, is in mpi/send.c.
 */

#include "ompi/mca/pml/champion/shm/ring_send.h"

#include <string.h>

#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/core/datatype.h"
#include "ompi/mca/pml/champion/match/offload_hooks.h"
#include "ompi/mca/pml/champion/match/request.h"
#include "ompi/mca/pml/champion/match/completed_send.h"
#include "ompi/mca/pml/champion/peer/throttle.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/large/single_copy.h"

static mca_pml_champion_ring_slot_t *reserve(mca_pml_champion_ring_out_t *out,
                                             size_t length)
{
    mca_pml_champion_ring_slot_t *slot;
    uint32_t read;

    if (!out->own) {
        out->stop = mca_pml_champion_ring_stops(out);
        return mca_pml_champion_fifo_reserve(&out->fifo, (uint32_t) length);
    }
    read = out->writer.read;
    slot = mca_pml_champion_ring_reserve(&out->writer, (uint32_t) length);
    if (OPAL_UNLIKELY(NULL == slot && out->writer.broken)) {
        mca_pml_champion_rings_broken(out->peer);
    }
    if (read != out->writer.read) {
        out->stop = mca_pml_champion_ring_stops(out);
    }
    return slot;
}

/* A record was published: wake the reader if it sleeps. */
static inline void published(mca_pml_champion_ring_out_t *out)
{
    if (OPAL_UNLIKELY(mca_pml_champion_ring_reader_sleeps(out))) {
        mca_pml_champion_ring_wake_reader(out);
    }
}

/* Publish a record and wake the reader if it sleeps. */
static void publish(mca_pml_champion_ring_out_t *out,
                    mca_pml_champion_ring_slot_t *slot, uint32_t kind,
                    size_t length)
{
    if (out->own) {
        mca_pml_champion_ring_publish(&out->writer, slot, kind,
                                      (uint32_t) length);
    } else {
        mca_pml_champion_fifo_publish(&out->fifo, slot, kind,
                                      (uint32_t) length);
    }
    published(out);
}

/* A message while it is written into a ring. */
typedef struct outgoing_t {
    const mca_pml_champion_header_t *header;
    int tag;
    uint32_t sequence;
    const void *data;                  /* contiguous */
    mca_pml_champion_layout_t *layout; /* NULL: contiguous */
    size_t length;
    size_t offset; /* bytes written so far */
} outgoing_t;

/* The record begins the message with this header. */
static inline void header_fill(mca_pml_champion_ring_slot_t *slot,
                               const mca_pml_champion_header_t *header)
{
    _Static_assert(sizeof(slot->word) ==
                       offsetof(mca_pml_champion_header_t, vpid),
                   "the fields up to the sequence");
    memcpy(slot->word, header, sizeof(slot->word));
}

static void envelope_fill(mca_pml_champion_ring_slot_t *slot,
                          const outgoing_t *outgoing)
{
    const mca_pml_champion_header_t header = {
        .context = outgoing->header->context,
        .source = outgoing->header->source,
        .tag = outgoing->tag,
        .sequence = outgoing->sequence,
    };

    header_fill(slot, &header);
}

/* Bytes of payload in the first cache line of a record, which the reader polls.
 */
enum { FIRST_LINE = 64 - MCA_PML_CHAMPION_RING_HEADER };

/* Fill in the record of a contiguous message. The first cache line is written
 * last and at once: the reader polls it, and each poll in between would move
 * the line away from the writer. */
static void record_fill(mca_pml_champion_ring_slot_t *slot,
                        const outgoing_t *outgoing)
{
    const char *data = outgoing->data;
    const size_t length = outgoing->length;

    if (length > FIRST_LINE) {
        memcpy(slot->data + FIRST_LINE, data + FIRST_LINE, length - FIRST_LINE);
        __asm__ volatile("" ::: "memory");
    }
    envelope_fill(slot, outgoing);
    if (0 != length) {
        memcpy(slot->data, data, length < FIRST_LINE ? length : FIRST_LINE);
    }
}

/* Write a message that fits one record. False if there is no room. */
static bool write_whole(mca_pml_champion_ring_out_t *out,
                        const outgoing_t *outgoing)
{
    mca_pml_champion_ring_slot_t *slot = reserve(out, outgoing->length);

    if (NULL == slot) {
        return false;
    }
    if (NULL == outgoing->layout) {
        record_fill(slot, outgoing);
    } else {
        mca_pml_champion_layout_pack(outgoing->layout, 0, slot->data,
                                     outgoing->length);
        envelope_fill(slot, outgoing);
    }
    publish(out, slot, MCA_PML_CHAMPION_RING_MESSAGE, outgoing->length);
    return true;
}

static void copy_frag(void *to, const outgoing_t *outgoing, size_t bytes)
{
    if (NULL == outgoing->layout) {
        memcpy(to, (const char *) outgoing->data + outgoing->offset, bytes);
    } else {
        mca_pml_champion_layout_pack(outgoing->layout, outgoing->offset, to,
                                     bytes);
    }
}

/* Publish a fragment, whose data are in the record itself or in the pool. */
static void frag_publish(mca_pml_champion_ring_out_t *out,
                         mca_pml_champion_ring_slot_t *slot,
                         const outgoing_t *outgoing,
                         const mca_pml_champion_ring_frag_t *frag,
                         size_t length)
{
    bool first = 0 == outgoing->offset;

    memcpy(slot->data, frag, sizeof(*frag));
    if (first) {
        envelope_fill(slot, outgoing);
    }
    publish(out, slot,
            first ? MCA_PML_CHAMPION_RING_FIRST : MCA_PML_CHAMPION_RING_MORE,
            length);
}

/* The fragment to fill next. NO_FRAGMENT: there is none. */
static uint32_t next_fragment(mca_pml_champion_ring_out_t *out)
{
    mca_pml_champion_ring_pool_t *pool = &mca_pml_champion_rings.pool;
    uint32_t fragment = mca_pml_champion_ring_pool_next(pool, &out->held);

    if (OPAL_LIKELY(MCA_PML_CHAMPION_RING_NO_FRAGMENT != fragment)) {
        return fragment;
    }
    if (out->own && out->writer.broken) {
        mca_pml_champion_rings_broken(out->peer);
    }
    return NULL == pool->fragment && mca_pml_champion_ring_pool_make()
               ? mca_pml_champion_ring_pool_next(pool, &out->held)
               : fragment;
}

/* Write the next fragment, to that one of the pool, or inline, into the ring, if
 * it is NO_FRAGMENT. False, with nothing written, if the ring has no room for the
 * record. */
static bool write_frag(mca_pml_champion_ring_out_t *out, outgoing_t *outgoing,
                       uint32_t fragment)
{
    mca_pml_champion_ring_pool_t *pool = &mca_pml_champion_rings.pool;
    const bool pooled = MCA_PML_CHAMPION_RING_NO_FRAGMENT != fragment;
    /* Slots of a FIFO are reserved as late as can be: they hold others up, who may
     * have taken the room. */
    const bool late = pooled && !out->own;
    const size_t left = outgoing->length - outgoing->offset;
    const size_t most =
        pooled ? MCA_PML_CHAMPION_RING_FRAGMENT : MCA_PML_CHAMPION_RING_INLINE;
    const mca_pml_champion_ring_frag_t frag = {
        .fragment = fragment,
        .bytes = (uint32_t) (left < most ? left : most),
        .total = outgoing->length,
    };
    const size_t length = sizeof(frag) + (pooled ? 0 : frag.bytes);
    mca_pml_champion_ring_slot_t *slot = NULL;

    if (late ? !mca_pml_champion_fifo_has_room(&out->fifo, sizeof(frag))
             : NULL == (slot = reserve(out, length))) {
        return false;
    }
    copy_frag(pooled ? pool->fragment[fragment] : slot->data + sizeof(frag),
              outgoing, frag.bytes);
    if (late && NULL == (slot = reserve(out, length))) {
        return false;
    }
    frag_publish(out, slot, outgoing, &frag, length);
    outgoing->offset += frag.bytes;
    if (pooled) {
        mca_pml_champion_ring_pool_hold(pool, &out->held, fragment);
        /* The reader's position is read again for fragments, not for room. */
        out->stop = mca_pml_champion_ring_stops(out);
    }
    return true;
}

/* Write the next fragment into the pool. False, with nothing written, if it has
 * none free or the ring has no room. */
static bool write_pooled_frag(mca_pml_champion_ring_out_t *out,
                              outgoing_t *outgoing)
{
    const uint32_t fragment = next_fragment(out);

    return OPAL_LIKELY(MCA_PML_CHAMPION_RING_NO_FRAGMENT != fragment) &&
           write_frag(out, outgoing, fragment);
}

/* Write the next fragment. Inline fragments serve as a reserve: only while this
 * ring holds none of the pool's. False if there is no room. */
static bool write_next_frag(mca_pml_champion_ring_out_t *out,
                            outgoing_t *outgoing)
{
    return write_pooled_frag(out, outgoing) ||
           (0 == out->held.count &&
            write_frag(out, outgoing, MCA_PML_CHAMPION_RING_NO_FRAGMENT));
}

/* Write the rest of a message, as far as there is room. True if it is complete.
 */
static bool write_outgoing(mca_pml_champion_ring_out_t *out,
                           outgoing_t *outgoing)
{
    if (outgoing->length <= (size_t) MCA_PML_CHAMPION_RING_INLINE &&
        0 == outgoing->offset) {
        return write_whole(out, outgoing);
    }
    while (write_next_frag(out, outgoing)) {
        if (outgoing->offset == outgoing->length) {
            return true;
        }
    }
    return false;
}

/* Write a contiguous message as a single record, or nothing. A message of
 * several fragments needs a request that waits until the last one is written.
 */
static bool write_at_once(mca_pml_champion_ring_out_t *out,
                          outgoing_t *outgoing)
{
    return outgoing->length <= (size_t) MCA_PML_CHAMPION_RING_INLINE
               ? write_whole(out, outgoing)
               : write_pooled_frag(out, outgoing);
}

/* Can the ring take a message without a request, all of it at once? With
 * slow_sends large messages need mpi/route.h. */
static bool takes(const mca_pml_champion_peer_t *peer, size_t length,
                  bool contiguous)
{
    return mca_pml_champion_peer_has_ring_for(peer, length) &&
           NULL == peer->out->waiting &&
           (contiguous ? length <= MCA_PML_CHAMPION_RING_FRAGMENT
                       : length <= (size_t) MCA_PML_CHAMPION_RING_INLINE) &&
           (!peer->slow_sends || length <= MCA_PML_CHAMPION_PACKED_MAX);
}

/* Write a message that is not contiguous and fits one record. False if there is
 * no room. */
static bool write_packed(mca_pml_champion_ring_out_t *out,
                         const outgoing_t *outgoing, const void *buffer,
                         size_t count, ompi_datatype_t *datatype)
{
    mca_pml_champion_ring_slot_t *slot = reserve(out, outgoing->length);

    if (NULL == slot) {
        return false;
    }
    mca_pml_champion_pack(buffer, count, datatype, slot->data,
                          outgoing->length);
    envelope_fill(slot, outgoing);
    publish(out, slot, MCA_PML_CHAMPION_RING_MESSAGE, outgoing->length);
    return true;
}

static inline void short_fill(mca_pml_champion_ring_slot_t *slot,
                              const outgoing_t *outgoing)
{
    envelope_fill(slot, outgoing);
    mca_pml_champion_ring_copy_short(slot->data, outgoing->data,
                                     outgoing->length);
}

/* Write a contiguous message into one slot of a ring, for which there is room:
 * the common case of programs with threads. */
static inline void send_short(mca_pml_champion_ring_out_t *out,
                              const outgoing_t *outgoing)
{
    mca_pml_champion_ring_slot_t *slot = out->writer.next;

    short_fill(slot, outgoing);
    mca_pml_champion_ring_publish_short(&out->writer, slot,
                                        MCA_PML_CHAMPION_RING_MESSAGE,
                                        (uint32_t) outgoing->length);
    published(out);
}

/* Write a contiguous message into one slot of a FIFO. False if there is no room,
 * or another sender has just taken it. */
static inline bool send_short_by_fifo(mca_pml_champion_ring_out_t *out,
                                      const outgoing_t *outgoing)
{
    mca_pml_champion_ring_slot_t *slot =
        mca_pml_champion_fifo_reserve_short(&out->fifo);

    if (OPAL_UNLIKELY(NULL == slot)) {
        return false;
    }
    short_fill(slot, outgoing);
    mca_pml_champion_fifo_publish(&out->fifo, slot,
                                  MCA_PML_CHAMPION_RING_MESSAGE,
                                  (uint32_t) outgoing->length);
    published(out);
    return true;
}

bool mca_pml_champion_ring_send(mca_pml_champion_peer_t *peer,
                                const mca_pml_champion_comm_t *comm, int tag,
                                const void *buffer, size_t count,
                                ompi_datatype_t *datatype, size_t length,
                                mca_pml_champion_completed_send_t **out)
{
    const bool contiguous = mca_pml_champion_contiguous(datatype, count);
    mca_pml_champion_ring_out_t *ring;
    outgoing_t outgoing = {
        .header = &comm->header,
        .tag = tag,
        .data = mca_pml_champion_begin(buffer, datatype),
        .length = length,
    };
    bool sent = true, stop = false;

    MCA_PML_CHAMPION_UNLOCKED();
    mca_pml_champion_lock();
    ring = peer->out;
    outgoing.sequence = peer->send_sequence;
    if (OPAL_UNLIKELY(!takes(peer, length, contiguous))) {
        sent = false;
    } else if (OPAL_LIKELY(contiguous &&
                           length <= MCA_PML_CHAMPION_RING_SHORT &&
                           mca_pml_champion_ring_has_room(&ring->writer))) {
        send_short(ring, &outgoing);
    } else {
        sent = contiguous
                   ? (!ring->own && length <= MCA_PML_CHAMPION_FIFO_SHORT &&
                      send_short_by_fifo(ring, &outgoing)) ||
                         write_at_once(ring, &outgoing)
                   : write_packed(ring, &outgoing, buffer, count, datatype);
        stop = ring->own ? ring->stop : mca_pml_champion_ring_stops(ring);
    }
    if (OPAL_LIKELY(sent)) {
        mca_pml_champion_sent(peer, comm->context, tag);
        if (NULL != out) {
            *out = mca_pml_champion_completed_send_take(peer, &comm->header,
                                                        tag, outgoing.sequence);
        }
        if (OPAL_UNLIKELY(stop)) {
            mca_pml_champion_throttle.on_stop(peer);
        }
    }
    mca_pml_champion_unlock();
    return sent;
}

/* Write a synchronous message. False if there is no room. */
static bool write_sync(mca_pml_champion_ring_out_t *out,
                       mca_pml_champion_send_t *send)
{
    const uint64_t token = (uintptr_t) send;
    const size_t length = sizeof(token) + send->length;
    mca_pml_champion_ring_slot_t *slot = reserve(out, length);

    if (NULL == slot) {
        return false;
    }
    /* The first cache line last, as in record_fill. */
    if (!send->contiguous) {
        mca_pml_champion_layout_pack(&send->layout, 0,
                                     slot->data + sizeof(token), send->length);
    } else if (0 != send->length) {
        memcpy(slot->data + sizeof(token), send->data, send->length);
    }
    memcpy(slot->data, &token, sizeof(token));
    header_fill(slot, &send->header.super.super);
    publish(out, slot, MCA_PML_CHAMPION_RING_SYNC, length);
    /* The sender waits for the match: a progress thread that sleeps has something
     * to do. */
    mca_pml_champion_ring_wake_reader(out);
    return true;
}

/* Write a send whose header is filled in, as far as there is room. True if all
 * of it is written. */
static bool write_send(mca_pml_champion_ring_out_t *out,
                       mca_pml_champion_send_t *send)
{
    const mca_pml_champion_header_t *header = &send->header.super.super;
    outgoing_t outgoing = {
        .header = header,
        .tag = header->tag,
        .sequence = header->sequence,
        .data = send->data,
        .layout = send->contiguous ? NULL : &send->layout,
        .length = send->length,
        .offset = send->written,
    };
    bool all;

    if (send->sync) {
        return write_sync(out, send);
    }
    all = write_outgoing(out, &outgoing);
    send->written = outgoing.offset;
    return all;
}

/* Mark a send as pending: it completes after its call has returned. */
static void make_pending(mca_pml_champion_send_t *send)
{
    send->next_waiting = NULL;
    send->pending = 1;
    send->in_active = true;
    ++mca_pml_champion.active_sends;
    if (NULL != send->request) {
        mca_pml_champion_wake_tell();
    }
}

/* Queue a send behind those that already wait: sends enter the ring in the
 * order of their calls. Progress drains the ring. */
static void wait_for_room(mca_pml_champion_ring_out_t *out,
                          mca_pml_champion_send_t *send)
{
    if (NULL == out->waiting) {
        out->waiting_tail = &out->waiting;
        mca_pml_champion_ring_disable_fast_path(out);
        if (!out->listed) {
            out->listed = true;
            out->next_waiting = mca_pml_champion_rings.waiting;
            mca_pml_champion_rings.waiting = out;
        }
    }
    *out->waiting_tail = send;
    out->waiting_tail = &send->next_waiting;
    make_pending(send);
    ++mca_pml_champion.counters.ring_waited;
}

void mca_pml_champion_ring_start(mca_pml_champion_send_t *send,
                                 mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_out_t *out = peer->out;
    const mca_pml_champion_header_t *header = &send->header.super.super;

    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_sent(peer, header->context, header->tag);
    send->pending = 0;
    send->written = 0;
    if (NULL != out->waiting || !write_send(out, send)) {
        wait_for_room(out, send);
        return;
    }
    if (send->sync) {
        make_pending(send);
    }
    if (OPAL_UNLIKELY(out->stop)) {
        mca_pml_champion_throttle.on_stop(peer);
    }
}

/* Write a record of two words without payload. False if there is no room. */
static bool write_words(mca_pml_champion_peer_t *peer, uint32_t kind,
                        uint64_t first, uint64_t second)
{
    /* This may be the first record that goes to this peer. */
    mca_pml_champion_ring_slot_t *slot =
        mca_pml_champion_ring_open(peer) && NULL == peer->out->waiting
            ? reserve(peer->out, 0)
            : NULL;

    if (NULL == slot) {
        return false;
    }
    slot->word[0] = first;
    slot->word[1] = second;
    publish(peer->out, slot, kind, 0);
    return true;
}

bool mca_pml_champion_ring_ack(mca_pml_champion_peer_t *peer, uint64_t token)
{
    MCA_PML_CHAMPION_LOCKED();
    return write_words(peer, MCA_PML_CHAMPION_RING_ACK, token, 0);
}

/* Have progress look whether the receiver has begun to copy: this process may
 * help then. */
static void list_rgets(mca_pml_champion_peer_t *peer)
{
    if (peer->ring.rgets_listed) {
        return;
    }
    peer->ring.rgets_listed = true;
    peer->ring.next_with_rgets = mca_pml_champion_rings.with_rgets;
    mca_pml_champion_rings.with_rgets = peer;
    mca_pml_champion_chore_set(&mca_pml_champion_rings.copying, true);
}

bool mca_pml_champion_ring_reads(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_out_t *out = peer->out;

    MCA_PML_CHAMPION_LOCKED();
    if (peer->ring.reads || &mca_pml_champion_ring_none == out) {
        return peer->ring.reads;
    }
    if (0 != __atomic_load_n(&out->pair->reads, __ATOMIC_RELAXED)) {
        peer->ring.reads = true;
        mca_pml_champion_single_copy_can_be_read(peer);
    } else if (!peer->ring.asked) {
        peer->ring.asked = write_words(peer, MCA_PML_CHAMPION_RING_TRY, 0, 0);
    }
    return peer->ring.reads;
}

bool mca_pml_champion_ring_has_room_for(mca_pml_champion_peer_t *peer,
                                        size_t length)
{
    mca_pml_champion_ring_out_t *out = peer->out;
    const size_t fragments = (length + MCA_PML_CHAMPION_RING_FRAGMENT - 1) /
                             MCA_PML_CHAMPION_RING_FRAGMENT;

    MCA_PML_CHAMPION_LOCKED();
    return &mca_pml_champion_ring_none != out && NULL == out->waiting &&
           mca_pml_champion_ring_pool_make() &&
           mca_pml_champion_ring_pool_has(&mca_pml_champion_rings.pool,
                                          &out->held, (uint32_t) fragments);
}

bool mca_pml_champion_ring_rget(mca_pml_champion_send_t *send,
                                mca_pml_champion_peer_t *peer)
{
    const mca_pml_champion_header_t *header = &send->header.super.super;
    const mca_pml_champion_ring_rget_t rget = {(uintptr_t) send->data,
                                               send->length};
    mca_pml_champion_ring_out_t *out = peer->out;
    mca_pml_champion_ring_slot_t *slot;

    MCA_PML_CHAMPION_LOCKED();
    if (!peer->ring.reads || NULL != out->waiting ||
        NULL == (slot = reserve(out, sizeof(rget)))) {
        return false;
    }
    *peer->ring.rgets_tail = send;
    peer->ring.rgets_tail = &send->next_waiting;
    make_pending(send);
    mca_pml_champion_sent(peer, header->context, header->tag);
    header_fill(slot, header);
    memcpy(slot->data, &rget, sizeof(rget));
    publish(out, slot, MCA_PML_CHAMPION_RING_RGET, sizeof(rget));
    if (mca_pml_champion_ring_stays(send->length)) {
        /* A progress thread that sleeps has something to do. */
        mca_pml_champion_ring_wake_reader(out);
    }
    if (NULL != mca_pml_champion_rings.copy &&
        send->length >= MCA_PML_CHAMPION_WAY_LARGE) {
        list_rgets(peer);
    }
    if (OPAL_UNLIKELY(out->stop)) {
        mca_pml_champion_throttle.on_stop(peer);
    }
    return true;
}

bool mca_pml_champion_ring_on_fin(mca_pml_champion_peer_t *peer,
                                  uint32_t sequence, bool read)
{
    mca_pml_champion_send_t **at = &peer->ring.rgets, *send;

    MCA_PML_CHAMPION_LOCKED();
    /* In most cases it is the first one. */
    while (NULL != (send = *at) &&
           sequence != send->header.super.super.sequence) {
        at = &send->next_waiting;
    }
    if (NULL == send) {
        return false;
    }
    *at = send->next_waiting;
    if (NULL == *at) {
        peer->ring.rgets_tail = at;
    }
    if (OPAL_UNLIKELY(!read)) {
        mca_pml_champion_single_copy_failed();
        send->error = MPI_ERR_OTHER;
    }
    mca_pml_champion_send_event(send);
    return true;
}

void mca_pml_champion_ring_fin(mca_pml_champion_peer_t *peer, uint32_t sequence,
                               bool read)
{
    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(
            !write_words(peer, MCA_PML_CHAMPION_RING_FIN, sequence, !read))) {
        mca_pml_champion_ring_fin_by_message(peer, sequence, read);
    }
}

/* Write what waits for the ring, and count it. True if nothing waits any more.
 */
static bool drain(mca_pml_champion_ring_out_t *out, unsigned *written)
{
    mca_pml_champion_send_t *send;

    while (NULL != (send = out->waiting)) {
        if (out->own) {
            mca_pml_champion_ring_prefetch_to_write(
                &out->writer, MCA_PML_CHAMPION_RING_AHEAD);
        }
        if (!write_send(out, send)) {
            return false;
        }
        ++*written;
        ++mca_pml_champion_rings.went_on;
        out->waiting = send->next_waiting;
        if (!send->sync) {
            mca_pml_champion_send_event(send);
        }
        if (OPAL_UNLIKELY(out->stop)) {
            mca_pml_champion_throttle.on_stop(out->peer);
        }
    }
    return true;
}

unsigned mca_pml_champion_rings_drain(void)
{
    mca_pml_champion_ring_out_t **at = &mca_pml_champion_rings.waiting, *out;
    unsigned written = 0;

    MCA_PML_CHAMPION_LOCKED();
    while (NULL != (out = *at)) {
        if (drain(out, &written)) {
            *at = out->next_waiting;
            out->listed = false;
            mca_pml_champion_ring_enable_fast_path(out);
        } else {
            at = &out->next_waiting;
        }
    }
    return written;
}

void mca_pml_champion_ring_hold(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_out_t *out = peer->out;
    mca_pml_champion_send_t *send, **next;

    MCA_PML_CHAMPION_LOCKED();
    if (&mca_pml_champion_ring_none == out) {
        return;
    }
    mca_pml_champion_peer_set_ring_max(peer, -1);
    mca_pml_champion_ring_disable_fast_path(out);
    /* Only a message that is written in part must stay in the ring's queue; the
     * others go by UCX. */
    next = &out->waiting;
    if (NULL != *next && 0 != (*next)->written) {
        next = &(*next)->next_waiting;
    }
    out->waiting_tail = next;
    while (NULL != (send = *next)) {
        *next = send->next_waiting;
        mca_pml_champion_rings.send_by_ucx(send);
    }
}
