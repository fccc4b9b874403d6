/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Selects the widest instructions that the processor supports, or those that
 * the parameter names.
 */

#include "ompi_config.h"

#include <stdbool.h>

#include "mq_fuzzy.h"

int mca_mq_fuzzy_wanted;

#if defined(__x86_64__)
const mca_mq_fuzzy_width_t *mca_mq_fuzzy_search_of(int wanted)
{
    bool avx2 = __builtin_cpu_supports("avx2");
    bool avx512 = __builtin_cpu_supports("avx512f");

    if (MCA_MQ_FUZZY_AUTO == wanted) {
        wanted = avx512 ? MCA_MQ_FUZZY_AVX512
                        : (avx2 ? MCA_MQ_FUZZY_AVX2 : MCA_MQ_FUZZY_SCALAR);
    }
    switch (wanted) {
    case MCA_MQ_FUZZY_AVX512:
        return avx512 ? &mca_mq_fuzzy_avx512 : NULL;
    case MCA_MQ_FUZZY_AVX2:
        return avx2 ? &mca_mq_fuzzy_avx2 : NULL;
    default:
        return &mca_mq_fuzzy_scalar;
    }
}
#else
const mca_mq_fuzzy_width_t *mca_mq_fuzzy_search_of(int wanted)
{
    return MCA_MQ_FUZZY_AUTO == wanted || MCA_MQ_FUZZY_SCALAR == wanted
               ? &mca_mq_fuzzy_scalar
               : NULL;
}
#endif

const mca_mq_fuzzy_width_t *mca_mq_fuzzy_search(void)
{
    return mca_mq_fuzzy_search_of(mca_mq_fuzzy_wanted);
}
