/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/domain/inner.h"
#include "ompi/mca/mq/base/kit/visit.h"

void (*mca_mq_base_migrated)(const mca_mq_domain_info_t *info,
                             const mca_mq_base_component_t *from,
                             const mca_mq_base_component_t *to, size_t entries);

typedef struct mq_migration_t {
    mca_mq_base_module_t *to;
    mca_mq_base_collection_t queue[MCA_MQ_QUEUES];
} mq_migration_t;

/* Is there a posted receive that a user with promises would not make? */
static bool has_wildcard(const mca_mq_base_collection_t *posted)
{
    for (size_t i = 0; i < posted->count; ++i) {
        const mca_mq_envelope_t *envelope = &posted->entries[i]->envelope;

        if (MCA_MQ_ANY_TAG == envelope->tag ||
            (MCA_MQ_ANY_SOURCE == envelope->source && envelope->tag >= 0)) {
            return true;
        }
    }
    return false;
}

/* Everything that can fail. */
static int prepare(mq_migration_t *migration, mca_mq_base_module_t *from,
                   const mca_mq_base_component_t *component,
                   const mca_mq_domain_info_t *info, const char **why)
{
    int ret;

    for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
        ret = mca_mq_base_collect(from, i, NULL, &migration->queue[i]);
        if (OMPI_SUCCESS != ret) {
            return ret;
        }
    }
    if ((component->mqm_flags & MCA_MQ_COMPONENT_EXACT_ONLY) &&
        has_wildcard(&migration->queue[MCA_MQ_POSTED])) {
        *why = "a receive with a wildcard is posted";
        return OMPI_ERR_NOT_SUPPORTED;
    }
    return mca_mq_base_create(component, info, "by migration", &migration->to);
}

static void move(mq_migration_t *migration)
{
    mca_mq_base_collection_t *queue = migration->queue;
    mca_mq_base_module_t *to = migration->to;
    mca_mq_stats_t before;

    /* Migration does not count as insertions. */
    if (NULL != to->mq_stats) {
        before = *to->mq_stats;
    }
    for (size_t i = 0; i < queue[MCA_MQ_POSTED].count; ++i) {
        to->mq_insert_posted(to, queue[MCA_MQ_POSTED].entries[i]);
    }
    for (size_t i = 0; i < queue[MCA_MQ_UNEXPECTED].count; ++i) {
        to->mq_insert_unexpected(to, queue[MCA_MQ_UNEXPECTED].entries[i]);
    }
    if (NULL != to->mq_stats) {
        *to->mq_stats = before;
    }
}

static void tell(const mca_mq_base_domain_t *domain,
                 const mca_mq_base_component_t *from,
                 const mq_migration_t *migration)
{
    if (NULL != mca_mq_base_migrated) {
        mca_mq_base_migrated(&domain->info, from, migration->to->mq_component,
                             migration->queue[MCA_MQ_POSTED].count +
                                 migration->queue[MCA_MQ_UNEXPECTED].count);
    }
}

int mca_mq_base_replace(mca_mq_base_domain_t *domain,
                        const mca_mq_base_component_t *component,
                        const char **why)
{
    mca_mq_base_module_t *from = domain->module;
    mq_migration_t migration = {.to = NULL};
    int ret;

    ret = prepare(&migration, from, component, &domain->info, why);
    if (OMPI_SUCCESS == ret) {
        move(&migration);
        domain->module = migration.to;
        if (component != from->mq_component) {
            domain->remark[0] = '\0';
            tell(domain, from->mq_component, &migration);
        }
        from->mq_destroy(from);
    }
    free(migration.queue[MCA_MQ_POSTED].entries);
    free(migration.queue[MCA_MQ_UNEXPECTED].entries);
    return ret;
}

int mca_mq_base_hand_over(mca_mq_base_domain_t *domain,
                          const mca_mq_base_component_t *component,
                          const char **why)
{
    const char *reason = NULL;
    int ret;

    if (component == domain->module->mq_component) {
        return OMPI_SUCCESS;
    }
    if (!mca_mq_base_can_serve(component, &domain->info, &reason)) {
        ret = OMPI_ERR_NOT_SUPPORTED;
    } else {
        ret = mca_mq_base_replace(domain, component, &reason);
    }
    if (OMPI_SUCCESS == ret) {
        ++domain->migrations;
    } else if (NULL != why) {
        *why = reason;
    }
    return ret;
}

int mca_mq_base_domain_renew(mca_mq_base_domain_t *domain)
{
    const char *why;
    int ret = mca_mq_base_replace(domain, domain->module->mq_component, &why);

    if (OMPI_SUCCESS == ret) {
        ++domain->migrations;
    }
    return ret;
}
