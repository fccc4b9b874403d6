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

typedef mca_pml_champion_stuck_process_t process_t;

enum { LEAST_MS = MCA_PML_CHAMPION_STUCK_LEAST_MS, NONE = -1 };

static struct {
    int number; /* parameter; or NONE */
    void (*come)(void);
    pid_t process; /* that catches it; 0: none. Atomic */
    struct sigaction before;
} caught;

/* ---- SIGTERM ---- */

bool mca_pml_champion_stuck_at_term(void)
{
    return SIGTERM == caught.number;
}

/* The lock of Open MPI's output may be held. */
static void say(const char *line, void *verdict)
{
    if (NULL != verdict) {
        dprintf(STDERR_FILENO, "[%s:%d] champion: %s: %s\n",
                opal_process_info.nodename, (int) getpid(),
                (const char *) verdict, line);
    }
}

/* The handler has changed whether they run or sleep. */
static void forget_what_they_do(process_t *process, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (MCA_PML_CHAMPION_STUCK_RUNS == process[i].known ||
            MCA_PML_CHAMPION_STUCK_SLEEPS == process[i].known) {
            process[i].known = MCA_PML_CHAMPION_STUCK_OUT;
        }
    }
}

static void tell(process_t *process, size_t count)
{
    const mca_pml_champion_stuck_job_t job = {
        .process = process,
        .count = count,
        .size = mca_pml_champion.job_size,
        .least = LEAST_MS,
    };
    mca_pml_champion_stuck_verdict_t found;

    forget_what_they_do(process, count);
    found = mca_pml_champion_stuck_judge(&job, say, NULL);
    if (MCA_PML_CHAMPION_STUCK_NOT != found) {
        (void) mca_pml_champion_stuck_judge(&job, say,
                                            mca_pml_champion_stuck_word(found));
    }
}

void mca_pml_champion_stuck_tell_term(uint64_t until)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    const mca_pml_champion_claim_t claim = MCA_PML_CHAMPION_CLAIM_TERM;
    size_t count, first;
    process_t *process =
        mca_pml_champion_stuck_node(mca_pml_champion_stuck_now(), &count);

    if (NULL == process) {
        return;
    }
    first = mca_pml_champion_stuck_first(process, count, LEAST_MS);
    if (first < count && process[first].state.vpid == OPAL_PROC_MY_NAME.vpid) {
        tell(process, count);
        (void) mca_pml_champion_board_claim(claim);
    }
    while (first < count && !mca_pml_champion_board_is_claimed(claim) &&
           mca_pml_champion_now() < until) {
        (void) nanosleep(&moment, NULL);
    }
    free(process);
}

/* ---- SIGUSR1, SIGUSR2 ---- */

/* The default would end the process: whoever asks for a report wants it to go on. A
 * child that it has made was not asked. */
static void arrived(int number, siginfo_t *info, void *context)
{
    const struct sigaction *before = &caught.before;
    const int error = errno;
    const bool mine =
        getpid() == __atomic_load_n(&caught.process, __ATOMIC_ACQUIRE);

    if (mine) {
        caught.come();
    }
    if (0 != (before->sa_flags & SA_SIGINFO)) {
        before->sa_sigaction(number, info, context);
    } else if (SIG_DFL != before->sa_handler && SIG_IGN != before->sa_handler) {
        before->sa_handler(number);
    } else if (!mine && SIG_DFL == before->sa_handler) {
        (void) signal(number, SIG_DFL);
        (void) raise(number);
    }
    errno = error;
}

bool mca_pml_champion_stuck_signal_start(void (*come)(void))
{
    struct sigaction action;

    if (NONE == caught.number || SIGTERM == caught.number ||
        0 != sigaction(caught.number, NULL, &caught.before)) {
        return false;
    }
    action = caught.before;
    action.sa_sigaction = arrived;
    action.sa_flags &= ~SA_RESETHAND;
    action.sa_flags |= SA_SIGINFO | SA_RESTART;
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
    if (0 == sigaction(caught.number, NULL, &action) &&
        0 != (action.sa_flags & SA_SIGINFO) && arrived == action.sa_sigaction) {
        (void) sigaction(caught.number, &caught.before, NULL);
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
               "The signal at which champion says who waits for whom, if "
               "processes have waited for 3 s: TERM, before the job ends, each "
               "node for itself; USR1 or USR2, and the job goes on",
               OPAL_INFO_LVL_4, words, &caught.number);
}
