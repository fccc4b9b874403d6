/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators by what messages call them: the context in their envelope. Who
 * puts them here and takes them out is mpi/comm.c.
 */

#ifndef MCA_PML_CHAMPION_PEER_COMM_TABLE_H
#define MCA_PML_CHAMPION_PEER_COMM_TABLE_H

#include "opal/class/opal_hash_table.h"

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/core/wire.h"

#pragma GCC visibility push(hidden)

/** What hangs on a communicator. */
struct mca_pml_champion_comm_t {
    mca_mq_base_domain_t *domain; /**< own, or that of the process */
    /** Template of the header of messages that are sent in it. */
    mca_pml_champion_header_t header;
    uint32_t context; /**< on the wire */
    uint32_t index;   /**< in mca_pml_champion.comms; mostly the same */
    uint32_t sources; /**< ranks that messages can come from */
    ompi_communicator_t *comm;
    mca_mq_base_domain_t own; /**< not used if domain is shared */
    /** NULL when nothing is counted here; see stats/observer.h. */
    struct mca_pml_champion_comm_counters_t *figures;
    bool subscribed; /**< to the info key ompi_mq */
    bool others;     /**< processes of other jobs are in it */
    /** Queued receives with wildcards; known only if offload is on. */
    struct mca_pml_champion_recv_t *wildcards;
};

/** Element of mca_pml_champion.comms for a communicator that is gone. A message
 * for it is a leftover that nobody can receive: an id is used again only after
 * all members of the new communicator have called add_comm, so none of its
 * messages can come earlier. Ids of communicators made from groups are not used
 * again. For inter-communicators see mca_pml_champion_context_is_reused. */
#define MCA_PML_CHAMPION_COMM_GONE ((mca_pml_champion_comm_t *) 1)

/** Communicators that their members know by different indices. */
typedef struct mca_pml_champion_own_t {
    mca_pml_champion_comm_t *last; /**< found last */
    opal_hash_table_t comms;       /**< by context, with .._CONTEXT_OWN */
} mca_pml_champion_own_t;

extern mca_pml_champion_own_t mca_pml_champion_own;

/** Make the tables, and give them back. */
int mca_pml_champion_contexts_init(void);
void mca_pml_champion_contexts_fini(void);

/** Let messages find a communicator. Lock held. */
int mca_pml_champion_context_enter(mca_pml_champion_comm_t *comm);

/** From now on messages for it are leftovers. Lock held. */
void mca_pml_champion_context_leave(const mca_pml_champion_comm_t *comm);

/** No communicator has this context: may there be one yet? Lock held. */
bool mca_pml_champion_context_may_come(uint32_t context);

/** What hangs on a communicator of Open MPI's. */
static inline mca_pml_champion_comm_t *mca_pml_champion_comm(
    const ompi_communicator_t *comm)
{
    return (mca_pml_champion_comm_t *) comm->c_pml_comm;
}

/** The communicator at an index, or NULL if it is not there. */
static inline mca_pml_champion_comm_t *mca_pml_champion_comm_at(uint32_t index)
{
    mca_pml_champion_comm_t *comm;

    if (OPAL_UNLIKELY(index >= mca_pml_champion.num_comms)) {
        return NULL;
    }
    comm = mca_pml_champion.comms[index];
    return OPAL_UNLIKELY(MCA_PML_CHAMPION_COMM_GONE == comm) ? NULL : comm;
}

/** The communicator of a context with .._CONTEXT_OWN, if it is not the one
 * found last. */
mca_pml_champion_comm_t *mca_pml_champion_own_find(uint32_t context);

/** The communicator of a context, or NULL if it is not there. */
static inline mca_pml_champion_comm_t *mca_pml_champion_comm_find(
    uint32_t context)
{
    mca_pml_champion_comm_t *comm;

    if (!MCA_MQ_OMPI_OWN_INDICES) {
        return mca_pml_champion_comm_at(context);
    }
    if (OPAL_UNLIKELY(0 != (context & MCA_PML_CHAMPION_CONTEXT_OWN))) {
        comm = mca_pml_champion_own.last;
        return NULL != comm && comm->context == context
                   ? comm
                   : mca_pml_champion_own_find(context);
    }
    comm = mca_pml_champion_comm_at(context);
    /* The index may be another's by now. */
    return OPAL_LIKELY(NULL != comm && comm->context == context) ? comm : NULL;
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PEER_COMM_TABLE_H */
