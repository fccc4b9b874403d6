/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/device.h"

#include <string.h>

#include "ompi/mca/pml/champion/core/datatype.h"
#include "ompi/mca/pml/champion/core/unit.h"

mca_pml_champion_device_t mca_pml_champion_device;

/* Open MPI's names of devices, and the types of their memory in UCX. */
static const struct {
    const char *name;
    uint64_t types;
} known[] = {
    {"cuda", UCS_BIT(UCS_MEMORY_TYPE_CUDA)},
    {"rocm", UCS_BIT(UCS_MEMORY_TYPE_ROCM)},
};

static bool device_register(void)
{
    static const mca_base_var_enum_value_t words[] = {
        {MCA_PML_CHAMPION_DEVICE_AUTO, "auto"},
        {MCA_PML_CHAMPION_DEVICE_UCX, "ucx"},
        {MCA_PML_CHAMPION_DEVICE_STAGING, "staging"},
        {0, NULL},
    };

    mca_pml_champion.params.device_memory = MCA_PML_CHAMPION_DEVICE_AUTO;
    return OMPI_SUCCESS ==
           mca_mq_base_param_enum(
               mca_pml_champion.component, "device_memory",
               "How contiguous data in the memory of an accelerator travel: "
               "ucx: UCX accesses that memory; staging: the accelerator "
               "copies them to and from host memory. auto: ucx if UCX was "
               "built for the accelerator. Has no effect where Open MPI "
               "supports no accelerator",
               OPAL_INFO_LVL_4, words, &mca_pml_champion.params.device_memory);
}

static int device_open(void)
{
    mca_mq_ompi_accelerator_open();
    mca_pml_champion_device = (mca_pml_champion_device_t){
        .on = NULL != mca_mq_ompi_accelerator(),
    };
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(device) = {.name = "device memory",
                                 .registers = device_register,
                                 .open = device_open,
                                 .close = mca_mq_ompi_accelerator_close};

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
