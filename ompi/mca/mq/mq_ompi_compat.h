/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The differences between the series of Open MPI (4.1, 5.0, 6.0) that matter to
 * this project. They are all handled here; no other file tests for a version.
 */

#ifndef OMPI_MCA_MQ_OMPI_COMPAT_H
#define OMPI_MCA_MQ_OMPI_COMPAT_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/mca/mca.h"
#include "opal/util/show_help.h"
#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_framework.h"
#include "opal/runtime/opal.h"

#include "opal/util/info.h"

#include "ompi/communicator/communicator.h"
#include "ompi/group/group.h"

#if OMPI_MAJOR_VERSION >= 5
#include "opal/mca/accelerator/base/base.h"
#elif OPAL_CUDA_SUPPORT
#include "opal/datatype/opal_convertor.h"
#include "opal/datatype/opal_datatype_cuda.h"
#include "opal/mca/common/cuda/common_cuda.h"
#include "opal/runtime/opal_params.h"
#endif

/*
 * The series for which this is compiled. Whether it is the one that runs is
 * asked by base/param/ompi_build.h.
 */
#define MCA_MQ_OMPI_MAJOR OMPI_MAJOR_VERSION
#define MCA_MQ_OMPI_MINOR OMPI_MINOR_VERSION

/*
 * A framework's list of static components, ended by NULL, and the declaration
 * that each component's source file needs to be found in it.
 */
#if MCA_MQ_OMPI_MAJOR >= 6
typedef const mca_base_component_t **mca_mq_ompi_static_t;
#define MCA_MQ_OMPI_COMPONENT(name) MCA_BASE_COMPONENT_INIT(ompi, mq, name)
#define MCA_MQ_OMPI_STATIC_DECLARE(name)                                       \
    extern const mca_base_component_t *mca_mq_##name##_component_ptr
#define MCA_MQ_OMPI_STATIC_ENTRY(name) &mca_mq_##name##_component_ptr
#else
typedef const mca_base_component_t *mca_mq_ompi_static_t;
#define MCA_MQ_OMPI_COMPONENT(name)                                            \
    extern const mca_mq_base_component_t mca_mq_##name##_component
#define MCA_MQ_OMPI_STATIC_DECLARE(name)                                       \
    extern const mca_base_component_t mca_mq_##name##_component
#define MCA_MQ_OMPI_STATIC_ENTRY(name) &mca_mq_##name##_component
#endif

/* From 6.0 on, help texts are compiled into Open MPI, which does not find those
 * of plug-ins: they have to show them themselves. Before, mpirun shows them,
 * but Debian's (4.1.4) loses about one in three, so each text is printed as one
 * plain line, too. */
#if MCA_MQ_OMPI_MAJOR >= 6 && defined(MCA_MQ_PLUGIN_BUILD)
#define MCA_MQ_OMPI_HAS_OWN_HELP 1
#define opal_show_help mca_mq_base_show_help
OPAL_DECLSPEC int mca_mq_base_show_help(const char *file, const char *topic,
                                        int header, ...);
#else
#define MCA_MQ_OMPI_HAS_OWN_HELP 0
#define opal_show_help(...)                                                    \
    (mca_mq_base_help_line(__VA_ARGS__), (opal_show_help) (__VA_ARGS__))
OPAL_DECLSPEC void mca_mq_base_help_line(const char *file, const char *topic,
                                         int header, ...);
#endif

/* Events of MPI_T, which Open MPI has from 6.0 on. Our configure tries them;
 * where Open MPI's builds this, the header has to do. */
#if !defined(MCA_MQ_OMPI_EVENTS)
#if MCA_MQ_OMPI_MAJOR >= 6 && __has_include("opal/mca/base/mca_base_event.h")
#define MCA_MQ_OMPI_EVENTS 1
#else
#define MCA_MQ_OMPI_EVENTS 0
#endif
#endif

/* The function that gives the MCA a text of all values of a parameter. */
#if MCA_MQ_OMPI_MAJOR >= 5
#define MCA_MQ_OMPI_ENUM_DUMP(name, self, out)                                 \
    int name(mca_base_var_enum_t *self, char **out,                            \
             mca_base_var_enum_dump_type_t how)
