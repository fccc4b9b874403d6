/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Creation and destruction of communicators, and dumps of their queues.
 */

#include "ompi/mca/pml/champion/mpi/comm.h"

#include <stdlib.h>

#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/offload/follow.h"
#include "ompi/mca/pml/champion/offload/offload_recv.h"
#include "ompi/mca/pml/champion/match/arrival.h"
#include "ompi/mca/pml/champion/match/complain.h"
#include "ompi/mca/pml/champion/mpi/info_keys.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/core/events.h"
#include "ompi/mca/pml/champion/stats/ended.h"
#include "ompi/mca/pml/champion/stats/observer.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/disconnect.h"
#include "ompi/mca/pml/champion/stats/profile.h"
#include "ompi/mca/pml/champion/stats/stats.h"

int (*mca_pml_champion_self_added)(void);

static uint32_t context_of(ompi_communicator_t *comm)
{
    if (mca_mq_ompi_has_own_index(comm)) {
        return MCA_PML_CHAMPION_CONTEXT_OWN |
               (mca_mq_ompi_common_id(comm) & ~MCA_PML_CHAMPION_CONTEXT_INTER);
    }
    if (MCA_MQ_OMPI_EARLY_INTER && OMPI_COMM_IS_INTER(comm)) {
        return MCA_PML_CHAMPION_CONTEXT_OWN | MCA_PML_CHAMPION_CONTEXT_INTER |
               MCA_MQ_OMPI_LOCAL_CID(comm);
    }
    return MCA_MQ_OMPI_LOCAL_CID(comm);
}

static mca_pml_champion_comm_t *comm_new(ompi_communicator_t *ompi_comm)
{
    mca_mq_domain_info_t info = {
        /* The remote size of an intra-communicator is 0. */
        .size = (uint32_t) (OMPI_COMM_IS_INTER(ompi_comm)
                                ? ompi_comm_remote_size(ompi_comm)
                                : ompi_comm_size(ompi_comm)),
    };
    mca_pml_champion_comm_t *comm;

    comm = calloc(1, sizeof(*comm));
    if (NULL == comm || OMPI_SUCCESS != mca_pml_champion_observer_open(comm)) {
        free(comm);
        return NULL;
    }
    comm->comm = ompi_comm;
    comm->index = MCA_MQ_OMPI_LOCAL_CID(ompi_comm);
    comm->context = info.context = context_of(ompi_comm);
    comm->header.context = comm->context;
    comm->sources = info.size;
    comm->header.source = ompi_comm_rank(ompi_comm);
    comm->header.vpid = OPAL_PROC_MY_NAME.vpid;
    if (mca_mq_base_is_process_scope()) {
        comm->domain = mca_mq_base_domain_share(&info);
    } else if (OMPI_SUCCESS == mca_mq_base_domain_init(&comm->own, &info)) {
        comm->domain = &comm->own;
    }
    if (NULL == comm->domain) {
        free(comm->figures);
        free(comm);
        return NULL;
    }
    return comm;
}

/* Nothing of the communicator may still be queued. */
static void comm_free(mca_pml_champion_comm_t *comm)
{
    if (comm->domain == &comm->own) {
        mca_pml_champion.counters.migrations += comm->own.migrations;
        mca_mq_base_domain_fini(&comm->own);
    } else {
        mca_mq_base_domain_unshare(comm->domain);
    }
    free(comm->figures);
    free(comm);
}

