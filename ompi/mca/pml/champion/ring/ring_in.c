/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/ring/ring_in.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/node/board.h"
#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/ring/ring_out.h"

#define RINGS mca_pml_champion_rings

/* Polls may skip UCX only if all other processes have a ring to this one,
 * because only those can ring a doorbell here. */
void mca_pml_champion_rings_look_for_all(void)
{
    RINGS.all =
        !RINGS.foreign && !mca_pml_champion_offload.on &&
        RINGS.in != RINGS.rings_end &&
        RINGS.rings_end - RINGS.in == (ptrdiff_t) mca_pml_champion.job_size - 1;
    mca_pml_champion_poll_soon();
}

/* Room for all rings, which are added at the front, and the FIFO. */
static bool in_make(void)
{
    if (NULL == RINGS.places) {
        RINGS.places = calloc(RINGS.count + 1, sizeof(*RINGS.places));
        if (NULL == RINGS.places) {
            return false;
        }
        RINGS.in = RINGS.rings_end = RINGS.in_end = RINGS.places + RINGS.count;
    }
    return true;
}

static bool segment_make(void)
{
    if (NULL != RINGS.segment.memory) {
        return true;
    }
    RINGS.failed =
        RINGS.failed || !in_make() ||
        !mca_pml_champion_segment_create(
            &RINGS.segment, RINGS.count * sizeof(mca_pml_champion_ring_t));
    return !RINGS.failed;
}

/* Tell who writes to a ring of this process how to wake it. */
static void set_bell(mca_pml_champion_ring_t *ring)
{
    _Static_assert(MCA_PML_CHAMPION_BELL_NAME == sizeof(ring->bell),
                   "all of the name");
    memcpy(ring->bell, mca_pml_champion_bell(), sizeof(ring->bell));
}

uint32_t mca_pml_champion_rings_fifo_slots(void)
{
    return RINGS.on && !mca_pml_champion_offload.on && 0 != RINGS.share
               ? mca_pml_champion_fifo_slots(
                     (uint64_t) RINGS.share *
                     (opal_process_info.num_local_peers + 1))
               : 0;
}

void mca_pml_champion_rings_fifo_expect(void)
{
    if (0 != mca_pml_champion_rings_fifo_slots() && in_make()) {
        mca_pml_champion_bell_open();
    }
}

bool mca_pml_champion_rings_fifo_open(
    unsigned (*take)(mca_pml_champion_ring_in_t *in))
{
    mca_pml_champion_ring_t *fifo = mca_pml_champion_board_area();
    const uint32_t slots = mca_pml_champion_board_slots();

    if (NULL == fifo || 0 == mca_pml_champion_rings_fifo_slots() ||
        !mca_pml_champion_fifo_slots_valid(slots) ||
        mca_pml_champion_fifo_size(slots) >
            mca_pml_champion_board_area_size() ||
        NULL == RINGS.places) {
        return false;
    }
    set_bell(fifo);
    mca_pml_champion_lock();
    mca_pml_champion_fifo_reader_init(&RINGS.rings_end->reader, fifo, slots);
    RINGS.rings_end->take = take;
    RINGS.has_fifo = true;
    RINGS.in_end = RINGS.rings_end + 1;
    /* The progress thread may sleep, with no mark in the FIFO. */
    mca_pml_champion_wake_tell();
    mca_pml_champion_unlock();
    return true;
}

static mca_pml_champion_ring_t *ring_at(uint32_t index)
{
    return (mca_pml_champion_ring_t *) RINGS.segment.memory + index;
}

mca_pml_champion_ring_in_t *mca_pml_champion_ring_in_of(
    const mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    for (mca_pml_champion_ring_in_t *in = RINGS.in; in != RINGS.rings_end;
         ++in) {
        if (in->peer == peer) {
            return in;
        }
    }
    return NULL;
}

void mca_pml_champion_ring_took(mca_pml_champion_ring_in_t *in, size_t length,
                                mca_pml_champion_copy_way_t way, uint64_t since)
{
    mca_pml_champion_copy_way_times_t *times = &in->times;
    const uint32_t advice = times->advice;

    mca_pml_champion_copy_way_took(times, length, way,
                                   mca_pml_champion_now() - since);
    if (advice != times->advice) {
        __atomic_store_n(&in->reader.ring->advice, times->advice,
                         __ATOMIC_RELAXED);
    }
}

void mca_pml_champion_ring_set_stop(const mca_pml_champion_peer_t *peer,
                                    bool stop)
{
    mca_pml_champion_ring_in_t *in = mca_pml_champion_ring_in_of(peer);

    MCA_PML_CHAMPION_LOCKED();
    if (NULL != in) {
        __atomic_store_n(&in->reader.ring->stop, stop, __ATOMIC_RELAXED);
    }
}

void mca_pml_champion_rings_ask_hello(void)
{
    MCA_PML_CHAMPION_LOCKED();
    if (RINGS.has_fifo) {
        __atomic_store_n(&RINGS.rings_end->reader.ring->stop, 1,
                         __ATOMIC_RELAXED);
    }
}

/* Index of a ring that is not granted; -1: none. */
static int32_t free_ring(void)
{
    for (uint32_t i = 0; i < RINGS.count; ++i) {
        const mca_pml_champion_ring_in_t *in = RINGS.in;

        while (in != RINGS.rings_end && in->reader.ring != ring_at(i)) {
            ++in;
        }
        if (in == RINGS.rings_end) {
            return (int32_t) i;
        }
    }
    return -1;
}

