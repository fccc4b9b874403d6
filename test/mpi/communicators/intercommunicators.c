/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Point-to-point over inter-communicators: ranks are those of the remote
 * group, both groups have a rank 0, wildcards and probes work, also while the
 * intra-communicators of the same processes carry the same tags.
 */
#include "mpi_test.h"

#define TAG 81

static const int sizes[] = {0, 8, 1000, 8193, 100000};

static uint64_t key_of(int side, int rank, int size, int step)
{
    return mt_key(side, rank, size, step);
}

/* Everybody to everybody of the other side; `world` says who is who. */
static void exchange(MPI_Comm inter, int side, int step)
{
    int rank = mt_rank_in(inter), remote = mt_remote_size(inter);

    for (size_t s = 0; s < MT_COUNT_OF(sizes); ++s) {
        int size = sizes[s];
        unsigned char *out = mt_alloc(size);
        unsigned char **in = malloc(remote * sizeof(*in));
        MPI_Request *request = malloc(2 * (size_t) remote * sizeof(*request));
        bool *seen = calloc(remote, sizeof(*seen));
        MPI_Status status;

        MT_CASE("inter-communicator exchange %d, %d bytes", step, size);
        mt_fill(out, size, key_of(side, rank, size, step));
        for (int i = 0; i < remote; ++i) {
            in[i] = mt_alloc(size);
            MPI_Irecv(in[i], size, MPI_BYTE, i, TAG, inter, &request[i]);
        }
        for (int i = 0; i < remote; ++i) {
            (i % 2 ? MPI_Isend : MPI_Issend)(out, size, MPI_BYTE, i, TAG, inter,
                                             &request[remote + i]);
        }
        for (int i = 0; i < remote; ++i) {
            CHECK_WAIT(&request[i], i, TAG, MPI_BYTE, size);
            CHECK_PAYLOAD(in[i], size, key_of(!side, i, size, step));
        }
        MPI_Waitall(remote, request + remote, MPI_STATUSES_IGNORE);

        /* Once more with wildcards and probes. */
        for (int i = 0; i < remote; ++i) {
            MPI_Isend(out, size, MPI_BYTE, i, TAG + 1, inter, &request[i]);
        }
        for (int i = 0; i < remote; ++i) {
            MPI_Status probed;
            MPI_Message message;

            MPI_Mprobe(MPI_ANY_SOURCE, i % 2 ? MPI_ANY_TAG : TAG + 1, inter,
                       &message, &probed);
            CHECK(probed.MPI_SOURCE >= 0 && probed.MPI_SOURCE < remote);
            CHECK(!seen[probed.MPI_SOURCE]);
            seen[probed.MPI_SOURCE] = true;
            CHECK_STATUS(&probed, probed.MPI_SOURCE, TAG + 1, MPI_BYTE, size);
            MPI_Mrecv(in[i], size, MPI_BYTE, &message, &status);
            CHECK_STATUS(&status, probed.MPI_SOURCE, TAG + 1, MPI_BYTE, size);
            CHECK_PAYLOAD(in[i], size,
                          key_of(!side, probed.MPI_SOURCE, size, step));
        }
        MPI_Waitall(remote, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < remote; ++i) {
            mt_free(in[i]);
        }
        mt_free(out);
        free(in);
        free(request);
        free(seen);
        MPI_Barrier(inter);
    }
}

/*
 * The same source rank, tag and size on both the inter-communicator and the
 * local one: each message goes where it belongs.
 */
static void side_by_side(MPI_Comm inter, MPI_Comm local, int side)
{
    int rank = mt_rank_in(inter), local_size = mt_size_in(local),
        remote = mt_remote_size(inter), data, got;
    MPI_Request request[2];
    MPI_Status status;

    MT_CASE("inter- and intra-communicator side by side");
    if (0 == rank) {
        data = 1000 + side;
        for (int i = 0; i < remote; ++i) {
            MPI_Send(&data, 1, MPI_INT, i, TAG, inter);
        }
        data = 2000 + side;
        for (int i = 1; i < local_size; ++i) {
            MPI_Send(&data, 1, MPI_INT, i, TAG, local);
        }
    }
    if (rank > 0) {
        MPI_Irecv(&data, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, local,
                  &request[0]);
        CHECK_WAIT(&request[0], 0, TAG, MPI_INT, 1);
        CHECK_EQ(data, 2000 + side);
    }
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, TAG, inter, &status);
    CHECK_STATUS(&status, 0, TAG, MPI_INT, 1);
    CHECK_EQ(got, 1000 + !side);
    MPI_Barrier(inter);
}

static void check_merged(MPI_Comm inter, int side)
{
    MPI_Comm merged;
    int size;

    MT_CASE("merged inter-communicator");
    MPI_Intercomm_merge(inter, side, &merged);
    MPI_Comm_size(merged, &size);
    CHECK_EQ(size, mt_size);
    mt_rings(merged, 0);
    MPI_Comm_free(&merged);
}

int main(int argc, char **argv)
{
    MPI_Comm local, inter, duplicate;

    mt_init(&argc, &argv, 2);
    for (int step = 0; step < 3; ++step) {
        /* Sides: even and odd, one and the rest, halves in reverse. */
        int side = (0 == step)   ? mt_rank % 2
                   : (1 == step) ? mt_rank > 0
                                 : mt_rank >= mt_size / 2;
        int leader = (0 == step)   ? !side
                     : (1 == step) ? (side ? 0 : 1)
                                   : (side ? mt_size / 2 - 1 : mt_size - 1);
        int rank, got;

        MT_CASE("inter-communicator %d", step);
        MPI_Comm_split(MPI_COMM_WORLD, side, 2 == step ? -mt_rank : mt_rank,
                       &local);
        MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, leader, 90 + step,
                             &inter);
        MPI_Comm_test_inter(inter, &got);
        CHECK(got);
        MPI_Comm_rank(inter, &rank);
        MPI_Comm_dup(inter, &duplicate);
        exchange(inter, side, step);
        exchange(duplicate, side, step + 10);
        side_by_side(inter, local, side);
        MPI_Comm_free(&inter);
        exchange(duplicate, side, step + 20);
        check_merged(duplicate, side);
        MPI_Comm_free(&duplicate);
        MPI_Comm_free(&local);
    }
    return mt_finalize();
}
