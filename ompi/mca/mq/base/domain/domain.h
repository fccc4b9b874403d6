/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Matching domains: what their users do with them.
 */

#ifndef OMPI_MCA_MQ_BASE_DOMAIN_DOMAIN_H
#define OMPI_MCA_MQ_BASE_DOMAIN_DOMAIN_H

#include "ompi_config.h"

#include <assert.h>
#include <stdbool.h>

#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

/** A matching domain: a module, and the clock its entries are stamped by. It
 * must not move: its module may know where it is. */
typedef struct mca_mq_base_domain_t {
    mca_mq_base_module_t *module;
    uint64_t next_order;
    mca_mq_domain_info_t info;
    uint32_t migrations; /**< how often the component was replaced */
    uint32_t users;      /**< see mca_mq_base_domain_share */
    /** Component, and values of its parameters, that the user wants for this
     * domain; NULL: what is wanted for all. See mca_mq_base_domain_prefer. */
    char *choice;
    /** What is in front of the module; NULL: nothing, the usual case. */
    struct mca_mq_base_observed_t *observed;
    /** What a component that decides by itself decided last, and why; or
     * nothing. See mca_mq_base_domain_remark. */
    char remark[160];
    bool busy; /**< an operation is under way; known only with assertions */
} mca_mq_base_domain_t;

/**
 * Choose a component for a domain and make its module.
 *
 * @param[out] domain  to be initialised, owned by the caller
 * @param[in]  info    what it is wanted for; copied. Assertions of all domains
 *                     are added.
 *
 * @return OMPI_SUCCESS, or OMPI_ERR_OUT_OF_RESOURCE
 */
OMPI_DECLSPEC int mca_mq_base_domain_init(mca_mq_base_domain_t *domain,
                                          const mca_mq_domain_info_t *info);

/** Free the module. The caller has purged both queues before, or forgets
 * what is in them. */
OMPI_DECLSPEC void mca_mq_base_domain_fini(mca_mq_base_domain_t *domain);

/**
 * The domain that all communicators of the process share: made by the first
 * call, for info; a later call for a larger communicator makes it larger, for
 * one with fewer assertions weaker. It is given back with
 * mca_mq_base_domain_unshare, after the communicator's context was purged.
 *
 * @return the domain, or NULL if memory ran out
 */
OMPI_DECLSPEC mca_mq_base_domain_t *mca_mq_base_domain_share(
    const mca_mq_domain_info_t *info);

/** Give a shared domain back. The last user's call frees it. */
OMPI_DECLSPEC void mca_mq_base_domain_unshare(mca_mq_base_domain_t *domain);

/**
 * Live migration: give a domain with all that is queued in it to another
 * component. Order numbers and figures stay. Either all of it is done, or
 * nothing has changed. The old module is freed: a module that calls this for
 * its own domain returns from its operation without touching itself again.
 *
 * @return OMPI_SUCCESS, also if the component serves the domain already;
 *         OMPI_ERR_NOT_SUPPORTED if it declines, or if a receive with a
 *         wildcard is queued that it cannot hold (then *why, if why is not
 *         NULL, is static text that says so); OMPI_ERR_OUT_OF_RESOURCE
 */
OMPI_DECLSPEC int mca_mq_base_domain_migrate(
    mca_mq_base_domain_t *domain, const mca_mq_base_component_t *component,
    const char **why);

/**
 * Give a domain with all that is queued in it a new module of the component
 * that serves it: for a component whose modules differ, under the same terms
 * as mca_mq_base_domain_migrate.
 *
 * @param[in] domain  that of the module's mca_mq_domain_info_t
 *
 * @return OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE
 */
OMPI_DECLSPEC int mca_mq_base_domain_renew(mca_mq_base_domain_t *domain);

/**
 * Give a domain the component, and the values of its parameters, that its user
 * wants. One live migration, also to the same component with other values.
 *
 * @param[in]  choice  NAME or NAME:PARAMETER=VALUE[,PARAMETER=VALUE...], names
 *                     of parameters without the prefix mq_NAME_; NULL: back to
 *                     what is wanted for all domains. Copied.
 * @param[out] why     if not OMPI_SUCCESS: why, in a buffer of size bytes
 *
 * @return OMPI_SUCCESS; OMPI_ERR_BAD_PARAM if there is no such component,
 *         parameter or value; else as mca_mq_base_domain_migrate. If not
 *         OMPI_SUCCESS, nothing has changed.
 */
