/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Support for the stock ompi_info: it lists the components of mq and their
 * parameters.
 *
 * The stock ompi_info knows the frameworks that were compiled into it, and mq
 * is not among them. It prints what it finds in the list of a framework, by
 * each component's own type name; so the components of mq are put into the list
 * of pml, and the group of mq's parameters below that of pml. Nothing is done
 * in other programs, and none of it is needed in an Open MPI that was built
 * with mq.
 */

#define _GNU_SOURCE 1

#include <errno.h>
#include <string.h>

#include "opal/class/opal_list.h"
#include "opal/class/opal_value_array.h"
#include "opal/mca/base/mca_base_var_group.h"

#include "ompi/mca/pml/champion/core/unit.h"

#if defined(MCA_MQ_PLUGIN_BUILD)

static void add_components(void)
{
    mca_base_component_list_item_t *item, *copy;

    OPAL_LIST_FOREACH(item, &ompi_mq_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        copy = OBJ_NEW(mca_base_component_list_item_t);
        if (NULL == copy) {
            return;
        }
        copy->cli_component = item->cli_component;
        opal_list_append(&ompi_pml_base_framework.framework_components,
                         &copy->super);
    }
}

static void add_parameters(void)
{
    int pml = mca_base_var_group_find("ompi", "pml", NULL);
    int mq = mca_base_var_group_find("ompi", "mq", NULL);
    const mca_base_var_group_t *group;

    if (0 <= pml && 0 <= mq &&
        OPAL_SUCCESS == mca_base_var_group_get(pml, &group)) {
        opal_value_array_append_item(
            (opal_value_array_t *) &group->group_subgroups, &mq);
    }
}

static bool info_register(void)
{
    if (mca_mq_base_info_front_end ||
        0 != strcmp(program_invocation_short_name, "ompi_info") ||
        OMPI_SUCCESS != mca_mq_base_register_framework()) {
        return true;
    }
    add_components();
    add_parameters();
    return true;
}

MCA_PML_CHAMPION_UNIT(info) = {.name = "ompi_info", .registers = info_register};

#else

MCA_PML_CHAMPION_UNIT(info) = {.name = "ompi_info"};

#endif
