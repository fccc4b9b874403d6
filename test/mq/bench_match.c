/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What one insertion and one match cost in a queue of a given depth. Not a
 * test: `make bench_match` builds it. With it,
 *
 *   valgrind --tool=callgrind --toggle-collect=measured bench_match ...
 *
 * counts the instructions of all operations of the last batch of each line.
 *
 *   bench_match --component NAME [--queue posted|unexpected]
 *       [--order oldest|random] [--wildcard none|source|tag|both]
 *       [--rounds N] DEPTH...
 *   bench_match --component NAME --burst [--queue ...] ... COUNT...
 *
 * The first form keeps DEPTH entries with different tags queued, and prints the
 * time of a post with the arrival that matches it (or the other way round),
 * both whole: the other queue, which is empty, is searched first. The second
 * form queues COUNT entries and then matches them all, and prints means, the
 * longest single operation and the memory per entry.
 */

#include "ompi_config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opal/runtime/opal.h"
#include "ompi/constants.h"
#include "ompi/mca/mq/base/base.h"

#define BATCH 4096
#define BATCHES 25

/* As large as an unexpected message of the PML. */
typedef union bench_object_t {
    mca_mq_entry_t entry;
    char bytes[112];
} bench_object_t;

typedef struct bench_t {
    mca_mq_base_domain_t domain;
    mca_mq_queue_t queue;
    bool random;
    bool any_source;
    bool any_tag;
    bench_object_t *object;
    uint32_t *order;       /* of objects, BATCH or COUNT of them */
    mca_mq_entry_t other;  /* the one that matches */
    mca_mq_entry_t *entry; /* the one that is queued */
} bench_t;

