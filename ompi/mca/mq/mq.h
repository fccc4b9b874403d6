/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The contract of the mq framework: message-matching components, their duties,
 * and the facts that they may assume.
 *
 * A matching domain holds the two queues that every MPI receiver needs:
 *
 *     posted receives (PRQ)      searched by each message that arrives
 *     unexpected messages (UMQ)  searched by each receive that is posted
 *
 * A module is one domain, served by one component. The caller (a PML, a test, a
 * replay tool) embeds a mca_mq_entry_t in its receive requests and in its
 * unexpected messages; the component links entries together and never
 * allocates, frees or copies them.
 *
 * Semantics are those of MPI: among the entries that match, the one with the
 * smallest order number wins, for every mix of exact envelopes and wildcards;
 * different contexts never match; a wildcard tag matches only tags >= 0, not
 * internal (negative) ones.
 *
 * A component may replace itself: at the end of mq_arrive, mq_post,
 * mq_match_posted and mq_match_unexpected, and in no other function, a module
 * may migrate its domain to another component, which frees the module (see
 * mca_mq_base_domain_migrate). So after one of these four calls, the caller
 * reads the domain's module again; probes, insertions, withdrawals and visits
 * do not change it. A module may exchange its operations in any call, so
 * callers do not cache them.
 *
 * Locking is up to the caller: no two functions of one module may run at the
 * same time. A component needs no locks and no atomic operations.
 *
 * Components are plug-ins. Each states the ABI number for which it was
 * compiled; the base refuses it unless that is MCA_MQ_ABI.
 */

#ifndef OMPI_MCA_MQ_H
#define OMPI_MCA_MQ_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompi/mca/mca.h"
#include "ompi/mca/mq/mq_version.h"

BEGIN_C_DECLS

/** ABI number of this contract; increased with every change of its types or
 * rules. */
#define MCA_MQ_ABI 3

/** Wildcards of a receive; the values are those of mpi.h. */
#define MCA_MQ_ANY_SOURCE (-1)
#define MCA_MQ_ANY_TAG (-1)

/** The two queues of a domain. */
typedef enum {
    MCA_MQ_POSTED,     /**< receives that wait for a message */
    MCA_MQ_UNEXPECTED, /**< messages that wait for a receive */
    MCA_MQ_QUEUES
} mca_mq_queue_t;

/**
 * The matched fields of a message or receive. Each uses its full 32 bits.
 *
 * In a posted receive the source may be MCA_MQ_ANY_SOURCE and the tag
 * MCA_MQ_ANY_TAG. A message always has an exact source (>= 0) and an exact
 * tag (any value but MCA_MQ_ANY_TAG; negative ones are internal).
 */
typedef struct mca_mq_envelope_t {
    uint32_t context; /**< context id as the receiver knows it */
    int32_t source;   /**< rank of the sender in that context */
    int32_t tag;      /**< tag */
} mca_mq_envelope_t;

/**
 * One element of a queue, embedded by the caller in its own object.
 *
 * Envelope and order are set before the entry is inserted (order by the base,
 * see mca_mq_base_post and mca_mq_base_arrive), and stay unchanged while it is
 * queued. where and link belong to the component from insertion to removal;
 * their contents need not be initialised. An entry must not move while it is
 * queued.
 */
typedef struct mca_mq_entry_t {
    uint64_t order;             /**< age; unique in the domain, ascending */
    mca_mq_envelope_t envelope; /**< what to match */
    uint32_t where;             /**< the component's own */
    void *link[4];              /**< the component's own */
} mca_mq_entry_t;

/**
 * Statistics of one queue of one domain, kept only if requested at creation.
 *
 * A search is one look-up in the queue, successful or not. An entry is
 * traversed when its envelope is compared with the one searched for; the entry
 * that matches counts, too.
 */
typedef struct mca_mq_queue_stats_t {
    uint64_t hits;           /**< searches that found an entry */
    uint64_t misses;         /**< searches that found none */
    uint64_t traversed_hit;  /**< entries traversed by hits, sum */
    uint64_t traversed_miss; /**< entries traversed by misses, sum */
    uint64_t traversed_max;  /**< most entries traversed by one search */
    uint64_t length;         /**< entries queued now */
    uint64_t length_max;     /**< most entries ever queued at one time */
} mca_mq_queue_stats_t;

