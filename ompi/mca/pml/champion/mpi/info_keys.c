/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/mpi/info_keys.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "opal/util/info_subscriber.h"
#include "opal/util/output.h"

#include "ompi/errhandler/errcode.h"

#include "ompi/mca/pml/champion/core/board.h"

static mca_pml_champion_comm_t *comm_of(opal_infosubscriber_t *object)
{
    return mca_pml_champion_comm((ompi_communicator_t *) object);
}

/* A value is ignored. The first one of each key is told, others are with
 * pml_base_verbose. */
static __attribute__((format(printf, 3, 4))) void ignored(
    mca_pml_champion_claim_t key, const mca_pml_champion_comm_t *comm,
    const char *format, ...)
{
    char text[400];
    va_list arguments;

    va_start(arguments, format);
    (void) vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (mca_pml_champion_board_claim(key)) {
        opal_output(0, "champion: %s: info key %s", comm->comm->c_name, text);
    } else {
        opal_output_verbose(MCA_BASE_VERBOSE_WARN, mca_pml_champion.output,
                            "champion: %s: info key %s", comm->comm->c_name,
                            text);
    }
}

/* ---- mpi_assert_*: promises --------------------------------------------- */

static const struct {
    const char *key;
    uint32_t bit;
} assertions[] = {
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
static MCA_MQ_OMPI_INFO_STRING promised(opal_infosubscriber_t *object,
                                        MCA_MQ_OMPI_INFO_STRING key,
                                        MCA_MQ_OMPI_INFO_STRING value)
{
    mca_pml_champion_comm_t *comm = comm_of(object);
    bool promises = NULL != value && 0 == strcasecmp(value, "true");
    uint32_t all;

    /* One communicator cannot promise anything for others that share its
     * domain. */
    if (NULL != comm && comm->domain == &comm->own) {
        mca_pml_champion_lock();
        all = comm->own.info.assertions & ~bit_of(key);
        if (promises) {
            all |= bit_of(key);
        }
        if (all != comm->own.info.assertions) {
            (void) mca_mq_base_domain_assert(&comm->own, all);
        }
        mca_pml_champion_unlock();
    }
    /* The info holds only keys with a promise. */
    return promises ? MCA_MQ_OMPI_INFO_KEY("true") : NULL;
}

/* Make an error code of the class, with a text of its own, unless there is one.
 * Made at first use, as few programs break a promise. */
static int code_of(int *code, int class, const char *text)
{
    if (0 == *code) {
        *code = ompi_mpi_errcode_add(class);
        if (*code < 0 ||
            OMPI_SUCCESS != ompi_mpi_errnum_add_string(
                                *code, text, (int) strlen(text) + 1)) {
            *code = class;
        }
    }
    return *code;
}

int mca_pml_champion_broken_promise(const mca_pml_champion_comm_t *comm,
                                    int source)
{
    static int source_code, tag_code;
    int code;

    mca_pml_champion_lock();
    if (OMPI_ANY_SOURCE == source &&
        0 != (comm->domain->info.assertions & MCA_MQ_ASSERT_NO_ANY_SOURCE)) {
        code = code_of(
            &source_code, MPI_ERR_RANK,
            "MPI_ERR_RANK: MPI_ANY_SOURCE in a communicator that was promised "
            "not to need it (info key mpi_assert_no_any_source or parameter "
            "mq_base_assert)");
    } else {
        code = code_of(
            &tag_code, MPI_ERR_TAG,
            "MPI_ERR_TAG: MPI_ANY_TAG in a communicator that was promised not "
            "to need it (info key mpi_assert_no_any_tag or parameter "
            "mq_base_assert)");
    }
    mca_pml_champion_unlock();
    return code;
}

/* ---- ompi_mq: the component ---------------------------------------------- */

#define MQ_KEY "ompi_mq"
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
        ignored(MCA_PML_CHAMPION_CLAIM_KEY_MQ, comm,
                MQ_KEY " = \"%s\" is ignored: %s; %s stays",
                NULL == choice ? "" : choice, why, in_force(comm));
    }
}

