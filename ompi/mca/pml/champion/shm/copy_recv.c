/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/shm/copy_recv.h"

#include <errno.h>
#include <string.h>

#include "ompi/mca/pml/champion/shm/job.h"
#include "ompi/mca/pml/champion/core/clock.h"
#include "ompi/mca/pml/champion/core/datatype.h"
#include "ompi/mca/pml/champion/core/estimate.h"
#include "ompi/mca/pml/champion/core/wake.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/complain.h"
#include "ompi/mca/pml/champion/offload/transfer.h"
#include "ompi/mca/pml/champion/large/rendezvous.h"
#include "ompi/mca/pml/champion/shm/ring_in.h"
#include "ompi/mca/pml/champion/shm/ring_send.h"

/* Looks at a job whose sender copies the last part, between two looks whether
 * that process is still there. */
enum { LOOKS = 4096 };

/* A message that is being copied. From mca_pml_champion.pool. */
typedef struct copy_t {
    struct copy_t *next;
    mca_pml_champion_peer_t *peer; /* its sender */
    uint32_t sequence;
    uint64_t address; /* of its data there */
    size_t length, part_size;
    uint32_t parts;
    uint32_t first;                   /* without a job: the next part */
    uint32_t share;                   /* parts that were claimed last */
    mca_pml_champion_ring_job_t *job; /* NULL: the sender does not help */
    /* Where it goes: one is NULL. */
    char *to;
    mca_pml_champion_layout_t *layout;
    /* That it is for: one is NULL. */
    mca_pml_champion_transfer_t *transfer;
    mca_pml_champion_recv_t *recv;
    ucs_status_t status;
    bool last;     /* this process has copied the last part, or all */
    uint32_t lost; /* parts that this process has claimed and cannot read */
    uint32_t looks;
    uint64_t since; /* ns, when it came; 0: it is not measured */
} copy_t;

static struct {
    copy_t *first, **tail; /* oldest first */
    uint64_t looked;       /* ns, when parts were last looked for */
} copies = {.tail = &copies.first};

/* Data that are unpacked. */
static unsigned char stage[MCA_PML_CHAMPION_PART_MIN];

/* ---- jobs --------------------------------------------------------------- */

static bool is_used(const mca_pml_champion_ring_job_t *job)
{
    const copy_t *copy = copies.first;

    while (NULL != copy && job != copy->job) {
        copy = copy->next;
    }
    return NULL != copy;
}

/* Does this process send messages that another one may copy now? */
static bool messages_cross(void)
{
    const mca_pml_champion_peer_t *peer = mca_pml_champion_rings.with_rgets;

    while (NULL != peer && NULL == peer->ring.rgets) {
        peer = peer->ring.next_with_rgets;
    }
    return NULL != peer;
}

/* Let the sender help. False if the message is lost, there is little left to do,
 * it helps with another message, it may lose its core while this process waits
 * for it, or messages cross: then each has its own to copy, unless the user wants
 * it to help. */
static bool job_open(copy_t *copy)
{
    mca_pml_champion_ring_job_t *job;

    if (NULL == mca_pml_champion_rings.copy || UCS_OK != copy->status ||
        NULL == copy->to || copy->parts - copy->first < 2 ||
        (!mca_pml_champion_rings.shares && messages_cross()) ||
        !mca_pml_champion_rings_share()) {
        return false;
    }
    job = &copy->peer->ring.from->pair->job;
    if (is_used(job)) {
        return false;
    }
    copy->job = job;
    __atomic_store_n(&job->address, (uintptr_t) copy->to, __ATOMIC_RELAXED);
    __atomic_store_n(&job->sequence, copy->sequence, __ATOMIC_RELAXED);
    __atomic_store_n(&job->vpid, copy->peer->name.vpid, __ATOMIC_RELAXED);
    mca_pml_champion_job_open(job, copy->first, copy->parts);
    return true;
}

/* A job has ended: the ring is free for the next message of its sender. */
static void job_next(const mca_pml_champion_peer_t *peer)
{
    copy_t *copy = copies.first;

    while (NULL != copy && (peer != copy->peer || !job_open(copy))) {
        copy = copy->next;
    }
}

/* ---- copying ------------------------------------------------------------ */

/* How many parts to claim: few if the sender copies, too, so that both end at
 * the same time; otherwise ever more, since each claim costs a system call. */
static uint32_t share(copy_t *copy)
{
    const uint32_t most =
        (uint32_t) (MCA_PML_CHAMPION_PART_MAX / copy->part_size);

    if (NULL == copy->job) {
        return NULL == copy->to ? 1 : most;
    }
    copy->share =
        0 != mca_pml_champion_job_senders(copy->job, copy->parts)
            ? 1
            : (uint32_t) mca_pml_champion_doubled(copy->share, 1, most);
    return copy->share;
}

/* Claim the next parts, from *part on. Returns their number. */
static uint32_t take(copy_t *copy, uint32_t *part)
{
    const uint32_t count = share(copy), left = copy->parts - copy->first;
    uint32_t taken;

    if (NULL != copy->job) {
        return mca_pml_champion_job_take_first(copy->job, count, part);
    }
    taken = count < left ? count : left;
    *part = copy->first;
    copy->first += taken;
    return taken;
}

