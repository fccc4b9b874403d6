/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What Open MPI 4.1 uses of CUDA's driver, so that it can be built with CUDA
 * (`--with-cuda`) where there is none: names, types and numbers are the
 * driver's, as its manual has them. The functions are those of cuda_driver.c, a
 * stand-in for tests. Only for test/cuda.
 */

#ifndef TEST_MPI_DEVICE_CUDA_H
#define TEST_MPI_DEVICE_CUDA_H

#include <stddef.h>

#define CUDA_VERSION 8000

typedef enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_ALREADY_MAPPED = 208,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_NOT_SUPPORTED = 801
} CUresult;

typedef enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 } CUmemorytype;

typedef enum {
    CU_POINTER_ATTRIBUTE_CONTEXT = 1,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
    CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
    CU_POINTER_ATTRIBUTE_IS_MANAGED = 8
} CUpointer_attribute;

enum {
    CU_EVENT_DISABLE_TIMING = 2,
    CU_EVENT_INTERPROCESS = 4,
    CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1
};

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUevent_st *CUevent;
typedef struct CUstream_st *CUstream;

typedef struct CUipcEventHandle_st {
    char reserved[64];
} CUipcEventHandle;

typedef struct CUipcMemHandle_st {
    char reserved[64];
} CUipcMemHandle;

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                               CUdeviceptr address);
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes,
                                void **data, CUdeviceptr address);
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                               CUdeviceptr address);
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size,
                              CUdeviceptr address);
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t length);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t length,
                       CUstream stream);
CUresult cuMemAlloc(CUdeviceptr *address, size_t length);
CUresult cuMemFree(CUdeviceptr address);
CUresult cuMemHostRegister(void *memory, size_t length, unsigned flags);
CUresult cuMemHostUnregister(void *memory);

CUresult cuDeviceGet(CUdevice *device, int number);
CUresult cuDeviceCanAccessPeer(int *access, CUdevice one, CUdevice other);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetDevice(CUdevice *device);

CUresult cuStreamCreate(CUstream *stream, unsigned flags);
CUresult cuStreamDestroy(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
CUresult cuEventCreate(CUevent *event, unsigned flags);
CUresult cuEventDestroy(CUevent event);
CUresult cuEventQuery(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventSynchronize(CUevent event);

CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event);
CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle);
CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address);
CUresult cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle handle,
                            unsigned flags);
CUresult cuIpcCloseMemHandle(CUdeviceptr address);

#endif /* TEST_MPI_DEVICE_CUDA_H */
