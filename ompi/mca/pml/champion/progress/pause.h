/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The pause of a thread that has polled for a while in vain: it lets other
 * components make progress, and polls on, yields its core, or sleeps
 * (pml_champion_wait). progress/wait_rule.h chooses.
 *
 * Sleep. UCX's descriptor announces messages of UCX. A sender that has
 * a ring sees a mark there, and wakes its reader by an empty message through
 * UCX (WAKE). Without a progress thread senders read the mark without a memory
 * barrier, since that would cost each message more than all the rest: a record
 * that is written in the nanoseconds in which the reader falls asleep may wake
 * nobody. Each sleep is bounded, and this is one reason.
 *
 * Floods. A wait in which the process reads messages from rings, writes some
 * that waited for room, or finds events of UCX begins anew with each pause that
 * finds so: sleeps would grow, and hold up both sides. Not in runs with threads.
 *
 * Sleeping threads. With MPI_THREAD_MULTIPLE one thread sleeps on UCX's
 * descriptor, others on a futex; the thread that handles messages wakes the
 * latter.
 */

#ifndef MCA_PML_CHAMPION_PROGRESS_PAUSE_H
#define MCA_PML_CHAMPION_PROGRESS_PAUSE_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Begins and ends of pauses in the program's waiting calls; wraps. Atomic. */
extern uint32_t mca_pml_champion_pauses;

/** Does a thread of the program sleep in a waiting call until UCX has something?
 * Lock held. */
bool mca_pml_champion_pause_is_asleep(void);

/** What a thread waits for. */
typedef enum {
    MCA_PML_CHAMPION_FOR_UNKNOWN,
    MCA_PML_CHAMPION_FOR_REQUESTS, /**< ompi_request_t *[count] */
    MCA_PML_CHAMPION_FOR_RECEIVE,  /**< done of a mca_pml_champion_recv_t */
    MCA_PML_CHAMPION_FOR_SEND,     /**< done of a mca_pml_champion_send_t */
    MCA_PML_CHAMPION_FOR_PROBE     /**< found of a mca_pml_champion_prober_t */
} mca_pml_champion_for_t;

/** A wait that has lasted for a while. All bytes zero: it begins. */
typedef struct mca_pml_champion_pause_t {
    uint64_t began;   /**< time of the first pause, ns; 0: there was none */
    unsigned in_vain; /**< attempts in a row to sleep while UCX had work */
    bool others;      /**< waits for something else than a message */
    bool slept;       /**< in the last pause */
    bool noted;       /**< there was a pause: see mca_pml_champion_note_t */
    uint32_t wakes;   /**< see progress/pause.c */
    uint32_t parts;   /**< of messages that the process had copied then */
    uint32_t handled; /**< messages that it had read from rings, or written
                           after a wait for room, and events of UCX, when that
                           was last looked at */
} mca_pml_champion_pause_t;

/** What this thread waits for: noted between two pauses, and forgotten with the
 * first pause of the next wait. */
typedef struct mca_pml_champion_note_t {
    bool paused; /**< the thread is in a pause; else the rest may be old */
    bool one;    /**< one of the requests is enough */
    const mca_pml_champion_pause_t *by; /**< the last pause's; to compare */
    mca_pml_champion_for_t what;
    const void *of;
    size_t count;
} mca_pml_champion_note_t;
extern _Thread_local mca_pml_champion_note_t mca_pml_champion_note;

/** The wait has had a pause, and is not over. */
static inline void mca_pml_champion_note_wait(mca_pml_champion_for_t what,
                                              const void *of, size_t count,
                                              bool one)
{
    mca_pml_champion_note.one = one;
    mca_pml_champion_note.what = what;
    mca_pml_champion_note.of = of;
    mca_pml_champion_note.count = count;
}

/** Polls of a waiting thread until its next pause. */
enum { MCA_PML_CHAMPION_POLLS = 100 };

/** The same in runs with one thread: fewer where the core is shared. */
extern unsigned mca_pml_champion_pause_after;

/** Call opal_progress, and yield or sleep if that is better than polling.
 * Without the lock. */
void mca_pml_champion_pause(mca_pml_champion_pause_t *pause);

/** Threads of this process that sleep on the futex. Atomic. */
extern uint32_t mca_pml_champion_pause_sleepers;

/** Wake them: requests may be complete. */
void mca_pml_champion_pause_wake(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PROGRESS_PAUSE_H */
