/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/peer/cost_model.h"

#include <stdlib.h>

#include "ompi/mca/pml/champion/core/clock.h"

/* What is assumed of a peer until anything was measured: 100 Gb/s. */
#define FIRST_ALPHA 0.08
#define FIRST_BETA 1500

/* What was measured of all together counts from so many transfers on. */
#define FEW 3

mca_pml_champion_cost_models_t mca_pml_champion_cost_models;

/* What is under way, from the time on when nothing was. */
static struct {
    uint32_t transfers;
    bool mixed; /* of several peers */
    mca_pml_champion_peer_t *peer;
    uint64_t bytes;
    uint64_t since; /* ns */
} under_way;

/* Of all peers together: what a transfer takes beside those of others. */
static mca_pml_champion_cost_model_t all;

static bool register_real(const char *name, const char *description, double max,
                          mca_mq_base_real_t *storage)
{
    storage->value = MCA_PML_CHAMPION_COST_MODEL_MEASURED;
    return OMPI_SUCCESS ==
           mca_mq_base_param_real(
               mca_pml_champion.component, name, description, OPAL_INFO_LVL_9,
               MCA_PML_CHAMPION_COST_MODEL_MEASURED, max, storage);
}

bool mca_pml_champion_cost_model_register(void)
{
    bool good = register_real(
        "cost_alpha",
        "Cost model that decides about prefetching, receive offload and the "
        "progress thread: transfer time per byte of a large message, in ns. "
        "Negative: measured for each peer",
        1e6, &mca_pml_champion_cost_models.alpha);

    good &= register_real(
        "cost_beta",
        "Cost model: fixed part of the transfer time of a large message, in "
        "ns. Negative: measured for each peer",
        1e9, &mca_pml_champion_cost_models.beta);
    return good;
}

void mca_pml_champion_cost_model_of(const mca_pml_champion_peer_t *peer,
                                    double *alpha, double *beta)
{
    const mca_pml_champion_cost_model_t *pace = peer->cost_model;

    *alpha = FIRST_ALPHA;
    *beta = FIRST_BETA;
    if (NULL == pace || !mca_pml_champion_cost_model_is_known(pace)) {
        pace = all.samples >= FEW ? &all : NULL;
    }
    if (NULL != pace) {
        *alpha = pace->alpha;
        *beta = pace->beta;
    }
    if (mca_pml_champion_cost_models.alpha.value >= 0) {
        *alpha = mca_pml_champion_cost_models.alpha.value;
    }
    if (mca_pml_champion_cost_models.beta.value >= 0) {
        *beta = mca_pml_champion_cost_models.beta.value;
    }
}

uint64_t mca_pml_champion_transfer_cost(const mca_pml_champion_peer_t *peer,
                                        size_t bytes)
{
    double alpha, beta;

    mca_pml_champion_cost_model_of(peer, &alpha, &beta);
    return mca_pml_champion_cost(alpha, beta, bytes);
}

void mca_pml_champion_cost_model_begins(mca_pml_champion_peer_t *peer,
                                        size_t bytes)
{
    MCA_PML_CHAMPION_LOCKED();
    if (0 == under_way.transfers++) {
        under_way.mixed = false;
        under_way.peer = peer;
        under_way.bytes = 0;
        under_way.since = mca_pml_champion_now();
    }
    under_way.mixed = under_way.mixed || under_way.peer != peer;
    under_way.bytes += bytes;
}

void mca_pml_champion_cost_model_ends(void)
{
    mca_pml_champion_peer_t *peer = under_way.peer;
    uint64_t took;

    MCA_PML_CHAMPION_LOCKED();
    if (0 != --under_way.transfers || 0 == under_way.bytes) {
        return;
    }
    took = mca_pml_champion_now() - under_way.since;
    mca_pml_champion_cost_model_add(&all, under_way.bytes, took);
    if (under_way.mixed) {
        return;
    }
    if (NULL == peer->cost_model) {
        peer->cost_model = calloc(1, sizeof(*peer->cost_model));
    }
    if (OPAL_LIKELY(NULL != peer->cost_model)) {
        mca_pml_champion_cost_model_add(peer->cost_model, under_way.bytes,
                                        took);
    }
}
