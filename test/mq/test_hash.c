/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/hash/mq_hash.h"
#include "mq_random.h"
#include "mq_test.h"

/* The largest figures seen in any table. */
typedef struct hash_watch_t {
    uint64_t grown;
    uint64_t shrunk;
    uint64_t between; /* times a table was seen with two arrays */
} hash_watch_t;

static void keep_max(uint64_t *most, uint64_t now)
{
    if (*most < now) {
        *most = now;
    }
}

static void watch(mca_mq_base_module_t *module, void *arg)
{
    const mca_mq_hash_module_t *m = (const mca_mq_hash_module_t *) module;
    hash_watch_t *w = arg;

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        const mca_mq_base_table_t *table = &m->queue[queue].table;

        keep_max(&w->grown, table->grown);
        keep_max(&w->shrunk, table->shrunk);
        w->between += table->old.slots != NULL;
        assert_int_equal(0, table->refused);
    }
}

static hash_watch_t run_random(size_t depth, uint64_t operations)
{
    hash_watch_t w = {0, 0, 0};
    mq_random_config_t config = {
        .component = "hash",
        .operations = mq_random_operations(operations),
        .depth = depth,
        .assertions = MCA_MQ_ASSERT_EXACT,
        .watch = watch,
        .watch_arg = &w,
    };

    assert_int_equal(OMPI_SUCCESS, mq_test_open("hash"));
    mq_random_run(&config);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    return w;
}

static void hash_agrees_with_the_model(void **state)
{
    hash_watch_t w = run_random(1000, 1000000);

    (void) state;
    assert_true(w.grown > 0);
}

static void it_agrees_while_tables_grow_and_shrink(void **state)
{
    hash_watch_t w = run_random(5000, 300000);

    (void) state;
    assert_true(w.grown > 5);
    assert_true(w.shrunk > 0);
    assert_true(w.between > 0);
}

static void only_domains_without_wildcards_are_served(void **state)
{
    mca_mq_domain_info_t info = {.size = 2, .context = 0};
    const mca_mq_base_component_t *hash;
    const char *why = NULL;
    int priority;

    (void) state;
    assert_int_equal(OMPI_SUCCESS, mq_test_open("hash,list"));
    assert_string_equal("list", mq_test_served_by(10));
    hash = mca_mq_base_find("hash");
    assert_non_null(hash);
    assert_true(hash->mqm_flags & MCA_MQ_COMPONENT_EXACT_ONLY);
    info.assertions = MCA_MQ_ASSERT_NO_ANY_SOURCE;
    assert_false(hash->mqm_query(&info, &priority, &why));
    assert_non_null(strstr(why, "mpi_assert_no_any_source"));
    assert_non_null(strstr(why, "mpi_assert_no_any_tag"));
    info.assertions = MCA_MQ_ASSERT_NO_ANY_TAG;
    assert_false(hash->mqm_query(&info, &priority, &why));
    info.assertions = MCA_MQ_ASSERT_EXACT | MCA_MQ_ASSERT_EXACT_LENGTH;
    assert_true(hash->mqm_query(&info, &priority, &why));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());

    mq_test_parameter("mq_base_assert", "no_any_source,no_any_tag");
    assert_int_equal(OMPI_SUCCESS, mq_test_open("hash,list"));
    assert_string_equal("hash", mq_test_served_by(10));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_base_assert", NULL);
}

/* A domain of its own for tests of single properties. */
typedef struct hash_fixture_t {
    mca_mq_base_domain_t domain;
    mca_mq_entry_t *entry;
} hash_fixture_t;

static hash_fixture_t fixture(size_t entries)
{
    mca_mq_domain_info_t info = {
        .size = 1 << 20,
        .context = 0,
        .assertions = MCA_MQ_ASSERT_EXACT,
    };
    hash_fixture_t f = {.entry = calloc(entries, sizeof(*f.entry))};

    assert_non_null(f.entry);
    assert_int_equal(OMPI_SUCCESS, mq_test_open("hash"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&f.domain, &info));
    return f;
}

static void fixture_end(hash_fixture_t *f)
{
    mca_mq_base_domain_fini(&f->domain);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    free(f->entry);
}

static size_t footprint(const hash_fixture_t *f)
{
    return f->domain.module->mq_footprint(f->domain.module);
}

static void memory_comes_with_use_and_goes_after_a_burst(void **state)
{
    enum { BURST = 100000, LEFT = 10 };
    hash_fixture_t f = fixture(BURST);
    mca_mq_base_module_t *module = f.domain.module;
    size_t before = footprint(&f);

    (void) state;
    assert_int_equal(sizeof(mca_mq_hash_module_t), before);
    for (int i = 0; i < BURST; ++i) {
        f.entry[i].envelope = (mca_mq_envelope_t){0, i % 7, i};
        assert_null(mca_mq_base_post(&f.domain, &f.entry[i]));
    }
    assert_true(footprint(&f) <= before + (size_t) BURST * 100);
    /* A few that stay do not keep the memory of the others. */
    for (int i = BURST - 1; i >= LEFT; --i) {
        assert_ptr_equal(&f.entry[i],
                         module->mq_match_posted(module, &f.entry[i].envelope));
    }
    assert_true(footprint(&f) <= before + (size_t) BURST * 4);
    for (int i = 0; i < LEFT; ++i) {
        module->mq_withdraw_posted(module, &f.entry[i]);
    }
    assert_true(footprint(&f) <= before + 16 * MCA_MQ_BASE_TABLE_KEEP);
    fixture_end(&f);
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

static void tags_that_are_multiples_are_spread(void **state)
{
    enum { KEYS = 16000 };
    static const int strides[] = {1,    2,     3,     1000,  1021,    1024,
                                  4096, 10000, 65536, 65537, 131072,  1 << 17,
                                  997,  255,   256,   257,   0x10001, 32768};
    const int count = sizeof(strides) / sizeof(strides[0]);

    (void) state;
    /* By tag, by source, by both. */
    for (int kind = 0; kind < 3 * count; ++kind) {
        int stride = strides[kind / 3];
        hash_fixture_t f = fixture(KEYS);
        mca_mq_hash_module_t *m = (mca_mq_hash_module_t *) f.domain.module;

        for (int i = 0; i < KEYS; ++i) {
            f.entry[i].envelope = (mca_mq_envelope_t){
                .context = (uint32_t) kind,
                .source = kind % 3 == 0 ? 5 : (i * stride) & 0xfffff,
                .tag = kind % 3 == 1 ? 5 : (i * stride) & INT32_MAX,
            };
            assert_null(mca_mq_base_post(&f.domain, &f.entry[i]));
        }
        /* Half full, a random function has 0.5 (Knuth 3, 6.4). Some strides
         * give few sources. */
        if (m->queue[MCA_MQ_POSTED].table.count >= 4000) {
            assert_true(displacement(&m->queue[MCA_MQ_POSTED].table.now) < 0.6);
        }
        fixture_end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_agrees_with_the_model),
        cmocka_unit_test(it_agrees_while_tables_grow_and_shrink),
        cmocka_unit_test(only_domains_without_wildcards_are_served),
        cmocka_unit_test(memory_comes_with_use_and_goes_after_a_burst),
        cmocka_unit_test(tags_that_are_multiples_are_spread),
    };

    return cmocka_run_group_tests(tests, mq_test_start, mq_test_stop);
}
