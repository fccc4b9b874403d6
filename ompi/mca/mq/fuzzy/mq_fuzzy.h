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
 * A key is a truncated hash of the envelope, so equal keys mean "perhaps"
 * (hence the name), and then the entry itself is compared. Blocks are searched
 * in order of age, so the first entry that really matches is the oldest. A
 * receive's mask excludes the fields of its wildcards from the comparison.
 *
 *     bit  31        30 ... 16        15 ... 0
 *          internal  tag, hashed      source, hashed
 *
 * Both hashed fields are mixed with the context. The internal bit (tag < 0) is
 * always compared, so a receive of any tag is never compared with the messages
 * of collectives. False hits have a probability of 2^-31 if source and tag
 * differ, 2^-16 if only the source differs or the tag is any, 2^-15 if only the
 * tag differs or the source is any. A receive of any tag from any source is a
 * false hit for other contexts of the domain.
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
 * Wins over a list where queues have tens of entries or more: wildcards do not
 * matter, and the processor prefetches. Loses to hash tables, which `indexed`
 * has for each kind of wildcard, above all with thousands of entries.
 *
 * Source: Dosanjh, Schonbein, Grant, Bridges, Ghazimirsaeed, Afsahi, "Fuzzy
 * matching: hardware accelerated MPI communication middleware" (2019);
 * described by Moraru et al. (2022), section II. Choices that they leave open:
 *
 * - Width of a key: 32 bits, 16 keys in a vector of AVX-512. Narrower keys
 *   would double the speed of a scan, but cause a false hit, which costs a
 *   cache miss, every few hundred entries.
 * - A hash is truncated instead of the number itself, as programs like tags
 *   that are multiples of a power of two.
 * - AVX-512, AVX2 and plain C are all compiled; the widest that the processor
 *   supports is chosen when the framework opens (`mq_fuzzy_width` auto).
 * - Holes are marked by a bit per entry, and sparse blocks are merged, instead
 *   of moving all later entries.
 * - An entry for which no block can be allocated goes to a list, which is
 *   searched, too, until it has drained.
 * - In statistics, entries traversed are those whose envelope was compared;
 *   keys are not counted. traversed - hits is the number of false hits.
 */

#ifndef OMPI_MCA_MQ_FUZZY_H
#define OMPI_MCA_MQ_FUZZY_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/fifo.h"

BEGIN_C_DECLS

/** Entries per block: the bits of `live`. */
#define MCA_MQ_FUZZY_BLOCK 64
/** A block with at most this many entries is merged with a neighbour, ... */
#define MCA_MQ_FUZZY_FEW (MCA_MQ_FUZZY_BLOCK / 4)
/** ... if the two have at most this many together. */
#define MCA_MQ_FUZZY_ENOUGH (MCA_MQ_FUZZY_BLOCK * 3 / 4)

/** Values of the parameter mq_fuzzy_width. */
enum {
    MCA_MQ_FUZZY_AUTO = 1,
    MCA_MQ_FUZZY_SCALAR,
    MCA_MQ_FUZZY_AVX2,
    MCA_MQ_FUZZY_AVX512
};

/** A packed envelope. Two may match if ((key ^ other key) & mask) is 0. */
typedef struct mca_mq_fuzzy_key_t {
    uint32_t key;
    uint32_t mask; /**< bits to compare */
} mca_mq_fuzzy_key_t;

/** Entries in order of age. */
typedef struct mca_mq_fuzzy_block_t {
    uint32_t key[MCA_MQ_FUZZY_BLOCK];
    uint32_t mask[MCA_MQ_FUZZY_BLOCK];
    mca_mq_entry_t *entry[MCA_MQ_FUZZY_BLOCK];
    uint64_t live;  /**< bits of the places in use */
    uint32_t count; /**< number of places in use */
    uint32_t used;  /**< all places from here on are free */
    struct mca_mq_fuzzy_block_t *older, *newer;
} __attribute__((aligned(64))) mca_mq_fuzzy_block_t;

/** One queue. */
typedef struct mca_mq_fuzzy_queue_t {
    mca_mq_fuzzy_block_t *oldest, *newest;
    mca_mq_fuzzy_block_t *spare; /**< an unused block in reserve, or NULL */
    size_t blocks;               /**< including the spare one */
    uint64_t joined;             /**< blocks merged into another one, for
                                      tests */
    uint64_t squeezed;           /**< blocks compacted, for tests */
    mca_mq_base_fifo_t rest;     /**< entries for which there was no memory */
} mca_mq_fuzzy_queue_t;

/**
 * Finds the oldest entry in the blocks that matches, or NULL.
 *
 * @param[in] key  of envelope
 * @param[in] envelope  what is searched for
 * @param[in,out] traversed  increased by the number of envelopes compared
 */
typedef mca_mq_entry_t *(*mca_mq_fuzzy_find_fn_t)(
    const mca_mq_fuzzy_queue_t *queue, mca_mq_fuzzy_key_t key,
    const mca_mq_envelope_t *envelope, uint64_t *traversed);

/** Search functions for one instruction set. */
typedef struct mca_mq_fuzzy_width_t {
    mca_mq_fuzzy_find_fn_t find_receive;
    mca_mq_fuzzy_find_fn_t find_message;
} mca_mq_fuzzy_width_t;

extern const mca_mq_fuzzy_width_t mca_mq_fuzzy_scalar;
extern const mca_mq_fuzzy_width_t mca_mq_fuzzy_avx2;
extern const mca_mq_fuzzy_width_t mca_mq_fuzzy_avx512;

/** The parameter width: MCA_MQ_FUZZY_AUTO or one of the other three. */
extern int mca_mq_fuzzy_wanted;

/** The search functions of a width; NULL if the processor lacks the
 * instructions. */
const mca_mq_fuzzy_width_t *mca_mq_fuzzy_search_of(int wanted);

/** The search functions chosen by the parameter; NULL if the processor lacks
 * the instructions. */
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

/** Get a newest block with a free place; NULL if out of memory. */
mca_mq_fuzzy_block_t *mca_mq_fuzzy_make_room(mca_mq_fuzzy_queue_t *queue);

/** Free or merge a block that has few entries left, after a removal. */
void mca_mq_fuzzy_tidy(mca_mq_fuzzy_queue_t *queue,
                       mca_mq_fuzzy_block_t *block);

/** Free the blocks. Entries belong to the caller and are not touched. */
void mca_mq_fuzzy_queue_fini(mca_mq_fuzzy_queue_t *queue);

/** Put an entry into the next place of a block that has a free one. */
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
