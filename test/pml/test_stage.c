/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <pthread.h>

#include "pml_test.h"

#include "ompi/mca/pml/champion/core/stage.h"
#include "ompi/mca/pml/champion/core/unit.h"

extern MCA_PML_CHAMPION_UNIT(stages);

enum { MOST = MCA_PML_CHAMPION_STAGES, THREADS = 3, ROUNDS = 20000 };

static mca_pml_champion_stage_t *take(void)
{
    mca_pml_champion_stage_t *stage;

    mca_pml_champion_lock();
    stage = mca_pml_champion_stage_take();
    mca_pml_champion_unlock();
    return stage;
}

UNIT_TEST(a_stage_is_empty_and_can_be_written)
{
    mca_pml_champion_stage_t *stage = take();

    assert_non_null(stage);
    memset(stage->data, 1, MCA_PML_CHAMPION_STAGE_BYTES);
    stage->begin = 5;
    stage->end = 7;
    mca_pml_champion_stage_return(stage);
    assert_ptr_equal(take(), stage);
    assert_int_equal(stage->begin, 0);
    assert_int_equal(stage->end, 0);
    mca_pml_champion_stage_return(stage);
    mca_pml_champion_unit_stages.close();
}

UNIT_TEST(there_are_so_many_and_no_more)
{
    mca_pml_champion_stage_t *stages[MOST];

    for (int i = 0; i < MOST; ++i) {
        stages[i] = take();
        assert_non_null(stages[i]);
        for (int k = 0; k < i; ++k) {
            assert_ptr_not_equal(stages[i]->data, stages[k]->data);
        }
    }
    assert_null(take());
    mca_pml_champion_stage_return(stages[3]);
    assert_ptr_equal(take(), stages[3]);
    assert_null(take());
    for (int i = 0; i < MOST; ++i) {
        mca_pml_champion_stage_return(stages[i]);
    }
    mca_pml_champion_unit_stages.close();
}

UNIT_TEST(after_the_end_they_can_be_made_again)
{
    for (int round = 0; round < 3; ++round) {
        there_are_so_many_and_no_more(unit_state);
    }
}

/* Whose turn it is to return a stage; NULL: nobody's. Atomic. */
static mca_pml_champion_stage_t *given[THREADS];
static bool ending;

static void *return_what_is_given(void *arg)
{
    mca_pml_champion_stage_t **mine = arg, *stage;

    while (!__atomic_load_n(&ending, __ATOMIC_ACQUIRE)) {
        stage = __atomic_exchange_n(mine, NULL, __ATOMIC_ACQ_REL);
        if (NULL != stage) {
            mca_pml_champion_stage_return(stage);
        }
    }
    return NULL;
}

UNIT_TEST(threads_return_what_one_takes)
{
    pthread_t threads[THREADS];
    unsigned got = 0;

    ending = false;
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(0, pthread_create(&threads[i], NULL,
                                           return_what_is_given, &given[i]));
    }
    for (int i = 0; i < ROUNDS; ++i) {
        mca_pml_champion_stage_t *stage = take(), *none = NULL;

        if (NULL == stage) {
            continue;
        }
        ++got;
        /* Nobody else has it. */
        assert_int_equal(stage->begin, 0);
        stage->begin = stage->end = (size_t) i + 1;
        if (!__atomic_compare_exchange_n(&given[i % THREADS], &none, stage,
                                         false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED)) {
            mca_pml_champion_stage_return(stage);
        }
    }
    __atomic_store_n(&ending, true, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(threads[i], NULL);
        if (NULL != given[i]) {
            mca_pml_champion_stage_return(given[i]);
            given[i] = NULL;
        }
    }
    assert_int_equal(got, ROUNDS);
    /* None is lost, none is there twice. */
    there_are_so_many_and_no_more(unit_state);
}

UNIT_MAIN(NULL, NULL)
