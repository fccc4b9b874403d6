/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "mq_partner_static_hash.h"

typedef mca_mq_partner_static_hash_t hash_t;

/* A row with keys. */
typedef struct row_t {
    uint32_t row;
    uint32_t first; /* number of its first key */
    uint32_t count;
} row_t;

/* State of the search for the function. */
typedef struct search_t {
    row_t *rows; /* rows with keys */
    uint32_t num_rows;
    uint32_t room;     /* columns for which the table has memory */
    uint32_t occupied; /* all columns before this one are occupied */
} search_t;

static uint32_t column_of(const hash_t *hash, uint32_t key)
{
    return key & ((UINT32_C(1) << hash->shift) - 1);
}

static void choose_m(hash_t *hash, uint32_t largest)
{
    hash->shift = 0;
    while (UINT64_C(1) << (2 * hash->shift) <= largest) {
        ++hash->shift;
    }
    hash->rows = (largest >> hash->shift) + 1;
}

static void list_rows(const hash_t *hash, search_t *search)
{
    row_t *row = NULL;

    for (uint32_t i = 1; i <= hash->count; ++i) {
        uint32_t at = hash->key[i] >> hash->shift;

        if (NULL == row || row->row != at) {
            row = &search->rows[search->num_rows++];
            *row = (row_t){.row = at, .first = i};
        }
        ++row->count;
    }
}

static int fullest_first(const void *left, const void *right)
{
    const row_t *l = left, *r = right;

    return l->count != r->count ? (l->count < r->count) - (l->count > r->count)
                                : (l->row > r->row) - (l->row < r->row);
}

/* Extend the flat table; new columns are free. */
static bool extend(hash_t *hash, search_t *search, uint32_t columns)
{
    uint32_t *table, room = search->room;

    if (columns > room) {
        room = columns + columns / 2;
        table = realloc(hash->table, room * sizeof(*table));
        if (NULL == table) {
            return false;
        }
        memset(table + search->room, 0, (room - search->room) * sizeof(*table));
        hash->table = table;
        search->room = room;
    }
    if (columns > hash->columns) {
        hash->columns = columns;
    }
    return true;
}

static bool collides(const hash_t *hash, const row_t *row, uint32_t by)
{
    for (uint32_t i = 0; i < row->count; ++i) {
        uint32_t at = by + column_of(hash, hash->key[row->first + i]);

        if (at < hash->columns && 0 != hash->table[at]) {
            return true;
        }
    }
    return false;
}

static bool place(hash_t *hash, search_t *search, const row_t *row)
{
    uint32_t first = column_of(hash, hash->key[row->first]);
    uint32_t by = search->occupied > first ? search->occupied - first : 0;

    while (collides(hash, row, by)) {
        ++by;
    }
    /* Look-ups may read any column of the row. */
    if (!extend(hash, search, by + (UINT32_C(1) << hash->shift))) {
        return false;
    }
    hash->displacement[row->row] = by;
    for (uint32_t i = row->first; i < row->first + row->count; ++i) {
        hash->table[by + column_of(hash, hash->key[i])] = i;
    }
    while (search->occupied < hash->columns &&
           0 != hash->table[search->occupied]) {
        ++search->occupied;
    }
    return true;
}

static bool place_all(hash_t *hash)
{
    search_t search = {.rows = malloc(hash->count * sizeof(row_t))};
    bool good = NULL != search.rows;

    if (good) {
        list_rows(hash, &search);
        qsort(search.rows, search.num_rows, sizeof(*search.rows),
              fullest_first);
    }
    for (uint32_t i = 0; good && i < search.num_rows; ++i) {
        good = place(hash, &search, &search.rows[i]);
    }
    free(search.rows);
    return good;
}

/* Free the part of the table beyond its columns. */
static void trim(hash_t *hash)
{
    uint32_t *table =
        realloc(hash->table, hash->columns * sizeof(*hash->table));

    if (NULL != table) {
        hash->table = table;
    }
}

int mca_mq_partner_static_hash_init(hash_t *hash, const uint32_t *keys,
                                    uint32_t count)
{
    memset(hash, 0, sizeof(*hash));
    if (0 == count) {
        return OMPI_SUCCESS;
    }
    choose_m(hash, keys[count - 1]);
    hash->count = count;
    hash->key = malloc(((size_t) count + 1) * sizeof(*hash->key));
    hash->displacement = calloc(hash->rows, sizeof(*hash->displacement));
    if (NULL != hash->key && NULL != hash->displacement) {
        hash->key[0] = UINT32_MAX;
        memcpy(hash->key + 1, keys, count * sizeof(*keys));
        if (place_all(hash)) {
            trim(hash);
            return OMPI_SUCCESS;
        }
    }
    mca_mq_partner_static_hash_fini(hash);
    return OMPI_ERR_OUT_OF_RESOURCE;
}

void mca_mq_partner_static_hash_fini(hash_t *hash)
{
    free(hash->key);
    free(hash->displacement);
    free(hash->table);
    memset(hash, 0, sizeof(*hash));
}

size_t mca_mq_partner_static_hash_footprint(const hash_t *hash)
{
    return 0 == hash->count ? 0
                            : (hash->count + 1 + hash->rows + hash->columns) *
                                  sizeof(uint32_t);
}
