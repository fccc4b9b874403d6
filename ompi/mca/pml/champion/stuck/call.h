/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The MPI call in which a thread is.
 */

#ifndef MCA_PML_CHAMPION_STUCK_CALL_H
#define MCA_PML_CHAMPION_STUCK_CALL_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/**
 * The outermost MPI function on the stack of the calling thread, as in MPI's
 * book: "MPI_Sendrecv", also of Fortran's mpi_sendrecv_ and of PMPI_Sendrecv.
 * Takes some 10 us, and the first call more: it loads the unwinder.
 *
 * @param[out] name  empty if there is none
 * @param[in]  size  of name, bytes
 *
 * @return whether there is one
 */
bool mca_pml_champion_call_name(char *name, size_t size);

/** The same of the name of a function: what it is in MPI's book. False if it is
 * no MPI function. */
bool mca_pml_champion_call_of_symbol(const char *symbol, char *name,
                                     size_t size);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STUCK_CALL_H */
