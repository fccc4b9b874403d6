/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Boards of the jobs that a process belongs to, or has started.
 */

#ifndef WHO_FIND_H
#define WHO_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ompi/mca/pml/champion/core/board.h"

enum { WHO_BOARDS = 16 };

/** How a search has ended. */
typedef enum {
    WHO_FOUND,
    WHO_NO_PROCESS, /**< there is none of that number */
    WHO_FORBIDDEN,  /**< the kernel does not let this user look at it */
    WHO_NO_CHAMPION /**< neither it nor what it has started shows a board */
} who_search_t;

/** The boards of the process and of all that descend from it, each once, up to
 * WHO_BOARDS.
 *
 * @param[out] count  boards; more than 0 if they were found */
who_search_t who_find(pid_t pid, mca_pml_champion_board_name_t *board,
                      size_t *count);

#endif /* WHO_FIND_H */
