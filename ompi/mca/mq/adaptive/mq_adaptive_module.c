/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations are those of list; searches sum up what they traverse, and the
 * sum is tested after each operation.
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "opal/util/output.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/list/mq_list_primitives.h"
#include "mq_adaptive.h"

typedef mca_mq_adaptive_module_t adaptive_module_t;

static size_t list_footprint(const mca_mq_base_module_t *module)
{
    (void) module;
    return sizeof(adaptive_module_t);
}

static void list_destroy(mca_mq_base_module_t *module)
{
    free(module);
}

static void begin_window(adaptive_module_t *m)
{
    m->traversed = 0;
    m->searches = 0;
}

static void stay_a_list(adaptive_module_t *m)
{
    m->limit = UINT64_MAX;
    m->window = UINT64_MAX;
}

/* Migrate to the target. On success m has been freed. */
static void give_up_the_list(adaptive_module_t *m)
{
    const mca_mq_base_component_t *target = mca_mq_base_find(m->target);
    const char *why = "it is not open";
    int ret = OMPI_ERR_NOT_SUPPORTED;

    if (NULL != target) {
        ret = mca_mq_base_domain_migrate(m->domain, target, &why);
    }
    if (OMPI_SUCCESS == ret) {
        return;
    }
    begin_window(m);
    if (OMPI_ERR_OUT_OF_RESOURCE == ret && m->limit <= UINT64_MAX / 4) {
        m->limit *= 2;
        m->window *= 2;
        return;
    }
    opal_output_verbose(MCA_BASE_VERBOSE_COMPONENT,
                        ompi_mq_base_framework.framework_output,
                        "mq: adaptive stays a list: %s: %s", m->target,
                        NULL == why ? "no reason given" : why);
    stay_a_list(m);
}

static __attribute__((noinline)) void window_ended(adaptive_module_t *m)
{
    if (m->traversed > m->limit) {
        give_up_the_list(m);
    } else {
        begin_window(m);
    }
}

/* Account for a search. */
static inline void watch(mca_mq_list_module_t *list, uint64_t traversed)
{
    adaptive_module_t *m = (adaptive_module_t *) list;

    m->traversed += traversed;
    ++m->searches;
}

/* Test the sum. Afterwards the module may have been freed. */
static inline void look(mca_mq_list_module_t *list)
{
    adaptive_module_t *m = (adaptive_module_t *) list;

    if (OPAL_UNLIKELY(m->traversed > m->limit || m->searches >= m->window)) {
        window_ended(m);
    }
}

#define MQ_NAME list
#define MQ_MODULE mca_mq_list_module_t
#define MQ_SEARCHED(m, traversed) watch(m, traversed)
#define MQ_AFTER(m) look(m)
#include "ompi/mca/mq/base/kit/template.h"

int mca_mq_adaptive_create(const mca_mq_domain_info_t *info,
                           mca_mq_base_module_t **module)
{
    const mca_mq_adaptive_params_t *params = &mca_mq_adaptive_params;
    adaptive_module_t *m = malloc(sizeof(*m));

    *module = (mca_mq_base_module_t *) m;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->list.super, info->stats,
                              &mca_mq_adaptive_component);
    list_init(&m->list);
    begin_window(m);
    m->limit = (uint64_t) params->threshold * params->window;
    m->window = params->window;
    m->domain = info->domain;
    m->target = MCA_MQ_ADAPTIVE_BIN == params->target ? "bin" : "source_array";
    if (NULL == m->domain) {
        stay_a_list(m);
    }
    return OMPI_SUCCESS;
}
