/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the MPI test programs share: checks that say where and with which
 * values they failed, payloads that can be told apart, a seeded generator of
 * random numbers.
 *
 * A program calls mt_init() first and returns mt_finalize() from main(). It
 * prints one line with its seed (rank 0, standard output) and nothing else
 * when all is well. It never fails on time: a hang is for the runner to find,
 * and MT_CASE() tells it where (SIGUSR1 prints the case each rank is in, and
 * the functions).
 */
#ifndef MPI_TEST_H
#define MPI_TEST_H

#include <mpi.h>
#include <dirent.h>
#include <endian.h>
#include <execinfo.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MT_SKIP 77         /* automake's exit code of a skipped test */
#define MT_GUARD 64        /* bytes before and after each buffer */
#define MT_BACKGROUND 0xa5 /* what untouched memory holds */
#define MT_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static int mt_rank = -1; /* in MPI_COMM_WORLD */
static int mt_size;
static int mt_after, mt_before; /* neighbours in the ring of all ranks */
static int mt_peer; /* the other one of a pair; mt_size for a rank alone */
static uint64_t mt_seed = 1;
static const char *mt_program = "?";
static _Thread_local char mt_case_text[160] = "start";

/* ---- failing ---------------------------------------------------------- */

static void mt_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn, unused));

