/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/indexed/mq_indexed.h"
#include "mq_random.h"
#include "mq_test.h"

/* Idle, and after a burst: a domain and a smallest table for each queue. */
#define IDLE_MAX 4096
#define AFTER_MAX (IDLE_MAX + 8192)

static mca_mq_indexed_figures_t figures_of(const mca_mq_base_module_t *module,
                                           mca_mq_queue_t queue)
{
    const mca_mq_indexed_component_t *component =
        (const mca_mq_indexed_component_t *) module->mq_component;
    mca_mq_indexed_figures_t figures;

    component->figures(module, queue, &figures);
    return figures;
}

static void keep_max(uint64_t *most, uint64_t now)
{
    if (*most < now) {
        *most = now;
    }
}

/* The largest figures seen. */
typedef struct indexed_watch_t {
    mca_mq_indexed_figures_t most[MCA_MQ_QUEUES];
} indexed_watch_t;

static void watch(mca_mq_base_module_t *module, void *arg)
{
    indexed_watch_t *w = arg;

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_indexed_figures_t now = figures_of(module, queue);
        mca_mq_indexed_figures_t *most = &w->most[queue];

        assert_int_equal(0, now.unhashed);
        assert_int_equal(now.entered, now.left + now.hashed);
        keep_max(&most->entered, now.entered);
        keep_max(&most->left, now.left);
        keep_max(&most->waited, now.waited);
        keep_max(&most->settled, now.settled);
        keep_max(&most->grown, now.grown);
        keep_max(&most->shrunk, now.shrunk);
        keep_max(&most->keys, now.keys);
        keep_max(&most->dropped, now.dropped);
        for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS; ++kind) {
            keep_max(&most->passed[kind], now.passed[kind]);
            keep_max(&most->indexed[kind], now.indexed[kind]);
        }
    }
}

/* mq_indexed_keep, which most tests want to do without. */
static const char *keep = "0";
/* mq_indexed_ordered, the same. */
static const char *ordered = "0";
/* What is promised for the domains. */
static uint32_t assertions;

/* Compare with the model; the watch tells what was reached. */
static indexed_watch_t run_random(const char *small, size_t depth,
                                  uint64_t operations)
{
    indexed_watch_t w;
    mq_random_config_t config = {
        .component = "indexed",
        .operations = mq_random_operations(operations),
        .depth = depth,
        .assertions = assertions,
        .watch = watch,
        .watch_arg = &w,
    };

    memset(&w, 0, sizeof(w));
    mq_test_parameter("mq_indexed_small", small);
    mq_test_parameter("mq_indexed_keep", keep);
    mq_test_parameter("mq_indexed_ordered", ordered);
    assert_int_equal(OMPI_SUCCESS, mq_test_open("indexed"));
    mq_random_run(&config);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_indexed_small", NULL);
    mq_test_parameter("mq_indexed_keep", NULL);
    mq_test_parameter("mq_indexed_ordered", NULL);
    return w;
}

static void assert_all_paths_were_taken(const indexed_watch_t *w)
{
    const mca_mq_indexed_figures_t *unexpected = &w->most[MCA_MQ_UNEXPECTED];

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        assert_true(w->most[queue].entered > 1);
        assert_true(w->most[queue].left > 0);
        assert_true(w->most[queue].grown > 1);
        assert_true(w->most[queue].shrunk > 0);
    }
    for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS; ++kind) {
        assert_true(unexpected->passed[kind] > 0);
        assert_true(unexpected->indexed[kind] > 0);
    }
    assert_true(unexpected->dropped > 0);
}

static void indexed_agrees_with_the_model(void **state)
{
    indexed_watch_t w = run_random(NULL, 1000, 1000000);

    (void) state;
    assert_all_paths_were_taken(&w);
}

static void it_agrees_when_it_keeps_its_tables(void **state)
{
    indexed_watch_t w;

    (void) state;
    keep = NULL;
    w = run_random("4", 1000, 500000);
    keep = "0";
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        assert_true(w.most[queue].grown > 1);
        assert_int_equal(0, w.most[queue].shrunk);
        assert_true(w.most[queue].left > 0);
    }
}

static void it_agrees_without_wildcards(void **state)
{
    indexed_watch_t w;

    (void) state;
    assertions = MCA_MQ_ASSERT_EXACT;
    for (int small = 0; small < 2; ++small) {
        w = run_random(small ? NULL : "0", 1000, 500000);
        for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
            assert_true(w.most[queue].entered > 1);
            assert_true(w.most[queue].left > 0);
            assert_true(w.most[queue].grown > 1);
        }
        /* Internal receives from any source. */
        assert_true(
            w.most[MCA_MQ_UNEXPECTED].passed[MCA_MQ_INDEXED_ANY_SOURCE] > 0);
        assert_int_equal(
            0, w.most[MCA_MQ_UNEXPECTED].passed[MCA_MQ_INDEXED_ANY_TAG]);
    }
    assertions = 0;
}

static void it_agrees_when_lists_may_be_longer(void **state)
{
    static const char *const small[] = {"1", "4", "12"};
    indexed_watch_t w;

    (void) state;
    for (int i = 0; i < 3; ++i) {
        ordered = i == 1 ? "20" : "300";
        w = run_random(small[i], 1000, 500000);
        ordered = "0";
        for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
            assert_true(w.most[queue].waited > 0);
            assert_true(w.most[queue].entered > 0);
            assert_true(w.most[queue].left > 0);
        }
    }
}

static void it_agrees_when_lists_have_no_bound(void **state)
{
    static const char *const small[] = {"1", "4", NULL};
    indexed_watch_t w;

    (void) state;
    ordered = NULL;
    for (int i = 0; i < 3; ++i) {
        w = run_random(small[i], 1000, 500000);
        for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
            assert_true(w.most[queue].waited > 0);
            assert_true(w.most[queue].settled > 0);
            assert_true(w.most[queue].left > 0);
        }
    }
    ordered = "0";
}

static void it_agrees_when_everything_is_hashed(void **state)
{
    indexed_watch_t w = run_random("0", 1000, 1000000);

    (void) state;
    assert_all_paths_were_taken(&w);
}

static void it_agrees_with_other_limits(void **state)
{
    static const char *const limits[] = {"1", "2", "5", "64"};

    (void) state;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); ++i) {
        run_random(limits[i], 200, 200000);
    }
}

