/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#define _GNU_SOURCE 1

#include "ompi/mca/pml/champion/core/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMFD_NAME "champion-rings"
#define MEMFD_LINK MCA_PML_CHAMPION_SEGMENT_LINK
_Static_assert(sizeof(MEMFD_LINK) == sizeof("/memfd:" MEMFD_NAME),
               "the kernel's name of such a file");

/* Since Linux 6.3. Where the system requires it (sysctl vm.memfd_noexec),
 * executable memory is refused. */
#if !defined(MFD_NOEXEC_SEAL)
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* A file that exceeds RLIMIT_FSIZE would raise SIGXFSZ. */
static bool size_is_allowed(size_t length)
{
    struct rlimit limit;

    return 0 == getrlimit(RLIMIT_FSIZE, &limit) &&
           (RLIM_INFINITY == limit.rlim_cur || length <= limit.rlim_cur);
}

static int memory_open(size_t length)
{
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int fd;

    if (!size_is_allowed(length)) {
        errno = EFBIG;
        return -1;
    }
    fd = memfd_create(MEMFD_NAME, flags | MFD_NOEXEC_SEAL);
    if (fd < 0 && EINVAL == errno) {
        fd = memfd_create(MEMFD_NAME, flags);
    }
    if (fd < 0) {
        return -1;
    }
    if (0 != fchmod(fd, 0600) || 0 != ftruncate(fd, (off_t) length) ||
        0 !=
            fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
        (void) close(fd);
        return -1;
    }
    return fd;
}

/* Map without inheritance: after a fork, the child would write into its
 * parent's rings. */
static void *map(int fd, size_t length, int protection)
{
    void *at = mmap(NULL, length, protection, MAP_SHARED, fd, 0);

    if (MAP_FAILED == at) {
        return NULL;
    }
    (void) madvise(at, length, MADV_DONTFORK);
    return at;
}

bool mca_pml_champion_segment_create(mca_pml_champion_segment_t *segment,
                                     size_t length, size_t reserved)
{
    mca_pml_champion_segment_name_t *name = &segment->name;
    mca_pml_champion_segment_head_t *head;
    struct stat status;
    int fd;

    segment->length = length;
    fd = memory_open(length);
    if (fd < 0) {
        return false;
    }
    if (0 == fstat(fd, &status) && 0 == fallocate(fd, 0, 0, (off_t) reserved) &&
        sizeof(name->mark) == getrandom(name->mark, sizeof(name->mark), 0)) {
        segment->memory = map(fd, length, PROT_READ | PROT_WRITE);
    }
    if (NULL == segment->memory) {
        (void) close(fd);
        return false;
    }
    name->pid = (int32_t) getpid();
    name->fd = fd;
    name->device = status.st_dev;
    name->inode = status.st_ino;
    head = segment->memory;
    memcpy(head->mark, name->mark, sizeof(head->mark));
    return true;
}

void mca_pml_champion_segment_destroy(mca_pml_champion_segment_t *segment)
{
    if (NULL == segment->memory) {
        return;
    }
    (void) munmap(segment->memory, segment->length);
    (void) close(segment->name.fd);
    segment->memory = NULL;
}

/* Does the link point to memory of champion? Checked before it is opened,
 * because opening another file, a device's say, may have side effects. */
static bool link_is_right(const char *path)
{
    char target[sizeof(MEMFD_LINK)];

    return readlink(path, target, sizeof(target)) >=
               (ssize_t) sizeof(MEMFD_LINK) - 1 &&
           0 == strncmp(target, MEMFD_LINK, sizeof(MEMFD_LINK) - 1);
}

/* Is it the file that the name describes, and can it not shrink? */
static bool file_is_right(int fd, const mca_pml_champion_segment_name_t *name,
                          size_t length)
{
    struct stat status;
    int seals = fcntl(fd, F_GET_SEALS);

    return 0 == fstat(fd, &status) && S_ISREG(status.st_mode) &&
           status.st_dev == name->device && status.st_ino == name->inode &&
           length <= (uint64_t) status.st_size && seals >= 0 &&
           0 != (seals & F_SEAL_SHRINK);
}

/* Open a segment of at least so many bytes. -1 if that fails. */
static int segment_open(const mca_pml_champion_segment_name_t *name,
                        size_t length, int access)
{
    char path[64];
    int fd;

    (void) snprintf(path, sizeof(path), "/proc/%ld/fd/%ld", (long) name->pid,
                    (long) name->fd);
    if (!link_is_right(path)) {
        return -1;
    }
    fd = open(path, access | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && !file_is_right(fd, name, length)) {
        (void) close(fd);
        return -1;
    }
    return fd;
}

bool mca_pml_champion_segment_fill(const mca_pml_champion_segment_name_t *name,
                                   size_t offset, size_t length)
{
    const int fd = segment_open(name, offset + length, O_RDWR);
    bool filled;

    if (fd < 0) {
        return false;
    }
    filled = 0 == fallocate(fd, 0, (off_t) offset, (off_t) length);
    (void) close(fd);
    return filled;
}

static void *attach(const mca_pml_champion_segment_name_t *name, size_t length,
                    int access, int protection)
{
    mca_pml_champion_segment_head_t *head;
    const int fd = segment_open(name, length, access);

    if (fd < 0) {
        return NULL;
    }
    head = map(fd, length, protection);
    (void) close(fd);
    if (NULL != head &&
        0 != memcmp(head->mark, name->mark, sizeof(head->mark))) {
        mca_pml_champion_segment_detach(head, length);
        head = NULL;
    }
    return head;
}

void *mca_pml_champion_segment_attach(
    const mca_pml_champion_segment_name_t *name, size_t length)
{
    return attach(name, length, O_RDWR, PROT_READ | PROT_WRITE);
}

const void *mca_pml_champion_segment_view(
    const mca_pml_champion_segment_name_t *name, size_t length)
{
    return attach(name, length, O_RDONLY, PROT_READ);
}

void mca_pml_champion_segment_detach(const void *segment, size_t length)
{
    (void) munmap((void *) (uintptr_t) segment, length);
}

/* The kernel maps the pages around one that is read, up to 16, if somebody has
 * used them before, but only the one that is written. */
void mca_pml_champion_segment_touch(const void *part, size_t length)
{
    const volatile char *memory = part;
    const size_t page = (size_t) sysconf(_SC_PAGESIZE);

    for (size_t at = 0; at < length; at += page) {
        (void) memory[at];
    }
}
