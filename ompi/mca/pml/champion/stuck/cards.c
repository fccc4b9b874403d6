/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/mca/pml/champion/stuck/cards.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef mca_pml_champion_stuck_process_t process_t;
typedef mca_pml_champion_stuck_words_t words_t;

/* Without a beat for so long a process is in no MPI call, as others see it. */
enum { STALE_MS = 3000 };

/* num_threads, in proc(5). */
enum { THREADS = 20 };

uint64_t mca_pml_champion_stuck_now(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

uint64_t mca_pml_champion_stuck_pids(void)
{
    struct stat pids;

    return 0 == stat("/proc/self/ns/pid", &pids) ? (uint64_t) pids.st_ino : 0;
}

/* The name may have any bytes, also the end of one. */
const char *mca_pml_champion_stuck_stat(int32_t pid, char *line, size_t size)
{
    const char *end = NULL;
    char path[32];
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int) pid);
    file = fopen(path, "re");
    if (NULL != file) {
        end = NULL == fgets(line, (int) size, file) ? NULL : strrchr(line, ')');
        (void) fclose(file);
    }
    return NULL == end || ' ' != end[1] ? NULL : end + 2;
}

int mca_pml_champion_stuck_stat_field(const char *stat, int number)
{
    int value;

    for (int field = 3; NULL != stat && field < number; ++field) {
        stat = strchr(stat + 1, ' ');
    }
    return NULL != stat && 1 == sscanf(stat, " %d", &value) ? value : -1;
}

/* What the kernel says of a process that says nothing itself. Of one that it
 * does not show, for whatever reason, nothing is known. */
static mca_pml_champion_stuck_known_t known_of(int32_t pid)
{
    const char *state;
    char line[512];

    if (0 != kill((pid_t) pid, 0) && ESRCH == errno) {
        return MCA_PML_CHAMPION_STUCK_GONE;
    }
    state = mca_pml_champion_stuck_stat(pid, line, sizeof(line));
    switch (NULL == state ? 'X' : *state) {
    case 'T':
        return MCA_PML_CHAMPION_STUCK_STOPPED;
    case 't':
        return MCA_PML_CHAMPION_STUCK_TRACED;
    case 'Z': /* at least its first thread */
        return 1 == mca_pml_champion_stuck_stat_field(state, THREADS)
                   ? MCA_PML_CHAMPION_STUCK_GONE
                   : MCA_PML_CHAMPION_STUCK_SILENT;
    case 'X':
        return MCA_PML_CHAMPION_STUCK_SILENT;
    case 'R':
        return MCA_PML_CHAMPION_STUCK_RUNS;
    default:
        return MCA_PML_CHAMPION_STUCK_SLEEPS;
    }
}

static bool ends(const char *name)
{
    return NULL != memchr(name, '\0', MCA_PML_CHAMPION_STUCK_NAME);
}

static bool are_sound(const mca_pml_champion_stuck_item_t *item, uint32_t count,
                      uint32_t most)
{
    bool good = count <= most;

    for (uint32_t i = 0; good && i < count; ++i) {
        good = ends(item[i].comm);
    }
    return good;
}

bool mca_pml_champion_stuck_is_sound(
    const mca_pml_champion_stuck_state_t *state)
{
    return state->where <= MCA_PML_CHAMPION_STUCK_ENDS && ends(state->call) &&
           are_sound(state->item, state->items, MCA_PML_CHAMPION_STUCK_ITEMS) &&
           are_sound(state->near, state->nears, MCA_PML_CHAMPION_STUCK_NEAR);
}

bool mca_pml_champion_stuck_hear(const words_t *words, uint64_t now,
                                 process_t *process)
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

/* What the process at a place says; false: nothing, or it cannot be right. */
static bool hear_words(uint32_t place, words_t *words)
{
    return mca_pml_champion_board_hear(place, words, sizeof(*words)) &&
           mca_pml_champion_stuck_is_sound(&words->state) &&
           words->pairs <= MCA_PML_CHAMPION_STUCK_PAIRS;
}

