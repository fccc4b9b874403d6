/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Registration of champion's parameters, with the checks of
 * mq/base/param/param.h.
 *
 * Each function returns whether the value is allowed; if not, it has printed an
 * error, and the storage keeps the default.
 */

#ifndef MCA_PML_CHAMPION_CORE_PARAMS_H
#define MCA_PML_CHAMPION_CORE_PARAMS_H

#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/pml/champion/core/champion.h"

BEGIN_C_DECLS

/** True or false. The MCA warns of other values, and goes on. */
bool mca_pml_champion_param_bool(const char *name, const char *description,
                                 mca_base_var_info_lvl_t level, bool *storage);

/** A number from min to max; max <= INT_MAX. */
bool mca_pml_champion_param_uint(const char *name, const char *description,
                                 mca_base_var_info_lvl_t level, unsigned min,
                                 unsigned max, unsigned *storage);

/** A size in bytes, with or without a unit. */
bool mca_pml_champion_param_size(const char *name, const char *description,
                                 mca_base_var_info_lvl_t level, size_t min,
                                 size_t max, size_t *storage);

/** A size in bytes, or the word auto: MCA_MQ_BASE_SIZE_AUTO. */
bool mca_pml_champion_param_auto_size(const char *name, const char *description,
                                      mca_base_var_info_lvl_t level, size_t min,
                                      size_t max, size_t *storage);

END_C_DECLS

#endif /* MCA_PML_CHAMPION_CORE_PARAMS_H */
