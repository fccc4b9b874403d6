/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random non-blocking collectives, many at a time, on communicators of random
 * groups, over several datatypes, operations, roots and sizes, in place or not.
 * Each rank knows from the seed what all contribute, and computes the result.
 * With --free communicators are freed while their collectives are under way; of
 * those only what coll/champion serves, because libnbc of Open MPI 4.1 crashes.
 * With --beside_long small ones complete while long ones are under way.
 * With --served only what coll/champion serves: ThreadSanitizer does not see how
 * libnbc hands a result of another thread on.
 * With --threads each thread has communicators of its own.
 *
 * --computing shows who begins messages: all ranks compute, without MPI calls,
 * until rank 0 sees that its result has come.
 */
#include "mpi_test.h"

enum { AT_A_TIME = 12, COMMS = 3 };

enum { ALLGATHER, ALLREDUCE, ALLTOALL, BARRIER, BCAST, REDUCE, SCATTER, KINDS };

static const char *const names[KINDS] = {
    "Iallgather", "Iallreduce",           "Ialltoall", "Ibarrier", "Ibcast",
    "Ireduce",    "Ireduce_scatter_block"};

/* A type of numbers that are exact: -2^15 to 2^15. */
typedef struct number_t {
    MPI_Datatype type;
    size_t size;
    bool pair; /* a number and its place */
} number_t;

/* One collective under way; buffers have guards (mt_alloc). */
typedef struct call_t {
    int kind, count, root, op, type, id;
    bool in_place, strided;
    MPI_Comm comm; /* may be freed meanwhile */
    int rank, size;
    char *from, *to;
    MPI_Datatype derived;
    MPI_Request request;
} call_t;

static number_t numbers[6];
static MPI_Op ops[7];
static int num_rounds = 40, num_threads = 1, most = 60000;
static bool small_only, free_early, served_only, beside_long;

static void user_sum(void *in, void *inout, int *length, MPI_Datatype *type)
{
    for (int i = 0; i < *length; ++i) {
        ((int *) inout)[i] += ((int *) in)[i];
    }
}

static void make_numbers(void)
{
    numbers[0] = (number_t){MPI_INT, sizeof(int), false};
    numbers[1] = (number_t){MPI_DOUBLE, sizeof(double), false};
    numbers[2] = (number_t){MPI_LONG, sizeof(long), false};
    numbers[3] = (number_t){MPI_FLOAT, sizeof(float), false};
    numbers[4] = (number_t){MPI_2INT, 2 * sizeof(int), true};
    numbers[5] = (number_t){MPI_DOUBLE_INT, 16, true};
    ops[0] = MPI_SUM;
    ops[1] = MPI_MAX;
    ops[2] = MPI_MIN;
    ops[3] = MPI_BXOR;
    MPI_Op_create(user_sum, 1, &ops[4]);
    ops[5] = MPI_MINLOC;
    ops[6] = MPI_MAXLOC;
}

/* What a rank of the communicator contributes. */
static int value(const call_t *call, int rank, int i)
{
    return (int) (mt_key(call->id, rank, i, mt_seed) & 0x3ff);
}

static void put(const call_t *call, char *buffer, int i, int number, int place)
{
    const number_t *n = &numbers[call->type];
    char *at = buffer + (size_t) i * n->size;

    if (MPI_INT == n->type) {
        *(int *) (void *) at = number;
    } else if (MPI_LONG == n->type) {
        *(long *) (void *) at = number;
    } else if (MPI_FLOAT == n->type) {
        *(float *) (void *) at = (float) number;
    } else if (MPI_2INT == n->type) {
        ((int *) (void *) at)[0] = number;
        ((int *) (void *) at)[1] = place;
    } else {
        *(double *) (void *) at = number;
        if (n->pair) {
            *(int *) (void *) (at + sizeof(double)) = place;
        }
    }
}

static void check(const call_t *call, const char *buffer, int i, int number,
                  int place)
{
    const number_t *n = &numbers[call->type];
    const char *at = buffer + (size_t) i * n->size;
    double got = MPI_INT == n->type || MPI_2INT == n->type
                     ? *(const int *) (const void *) at
                 : MPI_LONG == n->type
                     ? (double) *(const long *) (const void *) at
                 : MPI_FLOAT == n->type ? *(const float *) (const void *) at
                                        : *(const double *) (const void *) at;

    if (got != number) {
        MT_FAIL("%s, id %d: element %d of %d is %g, expected %d (type %d, op "
                "%d, root %d, rank %d of %d, %s%s)",
                names[call->kind], call->id, i, call->count, got, number,
                call->type, call->op, call->root, call->rank, call->size,
                call->in_place ? "in place" : "not in place",
                call->strided ? ", strided" : "");
    }
    if (n->pair) {
        CHECK_EQ(*(const int *) (const void *) (at + n->size / 2), place);
    }
}

