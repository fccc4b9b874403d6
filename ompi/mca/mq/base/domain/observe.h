/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Observers of the operations in matching domains, whichever component serves
 * them: for profiles, traces and statistics.
 *
 *     domain ---> observed module ---> inner domain ---> the component's module
 *                       |
 *                       v
 *                 observers (profile, trace)
 *
 * When at least one observer is installed, each new domain gets a module in
 * front of the component's that forwards every operation and then notifies the
 * observers. Without observers there is no such module, so they cost nothing.
 * Migration, also by the component itself, happens in the inner domain; the
 * outer domain keeps its module. An observer can also be added to a domain in
 * use, which takes one migration.
 */

#ifndef OMPI_MCA_MQ_BASE_OBSERVE_H
#define OMPI_MCA_MQ_BASE_OBSERVE_H

#include "ompi/mca/mq/base/domain/domain.h"

BEGIN_C_DECLS

/** Operations of a module, as observers see them. */
typedef enum {
    MCA_MQ_BASE_ARRIVE,
    MCA_MQ_BASE_POST,
    MCA_MQ_BASE_MATCH_POSTED,
    MCA_MQ_BASE_MATCH_UNEXPECTED,
    MCA_MQ_BASE_PROBE,
    MCA_MQ_BASE_INSERT_POSTED,
    MCA_MQ_BASE_INSERT_UNEXPECTED,
    MCA_MQ_BASE_WITHDRAW_POSTED,
    MCA_MQ_BASE_WITHDRAW_UNEXPECTED,
    MCA_MQ_BASE_OPERATIONS
} mca_mq_base_operation_t;

/** The effect of an operation on the queues. */
typedef struct mca_mq_base_effect_t {
    mca_mq_queue_t from; /**< the queue that it searches or removes from */
    mca_mq_queue_t to;   /**< the queue to which it may add */
    bool searches;
    bool removes; /**< what it finds, or is given, leaves the queue */
    bool receive; /**< its envelope is that of a receive */
} mca_mq_base_effect_t;

/** By operation. */
OMPI_DECLSPEC extern const mca_mq_base_effect_t
    mca_mq_base_effects[MCA_MQ_BASE_OPERATIONS];

/** One completed operation. */
typedef struct mca_mq_base_event_t {
    mca_mq_base_operation_t operation;
    mca_mq_envelope_t envelope; /**< of what was searched for, inserted or
                                     withdrawn */
    /** The entry that was found (and removed, unless by a probe) or withdrawn;
     * or NULL. The caller owns it again; it is still valid. */
    const mca_mq_entry_t *found;
    const mca_mq_entry_t *queued; /**< the entry that was queued, or NULL */
    uint64_t traversed;           /**< entries compared by the search */
    const void *arg;              /**< the argument of an arrival; or NULL */
} mca_mq_base_event_t;

/** Is it of a message or receive of collective operations or of Open MPI itself?
 * MPI_ANY_TAG is negative, too, but the user's. */
static inline bool mca_mq_base_is_internal(const mca_mq_envelope_t *envelope)
{
    return envelope->tag < 0 && MCA_MQ_ANY_TAG != envelope->tag;
}

/** Was it a probe, matched or not, of the user? */
static inline bool mca_mq_base_is_probe(const mca_mq_base_event_t *event)
{
    return !mca_mq_base_is_internal(&event->envelope) &&
           (MCA_MQ_BASE_PROBE == event->operation ||
            MCA_MQ_BASE_MATCH_UNEXPECTED == event->operation);
}

/** Was nothing found or queued? Then the message was dropped, or is incomplete
 * and will arrive again. */
static inline bool mca_mq_base_is_nothing(const mca_mq_base_event_t *event)
{
    return MCA_MQ_BASE_ARRIVE == event->operation && NULL == event->found &&
           NULL == event->queued;
}

/** Classes of the lengths of messages: up to 64 bytes, 1 KiB, 16 KiB, 256 KiB,
 * and larger ones. */
#define MCA_MQ_BASE_SIZE_CLASSES 5

static inline unsigned mca_mq_base_size_class(uint64_t length)
{
    static const uint64_t most[] = {64, 1 << 10, 16 << 10, 256 << 10};
    unsigned i = 0;

    while (i < MCA_MQ_BASE_SIZE_CLASSES - 1 && length > most[i]) {
        ++i;
    }
    return i;
}

/** An observer. Its functions run under the caller's lock. */
typedef struct mca_mq_base_observer_t {
    /** A domain is made. Returns the observer's state for it, or NULL to ignore
     * the domain. The info is valid until end is called. */
    void *(*begin)(const mca_mq_domain_info_t *info);
    /** An operation was completed in the domain. */
    void (*event)(void *state, const mca_mq_base_event_t *event);
    /** The domain is freed; entries may still be queued in it. */
    void (*end)(void *state);
    /** Observes only domains for which mca_mq_base_domain_observe was
     * called. */
    bool on_demand;
} mca_mq_base_observer_t;

/** Most observers at a time. */
#define MCA_MQ_BASE_OBSERVERS_MAX 4

/**
 * Install an observer for all domains made from now on. It is removed when the
 * framework is closed.
 *
 * @param[in] observer  static
 */
OMPI_DECLSPEC void mca_mq_base_observer_add(
    const mca_mq_base_observer_t *observer);

/**
 * Add an observer to a domain that is in use. No effect if it observes the
 * domain already. Its begin function is called before this returns.
 *
 * @param[in] observer  static; on demand, or installed
 *
 * @return OMPI_SUCCESS; or OMPI_ERR_OUT_OF_RESOURCE, then nothing has changed
 */
OMPI_DECLSPEC int mca_mq_base_domain_observe(
    mca_mq_base_domain_t *domain, const mca_mq_base_observer_t *observer);

/** Remove an observer, if it is installed. No domain may be in use. */
OMPI_DECLSPEC void mca_mq_base_observer_remove(
    const mca_mq_base_observer_t *observer);

/* ---- For the base ---- */

/** Is an observer installed? */
bool mca_mq_base_is_observed(void);

/** Remove all observers. No domain may be in use. */
void mca_mq_base_observers_remove(void);

/** Make the module of a domain, with the observers in front of it. */
int mca_mq_base_observe(mca_mq_base_domain_t *domain);

/** The inner domain, which migrates; the domain itself if it is not
 * observed. */
mca_mq_base_domain_t *mca_mq_base_inner_domain(
    const mca_mq_base_domain_t *domain);

/** Update a domain after a change of its inner domain. */
void mca_mq_base_inner_changed(mca_mq_base_domain_t *domain);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_OBSERVE_H */
