/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * indexed: constant time for every kind of receive at any depth, and a list
 * while the queues are short. The default.
 *
 *     short queue       list:   oldest <-> ... <-> newest
 *
 *     long posted queue
 *         table:  (context, source or any, tag or any) --> FIFO of receives
 *
 *     long unexpected queue
 *         table:  (context, source, tag) --> FIFO of messages
 *         list:   oldest <-> ... <-> | <-> ... <-> newest     all messages
 *                 passed over        cursor
 *                     |                 (one cursor per kind of wildcard)
 *                     v
 *         table:  (context, any, tag) --> FIFO of those passed over
 *
 * A queue is a list while that is cheap, at any length: messages that are
 * matched in order, as most are, find the first entry, and nothing beats a list
 * there. When it is cheap is a matter of account. A comparison beyond the first
 * `small` of a search is a debt, each entry that is queued pays one off, and a
 * list that owes DEBT for each entry it has is hashed: all go into a table with
 * a FIFO per envelope (mq_indexed_table.h), and so do those that come. So
 * whatever the order, and however it changes, what lists cost beyond `small`
 * per search is at most 1 + DEBT comparisons for each entry ever queued, and
 * each is hashed once at most. The table becomes a list again when no more than
 * a quarter of `small` entries are left. Since the next burst is likely to be
 * like the last one, the next 64 are hashed while they come, when they are
 * longer than twice `small`; that spares the searches, and one receive the
 * hashing of a long list.
 *
 * The module's operations are those of a list alone while both queues have no
 * more than `small` entries, and account for nothing then (they are replaced
 * when a queue becomes long, so no search asks for the mode).
 *
 * A queue of up to 16 entries is also searched by marks (mq_indexed_marks.h),
 * unless it is taken in order: 16 bits of each source and tag that are compared
 * all at once. Unexpected messages are marked as they come. Receives are marked
 * only after 16 searches that passed over two of them or more, by operations of
 * their own, and no longer once 64 in a row have found the oldest: those who
 * receive in order pay nothing for it.
 *
 * Posted queue. A receive lies under its own envelope, wildcards included. An
 * arrival looks up to four keys up: its own, and for each class of wildcard
 * (any tag, any source, both) of which a receive is posted, the one such a
 * receive would have. The oldest of the up to four heads wins.
 *
 * Unexpected queue. A receive without wildcards takes the head of one FIFO.
 * For wildcards the messages are also in one list by age. The first receive
 * of a kind reads it from the oldest message on, until one matches. What it
 * passes over it puts into the index of that kind, and a cursor keeps how far
 * it came. The next receive of the kind looks into the index, and reads on
 * from the cursor only if nothing is there: what is in the index is older. So
 * each message is read and indexed at most once for each kind that is really
 * used, a kind that is not used costs nothing, and a receive that takes the
 * oldest message, as masters with workers do, indexes nothing at all; nor does
 * one while no more than 64 messages are queued. So that
 * no receive has to read a long burst at once, insertions index two messages
 * each when the cursor is far behind (LAG) and the kind was used lately.
 * Internal (negative) tags are not put into the two indexes of any tag.
 *
 * Where the user promised to do without wildcards (MCA_MQ_ASSERT_EXACT),
 * messages with user tags are not put into the list by age: their removal
 * would touch two neighbours that are in no cache.
 *
 *     search      lists: O(entries passed over), amortised O(1). Then O(1):
 *                 one line of slots and the entry, for each class of wildcard
 *                 posted; a wildcard receive amortised over the messages it
 *                 passes. A single search may have to read a long list, and
 *                 once in 64 bursts to hash it; `ordered` bounds how long
 *     insertion   O(1); tables grow and shrink by a few slots per operation
 *     withdrawal  O(1), from the middle too
 *     memory      none while queues are lists, but for 192 bytes once two
 *                 messages wait, and 192 once receives are marked.
 *                 Then 32 to 64 bytes per envelope queued (64 to 256
 *                 below 512 of them), for a moment 96 while a table
 *                 doubles; 48 per message passed over by wildcards,
 *                 and a slot for each kind of wildcard that passed.
 *                 When the queue has drained, a table of up to `keep`
 *                 stays for the next burst until 64 bursts made no use
 *                 of an eighth of it; larger ones shrink as they empty
 *                 and are freed
 *
 * Wins wherever queues are long. Loses nothing to speak of to a list at short
 * queues, nor where long ones are matched in order; but in the 64 bursts after
 * one that was not, a look-up and a hashed entry each.
 *
 * Hashes are keyed by random words of the process, so envelopes that collide
 * cannot be chosen, and multiples of any number are as good as others. Many
 * entries of one envelope make a long FIFO, not a long probe.
 *
 * When memory for a table cannot be had, entries stay in (or go to) the list,
 * which is searched linearly, and the right one is still found; for a wildcard
 * index, the rest of the list is read without indexing it.
 *
 * Plan. The module changes which of the variants serves, and they tell it when:
 *
 *     (root) [circle]  all
 *
 * Source: ours. The idea of a table per kind of wildcard is Denis'
 * ("Scalability of the NewMadeleine communication library for large numbers of
 * MPI point-to-point requests", 2019), who keeps every request in all four.
 */

#ifndef OMPI_MCA_MQ_INDEXED_H
#define OMPI_MCA_MQ_INDEXED_H

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/fifo.h"

#include "mq_indexed_marks.h"
#include "mq_indexed_nodes.h"
#include "mq_indexed_table.h"

BEGIN_C_DECLS

/** The list's links; the exact FIFO has the other two words. */
#define MCA_MQ_INDEXED_LIST MCA_MQ_BASE_PLANE_B

/** Most entries of a list, the largest value of `small`. */
#define MCA_MQ_INDEXED_SMALL_MAX 64

/** Unexpected messages that a wildcard receive reads without indexing them. */
#define MCA_MQ_INDEXED_READ 64

/** So many searches in a row that find the oldest message make an order. */
#define MCA_MQ_INDEXED_IN_ORDER 4

/** Receives are marked after so many searches that compared more than PASSED of
 * them, until so many in a row found the oldest one. */
#define MCA_MQ_INDEXED_MARK_AFTER 16
#define MCA_MQ_INDEXED_PASSED 2
#define MCA_MQ_INDEXED_UNMARK_AFTER 64

/** Messages that may be ahead of the cursor of a wildcard index in use. */
#define MCA_MQ_INDEXED_LAG 1024

/** Bursts for which a queue is remembered not to be searched in order. */
#define MCA_MQ_INDEXED_PATIENCE 64

/** Comparisons that a list may owe for each entry it has: about what it costs
 * to hash one. */
#define MCA_MQ_INDEXED_DEBT 4

/** The parameters mq_indexed_*. */
typedef struct mca_mq_indexed_params_t {
    unsigned small;   /**< entries that a search may compare for nothing */
    unsigned ordered; /**< longest list */
    unsigned keep;    /**< memory kept for the next burst, KiB */
} mca_mq_indexed_params_t;

/** One of the two queues. */
typedef struct mca_mq_indexed_side_t {
    /** Not hashed: all entries. Hashed: of the unexpected queue all entries
     * (if wildcards were promised away, those with internal tags), and of both
     * those that found no place in the table. */
    mca_mq_base_fifo_t list;
    int64_t room;  /**< limit + slack - entries queued */
    int64_t slack; /**< because it is cheap, or for want of memory, the
                        list may be longer */
    mca_mq_indexed_marks_t *marks; /**< while it is a list; or NULL */
    uint32_t live;     /**< their slots that are used, one bit each; or
                            UNMARKED */
    uint32_t oldest;   /**< searches by marks in a row that found the oldest */
    uint64_t debt;     /**< comparisons that were too many */
    uint64_t paid;     /**< order number of the last entry that paid for some */
    unsigned far;      /**< not 0: it was not searched in order; bursts until
                            that is forgotten */
    uint64_t unhashed; /**< entries in no table though hashed is true; their
                            link[1] is NULL */
    uint32_t wildcards; /**< posted receives with any, while hashed */
    bool hashed;
    uint64_t of_class[MCA_MQ_INDEXED_KINDS]; /**< of these, by class; EXACT is
                                                  not counted */
    mca_mq_indexed_table_t table;
    uint64_t entered; /**< times it became hashed */
    uint64_t left;    /**< times it became a list again */
    uint64_t waited;  /**< times it stayed a list though it was long */
    uint64_t settled; /**< times it was hashed for its debt */
} mca_mq_indexed_side_t;

/** The index of one kind of wildcard. */
typedef struct mca_mq_indexed_kind_t {
    mca_mq_indexed_table_t table;
    mca_mq_entry_t *cursor; /**< oldest message not passed over; NULL: none */
    uint64_t indexed;       /**< messages in the table */
    uint64_t recent;        /**< insertions until it counts as unused */
    bool started;
} mca_mq_indexed_kind_t;

/** What wildcard receives need, once there was one. */
typedef struct mca_mq_indexed_wild_t {
    mca_mq_indexed_nodes_t nodes;
    mca_mq_indexed_kind_t kind[MCA_MQ_INDEXED_KINDS]; /**< not EXACT */
} mca_mq_indexed_wild_t;

/** What a component that has a module of this one serve for it wants to be
 * told. */
typedef struct mca_mq_indexed_watch_t {
    /** That component; the module says that it is of it. */
    const mca_mq_base_component_t *component;
    /** An entry with this order number, at least `look_at`, was hashed. Called
     * at the end of an operation that may migrate the domain. Returns the
     * order number for the next time, or 0: the domain was given to another
     * module, and this one is gone. */
    uint64_t (*look)(void *arg, uint64_t order);
    /** The module is freed. */
    void (*gone)(void *arg);
    void *arg;
} mca_mq_indexed_watch_t;

typedef struct mca_mq_indexed_module_t {
    mca_mq_base_module_t super;
    mca_mq_indexed_side_t posted;
    mca_mq_indexed_side_t unexpected;
    mca_mq_indexed_wild_t *wild; /**< NULL: no wildcard search lately */
    uint32_t passed_over; /**< searches among few receives that compared more
                               than PASSED */
    bool marking;         /**< receives are marked, if they are few */
    mca_mq_indexed_seed_t seed;
    bool exact;       /**< made for MCA_MQ_ASSERT_EXACT */
    bool owes;        /**< a list owes so much that it is to be hashed, or
                           receives are to be marked */
    bool due;         /**< there is to be a look, see watch */
    uint64_t look_at; /**< order number; UINT64_MAX: nobody watches */
    uint64_t looked;  /**< that of the entry for which one is due */
    mca_mq_indexed_watch_t watch;
    int64_t limit;    /**< the parameter `small` */
    int64_t ordered;  /**< the parameter `ordered` */
    int64_t relax_at; /**< room at which a queue may become a list again */
    uint64_t passed[MCA_MQ_INDEXED_KINDS]; /**< messages indexed, ever */
    uint64_t dropped;                      /**< times wild was freed */
} mca_mq_indexed_module_t;

/** Figures of one queue. */
typedef struct mca_mq_indexed_figures_t {
    bool hashed;       /**< now */
    bool marked;       /**< now */
    uint64_t entered;  /**< times it became hashed */
    uint64_t left;     /**< times it became a list again */
    uint64_t waited;   /**< times it stayed a list longer than `small` */
    uint64_t settled;  /**< times it was hashed for its debt */
    uint64_t unhashed; /**< entries in the list for want of memory */
    uint64_t grown;    /**< resizings begun */
    uint64_t shrunk;
    bool resizing; /**< now */
    size_t keys;   /**< envelopes in the table */
    /** Slots between a key's place and where it is: sum and maximum. */
    size_t displacement;
    size_t displacement_max;
    /** Messages that were put into the wildcard indexes, ever, and are there
     * now; of the unexpected queue only. */
    uint64_t passed[MCA_MQ_INDEXED_KINDS];
    uint64_t indexed[MCA_MQ_INDEXED_KINDS];
    uint64_t dropped; /**< times that these were given up */
} mca_mq_indexed_figures_t;

/** The component, with what its tests and reports want to know. */
typedef struct mca_mq_indexed_component_t {
    mca_mq_base_component_t super;
    /** Read the figures of a queue of one of this component's modules. */
    void (*figures)(const mca_mq_base_module_t *module, mca_mq_queue_t queue,
                    mca_mq_indexed_figures_t *figures);
    /** Have one of this component's modules watched, from an order number on.
     */
    void (*watch)(mca_mq_base_module_t *module,
                  const mca_mq_indexed_watch_t *watch, uint64_t look_at);
    /** The arg of who watches a module; NULL: it is none of this component's,
     * or nobody does. */
    void *(*watcher)(const mca_mq_base_module_t *module);
} mca_mq_indexed_component_t;

OMPI_DECLSPEC extern const mca_mq_indexed_component_t mca_mq_indexed_component;

/** What new modules are made with. */
extern mca_mq_indexed_params_t mca_mq_indexed_params;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_indexed_create(const mca_mq_domain_info_t *info,
                          mca_mq_base_module_t **module);

/** See mca_mq_indexed_component_t. */
void mca_mq_indexed_figures(const mca_mq_base_module_t *module,
                            mca_mq_queue_t queue,
                            mca_mq_indexed_figures_t *figures);

/** See mca_mq_indexed_component_t. */
void mca_mq_indexed_watch(mca_mq_base_module_t *module,
                          const mca_mq_indexed_watch_t *watch,
                          uint64_t look_at);
void *mca_mq_indexed_watcher(const mca_mq_base_module_t *module);

/** An entry was hashed that is as young as who watches wants it. */
void mca_mq_indexed_look_due(mca_mq_indexed_module_t *m, uint64_t order);

/* The operations of both variants that are the same. */
void mca_mq_indexed_each(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                         mca_mq_visit_fn_t visit, void *arg);
size_t mca_mq_indexed_footprint(const mca_mq_base_module_t *module);
void mca_mq_indexed_destroy(mca_mq_base_module_t *module);

/** From now on both queues are short lists; the same, and receives are marked;
 * both are lists; at least one is hashed; a list is to be hashed, or marked,
 * before anything else is done. */
void mca_mq_indexed_use_small(mca_mq_indexed_module_t *m,
                              const mca_mq_domain_info_t *info);
void mca_mq_indexed_use_marked(mca_mq_indexed_module_t *m);
void mca_mq_indexed_use_medium(mca_mq_indexed_module_t *m);
void mca_mq_indexed_use_large(mca_mq_indexed_module_t *m);
void mca_mq_indexed_use_settle(mca_mq_indexed_module_t *m);

/** The list of a queue, which has all its entries, is to be marked from now
 * on, if it can be. */
void mca_mq_indexed_marks_again(mca_mq_indexed_module_t *m,
                                mca_mq_indexed_side_t *side);

/** Queue an entry in a list that is not marked, or has no free slot. */
void mca_mq_indexed_add_slow(mca_mq_indexed_module_t *m,
                             mca_mq_indexed_side_t *side,
                             mca_mq_entry_t *entry);

/** A search among few receives compared more than PASSED of them: mark them, if
 * that has often been so. Or: stop marking them. */
void mca_mq_indexed_passed_over(mca_mq_indexed_module_t *m);
void mca_mq_indexed_unmark(mca_mq_indexed_module_t *m);

/** A list has drained, in variant medium. */
void mca_mq_indexed_calm(mca_mq_indexed_module_t *m, mca_mq_queue_t queue);

/** The list of a queue has become longer than it may be: hash it, memory
 * permitting, or let it be longer. */
void mca_mq_indexed_enter(mca_mq_indexed_module_t *m,
                          mca_mq_indexed_side_t *side);

/** A search compared more than `small` entries of a list. */
void mca_mq_indexed_owe(mca_mq_indexed_module_t *m, mca_mq_queue_t queue,
                        uint64_t traversed);

/** Before the next operation: hash the lists that owe too much. Returns
 * whether there is to be a look after it. */
bool mca_mq_indexed_settle(mca_mq_indexed_module_t *m);

/** A hashed queue has become short: make it a list, if that is cheap now. */
void mca_mq_indexed_relax(mca_mq_indexed_module_t *m,
                          mca_mq_indexed_side_t *side);

/** The oldest unexpected message for a wildcard receive, while that queue is
 * hashed. hash is that of envelope. */
mca_mq_entry_t *mca_mq_indexed_wild_find(mca_mq_indexed_module_t *m,
                                         uint64_t hash,
                                         const mca_mq_envelope_t *envelope,
                                         uint64_t *traversed);

/** A message was queued, a message will leave the list; m->wild is not NULL. */
void mca_mq_indexed_wild_insert(mca_mq_indexed_module_t *m,
                                mca_mq_entry_t *entry);
void mca_mq_indexed_wild_remove(mca_mq_indexed_module_t *m,
                                mca_mq_entry_t *entry);

/** Give all wildcard indexes up. */
void mca_mq_indexed_wild_drop(mca_mq_indexed_module_t *m);

/** Bytes of the wildcard indexes; m->wild is not NULL. */
size_t mca_mq_indexed_wild_footprint(const mca_mq_indexed_module_t *m);

/** Which wildcards a receive has. */
static inline int mca_mq_indexed_class(const mca_mq_envelope_t *receive)
{
    return (MCA_MQ_ANY_TAG == receive->tag ? MCA_MQ_INDEXED_ANY_TAG : 0) |
           (MCA_MQ_ANY_SOURCE == receive->source ? MCA_MQ_INDEXED_ANY_SOURCE
                                                 : 0);
}

/** Entries queued in one of the queues. */
static inline uint64_t mca_mq_indexed_length(const mca_mq_indexed_module_t *m,
                                             const mca_mq_indexed_side_t *side)
{
    return (uint64_t) (m->limit + side->slack - side->room);
}

/** Is an unexpected message, while that queue is hashed, in the list? */
static inline bool mca_mq_indexed_is_listed(const mca_mq_indexed_module_t *m,
                                            const mca_mq_entry_t *entry)
{
    return !m->exact || entry->envelope.tag < 0 || NULL == entry->link[1];
}

/** Put an entry into the table of a hashed queue, and count it if it is a
 * receive with a wildcard. False: there was no place. */
static inline bool mca_mq_indexed_hash_entry(mca_mq_indexed_side_t *side,
                                             mca_mq_entry_t *entry,
                                             uint64_t hash)
{
    int kind = mca_mq_indexed_class(&entry->envelope);

    entry->where = 0;
    if (OPAL_UNLIKELY(!mca_mq_indexed_put(&side->table, hash, &entry->envelope,
                                          entry, NULL, MCA_MQ_INDEXED_EXACT))) {
        entry->link[1] = NULL;
        ++side->unhashed;
        return false;
    }
    if (OPAL_UNLIKELY(MCA_MQ_INDEXED_EXACT != kind)) {
        ++side->wildcards;
        ++side->of_class[kind];
    }
    return true;
}

static inline mca_mq_indexed_side_t *mca_mq_indexed_side(
    mca_mq_indexed_module_t *m, mca_mq_queue_t queue)
{
    return MCA_MQ_POSTED == queue ? &m->posted : &m->unexpected;
}

/* A queue that is a list, in all variants. */

static inline mca_mq_entry_t *mca_mq_indexed_list_find_receive(
    const mca_mq_indexed_side_t *side, const mca_mq_envelope_t *envelope,
    uint64_t before, uint64_t *traversed)
{
    return mca_mq_base_fifo_find_receive(&side->list, envelope, before,
                                         traversed, MCA_MQ_INDEXED_LIST);
}

static inline mca_mq_entry_t *mca_mq_indexed_list_find_message(
    const mca_mq_indexed_side_t *side, const mca_mq_envelope_t *envelope,
    uint64_t before, uint64_t *traversed)
{
    return mca_mq_base_fifo_find_message(&side->list, envelope, before,
                                         traversed, MCA_MQ_INDEXED_LIST);
}

/** The same for all of the list of unexpected messages, which is not empty, and
 * may be marked. */
mca_mq_entry_t *mca_mq_indexed_find_unexpected(
    mca_mq_indexed_module_t *m, const mca_mq_envelope_t *envelope,
    uint64_t *traversed);

/** The same, which may be empty, and mostly is: then it is no call. */
static inline mca_mq_entry_t *mca_mq_indexed_list_find_unexpected(
    mca_mq_indexed_module_t *m, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    uint64_t compared = 0;
    mca_mq_entry_t *entry;

    if (OPAL_LIKELY(mca_mq_base_fifo_is_empty(&m->unexpected.list))) {
        return NULL;
    }
    entry = mca_mq_indexed_find_unexpected(m, envelope, &compared);
    *traversed += compared;
    return entry;
}

/** A search compared so many entries of a list. */
static inline void mca_mq_indexed_searched(mca_mq_indexed_module_t *m,
                                           mca_mq_queue_t queue,
                                           uint64_t traversed)
{
    if (OPAL_UNLIKELY((int64_t) traversed > m->limit)) {
        mca_mq_indexed_owe(m, queue, traversed);
    }
}

static inline void mca_mq_indexed_list_add(mca_mq_indexed_module_t *m,
                                           mca_mq_indexed_side_t *side,
                                           mca_mq_entry_t *entry)
{
    mca_mq_base_fifo_append(&side->list, entry, MCA_MQ_INDEXED_LIST);
    if (OPAL_UNLIKELY(--side->room < 0)) {
        mca_mq_indexed_enter(m, side);
    }
}

/** Mark an entry of a list; the slot is free. */
static inline void mca_mq_indexed_mark(mca_mq_indexed_side_t *side,
                                       mca_mq_entry_t *entry, uint32_t slot)
{
    mca_mq_indexed_marks_set(side->marks, slot, entry);
    side->live |= 1u << slot;
    entry->where = slot;
}

/** Queue an entry in a list that is marked if it can be. */
static inline void mca_mq_indexed_list_add_marked(mca_mq_indexed_module_t *m,
                                                  mca_mq_indexed_side_t *side,
                                                  mca_mq_entry_t *entry)
{
    uint32_t slot = mca_mq_indexed_marks_next(side->live);

    if (OPAL_UNLIKELY(slot >= MCA_MQ_INDEXED_MARKS)) {
        mca_mq_indexed_add_slow(m, side, entry);
        return;
    }
    mca_mq_indexed_mark(side, entry, slot);
    mca_mq_indexed_list_add(m, side, entry);
}

/** Where an envelope belongs in a list: there is but one place. */
typedef struct mca_mq_indexed_nowhere_t {
    char unused;
} mca_mq_indexed_nowhere_t;

/* Primitives of base/kit/template.h while both queues are lists. */

static inline mca_mq_indexed_nowhere_t mca_mq_indexed_list_locate(
    mca_mq_indexed_module_t *m, const mca_mq_envelope_t *envelope)
{
    (void) m;
    (void) envelope;
    return (mca_mq_indexed_nowhere_t){0};
}

static inline void mca_mq_indexed_list_add_posted(
    mca_mq_indexed_module_t *m, mca_mq_indexed_nowhere_t place,
    mca_mq_entry_t *entry)
{
    (void) place;
    assert(MCA_MQ_INDEXED_UNMARKED == m->posted.live);
    mca_mq_indexed_list_add(m, &m->posted, entry);
}

static inline void mca_mq_indexed_list_add_unexpected(
    mca_mq_indexed_module_t *m, mca_mq_indexed_nowhere_t place,
    mca_mq_entry_t *entry)
{
    (void) place;
    mca_mq_indexed_list_add_marked(m, &m->unexpected, entry);
}

static inline void mca_mq_indexed_list_remove(mca_mq_indexed_side_t *side,
                                              mca_mq_entry_t *entry)
{
    assert(MCA_MQ_INDEXED_UNMARKED == side->live);
    mca_mq_base_fifo_remove(&side->list, entry, MCA_MQ_INDEXED_LIST);
    ++side->room;
}

/** Take an entry out of a list that may be marked: as fifo_remove does, but
 * without a branch on whether it is the newest. */
static inline void mca_mq_indexed_list_remove_marked(
    mca_mq_indexed_side_t *side, mca_mq_entry_t *entry)
{
    mca_mq_base_fifo_t *list = &side->list;
    mca_mq_entry_t *next = mca_mq_base_fifo_next(entry, MCA_MQ_INDEXED_LIST);
    void **back = (void **) entry->link[MCA_MQ_INDEXED_LIST + 1];
    void *end = &list->tail;
    void *back_of_next = (char *) next + offsetof(mca_mq_entry_t, link) +
                         (MCA_MQ_INDEXED_LIST + 1) * sizeof(void *);

    side->live &= ~(1u << entry->where);
    *back = next;
    memcpy(NULL == next ? end : back_of_next, &back, sizeof(back));
    ++side->room;
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_INDEXED_H */
