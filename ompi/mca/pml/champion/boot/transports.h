/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCX's list of transports, UCX_TLS: "all", "^" and those not to use, or those
 * to use, some under a common name.
 */

#ifndef MCA_PML_CHAMPION_BOOT_TRANSPORTS_H
#define MCA_PML_CHAMPION_BOOT_TRANSPORTS_H

#include "ompi_config.h"

#include <stdbool.h>

#include <ucp/api/ucp.h>

#pragma GCC visibility push(hidden)

/** The value of a variable of UCX (the name without "UCX_") in a configuration,
 * as UCX writes it. To be freed; NULL if there is none. */
char *mca_pml_champion_transports_value(const ucp_config_t *config,
                                        const char *name);

/** The list without a transport. To be freed; NULL if no transport that carries
 * messages between processes would be left. `has` tells which transports there
 * are: for those that a common name stands for. */
char *mca_pml_champion_transports_without(const char *list, const char *name,
                                          bool (*has)(const char *name));

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_BOOT_TRANSPORTS_H */
