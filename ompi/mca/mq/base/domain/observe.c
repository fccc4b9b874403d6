/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include <assert.h>
#include <stdlib.h>

#include "ompi/constants.h"
#include "ompi/mca/mq/base/domain/inner.h"
#include "ompi/mca/mq/base/domain/observe.h"

struct mca_mq_base_observed_t {
    mca_mq_base_module_t super;
    mca_mq_base_domain_t inner;
    mca_mq_base_domain_t *outer; /* the domain whose module this is */
    mca_mq_stats_t stats;        /* used if the domain has none of its own */
    void *state[MCA_MQ_BASE_OBSERVERS_MAX];
};

typedef struct mca_mq_base_observed_t observed_t;

const mca_mq_base_effect_t mca_mq_base_effects[MCA_MQ_BASE_OPERATIONS] = {
    [MCA_MQ_BASE_ARRIVE] = {MCA_MQ_POSTED, MCA_MQ_UNEXPECTED, true, true,
                            false},
    [MCA_MQ_BASE_POST] = {MCA_MQ_UNEXPECTED, MCA_MQ_POSTED, true, true, true},
    [MCA_MQ_BASE_MATCH_POSTED] = {.from = MCA_MQ_POSTED,
                                  .searches = true,
                                  .removes = true},
    [MCA_MQ_BASE_MATCH_UNEXPECTED] = {.from = MCA_MQ_UNEXPECTED,
                                      .searches = true,
                                      .removes = true,
                                      .receive = true},
    [MCA_MQ_BASE_PROBE] = {.from = MCA_MQ_UNEXPECTED,
                           .searches = true,
                           .receive = true},
    [MCA_MQ_BASE_INSERT_POSTED] = {.to = MCA_MQ_POSTED, .receive = true},
    [MCA_MQ_BASE_INSERT_UNEXPECTED] = {.to = MCA_MQ_UNEXPECTED},
    [MCA_MQ_BASE_WITHDRAW_POSTED] = {.from = MCA_MQ_POSTED,
                                     .removes = true,
                                     .receive = true},
    [MCA_MQ_BASE_WITHDRAW_UNEXPECTED] = {.from = MCA_MQ_UNEXPECTED,
                                         .removes = true},
};

static const mca_mq_base_observer_t *observers[MCA_MQ_BASE_OBSERVERS_MAX];
static int num_observers;

void mca_mq_base_observer_add(const mca_mq_base_observer_t *observer)
{
    assert(num_observers < MCA_MQ_BASE_OBSERVERS_MAX);
    observers[num_observers++] = observer;
}

void mca_mq_base_observer_remove(const mca_mq_base_observer_t *observer)
{
    int kept = 0;

    for (int i = 0; i < num_observers; ++i) {
        if (observers[i] != observer) {
            observers[kept++] = observers[i];
        }
    }
    num_observers = kept;
}

void mca_mq_base_observers_remove(void)
{
    num_observers = 0;
}

static uint64_t traversed(const observed_t *observed)
{
    const mca_mq_stats_t *stats = observed->inner.info.stats;
    uint64_t sum = 0;

    for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
        sum += stats->queue[i].traversed_hit + stats->queue[i].traversed_miss;
    }
    return sum;
}

/* End of an operation: notify the observers. before is the number of entries
 * traversed until it began. */
static void notify(observed_t *observed, mca_mq_base_event_t *event,
                   uint64_t before)
{
    event->traversed = traversed(observed) - before;
    /* The component may have migrated the domain. */
    if (observed->inner.migrations != observed->outer->migrations) {
        mca_mq_base_inner_changed(observed->outer);
    }
    for (int i = 0; i < num_observers; ++i) {
        if (NULL != observed->state[i]) {
            observers[i]->event(observed->state[i], event);
        }
    }
}

/* The component's module. */
static mca_mq_base_module_t *inner_of(const mca_mq_base_module_t *module)
{
    return ((const observed_t *) module)->inner.module;
}

/* The caller's function that makes an entry, and its result. */
typedef struct making_t {
    mca_mq_make_entry_fn_t make;
    void *arg;
    mca_mq_entry_t *made;
} making_t;

static mca_mq_entry_t *make_and_remember(void *arg)
{
    making_t *making = arg;

    making->made = making->make(making->arg);
    return making->made;
}

static mca_mq_entry_t *observed_arrive(mca_mq_base_module_t *module,
                                       const mca_mq_envelope_t *envelope,
                                       mca_mq_make_entry_fn_t make, void *arg)
{
    observed_t *observed = (observed_t *) module;
    mca_mq_base_module_t *inner = observed->inner.module;
    making_t making = {make, arg, NULL};
    uint64_t before = traversed(observed);
    mca_mq_base_event_t event = {
        .operation = MCA_MQ_BASE_ARRIVE,
        .envelope = *envelope,
        .arg = arg,
    };
    mca_mq_entry_t *found;

    found = inner->mq_arrive(inner, envelope, make_and_remember, &making);
    event.found = found;
    event.queued = making.made;
    notify(observed, &event, before);
    return found;
}

