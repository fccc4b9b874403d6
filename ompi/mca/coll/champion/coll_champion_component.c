/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The component: its parameters, and the way to pml/champion.
 */

#include <string.h>

#include "ompi/mca/mq/base/param/ompi_build.h"
#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/pml/base/base.h"

#include "coll_champion_plan.h"

OMPI_DECLSPEC extern const mca_coll_base_component_t
    mca_coll_champion_component;

mca_coll_champion_params_t mca_coll_champion_params;
const mca_pml_champion_schedule_calls_t *mca_coll_champion_calls;

/* A parameter has a value that is not allowed: the component is not used. */
static bool invalid_parameter;
static bool is_open;

static void register_size(const char *name, const char *description, size_t min,
                          size_t max, size_t *storage)
{
    int rc = mca_mq_base_param_size(&mca_coll_champion_component.collm_version,
                                    name, description, OPAL_INFO_LVL_6, min,
                                    max, false, storage);

    invalid_parameter = invalid_parameter || OMPI_SUCCESS != rc;
}

static int champion_register(void)
{
    mca_coll_champion_params_t *params = &mca_coll_champion_params;
    int rc;

    if (!mca_mq_base_fits_ompi(false)) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    *params = (mca_coll_champion_params_t){
        .priority = 40, .short_limit = 32768, .segment = 131072};
    invalid_parameter = false;
    rc = mca_mq_base_param_uint(
        &mca_coll_champion_component.collm_version, "priority",
        "Priority among the components of the coll framework. Non-blocking "
        "collectives advance while the program computes only if it is higher "
        "than that of libnbc. Has no effect unless the PML is champion",
        OPAL_INFO_LVL_6, 0, 100, &params->priority);
    invalid_parameter = OMPI_SUCCESS != rc;
    register_size("short",
                  "Non-blocking broadcasts and reductions of at most this "
                  "many bytes take few steps; longer ones keep all links "
                  "busy. Must be equal in all processes",
                  0, INT32_MAX, &params->short_limit);
    register_size("segment",
                  "Size, in bytes, of the segments of operations on more than "
                  "coll_champion_short bytes: some travel while others are "
                  "reduced. Between nodes, and in reductions of two "
                  "processes, segments have a quarter of it; those that go "
                  "around a ring or along a chain have 16 KiB at most. Must "
                  "be equal in all processes",
                  1024, 64 << 20, &params->segment);
    return OMPI_SUCCESS;
}

/* Is this component of the same release as another one? */
static bool same_release(const mca_base_component_t *other)
{
    const mca_base_component_t *own =
        &mca_coll_champion_component.collm_version;

    return own->mca_component_major_version ==
               other->mca_component_major_version &&
           own->mca_component_minor_version ==
               other->mca_component_minor_version &&
           own->mca_component_release_version ==
               other->mca_component_release_version;
}

/* The component of pml/champion, if it is there. */
static mca_pml_champion_component_t *find_pml(void)
{
    mca_base_component_list_item_t *item;

    OPAL_LIST_FOREACH(item, &ompi_pml_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        const mca_base_component_t *component = item->cli_component;

        if (0 == strcmp("champion", component->mca_component_name) &&
            same_release(component)) {
            return (mca_pml_champion_component_t *) (uintptr_t) component;
        }
    }
    return NULL;
}

/* A PML is chosen later: all that are allowed are open. */
static int champion_open(void)
{
    const mca_coll_champion_params_t *params = &mca_coll_champion_params;
    mca_pml_champion_component_t *pml = find_pml();

    if (NULL != pml && NULL != pml->coll && !invalid_parameter) {
        *pml->coll = (mca_pml_champion_coll_params_t){
            .priority = params->priority,
            .short_limit = (uint32_t) params->short_limit,
            .segment = (uint32_t) params->segment,
        };
    }
    return OMPI_SUCCESS;
}

static int champion_close(void)
{
    if (is_open) {
        mca_coll_champion_plans_close();
        is_open = false;
    }
    return OMPI_SUCCESS;
}

static bool pml_is_champion(void)
{
    const mca_base_component_t *selected =
        &mca_pml_base_selected_component.pmlm_version;

    return 0 == strcmp("champion", selected->mca_component_name) &&
           same_release(selected);
}

/* Before the first communicator; the PML has been chosen. With fault tolerance
 * (ULFM) Open MPI's own collectives know what to do when a process dies. */
static int champion_init_query(bool progress_threads, bool mpi_threads)
{
    const mca_pml_champion_component_t *pml;

    (void) progress_threads;
    (void) mpi_threads;
    if (invalid_parameter) {
        return OMPI_ERR_BAD_PARAM;
    }
    pml = pml_is_champion() ? find_pml() : NULL;
    if (NULL == pml || MCA_MQ_OMPI_FT_ENABLED) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    if (!is_open) {
        int rc = mca_coll_champion_plans_open();

        if (OMPI_SUCCESS != rc) {
            return rc;
        }
        is_open = true;
    }
    mca_coll_champion_look_at_job();
    mca_coll_champion_calls = pml->schedules;
    return OMPI_SUCCESS;
}

const mca_coll_base_component_t mca_coll_champion_component = {
    .collm_version =
        {
            MCA_MQ_OMPI_COLL_VERSION,
            .mca_component_name = "champion",
            MCA_MQ_COMPONENT_RELEASE,
            .mca_open_component = champion_open,
            .mca_close_component = champion_close,
            .mca_register_component_params = champion_register,
        },
    .collm_data = {.param_field = MCA_BASE_METADATA_PARAM_NONE},
    .collm_init_query = champion_init_query,
    .collm_comm_query = mca_coll_champion_comm_query,
};
