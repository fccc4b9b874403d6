/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A domain served by bins, with a guard. The operations are those of the
 * component bin.
 */

#include "ompi_config.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/bin/mq_bin_primitives.h"
#include "mq_auto_ways.h"

typedef struct auto_bin_t {
    mca_mq_bin_module_t bin; /* first */
    mca_mq_auto_guard_t guard;
} auto_bin_t;

static inline mca_mq_auto_guard_t *guard_of(mca_mq_bin_module_t *m)
{
    return &((auto_bin_t *) m)->guard;
}

static size_t bin_footprint(const mca_mq_base_module_t *module)
{
    return sizeof(auto_bin_t) + sizeof(mca_mq_auto_state_t) +
           bin_arrays((const mca_mq_bin_module_t *) module);
}

static void bin_destroy(mca_mq_base_module_t *module)
{
    auto_bin_t *m = (auto_bin_t *) module;

    mca_mq_auto_release(m->guard.state);
    bin_fini(&m->bin);
    free(m);
}

#define MQ_NAME bin
#define MQ_MODULE mca_mq_bin_module_t
#define MQ_PLACE uint32_t
#define MQ_SEARCHED(m, traversed) mca_mq_auto_searched(guard_of(m), traversed)
#define MQ_AFTER(m) mca_mq_auto_ended(guard_of(m))
#include "ompi/mca/mq/base/kit/template.h"

int mca_mq_auto_bin_create(const mca_mq_domain_info_t *info,
                           mca_mq_auto_state_t *state,
                           mca_mq_base_module_t **module)
{
    auto_bin_t *m = malloc(sizeof(*m));

    *module = (mca_mq_base_module_t *) m;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_mq_base_template_init(&m->bin.super, info->stats,
                              &mca_mq_auto_component);
    bin_init(&m->bin, MCA_MQ_AUTO_BINS);
    mca_mq_auto_guard_init(&m->guard, state);
    return OMPI_SUCCESS;
}

const mca_mq_auto_guard_t *mca_mq_auto_bin_guard(
    const mca_mq_base_module_t *module)
{
    return bin_destroy == module->mq_destroy
               ? &((const auto_bin_t *) module)->guard
               : NULL;
}
