/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Large messages within a node, which receiver and sender copy together.
 *
 *     shared_copies sizes [--rounds R]
 *                      random messages about the edges of parts, several at a
 *                      time, all ranks to all: receives posted or late, by
 *                      probes, of too little room, not contiguous
 *     shared_copies sizes --limit writes
 *                      the same where odd ranks may no longer write to others'
 *                      memory
 *     shared_copies alone
 *                      a sender does not wait for a receiver that computes
 *     shared_copies cancelled
 *                      sends whose message waits are cancelled
 */

#include "../../lib/forbid.h"
#include "mpi_test.h"
#include "mpi_test_shared.h"

enum { TAG = 7, KIB = 1024, MOST = 5 << 20, AT_ONCE = 6 };

static uint64_t key_of(int from, int to, int i)
{
    return mt_key(mt_seed, (uint64_t) (from * 64 + to), i, 31);
}

/* All ranks have rings to each other, and know each other's memory. */
static void meet(void)
{
    enum { MESSAGES = 30, LENGTH = 100 * KIB };
    char *out = calloc(1, LENGTH), *in = calloc(1, LENGTH);

    MT_CASE("meeting");
    for (int i = 0; i < MESSAGES * mt_size; ++i) {
        const int to = (mt_rank + 1 + i % (mt_size - 1)) % mt_size;
        const int from =
            (2 * mt_size + mt_rank - 1 - i % (mt_size - 1)) % mt_size;

        mt_swap(out, LENGTH, to, in, LENGTH, from, TAG);
    }
    free(out);
    free(in);
}

/* ---- sizes -------------------------------------------------------------- */

static int length_of(int i)
{
    static const int edges[] = {64, 96, 128, 255, 256, 512, 1024, 2048, 4096};
    const uint64_t draw = mt_mix(mt_seed * 1000003 + (uint64_t) i);

    if (0 == draw % 3) {
        return (int) (draw / 3 % MOST) + 1;
    }
    return edges[draw / 3 % MT_COUNT_OF(edges)] * KIB + (int) (draw / 64 % 3) -
           1;
}

/* How a receive is made; all ranks know that of each message. */
typedef struct kind_t {
    bool late;   /* after the message has come */
    bool spread; /* every other byte */
    bool cut;    /* it is too short */
    bool probed; /* MPI_Mprobe and MPI_Imrecv */
    bool blocks; /* MPI_Send, by the last of a round only */
} kind_t;

static kind_t kind_of(int i)
{
    const uint64_t draw = mt_mix(mt_seed * 7919 + (uint64_t) i);

    return (kind_t){
        .late = 0 != (draw & 1),
        .spread = 0 == (draw >> 1) % 5,
        .cut = 0 == (draw >> 8) % 7,
        .probed = 0 == (draw >> 16) % 3,
        .blocks = 0 == (draw >> 24) % 2,
    };
}

/* A message that this process receives. */
typedef struct in_t {
    unsigned char *buffer;
    MPI_Datatype type;
    MPI_Request request;
    int length, room, tag;
    kind_t kind;
} in_t;

static void receive(in_t *in, int from)
{
    const int count = in->kind.spread ? 1 : in->room;

    if (in->kind.late && in->kind.probed) {
        MPI_Message message;
        MPI_Status status;

        CHECK_OK(MPI_Mprobe(from, in->tag, MPI_COMM_WORLD, &message, &status));
        CHECK_STATUS(&status, from, in->tag, MPI_BYTE, in->length);
        CHECK_OK(
            MPI_Imrecv(in->buffer, count, in->type, &message, &in->request));
        return;
    }
    CHECK_OK(MPI_Irecv(in->buffer, count, in->type, from, in->tag,
                       MPI_COMM_WORLD, &in->request));
}

static void in_open(in_t *in, int i)
{
    in->kind = kind_of(i);
    in->length = length_of(i);
    in->room = in->kind.cut ? in->length / 2 + 1 : in->length;
    in->buffer = mt_alloc((size_t) in->room * (in->kind.spread ? 2 : 1));
    in->type = MPI_BYTE;
    if (in->kind.spread) {
        in->type = mt_vector(in->room, 1, 2, MPI_BYTE);
    }
}

static void in_check(in_t *in, uint64_t key)
{
    if (!in->kind.cut && !in->kind.spread) {
        CHECK_PAYLOAD(in->buffer, in->length, key);
    } else if (!in->kind.cut) {
        unsigned char *expected = mt_payload(in->length, key);

        for (int at = 0; at < 2 * in->length; ++at) {
            CHECK_EQ(in->buffer[at], at % 2 ? MT_BACKGROUND : expected[at / 2]);
        }
        mt_free(expected);
    }
    if (in->kind.spread) {
        MPI_Type_free(&in->type);
    }
    CHECK_GUARDS(in->buffer);
    mt_free(in->buffer);
}

/* Each rank sends some messages to another one, and gets as many from a third.
 */
