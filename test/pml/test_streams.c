/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "pml_test.h"

#include "ompi/mca/pml/champion/offload/stream.h"

static void a_stream_counts_all_its_messages(void **state)
{
    mca_pml_champion_outflows_t flows = {.index = 1, .max = 4};
    mca_pml_champion_outflow_t *flow;

    mca_pml_champion_outflow_count(&flows, 3, 7); /* not followed yet */
    flow = mca_pml_champion_outflow_get(&flows, 3, 7);
    assert_non_null(flow);
    assert_int_equal(0, flow->next_number);
    for (int i = 0; i < 5; ++i) {
        mca_pml_champion_outflow_count(&flows, 3, 7);
        mca_pml_champion_outflow_count(&flows, 3, 8);
        mca_pml_champion_outflow_count(&flows, 4, 7);
    }
    assert_ptr_equal(flow, mca_pml_champion_outflow_get(&flows, 3, 7));
    assert_int_equal(5, flow->next_number);
    assert_int_equal(1, flows.count);
    mca_pml_champion_outflows_fini(&flows);
}

static void tables_have_a_bound(void **state)
{
    mca_pml_champion_outflows_t flows = {.index = 1, .max = 4};

    for (int tag = -2; tag < 2; ++tag) {
        assert_non_null(mca_pml_champion_outflow_get(&flows, 3, tag));
    }
    assert_null(mca_pml_champion_outflow_get(&flows, 3, 2));
    mca_pml_champion_outflow_count(&flows, 3, 2);
    mca_pml_champion_outflows_forget(&flows, 2);
    assert_null(mca_pml_champion_outflow_get(&flows, 3, 2));
    mca_pml_champion_outflows_forget(&flows, 3);
    assert_int_equal(0, flows.count);
    assert_non_null(mca_pml_champion_outflow_get(&flows, 3, 2));
    mca_pml_champion_outflows_fini(&flows);
}

/* The receiver may have posted receives for TAG_AHEAD messages that have not
 * been sent. */
static void a_stream_used_again_goes_beyond_what_may_be_posted(void **state)
{
    mca_pml_champion_outflows_t flows = {.index = 1, .max = 4};
    uint32_t stream, number;

    stream = mca_pml_champion_outflow_get(&flows, 3, 7)->stream;
    for (int i = 0; i < 10; ++i) {
        mca_pml_champion_outflow_count(&flows, 3, 7);
    }
    mca_pml_champion_outflows_forget(&flows, 3);
    assert_int_equal(stream,
                     mca_pml_champion_outflow_get(&flows, 5, 1)->stream);
    number = mca_pml_champion_outflow_find(&flows, 5, 1)->next_number;
    assert_true(number >= 10 + MCA_PML_CHAMPION_TAG_AHEAD);
    mca_pml_champion_outflows_fini(&flows);
}

/* No (stream, number) is given twice, whatever becomes of the communicators. */
static void no_number_is_given_twice(void **state)
{
    mca_pml_champion_outflows_t flows = {.index = 1, .max = 2};
    uint32_t last = 0, streams = 0;
    int64_t of_stream[8];

    for (int i = 0; i < 8; ++i) {
        of_stream[i] = -1;
    }
    for (uint32_t comm = 0; comm < 9000; ++comm) {
        mca_pml_champion_outflow_t *flow =
            mca_pml_champion_outflow_get(&flows, comm, 1);

        assert_non_null(flow);
        assert_true(flow->stream < 8);
        assert_true((int64_t) flow->next_number > of_stream[flow->stream]);
        assert_true(flow->next_number < MCA_PML_CHAMPION_TAG_NUMBERS);
        last = flow->stream;
        of_stream[last] = flow->next_number;
        mca_pml_champion_outflow_count(&flows, comm, 1);
        mca_pml_champion_outflows_forget(&flows, comm);
        streams = last > streams ? last : streams;
    }
    assert_int_equal(2, streams); /* 4095 communicators a stream */
    mca_pml_champion_outflows_fini(&flows);
}

static void numbers_end_and_another_stream_begins(void **state)
{
    mca_pml_champion_outflows_t flows = {.index = 1, .max = 2};
    mca_pml_champion_outflow_t *flow;

    flow = mca_pml_champion_outflow_get(&flows, 3, 7);
    assert_int_equal(0, flow->stream);
    flow->next_number = MCA_PML_CHAMPION_TAG_NUMBERS - 2;
    mca_pml_champion_outflow_count(&flows, 3, 7);
    assert_ptr_equal(flow, mca_pml_champion_outflow_find(&flows, 3, 7));
    mca_pml_champion_outflow_count(&flows, 3, 7);
    assert_null(mca_pml_champion_outflow_find(&flows, 3, 7));
    flow = mca_pml_champion_outflow_get(&flows, 3, 7);
    assert_int_equal(1, flow->stream);
    assert_int_equal(0, flow->next_number);
    /* And so do the streams. */
    flows.next_stream = MCA_PML_CHAMPION_TAG_STREAMS;
    assert_null(mca_pml_champion_outflow_get(&flows, 3, 8));
    mca_pml_champion_outflows_fini(&flows);
}

static void a_receiver_may_give_up_and_take_up(void **state)
{
    mca_pml_champion_inflows_t flows = {.index = 1, .max = 2};
    mca_pml_champion_inflow_t *flow;

    flow = mca_pml_champion_inflow_begin(&flows, 3, 7, 0, 17);
    assert_non_null(flow);
    assert_ptr_equal(flow, mca_pml_champion_inflow_find(&flows, 3, 7));
    assert_ptr_equal(flow, mca_pml_champion_inflow_of(&flows, 0));
    assert_int_equal(17, flow->next_number);
    assert_non_null(mca_pml_champion_inflow_begin(&flows, 3, 8, 65535, 0));
    assert_null(mca_pml_champion_inflow_begin(&flows, 3, 9, 1, 0));
    mca_pml_champion_inflow_end(&flows, flow);
    assert_null(mca_pml_champion_inflow_find(&flows, 3, 7));
    assert_null(mca_pml_champion_inflow_of(&flows, 0));
    assert_non_null(mca_pml_champion_inflow_begin(&flows, 3, 9, 0, 0));
    mca_pml_champion_inflows_fini(&flows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_counts_all_its_messages),
        cmocka_unit_test(tables_have_a_bound),
        cmocka_unit_test(a_stream_used_again_goes_beyond_what_may_be_posted),
        cmocka_unit_test(no_number_is_given_twice),
        cmocka_unit_test(numbers_end_and_another_stream_begins),
        cmocka_unit_test(a_receiver_may_give_up_and_take_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
