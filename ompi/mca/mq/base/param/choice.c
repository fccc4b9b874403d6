/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <string.h>

#include "opal/util/argv.h"

#include "ompi/mca/mq/base/param/choice.h"

mca_mq_base_choice_t mca_mq_base_choice;

void mca_mq_base_choice_forget(void)
{
    opal_argv_free(mca_mq_base_choice.names);
    memset(&mca_mq_base_choice, 0, sizeof(mca_mq_base_choice));
}

void mca_mq_base_choice_parse(const char *text)
{
    mca_mq_base_choice_t *choice = &mca_mq_base_choice;

    mca_mq_base_choice_forget();
    if (NULL == text) {
        return;
    }
    choice->exclude = '^' == text[0];
    text += choice->exclude;
    choice->bad_syntax = NULL != strchr(text, '^');
    choice->names = opal_argv_split(text, ',');
}

bool mca_mq_base_is_named(const char *component)
{
    char **name = mca_mq_base_choice.names;

    while (!mca_mq_base_choice.exclude && NULL != name && NULL != *name) {
        if (0 == strcmp(*name, component)) {
            return true;
        }
        ++name;
    }
    return false;
}
