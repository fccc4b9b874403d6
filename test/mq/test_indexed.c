/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "test_indexed.h"

/* Idle, and after a burst: a domain and a smallest table for each queue. */
#define IDLE_MAX 4096
#define AFTER_MAX (IDLE_MAX + 8192)

UNIT_TEST(a_short_queue_is_a_list)
{
    mq_fixture_t *f = fixture_new("8", 9, 100);

    insert_all(f, MCA_MQ_POSTED, 1, 8);
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
    mq_fixture_free(f);
}

UNIT_TEST(a_window_in_order_is_a_list)
{
    enum { WINDOW = 64 };
    mq_fixture_t *f;

    ordered = "128";
    f = fixture_new("12", 1000, 100);
    ordered = "0";
    for (int round = 0; round < 100; ++round) {
        insert_all(f, MCA_MQ_POSTED, 1, WINDOW);
        match_all(f, MCA_MQ_POSTED, 1, WINDOW);
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
        insert_all(f, MCA_MQ_POSTED, 1, WINDOW);
        match_all(f, MCA_MQ_POSTED, 1, WINDOW);
    }
    assert_int_equal(64, posted(f).entered);
    /* However it is searched, it is not a list beyond the bound. */
    for (int i = 0; i < 129; ++i) {
        insert(f, MCA_MQ_UNEXPECTED, (size_t) i, 1, i);
        assert_int_equal(i == 128, unexpected(f).hashed);
    }
    mq_fixture_free(f);
}

UNIT_TEST(a_queue_taken_in_order_is_a_list_at_any_length)
{
    enum { MANY = 50000 };
    mq_fixture_t *f = fixture_ordered(MANY, 100);

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
        assert_true(mq_fixture_bytes(f) < IDLE_MAX);
    }
    mq_fixture_free(f);
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
UNIT_TEST(any_change_of_order_costs_a_constant)
{
    static const int lengths[] = {8, 16, 24, 40, 64, 200, 1024, 16384};
    const uint64_t most = 16 + 1 + 2 * (2 + MCA_MQ_INDEXED_DEBT);
    mq_fixture_t *f = fixture_ordered(16384, 100);

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
    mq_fixture_free(f);
}

/* Who looks for what is not there reads all, but not for ever. */
UNIT_TEST(searches_in_vain_cost_a_constant)
{
    enum { MANY = 1000 };
    mq_fixture_t *f = fixture_ordered(MANY, 100);

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        mca_mq_queue_stats_t *stats = &f->stats.queue[queue];

        insert_all(f, queue, 1, MANY);
        for (int i = 0; i < MANY; ++i) {
            assert_null(match(f, queue, 2, i));
        }
        assert_int_equal(1, figures_of(f->domain.module, queue).settled);
        assert_true(stats->traversed_miss <=
                    (MCA_MQ_INDEXED_DEBT + 2) * (uint64_t) MANY);
        match_all(f, queue, 1, MANY);
    }
    mq_fixture_free(f);
}

/* Behind receives that wait for something else, each message is found by a
 * search of the same length: up to `small` it stays a list, beyond it does
 * not. */
UNIT_TEST(a_queue_that_never_drains_is_hashed_in_time)
{
    mq_fixture_t *f;

    ordered = NULL;
    for (int behind = 8; behind <= 24; behind += 4) {
        f = fixture_new(NULL, 32, 100);
        insert_all(f, MCA_MQ_POSTED, 1, behind);
        for (int i = 0; i < 1000; ++i) {
            insert(f, MCA_MQ_POSTED, 31, 2, i);
            assert_ptr_equal(&f->entry[31], match(f, MCA_MQ_POSTED, 2, i));
        }
        assert_int_equal(behind > 16, posted(f).hashed);
        mq_fixture_free(f);
    }
    ordered = "0";
}

UNIT_TEST(an_idle_domain_of_a_million_ranks_is_small)
{
    mq_fixture_t *f = fixture_new(NULL, 1, 1000000);

    assert_true(mq_fixture_bytes(f) < IDLE_MAX);
    mq_fixture_free(f);
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
    mq_fixture_t *f = fixture_new(NULL, DEEP, 100);
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
    mq_fixture_free(f);
}

UNIT_TEST(no_multiples_collide)
{
    static const tag_fn_t tags[] = {in_order, times_1021, times_1024,
                                    times_65536, scattered};

    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); ++i) {
        assert_no_collisions(MCA_MQ_POSTED, tags[i]);
        assert_no_collisions(MCA_MQ_UNEXPECTED, tags[i]);
    }
}

