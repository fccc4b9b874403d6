/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiles as files: which are read and written, and reports to the user.
 */

#include "ompi_config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opal/util/show_help.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/base/param/choice.h"
#include "ompi/mca/mq/base/param/help.h"
#include "ompi/mca/mq/base/record/profile.h"
#include "ompi/mca/mq/base/record/profile_print.h"
#include "ompi/mca/mq/mq_ompi_compat.h"

static mca_mq_base_profile_slot_t *slots[MCA_MQ_BASE_PROFILE_SLOTS_MAX];
static int num_slots;

/* File of mq_base_profile; NULL: none is written. */
static char *wanted;

/* This process records because rank 0 writes a profile. */
static bool following;

static bool is_set(const char *path)
{
    return NULL != path && '\0' != path[0];
}

/* ---- Reading ---- */

int mca_mq_base_profile_param(const mca_base_component_t *component,
                              mca_mq_base_profile_slot_t *slot)
{
    slot->component = component->mca_component_name;
    slot->path = NULL;
    slot->has_profile = false;
    snprintf(slot->needs, sizeof(slot->needs), "needs mq_%.40s_profile",
             slot->component);
    if (num_slots == MCA_MQ_BASE_PROFILE_SLOTS_MAX) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    slots[num_slots++] = slot;
    return mca_mq_base_param_string(
        component, "profile",
        "Profile written by an earlier run with mq_base_profile; see "
        "mq_profile(5). The component serves only communicators that are in "
        "it; requesting the component without a profile is an error",
        OPAL_INFO_LVL_4, &slot->path);
}

static void complain_missing(const mca_mq_base_profile_slot_t *slot)
{
    ++mca_mq_base_param_invalid;
    opal_show_help(MCA_MQ_BASE_HELP, "profile-needed", true, slot->component,
                   slot->component, slot->component);
}

static void complain_unread(const mca_mq_base_profile_slot_t *slot,
                            const mca_mq_base_profile_error_t *error)
{
    char line[24] = "-";

    if (0 != error->line) {
        snprintf(line, sizeof(line), "%" PRIu64, error->line);
    }
    ++mca_mq_base_param_invalid;
    opal_show_help(MCA_MQ_BASE_HELP, "profile-unread", true, slot->component,
                   slot->path, line, error->reason);
}

static int read_file(const char *path, mca_mq_base_profile_t *profile,
                     mca_mq_base_profile_error_t *error)
{
    FILE *file = fopen(path, "r");
    struct stat status;
    int ret;

    error->line = 0;
    if (NULL == file) {
        snprintf(error->reason, sizeof(error->reason), "%s", strerror(errno));
        return OMPI_ERR_BAD_PARAM;
    }
    if (0 != fstat(fileno(file), &status) || !S_ISREG(status.st_mode)) {
        snprintf(error->reason, sizeof(error->reason), "not a regular file");
        ret = OMPI_ERR_BAD_PARAM;
    } else {
        ret = mca_mq_base_profile_read(file, &mca_mq_base_job, profile, error);
    }
    fclose(file);
    return ret;
}

static void slot_load(mca_mq_base_profile_slot_t *slot)
{
    mca_mq_base_profile_error_t error;

    if (is_set(slot->path)) {
        if (OMPI_SUCCESS == read_file(slot->path, &slot->profile, &error)) {
            slot->has_profile = true;
        } else {
            complain_unread(slot, &error);
        }
    } else if (mca_mq_base_is_named(slot->component)) {
        complain_missing(slot);
    }
}

static void slot_clear(mca_mq_base_profile_slot_t *slot)
{
    if (slot->has_profile) {
        mca_mq_base_profile_free(&slot->profile);
        slot->has_profile = false;
    }
}

const mca_mq_base_profile_domain_t *mca_mq_base_profile_about(
    const mca_mq_base_profile_slot_t *slot, const mca_mq_domain_info_t *info,
    const char **why)
{
    const mca_mq_base_profile_domain_t *domain = NULL;
    const char *reason = slot->needs;

    if (slot->has_profile) {
        domain = mca_mq_base_profile_find(&slot->profile, info);
        reason = "its profile has no domain of this context and size";
    }
    if (NULL != why) {
        *why = NULL == domain ? reason : NULL;
    }
    return domain;
}

/* ---- Writing ---- */

bool mca_mq_base_profile_is_wanted(void)
{
    return NULL != wanted || following;
}

void mca_mq_base_profile_follow(bool recorded)
{
    if (recorded == mca_mq_base_profile_is_wanted()) {
        return;
    }
    following = recorded;
    if (recorded) {
        mca_mq_base_profile_record();
    } else {
        mca_mq_base_profile_stop();
        free(wanted);
        wanted = NULL;
    }
}

static void complain_unwritten(const char *path, int error)
{
    opal_show_help(MCA_MQ_BASE_HELP, "profile-unwritten", true, path,
                   mca_mq_base_file_reason(error));
}

