/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Replaces mq: a module with two lists, in order of age.
 */

#ifndef TEST_PML_MQ_H
#define TEST_PML_MQ_H

#include "ompi/mca/mq/base/base.h"

typedef struct pml_mq_t {
    mca_mq_base_module_t super;
    mca_mq_entry_t *first[2]; /* by mca_mq_queue_t */
} pml_mq_t;

static inline pml_mq_t *pml_mq(mca_mq_base_module_t *module)
{
    return (pml_mq_t *) module;
}

static inline mca_mq_entry_t **pml_mq_end(pml_mq_t *mq, mca_mq_queue_t queue)
{
    mca_mq_entry_t **at = &mq->first[queue];

    while (NULL != *at) {
        at = (mca_mq_entry_t **) &(*at)->link[0];
    }
    return at;
}

static inline void pml_mq_append(pml_mq_t *mq, mca_mq_queue_t queue,
                                 mca_mq_entry_t *entry)
{
    entry->link[0] = NULL;
    *pml_mq_end(mq, queue) = entry;
}

/* Where the oldest posted receive is that a message matches. */
static inline mca_mq_entry_t **pml_mq_receive_for(
    pml_mq_t *mq, const mca_mq_envelope_t *message)
{
    mca_mq_entry_t **at = &mq->first[MCA_MQ_POSTED];

    while (NULL != *at && !mca_mq_matches(&(*at)->envelope, message)) {
        at = (mca_mq_entry_t **) &(*at)->link[0];
    }
    return at;
}

/* Where the oldest message is that matches a receive. */
static inline mca_mq_entry_t **pml_mq_message_for(
    pml_mq_t *mq, const mca_mq_envelope_t *receive)
{
    mca_mq_entry_t **at = &mq->first[MCA_MQ_UNEXPECTED];

    while (NULL != *at && !mca_mq_matches(receive, &(*at)->envelope)) {
        at = (mca_mq_entry_t **) &(*at)->link[0];
    }
    return at;
}

/* Take out what is at a place. */
static inline mca_mq_entry_t *pml_mq_take(mca_mq_entry_t **at)
{
    mca_mq_entry_t *entry = *at;

    if (NULL != entry) {
        *at = entry->link[0];
    }
    return entry;
}

static inline mca_mq_entry_t *pml_mq_arrive(mca_mq_base_module_t *module,
                                            const mca_mq_envelope_t *envelope,
                                            mca_mq_make_entry_fn_t make,
                                            void *arg)
{
    mca_mq_entry_t *found =
        pml_mq_take(pml_mq_receive_for(pml_mq(module), envelope));

    if (NULL == found) {
        mca_mq_entry_t *made = make(arg);

        if (NULL != made) {
            pml_mq_append(pml_mq(module), MCA_MQ_UNEXPECTED, made);
        }
    }
    return found;
}

static inline mca_mq_entry_t *pml_mq_probe(mca_mq_base_module_t *module,
                                           const mca_mq_envelope_t *envelope)
{
    return *pml_mq_message_for(pml_mq(module), envelope);
}

static inline void pml_mq_withdraw_unexpected(mca_mq_base_module_t *module,
                                              mca_mq_entry_t *entry)
{
    mca_mq_entry_t **at = &pml_mq(module)->first[MCA_MQ_UNEXPECTED];

    while (*at != entry) {
        at = (mca_mq_entry_t **) &(*at)->link[0];
    }
    (void) pml_mq_take(at);
}

static inline void pml_mq_each(mca_mq_base_module_t *module,
                               mca_mq_queue_t queue, mca_mq_visit_fn_t visit,
                               void *arg)
{
    for (mca_mq_entry_t *entry = pml_mq(module)->first[queue]; NULL != entry;
         entry = entry->link[0]) {
        visit(entry, arg);
    }
}

static inline size_t pml_mq_footprint(const mca_mq_base_module_t *module)
{
    return 4096;
}

static const mca_mq_base_module_t pml_mq_module = {
    .mq_arrive = pml_mq_arrive,
    .mq_probe = pml_mq_probe,
    .mq_withdraw_unexpected = pml_mq_withdraw_unexpected,
    .mq_each = pml_mq_each,
    .mq_footprint = pml_mq_footprint,
};

/* The module of a domain, empty. */
static inline void pml_mq_init(pml_mq_t *mq, mca_mq_base_domain_t *domain,
                               uint32_t assertions)
{
    *mq = (pml_mq_t){.super = pml_mq_module};
    *domain = (mca_mq_base_domain_t){
        .module = &mq->super,
        .info.assertions = assertions,
    };
}

#endif /* TEST_PML_MQ_H */
