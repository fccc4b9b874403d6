/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiles: what a run put into its queues, for components that want to know
 * that before the next one.
 *
 *     mq_base_profile=FILE             mq_<component>_profile=FILE
 *            |                                     ^
 *     observer of all domains              slot of the component
 *            |                                     |
 *     text of this process  --(PML)-->  FILE  --> this rank's part
 *
 * A profile is one text file per job; mq_profile(5) describes it for users:
 *
 *     mq-profile 2                     the format's version
 *     job SIZE                         ranks of MPI_COMM_WORLD
 *     rank RANK                        all of it follows
 *     elapsed US                       how long was recorded
 *     slice BEGIN_US END_US POSTED_MAX UNEXPECTED_MAX
 *     from WORLD_RANK MESSAGES BYTES INTERNAL_MESSAGES INTERNAL_BYTES
 *     domain CONTEXT SIZE COMPONENT    its figures follow
 *     name NAME                        of the communicator
 *     posted ADDED HITS MISSES TRAVERSED_HIT TRAVERSED_MISS LENGTH_MAX
 *     unexpected, internal_posted, internal_unexpected: the same
 *     probes HITS MISSES TRAVERSED
 *     any ADDED LENGTH_MAX TRAVERSED   receives from any source
 *     sizes MESSAGES BYTES UPTO_64 UPTO_1K UPTO_16K UPTO_256K LARGER
 *     peer SOURCE POSTED UNEXPECTED POSTED_MAX UNEXPECTED_MAX TRAVERSED
 *     end                              the last line
 *
 * Words are separated by blanks, numbers are decimal. Ranks, and the peers of
 * a domain, are in ascending order; a peer that added nothing and searched for
 * nothing is left out. Lines that begin with # are comments. SIZE, RANK and
 * CONTEXT may be * in a profile written by hand: any. A domain of many
 * contexts (mq_base_scope=process) has the context 4294967295.
 *
 * Components use domains and peers only; the rest is for mq_report. Version 1,
 * which is still read, had no lines but domain, any, peer, and posted and
 * unexpected as ADDED SEARCHES TRAVERSED LENGTH_MAX.
 *
 * Domains that had the same context and size one after the other are one in
 * the profile: counts are summed up, of lengths the largest counts; if their
 * names differ, the name is "(several)".
 */

#ifndef OMPI_MCA_MQ_BASE_RECORD_PROFILE_H
#define OMPI_MCA_MQ_BASE_RECORD_PROFILE_H

#include <stdio.h>

#include "ompi/mca/mq/base/param/own.h"
#include "ompi/mca/mq/base/record/file.h"
#include "ompi/mca/mq/mq.h"

BEGIN_C_DECLS

#define MCA_MQ_BASE_PROFILE_VERSION 2

/* ---- Reading: for components ---- */

/** `*`, instead of a size. No communicator has no ranks. */
#define MCA_MQ_BASE_PROFILE_ANY_SIZE 0

/** A peer of a domain. */
typedef struct mca_mq_base_profile_peer_t {
    uint32_t source;
    uint64_t added[MCA_MQ_QUEUES];      /**< entries added to the queue */
    uint64_t length_max[MCA_MQ_QUEUES]; /**< most of them at one time */
    uint64_t traversed; /**< entries compared by searches for it */
} mca_mq_base_profile_peer_t;

/** A domain. */
typedef struct mca_mq_base_profile_domain_t {
    struct mca_mq_base_profile_domain_t *next;
    uint32_t context;
    bool any_context;
    uint32_t size; /**< or MCA_MQ_BASE_PROFILE_ANY_SIZE */
    uint32_t num_peers;
    mca_mq_base_profile_peer_t *peers; /**< in ascending order of source */
} mca_mq_base_profile_domain_t;

/** A rank's part of a profile. */
typedef struct mca_mq_base_profile_t {
    mca_mq_base_profile_domain_t *domains; /**< in the order of the file */
} mca_mq_base_profile_t;

/** Where a file is not as it should be. */
typedef struct mca_mq_base_profile_error_t {
    uint64_t line; /**< from 1; 0: it could not be read at all */
    char reason[192];
} mca_mq_base_profile_error_t;

/**
 * Read a rank's part of a profile. The file is read up to the end of that
 * part, and its last line is looked at.
 *
 * @param[in]  file     can be positioned (fseek)
 * @param[in]  job      whose part; a size of 0 stands for any
 * @param[out] profile  to be freed with mca_mq_base_profile_free; empty if
 *                      reading failed
 * @param[out] error    what is wrong
 *
 * @return OMPI_SUCCESS, OMPI_ERR_BAD_PARAM if the file is no such profile,
 *         OMPI_ERR_OUT_OF_RESOURCE (with an error text too)
 */
OMPI_DECLSPEC int mca_mq_base_profile_read(FILE *file,
                                           const mca_mq_base_job_t *job,
                                           mca_mq_base_profile_t *profile,
                                           mca_mq_base_profile_error_t *error);

/** Free what a profile has; it is empty then. */
OMPI_DECLSPEC void mca_mq_base_profile_free(mca_mq_base_profile_t *profile);

/**
 * The domain of a profile that tells about this one: that of its context and
 * size, else the first with a `*` that fits. The size does not matter to a
 * domain of many contexts, which may grow.
 *
 * @return NULL if there is none
 */
OMPI_DECLSPEC const mca_mq_base_profile_domain_t *mca_mq_base_profile_find(
    const mca_mq_base_profile_t *profile, const mca_mq_domain_info_t *info);

