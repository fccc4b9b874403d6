/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/match/backlog.h"

#include "ompi/mca/pml/champion/core/chores.h"
#include "ompi/mca/pml/champion/core/events.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"

#define BACKLOG mca_pml_champion_backlog

/* Matching's own memory is measured anew whenever the pool of messages has
 * grown by 1/STEPS of the limit. */
enum { STEPS = 64 };

mca_pml_champion_backlog_t mca_pml_champion_backlog;

/* What is known of the memory that matching uses. */
static struct {
    size_t bytes;  /* at the last query; part of BACKLOG.other */
    size_t mapped; /* by the pool at the last query */
    size_t step;   /* growth of the pool that triggers another query */
    size_t mark;   /* what the memory has to exceed for the next event */
} matching;

/* The memory of the pool at which matching's is queried again: when the pool
 * has grown, or the memory may deserve an event. */
static size_t next_query(void)
{
    size_t at = matching.mapped + matching.step;

    if (SIZE_MAX == BACKLOG.limit) {
        return SIZE_MAX;
    }
    if (MCA_MQ_OMPI_EVENTS && BACKLOG.other < matching.mark &&
        matching.mark - BACKLOG.other < at) {
        at = matching.mark - BACKLOG.other + 1;
    }
    return at;
}

/* Events for each doubling: a tool wants to know of what is rare. */
static void tell_maximum(void)
{
    const size_t bytes = mca_pml_champion_backlog_bytes_max();

    if (bytes <= matching.mark) {
        return;
    }
    while (bytes / 2 > matching.mark) {
        matching.mark *= 2;
    }
    mca_pml_champion_event(MCA_PML_CHAMPION_EVENT_WAITING_MAX, bytes,
                           matching.mark, BACKLOG.limit);
    matching.mark *= 2;
}

void mca_pml_champion_backlog_open(
    size_t limit, void (*exceeded)(mca_pml_champion_peer_t *peer),
    void (*room)(mca_pml_champion_peer_t *peer))
{
    matching.bytes = 0;
    matching.mapped = 0;
    matching.step = limit / STEPS;
    if (matching.step < OPAL_SIZE_POOL_SLAB) {
        matching.step = OPAL_SIZE_POOL_SLAB;
    }
    matching.mark = OPAL_SIZE_POOL_SLAB;
    BACKLOG = (mca_pml_champion_backlog_t){
        .limit = limit,
        .exceeded = exceeded,
        .room = room,
    };
    BACKLOG.ask_at = next_query();
}

static size_t matching_memory(void)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < mca_pml_champion.num_comms; ++i) {
        const mca_pml_champion_comm_t *comm = mca_pml_champion_comm_at(i);

        if (NULL != comm) {
            const mca_mq_base_module_t *module = comm->domain->module;

            bytes += module->mq_footprint(module);
            if (mca_mq_base_is_process_scope()) {
                break; /* all communicators share it */
            }
        }
    }
    return bytes;
}

static unsigned query(void);

static mca_pml_champion_chore_t chore = {.step = query, .polls = true};

/* Query matching's memory and check the limit. */
static unsigned query(void)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_chore_set(&chore, false);
    BACKLOG.other -= matching.bytes;
    matching.bytes = matching_memory();
    BACKLOG.other += matching.bytes;
    matching.mapped = mca_pml_champion.pool.mapped;
    tell_maximum();
    BACKLOG.ask_at = next_query();
    if (0 != BACKLOG.stopped) {
        BACKLOG.room(NULL);
    }
    return 0;
}

void mca_pml_champion_backlog_ask(void)
{
    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_chore_set(&chore, true);
}

void mca_pml_champion_backlog_exceeded(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (mca_pml_champion.pool.mapped + matching.step < matching.mapped) {
        mca_pml_champion_backlog_ask(); /* it needs less by now: query it
                                             first */
    } else {
        BACKLOG.exceeded(peer);
    }
}

void mca_pml_champion_backlog_shrunk(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (mca_pml_champion.pool.mapped != matching.mapped) {
        mca_pml_champion_backlog_ask();
    }
    BACKLOG.room(peer);
}
