/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Registers, opens and closes the framework.
 *
 * The MCA takes the framework's variable (`--mca mq a`) for the list of
 * components that it may load. Here it is an order of preference, and the
 * others stay loaded. So the variable is hidden from the MCA while it looks for
 * components, unless it begins with '^', which has one meaning to both.
 */

#include "ompi_config.h"

#include <string.h>

#include "opal/mca/base/mca_base_component_repository.h"
#include "opal/util/argv.h"
#include "opal/util/output.h"
#include "opal/util/show_help.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/base/base.h"
#include "ompi/mca/mq/base/domain/observe.h"
#include "ompi/mca/mq/base/param/choice.h"
#include "ompi/mca/mq/base/param/ompi_build.h"
#include "ompi/mca/mq/base/record/profile.h"
#include "ompi/mca/mq/base/record/trace.h"

#if defined(MCA_MQ_PLUGIN_BUILD)
MCA_MQ_OMPI_STATIC_DECLARE(list);

static mca_mq_ompi_static_t mca_mq_base_static_components[] = {
    MCA_MQ_OMPI_STATIC_ENTRY(list),
    NULL,
};
#else
/* Written by Open MPI's configure. */
#include "ompi/mca/mq/base/static-components.h"
#endif

bool mca_mq_base_info_front_end = false;

/* The user's text while it is hidden from the MCA. */
static char *hidden_selection = NULL;

static int mq_base_register(mca_base_register_flag_t flags);
static int mq_base_open(mca_base_open_flag_t flags);
static int mq_base_close(void);

MCA_BASE_FRAMEWORK_DECLARE(ompi, mq, "MPI message matching", mq_base_register,
                           mq_base_open, mq_base_close,
                           mca_mq_base_static_components, 0);

static void hide_selection(void)
{
    mca_base_framework_t *framework = &ompi_mq_base_framework;

    if (NULL != framework->framework_selection &&
        (!mca_mq_base_choice.exclude || mca_mq_base_choice.bad_syntax)) {
        hidden_selection = framework->framework_selection;
        framework->framework_selection = NULL;
    }
}

static void show_selection(void)
{
    if (NULL != hidden_selection) {
        ompi_mq_base_framework.framework_selection = hidden_selection;
        hidden_selection = NULL;
    }
}

static int mq_base_register(mca_base_register_flag_t flags)
{
#if defined(MCA_MQ_PLUGIN_BUILD)
    opal_show_help_add_dir(mca_mq_base_help_dir());
#endif
    if (!mca_mq_base_fits_ompi(true)) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
    mca_mq_base_framework = &ompi_mq_base_framework;
    mca_mq_base_choice_parse(ompi_mq_base_framework.framework_selection);
    mca_mq_base_param_invalid = 0;
    mca_mq_base_register_own();
    mca_mq_base_profile_reset();
    if (!(flags & MCA_BASE_REGISTER_ALL)) {
        hide_selection();
    }
    return OMPI_SUCCESS;
}

int mca_mq_base_register_framework(void)
{
    int ret = mca_base_framework_register(&ompi_mq_base_framework,
                                          MCA_BASE_REGISTER_DEFAULT);

    show_selection();
    if (OMPI_SUCCESS != ret) {
        /* The MCA counts a user even if this fails. */
        --ompi_mq_base_framework.framework_refcnt;
    }
    return ret;
}

/* Is this component installed, even if it cannot be used? */
static bool is_installed(const char *name)
{
    mca_base_component_repository_item_t *item;
    opal_list_t *items = NULL;

    if (OPAL_SUCCESS != mca_base_component_repository_get_components(
                            &ompi_mq_base_framework, &items) ||
        NULL == items) {
        return false;
    }
    OPAL_LIST_FOREACH(item, items, mca_base_component_repository_item_t)
    {
        if (0 == strcmp(name, item->ri_name)) {
            return true;
        }
    }
    return false;
}

/* Was the component compiled for this contract and this series of Open MPI? */
static bool is_compatible(const mca_mq_base_component_t *component)
{
    const mca_base_component_t *version = &component->mqm_version;

    if (MCA_MQ_OMPI_MAJOR != version->mca_project_major_version ||
        MCA_MQ_OMPI_MINOR != version->mca_project_minor_version) {
        opal_show_help(MCA_MQ_BASE_HELP, "component-series", true,
                       version->mca_component_name,
                       version->mca_project_major_version,
                       version->mca_project_minor_version, MCA_MQ_OMPI_MAJOR,
                       MCA_MQ_OMPI_MINOR);
        return false;
    }
    if (MCA_MQ_ABI != component->mqm_abi) {
        opal_show_help(MCA_MQ_BASE_HELP, "component-abi", true,
                       version->mca_component_name,
                       (unsigned) component->mqm_abi, (unsigned) MCA_MQ_ABI);
        return false;
    }
    return true;
}

