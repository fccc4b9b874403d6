/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/device.h"

#include <string.h>

#include "ompi/mca/pml/champion/core/datatype.h"

mca_pml_champion_device_t mca_pml_champion_device;

/* Open MPI's names of devices, and the types of their memory in UCX. */
static const struct {
    const char *name;
    uint64_t types;
} known[] = {
    {"cuda", UCS_BIT(UCS_MEMORY_TYPE_CUDA)},
    {"rocm", UCS_BIT(UCS_MEMORY_TYPE_ROCM)},
};

void mca_pml_champion_device_open(void)
{
    mca_mq_ompi_accelerator_open();
    mca_pml_champion_device = (mca_pml_champion_device_t){
        .on = NULL != mca_mq_ompi_accelerator(),
    };
}

void mca_pml_champion_device_close(void)
{
    mca_mq_ompi_accelerator_close();
}

/* Does UCX know the device? */
static bool is_known(uint64_t memory_types)
{
    const char *name = mca_mq_ompi_accelerator();

    for (size_t i = 0; NULL != name && i < sizeof(known) / sizeof(known[0]);
         ++i) {
        if (0 == strcmp(name, known[i].name)) {
            return 0 != (known[i].types & memory_types);
        }
    }
    return false;
}

void mca_pml_champion_device_choose(uint64_t memory_types)
{
    const int wanted = mca_pml_champion.params.device_memory;

    mca_pml_champion_device.by_ucx =
        mca_pml_champion_device.on &&
        (MCA_PML_CHAMPION_DEVICE_UCX == wanted ||
         (MCA_PML_CHAMPION_DEVICE_AUTO == wanted && is_known(memory_types)));
}

bool mca_pml_champion_device_has(const void *buffer, size_t count,
                                 const ompi_datatype_t *datatype)
{
    assert(mca_pml_champion_device.on);
    if (0 == mca_pml_champion_size(datatype, count)) {
        return false;
    }
    if (mca_pml_champion_contiguous(datatype, count)) {
        buffer = mca_pml_champion_begin(buffer, datatype);
    }
    return mca_mq_ompi_is_device(buffer);
}
