/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Traces: every operation of every matching domain of a process, in a file.
 *
 *     header   32 bytes
 *     record   a few bytes each: a domain begins, an operation, a domain ends
 *     ...
 *     end      number of records, checksum
 *
 * The format, byte by byte, is in the man page mq_trace(5). In outline: the
 * first byte of a record says what it is and which fields follow. Fields are
 * numbers of variable length (7 bits a byte, the lowest first), and those that
 * change little from one operation of a domain to the next are stored as the
 * difference to it. So most operations take four or five bytes.
 *
 * Entries are known by their order numbers: an operation that queues an entry
 * has its number, and so has one that finds or withdraws it. A trace can be
 * run again through any component, and what that finds can be compared.
 *
 * The trace is written with the parameter mq_base_trace, under a temporary
 * name that becomes the real one when the framework is closed, or when the
 * trace has reached mq_base_trace_limit: what has the real name has an end.
 * What could not be ended keeps the temporary name, and is read as far as it
 * goes.
 */

#ifndef OMPI_MCA_MQ_BASE_RECORD_TRACE_H
#define OMPI_MCA_MQ_BASE_RECORD_TRACE_H

#include <stdio.h>

#include "ompi/mca/mq/base/domain/observe.h"

BEGIN_C_DECLS

/** Changes with the format. */
#define MCA_MQ_BASE_TRACE_VERSION 1

/** What a record is: an operation (mca_mq_base_operation_t), or one of these.
 */
enum {
    MCA_MQ_BASE_TRACE_BEGIN = MCA_MQ_BASE_OPERATIONS, /**< of a domain */
    MCA_MQ_BASE_TRACE_FINISH,                         /**< of a domain */
    MCA_MQ_BASE_TRACE_END,                            /**< of the trace */
    MCA_MQ_BASE_TRACE_KINDS
};

/** One record. */
typedef struct mca_mq_base_trace_record_t {
    unsigned kind;
    uint32_t domain; /**< domains are numbered from 0 as they begin */
    /** Of an operation. For BEGIN only the context is of meaning. */
    mca_mq_envelope_t envelope;
    bool has_found;      /**< an entry was found or withdrawn: */
    bool has_queued;     /**< an entry was queued: */
    uint64_t found;      /**< its order number */
    uint64_t queued;     /**< its order number */
    uint32_t size;       /**< BEGIN: ranks */
    uint32_t assertions; /**< BEGIN: MCA_MQ_ASSERT_* bits */
    uint64_t count;      /**< END: records in front of it */
} mca_mq_base_trace_record_t;

/** What differences are taken to. Zero for a new domain. */
typedef struct mca_mq_base_trace_base_t {
    uint32_t context;
    int32_t source;
    int32_t tag;
    uint64_t next_order;
    uint64_t found[MCA_MQ_QUEUES];
} mca_mq_base_trace_base_t;

/** Most bytes of one record. */
#define MCA_MQ_BASE_TRACE_RECORD_MAX 64

/**
 * Write a record.
 *
 * @param[out]    bytes   room for MCA_MQ_BASE_TRACE_RECORD_MAX
 * @param[in]     record  what
 * @param[in,out] domain  that of the record in front of it; 0 at first
 * @param[in,out] base    the state of the record's domain; not used for END
 *
 * @return number of bytes
 */
OMPI_DECLSPEC size_t mca_mq_base_trace_encode(
    uint8_t *bytes, const mca_mq_base_trace_record_t *record, uint32_t *domain,
    mca_mq_base_trace_base_t *base);

/**
 * The first half of reading a record: which kind, and which domain.
 *
 * @param[in]     domain  that of the record in front of it; unchanged
 *
 * @return number of bytes, 0 if the record is cut off, -1 if it is none
 */
OMPI_DECLSPEC int mca_mq_base_trace_decode_head(
    const uint8_t *bytes, size_t size, uint32_t domain,
    mca_mq_base_trace_record_t *record);

