/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators come and go.
 */

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/pml_champion_offload.h"

/* Make room for an index. */
static int comms_grow(uint32_t index)
{
    uint32_t size = mca_pml_champion.num_comms;
    mca_pml_champion_comm_t **comms;

    if (index < size) {
        return OMPI_SUCCESS;
    }
    size = 0 == size ? 64 : size;
    while (size <= index) {
        size *= 2;
    }
    comms = realloc(mca_pml_champion.comms, size * sizeof(*comms));
    if (NULL == comms) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    memset(comms + mca_pml_champion.num_comms, 0,
           (size - mca_pml_champion.num_comms) * sizeof(*comms));
    mca_pml_champion.comms = comms;
    mca_pml_champion.num_comms = size;
    return OMPI_SUCCESS;
}

/* Match the messages that came before their communicator, in order. */
static void parked_release(uint32_t context)
{
    mca_pml_champion_message_t **at = &mca_pml_champion.parked;
    mca_pml_champion_message_t *due = NULL, **due_tail = &due, *message;

    while (NULL != (message = *at)) {
        if (message->entry.envelope.context != context) {
            at = (mca_pml_champion_message_t **) &message->entry.link[0];
            continue;
        }
        *at = mca_pml_champion_message_next(message);
        message->entry.link[0] = NULL;
        *due_tail = message;
        due_tail = (mca_pml_champion_message_t **) &message->entry.link[0];
    }
    mca_pml_champion.parked_tail = at;
    while (NULL != (message = due)) {
        due = mca_pml_champion_message_next(message);
        mca_pml_champion_message_match(message);
    }
}

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

static void context_set(mca_pml_champion_comm_t *comm)
{
    comm->index = MCA_MQ_OMPI_LOCAL_CID(comm->comm);
    comm->context = context_of(comm->comm);
    comm->header.context = comm->context;
}

/* Let messages find a communicator. */
static int comm_enter(mca_pml_champion_comm_t *comm)
{
    int rc = comms_grow(comm->index);

    if (OMPI_SUCCESS == rc && comm->context != comm->index) {
        rc = opal_hash_table_set_value_uint32(&mca_pml_champion.own_comms,
                                              comm->context, comm);
    }
    if (OMPI_SUCCESS == rc) {
        mca_pml_champion.comms[comm->index] = comm;
    }
    return rc;
}

/* From now on they are leftovers. */
static void comm_leave(const mca_pml_champion_comm_t *comm)
{
    mca_pml_champion.comms[comm->index] = MCA_PML_CHAMPION_COMM_GONE;
    if (comm->context == comm->index) {
        return;
    }
    mca_pml_champion.own_last = NULL;
    if (mca_pml_champion_context_is_reused(comm->context)) {
        (void) opal_hash_table_remove_value_uint32(&mca_pml_champion.own_comms,
                                                   comm->context);
    } else {
        (void) opal_hash_table_set_value_uint32(&mca_pml_champion.own_comms,
                                                comm->context,
                                                MCA_PML_CHAMPION_COMM_GONE);
    }
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

    comm = calloc(1, sizeof(*comm) + (mca_pml_champion.params.stats
                                          ? sizeof(mca_mq_stats_t)
                                          : 0));
    if (NULL == comm) {
        return NULL;
    }
    comm->comm = ompi_comm;
    context_set(comm);
    info.context = comm->context;
    comm->sources = info.size;
    comm->header.source = ompi_comm_rank(ompi_comm);
    comm->header.vpid = OPAL_PROC_MY_NAME.vpid;
    if (mca_pml_champion.params.stats) {
        comm->stats = (mca_mq_stats_t *) (comm + 1);
        info.stats = comm->stats;
    }
    if (mca_mq_base_is_process_scope()) {
        /* Figures of a shared domain are those of the process. */
        if (NULL != comm->stats) {
            info.stats = &mca_pml_champion.total;
            comm->stats = NULL;
        }
        comm->domain = mca_mq_base_domain_share(&info);
    } else if (OMPI_SUCCESS == mca_mq_base_domain_init(&comm->own, &info)) {
        comm->domain = &comm->own;
    }
    if (NULL == comm->domain) {
        free(comm);
        return NULL;
    }
    return comm;
}

/* Not with anything of the communicator still queued. */
static void comm_free(mca_pml_champion_comm_t *comm)
{
    if (comm->domain == &comm->own) {
        mca_pml_champion.counters.migrations += comm->own.migrations;
        mca_mq_base_domain_fini(&comm->own);
    } else {
        mca_mq_base_domain_unshare(comm->domain);
    }
    free(comm);
}

int mca_pml_champion_add_comm(ompi_communicator_t *ompi_comm)
{
    mca_pml_champion_comm_t *comm;
    mca_pml_champion_request_t *completed;
    int rc;

    mca_pml_champion_lock();
    comm = comm_new(ompi_comm);
    if (NULL == comm) {
        mca_pml_champion_unlock();
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = comm_enter(comm);
    if (OMPI_SUCCESS != rc) {
        mca_pml_champion_unlock();
        comm_free(comm);
        return rc;
    }
    ompi_comm->c_pml_comm = (struct mca_pml_comm_t *) comm;
    parked_release(comm->context);
    completed = mca_pml_champion_request_pop_all();
    mca_pml_champion_unlock();
    mca_pml_champion_request_complete_all(completed);
    rc = mca_pml_champion_assert_subscribe(comm);
    if (OMPI_SUCCESS == rc) {
        rc = mca_pml_champion_choice_subscribe(comm);
    }
    if (OMPI_SUCCESS == rc && ompi_comm == &ompi_mpi_comm_self.comm) {
        rc = mca_pml_champion_finalize_arm();
    }
    return rc;
}

static void unexpected_dispose(mca_mq_entry_t *entry, void *arg)
{
    (void) arg;
    mca_pml_champion_message_drop((mca_pml_champion_message_t *) entry);
}

/* Receives hold their communicator; those that are left here were never
 * completed by the user, and MPI_Finalize is at work. */
static void posted_dispose(mca_mq_entry_t *entry, void *arg)
{
    mca_pml_champion_recv_t *recv = (mca_pml_champion_recv_t *) entry;

    (void) arg;
    recv->posted = false;
    if (mca_pml_champion_offload.on) {
        mca_pml_champion_offload_abandon(recv);
    }
}

int mca_pml_champion_del_comm(ompi_communicator_t *ompi_comm)
{
    mca_pml_champion_comm_t *comm = mca_pml_champion_comm(ompi_comm);
    mca_pml_champion_request_t *completed;
    mca_mq_base_module_t *module;

    if (NULL == comm) {
        return OMPI_SUCCESS;
    }
    mca_pml_champion_lock();
    module = comm->domain->module;
    comm_leave(comm);
    mca_mq_base_purge(module, MCA_MQ_UNEXPECTED, &comm->context,
                      unexpected_dispose, NULL);
    mca_mq_base_purge(module, MCA_MQ_POSTED, &comm->context, posted_dispose,
                      NULL);
    if (mca_pml_champion_offload.on) {
        mca_pml_champion_offload_forget(comm->context);
    }
    if (NULL != comm->stats) {
        mca_pml_champion_stats_add(&mca_pml_champion.total, comm->stats);
    }
    comm_free(comm);
    completed = mca_pml_champion_request_pop_all();
    mca_pml_champion_unlock();
    mca_pml_champion_request_complete_all(completed);
    ompi_comm->c_pml_comm = NULL;
    return OMPI_SUCCESS;
}

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
