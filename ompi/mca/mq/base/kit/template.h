/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Generates the operations of a module from the few primitives in which
 * components really differ. Each operation has two variants, with and without
 * counting; which one a domain uses is decided when it is made, so that
 * counting costs nothing when it is off.
 *
 * A component's source file defines, before it includes this file,
 *
 *     #define MQ_NAME list                prefix of the primitives
 *     #define MQ_MODULE mca_mq_list_module_t   its module; `super` is first
 *     #define MQ_PLACE mca_mq_base_nowhere_t     place of an envelope
 *
 * and these primitives, all static inline:
 *
 *     MQ_PLACE list_locate(MQ_MODULE *m, const mca_mq_envelope_t *envelope);
 *         The place (hash, slot, list) of an envelope, which may be that of
 *         a receive with wildcards. Computed once per operation. It must stay
 *         valid over one search that changes nothing. Not to be defined, nor
 *         is MQ_PLACE, if all envelopes have the same place: then it is
 *         mca_mq_base_nowhere_t.
 *     mca_mq_entry_t *list_find_posted(MQ_MODULE *m, MQ_PLACE place,
 *                                      const mca_mq_envelope_t *envelope,
 *                                      uint64_t *traversed);
 *     mca_mq_entry_t *list_find_unexpected(...same arguments...);
 *         The oldest match, which stays queued, or NULL. Adds the number of
 *         entries compared to *traversed.
 *     void list_add_posted(MQ_MODULE *m, MQ_PLACE place,
 *                          mca_mq_entry_t *entry);
 *     void list_add_unexpected(...same arguments...);
 *     void list_remove_posted(MQ_MODULE *m, mca_mq_entry_t *entry);
 *     void list_remove_unexpected(MQ_MODULE *m, mca_mq_entry_t *entry);
 *
 * It may define MQ_AFTER(m), which runs at the end of each operation that
 * searches and may change a queue (arrive, post and the two match operations),
 * when m is no longer needed: there, and nowhere else, a module may migrate its
 * domain.
 *
 * It may define MQ_SEARCHED(m, traversed), which runs after each search, with
 * the number of entries compared.
 *
 * It also defines, as ordinary static functions, list_each, list_footprint and
 * list_destroy with the types of mq.h. It then calls
 * mca_mq_base_template_init(module, stats, component) to fill in the operations
 * of a new module.
 */

#include "ompi/mca/mq/base/kit/count.h"

#if !defined(MQ_AFTER)
#define MQ_AFTER(m) ((void) (m))
#endif

#if !defined(MQ_SEARCHED)
#define MQ_SEARCHED(m, traversed) ((void) (m))
#endif

#define MQ_CAT_(a, b) a##_##b
#define MQ_CAT(a, b) MQ_CAT_(a, b)
#define MQ_DO(verb) MQ_CAT(MQ_NAME, verb)

#if !defined(MQ_PLACE)
#define MQ_PLACE mca_mq_base_nowhere_t

static inline mca_mq_base_nowhere_t MQ_DO(locate)(
    MQ_MODULE *m, const mca_mq_envelope_t *envelope)
{
    (void) m;
    (void) envelope;
    return (mca_mq_base_nowhere_t){0};
}
#endif

static inline __attribute__((always_inline)) mca_mq_entry_t *mq_do_arrive(
    mca_mq_base_module_t *module, const mca_mq_envelope_t *envelope,
    mca_mq_make_entry_fn_t make, void *arg, bool count)
{
    MQ_MODULE *m = (MQ_MODULE *) module;
    MQ_PLACE place = MQ_DO(locate)(m, envelope);
    uint64_t traversed = 0;
    mca_mq_entry_t *entry;

    entry = MQ_DO(find_posted)(m, place, envelope, &traversed);
    MQ_SEARCHED(m, traversed);
    if (count) {
        mca_mq_base_count_search(&module->mq_stats->queue[MCA_MQ_POSTED], entry,
                                 traversed);
    }
    if (NULL != entry) {
        MQ_DO(remove_posted)(m, entry);
        if (count) {
            mca_mq_base_count_remove(&module->mq_stats->queue[MCA_MQ_POSTED]);
        }
        return entry;
    }
    entry = make(arg);
    if (NULL != entry) {
        MQ_DO(add_unexpected)(m, place, entry);
        if (count) {
            mca_mq_base_count_insert(
                &module->mq_stats->queue[MCA_MQ_UNEXPECTED]);
        }
    }
    return NULL;
}

