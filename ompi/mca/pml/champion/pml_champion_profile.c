/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rank 0 writes what every process has recorded (mq_base_profile), when
 * MPI_Finalize begins.
 */

#include "ompi/mca/pml/champion/pml_champion_profile.h"

#include <errno.h>
#include <stdlib.h>

#include "ompi/mca/mq/base/mq_base_profile.h"
#include "ompi/mca/pml/champion/pml_champion_gather.h"

static void add(const void *piece, size_t length, void *file)
{
    mca_mq_base_profile_file_add(file, piece, length);
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
        if (OMPI_SUCCESS != mca_pml_champion_take_over(rank, add, &file)) {
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
        mca_pml_champion_hand_over(profile->text, profile->length);
    }
    free(profile->text);
    profile->text = NULL;
}
