/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How two processes share the copying of a message. The message is cut into
 * parts. Its receiver copies from the first part on, its sender from the last:
 *
 *     part     0   1   2   3   4   5   6   7
 *              receiver >             < sender
 *
 * until nothing is left between them. So each copies as much as it is fast, and
 * a sender that does something else copies nothing and delays nobody. A job
 * (mca_pml_champion_ring_job_t) is in memory that both map. Both claim parts by
 * one atomic operation on
 *
 *     claim    turn << 32 | first << 16 | last
 *
 * the parts from `first` up to `last`, exclusive, are not claimed. The turn
 * changes with each message: a side that knows the last message's claim claims
 * nothing. Both count in `done` the parts that they have copied, so the side of
 * the last part finds out: if it is the sender, it knows that the message
 * is there, and no answer is needed. If the sender cannot copy, it says so in
 * `done`, and the receiver copies that part, too.
 *
 * The sender claims one part at a time. So when nothing is left, the receiver
 * has to wait for one part at most.
 *
 * This code is independent of MPI and UCX. Values that the other side writes to
 * the job are checked: a part is never beyond those of the message.
 */

#ifndef MCA_PML_CHAMPION_SHM_JOB_H
#define MCA_PML_CHAMPION_SHM_JOB_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompi/mca/pml/champion/core/estimate.h"
#include "ompi/mca/pml/champion/shm/ring.h"

#pragma GCC visibility push(hidden)

enum {
    /** Smallest and largest part of a message of up to PARTS_MAX such parts,
     * bytes; and from which size of messages on parts have at least MEDIUM. */
    MCA_PML_CHAMPION_PART_MIN = 32 << 10,
    MCA_PML_CHAMPION_PART_MEDIUM = 64 << 10,
    MCA_PML_CHAMPION_PART_MAX = 256 << 10,
    MCA_PML_CHAMPION_PARTS_MEDIUM_MIN = 256 << 10,
    /** Parts of a message between these. */
    MCA_PML_CHAMPION_PARTS = 8,
    MCA_PML_CHAMPION_PARTS_MAX = 32768,
    /** Bytes that may be copied for each ns since the last progress call. */
    MCA_PML_CHAMPION_COPY_EACH_NS = 128
};

/** Bit of `done`: the sender could not copy the last part that it claimed,
 * and claims no more. */
#define MCA_PML_CHAMPION_JOB_FAILED 0x80000000u

/** Bytes of each part of a message, but for its last one; a multiple of a
 * page. */
static inline uint64_t mca_pml_champion_part_size(uint64_t length)
{
    const uint64_t page = 4096;
    const uint64_t least = length < MCA_PML_CHAMPION_PARTS_MEDIUM_MIN
                               ? MCA_PML_CHAMPION_PART_MIN
                               : MCA_PML_CHAMPION_PART_MEDIUM;
    uint64_t size = mca_pml_champion_within(length / MCA_PML_CHAMPION_PARTS,
                                            least, MCA_PML_CHAMPION_PART_MAX);

    if (length / size >= MCA_PML_CHAMPION_PARTS_MAX) {
        size = length / MCA_PML_CHAMPION_PARTS_MAX + 1;
    }
    return (size + page - 1) / page * page;
}

/** Number of parts of a message. */
static inline uint32_t mca_pml_champion_parts(uint64_t length)
{
    const uint64_t size = mca_pml_champion_part_size(length);

    return (uint32_t) ((length + size - 1) / size);
}

/** Bytes that a progress call may copy which comes so many ns after the last
 * one; its last claim may exceed them. A program that polls often waits for no
 * other message longer than a claim takes; one that looks once a millisecond
 * copies in one call more than it could have copied in between. */
static inline uint64_t mca_pml_champion_copy_allowed(uint64_t gap)
{
    return gap < UINT64_MAX / MCA_PML_CHAMPION_COPY_EACH_NS
               ? 1 + gap * MCA_PML_CHAMPION_COPY_EACH_NS
               : UINT64_MAX;
}

/** Parts of a claim that nobody has claimed: from the first up to the last,
 * exclusive. */
static inline uint32_t mca_pml_champion_claim_first(uint64_t claim)
{
    return claim >> 16 & 0xffff;
}
static inline uint32_t mca_pml_champion_claim_last(uint64_t claim)
{
    return claim & 0xffff;
}
static inline bool mca_pml_champion_claim_is_empty(uint64_t claim)
{
    return mca_pml_champion_claim_first(claim) >=
           mca_pml_champion_claim_last(claim);
}

