/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The champion PML: point-to-point messages over UCP active messages, matched
 * by the mq framework. This header has what all its files need: the state of
 * the process, and the lock.
 *
 * Plan. Files include files of the folders above theirs in this list, and of
 * their own (contrib/check.d/layers holds them to it):
 *
 *     core/      state and lock, parameters, wire format, datatypes, what UCX
 *                has in flight
 *     peer/      other processes, communicators by context, control messages,
 *                the cost model of transfers
 *     request/   sends, receives and MPI's requests for them
 *     match/     messages that arrive: order (reorder), matching, delivery, the
 *                memory of those that wait
 *     conn/      flow control; disconnecting from processes of other jobs
 *     offload/   receives given to UCX's tag matching, transfers of large data
 *     rndv/      rendezvous, prefetching, single copy (CMA, rget), when the
 *                progress thread pays
 *     ring/      small messages within a node, through shared memory
 *     progress/  what drives it all: calls of MPI, waiting threads, the
 *                progress thread
 *     stats/     counters, statistics, performance variables, profiles
 *     send/      starting a send: the choice of its route, self
 *     mpi/       the functions of a PML: send, receive, probe, cancel,
 *                communicators; the handlers of active messages
 *     (root)     component, module, the table of units, UCX's context and
 *                worker, MPI_Finalize
 *
 * Threads. One lock, mca_pml_champion.lock, protects the UCP worker (which is
 * of UCS_THREAD_MODE_SERIALIZED), matching and all tables here. It is taken
 * only if MPI_THREAD_MULTIPLE was granted or the progress thread runs
 * (progress/thread.h); it costs a program little that has one thread all
 * the same (core/mutex.h). Threads that wait poll in turn and yield
 * (progress/waiting.h). Requests are never completed under it, because a
 * completion runs callbacks that may call anything: completed requests are
 * queued, and the next of the program's threads that makes progress completes
 * them after it has let go of the lock. The same queue keeps completions out of
 * UCX's callbacks in runs with one thread.
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

/* Nothing but the component is seen from outside: calls go straight. */
#pragma GCC visibility push(hidden)

typedef struct mca_pml_champion_peer_t mca_pml_champion_peer_t;
typedef struct mca_pml_champion_comm_t mca_pml_champion_comm_t;
typedef struct mca_pml_champion_message_t mca_pml_champion_message_t;
typedef struct mca_pml_champion_request_t mca_pml_champion_request_t;

/** Counters of the paths a message can take, for statistics, performance
 * variables and tests. Only those off the fast path are counted. Numbers of 64
 * bits and nothing else; each has its line in stats/stats_table.c, those
 * of one group of it are side by side here. */