/* So deep that resizing takes many operations, and indexes catch up. */
static void it_agrees_with_deep_queues(void **state)
{
    indexed_watch_t w = run_random(NULL, 20000, 1500000);

    (void) state;
    assert_all_paths_were_taken(&w);
    assert_true(w.most[MCA_MQ_POSTED].keys > 10000);
    assert_true(w.most[MCA_MQ_UNEXPECTED].keys > 10000);
}

/* A domain of its own for tests of single properties. */
typedef struct indexed_fixture_t {
    mca_mq_base_domain_t domain;
    mca_mq_stats_t stats;
    mca_mq_entry_t *entry;
    size_t entries;
} indexed_fixture_t;

static indexed_fixture_t *fixture_new(const char *small, size_t entries,
                                      uint32_t size)
{
    indexed_fixture_t *f = calloc(1, sizeof(*f));
    mca_mq_domain_info_t info = {.size = size, .context = 0};

    assert_non_null(f);
    info.stats = &f->stats;
    f->entries = entries;
    f->entry = malloc(entries * sizeof(*f->entry));
    assert_non_null(f->entry);
    memset(f->entry, 0xa5, entries * sizeof(*f->entry));
    mq_test_parameter("mq_indexed_small", small);
    mq_test_parameter("mq_indexed_keep", keep);
    mq_test_parameter("mq_indexed_ordered", ordered);
    assert_int_equal(OMPI_SUCCESS, mq_test_open("indexed"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&f->domain, &info));
    return f;
}

static void fixture_free(indexed_fixture_t *f)
{
    mca_mq_base_domain_fini(&f->domain);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_indexed_small", NULL);
    mq_test_parameter("mq_indexed_keep", NULL);
    mq_test_parameter("mq_indexed_ordered", NULL);
    free(f->entry);
    free(f);
}

static size_t footprint(const indexed_fixture_t *f)
{
    return f->domain.module->mq_footprint(f->domain.module);
}

static mca_mq_indexed_figures_t unexpected(const indexed_fixture_t *f)
{
    return figures_of(f->domain.module, MCA_MQ_UNEXPECTED);
}

static mca_mq_indexed_figures_t posted(const indexed_fixture_t *f)
{
    return figures_of(f->domain.module, MCA_MQ_POSTED);
}

static void insert(indexed_fixture_t *f, mca_mq_queue_t queue, size_t i,
                   int32_t source, int32_t tag)
{
    mca_mq_base_module_t *module = f->domain.module;
    mca_mq_entry_t *entry = &f->entry[i];

    entry->envelope = (mca_mq_envelope_t){0, source, tag};
    mca_mq_base_stamp(&f->domain, entry);
    if (queue == MCA_MQ_POSTED) {
        module->mq_insert_posted(module, entry);
    } else {
        module->mq_insert_unexpected(module, entry);
    }
}

static mca_mq_entry_t *match(indexed_fixture_t *f, mca_mq_queue_t queue,
                             int32_t source, int32_t tag)
{
    mca_mq_base_module_t *module = f->domain.module;
    mca_mq_envelope_t envelope = {0, source, tag};

    return queue == MCA_MQ_POSTED
               ? module->mq_match_posted(module, &envelope)
               : module->mq_match_unexpected(module, &envelope);
}

static void a_short_queue_is_a_list(void **state)
{
    indexed_fixture_t *f = fixture_new("8", 9, 100);

    (void) state;
    for (int i = 0; i < 8; ++i) {
        insert(f, MCA_MQ_POSTED, (size_t) i, 1, i);
    }
    assert_false(posted(f).hashed);
    insert(f, MCA_MQ_POSTED, 8, 1, 8);
    assert_true(posted(f).hashed);
    assert_false(unexpected(f).hashed);
    /* It stays a table until it is much shorter. */
    for (int i = 8; i > 2; --i) {
        assert_ptr_equal(&f->entry[i], match(f, MCA_MQ_POSTED, 1, i));
        assert_true(posted(f).hashed);
    }
    assert_ptr_equal(&f->entry[2], match(f, MCA_MQ_POSTED, 1, 2));
    assert_false(posted(f).hashed);
    assert_ptr_equal(&f->entry[0], match(f, MCA_MQ_POSTED, 1, 0));
    assert_ptr_equal(&f->entry[1], match(f, MCA_MQ_POSTED, 1, 1));
    fixture_free(f);
}

static void a_window_in_order_is_a_list(void **state)
{
    enum { WINDOW = 64 };
    indexed_fixture_t *f;

    (void) state;
    ordered = "128";
    f = fixture_new("12", 1000, 100);
    ordered = "0";
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < WINDOW; ++i) {
            insert(f, MCA_MQ_POSTED, (size_t) i, 1, i);
        }
        for (int i = 0; i < WINDOW; ++i) {
            assert_ptr_equal(&f->entry[i], match(f, MCA_MQ_POSTED, 1, i));
        }
    }
    assert_int_equal(0, posted(f).entered);
    assert_int_equal(100, posted(f).waited);
    /* Many searches too far, and it is hashed at once, and from then on while
     * it is filled, for a while. */
    for (int round = 0; round < 50; ++round) {
        for (int i = 0; i < WINDOW; ++i) {
            insert(f, MCA_MQ_POSTED, (size_t) i, 1, i);
            assert_int_equal(round > 0 && i >= 24, posted(f).hashed);
        }
        for (int i = WINDOW; i-- > 0;) {
            assert_ptr_equal(&f->entry[i], match(f, MCA_MQ_POSTED, 1, i));
        }
        assert_int_equal(round + 1, posted(f).entered);
    }
    assert_int_equal(1, posted(f).settled);
    /* In order it is forgotten in time. */
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < WINDOW; ++i) {
            insert(f, MCA_MQ_POSTED, (size_t) i, 1, i);
        }
        for (int i = 0; i < WINDOW; ++i) {
            assert_ptr_equal(&f->entry[i], match(f, MCA_MQ_POSTED, 1, i));
        }
    }
    assert_int_equal(64, posted(f).entered);
    /* However it is searched, it is not a list beyond the bound. */
    for (int i = 0; i < 129; ++i) {
        insert(f, MCA_MQ_UNEXPECTED, (size_t) i, 1, i);
        assert_int_equal(i == 128, unexpected(f).hashed);
    }
    fixture_free(f);
}

