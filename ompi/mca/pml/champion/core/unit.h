/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Units: what has parameters, or is opened or closed, describes itself, once or
 * twice. pml_champion_units.c has the list of all units, in an order: they are
 * opened and started from its top, and stopped and closed from its bottom.
 *
 * Parameters are registered with the checks of mq/base/param/param.h. Each
 * function here returns whether the value is allowed; if not, it has printed an
 * error, and the storage keeps the default.
 */

#ifndef MCA_PML_CHAMPION_CORE_UNIT_H
#define MCA_PML_CHAMPION_CORE_UNIT_H

#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** A unit; functions that it does not have are NULL. */
typedef struct mca_pml_champion_unit_t {
    const char *name; /**< for messages */
    /** Register parameters; also called in ompi_info. False if one has a value
     * that is not allowed; the others are registered nevertheless. */
    bool (*registers)(void);
    /** In MPI_Init, before it is known whether champion is chosen: no other
     * process can be reached. Undoes its own steps if it fails. */
    int (*open)(void);
    /** champion is chosen. Undoes its own steps if it fails. */
    int (*start)(void);
    void (*stop)(void);  /**< undoes start; called if all units have started */
    void (*close)(void); /**< undoes open; called if the unit is open */
} mca_pml_champion_unit_t;

/** Define the descriptor of a unit. */
#define MCA_PML_CHAMPION_UNIT(id)                                              \
    const mca_pml_champion_unit_t __attribute__((visibility("hidden")))        \
    mca_pml_champion_unit_##id

/** Words of a parameter that is MCA_PML_CHAMPION_OFF, _AUTO or _ON. Truth values
 * are accepted as well. */
extern const mca_base_var_enum_value_t mca_pml_champion_switch_words[];

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

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_UNIT_H */
