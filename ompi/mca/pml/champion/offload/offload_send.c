/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receive offload at the sender: the envelope as active message, then the data
 * under a tag. Which of the two comes first does not matter.
 */

#include "ompi/mca/pml/champion/offload/offload_send.h"

#include "ompi/mca/pml/champion/core/inflight.h"

bool mca_pml_champion_offload_wants(const mca_pml_champion_send_t *send,
                                    const mca_pml_champion_peer_t *peer)
{
    const size_t limit = mca_pml_champion.params.eager_limit;

    MCA_PML_CHAMPION_LOCKED();
    return NULL != peer->offload.out_streams && send->contiguous &&
           send->length >= peer->offload.out_streams->min &&
           (MCA_PML_CHAMPION_EAGER_AUTO == limit || send->length > limit);
}

bool mca_pml_champion_offload_tag(mca_pml_champion_send_t *send,
                                  uint32_t context, int tag,
                                  const mca_pml_champion_peer_t *peer)
{
    const mca_pml_champion_out_stream_t *stream;

    MCA_PML_CHAMPION_LOCKED();
    stream = mca_pml_champion_out_stream_get(peer->offload.out_streams, context,
                                             tag);
    if (NULL == stream) {
        return false;
    }
    send->header.token = mca_pml_champion_tag_pack(
        peer->offload.out_streams->index, stream->id, stream->next_number);
    return true;
}

static void on_tagged_send_end(void *request, ucs_status_t status, void *arg)
{
    mca_pml_champion_send_t *send = arg;

    mca_pml_champion_offload.ops->free(request);
    if (OPAL_UNLIKELY(UCS_OK != status)) {
        send->error = MPI_ERR_OTHER;
    }
    mca_pml_champion_send_event(send);
}

/* The envelope is sent; an error of the data is an error of the send. */
static void data_send(mca_pml_champion_send_t *send,
                      const mca_pml_champion_peer_t *peer,
                      const ucp_request_param_t *param)
{
    ucp_request_param_t tagged = *param;
    ucs_status_ptr_t request;

    tagged.op_attr_mask &= ~UCP_OP_ATTR_FIELD_FLAGS;
    tagged.cb.send = on_tagged_send_end;
    request = mca_pml_champion_offload.ops->send(
        peer->ep, peer->name.vpid, send->data, send->length, send->header.token,
        send->sync, &tagged);
    if (UCS_PTR_IS_PTR(request)) {
        return;
    }
    --send->pending;
    if (UCS_PTR_IS_ERR(request)) {
        opal_output(0, "champion: sending %zu bytes to %s by tag failed: %s",
                    send->length, OPAL_NAME_PRINT(peer->name),
                    ucs_status_string(UCS_PTR_STATUS(request)));
        send->error = MPI_ERR_OTHER;
    }
}

ucs_status_ptr_t mca_pml_champion_offload_send(mca_pml_champion_send_t *send,
                                               mca_pml_champion_peer_t *peer,
                                               const ucp_request_param_t *param)
{
    ucp_request_param_t envelope = *param;
    ucs_status_ptr_t request;

    MCA_PML_CHAMPION_LOCKED();
    envelope.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
    envelope.flags = UCP_AM_SEND_FLAG_EAGER;
    send->pending = 2;
    send->tagged = (mca_pml_champion_tagged_t){
        .length = send->length,
        .sync = send->sync,
    };
    request = ucp_am_send_nbx(peer->ep, MCA_PML_CHAMPION_AM_TAGGED,
                              &send->header, sizeof(send->header),
                              &send->tagged, sizeof(send->tagged), &envelope);
    if (UCS_PTR_IS_PTR(request)) {
        mca_pml_champion_inflight_begin();
    }
    mca_pml_champion_doorbell_ring(peer->doorbell);
    if (!UCS_PTR_IS_ERR(request)) {
        data_send(send, peer, param);
    }
    return request;
}
