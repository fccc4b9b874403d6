/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process publishes through Open MPI, and others ask for: Open MPI's modex,
 * which is PMIx's.
 *
 * With sessions MPI may end and begin anew in a process: it has several lives then.
 * All processes of a job have the same number of them, as each begins with a fence
 * over the job. But PMIx (5.0.7) may take a process that has closed its connection
 * in PMIx_Finalize for dead, and waits for one process fewer in all fences to come,
 * so a peer can be asked before it has published anew. From the second life on
 * there is a second key, which has the number of the life. Who asks for it waits
 * for it, as the fence would have.
 */

#ifndef MCA_PML_CHAMPION_PEER_MODEX_H
#define MCA_PML_CHAMPION_PEER_MODEX_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** A new life begins: the PML is opened, by all processes alike. */
void mca_pml_champion_modex_begin(void);

/** Publish data for processes of that scope, MCA_MQ_OMPI_MODEX_LOCAL or _REMOTE.
 * An error code of Open MPI. */
int mca_pml_champion_modex_send(int scope, void *data, size_t length);

/** Ask for what a process of this or another job has published; from the second
 * life on wait until one of this job has. The caller frees it. A negative error
 * code of Open MPI or PMIx. */
int mca_pml_champion_modex_recv(const opal_process_name_t *name, void **data,
                                size_t *length);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PEER_MODEX_H */
