/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The observer that counts what is queued, per domain and peer, and where
 * messages come from. An operation costs one or two hash look-ups and one
 * reading of the clock; a peer's counters are allocated at its first operation.
 */

#include "ompi_config.h"

#include <stdlib.h>
#include <string.h>

#include "opal/constants.h"
#include "opal/prefetch.h"
#include "ompi/constants.h"
#include "ompi/mca/mq/base/domain/observe.h"
#include "ompi/mca/mq/base/kit/count.h"
#include "ompi/mca/mq/base/record/profile.h"
#include "ompi/mca/mq/base/record/profile_course.h"
#include "ompi/mca/mq/base/record/profile_print.h"

typedef mca_mq_base_level_t level_t;
typedef mca_mq_base_sender_t sender_t;
typedef mca_mq_base_counted_peer_t peer_t;
typedef mca_mq_queue_stats_t stats_t;
typedef mca_mq_base_share_t share_t;
typedef mca_mq_base_asked_t asked_t;
typedef mca_mq_base_record_t record_t;

static record_t *records;
static opal_flat_hash_t senders; /* sender_t, by rank */
static mca_mq_base_profile_course_t course;
static const mca_mq_base_profile_teller_t *teller;

static int kind_of(const mca_mq_envelope_t *envelope)
{
    return mca_mq_base_is_internal(envelope) ? MCA_MQ_BASE_INTERNAL
                                             : MCA_MQ_BASE_USER;
}

/* Get an element of a table, which begins with its key; made, and otherwise
 * zero, if it is new. NULL if out of memory. */
static void *element_get(opal_flat_hash_t *table, uint32_t key, size_t size)
{
    uint32_t *element = opal_flat_hash_get(table, key);

    if (OPAL_LIKELY(NULL != element)) {
        return element;
    }
    element = calloc(1, size);
    if (NULL == element) {
        return NULL;
    }
    *element = key;
    if (OPAL_SUCCESS != opal_flat_hash_put(table, key, element)) {
        free(element);
        return NULL;
    }
    return element;
}

static peer_t *peer_get(record_t *record, int32_t source)
{
    return MCA_MQ_ANY_SOURCE == source
               ? &record->any
               : element_get(&record->peers, (uint32_t) source, sizeof(peer_t));
}

static void added(level_t *level)
{
    ++level->added;
    if (++level->length > level->length_max) {
        level->length_max = level->length;
    }
}

/* If the peer's counters could not be allocated at first, an entry may not have
 * been counted. */
static void removed(level_t *level)
{
    level->length -= level->length > 0;
}

static void count_added(record_t *record, mca_mq_queue_t queue,
                        const mca_mq_envelope_t *envelope, peer_t *peer)
{
    share_t *share = &record->queue[queue][kind_of(envelope)];

    ++share->added;
    mca_mq_base_count_insert(&share->stats);
    if (NULL != peer) {
        added(&peer->queue[queue]);
    }
    mca_mq_base_profile_course_grown(&course, queue);
}

static void count_removed(record_t *record, mca_mq_queue_t queue,
                          const mca_mq_entry_t *entry)
{
    peer_t *peer = peer_get(record, entry->envelope.source);

    mca_mq_base_count_remove(
        &record->queue[queue][kind_of(&entry->envelope)].stats);
    if (NULL != peer) {
        removed(&peer->queue[queue]);
    }
    --course.length[queue];
}

static void count_asked(asked_t *asked, const mca_mq_envelope_t *envelope)
{
    ++asked->count;
    asked->any_source += MCA_MQ_ANY_SOURCE == envelope->source;
    asked->any_tag += MCA_MQ_ANY_TAG == envelope->tag;
}

/* ---- Messages ---- */

