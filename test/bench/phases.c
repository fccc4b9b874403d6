/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Patterns of communication in phases: the pattern, computation, the pattern,
 * silence, the pattern, ...; what they take, and which processes have a
 * progress thread afterwards. What arrives is checked.
 *
 *   test/netns/hosts --rate 1gbit mpirun -np P ... phases [--list]
 *       [--phases N] [--shorter K] [--patience SECONDS] PATTERN
 *
 * The table `patterns` below says what they are. A phase lasts 0.3 to 0.6 s at
 * 1 Gbit/s; with --shorter it has a K-th of the steps. "step_ms" is, for each of
 * the N phases (4), the time of a step on the slowest rank. "threads" is how many
 * ranks have a progress thread at the end. Where none should be left, the
 * pattern goes on until there is none, for SECONDS (0) at most.
 */
#include "bench.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    TAG = 100,
    MAX_PHASES = 32,
    BETWEEN_MS = 50,
    PAGE = 4096,
    WINDOW = 8,
    MAX_RANKS = 64
};

static int rank, size, next, previous;
static int bytes, ms;
static uint64_t step;
static unsigned char *out, *in;

/* What each page of a message begins with. */
static uint64_t stamp(int from, size_t at)
{
    return (step + 1) * 0x9e3779b97f4a7c15u + (uint64_t) from * 31 + at;
}

static void fill(unsigned char *buffer, int length)
{
    for (size_t at = 0; at + sizeof(uint64_t) <= (size_t) length; at += PAGE) {
        const uint64_t value = stamp(rank, at);

        memcpy(buffer + at, &value, sizeof(value));
    }
}

/* `offset` is where the message began in its sender's buffer. */
static void check_part(const unsigned char *buffer, int length, int from,
                       size_t offset)
{
    for (size_t at = 0; at + sizeof(uint64_t) <= (size_t) length; at += PAGE) {
        uint64_t value;

        memcpy(&value, buffer + at, sizeof(value));
        BENCH_CHECK(value == stamp(from, offset + at),
                    "step %llu: wrong data at %zu of %d bytes from rank %d",
                    (unsigned long long) step, at, length, from);
    }
}

static void check(const unsigned char *buffer, int from)
{
    check_part(buffer, bytes, from, 0);
}

static void work_for(double milliseconds)
{
    static volatile double result = 1;
    const double until = bench_now() + 1e-3 * milliseconds;
    double x = result;

    while (bench_now() < until) {
        for (int i = 0; i < 1000; ++i) {
            x = x * 0.999999 + 1e-6;
        }
    }
    result = x;
}

static void pause_for(double milliseconds)
{
    usleep((useconds_t) (1e3 * milliseconds));
}

/* Beside communication: as beside an accelerator. */
static void compute(void)
{
    pause_for(ms);
}

static unsigned char *part_of(unsigned char *buffer, int number)
{
    return buffer + (size_t) number * (size_t) bytes;
}

