/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Orders that ThreadSanitizer cannot see, because they are established in Open
 * MPI: constructing a request for a free list, or returning it, happens before
 * getting it from there; its completion happens before the return of the thread
 * that waits for it; making a communicator happens before its use and its end.
 * They cost nothing in other builds.
 */

#ifndef MCA_PML_CHAMPION_HAPPENS_BEFORE_H
#define MCA_PML_CHAMPION_HAPPENS_BEFORE_H

#include "ompi_config.h"

#include <stdint.h>

#if defined(__SANITIZE_THREAD__)
OMPI_DECLSPEC void __tsan_acquire(void *address);
OMPI_DECLSPEC void __tsan_release(void *address);
#define MCA_PML_CHAMPION_HAPPENS_BEFORE(object) __tsan_release(object)
#define MCA_PML_CHAMPION_HAPPENS_AFTER(object)                                 \
    __tsan_acquire((void *) (uintptr_t) (object))
#else
#define MCA_PML_CHAMPION_HAPPENS_BEFORE(object)
#define MCA_PML_CHAMPION_HAPPENS_AFTER(object)
#endif

#endif /* MCA_PML_CHAMPION_HAPPENS_BEFORE_H */
