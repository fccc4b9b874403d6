/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the two sides of a striped message (large/stripe.h): the places of
 * its parts, and sending of STRIPEs. stripe.c hands those that arrive to one of
 * the sides.
 */

#ifndef MCA_PML_CHAMPION_LARGE_STRIPE_SIDES_H
#define MCA_PML_CHAMPION_LARGE_STRIPE_SIDES_H

#include "ompi/mca/pml/champion/peer/ctrl_msg.h"

#pragma GCC visibility push(hidden)

/** Most bytes of a worker's address. */
#define MCA_PML_CHAMPION_STRIPE_ADDRESS_MAX ((size_t) 64 << 10)

/** Value of the parameter that leaves the number of connections to
 * measurements. */
#define MCA_PML_CHAMPION_FLOWS_AUTO SIZE_MAX

/** Set when the unit is opened. */
typedef struct mca_pml_champion_stripes_t {
    bool on;      /**< messages may be striped; set once */
    size_t flows; /**< parameter: connections, or MCA_PML_CHAMPION_FLOWS_AUTO */
    size_t min;   /**< parameter: smallest message that is striped, bytes */
    size_t left;  /**< connections that this process may still make or ask for;
                       lock held */
    /** Connections that peers have asked for and that a chore is to make; lock
     * held. */
    struct mca_pml_champion_stripe_opening_t *openings;
} mca_pml_champion_stripes_t;

extern mca_pml_champion_stripes_t mca_pml_champion_stripes;

/** First byte of a part of a message: all but the last are of the same length.
 */
static inline size_t mca_pml_champion_part_begin(size_t length, uint32_t parts,
                                                 uint32_t part)
{
    const size_t each = (length / parts + 63) / 64 * 64;

    return part < parts ? part * each : length;
}

/** Its length, bytes. */
static inline size_t mca_pml_champion_part_length(size_t length, uint32_t parts,
                                                  uint32_t part)
{
    return mca_pml_champion_part_begin(length, parts, part + 1) -
           mca_pml_champion_part_begin(length, parts, part);
}

/** State of a peer for striping; NULL if out of memory. Lock held. */
mca_pml_champion_peer_stripe_t *mca_pml_champion_stripe_of(
    mca_pml_champion_peer_t *peer);

/** Send a STRIPE of `length` bytes to a peer, which may reply to it if it has no
 * endpoint yet. False if that fails. Lock held. */
bool mca_pml_champion_stripe_tell(
    mca_pml_champion_peer_t *peer,
    const mca_pml_champion_stripe_control_t *control, size_t length);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_LARGE_STRIPE_SIDES_H */