static void mt_fail(const char *file, int line, const char *format, ...)
{
    char text[1024];
    char message[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    snprintf(message, sizeof(message), "%s: rank %d: %s:%d: %s [in: %s]\n",
             mt_program, mt_rank, file, line, text, mt_case_text);
    /* Not by fprintf: since glibc 2.37 it writes an unbuffered stream in pieces
     * of 128 bytes, and what MPI_Abort prints comes in between. */
    fputs(message, stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

#define MT_FAIL(...) mt_fail(__FILE__, __LINE__, __VA_ARGS__)

/* What the program does now; shown when a check fails or the run hangs. */
#define MT_CASE(...) snprintf(mt_case_text, sizeof(mt_case_text), __VA_ARGS__)

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            MT_FAIL("not true: %s", #condition);                               \
        }                                                                      \
    } while (0)

#define CHECK_EQ(actual, expected)                                             \
    do {                                                                       \
        long long a_ = (long long) (actual);                                   \
        long long e_ = (long long) (expected);                                 \
        if (a_ != e_) {                                                        \
            MT_FAIL("%s is %lld, expected %s = %lld", #actual, a_, #expected,  \
                    e_);                                                       \
        }                                                                      \
    } while (0)

/* The call returned success, or an error of the class expected. */
#define CHECK_RC(call, expected_class)                                         \
    mt_check_rc(__FILE__, __LINE__, #call, (call), (expected_class))
#define CHECK_OK(call) CHECK_RC(call, MPI_SUCCESS)

static inline void mt_check_rc(const char *file, int line, const char *call,
                               int rc, int expected)
{
    char text[MPI_MAX_ERROR_STRING] = "no error";
    int class = MPI_SUCCESS, length;

    if (MPI_SUCCESS != rc) {
        MPI_Error_class(rc, &class);
        MPI_Error_string(rc, text, &length);
    }
    if (class != expected) {
        mt_fail(file, line, "%s gave error class %d (%s), expected %d", call,
                class, text, expected);
    }
}

/*
 * All of a receive's or probe's status but MPI_ERROR, which single
 * completions leave alone: source, tag, count in elements of `type`, and that
 * it was not cancelled.
 */
#define CHECK_STATUS(status, source, tag, type, count)                         \
    mt_check_status(__FILE__, __LINE__, (status), (source), (tag), (type),     \
                    (count))

static inline void mt_check_status(const char *file, int line,
                                   const MPI_Status *status, int source,
                                   int tag, MPI_Datatype type, int count)
{
    int got = -1, cancelled = -1;

    MPI_Get_count(status, type, &got);
    MPI_Test_cancelled(status, &cancelled);
    if (status->MPI_SOURCE != source || status->MPI_TAG != tag ||
        got != count || cancelled) {
        mt_fail(file, line,
                "status has source %d tag %d count %d cancelled "
                "%d, expected %d %d %d 0",
                status->MPI_SOURCE, status->MPI_TAG, got, cancelled, source,
                tag, count);
    }
}

/* A wait for a receive that succeeds, with that status. */
#define CHECK_WAIT(request, source, tag, type, count)                          \
    mt_check_wait(__FILE__, __LINE__, (request), (source), (tag), (type),      \
                  (count))

static inline void mt_check_wait(const char *file, int line,
                                 MPI_Request *request, int source, int tag,
                                 MPI_Datatype type, int count)
{
    MPI_Status status;

    mt_check_rc(file, line, "MPI_Wait", MPI_Wait(request, &status),
                MPI_SUCCESS);
    mt_check_status(file, line, &status, source, tag, type, count);
}

/* ---- random numbers --------------------------------------------------- */

static inline uint64_t mt_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A stream of random numbers; different for each `stream` of one seed. */
typedef struct {
    uint64_t state;
} mt_random_t;

static inline mt_random_t mt_random(uint64_t stream)
{
    return (mt_random_t){mt_mix(mt_seed) ^ mt_mix(~stream)};
}

static inline uint64_t mt_next(mt_random_t *random)
{
    random->state += 0x9e3779b97f4a7c15u;
    return mt_mix(random->state);
}

/* Uniform in [0, limit); limit > 0. */
static inline int mt_below(mt_random_t *random, int limit)
{
    return (int) (mt_next(random) % (uint64_t) limit);
}

/* A random order of [0, count). */
static inline void mt_shuffle(mt_random_t *random, int *order, int count)
{
    for (int i = 0; i < count; ++i) {
        order[i] = i;
    }
    for (int i = count - 1; i > 0; --i) {
        int j = mt_below(random, i + 1), other = order[j];

        order[j] = order[i];
        order[i] = other;
    }
}

/* ---- payloads --------------------------------------------------------- */

/* Names a message: give it whatever tells this one from all others. */
static inline uint64_t mt_key(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return mt_mix(mt_mix(mt_mix(mt_mix(a) ^ b) ^ c) ^ d);
}

/* Byte `i` of the payload named `key`. */
static inline unsigned char mt_byte(uint64_t key, size_t i)
{
    return (unsigned char) (mt_mix(key + i / 8) >> (8 * (i % 8)));
}

static inline void mt_fill(void *buffer, size_t length, uint64_t key)
{
    unsigned char *byte = buffer;
    size_t i = 0;

    for (; i + 8 <= length; i += 8) {
        uint64_t word = htole64(mt_mix(key + i / 8));

        memcpy(byte + i, &word, 8);
    }
    for (; i < length; ++i) {
        byte[i] = mt_byte(key, i);
    }
}

#define CHECK_PAYLOAD(buffer, length, key)                                     \
    mt_check_payload(__FILE__, __LINE__, (buffer), (length), (key))

static inline void mt_check_payload(const char *file, int line,
                                    const void *buffer, size_t length,
                                    uint64_t key)
{
    const unsigned char *byte = buffer;
    size_t i = 0;

    for (; i + 8 <= length; i += 8) {
        uint64_t word = htole64(mt_mix(key + i / 8));

        if (0 != memcmp(byte + i, &word, 8)) {
            break; /* which byte it is comes below */
        }
    }
    for (; i < length; ++i) {
        if (byte[i] != mt_byte(key, i)) {
            mt_fail(file, line, "byte %zu of %zu is 0x%02x, expected 0x%02x", i,
                    length, byte[i], mt_byte(key, i));
        }
    }
}

/* ---- buffers between guards ------------------------------------------- */

/*
 * A buffer whose neighbourhood is watched: CHECK_GUARDS() fails when a byte
 * before or after it has changed. Filled with MT_BACKGROUND. Free it with
 * mt_free(), which checks the guards as well.
 */
static inline void *mt_alloc(size_t length)
{
    size_t total = length + 2 * MT_GUARD;
    unsigned char *base = malloc(total + MT_GUARD);

    if (NULL == base) {
        MT_FAIL("no memory for %zu bytes", length);
    }
    memcpy(base, &length, sizeof(length));
    memset(base + MT_GUARD, MT_BACKGROUND, total);
    return base + 2 * MT_GUARD;
}

#define CHECK_GUARDS(buffer) mt_check_guards(__FILE__, __LINE__, (buffer))
#define CHECK_UNTOUCHED(buffer, length)                                        \
    mt_check_untouched(__FILE__, __LINE__, (buffer), (length))

static inline void mt_check_untouched(const char *file, int line,
                                      const void *buffer, size_t length)
{
    const unsigned char *byte = buffer;

    for (size_t i = 0; i < length; ++i) {
        if (MT_BACKGROUND != byte[i]) {
            mt_fail(file, line,
                    "byte %zu of %zu, which nobody may write, "
                    "holds 0x%02x",
                    i, length, byte[i]);
        }
    }
}

static inline void mt_check_guards(const char *file, int line,
                                   const void *buffer)
{
    const unsigned char *byte = buffer;
    size_t length;

    memcpy(&length, byte - 2 * MT_GUARD, sizeof(length));
    mt_check_untouched(file, line, byte - MT_GUARD, MT_GUARD);
    mt_check_untouched(file, line, byte + length, MT_GUARD);
}

static inline void mt_free(void *buffer)
{
    CHECK_GUARDS(buffer);
    free((unsigned char *) buffer - 2 * MT_GUARD);
}

/* The same of several buffers. */
#define MT_FREE(...)                                                           \
    do {                                                                       \
        void *buffers_[] = {__VA_ARGS__};                                      \
        for (size_t i_ = 0; i_ < MT_COUNT_OF(buffers_); ++i_) {                \
            mt_free(buffers_[i_]);                                             \
        }                                                                      \
    } while (0)

/* A buffer that holds the payload named `key`. */
static inline void *mt_payload(size_t length, uint64_t key)
{
    void *buffer = mt_alloc(length);

    mt_fill(buffer, length, key);
    return buffer;
}

/* ---- messages --------------------------------------------------------- */

/* A receive of the payload named `key`, from a source and with a tag that are
 * no wildcards. */
#define CHECK_RECV(buffer, length, source, tag, comm, key)                     \
    mt_check_recv(__FILE__, __LINE__, (buffer), (length), (source), (tag),     \
                  (comm), (key))

static inline void mt_check_recv(const char *file, int line, void *buffer,
                                 int length, int source, int tag, MPI_Comm comm,
                                 uint64_t key)
{
    MPI_Status status;

    mt_check_rc(file, line, "MPI_Recv",
                MPI_Recv(buffer, length, MPI_BYTE, source, tag, comm, &status),
                MPI_SUCCESS);
    mt_check_status(file, line, &status, source, tag, MPI_BYTE, length);
    mt_check_payload(file, line, buffer, length, key);
}

/* Messages without data: there, and the other way, and both. */
static inline void mt_tell(int to, int tag, MPI_Comm comm)
{
    CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, to, tag, comm));
}

static inline void mt_hear(int from, int tag, MPI_Comm comm)
{
    CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE));
}

