/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A run is a series of domains: of few ranks and of many, of one context and
 * of several, counting and not. The life of a domain is a series of phases,
 * each with its own mix of operations and envelopes, so that there are times
 * of few sources with deep queues, many sources with shallow ones, bursts of
 * one kind, drains, and everything at once.
 *
 * Every entry is memory of its own, poisoned before it is queued and freed
 * when it has left the queue.
 */

#include "mq_random.h"

#include <stdio.h>
#include <time.h>

#include "mq_model.h"

#define CONTEXTS_MAX 5

/* Relative frequencies of the operations in a phase. */
enum {
    DO_ARRIVE,
    DO_POST,
    DO_MATCH_POSTED,
    DO_MATCH_UNEXPECTED,
    DO_PROBE,
    DO_WITHDRAW_POSTED,
    DO_WITHDRAW_UNEXPECTED,
    DO_VISIT,
    DO_PURGE,
    DO_MIGRATE,
    DO_KINDS
};

static const char *const kind_name[DO_KINDS] = {
    [DO_ARRIVE] = "arrival",
    [DO_POST] = "post",
    [DO_MATCH_POSTED] = "search of posted",
    [DO_MATCH_UNEXPECTED] = "search of unexpected",
    [DO_PROBE] = "probe",
    [DO_WITHDRAW_POSTED] = "withdrawal from posted",
    [DO_WITHDRAW_UNEXPECTED] = "withdrawal from unexpected",
    [DO_VISIT] = "visit",
    [DO_PURGE] = "purge",
    [DO_MIGRATE] = "migration",
};

typedef struct mq_phase_t {
    unsigned weight[DO_KINDS];
    unsigned sources;    /* from 0 to this are used */
    unsigned tags;       /* user tags */
    unsigned aimed;      /* percentage of operations made to match something */
    unsigned any_source; /* percentage */
    unsigned any_tag;    /* percentage */
    unsigned internal;   /* percentage of negative tags */
} mq_phase_t;

/* What the model counted, both queues, all domains. */
typedef struct mq_random_totals_t {
    uint64_t hits;
    uint64_t misses;
    uint64_t longest;
    uint64_t migrations;
    uint64_t moved; /* entries queued when the domain migrated */
} mq_random_totals_t;

typedef struct mq_run_t {
    const mq_random_config_t *config;
    uint64_t random;
    mca_mq_base_domain_t domain;
    mca_mq_domain_info_t info;
    mca_mq_stats_t stats;
    uint32_t context[CONTEXTS_MAX];
    unsigned contexts;
    mq_model_t model;
    mq_phase_t phase;
    mca_mq_envelope_t making; /* envelope of the entry make() makes */
    bool make_nothing;
    mca_mq_entry_t *made;
    uint64_t done;
    uint64_t seed;
    const char *doing; /* the operation */
    bool has_envelope;
    mca_mq_envelope_t envelope; /* its own, if it has one */
    mq_random_totals_t totals;
} mq_run_t;