#else
#define MCA_MQ_OMPI_ENUM_DUMP(name, self, out)                                 \
    int name(mca_base_var_enum_t *self, char **out)
#endif

/*
 * For the PML: the context id of a communicator in this process.
 */
#if MCA_MQ_OMPI_MAJOR >= 5
#define MCA_MQ_OMPI_LOCAL_CID(comm) ompi_comm_get_local_cid(comm)
#else
#define MCA_MQ_OMPI_LOCAL_CID(comm) ompi_comm_get_cid(comm)
#endif

/*
 * From 5.0 on, each member of a communicator that was made from a group has its
 * own index for it (MCA_MQ_OMPI_LOCAL_CID). Common to the members is an id from
 * PMIx, which is never reused.
 */
#if MCA_MQ_OMPI_MAJOR >= 5
#define MCA_MQ_OMPI_OWN_INDICES 1
/* One side of a new inter-communicator may send before the other side has it:
 * in 6.0 always, in 5.0 if a port is reused. */
#define MCA_MQ_OMPI_EARLY_INTER 1

static inline bool mca_mq_ompi_has_own_index(const ompi_communicator_t *comm)
{
    return !OMPI_COMM_IS_GLOBAL_INDEX(comm);
}

/** The common id. PMIx counts down from 2^32; the rest distinguishes
 * communicators that share one of its numbers. */
static inline uint32_t mca_mq_ompi_common_id(const ompi_communicator_t *comm)
{
    uint64_t rest = comm->c_contextid.cid_sub.u64;

    return (uint32_t) comm->c_contextid.cid_base ^
           (uint32_t) ((rest ^ rest >> 32) * 0x9e3779b1u);
}
#else
#define MCA_MQ_OMPI_OWN_INDICES 0
#define MCA_MQ_OMPI_EARLY_INTER 0

static inline bool mca_mq_ompi_has_own_index(const ompi_communicator_t *comm)
{
    return false;
}

static inline uint32_t mca_mq_ompi_common_id(const ompi_communicator_t *comm)
{
    return 0;
}
#endif

/*
 * From 5.0 on, a communicator may be of a session of the program, which does not
 * end with MPI_Finalize. To be asked before MPI_COMM_SELF is gone; not in
 * add_comm, where Open MPI has not set it yet.
 */
static inline bool mca_mq_ompi_is_of_session(const ompi_communicator_t *comm)
{
#if MCA_MQ_OMPI_MAJOR >= 5
    return NULL != comm->instance &&
           comm->instance != ompi_mpi_comm_self.comm.instance;
#else
    return false;
#endif
}

/* Callback inside the library that copies an attribute of a communicator. */
#if MCA_MQ_OMPI_MAJOR >= 5
#define MCA_MQ_OMPI_ATTR_COPY(name, flag)                                      \
    int name(ompi_communicator_t *comm, int keyval, void *extra, void *in,     \
             void *out, int *flag)
#else
#define MCA_MQ_OMPI_ATTR_COPY(name, flag)                                      \
    int name(ompi_communicator_t *comm, int keyval, void *extra, void *in,     \
             void *out, int *flag, ompi_communicator_t *copy)
#endif

#if MCA_MQ_OMPI_MAJOR >= 5
#define MCA_MQ_OMPI_PMIX_HEADER "opal/mca/pmix/pmix-internal.h"
#define MCA_MQ_OMPI_PML_VERSION MCA_PML_BASE_VERSION_2_1_0
#else
#define MCA_MQ_OMPI_PMIX_HEADER "opal/mca/pmix/pmix.h"
#define MCA_MQ_OMPI_PML_VERSION MCA_PML_BASE_VERSION_2_0_0
#endif

/* PMIx: scopes of published data; a fence over the job, which is true if it was
 * started. */
#if MCA_MQ_OMPI_MAJOR >= 5
#define MCA_MQ_OMPI_MODEX_REMOTE PMIX_REMOTE
#define MCA_MQ_OMPI_MODEX_LOCAL PMIX_LOCAL
#define MCA_MQ_OMPI_PMIX_NUM_NODES PMIX_NUM_NODES
#define MCA_MQ_OMPI_PMIX_JOB_SIZE PMIX_JOB_SIZE
#define MCA_MQ_OMPI_PMIX_UINT32 PMIX_UINT32
/* Nothing was published yet, within PMIx's 2 s. */
#define MCA_MQ_OMPI_MODEX_IS_LATE(rc)                                          \
    (PMIX_ERR_NOT_FOUND == (rc) || PMIX_ERR_TIMEOUT == (rc))
