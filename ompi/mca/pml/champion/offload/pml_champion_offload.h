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
 * Engine" (2020), sections 5.1 and 5.2. Other parts: tags in _tag.h, counting
 * in _stream.h, when it pays in _offload_rule.h.
 */

#ifndef OMPI_PML_CHAMPION_OFFLOAD_H
#define OMPI_PML_CHAMPION_OFFLOAD_H

#include "ompi/mca/mq/base/mq_base_param.h"

#include "ompi/mca/pml/champion/pml_champion_message.h"
#include "ompi/mca/pml/champion/offload/pml_champion_offload_rule.h"
#include "ompi/mca/pml/champion/offload/pml_champion_stream.h"
#include "ompi/mca/pml/champion/offload/pml_champion_tag_ops.h"

#pragma GCC visibility push(hidden)

/** Values of the parameter pml_champion_offload. */
enum {
    MCA_PML_CHAMPION_OFFLOAD_OFF = 1,
    MCA_PML_CHAMPION_OFFLOAD_AUTO,
    MCA_PML_CHAMPION_OFFLOAD_ALWAYS
};

/** Messages whose data nobody wants. */
typedef struct mca_pml_champion_discard_t mca_pml_champion_discard_t;

/** State of receive offload; one per process, protected by the lock. */
typedef struct mca_pml_champion_offload_t {
    bool on; /**< set once, before there are messages */
    const mca_pml_champion_tag_ops_t *ops;
    /** Peers that have one of the two tables. */
    mca_pml_champion_peer_t *senders, *receivers;
    uint32_t next_index;
    uint64_t outstanding; /**< K, ns */
    uint32_t at_ucx;      /**< receives that UCX has */
    mca_pml_champion_discard_t *discards;
    const void *posting; /**< see pml_champion_offload_recv.c */
    mca_pml_champion_window_t window;

    /* Parameters. */
    int mode;                 /**< MCA_PML_CHAMPION_OFFLOAD_* */
    mca_mq_base_real_t alpha; /**< ns per byte */
    mca_mq_base_real_t beta;  /**< ns */
    unsigned min;             /**< bytes */
    unsigned streams;
    unsigned period;
    unsigned cancel_limit; /**< percent */
    char *test_ops;
} mca_pml_champion_offload_t;

extern mca_pml_champion_offload_t mca_pml_champion_offload;

/* pml_champion_tag_ops.c */

/** Has UCX been told to use adapters that match tags? */
bool mca_pml_champion_tag_ops_enabled(void);

/** The operations of a library, or UCX's without one. NULL after a help text.
 */
const mca_pml_champion_tag_ops_t *mca_pml_champion_tag_ops_get(
    const char *file);

/* pml_champion_offload.c */

/** Register the parameters. False if one has a value that is not allowed. */
bool mca_pml_champion_offload_register(void);

/** Decide whether it is on, and prepare the module for that. Before UCX. */
int mca_pml_champion_offload_open(void);

/** Make progress while MPI is used; after open, before the first message. */
int mca_pml_champion_offload_init(void);

/** Take back from UCX what nobody wants any more. All sends of all processes
 * are complete, no communicator is left. */
void mca_pml_champion_offload_drain(void);

/** Free everything; after peers have no more messages. */
void mca_pml_champion_offload_fini(void);

/** Another process asks for large messages by tag. Lock held. */
void mca_pml_champion_offload_offered(const mca_pml_champion_offer_t *offer);

/** A communicator is gone; its queues are empty. Lock held. */
void mca_pml_champion_offload_forget(uint32_t context);

/** Report that counting went wrong, and end the job: it must not happen. */
void mca_pml_champion_offload_broken(const char *what, uint64_t tag);

/* pml_champion_offload_send.c; lock held */

/** Shall the data of a send travel under a tag? */
bool mca_pml_champion_offload_wants(mca_pml_champion_send_t *send,
                                    uint32_t context, int tag,
                                    mca_pml_champion_peer_t *peer);