static void round_of(int round, int to, int from)
{
    unsigned char *out[AT_ONCE];
    MPI_Request sends[AT_ONCE];
    in_t in[AT_ONCE];

    for (int k = 0; k < AT_ONCE; ++k) {
        in_open(&in[k], round * AT_ONCE + k);
        in[k].tag = TAG + k;
        if (!in[k].kind.late) {
            receive(&in[k], from);
        }
    }
    for (int k = 0; k < AT_ONCE; ++k) {
        const int length = in[k].length;

        out[k] = mt_payload(length, key_of(mt_rank, to, round + k));
        /* Its receive is posted before anybody sends. */
        if (in[k].kind.blocks && AT_ONCE - 1 == k && !in[k].kind.late) {
            mt_send(out[k], length, to, TAG + k);
            sends[k] = MPI_REQUEST_NULL;
        } else {
            mt_isend(out[k], length, to, TAG + k, &sends[k]);
        }
    }
    for (int k = 0; k < AT_ONCE; ++k) {
        MPI_Status status;

        if (in[k].kind.late) {
            receive(&in[k], from);
        }
        CHECK_RC(MPI_Wait(&in[k].request, &status),
                 in[k].kind.cut ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
        if (!in[k].kind.cut) {
            CHECK_STATUS(&status, from, TAG + k, MPI_BYTE, in[k].length);
        }
    }
    CHECK_OK(MPI_Waitall(AT_ONCE, sends, MPI_STATUSES_IGNORE));
    for (int k = 0; k < AT_ONCE; ++k) {
        in_check(&in[k], key_of(from, mt_rank, round + k));
        mt_free(out[k]);
    }
}

static void sizes(int rounds)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int round = 0; round < rounds; ++round) {
        const int distance = 1 + round % (mt_size - 1);

        MT_CASE("sizes, round %d", round);
        round_of(round, (mt_rank + distance) % mt_size,
                 (mt_rank + mt_size - distance) % mt_size);
    }
}

/* ---- a receiver that computes ------------------------------------------- */

/* The receiver is not in MPI until its sender has got on. If the sender waits
 * for it, the test hangs. The receive finds its message waiting, or is posted
 * before and has begun. */
static void alone(void)
{
    enum { LENGTH = 2 << 20, ROUNDS = 20 };
    uint32_t *sent = mt_share(4096, mt_peer, 0 == mt_rank);
    unsigned char *data = mt_alloc(LENGTH);

    CHECK_EQ(mt_size, 2);
    for (int i = 0; i < 2 * ROUNDS; ++i) {
        const bool posted = i % 2;
        MPI_Request request;

        MT_CASE("alone, round %d", i);
        MPI_Barrier(MPI_COMM_WORLD);
        if (0 == mt_rank) {
            mt_fill(data, LENGTH, key_of(0, 1, i));
            if (posted) {
                mt_hear(mt_peer, TAG, MPI_COMM_WORLD);
            }
            mt_isend(data, LENGTH, mt_peer, TAG, &request);
            mt_tell(mt_peer, TAG + 1, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            __atomic_store_n(sent, (uint32_t) i + 1, __ATOMIC_RELEASE);
            continue;
        }
        if (posted) {
            mt_irecv(data, LENGTH, mt_peer, TAG, &request);
            mt_tell(mt_peer, TAG, MPI_COMM_WORLD);
        }
        /* It comes by the same ring, behind the large message. */
        mt_hear(mt_peer, TAG + 1, MPI_COMM_WORLD);
        if (!posted) {
            mt_irecv(data, LENGTH, mt_peer, TAG, &request);
        }
        while ((uint32_t) i + 1 != __atomic_load_n(sent, __ATOMIC_ACQUIRE)) {
            usleep(10);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_PAYLOAD(data, LENGTH, key_of(0, 1, i));
    }
    mt_free(data);
}

/* ---- messages that nobody receives -------------------------------------- */

static void send_and_cancel(unsigned char *data, int length, bool known)
{
    MPI_Request request;

    mt_isend(data, length, mt_peer, TAG, &request);
    if (known) {
        mt_hear(mt_peer, TAG, MPI_COMM_WORLD);
    }
    MPI_Cancel(&request);
    CHECK(mt_wait_cancelled(&request));
    memset(data, 0xee, length);
    mt_tell(mt_peer, TAG + 1, MPI_COMM_WORLD);
}

/* The next message is not the one that was cancelled. */
static void cancelled(void)
{
    enum { ROUNDS = 20, LENGTH = 300 * KIB };
    unsigned char *data = mt_alloc(LENGTH);

    CHECK_EQ(mt_size % 2, 0);
    for (int i = 0; i < ROUNDS; ++i) {
        const bool known = i % 2;

        MT_CASE("cancelled, round %d", i);
        if (0 == mt_rank % 2) {
            send_and_cancel(data, LENGTH, known);
            mt_fill(data, LENGTH, key_of(mt_rank, mt_peer, i));
            mt_send(data, LENGTH, mt_peer, TAG);
            continue;
        }
        if (known) {
            MPI_Probe(mt_peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            mt_tell(mt_peer, TAG, MPI_COMM_WORLD);
        }
        mt_hear(mt_peer, TAG + 1, MPI_COMM_WORLD);
        CHECK_RECV(data, LENGTH, mt_peer, TAG, MPI_COMM_WORLD,
                   key_of(mt_peer, mt_rank, i));
    }
    mt_free(data);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "sizes";

    mt_init(&argc, &argv, 2);
    meet();
    if (argc > 3 && 0 == strcmp(argv[2], "--limit") && 1 == mt_rank % 2 &&
        0 != forbid(SYS_process_vm_writev)) {
        printf("shared_copies: no seccomp here, writes are allowed\n");
    }
    if (0 == strcmp(what, "sizes")) {
        sizes(mt_option(argc, argv, "--rounds", 24));
    } else if (0 == strcmp(what, "alone")) {
        alone();
    } else if (0 == strcmp(what, "cancelled")) {
        cancelled();
    } else {
        CHECK(!"a case that is known");
    }
    return mt_finalize();
}
