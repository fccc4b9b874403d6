/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/shm/ring_in.h"

#include "ompi/mca/pml/champion/core/board.h"
#include "ompi/mca/pml/champion/core/segment.h"
#include "ompi/mca/pml/champion/peer/peer.h"

#define RINGS mca_pml_champion_rings

/* The process at that place writes to this one: find out which it is. */
static bool from_meet(mca_pml_champion_ring_from_t *from, uint32_t place)
{
    opal_process_name_t name = {.jobid = mca_pml_champion.my_jobid};
    const mca_pml_champion_entry_t *entry =
        mca_pml_champion_board_at(place, &name.vpid);
    mca_pml_champion_peer_t *peer =
        NULL == entry || name.vpid >= mca_pml_champion.job_size
            ? NULL
            : mca_pml_champion_peer_find(&name);

    if (NULL == peer) {
        return false;
    }
    from->peer = peer;
    from->pair = mca_pml_champion_area_pair(RINGS.area, &RINGS.shape, place);
    from->area = mca_pml_champion_board_area_of(entry);
    from->pid = entry->pid;
    from->mark_at = entry->mark_at;
    if (OPAL_UNLIKELY(peer->flow.stopped)) {
        __atomic_store_n(&from->pair->stop, true, __ATOMIC_RELAXED);
    }
    peer->ring.from = from;
    return true;
}

void mca_pml_champion_ring_find_fragments(mca_pml_champion_ring_from_t *from)
{
    from->fragments = mca_pml_champion_area_fragments(from->area, &RINGS.shape);
    if (0 == RINGS.shape.slots) {
        /* On large nodes there are too many senders. */
        mca_pml_champion_segment_touch(
            from->fragments,
            RINGS.shape.fragments * sizeof(mca_pml_champion_ring_fragment_t));
    }
}

void mca_pml_champion_ring_try_to_read(mca_pml_champion_ring_from_t *from)
{
    from->can_be_read = mca_pml_champion_ring_can_read(
        from->pid, from->mark_at, mca_pml_champion_board_mark());
    __atomic_store_n(&from->pair->reads, from->can_be_read, __ATOMIC_RELAXED);
}

mca_pml_champion_ring_from_t *mca_pml_champion_ring_from(uint32_t place)
{
    mca_pml_champion_ring_from_t *from;

    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(place >= RINGS.shape.places)) {
        return NULL;
    }
    from = RINGS.from + place;
    return OPAL_LIKELY(NULL != from->peer) || from_meet(from, place) ? from
                                                                     : NULL;
}

/* Poll the ring of that place. False if there is none. */
static bool meet(uint32_t place)
{
    mca_pml_champion_ring_from_t *from =
        0 == RINGS.shape.slots ? mca_pml_champion_ring_from(place) : NULL;

    if (NULL == from) {
        return false;
    }
    mca_pml_champion_ring_reader_init(
        &RINGS.in_end->reader, mca_pml_champion_area_ring(RINGS.area, place),
        MCA_PML_CHAMPION_RING_SLOTS);
    RINGS.in_end->peer = from->peer;
    RINGS.in_end->from = from;
    ++RINGS.in_end;
    ++mca_pml_champion.counters.ring_opened;
    return true;
}

void mca_pml_champion_rings_meet(void)
{
    uint64_t news =
        __atomic_load_n(&RINGS.inbox->opened, __ATOMIC_ACQUIRE) & ~RINGS.opened;

    MCA_PML_CHAMPION_LOCKED();
    RINGS.opened |= news;
    for (; 0 != news; news &= news - 1) {
        if (!meet((uint32_t) __builtin_ctzll(news))) {
            mca_pml_champion_rings_broken(NULL);
            return;
        }
    }
}

void mca_pml_champion_ring_record_time(mca_pml_champion_ring_from_t *from,
                                       size_t length,
                                       mca_pml_champion_way_t way,
                                       uint64_t since)
{
    mca_pml_champion_way_times_t *times = &from->times;
    const uint32_t advice = times->advice;

    mca_pml_champion_way_record_time(times, length, way,
                                     mca_pml_champion_now() - since);
    if (advice != times->advice) {
        __atomic_store_n(&from->pair->advice, times->advice, __ATOMIC_RELAXED);
    }
}

void mca_pml_champion_ring_set_stop(const mca_pml_champion_peer_t *peer,
                                    bool stop)
{
    MCA_PML_CHAMPION_LOCKED();
    if (NULL != peer->ring.from) {
        __atomic_store_n(&peer->ring.from->pair->stop, stop, __ATOMIC_RELAXED);
    }
}
