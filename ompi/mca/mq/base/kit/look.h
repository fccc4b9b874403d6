/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A snapshot of a queue: the features by which `auto`, and the advice of
 * mq_replay, decide which component would serve it best. They depend only on
 * what is queued, not on the component.
 *
 *     length   entries
 *     lane     mean number of entries with an entry's own source:
 *              1 if all sources differ, length if there is only one
 *     same     mean number of entries with an entry's own envelope
 *     wild     share of the entries with a wildcard
 *
 * So length / lane is the effective number of sources, and length / same that
 * of envelopes. The sums of squares are counted in hash buckets, and corrected
 * for the expected collisions: one pass over the queue, without allocation,
 * whatever its length.
 */

#ifndef OMPI_MCA_MQ_BASE_KIT_LOOK_H
#define OMPI_MCA_MQ_BASE_KIT_LOOK_H

#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

/** Shorter queues are not looked at: components do not differ there. */
#define MCA_MQ_BASE_LOOK_SHORT 13

#define MCA_MQ_BASE_LOOK_BUCKETS 1024

typedef struct mca_mq_base_look_t {
    double length;
    double lane;
    double same;
    double wild;
} mca_mq_base_look_t;

/** State of a look in progress. */
typedef struct mca_mq_base_looking_t {
    uint64_t length;
    uint64_t wild;
    uint64_t source_squares; /**< sum of the squares of the counts in sources */
    uint64_t envelope_squares;
    uint32_t sources[MCA_MQ_BASE_LOOK_BUCKETS];
    uint32_t envelopes[MCA_MQ_BASE_LOOK_BUCKETS];
} mca_mq_base_looking_t;

/** Begin; then add each entry; then get the features. */
OMPI_DECLSPEC void mca_mq_base_look_begin(mca_mq_base_looking_t *looking);
OMPI_DECLSPEC void mca_mq_base_look_add(mca_mq_base_looking_t *looking,
                                        const mca_mq_envelope_t *envelope);
OMPI_DECLSPEC void mca_mq_base_look_end(const mca_mq_base_looking_t *looking,
                                        mca_mq_base_look_t *look);

/** Look at the longer of a module's queues. */
OMPI_DECLSPEC void mca_mq_base_look(mca_mq_base_module_t *module,
                                    mca_mq_base_look_t *look);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_KIT_LOOK_H */
