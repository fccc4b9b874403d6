/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives, which Open MPI builds on point-to-point with internal tags:
 * blocking and nonblocking, over datatypes with holes and random counts,
 * several at a time, with receives of the user posted that take any tag.
 *
 * --late-root: the root of MPI_Gather calls it after all others have returned
 * from it. MPI promises no program that this works; coll/champion with
 * prefetching does it, if the ranks are on more than one host.
 */
#include "mpi_test.h"
#include "mpi_test_layout.h"

#define NUM_ROUNDS 8

/* Bytes of a block: coll/champion gathers it; coll/tuned's root of two to seven
 * processes would ask for it. */
enum { LONG = 300000 };

static uint64_t key_of(int round, int from, int to)
{
    return mt_key(round, from, to, 121);
}

/* Elements that `from` sends to `to`; both know it. */
static int count_of(int round, int from, int to)
{
    static const int most[] = {3, 40, 700, 9000};

    return (int) (mt_key(mt_seed, round, from, to) %
                  (uint64_t) (most[round % 4] + 1));
}

/* What a rank has sent, in elements of an array. */
static void check_elements(const mt_layout_t *layout, const void *base,
                           int first, int count, uint64_t key)
{
    size_t i = 0;

    for (int e = 0; e < count; ++e) {
        for (int b = 0; b < layout->num_blocks; ++b) {
            const unsigned char *at = (const unsigned char *) base +
                                      (first + e) * layout->extent +
                                      layout->offset[b];
            for (size_t j = 0; j < layout->length[b]; ++j, ++i) {
                CHECK_EQ(at[j], mt_byte(key, i));
            }
        }
    }
}

