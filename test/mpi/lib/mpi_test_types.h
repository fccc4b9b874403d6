/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random nested datatypes, each with its type map. The map is put together
 * here while the type is built, from the definitions in the standard and not
 * from what MPI packs, so that sending, receiving, MPI_Pack and MPI_Unpack can
 * all be held against it. Only lower bounds and extents, which structures round
 * up as the compiler does, are asked from MPI.
 *
 *     mt_type_t    a type, the places of its basic elements (`entry`, in the
 *                  order of the type map), and the same in bytes with what is
 *                  adjacent put together (`run`)
 *     mt_area_t    a buffer of such elements: what MPI is told (type, count),
 *                  and where the bytes of the message are, which is `reps`
 *                  times the runs of a type, `step` bytes apart
 *
 * A type whose map a receive could write twice is fine to send; mt_area_twice()
 * tells.
 */
#ifndef MPI_TEST_TYPES_H
#define MPI_TEST_TYPES_H

#include "mpi_test.h"

#define MT_MAX_ENTRIES 128 /* basic elements in one element of a type */
#define MT_MAX_PARTS 5     /* blocks, children, rows of a constructor */
#define MT_FLAT_PARTS MT_MAX_ENTRIES

/* ---- basic types ------------------------------------------------------- */

/* Pairs have two elements, with a gap between or behind them. */
typedef struct {
    MPI_Datatype type;
    const char *name;
    unsigned char pieces, at[2], length[2];
} mt_basic_t;

#define MT_PLAIN(mpi, c)                                                       \
    {                                                                          \
        .type = mpi, .name = #mpi, .pieces = 1, .length = { sizeof(c) }        \
    }
#define MT_PAIR(mpi, c)                                                        \
    {                                                                          \
        .type = mpi, .name = #mpi, .pieces = 2,                                \
        .at = {offsetof(struct c, first), offsetof(struct c, second)},         \
        .length = {                                                            \
            sizeof(((struct c *) 0)->first),                                   \
            sizeof(int)                                                        \
        }                                                                      \
    }

struct mt_float_int {
    float first;
    int second;
};
struct mt_double_int {
    double first;
    int second;
};
struct mt_long_int {
    long first;
    int second;
};
struct mt_short_int {
    short first;
    int second;
};
struct mt_long_double_int {
    long double first;
    int second;
};

/* Handles are addresses in Open MPI, but constants need not be elsewhere. */
static inline const mt_basic_t *mt_basic(int i)
{
    static mt_basic_t basics[] = {
        MT_PLAIN(MPI_CHAR, char),
        MT_PLAIN(MPI_BYTE, char),
        MT_PLAIN(MPI_C_BOOL, bool),
        MT_PLAIN(MPI_SHORT, short),
        MT_PLAIN(MPI_INT, int),
        MT_PLAIN(MPI_FLOAT, float),
        MT_PLAIN(MPI_WCHAR, wchar_t),
        MT_PLAIN(MPI_LONG, long),
        MT_PLAIN(MPI_DOUBLE, double),
        MT_PLAIN(MPI_UINT64_T, uint64_t),
        MT_PLAIN(MPI_C_FLOAT_COMPLEX, float _Complex),
        MT_PLAIN(MPI_LONG_DOUBLE, long double),
        MT_PLAIN(MPI_C_DOUBLE_COMPLEX, double _Complex),
        MT_PAIR(MPI_FLOAT_INT, mt_float_int),
        MT_PAIR(MPI_DOUBLE_INT, mt_double_int),
        MT_PAIR(MPI_LONG_INT, mt_long_int),
        MT_PAIR(MPI_SHORT_INT, mt_short_int),
        MT_PAIR(MPI_LONG_DOUBLE_INT, mt_long_double_int),
        MT_PLAIN(MPI_C_LONG_DOUBLE_COMPLEX, long double _Complex),
    };

    return &basics[i % (int) MT_COUNT_OF(basics)];
}
#define MT_NUM_BASICS 19
#define MT_BASICS_OF_16                                                        \
    18 /* without the last, whose elements have 32 bytes                       \
        */

/* Those that types are made of. */
static int mt_num_basics = MT_NUM_BASICS;

