/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One domain for all communicators of the process.
 */

#include "ompi_config.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/base/domain/inner.h"
#include "ompi/mca/mq/base/domain/observe.h"
#include "ompi/mca/mq/base/param/own.h"

/* The single domain of mq_base_scope=process, while it has users. */
static mca_mq_base_domain_t shared;

/* Make a domain serve more ranks, with its present component. */
static int resize(mca_mq_base_domain_t *domain, uint32_t size)
{
    mca_mq_base_domain_t *inner = mca_mq_base_inner_domain(domain);
    uint32_t before = inner->info.size;
    const char *why;
    int ret;

    inner->info.size = size;
    ret = mca_mq_base_replace(inner, inner->module->mq_component, &why);
    if (OMPI_SUCCESS != ret) {
        inner->info.size = before;
    }
    mca_mq_base_inner_changed(domain);
    return ret;
}

/* Adapt the shared domain to one more communicator. */
static int widen(const mca_mq_domain_info_t *info)
{
    uint32_t promised = shared.info.assertions;
    uint32_t common = promised & (info->assertions | mca_mq_base_assertions);
    int ret = OMPI_SUCCESS;

    if (info->size > shared.info.size) {
        ret = resize(&shared, info->size);
    }
    if (OMPI_SUCCESS == ret && common != promised) {
        ret = mca_mq_base_domain_assert(&shared, common);
    }
    return ret;
}

mca_mq_base_domain_t *mca_mq_base_domain_share(const mca_mq_domain_info_t *info)
{
    mca_mq_domain_info_t many = *info;
    int ret;

    if (0 == shared.users) {
        many.context = MCA_MQ_MANY_CONTEXTS;
        ret = mca_mq_base_domain_init(&shared, &many);
    } else {
        ret = widen(info);
    }
    if (OMPI_SUCCESS != ret) {
        return NULL;
    }
    ++shared.users;
    return &shared;
}

void mca_mq_base_domain_unshare(mca_mq_base_domain_t *domain)
{
    if (0 == --domain->users) {
        mca_mq_base_domain_fini(domain);
    }
}