static void all_to_all(MPI_Comm comm, const mt_layout_t *from,
                       const mt_layout_t *to, int round, bool immediate)
{
    int size = mt_size_in(comm), rank = mt_rank_in(comm), out_total = 0,
        in_total = 0;
    int *out_count, *in_count, *out_at, *in_at;
    void *memory[2], *base[2];
    MPI_Request request;

    MT_CASE("all-to-all, round %d, %s to %s", round, from->name, to->name);
    out_count = malloc(4 * (size_t) size * sizeof(int));
    in_count = out_count + size;
    out_at = in_count + size;
    in_at = out_at + size;
    for (int r = 0; r < size; ++r) {
        out_at[r] = out_total;
        in_at[r] = in_total;
        out_total += out_count[r] = count_of(round, rank, r);
        in_total += in_count[r] = count_of(round, r, rank);
    }
    memory[0] = mt_layout_alloc(from, out_total, &base[0]);
    memory[1] = mt_layout_alloc(to, in_total, &base[1]);
    for (int r = 0; r < size; ++r) {
        mt_layout_fill(from, (char *) base[0] + out_at[r] * from->extent,
                       out_count[r], key_of(round, rank, r));
    }
    if (immediate) {
        MPI_Ialltoallv(base[0], out_count, out_at, from->type, base[1],
                       in_count, in_at, to->type, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Alltoallv(base[0], out_count, out_at, from->type, base[1], in_count,
                      in_at, to->type, comm);
    }
    for (int r = 0; r < size; ++r) {
        check_elements(to, base[1], in_at[r], in_count[r],
                       key_of(round, r, rank));
    }
    MT_FREE(memory[0], memory[1]);
    free(out_count);
}

static void broadcast(MPI_Comm comm, const mt_layout_t *layout, int root,
                      int count)
{
    uint64_t key = key_of(count, root, 999);
    void *memory, *base;
    int rank = mt_rank_in(comm);

    MT_CASE("broadcast of %d x %s from %d", count, layout->name, root);
    memory = mt_layout_alloc(layout, count, &base);
    if (rank == root) {
        mt_layout_fill(layout, base, count, key);
    }
    MPI_Bcast(base, count, layout->type, root, comm);
    CHECK_LAYOUT(layout, memory, base, count, layout->size * (size_t) count,
                 key, false);
    mt_free(memory);
}

static void reduce(MPI_Comm comm, int count)
{
    int rank = mt_rank_in(comm), size = mt_size_in(comm);
    long *in = malloc(((size_t) count + 1) * sizeof(long));
    long *out = malloc(((size_t) count + 1) * sizeof(long));

    MT_CASE("reductions of %d", count);
    for (int i = 0; i < count; ++i) {
        in[i] = (long) (rank + 1) * (i + 1);
    }
    MPI_Allreduce(in, out, count, MPI_LONG, MPI_SUM, comm);
    for (int i = 0; i < count; ++i) {
        CHECK_EQ(out[i], (long) (i + 1) * size * (size + 1) / 2);
    }
    memcpy(out, in, count * sizeof(long));
    MPI_Allreduce(MPI_IN_PLACE, out, count, MPI_LONG, MPI_MAX, comm);
    for (int i = 0; i < count; ++i) {
        CHECK_EQ(out[i], (long) (i + 1) * size);
    }
    for (int root = 0; root < size; ++root) {
        MPI_Reduce(in, rank == root ? out : NULL, count, MPI_LONG, MPI_SUM,
                   root, comm);
        for (int i = 0; i < count && rank == root; ++i) {
            CHECK_EQ(out[i], (long) (i + 1) * size * (size + 1) / 2);
        }
        memcpy(out, in, count * sizeof(long));
        MPI_Reduce(rank == root ? MPI_IN_PLACE : out, out, count, MPI_LONG,
                   MPI_MIN, root, comm);
        for (int i = 0; i < count && rank == root; ++i) {
            CHECK_EQ(out[i], i + 1);
        }
    }
    MPI_Scan(in, out, count, MPI_LONG, MPI_SUM, comm);
    for (int i = 0; i < count; ++i) {
        CHECK_EQ(out[i], (long) (i + 1) * (rank + 1) * (rank + 2) / 2);
    }
    free(in);
    free(out);
}

static void gather_and_scatter(MPI_Comm comm, int root, int round)
{
    int rank = mt_rank_in(comm), size = mt_size_in(comm), total = 0;
    int *count, *at;
    unsigned char *all, *mine;

    MT_CASE("gather and scatter, root %d", root);
    count = malloc(2 * (size_t) size * sizeof(int));
    at = count + size;
    for (int r = 0; r < size; ++r) {
        at[r] = total;
        total += count[r] = count_of(round, r, root);
    }
    all = mt_alloc(total);
    mine = mt_payload(count[rank], key_of(round, rank, root));
    MPI_Gatherv(mine, count[rank], MPI_BYTE, all, count, at, MPI_BYTE, root,
                comm);
    if (rank == root) {
        for (int r = 0; r < size; ++r) {
            CHECK_PAYLOAD(all + at[r], count[r], key_of(round, r, root));
        }
    }
    memset(mine, 0, count[rank]);
    MPI_Scatterv(all, count, at, MPI_BYTE, mine, count[rank], MPI_BYTE, root,
                 comm);
    CHECK_PAYLOAD(mine, count[rank], key_of(round, rank, root));
    MPI_Allgatherv(mine, count[rank], MPI_BYTE, all, count, at, MPI_BYTE, comm);
    for (int r = 0; r < size; ++r) {
        CHECK_PAYLOAD(all + at[r], count[r], key_of(round, r, root));
    }
    MT_FREE(all, mine);
    free(count);
}

/* Blocks that are long enough for the root of coll/champion to be sent them
 * unasked; of different types at root and others, or in place. */
static void gather_long(MPI_Comm comm, const mt_layout_t *from,
                        const mt_layout_t *to, int root, int round)
{
    const int count = (int) ((size_t) (LONG + 40 * round) / from->size);
    const bool in_place = 0 != round % 2;
    void *memory[2], *mine, *all;
    int rank = mt_rank_in(comm), size;

    MPI_Comm_size(comm, &size);
    MT_CASE("gather of %d x %s to %s, root %d%s", count, from->name, to->name,
            root, in_place ? ", in place" : "");
    memory[0] = mt_layout_alloc(from, count, &mine);
    memory[1] = mt_layout_alloc(to, count * size, &all);
    if (rank == root && in_place) {
        mt_layout_fill(to, (char *) all + rank * count * to->extent, count,
                       key_of(round, rank, root));
    } else {
        mt_layout_fill(from, mine, count, key_of(round, rank, root));
    }
    if (0 == round % 3 && rank == root) {
        usleep(10000); /* so that the others wait */
    }
    CHECK_OK(MPI_Gather(rank == root && in_place ? MPI_IN_PLACE : mine, count,
                        from->type, all, count, to->type, root, comm));
    for (int r = 0; r < size && rank == root; ++r) {
        check_elements(to, all, r * count, count, key_of(round, r, root));
    }
    MT_FREE(memory[0], memory[1]);
}

/* Ibarriers, ibcasts and iallreduces of several communicators at a time. */
static void many_at_a_time(MPI_Comm comm)
{
    enum { NUM = 20 };
    MPI_Comm other;
    MPI_Request request[3 * NUM];
    int rank = mt_rank_in(comm), size = mt_size_in(comm), sum[NUM], value[NUM];

    MT_CASE("many nonblocking collectives");
    MPI_Comm_dup(comm, &other);
    for (int i = 0; i < NUM; ++i) {
        MPI_Comm on = i % 2 ? comm : other;

        value[i] = (i % size == rank) ? i : -1;
        MPI_Ibarrier(on, &request[3 * i]);
        MPI_Ibcast(&value[i], 1, MPI_INT, i % size, on, &request[3 * i + 1]);
        MPI_Iallreduce(&rank, &sum[i], 1, MPI_INT, MPI_SUM, on,
                       &request[3 * i + 2]);
    }
    MPI_Waitall(3 * NUM, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < NUM; ++i) {
        CHECK_EQ(value[i], i);
        CHECK_EQ(sum[i], size * (size - 1) / 2);
    }
    MPI_Comm_free(&other);
}

static void late_root(void)
{
    char *mine = mt_alloc(LONG), *all = mt_alloc(LONG * (size_t) mt_size);

    for (int round = 0; round < 10; ++round) {
        MT_CASE("late root, round %d", round);
        mt_fill(mine, LONG, key_of(round, mt_rank, 0));
        for (int r = 1; r < mt_size && 0 == mt_rank; ++r) {
            mt_hear(r, round, MPI_COMM_WORLD);
        }
        CHECK_OK(MPI_Gather(mine, LONG, MPI_BYTE, all, LONG, MPI_BYTE, 0,
                            MPI_COMM_WORLD));
        if (0 != mt_rank) {
            mt_tell(0, round, MPI_COMM_WORLD);
        }
        for (int r = 0; r < mt_size && 0 == mt_rank; ++r) {
            CHECK_PAYLOAD(all + (size_t) r * LONG, LONG, key_of(round, r, 0));
        }
    }
    MT_FREE(mine, all);
}

static void all_collectives(void)
{
    static const int counts[] = {0, 1, 100, 2000, 30000};
    unsigned char nothing[8];
    mt_layout_t layout[9];
    MPI_Comm comm, reversed;
    MPI_Request wildcard;
    int n;

    n = mt_layouts_of_int(layout, 9);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -mt_rank, &reversed);
    /* Internal tags are none of a wildcard's business. */
    MPI_Irecv(nothing, sizeof(nothing), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
              comm, &wildcard);
    for (int round = 0; round < NUM_ROUNDS; ++round) {
        MPI_Comm on = round % 2 ? reversed : comm;

        all_to_all(on, &layout[round % n], &layout[(round + 3) % n], round,
                   round % 4 > 1);
        gather_and_scatter(on, round % mt_size, round);
        gather_long(on, &layout[(round + 2) % n], &layout[(round + 5) % n],
                    (round / 2) % mt_size, round);
        MPI_Barrier(on);
    }
    for (int i = 0; i < n; ++i) {
        broadcast(comm, &layout[i], i % mt_size, counts[i % 5]);
        broadcast(reversed, &layout[i], (i + 1) % mt_size, 3000);
    }
    for (size_t i = 0; i < MT_COUNT_OF(counts); ++i) {
        reduce(comm, counts[i]);
        reduce(reversed, counts[i]);
    }
    many_at_a_time(comm);
    CHECK(!mt_is_there(MPI_ANY_SOURCE, MPI_ANY_TAG, comm));
    MPI_Cancel(&wildcard);
    CHECK(mt_wait_cancelled(&wildcard));
    mt_layouts_free(layout, n);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&reversed);
}

int main(int argc, char **argv)
{
    mt_init(&argc, &argv, 1);
    if (mt_flag(argc, argv, "--late-root")) {
        late_root();
    } else {
        all_collectives();
    }
    return mt_finalize();
}
