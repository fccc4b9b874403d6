/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "replay_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/replay_util.h"

static void put_string(const char *text)
{
    putchar('"');
    for (const unsigned char *at = (const unsigned char *) text; *at; ++at) {
        if ('"' == *at || '\\' == *at) {
            printf("\\%c", *at);
        } else if (*at < 0x20) {
            printf("\\u%04x", *at);
        } else {
            putchar(*at);
        }
    }
    putchar('"');
}

static void put_component(const replay_result_t *result)
{
    printf("{\"name\": ");
    put_string(result->name);
    if (NULL != result->declined) {
        printf(", \"declined\": ");
        put_string(result->declined);
        putchar('}');
        return;
    }
    printf(", \"operations\": %llu, \"total_ns_mean\": %.2f, "
           "\"search_ns_mean\": %.2f, "
           "\"search_ns_p99\": %.2f, \"search_ns_max\": %.2f, "
           "\"insert_ns_mean\": %.2f, \"traversals_mean\": %.3f, "
           "\"traversals_max\": %llu, \"memory_peak_bytes\": %zu, "
           "\"memory_idle_bytes\": %zu}",
           (unsigned long long) result->operations, result->total_ns_mean,
           result->search_ns_mean, result->search_ns_p99, result->search_ns_max,
           result->insert_ns_mean, result->traversals_mean,
           (unsigned long long) result->traversals_max, result->memory_peak,
           result->memory_idle);
}

static void put_paths(const replay_result_t *result)
{
    const char *comma = "";

    putchar('{');
    for (int i = 0; i < REPLAY_PATHS; ++i) {
        const replay_path_result_t *path = &result->path[i];

        if (0 != path->operations) {
            printf("%s\"%s\": {\"operations\": %llu, \"ns_mean\": %.2f}", comma,
                   replay_path_names[i], (unsigned long long) path->operations,
                   path->ns / (double) path->operations);
            comma = ", ";
        }
    }
    putchar('}');
}

static void put_features(const replay_features_t *features)
{
    const mca_mq_base_look_t *mean = &features->mean;

    printf("  \"features\": {\"lane\": %.2f, \"length\": %.1f, "
           "\"length_max\": %llu, \"long\": %.3f, \"same\": %.2f, "
           "\"wild\": %.3f},\n",
           mean->lane, mean->length, (unsigned long long) features->length,
           0 == features->all
               ? 0.0
               : (double) features->looks / (double) features->all,
           mean->same, mean->wild);
}

/* Print a list with what put prints for each result. */
static void put_list(const replay_report_t *report,
                     void (*put)(const replay_result_t *result))
{
    putchar('[');
    for (int i = 0; i < report->num_results; ++i) {
        fputs(0 == i ? "\n    " : ",\n    ", stdout);
        put(&report->results[i]);
    }
    fputs("\n  ]", stdout);
}

static void put_queue(const replay_lengths_t *lengths, mca_mq_queue_t queue)
{
    putchar('[');
    for (unsigned i = 0; i < lengths->num_parts; ++i) {
        printf("%s%llu", 0 == i ? "" : ", ",
               (unsigned long long) lengths->max[i][queue]);
    }
    putchar(']');
}

static void put_lengths(const replay_lengths_t *lengths)
{
    printf(",\n  \"lengths\": {\"operations\": %llu,\n    \"posted\": ",
           (unsigned long long) lengths->width);
    put_queue(lengths, MCA_MQ_POSTED);
    fputs(",\n    \"unexpected\": ", stdout);
    put_queue(lengths, MCA_MQ_UNEXPECTED);
    putchar('}');
}

/* Components that served in the program, the busiest first; none: not known. */
static void put_served(const replay_report_t *report)
{
    fputs("  \"served\": [", stdout);
    for (unsigned i = 0; i < report->num_served; ++i) {
        fputs(0 == i ? "{\"name\": " : ", {\"name\": ", stdout);
        put_string(report->served[i].name);
        printf(", \"operations\": %llu}",
               (unsigned long long) report->served[i].operations);
    }
    fputs("],\n", stdout);
}