static sender_t *sender_of(const record_t *record, peer_t *peer,
                           const mca_mq_envelope_t *envelope)
{
    sender_t *sender = NULL == peer ? NULL : peer->sender;
    int32_t world_rank;

    if (OPAL_LIKELY(NULL != sender)) {
        return sender;
    }
    world_rank = teller->world_rank(envelope->context, envelope->source);
    sender = element_get(&senders,
                         world_rank < 0 ? MCA_MQ_BASE_OTHER_JOB
                                        : (uint32_t) world_rank,
                         sizeof(*sender));
    if (NULL != peer && MCA_MQ_MANY_CONTEXTS != record->context) {
        peer->sender = sender;
    }
    return sender;
}

static void count_message(record_t *record, peer_t *peer,
                          const mca_mq_base_event_t *event)
{
    uint64_t length = teller->length(event->arg);
    sender_t *sender = sender_of(record, peer, &event->envelope);
    int kind = kind_of(&event->envelope);

    mca_mq_base_profile_course_arrived(&course, MCA_MQ_BASE_INTERNAL == kind,
                                       length);
    if (NULL != sender) {
        ++sender->messages[kind];
        sender->bytes[kind] += length;
    }
    if (MCA_MQ_BASE_USER == kind) {
        ++record->messages;
        record->bytes += length;
        ++record->size_class[mca_mq_base_size_class(length)];
    }
}

/* ---- Operations ---- */

static stats_t *searched(record_t *record, const mca_mq_base_event_t *event)
{
    int queue = mca_mq_base_effects[event->operation].from;

    return mca_mq_base_is_probe(event)
               ? &record->probes
               : &record->queue[queue][kind_of(&event->envelope)].stats;
}

/* A receive that is posted, or a probe of the user that found a message. */
static void count_wildcards(record_t *record, const mca_mq_base_event_t *event)
{
    if (MCA_MQ_BASE_POST == event->operation) {
        count_asked(&record->receives[kind_of(&event->envelope)],
                    &event->envelope);
    } else if (NULL != event->found && mca_mq_base_is_probe(event)) {
        count_asked(&record->probed, &event->envelope);
    }
}

static void profile_event(void *state, const mca_mq_base_event_t *event)
{
    record_t *record = state;
    const mca_mq_base_effect_t *effect = &mca_mq_base_effects[event->operation];
    peer_t *peer = peer_get(record, event->envelope.source);

    if (mca_mq_base_is_nothing(event)) {
        return;
    }
    mca_mq_base_profile_course_reach(&course, mca_mq_base_profile_now());
    if (MCA_MQ_BASE_ARRIVE == event->operation && NULL != teller) {
        count_message(record, peer, event);
    }
    count_wildcards(record, event);
    if (effect->searches) {
        mca_mq_base_count_search(searched(record, event), event->found,
                                 event->traversed);
        if (NULL != peer) {
            peer->traversed += event->traversed;
        }
    }
    if (NULL != event->found && effect->removes) {
        count_removed(record, effect->from, event->found);
    }
    if (NULL != event->queued) {
        count_added(record, effect->to, &event->envelope, peer);
    }
}

static void *profile_begin(const mca_mq_domain_info_t *info)
{
    record_t *record = calloc(1, sizeof(*record));

    if (NULL == record) {
        return NULL; /* the profile will lack this domain */
    }
    record->info = info;
    record->context = info->context;
    record->next = records;
    records = record;
    return record;
}

/* The size and component of a domain may have changed. */
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

static void add_stats(stats_t *sum, const stats_t *stats)
{
    sum->hits += stats->hits;
    sum->misses += stats->misses;
    sum->traversed_hit += stats->traversed_hit;
    sum->traversed_miss += stats->traversed_miss;
    if (stats->length_max > sum->length_max) {
        sum->length_max = stats->length_max;
    }
}

static void add_asked(asked_t *sum, const asked_t *asked)
{
    sum->count += asked->count;
    sum->any_source += asked->any_source;
    sum->any_tag += asked->any_tag;
}

