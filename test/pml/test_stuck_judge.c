/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is said of processes that wait for each other: each kind of cause by its
 * words, large jobs within a screen, and random graphs beside a naive model of
 * who can go on.
 */

#include "ompi_config.h"

#include <stdio.h>

#include "test/lib/unit.h"
#include "ompi/mca/pml/champion/stuck/judge.h"

enum { MOST = 1024, BARRIER = -16, ALLREDUCE = -12, BCAST = -17, GATHER = -20 };

#define ANY MCA_PML_CHAMPION_STUCK_ANY
#define FOREIGN MCA_PML_CHAMPION_STUCK_FOREIGN

static mca_pml_champion_stuck_process_t job[MOST];
static unsigned unknown; /* more processes that the job has */
static uint64_t least;   /* ms */
static char said[16384];
static int lines;

static void begin(unsigned count)
{
    memset(job, 0, sizeof(job));
    unknown = 0;
    least = 0;
    for (unsigned i = 0; i < count; ++i) {
        job[i].state.vpid = i;
        job[i].known = MCA_PML_CHAMPION_STUCK_RUNS;
    }
}

static void waits(unsigned vpid, const char *call)
{
    job[vpid].known = MCA_PML_CHAMPION_STUCK_TOLD;
    job[vpid].state.where = MCA_PML_CHAMPION_STUCK_WAITS;
    job[vpid].state.since = 12345;
    snprintf(job[vpid].state.call, sizeof(job[vpid].state.call), "%s", call);
}

static void fill(mca_pml_champion_stuck_item_t *item,
                 mca_pml_champion_stuck_kind_t kind, uint32_t vpid, int tag,
                 uint64_t bytes, uint32_t context)
{
    *item = (mca_pml_champion_stuck_item_t){
        .kind = kind,
        .vpid = vpid,
        .rank = ANY == vpid ? -1 : (int) vpid,
        .tag = tag,
        .bytes = bytes,
        .context = context,
        .count = 1,
    };
    snprintf(item->comm, sizeof(item->comm), "%s",
             0 == context ? "MPI_COMM_WORLD" : "halo");
}

static void for_receive(unsigned vpid, uint32_t from, int tag, uint32_t context)
{
    mca_pml_champion_stuck_state_t *state = &job[vpid].state;

    fill(&state->item[state->items++], MCA_PML_CHAMPION_STUCK_RECEIVE, from,
         tag, 8, context);
    ++state->items_all;
}

static void for_send(unsigned vpid, uint32_t to, int tag, uint64_t bytes)
{
    mca_pml_champion_stuck_state_t *state = &job[vpid].state;

    fill(&state->item[state->items++], MCA_PML_CHAMPION_STUCK_SEND, to, tag,
         bytes, 0);
    ++state->items_all;
}

static void near(unsigned vpid, uint32_t from, int tag, uint64_t bytes,
                 uint32_t context)
{
    mca_pml_champion_stuck_state_t *state = &job[vpid].state;

    fill(&state->near[state->nears++], MCA_PML_CHAMPION_STUCK_MESSAGE, from,
         tag, bytes, context);
}

static void ends(unsigned vpid)
{
    job[vpid].known = MCA_PML_CHAMPION_STUCK_TOLD;
    job[vpid].state.where = MCA_PML_CHAMPION_STUCK_ENDS;
}

static void hear(const char *line, void *arg)
{
    (void) arg;
    assert_true(strlen(line) < 512);
    snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s\n", line);
    ++lines;
}

static mca_pml_champion_stuck_verdict_t judge(unsigned count)
{
    said[0] = '\0';
    lines = 0;
    return mca_pml_champion_stuck_judge(
        &(mca_pml_champion_stuck_job_t){.process = job,
                                        .count = count,
                                        .size = count + unknown,
                                        .least = least},
        hear, NULL);
}

static void hangs(unsigned count, const char *expected)
{
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(count));
    assert_string_equal(expected, said);
}

static void is_slow(unsigned count, const char *expected)
{
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SLOW, judge(count));
    assert_string_equal(expected, said);
}