/** Statistics of both queues, indexed by mca_mq_queue_t. */
typedef struct mca_mq_stats_t {
    mca_mq_queue_stats_t queue[MCA_MQ_QUEUES];
} mca_mq_stats_t;

/**
 * Promises of the user for a domain's communicators (MPI-4, section 7.4.4); a
 * set of bits. The PML rejects a receive that breaks such a promise, so a
 * component never sees it. Promises bind the user only: MPI's own receives,
 * with internal (negative) tags, may be from any source, but are few.
 */
enum {
    MCA_MQ_ASSERT_NO_ANY_SOURCE = 1,
    MCA_MQ_ASSERT_NO_ANY_TAG = 2,
    MCA_MQ_ASSERT_EXACT_LENGTH = 4,
    MCA_MQ_ASSERT_ALLOW_OVERTAKING = 8,
    /** No receive has a wildcard, but internal ones may be from any source. */
    MCA_MQ_ASSERT_EXACT = MCA_MQ_ASSERT_NO_ANY_SOURCE | MCA_MQ_ASSERT_NO_ANY_TAG
};

/**
 * Description of a domain; input of a component's query and create.
 */
typedef struct mca_mq_domain_info_t {
    /** Ranks that may be sources: 0 <= source < size. At least 1. For an
     * inter-communicator the size of the remote group. */
    uint32_t size;
    /** The domain's context, or MCA_MQ_MANY_CONTEXTS if it serves several. */
    uint32_t context;
    /** Where to count; if NULL, counting must cost nothing. Owned by the
     * caller; it outlives the module. */
    mca_mq_stats_t *stats;
    /** Promises of the user: MCA_MQ_ASSERT_* bits. */
    uint32_t assertions;
    /** The domain to be served, for components that migrate by themselves (see
     * mca_mq_base_domain_migrate); set by the base. */
    struct mca_mq_base_domain_t *domain;
} mca_mq_domain_info_t;

#define MCA_MQ_MANY_CONTEXTS UINT32_MAX

typedef struct mca_mq_base_module_t mca_mq_base_module_t;
typedef struct mca_mq_base_component_t mca_mq_base_component_t;

/**
 * Makes the entry for a message that matched no receive.
 *
 * @param[in] arg  the argument of the arrival operation
 *
 * @return the entry to queue as unexpected, with envelope and order set; NULL
 *         if nothing is to be queued (out of memory, a probe of the queue).
 *         Must not call into the module.
 */
typedef mca_mq_entry_t *(*mca_mq_make_entry_fn_t)(void *arg);

/** Visitor of queued entries. Must not call into the module. */
typedef void (*mca_mq_visit_fn_t)(mca_mq_entry_t *entry, void *arg);

/**
 * A message arrives: take the oldest posted receive that matches envelope out
 * of its queue and return it. If there is none, call make and queue what it
 * returns as unexpected; return NULL. This is one call, so that a component
 * computes the place (hash, slot) once.
 */
typedef mca_mq_entry_t *(*mca_mq_module_arrive_fn_t)(
    mca_mq_base_module_t *module, const mca_mq_envelope_t *envelope,
    mca_mq_make_entry_fn_t make, void *arg);

/**
 * A receive is posted: take the oldest unexpected message that matches
 * entry->envelope out of its queue and return it (entry is not queued then).
 * If there is none, queue entry as posted and return NULL.
 */
typedef mca_mq_entry_t *(*mca_mq_module_post_fn_t)(mca_mq_base_module_t *module,
                                                   mca_mq_entry_t *entry);

/** The search in arrive or post: take the oldest match out of its queue and
 * return it, or return NULL and change nothing. */
typedef mca_mq_entry_t *(*mca_mq_module_match_fn_t)(
    mca_mq_base_module_t *module, const mca_mq_envelope_t *envelope);

/** The insertion in arrive or post: queue entry, whose order number is larger
 * than those of all entries in that queue. It cannot fail: a component that
 * cannot allocate the memory it needs keeps the entry in a slower structure. */
typedef void (*mca_mq_module_insert_fn_t)(mca_mq_base_module_t *module,
                                          mca_mq_entry_t *entry);

/** Remove entry from this queue, in which it is. */
typedef void (*mca_mq_module_withdraw_fn_t)(mca_mq_base_module_t *module,
                                            mca_mq_entry_t *entry);

/** Call visit once for every entry of a queue, in any order. See
 * mca_mq_base_visit for order of age. */
