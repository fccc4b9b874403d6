/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The common part of all variants: making and freeing a module, and the changes
 * between a list and a table.
 */

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "ompi/constants.h"
#include "mq_indexed.h"

/* Tables with at most this many slots are cheap to read as a whole. */
#define FEW_SLOTS 512

/* Let the list double before hashing it is tried again. */
static void stay_a_list(mca_mq_indexed_module_t *m, mca_mq_indexed_side_t *side)
{
    int64_t more = (int64_t) mca_mq_indexed_length(m, side);

    side->slack += more;
    side->room += more;
}

static bool are_short_lists(const mca_mq_indexed_module_t *m)
{
    return !m->posted.hashed && !m->unexpected.hashed && 0 == m->posted.slack &&
           0 == m->unexpected.slack;
}

/* Select the variant of the operations for the present queues. Only one of them
 * marks receives. */
static void choose(mca_mq_indexed_module_t *m)
{
    if (!m->owes && !m->due && m->marking && are_short_lists(m)) {
        mca_mq_indexed_use_marked(m);
        if (MCA_MQ_INDEXED_UNMARKED == m->posted.live) {
            mca_mq_indexed_marks_again(m, &m->posted);
        }
        return;
    }
    m->posted.live = MCA_MQ_INDEXED_UNMARKED;
    if (m->owes || m->due) {
        mca_mq_indexed_use_settle(m);
    } else if (m->posted.hashed || m->unexpected.hashed) {
        mca_mq_indexed_use_large(m);
    } else if (!are_short_lists(m)) {
        mca_mq_indexed_use_medium(m);
    } else {
        mca_mq_indexed_use_small(m);
    }
}

/* Largest length of a list that is cheap to search. */
static int64_t longest_list(const mca_mq_indexed_module_t *m,
                            const mca_mq_indexed_side_t *side)
{
    return 0 != side->far && m->ordered > 2 * m->limit ? 2 * m->limit
                                                       : m->ordered;
}

/* Let the list be longer than `small`, if it may. */
static bool wait_in_order(mca_mq_indexed_module_t *m,
                          mca_mq_indexed_side_t *side)
{
    int64_t more = longest_list(m, side) - m->limit - side->slack;

    if (more <= 0) {
        return false;
    }
    side->slack += more;
    side->room += more;
    ++side->waited;
    choose(m);
    return true;
}

void mca_mq_indexed_calm(mca_mq_indexed_module_t *m, mca_mq_queue_t queue)
{
    mca_mq_indexed_side_t *side = mca_mq_indexed_side(m, queue);

    if (0 != side->slack) {
        side->room -= side->slack;
        side->slack = 0;
        side->debt = 0;
        choose(m);
    }
}

/* Does the list contain all entries even while the queue is hashed? */
static bool list_has_all(const mca_mq_indexed_module_t *m,
                         const mca_mq_indexed_side_t *side)
{
    return side == &m->unexpected && !m->exact;
}

/* Hash the list of a queue. The table has slots. */
static void hash_list(mca_mq_indexed_module_t *m, mca_mq_indexed_side_t *side)
{
    mca_mq_entry_t *entry = mca_mq_base_fifo_first(&side->list), *next;
    bool stays = list_has_all(m, side), posted = side == &m->posted;

    side->room -= side->slack;
    side->slack = 0;
    side->debt = 0;
    side->hashed = true;
    ++side->entered;
    if (!stays) {
        mca_mq_base_fifo_init(&side->list);
    }
    for (; NULL != entry; entry = next) {
        bool hashed;

        next = mca_mq_base_fifo_next(entry, MCA_MQ_INDEXED_LIST);
        hashed = mca_mq_indexed_hash_entry(
            side, entry, mca_mq_indexed_hash(&m->seed, &entry->envelope));
        if (!stays && (posted ? !hashed : mca_mq_indexed_is_listed(m, entry))) {
            mca_mq_base_fifo_append(&side->list, entry, MCA_MQ_INDEXED_LIST);
        }
    }
    choose(m);
}

void mca_mq_indexed_enter(mca_mq_indexed_module_t *m,
                          mca_mq_indexed_side_t *side)
{
    if (wait_in_order(m, side)) {
        return;
    }
    if (mca_mq_indexed_table_ready(&side->table)) {
        hash_list(m, side);
    } else {
        stay_a_list(m, side);
    }
}

