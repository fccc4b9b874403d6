/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitioned communication of MPI-4 around a ring: sends whose parts are given
 * away in any order, receives whose parts come one by one. Each round sends
 * other data, and what a receive brings is looked at part by part as it comes,
 * and again when it is complete. Without options the program does what MPI
 * allows; the options avoid what part/persist of Open MPI 5.0 gets wrong
 * (docs/decisions/mpi.md, 54).
 *
 *   --once     requests are set up for one round each
 *   --at_once  all parts are given away in one call just after MPI_Start
 *   --posted   nobody gives a part away before its receive has been started
 *   --differ   the receiver has other parts than the sender, and does not ask
 *              which of them have come
 *   --rounds N (60)
 *   --largest N  elements in a part (3000)
 *   --parts N    parts of a message, at most (40)
 */
#include "mpi_test.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)

enum { TAG = 71, MOST_PARTS = 4000, SHIFT_TAG = 72 };

typedef struct options_t {
    bool once, at_once, posted, differ;
    int rounds, largest, parts;
} options_t;

typedef struct ring_t {
    long *in, *out;
    int elements; /* of the whole message */
    int parts, part_elements;
    int in_parts, in_elements; /* the receiver's */
    int order[MOST_PARTS];
    bool arrived[MOST_PARTS];
    MPI_Request requests[2]; /* receive, send */
} ring_t;

static long value(int round, int rank, int index)
{
    return (long) (mt_key(round, rank, index, TAG) % 1000003);
}

static void check_elements(const ring_t *ring, int round, int first, int count)
{
    for (int i = first; i < first + count; ++i) {
        CHECK_EQ(ring->in[i], value(round, mt_before, i));
    }
}

static void fill_part(ring_t *ring, int round, int part)
{
    int first = part * ring->part_elements;

    for (int i = first; i < first + ring->part_elements; ++i) {
        ring->out[i] = value(round, mt_rank, i);
    }
}

/* What has arrived is right before the rest has. */
static void look(ring_t *ring, int round, int part)
{
    int flag;

    if (ring->arrived[part]) {
        return;
    }
    MPI_Parrived(ring->requests[0], part, &flag);
    if (flag) {
        ring->arrived[part] = true;
        check_elements(ring, round, part * ring->in_elements,
                       ring->in_elements);
    }
}

/* Give some of the parts away that are left; returns how many. */
static int give_some(ring_t *ring, mt_random_t *random, int at, int round)
{
    int left = ring->parts - at;
    int many = 1 + mt_below(random, left < 4 ? left : 4);

    for (int i = at; i < at + many; ++i) {
        fill_part(ring, round, ring->order[i]);
    }
    if (1 == many) {
        MPI_Pready(ring->order[at], ring->requests[1]);
    } else {
        MPI_Pready_list(many, &ring->order[at], ring->requests[1]);
    }
    return many;
}

static void requests_make(ring_t *ring)
{
    MPI_Precv_init(ring->in, ring->in_parts, ring->in_elements, MPI_LONG,
                   mt_before, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &ring->requests[0]);
    MPI_Psend_init(ring->out, ring->parts, ring->part_elements, MPI_LONG,
                   mt_after, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &ring->requests[1]);
}

static void requests_free(ring_t *ring)
{
    MPI_Request_free(&ring->requests[0]);
    MPI_Request_free(&ring->requests[1]);
}

/* All parts at once, with nothing between that could make progress. */
static void exchange_at_once(ring_t *ring, int round)
{
    for (int part = 0; part < ring->parts; ++part) {
        fill_part(ring, round, part);
    }
    MPI_Start(&ring->requests[1]);
    MPI_Pready_range(0, ring->parts - 1, ring->requests[1]);
}

