/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "import/replay_import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/mca/mq/base/param/parse.h"
#include "ompi/mca/mq/base/record/file.h"

#include "sequence/replay_sequence.h"
#include "sequence/replay_util.h"

/* Bit in `place`: the operation is a receive. */
#define IS_RECEIVE (UINT32_C(1) << 31)
#define PLACE_MAX (IS_RECEIVE - 1)

/* A trace that is being written. */
typedef struct output_t {
    char *path;
    char *part; /* name until it is complete */
    FILE *file;
    uint64_t records;
    uint64_t checksum;
    uint32_t domain; /* domain of the last record */
    mca_mq_base_trace_base_t *bases;
    uint64_t *next_order; /* state of each domain */
    uint32_t domains_size;
    uint64_t *orders; /* order numbers of the queued entries, by slot */
    uint32_t orders_size;
} output_t;

void replay_import_init(replay_import_t *import, const char *only)
{
    memset(import, 0, sizeof(*import));
    import->only = only;
}

void replay_import_fini(replay_import_t *import)
{
    for (uint32_t i = 0; i < import->num_ranks; ++i) {
        free(import->ranks[i].ops);
    }
    free(import->ranks);
    free(import->domains);
    free(import->sizes);
}

/* ---- which ranks ---- */

static void want_listed(replay_import_t *import)
{
    const char *text = import->only;

    do {
        uint32_t first, last;

        text = mca_mq_base_parse_ranks(text, import->num_ranks, &first, &last);
        if (NULL == text) {
            replay_die(
                "--only %s: must be a list of ranks from 0 to %u, such as "
                "0,3,8-15",
                import->only, import->num_ranks - 1);
        }
        for (uint32_t rank = first; rank <= last; ++rank) {
            import->ranks[rank].is_wanted = true;
        }
    } while ('\0' != *text);
}

void replay_import_ranks(replay_import_t *import, uint32_t num_ranks)
{
    import->ranks = replay_realloc(NULL, num_ranks, sizeof(*import->ranks));
    memset(import->ranks, 0, num_ranks * sizeof(*import->ranks));
    import->num_ranks = num_ranks;
    if (NULL != import->only) {
        want_listed(import);
        return;
    }
    for (uint32_t i = 0; i < num_ranks; ++i) {
        import->ranks[i].is_wanted = true;
    }
}

/* ---- what they did ---- */

uint32_t replay_import_communicator(replay_import_t *import, uint32_t size)
{
    REPLAY_GROW(import->sizes, import->num_communicators,
                import->communicators_size);
    import->sizes[import->num_communicators] = size;
    return import->num_communicators++;
}

static replay_import_op_t *append(replay_import_rank_t *rank, uint64_t time,
                                  uint32_t kind)
{
    replay_import_op_t *op;

    if (rank->num_ops > PLACE_MAX) {
        replay_die("more than %u messages and receives of one rank", PLACE_MAX);
    }
    REPLAY_GROW(rank->ops, rank->num_ops, rank->ops_size);
    op = &rank->ops[rank->num_ops];
    op->time = time;
    op->communicator = REPLAY_NONE;
    op->place = (uint32_t) rank->num_ops++ | kind;
    return op;
}

static void set_envelope(replay_import_op_t *op, uint32_t communicator,
                         int32_t source, int32_t tag)
{
    op->communicator = communicator;
    op->source = source;
    op->tag = tag;
}

void replay_import_arrival(replay_import_t *import, uint32_t rank,
                           uint64_t time, uint32_t communicator, int32_t source,
                           int32_t tag)
{
    if (import->ranks[rank].is_wanted) {
        set_envelope(append(&import->ranks[rank], time, 0), communicator,
                     source, tag);
    }
}

size_t replay_import_receive(replay_import_t *import, uint32_t rank,
                             uint64_t time)
{
    if (!import->ranks[rank].is_wanted) {
        return SIZE_MAX;
    }
    append(&import->ranks[rank], time, IS_RECEIVE);
    return import->ranks[rank].num_ops - 1;
}

