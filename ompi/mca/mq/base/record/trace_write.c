/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a trace, as an observer of all domains. Observers run under the
 * caller's lock, which protects the writer, too.
 */

#include "ompi_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opal/util/show_help.h"

#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/base/param/help.h"
#include "ompi/mca/mq/base/param/own.h"
#include "ompi/mca/mq/base/record/file.h"
#include "ompi/mca/mq/base/record/trace.h"
#include "ompi/mca/mq/mq_ompi_compat.h"

/* Large enough that most programs write at most once a second. */
#define BUFFER_SIZE (256 * 1024)

/* The one trace of the process. */
static struct {
    int fd;          /* -1: no trace, or it failed */
    char *path;      /* final name */
    char *temporary; /* name until the trace is complete */
    uint8_t *buffer;
    size_t filled;
    uint64_t written; /* bytes written to the file */
    uint64_t records;
    uint64_t checksum;
    uint32_t domain; /* of the last record */
    uint32_t num_domains;
} trace = {.fd = -1};

/* State of a domain. */
typedef struct traced_t {
    mca_mq_base_trace_base_t base;
    const mca_mq_domain_info_t *info;
    const mca_mq_base_component_t *served; /* by this one, as recorded */
    uint32_t id;
} traced_t;

static void forget(void)
{
    free(trace.path);
    free(trace.temporary);
    free(trace.buffer);
    trace.path = NULL;
    trace.temporary = NULL;
    trace.buffer = NULL;
    trace.fd = -1;
}

/* Close and remove the file. */
static void discard(void)
{
    (void) close(trace.fd);
    (void) unlink(trace.temporary);
    forget();
}

/* End the trace after an error. What has been written can be replayed, like the
 * trace of a job that was killed. */
static void fail(const char *reason)
{
    bool any = trace.written > sizeof(mca_mq_base_trace_header_t);

    opal_show_help(MCA_MQ_BASE_HELP, "trace-failed", true, trace.path, reason,
                   any ? trace.temporary : "none");
    if (any) {
        (void) close(trace.fd);
        forget();
    } else {
        discard();
    }
}

/* Returns 0 or an errno value. */
static int write_all(const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(trace.fd, bytes, size);

        if (written < 0 && EINTR != errno) {
            return errno;
        }
        if (written > 0) {
            bytes += written;
            size -= (size_t) written;
            trace.written += (uint64_t) written;
        }
    }
    return 0;
}

static void flush(void)
{
    int error = write_all(trace.buffer, trace.filled);

    trace.filled = 0;
    if (0 != error) {
        fail(strerror(error));
    }
}

/* Write the end, and give the file its final name. */
static void complete(void)
{
    int fd;

    trace.filled += mca_mq_base_trace_encode_end(trace.buffer + trace.filled,
                                                 trace.records, trace.checksum);
    flush();
    if (trace.fd < 0) {
        return; /* already reported */
    }
    /* Some file systems report only now that there is no space left. */
    fd = trace.fd;
    trace.fd = -1;
    if (0 != close(fd) || 0 != rename(trace.temporary, trace.path)) {
        fail(strerror(errno));
        return;
    }
    forget();
}

/* End the trace at mq_base_trace_limit, and set the flag in its header. */
static void limit_reached(void)
{
    const uint32_t limited = MCA_MQ_BASE_TRACE_LIMITED;

    flush();
    if (trace.fd >= 0 &&
        sizeof(limited) !=
            pwrite(trace.fd, &limited, sizeof(limited),
                   offsetof(mca_mq_base_trace_header_t, flags))) {
        fail(strerror(errno));
    }
    if (trace.fd >= 0) {
        complete();
    }
}

static void record(const mca_mq_base_trace_record_t *what,
                   mca_mq_base_trace_base_t *base)
{
    uint8_t *to = trace.buffer + trace.filled;
    size_t size = mca_mq_base_trace_encode(to, what, &trace.domain, base);

    trace.checksum = mca_mq_base_trace_checksum(trace.checksum, to, size);
    trace.filled += size;
    ++trace.records;
    if (trace.written + trace.filled > mca_mq_base_trace_limit -
                                           MCA_MQ_BASE_TRACE_RECORD_MAX -
                                           MCA_MQ_BASE_TRACE_END_MAX) {
        limit_reached();
    } else if (trace.filled > BUFFER_SIZE - MCA_MQ_BASE_TRACE_RECORD_MAX) {
        flush();
    }
}

/* Record the component that serves the domain, if it is another one. */
static void record_served(traced_t *traced)
{
    const mca_mq_base_domain_t *domain = traced->info->domain;
    mca_mq_base_trace_record_t what = {
        .kind = MCA_MQ_BASE_TRACE_SERVED,
        .domain = traced->id,
    };

    if (domain->module->mq_component != traced->served && trace.fd >= 0) {
        traced->served = domain->module->mq_component;
        snprintf(what.component, sizeof(what.component), "%.31s",
                 mca_mq_base_domain_name(domain));
        record(&what, &traced->base);
    }
}

