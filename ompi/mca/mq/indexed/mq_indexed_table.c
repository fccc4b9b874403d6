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

/* Arrays of this many bytes or more are mapped, not allocated by malloc. */
#define MAPPED ((size_t) 1 << 20)
/* Bytes of an old array that are returned to the system at a time. */
#define RETURN_BYTES ((size_t) 1 << 17)
/* Tables with fewer slots grow fourfold, already when a quarter full. */
#define SMALL_SLOTS 2048
/* Slots moved by one operation. A growing table must be finished before it has
 * to grow again, which is after slots / 2 insertions; a shrinking one after at
 * most slots / 16 removals. */
#define STEP_GROW 16
#define STEP_SHRINK 64
/* A kept array is freed when the queue has drained this often without using an
 * eighth of it. */
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
    /* Beyond this, probe sequences become long. */
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

/* Is the array to be kept: neither too large nor unused for too long? */
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
        /* Makes the table notice when an eighth is in use. */
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

/* Begin to resize. Moving starts at a free slot of the old array. */
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
        /* The array can be filled further until the next attempt. */
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

/* The key is not yet in the new array, because insertions search both
 * arrays. */
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

/* Return pages of moved slots to the system; they read as zero, which is free
 * slots. */
static void return_pages(mca_mq_indexed_table_t *table, size_t at)
{
    size_t end = bytes(at);

    if (bytes(table->old_mask + 1) >= MAPPED && end >= RETURN_BYTES &&
        0 == end % RETURN_BYTES &&
        table->old_mask + 1 - table->old_left >
            RETURN_BYTES / sizeof(mca_mq_indexed_slot_t)) {
        madvise((char *) table->old + end - RETURN_BYTES, RETURN_BYTES,
                MADV_DONTNEED);
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
        return_pages(table, ++table->old_at);
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
