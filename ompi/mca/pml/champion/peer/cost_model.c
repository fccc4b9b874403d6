/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/peer/cost_model.h"

#include <stdlib.h>

#include "ompi/mca/pml/champion/core/chores.h"
#include "ompi/mca/pml/champion/core/clock.h"

/* Assumed before anything is measured: 100 Gb/s. */
#define FIRST_ALPHA 0.08
#define FIRST_BETA 1500

/* Transfers after which the model of all peers together is used. */
#define FEW 3

#define MODELS mca_pml_champion_cost_models

mca_pml_champion_cost_models_t mca_pml_champion_cost_models;

/* Transfers in flight, since there were none. */
static struct {
    uint32_t transfers;
    bool mixed; /* from several peers */
    bool early; /* messages without a receive are, or were, among them */
    mca_pml_champion_peer_t *peer;
    uint64_t bytes;
    uint64_t least; /* of one of them, bytes */
    uint64_t since; /* ns */
} busy;

/* Of the transfers before these, of messages with receives only, ns. */
static uint64_t receiving;

/* Time between polls of UCX while watching. */
static struct {
    const mca_pml_champion_peer_t *peer; /* whose transfer began it */
    uint64_t last;                       /* ns */
    uint64_t longest;                    /* between two, ns */
} poll_gap;

void (*mca_pml_champion_cost_model_gap)(const mca_pml_champion_peer_t *peer,
                                        uint64_t bytes, uint64_t gap);

void (*mca_pml_champion_cost_model_period)(mca_pml_champion_peer_t *peer,
                                           uint64_t least, uint64_t bytes,
                                           uint64_t ns);

/* Model of all peers together: transfers that share the link with others. */
static mca_pml_champion_cost_model_t all;

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
}

uint64_t mca_pml_champion_transfer_cost(const mca_pml_champion_peer_t *peer,
                                        size_t bytes)
{
    double alpha, beta;

    mca_pml_champion_cost_model_of(peer, &alpha, &beta);
    return mca_pml_champion_cost(alpha, beta, bytes);
}

/* A look at UCX, while watching. */
static unsigned look(void)
{
    const uint64_t now = mca_pml_champion_now();

    MCA_PML_CHAMPION_LOCKED();
    if (now - poll_gap.last > poll_gap.longest) {
        poll_gap.longest = now - poll_gap.last;
    }
    poll_gap.last = now;
    return 0;
}

static mca_pml_champion_chore_t watching = {.step = look};

static void watch(mca_pml_champion_peer_t *peer)
{
    MODELS.watching = true;
    mca_pml_champion_chore_set(&watching, true);
    poll_gap.peer = peer;
    poll_gap.longest = 0;
    poll_gap.last = mca_pml_champion_now();
}

static void watch_end(void)
{
    MODELS.watching = false;
    mca_pml_champion_chore_set(&watching, false);
}

void mca_pml_champion_cost_model_waited(void)
{
    MCA_PML_CHAMPION_LOCKED();
    if (MODELS.watching) {
        poll_gap.last = mca_pml_champion_now();
    }
}

void mca_pml_champion_cost_model_unwatch(void)
{
    MCA_PML_CHAMPION_LOCKED();
    MODELS.gaps = false;
    if (MODELS.watching) {
        watch_end();
    }
}

void mca_pml_champion_cost_model_begins(mca_pml_champion_peer_t *peer,
                                        size_t bytes)
{
    MCA_PML_CHAMPION_LOCKED();
    if (0 == busy.transfers++) {
        busy.mixed = false;
        busy.peer = peer;
        busy.bytes = 0;
        busy.least = bytes;
        busy.since = mca_pml_champion_now();
    }
    busy.mixed = busy.mixed || busy.peer != peer;
    busy.bytes += bytes;
    busy.least = bytes < busy.least ? bytes : busy.least;
    if (MODELS.gaps && !MODELS.watching && !peer->local &&
        mca_pml_champion_peer_has_only_tcp(peer)) {
        watch(peer);
    }
}

uint64_t mca_pml_champion_cost_model_receiving(uint64_t now)
{
    MCA_PML_CHAMPION_LOCKED();
    return receiving +
           (0 == busy.transfers || busy.early ? 0 : now - busy.since);
}

void mca_pml_champion_cost_model_prefetches(void)
{
    MCA_PML_CHAMPION_LOCKED();
    if (MODELS.on && !busy.early) {
        receiving =
            mca_pml_champion_cost_model_receiving(mca_pml_champion_now());
        busy.early = true;
    }
}

/* A callback of UCX ends the transfers, before the look that called it is
 * counted. */
static void watched(void)
{
    const mca_pml_champion_peer_t *peer = poll_gap.peer;

    if (MODELS.watching) {
        (void) look();
        watch_end();
        mca_pml_champion_cost_model_gap(peer, busy.bytes, poll_gap.longest);
    }
}

void mca_pml_champion_cost_model_ends(void)
{
    mca_pml_champion_peer_t *peer = busy.peer;
    uint64_t took;

    MCA_PML_CHAMPION_LOCKED();
    if (0 != --busy.transfers) {
        return;
    }
    watched();
    took = mca_pml_champion_now() - busy.since;
    receiving += busy.early ? 0 : took;
    busy.early = false;
    if (0 == busy.bytes) {
        return;
    }
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
    if (NULL != mca_pml_champion_cost_model_period) {
        mca_pml_champion_cost_model_period(peer, busy.least, busy.bytes, took);
    }
}
