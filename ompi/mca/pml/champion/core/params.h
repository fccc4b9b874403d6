/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Registration of champion's parameters, read as strictly as those of mq
 * (mq/base/param/param.h).
 *
 * Each function returns whether the value is allowed; if not, the user has been
 * told, and the storage keeps the default.
 */

#ifndef MCA_PML_CHAMPION_CORE_PARAMS_H
#define MCA_PML_CHAMPION_CORE_PARAMS_H

#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/pml/champion/core/champion.h"

BEGIN_C_DECLS

/** True or false. The MCA complains of other values, and goes on. */
bool mca_pml_champion_param_bool(const char *name, const char *description,
                                 mca_base_var_info_lvl_t level, bool *storage);

/** A number; max <= INT_MAX. */
bool mca_pml_champion_param_uint(const char *name, const char *description,
                                 mca_base_var_info_lvl_t level, unsigned min,
                                 unsigned max, unsigned *storage);

/** Bytes, with or without a unit. */
bool mca_pml_champion_param_size(const char *name, const char *description,
                                 mca_base_var_info_lvl_t level, size_t min,
                                 size_t max, size_t *storage);

/** The same, or the word auto: MCA_MQ_BASE_SIZE_AUTO. */
bool mca_pml_champion_param_auto_size(const char *name, const char *description,
                                      mca_base_var_info_lvl_t level, size_t min,
                                      size_t max, size_t *storage);

END_C_DECLS

#endif /* MCA_PML_CHAMPION_CORE_PARAMS_H */
