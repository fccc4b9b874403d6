/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of all messages: MPI_Finalize, in two parts.
 *
 * MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, last set
 * first, while MPI is still fully usable. Ours is the first one ever set, so
 * when it is deleted, the program has finished all communication, and no
 * receive can match a user's message that is still unexpected. Such messages
 * are dropped, which completes their sends: MPI_Finalize of another process may
 * be waiting for a buffered send. Communicators of sessions, which may go on
 * after MPI_Finalize, are left alone.
 *
 * When the PML is closed, no communicator is left. Closing an endpoint with an
 * unanswered rendezvous send would leak a request in UCX. So every process
 * first drops what it has not received, and goes on dropping until all sends of
 * all processes are complete; only then are endpoints closed.
 */

#include <stdlib.h>

#include "ompi/attribute/attribute.h"

#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/offload/posted.h"
#include "ompi/mca/pml/champion/match/arrival.h"
#include "ompi/mca/pml/champion/match/complain.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/test_delay.h"
#include "ompi/mca/pml/champion/large/prefetch.h"
#include "ompi/mca/pml/champion/mpi/comm.h"
#include "ompi/mca/pml/champion/mpi/probe.h"
#include "ompi/mca/pml/champion/core/events.h"
#include "ompi/mca/pml/champion/stats/ended.h"
#include "ompi/mca/pml/champion/stats/profile.h"
#include "ompi/mca/pml/champion/progress/progress.h"
#include "ompi/mca/pml/champion/stats/stats.h"

/* Unexpected messages of the user in a communicator, which no receive can match
 * any more. */
typedef struct leftover_t {
    mca_mq_entry_t **entries; /* NULL: only count */
    size_t count;
    mca_pml_champion_unreceived_t unreceived;
} leftover_t;

static void leftover_add(mca_mq_entry_t *entry, void *arg)
{
    leftover_t *leftover = arg;

    if (entry->envelope.tag < 0) {
        return;
    }
    if (NULL != leftover->entries) {
        leftover->entries[leftover->count] = entry;
        mca_pml_champion_unreceived_add(&leftover->unreceived,
                                        (mca_pml_champion_message_t *) entry);
    }
    ++leftover->count;
}

static void drop_of(const mca_pml_champion_comm_t *comm)
{
    mca_mq_base_domain_t *domain = comm->domain;
    leftover_t leftover = {.entries = NULL};

    mca_mq_base_visit(domain->module, MCA_MQ_UNEXPECTED, &comm->context,
                      leftover_add, &leftover);
    leftover.entries = malloc(leftover.count * sizeof(*leftover.entries));
    if (NULL == leftover.entries) {
        return; /* they are purged with their communicator */
    }
    leftover.count = 0;
    mca_mq_base_visit(domain->module, MCA_MQ_UNEXPECTED, &comm->context,
                      leftover_add, &leftover);
    mca_pml_champion_unreceived_tell(&leftover.unreceived, comm->comm,
                                     "MPI ends");
    for (size_t i = 0; i < leftover.count; ++i) {
        mca_mq_base_withdraw_unexpected(domain, leftover.entries[i]);
        mca_pml_champion_message_drop(
            (mca_pml_champion_message_t *) leftover.entries[i]);
    }
    free(leftover.entries);
}

static void drop_unexpected(void)
{
    mca_pml_champion_lock();
    mca_pml_champion.ending = true;
    for (uint32_t i = 0; i < mca_pml_champion.num_comms; ++i) {
        mca_pml_champion_comm_t *comm = mca_pml_champion_comm_at(i);

        if (NULL != comm && !mca_mq_ompi_is_of_session(comm->comm)) {
            comm->over = true;
            drop_of(comm);
        }
    }
    mca_pml_champion_unlock();
    mca_pml_champion_probed_drop();
}

static void report(void)
{
    mca_pml_champion_report_t *of_all = mca_pml_champion_stats_report();

    if (NULL != of_all) {
        mca_pml_champion_stats_write(of_all);
        mca_pml_champion_report_free(of_all);
    }
}

static int on_finalize(ompi_communicator_t *comm, int keyval, void *attr,
                       void *extra)
{
    (void) comm;
    (void) keyval;
    (void) attr;
    (void) extra;
    mca_pml_champion_events_end();
    /* Before the reports below send messages of their own. */
    mca_pml_champion_profile_snapshot();
    if (mca_pml_champion.params.stats) {
        report();
        mca_pml_champion_ended_disarm();
        mca_pml_champion_stats_forget();
    }
    mca_pml_champion_profile_write();
    drop_unexpected();
    return MPI_SUCCESS;
}

/* Duplicates of MPI_COMM_SELF do not inherit the attribute. */
static MCA_MQ_OMPI_ATTR_COPY(no_copy, flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

/* Have the unexpected messages dropped, and reports written, when MPI_Finalize
 * begins. */
static int arm(void)
{
    ompi_attribute_fn_ptr_union_t copy, del;
    int keyval = MPI_KEYVAL_INVALID, rc;

    copy.attr_communicator_copy_fn = no_copy;
    del.attr_communicator_delete_fn = on_finalize;
    rc = ompi_attr_create_keyval(COMM_ATTR, copy, del, &keyval, NULL, 0, NULL);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    return ompi_attr_set_c(COMM_ATTR, &ompi_mpi_comm_self.comm,
                           &ompi_mpi_comm_self.comm.c_keyhash, keyval, NULL,
                           false);
}

/* Called by PMIx when all processes of the job have reached the fence. */
static void on_fence(int status, void *arg)
{
    (void) status;
    __atomic_store_n((uint32_t *) arg, 1, __ATOMIC_RELEASE);
}

static void fence(void)
{
    /* Static, because PMIx's own thread writes it. */
    static uint32_t done;

    __atomic_store_n(&done, 0, __ATOMIC_RELEASE);
    if (MCA_MQ_OMPI_FENCE_NB(on_fence, &done)) {
        mca_pml_champion_wait(&done, MCA_PML_CHAMPION_FOR_UNKNOWN);
    }
}

static void drop_reorder(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_messages_drop(&peer->reorder.first);
}

/* Drop all messages that nobody has received: their senders must not wait
 * forever. */
static void drop_all(void)
{
    mca_pml_champion_lock();
    mca_pml_champion.finalizing = true;
    mca_pml_champion_parked_drop();
    mca_pml_champion_unlock();
}

/* Drain all messages in all processes, and close all endpoints. Collective over
 * this job; without the lock. */
static void finalize_stop(void)
{
    MCA_PML_CHAMPION_UNLOCKED();
    if (NULL == mca_pml_champion.worker) {
        return;
    }
    drop_all();
    while (0 != mca_pml_champion.active_sends ||
           mca_pml_champion_prefetch_is_busy() ||
           mca_pml_champion_chore_is_on(&mca_pml_champion_test_delay)) {
        opal_progress();
        mca_pml_champion_progress();
    }
    fence();
    while (0 != mca_pml_champion_progress()) {
        continue;
    }
    mca_pml_champion_lock();
    mca_pml_champion_peers_each(drop_reorder);
    mca_pml_champion_unlock();
    mca_pml_champion_posted_drain();
    while (mca_pml_champion_posted_is_busy()) {
        opal_progress();
        mca_pml_champion_progress();
    }
    mca_pml_champion_lock();
    mca_pml_champion_peers_disconnect();
    mca_pml_champion_unlock();
    fence();
}

static int finalize_open(void)
{
    mca_pml_champion_self_added = arm;
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(finalize) = {
    .name = "finalize", .open = finalize_open, .stop = finalize_stop};
