/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicts which algorithm would serve a queue best, by a regression tree,
 * which `train` makes from measurements: its leaves hold what each algorithm
 * saves compared with `indexed`, ns per operation.
 */

#ifndef OMPI_MCA_MQ_AUTO_JUDGE_H
#define OMPI_MCA_MQ_AUTO_JUDGE_H

#include "ompi/mca/mq/base/kit/look.h"

BEGIN_C_DECLS

/** Algorithms that can serve a domain ("ways"). */
typedef enum {
    MCA_MQ_AUTO_INDEXED,
    MCA_MQ_AUTO_BIN,
    MCA_MQ_AUTO_LANES, /**< a lane per source, as in `source_array` */
    MCA_MQ_AUTO_WAYS
} mca_mq_auto_way_t;

/** Predict what each algorithm saves compared with `indexed`, ns per operation;
 * negative: it costs more. */
void mca_mq_auto_judge(const mca_mq_base_look_t *look,
                       double saves[MCA_MQ_AUTO_WAYS]);

END_C_DECLS

#endif /* OMPI_MCA_MQ_AUTO_JUDGE_H */
