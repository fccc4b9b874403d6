/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Variables of the environment for another library, which reads them once, set
 * while threads of others run. setenv() frees the array that a getenv() of one
 * of them may be reading. PMIx's thread calls Open MPI, and that getenv(), at
 * any time in MPI_Init: whenever a process of the job has begun.
 */

#ifndef OMPI_MCA_MQ_BASE_PARAM_ENVIRON_H
#define OMPI_MCA_MQ_BASE_PARAM_ENVIRON_H

#include "ompi_config.h"

#include <stdbool.h>

BEGIN_C_DECLS

/** Set a variable, unless it is set. Other threads may read the environment at
 * the same time, not change it.
 *
 * @param[in] assignment  NAME=value. Not copied: it stays as it is for as long
 *                        as somebody may have the value
 * @return whether it was set: false too, if there is no memory */
OMPI_DECLSPEC bool mca_mq_base_environ_add(const char *assignment);

/** Remove a variable that was set by that. In the opposite order another
 * thread that reads misses none of the others. */
OMPI_DECLSPEC void mca_mq_base_environ_remove(const char *assignment);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_PARAM_ENVIRON_H */
