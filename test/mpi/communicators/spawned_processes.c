/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes that are spawned are talked to like any others: over the
 * inter-communicator, over the one merged from it, several generations after
 * each other and at the same time, until they are disconnected. Collectives of
 * long data, whose algorithm depends on who shares a node, are the same for all.
 * --together: all children on the host of rank 0.
 * --at-once: they send or receive one message, disconnect and end, while the
 * parents compute. Nobody says an error.
 */
#include "mpi_test.h"

#define TAG 101
#define NUM_CHILDREN 2

static const int sizes[] = {0, 8, 2000, 9000, 300000};

static uint64_t key_of(bool from_child, int rank, int size)
{
    return mt_key(from_child, rank, size, 101);
}

/* Everybody to everybody on the other side. */
static void exchange(MPI_Comm inter, bool is_child)
{
    int rank = mt_rank_in(inter), remote = mt_remote_size(inter);

    for (size_t s = 0; s < MT_COUNT_OF(sizes); ++s) {
        int size = sizes[s];
        unsigned char *out = mt_alloc(size);
        unsigned char *in = mt_alloc(size);
        MPI_Request *request = malloc(remote * sizeof(*request));
        MPI_Status status;

        MT_CASE("%s exchanges %d bytes", is_child ? "child" : "parent", size);
        mt_fill(out, size, key_of(is_child, rank, size));
        for (int i = 0; i < remote; ++i) {
            (i % 2 ? MPI_Isend : MPI_Issend)(out, size, MPI_BYTE, i,
                                             TAG + (int) s, inter, &request[i]);
        }
        /* The last rank's first, the others' as they come. */
        for (int i = 0; i < remote; ++i) {
            int source = (0 == i) ? remote - 1 : MPI_ANY_SOURCE;

            MPI_Recv(in, size, MPI_BYTE, source, TAG + (int) s, inter, &status);
            CHECK(0 != i || source == status.MPI_SOURCE);
            CHECK_STATUS(&status, status.MPI_SOURCE, TAG + (int) s, MPI_BYTE,
                         size);
            CHECK_PAYLOAD(in, size, key_of(!is_child, status.MPI_SOURCE, size));
        }
        MPI_Waitall(remote, request, MPI_STATUSES_IGNORE);
        free(request);
        MT_FREE(in, out);
        MPI_Barrier(inter);
    }
}

