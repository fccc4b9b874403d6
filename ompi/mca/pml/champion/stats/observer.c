/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/stats/observer.h"

#include <stdlib.h>

#include "ompi/mca/mq/base/domain/observe.h"

#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/match/message.h"

typedef mca_pml_champion_comm_counters_t figures_t;
typedef mca_pml_champion_queue_figures_t queue_figures_t;

/* MPI_ANY_TAG is negative, too, but the user's. */
static inline bool is_internal(const mca_mq_envelope_t *envelope)
{
    return envelope->tag < 0 && MCA_MQ_ANY_TAG != envelope->tag;
}

static queue_figures_t *posted_of(figures_t *figures,
                                  const mca_mq_envelope_t *envelope)
{
    return is_internal(envelope) ? &figures->internal_posted : &figures->posted;
}

static queue_figures_t *unexpected_of(figures_t *figures,
                                      const mca_mq_envelope_t *envelope)
{
    return is_internal(envelope) ? &figures->internal_unexpected
                                 : &figures->unexpected;
}

static void count_search(queue_figures_t *queue, bool found, uint64_t traversed)
{
    if (found) {
        ++queue->hits;
        queue->traversed_hit += traversed;
    } else {
        ++queue->misses;
        queue->traversed_miss += traversed;
    }
    if (traversed > queue->traversed_max) {
        queue->traversed_max = traversed;
    }
}

static void count_added(queue_figures_t *queue)
{
    if (++queue->length > queue->length_max) {
        queue->length_max = queue->length;
    }
}

static void unexpected_added(figures_t *figures, const mca_mq_entry_t *entry)
{
    const mca_pml_champion_message_t *message =
        (const mca_pml_champion_message_t *) entry;

    count_added(unexpected_of(figures, &entry->envelope));
    if (!is_internal(&entry->envelope)) {
        figures->unexpected_bytes += message->length;
        if (figures->unexpected_bytes > figures->unexpected_bytes_max) {
            figures->unexpected_bytes_max = figures->unexpected_bytes;
        }
    }
}

static void unexpected_removed(figures_t *figures, const mca_mq_entry_t *entry)
{
    const mca_pml_champion_message_t *message =
        (const mca_pml_champion_message_t *) entry;

    --unexpected_of(figures, &entry->envelope)->length;
    if (!is_internal(&entry->envelope)) {
        figures->unexpected_bytes -= message->length;
    }
}

static unsigned size_class(size_t length)
{
    static const size_t most[] = {64, 1 << 10, 16 << 10, 256 << 10};
    unsigned i = 0;

    while (i < MCA_PML_CHAMPION_SIZE_CLASSES - 1 && length > most[i]) {
        ++i;
    }
    return i;
}

static void count_message(figures_t *figures,
                          const mca_pml_champion_comm_t *comm,
                          const mca_mq_envelope_t *envelope, size_t length)
{
    if (is_internal(envelope)) {
        ++figures->internal_messages;
        figures->internal_bytes += length;
        return;
    }
    ++figures->messages;
    figures->bytes += length;
    if (length > figures->bytes_max) {
        figures->bytes_max = length;
    }
    ++figures->size_class[size_class(length)];
    figures->self += envelope->source == comm->header.source &&
                     !OMPI_COMM_IS_INTER(comm->comm);
}

static void count_receive(figures_t *figures, const mca_mq_envelope_t *envelope)
{
    bool any_source = MCA_MQ_ANY_SOURCE == envelope->source;

    if (is_internal(envelope)) {
        return;
    }
    if (MCA_MQ_ANY_TAG == envelope->tag) {
        ++*(any_source ? &figures->recv_any : &figures->recv_any_tag);
    } else {
        ++*(any_source ? &figures->recv_any_source : &figures->recv_exact);
    }
}

/* A message arrived. If nothing was found or queued, it was dropped, or is
 * incomplete and will arrive again. */
static void count_arrive(mca_pml_champion_comm_t *comm,
                         const mca_mq_base_event_t *event)
{
    figures_t *figures = comm->figures;
    queue_figures_t *posted = posted_of(figures, &event->envelope);

    if (NULL == event->found && NULL == event->queued) {
        return;
    }
    count_message(figures, comm, &event->envelope,
                  *(const size_t *) event->arg);
    count_search(posted, NULL != event->found, event->traversed);
    if (NULL != event->found) {
        --posted->length;
    } else {
        unexpected_added(figures, event->queued);
    }
}

