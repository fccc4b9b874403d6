/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What was recorded for a profile, and its text.
 */

#ifndef OMPI_MCA_MQ_BASE_RECORD_PROFILE_PRINT_H
#define OMPI_MCA_MQ_BASE_RECORD_PROFILE_PRINT_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "opal/class/opal_flat_hash.h"

#include "ompi/mca/mq/base/record/profile_course.h"
#include "ompi/mca/mq/mq.h"

/** What was added to a queue, or is in it. */
typedef struct mca_mq_base_level_t {
    uint64_t added;
    uint64_t length;
    uint64_t length_max;
} mca_mq_base_level_t;

/** Internal messages, those of collective operations and of Open MPI itself,
 * are counted apart from the user's. */
enum { MCA_MQ_BASE_USER, MCA_MQ_BASE_INTERNAL, MCA_MQ_BASE_KINDS };

/** Messages from one process, in all communicators. */
typedef struct mca_mq_base_sender_t {
    uint32_t world_rank; /**< or MCA_MQ_BASE_OTHER_JOB */
    uint64_t messages[MCA_MQ_BASE_KINDS];
    uint64_t bytes[MCA_MQ_BASE_KINDS];
} mca_mq_base_sender_t;

#define MCA_MQ_BASE_OTHER_JOB UINT32_MAX

typedef struct mca_mq_base_counted_peer_t {
    mca_mq_base_level_t queue[MCA_MQ_QUEUES];
    uint64_t traversed;
    uint32_t source;
    /** Who that is; NULL: not known yet, or depends on the context. */
    mca_mq_base_sender_t *sender;
} mca_mq_base_counted_peer_t;

/** Searches of a queue. */
typedef struct mca_mq_base_searches_t {
    uint64_t hits, misses;
    uint64_t traversed_hit, traversed_miss;
} mca_mq_base_searches_t;

/** A queue, as far as it is the user's, or internal. */
typedef struct mca_mq_base_share_t {
    mca_mq_base_level_t level;
    mca_mq_base_searches_t searches;
} mca_mq_base_share_t;

#define MCA_MQ_BASE_SIZE_CLASSES 5
#define MCA_MQ_BASE_NAME_MAX 256

/** A domain, or several that came one after the other. */
typedef struct mca_mq_base_record_t {
    struct mca_mq_base_record_t *next;
    const mca_mq_domain_info_t *info; /**< NULL: it is gone */
    uint32_t context;
    uint32_t size;
    const char *component;
    char name[MCA_MQ_BASE_NAME_MAX];
    mca_mq_base_share_t queue[MCA_MQ_QUEUES][MCA_MQ_BASE_KINDS];
    mca_mq_base_searches_t probes; /**< the user's */
    uint64_t messages, bytes;
    uint64_t size_class[MCA_MQ_BASE_SIZE_CLASSES];
    mca_mq_base_counted_peer_t any; /**< receives from any source */
    opal_flat_hash_t peers; /**< of mca_mq_base_counted_peer_t, by source */
} mca_mq_base_record_t;

/** All of it. */
typedef struct mca_mq_base_recorded_t {
    mca_mq_base_profile_course_t *course; /**< is brought up to date */
    const opal_flat_hash_t *senders; /**< of mca_mq_base_sender_t, by rank */
    mca_mq_base_record_t **records;  /**< NULL: memory ran out */
    size_t count;
    bool has_sizes; /**< messages' sizes are known */
} mca_mq_base_recorded_t;

/** Print the line `rank` and what follows. Sorts the records. Returns false if
 * memory ran out. */
bool mca_mq_base_profile_print(const mca_mq_base_recorded_t *recorded,
                               FILE *to);

#endif /* OMPI_MCA_MQ_BASE_RECORD_PROFILE_PRINT_H */
