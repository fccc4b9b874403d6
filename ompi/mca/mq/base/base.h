/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The base of the mq framework: opens the components, chooses one for each
 * matching domain, and provides what all users of a domain need.
 *
 * Choice. `--mca mq a,b` is an order of preference: the first named component
 * that can serve a domain serves it; if none can, the available one with the
 * highest priority does, and `list` as a last resort. Unlike in other
 * frameworks, components that were not named stay open, because a domain may
 * migrate to any of them later. `--mca mq ^a` excludes a. An unknown name is an
 * error that lists the available ones.
 *
 * Plan. A folder may use those above it, no other (contrib/check.d/layers):
 *
 *     param/    parameters, the base's own and those of components; help texts
 *     kit/      parts of components: queues, tables, counting
 *     domain/   which component serves a domain; migration, observers
 *     record/   profiles and traces: observers that write files
 *     (root)    the framework, from opening to closing
 */

#ifndef OMPI_MCA_MQ_BASE_H
#define OMPI_MCA_MQ_BASE_H

#include "ompi_config.h"

#include <stdbool.h>

#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_framework.h"

#include "ompi/mca/mq/base/domain/components.h"
#include "ompi/mca/mq/base/domain/domain.h"
#include "ompi/mca/mq/base/kit/visit.h"
#include "ompi/mca/mq/base/param/help.h"
#include "ompi/mca/mq/base/param/own.h"
#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

OMPI_DECLSPEC extern mca_base_framework_t ompi_mq_base_framework;

/**
 * Register the framework and the parameters of all its components. Wraps
 * mca_base_framework_register, which would take `--mca mq a` for "load only a".
 *
 * @return OMPI_SUCCESS or an Open MPI error
 */
OMPI_DECLSPEC int mca_mq_base_register_framework(void);

/**
 * Register and open the framework. A help text reports an unknown component in
 * `--mca mq`, and a component with another ABI number.
 *
 * @return OMPI_SUCCESS; OMPI_ERR_BAD_PARAM after a help text was shown
 */
OMPI_DECLSPEC int mca_mq_base_open_framework(void);

/** Close the framework. No domain may be in use. */
OMPI_DECLSPEC int mca_mq_base_close_framework(void);

/**
 * Set to true by a program that lists this framework itself, as the project's
 * ompi_info does. Then no component adds the framework to the list of the stock
 * ompi_info.
 */
OMPI_DECLSPEC extern bool mca_mq_base_info_front_end;

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_H */
