/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The cost model of transfers of large messages: alpha * bytes + beta, as LogGP
 * has it and section 5.1 of the CHAMPION paper uses it (docs/decisions names
 * it). There both are measured once for an architecture; here they are fitted
 * to the transfers themselves. Arithmetic only, so that it can be tested alone.
 *
 * Disturbances (a program that computes meanwhile, other traffic) make a
 * transfer longer, never shorter. So each class of sizes (powers of two) keeps
 * its shortest transfer per byte, and a longer one moves it up by a sixteenth
 * of the difference: a link that became slower is noticed, a single outlier
 * changes little. The line is fitted to the classes by least squares of the
 * relative errors: an absolute error of a millisecond is small at 64 MiB and
 * useless at 64 KiB.
 */

#ifndef MCA_PML_CHAMPION_PEER_COST_MODEL_RULE_H
#define MCA_PML_CHAMPION_PEER_COST_MODEL_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "ompi/mca/pml/champion/core/estimate.h"

/** Classes of sizes: the first one up to 2 KiB, the last from 16 GiB on. */
#define MCA_PML_CHAMPION_COST_MODEL_CLASSES 24

/** Transfers after which the line is used. */
#define MCA_PML_CHAMPION_COST_MODEL_FIRST 12

typedef struct mca_pml_champion_cost_model_t {
    uint32_t samples; /**< at most COST_MODEL_FIRST: that is enough */
    double alpha;     /**< ns per byte */
    double beta;      /**< ns */
    /** One transfer representing each class; 0 ns: none yet. */
    double bytes[MCA_PML_CHAMPION_COST_MODEL_CLASSES];
    double ns[MCA_PML_CHAMPION_COST_MODEL_CLASSES];
} mca_pml_champion_cost_model_t;

/** Fit the line to the classes. */
static inline void mca_pml_champion_cost_model_fit(
    mca_pml_champion_cost_model_t *model)
{
    /* Sums over x = bytes / ns and y = 1 / ns, where alpha x + beta y = 1. */
    double xx = 0, xy = 0, yy = 0, x1 = 0, y1 = 0, determinant;
    unsigned classes = 0;

    for (unsigned i = 0; i < MCA_PML_CHAMPION_COST_MODEL_CLASSES; ++i) {
        double x, y;

        if (model->ns[i] <= 0) {
            continue;
        }
        x = model->bytes[i] / model->ns[i];
        y = 1 / model->ns[i];
        xx += x * x;
        xy += x * y;
        yy += y * y;
        x1 += x;
        y1 += y;
        ++classes;
    }
    determinant = xx * yy - xy * xy;
    model->alpha = x1 / xx;
    model->beta = 0;
    if (classes < 2 || determinant <= 1e-9 * xx * yy) {
        return;
    }
    if (x1 * yy < y1 * xy) {
        model->alpha = 0; /* the time does not grow with the size */
        model->beta = y1 / yy;
    } else if (y1 * xx > x1 * xy) {
        model->alpha = (x1 * yy - y1 * xy) / determinant;
        model->beta = (y1 * xx - x1 * xy) / determinant;
    }
}

/** Add a measurement: a transfer of bytes, at least 1, took ns. */
static inline void mca_pml_champion_cost_model_add(
    mca_pml_champion_cost_model_t *model, uint64_t bytes, uint64_t ns)
{
    const unsigned i = mca_pml_champion_size_class(
        bytes, 10, MCA_PML_CHAMPION_COST_MODEL_CLASSES);
    double sample = 0 == ns ? 1 : (double) ns;
    /* Time of the class's transfer, scaled to as many bytes. */
    double kept =
        model->ns[i] <= 0 ? 0 : model->ns[i] / model->bytes[i] * (double) bytes;

    if (kept <= 0 || sample < kept) {
        model->ns[i] = sample;
    } else {
        model->ns[i] = kept + (sample - kept) / 16;
    }
    model->bytes[i] = (double) bytes;
    if (model->samples < MCA_PML_CHAMPION_COST_MODEL_FIRST) {
        ++model->samples;
    }
    mca_pml_champion_cost_model_fit(model);
}

/** Estimated time of a transfer, ns. */
static inline uint64_t mca_pml_champion_cost(double alpha, double beta,
                                             uint64_t bytes)
{
    return (uint64_t) (alpha * (double) bytes + beta);
}

/** Were there enough transfers for the line to be used? */
static inline bool mca_pml_champion_cost_model_is_known(
    const mca_pml_champion_cost_model_t *model)
{
    return model->samples >= MCA_PML_CHAMPION_COST_MODEL_FIRST;
}

#endif /* MCA_PML_CHAMPION_PEER_COST_MODEL_RULE_H */
