/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mq_indexed_table.h"

/* Arrays of this many bytes are mapped, not taken from malloc's heap. */
#define MAPPED ((size_t) 1 << 20)
/* Bytes of an old array that are given back at a time. */
#define PIECE ((size_t) 1 << 17)
/* Tables below this many slots grow fourfold, and when a quarter full. */
#define SMALL_SLOTS 2048
/* Slots moved by one operation. A table that grows must be done before it has
 * to grow again, which is after slots / 2 insertions; one that shrinks after
 * slots / 16 removals at most. */
#define STEP_GROW 16
#define STEP_SHRINK 64
/* A kept array is given back when the queue has drained so often without an
 * eighth of it having been in use. */
#define PATIENCE 64

static size_t bytes(size_t slots)
{
    return slots * sizeof(mca_mq_indexed_slot_t);
}

static mca_mq_indexed_slot_t *new_array(size_t slots)
{
    void *memory;

    if (bytes(slots) < MAPPED) {
        return calloc(slots, sizeof(mca_mq_indexed_slot_t));
    }
    memory = mmap(NULL, bytes(slots), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return MAP_FAILED == memory ? NULL : memory;
}

static void free_array(mca_mq_indexed_slot_t *array, size_t slots)
{
    if (bytes(slots) < MAPPED) {
        free(array);
    } else {
        munmap(array, bytes(slots));
    }
}

static void use_array(mca_mq_indexed_table_t *table,
                      mca_mq_indexed_slot_t *array, size_t slots)
{
    table->slots = array;
    table->mask = slots - 1;
    table->limit = slots < SMALL_SLOTS ? slots / 4 : slots / 2;
    table->grow_at = table->limit;
    table->shrink_at = slots > MCA_MQ_INDEXED_MIN_SLOTS && slots > table->kept
                           ? slots / 16
                           : 0;
    table->idle = 0;
    /* Beyond that, probes become long. */
    table->full_at = slots - slots / 8;
    table->hint = NULL;
}

bool mca_mq_indexed_table_ready(mca_mq_indexed_table_t *table)
{
    mca_mq_indexed_slot_t *array;

    if (NULL == table->slots) {
        array = new_array(MCA_MQ_INDEXED_MIN_SLOTS);
        if (NULL == array) {
            return false;
        }
        use_array(table, array, MCA_MQ_INDEXED_MIN_SLOTS);
    }
    return true;
}

static void drop_old(mca_mq_indexed_table_t *table)
{
    if (NULL != table->old) {
        free_array(table->old, table->old_mask + 1);
        table->old = NULL;
        table->hint = NULL;
    }
}

/* Has the array been too large, or of no use, for too long? */
static bool is_kept(mca_mq_indexed_table_t *table)
{
    size_t slots = table->mask + 1;

    return slots <= MCA_MQ_INDEXED_MIN_SLOTS ||
           (slots <= table->kept && ++table->idle <= PATIENCE);
}

void mca_mq_indexed_table_reset(mca_mq_indexed_table_t *table)
{
    drop_old(table);
    if (NULL == table->slots) {
        return;
    }
    if (!is_kept(table)) {
        free_array(table->slots, table->mask + 1);
        table->slots = NULL;
        table->mask = 0;
    } else {
        if (0 != table->keys) {
            memset(table->slots, 0, bytes(table->mask + 1));
        }
        /* To be told when an eighth is in use. */
        table->grow_at = (table->mask + 1) / 8;
    }
    table->hint = NULL;
    table->keys = 0;
}

void mca_mq_indexed_table_fini(mca_mq_indexed_table_t *table)
{
    drop_old(table);
    if (NULL != table->slots) {
        free_array(table->slots, table->mask + 1);
        table->slots = NULL;
        table->hint = NULL;
    }
    table->mask = 0;
    table->keys = 0;
}

/* The old array is emptied from a free slot on. */
static bool begin(mca_mq_indexed_table_t *table, size_t slots)
{
    mca_mq_indexed_slot_t *array = new_array(slots);

    if (NULL == array) {
        return false;
    }
    table->old = table->slots;
    table->old_mask = table->mask;
    table->old_left = table->mask + 1;
    table->old_at = 0;
    while (NULL != table->old[table->old_at].head) {
        ++table->old_at;
    }
    use_array(table, array, slots);
    return true;
}

void mca_mq_indexed_table_grow(mca_mq_indexed_table_t *table)
{
    size_t slots = table->mask + 1;

    if (table->keys <= table->limit) {
        table->idle = 0;
        table->grow_at = table->limit;
        return;
    }
    if (NULL != table->old) {
        return;
    }
    if (begin(table, slots < SMALL_SLOTS ? 4 * slots : 2 * slots)) {
        ++table->grown;
    } else {
        /* The array can be filled further meanwhile. */
        table->grow_at = table->keys + slots / 16;
    }
}

void mca_mq_indexed_table_shrink(mca_mq_indexed_table_t *table)
{
    size_t slots = table->mask + 1;

    if (NULL == table->old && begin(table, slots / 4 < MCA_MQ_INDEXED_MIN_SLOTS
                                               ? MCA_MQ_INDEXED_MIN_SLOTS
                                               : slots / 4)) {
        ++table->shrunk;
    }
}

/* The key is not in the new array: it was looked for in both before it was put
 * there. */
static void move_slot(mca_mq_indexed_table_t *table,
                      mca_mq_indexed_slot_t *slot)
{
    size_t i = slot->hash & table->mask;

    while (NULL != table->slots[i].head) {
        i = (i + 1) & table->mask;
    }
    table->slots[i] = *slot;
    slot->head = NULL;
}

/* What was moved is free slots, and still reads so when the system has taken
 * the pages. */
static void give_back(mca_mq_indexed_table_t *table, size_t at)
{
    size_t end = bytes(at);

    if (bytes(table->old_mask + 1) >= MAPPED && end >= PIECE &&
        0 == end % PIECE &&
        table->old_mask + 1 - table->old_left >
            PIECE / sizeof(mca_mq_indexed_slot_t)) {
        madvise((char *) table->old + end - PIECE, PIECE, MADV_DONTNEED);
    }
}

void mca_mq_indexed_table_step(mca_mq_indexed_table_t *table)
{
    size_t some = table->mask > table->old_mask ? STEP_GROW : STEP_SHRINK;
    mca_mq_indexed_slot_t *slot;

    for (size_t done = 0; table->old_left > 0; ++done) {
        slot = &table->old[table->old_at];
        if (NULL != slot->head) {
            move_slot(table, slot);
        } else if (done >= some) {
            return;
        }
        --table->old_left;
        give_back(table, ++table->old_at);
        table->old_at &= table->old_mask;
    }
    drop_old(table);
}

size_t mca_mq_indexed_table_footprint(const mca_mq_indexed_table_t *table)
{
    return (NULL == table->slots ? 0 : bytes(table->mask + 1)) +
           (NULL == table->old ? 0 : bytes(table->old_mask + 1));
}

static void visit_array(const mca_mq_indexed_slot_t *slots, size_t mask,
                        mca_mq_visit_fn_t visit, void *arg)
{
    mca_mq_entry_t *entry;

    for (size_t i = 0; i <= mask; ++i) {
        for (entry = slots[i].head; NULL != entry; entry = entry->link[0]) {
            visit(entry, arg);
        }
    }
}

void mca_mq_indexed_table_each(const mca_mq_indexed_table_t *table,
                               mca_mq_visit_fn_t visit, void *arg)
{
    if (NULL != table->slots) {
        visit_array(table->slots, table->mask, visit, arg);
    }
    if (NULL != table->old) {
        visit_array(table->old, table->old_mask, visit, arg);
    }
}

static void measure_array(const mca_mq_indexed_slot_t *slots, size_t mask,
                          size_t *sum, size_t *most)
{
    size_t distance;

    for (size_t i = 0; i <= mask; ++i) {
        if (NULL != slots[i].head) {
            distance = (i - slots[i].hash) & mask;
            *sum += distance;
            *most = distance > *most ? distance : *most;
        }
    }
}

void mca_mq_indexed_table_displacement(const mca_mq_indexed_table_t *table,
                                       size_t *sum, size_t *most)
{
    *sum = 0;
    *most = 0;
    if (NULL != table->slots) {
        measure_array(table->slots, table->mask, sum, most);
    }
    if (NULL != table->old) {
        measure_array(table->old, table->old_mask, sum, most);
    }
}
