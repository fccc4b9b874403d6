/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The module, and what belongs to no other file.
 */

#include <limits.h>

#include "ompi/mca/pml/base/pml_base_bsend.h"

#include "ompi/mca/pml/champion/pml_champion_agree.h"
#include "ompi/mca/pml/champion/pml_champion_message.h"
#include "ompi/mca/pml/champion/pml_champion_peer.h"
#include "ompi/mca/pml/champion/pml_champion_recv.h"
#include "ompi/mca/pml/champion/pml_champion_send.h"
#include "ompi/mca/pml/champion/pml_champion_thread.h"

mca_pml_champion_t mca_pml_champion = {
    .completed_tail = &mca_pml_champion.completed,
    .parked_tail = &mca_pml_champion.parked,
    .output = -1,
};

void mca_pml_champion_lock_wait(void)
{
    __atomic_store_n(&mca_pml_champion.lock_wanted, true, __ATOMIC_RELAXED);
    opal_mutex_lock(&mca_pml_champion.lock);
}

unsigned mca_pml_champion_progress_step(void)
{
    unsigned events = mca_pml_champion_poll();

    if (OPAL_UNLIKELY(NULL != mca_pml_champion.delayed)) {
        mca_pml_champion_delay_progress();
    }
    return events;
}

/* The lock keeps a call from below itself away as well. */
static __attribute__((noinline)) int progress_threaded(void)
{
    mca_pml_champion_request_t *completed;
    unsigned events;

    if (0 != opal_mutex_trylock(&mca_pml_champion.lock)) {
        __atomic_store_n(&mca_pml_champion.lock_wanted, true, __ATOMIC_RELAXED);
        return 0;
    }
    __atomic_store_n(&mca_pml_champion.calls, mca_pml_champion.calls + 1,
                     __ATOMIC_RELAXED);
    events = mca_pml_champion_progress_step();
    completed = mca_pml_champion_request_pop_all();
    opal_mutex_unlock(&mca_pml_champion.lock);
    return (int) events + mca_pml_champion_request_complete_all(completed);
}

int mca_pml_champion_progress(void)
{
    int events;

    if (OPAL_UNLIKELY(mca_pml_champion.threaded)) {
        return progress_threaded();
    }
    if (OPAL_UNLIKELY(mca_pml_champion.in_progress)) {
        return 0;
    }
    mca_pml_champion.in_progress = true;
    events = (int) mca_pml_champion_poll();
    mca_pml_champion.in_progress = false;
    if (OPAL_UNLIKELY(NULL != mca_pml_champion.completed ||
                      NULL != mca_pml_champion.delayed)) {
        events += mca_pml_champion_progress_more();
    }
    return events;
}

__attribute__((noinline)) int mca_pml_champion_progress_more(void)
{
    if (NULL != mca_pml_champion.delayed) {
        mca_pml_champion_delay_progress();
    }
    return mca_pml_champion_request_complete_all(
        mca_pml_champion_request_pop_all());
}

static int champion_enable(bool enable)
{
    int rc;

    if (!enable) {
        return OMPI_SUCCESS;
    }
    mca_pml_champion_agree();
    rc = mca_pml_champion_request_init();
    if (OMPI_SUCCESS == rc) {
        rc = mca_pml_champion_peers_init();
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_pml_champion_thread_start();
    }
    return rc;
}

/* Endpoints are made at first use: a process talks to few of the many. */
static int champion_add_procs(ompi_proc_t **procs, size_t count)
{
    int rc = mca_pml_base_pml_check_selected("champion", procs, count);

    return OMPI_SUCCESS == rc ? mca_pml_champion_ft_add_procs(procs, count)
                              : rc;
}

static int champion_del_procs(ompi_proc_t **procs, size_t count)
{
    mca_pml_champion_ft_del_procs(procs, count);
    for (size_t i = 0; i < count; ++i) {
        procs[i]->proc_endpoints[OMPI_PROC_ENDPOINT_TAG_PML] = NULL;
    }
    return OMPI_SUCCESS;
}

/* Returns an MPI error, because MPI_Start hands it to the program as it is.
 * MPI_Startall of Open MPI drops it, so a request that cannot be started is
 * complete with that error, for whoever waits for it; the others start. */
static int champion_start(size_t count, ompi_request_t **requests)
{
    int first_error = MPI_SUCCESS;

    for (size_t i = 0; i < count; ++i) {
        mca_pml_champion_request_t *request =
            (mca_pml_champion_request_t *) requests[i];
        int error;

        if (NULL == request ||
            OMPI_REQUEST_PML != request->super.req_ompi.req_type) {
            continue;
        }
        request->super.req_ompi.req_complete = REQUEST_PENDING;
        request->state = 0;
        request->in_callback = false;
        error = MCA_PML_REQUEST_SEND == request->super.req_type
                    ? mca_pml_champion_start_send(request)
                    : mca_pml_champion_start_recv(request);
        first_error = MPI_SUCCESS == first_error ? error : first_error;
    }
    return first_error;
}

mca_pml_base_module_t mca_pml_champion_module = {
    .pml_add_procs = champion_add_procs,
    .pml_del_procs = champion_del_procs,
    .pml_enable = champion_enable,
    .pml_progress = mca_pml_champion_progress,
    .pml_add_comm = mca_pml_champion_add_comm,
    .pml_del_comm = mca_pml_champion_del_comm,
    .pml_irecv_init = mca_pml_champion_irecv_init,
    .pml_irecv = mca_pml_champion_irecv,
    .pml_recv = mca_pml_champion_recv,
    .pml_isend_init = mca_pml_champion_isend_init,
    .pml_isend = mca_pml_champion_isend,
    .pml_send = mca_pml_champion_send,
    .pml_iprobe = mca_pml_champion_iprobe,
    .pml_probe = mca_pml_champion_probe,
    .pml_start = champion_start,
    .pml_improbe = mca_pml_champion_improbe,
    .pml_mprobe = mca_pml_champion_mprobe,
    .pml_imrecv = mca_pml_champion_imrecv,
    .pml_mrecv = mca_pml_champion_mrecv,
    .pml_dump = mca_pml_champion_dump,
    .pml_max_contextid = MCA_PML_CHAMPION_CONTEXT_INTER - 1,
    .pml_max_tag = INT_MAX,
    MCA_MQ_OMPI_PML_HOOKS(mca_pml_champion_revoke_comm,
                          mca_pml_champion_peer_transports),
};