static inline void mt_meet(int peer, int tag, MPI_Comm comm)
{
    CHECK_OK(MPI_Sendrecv(NULL, 0, MPI_BYTE, peer, tag, NULL, 0, MPI_BYTE, peer,
                          tag, comm, MPI_STATUS_IGNORE));
}

/* MPI's calls of these names, of bytes, in MPI_COMM_WORLD. */
#define MT_CALL(name, call, data_t)                                            \
    static inline void name(data_t data, int length, int rank, int tag,        \
                            MPI_Request *request)                              \
    {                                                                          \
        CHECK_OK(                                                              \
            call(data, length, MPI_BYTE, rank, tag, MPI_COMM_WORLD, request)); \
    }
MT_CALL(mt_isend, MPI_Isend, const void *)
MT_CALL(mt_issend, MPI_Issend, const void *)
MT_CALL(mt_send_init, MPI_Send_init, const void *)
MT_CALL(mt_ssend_init, MPI_Ssend_init, const void *)
MT_CALL(mt_irecv, MPI_Irecv, void *)
MT_CALL(mt_recv_init, MPI_Recv_init, void *)

static inline void mt_send(const void *data, int length, int to, int tag)
{
    CHECK_OK(MPI_Send(data, length, MPI_BYTE, to, tag, MPI_COMM_WORLD));
}

static inline void mt_ssend(const void *data, int length, int to, int tag)
{
    CHECK_OK(MPI_Ssend(data, length, MPI_BYTE, to, tag, MPI_COMM_WORLD));
}