/**
 * The second half: the rest of the fields.
 *
 * @param[in]     bytes   the whole record, with the head
 * @param[in,out] record  as the first half left it
 * @param[in,out] base    the state of the record's domain; not used for END
 *
 * @return number of bytes of the whole record, 0 if it is cut off, -1 if it is
 *         none
 */
OMPI_DECLSPEC int mca_mq_base_trace_decode(const uint8_t *bytes, size_t size,
                                           mca_mq_base_trace_record_t *record,
                                           mca_mq_base_trace_base_t *base);

/** The checksum of an empty trace, and with some bytes more (FNV-1a, 64 bits).
 */
#define MCA_MQ_BASE_TRACE_CHECKSUM UINT64_C(0xcbf29ce484222325)

static inline uint64_t mca_mq_base_trace_checksum(uint64_t sum,
                                                  const uint8_t *bytes,
                                                  size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return sum;
}

/** First bytes of the file, in the byte order of the machine that wrote it. */
typedef struct mca_mq_base_trace_header_t {
    char magic[8];       /**< MCA_MQ_BASE_TRACE_MAGIC, without a final zero */
    uint32_t byte_order; /**< MCA_MQ_BASE_TRACE_BYTE_ORDER */
    uint32_t version;    /**< MCA_MQ_BASE_TRACE_VERSION */
    uint32_t rank;       /**< of the process */
    uint32_t size;       /**< of the job */
    uint32_t flags;      /**< MCA_MQ_BASE_TRACE_LIMITED or 0 */
    uint32_t reserved;
} mca_mq_base_trace_header_t;

/** It ends before the process did: mq_base_trace_limit. */
#define MCA_MQ_BASE_TRACE_LIMITED UINT32_C(1)

#define MCA_MQ_BASE_TRACE_MAGIC "mq trace"
#define MCA_MQ_BASE_TRACE_BYTE_ORDER UINT32_C(0x01020304)

/** Reads a trace from a file. All of it is the reader's but where said. */
typedef struct mca_mq_base_trace_reader_t {
    mca_mq_base_trace_header_t header; /**< valid when open; to be read */
    uint64_t records;                  /**< so far; to be read */
    bool is_part; /**< of a job that did not end well: it may stop anywhere */
    bool is_cut;  /**< and it did; to be read at the end */
    char error[512]; /**< what was wrong; to be read */
    FILE *file;
    const char *path;
    uint64_t offset; /**< in the file, of bytes[at] */
    uint64_t checksum;
    uint32_t domain;
    uint32_t num_domains;
    struct mca_mq_base_trace_known_t *domains;
    size_t at;
    size_t filled;
    uint8_t bytes[1 << 16];
} mca_mq_base_trace_reader_t;

/**
 * Open a trace and read its header.
 *
 * @param[in] path  kept, not copied
 *
 * @return OMPI_SUCCESS; OMPI_ERROR with reader->error naming file and reason,
 *         and nothing to be closed
 */
OMPI_DECLSPEC int mca_mq_base_trace_open(mca_mq_base_trace_reader_t *reader,
                                         const char *path);

/**
 * Read the next record. What it says is in range: sources are below the
 * domain's size, domains have begun and have not finished.
 *
 * @return 1; 0 at the end, which is intact, or where a file whose name ends in
 *         .part stops (is_cut); -1 with reader->error naming file, offset and
 *         reason
 */
OMPI_DECLSPEC int mca_mq_base_trace_next(mca_mq_base_trace_reader_t *reader,
                                         mca_mq_base_trace_record_t *record);

/** Close it. */
OMPI_DECLSPEC void mca_mq_base_trace_close(mca_mq_base_trace_reader_t *reader);

/* ---- For the base ---- */

/** Begin the trace that is wanted, if one is and this process is part of a
 * job. What goes wrong is reported and counted as invalid. */
void mca_mq_base_trace_start(void);

/** End it, if there is one: now it gets its name. No domain may be in use. */
void mca_mq_base_trace_stop(void);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_RECORD_TRACE_H */
