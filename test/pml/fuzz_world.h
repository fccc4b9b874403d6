/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The process that receives the inputs of test_ctrl_msg_fuzz: all units of the
 * plug-in with handlers, and peers, communicators, receives and cancelled
 * sends. It is set up and closed in rounds, with different parameters; at the
 * end of a round nothing may be left over.
 */

#ifndef TEST_PML_FUZZ_WORLD_H
#define TEST_PML_FUZZ_WORLD_H

#include "ompi/mca/pml/champion/match/request.h"

#include "pml_world.h"

#define FUZZ_AM(name) MCA_PML_CHAMPION_AM_##name

enum {
    FUZZ_OTHER_JOB = 9,
    FUZZ_CONTEXT = 3,    /**< of a communicator */
    FUZZ_OVERTAKING = 4, /**< of one that allows that */
    FUZZ_CONTEXTS = 5,
    FUZZ_LONGEST = 256, /**< bytes of a message */
    FUZZ_MANY = 200 /**< events that a send waits for: more than ever come */
};

typedef struct fuzz_t {
    mca_pml_champion_send_request_t request; /**< waits for ACKs */
    /** A send to each process of this job that can be cancelled, and the token
     * of its RECALL; 0: none is pending. */
    mca_pml_champion_send_request_t asked[PML_WORLD_SIZE];
    uint64_t asked_token[PML_WORLD_SIZE];
    uint64_t last_token; /**< of the last RECALL */
} fuzz_t;

extern fuzz_t fuzz;

/** A fixture of cmocka. */
int fuzz_begin(void **state);

void fuzz_round_begin(void);
void fuzz_round_end(void);

/** Let the process do something on its own: cancel, progress and so on. */
void fuzz_happen(void);

/** Make sure that there is an endpoint to a peer. */
void fuzz_peer_reachable(mca_pml_champion_peer_t *peer);

#endif /* TEST_PML_FUZZ_WORLD_H */
