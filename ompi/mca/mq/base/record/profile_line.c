/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Words and numbers of a line of a profile.
 */

#include "ompi_config.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/record/profile_reader.h"

typedef mca_mq_base_reader_t reader_t;

int mca_mq_base_reader_wrong(reader_t *r, const char *format, ...)
{
    va_list arguments;

    r->error->line = r->number;
    va_start(arguments, format);
    vsnprintf(r->error->reason, sizeof(r->error->reason), format, arguments);
    va_end(arguments);
    return OMPI_ERR_BAD_PARAM;
}

bool mca_mq_base_reader_next(reader_t *r)
{
    char *rest, *word;

    do {
        if (0 > getline(&r->line, &r->line_size, r->file)) {
            return false;
        }
        ++r->number;
    } while ('#' == r->line[0]);
    r->words = 0;
    for (word = strtok_r(r->line, " \t\r\n", &rest);
         NULL != word && r->words < MCA_MQ_BASE_READER_WORDS;
         word = strtok_r(NULL, " \t\r\n", &rest)) {
        r->word[r->words++] = word;
    }
    return true;
}

bool mca_mq_base_reader_is(const reader_t *r, const char *keyword)
{
    return 0 < r->words && 0 == strcmp(r->word[0], keyword);
}

bool mca_mq_base_reader_is_star(const reader_t *r, int i)
{
    return 0 == strcmp("*", r->word[i]);
}

int mca_mq_base_reader_number(reader_t *r, int i, uint64_t max, uint64_t *value)
{
    const char *text = r->word[i];
    char *end;

    errno = 0;
    *value = isdigit((unsigned char) text[0]) ? strtoull(text, &end, 10) : 0;
    if (!isdigit((unsigned char) text[0]) || '\0' != *end) {
        return mca_mq_base_reader_wrong(r, "\"%.32s\" is not a number", text);
    }
    if (0 != errno || *value > max) {
        return mca_mq_base_reader_wrong(r, "%.32s is too large", text);
    }
    return OMPI_SUCCESS;
}

int mca_mq_base_reader_expect(reader_t *r, int least, int most)
{
    if (r->words < least || r->words > most) {
        return mca_mq_base_reader_wrong(
            r, "\"%.32s\" is followed by %d words instead of %d", r->word[0],
            r->words - 1, least - 1);
    }
    return OMPI_SUCCESS;
}

int mca_mq_base_reader_numbers(reader_t *r, int count, uint64_t max,
                               uint64_t *values)
{
    int ret = mca_mq_base_reader_expect(r, count + 1, count + 1);

    for (int i = 0; i < count && OMPI_SUCCESS == ret; ++i) {
        ret = mca_mq_base_reader_number(r, i + 1, 0 == i ? max : UINT64_MAX,
                                        &values[i]);
    }
    return ret;
}
