/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Traces: a file with every operation of every matching domain of a process.
 *
 *     header   32 bytes
 *     record   a few bytes each: begin of a domain, operation, end of a domain
 *     ...
 *     end      number of records, checksum
 *
 * The man page mq_trace(5) defines the format byte by byte. In outline: the
 * first byte of a record gives its kind and which fields follow. Fields are
 * numbers of variable length (7 bits per byte, lowest first); those that change
 * little between successive operations of a domain are stored as differences.
 * So most operations take four or five bytes.
 *
 * Which component serves a domain, which may change, is recorded behind its
 * begin and before the first operation after a change.
 *
 * Entries are identified by their order numbers, which are in the records of
 * operations that queue, find or withdraw them. So a trace can be replayed with
 * any component, and the results can be compared.
 *
 * The parameter mq_base_trace makes a process write a trace, under a temporary
 * name until the framework is closed or the trace has reached
 * mq_base_trace_limit: a trace with its final name is complete. An incomplete
 * one keeps the temporary name, and can be read as far as it goes.
 */

#ifndef OMPI_MCA_MQ_BASE_RECORD_TRACE_H
#define OMPI_MCA_MQ_BASE_RECORD_TRACE_H

#include <stdio.h>

#include "ompi/mca/mq/base/domain/observe.h"

BEGIN_C_DECLS

/** Version of the format; a trace of another one is refused. */
#define MCA_MQ_BASE_TRACE_VERSION 1

/** Kinds of records: operations (mca_mq_base_operation_t), and these. */
enum {
    MCA_MQ_BASE_TRACE_BEGIN = MCA_MQ_BASE_OPERATIONS, /**< of a domain */
    MCA_MQ_BASE_TRACE_FINISH,                         /**< of a domain */
    MCA_MQ_BASE_TRACE_END,                            /**< of the trace */
    MCA_MQ_BASE_TRACE_SERVED, /**< a component serves a domain from now on */
    MCA_MQ_BASE_TRACE_KINDS
};

/** Room for a component's name and the final NUL. */
#define MCA_MQ_BASE_TRACE_NAME_MAX 32

/** One record. */
typedef struct mca_mq_base_trace_record_t {
    unsigned kind;
    uint32_t domain; /**< domains are numbered from 0 as they begin */
    /** Of an operation. For BEGIN only the context is used. */
    mca_mq_envelope_t envelope;
    bool has_found;      /**< an entry was found or withdrawn */
    bool has_queued;     /**< an entry was queued */
    uint64_t found;      /**< its order number */
    uint64_t queued;     /**< its order number */
    uint32_t size;       /**< BEGIN: ranks */
    uint32_t assertions; /**< BEGIN: MCA_MQ_ASSERT_* bits */
    uint64_t count;      /**< END: number of records before it */
    char component[MCA_MQ_BASE_TRACE_NAME_MAX]; /**< SERVED: its name */
} mca_mq_base_trace_record_t;

/** The values to which differences are stored. All zero for a new domain. */
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
 * @param[in] record  the record
 * @param[in,out] domain  that of the previous record; initially 0; not used for
 *                        END
 * @param[in,out] base    the state of the record's domain; not used for END
 *
 * @return number of bytes
 */
OMPI_DECLSPEC size_t mca_mq_base_trace_encode(
    uint8_t *bytes, const mca_mq_base_trace_record_t *record, uint32_t *domain,
    mca_mq_base_trace_base_t *base);

/**
 * First step of decoding a record: its kind and domain.
 *
 * @param[in] domain  that of the previous record
 *
 * @return number of bytes; 0 if the record is truncated, -1 if it is invalid
 */
OMPI_DECLSPEC int mca_mq_base_trace_decode_head(
    const uint8_t *bytes, size_t size, uint32_t domain,
    mca_mq_base_trace_record_t *record);

