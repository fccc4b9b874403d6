/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "opal_config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "opal/class/opal_size_pool.h"
#include "opal/prefetch.h"

struct opal_size_pool_slab_t {
    opal_size_pool_slab_t *next, *prev; /* in its class's partial list */
    void *free;                         /* released blocks, linked by word */
    uint32_t live;                      /* blocks handed out */
    uint32_t fresh;                     /* blocks never handed out so far */
    opal_size_pool_class_t *class;
};

/* Blocks begin here, so that they are aligned to 16. */
#define SLAB_HEAD ((sizeof(opal_size_pool_slab_t) + 63) & ~(size_t) 63)

void opal_size_pool_init(opal_size_pool_t *pool)
{
    size_t size = 0, block = 16;
    unsigned class = 0;

    memset(pool, 0, sizeof(*pool));
    /* Steps of 16 bytes to 256, then of an eighth of the power of two below,
     * which bounds what rounding up wastes to an eighth. */
    while (block <= OPAL_SIZE_POOL_MAX) {
        size_t step = 16;

        pool->classes[class].block = (uint32_t) block;
        pool->classes[class].count =
            (uint32_t) ((OPAL_SIZE_POOL_SLAB - SLAB_HEAD) / block);
        for (; size <= block; size += 16) {
            pool->class_of[size / 16] = (uint8_t) class;
        }
        while (step * 16 <= block) {
            step *= 2;
        }
        block += step;
        ++class;
    }
}

static void mapped_add(opal_size_pool_t *pool, size_t size)
{
    pool->mapped += size;
    if (pool->mapped > pool->mapped_max) {
        pool->mapped_max = pool->mapped;
    }
}

/* The class of a block larger than OPAL_SIZE_POOL_MAX, which has `size` bytes then:
 * rounded up by an eighth at most. */
static unsigned large_class(size_t *size)
{
    const unsigned top = (unsigned) (8 * sizeof(long) - 1) -
                         (unsigned) __builtin_clzl((unsigned long) (*size - 1));
    const size_t step = (size_t) 1 << (top - 3);

    *size = (*size + step - 1) & ~(step - 1);
    return 8 * (top - (unsigned) __builtin_ctzl(OPAL_SIZE_POOL_MAX)) +
           (unsigned) (*size / step) - 9;
}

static void *large_take(opal_size_pool_t *pool, unsigned class, size_t size)
{
    void *block = pool->large[class];

    if (NULL != block) {
        memcpy(&pool->large[class], block, sizeof(void *));
        pool->large_kept -= size;
    }
    return block;
}

/* Free the one that was kept last of the next class that has one. */
static void large_drop(opal_size_pool_t *pool)
{
    unsigned class = pool->large_hand;
    size_t step;

    while (NULL == pool->large[class]) {
        class = (class + 1) % OPAL_SIZE_POOL_LARGE_CLASSES;
    }
    pool->large_hand = (class + 1) % OPAL_SIZE_POOL_LARGE_CLASSES;
    step = OPAL_SIZE_POOL_MAX >> 3 << class / 8;
    free(large_take(pool, class, step * (9 + class % 8)));
}

/* Not inlined, so that it does not burden the others; likewise large_free. */
static __attribute__((noinline)) void *large_alloc(opal_size_pool_t *pool,
                                                   size_t size)
{
    size_t whole = size;
    void *block = NULL;

    if (size <= OPAL_SIZE_POOL_LARGE_MAX) {
        const unsigned class = large_class(&whole);

        block = large_take(pool, class, whole);
    }
    if (NULL == block) {
        block = malloc(whole);
    }
    if (NULL != block) {
        mapped_add(pool, size);
        ++pool->live;
    }
    return block;
}

static __attribute__((noinline)) void large_free(opal_size_pool_t *pool,
                                                 void *block, size_t size)
{
    unsigned class;

    pool->mapped -= size;
    if (size > OPAL_SIZE_POOL_LARGE_MAX) {
        free(block);
        return;
    }
    class = large_class(&size);
    while (pool->large_kept + size > OPAL_SIZE_POOL_LARGE_KEEP) {
        large_drop(pool);
    }
    memcpy(block, &pool->large[class], sizeof(void *));
    pool->large[class] = block;
    pool->large_kept += size;
}

/* Keep an empty slab, which does not count, or unmap it. */
static void slab_drop(opal_size_pool_t *pool, opal_size_pool_slab_t *slab)
{
    pool->mapped -= OPAL_SIZE_POOL_SLAB;
    if (pool->num_empty < OPAL_SIZE_POOL_KEEP) {
        slab->next = pool->empty;
        pool->empty = slab;
        ++pool->num_empty;
    } else {
        munmap(slab, OPAL_SIZE_POOL_SLAB);
    }
}

