/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Finalize, in two parts.
 *
 * When it begins it deletes the attributes of MPI_COMM_SELF while MPI is still
 * complete, the last one set first; ours is the first one ever set, so when its
 * turn comes the program has sent and received all it will. From there on no
 * receive can come for a user's message that is still unexpected. It is
 * dropped, which completes its sender: a buffered send of another process,
 * which its MPI_Finalize waits for, may depend on it.
 *
 * When the PML ends, no communicator is left. An endpoint whose rendezvous send
 * nobody answered can be closed, but leaves a request behind in UCX. So first
 * every process drops what it has not received and goes on dropping, until all
 * sends of all processes are complete; only then are endpoints closed.
 */

#include "ompi/mca/pml/champion/pml_champion_finalize.h"

#include <stdlib.h>

#include "ompi/attribute/attribute.h"

#include "ompi/mca/pml/champion/offload/posted.h"
#include "ompi/mca/pml/champion/match/arrival.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/rndv/prefetch.h"
#include "ompi/mca/pml/champion/mpi/probe.h"
#include "ompi/mca/pml/champion/stats/profile.h"
#include "ompi/mca/pml/champion/progress/progress.h"
#include "ompi/mca/pml/champion/stats/stats_form.h"

/* The messages of a domain that wait for a receive which cannot come. */
typedef struct doomed_t {
    mca_mq_entry_t **entries; /* NULL while they are only counted */
    size_t count;
} doomed_t;

static void doom(mca_mq_entry_t *entry, void *arg)
{
    doomed_t *doomed = arg;

    if (entry->envelope.tag < 0) {
        return;
    }
    if (NULL != doomed->entries) {
        doomed->entries[doomed->count] = entry;
    }
    ++doomed->count;
}

static void drop_in(mca_mq_base_domain_t *domain)
{
    doomed_t doomed = {.entries = NULL};

    mca_mq_base_visit(domain->module, MCA_MQ_UNEXPECTED, NULL, doom, &doomed);
    doomed.entries = malloc(doomed.count * sizeof(*doomed.entries));
    if (NULL == doomed.entries) {
        return; /* they go with their communicator */
    }
    doomed.count = 0;
    mca_mq_base_visit(domain->module, MCA_MQ_UNEXPECTED, NULL, doom, &doomed);
    for (size_t i = 0; i < doomed.count; ++i) {
        mca_mq_base_withdraw_unexpected(domain, doomed.entries[i]);
        mca_pml_champion_message_drop(
            (mca_pml_champion_message_t *) doomed.entries[i]);
    }
    free(doomed.entries);
}

static void drop_unexpected(void)
{
    mca_pml_champion_lock();
    mca_pml_champion.ending = true;
    for (uint32_t i = 0; i < mca_pml_champion.num_comms; ++i) {
        mca_pml_champion_comm_t *comm = mca_pml_champion_comm_at(i);

        if (NULL != comm) {
            drop_in(comm->domain);
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

static int finalize_begins(ompi_communicator_t *comm, int keyval, void *attr,
                           void *extra)
{
    mca_pml_champion_profile_t profile;

    (void) comm;
    (void) keyval;
    (void) attr;
    (void) extra;
    /* Before there are messages of our own. */
    mca_pml_champion_profile_snapshot(&profile);
    if (mca_pml_champion.params.stats) {
        report();
    }
    mca_pml_champion_profile_write(&profile);
    drop_unexpected();
    return MPI_SUCCESS;
}

/* A duplicate of MPI_COMM_SELF is of no interest. */
static MCA_MQ_OMPI_ATTR_COPY(no_copy, flag)
{
    *flag = 0;
    return MPI_SUCCESS;
}

int mca_pml_champion_finalize_arm(void)
{
    ompi_attribute_fn_ptr_union_t copy, del;
    int keyval = MPI_KEYVAL_INVALID, rc;

    copy.attr_communicator_copy_fn = no_copy;
    del.attr_communicator_delete_fn = finalize_begins;
    rc = ompi_attr_create_keyval(COMM_ATTR, copy, del, &keyval, NULL, 0, NULL);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    return ompi_attr_set_c(COMM_ATTR, &ompi_mpi_comm_self.comm,
                           &ompi_mpi_comm_self.comm.c_keyhash, keyval, NULL,
                           false);
}

/* Wait for all processes of the job, and let UCX work meanwhile. */
static void fence_done(int status, void *arg)
{
    (void) status;
    __atomic_store_n((uint32_t *) arg, 1, __ATOMIC_RELEASE);
}

static void fence(void)
{
    /* PMIx answers from a thread of its own. */
    static uint32_t done;

    __atomic_store_n(&done, 0, __ATOMIC_RELEASE);
    if (MCA_MQ_OMPI_FENCE_NB(fence_done, &done)) {
        mca_pml_champion_wait(&done);
    }
}

static void drop_early(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_messages_drop(&peer->reorder.first);
}

/* Messages nobody has received: their senders must not wait for ever. */
static void drop_all(void)
{
    mca_pml_champion_lock();
    mca_pml_champion.finalizing = true;
    mca_pml_champion_parked_drop();
    mca_pml_champion_unlock();
}

void mca_pml_champion_disconnect(void)
{
    MCA_PML_CHAMPION_UNLOCKED();
    if (NULL == mca_pml_champion.worker) {
        return;
    }
    drop_all();
    while (0 != mca_pml_champion.active_sends ||
           mca_pml_champion_prefetch_is_busy() ||
           NULL != mca_pml_champion.delayed) {
        opal_progress();
        mca_pml_champion_progress();
    }
    fence();
    while (0 != mca_pml_champion_progress()) {
        continue;
    }
    mca_pml_champion_lock();
    mca_pml_champion_peers_each(drop_early);
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
