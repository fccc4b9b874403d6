/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Traces: what is written is read again; what is no trace, or no longer a
 * whole one, is told from it.
 */

#include "mq_random.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ompi/mca/mq/base/record/trace.h"

static uint64_t random_state = 20261121;

static uint64_t next_random(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Small ones, large ones, and the ends of the range. */
static uint64_t some_number(void)
{
    static const uint64_t special[] = {
        0, 1, 127, 128, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    uint64_t random = next_random();

    return random & 1 ? random >> (random >> 1 & 63) : special[random >> 1 & 7];
}

static mca_mq_base_trace_record_t some_record(void)
{
    mca_mq_base_trace_record_t record = {
        .kind = next_random() % MCA_MQ_BASE_TRACE_KINDS,
    };

    if (MCA_MQ_BASE_TRACE_END == record.kind) {
        record.count = some_number();
        return record;
    }
    record.domain = next_random() % 3;
    if (MCA_MQ_BASE_TRACE_BEGIN == record.kind) {
        record.envelope.context = (uint32_t) some_number();
        record.size = (uint32_t) some_number();
        record.assertions = (uint32_t) some_number();
    } else if (MCA_MQ_BASE_TRACE_SERVED == record.kind) {
        memset(record.component, 'a' + (int) (next_random() % 26),
               1 + next_random() % (sizeof(record.component) - 1));
    } else if (record.kind < MCA_MQ_BASE_OPERATIONS) {
        record.envelope.context = (uint32_t) some_number() & 3;
        record.envelope.source = (int32_t) some_number();
        record.envelope.tag = (int32_t) some_number();
        record.has_found = next_random() & 1;
        record.has_queued = next_random() & 1;
        record.found = record.has_found ? some_number() : 0;
        record.queued = record.has_queued ? some_number() : 0;
    }
    return record;
}

static void assert_same(const mca_mq_base_trace_record_t *left,
                        const mca_mq_base_trace_record_t *right)
{
    assert_int_equal(left->kind, right->kind);
    assert_int_equal(left->domain, right->domain);
    assert_int_equal(left->envelope.context, right->envelope.context);
    assert_int_equal(left->envelope.source, right->envelope.source);
    assert_int_equal(left->envelope.tag, right->envelope.tag);
    assert_int_equal(left->has_found, right->has_found);
    assert_int_equal(left->has_queued, right->has_queued);
    assert_true(left->found == right->found);
    assert_true(left->queued == right->queued);
    assert_int_equal(left->size, right->size);
    assert_int_equal(left->assertions, right->assertions);
    assert_true(left->count == right->count);
    assert_string_equal(left->component, right->component);
}

/* Both halves of decoding. */
static int decode(const uint8_t *bytes, size_t size, uint32_t *domain,
                  mca_mq_base_trace_base_t base[3],
                  mca_mq_base_trace_record_t *record)
{
    int length = mca_mq_base_trace_decode_head(bytes, size, *domain, record);

    if (length > 0 && record->domain < 3) {
        length = mca_mq_base_trace_decode(bytes, size, record,
                                          &base[record->domain]);
    }
    if (length > 0 && MCA_MQ_BASE_TRACE_END != record->kind) {
        *domain = record->domain;
    }
    return length;
}

UNIT_TEST(records_survive_the_round_trip)
{
    mca_mq_base_trace_base_t to[3] = {{0}}, from[3] = {{0}}, cut[3];
    uint8_t bytes[MCA_MQ_BASE_TRACE_RECORD_MAX];
    uint32_t to_domain = 0, from_domain = 0, cut_domain;
    mca_mq_base_trace_record_t record, again;

    for (int i = 0; i < 300000; ++i) {
        size_t size;

        record = some_record();
        size = mca_mq_base_trace_encode(bytes, &record, &to_domain,
                                        &to[record.domain]);
        assert_true(size <= sizeof(bytes));
        /* Every shorter part of it is known to be cut off. */
        for (size_t part = 0; part < size && i % 16 == 0; ++part) {
            memcpy(cut, from, sizeof(cut));
            cut_domain = from_domain;
            assert_int_equal(0, decode(bytes, part, &cut_domain, cut, &again));
        }
        assert_int_equal(
            size, decode(bytes, sizeof(bytes), &from_domain, from, &again));
        if (MCA_MQ_BASE_TRACE_END == record.kind) {
            again.domain = 0;
        }
        assert_same(&record, &again);
        assert_memory_equal(to, from, sizeof(to));
    }
}

UNIT_TEST(any_bytes_can_be_read)
{
    mca_mq_base_trace_base_t base[3] = {{0}};
    uint8_t bytes[MCA_MQ_BASE_TRACE_RECORD_MAX];
    mca_mq_base_trace_record_t record;
    uint32_t domain = 0;

    for (int i = 0; i < 300000; ++i) {
        size_t size = 1 + next_random() % sizeof(bytes);

        for (size_t k = 0; k < size; ++k) {
            bytes[k] = (uint8_t) (next_random() | (next_random() & 0x80));
        }
        assert_true(decode(bytes, size, &domain, base, &record) <= (int) size);
    }
}

/* A folder of the test's own, and the trace in it. */
static char folder[MQ_TEST_PATH_MAX];
static char name[MQ_TEST_PATH_MAX + 16], path[MQ_TEST_PATH_MAX + 48];
static char broken[MQ_TEST_PATH_MAX + 16];

static int make_folder(void **unused)
{
    mq_test_template(folder);
    if (NULL == mkdtemp(folder)) {
        return -1;
    }
    snprintf(name, sizeof(name), "%s/t", folder);
    snprintf(path, sizeof(path), "%s.5", name);
    snprintf(broken, sizeof(broken), "%s/broken", folder);
    return mq_test_start(unused);
}

static int remove_folder(void **unused)
{
    unlink(path);
    unlink(broken);
    if (0 != rmdir(folder)) {
        return -1; /* something was left */
    }
    return mq_test_stop(unused);
}

static void set_job(uint32_t rank, uint32_t size)
{
    mca_mq_base_job.rank = rank;
    mca_mq_base_job.size = size;
}

/* A process of a job that is traced. */
static int begin(void **unused)
{
    unlink(path);
    set_job(5, 8);
    mq_test_parameter("mq_base_trace", name);
    return 0;
}

static int end(void **unused)
{
    mq_test_parameter("mq_base_trace", "");
    set_job(0, 0);
    return 0;
}

#define TRACED_TEST(name) UNIT_TEST_WITH(name, begin, end)

/* Have a trace written of everything the model test does. */
static void write_trace(uint64_t operations)
{
    mq_random_config_t config = {
        .component = "list",
        .operations = operations,
        .depth = 100,
    };

    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    mq_random_run(&config);
    assert_int_equal(-1, access(path, F_OK));
    mca_mq_base_close_framework();
    assert_int_equal(0, access(path, F_OK));
}

static mca_mq_base_trace_reader_t reader;

/* Reads all; returns what the last call did. */
static int read_all(const char *file, uint64_t kinds[MCA_MQ_BASE_TRACE_KINDS])
{
    mca_mq_base_trace_record_t record;
    int ret;

    if (OMPI_SUCCESS != mca_mq_base_trace_open(&reader, file)) {
        return -1;
    }
    while (1 == (ret = mca_mq_base_trace_next(&reader, &record))) {
        if (NULL != kinds) {
            ++kinds[record.kind];
        }
    }
    mca_mq_base_trace_close(&reader);
    return ret;
}

TRACED_TEST(a_run_is_recorded)
{
    uint64_t kinds[MCA_MQ_BASE_TRACE_KINDS] = {0}, operations = 200000;
    struct stat file;

    write_trace(operations);
    assert_int_equal(0, read_all(path, kinds));
    assert_int_equal(5, reader.header.rank);
    assert_int_equal(8, reader.header.size);
    assert_true(reader.records > operations / 2);
    assert_int_equal(24, kinds[MCA_MQ_BASE_TRACE_BEGIN]);
    assert_int_equal(24, kinds[MCA_MQ_BASE_TRACE_FINISH]);
    assert_int_equal(24, kinds[MCA_MQ_BASE_TRACE_SERVED]);
    for (int i = 0; i < MCA_MQ_BASE_OPERATIONS; ++i) {
        assert_true(kinds[i] > 0);
    }
    assert_int_equal(0, stat(path, &file));
    printf("%llu records, %.1f bytes each\n",
           (unsigned long long) reader.records,
           (double) file.st_size / (double) reader.records);
    /* The envelopes of this test are as random as can be. */
    assert_true((uint64_t) file.st_size < 12 * reader.records);
}

/* The trace with one byte changed or its end missing. */
static void spoil(const uint8_t *bytes, size_t size, size_t at, uint8_t value)
{
    FILE *file = fopen(broken, "wb");

    assert_non_null(file);
    fwrite(bytes, 1, size, file);
    if (at < size) {
        fseek(file, (long) at, SEEK_SET);
        fputc(value, file);
    }
    fclose(file);
}

static void assert_said(const char *text)
{
    assert_int_equal(-1, read_all(broken, NULL));
    if (NULL == strstr(reader.error, text) ||
        NULL == strstr(reader.error, broken)) {
        fail_msg("'%s' does not say '%s'", reader.error, text);
    }
}

static size_t read_file(uint8_t *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t size;

    assert_non_null(file);
    size = fread(bytes, 1, room, file);
    fclose(file);
    assert_true(size < room);
    return size;
}

TRACED_TEST(a_broken_trace_is_told)
{
    static uint8_t bytes[1 << 20];
    size_t size;

    write_trace(3000);
    size = read_file(bytes, sizeof(bytes));
    spoil(bytes, 0, 1, 0);
    assert_said("empty");
    spoil(bytes, size, 0, 'x');
    assert_said("not a trace");
    spoil(bytes, 20, 20, 0);
    assert_said("truncated");
    spoil(bytes, size, 8, bytes[11]);
    assert_said("byte order");
    spoil(bytes, size, 12, 77);
    assert_said("version 77");
    spoil(bytes, size + 1, size + 1, 0);
    assert_said("more after the end");
    for (size_t i = sizeof(mca_mq_base_trace_header_t); i < size; i += 97) {
        spoil(bytes, i, size, 0);
        assert_said("truncated");
        spoil(bytes, size, i, bytes[i] ^ (uint8_t) (1 << (i & 7)));
        assert_said("offset");
    }
}

TRACED_TEST(it_must_be_writable)
{
    const char *said;

    mq_test_parameter("mq_base_trace", "/nosuch/folder/t");
    assert_int_not_equal(OMPI_SUCCESS, mq_test_open_caught("list", &said));
    assert_non_null(strstr(said, "mq_base_trace = /nosuch/folder/t"));
    assert_non_null(strstr(said, "No such file or directory"));
    /* A folder is in the way. */
    assert_int_equal(0, mkdir(path, 0777));
    mq_test_parameter("mq_base_trace", name);
    assert_int_not_equal(OMPI_SUCCESS, mq_test_open_caught("list", &said));
    assert_non_null(strstr(said, "Is a directory"));
    rmdir(path);
}

/* As if the disk were full: no file may grow beyond so many bytes. */
static void close_with_room(rlim_t bytes)
{
    struct rlimit before, small;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(0, getrlimit(RLIMIT_FSIZE, &before));
    small = before;
    small.rlim_cur = bytes;
    assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &small));
    mca_mq_base_close_framework();
    assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &before));
}

