/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/peer/modex.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include MCA_MQ_OMPI_PMIX_HEADER
#include "opal/runtime/opal_progress.h"

/* The library stays loaded when MPI ends. */
static uint32_t life;

void mca_pml_champion_modex_begin(void)
{
    ++life;
}

/* Between two questions. */
enum { PAUSE_US = 1000 };

/* The key of this life, from the second on. */
enum { KEY_MAX = 64 };
static char *key(char text[KEY_MAX])
{
    char *name = mca_base_component_to_string(mca_pml_champion.component);

    (void) snprintf(text, KEY_MAX, "%s.life.%" PRIu32, NULL == name ? "" : name,
                    life);
    free(name);
    return text;
}

int mca_pml_champion_modex_send(int scope, void *data, size_t length)
{
    char text[KEY_MAX];
    int rc;

    OPAL_MODEX_SEND(rc, scope, mca_pml_champion.component, data, length);
    if (OMPI_SUCCESS == rc && life > 1) {
        OPAL_MODEX_SEND_STRING(rc, scope, key(text), data, length);
    }
    return rc;
}

int mca_pml_champion_modex_recv(const opal_process_name_t *name, void **data,
                                size_t *length)
{
    char text[KEY_MAX];
    int rc;

    *data = NULL;
    *length = 0;
    if (life <= 1 || name->jobid != OPAL_PROC_MY_NAME.jobid) {
        OPAL_MODEX_RECV(rc, mca_pml_champion.component, name, data, length);
        return rc;
    }
    (void) key(text);
    for (;;) {
        OPAL_MODEX_RECV_STRING(rc, text, name, data, length);
        if (!MCA_MQ_OMPI_MODEX_IS_LATE(rc)) {
            return rc;
        }
        opal_progress();
        (void) usleep(PAUSE_US);
    }
}
