/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * With a progress thread (pml_champion_progress_thread) messages arrive, and
 * sends complete, while the program computes and calls MPI not at all. The
 * ranks form pairs; what each waits for outside MPI is in its buffer, or in
 * memory that the pair shares.
 *
 *     messages_while_computing [--only CASE] [--patience SECONDS] [--multiple]
 *                              [--begun | --sending] [--silent] [--core N]
 *
 *   posted      receives are posted, then computation goes on until the data
 *               are there and the sender's blocking send has returned
 *   unexpected  both compute: the message has been probed, then its receive
 *               is posted
 *   sender      the sender computes, its partner receives in blocking calls
 *   crowd       like sender, with more sends than the partner has room for; with
 *               --begun again and again, for longer than a thread stays that is
 *               of no use: these sends are of use
 *   idle        the thread is there, handles no signals, is of no concern to
 *               a child, and sleeps while nothing happens
 *   waiting     the thread stays away while the program waits in MPI calls; to
 *               be run with a pml_champion_thread_interval of 0.2 s
 *   placed      the thread is where the process was in MPI_Init, or on the core
 *               of --core, and not where the program has gone since, which
 *               has left for one core and another scheduling policy
 *   given_up    while the program does without it, the thread ends; large
 *               messages start it again; with --begun
 *   switched    the control variable pml_champion_progress_thread starts and
 *               ends the thread
 *   chosen      so does the info key ompi_progress_thread of communicators
 *   leave       a rank ends without MPI_Finalize
 *
 * The last seven only if they are named. --begun: the thread is not there from
 * the beginning but is started after the first large messages, of which there
 * are some before the cases (pml_champion_progress_thread=auto, with
 * thread_late and so on such that these are enough); only cases of large
 * messages, because rings do not wake the thread then. --sending: the thread of
 * the senders is started, which only send and compute until it runs.
 *
 * --silent: UCX's event descriptor is never readable.
 *
 * Every wait ends with an error after --patience seconds (60). Without a thread
 * the program fails in this way, which shows that the thread is needed.
 */
#define _GNU_SOURCE 1
#include <sched.h>
#include <sys/wait.h>

#include "mpi_test.h"
#include "mpi_test_shared.h"
#include "mpi_test_silent.h"
#include "mpi_test_variable.h"

#define TAG 7
#define CROWD 3000
#define CROWD_SIZE 1000

/* What a pair shares. */
typedef struct {
    volatile int step[2]; /* how far each of the two is, outside MPI */
} shared_t;

static const int sizes[] = {8, 64, 1000, 9000, 70000, 1 << 20, 9 << 20};

static size_t first_size; /* in sizes */
static shared_t *shared;
static bool sends; /* this rank is its pair's sender */
static bool begun; /* --begun */
static double patience;

/* Publish this rank's step to the partner, outside MPI; once per step. */
static void reach(int step)
{
    __atomic_store_n(&shared->step[sends], step, __ATOMIC_RELEASE);
}

static bool partner_reached(int step)
{
    return __atomic_load_n(&shared->step[!sends], __ATOMIC_ACQUIRE) >= step;
}

/* Compute, without an MPI call, until the last word of a message is there (if
 * there is one) and the partner has come so far. */
static void compute_until(const void *data, size_t length, uint64_t key,
                          int step)
{
    const volatile unsigned char *last = data;
    double until = mt_now() + patience;

    while (!partner_reached(step) ||
           (NULL != data && last[length - 1] != mt_byte(key, length - 1))) {
        if (mt_now() > until) {
            MT_FAIL("nothing came within %.0f s without an MPI call", patience);
        }
        usleep(50);
    }
}

/* One whose last byte differs from what is in the buffer before. */
static uint64_t key_of(int step, size_t length)
{
    uint64_t key = mt_key(step, length, 0, 0);

    while (MT_BACKGROUND == mt_byte(key, length - 1)) {
        ++key;
    }
    return key;
}

static void check_gaps(const unsigned char *data, size_t bytes, uint64_t key)
{
    for (size_t i = 0; i < bytes; ++i) {
        CHECK_EQ(data[i / 8 * 16 + i % 8], mt_byte(key, i));
    }
}

