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
#include "ompi/mca/mq/base/domain/observe.h"
#include "ompi/mca/mq/base/param/choice.h"

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

/* mq_base_trace_write.c */

/** Begin the trace that is wanted, if one is and this process is part of a
 * job. What goes wrong is reported and counted as invalid. */
void mca_mq_base_trace_start(void);
/** End it, if there is one: now it gets its name. No domain may be in use. */
void mca_mq_base_trace_stop(void);

#endif /* OMPI_MCA_MQ_BASE_PRIVATE_H */
