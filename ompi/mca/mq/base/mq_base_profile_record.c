/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The observer that counts what goes into the queues, by domain and peer. An
 * operation costs one or two look-ups in a hash table; a peer's counters are
 * allocated when it is first met.
 */

#include "ompi_config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "opal/class/opal_flat_hash.h"

#include "opal/constants.h"
#include "ompi/constants.h"
#include "ompi/mca/mq/base/mq_base_observe.h"
#include "ompi/mca/mq/base/mq_base_private.h"
#include "ompi/mca/mq/base/mq_base_profile.h"

/* What was added to a queue, or is in it. */
typedef struct level_t {
    uint64_t added;
    uint64_t length;
    uint64_t length_max;
} level_t;

typedef struct peer_t {
    level_t queue[MCA_MQ_QUEUES];
    uint64_t traversed;
    uint32_t source;
} peer_t;

/* A domain, or several that came one after the other. */
typedef struct record_t {
    struct record_t *next;
    const mca_mq_domain_info_t *info; /* NULL: it is gone */
    uint32_t context;
    uint32_t size;
    const char *component;
    level_t queue[MCA_MQ_QUEUES];
    uint64_t searches[MCA_MQ_QUEUES];
    uint64_t traversed[MCA_MQ_QUEUES];
    peer_t any;             /* receives from any source */
    opal_flat_hash_t peers; /* of peer_t, by source */
} record_t;

static record_t *records;

static peer_t *peer_get(record_t *record, int32_t source)
{
    peer_t *peer;

    if (MCA_MQ_ANY_SOURCE == source) {
        return &record->any;
    }
    peer = opal_flat_hash_get(&record->peers, (uint32_t) source);
    if (OPAL_LIKELY(NULL != peer)) {
        return peer;
    }
    peer = calloc(1, sizeof(*peer));
    if (NULL == peer) {
        return NULL;
    }
    peer->source = (uint32_t) source;
    if (OPAL_SUCCESS !=
        opal_flat_hash_put(&record->peers, (uint32_t) source, peer)) {
        free(peer);
        return NULL;
    }
    return peer;
}

static void added(level_t *level)
{
    ++level->added;
    if (++level->length > level->length_max) {
        level->length_max = level->length;
    }
}

/* A peer whose counters had no memory at first may have been added less. */
static void removed(level_t *level)
{
    level->length -= level->length > 0;
}

static void count_added(record_t *record, mca_mq_queue_t queue, peer_t *peer)
{
    added(&record->queue[queue]);
    if (NULL != peer) {
        added(&peer->queue[queue]);
    }
}

static void count_removed(record_t *record, mca_mq_queue_t queue,
                          const mca_mq_entry_t *entry)
{
    peer_t *peer = peer_get(record, entry->envelope.source);

    removed(&record->queue[queue]);
    if (NULL != peer) {
        removed(&peer->queue[queue]);
    }
}

/* Which queue an operation searches or removes from, which it adds to; -1:
 * none. */
static const struct {
    int8_t from;
    int8_t to;
    bool searches;
    bool removes;
} meaning[MCA_MQ_BASE_OPERATIONS] = {
    [MCA_MQ_BASE_ARRIVE] = {MCA_MQ_POSTED, MCA_MQ_UNEXPECTED, true, true},
    [MCA_MQ_BASE_POST] = {MCA_MQ_UNEXPECTED, MCA_MQ_POSTED, true, true},
    [MCA_MQ_BASE_MATCH_POSTED] = {MCA_MQ_POSTED, -1, true, true},
    [MCA_MQ_BASE_MATCH_UNEXPECTED] = {MCA_MQ_UNEXPECTED, -1, true, true},
    [MCA_MQ_BASE_PROBE] = {MCA_MQ_UNEXPECTED, -1, true, false},
    [MCA_MQ_BASE_INSERT_POSTED] = {-1, MCA_MQ_POSTED, false, false},
    [MCA_MQ_BASE_INSERT_UNEXPECTED] = {-1, MCA_MQ_UNEXPECTED, false, false},
    [MCA_MQ_BASE_WITHDRAW_POSTED] = {MCA_MQ_POSTED, -1, false, true},
    [MCA_MQ_BASE_WITHDRAW_UNEXPECTED] = {MCA_MQ_UNEXPECTED, -1, false, true},
};

static void profile_event(void *state, const mca_mq_base_event_t *event)
{
    record_t *record = state;
    int from = meaning[event->operation].from;
    int to = meaning[event->operation].to;
    peer_t *peer = peer_get(record, event->envelope.source);

    if (meaning[event->operation].searches) {
        ++record->searches[from];
        record->traversed[from] += event->traversed;
        if (NULL != peer) {
            peer->traversed += event->traversed;
        }
    }
    if (NULL != event->found && meaning[event->operation].removes) {
        count_removed(record, (mca_mq_queue_t) from, event->found);
    }
    if (NULL != event->queued) {
        count_added(record, (mca_mq_queue_t) to, peer);
    }
}

static void *profile_begin(const mca_mq_domain_info_t *info)
{
    record_t *record = calloc(1, sizeof(*record));

    if (NULL == record) {
        return NULL; /* the profile has nothing about this one then */
    }
    record->info = info;
    record->context = info->context;
    record->next = records;
    records = record;
    return record;
}

/* The domain's size may have grown, its component may have changed. */
static void bring_up_to_date(record_t *record)
{
    if (NULL != record->info) {
        record->size = record->info->size;
        record->component = mca_mq_base_domain_name(record->info->domain);
    }
}

