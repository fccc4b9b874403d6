/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "mq_failing.h"

#include <limits.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

unsigned mq_test_allocations_left, mq_test_allocations_failing = UINT_MAX;

static bool allocation_fails(void)
{
    if (mq_test_allocations_left > 0) {
        --mq_test_allocations_left;
        return false;
    }
    if (mq_test_allocations_failing == 0) {
        return false;
    }
    mq_test_allocations_failing -= mq_test_allocations_failing != UINT_MAX;
    return true;
}

/* realloc, posix_memalign and the system call are the real ones. */
void *mq_test_malloc(size_t size)
{
    return allocation_fails() ? NULL : realloc(NULL, size);
}

void *mq_test_calloc(size_t count, size_t size)
{
    void *memory = mq_test_malloc(count * size);

    return memory == NULL ? NULL : memset(memory, 0, count * size);
}

void *mq_test_aligned_alloc(size_t alignment, size_t size)
{
    void *memory;

    return allocation_fails() || posix_memalign(&memory, alignment, size) != 0
               ? NULL
               : memory;
}

void *mq_test_mmap(void *address, size_t length, int protection, int flags,
                   int file, off_t offset)
{
    return allocation_fails()
               ? MAP_FAILED
               : (void *) syscall(SYS_mmap, address, length, protection, flags,
                                  file, offset);
}

void mq_failing_set(mca_mq_entry_t *entry, int order, int32_t source,
                    int32_t tag)
{
    memset(entry, 0xa5, sizeof(*entry));
    entry->order = (uint64_t) order;
    entry->envelope = (mca_mq_envelope_t){0, source, tag};
}

static mca_mq_entry_t *make(void *arg)
{
    return arg;
}

void mq_failing_add(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                    mca_mq_entry_t *entry)
{
    assert_null(queue == MCA_MQ_POSTED
                    ? module->mq_post(module, entry)
                    : module->mq_arrive(module, &entry->envelope, make, entry));
}
