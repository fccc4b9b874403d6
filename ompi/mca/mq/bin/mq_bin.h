/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * bin: a hash of the whole envelope selects one of many lists.
 *
 *     bin          0        1        2    ...   count-1
 *     posted     list     list     list         list        exact receives
 *     unexpected list     list     list         list        messages
 *
 *     wild_posted      oldest -> ... -> newest     receives with a wildcard
 *     all_unexpected   oldest -> ... -> newest     every message as well
 *
 * A message searches its bin of receives, and wild_posted up to the order
 * number found there; the smaller order number wins. An exact receive searches
 * its bin of messages; one with a wildcard, whose bin is unknown,
 * all_unexpected, where the oldest match comes first.
 *
 *     search      O(entries of the bin + receives with a wildcard), which is
 *                 O(entries / count) if envelopes differ; with a wildcard:
 *                 O(unexpected messages)
 *     insertion   O(1); the first of a queue allocates its bins
 *     removal     O(1), without hashing again
 *     visit       O(count + posted receives); O(unexpected messages)
 *     memory      none before first use; then 16 bytes a bin for each queue
 *                 that is used: 4 KiB with 256 bins, 16 MiB with 2^20, which
 *                 come zeroed and are touched only where used
 *
 * Wins when queues are long and envelopes differ, in whichever field: many tags
 * of one source are as good as many sources. Loses when queues are short, as
 * every operation computes the hash, and when wildcards are frequent: those
 * receives share one list, and their searches traverse all messages. Equal
 * envelopes share a bin, but do no harm, since the first of them matches.
 * Different ones share a bin only by chance: the hash mixes all 96 bits, so
 * only a malicious pattern of ranks and tags fills few bins. With a weak hash,
 * that is how bins usually lose.
 *
 * Source: Flajslik, Dinan, Underwood, "Mitigating MPI message matching misery"
 * (2016), as described by Ghazimirsaeed and Afsahi (2017), too. Choices that
 * they leave open:
 *
 * - The hash. The paper hashes context, rank and tag, with a configurable
 *   function and number of bins. Sums and remainders of these fields collide as
 *   soon as tags or ranks have a common stride, so here there is only one hash,
 *   which mixes well: see mca_mq_bin_hash.
 * - The number of bins need not be a power of two: the hash, as a fraction of
 *   2^32, is multiplied by it. That takes a multiplication instead of a
 *   division, and uses the upper bits, which are mixed best.
 * - Order across lists. The paper annotates entries with their order; here the
 *   contract of mq provides each entry's order number.
 * - Every unexpected message is also in a list of all messages, for receives
 *   with wildcards. That costs two more words written per unexpected message.
 * - When a queue's bins cannot be allocated, its entries go to the list, which
 *   is then always searched. Allocation is tried again when that list contains
 *   no entry that belongs in a bin.
 */

#ifndef OMPI_MCA_MQ_BIN_H
#define OMPI_MCA_MQ_BIN_H

#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/base/kit/fifo.h"

BEGIN_C_DECLS

/** The parameter mq_bin_count. */
typedef struct mca_mq_bin_params_t {
    unsigned count; /**< bins of a queue, 1 to MCA_MQ_BIN_COUNT_MAX */
} mca_mq_bin_params_t;

#define MCA_MQ_BIN_COUNT_MAX (1u << 20)

/** Value of `where`, or place, of an entry that is not in a bin. */
#define MCA_MQ_BIN_NONE UINT32_MAX

/** One of the two queues. */
typedef struct mca_mq_bin_side_t {
    /** Entries that are in no bin (posted), or all entries (unexpected). */
    mca_mq_base_fifo_t list;
    /** The bins; NULL before the first exact entry, and if out of memory. Then
     * the list has all entries. */
    mca_mq_base_fifo_t *bins;
    /** Exact entries that are in the list for lack of bins; 0 if there are
     * bins. */
    uint64_t strays;
} mca_mq_bin_side_t;

typedef struct mca_mq_bin_module_t {
    mca_mq_base_module_t super;
    mca_mq_bin_side_t posted;     /**< list in plane A */
    mca_mq_bin_side_t unexpected; /**< list in plane B */
    uint32_t count;
} mca_mq_bin_module_t;

OMPI_DECLSPEC extern const mca_mq_base_component_t mca_mq_bin_component;

/** Parameters of new modules. */
extern mca_mq_bin_params_t mca_mq_bin_params;

/** See mca_mq_base_component_create_fn_t. */
int mca_mq_bin_create(const mca_mq_domain_info_t *info,
                      mca_mq_base_module_t **module);

/**
 * 32 well mixed bits of an exact envelope.
 *
 * Two multiplications by odd constants: 2^64 divided by the golden ratio, then
 * a constant of splitmix64. The first spreads context and source over the upper
 * half, which is folded into the lower half, where the tag is added; the second
 * spreads everything over the upper bits, which are the result. Successive tags
 * have results far apart (Knuth, The Art of Computer Programming 3, 6.4).
 */
static inline uint32_t mca_mq_bin_hash(const mca_mq_envelope_t *envelope)
{
    uint64_t h =
        (uint64_t) envelope->context << 32 | (uint32_t) envelope->source;

    h *= UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 32;
    h += (uint32_t) envelope->tag;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t) (h >> 32);
}

/** The bin, out of count, of an exact envelope. */
static inline uint32_t mca_mq_bin_of(const mca_mq_envelope_t *envelope,
                                     uint32_t count)
{
    return (uint32_t) ((uint64_t) mca_mq_bin_hash(envelope) * count >> 32);
}

END_C_DECLS

#endif /* OMPI_MCA_MQ_BIN_H */
