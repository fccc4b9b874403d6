/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds the framework mq to the ompi_info of the installed Open MPI.
 *
 * That program takes its frameworks from an array compiled into Open MPI, but
 * passes them on in two tables, which functions of libmpi fill. The script
 * ompi_info has this library loaded before libmpi. It defines functions with
 * these names: each calls the real one and adds what is ours. So every option
 * of ompi_info, of whatever version, works for mq, too.
 */

#include "ompi_config.h"

#include <dlfcn.h>
#include <string.h>

#include "opal/class/opal_pointer_array.h"
#include "opal/runtime/opal_info_support.h"
#include "ompi/constants.h"
#include "ompi/runtime/ompi_info_support.h"

#include "ompi/mca/mq/base/base.h"
#include "ompi/mca/mq/base/param/ompi_build.h"

void ompi_info_register_types(opal_pointer_array_t *types)
{
    void (*real)(opal_pointer_array_t *);

    *(void **) &real = dlsym(RTLD_NEXT, "ompi_info_register_types");
    real(types);
    opal_pointer_array_add(types, ompi_mq_base_framework.framework_name);
}

static int add_components(opal_pointer_array_t *components)
{
    opal_info_component_map_t *map = OBJ_NEW(opal_info_component_map_t);

    if (NULL == map) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    map->type = strdup(ompi_mq_base_framework.framework_name);
    map->components = &ompi_mq_base_framework.framework_components;
    map->failed_components =
        &ompi_mq_base_framework.framework_failed_components;
    opal_pointer_array_add(components, map);
    return OMPI_SUCCESS;
}

int ompi_info_register_framework_params(opal_pointer_array_t *components)
{
    int (*real)(opal_pointer_array_t *);
    int rc;

    /* champion need not add mq to the list of pml */
    mca_mq_base_info_front_end = true;

    *(void **) &real = dlsym(RTLD_NEXT, "ompi_info_register_framework_params");
    rc = real(components);
    if (OMPI_SUCCESS != rc || !mca_mq_base_fits_ompi(true)) {
        return rc; /* what is not ours is listed all the same */
    }
    rc = mca_mq_base_register_framework();
    return OMPI_SUCCESS == rc ? add_components(components) : rc;
}

void ompi_info_close_components(void)
{
    void (*real)(void);

    (void) mca_mq_base_close_framework();
    *(void **) &real = dlsym(RTLD_NEXT, "ompi_info_close_components");
    real();
}
