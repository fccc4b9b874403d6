/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/mpi/thread_choice.h"

#include <string.h>

#include "opal/util/info_subscriber.h"
#include "opal/util/output.h"

#define KEY "ompi_progress_thread"

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
    MCA_PML_CHAMPION_LOCKED();
    if (MCA_PML_CHAMPION_ON == mode) {
        add(&mca_pml_champion.thread_on, more);
    } else if (MCA_PML_CHAMPION_OFF == mode) {
        add(&mca_pml_champion.thread_off, more);
    }
}

static void choose(mca_pml_champion_comm_t *comm, int mode)
{
    mca_pml_champion_lock();
    count(comm->thread, -1);
    count(mode, 1);
    comm->thread = mode;
    mca_pml_champion_unlock();
}

static MCA_MQ_OMPI_INFO_STRING changed(opal_infosubscriber_t *object,
                                       MCA_MQ_OMPI_INFO_STRING key,
                                       MCA_MQ_OMPI_INFO_STRING value)
{
    mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm((ompi_communicator_t *) object);
    int mode = MCA_PML_CHAMPION_AUTO;

    (void) key;
    if (NULL == comm) {
        return value;
    }
    if (NULL != value) {
        mode = mode_of(value);
    }
    if (0 != mode) {
        choose(comm, mode);
    } else {
        opal_output_verbose(MCA_BASE_VERBOSE_WARN, mca_pml_champion.output,
                            "champion: %s: info key " KEY
                            " = \"%s\" is ignored: it is not off, auto or on; "
                            "%s stays",
                            comm->comm->c_name, value, words[comm->thread]);
    }
    return MCA_MQ_OMPI_INFO_KEY(words[comm->thread]);
}

int mca_pml_champion_thread_choice_subscribe(mca_pml_champion_comm_t *comm)
{
    char word[] = "auto";

    comm->thread = MCA_PML_CHAMPION_AUTO;
    return opal_infosubscribe_subscribe(
        &comm->comm->super, MCA_MQ_OMPI_INFO_KEY(KEY), word, changed);
}

void mca_pml_champion_thread_choice_leave(mca_pml_champion_comm_t *comm)
{
    MCA_PML_CHAMPION_LOCKED();
    count(comm->thread, -1);
    comm->thread = MCA_PML_CHAMPION_AUTO;
}
