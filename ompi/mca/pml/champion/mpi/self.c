/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/mpi/self.h"

#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/match/arrival.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/complain.h"

/* Copy the data of a send to self into its receive. */
static void self_copy(mca_pml_champion_recv_t *recv,
                      mca_pml_champion_send_t *send)
{
    unsigned char chunk[1024];
    size_t length = send->length;

    if (send->contiguous) {
        mca_pml_champion_unpack(recv, send->data, length);
        return;
    }
    if (length > recv->capacity) {
        mca_pml_champion_recv_truncated(recv);
        length = recv->capacity;
    }
    if (recv->contiguous) {
        mca_pml_champion_layout_pack(&send->layout, 0, recv->data, length);
        return;
    }
    mca_pml_champion_layout_recv(&recv->layout, length);
    for (size_t at = 0, part; at < length; at += part) {
        part = length - at < sizeof(chunk) ? length - at : sizeof(chunk);
        mca_pml_champion_layout_pack(&send->layout, at, chunk, part);
        if (!mca_pml_champion_layout_unpack(&recv->layout, at, chunk, part)) {
            mca_pml_champion_recv_fail(recv, MPI_ERR_NO_MEM);
            break;
        }
    }
    mca_pml_champion_layout_end(&recv->layout);
}

static void self_deliver(mca_pml_champion_arrival_t *arrival,
                         mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_send_t *send = (void *) (uintptr_t) arrival->payload;

    arrival->kept = true;
    self_copy(recv, send);
    mca_pml_champion_recv_complete(recv);
    mca_pml_champion_send_event(send);
}

static void self_drop(mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_send_event(
        (mca_pml_champion_send_t *) (uintptr_t) arrival->payload);
}

static int self_open(void)
{
    mca_pml_champion_payloads[MCA_PML_CHAMPION_SELF] =
        (mca_pml_champion_payload_ops_t){.deliver = self_deliver,
                                         .drop = self_drop};
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(self) = {.name = "messages to self", .open = self_open};

void mca_pml_champion_send_local(mca_pml_champion_send_t *send,
                                 const mca_pml_champion_header_t *header,
                                 mca_pml_champion_comm_t *comm)
{
    mca_pml_champion_arrival_t arrival = {
        .envelope = {header->context, header->source, header->tag},
        .sequence = header->sequence,
        .peer = send->peer,
        .payload = send,
        .length = send->length,
        .kind = MCA_PML_CHAMPION_SELF,
        .comm = comm,
    };

    MCA_PML_CHAMPION_LOCKED();
    ++send->peer->send_sequence; /* MPI_Cancel identifies the message by it */
    /* One more than needed: the caller checks for completion, not an event. */
    send->pending = 2;
    mca_pml_champion_arrival_match(&arrival);
    --send->pending;
}
