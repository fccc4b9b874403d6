/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "pml_test.h"

#include "ompi/mca/pml/champion/offload/stream.h"

static mca_pml_champion_streams_t *streams_new(uint32_t max)
{
    mca_pml_champion_streams_t *streams = mca_pml_champion_streams_new(1);

    assert_non_null(streams);
    streams->max = max;
    return streams;
}

UNIT_TEST(a_stream_counts_all_its_messages)
{
    mca_pml_champion_streams_t *streams = streams_new(4);
    mca_pml_champion_stream_t *stream;

    mca_pml_champion_out_stream_count(streams, 3, 7); /* not followed yet */
    stream = mca_pml_champion_out_stream_get(streams, 3, 7);
    assert_non_null(stream);
    assert_int_equal(0, stream->next_number);
    for (int i = 0; i < 5; ++i) {
        mca_pml_champion_out_stream_count(streams, 3, 7);
        mca_pml_champion_out_stream_count(streams, 3, 8);
        mca_pml_champion_out_stream_count(streams, 4, 7);
    }
    assert_ptr_equal(stream, mca_pml_champion_out_stream_get(streams, 3, 7));
    assert_int_equal(5, stream->next_number);
    assert_int_equal(1, streams->count);
    mca_pml_champion_streams_free(streams);
}

UNIT_TEST(tables_have_a_bound)
{
    mca_pml_champion_streams_t *streams = streams_new(4);

    for (int tag = -2; tag < 2; ++tag) {
        assert_non_null(mca_pml_champion_out_stream_get(streams, 3, tag));
    }
    assert_null(mca_pml_champion_out_stream_get(streams, 3, 2));
    mca_pml_champion_out_stream_count(streams, 3, 2);
    mca_pml_champion_out_streams_forget(streams, 2);
    assert_null(mca_pml_champion_out_stream_get(streams, 3, 2));
    mca_pml_champion_out_streams_forget(streams, 3);
    assert_int_equal(0, streams->count);
    assert_non_null(mca_pml_champion_out_stream_get(streams, 3, 2));
    mca_pml_champion_streams_free(streams);
}

/* The receiver may have posted receives for TAG_AHEAD messages that have not
 * been sent. */
UNIT_TEST(a_stream_used_again_goes_beyond_what_may_be_posted)
{
    mca_pml_champion_streams_t *streams = streams_new(4);
    uint32_t id, number;

    id = mca_pml_champion_out_stream_get(streams, 3, 7)->id;
    for (int i = 0; i < 10; ++i) {
        mca_pml_champion_out_stream_count(streams, 3, 7);
    }
    mca_pml_champion_out_streams_forget(streams, 3);
    assert_int_equal(id, mca_pml_champion_out_stream_get(streams, 5, 1)->id);
    number = mca_pml_champion_stream_find(streams, 5, 1)->next_number;
    assert_true(number >= 10 + MCA_PML_CHAMPION_TAG_AHEAD);
    mca_pml_champion_streams_free(streams);
}

/* No (stream, number) is given twice, whatever becomes of the communicators. */
UNIT_TEST(no_number_is_given_twice)
{
    mca_pml_champion_streams_t *streams = streams_new(2);
    uint32_t last = 0, most_id = 0;
    int64_t of_id[8];

    for (int i = 0; i < 8; ++i) {
        of_id[i] = -1;
    }
    for (uint32_t comm = 0; comm < 9000; ++comm) {
        mca_pml_champion_stream_t *stream =
            mca_pml_champion_out_stream_get(streams, comm, 1);

        assert_non_null(stream);
        assert_true(stream->id < 8);
        assert_true((int64_t) stream->next_number > of_id[stream->id]);
        assert_true(stream->next_number < MCA_PML_CHAMPION_TAG_NUMBERS);
        last = stream->id;
        of_id[last] = stream->next_number;
        mca_pml_champion_out_stream_count(streams, comm, 1);
        mca_pml_champion_out_streams_forget(streams, comm);
        most_id = last > most_id ? last : most_id;
    }
    assert_int_equal(2, most_id); /* 4095 communicators a stream */
    mca_pml_champion_streams_free(streams);
}

UNIT_TEST(numbers_end_and_another_stream_begins)
{
    mca_pml_champion_streams_t *streams = streams_new(2);
    mca_pml_champion_stream_t *stream;

    stream = mca_pml_champion_out_stream_get(streams, 3, 7);
    assert_int_equal(0, stream->id);
    stream->next_number = MCA_PML_CHAMPION_TAG_NUMBERS - 2;
    mca_pml_champion_out_stream_count(streams, 3, 7);
    assert_ptr_equal(stream, mca_pml_champion_stream_find(streams, 3, 7));
    mca_pml_champion_out_stream_count(streams, 3, 7);
    assert_null(mca_pml_champion_stream_find(streams, 3, 7));
    stream = mca_pml_champion_out_stream_get(streams, 3, 7);
    assert_int_equal(1, stream->id);
    assert_int_equal(0, stream->next_number);
    /* And so do the streams. */
    streams->next_id = MCA_PML_CHAMPION_TAG_STREAMS;
    assert_null(mca_pml_champion_out_stream_get(streams, 3, 8));
    mca_pml_champion_streams_free(streams);
}

UNIT_TEST(a_receiver_may_give_up_and_take_up)
{
    mca_pml_champion_streams_t *streams = streams_new(2);
    mca_pml_champion_stream_t *stream;

    stream = mca_pml_champion_in_stream_begin(streams, 3, 7, 0, 17);
    assert_non_null(stream);
    assert_ptr_equal(stream, mca_pml_champion_stream_find(streams, 3, 7));
    assert_ptr_equal(stream, mca_pml_champion_in_stream_of(streams, 0));
    assert_int_equal(17, stream->next_number);
    assert_non_null(mca_pml_champion_in_stream_begin(streams, 3, 8, 65535, 0));
    assert_null(mca_pml_champion_in_stream_begin(streams, 3, 9, 1, 0));
    mca_pml_champion_in_stream_end(streams, stream);
    assert_null(mca_pml_champion_stream_find(streams, 3, 7));
    assert_null(mca_pml_champion_in_stream_of(streams, 0));
    assert_non_null(mca_pml_champion_in_stream_begin(streams, 3, 9, 0, 0));
    mca_pml_champion_streams_free(streams);
}

UNIT_MAIN(NULL, NULL)
