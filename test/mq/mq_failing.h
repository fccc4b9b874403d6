/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An allocator that fails when told to, for a component compiled with
 * -Dmalloc=mq_test_malloc -Dcalloc=mq_test_calloc.
 */

#ifndef TEST_MQ_FAILING_H
#define TEST_MQ_FAILING_H

#include <stddef.h>

/** Allocations that still succeed. */
extern unsigned mq_test_allocations_left;

void *mq_test_malloc(size_t size);
void *mq_test_calloc(size_t count, size_t size);

#endif /* TEST_MQ_FAILING_H */