/**
 * Second step of decoding a record: the other fields.
 *
 * @param[in]     bytes   the whole record, with the head
 * @param[in,out] record  as filled in by mca_mq_base_trace_decode_head
 * @param[in,out] base    the state of the record's domain; not used for END
 *
 * @return number of bytes of the whole record; 0 if it is truncated, -1 if it
 *         is invalid
 */
OMPI_DECLSPEC int mca_mq_base_trace_decode(const uint8_t *bytes, size_t size,
                                           mca_mq_base_trace_record_t *record,
                                           mca_mq_base_trace_base_t *base);

/** Most bytes after the last operation. */
#define MCA_MQ_BASE_TRACE_END_MAX (MCA_MQ_BASE_TRACE_RECORD_MAX + 8)

/** Write the end of a trace of so many records: END, and the checksum. bytes
 * has room for MCA_MQ_BASE_TRACE_END_MAX. Returns the number of bytes. */
OMPI_DECLSPEC size_t mca_mq_base_trace_encode_end(uint8_t *bytes,
                                                  uint64_t records,
                                                  uint64_t checksum);

/** Checksum of an empty trace (FNV-1a, 64 bits). */
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

/** Header of the file, in the byte order of the machine that wrote it. */
typedef struct mca_mq_base_trace_header_t {
    char magic[8];       /**< MCA_MQ_BASE_TRACE_MAGIC, without a final zero */
    uint32_t byte_order; /**< MCA_MQ_BASE_TRACE_BYTE_ORDER */
    uint32_t version;    /**< MCA_MQ_BASE_TRACE_VERSION */
    uint32_t rank;       /**< of the process */
    uint32_t size;       /**< of the job */
    uint32_t flags;      /**< MCA_MQ_BASE_TRACE_LIMITED or 0 */
    uint32_t reserved;
} mca_mq_base_trace_header_t;

/** Flag: the trace was ended by mq_base_trace_limit, before the process
 * ended. */
#define MCA_MQ_BASE_TRACE_LIMITED UINT32_C(1)

#define MCA_MQ_BASE_TRACE_MAGIC "mq trace"
#define MCA_MQ_BASE_TRACE_BYTE_ORDER UINT32_C(0x01020304)

/** The header of a new trace; both numbers are those of the job. */
OMPI_DECLSPEC mca_mq_base_trace_header_t
mca_mq_base_trace_header(uint32_t rank, uint32_t size);

/** Reader of a trace. All fields are private except where noted. */
typedef struct mca_mq_base_trace_reader_t {
    mca_mq_base_trace_header_t header; /**< valid when open; public */
    uint64_t records;                  /**< number read so far; public */
    bool is_part;    /**< of a job that did not end normally: it may stop
                       anywhere */
    bool is_cut;     /**< it did so; valid at the end; public */
    char error[512]; /**< description of the error; public */
    FILE *file;
    const char *path;
    uint64_t offset; /**< offset of bytes[at] in the file */
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
 * @return OMPI_SUCCESS; OMPI_ERROR with file and reason in reader->error, and
 *         nothing to close
 */
OMPI_DECLSPEC int mca_mq_base_trace_open(mca_mq_base_trace_reader_t *reader,
                                         const char *path);

/**
 * Read the next record. Its values are checked: sources are below the domain's
 * size, domains have begun and not finished.
 *
 * @return 1; 0 at the end, which is intact, or where a file whose name ends in
 *         .part stops (is_cut); -1 with file, offset and reason in
 *         reader->error
 */
OMPI_DECLSPEC int mca_mq_base_trace_next(mca_mq_base_trace_reader_t *reader,
                                         mca_mq_base_trace_record_t *record);

/** Close a trace. */
OMPI_DECLSPEC void mca_mq_base_trace_close(mca_mq_base_trace_reader_t *reader);

/* ---- For the base ---- */

/** Begin a trace if the parameter asks for it and this process is part of a
 * job. Errors are reported and counted as invalid parameters. */
void mca_mq_base_trace_start(void);

/** Complete the trace, if there is one, and give it its final name. No domain
 * may be in use. */
void mca_mq_base_trace_stop(void);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_RECORD_TRACE_H */