static void a_queue_taken_in_order_is_a_list_at_any_length(void **state)
{
    enum { MANY = 50000 };
    indexed_fixture_t *f;

    (void) state;
    ordered = NULL;
    f = fixture_new(NULL, MANY, 100);
    ordered = "0";
    /* Exactly, by MPI_ANY_TAG, by MPI_ANY_SOURCE, by both; posted likewise. */
    for (int round = 0; round < 8; ++round) {
        mca_mq_queue_t queue = round < 4 ? MCA_MQ_UNEXPECTED : MCA_MQ_POSTED;
        bool any_source = round & 2, any_tag = round & 1;
        bool posted_any = MCA_MQ_POSTED == queue;

        for (int i = 0; i < MANY; ++i) {
            insert(f, queue, (size_t) i,
                   posted_any && any_source ? -1 : i % 100,
                   posted_any && any_tag ? -1 : i);
        }
        for (int i = 0; i < MANY; ++i) {
            assert_ptr_equal(&f->entry[i],
                             match(f, queue,
                                   !posted_any && any_source ? -1 : i % 100,
                                   !posted_any && any_tag ? -1 : i));
        }
        assert_int_equal(0, figures_of(f->domain.module, queue).entered);
        assert_int_equal(round % 4 + 1,
                         figures_of(f->domain.module, queue).waited);
        assert_int_equal(1, f->stats.queue[queue].traversed_max);
        assert_true(footprint(f) < IDLE_MAX);
    }
    fixture_free(f);
}

/* Where entry k of a burst of `count` lies, by the kind of order: in order,
 * reverse, shuffled, from both ends in turn, in order but for every eighth. */
enum { KINDS_OF_ORDER = 5 };

static int place_of(int kind, int k, int count)
{
    switch (kind) {
    case 1:
        return count - 1 - k;
    case 2:
        /* 7919 is a prime, and no count is a multiple of it. */
        return (int) ((int64_t) k * 7919 % count);
    case 3:
        return k % 2 ? count - 1 - k / 2 : k / 2;
    case 4:
        return k % 8 ? k : (k + count / 2 / 8 * 8) % (count / 8 * 8);
    default:
        return k;
    }
}

/* Comparisons per operation, however orders and lengths change: see the debt
 * in mq_indexed.h. */
static void any_change_of_order_costs_a_constant(void **state)
{
    static const int lengths[] = {8, 16, 24, 40, 64, 200, 1024, 16384};
    const uint64_t most = 16 + 1 + 2 * (2 + MCA_MQ_INDEXED_DEBT);
    indexed_fixture_t *f;

    (void) state;
    ordered = NULL;
    f = fixture_new(NULL, 16384, 100);
    ordered = "0";
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_queue_stats_t *stats = &f->stats.queue[queue];
        uint32_t random = 1;

        for (int round = 0; round < 1000; ++round) {
            int kind, count;

            random = random * 1664525 + 1013904223;
            kind = (int) (random >> 16) % KINDS_OF_ORDER;
            count = lengths[(random >> 24) % (round % 10 ? 6 : 8)];
            memset(stats, 0, sizeof(*stats));
            for (int i = 0; i < count; ++i) {
                insert(f, queue, (size_t) i, i % 100, i);
            }
            for (int k = 0; k < count; ++k) {
                int i = place_of(kind, k, count);

                assert_ptr_equal(&f->entry[i], match(f, queue, i % 100, i));
            }
            assert_true(stats->traversed_hit <= most * (uint64_t) count);
        }
        assert_true(figures_of(f->domain.module, queue).settled > 5);
    }
    fixture_free(f);
}

/* Who looks for what is not there reads all, but not for ever. */
static void searches_in_vain_cost_a_constant(void **state)
{
    enum { MANY = 1000 };
    indexed_fixture_t *f;

    (void) state;
    ordered = NULL;
    f = fixture_new(NULL, MANY, 100);
    ordered = "0";
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_queue_stats_t *stats = &f->stats.queue[queue];

        for (int i = 0; i < MANY; ++i) {
            insert(f, queue, (size_t) i, 1, i);
        }
        for (int i = 0; i < MANY; ++i) {
            assert_null(match(f, queue, 2, i));
        }
        assert_int_equal(1, figures_of(f->domain.module, queue).settled);
        assert_true(stats->traversed_miss <=
                    (MCA_MQ_INDEXED_DEBT + 2) * (uint64_t) MANY);
        for (int i = 0; i < MANY; ++i) {
            assert_ptr_equal(&f->entry[i], match(f, queue, 1, i));
        }
    }
    fixture_free(f);
}

/* Behind receives that wait for something else, each message is found by a
 * search of the same length: up to `small` it stays a list, beyond it does
 * not. */
static void a_queue_that_never_drains_is_hashed_in_time(void **state)
{
    indexed_fixture_t *f;

    (void) state;
    ordered = NULL;
    for (int behind = 8; behind <= 24; behind += 4) {
        f = fixture_new(NULL, 32, 100);
        for (int i = 0; i < behind; ++i) {
            insert(f, MCA_MQ_POSTED, (size_t) i, 1, i);
        }
        for (int i = 0; i < 1000; ++i) {
            insert(f, MCA_MQ_POSTED, 31, 2, i);
            assert_ptr_equal(&f->entry[31], match(f, MCA_MQ_POSTED, 2, i));
        }
        assert_int_equal(behind > 16, posted(f).hashed);
        fixture_free(f);
    }
    ordered = "0";
}