/* The reduction of element i over all ranks. */
static int reduced(const call_t *call, int i, int *place)
{
    int all = value(call, 0, i);

    *place = 0;
    for (int rank = 1; rank < call->size; ++rank) {
        const int one = value(call, rank, i);
        const bool less = one<all, more = one> all;

        switch (call->op) {
        case 0:
        case 4:
            all += one;
            break;
        case 3:
            all ^= one;
            break;
        case 1:
        case 6:
            *place = more ? rank : *place;
            all = more ? one : all;
            break;
        default:
            *place = less ? rank : *place;
            all = less ? one : all;
        }
    }
    return all;
}

/* Choose what to reduce: pairs with their operations, BXOR on integers, the
 * user's on MPI_INT. */
static void choose_reduction(call_t *call, mt_random_t *random)
{
    call->type = mt_below(random, served_only ? 5 : 6);
    if (numbers[call->type].pair) {
        call->op = 5 + mt_below(random, 2);
    } else {
        call->op = mt_below(random, 0 == call->type && !served_only ? 5 : 4);
        if (3 == call->op && (1 == call->type || 3 == call->type)) {
            call->op = 0;
        }
    }
}

static int choose_count(mt_random_t *random)
{
    const int limits[] = {2, 9, 700, 5000, most};

    return served_only +
           mt_below(random, limits[mt_below(random, small_only ? 3 : 5)] + 1);
}

static size_t elements(const call_t *call)
{
    const size_t count = (size_t) call->count * (call->strided ? 2 : 1);

    return ALLGATHER == call->kind || ALLTOALL == call->kind ||
                   SCATTER == call->kind
               ? count * (size_t) call->size
               : count;
}

/* Of an all-to-all: the place of element i of a rank's block. */
static int place_of(const call_t *call, int rank, int i)
{
    return call->strided ? rank * (2 * call->count - 1) + 2 * i
                         : rank * call->count + i;
}

static void fill_blocks(const call_t *call, char *from)
{
    for (int rank = 0; rank < call->size; ++rank) {
        for (int i = 0; i < call->count; ++i) {
            put(call, from, place_of(call, rank, i),
                value(call, call->rank, rank * call->count + i), call->rank);
        }
    }
}

static void fill(call_t *call)
{
    const size_t bytes = elements(call) * numbers[call->type].size;
    const bool gathers = ALLGATHER == call->kind;
    const int n = call->count * (SCATTER == call->kind ? call->size : 1);
    const int step = call->strided ? 2 : 1;
    char *from;

    call->from = mt_alloc(bytes);
    call->to = mt_alloc(bytes);
    from = call->in_place || BCAST == call->kind ? call->to : call->from;
    if (ALLTOALL == call->kind) {
        fill_blocks(call, from);
        return;
    }
    for (int i = 0; i < n; ++i) {
        const int at = gathers && call->in_place ? call->rank * n + i : i;

        if (BCAST != call->kind || call->rank == call->root) {
            put(call, from, at * step, value(call, call->rank, i), call->rank);
        }
    }
}

static void start(call_t *call)
{
    const void *from = call->in_place ? MPI_IN_PLACE : call->from;
    MPI_Datatype type = numbers[call->type].type;
    MPI_Op op = ops[call->op];

    switch (call->kind) {
    case ALLGATHER:
        CHECK_OK(MPI_Iallgather(from, call->count, type, call->to, call->count,
                                type, call->comm, &call->request));
        break;
    case ALLREDUCE:
        CHECK_OK(MPI_Iallreduce(from, call->to, call->count, type, op,
                                call->comm, &call->request));
        break;
    case ALLTOALL:
        CHECK_OK(MPI_Ialltoall(from, call->strided ? 1 : call->count,
                               call->strided ? call->derived : type, call->to,
                               call->strided ? 1 : call->count,
                               call->strided ? call->derived : type, call->comm,
                               &call->request));
        break;
    case BARRIER:
        CHECK_OK(MPI_Ibarrier(call->comm, &call->request));
        break;
    case BCAST:
        CHECK_OK(MPI_Ibcast(call->to, call->strided ? 1 : call->count,
                            call->strided ? call->derived : type, call->root,
                            call->comm, &call->request));
        break;
    case REDUCE:
        CHECK_OK(MPI_Ireduce(from, call->to, call->count, type, op, call->root,
                             call->comm, &call->request));
        break;
    default:
        CHECK_OK(MPI_Ireduce_scatter_block(from, call->to, call->count, type,
                                           op, call->comm, &call->request));
    }
}

