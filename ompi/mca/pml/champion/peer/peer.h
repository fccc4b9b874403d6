/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Peers: identity, endpoints and sequence numbers. This component has a table
 * of its own, keyed by process name, because Open MPI's process objects are
 * destroyed at a disconnect and created anew at a reconnect.
 */

#ifndef MCA_PML_CHAMPION_PEER_PEER_H
#define MCA_PML_CHAMPION_PEER_PEER_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/core/chores.h"
#include "ompi/mca/pml/champion/core/inflight.h"
#include "ompi/mca/pml/champion/peer/peer_parts.h"
#include "ompi/mca/pml/champion/core/wire.h"

#pragma GCC visibility push(hidden)

/** A process, possibly this one. Created at first contact, kept until
 * MPI_Finalize. */
struct mca_pml_champion_peer_t {
    /* One cache line: the fields for sends and arrivals. */
    ucp_ep_h ep; /**< NULL: not connected yet, or not by UCX (see by_ring), or
                      this process */
    /** Largest payload that may be sent packed, bytes; -1 without ep, to
     * another job, and while something else has to be checked first. Atomic:
     * read without the lock. */
    int64_t packed_max;
    struct mca_pml_champion_ring_out_t *out; /**< the ring to it, or
                                                  .._ring_none */
    uint32_t *doorbell; /**< rung after a send by UCX; see core/inflight.h */
    /** Largest payload for the ring to it, bytes; -1: no ring. Atomic: read
     * without the lock. */
    int32_t ring_max;
    uint32_t send_sequence; /**< number of the next message to it */
    uint32_t due_at;        /**< send_sequence at which flow control is checked
                          next */
    uint32_t recv_sequence; /**< number of the next message from it */
    bool slow_arrivals;     /**< messages from it take the slow path
                             (match/reorder.h) */
    bool slow_sends;        /**< messages to it are counted, and large ones may
                             go by tag (match/offload_hooks.h) */
    bool self;              /**< this process */
    bool local;             /**< of this job, on this node */
    /** Is it reached by TCP only? See .._peer_has_only_tcp. */
    enum {
        MCA_PML_CHAMPION_NOT_LOOKED,
        MCA_PML_CHAMPION_ONLY_TCP,
        MCA_PML_CHAMPION_NOT_ONLY_TCP
    } tcp;
    opal_process_name_t name;
    mca_pml_champion_peer_reorder_t reorder;
    bool by_ring; /**< it has been reached by ring: UCX is connected to it
                       when it is needed */
    /** Endpoint to the sender of a SYNC message, for the ACK. */
    ucp_ep_h reply_ep;
    struct mca_pml_champion_cost_model_t
        *cost_model;                             /**< NULL: nothing measured */
    struct mca_pml_champion_peer_clock_t *clock; /**< NULL: not requested */
    mca_pml_champion_peer_stripe_t *stripe; /**< NULL: nothing was striped */
    mca_pml_champion_peer_backlog_t backlog;
    mca_pml_champion_peer_link_t link;
    mca_pml_champion_peer_flow_t flow;
    mca_pml_champion_peer_offload_t offload;
    mca_pml_champion_peer_single_copy_t single_copy;
    mca_pml_champion_peer_prefetch_t prefetch;
    mca_pml_champion_peer_defer_t defer;
    mca_pml_champion_peer_ring_t ring;
    mca_pml_champion_peer_t *next; /**< in the list of all peers */
};
_Static_assert(offsetof(mca_pml_champion_peer_t, name) <= 64,
               "what the fast path looks at is one cache line");

/** Bit of link.events: the peer has become idle. The other bits are defined in
 * match/disconnect.c. */
#define MCA_PML_CHAMPION_PEER_IDLE 0x01u

/** Peers of other jobs with pending events, and the chore that handles them
 * (match/disconnect.h); NULL: none. */
extern mca_pml_champion_peer_t *mca_pml_champion_peers_due;
extern mca_pml_champion_chore_t mca_pml_champion_peers_chore;

/** Record an event of a peer of another job, to be handled by progress. Lock
 * held. */
void mca_pml_champion_peer_due(mca_pml_champion_peer_t *peer, unsigned events);

/** A send that is counted in link.active is complete. Lock held. */
static inline void mca_pml_champion_peer_send_ended(
    mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (0 == --peer->link.active && 0 == peer->link.comms) {
        mca_pml_champion_peer_due(peer, MCA_PML_CHAMPION_PEER_IDLE);
    }
}

/** Set the size up to which small messages are sent packed. Lock held. */
static inline void mca_pml_champion_peer_set_packed_max(
    mca_pml_champion_peer_t *peer, int64_t max)
{
    MCA_PML_CHAMPION_LOCKED();
    __atomic_store_n(&peer->packed_max, max, __ATOMIC_RELAXED);
}

/** Allow packed messages up to the largest size, if the peer can receive them.
 */
static inline void mca_pml_champion_peer_allow_packed(
    mca_pml_champion_peer_t *peer)
{
    if (NULL != peer->ep && peer->name.jobid == mca_pml_champion.my_jobid) {
        mca_pml_champion_peer_set_packed_max(peer, MCA_PML_CHAMPION_PACKED_MAX);
    }
}

