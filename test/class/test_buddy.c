/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "opal/class/opal_buddy.h"
#include "opal/constants.h"

/* The area is only a range of addresses: nothing may touch it. */
#define AREA ((char *) 0x10000000)
#define UNITS 256
#define LENGTH (UNITS * OPAL_BUDDY_MIN)
#define BLOCKS 64

typedef struct block_t {
    char *memory; /* NULL: none */
    size_t size;  /* rounded up */
} block_t;

/* What a naive allocator knows: whether each smallest block is in use. */
static bool in_use[UNITS];

static uint32_t state;

static uint32_t below(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % limit;
}

static void seed(void)
{
    const char *text = getenv("TEST_SEED");

    state = text != NULL ? (uint32_t) strtoul(text, NULL, 0)
                         : (uint32_t) time(NULL);
    printf("TEST_SEED=%u\n", state);
    fflush(stdout);
    state = state << 1 | 1; /* never 0 */
}

static bool is_free(size_t from, size_t count)
{
    for (size_t i = from; i < from + count; ++i) {
        if (in_use[i]) {
            return false;
        }
    }
    return true;
}

static void mark(const block_t *block, bool used)
{
    size_t from = (size_t) (block->memory - AREA) / OPAL_BUDDY_MIN;

    for (size_t i = 0; i < block->size / OPAL_BUDDY_MIN; ++i) {
        assert_int_equal(!used, in_use[from + i]);
        in_use[from + i] = used;
    }
}

/* Is there room for a block of that many bytes, where it would be aligned? */
static bool has_room(size_t size)
{
    size_t units = size / OPAL_BUDDY_MIN;

    for (size_t i = 0; i < UNITS; i += units) {
        if (is_free(i, units)) {
            return true;
        }
    }
    return false;
}

static size_t random_size(void)
{
    return 1 + below((uint32_t) OPAL_BUDDY_MIN << below(8));
}

/* A block is had whenever there is room. */
static void get(opal_buddy_t *buddy, block_t *block)
{
    size_t size = random_size();

    block->size = opal_buddy_rounded(size);
    assert_true(block->size >= size);
    assert_true(block->size == OPAL_BUDDY_MIN || block->size / 2 < size);
    block->memory = opal_buddy_alloc(buddy, size);
    assert_int_equal(has_room(block->size), block->memory != NULL);
    if (block->memory != NULL) {
        assert_int_equal(0, (size_t) (block->memory - AREA) % block->size);
        mark(block, true);
    }
}

static void give_back(opal_buddy_t *buddy, block_t *block)
{
    mark(block, false);
    opal_buddy_free(buddy, block->memory);
    block->memory = NULL;
}

static size_t used(void)
{
    size_t sum = 0;

    for (size_t i = 0; i < UNITS; ++i) {
        sum += in_use[i] * OPAL_BUDDY_MIN;
    }
    return sum;
}

static void blocks_come_and_go(void **unused)
{
    block_t blocks[BLOCKS] = {{NULL, 0}};
    unsigned refused = 0;
    opal_buddy_t buddy;

    (void) unused;
    seed();
    assert_int_equal(OPAL_SUCCESS, opal_buddy_init(&buddy, AREA, LENGTH));
    for (int i = 0; i < 300000; ++i) {
        block_t *block = &blocks[below(BLOCKS)];

        if (block->memory == NULL) {
            get(&buddy, block);
            refused += block->memory == NULL;
        } else {
            give_back(&buddy, block);
        }
        assert_int_equal(used(), buddy.used);
    }
    assert_true(refused > 100);
    for (int i = 0; i < BLOCKS; ++i) {
        if (blocks[i].memory != NULL) {
            give_back(&buddy, &blocks[i]);
        }
    }
    /* All is one block again. */
    assert_ptr_equal(AREA, opal_buddy_alloc(&buddy, LENGTH));
    assert_null(opal_buddy_alloc(&buddy, 1));
    opal_buddy_fini(&buddy);
}

static void sizes_at_the_edges(void **unused)
{
    opal_buddy_t buddy;

    (void) unused;
    assert_int_equal(0, opal_buddy_usable(OPAL_BUDDY_MIN - 1));
    assert_int_equal(OPAL_BUDDY_MIN, opal_buddy_usable(2 * OPAL_BUDDY_MIN - 1));
    assert_int_equal(LENGTH, opal_buddy_usable(LENGTH));
    assert_int_equal(OPAL_ERR_BAD_PARAM,
                     opal_buddy_init(&buddy, AREA, OPAL_BUDDY_MIN - 1));
    assert_int_equal(
        OPAL_ERR_BAD_PARAM,
        opal_buddy_init(&buddy, AREA, OPAL_BUDDY_MIN << OPAL_BUDDY_ORDERS));
    /* What is beyond the power of two is not used. */
    assert_int_equal(OPAL_SUCCESS,
                     opal_buddy_init(&buddy, AREA, 3 * OPAL_BUDDY_MIN));
    assert_null(opal_buddy_alloc(&buddy, 2 * OPAL_BUDDY_MIN + 1));
    assert_null(opal_buddy_alloc(&buddy, SIZE_MAX));
    assert_ptr_equal(AREA, opal_buddy_alloc(&buddy, 2 * OPAL_BUDDY_MIN));
    assert_null(opal_buddy_alloc(&buddy, 1));
    opal_buddy_free(&buddy, AREA);
    assert_int_equal(0, buddy.used);
    assert_ptr_equal(AREA, opal_buddy_alloc(&buddy, 0));
    opal_buddy_fini(&buddy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_and_go),
        cmocka_unit_test(sizes_at_the_edges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