UNIT_TEST(nobody_waits)
{
    begin(3);
    ends(1);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_NOT, judge(3));
    assert_string_equal("", said);
}

UNIT_TEST(a_wrong_tag)
{
    begin(2);
    waits(0, "MPI_Recv");
    for_receive(0, 1, 7, 0);
    near(0, 1, 8, 8, 0);
    ends(1);
    hangs(2, "rank 0 waits for a message from rank 1 that was never sent "
             "(MPI_Recv, tag 7, MPI_COMM_WORLD, for 12 s): rank 1 has called "
             "MPI_Finalize\n"
             "rank 1 has sent rank 0 a message that nobody receives: tag 8, 8 "
             "bytes, MPI_COMM_WORLD: is the tag wrong?\n"
             "rank 0 waits in MPI_Recv on MPI_COMM_WORLD\n");
}

UNIT_TEST(a_wrong_communicator_and_a_wrong_source)
{
    begin(3);
    waits(0, "MPI_Recv");
    for_receive(0, 1, 7, 0);
    near(0, 2, 9, 8, 0); /* nothing in common */
    near(0, 1, 7, 8, 3);
    waits(1, "MPI_Ssend");
    for_send(1, 0, 7, 8);
    waits(2, "MPI_Recv");
    for_receive(2, 0, 5, 0);
    near(2, 1, 5, 16, 0);
    hangs(3, "rank 0 waits for a message from rank 1 that was never sent "
             "(MPI_Recv, tag 7, MPI_COMM_WORLD, for 12 s): rank 1 is in "
             "MPI_Ssend on MPI_COMM_WORLD\n"
             "rank 1 has sent rank 0 a message that nobody receives: tag 7, 8 "
             "bytes, halo: is the communicator wrong?\n"
             "rank 2 waits for a message from rank 0 that was never sent "
             "(MPI_Recv, tag 5, MPI_COMM_WORLD, for 12 s): rank 0 is in "
             "MPI_Recv on MPI_COMM_WORLD\n"
             "rank 1 has sent rank 2 a message that nobody receives: tag 5, 16 "
             "bytes, MPI_COMM_WORLD: is the source wrong?\n"
             "ranks 0, 2 wait in MPI_Recv on MPI_COMM_WORLD\n"
             "rank 1 waits in MPI_Ssend on MPI_COMM_WORLD\n");
}

UNIT_TEST(a_rank_that_has_ended)
{
    begin(3);
    waits(0, "MPI_Ssend");
    for_send(0, 2, 7, 800);
    waits(1, "MPI_Barrier");
    for_receive(1, 0, BARRIER, 0);
    job[2].known = MCA_PML_CHAMPION_STUCK_GONE;
    hangs(3, "rank 0 waits for rank 2, which never receives its message "
             "(MPI_Ssend, tag 7, 800 bytes, MPI_COMM_WORLD, for 12 s): rank 2 "
             "has ended\n"
             "rank 0 waits in MPI_Ssend on MPI_COMM_WORLD\n"
             "rank 1 waits in MPI_Barrier on MPI_COMM_WORLD\n");
}

UNIT_TEST(a_rank_that_computes_is_slow)
{
    begin(64);
    for (unsigned i = 0; i < 64; ++i) {
        if (7 != i) {
            waits(i, "MPI_Barrier");
            for_receive(i, (i + 63) % 64, BARRIER, 0);
        }
    }
    job[7].state.since = 300000;
    is_slow(64,
            "rank 7 computes, in no MPI call that waits, for 300 s\n"
            "ranks 0 to 6, 8 to 63 wait in MPI_Barrier on MPI_COMM_WORLD\n");
    job[7].known = MCA_PML_CHAMPION_STUCK_STOPPED;
    job[7].state.since = 0;
    is_slow(64,
            "rank 7 is stopped by a signal\n"
            "ranks 0 to 6, 8 to 63 wait in MPI_Barrier on MPI_COMM_WORLD\n");
    job[7].known = MCA_PML_CHAMPION_STUCK_SILENT;
    is_slow(64,
            "rank 7 does not answer\n"
            "ranks 0 to 6, 8 to 63 wait in MPI_Barrier on MPI_COMM_WORLD\n");
    ends(7);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(64));
    assert_non_null(strstr(said,
                           "rank 8 waits for a message from rank 7 that "
                           "was never sent (MPI_Barrier, MPI_COMM_WORLD, "
                           "for 12 s): rank 7 has called MPI_Finalize\n"));
}

