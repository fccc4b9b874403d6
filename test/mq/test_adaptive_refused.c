/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * adaptive when its domain cannot migrate. In this program
 * mca_mq_base_domain_migrate and mca_mq_base_find are the functions below.
 */

#include "mq_failing.h"

#include "ompi/mca/mq/adaptive/mq_adaptive.h"

static const mca_mq_base_component_t target;
static int answer;
static unsigned tries;

const mca_mq_base_component_t *mca_mq_base_find(const char *name)
{
    assert_string_equal("bin", name);
    return &target;
}

int mca_mq_base_domain_migrate(mca_mq_base_domain_t *domain,
                               const mca_mq_base_component_t *component,
                               const char **why)
{
    assert_non_null(domain);
    assert_ptr_equal(&target, component);
    *why = NULL;
    ++tries;
    return answer;
}

/* Search a queue of 10 so often, for the last; returns the tries to switch. */
static unsigned search(unsigned searches)
{
    mca_mq_base_domain_t domain;
    mca_mq_domain_info_t info = {.size = 1, .domain = &domain};
    mca_mq_envelope_t envelope = {0, 0, 9};
    mca_mq_base_module_t *module;
    mca_mq_entry_t entry[10];

    tries = 0;
    assert_int_equal(OMPI_SUCCESS, mca_mq_adaptive_create(&info, &module));
    for (int i = 0; i < 10; ++i) {
        mq_failing_set(&entry[i], i, 0, i);
        module->mq_insert_posted(module, &entry[i]);
    }
    for (unsigned i = 0; i < searches; ++i) {
        assert_ptr_equal(&entry[9], module->mq_match_posted(module, &envelope));
        entry[9].order += 10;
        module->mq_insert_posted(module, &entry[9]);
    }
    module->mq_destroy(module);
    return tries;
}

UNIT_TEST(a_target_that_declines_is_asked_once)
{
    answer = OMPI_ERR_NOT_SUPPORTED;
    assert_int_equal(0, search(9));
    assert_int_equal(1, search(100000));
}

/* After 10, 20, 40 ... searches more. */
UNIT_TEST(memory_is_asked_for_less_and_less)
{
    answer = OMPI_ERR_OUT_OF_RESOURCE;
    assert_int_equal(1, search(15));
    assert_int_equal(2, search(40));
    assert_int_equal(14, search(200000));
}

int main(void)
{
    mca_mq_adaptive_params = (mca_mq_adaptive_params_t){
        .threshold = 9, .window = 10, .target = MCA_MQ_ADAPTIVE_BIN};
    return unit_run(NULL, NULL);
}