static mca_mq_entry_t *observed_post(mca_mq_base_module_t *module,
                                     mca_mq_entry_t *entry)
{
    observed_t *observed = (observed_t *) module;
    mca_mq_base_module_t *inner = observed->inner.module;
    uint64_t before = traversed(observed);
    mca_mq_base_event_t event = {
        .operation = MCA_MQ_BASE_POST,
        .envelope = entry->envelope,
    };
    mca_mq_entry_t *found = inner->mq_post(inner, entry);

    event.found = found;
    event.queued = NULL == found ? entry : NULL;
    notify(observed, &event, before);
    return found;
}

static mca_mq_entry_t *search(mca_mq_base_module_t *module,
                              mca_mq_base_operation_t operation,
                              mca_mq_module_match_fn_t match,
                              const mca_mq_envelope_t *envelope)
{
    observed_t *observed = (observed_t *) module;
    uint64_t before = traversed(observed);
    mca_mq_base_event_t event = {
        .operation = operation,
        .envelope = *envelope,
    };
    mca_mq_entry_t *found = match(observed->inner.module, envelope);

    event.found = found;
    notify(observed, &event, before);
    return found;
}

static mca_mq_entry_t *observed_match_posted(mca_mq_base_module_t *module,
                                             const mca_mq_envelope_t *envelope)
{
    return search(module, MCA_MQ_BASE_MATCH_POSTED,
                  inner_of(module)->mq_match_posted, envelope);
}

static mca_mq_entry_t *observed_match_unexpected(
    mca_mq_base_module_t *module, const mca_mq_envelope_t *envelope)
{
    return search(module, MCA_MQ_BASE_MATCH_UNEXPECTED,
                  inner_of(module)->mq_match_unexpected, envelope);
}

static mca_mq_entry_t *observed_probe(mca_mq_base_module_t *module,
                                      const mca_mq_envelope_t *envelope)
{
    return search(module, MCA_MQ_BASE_PROBE, inner_of(module)->mq_probe,
                  envelope);
}

/* An entry is inserted, or withdrawn. */
static void change(mca_mq_base_module_t *module,
                   mca_mq_base_operation_t operation,
                   mca_mq_module_insert_fn_t function, mca_mq_entry_t *entry)
{
    observed_t *observed = (observed_t *) module;
    bool withdraws = mca_mq_base_effects[operation].removes;
    mca_mq_base_event_t event = {
        .operation = operation,
        .envelope = entry->envelope,
        .found = withdraws ? entry : NULL,
        .queued = withdraws ? NULL : entry,
    };

    function(observed->inner.module, entry);
    notify(observed, &event, traversed(observed));
}

static void observed_insert_posted(mca_mq_base_module_t *module,
                                   mca_mq_entry_t *entry)
{
    change(module, MCA_MQ_BASE_INSERT_POSTED,
           inner_of(module)->mq_insert_posted, entry);
}

static void observed_insert_unexpected(mca_mq_base_module_t *module,
                                       mca_mq_entry_t *entry)
{
    change(module, MCA_MQ_BASE_INSERT_UNEXPECTED,
           inner_of(module)->mq_insert_unexpected, entry);
}

static void observed_withdraw_posted(mca_mq_base_module_t *module,
                                     mca_mq_entry_t *entry)
{
    change(module, MCA_MQ_BASE_WITHDRAW_POSTED,
           inner_of(module)->mq_withdraw_posted, entry);
}

static void observed_withdraw_unexpected(mca_mq_base_module_t *module,
                                         mca_mq_entry_t *entry)
{
    change(module, MCA_MQ_BASE_WITHDRAW_UNEXPECTED,
           inner_of(module)->mq_withdraw_unexpected, entry);
}

static void observed_each(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                          mca_mq_visit_fn_t visit, void *arg)
{
    mca_mq_base_module_t *inner = inner_of(module);

    inner->mq_each(inner, queue, visit, arg);
}

static size_t observed_footprint(const mca_mq_base_module_t *module)
{
    const mca_mq_base_module_t *inner = inner_of(module);

    return sizeof(observed_t) + inner->mq_footprint(inner);
}

static void observed_destroy(mca_mq_base_module_t *module)
{
    observed_t *observed = (observed_t *) module;

    for (int i = 0; i < num_observers; ++i) {
        if (NULL != observed->state[i]) {
            observers[i]->end(observed->state[i]);
        }
    }
    mca_mq_base_domain_fini(&observed->inner);
    free(observed);
}

