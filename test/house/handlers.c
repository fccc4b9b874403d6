/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that handles SIGSEGV and the like itself, as Java and Julia do. It
 * prints whether its handlers, and its alternate stack, are the same and serve
 * after MPI_Init and after MPI_Finalize, and whether UCX was loaded.
 */

#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

static struct sigaction before[SIGNALS];
static stack_t stack_before;
static char stack[1 << 16];
static sigjmp_buf back;

static bool is_on_stack(const char *address)
{
    return address >= stack && address < stack + sizeof(stack);
}

static void handle(int number, siginfo_t *info, void *context)
{
    char here;

    (void) context;
    siglongjmp(back, info->si_signo == number && is_on_stack(&here) ? 1 : 2);
}

static void take_signals(void)
{
    struct sigaction action = {.sa_sigaction = handle,
                               .sa_flags =
                                   SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};

    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    sigaltstack(&own, NULL);
    for (int i = 0; i < SIGNALS; ++i) {
        sigaction(signals[i], &action, NULL);
    }
    /* As the system shows them. */
    sigaltstack(NULL, &stack_before);
    for (int i = 0; i < SIGNALS; ++i) {
        sigaction(signals[i], NULL, &before[i]);
    }
}

static bool is_same(int i)
{
    struct sigaction now;
    bool same;

    sigaction(signals[i], NULL, &now);
    same = now.sa_sigaction == before[i].sa_sigaction &&
           now.sa_flags == before[i].sa_flags;
    for (int number = 1; number < 32; ++number) {
        same &= sigismember(&now.sa_mask, number) ==
                sigismember(&before[i].sa_mask, number);
    }
    return same;
}

static void check(const char *when)
{
    void *nowhere =
        mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t now;

    for (int i = 0; i < SIGNALS; ++i) {
        if (!is_same(i)) {
            printf("%s: %s is taken\n", when, strsignal(signals[i]));
            continue;
        }
        switch (sigsetjmp(back, 1)) {
        case 0:
            if (SIGSEGV == signals[i]) {
                *(volatile char *) nowhere = 0;
            }
            raise(signals[i]);
            break;
        case 1:
            printf("%s: %s is handled\n", when, strsignal(signals[i]));
        }
    }
    sigaltstack(NULL, &now);
    printf("%s: the stack is %s\n", when,
           now.ss_sp == stack_before.ss_sp &&
                   now.ss_size == stack_before.ss_size
               ? "the same"
               : "another");
    munmap(nowhere, 4096);
}

static bool is_loaded(const char *library)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    bool found = false;

    while (NULL != fgets(line, sizeof(line), maps)) {
        found |= NULL != strstr(line, library);
    }
    fclose(maps);
    return found;
}

int main(int argc, char **argv)
{
    take_signals();
    MPI_Init(&argc, &argv);
    check("MPI_Init");
    printf("UCX is %s\n", is_loaded("/libucs.so") ? "loaded" : "not loaded");
    MPI_Finalize();
    check("MPI_Finalize");
    return 0;
}
