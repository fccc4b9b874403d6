/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Parsing of numbers. The functions return true if the whole text is a number
 * in the range, both ends included.
 */

#ifndef OMPI_MCA_MQ_BASE_PARAM_PARSE_H
#define OMPI_MCA_MQ_BASE_PARAM_PARSE_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The size for the word auto. */
#define MCA_MQ_BASE_SIZE_AUTO SIZE_MAX

/** Parse an integer: decimal, octal (0) or hexadecimal (0x). */
bool mca_mq_base_parse_uint(const char *text, unsigned min, unsigned max,
                            int *value);

/** Parse a size in bytes, with an optional unit; or the word auto if
 * automatic. */
bool mca_mq_base_parse_size(const char *text, size_t min, size_t max,
                            bool automatic, size_t *value);

/** Parse a real number; text may be NULL, which is not a number. */
bool mca_mq_base_parse_real(const char *text, double min, double max,
                            double *value);

/**
 * Parse the first element of a list of ranks, such as 0,3,8-15.
 *
 * @param[in]  size         ranks are below this number
 * @param[out] first, last  the same if it is a single rank
 *
 * @return the text behind it and its comma; NULL if it is neither a rank nor a
 *         range, or if nothing follows the comma
 */
OMPI_DECLSPEC const char *mca_mq_base_parse_ranks(const char *text,
                                                  uint32_t size,
                                                  uint32_t *first,
                                                  uint32_t *last);

/** Format a size, with the largest unit of which it is a multiple: static text,
 * or in text, which has room for length bytes. */
const char *mca_mq_base_size_text(size_t value, char *text, size_t length);

#endif /* OMPI_MCA_MQ_BASE_PARAM_PARSE_H */
