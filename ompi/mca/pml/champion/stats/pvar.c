/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_T performance variables: all entries of stats/stats_table.c, and the two
 * that pml/ob1 has, for this process. Those of a communicator are counted once
 * a handle is bound to it, or always with pml_champion_stats; otherwise they
 * cost nothing.
 */

#include <string.h>

#include "opal/mca/base/mca_base_pvar.h"

#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/stats/observer.h"
#include "ompi/mca/pml/champion/stats/stats.h"

/* The communicator to which a handle is bound, or NULL: MPI_T may be used
 * before MPI_Init, and while another PML runs. */
static mca_pml_champion_comm_t *bound_comm(void *object)
{
    const ompi_communicator_t *comm = object;

    return NULL == comm || NULL == mca_pml_champion.comms ||
                   NULL == mca_pml_champion.job_peers
               ? NULL
               : mca_pml_champion_comm(comm);
}

/* A handle of a variable of communicators is bound. Of the lengths of queues by
 * peer there is one for each source; of figures there is one, which is counted
 * from now on. */
static int notify(mca_base_pvar_t *pvar, mca_base_pvar_event_t event,
                  void *object, int *count)
{
    mca_pml_champion_comm_t *comm;
    int rc;

    if (MCA_BASE_PVAR_HANDLE_BIND != event) {
        return OMPI_SUCCESS;
    }
    comm = bound_comm(object);
    if (NULL == comm) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    if (MCA_BASE_PVAR_CLASS_SIZE == pvar->var_class) {
        *count = (int) comm->sources;
        return OMPI_SUCCESS;
    }
    mca_pml_champion_lock();
    rc = mca_pml_champion_observer_begin(comm);
    mca_pml_champion_unlock();
    *count = 1;
    return rc;
}

/* A figure's ctx is its line in the table. */
static size_t index_of(const mca_base_pvar_t *pvar)
{
    return (size_t) ((const mca_pml_champion_stat_t *) pvar->ctx -
                     mca_pml_champion_stats);
}

static int comm_get(const mca_base_pvar_t *pvar, void *value, void *object)
{
    mca_pml_champion_comm_t *comm = bound_comm(object);

    if (NULL == comm || NULL == comm->figures) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    mca_pml_champion_lock();
    *(unsigned long long *) value =
        ((const uint64_t *) comm->figures)[index_of(pvar)];
    mca_pml_champion_unlock();
    return OMPI_SUCCESS;
}

static int process_get(const mca_base_pvar_t *pvar, void *value, void *object)
{
    mca_pml_champion_counters_t counters;
    const uint64_t *figure = (const uint64_t *) &counters + index_of(pvar) -
                             MCA_PML_CHAMPION_COMM_STATS;

    (void) object;
    mca_pml_champion_lock();
    mca_pml_champion_stats_counters(&counters);
    if (&counters.memory_shared == figure ||
        &counters.memory_connections == figure) {
        mca_pml_champion_stats_memory(&counters);
    }
    mca_pml_champion_unlock();
    *(unsigned long long *) value = *figure;
    return OMPI_SUCCESS;
}

/* ---- Lengths of queues by peer ---- */

typedef struct lengths_t {
    uint32_t context;
    unsigned *of; /* by source */
} lengths_t;

static void length_add(mca_mq_entry_t *entry, void *arg)
{
    lengths_t *lengths = arg;

    if (entry->envelope.context == lengths->context &&
        MCA_MQ_ANY_SOURCE != entry->envelope.source) {
        ++lengths->of[entry->envelope.source];
    }
}

/* A length's ctx is its queue. */
static int length_get(const mca_base_pvar_t *pvar, void *value, void *object)
{
    const mca_mq_queue_t *queue = pvar->ctx;
    mca_pml_champion_comm_t *comm = bound_comm(object);
    lengths_t lengths = {.of = value};
    mca_mq_base_module_t *module;

    if (NULL == comm) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    memset(value, 0, comm->sources * sizeof(*lengths.of));
    lengths.context = comm->context;
    mca_pml_champion_lock();
    module = comm->domain->module;
    module->mq_each(module, *queue, length_add, &lengths);
    mca_pml_champion_unlock();
    return OMPI_SUCCESS;
}

static void register_length(const char *name, const char *description,
                            const mca_mq_queue_t *queue)
{
    (void) mca_base_component_pvar_register(
        mca_pml_champion.component, name, description, OPAL_INFO_LVL_4,
        MCA_BASE_PVAR_CLASS_SIZE, MCA_BASE_VAR_TYPE_UNSIGNED_INT, NULL,
        MPI_T_BIND_MPI_COMM,
        MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, length_get,
        NULL, notify, (void *) (uintptr_t) queue);
}

/* ---- All of them ---- */

/* Counters can be started and stopped; levels are continuous. */
static void register_stat(const mca_pml_champion_stat_t *stat, bool is_comm)
{
    static const int classes[] = {
        [MCA_PML_CHAMPION_STAT_COUNT] = MCA_BASE_PVAR_CLASS_COUNTER,
        [MCA_PML_CHAMPION_STAT_MAX] = MCA_BASE_PVAR_CLASS_HIGHWATERMARK,
        [MCA_PML_CHAMPION_STAT_NOW] = MCA_BASE_PVAR_CLASS_LEVEL,
    };
    bool counts = MCA_PML_CHAMPION_STAT_COUNT == stat->kind;
    char name[64], description[256];

    snprintf(name, sizeof(name), "%s_%s", stat->group, stat->name);
    snprintf(description, sizeof(description), "%s (%s)", stat->description,
             stat->unit);
    (void) mca_base_component_pvar_register(
        mca_pml_champion.component, name, description, OPAL_INFO_LVL_4,
        classes[stat->kind], MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL,
        is_comm ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT,
        MCA_BASE_PVAR_FLAG_READONLY |
            (counts ? 0 : MCA_BASE_PVAR_FLAG_CONTINUOUS),
        is_comm ? comm_get : process_get, NULL, is_comm ? notify : NULL,
        (void *) (uintptr_t) stat);
}

static bool pvars_register(void)
{
    static const mca_mq_queue_t posted = MCA_MQ_POSTED;
    static const mca_mq_queue_t unexpected = MCA_MQ_UNEXPECTED;

    register_length("posted_recvq_length",
                    "Posted receives that name this source, for each peer in a "
                    "communicator",
                    &posted);
    register_length("unexpected_msgq_length",
                    "Unexpected messages from each peer in a communicator",
                    &unexpected);
    for (size_t i = 0; i < MCA_PML_CHAMPION_STATS; ++i) {
        register_stat(&mca_pml_champion_stats[i],
                      i < MCA_PML_CHAMPION_COMM_STATS);
    }
    return true;
}

MCA_PML_CHAMPION_UNIT(pvars) = {.name = "performance variables",
                                .registers = pvars_register};
