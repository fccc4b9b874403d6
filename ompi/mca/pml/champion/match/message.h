/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages before their delivery: arrivals, just handed over by UCX or a ring,
 * and queued messages, which could not be delivered at once and wait in a list
 * of this component or in mq.
 */

#ifndef MCA_PML_CHAMPION_MATCH_MESSAGE_H
#define MCA_PML_CHAMPION_MATCH_MESSAGE_H

#include <string.h>

#include "ompi/mca/pml/champion/match/backlog.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/match/transfer_types.h"

#pragma GCC visibility push(hidden)

/** Where the payload of a message is. Operations on each kind are in
 * mca_pml_champion_payloads (match/deliver.h). */
typedef enum {
    /* Here, contiguous. */
    MCA_PML_CHAMPION_EAGER,      /**< in a buffer of UCX or a ring, only
                                      during the handler */
    MCA_PML_CHAMPION_COPIED,     /**< behind the message object */
    MCA_PML_CHAMPION_HELD,       /**< in a buffer of UCX that is kept */
    MCA_PML_CHAMPION_PREFETCHED, /**< in a slot of the prefetch pool */
    /* Elsewhere. */
    MCA_PML_CHAMPION_RENDEZVOUS,    /**< at the sender; UCX's descriptor */
    MCA_PML_CHAMPION_READABLE,      /**< at a sender on this node; its address
                                         there (shm/copy.c) */
    MCA_PML_CHAMPION_SELF,          /**< in a send of this process */
    MCA_PML_CHAMPION_MATCHED_EARLY, /**< none: it was matched out of order */
    /* See large/prefetch.h. */
    MCA_PML_CHAMPION_FETCHING,  /**< being fetched to a slot; not matched yet */
    MCA_PML_CHAMPION_AWAITED,   /**< being fetched to a slot; matched with the
                                     receive in link[0] */
    MCA_PML_CHAMPION_ABANDONED, /**< being fetched to a slot; nobody will
                                     receive it */
    MCA_PML_CHAMPION_LOST,      /**< none: it could not be fetched */
    MCA_PML_CHAMPION_TAGGED,    /**< sent by tag; the token is the tag */
    /* Not a message. */
    MCA_PML_CHAMPION_RECALLED, /**< the message with this sequence is to be
                                    dropped; token and peer of the RECALL */
    MCA_PML_CHAMPION_PAYLOADS
} mca_pml_champion_payload_t;

/** Is the payload here and contiguous? */
static inline bool mca_pml_champion_payload_is_here(uint8_t kind)
{
    return kind <= MCA_PML_CHAMPION_PREFETCHED;
}

/** A queued message: unexpected, out of order, parked, delayed or probed. From
 * mca_pml_champion.pool. */
struct mca_pml_champion_message_t {
    /** First: a matched entry is its message. In lists other than mq's queues
     * link[0] and link[1] link the list. */
    mca_mq_entry_t entry;
    mca_pml_champion_peer_t *peer;
    size_t length;  /**< payload, bytes */
    void *payload;  /**< buffer, descriptor, address, send or slot; unused if
                         COPIED */
    uint64_t token; /**< of a SYNC or TAGGED message, else 0 */
    uint32_t sequence;
    uint8_t kind; /**< mca_pml_champion_payload_t */
    bool owned;   /**< allocated with room for the payload */
    bool remote;  /**< this is a mca_pml_champion_remote_message_t */
    bool sync;    /**< only if TAGGED: a synchronous send */
    unsigned char copy[];
};
_Static_assert(0 == offsetof(mca_pml_champion_message_t, entry),
               "a matched entry is cast to its message");

/** A message whose data are at another process when it arrives; see
 * large/prefetch.h. */