/* Sources and contexts are spread as well as tags. */
UNIT_TEST(no_sources_collide)
{
    mq_fixture_t *f = fixture_new(NULL, DEEP, 1 << 30);

    for (int32_t i = 0; i < DEEP; ++i) {
        insert(f, MCA_MQ_POSTED, (size_t) i, i << 14, i % 2);
    }
    assert_true(posted(f).displacement < DEEP * 3 / 4);
    for (int32_t i = DEEP - 1; i >= 0; --i) {
        assert_ptr_equal(&f->entry[i], match(f, MCA_MQ_POSTED, i << 14, i % 2));
    }
    mq_fixture_free(f);
}

/* Looking at the figures reads the whole table: not each time. */
static bool sampled(size_t i)
{
    return i % 1009 == 0 && i > 2048;
}

/* Index memory of messages that are all different, exact receives only. */
UNIT_TEST(memory_is_bounded_and_given_back)
{
    const size_t burst = 200000;
    mq_fixture_t *f = fixture_new(NULL, burst, 100);
    size_t before = mq_fixture_bytes(f);

    for (size_t i = 0; i < burst; ++i) {
        insert(f, MCA_MQ_UNEXPECTED, i, (int32_t) i % 100, (int32_t) i / 100);
        /* While a table doubles there are two. */
        assert_true(i < 2048 ||
                    mq_fixture_bytes(f) - before <= (i + 1) * 96 + 4096);
        if (sampled(i) && !unexpected(f).resizing) {
            assert_true(mq_fixture_bytes(f) - before <= (i + 1) * 64);
        }
    }
    assert_false(unexpected(f).resizing);
    assert_true(mq_fixture_bytes(f) - before <= burst * 64);
    for (size_t i = 0; i < burst; ++i) {
        assert_ptr_equal(
            &f->entry[i],
            match(f, MCA_MQ_UNEXPECTED, (int32_t) i % 100, (int32_t) i / 100));
        /* Not only at the end. */
        assert_true(i < burst / 2 || mq_fixture_bytes(f) - before <=
                                         (burst - i) * 480 + AFTER_MAX);
    }
    assert_true(mq_fixture_bytes(f) <= AFTER_MAX);
    assert_true(unexpected(f).shrunk > 0);
    mq_fixture_free(f);
}

/* A few entries that stay for ever do not keep the memory of a burst. */
UNIT_TEST(memory_is_given_back_though_some_stay)
{
    const size_t burst = 100000;
    mq_fixture_t *f = fixture_new(NULL, burst, 100);

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        insert_all(f, queue, 1, (int) burst);
        for (size_t i = 20; i < burst; ++i) {
            assert_non_null(match(f, queue, 1, (int32_t) i));
        }
        assert_true(figures_of(f->domain.module, queue).hashed);
        assert_true(mq_fixture_bytes(f) <= AFTER_MAX);
        for (size_t i = 2; i < 20; ++i) {
            assert_non_null(match(f, queue, 1, (int32_t) i));
        }
        assert_false(figures_of(f->domain.module, queue).hashed);
        match_all(f, queue, 1, 2);
    }
    assert_true(mq_fixture_bytes(f) <= AFTER_MAX);
    mq_fixture_free(f);
}

UNIT_TEST(around_the_limit_no_memory_is_moved)
{
    mq_fixture_t *f = fixture_new("8", 16, 100);
    size_t before;

    insert_all(f, MCA_MQ_UNEXPECTED, 1, 9);
    before = mq_fixture_bytes(f);
    for (int round = 0; round < 1000; ++round) {
        assert_non_null(match(f, MCA_MQ_UNEXPECTED, 1, 8));
        assert_int_equal(before, mq_fixture_bytes(f));
        insert(f, MCA_MQ_UNEXPECTED, 8, 1, 8);
        assert_int_equal(before, mq_fixture_bytes(f));
    }
    assert_int_equal(1, unexpected(f).entered);
    /* Nor between empty and long. */
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 9; ++i) {
            assert_non_null(match(f, MCA_MQ_UNEXPECTED, 1, i));
            assert_int_equal(before, mq_fixture_bytes(f));
        }
        for (int i = 0; i < 9; ++i) {
            insert(f, MCA_MQ_UNEXPECTED, (size_t) i, 1, i);
            assert_int_equal(before, mq_fixture_bytes(f));
        }
    }
    assert_int_equal(101, unexpected(f).entered);
    mq_fixture_free(f);
}

/* `count` entries come and go, all of them. */
static void burst_of(mq_fixture_t *f, int count)
{
    insert_all(f, MCA_MQ_POSTED, 1, count);
    for (int i = count; i-- > 0;) {
        assert_non_null(match(f, MCA_MQ_POSTED, 1, i));
    }
}

