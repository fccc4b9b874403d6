/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions that users call, for domains with or without observers: the
 * work is done on the inner domain, then the outer one is updated.
 */

#include "ompi_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/domain/inner.h"
#include "ompi/mca/mq/base/domain/observe.h"
#include "ompi/mca/mq/base/domain/wish.h"
#include "ompi/mca/mq/base/param/own.h"

int mca_mq_base_domain_init(mca_mq_base_domain_t *domain,
                            const mca_mq_domain_info_t *info)
{
    *domain = (mca_mq_base_domain_t){.next_order = 1, .info = *info};
    domain->info.assertions |= mca_mq_base_assertions;
    return mca_mq_base_is_observed()
               ? mca_mq_base_observe(domain)
               : mca_mq_base_domain_choose(domain, &domain->info);
}

int mca_mq_base_domain_migrate(mca_mq_base_domain_t *domain,
                               const mca_mq_base_component_t *component,
                               const char **why)
{
    mca_mq_base_domain_t *inner = mca_mq_base_inner_domain(domain);
    int ret = mca_mq_base_hand_over(inner, component, why);

    mca_mq_base_inner_changed(domain);
    return ret;
}

int mca_mq_base_domain_assert(mca_mq_base_domain_t *domain, uint32_t assertions)
{
    mca_mq_base_domain_t *inner = mca_mq_base_inner_domain(domain);
    int ret = mca_mq_base_choose_again(inner, assertions);

    mca_mq_base_inner_changed(domain);
    return ret;
}

/* Return to the choice for all domains. */
static int prefer_none(mca_mq_base_domain_t *domain)
{
    const mca_mq_base_component_t *serving = domain->module->mq_component;
    char *before = domain->choice;
    const char *why;
    int ret;

    if (NULL == before) {
        return OMPI_SUCCESS;
    }
    domain->choice = NULL;
    ret = mca_mq_base_choose_again(domain, domain->info.assertions);
    if (OMPI_SUCCESS == ret && serving == domain->module->mq_component) {
        /* The component stays, but may have had parameters for this domain
         * only. */
        ret = mca_mq_base_replace(domain, serving, &why);
    }
    if (OMPI_SUCCESS == ret) {
        free(before);
    } else {
        domain->choice = before;
    }
    return ret;
}

/* Use a component, with values of its parameters. */
static int prefer(mca_mq_base_domain_t *domain, const char *choice, char *why,
                  size_t size)
{
    char *before = domain->choice;
    const char *reason = "out of memory";
    mca_mq_base_wish_t wish;
    int ret;

    ret = mca_mq_base_wish_read(choice, &wish, why, size);
    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    domain->choice = strdup(choice);
    if (NULL == domain->choice) {
        ret = OMPI_ERR_OUT_OF_RESOURCE;
    } else if (!mca_mq_base_can_serve(wish.component, &domain->info, &reason)) {
        ret = OMPI_ERR_NOT_SUPPORTED;
    } else {
        ret = mca_mq_base_replace(domain, wish.component, &reason);
    }
    if (OMPI_SUCCESS != ret) {
        snprintf(why, size, "%s", reason);
        free(domain->choice);
        domain->choice = before;
        return ret;
    }
    free(before);
    ++domain->migrations;
    return OMPI_SUCCESS;
}

int mca_mq_base_domain_prefer(mca_mq_base_domain_t *domain, const char *choice,
                              char *why, size_t size)
{
    mca_mq_base_domain_t *inner = mca_mq_base_inner_domain(domain);
    int ret;

    if (NULL == choice) {
        ret = prefer_none(inner);
        if (OMPI_SUCCESS != ret) {
            snprintf(why, size, "out of memory");
        }
    } else {
        ret = prefer(inner, choice, why, size);
    }
    mca_mq_base_inner_changed(domain);
    return ret;
}

const char *mca_mq_base_domain_choice(const mca_mq_base_domain_t *domain)
{
    return mca_mq_base_inner_domain(domain)->choice;
}

const char *mca_mq_base_domain_remark(const mca_mq_base_domain_t *domain)
{
    return mca_mq_base_inner_domain(domain)->remark;
}
