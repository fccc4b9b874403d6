/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parameters of the base itself, mq_base_*, and the job that it serves.
 */

#ifndef OMPI_MCA_MQ_BASE_PARAM_OWN_H
#define OMPI_MCA_MQ_BASE_PARAM_OWN_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

BEGIN_C_DECLS

/**
 * The job of this process, which selects its part of a profile. Set before the
 * framework is opened. Size 0 (as in ompi_info): unknown, and profiles are not
 * read.
 */
typedef struct mca_mq_base_job_t {
    uint32_t rank; /**< of this process in MPI_COMM_WORLD */
    uint32_t size; /**< of MPI_COMM_WORLD */
} mca_mq_base_job_t;

OMPI_DECLSPEC extern mca_mq_base_job_t mca_mq_base_job;

/** Promises for all domains, from the parameter mq_base_assert;
 * MCA_MQ_ASSERT_* bits. Valid while the framework is open. */
OMPI_DECLSPEC extern uint32_t mca_mq_base_assertions;

/** Does the parameter mq_base_scope ask for one domain per process? */
OMPI_DECLSPEC bool mca_mq_base_is_process_scope(void);

/** The parameter mq_base_profile, or NULL. */
extern char *mca_mq_base_profile_path;

/** The parameter mq_base_trace, or NULL. */
extern char *mca_mq_base_trace_path;

/** The parameter mq_base_trace_ranks, or NULL. */
extern char *mca_mq_base_trace_ranks;

/** The parameter mq_base_trace_limit, in bytes. */
extern size_t mca_mq_base_trace_limit;

/** Register the parameters. */
void mca_mq_base_register_own(void);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_PARAM_OWN_H */
