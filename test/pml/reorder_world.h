/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The process that gets the messages of test_reorder.c, test_reorder_random.c
 * and test_deliver.c: three peers, three communicators, receives. What mq,
 * senders and offload are told is noted.
 */

#ifndef TEST_PML_REORDER_WORLD_H
#define TEST_PML_REORDER_WORLD_H

#include "ompi/mca/pml/champion/match/reorder.h"
#include "ompi/mca/pml/champion/match/request.h"

#include "pml_world.h"

enum {
    REORDER_PEERS = 3,
    REORDER_COUNTED = 2, /**< this peer's messages may be counted (offload) */
    REORDER_ORDERED = 3, /**< contexts: */
    REORDER_OVERTAKING = 4, /**< its user allows that */
    REORDER_NOT_YET = 5,    /**< its communicator comes later */
    REORDER_CONTEXTS = 3,
    REORDER_INTERNAL = -7, /**< a tag of MPI's own */
    REORDER_LOG_MAX = 4096,
    REORDER_LARGE = 100 /**< bytes of payloads that UCX is left to keep */
};

/** Each peer's first number: they wrap soon. */
#define REORDER_FIRST (UINT32_MAX - 20)

/** A message, by its peer and the how many-th it is. */
typedef struct reorder_id_t {
    uint32_t peer, index;
} reorder_id_t;

typedef struct reorder_message_t {
    reorder_id_t id;
    uint32_t context;
    int32_t tag;
    bool large;     /* UCX may be left to keep it */
    uint64_t token; /* of a synchronous one, or 0 */
} reorder_message_t;

/** One for any of the user's messages, or for any of MPI's own. */
typedef struct reorder_receive_t {
    mca_pml_champion_recv_t super;
    ompi_status_public_t status;
    struct {
        reorder_id_t id;
        unsigned char rest[REORDER_LARGE];
    } buffer;
} reorder_receive_t;

typedef struct reorder_world_t {
    mca_pml_champion_peer_t *peers[REORDER_PEERS];
    mca_pml_champion_comm_t comms[REORDER_CONTEXTS];
    /** What mq was given, in this order. */
    reorder_id_t matched[REORDER_LOG_MAX];
    uint32_t num_matched;
    /** Answers to who wanted a message back, and the last one. */
    uint32_t num_answers;
    uint64_t answer_token;
    mca_pml_champion_withdrawal_t answer_what;
    /** ACKs, and the sum of their tokens. */
    uint64_t acks, ack_sum;
    uint32_t num_counted; /**< messages */
} reorder_world_t;

extern reorder_world_t world;

/** Fixtures of cmocka. At the end nothing may be left. */
int reorder_begin(void **state);
int reorder_end(void **state);

/** The number that a message travels with. */
uint32_t reorder_number_of(reorder_id_t id);

/** The communicator of a context comes. */
void reorder_comm_enter(uint32_t context);

/** A message comes. */
void reorder_arrive(const reorder_message_t *message);

/** Its sender wants it back. */
mca_pml_champion_withdrawal_t reorder_withdraw(
    const reorder_message_t *message);

/** Post a receive for the user's messages in a context, or for MPI's own. */
void reorder_receive(reorder_receive_t *it, uint32_t context, bool internal);

#endif /* TEST_PML_REORDER_WORLD_H */
