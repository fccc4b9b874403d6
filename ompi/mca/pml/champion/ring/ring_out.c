/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/ring/ring_out.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/request/completed_send.h"
#include "ompi/mca/pml/champion/rndv/single_copy.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/node/board.h"

#define RINGS mca_pml_champion_rings

/* A sender without a ring requests one again after this many times after_by_ucx
 * messages. */
enum { AGAIN = 64 };

/* Bytes of a cache line: the first one has what the fast paths need. */
enum { LINE = 64 };

/* Must it go by UCX? A WAKE must, on whose descriptor the peer sleeps; and all of
 * a process that is not on the board: the peer answers by the endpoint that comes
 * with it. */
static bool wants_endpoint(const mca_pml_champion_ring_control_t *control)
{
    return MCA_PML_CHAMPION_RING_WAKE == control->what ||
           !mca_pml_champion_board_posted();
}

/* Send a control message by the peer's FIFO. False if there is no room, or if it
 * must go by UCX. */
static bool control_by_fifo(mca_pml_champion_peer_t *peer,
                            const mca_pml_champion_ring_control_t *control)
{
    mca_pml_champion_ring_out_t *out;
    mca_pml_champion_ring_slot_t *slot;

    if (wants_endpoint(control) || !mca_pml_champion_ring_fifo_open(peer)) {
        return false;
    }
    out = peer->ring.fifo;
    slot = mca_pml_champion_fifo_reserve(&out->fifo, sizeof(*control));
    if (NULL == slot) {
        return false;
    }
    memcpy(slot->data, control, sizeof(*control));
    mca_pml_champion_fifo_publish(&out->fifo, slot, MCA_PML_CHAMPION_RING_CTRL,
                                  sizeof(*control));
    if (mca_pml_champion_ring_reader_sleeps(out)) {
        mca_pml_champion_ring_wake_reader(out);
    }
    return true;
}

static ucs_status_t control_send(mca_pml_champion_peer_t *peer,
                                 const mca_pml_champion_ring_control_t *control)
{
    if (control_by_fifo(peer, control)) {
        return UCS_OK;
    }
    return mca_pml_champion_ctrl_msg_send(
        peer, MCA_PML_CHAMPION_AM_RING, control, sizeof(*control),
        UCP_AM_SEND_FLAG_EAGER | mca_pml_champion_ctrl_msg_reply(peer));
}

bool mca_pml_champion_ring_ctrl_send(
    mca_pml_champion_peer_t *peer, uint16_t what,
    const mca_pml_champion_segment_name_t *name)
{
    mca_pml_champion_ring_control_t control = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = what,
        .wakes = MCA_PML_CHAMPION_ON == mca_pml_champion_thread_mode(),
        .fragments = RINGS.pool.count,
        .reads = peer->ring.can_be_read,
        .address = NULL == RINGS.pool.shared
                       ? 0
                       : (uintptr_t) RINGS.pool.shared->part.mark,
    };

    if (NULL != name) {
        control.name = *name;
    }
    return UCS_OK == control_send(peer, &control);
}

void mca_pml_champion_ring_ask(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (peer->local && RINGS.on && !peer->out->own &&
        (int32_t) (peer->send_sequence - peer->ring.ask_at) >= 0) {
        const mca_pml_champion_ring_control_t control = {
            .vpid = OPAL_PROC_MY_NAME.vpid,
            .what = MCA_PML_CHAMPION_RING_ASK,
        };

        peer->ring.ask_at = peer->send_sequence + AGAIN * RINGS.after_by_ucx;
        (void) control_send(peer, &control);
    }
}

void mca_pml_champion_ring_ask_sooner(mca_pml_champion_peer_t *peer,
                                      uint32_t at)
{
    MCA_PML_CHAMPION_LOCKED();
    if ((int32_t) (at - peer->ring.ask_at) < 0) {
        peer->ring.ask_at = at;
    }
    if ((int32_t) (at - peer->due_at) < 0) {
        peer->due_at = at;
    }
}

/* Begin to count which share of what goes by FIFOs goes to the peer. */
static void look_at_share(mca_pml_champion_peer_t *peer)
{
    peer->ring.fifo->looked_sequence = peer->send_sequence;
    peer->ring.fifo->looked_by_fifo = RINGS.by_fifo;
}

