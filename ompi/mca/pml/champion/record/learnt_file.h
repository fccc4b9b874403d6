/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The file of pml_champion_learnt: text, one fact a line. Without state, so that
 * it can be tested alone.
 *
 *     champion learnt 1 1795476000
 *     host node1 3 4
 *     pair node1 node2 7570000 1250 11435000 0
 *     end 2
 *
 *     champion  version of the format, and when it was written (seconds since
 *               1970)
 *     host      processes on that host that had a progress thread, and all
 *     pair      messages to the first host from the second: time of a transfer,
 *               fs per byte and ns; how long they waited for their receive, ns;
 *               how long receives waited for them, ns. 0: not known
 *     end       number of lines between the first and this one
 *
 * All numbers are whole: the program may have set a locale with a decimal comma.
 */

#ifndef MCA_PML_CHAMPION_RECORD_LEARNT_FILE_H
#define MCA_PML_CHAMPION_RECORD_LEARNT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)

/** Why a file is not read that champion has not written. */
#define MCA_PML_CHAMPION_LEARNT_FOREIGN "it is no such file"

/** Version of the format. */
#define MCA_PML_CHAMPION_LEARNT_VERSION 1

/** A file older than this is not believed: the machine may be another one. */
#define MCA_PML_CHAMPION_LEARNT_DAYS 90

/** What may stand in a file; larger numbers make no sense. */
#define MCA_PML_CHAMPION_LEARNT_ALPHA_MAX 1000000000000u /* 1 ms per byte */
#define MCA_PML_CHAMPION_LEARNT_NS_MAX 1000000000000u    /* 1000 s */
#define MCA_PML_CHAMPION_LEARNT_HOST_MAX 255             /* letters */

/** What is known of a host. */
typedef struct mca_pml_champion_learnt_host_t {
    char *name;
    uint64_t threads; /**< its processes that had a progress thread */
    uint64_t processes;
} mca_pml_champion_learnt_host_t;

/** What is known of messages between two hosts; 0: not known. */
typedef struct mca_pml_champion_learnt_pair_t {
    char *to, *from;
    uint64_t alpha; /**< of a transfer: fs per byte */
    uint64_t beta;  /**< of a transfer: ns */
    uint64_t wait;  /**< of messages for their receive, ns */
    uint64_t delta; /**< of receives for their message, ns */
} mca_pml_champion_learnt_pair_t;

/** Initially all zero. */
typedef struct mca_pml_champion_learnt_t {
    mca_pml_champion_learnt_host_t *hosts;
    mca_pml_champion_learnt_pair_t *pairs;
    size_t num_hosts, num_pairs;
} mca_pml_champion_learnt_t;

/** Add a fact; the names are copied. False: out of memory. */
bool mca_pml_champion_learnt_add_host(mca_pml_champion_learnt_t *learnt,
                                      const char *name, uint64_t threads,
                                      uint64_t processes);
/** Add what is known of a pair; its names are copied. False: out of memory. */
bool mca_pml_champion_learnt_add_pair(
    mca_pml_champion_learnt_t *learnt,
    const mca_pml_champion_learnt_pair_t *pair);

/** Sort, and make one of all facts about one host or pair: the sums of
 * processes, the shortest transfer, the longest waits. */
void mca_pml_champion_learnt_merge(mca_pml_champion_learnt_t *learnt);

/** Add the facts of `old` about hosts and pairs that learnt has none about, and
 * sort. Both are merged. */
void mca_pml_champion_learnt_keep(mca_pml_champion_learnt_t *learnt,
                                  const mca_pml_champion_learnt_t *old);

/** The facts about a host or a pair, or NULL. Only after _merge. */
const mca_pml_champion_learnt_host_t *mca_pml_champion_learnt_find_host(
    const mca_pml_champion_learnt_t *learnt, const char *name);
const mca_pml_champion_learnt_pair_t *mca_pml_champion_learnt_find_pair(
    const mca_pml_champion_learnt_t *learnt, const char *to, const char *from);

/** Print the facts, one a line. */
void mca_pml_champion_learnt_print(const mca_pml_champion_learnt_t *learnt,
                                   FILE *file);

/** Print a file; now: seconds since 1970. */
void mca_pml_champion_learnt_print_file(const mca_pml_champion_learnt_t *learnt,
                                        uint64_t now, FILE *file);

/** Read what _print has printed. False if anything else is in it, or memory ran
 * out. */
bool mca_pml_champion_learnt_read(mca_pml_champion_learnt_t *learnt,
                                  FILE *file);

/**
 * Read a file. now: seconds since 1970.
 *
 * @param[out] learnt  merged; empty if the file is not believed
 * @param[out] line    number of the line that is wrong, from 1; 0: none
 * @return NULL, or why the file is not believed
 */
const char *mca_pml_champion_learnt_read_file(mca_pml_champion_learnt_t *learnt,
                                              FILE *file, uint64_t now,
                                              unsigned *line);

/** Free all facts; learnt is all zero then. */
void mca_pml_champion_learnt_free(mca_pml_champion_learnt_t *learnt);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_RECORD_LEARNT_FILE_H */
