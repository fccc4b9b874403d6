/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A library to be loaded before others: counts the processes whose host a
 * process asks PMIx for, and says so when it ends:
 *
 *     lookups: rank 0: 3 in MPI_Init, 4 in all
 */

#include <dlfcn.h>
#include <mpi.h>
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 1024 };

static unsigned char asked[RANKS];

static int count(void)
{
    int sum = 0;

    for (int i = 0; i < RANKS; ++i) {
        sum += asked[i];
    }
    return sum;
}

pmix_status_t PMIx_Get(const pmix_proc_t *proc, const char key[],
                       const pmix_info_t info[], size_t ninfo,
                       pmix_value_t **val)
{
    static pmix_status_t (*next)(const pmix_proc_t *, const char[],
                                 const pmix_info_t[], size_t, pmix_value_t **);

    if (NULL == next) {
        *(void **) &next = dlsym(RTLD_NEXT, "PMIx_Get");
    }
    if (NULL != proc && NULL != key && 0 == strcmp(key, PMIX_HOSTNAME) &&
        proc->rank < RANKS) {
        asked[proc->rank] = 1;
    }
    return next(proc, key, info, ninfo, val);
}

static int in_init;

int MPI_Init(int *argc, char ***argv)
{
    const int rc = PMPI_Init(argc, argv);

    in_init = count();
    return rc;
}

int MPI_Finalize(void)
{
    int rank, rc;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    rc = PMPI_Finalize();
    printf("lookups: rank %d: %d in MPI_Init, %d in all\n", rank, in_init,
           count());
    return rc;
}
