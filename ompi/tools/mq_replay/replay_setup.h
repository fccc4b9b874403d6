/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens the framework mq for a replay: the real components, with the parameters
 * that the user set.
 */

#ifndef MQ_REPLAY_SETUP_H
#define MQ_REPLAY_SETUP_H

#include "ompi/mca/mq/base/base.h"
#include "sequence/replay_sequence.h"

/** The requests of the user, and their results. */
typedef struct replay_setup_t {
    char **names;        /**< of components, ended by NULL; as given */
    char **settings;     /**< NAME:PARAM=VALUE, ended by NULL; or NULL */
    const char *asserts; /**< list, or NULL */
    const char *profile; /**< file, or NULL */
    /** Result: the components, one per name, or all that are installed, in
     * alphabetical order, if the only name is "all". */
    const mca_mq_base_component_t **components;
    int num_components;
    bool all;
} replay_setup_t;

/** Start the parts of Open MPI that the framework needs. */
void replay_setup_start(void);

/** Open the framework for a sequence. Ends the program if the user asked for
 * something that does not exist or is not allowed. */
void replay_setup_open(replay_setup_t *setup,
                       const replay_sequence_t *sequence);

/** The reason why a component cannot serve a sequence, static text; NULL if it
 * can. */
const char *replay_setup_declines(const mca_mq_base_component_t *component,
                                  const replay_sequence_t *sequence);

/** Does any of the components lack a profile? */
bool replay_setup_needs_profile(const replay_setup_t *setup);

/** Close the framework. */
void replay_setup_close(replay_setup_t *setup);

#endif /* MQ_REPLAY_SETUP_H */
