/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzzy: a list whose envelopes are packed side by side, 32 bits each, and
 * compared 16 at a time.
 *
 *     block (oldest)                         block            block (newest)
 *     key   | k0 | k1 | k2 | ... | k63 |     | ...      <->   | k0 k1 |
 *     mask  | m0 | m1 | m2 | ... | m63 |
 *     entry | e0 | e1 | .. | ... | e63 |     in order of age, in a block and
 *     live    1    1    0  ...     1         from block to block
 *
 * A key is a truncated hash of the envelope, so equal keys say "perhaps" (that
 * is what is fuzzy) and the entry itself is compared then. Blocks are read in
 * order of age, so the first entry that really matches is the oldest. A
 * receive's mask takes the fields of its wildcards out of the comparison.
 *
 *     bit  31        30 ... 16        15 ... 0
 *          internal  tag, hashed      source, hashed
 *
 * Both hashed fields are mixed with the context. The internal bit (tag < 0)
 * is always compared: a receive of any tag is not even tried with the messages
 * of collectives. Of other entries these pass the fuzzy comparison by chance:
 * one in 2^31 if source and tag differ, one in 2^16 if only the source does or
 * the tag is any, one in 2^15 if only the tag does or the source is any. A
 * receive of any tag from any source passes for all contexts of the domain.
 *
 *     search      O(entries), 1/16 to 1 ns each: of the entries before the
 *                 match 8 bytes are read, not two cache lines
 *     insertion   O(1): at the end; a block is allocated for 64 entries
 *     removal     O(1) amortised: a bit is cleared. A block with no entry left
 *                 is freed; one with 16 or fewer joins a neighbour if they have
 *                 48 or fewer together, which moves each entry once or twice
 *     memory      none before the first entry; 17 bytes an entry in full
 *                 blocks, at worst about 8 times that; when a queue is empty
 *                 at most two blocks, 2176 bytes
 *
 * Wins over a list where queues have tens of entries or more: it is a list of
 * one kind whatever the wildcards, and the processor reads ahead. Loses to
 * tables, which indexed has for each kind of wildcard, above all when there are
 * thousands of entries.
 *
 * Source: Dosanjh, Schonbein, Grant, Bridges, Ghazimirsaeed, Afsahi, "Fuzzy
 * matching: hardware accelerated MPI communication middleware" (2019);
 * described by Moraru et al. (2022), section II. What is left open there, and
 * what is done here:
 *
 * - Width of a key: 32 bits, 16 keys in a vector of AVX-512. Narrower keys
 *   would double the speed of a scan and give a false hit, which costs a cache
 *   miss, every few hundred entries.
 * - Truncation: of a hash instead of the number itself, since programs like
 *   tags that are multiples of a power of two.
 * - AVX-512, AVX2 and plain C are all compiled; the widest that the processor
 *   has is chosen when the framework opens (`mq_fuzzy_width` auto).
 * - Holes: a bit per entry, and blocks that join their neighbours, instead of
 *   moving what is behind the hole.
 * - An entry for which there is no block goes to a list that is searched too
 *   until it has drained.
 * - Entries traversed, in statistics, are those whose envelope was compared;
 *   keys are not counted. traversed - hits is the number of false hits.
 */

#ifndef OMPI_MCA_MQ_FUZZY_H
#define OMPI_MCA_MQ_FUZZY_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/fifo.h"

BEGIN_C_DECLS

/** Entries of a block: the bits of `live`. */
#define MCA_MQ_FUZZY_BLOCK 64
/** A block with no more entries than this looks for a neighbour to join, ... */
#define MCA_MQ_FUZZY_FEW (MCA_MQ_FUZZY_BLOCK / 4)
/** ... which it does if they have no more than this together. */
#define MCA_MQ_FUZZY_ENOUGH (MCA_MQ_FUZZY_BLOCK * 3 / 4)

/** The value of the parameter mq_fuzzy_width. */
enum {
    MCA_MQ_FUZZY_AUTO = 1,
    MCA_MQ_FUZZY_SCALAR,
    MCA_MQ_FUZZY_AVX2,
    MCA_MQ_FUZZY_AVX512
};

/** A packed envelope. Two match perhaps if ((key ^ key) & mask) is 0. */
typedef struct mca_mq_fuzzy_key_t {
    uint32_t key;
    uint32_t mask; /**< bits to compare */
} mca_mq_fuzzy_key_t;

