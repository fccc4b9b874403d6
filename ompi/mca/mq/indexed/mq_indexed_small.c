/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations while both queues are short: those of a list of receives, with
 * a count of the entries, and of messages in slots.
 */

#include "ompi_config.h"

#include "mq_indexed.h"

static inline mca_mq_entry_t *small_find_posted(
    mca_mq_indexed_module_t *m, mca_mq_base_nowhere_t place,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    mca_mq_entry_t *entry;

    (void) place;
    entry = mca_mq_indexed_list_find_receive(&m->posted, envelope, traversed);
    if (OPAL_UNLIKELY(*traversed > MCA_MQ_INDEXED_PASSED)) {
        mca_mq_indexed_passed_over(m);
    }
    return entry;
}

static inline mca_mq_entry_t *small_find_unexpected(
    mca_mq_indexed_module_t *m, mca_mq_base_nowhere_t place,
    const mca_mq_envelope_t *envelope, uint64_t *traversed)
{
    (void) place;
    return mca_mq_indexed_list_find_unexpected(m, envelope, traversed);
}

static inline void small_remove_posted(mca_mq_indexed_module_t *m,
                                       mca_mq_entry_t *entry)
{
    mca_mq_indexed_list_remove(&m->posted, entry);
}

static inline void small_remove_unexpected(mca_mq_indexed_module_t *m,
                                           mca_mq_entry_t *entry)
{
    mca_mq_indexed_slots_remove(m, entry);
}

#define small_add_posted mca_mq_indexed_list_add_posted
#define small_add_unexpected mca_mq_indexed_list_add_unexpected
#define small_each mca_mq_indexed_each
#define small_footprint mca_mq_indexed_footprint
#define small_destroy mca_mq_indexed_destroy

#define MQ_NAME small
#define MQ_MODULE mca_mq_indexed_module_t
#include "ompi/mca/mq/base/kit/template.h"

/* The list of receives has become long. Returns NULL, as post found no
 * message. */
static __attribute__((noinline)) mca_mq_entry_t *posted_enter(
    mca_mq_indexed_module_t *m)
{
    mca_mq_indexed_enter(m, &m->posted);
    return NULL;
}

/* Queue a receive that no message matches. */
static inline mca_mq_entry_t *add_receive(mca_mq_indexed_module_t *m,
                                          mca_mq_entry_t *receive)
{
    mca_mq_base_fifo_append(&m->posted.list, receive, MCA_MQ_INDEXED_LIST);
    return OPAL_UNLIKELY(--m->posted.room < 0) ? posted_enter(m) : NULL;
}

/* Messages are queued. Their slot is known when one is found, so the next
 * search need not wait for what the message contains. */
static __attribute__((noinline)) mca_mq_entry_t *post_unexpected(
    mca_mq_indexed_module_t *m, mca_mq_entry_t *receive)
{
    mca_mq_entry_t *entry;
    uint64_t slot, traversed = 0;

    if (OPAL_UNLIKELY(!mca_mq_indexed_slots_used(&m->slots))) {
        return mq_post_plain(&m->super, receive);
    }
    slot = mca_mq_indexed_slots_find(&m->slots, &receive->envelope, &entry,
                                     &traversed);
    m->slots.live &= ~slot;
    return OPAL_LIKELY(0 != slot) ? entry : add_receive(m, receive);
}

/* Most receives find no unexpected message. Rare work is a tail call, so that
 * they need no stack frame and save no registers. */
static mca_mq_entry_t *small_post(mca_mq_base_module_t *module,
                                  mca_mq_entry_t *receive)
{
    mca_mq_indexed_module_t *m = (mca_mq_indexed_module_t *) module;

    return OPAL_LIKELY(0 == m->slots.live) ? add_receive(m, receive)
                                           : post_unexpected(m, receive);
}

/* No posted receive matches: queue the message. */
static __attribute__((noinline)) mca_mq_entry_t *arrive_unexpected(
    mca_mq_indexed_module_t *m, mca_mq_make_entry_fn_t make, void *arg)
{
    mca_mq_entry_t *entry = make(arg);

    if (NULL != entry) {
        mca_mq_indexed_slots_add(m, entry);
    }
    return NULL;
}

/* Most messages match the oldest receive, or find no receive at all. */
static mca_mq_entry_t *small_arrive(mca_mq_base_module_t *module,
                                    const mca_mq_envelope_t *envelope,
                                    mca_mq_make_entry_fn_t make, void *arg)
{
    mca_mq_indexed_module_t *m = (mca_mq_indexed_module_t *) module;
    mca_mq_entry_t *first = mca_mq_base_fifo_first(&m->posted.list);

    if (NULL == first) {
        return arrive_unexpected(m, make, arg);
    }
    if (OPAL_LIKELY(mca_mq_matches(&first->envelope, envelope))) {
        small_remove_posted(m, first);
        return first;
    }
    if (NULL == mca_mq_base_fifo_next(first, MCA_MQ_INDEXED_LIST)) {
        return arrive_unexpected(m, make, arg);
    }
    return mq_arrive_plain(module, envelope, make, arg);
}

void mca_mq_indexed_use_small(mca_mq_indexed_module_t *m)
{
    mca_mq_base_template_init(&m->super, m->super.mq_stats, m->watch.component);
    if (NULL == m->super.mq_stats) {
        m->super.mq_arrive = small_arrive;
        m->super.mq_post = small_post;
    }
}
