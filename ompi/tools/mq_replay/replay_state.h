/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of a component that is being run: its domains and entries, the
 * current batch, and what the passes have counted and timed. For the files that
 * run it only: replay_batch.c runs a batch; replay_pass.c passes over the
 * sequence in batches, and counts or times them; replay_check.c compares the
 * entries that the component finds, and has queued, with the model, and ends
 * the program at the first difference.
 */

#ifndef MQ_REPLAY_STATE_H
#define MQ_REPLAY_STATE_H

#include "ompi/mca/mq/base/base.h"
#include "replay_histogram.h"
#include "replay_result.h"
#include "sequence/replay_sequence.h"

/** Most operations between two readings of the clock. */
#define REPLAY_BATCH 32

/** Entries are allocated in chunks of this size, because they must not move. */
#define REPLAY_CHUNK 65536

/** The entry for an unexpected message. */
typedef struct replay_made_t {
    mca_mq_base_domain_t *domain;
    mca_mq_entry_t *entry; /* or NULL */
} replay_made_t;

/** Operations that are run between two readings of the clock. */
typedef struct replay_batch_t {
    unsigned count;
    mca_mq_base_domain_t *domain[REPLAY_BATCH];
    mca_mq_envelope_t envelope[REPLAY_BATCH];
    mca_mq_entry_t *entry[REPLAY_BATCH];
    mca_mq_entry_t *found[REPLAY_BATCH];
    replay_made_t made[REPLAY_BATCH];
    /* Entries for receives that will not be queued. */
    mca_mq_entry_t receive[REPLAY_BATCH];
} replay_batch_t;

/** Kinds of passes. */
typedef enum {
    REPLAY_OBSERVED,
    REPLAY_COUNTED,
    REPLAY_TIMED,
    REPLAY_SINGLE
} replay_pass_t;

/** A domain in use. It must not move. */
typedef struct replay_live_t {
    mca_mq_base_domain_t domain;
    size_t footprint; /* last measured */
    size_t idle;      /* measured when it was made */
} replay_live_t;

/** The state of a run. */
typedef struct replay_state_t {
    replay_sequence_t *sequence;
    const mca_mq_base_component_t *component;
    const char *choice; /* used instead of component, with parameters; or
                           NULL */
    const char *declined;
    replay_pass_t pass;
    double timer_cost;
    replay_live_t **live; /* by domain of the sequence */
    mca_mq_entry_t **chunks;
    uint32_t num_chunks;
    replay_batch_t batch;

    /* Of the pass REPLAY_COUNTED. */
    mca_mq_stats_t stats; /* over all domains */
    uint64_t operations;
    uint64_t searches;
    uint64_t traversed;
    size_t footprint;
    size_t footprint_peak;
    size_t footprint_idle; /* present value */
    size_t footprint_idle_peak;
    unsigned since_footprint; /* operations */

    /* Of the pass REPLAY_TIMED. */
    replay_path_result_t path[REPLAY_PATHS];
    replay_histogram_t histogram;

    /* Of the pass REPLAY_SINGLE. */
    uint32_t *least; /* smallest time of each search, ns */
    uint64_t num_least;
    uint64_t at_search;
    double longest; /* longest search beyond those in least */
} replay_state_t;

/** The entry of a slot. */
static inline mca_mq_entry_t *replay_entry_of(const replay_state_t *state,
                                              uint32_t slot)
{
    return &state->chunks[slot / REPLAY_CHUNK][slot % REPLAY_CHUNK];
}

/** Name of what is run, for messages. */
static inline const char *replay_state_name(const replay_state_t *state)
{
    if (NULL != state->choice) {
        return state->choice;
    }
    return NULL == state->component
               ? "the default component"
               : state->component->mqm_version.mca_component_name;
}

/** Does the time of a path count as that of a search, or of an insertion? */
static inline bool replay_is_search(replay_path_t path)
{
    return REPLAY_POST_FOUND == path || REPLAY_ARRIVE_FOUND == path ||
           REPLAY_SEARCH == path;
}

static inline bool replay_is_insert(replay_path_t path)
{
    return REPLAY_POST_QUEUED == path || REPLAY_ARRIVE_QUEUED == path ||
           REPLAY_INSERT == path;
}

/** Make the state for a sequence; component may be NULL. Ends the program if
 * out of memory. */
replay_state_t *replay_state_new(replay_sequence_t *sequence,
                                 const mca_mq_base_component_t *component);
void replay_state_free(replay_state_t *state);

/** Run the operations of a batch, which are all of this kind. */
void replay_batch_run(replay_batch_t *batch, uint32_t kind);

/** The same. Returns the time that it took, ns, with a reading of the clock. */
uint64_t replay_batch_time(replay_batch_t *batch, uint32_t kind);

/** Cost of reading the clock, ns; it is subtracted from every batch. */
double replay_timer_cost(void);

/** Make a pass over the sequence. Returns false if out of memory, or if the
 * component declines (state->declined). */
bool replay_pass(replay_state_t *state, replay_pass_t pass);

/** Compare the results of the current batch, whose operations are ops. */
void replay_check(const replay_state_t *state, const replay_op_t *ops);

/** Compare the queues of all domains at the end of a part. */
void replay_check_queues(const replay_state_t *state);

#endif /* MQ_REPLAY_STATE_H */
