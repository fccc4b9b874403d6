/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/mpi/route.h"

typedef mca_pml_champion_route_facts_t facts_t;

mca_pml_champion_protocol_t mca_pml_champion_route_protocol(
    const facts_t *facts)
{
    const bool automatic = SIZE_MAX == facts->eager_limit;
    size_t limit = automatic ? MCA_PML_CHAMPION_SYNC_EAGER : facts->eager_limit;

    if (facts->held_up) {
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
    return facts->offload && !facts->held_up;
}

/* What goes by a ring is complete without a receive. */
static bool ring_may(const facts_t *facts)
{
    return facts->ring && !facts->sync && !facts->held_up;
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

/* What nobody else wants. */
static bool wants_rendezvous(const facts_t *facts)
{
    (void) facts;
    return true;
}

static const mca_pml_champion_route_t routes[] = {
    {"self", wants_self, mca_pml_champion_start_self},
    {"offload", wants_offload, mca_pml_champion_start_offload},
    {"rget", wants_rget, mca_pml_champion_start_rget},
    {"ring", wants_ring, mca_pml_champion_start_ring},
    {"ucx", wants_ucx, mca_pml_champion_start_ucx},
    {"eager", wants_eager, mca_pml_champion_start_eager},
    {"rendezvous", wants_rendezvous, mca_pml_champion_start_rendezvous},
};

const mca_pml_champion_route_t *mca_pml_champion_route_start(
    const facts_t *facts, struct mca_pml_champion_send_t *send,
    struct mca_pml_champion_comm_t *comm, uint32_t attributes)
{
    const mca_pml_champion_route_t *route = routes;

    /* The last one takes what is left. */
    while (!route->wants(facts) || !route->start(send, comm, attributes)) {
        ++route;
    }
    return route;
}