static void posted_send(int size, uint64_t key, int step)
{
    void *buffer = mt_payload(size, key);
    compute_until(NULL, 0, 0, step); /* the receive is posted */
    (step % 2 ? mt_ssend : mt_send)(buffer, size, mt_peer, TAG);
    reach(step);
    mt_free(buffer);
}

static void posted_receive(int size, bool gaps, uint64_t key, int step)
{
    size_t length = (size_t) size, extent = gaps ? 2 * length - 8 : length;
    unsigned char *buffer = mt_alloc(extent);
    MPI_Datatype type = MPI_BYTE;
    MPI_Request request;
    MPI_Status status;

    if (gaps) {
        /* The last element has no gap, so that the last byte of the data is at
         * the end of the buffer. */
        type = mt_vector(size / 8, 8, 16, MPI_BYTE);
    }
    CHECK_OK(MPI_Irecv(buffer, gaps ? 1 : size, type, mt_peer, TAG,
                       MPI_COMM_WORLD, &request));
    reach(step);
    if (gaps) {
        /* The last byte lies elsewhere than the key says. */
        compute_until(buffer + extent - length, length, key, step);
        CHECK_OK(MPI_Wait(&request, &status));
        check_gaps(buffer, length, key);
        CHECK_OK(MPI_Type_free(&type));
    } else {
        compute_until(buffer, length, key, step);
        CHECK_OK(MPI_Wait(&request, &status));
        CHECK_PAYLOAD(buffer, length, key);
    }
    CHECK_STATUS(&status, mt_peer, TAG, MPI_BYTE, size);
    mt_free(buffer);
}

static void wait_for_threads(int count, char id[32]);

static int posted(int step)
{
    for (size_t i = first_size; i < MT_COUNT_OF(sizes); ++i) {
        for (int kind = 0; kind < 4; ++kind) {
            uint64_t key = key_of(++step, sizes[i]);

            MT_CASE("posted: %d bytes, %s", sizes[i],
                    kind / 2 ? "with gaps" : "contiguous");
            if (sends) {
                posted_send(sizes[i], key, step);
            } else {
                posted_receive(sizes[i], kind / 2, key, step);
            }
        }
    }
    return step;
}

