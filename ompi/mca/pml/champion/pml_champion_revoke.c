/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Comm_revoke, of Open MPI 5.0 and later: what waits in a communicator is
 * given up, but for what its members use to agree on that.
 */

#include "ompi/mca/pml/champion/pml_champion_message.h"

typedef struct entries_t {
    mca_mq_entry_t *first;
    mca_mq_entry_t **tail;
} entries_t;

static void take(mca_mq_entry_t *entry, void *arg)
{
    entries_t *entries = arg;

    entry->link[0] = NULL;
    *entries->tail = entry;
    entries->tail = (mca_mq_entry_t **) &entry->link[0];
}

static void fail_posted(mca_mq_entry_t *entry)
{
    mca_pml_champion_recv_t *recv = (mca_pml_champion_recv_t *) entry;

    recv->posted = false;
    *recv->status = ompi_status_empty;
    recv->status->MPI_ERROR = MCA_MQ_OMPI_ERR_REVOKED;
    mca_pml_champion_recv_complete(recv);
}

static void fail_unexpected(mca_mq_entry_t *entry)
{
    mca_pml_champion_message_drop((mca_pml_champion_message_t *) entry);
}

/* Take all out of a queue, and put back what stays, in order. */
static void revoke_in(mca_pml_champion_comm_t *comm, mca_mq_queue_t queue,
                      bool coll_only)
{
    mca_mq_base_module_t *module = comm->domain->module;
    entries_t entries = {.tail = &entries.first};
    mca_mq_entry_t *entry;

    mca_mq_base_purge(module, queue, &comm->context, take, &entries);
    while (NULL != (entry = entries.first)) {
        bool posted = MCA_MQ_POSTED == queue;

        entries.first = entry->link[0];
        if (MCA_MQ_OMPI_TAG_REVOKED(entry->envelope.tag, coll_only)) {
            posted ? fail_posted(entry) : fail_unexpected(entry);
        } else if (posted) {
            module->mq_insert_posted(module, entry);
        } else {
            module->mq_insert_unexpected(module, entry);
        }
    }
}

int mca_pml_champion_revoke_comm(ompi_communicator_t *ompi_comm, bool coll_only)
{
    mca_pml_champion_comm_t *comm = mca_pml_champion_comm(ompi_comm);
    mca_pml_champion_request_t *completed;

    if (OMPI_COMM_IS_INTER(ompi_comm)) {
        (void) mca_pml_champion_revoke_comm(ompi_comm->c_local_comm, coll_only);
    }
    if (NULL == comm) {
        return OMPI_SUCCESS;
    }
    mca_pml_champion_lock();
    MCA_MQ_OMPI_COMM_REVOKE(ompi_comm, coll_only);
    revoke_in(comm, MCA_MQ_POSTED, coll_only);
    revoke_in(comm, MCA_MQ_UNEXPECTED, coll_only);
    completed = mca_pml_champion_request_pop_all();
    mca_pml_champion_unlock();
    mca_pml_champion_request_complete_all(completed);
    return OMPI_SUCCESS;
}