/* In any order, though they share a tag or a source, or bits of both. */
static void a_short_queue_is_searched_by_marks(void **state)
{
    static const int32_t times[] = {1, 7, 65536, 65537};
    indexed_fixture_t *f;

    (void) state;
    ordered = NULL;
    f = fixture_new(NULL, MCA_MQ_INDEXED_MARKS, 100);
    ordered = "0";
    for (int round = 0; round < 64; ++round) {
        int32_t step = times[round % 4];
        bool by_tag = round & 4;
        uint64_t most = step == 65536 ? MCA_MQ_INDEXED_MARKS : 2;

        f->stats.queue[MCA_MQ_UNEXPECTED].traversed_max = 0;
        for (int i = 0; i < MCA_MQ_INDEXED_MARKS; ++i) {
            insert(f, MCA_MQ_UNEXPECTED, (size_t) i, by_tag ? 3 : i * step,
                   by_tag ? i * step : 3);
        }
        assert_true(unexpected(f).marked);
        for (int k = 0; k < MCA_MQ_INDEXED_MARKS; ++k) {
            int i = (k * 5 + round) % MCA_MQ_INDEXED_MARKS;
            int32_t source = by_tag ? 3 : i * step;
            int32_t tag = by_tag ? i * step : 3;

            /* One is marked as they are, and is none of them. */
            assert_null(match(f, MCA_MQ_UNEXPECTED, source ^ 1 << 30, tag));
            assert_null(match(f, MCA_MQ_UNEXPECTED, source, tag ^ 1 << 30));
            assert_ptr_equal(&f->entry[i],
                             match(f, MCA_MQ_UNEXPECTED,
                                   round & 8 && by_tag ? -1 : source,
                                   round & 8 && !by_tag ? -1 : tag));
        }
        assert_true(f->stats.queue[MCA_MQ_UNEXPECTED].traversed_max <= most);
    }
    assert_int_equal(0, unexpected(f).entered);
    fixture_free(f);
}

/* Receives are marked only where that helps, and for as long. */
static void receives_are_marked_when_passed_over(void **state)
{
    enum { COUNT = MCA_MQ_INDEXED_MARKS };
    indexed_fixture_t *f;
    size_t before;

    (void) state;
    ordered = NULL;
    f = fixture_new(NULL, COUNT, 1 << 20);
    ordered = "0";
    before = footprint(f);
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < COUNT; ++i) {
            insert(f, MCA_MQ_POSTED, (size_t) i, 3, i);
        }
        for (int i = 0; i < COUNT; ++i) {
            assert_ptr_equal(&f->entry[i], match(f, MCA_MQ_POSTED, 3, i));
        }
    }
    assert_false(posted(f).marked);
    assert_int_equal(before, footprint(f));
    for (int round = 0; round < 100; ++round) {
        f->stats.queue[MCA_MQ_POSTED].traversed_max = 0;
        for (int i = 0; i < COUNT; ++i) {
            insert(f, MCA_MQ_POSTED, (size_t) i, 3, i);
        }
        assert_true(round < 2 || posted(f).marked);
        for (int k = 0; k < COUNT; ++k) {
            int i = (k * 5 + round) % COUNT;

            assert_ptr_equal(&f->entry[i], match(f, MCA_MQ_POSTED, 3, i));
        }
        assert_true(round < 2 ||
                    f->stats.queue[MCA_MQ_POSTED].traversed_max <= 2);
    }
    assert_true(footprint(f) > before);
    /* Bits that are alike; wildcards are in marks_come_and_go. */
    for (int round = 0; round < 64; ++round) {
        int32_t step = round & 1 ? 65536 : 65537;

        for (int i = 0; i < COUNT; ++i) {
            insert(f, MCA_MQ_POSTED, (size_t) i, i, i * step);
        }
        for (int k = 0; k < COUNT; ++k) {
            int i = (k * 5 + round) % COUNT;

            assert_null(match(f, MCA_MQ_POSTED, i ^ 1 << 16, i * step));
            assert_null(match(f, MCA_MQ_POSTED, i, i * step ^ 1 << 30));
            assert_ptr_equal(&f->entry[i],
                             match(f, MCA_MQ_POSTED, i, i * step));
        }
    }
    assert_true(posted(f).marked);
    for (int i = 0; i < MCA_MQ_INDEXED_UNMARK_AFTER; ++i) {
        insert(f, MCA_MQ_POSTED, 0, 3, i);
        assert_ptr_equal(&f->entry[0], match(f, MCA_MQ_POSTED, 3, i));
    }
    assert_false(posted(f).marked);
    assert_int_equal(0, posted(f).entered);
    fixture_free(f);
}

enum { MARKS_MANY = 80 };

/* Entries that are queued, oldest first, and those that are not. */
typedef struct marks_model_t {
    mca_mq_entry_t *queued[MARKS_MANY];
    mca_mq_entry_t *idle[MARKS_MANY];
    int count;
    int free_count;
} marks_model_t;

/* Where the one that a search has to find is; count: there is none. */
static int oldest_match(const marks_model_t *model, mca_mq_queue_t queue,
                        const mca_mq_envelope_t *envelope)
{
    int at;

    for (at = 0; at < model->count; ++at) {
        const mca_mq_envelope_t *other = &model->queued[at]->envelope;

        if (MCA_MQ_POSTED == queue ? mca_mq_matches(other, envelope)
                                   : mca_mq_matches(envelope, other)) {
            break;
        }
    }
    return at;
}

static void forget(marks_model_t *model, int at)
{
    model->idle[model->free_count++] = model->queued[at];
    --model->count;
    memmove(&model->queued[at], &model->queued[at + 1],
            (size_t) (model->count - at) * sizeof(model->queued[0]));
}

/* Lengths that go up and down across all bounds: marked, not marked, hashed.
 * The other queue goes up and down as well, or is empty. */
