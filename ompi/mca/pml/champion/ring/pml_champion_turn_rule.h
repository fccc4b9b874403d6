/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When it is UCX's turn while looks find nothing in the rings. Nothing but
 * numbers, for tests.
 *
 * UCX's poll is what costs most of a look that finds nothing. It can be left
 * out most of the time if whoever sends by UCX knocks (pml_champion_rings.h),
 * which takes a ring of every other process, and if UCX has nothing of this
 * process's own to do: then it is quiet. Without that, a program that looks
 * between steps of its computation would get what comes by UCX whole steps
 * later.
 */

#ifndef OMPI_PML_CHAMPION_TURN_RULE_H
#define OMPI_PML_CHAMPION_TURN_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    /** Polls in vain after which UCX is left out, where it is quiet: what was
     * knocked for may take a while yet. */
    MCA_PML_CHAMPION_TURN_VAIN = 64,
    /** It is polled at every so-manyth look then: connections are made, peers
     * lost without a knock. */
    MCA_PML_CHAMPION_TURN_PAUSE = 16
};

/** Both are set by one store. */
typedef struct mca_pml_champion_turn_t {
    uint16_t pause; /**< looks in vain until it is UCX's turn, 1 at least */
    uint16_t vain;  /**< polls in vain, up to .._VAIN */
} mca_pml_champion_turn_t;

/** UCX had something, or will have. */
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

/** UCX had nothing either. */
static inline void mca_pml_champion_turn_in_vain(mca_pml_champion_turn_t *turn,
                                                 bool quiet)
{
    if (!quiet) {
        mca_pml_champion_turn_reset(turn);
    } else if (turn->vain < MCA_PML_CHAMPION_TURN_VAIN) {
        ++turn->vain;
        turn->pause = 1;
    } else {
        turn->pause = MCA_PML_CHAMPION_TURN_PAUSE;
    }
}

#endif /* OMPI_PML_CHAMPION_TURN_RULE_H */
