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
 *        |  the first messages, by FIFO  ------->  |
 *        |  ASK  ------------------------------->  |  a ring is free, and
 *        |  <------------------------------ GRANT  |  there is memory for it
 *     maps the ring                                |
 *        |  ======== small messages =============> |  polls it
 *        |  -------- others, by UCP -------------> |
 *
 * FIFO. Each process has a FIFO, which all others of the node may write
 * (ring/fifo.h), on the board where they find each other's addresses
 * (node/board.h). Who has no ring sends by the FIFO what fits a record. It needs
 * no endpoint of UCP then, until it sends something larger, or
 * flow control needs one: UCP connects two processes in a millisecond or two
 * of both, and 8 KiB for each. The messages by which a ring is set up go by FIFO,
 * too. With offload there is no FIFO, and what has no ring goes by UCP.
 *
 * A process grants at most pml_champion_ring_count rings, which bounds its
 * memory (16 KiB each) and the cost of a poll. A ring saves some ns for each
 * message and takes some hundred us to set up. So a sender requests one only
 * after pml_champion_ring_after messages, or 1/1024 of that once messages go
 * by UCP, and only from a peer that gets a good part of what it sends by FIFOs:
 * if it sends to all alike, rings for some of them gain nothing. When all rings
 * are in use, a sender that asks again succeeds the one that has sent least in
 * the meantime, if that is less than half as much: CLOSE asks for its ring, its
 * last record is END, and it returns to the FIFO, or to UCP. If anything fails,
 * messages go by UCP as before, and the failure is counted. Only processes of one
 * job on one node use rings: peers of other jobs may vanish without the fence by
 * which MPI_Finalize makes sure that no ring is in use.
 *
 * Longer messages. A payload of more than a few slots travels in fragments
 * through the sender's pool (ring/ring_pool.h). A record announces each: the
 * receiver copies one out while the sender fills the next. The sender creates
 * its pool, and announces it to its receivers, at the first such message. Until
 * a receiver has mapped the pool, or if it cannot, what fits a record goes in
 * one, and larger messages go by UCP.
 *
 *     sender                                   receiver
 *        |  POOL  ------------------------------>  |  maps it
 *        |  <----------------------------- POOLED  |
 *        |  ======== FIRST, MORE, MORE ==========> |  copies each fragment
 *
 * RGET. Where a receiver can read its sender's memory (CMA; it tries when the
 * pool is announced), and that is faster (rndv/copy_way_rule.h), the record only
 * says where the message is. The receiver reads it at once to its destination,
 * and answers FIN in the ring that leads back, or by UCP if it has none or there
 * is no room. So a message costs one copy and two records. Up to 64 KiB it
 * completes at its sender without a receive, as all fragments do. Longer ones
 * wait for their receive; those, and all large ones that have one, may be copied
 * by both sides (copy/copy.h).
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
 * not blocking; the progress function writes what fits. A send completes only
 * when its data are in memory mapped by the receiver: a sender that leaves MPI
 * when its sends are complete delays no other process.
 *
 * Sleep. A receiver that sleeps marks its rings; the sender of the next record
 * wakes it by its bell (core/wake.h), or by an empty message through UCP (WAKE).
 * Rings of receivers with a progress thread from the beginning cost their senders
 * a memory barrier; a thread that waits in MPI sleeps for a bounded time
 * (progress/pause.h), and its mark is read without.
 *
 * Doorbell. UCX's poll is most of the cost of a poll that finds nothing. A
 * sender that has a ring therefore counts in that ring's control block what it
 * sends by UCX to the same process. A process to which all others have rings
 * needs to poll UCX only when a doorbell has rung, or while UCX has a request
 * of this process in flight (core/inflight.h).
 *
 * Memory of a device is never sent through a ring. If UCX has such memory but
 * Open MPI does not know it (core/device.h), no ring is requested or granted.
 *
 * Whatever is read from a ring is checked before it is used. A ring with an
 * impossible content ends the job, because messages are lost.
 */

#ifndef MCA_PML_CHAMPION_RING_RINGS_H
#define MCA_PML_CHAMPION_RING_RINGS_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/core/inflight.h"

#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/rndv/copy_way_rule.h"
#include "ompi/mca/pml/champion/ring/fifo.h"
#include "ompi/mca/pml/champion/ring/ring.h"
#include "ompi/mca/pml/champion/ring/ring_cma.h"
#include "ompi/mca/pml/champion/ring/ring_pool.h"
#include "ompi/mca/pml/champion/node/segment.h"

