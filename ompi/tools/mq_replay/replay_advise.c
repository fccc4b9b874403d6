/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "replay_advise.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/kit/look.h"
#include "ompi/mca/mq/base/record/profile.h"
#include "replay_run.h"
#include "sequence/replay_util.h"

/* Limit for the longest queue of the pattern: `list` is run, too. */
#define LENGTH_MAX 4096

/* Approximate number of messages of a run. */
#define MESSAGES 16384

/* Limits of peers and clusters for the elbow. */
#define ELBOW_PEERS 256
#define ELBOW_K 16

/* Smallest gain worth a change: share of the cost, ns per operation, and
 * seconds. */
#define WORTH_SHARE 0.05
#define WORTH_NS 1.0
#define WORTH_SECONDS 0.001

/* ---- reading ---- */

typedef struct reader_t {
    replay_advised_t best;
    double *entries; /* entries of its sources */
    uint32_t entries_size;
} reader_t;

static int by_value(const void *left, const void *right)
{
    const double *l = left, *r = right;

    return (*l > *r) - (*l < *r);
}

/* The smallest sum of squared distances from the means of k clusters, for each
 * k: clusters of sorted numbers are ranges, so dynamic programming finds the
 * optimum. */
static void cluster(const double *value, int count, double of_k[ELBOW_K + 1])
{
    static double sum[ELBOW_PEERS + 1], square[ELBOW_PEERS + 1];
    static double cost[ELBOW_K + 1][ELBOW_PEERS + 1];

    for (int i = 0; i < count; ++i) {
        sum[i + 1] = sum[i] + value[i];
        square[i + 1] = square[i] + value[i] * value[i];
    }
    for (int k = 1; k <= ELBOW_K; ++k) {
        cost[k][0] = 0;
        for (int end = 1; end <= count; ++end) {
            cost[k][end] = -1;
            for (int from = 1 == k ? end : 1; from <= end; ++from) {
                int begin = 1 == k ? 0 : from - 1;
                double s = sum[end] - sum[begin];
                double squared =
                    square[end] - square[begin] - s * s / (end - begin);
                double all = squared + (1 == k ? 0 : cost[k - 1][begin]);

                if (cost[k][end] < 0 || all < cost[k][end]) {
                    cost[k][end] = all < 0 ? 0 : all;
                }
            }
        }
        of_k[k] = cost[k][count];
    }
}

/* The elbow: where the curve of the sums is farthest below the line between its
 * ends. */
static unsigned elbow(double *value, uint32_t count)
{
    double of_k[ELBOW_K + 1], farthest = 0;
    unsigned best = 1;

    qsort(value, count, sizeof(*value), by_value);
    if (count > ELBOW_PEERS) {
        for (uint32_t i = 0; i < ELBOW_PEERS; ++i) {
            value[i] = value[(uint64_t) i * count / ELBOW_PEERS];
        }
        count = ELBOW_PEERS;
    }
    cluster(value, (int) count, of_k);
    for (unsigned k = 1; k <= ELBOW_K; ++k) {
        double line =
            of_k[1] + (of_k[ELBOW_K] - of_k[1]) * (k - 1) / (ELBOW_K - 1);

        if (line - of_k[k] > farthest) {
            farthest = line - of_k[k];
            best = k;
        }
    }
    return best;
}

static uint64_t searches(const replay_advised_t *advised)
{
    return advised->queue[MCA_MQ_POSTED].searches +
           advised->queue[MCA_MQ_UNEXPECTED].searches;
}

/* Peers that had entries, and how many. */
static void take_entries(reader_t *r,
                         const mca_mq_base_profile_domain_t *domain)
{
    r->best.sources = 0;
    for (uint32_t i = 0; i < domain->num_peers; ++i) {
        const uint64_t *added = domain->peers[i].added;
        uint64_t entries = added[MCA_MQ_POSTED] + added[MCA_MQ_UNEXPECTED];

        if (0 != entries) {
            REPLAY_GROW(r->entries, r->best.sources, r->entries_size);
            r->entries[r->best.sources++] = (double) entries;
        }
    }
}

