/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Unusual but legal arguments: nothing sent from nowhere, MPI_BOTTOM with
 * absolute addresses, types without data, counts of large types, the combined
 * send and receive calls, and sends that read while others read.
 */
#include "mpi_test.h"

#define TAG 161

static int peer;

static uint64_t key_of(int from, int step)
{
    return mt_key(from, step, 161, 0);
}

static void zero_length(void)
{
    MPI_Datatype empty;
    MPI_Request request[2];
    MPI_Status status;
    int elements;
    char untouched = 'u';

    MT_CASE("zero length");
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    for (int kind = 0; kind < 6; ++kind) {
        bool typed = kind & 1;
        MPI_Datatype out = typed ? empty : MPI_DOUBLE;
        int count = typed ? 1000 : 0;

        (kind & 2 ? MPI_Issend : MPI_Isend)(NULL, count, out, peer, TAG + kind,
                                            MPI_COMM_WORLD, &request[0]);
        if (kind & 4) {
            MPI_Probe(peer, TAG + kind, MPI_COMM_WORLD, &status);
            CHECK_STATUS(&status, peer, TAG + kind, MPI_BYTE, 0);
        }
        MPI_Recv(&untouched, kind & 2, MPI_CHAR, peer, TAG + kind,
                 MPI_COMM_WORLD, &status);
        CHECK_STATUS(&status, peer, TAG + kind, MPI_CHAR, 0);
        MPI_Get_elements(&status, MPI_CHAR, &elements);
        CHECK_EQ(elements, 0);
        CHECK_EQ(untouched, 'u');
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&empty);
}

/* Two arrays that have nothing to do with each other, as one message. */
static void absolute_addresses(int count)
{
    unsigned char *out[2], *in[2];
    MPI_Datatype type[2];
    MPI_Aint address[2];
    const int lengths[2] = {count, count / 2};
    MPI_Request request;
    MPI_Status status;

    MT_CASE("MPI_BOTTOM, %d bytes", count);
    for (int i = 0; i < 2; ++i) {
        out[i] = mt_alloc(lengths[i]);
        in[i] = mt_alloc(lengths[i]);
        mt_fill(out[i], lengths[i], key_of(mt_rank, count + i));
    }
    for (int i = 0; i < 2; ++i) {
        unsigned char **array = i ? in : out;

        MPI_Get_address(array[0], &address[0]);
        MPI_Get_address(array[1], &address[1]);
        MPI_Type_create_hindexed(2, lengths, address, MPI_BYTE, &type[i]);
        MPI_Type_commit(&type[i]);
    }
    for (int again = 0; again < 2; ++again) {
        MPI_Isend(MPI_BOTTOM, 1, type[0], peer, TAG, MPI_COMM_WORLD, &request);
        MPI_Recv(MPI_BOTTOM, 1, type[1], peer, TAG, MPI_COMM_WORLD, &status);
        CHECK_STATUS(&status, peer, TAG, type[1], 1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < 2; ++i) {
            CHECK_PAYLOAD(in[i], lengths[i], key_of(peer, count + i));
            CHECK_GUARDS(in[i]);
            memset(in[i], 0, lengths[i]);
        }
    }
    for (int i = 0; i < 2; ++i) {
        MT_FREE(out[i], in[i]);
        MPI_Type_free(&type[i]);
    }
}

/* A few elements of a type of 256 KiB and a type of one byte in 64. */
static void large_types(void)
{
    const int kib = 256;
    MPI_Datatype block, sparse, resized;
    size_t size = 3 * (size_t) kib * 1024;
    unsigned char *out = mt_alloc(size), *in = mt_alloc(size * 4);
    MPI_Request request;
    MPI_Status status;
    int elements;

    MT_CASE("large types");
    MPI_Type_contiguous(kib * 1024, MPI_BYTE, &block);
    MPI_Type_commit(&block);
    MPI_Type_create_resized(MPI_BYTE, 0, 64, &resized);
    MPI_Type_contiguous(1000, resized, &sparse);
    MPI_Type_commit(&sparse);
    mt_fill(out, size, key_of(mt_rank, 1));

    MPI_Isend(out, 3, block, peer, TAG, MPI_COMM_WORLD, &request);
    MPI_Recv(in, 12, block, peer, TAG, MPI_COMM_WORLD, &status);
    CHECK_STATUS(&status, peer, TAG, block, 3);
    MPI_Get_elements(&status, block, &elements);
    CHECK_EQ(elements, size);
    CHECK_PAYLOAD(in, size, key_of(peer, 1));
    CHECK_UNTOUCHED(in + size, 3 * size);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    MPI_Isend(out, 8, sparse, peer, TAG, MPI_COMM_WORLD, &request);
    MPI_Recv(in, (int) size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &status);
    CHECK_STATUS(&status, peer, TAG, MPI_BYTE, 8000);
    for (size_t i = 0; i < 8000; ++i) {
        CHECK_EQ(in[i], mt_byte(key_of(peer, 1), i * 64));
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&block);
    MPI_Type_free(&resized);
    MPI_Type_free(&sparse);
    MT_FREE(out, in);
}