void replay_import_received(replay_import_t *import, uint32_t rank,
                            size_t receive, uint32_t communicator,
                            int32_t source, int32_t tag)
{
    if (SIZE_MAX != receive) {
        set_envelope(&import->ranks[rank].ops[receive], communicator, source,
                     tag);
    }
}

/* ---- writing ---- */

static void failed(const output_t *output)
{
    int error = errno;

    (void) unlink(output->part);
    replay_die("%s: %s", output->path, strerror(error));
}

static void put(output_t *output, const uint8_t *bytes, size_t size)
{
    if (size != fwrite(bytes, 1, size, output->file)) {
        failed(output);
    }
}

static void put_record(output_t *output,
                       const mca_mq_base_trace_record_t *record,
                       mca_mq_base_trace_base_t *base)
{
    uint8_t bytes[MCA_MQ_BASE_TRACE_RECORD_MAX];
    size_t size =
        mca_mq_base_trace_encode(bytes, record, &output->domain, base);

    output->checksum =
        mca_mq_base_trace_checksum(output->checksum, bytes, size);
    ++output->records;
    put(output, bytes, size);
}

static void open_output(output_t *output, const char *path, uint32_t rank)
{
    int fd;

    memset(output, 0, sizeof(*output));
    output->checksum = MCA_MQ_BASE_TRACE_CHECKSUM;
    if (0 > asprintf(&output->path, "%s.%u", path, rank) ||
        0 > asprintf(&output->part, "%s.part", output->path)) {
        replay_die("out of memory");
    }
    fd = mca_mq_base_file_create(output->part);
    output->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (NULL == output->file) {
        replay_die("%s: %s", output->part, strerror(errno));
    }
}

static void close_output(output_t *output)
{
    /* Some file systems report only now that there is no space left. */
    if (0 != fclose(output->file) || 0 != rename(output->part, output->path)) {
        failed(output);
    }
    free(output->path);
    free(output->part);
    free(output->bases);
    free(output->next_order);
    free(output->orders);
}

static void put_begin(output_t *output, const replay_sequence_t *sequence,
                      uint32_t domain)
{
    mca_mq_base_trace_record_t record = {
        .kind = MCA_MQ_BASE_TRACE_BEGIN,
        .domain = domain,
        .envelope = {.context = sequence->domains[domain].context},
        .size = sequence->domains[domain].size,
    };

    if (domain >= output->domains_size) {
        output->domains_size = 2 * domain + 16;
        output->bases = replay_realloc(output->bases, output->domains_size,
                                       sizeof(*output->bases));
        output->next_order =
            replay_realloc(output->next_order, output->domains_size,
                           sizeof(*output->next_order));
    }
    memset(&output->bases[domain], 0, sizeof(output->bases[domain]));
    output->next_order[domain] = 0;
    put_record(output, &record, &output->bases[domain]);
}

/* Write an operation, with the order numbers that champion would have used. */
static void put_operation(output_t *output, const replay_op_t *op)
{
    mca_mq_base_trace_record_t record = {
        .kind = op->kind,
        .domain = op->domain,
        .envelope = op->envelope,
        .has_found = REPLAY_NONE != op->found,
        .has_queued = REPLAY_NONE != op->entry,
    };

    if (record.has_found) {
        record.found = output->orders[op->found];
    }
    if (record.has_queued || MCA_MQ_BASE_POST == op->kind) {
        record.queued = output->next_order[op->domain]++;
    }
    if (record.has_queued) {
        if (op->entry >= output->orders_size) {
            output->orders_size = 2 * op->entry + 1024;
            output->orders = replay_realloc(output->orders, output->orders_size,
                                            sizeof(*output->orders));
        }
        output->orders[op->entry] = record.queued;
    }
    put_record(output, &record, &output->bases[op->domain]);
}

