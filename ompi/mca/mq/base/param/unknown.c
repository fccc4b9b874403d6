/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/mq/base/param/unknown.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opal/mca/base/mca_base_var.h"
#include "opal/mca/base/mca_base_var_group.h"
#include "opal/mca/installdirs/installdirs.h"
#include "opal/util/argv.h"
#include "opal/util/keyval_parse.h"
#include "opal/util/output.h"

/* So that a name of the environment is a parameter's. */
#define ENVIRONMENT "OMPI_MCA_"

/* A name that differs in more letters is no slip. */
enum { SLIP = 3 };

static const char *const prefixes[] = {"pml_champion_", "mq_",
                                       "coll_champion_"};

enum { PREFIXES = sizeof(prefixes) / sizeof(prefixes[0]) };

static bool begins(const char *text, const char *with)
{
    return 0 == strncmp(text, with, strlen(with));
}

static bool is_ours(const char *name)
{
    for (unsigned i = 0; i < PREFIXES; ++i) {
        if (begins(name, prefixes[i])) {
            return true;
        }
    }
    return false;
}

/* The name of the parameter that an element of the environment sets, and its
 * length; NULL if it sets none of ours. */
static const char *in_environment(const char *element, size_t *length)
{
    const char *name = element + strlen(ENVIRONMENT);

    if (!begins(element, ENVIRONMENT) || !is_ours(name)) {
        return NULL;
    }
    *length = strcspn(name, "=");
    return name;
}

/* ---- what is known ---- */

/* Is the parameter one of a component of the framework that was not loaded, so
 * that its names are not known? The user may leave out some (^name,...). coll may
 * load champion's later, or not at all. */
static bool is_of_unloaded(const char *name,
                           const mca_base_framework_t *framework)
{
    const char *selection = framework->framework_selection;
    const size_t skip = strlen(framework->framework_name) + 1;
    bool unloaded = false;
    char **names;

    if (!begins(name, framework->framework_name)) {
        return false;
    }
    if (0 == strcmp(framework->framework_name, "coll")) {
        return 0 > mca_base_var_group_find("ompi", "coll", "champion");
    }
    if (NULL == selection || '^' != *selection) {
        return false;
    }
    names = opal_argv_split(selection + 1, ',');
    for (char **left = names; NULL != left && NULL != *left; ++left) {
        const size_t length = strlen(*left);

        unloaded |= 0 == strncmp(name + skip, *left, length) &&
                    '_' == name[skip + length];
    }
    opal_argv_free(names);
    return unloaded;
}

static bool is_known(const char *name, mca_base_framework_t *const *of)
{
    int index;

    if (OPAL_SUCCESS == mca_base_var_find_by_name(name, &index)) {
        return true;
    }
    for (; NULL != *of; ++of) {
        if (is_of_unloaded(name, *of)) {
            return true;
        }
    }
    return false;
}

size_t mca_mq_base_letters_apart(const char *one, const char *other,
                                 size_t most)
{
    size_t row[64], length = strlen(other);

    if (length >= sizeof(row) / sizeof(row[0])) {
        return most;
    }
    for (size_t i = 0; i <= length; ++i) {
        row[i] = i;
    }
    for (; 0 != *one; ++one) {
        size_t corner = row[0]++;

        for (size_t i = 0; i < length; ++i) {
            const size_t changed = corner + (*one != other[i]);
            const size_t removed = row[i + 1] + 1, inserted = row[i] + 1;
            const size_t moved = removed < inserted ? removed : inserted;

            corner = row[i + 1];
            row[i + 1] = changed < moved ? changed : moved;
        }
    }
    return row[length] < most ? row[length] : most;
}

/* The known name that is nearest, if it is near; NULL: there is none. */
static const char *nearest(const char *name)
{
    const char *found = NULL;
    size_t best = SLIP + 1;

    for (int i = 0; i < mca_base_var_get_count(); ++i) {
        const mca_base_var_t *var;
        size_t apart;

        if (OPAL_SUCCESS != mca_base_var_get(i, &var) ||
            !is_ours(var->mbv_full_name)) {
            continue;
        }
        apart = mca_mq_base_letters_apart(name, var->mbv_full_name, best);
        if (apart < best) {
            best = apart;
            found = var->mbv_full_name;
        }
    }
    return found;
}

/* ---- what is set ---- */

