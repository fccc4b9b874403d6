/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "test_indexed.h"

/* In any order, though they share a tag or a source, or bits of both; with one
 * group of slots, and with all. */
static void short_queue_is_searched_by_marks(int count)
{
    static const int32_t times[] = {1, 7, 65536, 65537};
    mq_fixture_t *f = fixture_ordered((size_t) count, 100);

    for (int round = 0; round < 64; ++round) {
        int32_t step = times[round % 4];
        bool by_tag = round & 4;
        uint64_t most = step == 65536 ? (uint64_t) count : 2;

        f->stats.queue[MCA_MQ_UNEXPECTED].traversed_max = 0;
        for (int i = 0; i < count; ++i) {
            insert(f, MCA_MQ_UNEXPECTED, (size_t) i, by_tag ? 3 : i * step,
                   by_tag ? i * step : 3);
        }
        assert_true(unexpected(f).marked);
        for (int k = 0; k < count; ++k) {
            int i = (k * 5 + round) % count;
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
    mq_fixture_free(f);
}

UNIT_TEST(a_short_queue_is_searched_by_marks)
{
    short_queue_is_searched_by_marks(MCA_MQ_INDEXED_SLOTS_GROUP);
    short_queue_is_searched_by_marks(MCA_MQ_INDEXED_SLOTS_MAX - 1);
}

static void burst(mq_fixture_t *f, int count, int step, bool marked)
{
    insert_all(f, MCA_MQ_UNEXPECTED, 3, count);
    assert_int_equal(marked, unexpected(f).marked);
    for (int k = 0; k < count; ++k) {
        int i = k * step % count;

        assert_ptr_equal(&f->entry[i], match(f, MCA_MQ_UNEXPECTED, 3, i));
    }
}

/* After a burst that was taken in order, more messages than one group of slots
 * has are a list, until they are taken in another order. */
UNIT_TEST(messages_in_order_are_listed_early)
{
    enum { FEW = 2 * MCA_MQ_INDEXED_SLOTS_GROUP, MANY = 4 * FEW };
    mq_fixture_t *f = fixture_ordered(MANY, 100);

    burst(f, MANY, 1, false);
    burst(f, FEW, 1, false);
    burst(f, FEW, 1, false);
    burst(f, FEW, 5, false);
    burst(f, FEW, 5, true);
    burst(f, FEW, 1, true);
    mq_fixture_free(f);
}

/* A queue of constant length stays in its slots: messages that are left move
 * up. */
UNIT_TEST(messages_move_up)
{
    enum { MOST = MCA_MQ_INDEXED_SLOTS_MAX * 3 / 4, COUNT = MOST + 1 };
    int queued[COUNT];
    mq_fixture_t *f = fixture_ordered(COUNT, 100000);
    uint32_t random = 1;

    for (int i = 0; i < MOST; ++i) {
        insert(f, MCA_MQ_UNEXPECTED, (size_t) i, i, 0);
        queued[i] = i;
    }
    for (int round = 0; round < 20000; ++round) {
        int at, entry;

        random = random * 1664525 + 1013904223;
        at = (int) ((random >> 8) % MOST);
        entry = queued[at];
        assert_ptr_equal(&f->entry[entry],
                         match(f, MCA_MQ_UNEXPECTED, entry, 0));
        assert_null(match(f, MCA_MQ_UNEXPECTED, entry, 0));
        insert(f, MCA_MQ_UNEXPECTED, (size_t) entry, entry, 0);
        assert_true(unexpected(f).marked);
    }
    assert_int_equal(0, unexpected(f).entered);
    mq_fixture_free(f);
}

/* Receives are marked only where that helps, and for as long. */
UNIT_TEST(receives_are_marked_when_passed_over)
{
    enum { COUNT = MCA_MQ_INDEXED_MARKS };
    mq_fixture_t *f = fixture_ordered(COUNT, 1 << 20);
    size_t before;

    before = mq_fixture_bytes(f);
    for (int round = 0; round < 100; ++round) {
        insert_all(f, MCA_MQ_POSTED, 3, COUNT);
        match_all(f, MCA_MQ_POSTED, 3, COUNT);
    }
    assert_false(posted(f).marked);
    assert_int_equal(before, mq_fixture_bytes(f));
    for (int round = 0; round < 100; ++round) {
        f->stats.queue[MCA_MQ_POSTED].traversed_max = 0;
        insert_all(f, MCA_MQ_POSTED, 3, COUNT);
        assert_true(round < 2 || posted(f).marked);
        for (int k = 0; k < COUNT; ++k) {
            int i = (k * 5 + round) % COUNT;

            assert_ptr_equal(&f->entry[i], match(f, MCA_MQ_POSTED, 3, i));
        }
        assert_true(round < 2 ||
                    f->stats.queue[MCA_MQ_POSTED].traversed_max <= 2);
    }
    assert_true(mq_fixture_bytes(f) > before);
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
    mq_fixture_free(f);
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
    mq_fixture_t *f = fixture_ordered(MARKS_MANY + OTHERS, 70000);

    for (int i = 0; i < MARKS_MANY; ++i) {
        model.idle[model.free_count++] = &f->entry[i];
    }
    for (int i = 0; i < OPERATIONS; ++i) {
        mca_mq_entry_t *found = NULL;
        mca_mq_envelope_t envelope = {.context = MQ_FIXTURE_CONTEXT};
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
    mq_fixture_free(f);
}

UNIT_TEST(marks_come_and_go)
{
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        marks_come_and_go_in(queue, false);
        marks_come_and_go_in(queue, true);
    }
}

/* With vector instructions, or without; whatever part of the slots is used. */
UNIT_TEST(slots_are_compared_alike)
{
    mca_mq_indexed_slot_array_t array;
    mca_mq_indexed_slots_t slots = {.array = &array};
    uint32_t random = 1;

    for (int round = 0; round < 10000; ++round) {
        mca_mq_envelope_t receive = {.source = round % 5 - 1,
                                     .tag = round / 5 % 5 - 1};
        uint64_t equal = 0, live;

        for (uint32_t i = 0; i < MCA_MQ_INDEXED_SLOTS_MAX; ++i) {
            mca_mq_entry_t entry;
            bool equals;

            random = random * 1664525 + 1013904223;
            entry.envelope.source = (int32_t) (random >> 30);
            entry.envelope.tag = (int32_t) (random >> 28 & 3);
            mca_mq_indexed_slots_set(&slots, i, &entry);
            equals = (receive.source < 0 ||
                      receive.source == entry.envelope.source) &&
                     (receive.tag < 0 || receive.tag == entry.envelope.tag);
            equal |= (uint64_t) equals << i;
        }
        for (uint32_t at = 0; at < MCA_MQ_INDEXED_SLOTS_MAX;
             at += MCA_MQ_INDEXED_SLOTS_GROUP) {
            assert_int_equal(equal >> at & UINT16_MAX,
                             mca_mq_indexed_slots_equal_scalar(
                                 array.mark + at,
                                 mca_mq_indexed_mark_any(&receive),
                                 mca_mq_indexed_mark_of(&receive)));
        }
        live = UINT64_MAX >> (64 - MCA_MQ_INDEXED_SLOTS_MAX + round % 48);
        slots.live = live;
        assert_int_equal(equal & live,
                         mca_mq_indexed_slots_equal(&slots, &receive));
        slots.live = 0;
    }
}

UNIT_TEST(marks_of_receives_are_compared_alike)
{
    mca_mq_indexed_marks_t marks;
    uint32_t random = 1, accept;

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

UNIT_MAIN(mq_test_start, mq_test_stop)
