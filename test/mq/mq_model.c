/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>

#include "mq_model.h"

void mq_model_init(mq_model_t *model)
{
    memset(model, 0, sizeof(*model));
}

void mq_model_fini(mq_model_t *model)
{
    for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
        free(model->queue[i].entries);
    }
}

static int matches(const mca_mq_envelope_t *receive,
                   const mca_mq_envelope_t *message)
{
    if (receive->context != message->context) {
        return 0;
    }
    if (receive->source != -1 && receive->source != message->source) {
        return 0;
    }
    if (receive->tag == -1) {
        return message->tag >= 0;
    }
    return receive->tag == message->tag;
}

mca_mq_entry_t *mq_model_search(mq_model_t *model, mca_mq_queue_t queue,
                                const mca_mq_envelope_t *envelope)
{
    mq_model_queue_t *q = &model->queue[queue];
    const mca_mq_envelope_t *queued;

    for (size_t i = 0; i < q->length; ++i) {
        queued = &q->entries[i]->envelope;
        if (queue == MCA_MQ_POSTED ? matches(queued, envelope)
                                   : matches(envelope, queued)) {
            ++q->stats.hits;
            q->stats.traversed_hit += i + 1;
            if (q->stats.traversed_max < i + 1) {
                q->stats.traversed_max = i + 1;
            }
            return q->entries[i];
        }
    }
    ++q->stats.misses;
    q->stats.traversed_miss += q->length;
    if (q->stats.traversed_max < q->length) {
        q->stats.traversed_max = q->length;
    }
    return NULL;
}

void mq_model_insert(mq_model_t *model, mca_mq_queue_t queue,
                     mca_mq_entry_t *entry)
{
    mq_model_queue_t *q = &model->queue[queue];

    if (q->length == q->size) {
        q->size = q->size == 0 ? 64 : 2 * q->size;
        q->entries = realloc(q->entries, q->size * sizeof(*q->entries));
        if (q->entries == NULL) {
            abort();
        }
    }
    q->entries[q->length++] = entry;
    q->stats.length = q->length;
    if (q->stats.length_max < q->length) {
        q->stats.length_max = q->length;
    }
}

void mq_model_remove(mq_model_t *model, mca_mq_queue_t queue,
                     const mca_mq_entry_t *entry)
{
    mq_model_queue_t *q = &model->queue[queue];
    size_t i = 0;

    while (i < q->length && q->entries[i] != entry) {
        ++i;
    }
    if (i == q->length) {
        abort();
    }
    --q->length;
    memmove(&q->entries[i], &q->entries[i + 1],
            (q->length - i) * sizeof(*q->entries));
    q->stats.length = q->length;
}
