/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is measured of transfers.
 */

#include "thread_world.h"

/* A transfer of so many us. */
static void transfer(mca_pml_champion_peer_t *peer, size_t bytes, unsigned us)
{
    mca_pml_champion_cost_model_begins(peer, bytes);
    us_pass(us);
    mca_pml_champion_cost_model_ends();
}

TEST(a_peer_is_known_by_all_until_it_is_by_its_own)
{
    double alpha, beta;

    mca_pml_champion_cost_model_of(&peers[1], &alpha, &beta);
    assert_float_equal(FIRST_ALPHA, alpha, 1e-9);
    assert_float_equal(FIRST_BETA, beta, 1e-9);
    for (unsigned i = 0; i < FEW; ++i) {
        transfer(&peers[2], 1000000, 1000); /* 1 ns per byte */
    }
    mca_pml_champion_cost_model_of(&peers[1], &alpha, &beta);
    assert_float_equal(1, alpha, 0.01);
    for (unsigned i = 0; i < MCA_PML_CHAMPION_COST_MODEL_FIRST; ++i) {
        mca_pml_champion_cost_model_of(&peers[1], &alpha, &beta);
        assert_float_equal(all.alpha, alpha, 1e-9);
        transfer(&peers[1], 1000000, 8000);
    }
    assert_in_range(mca_pml_champion_transfer_cost(&peers[1], 1000000), 7900000,
                    8100000);
}

/* Beside each other they share the network. */
TEST(transfers_side_by_side_are_one)
{
    mca_pml_champion_cost_model_begins(&peers[1], 500000);
    us_pass(100);
    mca_pml_champion_cost_model_begins(&peers[1], 500000);
    us_pass(800);
    mca_pml_champion_cost_model_ends();
    us_pass(100);
    mca_pml_champion_cost_model_ends();
    assert_int_equal(1, all.samples);
    assert_float_equal(1, all.alpha, 0.01);
    assert_int_equal(1, peers[1].cost_model->samples);
    mca_pml_champion_cost_model_begins(&peers[1], 500000);
    mca_pml_champion_cost_model_begins(&peers[2], 500000);
    us_pass(1000);
    mca_pml_champion_cost_model_ends();
    mca_pml_champion_cost_model_ends();
    assert_int_equal(2, all.samples);
    assert_int_equal(1, peers[1].cost_model->samples);
    assert_null(peers[2].cost_model);
    transfer(&peers[2], 0, 10);
    assert_int_equal(2, all.samples);
}

static uint64_t received_so_far(void)
{
    return mca_pml_champion_cost_model_receiving(mca_pml_champion_now());
}

/* How long only data of messages with receives were on their way. */
TEST(the_time_of_receiving_is_without_prefetches)
{
    uint64_t before;

    mca_pml_champion_cost_models.on = true;
    before = received_so_far();
    us_pass(50);
    assert_int_equal(before, received_so_far());
    mca_pml_champion_cost_model_begins(&peers[1], LARGE);
    us_pass(100);
    assert_int_equal(before + 100000, received_so_far());
    mca_pml_champion_cost_model_begins(&peers[2], LARGE);
    us_pass(100);
    mca_pml_champion_cost_model_ends();
    assert_int_equal(before + 200000, received_so_far());
    /* A prefetch joins, and ends first. */
    mca_pml_champion_cost_model_prefetches();
    mca_pml_champion_cost_model_begins(&peers[2], LARGE);
    us_pass(100);
    mca_pml_champion_cost_model_ends();
    us_pass(100);
    mca_pml_champion_cost_model_ends();
    assert_int_equal(before + 200000, received_so_far());
    /* A prefetch is the first. */
    mca_pml_champion_cost_model_prefetches();
    mca_pml_champion_cost_model_begins(&peers[1], LARGE);
    mca_pml_champion_cost_model_begins(&peers[1], LARGE);
    us_pass(100);
    mca_pml_champion_cost_model_ends();
    mca_pml_champion_cost_model_ends();
    transfer(&peers[1], LARGE, 10);
    assert_int_equal(before + 210000, received_so_far());
}

int main(void)
{
    mca_pml_champion_lock();
    return unit_run(NULL, NULL);
}
