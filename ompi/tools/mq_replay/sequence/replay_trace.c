/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "sequence/replay_trace.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "opal/class/opal_flat_hash.h"
#include "sequence/replay_util.h"

/* Entries of the trace: order number to slot plus 1. */
typedef struct known_t {
    opal_flat_hash_t slots[MCA_MQ_QUEUES];
} known_t;

/* Number of records read at a time. */
#define TRACE_ROUND 4096

typedef struct trace_t {
    const char *path;
    mca_mq_base_trace_reader_t reader;
    bool is_open;
    bool is_at_end;
    known_t *known; /* per domain */
    uint32_t num_known;
} trace_t;

static void wrong(const trace_t *trace, const char *what, uint64_t order)
{
    replay_die("%s: record %llu, before offset %llu: entry %llu %s",
               trace->path, (unsigned long long) trace->reader.records,
               (unsigned long long) trace->reader.offset,
               (unsigned long long) order, what);
}

static opal_flat_hash_t *slots_of(const trace_t *trace, uint32_t domain,
                                  mca_mq_queue_t queue)
{
    return &trace->known[domain].slots[queue];
}

/* Get the slot of an entry that is found or withdrawn. */
static uint32_t look_up(const trace_t *trace,
                        const mca_mq_base_trace_record_t *record)
{
    opal_flat_hash_t *slots =
        slots_of(trace, record->domain, mca_mq_base_effects[record->kind].from);
    void *value = MCA_MQ_BASE_PROBE == record->kind
                      ? opal_flat_hash_get(slots, record->found)
                      : opal_flat_hash_remove(slots, record->found);

    if (NULL == value) {
        wrong(trace, "is found, but was not queued", record->found);
    }
    return (uint32_t) ((uintptr_t) value - 1);
}

static void remember(const trace_t *trace,
                     const mca_mq_base_trace_record_t *record, uint32_t slot)
{
    opal_flat_hash_t *slots =
        slots_of(trace, record->domain, mca_mq_base_effects[record->kind].to);

    if (NULL != opal_flat_hash_get(slots, record->queued)) {
        wrong(trace, "is queued twice", record->queued);
    }
    if (OPAL_SUCCESS != opal_flat_hash_put(slots, record->queued,
                                           (void *) ((uintptr_t) slot + 1))) {
        replay_die("out of memory");
    }
}

/* Is a record possible for its kind of operation? */
static bool is_possible(const mca_mq_base_trace_record_t *record)
{
    switch (record->kind) {
    case MCA_MQ_BASE_ARRIVE:
        return !record->has_found || !record->has_queued;
    case MCA_MQ_BASE_POST:
        return record->has_found != record->has_queued;
    case MCA_MQ_BASE_INSERT_POSTED:
    case MCA_MQ_BASE_INSERT_UNEXPECTED:
        return !record->has_found && record->has_queued;
    case MCA_MQ_BASE_WITHDRAW_POSTED:
    case MCA_MQ_BASE_WITHDRAW_UNEXPECTED:
        return record->has_found && !record->has_queued;
    default:
        return !record->has_queued;
    }
}

/* Check that a recorded result is the one that MPI requires. */
static void verify(const trace_t *trace, const replay_sequence_t *sequence,
                   const mca_mq_base_trace_record_t *record, uint32_t found)
{
    uint32_t expected = replay_model_find(
        &sequence->domains[record->domain].model, &sequence->pool,
        mca_mq_base_effects[record->kind].from, &record->envelope);

    if (found != expected) {
        fprintf(stderr,
                "mq_replay: %s: record %llu, before offset %llu: %s (context "
                "%u, source %d, tag %d) was recorded to find %s, but the model "
                "finds %s\n",
                trace->path, (unsigned long long) trace->reader.records,
                (unsigned long long) trace->reader.offset,
                replay_kind_name(record->kind), record->envelope.context,
                record->envelope.source, record->envelope.tag,
                REPLAY_NONE == found ? "nothing" : "an entry",
                REPLAY_NONE == expected ? "nothing" : "another");
        exit(REPLAY_EXIT_DIFFERS);
    }
}

