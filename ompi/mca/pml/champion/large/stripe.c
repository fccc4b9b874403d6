/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/large/stripe.h"

#include <string.h>
#include <sys/resource.h>

#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"
#include "ompi/mca/pml/champion/large/stripe_recv.h"
#include "ompi/mca/pml/champion/large/stripe_send.h"

#define STRIPES mca_pml_champion_stripes
#define MOST MCA_PML_CHAMPION_STRIPES_MAX

/* Messages below this are not striped whatever the user says: parts of less
 * than 8 KiB would gain nothing. Last parts are not empty, either. */
#define LEAST ((size_t) 64 << 10)

static bool stripes_register(void)
{
    bool good;

    STRIPES.flows = MCA_PML_CHAMPION_FLOWS_AUTO;
    STRIPES.min = (size_t) 1 << 20;

    good = mca_pml_champion_param_auto_size(
        "flows",
        "Number of TCP connections, from 1 to 8, that carry a large message "
        "between two processes without another transport. auto: more than one "
        "between nodes, if measurements show that one does not fill the link",
        OPAL_INFO_LVL_4, 1, MOST, &STRIPES.flows);
    good &= mca_pml_champion_param_size(
        "flows_min",
        "Smallest message, in bytes, that several TCP connections carry",
        OPAL_INFO_LVL_9, LEAST, (size_t) 1 << 40, &STRIPES.min);
    return good;
}

/* UCX reads an address without knowing where it ends. */
static mca_pml_champion_ctrl_msg_verdict_t check_length(
    const mca_pml_champion_stripe_control_t *control, size_t length)
{
    const bool has_address = MCA_PML_CHAMPION_STRIPE_OPEN == control->what;
    const size_t rest = length - sizeof(*control);
    const size_t right = has_address ? control->id : 0;

    if (rest < right || (has_address && 0 == rest)) {
        return MCA_PML_CHAMPION_CTRL_MSG_SHORT;
    }
    return rest > right ? MCA_PML_CHAMPION_CTRL_MSG_LONG
                        : MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

static mca_pml_champion_ctrl_msg_verdict_t handle(mca_pml_champion_peer_t *peer,
                                                  const void *bytes,
                                                  size_t length)
{
    mca_pml_champion_stripe_control_t control;
    mca_pml_champion_ctrl_msg_verdict_t verdict;

    MCA_PML_CHAMPION_LOCKED();
    memcpy(&control, bytes, sizeof(control));
    if (control.what >= MCA_PML_CHAMPION_STRIPE_KINDS || 0 == control.parts ||
        control.parts > MOST) {
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    verdict = check_length(&control, length);
    if (MCA_PML_CHAMPION_CTRL_MSG_GOOD != verdict) {
        return verdict;
    }
    switch (control.what) {
    case MCA_PML_CHAMPION_STRIPE_OPEN:
        return mca_pml_champion_stripe_opens(
            peer, &control, (const char *) bytes + sizeof(control));
    case MCA_PML_CHAMPION_STRIPE_HELLO:
        return mca_pml_champion_stripe_greeted(peer, &control);
    case MCA_PML_CHAMPION_STRIPE_ASK:
        return mca_pml_champion_stripe_asked(peer, &control);
    case MCA_PML_CHAMPION_STRIPE_DECLINE:
        return mca_pml_champion_stripe_declined(peer, &control);
    default:
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD; /* HERE: the endpoint was taken
                                                  from it */
    }
}

int mca_pml_champion_stripes_open(void)
{
    struct rlimit files;

    /* A process that is in MPI_Finalize may have sends that are fetched. */
    static const mca_pml_champion_ctrl_msg_kind_t kind = {
        .id = MCA_PML_CHAMPION_AM_STRIPE,
        .name = "STRIPE",
        .least = sizeof(mca_pml_champion_stripe_control_t),
        .most = sizeof(mca_pml_champion_stripe_control_t) +
                MCA_PML_CHAMPION_STRIPE_ADDRESS_MAX,
        .by = MCA_PML_CHAMPION_CTRL_MSG_BY_VPID,
        .always = true,
        .handler = handle,
    };

    STRIPES.on = 1 != STRIPES.flows;
    mca_pml_champion_cost_models.on |=
        MCA_PML_CHAMPION_FLOWS_AUTO == STRIPES.flows;
    STRIPES.left =
        0 == getrlimit(RLIMIT_NOFILE, &files) ? files.rlim_cur / 4 : 0;
    mca_pml_champion_stripe_send_open();
    mca_pml_champion_stripe_recv_open();
    mca_pml_champion_ctrl_msg_register(&kind);
    return OMPI_SUCCESS;
}

/* When the worker is gone. */
static void stripes_close(void)
{
    mca_pml_champion_stripe_send_close();
    mca_pml_champion_stripe_recv_close();
}

int mca_pml_champion_stripes_listen(void)
{
    const ucp_am_handler_param_t param = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                      UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB,
        .id = MCA_PML_CHAMPION_AM_PART,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = mca_pml_champion_stripe_part,
    };

    return UCS_OK == ucp_worker_set_am_recv_handler(mca_pml_champion.worker,
                                                    &param)
               ? OMPI_SUCCESS
               : OMPI_ERROR;
}

MCA_PML_CHAMPION_UNIT(stripes) = {.name = "stripes",
                                  .registers = stripes_register,
                                  .open = mca_pml_champion_stripes_open,
                                  .close = stripes_close};
MCA_PML_CHAMPION_UNIT(parts) = {.name = "parts of messages",
                                .open = mca_pml_champion_stripes_listen};
