/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/shm/ring_wireup.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/device.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/peer/throttle.h"
#include "ompi/mca/pml/champion/shm/ring_in.h"
#include "ompi/mca/pml/champion/shm/ring_out.h"
#include "ompi/mca/pml/champion/shm/ring_send.h"

#define RINGS mca_pml_champion_rings

/* Slots of a FIFO for each process of the node. */
enum { SHARE = 16 };

static bool rings_register(void)
{
    bool good;

    RINGS.enabled = true;
    RINGS.pairs = 17;
    RINGS.max = 131072;
    RINGS.fragments = 32;
    good = mca_pml_champion_param_bool(
        "ring",
        "Send small messages between processes of a node through rings in "
        "shared memory instead of UCX",
        OPAL_INFO_LVL_4, &RINGS.enabled);
    good &= mca_pml_champion_param_uint(
        "ring_pairs",
        "Largest number of processes on a node at which each has a ring of 16 "
        "KiB for each of the others. On nodes with more processes, each has "
        "one FIFO of 2 KiB for each of the others. 0: FIFOs on all nodes",
        OPAL_INFO_LVL_9, 0, MCA_PML_CHAMPION_PAIRS_MAX, &RINGS.pairs);
    good &= mca_pml_champion_param_size(
        "ring_max",
        "Largest payload, in bytes, that is sent through a ring. With CMA, "
        "messages for which a direct copy from the sender's memory is faster "
        "bypass the ring",
        OPAL_INFO_LVL_9, 0, MCA_PML_CHAMPION_RING_MESSAGE_MAX, &RINGS.max);
    good &= mca_pml_champion_param_uint(
        "ring_fragments",
        "Number of fragments of 16 KiB, in memory shared with its receivers, "
        "that a process has for the payloads of more than 1 KiB that it sends "
        "through rings. 0: such payloads use UCX",
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
        RINGS.unrung = true;
        mca_pml_champion_poll_soon();
    }
    mca_pml_champion_ring_find_doorbell(peer);
}

