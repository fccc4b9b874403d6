/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stands in for a header of Open MPI 5.0 and 6.0; see threads_pthreads_mutex.h.
 * Nothing of it is used here: it says that there is no timer.
 */

#ifndef CHAMPION_TIMER_LINUX_H
#define CHAMPION_TIMER_LINUX_H

#define OPAL_TIMER_CYCLE_NATIVE 0
#define OPAL_TIMER_CYCLE_SUPPORTED 0
#define OPAL_TIMER_USEC_NATIVE 0
#define OPAL_TIMER_USEC_SUPPORTED 0

#endif /* CHAMPION_TIMER_LINUX_H */