/* Are the entries of a queue in slots? Those owe nothing. */
static bool is_in_slots(const mca_mq_indexed_module_t *m,
                        const mca_mq_indexed_side_t *side)
{
    return side == &m->unexpected && mca_mq_indexed_slots_used(&m->slots);
}

/* Is the debt of a list larger than the cost of hashing it? */
static bool owes_too_much(const mca_mq_indexed_module_t *m,
                          const mca_mq_indexed_side_t *side)
{
    return side->debt > MCA_MQ_INDEXED_DEBT * mca_mq_indexed_length(m, side);
}

void mca_mq_indexed_owe(mca_mq_indexed_module_t *m, mca_mq_queue_t queue,
                        uint64_t traversed)
{
    mca_mq_indexed_side_t *side = mca_mq_indexed_side(m, queue);
    const mca_mq_entry_t *newest;
    uint64_t payment = 0;

    if (is_in_slots(m, side)) {
        return;
    }
    newest = mca_mq_base_fifo_last(&side->list, MCA_MQ_INDEXED_LIST);
    /* Order numbers also count entries of the other queue, and matched
     * messages: one operation each. */
    if (newest->order > side->paid) {
        payment = newest->order - side->paid;
        side->paid = newest->order;
    }
    side->debt -= payment < side->debt ? payment : side->debt;
    side->debt += traversed - (uint64_t) m->limit;
    if (owes_too_much(m, side)) {
        m->owes = true;
        choose(m);
    }
}

/* As with debts, the next operation does the marking. */
void mca_mq_indexed_passed_over(mca_mq_indexed_module_t *m)
{
    if (++m->passed_over == MCA_MQ_INDEXED_MARK_AFTER) {
        m->owes = true;
        choose(m);
    }
}

void mca_mq_indexed_unmark(mca_mq_indexed_module_t *m)
{
    m->passed_over = 0;
    m->marking = false;
    choose(m);
}

/* Start to mark receives if they were often matched out of order. */
static void settle_marks(mca_mq_indexed_module_t *m)
{
    if (m->marking || m->passed_over < MCA_MQ_INDEXED_MARK_AFTER) {
        return;
    }
    m->passed_over = 0;
    m->posted.oldest = 0;
    if (NULL == m->posted.marks) {
        m->posted.marks = malloc(sizeof(*m->posted.marks));
    }
    m->marking = NULL != m->posted.marks;
}

static void settle(mca_mq_indexed_module_t *m, mca_mq_indexed_side_t *side)
{
    if (side->hashed || is_in_slots(m, side) || !owes_too_much(m, side)) {
        return;
    }
    side->far = MCA_MQ_INDEXED_PATIENCE;
    side->debt = 0;
    if (mca_mq_indexed_table_ready(&side->table)) {
        ++side->settled;
        hash_list(m, side);
    }
}

bool mca_mq_indexed_settle(mca_mq_indexed_module_t *m)
{
    bool due = m->due;

    m->owes = false;
    m->due = false;
    settle(m, &m->posted);
    settle(m, &m->unexpected);
    settle_marks(m);
    choose(m);
    return due;
}

void mca_mq_indexed_watch(mca_mq_base_module_t *module,
                          const mca_mq_indexed_watch_t *watch, uint64_t look_at)
{
    mca_mq_indexed_module_t *m = (mca_mq_indexed_module_t *) module;

    m->watch = *watch;
    m->look_at = look_at;
    choose(m);
}

void *mca_mq_indexed_watcher(const mca_mq_base_module_t *module)
{
    return mca_mq_indexed_destroy == module->mq_destroy
               ? ((const mca_mq_indexed_module_t *) module)->watch.arg
               : NULL;
}

void mca_mq_indexed_look_due(mca_mq_indexed_module_t *m, uint64_t order)
{
    m->looked = order;
    m->look_at = UINT64_MAX;
    m->due = true;
    choose(m);
}

/* A few entries, in order of age. */
typedef struct mca_mq_indexed_few_t {
    mca_mq_entry_t *entry[MCA_MQ_INDEXED_SMALL_MAX];
    int count;
} mca_mq_indexed_few_t;

