/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/mca/pml/champion/stuck/signal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opal/class/opal_object.h"

#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/stuck/judge.h"
#include "ompi/mca/pml/champion/stuck/node.h"
#include "ompi/mca/pml/champion/stuck/report.h"

typedef mca_pml_champion_stuck_process_t process_t;

enum { TERM_MS = MCA_PML_CHAMPION_STUCK_TERM_MS, NONE = -1 };

/* How long the process that is to report is waited for, ns. */
#define PATIENCE 200000000u

static struct {
    int number;       /* parameter; or NONE */
    const char *path; /* for reports; empty: none */
    void (*come)(void);
    pid_t process; /* that catches it; 0: none. Atomic */
    struct sigaction before;
    bool again; /* MPI has begun before */
    volatile bool inside;
} caught = {.number = NONE, .path = ""};

/* ---- SIGTERM ---- */

bool mca_pml_champion_stuck_at_term(void)
{
    return SIGTERM == caught.number;
}

/* What was said at SIGTERM, of these processes; not yet in the file. */
static mca_pml_champion_stuck_report_t report; /* it is large */
static process_t *reported;

/* The lock of Open MPI's output may be held. */
static void say(void)
{
    for (size_t i = 0; i < report.lines; ++i) {
        dprintf(STDERR_FILENO, "[%s:%d] champion: %s: %s\n",
                opal_process_info.nodename, (int) getpid(),
                mca_pml_champion_stuck_report_verdict(&report), report.line[i]);
    }
}

/* The handler has changed whether they run or sleep. Returns whether one has
 * ended. */
static bool forget_what_they_do(process_t *process, size_t count)
{
    bool ended = false;

    for (size_t i = 0; i < count; ++i) {
        if (MCA_PML_CHAMPION_STUCK_RUNS == process[i].known ||
            MCA_PML_CHAMPION_STUCK_SLEEPS == process[i].known) {
            process[i].known = MCA_PML_CHAMPION_STUCK_OUT;
        }
        ended |= MCA_PML_CHAMPION_STUCK_GONE == process[i].known;
    }
    return ended;
}

static void tell(process_t *process, size_t count)
{
    const bool ended = forget_what_they_do(process, count);

    report.process = process;
    report.count = count;
    report.size = mca_pml_champion.job_size;
    report.least = TERM_MS;
    report.job = OPAL_PROC_MY_NAME.jobid;
    mca_pml_champion_stuck_report(&report);
    if (ended && MCA_PML_CHAMPION_STUCK_HANGS == report.verdict) {
        report.verdict = MCA_PML_CHAMPION_STUCK_SEEMS;
    }
    if (MCA_PML_CHAMPION_STUCK_NOT != report.verdict) {
        say();
    }
}

void mca_pml_champion_stuck_tell_term(void)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    const mca_pml_champion_claim_t claim = MCA_PML_CHAMPION_CLAIM_TERM;
    const uint64_t until = mca_pml_champion_now() + PATIENCE;
    size_t count, first;
    process_t *process =
        mca_pml_champion_stuck_node(mca_pml_champion_stuck_now(), &count);

    report.lines = 0;
    if (NULL == process) {
        return;
    }
    mca_pml_champion_stuck_bury(process, count, mca_pml_champion_stuck_pids());
    first = mca_pml_champion_stuck_first(process, count, TERM_MS);
    while (first < count &&
           process[first].state.vpid != OPAL_PROC_MY_NAME.vpid &&
           !mca_pml_champion_board_is_claimed(claim) &&
           mca_pml_champion_now() < until) {
        (void) nanosleep(&moment, NULL);
    }
    if (first < count && mca_pml_champion_board_claim(claim)) {
        tell(process, count);
    }
    free(reported);
    reported = process;
}

