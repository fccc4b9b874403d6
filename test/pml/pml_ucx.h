/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Replaces UCX: nothing is sent, and all operations complete at once. Also
 * replaces the state of Open MPI that MPI_Init would have set up.
 */

#ifndef TEST_PML_UCX_H
#define TEST_PML_UCX_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/core/wire.h"

/** This process is ME of JOB, which has SIZE processes, or pml_ucx.ranks. */
enum { PML_UCX_JOB = 7, PML_UCX_ME = 2, PML_UCX_SIZE = 5 };

typedef struct pml_ucx_t {
    /** Handlers of active messages, by id, and their first argument. */
    ucp_am_recv_callback_t handler[MCA_PML_CHAMPION_AM_COUNT];
    void *arg[MCA_PML_CHAMPION_AM_COUNT];
    /** A message was sent; all of it can be read. Or NULL. */
    void (*sent)(unsigned id, const void *bytes, size_t length);
    /** What UCX kept for champion is given back. */
    void (*released)(void *data);
    unsigned num_aborts;
    int ranks;      /**< size of the job; 0: SIZE */
    char line[512]; /**< of the last abort */
} pml_ucx_t;

extern pml_ucx_t pml_ucx;

/** An endpoint, which leads nowhere. */
extern ucp_ep_h pml_ucx_ep;

/** Say who this process is. */
void pml_ucx_begin(void);

#endif /* TEST_PML_UCX_H */
