/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A perfect hash function by row displacement, for keys known in advance.
 *
 *     matrix of m x m        rows shifted right    the flat table
 *     0 1 . .                0 1                       0 1 4 7 9 ...
 *     4 . . 7          ->        4     7
 *     . 9 . .                          ...
 *
 * Key k is in row k / m and column k % m. Each row is shifted to the right
 * until no column has more than one key. Then the place of k in the flat table
 * is the displacement of its row + its column, and is unique.
 *
 * Source: Gettys, "Generating perfect hash functions", as in section 4.2 of
 * "Communication-aware message matching in MPI" (2018). Choices that they leave
 * open: m is the smallest power of two with m * m > the largest key, so that
 * row and column are a shift and a mask (with the paper's m * m >= max, a key
 * equal to m * m has no row). Rows are placed in descending order of their
 * number of keys, each as far to the left as possible.
 *
 *     look-up     two reads, one comparison; no key has to be in the table
 *     memory      4 bytes per row, 4 per column of the flat table, which has
 *                 at most the keys + 2 * m columns in the cases that matter;
 *                 4 per key
 */

#ifndef OMPI_MCA_MQ_PARTNER_STATIC_HASH_H
#define OMPI_MCA_MQ_PARTNER_STATIC_HASH_H

#include "ompi_config.h"

#include <stddef.h>
#include <stdint.h>

BEGIN_C_DECLS

typedef struct mca_mq_partner_static_hash_t {
    uint32_t *displacement; /**< displacement of each row */
    uint32_t *table;        /**< index of the key in this column, from 1; 0:
                                 none */
    uint32_t *key;          /**< keys, from index 1; key[0] is no key */
    uint32_t shift;         /**< log2(m) */
    uint32_t rows;          /**< number of rows, up to the last with keys */
    uint32_t columns;       /**< columns of the flat table */
    uint32_t count;         /**< number of keys */
} mca_mq_partner_static_hash_t;

/**
 * Make a hash function for a set of keys.
 *
 * @param[in] keys  in ascending order, without duplicates, less than
 *                   UINT32_MAX; copied
 * @param[in] count  may be 0
 *
 * @return OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE (nothing is allocated then)
 */
int mca_mq_partner_static_hash_init(mca_mq_partner_static_hash_t *hash,
                                    const uint32_t *keys, uint32_t count);

/** Free its memory. */
void mca_mq_partner_static_hash_fini(mca_mq_partner_static_hash_t *hash);

/** Bytes allocated. */
size_t mca_mq_partner_static_hash_footprint(
    const mca_mq_partner_static_hash_t *hash);

/** Look up a key: its number, from 1 in the given order; 0 if it is not in the
 * set. */
static inline uint32_t mca_mq_partner_static_hash_find(
    const mca_mq_partner_static_hash_t *hash, uint32_t key)
{
    uint32_t row = key >> hash->shift;
    uint32_t column = key & ((UINT32_C(1) << hash->shift) - 1), i;

    if (row >= hash->rows) {
        return 0;
    }
    i = hash->table[hash->displacement[row] + column];
    return hash->key[i] == key ? i : 0;
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_PARTNER_STATIC_HASH_H */
