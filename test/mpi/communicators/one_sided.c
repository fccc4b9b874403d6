/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One-sided communication on top of point-to-point (osc/pt2pt, which has to
 * be chosen: the table does): fences, locks, post-start-complete-wait; put,
 * get, accumulate, fetch-and-op, with and without holes (--dense: without).
 *
 *     one_sided [--locks]
 *
 * --locks    only locks, which osc/pt2pt does not survive over pml/ucx
 */
#include "mpi_test.h"

#define NUM 5000 /* longs each rank exposes to each other */

static long *window_memory;
static MPI_Win window;

static long value_of(int step, int from, int to, int i)
{
    return (long) (mt_key(step, from, to, i) >> 2);
}

static void fences(int step, int count)
{
    long *out = malloc((size_t) (mt_size * NUM) * sizeof(long));
    long *in = malloc((size_t) (mt_size * NUM) * sizeof(long));

    MT_CASE("fence, put and get of %d", count);
    memset(window_memory, 0, (size_t) (mt_size * NUM) * sizeof(long));
    MPI_Win_fence(0, window);
    for (int to = 0; to < mt_size; ++to) {
        for (int i = 0; i < count; ++i) {
            out[to * NUM + i] = value_of(step, mt_rank, to, i);
        }
        MPI_Put(out + to * NUM, count, MPI_LONG, to, (MPI_Aint) mt_rank * NUM,
                count, MPI_LONG, window);
    }
    MPI_Win_fence(0, window);
    for (int from = 0; from < mt_size; ++from) {
        for (int i = 0; i < count; ++i) {
            CHECK_EQ(window_memory[from * NUM + i],
                     value_of(step, from, mt_rank, i));
        }
    }
    for (int from = 0; from < mt_size; ++from) {
        MPI_Get(in + from * NUM, count, MPI_LONG, from,
                (MPI_Aint) mt_after * NUM, count, MPI_LONG, window);
    }
    MPI_Win_fence(0, window);
    for (int from = 0; from < mt_size; ++from) {
        for (int i = 0; i < count; ++i) {
            CHECK_EQ(in[from * NUM + i], value_of(step, mt_after, from, i));
        }
    }
    free(in);
    free(out);
}

/* A vector at the origin, another one at the target. */
static void holes(void)
{
    enum { COUNT = 600 };
    MPI_Datatype two, three;
    long out[2 * COUNT];
    int to = mt_after;
    int from = mt_before;

    MT_CASE("put with holes");
    MPI_Type_vector(COUNT, 1, 2, MPI_LONG, &two);
    MPI_Type_vector(COUNT, 1, 3, MPI_LONG, &three);
    MPI_Type_commit(&two);
    MPI_Type_commit(&three);
    for (int i = 0; i < 2 * COUNT; ++i) {
        out[i] = value_of(7, mt_rank, to, i);
    }
    memset(window_memory, 0, (size_t) (mt_size * NUM) * sizeof(long));
    MPI_Win_fence(0, window);
    MPI_Put(out, 1, two, to, 0, 1, three, window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < 3 * COUNT; ++i) {
        CHECK_EQ(window_memory[i], (i % 3 || i / 3 >= COUNT)
                                       ? 0
                                       : value_of(7, from, mt_rank, i / 3 * 2));
    }
    MPI_Type_free(&two);
    MPI_Type_free(&three);
}

static void accumulate(void)
{
    enum { COUNT = 1000 };
    long *out = malloc(COUNT * sizeof(long));

    MT_CASE("accumulate");
    memset(window_memory, 0, (size_t) (mt_size * NUM) * sizeof(long));
    for (int i = 0; i < COUNT; ++i) {
        out[i] = (mt_rank + 1) * (i + 1);
    }
    MPI_Win_fence(0, window);
    for (int to = 0; to < mt_size; ++to) {
        for (int again = 0; again < 3; ++again) {
            MPI_Accumulate(out, COUNT, MPI_LONG, to, 0, COUNT, MPI_LONG,
                           MPI_SUM, window);
        }
    }
    MPI_Win_fence(0, window);
    for (int i = 0; i < COUNT; ++i) {
        CHECK_EQ(window_memory[i], 3l * (i + 1) * mt_size * (mt_size + 1) / 2);
    }
    free(out);
}

/* Everybody draws numbers from rank 0; none is drawn twice. */
static void locks(void)
{
    enum { DRAWS = 50 };
    long one = 1, got, last = -1, sum = 0, total;

    MT_CASE("lock and fetch-and-op");
    memset(window_memory, 0, (size_t) (mt_size * NUM) * sizeof(long));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < DRAWS; ++i) {
        MPI_Win_lock(i % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0,
                     window);
        MPI_Fetch_and_op(&one, &got, MPI_LONG, 0, 0, MPI_SUM, window);
        MPI_Win_unlock(0, window);
        CHECK(got > last);
        last = got;
        sum += got;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK_EQ(total, (long) DRAWS * mt_size * (DRAWS * mt_size - 1) / 2);
}

static void post_and_start(void)
{
    MPI_Group world, to, from;
    long out[100];

    MT_CASE("post, start, complete, wait");
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &mt_after, &to);
    MPI_Group_incl(world, 1, &mt_before, &from);
    for (int i = 0; i < 100; ++i) {
        out[i] = value_of(9, mt_rank, mt_after, i);
    }
    MPI_Win_post(from, 0, window);
    MPI_Win_start(to, 0, window);
    MPI_Put(out, 100, MPI_LONG, mt_after, 3, 100, MPI_LONG, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    for (int i = 0; i < 100; ++i) {
        CHECK_EQ(window_memory[3 + i], value_of(9, mt_before, mt_rank, i));
    }
    MPI_Group_free(&world);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv, 2);
    window_memory = calloc((size_t) (mt_size * NUM), sizeof(long));
    MPI_Win_create(window_memory,
                   (MPI_Aint) mt_size * NUM * (MPI_Aint) sizeof(long),
                   sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (mt_flag(argc, argv, "--locks")) {
        locks();
    } else {
        fences(1, 1);
        fences(2, 100);
        fences(3, NUM);
        if (!mt_flag(argc, argv, "--dense")) {
            holes();
        }
        accumulate();
        post_and_start();
    }
    MT_CASE("MPI_Win_free");
    MPI_Win_free(&window);
    free(window_memory);
    return mt_finalize();
}
