/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/pml_champion_prefetch.h"

#include <sys/mman.h>

#include "opal/class/opal_buddy.h"
#include "opal/util/show_help.h"

#include "ompi/mca/pml/champion/pml_champion_deliver.h"
#include "ompi/mca/pml/champion/pml_champion_wake.h"

#define HELP "help-mpi-pml-champion.txt"

static struct {
    void *memory; /* the pool's area, or NULL: off */
    ucp_mem_h handle;
    opal_buddy_t pool; /* slots of that area */
    size_t used_max;   /* its high-water mark, bytes */
    uint64_t fetching; /* fetches that are under way */
} prefetch;

/* Registered once, so that fetching into it never is slowed down by that. The
 * memory is the process's own: what UCX would allocate for sharing may come
 * from a small file system. */
static ucs_status_t pool_map(void *area, size_t length)
{
    ucp_mem_map_params_t params = {
        .field_mask =
            UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
        .address = area,
        .length = length,
    };

    return ucp_mem_map(mca_pml_champion.context, &params, &prefetch.handle);
}

/* One more prefetch of a peer's was complete before its receive came, or not.
 */
static void learn(mca_pml_champion_peer_t *peer, bool useful)
{
    const unsigned window = mca_pml_champion.params.prefetch_window;

    if (peer->prefetches < window) {
        ++peer->prefetches;
    }
    peer->prefetch_history = peer->prefetch_history << 1 | useful;
    if (window < MCA_PML_CHAMPION_PREFETCH_WINDOW_MAX) {
        peer->prefetch_history &= ((uint64_t) 1 << window) - 1;
    }
    if (useful) {
        ++mca_pml_champion.counters.prefetch_useful;
    } else {
        ++mca_pml_champion.counters.prefetch_late;
    }
}

/* Does what happened to a peer's last messages speak for one more? */
static bool is_promising(mca_pml_champion_peer_t *peer)
{
    const mca_pml_champion_params_t *params = &mca_pml_champion.params;
    unsigned useful;

    if (peer->prefetches < params->prefetch_window) {
        return true;
    }
    useful = (unsigned) __builtin_popcountll(peer->prefetch_history);
    if (100 * useful >= params->prefetch_threshold * params->prefetch_window) {
        return true;
    }
    if (++peer->prefetches_declined >= params->prefetch_window) {
        peer->prefetches_declined = 0;
        return true;
    }
    return false;
}

/* A slot for a message that is to be prefetched; NULL if it is not. */
static void *slot_for(const mca_pml_champion_message_t *message)
{
    mca_pml_champion_counters_t *counters = &mca_pml_champion.counters;
    void *slot;

    if (message->length > mca_pml_champion.params.prefetch_largest) {
        return NULL;
    }
    if (!is_promising(message->peer)) {
        ++counters->prefetch_declined;
        return NULL;
    }
    slot = opal_buddy_alloc(&prefetch.pool, message->length);
    if (NULL == slot) {
        ++counters->prefetch_full;
    } else if (prefetch.pool.used > prefetch.used_max) {
        prefetch.used_max = prefetch.pool.used;
    }
    return slot;
}

/* The data of a message that was matched meanwhile are there, or will never
 * be. Its status has been filled in. */
static void awaited_end(mca_pml_champion_message_t *message, bool arrived)
{
    mca_pml_champion_recv_t *recv = message->entry.link[0];

    if (OPAL_LIKELY(arrived)) {
        mca_pml_champion_unpack(recv, message->payload, message->length);
    } else {
        mca_pml_champion_recv_fail(recv, MPI_ERR_OTHER);
    }
    mca_pml_champion_recv_complete(recv);
    mca_pml_champion_message_free(message);
}

static void fetch_end(mca_pml_champion_message_t *message, ucs_status_t status)
{
    void *slot = message->payload;

    --prefetch.fetching;
    if (MCA_PML_CHAMPION_FETCHING == message->kind) {
        if (OPAL_LIKELY(UCS_OK == status)) {
            message->kind = MCA_PML_CHAMPION_PREFETCHED;
            learn(message->peer, true);
            return;
        }
        message->kind = MCA_PML_CHAMPION_LOST;
    } else if (MCA_PML_CHAMPION_AWAITED == message->kind) {
        awaited_end(message, UCS_OK == status);
    } else {
        mca_pml_champion_message_free(message);
    }
    opal_buddy_free(&prefetch.pool, slot);
}

