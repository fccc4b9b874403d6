/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators come and go by the thousand: messages of one never reach
 * another, neither one that lives at the same time nor one that gets the
 * context id of a freed one; operations pending when a communicator is freed
 * complete; the first message on a new communicator may come before its
 * receiver knows the communicator.
 *
 *     communicator_life_cycle [--times N] [--pending] [--abandoned]
 *
 * --pending      also frees communicators with pending operations and takes
 *                their context ids for others (pml/ucx mixes them up)
 * --abandoned    also frees them with messages that nobody received
 */
#include "mpi_test.h"

#define TAG 91

static uint64_t key_of(int step, int from, int index)
{
    return mt_key(step, from, index, 91);
}

static void come_and_go(int times)
{
    for (int i = 0; i < times; ++i) {
        MPI_Comm comm;

        MT_CASE("communicator %d of %d", i, times);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (0 == i % 10) {
            mt_ring(comm, 8 + i % 50, i);
        }
        MPI_Comm_free(&comm);
    }
}

/* Many at a time, freed in another order, with traffic on all of them. */
static void many_at_a_time(void)
{
    enum { NUM = 60 };
    MPI_Comm comm[NUM];
    MPI_Request request[2 * NUM];
    int in[NUM], out[NUM];

    for (int i = 0; i < NUM; ++i) {
        MPI_Comm_dup(i ? comm[i - 1] : MPI_COMM_WORLD, &comm[i]);
    }
    for (int i = 0; i < NUM; ++i) {
        out[i] = mt_rank * NUM + i;
        MPI_Isend(&out[i], 1, MPI_INT, mt_after, TAG, comm[i], &request[i]);
    }
    for (int i = NUM - 1; i >= 0; --i) {
        MPI_Irecv(&in[i], 1, MPI_INT, i % 2 ? mt_before : MPI_ANY_SOURCE,
                  i % 3 ? TAG : MPI_ANY_TAG, comm[i], &request[NUM + i]);
    }
    MPI_Waitall(2 * NUM, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < NUM; ++i) {
        CHECK_EQ(in[i], mt_before * NUM + i);
    }
    for (int i = 0; i < NUM; ++i) {
        MPI_Comm_free(&comm[i * 7 % NUM]);
    }
}

static void split_and_group(int step)
{
    MPI_Comm part, reversed, group_comm = MPI_COMM_NULL;
    MPI_Group world, odd;
    int ranks[64], n = 0;

    MT_CASE("split and create_group %d", step);
    MPI_Comm_split(MPI_COMM_WORLD, mt_rank % 2, -mt_rank, &part);
    mt_ring(part, 5000, step);
    MPI_Comm_split(MPI_COMM_WORLD, 0 == mt_rank ? MPI_UNDEFINED : 1, 0,
                   &reversed);
    CHECK((MPI_COMM_NULL == reversed) == (0 == mt_rank));
    if (MPI_COMM_NULL != reversed) {
        mt_ring(reversed, 100, step);
        MPI_Comm_free(&reversed);
    }
    /* Only the odd ranks take part. */
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int r = 1; r < mt_size && n < 64; r += 2) {
        ranks[n++] = r;
    }
    MPI_Group_incl(world, n, ranks, &odd);
    if (1 == mt_rank % 2 && mt_rank < 128) {
        MPI_Comm_create_group(MPI_COMM_WORLD, odd, 17 + step, &group_comm);
        mt_ring(group_comm, 9000, step);
        mt_ring(part, 70000, step + 1);
        MPI_Comm_free(&group_comm);
    } else if (0 == mt_rank % 2) {
        mt_ring(part, 70000, step + 1);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&odd);
    MPI_Comm_free(&part);
}

/*
 * Fast ranks send on a new communicator, and on one made from it, at once;
 * rank 0 is slow to get there, and slow to receive.
 */
