/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_fixture.h"

#include <stdio.h>

#include "ompi/mca/mq/fuzzy/mq_fuzzy.h"
#include "mq_random.h"

/* The largest figures seen. */
typedef struct fuzzy_watch_t {
    uint64_t joined[MCA_MQ_QUEUES];
    uint64_t squeezed[MCA_MQ_QUEUES];
    uint64_t blocks[MCA_MQ_QUEUES];
} fuzzy_watch_t;

/* Counts, order of age, and where each entry believes to be. */
static void check_queue(const mca_mq_fuzzy_queue_t *queue)
{
    const mca_mq_fuzzy_block_t *block, *older = NULL;
    size_t blocks = queue->spare != NULL;
    uint64_t order = 0;

    for (block = queue->oldest; block != NULL; block = block->newer) {
        assert_ptr_equal(older, block->older);
        assert_int_equal(__builtin_popcountll(block->live), block->count);
        assert_true(block->count > 0 || block->older == block->newer);
        assert_true(block->used == MCA_MQ_FUZZY_BLOCK ||
                    block->live >> block->used == 0);
        for (uint32_t i = 0; i < block->used; ++i) {
            if (block->live >> i & 1) {
                assert_true(block->entry[i]->order > order);
                order = block->entry[i]->order;
                assert_int_equal(i, block->entry[i]->where);
                assert_ptr_equal(block, block->entry[i]->link[0]);
            }
        }
        older = block;
        ++blocks;
    }
    assert_ptr_equal(older, queue->newest);
    assert_int_equal(blocks, queue->blocks);
}

static void watch(mca_mq_base_module_t *module, void *arg)
{
    const mca_mq_fuzzy_module_t *m = (const mca_mq_fuzzy_module_t *) module;
    fuzzy_watch_t *w = arg;

    for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
        const mca_mq_fuzzy_queue_t *queue = &m->queue[i];

        check_queue(queue);
        mq_random_max(&w->joined[i], queue->joined);
        mq_random_max(&w->squeezed[i], queue->squeezed);
        mq_random_max(&w->blocks[i], queue->blocks);
    }
}

static void agrees_with_the_model(const char *width, uint64_t operations)
{
    fuzzy_watch_t w;

    memset(&w, 0, sizeof(w));
    mq_test_parameter("mq_fuzzy_width", width);
    mq_random_component("fuzzy", mq_random_operations(operations), 0, watch,
                        &w);
    mq_test_parameter("mq_fuzzy_width", "auto");
    for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
        assert_true(w.joined[i] > 10);
        assert_true(w.squeezed[i] > 10);
        assert_true(w.blocks[i] > 10);
    }
}

UNIT_TEST(fuzzy_agrees_with_the_model)
{
    agrees_with_the_model("auto", 1000000);
}

UNIT_TEST(plain_c_agrees_with_the_model)
{
    agrees_with_the_model("scalar", 1000000);
}

static void skip_unless(bool has, const char *what)
{
    if (!has) {
        printf("SKIPPED: this processor has no %s\n", what);
        skip();
    }
}

UNIT_TEST(avx2_agrees_with_the_model)
{
    skip_unless(__builtin_cpu_supports("avx2"), "AVX2");
    agrees_with_the_model("avx2", 1000000);
}

UNIT_TEST(avx512_agrees_with_the_model)
{
    skip_unless(__builtin_cpu_supports("avx512f"), "AVX-512");
    agrees_with_the_model("avx512", 1000000);
}

UNIT_TEST(a_width_that_does_not_exist_is_refused)
{
    const char *said;

    mq_test_parameter("mq_fuzzy_width", "avx1024");
    assert_int_equal(OMPI_ERR_BAD_PARAM, mq_test_open_caught("fuzzy", &said));
    assert_non_null(strstr(said, "mq_fuzzy_width"));
    assert_non_null(strstr(said, "avx1024"));
    assert_non_null(strstr(said, "auto, avx512, avx2, scalar"));
    mq_test_parameter("mq_fuzzy_width", "auto");
}

/* Of a million ranks. */
static mq_fixture_t *fixture_new(size_t entries)
{
    return mq_fixture_new("fuzzy", 1 << 20, entries);
}

static const mca_mq_fuzzy_queue_t *posted(const mq_fixture_t *f)
{
    const mca_mq_fuzzy_module_t *m =
        (const mca_mq_fuzzy_module_t *) f->domain.module;

    return &m->queue[MCA_MQ_POSTED];
}

