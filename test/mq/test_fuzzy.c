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
#include "ompi/mca/mq/fuzzy/mq_fuzzy.h"
#include "mq_random.h"
#include "mq_test.h"

/* The largest figures seen. */
typedef struct fuzzy_watch_t {
    uint64_t joined[MCA_MQ_QUEUES];
    uint64_t squeezed[MCA_MQ_QUEUES];
    uint64_t blocks[MCA_MQ_QUEUES];
} fuzzy_watch_t;

static void keep_max(uint64_t *most, uint64_t now)
{
    if (*most < now) {
        *most = now;
    }
}

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
        keep_max(&w->joined[i], queue->joined);
        keep_max(&w->squeezed[i], queue->squeezed);
        keep_max(&w->blocks[i], queue->blocks);
    }
}

static void agrees_with_the_model(const char *width, uint64_t operations)
{
    fuzzy_watch_t w;
    mq_random_config_t config = {
        .component = "fuzzy",
        .operations = mq_random_operations(operations),
        .depth = 1000,
        .watch = watch,
        .watch_arg = &w,
    };

    memset(&w, 0, sizeof(w));
    mq_test_parameter("mq_fuzzy_width", width);
    assert_int_equal(OMPI_SUCCESS, mq_test_open("fuzzy"));
    mq_random_run(&config);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
    mq_test_parameter("mq_fuzzy_width", "auto");
    for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
        assert_true(w.joined[i] > 10);
        assert_true(w.squeezed[i] > 10);
        assert_true(w.blocks[i] > 10);
    }
}

static void fuzzy_agrees_with_the_model(void **state)
{
    (void) state;
    agrees_with_the_model("auto", 1000000);
}

static void plain_c_agrees_with_the_model(void **state)
{
    (void) state;
    agrees_with_the_model("scalar", 1000000);
}

static void avx2_agrees_with_the_model(void **state)
{
    (void) state;
    if (!__builtin_cpu_supports("avx2")) {
        printf("SKIPPED: this processor has no AVX2\n");
        skip();
    }
    agrees_with_the_model("avx2", 1000000);
}

static void avx512_agrees_with_the_model(void **state)
{
    (void) state;
    if (!__builtin_cpu_supports("avx512f")) {
        printf("SKIPPED: this processor has no AVX-512\n");
        skip();
    }
    agrees_with_the_model("avx512", 1000000);
}

static void a_width_that_does_not_exist_is_refused(void **state)
{
    const char *said;

    (void) state;
    mq_test_parameter("mq_fuzzy_width", "avx1024");
    assert_int_equal(OMPI_ERR_BAD_PARAM, mq_test_open_caught("fuzzy", &said));
    assert_non_null(strstr(said, "mq_fuzzy_width"));
    assert_non_null(strstr(said, "avx1024"));
    assert_non_null(strstr(said, "auto, avx512, avx2, scalar"));
    mq_test_parameter("mq_fuzzy_width", "auto");
}

/* Domain and entries of the tests of single properties. */
#define ENTRIES 100000

static mca_mq_entry_t entries[ENTRIES];
static mca_mq_stats_t stats;
static mca_mq_base_domain_t domain;