/** Send such a message. param is that of an active message with send's own
 * callback. Returns what UCX says of the envelope; pending is what may be yet
 * to come, the envelope included. */
ucs_status_ptr_t mca_pml_champion_offload_send(
    mca_pml_champion_send_t *send, mca_pml_champion_peer_t *peer,
    const ucp_request_param_t *param);

/** A message was sent to a peer that has asked for tags. */
static inline void mca_pml_champion_offload_sent(
    const mca_pml_champion_peer_t *peer, uint32_t context, int tag)
{
    if (OPAL_UNLIKELY(NULL != peer->outflows)) {
        mca_pml_champion_outflow_count(peer->outflows, context, tag);
    }
}

/* pml_champion_offload_recv.c; lock held unless it says otherwise */

/** May it be worth while at all to offload a receive? */
static inline bool mca_pml_champion_offload_eligible(
    const mca_pml_champion_recv_t *recv)
{
    return recv->contiguous && recv->capacity >= mca_pml_champion_offload.min;
}

/** Before an eligible receive is posted: connect to its source, if it may be
 * worth to ask it for tags. Without the lock. */
void mca_pml_champion_offload_connect(int source, ompi_communicator_t *comm);

/** A receive was queued in mq that is eligible, has a wildcard, or may be from
 * a process that was asked for tags. */
void mca_pml_champion_offload_track(mca_pml_champion_recv_t *recv,
                                    mca_pml_champion_comm_t *comm);

static inline void mca_pml_champion_offload_prepare(
    const mca_pml_champion_recv_t *recv, int source, ompi_communicator_t *comm)
{
    if (mca_pml_champion_offload_eligible(recv)) {
        mca_pml_champion_offload_connect(source, comm);
    }
}

/** A receive was queued in mq. */
static inline void mca_pml_champion_offload_posted(
    mca_pml_champion_recv_t *recv, mca_pml_champion_comm_t *comm)
{
    if (NULL != mca_pml_champion_offload.senders ||
        mca_pml_champion_offload_eligible(recv) ||
        MCA_MQ_ANY_SOURCE == recv->entry.envelope.source ||
        MCA_MQ_ANY_TAG == recv->entry.envelope.tag) {
        mca_pml_champion_offload_track(recv, comm);
    }
}

/** A message from a peer that was asked for tags is next in its pair. Before
 * it is matched. */
void mca_pml_champion_offload_arrived(mca_pml_champion_peer_t *peer,
                                      const mca_mq_envelope_t *envelope,
                                      uint8_t where, uint64_t token);

/** mq has given a message to a receive of which flags are set. */
void mca_pml_champion_offload_matched(mca_pml_champion_arrival_t *arrival,
                                      mca_pml_champion_recv_t *recv);

/** Get the data of a TAGGED message that was matched; status is filled in. */
void mca_pml_champion_offload_deliver(mca_pml_champion_recv_t *recv,
                                      uint64_t ucp_tag, size_t length);

/** A TAGGED message has no receive, and never will. */
void mca_pml_champion_offload_drop(uint64_t ucp_tag);

/** The user cancels a receive that is queued. True if it can be withdrawn now;
 * otherwise that happens later, or it has its message already. */
bool mca_pml_champion_offload_cancel(mca_pml_champion_recv_t *recv);

/** A receive that was queued has failed, and its status says so; it is in no
 * queue of mq any more. True if it can be completed now; otherwise that happens
 * when UCX has given it back. */
bool mca_pml_champion_offload_fail(mca_pml_champion_recv_t *recv);

/** A receive that was queued is forgotten, MPI_Finalize is at work. */
void mca_pml_champion_offload_abandon(mca_pml_champion_recv_t *recv);

/** The transfer of a rendezvous message begins or ends: it is outstanding
 * meanwhile. */
void mca_pml_champion_offload_begins(mca_pml_champion_recv_t *recv,
                                     size_t length);
void mca_pml_champion_offload_ends(mca_pml_champion_recv_t *recv);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_OFFLOAD_H */
