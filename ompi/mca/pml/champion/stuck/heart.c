/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The beat: once a second, in whichever thread makes progress, a look at
 * whether messages move. Open MPI's progress function calls it, of low
 * priority: no path of a message has a part in it, and a process that computes
 * has no beat.
 *
 *     beat: has a message moved since the last one? --yes--> nothing to say
 *           |no
 *           say on the board in which call this process waits, and for whom
 *           |
 *           for stuck_after seconds, and the first of the node that does, which
 *           is the one with the lowest vpid? Hear the others, and again two
 *           beats later
 *           |
 *           do they say the same? Judge; say it, once
 */

#include "ompi_config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "opal/class/opal_object.h"
#include "opal/runtime/opal_progress.h"

#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/progress/pause.h"
#include "ompi/mca/pml/champion/stuck/call.h"
#include "ompi/mca/pml/champion/stuck/judge.h"
#include "ompi/mca/pml/champion/stuck/look.h"

typedef mca_pml_champion_stuck_process_t process_t;

/* Between two beats; waits that are not looked at, as the first look takes some
 * ms; without a beat for so long a process is in no MPI call, as others see it;
 * and it begins a new wait; and calls by Open MPI until the clock is read. */
enum {
    BEAT_MS = 1000,
    SHORT_MS = 900,
    STALE_MS = 3000,
    AWAY_MS = 10000,
    CALLS = 4
};

/* Beats between the first look at a job that stands and the second, and until
 * the next first one if nothing was to be said. */
enum { AGAIN = 2, LATER = 10 };

/* On the card: with times that mean something on this node. */
typedef struct words_t {
    uint64_t began, beat; /* ms, by the monotonic clock */
    uint64_t pids;        /* the namespace of its number; 0: unknown */
    mca_pml_champion_stuck_state_t state;
} words_t;
_Static_assert(sizeof(words_t) <= MCA_PML_CHAMPION_CARD_SAID,
               "it has room on a card");

static struct {
    unsigned after; /* parameter, s; 0: never */
    bool slow;      /* what may yet go on is said as well */
    bool aborts;    /* parameter */
    bool registered;
    unsigned calls; /* until the clock is read. Threads may lose one. Atomic */
    uint64_t last;  /* beat, ms. Atomic */
    words_t words;
    uint64_t sum;   /* of what the others said at the first look; 0: none */
    unsigned again; /* beats until the next look */
    mca_pml_champion_stuck_verdict_t said;
} heart;

static uint64_t now_ms(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

/* ---- others of the node ---- */

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
    memset(process, 0, sizeof(*process));
    process->known = MCA_PML_CHAMPION_STUCK_SILENT;
    if (mca_pml_champion_board_hear(place, &words, sizeof(words))) {
        if (now < words.beat + STALE_MS) {
            process->known = MCA_PML_CHAMPION_STUCK_TOLD;
            process->state = words.state;
            process->state.since = now > words.began ? now - words.began : 0;
        } else {
            process->state.since = now - words.beat;
            if (0 != words.pids && words.pids == heart.words.pids) {
                process->known = known_of(entry->pid);
            }
        }
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

/* All of the node, by vpid; this process alone if it has no board. */
static process_t *hear_all(uint64_t now, size_t *count)
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
        process->known = MCA_PML_CHAMPION_STUCK_TOLD;
        process->state = heart.words.state;
        process->state.since = now - heart.words.began;
        *count = 1;
    }
    qsort(process, *count, sizeof(*process), by_vpid);
    return process;
}

/* ---- the report ---- */

static void say(const char *line, void *arg)
{
    if (NULL != arg) {
        opal_output(0, "champion: stuck: %s", line);
    }
}

static bool stands_long(const process_t *process)
{
    return MCA_PML_CHAMPION_STUCK_TOLD == process->known &&
           (MCA_PML_CHAMPION_STUCK_WAITS == process->state.where ||
            MCA_PML_CHAMPION_STUCK_POLLS == process->state.where) &&
           process->state.since >= 1000 * (uint64_t) heart.after;
}

/* A sum of what they say; is it this process that is to report? */
static bool is_mine(const process_t *process, size_t count, uint64_t *sum)
{
    bool mine = false, before = false;

    *sum = 1;
    for (size_t i = 0; i < count; ++i) {
        if (stands_long(&process[i])) {
            mine |= !before && process[i].state.vpid == OPAL_PROC_MY_NAME.vpid;
            before = true;
            *sum = 31 * *sum + process[i].state.moved + i;
        }
    }
    return mine;
}

/* Judge without a word; if there is something new, say it. */
static void judge(const process_t *process, size_t count)
{
    static const mca_pml_champion_claim_t claim[] = {
        [MCA_PML_CHAMPION_STUCK_SLOW] = MCA_PML_CHAMPION_CLAIM_SLOW,
        [MCA_PML_CHAMPION_STUCK_SEEMS] = MCA_PML_CHAMPION_CLAIM_SEEMS_STUCK,
        [MCA_PML_CHAMPION_STUCK_HANGS] = MCA_PML_CHAMPION_CLAIM_STUCK,
    };
    const mca_pml_champion_stuck_job_t job = {
        .process = process,
        .count = count,
        .size = mca_pml_champion.job_size,
        .least = 1000 * (uint64_t) heart.after,
    };
    const mca_pml_champion_stuck_verdict_t found =
        mca_pml_champion_stuck_judge(&job, say, NULL);
    const bool hangs = MCA_PML_CHAMPION_STUCK_HANGS == found;

    heart.again = MCA_PML_CHAMPION_STUCK_NOT == found ? AGAIN : LATER;
    if (found <= heart.said || (!hangs && !heart.slow)) {
        return;
    }
    heart.said = found;
    if (!mca_pml_champion_board_claim(claim[found])) {
        return;
    }
    (void) mca_pml_champion_stuck_judge(&job, say, &heart);
    if (hangs && heart.aborts) {
        (void) ompi_mpi_abort(&ompi_mpi_comm_world.comm, 1);
    }
}

