/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/mpi/device_door.h"

#include "ompi/mca/pml/champion/core/device.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/mpi/recv.h"
#include "ompi/mca/pml/champion/mpi/send.h"

/* The functions for host memory. */
static mca_pml_base_module_t host;

/* Data as the convertor is to see them: it looks where their buffer begins, so
 * contiguous data are given as bytes from their own beginning. */
typedef struct data_t {
    void *buffer;
    size_t count;
    ompi_datatype_t *datatype;
} data_t;

static data_t data_of(const void *buffer, size_t count,
                      ompi_datatype_t *datatype)
{
    if (mca_pml_champion_contiguous(datatype, count)) {
        return (data_t){mca_pml_champion_begin(buffer, datatype),
                        mca_pml_champion_size(datatype, count),
                        &ompi_mpi_byte.dt};
    }
    return (data_t){(void *) (uintptr_t) buffer, count, datatype};
}

static int door_send(const void *buffer, size_t count,
                     ompi_datatype_t *datatype, int dst, int tag,
                     mca_pml_base_send_mode_t mode, ompi_communicator_t *comm)
{
    data_t data;

    if (!mca_pml_champion_device_has(buffer, count, datatype)) {
        return host.pml_send(buffer, count, datatype, dst, tag, mode, comm);
    }
    data = data_of(buffer, count, datatype);
    return mca_pml_champion_send_device(data.buffer, data.count, data.datatype,
                                        dst, tag, mode, comm);
}

static int door_isend(const void *buffer, size_t count,
                      ompi_datatype_t *datatype, int dst, int tag,
                      mca_pml_base_send_mode_t mode, ompi_communicator_t *comm,
                      ompi_request_t **request)
{
    data_t data;

    if (!mca_pml_champion_device_has(buffer, count, datatype)) {
        return host.pml_isend(buffer, count, datatype, dst, tag, mode, comm,
                              request);
    }
    data = data_of(buffer, count, datatype);
    return mca_pml_champion_isend_device(data.buffer, data.count, data.datatype,
                                         dst, tag, mode, comm, request);
}

static int door_isend_init(const void *buffer, size_t count,
                           ompi_datatype_t *datatype, int dst, int tag,
                           mca_pml_base_send_mode_t mode,
                           ompi_communicator_t *comm, ompi_request_t **request)
{
    data_t data = {(void *) (uintptr_t) buffer, count, datatype};

    if (mca_pml_champion_device_has(buffer, count, datatype)) {
        data = data_of(buffer, count, datatype);
    }
    return host.pml_isend_init(data.buffer, data.count, data.datatype, dst, tag,
                               mode, comm, request);
}

static int door_recv(void *buffer, size_t count, ompi_datatype_t *datatype,
                     int source, int tag, ompi_communicator_t *comm,
                     ompi_status_public_t *status)
{
    data_t data;

    if (!mca_pml_champion_device_has(buffer, count, datatype)) {
        return host.pml_recv(buffer, count, datatype, source, tag, comm,
                             status);
    }
    data = data_of(buffer, count, datatype);
    return mca_pml_champion_recv_device(data.buffer, data.count, data.datatype,
                                        source, tag, comm, status);
}

static int door_irecv(void *buffer, size_t count, ompi_datatype_t *datatype,
                      int source, int tag, ompi_communicator_t *comm,
                      ompi_request_t **request)
{
    data_t data;

    if (!mca_pml_champion_device_has(buffer, count, datatype)) {
        return host.pml_irecv(buffer, count, datatype, source, tag, comm,
                              request);
    }
    data = data_of(buffer, count, datatype);
    return mca_pml_champion_irecv_device(data.buffer, data.count, data.datatype,
                                         source, tag, comm, request);
}

static int door_irecv_init(void *buffer, size_t count,
                           ompi_datatype_t *datatype, int source, int tag,
                           ompi_communicator_t *comm, ompi_request_t **request)
{
    data_t data = {buffer, count, datatype};

    if (mca_pml_champion_device_has(buffer, count, datatype)) {
        data = data_of(buffer, count, datatype);
    }
    return host.pml_irecv_init(data.buffer, data.count, data.datatype, source,
                               tag, comm, request);
}

static int door_mrecv(void *buffer, size_t count, ompi_datatype_t *datatype,
                      ompi_message_t **message, ompi_status_public_t *status)
{
    data_t data;

    if (!mca_pml_champion_device_has(buffer, count, datatype)) {
        return host.pml_mrecv(buffer, count, datatype, message, status);
    }
    data = data_of(buffer, count, datatype);
    return mca_pml_champion_mrecv_device(data.buffer, data.count, data.datatype,
                                         message, status);
}

static int door_imrecv(void *buffer, size_t count, ompi_datatype_t *datatype,
                       ompi_message_t **message, ompi_request_t **request)
{
    data_t data;

    if (!mca_pml_champion_device_has(buffer, count, datatype)) {
        return host.pml_imrecv(buffer, count, datatype, message, request);
    }
    data = data_of(buffer, count, datatype);
    return mca_pml_champion_imrecv_device(data.buffer, data.count,
                                          data.datatype, message, request);
}

int mca_pml_champion_device_door_start(mca_pml_champion_request_t *request)
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

mca_pml_base_module_t *mca_pml_champion_device_door(
    mca_pml_base_module_t *module)
{
    host = *module;
    module->pml_send = door_send;
    module->pml_isend = door_isend;
    module->pml_isend_init = door_isend_init;
    module->pml_recv = door_recv;
    module->pml_irecv = door_irecv;
    module->pml_irecv_init = door_irecv_init;
    module->pml_mrecv = door_mrecv;
    module->pml_imrecv = door_imrecv;
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

void mca_pml_champion_device_door_rendezvous(void)
{
    mca_pml_champion_payload_ops_t *ops =
        &mca_pml_champion_payloads[MCA_PML_CHAMPION_RENDEZVOUS];

    if (mca_pml_champion_device.by_ucx && rendezvous_deliver != ops->deliver) {
        deliver = ops->deliver;
        ops->deliver = rendezvous_deliver;
    }
}
