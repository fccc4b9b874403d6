/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "replay_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "replay_util.h"

/* Most operations between two readings of the clock. */
#define BATCH 32

/* Passes are repeated this often, but not beyond REPEAT_WITHIN ns; the best one
 * counts. */
#define TIMED_PASSES 5
#define SINGLE_PASSES 3
#define REPEAT_WITHIN UINT64_C(1000000000)

/* Entries are allocated in chunks of this size, because they must not move. */
#define CHUNK 65536

/* Most searches for which the smallest time is kept, to limit memory. */
#define SINGLES_MAX (UINT32_C(1) << 26)

const char *const replay_path_names[REPLAY_PATHS] = {
    [REPLAY_POST_FOUND] = "post_found",
    [REPLAY_POST_QUEUED] = "post_queued",
    [REPLAY_ARRIVE_FOUND] = "arrive_found",
    [REPLAY_ARRIVE_QUEUED] = "arrive_queued",
    [REPLAY_SEARCH] = "search",
    [REPLAY_INSERT] = "insert",
    [REPLAY_WITHDRAW] = "withdraw",
};

/* The entry for an unexpected message. */
typedef struct made_t {
    mca_mq_base_domain_t *domain;
    mca_mq_entry_t *entry; /* or NULL */
} made_t;

typedef struct batch_t {
    unsigned count;
    mca_mq_base_domain_t *domain[BATCH];
    mca_mq_envelope_t envelope[BATCH];
    mca_mq_entry_t *entry[BATCH];
    mca_mq_entry_t *found[BATCH];
    made_t made[BATCH];
    mca_mq_entry_t receive[BATCH]; /* entries for receives that will not be
                                      queued */
} batch_t;

typedef enum { OBSERVED, COUNTED, TIMED, SINGLE } pass_t;

/* A domain in use. It must not move. */
typedef struct live_t {
    mca_mq_base_domain_t domain;
    size_t footprint; /* last measured */
    size_t idle;      /* measured when it was made */
} live_t;

typedef struct run_t {
    replay_sequence_t *sequence;
    const mca_mq_base_component_t *component;
    const char *choice; /* used instead of component, with parameters; or
                           NULL */
    const char *declined;
    pass_t pass;
    double timer_cost;
    live_t **live; /* by domain of the sequence */
    mca_mq_entry_t **chunks;
    uint32_t num_chunks;
    batch_t batch;

    /* Of the pass COUNTED. */
    mca_mq_stats_t stats; /* over all domains */
    uint64_t operations;
    uint64_t searches;
    uint64_t traversed;
    size_t footprint;
    size_t footprint_peak;
    size_t footprint_idle; /* present value */
    size_t footprint_idle_peak;
    unsigned since_footprint; /* operations */

    /* Of the pass TIMED. */
    replay_path_result_t path[REPLAY_PATHS];
    replay_histogram_t histogram;

    /* Of the pass SINGLE. */
    uint32_t *least; /* smallest time of each search, ns */
    uint64_t num_least;
    uint64_t at_search;
    double longest; /* longest search beyond those in least */
} run_t;

/* ---- running a batch ---- */

static mca_mq_entry_t *make(void *arg)
{
    const made_t *made = arg;

    if (NULL != made->entry) {
        mca_mq_base_stamp(made->domain, made->entry);
    }
    return made->entry;
}

static void do_arrive(batch_t *batch)
{
    for (unsigned i = 0; i < batch->count; ++i) {
        batch->found[i] = mca_mq_base_arrive(
            batch->domain[i], &batch->envelope[i], make, &batch->made[i]);
    }
}

static void do_post(batch_t *batch)
{
    for (unsigned i = 0; i < batch->count; ++i) {
        batch->found[i] = mca_mq_base_post(batch->domain[i], batch->entry[i]);
    }
}

#define DO_MATCH(name, function)                                               \
    static void name(batch_t *batch)                                           \
    {                                                                          \
        for (unsigned i = 0; i < batch->count; ++i) {                          \
            mca_mq_base_module_t *module = batch->domain[i]->module;           \
                                                                               \
            batch->found[i] = module->function(module, &batch->envelope[i]);   \
        }                                                                      \
    }

DO_MATCH(do_match_posted, mq_match_posted)
DO_MATCH(do_match_unexpected, mq_match_unexpected)
DO_MATCH(do_probe, mq_probe)