/* A program that polls, or has threads, may do something else. */
UNIT_TEST(what_only_seems_to_hang)
{
    static const char lines_of_polls[] =
        "ranks 0, 1 wait for each other: rank 0 for rank 1 (MPI_Test, tag 3, "
        "MPI_COMM_WORLD, for 12 s), rank 1 for rank 0 (MPI_Recv, tag 4, "
        "MPI_COMM_WORLD, for 12 s)\n"
        "unless it does something else: rank 0 polls by MPI_Test\n"
        "rank 0 waits in MPI_Test on MPI_COMM_WORLD\n"
        "rank 1 waits in MPI_Recv on MPI_COMM_WORLD\n";

    begin(2);
    waits(0, "MPI_Test");
    job[0].state.where = MCA_PML_CHAMPION_STUCK_POLLS;
    for_receive(0, 1, 3, 0);
    waits(1, "MPI_Recv");
    for_receive(1, 0, 4, 0);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SEEMS, judge(2));
    assert_string_equal(lines_of_polls, said);
    job[0].state.where = MCA_PML_CHAMPION_STUCK_WAITS;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(2));
    job[1].state.more = 1;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SEEMS, judge(2));
    assert_non_null(strstr(said, "rank 1 may do more than wait\n"));
    /* Not for long; a transfer; another job; a process that nobody knows. */
    job[1].state.more = 0;
    least = 20000;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_NOT, judge(2));
    assert_string_equal("", said);
    least = 12000;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(2));
    job[0].state.transfers = 1;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_NOT, judge(2));
    job[0].state.transfers = 0;
    job[0].state.item[0].vpid = FOREIGN;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SLOW, judge(2));
    assert_non_null(strstr(said, "rank 0 waits for a process of another job "));
    job[0].state.item[0].vpid = 2;
    unknown = 1;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SLOW, judge(2));
    assert_non_null(
        strstr(said, "rank 0 waits for rank 2, which is on another node "));
    job[0].state.item[0].vpid = ANY;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_NOT, judge(2));
    unknown = 0;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(2));
}

UNIT_TEST(two_that_send_to_each_other)
{
    begin(2);
    for (unsigned i = 0; i < 2; ++i) {
        waits(i, "MPI_Send");
        for_send(i, 1 - i, 7, 1 << 20);
    }
    hangs(2, "ranks 0, 1 wait for each other: rank 0 for rank 1 (MPI_Send, tag "
             "7, 1048576 bytes, MPI_COMM_WORLD, for 12 s), rank 1 for rank 0 "
             "(MPI_Send, tag 7, 1048576 bytes, MPI_COMM_WORLD, for 12 s): each "
             "message waits for its receive\n"
             "ranks 0, 1 wait in MPI_Send on MPI_COMM_WORLD\n");
}

UNIT_TEST(a_ring_and_those_who_wait_for_it)
{
    begin(MOST);
    for (unsigned i = 0; i < MOST; ++i) {
        waits(i, i < 2 ? "MPI_Wait" : "MPI_Recv");
        for_receive(i, i < 2 ? 2 : 1023 == i ? 2 : i + 1, 3, 0);
    }
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(MOST));
    assert_int_equal(3, lines);
    assert_non_null(strstr(said, "ranks 2 to 1023 wait for each other: "));
    assert_non_null(strstr(said, ", ...\n"));
}