static void check_call(call_t *call)
{
    const int step = call->strided ? 2 : 1;
    int place = 0, number;

    for (int i = 0; i < call->count; ++i) {
        switch (call->kind) {
        case ALLGATHER:
            for (int rank = 0; rank < call->size; ++rank) {
                check(call, call->to, rank * call->count + i,
                      value(call, rank, i), rank);
            }
            break;
        case ALLTOALL:
            for (int rank = 0; rank < call->size; ++rank) {
                check(call, call->to, place_of(call, rank, i),
                      value(call, rank, call->rank * call->count + i), rank);
            }
            break;
        case BCAST:
            check(call, call->to, i * step, value(call, call->root, i),
                  call->root);
            break;
        case BARRIER:
            break;
        default:
            if (REDUCE == call->kind && call->rank != call->root) {
                break;
            }
            number = reduced(
                call, SCATTER == call->kind ? call->rank * call->count + i : i,
                &place);
            check(call, call->to, i, number, place);
        }
    }
    MT_FREE(call->from, call->to);
    if (call->strided) {
        MPI_Type_free(&call->derived);
    }
}

static void choose(call_t *call, mt_random_t *random, MPI_Comm comm, int id)
{
    memset(call, 0, sizeof(*call));
    call->kind = mt_below(random, KINDS);
    call->id = id;
    call->comm = comm;
    MPI_Comm_rank(comm, &call->rank);
    MPI_Comm_size(comm, &call->size);
    choose_reduction(call, random);
    call->count = choose_count(random);
    call->root = mt_below(random, call->size);
    call->in_place = 0 == mt_below(random, 3);
}

/* Ranks differ in whether their data are strided, in broadcasts and
 * all-to-alls. Of the latter coll/champion serves those in place. */
static void begin(call_t *call)
{
    if (REDUCE == call->kind && call->rank != call->root) {
        call->in_place = false;
    }
    if (ALLTOALL == call->kind && served_only) {
        call->in_place = true;
    }
    if ((BCAST == call->kind || ALLTOALL == call->kind) && call->count > 0) {
        call->strided = 0 == mt_key(call->id, call->rank, mt_seed, 3) % 3;
    }
    if (call->strided) {
        /* Of the same signature as so many numbers. */
        call->derived = mt_vector(call->count, 1, 2, numbers[call->type].type);
    }
    fill(call);
    start(call);
}

static void finish(call_t *calls, int n, mt_random_t *random)
{
    MPI_Request requests[AT_A_TIME];
    int done = 0, index, indices[AT_A_TIME], flag;

    for (int i = 0; i < n; ++i) {
        requests[i] = calls[i].request;
    }
    switch (mt_below(random, 4)) {
    case 0:
        CHECK_OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
        break;
    case 1:
        for (int i = 0; i < n; ++i) {
            CHECK_OK(MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE));
        }
        break;
    case 2:
        while (done < n) {
            CHECK_OK(MPI_Waitsome(n, requests, &index, indices,
                                  MPI_STATUSES_IGNORE));
            done += index;
        }
        break;
    default:
        for (flag = 0; !flag;) {
            CHECK_OK(MPI_Testall(n, requests, &flag, MPI_STATUSES_IGNORE));
        }
    }
    for (int i = 0; i < n; ++i) {
        check_call(&calls[i]);
    }
}

/* A communicator of random ranks in random order; all ranks call it. */
static MPI_Comm random_comm(MPI_Comm parent, mt_random_t *random)
{
    int rank = mt_rank_in(parent), color, key;
    uint64_t draw = mt_next(random);
    MPI_Comm comm;

    color = 0 == draw % 3 ? 0 : (int) (mt_key(draw, rank, 1, 1) % 2);
    key = (int) (mt_key(draw, rank, 2, 2) % 1000);
    CHECK_OK(MPI_Comm_split(parent, color, key, &comm));
    return comm;
}

/* coll/champion leaves a process alone to libnbc. */
static void free_if_served(MPI_Comm *comm)
{
    int size;

    MPI_Comm_size(*comm, &size);
    if (size > 1) {
        MPI_Comm_free(comm);
    }
}