#define DO_ENTRY(name, function, stamp)                                        \
    static void name(batch_t *batch)                                           \
    {                                                                          \
        for (unsigned i = 0; i < batch->count; ++i) {                          \
            mca_mq_base_module_t *module = batch->domain[i]->module;           \
                                                                               \
            if (stamp) {                                                       \
                mca_mq_base_stamp(batch->domain[i], batch->entry[i]);          \
            }                                                                  \
            module->function(module, batch->entry[i]);                         \
            batch->found[i] = NULL;                                            \
        }                                                                      \
    }

DO_ENTRY(do_insert_posted, mq_insert_posted, true)
DO_ENTRY(do_insert_unexpected, mq_insert_unexpected, true)
DO_ENTRY(do_withdraw_posted, mq_withdraw_posted, false)
DO_ENTRY(do_withdraw_unexpected, mq_withdraw_unexpected, false)

static void do_nothing(batch_t *batch)
{
    (void) batch;
}

static void (*const do_kind[])(batch_t *batch) = {
    [MCA_MQ_BASE_ARRIVE] = do_arrive,
    [MCA_MQ_BASE_POST] = do_post,
    [MCA_MQ_BASE_MATCH_POSTED] = do_match_posted,
    [MCA_MQ_BASE_MATCH_UNEXPECTED] = do_match_unexpected,
    [MCA_MQ_BASE_PROBE] = do_probe,
    [MCA_MQ_BASE_INSERT_POSTED] = do_insert_posted,
    [MCA_MQ_BASE_INSERT_UNEXPECTED] = do_insert_unexpected,
    [MCA_MQ_BASE_WITHDRAW_POSTED] = do_withdraw_posted,
    [MCA_MQ_BASE_WITHDRAW_UNEXPECTED] = do_withdraw_unexpected,
    [MCA_MQ_BASE_OPERATIONS] = do_nothing,
};

static uint64_t timed(batch_t *batch, uint32_t kind)
{
    uint64_t began = replay_now();

    do_kind[kind](batch);
    return replay_now() - began;
}

static int by_size(const void *left, const void *right)
{
    const uint64_t *l = left, *r = right;

    return (*l > *r) - (*l < *r);
}

double replay_timer_cost(void)
{
    enum { TRIES = 20000, GOOD = TRIES * 9 / 10 };
    static uint64_t cost[TRIES];
    static batch_t batch;
    uint64_t sum = 0;

    for (int i = 0; i < TRIES; ++i) {
        cost[i] = timed(&batch, MCA_MQ_BASE_OPERATIONS);
    }
    /* Ignore the slowest, which were interrupted. */
    qsort(cost, TRIES, sizeof(cost[0]), by_size);
    for (int i = 0; i < GOOD; ++i) {
        sum += cost[i];
    }
    return (double) sum / GOOD;
}

/* ---- entries and domains ---- */

static mca_mq_entry_t *entry_of(const run_t *run, uint32_t slot)
{
    return &run->chunks[slot / CHUNK][slot % CHUNK];
}

static void make_entries(run_t *run)
{
    uint32_t wanted = (run->sequence->pool.used + CHUNK - 1) / CHUNK;

    if (wanted <= run->num_chunks) {
        return;
    }
    run->chunks = replay_realloc(run->chunks, wanted, sizeof(*run->chunks));
    while (run->num_chunks < wanted) {
        run->chunks[run->num_chunks++] =
            replay_realloc(NULL, CHUNK, sizeof(mca_mq_entry_t));
    }
}

static void measure_footprint(run_t *run, live_t *live)
{
    mca_mq_base_module_t *module = live->domain.module;

    run->footprint -= live->footprint;
    live->footprint = module->mq_footprint(module);
    run->footprint += live->footprint;
    if (run->footprint > run->footprint_peak) {
        run->footprint_peak = run->footprint;
    }
    run->since_footprint = 0;
}

/* Migrate a domain to the component to be measured. */
static bool migrate(run_t *run, mca_mq_base_domain_t *domain)
{
    static char why[160];

    if (OBSERVED == run->pass) {
        return true;
    }
    if (NULL == run->choice) {
        return OMPI_SUCCESS ==
               mca_mq_base_domain_migrate(domain, run->component, NULL);
    }
    if (OMPI_SUCCESS ==
        mca_mq_base_domain_prefer(domain, run->choice, why, sizeof(why))) {
        return true;
    }
    run->declined = why;
    return false;
}

