/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/shm/copy_send.h"

#include "ompi/mca/pml/champion/shm/job.h"
#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/match/request.h"
#include "ompi/mca/pml/champion/shm/ring_send.h"

#define RINGS mca_pml_champion_rings

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

unsigned mca_pml_champion_copy_send_step(void)
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
