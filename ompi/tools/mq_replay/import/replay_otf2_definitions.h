/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The definitions of an archive: groups, communicators, and locations (threads
 * of processes) with their ranks.
 */

#ifndef MQ_REPLAY_OTF2_DEFINITIONS_H
#define MQ_REPLAY_OTF2_DEFINITIONS_H

#include "import/replay_otf2_archive.h"

/** Read all definitions, and give replay_import the ranks and communicators. */
void replay_otf2_definitions_read(replay_otf2_archive_t *archive);

/** Free what they have allocated. */
void replay_otf2_definitions_free(replay_otf2_archive_t *archive);

/** Order of locations by id, for qsort. */
int replay_otf2_by_id(const void *left, const void *right);

#endif /* MQ_REPLAY_OTF2_DEFINITIONS_H */