static bool begin(run_t *run, uint32_t id)
{
    const replay_domain_t *domain = &run->sequence->domains[id];
    mca_mq_domain_info_t info = {
        .size = domain->size,
        .context = domain->context,
        .assertions = domain->assertions,
        .stats = COUNTED == run->pass ? &run->stats : NULL,
    };
    live_t *live = replay_realloc(NULL, 1, sizeof(*live));

    live->footprint = 0;
    live->idle = 0;
    if (OMPI_SUCCESS != mca_mq_base_domain_init(&live->domain, &info)) {
        free(live);
        return false;
    }
    run->live[id] = live;
    if (!migrate(run, &live->domain)) {
        return false;
    }
    measure_footprint(run, live);
    live->idle = live->footprint;
    run->footprint_idle += live->idle;
    if (run->footprint_idle > run->footprint_idle_peak) {
        run->footprint_idle_peak = run->footprint_idle;
    }
    return true;
}

static void finish(run_t *run, uint32_t id)
{
    live_t *live = run->live[id];

    if (NULL != live) {
        run->footprint -= live->footprint;
        run->footprint_idle -= live->idle;
        mca_mq_base_domain_fini(&live->domain);
        free(live);
        run->live[id] = NULL;
    }
}

/* ---- comparing with the model ---- */

static void print_entry(const char *who, const mca_mq_entry_t *entry)
{
    if (NULL == entry) {
        fprintf(stderr, "mq_replay:   %s: nothing\n", who);
        return;
    }
    fprintf(stderr,
            "mq_replay:   %s: context %u, source %d, tag %d, order "
            "%llu\n",
            who, entry->envelope.context, entry->envelope.source,
            entry->envelope.tag, (unsigned long long) entry->order);
}

static const char *name_of(const run_t *run)
{
    if (NULL != run->choice) {
        return run->choice;
    }
    return NULL == run->component
               ? "the default component"
               : run->component->mqm_version.mca_component_name;
}

static void begin_complaint(const run_t *run, uint64_t operation)
{
    replay_progress_end();
    fprintf(stderr,
            "mq_replay: %s is wrong, in operation %llu (from 0) of "
            "'%s'",
            name_of(run), (unsigned long long) operation, run->sequence->name);
}

static void differs(const run_t *run, const replay_op_t *op, unsigned place)
{
    uint64_t operation =
        run->sequence->before + (uint64_t) (op - run->sequence->ops);

    begin_complaint(run, operation);
    fprintf(stderr, ", %s: context %u, source %d, tag %d\n",
            replay_kind_name(op->kind), op->envelope.context,
            op->envelope.source, op->envelope.tag);
    print_entry("it finds", run->batch.found[place]);
    print_entry("the model finds",
                REPLAY_NONE == op->found ? NULL : entry_of(run, op->found));
    if (run->sequence->is_recorded && !run->sequence->verify) {
        fputs("mq_replay:   unless the trace is wrong: --verify tells\n",
              stderr);
    }
    exit(REPLAY_EXIT_DIFFERS);
}

static void check(const run_t *run, const replay_op_t *ops)
{
    for (unsigned i = 0; i < run->batch.count; ++i) {
        const mca_mq_entry_t *expected =
            REPLAY_NONE == ops[i].found ? NULL : entry_of(run, ops[i].found);

        if (expected != run->batch.found[i]) {
            differs(run, &ops[i], i);
        }
    }
}

/* State of a comparison of a queue with the model's. */
typedef struct walk_t {
    const run_t *run;
    uint32_t slot; /* next entry in the model */
    bool differs;
} walk_t;

static void walk_step(mca_mq_entry_t *entry, void *arg)
{
    walk_t *walk = arg;

    if (REPLAY_NONE == walk->slot || entry != entry_of(walk->run, walk->slot)) {
        walk->differs = true;
        return;
    }
    walk->slot = walk->run->sequence->pool.slots[walk->slot].all.next;
}

