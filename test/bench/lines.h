/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What two processes of a node can hand to each other by memory alone, without
 * any MPI in between: the limit that messages within a node are held against.
 *
 * A message is a slot of whole cache lines: a number, which says that it is
 * there, and what it carries. The sender writes both, the receiver polls the
 * number. Up to 56 bytes that is one line. Taking turns, two slots go back and
 * forth; in a stream the slots are a ring, and the receiver says now and then
 * how far it is. Larger data are not put into slots: they stay where the sender
 * has them, in memory that the receiver sees, and are copied from there once.
 */
#ifndef CHAMPION_TEST_LINES_H
#define CHAMPION_TEST_LINES_H

#include "bench.h"

#include <sched.h>
#include <stdint.h>

enum {
    LINE_BYTES = 64,
    /* Processors may fetch lines in pairs: what two write must be farther. */
    LINE_APART = 256,
    LINES_RING = 1024,
    LINES_PATIENCE = 100000 /* polls before the core is offered to others */
};

struct line {
    _Atomic uint64_t number; /* of the message; 0: none yet */
    unsigned char bytes[LINE_BYTES - sizeof(uint64_t)]; /* and lines behind */
};

/* Of this process; both count alike. */
struct lines {
    size_t stride;         /* bytes of a slot */
    struct line *turns[2]; /* a slot that rank 0 writes, and one of rank 1 */
    struct line *ready;    /* messages that lie where the sender has them */
    struct line *taken;    /* how far the receiver is in the ring */
    unsigned char *ring;   /* LINES_RING slots */
    unsigned char *data;   /* of the sender, seen by the receiver */
    uint64_t handed[2];    /* messages that took turns, by who wrote */
    uint64_t streamed;     /* messages of the stream */
    uint64_t known;        /* of these are taken, as far as this rank knows */
};

static inline size_t lines_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/*
 * To be called by both ranks. Messages in slots have up to slot_bytes; the
 * sender's own memory has data_bytes.
 */
static inline void lines_open(struct lines *lines, size_t slot_bytes,
                              size_t data_bytes)
{
    size_t stride = lines_up(sizeof(uint64_t) + slot_bytes, LINE_BYTES);
    size_t apart = lines_up(stride, LINE_APART), ring = stride * LINES_RING;
    unsigned char *at =
        bench_shared_page(4096 + 4 * apart + lines_up(ring, 4096) + data_bytes);

    *lines = (struct lines){.stride = stride};
    at = (unsigned char *) lines_up((uintptr_t) at, LINE_APART);
    lines->turns[0] = (struct line *) at;
    lines->turns[1] = (struct line *) (at + apart);
    lines->ready = (struct line *) (at + 2 * apart);
    lines->taken = (struct line *) (at + 3 * apart);
    lines->ring = at + 4 * apart;
    lines->data = lines->ring + lines_up(ring, 4096);
}

/* Most messages here are of 8 bytes, for which a call costs more than a line. */
static inline void lines_copy(void *to, const void *from, size_t bytes)
{
    if (sizeof(uint64_t) == bytes) {
        memcpy(to, from, sizeof(uint64_t));
    } else {
        memcpy(to, from, bytes);
    }
}

static inline void lines_write(struct line *slot, uint64_t number,
                               const void *from, size_t bytes)
{
    lines_copy((unsigned char *) slot + sizeof(slot->number), from, bytes);
    atomic_store_explicit(&slot->number, number, memory_order_release);
}

/* Where there are fewer cores than ranks, the other one needs this one's. */
static inline void lines_await(struct line *slot, uint64_t number)
{
    for (long polls = 1;
         atomic_load_explicit(&slot->number, memory_order_acquire) < number;
         polls++) {
        if (0 == polls % LINES_PATIENCE) {
            sched_yield();
        }
    }
}

static inline void lines_read(struct line *slot, uint64_t number, void *to,
                              size_t bytes)
{
    lines_await(slot, number);
    lines_copy(to, (unsigned char *) slot + sizeof(slot->number), bytes);
}

/* In turns: what `rank` sends. */
static inline void lines_hand(struct lines *lines, int rank, const void *from,
                              size_t bytes)
{
    lines_write(lines->turns[rank], ++lines->handed[rank], from, bytes);
}

/* In turns: what the other one of `rank` sends. */
static inline void lines_receive(struct lines *lines, int rank, void *to,
                                 size_t bytes)
{
    lines_read(lines->turns[1 - rank], ++lines->handed[1 - rank], to, bytes);
}

static inline struct line *lines_slot(const struct lines *lines)
{
    return (struct line *) (lines->ring +
                            lines->streamed % LINES_RING * lines->stride);
}

/* By the one that sends the stream. */
static inline void lines_stream(struct lines *lines, const void *from,
                                size_t bytes)
{
    struct line *slot = lines_slot(lines);

    if (++lines->streamed > lines->known + LINES_RING) {
        lines_await(lines->taken, lines->streamed - LINES_RING);
        lines->known = atomic_load(&lines->taken->number);
    }
    lines_write(slot, lines->streamed, from, bytes);
}

/* By the one that receives it. */
static inline void lines_take(struct lines *lines, void *to, size_t bytes)
{
    struct line *slot = lines_slot(lines);

    lines_read(slot, ++lines->streamed, to, bytes);
    if (0 == lines->streamed % (LINES_RING / 4)) {
        atomic_store_explicit(&lines->taken->number, lines->streamed,
                              memory_order_release);
    }
}

#endif
