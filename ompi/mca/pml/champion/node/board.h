/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A board: memory in which the processes of a job on a node find each other. The
 * first of them, its leader, makes it and publishes its name; each process maps
 * it in MPI_Init, and posts a card with its address. Beside the card is an area
 * that the process reads and all others write: its FIFO (ring/fifo.h).
 *
 *     +------+----------------+------+------------- .. -+------+-------- .. -+
 *     | head | vpid of each   | card | area             | card | area        |
 *     |      | place, or free |      | of the first     |      | of the next |
 *     +------+----------------+------+------------- .. -+------+-------- .. -+
 *
 * So a process asks Open MPI for one address of its node, not for all: each of
 * these takes a round trip to the daemon, which serves one after the other. And it
 * maps one segment (node/segment.h), not one of each peer.
 *
 * MPI may begin anew in a process, by sessions, and Open MPI may know the address
 * from before for a while. So who leaves takes its card away, and nobody takes a
 * place again.
 *
 * A process has the place of its local rank. Its pages are reserved when it
 * takes it, the pages of places that nobody takes use no memory. Who does not
 * find a peer's card asks Open MPI: if the board cannot be mapped, because PID
 * namespaces differ, say; if the peer has not come to post it; or if the address
 * is longer than a card.
 *
 * The idea of addresses in memory that a node shares is that of MPICH's table of
 * business cards (MPIDU_bc_table_create).
 */

#ifndef MCA_PML_CHAMPION_NODE_BOARD_H
#define MCA_PML_CHAMPION_NODE_BOARD_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompi/mca/pml/champion/core/wire.h"

#pragma GCC visibility push(hidden)

/** Longest address on a card, bytes. */
enum { MCA_PML_CHAMPION_CARD_MAX = 4096 - 8 };

/** What a process has on the board. */
typedef struct mca_pml_champion_card_t {
    uint32_t length; /**< of the address, bytes */
    int32_t pid;
    char address[MCA_PML_CHAMPION_CARD_MAX];
} mca_pml_champion_card_t;

/** Make a board for so many processes, with areas of `area` bytes, as their
 * leader. `slots` is for the users of the areas. False if that fails. */
bool mca_pml_champion_board_make(uint32_t places, uint32_t slots, size_t area);

/** How others find it. False if this process has not made one. */
bool mca_pml_champion_board_name(mca_pml_champion_board_name_t *name);

/** Map the board of that name, unless this process has made it, and take a place
 * of it. False if that fails; there is no board then. */
bool mca_pml_champion_board_join(const mca_pml_champion_board_name_t *name,
                                 uint32_t place);

/** The area of this process, aligned to pages, all bytes zero at first; NULL if it
 * has none. */
void *mca_pml_champion_board_area(void);
/** Bytes of each area, and the number of slots that it was made for. */
size_t mca_pml_champion_board_area_size(void);
uint32_t mca_pml_champion_board_slots(void);

/** Show this process's address to the others. Does nothing if there is no board,
 * or if the address is too long. */
void mca_pml_champion_board_post(uint32_t vpid, const void *address,
                                 size_t length);
/** Has this process posted its address? */
bool mca_pml_champion_board_posted(void);

/** The card of a process of this job; NULL: it has posted none. */
const mca_pml_champion_card_t *mca_pml_champion_board_find(uint32_t vpid);
/** The area of the process that has this card. */
void *mca_pml_champion_board_area_of(const mca_pml_champion_card_t *card);

/** Leave the board, and take the card away. Nobody may write to this process's area any more, nor this
 * process to another one's. */
void mca_pml_champion_board_close(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_NODE_BOARD_H */