static bool grant(mca_pml_champion_peer_t *peer, uint32_t index)
{
    mca_pml_champion_ring_t *ring = ring_at(index);
    mca_pml_champion_ring_in_t *in;
    mca_pml_champion_segment_name_t name;

    if (!mca_pml_champion_segment_reserve(&RINGS.segment, index * sizeof(*ring),
                                          sizeof(*ring), &name)) {
        return false;
    }
    mca_pml_champion_ring_empty(ring);
    set_bell(ring);
    if (!mca_pml_champion_ring_ctrl_send(peer, MCA_PML_CHAMPION_RING_GRANT,
                                         &name)) {
        return false;
    }
    in = --RINGS.in;
    mca_pml_champion_ring_reader_init(&in->reader, ring);
    in->take = RINGS.take;
    in->peer = peer;
    in->successor = NULL;
    in->since = peer->recv_sequence;
    in->doorbell = 0;
    in->partial.total = 0;
    in->times = (mca_pml_champion_copy_way_times_t){0};
    mca_pml_champion_rings_look_for_all();
    ++mca_pml_champion.counters.ring_granted;
    return true;
}

/* Start to compare the candidate with the holders of rings: both are measured
 * by the messages that they send from now on. */
static void candidate_set(mca_pml_champion_peer_t *peer)
{
    RINGS.candidate = peer;
    RINGS.candidate_since = peer->recv_sequence;
    RINGS.others = 0;
    for (mca_pml_champion_ring_in_t *in = RINGS.in; in != RINGS.rings_end;
         ++in) {
        in->since = in->peer->recv_sequence;
    }
}

/* Messages from a ring's sender since the comparison began, by any route. */
static uint32_t messages_since(const mca_pml_champion_ring_in_t *in)
{
    return in->peer->recv_sequence - in->since;
}

/* The candidate has requested a ring again: revoke the ring that was used
 * least, if it was used less than half as much. */
static void candidate_decide(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_in_t *least = NULL;

    RINGS.candidate = NULL;
    for (mca_pml_champion_ring_in_t *in = RINGS.in; in != RINGS.rings_end;
         ++in) {
        if (in->successor == peer) {
            return;
        }
        if (NULL == in->successor &&
            (NULL == least || messages_since(in) < messages_since(least))) {
            least = in;
        }
    }
    if (NULL != least &&
        messages_since(least) <
            (peer->recv_sequence - RINGS.candidate_since) / 2 &&
        mca_pml_champion_ring_ctrl_send(least->peer,
                                        MCA_PML_CHAMPION_RING_CLOSE, NULL)) {
        least->successor = peer;
    }
}

/* No ring is free. There is one candidate at a time; it is replaced if it does
 * not repeat its request while many others ask. */
static void refuse(mca_pml_champion_peer_t *peer)
{
    ++mca_pml_champion.counters.ring_refused;
    if (peer == RINGS.candidate) {
        candidate_decide(peer);
    } else if (NULL == RINGS.candidate || ++RINGS.others > RINGS.count) {
        candidate_set(peer);
    }
}

void mca_pml_champion_ring_asked(mca_pml_champion_peer_t *peer)
{
    int32_t index;

    if (!RINGS.on || NULL != mca_pml_champion_ring_in_of(peer)) {
        return;
    }
    if (!segment_make()) {
        ++mca_pml_champion.counters.ring_failed;
        return;
    }
    index = free_ring();
    if (index < 0) {
        refuse(peer);
    } else if (!grant(peer, (uint32_t) index)) {
        ++mca_pml_champion.counters.ring_failed;
    }
}

static void in_close(mca_pml_champion_ring_in_t *in)
{
    *in = *RINGS.in;
    ++RINGS.in;
    mca_pml_champion_rings_look_for_all();
}

void mca_pml_champion_ring_in_end(mca_pml_champion_ring_in_t *in)
{
    mca_pml_champion_peer_t *successor = in->successor;
    uint32_t index = (uint32_t) (in->reader.ring - ring_at(0));

    MCA_PML_CHAMPION_LOCKED();
    in_close(in);
    if (NULL == successor || NULL != mca_pml_champion_ring_in_of(successor)) {
        return;
    }
    if (grant(successor, index)) {
        ++mca_pml_champion.counters.ring_moved;
    } else {
        ++mca_pml_champion.counters.ring_failed;
    }
}

/* The peer cannot map the ring it was granted: take the ring back. */
void mca_pml_champion_ring_declined(const mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_in_t *in = mca_pml_champion_ring_in_of(peer);

    if (NULL != in) {
        in_close(in);
    }
}

/* A sender announces its pool: map it. The mapping is kept for all later rings
 * of that sender, because the pool is announced only once. */
void mca_pml_champion_ring_offered(
    mca_pml_champion_peer_t *peer,
    const mca_pml_champion_ring_control_t *control)
{
    if (!RINGS.on || NULL != peer->ring.fragments ||
        NULL == mca_pml_champion_ring_in_of(peer) || 0 == control->fragments ||
        control->fragments > MCA_PML_CHAMPION_RING_FRAGMENTS_MAX) {
        return;
    }
    peer->ring.num_fragments = control->fragments;
    peer->ring.pid = control->name.pid;
    peer->ring.can_be_read = mca_pml_champion_ring_can_read(
        peer->ring.pid, control->address, control->name.mark);
    peer->ring.fragments = mca_pml_champion_segment_attach(
        &control->name,
        mca_pml_champion_ring_fragments_size(control->fragments), false);
    if (NULL == peer->ring.fragments) {
        ++mca_pml_champion.counters.ring_failed;
    } else {
        mca_pml_champion_segment_touch(
            peer->ring.fragments,
            mca_pml_champion_ring_fragments_size(control->fragments));
        (void) mca_pml_champion_ring_ctrl_send(
            peer, MCA_PML_CHAMPION_RING_POOLED, NULL);
    }
}
