/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * indexed: constant time for every kind of receive at any queue length, and a
 * list while the queues are short. The default.
 *
 *     short queue       posted:      list:   oldest <-> ... <-> newest
 *                       unexpected:  slots:  oldest, ..., newest
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
 * A queue is a list while that is cheap, whatever its length: messages that are
 * matched in order, as most are, match the first entry, and nothing beats a
 * list for that. The cost is accounted for: each comparison of a search beyond
 * the first `small` adds to a debt, each entry that is queued pays one off, and
 * a list that owes more than DEBT per entry is hashed: all its entries, and
 * those that follow, go into a table with a FIFO per envelope
 * (mq_indexed_table.h). So for any order, and however it changes, lists cost at
 * most 1 + DEBT comparisons beyond `small` per search for each entry ever
 * queued, and each entry is hashed at most once. The table becomes a list again
 * when no more than a quarter of `small` entries are left. As the next burst is
 * likely to be like the last one, queues longer than twice `small` are hashed
 * on insertion for the next 64 bursts; that saves the searches, and the receive
 * that would have to hash a long list.
 *
 * While both lists have at most `small` entries, the module's operations are
 * plain list operations without accounting. They are replaced when a list
 * becomes long, so no search tests the mode.
 *
 * Few unexpected messages, up to 48, are in no list but in slots
 * (mq_indexed_slots.h), of which a search compares 16 at once: 16 bits of each
 * source and tag. Where the text above says list, these have to become one
 * first. Up to 16 receives are in the list, and can be searched by marks
 * (mq_indexed_marks.h), which are compared likewise. They are marked only after
 * 16 searches that passed over two or more of them, by separate operations,
 * until 64 searches in a row have found the oldest: programs that receive in
 * order pay nothing for it.
 *
 * Posted queue. A receive is stored under its own envelope, including
 * wildcards. An arrival looks up at most four keys: its own, and for each class
 * of wildcard (any tag, any source, both) of which a receive is posted, the key
 * of such a receive. The oldest of the heads wins.
 *
 * Unexpected queue. A receive without wildcards takes the head of one FIFO. For
 * wildcards, all messages are also in a list by age. The first receive of a
 * kind reads it from the oldest message on until one matches; it enters the
 * messages that it passes over in the index of that kind, and a cursor
 * remembers the position. The next receive of that kind searches the index, and
 * reads on from the cursor only if nothing matches there, as indexed messages
 * are older. So each message is read and indexed at most once per kind that is
 * really used, and unused kinds cost nothing. A receive that takes the oldest
 * message, as in master-worker programs, indexes nothing at all, nor does any
 * receive while at most 64 messages are queued. To spare receives the reading
 * of a long burst, each insertion indexes two messages when the cursor is far
 * behind (LAG) and the kind was used recently. Internal (negative) tags are not
 * entered in the two indexes for any tag.
 *
 * If the user promised not to use wildcards (MCA_MQ_ASSERT_EXACT), messages
 * with user tags are not in the list by age: their removal would touch two
 * neighbours that are not in the cache.
 *
 *     search      lists: O(entries passed over), amortised O(1). Then O(1):
 *                 one line of slots and the entry, for each class of wildcard
 *                 posted; a wildcard receive amortised over the messages it
 *                 passes. A single search may have to read a long list, and
 *                 once in 64 bursts to hash it; `ordered` bounds how long
 *     insertion   O(1); tables grow and shrink by a few slots per operation
 *     withdrawal  O(1), from the middle too
 *     memory      none while queues are short, but for 576 bytes once a
 *                 message waits, and 192 once receives are marked.
 *                 Then 32 to 64 bytes per envelope queued (64 to 256
 *                 below 512 of them), for a moment 96 while a table
 *                 doubles; 48 per message passed over by wildcards,
 *                 and a slot for each kind of wildcard that passed.
 *                 When the queue has drained, a table of up to `keep`
 *                 stays for the next burst until 64 bursts made no use
 *                 of an eighth of it; larger ones shrink as they empty
 *                 and are freed
 *
 * Wins wherever queues are long. Costs hardly more than a list for short
 * queues, and for long ones that are matched in order; but in the 64 bursts
 * after one that was not, each message costs a look-up and a hashed insertion.
 *
 * Hashes are keyed by random words of the process, so nobody can choose
 * colliding envelopes, and tags with any stride are distributed equally well.
 * Many entries of one envelope make a long FIFO, not a long probe sequence.
 *
 * If memory for a table cannot be allocated, entries stay in (or go to) the
 * list, which is searched linearly, so matching remains correct; without memory
 * for a wildcard index, the rest of the list is read without indexing it.
 *
 * Plan. The module selects the variant that serves, and the variants notify it
 * when to change:
 *
 *     (root) [circle]  all
 *
 * Source: our own design. A table per kind of wildcard is an idea of Denis
 * ("Scalability of the NewMadeleine communication library for large numbers of
 * MPI point-to-point requests", 2019), whose library keeps every request in all
 * four.
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
#include "mq_indexed_slots.h"
#include "mq_indexed_table.h"

BEGIN_C_DECLS

/** Link words of the list; the exact FIFO uses the other two. */
#define MCA_MQ_INDEXED_LIST MCA_MQ_BASE_PLANE_B

/** Most entries of a list, the largest value of `small`. */
#define MCA_MQ_INDEXED_SMALL_MAX 64

/** Up to this many unexpected messages are read without indexing them. */
#define MCA_MQ_INDEXED_READ 64

/** After this many searches by marks in a row that found the oldest receive,
 * the queue counts as matched in order. */
#define MCA_MQ_INDEXED_IN_ORDER 4

/** Receives are marked after MARK_AFTER searches that compared more than PASSED
 * of them, until UNMARK_AFTER searches in a row found the oldest one. */
#define MCA_MQ_INDEXED_MARK_AFTER 16
#define MCA_MQ_INDEXED_PASSED 2
#define MCA_MQ_INDEXED_UNMARK_AFTER 64

/** Messages that may lie ahead of the cursor of a wildcard index in use. */
#define MCA_MQ_INDEXED_LAG 1024

/** Number of bursts for which it is remembered that a queue was not searched in
 * order. */
#define MCA_MQ_INDEXED_PATIENCE 64

/** Comparisons that a list may owe per entry: about the cost of hashing one. */
#define MCA_MQ_INDEXED_DEBT 4

/** The parameters mq_indexed_*. */
typedef struct mca_mq_indexed_params_t {
    unsigned small;   /**< entries that a search may compare without incurring
                           debt */
    unsigned ordered; /**< largest length of a list */
    unsigned keep;    /**< memory kept for the next burst, KiB */
} mca_mq_indexed_params_t;

/** One of the two queues. */
typedef struct mca_mq_indexed_side_t {
    /** Not hashed: all entries that are not in slots. Hashed: in the unexpected
     * queue all entries (if the user promised to use no wildcards, those with
     * internal tags), and in both queues those for which the table had no
     * place. */
    mca_mq_base_fifo_t list;
    int64_t room;  /**< limit + slack - entries in the list or the table */
    int64_t slack; /**< how much longer the list may be, because it is cheap or
                        memory is short */
    /* Marks, of the posted queue only. */
    mca_mq_indexed_marks_t *marks; /**< used while it is a list; or NULL */
    uint32_t live;     /**< bits of the used slots of marks; or UNMARKED */
    uint32_t oldest;   /**< searches by marks in a row that found the oldest */
    uint64_t debt;     /**< comparisons beyond the free ones */
    uint64_t paid;     /**< order number up to which entries have paid */
    unsigned far;      /**< not 0: was not searched in order; bursts until that
                            is forgotten */
    uint64_t unhashed; /**< entries that are not in the table although hashed is
                            true; their link[1] is NULL */
    uint32_t wildcards; /**< posted receives with wildcards, while hashed */
    bool hashed;
    uint64_t of_class[MCA_MQ_INDEXED_KINDS]; /**< these by class; EXACT is not
                                                  counted */
    mca_mq_indexed_table_t table;
    uint64_t entered; /**< times it became hashed */
    uint64_t left;    /**< times it became a list again */
    uint64_t waited;  /**< times it stayed a list although it was long */
    uint64_t settled; /**< times it was hashed because of its debt */
} mca_mq_indexed_side_t;

/** The index of one kind of wildcard. */
typedef struct mca_mq_indexed_kind_t {
    mca_mq_indexed_table_t table;
    mca_mq_entry_t *cursor; /**< oldest message not yet passed over; NULL:
                                 none */
    uint64_t indexed;       /**< messages in the table */
    uint64_t recent;        /**< insertions until the kind counts as unused */
    bool started;
} mca_mq_indexed_kind_t;

/** State for wildcard receives, made for the first one. */
typedef struct mca_mq_indexed_wild_t {
    mca_mq_indexed_nodes_t nodes;
    mca_mq_indexed_kind_t kind[MCA_MQ_INDEXED_KINDS]; /**< not EXACT */
} mca_mq_indexed_wild_t;

/** Callbacks for another component that serves a domain by a module of this
 * one. */
typedef struct mca_mq_indexed_watch_t {
    /** That component; the module reports it as its own. */
    const mca_mq_base_component_t *component;
    /** An entry with this order number, at least `look_at`, was hashed. Called
     * at the end of an operation that may migrate the domain. Returns the order
     * number for the next call, or 0 if the domain has migrated and this module
     * was freed. */
    uint64_t (*look)(void *arg, uint64_t order);
    /** The module is freed. */
    void (*gone)(void *arg);
    void *arg;
} mca_mq_indexed_watch_t;

typedef struct mca_mq_indexed_module_t {
    mca_mq_base_module_t super;
    mca_mq_indexed_slots_t slots; /**< of the unexpected queue */
    mca_mq_indexed_side_t posted;
    mca_mq_indexed_side_t unexpected;
    mca_mq_indexed_wild_t *wild; /**< NULL: no recent wildcard search */
    uint32_t passed_over; /**< searches of a short posted queue that compared
                               more than PASSED entries */
    bool marking;         /**< receives are marked while they are few */
    mca_mq_indexed_seed_t seed;
    bool exact;       /**< made for MCA_MQ_ASSERT_EXACT */
    bool owes;        /**< the next operation has to hash a list or to mark
                           receives */
    bool due;         /**< watch.look is to be called */
    uint64_t look_at; /**< order number; UINT64_MAX: not watched */
    uint64_t looked;  /**< order number of the entry for which a look is due */
    mca_mq_indexed_watch_t watch;
    int64_t limit;    /**< the parameter `small` */
    int64_t ordered;  /**< the parameter `ordered` */
    int64_t relax_at; /**< value of room at which a queue may become a list
                           again */
    uint64_t passed[MCA_MQ_INDEXED_KINDS]; /**< messages indexed, ever */
    uint64_t dropped;                      /**< times wild was freed */
} mca_mq_indexed_module_t;

/** Statistics of one queue. */
typedef struct mca_mq_indexed_figures_t {
    bool hashed;       /**< now */
    bool marked;       /**< now; of messages: they are in slots */
    uint64_t entered;  /**< times it became hashed */
    uint64_t left;     /**< times it became a list again */
    uint64_t waited;   /**< times it stayed a list although longer than
                            `small` */
    uint64_t settled;  /**< times it was hashed because of its debt */
    uint64_t unhashed; /**< entries in the list for lack of memory */
    uint64_t grown;    /**< resizings begun */
    uint64_t shrunk;
    bool resizing; /**< now */
    size_t keys;   /**< envelopes in the table */
    /** Distances of keys from their home slots: sum and maximum. */
    size_t displacement;
    size_t displacement_max;
    /** Messages that were ever entered in the wildcard indexes, and those there
     * now; unexpected queue only. */
    uint64_t passed[MCA_MQ_INDEXED_KINDS];
    uint64_t indexed[MCA_MQ_INDEXED_KINDS];
    uint64_t dropped; /**< times that the indexes were freed */
} mca_mq_indexed_figures_t;

/** The component, with functions for tests, reports and `auto`. */
typedef struct mca_mq_indexed_component_t {
    mca_mq_base_component_t super;
    /** Read the statistics of a queue of one of this component's modules. */
    void (*figures)(const mca_mq_base_module_t *module, mca_mq_queue_t queue,
                    mca_mq_indexed_figures_t *figures);
    /** Watch one of this component's modules, from an order number on. */
    void (*watch)(mca_mq_base_module_t *module,
                  const mca_mq_indexed_watch_t *watch, uint64_t look_at);
    /** The arg of a module's watch; NULL if the module is not this component's,
     * or is not watched. */
    void *(*watcher)(const mca_mq_base_module_t *module);
} mca_mq_indexed_component_t;

OMPI_DECLSPEC extern const mca_mq_indexed_component_t mca_mq_indexed_component;

/** Parameters of new modules. */
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

/** An entry was hashed whose order number is at least look_at. */
void mca_mq_indexed_look_due(mca_mq_indexed_module_t *m, uint64_t order);

/* Operations that all variants share. */
void mca_mq_indexed_each(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                         mca_mq_visit_fn_t visit, void *arg);
size_t mca_mq_indexed_footprint(const mca_mq_base_module_t *module);
void mca_mq_indexed_destroy(mca_mq_base_module_t *module);

/** Select the variant of the operations: small: both queues are short lists;
 * marked: also, and receives are marked; medium: both are lists; large: at
 * least one is hashed; settle: the next operation has to hash or mark a list
 * first. */
void mca_mq_indexed_use_small(mca_mq_indexed_module_t *m);
void mca_mq_indexed_use_marked(mca_mq_indexed_module_t *m);
void mca_mq_indexed_use_medium(mca_mq_indexed_module_t *m);
void mca_mq_indexed_use_large(mca_mq_indexed_module_t *m);
void mca_mq_indexed_use_settle(mca_mq_indexed_module_t *m);

/** Mark the list of receives, which has all of them, from now on, if
 * possible. */
void mca_mq_indexed_marks_again(mca_mq_indexed_module_t *m,
                                mca_mq_indexed_side_t *side);

/** Queue a receive in a list that is not marked, or has no free mark. */
void mca_mq_indexed_add_slow(mca_mq_indexed_module_t *m,
                             mca_mq_indexed_side_t *side,
                             mca_mq_entry_t *entry);

/** Move the messages of the list, where all are, into slots, if they are
 * few. */
void mca_mq_indexed_slots_again(mca_mq_indexed_module_t *m);

/** Queue a message while that queue is not hashed, and no slot is free. */
void mca_mq_indexed_slots_add_slow(mca_mq_indexed_module_t *m,
                                   mca_mq_entry_t *entry);

/** passed_over: a search of few receives compared more than PASSED of them;
 * marks them if that was often so. unmark: stop marking them. */
void mca_mq_indexed_passed_over(mca_mq_indexed_module_t *m);
void mca_mq_indexed_unmark(mca_mq_indexed_module_t *m);

/** A list has drained, in the variant medium. */
void mca_mq_indexed_calm(mca_mq_indexed_module_t *m, mca_mq_queue_t queue);

/** The list of a queue has become too long: hash it, memory permitting, or
 * increase its limit. */
void mca_mq_indexed_enter(mca_mq_indexed_module_t *m,
                          mca_mq_indexed_side_t *side);

/** A search compared more than `small` entries of a list. */
void mca_mq_indexed_owe(mca_mq_indexed_module_t *m, mca_mq_queue_t queue,
                        uint64_t traversed);

/** Called before the next operation: hash the lists that owe too much. Returns
 * whether watch.look is to be called after it. */
bool mca_mq_indexed_settle(mca_mq_indexed_module_t *m);

/** A hashed queue has become short: make it a list if that is cheap now. */
void mca_mq_indexed_relax(mca_mq_indexed_module_t *m,
                          mca_mq_indexed_side_t *side);

/** Find the oldest unexpected message for a wildcard receive while that queue
 * is hashed. hash is that of envelope. */
mca_mq_entry_t *mca_mq_indexed_wild_find(mca_mq_indexed_module_t *m,
                                         uint64_t hash,
                                         const mca_mq_envelope_t *envelope,
                                         uint64_t *traversed);

/** insert: a message was queued. remove: a message is about to leave the list.
 * m->wild is not NULL. */
void mca_mq_indexed_wild_insert(mca_mq_indexed_module_t *m,
                                mca_mq_entry_t *entry);
void mca_mq_indexed_wild_remove(mca_mq_indexed_module_t *m,
                                mca_mq_entry_t *entry);

/** Free all wildcard indexes. */
void mca_mq_indexed_wild_drop(mca_mq_indexed_module_t *m);

/** Bytes of the wildcard indexes; m->wild is not NULL. */
size_t mca_mq_indexed_wild_footprint(const mca_mq_indexed_module_t *m);

/** The class of a receive: its wildcards. */
static inline int mca_mq_indexed_class(const mca_mq_envelope_t *receive)
{
    return (MCA_MQ_ANY_TAG == receive->tag ? MCA_MQ_INDEXED_ANY_TAG : 0) |
           (MCA_MQ_ANY_SOURCE == receive->source ? MCA_MQ_INDEXED_ANY_SOURCE
                                                 : 0);
}

/** Number of entries in one of the queues. */
static inline uint64_t mca_mq_indexed_length(const mca_mq_indexed_module_t *m,
                                             const mca_mq_indexed_side_t *side)
{
    return (uint64_t) (m->limit + side->slack - side->room) +
           (side == &m->unexpected ? mca_mq_indexed_slots_count(&m->slots) : 0);
}

/** Is an unexpected message in the list while that queue is hashed? */
static inline bool mca_mq_indexed_is_listed(const mca_mq_indexed_module_t *m,
                                            const mca_mq_entry_t *entry)
{
    return !m->exact || entry->envelope.tag < 0 || NULL == entry->link[1];
}

/** Insert an entry into the table of a hashed queue, and count it if it is a
 * receive with a wildcard. False if the table has no place. */
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

/* Lists, in all variants. */

static inline mca_mq_entry_t *mca_mq_indexed_list_find_receive(
    const mca_mq_indexed_side_t *side, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    return mca_mq_base_fifo_find_receive(&side->list, envelope, traversed,
                                         MCA_MQ_INDEXED_LIST);
}

static inline mca_mq_entry_t *mca_mq_indexed_list_find_message(
    const mca_mq_indexed_side_t *side, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    return mca_mq_base_fifo_find_message(&side->list, envelope, traversed,
                                         MCA_MQ_INDEXED_LIST);
}

/** Find the oldest match among the unexpected messages, in slots or the list.
 * There is one at least. */
mca_mq_entry_t *mca_mq_indexed_find_unexpected(
    mca_mq_indexed_module_t *m, const mca_mq_envelope_t *envelope,
    uint64_t *traversed);

/** Find the oldest match among the unexpected messages while they are not
 * hashed; without a call if there is none, as usual. */
static inline mca_mq_entry_t *mca_mq_indexed_list_find_unexpected(
    mca_mq_indexed_module_t *m, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    uint64_t compared = 0;
    mca_mq_entry_t *entry;

    if (OPAL_LIKELY(0 == m->slots.live)) {
        return NULL;
    }
    entry = mca_mq_indexed_find_unexpected(m, envelope, &compared);
    *traversed += compared;
    return entry;
}

/** Account for a search that compared so many entries of a list. */
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

/** Mark an entry of a list in a free slot. */
static inline void mca_mq_indexed_mark(mca_mq_indexed_side_t *side,
                                       mca_mq_entry_t *entry, uint32_t slot)
{
    mca_mq_indexed_marks_set(side->marks, slot, entry);
    side->live |= 1u << slot;
    entry->where = slot;
}

/** Queue a receive in a list that is marked if possible. */
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

/** Queue a message while that queue is not hashed. */
static inline void mca_mq_indexed_slots_add(mca_mq_indexed_module_t *m,
                                            mca_mq_entry_t *entry)
{
    uint32_t slot = mca_mq_indexed_slots_next(&m->slots);

    if (OPAL_UNLIKELY(slot >= m->slots.allowed)) {
        mca_mq_indexed_slots_add_slow(m, entry);
        return;
    }
    mca_mq_indexed_slots_set(&m->slots, slot, entry);
}

/** Remove a message while that queue is not hashed. */
static inline void mca_mq_indexed_slots_remove(mca_mq_indexed_module_t *m,
                                               mca_mq_entry_t *entry)
{
    mca_mq_indexed_side_t *side = &m->unexpected;

    if (OPAL_LIKELY(mca_mq_indexed_slots_used(&m->slots))) {
        assert(entry == m->slots.array->entry[entry->where]);
        m->slots.live &= ~(UINT64_C(1) << entry->where);
        return;
    }
    mca_mq_base_fifo_remove(&side->list, entry, MCA_MQ_INDEXED_LIST);
    ++side->room;
    if (mca_mq_base_fifo_is_empty(&side->list)) {
        m->slots.live = 0;
    }
}

/* Primitives of base/kit/template.h while both queues are lists. */

static inline void mca_mq_indexed_list_add_posted(mca_mq_indexed_module_t *m,
                                                  mca_mq_base_nowhere_t place,
                                                  mca_mq_entry_t *entry)
{
    (void) place;
    assert(MCA_MQ_INDEXED_UNMARKED == m->posted.live);
    mca_mq_indexed_list_add(m, &m->posted, entry);
}

static inline void mca_mq_indexed_list_add_unexpected(
    mca_mq_indexed_module_t *m, mca_mq_base_nowhere_t place,
    mca_mq_entry_t *entry)
{
    (void) place;
    mca_mq_indexed_slots_add(m, entry);
}

static inline void mca_mq_indexed_list_remove(mca_mq_indexed_side_t *side,
                                              mca_mq_entry_t *entry)
{
    assert(MCA_MQ_INDEXED_UNMARKED == side->live);
    mca_mq_base_fifo_remove(&side->list, entry, MCA_MQ_INDEXED_LIST);
    ++side->room;
}

/** Remove a receive from a list that may be marked: like fifo_remove, but
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
