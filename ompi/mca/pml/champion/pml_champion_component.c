/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The component: its opening and closing. The units of which it is made are listed
 * in pml_champion_units.c.
 */

#include "ompi/mca/pml/champion/pml_champion_module.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/mpi/schedule.h"
#include "ompi/mca/pml/champion/pml_champion_units.h"

/* Among the plug-ins, the loader's has this name: pml_champion_loader.c. */
#if defined(MCA_MQ_PLUGIN_BUILD)
#define mca_pml_champion_component mca_pml_champion_loaded
#endif

OMPI_DECLSPEC extern mca_pml_champion_component_t mca_pml_champion_component;

static int champion_register(void);
static int champion_open(void);
static int champion_close(void);
static mca_pml_base_module_t *champion_init(int *priority,
                                            bool progress_threads,
                                            bool mpi_threads);
static int champion_fini(void);

static mca_pml_champion_coll_params_t coll_params;

mca_pml_champion_component_t mca_pml_champion_component = {
    .super =
        {
            .pmlm_version =
                {
                    MCA_MQ_OMPI_PML_VERSION,
                    .mca_component_name = "champion",
                    MCA_MQ_COMPONENT_RELEASE,
                    .mca_open_component = champion_open,
                    .mca_close_component = champion_close,
                    .mca_register_component_params = champion_register,
                },
            .pmlm_data = {.param_field = MCA_BASE_METADATA_PARAM_NONE},
            .pmlm_init = champion_init,
            .pmlm_finalize = champion_fini,
        },
    .schedules = &mca_pml_champion_schedule_calls,
    .coll = &coll_params,
};

/* A parameter has a value that is not allowed: the component cannot be used. */
static bool invalid_parameter;

static int champion_register(void)
{
    bool good;

    mca_pml_champion.component = &mca_pml_champion_component.super.pmlm_version;
    mca_pml_champion.params.priority = 60;
    good = mca_pml_champion_param_uint(
        "priority",
        "Priority among the PMLs. Open MPI considers champion only if the "
        "parameter pml names it",
        OPAL_INFO_LVL_3, 0, 100, &mca_pml_champion.params.priority);
    good &= mca_pml_champion_units_register();
    invalid_parameter = !good;
    return OMPI_SUCCESS;
}

static int champion_open(void)
{
    coll_params = (mca_pml_champion_coll_params_t){0};
    return OMPI_SUCCESS;
}

static int champion_close(void)
{
    return OMPI_SUCCESS;
}

static int champion_enable(bool enable)
{
    return enable ? mca_pml_champion_units_start() : OMPI_SUCCESS;
}

static mca_pml_base_module_t *champion_init(int *priority,
                                            bool progress_threads,
                                            bool mpi_threads)
{
    (void) progress_threads;
    if (invalid_parameter) {
        return NULL; /* reported when it was registered */
    }
    mca_pml_champion.multiple = mpi_threads;
    if (OMPI_SUCCESS != mca_pml_champion_units_open()) {
        return NULL;
    }
    mca_pml_champion_module.pml_enable = champion_enable;
    *priority = (int) mca_pml_champion.params.priority;
    return &mca_pml_champion_module;
}

static int champion_fini(void)
{
    mca_pml_champion_units_close();
    return OMPI_SUCCESS;
}
