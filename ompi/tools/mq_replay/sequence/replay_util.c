/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "sequence/replay_util.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* Duration of a long run, and between two lines of progress, ns. */
#define LONG_RUN UINT64_C(2000000000)
#define TERMINAL_PERIOD UINT64_C(200000000)
#define FILE_PERIOD UINT64_C(10000000000)

static bool line_is_shown;

void replay_die(const char *format, ...)
{
    va_list arguments;

    replay_progress_end();
    fputs("mq_replay: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(REPLAY_EXIT_BAD);
}

void *replay_realloc(void *memory, size_t count, size_t size)
{
    void *larger =
        count <= SIZE_MAX / size ? realloc(memory, count * size) : NULL;

    if (NULL == larger && 0 != count) {
        replay_die("out of memory: %zu times %zu bytes were wanted", count,
                   size);
    }
    return larger;
}

void replay_shuffle(uint64_t *state, uint32_t *items, uint32_t count)
{
    for (uint32_t i = count; i > 1; --i) {
        uint32_t other = replay_below(state, i);
        uint32_t item = items[i - 1];

        items[i - 1] = items[other];
        items[other] = item;
    }
}

void replay_progress(const char *component, const char *doing, uint64_t done,
                     uint64_t of)
{
    static uint64_t began, last;
    static int terminal = -1;
    uint64_t now = replay_now();

    if (-1 == terminal) {
        terminal = isatty(STDERR_FILENO);
        began = now;
        /* The first line appears when the run has turned out to be long. */
        last = now + LONG_RUN - FILE_PERIOD;
    }
    if ((int64_t) (now - last) <
        (int64_t) (terminal ? TERMINAL_PERIOD : FILE_PERIOD)) {
        return;
    }
    last = now;
    line_is_shown = terminal;
    fprintf(stderr, "%smq_replay: %5.1f s  %s, %s: %.0f %%%s",
            terminal ? "\r" : "", (double) (now - began) * 1e-9, component,
            doing, 100.0 * (double) done / (double) (0 == of ? 1 : of),
            terminal ? "\033[K" : "\n");
    fflush(stderr);
}

void replay_progress_end(void)
{
    if (line_is_shown) {
        fputs("\r\033[K", stderr);
        line_is_shown = false;
    }
}