static mca_pml_champion_ctrl_msg_verdict_t received(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length)
{
    mca_pml_champion_ring_control_t control;

    MCA_PML_CHAMPION_LOCKED();
    (void) length;
    memcpy(&control, bytes, sizeof(control));
    switch (control.what) {
    case MCA_PML_CHAMPION_RING_FIN_MSG:
    case MCA_PML_CHAMPION_RING_LOST_MSG:
        if (!mca_pml_champion_ring_on_fin(peer, control.sequence,
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
    const uint32_t places = opal_process_info.num_local_peers + 1;
    const mca_pml_champion_area_shape_t area = {
        .places = places,
        .slots = places <= RINGS.pairs
                     ? 0
                     : mca_pml_champion_fifo_slots((uint64_t) SHARE * places),
        .fragments = RINGS.fragments,
    };
    const mca_pml_champion_board_shape_t shape = {
        .places = places,
        .own = {area.slots, area.fragments},
        .area = RINGS.on ? mca_pml_champion_area_size(&area) : 0,
        .reserved = RINGS.on ? mca_pml_champion_area_reserved(&area) : 0,
    };

    mca_pml_champion_peer_ring_open = mca_pml_champion_ring_open;
    if (RINGS.on) {
        /* The progress thread, once started, relies on it. */
        mca_pml_champion_bell_open();
    }
    if (places > 1 && 0 == opal_process_info.my_local_rank &&
        !mca_pml_champion_board_make(&shape)) {
        ++mca_pml_champion.counters.ring_failed;
    }
}

/* Is it the shape of an area on this board? */
static bool shape_is_sound(const mca_pml_champion_area_shape_t *shape)
{
    const mca_pml_champion_board_shape_t *board =
        mca_pml_champion_board_shape();

    return (0 == shape->slots
                ? shape->places <= MCA_PML_CHAMPION_PAIRS_MAX
                : shape->slots == mca_pml_champion_fifo_slots(shape->slots)) &&
           shape->fragments <= MCA_PML_CHAMPION_RING_FRAGMENTS_MAX &&
           mca_pml_champion_area_size(shape) <= board->area &&
           mca_pml_champion_area_reserved(shape) <= board->reserved;
}

static bool places_make(const mca_pml_champion_area_shape_t *shape)
{
    RINGS.in = calloc(0 == shape->slots ? shape->places : 1, sizeof(*RINGS.in));
    RINGS.in_end = RINGS.in;
    RINGS.from =
        NULL == RINGS.in ? NULL : calloc(shape->places, sizeof(*RINGS.from));
    return NULL != RINGS.from;
}

bool mca_pml_champion_rings_listen(void)
{
    const mca_pml_champion_board_shape_t *board =
        mca_pml_champion_board_shape();
    const mca_pml_champion_area_shape_t shape = {
        .places = board->places,
        .slots = board->own[0],
        .fragments = board->own[1],
    };
    void *area = mca_pml_champion_board_area();

    if (NULL == area || !RINGS.on || !shape_is_sound(&shape)) {
        return false;
    }
    mca_pml_champion_lock();
    if (!places_make(&shape)) {
        mca_pml_champion_unlock();
        return false;
    }
    RINGS.shape = shape;
    mca_pml_champion_ring_recv_open();
    RINGS.area = area;
    RINGS.inbox = mca_pml_champion_inbox_of(mca_pml_champion_board_mine());
    _Static_assert(MCA_PML_CHAMPION_BELL_NAME == sizeof(RINGS.inbox->bell),
                   "all of the name");
    memcpy(RINGS.inbox->bell, mca_pml_champion_bell(),
           sizeof(RINGS.inbox->bell));
    if (0 != shape.slots) {
        mca_pml_champion_ring_reader_init(
            &RINGS.in->reader, mca_pml_champion_area_fifo(area, &shape),
            shape.slots);
        RINGS.in_end = RINGS.in + 1;
    }
    mca_pml_champion_doorbell_last =
        mca_pml_champion_board_place() % MCA_PML_CHAMPION_DOORBELL_SENDERS;
    /* The progress thread may sleep, with no mark in the inbox. */
    mca_pml_champion_wake_tell();
    mca_pml_champion_unlock();
    return true;
}

int mca_pml_champion_rings_open(void)
{
    static mca_pml_champion_peer_hooks_t hooks = {
        .born = born,
        .connected = mca_pml_champion_ring_find_doorbell,
    };
    static const mca_pml_champion_ctrl_msg_kind_t kind = {
        .id = MCA_PML_CHAMPION_AM_RING,
        .name = "RING",
        .least = sizeof(mca_pml_champion_ring_control_t),
        .most = sizeof(mca_pml_champion_ring_control_t),
        .by = MCA_PML_CHAMPION_CTRL_MSG_BY_VPID,
        .always = true,
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
    RINGS.busy = MCA_PML_CHAMPION_RINGS_BUSY;
    mca_pml_champion_poll_backoff_reset(&mca_pml_champion.poll_backoff);
    RINGS.unrung = mca_pml_champion.slow_calls;
    RINGS.fast_path =
        RINGS.on && !mca_pml_champion.threaded && !mca_pml_champion.slow_calls;
    mca_pml_champion_throttle.hold = mca_pml_champion_ring_hold;
    mca_pml_champion_throttle.release = mca_pml_champion_ring_release;
    mca_pml_champion_throttle.set_stop = mca_pml_champion_ring_set_stop;
    mca_pml_champion_ack_by_ring = RINGS.on ? mca_pml_champion_ring_ack : NULL;
    board_make();
    return OMPI_SUCCESS;
}

static void peer_close(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_close(peer);
    peer->ring.rgets_listed = peer->ring.reads = peer->ring.asked = false;
    peer->ring.from = NULL;
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
    RINGS.with_rgets = NULL;
    mca_pml_champion_chore_set(&RINGS.copying, RINGS.copying.polls);
    RINGS.inbox = &mca_pml_champion_no_inbox;
    RINGS.area = NULL;
    RINGS.opened = 0;
    RINGS.sleepers = 0;
    RINGS.shape = (mca_pml_champion_area_shape_t){0};
    RINGS.doorbell = 0;
    mca_pml_champion_board_close();
    mca_pml_champion_bell_close();
    free(RINGS.in);
    free(RINGS.from);
    RINGS.in = RINGS.in_end = NULL;
    RINGS.from = NULL;
    RINGS.on = false;
}

MCA_PML_CHAMPION_UNIT(rings) = {.name = "rings",
                                .registers = rings_register,
                                .open = mca_pml_champion_rings_open,
                                .close = mca_pml_champion_rings_close};
