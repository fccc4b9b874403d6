/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A board is a file without a name, which its leader holds open and the others
 * have mapped. So /proc/PID/maps of any of them tells its inode number, and the
 * leader is who has a descriptor of that file.
 */

#define _GNU_SOURCE 1

#include "ompi_config.h"

#include "ompi/mca/pml/champion/core/segment.h"
#include "ompi/mca/pml/champion/stuck/cards.h"
#include "who_find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A process, and whether it is the one that is looked for, or descends from it. */
typedef struct family_t {
    pid_t pid, parent;
    bool belongs;
} family_t;

static bool is_number(const char *name)
{
    return '\0' != *name && strlen(name) == strspn(name, "0123456789");
}

/* The parent of a process; 0: it has ended. */
static pid_t parent_of(pid_t pid)
{
    char line[1024];
    const char *text =
        mca_pml_champion_stuck_stat((int32_t) pid, line, sizeof(line));
    int parent;

    return NULL != text && 1 == sscanf(text, "%*c %d", &parent) ? parent : 0;
}

/* All processes. The caller frees them. */
static family_t *list_processes(size_t *count)
{
    family_t *all = NULL;
    size_t room = 0;
    DIR *folder = opendir("/proc");
    const struct dirent *entry;

    *count = 0;
    while (NULL != folder && NULL != (entry = readdir(folder))) {
        if (!is_number(entry->d_name)) {
            continue;
        }
        if (*count == room) {
            family_t *more;

            room = 2 * room + 64;
            more = realloc(all, room * sizeof(*all));
            if (NULL == more) {
                break;
            }
            all = more;
        }
        all[*count].pid = (pid_t) strtol(entry->d_name, NULL, 10);
        all[*count].parent = parent_of(all[*count].pid);
        all[*count].belongs = false;
        ++*count;
    }
    if (NULL != folder) {
        (void) closedir(folder);
    }
    return all;
}

static bool has_parent(const family_t *all, size_t count, pid_t parent)
{
    for (size_t i = 0; i < count; ++i) {
        if (all[i].belongs && all[i].pid == parent) {
            return true;
        }
    }
    return false;
}

static void mark_family(family_t *all, size_t count, pid_t pid)
{
    bool changes = true;

    while (changes) {
        changes = false;
        for (size_t i = 0; i < count; ++i) {
            if (!all[i].belongs &&
                (pid == all[i].pid || has_parent(all, count, all[i].parent))) {
                changes = all[i].belongs = true;
            }
        }
    }
}

/* ---- boards ---- */

static void add_file(mca_pml_champion_board_name_t *board, size_t *count,
                     uint64_t device, uint64_t inode)
{
    for (size_t i = 0; i < *count; ++i) {
        if (board[i].name.device == device && board[i].name.inode == inode) {
            return;
        }
    }
    if (*count < WHO_BOARDS) {
        board[*count] = (mca_pml_champion_board_name_t){
            .name = {.device = device, .inode = inode}};
        ++*count;
    }
}

/* Device and inode numbers of the boards that it has mapped. False if that is not to be
 * seen. */
static bool add_mapped(pid_t pid, mca_pml_champion_board_name_t *board,
                       size_t *count)
{
    char path[64], line[4352];
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/maps", (long) pid);
    file = fopen(path, "re");
    if (NULL == file) {
        return ENOENT == errno || ESRCH == errno; /* it has ended */
    }
    errno = 0;
    while (NULL != fgets(line, sizeof(line), file)) {
        unsigned long inode;
        unsigned major_number, minor_number;

        if (NULL != strstr(line, " " MCA_PML_CHAMPION_SEGMENT_LINK) &&
            3 == sscanf(line, "%*s %*s %*s %x:%x %lu", &major_number,
                        &minor_number, &inode)) {
            add_file(board, count, makedev(major_number, minor_number), inode);
        }
    }
    (void) fclose(file);
    return EACCES != errno && EPERM != errno;
}

/* Of another file that looks like a board nothing is read. */
static bool is_sealed(int fd)
{
    const int seals = fcntl(fd, F_GET_SEALS);

    return seals >= 0 && 0 != (seals & F_SEAL_SHRINK);
}

/* Is that descriptor one of a board that is looked for? Then how to open it. */
static void look_at_descriptor(pid_t pid, const char *fd,
                               mca_pml_champion_board_name_t *board,
                               size_t count)
{
    char path[64], target[sizeof(MCA_PML_CHAMPION_SEGMENT_LINK)];
    const size_t length = sizeof(target) - 1;
    struct stat status;
    int own;

    snprintf(path, sizeof(path), "/proc/%ld/fd/%.16s", (long) pid, fd);
    if (readlink(path, target, length) < (ssize_t) length ||
        0 != strncmp(target, MCA_PML_CHAMPION_SEGMENT_LINK, length) ||
        0 != stat(path, &status)) {
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        mca_pml_champion_board_name_t *found = &board[i];

        if (found->name.device != status.st_dev ||
            found->name.inode != status.st_ino || 0 != found->length) {
            continue;
        }
        own = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (own >= 0 && is_sealed(own) &&
            sizeof(found->name.mark) ==
                pread(own, found->name.mark, sizeof(found->name.mark), 0)) {
            found->length = (uint64_t) status.st_size;
            found->name.pid = (int32_t) pid;
            found->name.fd = (int32_t) strtol(fd, NULL, 10);
        }
        if (own >= 0) {
            (void) close(own);
        }
    }
}

static void look_at_descriptors(pid_t pid, mca_pml_champion_board_name_t *board,
                                size_t count)
{
    char path[64];
    const struct dirent *entry;
    DIR *folder;

    snprintf(path, sizeof(path), "/proc/%ld/fd", (long) pid);
    folder = opendir(path);
    while (NULL != folder && NULL != (entry = readdir(folder))) {
        if (is_number(entry->d_name)) {
            look_at_descriptor(pid, entry->d_name, board, count);
        }
    }
    if (NULL != folder) {
        (void) closedir(folder);
    }
}

/* Those whose leader was found come first. */
static size_t keep_found(mca_pml_champion_board_name_t *board, size_t count)
{
    size_t found = 0;

    for (size_t i = 0; i < count; ++i) {
        if (0 != board[i].length) {
            board[found++] = board[i];
        }
    }
    return found;
}

who_search_t who_find(pid_t pid, mca_pml_champion_board_name_t *board,
                      size_t *count)
{
    size_t processes;
    bool seen;
    family_t *all;

    *count = 0;
    errno = 0;
    seen = 0 == kill(pid, 0);
    if (ESRCH == errno) {
        return WHO_NO_PROCESS;
    }
    all = list_processes(&processes);
    mark_family(all, processes, pid);
    for (size_t i = 0; i < processes; ++i) {
        if (all[i].belongs) {
            seen &= add_mapped(all[i].pid, board, count);
        }
    }
    for (size_t i = 0; 0 != *count && i < processes; ++i) {
        look_at_descriptors(all[i].pid, board, *count);
    }
    free(all);
    *count = keep_found(board, *count);
    return 0 != *count ? WHO_FOUND : seen ? WHO_NO_CHAMPION : WHO_FORBIDDEN;
}
