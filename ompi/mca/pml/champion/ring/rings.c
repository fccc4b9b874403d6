/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who gets a ring, from the parameters to the end.
 */

#include "ompi/mca/pml/champion/ring/rings.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/core/params.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/request/completed_send.h"
#include "ompi/mca/pml/champion/peer/throttle.h"
#include "ompi/mca/pml/champion/core/wake.h"

#define RINGS mca_pml_champion_rings

/* Who got no ring asks again after so many times as many messages. */
enum { AGAIN = 64 };

mca_pml_champion_rings_t mca_pml_champion_rings;

mca_pml_champion_ring_out_t mca_pml_champion_ring_none = {
    .simple_max = -1,
};

bool mca_pml_champion_rings_register(void)
{
    bool good;

    RINGS.enabled = true;
    RINGS.count = 16;
    RINGS.after = 16;
    RINGS.max = 65536;
    RINGS.fragments = 64;
    good = mca_pml_champion_param_bool(
        "ring",
        "Send small messages between processes of one node "
        "through rings in shared memory instead of UCX",
        OPAL_INFO_LVL_4, &RINGS.enabled);
    good &= mca_pml_champion_param_uint(
        "ring_count",
        "Maximum number of rings that a process provides for "
        "others to send to it, 16 KiB each. Processes "
        "without one use UCX",
        OPAL_INFO_LVL_5, 1, 4096, &RINGS.count);
    good &= mca_pml_champion_param_uint(
        "ring_after",
        "Number of messages to a process of the same node "
        "after which a ring is requested from it",
        OPAL_INFO_LVL_6, 1, 1 << 30, &RINGS.after);
    good &= mca_pml_champion_param_size(
        "ring_max",
        "Largest payload, in bytes, that is sent through a "
        "ring. Where a receiver can copy from the sender's "
        "memory (CMA), what is worth that is not",
        OPAL_INFO_LVL_5, 0, MCA_PML_CHAMPION_RING_PIECES_MAX, &RINGS.max);
    good &= mca_pml_champion_param_uint(
        "ring_fragments",
        "Number of fragments of 4 KiB that a process shares "
        "with others for payloads of more than 1 KiB that it "
        "sends through their rings. 0: these use UCX",
        OPAL_INFO_LVL_5, 0, MCA_PML_CHAMPION_RING_FRAGMENTS_MAX,
        &RINGS.fragments);
    return good;
}

/* May UCX be left out? A process without a ring has no doorbell here. */
static void look_for_all(void)
{
    RINGS.all =
        !RINGS.strangers && !mca_pml_champion_offload.on &&
        RINGS.in != RINGS.in_end &&
        RINGS.in_end - RINGS.in == (ptrdiff_t) mca_pml_champion.job_size - 1;
    mca_pml_champion_poll_soon();
}

static void born(mca_pml_champion_peer_t *peer)
{
    peer->out = &mca_pml_champion_ring_none;
    peer->ring_max = -1;
    if (peer->name.jobid != mca_pml_champion.my_jobid ||
        peer->name.vpid >= mca_pml_champion.job_size) {
        RINGS.strangers = true;
        look_for_all();
    }
}

static void connected(mca_pml_champion_peer_t *peer)
{
    peer->due_at = peer->send_sequence + RINGS.after;
    peer->ring.ask_at = peer->due_at;
}

void mca_pml_champion_rings_open(void)
{
    static mca_pml_champion_peer_hooks_t hooks = {
        .born = born,
        .connected = connected,
    };
    static const mca_pml_champion_ctrl_msg_kind_t kind = {
        .id = MCA_PML_CHAMPION_AM_RING,
        .name = "RING",
        .least = sizeof(mca_pml_champion_ring_control_t),
        .most = sizeof(mca_pml_champion_ring_control_t),
        .by = MCA_PML_CHAMPION_CTRL_MSG_BY_VPID,
        .handler = mca_pml_champion_ring_told,
    };

    mca_pml_champion_peer_hooks_add(&hooks);
    mca_pml_champion_ctrl_msg_register(&kind);
    /* Only UCX knows what other memory there may be. */
    RINGS.on = RINGS.enabled && 0 != mca_pml_champion.memory_attr &&
               0 != opal_process_info.num_local_peers;
    RINGS.busy = MCA_PML_CHAMPION_RINGS_BUSY;
    mca_pml_champion_poll_backoff_reset(&mca_pml_champion.poll_backoff);
    RINGS.simple =
        RINGS.on && !mca_pml_champion.threaded && !mca_pml_champion_offload.on;
    RINGS.take = 0 != mca_pml_champion.params.test_delay
                     ? mca_pml_champion_ring_take_late
                 : mca_pml_champion_offload.on
                     ? mca_pml_champion_ring_take_offload
                     : mca_pml_champion_ring_take;
    mca_pml_champion_throttle.hold = mca_pml_champion_ring_hold;
    mca_pml_champion_throttle.release = mca_pml_champion_ring_release;
    mca_pml_champion_throttle.set_stop = mca_pml_champion_ring_set_stop;
}