/* Write the operations of the sequence, and clear it. */
static void flush(output_t *output, replay_sequence_t *sequence)
{
    for (size_t i = 0; i < sequence->num_ops; ++i) {
        const replay_op_t *op = &sequence->ops[i];

        if (MCA_MQ_BASE_TRACE_BEGIN == op->kind) {
            put_begin(output, sequence, op->domain);
        } else if (MCA_MQ_BASE_TRACE_FINISH == op->kind) {
            mca_mq_base_trace_record_t record = {.kind = op->kind,
                                                 .domain = op->domain};

            put_record(output, &record, &output->bases[op->domain]);
        } else {
            put_operation(output, op);
        }
    }
    sequence->num_ops = 0;
}

/* ---- a rank ---- */

static int compare_ops(const void *a, const void *b)
{
    const replay_import_op_t *left = a, *right = b;
    uint32_t left_place = left->place & PLACE_MAX;
    uint32_t right_place = right->place & PLACE_MAX;

    if (left->time != right->time) {
        return left->time < right->time ? -1 : 1;
    }
    return left_place < right_place ? -1 : left_place > right_place;
}

static void emit(replay_import_t *import, replay_sequence_t *sequence,
                 const replay_import_op_t *op)
{
    uint32_t *domain = &import->domains[op->communicator];
    mca_mq_envelope_t envelope = {
        .context = op->communicator, .source = op->source, .tag = op->tag};

    if (REPLAY_NONE == *domain) {
        *domain = replay_domain_add(sequence, op->communicator,
                                    import->sizes[op->communicator], 0);
        replay_domain_begin(sequence, *domain);
    }
    if (0 != (op->place & IS_RECEIVE)) {
        ++import->receives;
        replay_emit(sequence, *domain, MCA_MQ_BASE_POST, &envelope);
    } else {
        ++import->messages;
        replay_emit(sequence, *domain, MCA_MQ_BASE_ARRIVE, &envelope);
    }
}

static void write_ops(replay_import_t *import, uint32_t rank, output_t *output)
{
    const mca_mq_base_trace_header_t header =
        mca_mq_base_trace_header(rank, import->num_ranks);
    const replay_import_rank_t *ops = &import->ranks[rank];
    uint8_t end[MCA_MQ_BASE_TRACE_END_MAX];
    replay_sequence_t sequence;

    replay_sequence_init(&sequence);
    memset(import->domains, 0xff,
           import->num_communicators * sizeof(*import->domains));
    put(output, (const uint8_t *) &header, sizeof(header));
    for (size_t i = 0; i < ops->num_ops; ++i) {
        if (REPLAY_NONE == ops->ops[i].communicator) {
            ++import->left_out;
        } else {
            emit(import, &sequence, &ops->ops[i]);
        }
        if (sequence.num_ops >= REPLAY_PART) {
            flush(output, &sequence);
        }
    }
    for (uint32_t i = 0; i < sequence.num_domains; ++i) {
        replay_domain_finish(&sequence, i);
    }
    flush(output, &sequence);
    put(output, end,
        mca_mq_base_trace_encode_end(end, output->records, output->checksum));
    replay_sequence_fini(&sequence);
}

uint32_t replay_import_write(replay_import_t *import, const char *path)
{
    uint32_t written = 0;

    import->domains = replay_realloc(NULL, import->num_communicators,
                                     sizeof(*import->domains));
    for (uint32_t rank = 0; rank < import->num_ranks; ++rank) {
        replay_import_rank_t *ops = &import->ranks[rank];
        output_t output;

        if (0 == ops->num_ops) {
            continue;
        }
        qsort(ops->ops, ops->num_ops, sizeof(*ops->ops), compare_ops);
        open_output(&output, path, rank);
        write_ops(import, rank, &output);
        close_output(&output);
        ++written;
    }
    return written;
}
