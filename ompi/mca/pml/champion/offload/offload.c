/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Receive offload: parameters, beginning and end.
 */

#include "ompi/mca/pml/champion/offload/offload.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/offload/outstanding.h"
#include "ompi/mca/pml/champion/core/datatype.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"
#include "ompi/mca/pml/champion/match/request.h"

#define OFFLOAD mca_pml_champion_offload
#define OUTSTANDING mca_pml_champion_outstanding

mca_pml_champion_offload_t mca_pml_champion_offload;
mca_pml_champion_outstanding_t mca_pml_champion_outstanding;

bool mca_pml_champion_offload_register(void)
{
    static const mca_base_var_enum_value_t modes[] = {
        {MCA_PML_CHAMPION_OFFLOAD_OFF, "off"},
        {MCA_PML_CHAMPION_OFFLOAD_AUTO, "auto"},
        {MCA_PML_CHAMPION_OFFLOAD_ALWAYS, "always"},
        {0, NULL},
    };
    bool good;

    OFFLOAD.mode = MCA_PML_CHAMPION_OFFLOAD_AUTO;
    OFFLOAD.cancel_limit = 50;
    OFFLOAD.min = 16384;
    good = OMPI_SUCCESS ==
           mca_mq_base_param_enum(
               mca_pml_champion.component, "offload",
               "Hand large contiguous receives to UCX's tag matching when "
               "they are posted, so that adapters with hardware tag matching "
               "can receive their data while the program computes. off: "
               "never; auto: if hardware tag matching is enabled in UCX "
               "(UCX_RC_MLX5_TM_ENABLE or UCX_DC_MLX5_TM_ENABLE is y) and "
               "offload is expected to pay off; always: each receive whose "
               "message is known in advance",
               OPAL_INFO_LVL_4, modes, &OFFLOAD.mode);
    good &= mca_pml_champion_param_uint(
        "offload_cancel_limit",
        "Highest percentage of offloaded receives that may be cancelled, "
        "measured over 256 receives eligible for offload. Above it, none is "
        "offloaded until the next measurement begins. 100: no limit",
        OPAL_INFO_LVL_9, 0, 100, &OFFLOAD.cancel_limit);
    good &= mca_pml_champion_param_size(
        "offload_min",
        "Smallest receive, in bytes, that is offloaded, and smallest message "
        "that peers are asked to send for offload",
        OPAL_INFO_LVL_9, 1, (size_t) 1 << 30, &OFFLOAD.min);
    good &= OMPI_SUCCESS ==
            mca_mq_base_param_string(
                mca_pml_champion.component, "test_tag_ops",
                "For testing: a shared library that stands in for adapters "
                "with hardware tag matching. Empty: use UCX",
                OPAL_INFO_LVL_9, &OFFLOAD.test_ops);
    return good;
}

static bool wanted(void)
{
    bool test = NULL != OFFLOAD.test_ops && '\0' != *OFFLOAD.test_ops;

    return MCA_PML_CHAMPION_OFFLOAD_ALWAYS == OFFLOAD.mode ||
           (MCA_PML_CHAMPION_OFFLOAD_AUTO == OFFLOAD.mode &&
            (test || mca_pml_champion_tag_ops_enabled()));
}

static size_t layout_capacity(const void *layout)
{
    return ((const mca_pml_champion_layout_t *) layout)->limit;
}

static void layout_unpack(void *layout, size_t offset, const void *data,
                          size_t length)
{
    mca_pml_champion_layout_unpack(layout, offset, data, length);
}

static int ops_open(void)
{
    const mca_pml_champion_tag_self_t self = {
        .jobid = OPAL_PROC_MY_NAME.jobid,
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .job_size = ompi_proc_world_size(),
        .unpack = layout_unpack,
        .capacity = layout_capacity,
    };

    OFFLOAD.ops = mca_pml_champion_tag_ops_get(OFFLOAD.test_ops);
    if (NULL == OFFLOAD.ops ||
        (NULL != OFFLOAD.ops->open && 0 != OFFLOAD.ops->open(&self))) {
        OFFLOAD.ops = NULL;
        return OMPI_ERR_NOT_AVAILABLE;
    }
    return OMPI_SUCCESS;
}