UNIT_TEST(holes_and_memory_are_bounded)
{
    enum { ENTRIES = 100000 };
    mq_fixture_t *f = fixture_new(ENTRIES);
    mca_mq_base_module_t *module = f->domain.module;
    size_t before = mq_fixture_bytes(f), left = ENTRIES;

    assert_int_equal(sizeof(mca_mq_fuzzy_module_t), before);
    for (int i = 0; i < ENTRIES; ++i) {
        mq_fixture_post(f, i % 100, i);
    }
    assert_true(mq_fixture_bytes(f) - before <= (size_t) ENTRIES * 18);
    /* Everywhere one entry in 100 stays. */
    for (int i = 0; i < ENTRIES; ++i) {
        if (i % 100 != 7) {
            module->mq_withdraw_posted(module, &f->entry[i]);
            --left;
        }
    }
    check_queue(posted(f));
    assert_true(mq_fixture_bytes(f) - before <= left * 17 * 8);
    for (int i = 7; i < ENTRIES; i += 100) {
        module->mq_withdraw_posted(module, &f->entry[i]);
    }
    assert_true(mq_fixture_bytes(f) - before <=
                2 * sizeof(mca_mq_fuzzy_block_t));
    mq_fixture_free(f);
}

UNIT_TEST(a_block_with_holes_is_used_again)
{
    mq_fixture_t *f = fixture_new(MCA_MQ_FUZZY_BLOCK + 1);
    mca_mq_base_module_t *module = f->domain.module;
    const mca_mq_fuzzy_queue_t *queue = posted(f);

    for (int i = 0; i < MCA_MQ_FUZZY_BLOCK; ++i) {
        mq_fixture_post(f, 1, i);
    }
    for (int i = 0; i < 40; ++i) {
        module->mq_withdraw_posted(module, &f->entry[i]);
    }
    assert_int_equal(0, queue->squeezed);
    mq_fixture_post(f, 1, 100);
    assert_int_equal(1, queue->squeezed);
    assert_int_equal(1, queue->blocks);
    check_queue(queue);
    mq_fixture_free(f);
}

/* Envelopes compared and found different, per entry, in n searches of n
 * receives for messages that differ from all of them. */
static double false_hits(int n, int source_stride, int tag_stride)
{
    mq_fixture_t *f = fixture_new((size_t) n);
    double rate;

    for (int i = 0; i < n; ++i) {
        mq_fixture_post(f,
                        source_stride == 0 ? 9 : (i * source_stride) & 0x7ffff,
                        i * tag_stride);
    }
    for (int i = 0; i < n; ++i) {
        const mca_mq_envelope_t *other = &f->entry[i].envelope;

        assert_null(source_stride == 0
                        ? mq_fixture_match_posted(f, 9, (n + i) * tag_stride)
                        : mq_fixture_match_posted(f, other->source + (1 << 19),
                                                  other->tag));
    }
    rate = (double) f->stats.queue[MCA_MQ_POSTED].traversed_miss / n / n;
    mq_fixture_free(f);
    return rate;
}

UNIT_TEST(false_hits_are_as_rare_as_documented)
{
    static const int strides[] = {1, 2, 3, 1021, 1024, 65536, 4099};

    for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); ++i) {
        /* Only the tag differs: one in 2^15 and some. */
        assert_true(false_hits(4000, 0, strides[i]) < 2.0 / 32768);
        /* Only the source does. */
        assert_true(false_hits(4000, strides[i], 0) < 4.0 / 65536);
    }
    /* Both do. */
    assert_true(false_hits(4000, 1, 1) < 4.0 / 65536);
}

UNIT_TEST(internal_messages_are_not_tried_with_any_tag)
{
    mq_fixture_t *f = fixture_new(1000);

    for (int i = 0; i < 1000; ++i) {
        mq_fixture_post(f, 9, MCA_MQ_ANY_TAG);
    }
    assert_null(mq_fixture_match_posted(f, 9, -77));
    assert_int_equal(0, f->stats.queue[MCA_MQ_POSTED].traversed_miss);
    assert_ptr_equal(&f->entry[0], mq_fixture_match_posted(f, 9, 77));
    mq_fixture_free(f);
}

UNIT_MAIN(mq_test_start, mq_test_stop)
