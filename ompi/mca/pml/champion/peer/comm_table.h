/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of communicators by context, which is how a message's envelope
 * names them. mpi/comm.c adds and removes them.
 */

#ifndef MCA_PML_CHAMPION_PEER_COMM_TABLE_H
#define MCA_PML_CHAMPION_PEER_COMM_TABLE_H

#include "opal/class/opal_hash_table.h"

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/core/wire.h"

#pragma GCC visibility push(hidden)

/** State of this component with a communicator. */
struct mca_pml_champion_comm_t {
    mca_mq_base_domain_t *domain; /**< its own, or the shared one of the
                                       process */
    /** Template for the headers of its messages. */
    mca_pml_champion_header_t header;
    uint32_t context; /**< id on the wire */
    uint32_t index;   /**< in mca_pml_champion.comms; often equals context */
    uint32_t sources; /**< ranks that messages can come from */
    ompi_communicator_t *comm;
    mca_mq_base_domain_t own; /**< not used if domain is shared */
    /** NULL unless its messages are counted; see stats/observer.h. */
    struct mca_pml_champion_comm_counters_t *figures;
    int thread;      /**< MCA_PML_CHAMPION_OFF and so on: info key
                          ompi_progress_thread */
    bool subscribed; /**< subscribed to the info key ompi_mq */
    bool others;     /**< it has processes of other jobs */
    bool over;       /**< MPI_Finalize has begun, and it is of no session that
                          goes on: the user posts no more receives */
    /** Posted receives with wildcards; only if offload is on. */
    struct mca_pml_champion_recv_t *wildcards;
};

/** Element of mca_pml_champion.comms for a freed communicator. A message for it
 * is a leftover that nobody can receive: an id is reused only after all members
 * of the new communicator have called add_comm, so that none of its messages
 * can arrive earlier. Ids of communicators made from groups are not reused. For
 * inter-communicators see mca_pml_champion_context_is_reused. */
#define MCA_PML_CHAMPION_COMM_GONE ((mca_pml_champion_comm_t *) 1)

/** Communicators whose members use different indices. */
typedef struct mca_pml_champion_own_t {
    mca_pml_champion_comm_t *last; /**< result of the last look-up */
    opal_hash_table_t comms;       /**< by context, with .._CONTEXT_OWN */
} mca_pml_champion_own_t;

extern mca_pml_champion_own_t mca_pml_champion_own;

/** Create and free the tables. */
int mca_pml_champion_contexts_init(void);
void mca_pml_champion_contexts_fini(void);

/** Add a communicator: from now on messages find it. Lock held. */
int mca_pml_champion_context_enter(mca_pml_champion_comm_t *comm);

/** Remove a communicator: messages for it are leftovers from now on. Lock held.
 */
void mca_pml_champion_context_leave(const mca_pml_champion_comm_t *comm);

/** No communicator has this context: may it be one that does not exist here
 * yet? Lock held. */
bool mca_pml_champion_context_may_come(uint32_t context);

/** State of this component with a communicator of Open MPI. */
static inline mca_pml_champion_comm_t *mca_pml_champion_comm(
    const ompi_communicator_t *comm)
{
    return (mca_pml_champion_comm_t *) comm->c_pml_comm;
}

/** The communicator at an index, or NULL if there is none. */
static inline mca_pml_champion_comm_t *mca_pml_champion_comm_at(uint32_t index)
{
    mca_pml_champion_comm_t *comm;

    if (OPAL_UNLIKELY(index >= mca_pml_champion.num_comms)) {
        return NULL;
    }
    comm = mca_pml_champion.comms[index];
    return OPAL_UNLIKELY(MCA_PML_CHAMPION_COMM_GONE == comm) ? NULL : comm;
}

/** The communicator of a context with .._CONTEXT_OWN, if it is not the last one
 * found. */
mca_pml_champion_comm_t *mca_pml_champion_own_find(uint32_t context);

/** The communicator of a context, or NULL if there is none. */
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
    /* Another communicator may use the index by now. */
    return OPAL_LIKELY(NULL != comm && comm->context == context) ? comm : NULL;
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PEER_COMM_TABLE_H */