void mca_pml_champion_rings_polled(bool something)
{
    if (!RINGS.all) {
        mca_pml_champion_poll_soon(); /* whatever the doorbells say */
        return;
    }
    for (mca_pml_champion_ring_in_t *in = RINGS.in; in != RINGS.in_end; ++in) {
        uint32_t rings =
            mca_pml_champion_doorbell_rings(&in->reader.ring->doorbell);

        something = something || rings != in->doorbell;
        in->doorbell = rings;
    }
    if (something) {
        mca_pml_champion_poll_soon();
    } else {
        mca_pml_champion_poll_backoff_in_vain(&mca_pml_champion.poll_backoff,
                                              0 == mca_pml_champion.inflight);
    }
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

/* What is said about rings. */

/* If it cannot be sent, there will be no ring; messages go by UCP. */
static bool control_send(mca_pml_champion_peer_t *peer, uint16_t what,
                         const mca_pml_champion_ring_name_t *name)
{
    mca_pml_champion_ring_control_t control = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = what,
        .bell = MCA_PML_CHAMPION_ON == mca_pml_champion.params.progress_thread,
        .fragments = RINGS.pool.count,
        .reads = peer->ring.can_be_read,
        .address = NULL == RINGS.pool.shared
                       ? 0
                       : (uintptr_t) RINGS.pool.shared->part.mark,
    };

    if (NULL != name) {
        control.name = *name;
    }
    return UCS_OK ==
           mca_pml_champion_ctrl_msg_send(
               peer, MCA_PML_CHAMPION_AM_RING, &control, sizeof(control),
               UCP_AM_SEND_FLAG_EAGER | mca_pml_champion_ctrl_msg_reply(peer));
}

/* The sender's side. */

void mca_pml_champion_ring_ask(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (peer->local && RINGS.on && &mca_pml_champion_ring_none == peer->out &&
        (int32_t) (peer->send_sequence - peer->ring.ask_at) >= 0) {
        peer->ring.ask_at = peer->send_sequence + AGAIN * RINGS.after;
        (void) control_send(peer, MCA_PML_CHAMPION_RING_ASK, NULL);
    }
}

void mca_pml_champion_ring_simplify(mca_pml_champion_ring_out_t *out)
{
    const int32_t max = out->peer->ring_max;

    out->simple_max =
        RINGS.simple && !out->bell
            ? (max < MCA_PML_CHAMPION_RING_SHORT ? max
                                                 : MCA_PML_CHAMPION_RING_SHORT)
            : -1;
    if (RINGS.simple) {
        mca_pml_champion_completed_sends_fill(); /* the fast path does not */
    }
}

