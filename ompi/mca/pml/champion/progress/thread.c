/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/progress/thread.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "opal/util/show_help.h"

#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/progress/progress.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/ring/rings.h"

#define HELP "help-mpi-pml-champion.txt"

/* A program that waits in MPI calls for progress more often than once in this
 * many microseconds. One that computes and calls MPI_Test at times does not. */
#define POLLING_US 10

/* How many times longer than at first the thread looks on in the end. */
#define LONGEST 16

/* Steps that find nothing, while UCX cannot be armed, until it is left alone
 * for a while: a send may wait for room at a receiver that computes. */
#define IDLE_STEPS 16

/* How often in a row UCX's descriptor may wake the thread for nothing, until
 * that is looked at in intervals only. */
#define IN_VAIN_MAX 8

/* How long the end of the process may be held up by the thread's. */
#define EXIT_SECONDS 2

/* What has woken the thread. */
typedef enum { EVENT, TOLD, TIME_IS_UP, END } cause_t;

/* Why it stops working. */
typedef enum {
    GO_ON,
    ARMED, /* nothing to do until UCX signals */
    STUCK, /* nothing to do, but UCX cannot be armed */
    AWAY   /* the program wants the lock */
} outcome_t;

/* As mca_pml_champion_thread_open was given it. */
static bool (*switch_fast_path)(bool fast);

static struct {
    pthread_t id;
    pid_t process; /* that it runs in; 0: it does not */
    int event;     /* UCX's descriptor, which is UCX's own */
    int told;      /* descriptor of core/wake.h */
    bool ending;   /* atomic */
    bool complained;
    uint64_t begun_at; /* by the rule; ns, or 0 */
    uint32_t seen;     /* the program's calls at the last look */
    unsigned in_vain;  /* events in a row that were none */
    /* As in mca_pml_champion_counters_t; written by the thread only, atomic. */
    uint64_t woken, times_told, left, events;
} thread;

static inline void count(uint64_t *counter, unsigned more)
{
    __atomic_store_n(counter, *counter + more, __ATOMIC_RELAXED);
}

void mca_pml_champion_thread_count(mca_pml_champion_counters_t *counters)
{
    counters->thread_wakeups +=
        __atomic_load_n(&thread.woken, __ATOMIC_RELAXED);
    counters->thread_notified +=
        __atomic_load_n(&thread.times_told, __ATOMIC_RELAXED);
    counters->thread_yielded += __atomic_load_n(&thread.left, __ATOMIC_RELAXED);
    counters->thread_events +=
        __atomic_load_n(&thread.events, __ATOMIC_RELAXED);
}

/* Sleep, or look on for so many microseconds. */
static cause_t pause_for(unsigned us)
{
    const struct timespec limit = {us / 1000000, us % 1000000 * 1000L};
    struct pollfd on[] = {{.fd = thread.told, .events = POLLIN},
                          {.fd = thread.event, .events = POLLIN}};
    uint64_t times;
    int ready;

    do {
        ready = ppoll(on, 0 == us ? 2 : 1, 0 == us ? NULL : &limit, NULL);
    } while (ready < 0 && EINTR == errno);
    if (__atomic_load_n(&thread.ending, __ATOMIC_ACQUIRE)) {
        return END;
    }
    if (ready > 0 && 0 != on[0].revents &&
        read(thread.told, &times, sizeof(times)) > 0) {
        return TOLD;
    }
    return 0 == us ? EVENT : TIME_IS_UP;
}

/* Take down the program's calls; returns those since the last time. */
static uint32_t calls_since(void)
{
    uint32_t calls = __atomic_load_n(&mca_pml_champion.calls, __ATOMIC_RELAXED);
    uint32_t since = calls - thread.seen;

    thread.seen = calls;
    return since;
}

/* UCX's contract knows no other errors. To go on without sleep would be worse
 * than to look at intervals. */
static void arm_failed(ucs_status_t status)
{
    if (!thread.complained) {
        thread.complained = true;
        opal_output(0,
                    "champion: the progress thread cannot sleep until UCX has "
                    "something for it: %s",
                    ucs_status_string(status));
    }
}

static inline outcome_t in_vain(unsigned *idle)
{
    return ++*idle < IDLE_STEPS ? GO_ON : STUCK;
}

/* UCX will signal what it has; rings are not UCX's. Lock held. */
static outcome_t armed(unsigned *idle)
{
    MCA_PML_CHAMPION_LOCKED();
    if (NULL != mca_pml_champion_rings.waiting) {
        return in_vain(idle); /* nobody tells that there is room */
    }
    if (!mca_pml_champion_rings_sleep()) {
        return GO_ON;
    }
    mca_pml_champion.thread_asleep = true;
    (void) calls_since();
    return ARMED;
}