UNIT_TEST(collectives_that_differ)
{
    begin(5);
    for (unsigned i = 0; i < 4; ++i) {
        waits(i, 3 == i ? "MPI_Barrier" : "MPI_Allreduce");
        for_receive(i, (i + 1) % 4, 3 == i ? BARRIER : ALLREDUCE, 3);
    }
    waits(4, "MPI_Bcast");
    for_receive(4, 0, BCAST, 0);
    hangs(5, "on halo ranks 0 to 2 are in MPI_Allreduce, and rank 3 is in "
             "MPI_Barrier\n"
             "ranks 0 to 2 wait in MPI_Allreduce on halo\n"
             "rank 3 waits in MPI_Barrier on halo\n"
             "rank 4 waits in MPI_Bcast on MPI_COMM_WORLD\n");
    begin(3);
    waits(0, "MPI_Gather");
    for_receive(0, 1, GATHER, 3);
    for (unsigned i = 1; i < 3; ++i) {
        waits(i, "MPI_Barrier");
        for_receive(i, 0, BARRIER, 3);
    }
    hangs(3, "on halo rank 0 is in MPI_Gather, and ranks 1, 2 are in "
             "MPI_Barrier; or do roots or counts differ?\n"
             "rank 0 waits in MPI_Gather on halo\n"
             "ranks 1, 2 wait in MPI_Barrier on halo\n");
}

/* Each takes another rank for the root. */
UNIT_TEST(roots_that_differ)
{
    begin(2);
    waits(0, "MPI_Bcast");
    for_receive(0, 1, BCAST, 0);
    ends(1);
    hangs(2, "rank 0 waits for a message from rank 1 that was never sent "
             "(MPI_Bcast, MPI_COMM_WORLD, for 12 s): rank 1 has called "
             "MPI_Finalize: do roots or counts differ?\n"
             "rank 0 waits in MPI_Bcast on MPI_COMM_WORLD\n");
    waits(1, "MPI_Bcast");
    for_receive(1, 0, BCAST, 0);
    hangs(2, "ranks 0, 1 wait for each other: rank 0 for rank 1 (MPI_Bcast, "
             "MPI_COMM_WORLD, for 12 s), rank 1 for rank 0 (MPI_Bcast, "
             "MPI_COMM_WORLD, for 12 s): do roots or counts differ?\n"
             "ranks 0, 1 wait in MPI_Bcast on MPI_COMM_WORLD\n");
    waits(0, "MPI_Barrier");
    job[0].state.item[0].tag = BARRIER;
    job[0].state.item[0].context = 3;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(2));
    assert_non_null(strstr(said, "for 12 s): do roots or counts differ?\n"));
}

UNIT_TEST(any_source_that_nobody_is)
{
    begin(3);
    for (unsigned i = 0; i < 3; ++i) {
        waits(i, "MPI_Recv");
        for_receive(i, ANY, -1, 0);
    }
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(3));
    assert_non_null(strstr(said, "ranks 0, 1 wait for each other"));
    ends(1);
    ends(2);
    hangs(3, "rank 0 waits for a message that no rank has sent (MPI_Recv, "
             "MPI_COMM_WORLD, for 12 s)\n"
             "rank 0 waits in MPI_Recv on MPI_COMM_WORLD\n");
}

UNIT_TEST(a_receive_beside_a_collective)
{
    begin(4);
    waits(0, "MPI_Recv");
    for_receive(0, 1, 7, 0);
    for (unsigned i = 1; i < 4; ++i) {
        waits(i, "MPI_Barrier");
        for_receive(i, 0, BARRIER, 3);
    }
    hangs(4, "rank 0 waits for a message from rank 1 that was never sent "
             "(MPI_Recv, tag 7, MPI_COMM_WORLD, for 12 s): rank 1 is in "
             "MPI_Barrier on halo\n"
             "rank 0 waits in MPI_Recv on MPI_COMM_WORLD\n"
             "ranks 1 to 3 wait in MPI_Barrier on halo\n");
    job[0].state.item[0].vpid = ANY;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(4));
    assert_non_null(strstr(said, "rank 0 waits for a message that no rank has "
                                 "sent (MPI_Recv, tag 7, "));
}