static void lost(copy_t *copy)
{
    if (UCS_OK == copy->status) {
        copy->status = UCS_ERR_IO_ERROR;
        opal_output(0, "champion: %zu bytes of %s cannot be read: %s",
                    copy->length, OPAL_NAME_PRINT(copy->peer->name),
                    strerror(errno));
    }
}

static bool unpack(const copy_t *copy, size_t at, size_t length)
{
    return mca_pml_champion_ring_read(copy->peer->ring.from->pid,
                                      copy->address + at, stage, length) &&
           mca_pml_champion_layout_unpack(copy->layout, at, stage, length);
}

static size_t length_of(const copy_t *copy, uint32_t part, uint32_t count)
{
    const size_t most = count * copy->part_size;
    const size_t left = copy->length - part * copy->part_size;

    return left < most ? left : most;
}

static void copy_parts(copy_t *copy, uint32_t part, uint32_t count)
{
    const size_t at = part * copy->part_size;
    const size_t length = length_of(copy, part, count);

    if (!(NULL != copy->to ? mca_pml_champion_ring_read(
                                 copy->peer->ring.from->pid, copy->address + at,
                                 copy->to + at, length)
                           : unpack(copy, at, length))) {
        lost(copy);
    }
}

/* Copy parts that were claimed. Once one is lost, others are not copied, but are
 * claimed, so that the sender stops; they are not counted as copied, so that it
 * does not take the message for complete. */
static void work(copy_t *copy, uint32_t part, uint32_t count)
{
    if (UCS_OK == copy->status) {
        copy_parts(copy, part, count);
    }
    if (UCS_OK != copy->status) {
        copy->lost += count;
    } else if (NULL != copy->job) {
        copy->last = mca_pml_champion_job_copied(copy->job, count, copy->parts);
    }
}

/* The sender has claimed a part and copies it; it may have lost its core. Is it
 * still there? */
static bool is_lost(copy_t *copy)
{
    char byte;

    return 0 == ++copy->looks % LOOKS &&
           !mca_pml_champion_ring_read(copy->peer->ring.from->pid,
                                       copy->address, &byte, 1) &&
           ESRCH == errno;
}

/* Is all of the message here? Nothing is left to be claimed. */
static bool is_here(copy_t *copy)
{
    mca_pml_champion_job_state_t state;

    if (NULL == copy->job) {
        copy->last = true;
        return true;
    }
    state = mca_pml_champion_job_state(copy->job, copy->parts - copy->lost);
    if (MCA_PML_CHAMPION_JOB_BUSY == state) {
        if (!is_lost(copy)) {
            return false;
        }
        lost(copy);
        return true;
    }
    if (MCA_PML_CHAMPION_JOB_MISSING == state) {
        work(copy,
             copy->parts - mca_pml_champion_job_senders(copy->job, copy->parts),
             1);
    }
    copy->last = copy->last || 0 != copy->lost;
    return true;
}

static void received(mca_pml_champion_recv_t *recv, ucs_status_t status)
{
    if (UCS_OK != status) {
        mca_pml_champion_recv_fail(recv, MPI_ERR_OTHER);
    }
    mca_pml_champion_fragments_end(recv);
}

/* It is no longer in the list. */
static void end(copy_t *copy)
{
    mca_pml_champion_counters_t *counters = &mca_pml_champion.counters;
    mca_pml_champion_peer_t *peer = copy->peer;
    const bool had_job = NULL != copy->job;

    if (0 != copy->since && UCS_OK == copy->status) {
        mca_pml_champion_ring_record_time(peer->ring.from, copy->length,
                                          MCA_PML_CHAMPION_WAY_FETCHED,
                                          copy->since);
    }
    ++counters->ring_rget;
    counters->ring_shared +=
        had_job && 0 != mca_pml_champion_job_senders(copy->job, copy->parts);
    if (copy->last) {
        /* Otherwise the sender knows. */
        mca_pml_champion_ring_fin(peer, copy->sequence, UCS_OK == copy->status);
    }
    if (had_job) {
        job_next(peer);
    }
    if (NULL != copy->recv) {
        received(copy->recv, copy->status);
    } else {
        mca_pml_champion_transfer_end(copy->transfer, copy->status);
    }
    opal_size_pool_free(&mca_pml_champion.pool, copy, sizeof(*copy));
}

/* Are all parts claimed, by whomever? */
static bool is_claimed(const copy_t *copy)
{
    return NULL != copy->job ? mca_pml_champion_claim_is_empty(__atomic_load_n(
                                   &copy->job->claim, __ATOMIC_RELAXED))
                             : copy->first == copy->parts;
}

/* Copy parts of a message until `allowed` bytes are used up; the last claim may
 * exceed them. Returns whether there were any. */
static bool advance(copy_t *copy, uint64_t *allowed)
{
    uint32_t part, count;
    bool any = false;

    while (0 != *allowed && 0 != (count = take(copy, &part))) {
        const size_t length = length_of(copy, part, count);

        work(copy, part, count);
        *allowed -= length < *allowed ? length : *allowed;
        any = true;
    }
    return any;
}

