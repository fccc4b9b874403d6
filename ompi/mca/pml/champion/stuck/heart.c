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
 *           for stuck_after seconds, or 3 s if a signal has come (signal.h), and
 *           the first of the node that does, which is the one with the lowest
 *           vpid? Hear the others, ask those of other nodes for which one waits
 *           (ask.h), and again two beats later
 *           |
 *           is this process the first of all that stand? (or has that one not
 *           said anything?)
 *           |
 *           do they say the same? Judge; say it, once
 */

#include "ompi_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/class/opal_object.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/show_help.h"

#include "ompi/mca/mq/base/record/file.h"
#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/progress/pause.h"
#include "ompi/mca/pml/champion/stuck/ask.h"
#include "ompi/mca/pml/champion/stuck/call.h"
#include "ompi/mca/pml/champion/stuck/judge.h"
#include "ompi/mca/pml/champion/stuck/look.h"
#include "ompi/mca/pml/champion/stuck/node.h"
#include "ompi/mca/pml/champion/stuck/report.h"
#include "ompi/mca/pml/champion/stuck/signal.h"

#define HELP "help-mpi-pml-champion.txt"
#define WORDS mca_pml_champion_stuck_words

typedef mca_pml_champion_stuck_process_t process_t;

/* Between two beats, also while answers are awaited, or if the lock is taken; waits
 * that are not looked at, as the first look takes some ms; without a beat for so
 * long it begins a new wait; for how long a signal is heeded; and calls by Open MPI
 * until the clock is read. */
enum {
    BEAT_MS = 1000,
    ASKING_MS = 200,
    RETRY_MS = 20,
    SHORT_MS = 900,
    AWAY_MS = 10000,
    ASKED_MS = 20000,
    CALLS = 4
};

/* Beats between the first look at a job that stands and the second; after them,
 * until the next first one, each time twice as many, up to MOST, if other nodes
 * are asked; until another node has said it, and looks that leave it to that one. */
enum { AGAIN = 2, LATER = 8, MOST = 600, ELSEWHERE = 5, LEFT = 3 };

static struct {
    unsigned after; /* parameter, s; 0: never */
    bool slow;      /* what may yet go on is said as well */
    bool aborts;    /* parameter */
    bool registered;
    unsigned calls; /* until the clock is read. Threads may lose one. Atomic */
    uint64_t next;  /* beat, ms. Atomic */
    uint64_t quiet; /* since when no message has moved, ms */
    uint64_t asked; /* when a signal came, ms; 0: none is heeded. Atomic */
    uint64_t heard; /* the same, when it was noticed */
    uint64_t sum;   /* of what the others said at the first look; 0: none */
    unsigned again; /* beats until the next look */
    unsigned later; /* after the next judgement */
    unsigned left;  /* looks that have left the report to another node */
    mca_pml_champion_stuck_verdict_t said;
    char *wanted;    /* parameter: a file for reports; empty: none */
    char path[4096]; /* the same, from any folder */
} heart;

/* ---- the report ---- */

/* Of the verdict's kind, on standard error, and in the file that is wanted. */
static void say(const mca_pml_champion_stuck_report_t *report)
{
    int error;

    for (size_t i = 0; i < report->lines; ++i) {
        opal_output(0, "champion: %s: %s",
                    mca_pml_champion_stuck_report_verdict(report),
                    report->line[i]);
    }
    error = '\0' == heart.path[0]
                ? 0
                : mca_pml_champion_stuck_report_add(heart.path, report);
    if (0 != error) {
        opal_output(0, "champion: cannot write %s: %s", heart.path,
                    strerror(error));
    }
}

/* 0: no wait is long enough. */
static uint64_t least(void)
{
    return 0 != heart.heard ? MCA_PML_CHAMPION_STUCK_LEAST_MS
                            : 1000 * (uint64_t) heart.after;
}

/* The same for the process that reports. After a signal it must have stood so when
 * that came: who comes to stand later makes no second report. */
static uint64_t least_to_report(void)
{
    const uint64_t now = mca_pml_champion_stuck_now();

    return 0 == heart.heard || now < heart.heard ? least()
                                                 : least() + now - heart.heard;
}

/* Is what may yet go on, and what only seems to hang, wanted as well? */
static bool wants_all(void)
{
    return heart.slow || 0 != heart.heard;
}

static bool is_mine(const process_t *process, size_t count)
{
    const size_t i =
        mca_pml_champion_stuck_first(process, count, least_to_report());

    return i < count && process[i].state.vpid == OPAL_PROC_MY_NAME.vpid;
}

