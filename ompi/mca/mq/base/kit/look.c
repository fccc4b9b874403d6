/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <string.h>

#include "ompi/mca/mq/base/kit/look.h"

/* The finalizer of splitmix64. Ranks and tags are often consecutive; a weaker
 * hash would spread them more evenly than the correction below assumes. */
static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

void mca_mq_base_look_begin(mca_mq_base_looking_t *looking)
{
    memset(looking, 0, sizeof(*looking));
}

/* Count an entry in a bucket. Returns the increase of the square. */
static uint64_t count(uint32_t *bucket)
{
    return 2 * (uint64_t) (*bucket)++ + 1;
}

void mca_mq_base_look_add(mca_mq_base_looking_t *looking,
                          const mca_mq_envelope_t *envelope)
{
    uint64_t source = mix((uint32_t) envelope->source);
    uint64_t tag =
        (uint64_t) envelope->context << 32 | (uint32_t) envelope->tag;

    ++looking->length;
    looking->wild += MCA_MQ_ANY_SOURCE == envelope->source ||
                     MCA_MQ_ANY_TAG == envelope->tag;
    looking->source_squares +=
        count(&looking->sources[source % MCA_MQ_BASE_LOOK_BUCKETS]);
    looking->envelope_squares += count(
        &looking->envelopes[mix(source ^ tag) % MCA_MQ_BASE_LOOK_BUCKETS]);
}

/* Mean size of an entry's class, from classes hashed into buckets. If S is the
 * sum of the squares of the classes' sizes, the expected sum for the buckets is
 * S + (length^2 - S) / BUCKETS. */
static double alike(uint64_t squares, double length)
{
    const double buckets = MCA_MQ_BASE_LOOK_BUCKETS;
    double mean = ((double) squares - length * length / buckets) /
                  (1 - 1 / buckets) / length;

    return mean < 1 ? 1 : mean;
}

void mca_mq_base_look_end(const mca_mq_base_looking_t *looking,
                          mca_mq_base_look_t *look)
{
    double length = (double) looking->length;

    *look = (mca_mq_base_look_t){.length = length};
    if (0 != looking->length) {
        look->lane = alike(looking->source_squares, length);
        look->same = alike(looking->envelope_squares, length);
        look->wild = (double) looking->wild / length;
    }
}

static void add(mca_mq_entry_t *entry, void *arg)
{
    mca_mq_base_look_add(arg, &entry->envelope);
}

void mca_mq_base_look(mca_mq_base_module_t *module, mca_mq_base_look_t *look)
{
    mca_mq_base_looking_t looking;
    mca_mq_base_look_t other;

    mca_mq_base_look_begin(&looking);
    module->mq_each(module, MCA_MQ_POSTED, add, &looking);
    mca_mq_base_look_end(&looking, look);
    mca_mq_base_look_begin(&looking);
    module->mq_each(module, MCA_MQ_UNEXPECTED, add, &looking);
    mca_mq_base_look_end(&looking, &other);
    if (other.length > look->length) {
        *look = other;
    }
}
