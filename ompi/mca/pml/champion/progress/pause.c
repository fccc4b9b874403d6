/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/progress/pause.h"

#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "opal/runtime/opal_progress.h"

#include "ompi/win/win.h"

#include "ompi/mca/pml/champion/core/chores.h"
#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"
#include "ompi/mca/pml/champion/progress/cpu_limit.h"
#include "ompi/mca/pml/champion/progress/wait_rule.h"
#include "ompi/mca/pml/champion/large/standstill.h"
#include "ompi/mca/pml/champion/shm/rings.h"

/* Polls between two pauses where the core is shared: a process that polls on it
 * holds up those for which it waits. */
#define POLLS_SHARED 2

/* Of so many pauses on a shared core one is measured: a clock takes a tenth of
 * a yield. */
#define MEASURED 8

/* Attempts to sleep in a row that UCX refuses, because it has work, before a
 * thread sleeps for a fixed time: a send may wait for room at a receiver that
 * computes. */
#define IN_VAIN 16

/* Sleeps of a thread that nobody wakes, or that has windows; and of one for which
 * another thread may complete what it waits for, ns. */
#define NAP_NS 50000
#define NAP_MAX_NS 1000000

unsigned mca_pml_champion_pause_after = 1;
uint32_t mca_pml_champion_pause_sleepers;

/* Each thread learns for itself: they may run on different cores. */
static _Thread_local mca_pml_champion_wait_rule_t rule;
static _Thread_local unsigned pauses;
static _Thread_local long switches;   /* of the thread, when last counted */
static _Thread_local uint64_t lasted; /* the last wait, or this one, ns */

static struct {
    bool limited;   /* by the container's CPU time */
    bool crowded;   /* there are more processes than cores */
    int fd;         /* UCX's event descriptor; -1: none */
    bool asleep;    /* a thread sleeps on it */
    uint32_t wakes; /* the futex: counts calls of _wake. Atomic */
} state = {.fd = -1};

/* How a thread may sleep. */
typedef enum {
    NOT,    /* there is work */
    EVENT,  /* until UCX's descriptor, or the bell's, is readable */
    OTHERS, /* until another thread has handled messages */
    NAP     /* for a fixed time */
} sleep_t;

uint32_t mca_pml_champion_pauses;
_Thread_local mca_pml_champion_note_t mca_pml_champion_note;

/* May a wait sleep on UCX's descriptor? */
static bool needs_events(void)
{
    return MCA_PML_CHAMPION_WAIT_AUTO == mca_pml_champion.params.wait ||
           MCA_PML_CHAMPION_WAIT_SLEEPING == mca_pml_champion.params.wait;
}

static void set_pause_after(bool free_core)
{
    mca_pml_champion_pause_after =
        free_core ? MCA_PML_CHAMPION_POLLS : POLLS_SHARED;
}

static void set_core_free(bool alone)
{
    __atomic_store_n(&mca_pml_champion.core_free, alone && !state.crowded,
                     __ATOMIC_RELAXED);
}

static bool pause_register(void)
{
    static const mca_base_var_enum_value_t words[] = {
        {MCA_PML_CHAMPION_WAIT_AUTO, "auto"},
        {MCA_PML_CHAMPION_WAIT_POLLING, "poll"},
        {MCA_PML_CHAMPION_WAIT_YIELDING, "yield"},
        {MCA_PML_CHAMPION_WAIT_SLEEPING, "sleep"},
        {0, NULL},
    };

    mca_pml_champion.params.wait = MCA_PML_CHAMPION_WAIT_AUTO;
    return OMPI_SUCCESS ==
           mca_mq_base_param_settable(
               mca_pml_champion.component, "wait",
               "How waiting MPI calls wait: poll; yield the core after some "
               "polls; or sleep after 20 us until a message comes. auto: poll "
               "where the core is free, and sleep after 10 ms; yield where "
               "other processes wait, too; sleep where they compute. Can be "
               "changed at run time (MPI_T)",
               OPAL_INFO_LVL_3, words, &mca_pml_champion.params.wait);
}

/* What is known of the node: does this process share its cores, or is its CPU
 * time limited? */
