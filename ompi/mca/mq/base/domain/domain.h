/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Matching domains: the interface for their users.
 */

#ifndef OMPI_MCA_MQ_BASE_DOMAIN_DOMAIN_H
#define OMPI_MCA_MQ_BASE_DOMAIN_DOMAIN_H

#include "ompi_config.h"

#include <assert.h>
#include <stdbool.h>

#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

/** A matching domain: a module, and the counter that stamps its entries. It
 * must not move, because its module may hold its address. */
typedef struct mca_mq_base_domain_t {
    mca_mq_base_module_t *module;
    uint64_t next_order;
    mca_mq_domain_info_t info;
    uint32_t migrations; /**< how often the component was replaced */
    uint32_t users;      /**< see mca_mq_base_domain_share */
    /** Component and parameters that the user has chosen for this domain; NULL:
     * the choice for all domains. See mca_mq_base_domain_prefer. */
    char *choice;
    /** Observers in front of the module; usually NULL. */
    struct mca_mq_base_observed_t *observed;
    /** Last decision of a component that decides by itself, and its reason; or
     * empty. See mca_mq_base_domain_remark. */
    char remark[160];
    bool busy; /**< an operation is in progress; kept only with assertions */
} mca_mq_base_domain_t;

/**
 * Choose a component for a domain and make its module.
 *
 * @param[out] domain  owned by the caller
 * @param[in] info  description of the domain; copied. The assertions for all
 *                     domains are added.
 *
 * @return OMPI_SUCCESS, or OMPI_ERR_OUT_OF_RESOURCE
 */
OMPI_DECLSPEC int mca_mq_base_domain_init(mca_mq_base_domain_t *domain,
                                          const mca_mq_domain_info_t *info);

/** Free the module. Entries that the caller has not purged are forgotten. */
OMPI_DECLSPEC void mca_mq_base_domain_fini(mca_mq_base_domain_t *domain);

/**
 * Get the domain that all communicators of the process share. The first call
 * makes it, for info; later calls adapt it to larger communicators and to those
 * with fewer assertions. Return it with mca_mq_base_domain_unshare after
 * purging the communicator's context.
 *
 * @return the domain, or NULL if out of memory
 */
OMPI_DECLSPEC mca_mq_base_domain_t *mca_mq_base_domain_share(
    const mca_mq_domain_info_t *info);

/** Return a shared domain. The last user's call frees it. */
OMPI_DECLSPEC void mca_mq_base_domain_unshare(mca_mq_base_domain_t *domain);

/**
 * Live migration: move a domain with all queued entries to another component.
 * Order numbers and statistics are kept. On failure nothing has changed. The
 * old module is freed: a module that calls this for its own domain must return
 * from its operation without touching itself again.
 *
 * @return OMPI_SUCCESS, also if the component already serves the domain;
 *         OMPI_ERR_NOT_SUPPORTED if it declines, or cannot hold a queued
 *         receive with a wildcard (then *why, if why is not NULL, is the
 *         reason, static text); OMPI_ERR_OUT_OF_RESOURCE
 */
OMPI_DECLSPEC int mca_mq_base_domain_migrate(
    mca_mq_base_domain_t *domain, const mca_mq_base_component_t *component,
    const char **why);

/** Called when another component has taken over a domain, with the number of
 * entries that have moved; from inside an operation of the domain, perhaps.
 * NULL: no such function. */
OMPI_DECLSPEC extern void (*mca_mq_base_migrated)(
    const mca_mq_domain_info_t *info, const mca_mq_base_component_t *from,
    const mca_mq_base_component_t *to, size_t entries);

/**
 * Move a domain with all queued entries to a new module of its present
 * component, for components with several kinds of modules. As with
 * mca_mq_base_domain_migrate, the old module is freed, and on failure nothing
 * has changed.
 *
 * @param[in] domain  the one in the module's mca_mq_domain_info_t
 *
 * @return OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE
 */
OMPI_DECLSPEC int mca_mq_base_domain_renew(mca_mq_base_domain_t *domain);

/**
 * Choose a component, and values of its parameters, for one domain. Takes one
 * live migration, also from a component to itself with other values.
 *
 * @param[in] choice  NAME or NAME:PARAMETER=VALUE[,PARAMETER=VALUE...], names
 *                     of parameters without the prefix mq_NAME_; NULL: back to
 *                     the choice for all domains. Copied.
 * @param[out] why  if not OMPI_SUCCESS: the reason, in a buffer of size bytes
 *
 * @return OMPI_SUCCESS; OMPI_ERR_BAD_PARAM if there is no such component,
 *         parameter or value; or an error of mca_mq_base_domain_migrate. On
 *         failure nothing has changed.
 */
OMPI_DECLSPEC int mca_mq_base_domain_prefer(mca_mq_base_domain_t *domain,
                                            const char *choice, char *why,
                                            size_t size);

/**
 * The user changed the promises for a domain: choose its component again, and
 * migrate if another one is preferred now. The present component stays if the
 * preferred one cannot take over.
 *
 * @param[in] assertions  MCA_MQ_ASSERT_* bits; those for all domains are added
 *
 * @return OMPI_SUCCESS, or OMPI_ERR_OUT_OF_RESOURCE if the present component
 *         cannot stay and no other could take over; then nothing has changed
 */
