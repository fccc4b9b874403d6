/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/stats/ended.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/stats/host_table.h"
#include "ompi/mca/pml/champion/stats/stats.h"
#include "ompi/mca/pml/champion/stuck/signal.h"

/* How long the end of the process waits for the report, ns. */
#define LIMIT 800000000u

/* How long a change of the table of communicators is waited for, ns. */
#define CHANGE_MAX 100000000u

static struct {
    pid_t process; /* in which it is armed; 0: none. Atomic */
    pthread_t id;
    sem_t wake;
    struct sigaction before; /* what SIGTERM did */
    uint64_t since;          /* when it came; 0: it has not. Atomic */
    bool done;               /* the thread has ended. Atomic */
    bool ending;             /* it shall end. Atomic */
    bool changing;           /* the table of communicators; atomic */
    bool reading;            /* it is looked at; atomic */
} ended;

static void moment(void)
{
    static const struct timespec one = {.tv_nsec = 1000000};

    (void) nanosleep(&one, NULL);
}

static bool is_set(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_SEQ_CST);
}

static void set(bool *flag, bool value)
{
    __atomic_store_n(flag, value, __ATOMIC_SEQ_CST);
}

/* ---- The table of communicators ---- */

void mca_pml_champion_ended_changing(void)
{
    MCA_PML_CHAMPION_LOCKED();
    if (!mca_pml_champion.params.stats) {
        return;
    }
    set(&ended.changing, true);
    while (is_set(&ended.reading)) {
        set(&ended.changing, false);
        moment();
        set(&ended.changing, true);
    }
}

void mca_pml_champion_ended_changed(void)
{
    MCA_PML_CHAMPION_LOCKED();
    if (mca_pml_champion.params.stats) {
        set(&ended.changing, false);
    }
}

/* Wait until the table may be read. False if the handler has interrupted a
 * change, which goes on only after it. */
static bool read_begin(void)
{
    const uint64_t since = mca_pml_champion_now();

    set(&ended.reading, true);
    while (is_set(&ended.changing)) {
        if (mca_pml_champion_now() - since > CHANGE_MAX) {
            set(&ended.reading, false);
            return false;
        }
        moment();
    }
    return true;
}

/* ---- The thread ---- */

/* Without the lock: the thread that would have to release it may be the one
 * that the handler holds. Each figure is one number that is read at once. */
static bool fill(mca_pml_champion_place_t *place)
{
    const mca_pml_champion_comm_t *world =
        mca_pml_champion_comm(&ompi_mpi_comm_world.comm);

    if (NULL == world) {
        return false; /* not yet in MPI_Init */
    }
    MCA_PML_CHAMPION_LOCK_NOTE(true);
    place->rank = ompi_comm_rank(&ompi_mpi_comm_world.comm);
    snprintf(place->mq, sizeof(place->mq), "%.31s",
             mca_mq_base_domain_name(world->domain));
    mca_pml_champion_stats_collect(&place->own);
    MCA_PML_CHAMPION_LOCK_NOTE(false);
    return true;
}

/* Not on the stack of a thread. */
static mca_pml_champion_report_t report;

static void report_host(void)
{
    const unsigned ranks = mca_pml_champion_host_table_ranks();

    report = (mca_pml_champion_report_t){
        .ranks = ompi_comm_size(&ompi_mpi_comm_world.comm),
        .ended = "SIGTERM",
    };
    mca_pml_champion_run_describe(&report.run);
    if (ranks < (unsigned) report.ranks) {
        report.host = opal_process_info.nodename;
    }
    for (unsigned i = 0; i < ranks; ++i) {
        const mca_pml_champion_place_t *place =
            mca_pml_champion_host_table_take(i);

        if (NULL != place) {
            mca_pml_champion_report_add(&report, &place->own, place->rank);
            report.mq = NULL == report.mq ? place->mq : report.mq;
        }
    }
    mca_pml_champion_stats_write(&report);
    mca_pml_champion_report_free(&report);
}

static void tell_stats(uint64_t until)
{
    bool filled;

    if (!read_begin()) {
        return;
    }
    filled = fill(mca_pml_champion_host_table_mine());
    set(&ended.reading, false);
    if (filled && mca_pml_champion_host_table_filled(until)) {
        report_host();
        mca_pml_champion_host_table_release();
    }
}

static void tell(void)
{
    const uint64_t until =
        __atomic_load_n(&ended.since, __ATOMIC_RELAXED) + LIMIT;

    if (mca_pml_champion_stuck_at_term()) {
        mca_pml_champion_stuck_tell_term();
    }
    if (mca_pml_champion.params.stats) {
        tell_stats(until);
    }
    if (mca_pml_champion_stuck_at_term()) {
        mca_pml_champion_stuck_add_term();
    }
}