/* Keep the domain with the most searches. */
static void visit(const mca_mq_base_profile_domain_t *domain, uint32_t rank,
                  void *arg)
{
    reader_t *r = arg;
    replay_advised_t one = {
        .rank = rank,
        .context = domain->context,
        .size = domain->size,
        .queue = {domain->queue[0], domain->queue[1]},
        .receives = domain->receives,
        .any_source = domain->any_source,
        .any_tag = domain->any_tag,
    };

    if (searches(&one) > searches(&r->best)) {
        snprintf(one.component, sizeof(one.component), "%s", domain->component);
        r->best = one;
        take_entries(r, domain);
    }
}

void replay_advise_read(const char *path, replay_advised_t *advised)
{
    reader_t r = {.entries = NULL};
    mca_mq_base_profile_error_t error = {.line = 0};
    FILE *file = fopen(path, "r");

    if (NULL == file) {
        replay_die("%s: %s", path, strerror(errno));
    }
    if (OMPI_SUCCESS != mca_mq_base_profile_each(file, visit, &r, &error)) {
        replay_die("%s, line %llu: %s", path, (unsigned long long) error.line,
                   error.reason);
    }
    fclose(file);
    if (0 == searches(&r.best)) {
        replay_die("%s: nothing was searched for", path);
    }
    r.best.k = elbow(r.entries, r.best.sources);
    free(r.entries);
    *advised = r.best;
}

/* ---- what it says ---- */

static uint64_t longest(const replay_advised_t *advised)
{
    uint64_t posted = advised->queue[MCA_MQ_POSTED].length_max;
    uint64_t unexpected = advised->queue[MCA_MQ_UNEXPECTED].length_max;

    return posted > unexpected ? posted : unexpected;
}

static uint32_t share(uint64_t part, uint64_t all)
{
    return 0 == all ? 0 : (uint32_t) (100 * part / all);
}

static uint32_t unexpected(const replay_advised_t *advised)
{
    return share(advised->queue[MCA_MQ_UNEXPECTED].added,
                 advised->queue[MCA_MQ_POSTED].added +
                     advised->queue[MCA_MQ_UNEXPECTED].added);
}

bool replay_advise_is_long(const char *path, const replay_advised_t *advised)
{
    printf("%s: busiest is rank %u, context %u, %u ranks, served by %s\n"
           "%llu searches; longest queue %llu; %u sources; %u %% unexpected; "
           "%u %% of the receives from any source, %u %% with any tag\n\n",
           path, advised->rank, advised->context, advised->size,
           '\0' == advised->component[0] ? "(not known)" : advised->component,
           (unsigned long long) searches(advised),
           (unsigned long long) longest(advised), advised->sources,
           unexpected(advised), share(advised->any_source, advised->receives),
           share(advised->any_tag, advised->receives));
    if (longest(advised) >= MCA_MQ_BASE_LOOK_SHORT) {
        return true;
    }
    printf("advice: not worth it: queues are short, and all components take "
           "the same time then, but for a few ns\n");
    return false;
}

void replay_advise_wish(const replay_advised_t *advised, replay_order_t order,
                        replay_wish_t *wish)
{
    uint64_t length =
        longest(advised) < LENGTH_MAX ? longest(advised) : LENGTH_MAX;
    uint64_t sources = advised->sources < 1 ? 1 : advised->sources;

    sources = sources > length ? length : sources;
    *wish = (replay_wish_t){
        .pattern = "mix",
        .ranks =
            advised->size > sources ? advised->size : (uint32_t) sources + 1,
        .burst = (uint32_t) ((length + sources - 1) / sources),
        .seed = 1,
        .mix =
            {
                .sources = (uint32_t) sources,
                .unexpected = unexpected(advised),
                .any_source = share(advised->any_source, advised->receives),
                .any_tag = share(advised->any_tag, advised->receives),
                .order = order,
            },
    };
    wish->rounds = (uint32_t) (MESSAGES / (sources * wish->burst));
    wish->rounds = wish->rounds < 2 ? 2 : wish->rounds;
}