static void operation(const trace_t *trace, replay_sequence_t *sequence,
                      const mca_mq_base_trace_record_t *record)
{
    const mca_mq_base_effect_t *effect = &mca_mq_base_effects[record->kind];
    uint32_t found = REPLAY_NONE, slot;

    if (!is_possible(record)) {
        replay_die("%s: record %llu, before offset %llu: '%s' can not find or "
                   "queue this",
                   trace->path, (unsigned long long) trace->reader.records,
                   (unsigned long long) trace->reader.offset,
                   replay_kind_name(record->kind));
    }
    if (record->has_found) {
        found = look_up(trace, record);
    }
    if (effect->removes && !effect->searches) {
        replay_emit_withdraw(sequence, record->domain, effect->from, found);
        return;
    }
    if (sequence->verify && effect->searches) {
        verify(trace, sequence, record, found);
    }
    slot = replay_emit_known(sequence, record->domain, record->kind,
                             &record->envelope, found, record->has_queued);
    if (record->has_queued) {
        remember(trace, record, slot);
    }
}

static void forget(trace_t *trace, uint32_t domain)
{
    for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
        opal_flat_hash_fini(&trace->known[domain].slots[i]);
    }
}

static void one(trace_t *trace, replay_sequence_t *sequence,
                const mca_mq_base_trace_record_t *record)
{
    if (MCA_MQ_BASE_TRACE_BEGIN == record->kind) {
        for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
            opal_flat_hash_init(slots_of(trace, record->domain, i));
        }
        replay_domain_begin(sequence, record->domain);
    } else if (MCA_MQ_BASE_TRACE_FINISH == record->kind) {
        forget(trace, record->domain);
        replay_domain_finish(sequence, record->domain);
    } else if (MCA_MQ_BASE_TRACE_SERVED != record->kind) {
        operation(trace, sequence, record);
    }
}

static void reopen(trace_t *trace)
{
    if (trace->is_open) {
        mca_mq_base_trace_close(&trace->reader);
    }
    trace->is_open = false;
    if (OMPI_SUCCESS != mca_mq_base_trace_open(&trace->reader, trace->path)) {
        replay_die("%s", trace->reader.error);
    }
    trace->is_open = true;
    trace->is_at_end = false;
}

static bool next(trace_t *trace, mca_mq_base_trace_record_t *record)
{
    int ret = mca_mq_base_trace_next(&trace->reader, record);

    if (ret < 0) {
        replay_die("%s", trace->reader.error);
    }
    return ret > 0;
}

static void trace_rewind(replay_sequence_t *sequence)
{
    trace_t *trace = sequence->state;

    for (uint32_t i = 0; i < trace->num_known; ++i) {
        forget(trace, i);
    }
    reopen(trace);
}

static bool trace_extend(replay_sequence_t *sequence)
{
    trace_t *trace = sequence->state;
    mca_mq_base_trace_record_t record;

    for (int i = 0; i < TRACE_ROUND && !trace->is_at_end; ++i) {
        if (next(trace, &record)) {
            one(trace, sequence, &record);
        } else {
            trace->is_at_end = true;
        }
    }
    return !trace->is_at_end;
}

/* Components by domain: index in sequence->served, plus 1; 0: not known. */
typedef struct serving_t {
    unsigned *of_domain;
    uint32_t size;
} serving_t;

static unsigned *serving_of(serving_t *serving, uint32_t domain)
{
    if (domain >= serving->size) {
        uint32_t size = 2 * domain + 16;

        serving->of_domain = replay_realloc(serving->of_domain, size,
                                            sizeof(*serving->of_domain));
        memset(serving->of_domain + serving->size, 0,
               (size - serving->size) * sizeof(*serving->of_domain));
        serving->size = size;
    }
    return &serving->of_domain[domain];
}

/* Find a component among those that served, or add it; 0: there are too
 * many. */
static unsigned served_index(replay_sequence_t *sequence, const char *name)
{
    unsigned i = 0;

    while (i < sequence->num_served &&
           0 != strcmp(sequence->served[i].name, name)) {
        ++i;
    }
    if (REPLAY_SERVED_MAX == i) {
        return 0;
    }
    if (i == sequence->num_served) {
        ++sequence->num_served;
        memcpy(sequence->served[i].name, name, MCA_MQ_BASE_TRACE_NAME_MAX);
    }
    return i + 1;
}

