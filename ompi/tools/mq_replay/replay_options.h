/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line of mq_replay.
 */

#ifndef MQ_REPLAY_OPTIONS_H
#define MQ_REPLAY_OPTIONS_H

#include "sequence/replay_pattern.h"
#include "replay_setup.h"

/** The options, with their defaults. */
typedef struct replay_options_t {
    const char *trace;  /**< or NULL: a pattern */
    const char *advise; /**< profile from which to give advice, or NULL */
    const char *import; /**< archive to convert to traces, or NULL */
    const char *output; /**< base name of these traces */
    const char *only;   /**< list of ranks to convert, or NULL */
    replay_wish_t wish;
    replay_setup_t setup; /**< its lists are to be freed by the program */
    uint64_t skip;
    bool seeded; /**< --seed was given */
    bool mixed;  /**< an option of the pattern mix was given */
    bool verify;
    bool json;
    bool lengths;
} replay_options_t;

extern replay_options_t replay_options;

/** Parse the command line. Ends the program if it is wrong, or asks for help or
 * the version. */
void replay_options_parse(int argc, char **argv);

#endif /* MQ_REPLAY_OPTIONS_H */
