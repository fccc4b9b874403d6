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

#endif /* OMPI_PML_CHAMPION_UCX_COMPAT_H */
