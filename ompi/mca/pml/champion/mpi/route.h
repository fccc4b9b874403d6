/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The route of a send that the fast paths have left over. The first route in
 * this order that wants the send, and can start it, takes it:
 *
 *     self         to this process: matched here, without UCX. Up to
 *                  SELF_EAGER_LIMIT the payload is copied if its receive is
 *                  not posted yet
 *     tagged       envelope, and data under a tag that the receiver has asked
 *                  for (offload/)
 *     sync         a synchronous send of up to 1 KiB through the receiver's
 *                  ring or FIFO, which returns an ACK
 *     rget         receiver and sender copy from the sender's memory to the
 *                  receiver's (CMA, shm/copy.c), which returns a FIN; see
 *                  large/single_copy.h for which messages. If the ring has no
 *                  room for it, the send goes by rendezvous
 *     ring         through the receiver's ring, or its FIFO, up to ring_max
 *                  (shm/rings.h)
 *     ucx          UCX chooses the protocol
 *     eager        up to eager_limit, and from private memory: UCX copies the
 *                  payload on the way
 *     rendezvous   larger: UCX sends an envelope, and the receiver fetches the
 *                  payload
 *
 * Whether a route wants a send is a pure function of a few facts: it changes
 * nothing and needs neither UCX nor a peer. mpi/send_start.h starts the send.
 */

#ifndef MCA_PML_CHAMPION_MPI_ROUTE_H
#define MCA_PML_CHAMPION_MPI_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/** Largest payload of a synchronous send that is eager when UCX chooses the
 * protocol of other sends, bytes. */
enum { MCA_PML_CHAMPION_SYNC_EAGER = 8192 };

/** Largest payload of a synchronous send that goes by ring, bytes. Of 4 KiB takes
 * 1.7 times as long as by UCX. */
enum { MCA_PML_CHAMPION_SYNC_RING = 1024 };

/** All that the choice depends on. */
typedef struct mca_pml_champion_route_facts_t {
    size_t length;      /**< bytes */
    size_t eager_limit; /**< the parameter, bytes; SIZE_MAX: UCX decides */
    bool sync;          /**< a synchronous send */
    bool self;          /**< to this process; then nothing else matters */
    bool throttled;     /**< flow control: the receiver takes envelopes only */
    bool tagged;        /**< the receiver has asked for such data under a tag */
    bool ring;          /**< there is a ring for that length */
    bool fetch;         /**< the receiver should fetch the payload */
    bool readable;      /**< it can read this process's memory, and there is a
                             ring by which it is told */
    bool private;       /**< only this process can read the payload; then fetch
                             and readable are false */
} mca_pml_champion_route_facts_t;

/** The protocol that UCX uses for a send. */
typedef enum {
    MCA_PML_CHAMPION_BY_UCX,
    MCA_PML_CHAMPION_BY_EAGER,
    MCA_PML_CHAMPION_BY_RENDEZVOUS
} mca_pml_champion_protocol_t;

/** The routes, in the order in which they are tried. */
typedef enum {
    MCA_PML_CHAMPION_ROUTE_SELF,
    MCA_PML_CHAMPION_ROUTE_TAGGED,
    MCA_PML_CHAMPION_ROUTE_SYNC, /**< by ring, with an ACK */
    MCA_PML_CHAMPION_ROUTE_RGET,
    MCA_PML_CHAMPION_ROUTE_RING,
    MCA_PML_CHAMPION_ROUTE_UCX,
    MCA_PML_CHAMPION_ROUTE_EAGER,
    MCA_PML_CHAMPION_ROUTE_RENDEZVOUS, /**< wants every send */
    MCA_PML_CHAMPION_ROUTES
} mca_pml_champion_route_t;

/** The protocol of a send that goes by UCX. */
static inline mca_pml_champion_protocol_t mca_pml_champion_route_protocol(
    const mca_pml_champion_route_facts_t *facts)
{
    const bool automatic = SIZE_MAX == facts->eager_limit;
    size_t limit = automatic ? MCA_PML_CHAMPION_SYNC_EAGER : facts->eager_limit;

    if (facts->private) {
        return MCA_PML_CHAMPION_BY_EAGER; /* the receiver cannot fetch it */
    }
    if (facts->throttled) {
        limit = 0;
    } else if (automatic && !facts->sync && !facts->fetch) {
        return MCA_PML_CHAMPION_BY_UCX;
    }
    return facts->length <= limit ? MCA_PML_CHAMPION_BY_EAGER
                                  : MCA_PML_CHAMPION_BY_RENDEZVOUS;
}

/** May a send go by a ring, without an ACK? */
static inline bool mca_pml_champion_route_ring_may(
    const mca_pml_champion_route_facts_t *facts)
{
    return facts->ring && !facts->sync && !facts->throttled;
}

/** The first route, from this one on, that wants a send. */
static inline __attribute__((always_inline)) mca_pml_champion_route_t
mca_pml_champion_route_next(const mca_pml_champion_route_facts_t *facts,
                            mca_pml_champion_route_t from)
{
#define TRY(route, wants)                                                      \
    if (from <= MCA_PML_CHAMPION_ROUTE_##route && (wants)) {                   \
        return MCA_PML_CHAMPION_ROUTE_##route;                                 \
    }
    TRY(SELF, facts->self)
    TRY(TAGGED, facts->tagged && !facts->throttled)
    TRY(SYNC, facts->ring && facts->sync && !facts->throttled &&
                  facts->length <= MCA_PML_CHAMPION_SYNC_RING)
    TRY(RGET,
        facts->readable && facts->fetch && !facts->sync && !facts->throttled)
    TRY(RING, mca_pml_champion_route_ring_may(facts) && !facts->fetch)
    TRY(UCX, MCA_PML_CHAMPION_BY_UCX == mca_pml_champion_route_protocol(facts))
    TRY(EAGER,
        MCA_PML_CHAMPION_BY_EAGER == mca_pml_champion_route_protocol(facts))
#undef TRY
    return MCA_PML_CHAMPION_ROUTE_RENDEZVOUS;
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_ROUTE_H */
