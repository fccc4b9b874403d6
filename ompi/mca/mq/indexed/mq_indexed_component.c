/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <limits.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "mq_indexed.h"

mca_mq_indexed_params_t mca_mq_indexed_params = {
    .small = 16, .ordered = INT_MAX, .keep = 1024};

/* If the user sets both, `small` may not exceed `ordered`; 0 allows only the
 * short list. */
static void check_sizes(void)
{
    const mca_base_component_t *self =
        &mca_mq_indexed_component.super.mqm_version;
    const mca_mq_indexed_params_t *params = &mca_mq_indexed_params;
    char value[16], allowed[64];

    if (0 != params->ordered && params->small > params->ordered &&
        mca_mq_base_param_is_set(self, "small") &&
        mca_mq_base_param_is_set(self, "ordered")) {
        snprintf(value, sizeof(value), "%u", params->small);
        snprintf(allowed, sizeof(allowed), "at most mq_indexed_ordered, %u",
                 params->ordered);
        mca_mq_base_param_complain("mq_indexed_small", value, allowed);
    }
}

static int indexed_register(void)
{
    mca_mq_indexed_params.small = 16;
    mca_mq_base_param_uint(
        &mca_mq_indexed_component.super.mqm_version, "small",
        "Number of entries that a search may compare free of charge. If "
        "searches compare more in the long run, their queue is hashed until at "
        "most a quarter of this number are left. 0: always hash, for testing",
        OPAL_INFO_LVL_9, 0, MCA_MQ_INDEXED_SMALL_MAX,
        &mca_mq_indexed_params.small);
    mca_mq_indexed_params.ordered = INT_MAX;
    mca_mq_base_param_uint(
        &mca_mq_indexed_component.super.mqm_version, "ordered",
        "Largest number of entries for which a queue may be a list, however it "
        "is searched. Limits the time of the first search out of order, which "
        "reads the list and may hash it",
        OPAL_INFO_LVL_9, 0, INT_MAX, &mca_mq_indexed_params.ordered);
    mca_mq_indexed_params.keep = 1024;
    mca_mq_base_param_uint(&mca_mq_indexed_component.super.mqm_version, "keep",
                           "Largest table, in KiB, that a drained queue keeps "
                           "for the next burst. 0: memory is freed at once",
                           OPAL_INFO_LVL_9, 0, 1 << 20,
                           &mca_mq_indexed_params.keep);
    check_sizes();
    return OMPI_SUCCESS;
}

const mca_mq_indexed_component_t mca_mq_indexed_component = {
    .super =
        {
            .mqm_version =
                {
                    MCA_MQ_BASE_VERSION_1_0_0,
                    .mca_component_name = "indexed",
                    MCA_MQ_COMPONENT_RELEASE,
                    .mca_register_component_params = indexed_register,
                },
            .mqm_abi = MCA_MQ_ABI,
            .mqm_flags = MCA_MQ_COMPONENT_USES_EXACT,
            /* Highest priority: this component is the default. */
            .mqm_priority = 70,
            .mqm_create = mca_mq_indexed_create,
        },
    .figures = mca_mq_indexed_figures,
    .watch = mca_mq_indexed_watch,
    .watcher = mca_mq_indexed_watcher,
};