TRACED_TEST(a_full_disk_ends_the_trace_only)
{
    mca_mq_domain_info_t info = {.size = 4};
    mca_mq_base_domain_t domain;

    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
    mca_mq_base_domain_fini(&domain);
    close_with_room(10);
    /* That nothing is left under any name is seen when the folder goes. */
    assert_int_equal(-1, access(path, F_OK));
}

/* Sends messages until the trace has some thousand bytes. */
static void some_records(void)
{
    mca_mq_domain_info_t info = {.size = 4};
    mca_mq_base_domain_t domain;
    mca_mq_entry_t entry;

    assert_int_equal(OMPI_SUCCESS, mca_mq_base_domain_init(&domain, &info));
    for (int tag = 0; tag < 4000; ++tag) {
        entry = (mca_mq_entry_t){.envelope = {0, tag % 4, tag}};
        assert_null(mca_mq_base_post(&domain, &entry));
        domain.module->mq_withdraw_posted(domain.module, &entry);
    }
    mca_mq_base_domain_fini(&domain);
}

/* Records that can be read from a file; whether it is cut, or limited. */
static uint64_t readable(const char *file, bool *cut, bool *limited)
{
    mca_mq_base_trace_record_t record;
    int got;

    assert_int_equal(OMPI_SUCCESS, mca_mq_base_trace_open(&reader, file));
    do {
        got = mca_mq_base_trace_next(&reader, &record);
    } while (got > 0);
    if (got < 0) {
        fail_msg("%s", reader.error);
    }
    *cut = reader.is_cut;
    *limited = 0 != (reader.header.flags & MCA_MQ_BASE_TRACE_LIMITED);
    mca_mq_base_trace_close(&reader);
    return reader.records;
}

