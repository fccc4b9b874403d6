/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/offload/invite.h"

#include "ompi/mca/pml/champion/offload/offload_rule.h"
#include "ompi/mca/pml/champion/offload/outstanding.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"

#define OFFLOAD mca_pml_champion_offload

bool mca_pml_champion_invite_pays(const mca_pml_champion_peer_t *peer,
                                  size_t bytes)
{
    MCA_PML_CHAMPION_LOCKED();
    return MCA_PML_CHAMPION_OFFLOAD_ALWAYS == OFFLOAD.mode ||
           mca_pml_champion_delta_pays(
               peer->offload.delta, mca_pml_champion_outstanding.sum,
               mca_pml_champion_transfer_cost(peer, bytes));
}

mca_pml_champion_peer_t **mca_pml_champion_invite_place(
    ompi_communicator_t *comm, int source)
{
    const opal_process_name_t *name =
        &ompi_comm_peer_lookup(comm, source)->super.proc_name;

    MCA_PML_CHAMPION_LOCKED();
    return name->jobid == mca_pml_champion.my_jobid &&
                   name->vpid < mca_pml_champion.job_size
               ? &mca_pml_champion.job_peers[name->vpid]
               : NULL;
}

/* Is an endpoint to a source wanted, to ask it for tags? */
static bool is_wanted(int source, ompi_communicator_t *comm)
{
    bool always = MCA_PML_CHAMPION_OFFLOAD_ALWAYS == OFFLOAD.mode;
    mca_pml_champion_peer_t *const *place =
        mca_pml_champion_invite_place(comm, source);

    if (NULL == place || NULL == *place) {
        return NULL != place && always;
    }
    return !(*place)->self && NULL == (*place)->ep &&
           (always || 0 != (*place)->offload.delta);
}

void mca_pml_champion_invite_connect(int source, ompi_communicator_t *comm)
{
    mca_pml_champion_peer_t *peer;
    bool wanted;

    MCA_PML_CHAMPION_UNLOCKED();
    if (OMPI_ANY_SOURCE == source) {
        return;
    }
    mca_pml_champion_lock();
    wanted = is_wanted(source, comm);
    mca_pml_champion_unlock();
    peer = wanted ? mca_pml_champion_peer_get(comm, source) : NULL;
    if (NULL != peer && !peer->self) {
        mca_pml_champion_lock();
        (void) mca_pml_champion_peer_ep(peer); /* rings need none */
        mca_pml_champion_unlock();
    }
}

/* Does the peer's network match tags? Queried once. */
static bool capable(mca_pml_champion_peer_t *peer)
{
    if (MCA_PML_CHAMPION_OFFLOAD_ALWAYS == OFFLOAD.mode) {
        return true;
    }
    if (!peer->offload.looked_at) {
        peer->offload.looked_at = true;
        peer->offload.capable = OFFLOAD.ops->capable(peer->ep);
    }
    return peer->offload.capable;
}

/* False if out of memory, or if UCX fails; the next receive tries again, as
 * nothing waits for it. */
static bool invitation_send(mca_pml_champion_peer_t *peer, uint32_t index,
                            uint64_t min)
{
    const mca_pml_champion_invitation_t invitation = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .index = index,
        .min = min,
    };

    return UCS_OK ==
           mca_pml_champion_ctrl_msg_send(peer, MCA_PML_CHAMPION_AM_INVITE,
                                          &invitation, sizeof(invitation), 0);
}

/* Ask a peer again that was asked to stop. */
static void renew(mca_pml_champion_peer_t *peer, size_t bytes)
{
    mca_pml_champion_streams_t *streams = peer->offload.in_streams;

    if (streams->withdrawn &&
        mca_pml_champion_invitation_renewed(&peer->offload.unexpected) &&
        mca_pml_champion_invite_pays(peer, bytes) &&
        invitation_send(peer, streams->index, OFFLOAD.min)) {
        streams->withdrawn = false;
        peer->offload.unexpected.known = 0;
    }
}

void mca_pml_champion_invite(mca_pml_champion_peer_t *peer, size_t bytes)
{
    mca_pml_champion_streams_t *streams;

    MCA_PML_CHAMPION_LOCKED();
    if (NULL != peer->offload.in_streams) {
        renew(peer, bytes);
        return;
    }
    if (NULL == peer->ep || !mca_pml_champion_invite_pays(peer, bytes) ||
        !capable(peer) || OFFLOAD.next_index >= MCA_PML_CHAMPION_TAG_INDICES) {
        return;
    }
    streams = mca_pml_champion_streams_new(OFFLOAD.next_index);
    if (NULL == streams ||
        !invitation_send(peer, OFFLOAD.next_index, OFFLOAD.min)) {
        mca_pml_champion_streams_free(streams);
        return;
    }
    ++OFFLOAD.next_index;
    peer->offload.in_streams = streams;
    peer->offload.next_sender = OFFLOAD.senders;
    OFFLOAD.senders = peer;
}

void mca_pml_champion_invite_review(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_streams_t *streams = peer->offload.in_streams;

    MCA_PML_CHAMPION_LOCKED();
    if (MCA_PML_CHAMPION_OFFLOAD_AUTO == OFFLOAD.mode && !streams->withdrawn &&
        NULL != peer->ep &&
        mca_pml_champion_invitation_failed(&peer->offload.unexpected) &&
        invitation_send(peer, streams->index, UINT64_MAX)) {
        streams->withdrawn = true;
        peer->offload.unexpected.known = 0;
        ++mca_pml_champion.counters.offload_withdrawn;
    }
    /* Assumed expected, until match/arrival.c sets the bit. */
    mca_pml_champion_history_add(&peer->offload.unexpected,
                                 MCA_PML_CHAMPION_INVITED_WINDOW, false);
}