/* Sebastiano Vigna's splitmix64. */
static uint64_t next_random(mq_run_t *run)
{
    uint64_t z = (run->random += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned below(mq_run_t *run, unsigned limit)
{
    return (unsigned) ((next_random(run) >> 32) * limit >> 32);
}

static bool percent(mq_run_t *run, unsigned chance)
{
    return below(run, 100) < chance;
}

static mq_model_queue_t *queue_of(mq_run_t *run, mca_mq_queue_t queue)
{
    return &run->model.queue[queue];
}

static size_t depth(mq_run_t *run)
{
    size_t posted = queue_of(run, MCA_MQ_POSTED)->length;
    size_t unexpected = queue_of(run, MCA_MQ_UNEXPECTED)->length;

    return posted > unexpected ? posted : unexpected;
}

static const char *const queue_name[] = {
    [MCA_MQ_POSTED] = "posted",
    [MCA_MQ_UNEXPECTED] = "unexpected",
};

/* Fails the test: which operation, of which envelope, and what is wrong. */
__attribute__((format(printf, 2, 3))) static void wrong(const mq_run_t *run,
                                                        const char *format, ...)
{
    char text[400], of[100] = "";
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (run->has_envelope) {
        snprintf(of, sizeof(of), " of context %u, source %d, tag %d",
                 run->envelope.context, run->envelope.source,
                 run->envelope.tag);
    }
    fail_msg("%s: operation %llu, %s%s: %s (TEST_SEED=%llu)",
             mca_mq_base_domain_name(&run->domain),
             (unsigned long long) run->done, run->doing, of, text,
             (unsigned long long) run->seed);
}

/* What an entry is, if it is one that is queued; others may be no memory. */
static const char *described(mq_run_t *run, mca_mq_queue_t queue,
                             const mca_mq_entry_t *entry, char text[160])
{
    const mq_model_queue_t *q = queue_of(run, queue);
    size_t at = 0;

    while (at < q->length && q->entries[at] != entry) {
        ++at;
    }
    if (entry == NULL) {
        snprintf(text, 160, "none");
    } else if (at == q->length) {
        snprintf(text, 160, "one that is not in the %s queue",
                 queue_name[queue]);
    } else {
        snprintf(text, 160,
                 "order %llu (context %u, source %d, tag %d), number %zu of "
                 "%zu %s",
                 (unsigned long long) entry->order, entry->envelope.context,
                 entry->envelope.source, entry->envelope.tag, at + 1, q->length,
                 queue_name[queue]);
    }
    return text;
}

static void name_envelope(mq_run_t *run, const mca_mq_envelope_t *envelope)
{
    run->envelope = *envelope;
    run->has_envelope = true;
}

static void check_same(mq_run_t *run, mca_mq_queue_t queue,
                       const mca_mq_entry_t *expected,
                       const mca_mq_entry_t *found)
{
    char one[160], other[160];

    if (expected != found) {
        wrong(run, "expected %s, found %s",
              described(run, queue, expected, one),
              described(run, queue, found, other));
    }
}

static void check_equal(const mq_run_t *run, const char *what,
                        mca_mq_queue_t queue, uint64_t expected, uint64_t found)
{
    if (expected != found) {
        wrong(run, "%s %s: expected %llu, found %llu", queue_name[queue], what,
              (unsigned long long) expected, (unsigned long long) found);
    }
}

/* An entry at random, or NULL if there is none. */
static mca_mq_entry_t *pick(mq_run_t *run, mca_mq_queue_t queue)
{
    mq_model_queue_t *q = queue_of(run, queue);

    return q->length == 0 ? NULL : q->entries[below(run, q->length)];
}

/* Tags use the whole range, but few of it at a time. */
static int32_t random_tag(mq_run_t *run)
{
    unsigned tag = below(run, run->phase.tags);

    if (percent(run, run->phase.internal)) {
        return -2 - (int32_t) tag;
    }
    return tag == 0 ? INT32_MAX : (int32_t) tag - 1;
}

static mca_mq_envelope_t random_message(mq_run_t *run)
{
    const mca_mq_entry_t *receive = pick(run, MCA_MQ_POSTED);
    mca_mq_envelope_t envelope = {
        .context = run->context[below(run, run->contexts)],
        .source = below(run, run->phase.sources),
        .tag = random_tag(run),
    };

    if (receive != NULL && percent(run, run->phase.aimed)) {
        envelope.context = receive->envelope.context;
        if (receive->envelope.source != MCA_MQ_ANY_SOURCE) {
            envelope.source = receive->envelope.source;
        }
        if (receive->envelope.tag != MCA_MQ_ANY_TAG) {
            envelope.tag = receive->envelope.tag;
        }
    }
    return envelope;
}

static mca_mq_envelope_t random_receive(mq_run_t *run)
{
    const mca_mq_entry_t *message = pick(run, MCA_MQ_UNEXPECTED);
    mca_mq_envelope_t envelope = {
        .context = run->context[below(run, run->contexts)],
        .source = below(run, run->phase.sources),
        .tag = random_tag(run),
    };

    if (message != NULL && percent(run, run->phase.aimed)) {
        envelope = message->envelope;
    }
    if (percent(run, run->phase.any_tag) &&
        !(run->config->assertions & MCA_MQ_ASSERT_NO_ANY_TAG)) {
        envelope.tag = MCA_MQ_ANY_TAG;
    }
    /* Promises do not bind internal receives. */
    if (percent(run, run->phase.any_source) &&
        (!(run->config->assertions & MCA_MQ_ASSERT_NO_ANY_SOURCE) ||
         envelope.tag < MCA_MQ_ANY_TAG)) {
        envelope.source = MCA_MQ_ANY_SOURCE;
    }
    return envelope;
}

static mca_mq_entry_t *new_entry(const mca_mq_envelope_t *envelope)
{
    mca_mq_entry_t *entry = malloc(sizeof(*entry));

    assert_non_null(entry);
    memset(entry, 0xa5, sizeof(*entry));
    entry->envelope = *envelope;
    return entry;
}

static void discard(mca_mq_entry_t *entry)
{
    memset(entry, 0x5a, sizeof(*entry));
    free(entry);
}

static mca_mq_entry_t *make(void *arg)
{
    mq_run_t *run = arg;

    assert_null(run->made);
    if (run->make_nothing) {
        return NULL;
    }
    run->made = new_entry(&run->making);
    mca_mq_base_stamp(&run->domain, run->made);
    return run->made;
}

static void left(mq_run_t *run, mca_mq_queue_t queue, mca_mq_entry_t *entry)
{
    mq_model_remove(&run->model, queue, entry);
    discard(entry);
}

static void do_arrive(mq_run_t *run)
{
    mca_mq_envelope_t envelope = random_message(run);
    mca_mq_entry_t *expected, *found;

    run->making = envelope;
    run->make_nothing = percent(run, 3);
    run->made = NULL;
    name_envelope(run, &envelope);
    expected = mq_model_search(&run->model, MCA_MQ_POSTED, &envelope);
    found = mca_mq_base_arrive(&run->domain, &envelope, make, run);
    check_same(run, MCA_MQ_POSTED, expected, found);
    if (found != NULL) {
        assert_null(run->made);
        left(run, MCA_MQ_POSTED, found);
    } else if (run->made != NULL) {
        mq_model_insert(&run->model, MCA_MQ_UNEXPECTED, run->made);
    }
}

static void do_post(mq_run_t *run)
{
    mca_mq_envelope_t envelope = random_receive(run);
    mca_mq_entry_t *receive = new_entry(&envelope), *expected, *found;

    name_envelope(run, &envelope);
    expected = mq_model_search(&run->model, MCA_MQ_UNEXPECTED, &envelope);
    found = mca_mq_base_post(&run->domain, receive);
    check_same(run, MCA_MQ_UNEXPECTED, expected, found);
    if (found != NULL) {
        left(run, MCA_MQ_UNEXPECTED, found);
        discard(receive);
    } else {
        mq_model_insert(&run->model, MCA_MQ_POSTED, receive);
    }
}

/* The halves: a search, and mostly an insertion if nothing was found. */
static void do_match_posted(mq_run_t *run)
{
    mca_mq_base_module_t *module = run->domain.module;
    mca_mq_envelope_t envelope = random_message(run);
    mca_mq_entry_t *expected, *found;

    name_envelope(run, &envelope);
    expected = mq_model_search(&run->model, MCA_MQ_POSTED, &envelope);
    found = module->mq_match_posted(module, &envelope);
    check_same(run, MCA_MQ_POSTED, expected, found);
    if (found != NULL) {
        left(run, MCA_MQ_POSTED, found);
    } else if (percent(run, 80)) {
        found = new_entry(&envelope);
        mca_mq_base_stamp(&run->domain, found);
        module = run->domain.module; /* it may have migrated */
        module->mq_insert_unexpected(module, found);
        mq_model_insert(&run->model, MCA_MQ_UNEXPECTED, found);
    }
}

static void do_match_unexpected(mq_run_t *run)
{
    mca_mq_base_module_t *module = run->domain.module;
    mca_mq_envelope_t envelope = random_receive(run);
    mca_mq_entry_t *expected, *found;

    name_envelope(run, &envelope);
    expected = mq_model_search(&run->model, MCA_MQ_UNEXPECTED, &envelope);
    found = module->mq_match_unexpected(module, &envelope);
    check_same(run, MCA_MQ_UNEXPECTED, expected, found);
    if (found != NULL) {
        left(run, MCA_MQ_UNEXPECTED, found);
    } else if (percent(run, 80)) {
        found = new_entry(&envelope);
        mca_mq_base_stamp(&run->domain, found);
        module = run->domain.module; /* it may have migrated */
        module->mq_insert_posted(module, found);
        mq_model_insert(&run->model, MCA_MQ_POSTED, found);
    }
}

static void do_probe(mq_run_t *run)
{
    mca_mq_base_module_t *module = run->domain.module;
    mca_mq_envelope_t envelope = random_receive(run);

    name_envelope(run, &envelope);
    check_same(run, MCA_MQ_UNEXPECTED,
               mq_model_search(&run->model, MCA_MQ_UNEXPECTED, &envelope),
               module->mq_probe(module, &envelope));
}

static void do_withdraw(mq_run_t *run, mca_mq_queue_t queue)
{
    mca_mq_base_module_t *module = run->domain.module;
    mca_mq_entry_t *entry = pick(run, queue);

    if (entry == NULL) {
        return;
    }
    if (queue == MCA_MQ_POSTED) {
        module->mq_withdraw_posted(module, entry);
    } else {
        module->mq_withdraw_unexpected(module, entry);
    }
    left(run, queue, entry);
}

/* What a visitor should see, and how far it has got. */
typedef struct mq_tour_t {
    mq_run_t *run;
    mca_mq_queue_t queue;
    mca_mq_entry_t **expected;
    size_t length;
    size_t seen;
} mq_tour_t;

static void visit_in_order(mca_mq_entry_t *entry, void *arg)
{
    mq_tour_t *tour = arg;

    check_same(tour->run, tour->queue,
               tour->seen < tour->length ? tour->expected[tour->seen] : NULL,
               entry);
    ++tour->seen;
}

static void visit_and_remove(mca_mq_entry_t *entry, void *arg)
{
    mq_tour_t *tour = arg;

    visit_in_order(entry, arg);
    left(tour->run, tour->queue, entry);
}

static void visit_count(mca_mq_entry_t *entry, void *arg)
{
    ++*(size_t *) arg;
}

/* The entries of one context, or of all. */
static mq_tour_t tour_of(mq_run_t *run, mca_mq_queue_t queue,
                         const uint32_t *context)
{
    mq_model_queue_t *q = queue_of(run, queue);
    mq_tour_t tour = {run, queue, malloc((q->length + 1) * sizeof(*q->entries)),
                      0, 0};

    assert_non_null(tour.expected);
    for (size_t i = 0; i < q->length; ++i) {
        if (context == NULL || *context == q->entries[i]->envelope.context) {
            tour.expected[tour.length++] = q->entries[i];
        }
    }
    return tour;
}

static const uint32_t *random_context(mq_run_t *run)
{
    return percent(run, 30) ? NULL : &run->context[below(run, run->contexts)];
}

static void do_visit(mq_run_t *run)
{
    mca_mq_base_module_t *module = run->domain.module;
    mca_mq_queue_t queue = below(run, MCA_MQ_QUEUES);
    const uint32_t *context = random_context(run);
    mq_tour_t tour = tour_of(run, queue, context);
    size_t count = 0;

    assert_int_equal(OMPI_SUCCESS, mca_mq_base_visit(module, queue, context,
                                                     visit_in_order, &tour));
    check_equal(run, "entries that were visited", queue, tour.length,
                tour.seen);
    module->mq_each(module, queue, visit_count, &count);
    check_equal(run, "entries", queue, queue_of(run, queue)->length, count);
    assert_true(module->mq_footprint(module) >= sizeof(*module));
    free(tour.expected);
}

static void purge(mq_run_t *run, mca_mq_queue_t queue, const uint32_t *context)
{
    mq_tour_t tour = tour_of(run, queue, context);

    mca_mq_base_purge(run->domain.module, queue, context, visit_and_remove,
                      &tour);
    check_equal(run, "entries that were purged", queue, tour.length, tour.seen);
    free(tour.expected);
}

static void do_purge(mq_run_t *run)
{
    purge(run, below(run, MCA_MQ_QUEUES), random_context(run));
}

static bool wildcard_is_posted(mq_run_t *run)
{
    mq_model_queue_t *posted = queue_of(run, MCA_MQ_POSTED);

    for (size_t i = 0; i < posted->length; ++i) {
        const mca_mq_envelope_t *envelope = &posted->entries[i]->envelope;

        if (envelope->source == MCA_MQ_ANY_SOURCE ||
            envelope->tag == MCA_MQ_ANY_TAG) {
            return true;
        }
    }
    return false;
}

/* One that will not serve this domain at all may refuse; one that could may
 * refuse only if a receive is posted that it cannot hold. */
static void do_migrate(mq_run_t *run)
{
    const mca_mq_base_component_t *to;
    unsigned choices = 0;
    const char *why = NULL;
    int ret;

    if (run->config->migrate == NULL) {
        return;
    }
    while (run->config->migrate[choices] != NULL) {
        ++choices;
    }
    to = mca_mq_base_find(run->config->migrate[below(run, choices)]);
    assert_non_null(to);
    ret = mca_mq_base_domain_migrate(&run->domain, to, &why);
    if (ret == OMPI_SUCCESS) {
        assert_ptr_equal(to, run->domain.module->mq_component);
        ++run->totals.migrations;
        run->totals.moved += queue_of(run, MCA_MQ_POSTED)->length +
                             queue_of(run, MCA_MQ_UNEXPECTED)->length;
        return;
    }
    assert_int_equal(OMPI_ERR_NOT_SUPPORTED, ret);
    assert_non_null(why);
    if (NULL == to->mqm_query || to->mqm_query(&run->domain.info, &why)) {
        assert_true(to->mqm_flags & MCA_MQ_COMPONENT_EXACT_ONLY);
        assert_true(wildcard_is_posted(run));
    }
}

static void do_one(mq_run_t *run)
{
    unsigned total = 0, kind = 0, at;

    for (unsigned i = 0; i < DO_KINDS; ++i) {
        total += run->phase.weight[i];
    }
    for (at = below(run, total); at >= run->phase.weight[kind]; ++kind) {
        at -= run->phase.weight[kind];
    }
    run->doing = kind_name[kind];
    run->has_envelope = false;
    switch (kind) {
    case DO_ARRIVE:
        do_arrive(run);
        break;
    case DO_POST:
        do_post(run);
        break;
    case DO_MATCH_POSTED:
        do_match_posted(run);
        break;
    case DO_MATCH_UNEXPECTED:
        do_match_unexpected(run);
        break;
    case DO_PROBE:
        do_probe(run);
        break;
    case DO_WITHDRAW_POSTED:
        do_withdraw(run, MCA_MQ_POSTED);
        break;
    case DO_WITHDRAW_UNEXPECTED:
        do_withdraw(run, MCA_MQ_UNEXPECTED);
        break;
    case DO_VISIT:
        do_visit(run);
        break;
    case DO_PURGE:
        do_purge(run);
        break;
    case DO_MIGRATE:
        do_migrate(run);
        break;
    }
    run->has_envelope = false;
    ++run->done;
}

static void check_queue_stats(mq_run_t *run, mca_mq_queue_t queue)
{
    const mca_mq_queue_stats_t *model = &queue_of(run, queue)->stats;
    const mca_mq_queue_stats_t *stats = &run->stats.queue[queue];

    check_equal(run, "hits", queue, model->hits, stats->hits);
    check_equal(run, "misses", queue, model->misses, stats->misses);
    check_equal(run, "length", queue, model->length, stats->length);
    check_equal(run, "length_max", queue, model->length_max, stats->length_max);
    assert_true(stats->traversed_hit >= stats->hits);
    assert_true(stats->traversed_max <=
                stats->traversed_hit + stats->traversed_miss);
    if (run->config->traverses_like_list) {
        check_equal(run, "traversed_hit", queue, model->traversed_hit,
                    stats->traversed_hit);
        check_equal(run, "traversed_miss", queue, model->traversed_miss,
                    stats->traversed_miss);
        check_equal(run, "traversed_max", queue, model->traversed_max,
                    stats->traversed_max);
    }
}

static void check_stats(mq_run_t *run)
{
    run->doing = "statistics after it";
    run->has_envelope = false;
    if (run->info.stats != NULL) {
        check_queue_stats(run, MCA_MQ_POSTED);
        check_queue_stats(run, MCA_MQ_UNEXPECTED);
    }
}

static void new_phase(mq_run_t *run)
{
    static const mq_phase_t shapes[] = {
        /* everything */
        {{20, 20, 10, 10, 8, 4, 4, 1, 0, 1}, 0, 0, 50, 20, 20, 10},
        /* a burst of messages, a burst of receives */
        {{90, 2, 8, 0, 2, 0, 1, 0, 0, 1}, 0, 0, 5, 10, 10, 5},
        {{2, 90, 0, 8, 2, 1, 0, 0, 0, 1}, 0, 0, 5, 10, 10, 5},
        /* drains */
        {{50, 0, 20, 0, 2, 10, 0, 0, 0, 1}, 0, 0, 100, 10, 10, 5},
        {{0, 50, 0, 20, 2, 0, 10, 0, 0, 1}, 0, 0, 100, 10, 10, 5},
        /* exact receives only; wildcards only */
        {{30, 30, 5, 5, 5, 2, 2, 1, 0, 1}, 0, 0, 40, 0, 0, 0},
        {{30, 30, 5, 5, 5, 2, 2, 1, 0, 1}, 0, 0, 40, 60, 60, 10},
        /* ends of communicators */
        {{20, 20, 10, 10, 5, 2, 2, 10, 5, 1}, 0, 0, 30, 20, 20, 10},
        /* ping-pong: queues are empty or nearly so */
        {{40, 40, 0, 0, 5, 5, 5, 0, 2, 1}, 0, 0, 100, 5, 5, 0},
    };
    static const unsigned sources[] = {1, 3, 16, 200, 100000};
    static const unsigned tags[] = {1, 3, 40, 3000};
    mq_phase_t *phase = &run->phase;

    *phase = shapes[below(run, sizeof(shapes) / sizeof(shapes[0]))];
    phase->sources = sources[below(run, 5)];
    if (phase->sources > run->info.size) {
        phase->sources = run->info.size;
    }
    phase->tags = tags[below(run, 4)];
}

/* Operations until the next phase. */
static void run_phase(mq_run_t *run)
{
    unsigned operations = 1 + below(run, 4 * run->config->depth);

    new_phase(run);
    for (unsigned i = 0; i < operations; ++i) {
        do_one(run);
        if (depth(run) > run->config->depth) {
            break;
        }
    }
    while (depth(run) > run->config->depth) {
        do_withdraw(run, below(run, MCA_MQ_QUEUES));
        ++run->done;
    }
    check_stats(run);
    if (run->config->watch != NULL) {
        run->config->watch(run->domain.module, run->config->watch_arg);
    }
}

static void empty_out(mq_run_t *run)
{
    run->doing = "emptying";
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        if (percent(run, 50)) {
            purge(run, queue, NULL);
        }
        while (queue_of(run, queue)->length > 0) {
            do_withdraw(run, queue);
        }
    }
    check_stats(run);
}

static void add_totals(mq_run_t *run)
{
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        const mca_mq_queue_stats_t *stats = &queue_of(run, queue)->stats;

        run->totals.hits += stats->hits;
        run->totals.misses += stats->misses;
        if (run->totals.longest < stats->length_max) {
            run->totals.longest = stats->length_max;
        }
    }
}