/*
 * Only what Open MPI 5.0 and 6.0 get right. Their datatype engine leaves out
 * the padding of long doubles. Of constructors that place elements by bytes it
 * packs and unpacks up to one in twenty wrongly when that is done in pieces,
 * one in a thousand as a whole, whatever the PML.
 */
static bool mt_sound;

static inline int mt_basic_random(mt_random_t *random)
{
    int i;

    do {
        i = mt_below(random, mt_num_basics);
    } while (mt_sound && NULL != strstr(mt_basic(i)->name, "LONG_DOUBLE"));
    return i;
}

/* ---- types ------------------------------------------------------------- */

typedef struct {
    ptrdiff_t at;
    int basic;
} mt_entry_t;

typedef struct {
    ptrdiff_t at;
    size_t length;
} mt_run_t;

typedef struct {
    MPI_Datatype type;
    bool predefined; /* not to be freed */
    int num_entries, num_runs;
    mt_entry_t entry[MT_MAX_ENTRIES];
    mt_run_t run[2 * MT_MAX_ENTRIES]; /* after mt_type_commit() */
    size_t size;                      /* bytes of data */
    ptrdiff_t lb, extent;             /* as MPI has them */
    ptrdiff_t low, high;              /* of the data; 0 if there are none */
} mt_type_t;

/* Shows each constructor on standard error while it is called. */
static bool mt_type_describe;

#define MT_DESCRIBE(...)                                                       \
    do {                                                                       \
        if (mt_type_describe) {                                                \
            fprintf(stderr, __VA_ARGS__);                                      \
        }                                                                      \
    } while (0)

static inline void mt_type_entry(mt_type_t *type, ptrdiff_t at, int basic)
{
    const mt_basic_t *b = mt_basic(basic);

    CHECK(type->num_entries < MT_MAX_ENTRIES);
    type->entry[type->num_entries++] = (mt_entry_t){at, basic};
    for (int i = 0; i < b->pieces; ++i) {
        ptrdiff_t begin = at + b->at[i], end = begin + b->length[i];

        type->low = (0 == type->size || begin < type->low) ? begin : type->low;
        type->high = (0 == type->size || end > type->high) ? end : type->high;
        type->size += b->length[i];
    }
}

/* `length` elements of `child` in a row at `at`. */
static inline void mt_type_block(mt_type_t *type, const mt_type_t *child,
                                 ptrdiff_t at, int length)
{
    for (int i = 0; i < length; ++i) {
        for (int e = 0; e < child->num_entries; ++e) {
            mt_type_entry(type, at + i * child->extent + child->entry[e].at,
                          child->entry[e].basic);
        }
    }
}

static inline void mt_type_ask_extent(mt_type_t *type)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(type->type, &lb, &extent);
    type->lb = lb;
    type->extent = extent;
}

static inline void mt_type_basic(mt_type_t *type, int basic)
{
    type->type = mt_basic(basic)->type;
    type->predefined = true;
    type->num_entries = type->num_runs = 0;
    type->size = 0;
    mt_type_entry(type, 0, basic);
    mt_type_ask_extent(type);
    MT_DESCRIBE("  %p is %s\n", (void *) type->type, mt_basic(basic)->name);
}

static inline void mt_type_free(mt_type_t *type)
{
    if (!type->predefined) {
        MPI_Type_free(&type->type);
    }
}

static inline void mt_type_add_run(mt_type_t *type, ptrdiff_t at, size_t length)
{
    mt_run_t *last =
        0 == type->num_runs ? NULL : &type->run[type->num_runs - 1];

    if (NULL != last && last->at + (ptrdiff_t) last->length == at) {
        last->length += length;
    } else {
        type->run[type->num_runs++] = (mt_run_t){at, length};
    }
}

static inline void mt_type_commit(mt_type_t *type)
{
    int size;

    type->num_runs = 0;
    for (int e = 0; e < type->num_entries; ++e) {
        const mt_basic_t *b = mt_basic(type->entry[e].basic);

        for (int i = 0; i < b->pieces; ++i) {
            mt_type_add_run(type, type->entry[e].at + b->at[i], b->length[i]);
        }
    }
    if (!type->predefined) {
        MPI_Type_commit(&type->type);
    }
    MPI_Type_size(type->type, &size);
    CHECK_EQ(size, type->size);
    MT_DESCRIBE("  %p: size %zu, lower bound %td, extent %td, data from %td to"
                " %td in %d runs\n",
                (void *) type->type, type->size, type->lb, type->extent,
                type->low, type->high, type->num_runs);
}