/* Time of the processor, so that others that run meanwhile do not count. */
static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static uint64_t next_random(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static mca_mq_entry_t *make(void *arg)
{
    bench_t *b = arg;

    mca_mq_base_stamp(&b->domain, b->entry);
    return b->entry;
}

/* The receive's envelope for a message's. */
static void widen(const bench_t *b, mca_mq_envelope_t *envelope)
{
    if (b->any_source) {
        envelope->source = MCA_MQ_ANY_SOURCE;
    }
    if (b->any_tag) {
        envelope->tag = MCA_MQ_ANY_TAG;
    }
}

static inline void insert(bench_t *b, mca_mq_entry_t *entry)
{
    if (b->queue == MCA_MQ_POSTED) {
        mca_mq_base_post(&b->domain, entry);
    } else {
        b->entry = entry;
        mca_mq_base_arrive(&b->domain, &entry->envelope, make, b);
    }
}

static inline mca_mq_entry_t *match(bench_t *b, int32_t tag)
{
    b->other.envelope = (mca_mq_envelope_t){0, tag & 63, tag};
    if (b->queue == MCA_MQ_POSTED) {
        return mca_mq_base_arrive(&b->domain, &b->other.envelope, make, NULL);
    }
    widen(b, &b->other.envelope);
    return mca_mq_base_post(&b->domain, &b->other);
}

static void set(bench_t *b, mca_mq_entry_t *entry, int32_t tag)
{
    entry->envelope = (mca_mq_envelope_t){0, tag & 63, tag};
    if (b->queue == MCA_MQ_POSTED) {
        widen(b, &entry->envelope);
    }
}

/* BATCH pairs: one is queued, then the one of tag order[i] is matched, whose
 * object is used next. */
__attribute__((noinline)) static void measured(bench_t *b,
                                               mca_mq_entry_t *spare,
                                               int32_t tag)
{
    for (int i = 0; i < BATCH; ++i) {
        int32_t wanted = (int32_t) b->order[i];

        set(b, spare, tag + i);
        insert(b, spare);
        spare = match(b, wanted);
        if (spare == NULL) {
            fprintf(stderr, "no match\n");
            exit(1);
        }
    }
}

/* Which tags to match: after each insertion one of those queued. */
static void plan(const bench_t *b, int32_t *queued, size_t depth, int32_t tag)
{
    for (int i = 0; i < BATCH; ++i) {
        size_t at = b->random ? next_random() % (depth + 1) : 0;

        queued[depth] = tag + i;
        b->order[i] = (uint32_t) queued[at];
        if (b->random) {
            queued[at] = queued[depth];
        } else {
            memmove(queued, queued + 1, depth * sizeof(*queued));
        }
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static void at_depth(bench_t *b, size_t depth)
{
    int32_t *queued = malloc((depth + 1) * sizeof(*queued)), tag;
    double time[BATCHES];

    for (size_t i = 0; i < depth; ++i) {
        queued[i] = (int32_t) i;
        set(b, &b->object[i].entry, (int32_t) i);
        insert(b, &b->object[i].entry);
    }
    tag = (int32_t) depth;
    /* Which object is spare changes: the one matched last. */
    for (int batch = 0; batch < BATCHES; ++batch) {
        mca_mq_entry_t *spare = malloc(sizeof(bench_object_t));
        uint64_t before;

        plan(b, queued, depth, tag);
        before = now_ns();
        measured(b, spare, tag);
        time[batch] = (double) (now_ns() - before) / BATCH;
        tag += BATCH;
    }
    qsort(time, BATCHES, sizeof(*time), compare);
    printf("%-16s depth %7zu  %8.1f ns per pair (%.1f to %.1f)\n",
           mca_mq_base_domain_name(&b->domain), depth, time[BATCHES / 2],
           time[0], time[BATCHES - 1]);
    free(queued);
}

/* Sum and maximum of single operations, ns. */
typedef struct bench_times_t {
    uint64_t sum;
    uint64_t most;
} bench_times_t;

/* What reading the clock costs. */
static uint64_t clock_ns(void)
{
    static uint64_t least;
    uint64_t before, now;

    for (int i = 0; least == 0 && i < 1000; ++i) {
        before = now_ns();
        now = now_ns() - before;
        least = least == 0 || now < least ? now : least;
    }
    return least;
}

static void add_time(bench_times_t *times, uint64_t ns)
{
    ns -= ns < clock_ns() ? ns : clock_ns();
    times->sum += ns;
    times->most = ns > times->most ? ns : times->most;
}

static void shuffle(const bench_t *b, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        b->order[i] = (uint32_t) i;
    }
    for (size_t i = count; b->random && i > 1; --i) {
        size_t at = next_random() % i;
        uint32_t kept = b->order[i - 1];

        b->order[i - 1] = b->order[at];
        b->order[at] = kept;
    }
}

static void burst(bench_t *b, size_t count)
{
    bench_times_t in = {0, 0}, out = {0, 0};
    mca_mq_base_module_t *module = b->domain.module;
    size_t idle = module->mq_footprint(module), peak = 0, now;
    uint64_t before;

    shuffle(b, count);
    for (size_t i = 0; i < count; ++i) {
        set(b, &b->object[i].entry, (int32_t) i);
        before = now_ns();
        insert(b, &b->object[i].entry);
        add_time(&in, now_ns() - before);
        now = module->mq_footprint(module) - idle;
        peak = now > peak ? now : peak;
    }
    now = module->mq_footprint(module) - idle;
    for (size_t i = 0; i < count; ++i) {
        before = now_ns();
        if (match(b, (int32_t) b->order[i]) == NULL) {
            fprintf(stderr, "no match\n");
            exit(1);
        }
        add_time(&out, now_ns() - before);
    }
    printf("%-16s burst %7zu  insert %.0f ns, longest %llu; match %.0f ns, "
           "longest %llu; %.1f bytes each, peak %.1f, %zu left\n",
           mca_mq_base_domain_name(&b->domain), count,
           (double) in.sum / (double) count, (unsigned long long) in.most,
           (double) out.sum / (double) count, (unsigned long long) out.most,
           (double) now / (double) count, (double) peak / (double) count,
           module->mq_footprint(module) - idle);
}

static void run(bench_t *b, size_t count, bool bursts)
{
    mca_mq_domain_info_t info = {.size = 64, .context = 0};

    memset(&b->domain, 0, sizeof(b->domain));
    b->object = calloc(count + 1, sizeof(*b->object));
    b->order = calloc(count > BATCH ? count : BATCH, sizeof(*b->order));
    if (b->object == NULL || b->order == NULL ||
        OMPI_SUCCESS != mca_mq_base_domain_init(&b->domain, &info)) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    memset(b->object, 1, (count + 1) * sizeof(*b->object));
    if (bursts) {
        burst(b, count);
        burst(b, count);
    } else {
        at_depth(b, count);
    }
    mca_mq_base_domain_fini(&b->domain);
    free(b->order);
    free(b->object);
}

static bool is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"component", required_argument, NULL, 'c'},
        {"queue", required_argument, NULL, 'q'},
        {"order", required_argument, NULL, 'o'},
        {"wildcard", required_argument, NULL, 'w'},
        {"burst", no_argument, NULL, 'b'},
        {NULL, 0, NULL, 0},
    };
    bench_t b = {.queue = MCA_MQ_POSTED};
    bool bursts = false;
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            setenv("OMPI_MCA_mq", optarg, 1);
            break;
        case 'q':
            b.queue = is(optarg, "posted") ? MCA_MQ_POSTED : MCA_MQ_UNEXPECTED;
            break;
        case 'o':
            b.random = is(optarg, "random");
            break;
        case 'w':
            b.any_source = is(optarg, "source") || is(optarg, "both");
            b.any_tag = is(optarg, "tag") || is(optarg, "both");
            break;
        case 'b':
            bursts = true;
            break;
        default:
            return 2;
        }
    }
    if (OPAL_SUCCESS != opal_init_util(NULL, NULL) ||
        OMPI_SUCCESS != mca_mq_base_open_framework()) {
        return 1;
    }
    for (int i = optind; i < argc; ++i) {
        run(&b, strtoull(argv[i], NULL, 0), bursts);
    }
    mca_mq_base_close_framework();
    opal_finalize_util();
    return 0;
}
