/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCX may split a message anywhere, even within an element of a non-contiguous
 * datatype: lengths around every limit and far above them, elements of 3 to 32
 * bytes, to another process and to this one. The receiver takes what comes
 * first, so that an envelope which was read in the wrong place is noticed.
 */
#include "mpi_test.h"
#include "mpi_test_layout.h"

#include <complex.h>

#define TAG 31

static MPI_Comm ready;

typedef struct {
    char c[3];
    double d;
} chars_double_t;

typedef struct {
    int i;
    double d[2];
} int_doubles_t;

typedef struct {
    char c;
    double _Complex z;
} char_complex_t;

typedef struct {
    char c[5];
    long double _Complex l;
} chars_long_complex_t;

/* count[0] of type[0], then of type[1] at an offset. */
static void make_struct(mt_layout_t *layout, const char *name,
                        const int count[2], const MPI_Datatype type[2],
                        ptrdiff_t second, ptrdiff_t extent)
{
    MPI_Datatype plain;
    int size[2];

    MPI_Type_size(type[0], &size[0]);
    MPI_Type_size(type[1], &size[1]);
    *layout = (mt_layout_t){.name = name, .extent = extent};
    mt_layout_block(layout, 0, (size_t) count[0] * (size_t) size[0]);
    mt_layout_block(layout, second, (size_t) count[1] * (size_t) size[1]);
    MPI_Type_create_struct(2, count, (MPI_Aint[]){0, second}, type, &plain);
    MPI_Type_create_resized(plain, 0, extent, &layout->type);
    MPI_Type_free(&plain);
    mt_layout_commit(layout);
}

static int make_layouts(mt_layout_t *layout)
{
    int n = 0;

    make_struct(&layout[n++], "char[3], double", (int[]){3, 1},
                (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE},
                offsetof(chars_double_t, d), sizeof(chars_double_t));
    make_struct(&layout[n++], "int, double[2]", (int[]){1, 2},
                (MPI_Datatype[]){MPI_INT, MPI_DOUBLE},
                offsetof(int_doubles_t, d), sizeof(int_doubles_t));
    make_struct(&layout[n++], "char, double complex", (int[]){1, 1},
                (MPI_Datatype[]){MPI_CHAR, MPI_C_DOUBLE_COMPLEX},
                offsetof(char_complex_t, z), sizeof(char_complex_t));
#if !defined(OMPI_MAJOR_VERSION) || OMPI_MAJOR_VERSION < 5
    /* Later series leave out the padding that a long double has. */
    make_struct(&layout[n++], "char[5], long double complex", (int[]){5, 1},
                (MPI_Datatype[]){MPI_CHAR, MPI_C_LONG_DOUBLE_COMPLEX},
                offsetof(chars_long_complex_t, l),
                sizeof(chars_long_complex_t));
#endif
    /* The gap is as large as the data: the shape of a column. */
    make_struct(&layout[n++], "double[3], double[3]", (int[]){3, 3},
                (MPI_Datatype[]){MPI_DOUBLE, MPI_DOUBLE}, 48, 96);
    return n;
}

static void send(void *base, const mt_layout_t *layout, int count, int mode,
                 int to)
{
    switch (mode) {
    case 0:
        MPI_Send(base, count, layout->type, to, TAG, MPI_COMM_WORLD);
        break;
    case 1:
        MPI_Ssend(base, count, layout->type, to, TAG, MPI_COMM_WORLD);
        break;
    default:
        MPI_Bsend(base, count, layout->type, to, TAG, MPI_COMM_WORLD);
    }
}

