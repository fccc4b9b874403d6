/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations that are set up once and started again and again: point-to-point
 * by MPI_Startall, and collective. Open MPI 4.1 has the collective ones under
 * names of its own (MPIX_). Partitioned ones: partitioned_communication.c.
 *
 *   --rounds N  (60)
 */
#include "mpi_test.h"

#include <mpi-ext.h>

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_COLLECTIVE 1
#define INIT(name) MPI_##name##_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && OMPI_HAVE_MPI_EXT_PCOLLREQ
#define HAS_COLLECTIVE 1
#define INIT(name) MPIX_##name##_init
#else
#define HAS_COLLECTIVE 0
#endif

#define TAG 71

static long value(int operation, int round, int rank, int index)
{
    return (long) (mt_key(operation, round, rank, index) % 1000003);
}

/* ---- point-to-point ----------------------------------------------------- */

enum { REQUESTS = 16 };

/* In each round all requests are started at once, or in two parts, one of them
 * alone at the end; sizes from empty to rendezvous. */
static void point_to_point(mt_random_t *random, int rounds)
{
    const int sizes[] = {0, 1, 8, 100, 1000, 9000, 70000};
    MPI_Request requests[2 * REQUESTS];
    unsigned char *in[REQUESTS], *out[REQUESTS];
    int size[REQUESTS];

    for (int i = 0; i < REQUESTS; ++i) {
        size[i] = sizes[(size_t) i % MT_COUNT_OF(sizes)];
        in[i] = mt_alloc(size[i]);
        out[i] = mt_alloc(size[i]);
        mt_recv_init(in[i], size[i], mt_before, TAG + i % 3, &requests[i]);
        (0 == i % 4 ? mt_ssend_init : mt_send_init)(
            out[i], size[i], mt_after, TAG + i % 3, &requests[REQUESTS + i]);
    }
    for (int round = 0; round < rounds; ++round) {
        int first = mt_below(random, 2 * REQUESTS);

        MT_CASE("point-to-point, round %d", round);
        for (int i = 0; i < REQUESTS; ++i) {
            mt_fill(out[i], size[i], mt_key(round, mt_rank, i, 71));
        }
        MPI_Startall(first, requests);
        MPI_Startall(2 * REQUESTS - 1 - first, requests + first);
        MPI_Start(&requests[2 * REQUESTS - 1]);
        MPI_Waitall(2 * REQUESTS, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < REQUESTS; ++i) {
            CHECK_PAYLOAD(in[i], size[i], mt_key(round, mt_before, i, 71));
        }
    }
    for (int i = 0; i < 2 * REQUESTS; ++i) {
        MPI_Request_free(&requests[i]);
    }
    for (int i = 0; i < REQUESTS; ++i) {
        MT_FREE(in[i], out[i]);
    }
}

/* ---- collective --------------------------------------------------------- */

#if HAS_COLLECTIVE

enum { ALLREDUCE, BCAST, ALLTOALL, GATHER, SCAN, BARRIER, OPERATIONS };

typedef struct collective_t {
    MPI_Comm comm;
    long *in, *out;
    int count, root;
    MPI_Request request;
} collective_t;

static void collective_open(collective_t *one, int operation, int count)
{
    size_t length = (size_t) count * (size_t) mt_size * sizeof(long);

    MPI_Comm_dup(MPI_COMM_WORLD, &one->comm);
    one->in = mt_alloc(length);
    one->out = mt_alloc(length);
    one->count = count;
    one->root = operation % mt_size;
    switch (operation) {
    case ALLREDUCE:
        INIT(Allreduce)
        (one->out, one->in, count, MPI_LONG, MPI_SUM, one->comm, MPI_INFO_NULL,
         &one->request);
        break;
    case BCAST:
        INIT(Bcast)
        (one->in, count, MPI_LONG, one->root, one->comm, MPI_INFO_NULL,
         &one->request);
        break;
    case ALLTOALL:
        INIT(Alltoall)
        (one->out, count, MPI_LONG, one->in, count, MPI_LONG, one->comm,
         MPI_INFO_NULL, &one->request);
        break;
    case GATHER:
        INIT(Gather)
        (one->out, count, MPI_LONG, one->in, count, MPI_LONG, one->root,
         one->comm, MPI_INFO_NULL, &one->request);
        break;
    case SCAN:
        INIT(Scan)
        (one->out, one->in, count, MPI_LONG, MPI_SUM, one->comm, MPI_INFO_NULL,
         &one->request);
        break;
    default:
        INIT(Barrier)(one->comm, MPI_INFO_NULL, &one->request);
    }
}

