/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writing messages into rings, the slow path: what is not a small contiguous
 * message in a run with one thread, or finds no room.
 */

#include <string.h>

#include "ompi/mca/pml/champion/offload/pml_champion_offload_send.h"
#include "ompi/mca/pml/champion/pml_champion_context.h"
#include "ompi/mca/pml/champion/pml_champion_datatype.h"
#include "ompi/mca/pml/champion/pml_champion_flow.h"
#include "ompi/mca/pml/champion/pml_champion_peer.h"
#include "ompi/mca/pml/champion/pml_champion_request.h"
#include "ompi/mca/pml/champion/pml_champion_wake.h"
#include "ompi/mca/pml/champion/ring/pml_champion_rings.h"

/* A ring's reader has written a position that cannot be. */
static void broken(const mca_pml_champion_ring_out_t *out)
{
    opal_output(0, "champion: the memory shared with %s is corrupted",
                OPAL_NAME_PRINT(out->peer->name));
    ompi_mpi_abort(&ompi_mpi_comm_world.comm, MPI_ERR_INTERN);
}

static mca_pml_champion_ring_slot_t *reserve(mca_pml_champion_ring_out_t *out,
                                             size_t length)
{
    const uint32_t read = out->writer.read;
    mca_pml_champion_ring_slot_t *slot =
        mca_pml_champion_ring_reserve(&out->writer, (uint32_t) length);

    if (OPAL_UNLIKELY(NULL == slot && out->writer.broken)) {
        broken(out);
    }
    if (read != out->writer.read) {
        /* It is in the cache line that was just read. */
        out->stop =
            0 != __atomic_load_n(&out->writer.ring->stop, __ATOMIC_RELAXED);
    }
    return slot;
}

/* Make the record known, and wake a reader that sleeps. */
static void publish(mca_pml_champion_ring_out_t *out,
                    mca_pml_champion_ring_slot_t *slot, size_t length)
{
    mca_pml_champion_ring_publish(
        &out->writer, slot, MCA_PML_CHAMPION_RING_MESSAGE, (uint32_t) length);
    if (out->bell) {
        mca_pml_champion_ring_bell(out);
    }
}

static void envelope_fill(mca_pml_champion_ring_slot_t *slot,
                          const mca_pml_champion_header_t *header, int tag,
                          uint32_t sequence)
{
    const mca_pml_champion_ring_envelope_t envelope = {
        .context = header->context,
        .source = header->source,
        .tag = tag,
        .sequence = sequence,
    };

    memcpy(slot->word, &envelope, sizeof(slot->word));
}

/* Payload in the cache line that the reader polls, bytes. */
enum { FIRST_LINE = 64 - MCA_PML_CHAMPION_RING_HEADER };

/* Put a contiguous message into a record. What is in the line that the reader
 * polls comes last, at one go: the reader takes that line away each time it
 * looks. */
static void record_fill(mca_pml_champion_ring_slot_t *slot,
                        const mca_pml_champion_header_t *header, int tag,
                        uint32_t sequence, const void *data, size_t length)
{
    size_t first = length < FIRST_LINE ? length : FIRST_LINE;

    if (length > FIRST_LINE) {
        memcpy(slot->data + FIRST_LINE, (const char *) data + FIRST_LINE,
               length - FIRST_LINE);
        __asm__ volatile("" ::: "memory");
    }
    envelope_fill(slot, header, tag, sequence);
    if (0 != length) {
        memcpy(slot->data, data, first);
    }
}

/* What most messages of programs with threads are: contiguous, in one slot, and
 * there is room for it. */
static inline void send_short(mca_pml_champion_ring_out_t *out,
                              const mca_pml_champion_header_t *header, int tag,
                              const void *data, size_t length)
{
    mca_pml_champion_ring_slot_t *slot = out->writer.next;

    envelope_fill(slot, header, tag, out->peer->send_sequence++);
    mca_pml_champion_ring_copy_short(slot->data, data, length);
    mca_pml_champion_ring_publish_short(
        &out->writer, slot, MCA_PML_CHAMPION_RING_MESSAGE, (uint32_t) length);
    if (OPAL_UNLIKELY(out->bell)) {
        mca_pml_champion_ring_bell(out);
    }
}

bool mca_pml_champion_ring_send(mca_pml_champion_peer_t *peer,
                                const mca_pml_champion_comm_t *comm, int tag,
                                const void *buffer, size_t count,
                                ompi_datatype_t *datatype, size_t length)
{
    mca_pml_champion_ring_out_t *out;
    mca_pml_champion_ring_slot_t *slot = NULL;

    MCA_PML_CHAMPION_UNLOCKED();
    mca_pml_champion_lock();
    out = peer->out;
    /* Large messages may have to go under a tag: offload decides in the usual
     * way. */
    if (OPAL_LIKELY(mca_pml_champion_peer_has_ring_for(peer, length) &&
                    NULL == out->waiting &&
                    (NULL == peer->outflows ||
                     length <= MCA_PML_CHAMPION_PACKED_MAX))) {
        if (OPAL_LIKELY(length <= MCA_PML_CHAMPION_RING_SHORT &&
                        mca_pml_champion_contiguous(datatype, count) &&
                        mca_pml_champion_ring_has_room(&out->writer))) {
            send_short(out, &comm->header, tag,
                       mca_pml_champion_begin(buffer, datatype), length);
            mca_pml_champion_offload_sent(peer, comm->context, tag);
            mca_pml_champion_unlock();
            return true;
        }
        slot = reserve(out, length);
    }
    if (NULL == slot) {
        mca_pml_champion_unlock();
        return false;
    }
    if (mca_pml_champion_contiguous(datatype, count)) {
        record_fill(slot, &comm->header, tag, peer->send_sequence,
                    mca_pml_champion_begin(buffer, datatype), length);
    } else {
        mca_pml_champion_pack(buffer, count, datatype, slot->data, length);
        envelope_fill(slot, &comm->header, tag, peer->send_sequence);
    }
    ++peer->send_sequence;
    publish(out, slot, length);
    if (OPAL_UNLIKELY(out->stop)) {
        mca_pml_champion_flow_hold(peer);
    }
    mca_pml_champion_offload_sent(peer, comm->context, tag);
    mca_pml_champion_unlock();
    return true;
}

