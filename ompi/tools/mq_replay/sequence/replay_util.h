/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Utilities of mq_replay: error messages, memory, random numbers, the clock,
 * progress.
 */

#ifndef MQ_REPLAY_UTIL_H
#define MQ_REPLAY_UTIL_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/** Exit codes. */
enum {
    REPLAY_EXIT_OK,
    REPLAY_EXIT_DIFFERS, /**< a component's result differs from the model's */
    REPLAY_EXIT_BAD      /**< bad arguments, bad files */
};

/** Print a message on stderr and end the program with REPLAY_EXIT_BAD. */
void replay_die(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));

/** realloc for count objects, which ends the program if out of memory. */
void *replay_realloc(void *memory, size_t count, size_t size);

/** Make room for one more object than count in an array that doubles. */
#define REPLAY_GROW(array, count, size)                                        \
    do {                                                                       \
        if ((count) == (size)) {                                               \
            (size) = 0 == (size) ? 1024 : 2 * (size);                          \
            (array) = replay_realloc((array), (size), sizeof(*(array)));       \
        }                                                                      \
    } while (0)

/** Random numbers: Sebastiano Vigna's splitmix64. */
static inline uint64_t replay_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/** 0 <= number < limit */
static inline uint32_t replay_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t) ((replay_random(state) >> 32) * limit >> 32);
}

/** Shuffle by the method of Fisher and Yates. */
void replay_shuffle(uint64_t *state, uint32_t *items, uint32_t count);

/** The time in ns since an arbitrary moment. */
static inline uint64_t replay_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * UINT64_C(1000000000) +
           (uint64_t) now.tv_nsec;
}

/** Report progress on stderr: at once on a terminal, otherwise only for long
 * runs. */
void replay_progress(const char *component, const char *doing, uint64_t done,
                     uint64_t of);

/** Remove the line of progress from the terminal. */
void replay_progress_end(void);

#endif /* MQ_REPLAY_UTIL_H */
