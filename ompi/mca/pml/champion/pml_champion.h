/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The champion PML: point-to-point messages over UCP active messages, matched
 * by the mq framework.
 *
 *     MPI call                         pml_champion_send.c, _recv.c, _probe.c
 *        |          \
 *        |           matching          ompi/mca/mq
 *        |          /
 *     arrival of a message             pml_champion_am.c
 *        |
 *     peers, endpoints, worker         pml_champion_peer.c, _ucx.c
 *
 * Threads. One lock, mca_pml_champion.lock, protects the UCP worker (which is
 * of UCS_THREAD_MODE_SERIALIZED), matching and all tables here. It is taken
 * only if MPI_THREAD_MULTIPLE was granted or the progress thread runs
 * (pml_champion_thread.h). Requests are never completed under it, because a
 * completion runs callbacks that may call anything: completed requests are
 * queued, and the next of the program's threads that makes progress completes
 * them after it has let go of the lock. The same queue keeps completions out of
 * UCX's callbacks in runs with one thread.
 */

#ifndef OMPI_PML_CHAMPION_H
#define OMPI_PML_CHAMPION_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opal/class/opal_buddy.h"
#include "opal/class/opal_free_list.h"
#include "opal/class/opal_hash_table.h"
#include "opal/class/opal_size_pool.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/prefetch.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/proc.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/mq/base/base.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "ompi/mca/pml/base/base.h"
#include "ompi/mca/pml/base/pml_base_request.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"

#include "ompi/mca/pml/champion/pml_champion_ucx_compat.h"
#include "ompi/mca/pml/champion/pml_champion_wire.h"
#include "ompi/mca/pml/champion/ring/pml_champion_rings.h"

BEGIN_C_DECLS

/* Nothing but the component is seen from outside: calls go straight. */
#pragma GCC visibility push(hidden)

typedef struct mca_pml_champion_peer_t mca_pml_champion_peer_t;
typedef struct mca_pml_champion_comm_t mca_pml_champion_comm_t;
typedef struct mca_pml_champion_message_t mca_pml_champion_message_t;
typedef struct mca_pml_champion_request_t mca_pml_champion_request_t;
typedef struct mca_pml_champion_prober_t mca_pml_champion_prober_t;

/** Another process, or this one. Made at first contact, kept to the end. */
struct mca_pml_champion_peer_t {
    ucp_ep_h ep; /**< NULL: not connected yet, or this process */
    /** Largest payload that may be sent packed, bytes; -1 without ep, and to
     * another job. */
    int64_t packed_max;
    mca_pml_champion_ring_out_t *out; /**< .._ring_none: by UCP only */
    uint32_t send_sequence;           /**< number of the next message to it */
    uint32_t recv_sequence;           /**< number of the next message from it */
    /** Messages that arrived before their turn, by sequence number; those that
     * were matched all the same are OVERTOOK. */
    mca_pml_champion_message_t *early;
    mca_pml_champion_message_t *early_last; /**< not valid without early */
    /** Leads back to a peer that sent a SYNC message, for its ACK. */
    ucp_ep_h reply_ep;
    opal_process_name_t name;
    bool self;       /**< this process */
    bool local;      /**< of this job and on this node */
    uint32_t ask_at; /**< send_sequence at which to ask for a ring */
    /* See pml_champion_prefetch.h. */
    uint8_t prefetches;          /**< remembered, at most prefetch_window */
    uint8_t prefetches_declined; /**< since the last trial */
    uint64_t prefetch_history;   /**< a bit for each: was it useful? */
    /* Receive offload; all zero while it is off. */
    bool looked_at; /**< capable is known */
    bool capable;   /**< its network matches tags */
    uint64_t delta; /**< smoothed, ns; see pml_champion_offload_rule.h */
    struct mca_pml_champion_inflows_t *inflows;   /**< it was asked for tags */
    struct mca_pml_champion_outflows_t *outflows; /**< it has asked for tags */
    mca_pml_champion_peer_t *next_sender;         /**< with inflows */
    mca_pml_champion_peer_t *next_receiver;       /**< with outflows */
};

/** What hangs on a communicator. */
struct mca_pml_champion_comm_t {
    mca_mq_base_domain_t *domain; /**< own, or that of the process */
    /** Template of the header of messages that are sent in it. */
    mca_pml_champion_header_t header;
    uint32_t context; /**< on the wire */
    uint32_t index;   /**< in mca_pml_champion.comms; mostly the same */
    uint32_t sources; /**< ranks that messages can come from */
    ompi_communicator_t *comm;
    mca_mq_base_domain_t own; /**< not used if domain is shared */
    mca_mq_stats_t *stats;    /**< NULL when nothing is counted here */
    bool subscribed;          /**< to the info key ompi_mq */
    /** Queued receives with wildcards; known only if offload is on. */
    struct mca_pml_champion_recv_t *wildcards;
};