TRACED_TEST(what_fits_on_a_full_disk_can_be_read)
{
    char part[512];
    bool cut, limited;
    uint64_t records;

    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    some_records();
    close_with_room(5001);
    assert_int_equal(-1, access(path, F_OK));
    snprintf(part, sizeof(part), "%s.%ld.part", path, (long) getpid());
    records = readable(part, &cut, &limited);
    assert_true(cut && !limited);
    assert_true(records > 500 && records < 5001);
    unlink(part);
}

TRACED_TEST(a_trace_ends_at_its_limit)
{
    struct stat status;
    bool cut, limited;

    mq_test_parameter("mq_base_trace_limit", "4K");
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    some_records();
    /* It is there before the end. */
    assert_int_equal(0, stat(path, &status));
    assert_true(status.st_size > 3800 && status.st_size <= 4096);
    some_records();
    mca_mq_base_close_framework();
    assert_true(readable(path, &cut, &limited) > 500);
    assert_true(limited && !cut);
    mq_test_parameter("mq_base_trace_limit", "1T");
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    some_records();
    mca_mq_base_close_framework();
    assert_int_equal(8003, readable(path, &cut, &limited));
    assert_true(!limited && !cut);
    unlink(path);
}

static bool is_traced(const char *ranks)
{
    bool traced;

    mq_test_parameter("mq_base_trace_ranks", ranks);
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    some_records();
    mca_mq_base_close_framework();
    traced = 0 == access(path, F_OK);
    unlink(path);
    return traced;
}

