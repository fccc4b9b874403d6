/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "ompi/constants.h"
#include "mq_list_primitives.h"

static size_t list_footprint(const mca_mq_base_module_t *module)
{
    (void) module;
    return sizeof(mca_mq_list_module_t);
}

static void list_destroy(mca_mq_base_module_t *module)
{
    free(module);
}

#define MQ_NAME list
#define MQ_MODULE mca_mq_list_module_t
#include "ompi/mca/mq/base/kit/template.h"

int mca_mq_list_create(const mca_mq_domain_info_t *info,
                       mca_mq_base_module_t **module)
{
    mca_mq_list_module_t *m = malloc(sizeof(*m));

    *module = (mca_mq_base_module_t *) m;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->super, info->stats, &mca_mq_list_component);
    list_init(m);
    return OMPI_SUCCESS;
}
