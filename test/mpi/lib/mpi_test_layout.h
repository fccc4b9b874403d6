/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Datatypes together with what they mean, written down by hand and not asked
 * from MPI: the blocks of bytes of one element, in the order of the type map.
 * So sending and receiving them is checked against something that is not the
 * library's own packing.
 */
#ifndef MPI_TEST_LAYOUT_H
#define MPI_TEST_LAYOUT_H

#include "mpi_test.h"

#define MT_MAX_BLOCKS 16
#define MT_LAYOUT_INTS 12 /* integers in an element of each layout */

typedef struct {
    const char *name;
    MPI_Datatype type; /* committed */
    int num_blocks;
    ptrdiff_t offset[MT_MAX_BLOCKS];
    size_t length[MT_MAX_BLOCKS];
    ptrdiff_t extent; /* from one element to the next; may be < 0 */
    size_t size;      /* bytes of data in an element */
} mt_layout_t;

static inline void mt_layout_block(mt_layout_t *layout, ptrdiff_t offset,
                                   size_t length)
{
    CHECK(layout->num_blocks < MT_MAX_BLOCKS);
    layout->offset[layout->num_blocks] = offset;
    layout->length[layout->num_blocks++] = length;
    layout->size += length;
}

static inline void mt_layout_commit(mt_layout_t *layout)
{
    MPI_Aint lb, extent;
    int size;

    MPI_Type_commit(&layout->type);
    MPI_Type_get_extent(layout->type, &lb, &extent);
    MPI_Type_size(layout->type, &size);
    CHECK_EQ(extent, layout->extent);
    CHECK_EQ(size, layout->size);
}

/* Bytes that `count` elements span, and where in them the first one starts. */
static inline size_t mt_layout_span(const mt_layout_t *layout, int count,
                                    ptrdiff_t *origin)
{
    ptrdiff_t low = 0, high = 0;

    for (int e = 0; e < count; e += (count > 1) ? count - 1 : 1) {
        for (int b = 0; b < layout->num_blocks; ++b) {
            ptrdiff_t at = e * layout->extent + layout->offset[b];
            ptrdiff_t end = at + (ptrdiff_t) layout->length[b];
            low = (at < low) ? at : low;
            high = (end > high) ? end : high;
        }
    }
    *origin = -low;
    return (size_t) (high - low);
}

/*
 * Memory for `count` elements between guards, all background; *base is the
 * address to hand to MPI, the result the one to hand to mt_free().
 */
static inline void *mt_layout_alloc(const mt_layout_t *layout, int count,
                                    void **base)
{
    ptrdiff_t origin;
    size_t span = mt_layout_span(layout, count, &origin);
    unsigned char *memory = mt_alloc(span);

    *base = memory + origin;
    return memory;
}

/* Payload `key` laid out over `count` elements. */
static inline void mt_layout_fill(const mt_layout_t *layout, void *base,
                                  int count, uint64_t key)
{
    size_t i = 0;

    for (int e = 0; e < count; ++e) {
        for (int b = 0; b < layout->num_blocks; ++b) {
            unsigned char *at =
                (unsigned char *) base + e * layout->extent + layout->offset[b];
            for (size_t j = 0; j < layout->length[b]; ++j) {
                at[j] = mt_byte(key, i++);
            }
        }
    }
}

/*
 * The first `bytes` bytes of payload `key` are there, the rest of the data
 * and (always) the holes are untouched. `any_after` allows anything in the
 * data after `bytes`, as a truncated message does.
 */
#define CHECK_LAYOUT(layout, memory, base, count, bytes, key, any_after)       \
    mt_layout_check(__FILE__, __LINE__, (layout), (memory), (base), (count),   \
                    (bytes), (key), (any_after))

static inline void mt_layout_check(const char *file, int line,
                                   const mt_layout_t *layout,
                                   const void *memory, const void *base,
                                   int count, size_t bytes, uint64_t key,
                                   bool any_after)
{
    ptrdiff_t origin;
    size_t span = mt_layout_span(layout, count, &origin);
    unsigned char *copy = malloc(span + 1);
    size_t i = 0;

    memcpy(copy, memory, span);
    CHECK((const unsigned char *) base - (const unsigned char *) memory ==
          origin);
    for (int e = 0; e < count; ++e) {
        for (int b = 0; b < layout->num_blocks; ++b) {
            unsigned char *at =
                copy + origin + e * layout->extent + layout->offset[b];
            for (size_t j = 0; j < layout->length[b]; ++j, ++i) {
                unsigned char expected =
                    (i < bytes) ? mt_byte(key, i) : MT_BACKGROUND;
                if (at[j] != expected && (i < bytes || !any_after)) {
                    mt_fail(file, line,
                            "data byte %zu of %zu (layout %s) "
                            "is 0x%02x, expected 0x%02x",
                            i, bytes, layout->name, at[j], expected);
                }
                at[j] = MT_BACKGROUND;
            }
        }
    }
    mt_check_untouched(file, line, copy, span);
    mt_check_guards(file, line, memory);
    free(copy);
}