static inline __attribute__((always_inline)) mca_mq_entry_t *mq_do_post(
    mca_mq_base_module_t *module, mca_mq_entry_t *receive, bool count)
{
    MQ_MODULE *m = (MQ_MODULE *) module;
    MQ_PLACE place = MQ_DO(locate)(m, &receive->envelope);
    uint64_t traversed = 0;
    mca_mq_entry_t *entry;

    entry = MQ_DO(find_unexpected)(m, place, &receive->envelope, &traversed);
    MQ_SEARCHED(m, traversed);
    if (count) {
        mca_mq_base_count_search(&module->mq_stats->queue[MCA_MQ_UNEXPECTED],
                                 entry, traversed);
    }
    if (NULL != entry) {
        MQ_DO(remove_unexpected)(m, entry);
        if (count) {
            mca_mq_base_count_remove(
                &module->mq_stats->queue[MCA_MQ_UNEXPECTED]);
        }
        return entry;
    }
    MQ_DO(add_posted)(m, place, receive);
    if (count) {
        mca_mq_base_count_insert(&module->mq_stats->queue[MCA_MQ_POSTED]);
    }
    return NULL;
}

static inline __attribute__((always_inline)) mca_mq_entry_t *mq_do_match(
    mca_mq_base_module_t *module, const mca_mq_envelope_t *envelope,
    mca_mq_queue_t queue, bool take, bool count)
{
    MQ_MODULE *m = (MQ_MODULE *) module;
    MQ_PLACE place = MQ_DO(locate)(m, envelope);
    uint64_t traversed = 0;
    mca_mq_entry_t *entry;

    entry = MCA_MQ_POSTED == queue
                ? MQ_DO(find_posted)(m, place, envelope, &traversed)
                : MQ_DO(find_unexpected)(m, place, envelope, &traversed);
    MQ_SEARCHED(m, traversed);
    if (count) {
        mca_mq_base_count_search(&module->mq_stats->queue[queue], entry,
                                 traversed);
    }
    if (NULL != entry && take) {
        if (MCA_MQ_POSTED == queue) {
            MQ_DO(remove_posted)(m, entry);
        } else {
            MQ_DO(remove_unexpected)(m, entry);
        }
        if (count) {
            mca_mq_base_count_remove(&module->mq_stats->queue[queue]);
        }
    }
    return entry;
}

static inline __attribute__((always_inline)) void mq_do_insert(
    mca_mq_base_module_t *module, mca_mq_entry_t *entry, mca_mq_queue_t queue,
    bool count)
{
    MQ_MODULE *m = (MQ_MODULE *) module;
    MQ_PLACE place = MQ_DO(locate)(m, &entry->envelope);

    if (MCA_MQ_POSTED == queue) {
        MQ_DO(add_posted)(m, place, entry);
    } else {
        MQ_DO(add_unexpected)(m, place, entry);
    }
    if (count) {
        mca_mq_base_count_insert(&module->mq_stats->queue[queue]);
    }
}

static inline __attribute__((always_inline)) void mq_do_withdraw(
    mca_mq_base_module_t *module, mca_mq_entry_t *entry, mca_mq_queue_t queue,
    bool count)
{
    MQ_MODULE *m = (MQ_MODULE *) module;

    if (MCA_MQ_POSTED == queue) {
        MQ_DO(remove_posted)(m, entry);
    } else {
        MQ_DO(remove_unexpected)(m, entry);
    }
    if (count) {
        mca_mq_base_count_remove(&module->mq_stats->queue[queue]);
    }
}

/* End of an operation; found is its result. */
static inline __attribute__((always_inline)) mca_mq_entry_t *mq_ended(
    mca_mq_base_module_t *module, mca_mq_entry_t *found)
{
    MQ_AFTER((MQ_MODULE *) module);
    return found;
}

