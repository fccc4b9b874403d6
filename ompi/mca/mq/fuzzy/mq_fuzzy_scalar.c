/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "mq_fuzzy.h"

static inline uint32_t equal_16(const uint32_t *key, const uint32_t *mask,
                                mca_mq_fuzzy_key_t wanted)
{
    uint32_t equal = 0;

    for (int i = 0; i < 16; ++i) {
        uint32_t differ =
            (key[i] ^ wanted.key) & (NULL == mask ? wanted.mask : mask[i]);

        equal |= (uint32_t) (0 == differ) << i;
    }
    return equal;
}

#define FUZZY_TARGET
#define FUZZY_WIDTH mca_mq_fuzzy_scalar
#include "mq_fuzzy_search.h"