/* What goes by the rings of a peer, bytes. */
static unsigned largest(const mca_pml_champion_peer_t *peer)
{
    size_t max = RINGS.max, eager = mca_pml_champion.params.eager_limit;

    if (!peer->ring.pooled && max > MCA_PML_CHAMPION_RING_INLINE) {
        max = MCA_PML_CHAMPION_RING_INLINE;
    }
    /* Neither may a ring take what is not to be eager. What is packed always
     * is. */
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
    if (peer->ring.pool_offered || &mca_pml_champion_ring_none == peer->out) {
        return;
    }
    peer->ring.pool_offered = true;
    if (pool_make()) {
        (void) control_send(peer, MCA_PML_CHAMPION_RING_POOL, &RINGS.pool.name);
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

/* The peer has our pool. */
static void pooled(mca_pml_champion_peer_t *peer,
                   const mca_pml_champion_ring_control_t *control)
{
    if (peer->ring.pool_offered && NULL != RINGS.pool.shared) {
        peer->ring.pooled = true;
        peer->ring.reads = 0 != control->reads;
        mca_pml_champion_ring_release(peer);
    }
}

static bool out_open(mca_pml_champion_peer_t *peer,
                     const mca_pml_champion_ring_control_t *control)
{
    mca_pml_champion_ring_out_t *out = calloc(1, sizeof(*out));
    mca_pml_champion_ring_t *ring;

    if (NULL == out) {
        return false;
    }
    ring = mca_pml_champion_ring_attach(&control->name, sizeof(*ring), true);
    if (NULL == ring) {
        free(out);
        return false;
    }
    mca_pml_champion_ring_writer_init(&out->writer, ring);
    out->peer = peer;
    out->bell = 0 != control->bell;
    out->held.writer = &out->writer;
    out->rgets_tail = &out->rgets;
    peer->out = out;
    peer->doorbell = &ring->doorbell;
    mca_pml_champion_ring_release(peer);
    return true;
}

static void granted(mca_pml_champion_peer_t *peer,
                    const mca_pml_champion_ring_control_t *control)
{
    if (&mca_pml_champion_ring_none != peer->out) {
        return;
    }
    if (!out_open(peer, control)) {
        ++mca_pml_champion.counters.ring_failed;
        (void) control_send(peer, MCA_PML_CHAMPION_RING_DECLINE,
                            &control->name);
    }
}

static void out_close(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_out_t *out = peer->out;

    peer->out = &mca_pml_champion_ring_none;
    peer->doorbell = &mca_pml_champion_doorbell_dummy;
    mca_pml_champion_peer_set_ring_max(peer, -1);
    if (&mca_pml_champion_ring_none != out) {
        mca_pml_champion_ring_pool_forget(&RINGS.pool, &out->held);
        mca_pml_champion_ring_detach(out->writer.ring,
                                     sizeof(*out->writer.ring));
        free(out);
    }
}

void mca_pml_champion_ring_out_end(mca_pml_champion_ring_out_t *out)
{
    mca_pml_champion_peer_t *peer = out->peer;

    MCA_PML_CHAMPION_LOCKED();
    out_close(peer);
    peer->ring.ask_at = peer->send_sequence + AGAIN * RINGS.after;
}

void mca_pml_champion_ring_bell(mca_pml_champion_ring_out_t *out)
{
    uint32_t *asleep = &out->writer.ring->asleep;

    /* Either this sees that the reader goes to sleep, or the reader, which
     * looks once more after it has said so, sees the record. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (OPAL_UNLIKELY(0 != __atomic_load_n(asleep, __ATOMIC_RELAXED)) &&
        0 != __atomic_exchange_n(asleep, 0, __ATOMIC_RELAXED)) {
        ++mca_pml_champion.counters.ring_bells;
        (void) control_send(out->peer, MCA_PML_CHAMPION_RING_BELL, NULL);
    }
}

void mca_pml_champion_ring_fin_by_ucx(const mca_pml_champion_peer_t *peer,
                                      uint32_t sequence)
{
    const mca_pml_champion_ring_control_t control = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = MCA_PML_CHAMPION_RING_FIN_MSG,
        .sequence = sequence,
    };
    ucs_status_t status =
        mca_pml_champion_ctrl_msg_send(peer, MCA_PML_CHAMPION_AM_RING, &control,
                                       sizeof(control), UCP_AM_SEND_FLAG_EAGER);

    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(UCS_OK != status)) {
        /* Its sender would wait for ever. */
        mca_pml_champion_abort(MPI_ERR_OTHER,
                               "%s cannot be told that its message has come: "
                               "%s",
                               OPAL_NAME_PRINT(peer->name),
                               ucs_status_string(status));
    }
}

/* The receiver's side. */

static bool segment_make(void)
{
    if (NULL != RINGS.segment.memory) {
        return true;
    }
    if (RINGS.failed) {
        return false;
    }
    RINGS.in = calloc(RINGS.count, sizeof(*RINGS.in));
    if (NULL == RINGS.in ||
        !mca_pml_champion_ring_segment_create(
            &RINGS.segment, RINGS.count * sizeof(mca_pml_champion_ring_t))) {
        free(RINGS.in);
        RINGS.in = NULL;
        RINGS.failed = true;
    }
    RINGS.in_end = RINGS.in;
    return !RINGS.failed;
}

static mca_pml_champion_ring_t *ring_at(uint32_t index)
{
    return (mca_pml_champion_ring_t *) RINGS.segment.memory + index;
}

/* The ring that a peer has, or is being told of; NULL: none. */
static mca_pml_champion_ring_in_t *in_of(const mca_pml_champion_peer_t *peer)
{
    for (mca_pml_champion_ring_in_t *in = RINGS.in; in != RINGS.in_end; ++in) {
        if (in->peer == peer) {
            return in;
        }
    }
    return NULL;
}

void mca_pml_champion_ring_set_stop(const mca_pml_champion_peer_t *peer,
                                    bool stop)
{
    mca_pml_champion_ring_in_t *in = in_of(peer);

    MCA_PML_CHAMPION_LOCKED();
    if (NULL != in) {
        __atomic_store_n(&in->reader.ring->stop, stop, __ATOMIC_RELAXED);
    }
}

/* A ring that nobody has; -1: there is none. */
static int32_t free_ring(void)
{
    for (uint32_t i = 0; i < RINGS.count; ++i) {
        const mca_pml_champion_ring_in_t *in = RINGS.in;

        while (in != RINGS.in_end && in->reader.ring != ring_at(i)) {
            ++in;
        }
        if (in == RINGS.in_end) {
            return (int32_t) i;
        }
    }
    return -1;
}

static bool grant(mca_pml_champion_peer_t *peer, uint32_t index)
{
    mca_pml_champion_ring_t *ring = ring_at(index);
    mca_pml_champion_ring_name_t name;

    if (!mca_pml_champion_ring_segment_reserve(
            &RINGS.segment, index * sizeof(*ring), sizeof(*ring), &name)) {
        return false;
    }
    mca_pml_champion_ring_empty(ring);
    if (!control_send(peer, MCA_PML_CHAMPION_RING_GRANT, &name)) {
        return false;
    }
    mca_pml_champion_ring_reader_init(&RINGS.in_end->reader, ring);
    RINGS.in_end->peer = peer;
    RINGS.in_end->heir = NULL;
    RINGS.in_end->since = peer->recv_sequence;
    RINGS.in_end->doorbell = 0;
    RINGS.in_end->partial.total = 0;
    ++RINGS.in_end;
    look_for_all();
    ++mca_pml_champion.counters.ring_granted;
    return true;
}

/* Compare what senders send from now on. */
static void candidate_set(mca_pml_champion_peer_t *peer)
{
    RINGS.candidate = peer;
    RINGS.candidate_since = peer->recv_sequence;
    RINGS.others = 0;
    for (mca_pml_champion_ring_in_t *in = RINGS.in; in != RINGS.in_end; ++in) {
        in->since = in->peer->recv_sequence;
    }
}

/* Messages that came from a ring's sender in that time, by whatever way. */
static uint32_t messages_since(const mca_pml_champion_ring_in_t *in)
{
    return in->peer->recv_sequence - in->since;
}

/* The candidate has asked again: who has sent least? */
static void candidate_decide(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_in_t *least = NULL;

    RINGS.candidate = NULL;
    for (mca_pml_champion_ring_in_t *in = RINGS.in; in != RINGS.in_end; ++in) {
        if (in->heir == peer) {
            return;
        }
        if (NULL == in->heir &&
            (NULL == least || messages_since(in) < messages_since(least))) {
            least = in;
        }
    }
    if (NULL != least &&
        messages_since(least) <
            (peer->recv_sequence - RINGS.candidate_since) / 2 &&
        control_send(least->peer, MCA_PML_CHAMPION_RING_CLOSE, NULL)) {
        least->heir = peer;
    }
}

/* All rings are taken. One candidate at a time; one that does not come back is
 * forgotten. */
static void refuse(mca_pml_champion_peer_t *peer)
{
    ++mca_pml_champion.counters.ring_refused;
    if (peer == RINGS.candidate) {
        candidate_decide(peer);
    } else if (NULL == RINGS.candidate || ++RINGS.others > RINGS.count) {
        candidate_set(peer);
    }
}

static void asked(mca_pml_champion_peer_t *peer)
{
    int32_t index;

    if (!RINGS.on || NULL != in_of(peer)) {
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
    --RINGS.in_end;
    *in = *RINGS.in_end;
    look_for_all();
}

void mca_pml_champion_ring_in_end(mca_pml_champion_ring_in_t *in)
{
    mca_pml_champion_peer_t *heir = in->heir;
    uint32_t index = (uint32_t) (in->reader.ring - ring_at(0));

    MCA_PML_CHAMPION_LOCKED();
    in_close(in);
    if (NULL == heir || NULL != in_of(heir)) {
        return;
    }
    if (grant(heir, index)) {
        ++mca_pml_champion.counters.ring_moved;
    } else {
        ++mca_pml_champion.counters.ring_failed;
    }
}

/* The peer cannot use the ring it was given. */
static void declined(const mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_in_t *in = in_of(peer);

    if (NULL != in) {
        in_close(in);
    }
}

/* A sender has a pool. It stays mapped, so that what was said once is true for
 * all its rings. */
static void offered(mca_pml_champion_peer_t *peer,
                    const mca_pml_champion_ring_control_t *control)
{
    if (!RINGS.on || NULL != peer->ring.fragments || NULL == in_of(peer) ||
        0 == control->fragments ||
        control->fragments > MCA_PML_CHAMPION_RING_FRAGMENTS_MAX) {
        return;
    }
    peer->ring.num_fragments = control->fragments;
    peer->ring.pid = control->name.pid;
    peer->ring.can_be_read = mca_pml_champion_ring_can_read(
        peer->ring.pid, control->address, control->name.mark);
    peer->ring.fragments = mca_pml_champion_ring_attach(
        &control->name,
        mca_pml_champion_ring_fragments_size(control->fragments), false);
    if (NULL == peer->ring.fragments) {
        ++mca_pml_champion.counters.ring_failed;
    } else {
        (void) control_send(peer, MCA_PML_CHAMPION_RING_POOLED, NULL);
    }
}

mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_ring_told(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length)
{
    mca_pml_champion_ring_control_t control;

    MCA_PML_CHAMPION_LOCKED();
    (void) length;
    memcpy(&control, bytes, sizeof(control));
    switch (control.what) {
    case MCA_PML_CHAMPION_RING_ASK:
        asked(peer);
        break;
    case MCA_PML_CHAMPION_RING_GRANT:
        granted(peer, &control);
        break;
    case MCA_PML_CHAMPION_RING_DECLINE:
        declined(peer);
        break;
    case MCA_PML_CHAMPION_RING_POOL:
        offered(peer, &control);
        break;
    case MCA_PML_CHAMPION_RING_POOLED:
        pooled(peer, &control);
        break;
    case MCA_PML_CHAMPION_RING_CLOSE:
        if (&mca_pml_champion_ring_none != peer->out) {
            mca_pml_champion_ring_return(peer->out);
        }
        break;
    case MCA_PML_CHAMPION_RING_FIN_MSG:
        if (!mca_pml_champion_ring_fin_came(peer->out, control.sequence)) {
            return MCA_PML_CHAMPION_CTRL_MSG_ABSENT;
        }
        break;
    case MCA_PML_CHAMPION_RING_BELL:
        break; /* whom it should wake is awake */
    default:
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

bool mca_pml_champion_rings_sleep(void)
{
    bool ready = false;

    MCA_PML_CHAMPION_LOCKED();
    for (mca_pml_champion_ring_in_t *in = RINGS.in; in != RINGS.in_end; ++in) {
        __atomic_store_n(&in->reader.ring->asleep, 1, __ATOMIC_RELAXED);
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (mca_pml_champion_ring_in_t *in = RINGS.in; in != RINGS.in_end; ++in) {
        ready = ready || mca_pml_champion_ring_ready(&in->reader);
    }
    if (ready) {
        mca_pml_champion_rings_wake();
    }
    return !ready;
}

void mca_pml_champion_rings_wake(void)
{
    for (mca_pml_champion_ring_in_t *in = RINGS.in; in != RINGS.in_end; ++in) {
        __atomic_store_n(&in->reader.ring->asleep, 0, __ATOMIC_RELAXED);
    }
}

static void peer_close(mca_pml_champion_peer_t *peer)
{
    out_close(peer);
    peer->ring.pool_offered = peer->ring.pooled = peer->ring.reads = false;
    if (NULL != peer->ring.fragments) {
        mca_pml_champion_ring_detach(
            peer->ring.fragments,
            mca_pml_champion_ring_fragments_size(peer->ring.num_fragments));
        peer->ring.fragments = NULL;
    }
}

void mca_pml_champion_rings_close(void)
{
    if (NULL != mca_pml_champion.job_peers) {
        mca_pml_champion_lock();
        mca_pml_champion_peers_each(peer_close);
        mca_pml_champion_unlock();
    }
    mca_pml_champion_ring_pool_destroy(&RINGS.pool);
    RINGS.pool_failed = false;
    RINGS.waiting = NULL;
    RINGS.candidate = NULL;
    mca_pml_champion_ring_segment_destroy(&RINGS.segment);
    free(RINGS.in);
    RINGS.in = RINGS.in_end = NULL;
    RINGS.all = RINGS.strangers = false;
    RINGS.on = false;
    RINGS.failed = false;
}