UNIT_TEST(a_root_that_waits_for_any)
{
    begin(3);
    waits(0, "MPI_Barrier");
    for_receive(0, ANY, BARRIER, 3);
    waits(2, "MPI_Barrier");
    for_receive(2, 0, BARRIER, 3);
    job[1].state.since = 9999;
    is_slow(3, "rank 1 computes, in no MPI call that waits, for 9 s\n"
               "ranks 0, 2 wait in MPI_Barrier on halo\n");
    job[1].known = MCA_PML_CHAMPION_STUCK_OUT;
    is_slow(3, "rank 1 is in no MPI call that waits, for 9 s\n"
               "ranks 0, 2 wait in MPI_Barrier on halo\n");
    job[1].known = MCA_PML_CHAMPION_STUCK_GONE;
    hangs(3, "rank 0 waits for a message that no rank has sent (MPI_Barrier, "
             "halo, for 12 s): rank 1 has ended\n"
             "ranks 0, 2 wait in MPI_Barrier on halo\n");
    ends(1);
    hangs(3, "rank 0 waits for a message that no rank has sent (MPI_Barrier, "
             "halo, for 12 s): rank 1 has called MPI_Finalize\n"
             "ranks 0, 2 wait in MPI_Barrier on halo\n");
}

/* Not if a rank is in another operation, or if none is over. */
UNIT_TEST(a_root_that_waits_for_any_and_another_cause)
{
    begin(4);
    waits(0, "MPI_Barrier");
    for_receive(0, ANY, BARRIER, 3);
    waits(2, "MPI_Allreduce");
    for_receive(2, 0, ALLREDUCE, 3);
    waits(3, "MPI_Barrier");
    for_receive(3, 0, BARRIER, 3);
    job[1].known = MCA_PML_CHAMPION_STUCK_GONE;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(4));
    assert_null(strstr(said, "no rank has sent"));
    assert_non_null(strstr(said, "on halo ranks 0, 3 are in MPI_Barrier, and "
                                 "rank 2 is in MPI_Allreduce"));
    begin(2);
    for (unsigned i = 0; i < 2; ++i) {
        waits(i, "MPI_Barrier");
        for_receive(i, ANY, BARRIER, 3);
    }
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(2));
    assert_non_null(strstr(said, "ranks 0, 1 wait for each other"));
}

/* All must come, or one of them (MPI_Waitany). */
UNIT_TEST(one_of_several_requests)
{
    begin(3);
    waits(0, "MPI_Waitall");
    for_receive(0, 1, 1, 0);
    for_receive(0, 2, 2, 0);
    ends(2);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(3));
    assert_non_null(strstr(said, "from rank 2 that was never sent"));
    job[0].state.one = 1;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SLOW, judge(3));
    assert_non_null(strstr(said, "rank 1 computes"));
}

UNIT_TEST(a_report_is_at_most_a_screen)
{
    begin(MOST);
    for (unsigned i = 0; i < MOST; ++i) {
        char call[32];

        snprintf(call, sizeof(call), "MPI_Call_%u", i % 100);
        waits(i, call);
        for_receive(i, (i * 7 + 1) % MOST, (int) i, i % 2);
    }
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(MOST));
    assert_int_equal(MCA_PML_CHAMPION_STUCK_LINES, lines);
}

/* ---- random graphs ---- */

static bool can_go(const bool *goes, unsigned vpid, unsigned count,
                   bool assuming)
{
    const mca_pml_champion_stuck_state_t *state = &job[vpid].state;
    unsigned can = state->items_all - state->items;

    if (0 == state->items || 0 != state->transfers || state->since < least ||
        (!assuming &&
         (MCA_PML_CHAMPION_STUCK_POLLS == state->where || 0 != state->more))) {
        return true;
    }
    if (0 == state->one) {
        can = 0;
    }

    for (unsigned i = 0; i < state->items; ++i) {
        const uint32_t other = state->item[i].vpid;
        bool may = ANY == other ? 0 != unknown : other >= count || goes[other];

        for (unsigned k = 0; ANY == other && k < count; ++k) {
            may = may || (k != vpid && goes[k]);
        }
        may = may || (!assuming && 0 != state->item[i].away);
        can += may;
    }
    return 0 != state->one ? can > 0 : can == state->items;
}

