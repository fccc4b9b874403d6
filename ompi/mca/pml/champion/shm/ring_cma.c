/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#define _GNU_SOURCE 1

#include "ompi/mca/pml/champion/shm/ring_cma.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

typedef ssize_t (*copy_t)(pid_t pid, const struct iovec *local,
                          unsigned long locals, const struct iovec *remote,
                          unsigned long remotes, unsigned long flags);

static inline __attribute__((always_inline)) bool copy_by(
    copy_t copy, int32_t pid, uint64_t address, char *here, size_t length)
{
    size_t done = 0;

    while (done < length) {
        const struct iovec local = {here + done, length - done};
        const struct iovec remote = {(void *) (uintptr_t) (address + done),
                                     length - done};
        ssize_t got = copy(pid, &local, 1, &remote, 1, 0);

        if (got <= 0) {
            if (got < 0 && EINTR == errno) {
                continue;
            }
            return false;
        }
        done += (size_t) got;
    }
    return true;
}

bool mca_pml_champion_ring_read(int32_t pid, uint64_t address, void *to,
                                size_t length)
{
    return copy_by(process_vm_readv, pid, address, to, length);
}

bool mca_pml_champion_ring_write(int32_t pid, uint64_t address,
                                 const void *from, size_t length)
{
    return copy_by(process_vm_writev, pid, address, (char *) (uintptr_t) from,
                   length);
}

bool mca_pml_champion_ring_can_read(int32_t pid, uint64_t address,
                                    const uint64_t mark[2])
{
    uint64_t there[2];

    return 0 != address &&
           mca_pml_champion_ring_read(pid, address, there, sizeof(there)) &&
           0 == memcmp(there, mark, sizeof(there));
}
