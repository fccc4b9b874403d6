/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#if MQ_REPLAY_OTF2

#include <stdarg.h>
#include <stdio.h>

#include "import/replay_otf2_archive.h"
#include "sequence/replay_util.h"

static char complaint[512];

/* Keep the error text for the line that is printed. */
static OTF2_ErrorCode complain(void *data, const char *file, uint64_t line,
                               const char *function, OTF2_ErrorCode code,
                               const char *format, va_list arguments)
{
    vsnprintf(complaint, sizeof(complaint), format, arguments);
    return code;
}

void replay_otf2_check(const replay_otf2_archive_t *archive,
                       OTF2_ErrorCode code)
{
    if (OTF2_SUCCESS != code) {
        replay_die("%s: %s%s%s", archive->path, OTF2_Error_GetDescription(code),
                   '\0' != complaint[0] ? ": " : "", complaint);
    }
}

void *replay_otf2_known(const replay_otf2_archive_t *archive, void *handle)
{
    if (NULL == handle) {
        replay_die("%s: cannot be read as an archive of OTF2%s%s",
                   archive->path, '\0' != complaint[0] ? ": " : "", complaint);
    }
    return handle;
}

void replay_otf2_errors_init(void)
{
    OTF2_Error_RegisterCallback(complain, NULL);
}

void replay_otf2_errors_reset(void)
{
    complaint[0] = '\0';
}

#endif /* MQ_REPLAY_OTF2 */
