/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How the threads of a program wait (MPI_THREAD_MULTIPLE): they all poll in
 * turn and yield between empty polls, unless a thread is the only one
 * (core/mutex.h).
 *
 *     until the request is complete:
 *         try to take the lock; poll; release it; complete finished requests
 *         8 empty polls in a row: yield
 *         every 100 times: opal_progress instead
 *         (always, if the request is not a message but, say, a collective)
 *
 * Open MPI lets one thread poll, without yielding, and the others sleep on
 * condition variables. Then each message, or window of messages, costs the
 * system calls that wake a thread. The woken thread spins until the waking one
 * has left pthread_cond_signal (WAIT_SYNC_RELEASE); if both share a core, of
 * which the woken thread has deprived the other one, that takes a time slice.
 * Two ranks with four threads each on two cores spent half of their time there.
 *
 * So MPI_Wait, MPI_Waitall, MPI_Waitany and MPI_Waitsome, which Open MPI calls
 * through a table (ompi_request_functions), first wait here. Only when there is
 * nothing left to wait for are Open MPI's own functions called, which handle
 * statuses, errors, persistent and generalized requests. As no thread then
 * sleeps on a request, its completion takes one atomic operation instead of
 * three.
 *
 * Blocking calls wait in this way, too, on a word of their own
 * (mca_pml_champion_wait_in_turn). In runs with one thread requests are waited
 * for in the same way, so that such waits yield and sleep, too
 * (progress/pause.h). With fault tolerance, which wakes waiting threads itself,
 * they are waited for in Open MPI's way.
 */

#ifndef MCA_PML_CHAMPION_PROGRESS_WAITING_H
#define MCA_PML_CHAMPION_PROGRESS_WAITING_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PROGRESS_WAITING_H */
