/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Statistics as JSON; docs/stats.schema.json describes it.
 */

#include "ompi/mca/pml/champion/stats/stats.h"

#include <inttypes.h>
#include <string.h>

/* Version of the format. */
#define VERSION 1

typedef mca_pml_champion_summary_t summary_t;

int mca_pml_champion_stats_utf8_length(const unsigned char *text)
{
    int length = text[0] < 0x80   ? 1
                 : text[0] < 0xc2 ? 0
                 : text[0] < 0xe0 ? 2
                 : text[0] < 0xf0 ? 3
                 : text[0] < 0xf5 ? 4
                                  : 0;

    for (int i = 1; i < length; ++i) {
        if (0x80 != (text[i] & 0xc0)) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, and values beyond Unicode. */
    if ((0xe0 == text[0] && text[1] < 0xa0) ||
        (0xed == text[0] && text[1] > 0x9f) ||
        (0xf0 == text[0] && text[1] < 0x90) ||
        (0xf4 == text[0] && text[1] > 0x8f)) {
        return 0;
    }
    return length;
}

/* Write a string, or null; communicators' names are the user's and may contain
 * anything. */
static void put_string(FILE *file, const char *string)
{
    const unsigned char *text = (const unsigned char *) string;

    if (NULL == text) {
        fputs("null", file);
        return;
    }
    fputc('"', file);
    while ('\0' != *text) {
        int length = mca_pml_champion_stats_utf8_length(text);

        if (0 == length) {
            fputc('?', file);
            length = 1;
        } else if (*text < 0x20) {
            fprintf(file, "\\u%04x", *text);
        } else {
            if ('"' == *text || '\\' == *text) {
                fputc('\\', file);
            }
            fwrite(text, 1, (size_t) length, file);
        }
        text += length;
    }
    fputc('"', file);
}

/* Describe all counters. */
static void put_table(FILE *file)
{
    static const char *const kinds[] = {
        [MCA_PML_CHAMPION_STAT_COUNT] = "count",
        [MCA_PML_CHAMPION_STAT_MAX] = "max",
        [MCA_PML_CHAMPION_STAT_NOW] = "now",
    };

    fputs("  \"figures\": [\n", file);
    for (size_t i = 0; i < MCA_PML_CHAMPION_STATS; ++i) {
        const mca_pml_champion_stat_t *stat = &mca_pml_champion_stats[i];

        fprintf(file,
                "    {\"group\": \"%s\", \"name\": \"%s\", \"kind\": \"%s\", "
                "\"unit\": \"%s\", \"per\": ",
                stat->group, stat->name, kinds[stat->kind], stat->unit);
        put_string(file, stat->per);
        fprintf(file, ", \"description\": \"%s\"}%s\n", stat->description,
                i + 1 < MCA_PML_CHAMPION_STATS ? "," : "");
    }
    fputs("  ],\n", file);
}

static void put_summary(FILE *file, const mca_pml_champion_stat_t *stat,
                        const summary_t *of, int ranks)
{
    fprintf(file, "\"%s\": {", stat->name);
    if (MCA_PML_CHAMPION_STAT_MAX != stat->kind) {
        fprintf(file, "\"sum\": %" PRIu64 ", ", of->sum);
    }
    fprintf(file,
            "\"min\": %" PRIu64 ", \"min_rank\": %d, \"mean\": %.17g, "
            "\"max\": %" PRIu64 ", \"max_rank\": %d}",
            of->min, of->min_rank,
            mca_pml_champion_ratio(of->sum, (uint64_t) ranks), of->max,
            of->max_rank);
}

/* Write an object with one member per group. */
static void put_groups(FILE *file, const char *indent, const summary_t *of,
                       size_t count, int ranks)
{
    fputs("{\n", file);
    for (size_t i = 0, end; i < count; i = end) {
        end = mca_pml_champion_stats_group_end(i, count);
        fprintf(file, "%s  \"%s\": {\n", indent,
                mca_pml_champion_stats[i].group);
        for (size_t j = i; j < end; ++j) {
            fprintf(file, "%s    ", indent);
            put_summary(file, &mca_pml_champion_stats[j], &of[j], ranks);
            fputs(j + 1 < end ? ",\n" : "\n", file);
        }
        fprintf(file, "%s  }%s\n", indent, end < count ? "," : "");
    }
    fprintf(file, "%s}", indent);
}

/* Write the decision reports, line by line. */
static void put_decisions(FILE *file, const mca_pml_champion_report_t *report)
{
    fputs("  \"decisions\": [", file);
    for (int i = 0; i < report->num_decisions; ++i) {
        const char *text = report->decisions[i].text;
        const char *separator = "";

        fprintf(file, "%s\n    {\"rank\": %d, \"lines\": [", 0 == i ? "" : ",",
                report->decisions[i].rank);
        while ('\0' != *text) {
            char line[MCA_PML_CHAMPION_DECISIONS_LENGTH];
            size_t length = strcspn(text, "\n");

            memcpy(line, text, length);
            line[length] = '\0';
            fputs(separator, file);
            put_string(file, line);
            separator = ", ";
            text += length + ('\n' == text[length]);
        }
        fputs("]}", file);
    }
    fprintf(file, "\n  ],\n  \"decisions_left_out\": %d\n",
            report->more_decisions);
}

/* What was run, with which versions. */
static void put_run(FILE *file, const mca_pml_champion_run_t *run)
{
    const char *separator = "";

    fputs("  \"run\": {\n    \"command\": [", file);
    for (const char *word = mca_pml_champion_run_word(run, NULL); NULL != word;
         word = mca_pml_champion_run_word(run, word)) {
        fputs(separator, file);
        put_string(file, word);
        separator = ", ";
    }
    fprintf(file,
            "],\n    \"seconds\": %.6f,\n    \"open_mpi\": ", run->seconds);
    put_string(file, run->open_mpi);
    fputs(",\n    \"ucx\": ", file);
    put_string(file, run->ucx);
    fprintf(file, ",\n    \"mq\": \"%s\"\n  },\n", run->mq);
}

/* Those of UCX that are in use. */
static void put_transports(FILE *file, const mca_pml_champion_report_t *report)
{
    fputs("  \"transports\": [", file);
    for (int i = 0; i < MCA_PML_CHAMPION_RUN_TRANSPORTS &&
                    '\0' != report->transports[i].name[0];
         ++i) {
        fprintf(file, "%s\n    {\"name\": ", 0 == i ? "" : ",");
        put_string(file, report->transports[i].name);
        fprintf(file, ", \"endpoints\": %" PRIu64 ", \"ranks\": %d}",
                report->transports[i].endpoints, report->transport_ranks[i]);
    }
    fputs("\n  ],\n", file);
}

void mca_pml_champion_stats_json(FILE *file,
                                 const mca_pml_champion_report_t *report)
{
    fprintf(file, "{\n  \"format\": \"champion-stats\",\n  \"version\": %d,\n",
            VERSION);
    fputs("  \"release\": \"" MCA_MQ_RELEASE "\",\n", file);
    fprintf(file, "  \"ranks\": %d,\n  \"ranks_missing\": %d,\n", report->ranks,
            report->ranks - report->counted);
    if (NULL != report->ended) {
        fprintf(file, "  \"ended\": \"%s\",\n", report->ended);
    }
    if (NULL != report->host) {
        fputs("  \"host\": ", file);
        put_string(file, report->host);
        fputs(",\n", file);
    }
    fputs("  \"mq\": ", file);
    put_string(file, report->mq);
    fputs(",\n", file);
    put_run(file, &report->run);
    put_transports(file, report);
    put_table(file);
    fputs("  \"all\": ", file);
    put_groups(file, "  ", report->of, MCA_PML_CHAMPION_STATS, report->counted);
    fputs(",\n  \"communicators\": [\n", file);
    for (int i = 0; i < report->num_comms; ++i) {
        const mca_pml_champion_comm_summary_t *comm = &report->comms[i];

        fputs("    {\"name\": ", file);
        put_string(file, comm->name);
        fputs(", \"mq\": ", file);
        put_string(file, comm->mq);
        fprintf(file, ", \"ranks\": %d, \"of\": ", comm->ranks);
        put_groups(file, "    ", comm->of, MCA_PML_CHAMPION_COMM_STATS,
                   comm->ranks);
        fputs(i + 1 < report->num_comms ? "},\n" : "}\n", file);
    }
    fputs("  ],\n", file);
    put_decisions(file, report);
    fputs("}\n", file);
}
