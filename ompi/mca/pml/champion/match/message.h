/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages on their way to a receive: those fresh from UCX, and those that
 * could not be delivered at once and wait in one of the lists here or in mq.
 */

#ifndef MCA_PML_CHAMPION_MATCH_MESSAGE_H
#define MCA_PML_CHAMPION_MATCH_MESSAGE_H

#include <string.h>

#include "ompi/mca/pml/champion/match/backlog.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/request/transfer_types.h"

#pragma GCC visibility push(hidden)

/** Where the payload of a message is. What is done with each kind is in
 * mca_pml_champion_payloads (match/deliver.h). */
typedef enum {
    /* All of it is here, in one piece. */
    MCA_PML_CHAMPION_EAGER,      /**< in a buffer of UCX or a ring, for now */
    MCA_PML_CHAMPION_COPIED,     /**< behind the message itself */
    MCA_PML_CHAMPION_HELD,       /**< in a buffer of UCX, which was kept */
    MCA_PML_CHAMPION_PREFETCHED, /**< in a slot of the pool */
    /* Elsewhere. */
    MCA_PML_CHAMPION_RENDEZVOUS, /**< at the sender; a descriptor of UCX */
    MCA_PML_CHAMPION_SELF,       /**< in a send of this process */
    MCA_PML_CHAMPION_OVERTOOK,   /**< nowhere: it was matched before its turn */
    /* See rndv/prefetch.h. */
    MCA_PML_CHAMPION_FETCHING,  /**< on its way to a slot; not matched yet */
    MCA_PML_CHAMPION_AWAITED,   /**< the same; link[0] is its receive */
    MCA_PML_CHAMPION_ABANDONED, /**< the same; nobody will receive it */
    MCA_PML_CHAMPION_LOST,      /**< nowhere: it could not be fetched */
    MCA_PML_CHAMPION_TAGGED,    /**< sent by tag, which is the token */
    /* No message. */
    MCA_PML_CHAMPION_RECALLED, /**< the one of this number is to be dropped;
                                    its sender's token, and whom to tell */
    MCA_PML_CHAMPION_PAYLOADS
} mca_pml_champion_payload_t;

/** Is all of a payload here, in one piece? */
static inline bool mca_pml_champion_payload_is_here(uint8_t kind)
{
    return kind <= MCA_PML_CHAMPION_PREFETCHED;
}

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
    uint8_t kind; /**< mca_pml_champion_payload_t */
    bool owned;   /**< the pool's block has room for the payload */
    bool remote;  /**< it is a mca_pml_champion_remote_message_t */
    bool sync;    /**< only if TAGGED: a synchronous send */
    unsigned char copy[];
};
_Static_assert(0 == offsetof(mca_pml_champion_message_t, entry),
               "a matched entry is its message");

/** A message whose data are elsewhere when it comes has this behind it: see
 * rndv/prefetch.h. */
typedef struct mca_pml_champion_remote_message_t {
    mca_pml_champion_message_t super; /**< neither owned nor of this process */
    uint64_t since; /**< ns; when it was queued as unexpected, or 0 */
    bool waits;     /**< for a slot, in a list */
    union {
        struct {
            struct mca_pml_champion_remote_message_t *next, *previous;
        } list;                               /**< if it waits */
        mca_pml_champion_transfer_t transfer; /**< of its data to a slot */
    };
} mca_pml_champion_remote_message_t;

/** A message on its way to a receive: fresh from UCX or a ring, or one that
 * waited. Whoever takes it in fills in the first fields, which are all that
 * most messages need, and the others for those that find no receive at once. */
