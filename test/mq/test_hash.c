/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_fixture.h"

#include "ompi/mca/mq/hash/mq_hash.h"
#include "mq_random.h"

/* The largest figures seen in any table. */
typedef struct hash_watch_t {
    uint64_t grown;
    uint64_t between; /* times a table was seen with two arrays */
} hash_watch_t;

static void watch(mca_mq_base_module_t *module, void *arg)
{
    const mca_mq_hash_module_t *m = (const mca_mq_hash_module_t *) module;
    hash_watch_t *w = arg;

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        const mca_mq_base_table_t *table = &m->queue[queue].table;

        if (w->grown < table->grown) {
            w->grown = table->grown;
        }
        w->between += table->old.slots != NULL;
        assert_int_equal(0, table->refused);
    }
}

UNIT_TEST(hash_agrees_with_the_model)
{
    hash_watch_t w = {0, 0};
    mq_random_component("hash", mq_random_operations(1000000),
                        MCA_MQ_ASSERT_EXACT, watch, &w);
    assert_true(w.grown > 5);
    assert_true(w.between > 0);
}

UNIT_TEST(only_domains_without_wildcards_are_served)
{
    mca_mq_domain_info_t info = {.size = 2, .context = 0};
    const mca_mq_base_component_t *hash;
    const char *why = NULL;

    assert_int_equal(OMPI_SUCCESS, mq_test_open("hash,list"));
    assert_string_equal("list", mq_test_served_by(10));
    hash = mca_mq_base_find("hash");
    assert_non_null(hash);
    assert_true(hash->mqm_flags & MCA_MQ_COMPONENT_EXACT_ONLY);
    info.assertions = MCA_MQ_ASSERT_NO_ANY_SOURCE;
    assert_false(hash->mqm_query(&info, &why));
    assert_non_null(strstr(why, "mpi_assert_no_any_source"));
    assert_non_null(strstr(why, "mpi_assert_no_any_tag"));
    info.assertions = MCA_MQ_ASSERT_NO_ANY_TAG;
    assert_false(hash->mqm_query(&info, &why));
    info.assertions = MCA_MQ_ASSERT_EXACT | MCA_MQ_ASSERT_EXACT_LENGTH;
    assert_true(hash->mqm_query(&info, &why));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());

    mq_test_parameter("mq_base_assert", "no_any_source,no_any_tag");
    assert_int_equal(OMPI_SUCCESS, mq_test_open("hash,list"));
    assert_string_equal("hash", mq_test_served_by(10));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_base_assert", NULL);
}

static mq_fixture_t *fixture_new(size_t entries)
{
    mq_fixture_t *f;

    mq_test_parameter("mq_base_assert", "no_any_source,no_any_tag");
    f = mq_fixture_new("hash", 1 << 20, entries);
    mq_test_parameter("mq_base_assert", NULL);
    return f;
}

/* Post receives of different tags, of which some are left from before. */
static void post(mq_fixture_t *f, int from, int to)
{
    for (int i = from; i < to; ++i) {
        f->entry[i].envelope = (mca_mq_envelope_t){0, i % 7, i};
        assert_null(mca_mq_base_post(&f->domain, &f->entry[i]));
    }
}

/* Match those down to one, the last posted first. */
static void match(mq_fixture_t *f, int from, int to)
{
    mca_mq_base_module_t *module = f->domain.module;

    for (int i = from - 1; i >= to; --i) {
        assert_ptr_equal(&f->entry[i], module->mq_match_posted(
                                           module, &f->entry[i].envelope));
        assert_null(module->mq_match_posted(module, &f->entry[i].envelope));
    }
}

UNIT_TEST(memory_comes_with_use_and_goes_after_a_burst)
{
    enum { BURST = 200000, LEFT = 10 };
    mq_fixture_t *f = fixture_new(BURST);
    size_t before = mq_fixture_bytes(f), peak;

    assert_int_equal(sizeof(mca_mq_hash_module_t), before);
    post(f, 0, BURST);
    peak = mq_fixture_bytes(f);
    assert_true(peak <= before + (size_t) BURST * 100);
    /* A few that stay do not keep the memory of the others. */
    match(f, BURST, LEFT);
    assert_true(mq_fixture_bytes(f) <= peak / 4);
    match(f, LEFT, 0);
    assert_true(mq_fixture_bytes(f) <=
                before +
                    MCA_MQ_BASE_TABLE_HOT * sizeof(mca_mq_base_table_slot_t));
    mq_fixture_free(f);
}