/* ---- the receiver ---- */

/** Publish a job, whose other fields are filled in, for the sender. The
 * receiver has copied the parts before `first` already. */
static inline void mca_pml_champion_job_open(mca_pml_champion_ring_job_t *job,
                                             uint32_t first, uint32_t parts)
{
    const uint64_t claim = __atomic_load_n(&job->claim, __ATOMIC_RELAXED);

    __atomic_store_n(&job->done, first, __ATOMIC_RELAXED);
    __atomic_store_n(&job->claim,
                     ((claim >> 32) + 1) << 32 | first << 16 | parts,
                     __ATOMIC_RELEASE);
}

/** Claim up to `count` parts, from the first that is left on, and set *part to
 * it. Returns their number; 0: none is left. */
static inline uint32_t mca_pml_champion_job_take_first(
    mca_pml_champion_ring_job_t *job, uint32_t count, uint32_t *part)
{
    uint64_t claim = __atomic_load_n(&job->claim, __ATOMIC_RELAXED);
    uint32_t first, last, taken;

    do {
        if (mca_pml_champion_claim_is_empty(claim)) {
            return 0;
        }
        first = mca_pml_champion_claim_first(claim);
        last = mca_pml_champion_claim_last(claim);
        taken = count < last - first ? count : last - first;
    } while (!__atomic_compare_exchange_n(
        &job->claim, &claim, claim + ((uint64_t) taken << 16), false,
        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    *part = first;
    return taken;
}

/** Parts that the sender of a job of `parts` has claimed. */
static inline uint32_t mca_pml_champion_job_senders(
    const mca_pml_champion_ring_job_t *job, uint32_t parts)
{
    const uint32_t last = mca_pml_champion_claim_last(
        __atomic_load_n(&job->claim, __ATOMIC_RELAXED));

    return last < parts ? parts - last : 0;
}

/** The state of a message. */
typedef enum {
    MCA_PML_CHAMPION_JOB_DONE,   /**< all of it is here */
    MCA_PML_CHAMPION_JOB_BUSY,   /**< the sender copies a part */
    MCA_PML_CHAMPION_JOB_MISSING /**< all is here but the last part that the
                                      sender has claimed, and it does not copy
                                      that one */
} mca_pml_champion_job_state_t;

/** Nothing is left to be claimed, and the receiver has copied the parts that it
 * has claimed: is all there? */
static inline mca_pml_champion_job_state_t mca_pml_champion_job_state(
    const mca_pml_champion_ring_job_t *job, uint32_t parts)
{
    const uint32_t done = __atomic_load_n(&job->done, __ATOMIC_ACQUIRE);

    if (0 != (done & MCA_PML_CHAMPION_JOB_FAILED)) {
        return MCA_PML_CHAMPION_JOB_MISSING;
    }
    return done == parts ? MCA_PML_CHAMPION_JOB_DONE
                         : MCA_PML_CHAMPION_JOB_BUSY;
}

/* ---- both ---- */

/** So many more parts are copied. True: this was the last of the message; the
 * other side's are here, too. */
static inline bool mca_pml_champion_job_copied(mca_pml_champion_ring_job_t *job,
                                               uint32_t count, uint32_t parts)
{
    const uint32_t before =
        __atomic_fetch_add(&job->done, count, __ATOMIC_ACQ_REL);

    return (before & ~MCA_PML_CHAMPION_JOB_FAILED) + count == parts;
}

/* ---- the sender ---- */

/** The claim of a job, whose other fields may be read then; they belong to it
 * if job_take_last() succeeds. */
static inline uint64_t mca_pml_champion_job_look(
    const mca_pml_champion_ring_job_t *job)
{
    return __atomic_load_n(&job->claim, __ATOMIC_ACQUIRE);
}

/** Claim the last part that is left. False, with the claim read again, if
 * somebody has changed it. */
static inline bool mca_pml_champion_job_take_last(
    mca_pml_champion_ring_job_t *job, uint64_t *claim, uint32_t *part)
{
    *part = mca_pml_champion_claim_last(*claim) - 1;
    return __atomic_compare_exchange_n(&job->claim, claim, *claim - 1, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
}

/** The part that was claimed cannot be copied; no other will be claimed. */
static inline void mca_pml_champion_job_failed(mca_pml_champion_ring_job_t *job)
{
    (void) __atomic_fetch_or(&job->done, MCA_PML_CHAMPION_JOB_FAILED,
                             __ATOMIC_RELEASE);
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_SHM_JOB_H */
