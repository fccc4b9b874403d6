/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for an accelerator, for tests: a component of Open MPI's framework
 * `accelerator`. The memory of its "device" is the test program's, which maps it
 * twice: at the address that MPI is given nobody may touch it; copies go by the
 * other one. The program has the function device_memory_alias, which returns
 * that, or NULL for host memory; where a program has none, all memory is the
 * host's.
 *
 * Not all members of the table of functions are here: those that are left out
 * are for accelerators with streams of their own, and a call ends the test.
 */

#define _GNU_SOURCE 1

#include <mpi.h>

/* Open MPI 4.1 has no such framework: the library is empty there. */
#if OMPI_MAJOR_VERSION >= 5

#include "opal_config.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/constants.h"
#include "opal/mca/accelerator/accelerator.h"
#include "opal/mca/accelerator/base/base.h"

static void *(*alias_of)(const void *address);
static atomic_int page_locks, copies;

/* Where the bytes at an address are, for a copy. */
static void *reach(const void *address)
{
    void *alias = NULL == alias_of ? NULL : alias_of(address);

    return NULL != alias ? alias : (void *) (uintptr_t) address;
}

static int check_addr(const void *address, int *device, uint64_t *flags)
{
    *device = 0;
    *flags = 0;
    return NULL != alias_of && NULL != alias_of(address);
}

static int mem_copy(int to_device, int from_device, void *to, const void *from,
                    size_t length, opal_accelerator_transfer_type_t type)
{
    atomic_fetch_add(&copies, 1);
    memcpy(reach(to), reach(from), length);
    return OPAL_SUCCESS;
}

static int mem_move(int to_device, int from_device, void *to, const void *from,
                    size_t length, opal_accelerator_transfer_type_t type)
{
    memmove(reach(to), reach(from), length);
    return OPAL_SUCCESS;
}

static int host_register(int device, void *memory, size_t length)
{
    atomic_fetch_add(&page_locks, 1);
    return OPAL_SUCCESS;
}

static int host_unregister(int device, void *memory)
{
    atomic_fetch_sub(&page_locks, 1);
    return OPAL_SUCCESS;
}

static int get_device(int *device)
{
    *device = 0;
    return OPAL_SUCCESS;
}

static int device_can_access_peer(int *access, int one, int other)
{
    *access = one == other;
    return OPAL_SUCCESS;
}

static opal_accelerator_base_module_t module = {
    .check_addr = check_addr,
    .mem_copy = mem_copy,
    .mem_move = mem_move,
    .host_register = host_register,
    .host_unregister = host_unregister,
    .get_device = get_device,
    .device_can_access_peer = device_can_access_peer,
};

static opal_accelerator_base_module_t *stand_in_init(void)
{
    /* The loader gives a function's address as that of an object. */
    *(void **) &alias_of = dlsym(RTLD_DEFAULT, "device_memory_alias");
    return &module;
}

static void stand_in_finalize(opal_accelerator_base_module_t *unused)
{
    if (0 != page_locks) {
        fprintf(stderr, "stand_in: a leak: %d ranges are still page-locked\n",
                page_locks);
    }
    if (NULL != getenv("STAND_IN_REPORT")) {
        fprintf(stderr, "stand_in: %s copies\n", 0 == copies ? "no" : "made");
    }
}

/* Open MPI finds it by its name. */
extern const opal_accelerator_base_component_t
    mca_accelerator_stand_in_component;
const opal_accelerator_base_component_t mca_accelerator_stand_in_component = {
    .base_version =
        {
            OPAL_ACCELERATOR_BASE_VERSION_1_0_0,
            .mca_component_name = "stand_in",
            .mca_component_major_version = OMPI_MAJOR_VERSION,
            .mca_component_minor_version = OMPI_MINOR_VERSION,
            .mca_component_release_version = OMPI_RELEASE_VERSION,
        },
    .base_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .accelerator_init = stand_in_init,
    .accelerator_finalize = stand_in_finalize,
};

#endif
