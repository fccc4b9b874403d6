/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When it is UCX's turn while looks find nothing in the rings. Nothing but
 * numbers, for tests.
 */

#ifndef OMPI_PML_CHAMPION_TURN_RULE_H
#define OMPI_PML_CHAMPION_TURN_RULE_H

#include <stdbool.h>
#include <stdint.h>

/** How long UCX is left out: for an eighth (a power of two, 3) of the looks in
 * vain so far, and for so many looks at most. With 16 a program that tests its
 * requests all the time is spared the poll that costs most (HPCC's RandomAccess
 * 1.1 instead of 0.8 of the better of pml/ucx and pml/ob1), but one that looks
 * between steps of its computation gets its large messages whole steps later
 * (HPL, N = 1500: 0.74 of pml/ucx's rate, 1.04 when UCX is polled at every
 * look). So it is 1: UCX is left out by blocking calls only. */
enum {
    MCA_PML_CHAMPION_TURN_SHARE = 3,
    MCA_PML_CHAMPION_TURN_MAX = 1,
    MCA_PML_CHAMPION_TURN_VAIN_MAX = MCA_PML_CHAMPION_TURN_MAX
                                     << MCA_PML_CHAMPION_TURN_SHARE
};

/** Both are set by one store. */
typedef struct mca_pml_champion_turn_t {
    uint16_t pause; /**< looks in vain before it is UCX's turn, 1 at least */
    uint16_t vain;  /**< looks in vain, up to a bound */
} mca_pml_champion_turn_t;

/** Something has come, or nobody has looked yet. */
static inline void mca_pml_champion_turn_reset(mca_pml_champion_turn_t *turn)
{
    turn->pause = 1;
    turn->vain = 0;
}

/** A look found nothing. Is it UCX's turn? */
static inline bool mca_pml_champion_turn_comes(mca_pml_champion_turn_t *turn)
{
    return 0 == --turn->pause;
}

/** UCX had nothing either. Without rings it is always its turn. */
static inline void mca_pml_champion_turn_in_vain(mca_pml_champion_turn_t *turn,
                                                 bool rings)
{
    uint16_t pause = turn->vain >> MCA_PML_CHAMPION_TURN_SHARE;

    turn->pause = rings && 0 != pause ? pause : 1;
    turn->vain = (uint16_t) (turn->vain + turn->pause);
    if (turn->vain > MCA_PML_CHAMPION_TURN_VAIN_MAX) {
        turn->vain = MCA_PML_CHAMPION_TURN_VAIN_MAX;
    }
}

#endif /* OMPI_PML_CHAMPION_TURN_RULE_H */
