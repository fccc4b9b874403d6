/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/stage.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "ompi/mca/pml/champion/core/unit.h"

/* The pool. Stages are taken by one thread at a time, under the lock, and
 * returned by any. Atomic. */
static mca_pml_champion_stage_t *pool;
static unsigned made;

static unsigned char *memory_map(void)
{
    void *memory =
        mmap(NULL, MCA_PML_CHAMPION_STAGE_BYTES, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (MAP_FAILED == memory) {
        return NULL;
    }
    mca_mq_ompi_page_lock(memory, MCA_PML_CHAMPION_STAGE_BYTES);
    return memory;
}

static mca_pml_champion_stage_t *stage_make(void)
{
    mca_pml_champion_stage_t *stage;

    if (made >= MCA_PML_CHAMPION_STAGES) {
        return NULL;
    }
    stage = malloc(sizeof(*stage));
    if (NULL == stage) {
        return NULL;
    }
    stage->data = memory_map();
    if (NULL == stage->data) {
        free(stage);
        return NULL;
    }
    ++made;
    return stage;
}

/* Take the first one of the pool. Meanwhile others may be put before it, but
 * none is taken, so that its successor stays the same. */
static mca_pml_champion_stage_t *pool_take(void)
{
    mca_pml_champion_stage_t *first = __atomic_load_n(&pool, __ATOMIC_ACQUIRE);

    while (NULL != first &&
           !__atomic_compare_exchange_n(&pool, &first, first->next, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
    }
    return first;
}

mca_pml_champion_stage_t *mca_pml_champion_stage_take(void)
{
    mca_pml_champion_stage_t *stage;

    MCA_PML_CHAMPION_LOCKED();
    stage = pool_take();
    if (NULL == stage) {
        stage = stage_make();
    }
    if (NULL != stage) {
        stage->begin = 0;
        stage->end = 0;
    }
    return stage;
}

void mca_pml_champion_stage_return(mca_pml_champion_stage_t *stage)
{
    stage->next = __atomic_load_n(&pool, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&pool, &stage->next, stage, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
}

/* None is in use. */
static void stages_close(void)
{
    mca_pml_champion_stage_t *stage;

    while (NULL != (stage = pool_take())) {
        mca_mq_ompi_page_unlock(stage->data);
        munmap(stage->data, MCA_PML_CHAMPION_STAGE_BYTES);
        free(stage);
        --made;
    }
}

MCA_PML_CHAMPION_UNIT(stages) = {.name = "stages", .close = stages_close};