/* The process at a place; false: there is none. */
static bool hear(uint32_t place, uint64_t now, uint64_t pids,
                 process_t *process)
{
    const mca_pml_champion_entry_t *entry;
    uint32_t vpid;
    words_t words;

    entry = mca_pml_champion_board_at(place, &vpid);
    if (NULL == entry) {
        return false;
    }
    process->known = MCA_PML_CHAMPION_STUCK_SILENT;
    if (hear_words(place, &words) &&
        !mca_pml_champion_stuck_hear(&words, now, process) && 0 != words.pids &&
        words.pids == pids) {
        process->known = known_of(entry->pid);
    }
    process->state.vpid = vpid;
    return true;
}

void mca_pml_champion_stuck_compare(mca_pml_champion_stuck_item_t *item,
                                    uint32_t sent, uint32_t come)
{
    item->theirs = mca_pml_champion_stuck_is_receive(item) ? sent : come;
    item->counted = 1;
    item->away = item->theirs != item->messages;
}

/* What the process at a place has counted, with those who wait for it. */
static void compare(uint32_t place, uint64_t now, process_t *process,
                    size_t count)
{
    process_t by;
    words_t words;

    if (!hear_words(place, &words) ||
        !mca_pml_champion_stuck_hear(&words, now, &by)) {
        return;
    }
    for (uint32_t i = 0; i < words.pairs; ++i) {
        const mca_pml_champion_stuck_pair_t *pair = &words.pair[i];
        const size_t at =
            mca_pml_champion_stuck_place(process, count, pair->vpid);
        mca_pml_champion_stuck_state_t *state = &process[at].state;

        for (uint32_t k = 0; at < count && pair->vpid == state->vpid &&
                             MCA_PML_CHAMPION_STUCK_TOLD == process[at].known &&
                             k < state->items;
             ++k) {
            if (state->item[k].vpid == words.state.vpid) {
                mca_pml_champion_stuck_compare(&state->item[k], pair->sent,
                                               pair->come);
            }
        }
    }
}

void mca_pml_champion_stuck_bury(process_t *process, size_t count,
                                 uint64_t pids)
{
    const uint32_t places = mca_pml_champion_board_shape()->places;

    for (uint32_t i = 0; i < places; ++i) {
        uint32_t vpid;
        const mca_pml_champion_entry_t *entry =
            mca_pml_champion_board_at(i, &vpid);
        const size_t at =
            NULL == entry ? count
                          : mca_pml_champion_stuck_place(process, count, vpid);
        words_t words;

        if (at < count && vpid == process[at].state.vpid &&
            MCA_PML_CHAMPION_STUCK_TOLD == process[at].known &&
            hear_words(i, &words) && 0 != words.pids && words.pids == pids &&
            MCA_PML_CHAMPION_STUCK_GONE == known_of(entry->pid)) {
            process[at].known = MCA_PML_CHAMPION_STUCK_GONE;
        }
    }
}

static int by_vpid(const void *one, const void *other)
{
    const uint32_t a = ((const process_t *) one)->state.vpid;
    const uint32_t b = ((const process_t *) other)->state.vpid;

    return a < b ? -1 : a > b;
}

process_t *mca_pml_champion_stuck_cards(uint64_t now, uint64_t pids,
                                        size_t *count)
{
    const uint32_t places = mca_pml_champion_board_shape()->places;
    process_t *process = calloc(places + 1, sizeof(*process));

    *count = 0;
    for (uint32_t i = 0; NULL != process && i < places; ++i) {
        *count += hear(i, now, pids, &process[*count]);
    }
    if (NULL != process) {
        qsort(process, *count, sizeof(*process), by_vpid);
        for (uint32_t i = 0; i < places; ++i) {
            compare(i, now, process, *count);
        }
    }
    return process;
}