typedef struct mca_pml_champion_remote_message_t {
    mca_pml_champion_message_t super; /**< neither owned nor of this process */
    uint64_t since; /**< when it was queued as unexpected, ns, by the clock of
                         large/prefetch.c; or 0 */
    uint64_t begun; /**< time at which its prefetch began, ns */
    bool waits;     /**< in the list of messages that wait for a slot */
    union {
        struct {
            struct mca_pml_champion_remote_message_t *next, *previous;
        } list;                               /**< if it waits */
        mca_pml_champion_transfer_t transfer; /**< transfer of its data to a
                                                   slot */
    };
} mca_pml_champion_remote_message_t;

/** A message on its way to a receive: fresh from UCX or a ring, or one that
 * was queued. The first fields are filled in for all messages, the others only
 * for those that do not match a receive at once.
 * Peer and communicator are apart: gcc would put neighbours into one register
 * first. */
typedef struct mca_pml_champion_arrival_t {
    size_t length; /**< payload, bytes. First: see stats/observer.h */
    mca_mq_envelope_t envelope;
    uint32_t sequence; /**< behind the envelope, as on the wire */
    mca_pml_champion_peer_t *peer;
    const void *payload; /**< eager data, or a descriptor, address or send */
    mca_pml_champion_comm_t *comm;
    /* The others. */
    uint64_t token; /**< of a SYNC or TAGGED message, else 0 */
    uint8_t kind;   /**< mca_pml_champion_payload_t */
    bool keepable;  /**< UCX's buffer may be kept: eager only */
    bool sync;      /**< only if TAGGED: a synchronous send */
    bool kept;      /**< out: the payload's holder is looked after */
    /** That waited, or NULL. Out: NULL if it waits on, for its payload. */
    mca_pml_champion_message_t *message;
} mca_pml_champion_arrival_t;
_Static_assert(0 == offsetof(mca_pml_champion_arrival_t, length),
               "stats/observer.h reads the length");

_Static_assert(offsetof(mca_pml_champion_arrival_t, envelope) +
                       sizeof(mca_mq_envelope_t) ==
                   offsetof(mca_pml_champion_arrival_t, sequence),
               "sequence follows the envelope");

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

/** Smallest unexpected eager payload, bytes, that stays in UCX's buffer instead of
 * being copied. Changed by tests only. */
extern size_t mca_pml_champion_hold_limit;

/** Create a queued message from an arrival. If eager data come without a
 * payload, the caller copies them. Aborts the job if out of memory. */
mca_pml_champion_message_t *mca_pml_champion_message_new(
    mca_pml_champion_arrival_t *arrival);

/** The queued message of an arrival, created if it has none. */
static inline mca_pml_champion_message_t *mca_pml_champion_arrival_message(
    mca_pml_champion_arrival_t *arrival)
{
    return NULL != arrival->message ? arrival->message
                                    : mca_pml_champion_message_new(arrival);
}

/** Size of a message with a payload of `copied` bytes behind it. */
static inline size_t mca_pml_champion_message_size(size_t copied)
{
    return sizeof(mca_pml_champion_message_t) + copied;
}

/** Free a COPIED message with a payload of this length. */
static inline void mca_pml_champion_message_free_copied(
    mca_pml_champion_message_t *message, size_t length)
{
    mca_pml_champion_peer_t *peer = message->peer;

    opal_size_pool_free(&mca_pml_champion.pool, message,
                        mca_pml_champion_message_size(length));
    mca_pml_champion_backlog_gone(peer);
}

/** Free a message, but not UCX's buffers. */
static inline void mca_pml_champion_message_free(
    mca_pml_champion_message_t *message)
{
    mca_pml_champion_peer_t *peer = message->peer;
    size_t size =
        mca_pml_champion_message_size(message->owned ? message->length : 0);

    if (MCA_PML_CHAMPION_HELD == message->kind) {
        mca_pml_champion_backlog.other -= message->length;
    }
    if (message->remote) {
        size = sizeof(mca_pml_champion_remote_message_t);
    }
    opal_size_pool_free(&mca_pml_champion.pool, message, size);
    mca_pml_champion_backlog_gone(peer);
}

/** Describe a queued message as an arrival; its communicator is not filled in.
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
