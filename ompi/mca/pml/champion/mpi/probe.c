/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/mpi/probe.h"

#include "ompi/mca/pml/champion/match/arrival.h"
#include "ompi/mca/pml/champion/mpi/info_keys.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/progress/progress.h"

/* Messages taken by matched probes and not received yet, newest first. */
static mca_pml_champion_message_t *probed;

static void probe_status(ompi_status_public_t *status,
                         const mca_pml_champion_message_t *message)
{
    if (MPI_STATUS_IGNORE != status) {
        status->MPI_SOURCE = message->entry.envelope.source;
        status->MPI_TAG = message->entry.envelope.tag;
        status->_cancelled = 0;
        status->_ucount = message->length;
    }
}

/* Add to the doubly linked list of probed messages. The program may free the
 * communicator before it receives the message, so it is retained. */
static void probed_add(mca_pml_champion_message_t *message,
                       ompi_message_t *handle)
{
    mca_pml_champion_message_t *next = probed;

    OBJ_RETAIN(handle->comm);
    message->entry.link[2] = handle;

    message->entry.link[0] = next;
    message->entry.link[1] = NULL;
    if (NULL != next) {
        next->entry.link[1] = message;
    }
    probed = message;
}

static void probed_remove(mca_pml_champion_message_t *message)
{
    mca_pml_champion_message_t *next = message->entry.link[0];
    mca_pml_champion_message_t *previous = message->entry.link[1];

    if (NULL != previous) {
        previous->entry.link[0] = next;
    } else {
        probed = next;
    }
    if (NULL != next) {
        next->entry.link[1] = previous;
    }
}

mca_pml_champion_message_t *mca_pml_champion_probed_take(
    ompi_message_t **handle, ompi_communicator_t **comm)
{
    mca_pml_champion_message_t *message = (*handle)->req_ptr;

    *comm = (*handle)->comm;
    mca_pml_champion_lock();
    probed_remove(message);
    mca_pml_champion_unlock();
    ompi_message_return(*handle);
    *handle = MPI_MESSAGE_NULL;
    return message;
}

/* The newest one that is of no session; NULL: there is none. Lock held. */
static mca_pml_champion_message_t *newest_probed(void)
{
    mca_pml_champion_message_t *message = probed;

    while (NULL != message) {
        const ompi_message_t *handle = message->entry.link[2];

        if (!mca_mq_ompi_is_of_session(handle->comm)) {
            break;
        }
        message = message->entry.link[0];
    }
    return message;
}

void mca_pml_champion_probed_drop(void)
{
    mca_pml_champion_message_t *message;

    MCA_PML_CHAMPION_UNLOCKED();
    mca_pml_champion_lock();
    while (NULL != (message = newest_probed())) {
        ompi_message_t *handle = message->entry.link[2];
        ompi_communicator_t *comm = handle->comm;

        probed_remove(message);
        mca_pml_champion_message_drop(message);
        mca_pml_champion_unlock();
        ompi_message_return(handle);
        OBJ_RELEASE(comm); /* takes the lock if this was the last reference */
        mca_pml_champion_lock();
    }
    mca_pml_champion_unlock();
}

/* Look for a message once, and take it if there is a handle. Lock held. */
static bool look(const mca_mq_envelope_t *envelope,
                 ompi_communicator_t *ompi_comm, ompi_message_t *handle,
                 ompi_status_public_t *status)
{
    mca_mq_base_domain_t *domain = mca_pml_champion_comm(ompi_comm)->domain;
    mca_pml_champion_message_t *message;

    MCA_PML_CHAMPION_LOCKED();
    message =
        (mca_pml_champion_message_t *) (NULL == handle
                                            ? mca_mq_base_probe(domain,
                                                                envelope)
                                            : mca_mq_base_match_unexpected(
                                                  domain, envelope));
    if (NULL == message) {
        return false;
    }
    probe_status(status, message);
    if (NULL != handle) {
        handle->comm = ompi_comm;
        handle->req_ptr = message;
        handle->peer = message->entry.envelope.source;
        handle->count = message->length;
        probed_add(message, handle);
    }
    return true;
}

static mca_mq_envelope_t probe_envelope(int source, int tag,
                                        ompi_communicator_t *comm)
{
    return (mca_mq_envelope_t){mca_pml_champion_comm(comm)->context, source,
                               tag};
}

static bool look_locked(const mca_mq_envelope_t *envelope,
                        ompi_communicator_t *comm, ompi_message_t *handle,
                        ompi_status_public_t *status)
{
    bool found;

    mca_pml_champion_lock();
    found = look(envelope, comm, handle, status);
    mca_pml_champion_unlock();
    return found;
}