unsigned mca_pml_champion_copy_recv_step(void)
{
    copy_t **at = &copies.first, *copy, *over = NULL, **over_tail = &over;
    uint64_t allowed =
        mca_pml_champion_copy_allowed(mca_pml_champion_now() - copies.looked);
    unsigned events = 0;

    MCA_PML_CHAMPION_LOCKED();
    while (NULL != (copy = *at)) {
        /* Messages crossed when it came, perhaps. Once another one is over, its
         * job is still looked at: end() opens the next. */
        if (NULL == copy->job && 0 != allowed && NULL == over) {
            (void) job_open(copy);
        }
        if (advance(copy, &allowed)) {
            __atomic_store_n(&mca_pml_champion_rings.parts,
                             mca_pml_champion_rings.parts + 1,
                             __ATOMIC_RELAXED);
            ++events;
        }
        if (is_claimed(copy) && is_here(copy)) {
            *at = copy->next;
            *over_tail = copy;
            over_tail = &copy->next;
        } else {
            at = &copy->next;
        }
    }
    *over_tail = NULL;
    copies.tail = at;
    copies.looked = mca_pml_champion_now();
    while (NULL != (copy = over)) {
        over = copy->next;
        end(copy); /* this may begin others */
        ++events;
    }
    mca_pml_champion_rings.copying.polls = NULL != copies.first;
    return events;
}

/* ---- beginning ---------------------------------------------------------- */

static void begin(const copy_t *described)
{
    copy_t *copy = opal_size_pool_alloc(&mca_pml_champion.pool, sizeof(*copy));

    MCA_PML_CHAMPION_LOCKED();
    if (OPAL_UNLIKELY(NULL == copy)) {
        mca_pml_champion_abort(MPI_ERR_NO_MEM,
                               "out of memory: a message of %zu bytes from %s "
                               "cannot be received",
                               described->length,
                               OPAL_NAME_PRINT(described->peer->name));
        return;
    }
    *copy = *described;
    copy->status = UCS_OK;
    copy->part_size = NULL != copy->to
                          ? mca_pml_champion_part_size(copy->length)
                          : sizeof(stage);
    copy->parts =
        (uint32_t) ((copy->length + copy->part_size - 1) / copy->part_size);
    (void) job_open(copy);
    copy->next = NULL;
    *copies.tail = copy;
    copies.tail = &copy->next;
    if (NULL == copies.first->next) {
        copies.looked = mca_pml_champion_now(); /* nobody has looked before */
    }
    mca_pml_champion_rings.copying.polls = true;
    mca_pml_champion_chore_set(&mca_pml_champion_rings.copying, true);
    mca_pml_champion_wake_tell();
}

static void transfer(mca_pml_champion_transfer_t *transfer,
                     const mca_pml_champion_source_t *source, void *buffer,
                     const ucp_request_param_t *param)
{
    const bool layout = 0 != (param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE);
    const copy_t copy = {
        .peer = source->peer,
        .sequence = source->sequence,
        .address = source->address,
        .length = source->length,
        .to = layout ? NULL : buffer,
        .layout = layout ? buffer : NULL,
        .transfer = transfer,
    };

    begin(&copy);
}

static void copy_to(mca_pml_champion_peer_t *peer, uint32_t sequence,
                    uint64_t address, size_t length,
                    mca_pml_champion_recv_t *recv)
{
    const copy_t copy = {
        .peer = peer,
        .sequence = sequence,
        .address = address,
        .length = length,
        .to = recv->data,
        .recv = recv,
        .since = mca_pml_champion_ring_measures(peer->ring.from, length,
                                                MCA_PML_CHAMPION_WAY_FETCHED),
    };

    begin(&copy);
}

/* ---- payload operations of messages at a sender of this node ------------ */

/* Its sender waits for FIN. */
static void readable_drop(mca_pml_champion_arrival_t *arrival)
{
    ++mca_pml_champion.counters.ring_rget;
    mca_pml_champion_ring_fin(arrival->peer, arrival->sequence, true);
}

static void readable_deliver(mca_pml_champion_arrival_t *arrival,
                             mca_pml_champion_recv_t *recv)
{
    const mca_pml_champion_source_t source = {
        .peer = arrival->peer,
        .address = (uintptr_t) arrival->payload,
        .length = arrival->length,
        .sequence = arrival->sequence,
    };

    arrival->kept = true;
    if (OPAL_UNLIKELY(arrival->length > recv->capacity)) {
        readable_drop(arrival);
        mca_pml_champion_recv_truncated(recv);
        mca_pml_champion_recv_complete(recv);
        return;
    }
    mca_pml_champion_rendezvous_fetch(recv, &source);
}

void mca_pml_champion_copy_recv_open(void)
{
    mca_pml_champion_payload_ops_t *ops =
        &mca_pml_champion_payloads[MCA_PML_CHAMPION_READABLE];

    ops->deliver = readable_deliver;
    ops->drop = readable_drop;
    mca_pml_champion_transfer_by_address = transfer;
    mca_pml_champion_rings.copy = copy_to;
}
