/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * From which size on a receiver within the node fetches a message.
 *
 * A blocking send of UCX's goes in pieces up to 256 KiB over shared memory: the
 * sender copies them out, UCX puts them together, and they are copied to the
 * user. Where one process can read another one's memory (CMA, XPMEM, KNEM) the
 * receiver of a rendezvous copies once, after an exchange of two small messages
 * and, with CMA, a system call that looks up every page. What that call costs
 * differs by a factor of three between machines, mostly virtual ones; so it is
 * measured, once for each process that has such a peer, against a plain copy.
 * Half a round trip by MPI_Send, us, where the call takes 2.6 plain copies:
 *
 *     bytes        in pieces   fetched   pml/ucx   pml/ob1
 *     8192           1.88        1.83      1.79      1.64
 *     16384          3.11        2.09      2.84      1.88
 *     32768          5.40        2.87      4.52      2.74
 *     131072        24.7         6.5      11.7       6.1
 */

#ifndef OMPI_PML_CHAMPION_FETCH_H
#define OMPI_PML_CHAMPION_FETCH_H

#include <stddef.h>

#include <ucp/api/ucp.h>

#pragma GCC visibility push(hidden)

/** Smallest payload, in bytes, that a process of this node is to fetch where
 * the choice is UCX's otherwise; SIZE_MAX if it cannot. */
size_t mca_pml_champion_fetch_min(ucp_ep_h ep);

#pragma GCC visibility pop

#endif /* OMPI_PML_CHAMPION_FETCH_H */
