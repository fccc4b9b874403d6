/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCP's tag interface as a table of operations, set once at start: UCX's own
 * functions, or those of a test library that stands for a network with
 * tag-matching adapters (parameter pml_champion_test_tag_ops). Needs nothing of
 * Open MPI, so that such a library does not either.
 *
 * All but open and close are called with champion's lock held; callbacks are
 * called with it held too, from within recv or cancel, or from
 * ucp_worker_progress or progress.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_TAG_OPS_H
#define MCA_PML_CHAMPION_OFFLOAD_TAG_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ucp/api/ucp.h>

/** Number of what is in this file; a library of another one is refused. */
#define MCA_PML_CHAMPION_TAG_OPS_ABI 1

/** The symbol of a library: a mca_pml_champion_tag_ops_t. */
#define MCA_PML_CHAMPION_TAG_OPS_SYMBOL "mca_pml_champion_test_tag_ops_table"

/** What a library is told about this process. */
typedef struct mca_pml_champion_tag_self_t {
    uint32_t jobid;
    uint32_t vpid;
    uint32_t job_size;
    /** Put packed data at an offset of a buffer that was given to recv with a
     * datatype; in order, from progress only. */
    void (*unpack)(void *buffer, size_t offset, const void *data,
                   size_t length);
    /** Bytes that fit such a buffer. */
    size_t (*capacity)(const void *buffer);
} mca_pml_champion_tag_self_t;

/** UCP's tag interface, or what stands for it. */
typedef struct mca_pml_champion_tag_ops_t {
    uint32_t abi; /**< MCA_PML_CHAMPION_TAG_OPS_ABI */

    /** As ucp_tag_send_nbx or ucp_tag_send_sync_nbx. vpid is the process to
     * which ep leads. */
    ucs_status_ptr_t (*send)(ucp_ep_h ep, uint32_t vpid, const void *buffer,
                             size_t length, ucp_tag_t tag, bool sync,
                             const ucp_request_param_t *param);

    /** As ucp_tag_recv_nbx with a full mask. */
    ucs_status_ptr_t (*recv)(ucp_worker_h worker, void *buffer, size_t count,
                             ucp_tag_t tag, const ucp_request_param_t *param);

    /** As ucp_request_cancel, for a receive: its callback tells, now or later,
     * whether it was cancelled or has got its data. */
    void (*cancel)(ucp_worker_h worker, void *request);

    /** As ucp_request_free. */
    void (*free)(void *request);

    /** Do messages over ep meet an adapter that matches tags? */
    bool (*capable)(ucp_ep_h ep);

    /** What follows may be NULL. */

    /** Returns 0 for success. */
    int (*open)(const mca_pml_champion_tag_self_t *self);
    void (*close)(void);

    /** Call what became complete; returns how many. */
    int (*progress)(void);
} mca_pml_champion_tag_ops_t;

#pragma GCC visibility push(hidden)

/** Has UCX been told to use adapters that match tags? */
bool mca_pml_champion_tag_ops_enabled(void);

/** The operations of a library, or UCX's without one. NULL after a help text.
 */
const mca_pml_champion_tag_ops_t *mca_pml_champion_tag_ops_get(
    const char *file);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_TAG_OPS_H */