void mca_mq_base_profile_file_begin(mca_mq_base_profile_file_t *file,
                                    const char *path, uint32_t size)
{
    mca_mq_base_file_begin(file, NULL == path ? wanted : path);
    if (0 != file->error) {
        return;
    }
    fprintf(file->stream, "mq-profile " MCA_MQ_BASE_PROFILE_VERSION "\n");
    if (0 != size) {
        fprintf(file->stream, "job %" PRIu32 "\n", size);
    } else {
        fprintf(file->stream, "job *\n");
    }
    fprintf(file->stream,
            "# run WHAT VALUE\n"
            "# elapsed US\n"
            "# slice BEGIN_US END_US POSTED_MAX UNEXPECTED_MAX MESSAGES BYTES "
            "INTERNAL_MESSAGES INTERNAL_BYTES\n"
            "# from WORLD_RANK MESSAGES BYTES INTERNAL_MESSAGES "
            "INTERNAL_BYTES\n"
            "# domain CONTEXT SIZE COMPONENT\n"
            "# name NAME\n"
            "# [internal_]posted|unexpected ADDED HITS MISSES TRAVERSED_HIT "
            "TRAVERSED_MISS LENGTH_MAX\n"
            "# [internal_]receives POSTED ANY_SOURCE ANY_TAG\n"
            "# probes HITS MISSES TRAVERSED HITS_ANY_SOURCE HITS_ANY_TAG\n"
            "# any ADDED LENGTH_MAX TRAVERSED\n"
            "# sizes MESSAGES BYTES UPTO_64 UPTO_1K UPTO_16K UPTO_256K "
            "LARGER\n"
            "# peer SOURCE POSTED UNEXPECTED POSTED_MAX UNEXPECTED_MAX "
            "TRAVERSED\n");
}

void mca_mq_base_profile_file_run(mca_mq_base_profile_file_t *file,
                                  const char *what, const char *value)
{
    if (0 == file->error && '\0' != *value) {
        fprintf(file->stream, "run %s ", what);
        mca_mq_base_profile_print_word(value, file->stream);
        fputc('\n', file->stream);
    }
}

void mca_mq_base_profile_file_add(mca_mq_base_profile_file_t *file,
                                  const char *text, size_t length)
{
    if (0 == file->error && length != fwrite(text, 1, length, file->stream)) {
        file->error = errno;
    }
}

int mca_mq_base_profile_file_end(mca_mq_base_profile_file_t *file)
{
    char *path = NULL == file->path ? NULL : strdup(file->path);
    int error;

    if (0 == file->error && 0 > fputs("end\n", file->stream)) {
        file->error = errno;
    }
    error = mca_mq_base_file_end(file);
    if (0 != error) {
        complain_unwritten(NULL == path ? "" : path, error);
    }
    free(path);
    return 0 == error ? OMPI_SUCCESS : OMPI_ERROR;
}

static void want(const char *path)
{
    int error;

    wanted = mca_mq_base_file_absolute(path);
    if (NULL == wanted) {
        complain_unwritten(path, errno);
        ++mca_mq_base_param_invalid;
        return;
    }
    error = 0 == mca_mq_base_job.rank ? mca_mq_base_file_try(wanted) : 0;
    if (0 != error) {
        complain_unwritten(wanted, error);
        ++mca_mq_base_param_invalid;
    }
}

/* ---- From opening to closing ---- */

void mca_mq_base_profile_reset(void)
{
    num_slots = 0;
}

void mca_mq_base_profile_open(void)
{
    if (0 == mca_mq_base_job.size) {
        return;
    }
    for (int i = 0; i < num_slots; ++i) {
        slot_load(slots[i]);
    }
    if (is_set(mca_mq_base_profile_path)) {
        want(mca_mq_base_profile_path);
        mca_mq_base_profile_record();
    }
}

void mca_mq_base_profile_close(void)
{
    for (int i = 0; i < num_slots; ++i) {
        slot_clear(slots[i]);
    }
    mca_mq_base_profile_forget();
    mca_mq_base_profile_tell(NULL);
    free(wanted);
    wanted = NULL;
    following = false;
}

/* ---- Both in one process ---- */

static int adopt(FILE *file)
{
    mca_mq_base_job_t job = mca_mq_base_job;
    mca_mq_base_profile_error_t error;
    int ret = OMPI_SUCCESS;

    for (int i = 0; i < num_slots && OMPI_SUCCESS == ret; ++i) {
        slot_clear(slots[i]);
        rewind(file);
        ret = mca_mq_base_profile_read(file, &job, &slots[i]->profile, &error);
        slots[i]->has_profile = OMPI_SUCCESS == ret;
    }
    return ret;
}

int mca_mq_base_profile_adopt(void)
{
    size_t length;
    char *text = mca_mq_base_profile_text(&length);
    FILE *file = tmpfile();
    int ret = OMPI_ERR_OUT_OF_RESOURCE;

    mca_mq_base_profile_stop();
    if (NULL != file && NULL != text &&
        0 < fprintf(file,
                    "mq-profile " MCA_MQ_BASE_PROFILE_VERSION
                    "\njob *\n%send\n",
                    text) &&
        0 == fflush(file)) {
        ret = adopt(file);
    }
    if (NULL != file) {
        fclose(file);
    }
    free(text);
    return ret;
}

int mca_mq_base_profile_write(const char *path)
{
    mca_mq_base_profile_file_t file;
    size_t length;
    char *text = mca_mq_base_profile_text(&length);

    mca_mq_base_profile_file_begin(&file, path, mca_mq_base_job.size);
    if (NULL != text) {
        mca_mq_base_profile_file_add(&file, text, length);
    } else {
        mca_mq_base_profile_file_fail(&file, ENOMEM);
    }
    free(text);
    return mca_mq_base_profile_file_end(&file);
}
