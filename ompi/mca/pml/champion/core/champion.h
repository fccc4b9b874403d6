/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The champion PML: point-to-point messages over UCP active messages, matched
 * by the mq framework. This header is for all files: the state of the process,
 * and the lock.
 *
 * Plan. Files include files of the folders above theirs in this list, and of
 * their own; a folder has at most as many lines as the number says
 * (contrib/check.d/layers holds them to both):
 *
 *     core/     4400 state and lock, parameters, wire format, datatypes, what
 *                    UCX has in flight; memory that the processes of a node
 *                    share; events of MPI_T
 *     peer/     2300 other processes, communicators by context, control
 *                    messages, the cost model of transfers
 *     match/    4600 requests; messages that arrive: order, matching, delivery,
 *                    the memory of unexpected ones; flow control; disconnecting
 *                    from processes of other jobs
 *     offload/  2600 receives posted to UCX's tag matching, transfers of large
 *                    data
 *     large/    3950 rendezvous, prefetching, single copy (CMA, rget), several
 *                    connections for a message; when the progress thread pays
 *     shm/      5000 messages within a node: rings and FIFOs, large messages
 *                    copied by both sides
 *     progress/ 2950 progress: in MPI calls, waiting threads, the progress
 *                    thread
 *     stuck/    4250 what this process waits for, and why a wait never ends
 *     stats/    4000 counters, statistics, performance variables, profiles;
 *                    gathering at rank 0; statistics of a job that ends before
 *                    MPI_Finalize
 *     mpi/      4950 the functions of a PML: send and its route, receive, probe,
 *                    cancel, communicators; the handlers of active messages;
 *                    schedules for collectives
 *     boot/     1450 UCX's context and worker, transports, addresses, what the
 *                    processes agree on, MPI_Finalize
 *     (root)     750 component, module, the table of units
 *
 * Hooks (pointers by which functions of a folder above are called):
 * throttle.hold throttle.release throttle.on_stop throttle.set_stop
 * peer_ring_open peers_chore.step cost_model_gap request_on_popped send_unlist
 * transfer_by_address rings.send_by_ucx thread_switch schedules_chore.step
 * self_added
 *
 * Threads. One lock, mca_pml_champion.lock, protects the UCP worker (which is
 * of UCS_THREAD_MODE_SERIALIZED), matching and all tables here. It is taken
 * only if MPI_THREAD_MULTIPLE was granted or the progress thread runs
 * (progress/thread.h); it is cheap if a single thread takes it nevertheless
 * (core/mutex.h). Threads that wait poll in turn and yield
 * (progress/waiting.c). Requests are never completed under the lock, because a
 * completion runs callbacks that may call anything: completed requests are
 * queued, and the program's next thread that makes progress completes them
 * after it has released the lock. In single-threaded runs this queue keeps
 * completions out of UCX's callbacks.
 */

#ifndef MCA_PML_CHAMPION_CORE_CHAMPION_H
#define MCA_PML_CHAMPION_CORE_CHAMPION_H

#include "ompi_config.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opal/class/opal_size_pool.h"
#include "opal/prefetch.h"
#include "opal/util/output.h"
#include "opal/util/proc.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/mq/base/base.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "ompi/mca/pml/base/base.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"

#include "ompi/mca/pml/champion/core/mutex.h"
#include "ompi/mca/pml/champion/core/poll_backoff.h"
#include "ompi/mca/pml/champion/core/ucx_compat.h"

BEGIN_C_DECLS

/* Only the component's symbol is exported, so that calls inside are direct. */
#pragma GCC visibility push(hidden)

typedef struct mca_pml_champion_peer_t mca_pml_champion_peer_t;
typedef struct mca_pml_champion_comm_t mca_pml_champion_comm_t;
typedef struct mca_pml_champion_message_t mca_pml_champion_message_t;
typedef struct mca_pml_champion_request_t mca_pml_champion_request_t;

/** Counters of the paths a message can take, for statistics, performance
 * variables and tests. Only paths off the fast path are counted. All are 64-bit
 * numbers; the line of each in stats/stats_table.c says what it counts, and those
 * of one group of that table are adjacent here. */
