/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of a receive for receive offload; see offload/offload.h. Unused
 * while offload is off.
 */

#ifndef MCA_PML_CHAMPION_MATCH_OFFLOAD_STATE_H
#define MCA_PML_CHAMPION_MATCH_OFFLOAD_STATE_H

#include <stdint.h>

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Bits of mca_pml_champion_offload_state_t.flags. */
enum {
    /** It has a wildcard and is in its communicator's list. */
    MCA_PML_CHAMPION_TRACKED_WILD = 1,
    /** It is in the list of its stream. */
    MCA_PML_CHAMPION_TRACKED_LISTED = 2,
    /** posted_at is valid. */
    MCA_PML_CHAMPION_TRACKED_TIMED = 4,
    /** It is posted to UCX, whose callback is pending. */
    MCA_PML_CHAMPION_TRACKED_AT_UCX = 8,
    /** It is being cancelled in UCX. */
    MCA_PML_CHAMPION_TRACKED_CANCELLING = 16,
    /** UCX has received the data of message `ucp_tag` into its buffer. */
    MCA_PML_CHAMPION_TRACKED_LANDED = 32,
    /** mq has matched it with message `ucp_tag`. */
    MCA_PML_CHAMPION_TRACKED_MATCHED = 64,
    /** The user has cancelled it. */
    MCA_PML_CHAMPION_TRACKED_UNWANTED = 128,
    /** It failed, and completes when UCX has cancelled it. */
    MCA_PML_CHAMPION_TRACKED_FAILED = 256,
    /** It is abandoned by MPI_Finalize. */
    MCA_PML_CHAMPION_TRACKED_ABANDONED = 512,
    /** cost is included in mca_pml_champion_outstanding. */
    MCA_PML_CHAMPION_TRACKED_COSTS = 1024
};

typedef struct mca_pml_champion_offload_state_t {
    uint32_t flags;      /**< 0: the other fields are invalid */
    ucs_status_t status; /**< UCX's, if LANDED */
    struct mca_pml_champion_recv_t *next, *previous; /**< in its list */
    struct mca_pml_champion_in_stream_t *stream;     /**< if LISTED */
    mca_pml_champion_comm_t *comm;                   /**< if WILD */
    uint64_t ucp_tag;   /**< if AT_UCX, LANDED or MATCHED */
    void *request;      /**< UCX's, if AT_UCX */
    uint64_t posted_at; /**< ns */
    uint64_t cost;      /**< ns */
    /** Its message, to be delivered once UCX has cancelled the receive. */
    mca_pml_champion_message_t *held;
} mca_pml_champion_offload_state_t;

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_MATCH_OFFLOAD_STATE_H */