/** Entries in order of age. */
typedef struct mca_mq_fuzzy_block_t {
    uint32_t key[MCA_MQ_FUZZY_BLOCK];
    uint32_t mask[MCA_MQ_FUZZY_BLOCK];
    mca_mq_entry_t *entry[MCA_MQ_FUZZY_BLOCK];
    uint64_t live;  /**< which of them are queued */
    uint32_t count; /**< how many */
    uint32_t used;  /**< places up to the last that is queued, at least */
    struct mca_mq_fuzzy_block_t *older, *newer;
} __attribute__((aligned(64))) mca_mq_fuzzy_block_t;

/** One queue. */
typedef struct mca_mq_fuzzy_queue_t {
    mca_mq_fuzzy_block_t *oldest, *newest;
    mca_mq_fuzzy_block_t *spare; /**< for the next use, or NULL */
    size_t blocks;               /**< the spare one included */
    uint64_t joined;             /**< blocks that joined another, for tests */
    uint64_t squeezed;           /**< times holes were closed, for tests */
    mca_mq_base_fifo_t rest;     /**< entries for which there was no memory */
} mca_mq_fuzzy_queue_t;

/**
 * The oldest entry in the blocks that matches, or NULL.
 *
 * @param[in]     key        of what is searched for
 * @param[in]     envelope   of it
 * @param[in,out] traversed  increased by the number of envelopes compared
 */
typedef mca_mq_entry_t *(*mca_mq_fuzzy_find_fn_t)(
    const mca_mq_fuzzy_queue_t *queue, mca_mq_fuzzy_key_t key,
    const mca_mq_envelope_t *envelope, uint64_t *traversed);

/** Searches for one kind of processor. */
typedef struct mca_mq_fuzzy_width_t {
    mca_mq_fuzzy_find_fn_t find_receive;
    mca_mq_fuzzy_find_fn_t find_message;
} mca_mq_fuzzy_width_t;

extern const mca_mq_fuzzy_width_t mca_mq_fuzzy_scalar;
extern const mca_mq_fuzzy_width_t mca_mq_fuzzy_avx2;
extern const mca_mq_fuzzy_width_t mca_mq_fuzzy_avx512;

/** The parameter width: MCA_MQ_FUZZY_AUTO or one of the other three. */
extern int mca_mq_fuzzy_wanted;

/** Those of a width; NULL if the processor lacks them. */
const mca_mq_fuzzy_width_t *mca_mq_fuzzy_search_of(int wanted);

/** Those that the parameter asks for; NULL if the processor lacks them. */
const mca_mq_fuzzy_width_t *mca_mq_fuzzy_search(void);

typedef struct mca_mq_fuzzy_module_t {
    mca_mq_base_module_t super;
    mca_mq_fuzzy_width_t width;
    mca_mq_fuzzy_queue_t queue[MCA_MQ_QUEUES];
} mca_mq_fuzzy_module_t;

OMPI_DECLSPEC extern const mca_mq_base_component_t mca_mq_fuzzy_component;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_fuzzy_create(const mca_mq_domain_info_t *info,
                        mca_mq_base_module_t **module);

/** A block at the end that has a free place, or NULL if there is no memory. */
mca_mq_fuzzy_block_t *mca_mq_fuzzy_make_room(mca_mq_fuzzy_queue_t *queue);

/** An entry was taken out, and the block has few left or none. */
void mca_mq_fuzzy_tidy(mca_mq_fuzzy_queue_t *queue,
                       mca_mq_fuzzy_block_t *block);

/** Free the blocks. Entries are the caller's and not touched. */
void mca_mq_fuzzy_queue_fini(mca_mq_fuzzy_queue_t *queue);

/** Put an entry into the next place of a block that has one. */
static inline void mca_mq_fuzzy_put(mca_mq_fuzzy_block_t *block,
                                    mca_mq_fuzzy_key_t key,
                                    mca_mq_entry_t *entry)
{
    uint32_t i = block->used++;

    block->key[i] = key.key;
    block->mask[i] = key.mask;
    block->entry[i] = entry;
    block->live |= UINT64_C(1) << i;
    ++block->count;
    entry->where = i;
    entry->link[0] = block;
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_FUZZY_H */
