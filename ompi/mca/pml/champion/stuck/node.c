/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/mca/pml/champion/stuck/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/class/opal_object.h"

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/peer/peer.h"

typedef mca_pml_champion_stuck_process_t process_t;
typedef mca_pml_champion_stuck_words_t words_t;

words_t mca_pml_champion_stuck_words;

static bool shown;

void mca_pml_champion_stuck_node_start(bool shows)
{
    words_t *words = &mca_pml_champion_stuck_words;

    shown = shows;
    memset(words, 0, sizeof(*words));
    words->pids = mca_pml_champion_stuck_pids();
    words->began = words->beat = mca_pml_champion_stuck_now();
    words->state.vpid = OPAL_PROC_MY_NAME.vpid;
    words->size = mca_pml_champion.job_size;
}

void mca_pml_champion_stuck_node_show(void)
{
    if (shown) {
        mca_pml_champion_board_say(&mca_pml_champion_stuck_words,
                                   sizeof(mca_pml_champion_stuck_words));
    }
}

void mca_pml_champion_stuck_count_with(uint32_t vpid, uint32_t *sent,
                                       uint32_t *come)
{
    const mca_pml_champion_peer_t *peer = mca_pml_champion.job_peers[vpid];

    *sent = NULL == peer ? 0 : peer->send_sequence;
    *come = NULL == peer ? 0 : peer->recv_sequence;
}

/* Cards keep what was waited for before. */
static bool waits_for(const words_t *other, uint32_t vpid, uint64_t now)
{
    process_t process;
    uint32_t i = 0;

    if (!mca_pml_champion_stuck_hear(other, now, &process) ||
        !mca_pml_champion_stuck_stands(&process, 0)) {
        return false;
    }
    while (i < process.state.items && process.state.item[i].vpid != vpid) {
        ++i;
    }
    return i < process.state.items;
}

void mca_pml_champion_stuck_count_pairs(void)
{
    const uint32_t places = mca_pml_champion_board_shape()->places;
    const uint64_t now = mca_pml_champion_stuck_now();
    words_t *mine = &mca_pml_champion_stuck_words, other;

    mine->pairs = 0;
    for (uint32_t i = 0;
         i < places && mine->pairs < MCA_PML_CHAMPION_STUCK_PAIRS; ++i) {
        mca_pml_champion_stuck_pair_t *pair = &mine->pair[mine->pairs];

        if (mca_pml_champion_board_hear(i, &other, sizeof(other)) &&
            mca_pml_champion_stuck_is_sound(&other.state) &&
            other.state.vpid < mca_pml_champion.job_size &&
            other.state.vpid != mine->state.vpid &&
            waits_for(&other, mine->state.vpid, now)) {
            pair->vpid = other.state.vpid;
            mca_pml_champion_stuck_count_with(pair->vpid, &pair->sent,
                                              &pair->come);
            ++mine->pairs;
        }
    }
}

process_t *mca_pml_champion_stuck_node(uint64_t now, size_t *count)
{
    const words_t *mine = &mca_pml_champion_stuck_words;
    const bool alone =
        mca_pml_champion.job_size <= opal_process_info.num_local_peers + 1u;
    process_t *process = mca_pml_champion_stuck_cards(now, mine->pids, count);

    if (NULL == process) {
        return NULL;
    }
    if (0 == *count) {
        (void) mca_pml_champion_stuck_hear(mine, now, process);
        process->state.vpid = OPAL_PROC_MY_NAME.vpid;
        *count = 1;
    }
    for (size_t i = 0; !alone && i < *count; ++i) {
        snprintf(process[i].host, sizeof(process[i].host), "%.*s",
                 (int) sizeof(process[i].host) - 1, opal_process_info.nodename);
    }
    return process;
}

static const mca_pml_champion_claim_t claim[] = {
    [MCA_PML_CHAMPION_STUCK_SLOW] = MCA_PML_CHAMPION_CLAIM_SLOW,
    [MCA_PML_CHAMPION_STUCK_SEEMS] = MCA_PML_CHAMPION_CLAIM_SEEMS_STUCK,
    [MCA_PML_CHAMPION_STUCK_HANGS] = MCA_PML_CHAMPION_CLAIM_STUCK,
};

mca_pml_champion_stuck_verdict_t mca_pml_champion_stuck_said(void)
{
    mca_pml_champion_stuck_verdict_t verdict = MCA_PML_CHAMPION_STUCK_HANGS;

    while (verdict > MCA_PML_CHAMPION_STUCK_NOT &&
           !mca_pml_champion_board_is_claimed(claim[verdict])) {
        --verdict;
    }
    return verdict;
}

bool mca_pml_champion_stuck_claim(mca_pml_champion_stuck_verdict_t verdict)
{
    return mca_pml_champion_board_claim(claim[verdict]);
}
