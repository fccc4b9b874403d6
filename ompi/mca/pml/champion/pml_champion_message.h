/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages that arrived and could not be delivered at once.
 */

#ifndef OMPI_PML_CHAMPION_MESSAGE_H
#define OMPI_PML_CHAMPION_MESSAGE_H

#include "ompi/mca/pml/champion/pml_champion_request.h"

#pragma GCC visibility push(hidden)

/** Where the payload of a message is. */
typedef enum {
    MCA_PML_CHAMPION_COPIED,     /**< behind the message itself */
    MCA_PML_CHAMPION_HELD,       /**< in a buffer of UCX */
    MCA_PML_CHAMPION_PREFETCHED, /**< in a slot of the pool, all of it */
    MCA_PML_CHAMPION_RENDEZVOUS, /**< at the sender; a descriptor of UCX */
    MCA_PML_CHAMPION_LOCAL,      /**< in a send of this process */
    MCA_PML_CHAMPION_OVERTOOK,   /**< nowhere: it was matched before its turn */
    /* See pml_champion_prefetch.h. */
    MCA_PML_CHAMPION_FETCHING,  /**< on its way to a slot; not matched yet */
    MCA_PML_CHAMPION_AWAITED,   /**< the same; link[0] is its receive */
    MCA_PML_CHAMPION_ABANDONED, /**< the same; nobody will receive it */
    MCA_PML_CHAMPION_LOST,      /**< nowhere: it could not be fetched */
    MCA_PML_CHAMPION_TAGGED     /**< sent by tag, which is the token */
} mca_pml_champion_payload_t;

/** A message that waits: unexpected, early, parked, delayed or probed. From
 * mca_pml_champion.pool. */
struct mca_pml_champion_message_t {
    /** First: a matched entry is its message. In a list other than a queue of
     * mq, link[0] and link[1] are the list's. */
    mca_mq_entry_t entry;
    mca_pml_champion_peer_t *peer;
    size_t length;  /**< payload, bytes */
    void *payload;  /**< buffer, descriptor, send, slot; not if COPIED */
    uint64_t token; /**< of a SYNC or TAGGED message, else 0 */
    uint32_t sequence;
    uint8_t where; /**< mca_pml_champion_payload_t */
    bool owned;    /**< the pool's block has room for the payload */
    unsigned char copy[];
};

/** A message on its way to a receive: fresh from UCX, or one that waited. */
typedef struct mca_pml_champion_arrival_t {
    mca_mq_envelope_t envelope;
    uint32_t sequence;
    mca_pml_champion_peer_t *peer;
    const void *payload; /**< eager data, or a descriptor, or a send */
    size_t length;       /**< payload, bytes */
    uint64_t token;      /**< of a SYNC or TAGGED message, else 0 */
    uint8_t where;       /**< mca_pml_champion_payload_t */
    bool keepable;       /**< UCX's buffer may be kept: eager only */
    bool kept;           /**< out: UCX's buffer or descriptor was kept */
    mca_pml_champion_message_t *message; /**< that waited; or NULL */
    mca_pml_champion_comm_t *comm;
} mca_pml_champion_arrival_t;

/** Make an object of a message that has to wait. Without memory the job is
 * aborted, with a message. */
mca_pml_champion_message_t *mca_pml_champion_message_new(
    mca_pml_champion_arrival_t *arrival);

/** Give its memory back, but not UCX's. */
void mca_pml_champion_message_free(mca_pml_champion_message_t *message);

/** Nobody will receive it: tell its sender, give everything back. */
void mca_pml_champion_message_drop(mca_pml_champion_message_t *message);

/** Fail a receive that was just queued in a communicator that is revoked. Lock
 * held. */
void mca_pml_champion_recv_revoked(mca_pml_champion_comm_t *comm,
                                   mca_pml_champion_recv_t *recv);

/** Hand a message that waited to the receive it matched. Lock held. */
void mca_pml_champion_message_deliver(mca_pml_champion_message_t *message,
                                      mca_pml_champion_recv_t *recv);

/** A message is next in its pair: match or queue it. Lock held. */
void mca_pml_champion_arrival_match(mca_pml_champion_arrival_t *arrival);

/** mq asks for the entry of a message that matched no receive; arg is its
 * arrival. */
mca_mq_entry_t *mca_pml_champion_arrival_entry(void *arg);

/** A message has come: see whether it is its turn, or need not be (info key
 * mpi_assert_allow_overtaking). Lock held. */
void mca_pml_champion_arrival_arrive(mca_pml_champion_arrival_t *arrival);

/** Bring a peer's early messages into action as far as their turn has come. */
void mca_pml_champion_early_release(mca_pml_champion_peer_t *peer);

/** The communicator at an index, or NULL if it is not there. */
static inline mca_pml_champion_comm_t *mca_pml_champion_comm_at(uint32_t index)
{
    mca_pml_champion_comm_t *comm;

    if (OPAL_UNLIKELY(index >= mca_pml_champion.num_comms)) {
        return NULL;
    }
    comm = mca_pml_champion.comms[index];
    return OPAL_UNLIKELY(MCA_PML_CHAMPION_COMM_GONE == comm) ? NULL : comm;
}

/** What own_comms has of a context: NULL, a communicator, or COMM_GONE. */
mca_pml_champion_comm_t *mca_pml_champion_own_look(uint32_t context);

/** The same if it is not the one found last; NULL instead of COMM_GONE. */
mca_pml_champion_comm_t *mca_pml_champion_own_find(uint32_t context);

/** The communicator of a context, or NULL if it is not there. */
static inline mca_pml_champion_comm_t *mca_pml_champion_comm_find(
    uint32_t context)
{
    mca_pml_champion_comm_t *comm;

    if (!MCA_MQ_OMPI_OWN_INDICES) {
        return mca_pml_champion_comm_at(context);
    }
    if (OPAL_UNLIKELY(0 != (context & MCA_PML_CHAMPION_CONTEXT_OWN))) {
        comm = mca_pml_champion.own_last;
        return NULL != comm && comm->context == context
                   ? comm
                   : mca_pml_champion_own_find(context);
    }
    comm = mca_pml_champion_comm_at(context);
    /* The index may be another's by now. */
    return OPAL_LIKELY(NULL != comm && comm->context == context) ? comm : NULL;
}

/** A message that waited (delayed, parked) arrives again. Lock held. */
void mca_pml_champion_message_arrive(mca_pml_champion_message_t *message);

/** The same for one whose turn has not to be looked at. */
void mca_pml_champion_message_match(mca_pml_champion_message_t *message);

/** Handlers of the active messages. */
int mca_pml_champion_am_register(void);

/** Send a message to this process itself. Lock held. send->pending is 0 then if
 * the send is complete, 1 if it waits for its receive. */
void mca_pml_champion_send_local(mca_pml_champion_send_t *send,
                                 const mca_pml_champion_header_t *header,
                                 mca_pml_champion_comm_t *comm);

static inline mca_pml_champion_message_t *mca_pml_champion_message_next(
    const mca_pml_champion_message_t *message)
{
    return message->entry.link[0];
}

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_MESSAGE_H */
