/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Watching what happens in matching domains, whichever component serves them:
 * for profiles and traces.
 *
 *     domain ---> observed module ---> inner domain ---> the component's module
 *                       |
 *                       v
 *                 observers (profile, trace)
 *
 * When at least one observer is installed, each domain that is made gets a
 * module in front of the component's that passes every operation on and then
 * tells the observers. Without observers there is no such module, and they
 * cost nothing. Migration, also one that the component starts itself, happens
 * in the inner domain; the domain's module stays the same. A domain that is in
 * use can be given an observer too, which takes one migration.
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

/** One operation that has been done. */
typedef struct mca_mq_base_event_t {
    mca_mq_base_operation_t operation;
    mca_mq_envelope_t envelope; /**< searched for, inserted or withdrawn */
    /** Found, and taken out unless it was a probe; or withdrawn; or NULL. Its
     * memory is the caller's again, and still valid. */
    const mca_mq_entry_t *found;
    const mca_mq_entry_t *queued; /**< now queued, or NULL */
    uint64_t traversed;           /**< entries compared by the search */
    const void *arg;              /**< what was given to an arrival; or NULL */
} mca_mq_base_event_t;

/** An observer. Its functions run under the caller's lock. */
typedef struct mca_mq_base_observer_t {
    /** A domain is made. Returns the observer's state for it, or NULL: it is
     * not interested. The domain's info is valid until end is called. */
    void *(*begin)(const mca_mq_domain_info_t *info);
    /** Something was done in the domain. */
    void (*event)(void *state, const mca_mq_base_event_t *event);
    /** The domain is freed; queued entries may be left in it. */
    void (*end)(void *state);
    /** Watches only domains that mca_mq_base_domain_observe gave it. */
    bool on_demand;
} mca_mq_base_observer_t;

/** Most observers at a time. */
#define MCA_MQ_BASE_OBSERVERS_MAX 4

/**
 * Install an observer for all domains made from now on. Removed when the
 * framework is closed.
 *
 * @param[in] observer  static
 */
OMPI_DECLSPEC void mca_mq_base_observer_add(
    const mca_mq_base_observer_t *observer);

/**
 * Let an observer watch a domain that is in use, from now on. Nothing happens
 * if it does already. Its begin function is called before this returns.
 *
 * @param[in] observer  static; on demand, or installed
 *
 * @return OMPI_SUCCESS; OMPI_ERR_OUT_OF_RESOURCE, and nothing has changed
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

/** What an observed domain observes, and what migrates; or the domain itself,
 * if it is not observed. */
mca_mq_base_domain_t *mca_mq_base_inner_domain(
    const mca_mq_base_domain_t *domain);

/** The inner domain may have changed: let the domain look as it does. */
void mca_mq_base_inner_changed(mca_mq_base_domain_t *domain);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_OBSERVE_H */
