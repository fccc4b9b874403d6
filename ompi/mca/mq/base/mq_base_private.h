/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the source files of the mq base share with each other only.
 */

#ifndef OMPI_MCA_MQ_BASE_PRIVATE_H
#define OMPI_MCA_MQ_BASE_PRIVATE_H

#include "ompi/mca/mq/base/base.h"

/** Name of the file of help texts. */
#define MCA_MQ_BASE_HELP "help-mca-mq-base.txt"

/** What `--mca mq` said and what was wrong with the parameters. */
typedef struct mca_mq_base_choice_t {
    char **names;     /**< named components in order, ended by NULL, or NULL */
    bool exclude;     /**< they are excluded, not preferred */
    bool bad_syntax;  /**< neither a list of names nor ^ and a list */
    unsigned invalid; /**< parameters with a value that is not allowed */
} mca_mq_base_choice_t;

extern mca_mq_base_choice_t mca_mq_base_choice;

/** The open component of this name, or NULL. */
const mca_mq_base_component_t *mca_mq_base_find(const char *name);

/** Name of a component. */
static inline const char *mca_mq_base_name(
    const mca_mq_base_component_t *component)
{
    return component->mqm_version.mca_component_name;
}

#endif /* OMPI_MCA_MQ_BASE_PRIVATE_H */
