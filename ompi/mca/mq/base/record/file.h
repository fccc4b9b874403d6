/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that a job writes when it ends: under a temporary name, so that what
 * there was before stays until all of the new one is there.
 */

#ifndef OMPI_MCA_MQ_BASE_RECORD_FILE_H
#define OMPI_MCA_MQ_BASE_RECORD_FILE_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stdio.h>

BEGIN_C_DECLS

/** A file that is being written. All zero at first. An error is kept until the
 * end. */
typedef struct mca_mq_base_file_t {
    FILE *stream; /**< NULL if it could not be opened */
    char *path;
    char *temporary;
    int error; /**< errno of the first failure, 0 */
} mca_mq_base_file_t;

/** The path as it is from any folder; to be freed by the caller. NULL, and
 * errno, if it cannot be told. */
OMPI_DECLSPEC char *mca_mq_base_file_absolute(const char *path);

/** Begin a file. One that is write-protected, or is not regular, is not
 * replaced. */
OMPI_DECLSPEC void mca_mq_base_file_begin(mca_mq_base_file_t *file,
                                          const char *path);

/** Give the file its name, or remove it if anything failed. Returns 0 or the
 * error; file is all zero again. */
OMPI_DECLSPEC int mca_mq_base_file_end(mca_mq_base_file_t *file);

/** Can it be written? Tried now, not after hours. Returns 0 or the error. */
OMPI_DECLSPEC int mca_mq_base_file_try(const char *path);

/** What the error says to a user; static text until the next call. */
OMPI_DECLSPEC const char *mca_mq_base_file_reason(int error);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_RECORD_FILE_H */
