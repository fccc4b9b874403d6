/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The info key ompi_mq: which mq component matches a communicator's messages,
 * and with which parameters. Read when the communicator is made and whenever
 * its info is set.
 */

#include "ompi/mca/pml/champion/mpi/choice.h"

#include <stdio.h>
#include <string.h>

#include "opal/util/info_subscriber.h"
#include "opal/util/output.h"

#define KEY "ompi_mq"
/* The value that undoes a choice; MPI has no empty values. */
#define NONE "default"

/* The choice in force. The text is valid until the next call for this
 * communicator. */
static const char *in_force(const mca_pml_champion_comm_t *comm)
{
    const char *choice = mca_mq_base_domain_choice(&comm->own);

    return NULL != choice ? choice : mca_mq_base_domain_name(&comm->own);
}

static void prefer(mca_pml_champion_comm_t *comm, const char *choice)
{
    char why[200];
    int rc;

    mca_pml_champion_lock();
    rc = mca_mq_base_domain_prefer(&comm->own, choice, why, sizeof(why));
    mca_pml_champion_unlock();
    if (OMPI_SUCCESS != rc) {
        opal_output_verbose(MCA_BASE_VERBOSE_WARN, mca_pml_champion.output,
                            "champion: %s: info key " KEY
                            " = \"%s\" is ignored: %s; %s stays",
                            comm->comm->c_name, NULL == choice ? "" : choice,
                            why, in_force(comm));
    }
}

static MCA_MQ_OMPI_INFO_STRING changed(opal_infosubscriber_t *object,
                                       MCA_MQ_OMPI_INFO_STRING key,
                                       MCA_MQ_OMPI_INFO_STRING value)
{
    mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm((ompi_communicator_t *) object);

    (void) key;
    if (NULL == comm) {
        return value;
    }
    if (comm->domain != &comm->own) {
        opal_output_verbose(MCA_BASE_VERBOSE_WARN, mca_pml_champion.output,
                            "champion: %s: info key " KEY
                            " is ignored: mq_base_scope is process",
                            comm->comm->c_name);
        return value;
    }
    /* A new communicator's info names the component in use, and a duplicate's
     * names that of its parent: that is no wish of the user. */
    if (comm->subscribed || NULL == value ||
        0 != strcmp(value, mca_mq_base_domain_name(&comm->own))) {
        prefer(comm, NULL == value || 0 == strcmp(value, NONE) ? NULL : value);
    }
    return MCA_MQ_OMPI_INFO_KEY(in_force(comm));
}

int mca_pml_champion_choice_subscribe(mca_pml_champion_comm_t *comm)
{
    char session[MPI_MAX_INFO_VAL + 1];
    int rc;

    if (!mca_mq_ompi_session_info(comm->comm, KEY, session)) {
        snprintf(session, sizeof(session), "%s",
                 mca_mq_base_domain_name(comm->domain));
    }
    rc = opal_infosubscribe_subscribe(
        &comm->comm->super, MCA_MQ_OMPI_INFO_KEY(KEY), session, changed);
    comm->subscribed = true;
    return rc;
}
