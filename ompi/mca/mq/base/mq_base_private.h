/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the source files of the mq base share with each other only.
 */

#ifndef OMPI_MCA_MQ_BASE_PRIVATE_H
#define OMPI_MCA_MQ_BASE_PRIVATE_H

#include "ompi/mca/mq/base/base.h"
#include "ompi/mca/mq/base/kit/visit.h"
#include "ompi/mca/mq/base/param/choice.h"

/** Migrate, also from a component to itself: the domain's size may have
 * changed, or the values of parameters. */
int mca_mq_base_replace(mca_mq_base_domain_t *domain,
                        const mca_mq_base_component_t *component,
                        const char **why);

/** Choose the component of a domain again, for these promises; see
 * mca_mq_base_domain_assert. */
int mca_mq_base_choose_again(mca_mq_base_domain_t *domain, uint32_t assertions);

/** Is this the name of the component that a domain was given by name? */
bool mca_mq_base_is_chosen(const mca_mq_base_domain_t *domain,
                           const mca_mq_base_component_t *component);

/** Make a module; if the domain was given values for the component's
 * parameters, with these. */
int mca_mq_base_create_chosen(const mca_mq_base_component_t *component,
                              const mca_mq_domain_info_t *info,
                              mca_mq_base_module_t **module);

/* mq_base_profile.c, mq_base_profile_record.c */

/** Components are about to register what they need. */
void mca_mq_base_profile_reset(void);
/** Read the profiles that are needed, begin to record the one that is wanted.
 * What goes wrong is reported and counted as invalid. */
void mca_mq_base_profile_open(void);
/** Forget all of it. */
void mca_mq_base_profile_close(void);
/** Forget what was recorded. No domain may be in use. */
void mca_mq_base_profile_forget(void);
/** Record no more. No domain may be in use. */
void mca_mq_base_profile_stop(void);

/**
 * Ask a component whether it can serve a domain; says at verbose level why not.
 *
 * @param[out] why  may be NULL
 */
bool mca_mq_base_can_serve(const mca_mq_base_component_t *component,
                           const mca_mq_domain_info_t *info, int *priority,
                           const char **why);

/** Make the module of a domain whose order numbers are set. */
int mca_mq_base_domain_choose(mca_mq_base_domain_t *domain,
                              const mca_mq_domain_info_t *info);

/* mq_base_observe.c */

/** Is an observer installed? */
bool mca_mq_base_is_observed(void);
/** Remove all observers. No domain may be in use. */
void mca_mq_base_observers_remove(void);
/** Make the module of a domain, with the observers in front of it. */
int mca_mq_base_observe(mca_mq_base_domain_t *domain);
/** What an observed domain observes; it is this that migrates. */
mca_mq_base_domain_t *mca_mq_base_observed_domain(
    const mca_mq_base_domain_t *domain);
/** It has changed: let the domain in front of it look the same. */
void mca_mq_base_observed_changed(mca_mq_base_domain_t *domain);

/* mq_base_trace_write.c */

/** Begin the trace that is wanted, if one is and this process is part of a
 * job. What goes wrong is reported and counted as invalid. */
void mca_mq_base_trace_start(void);
/** End it, if there is one: now it gets its name. No domain may be in use. */
void mca_mq_base_trace_stop(void);

/** Make a module; says so at verbose level. */
int mca_mq_base_create(const mca_mq_base_component_t *component,
                       const mca_mq_domain_info_t *info, const char *because,
                       mca_mq_base_module_t **module);

#endif /* OMPI_MCA_MQ_BASE_PRIVATE_H */