static void marks_come_and_go_in(mca_mq_queue_t queue, bool beside)
{
    enum { OTHERS = 24, OPERATIONS = 300000 };
    static const int32_t tags[] = {0, 1, 65536, 65537, -5, -65541};
    static const int32_t sources[] = {0, 1, 2, 65536, 65538};
    mca_mq_queue_t other =
        MCA_MQ_POSTED == queue ? MCA_MQ_UNEXPECTED : MCA_MQ_POSTED;
    bool was_marked = false, was_a_list = false, was_hashed = false;
    marks_model_t model = {.count = 0};
    int goal = 0, others = 0;
    uint32_t random = 1;
    indexed_fixture_t *f;

    ordered = NULL;
    f = fixture_new(NULL, MARKS_MANY + OTHERS, 70000);
    ordered = "0";
    for (int i = 0; i < MARKS_MANY; ++i) {
        model.idle[model.free_count++] = &f->entry[i];
    }
    for (int i = 0; i < OPERATIONS; ++i) {
        mca_mq_entry_t *found = NULL;
        mca_mq_envelope_t envelope = {.context = 0};
        mca_mq_indexed_figures_t figures;
        bool any_source, any_tag;
        int at;

        random = random * 1664525 + 1013904223;
        if (i % 256 == 0) {
            goal = (int) (random >> 8) % 4;
            goal = goal * goal * 8; /* 0, 8, 32, 72 */
        }
        if (beside && i % 100 < 2 * OTHERS) {
            /* Up and down in the other queue; nobody looks for these. */
            if (i % 100 < OTHERS) {
                insert(f, other, (size_t) (MARKS_MANY + others), 3,
                       1000 + others);
                ++others;
            } else {
                --others;
                assert_ptr_equal(&f->entry[MARKS_MANY + others],
                                 match(f, other, 3, 1000 + others));
            }
        }
        any_source = random >> 28 < 4;
        any_tag = (random >> 24 & 15) < 3;
        envelope.source = sources[(random >> 12) % 5];
        envelope.tag = tags[(random >> 16) % 6];
        if (model.count < goal || (0 == goal && 0 == model.count)) {
            bool wild = MCA_MQ_POSTED == queue;

            found = model.idle[--model.free_count];
            insert(f, queue, (size_t) (found - f->entry),
                   wild && any_source ? -1 : envelope.source,
                   wild && any_tag ? -1 : envelope.tag);
            model.queued[model.count++] = found;
            continue;
        }
        if (MCA_MQ_UNEXPECTED == queue) {
            envelope.source = any_source ? -1 : envelope.source;
            envelope.tag = any_tag ? -1 : envelope.tag;
        }
        at = oldest_match(&model, queue, &envelope);
        found = match(f, queue, envelope.source, envelope.tag);
        assert_ptr_equal(at < model.count ? model.queued[at] : NULL, found);
        if (NULL == found && model.count > 0 && random >> 31) {
            at = (int) (random >> 9) % model.count;
            found = model.queued[at];
            if (MCA_MQ_POSTED == queue) {
                f->domain.module->mq_withdraw_posted(f->domain.module, found);
            } else {
                f->domain.module->mq_withdraw_unexpected(f->domain.module,
                                                         found);
            }
        }
        if (NULL != found) {
            forget(&model, at);
        }
        figures = figures_of(f->domain.module, queue);
        was_marked = was_marked || (figures.marked && model.count > 4);
        was_a_list = was_a_list || (!figures.marked && !figures.hashed);
        was_hashed = was_hashed || figures.hashed;
        assert_false(figures.marked && figures.hashed);
    }
    assert_true(was_marked);
    assert_true(was_a_list);
    assert_true(was_hashed);
    fixture_free(f);
}

static void marks_come_and_go(void **state)
{
    (void) state;
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        marks_come_and_go_in(queue, false);
        marks_come_and_go_in(queue, true);
    }
}

/* With vector instructions, or without. */
static void marks_are_compared_alike(void **state)
{
    mca_mq_indexed_marks_t marks;
    uint32_t random = 1, equal;

    (void) state;
    for (int round = 0; round < 10000; ++round) {
        mca_mq_envelope_t receive = {.source = round % 5 - 1,
                                     .tag = round / 5 % 5 - 1};

        equal = 0;
        for (int i = 0; i < MCA_MQ_INDEXED_MARKS; ++i) {
            random = random * 1664525 + 1013904223;
            marks.source[i] = (uint16_t) (random >> 30);
            marks.tag[i] = (uint16_t) (random >> 28 & 3);
            equal |=
                (uint32_t) ((receive.source < 0 ||
                             receive.source == marks.source[i]) &&
                            (receive.tag < 0 || receive.tag == marks.tag[i]))
                << i;
        }
        assert_int_equal(equal, mca_mq_indexed_marks_equal(&marks, &receive));
        assert_int_equal(equal,
                         mca_mq_indexed_marks_equal_scalar(&marks, &receive));
    }
}

static void marks_of_receives_are_compared_alike(void **state)
{
    mca_mq_indexed_marks_t marks;
    uint32_t random = 1, accept;

    (void) state;
    for (int round = 0; round < 10000; ++round) {
        mca_mq_envelope_t message = {.source = round % 5,
                                     .tag = round / 5 % 5 - 2};

        accept = 0;
        for (int i = 0; i < MCA_MQ_INDEXED_MARKS; ++i) {
            int source, tag;

            random = random * 1664525 + 1013904223;
            source = (int) (random >> 30) - 1;
            tag = (int) (random >> 28 & 3) - 1;
            marks.source[i] = (uint16_t) source;
            marks.tag[i] = (uint16_t) tag;
            accept |= (uint32_t) ((source < 0 || source == message.source) &&
                                  (tag < 0 || tag == message.tag))
                      << i;
        }
        assert_int_equal(accept, mca_mq_indexed_marks_accept(&marks, &message));
        assert_int_equal(accept,
                         mca_mq_indexed_marks_accept_scalar(&marks, &message));
    }
}

static void an_idle_domain_of_a_million_ranks_is_small(void **state)
{
    indexed_fixture_t *f = fixture_new(NULL, 1, 1000000);

    (void) state;
    assert_true(footprint(f) < IDLE_MAX);
    fixture_free(f);
}

/* Envelopes that collide in tables of other designs. */
typedef int32_t (*tag_fn_t)(int32_t i);

static int32_t times_1021(int32_t i)
{
    return i * 1021;
}

static int32_t times_1024(int32_t i)
{
    return i * 1024;
}

static int32_t times_65536(int32_t i)
{
    return (int32_t) (((uint32_t) i << 16 | (uint32_t) i >> 15) & 0x7fffffff);
}

static int32_t scattered(int32_t i)
{
    return (int32_t) ((uint32_t) i * 2654435761u & 0x7fffffff);
}

static int32_t in_order(int32_t i)
{
    return i;
}

#define DEEP 65536

static void assert_no_collisions(mca_mq_queue_t queue, tag_fn_t tag)
{
    indexed_fixture_t *f = fixture_new(NULL, DEEP, 100);
    mca_mq_indexed_figures_t figures;
    mca_mq_queue_stats_t *stats = &f->stats.queue[queue];

    for (int32_t i = 0; i < DEEP; ++i) {
        insert(f, queue, (size_t) i, 3, tag(i));
    }
    figures = figures_of(f->domain.module, queue);
    assert_int_equal(DEEP, figures.keys);
    /* At most half full: Knuth's mean is half a slot, and the longest probe
     * is of the order of the logarithm. */
    assert_true(figures.displacement < DEEP * 3 / 4);
    assert_true(figures.displacement_max < 100);
    for (int32_t i = 0; i < DEEP; ++i) {
        assert_ptr_equal(&f->entry[i ^ 1], match(f, queue, 3, tag(i ^ 1)));
    }
    assert_int_equal(DEEP, stats->hits);
    assert_true(stats->traversed_hit < DEEP + DEEP / 1000 + 100);
    assert_true(stats->traversed_max <= 4);
    fixture_free(f);
}

