/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/shm/copy.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/unit.h"

#include "ompi/mca/pml/champion/shm/copy_recv.h"
#include "ompi/mca/pml/champion/shm/copy_send.h"
#include "ompi/mca/pml/champion/shm/rings.h"

#define RINGS mca_pml_champion_rings

static int copy_by;

static bool copy_register(void)
{
    static const mca_base_var_enum_value_t words[] = {
        {MCA_PML_CHAMPION_COPY_BY_AUTO, "auto"},
        {MCA_PML_CHAMPION_COPY_BY_BOTH, "both"},
        {MCA_PML_CHAMPION_COPY_BY_RECEIVER, "receiver"},
        {MCA_PML_CHAMPION_COPY_BY_UCX, "ucx"},
        {0, NULL},
    };

    copy_by = MCA_PML_CHAMPION_COPY_BY_AUTO;
    return OMPI_SUCCESS ==
           mca_mq_base_param_enum(
               mca_pml_champion.component, "copy_by",
               "Side that copies large messages between processes of a node "
               "that can access each other's memory (CMA): receiver: the "
               "receiver alone; both: the sender, too, while it waits in MPI; "
               "auto: both if each has a core of its own and such messages do "
               "not cross; ucx: UCX for messages of more than "
               "pml_champion_ring_max, the receiver for others. With "
               "pml_champion_thread_local UCX copies all of them",
               OPAL_INFO_LVL_9, words, &copy_by);
}

/* valgrind loads its own libraries this way. */
static bool is_under_valgrind(void)
{
    const char *preloaded = getenv("LD_PRELOAD");

    return NULL != preloaded && NULL != strstr(preloaded, "vgpreload");
}

/* Copy what this process receives; if there is nothing of that, help with what
 * it sends. */
static unsigned step(void)
{
    unsigned events = 0;

    if (RINGS.copying.polls) {
        events += mca_pml_champion_copy_recv_step();
    }
    if (0 == events && NULL != RINGS.with_rgets) {
        events += mca_pml_champion_copy_send_step();
    }
    mca_pml_champion_chore_set(&RINGS.copying,
                               RINGS.copying.polls || NULL != RINGS.with_rgets);
    return events;
}

static int copy_open(void)
{
    RINGS.copying.step = step;
    mca_pml_champion_copy_recv_open();
    RINGS.large = MCA_PML_CHAMPION_COPY_BY_UCX != copy_by &&
                  !mca_pml_champion.params.thread_within_node;
    if (MCA_PML_CHAMPION_COPY_BY_RECEIVER == copy_by ||
        MCA_PML_CHAMPION_COPY_BY_UCX == copy_by || is_under_valgrind()) {
        RINGS.copy = NULL;
    }
    RINGS.shares = MCA_PML_CHAMPION_COPY_BY_BOTH == copy_by;
    return OMPI_SUCCESS;
}

static void copy_close(void)
{
    mca_pml_champion_copy_recv_close();
    RINGS.large = false;
    RINGS.copy = NULL;
}

MCA_PML_CHAMPION_UNIT(copies) = {.name = "copies",
                                 .registers = copy_register,
                                 .open = copy_open,
                                 .close = copy_close};
