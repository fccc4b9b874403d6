/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What rules that learn have in common. Arithmetic only, for tests.
 */

#ifndef MCA_PML_CHAMPION_CORE_ESTIMATE_H
#define MCA_PML_CHAMPION_CORE_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/** The value between `least` and `most` that is nearest to `value`; `most` if
 * that is less than `least`. */
static inline uint64_t mca_pml_champion_within(uint64_t value, uint64_t least,
                                               uint64_t most)
{
    value = value > least ? value : least;
    return value < most ? value : most;
}

/** Patience: twice the value, within these limits. */
static inline uint64_t mca_pml_champion_doubled(uint64_t value, uint64_t least,
                                                uint64_t most)
{
    return value > most / 2 ? most
                            : mca_pml_champion_within(2 * value, least, most);
}

/** Class of a size: the first one ends below 2 << log2 bytes, each next one at
 * twice the size; the last one has all that are larger. */
static inline unsigned mca_pml_champion_size_class(uint64_t bytes,
                                                   unsigned log2,
                                                   unsigned classes)
{
    const unsigned is = 63 - (unsigned) __builtin_clzll(bytes | 1);

    return (unsigned) mca_pml_champion_within(is, log2, log2 + classes - 1) -
           log2;
}

/** A mean after a new sample, which counts an eighth, as TCP has it; the first
 * one counts whole. mean is 0 before that. Never returns 0. */
static inline uint64_t mca_pml_champion_mean(uint64_t mean, uint64_t sample)
{
    if (0 == mean) {
        mean = sample;
    } else if (sample >= mean) {
        mean += (sample - mean) / 8;
    } else {
        mean -= (mean - sample) / 8 + (0 != (mean - sample) % 8);
    }
    return mean + (0 == mean);
}

/** One bit for each of the last events, up to 64. All bytes zero: none yet. */
typedef struct mca_pml_champion_history_t {
    uint64_t bits; /**< the newest one is the lowest */
    uint8_t known; /**< number of events in it */
} mca_pml_champion_history_t;

/** An event; the last `window` are kept, 1 to 64. */
static inline void mca_pml_champion_history_add(
    mca_pml_champion_history_t *history, unsigned window, bool bit)
{
    history->bits = (history->bits << 1 | bit) & UINT64_MAX >> (64 - window);
    history->known += history->known < window;
}

/** Of how many of them the bit is set. */
static inline unsigned mca_pml_champion_history_count(
    const mca_pml_champion_history_t *history)
{
    return (unsigned) __builtin_popcountll(history->bits);
}

#endif /* MCA_PML_CHAMPION_CORE_ESTIMATE_H */
