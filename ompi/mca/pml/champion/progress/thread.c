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

#include "ompi/mca/pml/champion/core/chores.h"
#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/core/estimate.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/core/events.h"
#include "ompi/mca/pml/champion/progress/pause.h"
#include "ompi/mca/pml/champion/progress/progress.h"
#include "ompi/mca/pml/champion/progress/thread_place.h"
#include "ompi/mca/pml/champion/progress/thread_use_rule.h"
#include "ompi/mca/pml/champion/large/thread_trigger.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/shm/ring_out.h"

#define HELP "help-mpi-pml-champion.txt"

/* A program that waits in MPI makes progress calls more often than once in this
 * many microseconds; one that computes and sometimes calls MPI_Test does
 * not. */
#define POLLING_US 10

/* Longest watching interval, as a multiple of pml_champion_thread_interval. */
#define LONGEST 16

/* Empty steps with UCX refusing to be armed before the thread pauses: a send
 * may be waiting for room at a receiver that computes. */
#define IDLE_STEPS 16

/* Spurious wakeups in a row by UCX's descriptor before the thread polls at
 * intervals instead of sleeping on it. */
#define SPURIOUS_MAX 8

/* A sleep ends by itself, after so many microseconds at first, and twice as many
 * after each that was in vain: UCX says of a transport without events that it is
 * armed, too. */
#define SLEEP_MIN 2000
#define SLEEP_MAX 8192000

/* How often in a row, with no event in between, UCX has something after such a
 * sleep before the thread polls at intervals from then on. */
#define MISSED_MAX 4

/* How long the end of the process may wait for the end of the thread. */
#define EXIT_SECONDS 2

/* Why the thread woke up. */
typedef enum { EVENT, SIGNALLED, TIME_IS_UP, END } cause_t;

/* Why the thread stops working. */
typedef enum {
    GO_ON,
    ARMED, /* nothing to do until UCX signals */
    STUCK, /* nothing to do, but UCX cannot be armed */
    AWAY   /* the program holds or wants the lock */
} outcome_t;

/* What the thread's last look was good for. */
typedef enum { NEITHER, IN_VAIN, BY_ITSELF, OF_USE } benefit_t;

bool (*mca_pml_champion_thread_switch)(bool fast);

static struct {
    pthread_t id;
    pid_t process;   /* process in which the thread runs; 0: none */
    int ucx_fd;      /* UCX's event descriptor; UCX owns it */
    int wake_fd;     /* descriptor that core/wake.h signals */
    bool ending;     /* atomic */
    bool gone;       /* it has ended by itself; atomic */
    bool attended;   /* a thread of the program starts it or puts it away;
                        atomic */
    uint32_t pauses; /* the program's at the last look */
    uint64_t away;   /* since when the program has made no progress and no
                        pause, as far as was seen; ns */
    benefit_t benefit;
    mca_pml_champion_thread_use_t use; /* of the thread while it runs, then of
                                          the program */
    bool complained;
    uint64_t begun_at; /* when the rule started it, ns; 0: it did not */
    uint32_t seen;     /* the program's progress calls at the last look */
    unsigned spurious; /* spurious wakeups in a row */
    unsigned missed;   /* sleeps in a row after which UCX had something of
                          which it had not told */
    unsigned sleep_us; /* length of the next sleep */
    /* See mca_pml_champion_counters_t. Written by the thread only; atomic. */
    uint64_t woken, signalled, left, events;
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
        __atomic_load_n(&thread.signalled, __ATOMIC_RELAXED);
    counters->thread_yielded += __atomic_load_n(&thread.left, __ATOMIC_RELAXED);
    counters->thread_events +=
        __atomic_load_n(&thread.events, __ATOMIC_RELAXED);
}