static void add_level(level_t *sum, const level_t *level)
{
    sum->added += level->added;
    if (level->length_max > sum->length_max) {
        sum->length_max = level->length_max;
    }
}

static void add_peer(peer_t *sum, const peer_t *peer)
{
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        add_level(&sum->queue[queue], &peer->queue[queue]);
    }
    sum->traversed += peer->traversed;
}

static void record_free(record_t *record)
{
    size_t cursor = 0;
    peer_t *peer;

    while (NULL !=
           (peer = opal_flat_hash_next(&record->peers, &cursor, NULL))) {
        free(peer);
    }
    opal_flat_hash_fini(&record->peers);
    free(record);
}

/* Add the figures of one that is gone; gives that one up. */
static void absorb(record_t *record, record_t *gone)
{
    size_t cursor = 0;
    peer_t *peer, *sum;

    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        add_level(&record->queue[queue], &gone->queue[queue]);
        record->searches[queue] += gone->searches[queue];
        record->traversed[queue] += gone->traversed[queue];
    }
    add_peer(&record->any, &gone->any);
    while (NULL != (peer = opal_flat_hash_next(&gone->peers, &cursor, NULL))) {
        sum = peer_get(record, (int32_t) peer->source);
        if (NULL != sum) {
            add_peer(sum, peer);
        }
    }
    record_free(gone);
}

/* Merge into one record those of its context and size that are gone. */
static void absorb_all(record_t *record)
{
    record_t **at = &records, *other;

    while (NULL != (other = *at)) {
        if (other != record && NULL == other->info &&
            other->context == record->context && other->size == record->size) {
            *at = other->next;
            absorb(record, other);
        } else {
            at = &other->next;
        }
    }
}

static void profile_end(void *state)
{
    record_t *record = state;

    bring_up_to_date(record);
    record->info = NULL;
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        record->queue[queue].length = 0;
    }
    absorb_all(record);
}

static const mca_mq_base_observer_t observer = {
    .begin = profile_begin,
    .event = profile_event,
    .end = profile_end,
};

void mca_mq_base_profile_forget(void)
{
    record_t *record;

    while (NULL != (record = records)) {
        records = record->next;
        record_free(record);
    }
}

void mca_mq_base_profile_record(void)
{
    mca_mq_base_profile_forget();
    mca_mq_base_observer_remove(&observer);
    mca_mq_base_observer_add(&observer);
}

void mca_mq_base_profile_stop(void)
{
    mca_mq_base_observer_remove(&observer);
}

static int by_source(const void *left, const void *right)
{
    uint32_t l = (*(peer_t *const *) left)->source;
    uint32_t r = (*(peer_t *const *) right)->source;

    return (l > r) - (l < r);
}

static int by_context(const void *left, const void *right)
{
    const record_t *l = *(record_t *const *) left;
    const record_t *r = *(record_t *const *) right;

    return l->context != r->context
               ? (l->context > r->context) - (l->context < r->context)
               : (l->size > r->size) - (l->size < r->size);
}

static void print_peer(const peer_t *peer, FILE *to)
{
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

static bool print_peers(const record_t *record, FILE *to)
{
    size_t count = 0, cursor = 0;
    peer_t **peers = malloc((record->peers.count + 1) * sizeof(*peers));

    if (NULL == peers) {
        return false;
    }
    while (NULL != (peers[count] =
                        opal_flat_hash_next(&record->peers, &cursor, NULL))) {
        ++count;
    }
    qsort(peers, count, sizeof(*peers), by_source);
    for (size_t i = 0; i < count; ++i) {
        print_peer(peers[i], to);
    }
    free(peers);
    return true;
}

static void print_queue(const record_t *record, const char *name,
                        mca_mq_queue_t queue, FILE *to)
{
    const level_t *level = &record->queue[queue];

    fprintf(to, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", name,
            level->added, record->searches[queue], record->traversed[queue],
            level->length_max);
}

static bool print_record(const record_t *record, FILE *to)
{
    const level_t *any = &record->any.queue[MCA_MQ_POSTED];

    fprintf(to, "domain %" PRIu32 " %" PRIu32 " %s\n", record->context,
            record->size, record->component);
    print_queue(record, "posted", MCA_MQ_POSTED, to);
    print_queue(record, "unexpected", MCA_MQ_UNEXPECTED, to);
    fprintf(to, "any %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", any->added,
            any->length_max, record->any.traversed);
    return print_peers(record, to);
}

/* All records in order; one that is in use takes in those that are gone. */
static record_t **sorted(size_t *count)
{
    record_t **all, *record;

    *count = 0;
    for (record = records; NULL != record; record = record->next) {
        if (NULL != record->info) {
            bring_up_to_date(record);
            absorb_all(record);
        }
        ++*count;
    }
    all = malloc((*count + 1) * sizeof(*all));
    if (NULL != all) {
        *count = 0;
        for (record = records; NULL != record; record = record->next) {
            all[(*count)++] = record;
        }
        qsort(all, *count, sizeof(*all), by_context);
    }
    return all;
}

static bool print(FILE *to)
{
    size_t count;
    record_t **all = sorted(&count);
    bool good = NULL != all;

    fprintf(to, "rank %" PRIu32 "\n", mca_mq_base_job.rank);
    for (size_t i = 0; good && i < count; ++i) {
        good = print_record(all[i], to);
    }
    free(all);
    return good;
}

char *mca_mq_base_profile_text(size_t *length)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, length);
    bool good;

    if (NULL == to) {
        return NULL;
    }
    good = print(to);
    good = 0 == ferror(to) && good;
    if (0 != fclose(to) || !good) {
        free(text);
        return NULL;
    }
    return text;
}