#pragma GCC visibility push(hidden)

struct mca_pml_champion_peer_t;
struct mca_pml_champion_comm_t;
struct mca_pml_champion_recv_t;
struct mca_pml_champion_send_t;
struct mca_pml_champion_completed_send_t;
struct ompi_datatype_t;

/** Kinds of records. */
enum {
    MCA_PML_CHAMPION_RING_MESSAGE = 1,
    MCA_PML_CHAMPION_RING_END,   /**< the last record: the ring is returned */
    MCA_PML_CHAMPION_RING_FIRST, /**< the first fragment of a message, or all */
    MCA_PML_CHAMPION_RING_MORE,  /**< the next fragment of the message */
    MCA_PML_CHAMPION_RING_RGET,  /**< a message to be read from its sender */
    MCA_PML_CHAMPION_RING_FIN,  /**< the receiver has read an RGET, or cannot */
    MCA_PML_CHAMPION_RING_CTRL, /**< in a FIFO: a RING message */
    /** A synchronous message; its token (core/wire.h) precedes the payload. */
    MCA_PML_CHAMPION_RING_SYNC,
    MCA_PML_CHAMPION_RING_ACK /**< a SYNC is matched: its token, in word[0] */
};

enum {
    /** Largest payload that does not use the pool of fragments, bytes. */
    MCA_PML_CHAMPION_RING_INLINE = 1024,
    /** The same as long as the receiver does not know the pool: what fits a
     * record. */
    MCA_PML_CHAMPION_RING_WHOLE = 4096,
    /** Largest message in fragments, bytes. */
    MCA_PML_CHAMPION_RING_MESSAGE_MAX = 1 << 24,
    /** Largest RGET that is read to memory of the receiver if it has no receive,
     * bytes; longer ones stay at their sender. */
    MCA_PML_CHAMPION_RING_READ_MAX = 64 << 10,
    /** Smallest RGET that both sides may copy, bytes. */
    MCA_PML_CHAMPION_RING_SHARED_MIN = 64 << 10
};

_Static_assert((int) MCA_PML_CHAMPION_RING_WHOLE <=
                   (int) MCA_PML_CHAMPION_RING_MAX -
                       (int) MCA_PML_CHAMPION_FIFO_TRAILER,
               "in a FIFO, too");

/** What `word` of a slot contains if the record begins a message. */
typedef struct mca_pml_champion_ring_envelope_t {
    mca_mq_envelope_t super;
    uint32_t sequence;
} mca_pml_champion_ring_envelope_t;
_Static_assert(16 == sizeof(mca_pml_champion_ring_envelope_t),
               "it fills the words of a slot");

/** The header of the payload of a FIRST or MORE record. The data follow it if
 * they are not in the pool. */
typedef struct mca_pml_champion_ring_frag_t {
    uint32_t fragment; /**< index in the pool, or NO_FRAGMENT */
    uint32_t bytes;
    uint64_t total; /**< bytes of the message */
} mca_pml_champion_ring_frag_t;

/** The payload of an RGET. */
typedef struct mca_pml_champion_ring_rget_t {
    uint64_t address; /**< in the sender's memory */
    uint64_t length;  /**< bytes, 1 at least */
} mca_pml_champion_ring_rget_t;

/** A message whose fragments have not all arrived. */
typedef struct mca_pml_champion_ring_partial_t {
    uint64_t total; /**< bytes; 0: there is no such message */
    uint64_t done;  /**< bytes */
    /** One is NULL: its receive, or the message in which it is assembled. */
    struct mca_pml_champion_recv_t *recv;
    struct mca_pml_champion_message_t *message;
    uint64_t since; /**< ns, when it came; 0: it is not measured */
} mca_pml_champion_ring_partial_t;

