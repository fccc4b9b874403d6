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
 *        |  ======== small messages =============> |  polls its rings, or FIFO
 *        |  -------- others, by UCP -------------> |
 *
 * Where. Each process has an area on the board on which the processes of a job
 * on a node find each other (shm/area.h, core/board.h). On nodes of up to
 * pml_champion_ring_pairs processes it has a ring for each of the others, on
 * larger ones a FIFO that all of them write (shm/fifo.h). A poll of a FIFO
 * costs the same for any number of senders, and its memory is less; a ring takes
 * fewer instructions a message. Everything below holds for both. They are there
 * from the first message on, and need no endpoint of UCP: UCP connects two
 * processes in a millisecond or two of both, and 8 KiB for each.
 *
 * A sender opens a ring when it connects: it sets its bit in the receiver's
 * inbox. The receiver, which polls only rings that are open, finds the bit when
 * it polls UCX, which a doorbell has it do at once.
 *
 * If anything fails, messages go by UCP, and the failure is counted. Only
 * processes of one job that are on the board of their node use rings:
 * peers of other jobs may vanish without the fence by which MPI_Finalize makes
 * sure that no ring is in use.
 *
 * Longer messages. A payload of more than a few slots travels in fragments
 * through the sender's pool (shm/ring_pool.h), in its own area. A record
 * announces each: the receiver copies one out while the sender fills the next.
 *
 *     sender                                   receiver
 *        |  ======== FIRST, MORE, MORE ==========> |  copies each fragment
 *
 * RGET. Where a receiver can read its sender's memory (CMA; it is asked by a TRY
 * before the first long message, and says so in memory that both have), and that
 * is faster (large/way.h), the record only says where the message is. The
 * receiver reads it at once to its destination, and answers FIN in the ring that
 * leads back, or by UCP if there is no room. So a message costs one copy and two
 * records. Up to 64 KiB it completes at its sender without a receive, as all
 * fragments do. Longer ones wait for their receive; those, and all large ones
 * that have one, may be copied by both sides (shm/copy.c).
 *
 * A message in fragments is matched when the first one arrives, and delivered
 * as they arrive. If there is no receive for it, it is assembled, and then
 * handled like any other message. Fragments of two messages from one sender never
 * interleave.
 *
 * Order. A record has the sequence number of its message in the pair of
 * processes, as all messages have, so that rings and UCP need not be ordered
 * with each other: match/reorder.h holds messages that arrive out of order.
 *
 * A full ring. The send waits for room, in order, and with a request if it is
 * not blocking; the progress function writes it later. A send completes only
 * when its data are in memory mapped by the receiver: a sender that leaves MPI
 * when its sends are complete delays no other process.
 *
 * Sleep. A receiver that sleeps marks its inbox; the sender of the next record
 * wakes it by its bell (core/wake.h), or by an empty message through UCP (WAKE).
 * Receivers with a progress thread from the beginning cost their senders a
 * memory barrier; a thread that waits in MPI sleeps for a bounded time
 * (progress/pause.h), and its mark is read without.
 *
 * Doorbell. UCX's poll is most of the cost of a poll that finds nothing. A
 * process that sends by UCX to another one of its node therefore rings the
 * doorbell in that one's inbox. A process whose job is all on its board needs to
 * poll UCX only when its doorbell has rung, or while UCX has a request of this
 * process in flight (core/inflight.h).
 *
 * Memory of a device is never sent through a ring. If UCX has such memory but
 * Open MPI does not know it (core/device.h), there are no rings.
 *
 * All values read from a ring are checked before use. A ring with an impossible
 * content ends the job, because messages are lost. A process that cannot have
 * memory for fragments sends messages above 1 KiB by UCP.
 */

#ifndef MCA_PML_CHAMPION_SHM_RINGS_H
#define MCA_PML_CHAMPION_SHM_RINGS_H

#include "ompi/mca/pml/champion/core/chores.h"
#include "ompi/mca/pml/champion/core/inflight.h"
#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/large/way.h"
#include "ompi/mca/pml/champion/shm/area.h"
#include "ompi/mca/pml/champion/shm/ring_cma.h"

#pragma GCC visibility push(hidden)

/** Kinds of records. In those that begin a message `word` of the slot has what
 * the first fields of a mca_pml_champion_header_t have, up to the sequence. */
enum {
    MCA_PML_CHAMPION_RING_MESSAGE = 1,
    MCA_PML_CHAMPION_RING_FIRST, /**< the first fragment of a message, or all */
    MCA_PML_CHAMPION_RING_MORE,  /**< the next fragment of the message */
    MCA_PML_CHAMPION_RING_RGET,  /**< a message to be read from its sender */
    MCA_PML_CHAMPION_RING_FIN, /**< the receiver has read an RGET, or cannot */
    /** A synchronous message; its token (core/wire.h) precedes the payload. */
    MCA_PML_CHAMPION_RING_SYNC,
    MCA_PML_CHAMPION_RING_ACK, /**< a SYNC is matched: its token, in word[0] */
    MCA_PML_CHAMPION_RING_TRY /**< can the receiver read the sender's memory? */
};

