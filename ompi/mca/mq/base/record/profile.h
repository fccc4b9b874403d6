/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiles of the queues of a run, for components that use them in a later run.
 *
 *     mq_base_profile=FILE             mq_<component>_profile=FILE
 *            |                                     ^
 *     observer of all domains              slot of the component
 *            |                                     |
 *     text of this process  --(PML)-->  FILE  --> this rank's part
 *
 * A profile is one text file per job; mq_profile(5) describes it for users:
 *
 *     mq-profile 1                     the format's version
 *     job SIZE                         ranks of MPI_COMM_WORLD
 *     run KEY VALUE                    the command, versions
 *     rank RANK                        its part follows
 *     elapsed US                       duration of the recording
 *     slice BEGIN_US END_US POSTED_MAX UNEXPECTED_MAX MESSAGES BYTES
 *           INTERNAL_MESSAGES INTERNAL_BYTES
 *     from WORLD_RANK MESSAGES BYTES INTERNAL_MESSAGES INTERNAL_BYTES
 *     domain CONTEXT SIZE COMPONENT    its counts follow
 *     name NAME                        of the communicator
 *     posted ADDED HITS MISSES TRAVERSED_HIT TRAVERSED_MISS LENGTH_MAX
 *     unexpected, internal_posted, internal_unexpected: as posted
 *     receives POSTED ANY_SOURCE ANY_TAG
 *     internal_receives: as receives
 *     probes HITS MISSES TRAVERSED HITS_ANY_SOURCE HITS_ANY_TAG
 *     any ADDED LENGTH_MAX TRAVERSED   receives from any source that waited
 *     sizes MESSAGES BYTES UPTO_64 UPTO_1K UPTO_16K UPTO_256K LARGER
 *     peer SOURCE POSTED UNEXPECTED POSTED_MAX UNEXPECTED_MAX TRAVERSED
 *     end                              the last line
 *
 * Words are separated by blanks, numbers are decimal. Ranks, and the peers of a
 * domain, are in ascending order; peers without entries and searches are
 * omitted. Lines that begin with # are comments. In a profile written by hand,
 * SIZE, RANK and CONTEXT may be *, which stands for any. A domain of many
 * contexts (mq_base_scope=process) has the context 4294967295.
 *
 * Components use only domains and peers; the rest is for mq_replay --advise and
 * mq_report. A profile of another version is refused.
 *
 * Successive domains with equal context and size are merged: counts are added,
 * lengths are maxima; if their names differ, the name is "(several)".
 */

#ifndef OMPI_MCA_MQ_BASE_RECORD_PROFILE_H
#define OMPI_MCA_MQ_BASE_RECORD_PROFILE_H

#include <stdio.h>

#include "ompi/mca/mq/base/param/own.h"
#include "ompi/mca/mq/base/record/file.h"
#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

#define MCA_MQ_BASE_PROFILE_VERSION "1"

/* ---- Reading: for components ---- */

/** `*` instead of a size; no communicator has size 0. */
#define MCA_MQ_BASE_PROFILE_ANY_SIZE 0

/** A peer of a domain. */
typedef struct mca_mq_base_profile_peer_t {
    uint32_t source;
    uint64_t added[MCA_MQ_QUEUES];      /**< entries added to the queue */
    uint64_t length_max[MCA_MQ_QUEUES]; /**< largest number queued at one
                                             time */
    uint64_t traversed; /**< entries compared by searches for this peer */
} mca_mq_base_profile_peer_t;

/** Traffic of a queue, internal receives and messages included. */
typedef struct mca_mq_base_profile_queue_t {
    uint64_t added;
    uint64_t searches; /**< those of probes are counted as unexpected */
    /** Most queued at one time: of the user's and the internal ones the larger
     * number, as the profile does not have them together. */
    uint64_t length_max;
} mca_mq_base_profile_queue_t;

/** A domain. */
typedef struct mca_mq_base_profile_domain_t {
    struct mca_mq_base_profile_domain_t *next;
    uint32_t context;
    bool any_context;
    uint32_t size;      /**< or MCA_MQ_BASE_PROFILE_ANY_SIZE */
    char component[32]; /**< that served it; empty: not known */
    mca_mq_base_profile_queue_t queue[MCA_MQ_QUEUES];
    /** Receives that were posted and probes that found a message, and those
     * with a wildcard. */
    uint64_t receives, any_source, any_tag;
    uint32_t num_peers;
    mca_mq_base_profile_peer_t *peers; /**< in ascending order of source */
} mca_mq_base_profile_domain_t;