/* A nonblocking probe: look, make progress, and look again if that, or another
 * thread meanwhile, has done anything. */
static bool look_now(int source, int tag, ompi_communicator_t *comm,
                     ompi_message_t *handle, ompi_status_public_t *status)
{
    /* Looks in vain until other components make progress, too. Threads that
     * count at a time may lose one. Atomic. */
    static unsigned looks_left;
    const unsigned left = __atomic_load_n(&looks_left, __ATOMIC_RELAXED);
    const mca_mq_envelope_t envelope = probe_envelope(source, tag, comm);

    if (look_locked(&envelope, comm, handle, status)) {
        return true;
    }
    if (0 != left) {
        __atomic_store_n(&looks_left, left - 1, __ATOMIC_RELAXED);
        if (0 == mca_pml_champion_progress() && !mca_pml_champion.threaded) {
            return false;
        }
    } else {
        __atomic_store_n(&looks_left, MCA_PML_CHAMPION_POLLS - 1,
                         __ATOMIC_RELAXED);
        opal_progress();
    }
    return look_locked(&envelope, comm, handle, status);
}

/*
 * A blocking probe. It looks once, and again only after an arrival that matches
 * it: a search after each progress call would traverse a growing queue over and
 * over. It returns without a message only if the communicator is revoked.
 */
static int look_until_found(int source, int tag, ompi_communicator_t *comm,
                            ompi_message_t *handle,
                            ompi_status_public_t *status)
{
    mca_pml_champion_prober_t prober = {
        .envelope = probe_envelope(source, tag, comm),
    };
    int rc = OMPI_SUCCESS;

    mca_pml_champion_lock();
    while (!look(&prober.envelope, comm, handle, status)) {
        if (MCA_MQ_OMPI_IS_REVOKED(comm, tag)) {
            rc = MCA_MQ_OMPI_ERR_REVOKED(comm);
            break;
        }
        mca_pml_champion_probers_add(&prober);
        mca_pml_champion_unlock();
        mca_pml_champion_wait(&prober.found, MCA_PML_CHAMPION_FOR_PROBE);
        mca_pml_champion_lock();
        mca_pml_champion_probers_remove(&prober);
        /* Another thread may receive the message first: loop. */
    }
    mca_pml_champion_unlock();
    return rc;
}

static inline int check(int source, int tag, ompi_communicator_t *ompi_comm)
{
    mca_pml_champion_comm_t *comm = mca_pml_champion_comm(ompi_comm);

    if (mca_pml_champion_breaks_promise(comm, source, tag)) {
        return mca_pml_champion_broken_promise(comm, source);
    }
    return MCA_MQ_OMPI_IS_REVOKED(ompi_comm, tag)
               ? MCA_MQ_OMPI_ERR_REVOKED(ompi_comm)
               : OMPI_SUCCESS;
}

int mca_pml_champion_iprobe(int source, int tag, ompi_communicator_t *comm,
                            int *matched, ompi_status_public_t *status)
{
    int rc = check(source, tag, comm);

    if (OPAL_LIKELY(OMPI_SUCCESS == rc)) {
        *matched = look_now(source, tag, comm, NULL, status);
    }
    return rc;
}

int mca_pml_champion_probe(int source, int tag, ompi_communicator_t *comm,
                           ompi_status_public_t *status)
{
    int rc = check(source, tag, comm);

    return OPAL_LIKELY(OMPI_SUCCESS == rc)
               ? look_until_found(source, tag, comm, NULL, status)
               : rc;
}

int mca_pml_champion_improbe(int source, int tag, ompi_communicator_t *comm,
                             int *matched, ompi_message_t **message,
                             ompi_status_public_t *status)
{
    ompi_message_t *handle;
    int rc = check(source, tag, comm);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    handle = ompi_message_alloc();
    if (NULL == handle) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *matched = look_now(source, tag, comm, handle, status);
    if (*matched) {
        *message = handle;
    } else {
        ompi_message_return(handle);
    }
    return OMPI_SUCCESS;
}

int mca_pml_champion_mprobe(int source, int tag, ompi_communicator_t *comm,
                            ompi_message_t **message,
                            ompi_status_public_t *status)
{
    ompi_message_t *handle;
    int rc = check(source, tag, comm);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    handle = ompi_message_alloc();
    if (NULL == handle) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = look_until_found(source, tag, comm, handle, status);
    if (OMPI_SUCCESS != rc) {
        ompi_message_return(handle);
        return rc;
    }
    *message = handle;
    return OMPI_SUCCESS;
}