static int pause_open(void)
{
    const unsigned long processes = opal_process_info.num_local_peers + 1;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const bool crowded = online > 0 && (unsigned long) online < processes;
    const unsigned long cores = crowded ? (unsigned long) online : processes;
    const unsigned long limit =
        mca_pml_champion_cpu_limit("/proc/self/cgroup", "/sys/fs/cgroup");

    /* A limit that the cores set anyway is none: yields show it. */
    state.limited = 0 != limit && limit < 1000 * cores;
    state.crowded = crowded;
    set_core_free(!state.limited);
    set_pause_after(!crowded);
    if (!needs_events() ||
        UCS_OK != ucp_worker_get_efd(mca_pml_champion.worker, &state.fd)) {
        state.fd = -1;
    }
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(pause) = {
    .name = "pause", .registers = pause_register, .open = pause_open};

/* Some waits are Open MPI's own (those that create communicators, one-sided
 * communication): they call opal_progress until they are over. So that they
 * yield where the core is shared, opal_progress is told to, between pauses. In a
 * pause it yields if the user, or mpirun, wants it to. Not with several threads:
 * each knows its own core only. */
static void tell_opal(bool yields)
{
    if (!mca_pml_champion.multiple) {
        (void) opal_progress_set_yield_when_idle(yields);
    }
}

static inline bool core_is_free(void)
{
    return MCA_PML_CHAMPION_CORE_FREE == mca_pml_champion_wait_rule_core(&rule);
}

/* ---- sleeping ---- */

static void nap(uint64_t ns)
{
    const struct timespec limit = {(time_t) (ns / 1000000000),
                                   (long) (ns % 1000000000)};

    (void) __atomic_fetch_add(&mca_pml_champion.counters.wait_sleeps, 1,
                              __ATOMIC_RELAXED);
    (void) nanosleep(&limit, NULL);
}

/* What was started needs polls, and announces nothing by events. */
static bool needs_polls(void)
{
    return mca_pml_champion_chores_need_polls() ||
           NULL != mca_pml_champion_rings.waiting;
}

/* Prepare to sleep. Lock held. */
static sleep_t fall_asleep(void)
{
    MCA_PML_CHAMPION_LOCKED();
    if (NULL != mca_pml_champion.completed ||
        0 != __atomic_load_n(&mca_pml_champion.due, __ATOMIC_RELAXED)) {
        return NOT; /* the next progress call has something to do */
    }
    if (state.asleep) {
        return OTHERS;
    }
    if (state.fd < 0 || needs_polls()) {
        return NAP;
    }
    if (!mca_pml_champion_rings_sleep(MCA_PML_CHAMPION_SLEEPER_WAITS)) {
        return NOT;
    }
    if (UCS_OK != ucp_worker_arm(mca_pml_champion.worker) ||
        NULL != mca_pml_champion_rings_look() ||
        mca_pml_champion_rings_opened()) {
        mca_pml_champion_rings_wake(MCA_PML_CHAMPION_SLEEPER_WAITS);
        return NOT;
    }
    state.asleep = true;
    return EVENT;
}

bool mca_pml_champion_pause_is_asleep(void)
{
    MCA_PML_CHAMPION_LOCKED();
    return state.asleep;
}

static void sleep_on_events(uint64_t ns)
{
    const struct timespec limit = {(time_t) (ns / 1000000000),
                                   (long) (ns % 1000000000)};
    struct pollfd on[] = {
        {.fd = state.fd, .events = POLLIN},
        {.fd = mca_pml_champion_bell_fd(), .events = POLLIN},
    };
    const int ready = ppoll(on, 2, &limit, NULL);

    if (ready > 0 && 0 != on[1].revents) {
        mca_pml_champion_bell_heard();
    }
    mca_pml_champion_lock();
    (void) __atomic_fetch_add(&mca_pml_champion.counters.wait_sleeps, 1,
                              __ATOMIC_RELAXED);
    mca_pml_champion.counters.wait_woken += ready > 0;
    state.asleep = false;
    mca_pml_champion_rings_wake(MCA_PML_CHAMPION_SLEEPER_WAITS);
    mca_pml_champion_unlock();
}

/* `wakes` is the futex's value when there was still something to wait for. */
static void sleep_on_others(uint32_t wakes, uint64_t ns)
{
    const struct timespec limit = {0, (long) ns};

    (void) __atomic_fetch_add(&mca_pml_champion_pause_sleepers, 1,
                              __ATOMIC_SEQ_CST);
    (void) syscall(SYS_futex, &state.wakes, FUTEX_WAIT_PRIVATE, wakes, &limit,
                   NULL, 0);
    (void) __atomic_fetch_sub(&mca_pml_champion_pause_sleepers, 1,
                              __ATOMIC_RELAXED);
}

void mca_pml_champion_pause_wake(void)
{
    (void) __atomic_fetch_add(&state.wakes, 1, __ATOMIC_SEQ_CST);
    (void) syscall(SYS_futex, &state.wakes, FUTEX_WAKE_PRIVATE, INT_MAX, NULL,
                   NULL, 0);
}

/* Are there windows? Then others may wait for this process to serve them, which
 * osc/ucx, say, does in opal_progress: its UCX worker wakes nobody here. */
static bool has_windows(void)
{
    const int and_null = 1; /* MPI_WIN_NULL */

    return ompi_mpi_windows.size - ompi_mpi_windows.number_free > and_null;
}

/* How long to sleep at most. */
static uint64_t longest_sleep(const mca_pml_champion_pause_t *pause)
{
    if (has_windows()) {
        return NAP_NS;
    }
    return mca_pml_champion.multiple || pause->others
               ? NAP_MAX_NS
               : MCA_PML_CHAMPION_WAIT_SLEEP_MAX_NS;
}

/* Sleep until there is something to do, but not for long; `waited` is for how
 * long the thread has waited already. */
static void pause_asleep(mca_pml_champion_pause_t *pause, uint64_t waited)
{
    const uint64_t ns =
        mca_pml_champion_wait_rule_sleep(&rule, waited, longest_sleep(pause));
    const uint32_t wakes = pause->wakes;
    sleep_t how;

    pause->wakes = __atomic_load_n(&state.wakes, __ATOMIC_ACQUIRE);
    pause->slept = true;
    if (!mca_pml_champion.threaded) {
        mca_pml_champion_lock();
    } else if (!mca_pml_champion_trylock()) {
        nap(NAP_NS);
        return;
    }
    how = fall_asleep();
    mca_pml_champion_unlock();
    switch (how) {
    case NOT:
        if (++pause->in_vain % IN_VAIN == 0) {
            nap(NAP_NS);
        }
        return;
    case EVENT:
        sleep_on_events(ns);
        break;
    case OTHERS:
        sleep_on_others(wakes, ns);
        break;
    default:
        nap(ns < NAP_MAX_NS ? ns : NAP_MAX_NS);
    }
    pause->in_vain = 0;
}

/* ---- pauses ---- */

/* Has anybody else run on the thread's core since this was last asked? */
static bool was_switched(void)
{
    struct rusage usage;
    long before = switches;

    if (0 != getrusage(RUSAGE_THREAD, &usage)) {
        return true;
    }
    switches = usage.ru_nvcsw + usage.ru_nivcsw;
    return switches != before;
}

/* A yield took `took`; it is `now`. */
static void learn(uint64_t took, uint64_t now)
{
    if (took >= MCA_PML_CHAMPION_WAIT_SHARED_NS && !was_switched()) {
        took = 0;
    }
    mca_pml_champion_wait_rule_yielded(&rule, took, now);
    if (!mca_pml_champion.multiple) {
        set_pause_after(core_is_free());
        set_core_free(mca_pml_champion_wait_rule_alone(&rule));
    }
}

static void yield(uint64_t before)
{
    uint64_t now;

    (void) sched_yield();
    now = mca_pml_champion_now();
    learn(now - before, now);
}

static mca_pml_champion_wait_step_t choose(int mode, uint64_t waited,
                                           uint64_t now)
{
    switch (mode) {
    case MCA_PML_CHAMPION_WAIT_YIELDING:
        return MCA_PML_CHAMPION_WAIT_YIELD;
    case MCA_PML_CHAMPION_WAIT_SLEEPING:
        return waited >= MCA_PML_CHAMPION_WAIT_POLL_NS
                   ? MCA_PML_CHAMPION_WAIT_SLEEP
                   : MCA_PML_CHAMPION_WAIT_POLL;
    default:
        return mca_pml_champion_wait_rule_next(&rule, waited, now);
    }
}

/* Has this process copied something since the last pause (shm/copy.c)? */
static bool has_copied(mca_pml_champion_pause_t *pause)
{
    const uint32_t parts =
        __atomic_load_n(&mca_pml_champion_rings.parts, __ATOMIC_RELAXED);
    const bool some = parts != pause->parts;

    pause->parts = parts;
    return some;
}

/* Has this process read messages from rings since this was last asked, written
 * some that waited for room, been told of matched ones, or found events of UCX?
 * Then the other side is at it, and sleeps would hold both up. With several
 * threads others handle messages. */
static bool has_handled(mca_pml_champion_pause_t *pause)
{
    const uint32_t handled =
        (uint32_t) mca_pml_champion.counters.ring_messages +
        mca_pml_champion_rings.went_on + mca_pml_champion.ucx_events;
    const bool some = handled != pause->handled;

    pause->handled = handled;
    return some;
}

/* Has this process done something since the last pause? Then it has something
 * better to do than to yield or sleep, and waits anew. */
static bool has_done(mca_pml_champion_pause_t *pause)
{
    const bool copied = has_copied(pause);

    return (!mca_pml_champion.threaded && has_handled(pause)) || copied;
}

/* The pause, with opal_progress told to yield as `yielded` says. */
static void pause_as(int mode, bool yielded, mca_pml_champion_pause_t *pause)
{
    const bool measured =
        0 == ++pauses % MEASURED || MCA_PML_CHAMPION_WAIT_AUTO != mode ||
        MCA_PML_CHAMPION_CORE_SHARED != mca_pml_champion_wait_rule_core(&rule);
    const uint64_t before = measured ? mca_pml_champion_now() : 0;
    uint64_t now, waited;

    pause->slept = false;
    opal_progress();
    if (has_done(pause)) {
        pause->began = 0;
        return;
    }
    if (!measured) {
        if (!yielded) {
            (void) sched_yield();
        }
        return;
    }
    now = mca_pml_champion_now();
    if (0 == pause->began) {
        mca_pml_champion_wait_rule_begins(&rule, lasted);
        pause->began = before;
        pause->wakes = __atomic_load_n(&state.wakes, __ATOMIC_ACQUIRE);
        rule.limited = state.limited;
        rule.crowded = state.crowded;
    }
    if (yielded) {
        learn(now - before, now);
    }
    waited = now - pause->began;
    lasted = waited;
    switch (choose(mode, waited, now)) {
    case MCA_PML_CHAMPION_WAIT_YIELD:
        if (!yielded) {
            yield(now);
        }
        break;
    case MCA_PML_CHAMPION_WAIT_SLEEP:
        pause_asleep(pause, waited);
        break;
    default:
        break;
    }
}

/* A transfer that stood still meanwhile was not held up by a computation. */
static void waited(void)
{
    if (!mca_pml_champion.multiple && mca_pml_champion_cost_models.watching) {
        mca_pml_champion_lock();
        mca_pml_champion_cost_model_waited();
        mca_pml_champion_unlock();
    }
}

/* Threads that count at a time may lose one: what matters is the change. */
static void count_pause(void)
{
    __atomic_store_n(
        &mca_pml_champion_pauses,
        __atomic_load_n(&mca_pml_champion_pauses, __ATOMIC_RELAXED) + 1,
        __ATOMIC_RELAXED);
}

/* The pause itself, between two counts. */
static void pause_in(int mode, mca_pml_champion_pause_t *pause)
{
    tell_opal(ompi_mpi_yield_when_idle);
    if (MCA_PML_CHAMPION_WAIT_POLLING == mode) {
        opal_progress();
        waited();
        return;
    }
    pause_as(mode, ompi_mpi_yield_when_idle, pause);
    count_pause();
    waited();
    tell_opal(ompi_mpi_yield_when_idle || !core_is_free());
}

void mca_pml_champion_pause(mca_pml_champion_pause_t *pause)
{
    const bool seen = mca_pml_champion_standstill_on_pause();

    MCA_PML_CHAMPION_UNLOCKED();
    count_pause();
    if (!pause->noted || pause != mca_pml_champion_note.by) {
        mca_pml_champion_note.what = MCA_PML_CHAMPION_FOR_UNKNOWN;
        mca_pml_champion_note.by = pause;
        pause->noted = true;
    }
    mca_pml_champion_note.paused = true;
    pause_in(__atomic_load_n(&mca_pml_champion.params.wait, __ATOMIC_RELAXED),
             pause);
    mca_pml_champion_note.paused = false;
    if (seen) {
        mca_pml_champion_standstill_on_resume();
    }
}
