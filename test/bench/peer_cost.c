/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a message costs a rank that has many peers, marked for callgrind.
 *
 *   mpirun -np P+1 peer_cost [--rounds N] [--blocks B] [--bytes S]
 *
 * Rank 0 exchanges messages with P peers, and runs under callgrind.
 * `instructions_peers` runs this and adds up the figures; its header explains
 * the method and the patterns. As in op_cost, the ranks take turns by
 * semaphores in shared memory, outside MPI and uncounted: what rank 0 receives
 * lies there before it looks. The peers' turns follow each other in order of
 * rank, so that messages always arrive in the same order.
 *
 * Each pattern runs a warm-up block and B blocks of N rounds; after each of
 * these callgrind writes its count, labelled "<pattern> <operations>".
 */
#include "bench.h"

#include <getopt.h>
#include <stdbool.h>
#include <valgrind/callgrind.h>

enum {
    TAG = 100,
    NO_TAG = 99, /* of no message */
    MAX_BYTES = 1024,
    LOOKS = 100,   /* of a round that looks in vain */
    EXCHANGES = 50 /* with each peer, before anything is counted */
};

static sem_t *turn; /* [r]: rank r may go on */
static int rank, peers, bytes = 8, rounds = 20, blocks = 11;
static unsigned char *sent, *received; /* of rank 0: [peer - 1][bytes] */
static MPI_Request *requests;
static unsigned char message_number;

/* Rank 0 does its steps, and those of the peers one after the other. */
struct step {
    enum { RANK_0 = 1, COUNTED, PEERS } who;
    void (*run)(void);
};

struct pattern {
    const char *name;
    bool messages; /* one of each peer; otherwise LOOKS operations */
    struct step steps[3];
};

static unsigned char *of(unsigned char *buffer, int peer)
{
    return buffer + (size_t) (peer - 1) * (size_t) bytes;
}