static void collect(mca_mq_entry_t *entry, void *arg)
{
    mca_mq_indexed_few_t *few = arg;
    int at = few->count++;

    for (; at > 0 && few->entry[at - 1]->order > entry->order; --at) {
        few->entry[at] = few->entry[at - 1];
    }
    few->entry[at] = entry;
}

/* Is reading or clearing the whole table cheap? */
static bool has_few_slots(const mca_mq_indexed_table_t *table)
{
    return table->mask < FEW_SLOTS &&
           (NULL == table->old || table->old_mask < FEW_SLOTS);
}

/* Rebuild the list from the table. False if that is not possible now. */
static bool list_again(mca_mq_indexed_side_t *side)
{
    mca_mq_indexed_few_t few = {.count = 0};
    const mca_mq_indexed_table_t *table = &side->table;

    if (0 == table->keys) {
        return true;
    }
    if (0 != side->unhashed) {
        return false;
    }
    mca_mq_indexed_table_each(table, collect, &few);
    mca_mq_base_fifo_init(&side->list);
    for (int i = 0; i < few.count; ++i) {
        mca_mq_base_fifo_append(&side->list, few.entry[i], MCA_MQ_INDEXED_LIST);
    }
    return true;
}

void mca_mq_indexed_relax(mca_mq_indexed_module_t *m,
                          mca_mq_indexed_side_t *side)
{
    if (0 != side->table.keys && !has_few_slots(&side->table)) {
        return;
    }
    if (!list_has_all(m, side) && !list_again(side)) {
        return;
    }
    if (side == &m->unexpected) {
        mca_mq_indexed_wild_drop(m);
    }
    mca_mq_indexed_table_reset(&side->table);
    memset(side->of_class, 0, sizeof(side->of_class));
    side->wildcards = 0;
    side->unhashed = 0;
    side->hashed = false;
    ++side->left;
    side->far -= 0 != side->far;
    if (side == &m->unexpected) {
        mca_mq_indexed_slots_again(m);
    }
    choose(m);
}

/* Visitor of entries that are not in the table. */
typedef struct mca_mq_indexed_visit_t {
    mca_mq_visit_fn_t visit;
    void *arg;
} mca_mq_indexed_visit_t;

static void visit_unhashed(mca_mq_entry_t *entry, void *arg)
{
    const mca_mq_indexed_visit_t *visitor = arg;

    if (NULL == entry->link[1]) {
        visitor->visit(entry, visitor->arg);
    }
}

static void visit_slots(const mca_mq_indexed_slots_t *slots,
                        mca_mq_visit_fn_t visit, void *arg)
{
    for (uint64_t left = slots->live; 0 != left; left &= left - 1) {
        visit(slots->array->entry[__builtin_ctzll(left)], arg);
    }
}

void mca_mq_indexed_each(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                         mca_mq_visit_fn_t visit, void *arg)
{
    mca_mq_indexed_module_t *m = (mca_mq_indexed_module_t *) module;
    mca_mq_indexed_side_t *side = mca_mq_indexed_side(m, queue);
    mca_mq_indexed_visit_t visitor = {visit, arg};

    if (is_in_slots(m, side)) {
        visit_slots(&m->slots, visit, arg);
        return;
    }
    if (!side->hashed || list_has_all(m, side)) {
        mca_mq_base_fifo_each(&side->list, visit, arg, MCA_MQ_INDEXED_LIST);
        return;
    }
    mca_mq_base_fifo_each(&side->list, visit_unhashed, &visitor,
                          MCA_MQ_INDEXED_LIST);
    mca_mq_indexed_table_each(&side->table, visit, arg);
}

size_t mca_mq_indexed_footprint(const mca_mq_base_module_t *module)
{
    const mca_mq_indexed_module_t *m = (const mca_mq_indexed_module_t *) module;

    return sizeof(*m) + mca_mq_indexed_table_footprint(&m->posted.table) +
           mca_mq_indexed_table_footprint(&m->unexpected.table) +
           (NULL == m->posted.marks ? 0 : sizeof(*m->posted.marks)) +
           (NULL == m->slots.array ? 0 : sizeof(*m->slots.array)) +
           (NULL == m->wild ? 0 : mca_mq_indexed_wild_footprint(m));
}

