/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/pml_champion_control.h"

#include <string.h>

#include "ompi/mca/pml/champion/pml_champion_wake.h"
#include "ompi/mca/pml/champion/pml_champion_inflight.h"

/* A message until UCX has sent it, from mca_pml_champion.pool. UCX 1.23 sends
 * none at once over TCP. */
typedef struct control_t {
    size_t length;
    unsigned char data[];
} control_t;

static void control_free(control_t *control)
{
    opal_size_pool_free(&mca_pml_champion.pool, control,
                        sizeof(*control) + control->length);
}

static void control_sent(void *request, ucs_status_t status, void *control)
{
    (void) status;
    control_free(control);
    ucp_request_free(request);
    mca_pml_champion_inflight_end();
}

ucs_status_t mca_pml_champion_control_send(const mca_pml_champion_peer_t *peer,
                                           unsigned id, const void *data,
                                           size_t length, uint32_t flags)
{
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                        UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS,
        .flags = flags,
        .cb.send = control_sent,
    };
    ucs_status_ptr_t request;
    control_t *control;

    MCA_PML_CHAMPION_LOCKED();
    control =
        opal_size_pool_alloc(&mca_pml_champion.pool, sizeof(*control) + length);
    if (OPAL_UNLIKELY(NULL == control)) {
        return UCS_ERR_NO_MEMORY;
    }
    control->length = length;
    memcpy(control->data, data, length);
    param.user_data = control;
    request = ucp_am_send_nbx(NULL != peer->ep ? peer->ep : peer->reply_ep, id,
                              NULL, 0, control->data, length, &param);
    mca_pml_champion_doorbell_ring(peer->doorbell);
    if (UCS_PTR_IS_PTR(request)) {
        mca_pml_champion_inflight_begin();
        mca_pml_champion_wake_tell();
        return UCS_OK; /* control_sent gives it back */
    }
    control_free(control);
    return UCS_PTR_STATUS(request);
}
