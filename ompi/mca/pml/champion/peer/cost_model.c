/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/peer/cost_model.h"

#include <stdlib.h>

#include "ompi/mca/pml/champion/core/clock.h"

/* Assumed before anything is measured: 100 Gb/s. */
#define FIRST_ALPHA 0.08
#define FIRST_BETA 1500

/* Transfers after which the model of all peers together is used. */
#define FEW 3

mca_pml_champion_cost_models_t mca_pml_champion_cost_models;

/* Transfers in flight, since there were none. */
static struct {
    uint32_t transfers;
    bool mixed; /* from several peers */
    mca_pml_champion_peer_t *peer;
    uint64_t bytes;
    uint64_t since; /* ns */
} busy;

/* Model of all peers together: transfers that share the link with others. */
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
    const mca_pml_champion_cost_model_t *model = peer->cost_model;

    *alpha = FIRST_ALPHA;
    *beta = FIRST_BETA;
    if (NULL == model || !mca_pml_champion_cost_model_is_known(model)) {
        model = all.samples >= FEW ? &all : NULL;
    }
    if (NULL != model) {
        *alpha = model->alpha;
        *beta = model->beta;
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
    if (0 == busy.transfers++) {
        busy.mixed = false;
        busy.peer = peer;
        busy.bytes = 0;
        busy.since = mca_pml_champion_now();
    }
    busy.mixed = busy.mixed || busy.peer != peer;
    busy.bytes += bytes;
}

void mca_pml_champion_cost_model_ends(void)
{
    mca_pml_champion_peer_t *peer = busy.peer;
    uint64_t took;

    MCA_PML_CHAMPION_LOCKED();
    if (0 != --busy.transfers || 0 == busy.bytes) {
        return;
    }
    took = mca_pml_champion_now() - busy.since;
    mca_pml_champion_cost_model_add(&all, busy.bytes, took);
    if (busy.mixed) {
        return;
    }
    if (NULL == peer->cost_model) {
        peer->cost_model = calloc(1, sizeof(*peer->cost_model));
    }
    if (OPAL_LIKELY(NULL != peer->cost_model)) {
        mca_pml_champion_cost_model_add(peer->cost_model, busy.bytes, took);
    }
}
