/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/wake.h"

#include <sys/eventfd.h>
#include <unistd.h>

/* An eventfd, or -1. */
static int told = -1;

int mca_pml_champion_wake_open(void)
{
    told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return told;
}

void mca_pml_champion_wake_close(void)
{
    mca_pml_champion.thread_asleep = false;
    if (told >= 0) {
        (void) close(told);
        told = -1;
    }
}

void mca_pml_champion_wake_signal(void)
{
    static const uint64_t one = 1;

    /* It can only fail if the thread is told already. */
    if (write(told, &one, sizeof(one)) < 0) {
        return;
    }
}

void mca_pml_champion_wake(void)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion.thread_asleep = false;
    mca_pml_champion_wake_signal();
}