bool mca_pml_champion_ring_wants(const mca_pml_champion_send_t *send,
                                 const mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    return !send->sync &&
           mca_pml_champion_peer_has_ring_for(peer, send->length);
}

/* Write a send whose header is complete. False if there is no room. */
static bool write_send(mca_pml_champion_ring_out_t *out,
                       mca_pml_champion_send_t *send)
{
    const mca_pml_champion_header_t *header = &send->header.super.super;
    mca_pml_champion_ring_slot_t *slot = reserve(out, send->length);

    if (NULL == slot) {
        return false;
    }
    if (send->contiguous) {
        record_fill(slot, header, header->tag, header->sequence, send->data,
                    send->length);
    } else {
        mca_pml_champion_layout_pack(&send->layout, 0, slot->data,
                                     send->length);
        envelope_fill(slot, header, header->tag, header->sequence);
    }
    publish(out, slot, send->length);
    return true;
}

/* Have whoever makes progress look after it. */
static void drain_later(mca_pml_champion_ring_out_t *out)
{
    out->simple_max = -1;
    if (!out->listed) {
        out->listed = true;
        out->next_waiting = mca_pml_champion_rings.waiting;
        mca_pml_champion_rings.waiting = out;
    }
}

/* The order of those who wait is that of the calls. */
static void wait_for_room(mca_pml_champion_ring_out_t *out,
                          mca_pml_champion_send_t *send)
{
    if (NULL == out->waiting) {
        out->waiting_tail = &out->waiting;
        drain_later(out);
    }
    send->next_waiting = NULL;
    *out->waiting_tail = send;
    out->waiting_tail = &send->next_waiting;
    send->pending = 1;
    send->counted = true;
    ++mca_pml_champion.active_sends;
    ++mca_pml_champion.counters.ring_waited;
    if (NULL != send->request) {
        mca_pml_champion_wake_tell();
    }
}

void mca_pml_champion_ring_start(mca_pml_champion_send_t *send,
                                 mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_out_t *out = peer->out;
    const mca_pml_champion_header_t *header = &send->header.super.super;

    MCA_PML_CHAMPION_LOCKED();
    ++peer->send_sequence;
    mca_pml_champion_offload_sent(peer, header->context, header->tag);
    send->pending = 0;
    if (NULL != out->waiting || !write_send(out, send)) {
        wait_for_room(out, send);
    }
}

/* False if there is no room. */
static bool write_end(mca_pml_champion_ring_out_t *out)
{
    mca_pml_champion_ring_slot_t *slot = reserve(out, 0);

    if (NULL == slot) {
        return false;
    }
    mca_pml_champion_ring_publish(&out->writer, slot, MCA_PML_CHAMPION_RING_END,
                                  0);
    if (out->bell) {
        mca_pml_champion_ring_bell(out);
    }
    return true;
}

/* True if nothing waits for the ring any more. */
static bool drain(mca_pml_champion_ring_out_t *out)
{
    mca_pml_champion_send_t *send;

    while (NULL != (send = out->waiting)) {
        if (!write_send(out, send)) {
            return false;
        }
        out->waiting = send->next_waiting;
        mca_pml_champion_send_event(send);
        if (OPAL_UNLIKELY(out->stop)) {
            mca_pml_champion_flow_hold(out->peer); /* leaves none that waits */
        }
    }
    return !out->closing || write_end(out);
}

void mca_pml_champion_rings_drain(void)
{
    mca_pml_champion_ring_out_t **at = &mca_pml_champion_rings.waiting, *out;

    MCA_PML_CHAMPION_LOCKED();
    while (NULL != (out = *at)) {
        if (drain(out)) {
            *at = out->next_waiting;
            out->listed = false;
            if (out->closing) {
                mca_pml_champion_ring_out_end(out);
            } else {
                mca_pml_champion_ring_simplify(out);
            }
        } else {
            at = &out->next_waiting;
        }
    }
}

void mca_pml_champion_ring_hold(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_out_t *out = peer->out;
    mca_pml_champion_send_t *send;

    MCA_PML_CHAMPION_LOCKED();
    if (&mca_pml_champion_ring_none == out) {
        return;
    }
    mca_pml_champion_peer_set_ring_max(peer, -1);
    out->simple_max = -1;
    /* Whoever drains this ring next finds nothing that waits. */
    while (NULL != (send = out->waiting)) {
        out->waiting = send->next_waiting;
        mca_pml_champion_rings.again(send);
    }
}

void mca_pml_champion_ring_return(mca_pml_champion_ring_out_t *out)
{
    MCA_PML_CHAMPION_LOCKED();
    if (out->closing) {
        return;
    }
    out->closing = true;
    mca_pml_champion_peer_set_ring_max(out->peer, -1);
    if (NULL == out->waiting) {
        drain_later(out);
    }
}
