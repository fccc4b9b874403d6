/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Small messages within a node: through rings in shared memory, past UCP. This
 * header has the state of the rings; ring_wireup opens and closes them, ring_in
 * and ring_out are the receiver's and the sender's side of each, ring_send and
 * ring_recv the messages.
 *
 *     sender                                   receiver
 *        |  the first messages, by UCP  -------->  |
 *        |  ASK  ------------------------------->  |  a ring is free, and
 *        |  <------------------------------ GRANT  |  there is memory for it
 *     maps the ring                                |
 *        |  ======== small messages =============> |  polls it
 *        |  -------- others, by UCP -------------> |
 *
 * A process grants at most pml_champion_ring_count rings, which bounds its
 * memory (16 KiB each) and the cost of a poll. A sender requests a ring only
 * after pml_champion_ring_after messages. When all rings are in use, a sender
 * that asks again succeeds the one that has sent least in the meantime, if that
 * is less than half as much: CLOSE asks for its ring, its last record is END,
 * and it returns to UCP. If anything fails, messages go by UCP as before, and
 * the failure is counted. Only processes of one job on one node use rings:
 * peers of other jobs may vanish without the fence by which MPI_Finalize makes
 * sure that no ring is in use.
 *
 * Longer messages. A payload of more than a few slots travels in fragments
 * through the sender's pool (ring/ring_pool.h). A record announces each: the
 * receiver copies one out while the sender fills the next. The sender creates
 * its pool, and announces it to its receivers, at the first such message. Until
 * a receiver has mapped the pool, or if it cannot, such messages go by UCP.
 *
 *     sender                                   receiver
 *        |  POOL  ------------------------------>  |  maps it
 *        |  <----------------------------- POOLED  |
 *        |  ======== FIRST, MORE, MORE ==========> |  copies each fragment
 *
 * RGET. Where a receiver can read its sender's memory (CMA; it tries when the
 * pool is announced), and the message is worth the system call
 * (rndv/single_copy.h), the record only says where the message is. The receiver
 * reads it at once to its destination, and answers FIN in the ring that leads
 * back, or by UCP if it has none or there is no room. So a message costs one
 * copy and two records. It completes at its sender without a receive, as all
 * messages through rings do.
 *
 * A message in fragments is matched when the first one arrives, and delivered
 * as they arrive. If there is no receive for it, it is assembled, and then
 * handled like any other message. Fragments of two messages never interleave.
 *
 * Order. A record has the sequence number of its message in the pair of
 * processes, as all messages have, so that rings and UCP need not be ordered
 * with each other: match/reorder.h holds what arrives out of order.
 *
 * A full ring. The send waits for room, in order, and with a request if it is
 * not blocking; whoever makes progress writes what fits. A send completes only
 * when its data are in memory mapped by the receiver: a sender that leaves MPI
 * when its sends are complete delays nobody.
 *
 * Sleep. A receiver whose progress thread sleeps marks its rings; the sender of
 * the next record wakes it by an empty message through UCP (WAKE). Rings of
 * receivers with such a thread cost their senders a memory barrier.
 *
 * Doorbell. UCX's poll is most of the cost of a look that finds nothing.
 * Whoever sends something by UCX to a process that it has a ring of counts it
 * in that ring's control as well. So a process to which all others have rings
 * can leave UCX alone until a doorbell rings, or until it has given UCX
 * something to do itself (core/inflight.h).
 *
 * Memory that may be a device's is left to UCX, which alone knows its kind: if
 * UCX has such memory, no ring is requested or granted.
 *
 * Whatever is read from a ring is checked before it is used. A ring with an
 * impossible content ends the job, because messages are lost.
 */

#ifndef MCA_PML_CHAMPION_RING_RINGS_H
#define MCA_PML_CHAMPION_RING_RINGS_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/core/inflight.h"

#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/ring/ring.h"
#include "ompi/mca/pml/champion/ring/ring_cma.h"
#include "ompi/mca/pml/champion/ring/ring_pool.h"
#include "ompi/mca/pml/champion/ring/ring_segment.h"

#pragma GCC visibility push(hidden)

struct mca_pml_champion_peer_t;
struct mca_pml_champion_comm_t;
struct mca_pml_champion_send_t;
struct mca_pml_champion_completed_send_t;
struct ompi_datatype_t;

