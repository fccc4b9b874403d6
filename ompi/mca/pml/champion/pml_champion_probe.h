/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages that a matched probe has taken out of their queue. They are kept in
 * a list of their own until they are received, so that none is lost when
 * MPI_Finalize comes first.
 */

#ifndef OMPI_PML_CHAMPION_PROBE_H
#define OMPI_PML_CHAMPION_PROBE_H

#include "ompi/message/message.h"

#include "ompi/mca/pml/champion/pml_champion.h"

#pragma GCC visibility push(hidden)

/** A thread that waits in MPI_Probe or MPI_Mprobe. */
struct mca_pml_champion_prober_t {
    mca_mq_envelope_t envelope; /**< what it looks for */
    uint32_t found; /**< 1 when such a message was queued; release order */
    mca_pml_champion_prober_t *next;
};

/** Tell those who wait for a message like this, which is just being queued.
 * Lock held. */
void mca_pml_champion_probers_notify(const mca_mq_envelope_t *envelope);

/** Make those look again who wait in a context. Lock held. */
void mca_pml_champion_probers_wake(uint32_t context);

/** The message behind a handle, which becomes MPI_MESSAGE_NULL. *comm is to be
 * released by the caller. */
mca_pml_champion_message_t *mca_pml_champion_probed_take(
    ompi_message_t **handle, ompi_communicator_t **comm);

/** Drop all that were never received. Called without the lock. */
void mca_pml_champion_probed_drop(void);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_PROBE_H */