static void round_of(MPI_Comm parent, int round, int thread)
{
    mt_random_t random =
        mt_random((uint64_t) round * 64 + (uint64_t) thread + 7);
    const int n = 1 + mt_below(&random, AT_A_TIME);
    MPI_Comm comms[COMMS];
    call_t calls[AT_A_TIME];

    for (int i = 0; i < COMMS; ++i) {
        comms[i] = random_comm(parent, &random);
    }
    for (int i = 0; i < n; ++i) {
        const int which = mt_below(&random, COMMS);

        /* What a group does depends on its size and the call alone. */
        mt_random_t own = mt_random(mt_key(round, i, thread, mt_seed));
        MT_CASE("round %d, call %d", round, i);
        choose(&calls[i], &own, comms[which],
               (round * 64 + thread) * AT_A_TIME + i);
        begin(&calls[i]);
    }
    for (int i = 0; i < COMMS && free_early; ++i) {
        free_if_served(&comms[i]);
    }
    finish(calls, n, &random);
    for (int i = 0; i < COMMS; ++i) {
        if (MPI_COMM_NULL != comms[i]) {
            MPI_Comm_free(&comms[i]);
        }
    }
}

/* Long reductions are under way while the program waits for many small
 * collectives on another communicator, one after the other. */
static void round_beside_long(MPI_Comm parent, int round, int thread)
{
    enum { LONG = 8, SMALL = 40, CALLS = LONG + SMALL };
    mt_random_t random =
        mt_random((uint64_t) round * 64 + (uint64_t) thread + 11);
    const int first = (round * 64 + thread) * CALLS;
    call_t calls[LONG], small;
    MPI_Comm other;

    CHECK_OK(MPI_Comm_dup(parent, &other));
    for (int i = 0; i < LONG; ++i) {
        choose(&calls[i], &random, parent, first + i);
        calls[i].kind = 2 == round % 3 ? REDUCE : ALLREDUCE;
        calls[i].type = calls[i].op = 0;
        calls[i].count = (0 == round % 3 ? 512 << 10 : 1 << 20) / 4;
        begin(&calls[i]);
    }
    for (int i = LONG; i < CALLS; ++i) {
        MT_CASE("round %d, small call %d", round, i - LONG);
        choose(&small, &random, other, first + i);
        small.count = 1 + small.count % 9;
        begin(&small);
        finish(&small, 1, &random);
    }
    MT_CASE("round %d, long calls", round);
    finish(calls, LONG, &random);
    MPI_Comm_free(&other);
}

typedef struct thread_t {
    int index;
    MPI_Comm comm;
} thread_t;

static void *rounds(void *arg)
{
    const thread_t *thread = arg;

    for (int round = 0; round < num_rounds; ++round) {
        if (beside_long) {
            round_beside_long(thread->comm, round, thread->index);
        } else {
            round_of(thread->comm, round, thread->index);
        }
    }
    return NULL;
}

static void all_threads(void)
{
    thread_t threads[16];

    for (int i = 0; i < num_threads; ++i) {
        threads[i].index = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].comm);
    }
    mt_in_threads(num_threads, rounds, threads, sizeof(*threads));
    for (int i = 0; i < num_threads; ++i) {
        MPI_Comm_free(&threads[i].comm);
    }
}

/* The program calls nothing of MPI until the last element of its result is
 * there: somebody else has gone through the whole schedule. */
static void computing(void)
{
    enum { N = 1 << 18 };
    int *from = malloc(N * sizeof(int)), *to = malloc(N * sizeof(int));
    struct timespec pause = {0, 1000000};
    MPI_Request request;

    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < N; ++i) {
            from[i] = mt_rank + i + round;
            to[i] = -1;
        }
        MT_CASE("computing, round %d", round);
        CHECK_OK(MPI_Iallreduce(from, to, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                                &request));
        for (int i = 0; i < N; ++i) {
            const int sum = mt_size * (i + round) + mt_size * (mt_size - 1) / 2;

            while (sum != __atomic_load_n(&to[i], __ATOMIC_ACQUIRE)) {
                nanosleep(&pause, NULL);
            }
        }
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    free(from);
    free(to);
}

int main(int argc, char **argv)
{
    num_threads = mt_option(argc, argv, "--threads", 1);
    mt_init_threads(&argc, &argv, 2, num_threads > 1);
    num_rounds = mt_option(argc, argv, "--rounds", num_rounds);
    most = mt_option(argc, argv, "--most", most);
    small_only = mt_flag(argc, argv, "--small");
    free_early = mt_flag(argc, argv, "--free");
    served_only = mt_flag(argc, argv, "--served") || free_early;
    beside_long = mt_flag(argc, argv, "--beside_long");
    make_numbers();
    if (mt_flag(argc, argv, "--computing")) {
        computing();
    } else {
        all_threads();
    }
    MPI_Op_free(&ops[4]);
    return mt_finalize();
}