/* ---- constructors ------------------------------------------------------ */

/* Numbers of elements in blocks, at most `room` in all, some of them 0 but not
 * all: room >= 1. */
static inline void mt_type_lengths(mt_random_t *random, int room, int *length,
                                   int n)
{
    int total = 0;

    for (int i = 0; i < n; ++i) {
        int most = (room - total) / (n - i);

        length[i] = most > 0 ? mt_below(random, most < 4 ? most + 1 : 5) : 0;
        total += length[i];
    }
    if (0 == total) {
        length[mt_below(random, n)] = 1;
    }
}

static inline void mt_type_contiguous(mt_random_t *random, mt_type_t *type,
                                      const mt_type_t *child, int room)
{
    int n = 1 + mt_below(random, room);

    MPI_Type_contiguous(n, child->type, &type->type);
    mt_type_block(type, child, 0, n);
    MT_DESCRIBE("  %p = contiguous %d x %p\n", (void *) type->type, n,
                (void *) child->type);
}

/*
 * `stride` in bytes or elements; some go backwards, if there is a gap: Open MPI
 * 4.1.4 takes bytes that are adjacent backwards for a piece of memory.
 */
static inline void mt_type_vector(mt_random_t *random, mt_type_t *type,
                                  const mt_type_t *child, int room,
                                  bool in_bytes)
{
    int n = 1 + mt_below(random, room);
    int length = 1 + mt_below(random, room / n);
    int gap = mt_below(random, in_bytes ? 20 : 3);
    ptrdiff_t unit = in_bytes ? 1 : child->extent;
    ptrdiff_t stride = in_bytes ? length * child->extent : length;

    stride += gap;
    stride = 0 == gap || mt_below(random, 4) ? stride : -stride;
    if (in_bytes) {
        MPI_Type_create_hvector(n, length, stride, child->type, &type->type);
    } else {
        MPI_Type_vector(n, length, (int) stride, child->type, &type->type);
    }
    for (int i = 0; i < n; ++i) {
        mt_type_block(type, child, i * stride * unit, length);
    }
    MT_DESCRIBE("  %p = %svector %d blocks of %d, stride %td, x %p\n",
                (void *) type->type, in_bytes ? "h" : "", n, length, stride,
                (void *) child->type);
}

/*
 * indexed, hindexed, indexed_block, hindexed_block: blocks with gaps between
 * them; in half of the types not in the order of their addresses.
 */
static inline void mt_type_indexed(mt_random_t *random, mt_type_t *type,
                                   const mt_type_t *child, int room,
                                   bool in_bytes, bool alike)
{
    int n = 1 + mt_below(random, room < MT_MAX_PARTS ? room : MT_MAX_PARTS);
    int length[MT_MAX_PARTS];
    int shift = mt_below(random, 2) ? mt_below(random, n) : 0;
    int elements[MT_MAX_PARTS];
    MPI_Aint at[MT_MAX_PARTS], next = mt_below(random, 7) - 3;

    if (alike) {
        length[0] = 1 + mt_below(random, room / n);
    } else {
        mt_type_lengths(random, room, length, n);
    }
    for (int i = 0; i < n; ++i) {
        int k = (i + shift) % n;

        length[k] = alike ? length[0] : length[k];
        at[k] = next;
        elements[k] = (int) next;
        next += mt_below(random, in_bytes ? 20 : 3) +
                length[k] * (in_bytes ? (MPI_Aint) child->extent : 1);
    }
    if (alike && in_bytes) {
        MPI_Type_create_hindexed_block(n, length[0], at, child->type,
                                       &type->type);
    } else if (alike) {
        MPI_Type_create_indexed_block(n, length[0], elements, child->type,
                                      &type->type);
    } else if (in_bytes) {
        MPI_Type_create_hindexed(n, length, at, child->type, &type->type);
    } else {
        MPI_Type_indexed(n, length, elements, child->type, &type->type);
    }
    MT_DESCRIBE("  %p = %sindexed%s x %p:", (void *) type->type,
                in_bytes ? "h" : "", alike ? "_block" : "",
                (void *) child->type);
    for (int i = 0; i < n; ++i) {
        mt_type_block(type, child, at[i] * (in_bytes ? 1 : child->extent),
                      length[i]);
        MT_DESCRIBE(" %d at %td", length[i], at[i]);
    }
    MT_DESCRIBE("\n");
}

