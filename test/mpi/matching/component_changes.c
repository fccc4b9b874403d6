/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The mq component of a communicator may be changed with the info key ompi_mq
 * at any time, also while receives are posted and messages are queued: each
 * receive gets the message it would have got anyway, for every mix of
 * wildcards. Ranks work in pairs on one communicator; who gets what is
 * computed beforehand from a list searched from its beginning.
 *
 *     component_changes [--depth N] [--rounds N] [--threads N]
 *
 * With --threads, so many threads communicate on other communicators
 * meanwhile. Values that no component can take are set as well: they are
 * ignored.
 */
#include <stdatomic.h>

#include "mpi_test.h"

#define MAX_THREADS 16
#define TAGS 20
#define TAG_GO 7

static int depth, rounds, num_threads;
static MPI_Comm comm, control, other_comm[MAX_THREADS];
static atomic_bool stop;

/* All that there may be: what is not installed is ignored. */
static const char *const choices[] = {
    "list",
    "source_array",
    "bin",
    "bin:count=7",
    "fourd",
    "fourd:min_size=1",
    "adaptive",
    "auto",
    "auto:interval=4,test_moves=1",
    "newmad",
    "hash",
    "fuzzy",
    "indexed",
    "indexed:small=0",
    "partner_dynamic",
    "partner_dynamic:threshold=2",
    "partner_dynamic:threshold=3,metric=median,cap=1.5",
    /* what serves without the key */
    "default",
    /* not these, wherever they come */
    "no_such_component",
    "list:threshold=2",
    "partner_dynamic:threshold=0",
    "partner_dynamic:threshold",
    "partner_dynamic:",
    "kmeans",
    "partner_static",
};

static void change(mt_random_t *random)
{
    mt_set_info(comm, "ompi_mq",
                choices[mt_below(random, MT_COUNT_OF(choices))]);
}

static void promise(const char *value)
{
    mt_set_info(comm, "mpi_assert_no_any_source", value);
    mt_set_info(comm, "mpi_assert_no_any_tag", value);
}

/* Now and then, while a queue is filled or emptied. */
static void maybe_change(mt_random_t *random)
{
    if (0 == mt_below(random, 1 + depth / 50)) {
        change(random);
    }
}

/* A receive to be posted or a message that has been sent. */
typedef struct {
    int source, tag; /* as in the call */
    int partner;     /* index of what it is matched with, or -1 */
} half_t;

static half_t random_receive(mt_random_t *random, bool exact, int tag)
{
    half_t receive = {mt_peer, tag, -1};

    if (!exact && mt_below(random, 3) == 0) {
        receive.source = MPI_ANY_SOURCE;
    }
    if (!exact && mt_below(random, 4) == 0) {
        receive.tag = MPI_ANY_TAG;
    }
    return receive;
}

static bool fits(const half_t *receive, int tag)
{
    return MPI_ANY_TAG == receive->tag || tag == receive->tag;
}

static uint64_t key_of(int round, int from, int message)
{
    return mt_key(round, from, message, 3);
}

/* Which receives are posted and which messages are sent; both ranks know. */
static void plan_posted(mt_random_t *random, bool exact, half_t *receives,
                        half_t *messages)
{
    for (int i = 0; i < depth; ++i) {
        receives[i] = random_receive(random, exact, mt_below(random, TAGS));
    }
    for (int i = 0; i < depth; ++i) {
        int wanted = mt_below(random, depth), r;

        while (receives[wanted].partner >= 0) {
            wanted = (wanted + 1) % depth;
        }
        messages[i].tag = MPI_ANY_TAG == receives[wanted].tag
                              ? mt_below(random, TAGS)
                              : receives[wanted].tag;
        for (r = 0;
             receives[r].partner >= 0 || !fits(&receives[r], messages[i].tag);
             ++r) {
        }
        receives[r].partner = i;
    }
}

static void plan_unexpected(mt_random_t *random, bool exact, half_t *receives,
                            half_t *messages)
{
    for (int i = 0; i < depth; ++i) {
        messages[i] = (half_t){mt_peer, mt_below(random, TAGS), -1};
    }
    for (int i = 0; i < depth; ++i) {
        int wanted = mt_below(random, depth), m;

        while (messages[wanted].partner >= 0) {
            wanted = (wanted + 1) % depth;
        }
        receives[i] = random_receive(random, exact, messages[wanted].tag);
        for (m = 0;
             messages[m].partner >= 0 || !fits(&receives[i], messages[m].tag);
             ++m) {
        }
        messages[m].partner = i;
        receives[i].partner = m;
    }
}

static void go(bool send)
{
    if (send) {
        mt_tell(mt_peer, TAG_GO, control);
    } else {
        mt_hear(mt_peer, TAG_GO, control);
    }
}

static void send_all(int round, const half_t *messages, mt_random_t *random)
{
    for (int i = 0; i < depth; ++i) {
        uint64_t key = key_of(round, mt_rank, i);

        MPI_Send(&key, 1, MPI_UINT64_T, mt_peer, messages[i].tag, comm);
        maybe_change(random);
    }
}

static void check(int round, const half_t *receive, const half_t *messages,
                  uint64_t key, const MPI_Status *status)
{
    CHECK_EQ(key, key_of(round, mt_peer, receive->partner));
    CHECK_STATUS(status, mt_peer, messages[receive->partner].tag, MPI_UINT64_T,
                 1);
}