/* Sleep (us is 0), or only watch the program for us microseconds. */
static cause_t pause_for(unsigned us)
{
    const bool asleep = 0 == us;
    const unsigned most = asleep ? thread.sleep_us : us;
    const struct timespec limit = {most / 1000000, most % 1000000 * 1000L};
    struct pollfd on[] = {
        {.fd = thread.wake_fd, .events = POLLIN},
        {.fd = thread.ucx_fd, .events = POLLIN},
        {.fd = mca_pml_champion_bell_fd(), .events = POLLIN},
    };
    uint64_t times;
    int ready;

    do {
        ready = ppoll(on, asleep ? 3 : 1, &limit, NULL);
    } while (ready < 0 && EINTR == errno);
    if (ready > 0 && 0 != on[2].revents) {
        mca_pml_champion_bell_heard();
    }
    if (__atomic_load_n(&thread.ending, __ATOMIC_ACQUIRE)) {
        return END;
    }
    if (ready > 0 && 0 != on[0].revents &&
        read(thread.wake_fd, &times, sizeof(times)) > 0) {
        return SIGNALLED;
    }
    return asleep && 0 != ready ? EVENT : TIME_IS_UP;
}

/* Number of progress calls of the program since the last call of this
 * function. */
static uint32_t calls_since(void)
{
    uint32_t calls = __atomic_load_n(&mca_pml_champion.calls, __ATOMIC_RELAXED);
    uint32_t since = calls - thread.seen;

    thread.seen = calls;
    if (0 != since) {
        thread.away = mca_pml_champion_now();
    }
    return since;
}

/* UCX documents no other error. Polling at intervals is better than polling
 * without sleep. */
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

static inline outcome_t idle_step(unsigned *idle)
{
    return ++*idle < IDLE_STEPS ? GO_ON : STUCK;
}

/* UCX is armed; now arm the rings, which UCX knows nothing of. Lock held. */
static outcome_t armed(unsigned *idle)
{
    MCA_PML_CHAMPION_LOCKED();
    if (NULL != mca_pml_champion_rings.waiting) {
        return idle_step(idle); /* no event announces room in a ring */
    }
    if (!mca_pml_champion_rings_sleep(MCA_PML_CHAMPION_SLEEPER_THREAD)) {
        return GO_ON;
    }
    mca_pml_champion.thread_asleep = true;
    (void) calls_since();
    return ARMED;
}

/* Would the program have found by itself what the thread finds, because it is in
 * a call that waits? Where it has to share its core its polls alone do not tell:
 * so that was so for as long as a message takes to be late, if it has begun or
 * ended a pause in that time, or made progress. Lock held. */
static bool program_waits(void)
{
    const uint64_t now = mca_pml_champion_now();
    const uint32_t pauses =
        __atomic_load_n(&mca_pml_champion_pauses, __ATOMIC_RELAXED);

    if (pauses != thread.pauses) {
        thread.pauses = pauses;
        thread.away = now;
    }
    (void) calls_since();
    return mca_pml_champion_pause_is_asleep() ||
           now < thread.away +
                     (uint64_t) mca_pml_champion.params.thread_late * 1000;
}

/* Poll, and let sends that wait for room in rings, and schedules, go on. Returns
 * the number of events. Lock held. */
static unsigned poll_step(void)
{
    unsigned events = 0;

    mca_pml_champion.in_thread = true;
    if (NULL != mca_pml_champion_rings.waiting) {
        events += mca_pml_champion_rings_drain();
    }
    events += mca_pml_champion_progress_step();
    if (0 != mca_pml_champion.schedules) {
        events += mca_pml_champion_schedules_chore.step();
    }
    mca_pml_champion.in_thread = false;
    return events;
}

