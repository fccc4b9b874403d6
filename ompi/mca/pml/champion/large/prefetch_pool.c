/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/large/prefetch_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include "opal/class/opal_buddy.h"
#include "opal/runtime/opal_progress.h"

#include "ompi/mca/mq/base/param/param.h"

#include "ompi/mca/pml/champion/large/address_space.h"
#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/match/backlog.h"

#define BACKLOG mca_pml_champion_backlog

/* Pool size with "auto": POOL_MAX bytes, or one POOL_SHARE-th of the process's
 * share of the node's memory if that is less. */
#define POOL_MAX ((uint64_t) 64 << 20)
#define POOL_SHARE 100

/* Of the limit of unexpected messages: what the pool may take, and what own
 * slots may take together. */
#define LIMIT_SHARE 4

/* After so long without a slot in use the pool is given back. Making it anew
 * takes some 20 ms (64 MiB, a page fault for each page): less than 1/200. */
#define IDLE_NS ((uint64_t) 5000000000)

static struct {
    void *memory;   /* the pool, or NULL: there is none now. Atomic */
    bool sized;     /* length and largest are valid */
    bool refused;   /* the pool could not be made */
    size_t length;  /* of the pool, bytes */
    size_t largest; /* of a message with a slot of the pool, bytes */
    ucp_mem_h handle;
    opal_buddy_t buddy;  /* the slots of the pool */
    size_t own;          /* bytes of own slots */
    size_t used_max;     /* high-water mark of both, bytes */
    uint64_t idle_since; /* time at which the last slot of the pool was freed,
                            ns; 0: some are in use. Atomic */
    bool registered;     /* opal_progress calls look */
} slots;

/* ---- the pool ----------------------------------------------------------- */

/* The memory is private: shared memory allocated by UCX may come from a small
 * file system. */
static ucs_status_t pool_map(void *area, size_t length)
{
    ucp_mem_map_params_t params = {
        .field_mask =
            UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
        .address = area,
        .length = length,
    };

    return ucp_mem_map(mca_pml_champion.context, &params, &slots.handle);
}

/* A modest share of the node's memory. */
static uint64_t auto_length(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    uint64_t share;

    if (pages <= 0 || page <= 0) {
        return POOL_MAX;
    }
    share = (uint64_t) pages * (uint64_t) page /
            (opal_process_info.num_local_peers + 1u) / POOL_SHARE;
    return share < POOL_MAX ? share : POOL_MAX;
}

static size_t pool_length(void)
{
    uint64_t wanted = mca_pml_champion.params.prefetch_pool;

    if (MCA_MQ_BASE_SIZE_AUTO == wanted) {
        wanted = auto_length();
    }
    if (wanted > BACKLOG.limit / LIMIT_SHARE) {
        wanted = BACKLOG.limit / LIMIT_SHARE;
    }
    return opal_buddy_usable(wanted);
}

static void set_sizes(void)
{
    if (!slots.sized) {
        slots.sized = true;
        slots.length = pool_length();
        slots.largest = slots.length / 2;
        slots.refused = 0 == slots.length;
    }
}

/* May so much more be taken for unexpected messages? */
static bool limit_allows(size_t bytes)
{
    return mca_pml_champion_backlog_bytes() <= BACKLOG.limit &&
           bytes <= BACKLOG.limit - mca_pml_champion_backlog_bytes();
}

static int look(void);

