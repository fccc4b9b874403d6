/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * partner_dynamic: separate queues for the peers that fill the queues.
 *
 * Each queue (posted, unexpected) begins as one list, the base level. When it
 * has grown to `threshold` entries, the peers with the most entries in it
 * become partners: from then on their messages, or the receives posted for
 * them, go to separate lists, and the others to a new non-partner list, the
 * next level, until that has grown as well.
 *
 *     base          1              2 (newest)
 *     list  ----->  list  ----->   list         non-partner lists, oldest first
 *       |             |
 *       v             v
 *     partners a b  partner c                   one list each
 *
 *     PRQ_ANY: list of the receives from any source
 *
 * A partner's older entries stay where they are. So a search for a peer that
 * became a partner when level l was full reads the non-partner lists up to l,
 * then the partner's list; for other peers, all non-partner lists. Either way
 * that is the order of age. For a message, the match is compared by order
 * number with the receives in PRQ_ANY. A receive from any source searches all
 * lists of messages and takes the smallest order number.
 *
 *     search      short queues: that of a list. Then one look-up in a hash
 *                 table, O(entries left in old levels + entries of the peer)
 *                 for a partner, O(entries of non-partners) for others.
 *                 From any source: O(all lists), at least their heads
 *     insertion   O(1), the look-up shared with the search; every `threshold`
 *                 entries at least, O(entries of the level) to find partners
 *     removal     O(1)
 *     memory      O(partners): 104 bytes each and a slot of the hash table;
 *                 bounded by `cap`
 *
 * Wins over a list where peers fill the queues repeatedly (gathers written with
 * sends, in a loop): the entries that made a peer a partner stay in their
 * level, so the first burst is handled by a list. Loses to source_array where
 * all peers communicate equally, to a hash of the whole envelope where one peer
 * has a long queue, and with many receives from any source.
 *
 * Source: Ghazimirsaeed, Mirsadeghi, Afsahi, "Communication-aware message
 * matching in MPI" (2018), sections 4.1 and 4.3, Algorithms 1 and 3. Choices
 * that it leaves open, or that are different here:
 *
 * - The posted and the unexpected queue have separate levels and partners (the
 *   text speaks of "the queue"). One hash table from (context, source) serves
 *   both, so that an operation needs one look-up.
 * - "Reaches the threshold" (text) or "> t" (Algorithm 3): the newest
 *   non-partner list has `threshold` entries. Entries in partners' lists and
 *   in PRQ_ANY do not count.
 * - A peer's elements are counted when a level is full, by traversing its list;
 *   nothing is counted per message. Only entries queued at that time count.
 * - Edge point: see base/kit/census.h. It is calculated over the peers that
 *   have elements. The paper's index runs over all processes (`idle_peers`
 *   count); but a list of 100 entries comes from a small part of them. Then the
 *   median and both quartiles of all are 0, every peer with an element lies
 *   above, and the metrics cannot differ in the number of partners, as they
 *   should.
 * - If no peer lies above the edge point, there is no new level; the next
 *   attempt is made when the list is twice as long, and the threshold is
 *   restored when it is empty.
 * - `cap` c limits the partners of each queue to c * sqrt(size), rounded up.
 *   The paper limits the chains of its hash table instead. Peers with the most
 *   elements come first.
 * - The paper keeps partners forever. Here, when there is no room, partners
 *   without entries in the last 16 bursts are dropped, so that a later phase of
 *   the program finds room, and a domain with changing contexts does not grow.
 *   (A burst: non-partners fill a list to the threshold, and it drains.) An
 *   empty list alone is no reason, as it is empty after each burst: where all
 *   peers take turns, every partner would be dropped before its list is used.
 *   Without a cap, idle partners are dropped when there are more partners than
 *   peers; those beyond 4 per rank are dropped as soon as they have nothing
 *   queued.
 * - Levels do not accumulate: an old non-partner list that has drained is
 *   removed from the chain at once, since nothing will be added to it. Partners
 *   stay. So a queue that drains has one level again, and later entries of a
 *   partner are found in its list alone.
 * - If memory is short, no peer becomes a partner; there is no other effect.
 */

#ifndef OMPI_MCA_MQ_PARTNER_DYNAMIC_H
#define OMPI_MCA_MQ_PARTNER_DYNAMIC_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/census.h"
#include "ompi/mca/mq/base/kit/fifo.h"

#include "opal/class/opal_flat_hash.h"

BEGIN_C_DECLS

/** Does the edge point include peers without elements? */
enum {
    MCA_MQ_PARTNER_DYNAMIC_IDLE_COUNT = 1,
    MCA_MQ_PARTNER_DYNAMIC_IDLE_IGNORE
};

/** The parameters mq_partner_dynamic_*. */
typedef struct mca_mq_partner_dynamic_params_t {
    unsigned threshold; /**< entries of a level, at least 1 */
    mca_mq_base_edge_t edge;
    int idle_peers;
    mca_mq_base_real_t cap; /**< 0: no limit */
} mca_mq_partner_dynamic_params_t;

/** A list of entries; each entry's link[2] points to its list. */
typedef struct mca_mq_partner_dynamic_list_t {
    mca_mq_base_fifo_t fifo;
    uint64_t length;
    /** Number of a non-partner list, from 1 in order of age; 0: other lists. */
    uint64_t level;
} mca_mq_partner_dynamic_list_t;

