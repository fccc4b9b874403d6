/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/mca/pml/champion/stuck/node.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "opal/class/opal_object.h"

#include "ompi/mca/pml/champion/core/champion.h"

typedef mca_pml_champion_stuck_process_t process_t;
typedef mca_pml_champion_stuck_words_t words_t;

/* Without a beat for so long a process is in no MPI call, as others see it. */
enum { STALE_MS = 3000 };

words_t mca_pml_champion_stuck_words;

uint64_t mca_pml_champion_stuck_now(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

void mca_pml_champion_stuck_node_start(void)
{
    words_t *words = &mca_pml_champion_stuck_words;
    struct stat pids;

    words->pids =
        0 == stat("/proc/self/ns/pid", &pids) ? (uint64_t) pids.st_ino : 0;
    words->began = words->beat = mca_pml_champion_stuck_now();
    words->state.vpid = OPAL_PROC_MY_NAME.vpid;
}

/* What the kernel says of a process that says nothing itself. Of one that it
 * does not show, for whatever reason, nothing is known. */
static mca_pml_champion_stuck_known_t known_of(int32_t pid)
{
    char path[32], line[512];
    const char *state;
    FILE *file;

    if (0 != kill((pid_t) pid, 0) && ESRCH == errno) {
        return MCA_PML_CHAMPION_STUCK_GONE;
    }
    snprintf(path, sizeof(path), "/proc/%d/stat", (int) pid);
    file = fopen(path, "re");
    state = NULL == file || NULL == fgets(line, sizeof(line), file)
                ? NULL
                : strrchr(line, ')');
    if (NULL != file) {
        fclose(file);
    }
    switch (NULL == state ? 'X' : state[2]) {
    case 'T':
        return MCA_PML_CHAMPION_STUCK_STOPPED;
    case 't':
        return MCA_PML_CHAMPION_STUCK_TRACED;
    case 'Z':
    case 'X':
        return MCA_PML_CHAMPION_STUCK_SILENT;
    case 'R':
        return MCA_PML_CHAMPION_STUCK_RUNS;
    default:
        return MCA_PML_CHAMPION_STUCK_SLEEPS;
    }
}

static void begin(process_t *process)
{
    memset(process, 0, sizeof(*process));
    if (mca_pml_champion.job_size > opal_process_info.num_local_peers + 1u) {
        snprintf(process->host, sizeof(process->host), "%.*s",
                 (int) sizeof(process->host) - 1, opal_process_info.nodename);
    }
}

/* What a process has said, if that is no older than a beat may be. */
static bool hear_words(const words_t *words, uint64_t now, process_t *process)
{
    if (now >= words->beat + STALE_MS) {
        process->known = MCA_PML_CHAMPION_STUCK_SILENT;
        process->state.since = now - words->beat;
        return false;
    }
    process->known = MCA_PML_CHAMPION_STUCK_TOLD;
    process->state = words->state;
    process->state.since = now > words->began ? now - words->began : 0;
    return true;
}

/* The process at a place; false: there is none. */
static bool hear(uint32_t place, uint64_t now, process_t *process)
{
    const mca_pml_champion_entry_t *entry;
    uint32_t vpid;
    words_t words;

    entry = mca_pml_champion_board_at(place, &vpid);
    if (NULL == entry) {
        return false;
    }
    begin(process);
    process->known = MCA_PML_CHAMPION_STUCK_SILENT;
    if (mca_pml_champion_board_hear(place, &words, sizeof(words)) &&
        !hear_words(&words, now, process) && 0 != words.pids &&
        words.pids == mca_pml_champion_stuck_words.pids) {
        process->known = known_of(entry->pid);
    }
    process->state.vpid = vpid;
    return true;
}

static int by_vpid(const void *one, const void *other)
{
    const uint32_t a = ((const process_t *) one)->state.vpid;
    const uint32_t b = ((const process_t *) other)->state.vpid;

    return a < b ? -1 : a > b;
}

process_t *mca_pml_champion_stuck_node(uint64_t now, size_t *count)
{
    const uint32_t places = mca_pml_champion_board_shape()->places;
    process_t *process = calloc(places + 1, sizeof(*process));

    if (NULL == process) {
        return NULL;
    }
    *count = 0;
    for (uint32_t i = 0; i < places; ++i) {
        *count += hear(i, now, &process[*count]);
    }
    if (0 == *count) {
        begin(process);
        hear_words(&mca_pml_champion_stuck_words, now, process);
        process->state.vpid = OPAL_PROC_MY_NAME.vpid;
        *count = 1;
    }
    qsort(process, *count, sizeof(*process), by_vpid);
    return process;
}

static const mca_pml_champion_claim_t claim[] = {
    [MCA_PML_CHAMPION_STUCK_SLOW] = MCA_PML_CHAMPION_CLAIM_SLOW,
    [MCA_PML_CHAMPION_STUCK_SEEMS] = MCA_PML_CHAMPION_CLAIM_SEEMS_STUCK,
    [MCA_PML_CHAMPION_STUCK_HANGS] = MCA_PML_CHAMPION_CLAIM_STUCK,
};

mca_pml_champion_stuck_verdict_t mca_pml_champion_stuck_said(void)
{
    mca_pml_champion_stuck_verdict_t verdict = MCA_PML_CHAMPION_STUCK_HANGS;

    while (verdict > MCA_PML_CHAMPION_STUCK_NOT &&
           !mca_pml_champion_board_is_claimed(claim[verdict])) {
        --verdict;
    }
    return verdict;
}

bool mca_pml_champion_stuck_claim(mca_pml_champion_stuck_verdict_t verdict)
{
    return mca_pml_champion_board_claim(claim[verdict]);
}