/* The function that reads files passes nothing on. */
static mca_base_framework_t *const *frameworks;
static const char *place; /* where the parameter is set */
static char **told;       /* names */

static void look(const char *name)
{
    const char *meant;

    if (!is_ours(name) || is_known(name, frameworks)) {
        return;
    }
    for (char **before = told; NULL != before && NULL != *before; ++before) {
        if (0 == strcmp(name, *before)) {
            return;
        }
    }
    (void) opal_argv_append_nosize(&told, name);
    meant = nearest(name);
    opal_output(0,
                "champion: there is no parameter %s, which is set in %s, and "
                "has no effect%s%s%s",
                name, place, NULL == meant ? "" : ": is ",
                NULL == meant ? "" : meant, NULL == meant ? "" : " meant?");
}

static void look_in_file(const char *name, const char *value)
{
    (void) value;
    if (NULL != name) {
        look(name);
    }
}

/* Files that a parameter of the MCA names, added to the list. */
static void add_files(char ***files, const char *parameter, int separator)
{
    const mca_base_var_storage_t *storage = NULL;
    char **more;
    int index;

    if (OPAL_SUCCESS != mca_base_var_find_by_name(parameter, &index) ||
        OPAL_SUCCESS != mca_base_var_get_value(index, &storage, NULL, NULL) ||
        NULL == storage || NULL == storage->stringval) {
        return;
    }
    more = opal_argv_split(storage->stringval, separator);
    for (char **file = more; NULL != file && NULL != *file; ++file) {
        (void) opal_argv_append_nosize(files, *file);
    }
    opal_argv_free(more);
}

/* mpirun of 5.0 and later reads the files of parameters, and puts what it finds
 * into the environment: the MCA reads none then. */
static void add_files_of_mpirun(char ***files)
{
    const char *home = getenv("HOME");
    char path[4096];

    if (NULL != getenv("OPAL_USER_PARAMS_GIVEN") && NULL != home) {
        snprintf(path, sizeof(path), "%s/.openmpi/mca-params.conf", home);
        (void) opal_argv_append_nosize(files, path);
    }
    if (NULL != getenv("OPAL_SYS_PARAMS_GIVEN")) {
        snprintf(path, sizeof(path), "%s/openmpi-mca-params.conf",
                 opal_install_dirs.sysconfdir);
        (void) opal_argv_append_nosize(files, path);
    }
}

/* Call the function for each parameter in a file; `place` says which. */
static void in_files(opal_keyval_parse_fn_t each)
{
    char **files = NULL;

    add_files(&files, "mca_base_param_files", ',');
    add_files(&files, "mca_base_override_param_file", ':');
    add_files_of_mpirun(&files);
    for (char **file = files; NULL != file && NULL != *file; ++file) {
        place = *file;
        if (0 == access(*file, R_OK)) {
            (void) opal_util_keyval_parse(*file, each);
        }
    }
    opal_argv_free(files);
}

void mca_mq_base_unknown_report(mca_base_framework_t *const *of)
{
    frameworks = of;
    in_files(look_in_file);
    place = "the environment or by --mca";
    for (char **element = environ; NULL != *element; ++element) {
        char copy[128];
        size_t length;
        const char *name = in_environment(*element, &length);

        if (NULL != name) {
            snprintf(copy, sizeof(copy), "%.*s", (int) length, name);
            look(copy);
        }
    }
    opal_argv_free(told);
    told = NULL;
}

/* What is in a file is a site's, or the user's for other jobs. */
static void remember(const char *name, const char *value)
{
    (void) value;
    if (NULL != name && is_ours(name)) {
        (void) opal_argv_append_nosize(&told, name);
    }
}

void mca_mq_base_unused_report(void)
{
    in_files(remember);
    for (char **element = environ; NULL != *element; ++element) {
        size_t length;
        const char *name = in_environment(*element, &length);
        bool is_there = false;

        for (char **one = told; NULL != name && NULL != one && NULL != *one;
             ++one) {
            is_there |=
                strlen(*one) == length && 0 == strncmp(*one, name, length);
        }
        if (NULL != name && !is_there) {
            opal_output(0,
                        "champion: the parameter %.*s is set, and has no "
                        "effect: pml/champion is not chosen (--mca pml "
                        "champion)",
                        (int) length, name);
            break;
        }
    }
    opal_argv_free(told);
    told = NULL;
}
