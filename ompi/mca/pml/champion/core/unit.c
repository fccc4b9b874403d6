/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/unit.h"

const mca_base_var_enum_value_t mca_pml_champion_switch_words[] = {
    {MCA_PML_CHAMPION_OFF, "off"},   {MCA_PML_CHAMPION_AUTO, "auto"},
    {MCA_PML_CHAMPION_ON, "on"},     {MCA_PML_CHAMPION_OFF, "0"},
    {MCA_PML_CHAMPION_OFF, "false"}, {MCA_PML_CHAMPION_ON, "1"},
    {MCA_PML_CHAMPION_ON, "true"},   {0, NULL},
};

bool mca_pml_champion_param_bool(const char *name, const char *description,
                                 mca_base_var_info_lvl_t level, bool *storage)
{
    return 0 <= mca_base_component_var_register(
                    mca_pml_champion.component, name, description,
                    MCA_BASE_VAR_TYPE_BOOL, NULL, 0, 0, level,
                    MCA_BASE_VAR_SCOPE_ALL_EQ, storage);
}

bool mca_pml_champion_param_uint(const char *name, const char *description,
                                 mca_base_var_info_lvl_t level, unsigned min,
                                 unsigned max, unsigned *storage)
{
    return OMPI_SUCCESS == mca_mq_base_param_uint(mca_pml_champion.component,
                                                  name, description, level, min,
                                                  max, storage);
}

bool mca_pml_champion_param_size(const char *name, const char *description,
                                 mca_base_var_info_lvl_t level, size_t min,
                                 size_t max, size_t *storage)
{
    return OMPI_SUCCESS == mca_mq_base_param_size(mca_pml_champion.component,
                                                  name, description, level, min,
                                                  max, false, storage);
}

bool mca_pml_champion_param_auto_size(const char *name, const char *description,
                                      mca_base_var_info_lvl_t level, size_t min,
                                      size_t max, size_t *storage)
{
    return OMPI_SUCCESS == mca_mq_base_param_size(mca_pml_champion.component,
                                                  name, description, level, min,
                                                  max, true, storage);
}