static void no_multiples_collide(void **state)
{
    static const tag_fn_t tags[] = {in_order, times_1021, times_1024,
                                    times_65536, scattered};

    (void) state;
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); ++i) {
        assert_no_collisions(MCA_MQ_POSTED, tags[i]);
        assert_no_collisions(MCA_MQ_UNEXPECTED, tags[i]);
    }
}

/* Sources and contexts are spread as well as tags. */
static void no_sources_collide(void **state)
{
    indexed_fixture_t *f = fixture_new(NULL, DEEP, 1 << 30);

    (void) state;
    for (int32_t i = 0; i < DEEP; ++i) {
        insert(f, MCA_MQ_POSTED, (size_t) i, i << 14, i % 2);
    }
    assert_true(posted(f).displacement < DEEP * 3 / 4);
    for (int32_t i = DEEP - 1; i >= 0; --i) {
        assert_ptr_equal(&f->entry[i], match(f, MCA_MQ_POSTED, i << 14, i % 2));
    }
    fixture_free(f);
}

/* Looking at the figures reads the whole table: not each time. */
static bool sampled(size_t i)
{
    return i % 1009 == 0 && i > 2048;
}

/* Index memory of messages that are all different, exact receives only. */
static void memory_is_bounded_and_given_back(void **state)
{
    const size_t burst = 200000;
    indexed_fixture_t *f = fixture_new(NULL, burst, 100);
    size_t before = footprint(f);

    (void) state;
    for (size_t i = 0; i < burst; ++i) {
        insert(f, MCA_MQ_UNEXPECTED, i, (int32_t) i % 100, (int32_t) i / 100);
        /* While a table doubles there are two. */
        assert_true(i < 2048 || footprint(f) - before <= (i + 1) * 96 + 4096);
        if (sampled(i) && !unexpected(f).resizing) {
            assert_true(footprint(f) - before <= (i + 1) * 64);
        }
    }
    assert_false(unexpected(f).resizing);
    assert_true(footprint(f) - before <= burst * 64);
    for (size_t i = 0; i < burst; ++i) {
        assert_ptr_equal(
            &f->entry[i],
            match(f, MCA_MQ_UNEXPECTED, (int32_t) i % 100, (int32_t) i / 100));
        /* Not only at the end. */
        assert_true(i < burst / 2 ||
                    footprint(f) - before <= (burst - i) * 480 + AFTER_MAX);
    }
    assert_true(footprint(f) <= AFTER_MAX);
    assert_true(unexpected(f).shrunk > 0);
    fixture_free(f);
}

/* A few entries that stay for ever do not keep the memory of a burst. */
static void memory_is_given_back_though_some_stay(void **state)
{
    const size_t burst = 100000;
    indexed_fixture_t *f = fixture_new(NULL, burst, 100);

    (void) state;
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        for (size_t i = 0; i < burst; ++i) {
            insert(f, queue, i, 1, (int32_t) i);
        }
        for (size_t i = 20; i < burst; ++i) {
            assert_non_null(match(f, queue, 1, (int32_t) i));
        }
        assert_true(figures_of(f->domain.module, queue).hashed);
        assert_true(footprint(f) <= AFTER_MAX);
        for (size_t i = 2; i < 20; ++i) {
            assert_non_null(match(f, queue, 1, (int32_t) i));
        }
        assert_false(figures_of(f->domain.module, queue).hashed);
        for (size_t i = 0; i < 2; ++i) {
            assert_ptr_equal(&f->entry[i], match(f, queue, 1, (int32_t) i));
        }
    }
    assert_true(footprint(f) <= AFTER_MAX);
    fixture_free(f);
}

static void around_the_limit_no_memory_is_moved(void **state)
{
    indexed_fixture_t *f = fixture_new("8", 16, 100);
    size_t before;

    (void) state;
    for (int i = 0; i < 9; ++i) {
        insert(f, MCA_MQ_UNEXPECTED, (size_t) i, 1, i);
    }
    before = footprint(f);
    for (int round = 0; round < 1000; ++round) {
        assert_non_null(match(f, MCA_MQ_UNEXPECTED, 1, 8));
        assert_int_equal(before, footprint(f));
        insert(f, MCA_MQ_UNEXPECTED, 8, 1, 8);
        assert_int_equal(before, footprint(f));
    }
    assert_int_equal(1, unexpected(f).entered);
    /* Nor between empty and long. */
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 9; ++i) {
            assert_non_null(match(f, MCA_MQ_UNEXPECTED, 1, i));
            assert_int_equal(before, footprint(f));
        }
        for (int i = 0; i < 9; ++i) {
            insert(f, MCA_MQ_UNEXPECTED, (size_t) i, 1, i);
            assert_int_equal(before, footprint(f));
        }
    }
    assert_int_equal(101, unexpected(f).entered);
    fixture_free(f);
}

/* `count` entries come and go, all of them. */
static void burst_of(indexed_fixture_t *f, int count)
{
    for (int i = 0; i < count; ++i) {
        insert(f, MCA_MQ_POSTED, (size_t) i, 1, i);
    }
    for (int i = count; i-- > 0;) {
        assert_non_null(match(f, MCA_MQ_POSTED, 1, i));
    }
}

static void a_burst_like_the_last_one_needs_no_memory(void **state)
{
    enum { BURST = 10000, SMALL_BURST = 100 };
    const size_t most = (1 << 20) + AFTER_MAX;
    indexed_fixture_t *f;
    uint64_t grown;

    (void) state;
    keep = NULL;
    f = fixture_new(NULL, 100000, 100);
    keep = "0";
    burst_of(f, BURST);
    grown = posted(f).grown;
    assert_true(grown > 2);
    assert_true(footprint(f) > AFTER_MAX && footprint(f) <= most);
    for (int round = 0; round < 200; ++round) {
        burst_of(f, BURST);
    }
    assert_int_equal(grown, posted(f).grown);
    /* Small ones for long enough: it goes. */
    for (int round = 0; round < 70; ++round) {
        burst_of(f, SMALL_BURST);
    }
    assert_true(footprint(f) <= 64 * 1024);
    /* What is larger than that is given back at once. */
    burst_of(f, 100000);
    assert_true(footprint(f) <= most);
    fixture_free(f);
}