/* Adds the elements of a part of an array, those of `dim` and further in. */
static inline void mt_type_rows(mt_type_t *type, const mt_type_t *child,
                                const int *sizes, const int *subsizes,
                                const int *starts, int dims, int dim,
                                ptrdiff_t at)
{
    if (dim == dims) {
        mt_type_block(type, child, at * child->extent, 1);
        return;
    }
    for (int i = 0; i < subsizes[dim]; ++i) {
        mt_type_rows(type, child, sizes, subsizes, starts, dims, dim + 1,
                     at * sizes[dim] + starts[dim] + i);
    }
}

static inline void mt_type_subarray(mt_random_t *random, mt_type_t *type,
                                    const mt_type_t *child, int room)
{
    int dims = 1 + mt_below(random, 3), total = 1;
    bool fortran = mt_below(random, 2);
    int sizes[3], subsizes[3], starts[3], reversed[3][3];

    for (int d = 0; d < dims; ++d) {
        int most = room / total < 4 ? room / total : 4;

        subsizes[d] = 1 + mt_below(random, most);
        starts[d] = mt_below(random, 3);
        sizes[d] = starts[d] + subsizes[d] + mt_below(random, 3);
        total *= subsizes[d];
    }
    /* In Fortran's order the first dimension is the one furthest in. */
    for (int d = 0; d < dims; ++d) {
        int to = fortran ? dims - 1 - d : d;

        reversed[0][to] = sizes[d];
        reversed[1][to] = subsizes[d];
        reversed[2][to] = starts[d];
    }
    MPI_Type_create_subarray(dims, reversed[0], reversed[1], reversed[2],
                             fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C,
                             child->type, &type->type);
    mt_type_rows(type, child, sizes, subsizes, starts, dims, 0, 0);
    MT_DESCRIBE("  %p = subarray (%s) x %p:", (void *) type->type,
                fortran ? "reversed" : "C", (void *) child->type);
    for (int d = 0; d < dims; ++d) {
        MT_DESCRIBE(" %d of %d at %d", subsizes[d], sizes[d], starts[d]);
    }
    MT_DESCRIBE("\n");
}

/* One in eight is smaller than its data, so that elements overlap. */
static inline void mt_type_resized(mt_random_t *random, mt_type_t *type,
                                   const mt_type_t *child)
{
    ptrdiff_t lb = child->low - mt_below(random, 24) + 4;
    ptrdiff_t extent = child->high - child->low + mt_below(random, 24);

    if (0 == mt_below(random, 8)) {
        extent = extent / 2 + 1;
    }
    MPI_Type_create_resized(child->type, lb, extent, &type->type);
    mt_type_block(type, child, 0, 1);
    MT_DESCRIBE("  %p = resized %p, lower bound %td, extent %td\n",
                (void *) type->type, (void *) child->type, lb, extent);
}

static inline void mt_type_random_in(mt_random_t *random, mt_type_t *type,
                                     int depth, int room);

/* Children of different types, no two in the same place. */
static inline void mt_type_struct(mt_random_t *random, mt_type_t *type,
                                  int depth, int room)
{
    int n = 1 + mt_below(random, room < MT_MAX_PARTS ? room : MT_MAX_PARTS);
    int length[MT_MAX_PARTS];
    MPI_Datatype types[MT_MAX_PARTS];
    MPI_Aint at[MT_MAX_PARTS], next = mt_below(random, 10) - 5;
    mt_type_t *child = malloc(n * sizeof(*child));

    for (int i = 0; i < n; ++i) {
        mt_type_random_in(random, &child[i], depth - 1, room / n);
        types[i] = child[i].type;
        length[i] = 1 + mt_below(random, room / n / child[i].num_entries);
        length[i] = length[i] > 3 ? 3 : length[i];
        at[i] = next - child[i].low;
        next += child[i].high - child[i].low + mt_below(random, 12) +
                (length[i] - 1) * child[i].extent;
    }
    MPI_Type_create_struct(n, length, at, types, &type->type);
    MT_DESCRIBE("  %p = struct:", (void *) type->type);
    for (int i = 0; i < n; ++i) {
        mt_type_block(type, &child[i], at[i], length[i]);
        MT_DESCRIBE(" %d x %p at %td", length[i], (void *) types[i], at[i]);
        mt_type_free(&child[i]);
    }
    MT_DESCRIBE("\n");
    free(child);
}

