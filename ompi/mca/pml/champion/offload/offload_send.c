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

bool mca_pml_champion_offload_wants(const mca_pml_champion_send_t *send)
{
    const size_t limit = mca_pml_champion.params.eager_limit;

    MCA_PML_CHAMPION_LOCKED();
    return send->contiguous &&
           send->length >= send->peer->offload.out_streams->min &&
           (MCA_PML_CHAMPION_EAGER_AUTO == limit || send->length > limit);
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
                      const ucp_request_param_t *param)
{
    const mca_pml_champion_peer_t *peer = send->peer;
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

bool mca_pml_champion_offload_send(mca_pml_champion_send_t *send,
                                   const ucp_request_param_t *param,
                                   ucs_status_ptr_t *request)
{
    const mca_pml_champion_header_t *header = &send->header.super.super;
    mca_pml_champion_peer_t *peer = send->peer;
    mca_pml_champion_streams_t *streams = peer->offload.out_streams;
    const mca_pml_champion_stream_t *stream;
    ucp_request_param_t envelope = *param;

    MCA_PML_CHAMPION_LOCKED();
    stream =
        mca_pml_champion_out_stream_get(streams, header->context, header->tag);
    /* So far messages to this peer may have gone by rings alone. */
    if (NULL == stream || NULL == mca_pml_champion_peer_ep(peer)) {
        return false;
    }
    send->header.token = mca_pml_champion_tag_pack(streams->index, stream->id,
                                                   stream->next_number);
    envelope.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
    envelope.flags = UCP_AM_SEND_FLAG_EAGER;
    send->pending = 2;
    send->tagged = (mca_pml_champion_tagged_t){
        .length = send->length,
        .sync = send->sync,
    };
    *request = ucp_am_send_nbx(peer->ep, MCA_PML_CHAMPION_AM_TAGGED,
                               &send->header, sizeof(send->header),
                               &send->tagged, sizeof(send->tagged), &envelope);
    if (UCS_PTR_IS_PTR(*request)) {
        mca_pml_champion_inflight_begin();
    }
    mca_pml_champion_doorbell_ring(peer->doorbell);
    if (!UCS_PTR_IS_ERR(*request)) {
        data_send(send, param);
    }
    return true;
}