/* No loop: a million entries of one envelope leave in an order that would be
 * a scan each for anything else. */
static void the_middle_of_a_long_fifo_is_left_at_once(void **state)
{
    const size_t many = 300000;
    indexed_fixture_t *f = fixture_new(NULL, many, 100);
    mca_mq_base_module_t *module = f->domain.module;

    (void) state;
    for (size_t i = 0; i < many; ++i) {
        insert(f, MCA_MQ_POSTED, i, 1, 1);
    }
    assert_int_equal(1, posted(f).keys);
    assert_int_equal(0, posted(f).displacement_max);
    for (size_t i = 0; i < many; ++i) {
        size_t at = (i * 7919 + many / 2) % many;

        module->mq_withdraw_posted(module, &f->entry[at]);
    }
    assert_false(posted(f).hashed);
    assert_null(match(f, MCA_MQ_POSTED, 1, 1));
    fixture_free(f);
}

/* Wildcard receives of each kind, on messages in a shuffled order. */
typedef struct wildcard_t {
    int32_t source;
    int32_t tag;
} wildcard_t;

/* Entry i is from source i % 64 with tag i / 64. */
static void fill_unexpected(indexed_fixture_t *f)
{
    for (size_t i = 0; i < f->entries; ++i) {
        insert(f, MCA_MQ_UNEXPECTED, i, (int32_t) i % 64, (int32_t) i / 64);
    }
}

static void each_message_is_passed_over_once(void **state)
{
    const int32_t many = 64 * 1024;
    indexed_fixture_t *f = fixture_new(NULL, (size_t) many, 64);
    mca_mq_queue_stats_t *stats = &f->stats.queue[MCA_MQ_UNEXPECTED];

    (void) state;
    /* By tag, newest first, from any source. */
    fill_unexpected(f);
    for (int32_t i = many - 64; i >= 0; --i) {
        int32_t tag = 1023 - i / 64;

        if (tag < 1023) {
            assert_non_null(match(f, MCA_MQ_UNEXPECTED, -1, 1023 - tag));
        }
    }
    assert_true(unexpected(f).passed[MCA_MQ_INDEXED_ANY_SOURCE] <= many);
    assert_true(unexpected(f).indexed[MCA_MQ_INDEXED_ANY_SOURCE] > 0);
    assert_int_equal(0, unexpected(f).passed[MCA_MQ_INDEXED_ANY_TAG]);
    /* Compared: each message twice at most. */
    assert_true(stats->traversed_hit + stats->traversed_miss <=
                2 * (uint64_t) many);
    while (match(f, MCA_MQ_UNEXPECTED, -1, -1) != NULL) {
    }
    assert_false(unexpected(f).hashed);
    assert_true(footprint(f) <= AFTER_MAX);
    /* By source, any tag. */
    memset(stats, 0, sizeof(*stats));
    fill_unexpected(f);
    for (int32_t i = 0; i < many; ++i) {
        int32_t source = 63 - i / 1024;

        assert_ptr_equal(&f->entry[(i % 1024) * 64 + source],
                         match(f, MCA_MQ_UNEXPECTED, source, -1));
    }
    assert_true(unexpected(f).passed[MCA_MQ_INDEXED_ANY_TAG] > 0);
    assert_true(unexpected(f).passed[MCA_MQ_INDEXED_ANY_TAG] <= many);
    assert_true(stats->traversed_hit <= 2 * (uint64_t) many);
    assert_false(unexpected(f).hashed);
    assert_true(footprint(f) <= AFTER_MAX);
    fixture_free(f);
}

static void who_takes_the_oldest_indexes_nothing(void **state)
{
    const int32_t many = 10000;
    indexed_fixture_t *f = fixture_new(NULL, (size_t) many, 64);

    (void) state;
    fill_unexpected(f);
    for (int32_t i = 0; i < many; ++i) {
        assert_ptr_equal(&f->entry[i], match(f, MCA_MQ_UNEXPECTED, -1, -1));
    }
    for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS; ++kind) {
        assert_int_equal(0, unexpected(f).passed[kind]);
    }
    fixture_free(f);
}

/* A promise is given and taken back while messages are queued. */
static void a_promise_may_come_and_go(void **state)
{
    const int32_t many = 3000;
    indexed_fixture_t *f = fixture_new(NULL, (size_t) many, 64);
    mca_mq_base_module_t *first = f->domain.module;

    (void) state;
    for (int32_t i = 0; i < many; ++i) {
        if (i == many / 3 || i == 2 * many / 3) {
            assert_int_equal(
                OMPI_SUCCESS,
                mca_mq_base_domain_assert(
                    &f->domain, i == many / 3 ? MCA_MQ_ASSERT_EXACT : 0));
        } else if (i == many / 2) {
            /* No less is promised, so nothing changes. */
            first = f->domain.module;
            assert_int_equal(OMPI_SUCCESS,
                             mca_mq_base_domain_assert(
                                 &f->domain, MCA_MQ_ASSERT_EXACT |
                                                 MCA_MQ_ASSERT_EXACT_LENGTH));
            assert_ptr_equal(first, f->domain.module);
            assert_true(((mca_mq_indexed_module_t *) f->domain.module)->exact);
        }
        insert(f, MCA_MQ_UNEXPECTED, (size_t) i, i % 64,
               i % 3 == 0 ? -2 - i : i);
    }
    assert_false(((mca_mq_indexed_module_t *) f->domain.module)->exact);
    assert_true(unexpected(f).hashed);
    for (int32_t i = 0; i < many; ++i) {
        assert_ptr_equal(&f->entry[i], match(f, MCA_MQ_UNEXPECTED, -1,
                                             i % 3 == 0 ? -2 - i : -1));
    }
    fixture_free(f);
}

