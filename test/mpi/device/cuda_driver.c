/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for CUDA's driver, for tests: the library libcuda.so.1, which Open
 * MPI 4.1 loads if it was built with CUDA. The memory of its "device" is the
 * test program's, as stand_in.c describes: copies go by device_memory_alias,
 * and what that does not know is the host's.
 *
 * Copies are done when they are started, so that events and streams have
 * nothing to wait for. Memory of the device is not shared between processes.
 */

#define _GNU_SOURCE 1

#include "cuda.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *(*alias_of)(const void *address);
static atomic_int page_locks, copies;

/* What handles point to. */
static char context, event, stream;

__attribute__((constructor)) static void begin(void)
{
    /* The loader gives a function's address as that of an object. */
    *(void **) &alias_of = dlsym(RTLD_DEFAULT, "device_memory_alias");
}

__attribute__((destructor)) static void end(void)
{
    if (0 != page_locks) {
        fprintf(stderr, "libcuda: a leak: %d ranges are still page-locked\n",
                page_locks);
    }
    if (NULL != getenv("STAND_IN_REPORT")) {
        fprintf(stderr, "libcuda: %s copies\n", 0 == copies ? "no" : "made");
    }
}

/* ---- memory ------------------------------------------------------------- */

static void *pointer(CUdeviceptr address)
{
    return (void *) (uintptr_t) address;
}

static void *alias(CUdeviceptr address)
{
    return NULL == alias_of ? NULL : alias_of(pointer(address));
}

/* Where the bytes at an address are, for a copy. */
static void *reach(CUdeviceptr address)
{
    void *found = alias(address);

    return NULL != found ? found : pointer(address);
}

/* Of the host's memory the driver knows nothing: all is zero. */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes,
                                void **data, CUdeviceptr address)
{
    const int type = NULL == alias(address) ? 0 : CU_MEMORYTYPE_DEVICE;
    const CUcontext of = 0 == type ? NULL : (CUcontext) (void *) &context;
    const unsigned managed = 0;

    for (unsigned i = 0; i < count; ++i) {
        switch (attributes[i]) {
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            memcpy(data[i], &type, sizeof(type));
            break;
        case CU_POINTER_ATTRIBUTE_CONTEXT:
            memcpy(data[i], &of, sizeof(of));
            break;
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
            memcpy(data[i], &managed, sizeof(managed));
            break;
        default:
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                               CUdeviceptr address)
{
    return NULL == alias(address)
               ? CUDA_ERROR_INVALID_VALUE
               : cuPointerGetAttributes(1, &attribute, &data, address);
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                               CUdeviceptr address)
{
    return NULL == alias(address) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* Each byte is an allocation: nobody asks for more than whether there is one. */
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size,
                              CUdeviceptr address)
{
    *base = address;
    *size = 1;
    return NULL == alias(address) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t length)
{
    atomic_fetch_add(&copies, 1);
    memcpy(reach(to), reach(from), length);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t length,
                       CUstream in)
{
    return cuMemcpy(to, from, length);
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t length)
{
    void *memory = malloc(length);

    *address = (uintptr_t) memory;
    return NULL == memory ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr address)
{
    free(pointer(address));
    return CUDA_SUCCESS;
}

CUresult cuMemHostRegister(void *memory, size_t length, unsigned flags)
{
    atomic_fetch_add(&page_locks, 1);
    return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *memory)
{
    atomic_fetch_sub(&page_locks, 1);
    return CUDA_SUCCESS;
}

/* ---- one device, one context --------------------------------------------- */

CUresult cuDeviceGet(CUdevice *device, int number)
{
    *device = number;
    return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *access, CUdevice one, CUdevice other)
{
    *access = one == other;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *current)
{
    *current = (CUcontext) (void *) &context;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext wanted)
{
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    *device = 0;
    return CUDA_SUCCESS;
}

/* ---- streams and events -------------------------------------------------- */

CUresult cuStreamCreate(CUstream *made, unsigned flags)
{
    *made = (CUstream) (void *) &stream;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream which)
{
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream which)
{
    return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream which, CUevent until, unsigned flags)
{
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *made, unsigned flags)
{
    *made = (CUevent) (void *) &event;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent which)
{
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent which)
{
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent which, CUstream in)
{
    return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent which)
{
    return CUDA_SUCCESS;
}

/* ---- other processes ----------------------------------------------------- */

CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent which)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcOpenEventHandle(CUevent *made, CUipcEventHandle handle)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle handle,
                            unsigned flags)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}
