/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Parameters of champion that are set, in the environment, by mpirun's --mca or
 * in a file of parameters, and that have no effect. The MCA says nothing of
 * them: a name with a missing letter looks like one that was heeded.
 */

#ifndef OMPI_MCA_MQ_BASE_PARAM_UNKNOWN_H
#define OMPI_MCA_MQ_BASE_PARAM_UNKNOWN_H

#include "ompi_config.h"

#include <stddef.h>

#include "ompi/mca/mca.h"
#include "opal/mca/base/mca_base_framework.h"

BEGIN_C_DECLS

/** Print a line for each parameter whose name begins as those of pml/champion,
 * mq or coll/champion do, and that no component has registered. Not of a
 * component that the user leaves out. Call it in one process of a
 * job, with the frameworks registered.
 *
 * @param[in] frameworks  whose components may not be loaded; ended by NULL
 */
OMPI_DECLSPEC void mca_mq_base_unknown_report(
    mca_base_framework_t *const *frameworks);

/** Print a line if such parameters are set in the environment, in which
 * pml/champion is not used. */
OMPI_DECLSPEC void mca_mq_base_unused_report(void);

/** How many letters have to be changed, inserted or removed to make one word of
 * the other; at most `most`, also if it is more. `most` is at most 8. */
OMPI_DECLSPEC size_t mca_mq_base_letters_apart(const char *one,
                                               const char *other, size_t most);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_PARAM_UNKNOWN_H */
