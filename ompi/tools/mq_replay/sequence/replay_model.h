/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The naive model of a matching domain, which determines what each operation
 * must find. It has its own matching function and queues, so that nothing in it
 * depends on a component.
 *
 *     all      every entry of a queue, oldest first
 *     chain    those among them whose envelope has no wildcard and the same
 *              hash, oldest first
 *     wild     posted receives with a wildcard, oldest first
 *
 * Searches without wildcards read a chain from its beginning; with wildcards,
 * whole lists are read.
 *
 * Entries are numbers of slots. The slots of all models are in one pool.
 */

#ifndef MQ_REPLAY_MODEL_H
#define MQ_REPLAY_MODEL_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stdint.h>

#include "ompi/mca/mq/mq.h"

/** No slot. */
#define REPLAY_NONE UINT32_MAX

/** Most slots: more entries than this cannot be queued at a time. */
#define REPLAY_SLOTS_MAX (UINT32_C(1) << 28)

typedef struct replay_link_t {
    uint32_t next;
    uint32_t previous;
} replay_link_t;

typedef struct replay_list_t {
    uint32_t first;
    uint32_t last;
} replay_list_t;

/** An entry of a queue, or a free slot (all.next is the next free one). */
typedef struct replay_slot_t {
    mca_mq_envelope_t envelope;
    replay_link_t all;
    replay_link_t chain; /**< or in wild */
    uint64_t age;
} replay_slot_t;

typedef struct replay_pool_t {
    replay_slot_t *slots;
    uint32_t used;  /**< slots that were ever used */
    uint32_t size;  /**< allocated slots */
    uint32_t spare; /**< the most recently freed slot, or REPLAY_NONE */
    uint64_t clock; /**< age of the next entry */
} replay_pool_t;

typedef struct replay_model_queue_t {
    replay_list_t all;
    replay_list_t wild;
    replay_list_t *chains;
    uint32_t num_chains; /**< a power of two, or 0 */
    uint32_t length;
} replay_model_queue_t;

typedef struct replay_model_t {
    replay_model_queue_t queue[MCA_MQ_QUEUES];
} replay_model_t;

void replay_pool_init(replay_pool_t *pool);
/** Free all memory. */
void replay_pool_fini(replay_pool_t *pool);
/** Free all slots, but keep the memory. */
void replay_pool_reset(replay_pool_t *pool);

void replay_model_init(replay_model_t *model);
/** Free the memory; slots that are still queued return to the pool. */
void replay_model_fini(replay_model_t *model, replay_pool_t *pool);

/** Find the oldest match of envelope (a message's in MCA_MQ_POSTED, a receive's
 * in MCA_MQ_UNEXPECTED), or REPLAY_NONE. */
uint32_t replay_model_find(const replay_model_t *model,
                           const replay_pool_t *pool, mca_mq_queue_t queue,
                           const mca_mq_envelope_t *envelope);

/** Queue an entry. Returns its slot. Ends the program if out of memory. */
uint32_t replay_model_insert(replay_model_t *model, replay_pool_t *pool,
                             mca_mq_queue_t queue,
                             const mca_mq_envelope_t *envelope);

/** Remove an entry. Its slot is the next one to be used. */
void replay_model_remove(replay_model_t *model, replay_pool_t *pool,
                         mca_mq_queue_t queue, uint32_t slot);

/** The entry at a place in a queue, from 0, the oldest; place < length. */
uint32_t replay_model_at(const replay_model_t *model, const replay_pool_t *pool,
                         mca_mq_queue_t queue, uint32_t place);

#endif /* MQ_REPLAY_MODEL_H */