/** Counters of the paths a message can take, for statistics and tests. Only
 * those off the shortest path are counted. */
typedef struct mca_pml_champion_counters_t {
    uint64_t early;      /**< messages held until their turn came */
    uint64_t overtook;   /**< messages matched before their turn */
    uint64_t parked;     /**< messages for a communicator not known yet */
    uint64_t purged;     /**< messages dropped with their communicator */
    uint64_t rendezvous; /**< rendezvous messages received */
    uint64_t held;       /**< unexpected payloads kept in UCX's buffer */
    uint64_t delayed;    /**< messages delayed on purpose */
    uint64_t prefetched; /**< rendezvous messages fetched before a receive */
    uint64_t prefetch_useful;   /**< of them, complete before it came */
    uint64_t prefetch_late;     /**< of them, not complete then */
    uint64_t prefetch_full;     /**< not fetched: no slot was free */
    uint64_t prefetch_declined; /**< not fetched: too few were useful */
    uint64_t offloaded; /**< receives given to UCX before their message came */
    uint64_t offload_matched;   /**< of these, got their data so */
    uint64_t offload_cancelled; /**< of these, taken back */
    uint64_t offload_blocked;   /**< not offloaded because of the cancel rate */
    uint64_t onloaded; /**< receives of data under a tag, given to UCX after
                            their message came */
    uint64_t ring_messages; /**< received through rings */
    uint64_t ring_granted;  /**< rings given to senders */
    uint64_t ring_refused;  /**< asked for when all were taken */
    uint64_t ring_failed;   /**< could not be made or reached */
    uint64_t ring_waited;   /**< sends that waited for room */
    uint64_t ring_bells;    /**< receivers that were woken */
    uint64_t migrations;    /**< domains given to another mq component, of
                                 communicators that are gone */
    /* Of the progress thread: how often it was woken by UCX, how often by the
     * program, how often it found the program making progress, and the events
     * of UCX that it handled. */
    uint64_t thread_woken;
    uint64_t thread_told;
    uint64_t thread_left;
    uint64_t thread_events;
} mca_pml_champion_counters_t;

/** The eager limit that leaves the decision to UCX. */
#define MCA_PML_CHAMPION_EAGER_AUTO ((unsigned) INT32_MAX)

/** The component's parameters. */
typedef struct mca_pml_champion_params_t {
    unsigned priority;
    unsigned eager_limit;         /**< bytes, or ..._EAGER_AUTO */
    unsigned self_eager_limit;    /**< bytes */
    unsigned hold_limit;          /**< bytes */
    unsigned progress_iterations; /**< UCX's progress calls per opal_progress */
    unsigned test_delay;          /**< progress calls; 0: off */
    unsigned prefetch_pool;       /**< bytes */
    unsigned prefetch_largest;    /**< bytes of a message */
    unsigned prefetch_window;     /**< prefetches */
    unsigned prefetch_threshold;  /**< percent */
    bool prefetch;
    unsigned thread_interval; /**< microseconds */
    bool progress_thread;
    bool stats;
} mca_pml_champion_params_t;

