/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/board.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ompi/mca/pml/champion/core/segment.h"

/* In place of a vpid: the process was there, and has left. Its area is not clean
 * any more. */
#define LEFT UINT32_MAX

/* The kernel maps up to so many bytes around one that is read. */
enum { AROUND = 65536 };

/* The beginning of the board. */
typedef struct head_t {
    mca_pml_champion_segment_head_t segment;
    mca_pml_champion_board_shape_t shape;
    /* Processes that have posted a card, and those that were connected to
     * without one. Atomic. */
    uint32_t posted, strangers;
    uint32_t claims;  /* bits; atomic */
    uint32_t version; /* MCA_PML_CHAMPION_WIRE_VERSION; of others nothing else
                         may be read */
    unsigned char unused[128 - sizeof(mca_pml_champion_segment_head_t) -
                         sizeof(mca_pml_champion_board_shape_t) - 16];
    mca_pml_champion_entry_t entry[]; /* of each place */
} head_t;

static struct {
    mca_pml_champion_segment_t made; /* by this process */
    mca_pml_champion_segment_name_t name;
    head_t *head;  /* NULL: there is none */
    size_t length; /* bytes */
    mca_pml_champion_board_shape_t
        shape;                      /* the head's may be changed by others */
    mca_pml_champion_entry_t *mine; /* NULL: this process has no place */
    bool posted;                    /* its entry is complete */
} board;

static uint32_t claimed; /* by this process; bits */

_Static_assert(0 == sizeof(head_t) % 128 &&
                   0 == sizeof(mca_pml_champion_entry_t) % 128,
               "entries begin at cache lines");

static size_t page(void)
{
    return (size_t) sysconf(_SC_PAGESIZE);
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + page() - 1) / page() * page();
}

static size_t around(size_t bytes)
{
    return (bytes + AROUND - 1) / AROUND * AROUND;
}

static size_t head_size(uint32_t count)
{
    return whole_pages(sizeof(head_t) +
                       count * sizeof(mca_pml_champion_entry_t));
}

static size_t card_size(void)
{
    return whole_pages(sizeof(mca_pml_champion_card_t));
}

/* Where the areas begin. */
static size_t areas_at(uint32_t count)
{
    return around(head_size(count) + count * card_size());
}

static size_t board_size(const mca_pml_champion_board_shape_t *shape)
{
    return areas_at(shape->places) + shape->places * around(shape->area);
}

static uint32_t place_of(const mca_pml_champion_entry_t *entry)
{
    return (uint32_t) (entry - board.head->entry);
}

static size_t card_at(uint32_t place)
{
    return head_size(board.shape.places) + place * card_size();
}

static size_t area_at(uint32_t place)
{
    return areas_at(board.shape.places) + place * around(board.shape.area);
}

static void forget(void)
{
    board.head = NULL;
    board.mine = NULL;
    board.posted = false;
    claimed = 0;
    board.length = 0;
    board.shape = (mca_pml_champion_board_shape_t){0};
}

bool mca_pml_champion_board_make(const mca_pml_champion_board_shape_t *shape)
{
    board.length = board_size(shape);
    if (!mca_pml_champion_segment_create(&board.made, board.length,
                                         head_size(shape->places))) {
        forget();
        return false;
    }
    board.head = board.made.memory;
    board.head->shape = board.shape = *shape;
    board.head->version = MCA_PML_CHAMPION_WIRE_VERSION;
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
    const mca_pml_champion_board_shape_t *shape = &board.shape;

    return 0 != shape->places && shape->places <= board.length / card_size() &&
           shape->area <= board.length / shape->places &&
           shape->reserved <= shape->area && board_size(shape) == board.length;
}

static bool take(head_t *head, size_t length)
{
    if (NULL == head) {
        return false;
    }
    board.length = length;
    board.head = head;
    board.shape = head->shape;
    if (MCA_PML_CHAMPION_WIRE_VERSION != head->version || !is_sound()) {
        mca_pml_champion_board_close();
        return false;
    }
    return true;
}

static bool map_board(const mca_pml_champion_board_name_t *name)
{
    return name->length >= head_size(1) &&
           take(mca_pml_champion_segment_attach(&name->name, name->length),
                name->length);
}

