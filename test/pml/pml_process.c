/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Beside pml_world.c, because it needs units that some tests replace.
 */

#include "pml_world.h"

#include "ompi/mca/pml/champion/match/backlog.h"

static ompi_communicator_t ompi_comm;

void pml_world_open(void)
{
    opal_size_pool_init(&mca_pml_champion.pool);
    mca_pml_champion_lock();
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_peers_init());
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_contexts_init());
}

void pml_world_close(void)
{
    assert_int_equal(0, mca_pml_champion.pool.live);
    assert_int_equal(0, mca_pml_champion_backlog.other);
    opal_size_pool_fini(&mca_pml_champion.pool);
    mca_pml_champion_contexts_fini();
    mca_pml_champion_peers_fini();
    mca_pml_champion.finalizing = false;
}

mca_pml_champion_peer_t *pml_world_peer(uint32_t vpid)
{
    const opal_process_name_t name = {.jobid = PML_WORLD_JOB, .vpid = vpid};
    mca_pml_champion_peer_t *peer = mca_pml_champion_peer_find(&name);

    assert_non_null(peer);
    return peer;
}

void pml_mq_enter(pml_mq_t *mq, mca_pml_champion_comm_t *comm, uint32_t context)
{
    *comm = (mca_pml_champion_comm_t){
        .domain = &mq->domain,
        .comm = &ompi_comm,
        .context = context,
        .index = context,
    };
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_context_enter(comm));
}
