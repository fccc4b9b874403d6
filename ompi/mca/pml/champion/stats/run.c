/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/stats/run.h"

#include <stdio.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/large/thread_trigger.h"

typedef mca_pml_champion_run_transport_t transport_t;

#define MORE "..."

/* Linux has the words, with zeros between them. */
static void find_command(mca_pml_champion_run_t *run)
{
    const size_t most = sizeof(run->command) - sizeof(MORE);
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t length;

    run->command_length = 0;
    if (NULL == file) {
        return;
    }
    length = fread(run->command, 1, most, file);
    if (most == length && EOF != fgetc(file)) {
        while (0 < length && '\0' != run->command[length - 1]) {
            --length;
        }
        memcpy(run->command + length, MORE, sizeof(MORE));
        length += sizeof(MORE);
    }
    (void) fclose(file);
    /* A program may have written over its own. */
    if (0 < length && '\0' == run->command[length - 1]) {
        run->command_length = length;
    }
}

void mca_pml_champion_run_describe(mca_pml_champion_run_t *run)
{
    const mca_base_component_t *mq =
        &mca_pml_champion_comm(&ompi_mpi_comm_world.comm)
             ->domain->module->mq_component->mqm_version;

    find_command(run);
    run->seconds = (double) (mca_pml_champion_now() -
                             mca_pml_champion_thread_trigger.since) *
                   1e-9;
    /* The library that runs, not the one that this was built with. Its layers
     * have one version; from 6.0 on MPI's own functions are in a library that
     * components do not link with. */
    snprintf(run->open_mpi, sizeof(run->open_mpi), "%s", opal_version_string);
    run->ucx = ucp_get_version_string();
    snprintf(run->mq, sizeof(run->mq), "%d.%d.%d",
             mq->mca_component_major_version, mq->mca_component_minor_version,
             mq->mca_component_release_version);
}

const char *mca_pml_champion_run_word(const mca_pml_champion_run_t *run,
                                      const char *word)
{
    const char *next = NULL == word ? run->command : word + strlen(word) + 1;

    return next < run->command + run->command_length ? next : NULL;
}

transport_t *mca_pml_champion_run_transport(
    transport_t of[MCA_PML_CHAMPION_RUN_TRANSPORTS], const char *name)
{
    for (int i = 0; i < MCA_PML_CHAMPION_RUN_TRANSPORTS; ++i) {
        if ('\0' == of[i].name[0]) {
            snprintf(of[i].name, sizeof(of[i].name), "%s", name);
        }
        if (0 == strncmp(of[i].name, name, sizeof(of[i].name) - 1)) {
            return &of[i];
        }
    }
    return NULL;
}

/* The transports that are counted, and those of the endpoint that is looked
 * at: it may have several lanes of one. */
static transport_t *counted;
static uint32_t seen;

static void count_lane(const char *transport, void *arg)
{
    transport_t *one = mca_pml_champion_run_transport(counted, transport);

    (void) arg;
    if (NULL != one && 0 == (seen & UINT32_C(1) << (one - counted))) {
        seen |= UINT32_C(1) << (one - counted);
        ++one->endpoints;
    }
}

static void count_peer(mca_pml_champion_peer_t *peer)
{
    const ucp_ep_h ep = NULL != peer->ep ? peer->ep : peer->reply_ep;

    seen = 0;
    if (NULL != ep) {
        (void) mca_pml_champion_ucx_each_lane(ep, count_lane, NULL);
    }
}

void mca_pml_champion_run_transports(
    transport_t of[MCA_PML_CHAMPION_RUN_TRANSPORTS])
{
    MCA_PML_CHAMPION_LOCKED();
    memset(of, 0, MCA_PML_CHAMPION_RUN_TRANSPORTS * sizeof(*of));
    counted = of;
    mca_pml_champion_peers_each(count_peer);
}
