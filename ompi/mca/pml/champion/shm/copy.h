/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Large messages within a node: one copy, made by both sides (CMA).
 *
 *     sender                                   receiver
 *        |  RGET: address, length  ------------->  |  matches it, or keeps it
 *        |                                         |  until its receive comes
 *        |  <------- the job: where it goes -----  |
 *     copies the last parts,                    reads the first parts
 *     while it waits in MPI                        |
 *        |  <------------------------------- FIN   |
 *
 * Only the receiver has to copy: a sender that computes does not look. It
 * finds the job beside the ring by which it sent the message (shm/job.h says how
 * parts are claimed); one job a pair of processes at a time, all others are read by the
 * receiver alone until it is their turn. The receiver copies in progress calls,
 * a few parts in each, the oldest message first: so no call takes long, and a
 * sender that waits may have copied all that is left by the time the receiver's
 * program looks again. Then there is no FIN, as the sender knows: it does not
 * wait for a receiver that computes.
 *
 * Data not contiguous at the receiver are read in pieces and unpacked, by the
 * receiver alone. A message that waits for its receive can be prefetched like
 * any other (large/prefetch.h), by both sides as well.
 *
 * Which sends go this way is the choice of mpi/route.h. Messages of up to 64
 * KiB do not wait at their sender: without a receive, the receiver reads them to
 * memory of its own when they arrive (shm/rings.h).
 *
 * Where messages cross, each process copies the ones that it receives, alone,
 * until its own are read: then the other one waits, and may help.
 * pml_champion_copy_by both has them help at once.
 *
 * On shared cores the receiver copies alone, if the user does not want both:
 * a side that has claimed a part may lose its core, and the other waits for it
 * (mca_pml_champion_rings_share()).
 *
 * The sender writes to the receiver's memory only if it has read there the
 * random mark of the board, which only processes of the job and node have. Under
 * valgrind it does not: memory that another process has written counts as not
 * initialized there.
 */

#ifndef MCA_PML_CHAMPION_SHM_COPY_H
#define MCA_PML_CHAMPION_SHM_COPY_H

#include "ompi_config.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/** The side that copies: values of pml_champion_copy_by. */
enum {
    MCA_PML_CHAMPION_COPY_BY_AUTO = 1,
    MCA_PML_CHAMPION_COPY_BY_BOTH,
    MCA_PML_CHAMPION_COPY_BY_RECEIVER,
    MCA_PML_CHAMPION_COPY_BY_UCX
};

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_COPY_H */