bool mca_pml_champion_board_view(const mca_pml_champion_board_name_t *name)
{
    return name->length >= head_size(1) &&
           take((head_t *) (uintptr_t) mca_pml_champion_segment_view(
                    &name->name, name->length),
                name->length);
}

bool mca_pml_champion_board_join(const mca_pml_champion_board_name_t *name,
                                 uint32_t place)
{
    if (NULL == board.head && !map_board(name)) {
        return false;
    }
    board.name = name->name;
    if (place >= board.shape.places ||
        0 != __atomic_load_n(&board.head->entry[place].taker,
                             __ATOMIC_RELAXED) ||
        !mca_pml_champion_segment_fill(&name->name, card_at(place),
                                       card_size()) ||
        (0 != board.shape.reserved &&
         !mca_pml_champion_segment_fill(&name->name, area_at(place),
                                        board.shape.reserved))) {
        mca_pml_champion_board_close();
        return false;
    }
    board.mine = &board.head->entry[place];
    /* Others map more than a page at a time then. */
    mca_pml_champion_segment_touch((char *) board.head + area_at(place),
                                   board.shape.reserved);
    return true;
}

const mca_pml_champion_board_shape_t *mca_pml_champion_board_shape(void)
{
    return &board.shape;
}

uint32_t mca_pml_champion_board_place(void)
{
    return place_of(board.mine);
}

void *mca_pml_champion_board_area(void)
{
    return NULL == board.mine || 0 == board.shape.area
               ? NULL
               : mca_pml_champion_board_area_of(board.mine);
}

bool mca_pml_champion_board_reserve(size_t offset, size_t length)
{
    const char *at = (const char *) mca_pml_champion_board_area() + offset;

    return mca_pml_champion_segment_fill(
        &board.name, (size_t) (at - (const char *) board.head), length);
}

/* Pages of those that begin at `from` that have been used: that they are reserved
 * the kernel does not tell. */
static size_t count_pages(const char *from, size_t bytes)
{
    enum { AT_ONCE = 512 };
    const size_t size = page();
    unsigned char there[AT_ONCE];
    size_t pages = 0;

    for (size_t at = 0; at < bytes; at += AT_ONCE * size) {
        const size_t length =
            bytes - at < AT_ONCE * size ? bytes - at : AT_ONCE * size;

        if (0 != mincore((void *) (uintptr_t) (from + at), length, there)) {
            return pages;
        }
        for (size_t i = 0; i * size < length; ++i) {
            pages += there[i] & 1u;
        }
    }
    return pages;
}

size_t mca_pml_champion_board_used(void)
{
    const size_t reserved = whole_pages(board.shape.reserved);
    const char *area = mca_pml_champion_board_area();

    if (NULL == area) {
        return 0;
    }
    return whole_pages(sizeof(mca_pml_champion_card_t)) + reserved +
           page() * count_pages(area + reserved,
                                whole_pages(board.shape.area) - reserved);
}

void mca_pml_champion_board_post(uint32_t vpid, uint32_t flags,
                                 const void *address, size_t bytes)
{
    mca_pml_champion_entry_t *mine = board.mine;
    mca_pml_champion_card_t *card;

    if (NULL == mine || bytes > sizeof(card->address)) {
        return;
    }
    card = (void *) ((char *) board.head + card_at(place_of(mine)));
    memcpy(card->address, address, bytes);
    card->length = (uint32_t) bytes;
    mine->pid = (int32_t) getpid();
    mine->flags = flags;
    mine->mark_at = (uintptr_t) board.head->segment.mark;
    (void) __atomic_fetch_add(&board.head->posted, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&mine->taker, vpid + 1, __ATOMIC_RELEASE);
    board.posted = true;
}

mca_pml_champion_entry_t *mca_pml_champion_board_mine(void)
{
    return board.mine;
}

bool mca_pml_champion_board_posted(void)
{
    return board.posted;
}

