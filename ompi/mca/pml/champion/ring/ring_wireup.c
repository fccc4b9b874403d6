/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/ring/ring_wireup.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/device.h"
#include "ompi/mca/pml/champion/core/params.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/node/board.h"
#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/peer/throttle.h"
#include "ompi/mca/pml/champion/ring/ring_in.h"
#include "ompi/mca/pml/champion/ring/ring_out.h"
#include "ompi/mca/pml/champion/ring/ring_recv.h"
#include "ompi/mca/pml/champion/ring/ring_send.h"

#define RINGS mca_pml_champion_rings

/* A message by UCX counts as so many by a FIFO. */
enum { FIFO_TO_UCX = 1024 };

bool mca_pml_champion_rings_register(void)
{
    bool good;

    RINGS.enabled = true;
    RINGS.count = 16;
    RINGS.after = 16384;
    RINGS.max = 131072;
    RINGS.fragments = 32;
    RINGS.share = 16;
    good = mca_pml_champion_param_bool(
        "ring",
        "Send small messages between processes of a node through rings in "
        "shared memory instead of UCX",
        OPAL_INFO_LVL_4, &RINGS.enabled);
    good &= mca_pml_champion_param_uint(
        "ring_count",
        "Maximum number of rings, 16 KiB each, that a process provides for "
        "senders on its node. Senders without a ring use the FIFO "
        "(pml_champion_ring_fifo), or UCX",
        OPAL_INFO_LVL_5, 1, 4096, &RINGS.count);
    good &= mca_pml_champion_param_uint(
        "ring_fifo",
        "Slots of 128 bytes, for each process of the node, of the FIFO through "
        "which senders without a ring reach a process. At least 256 slots, at "
        "most 65536, rounded down to a power of two. 0: no FIFO, such senders "
        "use UCX",
        OPAL_INFO_LVL_5, 0, 1024, &RINGS.share);
    good &= mca_pml_champion_param_uint(
        "ring_after",
        "Number of messages by the FIFO of a process of the same node after "
        "which the sender requests a ring, if that process gets a good part of "
        "its messages. Once a message has gone by UCX, 1/1024 of it is enough",
        OPAL_INFO_LVL_9, 1, 1 << 30, &RINGS.after);
    good &= mca_pml_champion_param_size(
        "ring_max",
        "Largest payload, in bytes, that is sent through a ring. With CMA, "
        "messages for which a direct copy from the sender's memory is faster "
        "bypass the ring",
        OPAL_INFO_LVL_5, 0, MCA_PML_CHAMPION_RING_MESSAGE_MAX, &RINGS.max);
    good &= mca_pml_champion_param_uint(
        "ring_fragments",
        "Number of fragments of 16 KiB, in memory shared with its receivers, "
        "that a process has for the payloads of more than 1 KiB that it sends "
        "through rings. 0: those of more than 4 KiB use UCX",
        OPAL_INFO_LVL_9, 0, MCA_PML_CHAMPION_RING_FRAGMENTS_MAX,
        &RINGS.fragments);
    return good;
}

static void born(mca_pml_champion_peer_t *peer)
{
    peer->out = &mca_pml_champion_ring_none;
    peer->ring_max = -1;
    peer->ring.rgets_tail = &peer->ring.rgets;
    if (peer->name.jobid != mca_pml_champion.my_jobid ||
        peer->name.vpid >= mca_pml_champion.job_size) {
        RINGS.foreign = true;
        mca_pml_champion_rings_look_for_all();
    }
}

/* From now on messages may go by UCX, which costs much more than a FIFO. */
static void connected(mca_pml_champion_peer_t *peer)
{
    const uint32_t soon = peer->send_sequence + RINGS.after_by_ucx;

    if (NULL == peer->ring.fifo) {
        peer->due_at = soon;
        peer->ring.ask_at = soon;
    } else if (!peer->out->own) {
        mca_pml_champion_ring_ask_sooner(peer, soon);
    }
}

