/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "mq_fuzzy.h"

static const mca_base_var_enum_value_t widths[] = {
    {MCA_MQ_FUZZY_AUTO, "auto"},
    {MCA_MQ_FUZZY_AVX512, "avx512"},
    {MCA_MQ_FUZZY_AVX2, "avx2"},
    {MCA_MQ_FUZZY_SCALAR, "scalar"},
    {0, NULL},
};

static int fuzzy_register(void)
{
    const mca_base_component_t *self = &mca_mq_fuzzy_component.mqm_version;

    mca_mq_fuzzy_wanted = MCA_MQ_FUZZY_AUTO;
    mca_mq_base_param_enum(
        self, "width",
        "Instructions that compare keys: auto (the widest that the processor "
        "supports), avx512, avx2, or scalar (plain C). Choosing instructions "
        "that the processor lacks is an error",
        OPAL_INFO_LVL_9, widths, &mca_mq_fuzzy_wanted);
    if (NULL == mca_mq_fuzzy_search_of(mca_mq_fuzzy_wanted)) {
        mca_mq_base_param_complain(
            "mq_fuzzy_width",
            MCA_MQ_FUZZY_AVX512 == mca_mq_fuzzy_wanted ? "avx512" : "avx2",
            "instructions that this processor has: auto or scalar");
        mca_mq_fuzzy_wanted = MCA_MQ_FUZZY_AUTO;
    }
    return OMPI_SUCCESS;
}

const mca_mq_base_component_t mca_mq_fuzzy_component = {
    .mqm_version =
        {
            MCA_MQ_BASE_VERSION_1_0_0,
            .mca_component_name = "fuzzy",
            MCA_MQ_COMPONENT_RELEASE,
            .mca_register_component_params = fuzzy_register,
        },
    .mqm_abi = MCA_MQ_ABI,
    /* Special purpose: queues of medium length. */
    .mqm_priority = 38,
    .mqm_create = mca_mq_fuzzy_create,
};
MCA_MQ_OMPI_COMPONENT(fuzzy);
