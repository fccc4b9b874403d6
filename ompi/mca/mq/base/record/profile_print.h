/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The recorded data of a profile, and their output as text.
 */

#ifndef OMPI_MCA_MQ_BASE_RECORD_PROFILE_PRINT_H
#define OMPI_MCA_MQ_BASE_RECORD_PROFILE_PRINT_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "opal/class/opal_flat_hash.h"

#include "ompi/mca/mq/base/domain/observe.h"
#include "ompi/mca/mq/base/record/profile_course.h"

/** Number of entries in a queue. */
typedef struct mca_mq_base_level_t {
    uint64_t added;
    uint64_t length;
    uint64_t length_max;
} mca_mq_base_level_t;

/** Messages of the user and internal ones (of collective operations and of Open
 * MPI itself) are counted separately. */
enum { MCA_MQ_BASE_USER, MCA_MQ_BASE_INTERNAL, MCA_MQ_BASE_KINDS };

/** Messages from one process, in all communicators. */
typedef struct mca_mq_base_sender_t {
    uint32_t world_rank; /**< its key: first; or MCA_MQ_BASE_OTHER_JOB */
    uint64_t messages[MCA_MQ_BASE_KINDS];
    uint64_t bytes[MCA_MQ_BASE_KINDS];
} mca_mq_base_sender_t;

#define MCA_MQ_BASE_OTHER_JOB UINT32_MAX

typedef struct mca_mq_base_counted_peer_t {
    uint32_t source; /**< its key: first */
    mca_mq_base_level_t queue[MCA_MQ_QUEUES];
    uint64_t traversed;
    /** The process; NULL: not known yet, or different for each context. */
    mca_mq_base_sender_t *sender;
} mca_mq_base_counted_peer_t;

/** Receives that were posted, or probes that found a message, and how many of
 * them had a wildcard. */
typedef struct mca_mq_base_asked_t {
    uint64_t count;
    uint64_t any_source, any_tag;
} mca_mq_base_asked_t;

/** The user's or the internal share of a queue. */
typedef struct mca_mq_base_share_t {
    uint64_t added;
    mca_mq_queue_stats_t stats;
} mca_mq_base_share_t;

#define MCA_MQ_BASE_NAME_MAX 256

/** A domain, or several successive ones. */
typedef struct mca_mq_base_record_t {
    struct mca_mq_base_record_t *next;
    const mca_mq_domain_info_t *info; /**< NULL: the domain was freed */
    uint32_t context;
    uint32_t size;
    const char *component;
    char name[MCA_MQ_BASE_NAME_MAX];
    mca_mq_base_share_t queue[MCA_MQ_QUEUES][MCA_MQ_BASE_KINDS];
    mca_mq_base_asked_t receives[MCA_MQ_BASE_KINDS];
    mca_mq_queue_stats_t probes; /**< searches of probes by the user */
    mca_mq_base_asked_t probed;  /**< those that found a message */
    uint64_t messages, bytes;
    uint64_t size_class[MCA_MQ_BASE_SIZE_CLASSES];
    mca_mq_base_counted_peer_t any; /**< receives from any source */
    opal_flat_hash_t peers; /**< mca_mq_base_counted_peer_t, by source */
} mca_mq_base_record_t;

/** Everything recorded. The elements of the tables begin with their keys. */
typedef struct mca_mq_base_recorded_t {
    mca_mq_base_profile_course_t *course; /**< advanced to the present by
                                               printing */
    const opal_flat_hash_t *senders;      /**< mca_mq_base_sender_t, by rank */
    mca_mq_base_record_t **records;       /**< NULL: out of memory */
    size_t count;
    bool has_sizes; /**< sizes of messages are known */
} mca_mq_base_recorded_t;

/** Print a text as one word: characters that a word cannot have become %XX. */
void mca_mq_base_profile_print_word(const char *text, FILE *to);

/** Print the line `rank` and what follows. Sorts the records. Returns false if
 * out of memory. */
bool mca_mq_base_profile_print(const mca_mq_base_recorded_t *recorded,
                               FILE *to);

#endif /* OMPI_MCA_MQ_BASE_RECORD_PROFILE_PRINT_H */