typedef struct mca_pml_champion_arrival_t {
    size_t length; /**< payload, bytes. First: see stats/observer.h */
    mca_mq_envelope_t envelope;
    uint32_t sequence; /**< behind the envelope, as on the wire */
    mca_pml_champion_peer_t *peer;
    mca_pml_champion_comm_t *comm;
    const void *payload; /**< eager data, or a descriptor, or a send */
    /* The others. */
    uint64_t token; /**< of a SYNC or TAGGED message, else 0 */
    uint8_t kind;   /**< mca_pml_champion_payload_t */
    bool keepable;  /**< UCX's buffer may be kept: eager only */
    bool sync;      /**< only if TAGGED: a synchronous send */
    bool kept;      /**< out: what holds the payload is looked after */
    /** That waited, or NULL. Out: NULL if it waits on, for its payload. */
    mca_pml_champion_message_t *message;
} mca_pml_champion_arrival_t;
_Static_assert(0 == offsetof(mca_pml_champion_arrival_t, length),
               "whoever counts reads the length");

_Static_assert(offsetof(mca_pml_champion_arrival_t, envelope) +
                       sizeof(mca_mq_envelope_t) ==
                   offsetof(mca_pml_champion_arrival_t, sequence),
               "envelope and sequence are one piece");

/** Take envelope and sequence from the wire, where they need not be aligned. */
static inline void mca_pml_champion_arrival_address(
    mca_pml_champion_arrival_t *arrival, const void *wire)
{
    memcpy((char *) arrival + offsetof(mca_pml_champion_arrival_t, envelope),
           wire, sizeof(arrival->envelope) + sizeof(arrival->sequence));
}

/** Fill in the other fields of a message whose payload is here, for now. */
static inline void mca_pml_champion_arrival_eager(
    mca_pml_champion_arrival_t *arrival)
{
    arrival->token = 0;
    arrival->kind = MCA_PML_CHAMPION_EAGER;
    arrival->keepable = false;
    arrival->sync = false;
    arrival->kept = false;
    arrival->message = NULL;
}

/** Make an object of a message that has to wait. Eager data without a payload
 * are copied into it by the caller. Without memory the job is
 * aborted, with a message. */
mca_pml_champion_message_t *mca_pml_champion_message_new(
    mca_pml_champion_arrival_t *arrival);

/** Bytes of an object with so many of the payload behind it. */
static inline size_t mca_pml_champion_message_size(size_t copied)
{
    return sizeof(mca_pml_champion_message_t) + copied;
}

/** Give the memory of a message back that is COPIED and has such a payload. */
static inline void mca_pml_champion_message_free_copied(
    mca_pml_champion_message_t *message, size_t length)
{
    mca_pml_champion_peer_t *peer = message->peer;

    opal_size_pool_free(&mca_pml_champion.pool, message,
                        mca_pml_champion_message_size(length));
    mca_pml_champion_backlog_gone(peer);
}

/** Give its memory back, but not UCX's. */
static inline void mca_pml_champion_message_free(
    mca_pml_champion_message_t *message)
{
    mca_pml_champion_peer_t *peer = message->peer;
    size_t size =
        mca_pml_champion_message_size(message->owned ? message->length : 0);

    if (MCA_PML_CHAMPION_HELD == message->kind) {
        mca_pml_champion_backlog.beside -= message->length;
    }
    if (message->remote) {
        size = sizeof(mca_pml_champion_remote_message_t);
    }
    opal_size_pool_free(&mca_pml_champion.pool, message, size);
    mca_pml_champion_backlog_gone(peer);
}

/** Describe a message that waited as an arrival; its communicator is left open.
 */
static inline void mca_pml_champion_message_describe(
    mca_pml_champion_message_t *message, mca_pml_champion_arrival_t *arrival)
{
    arrival->envelope = message->entry.envelope;
    arrival->sequence = message->sequence;
    arrival->peer = message->peer;
    arrival->payload = MCA_PML_CHAMPION_COPIED == message->kind
                           ? message->copy
                           : message->payload;
    arrival->length = message->length;
    arrival->token = message->token;
    arrival->kind = message->kind;
    arrival->keepable = false;
    arrival->sync = message->sync;
    arrival->kept = false;
    arrival->message = message;
}

static inline mca_pml_champion_message_t *mca_pml_champion_message_next(
    const mca_pml_champion_message_t *message)
{
    return message->entry.link[0];
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_MESSAGE_H */