static void add_shares(record_t *sum, const record_t *record)
{
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        for (int kind = 0; kind < MCA_MQ_BASE_KINDS; ++kind) {
            sum->queue[queue][kind].added += record->queue[queue][kind].added;
            add_stats(&sum->queue[queue][kind].stats,
                      &record->queue[queue][kind].stats);
        }
    }
    for (int kind = 0; kind < MCA_MQ_BASE_KINDS; ++kind) {
        add_asked(&sum->receives[kind], &record->receives[kind]);
    }
    add_stats(&sum->probes, &record->probes);
    add_asked(&sum->probed, &record->probed);
}

static void add_messages(record_t *sum, const record_t *record)
{
    sum->messages += record->messages;
    sum->bytes += record->bytes;
    for (int i = 0; i < MCA_MQ_BASE_SIZE_CLASSES; ++i) {
        sum->size_class[i] += record->size_class[i];
    }
}

/* Free a table with its values. */
static void table_free(opal_flat_hash_t *table)
{
    size_t cursor = 0;
    void *value;

    while (NULL != (value = opal_flat_hash_next(table, &cursor, NULL))) {
        free(value);
    }
    opal_flat_hash_fini(table);
}

static void record_free(record_t *record)
{
    table_free(&record->peers);
    free(record);
}

static void merge_name(char *name, const char *other)
{
    if ('\0' != *other && 0 != strcmp(name, other)) {
        snprintf(name, MCA_MQ_BASE_NAME_MAX, "%s",
                 '\0' == *name ? other : "(several)");
    }
}

/* Add the counts of a freed domain's record, and free that record. */
static void absorb(record_t *record, record_t *gone)
{
    size_t cursor = 0;
    peer_t *peer, *sum;

    add_shares(record, gone);
    add_messages(record, gone);
    merge_name(record->name, gone->name);
    add_peer(&record->any, &gone->any);
    while (NULL != (peer = opal_flat_hash_next(&gone->peers, &cursor, NULL))) {
        sum = peer_get(record, (int32_t) peer->source);
        if (NULL != sum) {
            add_peer(sum, peer);
        }
    }
    record_free(gone);
}

/* Merge the records of freed domains with this context and size into one. */
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
    mca_mq_base_profile_course_reach(&course, mca_mq_base_profile_now());
    for (int queue = 0; queue < MCA_MQ_QUEUES; ++queue) {
        for (int kind = 0; kind < MCA_MQ_BASE_KINDS; ++kind) {
            stats_t *stats = &record->queue[queue][kind].stats;

            course.length[queue] -= stats->length;
            stats->length = 0;
        }
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
    table_free(&senders);
}

void mca_mq_base_profile_tell(const mca_mq_base_profile_teller_t *new)
{
    teller = new;
}

void mca_mq_base_profile_name(uint32_t context, const char *name)
{
    for (record_t *record = records; NULL != record; record = record->next) {
        if (NULL != record->info && context == record->context &&
            MCA_MQ_MANY_CONTEXTS != context) {
            snprintf(record->name, sizeof(record->name), "%s", name);
        }
    }
}

void mca_mq_base_profile_record(void)
{
    mca_mq_base_profile_forget();
    mca_mq_base_profile_course_begin(&course, mca_mq_base_profile_now());
    mca_mq_base_observer_remove(&observer);
    mca_mq_base_observer_add(&observer);
}

void mca_mq_base_profile_stop(void)
{
    mca_mq_base_observer_remove(&observer);
}

/* All records, after merging those of freed domains. */
static record_t **collected(size_t *count)
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
    }
    return all;
}

static bool print(FILE *to)
{
    mca_mq_base_recorded_t recorded = {
        .course = &course,
        .senders = &senders,
        .has_sizes = NULL != teller,
    };
    bool good;

    recorded.records = collected(&recorded.count);
    good = mca_mq_base_profile_print(&recorded, to);
    free(recorded.records);
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
