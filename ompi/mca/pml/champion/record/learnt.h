/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run has learnt, kept for the next one (pml_champion_learnt): the times
 * of transfers, how long messages wait for receives and receives for messages,
 * and which hosts' processes have a progress thread. Kept by the names of hosts
 * (record/learnt_file.h), so that the next run may have other ranks.
 *
 *     MPI_Init      each process reads the file. If half of the processes of
 *                   this host had a thread, the first large message to or from
 *                   another host starts this one's
 *     contact       a peer begins with what is known of its host, which is
 *                   looked up when the first message has been seen
 *     MPI_Finalize  rank 0 gathers what all know now, adds what the file had of
 *                   others, and replaces the file
 *
 * Whether that is done rank 0 decides (pml_champion_agree.h).
 */

#ifndef MCA_PML_CHAMPION_RECORD_LEARNT_H
#define MCA_PML_CHAMPION_RECORD_LEARNT_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Register the parameter. False if its value is not allowed. */
bool mca_pml_champion_learnt_register(void);

/** Does this process's parameter name a file? */
bool mca_pml_champion_learnt_is_wanted(void);

/** Do what rank 0 wants: keep what is learnt, or not. Before there are peers.
 */
void mca_pml_champion_learnt_follow(bool wanted);

/** Read the file, and begin with what is in it. In MPI_Init, once all processes
 * of the job are known. Without the lock. */
void mca_pml_champion_learnt_begin(void);

/** Write the file; collective over MPI_COMM_WORLD, in MPI_Finalize. */
void mca_pml_champion_learnt_write(void);

/** Number of peers that began with what had been learnt. Lock held. */
unsigned mca_pml_champion_learnt_used(void);

/** Free everything. */
void mca_pml_champion_learnt_close(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RECORD_LEARNT_H */
