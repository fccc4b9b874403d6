/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Peers: who they are, how to reach them, what number comes next. The table
 * belongs to this component and is keyed by process name, because Open MPI's
 * own process objects vanish at a disconnect and come back fresh.
 */

#ifndef MCA_PML_CHAMPION_PEER_PEER_H
#define MCA_PML_CHAMPION_PEER_PEER_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/core/inflight.h"
#include "ompi/mca/pml/champion/peer/peer_parts.h"
#include "ompi/mca/pml/champion/core/wire.h"

#pragma GCC visibility push(hidden)

/** Another process, or this one. Made at first contact, kept to the end. */
struct mca_pml_champion_peer_t {
    /* One cache line: what sends and arrivals look at. */
    ucp_ep_h ep; /**< NULL: not connected yet, or this process */
    /** Largest payload that may be sent packed, bytes; -1 without ep, to
     * another job, and if there is more to be looked at. Atomic: looked at
     * without the lock. */
    int64_t packed_max;
    struct mca_pml_champion_ring_out_t *out; /**< its ring, or .._ring_none */
    uint32_t *doorbell; /**< rung after a send by UCX; see core/inflight.h */
    /** Largest payload for its ring, bytes; -1: none. Atomic: looked at without
     * the lock, under which the ring may go. */
    int32_t ring_max;
    uint32_t send_sequence; /**< number of the next message to it */
    uint32_t due_at; /**< send_sequence at which its ring and flow control are
                          looked at */
    uint32_t recv_sequence; /**< number of the next message from it */
    mca_pml_champion_peer_reorder_t reorder; /**< the fast path tests first */
    bool self;                               /**< this process */
    bool local;                              /**< of this job, on this node */
    /** Is TCP all that leads to it? See .._peer_has_only_tcp. */
    enum {
        MCA_PML_CHAMPION_NOT_LOOKED,
        MCA_PML_CHAMPION_ONLY_TCP,
        MCA_PML_CHAMPION_NOT_ONLY_TCP
    } tcp;
    opal_process_name_t name;
    /** Leads back to a peer that sent a SYNC message, for its ACK. */
    ucp_ep_h reply_ep;
    struct mca_pml_champion_cost_model_t
        *cost_model;                             /**< NULL: nothing measured */
    struct mca_pml_champion_peer_clock_t *clock; /**< NULL: not asked for */
    mca_pml_champion_peer_backlog_t backlog;
    mca_pml_champion_peer_link_t link;
    mca_pml_champion_peer_flow_t flow;
    mca_pml_champion_peer_offload_t offload;
    mca_pml_champion_peer_single_copy_t single_copy;
    mca_pml_champion_peer_prefetch_t prefetch;
    mca_pml_champion_peer_defer_t defer;
    mca_pml_champion_peer_ring_t ring;
};
_Static_assert(offsetof(mca_pml_champion_peer_t, reorder.last) <= 64,
               "what the fast path looks at is one cache line");

/** Bit of news: it has become idle. The others are conn/disconnect.c's. */
#define MCA_PML_CHAMPION_PEER_IDLE 0x01u

/** Peers of other jobs to which something has happened; NULL: none. They are
 * one of the chores; see conn/disconnect.h. */
extern mca_pml_champion_peer_t *mca_pml_champion_peers_due;

/** Something has happened to a peer of another job: have it looked at when
 * there is time. Lock held. */
void mca_pml_champion_peer_due(mca_pml_champion_peer_t *peer, unsigned news);

/** A send that was counted in its peer's active is complete. Lock held. */
static inline void mca_pml_champion_peer_send_ended(
    mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (0 == --peer->link.active && 0 == peer->link.comms) {
        mca_pml_champion_peer_due(peer, MCA_PML_CHAMPION_PEER_IDLE);
    }
}

/** Let small messages go packed, up to that size. Lock held. */
static inline void mca_pml_champion_peer_set_packed_max(
    mca_pml_champion_peer_t *peer, int64_t max)
{
    MCA_PML_CHAMPION_LOCKED();
    __atomic_store_n(&peer->packed_max, max, __ATOMIC_RELAXED);
}

/** The same, up to the size that is possible. */
static inline void mca_pml_champion_peer_allow_packed(
    mca_pml_champion_peer_t *peer)
{
    if (NULL != peer->ep && peer->name.jobid == mca_pml_champion.my_jobid) {
        mca_pml_champion_peer_set_packed_max(peer, MCA_PML_CHAMPION_PACKED_MAX);
    }
}

/** May a payload of that length go packed? Without the lock the answer may be
 * old. */
static inline bool mca_pml_champion_peer_takes_packed(
    const mca_pml_champion_peer_t *peer, size_t length)
{
    return (int64_t) length <=
           __atomic_load_n(&peer->packed_max, __ATOMIC_RELAXED);
}

