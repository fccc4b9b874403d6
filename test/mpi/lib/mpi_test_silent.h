/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A transport of UCX without events: UCX's event descriptor is never readable,
 * and UCX says that it is armed. For programs linked with -rdynamic, because it
 * is the plug-in that calls the function of this name.
 */
#ifndef MPI_TEST_SILENT_H
#define MPI_TEST_SILENT_H

#include <dlfcn.h>
#include <stdbool.h>
#include <sys/eventfd.h>

#include <ucp/api/ucp.h>

#include "mpi_test.h"

/** Is it so? Set before MPI_Init. */
static bool mt_silent;

/* Called by the plug-in in UCX's place. */
ucs_status_t ucp_worker_get_efd(ucp_worker_h worker, int *fd)
{
    if (!mt_silent) {
        void *ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
        ucs_status_t (*theirs)(ucp_worker_h, int *);

        CHECK(NULL != ucp);
        theirs = (ucs_status_t(*)(ucp_worker_h, int *)) dlsym(
            ucp, "ucp_worker_get_efd");
        CHECK(NULL != theirs);
        return theirs(worker, fd);
    }
    *fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return *fd < 0 ? UCS_ERR_IO_ERROR : UCS_OK;
}

#endif /* MPI_TEST_SILENT_H */