bool mca_pml_champion_board_whole(uint32_t processes)
{
    return NULL != board.mine &&
           processes ==
               __atomic_load_n(&board.head->posted, __ATOMIC_RELAXED) &&
           0 == __atomic_load_n(&board.head->strangers, __ATOMIC_RELAXED);
}

void mca_pml_champion_board_stranger(void)
{
    if (NULL != board.head) {
        (void) __atomic_fetch_add(&board.head->strangers, 1, __ATOMIC_RELAXED);
    }
}

mca_pml_champion_entry_t *mca_pml_champion_board_at(uint32_t place,
                                                    uint32_t *vpid)
{
    mca_pml_champion_entry_t *entry;
    uint32_t taker;

    if (NULL == board.head || place >= board.shape.places) {
        return NULL;
    }
    entry = &board.head->entry[place];
    taker = __atomic_load_n(&entry->taker, __ATOMIC_ACQUIRE);
    if (0 == taker || LEFT == taker) {
        return NULL;
    }
    *vpid = taker - 1;
    return entry;
}

mca_pml_champion_entry_t *mca_pml_champion_board_find(uint32_t vpid)
{
    for (uint32_t i = 0; i < board.shape.places; ++i) {
        uint32_t taker;
        mca_pml_champion_entry_t *entry = mca_pml_champion_board_at(i, &taker);

        if (NULL != entry && vpid == taker) {
            return entry;
        }
    }
    return NULL;
}

const mca_pml_champion_card_t *mca_pml_champion_board_card(
    const mca_pml_champion_entry_t *entry)
{
    const mca_pml_champion_card_t *card =
        (const void *) ((const char *) board.head + card_at(place_of(entry)));

    return card->length <= sizeof(card->address) ? card : NULL;
}

void *mca_pml_champion_board_area_of(const mca_pml_champion_entry_t *entry)
{
    return (char *) board.head + area_at(place_of(entry));
}

/* The card at a place, to be written. */
static mca_pml_champion_card_t *card_of(uint32_t place)
{
    return (void *) ((char *) board.head + card_at(place));
}

void mca_pml_champion_board_say(const void *words, size_t length)
{
    mca_pml_champion_card_t *card;

    if (!board.posted) {
        return;
    }
    card = card_of(place_of(board.mine));
    __atomic_store_n(&card->said, card->said + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    memcpy(card->words, words, length);
    __atomic_store_n(&card->said, card->said + 1, __ATOMIC_RELEASE);
}

bool mca_pml_champion_board_hear(uint32_t place, void *words, size_t length)
{
    const mca_pml_champion_card_t *card;
    uint32_t said, vpid;

    if (NULL == mca_pml_champion_board_at(place, &vpid)) {
        return false;
    }
    card = card_of(place);
    said = __atomic_load_n(&card->said, __ATOMIC_ACQUIRE);
    memcpy(words, card->words, length);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return 0 != said && 0 == said % 2 &&
           said == __atomic_load_n(&card->said, __ATOMIC_RELAXED);
}

bool mca_pml_champion_board_claim(mca_pml_champion_claim_t claim)
{
    const uint32_t bit = UINT32_C(1) << claim;

    return 0 == (bit & __atomic_fetch_or(&claimed, bit, __ATOMIC_RELAXED)) &&
           (NULL == board.mine ||
            0 == (bit & __atomic_fetch_or(&board.head->claims, bit,
                                          __ATOMIC_RELAXED)));
}

bool mca_pml_champion_board_is_claimed(mca_pml_champion_claim_t claim)
{
    const uint32_t *claims =
        NULL == board.mine ? &claimed : &board.head->claims;

    return 0 !=
           (__atomic_load_n(claims, __ATOMIC_RELAXED) & UINT32_C(1) << claim);
}

const uint64_t *mca_pml_champion_board_mark(void)
{
    return board.head->segment.mark;
}

void mca_pml_champion_board_close(void)
{
    if (NULL != board.mine) {
        __atomic_store_n(&board.mine->taker, LEFT, __ATOMIC_RELEASE);
    }
    if (NULL != board.made.memory) {
        mca_pml_champion_segment_destroy(&board.made);
    } else if (NULL != board.head) {
        mca_pml_champion_segment_detach(board.head, board.length);
    }
    forget();
}
