/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The differences between the series of Open MPI (4.1, 5.0, 6.0) that this
 * project meets. They are named here, once; no other file asks for a version.
 */

#ifndef OMPI_MCA_MQ_OMPI_COMPAT_H
#define OMPI_MCA_MQ_OMPI_COMPAT_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ompi/mca/mca.h"
#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_framework.h"
#include "opal/runtime/opal.h"

/*
 * The series compiled for. Components compiled for one series must not be
 * loaded into another: the loader does not notice, and structures differ.
 */
#define MCA_MQ_OMPI_MAJOR OMPI_MAJOR_VERSION
#define MCA_MQ_OMPI_MINOR OMPI_MINOR_VERSION

/**
 * Is the Open MPI that runs of the series compiled for?
 *
 * @param[out] running  its version, static text; may be NULL
 */
static inline bool mca_mq_ompi_series_matches(const char **running)
{
    int major = 0, minor = 0;

    if (NULL != running) {
        *running = opal_version_string;
    }
    return 2 == sscanf(opal_version_string, "%d.%d", &major, &minor) &&
           MCA_MQ_OMPI_MAJOR == major && MCA_MQ_OMPI_MINOR == minor;
}

/*
 * A framework's list of static components, ended by NULL, and what each
 * component's source file has to say to be found in it.
 */
#if MCA_MQ_OMPI_MAJOR >= 6
typedef const mca_base_component_t **mca_mq_ompi_static_t;
#define MCA_MQ_OMPI_COMPONENT(name) MCA_BASE_COMPONENT_INIT(ompi, mq, name)
#else
typedef const mca_base_component_t *mca_mq_ompi_static_t;
#define MCA_MQ_OMPI_COMPONENT(name)                                            \
    extern const mca_mq_base_component_t mca_mq_##name##_component
#endif

/*
 * For the PML. The context id by which this process knows a communicator, and
 * the buffer of MPI_Buffer_attach.
 */
#if MCA_MQ_OMPI_MAJOR >= 5
#define MCA_MQ_OMPI_LOCAL_CID(comm) ompi_comm_get_local_cid(comm)
#else
#define MCA_MQ_OMPI_LOCAL_CID(comm) ompi_comm_get_cid(comm)
#endif

#if MCA_MQ_OMPI_MAJOR >= 5
#define MCA_MQ_OMPI_PML_VERSION MCA_PML_BASE_VERSION_2_1_0
#else
#define MCA_MQ_OMPI_PML_VERSION MCA_PML_BASE_VERSION_2_0_0
#endif

#if MCA_MQ_OMPI_MAJOR >= 6
#define MCA_MQ_OMPI_BSEND_ALLOC(comm, size)                                    \
    mca_pml_base_bsend_request_alloc_buf(comm, size)
#define MCA_MQ_OMPI_BSEND_FREE(comm, buffer)                                   \
    mca_pml_base_bsend_request_free(comm, buffer)
#else
#define MCA_MQ_OMPI_BSEND_ALLOC(comm, size)                                    \
    mca_pml_base_bsend_request_alloc_buf(size)
#define MCA_MQ_OMPI_BSEND_FREE(comm, buffer)                                   \
    mca_pml_base_bsend_request_free(buffer)
#endif

/** Was this process started by MPI_Comm_spawn? */
static inline bool mca_mq_ompi_is_spawned(void)
{
    return NULL != getenv("OMPI_PARENT_PORT");
}

/* Strings of an info subscriber's callback, and of what is subscribed to. */
#if MCA_MQ_OMPI_MAJOR >= 5
#define MCA_MQ_OMPI_INFO_STRING const char *
#define MCA_MQ_OMPI_INFO_KEY(text) (text)
#else
#define MCA_MQ_OMPI_INFO_STRING char *
#define MCA_MQ_OMPI_INFO_KEY(text) ((char *) (uintptr_t) (text))
#endif

#endif /* OMPI_MCA_MQ_OMPI_COMPAT_H */
