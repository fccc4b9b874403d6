/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When a receive is worth being offloaded. Arithmetic only, without state of
 * its own, so that it can be tested alone.
 *
 * Source: Bayatpour et al., "Communication-Aware Hardware-Assisted MPI Overlap
 * Engine" (2020), section 5.1: offload receives from a peer while delta > K,
 * where delta is the time from posting a receive to the start of its transfer
 * as software would start it, and
 *
 *     K = sum over outstanding rendezvous messages of (alpha * bytes + beta).
 *
 * A small delta says that sender and receiver meet, or that the program calls
 * MPI often: there is nothing to overlap. What the paper leaves open, and what
 * is done here:
 *
 *   - delta is smoothed by 1/8 for each new sample, as TCP does with round-trip
 *     times: a pattern that changes is followed within some ten messages, and
 *     one odd message changes little. Samples are of expected messages only:
 *     a receive that finds its message waiting could not be offloaded.
 *   - outstanding are the rendezvous messages that this process receives at the
 *     moment, from all peers, and the receives that are offloaded, with the
 *     bytes that fit them; and the one to be decided on.
 *   - a period of the cancel rate is a number of receives that could be
 *     offloaded, not a time, nor a number of offloads, of which there would be
 *     none in a period that is blocked. The rate is looked at once an eighth of
 *     a period has been offloaded.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_RULE_H
#define MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_RULE_H

#include <stdbool.h>
#include <stdint.h>

/** A new sample of delta; both in ns. 0 as mean: there was none yet. Never
 * returns 0. */
static inline uint64_t mca_pml_champion_delta_smooth(uint64_t mean,
                                                     uint64_t sample)
{
    uint64_t next;

    if (0 == mean) {
        next = sample;
    } else if (sample >= mean) {
        next = mean + (sample - mean) / 8;
    } else {
        next = mean - ((mean - sample) / 8 + (0 != (mean - sample) % 8));
    }
    return 0 == next ? 1 : next;
}

/** Is it worth while?
 *
 * @param[in] delta        smoothed; 0: not known yet
 * @param[in] outstanding  K without the receive to be decided on, ns
 * @param[in] cost         what that one adds, ns
 */
static inline bool mca_pml_champion_delta_pays(uint64_t delta,
                                               uint64_t outstanding,
                                               uint64_t cost)
{
    return delta > outstanding + cost;
}

/** Large messages of a peer by which it is judged. */
#define MCA_PML_CHAMPION_INVITED_WINDOW 16

/** Is a peer that was asked for tags to be told that they are of no use? Most
 * of its messages come before their receive is posted.
 *
 * @param[in] history  a bit for each of its last messages: was it unexpected?
 * @param[in] looked   how many these are, at most ..._WINDOW
 */
static inline bool mca_pml_champion_invitation_failed(uint16_t history,
                                                      unsigned looked)
{
    return looked >= MCA_PML_CHAMPION_INVITED_WINDOW &&
           2 * __builtin_popcount(history) > MCA_PML_CHAMPION_INVITED_WINDOW;
}

/** And is it to be asked again? Hardly any of them do, since. */
static inline bool mca_pml_champion_invitation_renewed(uint16_t history,
                                                       unsigned looked)
{
    return looked >= MCA_PML_CHAMPION_INVITED_WINDOW &&
           8 * __builtin_popcount(history) <= MCA_PML_CHAMPION_INVITED_WINDOW;
}

/** The current period of the cancel rate. All zero: the first. */
typedef struct mca_pml_champion_window_t {
    uint32_t candidates; /**< receives that could be offloaded */
    uint32_t offloaded;
    uint32_t cancelled;
} mca_pml_champion_window_t;

/** A receive could be offloaded: may it be? Starts the next period when this
 * one is over.
 *
 * @param[in] period   candidates in a period, at least 1
 * @param[in] percent  largest allowed cancelled / offloaded, in percent; 100:
 *                     none are too many, not even those of an earlier period
 */
static inline bool mca_pml_champion_window_allows(
    mca_pml_champion_window_t *window, uint32_t period, uint32_t percent)
{
    if (window->candidates >= period) {
        *window = (mca_pml_champion_window_t){.candidates = 0};
    }
    ++window->candidates;
    return percent >= 100 || window->offloaded < (period + 7) / 8 ||
           (uint64_t) window->cancelled * 100 <=
               (uint64_t) window->offloaded * percent;
}

#endif /* MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_RULE_H */