typedef struct mca_pml_champion_counters_t {
    uint64_t rendezvous;
    uint64_t deferred;
    uint64_t out_of_order;
    uint64_t matched_early;
    uint64_t parked;
    uint64_t held;
    uint64_t delayed;
    uint64_t purged;
    uint64_t cancelled;
    uint64_t cancelled_late;
    uint64_t migrations; /**< in domains of freed communicators */
    uint64_t ring_messages;
    uint64_t ring_fifo;
    uint64_t ring_opened;
    uint64_t ring_failed;
    uint64_t ring_waited;
    uint64_t ring_doorbells;
    uint64_t ring_fragments;
    uint64_t ring_rget;
    uint64_t ring_shared;
    uint64_t memory_shared; /**< filled in when read, as the next two */
    uint64_t memory_connections;
    uint64_t memory_waiting_max;
    uint64_t flow_stopped;
    uint64_t flow_held_up;
    uint64_t prefetched;
    uint64_t prefetch_useful;
    uint64_t prefetch_late;
    uint64_t prefetch_full;
    uint64_t prefetch_served;
    uint64_t prefetch_declined;
    uint64_t prefetch_unneeded;
    uint64_t prefetch_pool_max; /**< filled in when read */
    uint64_t prefetch_saved;
    uint64_t stripes_received;
    uint64_t stripes_sent;
    uint64_t stripes_flows;
    uint64_t offloaded;
    uint64_t offload_matched;
    uint64_t offload_cancelled;
    uint64_t offload_blocked;
    uint64_t onloaded;
    uint64_t offload_withdrawn;
    uint64_t others_connected;
    uint64_t others_disconnected;
    uint64_t thread_delayed;
    uint64_t thread_started;
    uint64_t thread_ended;
    uint64_t thread_again;
    uint64_t thread_lost;
    uint64_t thread_wakeups;
    uint64_t thread_notified;
    uint64_t thread_yielded;
    uint64_t thread_events;
    uint64_t wait_sleeps;
    uint64_t wait_woken;
    uint64_t coll_started;
    uint64_t coll_messages;
    uint64_t coll_by_thread;
    uint64_t coll_delayed;
    uint64_t device_sends;
    uint64_t device_ucx;
    uint64_t device_stages;
} mca_pml_champion_counters_t;

/** Eager limit that leaves the choice of the protocol to UCX. */
#define MCA_PML_CHAMPION_EAGER_AUTO SIZE_MAX

/** Values of parameters that switch a feature. */
enum {
    MCA_PML_CHAMPION_OFF = 1,
    MCA_PML_CHAMPION_AUTO, /**< on once measurements show a benefit */
    MCA_PML_CHAMPION_ON
};

/** How threads wait: values of pml_champion_wait. */
enum {
    MCA_PML_CHAMPION_WAIT_AUTO = 1, /**< see progress/wait_rule.h */
    MCA_PML_CHAMPION_WAIT_POLLING,
    MCA_PML_CHAMPION_WAIT_YIELDING,
    MCA_PML_CHAMPION_WAIT_SLEEPING
};

/** Tasks that may be due. */
enum {
    MCA_PML_CHAMPION_DUE_THREAD = 1, /**< start the progress thread, or put away
                                          one that has ended, or is to end: see
                                          progress/thread.h */
    MCA_PML_CHAMPION_DUE_EVENTS = 2  /**< raise events: see core/events.h */
};

/** Limit of unexpected messages that is derived from the node's memory. */
#define MCA_PML_CHAMPION_UNEXPECTED_AUTO SIZE_MAX

