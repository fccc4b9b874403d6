/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/match/flow_control.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "opal/runtime/opal_progress.h"
#include "opal/util/show_help.h"

#include "ompi/mca/pml/champion/core/events.h"
#include "ompi/mca/pml/champion/match/backlog.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/peer/throttle.h"

#define HELP "help-mpi-pml-champion.txt"
#define FLOW mca_pml_champion_flow
#define BACKLOG mca_pml_champion_backlog

/* The default limit: 1/SHARE of the node's memory, divided by its processes. */
enum { SHARE = 4 };

mca_pml_champion_flow_t mca_pml_champion_flow;

/* The peer whose throttling is timed, to report it after
 * pml_champion_unexpected_patience. */
static struct {
    bool waits;                    /* a peer is timed: the next fields are
                                        valid. Atomic */
    time_t end;                    /* time at which it is reported, seconds */
    mca_pml_champion_peer_t *peer; /* may have been freed: only compared */
    uint32_t stops;                /* its flow.stops when timing began */
    bool registered;               /* opal_progress calls patience_look */
    bool complained;
} patience;

bool mca_pml_champion_flow_register(void)
{
    bool good;

    FLOW.patience = 10;
    mca_pml_champion.params.unexpected_limit = MCA_PML_CHAMPION_UNEXPECTED_AUTO;
    good = mca_pml_champion_param_auto_size(
        "unexpected_limit",
        "Limit, in bytes, of the memory that messages may occupy in each "
        "process while they wait for a receive, the pool for prefetched ones "
        "included. Once it is exceeded, senders "
        "switch to rendezvous until half of it is free again. 0: no limit. "
        "auto: a quarter of the node's memory divided by the number of its "
        "processes",
        OPAL_INFO_LVL_3, 0, (size_t) 1 << 40,
        &mca_pml_champion.params.unexpected_limit);
    good &= mca_pml_champion_param_uint(
        "unexpected_patience",
        "Number of seconds after which a sender that is held up by a "
        "receiver's pml_champion_unexpected_limit reports, once, which process "
        "it is waiting for. 0: never",
        OPAL_INFO_LVL_9, 0, 86400, &FLOW.patience);
    return good;
}

static size_t default_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t processes = (size_t) opal_process_info.num_local_peers + 1;

    if (pages <= 0 || page <= 0) {
        return SIZE_MAX;
    }
    return (size_t) pages / SHARE / processes * (size_t) page;
}

static size_t limit(void)
{
    const size_t wanted = mca_pml_champion.params.unexpected_limit;

    if (MCA_PML_CHAMPION_UNEXPECTED_AUTO == wanted) {
        return default_limit();
    }
    return 0 == wanted ? SIZE_MAX : wanted;
}

/* False if it cannot be sent. */
static bool flow_send(mca_pml_champion_peer_t *peer, uint32_t what,
                      uint32_t flags)
{
    const mca_pml_champion_flow_control_t control = {
        .jobid = mca_pml_champion.my_jobid,
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = what,
        .number = ++peer->flow.last_sent,
    };

    return UCS_OK == mca_pml_champion_ctrl_msg_send(
                         peer, MCA_PML_CHAMPION_AM_FLOW, &control,
                         sizeof(control), UCP_AM_SEND_FLAG_EAGER | flags);
}

/* The receiver's side. */

/* Throttle a peer: its message is queued beyond the limit. */
static void stop(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (peer->flow.stopped || peer->self || mca_pml_champion.finalizing) {
        return;
    }
    if (!flow_send(peer, MCA_PML_CHAMPION_FLOW_STOP, 0)) {
        return; /* its next message tries again */
    }
    peer->flow.stopped = true;
    ++BACKLOG.stopped;
    ++mca_pml_champion.counters.flow_stopped;
    mca_pml_champion_event_of_peer(MCA_PML_CHAMPION_EVENT_STOPPED, &peer->name,
                                   mca_pml_champion_backlog_bytes());
    mca_pml_champion_throttle.set_stop(peer, true);
}

