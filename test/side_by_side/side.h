/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the programs of this folder share. They judge nothing: they print what
 * MPI does, as lines "case | communicator | what: value" of rank 0 in the file
 * SIDE_OUTPUT (or on standard output), and `run` compares these between PMLs.
 * So nothing in them may depend on time, and a value that does (how many calls
 * it took, when another process is involved) is not printed.
 *
 * Each case is run on several communicators, always with one `peer`: this very
 * process in communicators of one, another one's only rank across an
 * inter-communicator (two ranks are needed then). All processes do the same,
 * so what is sent to the peer is what comes from it.
 */
#ifndef SIDE_H
#define SIDE_H

#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define SIDE_TAG 7
#define SIDE_MEET 20
#define SIDE_LARGE 1000000
/* Calls after which a request that does not complete is given up. */
#define SIDE_PATIENCE 20000000

typedef struct {
    MPI_Comm comm;
    const char *name;
    int peer;
    bool self; /* the peer is this process */
} side_comm_t;

typedef struct {
    const char *name;
    void (*run)(const side_comm_t *on);
    bool self_only;
} side_case_t;

static int side_rank;
static FILE *side_output;
static const char *side_case, *side_where;
static char side_in[2 * SIDE_LARGE], side_out[2 * SIDE_LARGE];

/* "what: value"; what is the text before the first colon. */
static void side_say(const char *format, ...)
    __attribute__((format(printf, 1, 2), unused));

static void side_say(const char *format, ...)
{
    va_list args;

    if (0 == side_rank) {
        fprintf(side_output, "%s | %s | ", side_case, side_where);
        va_start(args, format);
        vfprintf(side_output, format, args);
        va_end(args);
        fprintf(side_output, "\n");
        fflush(side_output);
    }
}

/* The class of what a call returned, in MPI's words. */
static inline const char *side_error(int rc)
{
    static char text[4][MPI_MAX_ERROR_STRING];
    static int next;
    int class = MPI_SUCCESS, length;

    next = (next + 1) % 4;
    if (MPI_SUCCESS != rc && MPI_SUCCESS != MPI_Error_class(rc, &class)) {
        snprintf(text[next], sizeof(text[next]), "no MPI error: %d", rc);
        return text[next];
    }
    MPI_Error_string(class, text[next], &length);
    text[next][strcspn(text[next], ":")] = '\0';
    return text[next];
}

static inline void side_status(const char *what, int rc,
                               const MPI_Status *status)
{
    int count = -1, cancelled = -1;

    MPI_Get_count(status, MPI_CHAR, &count);
    MPI_Test_cancelled(status, &cancelled);
    side_say("%s: %s, source %d, tag %d, %d bytes%s", what, side_error(rc),
             status->MPI_SOURCE, status->MPI_TAG, count,
             cancelled ? ", cancelled" : "");
}

/* The same after a message that was too long: its length is not told. */
static inline void side_failed(const char *what, int rc,
                               const MPI_Status *status)
{
    side_say("%s: %s, source %d, tag %d", what, side_error(rc),
             status->MPI_SOURCE, status->MPI_TAG);
}

/* How many calls it took; that of another process is a matter of time. */
static inline void side_calls(const side_comm_t *on, const char *what,
                              long calls)
{
    if (calls >= SIDE_PATIENCE) {
        side_say("%s: never", what);
    } else if (on->self) {
        side_say("%s: calls %ld", what, calls);
    } else {
        side_say("%s: completes", what);
    }
}

static inline void side_data(const char *what, size_t length, char fill)
{
    for (size_t i = 0; i < length; ++i) {
        if (side_in[i] != fill) {
            side_say("%s: byte %zu is wrong", what, i);
            return;
        }
    }
    side_say("%s: data are right", what);
}

/* What the peer does before this it has done when this returns; what it does
 * behind it, it may have begun. */
static inline void side_meet(const side_comm_t *on)
{
    MPI_Sendrecv(NULL, 0, MPI_CHAR, on->peer, SIDE_MEET, NULL, 0, MPI_CHAR,
                 on->peer, SIDE_MEET, on->comm, MPI_STATUS_IGNORE);
}

static inline void side_fill(size_t length, char fill)
{
    memset(side_out, fill, length);
    memset(side_in, 0, length);
}

static inline bool side_wanted(int argc, char **argv, const char *name)
{
    const char *found;
    size_t length = strlen(name);

    for (int i = 1; i + 1 < argc; ++i) {
        if (0 == strcmp(argv[i], "--skip")) {
            for (found = argv[i + 1]; NULL != (found = strstr(found, name));
                 found += length) {
                if ((found == argv[i + 1] || ',' == found[-1]) &&
                    ('\0' == found[length] || ',' == found[length])) {
                    return false;
                }
            }
        }
    }
    return true;
}

static inline void side_run_on(const side_comm_t *on, const side_case_t *cases,
                               int num_cases, int argc, char **argv)
{
    char name[100];

    for (int i = 0; i < num_cases; ++i) {
        if (cases[i].self_only && !on->self) {
            continue;
        }
        snprintf(name, sizeof(name), "%s@%s", cases[i].name, on->name);
        if (!side_wanted(argc, argv, name)) {
            continue;
        }
        side_case = cases[i].name;
        side_where = on->name;
        side_say("begins: ");
        cases[i].run(on);
        side_say("ends: ");
    }
}

static inline void side_inter(const side_case_t *cases, int num_cases, int argc,
                              char **argv)
{
    side_comm_t on = {.name = "inter", .peer = 0, .self = false};

    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - side_rank, 1,
                         &on.comm);
    MPI_Comm_set_errhandler(on.comm, MPI_ERRORS_RETURN);
    side_run_on(&on, cases, num_cases, argc, argv);
    MPI_Comm_free(&on.comm);
}

static inline int side_main(int argc, char **argv, const side_case_t *cases,
                            int num_cases)
{
    side_comm_t self = {.comm = MPI_COMM_SELF, .name = "self", .self = true};
    side_comm_t one = {.name = "one", .self = true};
    side_comm_t of_more = {.name = "world", .self = true};
    bool multiple = NULL != getenv("SIDE_MULTIPLE");
    const char *path = getenv("SIDE_OUTPUT");
    int provided, size;

    side_output = NULL == path ? stdout : fopen(path, "a");
    if (NULL == side_output) {
        perror(path);
        return 1;
    }
    MPI_Init_thread(&argc, &argv,
                    multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &side_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (1 == size) {
        side_run_on(&self, cases, num_cases, argc, argv);
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &one.comm);
        MPI_Comm_set_errhandler(one.comm, MPI_ERRORS_RETURN);
        side_run_on(&one, cases, num_cases, argc, argv);
        MPI_Comm_free(&one.comm);
    } else {
        of_more.comm = MPI_COMM_WORLD;
        of_more.peer = side_rank;
        side_run_on(&of_more, cases, num_cases, argc, argv);
        side_inter(cases, num_cases, argc, argv);
    }
    MPI_Finalize();
    return 0;
}

/* main() of a program that has a table `cases`. */
#define SIDE_MAIN                                                              \
    int main(int argc, char **argv)                                            \
    {                                                                          \
        return side_main(argc, argv, cases, (int) SIDE_COUNT_OF(cases));       \
    }

#endif