/* Bytes to one process and from one, in MPI_COMM_WORLD. */
static inline void mt_swap(const void *out, int length, int to, void *in,
                           int room, int from, int tag)
{
    CHECK_OK(MPI_Sendrecv(out, length, MPI_BYTE, to, tag, in, room, MPI_BYTE,
                          from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* The same of a number; returns that which came. */
static inline int mt_swap_int(int out, int to, int from, int tag)
{
    int in = -1;

    mt_swap(&out, sizeof(out), to, &in, sizeof(in), from, tag);
    return in;
}

/* Is there a message? */
static inline bool mt_is_there(int source, int tag, MPI_Comm comm)
{
    int flag = -1;

    CHECK_OK(MPI_Iprobe(source, tag, comm, &flag, MPI_STATUS_IGNORE));
    return flag;
}

static inline bool mt_test(MPI_Request *request)
{
    int flag = -1;

    CHECK_OK(MPI_Test(request, &flag, MPI_STATUS_IGNORE));
    return flag;
}

/* Of this process in a communicator, and of a communicator or the other side of
 * an inter-communicator. */
static inline int mt_rank_in(MPI_Comm comm)
{
    int rank = -1;

    CHECK_OK(MPI_Comm_rank(comm, &rank));
    return rank;
}

static inline int mt_size_in(MPI_Comm comm)
{
    int size = -1;

    CHECK_OK(MPI_Comm_size(comm, &size));
    return size;
}

static inline int mt_remote_size(MPI_Comm inter)
{
    int size = -1;

    CHECK_OK(MPI_Comm_remote_size(inter, &size));
    return size;
}

/* A buffer for buffered sends, and its end. */
static inline void mt_attach(int room)
{
    CHECK_OK(MPI_Buffer_attach(malloc(room), room));
}

static inline void mt_detach(void)
{
    void *buffer;
    int room;

    CHECK_OK(MPI_Buffer_detach(&buffer, &room));
    free(buffer);
}

static inline bool mt_was_cancelled(const MPI_Status *status)
{
    int flag = -1;

    CHECK_OK(MPI_Test_cancelled(status, &flag));
    return flag;
}

/* Waits for a request: was it cancelled? */
static inline bool mt_wait_cancelled(MPI_Request *request)
{
    MPI_Status status;

    CHECK_OK(MPI_Wait(request, &status));
    return mt_was_cancelled(&status);
}

/* A committed type: blocks of so many elements, each `stride` elements after
 * the one before. */
static inline MPI_Datatype mt_vector(int blocks, int block, int stride,
                                     MPI_Datatype of)
{
    MPI_Datatype type;

    CHECK_OK(MPI_Type_vector(blocks, block, stride, of, &type));
    CHECK_OK(MPI_Type_commit(&type));
    return type;
}

static inline int mt_class_of(int error)
{
    int class;

    MPI_Error_class(error, &class);
    return class;
}

/* A duplicate of MPI_COMM_WORLD with one key of info. */
static inline MPI_Comm mt_dup_with(const char *key, const char *value)
{
    MPI_Info info;
    MPI_Comm comm;

    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, key, value));
    CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    CHECK_OK(MPI_Info_free(&info));
    return comm;
}

/* A payload of so many bytes around the ring of a communicator in which nothing
 * else is under way, received in one of four ways. */
static inline void mt_ring(MPI_Comm comm, int size, int way)
{
    const int rank = mt_rank_in(comm), ranks = mt_size_in(comm), tag = 91 + way;
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    unsigned char *in = mt_alloc(size);
    unsigned char *out = mt_payload(size, mt_key(rank, size, way, tag));
    MPI_Request request;
    MPI_Status status;

    CHECK_OK((way % 3 ? MPI_Isend : MPI_Issend)(out, size, MPI_BYTE, next, tag,
                                                comm, &request));
    CHECK_OK(MPI_Recv(in, size, MPI_BYTE, way & 1 ? MPI_ANY_SOURCE : before,
                      way & 2 ? MPI_ANY_TAG : tag, comm, &status));
    CHECK_STATUS(&status, before, tag, MPI_BYTE, size);
    CHECK_PAYLOAD(in, size, mt_key(before, size, way, tag));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MT_FREE(in, out);
}

/* The same by all protocols. */
static inline void mt_rings(MPI_Comm comm, int way)
{
    static const int sizes[] = {0, 8, 64, 65, 3000, 300000};

    for (size_t i = 0; i < MT_COUNT_OF(sizes); ++i) {
        mt_ring(comm, sizes[i], way + (int) i);
    }
}

/* The sum of all ranks of a communicator. */
static inline void mt_sum_ranks(MPI_Comm comm)
{
    const int rank = mt_rank_in(comm), ranks = mt_size_in(comm);
    int sum;

    CHECK_OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, ranks * (ranks - 1) / 2);
}

