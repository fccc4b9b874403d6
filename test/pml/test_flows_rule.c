/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many connections large messages come by, on links that are simulated: of
 * a rate that is divided among its flows, each of which has a limit.
 */

#include "ompi/mca/pml/champion/peer/flows_rule.h"

#include "pml_test.h"

enum { MOST = 8, ENOUGH = 100 };

static const uint64_t megabyte = MCA_PML_CHAMPION_FLOWS_BYTES;

/* ns for a megabyte over a link, rates in bytes per ns. */
static uint64_t time_of(uint32_t flows, double link, double flow)
{
    const double rate = flows * flow < link ? flows * flow : link;

    return (uint64_t) ((double) megabyte / rate);
}

/* The number of connections when it is decided; `each` busy period is disturbed
 * except for one in 4. */
static uint32_t decided(double link, double flow, uint64_t disturbance)
{
    mca_pml_champion_flows_rule_t rule = {0};

    for (unsigned i = 0; i < ENOUGH; ++i) {
        mca_pml_champion_flows_add(
            &rule, MOST, megabyte,
            time_of(mca_pml_champion_flows(&rule), link, flow) +
                (0 == i % MCA_PML_CHAMPION_FLOWS_PERIODS ? 0 : disturbance));
    }
    assert_true(rule.decided);
    return mca_pml_champion_flows(&rule);
}

UNIT_TEST(one_flow_that_fills_the_link_stays_alone)
{
    assert_int_equal(1, decided(1, 1, 0));
    assert_int_equal(1, decided(1, 100, 0));
    assert_int_equal(1, decided(1.1, 1, 0));
}

UNIT_TEST(limited_flows_are_added_until_they_fill_the_link)
{
    assert_int_equal(2, decided(2, 1, 0));
    assert_int_equal(4, decided(3, 1, 0));
    assert_int_equal(4, decided(4, 1, 0));
    assert_int_equal(8, decided(5, 1, 0));
    assert_int_equal(MOST, decided(100, 1, 0));
}

UNIT_TEST(a_flow_that_no_limit_slows_down_stays_alone)
{
    assert_int_equal(1, decided(16, 2, 0));
    assert_int_equal(8, decided(16, 1.49, 0));
}

/* The first messages take longer, whatever they come by. */
UNIT_TEST(what_only_the_beginning_slows_down_stays_alone)
{
    for (unsigned slow = 0; slow < 4 * MCA_PML_CHAMPION_FLOWS_PERIODS; ++slow) {
        mca_pml_champion_flows_rule_t rule = {0};

        for (unsigned i = 0; i < ENOUGH; ++i) {
            mca_pml_champion_flows_add(
                &rule, MOST, megabyte,
                time_of(mca_pml_champion_flows(&rule), 1, 1) +
                    (i < slow ? (slow - i) * megabyte : 0));
        }
        assert_true(rule.decided);
        assert_int_equal(1, mca_pml_champion_flows(&rule));
    }
}

/* A transfer of 64 megabytes or of one, with a latency that short ones feel. */
static void add_with_latency(mca_pml_champion_flows_rule_t *rule, bool large)
{
    const uint64_t factor = large ? 64 : 1;

    mca_pml_champion_flows_add(
        rule, MOST, factor * megabyte,
        factor * time_of(mca_pml_champion_flows(rule), 4, 1) + megabyte / 2);
}

UNIT_TEST(transfers_of_other_sizes_are_not_compared)
{
    for (unsigned first = 0; first < 2; ++first) {
        mca_pml_champion_flows_rule_t rule = {0};

        /* A phase of each, as long as a measurement. */
        for (unsigned i = 0; i < 2 * ENOUGH; ++i) {
            add_with_latency(&rule,
                             first == i / MCA_PML_CHAMPION_FLOWS_PERIODS % 2);
        }
        assert_true(rule.decided);
        assert_int_equal(4, mca_pml_champion_flows(&rule));
    }
}

UNIT_TEST(it_begins_anew_where_sizes_have_changed)
{
    mca_pml_champion_flows_rule_t rule = {0};

    add_with_latency(&rule, false);
    for (unsigned i = 0; i < ENOUGH; ++i) {
        add_with_latency(&rule, true);
    }
    assert_true(rule.decided);
    assert_int_equal(4, mca_pml_champion_flows(&rule));
}

UNIT_TEST(disturbed_periods_do_not_count)
{
    assert_int_equal(1, decided(1, 1, 1000000000));
    assert_int_equal(4, decided(4, 1, 1000000000));
}

UNIT_TEST(short_periods_do_not_count)
{
    mca_pml_champion_flows_rule_t rule = {0};

    for (unsigned i = 0; i < ENOUGH; ++i) {
        mca_pml_champion_flows_add(&rule, MOST, megabyte - 1, 0);
    }
    assert_int_equal(1, mca_pml_champion_flows(&rule));
    assert_false(rule.decided);
}

UNIT_TEST(more_than_allowed_are_not_tried)
{
    mca_pml_champion_flows_rule_t rule = {0};

    for (unsigned i = 0; i < ENOUGH; ++i) {
        const uint32_t flows = mca_pml_champion_flows(&rule);

        assert_in_range(flows, 1, 3);
        mca_pml_champion_flows_add(&rule, 3, megabyte, time_of(flows, 9, 1));
    }
    assert_int_equal(3, mca_pml_champion_flows(&rule));
}

UNIT_TEST(what_was_decided_stays)
{
    mca_pml_champion_flows_rule_t rule = {0};

    for (unsigned i = 0; i < ENOUGH; ++i) {
        mca_pml_champion_flows_add(
            &rule, MOST, megabyte,
            time_of(mca_pml_champion_flows(&rule), i < 50 ? 2 : 8, 1));
    }
    assert_int_equal(2, mca_pml_champion_flows(&rule));
}

UNIT_MAIN(NULL, NULL)
