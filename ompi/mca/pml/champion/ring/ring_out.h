/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The sender's side of rings: asking for one, mapping it, giving it back.
 */

#ifndef MCA_PML_CHAMPION_RING_RING_OUT_H
#define MCA_PML_CHAMPION_RING_RING_OUT_H

#include "ompi/mca/pml/champion/core/wire.h"
#include "ompi/mca/pml/champion/ring/rings.h"

#pragma GCC visibility push(hidden)

/** So many messages have been sent to a peer that it is time to ask for a
 * ring, if it may have one. Lock held. */
void mca_pml_champion_ring_ask(struct mca_pml_champion_peer_t *peer);

/** A message goes by UCX for which the pool of fragments is wanted: offer it to
 * the peer, once. Lock held. */
void mca_pml_champion_ring_offer(struct mca_pml_champion_peer_t *peer);

/** Let the fast path have a ring if it may: the ring has been granted, or
 * nothing waits for it any more. */
void mca_pml_champion_ring_simplify(mca_pml_champion_ring_out_t *out);

/** Have sends use the fast path, or not because there are threads now. Only
 * one thread is in here. */
void mca_pml_champion_rings_set_simple(bool simple);

/** The reader of a ring does not fall behind any more: sends go by it again.
 * For flow control; see peer/throttle.h. Lock held. */
void mca_pml_champion_ring_release(struct mca_pml_champion_peer_t *peer);

/** A record was published in a ring whose reader may sleep: wake it if it does.
 */
void mca_pml_champion_ring_wake_reader(mca_pml_champion_ring_out_t *out);

/** Tell the sender of an RGET by UCX that it was read. Lock held. */
void mca_pml_champion_ring_fin_by_ucx(
    const struct mca_pml_champion_peer_t *peer, uint32_t sequence);

/** The last record of a ring that was asked back has been written. Lock held.
 */
void mca_pml_champion_ring_out_end(mca_pml_champion_ring_out_t *out);

/** The peer's ring, if there is one, is used no more. Lock held. */
void mca_pml_champion_ring_out_close(struct mca_pml_champion_peer_t *peer);

/* What the receiver answers: it grants a ring, or has mapped the pool. */
void mca_pml_champion_ring_granted(
    struct mca_pml_champion_peer_t *peer,
    const mca_pml_champion_ring_control_t *control);
void mca_pml_champion_ring_pooled(
    struct mca_pml_champion_peer_t *peer,
    const mca_pml_champion_ring_control_t *control);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RING_RING_OUT_H */
