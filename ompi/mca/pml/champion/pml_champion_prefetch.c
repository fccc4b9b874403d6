/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/pml_champion_prefetch.h"

#include <sys/mman.h>

#include "opal/util/show_help.h"

#include "ompi/mca/pml/champion/pml_champion_deliver.h"
#include "ompi/mca/pml/champion/pml_champion_thread.h"

#define HELP "help-mpi-pml-champion.txt"

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

    return ucp_mem_map(mca_pml_champion.context, &params,
                       &mca_pml_champion.prefetch_handle);
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
    } else if (OPAL_SUCCESS ==
               opal_buddy_init(&mca_pml_champion.prefetch_pool, area, length)) {
        mca_pml_champion.prefetch_memory = area;
        return OMPI_SUCCESS;
    } else {
        ucp_mem_unmap(mca_pml_champion.context,
                      mca_pml_champion.prefetch_handle);
    }
    if (MAP_FAILED != area) {
        munmap(area, length);
    }
    return OMPI_ERR_OUT_OF_RESOURCE;
}

void mca_pml_champion_prefetch_fini(void)
{
    if (!mca_pml_champion_prefetch_is_on()) {
        return;
    }
    ucp_mem_unmap(mca_pml_champion.context, mca_pml_champion.prefetch_handle);
    munmap(mca_pml_champion.prefetch_memory,
           opal_buddy_usable(mca_pml_champion.params.prefetch_pool));
    opal_buddy_fini(&mca_pml_champion.prefetch_pool);
    mca_pml_champion.prefetch_memory = NULL;
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
    slot = opal_buddy_alloc(&mca_pml_champion.prefetch_pool, message->length);
    if (NULL == slot) {
        ++counters->prefetch_full;
    } else if (mca_pml_champion.prefetch_pool.used >
               mca_pml_champion.prefetch_used_max) {
        mca_pml_champion.prefetch_used_max =
            mca_pml_champion.prefetch_pool.used;
    }
    return slot;
}

void mca_pml_champion_prefetch_release(mca_pml_champion_message_t *message)
{
    opal_buddy_free(&mca_pml_champion.prefetch_pool, message->payload);
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

    --mca_pml_champion.prefetching;
    if (MCA_PML_CHAMPION_FETCHING == message->where) {
        if (OPAL_LIKELY(UCS_OK == status)) {
            message->where = MCA_PML_CHAMPION_PREFETCHED;
            learn(message->peer, true);
            return;
        }
        message->where = MCA_PML_CHAMPION_LOST;
    } else if (MCA_PML_CHAMPION_AWAITED == message->where) {
        awaited_end(message, UCS_OK == status);
    } else {
        mca_pml_champion_message_free(message);
    }
    opal_buddy_free(&mca_pml_champion.prefetch_pool, slot);
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
        .memh = mca_pml_champion.prefetch_handle,
    };
    void *descriptor = message->payload, *slot = slot_for(message);
    ucs_status_ptr_t request;

    if (NULL == slot) {
        return;
    }
    ++mca_pml_champion.counters.prefetched;
    ++mca_pml_champion.prefetching;
    message->payload = slot;
    message->where = MCA_PML_CHAMPION_FETCHING;
    request = ucp_am_recv_data_nbx(mca_pml_champion.worker, descriptor, slot,
                                   message->length, &param);
    if (!UCS_PTR_IS_PTR(request)) {
        fetch_end(message, UCS_PTR_STATUS(request));
        return;
    }
    mca_pml_champion_thread_tell();
}

void mca_pml_champion_prefetch_await(mca_pml_champion_message_t *message,
                                     mca_pml_champion_recv_t *recv)
{
    learn(message->peer, false);
    mca_pml_champion_recv_status(recv, &message->entry.envelope,
                                 message->length);
    message->where = MCA_PML_CHAMPION_AWAITED;
    message->entry.link[0] = recv;
}
