/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Inputs of test_ctrl_msg_fuzz: valid messages of a peer, and random changes to
 * them.
 */

#ifndef TEST_PML_FUZZ_INPUT_H
#define TEST_PML_FUZZ_INPUT_H

#include "fuzz_world.h"

/** A message; of a control message there is no header. */
typedef struct fuzz_input_t {
    unsigned id;
    size_t header_length, length;
    unsigned char header[FUZZ_LONGEST], bytes[FUZZ_LONGEST];
} fuzz_input_t;

/** Of control messages: what is said of each kind in core/wire.h. */
typedef struct fuzz_kind_t {
    size_t length;
    bool has_job;   /* begins with jobid and vpid; else with vpid, or */
    bool anonymous; /* with neither */
    bool always;
} fuzz_kind_t;

/** By id. */
extern const fuzz_kind_t fuzz_kinds[FUZZ_AM(COUNT)];

/** Is it a control message, rather than a point-to-point message? */
bool fuzz_is_control(unsigned id);

/** The number of `bytes` bytes at an offset. */
uint64_t fuzz_number_at(const unsigned char *bytes, size_t offset, size_t size);

/** Make a valid message. */
void fuzz_input_make(fuzz_input_t *input, unsigned id);

/** Change a message at random, or not at all. */
void fuzz_input_change(fuzz_input_t *input);

/** The token of an ACK is an address: let it be that of a real send, or 0. */
void fuzz_input_mend(fuzz_input_t *input);

#endif /* TEST_PML_FUZZ_INPUT_H */
