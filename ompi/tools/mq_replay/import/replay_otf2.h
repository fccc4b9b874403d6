/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads archives in the Open Trace Format 2, which Score-P, EZTrace and others
 * write, for replay_import.
 *
 *     MpiSend, MpiIsend      a message arrives at its receiver, as soon as it
 *                            is sent
 *     Enter ... MpiRecv      a receive is posted, when its function was entered
 *     MpiIrecvRequest        a receive is posted
 *     MpiIrecv               its envelope
 *
 * An archive contains neither the times of arrivals nor the envelopes of
 * receives: receives have the source and the tag of their message, never a
 * wildcard, and those without a message are left out. Probes, and messages
 * inside collective operations, are not recorded at all.
 */

#ifndef MQ_REPLAY_OTF2_H
#define MQ_REPLAY_OTF2_H

#include "import/replay_import.h"

/** Read an archive. Ends the program if it is invalid, or if configure did not
 * find the library. @param[in] path  of its .otf2 file */
void replay_otf2_read(const char *path, replay_import_t *import);

#endif /* MQ_REPLAY_OTF2_H */