static inline void mt_type_of_child(mt_random_t *random, mt_type_t *type,
                                    const mt_type_t *child, int kind, int room)
{
    switch (kind) {
    case 0:
        mt_type_contiguous(random, type, child, room);
        break;
    case 1:
    case 2:
        mt_type_vector(random, type, child, room, kind & 1);
        break;
    case 3:
    case 4:
    case 5:
    case 6:
        mt_type_indexed(random, type, child, room, kind & 1, kind & 2);
        break;
    case 7:
        mt_type_subarray(random, type, child, room);
        break;
    case 8:
        mt_type_resized(random, type, child);
        break;
    default:
        MPI_Type_dup(child->type, &type->type);
        mt_type_block(type, child, 0, 1);
        MT_DESCRIBE("  %p = dup %p\n", (void *) type->type,
                    (void *) child->type);
    }
}

#define MT_STRUCT 10 /* and all above: of constructors, a third */

static inline int mt_kind_random(mt_random_t *random)
{
    /* contiguous, vector, indexed, indexed_block, subarray, dup */
    static const int sound[] = {0, 2, 4, 6, 7, 9};

    return mt_sound ? sound[mt_below(random, MT_COUNT_OF(sound))]
                    : mt_below(random, 15);
}

/* At most `room` entries, at least one possible; `depth` constructors. */
static inline void mt_type_random_in(mt_random_t *random, mt_type_t *type,
                                     int depth, int room)
{
    int kind = mt_kind_random(random);
    mt_type_t *child;

    if (0 == depth || room < 2) {
        mt_type_basic(type, mt_basic_random(random));
        return;
    }
    type->predefined = false;
    type->num_entries = 0;
    type->size = 0;
    type->low = type->high = 0;
    if (kind >= MT_STRUCT) {
        mt_type_struct(random, type, depth, room);
    } else {
        child = malloc(sizeof(*child));
        mt_type_random_in(random, child, depth - 1, 1 + room / 4);
        mt_type_of_child(random, type, child, kind, room / child->num_entries);
        mt_type_free(child);
        free(child);
    }
    mt_type_ask_extent(type);
}

/*
 * A committed type; half of them small, so that large counts occur. No type is
 * empty: Open MPI 4.1.4 unpacks structures wrongly that have an empty type for
 * their last part.
 */
static inline void mt_type_random(mt_random_t *random, mt_type_t *type)
{
    static const int rooms[] = {2, 3, 4, 8, 20, 60, MT_MAX_ENTRIES};
    int depth = mt_below(random, 5);

    mt_type_random_in(random, type, depth,
                      rooms[mt_below(random, MT_COUNT_OF(rooms))]);
    mt_type_commit(type);
}

/* A type with the same signature and another layout: a structure of single
 * elements. */
static inline void mt_type_scattered(mt_random_t *random, const mt_type_t *like,
                                     mt_type_t *type)
{
    int n = like->num_entries, length[MT_FLAT_PARTS] = {0};
    int shift = n > 1 ? mt_below(random, n) : 0;
    bool tight = 0 == mt_below(random, 3);
    MPI_Datatype types[MT_FLAT_PARTS] = {NULL};
    MPI_Aint at[MT_FLAT_PARTS] = {0};
    MPI_Aint next = tight ? 0 : -mt_below(random, 40);

    type->predefined = false;
    type->num_entries = 0;
    type->size = 0;
    type->low = type->high = 0;
    for (int i = 0; i < n; ++i) {
        int k = (i + shift) % n, basic = like->entry[k].basic;
        const mt_basic_t *b = mt_basic(basic);
        int last = b->pieces - 1;

        types[k] = b->type;
        length[k] = 1;
        at[k] = next;
        next +=
            b->at[last] + b->length[last] + (tight ? 0 : mt_below(random, 10));
    }
    for (int i = 0; i < n; ++i) {
        mt_type_entry(type, at[i], like->entry[i].basic);
    }
    MPI_Type_create_struct(n, length, at, types, &type->type);
    MT_DESCRIBE("  %p = the same %d basic elements from %td on\n",
                (void *) type->type, n, n > 0 ? at[shift] : (MPI_Aint) 0);
    mt_type_ask_extent(type);
    mt_type_commit(type);
}