/* Sets one key of a communicator's info. */
static inline void mt_set_info(MPI_Comm comm, const char *key,
                               const char *value)
{
    MPI_Info info;

    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, key, value));
    CHECK_OK(MPI_Comm_set_info(comm, info));
    CHECK_OK(MPI_Info_free(&info));
}

/* A key of a communicator's info reads so. */
#define CHECK_INFO(comm, key, value)                                           \
    mt_check_info(__FILE__, __LINE__, (comm), (key), (value))

static inline void mt_check_info(const char *file, int line, MPI_Comm comm,
                                 const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Info info;
    int found;

    CHECK_OK(MPI_Comm_get_info(comm, &info));
    CHECK_OK(MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found));
    if (!found || 0 != strcmp(value, expected)) {
        mt_fail(file, line, "%s is '%s', not '%s'", key,
                found ? value : "(nothing)", expected);
    }
    CHECK_OK(MPI_Info_free(&info));
}

/* ---- small conveniences ----------------------------------------------- */

/* Seconds since some moment. */
static inline double mt_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* Runs a function for each of `count` (1 to 64) elements of an array at the
 * same time, by a thread each; for the first one by this thread. */
static inline void mt_in_threads(int count, void *(*run)(void *), void *array,
                                 size_t size)
{
    pthread_t ids[64];

    CHECK(count >= 1 && count <= (int) MT_COUNT_OF(ids));
    for (int i = 1; i < count; ++i) {
        CHECK_EQ(pthread_create(&ids[i], NULL, run, (char *) array + i * size),
                 0);
    }
    run(array);
    for (int i = 1; i < count; ++i) {
        CHECK_EQ(pthread_join(ids[i], NULL), 0);
    }
}

/* Entries of a folder, "." and ".." among them. */
static inline int mt_entries(const char *folder)
{
    DIR *entries = opendir(folder);
    int count = 0;

    CHECK(NULL != entries);
    while (NULL != readdir(entries)) {
        ++count;
    }
    closedir(entries);
    return count;
}

/* The number of this process's threads of champion's name, and the id of one,
 * if there is any. */
static inline int mt_find_thread(char id[32])
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int found = 0;

    CHECK(NULL != tasks);
    while (NULL != (entry = readdir(tasks))) {
        char path[64], name[64] = "";
        FILE *file;

        snprintf(path, sizeof(path), "/proc/self/task/%.20s/comm",
                 entry->d_name);
        file = fopen(path, "r"); /* none: it has ended, or is no thread */
        if (NULL == file) {
            continue;
        }
        if (1 == fscanf(file, "%63s", name) && 0 == strcmp(name, "champion")) {
            snprintf(id, 32, "%.31s", entry->d_name);
            ++found;
        }
        fclose(file);
    }
    closedir(tasks);
    return found;
}

/* Bytes, from the line of /proc/self/status that begins so: "VmRSS:". */
static inline long long mt_memory(const char *what)
{
    FILE *file = fopen("/proc/self/status", "r");
    long long value = -1;
    char line[256];

    CHECK(NULL != file);
    while (value < 0 && NULL != fgets(line, sizeof(line), file)) {
        if (0 == strncmp(line, what, strlen(what))) {
            value = atoll(line + strlen(what)) * 1024;
        }
    }
    fclose(file);
    CHECK(value >= 0);
    return value;
}

/* Let the library progress for a while without completing anything. */
static inline void mt_progress(MPI_Comm comm, int times)
{
    int flag;

    for (int i = 0; i < times; ++i) {
        MPI_Iprobe(MPI_PROC_NULL, 0, comm, &flag, MPI_STATUS_IGNORE);
        MPI_Iprobe(MPI_ANY_SOURCE, 0x7ffe, comm, &flag, MPI_STATUS_IGNORE);
        usleep(100);
    }
}

/* "--name value" among the arguments, or `otherwise`. */
static inline long mt_option(int argc, char **argv, const char *name,
                             long otherwise)
{
    for (int i = 1; i + 1 < argc; ++i) {
        if (0 == strcmp(argv[i], name)) {
            return strtol(argv[i + 1], NULL, 0);
        }
    }
    return otherwise;
}

static inline bool mt_flag(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; ++i) {
        if (0 == strcmp(argv[i], name)) {
            return true;
        }
    }
    return false;
}

static const int mt_fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL,
                                       SIGABRT};
static struct sigaction mt_action_before[MT_COUNT_OF(mt_fatal_signals)];