UNIT_TEST(a_burst_like_the_last_one_needs_no_memory)
{
    enum { BURST = 10000, SMALL_BURST = 100 };
    const size_t most = (1 << 20) + AFTER_MAX;
    mq_fixture_t *f;
    uint64_t grown;

    keep = NULL;
    f = fixture_new(NULL, 100000, 100);
    keep = "0";
    burst_of(f, BURST);
    grown = posted(f).grown;
    assert_true(grown > 2);
    assert_true(mq_fixture_bytes(f) > AFTER_MAX && mq_fixture_bytes(f) <= most);
    for (int round = 0; round < 200; ++round) {
        burst_of(f, BURST);
    }
    assert_int_equal(grown, posted(f).grown);
    /* Small ones for long enough: it goes. */
    for (int round = 0; round < 70; ++round) {
        burst_of(f, SMALL_BURST);
    }
    assert_true(mq_fixture_bytes(f) <= 64 * 1024);
    /* What is larger than that is given back at once. */
    burst_of(f, 100000);
    assert_true(mq_fixture_bytes(f) <= most);
    mq_fixture_free(f);
}

/* No loop: a million entries of one envelope leave in an order that would be
 * a scan each for anything else. */
UNIT_TEST(the_middle_of_a_long_fifo_is_left_at_once)
{
    const size_t many = 300000;
    mq_fixture_t *f = fixture_new(NULL, many, 100);
    mca_mq_base_module_t *module = f->domain.module;

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
    mq_fixture_free(f);
}

/* Wildcard receives of each kind, on messages in a shuffled order. */
typedef struct wildcard_t {
    int32_t source;
    int32_t tag;
} wildcard_t;

/* Entry i is from source i % 64 with tag i / 64. */
static void fill_unexpected(mq_fixture_t *f)
{
    for (size_t i = 0; i < f->capacity; ++i) {
        insert(f, MCA_MQ_UNEXPECTED, i, (int32_t) i % 64, (int32_t) i / 64);
    }
}

UNIT_TEST(each_message_is_passed_over_once)
{
    const int32_t many = 64 * 1024;
    mq_fixture_t *f = fixture_new(NULL, (size_t) many, 64);
    mca_mq_queue_stats_t *stats = &f->stats.queue[MCA_MQ_UNEXPECTED];

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
    assert_true(mq_fixture_bytes(f) <= AFTER_MAX);
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
    assert_true(mq_fixture_bytes(f) <= AFTER_MAX);
    mq_fixture_free(f);
}

UNIT_TEST(who_takes_the_oldest_indexes_nothing)
{
    const int32_t many = 10000;
    mq_fixture_t *f = fixture_new(NULL, (size_t) many, 64);

    fill_unexpected(f);
    for (int32_t i = 0; i < many; ++i) {
        assert_ptr_equal(&f->entry[i], match(f, MCA_MQ_UNEXPECTED, -1, -1));
    }
    for (int kind = 1; kind < MCA_MQ_INDEXED_KINDS; ++kind) {
        assert_int_equal(0, unexpected(f).passed[kind]);
    }
    mq_fixture_free(f);
}

/* A promise is given and taken back while messages are queued. */
UNIT_TEST(a_promise_may_come_and_go)
{
    const int32_t many = 3000;
    mq_fixture_t *f = fixture_new(NULL, (size_t) many, 64);
    mca_mq_base_module_t *first = f->domain.module;

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
    mq_fixture_free(f);
}

UNIT_TEST(internal_messages_are_passed_over_once)
{
    const int32_t many = 10000;
    mq_fixture_t *f = fixture_new(NULL, (size_t) many + 100, 64);
    mca_mq_queue_stats_t *stats = &f->stats.queue[MCA_MQ_UNEXPECTED];

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
    mq_fixture_free(f);
}

/* An index that was used lately is kept up by the insertions. */
UNIT_TEST(an_index_in_use_stays_near_the_newest)
{
    const int32_t many = 64 * 256;
    mq_fixture_t *f = fixture_new(NULL, (size_t) many, 64);

    for (int32_t i = 0; i < many; ++i) {
        insert(f, MCA_MQ_UNEXPECTED, (size_t) i, i % 64, i / 64);
        if (i % 4096 == 100) {
            assert_null(match(f, MCA_MQ_UNEXPECTED, -1, 1 << 20));
        }
    }
    assert_true(unexpected(f).indexed[MCA_MQ_INDEXED_ANY_SOURCE] >=
                (uint64_t) many - MCA_MQ_INDEXED_LAG - 4);
    mq_fixture_free(f);
}

UNIT_TEST(an_index_that_nobody_uses_is_dropped)
{
    const int32_t many = 20000;
    mq_fixture_t *f = fixture_new(NULL, (size_t) many, 64);

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
    mq_fixture_free(f);
}

/* Only classes of which a receive is posted are looked up. */
UNIT_TEST(an_arrival_compares_one_receive_per_class)
{
    const int32_t many = 4000;
    mq_fixture_t *f = fixture_new(NULL, 4 * (size_t) many, 64);
    mca_mq_queue_stats_t *stats = &f->stats.queue[MCA_MQ_POSTED];
    size_t next = 0;

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
    mq_fixture_free(f);
}

UNIT_MAIN(mq_test_start, mq_test_stop)
