/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which way a message within a node goes, copied twice or once. Arithmetic only,
 * for tests.
 *
 *     FRAGMENTS  the sender copies it to shared memory, and the receiver from
 *                there, piece by piece at the same time
 *     FETCHED    it is copied once, by a system call (CMA); from WAY_LARGE on
 *                by both sides (shm/copy.c)
 *
 * Which one it is depends on the size of the message, on what a system call
 * takes, and above all on how fast the two cores exchange cache lines: on one
 * virtual machine 16 KiB took 1.3 and 3.5 us these ways, and in other hours,
 * with the same cores, fragments were the slower ones. No threshold can tell.
 *
 * So the receiver measures, from when it finds the message to when it has all
 * of it. It keeps the lowest time of each way, which rises slowly until it is
 * seen again, and tells the sender what is better: its advice, two bits for
 * each class of sizes. The sender tries both ways at first, then it does what it
 * is told, and tries the other way now and then. Only messages that find their
 * receive are measured. Without an advice the sender chooses fragments: for
 * those it does not wait until its receiver looks.
 *
 * In a stream, copying fragments in and out overlaps from message to message,
 * while a blocking send that is fetched waits for its receiver. The receiver does
 * not see that; so streams are fetched only if that takes less than two thirds.
 */

#ifndef MCA_PML_CHAMPION_LARGE_WAY_H
#define MCA_PML_CHAMPION_LARGE_WAY_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompi/mca/pml/champion/core/estimate.h"

#pragma GCC visibility push(hidden)

/** The ways. */
typedef enum {
    MCA_PML_CHAMPION_WAY_FRAGMENTS = 1, /**< without a ring: as UCX does it */
    MCA_PML_CHAMPION_WAY_FETCHED,
    /** Fragments if there is room for all of them now, otherwise fetched. Only
     * its sender's choice. */
    MCA_PML_CHAMPION_WAY_IF_ROOM
} mca_pml_champion_way_t;

/** What an advice says of a class of sizes. */
typedef enum {
    MCA_PML_CHAMPION_WAY_ADVICE_NONE,
    MCA_PML_CHAMPION_WAY_ADVICE_FRAGMENTS,
    MCA_PML_CHAMPION_WAY_ADVICE_EXCHANGES, /**< fetched, but not streams */
    MCA_PML_CHAMPION_WAY_ADVICE_FETCHED
} mca_pml_champion_way_advice_t;

enum {
    /** The first class begins here, each next one at twice the size, bytes. */
    MCA_PML_CHAMPION_WAY_MIN_LOG2 = 14,
    MCA_PML_CHAMPION_WAY_MIN = 1 << MCA_PML_CHAMPION_WAY_MIN_LOG2,
    MCA_PML_CHAMPION_WAY_CLASSES = 4,
    /** Messages of so many bytes are fetched where nothing is measured, and may
     * be copied by both sides. Longer ones that are fetched stay at their sender
     * until their receive comes; others are read to memory of the receiver. */
    MCA_PML_CHAMPION_WAY_LARGE = 65536,
    /** Messages of a class by which the sender tries each way at first. */
    MCA_PML_CHAMPION_WAY_TRIALS = 3,
    /** Then one in so many tries the way that is not advised. It need not be
     * often: that the usual way has become slow is seen without. */
    MCA_PML_CHAMPION_WAY_RETRY =
        UINT8_MAX + 1 - 2 * MCA_PML_CHAMPION_WAY_TRIALS,
    /** The receiver measures the first TRIALS of each way, then one in so many,
     * and those whose way changes. */
    MCA_PML_CHAMPION_WAY_SAMPLE = 8
};

/** The class of a message, by its length in bytes. */
static inline unsigned mca_pml_champion_way_class(size_t length)
{
    return mca_pml_champion_size_class(length, MCA_PML_CHAMPION_WAY_MIN_LOG2,
                                       MCA_PML_CHAMPION_WAY_CLASSES);
}

/* ---- the receiver ---- */

/** What it knows of one sender's messages. All bytes zero: nothing. */
typedef struct mca_pml_champion_way_times_t {
    struct {
        uint32_t ns[2];   /**< FRAGMENTS, FETCHED; 0: never measured */
        uint8_t first[2]; /**< how many of the first ones were measured */
        uint8_t last;     /**< the way of the last message */
        uint8_t left;     /**< messages until one is measured */
    } of[MCA_PML_CHAMPION_WAY_CLASSES];
    uint32_t advice; /**< two bits a class */
} mca_pml_champion_way_times_t;

/** A message of that length, WAY_MIN or more, comes this way: is it to be
 * measured? */