void opal_size_pool_fini(opal_size_pool_t *pool)
{
    opal_size_pool_slab_t *slab;

    for (unsigned i = 0; i < OPAL_SIZE_POOL_CLASSES; ++i) {
        while (NULL != (slab = pool->classes[i].partial)) {
            pool->classes[i].partial = slab->next;
            slab_drop(pool, slab);
        }
    }
    while (NULL != (slab = pool->empty)) {
        pool->empty = slab->next;
        munmap(slab, OPAL_SIZE_POOL_SLAB);
    }
    pool->num_empty = 0;
    while (0 != pool->large_kept) {
        large_drop(pool);
    }
}

/* Maps a slab at a multiple of its size: map twice as much, cut the ends. */
static opal_size_pool_slab_t *slab_map(void)
{
    char *area, *slab;

    area = mmap(NULL, 2 * OPAL_SIZE_POOL_SLAB, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (MAP_FAILED == (void *) area) {
        return NULL;
    }
    slab = (char *) (((uintptr_t) area + OPAL_SIZE_POOL_SLAB - 1) &
                     ~(uintptr_t) (OPAL_SIZE_POOL_SLAB - 1));
    if (slab > area) {
        munmap(area, (size_t) (slab - area));
    }
    if (slab < area + OPAL_SIZE_POOL_SLAB) {
        munmap(slab + OPAL_SIZE_POOL_SLAB,
               (size_t) (area + OPAL_SIZE_POOL_SLAB - slab));
    }
    return (opal_size_pool_slab_t *) slab;
}

static void partial_add(opal_size_pool_class_t *class,
                        opal_size_pool_slab_t *slab)
{
    slab->prev = NULL;
    slab->next = class->partial;
    if (NULL != class->partial) {
        class->partial->prev = slab;
    }
    class->partial = slab;
}

static void partial_remove(opal_size_pool_class_t *class,
                           opal_size_pool_slab_t *slab)
{
    if (NULL != slab->prev) {
        slab->prev->next = slab->next;
    } else {
        class->partial = slab->next;
    }
    if (NULL != slab->next) {
        slab->next->prev = slab->prev;
    }
}

static opal_size_pool_slab_t *slab_new(opal_size_pool_t *pool,
                                       opal_size_pool_class_t *class)
{
    opal_size_pool_slab_t *slab = pool->empty;

    if (NULL != slab) {
        pool->empty = slab->next;
        --pool->num_empty;
    } else {
        slab = slab_map();
        if (NULL == slab) {
            return NULL;
        }
    }
    mapped_add(pool, OPAL_SIZE_POOL_SLAB);
    slab->free = NULL;
    slab->live = 0;
    slab->fresh = class->count;
    slab->class = class;
    partial_add(class, slab);
    return slab;
}

void *opal_size_pool_alloc(opal_size_pool_t *pool, size_t size)
{
    opal_size_pool_class_t *class;
    opal_size_pool_slab_t *slab;
    void *block;

    if (OPAL_UNLIKELY(size > OPAL_SIZE_POOL_MAX)) {
        return large_alloc(pool, size);
    }
    class = &pool->classes[pool->class_of[(size + 15) / 16]];
    slab = class->partial;
    if (OPAL_UNLIKELY(NULL == slab)) {
        slab = slab_new(pool, class);
        if (NULL == slab) {
            return NULL;
        }
    }
    block = slab->free;
    if (NULL != block) {
        memcpy(&slab->free, block, sizeof(void *));
    } else {
        block = (char *) slab + SLAB_HEAD +
                (size_t) (class->count - slab->fresh) * class->block;
        --slab->fresh;
    }
    if (++slab->live == class->count) {
        partial_remove(class, slab);
    }
    ++pool->live;
    return block;
}

void opal_size_pool_free(opal_size_pool_t *pool, void *block, size_t size)
{
    opal_size_pool_class_t *class;
    opal_size_pool_slab_t *slab;

    --pool->live;
    if (OPAL_UNLIKELY(size > OPAL_SIZE_POOL_MAX)) {
        large_free(pool, block, size);
        return;
    }
    slab = (opal_size_pool_slab_t *) ((uintptr_t) block &
                                      ~(uintptr_t) (OPAL_SIZE_POOL_SLAB - 1));
    class = slab->class;
    memcpy(block, &slab->free, sizeof(void *));
    slab->free = block;
    if (slab->live-- == class->count) {
        partial_add(class, slab);
    }
    if (0 != slab->live) {
        return;
    }
    /* The last slab of a class stays where it is: a queue that goes from none
     * to one and back must not map and unmap. */
    if (class->partial == slab && NULL == slab->next) {
        return;
    }
    partial_remove(class, slab);
    slab_drop(pool, slab);
}
