/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#define _GNU_SOURCE 1

#include "ompi/mca/pml/champion/pml_champion_fetch.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "ompi/mca/pml/champion/pml_champion_ucx_compat.h"

/* What is fetched where that is cheap, and what is where it is not, bytes. */
#define CHEAP_MIN 32768
#define DEAR_MIN 65536

/* What is measured: so many bytes, the best of so many trials. */
#define BYTES 32768
#define TRIALS 5

/* It is cheap if it takes less than so many copies. */
#define COPIES 4

static uint64_t nanoseconds(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static uint64_t since(uint64_t start, uint64_t best)
{
    uint64_t took = nanoseconds() - start;

    return took < best ? took : best;
}

/* Is a system call that reads memory, this process's own, nearly as fast as a
 * copy? */
static bool measure(char *from, char *to)
{
    const struct iovec local = {to, BYTES}, remote = {from, BYTES};
    uint64_t copy = UINT64_MAX, call = UINT64_MAX;

    memset(from, 1, BYTES);
    memset(to, 2, BYTES);
    for (int i = 0; i < TRIALS; ++i) {
        uint64_t start = nanoseconds();

        memcpy(to, from, BYTES);
        __asm__ volatile("" ::"r"(to) : "memory");
        copy = since(start, copy);
        start = nanoseconds();
        if (BYTES != process_vm_readv(getpid(), &local, 1, &remote, 1, 0)) {
            return false;
        }
        call = since(start, call);
    }
    return call < COPIES * copy;
}

static bool is_cheap(void)
{
    char *from = malloc(BYTES), *to = malloc(BYTES);
    bool cheap = NULL != from && NULL != to && measure(from, to);

    free(from);
    free(to);
    return cheap;
}

size_t mca_pml_champion_fetch_min(ucp_ep_h ep)
{
    static size_t min;

    if (!mca_pml_champion_ucx_has_single_copy(ep)) {
        return SIZE_MAX;
    }
    if (0 == min) {
        min = is_cheap() ? CHEAP_MIN : DEAR_MIN;
    }
    return min;
}
