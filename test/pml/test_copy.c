/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Jobs: a receiver and a sender claim the parts of messages at the same time.
 * Each part is copied exactly once, whatever the sender does.
 */

#include "ompi_config.h"

#include <pthread.h>
#include <sched.h>

#include "pml_test.h"

#include "ompi/mca/pml/champion/shm/job.h"
#include "pml_random.h"

enum { MESSAGES = 20000, PARTS_MOST = 300 };

static mca_pml_champion_ring_job_t job;

/* ---- the cut ------------------------------------------------------------ */

UNIT_TEST(parts_cover_a_message)
{
    static const uint64_t lengths[] = {1,
                                       4095,
                                       32768,
                                       65536,
                                       65537,
                                       (128 << 10) - 1,
                                       256 << 10,
                                       (1 << 20) + 5,
                                       16 << 20,
                                       UINT64_C(1) << 33,
                                       (UINT64_C(1) << 40) + 12345,
                                       UINT64_C(1) << 46};

    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); ++i) {
        const uint64_t size = mca_pml_champion_part_size(lengths[i]);
        const uint64_t parts = mca_pml_champion_parts(lengths[i]);

        assert_int_equal(0, size % 4096);
        assert_in_range(parts, 1, MCA_PML_CHAMPION_PARTS_MAX);
        assert_true((parts - 1) * size < lengths[i]);
        assert_true(parts * size >= lengths[i]);
    }
    assert_int_equal(2, mca_pml_champion_parts(65536));
}

/* A program that looks once a millisecond does not wait for parts; one that looks
 * all the time copies one claim a look. */
UNIT_TEST(a_look_copies_what_its_gap_allows)
{
    assert_int_equal(1, mca_pml_champion_copy_allowed(0));
    assert_in_range(mca_pml_champion_copy_allowed(100), 1,
                    MCA_PML_CHAMPION_PART_MIN);
    assert_true(mca_pml_champion_copy_allowed(1000000) >= UINT64_C(64) << 20);
    assert_true(mca_pml_champion_copy_allowed(UINT64_MAX) >=
                mca_pml_champion_copy_allowed(1000000));
    assert_int_equal(UINT64_MAX, mca_pml_champion_copy_allowed(UINT64_MAX));
}

/* ---- one after the other ------------------------------------------------ */

static uint32_t receiver_takes(uint32_t count, uint32_t *part)
{
    return mca_pml_champion_job_take_first(&job, count, part);
}

static bool sender_takes(uint32_t *part)
{
    uint64_t claim = mca_pml_champion_job_look(&job);

    return !mca_pml_champion_claim_is_empty(claim) &&
           mca_pml_champion_job_take_last(&job, &claim, part);
}

UNIT_TEST(they_meet)
{
    uint32_t part;

    mca_pml_champion_job_open(&job, 0, 5);
    assert_int_equal(2, receiver_takes(2, &part));
    assert_int_equal(0, part);
    assert_true(sender_takes(&part));
    assert_int_equal(4, part);
    assert_int_equal(2, receiver_takes(9, &part));
    assert_int_equal(2, part);
    assert_false(sender_takes(&part));
    assert_int_equal(0, receiver_takes(1, &part));
    assert_int_equal(1, mca_pml_champion_job_senders(&job, 5));
    assert_false(mca_pml_champion_job_copied(&job, 4, 5));
    assert_int_equal(MCA_PML_CHAMPION_JOB_BUSY,
                     mca_pml_champion_job_state(&job, 5));
    assert_true(mca_pml_champion_job_copied(&job, 1, 5));
    assert_int_equal(MCA_PML_CHAMPION_JOB_DONE,
                     mca_pml_champion_job_state(&job, 5));
}

/* Who has looked at the last message's claim claims nothing of the next one's,
 * even if it looks the same. */
UNIT_TEST(a_claim_of_the_last_message_is_void)
{
    uint64_t before;
    uint32_t part;

    mca_pml_champion_job_open(&job, 0, 3);
    before = mca_pml_champion_job_look(&job);
    assert_int_equal(3, receiver_takes(3, &part));
    mca_pml_champion_job_open(&job, 0, 3);
    assert_false(mca_pml_champion_job_take_last(&job, &before, &part));
    assert_int_equal(3, receiver_takes(3, &part));
}

/* The sender may be asked for the rest of a message only. */
UNIT_TEST(a_job_may_begin_late)
{
    uint32_t part, parts = 0;

    mca_pml_champion_job_open(&job, 2, 4);
    while (sender_takes(&part)) {
        assert_int_equal(3 - parts, part);
        ++parts;
        assert_int_equal(2 == parts, mca_pml_champion_job_copied(&job, 1, 4));
    }
    assert_int_equal(2, parts);
    assert_int_equal(0, receiver_takes(1, &part));
    assert_int_equal(MCA_PML_CHAMPION_JOB_DONE,
                     mca_pml_champion_job_state(&job, 4));
}

UNIT_TEST(what_the_sender_cannot_copy_is_missing)
{
    uint32_t part;

    mca_pml_champion_job_open(&job, 0, 4);
    assert_true(sender_takes(&part));
    assert_false(mca_pml_champion_job_copied(&job, 1, 4));
    assert_true(sender_takes(&part));
    mca_pml_champion_job_failed(&job);
    assert_int_equal(2, part);
    assert_int_equal(2, receiver_takes(9, &part));
    assert_false(mca_pml_champion_job_copied(&job, 2, 4));
    assert_int_equal(MCA_PML_CHAMPION_JOB_MISSING,
                     mca_pml_champion_job_state(&job, 4));
    /* The part that is missing is the last that the sender has claimed. */
    assert_int_equal(2, 4 - mca_pml_champion_job_senders(&job, 4));
    assert_true(mca_pml_champion_job_copied(&job, 1, 4));
}

