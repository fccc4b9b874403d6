/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Adaptive receive offload: where the network matches tags in hardware, the
 * data of large messages travel by UCP's tag interface under tags that the
 * receiver can tell beforehand, so that receives can be handed to the adapter
 * when they are posted, and their data come while the program computes.
 *
 *     receiver                                sender
 *        |  OFFER: your index is i   -------->  |
 *        |                                      |  first large message of a
 *        |  <-------- TAGGED envelope, tag i.s.0|  (context, tag): stream s
 *        |  <======== data under i.s.0          |
 *     MPI_Irecv                                 |
 *        |  ucp_tag_recv(i.s.1): offloaded      |
 *        |  <-------- TAGGED envelope, tag i.s.1|  next one
 *        |  <======== data under i.s.1          |  either may come first
 *
 * Envelopes travel as active messages and are matched by mq, like all others; a
 * receive is complete when mq has given it the message and UCX its data. If mq
 * gives it a message whose data are not under its tag (a small or
 * non-contiguous one), the post is cancelled. If a message has to wait for its
 * receive, or the receive was not offloaded, ucp_tag_recv comes when mq has
 * matched (onloaded).
 *
 * Why the data never land in the wrong buffer. A receive is posted to UCX under
 * number n only if it is exact, and if n messages of its stream come before it:
 * those that went to matching already and as many as there are older receives
 * for exactly that stream; and if no receive with a wildcard is queued that
 * could take one of them. Receives posted later change nothing about that:
 * they are younger. Only an older receive that is cancelled by the user does.
 * Then the receives after it are taken back from UCX, newest first. If UCX has
 * given one of them its data already, its message has been sent, and so have
 * the ones before it: the receive that was to be cancelled is bound to get its
 * message, MPI_Cancel has come too late, and all numbers hold. So data are
 * never moved, and a cancelled receive's buffer is never touched, as MPI asks.
 *
 * Choices. Only within a job: peers of another job may vanish without the
 * fence by which MPI_Finalize makes sure that no data are under way. Senders
 * send non-contiguous data as always; receives into non-contiguous buffers are
 * onloaded. Messages of a pair that has agreed on offload do not overtake each
 * other, even if the user allows it: streams count them in order.
 *
 * Costs. Off (and auto on a network without tag matching): nothing, not even
 * an instruction of a small message; functions of their own are in place of
 * the usual ones when it is on. On: a test for each message and receive; a
 * look-up of the stream for those between processes that have agreed.
 *
 * Source: Bayatpour et al., "Communication-Aware Hardware-Assisted MPI Overlap
 * Engine" (2020), sections 5.1 and 5.2. Other parts: tags in offload/tag.h, counting
 * in offload/stream.h, when it pays in offload/offload_rule.h.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_H
#define MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_H

#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/offload/stream.h"
#include "ompi/mca/pml/champion/offload/tag_ops.h"

#pragma GCC visibility push(hidden)

/** Values of the parameter pml_champion_offload. */
enum {
    MCA_PML_CHAMPION_OFFLOAD_OFF = 1,
    MCA_PML_CHAMPION_OFFLOAD_AUTO,
    MCA_PML_CHAMPION_OFFLOAD_ALWAYS
};

/** State of receive offload; one per process, protected by the lock. */
typedef struct mca_pml_champion_offload_t {
    bool on; /**< set once, before there are messages */
    const mca_pml_champion_tag_ops_t *ops;
    /** Peers that have one of the two tables. */
    mca_pml_champion_peer_t *senders, *receivers;
    uint32_t next_index;

    /* Parameters. */
    int mode;   /**< MCA_PML_CHAMPION_OFFLOAD_* */
    size_t min; /**< bytes */
    unsigned streams;
    unsigned cancel_limit; /**< percent */
    char *test_ops;
} mca_pml_champion_offload_t;

extern mca_pml_champion_offload_t mca_pml_champion_offload;

/** Register the parameters. False if one has a value that is not allowed. */
bool mca_pml_champion_offload_register(void);

/** Decide whether it is on. Before UCX. */
int mca_pml_champion_offload_open(void);

/** Make progress while MPI is used; after open, before the first message. */
int mca_pml_champion_offload_init(void);

/** Free everything; after peers have no more messages. */
void mca_pml_champion_offload_fini(void);

/** A peer asks for large messages by tag: an OFFER message, see
 * peer/ctrl_msg.h. */
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_offload_offered(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length);

/** Report that counting went wrong, and end the job: it must not happen. */
void mca_pml_champion_offload_broken(const char *what, uint64_t tag);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_H */