/* One step of work. Lock held. */
static outcome_t work_step(unsigned *idle)
{
    const uint32_t before =
        mca_pml_champion.inflight | mca_pml_champion.schedules |
        mca_pml_champion_chore_is_on(&mca_pml_champion_rings.copying) |
        (NULL != mca_pml_champion_rings.waiting);
    unsigned events = poll_step();
    ucs_status_t status;

    MCA_PML_CHAMPION_LOCKED();
    if (0 != events && 0 != (before | mca_pml_champion.inflight)) {
        thread.benefit = program_waits() ? BY_ITSELF : OF_USE;
    }
    if (0 != events || mca_pml_champion_chores_need_polls()) {
        count(&thread.events, events);
        thread.spurious = 0;
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
    return idle_step(idle);
}

/* The thread does not sleep any more: nobody need wake it. Lock held. */
static void no_sleeper(void)
{
    MCA_PML_CHAMPION_LOCKED();
    if (mca_pml_champion.thread_asleep) {
        mca_pml_champion.thread_asleep = false;
        mca_pml_champion_rings_wake(MCA_PML_CHAMPION_SLEEPER_THREAD);
    }
}

/* Make progress until there is nothing to do or the program wants the lock. */
static outcome_t work(void)
{
    unsigned idle = 0;
    outcome_t outcome;

    __atomic_store_n(&mca_pml_champion.lock_wanted, false, __ATOMIC_RELAXED);
    do {
        if (!mca_pml_champion_trylock()) {
            return AWAY;
        }
        no_sleeper();
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

/* Has UCX something of which its descriptor did not tell? */
static bool has_missed(void)
{
    unsigned events;

    if (!mca_pml_champion_trylock()) {
        return false;
    }
    events = mca_pml_champion_poll_ucx();
    mca_pml_champion_unlock();
    count(&thread.events, events);
    return 0 != events;
}

/* A sleep has ended. */
static void slept(cause_t cause)
{
    if (EVENT == cause) {
        count(&thread.woken, 1);
        thread.missed = 0;
        thread.sleep_us = SLEEP_MIN;
    } else if (has_missed()) {
        ++thread.missed;
        thread.sleep_us = SLEEP_MIN;
    } else if (thread.sleep_us < SLEEP_MAX) {
        thread.sleep_us *= 2;
    }
}

static unsigned longer(unsigned us)
{
    const unsigned interval = mca_pml_champion.params.thread_interval;

    return (unsigned) mca_pml_champion_doubled(us, interval,
                                               LONGEST * interval);
}

/* UCX and the rings are armed. Returns what look returns. */
static unsigned look_armed(unsigned us, cause_t cause)
{
    if (thread.missed >= MISSED_MAX) {
        return longer(us);
    }
    if (0 != us) {
        thread.sleep_us = SLEEP_MIN;
    }
    thread.spurious = EVENT == cause ? thread.spurious + 1 : 0;
    return thread.spurious < SPURIOUS_MAX
               ? 0
               : mca_pml_champion.params.thread_interval;
}

/* Work, unless the program makes progress itself. `us` is the length of the
 * last pause, which ended by `cause`. Returns how long to watch afterwards, in
 * microseconds; 0: sleep. */
static unsigned look(unsigned us, cause_t cause)
{
    uint32_t calls = calls_since();

    thread.benefit = EVENT == cause ? IN_VAIN : NEITHER;
    if (0 == us ? 0 != calls : calls >= us / POLLING_US + 1) {
        thread.benefit = BY_ITSELF;
        count(&thread.left, 1);
        return longer(us);
    }
    switch (work()) {
    case ARMED:
        return look_armed(us, cause);
    case STUCK:
        return longer(us);
    default:
        (void) calls_since();
        return mca_pml_champion.params.thread_interval;
    }
}

/* Judge the last look. A thread that the program has switched off goes, too. */
static bool is_of_no_use(void)
{
    const int mode = mca_pml_champion_thread_mode();
    const bool useless =
        NEITHER != thread.benefit &&
        mca_pml_champion_thread_use_looked(
            &thread.use, OF_USE == thread.benefit, BY_ITSELF == thread.benefit,
            mca_pml_champion_now());

    return MCA_PML_CHAMPION_OFF == mode ||
           (useless && MCA_PML_CHAMPION_AUTO == mode);
}

/* The thread ends by itself. From now on it takes no lock and counts on no
 * signal; the program's next progress call puts it away. Returns false if the
 * program holds the lock. */
static bool go(void)
{
    if (!mca_pml_champion_trylock()) {
        return false;
    }
    no_sleeper();
    mca_pml_champion_unlock();
    __atomic_store_n(&thread.gone, true, __ATOMIC_RELEASE);
    mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
    return true;
}

static void *thread_main(void *arg)
{
    unsigned us = mca_pml_champion.params.thread_interval;
    cause_t cause;

    (void) arg;
    mca_pml_champion_thread_place_enter();
    while (END != (cause = pause_for(us))) {
        if (SIGNALLED == cause) {
            /* The program is in an MPI call at this moment. */
            count(&thread.signalled, 1);
            (void) calls_since();
            us = mca_pml_champion.params.thread_interval;
            continue;
        }
        if (0 == us) {
            slept(cause);
        }
        us = look(us, cause);
        if (is_of_no_use() && go()) {
            break;
        }
    }
    return NULL;
}

/* Get UCX's event descriptor, and arm it. Lock held, or no other thread
 * exists. */
static ucs_status_t event_get(void)
{
    ucs_status_t status;

    status = ucp_worker_get_efd(mca_pml_champion.worker, &thread.ucx_fd);
    if (UCS_OK == status) {
        status = ucp_worker_arm(mca_pml_champion.worker);
    }
    return UCS_ERR_BUSY == status ? UCS_OK : status;
}

/* The program's signals must not be handled by a thread that it does not know
 * of, so the thread blocks them; but not those of a crash, which would end the
 * process without a message if they were blocked. */
static int create(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigset_t all, before;
    pthread_attr_t attr;
    int error = mca_pml_champion_thread_place_attr(&attr);

    if (0 != error) {
        return error;
    }
    sigfillset(&all);
    for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); ++i) {
        sigdelset(&all, crashes[i]);
    }
    error = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (0 == error) {
        error = pthread_create(&thread.id, &attr, thread_main, NULL);
        (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    (void) pthread_attr_destroy(&attr);
    return error;
}

static int start(void)
{
    int error;

    thread.ending = false;
    thread.gone = false;
    thread.complained = false;
    thread.spurious = 0;
    mca_pml_champion_thread_use_begins(&thread.use, mca_pml_champion_now());
    thread.missed = 0;
    thread.sleep_us = SLEEP_MIN;
    error = create();
    if (0 == error) {
        thread.process = getpid();
        (void) pthread_setname_np(thread.id, "champion");
    }
    return error;
}

/* Start the thread, if the parameter is "on": it may handle messages from now
 * on. */
static int thread_start(void)
{
    int error;

    if (MCA_PML_CHAMPION_ON != mca_pml_champion_thread_mode()) {
        return OMPI_SUCCESS;
    }
    error = start();
    if (0 != error) {
        opal_show_help(HELP, "progress thread start", true, strerror(error));
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_pml_champion_lock();
    mca_pml_champion_thread_trigger_runs();
    mca_pml_champion_unlock();
    return OMPI_SUCCESS;
}

/* The program has one thread again. The caller holds nothing. */
static void back_to_one(void)
{
    mca_pml_champion.threaded = false;
    /* The thread may have left something. */
    mca_pml_champion.slow =
        0 != __atomic_load_n(&mca_pml_champion.due, __ATOMIC_RELAXED);
    mca_pml_champion_lock();
    mca_pml_champion_rings_set_fast_path(true);
    mca_pml_champion_unlock();
    (void) mca_pml_champion_thread_switch(true);
}

/* Start the thread in a running program. If the process was single-threaded so
 * far, no other thread can observe the switch to locking before it is complete.
 * The caller holds nothing and is not inside UCX; its next calls take the
 * lock. */
static int start_among(bool threaded)
{
    int error;

    if (!threaded) {
        if (!mca_pml_champion_thread_switch(false)) {
            return ENOTSUP;
        }
        mca_pml_champion_mutex_init(&mca_pml_champion.lock);
        mca_pml_champion_rings_set_fast_path(false);
        mca_pml_champion.threaded = true;
        mca_pml_champion.slow = true;
    }
    error = start();
    if (0 != error && !threaded) {
        back_to_one();
    }
    return error;
}

/* Reported once, in one line: the program is running, and this is not an
 * error. */
static void not_begun(const char *why)
{
    mca_pml_champion_wake_close();
    opal_output_verbose(1, mca_pml_champion.output,
                        "champion: %s would be faster with a progress thread, "
                        "which cannot be started: %s",
                        OPAL_NAME_PRINT(OPAL_PROC_MY_NAME), why);
}

/* Has MPI_Finalize begun? Programs that have sessions only end without it. Lock
 * held. */
static bool is_over(void)
{
    MCA_PML_CHAMPION_LOCKED();
    return mca_pml_champion.ending || mca_pml_champion.finalizing;
}

/* Start the thread. On failure the program goes on without one. */
static void begin(void)
{
    const bool threaded = mca_pml_champion.threaded;
    ucs_status_t status;
    int error;

    mca_pml_champion_lock();
    status = is_over() ? UCS_ERR_CANCELED : event_get();
    mca_pml_champion_unlock();
    if (UCS_ERR_CANCELED == status) {
        return;
    }
    thread.wake_fd = mca_pml_champion_wake_open();
    if (UCS_OK != status || thread.wake_fd < 0) {
        not_begun(UCS_OK != status ? ucs_status_string(status)
                                   : strerror(errno));
        return;
    }
    error = start_among(threaded);
    if (0 != error) {
        not_begun(strerror(error));
        return;
    }
    mca_pml_champion_lock();
    ++*(0 == thread.begun_at ? &mca_pml_champion.counters.thread_started
                             : &mca_pml_champion.counters.thread_again);
    mca_pml_champion_event(MCA_PML_CHAMPION_EVENT_THREAD_STARTED,
                           mca_pml_champion.counters.thread_started +
                               mca_pml_champion.counters.thread_again,
                           0, 0);
    mca_pml_champion_thread_trigger_runs();
    mca_pml_champion_unlock();
    thread.begun_at = mca_pml_champion_now();
}

/* Does the thread run in this process? After fork it does not run in the
 * child. */
static bool runs(void)
{
    return 0 != thread.process && getpid() == thread.process;
}

/* The thread ends, or has ended by itself: put it away, and with it the lock if
 * the program has one thread only. What starts a thread is watched again. */
static void put_away(void)
{
    const bool useless =
        MCA_PML_CHAMPION_AUTO == mca_pml_champion_thread_mode();

    (void) pthread_join(thread.id, NULL);
    thread.process = 0;
    mca_pml_champion_lock();
    no_sleeper();
    mca_pml_champion_unlock();
    __atomic_store_n(&thread.gone, false, __ATOMIC_RELAXED);
    mca_pml_champion_wake_close();
    if (useless) {
        mca_pml_champion_thread_use_ends(&thread.use, mca_pml_champion_now());
    }
    if (!mca_pml_champion.multiple) {
        back_to_one();
    }
    mca_pml_champion_lock();
    mca_pml_champion.counters.thread_ended += useless;
    mca_pml_champion_event(MCA_PML_CHAMPION_EVENT_THREAD_ENDED, useless, 0, 0);
    mca_pml_champion_thread_trigger_again(thread.use.doubt);
    mca_pml_champion_unlock();
}

/* Does this thread of the program hold the lock, so that the call is a recursive
 * one? If another thread holds it, that is for a short time. */
static bool is_recursive(void)
{
    if (!mca_pml_champion.threaded) {
        return false;
    }
    if (!mca_pml_champion_trylock()) {
        return true;
    }
    mca_pml_champion_unlock();
    return false;
}

static void ask_to_end(void)
{
    __atomic_store_n(&thread.ending, true, __ATOMIC_RELEASE);
    mca_pml_champion_wake_signal();
}

/* Is it gone, or switched off? Then it is told to go. */
static bool is_to_end(void)
{
    if (__atomic_load_n(&thread.gone, __ATOMIC_ACQUIRE)) {
        return true;
    }
    if (MCA_PML_CHAMPION_OFF != mca_pml_champion_thread_mode()) {
        return false;
    }
    ask_to_end();
    return true;
}

static void start_or_put_away(void)
{
    if (0 == thread.process) {
        if (MCA_PML_CHAMPION_OFF != mca_pml_champion_thread_mode()) {
            begin();
        }
    } else if (runs() && is_to_end()) {
        put_away();
    }
}

/* One of the program's threads at a time. What another one finds due meanwhile
 * stays due: it may have become so after the first one has looked. */
static void thread_due(void)
{
    if (__atomic_exchange_n(&thread.attended, true, __ATOMIC_ACQUIRE)) {
        mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
        return;
    }
    start_or_put_away();
    __atomic_store_n(&thread.attended, false, __ATOMIC_RELEASE);
}

/* Do what is due; called by the program's own thread, outside UCX. */
static void due(void)
{
    uint8_t what;

    if (is_recursive()) {
        return;
    }
    what = __atomic_exchange_n(&mca_pml_champion.due, 0, __ATOMIC_ACQ_REL);
    if (0 == what) {
        return; /* another thread of the program was faster */
    }
    MCA_PML_CHAMPION_UNLOCKED();
    if (!mca_pml_champion.threaded) {
        mca_pml_champion.slow = false;
    }
    if (0 != (what & MCA_PML_CHAMPION_DUE_THREAD)) {
        thread_due();
    }
    if (0 != (what & MCA_PML_CHAMPION_DUE_EVENTS)) {
        mca_pml_champion_events_raise();
    }
}

static bool thread_register(void)
{
    mca_pml_champion_params_t *params = &mca_pml_champion.params;
    bool good;

    params->progress_thread = MCA_PML_CHAMPION_AUTO;
    params->thread_interval = 100;
    good = OMPI_SUCCESS ==
           mca_mq_base_param_settable(
               mca_pml_champion.component, "progress_thread",
               "Run a progress thread in each process, so that large messages "
               "advance while the program computes. It sleeps while there is "
               "nothing to do and while the program itself waits in MPI "
               "calls. auto: start it once large messages from other nodes "
               "were delayed because the program was computing, and end it "
               "when it is of no use. Can be changed at run time (MPI_T); "
               "takes effect with the next large message",
               OPAL_INFO_LVL_3, mca_pml_champion_switch_words,
               &params->progress_thread);
    good &= mca_pml_champion_param_uint(
        "thread_interval",
        "How often, in microseconds, the progress thread checks whether the "
        "program makes progress itself. While it does, the interval grows to "
        "up to 16 times this value",
        OPAL_INFO_LVL_9, 1, 10000000, &params->thread_interval);
    return good;
}

/* Get the descriptors on which the thread sleeps, after UCX's worker was made.
 * From now on, progress calls start the thread when that is due. An error, after
 * a help text, if UCX has no transport that can wake the thread. */
static int thread_open(void)
{
    ucs_status_t status;

    mca_pml_champion_progress_due = due;
    if (MCA_PML_CHAMPION_ON != mca_pml_champion_thread_mode()) {
        return OMPI_SUCCESS;
    }
    status = event_get();
    if (UCS_OK != status) {
        opal_show_help(HELP, "progress thread wakeup", true,
                       ucs_status_string(status));
        return OMPI_ERR_NOT_AVAILABLE;
    }
    thread.wake_fd = mca_pml_champion_wake_open();
    if (thread.wake_fd < 0) {
        opal_show_help(HELP, "progress thread start", true, strerror(errno));
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

uint64_t mca_pml_champion_thread_begun_at(void)
{
    return thread.begun_at;
}

/* Before UCX's worker is destroyed. Without the lock. */
static void thread_close(void)
{
    MCA_PML_CHAMPION_UNLOCKED();
    if (runs()) {
        ask_to_end();
        (void) pthread_join(thread.id, NULL);
        thread.process = 0;
    }
    /* Messages that are waited for from now on start none. */
    (void) __atomic_fetch_and(&mca_pml_champion.due,
                              (uint8_t) ~MCA_PML_CHAMPION_DUE_THREAD,
                              __ATOMIC_RELAXED);
    mca_pml_champion_wake_close();
}

MCA_PML_CHAMPION_UNIT(thread) = {
    .name = "progress thread",
    .registers = thread_register,
    .open = thread_open,
    .start = thread_start,
    .close = thread_close,
};

/* The process ends without MPI_Finalize: stop the thread before the destructors
 * of UCX run. It may be the thread itself that called MPI_Abort, inside UCX. */
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
