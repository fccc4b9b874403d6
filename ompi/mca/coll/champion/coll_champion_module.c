/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The module of a communicator: which functions it replaces.
 */

#include "coll_champion.h"

#include "ompi/mca/pml/champion/core/happens_before.h"

static void module_construct(mca_coll_champion_module_t *module)
{
    module->on_node = false;
#define FORGET(function)                                                       \
    module->function = NULL;                                                   \
    module->function##_module = NULL;
    MCA_COLL_CHAMPION_EACH(FORGET)
#undef FORGET
}

static void module_destruct(mca_coll_champion_module_t *module)
{
    MCA_PML_CHAMPION_HAPPENS_AFTER(module);
#define RELEASE(function)                                                      \
    if (NULL != module->function##_module) {                                   \
        OBJ_RELEASE(module->function##_module);                                \
    }
    MCA_COLL_CHAMPION_EACH(RELEASE)
#undef RELEASE
}

OBJ_CLASS_INSTANCE(mca_coll_champion_module_t, mca_coll_base_module_t,
                   module_construct, module_destruct);

/* Open MPI enables modules in the order of their priority: the table has the
 * functions of those below this one. */
static int enable(mca_coll_base_module_t *base, ompi_communicator_t *comm)
{
    mca_coll_champion_module_t *module = (mca_coll_champion_module_t *) base;

#define MISSING(function)                                                      \
    if (NULL == comm->c_coll->coll_##function) {                               \
        return OMPI_ERR_NOT_FOUND;                                             \
    }
    MCA_COLL_CHAMPION_EACH(MISSING)
#undef MISSING
#define KEEP(function)                                                         \
    module->function = comm->c_coll->coll_##function;                          \
    module->function##_module = comm->c_coll->coll_##function##_module;        \
    OBJ_RETAIN(module->function##_module);
    MCA_COLL_CHAMPION_EACH(KEEP)
#undef KEEP
    module->on_node = !ompi_group_have_remote_peers(comm->c_local_group);
    MCA_PML_CHAMPION_HAPPENS_BEFORE(module); /* a call on the communicator */
    return OMPI_SUCCESS;
}

mca_coll_base_module_t *mca_coll_champion_comm_query(ompi_communicator_t *comm,
                                                     int *priority)
{
    mca_coll_champion_module_t *module;

    if (OMPI_COMM_IS_INTER(comm) || ompi_comm_size(comm) < 2 ||
        NULL == mca_coll_champion_calls || NULL == comm->c_pml_comm) {
        return NULL;
    }
    module = OBJ_NEW(mca_coll_champion_module_t);
    if (NULL == module) {
        return NULL;
    }
    *priority = (int) mca_coll_champion_params.priority;
    module->super.coll_module_enable = enable;
#define SET(function)                                                          \
    module->super.coll_##function = mca_coll_champion_##function;
    MCA_COLL_CHAMPION_EACH(SET)
#undef SET
    return &module->super;
}
