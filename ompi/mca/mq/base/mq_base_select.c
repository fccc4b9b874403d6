/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which component serves a matching domain: those that the user prefers, in
 * that order; then the others, by priority; then `list`, whatever was
 * excluded.
 */

#include "ompi_config.h"

#include <limits.h>
#include <string.h>

#include "opal/util/output.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/base/mq_base_private.h"
#include "ompi/mca/mq/list/mq_list.h"

static int output(void)
{
    return ompi_mq_base_framework.framework_output;
}

static bool can_serve(const mca_mq_base_component_t *component,
                      const mca_mq_domain_info_t *info, int *priority)
{
    const char *why = NULL;

    *priority = 0;
    if (component->mqm_query(info, priority, &why)) {
        return true;
    }
    opal_output_verbose(MCA_BASE_VERBOSE_COMPONENT, output(),
                        "mq: context %u, %u ranks: %s declines: %s",
                        (unsigned) info->context, (unsigned) info->size,
                        mca_mq_base_name(component),
                        NULL == why ? "no reason given" : why);
    return false;
}

static int create(const mca_mq_base_component_t *component,
                  const mca_mq_domain_info_t *info, const char *because,
                  mca_mq_base_module_t **module)
{
    int ret = component->mqm_create(info, module);

    if (OMPI_SUCCESS == ret) {
        opal_output_verbose(MCA_BASE_VERBOSE_COMPONENT, output(),
                            "mq: context %u, %u ranks: %s serves, %s",
                            (unsigned) info->context, (unsigned) info->size,
                            mca_mq_base_name(component), because);
    } else {
        opal_output_verbose(MCA_BASE_VERBOSE_COMPONENT, output(),
                            "mq: context %u, %u ranks: %s could not be "
                            "created, error %d",
                            (unsigned) info->context, (unsigned) info->size,
                            mca_mq_base_name(component), ret);
    }
    return ret;
}

static bool is_preferred(const mca_mq_base_component_t *component)
{
    char **name = mca_mq_base_choice.names;

    if (mca_mq_base_choice.exclude || NULL == name) {
        return false;
    }
    while (NULL != *name && 0 != strcmp(*name, mca_mq_base_name(component))) {
        ++name;
    }
    return NULL != *name;
}

static int create_preferred(const mca_mq_domain_info_t *info,
                            mca_mq_base_module_t **module)
{
    const mca_mq_base_component_t *component;
    char **name = mca_mq_base_choice.names;
    int priority;

    if (mca_mq_base_choice.exclude || NULL == name) {
        return OMPI_ERR_NOT_FOUND;
    }
    for (; NULL != *name; ++name) {
        component = mca_mq_base_find(*name);
        if (NULL != component && can_serve(component, info, &priority) &&
            OMPI_SUCCESS == create(component, info, "as preferred", module)) {
            return OMPI_SUCCESS;
        }
    }
    return OMPI_ERR_NOT_FOUND;
}

/* The component of the highest priority below `below` that was not named;
 * among equals the first, and only that. */
static const mca_mq_base_component_t *next_by_priority(
    const mca_mq_domain_info_t *info, int *below)
{
    const mca_mq_base_component_t *best = NULL;
    mca_base_component_list_item_t *item;
    int best_priority = INT_MIN, priority;

    OPAL_LIST_FOREACH(item, &ompi_mq_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        const mca_mq_base_component_t *component =
            (const mca_mq_base_component_t *) item->cli_component;

        if (!is_preferred(component) && can_serve(component, info, &priority) &&
            priority < *below && priority > best_priority) {
            best = component;
            best_priority = priority;
        }
    }
    *below = best_priority;
    return best;
}

static int create_by_priority(const mca_mq_domain_info_t *info,
                              mca_mq_base_module_t **module)
{
    const mca_mq_base_component_t *component;
    int below = INT_MAX;

    while (NULL != (component = next_by_priority(info, &below))) {
        if (OMPI_SUCCESS ==
            create(component, info, "by its priority", module)) {
            return OMPI_SUCCESS;
        }
    }
    return OMPI_ERR_NOT_FOUND;
}

int mca_mq_base_domain_init(mca_mq_base_domain_t *domain,
                            const mca_mq_domain_info_t *info)
{
    domain->next_order = 1;
    domain->module = NULL;
    if (OMPI_SUCCESS == create_preferred(info, &domain->module) ||
        OMPI_SUCCESS == create_by_priority(info, &domain->module)) {
        return OMPI_SUCCESS;
    }
    return create(&mca_mq_list_component, info, "as the last resort",
                  &domain->module);
}

void mca_mq_base_domain_fini(mca_mq_base_domain_t *domain)
{
    if (NULL != domain->module) {
        domain->module->mq_destroy(domain->module);
        domain->module = NULL;
    }
}
