/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Events of MPI_T: a tool is called when something rare has happened, and
 * learns when, and of which peer or communicator. Open MPI has them from 6.0
 * on; before, everything here is compiled out.
 *
 * They happen under the lock, often inside UCX's progress or in the progress
 * thread, where a tool's callback, which may call MPI, cannot be called. So an
 * event is queued with the time at which it happened, and the program's next
 * progress call raises it, without the lock, as it completes requests:
 *
 *     it happens -> wanted? -> queue -> champion.due -> raise -> callbacks
 *                      no: nothing        (progress/thread.c)
 *
 * If the queue is full, an event counts as dropped with each handle. No event is
 * queued once MPI_Finalize has begun.
 */

#ifndef MCA_PML_CHAMPION_CORE_EVENTS_H
#define MCA_PML_CHAMPION_CORE_EVENTS_H

#include "ompi/mca/pml/champion/core/champion.h"

#if MCA_MQ_OMPI_EVENTS
#include "opal/mca/base/mca_base_event.h"
#endif

#pragma GCC visibility push(hidden)

/** Kinds of events; core/events.c has a line for each. */
typedef enum mca_pml_champion_event_t {
    MCA_PML_CHAMPION_EVENT_STOPPED,
    MCA_PML_CHAMPION_EVENT_RELEASED,
    MCA_PML_CHAMPION_EVENT_HELD_UP,
    MCA_PML_CHAMPION_EVENT_LET_GO,
    MCA_PML_CHAMPION_EVENT_WAITING_MAX,
    MCA_PML_CHAMPION_EVENT_THREAD_STARTED,
    MCA_PML_CHAMPION_EVENT_THREAD_ENDED,
    MCA_PML_CHAMPION_EVENT_PREFETCH_LATE,
    MCA_PML_CHAMPION_EVENT_MIGRATED,
    MCA_PML_CHAMPION_EVENTS
} mca_pml_champion_event_t;

enum { MCA_PML_CHAMPION_EVENT_WORDS = 3, MCA_PML_CHAMPION_EVENT_NAMES = 2 };

/** The contents of an event; its line tells the parts that it has, and their
 * meaning. */
typedef struct mca_pml_champion_event_data_t {
    unsigned long long word[MCA_PML_CHAMPION_EVENT_WORDS];
    /** Components of mq, as the enumeration counts them. */
    int component[MCA_PML_CHAMPION_EVENT_NAMES];
} mca_pml_champion_event_data_t;

#if MCA_MQ_OMPI_EVENTS

/** Open MPI's events; NULL: not registered. */
extern mca_base_event_t *mca_pml_champion_events[MCA_PML_CHAMPION_EVENTS];

/** Is a callback or a handler of dropped events registered for this? */
static inline bool mca_pml_champion_event_is_wanted(
    mca_pml_champion_event_t event)
{
    const mca_base_event_t *type = mca_pml_champion_events[event];

    return OPAL_UNLIKELY(NULL != type && mca_base_event_active(type));
}

/** Queue an event that is wanted. Lock held. */
void mca_pml_champion_event_queue(mca_pml_champion_event_t event,
                                  const mca_pml_champion_event_data_t *data);

/** Raise all queued events, unless a call of this function is doing so. It
 * calls functions of the program. Without the lock, outside UCX. */
void mca_pml_champion_events_raise(void);

/** No event is queued any more; raise the queued ones. Without the lock. */
void mca_pml_champion_events_end(void);

/** An event of a component of mq: where the enumeration has it. */
int mca_pml_champion_event_component(const mca_mq_base_component_t *component);

#else

static inline bool mca_pml_champion_event_is_wanted(
    mca_pml_champion_event_t event)
{
    (void) event;
    return false;
}

static inline void mca_pml_champion_event_queue(
    mca_pml_champion_event_t event, const mca_pml_champion_event_data_t *data)
{
    (void) event;
    (void) data;
}

static inline void mca_pml_champion_events_raise(void)
{
}

static inline void mca_pml_champion_events_end(void)
{
}

static inline int mca_pml_champion_event_component(
    const mca_mq_base_component_t *component)
{
    (void) component;
    return 0;
}

#endif /* MCA_MQ_OMPI_EVENTS */

/** Queue an event with up to three numbers, if it is wanted. Lock held. */
static inline void mca_pml_champion_event(mca_pml_champion_event_t event,
                                          unsigned long long first,
                                          unsigned long long second,
                                          unsigned long long third)
{
    MCA_PML_CHAMPION_LOCKED();
    if (mca_pml_champion_event_is_wanted(event)) {
        const mca_pml_champion_event_data_t data = {
            .word = {first, second, third},
        };

        mca_pml_champion_event_queue(event, &data);
    }
}

/** The same of a peer: its rank in the MPI_COMM_WORLD of its job, and whether
 * that is another job, precede the number. Lock held. */
static inline void mca_pml_champion_event_of_peer(
    mca_pml_champion_event_t event, const opal_process_name_t *peer,
    unsigned long long number)
{
    mca_pml_champion_event(event, peer->vpid,
                           peer->jobid != mca_pml_champion.my_jobid, number);
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_EVENTS_H */