UNIT_TEST(memory_of_usual_bursts_is_kept_while_they_come)
{
    enum { BURST = 20000 };
    mq_fixture_t *f = fixture_new(BURST);
    size_t before = mq_fixture_bytes(f), used;

    post(f, 0, BURST);
    match(f, BURST, 0);
    used = mq_fixture_bytes(f);
    post(f, 0, BURST);
    for (int i = 0; i < 2 * MCA_MQ_BASE_TABLE_PATIENCE; ++i) {
        match(f, BURST, 0);
        assert_int_equal(used, mq_fixture_bytes(f));
        post(f, 0, BURST);
    }
    match(f, BURST, 0);
    for (int i = 0; i < MCA_MQ_BASE_TABLE_PATIENCE; ++i) {
        assert_int_equal(used, mq_fixture_bytes(f));
        post(f, 0, 1);
        match(f, 1, 0);
    }
    assert_int_equal(before, mq_fixture_bytes(f));
    mq_fixture_free(f);
}

/* Receives come and go around every size at which a table changes, each of
 * them found in the middle of it. */
UNIT_TEST(tables_grow_and_shrink_in_use)
{
    enum { BURST = 200000 };
    mq_fixture_t *f = fixture_new(BURST);
    const mca_mq_base_table_t *table =
        &((mca_mq_hash_module_t *) f->domain.module)->queue[0].table;
    int there = 0, between = 0;

    for (int round = 0; round < 12; ++round) {
        int most = BURST >> round % 4, least = round % 3 * 100;

        for (; there < most; there += 16) {
            post(f, there, there + 16);
            match(f, there + 16, there + 13);
            post(f, there + 13, there + 16);
            between += table->old.slots != NULL;
        }
        for (; there > least; there -= 16) {
            match(f, there, there - 16 < 0 ? 0 : there - 16);
            post(f, there - 16 < 0 ? 0 : there - 16, there - 13);
            match(f, there - 13, there - 16 < 0 ? 0 : there - 16);
            between += table->old.slots != NULL;
        }
        there = there < 0 ? 0 : there;
    }
    match(f, there, 0);
    assert_int_equal(0, table->count);
    assert_true(between > 1000);
    assert_true(table->shrunk > 3);
    mq_fixture_free(f);
}

/* How far from where it should be is the average key? */
static double displacement(const mca_mq_base_table_array_t *array)
{
    size_t far = 0, keys = 0;

    for (size_t i = 0; i <= array->mask; ++i) {
        if (array->slots[i].head != NULL) {
            far += (i - (array->slots[i].hash >> array->shift)) & array->mask;
            ++keys;
        }
    }
    return keys == 0 ? 0 : (double) far / (double) keys;
}

UNIT_TEST(tags_that_are_multiples_are_spread)
{
    enum { KEYS = 16000 };
    static const int strides[] = {1,    2,     3,     1000,  1021,    1024,
                                  4096, 10000, 65536, 65537, 131072,  1 << 17,
                                  997,  255,   256,   257,   0x10001, 32768};
    const int count = sizeof(strides) / sizeof(strides[0]);

    /* By tag, by source, by both. */
    for (int kind = 0; kind < 3 * count; ++kind) {
        int stride = strides[kind / 3];
        mq_fixture_t *f = fixture_new(KEYS);
        mca_mq_hash_module_t *m = (mca_mq_hash_module_t *) f->domain.module;

        for (int i = 0; i < KEYS; ++i) {
            f->entry[i].envelope = (mca_mq_envelope_t){
                .context = (uint32_t) kind,
                .source = kind % 3 == 0 ? 5 : (i * stride) & 0xfffff,
                .tag = kind % 3 == 1 ? 5 : (i * stride) & INT32_MAX,
            };
            assert_null(mca_mq_base_post(&f->domain, &f->entry[i]));
        }
        /* Half full, a random function has 0.5 (Knuth 3, 6.4). Some strides
         * give few sources. */
        if (m->queue[MCA_MQ_POSTED].table.count >= 4000) {
            assert_true(displacement(&m->queue[MCA_MQ_POSTED].table.now) < 0.6);
        }
        mq_fixture_free(f);
    }
}

UNIT_MAIN(mq_test_start, mq_test_stop)
