/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a transfer of large messages from a peer takes: alpha * bytes + beta,
 * the cost model of LogGP as section 5.1 of the CHAMPION paper uses it
 * (docs/decisions names it). There both are measured once for an
 * architecture; here they are fitted to the transfers themselves. Arithmetic
 * only, without state of its own, so that it can be tested alone.
 *
 * What disturbs such a measurement makes it longer, never shorter: a program
 * that computes meanwhile, other traffic. So for each class of sizes (factors
 * of two) the shortest transfer per byte is kept, and a longer one moves it up
 * by a sixteenth: a link that got slower is noticed, one odd transfer changes
 * little. Through the classes goes a line by least squares of the relative
 * errors, for a line that is wrong by a millisecond is right at 64 MiB and
 * useless at 64 KiB.
 */

#ifndef MCA_PML_CHAMPION_PEER_COST_MODEL_RULE_H
#define MCA_PML_CHAMPION_PEER_COST_MODEL_RULE_H

#include <stdbool.h>
#include <stdint.h>

/** Classes of sizes: the first one up to 2 KiB, the last from 16 GiB on. */
#define MCA_PML_CHAMPION_COST_MODEL_CLASSES 24

/** Transfers until the line counts. */
#define MCA_PML_CHAMPION_COST_MODEL_FIRST 12

typedef struct mca_pml_champion_cost_model_t {
    uint32_t samples; /**< at most PACE_FIRST: enough */
    double alpha;     /**< ns per byte */
    double beta;      /**< ns */
    /** What stands for each class; 0 ns: nothing yet. */
    double bytes[MCA_PML_CHAMPION_COST_MODEL_CLASSES];
    double ns[MCA_PML_CHAMPION_COST_MODEL_CLASSES];
} mca_pml_champion_cost_model_t;

static inline unsigned mca_pml_champion_cost_model_class(uint64_t bytes)
{
    unsigned log2 = 63 - (unsigned) __builtin_clzll(bytes | 1);

    if (log2 <= 10) {
        return 0;
    }
    return log2 - 10 < MCA_PML_CHAMPION_COST_MODEL_CLASSES
               ? log2 - 10
               : MCA_PML_CHAMPION_COST_MODEL_CLASSES - 1;
}

/** Put the line through the classes. */
static inline void mca_pml_champion_cost_model_fit(
    mca_pml_champion_cost_model_t *pace)
{
    /* Sums over x = bytes / ns and y = 1 / ns, where alpha x + beta y = 1. */
    double xx = 0, xy = 0, yy = 0, x1 = 0, y1 = 0, determinant;
    unsigned classes = 0;

    for (unsigned i = 0; i < MCA_PML_CHAMPION_COST_MODEL_CLASSES; ++i) {
        double x, y;

        if (pace->ns[i] <= 0) {
            continue;
        }
        x = pace->bytes[i] / pace->ns[i];
        y = 1 / pace->ns[i];
        xx += x * x;
        xy += x * y;
        yy += y * y;
        x1 += x;
        y1 += y;
        ++classes;
    }
    determinant = xx * yy - xy * xy;
    pace->alpha = x1 / xx;
    pace->beta = 0;
    if (classes < 2 || determinant <= 1e-9 * xx * yy) {
        return;
    }
    if (x1 * yy < y1 * xy) {
        pace->alpha = 0; /* none takes longer than another */
        pace->beta = y1 / yy;
    } else if (y1 * xx > x1 * xy) {
        pace->alpha = (x1 * yy - y1 * xy) / determinant;
        pace->beta = (y1 * xx - x1 * xy) / determinant;
    }
}

/** A transfer of so many bytes, at least 1, has taken so long. */
static inline void mca_pml_champion_cost_model_add(
    mca_pml_champion_cost_model_t *pace, uint64_t bytes, uint64_t ns)
{
    unsigned i = mca_pml_champion_cost_model_class(bytes);
    double sample = 0 == ns ? 1 : (double) ns;
    /* What the one that is kept would have taken for as many bytes. */
    double kept =
        pace->ns[i] <= 0 ? 0 : pace->ns[i] / pace->bytes[i] * (double) bytes;

    if (kept <= 0 || sample < kept) {
        pace->ns[i] = sample;
    } else {
        pace->ns[i] = kept + (sample - kept) / 16;
    }
    pace->bytes[i] = (double) bytes;
    if (pace->samples < MCA_PML_CHAMPION_COST_MODEL_FIRST) {
        ++pace->samples;
    }
    mca_pml_champion_cost_model_fit(pace);
}

/** What a message costs, in ns. */
static inline uint64_t mca_pml_champion_cost(double alpha, double beta,
                                             uint64_t bytes)
{
    return (uint64_t) (alpha * (double) bytes + beta);
}

/** Were there enough transfers for the line to count? */
static inline bool mca_pml_champion_cost_model_is_known(
    const mca_pml_champion_cost_model_t *pace)
{
    return pace->samples >= MCA_PML_CHAMPION_COST_MODEL_FIRST;
}

#endif /* MCA_PML_CHAMPION_PEER_COST_MODEL_RULE_H */