/* Both partners call this; alone if they are the same. */
static void exchange(const mt_layout_t *layout, int count, int mode,
                     bool expected, int from, int to)
{
    uint64_t key = mt_key(count, mode, expected, 7);
    size_t bytes = layout->size * (size_t) count;
    void *sent = NULL, *received = NULL, *base = NULL, *into = NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;

    MT_CASE("%d x %s, %zu bytes, mode %d, %d to %d, %s", count, layout->name,
            bytes, mode, from, to, expected ? "expected" : "unexpected");
    if (mt_rank == from) {
        sent = mt_layout_alloc(layout, count, &base);
        mt_layout_fill(layout, base, count, key);
    }
    if (mt_rank == to) {
        received = mt_layout_alloc(layout, count, &into);
        if (expected || from == to) {
            MPI_Irecv(into, count, layout->type, MPI_ANY_SOURCE, MPI_ANY_TAG,
                      MPI_COMM_WORLD, &request);
        }
    }
    if (from != to && expected) {
        mt_meet(from + to - mt_rank, TAG, ready);
    }
    if (mt_rank == from) {
        send(base, layout, count, mode, to);
        mt_free(sent);
    }
    if (mt_rank == to) {
        if (MPI_REQUEST_NULL == request) {
            MPI_Recv(into, count, layout->type, MPI_ANY_SOURCE, MPI_ANY_TAG,
                     MPI_COMM_WORLD, &status);
        } else {
            MPI_Wait(&request, &status);
        }
        CHECK_STATUS(&status, from, TAG, layout->type, count);
        CHECK_LAYOUT(layout, received, into, count, bytes, key, false);
        mt_free(received);
    }
}

/* Receives that can be given to UCX (pml_champion_offload): with the first of
 * them each message from this peer gets a tag, those of all_of(), too. */
static void offloadable(void)
{
    static char in[8][1024], out[1024];
    MPI_Request requests[MT_COUNT_OF(in)];

    MT_CASE("receives that can be offloaded, with %d", mt_peer);
    for (size_t i = 0; i < MT_COUNT_OF(in); ++i) {
        MPI_Irecv(in[i], sizeof(in[i]), MPI_CHAR, mt_peer, TAG, MPI_COMM_WORLD,
                  &requests[i]);
    }
    for (size_t i = 0; i < MT_COUNT_OF(in); ++i) {
        mt_fill(out, sizeof(out), mt_key(i, mt_rank, 2, 7));
        mt_meet(mt_peer, TAG, ready);
        MPI_Send(out, sizeof(out), MPI_CHAR, mt_peer, TAG, MPI_COMM_WORLD);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        CHECK_PAYLOAD((unsigned char *) in[i], sizeof(in[i]),
                      mt_key(i, mt_peer, 2, 7));
    }
}

/* Lengths, bytes: what is sent at once, what UCX takes for a piece over shared
 * memory and others, and beyond. */
static const size_t limits[] = {64,   1024,  4096,  8192,   8208,   9000,
                                9856, 16384, 65536, 131072, 400000, 1500000};

static void all_of(const mt_layout_t *layout, int from, int to)
{
    int serial = 0;

    for (size_t i = 0; i < MT_COUNT_OF(limits); ++i) {
        int count = (int) (limits[i] / layout->size);

        for (int more = -2; more <= 2; ++more) {
            if (count + more > 0) {
                exchange(layout, count + more, serial % 3, serial / 3 % 2, from,
                         to);
                ++serial;
            }
        }
    }
}

int main(int argc, char **argv)
{
    mt_layout_t layout[8];
    int n;

    mt_init(&argc, &argv, 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &ready);
    mt_attach(16000000 + MPI_BSEND_OVERHEAD);
    n = make_layouts(layout);
    if (mt_peer < mt_size) {
        offloadable();
    }
    for (int i = 0; i < n; ++i) {
        all_of(&layout[i], mt_rank, mt_rank);
        /* What a partner sends is not for a receive from oneself. */
        MPI_Barrier(ready);
        if (mt_peer < mt_size) {
            all_of(&layout[i], mt_rank & ~1, mt_rank | 1);
            all_of(&layout[i], mt_rank | 1, mt_rank & ~1);
        }
        MPI_Type_free(&layout[i].type);
    }
    mt_detach();
    MPI_Comm_free(&ready);
    return mt_finalize();
}
