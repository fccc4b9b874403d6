/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Non-contiguous data arrives where its type map says, and nowhere else:
 * every layout sent to every other one, small and large, expected and not,
 * packed on either side, and into receives that are larger than the message.
 *
 *     noncontiguous_datatypes [--huge]
 *
 * --huge: only messages of more than 2 GiB with gaps, between two ranks; they
 * take 4.5 GB of memory.
 */
#include "mpi_test.h"
#include "mpi_test_layout.h"

#define TAG 21
#define TAG_READY 22
#define MAX_LAYOUTS 9

/* Both partners call this with the same arguments. */
static void exchange(const mt_layout_t *from, const mt_layout_t *to, int count,
                     bool expected, int mode, uint64_t key)
{
    void *memory, *base;
    MPI_Request request;
    MPI_Status status;

    MT_CASE("%d x %s to %s, %s", count, from->name, to->name,
            expected ? "expected" : "unexpected");
    if (0 == mt_rank % 2) {
        memory = mt_layout_alloc(from, count, &base);
        mt_layout_fill(from, base, count, key);
        if (expected) {
            mt_hear(mt_peer, TAG_READY, MPI_COMM_WORLD);
        }
        if (0 == mode) {
            MPI_Send(base, count, from->type, mt_peer, TAG, MPI_COMM_WORLD);
        } else if (1 == mode) {
            MPI_Isend(base, count, from->type, mt_peer, TAG, MPI_COMM_WORLD,
                      &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Ssend(base, count, from->type, mt_peer, TAG, MPI_COMM_WORLD);
        }
        CHECK_LAYOUT(from, memory, base, count, from->size * (size_t) count,
                     key, false);
    } else {
        memory = mt_layout_alloc(to, count, &base);
        if (expected) {
            MPI_Irecv(base, count, to->type, mt_peer, TAG, MPI_COMM_WORLD,
                      &request);
            mt_tell(mt_peer, TAG_READY, MPI_COMM_WORLD);
            MPI_Wait(&request, &status);
        } else {
            MPI_Probe(mt_peer, TAG, MPI_COMM_WORLD, &status);
            MPI_Recv(base, count, to->type, mt_peer, TAG, MPI_COMM_WORLD,
                     &status);
        }
        CHECK_STATUS(&status, mt_peer, TAG, to->type, count);
        CHECK_LAYOUT(to, memory, base, count, to->size * (size_t) count, key,
                     false);
    }
    mt_free(memory);
}

static void all_pairs(const mt_layout_t *layout, int n)
{
    static const int counts[] = {1, 3, 30, 300, 2000};
    uint64_t serial = 0;

    for (int from = 0; from < n; ++from) {
        for (int to = 0; to < n; ++to) {
            for (size_t c = 0; c < MT_COUNT_OF(counts); ++c, serial += 2) {
                for (int expected = 0; expected < 2; ++expected) {
                    exchange(&layout[from], &layout[to], counts[c], expected,
                             (int) ((serial / 2) % 3),
                             mt_key(serial, expected, 2, 2));
                }
            }
        }
        exchange(&layout[from], &layout[(from + 1) % n], 0, from % 2, 0, 0);
        exchange(&layout[from], &layout[(from + 3) % n], 60000, from % 2, 0,
                 mt_key(from, 3, 3, 3));
    }
}

/* `sent` integers into room for `count` elements. */
static void partial(const mt_layout_t *to, int count, int sent, bool expected)
{
    uint64_t key = mt_key(count, sent, expected, 4);
    size_t bytes = (size_t) sent * sizeof(int);
    int whole =
        (0 == sent % MT_LAYOUT_INTS) ? sent / MT_LAYOUT_INTS : MPI_UNDEFINED;
    void *memory, *base;
    MPI_Request request;
    MPI_Status status;
    int elements;

    MT_CASE("%d integers into %d x %s, %s", sent, count, to->name,
            expected ? "expected" : "unexpected");
    if (0 == mt_rank % 2) {
        int *data = mt_payload(bytes, key);

        if (expected) {
            mt_hear(mt_peer, TAG_READY, MPI_COMM_WORLD);
        }
        MPI_Send(data, sent, MPI_INT, mt_peer, TAG, MPI_COMM_WORLD);
        mt_free(data);
        return;
    }
    memory = mt_layout_alloc(to, count, &base);
    if (expected) {
        MPI_Irecv(base, count, to->type, mt_peer, TAG, MPI_COMM_WORLD,
                  &request);
        mt_tell(mt_peer, TAG_READY, MPI_COMM_WORLD);
        MPI_Wait(&request, &status);
    } else {
        MPI_Probe(mt_peer, TAG, MPI_COMM_WORLD, &status);
        CHECK_STATUS(&status, mt_peer, TAG, MPI_INT, sent);
        MPI_Recv(base, count, to->type, mt_peer, TAG, MPI_COMM_WORLD, &status);
    }
    CHECK_STATUS(&status, mt_peer, TAG, to->type, whole);
    CHECK_STATUS(&status, mt_peer, TAG, MPI_INT, sent);
    MPI_Get_elements(&status, to->type, &elements);
    CHECK_EQ(elements, sent);
    CHECK_LAYOUT(to, memory, base, count, bytes, key, false);
    mt_free(memory);
}

/* MPI_Pack on one side, the layout on the other. */
static void packed(const mt_layout_t *layout, int count)
{
    size_t size = layout->size * (size_t) count;
    uint64_t key = mt_key(size, 5, 5, 5);
    int room, position = 0;
    void *memory, *base, *pack;
    MPI_Status status;

    MT_CASE("%d x %s and MPI_PACKED", count, layout->name);
    MPI_Pack_size(count, layout->type, MPI_COMM_WORLD, &room);
    pack = mt_alloc(room);
    memory = mt_layout_alloc(layout, count, &base);
    if (0 == mt_rank % 2) {
        mt_layout_fill(layout, base, count, key);
        MPI_Pack(base, count, layout->type, pack, room, &position,
                 MPI_COMM_WORLD);
        MPI_Send(pack, position, MPI_PACKED, mt_peer, TAG, MPI_COMM_WORLD);
        MPI_Send(base, count, layout->type, mt_peer, TAG, MPI_COMM_WORLD);
    } else {
        MPI_Recv(base, count, layout->type, mt_peer, TAG, MPI_COMM_WORLD,
                 &status);
        CHECK_STATUS(&status, mt_peer, TAG, layout->type, count);
        CHECK_LAYOUT(layout, memory, base, count, size, key, false);
        mt_free(memory);
        memory = mt_layout_alloc(layout, count, &base);
        MPI_Recv(pack, room, MPI_PACKED, mt_peer, TAG, MPI_COMM_WORLD, &status);
        MPI_Unpack(pack, room, &position, base, count, layout->type,
                   MPI_COMM_WORLD);
        CHECK_LAYOUT(layout, memory, base, count, size, key, false);
    }
    MT_FREE(memory, pack);
}

/* A type may be freed as soon as the operation with it has started. */
static void freed_type(void)
{
    const int count = 3000;
    uint64_t key = mt_key(6, 6, 6, 6);
    mt_layout_t layout[MAX_LAYOUTS];
    int n = mt_layouts_of_int(layout, MAX_LAYOUTS);
    void *memory, *base;
    MPI_Request request;
    MPI_Status status;

    MT_CASE("type freed while the operation is pending");
    memory = mt_layout_alloc(&layout[1], count, &base);
    if (0 == mt_rank % 2) {
        mt_layout_fill(&layout[1], base, count, key);
        MPI_Isend(base, count, layout[1].type, mt_peer, TAG, MPI_COMM_WORLD,
                  &request);
    } else {
        MPI_Irecv(base, count, layout[1].type, mt_peer, TAG, MPI_COMM_WORLD,
                  &request);
    }
    mt_layouts_free(layout, n);
    MPI_Wait(&request, &status);
    if (0 != mt_rank % 2) {
        CHECK_STATUS(&status, mt_peer, TAG, MPI_INT, count * MT_LAYOUT_INTS);
        CHECK_LAYOUT(&layout[1], memory, base, count,
                     layout[1].size * (size_t) count, key, false);
    }
    mt_free(memory);
}

/* Blocks of words with a gap after each. */
enum { BLOCK = 1021, PITCH = 1024, NUM_BLOCKS = 270000 };
_Static_assert((long long) BLOCK *NUM_BLOCKS * 8 > 1LL << 31, "too small");
#define GAP UINT64_C(0x5a5a5a5a5a5a5a5a)

static MPI_Datatype type_of_block(void)
{
    MPI_Datatype words, block;

    MPI_Type_contiguous(BLOCK, MPI_UINT64_T, &words);
    MPI_Type_create_resized(words, 0, PITCH * 8, &block);
    MPI_Type_commit(&block);
    MPI_Type_free(&words);
    return block;
}

static void huge_fill(uint64_t *area, uint64_t key)
{
    for (size_t i = 0; i < (size_t) PITCH * NUM_BLOCKS; ++i) {
        area[i] = i % PITCH < BLOCK && 0 != key ? mt_mix(key + i) : GAP;
    }
}

static void huge_check(const uint64_t *area, uint64_t key)
{
    size_t wrong = 0;

    for (size_t i = 0; i < (size_t) PITCH * NUM_BLOCKS; ++i) {
        wrong += area[i] != (i % PITCH < BLOCK ? mt_mix(key + i) : GAP);
    }
    CHECK_EQ(wrong, 0);
}

/* As many blocks, or as one element of a type that is itself that large. */
static void huge(bool one, bool expected, uint64_t key)
{
    uint64_t *area = malloc((size_t) PITCH * NUM_BLOCKS * 8);
    MPI_Datatype block = type_of_block(), all;
    MPI_Request request;
    MPI_Status status;
    MPI_Count elements;
    int count = one ? 1 : NUM_BLOCKS;

    MT_CASE("more than 2 GiB, %s, %s", one ? "one element" : "many elements",
            expected ? "expected" : "unexpected");
    CHECK(NULL != area);
    MPI_Type_contiguous(one ? NUM_BLOCKS : 1, block, &all);
    MPI_Type_commit(&all);
    huge_fill(area, 0 == mt_rank ? key : 0);
    if (1 == mt_rank && expected) {
        MPI_Irecv(area, count, all, 0, TAG, MPI_COMM_WORLD, &request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == mt_rank) {
        MPI_Isend(area, count, all, 1, TAG, MPI_COMM_WORLD, &request);
        mt_tell(1, TAG_READY, MPI_COMM_WORLD);
    } else {
        mt_hear(0, TAG_READY, MPI_COMM_WORLD);
        if (!expected) {
            MPI_Irecv(area, count, all, 0, TAG, MPI_COMM_WORLD, &request);
        }
    }
    MPI_Wait(&request, &status);
    if (1 == mt_rank) {
        MPI_Get_elements_x(&status, all, &elements);
        CHECK_EQ(elements, (long long) BLOCK * NUM_BLOCKS);
    }
    huge_check(area, key);
    MPI_Type_free(&all);
    MPI_Type_free(&block);
    free(area);
}

int main(int argc, char **argv)
{
    mt_layout_t layout[MAX_LAYOUTS], structure[3];
    int n;

    mt_init(&argc, &argv, 2);
    if (mt_flag(argc, argv, "--huge")) {
        CHECK_EQ(mt_size, 2);
        huge(false, true, 1 + mt_seed);
        huge(true, false, 2 + mt_seed);
        return mt_finalize();
    }
    n = mt_layouts_of_int(layout, MAX_LAYOUTS);
    mt_layouts_of_struct(structure);
    if (mt_peer < mt_size) {
        all_pairs(layout, n);
        all_pairs(structure, 3);
        for (int i = 0; i < n; ++i) {
            for (int expected = 0; expected < 2; ++expected) {
                partial(&layout[i], 5, 0, expected);
                partial(&layout[i], 5, 36, expected);
                partial(&layout[i], 5, 41, expected);
                partial(&layout[i], 5, 1, expected);
                partial(&layout[i], 20000, 12 * 3000 + 7, expected);
                partial(&layout[i], 20000, 12 * 18000 + 11, expected);
            }
            packed(&layout[i], 7);
            packed(&layout[i], 4000);
        }
        for (int i = 0; i < 3; ++i) {
            packed(&structure[i], 50);
        }
        freed_type();
    }
    mt_layouts_free(layout, n);
    mt_layouts_free(structure, 3);
    return mt_finalize();
}