enum {
    /** Largest payload that does not use the pool of fragments, bytes. */
    MCA_PML_CHAMPION_RING_INLINE = 1024,
    /** Largest message in fragments, bytes. */
    MCA_PML_CHAMPION_RING_MESSAGE_MAX = 1 << 24
};

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
    mca_pml_champion_message_t *message;
    uint64_t since; /**< ns, when it came; 0: it is not measured */
} mca_pml_champion_ring_partial_t;

/** A ring, or FIFO, that this process writes. */
typedef struct mca_pml_champion_ring_out_t {
    /* The first cache line: the fields for the fast paths. */
    mca_pml_champion_inbox_t *inbox; /**< its reader's */
    /** Largest payload that the fast path may write, bytes; -1: none, because a
     * condition has to be checked first. */
    int32_t fast_max;
    bool own;       /**< a ring; otherwise a FIFO, or _ring_none */
    bool must_wake; /**< its reader has a thread that sleeps without a limit: it
                         must not fail to be woken */
    bool stop;      /**< the stop flag when last read */
    bool listed;    /**< in mca_pml_champion_rings.waiting */
    union {
        mca_pml_champion_ring_writer_t writer; /**< of a FIFO: its memory */
        mca_pml_champion_fifo_writer_t fifo;   /**< unless it is a ring */
    };
    mca_pml_champion_pair_t *pair; /**< news of the reader for this process */
    int32_t pid;                   /**< of its reader */
    uint64_t mark_at;              /**< where the reader has the board's mark */
    /** Can this process write to the reader's memory? 1: yes; 0: not tried yet;
     * -1: no. */
    int32_t writable;
    mca_pml_champion_peer_t *peer;
    /** Sends that wait for room, oldest first. */
    struct mca_pml_champion_send_t *waiting, **waiting_tail;
    struct mca_pml_champion_ring_out_t *next_waiting;
    mca_pml_champion_ring_held_t held; /**< fragments in use */
} mca_pml_champion_ring_out_t;
_Static_assert(offsetof(mca_pml_champion_ring_out_t, writer.base) <= 64 &&
                   offsetof(mca_pml_champion_ring_out_t, fifo.place) + 4 <= 64,
               "the fast paths need one cache line");

/** Messages from a process of the node. */
typedef struct mca_pml_champion_ring_from_t {
    mca_pml_champion_peer_t *peer; /**< NULL: nothing has come yet */
    mca_pml_champion_pair_t *pair; /**< what this process tells it */
    void *area;                    /**< of that process */
    /** Its pool. NULL: no fragment of it has come. */
    const mca_pml_champion_ring_fragment_t *fragments;
    uint64_t mark_at; /**< where it has the board's mark */
    int32_t pid;
    bool can_be_read; /**< this process can read its memory */
    mca_pml_champion_ring_partial_t partial;
    mca_pml_champion_way_times_t times; /**< of large messages */
} mca_pml_champion_ring_from_t;

/** A ring, or the FIFO, that this process reads. */
typedef struct mca_pml_champion_ring_in_t {
    mca_pml_champion_ring_reader_t reader;
    mca_pml_champion_peer_t *peer;      /**< the sender; of the FIFO: of the
                                               current record */
    mca_pml_champion_ring_from_t *from; /**< the same */
} mca_pml_champion_ring_in_t;

/** State of all rings of the process; protected by the lock. */
typedef struct mca_pml_champion_rings_t {
    mca_pml_champion_ring_in_t *in,
        *in_end; /**< polled by this process: open rings, or the FIFO */
    unsigned (*read)(mca_pml_champion_ring_in_t *in); /**< handles records, and
                                                           returns their number */
    mca_pml_champion_inbox_t *inbox; /**< of this process; never NULL */
    void *area;                      /**< of this process, on the board */
    uint64_t opened;                 /**< the polled ones of inbox->opened */
    uint32_t doorbell;               /**< inbox->doorbell when last polled */
    mca_pml_champion_ring_out_t *waiting; /**< rings to be drained */
    mca_pml_champion_ring_from_t *from;   /**< of each place */
    mca_pml_champion_area_shape_t shape;  /**< of each area */
    /** Sends by UCX a message that waited for room in a ring; the header is
     * filled in. */
    void (*send_by_ucx)(struct mca_pml_champion_send_t *send);
    /** On while this process copies messages (shm/copy.c), and then needs
     * polls, or may copy a part of some that it sends. */
    mca_pml_champion_chore_t copying;
    uint32_t parts;    /**< that it has copied; wraps. Read without the lock */
    uint32_t sleepers; /**< those that sleep: MCA_PML_CHAMPION_SLEEPER_... */
    uint32_t busy;     /**< ring polls with an event left until UCX is polled */
    uint32_t at_once;  /**< small messages read from one before the next one is
                          polled */
    /** Sends written after a wait for room, or acknowledged by ring; wraps. */
    uint32_t went_on;
    bool on;        /**< rings may be used */
    bool fast_path; /**< the fast path may be used: one thread, and no
                         slow_calls */
    bool unrung;    /**< messages may come without a doorbell: from peers of
                         other jobs, or by tag */
    uint8_t sent;   /**< messages by the fast path since a ring was read; 2: or
                       more */
    mca_pml_champion_ring_pool_t pool; /**< fragments that this process sends */
    bool pool_failed;                  /**< the pool could not be created */
    /** Peers with RGETs of which this process may copy a part. */
    mca_pml_champion_peer_t *with_rgets;
    /** Copy a message that has matched, whose status is filled in, and which
     * fits: an RGET with that sequence number, from that address of the peer.
     * Completes the receive, and sends FIN. NULL: it is to be read at once. */
    void (*copy)(mca_pml_champion_peer_t *peer, uint32_t sequence,
                 uint64_t address, size_t length,
                 struct mca_pml_champion_recv_t *recv);

    /* Parameters. */
    bool enabled;
    unsigned pairs;     /**< most processes of a node that has rings */
    size_t max;         /**< bytes of payload */
    bool large;         /**< RGETs may be longer than that, and stay at their
                             sender */
    bool shares;        /**< both sides copy, on shared cores as well */
    unsigned fragments; /**< in the pool */
} mca_pml_champion_rings_t;

