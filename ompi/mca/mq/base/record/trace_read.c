/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a trace, and checks everything in it.
 */

#include "ompi_config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/record/trace.h"

/* State of a domain of the trace. */
typedef struct mca_mq_base_trace_known_t {
    mca_mq_base_trace_base_t base;
    uint32_t size; /* 0: finished */
} known_t;

/* Describe an error; returns -1. */
__opal_attribute_format__(__printf__, 2, 3) static int wrong(
    mca_mq_base_trace_reader_t *reader, const char *format, ...)
{
    size_t size = sizeof(reader->error);
    int length =
        snprintf(reader->error, size, "%s: offset %llu: ", reader->path,
                 (unsigned long long) reader->offset);
    va_list arguments;

    if (length >= 0 && (size_t) length < size) {
        va_start(arguments, format);
        vsnprintf(reader->error + length, size - (size_t) length, format,
                  arguments);
        va_end(arguments);
    }
    return -1;
}

/* Make sure that the whole next record is in the buffer, unless the file
 * ends. */
static int fill(mca_mq_base_trace_reader_t *reader)
{
    size_t left = reader->filled - reader->at;

    if (left >= MCA_MQ_BASE_TRACE_RECORD_MAX) {
        return 0;
    }
    memmove(reader->bytes, reader->bytes + reader->at, left);
    reader->at = 0;
    reader->filled = left + fread(reader->bytes + left, 1,
                                  sizeof(reader->bytes) - left, reader->file);
    return ferror(reader->file)
               ? wrong(reader, "cannot be read: %s", strerror(errno))
               : 0;
}

static void consume(mca_mq_base_trace_reader_t *reader, size_t bytes)
{
    reader->at += bytes;
    reader->offset += bytes;
}

static int check_header(mca_mq_base_trace_reader_t *reader)
{
    const mca_mq_base_trace_header_t *header = &reader->header;
    size_t there = reader->filled;
    size_t magic = sizeof(header->magic);

    memcpy(&reader->header, reader->bytes,
           there < sizeof(*header) ? there : sizeof(*header));
    if (0 == there) {
        return wrong(reader, "empty: nothing had been written when the job "
                             "ended; records are written 256 KiB at a time");
    }
    if (there < magic ||
        0 != memcmp(header->magic, MCA_MQ_BASE_TRACE_MAGIC, magic)) {
        return wrong(reader, "not a trace of mq: it does not begin with '%s'",
                     MCA_MQ_BASE_TRACE_MAGIC);
    }
    if (there < sizeof(*header)) {
        return wrong(reader, "truncated: %zu bytes of a header of %zu", there,
                     sizeof(*header));
    }
    reader->offset = offsetof(mca_mq_base_trace_header_t, byte_order);
    if (MCA_MQ_BASE_TRACE_BYTE_ORDER != header->byte_order) {
        return wrong(reader, "written by a machine of another byte order "
                             "(endianness)");
    }
    reader->offset = offsetof(mca_mq_base_trace_header_t, version);
    if (MCA_MQ_BASE_TRACE_VERSION != header->version) {
        return wrong(reader,
                     "a trace of version %u; only version %u can be read",
                     (unsigned) header->version, MCA_MQ_BASE_TRACE_VERSION);
    }
    reader->offset = 0;
    return 0;
}

/* Is this a file left by a job that was killed or reached its time limit? */
static bool is_part(const char *path)
{
    size_t length = strlen(path), tail = sizeof(".part") - 1;

    return length > tail && 0 == strcmp(path + length - tail, ".part");
}

int mca_mq_base_trace_open(mca_mq_base_trace_reader_t *reader, const char *path)
{
    memset(reader, 0, offsetof(mca_mq_base_trace_reader_t, bytes));
    reader->path = path;
    reader->is_part = is_part(path);
    reader->checksum = MCA_MQ_BASE_TRACE_CHECKSUM;
    reader->file = fopen(path, "rb");
    if (NULL == reader->file) {
        snprintf(reader->error, sizeof(reader->error), "%s: %s", path,
                 strerror(errno));
        return OMPI_ERROR;
    }
    if (0 != fill(reader) || 0 != check_header(reader)) {
        mca_mq_base_trace_close(reader);
        return OMPI_ERROR;
    }
    consume(reader, sizeof(reader->header));
    return OMPI_SUCCESS;
}

void mca_mq_base_trace_close(mca_mq_base_trace_reader_t *reader)
{
    fclose(reader->file);
    free(reader->domains);
    reader->domains = NULL;
}

/* Make room for one more domain. */
static int grow(mca_mq_base_trace_reader_t *reader)
{
    uint32_t count = reader->num_domains;
    known_t *domains;

    if (0 != (count & (count - 1))) {
        return 0; /* the array doubles at powers of two */
    }
    domains =
        realloc(reader->domains, (count ? 2 * count : 1) * sizeof(*domains));
    if (NULL == domains) {
        return wrong(reader, "out of memory for %u domains", (unsigned) count);
    }
    reader->domains = domains;
    return 0;
}