/* Some of whose processes are of another job. */
static void collectives(MPI_Comm merged)
{
    enum { COUNT = 1 << 18 };
    double *mine = mt_alloc(COUNT * sizeof(*mine));
    double *sum = mt_alloc(COUNT * sizeof(*sum));
    MPI_Request request;
    int rank = mt_rank_in(merged), size = mt_size_in(merged);

    MT_CASE("MPI_Ibcast, rank %d of %d", rank, size);
    for (int root = 0; root < size; ++root) {
        if (rank == root) {
            mt_fill((unsigned char *) sum, COUNT, 7 + (uint64_t) root);
        }
        CHECK_OK(MPI_Ibcast(sum, COUNT, MPI_BYTE, root, merged, &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_PAYLOAD((unsigned char *) sum, COUNT, 7 + (uint64_t) root);
    }
    MT_CASE("MPI_Iallreduce, rank %d of %d", rank, size);
    for (int i = 0; i < COUNT; ++i) {
        mine[i] = i % 1000 + rank;
    }
    CHECK_OK(MPI_Iallreduce(mine, sum, COUNT, MPI_DOUBLE, MPI_SUM, merged,
                            &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < COUNT; ++i) {
        CHECK(i % 1000 * size + size * (size - 1) / 2 == sum[i]);
    }
    MT_FREE(sum, mine);
}

static void merge_and_ring(MPI_Comm inter, bool is_child)
{
    MPI_Comm merged;

    MT_CASE("%s merges", is_child ? "child" : "parent");
    MPI_Intercomm_merge(inter, is_child, &merged);
    mt_rings(merged, 0);
    mt_sum_ranks(merged);
    collectives(merged);
    MPI_Comm_free(&merged);
}

/* Where children are to be. */
static MPI_Info info = MPI_INFO_NULL;

static void place_here(void)
{
    char host[MPI_MAX_PROCESSOR_NAME];
    int length;

    MPI_Get_processor_name(host, &length);
    MPI_Info_create(&info);
    MPI_Info_set(info, "host", host);
}

static MPI_Comm spawn(char *program, bool at_once)
{
    static char flag[] = "--at-once";
    char *arguments[] = {flag, NULL};
    int errcodes[NUM_CHILDREN];
    MPI_Comm inter;

    MT_CASE("MPI_Comm_spawn");
    MPI_Comm_spawn(program, at_once ? arguments : MPI_ARGV_NULL, NUM_CHILDREN,
                   info, 0, MPI_COMM_WORLD, &inter, errcodes);
    for (int i = 0; i < NUM_CHILDREN; ++i) {
        CHECK_OK(errcodes[i]);
    }
    return inter;
}

/* One message between a child and the parents' rank 0; a child with an odd rank
 * receives it. */
static void one_message(MPI_Comm inter, bool sends, int other)
{
    int number = 7;

    if (sends) {
        CHECK_OK(MPI_Send(&number, 1, MPI_INT, other, TAG, inter));
    } else {
        CHECK_OK(MPI_Recv(&number, 1, MPI_INT, other, TAG, inter,
                          MPI_STATUS_IGNORE));
        CHECK_EQ(number, 7);
    }
}

static void end_at_once(MPI_Comm parent)
{
    int rank = mt_rank_in(parent);

    one_message(parent, 0 == rank % 2, 0);
    MT_CASE("child disconnects");
    MPI_Comm_disconnect(&parent);
}

static void outlive_children(char *program)
{
    enum { TIMES = 3, COMPUTES_US = 200000, LOOKS = 2000 };
    int flag;

    for (int i = 0; i < TIMES; ++i) {
        MPI_Comm inter = spawn(program, true);

        for (int child = 0; child < NUM_CHILDREN && 0 == mt_rank; ++child) {
            one_message(inter, 0 != child % 2, child);
        }
        MT_CASE("parent disconnects, %d", i);
        MPI_Comm_disconnect(&inter);
        usleep(COMPUTES_US);
        for (int k = 0; k < LOOKS; ++k) {
            MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &flag,
                       MPI_STATUS_IGNORE);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parent, inter[2];
    bool at_once;

    mt_init(&argc, &argv, 1);
    at_once = mt_flag(argc, argv, "--at-once");
    MPI_Comm_get_parent(&parent);
    if (at_once) {
        if (MPI_COMM_NULL != parent) {
            end_at_once(parent);
        } else {
            outlive_children(argv[0]);
        }
        return mt_finalize();
    }
    if (MPI_COMM_NULL != parent) {
        exchange(parent, true);
        merge_and_ring(parent, true);
        exchange(parent, true);
        MT_CASE("child disconnects");
        MPI_Comm_disconnect(&parent);
        return mt_finalize();
    }
    if (mt_flag(argc, argv, "--together")) {
        place_here();
    }
    /* One after the other. */
    for (int i = 0; i < 3; ++i) {
        inter[0] = spawn(argv[0], false);
        exchange(inter[0], false);
        merge_and_ring(inter[0], false);
        exchange(inter[0], false);
        MT_CASE("parent disconnects");
        MPI_Comm_disconnect(&inter[0]);
    }
    /* Two jobs at a time. */
    inter[0] = spawn(argv[0], false);
    inter[1] = spawn(argv[0], false);
    for (int i = 0; i < 2; ++i) {
        exchange(inter[1 - i], false);
        merge_and_ring(inter[1 - i], false);
        exchange(inter[1 - i], false);
    }
    MT_CASE("parent disconnects");
    MPI_Comm_disconnect(&inter[0]);
    MPI_Comm_disconnect(&inter[1]);
    if (MPI_INFO_NULL != info) {
        MPI_Info_free(&info);
    }
    return mt_finalize();
}