#define MCA_MQ_OMPI_FENCE_NB(done, arg)                                        \
    (PMIX_SUCCESS == PMIx_Fence_nb(NULL, 0, NULL, 0, done, arg))
#else
#define MCA_MQ_OMPI_MODEX_REMOTE OPAL_PMIX_REMOTE
#define MCA_MQ_OMPI_MODEX_LOCAL OPAL_PMIX_LOCAL
#define MCA_MQ_OMPI_PMIX_NUM_NODES OPAL_PMIX_NUM_NODES
#define MCA_MQ_OMPI_PMIX_JOB_SIZE OPAL_PMIX_JOB_SIZE
#define MCA_MQ_OMPI_PMIX_UINT32 OPAL_UINT32
#define MCA_MQ_OMPI_MODEX_IS_LATE(rc)                                          \
    (OPAL_ERR_NOT_FOUND == (rc) || OPAL_ERR_TIMEOUT == (rc))
#define MCA_MQ_OMPI_FENCE_NB(done, arg)                                        \
    (OPAL_SUCCESS == opal_pmix.fence_nb(NULL, 0, done, arg))
#endif

/* Members of the PML's module that not all series have, and the description of
 * the transports to a process. The caller includes pml.h. */
#if MCA_MQ_OMPI_MAJOR >= 5
#define MCA_MQ_OMPI_PML_HOOKS(revoke, transports)                              \
    .pml_flags = MCA_PML_BASE_FLAG_SUPPORTS_EXT_CID,                           \
    .pml_revoke_comm = (revoke), .pml_get_transports = (transports)
#define MCA_MQ_OMPI_TRANSPORT_T mca_pml_transport_entry_t
#define MCA_MQ_OMPI_TRANSPORTS_T mca_pml_transports_t
#else
#define MCA_MQ_OMPI_PML_HOOKS(revoke, transports) .pml_flags = 0
#define MCA_MQ_OMPI_TRANSPORT_T mca_mq_ompi_transport_t
#define MCA_MQ_OMPI_TRANSPORTS_T mca_mq_ompi_transports_t

typedef struct mca_mq_ompi_transport_t {
    const char *transport_name;
    const char *device_name;
} mca_mq_ompi_transport_t;

typedef struct mca_mq_ompi_transports_t {
    unsigned count;
    mca_mq_ompi_transport_t *entries;
} mca_mq_ompi_transports_t;
#endif

/* Revoking a communicator: Open MPI's flags for it, the tags concerned, and the
 * error code of revoked operations. The caller includes what is needed. Without
 * fault tolerance nothing is ever revoked. */
#if MCA_MQ_OMPI_MAJOR >= 5 && OPAL_ENABLE_FT_MPI
#define MCA_MQ_OMPI_ERR_REVOKED(comm)                                          \
    ((comm)->comm_revoked ? MPI_ERR_REVOKED : MPI_ERR_PROC_FAILED)
#define MCA_MQ_OMPI_COMM_REVOKE(comm, coll_only)                               \
    do {                                                                       \
        (comm)->coll_revoked = true;                                           \
        (comm)->comm_revoked = (comm)->comm_revoked || !(coll_only);           \
    } while (0)
#define MCA_MQ_OMPI_TAG_REVOKED(tag, coll_only)                                \
    ((coll_only) ? ompi_request_tag_is_collective(tag)                         \
                 : !ompi_request_tag_is_ft(tag))
/* Is communication with this tag revoked? */
#define MCA_MQ_OMPI_IS_REVOKED(comm, tag)                                      \
    (OPAL_UNLIKELY((comm)->coll_revoked) &&                                    \
     MCA_MQ_OMPI_TAG_REVOKED(tag, !(comm)->comm_revoked))