extern mca_pml_champion_rings_t mca_pml_champion_rings;

/** Stands for the ring of a peer that has neither ring nor FIFO, so that no test
 * is needed. */
extern mca_pml_champion_ring_out_t mca_pml_champion_ring_none;

_Static_assert(sizeof(mca_pml_champion_inbox_t) ==
                   sizeof(((mca_pml_champion_entry_t *) NULL)->words),
               "an entry of the board has room for an inbox");

/** The inbox of the process that has this entry. */
static inline mca_pml_champion_inbox_t *mca_pml_champion_inbox_of(
    mca_pml_champion_entry_t *entry)
{
    return (void *) entry->words;
}

/** In place of the inbox of a process that has none. */
extern mca_pml_champion_inbox_t mca_pml_champion_no_inbox;

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
static inline unsigned mca_pml_champion_rings_read(
    mca_pml_champion_ring_in_t *in)
{
    unsigned events = mca_pml_champion_rings.read(in);

    MCA_PML_CHAMPION_LOCKED();
    while (OPAL_UNLIKELY(++in < mca_pml_champion_rings.in_end)) {
        if (mca_pml_champion_ring_ready(&in->reader)) {
            events += mca_pml_champion_rings.read(in);
        }
    }
    return events;
}

/** Has a sender opened a ring that is not polled yet? */
static inline bool mca_pml_champion_rings_opened(void)
{
    return OPAL_UNLIKELY(0 !=
                         (__atomic_load_n(&mca_pml_champion_rings.inbox->opened,
                                          __ATOMIC_ACQUIRE) &
                          ~mca_pml_champion_rings.opened));
}

/** Does an RGET of that length stay at its sender until its receive comes? */
static inline bool mca_pml_champion_ring_stays(uint64_t length)
{
    return length > mca_pml_champion_rings.max ||
           (length > MCA_PML_CHAMPION_WAY_LARGE &&
            mca_pml_champion_rings.large);
}

/** May this process copy a part of what it sends, or wait for one that its
 * sender copies? Not where one of them may lose its core meanwhile. */
static inline bool mca_pml_champion_rings_share(void)
{
    return mca_pml_champion_rings.shares ||
           __atomic_load_n(&mca_pml_champion.core_free, __ATOMIC_RELAXED);
}

/** The rings are empty: may this poll end without polling UCX? Not if the
 * doorbell has rung since that was last done. */
static inline bool mca_pml_champion_rings_idle(void)
{
    return OPAL_LIKELY(!mca_pml_champion_poll_backoff_due(
               &mca_pml_champion.poll_backoff)) &&
           OPAL_LIKELY(NULL == mca_pml_champion_rings.waiting) &&
           OPAL_LIKELY(mca_pml_champion_rings.doorbell ==
                       mca_pml_champion_doorbell_rings(
                           &mca_pml_champion_rings.inbox->doorbell));
}

/** UCX was polled, with or without an event: adapt when it is polled next. */
void mca_pml_champion_rings_polled(bool something);

/** A poll of the rings found something: is UCX to be polled as well? */
static inline bool mca_pml_champion_rings_leave(void)
{
    return OPAL_UNLIKELY(0 == --mca_pml_champion_rings.busy);
}

/* shm/rings.c */

/** Somebody is about to sleep: set the marks that make senders wake this
 * process. False, with nothing changed, if a ring has a record. Lock held. */
bool mca_pml_champion_rings_sleep(uint32_t sleeper);
/** It is awake: clear its marks. Lock held, or there is no other thread. */
void mca_pml_champion_rings_wake(uint32_t sleeper);

/** End the job: the memory shared with a peer, or, if it is NULL, with the
 * processes of the node, has an impossible content. */
void mca_pml_champion_rings_broken(const mca_pml_champion_peer_t *peer);

/* shm/ring_recv.c */

/** Set mca_pml_champion_rings.read to the variant for the areas' shape. */
void mca_pml_champion_ring_recv_open(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_RINGS_H */
