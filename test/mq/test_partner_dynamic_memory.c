/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * partner_dynamic when memory runs out, at every allocation it makes: by
 * mq_failing.h.
 */

#include "mq_failing.h"

#include "ompi/mca/mq/partner_dynamic/mq_partner_dynamic.h"

#define ENTRIES 2000
#define SOURCES 37

static mca_mq_entry_t entries[ENTRIES];

/* Post receives of some sources, take them out again in another order. */
static uint64_t run(unsigned allocations)
{
    mca_mq_domain_info_t info = {.size = 100, .context = 0, .stats = NULL};
    mca_mq_partner_dynamic_figures_t figures;
    mca_mq_base_module_t *module;
    mca_mq_envelope_t envelope = {0, 0, 0};

    mq_test_allocations_left = allocations;
    if (OMPI_SUCCESS != mca_mq_partner_dynamic_create(&info, &module)) {
        assert_null(module);
        return 0;
    }
    for (int i = 0; i < ENTRIES; ++i) {
        mq_failing_set(&entries[i], i, i % SOURCES, 0);
        mq_failing_add(module, MCA_MQ_POSTED, &entries[i]);
    }
    mca_mq_partner_dynamic_figures(module, MCA_MQ_POSTED, &figures);
    for (int source = SOURCES - 1; source >= 0; --source) {
        envelope.source = source;
        for (int i = source; i < ENTRIES; i += SOURCES) {
            assert_ptr_equal(&entries[i],
                             module->mq_match_posted(module, &envelope));
        }
        assert_null(module->mq_match_posted(module, &envelope));
    }
    module->mq_destroy(module);
    return figures.partners;
}

UNIT_TEST(nothing_is_lost_when_memory_runs_out)
{
    uint64_t partners = 0, most = 0;

    mca_mq_partner_dynamic_params = (mca_mq_partner_dynamic_params_t){
        .threshold = 2,
        .edge = {.metric = MCA_MQ_BASE_METRIC_AVERAGE},
        .idle_peers = MCA_MQ_PARTNER_DYNAMIC_IDLE_COUNT,
    };
    for (unsigned allocations = 0; allocations < 300; ++allocations) {
        partners = run(allocations);
        if (allocations <= 1) {
            assert_int_equal(0, partners);
        }
        most = partners > most ? partners : most;
    }
    assert_int_equal(SOURCES, most);
}

UNIT_MAIN(NULL, NULL)
