/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parameter pml_champion_stats: whether statistics are wanted, and in which
 * form. A truth value, `text` or `full`: on the standard error; `json:FILE`:
 * there.
 */

#define _GNU_SOURCE 1

#include "ompi/mca/pml/champion/stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "opal/util/show_help.h"

#include "ompi/mca/mq/base/record/file.h"

#include "ompi/mca/pml/champion/core/unit.h"

#define HELP "help-mpi-pml-champion.txt"
#define JSON "json:"

/* File for JSON; NULL: write text. Rank 0 writes it, or, where the job is ended,
 * a rank of each host. */
static char *json_path;

/* Write all figures, if not as JSON. */
static bool is_full;

/* Truth values as the MCA knows them, and `text`. */
static bool parse_truth(const char *text, bool *truth)
{
    static const char *const no[] = {"false", "f", "disabled", "no", "n", ""};
    static const char *const yes[] = {"true", "t", "enabled",
                                      "yes",  "y", "text"};
    char *end;
    long number = strtol(text, &end, 10);

    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); ++i) {
        if (0 == strcasecmp(text, no[i]) || 0 == strcasecmp(text, yes[i])) {
            *truth = 0 == strcasecmp(text, yes[i]);
            return true;
        }
    }
    *truth = 0 != number;
    return '\0' == *end;
}

static bool is_json(const char *text)
{
    return 0 == strncasecmp(text, JSON, sizeof(JSON) - 1);
}

static bool stats_register(void)
{
    mca_pml_champion_params_t *params = &mca_pml_champion.params;
    const char *text;

    params->stats = false;
    params->stats_form = (char *) (uintptr_t) "false"; /* the MCA copies it */
    if (OMPI_SUCCESS !=
        mca_mq_base_param_string(
            mca_pml_champion.component, "stats",
            "At MPI_Finalize, report what happened to the messages of all "
            "processes; see pml_champion_stats(7). true or text: rank 0 prints "
            "a few lines to standard error; full: it prints all figures; "
            "json:FILE: it writes all figures to FILE",
            OPAL_INFO_LVL_3, &params->stats_form)) {
        return false;
    }
    text = NULL == params->stats_form ? "" : params->stats_form;
    is_full = 0 == strcasecmp(text, "full");
    if (is_full || (is_json(text) && '\0' != text[sizeof(JSON) - 1])) {
        params->stats = true;
        return true;
    }
    if (!is_json(text) && parse_truth(text, &params->stats)) {
        return true;
    }
    mca_mq_base_param_complain("pml_champion_stats", text,
                               "true, false, text, full or json:FILE");
    return false;
}

static void complain(const char *path, int error)
{
    opal_show_help(HELP, "stats unwritten", true, path,
                   mca_mq_base_file_reason(error));
}

/* A spawned job writes a file of its own. */
static char *path_of(const char *wanted)
{
    char *path = mca_mq_base_file_absolute(wanted), *spawned;

    if (NULL == path || !mca_mq_ompi_is_spawned()) {
        return path;
    }
    if (0 > asprintf(&spawned, "%s.%u", path,
                     (unsigned) (OPAL_PROC_MY_NAME.jobid & 0xffff))) {
        spawned = NULL;
    }
    free(path);
    return spawned;
}

/* At rank 0: check that the file can be written. */
static int stats_open(void)
{
    const char *text = mca_pml_champion.params.stats_form;
    int error;

    if (NULL == text || !is_json(text)) {
        return OMPI_SUCCESS;
    }
    json_path = path_of(text + sizeof(JSON) - 1);
    if (0 != OPAL_PROC_MY_NAME.vpid) {
        return OMPI_SUCCESS;
    }
    error = NULL == json_path ? ENOMEM : mca_mq_base_file_try(json_path);
    if (0 != error) {
        complain(NULL == json_path ? text : json_path, error);
        free(json_path);
        json_path = NULL;
        return OMPI_ERROR;
    }
    return OMPI_SUCCESS;
}

static void stats_close(void)
{
    free(json_path);
    json_path = NULL;
}

MCA_PML_CHAMPION_UNIT(statistics) = {.name = "statistics",
                                     .registers = stats_register,
                                     .open = stats_open,
                                     .close = stats_close};

/* Without the lock of stderr, which the program may hold for ever. */
static void put_all(const char *text, size_t length)
{
    while (length > 0) {
        ssize_t put = write(STDERR_FILENO, text, length);

        if (put < 0 && EINTR != errno) {
            return;
        }
        text += put < 0 ? 0 : put;
        length -= put < 0 ? 0 : (size_t) put;
    }
}

/* Write line by line: several jobs and mpirun may share the standard error. */
static void put_lines(const char *text, bool is_ended)
{
    while ('\0' != *text) {
        size_t length = strcspn(text, "\n");

        length += '\n' == text[length];
        if (is_ended) {
            put_all(text, length);
        } else {
            fwrite(text, 1, length, stderr);
        }
        text += length;
    }
}

static void write_text(const mca_pml_champion_report_t *report)
{
    void (*put)(FILE *, const mca_pml_champion_report_t *) =
        is_full ? mca_pml_champion_stats_full : mca_pml_champion_stats_text;
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);

    if (NULL != stream) {
        put(stream, report);
    }
    if (NULL != stream && 0 == fclose(stream)) {
        put_lines(text, NULL != report->ended);
    } else {
        put(stderr, report);
    }
    free(text);
}

static int write_json(const char *path, const mca_pml_champion_report_t *report)
{
    mca_mq_base_file_t file;

    mca_mq_base_file_begin(&file, path);
    if (NULL != file.stream) {
        mca_pml_champion_stats_json(file.stream, report);
    }
    return mca_mq_base_file_end(&file);
}

/* Hosts may share the file system, so that each has a file of its own. Help texts
 * go through mpirun, and need more of the process than is there. */
static void write_ended(const mca_pml_champion_report_t *report)
{
    char path[4096];
    int error;

    snprintf(path, sizeof(path), "%s%s%s", json_path,
             NULL == report->host ? "" : ".",
             NULL == report->host ? "" : report->host);
    error = write_json(path, report);
    if (0 != error) {
        dprintf(STDERR_FILENO, "champion: cannot write %s: %s\n", path,
                mca_mq_base_file_reason(error));
    }
}

void mca_pml_champion_stats_write(const mca_pml_champion_report_t *report)
{
    int error;

    if (NULL == json_path) {
        write_text(report);
    } else if (NULL != report->ended) {
        write_ended(report);
    } else {
        error = write_json(json_path, report);
        if (0 != error) {
            complain(json_path, error);
        }
    }
}