/** A non-partner list in the chain of levels. */
typedef struct mca_mq_partner_dynamic_level_t {
    mca_mq_partner_dynamic_list_t list; /**< first */
    struct mca_mq_partner_dynamic_level_t *older;
    struct mca_mq_partner_dynamic_level_t *newer;
} mca_mq_partner_dynamic_level_t;

/** A peer that is a partner in one or both queues. */
typedef struct mca_mq_partner_dynamic_partner_t {
    mca_mq_partner_dynamic_list_t list[MCA_MQ_QUEUES];
    /** The last level that may have entries of this peer; 0: not a partner in
     * this queue. */
    uint64_t last[MCA_MQ_QUEUES];
    uint32_t used[MCA_MQ_QUEUES]; /**< burst of its last insertion */
    uint64_t key;
    struct mca_mq_partner_dynamic_partner_t *next; /**< in the chain of all
                                                        partners */
} mca_mq_partner_dynamic_partner_t;

/** One of the two queues. */
typedef struct mca_mq_partner_dynamic_side_t {
    mca_mq_partner_dynamic_level_t *oldest;
    mca_mq_partner_dynamic_level_t *newest; /**< receives new entries */
    uint64_t trigger;   /**< length of newest at which partners are selected */
    uint64_t level_ups; /**< levels made, without the base */
    uint64_t levels;    /**< number of levels in the chain */
    uint64_t partners;
    uint64_t crowded; /**< number of partners at which idle ones are dropped */
    uint32_t bursts;  /**< number of the burst; wraps */
    uint32_t swept;   /**< burst of the last search for idle partners */
    bool filled;      /**< the threshold was reached in this burst */
    /** Memory for the first level, or for a later one while this is free. */
    mca_mq_partner_dynamic_level_t own;
    bool own_is_used;
} mca_mq_partner_dynamic_side_t;

typedef struct mca_mq_partner_dynamic_module_t {
    mca_mq_base_module_t super;
    opal_flat_hash_t hash; /**< of mca_mq_partner_dynamic_partner_t, by key */
    mca_mq_partner_dynamic_partner_t *partners; /**< chain of all partners */
    mca_mq_partner_dynamic_list_t any;          /**< PRQ_ANY */
    mca_mq_partner_dynamic_side_t side[MCA_MQ_QUEUES];
    mca_mq_partner_dynamic_params_t params;
    uint32_t size;
} mca_mq_partner_dynamic_module_t;

/** Statistics of one queue. */
typedef struct mca_mq_partner_dynamic_figures_t {
    uint64_t level_ups; /**< levels made since creation, without the base */
    uint64_t levels;    /**< present levels, including the base */
    uint64_t partners;  /**< number of partners */
} mca_mq_partner_dynamic_figures_t;

/** The component, with functions for tests and reports. */
typedef struct mca_mq_partner_dynamic_component_t {
    mca_mq_base_component_t super;
    /** Read the statistics of a queue of one of this component's modules. */
    void (*figures)(const mca_mq_base_module_t *module, mca_mq_queue_t queue,
                    mca_mq_partner_dynamic_figures_t *figures);
} mca_mq_partner_dynamic_component_t;

OMPI_DECLSPEC extern const mca_mq_partner_dynamic_component_t
    mca_mq_partner_dynamic_component;

/** Parameters of new modules. */
extern mca_mq_partner_dynamic_params_t mca_mq_partner_dynamic_params;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_partner_dynamic_create(const mca_mq_domain_info_t *info,
                                  mca_mq_base_module_t **module);

/** See mca_mq_partner_dynamic_component_t. */
void mca_mq_partner_dynamic_figures(const mca_mq_base_module_t *module,
                                    mca_mq_queue_t queue,
                                    mca_mq_partner_dynamic_figures_t *figures);

/** Initialise a side with its base level. */
void mca_mq_partner_dynamic_side_init(mca_mq_partner_dynamic_side_t *side,
                                      unsigned threshold, uint32_t size);

/** Free the levels of a side. */
void mca_mq_partner_dynamic_side_fini(mca_mq_partner_dynamic_side_t *side);

/** The newest level of a queue has reached the trigger: select partners and
 * begin a new level, or else set the next trigger. */
void mca_mq_partner_dynamic_level_up(mca_mq_partner_dynamic_module_t *m,
                                     mca_mq_queue_t queue);

/** Remove an old level that has drained. */
void mca_mq_partner_dynamic_retire(mca_mq_partner_dynamic_side_t *side,
                                   mca_mq_partner_dynamic_level_t *level);

/** Key of a peer. */
static inline uint64_t mca_mq_partner_dynamic_key(
    const mca_mq_envelope_t *envelope)
{
    return (uint64_t) envelope->context << 32 | (uint32_t) envelope->source;
}

static inline void mca_mq_partner_dynamic_list_init(
    mca_mq_partner_dynamic_list_t *list, uint64_t level)
{
    mca_mq_base_fifo_init(&list->fifo);
    list->length = 0;
    list->level = level;
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_PARTNER_DYNAMIC_H */
