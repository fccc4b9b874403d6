/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Signals at which a report is wanted: the program's handlers and children have what
 * they had; at SIGTERM one process reports, another one if it does not, and what is
 * said.
 */

/* Included for the parameter, which only Open MPI sets. */
#include "ompi/mca/pml/champion/stuck/signal.c"

#include <sys/wait.h>

#include "test/lib/unit.h"

enum { COUNT = 3, ME = 1 };

/* ---- the node ---- */

static process_t node[COUNT];
static bool claimed;

process_t *mca_pml_champion_stuck_node(uint64_t now, size_t *count)
{
    process_t *copy = malloc(sizeof(node));

    (void) now;
    *count = COUNT;
    return NULL == copy ? NULL : memcpy(copy, node, sizeof(node));
}

void mca_pml_champion_stuck_bury(process_t *process, size_t count,
                                 uint64_t pids)
{
    (void) process;
    (void) count;
    (void) pids;
}

uint64_t mca_pml_champion_stuck_pids(void)
{
    return 1;
}

uint64_t mca_pml_champion_stuck_now(void)
{
    return 1;
}

bool mca_pml_champion_board_claim(mca_pml_champion_claim_t claim)
{
    const bool first = !claimed;

    assert_int_equal(MCA_PML_CHAMPION_CLAIM_TERM, claim);
    claimed = true;
    return first;
}

bool mca_pml_champion_board_is_claimed(mca_pml_champion_claim_t claim)
{
    (void) claim;
    return claimed;
}

/* The process waits for a message of another one. */
static void waits(uint32_t vpid, uint32_t other, uint64_t since)
{
    mca_pml_champion_stuck_state_t *state = &node[vpid].state;

    node[vpid].known = MCA_PML_CHAMPION_STUCK_TOLD;
    state->where = MCA_PML_CHAMPION_STUCK_WAITS;
    state->since = since;
    state->items = state->items_all = 1;
    state->item[0] = (mca_pml_champion_stuck_item_t){
        .kind = MCA_PML_CHAMPION_STUCK_RECEIVE, .vpid = other, .tag = 7};
    snprintf(state->call, sizeof(state->call), "MPI_Recv");
    snprintf(state->item[0].comm, sizeof(state->item[0].comm), "halo");
}

static void begin(void)
{
    memset(node, 0, sizeof(node));
    for (uint32_t i = 0; i < COUNT; ++i) {
        node[i].state.vpid = i;
        node[i].known = MCA_PML_CHAMPION_STUCK_SLEEPS;
        node[i].state.since = 60000;
    }
    claimed = false;
    mca_pml_champion.job_size = COUNT;
    opal_process_info.num_local_peers = COUNT - 1;
    OPAL_PROC_MY_NAME.vpid = ME;
}

/* What is said at SIGTERM. */
static const char *said(void)
{
    static char text[4096];
    const int kept = dup(STDERR_FILENO);
    int ends[2];
    ssize_t length;

    assert_int_equal(0, pipe(ends));
    (void) dup2(ends[1], STDERR_FILENO);
    mca_pml_champion_stuck_tell_term();
    mca_pml_champion_stuck_add_term();
    (void) dup2(kept, STDERR_FILENO);
    (void) close(kept);
    (void) close(ends[1]);
    length = read(ends[0], text, sizeof(text) - 1);
    assert_true(length >= 0);
    text[length] = '\0';
    (void) close(ends[0]);
    return text;
}

UNIT_TEST(the_first_that_waits_reports_at_sigterm)
{
    begin();
    waits(ME, 2, 6000);
    assert_non_null(strstr(said(), "champion: slow: rank 2 is in no MPI call "
                                   "that waits, for 60 s\n"));
    assert_true(claimed);
    assert_string_equal("", said()); /* once */
}

UNIT_TEST(nobody_has_waited_for_long)
{
    begin();
    waits(ME, 2, 4999);
    assert_string_equal("", said());
    assert_false(claimed);
}