static void internal_messages_are_passed_over_once(void **state)
{
    const int32_t many = 10000;
    indexed_fixture_t *f = fixture_new(NULL, (size_t) many + 100, 64);
    mca_mq_queue_stats_t *stats = &f->stats.queue[MCA_MQ_UNEXPECTED];

    (void) state;
    for (int32_t i = 0; i < many; ++i) {
        insert(f, MCA_MQ_UNEXPECTED, (size_t) i, i % 64, -2 - i);
    }
    for (int32_t i = 0; i < 100; ++i) {
        assert_null(match(f, MCA_MQ_UNEXPECTED, -1, -1));
        insert(f, MCA_MQ_UNEXPECTED, (size_t) (many + i), 1, 5);
        assert_ptr_equal(&f->entry[many + i],
                         match(f, MCA_MQ_UNEXPECTED, -1, -1));
    }
    assert_true(stats->traversed_hit + stats->traversed_miss <=
                (uint64_t) many + 200);
    assert_int_equal(0, unexpected(f).indexed[MCA_MQ_INDEXED_ANY_BOTH]);
    fixture_free(f);
}

/* An index that was used lately is kept up by the insertions. */
static void an_index_in_use_stays_near_the_newest(void **state)
{
    const int32_t many = 64 * 256;
    indexed_fixture_t *f = fixture_new(NULL, (size_t) many, 64);

    (void) state;
    for (int32_t i = 0; i < many; ++i) {
        insert(f, MCA_MQ_UNEXPECTED, (size_t) i, i % 64, i / 64);
        if (i % 4096 == 100) {
            assert_null(match(f, MCA_MQ_UNEXPECTED, -1, 1 << 20));
        }
    }
    assert_true(unexpected(f).indexed[MCA_MQ_INDEXED_ANY_SOURCE] >=
                (uint64_t) many - MCA_MQ_INDEXED_LAG - 4);
    fixture_free(f);
}

static void an_index_that_nobody_uses_is_dropped(void **state)
{
    const int32_t many = 20000;
    indexed_fixture_t *f = fixture_new(NULL, (size_t) many, 64);

    (void) state;
    for (int32_t i = 0; i < 100; ++i) {
        insert(f, MCA_MQ_UNEXPECTED, (size_t) i, 1, i);
    }
    assert_null(match(f, MCA_MQ_UNEXPECTED, -1, 1 << 20));
    assert_int_equal(100, unexpected(f).indexed[MCA_MQ_INDEXED_ANY_SOURCE]);
    /* Exact receives from now on, and the queue is never empty. */
    for (int32_t i = 100; i < many; ++i) {
        insert(f, MCA_MQ_UNEXPECTED, (size_t) i, 1, i);
        assert_non_null(match(f, MCA_MQ_UNEXPECTED, 1, i - 100));
    }
    assert_true(unexpected(f).hashed);
    assert_int_equal(1, unexpected(f).dropped);
    fixture_free(f);
}

/* Only classes of which a receive is posted are looked up. */
static void an_arrival_compares_one_receive_per_class(void **state)
{
    const int32_t many = 4000;
    indexed_fixture_t *f = fixture_new(NULL, 4 * (size_t) many, 64);
    mca_mq_queue_stats_t *stats = &f->stats.queue[MCA_MQ_POSTED];
    size_t next = 0;

    (void) state;
    for (int32_t i = 0; i < many; ++i) {
        insert(f, MCA_MQ_POSTED, next++, i % 64, i);
        insert(f, MCA_MQ_POSTED, next++, -1, i);
        insert(f, MCA_MQ_POSTED, next++, i % 64, -1);
        insert(f, MCA_MQ_POSTED, next++, -1, -1);
    }
    /* The four posted together fit, in this order; then those of later. */
    for (int32_t i = many - 1; i >= 0; --i) {
        assert_non_null(match(f, MCA_MQ_POSTED, i % 64, i));
    }
    assert_int_equal(4, stats->traversed_max);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexed_agrees_with_the_model),
        cmocka_unit_test(it_agrees_when_it_keeps_its_tables),
        cmocka_unit_test(it_agrees_without_wildcards),
        cmocka_unit_test(it_agrees_when_lists_may_be_longer),
        cmocka_unit_test(it_agrees_when_lists_have_no_bound),
        cmocka_unit_test(it_agrees_when_everything_is_hashed),
        cmocka_unit_test(it_agrees_with_other_limits),
        cmocka_unit_test(it_agrees_with_deep_queues),
        cmocka_unit_test(a_short_queue_is_a_list),
        cmocka_unit_test(a_window_in_order_is_a_list),
        cmocka_unit_test(a_queue_taken_in_order_is_a_list_at_any_length),
        cmocka_unit_test(any_change_of_order_costs_a_constant),
        cmocka_unit_test(searches_in_vain_cost_a_constant),
        cmocka_unit_test(a_queue_that_never_drains_is_hashed_in_time),
        cmocka_unit_test(a_short_queue_is_searched_by_marks),
        cmocka_unit_test(receives_are_marked_when_passed_over),
        cmocka_unit_test(marks_come_and_go),
        cmocka_unit_test(marks_are_compared_alike),
        cmocka_unit_test(marks_of_receives_are_compared_alike),
        cmocka_unit_test(an_idle_domain_of_a_million_ranks_is_small),
        cmocka_unit_test(no_multiples_collide),
        cmocka_unit_test(no_sources_collide),
        cmocka_unit_test(memory_is_bounded_and_given_back),
        cmocka_unit_test(memory_is_given_back_though_some_stay),
        cmocka_unit_test(a_burst_like_the_last_one_needs_no_memory),
        cmocka_unit_test(around_the_limit_no_memory_is_moved),
        cmocka_unit_test(the_middle_of_a_long_fifo_is_left_at_once),
        cmocka_unit_test(each_message_is_passed_over_once),
        cmocka_unit_test(who_takes_the_oldest_indexes_nothing),
        cmocka_unit_test(internal_messages_are_passed_over_once),
        cmocka_unit_test(a_promise_may_come_and_go),
        cmocka_unit_test(an_index_in_use_stays_near_the_newest),
        cmocka_unit_test(an_index_that_nobody_uses_is_dropped),
        cmocka_unit_test(an_arrival_compares_one_receive_per_class),
    };

    return cmocka_run_group_tests(tests, mq_test_start, mq_test_stop);
}
