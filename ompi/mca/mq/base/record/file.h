/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that a job writes when it ends, under a temporary name: an existing
 * file stays until the new one is complete.
 */

#ifndef OMPI_MCA_MQ_BASE_RECORD_FILE_H
#define OMPI_MCA_MQ_BASE_RECORD_FILE_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stdio.h>

BEGIN_C_DECLS

/** A file that is being written; initially all zero. An error is kept until the
 * end. */
typedef struct mca_mq_base_file_t {
    FILE *stream; /**< NULL if it could not be opened */
    char *path;
    char *temporary;
    int error; /**< errno of the first failure, or 0 */
} mca_mq_base_file_t;

/** The absolute path, to be freed by the caller; NULL, with errno set, on
 * failure. */
OMPI_DECLSPEC char *mca_mq_base_file_absolute(const char *path);

/** Create a file under a temporary name, which others can guess. A file of that
 * name is removed, never opened: it may be left by a job that was killed, or be
 * another user's link to a file of this one. Returns its descriptor, or -1 with
 * errno set: EEXIST if it cannot be removed. */
OMPI_DECLSPEC int mca_mq_base_file_create(const char *path);

/** Begin a file. Existing files that are write-protected or not regular are not
 * replaced. */
OMPI_DECLSPEC void mca_mq_base_file_begin(mca_mq_base_file_t *file,
                                          const char *path);

/** Give the file its final name, or remove it if anything failed. Returns 0 or
 * the error; afterwards file is all zero. */
OMPI_DECLSPEC int mca_mq_base_file_end(mca_mq_base_file_t *file);

/** Test at the start of a job whether the file can be written. Returns 0 or the
 * error. */
OMPI_DECLSPEC int mca_mq_base_file_try(const char *path);

/** A text for an error; valid until the next call. */
OMPI_DECLSPEC const char *mca_mq_base_file_reason(int error);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_RECORD_FILE_H */
