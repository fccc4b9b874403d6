/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules: sends, receives, reductions and copies, each of which begins when
 * those that it waits for are complete. The next operation is found where
 * champion completes something: under its lock, by the progress thread if there
 * is one. So a schedule advances while the program computes.
 *
 * This header is for other components (coll/champion). They find the functions
 * in champion's component, because plug-ins cannot link to each other.
 *
 * The caller fills in the operations, and keeps the memory until on_end() was
 * called. That happens in an MPI call of the program, without champion's lock,
 * never in the progress thread: Open MPI may be built on there being none.
 */

#ifndef MCA_PML_CHAMPION_MPI_SCHEDULE_H
#define MCA_PML_CHAMPION_MPI_SCHEDULE_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/op/op.h"

#include "ompi/mca/pml/champion/core/wire.h"
#include "ompi/mca/pml/champion/large/standstill_rule.h"

BEGIN_C_DECLS

/** No operation; no edge. */
#define MCA_PML_CHAMPION_SCHEDULE_NONE UINT32_MAX

/** Most bytes that one look reduces or copies, over all schedules: the
 * program's calls wait for champion's lock that long, some 20 to 60
 * microseconds. */
#define MCA_PML_CHAMPION_SCHEDULE_PIECE ((size_t) 128 << 10)

typedef enum {
    MCA_PML_CHAMPION_SCHEDULE_SEND,   /**< count bytes of from to rank */
    MCA_PML_CHAMPION_SCHEDULE_RECV,   /**< count bytes from rank into to */
    MCA_PML_CHAMPION_SCHEDULE_REDUCE, /**< to = from op to, count elements */
    MCA_PML_CHAMPION_SCHEDULE_COPY    /**< count bytes of from into to */
} mca_pml_champion_schedule_kind_t;

typedef struct mca_pml_champion_schedule_op_t {
    mca_pml_champion_schedule_kind_t kind;
    int rank;
    int tag; /**< less than the schedule's number of tags. Messages between two
                  processes differ in it: their order does not matter */
    uint32_t waits; /**< for so many operations */
    uint32_t first; /**< its first edge */
    uint32_t next;  /**< champion's */
    const void *from;
    void *to;
    size_t count;
    void *peer; /**< champion's */
} mca_pml_champion_schedule_op_t;

/** An operation that waits for the one whose edge this is. */
typedef struct mca_pml_champion_schedule_edge_t {
    uint32_t op;
    uint32_t next; /**< edge of the same operation */
} mca_pml_champion_schedule_edge_t;

typedef struct mca_pml_champion_schedule_t {
    ompi_communicator_t *comm; /**< an intra-communicator; retained */
    int tag;                   /**< the first; the others are below it */
    mca_pml_champion_schedule_op_t *ops;
    mca_pml_champion_schedule_edge_t *edges;
    uint32_t num_ops, num_edges;
    ompi_op_t *op; /**< of reductions: predefined, for a predefined type */
    ompi_datatype_t *datatype;
    size_t extent; /**< of the type, bytes */
    /** All operations are complete, or one has failed and none is under way. */
    void (*on_end)(struct mca_pml_champion_schedule_t *schedule);
    int error; /**< MPI error class of the first operation that failed */
    /* Champion's. */
    struct mca_pml_champion_schedule_t *next; /**< that can go on */
    struct mca_pml_champion_slot_t *end;
    struct mca_pml_champion_slot_t *flying; /**< messages under way */
    mca_pml_champion_poll_delay_t delay;
    size_t remote; /**< bytes that it sends to other nodes, or receives from
                        them */
    uint32_t left; /**< operations not complete */
    uint32_t first_ready, last_ready;
    bool queued; /**< in the list of those that can go on; false before it is
                      first started, and when it is over */
} mca_pml_champion_schedule_t;

typedef struct mca_pml_champion_schedule_calls_t {
    /** Start a schedule. Without the lock; on_end() may be called before it
     * returns. After an error nothing has been started. */
    int (*start)(mca_pml_champion_schedule_t *schedule);
} mca_pml_champion_schedule_calls_t;

/** For champion's component only; mpi/engine.c has the functions. */
extern const mca_pml_champion_schedule_calls_t
    __attribute__((visibility("hidden"))) mca_pml_champion_schedule_calls;

/** Champion's component, with the functions for other plug-ins. The release of
 * both has to be the same. */
typedef struct mca_pml_champion_component_t {
    mca_pml_base_component_t super;
    const mca_pml_champion_schedule_calls_t *schedules;
    /** coll/champion's, which sets them when it is opened: before a PML is
     * chosen. Behind a pointer, because a loader may copy this. */
    mca_pml_champion_coll_params_t *coll;
} mca_pml_champion_component_t;

END_C_DECLS

#endif /* MCA_PML_CHAMPION_MPI_SCHEDULE_H */
