/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/shm/ring_out.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/mca/mq/mq_ompi_compat.h"
#include "ompi/mca/pml/champion/core/estimate.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/core/segment.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/match/completed_send.h"
#include "ompi/mca/pml/champion/large/single_copy.h"

#define RINGS mca_pml_champion_rings

/* Bytes of a cache line: the first one has what the fast paths need. */
enum { LINE = 64 };

/* The entry of a process that can be reached by ring. NULL: not this one. */
static mca_pml_champion_entry_t *entry_of(const mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_entry_t *entry =
        NULL != RINGS.area && mca_pml_champion_board_posted() &&
                peer->name.jobid == mca_pml_champion.my_jobid
            ? mca_pml_champion_board_find(peer->name.vpid)
            : NULL;

    return NULL != entry && 0 != (entry->flags & MCA_PML_CHAMPION_HAS_RINGS)
               ? entry
               : NULL;
}

void mca_pml_champion_ring_find_doorbell(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_entry_t *entry = entry_of(peer);

    if (NULL != entry) {
        peer->doorbell = &mca_pml_champion_inbox_of(entry)->doorbell;
    }
}

void mca_pml_champion_ring_enable_fast_path(mca_pml_champion_ring_out_t *out)
{
    const int32_t one_slot = out->own ? (int32_t) MCA_PML_CHAMPION_RING_SHORT
                                      : (int32_t) MCA_PML_CHAMPION_FIFO_SHORT;

    mca_pml_champion_ring_disable_fast_path(out);
    if (!RINGS.fast_path || NULL != out->waiting) {
        return;
    }
    if (!out->must_wake) {
        out->fast_max =
            out->peer->ring_max < one_slot ? out->peer->ring_max : one_slot;
    }
    /* The fast path does not refill them. */
    mca_pml_champion_completed_sends_fill();
}

static void peer_enable_fast_path(mca_pml_champion_peer_t *peer)
{
    if (&mca_pml_champion_ring_none != peer->out) {
        mca_pml_champion_ring_enable_fast_path(peer->out);
    }
}

void mca_pml_champion_rings_set_fast_path(bool allow)
{
    RINGS.fast_path = RINGS.on && allow && !mca_pml_champion.slow_calls;
    mca_pml_champion_peers_each(peer_enable_fast_path);
}

/* Largest payload that goes by ring, bytes. */
static unsigned largest(void)
{
    size_t max = RINGS.max;

    if ((0 == RINGS.shape.fragments || RINGS.pool_failed) &&
        max > MCA_PML_CHAMPION_RING_INLINE) {
        max = MCA_PML_CHAMPION_RING_INLINE;
    }
    /* A ring takes only messages that are eager anyway. Packed ones always are.
     */
    return (unsigned) mca_pml_champion_within(
        mca_pml_champion.params.eager_limit, MCA_PML_CHAMPION_PACKED_MAX, max);
}

void mca_pml_champion_ring_release(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_out_t *out = peer->out;

    MCA_PML_CHAMPION_LOCKED();
    if (&mca_pml_champion_ring_none != out && !peer->flow.throttled) {
        out->stop = false;
        mca_pml_champion_peer_set_ring_max(peer, (int32_t) largest());
        mca_pml_champion_ring_enable_fast_path(out);
    }
}

bool mca_pml_champion_ring_pool_make(void)
{
    const size_t at = mca_pml_champion_area_reserved(&RINGS.shape);
    const size_t length = mca_pml_champion_area_later(&RINGS.shape);
    const uint32_t count = RINGS.shape.fragments;

    MCA_PML_CHAMPION_LOCKED();
    if (NULL != RINGS.pool.fragment || RINGS.pool_failed || 0 == count) {
        return NULL != RINGS.pool.fragment;
    }
    if (!mca_pml_champion_board_reserve(at, length) ||
        !mca_pml_champion_ring_pool_create(
            &RINGS.pool,
            mca_pml_champion_area_fragments(RINGS.area, &RINGS.shape), count)) {
        RINGS.pool_failed = true;
        ++mca_pml_champion.counters.ring_failed;
        /* Longer messages go by UCX now. */
        mca_pml_champion_peers_each(mca_pml_champion_ring_release);
        return false;
    }
    mca_pml_champion_segment_touch(RINGS.pool.fragment, length);
    return true;
}

/* Tell the reader that its ring is used. */
static void ring_begin(mca_pml_champion_ring_out_t *out, void *area,
                       uint32_t place)
{
    mca_pml_champion_ring_t *ring = mca_pml_champion_area_ring(area, place);

    mca_pml_champion_segment_touch(ring, 1);
    mca_pml_champion_ring_writer_init(&out->writer, ring);
    out->own = true;
    out->held.ring = &out->writer;
    (void) __atomic_fetch_or(&out->inbox->opened, UINT64_C(1) << place,
                             __ATOMIC_SEQ_CST);
    mca_pml_champion_doorbell_ring(&out->inbox->doorbell);
}