static void fast_and_slow(int step)
{
    enum { NUM = 20 };
    static const int sizes[] = {0, 8, 3000, 9000, 100000};
    unsigned char *out[NUM], *in = mt_alloc(100000);
    MPI_Request request[NUM];
    MPI_Comm comm;
    MPI_Status status;

    MT_CASE("first messages on a new communicator, %d", step);
    if (0 == mt_rank) {
        usleep(2000);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (0 != mt_rank) {
        for (int i = 0; i < NUM; ++i) {
            int size = sizes[i % 5];
            out[i] = mt_payload(size, key_of(step, mt_rank, i));
            (i % 4 == 3 ? MPI_Issend : MPI_Isend)(out[i], size, MPI_BYTE, 0,
                                                  TAG, comm, &request[i]);
        }
        MPI_Waitall(NUM, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < NUM; ++i) {
            mt_free(out[i]);
        }
    } else {
        usleep(2000);
        for (int from = mt_size - 1; from > 0; --from) {
            for (int i = 0; i < NUM; ++i) {
                int size = sizes[i % 5];
                MPI_Recv(in, 100000, MPI_BYTE, from, TAG, comm, &status);
                CHECK_STATUS(&status, from, TAG, MPI_BYTE, size);
                CHECK_PAYLOAD(in, size, key_of(step, from, i));
            }
        }
    }
    mt_free(in);
    MPI_Comm_free(&comm);
}

/*
 * The communicator is freed while its operations are pending; others are made
 * that would take its context id, and carry the same envelopes.
 */
static void freed_while_pending(int step, int size)
{
    enum { NUM = 6 };
    unsigned char *in[NUM], *out[NUM];
    MPI_Request send[NUM], receive[NUM];
    MPI_Comm comm, other;

    MT_CASE("freed while receives of %d bytes are pending", size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < NUM; ++i) {
        in[i] = mt_alloc(size);
        out[i] = mt_payload(size, key_of(step, mt_rank, i));
    }
    /* The first half is matched only when the other communicator is there:
     * its sends are persistent ones, which keep their communicator too. */
    for (int i = 0; i < NUM / 2; ++i) {
        MPI_Irecv(in[i], size, MPI_BYTE, i ? mt_before : MPI_ANY_SOURCE, TAG,
                  comm, &receive[i]);
    }
    for (int i = NUM / 2; i < NUM; ++i) {
        MPI_Issend(out[i], size, MPI_BYTE, mt_after, TAG + 1, comm, &send[i]);
        MPI_Irecv(in[i], size, MPI_BYTE, mt_before, TAG + 1, comm, &receive[i]);
    }
    for (int i = 0; i < NUM / 2; ++i) {
        MPI_Send_init(out[i], size, MPI_BYTE, mt_after, TAG, comm, &send[i]);
    }
    MPI_Comm_free(&comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    mt_ring(other, 777, step);
    mt_ring(other, 77777, step + 1);
    MPI_Startall(NUM / 2, send);
    for (int i = 0; i < NUM; ++i) {
        CHECK_WAIT(&receive[i], mt_before, i < NUM / 2 ? TAG : TAG + 1,
                   MPI_BYTE, size);
        CHECK_PAYLOAD(in[i], size, key_of(step, mt_before, i));
    }
    MPI_Waitall(NUM, send, MPI_STATUSES_IGNORE);
    for (int i = 0; i < NUM; ++i) {
        if (i < NUM / 2) {
            MPI_Request_free(&send[i]);
        }
        MT_FREE(in[i], out[i]);
    }
    mt_ring(other, 10, step);
    MPI_Comm_free(&other);
}

/*
 * A message taken by a matched probe, and one whose receive is pending, belong
 * to a communicator that has been freed meanwhile.
 */
static void probed_before_free(int step, int size)
{
    unsigned char *in = mt_alloc(size), *out = mt_alloc(size);
    MPI_Request send;
    MPI_Message message;
    MPI_Status status;
    MPI_Comm comm, other;

    MT_CASE("probed message of %d bytes of a freed communicator", size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_fill(out, size, key_of(step, mt_rank, 0));
    MPI_Isend(out, size, MPI_BYTE, mt_after, TAG, comm, &send);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, &status);
    CHECK_STATUS(&status, mt_before, TAG, MPI_BYTE, size);
    MPI_Comm_free(&comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    mt_ring(other, 1000, step);
    MPI_Mrecv(in, size, MPI_BYTE, &message, &status);
    CHECK_STATUS(&status, mt_before, TAG, MPI_BYTE, size);
    CHECK_PAYLOAD(in, size, key_of(step, mt_before, 0));
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Comm_free(&other);
    MT_FREE(in, out);
}

/* Messages that nobody received do not turn up on the next communicator. */
static void abandoned(int step, int size)
{
    static unsigned char *kept[64]; /* these sends may stay pending */
    static int num_kept;
    unsigned char *out = kept[num_kept++ % 64] = mt_alloc(size);
    MPI_Request request;
    MPI_Status status;
    MPI_Comm comm, other;

    MT_CASE("communicator freed with abandoned messages of %d bytes", size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mt_fill(out, size, key_of(step, mt_rank, 5));
    for (int i = 0; i < 5; ++i) {
        MPI_Isend(out, size, MPI_BYTE, mt_after, TAG, comm, &request);
        MPI_Request_free(&request);
    }
    /* They are there before the end: this comes after them. */
    MPI_Sendrecv(NULL, 0, MPI_BYTE, mt_after, TAG + 1, NULL, 0, MPI_BYTE,
                 mt_before, TAG + 1, comm, &status);
    MPI_Comm_free(&comm);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    mt_progress(other, 5);
    CHECK(!mt_is_there(MPI_ANY_SOURCE, MPI_ANY_TAG, other));
    MPI_Barrier(other);
    mt_ring(other, 64, step);
    MPI_Comm_free(&other);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 8, 3000, 70000};

    mt_init(&argc, &argv, 2);
    come_and_go(mt_option(argc, argv, "--times", 2000));
    many_at_a_time();
    for (int step = 0; step < 10; ++step) {
        split_and_group(step);
        fast_and_slow(step);
    }
    for (size_t s = 0; s < MT_COUNT_OF(sizes); ++s) {
        for (int step = 0; step < 6; ++step) {
            probed_before_free(step, sizes[s]);
            if (mt_flag(argc, argv, "--pending")) {
                freed_while_pending(step, sizes[s]);
            }
            if (mt_flag(argc, argv, "--abandoned")) {
                abandoned(step, sizes[s]);
            }
        }
    }
    many_at_a_time();
    return mt_finalize();
}
