/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Estimated times of transfers of large messages, for each peer. This process
 * measures them as it receives (peer/cost_model_rule.h). Receive offload,
 * prefetching and the start of the progress thread compare the time that a
 * message waits with them.
 *
 * Transfers that overlap share the link, so that the time of a single one says
 * little. Measured is each busy period, from the begin of the first transfer to
 * the end of the last one without a pause, with the bytes of all of them, if
 * they were all from one peer. A second model takes the busy periods of all
 * peers. It serves for peers with too few measurements, for example because
 * their transfers always overlap with others.
 *
 * Over TCP a transfer advances only while this process looks at UCX. So, if the
 * start of the progress thread is to be decided, the longest time between two
 * looks is kept while transfers from other nodes are in flight: each look reads
 * the clock then. It is a chore of progress, which costs nothing while there is
 * none.
 */

#ifndef MCA_PML_CHAMPION_PEER_COST_MODEL_H
#define MCA_PML_CHAMPION_PEER_COST_MODEL_H

#include "ompi/mca/pml/champion/peer/cost_model_rule.h"
#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** Protected by the lock. */
typedef struct mca_pml_champion_cost_models_t {
    bool on;       /**< measure; set, never cleared, while there are messages */
    bool gaps;     /**< watch the looks during transfers */
    bool watching; /**< they are being watched, by a chore */
} mca_pml_champion_cost_models_t;

extern mca_pml_champion_cost_models_t mca_pml_champion_cost_models;

/** The cost model of a peer: ns per byte, and ns. */
void mca_pml_champion_cost_model_of(const mca_pml_champion_peer_t *peer,
                                    double *alpha, double *beta);

/** Estimated time of the transfer of a message from a peer, ns. */
uint64_t mca_pml_champion_transfer_cost(const mca_pml_champion_peer_t *peer,
                                        size_t bytes);

/** The transfer of a large message from a peer begins. Lock held. */
void mca_pml_champion_cost_model_begins(mca_pml_champion_peer_t *peer,
                                        size_t bytes);

/** The transfer of a large message has ended. Lock held. */
void mca_pml_champion_cost_model_ends(void);

/** Total time in which all transfers to this process were for posted receives,
 * since MPI_Init and until now, ns: a message that waits meanwhile waits for
 * its turn, not for the program. 0 if nothing is measured. Lock held. */
uint64_t mca_pml_champion_cost_model_receiving(uint64_t now);

/** A message without a receive is about to be fetched. Lock held. */
void mca_pml_champion_cost_model_prefetches(void);

/** Called at the end of transfers that were watched: `bytes` bytes from a peer,
 * and perhaps others; not once did this process look at UCX for `gap` ns. Lock
 * held. */
extern void (*mca_pml_champion_cost_model_gap)(
    const mca_pml_champion_peer_t *peer, uint64_t bytes, uint64_t gap);

/** Called at the end of a busy period: messages of at least `least` and
 * together `bytes` bytes came from one peer in `ns` ns; there is no transfer
 * under way. NULL: not called. Lock held. */
extern void (*mca_pml_champion_cost_model_period)(mca_pml_champion_peer_t *peer,
                                                  uint64_t least,
                                                  uint64_t bytes, uint64_t ns);

/** The program has waited in an MPI call: the time since the last look does not
 * count. Lock held. */
void mca_pml_champion_cost_model_waited(void);

/** Watch no longer, and not again. Lock held. */
void mca_pml_champion_cost_model_unwatch(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PEER_COST_MODEL_H */