static void check_queue(const run_t *run, uint32_t id, mca_mq_queue_t queue)
{
    const replay_domain_t *domain = &run->sequence->domains[id];
    walk_t walk = {run, domain->model.queue[queue].all.first, false};

    if (OMPI_SUCCESS != mca_mq_base_visit(run->live[id]->domain.module, queue,
                                          NULL, walk_step, &walk)) {
        replay_die("out of memory");
    }
    if (walk.differs || REPLAY_NONE != walk.slot) {
        begin_complaint(run, run->sequence->before + run->sequence->num_ops);
        fprintf(stderr,
                ": the contents of its %s queue of domain %u are not "
                "those of the model\n",
                MCA_MQ_POSTED == queue ? "posted" : "unexpected", id);
        exit(REPLAY_EXIT_DIFFERS);
    }
}

static void check_queues(const run_t *run)
{
    for (uint32_t id = 0; id < run->sequence->num_domains; ++id) {
        if (NULL != run->live[id]) {
            check_queue(run, id, MCA_MQ_POSTED);
            check_queue(run, id, MCA_MQ_UNEXPECTED);
        }
    }
}

/* ---- a pass ---- */

static replay_path_t path_of(const replay_op_t *op)
{
    bool queues = REPLAY_NONE != op->entry;

    switch (op->kind) {
    case MCA_MQ_BASE_ARRIVE:
        return queues                     ? REPLAY_ARRIVE_QUEUED
               : REPLAY_NONE != op->found ? REPLAY_ARRIVE_FOUND
                                          : REPLAY_SEARCH;
    case MCA_MQ_BASE_POST:
        return queues ? REPLAY_POST_QUEUED : REPLAY_POST_FOUND;
    case MCA_MQ_BASE_INSERT_POSTED:
    case MCA_MQ_BASE_INSERT_UNEXPECTED:
        return REPLAY_INSERT;
    case MCA_MQ_BASE_WITHDRAW_POSTED:
    case MCA_MQ_BASE_WITHDRAW_UNEXPECTED:
        return REPLAY_WITHDRAW;
    default:
        return REPLAY_SEARCH;
    }
}

/* Does the time of a path count as that of a search? */
static bool is_search(replay_path_t path)
{
    return REPLAY_POST_FOUND == path || REPLAY_ARRIVE_FOUND == path ||
           REPLAY_SEARCH == path;
}

static bool is_insert(replay_path_t path)
{
    return REPLAY_POST_QUEUED == path || REPLAY_ARRIVE_QUEUED == path ||
           REPLAY_INSERT == path;
}

static void lay_out(run_t *run, const replay_op_t *ops)
{
    batch_t *batch = &run->batch;

    for (unsigned i = 0; i < batch->count; ++i) {
        const replay_op_t *op = &ops[i];
        mca_mq_entry_t *entry = REPLAY_NONE == op->entry
                                    ? &batch->receive[i]
                                    : entry_of(run, op->entry);

        batch->domain[i] = &run->live[op->domain]->domain;
        batch->envelope[i] = op->envelope;
        batch->entry[i] = entry;
        batch->made[i].domain = batch->domain[i];
        batch->made[i].entry = REPLAY_NONE == op->entry ? NULL : entry;
        /* Queued entries have their envelopes, and must not be changed. */
        if (MCA_MQ_BASE_WITHDRAW_POSTED != op->kind &&
            MCA_MQ_BASE_WITHDRAW_UNEXPECTED != op->kind) {
            entry->envelope = op->envelope;
        }
    }
}

static uint64_t traversed(const run_t *run)
{
    const mca_mq_queue_stats_t *queue = run->stats.queue;

    return queue[MCA_MQ_POSTED].traversed_hit +
           queue[MCA_MQ_POSTED].traversed_miss +
           queue[MCA_MQ_UNEXPECTED].traversed_hit +
           queue[MCA_MQ_UNEXPECTED].traversed_miss;
}

static void run_counted(run_t *run, const replay_op_t *ops, replay_path_t path)
{
    uint64_t before = traversed(run);

    do_kind[ops->kind](&run->batch);
    run->operations += run->batch.count;
    if (is_search(path)) {
        run->searches += run->batch.count;
        run->traversed += traversed(run) - before;
    }
    run->since_footprint += run->batch.count;
    if (run->since_footprint >= BATCH) {
        measure_footprint(run, run->live[ops->domain]);
    }
}