/* Every rank in a ring; also with itself and with nobody. */
static void combined(int size)
{
    unsigned char *out = mt_alloc(size), *in = mt_alloc(size);
    MPI_Status status;

    MT_CASE("Sendrecv and Sendrecv_replace of %d bytes", size);
    mt_fill(out, size, key_of(mt_rank, size));
    MPI_Sendrecv(out, size, MPI_BYTE, mt_after, TAG, in, size, MPI_BYTE,
                 mt_before, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK_STATUS(&status, mt_before, TAG, MPI_BYTE, size);
    CHECK_PAYLOAD(in, size, key_of(mt_before, size));

    MPI_Sendrecv_replace(out, size, MPI_BYTE, mt_after, TAG, mt_before, TAG,
                         MPI_COMM_WORLD, &status);
    CHECK_STATUS(&status, mt_before, TAG, MPI_BYTE, size);
    CHECK_PAYLOAD(out, size, key_of(mt_before, size));

    MPI_Sendrecv_replace(out, size, MPI_BYTE, mt_rank, TAG, mt_rank, TAG,
                         MPI_COMM_WORLD, &status);
    CHECK_STATUS(&status, mt_rank, TAG, MPI_BYTE, size);
    CHECK_PAYLOAD(out, size, key_of(mt_before, size));

    MPI_Sendrecv_replace(out, size, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_PROC_NULL,
                         TAG, MPI_COMM_WORLD, &status);
    CHECK_STATUS(&status, MPI_PROC_NULL, MPI_ANY_TAG, MPI_BYTE, 0);
    CHECK_PAYLOAD(out, size, key_of(mt_before, size));
    MT_FREE(out, in);
}

/* The same buffer is sent several times at once (MPI 2.2 and later). */
static void one_buffer_many_sends(int size)
{
    enum { NUM = 10 };
    unsigned char *out = mt_alloc(size), *in = mt_alloc(size);
    MPI_Request request[NUM];

    MT_CASE("%d bytes sent %d times at once", size, NUM);
    mt_fill(out, size, key_of(mt_rank, size));
    for (int i = 0; i < NUM; ++i) {
        mt_isend(out, size, peer, TAG + i, &request[i]);
    }
    CHECK_PAYLOAD(out, size, key_of(mt_rank, size));
    for (int i = NUM - 1; i >= 0; --i) {
        memset(in, 0, size);
        CHECK_RECV(in, size, peer, TAG + i, MPI_COMM_WORLD, key_of(peer, size));
    }
    MPI_Waitall(NUM, request, MPI_STATUSES_IGNORE);
    MT_FREE(out, in);
}

/* A buffered send may reuse its memory at once, detaching waits for all. */
static void buffered(void)
{
    enum { NUM = 30, SIZE = 20000 };
    unsigned char *data = mt_alloc(SIZE);
    MPI_Request request;

    MT_CASE("buffered sends and detaching");
    mt_attach(NUM * (SIZE + MPI_BSEND_OVERHEAD));
    for (int i = 0; i < NUM; ++i) {
        mt_fill(data, SIZE, key_of(mt_rank, i));
        if (i % 2) {
            MPI_Bsend(data, SIZE, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
        } else {
            MPI_Ibsend(data, SIZE, MPI_BYTE, peer, TAG, MPI_COMM_WORLD,
                       &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        memset(data, 0, SIZE);
    }
    if (0 == mt_rank % 2) { /* one side detaches before it receives */
        mt_detach();
    }
    for (int i = 0; i < NUM; ++i) {
        CHECK_RECV(data, SIZE, peer, TAG, MPI_COMM_WORLD, key_of(peer, i));
    }
    if (0 != mt_rank % 2) {
        mt_detach();
    }
    mt_free(data);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 1, 100, 8193, 65537, 1 << 20};

    mt_init(&argc, &argv, 2);
    peer = mt_peer;
    if (peer >= mt_size) {
        peer = mt_rank;
    }
    zero_length();
    large_types();
    for (size_t s = 0; s < MT_COUNT_OF(sizes); ++s) {
        combined(sizes[s]);
        one_buffer_many_sends(sizes[s]);
        if (sizes[s] > 0) {
            absolute_addresses(sizes[s]);
        }
    }
    if (peer != mt_rank) {
        buffered();
    }
    return mt_finalize();
}