static void drop_incompatible(void)
{
    mca_base_component_list_item_t *item, *next;

    OPAL_LIST_FOREACH_SAFE(item, next,
                           &ompi_mq_base_framework.framework_components,
                           mca_base_component_list_item_t)
    {
        if (!is_compatible(
                (const mca_mq_base_component_t *) item->cli_component)) {
            opal_list_remove_item(&ompi_mq_base_framework.framework_components,
                                  &item->super);
            mca_base_component_unload(item->cli_component,
                                      ompi_mq_base_framework.framework_output);
            OBJ_RELEASE(item);
        }
    }
}

/* The names of all open components, to be freed by the caller. */
static char *available(void)
{
    mca_base_component_list_item_t *item;
    char **names = NULL, *text;

    OPAL_LIST_FOREACH(item, &ompi_mq_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        opal_argv_append_nosize(&names,
                                item->cli_component->mca_component_name);
    }
    text = opal_argv_join(names, ',');
    opal_argv_free(names);
    return text;
}

/* Report an error in one of the names in `--mca mq`. */
static void complain(const char *topic, const char *name)
{
    char *names = available();

    opal_show_help(MCA_MQ_BASE_HELP, topic, true, name,
                   ompi_mq_base_framework.framework_selection, names);
    free(names);
}

static bool is_name_good(const char *name)
{
    bool open = NULL != mca_mq_base_find(name);
    bool installed = open || 0 == strcmp(name, "list") || is_installed(name);

    if (!installed) {
        complain("unknown-component", name);
        return false;
    }
    if (!open && !mca_mq_base_choice.exclude) {
        complain("unusable-component", name);
        return false;
    }
    return true;
}

static int check_selection(void)
{
    char **name;
    int ret = OMPI_SUCCESS;

    if (mca_mq_base_choice.exclude &&
        opal_list_is_empty(&ompi_mq_base_framework.framework_components)) {
        opal_show_help(MCA_MQ_BASE_HELP, "all-excluded", true,
                       ompi_mq_base_framework.framework_selection);
        return OMPI_ERR_BAD_PARAM;
    }
    if (mca_mq_base_choice.bad_syntax) {
        complain("bad-syntax", "^");
        return OMPI_ERR_BAD_PARAM;
    }
    for (name = mca_mq_base_choice.names; NULL != name && NULL != *name;
         ++name) {
        if (!is_name_good(*name)) {
            ret = OMPI_ERR_BAD_PARAM;
        }
    }
    return ret;
}

/* Stop profiles and traces. */
static void stop_recording(void)
{
    mca_mq_base_trace_stop();
    mca_mq_base_observers_remove();
    mca_mq_base_profile_close();
}

static int start_recording(void)
{
    mca_mq_base_profile_open();
    if (0 == mca_mq_base_param_invalid) {
        mca_mq_base_trace_start();
    }
    if (0 != mca_mq_base_param_invalid) {
        stop_recording();
        return OMPI_ERR_BAD_PARAM;
    }
    return OMPI_SUCCESS;
}

static int mq_base_open(mca_base_open_flag_t flags)
{
    int ret;

    /* In an Open MPI tree, our own register function may not have been
     * called. */
    show_selection();
    drop_incompatible();
    ret = check_selection();
    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    if (0 != mca_mq_base_param_invalid) {
        /* Each was reported when it was read. */
        return OMPI_ERR_BAD_PARAM;
    }
    ret = start_recording();
    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    hide_selection();
    ret = mca_base_framework_components_open(&ompi_mq_base_framework, flags);
    show_selection();
    if (OMPI_SUCCESS != ret) {
        stop_recording();
    }
    return ret;
}

int mca_mq_base_open_framework(void)
{
    int ret = mca_mq_base_register_framework();

    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    ret =
        mca_base_framework_open(&ompi_mq_base_framework, MCA_BASE_OPEN_DEFAULT);
    /* Registering and opening count as two users, a failed opening as one: drop
     * one of them. */
    (void) mca_base_framework_close(&ompi_mq_base_framework);
    return ret;
}

static int mq_base_close(void)
{
    stop_recording();
    mca_mq_base_param_forget();
    mca_mq_base_param_invalid = 0;
    mca_mq_base_choice_forget();
    return mca_base_framework_components_close(&ompi_mq_base_framework, NULL);
}

int mca_mq_base_close_framework(void)
{
    return mca_base_framework_close(&ompi_mq_base_framework);
}