/** A rank's part of a profile. */
typedef struct mca_mq_base_profile_t {
    mca_mq_base_profile_domain_t *domains; /**< in the order of the file */
} mca_mq_base_profile_t;

/** An error in a file. */
typedef struct mca_mq_base_profile_error_t {
    uint64_t line; /**< from 1; 0: the file could not be read at all */
    char reason[192];
} mca_mq_base_profile_error_t;

/**
 * Read a rank's part of a profile. Reads up to the end of that part, and checks
 * the last line of the file.
 *
 * @param[in]  file     can be positioned (fseek)
 * @param[in] job  whose part; a size of 0 matches any
 * @param[out] profile  to be freed with mca_mq_base_profile_free; empty if
 *                      reading failed
 * @param[out] error    what is wrong
 *
 * @return OMPI_SUCCESS; OMPI_ERR_BAD_PARAM if the file is not a valid profile
 *         of this job; OMPI_ERR_OUT_OF_RESOURCE (also with an error text)
 */
OMPI_DECLSPEC int mca_mq_base_profile_read(FILE *file,
                                           const mca_mq_base_job_t *job,
                                           mca_mq_base_profile_t *profile,
                                           mca_mq_base_profile_error_t *error);

/** Called for a domain of a rank; of a profile written by hand for any rank (*)
 * the rank is 0. */
typedef void (*mca_mq_base_profile_visit_fn_t)(
    const mca_mq_base_profile_domain_t *domain, uint32_t rank, void *arg);

/**
 * Read a whole profile: all domains of all ranks, in the order of the file. At
 * one time only one rank's part is in memory.
 *
 * @return as mca_mq_base_profile_read; some domains may have been visited
 *         before an error
 */
OMPI_DECLSPEC int mca_mq_base_profile_each(FILE *file,
                                           mca_mq_base_profile_visit_fn_t visit,
                                           void *arg,
                                           mca_mq_base_profile_error_t *error);

/** Free the contents of a profile; it is empty afterwards. */
OMPI_DECLSPEC void mca_mq_base_profile_free(mca_mq_base_profile_t *profile);

/**
 * Find the domain of a profile for a matching domain: the one with its context
 * and size, otherwise the first with a `*` that fits. For a domain of many
 * contexts, which may grow, the size does not matter.
 *
 * @return NULL if there is none
 */
OMPI_DECLSPEC const mca_mq_base_profile_domain_t *mca_mq_base_profile_find(
    const mca_mq_base_profile_t *profile, const mca_mq_domain_info_t *info);

/** State of a component that needs a profile; static, initially all zero. */
typedef struct mca_mq_base_profile_slot_t {
    const char *component; /**< its name */
    char *path;            /**< the parameter; owned by the MCA */
    bool has_profile;
    mca_mq_base_profile_t profile; /**< from open to close */
    char needs[64];                /**< "needs mq_<component>_profile" */
} mca_mq_base_profile_slot_t;

/** Most components with a slot. */
#define MCA_MQ_BASE_PROFILE_SLOTS_MAX 8

/**
 * Register the parameter mq_<component>_profile; called by the component's
 * register function. The profile is read when the framework is opened, if the
 * job is known; the framework does not open if that fails, or if the component
 * is named in `--mca mq` but has no profile.
 *
 * @param[in] slot  static
 *
 * @return OMPI_SUCCESS or an Open MPI error
 */
OMPI_DECLSPEC int mca_mq_base_profile_param(
    const mca_base_component_t *component, mca_mq_base_profile_slot_t *slot);

/**
 * Find a domain in the profile of a slot.
 *
 * @param[out] why  if not found: the reason, static text; may be NULL
 *
 * @return the domain in the profile, or NULL
 */
OMPI_DECLSPEC const mca_mq_base_profile_domain_t *mca_mq_base_profile_about(
    const mca_mq_base_profile_slot_t *slot, const mca_mq_domain_info_t *info,
    const char **why);

/* ---- Writing: for the PML ---- */

