/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * partner_dynamic: queues of their own for the peers that fill the queues.
 *
 * Each queue (posted, unexpected) begins as one list, the base level. When it
 * has grown to `threshold` entries, the peers with the most entries in it
 * become partners: from then on what they send or what is posted for them goes
 * to a list of their own, and the rest to a new non-partner list, the next
 * level, until that has grown in its turn.
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
 * then the partner's list; for any other peer, all non-partner lists. That is
 * the order of age in each case. A message compares what it found by order
 * number with the receives in PRQ_ANY. A receive from any source looks into
 * all lists of messages and takes the smallest order number.
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
 * Wins over a list where peers fill the queues again and again (gathers written
 * with sends, in a loop): the entries that made a peer a partner stay in the
 * level, so in a first burst it is a list. Loses against source_array where all
 * peers communicate alike, against a hash of the whole envelope where one peer
 * has a long queue, and with many receives from any source.
 *
 * Source: Ghazimirsaeed, Mirsadeghi, Afsahi, "Communication-aware message
 * matching in MPI" (2018), sections 4.1 and 4.3, Algorithms 1 and 3. What it
 * leaves open or does not need, and what is done here:
 *
 * - The posted and the unexpected queue each have levels and partners of their
 *   own (the text speaks of "the queue"). One hash table from (context,
 *   source) serves both, so that an operation needs one look-up.
 * - "Reaches the threshold" (text) or "> t" (Algorithm 3): the newest
 *   non-partner list has `threshold` entries. Entries in partners' lists and
 *   in PRQ_ANY do not count.
 * - A peer's elements are counted when a level is full, by walking its list;
 *   nothing is counted per message. What counts is what is queued then.
 * - Edge point: see base/kit/census.h. It is calculated of the peers that have
 *   elements. The paper's index runs over all processes (`idle_peers` count);
 *   but a list of 100 entries is from a small part of them. The median and
 *   both quartiles of all are 0 then, every peer with an element lies above,
 *   and the metrics, which are to differ in how many partners they find, the
 *   upper fence fewest, cannot.
 * - If nobody lies above the edge point there is no new level; the next try is
 *   when the list is twice as long, and the threshold is back when it is empty.
 * - `cap` c bounds the partners of each queue to c * sqrt(size), rounded up.
 *   The paper bounds the chains of its hash table instead. The peers with the
 *   most elements are taken first.
 * - The paper keeps partners for ever. Here, when there is no room, those are
 *   given up for which nothing was queued in the last 16 bursts, so that a
 *   later phase of the program finds room, and a domain that serves contexts
 *   that come and go does not grow. (A burst: non-partners fill a list to the
 *   threshold and it drains.) A partner's list being empty is no reason: it is
 *   after each burst, and where all peers take turns, giving up any of those
 *   that had none yet would cost every one its list before it is used.
 *   Without a cap the same is done when there are more partners than peers;
 *   those beyond 4 for each rank are given up as soon as they have nothing
 *   queued.
 * - Levels do not pile up: an old non-partner list that has drained is taken
 *   out of the chain at once, since nothing will be added to it. Partners
 *   stay. So a queue that drains has one level again, and what comes next from
 *   a partner is found in that partner's list alone.
 * - When memory is short nobody becomes a partner; nothing else happens.
 */

#ifndef OMPI_MCA_MQ_PARTNER_DYNAMIC_H
#define OMPI_MCA_MQ_PARTNER_DYNAMIC_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/census.h"
#include "ompi/mca/mq/base/kit/fifo.h"

#include "opal/class/opal_flat_hash.h"

BEGIN_C_DECLS

/** Are peers without elements among those it is calculated of? */
enum {
    MCA_MQ_PARTNER_DYNAMIC_IDLE_COUNT = 1,
    MCA_MQ_PARTNER_DYNAMIC_IDLE_IGNORE
};

/** The parameters mq_partner_dynamic_*. */
typedef struct mca_mq_partner_dynamic_params_t {
    unsigned threshold; /**< entries of a level, at least 1 */
    mca_mq_base_edge_t edge;
    int idle_peers;
    mca_mq_base_real_t cap; /**< 0: no bound */
} mca_mq_partner_dynamic_params_t;

/** A list of entries; each entry's link[2] points to the one it is in. */
typedef struct mca_mq_partner_dynamic_list_t {
    mca_mq_base_fifo_t fifo;
    uint64_t length;
    /** Non-partner lists are numbered from 1 in order of age; 0: another. */
    uint64_t level;
} mca_mq_partner_dynamic_list_t;