void mca_mq_indexed_destroy(mca_mq_base_module_t *module)
{
    mca_mq_indexed_module_t *m = (mca_mq_indexed_module_t *) module;

    if (NULL != m->watch.gone) {
        m->watch.gone(m->watch.arg);
    }
    mca_mq_indexed_wild_drop(m);
    mca_mq_indexed_table_fini(&m->posted.table);
    mca_mq_indexed_table_fini(&m->unexpected.table);
    free(m->posted.marks);
    free(m->slots.array);
    free(m);
}

static void side_figures(const mca_mq_indexed_side_t *side,
                         mca_mq_indexed_figures_t *figures)
{
    *figures = (mca_mq_indexed_figures_t){
        .hashed = side->hashed,
        .marked = MCA_MQ_INDEXED_UNMARKED != side->live,
        .entered = side->entered,
        .left = side->left,
        .waited = side->waited,
        .settled = side->settled,
        .unhashed = side->unhashed,
        .grown = side->table.grown,
        .shrunk = side->table.shrunk,
        .resizing = NULL != side->table.old,
        .keys = side->table.keys,
    };
    mca_mq_indexed_table_displacement(&side->table, &figures->displacement,
                                      &figures->displacement_max);
}

void mca_mq_indexed_figures(const mca_mq_base_module_t *module,
                            mca_mq_queue_t queue,
                            mca_mq_indexed_figures_t *figures)
{
    const mca_mq_indexed_module_t *m = (const mca_mq_indexed_module_t *) module;

    if (MCA_MQ_POSTED == queue) {
        side_figures(&m->posted, figures);
        return;
    }
    side_figures(&m->unexpected, figures);
    figures->marked =
        mca_mq_indexed_slots_used(&m->slots) && NULL != m->slots.array;
    figures->dropped = m->dropped;
    memcpy(figures->passed, m->passed, sizeof(m->passed));
    for (int i = 1; i < MCA_MQ_INDEXED_KINDS && NULL != m->wild; ++i) {
        figures->indexed[i] = m->wild->kind[i].indexed;
    }
}

/* Random, or at least different in each process. */
static const mca_mq_indexed_seed_t *seed(void)
{
    static mca_mq_indexed_seed_t made;
    struct timespec now;

    if (0 != made.word[2]) {
        return &made;
    }
    if (sizeof(made) != getrandom(&made, sizeof(made), GRND_NONBLOCK)) {
        clock_gettime(CLOCK_REALTIME, &now);
        made.word[0] = (uint64_t) now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15);
        made.word[1] = (uint64_t) now.tv_sec ^ (uint64_t) (uintptr_t) &now;
        made.word[1] *= UINT64_C(0xbf58476d1ce4e5b9);
        made.word[2] = made.word[0] ^ made.word[1] << 1;
    }
    /* Odd, so that the last multiplication loses no bit. */
    made.word[2] |= 1;
    return &made;
}

static void side_init(mca_mq_indexed_side_t *side, int64_t limit)
{
    mca_mq_base_fifo_init(&side->list);
    side->room = limit;
    side->live = MCA_MQ_INDEXED_UNMARKED;
    side->table.kept = (size_t) mca_mq_indexed_params.keep * 1024 /
                       sizeof(mca_mq_indexed_slot_t);
}

int mca_mq_indexed_create(const mca_mq_domain_info_t *info,
                          mca_mq_base_module_t **module)
{
    mca_mq_indexed_module_t *m = calloc(1, sizeof(*m));

    *module = (mca_mq_base_module_t *) m;
    if (NULL == m) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    m->watch.component = &mca_mq_indexed_component.super;
    m->look_at = UINT64_MAX;
    m->super.mq_stats = info->stats;
    mca_mq_indexed_use_small(m);
    m->exact = mca_mq_is_exact(info->assertions);
    m->limit = (int64_t) mca_mq_indexed_params.small;
    /* Without lists, no queue is searched in order. */
    m->ordered = 0 == m->limit ? 0 : (int64_t) mca_mq_indexed_params.ordered;
    m->relax_at = m->limit - m->limit / 4;
    m->seed = *seed();
    side_init(&m->posted, m->limit);
    side_init(&m->unexpected, m->limit);
    return OMPI_SUCCESS;
}
