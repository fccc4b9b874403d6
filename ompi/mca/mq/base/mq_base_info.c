/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What ompi_info and the help texts need to know.
 */

#include "ompi_config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ompi/mca/mq/base/base.h"

bool mca_mq_base_info_front_end = false;

#if defined(MCA_MQ_PLUGIN_BUILD)

const char *mca_mq_base_help_dir(void)
{
    static char dir[4096];
    Dl_info info;
    const char *slash;
    int length;

    if (0 == dladdr(&mca_mq_base_info_front_end, &info)) {
        return MCA_MQ_HELPDIR;
    }
    slash = strrchr(info.dli_fname, '/');
    if (NULL == slash) {
        return MCA_MQ_HELPDIR;
    }
    length =
        snprintf(dir, sizeof(dir), "%.*s/%s", (int) (slash - info.dli_fname),
                 info.dli_fname, MCA_MQ_HELPDIR_FROM_LIB);
    if (length < 0 || (size_t) length >= sizeof(dir) ||
        0 != access(dir, R_OK)) {
        return MCA_MQ_HELPDIR;
    }
    return dir;
}

#endif
