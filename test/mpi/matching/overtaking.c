/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the info key mpi_assert_allow_overtaking is true, messages may come in
 * another order than they were sent, each of them once. All others keep theirs:
 * those of other communicators between the same processes, MPI's own messages
 * in the communicator itself, and its user's messages once the key was taken
 * back.
 *
 *     overtaking [--expect | --all]
 *
 * With --expect messages must overtake, for a run in which the network is late
 * on purpose. With --all the promise was made for the whole program (parameter
 * mq_base_assert), so that no order can be relied on.
 */
#include "mpi_test.h"

#define KEY "mpi_assert_allow_overtaking"
#define NUM 200
#define ROUNDS 6
#define TAG 3
#define MAX_SIZE 70000

static bool all;

/* Now and then a rendezvous. */
static int size_of(int index)
{
    return index % 37 == 5 ? MAX_SIZE : 8 + index % 100;
}

static uint64_t key_of(int round, int from, int index)
{
    return mt_key(round, from, index, 17);
}

static void send_all(MPI_Comm comm, int round, unsigned char *data,
                     MPI_Request *request)
{
    for (int i = 0; i < NUM; ++i, data += MAX_SIZE) {
        mt_fill(data, size_of(i), key_of(round, mt_rank, i));
        memcpy(data, &i, sizeof(i));
        CHECK_OK((i % 11 == 4 ? MPI_Issend : MPI_Isend)(
            data, size_of(i), MPI_BYTE, mt_after, TAG, comm, &request[i]));
    }
}

/* One message that was received; returns its number. */
static int check(int round, unsigned char *data, const MPI_Status *status)
{
    static unsigned char expected[MAX_SIZE];
    int index;

    memcpy(&index, data, sizeof(index));
    CHECK(index >= 0 && index < NUM);
    CHECK_STATUS(status, mt_before, TAG, MPI_BYTE, size_of(index));
    mt_fill(expected, size_of(index), key_of(round, mt_before, index));
    memcpy(expected, &index, sizeof(index));
    CHECK(0 == memcmp(expected, data, size_of(index)));
    return index;
}

/* Each once; returns how many came behind one that was sent later. */
static int receive_all(MPI_Comm comm, int round)
{
    unsigned char *data = mt_alloc(MAX_SIZE);
    bool had[NUM] = {false};
    int last = -1, overtaken = 0;
    MPI_Status status;

    for (int i = 0; i < NUM; ++i) {
        int index;

        CHECK_OK(MPI_Recv(data, MAX_SIZE, MPI_BYTE,
                          round % 2 ? MPI_ANY_SOURCE : mt_before, TAG, comm,
                          &status));
        index = check(round, data, &status);
        CHECK(!had[index]);
        had[index] = true;
        overtaken += index < last;
        last = index > last ? index : last;
    }
    mt_free(data);
    return overtaken;
}

/* MPI's own messages, among those that overtake. */
static void collective(MPI_Comm comm, int round)
{
    int values[3] = {mt_rank, round, 1}, sums[3];

    CHECK_OK(MPI_Allreduce(values, sums, 3, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sums[0], mt_size * (mt_size - 1) / 2);
    CHECK_EQ(sums[1], mt_size * round);
    CHECK_EQ(sums[2], mt_size);
}

/* Messages in both communicators at once. */
static int exchange(MPI_Comm loose, MPI_Comm strict, int round)
{
    MPI_Request *request = malloc(2 * NUM * sizeof(*request));
    unsigned char *data = malloc((size_t) 2 * NUM * MAX_SIZE);
    int overtaken, strictly;

    send_all(loose, round, data, request);
    send_all(strict, round, data + (size_t) NUM * MAX_SIZE, request + NUM);
    collective(loose, round);
    overtaken = receive_all(loose, round);
    strictly = receive_all(strict, round);
    CHECK(all || 0 == strictly);
    CHECK_OK(MPI_Waitall(2 * NUM, request, MPI_STATUSES_IGNORE));
    /* Or messages of the next round might overtake those of this one. */
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    free(data);
    free(request);
    return overtaken;
}

int main(int argc, char **argv)
{
    MPI_Comm loose, strict;
    int overtaken = 0, sum;

    mt_init(&argc, &argv, 2);
    all = mt_flag(argc, argv, "--all");
    loose = mt_dup_with(KEY, "true");
    strict = mt_dup_with(KEY, "false");
    MT_CASE("a communicator that allows it beside one that does not");
    for (int round = 0; round < ROUNDS; ++round) {
        overtaken += exchange(loose, strict, round);
    }
    CHECK_OK(
        MPI_Allreduce(&overtaken, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    if (mt_flag(argc, argv, "--expect") || all) {
        CHECK(sum > 0);
    }
    MT_CASE("taken back");
    mt_set_info(loose, KEY, "false");
    MPI_Barrier(MPI_COMM_WORLD);
    overtaken = exchange(loose, strict, ROUNDS);
    CHECK(all || 0 == overtaken);
    MT_CASE("allowed later");
    MPI_Barrier(MPI_COMM_WORLD);
    mt_set_info(strict, KEY, "true");
    MPI_Barrier(MPI_COMM_WORLD);
    exchange(strict, loose, ROUNDS + 1);
    CHECK_OK(MPI_Comm_free(&loose));
    CHECK_OK(MPI_Comm_free(&strict));
    return mt_finalize();
}