static void run_domain(mq_run_t *run, uint32_t size, bool many, bool counting,
                       uint64_t operations)
{
    uint64_t end = run->done + operations;

    memset(&run->stats, 0, sizeof(run->stats));
    run->contexts = many ? CONTEXTS_MAX : 1;
    for (unsigned i = 0; i < run->contexts; ++i) {
        run->context[i] = (uint32_t) next_random(run) - (i == 0);
    }
    run->info = (mca_mq_domain_info_t){
        .size = size,
        .context = many ? MCA_MQ_MANY_CONTEXTS : run->context[0],
        .stats = counting ? &run->stats : NULL,
        .assertions = run->config->assertions,
    };
    mq_model_init(&run->model);
    assert_int_equal(OMPI_SUCCESS,
                     mca_mq_base_domain_init(&run->domain, &run->info));
    assert_string_equal(run->config->component,
                        mca_mq_base_domain_name(&run->domain));
    while (run->done < end) {
        run_phase(run);
    }
    empty_out(run);
    mca_mq_base_domain_fini(&run->domain);
    add_totals(run);
    mq_model_fini(&run->model);
}

static uint64_t from_environment(const char *name, uint64_t standard)
{
    const char *text = getenv(name);

    return text == NULL ? standard : strtoull(text, NULL, 0);
}

