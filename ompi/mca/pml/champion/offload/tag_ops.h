/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCP's tag interface as a table of operations, set once at start: UCX's own
 * functions, or those of a test library that emulates adapters with hardware
 * tag matching (parameter pml_champion_test_tag_ops). This header needs nothing
 * of Open MPI, so that a test library does not either.
 *
 * All but open and close are called with champion's lock held; so are
 * callbacks, from within recv or cancel, or from ucp_worker_progress or
 * progress.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_TAG_OPS_H
#define MCA_PML_CHAMPION_OFFLOAD_TAG_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ucp/api/ucp.h>

/** ABI version of this file; libraries with another one are refused. */
#define MCA_PML_CHAMPION_TAG_OPS_ABI 1

/** Symbol of a test library, a mca_pml_champion_tag_ops_t. */
#define MCA_PML_CHAMPION_TAG_OPS_SYMBOL "mca_pml_champion_test_tag_ops_table"

/** Facts about this process for a test library. */
typedef struct mca_pml_champion_tag_self_t {
    uint32_t jobid;
    uint32_t vpid;
    uint32_t job_size;
    /** Unpack data at an offset of a buffer that was passed to recv with a
     * datatype; in order, from progress only. */
    void (*unpack)(void *buffer, size_t offset, const void *data,
                   size_t length);
    /** Packed bytes that fit a buffer with a datatype. */
    size_t (*capacity)(const void *buffer);
} mca_pml_champion_tag_self_t;

/** UCP's tag interface, or its replacement. */
typedef struct mca_pml_champion_tag_ops_t {
    uint32_t abi; /**< MCA_PML_CHAMPION_TAG_OPS_ABI */

    /** As ucp_tag_send_nbx or ucp_tag_send_sync_nbx. vpid is the process at the
     * other end of ep. */
    ucs_status_ptr_t (*send)(ucp_ep_h ep, uint32_t vpid, const void *buffer,
                             size_t length, ucp_tag_t tag, bool sync,
                             const ucp_request_param_t *param);

    /** As ucp_tag_recv_nbx with a full mask. */
    ucs_status_ptr_t (*recv)(ucp_worker_h worker, void *buffer, size_t count,
                             ucp_tag_t tag, const ucp_request_param_t *param);

    /** As ucp_request_cancel, for a receive: its callback is called, now or
     * later, with the data received or as cancelled. */
    void (*cancel)(ucp_worker_h worker, void *request);

    /** As ucp_request_free. */
    void (*free)(void *request);

    /** Does the receiver at the other end of ep match tags in hardware? */
    bool (*capable)(ucp_ep_h ep);

    /** The next ones may be NULL. */

    /** Returns 0 for success. */
    int (*open)(const mca_pml_champion_tag_self_t *self);
    void (*close)(void);

    /** Call the callbacks of completed operations; returns their number. */
    int (*progress)(void);
} mca_pml_champion_tag_ops_t;

#pragma GCC visibility push(hidden)

/** Is hardware tag matching enabled in UCX? */
bool mca_pml_champion_tag_ops_enabled(void);

/** The operations of a test library, or UCX's if file is NULL or empty. NULL
 * after a help text. */
const mca_pml_champion_tag_ops_t *mca_pml_champion_tag_ops_get(
    const char *file);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_TAG_OPS_H */
