/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For components that distribute the sources over lanes, each with a queue of
 * receives and one of messages: a lane per source, per partner, per cluster.
 *
 *     lane         0        1        2    ...
 *     posted       list     list     list        exact source
 *     unexpected   list     list     list
 *
 *     any_posted       oldest -> ... -> newest   receives from any source
 *     all_unexpected   oldest -> ... -> newest   every message as well
 *
 * A message searches its lane's list of receives, and any_posted up to the
 * order number found there; the smaller order number wins. A receive from one
 * source searches its lane's list, and one from any source all_unexpected,
 * where the oldest match comes first. That costs two more words written per
 * unexpected message, and saves receives from any source a search of every
 * lane.
 *
 *     search      O(entries of the lane + receives from any source);
 *                 from any source: O(unexpected messages)
 *     insertion   O(1)
 *     removal     O(1)
 *     memory      32 bytes per lane; lanes that come zeroed from the system
 *                 are touched only when used
 *
 * A component's source file defines MQ_NAME and MQ_MODULE as for
 * base/kit/template.h, which this file includes. Its module has a member
 * `lanes`. The component provides the functions footprint and destroy (this
 * file provides each), and one primitive:
 *
 *     mca_mq_base_lane_t *kmeans_lane(MQ_MODULE *m, uint32_t source);
 *         The lane of a source, which never changes. static inline.
 */

#include "opal/prefetch.h"

#include "ompi/mca/mq/base/kit/fifo.h"

#ifndef OMPI_MCA_MQ_BASE_KIT_LANES_H
#define OMPI_MCA_MQ_BASE_KIT_LANES_H

/** All zero: nothing is queued. */
typedef struct mca_mq_base_lane_t {
    mca_mq_base_fifo_t posted;
    mca_mq_base_fifo_t unexpected;
} mca_mq_base_lane_t;

/** Member of the module, which must not move. */
typedef struct mca_mq_base_lanes_t {
    mca_mq_base_fifo_t any_posted;
    mca_mq_base_fifo_t all_unexpected; /**< in plane B */
    mca_mq_base_lane_t *lane;          /**< array of count lanes, owned by the
                                            component */
    uint32_t count;
} mca_mq_base_lanes_t;

/** Use an array of zeroed lanes. */
static inline void mca_mq_base_lanes_init(mca_mq_base_lanes_t *lanes,
                                          mca_mq_base_lane_t *lane,
                                          uint32_t count)
{
    mca_mq_base_fifo_init(&lanes->any_posted);
    mca_mq_base_fifo_init(&lanes->all_unexpected);
    lanes->lane = lane;
    lanes->count = count;
}

#endif /* OMPI_MCA_MQ_BASE_KIT_LANES_H */

#ifdef MQ_NAME

#define MQ_LANES_CAT_(a, b) a##_##b
#define MQ_LANES_CAT(a, b) MQ_LANES_CAT_(a, b)
#define MQ_LANES_DO(verb) MQ_LANES_CAT(MQ_NAME, verb)

#define MQ_PLACE mca_mq_base_lane_t *
#define MQ_PLANE_LANE MCA_MQ_BASE_PLANE_A
#define MQ_PLANE_ALL MCA_MQ_BASE_PLANE_B

/* The lane of an envelope; NULL for any source. */
static inline mca_mq_base_lane_t *MQ_LANES_DO(locate)(
    MQ_MODULE *m, const mca_mq_envelope_t *envelope)
{
    return MCA_MQ_ANY_SOURCE == envelope->source
               ? NULL
               : MQ_LANES_DO(lane)(m, (uint32_t) envelope->source);
}

static inline mca_mq_entry_t *MQ_LANES_DO(find_posted)(
    MQ_MODULE *m, mca_mq_base_lane_t *lane, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    mca_mq_entry_t *exact;

    exact = mca_mq_base_fifo_find_receive(&lane->posted, envelope, traversed,
                                          MQ_PLANE_LANE);
    if (OPAL_LIKELY(mca_mq_base_fifo_is_empty(&m->lanes.any_posted))) {
        return exact;
    }
    return mca_mq_base_fifo_older_match(&m->lanes.any_posted, MCA_MQ_POSTED,
                                        envelope, exact, traversed,
                                        MQ_PLANE_LANE);
}

static inline mca_mq_entry_t *MQ_LANES_DO(find_unexpected)(
    MQ_MODULE *m, mca_mq_base_lane_t *lane, const mca_mq_envelope_t *envelope,
    uint64_t *traversed)
{
    if (NULL == lane) {
        return mca_mq_base_fifo_find_message(&m->lanes.all_unexpected, envelope,
                                             traversed, MQ_PLANE_ALL);
    }
    return mca_mq_base_fifo_find_message(&lane->unexpected, envelope, traversed,
                                         MQ_PLANE_LANE);
}

static inline void MQ_LANES_DO(add_posted)(MQ_MODULE *m,
                                           mca_mq_base_lane_t *lane,
                                           mca_mq_entry_t *entry)
{
    if (NULL == lane) {
        mca_mq_base_fifo_append(&m->lanes.any_posted, entry, MQ_PLANE_LANE);
    } else {
        mca_mq_base_fifo_ready(&lane->posted);
        mca_mq_base_fifo_append(&lane->posted, entry, MQ_PLANE_LANE);
    }
}

static inline void MQ_LANES_DO(add_unexpected)(MQ_MODULE *m,
                                               mca_mq_base_lane_t *lane,
                                               mca_mq_entry_t *entry)
{
    mca_mq_base_fifo_ready(&lane->unexpected);
    mca_mq_base_fifo_append(&lane->unexpected, entry, MQ_PLANE_LANE);
    mca_mq_base_fifo_append(&m->lanes.all_unexpected, entry, MQ_PLANE_ALL);
}

static inline void MQ_LANES_DO(remove_posted)(MQ_MODULE *m,
                                              mca_mq_entry_t *entry)
{
    mca_mq_base_lane_t *lane = MQ_LANES_DO(locate)(m, &entry->envelope);

    mca_mq_base_fifo_remove(NULL == lane ? &m->lanes.any_posted : &lane->posted,
                            entry, MQ_PLANE_LANE);
}

static inline void MQ_LANES_DO(remove_unexpected)(MQ_MODULE *m,
                                                  mca_mq_entry_t *entry)
{
    mca_mq_base_lane_t *lane = MQ_LANES_DO(locate)(m, &entry->envelope);

    mca_mq_base_fifo_remove(&lane->unexpected, entry, MQ_PLANE_LANE);
    mca_mq_base_fifo_remove(&m->lanes.all_unexpected, entry, MQ_PLANE_ALL);
}

static void MQ_LANES_DO(each)(mca_mq_base_module_t *module,
                              mca_mq_queue_t queue, mca_mq_visit_fn_t visit,
                              void *arg)
{
    const mca_mq_base_lanes_t *lanes = &((MQ_MODULE *) module)->lanes;

    if (MCA_MQ_UNEXPECTED == queue) {
        mca_mq_base_fifo_each(&lanes->all_unexpected, visit, arg, MQ_PLANE_ALL);
        return;
    }
    mca_mq_base_fifo_each(&lanes->any_posted, visit, arg, MQ_PLANE_LANE);
    for (uint32_t i = 0; i < lanes->count; ++i) {
        mca_mq_base_fifo_each(&lanes->lane[i].posted, visit, arg,
                              MQ_PLANE_LANE);
    }
}

#include "ompi/mca/mq/base/kit/template.h"

#endif /* MQ_NAME */
