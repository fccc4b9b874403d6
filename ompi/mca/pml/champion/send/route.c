/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/send/route.h"

typedef mca_pml_champion_route_facts_t facts_t;

mca_pml_champion_protocol_t mca_pml_champion_route_protocol(
    const facts_t *facts)
{
    const bool automatic = SIZE_MAX == facts->eager_limit;
    size_t limit = automatic ? MCA_PML_CHAMPION_SYNC_EAGER : facts->eager_limit;

    if (facts->throttled) {
        limit = 0;
    } else if (automatic && !facts->sync && !facts->fetch) {
        return MCA_PML_CHAMPION_BY_UCX;
    }
    return facts->length <= limit ? MCA_PML_CHAMPION_BY_EAGER
                                  : MCA_PML_CHAMPION_BY_RENDEZVOUS;
}

static bool wants_self(const facts_t *facts)
{
    return facts->self;
}

static bool wants_offload(const facts_t *facts)
{
    return facts->offload && !facts->throttled;
}

/* A synchronous send waits for its receive; a send by ring does not. */
static bool ring_may(const facts_t *facts)
{
    return facts->ring && !facts->sync && !facts->throttled;
}

static bool wants_rget(const facts_t *facts)
{
    return ring_may(facts) && facts->fetch && facts->readable;
}

static bool wants_ring(const facts_t *facts)
{
    return ring_may(facts) && !facts->fetch;
}

static bool wants_ucx(const facts_t *facts)
{
    return MCA_PML_CHAMPION_BY_UCX == mca_pml_champion_route_protocol(facts);
}

static bool wants_eager(const facts_t *facts)
{
    return MCA_PML_CHAMPION_BY_EAGER == mca_pml_champion_route_protocol(facts);
}

/* The last route takes every send. */
static bool wants_rendezvous(const facts_t *facts)
{
    (void) facts;
    return true;
}

const mca_pml_champion_route_wants_t
    mca_pml_champion_route_wants[MCA_PML_CHAMPION_ROUTES] = {
        [MCA_PML_CHAMPION_ROUTE_SELF] = wants_self,
        [MCA_PML_CHAMPION_ROUTE_OFFLOAD] = wants_offload,
        [MCA_PML_CHAMPION_ROUTE_RGET] = wants_rget,
        [MCA_PML_CHAMPION_ROUTE_RING] = wants_ring,
        [MCA_PML_CHAMPION_ROUTE_UCX] = wants_ucx,
        [MCA_PML_CHAMPION_ROUTE_EAGER] = wants_eager,
        [MCA_PML_CHAMPION_ROUTE_RENDEZVOUS] = wants_rendezvous,
};
