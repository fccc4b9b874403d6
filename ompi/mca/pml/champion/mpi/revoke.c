/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Comm_revoke, of Open MPI 5.0 and later: pending operations of a
 * communicator fail, except those with which its members agree on the
 * revocation.
 */

#include "ompi/mca/pml/champion/mpi/revoke.h"

#include "opal/class/opal_bitmap.h"
#include "opal/util/show_help.h"

#include "ompi/mca/bml/base/base.h"
#include "ompi/message/message.h"
#include "ompi/runtime/params.h"

#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/offload/offload_recv.h"
#include "ompi/mca/pml/champion/match/arrival.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/progress/progress.h"

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

/* Fail a receive that has been removed from its queue. */
static void fail_posted(const mca_pml_champion_comm_t *comm,
                        mca_pml_champion_recv_t *recv)
{
    recv->posted = false;
    *recv->status = ompi_status_empty;
    mca_pml_champion_recv_fail(recv, MCA_MQ_OMPI_ERR_REVOKED(comm->comm));
    if (mca_pml_champion_offload_give_up(recv,
                                         MCA_PML_CHAMPION_TRACKED_FAILED)) {
        mca_pml_champion_recv_complete(recv);
    }
}

void mca_pml_champion_recv_revoked(mca_pml_champion_comm_t *comm,
                                   mca_pml_champion_recv_t *recv)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_mq_base_withdraw_posted(comm->domain, &recv->entry);
    fail_posted(comm, recv);
}

/* Empty a queue, and put back what is not revoked, in order. */
static void revoke_in(mca_pml_champion_comm_t *comm, mca_mq_queue_t queue,
                      bool coll_only)
{
    mca_mq_base_domain_t *domain = comm->domain;
    entries_t entries = {.tail = &entries.first};
    mca_mq_entry_t *entry;

    mca_mq_base_purge(domain->module, queue, &comm->context, take, &entries);
    while (NULL != (entry = entries.first)) {
        bool posted = MCA_MQ_POSTED == queue;

        entries.first = entry->link[0];
        if (MCA_MQ_OMPI_TAG_REVOKED(entry->envelope.tag, coll_only)) {
            if (posted) {
                fail_posted(comm, (mca_pml_champion_recv_t *) entry);
            } else {
                mca_pml_champion_message_drop(
                    (mca_pml_champion_message_t *) entry);
            }
        } else if (posted) {
            mca_mq_base_insert_posted(domain, entry);
        } else {
            mca_mq_base_insert_unexpected(domain, entry);
        }
    }
}

int mca_pml_champion_revoke_comm(ompi_communicator_t *ompi_comm, bool coll_only)
{
    mca_pml_champion_comm_t *comm = mca_pml_champion_comm(ompi_comm);

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
    mca_pml_champion_probers_wake(comm->context);
    (void) mca_pml_champion_unlock_and_complete();
    return OMPI_SUCCESS;
}

/*
 * Open MPI announces revoked communicators and failed processes through the
 * transports of pml/ob1, and relies on the PML to open them.
 */
static bool ft_is_open;

static int ft_open(void)
{
    int rc;

    if (!MCA_MQ_OMPI_FT_ENABLED) {
        return OMPI_SUCCESS;
    }
    rc = mca_base_framework_open(&ompi_bml_base_framework, 0);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = mca_bml_base_init(false, mca_pml_champion.multiple);
    if (OMPI_SUCCESS != rc || NULL == mca_bml.bml_register) {
        opal_show_help("help-mpi-pml-champion.txt", "fault tolerance", true);
        (void) mca_base_framework_close(&ompi_bml_base_framework);
        return OMPI_SUCCESS == rc ? OMPI_ERR_NOT_AVAILABLE : rc;
    }
    ft_is_open = true;
    return OMPI_SUCCESS;
}

int mca_pml_champion_ft_add_procs(ompi_proc_t **procs, size_t count)
{
    opal_bitmap_t reachable;
    int rc;

    if (!ft_is_open || 0 == count) {
        return OMPI_SUCCESS;
    }
    OBJ_CONSTRUCT(&reachable, opal_bitmap_t);
    rc = opal_bitmap_init(&reachable, (int) count);
    if (OMPI_SUCCESS == rc) {
        rc = mca_bml.bml_add_procs(count, procs, &reachable);
    }
    OBJ_DESTRUCT(&reachable);
    return rc;
}

void mca_pml_champion_ft_del_procs(ompi_proc_t **procs, size_t count)
{
    if (ft_is_open) {
        (void) mca_bml.bml_del_procs(count, procs);
    }
}

static void ft_close(void)
{
    if (ft_is_open) {
        ft_is_open = false;
        (void) mca_bml.bml_finalize();
        (void) mca_base_framework_close(&ompi_bml_base_framework);
    }
}

MCA_PML_CHAMPION_UNIT(faults) = {
    .name = "fault tolerance", .open = ft_open, .close = ft_close};

/* ---- calls that end when a process has failed --------------------------- */

