/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Help texts: printed as one line in addition, where mpirun shows them; and
 * read from files for plug-ins, where Open MPI has its own texts compiled in
 * (6.0). The format is Open MPI's: lines after [topic] up to the next topic,
 * except those that begin with #.
 */

#include "ompi_config.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opal/util/output.h"

#include "ompi/mca/mq/base/param/help.h"
#include "ompi/mca/mq/mq_ompi_compat.h"

#if defined(MCA_MQ_PLUGIN_BUILD)

const char *mca_mq_base_help_dir(void)
{
    static const char here;
    static char dir[4096];
    Dl_info info;
    const char *slash;
    int length;

    if (0 == dladdr(&here, &info)) {
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

#if MCA_MQ_OMPI_HAS_OWN_HELP

#define LINE_OF_DASHES                                                         \
    "-----------------------------------------------------------------------"  \
    "---"

/* Read the text of a topic; empty if there is none. */
static void read_topic(const char *name, const char *topic, char *text,
                       size_t size)
{
    char line[256], heading[256];
    bool inside = false;
    size_t length = 0;
    FILE *file;

    text[0] = '\0';
    snprintf(line, sizeof(line), "%s/%s", mca_mq_base_help_dir(), name);
    snprintf(heading, sizeof(heading), "[%s]\n", topic);
    file = fopen(line, "r");
    if (NULL == file) {
        return;
    }
    while (NULL != fgets(line, sizeof(line), file)) {
        if ('[' == line[0]) {
            inside = 0 == strcmp(line, heading);
        } else if (inside && '#' != line[0] && length + 1 < size) {
            length +=
                (size_t) snprintf(text + length, size - length, "%s", line);
        }
    }
    fclose(file);
}

int mca_mq_base_show_help(const char *file, const char *topic, int header, ...)
{
    char format[4096], text[8192];
    va_list arguments;

    (void) header;
    read_topic(file, topic, format, sizeof(format));
    if ('\0' == format[0]) {
        snprintf(text, sizeof(text), "(There is no text '%s' in %s/%s.)\n",
                 topic, mca_mq_base_help_dir(), file);
    } else {
        va_start(arguments, header);
        vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
    }
    fprintf(stderr, LINE_OF_DASHES "\n%s" LINE_OF_DASHES "\n", text);
    return OPAL_SUCCESS;
}

#else

/* Largest job in which every process prints: mpirun ends the job when the first
 * process fails, and drops the output of the others. */
#define PRINTING_MAX 64

/* Is there an mpirun that may lose a text, and should this process print it? */
static bool prints(void)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    const char *rank = getenv("OMPI_COMM_WORLD_LOCAL_RANK");

    return NULL != size && NULL != rank &&
           (atoi(size) <= PRINTING_MAX || 0 == atoi(rank));
}

/* Replace white space by single blanks, and remove lines of dashes. */
static void flatten(char *text)
{
    char *to = text;

    for (const char *from = text; '\0' != *from;) {
        size_t blanks = strspn(from, " \t\n");
        size_t dashes = strspn(from + blanks, "-");

        from += blanks + (dashes > 3 ? dashes : 0);
        if (0 == blanks && dashes <= 3) {
            *to++ = *from++;
        } else if (to != text && '\0' != *from && ' ' != to[-1]) {
            *to++ = ' ';
        }
    }
    *to = '\0';
}

void mca_mq_base_help_line(const char *file, const char *topic, int header, ...)
{
    va_list arguments;
    char *text;

    if (!prints()) {
        return;
    }
    va_start(arguments, header);
    text = opal_show_help_vstring(file, topic, false, arguments);
    va_end(arguments);
    if (NULL != text) {
        flatten(text);
        fprintf(stderr, "champion: %s\n", text);
    }
    free(text);
}

#endif
