/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A sequence of operations on matching domains, from a pattern or a trace, with
 * what each operation must find. It is produced in parts, so that a long one
 * needs no more memory than its longest part, and can be repeated from the
 * beginning, always with equal operations.
 */

#ifndef MQ_REPLAY_SEQUENCE_H
#define MQ_REPLAY_SEQUENCE_H

#include "ompi/mca/mq/base/domain/observe.h"
#include "ompi/mca/mq/base/record/trace.h"
#include "sequence/replay_model.h"

/** One operation. Entries are slots of the sequence's pool; a slot is reused
 * when its entry has left its queue. */
typedef struct replay_op_t {
    mca_mq_envelope_t envelope;
    uint32_t domain;
    uint32_t entry; /**< entry that it queues or withdraws, or REPLAY_NONE */
    uint32_t found; /**< entry that it must find, or REPLAY_NONE */
    /** mca_mq_base_operation_t, or a domain's MCA_MQ_BASE_TRACE_BEGIN or
     * MCA_MQ_BASE_TRACE_FINISH */
    uint32_t kind;
} replay_op_t;

/** A domain of the sequence. */
typedef struct replay_domain_t {
    uint32_t size;
    uint32_t context;
    uint32_t assertions;
    bool is_live;         /**< has begun and not ended */
    replay_model_t model; /**< valid while it is live */
} replay_domain_t;

/** A component that served in the program whose trace this is. */
typedef struct replay_served_t {
    char name[MCA_MQ_BASE_TRACE_NAME_MAX];
    uint64_t operations;
} replay_served_t;

#define REPLAY_SERVED_MAX 16

typedef struct replay_sequence_t replay_sequence_t;

struct replay_sequence_t {
    const char *name;    /**< of the pattern, or "trace" */
    uint32_t rank;       /**< rank of the process with these domains */
    uint32_t ranks;      /**< of the job */
    uint64_t length;     /**< approximate number of operations, for progress */
    bool has_any_source; /**< a receive has this wildcard */
    bool has_any_tag;
    bool is_recorded; /**< expected results come from a trace, not from the
                           model */
    uint64_t skip;    /**< first operations, which are not timed */
    bool verify;      /**< a part is one round; recorded matches are checked */

    /** Components that served the recorded operations; none: not known. */
    replay_served_t served[REPLAY_SERVED_MAX];
    unsigned num_served;
    uint64_t messages; /**< of a trace: the user's that arrived */

    /** All domains of the sequence. */
    replay_domain_t *domains;
    uint32_t num_domains;
    uint32_t domains_size;

    /** The current part. */
    replay_op_t *ops;
    size_t num_ops;
    size_t ops_size;
    uint64_t before; /**< operations in earlier parts */

    replay_pool_t pool;

    /** Go back to the beginning. */
    void (*rewind)(replay_sequence_t *sequence);
    /** Append operations until the part is long enough. Returns false at the
     * end. */
    bool (*extend)(replay_sequence_t *sequence);
    void *state; /**< state of these functions */

    /** Called for each generated operation that queued an entry; or NULL. */
    void (*queued)(const replay_sequence_t *sequence,
                   const replay_domain_t *domain, void *arg);
    void *queued_arg;
};

/** Initialise an empty sequence; for its maker. */
void replay_sequence_init(replay_sequence_t *sequence);
/** Free everything except the state. */
void replay_sequence_fini(replay_sequence_t *sequence);

/** Go back to the beginning. */
void replay_sequence_rewind(replay_sequence_t *sequence);

/** Produce the next part in ops. Returns false at the end. */
bool replay_sequence_next(replay_sequence_t *sequence);

/** Fewest operations of a part, except the last one. */
#define REPLAY_PART 65536

/** Add a new domain, which begins, and return it; for the maker of a
 * sequence. */
uint32_t replay_domain_add(replay_sequence_t *sequence, uint32_t context,
                           uint32_t size, uint32_t assertions);
/** Begin a domain that is known from an earlier pass. */
void replay_domain_begin(replay_sequence_t *sequence, uint32_t domain);
/** End a domain. */
void replay_domain_finish(replay_sequence_t *sequence, uint32_t domain);

/** Append an operation other than a withdrawal; the model determines its
 * result. */
void replay_emit(replay_sequence_t *sequence, uint32_t domain,
                 mca_mq_base_operation_t kind,
                 const mca_mq_envelope_t *envelope);

/** Append an operation that finds `found`, or REPLAY_NONE for nothing, and
 * queues an entry if `queues` is true. Returns the slot of that entry, or
 * REPLAY_NONE. */
uint32_t replay_emit_known(replay_sequence_t *sequence, uint32_t domain,
                           mca_mq_base_operation_t kind,
                           const mca_mq_envelope_t *envelope, uint32_t found,
                           bool queues);

/** Append a withdrawal. */
void replay_emit_withdraw(replay_sequence_t *sequence, uint32_t domain,
                          mca_mq_queue_t queue, uint32_t slot);

/** Name of a kind of operation. */
const char *replay_kind_name(uint32_t kind);

#endif /* MQ_REPLAY_SEQUENCE_H */