/** Kinds of records. */
enum {
    MCA_PML_CHAMPION_RING_MESSAGE = 1,
    MCA_PML_CHAMPION_RING_END,   /**< the last one: the writer has gone */
    MCA_PML_CHAMPION_RING_FIRST, /**< all or the first fragment of a message */
    MCA_PML_CHAMPION_RING_MORE,  /**< the next fragment */
    MCA_PML_CHAMPION_RING_RGET,  /**< a message that is at its sender */
    MCA_PML_CHAMPION_RING_FIN    /**< it is not needed there any more */
};

enum {
    /** Largest payload that goes into the slots whatever the pool is, bytes. */
    MCA_PML_CHAMPION_RING_INLINE = 1024,
    /** Largest message in fragments, bytes. */
    MCA_PML_CHAMPION_RING_MESSAGE_MAX = 1 << 24
};

/** The 16 bytes of a record that is a message. */
typedef struct mca_pml_champion_ring_envelope_t {
    mca_mq_envelope_t super;
    uint32_t sequence;
} mca_pml_champion_ring_envelope_t;
_Static_assert(16 == sizeof(mca_pml_champion_ring_envelope_t),
               "it fills the words of a slot");

/** What the payload of a FIRST or a MORE begins with. The piece follows if it
 * is in no fragment. */
typedef struct mca_pml_champion_ring_frag_t {
    uint32_t fragment; /**< or NO_FRAGMENT */
    uint32_t bytes;
    uint64_t total; /**< bytes of the message */
} mca_pml_champion_ring_frag_t;

/** The payload of an RGET. */
typedef struct mca_pml_champion_ring_rget_t {
    uint64_t address; /**< in the sender's memory */
    uint64_t length;  /**< bytes, 1 at least */
} mca_pml_champion_ring_rget_t;

/** A message of which not all fragments have arrived. */
typedef struct mca_pml_champion_ring_partial_t {
    uint64_t total; /**< 0: there is none */
    uint64_t done;
    /** One of them: its receive, or where it is collected. */
    struct mca_pml_champion_recv_t *recv;
    struct mca_pml_champion_message_t *message;
} mca_pml_champion_ring_partial_t;

/** A ring that this process writes. */
typedef struct mca_pml_champion_ring_out_t {
    mca_pml_champion_ring_writer_t writer;
    /** Largest payload that may be written without further ado, bytes; -1 if
     * there is more to be looked at. */
    int64_t simple_max;
    bool wakes;   /**< its reader may sleep, and is to be woken */
    bool stop;    /**< its reader wanted no more when this was looked at */
    bool closing; /**< its reader wants it back */
    bool listed;  /**< among those that are drained */
    struct mca_pml_champion_peer_t *peer;
    /** Sends that wait for room, oldest first. */
    struct mca_pml_champion_send_t *waiting, **waiting_tail;
    struct mca_pml_champion_ring_out_t *next_waiting;
    mca_pml_champion_ring_held_t held; /**< fragments */
    /** Sends whose data the reader has not read yet, oldest first. */
    struct mca_pml_champion_send_t *rgets, **rgets_tail;
} mca_pml_champion_ring_out_t;

/** A ring that this process reads. */
typedef struct mca_pml_champion_ring_in_t {
    mca_pml_champion_ring_reader_t reader;
    struct mca_pml_champion_peer_t *peer;      /**< who writes it */
    struct mca_pml_champion_peer_t *successor; /**< who gets it next, or NULL */
    uint32_t since;    /**< recv_sequence of peer when the candidate came */
    uint32_t doorbell; /**< its rings that were heard */
    mca_pml_champion_ring_partial_t partial;
} mca_pml_champion_ring_in_t;

