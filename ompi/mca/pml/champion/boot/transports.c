/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/boot/transports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The configuration ---- */

/* UCX gives values only as text, in lines such as "UCX_TLS=all". */
static char *config_text(const ucp_config_t *config)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);

    if (NULL == file) {
        return NULL;
    }
    ucp_config_print(config, file, NULL, UCS_CONFIG_PRINT_CONFIG);
    if (0 != fclose(file)) {
        free(text);
        return NULL;
    }
    return text;
}

char *mca_pml_champion_transports_value(const ucp_config_t *config,
                                        const char *name)
{
    char *text = config_text(config), *value = NULL;
    char wanted[64];
    const char *at;

    (void) snprintf(wanted, sizeof(wanted), "UCX_%s=", name);
    at = NULL == text ? NULL : strstr(text, wanted);
    if (NULL != at) {
        at += strlen(wanted);
        value = strndup(at, strcspn(at, "\n"));
    }
    free(text);
    return value;
}

/* ---- The list ---- */

/* What the names for shared memory stand for. */
static const char *const members[] = {"posix", "sysv", "xpmem", "knem", "cma"};
enum { MEMBERS = sizeof(members) / sizeof(members[0]), MEMBERS_OF_MM = 3 };

static unsigned members_of(const char *name)
{
    if (0 == strcmp(name, "mm")) {
        return MEMBERS_OF_MM;
    }
    return 0 == strcmp(name, "sm") || 0 == strcmp(name, "shm") ? MEMBERS : 0;
}

/* Does it carry messages between processes? The others only copy, or serve a
 * process alone. */
static bool carries(const char *name)
{
    return 0 != strcmp(name, "self") && 0 != strcmp(name, "cma") &&
           0 != strcmp(name, "knem");
}

/* A list that grows; its memory suffices for all that is added. */
typedef struct allowed_t {
    char *list;
    bool carries;
} allowed_t;

static void allow(allowed_t *allowed, const char *name)
{
    if ('\0' != allowed->list[0]) {
        strcat(allowed->list, ",");
    }
    strcat(allowed->list, name);
    /* A backslash says that it is no common name. */
    allowed->carries |= carries(name + strspn(name, "\\"));
}

static void allow_but(allowed_t *allowed, const char *name, const char *out,
                      bool (*has)(const char *name))
{
    unsigned count = members_of(name);

    if (0 == count && 0 != strcmp(name + strspn(name, "\\"), out)) {
        allow(allowed, name);
    }
    for (unsigned i = 0; i < count; ++i) {
        /* UCX would complain about what is not there. */
        if (0 != strcmp(members[i], out) && has(members[i])) {
            allow(allowed, members[i]);
        }
    }
}

static char *allowed_without(const char *list, const char *out,
                             bool (*has)(const char *name))
{
    /* "sm" becomes five names. */
    allowed_t allowed = {.list = calloc(16, strlen(list) + 1)};
    char *names = strdup(list), *rest = NULL;

    if (NULL != names && NULL != allowed.list) {
        for (char *name = strtok_r(names, ",", &rest); NULL != name;
             name = strtok_r(NULL, ",", &rest)) {
            allow_but(&allowed, name, out, has);
        }
    }
    free(names);
    if (!allowed.carries) {
        free(allowed.list);
        return NULL;
    }
    return allowed.list;
}

char *mca_pml_champion_transports_without(const char *list, const char *name,
                                          bool (*has)(const char *name))
{
    size_t length = strlen(list) + strlen(name) + sizeof("^,");
    char *denied;

    if ('^' != list[0] && 0 != strcmp(list, "all")) {
        return allowed_without(list, name, has);
    }
    denied = malloc(length);
    if (NULL == denied) {
        return NULL;
    }
    if ('^' == list[0]) {
        (void) snprintf(denied, length, "%s,%s", list, name);
    } else {
        (void) snprintf(denied, length, "^%s", name);
    }
    return denied;
}
