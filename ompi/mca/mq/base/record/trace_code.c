/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Encoding and decoding of trace records. Both take equal steps in equal order,
 * and leave equal state behind.
 */

#include "ompi_config.h"

#include <ctype.h>
#include <string.h>

#include "ompi/mca/mq/base/record/trace.h"

/* The first byte: the kind, and these flags. */
enum {
    KIND_MASK = 0x0f,
    HAS_DOMAIN = 0x10,
    HAS_CONTEXT = 0x20,
    HAS_FOUND = 0x40,
    HAS_QUEUED = 0x80
};

/* The queue in which an operation searches or withdraws. */
static mca_mq_queue_t queue_of(unsigned kind)
{
    return mca_mq_base_effects[kind].from;
}

/* Update the predicted values after an operation. */
static void advance(mca_mq_base_trace_base_t *base,
                    const mca_mq_base_trace_record_t *record)
{
    base->context = record->envelope.context;
    base->source = record->envelope.source;
    base->tag = record->envelope.tag;
    if (record->has_found) {
        base->found[queue_of(record->kind)] = record->found + 1;
    }
    if (record->has_queued) {
        base->next_order = record->queued + 1;
    } else if (MCA_MQ_BASE_POST == record->kind) {
        /* Every posted receive gets an order number, queued or not. */
        ++base->next_order;
    }
}

static uint8_t *put(uint8_t *to, uint64_t value)
{
    while (value >= 0x80) {
        *to++ = (uint8_t) (value | 0x80);
        value >>= 7;
    }
    *to++ = (uint8_t) value;
    return to;
}

/* Zigzag encoding: 0, -1, 1, -2, ... become small numbers. */
static uint8_t *put_difference(uint8_t *to, uint64_t value, uint64_t base)
{
    uint64_t difference = value - base;

    return put(to, (difference << 1) ^ (0 - (difference >> 63)));
}

static uint64_t widened(int32_t value)
{
    return (uint64_t) (int64_t) value;
}

static uint8_t *put_operation(uint8_t *to,
                              const mca_mq_base_trace_record_t *record,
                              const mca_mq_base_trace_base_t *base)
{
    const mca_mq_envelope_t *envelope = &record->envelope;

    if (envelope->context != base->context) {
        to = put(to, envelope->context);
    }
    to = put_difference(to, widened(envelope->source), widened(base->source));
    to = put_difference(to, widened(envelope->tag), widened(base->tag));
    if (record->has_found) {
        to = put_difference(to, record->found,
                            base->found[queue_of(record->kind)]);
    }
    if (record->has_queued) {
        to = put_difference(to, record->queued, base->next_order);
    }
    return to;
}

/* A name: its length, and its characters. */
static uint8_t *put_name(uint8_t *to, const char *name)
{
    size_t size = strnlen(name, MCA_MQ_BASE_TRACE_NAME_MAX - 1);

    to = put(to, size);
    memcpy(to, name, size);
    return to + size;
}

static uint8_t flags_of(const mca_mq_base_trace_record_t *record,
                        const mca_mq_base_trace_base_t *base)
{
    return (uint8_t) ((record->envelope.context != base->context ? HAS_CONTEXT
                                                                 : 0) |
                      (record->has_found ? HAS_FOUND : 0) |
                      (record->has_queued ? HAS_QUEUED : 0));
}

size_t mca_mq_base_trace_encode(uint8_t *bytes,
                                const mca_mq_base_trace_record_t *record,
                                uint32_t *domain,
                                mca_mq_base_trace_base_t *base)
{
    uint8_t *to = bytes + 1;

    bytes[0] = (uint8_t) record->kind;
    if (MCA_MQ_BASE_TRACE_END == record->kind) {
        return (size_t) (put(to, record->count) - bytes);
    }
    if (record->domain != *domain) {
        bytes[0] |= HAS_DOMAIN;
        to = put(to, record->domain);
        *domain = record->domain;
    }
    if (MCA_MQ_BASE_TRACE_BEGIN == record->kind) {
        to = put(to, record->envelope.context);
        to = put(to, record->size);
        to = put(to, record->assertions);
        base->context = record->envelope.context;
    } else if (MCA_MQ_BASE_TRACE_SERVED == record->kind) {
        to = put_name(to, record->component);
    } else if (record->kind < MCA_MQ_BASE_OPERATIONS) {
        bytes[0] |= flags_of(record, base);
        to = put_operation(to, record, base);
        advance(base, record);
    }
    return (size_t) (to - bytes);
}

size_t mca_mq_base_trace_encode_end(uint8_t *bytes, uint64_t records,
                                    uint64_t checksum)
{
    const mca_mq_base_trace_record_t record = {
        .kind = MCA_MQ_BASE_TRACE_END,
        .count = records,
    };
    size_t size = mca_mq_base_trace_encode(bytes, &record, NULL, NULL);

    for (int i = 0; i < 8; ++i) {
        bytes[size++] = (uint8_t) (checksum >> (8 * i));
    }
    return size;
}

mca_mq_base_trace_header_t mca_mq_base_trace_header(uint32_t rank,
                                                    uint32_t size)
{
    mca_mq_base_trace_header_t header = {
        .byte_order = MCA_MQ_BASE_TRACE_BYTE_ORDER,
        .version = MCA_MQ_BASE_TRACE_VERSION,
        .rank = rank,
        .size = size,
    };

    memcpy(header.magic, MCA_MQ_BASE_TRACE_MAGIC, sizeof(header.magic));
    return header;
}

