/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The hot part of delivering a message.
 */

#ifndef OMPI_PML_CHAMPION_DELIVER_H
#define OMPI_PML_CHAMPION_DELIVER_H

#include <string.h>

#include "ompi/mca/pml/champion/pml_champion_message.h"

#pragma GCC visibility push(hidden)

/** Copy; the sizes of single numbers without a call. */
static inline void mca_pml_champion_copy(void *to, const void *from,
                                         size_t length)
{
    char *target = to;
    const char *source = from;

    if (OPAL_LIKELY(length - 8 <= 8)) {
        uint64_t first, last;

        memcpy(&first, source, 8);
        memcpy(&last, source + length - 8, 8);
        memcpy(target, &first, 8);
        memcpy(target + length - 8, &last, 8);
    } else if (length - 4 < 4) {
        uint32_t first, last;

        memcpy(&first, source, 4);
        memcpy(&last, source + length - 4, 4);
        memcpy(target, &first, 4);
        memcpy(target + length - 4, &last, 4);
    } else if (0 != length) { /* or the pointers may be null */
        memcpy(target, source, length);
    }
}

/** What the status of a receive says about a message that came whole. */
static inline void mca_pml_champion_recv_status(
    mca_pml_champion_recv_t *recv, const mca_mq_envelope_t *envelope,
    size_t length)
{
    ompi_status_public_t *status = recv->status;

    recv->posted = false;
    status->MPI_SOURCE = envelope->source;
    status->MPI_TAG = envelope->tag;
    status->MPI_ERROR = MPI_SUCCESS;
    status->_cancelled = 0;
    status->_ucount = length;
}

/** Hand over eager data, which need not be in one piece or fit. */
void mca_pml_champion_unpack(mca_pml_champion_recv_t *recv, const void *payload,
                             size_t length);

/** Hand over an arrival that is not simply eager. */
void mca_pml_champion_deliver_other(mca_pml_champion_arrival_t *arrival,
                                    mca_pml_champion_recv_t *recv);

/** Give eager data that wait for nothing to the receive they matched. Lock
 * held. */
static inline __attribute__((always_inline)) void
mca_pml_champion_deliver_eager(mca_pml_champion_recv_t *recv,
                               const mca_mq_envelope_t *envelope,
                               const void *payload, size_t length)
{
    mca_pml_champion_recv_status(recv, envelope, length);
    if (OPAL_LIKELY(recv->contiguous && length <= recv->capacity)) {
        mca_pml_champion_copy(recv->data, payload, length);
    } else {
        mca_pml_champion_unpack(recv, payload, length);
    }
    mca_pml_champion_recv_complete(recv);
}

/** Give a message to the receive it matched. Lock held. */
static inline __attribute__((always_inline)) void mca_pml_champion_deliver(
    mca_pml_champion_arrival_t *arrival, mca_pml_champion_recv_t *recv)
{
    if (OPAL_LIKELY(arrival->where <= MCA_PML_CHAMPION_PREFETCHED &&
                    0 == arrival->token)) {
        mca_pml_champion_deliver_eager(recv, &arrival->envelope,
                                       arrival->payload, arrival->length);
    } else {
        mca_pml_champion_recv_status(recv, &arrival->envelope, arrival->length);
        mca_pml_champion_deliver_other(arrival, recv);
    }
}

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_DELIVER_H */