OMPI_DECLSPEC int mca_mq_base_domain_assert(mca_mq_base_domain_t *domain,
                                            uint32_t assertions);

/** The choice made by mca_mq_base_domain_prefer, or NULL; valid until the next
 * one. */
OMPI_DECLSPEC const char *mca_mq_base_domain_choice(
    const mca_mq_base_domain_t *domain);

/** Name of the component that serves the domain; static text. */
static inline const char *mca_mq_base_domain_name(
    const mca_mq_base_domain_t *domain)
{
    return domain->module->mq_component->mqm_version.mca_component_name;
}

/** The component's last decision for this domain, when and why: one line for
 * statistics, "" if there was none. */
OMPI_DECLSPEC const char *mca_mq_base_domain_remark(
    const mca_mq_base_domain_t *domain);

/** Give an entry its order number, just before it is inserted. */
static inline void mca_mq_base_stamp(mca_mq_base_domain_t *domain,
                                     mca_mq_entry_t *entry)
{
    entry->order = domain->next_order++;
}

/*
 * The operations of a domain. Users call these instead of the module's own, so
 * that with assertions (configure --enable-debug) the contract is checked: no
 * two operations of a domain at the same time, neither in two threads nor in a
 * callback of one of them.
 */
#if defined(NDEBUG)
#define MCA_MQ_BASE_BUSY(domain, value)
#else
#define MCA_MQ_BASE_BUSY(domain, value)                                        \
    (assert((value) != (domain)->busy), (domain)->busy = (value))
#endif

/** Post a receive: stamp it, then match or queue it. See mq_post. */
static inline mca_mq_entry_t *mca_mq_base_post(mca_mq_base_domain_t *domain,
                                               mca_mq_entry_t *receive)
{
    mca_mq_entry_t *found;

    MCA_MQ_BASE_BUSY(domain, true);
    receive->order = domain->next_order++;
    found = domain->module->mq_post(domain->module, receive);
    MCA_MQ_BASE_BUSY(domain, false);
    return found;
}

/** A message arrives. See mq_arrive; make stamps the entry with
 * mca_mq_base_stamp. */
static inline mca_mq_entry_t *mca_mq_base_arrive(
    mca_mq_base_domain_t *domain, const mca_mq_envelope_t *envelope,
    mca_mq_make_entry_fn_t make, void *arg)
{
    mca_mq_entry_t *found;

    MCA_MQ_BASE_BUSY(domain, true);
    found = domain->module->mq_arrive(domain->module, envelope, make, arg);
    MCA_MQ_BASE_BUSY(domain, false);
    return found;
}

/** Look for an unexpected message without removing it. See mq_probe. */
static inline mca_mq_entry_t *mca_mq_base_probe(
    mca_mq_base_domain_t *domain, const mca_mq_envelope_t *envelope)
{
    mca_mq_entry_t *found;

    MCA_MQ_BASE_BUSY(domain, true);
    found = domain->module->mq_probe(domain->module, envelope);
    MCA_MQ_BASE_BUSY(domain, false);
    return found;
}

/** Match and remove an unexpected message. See mq_match_unexpected. */
static inline mca_mq_entry_t *mca_mq_base_match_unexpected(
    mca_mq_base_domain_t *domain, const mca_mq_envelope_t *envelope)
{
    mca_mq_entry_t *found;

    MCA_MQ_BASE_BUSY(domain, true);
    found = domain->module->mq_match_unexpected(domain->module, envelope);
    MCA_MQ_BASE_BUSY(domain, false);
    return found;
}

/** Queue a receive that is stamped, matches no queued message, and is younger
 * than all queued receives. See mq_insert_posted. */
static inline void mca_mq_base_insert_posted(mca_mq_base_domain_t *domain,
                                             mca_mq_entry_t *entry)
{
    MCA_MQ_BASE_BUSY(domain, true);
    assert(entry->order < domain->next_order);
    domain->module->mq_insert_posted(domain->module, entry);
    MCA_MQ_BASE_BUSY(domain, false);
}

/** Queue a message that is stamped, matches no receive, and is younger than all
 * queued messages. See mq_insert_unexpected. */
static inline void mca_mq_base_insert_unexpected(mca_mq_base_domain_t *domain,
                                                 mca_mq_entry_t *entry)
{
    MCA_MQ_BASE_BUSY(domain, true);
    assert(entry->order < domain->next_order);
    domain->module->mq_insert_unexpected(domain->module, entry);
    MCA_MQ_BASE_BUSY(domain, false);
}

/** Remove a queued receive. */
static inline void mca_mq_base_withdraw_posted(mca_mq_base_domain_t *domain,
                                               mca_mq_entry_t *entry)
{
    MCA_MQ_BASE_BUSY(domain, true);
    assert(entry->order < domain->next_order);
    domain->module->mq_withdraw_posted(domain->module, entry);
    MCA_MQ_BASE_BUSY(domain, false);
}

/** Remove a queued message. */
static inline void mca_mq_base_withdraw_unexpected(mca_mq_base_domain_t *domain,
                                                   mca_mq_entry_t *entry)
{
    MCA_MQ_BASE_BUSY(domain, true);
    assert(entry->order < domain->next_order);
    domain->module->mq_withdraw_unexpected(domain->module, entry);
    MCA_MQ_BASE_BUSY(domain, false);
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_DOMAIN_DOMAIN_H */
