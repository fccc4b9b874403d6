/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/stats/gather_tree.h"

#include <string.h>

#define PIECE MCA_PML_CHAMPION_GATHER_PIECE

/* Before the data of a rank. */
typedef struct head_t {
    uint64_t rank;
    uint64_t length;
} head_t;

/* Behind them: this byte, if they are whole. */
enum { WHOLE = 1 };

/* One rank's part. */
typedef struct node_t {
    const mca_pml_champion_gather_link_t *link;
    const mca_pml_champion_gather_sink_t *sink;
    void *arg;
    mca_pml_champion_gather_room_t *room;
    int rank, size;
    /* Towards the parent. */
    size_t filled;
    bool asked, lost;
    /* The record that is being read, of a child. */
    head_t head;
    size_t of_head;      /* bytes read of it */
    uint64_t left;       /* to be read behind it, with the mark */
    uint64_t first, end; /* ranks that may come from it: at least, below */
    int next;            /* at rank 0: the rank that comes next */
} node_t;

static int parent_of(int rank)
{
    return rank & (rank - 1);
}

/* ---- towards the parent --------------------------------------------------- */

/* Send what is in the piece, once the parent has asked. */
static void flush(node_t *node)
{
    const int parent = parent_of(node->rank);
    size_t nothing;

    if (!node->asked) {
        node->asked = true;
        node->lost = !node->link->get(NULL, 0, &nothing, parent);
    }
    if (!node->lost) {
        node->lost = !node->link->put(node->room->out, node->filled, parent);
    }
    node->filled = 0;
}

static void pass_on(node_t *node, const void *data, size_t length)
{
    const unsigned char *from = data;

    while (0 != length) {
        const size_t room = PIECE - node->filled;
        const size_t some = length < room ? length : room;

        memcpy(node->room->out + node->filled, from, some);
        node->filled += some;
        from += some;
        length -= some;
        if (PIECE == node->filled) {
            flush(node);
        }
    }
}

static void pass_on_own(node_t *node, const void *data, size_t length)
{
    const head_t head = {
        .rank = (uint64_t) node->rank,
        .length = NULL == data ? 0 : length,
    };
    const unsigned char mark = NULL == data ? 0 : WHOLE;

    pass_on(node, &head, sizeof(head));
    pass_on(node, data, head.length);
    pass_on(node, &mark, 1);
}

/* ---- at rank 0 ------------------------------------------------------------ */

/* Those below a rank that have not come are missing. */
static void miss(node_t *node, uint64_t until)
{
    for (; node->next < node->size && (uint64_t) node->next < until;
         ++node->next) {
        node->sink->end(node->next, false, node->arg);
    }
}

/* ---- from a child --------------------------------------------------------- */

/* A record's data, at least one byte, or at its end the mark. */
static void take(node_t *node, const unsigned char *data, size_t length)
{
    const bool ends = length == node->left;

    if (0 != node->rank) {
        pass_on(node, data, length);
    } else {
        if (length - (ends ? 1 : 0) > 0) {
            node->sink->chunk(data, length - (ends ? 1 : 0), node->arg);
        }
        if (ends) {
            node->sink->end(node->next++, WHOLE == data[length - 1], node->arg);
        }
    }
    node->left -= length;
    if (ends) {
        node->of_head = 0;
    }
}

/* Can it be of this child, which sends the ranks in their order? */
static bool is_sound(const node_t *node)
{
    return node->head.rank >= node->first && node->head.rank < node->end &&
           node->head.length <= MCA_PML_CHAMPION_GATHER_MOST;
}

/* A head is complete. */
static void begin(node_t *node)
{
    node->first = node->head.rank + 1;
    node->left = node->head.length + 1;
    if (0 != node->rank) {
        pass_on(node, &node->head, sizeof(node->head));
    } else {
        miss(node, node->head.rank);
    }
}

/* False: it is no such stream; nothing of it can be believed any more. */
static bool read_piece(node_t *node, const unsigned char *data, size_t length)
{
    while (0 != length) {
        size_t some;

        if (node->of_head < sizeof(node->head)) {
            some = sizeof(node->head) - node->of_head;
            some = some < length ? some : length;
            memcpy((char *) &node->head + node->of_head, data, some);
            node->of_head += some;
            if (sizeof(node->head) == node->of_head) {
                if (!is_sound(node)) {
                    node->of_head = 0;
                    return false;
                }
                begin(node);
            }
        } else {
            some = node->left < length ? (size_t) node->left : length;
            take(node, data, some);
        }
        data += some;
        length -= some;
    }
    return true;
}

/* The record whose rest does not come is filled up. A head of which only a part
 * has come was not passed on. */
static void fill_up(node_t *node)
{
    static const unsigned char zeros[4096];

    while (sizeof(node->head) == node->of_head) {
        take(node, zeros,
             node->left < sizeof(zeros) ? (size_t) node->left : sizeof(zeros));
    }
    node->of_head = 0;
}

/* Pieces that cannot be believed are taken, because the child waits for that,
 * and thrown away. */
static void take_child(node_t *node, int child)
{
    unsigned char *in = node->room->in;
    size_t length = PIECE;
    bool good = node->link->put(NULL, 0, child), sound = true;

    node->first = (uint64_t) child;
    node->end = (uint64_t) child + (uint64_t) (child & -child);
    if (node->end > (uint64_t) node->size) {
        node->end = (uint64_t) node->size;
    }
    while (good && PIECE == length) {
        good = node->link->get(in, PIECE, &length, child);
        sound = good && sound && read_piece(node, in, length);
    }
    fill_up(node);
}

void mca_pml_champion_gather_tree(const mca_pml_champion_gather_link_t *link,
                                  int rank, int size, const void *data,
                                  size_t length,
                                  const mca_pml_champion_gather_sink_t *sink,
                                  void *arg,
                                  mca_pml_champion_gather_room_t *room)
{
    node_t node = {
        .link = link,
        .sink = sink,
        .arg = arg,
        .room = room,
        .rank = rank,
        .size = size,
        .next = 1,
    };

    if (0 != rank) {
        pass_on_own(&node, data, length);
    }
    for (int64_t away = 1; rank + away < size && 0 == (rank & away);
         away *= 2) {
        take_child(&node, (int) (rank + away));
    }
    if (0 == rank) {
        miss(&node, (uint64_t) size);
    } else {
        flush(&node); /* not full: the last one */
    }
}
