/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ompi/mca/mq/base/param/own.h"
#include "ompi/mca/mq/base/record/profile_print.h"

typedef mca_mq_base_level_t level_t;
typedef mca_mq_base_sender_t sender_t;
typedef mca_mq_base_counted_peer_t peer_t;
typedef mca_mq_queue_stats_t stats_t;
typedef mca_mq_base_share_t share_t;
typedef mca_mq_base_record_t record_t;

static int by_key(const void *left, const void *right)
{
    uint32_t l = **(uint32_t *const *) left;
    uint32_t r = **(uint32_t *const *) right;

    return (l > r) - (l < r);
}

/* Print the elements of a table in ascending order of their keys. */
static bool print_table(const opal_flat_hash_t *table,
                        void (*print)(const void *element, FILE *to), FILE *to)
{
    size_t count = 0, cursor = 0;
    void **all = malloc((table->count + 1) * sizeof(*all));

    if (NULL == all) {
        return false;
    }
    while (NULL != (all[count] = opal_flat_hash_next(table, &cursor, NULL))) {
        ++count;
    }
    qsort(all, count, sizeof(*all), by_key);
    for (size_t i = 0; i < count; ++i) {
        print(all[i], to);
    }
    free(all);
    return true;
}

static int by_context(const void *left, const void *right)
{
    const record_t *l = *(record_t *const *) left;
    const record_t *r = *(record_t *const *) right;

    return l->context != r->context
               ? (l->context > r->context) - (l->context < r->context)
               : (l->size > r->size) - (l->size < r->size);
}

static void print_peer(const void *element, FILE *to)
{
    const peer_t *peer = element;
    const level_t *posted = &peer->queue[MCA_MQ_POSTED];
    const level_t *unexpected = &peer->queue[MCA_MQ_UNEXPECTED];

    if (0 == posted->added && 0 == unexpected->added && 0 == peer->traversed) {
        return;
    }
    fprintf(to,
            "peer %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
            " %" PRIu64 "\n",
            peer->source, posted->added, unexpected->added, posted->length_max,
            unexpected->length_max, peer->traversed);
}

static void print_share(const share_t *share, const char *name, FILE *to)
{
    const stats_t *stats = &share->stats;

    fprintf(to,
            "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
            " %" PRIu64 "\n",
            name, share->added, stats->hits, stats->misses,
            stats->traversed_hit, stats->traversed_miss, stats->length_max);
}

void mca_mq_base_profile_print_word(const char *text, FILE *to)
{
    const unsigned char *at = (const unsigned char *) text;

    for (; '\0' != *at; ++at) {
        if (*at <= ' ' || '%' == *at || 0x7f == *at) {
            fprintf(to, "%%%02X", *at);
        } else {
            fputc(*at, to);
        }
    }
}

static void print_name(const char *name, FILE *to)
{
    if ('\0' == *name) {
        return;
    }
    fputs("name ", to);
    mca_mq_base_profile_print_word(name, to);
    fputc('\n', to);
}

static void print_sizes(const record_t *record, FILE *to)
{
    fprintf(to, "sizes %" PRIu64 " %" PRIu64, record->messages, record->bytes);
    for (int i = 0; i < MCA_MQ_BASE_SIZE_CLASSES; ++i) {
        fprintf(to, " %" PRIu64, record->size_class[i]);
    }
    fputc('\n', to);
}

static void print_shares(const record_t *record, FILE *to)
{
    static const char *const names[MCA_MQ_QUEUES][MCA_MQ_BASE_KINDS] = {
        [MCA_MQ_POSTED] = {"posted", "internal_posted"},
        [MCA_MQ_UNEXPECTED] = {"unexpected", "internal_unexpected"},
    };

    for (int kind = 0; kind < MCA_MQ_BASE_KINDS; ++kind) {
        for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
            print_share(&record->queue[queue][kind], names[queue][kind], to);
        }
    }
}

static void print_receives(const record_t *record, FILE *to)
{
    static const char *const names[MCA_MQ_BASE_KINDS] = {
        [MCA_MQ_BASE_USER] = "receives",
        [MCA_MQ_BASE_INTERNAL] = "internal_receives",
    };

    for (int kind = 0; kind < MCA_MQ_BASE_KINDS; ++kind) {
        const mca_mq_base_asked_t *asked = &record->receives[kind];

        fprintf(to, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", names[kind],
                asked->count, asked->any_source, asked->any_tag);
    }
}

static bool print_record(const record_t *record, bool has_sizes, FILE *to)
{
    const level_t *any = &record->any.queue[MCA_MQ_POSTED];
    const stats_t *probes = &record->probes;

    fprintf(to, "domain %" PRIu32 " %" PRIu32 " %s\n", record->context,
            record->size, record->component);
    print_name(record->name, to);
    print_shares(record, to);
    print_receives(record, to);
    fprintf(to,
            "probes %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
            "\n",
            probes->hits, probes->misses,
            probes->traversed_hit + probes->traversed_miss,
            record->probed.any_source, record->probed.any_tag);
    fprintf(to, "any %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", any->added,
            any->length_max, record->any.traversed);
    if (has_sizes) {
        print_sizes(record, to);
    }
    return print_table(&record->peers, print_peer, to);
}

static void print_sender(const void *element, FILE *to)
{
    const sender_t *sender = element;

    if (MCA_MQ_BASE_OTHER_JOB == sender->world_rank) {
        fputs("from other", to);
    } else {
        fprintf(to, "from %" PRIu32, sender->world_rank);
    }
    for (int kind = 0; kind < MCA_MQ_BASE_KINDS; ++kind) {
        fprintf(to, " %" PRIu64 " %" PRIu64, sender->messages[kind],
                sender->bytes[kind]);
    }
    fputc('\n', to);
}

bool mca_mq_base_profile_print(const mca_mq_base_recorded_t *recorded, FILE *to)
{
    bool good = NULL != recorded->records;

    fprintf(to, "rank %" PRIu32 "\n", mca_mq_base_job.rank);
    mca_mq_base_profile_course_print(recorded->course,
                                     mca_mq_base_profile_now(), to);
    good = print_table(recorded->senders, print_sender, to) && good;
    if (good) {
        qsort(recorded->records, recorded->count, sizeof(recorded->records[0]),
              by_context);
    }
    for (size_t i = 0; good && i < recorded->count; ++i) {
        good = print_record(recorded->records[i], recorded->has_sizes, to);
    }
    return good;
}
