/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/peer/ctrl_msg.h"

#include <string.h>

#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/core/inflight.h"

/* A message that UCX is sending, from mca_pml_champion.pool. Over TCP UCX 1.23
 * completes none immediately. */
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

ucs_status_t mca_pml_champion_ctrl_msg_send(mca_pml_champion_peer_t *peer,
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
    ucp_ep_h ep;

    MCA_PML_CHAMPION_LOCKED();
    ep = NULL == peer->ep && NULL != peer->reply_ep
             ? peer->reply_ep
             : mca_pml_champion_peer_ep(peer);
    if (OPAL_UNLIKELY(NULL == ep)) {
        return UCS_ERR_NOT_CONNECTED; /* it asked without a reply endpoint */
    }
    control =
        opal_size_pool_alloc(&mca_pml_champion.pool, sizeof(*control) + length);
    if (OPAL_UNLIKELY(NULL == control)) {
        return UCS_ERR_NO_MEMORY;
    }
    control->length = length;
    memcpy(control->data, data, length);
    param.user_data = control;
    request = ucp_am_send_nbx(ep, id, NULL, 0, control->data, length, &param);
    mca_pml_champion_doorbell_ring(peer->doorbell);
    if (UCS_PTR_IS_PTR(request)) {
        mca_pml_champion_inflight_begin();
        mca_pml_champion_wake_tell();
        return UCS_OK; /* control_sent frees it */
    }
    control_free(control);
    return UCS_PTR_STATUS(request);
}

/* By id; NULL: not registered. */
static const mca_pml_champion_ctrl_msg_kind_t *kinds[MCA_PML_CHAMPION_AM_COUNT];

void mca_pml_champion_ctrl_msg_register(
    const mca_pml_champion_ctrl_msg_kind_t *kind)
{
    kinds[kind->id] = kind;
}

/* The sender, from the first bytes. False if the message does not name it. */
static bool name_of(const mca_pml_champion_ctrl_msg_kind_t *kind,
                    const void *bytes, size_t length, opal_process_name_t *name)
{
    const bool has_job = MCA_PML_CHAMPION_CTRL_MSG_BY_NAME == kind->by;
    uint32_t numbers[2];
    const size_t size = has_job ? sizeof(numbers) : sizeof(*numbers);

    if (MCA_PML_CHAMPION_CTRL_MSG_BY_NOBODY == kind->by || length < size) {
        return false;
    }
    memcpy(numbers, bytes, size);
    name->jobid = has_job ? numbers[0] : mca_pml_champion.my_jobid;
    name->vpid = numbers[has_job];
    return true;
}

static mca_pml_champion_ctrl_msg_verdict_t receive(
    const mca_pml_champion_ctrl_msg_kind_t *kind, ucp_ep_h reply_ep,
    const void *bytes, size_t length)
{
    mca_pml_champion_peer_t *peer = NULL;
    opal_process_name_t name;

    MCA_PML_CHAMPION_LOCKED();
    if (length < kind->least) {
        return MCA_PML_CHAMPION_CTRL_MSG_SHORT;
    }
    if (length > kind->most) {
        return MCA_PML_CHAMPION_CTRL_MSG_LONG;
    }
    if (name_of(kind, bytes, length, &name) &&
        !mca_pml_champion_ctrl_msg_is_name(&name)) {
        return MCA_PML_CHAMPION_CTRL_MSG_SENDER;
    }
    if (mca_pml_champion.finalizing && !kind->always) {
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD; /* dropped: endpoints are being
                                                    closed */
    }
    if (MCA_PML_CHAMPION_CTRL_MSG_BY_NOBODY != kind->by) {
        peer = mca_pml_champion_peer_find(&name);
        if (NULL == peer) {
            return MCA_PML_CHAMPION_CTRL_MSG_MEMORY;
        }
        if (NULL != reply_ep) {
            peer->reply_ep = reply_ep;
        }
    }
    return kind->handler(peer, bytes, length);
}

mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_ctrl_msg_receive(
    unsigned id, ucp_ep_h reply_ep, const void *bytes, size_t length)
{
    if (id >= MCA_PML_CHAMPION_AM_COUNT || NULL == kinds[id]) {
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    return receive(kinds[id], reply_ep, bytes, length);
}

/* The host of a process, if known here. */
static const char *host_of(const opal_process_name_t *name)
{
    const ompi_proc_t *proc = ompi_proc_find(name);
    const char *host =
        NULL == proc ? NULL : opal_get_proc_hostname(&proc->super);

    return NULL == host ? "unknown" : host;
}

void mca_pml_champion_ctrl_msg_refuse(
    const char *what, const opal_process_name_t *sender, size_t length,
    mca_pml_champion_ctrl_msg_verdict_t verdict)
{
    static const char *const reasons[MCA_PML_CHAMPION_CTRL_MSG_VERDICTS] = {
        [MCA_PML_CHAMPION_CTRL_MSG_SHORT] = "is too short",
        [MCA_PML_CHAMPION_CTRL_MSG_LONG] = "is too long",
        [MCA_PML_CHAMPION_CTRL_MSG_SENDER] =
            "names a sender that cannot have sent it",
        [MCA_PML_CHAMPION_CTRL_MSG_KIND] = "has a value without a meaning",
        [MCA_PML_CHAMPION_CTRL_MSG_ABSENT] =
            "names something that does not exist",
        [MCA_PML_CHAMPION_CTRL_MSG_MEMORY] = "cannot be handled: out of memory",
        [MCA_PML_CHAMPION_CTRL_MSG_UNANSWERED] =
            "cannot be answered: UCX refuses the answer",
    };
    const int error =
        MCA_PML_CHAMPION_CTRL_MSG_MEMORY == verdict       ? MPI_ERR_NO_MEM
        : MCA_PML_CHAMPION_CTRL_MSG_UNANSWERED == verdict ? MPI_ERR_OTHER
                                                          : MPI_ERR_INTERN;

    if (NULL == sender) {
        mca_pml_champion_abort(error,
                               "a %s message of %zu bytes from an unknown "
                               "process %s",
                               what, length, reasons[verdict]);
    } else {
        mca_pml_champion_abort(
            error, "a %s message of %zu bytes from %s (rank %u, host %s) %s",
            what, length, OPAL_NAME_PRINT(*sender), (unsigned) sender->vpid,
            host_of(sender), reasons[verdict]);
    }
}

/* UCX's callback; arg is the kind. */
static ucs_status_t am_control(void *arg, const void *header,
                               size_t header_length, void *data, size_t length,
                               const ucp_am_recv_param_t *param)
{
    const mca_pml_champion_ctrl_msg_kind_t *kind = arg;
    mca_pml_champion_ctrl_msg_verdict_t verdict;
    opal_process_name_t name;

    (void) header;
    (void) header_length;
    verdict = receive(kind,
                      param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP
                          ? param->reply_ep
                          : NULL,
                      data, length);
    if (OPAL_UNLIKELY(MCA_PML_CHAMPION_CTRL_MSG_GOOD != verdict)) {
        mca_pml_champion_ctrl_msg_refuse(
            kind->name, name_of(kind, data, length, &name) ? &name : NULL,
            length, verdict);
    }
    return UCS_OK;
}

int mca_pml_champion_ctrl_msg_listen(void)
{
    for (unsigned id = 0; id < MCA_PML_CHAMPION_AM_COUNT; ++id) {
        ucp_am_handler_param_t param = {
            .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                          UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                          UCP_AM_HANDLER_PARAM_FIELD_CB |
                          UCP_AM_HANDLER_PARAM_FIELD_ARG,
            .id = id,
            .flags = UCP_AM_FLAG_WHOLE_MSG,
            .cb = am_control,
            .arg = (void *) (uintptr_t) kinds[id],
        };

        if (NULL != kinds[id] &&
            UCS_OK != ucp_worker_set_am_recv_handler(mca_pml_champion.worker,
                                                     &param)) {
            return OMPI_ERROR;
        }
    }
    return OMPI_SUCCESS;
}
