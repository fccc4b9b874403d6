/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "replay_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opal/runtime/opal.h"
#include "opal/util/argv.h"

#include "ompi/constants.h"
#include "sequence/replay_util.h"

/* The parameter of every component that needs a profile. */
#define PROFILE "profile"

static void set_parameter(const char *name, const char *value)
{
    char variable[256];

    snprintf(variable, sizeof(variable), "OMPI_MCA_%s", name);
    if (0 != setenv(variable, value, 1)) {
        replay_die("out of memory");
    }
}

/* The default folder of the components: where they were installed with this
 * program. */
static void set_component_path(void)
{
    char program[4096], path[8192];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    char *slash;

    if (NULL != getenv("OMPI_MCA_mca_base_component_path") || length <= 0) {
        return;
    }
    program[length] = '\0';
    slash = strrchr(program, '/');
    if (NULL == slash) {
        return;
    }
    *slash = '\0';
    snprintf(path, sizeof(path), "%s/%s", program, MQ_REPLAY_COMPONENTS);
    if (0 == access(path, R_OK)) {
        snprintf(path, sizeof(path), "%s/%s:SYS_DEFAULT:USER_DEFAULT", program,
                 MQ_REPLAY_COMPONENTS);
        set_parameter("mca_base_component_path", path);
    }
}

void replay_setup_start(void)
{
    /* Ignore the user's settings for MPI programs: the choice of components,
     * and recording. */
    set_parameter("mq", "");
    set_parameter("mq_base_trace", "");
    set_parameter("mq_base_profile", "");
    set_component_path();
    if (OPAL_SUCCESS != opal_init_util(NULL, NULL)) {
        replay_die("Open MPI's library could not be started");
    }
}

static int by_name(const void *left, const void *right)
{
    const mca_mq_base_component_t *const *l = left, *const *r = right;

    return strcmp((*l)->mqm_version.mca_component_name,
                  (*r)->mqm_version.mca_component_name);
}

/* All components, in alphabetical order; to be freed. */
static const mca_mq_base_component_t **installed(int *count)
{
    const opal_list_t *list = &ompi_mq_base_framework.framework_components;
    const mca_mq_base_component_t **all = replay_realloc(
        NULL, opal_list_get_size((opal_list_t *) list) + 1, sizeof(*all));
    mca_base_component_list_item_t *item;

    *count = 0;
    OPAL_LIST_FOREACH(item, list, mca_base_component_list_item_t)
    {
        all[(*count)++] = (const mca_mq_base_component_t *) item->cli_component;
    }
    qsort(all, (size_t) *count, sizeof(*all), by_name);
    return all;
}

static void die_unknown(const char *name)
{
    int count;
    const mca_mq_base_component_t **all = installed(&count);

    fprintf(stderr, "mq_replay: unknown component '%s'; there are:", name);
    for (int i = 0; i < count; ++i) {
        fprintf(stderr, "%s %s", 0 == i ? "" : ",",
                all[i]->mqm_version.mca_component_name);
    }
    fputc('\n', stderr);
    exit(REPLAY_EXIT_BAD);
}

static int parameter(const char *component, const char *name)
{
    return mca_base_var_find("ompi", "mq", component, name);
}

/* Is this a parameter that the user may set? The MCA itself adds versions. */
static bool is_parameter(const mca_base_var_t *var, const char *prefix)
{
    size_t length = strlen(prefix);

    return 0 == strncmp(prefix, var->mbv_full_name, length) &&
           NULL == strstr(var->mbv_full_name + length, "_version");
}

/* Report that the component has no parameter of this name. */
static void die_unknown_parameter(const char *component, const char *name)
{
    char prefix[128];
    const mca_base_var_t *var;
    int found = 0;

    snprintf(prefix, sizeof(prefix), "mq_%s_", component);
    fprintf(stderr, "mq_replay: %s has no parameter '%s'; it has", component,
            name);
    for (int i = 0; i < mca_base_var_get_count(); ++i) {
        if (OPAL_SUCCESS == mca_base_var_get(i, &var) &&
            is_parameter(var, prefix)) {
            fprintf(stderr, "%s %s", 0 == found++ ? ":" : ",",
                    var->mbv_full_name + strlen(prefix));
        }
    }
    fputs(0 == found ? " none\n" : "\n", stderr);
    exit(REPLAY_EXIT_BAD);
}

/* A parsed NAME:PARAM=VALUE. */
typedef struct setting_t {
    char component[64];
    char name[64];
    const char *value;
} setting_t;

static setting_t parse_setting(const char *text)
{
    const char *colon = strchr(text, ':');
    const char *equals = NULL == colon ? NULL : strchr(colon, '=');
    setting_t setting;

    if (NULL == equals || colon == text || equals == colon + 1 ||
        (size_t) (colon - text) >= sizeof(setting.component) ||
        (size_t) (equals - colon) > sizeof(setting.name)) {
        replay_die("--set needs NAME:PARAM=VALUE, not '%s'", text);
    }
    snprintf(setting.component, sizeof(setting.component), "%.*s",
             (int) (colon - text), text);
    snprintf(setting.name, sizeof(setting.name), "%.*s",
             (int) (equals - colon - 1), colon + 1);
    setting.value = equals + 1;
    return setting;
}

/* Is the component replayed, or a target of `adaptive`, which is? */
static bool is_replayed(const replay_setup_t *setup, const char *component)
{
    bool replayed = setup->all;

    for (char **name = setup->names; !replayed && NULL != *name; ++name) {
        replayed =
            0 == strcmp(*name, component) || 0 == strcmp(*name, "adaptive");
    }
    return replayed;
}

