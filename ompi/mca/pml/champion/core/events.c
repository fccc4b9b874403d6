/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/events.h"

#include "ompi/mca/pml/champion/core/unit.h"

#if MCA_MQ_OMPI_EVENTS

#include <stddef.h>
#include <stdlib.h>

#include "opal/class/opal_list.h"
#include "opal/mca/base/mca_base_var_enum.h"

#include "ompi/mca/pml/champion/core/clock.h"

/* Events that wait to be raised. More come together only if the program makes
 * no progress for long, and the progress thread does. */
enum { MOST = 512 };

typedef mca_pml_champion_event_data_t data_t;

#define WORD(i) offsetof(data_t, word[i])
#define COMPONENT(i) offsetof(data_t, component[i])

#define PEER                                                                   \
    "0: its rank in the MPI_COMM_WORLD of its job; 1: 0 if that is this job, " \
    "else 1; "

/* The elements of an event follow each other in data_t. */
typedef struct line_t {
    const char *name;
    const char *description; /* MPI_T has no texts for elements */
    int words;               /* of MPI_UNSIGNED_LONG_LONG; then come */
    int components;          /* of MPI_INT, which the enumeration names */
} line_t;

static const line_t lines[] = {
    [MCA_PML_CHAMPION_EVENT_STOPPED] =
        {"memory_stopped",
         "This process has told a sender to wait, because unexpected messages "
         "take more than pml_champion_unexpected_limit. " PEER
         "2: bytes that these messages take",
         3, 0},
    [MCA_PML_CHAMPION_EVENT_RELEASED] =
        {"memory_released",
         "This process has told a sender that had to wait to go on. " PEER
         "2: bytes that unexpected messages take",
         3, 0},
    [MCA_PML_CHAMPION_EVENT_HELD_UP] =
        {"memory_held_up",
         "A receiver has told this process to wait: messages to it go by "
         "rendezvous. " PEER "2: how often the receiver has done so",
         3, 0},
    [MCA_PML_CHAMPION_EVENT_LET_GO] =
        {"memory_let_go",
         "A receiver has told this process to go on. " PEER
         "2: how often the receiver had told it to wait",
         3, 0},
    [MCA_PML_CHAMPION_EVENT_WAITING_MAX] =
        {"memory_waiting_max",
         "Unexpected messages take more memory than ever, and more than the "
         "next power of two; only if there is a limit. 0: bytes; 1: that "
         "power; 2: the limit",
         3, 0},
    [MCA_PML_CHAMPION_EVENT_THREAD_STARTED] =
        {"thread_started",
         "The progress thread has started. 0: how many have started in this "
         "process",
         1, 0},
    [MCA_PML_CHAMPION_EVENT_THREAD_ENDED] =
        {"thread_ended",
         "The progress thread has ended. 0: 1 if it was of no use, 0 if it was "
         "switched off",
         1, 0},
    [MCA_PML_CHAMPION_EVENT_PREFETCH_LATE] =
        {"prefetch_late",
         "A prefetched message was not complete when it was received, so that "
         "nothing was saved but time. " PEER "2: bytes",
         3, 0},
    [MCA_PML_CHAMPION_EVENT_MIGRATED] =
        {"matching_migrated",
         "Another component serves a communicator from now on, or all if they "
         "share their queues. 0: the communicator, as MPI_Comm_c2f gives it; "
         "that of MPI_COMM_NULL: all; 1: entries that have moved; 2: the "
         "component before; 3: the one now",
         2, 2},
};

_Static_assert(sizeof(lines) / sizeof(lines[0]) == MCA_PML_CHAMPION_EVENTS,
               "a line for each event");

mca_base_event_t *mca_pml_champion_events[MCA_PML_CHAMPION_EVENTS];

typedef struct queued_t {
    mca_pml_champion_event_t event;
    uint64_t time; /* by core/clock.h */
    data_t data;
} queued_t;

/* A ring of MOST, allocated when the first event is wanted. Protected by the
 * lock. */
static struct {
    queued_t *of;
    unsigned first, count;
    bool raising; /* a call of mca_pml_champion_events_raise is under way */
    bool ended;   /* nothing is queued any more */
} queue;

/* ---- the source --------------------------------------------------------- */

/* When the event happened that this thread is about to raise; 0: it raises
 * none. */
static _Thread_local uint64_t happened_at;

static opal_count_t source_time(void *ctx)
{
    uint64_t time = happened_at;

    (void) ctx;
    happened_at = 0;
    return (opal_count_t) (0 == time ? mca_pml_champion_now() : time);
}

/* ---- components by number ----------------------------------------------- */

/* Their places in the list of open components, which does not change. */
static const mca_base_component_t *component_at(int place)
{
    const mca_base_component_list_item_t *item;

    if (!mca_base_framework_is_open(&ompi_mq_base_framework)) {
        return NULL;
    }
    OPAL_LIST_FOREACH(item, &ompi_mq_base_framework.framework_components,
                      const mca_base_component_list_item_t)
    {
        if (0 == place--) {
            return item->cli_component;
        }
    }
    return NULL;
}

int mca_pml_champion_event_component(const mca_mq_base_component_t *component)
{
    const mca_base_component_t *other;
    int place = 0;

    while (NULL != (other = component_at(place)) &&
           other != &component->mqm_version) {
        ++place;
    }
    return place;
}

static int names_count(mca_base_var_enum_t *self, int *count)
{
    (void) self;
    for (*count = 0; NULL != component_at(*count); ++*count) {
    }
    return OPAL_SUCCESS;
}