/** State of all rings of the process; protected by the lock. */
typedef struct mca_pml_champion_rings_t {
    mca_pml_champion_ring_in_t *in, *in_end; /**< those that are polled */
    mca_pml_champion_ring_out_t *waiting;    /**< those that sends wait for */
    /** Sends what waited for room by UCX; the header is filled in. */
    void (*again)(struct mca_pml_champion_send_t *send);
    /** Handles what is in a ring; returns the number of records. */
    unsigned (*take)(mca_pml_champion_ring_in_t *in);
    uint32_t busy; /**< polls that may find something before it is UCP's turn */
    bool on;       /**< rings may be asked for and granted */
    bool simple;   /**< and by the fast path: one thread, no offload */
    bool all;      /**< all other processes of the job have one to here */
    bool foreign;  /**< processes of other jobs were met */
    bool failed;   /**< the segment could not be made */
    mca_pml_champion_ring_segment_t segment; /**< of the rings */
    mca_pml_champion_ring_pool_t pool;       /**< of this process's fragments */
    bool pool_failed;                        /**< it could not be made */
    /** A sender that has asked for a ring when all were taken, the
     * recv_sequence it had then, and how many others have asked since. */
    struct mca_pml_champion_peer_t *candidate;
    uint32_t candidate_since;
    uint32_t others;

    /* Parameters. */
    bool enabled;
    unsigned count;     /**< rings this process grants */
    unsigned after;     /**< messages */
    size_t max;         /**< bytes of payload */
    unsigned fragments; /**< in the pool */
} mca_pml_champion_rings_t;

extern mca_pml_champion_rings_t mca_pml_champion_rings;

/** The ring of peers that have none. */
extern mca_pml_champion_ring_out_t mca_pml_champion_ring_none;

/** UCP is polled after so many looks that found something in a ring. */
enum { MCA_PML_CHAMPION_RINGS_BUSY = 16 };

/** The first ring that has a record, or NULL. */
static inline mca_pml_champion_ring_in_t *mca_pml_champion_rings_look(void)
{
    mca_pml_champion_ring_in_t *in = mca_pml_champion_rings.in;

    for (; in < mca_pml_champion_rings.in_end; ++in) {
        if (mca_pml_champion_ring_ready(&in->reader)) {
            return in;
        }
    }
    return NULL;
}

/** Take what is in the rings, from that one on, which has a record. Returns the
 * number of records. Lock held. */
static inline unsigned mca_pml_champion_rings_take(
    mca_pml_champion_ring_in_t *in)
{
    unsigned events = mca_pml_champion_rings.take(in);

    MCA_PML_CHAMPION_LOCKED();
    /* One may have gone meanwhile. */
    while (OPAL_UNLIKELY(++in < mca_pml_champion_rings.in_end)) {
        if (mca_pml_champion_ring_ready(&in->reader)) {
            events += mca_pml_champion_rings.take(in);
        }
    }
    return events;
}

/** Was a doorbell rung since that was last noted? */
static inline bool mca_pml_champion_rings_doorbell_rang(void)
{
    const mca_pml_champion_ring_in_t *in = mca_pml_champion_rings.in;

    for (; in < mca_pml_champion_rings.in_end; ++in) {
        if (mca_pml_champion_doorbell_rings(&in->reader.ring->doorbell) !=
            in->doorbell) {
            return true;
        }
    }
    return false;
}

/** A look that found nothing: is that all for now? */
static inline bool mca_pml_champion_rings_idle(void)
{
    return OPAL_LIKELY(!mca_pml_champion_poll_backoff_due(
               &mca_pml_champion.poll_backoff)) &&
           OPAL_LIKELY(NULL == mca_pml_champion_rings.waiting) &&
           OPAL_LIKELY(!mca_pml_champion_rings_doorbell_rang());
}

/** UCX was polled: had it something? */
void mca_pml_champion_rings_polled(bool something);

/** After a poll that found something: is it UCP's turn? */
static inline bool mca_pml_champion_rings_leave(void)
{
    return OPAL_UNLIKELY(0 == --mca_pml_champion_rings.busy);
}

/* ring/rings.c */

/** Send what is to be known of rings to a peer, with a name of shared memory or
 * NULL. False if it cannot be sent: there will be no ring then, and messages go
 * by UCX. Lock held. */
bool mca_pml_champion_ring_ctrl_send(struct mca_pml_champion_peer_t *peer,
                                     uint16_t what,
                                     const mca_pml_champion_ring_name_t *name);

/** The progress thread is about to sleep: have senders wake it. False if there
 * is a record. Lock held. */
bool mca_pml_champion_rings_sleep(void);
/** It is awake. */
void mca_pml_champion_rings_wake(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RING_RINGS_H */