static ucs_status_t pool_make(void)
{
    ucs_status_t status;
    void *area;

    if (!mca_pml_champion_address_space_allows(slots.length)) {
        return UCS_ERR_NO_MEMORY;
    }
    area = mmap(NULL, slots.length, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (MAP_FAILED == area) {
        return UCS_ERR_NO_MEMORY;
    }
    status = pool_map(area, slots.length);
    if (UCS_OK == status &&
        OPAL_SUCCESS != opal_buddy_init(&slots.buddy, area, slots.length)) {
        ucp_mem_unmap(mca_pml_champion.context, slots.handle);
        status = UCS_ERR_NO_MEMORY;
    }
    if (UCS_OK != status) {
        munmap(area, slots.length);
        return status;
    }
    BACKLOG.other += slots.length;
    __atomic_store_n(&slots.memory, area, __ATOMIC_RELAXED);
    if (!slots.registered) {
        slots.registered = OPAL_SUCCESS == opal_progress_register_lp(look);
    }
    return UCS_OK;
}

static void pool_unmake(void)
{
    void *area = slots.memory;

    __atomic_store_n(&slots.idle_since, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&slots.memory, NULL, __ATOMIC_RELAXED);
    opal_buddy_fini(&slots.buddy);
    ucp_mem_unmap(mca_pml_champion.context, slots.handle);
    munmap(area, slots.length);
    BACKLOG.other -= slots.length;
}

/* Failure is reported by a line, not by a help text, which cannot be shown from
 * a UCX callback or from the progress thread. */
static void report(ucs_status_t status)
{
    opal_output(0,
                "champion: no messages are prefetched by %s: a pool of %zu "
                "bytes (parameter pml_champion_prefetch_pool) cannot be "
                "allocated or registered with the network (ulimit -l): %s",
                OPAL_NAME_PRINT(OPAL_PROC_MY_NAME), slots.length,
                ucs_status_string(status));
}

static bool pool_have(void)
{
    ucs_status_t status;

    if (OPAL_LIKELY(NULL != slots.memory)) {
        return true;
    }
    if (slots.refused || !limit_allows(slots.length)) {
        return false;
    }
    status = pool_make();
    if (UCS_OK != status) {
        slots.refused = true;
        report(status);
    }
    return !slots.refused;
}

/* Give the pool back if it was not used for long. Called by opal_progress from
 * time to time, once there was a pool. */
static int look(void)
{
    uint64_t since = __atomic_load_n(&slots.idle_since, __ATOMIC_RELAXED);

    if (OPAL_LIKELY(0 == since) || mca_pml_champion_now() - since < IDLE_NS) {
        return 0;
    }
    mca_pml_champion_lock();
    if (since == slots.idle_since) {
        pool_unmake();
        if (0 != BACKLOG.stopped) {
            mca_pml_champion_backlog_ask();
        }
    }
    mca_pml_champion_unlock();
    return 0;
}

/* ---- slots -------------------------------------------------------------- */

static bool is_of_pool(const void *slot)
{
    return NULL != slots.memory && (const char *) slot >= slots.buddy.area &&
           (const char *) slot < slots.buddy.area + slots.length;
}

static void *pool_get(size_t length)
{
    void *slot = opal_buddy_alloc(&slots.buddy, length);

    if (NULL != slot) {
        __atomic_store_n(&slots.idle_since, 0, __ATOMIC_RELAXED);
    }
    return slot;
}

static void pool_put(void *slot)
{
    opal_buddy_free(&slots.buddy, slot);
    if (0 == slots.buddy.used) {
        __atomic_store_n(&slots.idle_since, mca_pml_champion_now(),
                         __ATOMIC_RELAXED);
    }
}

/* Bytes that the system takes for a slot. */
static size_t own_length(size_t length)
{
    const size_t page = (size_t) sysconf(_SC_PAGESIZE);

    return (length + page - 1) / page * page;
}

static bool own_fits(size_t length)
{
    return length <= BACKLOG.limit / LIMIT_SHARE;
}

static void *own_get(size_t length)
{
    const size_t bytes = own_length(length);
    void *slot;

    if (!own_fits(slots.own + bytes) || !limit_allows(bytes) ||
        !mca_pml_champion_address_space_allows(bytes)) {
        return NULL;
    }
    slot = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (MAP_FAILED == slot) {
        return NULL;
    }
    slots.own += bytes;
    BACKLOG.other += bytes;
    return slot;
}

static void own_put(void *slot, size_t length)
{
    const size_t bytes = own_length(length);

    munmap(slot, bytes);
    slots.own -= bytes;
    BACKLOG.other -= bytes;
    if (0 != BACKLOG.stopped) {
        mca_pml_champion_backlog_ask();
    }
}

bool mca_pml_champion_prefetch_pool_fits(size_t length)
{
    MCA_PML_CHAMPION_LOCKED();
    set_sizes();
    return !slots.refused &&
           (length <= slots.largest || own_fits(own_length(length)));
}

void *mca_pml_champion_prefetch_pool_get(size_t length)
{
    void *slot = NULL;

    MCA_PML_CHAMPION_LOCKED();
    set_sizes();
    if (length > slots.largest) {
        slot = own_get(length);
    } else if (pool_have()) {
        slot = pool_get(length);
    }
    if (slots.buddy.used + slots.own > slots.used_max) {
        slots.used_max = slots.buddy.used + slots.own;
    }
    return slot;
}

void mca_pml_champion_prefetch_pool_put(void *slot, size_t length)
{
    MCA_PML_CHAMPION_LOCKED();
    if (is_of_pool(slot)) {
        pool_put(slot);
    } else {
        own_put(slot, length);
    }
}

bool mca_pml_champion_prefetch_pool_handle(const void *slot, ucp_mem_h *handle)
{
    MCA_PML_CHAMPION_LOCKED();
    *handle = slots.handle;
    return is_of_pool(slot);
}

size_t mca_pml_champion_prefetch_pool_used_max(void)
{
    MCA_PML_CHAMPION_LOCKED();
    return slots.used_max;
}

void mca_pml_champion_prefetch_pool_fini(void)
{
    if (slots.registered) {
        opal_progress_unregister(look);
        slots.registered = false;
    }
    if (NULL != slots.memory) {
        pool_unmake();
    }
}
