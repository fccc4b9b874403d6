/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "mq_fuzzy.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define FUZZY_TARGET __attribute__((target("avx2")))

/* Compare 8 keys; returns a bit for each. */
static inline __attribute__((always_inline)) FUZZY_TARGET uint32_t
equal_8(const uint32_t *key, const uint32_t *mask, mca_mq_fuzzy_key_t wanted)
{
    __m256i keys = _mm256_loadu_si256((const __m256i *) (const void *) key);
    __m256i masks =
        NULL == mask
            ? _mm256_set1_epi32((int) wanted.mask)
            : _mm256_loadu_si256((const __m256i *) (const void *) mask);
    __m256i differ = _mm256_and_si256(
        _mm256_xor_si256(keys, _mm256_set1_epi32((int) wanted.key)), masks);
    __m256i equal = _mm256_cmpeq_epi32(differ, _mm256_setzero_si256());

    return (uint32_t) _mm256_movemask_ps(_mm256_castsi256_ps(equal));
}

static inline __attribute__((always_inline)) FUZZY_TARGET uint32_t
equal_16(const uint32_t *key, const uint32_t *mask, mca_mq_fuzzy_key_t wanted)
{
    return equal_8(key, mask, wanted) |
           equal_8(key + 8, NULL == mask ? NULL : mask + 8, wanted) << 8;
}

#define FUZZY_WIDTH mca_mq_fuzzy_avx2
#include "mq_fuzzy_search.h"
#endif