/* What the receiver cannot read it does not count: the sender never takes the
 * message for complete, and is told. */
UNIT_TEST(what_the_receiver_cannot_read_is_not_counted)
{
    uint32_t part;

    mca_pml_champion_job_open(&job, 0, 4);
    assert_int_equal(3, receiver_takes(3, &part));
    assert_true(sender_takes(&part));
    assert_int_equal(MCA_PML_CHAMPION_JOB_BUSY,
                     mca_pml_champion_job_state(&job, 4 - 3));
    assert_false(mca_pml_champion_job_copied(&job, 1, 4));
    assert_int_equal(MCA_PML_CHAMPION_JOB_DONE,
                     mca_pml_champion_job_state(&job, 4 - 3));
}

/* ---- at the same time --------------------------------------------------- */

static struct {
    uint32_t message;           /* atomic; 0: none yet */
    uint32_t length;            /* parts of it */
    uint32_t done;              /* atomic */
    uint32_t mine;              /* messages whose last part the receiver copied
                                 */
    uint32_t last;              /* messages whose last part the sender copied */
    uint8_t copied[PARTS_MOST]; /* by whom: 1 receiver, 2 sender */
    uint32_t fail_at;           /* the sender fails at this message */
} world;

static void *sender(void *arg)
{
    uint64_t seed = *(const uint64_t *) arg;
    uint32_t part;
    bool works = true;

    while (0 == __atomic_load_n(&world.done, __ATOMIC_ACQUIRE)) {
        uint64_t claim = mca_pml_champion_job_look(&job);

        if (0 == pml_random_from(&seed) % 64) {
            sched_yield();
        }
        if (!works || mca_pml_champion_claim_is_empty(claim)) {
            continue;
        }
        if (mca_pml_champion_job_take_last(&job, &claim, &part)) {
            works = __atomic_load_n(&world.message, __ATOMIC_RELAXED) !=
                    world.fail_at;
            if (!works) {
                mca_pml_champion_job_failed(&job);
                continue;
            }
            world.copied[part] = (uint8_t) (world.copied[part] + 2);
            if (mca_pml_champion_job_copied(&job, 1, world.length)) {
                ++world.last;
            }
        }
    }
    return arg;
}

static void receive_one(uint64_t *seed, uint32_t parts, uint64_t *helped)
{
    uint32_t part, count, first = pml_random_from(seed) % 3, senders;
    bool mine = false;

    memset(world.copied, 0, sizeof(world.copied));
    for (part = 0; part < first; ++part) {
        world.copied[part] = 1;
    }
    world.length = parts;
    mca_pml_champion_job_open(&job, first, parts);
    while (0 != (count = mca_pml_champion_job_take_first(
                     &job, 1 + pml_random_from(seed) % 4, &part))) {
        for (uint32_t i = 0; i < count; ++i, ++part) {
            world.copied[part] = (uint8_t) (world.copied[part] + 1);
        }
        mine = mca_pml_champion_job_copied(&job, count, parts);
        if (0 == pml_random_from(seed) % 8) {
            sched_yield();
        }
    }
    senders = mca_pml_champion_job_senders(&job, parts);
    while (MCA_PML_CHAMPION_JOB_BUSY ==
           mca_pml_champion_job_state(&job, parts)) {
        sched_yield();
    }
    if (MCA_PML_CHAMPION_JOB_MISSING ==
        mca_pml_champion_job_state(&job, parts)) {
        assert_int_equal(0, world.copied[parts - senders]);
        world.copied[parts - senders] = 1;
        mine = mca_pml_champion_job_copied(&job, 1, parts);
    }
    world.mine += mine;
    for (part = 0; part < parts; ++part) {
        assert_int_equal(part < parts - senders || (1 == world.copied[part] &&
                                                    part == parts - senders)
                             ? 1
                             : 2,
                         world.copied[part]);
    }
    *helped += 0 != senders;
}

UNIT_TEST(each_part_is_copied_once)
{
    uint64_t seed = pml_random(), theirs = pml_random(), helped = 0;
    pthread_t thread;

    world.fail_at = MESSAGES - MESSAGES / 8;
    mca_pml_champion_job_open(&job, 0, 0);
    assert_int_equal(0, pthread_create(&thread, NULL, sender, &theirs));
    for (uint32_t i = 1; i <= MESSAGES; ++i) {
        const uint32_t parts = 3 + pml_random_from(&seed) % (PARTS_MOST - 3);

        __atomic_store_n(&world.message, i, __ATOMIC_RELAXED);
        receive_one(&seed, parts, &helped);
    }
    __atomic_store_n(&world.done, 1, __ATOMIC_RELEASE);
    assert_int_equal(0, pthread_join(thread, NULL));
    print_message("the sender has helped with %llu of %d\n",
                  (unsigned long long) helped, MESSAGES);
    assert_true(helped > 0);
    /* Exactly one of them knows that its part was the last. */
    assert_int_equal(MESSAGES, world.mine + world.last);
}

int main(void)
{
    pml_random_begin();
    return unit_run(NULL, NULL);
}