/* The parameters' names are known before the framework is opened, when they can
 * be set. */
static void check_names(const replay_setup_t *setup)
{
    for (char **name = setup->names; !setup->all && NULL != *name; ++name) {
        if (NULL == mca_mq_base_find(*name)) {
            die_unknown(*name);
        }
    }
    for (char **text = setup->settings; NULL != text && NULL != *text; ++text) {
        setting_t setting = parse_setting(*text);

        if (NULL == mca_mq_base_find(setting.component)) {
            die_unknown(setting.component);
        }
        if (parameter(setting.component, setting.name) < 0) {
            die_unknown_parameter(setting.component, setting.name);
        }
        if (!is_replayed(setup, setting.component)) {
            replay_die("--set %s: %s is not replayed", *text,
                       setting.component);
        }
    }
}

/* Set the profile of every component that needs one. */
static void set_profile(const replay_setup_t *setup)
{
    const mca_mq_base_component_t **all;
    char name[128];
    int count, set_for = 0;

    all = installed(&count);
    for (int i = 0; i < count; ++i) {
        const char *component = all[i]->mqm_version.mca_component_name;

        if (parameter(component, PROFILE) >= 0 &&
            is_replayed(setup, component)) {
            snprintf(name, sizeof(name), "mq_%s_" PROFILE, component);
            set_parameter(name, setup->profile);
            ++set_for;
        }
    }
    free(all);
    if (0 == set_for) {
        replay_die(
            "--profile %s: no component that is replayed works from a profile",
            setup->profile);
    }
}

static void set_parameters(const replay_setup_t *setup)
{
    char name[160];

    if (NULL != setup->profile) {
        set_profile(setup);
    }
    for (char **text = setup->settings; NULL != text && NULL != *text; ++text) {
        setting_t setting = parse_setting(*text);

        snprintf(name, sizeof(name), "mq_%s_%s", setting.component,
                 setting.name);
        set_parameter(name, setting.value);
    }
    if (NULL != setup->asserts) {
        set_parameter("mq_base_assert", setup->asserts);
    }
}

static void choose(replay_setup_t *setup)
{
    if (setup->all) {
        setup->components = installed(&setup->num_components);
        return;
    }
    setup->num_components = opal_argv_count(setup->names);
    setup->components = replay_realloc(NULL, (size_t) setup->num_components,
                                       sizeof(*setup->components));
    for (int i = 0; i < setup->num_components; ++i) {
        setup->components[i] = mca_mq_base_find(setup->names[i]);
    }
}

/* Check that no receive breaks the promises of --assert. */
static void check_promises(const replay_sequence_t *sequence)
{
    const char *wildcard = NULL;

    if (sequence->has_any_source &&
        0 != (mca_mq_base_assertions & MCA_MQ_ASSERT_NO_ANY_SOURCE)) {
        wildcard = "no_any_source";
    } else if (sequence->has_any_tag &&
               0 != (mca_mq_base_assertions & MCA_MQ_ASSERT_NO_ANY_TAG)) {
        wildcard = "no_any_tag";
    }
    if (NULL != wildcard) {
        replay_die("'%s' has receives that break the promise %s",
                   sequence->name, wildcard);
    }
}

void replay_setup_open(replay_setup_t *setup, const replay_sequence_t *sequence)
{
    setup->all = 0 == strcmp(setup->names[0], "all") && NULL == setup->names[1];
    if (OMPI_SUCCESS != mca_mq_base_register_framework()) {
        replay_die("the framework mq could not be registered");
    }
    check_names(setup);
    set_parameters(setup);
    /* Opening reads the parameters once more. */
    mca_mq_base_close_framework();
    mca_mq_base_job.rank = sequence->rank;
    mca_mq_base_job.size = sequence->ranks;
    if (OMPI_SUCCESS != mca_mq_base_open_framework()) {
        replay_die("the framework mq could not be opened; the reason is above");
    }
    choose(setup);
    check_promises(sequence);
}

const char *replay_setup_declines(const mca_mq_base_component_t *component,
                                  const replay_sequence_t *sequence)
{
    for (uint32_t i = 0; i < sequence->num_domains; ++i) {
        mca_mq_domain_info_t info = {
            .size = sequence->domains[i].size,
            .context = sequence->domains[i].context,
            .assertions =
                sequence->domains[i].assertions | mca_mq_base_assertions,
        };
        const char *why = NULL;

        if (NULL != component->mqm_query &&
            !component->mqm_query(&info, &why)) {
            return NULL == why ? "no reason given" : why;
        }
    }
    return NULL;
}

/* Does the component have a parameter for a profile, without a value? */
static bool lacks_profile(const mca_mq_base_component_t *component)
{
    int index = parameter(component->mqm_version.mca_component_name, PROFILE);
    const mca_base_var_storage_t *value = NULL;

    if (index < 0 ||
        OPAL_SUCCESS != mca_base_var_get_value(index, &value, NULL, NULL)) {
        return false;
    }
    return NULL == value->stringval || '\0' == value->stringval[0];
}

bool replay_setup_needs_profile(const replay_setup_t *setup)
{
    for (int i = 0; i < setup->num_components; ++i) {
        if (lacks_profile(setup->components[i])) {
            return true;
        }
    }
    return false;
}

void replay_setup_close(replay_setup_t *setup)
{
    free(setup->components);
    mca_mq_base_close_framework();
    opal_finalize_util();
}
