/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <string.h>

#include "ompi/mca/mq/base/domain/components.h"

const mca_base_framework_t *mca_mq_base_framework;

const mca_mq_base_component_t *mca_mq_base_find(const char *name)
{
    mca_base_component_list_item_t *item;

    OPAL_LIST_FOREACH(item, &mca_mq_base_framework->framework_components,
                      mca_base_component_list_item_t)
    {
        if (0 == strcmp(name, item->cli_component->mca_component_name)) {
            return (const mca_mq_base_component_t *) item->cli_component;
        }
    }
    return NULL;
}
