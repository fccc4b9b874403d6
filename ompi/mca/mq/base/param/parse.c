/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/mca/mq/base/param/parse.h"

bool mca_mq_base_parse_uint(const char *text, unsigned min, unsigned max,
                            int *value)
{
    unsigned long long number;
    char *end;

    if (!isdigit((unsigned char) text[0])) {
        return false;
    }
    errno = 0;
    number = strtoull(text, &end, 0);
    *value = (int) number;
    return 0 == errno && '\0' == *end && min <= number && number <= max;
}

/* Parse a unit: the number of bits by which it shifts a number. */
static bool parse_unit(const char *text, unsigned *shift)
{
    static const char units[] = "KMGT";
    const char *unit =
        '\0' == *text ? NULL : strchr(units, toupper((unsigned char) *text));

    *shift = 0;
    if (NULL != unit) {
        *shift = 10 * (unsigned) (unit - units + 1);
        ++text;
        text += 0 == strcmp(text, "iB");
    }
    text += 'B' == *text;
    return '\0' == *text;
}

bool mca_mq_base_parse_size(const char *text, size_t min, size_t max,
                            bool automatic, size_t *value)
{
    unsigned long long number;
    unsigned shift;
    char *end;

    if (automatic && 0 == strcmp(text, "auto")) {
        *value = MCA_MQ_BASE_SIZE_AUTO;
        return true;
    }
    if (!isdigit((unsigned char) text[0])) {
        return false;
    }
    errno = 0;
    number = strtoull(text, &end, 0);
    if (0 != errno || !parse_unit(end, &shift) || number > SIZE_MAX >> shift) {
        return false;
    }
    *value = (size_t) number << shift;
    return min <= *value && *value <= max;
}

const char *mca_mq_base_size_text(size_t value, char *text, size_t length)
{
    static const char *const units[] = {"", "K", "M", "G", "T"};
    int i = 0;

    if (MCA_MQ_BASE_SIZE_AUTO == value) {
        return "auto";
    }
    while (0 != value && 0 == value % 1024 && i < 4) {
        value /= 1024;
        ++i;
    }
    snprintf(text, length, "%zu%s", value, units[i]);
    return text;
}

bool mca_mq_base_parse_real(const char *text, double min, double max,
                            double *value)
{
    char *end;

    if (NULL == text || '\0' == text[0] || isspace((unsigned char) text[0])) {
        return false;
    }
    *value = strtod(text, &end);
    /* NaN fails both comparisons. */
    return '\0' == *end && *value >= min && *value <= max;
}

/* Parse a rank at the beginning of the text; NULL if it is none. */
static const char *parse_rank(const char *text, uint32_t size, uint32_t *rank)
{
    unsigned long value;
    char *end;

    if (!isdigit((unsigned char) text[0])) {
        return NULL;
    }
    errno = 0;
    value = strtoul(text, &end, 10);
    *rank = (uint32_t) value;
    return 0 == errno && value < size ? end : NULL;
}

const char *mca_mq_base_parse_ranks(const char *text, uint32_t size,
                                    uint32_t *first, uint32_t *last)
{
    text = parse_rank(text, size, first);
    if (NULL != text) {
        *last = *first;
        text = '-' == text[0] ? parse_rank(text + 1, size, last) : text;
    }
    if (NULL == text || *first > *last ||
        ('\0' != text[0] && (',' != text[0] || '\0' == text[1]))) {
        return NULL;
    }
    return ',' == text[0] ? text + 1 : text;
}