/* Was the program started with fault tolerance (mpirun --with-ft ulfm)? */
#define MCA_MQ_OMPI_FT_ENABLED ompi_ftmpi_enabled
/* Has a process failed whose messages with this tag are asked for? With
 * MPI_ANY_SOURCE any one that the program has not acknowledged; Open MPI's own
 * messages for fault tolerance know better. */
#define MCA_MQ_OMPI_HAS_FAILED(comm, peer, tag)                                \
    (!ompi_comm_is_proc_active(comm, peer, OMPI_COMM_IS_INTER(comm)) &&        \
     !(OMPI_ANY_SOURCE == (peer) && ompi_request_tag_is_ft(tag)))
/* Does Open MPI know that this process, an ompi_proc_t, has failed? */
#define MCA_MQ_OMPI_PROC_HAS_FAILED(proc) (!ompi_proc_is_active(proc))
#define MCA_MQ_OMPI_ERR_FAILED MPI_ERR_PROC_FAILED
#define MCA_MQ_OMPI_ERR_PENDING MPI_ERR_PROC_FAILED_PENDING
#else
#define MCA_MQ_OMPI_ERR_REVOKED(comm) MPI_ERR_OTHER
#define MCA_MQ_OMPI_COMM_REVOKE(comm, coll_only) ((void) (coll_only))
#define MCA_MQ_OMPI_TAG_REVOKED(tag, coll_only) (!(coll_only))
#define MCA_MQ_OMPI_IS_REVOKED(comm, tag) false
#define MCA_MQ_OMPI_FT_ENABLED false
#define MCA_MQ_OMPI_HAS_FAILED(comm, peer, tag) false
#define MCA_MQ_OMPI_PROC_HAS_FAILED(proc) ((void) (proc), false)
#define MCA_MQ_OMPI_ERR_FAILED MPI_ERR_OTHER
#define MCA_MQ_OMPI_ERR_PENDING MPI_ERR_PENDING
#endif

/* Does opal_progress yield, because the user or mpirun says so? 4.1 has no header
 * with it. */
OMPI_DECLSPEC extern bool ompi_mpi_yield_when_idle;

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

/**
 * Look up a key in the info of the session from whose group a communicator was
 * made.
 *
 * @param[out] value  room for MPI_MAX_INFO_VAL characters and the final NUL
 * @return false if the key is not set, or there is no session
 */
#if MCA_MQ_OMPI_MAJOR >= 5
static inline bool mca_mq_ompi_session_info(const ompi_communicator_t *comm,
                                            const char *key, char *value)
{
    const ompi_instance_t *session =
        NULL == comm->c_local_group ? NULL : comm->c_local_group->grp_instance;
    opal_cstring_t *text;
    int found = 0;

    if (NULL == session || NULL == session->super.s_info ||
        OPAL_SUCCESS !=
            opal_info_get(session->super.s_info, key, &text, &found) ||
        0 == found) {
        return false;
    }
    snprintf(value, MPI_MAX_INFO_VAL + 1, "%s", text->string);
    OBJ_RELEASE(text);
    return true;
}
#else
static inline bool mca_mq_ompi_session_info(const ompi_communicator_t *comm,
                                            const char *key, char *value)
{
    return false;
}
#endif

/*
 * Accelerators, whose memory the processor may not be able to access. From 5.0
 * on they are components of a framework, of which one is selected before the
 * PML is opened: the one named null if there is no accelerator. 4.1 knows CUDA
 * only, if it was built for it. Its convertor asks once, for its first buffer,
 * whether there is CUDA: by then someone must have made the driver known, as
 * the first of these functions does. Where CUDA's driver is missing that says
 * so (unless opal_warn_on_missing_libcuda is 0), and clears opal_cuda_support.
 * The convertor knows the memory of an accelerator by the first address it is
 * given.
 */
#if MCA_MQ_OMPI_MAJOR >= 5
/** Before all others, and before a convertor is used. */
static inline void mca_mq_ompi_accelerator_open(void)
{
}

/** The last one, also if the others found no accelerator. */
static inline void mca_mq_ompi_accelerator_close(void)
{
}

