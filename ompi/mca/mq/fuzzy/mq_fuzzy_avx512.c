/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "mq_fuzzy.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define FUZZY_TARGET __attribute__((target("avx512f")))

static inline __attribute__((always_inline)) FUZZY_TARGET uint32_t
equal_16(const uint32_t *key, const uint32_t *mask, mca_mq_fuzzy_key_t wanted)
{
    __m512i keys = _mm512_loadu_si512(key);
    __m512i masks = NULL == mask ? _mm512_set1_epi32((int) wanted.mask)
                                 : _mm512_loadu_si512(mask);
    __m512i differ =
        _mm512_xor_si512(keys, _mm512_set1_epi32((int) wanted.key));

    return _mm512_testn_epi32_mask(differ, masks);
}

#define FUZZY_WIDTH mca_mq_fuzzy_avx512
#include "mq_fuzzy_search.h"
#endif
