/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory in size classes, given back to the system after a burst.
 *
 * An unexpected message costs its receiver memory for as long as it waits, and
 * a flooded receiver has hundreds of thousands of them. malloc would serve, but
 * one long-lived block at the end of its heap keeps all that is before it.
 * Here every class has slabs of its own, mapped from the system; a slab whose
 * last block is freed is unmapped, but for the last one of its class and a few
 * more that are kept for the next burst.
 *
 *     class 112:  slab [head|112|112|112|...]  slab [head|112|...]
 *     class 128:  slab [head|128|128|...]
 *       ...
 *     larger than OPAL_SIZE_POOL_MAX: malloc; blocks that are given back are kept
 *     for the next ones of their class, up to OPAL_SIZE_POOL_LARGE_KEEP bytes
 *
 * The C library's heap shrinks when its last block is freed, and grows by pages
 * that are not there yet: a message of 64 KiB that waited cost its receiver
 * seventeen page faults each time.
 *
 * A block is found from its address alone: slabs are aligned to their size.
 * Allocation and release are constant time and touch the slab's header and the
 * block. Not thread-safe; the caller has a lock.
 */

#ifndef OPAL_SIZE_POOL_H
#define OPAL_SIZE_POOL_H

#include "opal_config.h"

#include <stddef.h>
#include <stdint.h>

BEGIN_C_DECLS

/** Bytes of a slab, and its alignment. */
#define OPAL_SIZE_POOL_SLAB ((size_t) 1 << 16)
/** Largest block that comes from a slab, bytes. */
#define OPAL_SIZE_POOL_MAX ((size_t) 8192)
/** Upper bound of the number of classes. */
#define OPAL_SIZE_POOL_CLASSES 56
/** Empty slabs kept for the next burst, in all classes together, besides the
 * last one of each class: 2 MiB. In some virtual machines munmap takes 0.2 ms. */
#define OPAL_SIZE_POOL_KEEP 32

/** Largest block that is kept although it comes from malloc, bytes; classes of
 * these, eight for each power of two; bytes that are kept, of all classes. */
#define OPAL_SIZE_POOL_LARGE_MAX ((size_t) 1 << 18)
#define OPAL_SIZE_POOL_LARGE_CLASSES 40
#define OPAL_SIZE_POOL_LARGE_KEEP ((size_t) 2 << 20)

typedef struct opal_size_pool_slab_t opal_size_pool_slab_t;

/** Slabs of one class that have a free block, most recently used first. */
typedef struct opal_size_pool_class_t {
    opal_size_pool_slab_t *partial;
    uint32_t block; /**< bytes of a block */
    uint32_t count; /**< blocks of a slab */
} opal_size_pool_class_t;

typedef struct opal_size_pool_t {
    opal_size_pool_class_t classes[OPAL_SIZE_POOL_CLASSES];
    /** Class of a size, by (size + 15) / 16. */
    uint8_t class_of[OPAL_SIZE_POOL_MAX / 16 + 1];
    opal_size_pool_slab_t *empty; /**< slabs without a class */
    unsigned num_empty;
    /** Large blocks that are kept, by class, each with the next in its first
     * word; their bytes; and the class that is the next to lose one. */
    void *large[OPAL_SIZE_POOL_LARGE_CLASSES];
    size_t large_kept;
    unsigned large_hand;
    /** Bytes of slabs, without those that are empty and kept, and of malloc'ed
     * blocks that are handed out. */
    size_t mapped;
    size_t mapped_max; /**< its high-water mark */
    size_t live;       /**< blocks handed out now, malloc'ed ones included */
} opal_size_pool_t;

/** Make an empty pool; allocates nothing. */
OPAL_DECLSPEC void opal_size_pool_init(opal_size_pool_t *pool);

/** Give all memory back. All blocks have been given back before. */
OPAL_DECLSPEC void opal_size_pool_fini(opal_size_pool_t *pool);

/**
 * Get a block of at least size bytes, aligned to 16.
 *
 * @return the block, or NULL if the system has no memory
 */
OPAL_DECLSPEC void *opal_size_pool_alloc(opal_size_pool_t *pool, size_t size);

/** Give a block back. size is what was asked for. */
OPAL_DECLSPEC void opal_size_pool_free(opal_size_pool_t *pool, void *block,
                                       size_t size);

END_C_DECLS

#endif /* OPAL_SIZE_POOL_H */