/* In any order, and looking for what comes meanwhile. */
static void exchange(ring_t *ring, mt_random_t *random, int round, bool ask)
{
    mt_shuffle(random, ring->order, ring->parts);
    MPI_Start(&ring->requests[1]);
    for (int at = 0; at < ring->parts;) {
        at += give_some(ring, random, at, round);
        if (ask) {
            look(ring, round, mt_below(random, ring->in_parts));
        } else {
            mt_progress(MPI_COMM_WORLD, 1);
        }
    }
}

static void ring_round(ring_t *ring, mt_random_t *random,
                       const options_t *options, int round)
{
    MT_CASE("round %d: %d parts of %d, received as %d of %d", round,
            ring->parts, ring->part_elements, ring->in_parts,
            ring->in_elements);
    for (int i = 0; i < ring->elements; ++i) {
        ring->in[i] = ring->out[i] = -1;
    }
    memset(ring->arrived, 0, sizeof(ring->arrived));
    MPI_Start(&ring->requests[0]);
    if (options->posted) {
        mt_swap(NULL, 0, mt_before, NULL, 0, mt_after, SHIFT_TAG);
    }
    if (options->at_once) {
        exchange_at_once(ring, round);
    } else {
        exchange(ring, random, round, !options->differ);
    }
    if (0 == round % 3 && !options->differ) {
        for (int part = 0; part < ring->in_parts; ++part) {
            while (!ring->arrived[part]) {
                look(ring, round, part);
            }
        }
    }
    MPI_Waitall(2, ring->requests, MPI_STATUSES_IGNORE);
    check_elements(ring, round, 0, ring->elements);
}

/* What the receiver makes of the sender's parts: parts of other sizes. */
static void divide(ring_t *ring, mt_random_t *common, const options_t *options)
{
    ring->parts = 1 + mt_below(common, options->parts);
    ring->part_elements = 1 + mt_below(common, options->largest);
    ring->elements = ring->parts * ring->part_elements;
    ring->in_parts = ring->parts;
    ring->in_elements = ring->part_elements;
    if (options->differ) {
        do {
            ring->in_parts = 1 + mt_below(common, options->parts);
        } while (0 != ring->elements % ring->in_parts);
        ring->in_elements = ring->elements / ring->in_parts;
    }
}

enum { ROUNDS_OF_A_SIZE = 6 };

static void run(const options_t *options)
{
    mt_random_t random = mt_random((uint64_t) mt_rank + 1);
    mt_random_t common = mt_random(7100);
    ring_t ring = {0};

    for (int round = 0; round < options->rounds; ++round) {
        if (0 == round % ROUNDS_OF_A_SIZE) {
            divide(&ring, &common, options);
            ring.in = mt_alloc(ring.elements * sizeof(long));
            ring.out = mt_alloc(ring.elements * sizeof(long));
            requests_make(&ring);
        } else if (options->once) {
            requests_make(&ring);
        }
        ring_round(&ring, &random, options, round);
        if (ROUNDS_OF_A_SIZE - 1 == round % ROUNDS_OF_A_SIZE ||
            options->rounds - 1 == round) {
            requests_free(&ring);
            MT_FREE(ring.in, ring.out);
        } else if (options->once) {
            requests_free(&ring);
        }
    }
}

int main(int argc, char **argv)
{
    options_t options;

    mt_init(&argc, &argv, 2);
    options = (options_t){
        .once = mt_flag(argc, argv, "--once"),
        .at_once = mt_flag(argc, argv, "--at_once"),
        .posted = mt_flag(argc, argv, "--posted"),
        .differ = mt_flag(argc, argv, "--differ"),
        .rounds = mt_option(argc, argv, "--rounds", 60),
        .largest = mt_option(argc, argv, "--largest", 3000),
        .parts = mt_option(argc, argv, "--parts", 40),
    };
    CHECK(options.parts > 0 && options.parts <= MOST_PARTS);
    run(&options);
    return mt_finalize();
}

#else

int main(void)
{
    puts("SKIP: this MPI has no partitioned communication");
    return MT_SKIP;
}

#endif
