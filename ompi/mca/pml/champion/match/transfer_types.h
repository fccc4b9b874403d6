/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Types of transfers (offload/transfer.h), which receives and messages contain.
 */

#ifndef MCA_PML_CHAMPION_MATCH_TRANSFER_TYPES_H
#define MCA_PML_CHAMPION_MATCH_TRANSFER_TYPES_H

#include "ompi/mca/pml/champion/core/champion.h"

/** Where the data of a large message are. */
typedef struct mca_pml_champion_source_t {
    /** The sender; NULL: the transfer is not measured. */
    mca_pml_champion_peer_t *peer;
    void *descriptor;  /**< UCX's descriptor of a rendezvous message, or
                            NULL */
    uint64_t address;  /**< in the memory of a sender on this node; 0: neither
                            this nor a descriptor */
    uint64_t tag;      /**< the tag, which is unique, without any of these */
    size_t length;     /**< bytes; only if the transfer is measured, or by
                            address */
    uint32_t sequence; /**< of a message that is not sent by tag */
} mca_pml_champion_source_t;

/** A transfer, embedded in the receive or message that it is for. */
typedef struct mca_pml_champion_transfer_t {
    /** Called when the transfer has ended, with the lock held; the object may
     * be freed in it. */
    void (*on_end)(struct mca_pml_champion_transfer_t *transfer,
                   ucs_status_t status);
    bool measured; /**< the cost model measures it */
} mca_pml_champion_transfer_t;

#endif /* MCA_PML_CHAMPION_MATCH_TRANSFER_TYPES_H */
