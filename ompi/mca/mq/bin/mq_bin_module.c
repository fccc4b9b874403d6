/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "ompi/constants.h"
#include "mq_bin_primitives.h"

static size_t bin_footprint(const mca_mq_base_module_t *module)
{
    const bin_module_t *m = (const bin_module_t *) module;
    return sizeof(*m) + bin_arrays(m);
}

static void bin_destroy(mca_mq_base_module_t *module)
{
    bin_module_t *m = (bin_module_t *) module;

    bin_fini(m);
    free(m);
}

#define MQ_NAME bin
#define MQ_MODULE mca_mq_bin_module_t
#define MQ_PLACE uint32_t
#include "ompi/mca/mq/base/kit/template.h"

int mca_mq_bin_create(const mca_mq_domain_info_t *info,
                      mca_mq_base_module_t **module)
{
    bin_module_t *m = malloc(sizeof(*m));

    *module = (mca_mq_base_module_t *) m;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->super, info->stats, &mca_mq_bin_component);
    bin_init(m, mca_mq_bin_params.count);
    return OMPI_SUCCESS;
}