static void collective_close(collective_t *one)
{
    MPI_Request_free(&one->request);
    MPI_Comm_free(&one->comm);
    MT_FREE(one->in, one->out);
}

static void collective_fill(collective_t *one, int operation, int round)
{
    for (int i = 0; i < one->count * mt_size; ++i) {
        one->out[i] = value(operation, round, mt_rank, i);
        one->in[i] =
            BCAST == operation && mt_rank == one->root ? one->out[i] : -1;
    }
}

static long sum(int operation, int round, int ranks, int index)
{
    long all = 0;

    for (int rank = 0; rank < ranks; ++rank) {
        all += value(operation, round, rank, index);
    }
    return all;
}

/* What element i of a rank's result is to be. */
static long collective_expected(const collective_t *one, int operation,
                                int round, int i)
{
    int from = i / one->count, index = i % one->count;

    switch (operation) {
    case ALLREDUCE:
        return sum(operation, round, mt_size, i);
    case SCAN:
        return sum(operation, round, mt_rank + 1, i);
    case BCAST:
        return value(operation, round, one->root, i);
    case ALLTOALL:
        return value(operation, round, from, mt_rank * one->count + index);
    default:
        return value(operation, round, from, index);
    }
}

static void collective_check(const collective_t *one, int operation, int round)
{
    bool all = ALLTOALL == operation || GATHER == operation;
    int count = all ? one->count * mt_size : one->count;

    if (BARRIER == operation || (GATHER == operation && mt_rank != one->root)) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        CHECK(one->in[i] == collective_expected(one, operation, round, i));
    }
}

/* All at a time, started in an order that differs from rank to rank: each has a
 * communicator of its own. */
static void collective(mt_random_t *random, int rounds)
{
    collective_t ones[OPERATIONS];
    MPI_Request requests[OPERATIONS];
    int order[OPERATIONS];

    for (int i = 0; i < OPERATIONS; ++i) {
        collective_open(&ones[i], i, 1 + 700 * i);
    }
    for (int round = 0; round < rounds; ++round) {
        mt_shuffle(random, order, OPERATIONS);
        for (int i = 0; i < OPERATIONS; ++i) {
            MT_CASE("collective, round %d, operation %d", round, order[i]);
            collective_fill(&ones[order[i]], order[i], round);
            MPI_Start(&ones[order[i]].request);
        }
        MT_CASE("collective, round %d", round);
        for (int i = 0; i < OPERATIONS; ++i) {
            requests[i] = ones[i].request;
        }
        MPI_Waitall(OPERATIONS, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < OPERATIONS; ++i) {
            MT_CASE("collective, round %d, result of %d", round, i);
            CHECK(MPI_REQUEST_NULL != requests[i]);
            collective_check(&ones[i], i, round);
        }
    }
    for (int i = 0; i < OPERATIONS; ++i) {
        collective_close(&ones[i]);
    }
}

#endif

int main(int argc, char **argv)
{
    mt_random_t random;
    int rounds;

    mt_init(&argc, &argv, 2);
    random = mt_random((uint64_t) mt_rank + 1);
    rounds = mt_option(argc, argv, "--rounds", 60);
    point_to_point(&random, rounds);
#if HAS_COLLECTIVE
    collective(&random, rounds);
#endif
    if (0 == mt_rank) {
        printf("persistent collectives: %s\n",
               HAS_COLLECTIVE ? "yes" : "this MPI has none");
    }
    return mt_finalize();
}
