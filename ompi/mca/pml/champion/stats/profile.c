/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When MPI_Finalize begins, rank 0 writes what all processes have recorded
 * (mq_base_profile). The recorder is part of mq; this file provides what mq
 * does not know of messages and communicators.
 */

#include "ompi/mca/pml/champion/stats/profile.h"

#include <errno.h>
#include <stdlib.h>

#include "ompi/mca/mq/base/record/profile.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/stats/gather_tree.h"
#include "ompi/mca/pml/champion/stats/run.h"

/* An arrival's argument begins with its length; see stats/observer.h. */
static uint64_t length_of(const void *arg)
{
    return *(const size_t *) arg;
}

static int32_t world_rank_of(uint32_t context, int32_t source)
{
    const mca_pml_champion_comm_t *comm = mca_pml_champion_comm_find(context);
    opal_process_name_t name;

    if (NULL == comm) {
        return -1;
    }
    name = ompi_group_get_proc_name(comm->comm->c_remote_group, source);
    return OPAL_PROC_MY_NAME.jobid == name.jobid ? (int32_t) name.vpid : -1;
}

static const mca_mq_base_profile_teller_t teller = {
    .length = length_of,
    .world_rank = world_rank_of,
};

void mca_pml_champion_profile_begin(void)
{
    mca_mq_base_profile_tell(&teller);
}

void mca_pml_champion_profile_leave(const mca_pml_champion_comm_t *comm)
{
    MCA_PML_CHAMPION_LOCKED();
    if (mca_mq_base_profile_is_wanted()) {
        mca_mq_base_profile_name(comm->context, comm->comm->c_name);
    }
}

static void add(const void *chunk, size_t length, void *file)
{
    mca_mq_base_profile_file_add(file, chunk, length);
}

/* The command, with blanks between its words, and versions. */
static void add_run(mca_mq_base_profile_file_t *file)
{
    static mca_pml_champion_run_t run;
    char command[sizeof(run.command)] = "";
    size_t length = 0;

    mca_pml_champion_run_describe(&run);
    for (const char *word = mca_pml_champion_run_word(&run, NULL); NULL != word;
         word = mca_pml_champion_run_word(&run, word)) {
        length += (size_t) sprintf(command + length, "%s%s",
                                   0 == length ? "" : " ", word);
    }
    mca_mq_base_profile_file_run(file, "command", command);
    mca_mq_base_profile_file_run(file, "open_mpi", run.open_mpi);
    mca_mq_base_profile_file_run(file, "ucx", run.ucx);
    mca_mq_base_profile_file_run(file, "champion", MCA_MQ_RELEASE);
    mca_mq_base_profile_file_run(file, "mq", run.mq);
}

static void added(int rank, bool whole, void *file)
{
    (void) rank;
    if (!whole) {
        mca_mq_base_profile_file_fail(file, ENOMEM);
    }
}

static const mca_pml_champion_gather_sink_t sink = {.chunk = add, .end = added};

/* This process's copy of what it has recorded; NULL: none, or memory ran out. */
static char *text;
static size_t text_length;

/* The other ranks wait to be asked, so they are asked even after an error. */
static void write_all(void)
{
    mca_mq_base_profile_file_t file;
    int size = ompi_comm_size(&ompi_mpi_comm_world.comm);

    mca_mq_base_profile_file_begin(&file, NULL, (uint32_t) size);
    add_run(&file);
    if (NULL != text) {
        add(text, text_length, &file);
    }
    added(0, NULL != text, &file);
    mca_pml_champion_gather(NULL, 0, &sink, &file);
    (void) mca_mq_base_profile_file_end(&file);
}

void mca_pml_champion_profile_snapshot(void)
{
    if (!mca_mq_base_profile_is_wanted()) {
        return;
    }
    mca_pml_champion_lock();
    for (uint32_t i = 0; i < mca_pml_champion.num_comms; ++i) {
        const mca_pml_champion_comm_t *comm = mca_pml_champion_comm_at(i);

        if (NULL != comm) {
            mca_pml_champion_profile_leave(comm); /* its present name */
        }
    }
    text = mca_mq_base_profile_text(&text_length);
    mca_pml_champion_unlock();
}

void mca_pml_champion_profile_write(void)
{
    if (!mca_mq_base_profile_is_wanted()) {
        return;
    }
    if (0 == ompi_comm_rank(&ompi_mpi_comm_world.comm)) {
        write_all();
    } else {
        mca_pml_champion_gather(text, text_length, &sink, NULL);
    }
    free(text);
    text = NULL;
}