/** Facts about messages that only the PML knows. */
typedef struct mca_mq_base_profile_teller_t {
    /** Bytes of payload, from the argument of the arrival. */
    uint64_t (*length)(const void *arg);
    /** Rank of a source in MPI_COMM_WORLD; negative if it is in another job. */
    int32_t (*world_rank)(uint32_t context, int32_t source);
} mca_mq_base_profile_teller_t;

/**
 * Record also sizes and senders of messages, until the framework is closed.
 *
 * @param[in] teller  static
 */
OMPI_DECLSPEC void mca_mq_base_profile_tell(
    const mca_mq_base_profile_teller_t *teller);

/** Record the name of the communicator that has this context now. It applies to
 * the whole domain; no effect for a domain of many contexts. */
OMPI_DECLSPEC void mca_mq_base_profile_name(uint32_t context, const char *name);

/** Is this process to record a profile? */
OMPI_DECLSPEC bool mca_mq_base_profile_is_wanted(void);

/**
 * Adopt the decision of the process that writes the profile, whatever the
 * parameter is here. Call before the first domain is made, and not in that
 * process.
 *
 * @param[in] recorded  whether to record
 */
OMPI_DECLSPEC void mca_mq_base_profile_follow(bool recorded);

/**
 * Get this process's part of the profile: the line `rank` and what follows.
 *
 * @param[out] length  without the final NUL
 *
 * @return text to be freed by the caller; NULL if out of memory
 */
OMPI_DECLSPEC char *mca_mq_base_profile_text(size_t *length);

/** A profile that is being written. */
typedef mca_mq_base_file_t mca_mq_base_profile_file_t;

/**
 * Begin a file.
 *
 * @param[in] path  NULL: that of mq_base_profile
 * @param[in] size  of the job, 0: any
 */
OMPI_DECLSPEC void mca_mq_base_profile_file_begin(
    mca_mq_base_profile_file_t *file, const char *path, uint32_t size);

/** Say something about the run, such as `command`; before any rank's text.
 *
 * @param[in] what   one word of lower case letters, digits and underscores
 * @param[in] value  any text that is not empty
 */
OMPI_DECLSPEC void mca_mq_base_profile_file_run(
    mca_mq_base_profile_file_t *file, const char *what, const char *value);

/** Add a rank's text; lower ranks come first. */
OMPI_DECLSPEC void mca_mq_base_profile_file_add(
    mca_mq_base_profile_file_t *file, const char *text, size_t length);

/** Mark the file as failed with this errno; it will not be kept. */
static inline void mca_mq_base_profile_file_fail(
    mca_mq_base_profile_file_t *file, int error)
{
    if (0 == file->error) {
        file->error = error;
    }
}

/**
 * Complete the file and give it its final name; if anything failed, remove it
 * and show a help text.
 *
 * @return OMPI_SUCCESS, or OMPI_ERROR if there is no file
 */
OMPI_DECLSPEC int mca_mq_base_profile_file_end(
    mca_mq_base_profile_file_t *file);

/* ---- Both in one process: for tools ---- */

/**
 * Record all domains made from now on, as mq_base_profile does, under the rank
 * in mca_mq_base_job. The framework must be open. Earlier recordings are
 * forgotten.
 */
OMPI_DECLSPEC void mca_mq_base_profile_record(void);

/**
 * End recording, and give the recorded profile to the components that need one,
 * instead of one from a file, until the framework is closed. No domain may be
 * in use.
 *
 * @return OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE
 */
OMPI_DECLSPEC int mca_mq_base_profile_adopt(void);

/** Write the recorded profile to a file with this rank's part only. Returns
 * what mca_mq_base_profile_file_end returns. */
OMPI_DECLSPEC int mca_mq_base_profile_write(const char *path);

/* ---- For the base ---- */

/** Forget all slots, before components register theirs. */
void mca_mq_base_profile_reset(void);

/** Read the profiles that components need, and begin to record one if the
 * parameter asks for it. Errors are reported and counted as invalid
 * parameters. */
void mca_mq_base_profile_open(void);

/** Free all profiles, read and recorded. */
void mca_mq_base_profile_close(void);

/** Forget what was recorded. No domain may be in use. */
void mca_mq_base_profile_forget(void);

/** Stop recording. No domain may be in use. */
void mca_mq_base_profile_stop(void);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_RECORD_PROFILE_H */