/** May a payload of this length be sent packed? Without the lock the answer may
 * be outdated. */
static inline bool mca_pml_champion_peer_takes_packed(
    const mca_pml_champion_peer_t *peer, size_t length)
{
    return (int64_t) length <=
           __atomic_load_n(&peer->packed_max, __ATOMIC_RELAXED);
}

/** Set the size up to which sends use the ring; -1: none. Lock held. */
static inline void mca_pml_champion_peer_set_ring_max(
    mca_pml_champion_peer_t *peer, int32_t max)
{
    MCA_PML_CHAMPION_LOCKED();
    __atomic_store_n(&peer->ring_max, max, __ATOMIC_RELAXED);
}

/** May a payload of this length go by the ring? Without the lock the answer may
 * be outdated. */
static inline bool mca_pml_champion_peer_has_ring_for(
    const mca_pml_champion_peer_t *peer, size_t length)
{
    return (int64_t) length <=
           __atomic_load_n(&peer->ring_max, __ATOMIC_RELAXED);
}

/** Opens the ring to a peer of this node and job. Returns whether it is used: no
 * endpoint is needed then until UCX has something to send. Lock held. Set by
 * shm/; NULL: none are used. */
extern bool (*mca_pml_champion_peer_ring_open)(mca_pml_champion_peer_t *peer);

/** UCX's callback when it has lost a peer of another job; the argument is the
 * peer. NULL: endpoints to other jobs cannot be closed. */
extern ucp_err_handler_cb_t mca_pml_champion_peer_on_lost;

/** How a unit maintains its part of each peer. Functions may be NULL. */
typedef struct mca_pml_champion_peer_hooks_t {
    /** A peer was created; its part is zero. */
    void (*born)(mca_pml_champion_peer_t *peer);
    /** A peer has a new endpoint. Lock held. */
    void (*connected)(mca_pml_champion_peer_t *peer);
    struct mca_pml_champion_peer_hooks_t *next; /**< used by peer.c */
} mca_pml_champion_peer_hooks_t;

/** Add hooks, before there are peers. Adding them again has no effect. */
void mca_pml_champion_peer_hooks_add(mca_pml_champion_peer_hooks_t *hooks);

/** Create the table. */
int mca_pml_champion_peers_init(void);
/** Free all peers; their endpoints are closed. */
void mca_pml_champion_peers_fini(void);

/** The peer of this name, created if it is new. NULL if out of memory, or if
 * this job has no such process. */
mca_pml_champion_peer_t *mca_pml_champion_peer_find(
    const opal_process_name_t *name);

/** Transports and devices by which a peer is reached; NULL if it is not
 * connected, or UCX does not tell. The caller frees both parts. */
MCA_MQ_OMPI_TRANSPORTS_T *mca_pml_champion_peer_transports(
    ompi_communicator_t *comm, int rank);

/** Is a peer reached by TCP only, so that its own software has to send the data
 * that are fetched from it? False while unknown. Lock held. */
bool mca_pml_champion_peer_has_only_tcp(mca_pml_champion_peer_t *peer);

/** Connect to rank in comm. NULL after an error message. Not from a callback:
 * it may have to wait for the peer's address. */
mca_pml_champion_peer_t *mca_pml_champion_peer_connect(
    ompi_communicator_t *comm, int rank);

/** Create an endpoint to an address of UCX. It can be closed only if the peer
 * can close its side, too (closes). Lock held. */
int mca_pml_champion_peer_connect_to(mca_pml_champion_peer_t *peer,
                                     const void *address, bool closes);

/** Create the endpoint to a peer that was reached without UCX so far, or that has
 * reached this process so. False if it has no card on the board, after an error
 * message, or if endpoints have been closed. Lock held. */
bool mca_pml_champion_peer_reach(mca_pml_champion_peer_t *peer);

/** The endpoint to a peer, created if that was put off; NULL: there is none.
 * Lock held. */
static inline ucp_ep_h mca_pml_champion_peer_ep(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    return OPAL_LIKELY(NULL != peer->ep) || mca_pml_champion_peer_reach(peer)
               ? peer->ep
               : NULL;
}

/** Call visit for every peer, in the order of their creation; visit may free
 * it. The time depends on the number of peers, not on the size of the job. */
void mca_pml_champion_peers_each(void (*visit)(mca_pml_champion_peer_t *peer));

/** Close all endpoints to processes of this job. Lock held. */
void mca_pml_champion_peers_disconnect(void);

/** Return the peer that sent this header. Lock held. */
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

/** The connected peer for rank in comm, or NULL if there is none yet. */
static inline mca_pml_champion_peer_t *mca_pml_champion_peer_known(
    ompi_communicator_t *comm, int rank)
{
    ompi_proc_t *proc =
        ompi_group_peer_lookup_existing(comm->c_remote_group, rank);

    if (OPAL_UNLIKELY(NULL == proc)) {
        return NULL;
    }
    /* Another thread may be connecting it. */
    return __atomic_load_n(&proc->proc_endpoints[OMPI_PROC_ENDPOINT_TAG_PML],
                           __ATOMIC_ACQUIRE);
}

/** The peer for rank in comm, connected if necessary; NULL after an error
 * message. */
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