OMPI_DECLSPEC int mca_mq_base_domain_prefer(mca_mq_base_domain_t *domain,
                                            const char *choice, char *why,
                                            size_t size);

/**
 * The user changed the promises for a domain: choose its component again, and
 * migrate if another one is preferred now. The component in charge stays if
 * the better one cannot take over.
 *
 * @param[in] assertions  MCA_MQ_ASSERT_* bits; those of all domains are added
 *
 * @return OMPI_SUCCESS, or OMPI_ERR_OUT_OF_RESOURCE if the one in charge
 *         cannot stay and no other could take over; then nothing has changed
 */
OMPI_DECLSPEC int mca_mq_base_domain_assert(mca_mq_base_domain_t *domain,
                                            uint32_t assertions);

/** The choice in force that mca_mq_base_domain_prefer made, or NULL; valid
 * until the next one. */
OMPI_DECLSPEC const char *mca_mq_base_domain_choice(
    const mca_mq_base_domain_t *domain);

/** Name of the component that runs the domain; static text. */
static inline const char *mca_mq_base_domain_name(
    const mca_mq_base_domain_t *domain)
{
    return domain->module->mq_component->mqm_version.mca_component_name;
}

/** What the component decided last for this domain, when and why: one line for
 * statistics, "" if it never decided anything. */
OMPI_DECLSPEC const char *mca_mq_base_domain_remark(
    const mca_mq_base_domain_t *domain);

/** Give an entry its age, just before it is inserted. */
static inline void mca_mq_base_stamp(mca_mq_base_domain_t *domain,
                                     mca_mq_entry_t *entry)
{
    entry->order = domain->next_order++;
}

/*
 * The operations of a domain. Users call these and not the module's own, so
 * that with assertions (configure --enable-debug) they are held to the
 * contract: no two operations of a domain run at the same time, be it in
 * another thread or in a callback of the first.
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

/** Look for an unexpected message, and leave it where it is. See mq_probe. */
static inline mca_mq_entry_t *mca_mq_base_probe(
    mca_mq_base_domain_t *domain, const mca_mq_envelope_t *envelope)
{
    mca_mq_entry_t *found;

    MCA_MQ_BASE_BUSY(domain, true);
    found = domain->module->mq_probe(domain->module, envelope);
    MCA_MQ_BASE_BUSY(domain, false);
    return found;
}

/** Take an unexpected message out of its queue. See mq_match_unexpected. */
static inline mca_mq_entry_t *mca_mq_base_match_unexpected(
    mca_mq_base_domain_t *domain, const mca_mq_envelope_t *envelope)
{
    mca_mq_entry_t *found;

    MCA_MQ_BASE_BUSY(domain, true);
    found = domain->module->mq_match_unexpected(domain->module, envelope);
    MCA_MQ_BASE_BUSY(domain, false);
    return found;
}

/** Queue a receive that has an age and matches nothing queued; it is younger
 * than all that are. See mq_insert_posted. */
static inline void mca_mq_base_insert_posted(mca_mq_base_domain_t *domain,
                                             mca_mq_entry_t *entry)
{
    MCA_MQ_BASE_BUSY(domain, true);
    assert(entry->order < domain->next_order);
    domain->module->mq_insert_posted(domain->module, entry);
    MCA_MQ_BASE_BUSY(domain, false);
}

/** Queue a message that has an age and matches no receive; it is younger than
 * all that are queued. See mq_insert_unexpected. */
static inline void mca_mq_base_insert_unexpected(mca_mq_base_domain_t *domain,
                                                 mca_mq_entry_t *entry)
{
    MCA_MQ_BASE_BUSY(domain, true);
    assert(entry->order < domain->next_order);
    domain->module->mq_insert_unexpected(domain->module, entry);
    MCA_MQ_BASE_BUSY(domain, false);
}

/** Take a receive, which is queued, out of its queue. */
static inline void mca_mq_base_withdraw_posted(mca_mq_base_domain_t *domain,
                                               mca_mq_entry_t *entry)
{
    MCA_MQ_BASE_BUSY(domain, true);
    assert(entry->order < domain->next_order);
    domain->module->mq_withdraw_posted(domain->module, entry);
    MCA_MQ_BASE_BUSY(domain, false);
}

/** Take a message, which is queued, out of its queue. */
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