/* Is this process the one to say it? After a signal earlier reports do not count. */
static bool may_say(mca_pml_champion_stuck_verdict_t found)
{
    const bool first = mca_pml_champion_stuck_others_said() < found &&
                       mca_pml_champion_stuck_claim(found);

    return first || 0 != heart.heard;
}

/* Judge; if there is something new, say it. */
static void judge(process_t *process, size_t count)
{
    static mca_pml_champion_stuck_report_t report; /* it is large */
    const unsigned most =
        mca_pml_champion.job_size > opal_process_info.num_local_peers + 1u
            ? MOST
            : LATER;
    mca_pml_champion_stuck_verdict_t found;
    bool hangs;

    report.process = process;
    report.count = count;
    report.size = mca_pml_champion.job_size;
    report.least = least();
    report.job = OPAL_PROC_MY_NAME.jobid;
    mca_pml_champion_stuck_report(&report);
    found = report.verdict;
    hangs = MCA_PML_CHAMPION_STUCK_HANGS == found;
    heart.sum = 0;
    heart.again = heart.later;
    heart.later = 2 * heart.later < most ? 2 * heart.later : most;
    if (found <= heart.said || (!hangs && !wants_all())) {
        return;
    }
    heart.said = found;
    if (!may_say(found)) {
        return;
    }
    say(&report);
    if (0 != heart.heard) { /* it has been answered */
        uint64_t heard = heart.heard;

        (void) __atomic_compare_exchange_n(&heart.asked, &heard, 0, false,
                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    if (hangs && heart.aborts) {
        (void) ompi_mpi_abort(&ompi_mpi_comm_world.comm, 1);
    }
}

/* All that is known of the job is here: the second time, judge. */
static void look_at(process_t *process, size_t count)
{
    const uint64_t sum = mca_pml_champion_stuck_sum(process, count, least());

    if (!is_mine(process, count) && ++heart.left < LEFT) {
        heart.again = ELSEWHERE;
    } else if (sum != heart.sum) {
        heart.sum = sum;
        heart.again = AGAIN;
    } else {
        judge(process, count);
    }
    mca_pml_champion_stuck_ask_anew();
}

static void forget(void)
{
    heart.sum = 0;
    heart.left = 0;
    heart.later = LATER;
    heart.again = 0;
    mca_pml_champion_stuck_ask_anew();
}

static void consider(uint64_t now)
{
    process_t *here, *all = NULL;
    size_t count;

    if (0 != heart.again && 0 != --heart.again) {
        return;
    }
    here = mca_pml_champion_stuck_node(now, &count);
    if (NULL == here || !is_mine(here, count)) {
        forget();
        free(here);
        here = NULL;
    } else {
        all =
            mca_pml_champion_stuck_ask(here, &count, now, least(), wants_all());
    }
    if (NULL != all) {
        look_at(all, count);
    } else if (NULL != here) {
        __atomic_store_n(&heart.next, now + ASKING_MS, __ATOMIC_RELAXED);
    }
    free(all);
    free(here);
}

/* ---- signals ---- */

/* In a handler of signals: what waits looks at once. */
static void come(void)
{
    __atomic_store_n(&heart.asked, mca_pml_champion_stuck_now(),
                     __ATOMIC_RELAXED);
    __atomic_store_n(&heart.next, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&heart.calls, 0, __ATOMIC_RELAXED);
}

/* A signal has come, or need not be heeded any more. */
static void heed(uint64_t now)
{
    uint64_t asked = __atomic_load_n(&heart.asked, __ATOMIC_RELAXED);

    if (now > asked + ASKED_MS) {
        asked = 0;
    }
    if (asked != heart.heard) {
        heart.heard = asked;
        heart.said = MCA_PML_CHAMPION_STUCK_NOT;
        forget();
    }
}

/* ---- the beat ---- */

/* Has nothing moved for a while? `call`: the MPI call, if it is known. A send, or a
 * transfer, that has ended is seen by what is waited for then. Lock held. */
static bool stands(uint64_t now, const char *call)
{
    mca_pml_champion_stuck_words_t *words = &WORDS;
    mca_pml_champion_stuck_state_t before;

    if (words->state.moved != mca_pml_champion_stuck_moved()) {
        words->state.moved = mca_pml_champion_stuck_moved();
        words->state.where = MCA_PML_CHAMPION_STUCK_GOES_ON;
        words->began = heart.quiet = now;
    }
    words->pairs = 0;
    if (NULL == call || now - heart.quiet < SHORT_MS) {
        return false;
    }
    before = words->state;
    mca_pml_champion_stuck_look(call, &words->state);
    mca_pml_champion_stuck_count_pairs();
    if (MCA_PML_CHAMPION_STUCK_POLLS == before.where &&
        MCA_PML_CHAMPION_STUCK_POLLS == words->state.where) {
        /* By whichever of its calls. */
        memcpy(before.call, words->state.call, sizeof(before.call));
    }
    /* Only what was seen counts: it may have computed until this wait. */
    if (0 != memcmp(&before, &words->state, sizeof(before))) {
        words->began = now;
    }
    return true;
}

/* One thread at a time. */
static void beat(uint64_t now)
{
    char name[MCA_PML_CHAMPION_STUCK_NAME], *call = NULL;
    bool standing;

    heed(now);
    if (now - WORDS.beat > AWAY_MS) { /* it was not in MPI */
        WORDS.began = heart.quiet = now;
    }
    if (now - heart.quiet >= SHORT_MS) { /* without the lock: it takes the
                                                  linker's */
        (void) mca_pml_champion_call_name(name, sizeof(name));
        call = name;
    }
    if (!mca_pml_champion.threaded) {
        mca_pml_champion_lock();
    } else if (!mca_pml_champion_trylock()) {
        __atomic_store_n(&heart.next, now + RETRY_MS, __ATOMIC_RELAXED);
        return;
    }
    standing = stands(now, call);
    WORDS.beat = now;
    mca_pml_champion_unlock();
    mca_pml_champion_board_say(&WORDS, sizeof(WORDS));
    if (!standing) {
        forget();
        return;
    }
    if (0 != least() && now - WORDS.began >= least()) {
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
    now = mca_pml_champion_stuck_now();
    if (now >= __atomic_load_n(&heart.next, __ATOMIC_RELAXED) &&
        !__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&heart.next, now + BEAT_MS, __ATOMIC_RELAXED);
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
    heart.wanted = (char *) (uintptr_t) ""; /* the MCA copies it */
    good &=
        OMPI_SUCCESS ==
        mca_mq_base_param_string(
            mca_pml_champion.component, "stuck_json",
            "A file to which each report of who waits for whom is added as an "
            "object of JSON, in one line. It is made when MPI begins",
            OPAL_INFO_LVL_4, &heart.wanted);
    return mca_pml_champion_stuck_signal_register() && good;
}

/* Rank 0 makes the file, so that a wrong name is told at once. */
static int begin_file(void)
{
    char *path;
    int error;

    heart.path[0] = '\0';
    if (NULL == heart.wanted || '\0' == *heart.wanted) {
        return OMPI_SUCCESS;
    }
    path = mca_mq_base_file_absolute(heart.wanted);
    error = NULL == path                         ? errno
            : strlen(path) >= sizeof(heart.path) ? ENAMETOOLONG
                                                 : 0;
    if (0 == error) {
        memcpy(heart.path, path, strlen(path) + 1);
    }
    free(path);
    if (0 == error && 0 == OPAL_PROC_MY_NAME.vpid) {
        error = mca_pml_champion_stuck_report_add(heart.path, NULL);
    }
    if (0 == error) {
        return OMPI_SUCCESS;
    }
    opal_show_help(HELP, "reports unwritten", true, heart.wanted,
                   mca_mq_base_file_reason(error));
    return OMPI_ERROR;
}

static int heart_start(void)
{
    bool looks;

    if (OMPI_SUCCESS != begin_file()) {
        return OMPI_ERROR;
    }
    looks = mca_pml_champion_stuck_signal_start(come, heart.path) ||
            0 != heart.after || mca_pml_champion_stuck_at_term();
    mca_pml_champion_stuck_node_start(looks);
    heart.asked = heart.heard = 0;
    if (!looks) {
        return OMPI_SUCCESS;
    }
    heart.slow =
        mca_mq_base_param_is_set(mca_pml_champion.component, "stuck_after");
    heart.said = MCA_PML_CHAMPION_STUCK_NOT;
    heart.sum = heart.next = 0;
    heart.again = heart.left = 0;
    heart.later = LATER;
    heart.quiet = WORDS.began;
    heart.registered = OPAL_SUCCESS == opal_progress_register_lp(on_progress);
    return OMPI_SUCCESS;
}

static void heart_stop(void)
{
    mca_pml_champion_stuck_signal_stop();
    if (heart.registered) {
        (void) opal_progress_unregister(on_progress);
        heart.registered = false;
    }
}

MCA_PML_CHAMPION_UNIT(heart) = {.name = "who waits for whom",
                                .registers = heart_register,
                                .start = heart_start,
                                .stop = heart_stop};