static void send_to_each(void)
{
    for (int peer = 1; peer <= peers; peer++) {
        MPI_Send(of(sent, peer), bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
    }
}

static void receive_from_each(void)
{
    for (int peer = 1; peer <= peers; peer++) {
        MPI_Recv(of(received, peer), bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

static void post_for_each(void)
{
    for (int peer = 1; peer <= peers; peer++) {
        MPI_Irecv(of(received, peer), bytes, MPI_BYTE, peer, TAG,
                  MPI_COMM_WORLD, &requests[peer - 1]);
    }
}

static void wait_for_all(void)
{
    MPI_Waitall(peers, requests, MPI_STATUSES_IGNORE);
}

static void look(void)
{
    int found;

    for (int i = 0; i < LOOKS; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, NO_TAG, MPI_COMM_WORLD, &found,
                   MPI_STATUS_IGNORE);
    }
}

static void nothing(void)
{
}

/* Of a peer: buffers are those of one message. */
static void send_to_0(void)
{
    MPI_Send(sent, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
}

static void receive_from_0(void)
{
    MPI_Recv(received, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

static const struct pattern patterns[] = {
    {"empty nothing", false, {{COUNTED, nothing}}},
    {"peers send", true, {{COUNTED, send_to_each}, {PEERS, receive_from_0}}},
    {"peers receive", true, {{PEERS, send_to_0}, {COUNTED, receive_from_each}}},
    {"peers posted",
     true,
     {{RANK_0, post_for_each}, {PEERS, send_to_0}, {COUNTED, wait_for_all}}},
    {"peers look", false, {{COUNTED, look}}},
};

/* Both sides know what a message has in it: the round and the peer. */
static unsigned char content(int peer)
{
    return (unsigned char) (message_number + peer);
}

static void fill(void)
{
    message_number++;
    for (int i = 1; i <= peers && 0 == rank; i++) {
        memset(of(sent, i), content(i), (size_t) bytes);
        memset(of(received, i), ~content(i), (size_t) bytes);
    }
    if (0 != rank) {
        memset(sent, content(rank), (size_t) bytes);
        memset(received, ~content(rank), (size_t) bytes);
    }
}

static void check_message(const unsigned char *message, int peer)
{
    for (int k = 0; k < bytes; k++) {
        BENCH_CHECK(message[k] == content(peer),
                    "byte %d of the message of peer %d is wrong", k, peer);
    }
}

static void check(void (*received_by)(void))
{
    if (0 != rank && receive_from_0 == received_by) {
        check_message(received, rank);
    }
    for (int i = 1; i <= peers && 0 == rank; i++) {
        if (receive_from_each == received_by || wait_for_all == received_by) {
            check_message(of(received, i), i);
        }
    }
}

/* Rank 0 gives the turn to the first peer, the last one gives it back. */
static void take_turns(void (*run)(void))
{
    if (0 == rank) {
        sem_post(&turn[1]);
        bench_wait_signal(&turn[0]);
    } else {
        bench_wait_signal(&turn[rank]);
        run();
        sem_post(&turn[(rank + 1) % (peers + 1)]);
    }
}

static void run_step(const struct step *step, bool counted)
{
    if (PEERS == step->who) {
        take_turns(step->run);
    } else if (0 == rank && counted && COUNTED == step->who) {
        CALLGRIND_TOGGLE_COLLECT;
        step->run();
        CALLGRIND_TOGGLE_COLLECT;
    } else if (0 == rank) {
        step->run();
    }
}

static void run_block(const struct pattern *pattern, bool counted)
{
    for (int round = 0; round < rounds; round++) {
        fill();
        for (int i = 0; i < 3 && NULL != pattern->steps[i].run; i++) {
            run_step(&pattern->steps[i], counted);
            check(pattern->steps[i].run);
        }
    }
}

static void run_pattern(const struct pattern *pattern)
{
    char label[64];

    snprintf(label, sizeof(label), "%s %d", pattern->name,
             rounds * (pattern->messages ? peers : LOOKS));
    run_block(pattern, false);
    for (int block = 0; block < blocks; block++) {
        CALLGRIND_ZERO_STATS;
        run_block(pattern, true);
        if (0 == rank) {
            CALLGRIND_DUMP_STATS_AT(label);
        }
    }
}

static void exchange_with(int other, unsigned char *out, unsigned char *in)
{
    MPI_Sendrecv(out, bytes, MPI_BYTE, other, TAG, in, bytes, MPI_BYTE, other,
                 TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 and one peer are inside MPI, while all others sleep outside. */
static void exchange_with_each(void)
{
    for (int peer = 1; peer <= peers && 0 == rank; peer++) {
        sem_post(&turn[peer]);
        exchange_with(peer, of(sent, peer), of(received, peer));
    }
    if (0 != rank) {
        bench_wait_signal(&turn[rank]);
        exchange_with(0, sent, received);
    }
}

/* So that connections and rings are made for good. Each peer sends as many
 * messages as the others at any time: none takes another one's ring. */
static void connect_ranks(void)
{
    for (int i = 0; i < EXCHANGES; i++) {
        exchange_with_each();
    }
}

static void parse_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"rounds", required_argument, NULL, 'r'},
        {"blocks", required_argument, NULL, 'b'},
        {"bytes", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0}};
    int option;

    while (-1 != (option = getopt_long(argc, argv, "", known, NULL))) {
        switch (option) {
        case 'r':
            rounds = atoi(optarg);
            break;
        case 'b':
            blocks = atoi(optarg);
            break;
        case 's':
            bytes = atoi(optarg);
            break;
        default:
            rounds = 0;
        }
    }
    BENCH_CHECK(rounds > 0 && blocks > 0 && bytes > 0 && bytes <= MAX_BYTES &&
                    optind == argc,
                "usage: peer_cost [--rounds N] [--blocks B] [--bytes 1..%d]",
                MAX_BYTES);
}

static void make_buffers(void)
{
    const size_t count = 0 == rank ? (size_t) peers : 1;

    sent = bench_alloc(count * (size_t) bytes);
    received = bench_alloc(count * (size_t) bytes);
    requests = bench_alloc(count * sizeof(*requests));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &peers);
    BENCH_CHECK(--peers > 0, "run this with two ranks or more");
    parse_options(argc, argv);

    turn = bench_shared_semaphores(peers + 1);
    make_buffers();
    connect_ranks();
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        run_pattern(&patterns[i]);
    }
    if (0 == rank) {
        printf("{\"benchmark\": \"peer_cost\", \"peers\": %d, \"bytes\": %d, "
               "\"rounds\": %d, \"blocks\": %d, \"verified\": true}\n",
               peers, bytes, rounds, blocks);
    }
    MPI_Finalize();
    return 0;
}