/** A ring, or FIFO, that this process writes. */
typedef struct mca_pml_champion_ring_out_t {
    /* One cache line: what the fast paths need. */
    union {
        mca_pml_champion_ring_writer_t writer; /**< of a FIFO: its memory */
        mca_pml_champion_fifo_writer_t fifo;   /**< unless it is a ring */
    };
    /** Largest payload that the fast path to a ring, and that to a FIFO, may
     * write, bytes; -1: none, because it is the other, or a condition has to be
     * checked first. */
    int32_t simple_max, fifo_max;
    bool own;    /**< a ring; otherwise a FIFO, or _ring_none */
    int32_t pid; /**< of its reader */
    /** Can this process write to the reader's memory? 1: yes; 0: not tried yet;
     * -1: no. */
    int32_t writable;
    bool wakes;   /**< its reader has a thread that sleeps without a limit: it
                       must not fail to be woken */
    bool stop;    /**< the stop flag of the ring when last read */
    bool closing; /**< revoked by its reader (CLOSE) */
    bool listed;  /**< in mca_pml_champion_rings.waiting */
    struct mca_pml_champion_peer_t *peer;
    /** Sends that wait for room, oldest first. */
    struct mca_pml_champion_send_t *waiting, **waiting_tail;
    struct mca_pml_champion_ring_out_t *next_waiting;
    mca_pml_champion_ring_held_t held; /**< fragments in use */
    /** Of a FIFO, when its peer's share was looked at last: send_sequence of
     * the peer, and by_fifo of the process. */
    uint32_t looked_sequence, looked_by_fifo;
} mca_pml_champion_ring_out_t;
_Static_assert(offsetof(mca_pml_champion_ring_out_t, own) == 64,
               "what the fast paths need is one cache line");

/** A ring, or FIFO, that this process reads. */
typedef struct mca_pml_champion_ring_in_t {
    mca_pml_champion_ring_reader_t reader;
    /** Handles the records; returns their number. */
    unsigned (*take)(struct mca_pml_champion_ring_in_t *in);
    struct mca_pml_champion_peer_t *peer;      /**< the sender; of a FIFO: of
                                                    the current record */
    struct mca_pml_champion_peer_t *successor; /**< granted it next, or NULL */
    uint32_t since;    /**< recv_sequence of peer when the candidate asked */
    uint32_t doorbell; /**< value of the ring's doorbell when last polled */
    mca_pml_champion_ring_partial_t partial;
    mca_pml_champion_copy_way_times_t times; /**< of large messages */
} mca_pml_champion_ring_in_t;

/** State of all rings of the process; protected by the lock. */
typedef struct mca_pml_champion_rings_t {
    mca_pml_champion_ring_in_t *in,
        *in_end; /**< what this process polls: rings, and the FIFO, if it has
                      one */
    mca_pml_champion_ring_in_t *rings_end; /**< the end of the rings */
    mca_pml_champion_ring_in_t *places;    /**< memory of all */
    mca_pml_champion_ring_out_t *waiting;  /**< rings to be drained */
    /** Sends by UCX what waited for room in a ring; the header is filled in. */
    void (*send_by_ucx)(struct mca_pml_champion_send_t *send);
    unsigned (*take)(mca_pml_champion_ring_in_t *in); /**< of a ring's in */
    /** Messages that this process copies (copy/copy.h), and one more if it has
     * offered some: so many of progress's chores. */
    uint32_t copying;
    uint32_t parts;    /**< that it has copied; wraps. Read without the lock */
    uint32_t sleepers; /**< those that sleep: MCA_PML_CHAMPION_SLEEPER_... */
    uint32_t busy;     /**< ring polls with an event left until UCX is polled */
    uint32_t by_fifo;  /**< messages that this process has sent by FIFOs */
    /** Sends written after a wait for room, or acknowledged by ring; wraps. */
    uint32_t went_on;
    bool on;       /**< rings may be requested and granted */
    bool simple;   /**< the fast path may be used: one thread, no offload */
    bool all;      /**< all other processes of the job have a ring to here */
    bool foreign;  /**< there are peers of other jobs */
    bool failed;   /**< the segment could not be created */
    bool taking;   /**< a record of the FIFO is being handled */
    uint8_t sent;  /**< messages by the fast path since a ring was read; 2: or
                        more */
    bool has_fifo; /**< this process: on the board (node/board.h) */
    mca_pml_champion_segment_t
        segment;                       /**< the rings that this process reads */
    mca_pml_champion_ring_pool_t pool; /**< fragments that this process sends */
    bool pool_failed;                  /**< the pool could not be created */
    /** Peers with RGETs of which this process may copy a part. */
    struct mca_pml_champion_peer_t *offered;
    /** Copy a message that has matched, whose status is filled in, and which
     * fits: an RGET with that sequence number, from that address of the peer.
     * Completes the receive, and sends FIN. NULL: it is to be read at once. */
    void (*copy)(struct mca_pml_champion_peer_t *peer, uint32_t sequence,
                 uint64_t address, size_t length,
                 struct mca_pml_champion_recv_t *recv);
    /** A sender that has requested a ring when none was free, its recv_sequence
     * then, and how many requests of others have come since. */
    struct mca_pml_champion_peer_t *candidate;
    uint32_t candidate_since;
    uint32_t others;

    /* Parameters. */
    bool enabled;
    unsigned count; /**< rings this process grants */
    unsigned share; /**< slots of the FIFO for each process of the node */
    unsigned after; /**< messages by FIFO */
    unsigned after_by_ucx; /**< messages, once some go by UCX */
    size_t max;            /**< bytes of payload */
    bool large;            /**< RGETs may be longer than that, and stay at their
                             sender */
    bool shares;           /**< both sides copy, on shared cores as well */
    unsigned fragments;    /**< in the pool */
} mca_pml_champion_rings_t;