/* Does at least one part of what goes by FIFOs go to the peer, out of as many
 * as a process grants rings? */
static bool has_share(const mca_pml_champion_peer_t *peer)
{
    const mca_pml_champion_ring_out_t *fifo = peer->ring.fifo;
    const uint32_t to_it = peer->send_sequence - fifo->looked_sequence,
                   to_all = RINGS.by_fifo - fifo->looked_by_fifo;

    return (uint64_t) to_it * RINGS.count >= to_all;
}

void mca_pml_champion_ring_ask_for_share(mca_pml_champion_peer_t *peer)
{
    bool enough;

    if ((int32_t) (peer->send_sequence - peer->ring.ask_at) < 0) {
        return;
    }
    enough = has_share(peer);
    look_at_share(peer);
    if (enough) {
        mca_pml_champion_ring_ask(peer);
    } else {
        peer->ring.ask_at = peer->send_sequence + RINGS.after;
    }
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

void mca_pml_champion_ring_simplify(mca_pml_champion_ring_out_t *out)
{
    const int32_t max = out->peer->ring_max;

    mca_pml_champion_ring_complicate(out);
    if (!RINGS.simple) {
        return;
    }
    if (!out->wakes && out->own) {
        out->simple_max = smaller(max, MCA_PML_CHAMPION_RING_SHORT);
    } else if (!out->wakes) {
        out->fifo_max = smaller(max, MCA_PML_CHAMPION_FIFO_SHORT);
    }
    /* The fast path does not refill them. */
    mca_pml_champion_completed_sends_fill();
}

static void peer_simplify(mca_pml_champion_peer_t *peer)
{
    if (&mca_pml_champion_ring_none != peer->out &&
        NULL == peer->out->waiting) {
        mca_pml_champion_ring_simplify(peer->out);
    }
}

void mca_pml_champion_rings_set_simple(bool simple)
{
    RINGS.simple = RINGS.on && simple && !mca_pml_champion_offload.on;
    mca_pml_champion_peers_each(peer_simplify);
}

/* Largest payload that goes by the peer's ring, or FIFO, bytes. */
static unsigned largest(const mca_pml_champion_peer_t *peer)
{
    size_t max = RINGS.max, eager = mca_pml_champion.params.eager_limit;

    if (!(peer->ring.pooled && peer->out->own) &&
        max > MCA_PML_CHAMPION_RING_WHOLE) {
        max = MCA_PML_CHAMPION_RING_WHOLE;
    }
    /* A ring takes only messages that are eager anyway. Packed ones always are.
     */
    if (eager < MCA_PML_CHAMPION_PACKED_MAX) {
        eager = MCA_PML_CHAMPION_PACKED_MAX;
    }
    return (unsigned) (eager < max ? eager : max);
}

static void set_ring_max(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_peer_set_ring_max(peer, (int32_t) largest(peer));
}

static bool pool_make(void)
{
    if (NULL != RINGS.pool.shared) {
        return true;
    }
    if (0 == RINGS.fragments || RINGS.pool_failed) {
        return false;
    }
    if (!mca_pml_champion_ring_pool_create(&RINGS.pool, RINGS.fragments)) {
        RINGS.pool_failed = true;
        ++mca_pml_champion.counters.ring_failed;
    }
    return !RINGS.pool_failed;
}

void mca_pml_champion_ring_offer(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (peer->ring.pool_offered || !peer->out->own) {
        return;
    }
    peer->ring.pool_offered = true;
    if (pool_make()) {
        (void) mca_pml_champion_ring_ctrl_send(peer, MCA_PML_CHAMPION_RING_POOL,
                                               &RINGS.pool.name);
    }
}

void mca_pml_champion_ring_release(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_out_t *out = peer->out;

    MCA_PML_CHAMPION_LOCKED();
    if (&mca_pml_champion_ring_none != out && !out->closing &&
        !peer->flow.throttled) {
        out->stop = false;
        set_ring_max(peer);
        mca_pml_champion_ring_simplify(out);
    }
}

void mca_pml_champion_ring_slow(mca_pml_champion_peer_t *peer, bool slow)
{
    MCA_PML_CHAMPION_LOCKED();
    if (peer->out->own || &mca_pml_champion_ring_none == peer->out) {
        return;
    }
    if (slow) {
        mca_pml_champion_peer_set_ring_max(peer, -1);
        mca_pml_champion_ring_complicate(peer->out);
    } else {
        set_ring_max(peer);
        peer_simplify(peer);
    }
}

/* The peer has mapped this process's pool. */
void mca_pml_champion_ring_pooled(
    mca_pml_champion_peer_t *peer,
    const mca_pml_champion_ring_control_t *control)
{
    if (peer->ring.pool_offered && NULL != RINGS.pool.shared) {
        peer->ring.pooled = true;
        peer->ring.reads = 0 != control->reads;
        if (peer->ring.reads) {
            mca_pml_champion_single_copy_can_be_read(peer);
        }
        mca_pml_champion_ring_release(peer);
    }
}

/* The sender's side of a ring or FIFO in mapped memory. NULL if that fails. */
static mca_pml_champion_ring_out_t *out_new(mca_pml_champion_peer_t *peer,
                                            mca_pml_champion_ring_t *ring,
                                            int32_t pid, bool wakes)
{
    mca_pml_champion_ring_out_t *out =
        aligned_alloc(LINE, (sizeof(*out) + LINE - 1) / LINE * LINE);

    if (NULL == out) {
        return NULL;
    }
    *out = (mca_pml_champion_ring_out_t){
        .writer.ring = ring, .peer = peer, .wakes = wakes, .pid = pid};
    mca_pml_champion_ring_complicate(out);
    return out;
}

static bool out_open(mca_pml_champion_peer_t *peer,
                     const mca_pml_champion_ring_control_t *control)
{
    mca_pml_champion_ring_t *ring = mca_pml_champion_segment_attach(
        &control->name, sizeof(mca_pml_champion_ring_t), true);
    mca_pml_champion_ring_out_t *out =
        NULL == ring
            ? NULL
            : out_new(peer, ring, control->name.pid, 0 != control->wakes);

    if (NULL == out) {
        if (NULL != ring) {
            mca_pml_champion_segment_detach(ring, sizeof(*ring));
        }
        return false;
    }
    mca_pml_champion_ring_writer_init(&out->writer, ring);
    out->own = true;
    out->held.writer = &out->writer;
    peer->out = out;
    peer->doorbell = &out->writer.ring->doorbell;
    peer->single_copy.advice = &out->writer.ring->advice;
    memset(peer->single_copy.sent, 0, sizeof(peer->single_copy.sent));
    mca_pml_champion_ring_release(peer);
    return true;
}

/* The kernel maps 16 pages around one that is read: with these, most messages
 * take no page fault. */
static void touch_fifo(const void *fifo, size_t size)
{
    const size_t step = (size_t) 16 * (size_t) sysconf(_SC_PAGESIZE);

    for (size_t at = 0; at < size; at += step) {
        mca_pml_champion_segment_touch((const char *) fifo + at, 1);
    }
}

bool mca_pml_champion_ring_fifo_open(mca_pml_champion_peer_t *peer)
{
    const mca_pml_champion_card_t *card;
    const mca_pml_champion_address_t *address;
    mca_pml_champion_ring_out_t *out;

    MCA_PML_CHAMPION_LOCKED();
    if (NULL != peer->ring.fifo) {
        return true;
    }
    card = RINGS.has_fifo && peer->name.jobid == mca_pml_champion.my_jobid
               ? mca_pml_champion_board_find(peer->name.vpid)
               : NULL;
    address = NULL == card ? NULL : (const void *) card->address;
    if (NULL == card || 0 == (address->wanted & MCA_PML_CHAMPION_HAS_FIFO)) {
        return false;
    }
    out = out_new(peer, mca_pml_champion_board_area_of(card), card->pid,
                  0 != (address->wanted & MCA_PML_CHAMPION_WAKES));
    if (NULL == out) {
        ++mca_pml_champion.counters.ring_failed;
        return false;
    }
    touch_fifo(out->writer.ring, mca_pml_champion_board_area_size());
    mca_pml_champion_fifo_writer_init(&out->fifo, out->writer.ring,
                                      mca_pml_champion_board_slots(),
                                      OPAL_PROC_MY_NAME.vpid);
    peer->local = true;
    peer->ring.fifo = out;
    look_at_share(peer);
    peer->due_at = peer->send_sequence +
                   (NULL == peer->ep ? RINGS.after : RINGS.after_by_ucx);
    peer->ring.ask_at = peer->due_at;
    if (&mca_pml_champion_ring_none == peer->out) {
        peer->out = out;
        mca_pml_champion_ring_release(peer);
    }
    return true;
}

void mca_pml_champion_ring_granted(
    mca_pml_champion_peer_t *peer,
    const mca_pml_champion_ring_control_t *control)
{
    if (peer->out->own) {
        return;
    }
    if (!out_open(peer, control)) {
        ++mca_pml_champion.counters.ring_failed;
        (void) mca_pml_champion_ring_ctrl_send(
            peer, MCA_PML_CHAMPION_RING_DECLINE, &control->name);
    }
}

void mca_pml_champion_ring_out_close(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_out_t *out = peer->out;

    if (!out->own) {
        return;
    }
    peer->out =
        NULL == peer->ring.fifo ? &mca_pml_champion_ring_none : peer->ring.fifo;
    peer->doorbell = &mca_pml_champion_doorbell_dummy;
    peer->single_copy.advice = NULL;
    mca_pml_champion_peer_set_ring_max(peer, -1);
    mca_pml_champion_ring_release(peer);
    mca_pml_champion_ring_pool_forget(&RINGS.pool, &out->held);
    mca_pml_champion_segment_detach(out->writer.ring,
                                    sizeof(*out->writer.ring));
    free(out);
}

void mca_pml_champion_ring_fifo_close(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_out_t *out = peer->ring.fifo;

    if (NULL == out) {
        return;
    }
    if (peer->out == out) {
        peer->out = &mca_pml_champion_ring_none;
        mca_pml_champion_peer_set_ring_max(peer, -1);
    }
    peer->ring.fifo = NULL;
    free(out);
}

void mca_pml_champion_ring_out_end(mca_pml_champion_ring_out_t *out)
{
    mca_pml_champion_peer_t *peer = out->peer;

    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_ring_out_close(peer);
    peer->ring.ask_at = peer->send_sequence + AGAIN * RINGS.after;
}

void mca_pml_champion_ring_wake_reader(mca_pml_champion_ring_out_t *out)
{
    uint32_t *asleep = &out->writer.ring->asleep;

    /* With the fence, at least one of two things holds: this process sees the
     * mark of the reader that goes to sleep, or the reader, which polls once
     * more after it has set the mark, sees the record. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (OPAL_UNLIKELY(0 != __atomic_load_n(asleep, __ATOMIC_RELAXED)) &&
        0 != __atomic_exchange_n(asleep, 0, __ATOMIC_RELAXED)) {
        ++mca_pml_champion.counters.ring_doorbells;
        if (!mca_pml_champion_bell_ring(out->writer.ring->bell)) {
            (void) mca_pml_champion_ring_ctrl_send(
                out->peer, MCA_PML_CHAMPION_RING_WAKE, NULL);
        }
    }
}

__attribute__((cold)) int mca_pml_champion_ring_wake_simple(
    mca_pml_champion_ring_out_t *out)
{
    mca_pml_champion_lock();
    mca_pml_champion_ring_wake_reader(out);
    mca_pml_champion_unlock();
    return OMPI_SUCCESS;
}

void mca_pml_champion_ring_fin_by_message(mca_pml_champion_peer_t *peer,
                                          uint32_t sequence, bool read)
{
    const mca_pml_champion_ring_control_t control = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = read ? MCA_PML_CHAMPION_RING_FIN_MSG
                     : MCA_PML_CHAMPION_RING_LOST_MSG,
        .sequence = sequence,
    };
    const ucs_status_t status = control_send(peer, &control);

    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(UCS_OK != status)) {
        /* The sender of the RGET would wait forever. */
        mca_pml_champion_abort(MPI_ERR_OTHER,
                               "%s cannot be told that its message has come: "
                               "%s",
                               OPAL_NAME_PRINT(peer->name),
                               ucs_status_string(status));
    }
}
