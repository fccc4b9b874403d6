/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "opal/class/opal_size_pool.h"

#define BLOCKS 4000

typedef struct block_t {
    unsigned char *memory;
    size_t size;
    unsigned char pattern;
} block_t;

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

static size_t random_size(void)
{
    switch (below(5)) {
    case 0:
        return below(64);
    case 1:
        return below(1024);
    case 2:
        return below(OPAL_SIZE_POOL_MAX + 1);
    case 3:
        return below(16) ? OPAL_SIZE_POOL_MAX + below(1 << below(17))
                         : OPAL_SIZE_POOL_LARGE_MAX - 8 + below(16);
    default:
        return OPAL_SIZE_POOL_MAX - 8 + below(16);
    }
}

static void fill(opal_size_pool_t *pool, block_t *block)
{
    block->size = random_size();
    block->pattern = (unsigned char) below(256);
    block->memory = opal_size_pool_alloc(pool, block->size);
    assert_non_null(block->memory);
    assert_int_equal(0, (uintptr_t) block->memory % 16);
    memset(block->memory, block->pattern, block->size);
}

static void release(opal_size_pool_t *pool, block_t *block)
{
    for (size_t i = 0; i < block->size; ++i) {
        assert_int_equal(block->pattern, block->memory[i]);
    }
    opal_size_pool_free(pool, block->memory, block->size);
    block->memory = NULL;
}

/* Blocks of all sizes come and go; none touches another's memory. */
static void blocks_do_not_overlap(void **unused)
{
    block_t *blocks = calloc(BLOCKS, sizeof(*blocks));
    opal_size_pool_t pool;
    size_t live = 0;

    (void) unused;
    assert_non_null(blocks);
    seed();
    opal_size_pool_init(&pool);
    assert_int_equal(0, pool.mapped);
    for (int i = 0; i < 300000; ++i) {
        block_t *block = &blocks[below(BLOCKS)];

        if (block->memory == NULL) {
            fill(&pool, block);
            ++live;
        } else {
            release(&pool, block);
            --live;
        }
        assert_int_equal(live, pool.live);
    }
    for (int i = 0; i < BLOCKS; ++i) {
        if (blocks[i].memory != NULL) {
            release(&pool, &blocks[i]);
        }
    }
    assert_int_equal(0, pool.live);
    assert_true(pool.mapped <= OPAL_SIZE_POOL_CLASSES * OPAL_SIZE_POOL_SLAB);
    assert_true(pool.num_empty <= OPAL_SIZE_POOL_KEEP);
    opal_size_pool_fini(&pool);
    free(blocks);
}

/* A burst costs little more than its blocks, and is given back. */
static void a_burst_is_given_back(void **unused)
{
    enum { COUNT = 100000, SIZE = 112 };
    void **blocks = calloc(COUNT, sizeof(*blocks));
    opal_size_pool_t pool;

    (void) unused;
    assert_non_null(blocks);
    opal_size_pool_init(&pool);
    for (int i = 0; i < COUNT; ++i) {
        blocks[i] = opal_size_pool_alloc(&pool, SIZE);
        assert_non_null(blocks[i]);
    }
    assert_true(pool.mapped >= (size_t) COUNT * SIZE);
    assert_true(pool.mapped < (size_t) COUNT * SIZE * 102 / 100);
    for (int i = 0; i < COUNT; ++i) {
        opal_size_pool_free(&pool, blocks[i], SIZE);
    }
    assert_int_equal(OPAL_SIZE_POOL_SLAB, pool.mapped);
    assert_int_equal(OPAL_SIZE_POOL_KEEP, pool.num_empty);
    opal_size_pool_fini(&pool);
    assert_int_equal(0, pool.mapped);
    free(blocks);
}

/* What one class gave back serves another. */
static void an_empty_slab_serves_any_class(void **unused)
{
    enum { COUNT = 2000, SMALL = 112 };
    void *blocks[COUNT], *block;
    opal_size_pool_t pool;
    unsigned empty;

    (void) unused;
    opal_size_pool_init(&pool);
    for (int i = 0; i < COUNT; ++i) {
        blocks[i] = opal_size_pool_alloc(&pool, SMALL);
    }
    assert_true(pool.mapped > 2 * OPAL_SIZE_POOL_SLAB);
    for (int i = 0; i < COUNT; ++i) {
        opal_size_pool_free(&pool, blocks[i], SMALL);
    }
    empty = pool.num_empty;
    assert_int_equal(OPAL_SIZE_POOL_SLAB, pool.mapped);
    block = opal_size_pool_alloc(&pool, OPAL_SIZE_POOL_MAX);
    assert_non_null(block);
    assert_int_equal(empty - 1, pool.num_empty);
    assert_int_equal(2 * OPAL_SIZE_POOL_SLAB, pool.mapped);
    opal_size_pool_free(&pool, block, OPAL_SIZE_POOL_MAX);
    opal_size_pool_fini(&pool);
}

/* What was given back last serves the next block of its size, and no more is kept
 * than was said, whatever the sizes. */
static void large_blocks_are_kept(void **unused)
{
    enum { COUNT = 64, SIZE = 65600 };
    void *blocks[COUNT];
    opal_size_pool_t pool;

    (void) unused;
    opal_size_pool_init(&pool);
    for (size_t size = OPAL_SIZE_POOL_MAX + 1; size <= OPAL_SIZE_POOL_LARGE_MAX;
         size += 1 + below(5000)) {
        blocks[0] = opal_size_pool_alloc(&pool, size);
        assert_int_equal(size, pool.mapped);
        memset(blocks[0], 1, size);
        opal_size_pool_free(&pool, blocks[0], size);
        assert_int_equal(0, pool.mapped);
        assert_in_range(pool.large_kept, size, OPAL_SIZE_POOL_LARGE_KEEP);
        blocks[1] = opal_size_pool_alloc(&pool, size);
        assert_ptr_equal(blocks[0], blocks[1]);
        opal_size_pool_free(&pool, blocks[1], size);
    }
    for (int i = 0; i < COUNT; ++i) {
        blocks[i] = opal_size_pool_alloc(&pool, SIZE);
        assert_non_null(blocks[i]);
    }
    for (int i = 0; i < COUNT; ++i) {
        opal_size_pool_free(&pool, blocks[i], SIZE);
        assert_true(pool.large_kept <= OPAL_SIZE_POOL_LARGE_KEEP);
    }
    assert_true(pool.large_kept > OPAL_SIZE_POOL_LARGE_KEEP - 2 * SIZE);
    opal_size_pool_fini(&pool);
    assert_int_equal(0, pool.large_kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_do_not_overlap),
        cmocka_unit_test(a_burst_is_given_back),
        cmocka_unit_test(an_empty_slab_serves_any_class),
        cmocka_unit_test(large_blocks_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
