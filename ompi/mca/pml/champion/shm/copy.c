/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Large messages within a node: one copy, made by both sides (CMA).
 *
 *     sender                                   receiver
 *        |  RGET: address, length  ------------->  |  matches it, or keeps it
 *        |                                         |  until its receive comes
 *        |  <------- the job: where it goes -----  |
 *     copies the last parts,                    reads the first parts
 *     while it waits in MPI                        |
 *        |  <------------------------------- FIN   |
 *
 * Only the receiver has to copy: a sender that computes does not look. It
 * finds the job beside the ring by which it sent the message (shm/job.h says
 * how parts are claimed); one job a pair of processes at a time, all others are
 * read by the receiver alone until it is their turn. The receiver copies in
 * progress calls, a few parts in each, the oldest message first: so no call
 * takes long, and a sender that waits may have copied all that is left by the
 * time the receiver's program looks again. Then there is no FIN, as the sender
 * knows: it does not wait for a receiver that computes.
 *
 * Data not contiguous at the receiver are read in pieces and unpacked, by the
 * receiver alone. A message that waits for its receive can be prefetched like
 * any other (large/prefetch.h), by both sides as well.
 *
 * Which sends go this way is the choice of mpi/route.h. Messages of up to 64
 * KiB do not wait at their sender: without a receive, the receiver reads them
 * to memory of its own when they arrive (shm/rings.h).
 *
 * Where messages cross, each process copies the ones that it receives, alone,
 * until its own are read: then the other one waits, and may help.
 * pml_champion_copy_by both has them help at once.
 *
 * On shared cores the receiver copies alone, if the user does not want both:
 * a side that has claimed a part may lose its core, and the other waits for it
 * (mca_pml_champion_rings_share()).
 *
 * The sender writes to the receiver's memory only if it has read there the
 * random mark of the board, which only processes of the job and node have.
 * Under valgrind it does not: memory that another process has written counts as
 * not initialized there.
 */

#include "ompi/mca/pml/champion/shm/copy_recv.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/match/request.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/shm/job.h"
#include "ompi/mca/pml/champion/shm/ring_send.h"

#define RINGS mca_pml_champion_rings

/* ---- the sender's side --------------------------------------------------- */

/* The send that a job is for; NULL: none of this process. */
static mca_pml_champion_send_t *find(const mca_pml_champion_peer_t *peer,
                                     const mca_pml_champion_ring_job_t *job)
{
    const uint32_t sequence = __atomic_load_n(&job->sequence, __ATOMIC_RELAXED);
    mca_pml_champion_send_t *send = peer->ring.rgets;

    if (OPAL_PROC_MY_NAME.vpid !=
        __atomic_load_n(&job->vpid, __ATOMIC_RELAXED)) {
        return NULL;
    }
    while (NULL != send && sequence != send->header.super.super.sequence) {
        send = send->next_waiting;
    }
    return send;
}

/* Is the reader of the ring the process of that id, and can this process write
 * to its memory? Tried once. */
static bool is_writable(mca_pml_champion_ring_out_t *out)
{
    if (0 == out->writable) {
        out->writable =
            mca_pml_champion_ring_can_read(out->pid, out->mark_at,
                                           mca_pml_champion_board_mark())
                ? 1
                : -1;
    }
    return out->writable > 0;
}

static bool write_part(const mca_pml_champion_ring_out_t *out,
                       const mca_pml_champion_send_t *send, uint64_t address,
                       uint32_t part)
{
    const size_t size = mca_pml_champion_part_size(send->length);
    const size_t at = part * size, left = send->length - at;

    return mca_pml_champion_ring_write(out->pid, address + at,
                                       (const char *) send->data + at,
                                       left < size ? left : size);
}

