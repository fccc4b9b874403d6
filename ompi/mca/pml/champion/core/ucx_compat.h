/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All that differs between the versions of UCX this component is built for
 * (1.13 and later).
 */

#ifndef MCA_PML_CHAMPION_CORE_UCX_COMPAT_H
#define MCA_PML_CHAMPION_CORE_UCX_COMPAT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ucp/api/ucp.h>

#if UCP_API_VERSION < UCP_VERSION(1, 13)
#error "UCX 1.13 or later is needed (Debian: libucx-dev)"
#endif

/** UCX's names of a transport and its device. */
typedef struct mca_pml_champion_ucx_lane_t {
    const char *transport;
    const char *device;
} mca_pml_champion_ucx_lane_t;

/** Transports that an endpoint uses. Returns their number, at most max; 0 with
 * UCX 1.13, which cannot tell. */
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

/** Does UCX have this transport? It says so only in text meant for people, with
 * lines such as "resource 4 : md 3 dev 3 flags -- posix/memory". */
static inline bool mca_pml_champion_ucx_has_transport(ucp_context_h context,
                                                      const char *transport)
{
    char *text = NULL, name[16];
    size_t length = 0;
    bool found = false;
    FILE *file = open_memstream(&text, &length);

    if (NULL == file) {
        return false;
    }
    ucp_context_print_info(context, file);
    if (0 == fclose(file)) {
        snprintf(name, sizeof(name), " %s/", transport);
        found = NULL != strstr(text, name);
    }
    free(text);
    return found;
}

/** The transports by which a process can read another one's memory; the last one
 * is NULL. */
static const char *const mca_pml_champion_ucx_single_copy[] = {"cma", "xpmem",
                                                               "knem", NULL};

/** Has UCX such a transport? */
static inline bool mca_pml_champion_ucx_reads_memory(ucp_context_h context)
{
    const char *const *name = mca_pml_champion_ucx_single_copy;

    while (NULL != *name &&
           !mca_pml_champion_ucx_has_transport(context, *name)) {
        ++name;
    }
    return NULL != *name;
}

/** Room for the name of a transport. */
#define MCA_PML_CHAMPION_UCX_TRANSPORT_MAX 16

/** Called for a lane of an endpoint, with UCX's name of its transport. */
typedef void (*mca_pml_champion_ucx_visit_fn_t)(const char *transport,
                                                void *arg);

/** Visit the lanes of an endpoint. UCX 1.13 tells of them only in text meant for
 * people: "lane[1]: 5:cma/memory.0 md[3] ...". Returns their number; 0 if
 * unknown. */
#if UCP_API_VERSION >= UCP_VERSION(1, 14)
static inline unsigned mca_pml_champion_ucx_each_lane(
    ucp_ep_h ep, mca_pml_champion_ucx_visit_fn_t visit, void *arg)
{
    enum { MAX = 32 };
    mca_pml_champion_ucx_lane_t lanes[MAX];
    unsigned count = mca_pml_champion_ucx_lanes(ep, lanes, MAX);

    for (unsigned i = 0; i < count; ++i) {
        visit(lanes[i].transport, arg);
    }
    return count;
}
#else
static inline unsigned mca_pml_champion_ucx_each_lane(
    ucp_ep_h ep, mca_pml_champion_ucx_visit_fn_t visit, void *arg)
{
    char *text = NULL, name[MCA_PML_CHAMPION_UCX_TRANSPORT_MAX];
    size_t length = 0;
    unsigned count = 0;
    FILE *file = open_memstream(&text, &length);

    if (NULL == file) {
        return 0;
    }
    ucp_ep_print_info(ep, file);
    if (0 == fclose(file)) {
        for (const char *at = text; NULL != (at = strstr(at, "lane[")); ++at) {
            ++count;
            if (1 == sscanf(at, "lane[%*u]: %*u:%15[a-z0-9_]/", name)) {
                visit(name, arg);
            }
        }
    }
    free(text);
    return count;
}
#endif

static inline void mca_pml_champion_ucx_if_single_copy(const char *transport,
                                                       void *count)
{
    const char *const *name = mca_pml_champion_ucx_single_copy;

    for (; NULL != *name; ++name) {
        *(unsigned *) count += 0 == strcmp(transport, *name);
    }
}

static inline void mca_pml_champion_ucx_if_tcp(const char *transport,
                                               void *count)
{
    *(unsigned *) count += 0 == strcmp(transport, "tcp");
}

/** Does an endpoint have a transport that reads the other process's memory? */
static inline bool mca_pml_champion_ucx_has_single_copy(ucp_ep_h ep)
{
    unsigned are = 0;

    (void) mca_pml_champion_ucx_each_lane(
        ep, mca_pml_champion_ucx_if_single_copy, &are);
    return are > 0;
}

/** Does an endpoint use TCP only? */
static inline bool mca_pml_champion_ucx_has_only_tcp(ucp_ep_h ep)
{
    unsigned are = 0;
    unsigned count =
        mca_pml_champion_ucx_each_lane(ep, mca_pml_champion_ucx_if_tcp, &are);

    return count > 0 && count == are;
}

#endif /* MCA_PML_CHAMPION_CORE_UCX_COMPAT_H */
