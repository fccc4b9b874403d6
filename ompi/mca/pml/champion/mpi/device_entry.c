/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rendezvous into the memory of a device.
 */

#include "ompi/mca/pml/champion/core/device.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/match/deliver.h"

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
