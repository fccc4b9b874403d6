/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that two ranks of a node share past MPI, so that one of them can wait
 * for the other without making progress.
 */
#ifndef MPI_TEST_SHARED_H
#define MPI_TEST_SHARED_H

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>

#include "mpi_test.h"

/* Map memory that this rank shares with a peer, filled with zeros. Both call
 * it; one of them creates the file, which is removed at once. To be unmapped
 * with munmap. */
static inline void *mt_share(size_t length, int peer, bool makes)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_MAX] = "";
    void *shared;
    int file, tag = 7;

    if (makes) {
        snprintf(path, sizeof(path), "%s/%s.XXXXXX",
                 NULL != folder ? folder : P_tmpdir, mt_program);
        file = mkstemp(path);
        CHECK(file >= 0);
        CHECK_EQ(ftruncate(file, (off_t) length), 0);
        CHECK_OK(
            MPI_Send(path, sizeof(path), MPI_CHAR, peer, tag, MPI_COMM_WORLD));
        CHECK_OK(MPI_Recv(NULL, 0, MPI_CHAR, peer, tag, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
        unlink(path);
    } else {
        CHECK_OK(MPI_Recv(path, sizeof(path), MPI_CHAR, peer, tag,
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        file = open(path, O_RDWR);
        CHECK(file >= 0);
        CHECK_OK(MPI_Send(NULL, 0, MPI_CHAR, peer, tag, MPI_COMM_WORLD));
    }
    shared = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(MAP_FAILED != shared);
    close(file);
    return shared;
}

#endif
