/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One domain with entries of its own, for tests of single properties.
 */

#ifndef TEST_MQ_FIXTURE_H
#define TEST_MQ_FIXTURE_H

#include "mq_test.h"

/** Context of all entries. */
#define MQ_FIXTURE_CONTEXT 7

typedef struct mq_fixture_t {
    mca_mq_base_domain_t domain;
    mca_mq_stats_t stats;
    mca_mq_entry_t *entry; /**< of all that were ever queued */
    size_t used;
    size_t capacity;
    mca_mq_envelope_t making;
} mq_fixture_t;

/**
 * Open the framework and make a counting domain.
 *
 * @param[in] component  as in `--mca mq`; whatever serves then is taken
 * @param[in] size       ranks
 * @param[in] entries    that can be queued, all together
 */
mq_fixture_t *mq_fixture_new(const char *component, uint32_t size,
                             size_t entries);

/** Forget what is queued, close the framework. */
void mq_fixture_free(mq_fixture_t *f);

/** Post a receive that matches nothing; returns it. */
mca_mq_entry_t *mq_fixture_post(mq_fixture_t *f, int32_t source, int32_t tag);

/** Let a message arrive that matches nothing; returns it. */
mca_mq_entry_t *mq_fixture_arrive(mq_fixture_t *f, int32_t source, int32_t tag);

/** Insert entry i, which is not queued, without a search. */
void mq_fixture_insert(mq_fixture_t *f, mca_mq_queue_t queue, size_t i,
                       int32_t source, int32_t tag);

/** What a message matches among the receives, or a receive among the messages;
 * it leaves the queue; or NULL. */
mca_mq_entry_t *mq_fixture_match(mq_fixture_t *f, mca_mq_queue_t queue,
                                 int32_t source, int32_t tag);

static inline mca_mq_entry_t *mq_fixture_match_posted(mq_fixture_t *f,
                                                      int32_t source,
                                                      int32_t tag)
{
    return mq_fixture_match(f, MCA_MQ_POSTED, source, tag);
}

static inline mca_mq_entry_t *mq_fixture_match_unexpected(mq_fixture_t *f,
                                                          int32_t source,
                                                          int32_t tag)
{
    return mq_fixture_match(f, MCA_MQ_UNEXPECTED, source, tag);
}

/** What a receive matches, which stays; or NULL. */
mca_mq_entry_t *mq_fixture_probe(mq_fixture_t *f, int32_t source, int32_t tag);

/** The module's footprint. */
size_t mq_fixture_bytes(const mq_fixture_t *f);

#endif /* TEST_MQ_FIXTURE_H */
