/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A board: memory in which the processes of a job on a node find each other. The
 * first of them, its leader, makes it and publishes its name; each process maps
 * it in MPI_Init, and posts an entry, and a card with its address. It also has an
 * area there that it reads and all others write: its rings (shm/area.h).
 *
 *     +------+--------------------+-----------------+-----------------+---- ..
 *     | head | entry of each      | card            | area            | area
 *     |      | place: whose, flags| of each place   | of the first    | of ..
 *     +------+--------------------+-----------------+-----------------+---- ..
 *
 * So a process asks Open MPI for one address of its node, not for all: each of
 * these takes a round trip to the daemon, which serves one after the other. And
 * all memory that the processes of a node share is one segment
 * (core/segment.h), which each of them maps once.
 *
 * MPI may begin anew in a process, by sessions, and Open MPI may know the address
 * from before for a while. So a process that leaves takes its entry away, and no
 * place is taken twice.
 *
 * A process has the place of its local rank. The pages of its card, and the
 * first ones of its area, are reserved when it takes the place; other pages use
 * no memory before. The data that others need to write to its area are in its
 * entry: a page that each process has mapped. A page fault takes longer than a
 * message, so a first message takes one or two, and areas begin where the
 * kernel maps many pages at once.
 *
 * A process that does not find a peer's entry asks Open MPI: if the board cannot be
 * mapped, because PID namespaces differ, say; if the peer has not come to post
 * it; or if the address is longer than a card. If it connects to such a peer of
 * its node, it leaves a note on the board (_stranger).
 *
 * The idea of addresses in memory that a node shares is that of MPICH's table of
 * business cards (MPIDU_bc_table_create).
 */

#ifndef MCA_PML_CHAMPION_CORE_BOARD_H
#define MCA_PML_CHAMPION_CORE_BOARD_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompi/mca/pml/champion/core/wire.h"

#pragma GCC visibility push(hidden)

/** Longest address on a card, and most that its process may say there, bytes. */
enum {
    MCA_PML_CHAMPION_CARD_MAX = 4096 - 8,
    MCA_PML_CHAMPION_CARD_SAID = 1024
};

/** The address of a process, and in a page of its own what it says. */
typedef struct mca_pml_champion_card_t {
    uint32_t length; /**< of the address, bytes */
    uint32_t said;   /**< odd while it is written; 0: nothing is. Atomic */
    char address[MCA_PML_CHAMPION_CARD_MAX];
    char words[MCA_PML_CHAMPION_CARD_SAID]; /**< see stuck/ */
} mca_pml_champion_card_t;

/** Entry of a process in the directory of the board. */
typedef struct mca_pml_champion_entry_t {
    /** The vpid of the process plus 1, as soon as all else is complete; 0: there is
     * none yet; UINT32_MAX: it has left. Atomic. */
    uint32_t taker;
    int32_t pid;
    uint32_t flags; /**< for the users of the board */
    uint32_t unused_first;
    uint64_t mark_at; /**< where its own memory has the board's mark */
    unsigned char unused[128 - 24];
    /** For the users of the areas; two cache lines. All zero at first. */
    unsigned char words[128];
} mca_pml_champion_entry_t;

/** The shape of a board; the same for all of its processes. */
typedef struct mca_pml_champion_board_shape_t {
    uint32_t places;
    uint32_t own[2]; /**< for the users of the areas */
    uint64_t area;   /**< bytes of each area */
    uint64_t
        reserved; /**< of these, bytes that are reserved from the beginning;
                            the first ones */
} mca_pml_champion_board_shape_t;

/** Make a board, as its leader. False if that fails. */
bool mca_pml_champion_board_make(const mca_pml_champion_board_shape_t *shape);

/** How others find it. False if this process has not made one. */
bool mca_pml_champion_board_name(mca_pml_champion_board_name_t *name);

/** Map the board of that name, unless this process has made it, and take a place
 * of it. False if that fails; there is no board then. */