static void receive_posted(int round, const half_t *receives,
                           const half_t *messages, mt_random_t *random)
{
    uint64_t *key = calloc(depth, sizeof(*key));
    MPI_Request *request = calloc(depth, sizeof(MPI_Request));
    MPI_Status *status = calloc(depth, sizeof(MPI_Status));

    for (int i = 0; i < depth; ++i) {
        MPI_Irecv(&key[i], 1, MPI_UINT64_T, receives[i].source, receives[i].tag,
                  comm, &request[i]);
        maybe_change(random);
    }
    change(random);
    go(true);
    for (int i = 0; i < depth; ++i) {
        maybe_change(random);
        MPI_Wait(&request[i], &status[i]);
        check(round, &receives[i], messages, key[i], &status[i]);
    }
    free(key);
    free(request);
    free(status);
}

static void receive_unexpected(int round, const half_t *receives,
                               const half_t *messages, mt_random_t *random)
{
    /* What was sent before is here, or at least on its way. */
    go(false);
    for (int i = 0; i < depth; ++i) {
        uint64_t key = 0;
        MPI_Status status;

        maybe_change(random);
        MPI_Recv(&key, 1, MPI_UINT64_T, receives[i].source, receives[i].tag,
                 comm, &status);
        check(round, &receives[i], messages, key, &status);
    }
}

static void one_round(int round, bool posted, bool exact)
{
    half_t *receives = calloc(depth, sizeof(*receives));
    half_t *messages = calloc(depth, sizeof(*messages));
    /* Both directions at the same time, each with a plan of its own, known to
     * sender and receiver. */
    for (int turn = 0; turn < 2; ++turn) {
        bool receiver = turn == mt_rank % 2;
        int from = receiver ? mt_peer : mt_rank;
        mt_random_t plan = mt_random(mt_key(round, from, posted, exact));
        mt_random_t random = mt_random(mt_key(round, mt_rank, posted, 77));

        MT_CASE("round %d, %s, %s, from %d", round,
                posted ? "posted" : "unexpected", exact ? "exact" : "any",
                from);
        (posted ? plan_posted : plan_unexpected)(&plan, exact, receives,
                                                 messages);
        if (receiver && posted) {
            receive_posted(round, receives, messages, &random);
        } else if (receiver) {
            receive_unexpected(round, receives, messages, &random);
        } else {
            if (posted) {
                go(false);
            }
            send_all(round, messages, &random);
            if (!posted) {
                go(true);
            }
        }
    }
    free(receives);
    free(messages);
}

/* Another communicator is busy. */
static void *ring(void *arg)
{
    MPI_Comm mine = *(MPI_Comm *) arg;

    /* All ranks have to agree when to stop. */
    for (int i = 0, last = 0; !last; ++i) {
        int out[2] = {mt_rank, i}, in[2], mine_stops = atomic_load(&stop);

        MPI_Sendrecv(out, 2, MPI_INT, mt_after, i % 100, in, 2, MPI_INT,
                     i % 2 ? MPI_ANY_SOURCE : mt_before,
                     i % 3 ? i % 100 : MPI_ANY_TAG, mine, MPI_STATUS_IGNORE);
        CHECK_EQ(in[0], mt_before);
        CHECK_EQ(in[1], i);
        if (i % 50 == 49) {
            MPI_Allreduce(&mine_stops, &last, 1, MPI_INT, MPI_MIN, mine);
        }
    }
    return NULL;
}

/* A value at creation. */
static void chosen_at_creation(void)
{
    MPI_Comm made;
    int data = 0;

    MT_CASE("MPI_Comm_dup_with_info");
    made = mt_dup_with("ompi_mq", "source_array");
    CHECK_INFO(made, "ompi_mq", "source_array");
#if OMPI_MAJOR_VERSION >= 5
    /* One that is ignored is not in effect. 4.1 returns what was set. */
    mt_set_info(made, "ompi_mq", "no_such_name");
    CHECK_INFO(made, "ompi_mq", "source_array");
#endif
    MPI_Sendrecv(&mt_rank, 1, MPI_INT, mt_peer, 5, &data, 1, MPI_INT, mt_peer,
                 5, made, MPI_STATUS_IGNORE);
    CHECK_EQ(data, mt_peer);
    MPI_Comm_free(&made);
}

int main(int argc, char **argv)
{
    pthread_t thread[MAX_THREADS];

    num_threads = mt_option(argc, argv, "--threads", 0);
    mt_init_threads(&argc, &argv, 2, num_threads > 0);
    CHECK(num_threads <= MAX_THREADS && 0 == mt_size % 2);
    depth = mt_option(argc, argv, "--depth", 1000);
    rounds = mt_option(argc, argv, "--rounds", 5);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &control);
    chosen_at_creation();
    for (int i = 0; i < num_threads; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &other_comm[i]);
    }
    for (int i = 0; i < num_threads; ++i) {
        CHECK_EQ(pthread_create(&thread[i], NULL, ring, &other_comm[i]), 0);
    }
    for (int round = 0; round < rounds; ++round) {
        one_round(round, true, false);
        one_round(round, false, false);
        promise("true");
        one_round(round, true, true);
        one_round(round, false, true);
        promise("false");
    }
    atomic_store(&stop, true);
    for (int i = 0; i < num_threads; ++i) {
        pthread_join(thread[i], NULL);
        MPI_Comm_free(&other_comm[i]);
    }
    MPI_Comm_free(&control);
    MPI_Comm_free(&comm);
    return mt_finalize();
}