static void *trace_begin(const mca_mq_domain_info_t *info)
{
    mca_mq_base_trace_record_t what = {
        .kind = MCA_MQ_BASE_TRACE_BEGIN,
        .domain = trace.num_domains,
        .envelope = {.context = info->context},
        .size = info->size,
        .assertions = info->assertions,
    };
    traced_t *traced;

    if (trace.fd < 0) {
        return NULL;
    }
    traced = calloc(1, sizeof(*traced));
    if (NULL == traced) {
        fail(strerror(ENOMEM));
        return NULL;
    }
    traced->info = info;
    traced->id = trace.num_domains++;
    record(&what, &traced->base);
    record_served(traced);
    return traced;
}

static void trace_event(void *state, const mca_mq_base_event_t *event)
{
    traced_t *traced = state;
    mca_mq_base_trace_record_t what = {
        .kind = event->operation,
        .domain = traced->id,
        .envelope = event->envelope,
        .has_found = NULL != event->found,
        .has_queued = NULL != event->queued,
        .found = NULL != event->found ? event->found->order : 0,
        .queued = NULL != event->queued ? event->queued->order : 0,
    };

    record_served(traced);
    if (trace.fd >= 0) {
        record(&what, &traced->base);
    }
}

static void trace_end(void *state)
{
    traced_t *traced = state;
    mca_mq_base_trace_record_t what = {
        .kind = MCA_MQ_BASE_TRACE_FINISH,
        .domain = traced->id,
    };

    if (trace.fd >= 0) {
        record(&what, &traced->base);
    }
    free(traced);
}

static const mca_mq_base_observer_t observer = {
    .begin = trace_begin,
    .event = trace_event,
    .end = trace_end,
};

/* Make absolute names, as the program may change its working directory. */
static bool name_files(const char *text)
{
    char *absolute = mca_mq_base_file_absolute(text);

    if (NULL == absolute || 0 > asprintf(&trace.path, "%s.%u", absolute,
                                         (unsigned) mca_mq_base_job.rank)) {
        trace.path = NULL;
    } else if (0 > asprintf(&trace.temporary, "%s.%ld.part", trace.path,
                            (long) getpid())) {
        trace.temporary = NULL;
    }
    free(absolute);
    return NULL != trace.temporary;
}

static void put_header(void)
{
    mca_mq_base_trace_header_t header =
        mca_mq_base_trace_header(mca_mq_base_job.rank, mca_mq_base_job.size);

    memcpy(trace.buffer, &header, sizeof(header));
    trace.filled = sizeof(header);
    trace.checksum = MCA_MQ_BASE_TRACE_CHECKSUM;
    trace.records = 0;
    trace.written = 0;
    trace.domain = 0;
    trace.num_domains = 0;
}

/* Create the file. Returns 0 or an errno value. */
static int make_file(void)
{
    struct stat there;

    /* Otherwise noticed only at the end. */
    if (0 == stat(trace.path, &there) && S_ISDIR(there.st_mode)) {
        return EISDIR;
    }
    trace.buffer = malloc(BUFFER_SIZE);
    if (NULL == trace.buffer) {
        return ENOMEM;
    }
    trace.fd = mca_mq_base_file_create(trace.temporary);
    return trace.fd < 0 ? errno : 0;
}

static void refuse(int error)
{
    ++mca_mq_base_param_invalid;
    opal_show_help(MCA_MQ_BASE_HELP, "trace-unwritable", true,
                   mca_mq_base_trace_path, NULL == trace.path ? "" : trace.path,
                   strerror(error));
    forget();
}

/* Is this process one of mq_base_trace_ranks? */
static bool is_listed(void)
{
    const char *text = mca_mq_base_trace_ranks;
    uint32_t first, last, rank = mca_mq_base_job.rank;
    char allowed[96];
    bool listed = false;

    if (NULL == text || '\0' == text[0]) {
        return true;
    }
    while (NULL != text && '\0' != text[0]) {
        text =
            mca_mq_base_parse_ranks(text, mca_mq_base_job.size, &first, &last);
        listed = listed || (NULL != text && first <= rank && rank <= last);
    }
    if (NULL == text) {
        snprintf(allowed, sizeof(allowed),
                 "ranks of this job, 0 to %u, such as 0,3,8-15",
                 (unsigned) mca_mq_base_job.size - 1);
        mca_mq_base_param_complain("mq_base_trace_ranks",
                                   mca_mq_base_trace_ranks, allowed);
        return false;
    }
    return listed;
}

void mca_mq_base_trace_start(void)
{
    const char *text = mca_mq_base_trace_path;
    int error;

    if (NULL == text || '\0' == text[0] || 0 == mca_mq_base_job.size ||
        !is_listed()) {
        return;
    }
    error = name_files(text) ? make_file() : ENOMEM;
    if (0 != error) {
        refuse(error);
        return;
    }
    put_header();
    mca_mq_base_observer_add(&observer);
}

void mca_mq_base_trace_stop(void)
{
    if (trace.fd < 0) {
        return;
    }
    if (0 == trace.num_domains) {
        discard(); /* another PML was chosen */
        return;
    }
    complete();
}