bool mca_pml_champion_board_join(const mca_pml_champion_board_name_t *name,
                                 uint32_t place);

/** Map the board of that name to look at it, without a place: for a process that
 * is none of the job's. False if that fails, or if another version has made it. */
bool mca_pml_champion_board_view(const mca_pml_champion_board_name_t *name);

/** The shape of the board; all zero if there is none. */
const mca_pml_champion_board_shape_t *mca_pml_champion_board_shape(void);

/** This process's place, and its area, aligned to pages, all bytes zero at first;
 * NULL if it has no place, or areas have no bytes. */
uint32_t mca_pml_champion_board_place(void);
void *mca_pml_champion_board_area(void);

/** Reserve pages of this process's area. False if there is no memory. */
bool mca_pml_champion_board_reserve(size_t offset, size_t length);

/** Memory that this process's card and area use by now, bytes; 0 if it has no
 * area. */
size_t mca_pml_champion_board_used(void);

/** Show this process's address to the others. Does nothing if there is no board,
 * or if the address is too long. */
void mca_pml_champion_board_post(uint32_t vpid, uint32_t flags,
                                 const void *address, size_t length);
/** This process's own entry; NULL if it has no place. */
mca_pml_champion_entry_t *mca_pml_champion_board_mine(void);
/** Has it posted it? */
bool mca_pml_champion_board_posted(void);

/** Have so many processes posted theirs, and has nobody connected to one of them
 * that it has not found here? The second may become false. */
bool mca_pml_champion_board_whole(uint32_t processes);
/** This process connects to one of its node that it has not found here. */
void mca_pml_champion_board_stranger(void);

/** The entry of a process of this job; NULL: it has posted none. */
mca_pml_champion_entry_t *mca_pml_champion_board_find(uint32_t vpid);
/** The entry at that place, and whose it is; NULL: there is none. */
mca_pml_champion_entry_t *mca_pml_champion_board_at(uint32_t place,
                                                    uint32_t *vpid);
/** The card, and the area, of the process that has this entry. */
const mca_pml_champion_card_t *mca_pml_champion_board_card(
    const mca_pml_champion_entry_t *entry);
void *mca_pml_champion_board_area_of(const mca_pml_champion_entry_t *entry);

/** Say something, to whoever looks at this process's card: up to
 * MCA_PML_CHAMPION_CARD_SAID bytes. Does nothing without a board. */
void mca_pml_champion_board_say(const void *words, size_t length);
/** What the process at that place says. False if there is none, or it has said
 * nothing, or is at it. */
bool mca_pml_champion_board_hear(uint32_t place, void *words, size_t length);

/** What one process of a node tells for all. */
typedef enum {
    MCA_PML_CHAMPION_CLAIM_TRUNCATED,
    MCA_PML_CHAMPION_CLAIM_UNRECEIVED,
    MCA_PML_CHAMPION_CLAIM_KEY_MQ,
    MCA_PML_CHAMPION_CLAIM_KEY_THREAD,
    MCA_PML_CHAMPION_CLAIM_SLOW,
    MCA_PML_CHAMPION_CLAIM_SEEMS_STUCK,
    MCA_PML_CHAMPION_CLAIM_STUCK,
    MCA_PML_CHAMPION_CLAIM_TERM
} mca_pml_champion_claim_t;

/** Is this the first time that it is claimed, by any process of the node? Without
 * a board, by this process. */
bool mca_pml_champion_board_claim(mca_pml_champion_claim_t claim);
/** Has any process of the node claimed it? */
bool mca_pml_champion_board_is_claimed(mca_pml_champion_claim_t claim);

/** The mark of the board, 16 random bytes that only its processes have. */
const uint64_t *mca_pml_champion_board_mark(void);

/** Leave the board, and take the entry away. Nobody may write to this process's
 * area any more, nor this process to another one's. */
void mca_pml_champion_board_close(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_BOARD_H */
