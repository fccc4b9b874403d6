/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/domain/migrate.h"
#include "ompi/mca/mq/base/domain/prefer.h"
#include "ompi/mca/mq/base/domain/select.h"
#include "ompi/mca/mq/base/domain/serve.h"
#include "ompi/mca/mq/base/domain/wish.h"

/* Return to the choice for all domains. */
int mca_mq_base_prefer_none(mca_mq_base_domain_t *domain)
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

int mca_mq_base_prefer(mca_mq_base_domain_t *domain, const char *choice,
                       char *why, size_t size)
{
    char *before = domain->choice;
    const char *reason = "out of memory";
    mca_mq_base_wish_t wish;
    int priority, ret;

    ret = mca_mq_base_wish_read(choice, &wish, why, size);
    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    domain->choice = strdup(choice);
    if (NULL == domain->choice) {
        ret = OMPI_ERR_OUT_OF_RESOURCE;
    } else if (!mca_mq_base_can_serve(wish.component, &domain->info, &priority,
                                      &reason)) {
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
