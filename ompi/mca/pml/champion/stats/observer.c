/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/stats/observer.h"

#include <stdlib.h>

#include "ompi/mca/mq/base/domain/observe.h"
#include "ompi/mca/mq/base/kit/count.h"

#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/match/message.h"

typedef mca_pml_champion_comm_counters_t figures_t;

static mca_mq_queue_stats_t *queue_of(figures_t *figures, int queue,
                                      const mca_mq_envelope_t *envelope)
{
    const bool internal = mca_mq_base_is_internal(envelope);

    if (MCA_MQ_POSTED == queue) {
        return internal ? &figures->internal_posted : &figures->posted;
    }
    return internal ? &figures->internal_unexpected : &figures->unexpected;
}

/* Payload of the user's unexpected messages: that of this entry. */
static uint64_t bytes_of(int queue, const mca_mq_entry_t *entry)
{
    return MCA_MQ_POSTED == queue || mca_mq_base_is_internal(&entry->envelope)
               ? 0
               : ((const mca_pml_champion_message_t *) entry)->length;
}

static void count_added(figures_t *figures, int queue,
                        const mca_mq_entry_t *entry)
{
    mca_mq_base_count_insert(queue_of(figures, queue, &entry->envelope));
    figures->unexpected_bytes += bytes_of(queue, entry);
    if (figures->unexpected_bytes > figures->unexpected_bytes_max) {
        figures->unexpected_bytes_max = figures->unexpected_bytes;
    }
}

static void count_removed(figures_t *figures, int queue,
                          const mca_mq_entry_t *entry)
{
    mca_mq_base_count_remove(queue_of(figures, queue, &entry->envelope));
    figures->unexpected_bytes -= bytes_of(queue, entry);
}

static void count_message(figures_t *figures,
                          const mca_pml_champion_comm_t *comm,
                          const mca_mq_envelope_t *envelope, size_t length)
{
    if (mca_mq_base_is_internal(envelope)) {
        ++figures->internal_messages;
        figures->internal_bytes += length;
        return;
    }
    ++figures->messages;
    figures->bytes += length;
    if (length > figures->bytes_max) {
        figures->bytes_max = length;
    }
    ++figures->size_class[mca_mq_base_size_class(length)];
    figures->self += envelope->source == comm->header.source &&
                     !OMPI_COMM_IS_INTER(comm->comm);
}

static void count_receive(figures_t *figures, const mca_mq_envelope_t *envelope)
{
    bool any_source = MCA_MQ_ANY_SOURCE == envelope->source;

    if (mca_mq_base_is_internal(envelope)) {
        return;
    }
    if (MCA_MQ_ANY_TAG == envelope->tag) {
        ++*(any_source ? &figures->recv_any : &figures->recv_any_tag);
    } else {
        ++*(any_source ? &figures->recv_any_source : &figures->recv_exact);
    }
}

static void count_search(figures_t *figures, int queue,
                         const mca_mq_base_event_t *event)
{
    if (mca_mq_base_is_probe(event)) {
        ++*(NULL != event->found ? &figures->probe_hits
                                 : &figures->probe_misses);
        figures->probe_traversed += event->traversed;
    } else {
        mca_mq_base_count_search(queue_of(figures, queue, &event->envelope),
                                 event->found, event->traversed);
    }
}

static void count_event(void *state, const mca_mq_base_event_t *event)
{
    const mca_mq_base_effect_t *effect = &mca_mq_base_effects[event->operation];
    mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm_find(event->envelope.context);

    (void) state;
    MCA_PML_CHAMPION_LOCKED();
    if (NULL == comm || NULL == comm->figures ||
        mca_mq_base_is_nothing(event)) {
        return; /* being deleted, or not counted */
    }
    if (MCA_MQ_BASE_ARRIVE == event->operation) {
        count_message(comm->figures, comm, &event->envelope,
                      *(const size_t *) event->arg);
    } else if (MCA_MQ_BASE_POST == event->operation) {
        count_receive(comm->figures, &event->envelope);
    }
    if (effect->searches) {
        count_search(comm->figures, effect->from, event);
    }
    if (effect->removes && NULL != event->found) {
        count_removed(comm->figures, effect->from, event->found);
    }
    if (NULL != event->queued) {
        count_added(comm->figures, effect->to, event->queued);
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

static int make_figures(mca_pml_champion_comm_t *comm)
{
    comm->figures = calloc(1, sizeof(*comm->figures));
    return NULL == comm->figures ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
}

int mca_pml_champion_observer_open(mca_pml_champion_comm_t *comm)
{
    return mca_pml_champion.params.stats ? make_figures(comm) : OMPI_SUCCESS;
}

/* Count an entry that was already queued when counting began. */
static void was_posted(mca_mq_entry_t *entry, void *arg)
{
    mca_pml_champion_comm_t *comm = arg;

    if (entry->envelope.context == comm->context) {
        count_added(comm->figures, MCA_MQ_POSTED, entry);
    }
}

static void was_unexpected(mca_mq_entry_t *entry, void *arg)
{
    mca_pml_champion_comm_t *comm = arg;

    if (entry->envelope.context == comm->context) {
        count_added(comm->figures, MCA_MQ_UNEXPECTED, entry);
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
        rc = make_figures(comm);
    }
    if (OMPI_SUCCESS == rc) {
        module = comm->domain->module;
        module->mq_each(module, MCA_MQ_POSTED, was_posted, comm);
        module->mq_each(module, MCA_MQ_UNEXPECTED, was_unexpected, comm);
    }
    return rc;
}
