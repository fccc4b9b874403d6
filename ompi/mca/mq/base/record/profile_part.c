/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank's part of a profile: its domains, peers and counts.
 */

#include "ompi_config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/record/profile_reader.h"

typedef mca_mq_base_profile_domain_t domain_t;
typedef mca_mq_base_profile_peer_t peer_t;
typedef mca_mq_base_reader_t reader_t;

static int no_memory(reader_t *r)
{
    (void) mca_mq_base_reader_wrong(r, "out of memory");
    return OMPI_ERR_OUT_OF_RESOURCE;
}

static bool is_known(const reader_t *r, const domain_t *domain)
{
    const domain_t *other = r->profile->domains;

    while (NULL != other && (other->context != domain->context ||
                             other->any_context != domain->any_context ||
                             other->size != domain->size)) {
        other = other->next;
    }
    return NULL != other;
}

static int read_domain_key(reader_t *r, domain_t *key)
{
    uint64_t context = 0, size = MCA_MQ_BASE_PROFILE_ANY_SIZE;
    int ret = mca_mq_base_reader_expect(r, 3, 4);

    if (OMPI_SUCCESS == ret && !mca_mq_base_reader_is_star(r, 1)) {
        ret = mca_mq_base_reader_number(r, 1, UINT32_MAX, &context);
    }
    if (OMPI_SUCCESS == ret && !mca_mq_base_reader_is_star(r, 2)) {
        ret = mca_mq_base_reader_number(r, 2, UINT32_MAX, &size);
        if (OMPI_SUCCESS == ret && 0 == size) {
            ret = mca_mq_base_reader_wrong(
                r, "a communicator has at least one rank");
        }
    }
    if (OMPI_SUCCESS == ret) {
        key->context = (uint32_t) context;
        key->any_context = mca_mq_base_reader_is_star(r, 1);
        snprintf(key->component, sizeof(key->component), "%s",
                 4 == r->words ? r->word[3] : "");
        key->size = (uint32_t) size;
        if (is_known(r, key)) {
            ret = mca_mq_base_reader_wrong(
                r, "domain %.32s %.32s appears twice", r->word[1], r->word[2]);
        }
    }
    return ret;
}

static int read_domain(reader_t *r)
{
    domain_t key = {.next = NULL};
    int ret = read_domain_key(r, &key);

    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    r->domain = malloc(sizeof(*r->domain));
    if (NULL == r->domain) {
        return no_memory(r);
    }
    *r->domain = key;
    *r->last = r->domain;
    r->last = &r->domain->next;
    r->peers_room = 0;
    return OMPI_SUCCESS;
}

static peer_t *append_peer(reader_t *r)
{
    domain_t *domain = r->domain;
    peer_t *peers;

    if (domain->num_peers == r->peers_room) {
        r->peers_room = 0 == r->peers_room ? 8 : 2 * r->peers_room;
        peers = realloc(domain->peers, r->peers_room * sizeof(*peers));
        if (NULL == peers) {
            return NULL;
        }
        domain->peers = peers;
    }
    return &domain->peers[domain->num_peers++];
}

static int check_peer(reader_t *r, uint64_t source)
{
    const domain_t *domain = r->domain;
    uint32_t last;

    if (MCA_MQ_BASE_PROFILE_ANY_SIZE != domain->size &&
        source >= domain->size) {
        return mca_mq_base_reader_wrong(r,
                                        "peer %" PRIu64
                                        " is not one of a communicator of %u "
                                        "ranks",
                                        source, (unsigned) domain->size);
    }
    if (0 == domain->num_peers) {
        return OMPI_SUCCESS;
    }
    last = domain->peers[domain->num_peers - 1].source;
    if (source == last) {
        return mca_mq_base_reader_wrong(r, "peer %" PRIu64 " appears twice",
                                        source);
    }
    if (source < last) {
        return mca_mq_base_reader_wrong(
            r, "peer %" PRIu64 " is not in ascending order", source);
    }
    return OMPI_SUCCESS;
}

static int read_peer(reader_t *r)
{
    uint64_t value[6] = {0};
    int ret = mca_mq_base_reader_numbers(r, 6, INT32_MAX, value);
    peer_t *peer;

    if (OMPI_SUCCESS == ret) {
        ret = check_peer(r, value[0]);
    }
    if (OMPI_SUCCESS != ret) {
        return ret;
    }
    peer = append_peer(r);
    if (NULL == peer) {
        return no_memory(r);
    }
    *peer = (peer_t){
        .source = (uint32_t) value[0],
        .added = {value[1], value[2]},
        .length_max = {value[3], value[4]},
        .traversed = value[5],
    };
    return OMPI_SUCCESS;
}

