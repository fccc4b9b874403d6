/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An archive that is being read: its definitions, which are groups,
 * communicators, and locations (threads of processes) with their ranks; and the
 * library's errors. For the files that read it only.
 */

#ifndef MQ_REPLAY_OTF2_ARCHIVE_H
#define MQ_REPLAY_OTF2_ARCHIVE_H

#include <otf2/otf2.h>

#include "opal/class/opal_flat_hash.h"
#include "import/replay_import.h"

/* The processes of a communicator, or of one of its sides. */
typedef struct replay_otf2_group_t {
    OTF2_GroupRef id;
    OTF2_GroupType type;
    bool has_global_ranks;
    uint32_t size;
    uint64_t *members; /* ranks in MPI_COMM_WORLD; in that group: locations */
} replay_otf2_group_t;

typedef struct replay_otf2_communicator_t {
    OTF2_CommRef id;
    OTF2_GroupRef ids[2]; /* equal, except for inter-communicators */
    const replay_otf2_group_t *groups[2];
    uint32_t number;        /* number in replay_import */
    OTF2_LocationRef asked; /* the location for which the following is valid */
    const replay_otf2_group_t
        *remote;   /* group with which it communicates, or NULL */
    uint32_t rank; /* its own rank */
} replay_otf2_communicator_t;

typedef struct replay_otf2_location_t {
    OTF2_LocationRef id;
    OTF2_LocationGroupRef process;
    uint32_t rank; /* in MPI_COMM_WORLD, or REPLAY_NONE */
} replay_otf2_location_t;

typedef struct replay_otf2_archive_t {
    const char *path;
    OTF2_Reader *reader;
    replay_import_t *import;
    replay_otf2_group_t *groups;
    size_t num_groups;
    size_t groups_size;
    replay_otf2_communicator_t *communicators;
    size_t num_communicators;
    size_t communicators_size;
    replay_otf2_location_t *locations;
    size_t num_locations;
    size_t locations_size;

    /* While its events are read: */
    const replay_otf2_location_t *location;
    opal_flat_hash_t requests; /* requests of receives, to their number plus
                                  1 */
    uint64_t *entered;         /* times of entering the present functions */
    size_t depth;
    size_t entered_size;
} replay_otf2_archive_t;

/** Have the library's error texts kept. */
void replay_otf2_errors_init(void);

/** Forget an error that does not matter. */
void replay_otf2_errors_reset(void);

/** End the program if a call of the library has failed. */
void replay_otf2_check(const replay_otf2_archive_t *archive,
                       OTF2_ErrorCode code);

/** Return a handle of the library; ends the program if it is NULL. */
void *replay_otf2_known(const replay_otf2_archive_t *archive, void *handle);

/** Read all definitions, and give replay_import the ranks and communicators. */
void replay_otf2_definitions_read(replay_otf2_archive_t *archive);

/** Free what they have allocated. */
void replay_otf2_definitions_free(replay_otf2_archive_t *archive);

/** Order of locations by id, for qsort. */
int replay_otf2_by_id(const void *left, const void *right);

#endif /* MQ_REPLAY_OTF2_ARCHIVE_H */