/** Let sends look for its ring, or look no more. Lock held. */
static inline void mca_pml_champion_peer_set_ring_max(
    mca_pml_champion_peer_t *peer, int32_t max)
{
    MCA_PML_CHAMPION_LOCKED();
    __atomic_store_n(&peer->ring_max, max, __ATOMIC_RELAXED);
}

/** May a payload of that length go by its ring? Without the lock the answer may
 * be old. */
static inline bool mca_pml_champion_peer_has_ring_for(
    const mca_pml_champion_peer_t *peer, size_t length)
{
    return (int64_t) length <=
           __atomic_load_n(&peer->ring_max, __ATOMIC_RELAXED);
}

/** What UCX calls when it has lost a peer of another job; its argument is the
 * peer. NULL: endpoints to other jobs cannot be closed. */
extern ucp_err_handler_cb_t mca_pml_champion_peer_lost;

/** What a unit does with its part of each peer. Functions may be NULL. */
typedef struct mca_pml_champion_peer_hooks_t {
    /** The peer was made; its part is zero. */
    void (*born)(mca_pml_champion_peer_t *peer);
    /** It has got its endpoint, its first or another one. Lock held. */
    void (*connected)(mca_pml_champion_peer_t *peer);
    struct mca_pml_champion_peer_hooks_t *next; /**< kept by peer.c */
} mca_pml_champion_peer_hooks_t;

/** Have hooks called, before there are peers. Those that are entered already
 * stay as they are. */
void mca_pml_champion_peer_hooks_add(mca_pml_champion_peer_hooks_t *hooks);

/** Make the table. */
int mca_pml_champion_peers_init(void);
/** Forget all peers; their endpoints are closed. */
void mca_pml_champion_peers_fini(void);

/** The peer of that name; made if it is new. NULL if out of memory, or if this
 * job has no such process. */
mca_pml_champion_peer_t *mca_pml_champion_peer_find(
    const opal_process_name_t *name);

/** By which transports and devices a process that was met is reached; NULL if
 * it was not, or UCX does not tell. The caller frees both parts. */
MCA_MQ_OMPI_TRANSPORTS_T *mca_pml_champion_peer_transports(
    ompi_communicator_t *comm, int rank);

/** Is TCP all that leads to a peer, so that its own software has to send what
 * is fetched from it? No, as long as that is not known. Lock held. */
bool mca_pml_champion_peer_has_only_tcp(mca_pml_champion_peer_t *peer);

/** The peer that is rank in comm, connected. NULL after an error message. Not
 * from a callback: it may have to wait for the peer's address. */
mca_pml_champion_peer_t *mca_pml_champion_peer_connect(
    ompi_communicator_t *comm, int rank);

/** Make an endpoint to an address of UCX's. It can be closed if the peer's side
 * can be, too, which parts says. Lock held. */
int mca_pml_champion_peer_connect_to(mca_pml_champion_peer_t *peer,
                                     const void *address, bool parts);

/** For every peer. */
void mca_pml_champion_peers_each(void (*visit)(mca_pml_champion_peer_t *peer));

/** Close all endpoints to processes of this job. Lock held. */
void mca_pml_champion_peers_disconnect(void);

/** Where messages of that sender are counted. Lock held. */
static inline mca_pml_champion_peer_t *mca_pml_champion_peer_of(
    const mca_pml_champion_header_t *header, uint32_t jobid)
{
    opal_process_name_t name;

    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_LIKELY(jobid == mca_pml_champion.my_jobid &&
                    header->vpid < mca_pml_champion.job_size)) {
        mca_pml_champion_peer_t *peer =
            mca_pml_champion.job_peers[header->vpid];

        if (OPAL_LIKELY(NULL != peer)) {
            return peer;
        }
    }
    name.jobid = jobid;
    name.vpid = header->vpid;
    return mca_pml_champion_peer_find(&name);
}

/** The connected peer that is rank in comm, or NULL if it was not met yet. */
static inline mca_pml_champion_peer_t *mca_pml_champion_peer_known(
    ompi_communicator_t *comm, int rank)
{
    ompi_proc_t *proc =
        ompi_group_peer_lookup_existing(comm->c_remote_group, rank);

    if (OPAL_UNLIKELY(NULL == proc)) {
        return NULL;
    }
    /* Another thread may be connecting to it. */
    return __atomic_load_n(&proc->proc_endpoints[OMPI_PROC_ENDPOINT_TAG_PML],
                           __ATOMIC_ACQUIRE);
}

/** The connected peer that is rank in comm; NULL after an error message. */
static inline mca_pml_champion_peer_t *mca_pml_champion_peer_get(
    ompi_communicator_t *comm, int rank)
{
    mca_pml_champion_peer_t *peer = mca_pml_champion_peer_known(comm, rank);

    return OPAL_LIKELY(NULL != peer)
               ? peer
               : mca_pml_champion_peer_connect(comm, rank);
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PEER_PEER_H */