typedef void (*mca_mq_module_each_fn_t)(mca_mq_base_module_t *module,
                                        mca_mq_queue_t queue,
                                        mca_mq_visit_fn_t visit, void *arg);

/** Bytes allocated by the module, including itself, without entries. */
typedef size_t (*mca_mq_module_footprint_fn_t)(
    const mca_mq_base_module_t *module);

/** Free the module. Entries that are still queued are forgotten. */
typedef void (*mca_mq_module_destroy_fn_t)(mca_mq_base_module_t *module);

/** One matching domain, served by one component. */
struct mca_mq_base_module_t {
    mca_mq_module_arrive_fn_t mq_arrive;
    mca_mq_module_post_fn_t mq_post;
    mca_mq_module_match_fn_t mq_match_posted;     /**< searched for by an
                                                       arrival */
    mca_mq_module_match_fn_t mq_match_unexpected; /**< searched for by a
                                                       receive */
    mca_mq_module_insert_fn_t mq_insert_posted;
    mca_mq_module_insert_fn_t mq_insert_unexpected;
    /** Like mq_match_unexpected, but the message stays queued. */
    mca_mq_module_match_fn_t mq_probe;
    mca_mq_module_withdraw_fn_t mq_withdraw_posted;
    mca_mq_module_withdraw_fn_t mq_withdraw_unexpected;
    mca_mq_module_each_fn_t mq_each;
    mca_mq_module_footprint_fn_t mq_footprint;
    mca_mq_module_destroy_fn_t mq_destroy;
    const mca_mq_base_component_t *mq_component;
    mca_mq_stats_t *mq_stats; /**< NULL when nothing is counted */
};

/**
 * Can this component serve such a domain?
 *
 * @param[in] info  description of the domain
 * @param[out] why  if not: the reason, static text
 *
 * @return true if create will succeed, memory permitting
 */
typedef bool (*mca_mq_base_component_query_fn_t)(
    const mca_mq_domain_info_t *info, const char **why);

/**
 * Make an empty domain.
 *
 * @return OMPI_SUCCESS, or OMPI_ERR_OUT_OF_RESOURCE (then *module is NULL)
 */
typedef int (*mca_mq_base_component_create_fn_t)(
    const mca_mq_domain_info_t *info, mca_mq_base_module_t **module);

/** Bits of mqm_flags. */
enum {
    /** Cannot hold a receive with a wildcard, other than internal ones from any
     * source. Its query declines domains that are not MCA_MQ_ASSERT_EXACT. */
    MCA_MQ_COMPONENT_EXACT_ONLY = 1,
    /** Its modules depend on the promises: when a domain becomes, or ceases to
     * be, MCA_MQ_ASSERT_EXACT, it gets a new module. */
    MCA_MQ_COMPONENT_USES_EXACT = 2
};

/** A component of the framework. Its symbol is mca_mq_<name>_component. */
struct mca_mq_base_component_t {
    mca_base_component_t mqm_version;
    mca_base_component_data_t mqm_data;
    uint32_t mqm_abi;   /**< MCA_MQ_ABI */
    uint32_t mqm_flags; /**< MCA_MQ_COMPONENT_* bits */
    /** 0 to 100; the highest serves when the user named no component. Bands: 0
     * last resort, 10 to 39 special purpose, 40 to 69 general, 70 and up the
     * default. */
    int mqm_priority;
    mca_mq_base_component_query_fn_t mqm_query; /**< NULL: serves all domains */
    mca_mq_base_component_create_fn_t mqm_create;
};

/** First member initialisers of mqm_version. */
#define MCA_MQ_BASE_VERSION_1_0_0 OMPI_MCA_BASE_VERSION_2_1_0("mq", 1, 0, 0)

/** Did the user promise to use neither wildcard? */
static inline bool mca_mq_is_exact(uint32_t assertions)
{
    return MCA_MQ_ASSERT_EXACT == (assertions & MCA_MQ_ASSERT_EXACT);
}

/** Does a receive's envelope (wildcards allowed) match a message's? */
static inline bool mca_mq_matches(const mca_mq_envelope_t *receive,
                                  const mca_mq_envelope_t *message)
{
    return receive->context == message->context &&
           (receive->source == message->source ||
            receive->source == MCA_MQ_ANY_SOURCE) &&
           (receive->tag == message->tag ||
            (receive->tag == MCA_MQ_ANY_TAG && message->tag >= 0));
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_H */