/* Send GO to a peer that was stopped. If that fails, progress tries again,
 * because a sender without its GO would wait forever. */
static void go(mca_pml_champion_peer_t *peer)
{
    if (!peer->flow.stopped) {
        return;
    }
    mca_pml_champion_throttle.set_stop(peer, false);
    if (flow_send(peer, MCA_PML_CHAMPION_FLOW_GO, 0)) {
        peer->flow.stopped = false;
        --BACKLOG.stopped;
        mca_pml_champion_event_of_peer(MCA_PML_CHAMPION_EVENT_RELEASED,
                                       &peer->name,
                                       mca_pml_champion_backlog_bytes());
    } else {
        mca_pml_champion_backlog_ask();
    }
}

void mca_pml_champion_flow_reset(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    BACKLOG.stopped -= peer->flow.stopped;
    peer->flow.stopped = false;
    peer->flow.throttled = false;
    peer->flow.check = false;
    peer->flow.hello_sent = false;
}

/* The pool and matching keep some memory for the next burst, so that a small
 * limit may always be exceeded: then it is enough that no message is queued. */
static void room_for_all(void)
{
    if (mca_pml_champion_backlog_bytes() >= FLOW.go_on &&
        0 != mca_pml_champion.pool.live) {
        return;
    }
    mca_pml_champion_peers_each(go);
}

/* A sender may go on if none of its messages waits any more: the program may
 * be waiting for the next one. */
static void go_if_none_waits(mca_pml_champion_peer_t *peer)
{
    if (0 == peer->backlog.waiting) {
        go(peer);
    }
}

/* Release throttled senders if there is room. */
static void room(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (mca_pml_champion.finalizing) {
        BACKLOG.stopped = 0;
        return;
    }
    if (NULL != peer) {
        go_if_none_waits(peer);
    } else {
        mca_pml_champion_peers_each(go_if_none_waits);
    }
    if (0 != BACKLOG.stopped) {
        room_for_all();
    }
}

/* The sender's side. */

static time_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

/* Among the peers that throttle this process: the one that is timed, if it
 * still does, or else any. */
static mca_pml_champion_peer_t *holder;
static bool same;

static void find_holder(mca_pml_champion_peer_t *peer)
{
    if (peer->flow.throttled && !same) {
        holder = peer;
        same = peer == patience.peer && peer->flow.stops == patience.stops;
    }
}

static int patience_look(void);

/* A peer throttles this process from now on. Only one peer is timed at a time:
 * the report is for the user, for whom one is enough. */
static void patience_begin(mca_pml_champion_peer_t *peer)
{
    if (0 == FLOW.patience || patience.complained || patience.waits) {
        return;
    }
    if (!patience.registered) {
        if (OPAL_SUCCESS != opal_progress_register_lp(patience_look)) {
            return;
        }
        patience.registered = true;
    }
    patience.peer = peer;
    patience.stops = peer->flow.stops;
    patience.end = now() + FLOW.patience;
    __atomic_store_n(&patience.waits, true, __ATOMIC_RELAXED);
}

/* The time is over. True if holder is to be reported. */
static bool patience_end(void)
{
    __atomic_store_n(&patience.waits, false, __ATOMIC_RELAXED);
    holder = NULL;
    same = false;
    mca_pml_champion_peers_each(find_holder);
    patience.complained = same;
    if (!same && NULL != holder) {
        patience_begin(holder);
    }
    return same;
}

/* Called by opal_progress from time to time, once this process has been
 * throttled. */
static int patience_look(void)
{
    bool complain;
    uint32_t vpid;

    if (OPAL_LIKELY(!__atomic_load_n(&patience.waits, __ATOMIC_RELAXED))) {
        return 0;
    }
    mca_pml_champion_lock();
    complain = patience.waits && now() >= patience.end && patience_end();
    vpid = complain ? holder->name.vpid : 0;
    mca_pml_champion_unlock();
    if (complain) {
        opal_show_help(HELP, "held up", true, OPAL_PROC_MY_NAME.vpid, vpid,
                       FLOW.patience, vpid);
    }
    return 0;
}

