/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory that plans of collectives take: a number of operations that does
 * not grow with the data, however short the segments are that the user asks for;
 * no room for what is received where it is received into the result; and what a
 * large plan needed is given back.
 */

#include "pml_test.h"

/* Included for the lists of operations that they make. */
#include "ompi/mca/coll/champion/coll_champion_iallreduce_ring.c"
#define plan_t plan_of_chain_t
#include "ompi/mca/coll/champion/coll_champion_ireduce_chain.c"
#undef plan_t
#include "ompi/mca/coll/champion/coll_champion_plan.c"

mca_coll_champion_params_t mca_coll_champion_params = {.segment = 131072};
const mca_pml_champion_schedule_calls_t *mca_coll_champion_calls;

enum { OPS_MOST = 5 * 32768 };

static size_t chunks(const mca_coll_champion_plan_t *plan)
{
    size_t count = 0;

    for (const mca_coll_champion_memory_t *memory = plan->memory;
         NULL != memory; memory = memory->next) {
        ++count;
    }
    return count;
}

/* The plan of a ring, of rank 0. */
static void make_ring(mca_coll_champion_plan_t *plan, bool in_place,
                      size_t segment, size_t bytes, int size)
{
    static char all[1], mine[1]; /* addresses only */
    const mca_coll_champion_cut_t cut =
        mca_coll_champion_cut_by(segment, bytes / 8, 8, size);

    plan->schedule.extent = 8;
    mca_coll_champion_plan_ring(plan, in_place ? all : mine, all, &cut, 0,
                                size);
    assert_false(plan->failed);
    assert_true(mca_coll_champion_ring_tags(&cut) > 0);
    assert_true(cut.segment * cut.segments >= bytes / (size_t) size);
}

UNIT_TEST(the_number_of_operations_is_bounded)
{
    static const int sizes[] = {3, 100, 1000, 8191, 30000, 50000};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        const size_t least = 5 * (size_t) sizes[i];
        mca_coll_champion_plan_t plan;

        OBJ_CONSTRUCT(&plan, mca_coll_champion_plan_t);
        make_ring(&plan, true, 1024, INT32_MAX / 8 * 8, sizes[i]);
        assert_true(plan.schedule.num_ops <=
                    (least > OPS_MOST ? least : OPS_MOST));
        plan_reset(&plan);
        OBJ_DESTRUCT(&plan);
    }
}

UNIT_TEST(segments_are_as_the_user_says_where_they_are_few)
{
    mca_coll_champion_cut_t cut;

    cut = mca_coll_champion_cut_by(1024, 1 << 20, 1, 4);
    assert_int_equal(1024, cut.segment);
    assert_int_equal(256, cut.segments);
    cut = mca_coll_champion_cut_by(16384, 512 << 20, 1, 128);
    assert_int_equal(16384, cut.segment);
    cut = mca_coll_champion_cut_by(1024, 10, 100, 8);
    assert_int_equal(1000, cut.segment);
    assert_int_equal(1, cut.segments);
}

UNIT_TEST(what_is_received_into_the_result_needs_no_room)
{
    for (int in_place = 0; in_place < 2; ++in_place) {
        mca_coll_champion_plan_t plan;

        OBJ_CONSTRUCT(&plan, mca_coll_champion_plan_t);
        make_ring(&plan, in_place, 131072, 16 << 20, 4);
        assert_int_equal(in_place ? 2 : 1, chunks(&plan));
        plan_reset(&plan);
        OBJ_DESTRUCT(&plan);
    }
}

/* Three operations for each segment of a process in the middle; room for those that
 * are under way. */
UNIT_TEST(a_chain_takes_room_for_few_segments)
{
    static char all[1], mine[1]; /* addresses only */
    const mca_coll_champion_cut_t cut =
        mca_coll_champion_cut_by(16384, 1 << 17, 8, 1);

    assert_int_equal(64, cut.segments);
    for (int rank = 0; rank < 4; ++rank) {
        for (int in_place = 0; in_place < 2; ++in_place) {
            const bool is_root = 2 == rank, is_first = 1 == rank;
            mca_coll_champion_plan_t plan;

            OBJ_CONSTRUCT(&plan, mca_coll_champion_plan_t);
            plan.schedule.extent = 8;
            mca_coll_champion_plan_chain(
                &plan, is_root && in_place ? all : mine, all, &cut, rank, 2, 4);
            assert_false(plan.failed);
            assert_int_equal(64 * (is_first  ? 1
                                   : is_root ? 2
                                             : 3),
                             plan.schedule.num_ops);
            assert_int_equal(is_first || (is_root && !in_place) ? 0 : 1,
                             chunks(&plan));
            plan_reset(&plan);
            OBJ_DESTRUCT(&plan);
        }
    }
}

UNIT_TEST(a_large_plan_gives_its_memory_back)
{
    mca_coll_champion_plan_t plan;

    OBJ_CONSTRUCT(&plan, mca_coll_champion_plan_t);
    make_ring(&plan, false, 131072, 1 << 20, 4);
    plan_reset(&plan);
    assert_non_null(plan.schedule.ops); /* the next one has it */
    make_ring(&plan, false, 1024, 64 << 20, 64);
    assert_true(plan.schedule.num_ops > OPS_KEPT);
    plan_reset(&plan);
    assert_null(plan.schedule.ops);
    assert_null(plan.schedule.edges);
    make_ring(&plan, false, 131072, 1 << 20, 4);
    plan_reset(&plan);
    OBJ_DESTRUCT(&plan);
}

UNIT_MAIN(NULL, NULL)
