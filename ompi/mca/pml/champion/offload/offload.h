/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Adaptive receive offload: where the network matches tags in hardware, the
 * data of large messages are sent by UCP's tag interface under tags that the
 * receiver can predict, so that receives can be handed to the adapter when they
 * are posted, and their data arrive while the program computes.
 *
 *     receiver                                sender
 *        |  INVITE: your index is i  -------->  |
 *        |                                      |  first large message of a
 *        |  <-------- TAGGED envelope, tag i.s.0|  (context, tag): stream s
 *        |  <======== data under i.s.0          |
 *     MPI_Irecv                                 |
 *        |  ucp_tag_recv(i.s.1): offloaded      |
 *        |  <-------- TAGGED envelope, tag i.s.1|  next one
 *        |  <======== data under i.s.1          |  either may come first
 *
 * Envelopes are active messages, matched by mq as all others; a receive is
 * complete when mq has matched it and UCX has received its data. If mq matches
 * it with a message whose data are not under its tag (a small or non-contiguous
 * one), the receive in UCX is cancelled. If a message is unexpected, or its
 * receive was not offloaded, ucp_tag_recv is called after the match (onloaded).
 *
 * Why data never arrive in the wrong buffer. A receive is posted to UCX under
 * number n only if it has no wildcard; if n messages of its stream precede its
 * own: those already matched, and one for each older receive for exactly that
 * stream; and if no posted wildcard receive could take one of them. Receives
 * posted later are younger and cannot change this. Only the cancelling of an
 * older receive can. Then the younger receives are cancelled in UCX, newest
 * first. If UCX has received data for one of them, its message has been sent,
 * and so have those before it: the receive that was to be cancelled is bound to
 * get its message, MPI_Cancel is too late, and all numbers hold. So data are
 * never moved, and a cancelled receive's buffer is never written, as MPI
 * demands.
 *
 * Choices. Only within a job: peers of another job may vanish without the fence
 * by which MPI_Finalize ensures that no data are in flight. Non-contiguous data
 * are not sent by tag; receives into non-contiguous buffers are onloaded.
 * Messages between processes that have agreed on offload are matched in order,
 * even if the user allows overtaking, because streams count them in order.
 *
 * Costs. Off (and auto without hardware tag matching): not one instruction of a
 * small message; when it is on, separate functions replace the usual ones. On:
 * a test for each message and receive; a look-up of the stream between
 * processes that have agreed.
 *
 * Source: Bayatpour et al., "Communication-Aware Hardware-Assisted MPI Overlap
 * Engine" (2020), sections 5.1 and 5.2. Tags are in offload/tag.h, counting is
 * in offload/stream.h, when offload pays in offload/offload_rule.h.
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
    /** Lists of the peers with streams from them, and of those with streams
     * to them. */
    mca_pml_champion_peer_t *senders, *receivers;
    uint32_t next_index;

    /* Parameters. */
    int mode;              /**< MCA_PML_CHAMPION_OFFLOAD_* */
    size_t min;            /**< bytes */
    unsigned cancel_limit; /**< percent */
    char *test_ops;
} mca_pml_champion_offload_t;

extern mca_pml_champion_offload_t mca_pml_champion_offload;

/** Register the parameters. */
bool mca_pml_champion_offload_register(void);

/** Decide whether offload is on. Before UCX is initialised. */
int mca_pml_champion_offload_open(void);

/** Have the progress of a test library made. Before the first message. */
int mca_pml_champion_offload_start(void);
void mca_pml_champion_offload_stop(void);

/** Free everything, when there are no messages any more. */
void mca_pml_champion_offload_fini(void);

/** End the job because sender and receiver have counted differently, which is a
 * bug. */
void mca_pml_champion_offload_broken(const char *what, uint64_t tag);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_H */
