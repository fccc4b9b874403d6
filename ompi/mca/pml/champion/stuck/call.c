/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#define _GNU_SOURCE 1

#include "ompi/mca/pml/champion/stuck/call.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Frames that are looked at, from the innermost. */
enum { DEPTH = 64 };

/* The length of a name without what Fortran's compilers and Open MPI's bindings
 * add to it: mpi_recv_, mpi_recv__, mpi_recv_f08_. */
static size_t bare_length(const char *symbol)
{
    size_t length = strlen(symbol);

    while (length > 0 && '_' == symbol[length - 1]) {
        --length;
    }
    if (length > 4 && 0 == strncmp(symbol + length - 4, "_f08", 4)) {
        length -= 4;
    } else if (length > 2 && 0 == strncmp(symbol + length - 2, "_f", 2)) {
        length -= 2;
    }
    return length;
}

bool mca_pml_champion_call_of_symbol(const char *symbol, char *name,
                                     size_t size)
{
    size_t length;

    if ('P' == *symbol || 'p' == *symbol) {
        ++symbol;
    }
    length = strlen(symbol);
    if (0 == strncmp(symbol, "MPI_", 4)) {
        snprintf(name, size, "%s", symbol);
        return length > 4;
    }
    if (0 != strncmp(symbol, "mpi_", 4) || size < 6) {
        return false;
    }
    length = bare_length(symbol);
    snprintf(name, size, "MPI_%.*s", length > 4 ? (int) length - 4 : 0,
             symbol + 4);
    name[4] = (char) toupper((unsigned char) name[4]);
    return length > 4;
}

/* The function at an address, as dynamic symbols tell; NULL: none of them. */
static const char *function_at(const void *address)
{
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;

    if (0 == dladdr1(address, &info, (void **) &symbol, RTLD_DL_SYMENT) ||
        NULL == info.dli_sname || NULL == symbol) {
        return NULL;
    }
    /* dladdr takes the last symbol before the address, whatever its end. */
    return (uintptr_t) address - (uintptr_t) info.dli_saddr < symbol->st_size
               ? info.dli_sname
               : NULL;
}

bool mca_pml_champion_call_name(char *name, size_t size)
{
    void *frame[DEPTH];
    const int depth = backtrace(frame, DEPTH);

    /* A frame has the address to which the function returns: behind the call. */
    for (int i = depth - 1; i >= 0; --i) {
        const char *symbol = function_at((const char *) frame[i] - 1);

        if (NULL != symbol &&
            mca_pml_champion_call_of_symbol(symbol, name, size)) {
            return true;
        }
    }
    name[0] = '\0';
    return false;
}