static void mt_show_case(int signal_number)
{
    char text[256];
    int length = snprintf(text, sizeof(text), "%s: rank %d is in: %s\n",
                          mt_program, mt_rank, mt_case_text);

    if (length > 0 && write(STDERR_FILENO, text, (size_t) length) < 0) {
        length = 0;
    }
    if (SIGUSR1 == signal_number) {
        void *frames[48];

        length = backtrace(frames, (int) MT_COUNT_OF(frames));
        backtrace_symbols_fd(frames, length, STDERR_FILENO);
    }
    /* Pass the signal on to a crash reporter (Open MPI, UCX, a sanitizer). */
    for (size_t i = 0; i < MT_COUNT_OF(mt_fatal_signals); ++i) {
        if (mt_fatal_signals[i] == signal_number) {
            sigaction(signal_number, &mt_action_before[i], NULL);
            raise(signal_number);
        }
    }
}

static struct sigaction mt_shows_case(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = mt_show_case;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    return action;
}

/* Before MPI_Init, in which a process may hang, too. */
static void mt_answer(void)
{
    const struct sigaction action = mt_shows_case();
    void *frame;

    (void) backtrace(&frame, 1); /* what it loads, it loads now */
    sigaction(SIGUSR1, &action, NULL);
}

static void mt_catch_signals(void)
{
    const struct sigaction action = mt_shows_case();

    for (size_t i = 0; i < MT_COUNT_OF(mt_fatal_signals); ++i) {
        sigaction(mt_fatal_signals[i], &action, &mt_action_before[i]);
    }
}

/* ---- start and end ---------------------------------------------------- */

/* In the binary interface of MPI's standard handles of predefined objects are
 * small numbers, in Open MPI's own they are addresses. */
static inline bool mt_has_standard_abi(void)
{
    return (uintptr_t) MPI_COMM_WORLD < 4096;
}

/* The rank and the size are known. */
static inline void mt_know_neighbours(void)
{
    mt_after = (mt_rank + 1) % mt_size;
    mt_before = (mt_rank + mt_size - 1) % mt_size;
    mt_peer = mt_rank ^ 1;
}

/*
 * Starts MPI, with MPI_THREAD_MULTIPLE if so wanted, wants `minimum` ranks,
 * takes the seed from "--seed N" or else from TEST_SEED. With "--salt N" that
 * is another one for each N.
 */
static inline void mt_init_threads(int *argc, char ***argv, int minimum,
                                   bool multiple)
{
    const int required = multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    const char *seed = getenv("TEST_SEED");
    const char *slash;
    int provided;
    long salt;

    mt_answer();
    MPI_Init_thread(argc, argv, required, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &mt_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mt_size);
    mt_know_neighbours();
    slash = strrchr((*argv)[0], '/');
    mt_program = (NULL != slash) ? slash + 1 : (*argv)[0];
    if (NULL != seed) {
        mt_seed = strtoull(seed, NULL, 0);
    }
    salt = mt_option(*argc, *argv, "--salt", -1);
    if (salt >= 0) {
        mt_seed = (mt_seed << 16) + (uint64_t) salt;
    }
    mt_seed = (uint64_t) mt_option(*argc, *argv, "--seed", (long) mt_seed);
    mt_catch_signals();
    if (0 == mt_rank) {
        printf("%s: %d ranks, seed %" PRIu64 "%s\n", mt_program, mt_size,
               mt_seed, mt_has_standard_abi() ? " (standard ABI)" : "");
        fflush(stdout);
    }
    if (mt_size < minimum) {
        MT_FAIL("needs %d ranks", minimum);
    }
    if (provided < required) {
        if (0 == mt_rank) {
            printf("SKIP: no MPI_THREAD_MULTIPLE\n");
        }
        MPI_Finalize();
        exit(MT_SKIP);
    }
}

static inline void mt_init(int *argc, char ***argv, int minimum)
{
    mt_init_threads(argc, argv, minimum, false);
}

/* Ends MPI. The file MPI_TEST_ENDS, if that is set, gets a line when it has: what
 * the runner believes, whatever mpirun heard. */
static inline int mt_finalize(void)
{
    const char *ends = getenv("MPI_TEST_ENDS");
    FILE *file;

    MT_CASE("MPI_Finalize");
    MPI_Finalize();
    if (NULL != ends && NULL != (file = fopen(ends, "a"))) {
        fprintf(file, "%d\n", mt_rank);
        fclose(file);
    }
    return 0;
}

#endif
