/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Brings what every process has recorded (mq_base_profile) to rank 0, which
 * writes it, when MPI_Finalize begins. Rank 0 asks one rank after the other
 * and writes what comes piece by piece, so that its memory does not depend on
 * how large the job is.
 */

#include "ompi/mca/pml/champion/pml_champion_profile.h"

#include <errno.h>
#include <stdlib.h>

#include "ompi/mca/coll/base/coll_tags.h"

#include "ompi/mca/mq/base/mq_base_profile.h"

/* No collective operation is under way in MPI_COMM_WORLD any more. */
#define TAG MCA_COLL_BASE_TAG_GATHER

/* Bytes of a message. */
#define PIECE_MAX ((size_t) 1 << 16)

static int put(const void *data, size_t length, int to)
{
    return mca_pml.pml_send(data, length, &ompi_mpi_byte.dt, to, TAG,
                            MCA_PML_BASE_SEND_STANDARD,
                            &ompi_mpi_comm_world.comm);
}

static int get(void *data, size_t length, int from)
{
    return mca_pml.pml_recv(data, length, &ompi_mpi_byte.dt, from, TAG,
                            &ompi_mpi_comm_world.comm, MPI_STATUS_IGNORE);
}

static size_t piece(size_t left)
{
    return left < PIECE_MAX ? left : PIECE_MAX;
}

/* What a rank other than 0 does. A text that memory did not suffice for is
 * sent as an empty one. */
static int hand_over(const char *text, size_t length)
{
    uint64_t announced = NULL == text ? 0 : length;
    int rc = get(NULL, 0, 0);

    if (OMPI_SUCCESS == rc) {
        rc = put(&announced, sizeof(announced), 0);
    }
    for (size_t at = 0; at < announced && OMPI_SUCCESS == rc;
         at += piece(announced - at)) {
        rc = put(text + at, piece(announced - at), 0);
    }
    return rc;
}

static int take_over(mca_mq_base_profile_file_t *file, int rank)
{
    static char text[PIECE_MAX];
    uint64_t length = 0;
    int rc = put(NULL, 0, rank);

    if (OMPI_SUCCESS == rc) {
        rc = get(&length, sizeof(length), rank);
    }
    if (OMPI_SUCCESS == rc && 0 == length) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (size_t at = 0; at < length && OMPI_SUCCESS == rc;
         at += piece(length - at)) {
        rc = get(text, piece(length - at), rank);
        if (OMPI_SUCCESS == rc) {
            mca_mq_base_profile_file_add(file, text, piece(length - at));
        }
    }
    return rc;
}

/* What rank 0 does. The others wait to be asked, so they are asked whatever
 * has failed. */
static void write_all(const char *text, size_t length)
{
    mca_mq_base_profile_file_t file;
    int size = ompi_comm_size(&ompi_mpi_comm_world.comm);

    mca_mq_base_profile_file_begin(&file, NULL, (uint32_t) size);
    if (NULL != text) {
        mca_mq_base_profile_file_add(&file, text, length);
    } else {
        mca_mq_base_profile_file_fail(&file, ENOMEM);
    }
    for (int rank = 1; rank < size; ++rank) {
        if (OMPI_SUCCESS != take_over(&file, rank)) {
            mca_mq_base_profile_file_fail(&file, ENOMEM);
        }
    }
    (void) mca_mq_base_profile_file_end(&file);
}

void mca_pml_champion_profile_snapshot(mca_pml_champion_profile_t *profile)
{
    profile->text = NULL;
    profile->length = 0;
    if (mca_mq_base_profile_is_wanted()) {
        mca_pml_champion_lock();
        profile->text = mca_mq_base_profile_text(&profile->length);
        mca_pml_champion_unlock();
    }
}

void mca_pml_champion_profile_write(mca_pml_champion_profile_t *profile)
{
    if (!mca_mq_base_profile_is_wanted()) {
        return;
    }
    if (0 == ompi_comm_rank(&ompi_mpi_comm_world.comm)) {
        write_all(profile->text, profile->length);
    } else {
        (void) hand_over(profile->text, profile->length);
    }
    free(profile->text);
    profile->text = NULL;
}
