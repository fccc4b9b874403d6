/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Events of MPI_T, for tests of one unit: nobody listens.
 */

#include <stdlib.h>

#include "ompi/mca/pml/champion/core/events.h"

#if MCA_MQ_OMPI_EVENTS

mca_base_event_t *mca_pml_champion_events[MCA_PML_CHAMPION_EVENTS];

void mca_pml_champion_event_queue(mca_pml_champion_event_t event,
                                  const mca_pml_champion_event_data_t *data)
{
    abort();
}

void mca_pml_champion_events_raise(void)
{
    abort(); /* nothing is due */
}

#else

/* A file needs a declaration. */
typedef int pml_no_events_t;

#endif
