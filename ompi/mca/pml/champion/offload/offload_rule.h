/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When offloading a receive pays. Arithmetic only, so that it can be tested
 * alone.
 *
 * Source: Bayatpour et al., "Communication-Aware Hardware-Assisted MPI Overlap
 * Engine" (2020), section 5.1: offload receives from a peer while delta > K,
 * where delta is the time from posting a receive until software would start its
 * transfer, and
 *
 *     K = sum over outstanding rendezvous messages of (alpha * bytes + beta).
 *
 * A small delta means that sender and receiver are synchronous, or that the
 * program calls MPI often: there is nothing to overlap. The paper leaves these
 * decisions open:
 *
 *   - delta is smoothed (core/estimate.h): it follows a change of the pattern
 *     within some ten messages, and an outlier changes little. Samples are of
 *     expected messages only: a receive that finds its message queued could not
 *     be offloaded.
 *   - outstanding are the rendezvous messages that this process is receiving,
 *     from all peers; the offloaded receives, with their capacity; and the one
 *     to be decided on.
 *   - a period of the cancel rate is a number of eligible receives, not a time,
 *     nor a number of offloaded ones, which would stay zero in a blocked
 *     period. The rate is checked once an eighth of a period has been
 *     offloaded.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_RULE_H
#define MCA_PML_CHAMPION_OFFLOAD_OFFLOAD_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "ompi/mca/pml/champion/core/estimate.h"

/** Does offloading a receive pay?
 *
 * @param[in] delta        smoothed; 0: unknown
 * @param[in] outstanding  K without the receive to be decided on, ns
 * @param[in] cost         estimated time of that receive's transfer, ns
 */
static inline bool mca_pml_champion_delta_pays(uint64_t delta,
                                               uint64_t outstanding,
                                               uint64_t cost)
{
    return delta > outstanding + cost;
}

/** Large messages of a peer on which the decision to ask it for tags is based.
 */
#define MCA_PML_CHAMPION_INVITED_WINDOW 16

/** Should a peer that was asked for tags stop using them, because most of its
 * messages are unexpected? */
static inline bool mca_pml_champion_invitation_failed(
    const mca_pml_champion_history_t *unexpected)
{
    return unexpected->known >= MCA_PML_CHAMPION_INVITED_WINDOW &&
           2 * mca_pml_champion_history_count(unexpected) >
               MCA_PML_CHAMPION_INVITED_WINDOW;
}

/** Should a peer that was asked to stop be asked for tags again, because hardly
 * any of its messages are unexpected now? */
static inline bool mca_pml_champion_invitation_renewed(
    const mca_pml_champion_history_t *unexpected)
{
    return unexpected->known >= MCA_PML_CHAMPION_INVITED_WINDOW &&
           8 * mca_pml_champion_history_count(unexpected) <=
               MCA_PML_CHAMPION_INVITED_WINDOW;
}

/** The current period of the cancel rate. Initially all zero. */
typedef struct mca_pml_champion_window_t {
    uint32_t candidates; /**< eligible receives */
    uint32_t offloaded;
    uint32_t cancelled;
} mca_pml_champion_window_t;

/** Does the cancel rate allow an eligible receive to be offloaded? Counts it,
 * and starts a new period when this one is over.
 *
 * @param[in] period   candidates in a period, at least 1
 * @param[in] percent  largest allowed cancelled / offloaded, in percent; 100:
 *                     no limit
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
