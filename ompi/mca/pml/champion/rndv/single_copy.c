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

/* Smallest messages that are fetched, bytes: where the call is cheap, where it
 * is dear, and where it is cheap and the message is not part of a stream. */
#define CHEAP_MIN 32768
#define DEAR_MIN 65536
#define CHEAP_MIN_ALONE 16384

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
    peer->single_copy.min = peer->single_copy.min_alone = SIZE_MAX;
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
    peer->single_copy.min_alone = CHEAP == price ? CHEAP_MIN_ALONE : DEAR_MIN;
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

unsigned mca_pml_champion_single_copy_wants_large(
    const mca_pml_champion_send_t *send, const mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (!send->contiguous || send->sync ||
        MCA_PML_CHAMPION_EAGER_AUTO != mca_pml_champion.params.eager_limit) {
        return 0;
    }
    /* Large nonblocking sends are as fast either way, but should not mix both:
     * messages that arrive out of order are copied once more. */
    if ((NULL == send->request || send->length < peer->single_copy.min) &&
        mca_pml_champion_peer_has_ring_for(peer, send->length)) {
        return MCA_PML_CHAMPION_SINGLE_COPY_BY_STREAM |
               (is_stream(peer) ? 0 : MCA_PML_CHAMPION_SINGLE_COPY_IT);
    }
    return send->length >= peer->single_copy.min
               ? MCA_PML_CHAMPION_SINGLE_COPY_IT
               : 0;
}