static void *thread_main(void *arg)
{
    /* malloc gives a thread an arena of its own, at its first call: not the one
     * whose lock the program may hold. */
    free(malloc(1));
    while (0 != sem_wait(&ended.wake)) {
        continue;
    }
    if (!is_set(&ended.ending)) {
        tell();
    }
    set(&ended.done, true);
    return arg;
}

/* It must not be chosen to run handlers. */
static int create(void)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    error = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (0 == error) {
        error = pthread_create(&ended.id, NULL, thread_main, NULL);
        (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return error;
}

/* ---- The handler ---- */

static void become(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};

    sigemptyset(&action.sa_mask);
    (void) sigaction(SIGTERM, &action, NULL);
}

/* What would have happened without us. The default is to end the process, as
 * soon as this handler has returned. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    if (0 != (ended.before.sa_flags & SA_RESETHAND)) {
        become(SIG_DFL);
    }
    if (0 != (ended.before.sa_flags & SA_SIGINFO)) {
        ended.before.sa_sigaction(number, info, context);
    } else if (SIG_DFL == ended.before.sa_handler) {
        become(SIG_DFL);
        (void) raise(number);
    } else {
        ended.before.sa_handler(number);
    }
}

/* A second SIGTERM, which another thread may get, waits as well. */
static void terminated(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    uint64_t none = 0, now = mca_pml_champion_now();

    if (getpid() == __atomic_load_n(&ended.process, __ATOMIC_ACQUIRE)) {
        if (__atomic_compare_exchange_n(&ended.since, &none, now, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            none = now;
            (void) sem_post(&ended.wake);
        }
        while (!is_set(&ended.done) && mca_pml_champion_now() - none < LIMIT) {
            moment();
        }
    }
    errno = error;
    pass_on(number, info, context);
}

/* Where SIGTERM is ignored it ends nothing. The flags and mask of a handler that
 * was there stay: the program relies on them. */
static bool install(void)
{
    struct sigaction action;

    if (0 != sigaction(SIGTERM, NULL, &ended.before) ||
        (0 == (ended.before.sa_flags & SA_SIGINFO) &&
         SIG_IGN == ended.before.sa_handler)) {
        return false;
    }
    action = ended.before;
    action.sa_sigaction = terminated;
    action.sa_flags &= ~SA_RESETHAND;
    action.sa_flags |= SA_SIGINFO;
    return 0 == sigaction(SIGTERM, &action, NULL);
}

static bool is_installed(void)
{
    struct sigaction action;

    return 0 == sigaction(SIGTERM, NULL, &action) &&
           0 != (action.sa_flags & SA_SIGINFO) &&
           terminated == action.sa_sigaction;
}

/* ---- The unit ---- */

/* Returns OMPI_SUCCESS, also if that is not possible: then there are statistics
 * of MPI_Finalize only. */
static int ended_arm(void)
{
    const bool stats = mca_pml_champion.params.stats;

    if ((!stats && !mca_pml_champion_stuck_at_term()) ||
        (stats && OMPI_SUCCESS != mca_pml_champion_host_table_open())) {
        return OMPI_SUCCESS;
    }
    ended.since = 0;
    ended.done = ended.ending = false;
    (void) sem_init(&ended.wake, 0, 0);
    if (0 != create()) {
        (void) sem_destroy(&ended.wake);
        mca_pml_champion_host_table_close();
        return OMPI_SUCCESS;
    }
    __atomic_store_n(&ended.process, getpid(), __ATOMIC_RELEASE);
    if (!install()) {
        mca_pml_champion_ended_disarm();
    }
    return OMPI_SUCCESS;
}

/* A handler that the program has installed later may call ours: it stays, and
 * passes on. */
void mca_pml_champion_ended_disarm(void)
{
    if (getpid() != ended.process) {
        return;
    }
    if (is_installed()) {
        (void) sigaction(SIGTERM, &ended.before, NULL);
    }
    __atomic_store_n(&ended.process, 0, __ATOMIC_RELEASE);
    set(&ended.ending, true);
    (void) sem_post(&ended.wake);
    (void) pthread_join(ended.id, NULL);
    (void) sem_destroy(&ended.wake);
    mca_pml_champion_host_table_close();
}

MCA_PML_CHAMPION_UNIT(ended) = {.name = "statistics of an end",
                                .start = ended_arm,
                                .stop = mca_pml_champion_ended_disarm};