/* Position of decoding. Nothing more is read once status is not 1. */
typedef struct cursor_t {
    const uint8_t *at;
    const uint8_t *end;
    int status; /* 1; 0: truncated; -1: invalid number */
} cursor_t;

static uint64_t get(cursor_t *cursor)
{
    uint64_t value = 0;

    for (int shift = 0; 1 == cursor->status; shift += 7) {
        if (cursor->at == cursor->end) {
            cursor->status = 0;
        } else if (shift > 63 || (63 == shift && *cursor->at > 1)) {
            cursor->status = -1;
        } else {
            value |= (uint64_t) (*cursor->at & 0x7f) << shift;
            if (*cursor->at++ < 0x80) {
                return value;
            }
        }
    }
    return 0;
}

static uint32_t get_32(cursor_t *cursor)
{
    uint64_t value = get(cursor);

    if (value > UINT32_MAX) {
        cursor->status = -1;
    }
    return (uint32_t) value;
}

static uint64_t get_difference(cursor_t *cursor, uint64_t base)
{
    uint64_t value = get(cursor);

    return base + ((value >> 1) ^ (0 - (value & 1)));
}

static int32_t get_difference_32(cursor_t *cursor, int32_t base)
{
    int64_t value = (int64_t) get_difference(cursor, widened(base));

    if (value < INT32_MIN || value > INT32_MAX) {
        cursor->status = -1;
    }
    return (int32_t) value;
}

static bool is_name(const uint8_t *name, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        if (!isalnum(name[i]) && '_' != name[i]) {
            return false;
        }
    }
    return size > 0;
}

static void get_name(cursor_t *cursor, char name[MCA_MQ_BASE_TRACE_NAME_MAX])
{
    uint64_t size = get(cursor);

    if (1 != cursor->status) {
        return;
    }
    if (size > MCA_MQ_BASE_TRACE_NAME_MAX - 1) {
        cursor->status = -1;
    } else if ((size_t) (cursor->end - cursor->at) < size) {
        cursor->status = 0;
    } else if (!is_name(cursor->at, (size_t) size)) {
        cursor->status = -1;
    } else {
        memcpy(name, cursor->at, (size_t) size);
        cursor->at += size;
    }
}

static int length(const cursor_t *cursor, const uint8_t *bytes)
{
    return 1 == cursor->status ? (int) (cursor->at - bytes) : cursor->status;
}

int mca_mq_base_trace_decode_head(const uint8_t *bytes, size_t size,
                                  uint32_t domain,
                                  mca_mq_base_trace_record_t *record)
{
    cursor_t cursor = {bytes + 1, bytes + size, 1};

    if (0 == size) {
        return 0;
    }
    *record = (mca_mq_base_trace_record_t){
        .kind = bytes[0] & KIND_MASK,
        .domain = domain,
        .has_found = 0 != (bytes[0] & HAS_FOUND),
        .has_queued = 0 != (bytes[0] & HAS_QUEUED),
    };
    if (record->kind >= MCA_MQ_BASE_TRACE_KINDS ||
        (record->kind >= MCA_MQ_BASE_OPERATIONS &&
         0 != (bytes[0] & ~(KIND_MASK | HAS_DOMAIN)))) {
        return -1;
    }
    if (bytes[0] & HAS_DOMAIN) {
        record->domain = get_32(&cursor);
    }
    return length(&cursor, bytes);
}

static void get_operation(cursor_t *cursor, uint8_t flags,
                          mca_mq_base_trace_record_t *record,
                          const mca_mq_base_trace_base_t *base)
{
    mca_mq_envelope_t *envelope = &record->envelope;

    envelope->context = flags & HAS_CONTEXT ? get_32(cursor) : base->context;
    envelope->source = get_difference_32(cursor, base->source);
    envelope->tag = get_difference_32(cursor, base->tag);
    if (record->has_found) {
        record->found =
            get_difference(cursor, base->found[queue_of(record->kind)]);
    }
    if (record->has_queued) {
        record->queued = get_difference(cursor, base->next_order);
    }
}

int mca_mq_base_trace_decode(const uint8_t *bytes, size_t size,
                             mca_mq_base_trace_record_t *record,
                             mca_mq_base_trace_base_t *base)
{
    cursor_t cursor = {bytes + 1, bytes + size, 1};

    if (bytes[0] & HAS_DOMAIN) {
        (void) get_32(&cursor);
    }
    if (MCA_MQ_BASE_TRACE_END == record->kind) {
        record->count = get(&cursor);
    } else if (MCA_MQ_BASE_TRACE_BEGIN == record->kind) {
        record->envelope.context = get_32(&cursor);
        record->size = get_32(&cursor);
        record->assertions = get_32(&cursor);
        base->context = record->envelope.context;
    } else if (MCA_MQ_BASE_TRACE_SERVED == record->kind) {
        get_name(&cursor, record->component);
    } else if (record->kind < MCA_MQ_BASE_OPERATIONS) {
        get_operation(&cursor, bytes[0], record, base);
        if (1 == cursor.status) {
            advance(base, record);
        }
    }
    return length(&cursor, bytes);
}