/* contrib/check has one for each commit; 1 by hand. */
static uint64_t seed(void)
{
    const char *text = getenv("TEST_SEED");
    struct timespec now;

    if (text == NULL || strcmp(text, "random") != 0) {
        return from_environment("TEST_SEED", 1);
    }
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

uint64_t mq_random_operations(uint64_t standard)
{
    return from_environment("MQ_TEST_OPS", standard);
}

void mq_random_run(const mq_random_config_t *config)
{
    static const uint32_t sizes[] = {1, 2, 5, 64, 1000, 100000};
    const unsigned kinds = 4 * sizeof(sizes) / sizeof(sizes[0]);
    uint64_t share = config->operations / kinds + 1;
    mq_run_t *run = calloc(1, sizeof(*run));

    assert_non_null(run);
    run->config = config;
    run->seed = seed();
    run->random = run->seed + config->turn * UINT64_C(0x9e3779b97f4a7c15);
    printf("%s: TEST_SEED=%llu, turn %u\n", config->component,
           (unsigned long long) run->seed, config->turn);
    fflush(stdout);
    for (unsigned kind = 0; kind < kinds; ++kind) {
        run_domain(run, sizes[kind / 4], (kind & 1) != 0, (kind & 2) != 0,
                   share);
    }
    if (config->migrate != NULL) {
        printf("%s: %llu migrations of %llu entries\n", config->component,
               (unsigned long long) run->totals.migrations,
               (unsigned long long) run->totals.moved);
        assert_true(run->totals.migrations > 0);
        assert_true(run->totals.moved > run->totals.migrations);
    }
    printf("%s: %llu operations, %llu hits, %llu misses, longest queue %llu\n",
           config->component, (unsigned long long) run->done,
           (unsigned long long) run->totals.hits,
           (unsigned long long) run->totals.misses,
           (unsigned long long) run->totals.longest);
    assert_true(run->done >= config->operations);
    /* Long enough sequences are worth running. */
    if (config->operations < 100000) {
        free(run);
        return;
    }
    assert_true(run->totals.hits > config->operations / 10);
    assert_true(run->totals.misses > config->operations / 10);
    assert_true(run->totals.longest >= config->depth);
    free(run);
}

void mq_random_component(const char *component, uint64_t operations,
                         uint32_t assertions, mq_random_watch_fn_t watch,
                         void *watch_arg)
{
    mq_random_config_t config = {
        .component = component,
        .operations = operations,
        .depth = 1000,
        .assertions = assertions,
        .watch = watch,
        .watch_arg = watch_arg,
    };

    assert_int_equal(OMPI_SUCCESS, mq_test_open(component));
    mq_random_run(&config);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
}