typedef struct mca_pml_champion_counters_t {
    uint64_t rendezvous;     /**< rendezvous messages received */
    uint64_t deferred;       /**< of them, not fetched when matched */
    uint64_t out_of_order;   /**< messages held until their turn came */
    uint64_t matched_early;  /**< messages matched before their turn */
    uint64_t parked;         /**< messages for a communicator not known yet */
    uint64_t held;           /**< unexpected payloads kept in UCX's buffer */
    uint64_t delayed;        /**< messages delayed on purpose */
    uint64_t purged;         /**< messages dropped with their communicator */
    uint64_t cancelled;      /**< messages cancelled by their sender */
    uint64_t cancelled_late; /**< not cancelled: they had been matched */
    uint64_t migrations;     /**< domains given to another mq component, of
                                  communicators that are gone */
    uint64_t ring_messages;  /**< received through rings */
    uint64_t ring_granted;   /**< rings given to senders */
    uint64_t ring_refused;   /**< asked for when all were taken */
    uint64_t ring_moved;     /**< of the granted, taken from another sender */
    uint64_t ring_failed;    /**< could not be made or reached */
    uint64_t ring_waited;    /**< sends that waited for room */
    uint64_t ring_doorbells; /**< receivers whose thread was woken */
    uint64_t ring_fragments; /**< received, with messages or parts of them */
    uint64_t ring_rget;      /**< read from their sender's memory */
    uint64_t memory_waiting_max; /**< bytes of messages that waited; filled in
                                      when read */
    uint64_t flow_stopped; /**< senders told to stop filling this process */
    uint64_t flow_held_up; /**< and of the other side */
    uint64_t prefetched;   /**< rendezvous messages fetched before a receive */
    uint64_t prefetch_useful;   /**< of them, complete before it came */
    uint64_t prefetch_late;     /**< of them, not complete then */
    uint64_t prefetch_full;     /**< not fetched at once: no slot was free */
    uint64_t prefetch_served;   /**< of the fetched, had waited for a slot */
    uint64_t prefetch_declined; /**< not fetched: too few were useful */
    uint64_t prefetch_unneeded; /**< not fetched: receives come soon enough */
    uint64_t prefetch_pool_max; /**< bytes in use; filled in when read */
    uint64_t offloaded; /**< receives given to UCX before their message came */
    uint64_t offload_matched;   /**< of these, got their data so */
    uint64_t offload_cancelled; /**< of these, taken back */
    uint64_t offload_blocked;   /**< not offloaded because of the cancel rate */
    uint64_t onloaded; /**< receives of data under a tag, given to UCX after
                            their message came */
    uint64_t offload_withdrawn; /**< peers that were asked for tags no more */
    uint64_t others_connected; /**< endpoints made to processes of other jobs */
    uint64_t others_disconnected; /**< of these, closed */
    uint64_t thread_delayed;      /**< large messages that lacked a thread */
    uint64_t thread_started; /**< processes whose thread was started by that */
    /* Of the progress thread: how often it was woken by UCX, how often by the
     * program, how often it found the program making progress, and the events
     * of UCX that it handled. */
    uint64_t thread_wakeups;
    uint64_t thread_notified;
    uint64_t thread_yielded;
    uint64_t thread_events;
} mca_pml_champion_counters_t;

/** The eager limit that leaves the decision to UCX. */
#define MCA_PML_CHAMPION_EAGER_AUTO SIZE_MAX

/** Values of parameters that switch something. */
enum {
    MCA_PML_CHAMPION_OFF = 1,
    MCA_PML_CHAMPION_AUTO, /**< when it was seen to be worth it */
    MCA_PML_CHAMPION_ON
};

/** The limit of waiting messages that depends on the node. */
#define MCA_PML_CHAMPION_UNEXPECTED_AUTO SIZE_MAX

/** The component's parameters. */
typedef struct mca_pml_champion_params_t {
    unsigned priority;
    size_t eager_limit;           /**< bytes, or ..._EAGER_AUTO */
    size_t hold_limit;            /**< bytes */
    size_t unexpected_limit;      /**< bytes; 0: none; or ..._UNEXPECTED_AUTO */
    unsigned progress_iterations; /**< UCX's progress calls per opal_progress */
    unsigned test_delay;          /**< progress calls; 0: off */
    size_t prefetch_pool;         /**< bytes, or ..._SIZE_AUTO */
    unsigned prefetch_window;     /**< prefetches */
    int prefetch;                 /**< MCA_PML_CHAMPION_OFF and so on */
    unsigned thread_interval;     /**< microseconds */
    unsigned thread_after;        /**< late messages */
    unsigned thread_late;         /**< microseconds */
    bool thread_local;            /**< messages of this node count, too */
    int progress_thread;          /**< MCA_PML_CHAMPION_OFF and so on */
    bool close_endpoints;
    bool stats;       /**< gather statistics; as rank 0 wants it */
    char *stats_form; /**< the parameter; see stats/stats.h */
} mca_pml_champion_params_t;

/** The component's state; one per process. What only one file needs is there.
 */
