/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All that differs between the versions of UCX this component is built for
 * (1.13 and later).
 */

#ifndef OMPI_PML_CHAMPION_UCX_COMPAT_H
#define OMPI_PML_CHAMPION_UCX_COMPAT_H

#include <ucp/api/ucp.h>

#if UCP_API_VERSION < UCP_VERSION(1, 13)
#error "UCX 1.13 or later is needed (Debian: libucx-dev)"
#endif

/** Name of a transport and of its device, UCX's. */
typedef struct mca_pml_champion_ucx_lane_t {
    const char *transport;
    const char *device;
} mca_pml_champion_ucx_lane_t;

/** What an endpoint uses; returns their number, at most max, and 0 with UCX
 * 1.13, which does not tell. */
#if UCP_API_VERSION >= UCP_VERSION(1, 14)
static inline unsigned mca_pml_champion_ucx_lanes(
    ucp_ep_h ep, mca_pml_champion_ucx_lane_t *lanes, unsigned max)
{
    ucp_transport_entry_t entries[max];
    ucp_ep_attr_t attr = {
        .field_mask = UCP_EP_ATTR_FIELD_TRANSPORTS,
        .transports = {.entries = entries,
                       .num_entries = max,
                       .entry_size = sizeof(*entries)},
    };
    unsigned count;

    if (UCS_OK != ucp_ep_query(ep, &attr)) {
        return 0;
    }
    count = attr.transports.num_entries;
    for (unsigned i = 0; i < count; ++i) {
        lanes[i].transport = entries[i].transport_name;
        lanes[i].device = entries[i].device_name;
    }
    return count;
}
#else
static inline unsigned mca_pml_champion_ucx_lanes(
    ucp_ep_h ep, mca_pml_champion_ucx_lane_t *lanes, unsigned max)
{
    return 0;
}
#endif

#endif /* OMPI_PML_CHAMPION_UCX_COMPAT_H */