UNIT_TEST(another_one_reports_if_the_first_does_not)
{
    uint64_t since;

    begin();
    waits(0, 2, 6000);
    waits(ME, 2, 6000);
    claimed = true;
    assert_string_equal("", said());
    claimed = false;
    since = mca_pml_champion_now();
    assert_non_null(strstr(said(), "slow: ranks 0, 1 wait in MPI_Recv"));
    assert_true(mca_pml_champion_now() - since >= PATIENCE);
}

/* Its last message may have come since the card was written. */
UNIT_TEST(one_that_has_ended_is_no_proof_at_sigterm)
{
    begin();
    waits(ME, 2, 6000);
    node[2].known = MCA_PML_CHAMPION_STUCK_GONE;
    assert_non_null(strstr(said(), "champion: seems stuck: rank 1 waits for a "
                                   "message from rank 2 that was never sent"));
    begin();
    waits(ME, 2, 6000);
    waits(2, ME, 6000);
    assert_non_null(strstr(said(), "champion: stuck: ranks 1, 2 wait for each "
                                   "other"));
}

/* Reports add up, each in a line; a name is told in ASCII, whatever is in it. */
UNIT_TEST(reports_are_added_to_a_file)
{
    static char path[] = "/tmp/test_stuck_signal.XXXXXX";
    char text[8192] = "";
    FILE *file = fdopen(mkstemp(path), "r");
    size_t length;
    char *end;

    assert_non_null(file);
    caught.path = path;
    for (int i = 0; i < 2; ++i) {
        begin();
        waits(ME, 2, 6000);
        snprintf(node[ME].state.item[0].comm, MCA_PML_CHAMPION_STUCK_NAME,
                 "a\"\\\n\xff");
        snprintf(node[0].host, sizeof(node[0].host), "n0412");
        assert_non_null(strstr(said(), "champion: slow: "));
    }
    length = fread(text, 1, sizeof(text) - 1, file);
    assert_true(length > 0);
    assert_int_equal('\n', text[length - 1]);
    end = strchr(text, '\n');
    assert_ptr_equal(text + length / 2 - 1, end);
    assert_non_null(
        strstr(text, "\"communicator\": \"a\\\"\\\\\\u000a\\u00ff\""));
    assert_non_null(strstr(text, "{\"rank\": 0, \"host\": \"n0412\", "));
    assert_non_null(strstr(text, "\"verdict\": \"slow\""));
    assert_null(strstr(text, "\"pid\""));
    (void) fclose(file);
    (void) unlink(path);
    caught.path = "";
}

UNIT_TEST(each_of_several_nodes_has_a_file)
{
    char there[] = "/tmp/test_stuck_signal.XXXXXX", path[256];

    (void) close(mkstemp(there));
    caught.path = there;
    opal_process_info.nodename = "n0412";
    begin();
    mca_pml_champion.job_size = COUNT + 1;
    waits(ME, 2, 6000);
    waits(2, ME, 6000);
    assert_non_null(strstr(said(), "champion: stuck: "));
    snprintf(path, sizeof(path), "%s.n0412", there);
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, unlink(there));
    caught.path = "";
}

UNIT_TEST(a_file_that_is_full_is_told)
{
    caught.path = "/dev/full";
    begin();
    waits(ME, 2, 6000);
    assert_non_null(strstr(said(), "champion: cannot write /dev/full: No space "
                                   "left on device\n"));
    caught.path = "";
}

/* ---- SIGUSR1 ---- */

static volatile int reports, calls, calls_with_info;

static void come(void)
{
    ++reports;
}

static void own(int number)
{
    assert_int_equal(SIGUSR1, number);
    ++calls;
}

static void own_with_info(int number, siginfo_t *info, void *context)
{
    (void) context;
    assert_int_equal(number, info->si_signo);
    ++calls_with_info;
}

static void program_has(struct sigaction action)
{
    caught.number = SIGUSR1;
    reports = calls = calls_with_info = 0;
    assert_int_equal(0, sigaction(SIGUSR1, &action, NULL));
}

