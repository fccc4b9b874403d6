/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "opal_config.h"

#include <stdlib.h>
#include <string.h>

#include "opal/class/opal_buddy.h"
#include "opal/constants.h"

/* Blocks are named by the number of their first smallest block. */
#define NONE UINT32_MAX

/* The state of a number at which a block begins is its order and whether it is
 * free; all others are INSIDE. */
#define FREE 0x80
#define INSIDE 0xff

/* OPAL_BUDDY_ORDERS if there is none for this size. */
static unsigned order_of(size_t size)
{
    unsigned order = 0;

    while (order < OPAL_BUDDY_ORDERS && OPAL_BUDDY_MIN << order < size) {
        ++order;
    }
    return order;
}

size_t opal_buddy_rounded(size_t size)
{
    return OPAL_BUDDY_MIN << order_of(size);
}

size_t opal_buddy_usable(size_t length)
{
    size_t usable = OPAL_BUDDY_MIN;

    if (length < usable) {
        return 0;
    }
    while (usable <= length / 2) {
        usable *= 2;
    }
    return usable;
}

static void list_add(opal_buddy_t *buddy, uint32_t block, unsigned order)
{
    uint32_t first = buddy->first[order];

    buddy->state[block] = (uint8_t) (FREE | order);
    buddy->prev[block] = NONE;
    buddy->next[block] = first;
    if (NONE != first) {
        buddy->prev[first] = block;
    }
    buddy->first[order] = block;
}

static void list_remove(opal_buddy_t *buddy, uint32_t block, unsigned order)
{
    uint32_t next = buddy->next[block], prev = buddy->prev[block];

    buddy->state[block] = INSIDE;
    if (NONE != prev) {
        buddy->next[prev] = next;
    } else {
        buddy->first[order] = next;
    }
    if (NONE != next) {
        buddy->prev[next] = prev;
    }
}

int opal_buddy_init(opal_buddy_t *buddy, void *area, size_t length)
{
    size_t count = opal_buddy_usable(length) / OPAL_BUDDY_MIN;

    memset(buddy, 0, sizeof(*buddy));
    if (0 == count || count >> (OPAL_BUDDY_ORDERS - 1) > 1) {
        return OPAL_ERR_BAD_PARAM;
    }
    /* One table for all three. */
    buddy->next = malloc(count * (2 * sizeof(*buddy->next) + 1));
    if (NULL == buddy->next) {
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    buddy->prev = buddy->next + count;
    buddy->state = (uint8_t *) (buddy->prev + count);
    memset(buddy->state, INSIDE, count);
    buddy->area = area;
    buddy->orders = order_of(count * OPAL_BUDDY_MIN) + 1;
    for (unsigned i = 0; i < buddy->orders; ++i) {
        buddy->first[i] = NONE;
    }
    list_add(buddy, 0, buddy->orders - 1);
    return OPAL_SUCCESS;
}

void opal_buddy_fini(opal_buddy_t *buddy)
{
    free(buddy->next);
    memset(buddy, 0, sizeof(*buddy));
}

void *opal_buddy_alloc(opal_buddy_t *buddy, size_t size)
{
    unsigned order = order_of(size), from = order;
    uint32_t block;

    while (from < buddy->orders && NONE == buddy->first[from]) {
        ++from;
    }
    if (from >= buddy->orders) {
        return NULL;
    }
    block = buddy->first[from];
    list_remove(buddy, block, from);
    while (from > order) {
        --from;
        list_add(buddy, block + ((uint32_t) 1 << from), from);
    }
    buddy->state[block] = (uint8_t) order;
    buddy->used += OPAL_BUDDY_MIN << order;
    return buddy->area + block * OPAL_BUDDY_MIN;
}

void opal_buddy_free(opal_buddy_t *buddy, void *memory)
{
    uint32_t block =
        (uint32_t) ((size_t) ((char *) memory - buddy->area) / OPAL_BUDDY_MIN);
    unsigned order = buddy->state[block];

    buddy->used -= OPAL_BUDDY_MIN << order;
    buddy->state[block] = INSIDE;
    while (order + 1 < buddy->orders) {
        uint32_t other = block ^ ((uint32_t) 1 << order);

        if ((FREE | order) != buddy->state[other]) {
            break;
        }
        list_remove(buddy, other, order);
        block &= ~((uint32_t) 1 << order);
        ++order;
    }
    list_add(buddy, block, order);
}