/* What lines of counts mean; of some nothing is kept. */
typedef enum { POSTED, UNEXPECTED, RECEIVES, PROBES, UNUSED } meaning_t;

/* Lines of counts: keyword, count of numbers, and whether they belong to a
 * domain. */
static const struct counts_t {
    const char *keyword;
    int numbers;
    bool of_domain;
    meaning_t meaning;
} counts_lines[] = {
    {"posted", 6, true, POSTED},
    {"unexpected", 6, true, UNEXPECTED},
    {"internal_posted", 6, true, POSTED},
    {"internal_unexpected", 6, true, UNEXPECTED},
    {"receives", 3, true, RECEIVES},
    {"internal_receives", 3, true, RECEIVES},
    {"any", 3, true, UNUSED},
    {"probes", 5, true, PROBES},
    {"sizes", 7, true, UNUSED},
    {"elapsed", 1, false, UNUSED},
    {"slice", 8, false, UNUSED},
};

#define COUNTS_LINES ((int) (sizeof(counts_lines) / sizeof(counts_lines[0])))

static const struct counts_t *counts_line(const reader_t *r)
{
    for (int i = 0; i < COUNTS_LINES; ++i) {
        if (mca_mq_base_reader_is(r, counts_lines[i].keyword)) {
            return &counts_lines[i];
        }
    }
    return NULL;
}

static void keep_queue(mca_mq_base_profile_queue_t *queue,
                       const uint64_t *value)
{
    queue->added += value[0];
    queue->searches += value[1] + value[2];
    if (value[5] > queue->length_max) {
        queue->length_max = value[5];
    }
}

static void keep_asked(domain_t *domain, uint64_t count, uint64_t any_source,
                       uint64_t any_tag)
{
    domain->receives += count;
    domain->any_source += any_source;
    domain->any_tag += any_tag;
}

static void keep(domain_t *domain, meaning_t meaning, const uint64_t *value)
{
    switch (meaning) {
    case POSTED:
        keep_queue(&domain->queue[MCA_MQ_POSTED], value);
        break;
    case UNEXPECTED:
        keep_queue(&domain->queue[MCA_MQ_UNEXPECTED], value);
        break;
    case RECEIVES:
        keep_asked(domain, value[0], value[1], value[2]);
        break;
    case PROBES:
        domain->queue[MCA_MQ_UNEXPECTED].searches += value[0] + value[1];
        keep_asked(domain, value[0], value[3], value[4]);
        break;
    case UNUSED:
        break;
    }
}

static int read_counts(reader_t *r, const struct counts_t *line)
{
    uint64_t values[MCA_MQ_BASE_READER_WORDS];
    int ret = mca_mq_base_reader_numbers(r, line->numbers, UINT64_MAX, values);

    if (OMPI_SUCCESS == ret) {
        keep(r->domain, line->meaning, values);
    }
    return ret;
}

/* Messages from a rank of MPI_COMM_WORLD, or from all other jobs. */
static int read_from(reader_t *r)
{
    static char zero[] = "0";
    uint64_t value[5];
    int ret;

    if (1 < r->words && 0 == strcmp("other", r->word[1])) {
        r->word[1] = zero;
    }
    ret = mca_mq_base_reader_numbers(r, 5, UINT32_MAX, value);
    if (OMPI_SUCCESS == ret && 0 != r->size && value[0] >= r->size) {
        ret = mca_mq_base_reader_wrong(
            r, "rank %" PRIu64 " is not one of a job of %" PRIu64 " ranks",
            value[0], r->size);
    }
    return ret;
}

int mca_mq_base_reader_part(reader_t *r)
{
    const struct counts_t *line = counts_line(r);

    if (mca_mq_base_reader_is(r, "domain")) {
        return read_domain(r);
    }
    if (NULL == r->domain && mca_mq_base_reader_is(r, "from")) {
        return read_from(r);
    }
    if (NULL == r->domain && (NULL == line || line->of_domain)) {
        return mca_mq_base_reader_wrong(r,
                                        "\"domain CONTEXT SIZE\" is expected");
    }
    if (NULL != line && line->of_domain == (NULL != r->domain)) {
        return read_counts(r, line);
    }
    if (mca_mq_base_reader_is(r, "peer")) {
        return read_peer(r);
    }
    if (mca_mq_base_reader_is(r, "name")) {
        return mca_mq_base_reader_expect(r, 2, 2);
    }
    return mca_mq_base_reader_wrong(r, "\"%.32s\" is not a line of a profile",
                                    0 < r->words ? r->word[0] : "");
}