TRACED_TEST(only_listed_ranks_are_traced)
{
    static const char *const bad[] = {"x",   "5,",  ",5",  "8",   "4-8",
                                      "6-5", "5-",  "-5",  "5 6", "5,,6",
                                      "0x5", "5;6", "all", NULL};
    const char *said;

    assert_true(is_traced("5"));
    assert_true(is_traced("0,5,7"));
    assert_true(is_traced("0-3,5-5"));
    assert_true(is_traced("1,4-7"));
    assert_false(is_traced("0"));
    assert_false(is_traced("0-4,6-7"));
    for (int i = 0; NULL != bad[i]; ++i) {
        mq_test_parameter("mq_base_trace_ranks", bad[i]);
        assert_int_not_equal(OMPI_SUCCESS, mq_test_open_caught("list", &said));
        if (NULL == strstr(said, "mq_base_trace_ranks") ||
            NULL == strstr(said, "0 to 7")) {
            fail_msg("'%s': %s", bad[i], said);
        }
    }
    mq_test_parameter("mq_base_trace_ranks", "");
}

TRACED_TEST(without_domains_there_is_none)
{
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    mca_mq_base_close_framework();
    assert_int_equal(-1, access(path, F_OK));
    /* And none in a program that is no part of a job. */
    set_job(0, 0);
    assert_int_equal(OMPI_SUCCESS, mq_test_open("list"));
    assert_string_equal("list", mq_test_served_by(4));
    mca_mq_base_close_framework();
    assert_int_equal(-1, access(path, F_OK));
}

UNIT_MAIN(make_folder, remove_folder)