/* The functions for a job in which nobody fails. */
static mca_pml_base_module_t behind;

/* Wait for a request and free it. A receive from any source that was not
 * acknowledged to be in doubt only pauses for MPI_Wait; a blocking call ends. */
static int wait_for(ompi_request_t *request, ompi_status_public_t *status)
{
    const ompi_status_public_t *result = &request->req_status;
    int rc;

    ompi_request_wait_completion(request);
    rc = result->MPI_ERROR;
    if (MCA_MQ_OMPI_ERR_PENDING == rc) {
        (void) ompi_request_cancel(request);
        ompi_request_wait_completion(request);
        rc = MCA_MQ_OMPI_ERR_FAILED;
    }
    if (MPI_STATUS_IGNORE != status) {
        status->MPI_SOURCE = result->MPI_SOURCE;
        status->MPI_TAG = result->MPI_TAG;
        status->_cancelled = 0;
        status->_ucount = result->_ucount;
    }
    (void) ompi_request_free(&request);
    return rc;
}

static int entry_send(const void *buffer, size_t count,
                      ompi_datatype_t *datatype, int dst, int tag,
                      mca_pml_base_send_mode_t mode, ompi_communicator_t *comm)
{
    ompi_request_t *request;
    int rc = behind.pml_isend(buffer, count, datatype, dst, tag, mode, comm,
                              &request);

    return OMPI_SUCCESS == rc ? wait_for(request, MPI_STATUS_IGNORE) : rc;
}

static int entry_irecv(void *buffer, size_t count, ompi_datatype_t *datatype,
                       int source, int tag, ompi_communicator_t *comm,
                       ompi_request_t **request)
{
    int rc =
        behind.pml_irecv(buffer, count, datatype, source, tag, comm, request);

    if (OMPI_SUCCESS == rc && OMPI_ANY_SOURCE == source) {
        mca_pml_champion_request_doubt((mca_pml_champion_request_t *) *request);
    }
    return rc;
}

static int entry_recv(void *buffer, size_t count, ompi_datatype_t *datatype,
                      int source, int tag, ompi_communicator_t *comm,
                      ompi_status_public_t *status)
{
    ompi_request_t *request;
    int rc = entry_irecv(buffer, count, datatype, source, tag, comm, &request);

    return OMPI_SUCCESS == rc ? wait_for(request, status) : rc;
}

static int entry_mrecv(void *buffer, size_t count, ompi_datatype_t *datatype,
                       ompi_message_t **message, ompi_status_public_t *status)
{
    ompi_request_t *request;
    int rc = behind.pml_imrecv(buffer, count, datatype, message, &request);

    return OMPI_SUCCESS == rc ? wait_for(request, status) : rc;
}

/* A message that is there is found, whoever sent it. It is not taken if message
 * is NULL. */
static int entry_improbe(int source, int tag, ompi_communicator_t *comm,
                         int *matched, ompi_message_t **message,
                         ompi_status_public_t *status)
{
    int rc =
        NULL == message
            ? behind.pml_iprobe(source, tag, comm, matched, status)
            : behind.pml_improbe(source, tag, comm, matched, message, status);

    return OMPI_SUCCESS == rc && !*matched &&
                   MCA_MQ_OMPI_HAS_FAILED(comm, source, tag)
               ? MCA_MQ_OMPI_ERR_FAILED
               : rc;
}

static int entry_iprobe(int source, int tag, ompi_communicator_t *comm,
                        int *matched, ompi_status_public_t *status)
{
    return entry_improbe(source, tag, comm, matched, NULL, status);
}

/* Look again after each step: a failure ends no wait by itself. */
static int entry_mprobe(int source, int tag, ompi_communicator_t *comm,
                        ompi_message_t **message, ompi_status_public_t *status)
{
    mca_pml_champion_waiter_t wait = mca_pml_champion_waiter(
        mca_pml_champion.multiple ? MCA_PML_CHAMPION_POLLS
                                  : mca_pml_champion_pause_after);
    int matched = 0, rc;

    while (OMPI_SUCCESS == (rc = entry_improbe(source, tag, comm, &matched,
                                               message, status)) &&
           !matched) {
        (void) mca_pml_champion_waiter_step(&wait);
    }
    return rc;
}

static int entry_probe(int source, int tag, ompi_communicator_t *comm,
                       ompi_status_public_t *status)
{
    return entry_mprobe(source, tag, comm, NULL, status);
}

mca_pml_base_module_t *mca_pml_champion_fault_entry(
    mca_pml_base_module_t *module)
{
    behind = *module;
    module->pml_send = entry_send;
    module->pml_recv = entry_recv;
    module->pml_irecv = entry_irecv;
    module->pml_mrecv = entry_mrecv;
    module->pml_iprobe = entry_iprobe;
    module->pml_improbe = entry_improbe;
    module->pml_probe = entry_probe;
    module->pml_mprobe = entry_mprobe;
    return &behind;
}
