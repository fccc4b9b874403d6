/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process waits for, as it shows it to others: on the board of its node,
 * where other processes read it, and in messages between nodes. All
 * processes of a job run the same version, and have the same byte order.
 */

#ifndef MCA_PML_CHAMPION_STUCK_STATE_H
#define MCA_PML_CHAMPION_STUCK_STATE_H

#include <stdbool.h>
#include <stdint.h>

/** Listed of each process: what it waits for, and messages that it does not
 * wait for. */
enum {
    MCA_PML_CHAMPION_STUCK_ITEMS = 6,
    MCA_PML_CHAMPION_STUCK_NEAR = 4,
    MCA_PML_CHAMPION_STUCK_NAME = 32 /**< bytes of a name, with its end */
};

/** In place of a vpid: any process of the job; one of another job, or any of a
 * communicator that has such. */
#define MCA_PML_CHAMPION_STUCK_ANY UINT32_MAX
#define MCA_PML_CHAMPION_STUCK_FOREIGN (UINT32_MAX - 1)

/** Kinds of items. */
typedef enum {
    MCA_PML_CHAMPION_STUCK_RECEIVE = 1, /**< no message has matched it */
    MCA_PML_CHAMPION_STUCK_PROBE,
    MCA_PML_CHAMPION_STUCK_SEND,   /**< it is not complete */
    MCA_PML_CHAMPION_STUCK_MESSAGE /**< no receive has matched it, here */
} mca_pml_champion_stuck_kind_t;

/** A receive, a send or a message. */
typedef struct mca_pml_champion_stuck_item_t {
    uint32_t kind;     /**< mca_pml_champion_stuck_kind_t */
    uint32_t vpid;     /**< of the other process */
    int32_t rank;      /**< of the other process in the communicator; -1: any */
    int32_t tag;       /**< -1: any; below: of Open MPI's own messages */
    uint32_t context;  /**< of the communicator */
    uint32_t count;    /**< such messages */
    uint32_t messages; /**< that have come from there; of a send: sent there */
    uint32_t away;     /**< a message may be on its way */
    uint64_t bytes;    /**< of a receive, for which there is room */
    uint32_t theirs;   /**< if counted: what the other process counts, which is
                            `messages` unless one is on its way, or lost */
    uint32_t counted;  /**< this, and away, the process does not set itself */
    char comm[MCA_PML_CHAMPION_STUCK_NAME]; /**< name of the communicator */
} mca_pml_champion_stuck_item_t;

/** Does it wait for a message? */
static inline bool mca_pml_champion_stuck_is_receive(
    const mca_pml_champion_stuck_item_t *item)
{
    return MCA_PML_CHAMPION_STUCK_RECEIVE == item->kind ||
           MCA_PML_CHAMPION_STUCK_PROBE == item->kind;
}

/** Where the program is. */
typedef enum {
    MCA_PML_CHAMPION_STUCK_GOES_ON, /**< messages have moved */
    MCA_PML_CHAMPION_STUCK_OUTSIDE, /**< in no call that waits */
    MCA_PML_CHAMPION_STUCK_WAITS,   /**< in a call that waits */
    MCA_PML_CHAMPION_STUCK_POLLS,   /**< in calls that do not, over and over */
    MCA_PML_CHAMPION_STUCK_ENDS     /**< in MPI_Finalize */
} mca_pml_champion_stuck_where_t;

/** The state of a process. */
typedef struct mca_pml_champion_stuck_state_t {
    uint32_t vpid;
    uint32_t where;     /**< mca_pml_champion_stuck_where_t */
    uint64_t since;     /**< for how long it has been there, ms */
    uint64_t moved;     /**< changes with each message */
    uint32_t one;       /**< any one of the items is enough (MPI_Waitany) */
    uint32_t more;      /**< it may send without an end of its wait: other
                             threads, or collective operations that go on */
    uint32_t transfers; /**< to this process, under way */
    uint32_t items;     /**< listed below */
    uint32_t items_all; /**< there are, with those of other kinds */
    uint32_t nears;
    char call[MCA_PML_CHAMPION_STUCK_NAME]; /**< the MPI call */
    mca_pml_champion_stuck_item_t item[MCA_PML_CHAMPION_STUCK_ITEMS];
    mca_pml_champion_stuck_item_t near[MCA_PML_CHAMPION_STUCK_NEAR];
} mca_pml_champion_stuck_state_t;

#endif /* MCA_PML_CHAMPION_STUCK_STATE_H */