void replay_report_json(const replay_report_t *report)
{
    fputs("{\n  \"pattern\": ", stdout);
    put_string(NULL == report->wish ? "trace" : report->wish->pattern);
    printf(",\n  \"ranks\": %u,\n", report->ranks);
    if (NULL == report->wish) {
        fputs("  \"trace\": ", stdout);
        put_string(report->trace);
        fputs(",\n", stdout);
        printf("  \"messages\": %llu,\n",
               (unsigned long long) report->messages);
        put_served(report);
    } else {
        printf("  \"rounds\": %u,\n  \"burst\": %u,\n  \"seed\": %llu,\n",
               report->wish->rounds, report->wish->burst,
               (unsigned long long) report->wish->seed);
    }
    printf("  \"timer_ns\": %.2f,\n  \"verified\": %s,\n", report->timer_cost,
           report->verified ? "true" : "false");
    put_features(&report->features);
    fputs("  \"components\": ", stdout);
    put_list(report, put_component);
    fputs(",\n  \"paths\": ", stdout);
    put_list(report, put_paths);
    if (NULL != report->lengths) {
        put_lengths(report->lengths);
    }
    fputs("\n}\n", stdout);
}

static int by_total(const void *left, const void *right)
{
    const replay_result_t *const *l = left, *const *r = right;

    if ((NULL == (*l)->declined) != (NULL == (*r)->declined)) {
        return NULL == (*l)->declined ? -1 : 1;
    }
    return ((*l)->total_ns_mean > (*r)->total_ns_mean) -
           ((*l)->total_ns_mean < (*r)->total_ns_mean);
}

static void put_title(const replay_report_t *report)
{
    if (NULL == report->wish) {
        printf("trace %s, %u ranks", report->trace, report->ranks);
        for (unsigned i = 0; i < report->num_served; ++i) {
            printf("%s%s", 0 == i ? ", served by " : ", ",
                   report->served[i].name);
        }
    } else {
        printf("pattern %s, %u ranks, %u rounds, burst %u, seed %llu",
               report->wish->pattern, report->ranks, report->wish->rounds,
               report->wish->burst, (unsigned long long) report->wish->seed);
    }
    printf("%s\ntimes in ns, clock subtracted: %.1f a reading; memory in "
           "bytes\n\n",
           report->verified ? "; every match is that of the model" : "",
           report->timer_cost);
}

void replay_report_table(const replay_report_t *report)
{
    const replay_result_t **sorted =
        replay_realloc(NULL, (size_t) report->num_results, sizeof(*sorted));

    for (int i = 0; i < report->num_results; ++i) {
        sorted[i] = &report->results[i];
    }
    qsort(sorted, (size_t) report->num_results, sizeof(*sorted), by_total);
    put_title(report);
    printf("%-16s %11s %10s %10s %10s %12s %10s %11s %9s %12s %12s\n",
           "component", "operations", "total", "search", "p99", "max", "insert",
           "traversals", "max", "memory peak", "idle");
    for (int i = 0; i < report->num_results; ++i) {
        const replay_result_t *r = sorted[i];

        if (NULL != r->declined) {
            printf("%-16s declined: %s\n", r->name, r->declined);
            continue;
        }
        printf("%-16s %11llu %10.1f %10.1f %10.1f %12.1f %10.1f %11.2f %9llu "
               "%12zu "
               "%12zu\n",
               r->name, (unsigned long long) r->operations, r->total_ns_mean,
               r->search_ns_mean, r->search_ns_p99, r->search_ns_max,
               r->insert_ns_mean, r->traversals_mean,
               (unsigned long long) r->traversals_max, r->memory_peak,
               r->memory_idle);
    }
    free(sorted);
}
