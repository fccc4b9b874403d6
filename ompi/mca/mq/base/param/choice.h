/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The value of `--mca mq`: components that the user prefers or excludes.
 */

#ifndef OMPI_MCA_MQ_BASE_PARAM_CHOICE_H
#define OMPI_MCA_MQ_BASE_PARAM_CHOICE_H

#include <stdbool.h>

typedef struct mca_mq_base_choice_t {
    char **names;    /**< named components in order, ended by NULL, or NULL */
    bool exclude;    /**< they are excluded, not preferred */
    bool bad_syntax; /**< neither a list of names nor ^ and a list */
} mca_mq_base_choice_t;

extern mca_mq_base_choice_t mca_mq_base_choice;

/** Parse the text of the parameter; NULL: not set. */
void mca_mq_base_choice_parse(const char *text);

/** Forget the choice, when the framework is closed. */
void mca_mq_base_choice_forget(void);

/** Is this one of the preferred components? */
bool mca_mq_base_is_named(const char *component);

#endif /* OMPI_MCA_MQ_BASE_PARAM_CHOICE_H */
