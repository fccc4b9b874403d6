/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Changes of the size of a hash table. Everything else is inline.
 */

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/mq/base/kit/table.h"

typedef mca_mq_base_table_t table_t;
typedef mca_mq_base_table_array_t array_t;
typedef mca_mq_base_table_slot_t slot_t;

/* Slots moved with each operation. A table that has grown to n slots must have
 * moved all within n/2 insertions. A table that shrinks is nearly empty, so its
 * slots are quickly scanned; the fewer operations it takes, the better. */
#define GROW_STEP 4
#define SHRINK_STEP 32

/* Marks a ring that has left the old array, as a probe sequence may continue
 * behind it. */
static void *gone[MCA_MQ_BASE_TABLE_LINKS];

static size_t slots_of(const array_t *array)
{
    return NULL == array->slots ? 0 : array->mask + 1;
}

static bool is_ring(const slot_t *slot)
{
    return NULL != slot->head && gone != slot->head;
}

static bool array_init(array_t *array, size_t slots)
{
    array->slots = calloc(slots, sizeof(*array->slots));
    array->mask = slots - 1;
    array->shift = 64;
    for (; slots > 1; slots /= 2) {
        --array->shift;
    }
    return NULL != array->slots;
}

/* Find the first free slot for a hash. */
static slot_t *free_slot(const array_t *array, uint64_t hash)
{
    size_t i = hash >> array->shift;

    while (NULL != array->slots[i].head) {
        i = (i + 1) & array->mask;
    }
    return &array->slots[i];
}

static void drop_old(table_t *table)
{
    free(table->old.slots);
    table->old.slots = NULL;
}

/* Move the next slots of the old array. */
static void move(table_t *table, size_t slots)
{
    size_t end = table->moved + slots;
    slot_t *slot;

    if (end > slots_of(&table->old)) {
        end = slots_of(&table->old);
    }
    for (; table->moved < end; ++table->moved) {
        slot = &table->old.slots[table->moved];
        if (is_ring(slot)) {
            *free_slot(&table->now, slot->hash) = *slot;
            slot->head = gone;
        }
    }
    if (slots_of(&table->old) == end) {
        drop_old(table);
    }
}

/* Number of keys below which a table of so many slots counts as poorly used. */
static size_t low_of(size_t slots)
{
    if (slots <= MCA_MQ_BASE_TABLE_KEEP) {
        return 0;
    }
    return slots <= MCA_MQ_BASE_TABLE_HOT ? slots / 8 : slots / 16;
}

/* Begin to use an array of another size. */
static bool resize(table_t *table, size_t slots, size_t step)
{
    array_t fresh;

    if (!array_init(&fresh, slots)) {
        return false;
    }
    table->old = table->now;
    table->moved = 0;
    table->step = step;
    table->now = fresh;
    table->limit = slots / 2;
    table->low = low_of(slots);
    table->idle = 0;
    return true;
}

static bool grow(table_t *table)
{
    size_t slots = 2 * slots_of(&table->now);

    if (0 == slots) {
        slots = 0 == table->first ? MCA_MQ_BASE_TABLE_MIN : table->first;
    }
    if (!resize(table, slots, GROW_STEP)) {
        return false;
    }
    ++table->grown;
    return true;
}

/* If memory is short, the table gets fuller than it should, but one slot stays
 * free. */
static bool is_full(const table_t *table)
{
    return table->count + 1 >= slots_of(&table->now);
}

bool mca_mq_base_table_prepare(table_t *table)
{
    if (NULL != table->old.slots) {
        move(table, table->step);
    }
    if (table->count < table->limit) {
        return true;
    }
    if (NULL != table->old.slots) {
        move(table, SIZE_MAX / 2);
    }
    if (!grow(table) && is_full(table)) {
        ++table->refused;
        return false;
    }
    return true;
}

/* Free both arrays. */
static void give_back(table_t *table)
{
    drop_old(table);
    free(table->now.slots);
    table->now.slots = NULL;
    table->limit = 0;
    table->low = 0;
    table->first = MCA_MQ_BASE_TABLE_KEEP;
    ++table->shrunk;
}

