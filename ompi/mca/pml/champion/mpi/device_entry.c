/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/mpi/device_entry.h"

#include "ompi/mca/pml/champion/core/device.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/mpi/recv.h"
#include "ompi/mca/pml/champion/mpi/send.h"

/* The functions for host memory. */
static mca_pml_base_module_t host;

static int entry_send(const void *buffer, size_t count,
                      ompi_datatype_t *datatype, int dst, int tag,
                      mca_pml_base_send_mode_t mode, ompi_communicator_t *comm)
{
    void *data = (void *) (uintptr_t) buffer;

    return mca_pml_champion_device_takes(&data, &count, &datatype)
               ? mca_pml_champion_send_device(data, count, datatype, dst, tag,
                                              mode, comm)
               : host.pml_send(data, count, datatype, dst, tag, mode, comm);
}

static int entry_isend(const void *buffer, size_t count,
                       ompi_datatype_t *datatype, int dst, int tag,
                       mca_pml_base_send_mode_t mode, ompi_communicator_t *comm,
                       ompi_request_t **request)
{
    void *data = (void *) (uintptr_t) buffer;

    return mca_pml_champion_device_takes(&data, &count, &datatype)
               ? mca_pml_champion_isend_device(data, count, datatype, dst, tag,
                                               mode, comm, request)
               : host.pml_isend(data, count, datatype, dst, tag, mode, comm,
                                request);
}

static int entry_isend_init(const void *buffer, size_t count,
                            ompi_datatype_t *datatype, int dst, int tag,
                            mca_pml_base_send_mode_t mode,
                            ompi_communicator_t *comm, ompi_request_t **request)
{
    void *data = (void *) (uintptr_t) buffer;

    (void) mca_pml_champion_device_takes(&data, &count, &datatype);
    return host.pml_isend_init(data, count, datatype, dst, tag, mode, comm,
                               request);
}

static int entry_irecv_init(void *buffer, size_t count,
                            ompi_datatype_t *datatype, int source, int tag,
                            ompi_communicator_t *comm, ompi_request_t **request)
{
    (void) mca_pml_champion_device_takes(&buffer, &count, &datatype);
    return host.pml_irecv_init(buffer, count, datatype, source, tag, comm,
                               request);
}

int mca_pml_champion_device_entry_start(mca_pml_champion_request_t *request)
{
    const mca_pml_base_request_t *base = &request->super;
    const bool device = mca_pml_champion_device_has(
        base->req_addr, base->req_count, base->req_datatype);

    if (MCA_PML_REQUEST_SEND == base->req_type) {
        return device ? mca_pml_champion_start_send_device(request)
                      : mca_pml_champion_start_send(request);
    }
    return device ? mca_pml_champion_start_recv_device(request)
                  : mca_pml_champion_start_recv(request);
}

mca_pml_base_module_t *mca_pml_champion_device_entry(
    mca_pml_base_module_t *module)
{
    host = *module;
    module->pml_send = entry_send;
    module->pml_isend = entry_isend;
    module->pml_isend_init = entry_isend_init;
    module->pml_recv = mca_pml_champion_recv_slow;
    module->pml_irecv = mca_pml_champion_irecv_slow;
    module->pml_irecv_init = entry_irecv_init;
    module->pml_mrecv = mca_pml_champion_mrecv_slow;
    module->pml_imrecv = mca_pml_champion_imrecv_slow;
    return &host;
}

/* ---- rendezvous into the memory of a device ----------------------------- */

static void (*deliver)(mca_pml_champion_arrival_t *arrival,
                       mca_pml_champion_recv_t *recv);

/* Of a receive that is described as non-contiguous, but is contiguous, the
 * buffer is in the memory of a device. UCX alone writes to it from here on. */
static void rendezvous_deliver(mca_pml_champion_arrival_t *arrival,
                               mca_pml_champion_recv_t *recv)
{
    const mca_pml_champion_layout_t *layout = &recv->layout;

    if (!recv->contiguous &&
        mca_pml_champion_contiguous(layout->datatype, layout->count)) {
        recv->data = mca_pml_champion_begin(layout->buffer, layout->datatype);
        recv->contiguous = true;
        ++mca_pml_champion.counters.device_ucx;
    }
    deliver(arrival, recv);
}

/* Where UCX knows the device, let it receive rendezvous messages into the
 * device's memory. */
static int device_entry_open(void)
{
    mca_pml_champion_payload_ops_t *ops =
        &mca_pml_champion_payloads[MCA_PML_CHAMPION_RENDEZVOUS];

    if (mca_pml_champion_device.by_ucx && rendezvous_deliver != ops->deliver) {
        deliver = ops->deliver;
        ops->deliver = rendezvous_deliver;
    }
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(device_entry) = {.name = "device memory's rendezvous",
                                       .open = device_entry_open};
