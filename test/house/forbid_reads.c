/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: forbid_reads COMMAND...
 *
 * Runs the command where process_vm_readv is forbidden, and nothing else: as in
 * a container whose seccomp profile does so. Exits with 77 where the system has
 * no seccomp.
 */

#include <stdio.h>
#include <unistd.h>

#include "../lib/forbid.h"

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: forbid_reads COMMAND...\n", stderr);
        return 2;
    }
    if (0 != forbid(SYS_process_vm_readv)) {
        perror("seccomp");
        return 77;
    }
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 1;
}