int mca_pml_champion_add_comm(ompi_communicator_t *ompi_comm)
{
    mca_pml_champion_comm_t *comm;
    int rc;

    mca_pml_champion_lock();
    comm = comm_new(ompi_comm);
    if (NULL == comm) {
        mca_pml_champion_unlock();
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = mca_pml_champion_disconnect_join(ompi_comm, &comm->others);
    if (OMPI_SUCCESS == rc) {
        mca_pml_champion_ended_changing();
        rc = mca_pml_champion_context_enter(comm);
        mca_pml_champion_ended_changed();
    }
    if (OMPI_SUCCESS != rc) {
        if (comm->others) {
            mca_pml_champion_disconnect_leave(ompi_comm);
        }
        mca_pml_champion_unlock();
        comm_free(comm);
        return rc;
    }
    ompi_comm->c_pml_comm = (struct mca_pml_comm_t *) comm;
    mca_pml_champion_parked_release(comm->context);
    (void) mca_pml_champion_unlock_and_complete();
    rc = mca_pml_champion_info_subscribe(comm);
    if (OMPI_SUCCESS == rc && ompi_comm == &ompi_mpi_comm_self.comm) {
        rc = mca_pml_champion_self_added();
    }
    return rc;
}

static void unexpected_dispose(mca_mq_entry_t *entry, void *unreceived)
{
    mca_pml_champion_message_t *message = (mca_pml_champion_message_t *) entry;

    mca_pml_champion_unreceived_add(unreceived, message);
    mca_pml_champion_message_drop(message);
}

/* Receives retain their communicator, so this is MPI_Finalize, and the user has
 * never completed the receive. */
static void posted_dispose(mca_mq_entry_t *entry, void *arg)
{
    mca_pml_champion_recv_t *recv = (mca_pml_champion_recv_t *) entry;

    (void) arg;
    recv->posted = false;
    (void) mca_pml_champion_offload_give_up(recv,
                                            MCA_PML_CHAMPION_TRACKED_ABANDONED);
}

int mca_pml_champion_del_comm(ompi_communicator_t *ompi_comm)
{
    mca_pml_champion_comm_t *comm = mca_pml_champion_comm(ompi_comm);
    mca_pml_champion_unreceived_t unreceived = {0};
    mca_mq_base_module_t *module;

    if (NULL == comm) {
        return OMPI_SUCCESS;
    }
    mca_pml_champion_lock();
    module = comm->domain->module;
    mca_pml_champion_info_leave(comm);
    mca_pml_champion_ended_changing();
    mca_pml_champion_context_leave(comm);
    mca_mq_base_purge(module, MCA_MQ_UNEXPECTED, &comm->context,
                      unexpected_dispose, &unreceived);
    mca_pml_champion_unreceived_tell(&unreceived, ompi_comm,
                                     "the communicator ends");
    mca_mq_base_purge(module, MCA_MQ_POSTED, &comm->context, posted_dispose,
                      NULL);
    mca_pml_champion_follow_forget(comm->context);
    mca_pml_champion_stats_leave(comm);
    mca_pml_champion_profile_leave(comm);
    if (comm->others) {
        mca_pml_champion_disconnect_leave(ompi_comm);
    }
    comm_free(comm);
    mca_pml_champion_ended_changed();
    (void) mca_pml_champion_unlock_and_complete();
    ompi_comm->c_pml_comm = NULL;
    return OMPI_SUCCESS;
}

/* A module may be about to finish its operation: nothing of the domain may be
 * used. */
static void migrated(const mca_mq_domain_info_t *info,
                     const mca_mq_base_component_t *from,
                     const mca_mq_base_component_t *to, size_t entries)
{
    const ompi_communicator_t *ompi_comm = &ompi_mpi_comm_null.comm;
    const mca_pml_champion_comm_t *comm;
    mca_pml_champion_event_data_t data;

    if (!mca_pml_champion_event_is_wanted(MCA_PML_CHAMPION_EVENT_MIGRATED)) {
        return;
    }
    if (!mca_mq_base_is_process_scope()) {
        comm = mca_pml_champion_comm_find(info->context);
        if (NULL == comm) {
            return; /* it is being freed */
        }
        ompi_comm = comm->comm;
    }
    data = (mca_pml_champion_event_data_t){
        .word = {(unsigned long long) ompi_comm->c_f_to_c_index, entries},
        .component = {mca_pml_champion_event_component(from),
                      mca_pml_champion_event_component(to)},
    };
    mca_pml_champion_event_queue(MCA_PML_CHAMPION_EVENT_MIGRATED, &data);
}

/* Have mq tell of migrations, for events of MPI_T. */
static int watch(void)
{
    mca_mq_base_migrated = MCA_MQ_OMPI_EVENTS ? migrated : NULL;
    return OMPI_SUCCESS;
}

static void unwatch(void)
{
    mca_mq_base_migrated = NULL;
}

MCA_PML_CHAMPION_UNIT(migrations) = {
    .name = "migrations", .open = watch, .close = unwatch};

static void dump_entry(mca_mq_entry_t *entry, void *arg)
{
    opal_output(0, "  %s: source %d, tag %d, order %llu", (const char *) arg,
                entry->envelope.source, entry->envelope.tag,
                (unsigned long long) entry->order);
}

int mca_pml_champion_dump(ompi_communicator_t *ompi_comm, int verbose)
{
    mca_pml_champion_comm_t *comm = mca_pml_champion_comm(ompi_comm);

    (void) verbose;
    mca_pml_champion_lock();
    opal_output(0, "champion: context %u, rank %d, matched by mq/%s",
                comm->context, comm->header.source,
                mca_mq_base_domain_name(comm->domain));
    mca_mq_base_visit(comm->domain->module, MCA_MQ_POSTED, &comm->context,
                      dump_entry, (void *) (uintptr_t) "posted");
    mca_mq_base_visit(comm->domain->module, MCA_MQ_UNEXPECTED, &comm->context,
                      dump_entry, (void *) (uintptr_t) "unexpected");
    mca_pml_champion_unlock();
    return OMPI_SUCCESS;
}