/** The component's state; one per process. */
typedef struct mca_pml_champion_t {
    ucp_worker_h worker;
    mca_pml_champion_comm_t **comms; /**< by context index; see below */
    uint32_t num_comms;              /**< elements of comms */
    uint32_t my_jobid;
    mca_pml_champion_peer_t **job_peers; /**< this job's peers, by vpid */
    uint32_t job_size;
    bool threaded;    /**< there are other threads: take the lock */
    bool in_progress; /**< UCX is making progress; not used if threaded */
    bool finalizing;  /**< arriving messages are dropped */
    bool ending;      /**< MPI_Finalize has begun: no user's receive can come */
    /** Requests to be completed, oldest first. */
    mca_pml_champion_request_t *completed;
    mca_pml_champion_request_t **completed_tail;
    mca_pml_champion_message_t *delayed; /**< see pml_champion_delay.c */
    ucp_request_param_t packed_param;    /**< for the shortest send */
    uint32_t memory_attr; /**< UCP_OP_ATTR_FIELD_MEMORY_TYPE or 0 */
    opal_mutex_t lock;
    /* Between the program and the progress thread; not used if not threaded. */
    uint32_t calls;     /**< for progress, of the program; wraps. Atomic */
    bool lock_wanted;   /**< the program found the lock taken. Atomic */
    bool thread_asleep; /**< until an event or mca_pml_champion_thread_tell */

    ompi_request_t completed_send;     /**< returned by sends that are done */
    opal_size_pool_t pool;             /**< unexpected messages */
    opal_hash_table_t other_peers;     /**< peers of other jobs, by name */
    opal_hash_table_t own_comms;       /**< contexts with .._CONTEXT_OWN */
    mca_pml_champion_comm_t *own_last; /**< found last in own_comms */
    mca_pml_champion_peer_t *self;
    mca_pml_champion_message_t *parked, **parked_tail;
    mca_pml_champion_message_t *probed; /**< taken by a matched probe */
    mca_pml_champion_prober_t *probers; /**< threads that wait in a probe */
    uint64_t active_sends;              /**< not complete, peer in this job */
    uint64_t prefetching;               /**< fetches that are under way */
    void *prefetch_memory;              /**< the pool's area, or NULL: off */
    ucp_mem_h prefetch_handle;
    opal_buddy_t prefetch_pool; /**< slots of that area */
    size_t prefetch_used_max;   /**< its high-water mark, bytes */
    ucp_context_h context;
    ucp_datatype_t generic_datatype;
    mca_pml_champion_params_t params;
    mca_pml_champion_counters_t counters;
    mca_mq_stats_t total; /**< of communicators that are gone */
    int finalize_keyval;
    int output;
} mca_pml_champion_t;

extern mca_pml_champion_t mca_pml_champion;
extern mca_pml_base_module_t mca_pml_champion_module;

/** Element of comms for a communicator that is gone. A message for it is a
 * leftover that nobody can receive: an id is used again only after all members
 * of the new communicator have called add_comm, so none of its messages can
 * come earlier. Ids of communicators made from groups are not used again. For
 * inter-communicators see mca_pml_champion_context_is_reused. */
#define MCA_PML_CHAMPION_COMM_GONE ((mca_pml_champion_comm_t *) 1)

/** Take the lock from a thread that has it. */
void mca_pml_champion_lock_wait(void);

static inline void mca_pml_champion_lock(void)
{
    if (OPAL_UNLIKELY(mca_pml_champion.threaded) &&
        OPAL_UNLIKELY(0 != opal_mutex_trylock(&mca_pml_champion.lock))) {
        mca_pml_champion_lock_wait();
    }
}

static inline void mca_pml_champion_unlock(void)
{
    if (OPAL_UNLIKELY(mca_pml_champion.threaded)) {
        opal_mutex_unlock(&mca_pml_champion.lock);
    }
}

static inline mca_pml_champion_comm_t *mca_pml_champion_comm(
    const ompi_communicator_t *comm)
{
    return (mca_pml_champion_comm_t *) comm->c_pml_comm;
}

/** Let UCX make progress and complete what became complete. Returns the number
 * of UCX's events and of requests completed: MPI_Testall of Open MPI 5.0 looks
 * at its requests again only if that is not 0. 0 at once if called from below
 * itself. */
int mca_pml_champion_progress(void);

/** The rest of a progress call that found something more to do, in runs with
 * one thread: complete requests, let delayed messages go. Not from a callback.
 * Returns the number of requests completed. */
int mca_pml_champion_progress_more(void);

/** One step of UCX's, and the delayed messages whose time has come with it.
 * Returns the number of events. Lock held. */
unsigned mca_pml_champion_progress_step(void);

/** One look at the rings and at UCX. Returns the number of events. Lock held.
 */
static inline unsigned mca_pml_champion_poll(void)
{
    unsigned events = mca_pml_champion_rings_poll();

    if (OPAL_UNLIKELY(NULL != mca_pml_champion_rings.waiting)) {
        mca_pml_champion_rings_drain();
    }
    if (mca_pml_champion_rings_leave(events)) {
        events += ucp_worker_progress(mca_pml_champion.worker);
    }
    return events;
}

/** Progress until *done is not 0. Called without the lock. */
static inline void mca_pml_champion_wait(const uint32_t *done)
{
    unsigned left = mca_pml_champion.params.progress_iterations;

    while (0 == __atomic_load_n(done, __ATOMIC_ACQUIRE)) {
        if (OPAL_UNLIKELY(0 == --left)) {
            /* Other components' work, and a yield when oversubscribed. */
            left = mca_pml_champion.params.progress_iterations;
            opal_progress();
        } else if (OPAL_UNLIKELY(mca_pml_champion.threaded)) {
            mca_pml_champion_progress();
        } else {
            mca_pml_champion.in_progress = true;
            (void) mca_pml_champion_poll();
            mca_pml_champion.in_progress = false;
            if (OPAL_UNLIKELY(NULL != mca_pml_champion.completed ||
                              NULL != mca_pml_champion.delayed)) {
                mca_pml_champion_progress_more();
            }
        }
    }
}

