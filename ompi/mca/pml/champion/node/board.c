/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/node/board.h"

#include <string.h>
#include <unistd.h>

#include "ompi/mca/pml/champion/node/segment.h"

/* In place of a vpid: the process was there, and has left. Its area is not clean
 * any more. */
#define LEFT UINT32_MAX

/* The beginning of the board. */
typedef struct head_t {
    mca_pml_champion_segment_part_t part; /* own: places, slots */
    uint64_t area;                        /* bytes */
    /* Of each place: the vpid of its process plus 1, as soon as its card is
     * complete; 0: there is none; or LEFT. Atomic. */
    uint32_t takers[];
} head_t;

static struct {
    mca_pml_champion_segment_t made; /* by this process */
    head_t *head;                    /* NULL: there is none */
    size_t length;                   /* bytes */
    /* As the head says; that may be changed by others. */
    uint32_t places, slots;
    size_t area;
    mca_pml_champion_card_t *mine; /* NULL: this process has no place */
    uint32_t my_place;
} board;

static size_t page(void)
{
    return (size_t) sysconf(_SC_PAGESIZE);
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + page() - 1) / page() * page();
}

static size_t head_size(uint32_t count)
{
    return whole_pages(sizeof(head_t) + count * sizeof(uint32_t));
}

static size_t card_size(void)
{
    return whole_pages(sizeof(mca_pml_champion_card_t));
}

/* Bytes of a place. */
static size_t place_size(size_t bytes)
{
    return card_size() + whole_pages(bytes);
}

static size_t board_size(uint32_t count, size_t bytes)
{
    return head_size(count) + count * place_size(bytes);
}

static mca_pml_champion_card_t *card_at(uint32_t place)
{
    return (void *) ((char *) board.head + head_size(board.places) +
                     place * place_size(board.area));
}

static void forget(void)
{
    board.head = NULL;
    board.mine = NULL;
    board.length = board.area = 0;
    board.places = board.slots = 0;
}

static void adopt(head_t *head)
{
    board.head = head;
    board.places = head->part.own[0];
    board.slots = head->part.own[1];
    board.area = head->area;
}

bool mca_pml_champion_board_make(uint32_t count, uint32_t of_area, size_t bytes)
{
    head_t *head;

    board.length = board_size(count, bytes);
    if (!mca_pml_champion_segment_create(&board.made, board.length) ||
        !mca_pml_champion_segment_reserve(&board.made, 0, head_size(count),
                                          &board.made.name)) {
        mca_pml_champion_segment_destroy(&board.made);
        forget();
        return false;
    }
    head = board.made.memory;
    head->part.own[0] = count;
    head->part.own[1] = of_area;
    head->area = bytes;
    adopt(head);
    return true;
}

bool mca_pml_champion_board_name(mca_pml_champion_board_name_t *name)
{
    if (NULL == board.made.memory) {
        return false;
    }
    name->length = board.length;
    name->name = board.made.name;
    return true;
}

/* Is what the head says true of a board of that length? */
static bool is_sound(void)
{
    return 0 != board.places && board.places <= board.length / card_size() &&
           board.area <= board.length &&
           board_size(board.places, board.area) == board.length;
}

static bool map_board(const mca_pml_champion_board_name_t *name)
{
    head_t *head = NULL;

    if (name->length >= head_size(1)) {
        head = mca_pml_champion_segment_attach(&name->name, name->length, true);
    }
    if (NULL == head) {
        return false;
    }
    board.length = name->length;
    adopt(head);
    if (!is_sound()) {
        mca_pml_champion_board_close();
        return false;
    }
    return true;
}

bool mca_pml_champion_board_join(const mca_pml_champion_board_name_t *name,
                                 uint32_t place)
{
    if (NULL == board.head && !map_board(name)) {
        return false;
    }
    if (place >= board.places ||
        0 != __atomic_load_n(&board.head->takers[place], __ATOMIC_RELAXED) ||
        !mca_pml_champion_segment_fill(
            &name->name,
            (size_t) ((char *) card_at(place) - (char *) board.head),
            place_size(board.area))) {
        mca_pml_champion_board_close();
        return false;
    }
    board.my_place = place;
    board.mine = card_at(place);
    /* Others map more than a page at a time then. */
    mca_pml_champion_segment_touch(board.mine, place_size(board.area));
    return true;
}

void *mca_pml_champion_board_area(void)
{
    return NULL == board.mine || 0 == board.area
               ? NULL
               : mca_pml_champion_board_area_of(board.mine);
}

size_t mca_pml_champion_board_area_size(void)
{
    return board.area;
}

uint32_t mca_pml_champion_board_slots(void)
{
    return board.slots;
}

void mca_pml_champion_board_post(uint32_t vpid, const void *address,
                                 size_t bytes)
{
    if (NULL == board.mine || bytes > sizeof(board.mine->address)) {
        return;
    }
    memcpy(board.mine->address, address, bytes);
    board.mine->length = (uint32_t) bytes;
    board.mine->pid = (int32_t) getpid();
    __atomic_store_n(&board.head->takers[board.my_place], vpid + 1,
                     __ATOMIC_RELEASE);
}

bool mca_pml_champion_board_posted(void)
{
    return NULL != board.mine && 0 != board.mine->length;
}

const mca_pml_champion_card_t *mca_pml_champion_board_find(uint32_t vpid)
{
    if (NULL == board.mine) {
        return NULL;
    }
    for (uint32_t i = 0; i < board.places; ++i) {
        if (vpid + 1 ==
            __atomic_load_n(&board.head->takers[i], __ATOMIC_ACQUIRE)) {
            const mca_pml_champion_card_t *card = card_at(i);

            return card->length <= sizeof(card->address) ? card : NULL;
        }
    }
    return NULL;
}

void *mca_pml_champion_board_area_of(const mca_pml_champion_card_t *card)
{
    return (char *) (uintptr_t) card + card_size();
}

void mca_pml_champion_board_close(void)
{
    if (NULL != board.mine) {
        __atomic_store_n(&board.head->takers[board.my_place], LEFT,
                         __ATOMIC_RELEASE);
    }
    if (NULL != board.made.memory) {
        mca_pml_champion_segment_destroy(&board.made);
    } else if (NULL != board.head) {
        mca_pml_champion_segment_detach(board.head, board.length);
    }
    forget();
}
