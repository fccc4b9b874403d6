/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Parameters of components, read strictly.
 *
 * The MCA reads "abc" as the number 0 and knows no ranges. These functions
 * register a parameter mq_<component>_<name> for which a value that is not of
 * the type or not in the range is shown to the user with what is allowed
 * instead. The storage keeps the default then, so that registration can go on
 * (and ompi_info can list everything), but the framework will not open.
 *
 * Call them from the component's register function, which returns
 * OMPI_SUCCESS whatever they return, or the MCA would drop the component
 * quietly. Storage is static and holds the default before each call.
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
 * A number without fraction, in decimal, octal (0) or hexadecimal (0x).
 *
 * @param[in]     component    whose parameter it is
 * @param[in]     name         without the prefix mq_<component>_
 * @param[in]     description  for ompi_info
 * @param[in]     level        who is expected to change it
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
 * One of a few words.
 *
 * @param[in] values  the words, each with its number, which is not 0; ended
 *                    by a NULL word
 *
 * The rest as for mca_mq_base_param_uint.
 */
OMPI_DECLSPEC int mca_mq_base_param_enum(
    const mca_base_component_t *component, const char *name,
    const char *description, mca_base_var_info_lvl_t level,
    const mca_base_var_enum_value_t *values, int *storage);

/**
 * A size in bytes: a number as for mca_mq_base_param_uint, and directly behind
 * it a unit or none: K, M, G, T for 1024 bytes, 1024 K and so on, in either
 * case and with B or iB behind it if the user likes: 64K, 64k, 64KB, 64KiB. The
 * MCA has no checked type for it, so to ompi_info it is a string.
 *
 * @param[in]     min, max   allowed range, both included
 * @param[in]     automatic  whether the word auto is allowed, too
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

/** Storage of a number with a fraction. */
typedef struct mca_mq_base_real_t {
    double value;
    char *text; /**< as the MCA keeps it; of no other use */
} mca_mq_base_real_t;

/**
 * A number with a fraction. The MCA has no checked type for it, so to
 * ompi_info it is a string.
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
 * A text, of which nothing is checked here.
 *
 * @param[in,out] storage  the default, which the MCA copies, or NULL; then the
 *                         value, which is the MCA's
 *
 * The rest as for mca_mq_base_param_uint.
 */
OMPI_DECLSPEC int mca_mq_base_param_string(
    const mca_base_component_t *component, const char *name,
    const char *description, mca_base_var_info_lvl_t level, char **storage);

/** A value that a parameter shall have for one domain. */
typedef struct mca_mq_base_value_t {
    void *storage; /**< the parameter's */
    bool is_real;
    union {
        int integer;
        double real;
    } value;
} mca_mq_base_value_t;

/**
 * Read the text of a value that a parameter is to have for one domain.
 *
 * @return OMPI_SUCCESS; OMPI_ERR_NOT_FOUND if the component has no such
 *         parameter, or one that is the same for all domains;
 *         OMPI_ERR_BAD_PARAM if the text is not allowed
 */
OMPI_DECLSPEC int mca_mq_base_param_parse(const mca_base_component_t *component,
                                          const char *name, const char *text,
                                          mca_mq_base_value_t *value);

/** Exchange a parameter's value with the one that was read. Done twice, it is
 * as before: a component copies what it needs when it makes a module. */
OMPI_DECLSPEC void mca_mq_base_param_swap(mca_mq_base_value_t *value);

/** Did the user give a parameter (without the prefix mq_<component>_ or
 * pml_<component>_) a value? */
OMPI_DECLSPEC bool mca_mq_base_param_is_set(
    const mca_base_component_t *component, const char *name);

/**
 * Tell the user that a parameter's value is not allowed; the framework will
 * not open then.
 *
 * @param[in] full_name  of the parameter
 * @param[in] allowed    what is
 */
OMPI_DECLSPEC void mca_mq_base_param_complain(const char *full_name,
                                              const char *value,
                                              const char *allowed);

/** How many parameters had a value that is not allowed since the framework was
 * registered. Whoever reads one in a way of its own adds to it. */
OMPI_DECLSPEC extern unsigned mca_mq_base_param_invalid;

/** Forget all parameters, when the framework is closed. */
void mca_mq_base_param_forget(void);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_PARAM_PARAM_H */