/* A peer asks for large messages by tag. */
static mca_pml_champion_ctrl_msg_verdict_t on_invite(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length)
{
    mca_pml_champion_streams_t *streams = peer->offload.out_streams;
    mca_pml_champion_invitation_t invitation;

    MCA_PML_CHAMPION_LOCKED();
    (void) length;
    memcpy(&invitation, bytes, sizeof(invitation));
    if (0 == invitation.index ||
        invitation.index >= MCA_PML_CHAMPION_TAG_INDICES) {
        return MCA_PML_CHAMPION_CTRL_MSG_ABSENT;
    }
    if (!OFFLOAD.on) {
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD; /* other parameters here */
    }
    if (NULL != streams) {
        /* It changes or revokes its request. Streams are still counted. */
        streams->min = invitation.min;
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
    }
    streams = mca_pml_champion_streams_new(invitation.index);
    if (NULL == streams) {
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD; /* its messages are sent
                                                    without tags */
    }
    streams->min = invitation.min;
    peer->offload.out_streams = streams;
    peer->offload.next_receiver = OFFLOAD.receivers;
    OFFLOAD.receivers = peer;
    peer->slow_sends = true;
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

int mca_pml_champion_offload_open(void)
{
    static const mca_pml_champion_ctrl_msg_kind_t kind = {
        .id = MCA_PML_CHAMPION_AM_INVITE,
        .name = "INVITE",
        .least = sizeof(mca_pml_champion_invitation_t),
        .most = sizeof(mca_pml_champion_invitation_t),
        .by = MCA_PML_CHAMPION_CTRL_MSG_BY_VPID,
        .handler = on_invite,
    };
    int rc;

    mca_pml_champion_ctrl_msg_register(&kind);
    if (!wanted()) {
        return OMPI_SUCCESS;
    }
    rc = ops_open();
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    OFFLOAD.on = OUTSTANDING.on = mca_pml_champion_cost_models.on = true;
    mca_pml_champion.slow_arrivals = mca_pml_champion.slow_calls = true;
    OFFLOAD.next_index = 1; /* tags are not 0 */
    return OMPI_SUCCESS;
}

/* Progress of a test library; UCX's is made elsewhere. */
static int ops_progress(void)
{
    mca_pml_champion_request_t *completed;
    int events;

    if (!mca_pml_champion.threaded && mca_pml_champion.in_progress) {
        return 0;
    }
    mca_pml_champion_lock();
    events = OFFLOAD.ops->progress();
    completed = mca_pml_champion_request_pop_all();
    mca_pml_champion_unlock();
    mca_pml_champion_request_complete_all(completed);
    return events;
}

int mca_pml_champion_offload_start(void)
{
    return OFFLOAD.on && NULL != OFFLOAD.ops->progress
               ? opal_progress_register(ops_progress)
               : OMPI_SUCCESS;
}

void mca_pml_champion_offload_stop(void)
{
    if (OFFLOAD.on && NULL != OFFLOAD.ops->progress) {
        (void) opal_progress_unregister(ops_progress);
    }
}

static void streams_fini(void)
{
    mca_pml_champion_peer_t *peer;

    while (NULL != (peer = OFFLOAD.receivers)) {
        OFFLOAD.receivers = peer->offload.next_receiver;
        mca_pml_champion_streams_free(peer->offload.out_streams);
        peer->offload.out_streams = NULL;
        peer->slow_sends = false;
    }
    while (NULL != (peer = OFFLOAD.senders)) {
        OFFLOAD.senders = peer->offload.next_sender;
        mca_pml_champion_streams_free(peer->offload.in_streams);
        peer->offload.in_streams = NULL;
    }
}

void mca_pml_champion_offload_fini(void)
{
    if (NULL == OFFLOAD.ops) {
        return;
    }
    streams_fini();
    if (NULL != OFFLOAD.ops->close) {
        OFFLOAD.ops->close();
    }
    OFFLOAD.ops = NULL;
    OFFLOAD.on = OUTSTANDING.on = mca_pml_champion.slow_calls = false;
    mca_pml_champion_offload_hooks = (mca_pml_champion_offload_hooks_t){NULL};
}

void mca_pml_champion_offload_broken(const char *what, uint64_t tag)
{
    mca_pml_champion_abort(MPI_ERR_INTERN,
                           "receive offload: %s message %u of stream %u, "
                           "sender index %u",
                           what, mca_pml_champion_tag_number(tag),
                           mca_pml_champion_tag_stream(tag),
                           mca_pml_champion_tag_index(tag));
}
