/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/newmad/mq_newmad.h"
#include "mq_random.h"
#include "mq_test.h"

/* The largest figures seen. */
typedef struct newmad_watch_t {
    uint64_t grown[MCA_MQ_QUEUES][MCA_MQ_NEWMAD_KINDS];
    uint64_t slabs;
} newmad_watch_t;

static void keep_max(uint64_t *most, uint64_t now)
{
    if (*most < now) {
        *most = now;
    }
}

static void watch(mca_mq_base_module_t *module, void *arg)
{
    const mca_mq_newmad_module_t *m = (const mca_mq_newmad_module_t *) module;
    newmad_watch_t *w = arg;

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        for (int kind = 0; kind < MCA_MQ_NEWMAD_KINDS; ++kind) {
            const mca_mq_base_table_t *table = &m->queue[queue].table[kind];

            keep_max(&w->grown[queue][kind], table->grown);
        }
        assert_true(mca_mq_base_fifo_is_empty(&m->queue[queue].rest));
    }
    keep_max(&w->slabs, m->pool.slabs);
}

static newmad_watch_t run_random(size_t depth, uint64_t operations,
                                 uint32_t assertions)
{
    newmad_watch_t w;
    mq_random_config_t config = {
        .component = "newmad",
        .operations = mq_random_operations(operations),
        .depth = depth,
        .assertions = assertions,
        .watch = watch,
        .watch_arg = &w,
    };

    memset(&w, 0, sizeof(w));
    assert_int_equal(OMPI_SUCCESS, mq_test_open("newmad"));
    mq_random_run(&config);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    return w;
}

static void newmad_agrees_with_the_model(void **state)
{
    newmad_watch_t w = run_random(1000, 1000000, 0);

    (void) state;
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        for (int kind = 0; kind < MCA_MQ_NEWMAD_KINDS; ++kind) {
            assert_true(w.grown[queue][kind] > 0);
        }
    }
    assert_true(w.slabs > 10);
}

static void tables_of_kinds_not_used_cost_nothing(void **state)
{
    newmad_watch_t w = run_random(1000, 200000, MCA_MQ_ASSERT_EXACT);

    (void) state;
    /* Internal receives may be from any source. */
    for (int kind = MCA_MQ_NEWMAD_ANY_TAG; kind < MCA_MQ_NEWMAD_KINDS; ++kind) {
        assert_int_equal(0, w.grown[MCA_MQ_POSTED][kind]);
    }
}

static mca_mq_entry_t *make(void *arg)
{
    return arg;
}

static void memory_comes_with_use_and_goes_after_a_burst(void **state)
{
    enum { BURST = 200000 };
    /* One kind has a single key. */
    const size_t kept =
        3 * MCA_MQ_BASE_TABLE_HOT * sizeof(mca_mq_base_table_slot_t) +
        MCA_MQ_BASE_TABLE_MIN * sizeof(mca_mq_base_table_slot_t) +
        sizeof(mca_mq_newmad_slab_t);
    mca_mq_domain_info_t info = {.size = 1 << 20, .context = 0};
    mca_mq_entry_t *entry = calloc(BURST, sizeof(*entry));
    mca_mq_envelope_t any = {0, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG};
    mca_mq_base_domain_t domain;
    mca_mq_base_module_t *module;
    size_t before;

    (void) state;
    assert_non_null(entry);
    assert_int_equal(OMPI_SUCCESS, mq_test_open("newmad"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
    module = domain.module;
    before = module->mq_footprint(module);
    assert_int_equal(sizeof(mca_mq_newmad_module_t), before);
    for (int i = 0; i < BURST; ++i) {
        entry[i].envelope = (mca_mq_envelope_t){0, i, i};
        mca_mq_base_stamp(&domain, &entry[i]);
        assert_null(
            mca_mq_base_arrive(&domain, &entry[i].envelope, make, &entry[i]));
    }
    for (int i = 0; i < BURST; ++i) {
        assert_ptr_equal(&entry[i], module->mq_match_unexpected(module, &any));
    }
    assert_null(module->mq_match_unexpected(module, &any));
    assert_true(module->mq_footprint(module) <= before + kept);
    mca_mq_base_domain_fini(&domain);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    free(entry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newmad_agrees_with_the_model),
        cmocka_unit_test(tables_of_kinds_not_used_cost_nothing),
        cmocka_unit_test(memory_comes_with_use_and_goes_after_a_burst),
    };

    return cmocka_run_group_tests(tests, mq_test_start, mq_test_stop);
}