static int names_get(mca_base_var_enum_t *self, int index, int *value,
                     const char **name)
{
    const mca_base_component_t *component = component_at(index);

    (void) self;
    if (NULL == component) {
        return OPAL_ERR_VALUE_OUT_OF_BOUNDS;
    }
    if (NULL != value) {
        *value = index;
    }
    if (NULL != name) {
        *name = component->mca_component_name;
    }
    return OPAL_SUCCESS;
}

typedef mca_base_var_enum_t names_t;

static void names_construct(names_t *names)
{
    names->get_count = names_count;
    names->get_value = names_get;
}

static OBJ_CLASS_INSTANCE(names_t, mca_base_var_enum_t, names_construct, NULL);

/* ---- registering -------------------------------------------------------- */

static void register_line(mca_pml_champion_event_t event,
                          mca_base_event_source_t *source,
                          mca_base_var_enum_t *names)
{
    const line_t *line = &lines[event];
    mca_base_var_type_t
        types[MCA_PML_CHAMPION_EVENT_WORDS + MCA_PML_CHAMPION_EVENT_NAMES];
    ptrdiff_t offsets[sizeof(types) / sizeof(types[0])];
    int index, n = 0;

    for (int i = 0; i < line->words; ++i, ++n) {
        types[n] = MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG;
        offsets[n] = (ptrdiff_t) WORD(i);
    }
    for (int i = 0; i < line->components; ++i, ++n) {
        types[n] = MCA_BASE_VAR_TYPE_INT;
        offsets[n] = (ptrdiff_t) COMPONENT(i);
    }
    mca_pml_champion_events[event] = NULL;
    index = mca_base_component_event_register(
        mca_pml_champion.component, line->name, line->description,
        OPAL_INFO_LVL_4, n, types, offsets,
        0 == line->components ? NULL : names, MPI_T_BIND_NO_OBJECT, 0, source,
        NULL);
    if (0 <= index) {
        (void) mca_base_event_get_by_index(index,
                                           &mca_pml_champion_events[event]);
    }
}

/* Without the events, champion is as useful as before. The source is not called
 * ordered: then Open MPI would move the time of an event to that at which a
 * callback has last looked at the source's clock. */
static bool events_register(void)
{
    mca_base_event_source_t *source;
    mca_base_var_enum_t *names;
    int index = mca_base_event_source_register(
        "pml_champion", "Events of pml/champion; CLOCK_MONOTONIC",
        MCA_BASE_EVENT_SOURCE_UNORDERED, 1000000000, OPAL_COUNT_MAX,
        source_time, true, NULL);

    if (0 > index ||
        OPAL_SUCCESS != mca_base_event_source_get_by_index(index, &source)) {
        return true;
    }
    names = OBJ_NEW(names_t);
    if (NULL != names) {
        names->enum_name = strdup("mq_components");
        for (int event = 0; event < MCA_PML_CHAMPION_EVENTS; ++event) {
            register_line((mca_pml_champion_event_t) event, source, names);
        }
        OBJ_RELEASE(names);
    }
    return true;
}

/* ---- the queue ---------------------------------------------------------- */

/* Each handle learns how many it has missed, before its next event or when it
 * is freed. */
static void drop(mca_base_event_t *type)
{
    mca_base_event_registration_t *handle;

    opal_mutex_lock(&mca_base_event_lock);
    OPAL_LIST_FOREACH(handle, &type->registrations,
                      mca_base_event_registration_t)
    {
        (void) opal_atomic_add_fetch_64(&handle->dropped, 1);
    }
    opal_mutex_unlock(&mca_base_event_lock);
}

static bool has_room(void)
{
    if (NULL == queue.of) {
        queue.of = malloc(MOST * sizeof(*queue.of));
    }
    return NULL != queue.of && queue.count < MOST;
}

void mca_pml_champion_event_queue(mca_pml_champion_event_t event,
                                  const data_t *data)
{
    MCA_PML_CHAMPION_LOCKED();
    if (queue.ended) {
        return;
    }
    if (!has_room()) {
        drop(mca_pml_champion_events[event]);
        return;
    }
    queue.of[(queue.first + queue.count) % MOST] = (queued_t){
        .event = event,
        .time = mca_pml_champion_now(),
        .data = *data,
    };
    ++queue.count;
    mca_pml_champion_due(MCA_PML_CHAMPION_DUE_EVENTS);
}

/* Take the oldest one. False: there is none, or another call raises them. */
static bool take(queued_t *queued, bool first)
{
    bool taken;

    mca_pml_champion_lock();
    taken = 0 != queue.count && (!first || !queue.raising);
    if (taken) {
        *queued = queue.of[queue.first];
        queue.first = (queue.first + 1) % MOST;
        --queue.count;
        queue.raising = true;
    } else if (!first) {
        queue.raising = false;
    }
    mca_pml_champion_unlock();
    return taken;
}

void mca_pml_champion_events_raise(void)
{
    queued_t queued;
    bool first = true;

    MCA_PML_CHAMPION_UNLOCKED();
    while (take(&queued, first)) {
        first = false;
        happened_at = queued.time;
        mca_base_event_raise(mca_pml_champion_events[queued.event], NULL,
                             &queued.data);
        happened_at = 0; /* if nobody has asked for it */
    }
}

/* The progress thread may be queueing one. */
void mca_pml_champion_events_end(void)
{
    mca_pml_champion_lock();
    queue.ended = true;
    mca_pml_champion_unlock();
    mca_pml_champion_events_raise();
}

static void events_close(void)
{
    free(queue.of);
    queue.of = NULL;
    queue.count = 0;
    queue.ended = false;
}

MCA_PML_CHAMPION_UNIT(events) = {
    .name = "events", .registers = events_register, .close = events_close};

#else

MCA_PML_CHAMPION_UNIT(events) = {.name = "events"};

#endif /* MCA_MQ_OMPI_EVENTS */
