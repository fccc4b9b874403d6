/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The module of a communicator: which functions it replaces.
 */

#include "coll_champion.h"

#include MCA_MQ_OMPI_PMIX_HEADER

static void module_construct(mca_coll_champion_module_t *module)
{
    module->on_node = false;
    module->spread = false;
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

/* A number that PMIx knows of this job; 0 if it does not. */
static uint32_t of_job(const char *key)
{
    opal_process_name_t job = ompi_proc_local()->super.proc_name;
    uint32_t value = 0, *found = &value;
    int rc;

    job.vpid = OPAL_VPID_WILDCARD;
    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, key, &job, &found,
                                   MCA_MQ_OMPI_PMIX_UINT32);
    return OPAL_SUCCESS == rc ? value : 0;
}

/* The job has as many nodes as processes. */
static bool nodes_of_their_own;

void mca_coll_champion_look_at_job(void)
{
    const uint32_t nodes = of_job(MCA_MQ_OMPI_PMIX_NUM_NODES);

    nodes_of_their_own =
        0 != nodes && nodes == of_job(MCA_MQ_OMPI_PMIX_JOB_SIZE);
}

/* All processes of a communicator have to give the same answer to what follows.
 * So it is asked of processes of one job only: what is known of those of other
 * jobs depends on which job has spawned, or connected to, which. */
static bool is_of_this_job(ompi_communicator_t *comm)
{
    for (int i = 0; i < ompi_comm_size(comm); ++i) {
        if (ompi_group_get_proc_name(comm->c_local_group, i).jobid !=
            ompi_proc_local()->super.proc_name.jobid) {
            return false;
        }
    }
    return true;
}

static void look_at_nodes(mca_coll_champion_module_t *module,
                          ompi_communicator_t *comm)
{
    const bool one_job = is_of_this_job(comm);

    module->on_node =
        one_job && !ompi_group_have_remote_peers(comm->c_local_group);
    module->spread = one_job && nodes_of_their_own;
}

#if MCA_MQ_OMPI_COLL_INSTALLS
static void install(mca_coll_base_module_t *module, ompi_communicator_t *comm)
{
#define INSTALL(function)                                                      \
    MCA_COLL_INSTALL_API(comm, function, mca_coll_champion_##function, module, \
                         "champion");
    MCA_COLL_CHAMPION_EACH(INSTALL)
#undef INSTALL
}

/* The communicator ends. Modules that were enabled later have put back what they
 * replaced. */
static int disable(mca_coll_base_module_t *base, ompi_communicator_t *comm)
{
    mca_coll_champion_module_t *module = (mca_coll_champion_module_t *) base;

#define PUT_BACK(function)                                                     \
    if (base == comm->c_coll->coll_##function##_module) {                      \
        MCA_COLL_INSTALL_API(comm, function, module->function,                 \
                             module->function##_module, "champion");           \
    }
    MCA_COLL_CHAMPION_EACH(PUT_BACK)
#undef PUT_BACK
    return OMPI_SUCCESS;
}
#endif

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
#if MCA_MQ_OMPI_COLL_INSTALLS
    install(base, comm);
#endif
    look_at_nodes(module, comm);
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
#if MCA_MQ_OMPI_COLL_INSTALLS
    module->super.coll_module_disable = disable;
#endif
#define SET(function)                                                          \
    module->super.coll_##function = mca_coll_champion_##function;
    MCA_COLL_CHAMPION_EACH(SET)
#undef SET
    return &module->super;
}