/* ---- buffers of elements ----------------------------------------------- */

typedef struct {
    MPI_Datatype type;
    int count;
    bool own; /* the type belongs to the area */
    const mt_run_t *run;
    mt_run_t whole; /* the run of what has one only */
    int num_runs, reps;
    ptrdiff_t step;
    size_t size;         /* bytes of data in all */
    ptrdiff_t low, high; /* of the data in all */
} mt_area_t;

static inline void mt_area_bounds(mt_area_t *area, ptrdiff_t low,
                                  ptrdiff_t high)
{
    ptrdiff_t last = (area->reps - 1) * area->step;

    area->low = area->high = 0;
    if (area->reps > 0 && low < high) {
        area->low = low + (last < 0 ? last : 0);
        area->high = high + (last > 0 ? last : 0);
    }
}

static inline void mt_area_of(mt_area_t *area, const mt_type_t *type, int count)
{
    *area = (mt_area_t){.type = type->type,
                        .count = count,
                        .run = type->run,
                        .num_runs = type->num_runs,
                        .reps = count,
                        .step = type->extent,
                        .size = type->size * (size_t) count};
    mt_area_bounds(area, type->low, type->high);
}

/* `size` bytes of MPI_PACKED. */
static inline void mt_area_packed(mt_area_t *area, size_t size)
{
    *area = (mt_area_t){.type = MPI_PACKED,
                        .count = (int) size,
                        .whole = {0, size},
                        .num_runs = 1,
                        .reps = 1,
                        .size = size};
    area->run = &area->whole;
    mt_area_bounds(area, 0, (ptrdiff_t) size);
}

/* All elements as one of a new type, `extra` bytes further apart. */
static inline void mt_area_as_one(mt_area_t *area, const mt_type_t *type,
                                  int count, int extra)
{
    mt_area_of(area, type, count);
    area->count = 1;
    area->own = true;
    if (0 == extra) {
        MPI_Type_contiguous(count, type->type, &area->type);
    } else {
        area->step += extra;
        MPI_Type_create_hvector(count, 1, area->step, type->type, &area->type);
    }
    mt_area_bounds(area, type->low, type->high);
    MPI_Type_commit(&area->type);
}

static inline void mt_area_end(mt_area_t *area)
{
    if (area->own) {
        MPI_Type_free(&area->type);
    }
}

/*
 * The first `size` bytes of the message: from `memory`, which has the byte of
 * offset `low` first, to `packed`, or back.
 */
static inline void mt_area_copy(const mt_area_t *area, unsigned char *memory,
                                unsigned char *packed, size_t size, bool gather)
{
    for (int e = 0; e < area->reps && size > 0; ++e) {
        unsigned char *base = memory - area->low + e * area->step;

        for (int i = 0; i < area->num_runs && size > 0; ++i) {
            size_t n = area->run[i].length;
            unsigned char *at = base + area->run[i].at;

            n = n < size ? n : size;
            memcpy(gather ? packed : at, gather ? at : packed, n);
            packed += n;
            size -= n;
        }
    }
}

/* Is a byte in it twice? Uses `scratch` of high - low bytes. */
static inline bool mt_area_twice(const mt_area_t *area, unsigned char *scratch)
{
    size_t set = 0;

    memset(scratch, 0, (size_t) (area->high - area->low));
    for (int e = 0; e < area->reps; ++e) {
        for (int i = 0; i < area->num_runs; ++i) {
            memset(scratch - area->low + e * area->step + area->run[i].at, 1,
                   area->run[i].length);
        }
    }
    for (ptrdiff_t i = 0; i < area->high - area->low; ++i) {
        set += scratch[i];
    }
    return set != area->size;
}

#endif