static void fetch_done(void *request, ucs_status_t status, size_t length,
                       void *message)
{
    (void) length;
    ucp_request_free(request);
    fetch_end(message, status);
}

void mca_pml_champion_prefetch(mca_pml_champion_message_t *message)
{
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                        UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMH |
                        mca_pml_champion.memory_attr,
        .cb.recv_am = fetch_done,
        .user_data = message,
        .memory_type = UCS_MEMORY_TYPE_HOST,
        .memh = prefetch.handle,
    };
    void *descriptor = message->payload;
    void *slot = NULL != prefetch.memory ? slot_for(message) : NULL;
    ucs_status_ptr_t request;

    MCA_PML_CHAMPION_LOCKED();
    if (NULL == slot) {
        return;
    }
    ++mca_pml_champion.counters.prefetched;
    ++prefetch.fetching;
    message->payload = slot;
    message->kind = MCA_PML_CHAMPION_FETCHING;
    request = ucp_am_recv_data_nbx(mca_pml_champion.worker, descriptor, slot,
                                   message->length, &param);
    if (!UCS_PTR_IS_PTR(request)) {
        fetch_end(message, UCS_PTR_STATUS(request));
        return;
    }
    mca_pml_champion_wake_tell();
}

/* A message that is FETCHING was matched: its receive is complete when the data
 * are there. */
static void fetching_deliver(mca_pml_champion_arrival_t *arrival,
                             mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_message_t *message = arrival->message;

    learn(message->peer, false);
    message->kind = MCA_PML_CHAMPION_AWAITED;
    message->entry.link[0] = recv;
    arrival->kept = true;
    arrival->message = NULL;
}

static void fetching_drop(mca_pml_champion_arrival_t *arrival)
{
    arrival->message->kind = MCA_PML_CHAMPION_ABANDONED;
    arrival->message = NULL;
}

static void prefetched_drop(mca_pml_champion_arrival_t *arrival)
{
    opal_buddy_free(&prefetch.pool, (void *) (uintptr_t) arrival->payload);
}

static void lost_deliver(mca_pml_champion_arrival_t *arrival,
                         mca_pml_champion_recv_t *recv)
{
    (void) arrival;
    mca_pml_champion_recv_fail(recv, MPI_ERR_OTHER);
    mca_pml_champion_recv_complete(recv);
}

static void payloads_open(void)
{
    mca_pml_champion_payload_ops_t *payloads = mca_pml_champion_payloads;

    payloads[MCA_PML_CHAMPION_PREFETCHED].drop = prefetched_drop;
    payloads[MCA_PML_CHAMPION_FETCHING] =
        (mca_pml_champion_payload_ops_t){fetching_deliver, fetching_drop};
    payloads[MCA_PML_CHAMPION_LOST].deliver = lost_deliver;
}

int mca_pml_champion_prefetch_init(void)
{
    size_t length = opal_buddy_usable(mca_pml_champion.params.prefetch_pool);
    ucs_status_t status;
    void *area;

    if (!mca_pml_champion.params.prefetch) {
        return OMPI_SUCCESS;
    }
    area = mmap(NULL, length, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    status = MAP_FAILED == area ? UCS_ERR_NO_MEMORY : pool_map(area, length);
    if (UCS_OK != status) {
        opal_show_help(HELP, "prefetch pool", true, length,
                       ucs_status_string(status));
    } else if (OPAL_SUCCESS == opal_buddy_init(&prefetch.pool, area, length)) {
        prefetch.memory = area;
        payloads_open();
        return OMPI_SUCCESS;
    } else {
        ucp_mem_unmap(mca_pml_champion.context, prefetch.handle);
    }
    if (MAP_FAILED != area) {
        munmap(area, length);
    }
    return OMPI_ERR_OUT_OF_RESOURCE;
}

void mca_pml_champion_prefetch_fini(void)
{
    if (NULL == prefetch.memory) {
        return;
    }
    ucp_mem_unmap(mca_pml_champion.context, prefetch.handle);
    munmap(prefetch.memory,
           opal_buddy_usable(mca_pml_champion.params.prefetch_pool));
    opal_buddy_fini(&prefetch.pool);
    prefetch.memory = NULL;
}

bool mca_pml_champion_prefetch_is_busy(void)
{
    return 0 != prefetch.fetching;
}

size_t mca_pml_champion_prefetch_used_max(void)
{
    MCA_PML_CHAMPION_LOCKED();
    return prefetch.used_max;
}