/* One set of functions with the types of mq.h per variant. */
#define MQ_VARIANT(variant, count)                                             \
    static mca_mq_entry_t *mq_arrive_##variant(                                \
        mca_mq_base_module_t *module, const mca_mq_envelope_t *envelope,       \
        mca_mq_make_entry_fn_t make, void *arg)                                \
    {                                                                          \
        return mq_ended(module,                                                \
                        mq_do_arrive(module, envelope, make, arg, count));     \
    }                                                                          \
    static mca_mq_entry_t *mq_post_##variant(mca_mq_base_module_t *module,     \
                                             mca_mq_entry_t *entry)            \
    {                                                                          \
        return mq_ended(module, mq_do_post(module, entry, count));             \
    }                                                                          \
    static mca_mq_entry_t *mq_match_posted_##variant(                          \
        mca_mq_base_module_t *module, const mca_mq_envelope_t *envelope)       \
    {                                                                          \
        return mq_ended(module, mq_do_match(module, envelope, MCA_MQ_POSTED,   \
                                            true, count));                     \
    }                                                                          \
    static mca_mq_entry_t *mq_match_unexpected_##variant(                      \
        mca_mq_base_module_t *module, const mca_mq_envelope_t *envelope)       \
    {                                                                          \
        return mq_ended(module, mq_do_match(module, envelope,                  \
                                            MCA_MQ_UNEXPECTED, true, count));  \
    }                                                                          \
    static mca_mq_entry_t *mq_probe_##variant(                                 \
        mca_mq_base_module_t *module, const mca_mq_envelope_t *envelope)       \
    {                                                                          \
        return mq_do_match(module, envelope, MCA_MQ_UNEXPECTED, false, count); \
    }                                                                          \
    static void mq_insert_posted_##variant(mca_mq_base_module_t *module,       \
                                           mca_mq_entry_t *entry)              \
    {                                                                          \
        mq_do_insert(module, entry, MCA_MQ_POSTED, count);                     \
    }                                                                          \
    static void mq_insert_unexpected_##variant(mca_mq_base_module_t *module,   \
                                               mca_mq_entry_t *entry)          \
    {                                                                          \
        mq_do_insert(module, entry, MCA_MQ_UNEXPECTED, count);                 \
    }                                                                          \
    static void mq_withdraw_posted_##variant(mca_mq_base_module_t *module,     \
                                             mca_mq_entry_t *entry)            \
    {                                                                          \
        mq_do_withdraw(module, entry, MCA_MQ_POSTED, count);                   \
    }                                                                          \
    static void mq_withdraw_unexpected_##variant(mca_mq_base_module_t *module, \
                                                 mca_mq_entry_t *entry)        \
    {                                                                          \
        mq_do_withdraw(module, entry, MCA_MQ_UNEXPECTED, count);               \
    }                                                                          \
    static const mca_mq_base_module_t mq_ops_##variant = {                     \
        .mq_arrive = mq_arrive_##variant,                                      \
        .mq_post = mq_post_##variant,                                          \
        .mq_match_posted = mq_match_posted_##variant,                          \
        .mq_match_unexpected = mq_match_unexpected_##variant,                  \
        .mq_insert_posted = mq_insert_posted_##variant,                        \
        .mq_insert_unexpected = mq_insert_unexpected_##variant,                \
        .mq_probe = mq_probe_##variant,                                        \
        .mq_withdraw_posted = mq_withdraw_posted_##variant,                    \
        .mq_withdraw_unexpected = mq_withdraw_unexpected_##variant,            \
        .mq_each = MQ_DO(each),                                                \
        .mq_footprint = MQ_DO(footprint),                                      \
        .mq_destroy = MQ_DO(destroy),                                          \
    };

MQ_VARIANT(plain, false)
MQ_VARIANT(counting, true)

/** Fill in the operations of a new module. stats: where to count; NULL: not. */
static inline void mca_mq_base_template_init(
    mca_mq_base_module_t *module, mca_mq_stats_t *stats,
    const mca_mq_base_component_t *component)
{
    *module = NULL == stats ? mq_ops_plain : mq_ops_counting;
    module->mq_component = component;
    module->mq_stats = stats;
}
