/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/boot/node.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/shm/ring_cma.h"

/* The user namespace of all that is in no container: Linux,
 * include/linux/proc_ns.h, PROC_USER_INIT_INO. */
#define FIRST_USER_NAMESPACE 0xEFFFFFFDU

/* ---- Memory of other processes ---- */

bool mca_pml_champion_node_can_read(void)
{
    const uint64_t there = 1;
    uint64_t here = 0;

    return mca_pml_champion_ring_read((int32_t) getpid(), (uintptr_t) &there,
                                      &here, sizeof(here)) &&
           there == here;
}

/* The process that started this one. Open MPI makes each child the first of a
 * group, so it is the parent of that, also if there are wrappers in between. 0
 * if it cannot be seen. */
static long daemon_id(void)
{
    char path[64];
    FILE *file;
    long parent = 0;

    (void) snprintf(path, sizeof(path), "/proc/%ld/stat", (long) getpgrp());
    file = fopen(path, "re");
    if (NULL == file) {
        return (long) getppid();
    }
    /* Fails if a bracket is in the name of the program, which comes second. */
    if (1 != fscanf(file, "%*d (%*[^)]) %*c %ld", &parent)) {
        parent = (long) getppid();
    }
    (void) fclose(file);
    return parent;
}

/* Processes in the first namespace need not ask: those elsewhere do not offer
 * to be read. */
bool mca_pml_champion_node_is_apart(void)
{
    struct stat mine, other;
    char path[64];

    if (0 != stat("/proc/self/ns/user", &mine) ||
        FIRST_USER_NAMESPACE == mine.st_ino) {
        return false;
    }
    (void) snprintf(path, sizeof(path), "/proc/%ld/ns/user", daemon_id());
    if (0 == stat(path, &other)) {
        return mine.st_dev != other.st_dev || mine.st_ino != other.st_ino;
    }
    /* It is hidden from those who may not read its memory. Where it is not
     * there, UCX sees that PID namespaces differ. */
    return EACCES == errno || EPERM == errno;
}

/* ---- Shared memory ---- */

bool mca_pml_champion_node_has_shm(uint64_t bytes)
{
    struct statvfs status;

    if (0 != statvfs("/dev/shm", &status) || 0 != (status.f_flag & ST_RDONLY)) {
        return false;
    }
    /* A tmpfs without a limit has no size. */
    return 0 == status.f_blocks ||
           (uint64_t) status.f_blocks * status.f_frsize >= bytes;
}

/* ---- Texts that appear once ---- */

enum { WORDS_MAX = 4 };
static int words[WORDS_MAX]; /* sockets whose names are the words said */
static int num_words;

bool mca_pml_champion_node_is_first(const char *word)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int length, fd;
    bool first;

    if (WORDS_MAX == num_words) {
        return false;
    }
    /* A name that starts with a zero byte is in no file system, and goes with
     * the process. */
    length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1,
                      "champion-%lx-%lx-%s", (unsigned long) getuid(),
                      (unsigned long) OPAL_PROC_MY_NAME.jobid, word);
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return true;
    }
    first = 0 == bind(fd, (const struct sockaddr *) &name,
                      (socklen_t) (offsetof(struct sockaddr_un, sun_path) + 1 +
                                   (size_t) length)) ||
            EADDRINUSE != errno;
    words[num_words++] = fd;
    return first;
}

void mca_pml_champion_node_close(void)
{
    while (num_words > 0) {
        (void) close(words[--num_words]);
    }
}
