/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Archives of the Open Trace Format 2, which Score-P, EZTrace and others
 * write, for replay_import.
 *
 *     MpiSend, MpiIsend      a message comes to its receiver, at the time when
 *                            it was sent
 *     Enter ... MpiRecv      a receive is posted, when its function was entered
 *     MpiIrecvRequest        a receive is posted
 *     MpiIrecv               what it got
 *
 * An archive has neither when messages came nor what receives asked for:
 * receives have the source and the tag of what they got, never a wildcard, and
 * those that got nothing are left out. Probes and what is inside collective
 * operations are not recorded at all.
 */

#ifndef MQ_REPLAY_OTF2_H
#define MQ_REPLAY_OTF2_H

#include "replay_import.h"

/** Read an archive. The program ends if anything is wrong with it, or if
 * configure did not find the library. @param[in] path  of its .otf2 file */
void replay_otf2_read(const char *path, replay_import_t *import);

#endif /* MQ_REPLAY_OTF2_H */
