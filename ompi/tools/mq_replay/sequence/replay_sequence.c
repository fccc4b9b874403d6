/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "sequence/replay_sequence.h"

#include <stdlib.h>
#include <string.h>

#include "sequence/replay_util.h"

void replay_sequence_init(replay_sequence_t *sequence)
{
    memset(sequence, 0, sizeof(*sequence));
    replay_pool_init(&sequence->pool);
}

static void finish_all(replay_sequence_t *sequence)
{
    for (uint32_t i = 0; i < sequence->num_domains; ++i) {
        replay_domain_t *domain = &sequence->domains[i];

        if (domain->is_live) {
            replay_model_fini(&domain->model, &sequence->pool);
            domain->is_live = false;
        }
    }
}

void replay_sequence_fini(replay_sequence_t *sequence)
{
    finish_all(sequence);
    free(sequence->domains);
    free(sequence->ops);
    replay_pool_fini(&sequence->pool);
}

void replay_sequence_rewind(replay_sequence_t *sequence)
{
    finish_all(sequence);
    replay_pool_reset(&sequence->pool);
    sequence->num_ops = 0;
    sequence->before = 0;
    sequence->rewind(sequence);
}

bool replay_sequence_next(replay_sequence_t *sequence)
{
    size_t enough = sequence->verify ? 1 : REPLAY_PART;

    sequence->before += sequence->num_ops;
    sequence->num_ops = 0;
    while (sequence->num_ops < enough && sequence->extend(sequence)) {
    }
    return 0 != sequence->num_ops;
}

static void append(replay_sequence_t *sequence, const replay_op_t *op)
{
    REPLAY_GROW(sequence->ops, sequence->num_ops, sequence->ops_size);
    sequence->ops[sequence->num_ops++] = *op;
}

uint32_t replay_domain_add(replay_sequence_t *sequence, uint32_t context,
                           uint32_t size, uint32_t assertions)
{
    REPLAY_GROW(sequence->domains, sequence->num_domains,
                sequence->domains_size);
    sequence->domains[sequence->num_domains] = (replay_domain_t){
        .size = size, .context = context, .assertions = assertions};
    return sequence->num_domains++;
}

static void append_mark(replay_sequence_t *sequence, uint32_t domain,
                        uint32_t kind)
{
    replay_op_t op = {
        .domain = domain,
        .entry = REPLAY_NONE,
        .found = REPLAY_NONE,
        .kind = kind,
    };

    append(sequence, &op);
}

void replay_domain_begin(replay_sequence_t *sequence, uint32_t domain)
{
    sequence->domains[domain].is_live = true;
    replay_model_init(&sequence->domains[domain].model);
    append_mark(sequence, domain, MCA_MQ_BASE_TRACE_BEGIN);
}

void replay_domain_finish(replay_sequence_t *sequence, uint32_t domain)
{
    replay_model_fini(&sequence->domains[domain].model, &sequence->pool);
    sequence->domains[domain].is_live = false;
    append_mark(sequence, domain, MCA_MQ_BASE_TRACE_FINISH);
}

uint32_t replay_emit_known(replay_sequence_t *sequence, uint32_t domain,
                           mca_mq_base_operation_t kind,
                           const mca_mq_envelope_t *envelope, uint32_t found,
                           bool queues)
{
    const mca_mq_base_effect_t *effect = &mca_mq_base_effects[kind];
    replay_model_t *model = &sequence->domains[domain].model;
    replay_op_t op = {
        .envelope = *envelope,
        .domain = domain,
        .entry = REPLAY_NONE,
        .found = found,
        .kind = kind,
    };

    if (REPLAY_NONE != found && effect->removes) {
        replay_model_remove(model, &sequence->pool, effect->from, found);
    }
    if (queues) {
        op.entry =
            replay_model_insert(model, &sequence->pool, effect->to, envelope);
        if (NULL != sequence->queued) {
            sequence->queued(sequence, &sequence->domains[domain],
                             sequence->queued_arg);
        }
    }
    append(sequence, &op);
    return op.entry;
}

void replay_emit(replay_sequence_t *sequence, uint32_t domain,
                 mca_mq_base_operation_t kind,
                 const mca_mq_envelope_t *envelope)
{
    const replay_model_t *model = &sequence->domains[domain].model;
    const mca_mq_base_effect_t *effect = &mca_mq_base_effects[kind];
    uint32_t found = REPLAY_NONE;

    if (effect->searches) {
        found =
            replay_model_find(model, &sequence->pool, effect->from, envelope);
    }
    replay_emit_known(sequence, domain, kind, envelope, found,
                      !effect->searches || (REPLAY_NONE == found &&
                                            (MCA_MQ_BASE_ARRIVE == kind ||
                                             MCA_MQ_BASE_POST == kind)));
}

void replay_emit_withdraw(replay_sequence_t *sequence, uint32_t domain,
                          mca_mq_queue_t queue, uint32_t slot)
{
    replay_op_t op = {
        .envelope = sequence->pool.slots[slot].envelope,
        .domain = domain,
        .entry = slot,
        .found = REPLAY_NONE,
        .kind = MCA_MQ_POSTED == queue ? MCA_MQ_BASE_WITHDRAW_POSTED
                                       : MCA_MQ_BASE_WITHDRAW_UNEXPECTED,
    };

    replay_model_remove(&sequence->domains[domain].model, &sequence->pool,
                        queue, slot);
    append(sequence, &op);
}

const char *replay_kind_name(uint32_t kind)
{
    static const char *const names[MCA_MQ_BASE_OPERATIONS] = {
        [MCA_MQ_BASE_ARRIVE] = "arrive",
        [MCA_MQ_BASE_POST] = "post",
        [MCA_MQ_BASE_MATCH_POSTED] = "match posted",
        [MCA_MQ_BASE_MATCH_UNEXPECTED] = "match unexpected",
        [MCA_MQ_BASE_PROBE] = "probe",
        [MCA_MQ_BASE_INSERT_POSTED] = "insert posted",
        [MCA_MQ_BASE_INSERT_UNEXPECTED] = "insert unexpected",
        [MCA_MQ_BASE_WITHDRAW_POSTED] = "withdraw posted",
        [MCA_MQ_BASE_WITHDRAW_UNEXPECTED] = "withdraw unexpected",
    };

    return names[kind];
}