/* Naively, as often as there are processes. Those who cannot go on. */
static unsigned stuck_ones(unsigned count, bool assuming)
{
    bool goes[16] = {false};
    unsigned stuck = 0;

    for (unsigned round = 0; round <= count; ++round) {
        for (unsigned i = 0; i < count; ++i) {
            const bool told = MCA_PML_CHAMPION_STUCK_TOLD == job[i].known;
            const bool ends =
                told && MCA_PML_CHAMPION_STUCK_ENDS == job[i].state.where;

            goes[i] = goes[i] ||
                      (ends ? 0 != job[i].state.transfers ||
                                  job[i].state.since < least
                       : told ? can_go(goes, i, count, assuming)
                              : MCA_PML_CHAMPION_STUCK_GONE != job[i].known);
        }
    }
    for (unsigned i = 0; i < count; ++i) {
        stuck += !goes[i] && 0 != job[i].state.items;
    }
    return stuck;
}

/* Is there one that keeps others waiting, or waits for one elsewhere? */
static bool one_is_named(unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        for (unsigned k = 0; k < job[i].state.items; ++k) {
            const uint32_t other = job[i].state.item[k].vpid;

            if (ANY != other && other >= count && job[i].state.since >= least) {
                return true;
            }
            for (unsigned m = 0; m < count; ++m) {
                const bool over =
                    MCA_PML_CHAMPION_STUCK_GONE == job[m].known ||
                    (MCA_PML_CHAMPION_STUCK_ENDS == job[m].state.where &&
                     0 == job[m].state.transfers &&
                     job[m].state.since >= least);

                if ((ANY == other || m == other) && 0 == job[m].state.items &&
                    !over && job[m].state.since >= least) {
                    return true;
                }
            }
        }
    }
    return false;
}

static mca_pml_champion_stuck_verdict_t model(unsigned count)
{
    return 0 != stuck_ones(count, false)  ? MCA_PML_CHAMPION_STUCK_HANGS
           : 0 != stuck_ones(count, true) ? MCA_PML_CHAMPION_STUCK_SEEMS
           : one_is_named(count)          ? MCA_PML_CHAMPION_STUCK_SLOW
                                          : MCA_PML_CHAMPION_STUCK_NOT;
}

static void random_job(unsigned *seed, unsigned count)
{
    begin(count);
    unknown = 0 == rand_r(seed) % 8;
    least = 0 == rand_r(seed) % 4 ? 1000 : 0;
    for (unsigned i = 0; i < count; ++i) {
        const int items = 1 + rand_r(seed) % 3;

        switch (rand_r(seed) % 8) {
        case 0:
            job[i].known = MCA_PML_CHAMPION_STUCK_GONE;
            continue;
        case 1:
            ends(i);
            job[i].state.transfers = 0 == rand_r(seed) % 8;
            job[i].state.since = 0 == rand_r(seed) % 4 ? 500 : 2000;
            continue;
        case 2:
            job[i].state.since = (uint64_t) rand_r(seed) % 2000;
            continue;
        default:
            waits(i, 0 == rand_r(seed) % 2 ? "MPI_Wait" : "MPI_Bcast");
        }
        for (int k = 0; k < items; ++k) {
            const unsigned other = (unsigned) rand_r(seed) % (count + 1);

            if (0 == rand_r(seed) % 3) {
                for_send(i, other, rand_r(seed) % 3, 8);
            } else {
                for_receive(i,
                            0 == rand_r(seed) % 6    ? ANY
                            : 0 == rand_r(seed) % 20 ? FOREIGN
                                                     : other,
                            rand_r(seed) % 3 - (rand_r(seed) % 2 ? 0 : 18),
                            (uint32_t) rand_r(seed) % 2);
            }
            job[i].state.item[k].away = 0 == rand_r(seed) % 16;
            near(i, (unsigned) rand_r(seed) % count, rand_r(seed) % 3, 8, 0);
        }
        job[i].state.one = 0 == rand_r(seed) % 4;
        job[i].state.more = 0 == rand_r(seed) % 16;
        job[i].state.transfers = 0 == rand_r(seed) % 16;
        job[i].state.since = 0 == rand_r(seed) % 16 ? 500 : 2000;
        job[i].state.items_all += 0 == rand_r(seed) % 8;
        if (0 == rand_r(seed) % 8) {
            job[i].state.where = MCA_PML_CHAMPION_STUCK_POLLS;
        }
    }
}

