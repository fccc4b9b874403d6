/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Advancing schedules.
 *
 * The messages of a schedule are requests that the program never sees. When one
 * is complete it is queued, with those of the program, in champion.completed,
 * so that the paths of messages know nothing of schedules. It is taken from
 * there
 *
 *     by the program   where it completes queued requests
 *     by the thread    after each step, which leaves the program's where they
 *                      are
 *
 * and operations that waited for it begin. At the end, a request is queued that
 * only the program takes: its completion calls on_end().
 *
 * Reductions and copies are made in pieces. Between two of them the lock is
 * released and UCX polled; the rest is one of progress's chores.
 *
 * If a message fails, operations not begun never begin, receives that have no
 * message are withdrawn, and the schedule ends when the rest is complete.
 */

#ifndef MCA_PML_CHAMPION_MPI_ENGINE_H
#define MCA_PML_CHAMPION_MPI_ENGINE_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/mpi/schedule.h"

#pragma GCC visibility push(hidden)

extern const mca_pml_champion_schedule_calls_t mca_pml_champion_schedule_calls;

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MPI_ENGINE_H */