/** A non-partner list in its chain. */
typedef struct mca_mq_partner_dynamic_level_t {
    mca_mq_partner_dynamic_list_t list; /**< first */
    struct mca_mq_partner_dynamic_level_t *older;
    struct mca_mq_partner_dynamic_level_t *newer;
} mca_mq_partner_dynamic_level_t;

/** A peer that is a partner in one queue or both. */
typedef struct mca_mq_partner_dynamic_partner_t {
    mca_mq_partner_dynamic_list_t list[MCA_MQ_QUEUES];
    /** The last level that may have entries of this peer; 0: not a partner in
     * this queue. */
    uint64_t last[MCA_MQ_QUEUES];
    uint32_t used[MCA_MQ_QUEUES]; /**< burst in which it last got an entry */
    uint64_t key;
    struct mca_mq_partner_dynamic_partner_t *next; /**< of all partners */
} mca_mq_partner_dynamic_partner_t;

/** One of the two queues. */
typedef struct mca_mq_partner_dynamic_side_t {
    mca_mq_partner_dynamic_level_t *oldest;
    mca_mq_partner_dynamic_level_t *newest; /**< receives new entries */
    uint64_t trigger; /**< length of newest at which partners are looked for */
    uint64_t level_ups; /**< levels made, the base not counted */
    uint64_t levels;    /**< in the chain */
    uint64_t partners;
    uint64_t crowded; /**< partners, at which idle ones are given up */
    uint32_t bursts;  /**< a number that wraps around */
    uint32_t swept;   /**< burst in which idle ones were last looked for */
    bool filled;      /**< the threshold was reached in this burst */
    /** The first level needs no memory of its own, nor does a later one while
     * this is free. */
    mca_mq_partner_dynamic_level_t own;
    bool own_is_used;
} mca_mq_partner_dynamic_side_t;

typedef struct mca_mq_partner_dynamic_module_t {
    mca_mq_base_module_t super;
    opal_flat_hash_t hash; /**< of mca_mq_partner_dynamic_partner_t */
    mca_mq_partner_dynamic_partner_t *partners; /**< chain of all */
    mca_mq_partner_dynamic_list_t any;          /**< PRQ_ANY */
    mca_mq_partner_dynamic_side_t side[MCA_MQ_QUEUES];
    mca_mq_partner_dynamic_params_t params;
    uint32_t size;
} mca_mq_partner_dynamic_module_t;

/** Figures of one queue. */
typedef struct mca_mq_partner_dynamic_figures_t {
    uint64_t level_ups; /**< levels made since creation, the base not counted */
    uint64_t levels;    /**< levels that exist, the base counted */
    uint64_t partners;  /**< peers that are partners */
} mca_mq_partner_dynamic_figures_t;

/** The component, with what its tests and reports want to know. */
typedef struct mca_mq_partner_dynamic_component_t {
    mca_mq_base_component_t super;
    /** Read the figures of a queue of one of this component's modules. */
    void (*figures)(const mca_mq_base_module_t *module, mca_mq_queue_t queue,
                    mca_mq_partner_dynamic_figures_t *figures);
} mca_mq_partner_dynamic_component_t;

OMPI_DECLSPEC extern const mca_mq_partner_dynamic_component_t
    mca_mq_partner_dynamic_component;

/** What new modules are made with. */
extern mca_mq_partner_dynamic_params_t mca_mq_partner_dynamic_params;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_partner_dynamic_create(const mca_mq_domain_info_t *info,
                                  mca_mq_base_module_t **module);

/** See mca_mq_partner_dynamic_component_t. */
void mca_mq_partner_dynamic_figures(const mca_mq_base_module_t *module,
                                    mca_mq_queue_t queue,
                                    mca_mq_partner_dynamic_figures_t *figures);

/** Make a side with its base level. */
void mca_mq_partner_dynamic_side_init(mca_mq_partner_dynamic_side_t *side,
                                      unsigned threshold, uint32_t size);

/** Free the levels of a side. */
void mca_mq_partner_dynamic_side_fini(mca_mq_partner_dynamic_side_t *side);

/** The newest level of a queue has reached the trigger: select partners and
 * begin a new level, or set the next trigger. */
void mca_mq_partner_dynamic_level_up(mca_mq_partner_dynamic_module_t *m,
                                     mca_mq_queue_t queue);

/** An old level has drained: take it out. */
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
