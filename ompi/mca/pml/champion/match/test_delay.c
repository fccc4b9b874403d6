/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/match/test_delay.h"

#include "ompi/mca/pml/champion/core/unit.h"
/* The countdown uses the field for the order in a queue. */
#define COUNTDOWN(message) ((message)->entry.order)

static bool test_delay_register(void)
{
    mca_pml_champion.params.test_delay = 0;
    return mca_pml_champion_param_uint(
        "test_delay",
        "For testing: delay each message by a random number of progress calls, "
        "up to this value, so that messages arrive late and out of order. 0: "
        "no delay",
        OPAL_INFO_LVL_9, 0, 1 << 20, &mca_pml_champion.params.test_delay);
}

MCA_PML_CHAMPION_UNIT(test_delay) = {.name = "test_delay",
                                     .registers = test_delay_register};

static uint32_t delay_random(void)
{
    static uint32_t state;

    if (0 == state) {
        state = 2463534242u + OPAL_PROC_MY_NAME.vpid;
    }
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static unsigned process(void);

mca_pml_champion_chore_t mca_pml_champion_test_delay = {
    .step = process,
    .polls = true,
};

static mca_pml_champion_message_t *delayed;
static void (*go_on)(mca_pml_champion_message_t *message);

/* Process the messages whose delay is over. */
static unsigned process(void)
{
    mca_pml_champion_message_t **at = &delayed, *due = NULL, *message;
    unsigned events = 0;

    MCA_PML_CHAMPION_LOCKED();
    while (NULL != (message = *at)) {
        if (0 != COUNTDOWN(message)--) {
            at = (mca_pml_champion_message_t **) &message->entry.link[0];
            continue;
        }
        *at = mca_pml_champion_message_next(message);
        message->entry.link[0] = due;
        due = message;
    }
    mca_pml_champion_chore_set(&mca_pml_champion_test_delay, NULL != delayed);
    while (NULL != (message = due)) {
        due = mca_pml_champion_message_next(message);
        go_on(message);
        ++events;
    }
    return events;
}

void mca_pml_champion_test_delay_add(
    mca_pml_champion_message_t *message,
    void (*over)(mca_pml_champion_message_t *message))
{
    uint32_t range = (uint32_t) mca_pml_champion.params.test_delay;

    MCA_PML_CHAMPION_LOCKED();
    go_on = over;
    ++mca_pml_champion.counters.delayed;
    COUNTDOWN(message) = delay_random() % range;
    message->entry.link[0] = delayed;
    delayed = message;
    mca_pml_champion_chore_set(&mca_pml_champion_test_delay, true);
}
