/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks that exchange messages, all with all, one of which ends or stops in
 * their middle: after it has started its sends, and half of its receives.
 *
 *     victim BYTES FATE [--late]
 *
 * FATE: none, kill (SIGKILL), abort (MPI_Abort), exit (without MPI_Finalize),
 * stop (SIGSTOP; somebody has to continue it). It strikes rank 1 in round
 * FATAL; without it, or when it was stopped, all rounds have to come to their
 * end with the right data. --late: the receives are posted when their messages
 * wait. Each rank tells its process id first: "rank N is process P".
 */
#include "../mpi/lib/mpi_test.h"

#include <sys/types.h>

#define WINDOW 16
#define ROUNDS 24
#define FATAL 8

static void strike(const char *fate)
{
    if (0 == strcmp(fate, "kill")) {
        raise(SIGKILL);
    } else if (0 == strcmp(fate, "stop")) {
        raise(SIGSTOP);
    } else if (0 == strcmp(fate, "abort")) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    } else if (0 == strcmp(fate, "exit")) {
        exit(4);
    }
}

static uint64_t key_of(int round, int from, int to, int i)
{
    return mt_key((uint64_t) round, (uint64_t) from, (uint64_t) to,
                  (uint64_t) i);
}

/* Until the last message of each rank is there: it waits, and those before. */
static void wait_for_all(void)
{
    for (int rank = 0; rank < mt_size; ++rank) {
        if (rank != mt_rank) {
            MPI_Probe(rank, WINDOW - 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

static void receive(unsigned char *in, int size, MPI_Request *request,
                    int first, int end)
{
    for (int i = first; i < end; ++i) {
        for (int rank = 0; rank < mt_size; ++rank) {
            int k = i * mt_size + rank;

            request[k] = MPI_REQUEST_NULL;
            if (rank != mt_rank) {
                MPI_Irecv(in + (size_t) k * (size_t) size, size, MPI_BYTE, rank,
                          i, MPI_COMM_WORLD, &request[k]);
            }
        }
    }
}

static void one_round(int round, int size, const char *fate, bool late,
                      unsigned char *in, unsigned char *out)
{
    int total = WINDOW * mt_size;
    MPI_Request request[2 * total];

    MT_CASE("round %d", round);
    for (int k = 0; k < total; ++k) {
        request[k] = request[total + k] = MPI_REQUEST_NULL;
    }
    if (!late) {
        receive(in, size, request, 0, WINDOW / 2);
    }
    for (int k = 0; k < total; ++k) {
        int to = k % mt_size;

        mt_fill(out + (size_t) k * (size_t) size, (size_t) size,
                key_of(round, mt_rank, to, k / mt_size));
        if (to != mt_rank) {
            MPI_Isend(out + (size_t) k * (size_t) size, size, MPI_BYTE, to,
                      k / mt_size, MPI_COMM_WORLD, &request[total + k]);
        }
    }
    if (late) {
        wait_for_all();
        receive(in, size, request, 0, WINDOW / 2);
    }
    if (FATAL == round && 1 == mt_rank) {
        strike(fate);
    }
    receive(in, size, request, WINDOW / 2, WINDOW);
    MPI_Waitall(2 * total, request, MPI_STATUSES_IGNORE);
    for (int k = 0; k < total; ++k) {
        if (k % mt_size != mt_rank) {
            CHECK_PAYLOAD(in + (size_t) k * (size_t) size, (size_t) size,
                          key_of(round, k % mt_size, mt_rank, k / mt_size));
        }
    }
}

int main(int argc, char **argv)
{
    unsigned char *in, *out;
    size_t length;
    int size;

    mt_init(&argc, &argv, 2);
    CHECK(argc > 2);
    size = atoi(argv[1]);
    length = (size_t) size * WINDOW * (size_t) mt_size;
    in = mt_alloc(length);
    out = mt_alloc(length);
    printf("rank %d is process %d\n", mt_rank, (int) getpid());
    fflush(stdout);
    for (int round = 0; round < ROUNDS; ++round) {
        one_round(round, size, argv[2], mt_flag(argc, argv, "--late"), in, out);
    }
    mt_free(in);
    mt_free(out);
    printf("rank %d is at the end\n", mt_rank);
    fflush(stdout);
    return mt_finalize();
}
