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
#include <endian.h>
#include <execinfo.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MT_SKIP 77         /* automake's exit code of a skipped test */
#define MT_GUARD 64        /* bytes before and after each buffer */
#define MT_BACKGROUND 0xa5 /* what untouched memory holds */
#define MT_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define MT_UNUSED __attribute__((unused))

static int mt_rank = -1; /* in MPI_COMM_WORLD */
static int mt_size;
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

/* What the program does now; shown when a check fails or the run hangs. */
#define MT_CASE(...) snprintf(mt_case_text, sizeof(mt_case_text), __VA_ARGS__)

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            mt_fail(__FILE__, __LINE__, "not true: %s", #condition);           \
        }                                                                      \
    } while (0)

#define CHECK_EQ(actual, expected)                                             \
    do {                                                                       \
        long long a_ = (long long) (actual);                                   \
        long long e_ = (long long) (expected);                                 \
        if (a_ != e_) {                                                        \
            mt_fail(__FILE__, __LINE__, "%s is %lld, expected %s = %lld",      \
                    #actual, a_, #expected, e_);                               \
        }                                                                      \
    } while (0)

/* The call returned success, or an error of the class expected. */
#define CHECK_RC(call, expected_class)                                         \
    mt_check_rc(__FILE__, __LINE__, #call, (call), (expected_class))
#define CHECK_OK(call) CHECK_RC(call, MPI_SUCCESS)

static MT_UNUSED void mt_check_rc(const char *file, int line, const char *call,
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

static MT_UNUSED void mt_check_status(const char *file, int line,
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

static MT_UNUSED void mt_fill(void *buffer, size_t length, uint64_t key)
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

static MT_UNUSED void mt_check_payload(const char *file, int line,
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
static MT_UNUSED void *mt_alloc(size_t length)
{
    size_t total = length + 2 * MT_GUARD;
    unsigned char *base = malloc(total + MT_GUARD);

    if (NULL == base) {
        mt_fail(__FILE__, __LINE__, "no memory for %zu bytes", length);
    }
    memcpy(base, &length, sizeof(length));
    memset(base + MT_GUARD, MT_BACKGROUND, total);
    return base + 2 * MT_GUARD;
}

#define CHECK_GUARDS(buffer) mt_check_guards(__FILE__, __LINE__, (buffer))
#define CHECK_UNTOUCHED(buffer, length)                                        \
    mt_check_untouched(__FILE__, __LINE__, (buffer), (length))

static MT_UNUSED void mt_check_untouched(const char *file, int line,
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

static MT_UNUSED void mt_check_guards(const char *file, int line,
                                      const void *buffer)
{
    const unsigned char *byte = buffer;
    size_t length;

    memcpy(&length, byte - 2 * MT_GUARD, sizeof(length));
    mt_check_untouched(file, line, byte - MT_GUARD, MT_GUARD);
    mt_check_untouched(file, line, byte + length, MT_GUARD);
}

static MT_UNUSED void mt_free(void *buffer)
{
    CHECK_GUARDS(buffer);
    free((unsigned char *) buffer - 2 * MT_GUARD);
}

/* ---- small conveniences ----------------------------------------------- */

/* Let the library progress for a while without completing anything. */
static MT_UNUSED void mt_progress(MPI_Comm comm, int times)
{
    int flag;

    for (int i = 0; i < times; ++i) {
        MPI_Iprobe(MPI_PROC_NULL, 0, comm, &flag, MPI_STATUS_IGNORE);
        MPI_Iprobe(MPI_ANY_SOURCE, 0x7ffe, comm, &flag, MPI_STATUS_IGNORE);
        usleep(100);
    }
}

/* "--name value" among the arguments, or `otherwise`. */
static MT_UNUSED long mt_option(int argc, char **argv, const char *name,
                                long otherwise)
{
    for (int i = 1; i + 1 < argc; ++i) {
        if (0 == strcmp(argv[i], name)) {
            return strtol(argv[i + 1], NULL, 0);
        }
    }
    return otherwise;
}

static MT_UNUSED bool mt_flag(int argc, char **argv, const char *name)
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

/*
 * Starts MPI with the thread level `required`, wants `minimum` ranks, takes
 * the seed from "--seed N" or else from TEST_SEED. With "--salt N" that is
 * another one for each N. Returns the level provided.
 */
static MT_UNUSED int mt_init_thread(int *argc, char ***argv, int minimum,
                                    int required)
{
    const char *seed = getenv("TEST_SEED");
    const char *slash;
    int provided;
    long salt;

    mt_answer();
    MPI_Init_thread(argc, argv, required, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &mt_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mt_size);
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
        mt_fail(__FILE__, __LINE__, "needs %d ranks", minimum);
    }
    return provided;
}

static MT_UNUSED void mt_init(int *argc, char ***argv, int minimum)
{
    mt_init_thread(argc, argv, minimum, MPI_THREAD_SINGLE);
}

/* Ends MPI. The file MPI_TEST_ENDS, if that is set, gets a line when it has: what
 * the runner believes, whatever mpirun heard. */
static MT_UNUSED int mt_finalize(void)
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