/** The name of the accelerator, or NULL if there is none. */
static inline const char *mca_mq_ompi_accelerator(void)
{
    const char *name = opal_accelerator_base_selected_component.base_version
                           .mca_component_name;

    return '\0' == name[0] || 0 == strcmp(name, "null") ? NULL : name;
}

/** Is an address in the memory of the accelerator? */
static inline bool mca_mq_ompi_is_device(const void *address)
{
    uint64_t flags = 0;
    int id;

    return opal_accelerator.check_addr(address, &id, &flags) > 0;
}

/** Lock pages in memory, for faster copies; it may fail without harm. */
static inline void mca_mq_ompi_page_lock(void *memory, size_t length)
{
    if (NULL != opal_accelerator.host_register) {
        (void) opal_accelerator.host_register(MCA_ACCELERATOR_NO_DEVICE_ID,
                                              memory, length);
    }
}

static inline void mca_mq_ompi_page_unlock(void *memory)
{
    if (NULL != opal_accelerator.host_unregister) {
        (void) opal_accelerator.host_unregister(MCA_ACCELERATOR_NO_DEVICE_ID,
                                                memory);
    }
}
#define MCA_MQ_OMPI_CONVERTOR_DEVICE CONVERTOR_ACCELERATOR
#elif OPAL_CUDA_SUPPORT
static inline void mca_mq_ompi_accelerator_open(void)
{
    (void) mca_common_cuda_stage_one_init();
}

static inline void mca_mq_ompi_accelerator_close(void)
{
    mca_common_cuda_fini();
}

static inline const char *mca_mq_ompi_accelerator(void)
{
    return opal_cuda_support ? "cuda" : NULL;
}

static inline bool mca_mq_ompi_is_device(const void *address)
{
    return opal_cuda_check_one_buf((char *) (uintptr_t) address, NULL);
}

static inline void mca_mq_ompi_page_lock(void *memory, size_t length)
{
    static char who[] = "pml/champion";

    mca_common_cuda_register(memory, length, who);
}

static inline void mca_mq_ompi_page_unlock(void *memory)
{
    static char who[] = "pml/champion";

    mca_common_cuda_unregister(memory, who);
}
#define MCA_MQ_OMPI_CONVERTOR_DEVICE CONVERTOR_CUDA
#else
static inline void mca_mq_ompi_accelerator_open(void)
{
}

static inline void mca_mq_ompi_accelerator_close(void)
{
}

static inline const char *mca_mq_ompi_accelerator(void)
{
    return NULL;
}

static inline bool mca_mq_ompi_is_device(const void *address)
{
    return false;
}

static inline void mca_mq_ompi_page_lock(void *memory, size_t length)
{
}

static inline void mca_mq_ompi_page_unlock(void *memory)
{
}
#define MCA_MQ_OMPI_CONVERTOR_DEVICE 0u
#endif

/* Types of the strings of an info subscriber's callback, and of the key. */
#if MCA_MQ_OMPI_MAJOR >= 5
#define MCA_MQ_OMPI_INFO_STRING const char *
#define MCA_MQ_OMPI_INFO_KEY(text) (text)
#else
#define MCA_MQ_OMPI_INFO_STRING char *
#define MCA_MQ_OMPI_INFO_KEY(text) ((char *) (uintptr_t) (text))
#endif

/* Components of the coll framework: their version, the type of numbers of
 * elements, and whether a module puts its functions into the communicator's table
 * itself when it is enabled. The caller includes coll.h. */
#define MCA_MQ_OMPI_COLL_INSTALLS (MCA_MQ_OMPI_MAJOR >= 6)
#if MCA_MQ_OMPI_MAJOR >= 6
#define MCA_MQ_OMPI_COLL_VERSION MCA_COLL_BASE_VERSION_3_0_0
typedef size_t mca_mq_ompi_count_t;
#elif MCA_MQ_OMPI_MAJOR >= 5
#define MCA_MQ_OMPI_COLL_VERSION MCA_COLL_BASE_VERSION_2_4_0
typedef int mca_mq_ompi_count_t;
#else
#define MCA_MQ_OMPI_COLL_VERSION MCA_COLL_BASE_VERSION_2_0_0
typedef int mca_mq_ompi_count_t;
#endif

#endif /* OMPI_MCA_MQ_OMPI_COMPAT_H */
