/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks of one given area of memory, by the binary buddy system.
 *
 * For areas whose size is fixed beforehand, because they are registered with a
 * network. A block has a power of two of bytes; two free halves of a block, its
 * buddies, are one again at once:
 *
 *     order 3  |                             |
 *     order 2  |       used    |             |
 *     order 1  |       used    |used  |      |
 *     order 0  |       used    |used  |fr|use|
 *
 * So any mix of sizes finds room, without classes that one would have to divide
 * the area into; rounding up wastes at most half of a block. Allocation and
 * release take at most as many steps as there are orders. The area itself is
 * never touched: what is known of it is in a table of its own, 9 bytes for each
 * smallest block. Not thread-safe; the caller has a lock.
 *
 * Source: Knowlton, A fast storage allocator, CACM 8(10), 1965.
 */

#ifndef OPAL_BUDDY_H
#define OPAL_BUDDY_H

#include "opal_config.h"

#include <stddef.h>
#include <stdint.h>

BEGIN_C_DECLS

/** Bytes of the smallest block. */
#define OPAL_BUDDY_MIN ((size_t) 4096)
/** Upper bound of the number of orders: the largest block has
 * OPAL_BUDDY_MIN << (OPAL_BUDDY_ORDERS - 1) bytes. */
#define OPAL_BUDDY_ORDERS 24

typedef struct opal_buddy_t {
    char *area;
    unsigned orders;                   /**< the area is a block of the last */
    uint32_t first[OPAL_BUDDY_ORDERS]; /**< free blocks of each order */
    uint32_t *next, *prev;             /**< in the lists of free blocks */
    uint8_t *state;                    /**< of the block that begins here */
    size_t used;                       /**< bytes handed out, rounded up */
} opal_buddy_t;

/** The largest size that can be had of an area of that many bytes, and the
 * number of its bytes that are used: the power of two that is not larger.
 * @return 0 if it is smaller than OPAL_BUDDY_MIN */
OPAL_DECLSPEC size_t opal_buddy_usable(size_t length);

/**
 * Make all of an area free.
 *
 * @param area    stays the caller's
 * @param length  bytes; what is beyond opal_buddy_usable is not used
 * @return OPAL_SUCCESS, OPAL_ERR_BAD_PARAM (too small or too large) or
 *         OPAL_ERR_OUT_OF_RESOURCE
 */
OPAL_DECLSPEC int opal_buddy_init(opal_buddy_t *buddy, void *area,
                                  size_t length);

/** Forget the area; blocks need not have been given back. */
OPAL_DECLSPEC void opal_buddy_fini(opal_buddy_t *buddy);

/** Bytes that a block for that many really takes. */
OPAL_DECLSPEC size_t opal_buddy_rounded(size_t size);

/**
 * Get a block of at least size bytes, aligned to its size within the area.
 *
 * @return the block, or NULL if none is free that is large enough
 */
OPAL_DECLSPEC void *opal_buddy_alloc(opal_buddy_t *buddy, size_t size);

/** Give a block back. */
OPAL_DECLSPEC void opal_buddy_free(opal_buddy_t *buddy, void *block);

END_C_DECLS

#endif /* OPAL_BUDDY_H */
