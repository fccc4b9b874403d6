/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A sequence of operations on matching domains, as a pattern generates it or
 * as a trace has it, with what each operation has to find. It comes in parts,
 * so that a long one needs no more memory than its longest part, and can be
 * had again from the beginning, always the same.
 */

#ifndef MQ_REPLAY_SEQUENCE_H
#define MQ_REPLAY_SEQUENCE_H

#include "ompi/mca/mq/base/domain/observe.h"
#include "ompi/mca/mq/base/record/trace.h"
#include "replay_model.h"

/** One operation. Entries are slots of the sequence's pool; a slot is used
 * again when its entry has left its queue. */
typedef struct replay_op_t {
    mca_mq_envelope_t envelope;
    uint32_t domain;
    uint32_t entry; /**< that it queues or withdraws, or REPLAY_NONE */
    uint32_t found; /**< that it finds, or REPLAY_NONE */
    /** mca_mq_base_operation_t, or a domain's MCA_MQ_BASE_TRACE_BEGIN or
     * MCA_MQ_BASE_TRACE_FINISH */
    uint32_t kind;
} replay_op_t;

/** A domain of the sequence. */
typedef struct replay_domain_t {
    uint32_t size;
    uint32_t context;
    uint32_t assertions;
    bool is_live;         /**< has begun, has not ended */
    replay_model_t model; /**< valid while it is live */
} replay_domain_t;

typedef struct replay_sequence_t replay_sequence_t;
struct replay_features_t;

struct replay_sequence_t {
    const char *name;    /**< of the pattern, or "trace" */
    uint32_t rank;       /**< whose domains they are */
    uint32_t ranks;      /**< of the job */
    uint64_t length;     /**< about how many operations; for progress */
    bool has_any_source; /**< a receive has this wildcard */
    bool has_any_tag;
    bool is_recorded; /**< what is found is not the model's, but a trace's */
    uint64_t skip;    /**< operations at the beginning without a time */
    bool verify;      /**< a part is one round; recorded matches are checked */

    /** All domains there ever are. */
    replay_domain_t *domains;
    uint32_t num_domains;
    uint32_t domains_size;

    /** The current part. */
    replay_op_t *ops;
    size_t num_ops;
    size_t ops_size;
    uint64_t before; /**< operations in the parts before it */

    replay_pool_t pool;

    /** Go back to the beginning. */
    void (*rewind)(replay_sequence_t *sequence);
    /** Append operations until the part is long enough. Returns false when
     * there are no more. */
    bool (*extend)(replay_sequence_t *sequence);
    void *state; /**< of those functions */

    /** Where to note what queues look like, or NULL. See replay_features. */
    struct replay_features_t *features;
};

/** For those who make a sequence: to begin with; nothing in it. */
void replay_sequence_init(replay_sequence_t *sequence);
/** Free all, but the state. */
void replay_sequence_fini(replay_sequence_t *sequence);

/** Go back to the beginning. */
void replay_sequence_rewind(replay_sequence_t *sequence);

/** Have the next part in ops. Returns false at the end. */
bool replay_sequence_next(replay_sequence_t *sequence);

/** Operations a part has at least, but for the last. */
#define REPLAY_PART 65536

/** For those who make a sequence: a new domain that begins. Returns it. */
uint32_t replay_domain_add(replay_sequence_t *sequence, uint32_t context,
                           uint32_t size, uint32_t assertions);
/** A domain that is known from an earlier time through begins. */
void replay_domain_begin(replay_sequence_t *sequence, uint32_t domain);
/** It ends. */
void replay_domain_finish(replay_sequence_t *sequence, uint32_t domain);

/** Append an operation, but no withdrawal; the model says what it finds. */
void replay_emit(replay_sequence_t *sequence, uint32_t domain,
                 mca_mq_base_operation_t kind,
                 const mca_mq_envelope_t *envelope);

/** Append an operation that finds this, or nothing: REPLAY_NONE. Queues an
 * entry if queues says so. Returns its slot or REPLAY_NONE. */
uint32_t replay_emit_known(replay_sequence_t *sequence, uint32_t domain,
                           mca_mq_base_operation_t kind,
                           const mca_mq_envelope_t *envelope, uint32_t found,
                           bool queues);

/** Append a withdrawal. */
void replay_emit_withdraw(replay_sequence_t *sequence, uint32_t domain,
                          mca_mq_queue_t queue, uint32_t slot);

/** The queue an operation searches, or withdraws from. */
mca_mq_queue_t replay_searches(uint32_t kind);

/** Name of a kind of operation. */
const char *replay_kind_name(uint32_t kind);

#endif /* MQ_REPLAY_SEQUENCE_H */
