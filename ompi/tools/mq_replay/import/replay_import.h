/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts recordings of other tools to traces: collects the arrivals and
 * posted receives of each rank with their times, sorts them, lets the model
 * match them, and writes the files.
 *
 *     replay_otf2 -> arrivals and receives of each rank -> traces
 *
 * Other tools record a receive's envelope when it completes: so a receive is
 * entered when it was posted, and gets its envelope later, or never.
 */

#ifndef MQ_REPLAY_IMPORT_H
#define MQ_REPLAY_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A message that arrives, or a receive that is posted. */
typedef struct replay_import_op_t {
    uint64_t time;
    uint32_t communicator; /**< REPLAY_NONE: a receive without its envelope */
    int32_t source;
    int32_t tag;
    uint32_t place; /**< index among the rank's operations; the highest bit is
                         the kind */
} replay_import_op_t;

/** The operations of one rank. */
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
    uint32_t *domains; /**< of the current rank, by communicator */
    uint32_t *sizes;   /**< sizes of the communicators */
    uint32_t num_communicators;
    uint32_t communicators_size;
    uint64_t messages;
    uint64_t receives;
    uint64_t left_out; /**< receives that never got an envelope */
} replay_import_t;

/** Initialise. @param[in] only  not copied */
void replay_import_init(replay_import_t *import, const char *only);
void replay_import_fini(replay_import_t *import);

/** Set the number of ranks. Ends the program if `only` names other ones. */
void replay_import_ranks(replay_import_t *import, uint32_t num_ranks);

/** Add a communicator with so many processes, or an inter-communicator with at
 * most so many on a side. Returns its number, from 0. */
uint32_t replay_import_communicator(replay_import_t *import, uint32_t size);

/** Add the arrival of a message at a rank. Sources are ranks in the
 * communicator. */
void replay_import_arrival(replay_import_t *import, uint32_t rank,
                           uint64_t time, uint32_t communicator, int32_t source,
                           int32_t tag);

/** Add a receive that a rank posts. Returns its handle for
 * replay_import_received, or SIZE_MAX if no trace of this rank is wanted. */
size_t replay_import_receive(replay_import_t *import, uint32_t rank,
                             uint64_t time);

/** Set the envelope of the message that a receive got. */
void replay_import_received(replay_import_t *import, uint32_t rank,
                            size_t receive, uint32_t communicator,
                            int32_t source, int32_t tag);

/** Write the traces of all ranks with operations: path.RANK. Files get their
 * names when they are complete. Returns their number. */
uint32_t replay_import_write(replay_import_t *import, const char *path);

#endif /* MQ_REPLAY_IMPORT_H */
