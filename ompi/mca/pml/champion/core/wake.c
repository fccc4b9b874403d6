/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/wake.h"

#include <sys/eventfd.h>
#include <unistd.h>

/* An eventfd, or -1. */
static int wake_fd = -1;

int mca_pml_champion_wake_open(void)
{
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return wake_fd;
}

void mca_pml_champion_wake_close(void)
{
    mca_pml_champion.thread_asleep = false;
    if (wake_fd >= 0) {
        (void) close(wake_fd);
        wake_fd = -1;
    }
}

void mca_pml_champion_wake_signal(void)
{
    static const uint64_t one = 1;

    /* It can only fail if the counter is at its maximum: the thread is already
     * being woken. */
    if (write(wake_fd, &one, sizeof(one)) < 0) {
        return;
    }
}

void mca_pml_champion_wake(void)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion.thread_asleep = false;
    mca_pml_champion_wake_signal();
}