/* Each waits for the same MPI_Ibarrier in a way of its own. */
UNIT_TEST(calls_that_wait_are_not_different_operations)
{
    begin(2);
    waits(0, "MPI_Wait");
    for_receive(0, 1, BARRIER, 0);
    waits(1, "MPI_Waitall");
    for_receive(1, 0, BARRIER, 0);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(2));
    assert_null(strstr(said, "and rank 1 is in"));
    assert_non_null(strstr(said, "ranks 0, 1 wait for each other: "));
}

/* Those who say that they end are not over at once: their last messages may have
 * just been sent. */
UNIT_TEST(one_that_has_just_ended_is_not_over)
{
    begin(2);
    least = 5000;
    waits(0, "MPI_Recv");
    for_receive(0, 1, 7, 0);
    ends(1);
    job[1].state.since = 4999;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_NOT, judge(2));
    job[1].state.since = 5000;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_HANGS, judge(2));
}

/* The message may have been sent. */
UNIT_TEST(a_message_on_its_way_is_no_proof)
{
    begin(2);
    waits(0, "MPI_Recv");
    for_receive(0, 1, 7, 0);
    job[0].state.item[0].away = true;
    ends(1);
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SEEMS, judge(2));
    assert_string_equal(
        "rank 0 waits for a message from rank 1 that was never sent (MPI_Recv, "
        "tag 7, MPI_COMM_WORLD, for 12 s): rank 1 has called MPI_Finalize\n"
        "unless what rank 0 waits for is on its way\n"
        "rank 0 waits in MPI_Recv on MPI_COMM_WORLD\n",
        said);
    job[0].state.item[0].counted = true;
    job[0].state.item[0].messages = 5;
    job[0].state.item[0].theirs = 6;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SEEMS, judge(2));
    assert_non_null(
        strstr(said, "unless what rank 0 waits for is on its way (rank 1 has "
                     "sent rank 0 6 messages, of which 5 have come)\n"));
    job[0].state.item[0].kind = MCA_PML_CHAMPION_STUCK_SEND;
    job[0].state.item[0].messages = 9;
    assert_int_equal(MCA_PML_CHAMPION_STUCK_SEEMS, judge(2));
    assert_non_null(
        strstr(said, "unless what rank 0 waits for is on its way (rank 0 has "
                     "sent rank 1 9 messages, of which 6 have come)\n"));
}

/* Of those of other nodes it is said where they are. */
UNIT_TEST(a_host_is_named)
{
    begin(2);
    waits(0, "MPI_Recv");
    for_receive(0, 1, 7, 0);
    snprintf(job[1].host, sizeof(job[1].host), "n70");
    is_slow(2, "rank 1 on n70 computes, in no MPI call that waits,\n"
               "rank 0 waits in MPI_Recv on MPI_COMM_WORLD\n");
}

UNIT_TEST(random_graphs_are_judged_as_naively)
{
    const char *text = getenv("TEST_SEED");
    unsigned seed = NULL == text ? 1 : (unsigned) strtoul(text, NULL, 10);
    unsigned seen[4] = {0};

    printf("TEST_SEED=%u\n", seed);
    for (int i = 0; i < 20000; ++i) {
        const unsigned count = 1 + (unsigned) rand_r(&seed) % 12;
        mca_pml_champion_stuck_verdict_t verdict;

        random_job(&seed, count);
        verdict = judge(count);
        assert_int_equal(model(count), verdict);
        assert_true((MCA_PML_CHAMPION_STUCK_NOT == verdict) == (0 == lines));
        assert_true(verdict < MCA_PML_CHAMPION_STUCK_SEEMS || lines > 1);
        ++seen[verdict];
    }
    for (int i = 0; i < 4; ++i) {
        assert_true(seen[i] > 100);
    }
}

UNIT_MAIN(NULL, NULL)
