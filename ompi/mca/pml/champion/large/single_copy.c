/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#define _GNU_SOURCE 1

#include "ompi/mca/pml/champion/large/single_copy.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ompi/mca/pml/champion/core/unit.h"

/* Buffers that others can read: each in the set that its first page has, the
 * latest one first. Buffers of a window are at equal distances: a hash spreads
 * them. */
enum { SETS_LOG2 = 8, SET = 4, PAGE = 4096 };
typedef struct {
    uintptr_t begin, end;
} buffer_t;
static buffer_t buffers[1 << SETS_LOG2][SET];

static void born(mca_pml_champion_peer_t *peer)
{
    peer->single_copy.min = SIZE_MAX;
}

/* For a peer of this node; for other peers the choice is UCX's. */
static void connected(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (peer->local && mca_pml_champion_ucx_has_single_copy(peer->ep)) {
        peer->single_copy.min = MCA_PML_CHAMPION_WAY_MIN;
    }
}

/* Has UCX such a transport here? The user may have left it out. */
static bool ucx_copies(void)
{
    static enum { UNKNOWN, YES, NO } copies;

    if (UNKNOWN == copies) {
        copies = mca_pml_champion_ucx_reads_memory(mca_pml_champion.context)
                     ? YES
                     : NO;
    }
    return YES == copies;
}

void mca_pml_champion_single_copy_can_be_read(mca_pml_champion_peer_t *peer)
{
    MCA_PML_CHAMPION_LOCKED();
    if (SIZE_MAX == peer->single_copy.min && ucx_copies()) {
        peer->single_copy.min = MCA_PML_CHAMPION_WAY_MIN;
    }
}

static int single_copy_open(void)
{
    static mca_pml_champion_peer_hooks_t hooks = {
        .born = born,
        .connected = connected,
    };

    mca_pml_champion_peer_hooks_add(&hooks);
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(single_copy) = {.name = "single copy",
                                      .open = single_copy_open};

_Static_assert(MCA_PML_CHAMPION_WAY_CLASSES ==
                   sizeof(((mca_pml_champion_peer_single_copy_t *) NULL)->sent),
               "a count for each class");

/* Is the way of a message, for which there is a ring, a matter of time? Where
 * cores are shared, what counts is not when it is there, but what it takes of
 * them: one copy, or two; two for streams, whose sender would have to wait for
 * each message's receiver to get a core. */
static bool is_measured(const mca_pml_champion_peer_t *peer)
{
    return NULL != peer->single_copy.advice && peer->ring.reads &&
           __atomic_load_n(&mca_pml_champion.core_free, __ATOMIC_RELAXED);
}

mca_pml_champion_way_t mca_pml_champion_single_copy_way_large(
    const mca_pml_champion_send_t *send, mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_peer_single_copy_t *here = &peer->single_copy;
    uint8_t *sent = &here->sent[mca_pml_champion_way_class(send->length)];
    mca_pml_champion_way_facts_t facts = {
        .length = send->length,
        .ring = mca_pml_champion_peer_has_ring_for(peer, send->length),
        .waits = NULL == send->request,
        .stream = peer->recv_sequence == here->recv_before,
        .measured = is_measured(peer),
        .sent = *sent,
    };

    MCA_PML_CHAMPION_LOCKED();
    if (!send->contiguous || send->sync ||
        MCA_PML_CHAMPION_EAGER_AUTO != mca_pml_champion.params.eager_limit) {
        return MCA_PML_CHAMPION_WAY_FRAGMENTS;
    }
    if (facts.ring) {
        here->recv_before = peer->recv_sequence;
        if (facts.measured) {
            facts.advice = __atomic_load_n(here->advice, __ATOMIC_RELAXED);
            *sent = mca_pml_champion_way_count(*sent);
        }
    }
    return mca_pml_champion_way_of(&facts);
}

/* The kernel refuses that this process reads itself where it refuses others. */
static bool ask_kernel(const char *first, const char *last)
{
    char bytes[2];
    const struct iovec local = {bytes, sizeof(bytes)};
    const struct iovec remote[] = {{(void *) (uintptr_t) first, 1},
                                   {(void *) (uintptr_t) last, 1}};
    const ssize_t got = process_vm_readv(getpid(), &local, 1, remote, 2, 0);

    return 1 == got || (got < 0 && EFAULT == errno);
}

static buffer_t *set_of(uintptr_t address)
{
    uint64_t hash = address / PAGE * UINT64_C(0x9e3779b97f4a7c15);

    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return buffers[hash >> (64 - SETS_LOG2)];
}

bool mca_pml_champion_single_copy_is_private(const void *data, size_t length)
{
    const uintptr_t begin = (uintptr_t) data, end = begin + length;
    buffer_t *set = set_of(begin);

    MCA_PML_CHAMPION_LOCKED();
    for (unsigned i = 0; i < SET; ++i) {
        if (begin >= set[i].begin && end <= set[i].end) {
            return false;
        }
    }
    if (!ucx_copies()) {
        return false;
    }
    if (OPAL_UNLIKELY(ask_kernel(data, (const char *) data + length - 1))) {
        return true;
    }
    memmove(set + 1, set, (SET - 1) * sizeof(*set));
    set[0] = (buffer_t){begin, end};
    return false;
}

void mca_pml_champion_single_copy_failed(void)
{
    MCA_PML_CHAMPION_LOCKED();
    memset(buffers, 0, sizeof(buffers));
}