static void send_to(int to)
{
    MPI_Send(out, bytes, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

static void receive_from(int from)
{
    MPI_Recv(in, bytes, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(in, from);
}

/* Ranks form pairs: 0 and 1, 2 and 3. */
static bool is_first(void)
{
    return 0 == rank % 2;
}

static int partner(void)
{
    return rank ^ 1;
}

static void halo(void)
{
    MPI_Request requests[4];

    for (int i = 0; i < 2; ++i) {
        MPI_Irecv(part_of(in, i), bytes, MPI_BYTE, 0 == i ? previous : next,
                  TAG + i, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(out, bytes, MPI_BYTE, 0 == i ? next : previous, TAG + i,
                  MPI_COMM_WORLD, &requests[2 + i]);
    }
    compute();
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    check(in, previous);
    check(part_of(in, 1), next);
}

static void pingpong(void)
{
    if (is_first()) {
        send_to(partner());
        receive_from(partner());
    } else {
        receive_from(partner());
        send_to(partner());
    }
}

/* WINDOW at a time. */
static void stream(void)
{
    MPI_Request requests[WINDOW];

    for (int i = 0; i < WINDOW; ++i) {
        if (is_first()) {
            MPI_Isend(out, bytes, MPI_BYTE, partner(), TAG, MPI_COMM_WORLD,
                      &requests[i]);
        } else {
            MPI_Irecv(part_of(in, i), bytes, MPI_BYTE, partner(), TAG,
                      MPI_COMM_WORLD, &requests[i]);
        }
    }
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < WINDOW && !is_first(); ++i) {
        check(part_of(in, i), partner());
    }
}

static void sends(void)
{
    if (is_first()) {
        send_to(partner());
    } else {
        receive_from(partner());
    }
}

static void both_ways(void)
{
    MPI_Request requests[2 * WINDOW];

    for (int i = 0; i < WINDOW; ++i) {
        MPI_Irecv(part_of(in, i), bytes, MPI_BYTE, partner(), TAG,
                  MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(out, bytes, MPI_BYTE, partner(), TAG, MPI_COMM_WORLD,
                  &requests[WINDOW + i]);
    }
    MPI_Waitall(2 * WINDOW, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < WINDOW; ++i) {
        check(part_of(in, i), partner());
    }
}

/* Workers send a result and get a piece; the first one asks with an empty one.
 * A step is one piece for each worker. */
static void master(void)
{
    MPI_Request requests[MAX_RANKS];
    int which;

    if (0 != rank) {
        send_to(0);
        receive_from(0);
        work_for(ms);
        return;
    }
    for (int i = 1; i < size; ++i) {
        MPI_Irecv(part_of(in, i), bytes, MPI_BYTE, i, TAG, MPI_COMM_WORLD,
                  &requests[i - 1]);
    }
    for (int i = 1; i < size; ++i) {
        MPI_Waitany(size - 1, requests, &which, MPI_STATUS_IGNORE);
        check(part_of(in, which + 1), which + 1);
        send_to(which + 1);
    }
}

static void pipeline(void)
{
    if (0 != rank) {
        receive_from(previous);
    }
    work_for(ms);
    if (0 != next) {
        send_to(next);
    }
}

static void transpose(void)
{
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i) {
        check_part(part_of(in, i), bytes, i, (size_t) rank * (size_t) bytes);
    }
}

/* Of the integers 0, 1, ... plus rank and step. */
static void allreduce_with(bool beside)
{
    const int count = bytes / (int) sizeof(uint64_t);
    uint64_t *mine = (uint64_t *) out, *sum = (uint64_t *) in;
    MPI_Request request;

    for (int i = 0; i < count; i += 512) {
        mine[i] = (uint64_t) i + (uint64_t) rank + step;
    }
    if (beside) {
        MPI_Iallreduce(mine, sum, count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD,
                       &request);
        compute();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Allreduce(mine, sum, count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int i = 0; i < count; i += 512) {
        BENCH_CHECK(sum[i] == (uint64_t) size * ((uint64_t) i + step) +
                                  (uint64_t) (size * (size - 1) / 2),
                    "step %llu: wrong sum", (unsigned long long) step);
    }
}

static void allreduce(void)
{
    allreduce_with(false);
}

static void iallreduce(void)
{
    allreduce_with(true);
}

static void bcast(void)
{
    unsigned char *buffer = 0 == rank ? out : in;

    if (0 == rank) {
        compute();
    }
    MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    check(buffer, 0);
}

static void reduce(void)
{
    if (0 == rank) {
        compute();
    }
    MPI_Reduce(out, in, bytes / (int) sizeof(uint64_t), MPI_UINT64_T, MPI_SUM,
               0, MPI_COMM_WORLD);
    for (size_t at = 0; 0 == rank && at < (size_t) bytes; at += PAGE) {
        uint64_t sum = 0, got;

        for (int i = 0; i < size; ++i) {
            sum += stamp(i, at);
        }
        memcpy(&got, in + at, sizeof(got));
        BENCH_CHECK(got == sum, "step %llu: wrong sum",
                    (unsigned long long) step);
    }
}

/* Uneven parts: rank r gets (r + 1) / size of a message. */
static void iscatterv(void)
{
    int counts[size], places[size];
    MPI_Request request;

    for (int i = 0; i < size; ++i) {
        counts[i] = bytes / size * (i + 1);
        places[i] = i * bytes;
    }
    MPI_Iscatterv(out, counts, places, MPI_BYTE, in, counts[rank], MPI_BYTE, 0,
                  MPI_COMM_WORLD, &request);
    compute();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_part(in, counts[rank], 0, (size_t) places[rank]);
}

static void late(void)
{
    if (!is_first()) {
        compute();
    }
    sends();
}

static void probed(void)
{
    MPI_Request request;

    if (is_first()) {
        send_to(partner());
        return;
    }
    MPI_Probe(partner(), TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(in, bytes, MPI_BYTE, partner(), TAG, MPI_COMM_WORLD, &request);
    compute();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(in, partner());
}

/* The same numbers on all ranks. */
static int random_length(int from, int to, int number)
{
    uint64_t x = stamp(from * size + to, (size_t) number);

    x ^= x >> 31;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 29;
    return 0 == x % 3 ? 0 : (int) ((x >> 8) % (uint64_t) (bytes + 1));
}

/* To some of the others, of some lengths; the receiver probes. */
static void sparse(void)
{
    MPI_Request requests[WINDOW * MAX_RANKS];
    int sent = 0, expected = 0;

    for (int to = 0; to < size; ++to) {
        for (int i = 0; i < WINDOW && to != rank; ++i) {
            const int length = random_length(rank, to, i);

            expected += 0 != random_length(to, rank, i);
            if (0 != length) {
                MPI_Isend(out, length, MPI_BYTE, to, TAG, MPI_COMM_WORLD,
                          &requests[sent++]);
            }
        }
    }
    while (0 != expected--) {
        MPI_Message message;
        MPI_Status status;
        int length;

        MPI_Mprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &message, &status);
        MPI_Get_count(&status, MPI_BYTE, &length);
        MPI_Mrecv(in, length, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        check_part(in, length, status.MPI_SOURCE, 0);
    }
    MPI_Waitall(sent, requests, MPI_STATUSES_IGNORE);
    /* The next step's lengths are told by the number of the step. */
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A phase each of what wants a thread and of what does not. */
static void turns(void)
{
    for (int i = 0; i < 12; ++i) {
        halo();
    }
    for (int i = 0; i < 8; ++i) {
        pingpong();
    }
}

static const struct pattern {
    const char *name;
    void (*run)(void);
    int bytes;
    int ms;    /* of computation in each step */
    int steps; /* of a phase */
    const char *threads;
    const char *text;
} patterns[] = {
    {"halo", halo, 524288, 10, 40, "some",
     "512 KiB with both neighbours beside 10 ms"},
    {"pingpong_1m", pingpong, 1048576, 0, 25, "none", "ping-pong, 1 MiB"},
    {"pingpong_64k", pingpong, 65536, 0, 500, "none", "ping-pong, 64 KiB"},
    {"stream", stream, 1048576, 0, 6, "none",
     "windows of 8 messages of 1 MiB, one way"},
    {"sends", sends, 1048576, 0, 45, "none", "MPI_Send of 1 MiB, one way"},
    {"both_ways", both_ways, 1048576, 0, 6, "none",
     "windows of 8 messages of 1 MiB, both ways"},
    {"small", both_ways, 8, 0, 8000, "none",
     "windows of 8 messages of 8 bytes, both ways"},
    {"master", master, 65536, 1, 200, "none",
     "master and workers, pieces of 64 KiB and 1 ms"},
    {"pipeline", pipeline, 65536, 2, 150, "any",
     "pipeline, 64 KiB and 2 ms in each stage"},
    {"transpose", transpose, 1048576, 0, 45, "none", "MPI_Alltoall of 1 MiB"},
    {"allreduce", allreduce, 1048576, 0, 25, "none", "MPI_Allreduce of 1 MiB"},
    {"iallreduce", iallreduce, 1048576, 20, 16, "some",
     "MPI_Iallreduce of 1 MiB beside 20 ms"},
    {"bcast", bcast, 1048576, 5, 30, "none",
     "MPI_Bcast of 1 MiB, the root 5 ms late"},
    {"reduce", reduce, 1048576, 20, 16, "some",
     "MPI_Reduce of 1 MiB, the root 20 ms late"},
    {"iscatterv", iscatterv, 1048576, 20, 16, "some",
     "MPI_Iscatterv of 1 MiB beside 20 ms"},
    {"late", late, 1048576, 20, 16, "some",
     "MPI_Send of 1 MiB to a receiver that is 20 ms late"},
    {"probed", probed, 1048576, 20, 16, "some",
     "MPI_Probe, MPI_Irecv of 1 MiB, 20 ms, MPI_Wait"},
    {"sparse", sparse, 262144, 0, 50, "none",
     "random numbers of messages of up to 256 KiB, probed for"},
    {"turns", turns, 524288, 10, 3, "any", "12 halos and 8 ping-pongs in turn"},
};

/* Has this process a thread of champion's name? */
static bool has_thread(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    bool found = false;

    BENCH_CHECK(NULL != tasks, "no /proc");
    while (NULL != (entry = readdir(tasks))) {
        char path[64], name[64] = "";
        FILE *file;

        snprintf(path, sizeof(path), "/proc/self/task/%.20s/comm",
                 entry->d_name);
        file = fopen(path, "r");
        if (NULL != file) {
            found |= 1 == fscanf(file, "%63s", name) &&
                     0 == strcmp(name, "champion");
            fclose(file);
        }
    }
    closedir(tasks);
    return found;
}

static int count_threads(void)
{
    int mine = has_thread(), all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* Seconds on the slowest rank. */
static double phase(const struct pattern *pattern, int steps)
{
    double start, mine, most;

    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_now();
    for (int i = 0; i < steps; ++i, ++step) {
        fill(out,
             bytes * (transpose == pattern->run || iscatterv == pattern->run
                          ? size
                          : 1));
        pattern->run();
    }
    mine = bench_now() - start;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* Goes on until nobody has a thread; returns how many have one. */
static int until_none(const struct pattern *pattern, int steps, double patience)
{
    const double end = bench_now() + patience;
    int threads = count_threads(), on;

    do {
        on = bench_now() < end && 0 != threads &&
             0 == strcmp("none", pattern->threads);
        MPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (on) {
            (void) phase(pattern, steps);
            threads = count_threads();
        }
    } while (on);
    return threads;
}

static void measure(const struct pattern *pattern, int phases, int shorter,
                    double patience)
{
    const int most = size > 2 * WINDOW ? size : 2 * WINDOW;
    const int steps = (pattern->steps + shorter - 1) / shorter;
    double seconds[MAX_PHASES];
    int threads;

    bytes = pattern->bytes;
    ms = pattern->ms;
    out = bench_alloc((size_t) bytes * (size_t) most);
    in = bench_alloc((size_t) bytes * (size_t) most);
    for (int i = 0; i < phases; ++i) {
        seconds[i] = phase(pattern, steps);
        if (0 == i % 2) {
            work_for(BETWEEN_MS);
        } else {
            pause_for(BETWEEN_MS);
        }
    }
    threads = until_none(pattern, steps, patience);
    if (0 == rank) {
        printf("{\"benchmark\": \"%s\", \"ranks\": %d, \"bytes\": %d, "
               "\"compute_ms\": %d, \"threads\": %d, \"step_ms\": [",
               pattern->name, size, bytes, ms, threads);
        for (int i = 0; i < phases; ++i) {
            printf("%s%.4g", 0 == i ? "" : ", ", 1e3 * seconds[i] / steps);
        }
        printf("]}\n");
    }
    free(out);
    free(in);
}

static const struct pattern *find(const char *name)
{
    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); ++i) {
        if (0 == strcmp(name, patterns[i].name)) {
            return &patterns[i];
        }
    }
    return NULL;
}

/* Without MPI: a line each, with whether there should be threads. */
static int list(void)
{
    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); ++i) {
        printf("%s %s %s\n", patterns[i].name, patterns[i].threads,
               patterns[i].text);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int phases = 4, shorter = 1, first = 1;
    double patience = 0;

    if (2 == argc && 0 == strcmp(argv[1], "--list")) {
        return list();
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    BENCH_CHECK(size <= MAX_RANKS && 0 == size % 2,
                "run this with an even number of ranks, %d at most", MAX_RANKS);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    for (; argc > first + 1; first += 2) {
        const char *value = argv[first + 1];

        if (0 == strcmp(argv[first], "--phases")) {
            phases = atoi(value);
        } else if (0 == strcmp(argv[first], "--shorter")) {
            shorter = atoi(value);
        } else if (0 == strcmp(argv[first], "--patience")) {
            patience = atof(value);
        } else {
            break;
        }
    }
    BENCH_CHECK(phases > 0 && phases <= MAX_PHASES, "--phases: 1 to %d",
                MAX_PHASES);
    BENCH_CHECK(shorter > 0, "--shorter: 1 and more");
    BENCH_CHECK(argc == first + 1 && NULL != find(argv[first]),
                "name one pattern; --list shows them");
    measure(find(argv[first]), phases, shorter, patience);
    MPI_Finalize();
    return 0;
}
