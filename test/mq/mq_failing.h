/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An allocator that fails when told to, for a component compiled with
 * -Dmalloc=mq_test_malloc and the like; and entries for it, without a domain.
 */

#ifndef TEST_MQ_FAILING_H
#define TEST_MQ_FAILING_H

#include "ompi_config.h"

#include "test/lib/unit.h"
#include "ompi/constants.h"
#include "ompi/mca/mq/mq.h"

/** Allocations that still succeed; those that fail then, after which all
 * succeed: UINT_MAX, with which it begins, for good. */
extern unsigned mq_test_allocations_left, mq_test_allocations_failing;

void *mq_test_malloc(size_t size);
void *mq_test_calloc(size_t count, size_t size);
void *mq_test_aligned_alloc(size_t alignment, size_t size);
void *mq_test_mmap(void *address, size_t length, int protection, int flags,
                   int file, off_t offset);

/** Poison an entry, but for these. */
void mq_failing_set(mca_mq_entry_t *entry, int order, int32_t source,
                    int32_t tag);

/** Insert an entry; nothing that is queued matches it. */
void mq_failing_add(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                    mca_mq_entry_t *entry);

/** The search for what matches an entry of this queue. */
static inline mca_mq_module_match_fn_t mq_failing_match(
    const mca_mq_base_module_t *module, mca_mq_queue_t queue)
{
    return queue == MCA_MQ_POSTED ? module->mq_match_posted
                                  : module->mq_match_unexpected;
}

#endif /* TEST_MQ_FAILING_H */
