/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The process that tests give work to, and what is around it:
 *
 *   - UCX: nothing is sent, all operations complete at once, and what it has
 *     kept for champion is freed when it is given back
 *   - Open MPI, as MPI_Init would have set it up
 *   - mq: a module with two lists, in order of age
 *   - a clock that stands still until the test moves it
 *   - other processes, each with a state of its own
 *
 * All functions that stand for others are weak: a test has its own in place of
 * those that it watches.
 */

#ifndef TEST_PML_WORLD_H
#define TEST_PML_WORLD_H

#include "ompi/mca/pml/champion/core/champion.h"
#include "ompi/mca/pml/champion/core/wire.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/peer/peer.h"

#include "opal/runtime/opal_progress.h"

#include "pml_test.h"

/** This process is ME of JOB, which has SIZE processes, or pml_world.ranks. */
enum { PML_WORLD_JOB = 7, PML_WORLD_ME = 2, PML_WORLD_SIZE = 5 };

typedef struct pml_world_t {
    /** Handlers of active messages, by id, and their first argument. */
    ucp_am_recv_callback_t handler[MCA_PML_CHAMPION_AM_COUNT];
    void *arg[MCA_PML_CHAMPION_AM_COUNT];
    /** A message was sent; all of it can be read. Or NULL. */
    void (*sent)(unsigned id, const void *bytes, size_t length);
    bool survives; /**< aborts are counted; otherwise they fail the test */
    unsigned num_aborts;
    int ranks;      /**< size of the job; 0: SIZE */
    char line[512]; /**< of the last abort, or of opal_output */
    uint64_t now;   /**< of CLOCK_MONOTONIC, ns; 0: the real one is read */
    opal_progress_callback_t look; /**< opal_progress calls it at times */
} pml_world_t;

extern pml_world_t pml_world;

/** An endpoint, which leads nowhere. */
extern ucp_ep_h pml_world_ep;

/** Set all of it to 0, and say who this process is. */
void pml_world_begin(void);

/** opal_progress looks, if there is something to look for. Lock held; it is
 * released for the time. */
void pml_world_look(void);

/** The process has a pool, peers and communicators, and takes the lock. */
void pml_world_open(void);
/** The end of all that, without the lock; no message may be left. */
void pml_world_close(void);

/** A peer of this job, created if it is new. */
mca_pml_champion_peer_t *pml_world_peer(uint32_t vpid);

/* ---- mq ----------------------------------------------------------------- */

enum { PML_MQ_FOOTPRINT = 4096 }; /**< bytes */

typedef struct pml_mq_t {
    mca_mq_base_module_t super;
    mca_mq_base_domain_t domain; /**< served by it */
    mca_mq_entry_t *first[2];    /**< by mca_mq_queue_t */
} pml_mq_t;

/** Empty it. */
void pml_mq_init(pml_mq_t *mq, uint32_t assertions);

/** The communicator of a context, which is served by it, comes. */
void pml_mq_enter(pml_mq_t *mq, mca_pml_champion_comm_t *comm,
                  uint32_t context);

void pml_mq_append(pml_mq_t *mq, mca_mq_queue_t queue, mca_mq_entry_t *entry);

/** Take out the oldest message for a receive; NULL: there is none. */
mca_mq_entry_t *pml_mq_take(pml_mq_t *mq, const mca_mq_envelope_t *receive);

/** Take out the oldest entry; NULL: there is none. */
mca_mq_entry_t *pml_mq_pop(pml_mq_t *mq, mca_mq_queue_t queue);

/** What mq_arrive is. */
mca_mq_entry_t *pml_mq_arrive(mca_mq_base_module_t *module,
                              const mca_mq_envelope_t *envelope,
                              mca_mq_make_entry_fn_t make, void *arg);

/* ---- several processes -------------------------------------------------- */

/** A part of a process's state. */
typedef struct pml_part_t {
    void *where;
    size_t size;
} pml_part_t;

/** The process whose state is in place. */
extern int pml_me;

/** From now on there are so many processes, each of which has these parts, up
 * to one of size 0, which stay the test's. All are zero, and 0 is in place. */
void pml_world_populate(int processes, const pml_part_t *parts);

/** Put the state of a process in place. */
void pml_world_at(int process);

#endif /* TEST_PML_WORLD_H */