/** What a component that needs a profile has, static and all zero. */
typedef struct mca_mq_base_profile_slot_t {
    const char *component; /**< its name */
    char *path;            /**< the parameter; the MCA's */
    bool has_profile;
    mca_mq_base_profile_t profile; /**< from open to close */
    char needs[64];                /**< "needs mq_<component>_profile" */
} mca_mq_base_profile_slot_t;

/** Most components with a slot. */
#define MCA_MQ_BASE_PROFILE_SLOTS_MAX 8

/**
 * Register the parameter mq_<component>_profile. Call it from the component's
 * register function. When the framework is opened by a process that knows its
 * job, the profile is read; it does not open if that fails, or if the
 * component is named in `--mca mq` and has no profile.
 *
 * @param[in] slot  static
 *
 * @return OMPI_SUCCESS or an Open MPI error
 */
OMPI_DECLSPEC int mca_mq_base_profile_param(
    const mca_base_component_t *component, mca_mq_base_profile_slot_t *slot);

/**
 * What the profile in a slot says about a domain.
 *
 * @param[out] why  if nothing: static text that says why; may be NULL
 *
 * @return the domain in the profile, or NULL
 */
OMPI_DECLSPEC const mca_mq_base_profile_domain_t *mca_mq_base_profile_about(
    const mca_mq_base_profile_slot_t *slot, const mca_mq_domain_info_t *info,
    const char **why);

/* ---- Writing: for the PML ---- */

/** What the PML alone knows of messages. */
typedef struct mca_mq_base_profile_teller_t {
    /** Bytes of payload, from what was given to the arrival. */
    uint64_t (*length)(const void *arg);
    /** Rank in MPI_COMM_WORLD of a source; negative if it is of another job. */
    int32_t (*world_rank)(uint32_t context, int32_t source);
} mca_mq_base_profile_teller_t;

/**
 * Record sizes and senders of messages too, until the framework is closed.
 *
 * @param[in] teller  static
 */
OMPI_DECLSPEC void mca_mq_base_profile_tell(
    const mca_mq_base_profile_teller_t *teller);

/** The name of the communicator that has this context now. It holds for all
 * of its domain; without effect if that has many contexts. */
OMPI_DECLSPEC void mca_mq_base_profile_name(uint32_t context, const char *name);

/** Was a profile asked for, and is this process one of those it is of? */
OMPI_DECLSPEC bool mca_mq_base_profile_is_wanted(void);

/**
 * Do as the process that writes the profile does, whatever was asked for here.
 * Before the first domain is made, and not in that process.
 *
 * @param[in] recorded  record for its profile; or do not record at all
 */
OMPI_DECLSPEC void mca_mq_base_profile_follow(bool recorded);

/**
 * This process's part of the profile: the line `rank` and what follows.
 *
 * @param[out] length  without the 0 at its end
 *
 * @return text to be freed by the caller; NULL if memory ran out
 */
OMPI_DECLSPEC char *mca_mq_base_profile_text(size_t *length);

/** A profile that is being written. */
typedef mca_mq_base_file_t mca_mq_base_profile_file_t;

/**
 * Begin a file.
 *
 * @param[in] path  or NULL: that of mq_base_profile
 * @param[in] size  of the job, 0: any
 */
OMPI_DECLSPEC void mca_mq_base_profile_file_begin(
    mca_mq_base_profile_file_t *file, const char *path, uint32_t size);

/** Add a rank's text, those of lower ranks before. */
OMPI_DECLSPEC void mca_mq_base_profile_file_add(
    mca_mq_base_profile_file_t *file, const char *text, size_t length);

/** There will be no file, because of this errno. */
static inline void mca_mq_base_profile_file_fail(
    mca_mq_base_profile_file_t *file, int error)
{
    if (0 == file->error) {
        file->error = error;
    }
}

/**
 * Complete the file and give it its name, or remove it and show a help text
 * if anything failed.
 *
 * @return OMPI_SUCCESS, or OMPI_ERROR if there is no file
 */
OMPI_DECLSPEC int mca_mq_base_profile_file_end(
    mca_mq_base_profile_file_t *file);

/* ---- Both in one process: for tools ---- */

/**
 * Record the domains that are made from now on, as mq_base_profile does. The
 * framework is open; mca_mq_base_job says what the recorded rank is to be.
 * What was recorded before is forgotten.
 */
OMPI_DECLSPEC void mca_mq_base_profile_record(void);

/**
 * End recording, and let the components that need a profile use what was
 * recorded instead of one from a file, until the framework is closed. No
 * domain may be in use.
 *
 * @return OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE
 */
OMPI_DECLSPEC int mca_mq_base_profile_adopt(void);

/** Write what was recorded as a file of its own, which has this rank's part
 * only. Returns as mca_mq_base_profile_file_end. */
OMPI_DECLSPEC int mca_mq_base_profile_write(const char *path);

/* ---- For the base ---- */

/** Components are about to register what they need. */
void mca_mq_base_profile_reset(void);

/** Read the profiles that are needed, begin to record the one that is wanted.
 * What goes wrong is reported and counted as invalid. */
void mca_mq_base_profile_open(void);

/** Forget all of it. */
void mca_mq_base_profile_close(void);

/** Forget what was recorded. No domain may be in use. */
void mca_mq_base_profile_forget(void);

/** Record no more. No domain may be in use. */
void mca_mq_base_profile_stop(void);

END_C_DECLS

#endif /* OMPI_MCA_MQ_BASE_RECORD_PROFILE_H */