/* One step of work. Lock held. */
static outcome_t work_step(unsigned *idle)
{
    unsigned events = mca_pml_champion_progress_step();
    ucs_status_t status;

    MCA_PML_CHAMPION_LOCKED();
    if (0 != events || 0 != mca_pml_champion.chores) {
        count(&thread.events, events);
        thread.in_vain = 0;
        *idle = 0;
        return GO_ON;
    }
    status = ucp_worker_arm(mca_pml_champion.worker);
    if (UCS_OK == status) {
        return armed(idle);
    }
    if (OPAL_UNLIKELY(UCS_ERR_BUSY != status)) {
        arm_failed(status);
        return STUCK;
    }
    return in_vain(idle);
}

/* Make progress until there is nothing to do, or the program wants to. */
static outcome_t work(void)
{
    unsigned idle = 0;
    outcome_t outcome;

    __atomic_store_n(&mca_pml_champion.lock_wanted, false, __ATOMIC_RELAXED);
    do {
        if (!mca_pml_champion_trylock()) {
            return AWAY;
        }
        if (mca_pml_champion.thread_asleep) {
            mca_pml_champion.thread_asleep = false;
            mca_pml_champion_rings_wake();
        }
        outcome = work_step(&idle);
        mca_pml_champion_unlock();
        if (GO_ON == outcome &&
            (__atomic_load_n(&mca_pml_champion.lock_wanted, __ATOMIC_RELAXED) ||
             __atomic_load_n(&thread.ending, __ATOMIC_RELAXED))) {
            outcome = AWAY;
        }
    } while (GO_ON == outcome);
    return outcome;
}

static unsigned longer(unsigned us)
{
    const unsigned longest = LONGEST * mca_pml_champion.params.thread_interval;

    return us < longest / 2 ? 2 * us : longest;
}

/* Work, if that is not left to the program; returns how long to look on
 * afterwards, in microseconds, 0: to sleep. `us` is what the last pause
 * lasted. */
static unsigned look(unsigned us)
{
    const unsigned interval = mca_pml_champion.params.thread_interval;
    uint32_t calls = calls_since();

    if (0 == us ? 0 != calls : calls >= us / POLLING_US + 1) {
        count(&thread.left, 1);
        return 0 == us ? interval : longer(us);
    }
    switch (work()) {
    case ARMED:
        thread.in_vain = 0 == us ? thread.in_vain + 1 : 0;
        return thread.in_vain < IN_VAIN_MAX ? 0 : interval;
    case STUCK:
        return 0 == us ? interval : longer(us);
    default:
        (void) calls_since();
        return interval;
    }
}

static void *thread_main(void *arg)
{
    unsigned us = mca_pml_champion.params.thread_interval;
    cause_t cause;

    (void) arg;
    while (END != (cause = pause_for(us))) {
        if (TOLD == cause) {
            /* The program is in an MPI call just now. */
            count(&thread.times_told, 1);
            (void) calls_since();
            us = mca_pml_champion.params.thread_interval;
            continue;
        }
        if (EVENT == cause) {
            count(&thread.woken, 1);
        }
        us = look(us);
    }
    return NULL;
}

/* What UCX wakes it by. Lock held, or nobody else is there. */
static ucs_status_t event_get(void)
{
    ucs_status_t status;

    status = ucp_worker_get_efd(mca_pml_champion.worker, &thread.event);
    if (UCS_OK == status) {
        status = ucp_worker_arm(mca_pml_champion.worker);
    }
    return UCS_ERR_BUSY == status ? UCS_OK : status;
}

/* No signal of the program's shall be handled by a thread it does not know, but
 * those of a crash: blocked, they would end the process without a word. */