static void shrink(table_t *table)
{
    if (resize(table, slots_of(&table->now) / 4, SHRINK_STEP)) {
        ++table->shrunk;
    } else {
        /* Do not try again until it is empty. */
        table->low = 1;
    }
}

/* The last key was removed. */
static void emptied(table_t *table)
{
    size_t slots = slots_of(&table->now);

    drop_old(table);
    if (slots > MCA_MQ_BASE_TABLE_HOT ||
        (slots > MCA_MQ_BASE_TABLE_KEEP &&
         ++table->idle > MCA_MQ_BASE_TABLE_PATIENCE)) {
        give_back(table);
    }
}

void mca_mq_base_table_settle(table_t *table)
{
    if (table->count + 1 == table->low) {
        /* The table was well used. */
        table->idle = 0;
    }
    if (0 == table->count) {
        emptied(table);
    } else if (NULL != table->old.slots) {
        move(table, table->step);
    } else if (table->count < table->low &&
               slots_of(&table->now) > MCA_MQ_BASE_TABLE_HOT) {
        shrink(table);
    }
}

void **mca_mq_base_table_find_old(const table_t *table, uint64_t hash,
                                  mca_mq_base_table_same_fn_t same,
                                  const mca_mq_envelope_t *key,
                                  uint64_t *compared)
{
    const slot_t *slots = table->old.slots;
    size_t i;

    for (i = hash >> table->old.shift; NULL != slots[i].head;
         i = (i + 1) & table->old.mask) {
        if (hash == slots[i].hash && is_ring(&slots[i])) {
            ++*compared;
            if (same(slots[i].head, key)) {
                return slots[i].head;
            }
        }
    }
    return NULL;
}

void mca_mq_base_table_close_gap(table_t *table, size_t gap)
{
    slot_t *slots = table->now.slots;
    size_t mask = table->now.mask, i = gap, home;

    /* A later ring of this run may move into the gap unless its home slot lies
     * behind it. */
    for (;;) {
        i = (i + 1) & mask;
        if (NULL == slots[i].head) {
            break;
        }
        home = slots[i].hash >> table->now.shift;
        if (((i - home) & mask) >= ((i - gap) & mask)) {
            slots[gap] = slots[i];
            gap = i;
        }
    }
    slots[gap].head = NULL;
}

void mca_mq_base_table_replace_old(table_t *table, uint64_t hash, void **head,
                                   void **by)
{
    slot_t *slots = table->old.slots;
    size_t i = hash >> table->old.shift;

    while (head != slots[i].head) {
        i = (i + 1) & table->old.mask;
    }
    slots[i].head = NULL == by ? gone : by;
}

static void array_each(const array_t *array, mca_mq_base_table_visit_fn_t visit,
                       void *arg)
{
    size_t slots = slots_of(array);
    void **item;

    for (size_t i = 0; i < slots; ++i) {
        if (!is_ring(&array->slots[i])) {
            continue;
        }
        item = array->slots[i].head;
        do {
            visit(item, arg);
            item = (void **) item[MCA_MQ_BASE_TABLE_NEXT];
        } while (item != array->slots[i].head);
    }
}

void mca_mq_base_table_each(const table_t *table,
                            mca_mq_base_table_visit_fn_t visit, void *arg)
{
    array_each(&table->now, visit, arg);
    array_each(&table->old, visit, arg);
}

/* Adapts a visitor of entries to items. */
typedef struct visitor_t {
    mca_mq_visit_fn_t visit;
    void *arg;
} visitor_t;

static void visit_item(void **item, void *arg)
{
    const visitor_t *visitor = arg;

    visitor->visit(mca_mq_base_table_entry_of(item), visitor->arg);
}

void mca_mq_base_table_each_entry(const table_t *table, mca_mq_visit_fn_t visit,
                                  void *arg)
{
    visitor_t visitor = {visit, arg};

    mca_mq_base_table_each(table, visit_item, &visitor);
}

size_t mca_mq_base_table_footprint(const table_t *table)
{
    return (slots_of(&table->now) + slots_of(&table->old)) * sizeof(slot_t);
}

void mca_mq_base_table_fini(table_t *table)
{
    free(table->now.slots);
    drop_old(table);
    memset(table, 0, sizeof(*table));
}
