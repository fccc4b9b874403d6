/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#define _GNU_SOURCE 1

#include "ompi/mca/pml/champion/rndv/single_copy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Smallest messages that are fetched if there is no ring for them, and
 * nonblocking ones that do not need their sender again, bytes: where the call is
 * cheap, and where it is dear. */
#define CHEAP_MIN 32768
#define DEAR_MIN 65536

/* The measurement: size of the copy in bytes, and number of trials, of which
 * the best counts. */
#define BYTES 32768
#define TRIALS 5

/* The call is cheap if it takes less time than this number of copies. */
#define COPIES 4

static uint64_t nanoseconds(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static uint64_t since(uint64_t start, uint64_t best)
{
    uint64_t took = nanoseconds() - start;

    return took < best ? took : best;
}

/* Is reading memory by a system call nearly as fast as a copy? Measured on this
 * process's own memory. */
static bool measure(char *from, char *to)
{
    const struct iovec local = {to, BYTES}, remote = {from, BYTES};
    uint64_t copy = UINT64_MAX, call = UINT64_MAX;

    memset(from, 1, BYTES);
    memset(to, 2, BYTES);
    for (int i = 0; i < TRIALS; ++i) {
        uint64_t start = nanoseconds();

        memcpy(to, from, BYTES);
        __asm__ volatile("" ::"r"(to) : "memory");
        copy = since(start, copy);
        start = nanoseconds();
        if (BYTES != process_vm_readv(getpid(), &local, 1, &remote, 1, 0)) {
            return false;
        }
        call = since(start, call);
    }
    return call < COPIES * copy;
}

static bool is_cheap(void)
{
    char *from = malloc(BYTES), *to = malloc(BYTES);
    bool cheap = NULL != from && NULL != to && measure(from, to);

    free(from);
    free(to);
    return cheap;
}

static void born(mca_pml_champion_peer_t *peer)
{
    peer->single_copy.min = peer->single_copy.min_by_ring = SIZE_MAX;
}

/* Set the limits for a peer of this node; for other peers the choice is
 * UCX's. */
static void connected(mca_pml_champion_peer_t *peer)
{
    static enum { UNKNOWN, CHEAP, DEAR } price;

    MCA_PML_CHAMPION_LOCKED();
    if (!peer->local || !mca_pml_champion_ucx_has_single_copy(peer->ep)) {
        return;
    }
    if (UNKNOWN == price) {
        price = is_cheap() ? CHEAP : DEAR;
    }
    peer->single_copy.min = CHEAP == price ? CHEAP_MIN : DEAR_MIN;
    peer->single_copy.min_by_ring = MCA_PML_CHAMPION_COPY_WAY_MIN;
}

void mca_pml_champion_single_copy_open(void)
{
    static mca_pml_champion_peer_hooks_t hooks = {
        .born = born,
        .connected = connected,
    };

    mca_pml_champion_peer_hooks_add(&hooks);
}

/* Has nothing arrived from the peer since the last large blocking send to
 * it? */
static bool is_stream(const mca_pml_champion_peer_t *peer)
{
    return peer->recv_sequence == peer->single_copy.recv_before;
}

_Static_assert(MCA_PML_CHAMPION_COPY_WAY_CLASSES ==
                   sizeof(((mca_pml_champion_peer_single_copy_t *) NULL)->sent),
               "a count for each class");

/* The way of a message for which there is a ring. Where cores are shared, what
 * counts is not when it is there, but what it takes of them: one copy, or two;
 * two for streams, whose sender would have to wait for each message's receiver to
 * get a core. */
static mca_pml_champion_copy_way_t choose(const mca_pml_champion_peer_t *peer,
                                          size_t length, unsigned class,
                                          bool stream)
{
    const mca_pml_champion_peer_single_copy_t *here = &peer->single_copy;

    if (NULL == here->advice || !peer->ring.reads ||
        !__atomic_load_n(&mca_pml_champion.core_free, __ATOMIC_RELAXED)) {
        return mca_pml_champion_copy_way_by_limit(length, here->min, stream);
    }
    return mca_pml_champion_copy_way_choose(
        class, here->sent[class],
        __atomic_load_n(here->advice, __ATOMIC_RELAXED), stream);
}

unsigned mca_pml_champion_single_copy_wants_large(
    const mca_pml_champion_send_t *send, const mca_pml_champion_peer_t *peer)
{
    unsigned class, answer;
    bool waits;

    MCA_PML_CHAMPION_LOCKED();
    if (!send->contiguous || send->sync ||
        MCA_PML_CHAMPION_EAGER_AUTO != mca_pml_champion.params.eager_limit) {
        return 0;
    }
    if (!mca_pml_champion_peer_has_ring_for(peer, send->length)) {
        return send->length >= peer->single_copy.min
                   ? MCA_PML_CHAMPION_SINGLE_COPY_IT
                   : 0;
    }
    waits = NULL == send->request || send->length < peer->single_copy.min;
    class = mca_pml_champion_copy_way_class(send->length);
    answer = MCA_PML_CHAMPION_SINGLE_COPY_BY_STREAM |
             MCA_PML_CHAMPION_SINGLE_COPY_CHOICE << class;
    if (MCA_PML_CHAMPION_COPY_WAY_FETCHED ==
        choose(peer, send->length, class, waits && is_stream(peer))) {
        return answer | MCA_PML_CHAMPION_SINGLE_COPY_IT;
    }
    /* A large nonblocking send must not need its sender again. */
    return waits ? answer
                 : answer | MCA_PML_CHAMPION_SINGLE_COPY_IT |
                       MCA_PML_CHAMPION_SINGLE_COPY_UNLESS_ROOM;
}

void mca_pml_champion_single_copy_learn_more(mca_pml_champion_peer_t *peer,
                                             unsigned answer)
{
    mca_pml_champion_peer_single_copy_t *here = &peer->single_copy;

    MCA_PML_CHAMPION_LOCKED();
    here->recv_before = peer->recv_sequence;
    for (unsigned class = 0; class < MCA_PML_CHAMPION_COPY_WAY_CLASSES;
         ++class) {
        if (0 != (answer & MCA_PML_CHAMPION_SINGLE_COPY_CHOICE << class)) {
            here->sent[class] =
                mca_pml_champion_copy_way_count(here->sent[class]);
        }
    }
}
