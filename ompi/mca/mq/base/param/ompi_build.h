/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Is the running Open MPI the one for which the plug-ins were compiled? They use
 * its structures, whose layout depends on its series and on how it was
 * configured (debugging, fault tolerance, PERUSE, the number of
 * proc_endpoints). Its loader looks at neither.
 */

#ifndef OMPI_MCA_MQ_BASE_PARAM_OMPI_BUILD_H
#define OMPI_MCA_MQ_BASE_PARAM_OMPI_BUILD_H

#include "ompi_config.h"

#include <stdbool.h>

BEGIN_C_DECLS

/** To be called before anything of Open MPI's is used: in register functions of
 * components. If it is another series or build, the first call says so: in each
 * process if the job cannot go on without (`needed`), else once a node. */
OMPI_DECLSPEC bool mca_mq_base_fits_ompi(bool needed);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_PARAM_OMPI_BUILD_H */