static const mca_mq_base_module_t operations = {
    .mq_arrive = observed_arrive,
    .mq_post = observed_post,
    .mq_match_posted = observed_match_posted,
    .mq_match_unexpected = observed_match_unexpected,
    .mq_insert_posted = observed_insert_posted,
    .mq_insert_unexpected = observed_insert_unexpected,
    .mq_probe = observed_probe,
    .mq_withdraw_posted = observed_withdraw_posted,
    .mq_withdraw_unexpected = observed_withdraw_unexpected,
    .mq_each = observed_each,
    .mq_footprint = observed_footprint,
    .mq_destroy = observed_destroy,
};

bool mca_mq_base_is_observed(void)
{
    for (int i = 0; i < num_observers; ++i) {
        if (!observers[i]->on_demand) {
            return true;
        }
    }
    return false;
}

/* The inner domain has its module: the domain gets the observing one. */
static void put_in_front(observed_t *observed, mca_mq_base_domain_t *domain)
{
    observed->super = operations;
    observed->super.mq_component = observed->inner.module->mq_component;
    observed->super.mq_stats = observed->inner.info.stats;
    observed->outer = domain;
    domain->module = &observed->super;
    domain->observed = observed;
}

int mca_mq_base_observe(mca_mq_base_domain_t *domain)
{
    observed_t *observed = calloc(1, sizeof(*observed));
    mca_mq_domain_info_t info = domain->info;
    int ret;

    if (NULL == observed) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (NULL == info.stats) {
        info.stats = &observed->stats;
    }
    ret = mca_mq_base_domain_choose(&observed->inner, &info);
    if (OMPI_SUCCESS != ret) {
        free(observed);
        return ret;
    }
    put_in_front(observed, domain);
    for (int i = 0; i < num_observers; ++i) {
        if (!observers[i]->on_demand) {
            observed->state[i] = observers[i]->begin(&observed->inner.info);
        }
    }
    return OMPI_SUCCESS;
}

static void count_one(mca_mq_entry_t *entry, void *length)
{
    (void) entry;
    ++*(uint64_t *) length;
}

/* Put an observing module in front of a domain's module, which must count from
 * now on, so it is replaced by a counting one of its component. */
static int observe_later(mca_mq_base_domain_t *domain)
{
    observed_t *observed = calloc(1, sizeof(*observed));
    mca_mq_base_domain_t *inner;
    const char *why;
    int ret;

    if (NULL == observed) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    inner = &observed->inner;
    *inner = *domain;
    inner->info.domain = inner;
    if (NULL == inner->info.stats) {
        inner->info.stats = &observed->stats;
        for (int i = 0; i < MCA_MQ_QUEUES; ++i) {
            domain->module->mq_each(domain->module, i, count_one,
                                    &observed->stats.queue[i].length);
        }
    }
    ret = mca_mq_base_replace(inner, inner->module->mq_component, &why);
    if (OMPI_SUCCESS != ret) {
        free(observed);
        return ret;
    }
    put_in_front(observed, domain);
    domain->choice = NULL; /* moved to the inner domain */
    return OMPI_SUCCESS;
}

/* Index of an observer, which is added if it is new. */
static int place_of(const mca_mq_base_observer_t *observer)
{
    for (int i = 0; i < num_observers; ++i) {
        if (observers[i] == observer) {
            return i;
        }
    }
    mca_mq_base_observer_add(observer);
    return num_observers - 1;
}

int mca_mq_base_domain_observe(mca_mq_base_domain_t *domain,
                               const mca_mq_base_observer_t *observer)
{
    int ret = NULL == domain->observed ? observe_later(domain) : OMPI_SUCCESS;
    int place;

    if (OMPI_SUCCESS == ret) {
        place = place_of(observer);
        if (NULL == domain->observed->state[place]) {
            domain->observed->state[place] =
                observer->begin(&domain->observed->inner.info);
        }
    }
    return ret;
}

mca_mq_base_domain_t *mca_mq_base_inner_domain(
    const mca_mq_base_domain_t *domain)
{
    return NULL == domain->observed ? (mca_mq_base_domain_t *) domain
                                    : &domain->observed->inner;
}

void mca_mq_base_inner_changed(mca_mq_base_domain_t *domain)
{
    observed_t *observed = domain->observed;

    if (NULL == observed) {
        return;
    }
    observed->super.mq_component = observed->inner.module->mq_component;
    domain->migrations = observed->inner.migrations;
    domain->info.size = observed->inner.info.size;
    domain->info.assertions = observed->inner.info.assertions;
}