/*
 * Layouts of MT_LAYOUT_INTS integers per element, so that equal counts of any
 * two match; filled into `layout`, at most `limit`. Returns their number.
 */
static inline int mt_layouts_of_int(mt_layout_t *layout, int limit)
{
    const ptrdiff_t s = sizeof(int);
    /* Blocks of so many integers, by where they are, in integers. The indexed
     * one is out of address order; elements of the interleaved one overlap in
     * extent, but not in data. */
    const struct {
        const char *name;
        int extent, first, blocks, block, stride;
    } rows[] = {{"contiguous", 12, 0, 1, 12, 0},
                {"vector", 18, 0, 4, 3, 5},
                {"vector of single integers", 23, 0, 12, 1, 2},
                {"indexed", 21, 0, 0, 0, 0},
                {"resized to interleave", 24, 0, 12, 1, 2},
                {"subarray", 42, 15, 3, 4, 7},
                {"negative lower bound", 15, 0, 0, 0, 0},
                {"backwards", 12, 0, 12, 1, -1},
                {"contiguous with a gap after it", 13, 0, 1, 12, 0}};
    mt_layout_t list[MT_COUNT_OF(rows)];
    int n = (int) MT_COUNT_OF(rows);

    memset(list, 0, sizeof(list));
    for (int i = 0; i < n; ++i) {
        list[i].name = rows[i].name;
        list[i].extent = rows[i].extent * s;
        for (int b = 0; b < rows[i].blocks; ++b) {
            mt_layout_block(&list[i], (rows[i].first + b * rows[i].stride) * s,
                            rows[i].block * s);
        }
    }
    mt_layout_block(&list[3], 20 * s, 2 * s);
    mt_layout_block(&list[3], 1 * s, 7 * s);
    mt_layout_block(&list[3], 10 * s, 3 * s);
    mt_layout_block(&list[6], -6 * s, 5 * s);
    mt_layout_block(&list[6], 2 * s, 7 * s);

    MPI_Type_contiguous(12, MPI_INT, &list[0].type);
    MPI_Type_vector(4, 3, 5, MPI_INT, &list[1].type);
    MPI_Type_vector(12, 1, 2, MPI_INT, &list[2].type);
    MPI_Type_indexed(3, (int[]){2, 7, 3}, (int[]){20, 1, 10}, MPI_INT,
                     &list[3].type);
    MPI_Type_create_resized(list[2].type, 0, 24 * s, &list[4].type);
    MPI_Type_create_subarray(2, (int[]){6, 7}, (int[]){3, 4}, (int[]){2, 1},
                             MPI_ORDER_C, MPI_INT, &list[5].type);
    MPI_Type_create_hindexed(2, (int[]){5, 7}, (MPI_Aint[]){-6 * s, 2 * s},
                             MPI_INT, &list[6].type);
    MPI_Type_create_hvector(12, 1, -s, MPI_INT, &list[7].type);
    MPI_Type_create_resized(list[0].type, 0, 13 * s, &list[8].type);

    n = (n < limit) ? n : limit;
    for (int i = 0; i < n; ++i) {
        mt_layout_commit(&list[i]);
        layout[i] = list[i];
    }
    return n;
}

/*
 * Structures of {int[2], double, char[3], short}: the same signature in three
 * layouts: with the compiler's holes, far apart and in reverse, and without
 * any hole.
 */
static inline int mt_layouts_of_struct(mt_layout_t *layout)
{
    MPI_Datatype types[4] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_SHORT};
    static const char *names[3] = {"structure with holes",
                                   "structure in reverse", "packed structure"};
    const int lengths[4] = {2, 1, 3, 1};
    const size_t bytes[4] = {2 * sizeof(int), sizeof(double), 3, sizeof(short)};
    const MPI_Aint offsets[3][4] = {
        {0, 16, 24, 28}, {40, 24, 10, -6}, {0, 8, 16, 19}};
    const MPI_Aint lower[3] = {0, -6, 0}, extents[3] = {32, 64, 21};
    MPI_Datatype inner;

    memset(layout, 0, 3 * sizeof(*layout));
    for (int i = 0; i < 3; ++i) {
        layout[i].name = names[i];
        MPI_Type_create_struct(4, lengths, offsets[i], types, &inner);
        MPI_Type_create_resized(inner, lower[i], extents[i], &layout[i].type);
        MPI_Type_free(&inner);
        for (int b = 0; b < 4; ++b) {
            mt_layout_block(&layout[i], offsets[i][b], bytes[b]);
        }
        layout[i].extent = extents[i];
        mt_layout_commit(&layout[i]);
    }
    return 3;
}

static inline void mt_layouts_free(mt_layout_t *layout, int n)
{
    for (int i = 0; i < n; ++i) {
        MPI_Type_free(&layout[i].type);
    }
}

#endif