static mca_pml_champion_ctrl_msg_verdict_t received(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length)
{
    mca_pml_champion_ring_control_t control;

    MCA_PML_CHAMPION_LOCKED();
    (void) length;
    memcpy(&control, bytes, sizeof(control));
    switch (control.what) {
    case MCA_PML_CHAMPION_RING_ASK:
        mca_pml_champion_ring_asked(peer);
        break;
    case MCA_PML_CHAMPION_RING_GRANT:
        mca_pml_champion_ring_granted(peer, &control);
        break;
    case MCA_PML_CHAMPION_RING_DECLINE:
        mca_pml_champion_ring_declined(peer);
        break;
    case MCA_PML_CHAMPION_RING_POOL:
        mca_pml_champion_ring_offered(peer, &control);
        break;
    case MCA_PML_CHAMPION_RING_POOLED:
        mca_pml_champion_ring_pooled(peer, &control);
        break;
    case MCA_PML_CHAMPION_RING_CLOSE:
        if (peer->out->own) {
            mca_pml_champion_ring_return(peer->out);
        }
        break;
    case MCA_PML_CHAMPION_RING_FIN_MSG:
    case MCA_PML_CHAMPION_RING_LOST_MSG:
        if (!mca_pml_champion_ring_fin_came(peer, control.sequence,
                                            MCA_PML_CHAMPION_RING_FIN_MSG ==
                                                control.what)) {
            return MCA_PML_CHAMPION_CTRL_MSG_ABSENT;
        }
        break;
    case MCA_PML_CHAMPION_RING_WAKE:
        break; /* polling the message has woken the process */
    default:
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

/* The first process of a node makes the board. */
static void board_make(void)
{
    const uint32_t slots = mca_pml_champion_rings_fifo_slots();

    mca_pml_champion_peer_fifo_open = mca_pml_champion_ring_fifo_open;
    mca_pml_champion_rings_fifo_expect();
    if (0 != opal_process_info.num_local_peers &&
        0 == opal_process_info.my_local_rank &&
        !mca_pml_champion_board_make(
            (uint32_t) opal_process_info.num_local_peers + 1, slots,
            0 == slots ? 0 : mca_pml_champion_fifo_size(slots))) {
        ++mca_pml_champion.counters.ring_failed;
    }
}

bool mca_pml_champion_rings_listen(void)
{
    return mca_pml_champion_rings_fifo_open(mca_pml_champion_ring_take_fifo);
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
        .handler = received,
    };

    mca_pml_champion_peer_hooks_add(&hooks);
    mca_pml_champion_ctrl_msg_register(&kind);
    /* If Open MPI has no accelerator whose memory it knows, only UCX can tell
     * what other kinds of memory there may be. */
    RINGS.on =
        RINGS.enabled &&
        (0 != mca_pml_champion.memory_attr || mca_pml_champion_device.on) &&
        0 != opal_process_info.num_local_peers;
    RINGS.after_by_ucx =
        RINGS.after < FIFO_TO_UCX ? 1 : RINGS.after / FIFO_TO_UCX;
    RINGS.busy = MCA_PML_CHAMPION_RINGS_BUSY;
    mca_pml_champion_poll_backoff_reset(&mca_pml_champion.poll_backoff);
    RINGS.simple =
        RINGS.on && !mca_pml_champion.threaded && !mca_pml_champion_offload.on;
    RINGS.take = 0 != mca_pml_champion.params.test_delay
                     ? mca_pml_champion_ring_take_delayed
                 : mca_pml_champion_offload.on
                     ? mca_pml_champion_ring_take_offload
                     : mca_pml_champion_ring_take;
    mca_pml_champion_throttle.hold = mca_pml_champion_ring_hold;
    mca_pml_champion_throttle.release = mca_pml_champion_ring_release;
    mca_pml_champion_throttle.set_stop = mca_pml_champion_ring_set_stop;
    mca_pml_champion_throttle.ask_hello = mca_pml_champion_rings_ask_hello;
    mca_pml_champion_throttle.slow = mca_pml_champion_ring_slow;
    mca_pml_champion_ack_by_ring = RINGS.on ? mca_pml_champion_ring_ack : NULL;
    board_make();
}

static void peer_close(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_out_close(peer);
    mca_pml_champion_ring_fifo_close(peer);
    peer->ring.offered = false;
    peer->ring.pool_offered = peer->ring.pooled = peer->ring.reads = false;
    if (NULL != peer->ring.fragments) {
        mca_pml_champion_segment_detach(
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
    mca_pml_champion.chores -= mca_pml_champion_rings_offer();
    RINGS.copying -= mca_pml_champion_rings_offer();
    RINGS.offered = NULL;
    RINGS.candidate = NULL;
    mca_pml_champion_segment_destroy(&RINGS.segment);
    mca_pml_champion_board_close();
    mca_pml_champion_bell_close();
    RINGS.has_fifo = false;
    free(RINGS.places);
    RINGS.places = RINGS.in = RINGS.rings_end = RINGS.in_end = NULL;
    RINGS.all = RINGS.foreign = false;
    RINGS.on = false;
    RINGS.failed = false;
}
