/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How the threads of a program wait (MPI_THREAD_MULTIPLE): all of them poll,
 * in turn, and between polls that find nothing they yield, but for a thread
 * that is the only one (core/mutex.h).
 *
 *     until what it waits for is complete:
 *         try to take the lock; poll; let go of it; complete what is complete
 *         nothing found, 8 times in a row: yield
 *         every pml_champion_progress_iterations times: opal_progress instead
 *         (always, if it is not a message: a collective operation, say)
 *
 * Open MPI lets one thread poll, without yielding, and has the others sleep on
 * condition variables. Each message, or window of messages, then costs the
 * system calls that wake a thread; and the thread that is woken spins until the
 * one that has woken it has left pthread_cond_signal (WAIT_SYNC_RELEASE), which
 * lasts a time slice if both are on one core, because the former has taken it
 * from the latter. Two ranks of four threads on two cores spent half of their
 * time there.
 *
 * So MPI_Wait, MPI_Waitall, MPI_Waitany and MPI_Waitsome, which Open MPI calls
 * by way of a table (ompi_request_functions), wait here until they need not
 * wait any more, and only then are Open MPI's own functions called, which do
 * all the rest: statuses, errors, persistent and generalized requests. As no
 * request has anybody to be woken then, its completion is one atomic operation
 * instead of three.
 *
 * Blocking calls take the same steps, on a word of their own
 * (mca_pml_champion_wait_in_turn). In runs with one thread, and with fault
 * tolerance, which wakes waiting threads of its own accord, nothing of this is
 * used for requests.
 */

#ifndef MCA_PML_CHAMPION_PROGRESS_WAITING_H
#define MCA_PML_CHAMPION_PROGRESS_WAITING_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Have MPI_Wait and its kind wait in the way of this file. */
void mca_pml_champion_waiting_open(void);

/** They wait in Open MPI's way again. */
void mca_pml_champion_waiting_close(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PROGRESS_WAITING_H */