/* A peer throttles this process: user messages to it go by rendezvous. */
static void hold(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (peer->flow.throttled) {
        return;
    }
    peer->flow.throttled = true;
    ++peer->flow.stops;
    ++mca_pml_champion.counters.flow_held_up;
    mca_pml_champion_event_of_peer(MCA_PML_CHAMPION_EVENT_HELD_UP, &peer->name,
                                   peer->flow.stops);
    mca_pml_champion_peer_set_packed_max(peer, -1);
    mca_pml_champion_throttle.hold(peer);
    patience_begin(peer);
}

static void release(mca_pml_champion_peer_t *peer)
{
    if (peer->flow.throttled) {
        peer->flow.throttled = false;
        mca_pml_champion_peer_allow_packed(peer);
        mca_pml_champion_throttle.release(peer);
        mca_pml_champion_event_of_peer(MCA_PML_CHAMPION_EVENT_LET_GO,
                                       &peer->name, peer->flow.stops);
    }
}

void mca_pml_champion_flow_due(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    peer->due_at = peer->send_sequence + MCA_PML_CHAMPION_FLOW_LOOK;
    if (SIZE_MAX == BACKLOG.limit) {
        return;
    }
    /* The next message takes the slow path. */
    peer->flow.check = true;
    mca_pml_champion_peer_set_packed_max(peer, -1);
}

static void hello(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (!peer->flow.hello_sent) {
        peer->flow.hello_sent = true;
        (void) flow_send(peer, MCA_PML_CHAMPION_FLOW_HELLO,
                         mca_pml_champion_ctrl_msg_reply(peer));
    }
}

void mca_pml_champion_flow_check(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    peer->flow.check = false;
    if (!peer->flow.throttled) {
        mca_pml_champion_peer_allow_packed(peer);
    }
    if (NULL != peer->ep) {
        hello(peer);
    }
}

mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_flow_received(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length)
{
    mca_pml_champion_flow_control_t control;

    MCA_PML_CHAMPION_LOCKED();
    (void) length;
    memcpy(&control, bytes, sizeof(control));
    if (control.what > MCA_PML_CHAMPION_FLOW_GO) {
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    /* UCX promises no order: a GO that a HELLO has overtaken counts. */
    if (MCA_PML_CHAMPION_FLOW_HELLO == control.what) {
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
    }
    if ((int32_t) (control.number - peer->flow.last_received) <= 0) {
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
    }
    peer->flow.last_received = control.number;
    if (MCA_PML_CHAMPION_FLOW_STOP == control.what) {
        hold(peer);
    } else {
        release(peer);
    }
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

int mca_pml_champion_flow_open(void)
{
    static const mca_pml_champion_ctrl_msg_kind_t kind = {
        .id = MCA_PML_CHAMPION_AM_FLOW,
        .name = "FLOW",
        .least = sizeof(mca_pml_champion_flow_control_t),
        .most = sizeof(mca_pml_champion_flow_control_t),
        .by = MCA_PML_CHAMPION_CTRL_MSG_BY_NAME,
        .handler = mca_pml_champion_flow_received,
    };
    const size_t bytes = limit();

    mca_pml_champion_ctrl_msg_register(&kind);
    mca_pml_champion_backlog_open(bytes, stop, room);
    mca_pml_champion_throttle.on_stop = hold;
    FLOW.go_on = bytes / 2;
    patience.complained = false;
    return OMPI_SUCCESS;
}

void mca_pml_champion_flow_close(void)
{
    if (patience.registered) {
        opal_progress_unregister(patience_look);
        patience.registered = false;
    }
}

MCA_PML_CHAMPION_UNIT(flow) = {.name = "flow control",
                               .registers = mca_pml_champion_flow_register,
                               .open = mca_pml_champion_flow_open,
                               .close = mca_pml_champion_flow_close};