/* Copy a part of what the peer is copying. Returns the number of parts. */
static unsigned help(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_ring_out_t *out = peer->out;
    mca_pml_champion_ring_job_t *job = &out->pair->job;
    uint64_t claim = mca_pml_champion_job_look(job), address;
    mca_pml_champion_send_t *send;
    uint32_t part;

    if (mca_pml_champion_claim_is_empty(claim) || out->writable < 0) {
        return 0;
    }
    send = find(peer, job);
    if (NULL == send || !is_writable(out) ||
        mca_pml_champion_claim_last(claim) >
            mca_pml_champion_parts(send->length)) {
        return 0;
    }
    address = __atomic_load_n(&job->address, __ATOMIC_RELAXED);
    if (!mca_pml_champion_job_take_last(job, &claim, &part)) {
        return 0; /* the receiver has taken a part: look again later */
    }
    if (!write_part(out, send, address, part)) {
        out->writable = -1;
        mca_pml_champion_job_failed(job);
    } else if (mca_pml_champion_job_copied(
                   job, 1, mca_pml_champion_parts(send->length))) {
        /* All of it is there; there will be no FIN. */
        (void) mca_pml_champion_ring_on_fin(
            peer, send->header.super.super.sequence, true);
    }
    __atomic_store_n(&RINGS.parts, RINGS.parts + 1, __ATOMIC_RELAXED);
    return 1;
}

/* Copy a part of a message whose receiver has opened a job for it, and forget
 * peers that nothing is left for. Returns the number of parts. */
static unsigned send_step(void)
{
    mca_pml_champion_peer_t **at = &RINGS.with_rgets, *peer;
    const bool shares = mca_pml_champion_rings_share();
    unsigned events = 0;

    MCA_PML_CHAMPION_LOCKED();
    while (NULL != (peer = *at)) {
        if (NULL == peer->ring.rgets) {
            peer->ring.rgets_listed = false;
            *at = peer->ring.next_with_rgets;
            continue;
        }
        if (0 == events && shares) {
            events = help(peer);
        }
        at = &peer->ring.next_with_rgets;
    }
    return events;
}

/* ---- the unit ----------------------------------------------------------- */

/* The side that copies: values of pml_champion_copy_by. */
enum { BY_AUTO = 1, BY_BOTH, BY_RECEIVER, BY_UCX };

static int copy_by;

static bool copy_register(void)
{
    static const mca_base_var_enum_value_t words[] = {
        {BY_AUTO, "auto"}, {BY_BOTH, "both"}, {BY_RECEIVER, "receiver"},
        {BY_UCX, "ucx"},   {0, NULL},
    };

    copy_by = BY_AUTO;
    return OMPI_SUCCESS ==
           mca_mq_base_param_enum(
               mca_pml_champion.component, "copy_by",
               "Side that copies large messages between processes of a node "
               "that can access each other's memory (CMA): receiver: the "
               "receiver alone; both: the sender, too, while it waits in MPI; "
               "auto: both if each has a core of its own and such messages do "
               "not cross; ucx: UCX for messages of more than "
               "pml_champion_ring_max, the receiver for others. With "
               "pml_champion_thread_local UCX copies all of them",
               OPAL_INFO_LVL_9, words, &copy_by);
}

/* valgrind loads its own libraries this way. */
static bool is_under_valgrind(void)
{
    const char *preloaded = getenv("LD_PRELOAD");

    return NULL != preloaded && NULL != strstr(preloaded, "vgpreload");
}

/* Copy what this process receives; if there is nothing of that, help with what
 * it sends. */
static unsigned step(void)
{
    unsigned events = 0;

    if (RINGS.copying.polls) {
        events += mca_pml_champion_copy_recv_step();
    }
    if (0 == events && NULL != RINGS.with_rgets) {
        events += send_step();
    }
    mca_pml_champion_chore_set(&RINGS.copying,
                               RINGS.copying.polls || NULL != RINGS.with_rgets);
    return events;
}

static int copy_open(void)
{
    RINGS.copying.step = step;
    mca_pml_champion_copy_recv_open();
    RINGS.large =
        BY_UCX != copy_by && !mca_pml_champion.params.thread_within_node;
    if (BY_RECEIVER == copy_by || BY_UCX == copy_by || is_under_valgrind()) {
        RINGS.copy = NULL;
    }
    RINGS.shares = BY_BOTH == copy_by;
    return OMPI_SUCCESS;
}

static void copy_close(void)
{
    RINGS.large = false;
    RINGS.copy = NULL;
}

MCA_PML_CHAMPION_UNIT(copies) = {.name = "copies",
                                 .registers = copy_register,
                                 .open = copy_open,
                                 .close = copy_close};