/* ---- measuring ---- */

/* Components and parameters to try. `hash` needs promises, which a profile does
 * not have; `auto` decides by itself. */
static const char *const choices[] = {
    "indexed",
    "list",
    "source_array",
    "fourd",
    "bin:count=64",
    "bin:count=256",
    "bin:count=1024",
    "bin:count=4096",
    "newmad",
    "fuzzy",
    "partner_dynamic:threshold=25",
    "partner_dynamic:threshold=100",
    "partner_dynamic:threshold=100,cap=1.5",
    "partner_static",
    "kmeans:k=%u", /* k is that of the elbow */
};

#define CHOICES (sizeof(choices) / sizeof(choices[0]))

typedef struct tried_t {
    char choice[64];
    const char *declined;
    double ns[2]; /* for each order */
} tried_t;

static double mean(const tried_t *tried)
{
    return (tried->ns[0] + tried->ns[1]) / 2;
}

static int by_mean(const void *left, const void *right)
{
    const tried_t *l = left, *r = right;

    if ((NULL == l->declined) != (NULL == r->declined)) {
        return NULL == l->declined ? -1 : 1;
    }
    return (mean(l) > mean(r)) - (mean(l) < mean(r));
}

static void try_one(replay_sequence_t *const sequences[2], tried_t *tried)
{
    for (int i = 0; i < 2 && NULL == tried->declined; ++i) {
        replay_result_t result = {.name = tried->choice};

        replay_measure_choice(sequences[i], tried->choice, &result);
        tried->declined = result.declined;
        tried->ns[i] = NULL == result.declined ? result.total_ns_mean : 0;
    }
}

static void print(const tried_t *tried)
{
    printf("ns per operation, where messages of each source come in order, "
           "and shuffled:\n");
    for (size_t i = 0; i < CHOICES; ++i) {
        if (NULL != tried[i].declined) {
            printf("%-40s declined: %s\n", tried[i].choice, tried[i].declined);
        } else {
            printf("%-40s %10.1f %10.1f\n", tried[i].choice, tried[i].ns[0],
                   tried[i].ns[1]);
        }
    }
    fputc('\n', stdout);
}

static void conclude(const replay_advised_t *advised, const tried_t *best,
                     const tried_t *standard)
{
    double saved = mean(standard) - mean(best);
    double seconds = saved * 1e-9 * (double) searches(advised);
    bool is_worth_it = saved >= WORTH_NS &&
                       saved >= WORTH_SHARE * mean(standard) &&
                       seconds >= WORTH_SECONDS;

    if (is_worth_it) {
        printf("advice: ompi_mq = %s\n", best->choice);
    } else {
        printf("advice: not worth it, stay with indexed; best is %s\n",
               best->choice);
    }
    printf("it takes %.1f ns per operation, indexed %.1f: %.1f ns times %llu "
           "searches of this process are %.6f s\n",
           mean(best), mean(standard), saved,
           (unsigned long long) searches(advised), seconds);
}

void replay_advise(const replay_advised_t *advised,
                   replay_sequence_t *const sequences[2])
{
    tried_t tried[CHOICES], standard;

    memset(tried, 0, sizeof(tried));
    for (size_t i = 0; i < CHOICES; ++i) {
        const char *k = strstr(choices[i], "%u");
        int before =
            NULL == k ? (int) strlen(choices[i]) : (int) (k - choices[i]);

        snprintf(tried[i].choice, sizeof(tried[i].choice), "%.*s", before,
                 choices[i]);
        if (NULL != k) {
            snprintf(tried[i].choice + before,
                     sizeof(tried[i].choice) - (size_t) before, "%u",
                     advised->k);
        }
        try_one(sequences, &tried[i]);
    }
    replay_progress_end();
    standard = tried[0];
    qsort(tried, CHOICES, sizeof(tried[0]), by_mean);
    print(tried);
    conclude(advised, &tried[0], &standard);
}