/* Both compute, once the receiver has the message's envelope. */
static void unexpected_one(int size, uint64_t key, int step)
{
    unsigned char *buffer = mt_alloc(size);
    MPI_Request request;

    if (sends) {
        mt_fill(buffer, size, key);
        mt_isend(buffer, size, mt_peer, TAG, &request);
        compute_until(NULL, 0, 0, step);
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        CHECK_OK(MPI_Probe(mt_peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        mt_irecv(buffer, size, mt_peer, TAG, &request);
        compute_until(buffer, (size_t) size, key, 0);
        reach(step);
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_PAYLOAD(buffer, size, key);
    }
    mt_free(buffer);
}

static int unexpected(int step)
{
    for (int times = 0; times < 5; ++times) {
        for (size_t i = first_size; i < MT_COUNT_OF(sizes); ++i) {
            MT_CASE("unexpected: %d bytes", sizes[i]);
            ++step;
            unexpected_one(sizes[i], key_of(step, sizes[i]), step);
        }
    }
    return step;
}

/* Large messages in both directions. No thread may be there before the first
 * one, and one has to be after the last. */
static void begin(void)
{
    enum { MESSAGES = 4, SIZE = 1 << 20 };
    unsigned char *in = mt_alloc(SIZE), *out = mt_alloc(SIZE);
    char id[32];

    MT_CASE("begun: before the first large message");
    wait_for_threads(0, id);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* all have looked */
    for (int i = 0; i < MESSAGES; ++i) {
        MT_CASE("begun: large message %d", i);
        mt_fill(out, SIZE, mt_key(i, 3, 0, 0));
        mt_swap(out, SIZE, mt_peer, in, SIZE, mt_peer, TAG);
        CHECK_PAYLOAD(in, SIZE, mt_key(i, 3, 0, 0));
    }
    MT_CASE("begun: after the last large message");
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    wait_for_threads(1, id);
    MT_FREE(in, out);
}

/* What is posted comes while this rank computes, or for a while it does not. */
static bool comes_beside(const volatile unsigned char *data, size_t length,
                         uint64_t key)
{
    const double until = mt_now() + 0.1;

    while (data[length - 1] != mt_byte(key, length - 1)) {
        if (mt_now() > until) {
            return false;
        }
        usleep(50);
    }
    return true;
}

/* Both threads have just been of use, so they stay for as long as they do
 * without one; one that was given up before has been started again. */
static void make_use(void)
{
    enum { SIZE = 1 << 20 };
    unsigned char *in = mt_alloc(SIZE), *out = mt_alloc(SIZE);
    double until = mt_now() + patience;
    int used, all = false;

    for (uint64_t i = 0; !all; ++i) {
        const uint64_t key = key_of((int) i, SIZE);
        MPI_Request requests[2];
        char id[32];

        memset(in, MT_BACKGROUND, SIZE);
        mt_fill(out, SIZE, key);
        mt_irecv(in, SIZE, mt_peer, TAG, &requests[0]);
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* all have been posted */
        mt_isend(out, SIZE, mt_peer, TAG, &requests[1]);
        used = comes_beside(in, SIZE, key);
        CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK_PAYLOAD(in, SIZE, key);
        used = used && 1 == mt_find_thread(id);
        CHECK_OK(
            MPI_Allreduce(&used, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
        CHECK(mt_now() < until);
    }
    MT_FREE(in, out);
}

/* Large messages in one direction, beside computation. The sender gets its
 * thread for the sake of the receiver that waits. */
static void begin_sending(void)
{
    enum { SIZE = 1 << 20, COMPUTATION = 20000 /* us */ };
    unsigned char *buffer = mt_alloc(SIZE);
    double until = mt_now() + patience;
    int enough = false;
    char id[32];

    MT_CASE("sending: before the first large message");
    wait_for_threads(0, id);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* all have looked */
    for (int i = 0; !enough; ++i) {
        MPI_Request request;

        MT_CASE("sending: large message %d", i);
        if (sends) {
            mt_fill(buffer, SIZE, mt_key(i, 5, 0, 0));
            mt_isend(buffer, SIZE, mt_peer, TAG, &request);
            usleep(COMPUTATION);
            CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            enough = mt_find_thread(id) > 0;
            CHECK(mt_now() < until);
            CHECK_OK(
                MPI_Send(&enough, 1, MPI_INT, mt_peer, TAG, MPI_COMM_WORLD));
        } else {
            CHECK_RECV(buffer, SIZE, mt_peer, TAG, MPI_COMM_WORLD,
                       mt_key(i, 5, 0, 0));
            CHECK_OK(MPI_Recv(&enough, 1, MPI_INT, mt_peer, TAG, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
        }
    }
    mt_free(buffer);
}

static int sender(int step)
{
    for (size_t i = first_size; i < MT_COUNT_OF(sizes); ++i) {
        size_t length = (size_t) sizes[i];
        unsigned char *buffer = mt_alloc(length);
        MPI_Request request;

        MT_CASE("sender: %d bytes", sizes[i]);
        ++step;
        if (sends) {
            mt_fill(buffer, length, key_of(step, length));
            mt_issend(buffer, sizes[i], mt_peer, TAG, &request);
            compute_until(NULL, 0, 0, step);
            CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            CHECK_OK(MPI_Recv(buffer, sizes[i], MPI_BYTE, mt_peer, TAG,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            reach(step);
            CHECK_PAYLOAD(buffer, length, key_of(step, length));
        }
        mt_free(buffer);
    }
    return step;
}

/* With patience the partner begins when all sends have been posted: without a
 * thread most of them wait then for an MPI call of the sender, however fast the
 * partner receives. */
static void crowd_once(unsigned char *buffer, bool patient, int step)
{
    static MPI_Request requests[CROWD];

    MT_CASE("crowd: the partner receives %s", patient ? "later" : "at once");
    if (patient && !sends) {
        compute_until(NULL, 0, 0, step - 1);
    }
    for (int i = 0; i < CROWD; ++i) {
        unsigned char *data = buffer + (size_t) i * CROWD_SIZE;

        if (sends) {
            mt_fill(data, CROWD_SIZE, key_of(step + i, CROWD_SIZE));
            mt_isend(data, CROWD_SIZE, mt_peer, TAG, &requests[i]);
        } else {
            CHECK_RECV(data, CROWD_SIZE, mt_peer, TAG, MPI_COMM_WORLD,
                       key_of(step + i, CROWD_SIZE));
        }
    }
    if (sends) {
        reach(step - 1); /* all have been posted */
        compute_until(NULL, 0, 0, step);
        CHECK_OK(MPI_Waitall(CROWD, requests, MPI_STATUSES_IGNORE));
    } else {
        reach(step);
    }
}

/* Do both want to go on? */
static bool both(int on)
{
    return mt_swap_int(on, mt_peer, mt_peer, TAG) && on;
}

static int crowd(int step)
{
    enum { USELESS_FOR = 2 /* s: more than a thread's life without a use */ };
    unsigned char *buffer = mt_alloc((size_t) CROWD * CROWD_SIZE);
    double until;

    if (begun) {
        make_use();
    }
    until = mt_now() + (begun ? USELESS_FOR : 0);
    do {
        for (int patient = false; patient <= true; ++patient) {
            step += 2;
            crowd_once(buffer, patient, step);
        }
    } while (both(mt_now() < until));
    mt_free(buffer);
    return step;
}

/* ---- the thread itself ------------------------------------------------- */

/* A field of /proc/self/task/ID/status; false if there is none. */
static bool status_field(const char *id, const char *name, char *value)
{
    char path[64], line[200];
    size_t length = strlen(name);
    bool found = false;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/self/task/%.20s/status", id);
    file = fopen(path, "r");
    while (NULL != file && !found && NULL != fgets(line, sizeof(line), file)) {
        found = 0 == strncmp(line, name, length) && ':' == line[length];
    }
    if (NULL != file) {
        fclose(file);
    }
    if (found) {
        CHECK_EQ(sscanf(line + length + 1, "%63s", value), 1);
    }
    return found;
}

/* Wait until there are that many threads; one that has just been joined may
 * still be listed. */
static void wait_for_threads(int number, char id[32])
{
    double until = mt_now() + patience;
    int found;

    while (number != (found = mt_find_thread(id)) && mt_now() < until) {
        usleep(1000);
    }
    CHECK_EQ(found, number);
}

/* Number of times that the thread has gone to sleep. */
static long sleeps(const char *id)
{
    char value[64];

    CHECK(status_field(id, "voluntary_ctxt_switches", value));
    return atol(value);
}

/* Wait until the thread has been asleep for that many seconds. */
static void wait_for_rest(const char *id, double seconds)
{
    double start = mt_now(), since = start;
    long before = sleeps(id);

    while (mt_now() - since < seconds) {
        CHECK(mt_now() - start < patience);
        usleep(20000);
        if (sleeps(id) != before) {
            before = sleeps(id);
            since = mt_now();
        }
    }
}

/* All are blocked but those of a crash, those that cannot be (9, 19), and
 * glibc's own (32, 33), which may or may not be. While it starts a thread glibc
 * blocks all. */
static void wait_for_mask(const char *id)
{
    static const int open[] = {SIGILL,  SIGABRT, SIGBUS, SIGFPE,
                               SIGSEGV, SIGKILL, SIGSTOP};
    unsigned long long glibc = 1ull << 31 | 1ull << 32;
    unsigned long long expected = ~glibc, mask;
    double until = mt_now() + patience;
    char value[64];

    for (size_t i = 0; i < MT_COUNT_OF(open); ++i) {
        expected &= ~(1ull << (open[i] - 1));
    }
    do {
        CHECK(status_field(id, "SigBlk", value));
        mask = strtoull(value, NULL, 16) & ~glibc;
    } while (mask != expected && mt_now() < until && 0 == usleep(1000));
    CHECK_EQ(mask, expected);
}

/* The process's cores in MPI_Init, or those that the thread was given. */
static char cores[64];

/* Where the program goes after MPI_Init; no rights are needed for that. */
static void go_elsewhere(int core)
{
    const struct sched_param priority = {.sched_priority = 0};
    cpu_set_t mine, one;
    size_t first = 0;
    char id[32];

    snprintf(id, sizeof(id), "%d", (int) getpid());
    CHECK(status_field(id, "Cpus_allowed_list", cores));
    CHECK_EQ(sched_getaffinity(0, sizeof(mine), &mine), 0);
    while (!CPU_ISSET(first, &mine)) {
        ++first;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHECK_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    CHECK_EQ(sched_setscheduler(0, SCHED_BATCH, &priority), 0);
    if (core >= 0) {
        snprintf(cores, sizeof(cores), "%d", core);
    }
}

static int placed(int step)
{
    char id[32], found[64];

    MT_CASE("placed");
    wait_for_threads(1, id);
    CHECK(status_field(id, "Cpus_allowed_list", found));
    CHECK(0 == strcmp(cores, found));
    CHECK_EQ(sched_getscheduler(atoi(id)), SCHED_OTHER);
    return step;
}

/* A child has no progress thread, and must not wait for one. */
static void check_fork(void)
{
    int status;
    pid_t child = fork();

    if (0 == child) {
        exit(5);
    }
    CHECK(child > 0);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), 5);
}

static int idle(int step)
{
    char id[32];

    MT_CASE("idle: name and signals");
    wait_for_threads(1, id);
    wait_for_mask(id);
    check_fork();
    MT_CASE("idle: nothing happens");
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    wait_for_rest(id, 1);
    return step;
}

/* To and fro; whether both have said that it is enough. */
static bool ping_pong(bool enough)
{
    int out = enough, in;

    if (sends) {
        CHECK_OK(MPI_Send(&out, 1, MPI_INT, mt_peer, TAG, MPI_COMM_WORLD));
    }
    CHECK_OK(MPI_Recv(&in, 1, MPI_INT, mt_peer, TAG, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
    if (!sends) {
        CHECK_OK(MPI_Send(&out, 1, MPI_INT, mt_peer, TAG, MPI_COMM_WORLD));
    }
    return enough && in;
}

/* The thread sleeps until there is a message, and finds then that the program
 * has been in MPI calls since; so it looks on, for longer and longer. */
static int waiting(int step)
{
    enum { MESSAGES = 1000, LONGEST_PAUSE = 4 };
    double until = mt_now() + patience;
    char id[32];
    long before, times = 0;
    int n = 0;

    MT_CASE("waiting: until the thread sleeps");
    wait_for_threads(1, id);
    wait_for_rest(id, LONGEST_PAUSE);
    before = sleeps(id);
    mt_progress(MPI_COMM_WORLD, 10);
    reach(++step);
    compute_until(NULL, 0, 0, step);
    MT_CASE("waiting: until it has looked on");
    while (!ping_pong(++n >= MESSAGES && times > 0)) {
        if (0 == n % 100) {
            times = sleeps(id) - before;
            CHECK(times > 0 || mt_now() < until);
        }
    }
    CHECK(sleeps(id) - before <= n / 4);
    return step;
}

/* Small messages, until neither of the two has a thread; then large ones. */
static int given_up(int step)
{
    enum { TIMES = 2 };
    double until = mt_now() + patience;
    char id[32];

    for (int i = 0; i < TIMES; ++i) {
        bool none = false;

        MT_CASE("given up: time %d", i);
        for (int n = 1; !ping_pong(none); ++n) {
            if (0 == n % 1000) {
                none = 0 == mt_find_thread(id);
                CHECK(mt_now() < until);
            }
        }
        begin();
    }
    return step;
}

/* Both ways, which heeds the variable; then progress sees to the thread. */
static void exchange_large(void)
{
    enum { SIZE = 1 << 20 };
    unsigned char *in = mt_alloc(SIZE), *out = mt_alloc(SIZE);

    mt_swap(out, SIZE, mt_peer, in, SIZE, mt_peer, TAG);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    MT_FREE(in, out);
}

static int switched(int step)
{
    enum { OFF = 1, AUTO, ON };
    static const struct {
        int value, threads;
    } turns[] = {{ON, 1}, {AUTO, 1}, {OFF, 0}, {AUTO, 0}, {ON, 1}, {OFF, 0}};
    int provided;
    char id[32];

    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    for (size_t i = 0; i < MT_COUNT_OF(turns); ++i) {
        MT_CASE("switched: turn %zu", i);
        mt_variable_write("progress_thread", turns[i].value);
        exchange_large();
        wait_for_threads(turns[i].threads, id);
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return step;
}

/* Set the key, which is to read as `expected` then; a thread or none. */
static void choose(MPI_Comm comm, const char *value, const char *expected,
                   int threads)
{
    char id[32];

    mt_set_info(comm, "ompi_progress_thread", value);
    /* 4.1 returns what was set, whether it is heeded or not. */
    CHECK_INFO(comm, "ompi_progress_thread",
               OMPI_MAJOR_VERSION < 5 ? value : expected);
    exchange_large();
    wait_for_threads(threads, id);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static int chosen(int step)
{
    MPI_Comm one, two;
    char id[32];

    MT_CASE("chosen");
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &one));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &two));
    choose(one, "auto", "auto", 0);
    choose(one, "on", "on", 1);
    choose(two, "off", "off", 1); /* on goes before off */
    choose(one, "perhaps", "on", 1);
    choose(one, "auto", "auto", 0);
    choose(one, "on", "on", 1);
    MT_CASE("chosen: freed");
    CHECK_OK(MPI_Comm_free(&one));
    exchange_large();
    wait_for_threads(0, id);
    CHECK_OK(MPI_Comm_free(&two));
    return step;
}

/* Rank 0 goes while messages for it are on their way, large ones, too. It sends
 * none of these: UCX aborts who fetches from a process that is gone. */
static int leave(int step)
{
    static char data[9 << 20];
    MPI_Request request;
    int size = sends ? 8 : (int) sizeof(data);

    MT_CASE("leave");
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 100; ++i) {
        mt_irecv(data, sizeof(data), mt_peer, TAG, &request);
        mt_isend(data, size, mt_peer, TAG, &request);
    }
    /* Both are connected then. */
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (0 == mt_rank) {
        usleep(500);
        exit(3);
    }
    sleep(60); /* mpirun ends it */
    return step;
}

static const struct {
    const char *name;
    int (*run)(int step); /* returns the number of the last step */
    bool in_all;
} cases[] = {
    {"posted", posted, true},      {"unexpected", unexpected, true},
    {"sender", sender, true},      {"crowd", crowd, true},
    {"idle", idle, false},         {"waiting", waiting, false},
    {"given_up", given_up, false}, {"switched", switched, false},
    {"chosen", chosen, false},     {"leave", leave, false},
    {"placed", placed, false},
};

static const char *only(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; ++i) {
        if (0 == strcmp(argv[i], "--only")) {
            return argv[i + 1];
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    bool ran = false;
    const char *name = only(argc, argv);
    int step = 0;
    char id[32];

    mt_silent = mt_flag(argc, argv, "--silent");
    mt_init_threads(&argc, &argv, 2, mt_flag(argc, argv, "--multiple"));
    CHECK_EQ(mt_size % 2, 0);
    patience = mt_option(argc, argv, "--patience", 60);
    sends = 0 == mt_rank % 2;
    shared = mt_share(sizeof(*shared), mt_peer, sends);
    if (NULL != name && 0 == strcmp(name, "placed")) {
        go_elsewhere(mt_option(argc, argv, "--core", -1));
    }
    begun = mt_flag(argc, argv, "--begun");
    if (begun) {
        first_size = 3;
        begin();
    } else if (mt_flag(argc, argv, "--sending")) {
        first_size = 3;
        begin_sending();
    }
    for (size_t i = 0; i < MT_COUNT_OF(cases); ++i) {
        if (NULL == name ? cases[i].in_all : 0 == strcmp(name, cases[i].name)) {
            step = cases[i].run(step);
            ran = true;
        }
    }
    CHECK(ran);
    munmap(shared, sizeof(*shared));
    mt_finalize();
    MT_CASE("after MPI_Finalize");
    wait_for_threads(0, id);
    return 0;
}
