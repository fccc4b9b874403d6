/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#define _GNU_SOURCE 1

#include "ompi/mca/pml/champion/stats/host_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ompi/mca/pml/champion/core/clock.h"

/* How long the first rank that is ended waits for the others, ns. mpirun sends
 * SIGTERM to all of them within milliseconds, and SIGKILL a second later. */
#define PATIENCE 250000000u

/* A report that takes longer than this has died with its process, ns. */
#define REPORT_MAX 2000000000u

typedef mca_pml_champion_place_t place_t;

/* States of a place. */
enum { WANTED, FILLED, TAKEN };

typedef struct table_t {
    uint64_t reporting; /* when a report was begun; 0: none is. Atomic */
    place_t places[];
} table_t;

static struct {
    table_t *table; /* NULL: it is not open */
    size_t length;
    unsigned ranks; /* places */
    place_t *mine;
    char path[4096]; /* its file; "" if it has none */
} host;

static size_t length_of(unsigned ranks)
{
    return sizeof(table_t) + ranks * sizeof(place_t);
}

/* Its name can be guessed: it must be no file of another user, who could shorten
 * it, and no second name of another file. */
static bool is_ours(int fd)
{
    struct stat status;

    return 0 == fstat(fd, &status) && S_ISREG(status.st_mode) &&
           geteuid() == status.st_uid && 1 == status.st_nlink;
}

/* The memory must be there: a write to a file without room raises SIGBUS. */
static bool reserve(int fd, unsigned rank)
{
    const off_t begin = (off_t) length_of(rank);

    return 0 == ftruncate(fd, (off_t) host.length) &&
           0 == posix_fallocate(fd, 0, (off_t) sizeof(table_t)) &&
           0 == posix_fallocate(fd, begin, (off_t) sizeof(place_t));
}

/* A child of this process is none of the job's ranks. */
static table_t *map(int fd)
{
    void *at = mmap(NULL, host.length, PROT_READ | PROT_WRITE,
                    fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

    if (MAP_FAILED == at) {
        return NULL;
    }
    (void) madvise(at, host.length, MADV_DONTFORK);
    return at;
}

/* Descriptor of the file, with this rank's place; -1: there is none. */
static int open_file(unsigned rank)
{
    const char *folder = opal_process_info.job_session_dir;
    int length, fd;

    if (NULL == folder || rank >= host.ranks) {
        return -1;
    }
    length = snprintf(host.path, sizeof(host.path), "%s/champion-ended.%lx",
                      folder, (unsigned long) OPAL_PROC_MY_NAME.jobid);
    if (length >= (int) sizeof(host.path)) {
        return -1;
    }
    fd = open(host.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && !(is_ours(fd) && reserve(fd, rank))) {
        (void) close(fd);
        fd = -1;
    }
    return fd;
}

int mca_pml_champion_host_table_open(void)
{
    unsigned rank = (unsigned) opal_process_info.my_local_rank;
    int fd;

    host.ranks = 1 + (unsigned) opal_process_info.num_local_peers;
    host.length = length_of(host.ranks);
    fd = open_file(rank);
    if (fd >= 0) {
        host.table = map(fd);
        (void) close(fd);
    }
    if (NULL == host.table) {
        host.path[0] = '\0';
        host.ranks = 1;
        host.length = length_of(1);
        host.table = map(-1);
        rank = 0;
    }
    if (NULL == host.table) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    host.mine = &host.table->places[rank];
    /* A job before this one may have left the file. */
    memset(host.mine, 0, sizeof(*host.mine));
    return OMPI_SUCCESS;
}

void mca_pml_champion_host_table_close(void)
{
    if (NULL == host.table) {
        return;
    }
    if ('\0' != host.path[0]) {
        (void) unlink(host.path);
    }
    (void) munmap(host.table, host.length);
    host.table = NULL;
}

place_t *mca_pml_champion_host_table_mine(void)
{
    return host.mine;
}

unsigned mca_pml_champion_host_table_ranks(void)
{
    return host.ranks;
}

static uint32_t state_of(const place_t *place)
{
    return __atomic_load_n(&place->state, __ATOMIC_ACQUIRE);
}

static bool all_filled(void)
{
    for (unsigned i = 0; i < host.ranks; ++i) {
        if (WANTED == state_of(&host.table->places[i])) {
            return false;
        }
    }
    return true;
}

/* Begin a report, if nobody else is making one. */
static bool begin(uint64_t now)
{
    uint64_t before = __atomic_load_n(&host.table->reporting, __ATOMIC_RELAXED);

    return (0 == before || now - before > REPORT_MAX) &&
           __atomic_compare_exchange_n(&host.table->reporting, &before, now,
                                       false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

bool mca_pml_champion_host_table_filled(uint64_t until)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    const uint64_t since = mca_pml_champion_now();
    uint64_t now = since;

    __atomic_store_n(&host.mine->state, FILLED, __ATOMIC_RELEASE);
    for (; now < until; now = mca_pml_champion_now()) {
        if (TAKEN == state_of(host.mine)) {
            return false;
        }
        if ((now - since > PATIENCE || all_filled()) && begin(now)) {
            /* The one before may have had this place, too. */
            if (TAKEN != state_of(host.mine)) {
                return true;
            }
            mca_pml_champion_host_table_release();
        }
        (void) nanosleep(&moment, NULL);
    }
    return false;
}

const place_t *mca_pml_champion_host_table_take(unsigned i)
{
    place_t *place = &host.table->places[i];

    if (WANTED == state_of(place)) {
        return NULL;
    }
    __atomic_store_n(&place->state, TAKEN, __ATOMIC_RELEASE);
    return place;
}

void mca_pml_champion_host_table_release(void)
{
    __atomic_store_n(&host.table->reporting, 0, __ATOMIC_RELEASE);
}