static MCA_MQ_OMPI_INFO_STRING mq_chosen(opal_infosubscriber_t *object,
                                         MCA_MQ_OMPI_INFO_STRING key,
                                         MCA_MQ_OMPI_INFO_STRING value)
{
    mca_pml_champion_comm_t *comm = comm_of(object);

    (void) key;
    if (NULL == comm) {
        return value;
    }
    if (comm->domain != &comm->own) {
        if (comm->subscribed) {
            ignored(MCA_PML_CHAMPION_CLAIM_KEY_MQ, comm,
                    MQ_KEY " is ignored: mq_base_scope is process");
        }
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

/* ---- ompi_progress_thread ------------------------------------------------ */

#define THREAD_KEY "ompi_progress_thread"

/* The words, by value of the parameter. */
static const char *const words[] = {
    [MCA_PML_CHAMPION_OFF] = "off",
    [MCA_PML_CHAMPION_AUTO] = "auto",
    [MCA_PML_CHAMPION_ON] = "on",
};

/* 0: the word is none of these. */
static int mode_of(const char *word)
{
    for (int i = MCA_PML_CHAMPION_OFF; i <= MCA_PML_CHAMPION_ON; ++i) {
        if (0 == strcmp(words[i], word)) {
            return i;
        }
    }
    return 0;
}

static void add(uint32_t *counter, int more)
{
    __atomic_store_n(counter, *counter + (uint32_t) more, __ATOMIC_RELAXED);
}

static void count(int mode, int more)
{
    if (MCA_PML_CHAMPION_ON == mode) {
        add(&mca_pml_champion.thread_on, more);
    } else if (MCA_PML_CHAMPION_OFF == mode) {
        add(&mca_pml_champion.thread_off, more);
    }
}

/* Lock held. */
static void choose(mca_pml_champion_comm_t *comm, int mode)
{
    MCA_PML_CHAMPION_LOCKED();
    count(comm->thread, -1);
    count(mode, 1);
    comm->thread = mode;
}

static MCA_MQ_OMPI_INFO_STRING thread_chosen(opal_infosubscriber_t *object,
                                             MCA_MQ_OMPI_INFO_STRING key,
                                             MCA_MQ_OMPI_INFO_STRING value)
{
    mca_pml_champion_comm_t *comm = comm_of(object);
    const int mode = NULL == value ? MCA_PML_CHAMPION_AUTO : mode_of(value);

    (void) key;
    if (NULL == comm) {
        return value;
    }
    if (0 != mode) {
        mca_pml_champion_lock();
        choose(comm, mode);
        mca_pml_champion_unlock();
    } else {
        ignored(MCA_PML_CHAMPION_CLAIM_KEY_THREAD, comm,
                THREAD_KEY
                " = \"%s\" is ignored: it is not off, auto or on; %s stays",
                value, words[comm->thread]);
    }
    return MCA_MQ_OMPI_INFO_KEY(words[comm->thread]);
}

void mca_pml_champion_info_leave(mca_pml_champion_comm_t *comm)
{
    choose(comm, MCA_PML_CHAMPION_AUTO);
}

/* ---- subscriptions ------------------------------------------------------- */

/* The value of a key that the communicator's info does not have is that of the
 * session, or else this one. */
static int subscribe(const mca_pml_champion_comm_t *comm, const char *key,
                     const char *value, opal_key_interest_callback_t changed)
{
    char initial[MPI_MAX_INFO_VAL + 1];

    if (!mca_mq_ompi_session_info(comm->comm, key, initial)) {
        (void) snprintf(initial, sizeof(initial), "%s", value);
    }
    return opal_infosubscribe_subscribe(
        &comm->comm->super, MCA_MQ_OMPI_INFO_KEY(key), initial, changed);
}

int mca_pml_champion_info_subscribe(mca_pml_champion_comm_t *comm)
{
    char word[] = "auto";
    int rc = OMPI_SUCCESS;

    comm->thread = MCA_PML_CHAMPION_AUTO;
    for (size_t i = 0; i < ASSERTIONS && OMPI_SUCCESS == rc; ++i) {
        rc = subscribe(comm, assertions[i].key, "false", promised);
    }
    if (OMPI_SUCCESS == rc) {
        rc = subscribe(comm, MQ_KEY, mca_mq_base_domain_name(comm->domain),
                       mq_chosen);
    }
    comm->subscribed = true;
    return OMPI_SUCCESS == rc
               ? opal_infosubscribe_subscribe(&comm->comm->super,
                                              MCA_MQ_OMPI_INFO_KEY(THREAD_KEY),
                                              word, thread_chosen)
               : rc;
}
