/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * By which route a send goes that the fast paths have left over. The routes are
 * asked in this order, and the first one that wants a send, and can start it,
 * has it:
 *
 *     self         to this process: matched here, without UCX. Up to
 *                  SELF_EAGER_LIMIT the payload is copied if its receive is
 *                  not posted yet
 *     offload      envelope, and data under a tag that the receiver has asked
 *                  for (offload/)
 *     lend         the receiver reads the sender's memory (CMA), and says so;
 *                  what is fetched is in rndv/single_copy.h. If its ring has
 *                  no room for that, it goes by rendezvous
 *     ring         through the receiver's ring, up to ring_max, in pieces
 *                  (ring/rings.h)
 *     ucx          UCX chooses the protocol
 *     eager        up to eager_limit: UCX copies the payload on the way
 *     rendezvous   more: UCX sends an envelope, and the receiver fetches the
 *                  payload
 *
 * What a route wants is a question about a few facts, which changes nothing and
 * needs neither UCX nor a peer. What follows from the answer happens when the
 * send starts.
 */

#ifndef MCA_PML_CHAMPION_MPI_ROUTE_H
#define MCA_PML_CHAMPION_MPI_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct mca_pml_champion_comm_t;
struct mca_pml_champion_send_t;

/** The largest payload of a synchronous send that is eager when UCX decides
 * about other sends, bytes. */
enum { MCA_PML_CHAMPION_SYNC_EAGER = 8192 };

/** All that the choice depends on. */
typedef struct mca_pml_champion_route_facts_t {
    size_t length;      /**< bytes */
    size_t eager_limit; /**< the parameter, bytes; SIZE_MAX: UCX decides */
    bool sync;          /**< a synchronous send */
    bool self;          /**< to this process; then nothing else matters */
    bool held_up;  /**< its receiver wants no more of it than an envelope */
    bool offload;  /**< its receiver has asked for such data under a tag */
    bool ring;     /**< there is a ring for that length */
    bool fetch;    /**< its receiver had better fetch it */
    bool readable; /**< its receiver can read this process's memory */
} mca_pml_champion_route_facts_t;

/** How UCX is to send. */
typedef enum {
    MCA_PML_CHAMPION_BY_UCX,
    MCA_PML_CHAMPION_BY_EAGER,
    MCA_PML_CHAMPION_BY_RENDEZVOUS
} mca_pml_champion_protocol_t;

/** A route. */
typedef struct mca_pml_champion_route_t {
    const char *name;
    /** Is it for such a send, if those before it are not? */
    bool (*wants)(const mca_pml_champion_route_facts_t *facts);
    /** Start a send whose header is complete but for a token; attributes are
     * those of UCX's request. False, with nothing done, if that cannot be now.
     * Lock held. The send is complete when its pending is 0, and has an error
     * then or not. */
    bool (*start)(struct mca_pml_champion_send_t *send,
                  struct mca_pml_champion_comm_t *comm, uint32_t attributes);
} mca_pml_champion_route_t;

/** The protocol of what goes by UCX. */
mca_pml_champion_protocol_t mca_pml_champion_route_protocol(
    const mca_pml_champion_route_facts_t *facts);

/** Start a send by the route that it belongs to, and return that. Lock held. */
const mca_pml_champion_route_t *mca_pml_champion_route_start(
    const mca_pml_champion_route_facts_t *facts,
    struct mca_pml_champion_send_t *send, struct mca_pml_champion_comm_t *comm,
    uint32_t attributes);

/* How each starts. */
bool mca_pml_champion_start_self(struct mca_pml_champion_send_t *send,
                                 struct mca_pml_champion_comm_t *comm,
                                 uint32_t attributes);
bool mca_pml_champion_start_offload(struct mca_pml_champion_send_t *send,
                                    struct mca_pml_champion_comm_t *comm,
                                    uint32_t attributes);
bool mca_pml_champion_start_rget(struct mca_pml_champion_send_t *send,
                                 struct mca_pml_champion_comm_t *comm,
                                 uint32_t attributes);
bool mca_pml_champion_start_ring(struct mca_pml_champion_send_t *send,
                                 struct mca_pml_champion_comm_t *comm,
                                 uint32_t attributes);
bool mca_pml_champion_start_ucx(struct mca_pml_champion_send_t *send,
                                struct mca_pml_champion_comm_t *comm,
                                uint32_t attributes);
bool mca_pml_champion_start_eager(struct mca_pml_champion_send_t *send,
                                  struct mca_pml_champion_comm_t *comm,
                                  uint32_t attributes);
bool mca_pml_champion_start_rendezvous(struct mca_pml_champion_send_t *send,
                                       struct mca_pml_champion_comm_t *comm,
                                       uint32_t attributes);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_ROUTE_H */
