/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What transfers of large messages take, for each peer: measured where this
 * process receives them, by the rule of peer/cost_model_rule.h. Receive
 * offload, prefetching and the start of the progress thread weigh the time that
 * a message waits against it.
 *
 * Messages that are under way together share the link, so that the time of one
 * of them says little. What is measured is how long there was something under
 * way without a pause, against the bytes of all that was, if it was all from
 * one peer. A single message is the simplest case. For all peers together the
 * same is measured whoever sends: that stands for a peer of which too little is
 * known, such as one whose transfers are always under way with others.
 *
 * The parameters cost_alpha and cost_beta, where they are set, take the
 * place of what was measured.
 */

#ifndef MCA_PML_CHAMPION_PEER_COST_MODEL_H
#define MCA_PML_CHAMPION_PEER_COST_MODEL_H

#include "ompi/mca/mq/base/param/param.h"

#include "ompi/mca/pml/champion/peer/cost_model_rule.h"
#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** Values of the parameters that leave it to the measurement. */
#define MCA_PML_CHAMPION_COST_MODEL_MEASURED (-1.0)

/** Protected by the lock. */
typedef struct mca_pml_champion_cost_models_t {
    bool on;                  /**< set once, before there are messages */
    mca_mq_base_real_t alpha; /**< parameter; ns per byte, or ..._MEASURED */
    mca_mq_base_real_t beta;  /**< parameter; ns, or ..._MEASURED */
} mca_pml_champion_cost_models_t;

extern mca_pml_champion_cost_models_t mca_pml_champion_cost_models;

/** Register the parameters. False if one has a value that is not allowed. */
bool mca_pml_champion_cost_model_register(void);

/** What holds for a peer: ns per byte, and ns. */
void mca_pml_champion_cost_model_of(const mca_pml_champion_peer_t *peer,
                                    double *alpha, double *beta);

/** What a message of so many bytes from a peer costs, ns. */
uint64_t mca_pml_champion_transfer_cost(const mca_pml_champion_peer_t *peer,
                                        size_t bytes);

/** The transfer of a large message from a peer begins. Lock held. */
void mca_pml_champion_cost_model_begins(mca_pml_champion_peer_t *peer,
                                        size_t bytes);

/** It has ended. Lock held. */
void mca_pml_champion_cost_model_ends(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PEER_COST_MODEL_H */
