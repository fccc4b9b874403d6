/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults of a program that show in its messages: one that is longer than its
 * receive, and one that nobody has received when its communicator ends. Which of
 * thousands of messages it is MPI does not say; here a line names the first one
 * of each kind, once for each node. It is a line, not a help text: mpirun of Open
 * MPI 4.1 loses one of these in three, and the error may end the job.
 */

#ifndef MCA_PML_CHAMPION_MATCH_COMPLAIN_H
#define MCA_PML_CHAMPION_MATCH_COMPLAIN_H

#include "ompi/mca/pml/champion/match/message.h"
#include "ompi/mca/pml/champion/match/request.h"

#pragma GCC visibility push(hidden)

/** The receive fails with MPI_ERR_TRUNCATE. Its status has the envelope and the
 * length of the message. Lock held. */
void mca_pml_champion_recv_truncated(mca_pml_champion_recv_t *recv);

/** Messages of the program that nobody has received. */
typedef struct mca_pml_champion_unreceived_t {
    size_t count;
    mca_mq_envelope_t first;
    size_t length; /**< of the first one, bytes */
} mca_pml_champion_unreceived_t;

/** Add a message to them, unless it is one of Open MPI's own. */
void mca_pml_champion_unreceived_add(mca_pml_champion_unreceived_t *unreceived,
                                     const mca_pml_champion_message_t *message);

/** If there are any, say so, and when that was seen. */
void mca_pml_champion_unreceived_tell(
    const mca_pml_champion_unreceived_t *unreceived, ompi_communicator_t *comm,
    const char *when);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_COMPLAIN_H */
