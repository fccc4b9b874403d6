/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes traces of what another tool has recorded of a job: collects, for each
 * rank, when messages came to it and when its receives were posted, puts them
 * into order, lets the model match them and writes the files.
 *
 *     replay_otf2 -> arrivals and receives of each rank -> traces
 *
 * Other tools record receives when they are complete: a receive is noted where
 * it was posted, and gets its envelope later, or never.
 */

#ifndef MQ_REPLAY_IMPORT_H
#define MQ_REPLAY_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A message that comes, or a receive that is posted. */
typedef struct replay_import_op_t {
    uint64_t time;
    uint32_t communicator; /**< REPLAY_NONE: a receive without its envelope */
    int32_t source;
    int32_t tag;
    uint32_t place; /**< among the rank's, and in the highest bit its kind */
} replay_import_op_t;

/** Those of one rank. */
typedef struct replay_import_rank_t {
    bool is_wanted;
    replay_import_op_t *ops;
    size_t num_ops;
    size_t ops_size;
} replay_import_rank_t;

typedef struct replay_import_t {
    uint32_t num_ranks; /**< of the job; 0 until replay_import_ranks */
    replay_import_rank_t *ranks;
    const char *only;  /**< list of ranks, such as 0,3,8-15; NULL: all */
    uint32_t *domains; /**< of the rank that is written, by communicator */
    uint32_t *sizes;   /**< of the communicators */
    uint32_t num_communicators;
    uint32_t communicators_size;
    uint64_t messages;
    uint64_t receives;
    uint64_t left_out; /**< receives that never got an envelope */
} replay_import_t;

/** To begin with. @param[in] only  kept, not copied */
void replay_import_init(replay_import_t *import, const char *only);
void replay_import_fini(replay_import_t *import);

/** How many ranks there are. The program ends if only names others. */
void replay_import_ranks(replay_import_t *import, uint32_t num_ranks);

/** A communicator of so many processes, or if it is an inter-communicator with
 * at most so many on a side. Returns its number, 0 for the first. */
uint32_t replay_import_communicator(replay_import_t *import, uint32_t size);

/** A message comes to a rank. Sources are ranks in the communicator. */
void replay_import_arrival(replay_import_t *import, uint32_t rank,
                           uint64_t time, uint32_t communicator, int32_t source,
                           int32_t tag);

/** A receive is posted by a rank. Returns by what replay_import_received knows
 * it, or SIZE_MAX: nobody asks for traces of this rank. */
size_t replay_import_receive(replay_import_t *import, uint32_t rank,
                             uint64_t time);

/** What a receive got. */
void replay_import_received(replay_import_t *import, uint32_t rank,
                            size_t receive, uint32_t communicator,
                            int32_t source, int32_t tag);

/** Write the traces of all ranks that have any operations: path.RANK. Each has
 * its name only when it is whole. Returns how many. */
uint32_t replay_import_write(replay_import_t *import, const char *path);

#endif /* MQ_REPLAY_IMPORT_H */