/* Are these operations excluded from timing (--skip)? */
static bool is_skipped(const run_t *run, const replay_op_t *ops)
{
    const replay_sequence_t *sequence = run->sequence;

    return sequence->before + (uint64_t) (ops - sequence->ops) < sequence->skip;
}

static void run_timed(run_t *run, const replay_op_t *ops, replay_path_t path)
{
    double ns = (double) timed(&run->batch, ops->kind) - run->timer_cost;

    if (is_skipped(run, ops)) {
        return;
    }
    ns = ns < 0 ? 0 : ns;
    run->path[path].ns += ns;
    run->path[path].operations += run->batch.count;
    if (is_search(path)) {
        replay_histogram_add(&run->histogram, ns / run->batch.count,
                             run->batch.count);
    }
}

static void run_single(run_t *run, const replay_op_t *ops, replay_path_t path)
{
    double ns = (double) timed(&run->batch, ops->kind) - run->timer_cost;
    uint64_t at = run->at_search;

    if (!is_search(path) || is_skipped(run, ops)) {
        return;
    }
    ns = ns < 0 ? 0 : ns > UINT32_MAX ? UINT32_MAX : ns;
    ++run->at_search;
    if (at >= run->num_least) {
        run->longest = ns > run->longest ? ns : run->longest;
    } else if (ns < run->least[at]) {
        run->least[at] = (uint32_t) (ns + 0.5);
    }
}

/* Number of operations from here on that form a batch. */
static unsigned batch_length(const run_t *run, const replay_op_t *ops,
                             size_t left, replay_path_t path)
{
    unsigned most = SINGLE == run->pass ? 1 : BATCH, count = 1;

    while (count < most && count < left && ops[count].kind == ops->kind &&
           path_of(&ops[count]) == path) {
        ++count;
    }
    return count;
}

static unsigned run_batch(run_t *run, const replay_op_t *ops, size_t left)
{
    replay_path_t path = path_of(ops);

    run->batch.count = batch_length(run, ops, left, path);
    lay_out(run, ops);
    switch (run->pass) {
    case OBSERVED:
        do_kind[ops->kind](&run->batch);
        break;
    case COUNTED:
        run_counted(run, ops, path);
        break;
    case TIMED:
        run_timed(run, ops, path);
        break;
    case SINGLE:
        run_single(run, ops, path);
        break;
    }
    check(run, ops);
    return run->batch.count;
}

static bool run_part(run_t *run)
{
    const replay_sequence_t *sequence = run->sequence;

    make_entries(run);
    for (size_t i = 0; i < sequence->num_ops;) {
        const replay_op_t *op = &sequence->ops[i];

        if (op->kind < MCA_MQ_BASE_OPERATIONS) {
            i += run_batch(run, op, sequence->num_ops - i);
            continue;
        }
        if (MCA_MQ_BASE_TRACE_FINISH == op->kind) {
            finish(run, op->domain);
        } else if (!begin(run, op->domain)) {
            return false;
        }
        ++i;
    }
    if (sequence->verify) {
        check_queues(run);
    }
    return true;
}

static const char *pass_name(pass_t pass)
{
    static const char *const names[] = {
        [OBSERVED] = "recording a profile",
        [COUNTED] = "counting",
        [TIMED] = "timing batches",
        [SINGLE] = "timing single operations",
    };

    return names[pass];
}

/* Make a pass over the sequence. Returns false if out of memory. */
static bool run_pass(run_t *run, pass_t pass)
{
    replay_sequence_t *sequence = run->sequence;
    bool good = true;

    run->pass = pass;
    run->at_search = 0;
    run->footprint = 0;
    replay_sequence_rewind(sequence);
    while (good && replay_sequence_next(sequence)) {
        good = run_part(run);
        replay_progress(name_of(run), pass_name(pass),
                        sequence->before + sequence->num_ops, sequence->length);
    }
    for (uint32_t id = 0; id < sequence->num_domains; ++id) {
        finish(run, id);
    }
    return good;
}

static run_t *run_new(replay_sequence_t *sequence,
                      const mca_mq_base_component_t *component)
{
    run_t *run = calloc(1, sizeof(*run));

    if (NULL == run) {
        replay_die("out of memory");
    }
    run->sequence = sequence;
    run->component = component;
    run->live = calloc(sequence->num_domains, sizeof(*run->live));
    if (NULL == run->live && 0 != sequence->num_domains) {
        replay_die("out of memory");
    }
    return run;
}

