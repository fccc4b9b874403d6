/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/util/argv.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/base/domain/wish.h"

/* Length of the component's name in a choice. */
static size_t name_length(const char *choice)
{
    return strcspn(choice, ":");
}

bool mca_mq_base_is_chosen(const mca_mq_base_domain_t *domain,
                           const mca_mq_base_component_t *component)
{
    const char *name = mca_mq_base_name(component);

    return NULL != domain->choice &&
           strlen(name) == name_length(domain->choice) &&
           0 == strncmp(name, domain->choice, strlen(name));
}

/* Parse one PARAMETER=VALUE, which is modified. */
static int read_setting(char *setting, mca_mq_base_wish_t *wish, char *why,
                        size_t size)
{
    const char *name = mca_mq_base_name(wish->component);
    char *value = strchr(setting, '=');
    int ret;

    if (NULL == value) {
        snprintf(why, size, "\"%s\" is not of the form parameter=value",
                 setting);
        return OMPI_ERR_BAD_PARAM;
    }
    *value++ = '\0';
    if (MCA_MQ_BASE_WISH_VALUES_MAX == wish->count) {
        snprintf(why, size, "more than %d parameters",
                 MCA_MQ_BASE_WISH_VALUES_MAX);
        return OMPI_ERR_BAD_PARAM;
    }
    ret = mca_mq_base_param_parse(&wish->component->mqm_version, setting, value,
                                  &wish->values[wish->count]);
    if (OMPI_SUCCESS == ret) {
        ++wish->count;
        return OMPI_SUCCESS;
    }
    if (OMPI_ERR_NOT_FOUND == ret) {
        snprintf(why, size, "%s has no parameter \"%s\" for one communicator",
                 name, setting);
    } else {
        snprintf(why, size,
                 "\"%s\" is not allowed for %s of %s; ompi_info --param mq %s "
                 "shows what is",
                 value, setting, name, name);
    }
    return OMPI_ERR_BAD_PARAM;
}

int mca_mq_base_wish_read(const char *choice, mca_mq_base_wish_t *wish,
                          char *why, size_t size)
{
    size_t length = name_length(choice);
    char *name = strndup(choice, length);
    char **settings;
    int ret = OMPI_SUCCESS;

    if (NULL == name) {
        snprintf(why, size, "out of memory");
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    wish->count = 0;
    wish->component = mca_mq_base_find(name);
    if (NULL == wish->component) {
        snprintf(why, size, "there is no component \"%s\"", name);
        free(name);
        return OMPI_ERR_BAD_PARAM;
    }
    free(name);
    settings = ':' == choice[length] ? opal_argv_split(choice + length + 1, ',')
                                     : NULL;
    for (char **setting = settings;
         NULL != setting && NULL != *setting && OMPI_SUCCESS == ret;
         ++setting) {
        ret = read_setting(*setting, wish, why, size);
    }
    opal_argv_free(settings);
    return ret;
}

int mca_mq_base_wish_create(const mca_mq_base_component_t *component,
                            const mca_mq_domain_info_t *info,
                            mca_mq_base_module_t **module)
{
    char why[160];
    mca_mq_base_wish_t wish;
    int ret;

    if (!mca_mq_base_is_chosen(info->domain, component)) {
        return component->mqm_create(info, module);
    }
    ret = mca_mq_base_wish_read(info->domain->choice, &wish, why, sizeof(why));
    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    for (int i = 0; i < wish.count; ++i) {
        mca_mq_base_param_swap(&wish.values[i]);
    }
    ret = component->mqm_create(info, module);
    /* In reverse order, as a parameter may be named twice. */
    for (int i = wish.count; i-- > 0;) {
        mca_mq_base_param_swap(&wish.values[i]);
    }
    return ret;
}