static struct sigaction now_there(void)
{
    struct sigaction action;

    assert_int_equal(0, sigaction(SIGUSR1, NULL, &action));
    return action;
}

UNIT_TEST(a_process_is_not_ended_by_it)
{
    program_has((struct sigaction){.sa_handler = SIG_DFL});
    assert_true(mca_pml_champion_stuck_signal_start(come, ""));
    (void) raise(SIGUSR1);
    assert_int_equal(1, reports);
    assert_true(0 != (now_there().sa_flags & SA_RESTART));
    mca_pml_champion_stuck_signal_stop();
    (void) raise(SIGUSR1); /* others may still be asked */
    assert_int_equal(1, reports);
}

UNIT_TEST(a_handler_of_the_program_is_called_as_it_was)
{
    program_has((struct sigaction){.sa_handler = own});
    assert_true(mca_pml_champion_stuck_signal_start(come, ""));
    assert_int_equal(0, now_there().sa_flags & SA_RESTART);
    (void) raise(SIGUSR1);
    (void) raise(SIGUSR1);
    assert_int_equal(2, reports);
    assert_int_equal(2, calls);
    mca_pml_champion_stuck_signal_stop();
    assert_ptr_equal(own, now_there().sa_handler);

    program_has((struct sigaction){.sa_sigaction = own_with_info,
                                   .sa_flags = SA_SIGINFO | SA_RESETHAND});
    assert_true(mca_pml_champion_stuck_signal_start(come, ""));
    (void) raise(SIGUSR1);
    (void) raise(SIGUSR1);
    assert_int_equal(2, reports);
    assert_int_equal(1, calls_with_info);
    mca_pml_champion_stuck_signal_stop();
}

static struct sigaction ours;

static void calls_ours(int number, siginfo_t *info, void *context)
{
    ++calls;
    ours.sa_sigaction(number, info, context);
}

/* Installed after MPI_Init; then MPI ends, and begins anew. */
UNIT_TEST(a_handler_that_calls_ours)
{
    program_has((struct sigaction){.sa_handler = SIG_DFL});
    assert_true(mca_pml_champion_stuck_signal_start(come, ""));
    ours = now_there();
    program_has(
        (struct sigaction){.sa_sigaction = calls_ours, .sa_flags = SA_SIGINFO});
    (void) raise(SIGUSR1);
    assert_int_equal(1, calls);
    assert_int_equal(1, reports);
    mca_pml_champion_stuck_signal_stop();
    assert_ptr_equal(calls_ours, now_there().sa_sigaction);
    (void) raise(SIGUSR1);
    assert_int_equal(2, calls);
    assert_int_equal(1, reports);
    assert_true(mca_pml_champion_stuck_signal_start(come, ""));
    (void) raise(SIGUSR1);
    assert_int_equal(3, calls);
    assert_int_equal(2, reports);
    mca_pml_champion_stuck_signal_stop();
}

UNIT_TEST(a_child_is_ended_by_it)
{
    int status;
    pid_t child;

    program_has((struct sigaction){.sa_handler = SIG_DFL});
    assert_true(mca_pml_champion_stuck_signal_start(come, ""));
    child = fork();
    if (0 == child) {
        (void) raise(SIGUSR1);
        _exit(0);
    }
    assert_int_equal(child, waitpid(child, &status, 0));
    assert_true(WIFSIGNALED(status) && SIGUSR1 == WTERMSIG(status));
    assert_int_equal(0, reports);
    mca_pml_champion_stuck_signal_stop();
}

UNIT_TEST(sigterm_is_for_others_to_catch)
{
    caught.number = SIGTERM;
    assert_true(mca_pml_champion_stuck_at_term());
    assert_false(mca_pml_champion_stuck_signal_start(come, ""));
    caught.number = NONE;
    assert_false(mca_pml_champion_stuck_at_term());
    assert_false(mca_pml_champion_stuck_signal_start(come, ""));
}

UNIT_MAIN(NULL, NULL)