static void run_free(run_t *run)
{
    for (uint32_t i = 0; i < run->num_chunks; ++i) {
        free(run->chunks[i]);
    }
    free(run->chunks);
    free(run->live);
    free(run->least);
    free(run);
}

static void count(run_t *run, replay_result_t *result)
{
    const mca_mq_queue_stats_t *queue = run->stats.queue;

    result->operations = run->operations;
    result->traversals_mean =
        0 == run->searches ? 0
                           : (double) run->traversed / (double) run->searches;
    result->traversals_max = queue[MCA_MQ_POSTED].traversed_max;
    if (queue[MCA_MQ_UNEXPECTED].traversed_max > result->traversals_max) {
        result->traversals_max = queue[MCA_MQ_UNEXPECTED].traversed_max;
    }
    result->memory_peak = run->footprint_peak;
    result->memory_idle = run->footprint_idle_peak;
}

static double mean(const run_t *run, bool (*is_of)(replay_path_t))
{
    double ns = 0, operations = 0;

    for (int i = 0; i < REPLAY_PATHS; ++i) {
        if (is_of(i)) {
            ns += run->path[i].ns;
            operations += (double) run->path[i].operations;
        }
    }
    return 0 == operations ? 0 : ns / operations;
}

static bool is_any(replay_path_t path)
{
    (void) path;
    return true;
}

/* Time some passes and keep the best: disturbances only make a pass slower. */
static bool take_times(run_t *run, replay_result_t *result)
{
    uint64_t began = replay_now();
    double best = 0;

    for (int i = 0; i < TIMED_PASSES; ++i) {
        memset(run->path, 0, sizeof(run->path));
        memset(&run->histogram, 0, sizeof(run->histogram));
        if (!run_pass(run, TIMED)) {
            return false;
        }
        if (0 == i || mean(run, is_any) < best) {
            best = mean(run, is_any);
            memcpy(result->path, run->path, sizeof(run->path));
            result->search_ns_mean = mean(run, is_search);
            result->insert_ns_mean = mean(run, is_insert);
            result->search_ns_p99 =
                replay_histogram_quantile(&run->histogram, 0.99);
        }
        if (replay_now() - began > REPEAT_WITHIN) {
            break;
        }
    }
    return true;
}

static bool take_single_times(run_t *run, replay_result_t *result)
{
    uint64_t began = replay_now();

    run->num_least = run->searches < SINGLES_MAX ? run->searches : 0;
    run->least = replay_realloc(NULL, run->num_least + 1, sizeof(*run->least));
    memset(run->least, 0xff, run->num_least * sizeof(*run->least));
    for (int i = 0; i < SINGLE_PASSES; ++i) {
        if (!run_pass(run, SINGLE)) {
            return false;
        }
        if (replay_now() - began > REPEAT_WITHIN) {
            break;
        }
    }
    result->search_ns_max = run->longest;
    for (uint64_t i = 0; i < run->num_least; ++i) {
        /* Skipped operations have no time. */
        if (UINT32_MAX != run->least[i] &&
            run->least[i] > result->search_ns_max) {
            result->search_ns_max = run->least[i];
        }
    }
    if (result->search_ns_max < result->search_ns_p99) {
        result->search_ns_max = result->search_ns_p99;
    }
    return true;
}

static void measure(run_t *run, replay_result_t *result)
{
    run->timer_cost = replay_timer_cost();
    run->declined = "out of memory";
    if (!run_pass(run, COUNTED)) {
        result->declined = run->declined;
    } else {
        count(run, result);
        if (!take_times(run, result) || !take_single_times(run, result)) {
            result->declined = run->declined;
        }
    }
    run_free(run);
}

void replay_measure(replay_sequence_t *sequence,
                    const mca_mq_base_component_t *component,
                    replay_result_t *result)
{
    measure(run_new(sequence, component), result);
}

void replay_measure_choice(replay_sequence_t *sequence, const char *choice,
                           replay_result_t *result)
{
    run_t *run = run_new(sequence, NULL);

    run->choice = choice;
    measure(run, result);
}

void replay_run_observed(replay_sequence_t *sequence)
{
    run_t *run = run_new(sequence, NULL);

    if (!run_pass(run, OBSERVED)) {
        replay_die("out of memory");
    }
    run_free(run);
}
