/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A limited address space (ulimit -v). Where UCX cannot map its peers' memory or
 * make its buffers larger, it tries again for ever: the rest of the address
 * space has to be enough for UCX.
 */

#ifndef MCA_PML_CHAMPION_LARGE_ADDRESS_SPACE_H
#define MCA_PML_CHAMPION_LARGE_ADDRESS_SPACE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/** Space that UCX may need after its worker was made, for a few peers: their
 * segments, its pools as they grow. Bytes. */
#define MCA_PML_CHAMPION_ADDRESS_SPACE_RESERVE ((uint64_t) 64 << 20)

/** The limit, bytes; UINT64_MAX: none. */
static inline uint64_t mca_pml_champion_address_space_limit(void)
{
    struct rlimit limit;

    return 0 == getrlimit(RLIMIT_AS, &limit) && RLIM_INFINITY != limit.rlim_cur
               ? (uint64_t) limit.rlim_cur
               : UINT64_MAX;
}

/** Mapped memory, bytes; 0: not known. */
static inline uint64_t mca_pml_champion_address_space_used(void)
{
    const long page = sysconf(_SC_PAGESIZE);
    uint64_t pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");

    if (NULL == statm) {
        return 0;
    }
    if (1 != fscanf(statm, "%" SCNu64, &pages) || page <= 0) {
        pages = 0;
    }
    fclose(statm);
    return pages * (uint64_t) page;
}

/** Is the address space limited? */
static inline bool mca_pml_champion_address_space_is_limited(void)
{
    return UINT64_MAX != mca_pml_champion_address_space_limit();
}

/** How much of it is left, bytes; UINT64_MAX if it is not limited, or if /proc
 * does not say how much is used. */
static inline uint64_t mca_pml_champion_address_space_left(void)
{
    const uint64_t limit = mca_pml_champion_address_space_limit();
    uint64_t taken;

    if (UINT64_MAX == limit) {
        return UINT64_MAX;
    }
    taken = mca_pml_champion_address_space_used();
    if (0 == taken) {
        return UINT64_MAX;
    }
    return taken < limit ? limit - taken : 0;
}

/** May so many bytes be taken, and the reserve is left? */
static inline bool mca_pml_champion_address_space_allows(uint64_t bytes)
{
    const uint64_t left = mca_pml_champion_address_space_left();

    return left >= MCA_PML_CHAMPION_ADDRESS_SPACE_RESERVE &&
           left - MCA_PML_CHAMPION_ADDRESS_SPACE_RESERVE >= bytes;
}

#endif /* MCA_PML_CHAMPION_LARGE_ADDRESS_SPACE_H */