static void fifo_begin(mca_pml_champion_ring_out_t *out, void *area,
                       uint32_t place)
{
    mca_pml_champion_ring_t *fifo =
        mca_pml_champion_area_fifo(area, &RINGS.shape);
    const size_t size = mca_pml_champion_fifo_size(RINGS.shape.slots);
    const size_t step = (size_t) 16 * (size_t) sysconf(_SC_PAGESIZE);

    /* The kernel maps 16 pages around one that is read: with these, most
     * messages take no page fault. */
    for (size_t at = 0; at < size; at += step) {
        mca_pml_champion_segment_touch((const char *) fifo + at, 1);
    }
    mca_pml_champion_fifo_writer_init(&out->fifo, fifo, RINGS.shape.slots,
                                      place);
    out->held.fifo = &out->fifo;
}

static mca_pml_champion_ring_out_t *out_new(mca_pml_champion_peer_t *peer,
                                            mca_pml_champion_entry_t *entry)
{
    const uint32_t place = mca_pml_champion_board_place();
    void *area = mca_pml_champion_board_area_of(entry);
    mca_pml_champion_ring_out_t *out =
        aligned_alloc(LINE, (sizeof(*out) + LINE - 1) / LINE * LINE);

    if (NULL == out) {
        return NULL;
    }
    *out = (mca_pml_champion_ring_out_t){
        .inbox = mca_pml_champion_inbox_of(entry),
        .fast_max = -1,
        .pair = mca_pml_champion_area_pair(area, &RINGS.shape, place),
        .peer = peer,
        .must_wake = 0 != (entry->flags & MCA_PML_CHAMPION_MUST_WAKE),
        .pid = entry->pid,
        .mark_at = entry->mark_at,
    };
    if (0 == RINGS.shape.slots) {
        ring_begin(out, area, place);
    } else {
        fifo_begin(out, area, place);
    }
    return out;
}

bool mca_pml_champion_ring_open(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_entry_t *entry;
    mca_pml_champion_ring_out_t *out;

    MCA_PML_CHAMPION_LOCKED();
    if (&mca_pml_champion_ring_none != peer->out) {
        return true;
    }
    entry = entry_of(peer);
    if (NULL == entry) {
        if (peer->local && !peer->ring.stranger) {
            peer->ring.stranger = true;
            mca_pml_champion_board_stranger();
        }
        return false;
    }
    peer->local = true;
    peer->doorbell = &mca_pml_champion_inbox_of(entry)->doorbell;
    out = out_new(peer, entry);
    if (NULL == out) {
        ++mca_pml_champion.counters.ring_failed;
        return false;
    }
    peer->out = out;
    peer->single_copy.advice = &out->pair->advice;
    memset(peer->single_copy.sent, 0, sizeof(peer->single_copy.sent));
    mca_pml_champion_ring_release(peer);
    return true;
}

void mca_pml_champion_ring_close(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_out_t *out = peer->out;

    peer->doorbell = &mca_pml_champion_doorbell_dummy;
    if (&mca_pml_champion_ring_none == out) {
        return;
    }
    peer->out = &mca_pml_champion_ring_none;
    peer->single_copy.advice = NULL;
    mca_pml_champion_peer_set_ring_max(peer, -1);
    free(out);
}

static ucs_status_t control_send(mca_pml_champion_peer_t *peer,
                                 const mca_pml_champion_ring_control_t *control)
{
    return mca_pml_champion_ctrl_msg_send(
        peer, MCA_PML_CHAMPION_AM_RING, control, sizeof(*control),
        UCP_AM_SEND_FLAG_EAGER | mca_pml_champion_ctrl_msg_reply(peer));
}

/* The peer has no bell: it sleeps on the descriptor of UCX, too. */
static void send_wake(mca_pml_champion_peer_t *peer)
{
    const mca_pml_champion_ring_control_t control = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = MCA_PML_CHAMPION_RING_WAKE,
    };

    (void) control_send(peer, &control);
}

void mca_pml_champion_ring_wake_reader(mca_pml_champion_ring_out_t *out)
{
    uint32_t *asleep = &out->inbox->asleep;

    /* With the fence, at least one of two things holds: this process sees the
     * mark of the reader that goes to sleep, or the reader, which polls once
     * more after it has set the mark, sees the record. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (OPAL_UNLIKELY(0 != __atomic_load_n(asleep, __ATOMIC_RELAXED)) &&
        0 != __atomic_exchange_n(asleep, 0, __ATOMIC_RELAXED)) {
        ++mca_pml_champion.counters.ring_doorbells;
        if (!mca_pml_champion_bell_ring(out->inbox->bell)) {
            send_wake(out->peer);
        }
    }
}

__attribute__((cold)) int mca_pml_champion_ring_wake_from_fast_path(
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
    if (OPAL_LIKELY(UCS_OK == status)) {
        return;
    }
    if (MCA_MQ_OMPI_FT_ENABLED) {
        /* It may have failed. */
        opal_output(0,
                    "champion: %s cannot be told that its message has come: %s",
                    OPAL_NAME_PRINT(peer->name), ucs_status_string(status));
        return;
    }
    /* The sender of the RGET would wait forever. */
    mca_pml_champion_abort(
        MPI_ERR_OTHER, "%s cannot be told that its message has come: %s",
        OPAL_NAME_PRINT(peer->name), ucs_status_string(status));
}
