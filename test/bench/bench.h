/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the benchmark programs of this folder share: a clock, medians, a page
 * of memory that two ranks see without MPI, and the memory use of a process.
 *
 * Every program prints one JSON object on one line, on rank 0; `compare` and
 * `instructions` read it.
 */
#ifndef CHAMPION_TEST_BENCH_H
#define CHAMPION_TEST_BENCH_H

#include <mpi.h>

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* End the whole job with a message when something is wrong. */
#define BENCH_CHECK(condition, ...)                                            \
    do {                                                                       \
        if (__builtin_expect(!(condition), 0)) {                               \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                    \
            fprintf(stderr, __VA_ARGS__);                                      \
            fprintf(stderr, "\n");                                             \
            MPI_Abort(MPI_COMM_WORLD, 1);                                      \
        }                                                                      \
    } while (0)

/* Seconds of a clock that never goes back. */
static inline double bench_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static inline int bench_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

/* Sorts the values; afterwards values[0] is the smallest. */
static inline double bench_median(double *values, int count)
{
    qsort(values, (size_t) count, sizeof(*values), bench_compare_doubles);
    return count % 2 ? values[count / 2]
                     : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static inline void *bench_alloc(size_t bytes)
{
    void *memory = NULL;

    BENCH_CHECK(0 == posix_memalign(&memory, 4096, bytes ? bytes : 1),
                "no memory for %zu bytes", bytes);
    memset(memory, 0, bytes);
    return memory;
}

/*
 * Zeroed memory that all ranks of one host see, for signals that must not go
 * through MPI. To be called by all ranks; no message is sent, so that no peer
 * becomes known by it. The memory lasts until exit.
 */
struct bench_shared_head {
    atomic_int attached; /* ranks that have mapped it */
    atomic_int ready;    /* rank 0 says: everyone has */
};

enum { BENCH_SHARED_HEAD = 64 };

static inline void *bench_shared_page(size_t bytes)
{
    const char *job = getenv("PMIX_NAMESPACE");
    struct bench_shared_head *head;
    struct stat file;
    char path[256];
    int rank, size, fd;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bytes += BENCH_SHARED_HEAD;
    snprintf(path, sizeof(path), "/dev/shm/champion-bench-%s-%ld",
             NULL == job ? "job" : job, (long) getppid());
    /* What another user has put there is neither followed nor used. */
    fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    BENCH_CHECK(fd >= 0 && 0 == fstat(fd, &file) && file.st_uid == geteuid() &&
                    0 == ftruncate(fd, (off_t) bytes),
                "cannot create %s: %s", path, strerror(errno));
    head = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    BENCH_CHECK(MAP_FAILED != head, "cannot map %s: %s", path, strerror(errno));
    close(fd);
    atomic_fetch_add(&head->attached, 1);
    for (int tries = 0; 0 == rank && atomic_load(&head->attached) != size;
         tries++) {
        BENCH_CHECK(tries < 60000,
                    "%d ranks, but %d have mapped %s: all must "
                    "run on one host",
                    size, atomic_load(&head->attached), path);
        usleep(1000);
    }
    if (0 == rank) {
        unlink(path);
        atomic_store(&head->ready, 1);
    }
    while (!atomic_load(&head->ready)) {
        usleep(1000);
    }
    return (char *) head + BENCH_SHARED_HEAD;
}

static inline void bench_wait_signal(sem_t *signal)
{
    while (0 != sem_wait(signal)) {
        BENCH_CHECK(EINTR == errno, "sem_wait: %s", strerror(errno));
    }
}

/* Semaphores that all ranks share, each at 0. To be called by all ranks. */
static inline sem_t *bench_shared_semaphores(int count)
{
    struct {
        atomic_int initialised;
        sem_t semaphores[];
    } *shared =
        bench_shared_page(sizeof(*shared) + (size_t) count * sizeof(sem_t));
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; 0 == rank && i < count; i++) {
        sem_init(&shared->semaphores[i], 1, 0);
    }
    if (0 == rank) {
        atomic_store(&shared->initialised, 1);
    }
    while (!atomic_load(&shared->initialised)) {
        usleep(1000);
    }
    return shared->semaphores;
}

/*
 * Memory of this process in bytes. `own` is what the process itself brought
 * into being: anonymous memory and its share of shared memory segments (a
 * page of a segment that two processes use counts half in each), without
 * program and library files, whose share depends on how many other processes
 * run them. The values of several processes may be added up.
 */
struct bench_memory {
    double own;       /* Pss of anonymous and shared memory, and huge pages */
    double anonymous; /* the anonymous part of it */
    double pss;       /* proportional set size, everything included */
    double rss;       /* resident set size */
};

/* Allocates nothing, so that it does not disturb what it measures. */
static inline struct bench_memory bench_read_memory(void)
{
    struct bench_memory memory = {0, 0, 0, 0};
    char text[4096], *line, *next;
    ssize_t length = 0, part;
    int fd = open("/proc/self/smaps_rollup", O_RDONLY);

    BENCH_CHECK(fd >= 0, "cannot read /proc/self/smaps_rollup: %s",
                strerror(errno));
    while ((part = read(fd, text + length,
                        sizeof(text) - 1 - (size_t) length)) > 0) {
        length += part;
    }
    close(fd);
    text[length] = '\0';
    for (line = text; NULL != line && '\0' != *line; line = next) {
        char name[32];
        double kilobytes;

        next = strchr(line, '\n');
        next = NULL == next ? NULL : next + 1;
        if (2 != sscanf(line, "%31[A-Za-z_]: %lf", name, &kilobytes)) {
            continue;
        }
        if (0 == strcmp(name, "Rss")) {
            memory.rss += 1024 * kilobytes;
        } else if (0 == strcmp(name, "Pss")) {
            memory.pss += 1024 * kilobytes;
        } else if (0 == strcmp(name, "Pss_Anon")) {
            memory.anonymous += 1024 * kilobytes;
            memory.own += 1024 * kilobytes;
        } else if (0 == strcmp(name, "Pss_Shmem") ||
                   0 == strcmp(name, "Private_Hugetlb")) {
            memory.own += 1024 * kilobytes;
        } else if (0 == strcmp(name, "Shared_Hugetlb")) {
            memory.own += 512 * kilobytes; /* shared by two, we assume */
        }
    }
    return memory;
}

#endif