static void count_post(figures_t *figures, const mca_mq_base_event_t *event)
{
    count_receive(figures, &event->envelope);
    count_search(unexpected_of(figures, &event->envelope), NULL != event->found,
                 event->traversed);
    if (NULL != event->found) {
        unexpected_removed(figures, event->found);
    } else {
        count_added(posted_of(figures, &event->envelope));
    }
}

static void count_probe(figures_t *figures, const mca_mq_base_event_t *event)
{
    if (is_internal(&event->envelope)) {
        count_search(&figures->internal_unexpected, NULL != event->found,
                     event->traversed);
    } else {
        ++*(NULL != event->found ? &figures->probe_hits
                                 : &figures->probe_misses);
        figures->probe_traversed += event->traversed;
    }
}

static void count_event(void *state, const mca_mq_base_event_t *event)
{
    mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm_find(event->envelope.context);

    (void) state;
    MCA_PML_CHAMPION_LOCKED();
    if (NULL == comm || NULL == comm->figures) {
        return; /* being deleted, or not counted */
    }
    switch (event->operation) {
    case MCA_MQ_BASE_ARRIVE:
        count_arrive(comm, event);
        break;
    case MCA_MQ_BASE_POST:
        count_post(comm->figures, event);
        break;
    case MCA_MQ_BASE_PROBE:
        count_probe(comm->figures, event);
        break;
    case MCA_MQ_BASE_MATCH_UNEXPECTED: /* a matched probe */
        count_probe(comm->figures, event);
        if (NULL != event->found) {
            unexpected_removed(comm->figures, event->found);
        }
        break;
    case MCA_MQ_BASE_INSERT_POSTED:
        count_added(posted_of(comm->figures, &event->envelope));
        break;
    case MCA_MQ_BASE_INSERT_UNEXPECTED:
        unexpected_added(comm->figures, event->queued);
        break;
    case MCA_MQ_BASE_WITHDRAW_POSTED:
        --posted_of(comm->figures, &event->envelope)->length;
        break;
    case MCA_MQ_BASE_WITHDRAW_UNEXPECTED:
        unexpected_removed(comm->figures, event->found);
        break;
    default: /* not used here */
        break;
    }
}

/* No state per domain: an operation's communicator is found by its context, as
 * several may share a domain. */
static void *count_observe(const mca_mq_domain_info_t *info)
{
    static char anything;

    (void) info;
    return &anything;
}

static void count_end(void *state)
{
    (void) state;
}

static const mca_mq_base_observer_t observer = {
    .begin = count_observe,
    .event = count_event,
    .end = count_end,
};

/* Counts only in the communicators for which it was requested. */
static const mca_mq_base_observer_t observer_on_demand = {
    .begin = count_observe,
    .event = count_event,
    .end = count_end,
    .on_demand = true,
};

void mca_pml_champion_observer_all(void)
{
    mca_mq_base_observer_add(&observer);
}

int mca_pml_champion_observer_open(mca_pml_champion_comm_t *comm)
{
    if (mca_pml_champion.params.stats) {
        comm->figures = calloc(1, sizeof(*comm->figures));
        return NULL == comm->figures ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
    }
    return OMPI_SUCCESS;
}

/* Count an entry that was already queued when counting began. */
static void was_posted(mca_mq_entry_t *entry, void *arg)
{
    mca_pml_champion_comm_t *comm = arg;

    if (entry->envelope.context == comm->context) {
        count_added(posted_of(comm->figures, &entry->envelope));
    }
}

static void was_unexpected(mca_mq_entry_t *entry, void *arg)
{
    mca_pml_champion_comm_t *comm = arg;

    if (entry->envelope.context == comm->context) {
        unexpected_added(comm->figures, entry);
    }
}

int mca_pml_champion_observer_begin(mca_pml_champion_comm_t *comm)
{
    mca_mq_base_module_t *module;
    int rc;

    MCA_PML_CHAMPION_LOCKED();
    if (NULL != comm->figures) {
        return OMPI_SUCCESS;
    }
    rc = mca_mq_base_domain_observe(comm->domain, &observer_on_demand);
    if (OMPI_SUCCESS == rc) {
        comm->figures = calloc(1, sizeof(*comm->figures));
        rc = NULL == comm->figures ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
    }
    if (OMPI_SUCCESS == rc) {
        module = comm->domain->module;
        module->mq_each(module, MCA_MQ_POSTED, was_posted, comm);
        module->mq_each(module, MCA_MQ_UNEXPECTED, was_unexpected, comm);
    }
    return rc;
}
