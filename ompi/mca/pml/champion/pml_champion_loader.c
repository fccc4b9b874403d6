/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What Open MPI finds as mca_pml_champion.so, and loads into every job of a
 * user who has it installed. Only if the parameter pml names champion, or
 * ompi_info lists it, is the rest loaded from beside it, and UCX with it.
 */

#define _GNU_SOURCE 1

#include "ompi_config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/util/argv.h"
#include "opal/util/proc.h"
#include "opal/util/show_help.h"

#include "ompi/mca/mq/base/param/environ.h"
#include "ompi/mca/mq/base/param/help.h"
#include "ompi/mca/mq/base/param/ompi_build.h"
#include "ompi/mca/mq/base/param/unknown.h"
#include "ompi/mca/mq/mq.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "ompi/mca/pml/base/base.h"
#include "ompi/mca/pml/champion/mpi/schedule.h"

#define HELP "help-mpi-pml-champion.txt"

OMPI_DECLSPEC extern mca_pml_champion_component_t mca_pml_champion_component;

static int loader_register(void);

mca_pml_champion_component_t mca_pml_champion_component = {
    .super.pmlm_version =
        {
            MCA_MQ_OMPI_PML_VERSION,
            .mca_component_name = "champion",
            MCA_MQ_COMPONENT_RELEASE,
            .mca_register_component_params = loader_register,
        },
};

static bool is_wanted(void)
{
    const char *pml = ompi_pml_base_framework.framework_selection;
    char **names;
    bool wanted = false;

    if (0 == strcmp(program_invocation_short_name, "ompi_info")) {
        return true;
    }
    names = NULL == pml ? NULL : opal_argv_split(pml, ',');
    for (char **name = names; NULL != name && NULL != *name; ++name) {
        wanted |= 0 == strcmp(*name, "champion");
    }
    opal_argv_free(names);
    return wanted;
}

/* UCX takes SIGSEGV, SIGFPE, SIGBUS and SIGILL from the program, and its
 * alternate stack, when it is loaded. A Java machine gets some of these signals
 * at any time, in any thread: to restore its handlers later is too late. */
static void *load(const char *path)
{
    static const char mute[] = "UCX_HANDLE_ERRORS=none";
    bool is_mute =
        NULL == getenv("UCX_ERROR_SIGNALS") && mca_mq_base_environ_add(mute);
    void *library;

    library = dlopen(path, RTLD_LAZY | RTLD_GLOBAL); /* as Open MPI does */
    if (is_mute) {
        mca_mq_base_environ_remove(mute);
    }
    return library;
}

/* The component in the library takes the place of this one. */
static bool become(void)
{
    const mca_pml_champion_component_t *rest = NULL;
    char path[4096];
    void *library;
    Dl_info self;

    if (0 != dladdr(&mca_pml_champion_component, &self)) {
        int folder = (int) (strrchr(self.dli_fname, '/') + 1 - self.dli_fname);

        snprintf(path, sizeof(path), "%.*slibchampion_pml.so", folder,
                 self.dli_fname);
        library = load(path);
        if (NULL != library) {
            rest = dlsym(library, "mca_pml_champion_loaded");
        }
    }
    if (NULL == rest) {
        const char *why = dlerror();

        opal_show_help(HELP, "load", true, NULL == why ? "?" : why);
        return false;
    }
    mca_pml_champion_component = *rest;
    return true;
}

static int loader_register(void)
{
    mca_base_component_t *version =
        &mca_pml_champion_component.super.pmlm_version;

    if (!is_wanted()) {
        if (0 == OPAL_PROC_MY_NAME.vpid) {
            mca_mq_base_unused_report();
        }
        return OMPI_ERR_NOT_AVAILABLE;
    }
    opal_show_help_add_dir(mca_mq_base_help_dir());
    if (!mca_mq_base_fits_ompi(true)) {
        return OMPI_ERR_NOT_AVAILABLE;
    }
    return become() ? version->mca_register_component_params()
                    : OMPI_ERR_NOT_AVAILABLE;
}