typedef struct mca_pml_champion_t {
    /* One cache line: the fast path. */
    ucp_worker_h worker;
    mca_pml_champion_comm_t **comms; /**< see peer/comm_table.h */
    uint32_t num_comms;              /**< elements of comms */
    uint32_t my_jobid;
    mca_pml_champion_peer_t **job_peers; /**< this job's peers, by vpid */
    uint32_t job_size;
    bool threaded;    /**< there are other threads: take the lock */
    bool multiple;    /**< threads of the program: MPI_THREAD_MULTIPLE */
    bool slow;        /**< progress has more to do: threaded, or start_thread */
    bool in_progress; /**< UCX is making progress; not used if threaded */
    bool finalizing;  /**< arriving messages are dropped */
    bool start_thread; /**< the progress thread is wanted: see _late */
    bool ending; /**< MPI_Finalize has begun: no user's receive can come */
    bool about_to_send; /**< progress is made in a call that sends after it */
    /** Requests to be completed, oldest first. */
    mca_pml_champion_request_t *completed;
    mca_pml_champion_request_t **completed_tail;

    /** How many of these there are: the list of match/test_delay.h, not empty, that of
     * conn/disconnect.h, the same, a question of match/backlog.h, and what
     * rndv/rendezvous.h has deferred. Progress looks after them. */
    uint32_t chores;
    uint32_t inflight; /**< requests that UCX has not completed */
    mca_pml_champion_poll_backoff_t poll_backoff; /**< of UCX */
    mca_pml_champion_message_t *delayed;          /**< see match/test_delay.h */
    ucp_request_param_t packed_param;             /**< for the fast path */
    uint32_t memory_attr; /**< UCP_OP_ATTR_FIELD_MEMORY_TYPE or 0 */
    mca_pml_champion_mutex_t lock;
    /* Between the program and the progress thread; not used if not threaded. */
    uint32_t calls;     /**< for progress, of the program; wraps. Atomic */
    bool lock_wanted;   /**< the program found the lock taken. Atomic */
    bool thread_asleep; /**< see core/wake.h */

    opal_size_pool_t pool; /**< unexpected messages */
    uint64_t active_sends; /**< not complete, peer in this job */
    ucp_context_h context;
    ucp_datatype_t generic_datatype;
    mca_pml_champion_params_t params;
    mca_pml_champion_counters_t counters;
    /** This component, by which Open MPI knows parameters and addresses. */
    const mca_base_component_t *component;
    int output;
} mca_pml_champion_t;

extern mca_pml_champion_t mca_pml_champion;

/*
 * What comments promise about the lock ("Lock held", "Without the lock") is
 * asserted where a function begins. With assertions (configure
 * --enable-debug) each thread keeps whether it holds the lock, also in runs
 * with one thread, which take none: so they find what is missing, too.
 */
#if defined(NDEBUG)
#define MCA_PML_CHAMPION_LOCK_NOTE(held)
#else
extern _Thread_local bool mca_pml_champion_lock_mine;
#define MCA_PML_CHAMPION_LOCK_NOTE(held)                                       \
    (assert((held) != mca_pml_champion_lock_mine),                             \
     mca_pml_champion_lock_mine = (held))
#endif

/** This thread holds the lock. */
#define MCA_PML_CHAMPION_LOCKED() assert(mca_pml_champion_lock_mine)
/** It does not. */
#define MCA_PML_CHAMPION_UNLOCKED() assert(!mca_pml_champion_lock_mine)

/** End the job with one line, behind "champion: ", on the standard error; the
 * error is an MPI error class. For what leaves no way to go on: a message would
 * be lost, or a sender wait for ever. It may return, while the job ends. */
__attribute__((format(printf, 2, 3))) void mca_pml_champion_abort(
    int error, const char *format, ...);

/** Take the lock, which may be another thread's. */
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

/** Take the lock if it is free. Only if threaded. */
static inline bool mca_pml_champion_trylock(void)
{
    if (!mca_pml_champion_mutex_trylock(&mca_pml_champion.lock)) {
        return false;
    }
    MCA_PML_CHAMPION_LOCK_NOTE(true);
    return true;
}

/** What stands for the lock around UCX's progress, if not threaded. */
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