/* Nodes may share the file system, and write at the same time. */
void mca_pml_champion_stuck_add_term(void)
{
    const bool alone =
        mca_pml_champion.job_size <= opal_process_info.num_local_peers + 1u;
    char path[4352];
    int error;

    if (0 == report.lines || '\0' == caught.path[0]) {
        return;
    }
    (void) snprintf(path, sizeof(path), "%s%s%s", caught.path, alone ? "" : ".",
                    alone ? "" : opal_process_info.nodename);
    error = mca_pml_champion_stuck_report_add(path, &report);
    if (0 != error) {
        dprintf(STDERR_FILENO, "[%s:%d] champion: cannot write %s: %s\n",
                opal_process_info.nodename, (int) getpid(), path,
                strerror(error));
    }
}

/* ---- SIGUSR1, SIGUSR2 ---- */

static bool is_handler(const struct sigaction *action)
{
    return 0 != (action->sa_flags & SA_SIGINFO) ||
           (SIG_DFL != action->sa_handler && SIG_IGN != action->sa_handler);
}

static void pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction before = caught.before;

    if (0 != (before.sa_flags & SA_RESETHAND)) {
        caught.before = (struct sigaction){.sa_handler = SIG_DFL};
    }
    if (0 != (before.sa_flags & SA_SIGINFO)) {
        before.sa_sigaction(number, info, context);
    } else {
        before.sa_handler(number);
    }
}

/* The default would end the process: whoever asks for a report wants it to go on. A
 * child that it has made was not asked. A handler of the program may call this one,
 * also when it is over, and from the second time that MPI begins. */
static void arrived(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    const pid_t process = __atomic_load_n(&caught.process, __ATOMIC_ACQUIRE);

    if (caught.again && caught.inside) {
        return;
    }
    caught.inside = true;
    if (getpid() == process) {
        caught.come();
    }
    if (is_handler(&caught.before)) {
        pass_on(number, info, context);
    } else if (0 != process && getpid() != process &&
               SIG_DFL == caught.before.sa_handler) {
        (void) signal(number, SIG_DFL);
        (void) raise(number);
    }
    caught.inside = false;
    errno = error;
}

bool mca_pml_champion_stuck_signal_start(void (*come)(void), const char *path)
{
    struct sigaction action;

    caught.path = path;
    if (NONE == caught.number || SIGTERM == caught.number ||
        0 != sigaction(caught.number, NULL, &caught.before)) {
        return false;
    }
    action = caught.before;
    action.sa_sigaction = arrived;
    action.sa_flags &= ~SA_RESETHAND;
    action.sa_flags |=
        SA_SIGINFO | (is_handler(&caught.before) ? 0 : SA_RESTART);
    caught.come = come;
    __atomic_store_n(&caught.process, getpid(), __ATOMIC_RELEASE);
    return 0 == sigaction(caught.number, &action, NULL);
}

void mca_pml_champion_stuck_signal_stop(void)
{
    struct sigaction action;

    if (getpid() != caught.process) {
        return;
    }
    __atomic_store_n(&caught.process, 0, __ATOMIC_RELEASE);
    caught.again = true;
    if (0 == sigaction(caught.number, NULL, &action) &&
        0 != (action.sa_flags & SA_SIGINFO) && arrived == action.sa_sigaction) {
        action = caught.before;
        if (!is_handler(&action)) {
            action.sa_handler = SIG_IGN;
        }
        (void) sigaction(caught.number, &action, NULL);
    }
}

bool mca_pml_champion_stuck_signal_register(void)
{
    static const mca_base_var_enum_value_t words[] = {
        {NONE, "none"},    {SIGTERM, "TERM"}, {SIGUSR1, "USR1"},
        {SIGUSR2, "USR2"}, {0, NULL},
    };

    caught.number = NONE;
    return OMPI_SUCCESS ==
           mca_mq_base_param_enum(
               mca_pml_champion.component, "stuck_signal",
               "The signal at which champion says who waits for whom: USR1 or "
               "USR2, of waits of 3 s, and the job goes on; TERM, of waits of "
               "5 s, before the job ends, each node for itself",
               OPAL_INFO_LVL_4, words, &caught.number);
}
