/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Gathers data of any length from all ranks at rank 0, by a binomial tree. The
 * parent of a rank is that rank without its lowest bit that is set:
 *
 *     0 <- 1           a rank passes on its own data, then those of rank + 1,
 *     0 <- 2 <- 3      of the ranks from rank + 2 on, from rank + 4 on, ...:
 *     0 <- 4 <- 5      all in the order of their ranks
 *          4 <- 6 <- 7
 *
 * So each rank talks to at most log2(ranks) + 1 others, and rank 0 receives one
 * message for each MCA_PML_CHAMPION_GATHER_PIECE bytes, not one for each rank.
 * The data of all still pass rank 0. No rank needs memory that depends on the
 * number of ranks: data travel in pieces, and a rank sends none before it is
 * asked to. It fills its first piece before that, so that different parts of the
 * tree work at the same time.
 *
 * Between two ranks: an empty message asks; pieces answer, and one that is not
 * full is the last. The pieces are a stream of records, cut anywhere: a head, the
 * data of a rank, and a mark that they are whole. Where a message fails, because
 * a process is gone, the record is filled up without that mark, and the data
 * behind it are missing; all others are asked nevertheless, as they
 * wait for it. Likewise behind a head of a rank that cannot come from there, or
 * not any more, or of a length that cannot be.
 *
 * Without MPI, so that it can be tested alone; stats/gather.c has the messages.
 */

#ifndef MCA_PML_CHAMPION_STATS_GATHER_TREE_H
#define MCA_PML_CHAMPION_STATS_GATHER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/** Largest message, bytes. */
#define MCA_PML_CHAMPION_GATHER_PIECE ((size_t) 1 << 16)

/** Most that a rank can have to say, bytes. More is taken for damage. */
#define MCA_PML_CHAMPION_GATHER_MOST ((uint64_t) 1 << 30)

/** Room for two of them. */
typedef struct mca_pml_champion_gather_room_t {
    unsigned char in[MCA_PML_CHAMPION_GATHER_PIECE];
    unsigned char out[MCA_PML_CHAMPION_GATHER_PIECE];
} mca_pml_champion_gather_room_t;

/** Messages between two ranks, in order. False: it failed. */
typedef struct mca_pml_champion_gather_link_t {
    bool (*put)(const void *data, size_t length, int to);
    /** At most `room` bytes; *length: those that came. */
    bool (*get)(void *data, size_t room, size_t *length, int from);
} mca_pml_champion_gather_link_t;

/** The use of the others' data at rank 0, in the order of their ranks. */
typedef struct mca_pml_champion_gather_sink_t {
    /** Some bytes more of a rank. */
    void (*chunk)(const void *data, size_t length, void *arg);
    /** That was all of this rank; called for each rank but 0. Not whole: it had
     * nothing, or some of it is missing. */
    void (*end)(int rank, bool whole, void *arg);
} mca_pml_champion_gather_sink_t;

/**
 * Take part; collective over ranks 0 to size - 1.
 *
 * @param data  of this rank, at most MCA_PML_CHAMPION_GATHER_MOST bytes; not used
 *              at rank 0. NULL: there are none
 * @param sink  used at rank 0
 * @param room  used until it returns
 */
void mca_pml_champion_gather_tree(const mca_pml_champion_gather_link_t *link,
                                  int rank, int size, const void *data,
                                  size_t length,
                                  const mca_pml_champion_gather_sink_t *sink,
                                  void *arg,
                                  mca_pml_champion_gather_room_t *room);

/** The same by messages of MPI_COMM_WORLD, in MPI_Finalize: collective over
 * it. */
void mca_pml_champion_gather(const void *data, size_t length,
                             const mca_pml_champion_gather_sink_t *sink,
                             void *arg);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_STATS_GATHER_TREE_H */
