/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/wake.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Characters of a name that the kernel has chosen; see unix(7), autobind. */
#define BELL_LENGTH 5
#define BELL_CHARACTERS "0123456789abcdef"

/* An eventfd, or -1. */
static int wake_fd = -1;

/* A socket, or -1. */
static int bell_fd = -1;
static char my_bell[MCA_PML_CHAMPION_BELL_NAME];

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

/* Bytes of the address of a bell: its name follows a 0. */
#define BELL_ADDRESS                                                           \
    ((socklen_t) (offsetof(struct sockaddr_un, sun_path) + 1 + BELL_LENGTH))

/* Where the network namespace is in a bell's name, and its number there. */
#define BELL_SPACE 8

static bool find_space(uint32_t *space)
{
    struct stat status;
    const bool found = 0 == stat("/proc/self/ns/net", &status);

    *space = found ? (uint32_t) status.st_ino : 0;
    return found;
}

/* Let the kernel choose a name. */
static bool choose_name(int fd)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = sizeof(address);
    uint32_t space;

    if (!find_space(&space) ||
        0 != bind(fd, (struct sockaddr *) &address, sizeof(sa_family_t)) ||
        0 != getsockname(fd, (struct sockaddr *) &address, &length) ||
        BELL_ADDRESS != length) {
        return false;
    }
    memcpy(my_bell, address.sun_path + 1, BELL_LENGTH);
    memcpy(my_bell + BELL_SPACE, &space, sizeof(space));
    return true;
}

void mca_pml_champion_bell_open(void)
{
    const int fd =
        socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return;
    }
    if (!choose_name(fd)) {
        (void) close(fd);
        return;
    }
    bell_fd = fd;
}

void mca_pml_champion_bell_close(void)
{
    if (bell_fd >= 0) {
        (void) close(bell_fd);
    }
    bell_fd = -1;
    memset(my_bell, 0, sizeof(my_bell));
}

const char *mca_pml_champion_bell(void)
{
    return my_bell;
}

int mca_pml_champion_bell_fd(void)
{
    return bell_fd;
}

void mca_pml_champion_bell_heard(void)
{
    char byte;

    while (recv(bell_fd, &byte, sizeof(byte), 0) >= 0) {
    }
}

bool mca_pml_champion_bell_ring(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    memcpy(address.sun_path + 1, name, BELL_LENGTH);
    /* Whatever is in shared memory is checked before it is used. */
    if (bell_fd < 0 ||
        0 !=
            memcmp(name + BELL_SPACE, my_bell + BELL_SPACE, sizeof(uint32_t)) ||
        BELL_LENGTH != strspn(address.sun_path + 1, BELL_CHARACTERS)) {
        return false;
    }
    /* Where there is no room it has been rung, and not been heard yet. */
    return sendto(bell_fd, "", 1, 0, (struct sockaddr *) &address,
                  BELL_ADDRESS) >= 0 ||
           EAGAIN == errno;
}