static int begin(mca_mq_base_trace_reader_t *reader,
                 const mca_mq_base_trace_record_t *record)
{
    if (record->domain != reader->num_domains) {
        return wrong(reader, "domain %u begins after %u domains",
                     (unsigned) record->domain, (unsigned) reader->num_domains);
    }
    if (0 != grow(reader)) {
        return -1;
    }
    reader->domains[reader->num_domains++] = (known_t){.size = 0};
    return 0;
}

/* The state of the record's domain. */
static known_t *known(mca_mq_base_trace_reader_t *reader,
                      const mca_mq_base_trace_record_t *record)
{
    known_t *domain;

    if (MCA_MQ_BASE_TRACE_BEGIN == record->kind) {
        return 0 == begin(reader, record) ? &reader->domains[record->domain]
                                          : NULL;
    }
    domain = record->domain < reader->num_domains
                 ? &reader->domains[record->domain]
                 : NULL;
    if (NULL == domain || 0 == domain->size) {
        wrong(reader, "domain %u %s", (unsigned) record->domain,
              NULL == domain ? "has not begun" : "has finished already");
        return NULL;
    }
    return domain;
}

static int check_operation(mca_mq_base_trace_reader_t *reader,
                           const mca_mq_base_trace_record_t *record,
                           const known_t *domain)
{
    int32_t source = record->envelope.source;
    bool receive = mca_mq_base_effects[record->kind].receive;

    if (source < (receive ? MCA_MQ_ANY_SOURCE : 0) ||
        (source >= 0 && (uint32_t) source >= domain->size)) {
        return wrong(reader, "source %d in a domain of %u ranks", (int) source,
                     (unsigned) domain->size);
    }
    if (!receive && MCA_MQ_ANY_TAG == record->envelope.tag) {
        return wrong(reader, "a message without a tag");
    }
    return 0;
}

static int check(mca_mq_base_trace_reader_t *reader,
                 const mca_mq_base_trace_record_t *record, known_t *domain)
{
    if (MCA_MQ_BASE_TRACE_BEGIN == record->kind) {
        domain->size = record->size;
        return 0 != record->size ? 0 : wrong(reader, "a domain of no ranks");
    }
    if (MCA_MQ_BASE_TRACE_FINISH == record->kind) {
        domain->size = 0;
        return 0;
    }
    return MCA_MQ_BASE_TRACE_SERVED == record->kind
               ? 0
               : check_operation(reader, record, domain);
}

static int cut_or_corrupt(mca_mq_base_trace_reader_t *reader, int length)
{
    if (0 == length && reader->is_part) {
        reader->is_cut = true;
        return 0;
    }
    return 0 == length
               ? wrong(reader, "truncated: the file ends without the record "
                               "that ends a trace")
               : wrong(reader, "corrupt: not a record");
}

/* Check the end: the number of records, the checksum, and nothing after it. */
static int finish(mca_mq_base_trace_reader_t *reader,
                  const mca_mq_base_trace_record_t *record, size_t length)
{
    const uint8_t *bytes = reader->bytes + reader->at + length;
    uint64_t sum = 0;

    if (reader->filled - reader->at < length + 8) {
        return cut_or_corrupt(reader, 0);
    }
    for (int i = 0; i < 8; ++i) {
        sum |= (uint64_t) bytes[i] << (8 * i);
    }
    if (record->count != reader->records || sum != reader->checksum) {
        return wrong(reader,
                     "corrupt: the checksum or the number of records (%llu, "
                     "but %llu were read) is wrong",
                     (unsigned long long) record->count,
                     (unsigned long long) reader->records);
    }
    consume(reader, length + 8);
    if (reader->at != reader->filled) {
        return wrong(reader, "corrupt: there is more after the end");
    }
    return 0;
}

int mca_mq_base_trace_next(mca_mq_base_trace_reader_t *reader,
                           mca_mq_base_trace_record_t *record)
{
    known_t *domain = NULL;
    const uint8_t *bytes;
    size_t there;
    int length;

    if (0 != fill(reader)) {
        return -1;
    }
    bytes = reader->bytes + reader->at;
    there = reader->filled - reader->at;
    length =
        mca_mq_base_trace_decode_head(bytes, there, reader->domain, record);
    if (length > 0 && MCA_MQ_BASE_TRACE_END != record->kind) {
        domain = known(reader, record);
        if (NULL == domain) {
            return -1;
        }
    }
    if (length > 0) {
        length = mca_mq_base_trace_decode(
            bytes, there, record, NULL == domain ? NULL : &domain->base);
    }
    if (length <= 0) {
        return cut_or_corrupt(reader, length);
    }
    if (NULL == domain) {
        return finish(reader, record, (size_t) length);
    }
    if (0 != check(reader, record, domain)) {
        return -1;
    }
    reader->domain = record->domain;
    reader->checksum =
        mca_mq_base_trace_checksum(reader->checksum, bytes, (size_t) length);
    consume(reader, (size_t) length);
    ++reader->records;
    return 1;
}
