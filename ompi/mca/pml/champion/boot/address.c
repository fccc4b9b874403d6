/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/boot/address.h"

#include <stdlib.h>
#include <string.h>

#include "opal/util/show_help.h"

#include "ompi/mca/pml/champion/match/disconnect.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/core/wire.h"
#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/peer/modex.h"
#include "ompi/mca/pml/champion/boot/agree.h"
#include "ompi/mca/pml/champion/shm/ring_wireup.h"
#include "ompi/mca/pml/champion/stuck/node.h"

#define HELP "help-mpi-pml-champion.txt"

/* Has this process been to the board? */
static bool met;

/* The address of this process, with UCX's address for those flags, and with that
 * name of a board, unless it is NULL. NULL after an error message, or if there is
 * no memory. */
static char *address_new(unsigned flags,
                         const mca_pml_champion_board_name_t *board,
                         size_t *length)
{
    ucp_worker_attr_t attr = {
        .field_mask =
            UCP_WORKER_ATTR_FIELD_ADDRESS | UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS,
        .address_flags = flags,
    };
    mca_pml_champion_address_t head = {
        .magic = MCA_PML_CHAMPION_MAGIC,
        .wire_version = MCA_PML_CHAMPION_WIRE_VERSION,
        .arch = opal_proc_local_get()->proc_arch,
        .wanted = mca_pml_champion_wanted() |
                  (mca_pml_champion_closes ? MCA_PML_CHAMPION_CLOSES : 0) |
                  (NULL != board ? MCA_PML_CHAMPION_HAS_BOARD : 0),
        .coll = *mca_pml_champion_coll_params(),
    };
    const size_t before = mca_pml_champion_address_head(&head);
    ucs_status_t status;
    char *address;

    status = ucp_worker_query(mca_pml_champion.worker, &attr);
    if (UCS_OK != status) {
        opal_show_help(HELP, "ucx worker", true, ucs_status_string(status));
        return NULL;
    }
    *length = before + attr.address_length;
    address = malloc(*length);
    if (NULL != address) {
        memcpy(address, &head, sizeof(head));
        if (NULL != board) {
            memcpy(address + sizeof(head), board, sizeof(*board));
        }
        memcpy(address + before, attr.address, attr.address_length);
    }
    ucp_worker_release_address(mca_pml_champion.worker, attr.address);
    return address;
}

static int publish(unsigned flags, int scope,
                   const mca_pml_champion_board_name_t *board)
{
    size_t length;
    char *address = address_new(flags, board, &length);
    int rc;

    if (NULL == address) {
        return OMPI_ERROR;
    }
    rc = mca_pml_champion_modex_send(scope, address, length);
    free(address);
    return rc;
}

static int address_open(void)
{
    mca_pml_champion_board_name_t board;
    int rc;

    met = false;
    mca_pml_champion_modex_begin();
    /* Processes on other hosts need no shared memory addresses. */
    rc = publish(UCP_WORKER_ADDRESS_FLAG_NET_ONLY, MCA_MQ_OMPI_MODEX_REMOTE,
                 NULL);
    if (OMPI_SUCCESS == rc) {
        rc = publish(0, MCA_MQ_OMPI_MODEX_LOCAL,
                     mca_pml_champion_board_name(&board) ? &board : NULL);
    }
    return rc;
}

/* The process of this job and node with the lowest vpid. */
static opal_process_name_t leader_of(ompi_proc_t **procs, size_t count)
{
    opal_process_name_t leader = OPAL_PROC_MY_NAME;

    for (size_t i = 0; i < count; ++i) {
        const opal_process_name_t *name = &procs[i]->super.proc_name;

        if (name->jobid == leader.jobid && name->vpid < leader.vpid &&
            OPAL_PROC_ON_LOCAL_NODE(procs[i]->super.proc_flags)) {
            leader = *name;
        }
    }
    return leader;
}

/* Ask Open MPI for the leader's address, which names the board. */
static bool ask(const opal_process_name_t *leader,
                mca_pml_champion_board_name_t *board)
{
    mca_pml_champion_address_t *address;
    size_t length;
    bool found;

    found =
        mca_pml_champion_modex_recv(leader, (void **) &address, &length) >= 0 &&
        length >= sizeof(*address) + sizeof(*board) &&
        MCA_PML_CHAMPION_MAGIC == address->magic &&
        MCA_PML_CHAMPION_WIRE_VERSION == address->wire_version &&
        0 != (address->wanted & MCA_PML_CHAMPION_HAS_BOARD);
    if (found) {
        memcpy(board, address + 1, sizeof(*board));
    }
    free(address);
    return found;
}

static void post(void)
{
    const uint32_t flags =
        (mca_pml_champion_rings_listen() ? MCA_PML_CHAMPION_HAS_RINGS : 0) |
        (MCA_PML_CHAMPION_ON == mca_pml_champion_thread_mode()
             ? MCA_PML_CHAMPION_MUST_WAKE
             : 0);
    size_t length;
    char *address = address_new(0, NULL, &length);

    if (NULL != address) {
        mca_pml_champion_board_post(OPAL_PROC_MY_NAME.vpid, flags, address,
                                    length);
        free(address);
    }
    /* Before a program that computes and nothing else. */
    mca_pml_champion_stuck_node_show();
}

void mca_pml_champion_address_meet(ompi_proc_t **procs, size_t count)
{
    mca_pml_champion_board_name_t board;
    opal_process_name_t leader;

    if (met || 0 == opal_process_info.num_local_peers) {
        return;
    }
    met = true;
    leader = leader_of(procs, count);
    if (!mca_pml_champion_board_name(&board) &&
        (leader.vpid == OPAL_PROC_MY_NAME.vpid || !ask(&leader, &board))) {
        return;
    }
    if (mca_pml_champion_board_join(&board, opal_process_info.my_local_rank)) {
        post();
    } else {
        ++mca_pml_champion.counters.ring_failed;
    }
}

MCA_PML_CHAMPION_UNIT(address) = {.name = "address", .open = address_open};