static int create(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigset_t all, before;
    int error;

    sigfillset(&all);
    for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); ++i) {
        sigdelset(&all, crashes[i]);
    }
    error = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (0 == error) {
        error = pthread_create(&thread.id, NULL, thread_main, NULL);
        (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return error;
}

static int start(void)
{
    int error;

    thread.ending = false;
    thread.complained = false;
    error = create();
    if (0 == error) {
        thread.process = getpid();
        (void) pthread_setname_np(thread.id, "champion");
    }
    return error;
}

int mca_pml_champion_thread_start(void)
{
    int error;

    if (MCA_PML_CHAMPION_ON != mca_pml_champion.params.progress_thread) {
        return OMPI_SUCCESS;
    }
    error = start();
    if (0 != error) {
        opal_show_help(HELP, "progress thread start", true, strerror(error));
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

/* The process may have had one thread up to here, which is this one: nobody
 * else can see what changes before there is another. It holds nothing and is
 * not in UCX; who called it takes the lock from here on. */
static int start_among(bool threaded)
{
    int error;

    if (!threaded) {
        if (!switch_fast_path(false)) {
            return ENOTSUP;
        }
        mca_pml_champion_mutex_init(&mca_pml_champion.lock);
        mca_pml_champion_rings_set_simple(false);
        mca_pml_champion.threaded = true;
        mca_pml_champion.slow = true;
    }
    error = start();
    if (0 != error && !threaded) {
        mca_pml_champion.threaded = false;
        mca_pml_champion.slow = false;
        mca_pml_champion_rings_set_simple(true);
        (void) switch_fast_path(true);
    }
    return error;
}

/* Once, in a line: it has been decided in the midst of the program's work. */
static void not_begun(const char *why)
{
    mca_pml_champion_wake_close();
    opal_output_verbose(1, mca_pml_champion.output,
                        "champion: %s would be faster with a progress thread, "
                        "which cannot be started: %s",
                        OPAL_NAME_PRINT(OPAL_PROC_MY_NAME), why);
}

/* Start it now, because champion.start_thread asks for it: from the program's
 * own thread, without the lock and outside of UCX. If that cannot be, the
 * program goes on without. */
static void begin(void)
{
    const bool threaded = mca_pml_champion.threaded;
    ucs_status_t status;
    int error;

    MCA_PML_CHAMPION_UNLOCKED();
    if (!__atomic_exchange_n(&mca_pml_champion.start_thread, false,
                             __ATOMIC_ACQ_REL)) {
        return; /* another of the program's threads was faster */
    }
    mca_pml_champion_lock();
    if (!threaded) {
        mca_pml_champion.slow = false;
    }
    status = mca_pml_champion.ending ? UCS_ERR_CANCELED : event_get();
    mca_pml_champion_unlock();
    if (UCS_ERR_CANCELED == status) {
        return; /* too late for it */
    }
    thread.told = mca_pml_champion_wake_open();
    if (UCS_OK != status || thread.told < 0) {
        not_begun(UCS_OK != status ? ucs_status_string(status)
                                   : strerror(errno));
        return;
    }
    error = start_among(threaded);
    if (0 != error) {
        not_begun(strerror(error));
        return;
    }
    thread.begun_at = mca_pml_champion_now();
    mca_pml_champion_lock();
    ++mca_pml_champion.counters.thread_started;
    mca_pml_champion_unlock();
}

int mca_pml_champion_thread_open(bool (*switch_path)(bool fast))
{
    ucs_status_t status;

    switch_fast_path = switch_path;
    mca_pml_champion_progress_begin_thread = begin;
    if (MCA_PML_CHAMPION_ON != mca_pml_champion.params.progress_thread) {
        return OMPI_SUCCESS;
    }
    status = event_get();
    if (UCS_OK != status) {
        opal_show_help(HELP, "progress thread wakeup", true,
                       ucs_status_string(status));
        return OMPI_ERR_NOT_AVAILABLE;
    }
    thread.told = mca_pml_champion_wake_open();
    if (thread.told < 0) {
        opal_show_help(HELP, "progress thread start", true, strerror(errno));
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

uint64_t mca_pml_champion_thread_begun_at(void)
{
    return thread.begun_at;
}

/* Does it run? Not in a child of the process that has it. */
static bool runs(void)
{
    return 0 != thread.process && getpid() == thread.process;
}

static void ask_to_end(void)
{
    __atomic_store_n(&thread.ending, true, __ATOMIC_RELEASE);
    mca_pml_champion_wake_signal();
}

void mca_pml_champion_thread_end(void)
{
    MCA_PML_CHAMPION_UNLOCKED();
    if (runs()) {
        ask_to_end();
        (void) pthread_join(thread.id, NULL);
        thread.process = 0;
    }
    mca_pml_champion_wake_close();
}

/* The process ends without MPI_Finalize: UCX, which goes next, may not be in
 * use. Perhaps the thread itself, in UCX, has called MPI_Abort. */
static __attribute__((destructor)) void at_exit(void)
{
    struct timespec until;

    if (!runs() || pthread_equal(thread.id, pthread_self())) {
        return;
    }
    ask_to_end();
    if (0 == clock_gettime(CLOCK_REALTIME, &until)) {
        until.tv_sec += EXIT_SECONDS;
        (void) pthread_timedjoin_np(thread.id, NULL, &until);
    }
}
