/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Non-blocking collectives that advance while the program computes. Each is a
 * schedule (pml/champion/mpi/schedule.h), which pml/champion carries out.
 * Besides, MPI_Gather, whose root may be late, and MPI_Allreduce and MPI_Reduce
 * of long data.
 *
 * All processes must choose the same algorithm. So a choice depends on nothing
 * but the sizes of communicator and data, the operation, the parameters, and
 * whether all processes share a node, or none do, which all of a job know;
 * where some are of another job it is taken for neither.
 * Above all it does not depend on how a datatype is laid out, which may differ
 * between processes: data that are not contiguous, or in the memory of a
 * device, are packed when the collective begins, and unpacked at its end.
 *
 * Collectives that are not served here go to the component that would have
 * served them otherwise (libnbc): operations of the user, types whose elements
 * have gaps, empty data, 2 GiB and more, persistent collectives, and exchanges
 * that are one round of messages anyway.
 */

#ifndef MCA_COLL_CHAMPION_H
#define MCA_COLL_CHAMPION_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompi/mca/mq/mq_ompi_compat.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/pml/champion/core/happens_before.h"
#include "ompi/mca/pml/champion/mpi/schedule.h"

BEGIN_C_DECLS

#pragma GCC visibility push(hidden)

typedef struct mca_coll_champion_params_t {
    unsigned priority;
    size_t short_limit; /**< bytes */
    size_t segment;     /**< bytes */
} mca_coll_champion_params_t;

extern mca_coll_champion_params_t mca_coll_champion_params;

/** Functions that run schedules, or NULL: the PML in use is not champion. */
extern const mca_pml_champion_schedule_calls_t *mca_coll_champion_calls;

enum {
    /** Segments to each peer, and from it, that a long collective has under
     * way. */
    MCA_COLL_CHAMPION_WINDOW = 4,
    /** Most to and from all peers. */
    MCA_COLL_CHAMPION_WINDOW_MAX = 64,
    /** Most that are received beside the result, to be reduced into it. */
    MCA_COLL_CHAMPION_WINDOW_REDUCE = 8
};

/** The collectives served here, and their functions in Open MPI's tables. */
#define MCA_COLL_CHAMPION_EACH(DO)                                             \
    DO(allreduce)                                                              \
    DO(gather)                                                                 \
    DO(iallgather)                                                             \
    DO(iallreduce)                                                             \
    DO(ialltoall)                                                              \
    DO(ibarrier)                                                               \
    DO(ibcast)                                                                 \
    DO(ireduce)                                                                \
    DO(ireduce_scatter_block)                                                  \
    DO(reduce)

/** The module of a communicator: the functions that ours replace. */
typedef struct mca_coll_champion_module_t {
    mca_coll_base_module_t super;
    bool on_node; /**< all its processes are of this job and on one node */
    bool spread;  /**< no two of them are; may be false all the same */
#define MCA_COLL_CHAMPION_OTHER(name)                                          \
    mca_coll_base_module_##name##_fn_t name;                                   \
    mca_coll_base_module_t *name##_module;
    MCA_COLL_CHAMPION_EACH(MCA_COLL_CHAMPION_OTHER)
#undef MCA_COLL_CHAMPION_OTHER
} mca_coll_champion_module_t;
OBJ_CLASS_DECLARATION(mca_coll_champion_module_t);

/** The module that a call is given. */
static inline const mca_coll_champion_module_t *mca_coll_champion_module_of(
    const mca_coll_base_module_t *base)
{
    /* Another thread's progress may have enabled it. */
    MCA_PML_CHAMPION_HAPPENS_AFTER(base);
    return (const mca_coll_champion_module_t *) base;
}

/** Call the function that ours replaces: arguments up to the request. */
#define MCA_COLL_CHAMPION_PASS_ON(module, name, ...)                           \
    mca_coll_champion_module_of(module)->name(                                 \
        __VA_ARGS__, mca_coll_champion_module_of(module)->name##_module)

/** Ask what modules will need to know of the job; before the first one. */
void mca_coll_champion_look_at_job(void);

mca_coll_base_module_t *mca_coll_champion_comm_query(ompi_communicator_t *comm,
                                                     int *priority);

int mca_coll_champion_allreduce(const void *from, void *to,
                                mca_mq_ompi_count_t count,
                                ompi_datatype_t *type, ompi_op_t *op,
                                ompi_communicator_t *comm,
                                mca_coll_base_module_t *module);
int mca_coll_champion_gather(const void *from, mca_mq_ompi_count_t scount,
                             ompi_datatype_t *stype, void *to,
                             mca_mq_ompi_count_t rcount, ompi_datatype_t *rtype,
                             int root, ompi_communicator_t *comm,
                             mca_coll_base_module_t *module);
int mca_coll_champion_iallgather(const void *from, mca_mq_ompi_count_t scount,
                                 ompi_datatype_t *stype, void *to,
                                 mca_mq_ompi_count_t rcount,
                                 ompi_datatype_t *rtype,
                                 ompi_communicator_t *comm,
                                 ompi_request_t **request,
                                 mca_coll_base_module_t *module);
int mca_coll_champion_iallreduce(const void *from, void *to,
                                 mca_mq_ompi_count_t count,
                                 ompi_datatype_t *type, ompi_op_t *op,
                                 ompi_communicator_t *comm,
                                 ompi_request_t **request,
                                 mca_coll_base_module_t *module);
int mca_coll_champion_ialltoall(const void *from, mca_mq_ompi_count_t scount,
                                ompi_datatype_t *stype, void *to,
                                mca_mq_ompi_count_t rcount,
                                ompi_datatype_t *rtype,
                                ompi_communicator_t *comm,
                                ompi_request_t **request,
                                mca_coll_base_module_t *module);
int mca_coll_champion_ibarrier(ompi_communicator_t *comm,
                               ompi_request_t **request,
                               mca_coll_base_module_t *module);
int mca_coll_champion_ibcast(void *buffer, mca_mq_ompi_count_t count,
                             ompi_datatype_t *type, int root,
                             ompi_communicator_t *comm,
                             ompi_request_t **request,
                             mca_coll_base_module_t *module);
int mca_coll_champion_ireduce(const void *from, void *to,
                              mca_mq_ompi_count_t count, ompi_datatype_t *type,
                              ompi_op_t *op, int root,
                              ompi_communicator_t *comm,
                              ompi_request_t **request,
                              mca_coll_base_module_t *module);
int mca_coll_champion_ireduce_scatter_block(
    const void *from, void *to, mca_mq_ompi_count_t count,
    ompi_datatype_t *type, ompi_op_t *op, ompi_communicator_t *comm,
    ompi_request_t **request, mca_coll_base_module_t *module);
int mca_coll_champion_reduce(const void *from, void *to,
                             mca_mq_ompi_count_t count, ompi_datatype_t *type,
                             ompi_op_t *op, int root, ompi_communicator_t *comm,
                             mca_coll_base_module_t *module);

#pragma GCC visibility pop

END_C_DECLS

#endif /* MCA_COLL_CHAMPION_H */
