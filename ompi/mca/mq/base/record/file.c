/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/mq/base/record/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *mca_mq_base_file_absolute(const char *path)
{
    char *folder, *text;

    if ('/' == path[0]) {
        return strdup(path);
    }
    folder = getcwd(NULL, 0);
    if (NULL == folder || 0 > asprintf(&text, "%s/%s", folder, path)) {
        text = NULL;
    }
    free(folder);
    return text;
}

/* Is there something at this path that must not be replaced? The permission
 * bits count for root as well: a protected file should be kept. */
static int obstacle(const char *path)
{
    struct stat status;

    if (0 != stat(path, &status)) {
        return 0;
    }
    if (!S_ISREG(status.st_mode)) {
        return S_ISDIR(status.st_mode) ? EISDIR : ENXIO;
    }
    if (0 == (status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) ||
        0 != access(path, W_OK)) {
        return EROFS;
    }
    return 0;
}

int mca_mq_base_file_create(const char *path)
{
    (void) unlink(path);
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Returns NULL, with errno set, on failure. */
static FILE *create_stream(const char *path)
{
    const int fd = mca_mq_base_file_create(path);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");

    if (NULL == stream && fd >= 0) {
        (void) close(fd);
        (void) unlink(path);
        errno = ENOMEM;
    }
    return stream;
}

void mca_mq_base_file_begin(mca_mq_base_file_t *file, const char *path)
{
    memset(file, 0, sizeof(*file));
    file->path = strdup(path);
    if (NULL == file->path || 0 > asprintf(&file->temporary, "%s.%ld.tmp",
                                           file->path, (long) getpid())) {
        file->temporary = NULL;
        file->error = ENOMEM;
        return;
    }
    file->error = obstacle(path);
    if (0 == file->error) {
        file->stream = create_stream(file->temporary);
        file->error = NULL == file->stream ? errno : 0;
    }
}

static void forget(mca_mq_base_file_t *file)
{
    free(file->path);
    free(file->temporary);
    memset(file, 0, sizeof(*file));
}

int mca_mq_base_file_end(mca_mq_base_file_t *file)
{
    int error;

    if (NULL != file->stream) {
        bool failed = 0 != ferror(file->stream);

        if ((0 != fclose(file->stream) || failed) && 0 == file->error) {
            file->error = 0 != errno ? errno : EIO;
        }
        if (0 == file->error && 0 != rename(file->temporary, file->path)) {
            file->error = errno;
        }
        if (0 != file->error) {
            (void) unlink(file->temporary);
        }
    }
    error = file->error;
    forget(file);
    return error;
}

int mca_mq_base_file_try(const char *path)
{
    mca_mq_base_file_t file;
    int error;

    mca_mq_base_file_begin(&file, path);
    if (NULL != file.stream) {
        fclose(file.stream);
        (void) unlink(file.temporary);
    }
    error = file.error;
    forget(&file);
    return error;
}

const char *mca_mq_base_file_reason(int error)
{
    switch (error) {
    case EEXIST:
        return "Its temporary file, with .PID.tmp at the end, exists and "
               "cannot "
               "be removed";
    case ENXIO:
        return "It exists and is not a regular file";
    case EROFS:
        return "It exists and is write-protected, or its file system is";
    default:
        return strerror(error);
    }
}
