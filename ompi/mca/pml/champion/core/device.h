/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Buffers in the memory of a device, an accelerator that Open MPI was built
 * for. The processor may not touch them: only UCX, if it was built for the
 * device, and the copies of Open MPI's convertor and accelerator framework do.
 *
 * Whether there is such a device is known when this component is opened. If
 * there is none, no buffer is looked at. If there is one, the PML's functions
 * for most messages are replaced by others of mpi/send.h and mpi/recv.h, which
 * look at each buffer first; matched receives and persistent requests test
 * whether there is one:
 *
 *     host            the usual functions
 *     device          the data take the ways of non-contiguous data, with a
 *                     convertor that knows the device: packed by the sender,
 *                     unpacked by the receiver, in large pieces (core/stage.h).
 *                     Neither a ring nor CMA is used for a send
 *     device,         if UCX knows the device: UCX sends from the buffer, and a
 *     contiguous      rendezvous receives into it
 */

#ifndef MCA_PML_CHAMPION_CORE_DEVICE_H
#define MCA_PML_CHAMPION_CORE_DEVICE_H

#include "ompi/mca/pml/champion/core/datatype.h"

#pragma GCC visibility push(hidden)

/** How contiguous data in device memory travel: values of
 * pml_champion_device_memory. */
enum {
    MCA_PML_CHAMPION_DEVICE_AUTO = 1, /**< by UCX if it knows the device */
    MCA_PML_CHAMPION_DEVICE_UCX,
    MCA_PML_CHAMPION_DEVICE_STAGING
};

typedef struct mca_pml_champion_device_t {
    bool on;     /**< there is a device: buffers are looked at */
    bool by_ucx; /**< contiguous data in its memory travel by UCX */
} mca_pml_champion_device_t;

extern mca_pml_champion_device_t mca_pml_champion_device;

/** Decide how contiguous data travel. memory_types: bits of the types that
 * UCX's context knows. */
void mca_pml_champion_device_choose(uint64_t memory_types);

/** Is the buffer in the memory of a device? Its first byte decides; a derived
 * datatype must have all data there, or none. Call only if on. */
bool mca_pml_champion_device_has(const void *buffer, size_t count,
                                 const ompi_datatype_t *datatype);

/** If the buffer is in the memory of a device, describe the data as the
 * convertor is to see them, and return true. It looks where their buffer begins,
 * so contiguous data are given as bytes from their own beginning. */
static inline bool mca_pml_champion_device_takes(void **buffer, size_t *count,
                                                 ompi_datatype_t **datatype)
{
    if (!mca_pml_champion_device.on ||
        OPAL_LIKELY(!mca_pml_champion_device_has(*buffer, *count, *datatype))) {
        return false;
    }
    if (mca_pml_champion_contiguous(*datatype, *count)) {
        *buffer = mca_pml_champion_begin(*buffer, *datatype);
        *count = mca_pml_champion_size(*datatype, *count);
        *datatype = &ompi_mpi_byte.dt;
    }
    return true;
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_DEVICE_H */
