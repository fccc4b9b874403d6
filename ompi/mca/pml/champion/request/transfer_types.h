/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What receives and messages have in them for the transfer of their data; see
 * offload/transfer.h.
 */

#ifndef MCA_PML_CHAMPION_REQUEST_TRANSFER_TYPES_H
#define MCA_PML_CHAMPION_REQUEST_TRANSFER_TYPES_H

#include "ompi/mca/pml/champion/core/champion.h"

/** Where the data of a large message are. */
typedef struct mca_pml_champion_source_t {
    /** Who sends them; NULL: the time that they take is not measured. */
    mca_pml_champion_peer_t *peer;
    void *descriptor; /**< UCX's of a rendezvous message; NULL: sent by tag */
    uint64_t tag;     /**< without a descriptor: that tag, which is unique */
    size_t length;    /**< bytes; if they are measured */
} mca_pml_champion_source_t;

/** A transfer, embedded in what it is for. */
typedef struct mca_pml_champion_transfer_t {
    /** It has ended. Called with the lock held, when nothing here is needed any
     * more. */
    void (*done)(struct mca_pml_champion_transfer_t *transfer,
                 ucs_status_t status);
    bool measured; /**< _pace counts it as under way */
} mca_pml_champion_transfer_t;

#endif /* MCA_PML_CHAMPION_REQUEST_TRANSFER_TYPES_H */
