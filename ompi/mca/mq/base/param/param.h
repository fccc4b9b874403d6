/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Strictly checked parameters of components.
 *
 * The MCA reads "abc" as the number 0 and has no ranges. These functions
 * register a parameter mq_<component>_<name>, and report a value of the wrong
 * type or out of range, together with what is allowed. Then the storage keeps
 * the default, so that registration can continue (and ompi_info can list
 * everything), but the framework does not open.
 *
 * Call them from the component's register function, which must return
 * OMPI_SUCCESS even if they fail, or the MCA would silently drop the component.
 * Storage is static and holds the default before each call.
 */

#ifndef OMPI_MCA_MQ_BASE_PARAM_PARAM_H
#define OMPI_MCA_MQ_BASE_PARAM_PARAM_H

#include <stdint.h>

#include "ompi/mca/mca.h"
#include "opal/mca/base/mca_base_var.h"

#include "ompi/mca/mq/base/param/parse.h"
#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

/**
 * Register an integer, in decimal, octal (0) or hexadecimal (0x).
 *
 * @param[in] component  to which the parameter belongs
 * @param[in]     name         without the prefix mq_<component>_
 * @param[in]     description  for ompi_info
 * @param[in] level  for whom it is meant
 * @param[in]     min, max     allowed range, both included; max <= INT_MAX
 * @param[in,out] storage      the default; then the value
 *
 * @return OMPI_SUCCESS, OMPI_ERR_BAD_PARAM after a help text was shown, or
 *         another Open MPI error
 */
OMPI_DECLSPEC int mca_mq_base_param_uint(const mca_base_component_t *component,
                                         const char *name,
                                         const char *description,
                                         mca_base_var_info_lvl_t level,
                                         unsigned min, unsigned max,
                                         unsigned *storage);

/**
 * Register a choice of words.
 *
 * @param[in] values  the words, each with its number, which is not 0; ended by
 *                    a NULL word
 *
 * The rest as for mca_mq_base_param_uint.
 */
OMPI_DECLSPEC int mca_mq_base_param_enum(
    const mca_base_component_t *component, const char *name,
    const char *description, mca_base_var_info_lvl_t level,
    const mca_base_var_enum_value_t *values, int *storage);

/** The same, and the program may change the value at run time, by the tool
 * interface (MPI_T_cvar_write). Read it atomically. */
OMPI_DECLSPEC int mca_mq_base_param_settable(
    const mca_base_component_t *component, const char *name,
    const char *description, mca_base_var_info_lvl_t level,
    const mca_base_var_enum_value_t *values, int *storage);

/**
 * Register a size in bytes: a number as for mca_mq_base_param_uint, optionally
 * followed by a unit: K, M, G, T for 1024 bytes, 1024 K and so on, in either
 * case, optionally followed by B or iB: 64K, 64k, 64KB, 64KiB. The MCA has no
 * checked type for that, so ompi_info shows a string.
 *
 * @param[in]     min, max   allowed range, both included
 * @param[in] automatic  whether the word auto is allowed
 * @param[in,out] storage    the default, then the value; for the word
 *                           MCA_MQ_BASE_SIZE_AUTO
 *
 * The rest as for mca_mq_base_param_uint.
 */
OMPI_DECLSPEC int mca_mq_base_param_size(const mca_base_component_t *component,
                                         const char *name,
                                         const char *description,
                                         mca_base_var_info_lvl_t level,
                                         size_t min, size_t max, bool automatic,
                                         size_t *storage);

/** Storage of a real number. */
typedef struct mca_mq_base_real_t {
    double value;
    char *text; /**< the MCA's storage; not for other use */
} mca_mq_base_real_t;

/**
 * Register a real number. The MCA has no checked type for that, so ompi_info
 * shows a string.
 *
 * @param[in] min, max  allowed range, both included; finite
 *
 * The rest as for mca_mq_base_param_uint.
 */
OMPI_DECLSPEC int mca_mq_base_param_real(const mca_base_component_t *component,
                                         const char *name,
                                         const char *description,
                                         mca_base_var_info_lvl_t level,
                                         double min, double max,
                                         mca_mq_base_real_t *storage);

/**
 * Register a text, which is not checked.
 *
 * @param[in,out] storage  the default, which the MCA copies, or NULL; then the
 *                         value, owned by the MCA
 *
 * The rest as for mca_mq_base_param_uint.
 */
OMPI_DECLSPEC int mca_mq_base_param_string(
    const mca_base_component_t *component, const char *name,
    const char *description, mca_base_var_info_lvl_t level, char **storage);

/** A value of a parameter for one domain. */
typedef struct mca_mq_base_value_t {
    void *storage; /**< the parameter's */
    bool is_real;
    union {
        int integer;
        double real;
    } value;
} mca_mq_base_value_t;

/**
 * Parse a value of a parameter for one domain.
 *
 * @return OMPI_SUCCESS; OMPI_ERR_NOT_FOUND if the component has no such
 *         parameter, or only one for all domains; OMPI_ERR_BAD_PARAM if the
 *         text is not allowed
 */
OMPI_DECLSPEC int mca_mq_base_param_parse(const mca_base_component_t *component,
                                          const char *name, const char *text,
                                          mca_mq_base_value_t *value);

/** Swap a parameter's value with the parsed one; a second call restores it.
 * Components copy their parameters when they make a module. */
OMPI_DECLSPEC void mca_mq_base_param_swap(mca_mq_base_value_t *value);

/** Did the user set this parameter (name without the prefix mq_<component>_ or
 * pml_<component>_)? */
OMPI_DECLSPEC bool mca_mq_base_param_is_set(
    const mca_base_component_t *component, const char *name);

/**
 * Report that a parameter's value is not allowed; the framework will not open.
 *
 * @param[in] full_name  of the parameter
 * @param[in] allowed  what is allowed
 */
OMPI_DECLSPEC void mca_mq_base_param_complain(const char *full_name,
                                              const char *value,
                                              const char *allowed);

/** Number of parameters with values that are not allowed, since the framework
 * was registered. Code with its own checks adds to it. */
OMPI_DECLSPEC extern unsigned mca_mq_base_param_invalid;

/** Forget all parameters, when the framework is closed. */
void mca_mq_base_param_forget(void);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_PARAM_PARAM_H */
