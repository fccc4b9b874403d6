/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/peer/comm_table.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/unit.h"

mca_pml_champion_own_t mca_pml_champion_own;

int mca_pml_champion_contexts_init(void)
{
    OBJ_CONSTRUCT(&mca_pml_champion_own.comms, opal_hash_table_t);
    return opal_hash_table_init(&mca_pml_champion_own.comms, 16);
}

void mca_pml_champion_contexts_fini(void)
{
    OBJ_DESTRUCT(&mca_pml_champion_own.comms);
    free(mca_pml_champion.comms);
    mca_pml_champion_own.last = NULL;
    mca_pml_champion.comms = NULL;
    mca_pml_champion.num_comms = 0;
}

MCA_PML_CHAMPION_UNIT(contexts) = {.name = "contexts",
                                   .start = mca_pml_champion_contexts_init,
                                   .stop = mca_pml_champion_contexts_fini};

/* Grow the table so that it has an element for index. */
static int comms_grow(uint32_t index)
{
    uint32_t size = mca_pml_champion.num_comms;
    mca_pml_champion_comm_t **comms;

    if (index < size) {
        return OMPI_SUCCESS;
    }
    size = 0 == size ? 64 : size;
    while (size <= index) {
        size *= 2;
    }
    comms = realloc(mca_pml_champion.comms, size * sizeof(*comms));
    if (NULL == comms) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    memset(comms + mca_pml_champion.num_comms, 0,
           (size - mca_pml_champion.num_comms) * sizeof(*comms));
    mca_pml_champion.comms = comms;
    mca_pml_champion.num_comms = size;
    return OMPI_SUCCESS;
}

int mca_pml_champion_context_enter(mca_pml_champion_comm_t *comm)
{
    int rc = comms_grow(comm->index);

    MCA_PML_CHAMPION_LOCKED();
    if (OMPI_SUCCESS == rc && comm->context != comm->index) {
        rc = opal_hash_table_set_value_uint32(&mca_pml_champion_own.comms,
                                              comm->context, comm);
    }
    if (OMPI_SUCCESS == rc) {
        mca_pml_champion.comms[comm->index] = comm;
    }
    return rc;
}

void mca_pml_champion_context_leave(const mca_pml_champion_comm_t *comm)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion.comms[comm->index] = MCA_PML_CHAMPION_COMM_GONE;
    if (comm->context == comm->index) {
        return;
    }
    mca_pml_champion_own.last = NULL;
    if (mca_pml_champion_context_is_reused(comm->context)) {
        (void) opal_hash_table_remove_value_uint32(&mca_pml_champion_own.comms,
                                                   comm->context);
    } else {
        (void) opal_hash_table_set_value_uint32(&mca_pml_champion_own.comms,
                                                comm->context,
                                                MCA_PML_CHAMPION_COMM_GONE);
    }
}

/* NULL, a communicator, or .._COMM_GONE. */
static mca_pml_champion_comm_t *own_look(uint32_t context)
{
    void *comm;

    return OPAL_SUCCESS == opal_hash_table_get_value_uint32(
                               &mca_pml_champion_own.comms, context, &comm)
               ? comm
               : NULL;
}

mca_pml_champion_comm_t *mca_pml_champion_own_find(uint32_t context)
{
    mca_pml_champion_comm_t *comm = own_look(context);

    if (NULL == comm || MCA_PML_CHAMPION_COMM_GONE == comm) {
        return NULL;
    }
    mca_pml_champion_own.last = comm;
    return comm;
}

bool mca_pml_champion_context_may_come(uint32_t context)
{
    MCA_PML_CHAMPION_LOCKED();
    if (MCA_MQ_OMPI_OWN_INDICES &&
        0 != (context & MCA_PML_CHAMPION_CONTEXT_OWN)) {
        return NULL == own_look(context);
    }
    return context >= mca_pml_champion.num_comms ||
           NULL == mca_pml_champion.comms[context];
}
