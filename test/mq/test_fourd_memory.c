/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * fourd when memory runs out, at every allocation it makes, and when it comes
 * back: by mq_failing.h.
 */

#include "mq_failing.h"

#include "ompi/mca/mq/fourd/mq_fourd.h"

#define SIZE 625
#define ROUNDS 3
#define ENTRIES (SIZE * ROUNDS)

static mca_mq_entry_t receives[ENTRIES], messages[ENTRIES];

/* Half of the entries without memory, the other half with some. */
static void insert(mca_mq_base_module_t *module, unsigned allocations)
{
    for (int i = 0; i < ENTRIES; ++i) {
        if (i == ENTRIES / 2) {
            mq_test_allocations_left = allocations;
        }
        mq_failing_set(&receives[i], i, (i * 7) % SIZE, 0);
        mq_failing_set(&messages[i], i, (i * 7) % SIZE, 1);
        module->mq_insert_posted(module, &receives[i]);
        module->mq_insert_unexpected(module, &messages[i]);
    }
}

static void take_all(mca_mq_base_module_t *module)
{
    mca_mq_envelope_t any = {0, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG};

    assert_ptr_equal(&messages[0], module->mq_probe(module, &any));
    for (int i = 0; i < SIZE; ++i) {
        mca_mq_envelope_t envelope = {0, (i * 7) % SIZE, 0};

        for (int round = 0; round < ROUNDS; ++round) {
            envelope.tag = 0;
            assert_ptr_equal(&receives[i + round * SIZE],
                             module->mq_match_posted(module, &envelope));
            envelope.tag = 1;
            assert_ptr_equal(&messages[i + round * SIZE],
                             module->mq_match_unexpected(module, &envelope));
        }
        assert_null(module->mq_match_posted(module, &envelope));
        assert_null(module->mq_match_unexpected(module, &envelope));
    }
    assert_null(module->mq_probe(module, &any));
}

/* Returns how many arrays there were in the end. */
static uint64_t run(unsigned before, unsigned after)
{
    mca_mq_domain_info_t info = {.size = SIZE, .context = 0, .stats = NULL};
    mca_mq_fourd_figures_t figures;
    mca_mq_base_module_t *module;

    mq_test_allocations_left = before;
    if (OMPI_SUCCESS != mca_mq_fourd_create(&info, &module)) {
        assert_null(module);
        return 0;
    }
    insert(module, after);
    mca_mq_fourd_figures(module, &figures);
    assert_int_equal(sizeof(mca_mq_fourd_module_t) + figures.bytes,
                     module->mq_footprint(module));
    take_all(module);
    module->mq_destroy(module);
    return figures.arrays;
}

UNIT_TEST(nothing_is_lost_when_memory_runs_out)
{
    uint64_t all = run(10000, 10000);

    assert_true(all > 30);
    assert_int_equal(0, run(0, 0));
    for (unsigned before = 1; before <= all + 1; before += 3) {
        assert_int_equal(before - 1, run(before, 0));
        assert_int_equal(all, run(before, 10000));
    }
}

int main(void)
{
    mca_mq_fourd_params = (mca_mq_fourd_params_t){.min_size = 1, .reuse = 64};
    return unit_run(NULL, NULL);
}