extern mca_pml_champion_rings_t mca_pml_champion_rings;

/** Stands for the ring of a peer that has neither ring nor FIFO, so that no test
 * is needed. */
extern mca_pml_champion_ring_out_t mca_pml_champion_ring_none;

/** Number of ring polls with an event after which UCX is polled. */
enum { MCA_PML_CHAMPION_RINGS_BUSY = 16 };

/** Poll the rings: return the first one that has a record, or NULL. */
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

/** Handle the records of `in`, which must have one, and of the rings behind it.
 * Returns the number of records. Lock held. */
static inline unsigned mca_pml_champion_rings_take(
    mca_pml_champion_ring_in_t *in)
{
    unsigned events = in->take(in);

    MCA_PML_CHAMPION_LOCKED();
    /* If a ring has been removed meanwhile, one that was looked at before is in
     * its place. */
    while (OPAL_UNLIKELY(++in < mca_pml_champion_rings.rings_end)) {
        if (mca_pml_champion_ring_ready(&in->reader)) {
            events += in->take(in);
        }
    }
    return events;
}

/** The same for the FIFO, if there is one and it has a record: it is looked at
 * when no ring has one, and now and then while they always do. */
static inline unsigned mca_pml_champion_rings_take_fifo(void)
{
    mca_pml_champion_ring_in_t *fifo = mca_pml_champion_rings.rings_end;

    MCA_PML_CHAMPION_LOCKED();
    return fifo != mca_pml_champion_rings.in_end &&
                   mca_pml_champion_ring_ready(&fifo->reader)
               ? fifo->take(fifo)
               : 0;
}

/** Has a doorbell rung since UCX was last polled? */
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

/** Does an RGET of that length stay at its sender until its receive comes? */
static inline bool mca_pml_champion_ring_stays(uint64_t length)
{
    return length > mca_pml_champion_rings.max ||
           (length > MCA_PML_CHAMPION_RING_READ_MAX &&
            mca_pml_champion_rings.large);
}

/** Whether messages are offered: 0 or 1, the number of progress's chores, which
 * needs no polls. */
static inline uint32_t mca_pml_champion_rings_offer(void)
{
    return NULL != mca_pml_champion_rings.offered;
}

/** May this process copy a part of what it sends, or wait for one that its
 * sender copies? Not where one of them may lose its core meanwhile. */
static inline bool mca_pml_champion_rings_share(void)
{
    return mca_pml_champion_rings.shares ||
           __atomic_load_n(&mca_pml_champion.core_free, __ATOMIC_RELAXED);
}

/** The rings are empty: may this poll end without polling UCX? */
static inline bool mca_pml_champion_rings_idle(void)
{
    return OPAL_LIKELY(!mca_pml_champion_poll_backoff_due(
               &mca_pml_champion.poll_backoff)) &&
           OPAL_LIKELY(NULL == mca_pml_champion_rings.waiting) &&
           OPAL_LIKELY(!mca_pml_champion_rings_doorbell_rang());
}

/** UCX was polled, with or without an event: adapt when it is polled next. */
void mca_pml_champion_rings_polled(bool something);

/** A poll of the rings found something: are UCX and the FIFO to be polled as
 * well? */
static inline bool mca_pml_champion_rings_leave(void)
{
    return OPAL_UNLIKELY(0 == --mca_pml_champion_rings.busy);
}

/* ring/rings.c */

/** Somebody is about to sleep: set the marks that make senders wake this
 * process. False, with nothing changed, if a ring has a record. Lock held. */
bool mca_pml_champion_rings_sleep(uint32_t sleeper);
/** It is awake: clear its marks. Lock held, or there is no other thread. */
void mca_pml_champion_rings_wake(uint32_t sleeper);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RING_RINGS_H */