static void consider(uint64_t now)
{
    process_t *process;
    size_t count;
    uint64_t sum;

    if (0 != heart.again && 0 != --heart.again) {
        return;
    }
    process = hear_all(now, &count);
    if (NULL == process || !is_mine(process, count, &sum)) {
        heart.sum = 0;
    } else if (sum != heart.sum) {
        heart.sum = sum;
        heart.again = AGAIN;
    } else {
        judge(process, count);
    }
    free(process);
}

/* ---- the beat ---- */

/* Has nothing moved for a while? `call`: the MPI call, if it is known. Lock held.
 */
static bool stands(uint64_t now, const char *call)
{
    words_t *words = &heart.words;
    char before[sizeof(words->state.call)];

    if (words->state.moved != mca_pml_champion_stuck_moved()) {
        words->state.moved = mca_pml_champion_stuck_moved();
        words->state.where = MCA_PML_CHAMPION_STUCK_GOES_ON;
        words->began = now;
    }
    if (NULL == call || now - words->began < SHORT_MS) {
        return false;
    }
    memcpy(before, words->state.call, sizeof(before));
    mca_pml_champion_stuck_look(call, &words->state);
    if (0 != strcmp(before, words->state.call)) {
        words->began = now;
    }
    return true;
}

/* One thread at a time. */
static void beat(uint64_t now)
{
    char name[MCA_PML_CHAMPION_STUCK_NAME], *call = NULL;
    bool standing;

    if (now - heart.words.beat > AWAY_MS) { /* it was not in MPI */
        heart.words.began = now;
    }
    if (now - heart.words.began >= SHORT_MS) { /* without the lock: it takes the
                                                  linker's */
        (void) mca_pml_champion_call_name(name, sizeof(name));
        call = name;
    }
    if (!mca_pml_champion.threaded) {
        mca_pml_champion_lock();
    } else if (!mca_pml_champion_trylock()) {
        return;
    }
    standing = stands(now, call);
    heart.words.beat = now;
    mca_pml_champion_unlock();
    mca_pml_champion_board_say(&heart.words, sizeof(heart.words));
    if (!standing) {
        heart.sum = 0;
        return;
    }
    if (now - heart.words.began >= 1000 * (uint64_t) heart.after) {
        consider(now);
    }
}

static int on_progress(void)
{
    static bool busy;
    unsigned calls = __atomic_load_n(&heart.calls, __ATOMIC_RELAXED);
    uint64_t now;

    __atomic_store_n(&heart.calls, calls + 1, __ATOMIC_RELAXED);
    if (OPAL_LIKELY(0 != calls % CALLS) || mca_pml_champion.in_progress) {
        return 0;
    }
    now = now_ms();
    if (now - __atomic_load_n(&heart.last, __ATOMIC_RELAXED) >= BEAT_MS &&
        !__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&heart.last, now, __ATOMIC_RELAXED);
        beat(now);
        __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
    }
    return 0;
}

enum { REPORT = 1, ABORT };

static const mca_base_var_enum_value_t action_words[] = {
    {REPORT, "report"},
    {ABORT, "abort"},
    {0, NULL},
};

static bool heart_register(void)
{
    static int action;
    bool good;

    heart.after = 300;
    action = REPORT;
    good = mca_pml_champion_param_uint(
        "stuck_after",
        "Seconds for which a process waits and no message of it moves before "
        "champion looks at whom it waits for, and says why if that can never "
        "end. If it is set, also if others may yet end it: once. 0: never",
        OPAL_INFO_LVL_3, 0, 1000000, &heart.after);
    good &= OMPI_SUCCESS ==
            mca_mq_base_param_enum(
                mca_pml_champion.component, "stuck_action",
                "What follows a report of a wait that can never end: report: "
                "nothing more; abort: MPI_Abort",
                OPAL_INFO_LVL_3, action_words, &action);
    heart.aborts = ABORT == action;
    return good;
}

static int heart_start(void)
{
    struct stat pids;

    if (0 == heart.after) {
        return OMPI_SUCCESS;
    }
    heart.slow =
        mca_mq_base_param_is_set(mca_pml_champion.component, "stuck_after");
    heart.words.pids =
        0 == stat("/proc/self/ns/pid", &pids) ? (uint64_t) pids.st_ino : 0;
    heart.words.began = heart.words.beat = now_ms();
    heart.said = MCA_PML_CHAMPION_STUCK_NOT;
    heart.sum = heart.last = 0;
    heart.again = 0;
    heart.words.state.vpid = OPAL_PROC_MY_NAME.vpid;
    heart.registered = OPAL_SUCCESS == opal_progress_register_lp(on_progress);
    return OMPI_SUCCESS;
}

static void heart_stop(void)
{
    if (heart.registered) {
        (void) opal_progress_unregister(on_progress);
        heart.registered = false;
    }
}

MCA_PML_CHAMPION_UNIT(heart) = {.name = "who waits for whom",
                                .registers = heart_register,
                                .start = heart_start,
                                .stop = heart_stop};