/** The component's parameters. */
typedef struct mca_pml_champion_params_t {
    unsigned priority;
    size_t eager_limit;      /**< bytes, or ..._EAGER_AUTO */
    size_t unexpected_limit; /**< bytes; 0: none; or ..._UNEXPECTED_AUTO */
    unsigned test_delay;     /**< progress calls; 0: off */
    int device_memory;       /**< see core/device.h */
    int wait; /**< MCA_PML_CHAMPION_WAIT_AUTO and so on. Atomic: the program
                   may change it */
    size_t prefetch_pool;     /**< bytes, or ..._SIZE_AUTO */
    int prefetch;             /**< MCA_PML_CHAMPION_OFF and so on */
    unsigned thread_interval; /**< microseconds */
    unsigned thread_late;     /**< microseconds */
    bool thread_within_node;  /**< messages within the node count, too */
    int progress_thread;      /**< MCA_PML_CHAMPION_OFF and so on. Atomic: the
                                   program may change it */
    bool stats;               /**< gather statistics; rank 0 decides for all */
    char *stats_form;         /**< see stats/stats.h */
} mca_pml_champion_params_t;

/** The component's state; one per process. State that a single file needs is
 * private to that file. */
typedef struct mca_pml_champion_t {
    /* One cache line: the fast path. */
    ucp_worker_h worker;
    mca_pml_champion_comm_t **comms; /**< see peer/comm_table.h */
    uint32_t num_comms;              /**< number of elements in comms */
    uint32_t my_jobid;
    mca_pml_champion_peer_t **job_peers; /**< this job's peers, by vpid */
    uint32_t job_size;
    bool threaded;    /**< take the lock: other threads use this component */
    bool multiple;    /**< MPI_THREAD_MULTIPLE: the program's threads call
                            MPI */
    bool slow;        /**< progress takes its slow path: threaded, or
                           something is due */
    bool in_progress; /**< inside UCX's progress; not used if threaded */
    bool finalizing;  /**< arriving messages are dropped */
    uint8_t due;      /**< MCA_PML_CHAMPION_DUE_THREAD and so on: what the
                           program's next progress call does without the lock.
                           Atomic */
    bool ending; /**< MPI_Finalize has begun; see over in peer/comm_table.h */
    /** Of all peers: with receive offload, or test_delay. Set before there are
     * peers. */
    bool slow_arrivals;
    /** The functions of MPI leave out their fast paths: with receive offload.
     * Set when that is opened. */
    bool slow_calls;
    /** Requests to be completed, oldest first. */
    mca_pml_champion_request_t *completed;
    mca_pml_champion_request_t **completed_tail;

    uint32_t chores;     /**< that are on: see core/chores.h */
    uint32_t inflight;   /**< requests in flight in UCX */
    uint32_t ucx_events; /**< that the program's polls found; wraps */
    mca_pml_champion_poll_backoff_t poll_backoff; /**< of polling UCX */
    ucp_request_param_t packed_param;             /**< for packed sends */
    uint32_t memory_attr; /**< UCP_OP_ATTR_FIELD_MEMORY_TYPE or 0 */
    mca_pml_champion_mutex_t lock;
    /* Between the program and the progress thread; used only if threaded. */
    uint32_t calls;   /**< progress calls of the program; wraps. Atomic */
    bool lock_wanted; /**< the program is waiting for the lock. Atomic */
    bool core_free;   /**< as far as progress/pause.c knows, this process has a
                             core of its own. Atomic */
    bool thread_asleep; /**< see core/wake.h */
    bool in_thread;     /**< the holder of the lock is the progress thread */
    uint32_t schedules; /**< under way; see mpi/engine.c */

    /* Communicators whose info asks for a progress thread, or for none. Atomic. */
    uint32_t thread_on;
    uint32_t thread_off;

    opal_size_pool_t pool; /**< unexpected messages */
    uint64_t active_sends; /**< incomplete sends to peers of this job */
    ucp_context_h context;
    ucp_datatype_t generic_datatype;
    mca_pml_champion_params_t params;
    mca_pml_champion_counters_t counters;
    /** This component, for registering parameters and publishing addresses. */
    const mca_base_component_t *component;
    int output;
    uint32_t fetches; /**< by UCX, under way */
} mca_pml_champion_t;

extern mca_pml_champion_t mca_pml_champion;

/** Does the program want a progress thread, by the parameter, or where that
 * leaves it open by the info of a communicator? MCA_PML_CHAMPION_OFF and so
 * on. */