/* pml_champion_ucx.c */

/** Make UCX's context, worker and handlers. Reports what is wrong. */
int mca_pml_champion_ucx_open(void);
int mca_pml_champion_ucx_init(bool threads);
/** Give other processes this one's address. */
int mca_pml_champion_ucx_publish(void);
void mca_pml_champion_ucx_fini(void);
void mca_pml_champion_ucx_close(void);

/* pml_champion_comm.c */

int mca_pml_champion_add_comm(ompi_communicator_t *comm);
int mca_pml_champion_del_comm(ompi_communicator_t *comm);
/** Print the queues of a communicator, for debugging. */
int mca_pml_champion_dump(ompi_communicator_t *comm, int verbose);

/* pml_champion_revoke.c */

/** The user gave a communicator up: its receives and probes fail, messages for
 * it are dropped. */
int mca_pml_champion_revoke_comm(ompi_communicator_t *comm, bool coll_only);
/** Open what Open MPI's fault tolerance needs of a PML, if it is on. Before
 * processes exchange their addresses. */
int mca_pml_champion_ft_open(bool threads);
int mca_pml_champion_ft_add_procs(ompi_proc_t **procs, size_t count);
void mca_pml_champion_ft_del_procs(ompi_proc_t **procs, size_t count);
void mca_pml_champion_ft_close(void);

/* pml_champion_choice.c */

/** Follow the component chosen in a communicator's info, and those to come. */
int mca_pml_champion_choice_subscribe(mca_pml_champion_comm_t *comm);

/* pml_champion_assert.c */

/** Follow the assertions in a communicator's info, and those to come. */
int mca_pml_champion_assert_subscribe(mca_pml_champion_comm_t *comm);

/** Is this receive or probe one that the communicator's user has promised not
 * to make? Open MPI's own, with negative tags, may be from any source: linear
 * barriers have such. */
static inline bool mca_pml_champion_breaks_promise(
    const mca_pml_champion_comm_t *comm, int source, int tag)
{
    uint32_t promised = comm->domain->info.assertions;

    return OPAL_UNLIKELY(0 != (promised & MCA_MQ_ASSERT_EXACT)) &&
           ((OMPI_ANY_SOURCE == source && tag >= OMPI_ANY_TAG &&
             0 != (promised & MCA_MQ_ASSERT_NO_ANY_SOURCE)) ||
            (OMPI_ANY_TAG == tag &&
             0 != (promised & MCA_MQ_ASSERT_NO_ANY_TAG)));
}

/** The MPI error code for it; its text names the assertion. */
int mca_pml_champion_broken_promise(const mca_pml_champion_comm_t *comm,
                                    int source);

/* pml_champion_stats.c */

/** Print the statistics of all processes; collective over MPI_COMM_WORLD. */
void mca_pml_champion_stats_report(void);
/** Add a communicator's figures to a sum. */
void mca_pml_champion_stats_add(mca_mq_stats_t *sum,
                                const mca_mq_stats_t *stats);

/* pml_champion_profile.c */

/** This process's part of the profile, if one is wanted. */
typedef struct mca_pml_champion_profile_t {
    char *text; /**< NULL: none, or memory ran out */
    size_t length;
} mca_pml_champion_profile_t;

/** Take down what was recorded until now. */
void mca_pml_champion_profile_snapshot(mca_pml_champion_profile_t *profile);
/** Write the profile of all processes, and free this process's part;
 * collective over MPI_COMM_WORLD. */
void mca_pml_champion_profile_write(mca_pml_champion_profile_t *profile);

/* pml_champion_finalize.c */

/** Be told when MPI_Finalize begins. */
int mca_pml_champion_finalize_arm(void);

/* pml_champion_delay.c */

/** Keep a message back for a while if test_delay is set. */
void mca_pml_champion_delay_add(mca_pml_champion_message_t *message);
/** Let those go whose time has come. Lock held. */
void mca_pml_champion_delay_progress(void);

#pragma GCC visibility pop

OMPI_DECLSPEC extern mca_pml_base_component_t mca_pml_champion_component;

END_C_DECLS

#endif /* OMPI_PML_CHAMPION_H */
