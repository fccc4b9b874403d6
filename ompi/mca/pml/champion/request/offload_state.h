/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The part of a receive that belongs to receive offload; see
 * offload/offload.h. Not touched while offload is off.
 */

#ifndef MCA_PML_CHAMPION_REQUEST_OFFLOAD_STATE_H
#define MCA_PML_CHAMPION_REQUEST_OFFLOAD_STATE_H

#include <stdint.h>

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Bits of mca_pml_champion_offload_state_t.flags. */
enum {
    /** Has a wildcard, and is in its communicator's list of those. */
    MCA_PML_CHAMPION_TRACKED_WILD = 1,
    /** In the list of its stream. */
    MCA_PML_CHAMPION_TRACKED_LISTED = 2,
    /** posted_at says when it was posted. */
    MCA_PML_CHAMPION_TRACKED_TIMED = 4,
    /** UCX has it: its callback will come. */
    MCA_PML_CHAMPION_TRACKED_AT_UCX = 8,
    /** UCX has been asked to give it back. */
    MCA_PML_CHAMPION_TRACKED_CANCELLING = 16,
    /** UCX has put the data of message `ucp_tag` into its buffer. */
    MCA_PML_CHAMPION_TRACKED_LANDED = 32,
    /** mq has given it message `ucp_tag`. */
    MCA_PML_CHAMPION_TRACKED_MATCHED = 64,
    /** The user has asked for it to be cancelled. */
    MCA_PML_CHAMPION_TRACKED_UNWANTED = 128,
    /** It failed, and is complete when UCX has given it back. */
    MCA_PML_CHAMPION_TRACKED_FAILED = 256,
    /** Nobody waits for it any more. */
    MCA_PML_CHAMPION_TRACKED_ABANDONED = 512,
    /** cost is part of what is outstanding. */
    MCA_PML_CHAMPION_TRACKED_COSTS = 1024
};

typedef struct mca_pml_champion_offload_state_t {
    uint32_t flags;      /**< 0: nothing of the rest is valid */
    ucs_status_t status; /**< of UCX, when LANDED */
    struct mca_pml_champion_recv_t *next, *previous; /**< in its list */
    struct mca_pml_champion_inflow_t *stream;        /**< when LISTED */
    mca_pml_champion_comm_t *comm;                   /**< when WILD */
    uint64_t ucp_tag;   /**< when AT_UCX, LANDED or MATCHED */
    void *request;      /**< UCX's, when AT_UCX */
    uint64_t posted_at; /**< ns */
    uint64_t cost;      /**< ns */
    /** Its message, delivered when UCX has given the receive back. */
    mca_pml_champion_message_t *held;
} mca_pml_champion_offload_state_t;

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_REQUEST_OFFLOAD_STATE_H */