static inline int mca_pml_champion_thread_mode(void)
{
    const int mode = __atomic_load_n(&mca_pml_champion.params.progress_thread,
                                     __ATOMIC_RELAXED);

    if (MCA_PML_CHAMPION_AUTO != mode) {
        return mode;
    }
    if (0 != __atomic_load_n(&mca_pml_champion.thread_on, __ATOMIC_RELAXED)) {
        return MCA_PML_CHAMPION_ON;
    }
    return 0 != __atomic_load_n(&mca_pml_champion.thread_off, __ATOMIC_RELAXED)
               ? MCA_PML_CHAMPION_OFF
               : MCA_PML_CHAMPION_AUTO;
}

/** The program's next progress call does this as well, where no lock is held.
 * The caller holds the lock, or is the progress thread, or one of several of the
 * program. */
static inline void mca_pml_champion_due(uint8_t what)
{
    if (!mca_pml_champion.slow) { /* so far there is one thread */
        mca_pml_champion.slow = true;
    }
    (void) __atomic_fetch_or(&mca_pml_champion.due, what, __ATOMIC_RELEASE);
}

/* The promise of a comment about the lock ("Lock held", "Without the lock") is
 * asserted at the beginning of a function. With assertions (configure
 * --enable-debug) each thread records whether it holds the lock, also in
 * single-threaded runs, which do not take it: a missing lock is found there,
 * too. */
#if defined(NDEBUG)
#define MCA_PML_CHAMPION_LOCK_NOTE(held)
#else
extern _Thread_local bool mca_pml_champion_lock_mine;
#define MCA_PML_CHAMPION_LOCK_NOTE(held)                                       \
    (assert((held) != mca_pml_champion_lock_mine),                             \
     mca_pml_champion_lock_mine = (held))
#endif

/** Assert that this thread holds the lock. */
#define MCA_PML_CHAMPION_LOCKED() assert(mca_pml_champion_lock_mine)
/** Assert that this thread does not hold the lock. */
#define MCA_PML_CHAMPION_UNLOCKED() assert(!mca_pml_champion_lock_mine)

/** Print one line, prefixed with "champion: ", on standard error and abort the
 * job; the error is an MPI error class. For errors that would lose a message or
 * leave a sender waiting forever. It may return while the job ends. */
__attribute__((format(printf, 2, 3))) void mca_pml_champion_abort(
    int error, const char *format, ...);

/** Take the lock, waiting if another thread holds it. */
void mca_pml_champion_lock_slow(void);

static inline void mca_pml_champion_lock(void)
{
    MCA_PML_CHAMPION_UNLOCKED();
    if (OPAL_UNLIKELY(mca_pml_champion.threaded) &&
        OPAL_UNLIKELY(!mca_pml_champion_mutex_enter(&mca_pml_champion.lock))) {
        mca_pml_champion_lock_slow();
    }
    MCA_PML_CHAMPION_LOCK_NOTE(true);
}

static inline void mca_pml_champion_unlock(void)
{
    MCA_PML_CHAMPION_LOCK_NOTE(false);
    if (OPAL_UNLIKELY(mca_pml_champion.threaded)) {
        mca_pml_champion_mutex_unlock(&mca_pml_champion.lock);
    }
}

/** Take the lock if it is free. Call only if threaded. */
static inline bool mca_pml_champion_trylock(void)
{
    if (!mca_pml_champion_mutex_trylock(&mca_pml_champion.lock)) {
        return false;
    }
    MCA_PML_CHAMPION_LOCK_NOTE(true);
    return true;
}

/** Reentrancy guard that replaces the lock around UCX's progress in
 * single-threaded runs. */
static inline void mca_pml_champion_progress_enter(void)
{
    MCA_PML_CHAMPION_LOCK_NOTE(true);
    mca_pml_champion.in_progress = true;
}

static inline void mca_pml_champion_progress_leave(void)
{
    mca_pml_champion.in_progress = false;
    MCA_PML_CHAMPION_LOCK_NOTE(false);
}

#pragma GCC visibility pop

END_C_DECLS

#endif /* MCA_PML_CHAMPION_CORE_CHAMPION_H */
