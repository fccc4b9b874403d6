/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_fixture.h"

#include "ompi/mca/mq/bin/mq_bin.h"
#include "mq_random.h"

/* Both queues' longest searches seen, and whether bins were used. */
typedef struct bin_watch_t {
    unsigned with_bins;
    unsigned with_wildcards;
} bin_watch_t;

static void watch(mca_mq_base_module_t *module, void *arg)
{
    const mca_mq_bin_module_t *m = (const mca_mq_bin_module_t *) module;
    bin_watch_t *w = arg;

    w->with_bins += m->posted.bins != NULL && m->unexpected.bins != NULL;
    w->with_wildcards += !mca_mq_base_fifo_is_empty(&m->posted.list);
    assert_int_equal(0, m->posted.strays + m->unexpected.strays);
}

static void run_random(const char *count, uint64_t operations)
{
    bin_watch_t w = {0};

    mq_test_parameter("mq_bin_count", count);
    mq_random_component("bin", mq_random_operations(operations), 0, watch, &w);
    mq_test_parameter("mq_bin_count", NULL);
    assert_true(w.with_bins > 0);
    assert_true(w.with_wildcards > 0);
}

UNIT_TEST(bin_agrees_with_the_model)
{
    run_random(NULL, 1000000);
}

UNIT_TEST(it_agrees_with_few_bins_and_with_many)
{
    static const char *const counts[] = {"1", "2", "3", "1000", NULL};

    for (int i = 0; counts[i] != NULL; ++i) {
        run_random(counts[i], 300000);
    }
}

static mq_fixture_t *fixture_new(const char *count)
{
    mq_fixture_t *f;

    mq_test_parameter("mq_bin_count", count);
    f = mq_fixture_new("bin", 100000, 4096);
    mq_test_parameter("mq_bin_count", NULL);
    return f;
}

UNIT_TEST(bins_are_allocated_at_the_first_insertion)
{
    mq_fixture_t *f = fixture_new("1000");
    const size_t bins = 1000 * sizeof(mca_mq_base_fifo_t);
    size_t idle = mq_fixture_bytes(f);

    assert_true(idle < 256);
    assert_null(mq_fixture_match_posted(f, 1, 1));
    assert_null(mq_fixture_match_unexpected(f, 1, 1));
    mq_fixture_post(f, MCA_MQ_ANY_SOURCE, 1);
    mq_fixture_post(f, 1, MCA_MQ_ANY_TAG);
    assert_int_equal(idle, mq_fixture_bytes(f));
    mq_fixture_post(f, 1, 1);
    assert_int_equal(idle + bins, mq_fixture_bytes(f));
    mq_fixture_arrive(f, 2, 2);
    assert_int_equal(idle + 2 * bins, mq_fixture_bytes(f));
    mq_fixture_free(f);
}

/* Tags of source 5 that fall into one bin. */
static void find_colliding(int32_t *tag, size_t wanted, uint32_t count)
{
    mca_mq_envelope_t envelope = {MQ_FIXTURE_CONTEXT, 5, 0};
    uint32_t bin = mca_mq_bin_of(&envelope, count);

    for (size_t found = 0; found < wanted; ++envelope.tag) {
        if (mca_mq_bin_of(&envelope, count) == bin) {
            tag[found++] = envelope.tag;
        }
    }
}

