/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Components that are no good, each in its own way. Compiled once for each
 * with
 *
 *     FAKE          its name
 *     FAKE_ABI      the ABI it claims
 *     FAKE_MAJOR    the major version of Open MPI that it claims
 *     FAKE_SERVES   the largest domain that it offers to serve; it never does
 */

#include "ompi_config.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "ompi/mca/mq/mq.h"

#define CAT_(a, b, c) a##b##c
#define CAT(a, b, c) CAT_(a, b, c)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

static bool fake_query(const mca_mq_domain_info_t *info, const char **why)
{
    *why = "the domain is too large";
    return info->size <= FAKE_SERVES;
}

static int fake_create(const mca_mq_domain_info_t *info,
                       mca_mq_base_module_t **module)
{
    *module = NULL;
    return OMPI_ERR_OUT_OF_RESOURCE;
}

extern const mca_mq_base_component_t CAT(mca_mq_, FAKE, _component);

const mca_mq_base_component_t CAT(mca_mq_, FAKE, _component) = {
    .mqm_version =
        {
            MCA_BASE_VERSION_2_1_0("ompi", FAKE_MAJOR, OMPI_MINOR_VERSION, 0,
                                   "mq", 1, 0, 0),
            .mca_component_name = TEXT(FAKE),
            MCA_BASE_MAKE_VERSION(component, 1, 0, 0),
        },
    .mqm_abi = FAKE_ABI,
    .mqm_priority = 99,
    .mqm_query = fake_query,
    .mqm_create = fake_create,
};
