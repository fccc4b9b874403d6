/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the user of a communicator promises about its receives: the info keys
 * mpi_assert_* (MPI-4, section 7.4.4). They are read when the communicator is
 * made and whenever its info is set; then another component may take over the
 * matching.
 */

#include "ompi/mca/pml/champion/mpi/assertions.h"

#include <string.h>
#include <strings.h>

#include "opal/util/info_subscriber.h"

#include "ompi/errhandler/errcode.h"

typedef struct assertion_t {
    const char *key;
    uint32_t bit;
} assertion_t;

static const assertion_t assertions[] = {
    {"mpi_assert_no_any_source", MCA_MQ_ASSERT_NO_ANY_SOURCE},
    {"mpi_assert_no_any_tag", MCA_MQ_ASSERT_NO_ANY_TAG},
    {"mpi_assert_exact_length", MCA_MQ_ASSERT_EXACT_LENGTH},
    {"mpi_assert_allow_overtaking", MCA_MQ_ASSERT_ALLOW_OVERTAKING},
};

#define ASSERTIONS (sizeof(assertions) / sizeof(assertions[0]))

static uint32_t bit_of(const char *key)
{
    for (size_t i = 0; i < ASSERTIONS; ++i) {
        if (0 == strcmp(assertions[i].key, key)) {
            return assertions[i].bit;
        }
    }
    return 0;
}

/* Only "true", the one value that MPI defines, is a promise. */
static MCA_MQ_OMPI_INFO_STRING changed(opal_infosubscriber_t *object,
                                       MCA_MQ_OMPI_INFO_STRING key,
                                       MCA_MQ_OMPI_INFO_STRING value)
{
    mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm((ompi_communicator_t *) object);
    bool promised = NULL != value && 0 == strcasecmp(value, "true");
    uint32_t promises;

    /* One communicator cannot promise anything for others that share its
     * domain. */
    if (NULL != comm && comm->domain == &comm->own) {
        mca_pml_champion_lock();
        promises = comm->own.info.assertions & ~bit_of(key);
        if (promised) {
            promises |= bit_of(key);
        }
        if (promises != comm->own.info.assertions) {
            (void) mca_mq_base_domain_assert(&comm->own, promises);
        }
        mca_pml_champion_unlock();
    }
    /* The info holds only keys with a promise. */
    return promised ? MCA_MQ_OMPI_INFO_KEY("true") : NULL;
}

int mca_pml_champion_assert_subscribe(mca_pml_champion_comm_t *comm)
{
    char session[MPI_MAX_INFO_VAL + 1];
    int rc = OMPI_SUCCESS;

    for (size_t i = 0; i < ASSERTIONS && OMPI_SUCCESS == rc; ++i) {
        const char *key = assertions[i].key;

        /* The session's value is the default; the communicator's info may
         * override it. */
        if (!mca_mq_ompi_session_info(comm->comm, key, session)) {
            strcpy(session, "false");
        }
        rc = opal_infosubscribe_subscribe(
            &comm->comm->super, MCA_MQ_OMPI_INFO_KEY(key), session, changed);
    }
    return rc;
}

/* Make an error code of the class, with a text of its own. Made at first use,
 * as few programs break a promise. */
static int code_of(int class, const char *text)
{
    int code = ompi_mpi_errcode_add(class);

    if (code < 0 || OMPI_SUCCESS != ompi_mpi_errnum_add_string(
                                        code, text, (int) strlen(text) + 1)) {
        return class;
    }
    return code;
}

int mca_pml_champion_broken_promise(const mca_pml_champion_comm_t *comm,
                                    int source)
{
    static int source_code, tag_code;
    int code;

    mca_pml_champion_lock();
    if (OMPI_ANY_SOURCE == source &&
        0 != (comm->domain->info.assertions & MCA_MQ_ASSERT_NO_ANY_SOURCE)) {
        if (0 == source_code) {
            source_code = code_of(
                MPI_ERR_RANK,
                "MPI_ERR_RANK: MPI_ANY_SOURCE in a communicator that was "
                "promised not to need it (info key mpi_assert_no_any_source "
                "or parameter mq_base_assert)");
        }
        code = source_code;
    } else {
        if (0 == tag_code) {
            tag_code = code_of(
                MPI_ERR_TAG,
                "MPI_ERR_TAG: MPI_ANY_TAG in a communicator that was promised "
                "not to need it (info key mpi_assert_no_any_tag or parameter "
                "mq_base_assert)");
        }
        code = tag_code;
    }
    mca_pml_champion_unlock();
    return code;
}
