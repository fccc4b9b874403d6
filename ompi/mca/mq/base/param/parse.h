/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers as users write them. These functions tell whether the text is one
 * that is in the range, both ends included, and nothing else.
 */

#ifndef OMPI_MCA_MQ_BASE_PARAM_PARSE_H
#define OMPI_MCA_MQ_BASE_PARAM_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Of a size: the word auto. */
#define MCA_MQ_BASE_SIZE_AUTO SIZE_MAX

/** Without fraction; decimal, octal (0) or hexadecimal (0x). */
bool mca_mq_base_parse_uint(const char *text, unsigned min, unsigned max,
                            int *value);

/** Bytes, with a unit or none; or the word auto, where that is allowed. */
bool mca_mq_base_parse_size(const char *text, size_t min, size_t max,
                            bool automatic, size_t *value);

/** With a fraction; text may be NULL, which is no number. */
bool mca_mq_base_parse_real(const char *text, double min, double max,
                            double *value);

/** A size with the largest unit of which it is a multiple: static text, or in
 * text, which has room for length bytes. */
const char *mca_mq_base_size_text(size_t value, char *text, size_t length);

#endif /* OMPI_MCA_MQ_BASE_PARAM_PARSE_H */