static void survey_served(replay_sequence_t *sequence, serving_t *serving,
                          const mca_mq_base_trace_record_t *record)
{
    unsigned *index = serving_of(serving, record->domain);

    if (MCA_MQ_BASE_TRACE_SERVED == record->kind) {
        *index = served_index(sequence, record->component);
    } else if (record->kind < MCA_MQ_BASE_OPERATIONS && 0 != *index) {
        ++sequence->served[*index - 1].operations;
    }
}

static int by_operations(const void *left, const void *right)
{
    const replay_served_t *l = left, *r = right;

    return (l->operations < r->operations) - (l->operations > r->operations);
}

/* Scan the whole trace for wildcards, domains and their components. */
static void survey(replay_sequence_t *sequence)
{
    trace_t *trace = sequence->state;
    serving_t serving = {.of_domain = NULL};
    mca_mq_base_trace_record_t record;

    while (next(trace, &record)) {
        bool receive = record.kind < MCA_MQ_BASE_OPERATIONS &&
                       mca_mq_base_effects[record.kind].receive;

        if (MCA_MQ_BASE_TRACE_BEGIN == record.kind) {
            replay_domain_add(sequence, record.envelope.context, record.size,
                              record.assertions);
        } else if (record.kind < MCA_MQ_BASE_OPERATIONS) {
            ++sequence->length;
        }
        sequence->messages += MCA_MQ_BASE_ARRIVE == record.kind &&
                              (record.has_found || record.has_queued) &&
                              record.envelope.tag >= 0;
        survey_served(sequence, &serving, &record);
        sequence->has_any_source |=
            receive && MCA_MQ_ANY_SOURCE == record.envelope.source;
        sequence->has_any_tag |=
            receive && MCA_MQ_ANY_TAG == record.envelope.tag;
    }
    free(serving.of_domain);
    qsort(sequence->served, sequence->num_served, sizeof(sequence->served[0]),
          by_operations);
    while (sequence->num_served > 0 &&
           0 == sequence->served[sequence->num_served - 1].operations) {
        --sequence->num_served;
    }
}

void replay_trace_open(replay_sequence_t *sequence, const char *path)
{
    trace_t *trace = replay_realloc(NULL, 1, sizeof(*trace));

    trace->path = path;
    trace->is_open = false;
    trace->num_known = 0;
    reopen(trace);
    replay_sequence_init(sequence);
    sequence->name = "trace";
    sequence->is_recorded = true;
    sequence->rank = trace->reader.header.rank;
    sequence->ranks = trace->reader.header.size;
    sequence->rewind = trace_rewind;
    sequence->extend = trace_extend;
    sequence->state = trace;
    survey(sequence);
    if (trace->reader.is_cut) {
        fprintf(stderr,
                "mq_replay: %s: stops after %llu records, without an end; "
                "these are replayed\n",
                path, (unsigned long long) trace->reader.records);
    }
    if (0 != (trace->reader.header.flags & MCA_MQ_BASE_TRACE_LIMITED)) {
        fprintf(stderr,
                "mq_replay: %s: stops after %llu records, at its limit "
                "(mq_base_trace_limit)\n",
                path, (unsigned long long) trace->reader.records);
    }
    if (0 == sequence->length) {
        replay_die("%s: there are no operations in it", path);
    }
    trace->num_known = sequence->num_domains;
    trace->known =
        replay_realloc(NULL, trace->num_known, sizeof(*trace->known));
    for (uint32_t i = 0; i < trace->num_known; ++i) {
        for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
            opal_flat_hash_init(&trace->known[i].slots[queue]);
        }
    }
}

void replay_trace_close(replay_sequence_t *sequence)
{
    trace_t *trace = sequence->state;

    for (uint32_t i = 0; i < trace->num_known; ++i) {
        forget(trace, i);
    }
    mca_mq_base_trace_close(&trace->reader);
    free(trace->known);
    free(trace);
    replay_sequence_fini(sequence);
}
