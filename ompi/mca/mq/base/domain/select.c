/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "opal/util/show_help.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/base/domain/inner.h"
#include "ompi/mca/mq/base/domain/wish.h"
#include "ompi/mca/mq/base/param/choice.h"
#include "ompi/mca/mq/base/param/help.h"
#include "ompi/mca/mq/base/param/own.h"
#include "ompi/mca/mq/list/mq_list.h"
#include "ompi/mca/mq/mq_ompi_compat.h"

/* Position of a component in the user's order of preference, or -1. */
static int preference(const mca_mq_base_component_t *component,
                      const mca_mq_base_domain_t *domain)
{
    char **name = mca_mq_base_choice.names;

    if (mca_mq_base_is_chosen(domain, component)) {
        return 0;
    }
    if (mca_mq_base_choice.exclude || NULL == name) {
        return -1;
    }
    for (int i = 0; NULL != name[i]; ++i) {
        if (0 == strcmp(name[i], mca_mq_base_name(component))) {
            return i + 1;
        }
    }
    return -1;
}

/* A component that can serve, and its rank. */
typedef struct mq_candidate_t {
    const mca_mq_base_component_t *component;
    const char *because;
    int rank; /* the largest is tried first */
    int order;
} mq_candidate_t;

/* More components than there will ever be. */
#define CANDIDATES_MAX 64

static int by_rank(const void *left, const void *right)
{
    const mq_candidate_t *l = left, *r = right;

    return l->rank != r->rank ? (l->rank < r->rank) - (l->rank > r->rank)
                              : (l->order > r->order) - (l->order < r->order);
}

/* Collect the components that can serve, in the order in which to try them.
 * `list` is always among them. Returns their number. */
static int candidates(const mca_mq_domain_info_t *info,
                      mq_candidate_t of[CANDIDATES_MAX + 1])
{
    mca_base_component_list_item_t *item;
    int count = 0;

    OPAL_LIST_FOREACH(item, &mca_mq_base_framework->framework_components,
                      mca_base_component_list_item_t)
    {
        const mca_mq_base_component_t *component =
            (const mca_mq_base_component_t *) item->cli_component;
        int place = preference(component, info->domain);

        if (CANDIDATES_MAX == count ||
            !mca_mq_base_can_serve(component, info, NULL)) {
            continue;
        }
        of[count] = (mq_candidate_t){
            .component = component,
            .because = place >= 0 ? "as preferred" : "by its priority",
            .rank = place >= 0 ? INT_MAX - place : component->mqm_priority,
            .order = count,
        };
        ++count;
    }
    qsort(of, (size_t) count, sizeof(of[0]), by_rank);
    /* Even if the user excluded it. */
    of[count] = (mq_candidate_t){
        .component = &mca_mq_list_component,
        .because = "as the last resort",
    };
    return count + 1;
}

/* Is this the domain of MPI_COMM_WORLD, at rank 0, which reports for all? */
static bool is_of_world(const mca_mq_domain_info_t *info)
{
    return (0 == info->context || MCA_MQ_MANY_CONTEXTS == info->context) &&
           0 == mca_mq_base_job.rank && info->size == mca_mq_base_job.size;
}

/* Warn if the user named components and none of them serves MPI_COMM_WORLD. For
 * other communicators that is normal: they may be too small, or missing in a
 * profile. */
static void warn_if_declined(const mca_mq_base_domain_t *domain,
                             const mca_mq_base_component_t *serving)
{
    static bool warned;
    char **name = mca_mq_base_choice.names;
    const char *why = "it could not be created";

    if (warned || !is_of_world(&domain->info) || NULL == name ||
        mca_mq_base_choice.exclude || preference(serving, domain) >= 0 ||
        NULL == mca_mq_base_find(*name)) {
        return;
    }
    warned = true;
    (void) mca_mq_base_can_serve(mca_mq_base_find(*name), &domain->info, &why);
    opal_show_help(MCA_MQ_BASE_HELP, "declined", true,
                   mca_mq_base_framework->framework_selection, *name, why,
                   mca_mq_base_name(serving));
}

int mca_mq_base_domain_choose(mca_mq_base_domain_t *domain,
                              const mca_mq_domain_info_t *info)
{
    mq_candidate_t of[CANDIDATES_MAX + 1];
    int count, ret = OMPI_ERR_OUT_OF_RESOURCE;

    domain->info = *info;
    domain->info.domain = domain;
    count = candidates(&domain->info, of);
    for (int i = 0; i < count && OMPI_SUCCESS != ret; ++i) {
        ret = mca_mq_base_create(of[i].component, &domain->info, of[i].because,
                                 &domain->module);
        if (OMPI_SUCCESS == ret) {
            warn_if_declined(domain, of[i].component);
        }
    }
    return ret;
}

void mca_mq_base_domain_fini(mca_mq_base_domain_t *domain)
{
    if (NULL != domain->module) {
        domain->module->mq_destroy(domain->module);
        domain->module = NULL;
    }
    free(domain->choice);
    domain->choice = NULL;
}

/* Keep the present component although the assertions have changed. */
static int go_on(mca_mq_base_domain_t *domain, uint32_t before)
{
    const mca_mq_base_component_t *serving = domain->module->mq_component;
    const char *why;

    return (serving->mqm_flags & MCA_MQ_COMPONENT_USES_EXACT) &&
                   mca_mq_is_exact(before) !=
                       mca_mq_is_exact(domain->info.assertions)
               ? mca_mq_base_replace(domain, serving, &why)
               : OMPI_SUCCESS;
}

int mca_mq_base_choose_again(mca_mq_base_domain_t *domain, uint32_t assertions)
{
    const mca_mq_base_component_t *serving = domain->module->mq_component;
    uint32_t before = domain->info.assertions;
    mq_candidate_t of[CANDIDATES_MAX + 1];
    int count, ret;

    domain->info.assertions = assertions | mca_mq_base_assertions;
    count = candidates(&domain->info, of);
    for (int i = 0; i < count; ++i) {
        ret = of[i].component == serving
                  ? go_on(domain, before)
                  : mca_mq_base_hand_over(domain, of[i].component, NULL);
        if (OMPI_SUCCESS == ret) {
            return OMPI_SUCCESS;
        }
    }
    domain->info.assertions = before;
    return OMPI_ERR_OUT_OF_RESOURCE;
}
