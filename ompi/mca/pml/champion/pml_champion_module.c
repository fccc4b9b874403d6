/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of the PML's functions, and those of them that belong to no other
 * file.
 */

#include "ompi/mca/pml/champion/pml_champion_module.h"

#include <limits.h>

#include "ompi/mca/pml/champion/boot/address.h"
#include "ompi/mca/pml/champion/core/device.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/mpi/comm.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/mpi/self.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/mpi/probe.h"
#include "ompi/mca/pml/champion/progress/progress.h"
#include "ompi/mca/pml/champion/progress/thread.h"
#include "ompi/mca/pml/champion/mpi/recv.h"
#include "ompi/mca/pml/champion/mpi/cancel.h"
#include "ompi/mca/pml/champion/match/request.h"
#include "ompi/mca/pml/champion/mpi/revoke.h"
#include "ompi/mca/pml/champion/mpi/send.h"
#include "ompi/mca/pml/champion/shm/ring_out.h"
#include "ompi/mca/pml/champion/core/wire.h"

static int champion_start(size_t count, ompi_request_t **requests);
static int champion_start_entry(size_t count, ompi_request_t **requests);

static int requests_start(void)
{
    const mca_pml_champion_request_calls_t calls = {
        .start =
            mca_pml_champion_device.on ? champion_start_entry : champion_start,
        .cancel_recv = mca_pml_champion_cancel_recv,
        .cancel_send = mca_pml_champion_cancel_send,
        .cancel_sent = mca_pml_champion_cancel_sent,
        .recall = mca_pml_champion_cancel_recall,
    };

    return mca_pml_champion_request_init(&calls);
}

MCA_PML_CHAMPION_UNIT(requests) = {.name = "requests",
                                   .start = requests_start,
                                   .stop = mca_pml_champion_request_fini};

/* Endpoints are made at first use: most pairs of processes never
 * communicate. */
static int champion_add_procs(ompi_proc_t **procs, size_t count)
{
    int rc = mca_pml_base_pml_check_selected("champion", procs, count);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    mca_pml_champion_address_meet(procs, count);
    return mca_pml_champion_ft_add_procs(procs, count);
}

static int champion_del_procs(ompi_proc_t **procs, size_t count)
{
    mca_pml_champion_ft_del_procs(procs, count);
    for (size_t i = 0; i < count; ++i) {
        procs[i]->proc_endpoints[OMPI_PROC_ENDPOINT_TAG_PML] = NULL;
    }
    return OMPI_SUCCESS;
}

/* Started and not complete. A request that is restarted from its completion
 * callback is still active, but complete. */
static inline bool is_under_way(const mca_pml_champion_request_t *request)
{
    return OMPI_REQUEST_ACTIVE == request->super.req_ompi.req_state &&
           !request->super.req_pml_complete;
}

/* A request that is under way is in lists, and part of its message may have
 * been written: to start it again would corrupt the protocol. MPI_Start
 * prevents that if it checks its arguments; part/persist of Open MPI 5.0 does
 * not. */
static int refuse_start(void)
{
    static bool said;

    if (!said) {
        said = true;
        opal_output(0, "champion: a persistent request was started again "
                       "before it was complete, and goes on as it was");
    }
    return MPI_ERR_REQUEST;
}

/* Returns an MPI error code, because MPI_Start passes it on to the program.
 * Open MPI's MPI_Startall ignores it; so a request that cannot be started
 * completes with the error, which the program sees when it waits for it. The
 * others start. */
static inline __attribute__((always_inline)) int start(
    size_t count, ompi_request_t **requests,
    int (*start_send)(mca_pml_champion_request_t *request),
    int (*start_recv)(mca_pml_champion_request_t *request))
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
        if (OPAL_UNLIKELY(is_under_way(request))) {
            first_error = refuse_start();
            continue;
        }
        request->super.req_ompi.req_complete = REQUEST_PENDING;
        request->state = 0;
        request->in_callback = false;
        error = MCA_PML_REQUEST_SEND == request->super.req_type
                    ? start_send(request)
                    : start_recv(request);
        first_error = MPI_SUCCESS == first_error ? error : first_error;
    }
    return first_error;
}

static int champion_start(size_t count, ompi_request_t **requests)
{
    return start(count, requests, mca_pml_champion_start_send,
                 mca_pml_champion_start_recv);
}

/* Where there is an accelerator. */
static int champion_start_entry(size_t count, ompi_request_t **requests)
{
    return start(count, requests, mca_pml_champion_start_send_any,
                 mca_pml_champion_start_recv_any);
}

mca_pml_base_module_t mca_pml_champion_module = {
    .pml_add_procs = champion_add_procs,
    .pml_del_procs = champion_del_procs,
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

/* Where there is an accelerator, or Open MPI tolerates faults: the functions for
 * host memory and processes that do not fail. */
static mca_pml_base_module_t *host;

static bool is_ours(const mca_pml_base_module_t *module)
{
    return (mca_pml_champion_send == module->pml_send ||
            mca_pml_champion_send_slow == module->pml_send) &&
           (mca_pml_champion_isend == module->pml_isend ||
            mca_pml_champion_isend_slow == module->pml_isend);
}

static void set_fast_path(mca_pml_base_module_t *module, bool fast)
{
    module->pml_send =
        fast ? mca_pml_champion_send : mca_pml_champion_send_slow;
    module->pml_isend =
        fast ? mca_pml_champion_isend : mca_pml_champion_isend_slow;
}

/* Switch the fast path of sends off, or on again if rings allow it, during a run
 * with one thread, which must not be inside it. False if that is impossible: a
 * component between Open MPI and this one (pml/monitoring, pml/v) has copied the
 * functions. */
static bool switch_fast_path(bool fast)
{
    mca_pml_base_module_t *module = NULL == host ? &mca_pml : host;

    if (!is_ours(module)) {
        return false;
    }
    set_fast_path(module, fast && mca_pml_champion_rings.fast_path);
    return true;
}

static void look_at_buffers(mca_pml_base_module_t *module)
{
    mca_pml_champion_host = *module;
    module->pml_send = mca_pml_champion_send_any;
    module->pml_isend = mca_pml_champion_isend_any;
    module->pml_start = champion_start_entry;
    module->pml_recv = mca_pml_champion_recv_slow;
    module->pml_irecv = mca_pml_champion_irecv_slow;
}

/* Choose the functions before Open MPI copies them: those that look at each
 * buffer, because there is an accelerator, call the others, and are called by
 * those that end when a process has failed. */
static int module_open(void)
{
    mca_pml_base_module_t *module = &mca_pml_champion_module, *behind;

    mca_pml_champion_thread_switch = switch_fast_path;
    if (mca_pml_champion.slow_calls) {
        module->pml_recv = mca_pml_champion_recv_slow;
        module->pml_irecv = mca_pml_champion_irecv_slow;
    }
    if (!mca_pml_champion_rings.fast_path) {
        set_fast_path(module, false);
    }
    if (mca_pml_champion_device.on) {
        look_at_buffers(module);
        host = &mca_pml_champion_host;
    }
    if (MCA_MQ_OMPI_FT_ENABLED) {
        behind = mca_pml_champion_fault_entry(module);
        host = NULL == host ? behind : host;
    }
    return OMPI_SUCCESS;
}

static void module_close(void)
{
    if (NULL != host) {
        mca_pml_champion_module = *host;
        host = NULL;
    }
}

MCA_PML_CHAMPION_UNIT(module) = {
    .name = "module", .open = module_open, .close = module_close};
