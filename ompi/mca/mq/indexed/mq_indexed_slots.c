/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Unexpected messages between slots and the list.
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "mq_indexed.h"

/* As few slots as leave half of them, or a quarter of all, for messages to
 * come. A `small` of less than a group is for tests, which want short queues to
 * count as long. */
static void allow(const mca_mq_indexed_module_t *m,
                  mca_mq_indexed_slots_t *slots, uint64_t messages)
{
    uint64_t allowed = MCA_MQ_INDEXED_SLOTS_GROUP;

    while (messages > allowed / 2 && allowed < MCA_MQ_INDEXED_SLOTS_MAX) {
        allowed += MCA_MQ_INDEXED_SLOTS_GROUP;
    }
    slots->allowed =
        (uint16_t) (m->limit < MCA_MQ_INDEXED_SLOTS_GROUP ? (uint64_t) m->limit
                                                          : allowed);
}

/* Make the slots if there are none. */
static bool ready(const mca_mq_indexed_module_t *m,
                  mca_mq_indexed_slots_t *slots)
{
    if (NULL == slots->array && 0 != m->limit) {
        slots->array = calloc(1, sizeof(*slots->array));
    }
    return NULL != slots->array;
}

/* The messages that are left move up to the first slots. */
static void move_up(const mca_mq_indexed_module_t *m,
                    mca_mq_indexed_slots_t *slots)
{
    uint64_t left = slots->live;
    uint32_t slot = 0;

    allow(m, slots, mca_mq_indexed_slots_count(slots));
    slots->live = 0;
    for (; 0 != left; left &= left - 1) {
        mca_mq_indexed_slots_set(slots, slot++,
                                 slots->array->entry[__builtin_ctzll(left)]);
    }
}

/* All messages go from their slots into the list, which is empty. */
static void spill(mca_mq_indexed_module_t *m)
{
    mca_mq_indexed_side_t *side = &m->unexpected;
    uint64_t left = m->slots.live;

    allow(m, &m->slots, 0);
    side->room -= (int64_t) mca_mq_indexed_slots_count(&m->slots);
    m->slots.live = MCA_MQ_INDEXED_NO_SLOTS;
    for (; 0 != left; left &= left - 1) {
        mca_mq_base_fifo_append(&side->list,
                                m->slots.array->entry[__builtin_ctzll(left)],
                                MCA_MQ_INDEXED_LIST);
    }
}

/* Move all messages of the list into slots. There is room for them. */
static void unlist(mca_mq_indexed_module_t *m)
{
    mca_mq_indexed_side_t *side = &m->unexpected;
    mca_mq_entry_t *entry = mca_mq_base_fifo_first(&side->list);
    uint32_t slot = 0;

    m->slots.live = 0;
    for (; NULL != entry;
         entry = mca_mq_base_fifo_next(entry, MCA_MQ_INDEXED_LIST)) {
        mca_mq_indexed_slots_set(&m->slots, slot++, entry);
    }
    mca_mq_base_fifo_init(&side->list);
    side->room += slot;
    allow(m, &m->slots, slot);
}

void mca_mq_indexed_slots_again(mca_mq_indexed_module_t *m)
{
    const uint64_t length = mca_mq_indexed_length(m, &m->unexpected);

    if (0 == length) {
        m->slots.live = 0;
    } else if (length <= MCA_MQ_INDEXED_SLOTS_FEW &&
               2 * length <= (uint64_t) m->limit && ready(m, &m->slots)) {
        unlist(m);
    }
}

/* All allowed slots have been used. Make room for one more message, or give
 * slots up. */
static void make_room(mca_mq_indexed_module_t *m)
{
    mca_mq_indexed_slots_t *slots = &m->slots;
    const uint64_t messages = mca_mq_indexed_slots_count(slots);

    if (messages <= slots->allowed / 2 ||
        (MCA_MQ_INDEXED_SLOTS_MAX == slots->allowed &&
         messages <= MCA_MQ_INDEXED_SLOTS_MAX * 3 / 4)) {
        move_up(m, slots);
    } else if (m->limit >= MCA_MQ_INDEXED_SLOTS_GROUP &&
               slots->allowed < MCA_MQ_INDEXED_SLOTS_MAX &&
               MCA_MQ_INDEXED_ALL_OLDEST != slots->history) {
        slots->allowed += MCA_MQ_INDEXED_SLOTS_GROUP;
    } else {
        spill(m);
    }
}

void mca_mq_indexed_slots_add_slow(mca_mq_indexed_module_t *m,
                                   mca_mq_entry_t *entry)
{
    mca_mq_indexed_slots_t *slots = &m->slots;

    if (!mca_mq_indexed_slots_used(slots)) {
        mca_mq_indexed_slots_again(m);
    } else if (!ready(m, slots)) {
        slots->live = MCA_MQ_INDEXED_NO_SLOTS;
    } else if (0 == slots->live) {
        allow(m, slots, 0);
    } else {
        make_room(m);
    }
    if (mca_mq_indexed_slots_used(slots)) {
        mca_mq_indexed_slots_set(slots, mca_mq_indexed_slots_next(slots),
                                 entry);
    } else {
        mca_mq_indexed_list_add(m, &m->unexpected, entry);
    }
}

static mca_mq_entry_t *find_in_list(mca_mq_indexed_module_t *m,
                                    const mca_mq_envelope_t *envelope,
                                    uint64_t *traversed)
{
    const mca_mq_base_fifo_t *list = &m->unexpected.list;
    mca_mq_entry_t *entry =
        mca_mq_indexed_list_find_message(&m->unexpected, envelope, traversed);

    m->slots.history = (uint16_t) (m->slots.history << 1 |
                                   (entry == mca_mq_base_fifo_first(list)));
    return entry;
}

mca_mq_entry_t *mca_mq_indexed_find_unexpected(
    mca_mq_indexed_module_t *m, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    mca_mq_entry_t *entry;

    if (!mca_mq_indexed_slots_used(&m->slots)) {
        return find_in_list(m, envelope, traversed);
    }
    return 0 == mca_mq_indexed_slots_find(&m->slots, envelope, &entry,
                                          traversed)
               ? NULL
               : entry;
}
