/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What `--mca mq` says: components that the user prefers, or excludes.
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

/** Read the text of the parameter; NULL: there is none. */
void mca_mq_base_choice_parse(const char *text);

/** Forget it, when the framework is closed. */
void mca_mq_base_choice_forget(void);

/** Is it one of those that are preferred? */
bool mca_mq_base_is_named(const char *component);

#endif /* OMPI_MCA_MQ_BASE_PARAM_CHOICE_H */
