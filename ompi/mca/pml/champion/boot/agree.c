/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/boot/agree.h"

#include <stdio.h>
#include <stdlib.h>

#include "ompi/mca/pml/champion/peer/modex.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/stats/observer.h"

#include "opal/util/show_help.h"

#include "ompi/mca/mq/base/record/profile.h"
#include "ompi/mca/pml/champion/mpi/schedule.h"
#include "ompi/mca/pml/champion/stats/profile.h"

#define HELP "help-mpi-pml-champion.txt"

uint32_t mca_pml_champion_wanted(void)
{
    return (mca_pml_champion.params.stats ? MCA_PML_CHAMPION_WANTS_STATS : 0) |
           (mca_mq_base_profile_is_wanted() ? MCA_PML_CHAMPION_WANTS_PROFILE
                                            : 0);
}

const mca_pml_champion_coll_params_t *mca_pml_champion_coll_params(void)
{
    return ((const mca_pml_champion_component_t *) mca_pml_champion.component)
        ->coll;
}

/* Ask rank 0's published address what is wanted, and what its collectives are
 * like. */
static int ask(uint32_t *wanted, mca_pml_champion_coll_params_t *coll)
{
    const opal_process_name_t zero = {.jobid = OPAL_PROC_MY_NAME.jobid};
    mca_pml_champion_address_t *address;
    size_t length;

    if (mca_pml_champion_modex_recv(&zero, (void **) &address, &length) < 0 ||
        length < sizeof(*address) || MCA_PML_CHAMPION_MAGIC != address->magic ||
        MCA_PML_CHAMPION_WIRE_VERSION != address->wire_version) {
        /* An incompatible rank 0 is reported when it is first used as a peer,
         * and another PML by Open MPI. Neither job reaches MPI_Finalize. */
        free(address);
        return OMPI_ERR_NOT_FOUND;
    }
    *wanted = address->wanted & MCA_PML_CHAMPION_WANTS;
    *coll = address->coll;
    free(address);
    return OMPI_SUCCESS;
}

static void complain(uint32_t only_here, const char *parameter, uint32_t bit)
{
    if (0 != (only_here & bit)) {
        opal_show_help(HELP, "rank 0 decides", true, parameter,
                       (int) OPAL_PROC_MY_NAME.vpid, parameter);
    }
}

static bool differ(const char *parameter, uint32_t here, uint32_t there)
{
    char values[2][16];

    if (here == there) {
        return false;
    }
    (void) snprintf(values[0], sizeof(values[0]), "%u", here);
    (void) snprintf(values[1], sizeof(values[1]), "%u", there);
    opal_show_help(HELP, "parameters differ", true, parameter, values[1],
                   (int) OPAL_PROC_MY_NAME.vpid, values[0], parameter);
    return true;
}

/* Are collectives as rank 0 has them? */
static bool is_equal(const mca_pml_champion_coll_params_t *there)
{
    const mca_pml_champion_coll_params_t *here = mca_pml_champion_coll_params();
    static const char *const used[] = {"without champion", "with champion"};

    if ((0 == here->segment) != (0 == there->segment)) {
        opal_show_help(HELP, "parameters differ", true, "coll",
                       used[0 != there->segment], (int) OPAL_PROC_MY_NAME.vpid,
                       used[0 != here->segment], "coll");
        return false;
    }
    return !differ("coll_champion_priority", here->priority, there->priority) &&
           !differ("coll_champion_short", here->short_limit,
                   there->short_limit) &&
           !differ("coll_champion_segment", here->segment, there->segment);
}

/* Adopt what rank 0 wants. An error, after a message, if what has to be equal is
 * not. */
static int agree(void)
{
    mca_pml_champion_coll_params_t coll = *mca_pml_champion_coll_params();
    uint32_t mine = mca_pml_champion_wanted(), wanted;

    if (0 == OPAL_PROC_MY_NAME.vpid || OMPI_SUCCESS != ask(&wanted, &coll)) {
        wanted = mine;
    }
    if (!is_equal(&coll)) {
        return OMPI_ERR_BAD_PARAM;
    }
    complain(mine & ~wanted, "pml_champion_stats",
             MCA_PML_CHAMPION_WANTS_STATS);
    complain(mine & ~wanted, "mq_base_profile", MCA_PML_CHAMPION_WANTS_PROFILE);
    mca_pml_champion.params.stats =
        0 != (wanted & MCA_PML_CHAMPION_WANTS_STATS);
    if (mca_pml_champion.params.stats) {
        mca_pml_champion_observer_all();
    }
    mca_mq_base_profile_follow(0 != (wanted & MCA_PML_CHAMPION_WANTS_PROFILE));
    mca_pml_champion_profile_begin();
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(agreement) = {.name = "agreement", .start = agree};