UNIT_TEST(colliding_tags_are_told_apart)
{
    enum { TAGS = 50, TWINS = 3 };
    mq_fixture_t *f = fixture_new("256");
    mca_mq_entry_t *receive[TAGS][TWINS], *message[TAGS];
    int32_t tag[2 * TAGS];

    find_colliding(tag, 2 * TAGS, 256);
    for (int twin = 0; twin < TWINS; ++twin) {
        for (int i = 0; i < TAGS; ++i) {
            receive[i][twin] = mq_fixture_post(f, 5, tag[i]);
        }
    }
    for (int i = 0; i < TAGS; ++i) {
        message[i] = mq_fixture_arrive(f, 5, tag[TAGS + i]);
    }
    for (int i = TAGS - 1; i >= 0; --i) {
        for (int twin = 0; twin < TWINS; ++twin) {
            assert_ptr_equal(receive[i][twin],
                             mq_fixture_match_posted(f, 5, tag[i]));
        }
        assert_null(mq_fixture_match_posted(f, 5, tag[i]));
        assert_ptr_equal(message[i],
                         mq_fixture_match_unexpected(f, 5, tag[TAGS + i]));
    }
    /* They were in one bin, or this showed nothing. */
    assert_true(f->stats.queue[MCA_MQ_POSTED].traversed_max >= TAGS);
    assert_true(f->stats.queue[MCA_MQ_UNEXPECTED].traversed_max >= TAGS);
    mq_fixture_free(f);
}

UNIT_TEST(one_bin_is_a_list_with_wildcards_in_order)
{
    mq_fixture_t *f = fixture_new("1");
    mca_mq_entry_t *first, *any, *last, *other;

    other = mq_fixture_post(f, 4, 5);
    first = mq_fixture_post(f, 3, 5);
    any = mq_fixture_post(f, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG);
    last = mq_fixture_post(f, 3, 5);
    assert_ptr_equal(first, mq_fixture_match_posted(f, 3, 5));
    assert_ptr_equal(any, mq_fixture_match_posted(f, 3, 5));
    assert_ptr_equal(last, mq_fixture_match_posted(f, 3, 5));
    assert_null(mq_fixture_match_posted(f, 3, 5));
    assert_ptr_equal(other, mq_fixture_match_posted(f, 4, 5));
    mq_fixture_free(f);
}

UNIT_TEST(wildcards_find_the_oldest_message_of_all_bins)
{
    mq_fixture_t *f = fixture_new("64");
    mca_mq_entry_t *message[100];

    for (int i = 0; i < 100; ++i) {
        message[i] = mq_fixture_arrive(f, i % 10, i);
    }
    for (int i = 0; i < 100; i += 2) {
        assert_ptr_equal(message[i], mq_fixture_match_unexpected(f, i % 10, i));
    }
    for (int i = 1; i < 100; i += 2) {
        assert_ptr_equal(message[i], mq_fixture_match_unexpected(
                                         f, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG));
    }
    mq_fixture_free(f);
}

/* Most entries in one of count bins, of sources * tags envelopes. */
static unsigned fullest(unsigned count, unsigned sources, int32_t source_step,
                        unsigned tags, int32_t tag_step)
{
    unsigned *in = calloc(count, sizeof(*in)), most = 0;

    assert_non_null(in);
    for (unsigned s = 0; s < sources; ++s) {
        for (unsigned t = 0; t < tags; ++t) {
            mca_mq_envelope_t envelope = {3, (int32_t) s * source_step,
                                          (int32_t) t * tag_step};
            unsigned bin = mca_mq_bin_of(&envelope, count);

            assert_true(bin < count);
            if (++in[bin] > most) {
                most = in[bin];
            }
        }
    }
    free(in);
    return most;
}

/* 4096 envelopes: 16 in each of 256 bins on average; of random numbers, the
 * fullest has 30 or so. */
UNIT_TEST(common_strides_do_not_crowd_bins)
{
    static const int32_t steps[] = {1, 2, 3, 16, 100, 256, 1024, 4096, 65536};
    const int count = sizeof(steps) / sizeof(steps[0]);

    for (int i = 0; i < count; ++i) {
        assert_true(fullest(256, 1, 1, 4096, steps[i]) < 48);
        assert_true(fullest(256, 4096, steps[i], 1, 1) < 48);
        for (int k = 0; k < count; ++k) {
            assert_true(fullest(256, 64, steps[i], 64, steps[k]) < 48);
            assert_true(fullest(255, 64, steps[i], 64, steps[k]) < 48);
        }
    }
}

UNIT_MAIN(mq_test_start, mq_test_stop)