static void begin(void)
{
    mca_mq_domain_info_t info = {
        .size = 1 << 20,
        .context = 3,
        .stats = &stats,
    };

    memset(&stats, 0, sizeof(stats));
    assert_int_equal(OMPI_SUCCESS, mq_test_open("fuzzy"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
}

static void end(void)
{
    mca_mq_base_domain_fini(&domain);
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_close_framework());
}

static size_t footprint(void)
{
    return domain.module->mq_footprint(domain.module);
}

static void post(int i, int32_t source, int32_t tag)
{
    entries[i].envelope = (mca_mq_envelope_t){3, source, tag};
    assert_null(mca_mq_base_post(&domain, &entries[i]));
}

static void holes_and_memory_are_bounded(void **state)
{
    mca_mq_base_module_t *module;
    size_t before, left = ENTRIES;

    (void) state;
    begin();
    module = domain.module;
    before = footprint();
    assert_int_equal(sizeof(mca_mq_fuzzy_module_t), before);
    for (int i = 0; i < ENTRIES; ++i) {
        post(i, i % 100, i);
    }
    assert_true(footprint() - before <= (size_t) ENTRIES * 18);
    /* Everywhere one entry in 100 stays. */
    for (int i = 0; i < ENTRIES; ++i) {
        if (i % 100 != 7) {
            module->mq_withdraw_posted(module, &entries[i]);
            --left;
        }
    }
    check_queue(&((mca_mq_fuzzy_module_t *) module)->queue[MCA_MQ_POSTED]);
    assert_true(footprint() - before <= left * 17 * 8);
    for (int i = 7; i < ENTRIES; i += 100) {
        module->mq_withdraw_posted(module, &entries[i]);
    }
    assert_true(footprint() - before <= 2 * sizeof(mca_mq_fuzzy_block_t));
    end();
}

static void a_block_with_holes_is_used_again(void **state)
{
    mca_mq_base_module_t *module;
    const mca_mq_fuzzy_queue_t *queue;

    (void) state;
    begin();
    module = domain.module;
    queue = &((mca_mq_fuzzy_module_t *) module)->queue[MCA_MQ_POSTED];
    for (int i = 0; i < MCA_MQ_FUZZY_BLOCK; ++i) {
        post(i, 1, i);
    }
    for (int i = 0; i < 40; ++i) {
        module->mq_withdraw_posted(module, &entries[i]);
    }
    assert_int_equal(0, queue->squeezed);
    post(100, 1, 100);
    assert_int_equal(1, queue->squeezed);
    assert_int_equal(1, queue->blocks);
    check_queue(queue);
    end();
}

/* Envelopes compared and found different, per entry, in n searches of n
 * receives for messages that differ from all of them. */
static double false_hits(int n, int source_stride, int tag_stride)
{
    double rate;

    begin();
    for (int i = 0; i < n; ++i) {
        post(i, source_stride == 0 ? 9 : (i * source_stride) & 0x7ffff,
             i * tag_stride);
    }
    for (int i = 0; i < n; ++i) {
        mca_mq_envelope_t message = {3, entries[i].envelope.source + (1 << 19),
                                     entries[i].envelope.tag};

        if (source_stride == 0) {
            message.source = 9;
            message.tag = (n + i) * tag_stride;
        }
        assert_null(domain.module->mq_match_posted(domain.module, &message));
    }
    rate = (double) stats.queue[MCA_MQ_POSTED].traversed_miss / n / n;
    end();
    return rate;
}

static void false_hits_are_as_rare_as_documented(void **state)
{
    static const int strides[] = {1, 2, 3, 1021, 1024, 65536, 4099};

    (void) state;
    for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); ++i) {
        /* Only the tag differs: one in 2^15 and some. */
        assert_true(false_hits(4000, 0, strides[i]) < 2.0 / 32768);
        /* Only the source does. */
        assert_true(false_hits(4000, strides[i], 0) < 4.0 / 65536);
    }
    /* Both do. */
    assert_true(false_hits(4000, 1, 1) < 4.0 / 65536);
}

static void internal_messages_are_not_tried_with_any_tag(void **state)
{
    mca_mq_envelope_t message = {3, 9, -77};

    (void) state;
    begin();
    for (int i = 0; i < 1000; ++i) {
        post(i, 9, MCA_MQ_ANY_TAG);
    }
    assert_null(domain.module->mq_match_posted(domain.module, &message));
    assert_int_equal(0, stats.queue[MCA_MQ_POSTED].traversed_miss);
    message.tag = 77;
    assert_ptr_equal(&entries[0],
                     domain.module->mq_match_posted(domain.module, &message));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fuzzy_agrees_with_the_model),
        cmocka_unit_test(plain_c_agrees_with_the_model),
        cmocka_unit_test(avx2_agrees_with_the_model),
        cmocka_unit_test(avx512_agrees_with_the_model),
        cmocka_unit_test(a_width_that_does_not_exist_is_refused),
        cmocka_unit_test(holes_and_memory_are_bounded),
        cmocka_unit_test(a_block_with_holes_is_used_again),
        cmocka_unit_test(false_hits_are_as_rare_as_documented),
        cmocka_unit_test(internal_messages_are_not_tried_with_any_tag),
    };

    return cmocka_run_group_tests(tests, mq_test_start, mq_test_stop);
}
