/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/offload/transfer.h"

#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"
#include "ompi/mca/pml/champion/core/inflight.h"

/* UCX may call back from within the call that begins a transfer, and return its
 * request nevertheless. The transfer must not be touched then, as it may be
 * freed. A callback may begin other transfers; so the active calls are a list,
 * the innermost first. */
typedef struct call_t {
    const mca_pml_champion_transfer_t *transfer; /* NULL: ended */
    struct call_t *outer;
} call_t;

static call_t *calls;

bool (*mca_pml_champion_transfer_otherwise)(
    mca_pml_champion_transfer_t *transfer,
    const mca_pml_champion_source_t *source, void *buffer, size_t count,
    const ucp_request_param_t *param);

void (*mca_pml_champion_transfer_by_address)(
    mca_pml_champion_transfer_t *transfer,
    const mca_pml_champion_source_t *source, void *buffer,
    const ucp_request_param_t *param);

void mca_pml_champion_transfer_end(mca_pml_champion_transfer_t *transfer,
                                   ucs_status_t status)
{
    call_t *call;

    MCA_PML_CHAMPION_LOCKED();
    for (call = calls; NULL != call; call = call->outer) {
        if (transfer == call->transfer) {
            call->transfer = NULL;
        }
    }
    if (transfer->measured) {
        mca_pml_champion_cost_model_ends();
    }
    transfer->on_end(transfer, status);
}

static void on_rendezvous_end(void *request, ucs_status_t status, size_t length,
                              void *transfer)
{
    (void) length;
    ucp_request_free(request);
    mca_pml_champion_fetch_end();
    mca_pml_champion_transfer_end(transfer, status);
}

static void on_tagged_end(void *request, ucs_status_t status,
                          const ucp_tag_recv_info_t *info, void *transfer)
{
    (void) info;
    mca_pml_champion_offload.ops->free(request);
    mca_pml_champion_transfer_end(transfer, status);
}

static ucs_status_ptr_t rendezvous_begin(
    const mca_pml_champion_source_t *source, void *buffer, size_t count,
    ucp_request_param_t *param)
{
    ucs_status_ptr_t request;

    param->cb.recv_am = on_rendezvous_end;
    request = ucp_am_recv_data_nbx(mca_pml_champion.worker, source->descriptor,
                                   buffer, count, param);
    if (UCS_PTR_IS_PTR(request)) {
        mca_pml_champion_fetch_begin();
    }
    return request;
}

static ucs_status_ptr_t tagged_begin(const mca_pml_champion_source_t *source,
                                     void *buffer, size_t count,
                                     ucp_request_param_t *param)
{
    param->cb.recv = on_tagged_end;
    return mca_pml_champion_offload.ops->recv(mca_pml_champion.worker, buffer,
                                              count, source->tag, param);
}

void *mca_pml_champion_transfer_begin(mca_pml_champion_transfer_t *transfer,
                                      const mca_pml_champion_source_t *source,
                                      void *buffer, size_t count,
                                      ucp_request_param_t *param)
{
    call_t call = {.transfer = transfer, .outer = calls};
    ucs_status_ptr_t request;

    MCA_PML_CHAMPION_LOCKED();
    param->op_attr_mask |= UCP_OP_ATTR_FIELD_CALLBACK |
                           UCP_OP_ATTR_FIELD_USER_DATA |
                           mca_pml_champion.memory_attr;
    param->user_data = transfer;
    param->memory_type = UCS_MEMORY_TYPE_HOST;
    transfer->measured =
        NULL != source->peer && mca_pml_champion_cost_models.on;
    if (transfer->measured) {
        mca_pml_champion_cost_model_begins(source->peer, source->length);
    }
    if (0 != source->address) {
        mca_pml_champion_transfer_by_address(transfer, source, buffer, param);
        return transfer;
    }
    if (NULL != mca_pml_champion_transfer_otherwise &&
        mca_pml_champion_transfer_otherwise(transfer, source, buffer, count,
                                            param)) {
        return transfer;
    }
    calls = &call;
    request = NULL != source->descriptor
                  ? rendezvous_begin(source, buffer, count, param)
                  : tagged_begin(source, buffer, count, param);
    calls = call.outer;
    if (!UCS_PTR_IS_PTR(request)) {
        mca_pml_champion_transfer_end(transfer, UCS_PTR_STATUS(request));
        return NULL;
    }
    return NULL != call.transfer ? request : NULL;
}