static inline bool mca_pml_champion_way_measures(
    mca_pml_champion_way_times_t *times, size_t length,
    mca_pml_champion_way_t way)
{
    const unsigned class = mca_pml_champion_way_class(length);
    uint8_t *first =
        &times->of[class].first[way - MCA_PML_CHAMPION_WAY_FRAGMENTS];

    if (*first < MCA_PML_CHAMPION_WAY_TRIALS) {
        ++*first;
    } else if (times->of[class].last == way && 0 != times->of[class].left) {
        --times->of[class].left;
        return false;
    }
    times->of[class].last = (uint8_t) way;
    times->of[class].left = MCA_PML_CHAMPION_WAY_SAMPLE - 1;
    return true;
}

/* The advice after these times, in ns. To fetch more than now has to be better by
 * an eighth. */
static inline mca_pml_champion_way_advice_t mca_pml_champion_way_weigh(
    uint64_t fragments, uint64_t fetched, mca_pml_champion_way_advice_t now)
{
    const uint64_t more = fetched + fetched / 8;

    if (2 * fragments >=
        3 * (MCA_PML_CHAMPION_WAY_ADVICE_FETCHED == now ? fetched : more)) {
        return MCA_PML_CHAMPION_WAY_ADVICE_FETCHED;
    }
    return fragments >= (now >= MCA_PML_CHAMPION_WAY_ADVICE_EXCHANGES ? fetched
                                                                      : more)
               ? MCA_PML_CHAMPION_WAY_ADVICE_EXCHANGES
               : MCA_PML_CHAMPION_WAY_ADVICE_FRAGMENTS;
}

/** What an advice says of a class. */
static inline mca_pml_champion_way_advice_t mca_pml_champion_way_advice(
    uint32_t advice, unsigned class)
{
    return (mca_pml_champion_way_advice_t) (advice >> 2 * class & 3);
}

/** A message took so many nanoseconds this way. The advice may change. */
static inline void mca_pml_champion_way_record_time(
    mca_pml_champion_way_times_t *times, size_t length,
    mca_pml_champion_way_t way, uint64_t ns)
{
    const unsigned class = mca_pml_champion_way_class(length);
    uint32_t *known = times->of[class].ns;
    uint32_t *at = &known[way - MCA_PML_CHAMPION_WAY_FRAGMENTS];
    const uint64_t risen = (uint64_t) *at + *at / 16 + 1;
    mca_pml_champion_way_advice_t advice;

    ns = 0 != *at && risen < ns ? risen : ns;
    *at = ns < 1 ? 1 : ns < UINT32_MAX ? (uint32_t) ns : UINT32_MAX;
    if (0 == known[0] || 0 == known[1]) {
        return;
    }
    advice = mca_pml_champion_way_weigh(
        known[0], known[1], mca_pml_champion_way_advice(times->advice, class));
    times->advice &= ~(UINT32_C(3) << 2 * class);
    times->advice |= (uint32_t) advice << 2 * class;
}

/* ---- the sender ---- */

/** What the sender knows of a message of WAY_MIN bytes or more. */
typedef struct mca_pml_champion_way_facts_t {
    size_t length; /**< bytes */
    bool ring;     /**< there is a ring for that length */
    bool waits;    /**< its call waits until it is sent */
    bool stream;   /**< nothing has come from the receiver since the last one */
    bool measured; /**< the receiver measures; the rest has a meaning */
    uint8_t sent;  /**< messages of its class before (way_count) */
    uint32_t advice; /**< the receiver's */
} mca_pml_champion_way_facts_t;

/** The way of a message. A large nonblocking send must not need its sender
 * again. */
static inline mca_pml_champion_way_t mca_pml_champion_way_of(
    const mca_pml_champion_way_facts_t *facts)
{
    const bool waits =
        facts->waits || facts->length < MCA_PML_CHAMPION_WAY_LARGE;
    const bool stream = facts->ring && waits && facts->stream;
    bool fetch;

    if (!facts->ring || !facts->measured) {
        fetch = facts->length >= MCA_PML_CHAMPION_WAY_LARGE + (size_t) stream;
    } else if (facts->sent < 2 * MCA_PML_CHAMPION_WAY_TRIALS) {
        fetch = facts->sent >= MCA_PML_CHAMPION_WAY_TRIALS;
    } else {
        fetch = mca_pml_champion_way_advice(
                    facts->advice, mca_pml_champion_way_class(facts->length)) >=
                (stream ? MCA_PML_CHAMPION_WAY_ADVICE_FETCHED
                        : MCA_PML_CHAMPION_WAY_ADVICE_EXCHANGES);
        fetch = fetch != (UINT8_MAX == facts->sent);
    }
    if (fetch) {
        return MCA_PML_CHAMPION_WAY_FETCHED;
    }
    return waits || !facts->ring ? MCA_PML_CHAMPION_WAY_FRAGMENTS
                                 : MCA_PML_CHAMPION_WAY_IF_ROOM;
}

/** One more was sent. After the first trials the count goes round. */
static inline uint8_t mca_pml_champion_way_count(uint8_t sent)
{
    return UINT8_MAX == sent ? 2 * MCA_PML_CHAMPION_WAY_TRIALS
                             : (uint8_t) (sent + 1);
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_LARGE_WAY_H */
