/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of tag operations: UCX's, or a test library's.
 */

#include "ompi/mca/pml/champion/offload/tag_ops.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ompi/mca/mq/mq_ompi_compat.h"
#include "ompi/mca/pml/champion/core/ucx_compat.h"

/* A transport whose adapters match tags if that is enabled in UCX. */
typedef struct transport_t {
    const char *name;
    const char *variable; /* without the prefix UCX_ */
} transport_t;

static const transport_t transports[] = {
    {"rc_mlx5", "RC_MLX5_TM_ENABLE"},
    {"dc_mlx5", "DC_MLX5_TM_ENABLE"},
};

#define TRANSPORTS (sizeof(transports) / sizeof(transports[0]))

static bool is_yes(const char *value)
{
    return 0 == strcasecmp(value, "y") || 0 == strcasecmp(value, "yes") ||
           0 == strcasecmp(value, "on") || 0 == strcmp(value, "1");
}

/* UCX has no call for this, so that its environment is read. The prefix of the
 * configuration that ucx_open reads comes first. */
static bool is_enabled(const transport_t *transport)
{
    static const char *const prefixes[] = {"UCX_MPI_", "UCX_"};
    char name[64];

    for (unsigned i = 0; i < 2; ++i) {
        const char *value;

        snprintf(name, sizeof(name), "%s%s", prefixes[i], transport->variable);
        value = getenv(name);
        if (NULL != value) {
            return is_yes(value);
        }
    }
    return false;
}

bool mca_pml_champion_tag_ops_enabled(void)
{
    for (unsigned i = 0; i < TRANSPORTS; ++i) {
        if (is_enabled(&transports[i])) {
            return true;
        }
    }
    return false;
}

static ucs_status_ptr_t ucx_send(ucp_ep_h ep, uint32_t vpid, const void *buffer,
                                 size_t length, ucp_tag_t tag, bool sync,
                                 const ucp_request_param_t *param)
{
    (void) vpid;
    return sync ? ucp_tag_send_sync_nbx(ep, buffer, length, tag, param)
                : ucp_tag_send_nbx(ep, buffer, length, tag, param);
}

static ucs_status_ptr_t ucx_recv(ucp_worker_h worker, void *buffer,
                                 size_t count, ucp_tag_t tag,
                                 const ucp_request_param_t *param)
{
    return ucp_tag_recv_nbx(worker, buffer, count, tag, UINT64_MAX, param);
}

/* UCX 1.13 does not tell the transports of an endpoint; then the user's setting
 * is assumed to hold for all. */
static bool ucx_capable(ucp_ep_h ep)
{
    enum { MAX = 32 };
    mca_pml_champion_ucx_lane_t lanes[MAX];
    unsigned count = mca_pml_champion_ucx_lanes(ep, lanes, MAX);

    for (unsigned i = 0; i < count; ++i) {
        for (unsigned j = 0; j < TRANSPORTS; ++j) {
            if (0 == strcmp(lanes[i].transport, transports[j].name) &&
                is_enabled(&transports[j])) {
                return true;
            }
        }
    }
    return 0 == count;
}

static const mca_pml_champion_tag_ops_t ucx_ops = {
    .abi = MCA_PML_CHAMPION_TAG_OPS_ABI,
    .send = ucx_send,
    .recv = ucx_recv,
    .cancel = ucp_request_cancel,
    .free = ucp_request_free,
    .capable = ucx_capable,
};

const mca_pml_champion_tag_ops_t *mca_pml_champion_tag_ops_get(const char *file)
{
    const mca_pml_champion_tag_ops_t *ops = NULL;
    void *library;

    if (NULL == file || '\0' == *file) {
        return &ucx_ops;
    }
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (NULL != library) {
        ops = dlsym(library, MCA_PML_CHAMPION_TAG_OPS_SYMBOL);
    }
    if (NULL == ops || MCA_PML_CHAMPION_TAG_OPS_ABI != ops->abi) {
        const char *why = NULL == ops ? dlerror() : "it is of another version";

        opal_show_help("help-mpi-pml-champion.txt", "tag ops", true, file,
                       NULL == why ? "?" : why);
        return NULL;
    }
    return ops;
}
