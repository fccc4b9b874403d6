/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/record/learnt_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The longest line: two names, four numbers of 20 digits. */
#define LINE_MAX_LENGTH (2 * MCA_PML_CHAMPION_LEARNT_HOST_MAX + 128)
#define NAME "%255s"

typedef mca_pml_champion_learnt_t learnt_t;
typedef mca_pml_champion_learnt_host_t host_t;
typedef mca_pml_champion_learnt_pair_t pair_t;
typedef char name_t[MCA_PML_CHAMPION_LEARNT_HOST_MAX + 1];

/* ---- facts -------------------------------------------------------------- */

/* Room for one more: arrays have a power of two elements. */
static bool grow(void **array, size_t used, size_t element)
{
    void *larger;

    if (0 != (used & (used - 1))) {
        return true;
    }
    larger = realloc(*array, (0 == used ? 1 : 2 * used) * element);
    if (NULL == larger) {
        return false;
    }
    *array = larger;
    return true;
}

bool mca_pml_champion_learnt_add_host(learnt_t *learnt, const char *name,
                                      uint64_t threads, uint64_t processes)
{
    void *hosts = learnt->hosts;
    char *copy = strdup(name);

    if (NULL == copy || !grow(&hosts, learnt->num_hosts, sizeof(host_t))) {
        free(copy);
        return false;
    }
    learnt->hosts = hosts;
    learnt->hosts[learnt->num_hosts++] =
        (host_t){.name = copy, .threads = threads, .processes = processes};
    return true;
}

bool mca_pml_champion_learnt_add_pair(learnt_t *learnt, const pair_t *pair)
{
    void *pairs = learnt->pairs;
    pair_t copy = *pair;

    copy.to = strdup(pair->to);
    copy.from = strdup(pair->from);
    if (NULL == copy.to || NULL == copy.from ||
        !grow(&pairs, learnt->num_pairs, sizeof(pair_t))) {
        free(copy.to);
        free(copy.from);
        return false;
    }
    learnt->pairs = pairs;
    learnt->pairs[learnt->num_pairs++] = copy;
    return true;
}

void mca_pml_champion_learnt_free(learnt_t *learnt)
{
    for (size_t i = 0; i < learnt->num_hosts; ++i) {
        free(learnt->hosts[i].name);
    }
    for (size_t i = 0; i < learnt->num_pairs; ++i) {
        free(learnt->pairs[i].to);
        free(learnt->pairs[i].from);
    }
    free(learnt->hosts);
    free(learnt->pairs);
    memset(learnt, 0, sizeof(*learnt));
}

/* ---- sorting and finding ------------------------------------------------ */

static int compare_hosts(const void *a, const void *b)
{
    return strcmp(((const host_t *) a)->name, ((const host_t *) b)->name);
}

static int compare_pairs(const void *a, const void *b)
{
    const pair_t *one = a, *other = b;
    const int order = strcmp(one->to, other->to);

    return 0 != order ? order : strcmp(one->from, other->from);
}

static void sort(learnt_t *learnt)
{
    if (learnt->num_hosts > 1) {
        qsort(learnt->hosts, learnt->num_hosts, sizeof(host_t), compare_hosts);
    }
    if (learnt->num_pairs > 1) {
        qsort(learnt->pairs, learnt->num_pairs, sizeof(pair_t), compare_pairs);
    }
}

/* Is the time of transfers of a pair known, and shorter than that of another?
 * At 1 MiB, in ps, which fits. */
static bool is_faster(const pair_t *one, const pair_t *other)
{
    const uint64_t mib = (uint64_t) 1 << 20;
    const uint64_t mine = one->alpha / 1000 * mib + one->beta * 1000;
    const uint64_t others = other->alpha / 1000 * mib + other->beta * 1000;

    return 0 != mine && (0 == others || mine < others);
}

static void join_pair(pair_t *kept, pair_t *next)
{
    if (is_faster(next, kept)) {
        kept->alpha = next->alpha;
        kept->beta = next->beta;
    }
    kept->wait = next->wait > kept->wait ? next->wait : kept->wait;
    kept->delta = next->delta > kept->delta ? next->delta : kept->delta;
    free(next->to);
    free(next->from);
}

static void join_hosts(learnt_t *learnt)
{
    size_t kept = 0;

    for (size_t i = 1; i < learnt->num_hosts; ++i) {
        host_t *last = &learnt->hosts[kept], *next = &learnt->hosts[i];

        if (0 != compare_hosts(last, next)) {
            learnt->hosts[++kept] = *next;
            continue;
        }
        last->threads += next->threads;
        last->processes += next->processes;
        free(next->name);
    }
    learnt->num_hosts = 0 == learnt->num_hosts ? 0 : kept + 1;
}

static void join_pairs(learnt_t *learnt)
{
    size_t kept = 0;

    for (size_t i = 1; i < learnt->num_pairs; ++i) {
        pair_t *next = &learnt->pairs[i];

        if (0 != compare_pairs(&learnt->pairs[kept], next)) {
            learnt->pairs[++kept] = *next;
        } else {
            join_pair(&learnt->pairs[kept], next);
        }
    }
    learnt->num_pairs = 0 == learnt->num_pairs ? 0 : kept + 1;
}

void mca_pml_champion_learnt_merge(learnt_t *learnt)
{
    sort(learnt);
    join_hosts(learnt);
    join_pairs(learnt);
}

const host_t *mca_pml_champion_learnt_find_host(const learnt_t *learnt,
                                                const char *name)
{
    const host_t key = {.name = (char *) (uintptr_t) name};

    return 0 == learnt->num_hosts
               ? NULL
               : bsearch(&key, learnt->hosts, learnt->num_hosts, sizeof(key),
                         compare_hosts);
}

const pair_t *mca_pml_champion_learnt_find_pair(const learnt_t *learnt,
                                                const char *to,
                                                const char *from)
{
    const pair_t key = {.to = (char *) (uintptr_t) to,
                        .from = (char *) (uintptr_t) from};

    return 0 == learnt->num_pairs
               ? NULL
               : bsearch(&key, learnt->pairs, learnt->num_pairs, sizeof(key),
                         compare_pairs);
}

void mca_pml_champion_learnt_keep(learnt_t *learnt, const learnt_t *old)
{
    /* What is added is behind those that are sorted. */
    learnt_t known = *learnt;

    for (size_t i = 0; i < old->num_hosts; ++i) {
        const host_t *host = &old->hosts[i];

        known.hosts = learnt->hosts;
        if (NULL == mca_pml_champion_learnt_find_host(&known, host->name)) {
            (void) mca_pml_champion_learnt_add_host(
                learnt, host->name, host->threads, host->processes);
        }
    }
    for (size_t i = 0; i < old->num_pairs; ++i) {
        const pair_t *pair = &old->pairs[i];

        known.pairs = learnt->pairs;
        if (NULL ==
            mca_pml_champion_learnt_find_pair(&known, pair->to, pair->from)) {
            (void) mca_pml_champion_learnt_add_pair(learnt, pair);
        }
    }
    sort(learnt);
}

/* ---- text --------------------------------------------------------------- */

void mca_pml_champion_learnt_print(const learnt_t *learnt, FILE *file)
{
    for (size_t i = 0; i < learnt->num_hosts; ++i) {
        const host_t *host = &learnt->hosts[i];

        fprintf(file, "host %s %" PRIu64 " %" PRIu64 "\n", host->name,
                host->threads, host->processes);
    }
    for (size_t i = 0; i < learnt->num_pairs; ++i) {
        const pair_t *pair = &learnt->pairs[i];

        fprintf(file,
                "pair %s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                pair->to, pair->from, pair->alpha, pair->beta, pair->wait,
                pair->delta);
    }
}

void mca_pml_champion_learnt_print_file(const learnt_t *learnt, uint64_t now,
                                        FILE *file)
{
    fprintf(file, "champion learnt %d %" PRIu64 "\n",
            MCA_PML_CHAMPION_LEARNT_VERSION, now);
    mca_pml_champion_learnt_print(learnt, file);
    fprintf(file, "end %zu\n", learnt->num_hosts + learnt->num_pairs);
}

typedef enum { GOOD, WRONG, NO_MEMORY } verdict_t;

static verdict_t added(bool done)
{
    return done ? GOOD : NO_MEMORY;
}

static verdict_t read_host(learnt_t *learnt, const char *line)
{
    name_t name;
    uint64_t threads, processes;
    int end = 0;

    if (3 != sscanf(line, "host " NAME " %" SCNu64 " %" SCNu64 "%n", name,
                    &threads, &processes, &end) ||
        '\0' != line[end] || processes > UINT32_MAX || threads > processes) {
        return WRONG;
    }
    return added(
        mca_pml_champion_learnt_add_host(learnt, name, threads, processes));
}

static verdict_t read_pair(learnt_t *learnt, const char *line)
{
    name_t to, from;
    pair_t pair = {.to = to, .from = from};
    int end = 0;

    if (6 != sscanf(line,
                    "pair " NAME " " NAME " %" SCNu64 " %" SCNu64 " %" SCNu64
                    " %" SCNu64 "%n",
                    to, from, &pair.alpha, &pair.beta, &pair.wait, &pair.delta,
                    &end) ||
        '\0' != line[end] || pair.alpha > MCA_PML_CHAMPION_LEARNT_ALPHA_MAX ||
        pair.beta > MCA_PML_CHAMPION_LEARNT_NS_MAX ||
        pair.wait > MCA_PML_CHAMPION_LEARNT_NS_MAX ||
        pair.delta > MCA_PML_CHAMPION_LEARNT_NS_MAX) {
        return WRONG;
    }
    return added(mca_pml_champion_learnt_add_pair(learnt, &pair));
}

static verdict_t read_fact(learnt_t *learnt, const char *line)
{
    return 'h' == *line ? read_host(learnt, line) : read_pair(learnt, line);
}

/* A whole line without its end, in which there is no zero byte. */
static bool next_line(FILE *file, char line[LINE_MAX_LENGTH])
{
    size_t length;

    if (NULL == fgets(line, LINE_MAX_LENGTH, file)) {
        return false;
    }
    length = strlen(line);
    if (0 == length || '\n' != line[length - 1]) {
        return false;
    }
    line[length - 1] = '\0';
    return true;
}

bool mca_pml_champion_learnt_read(learnt_t *learnt, FILE *file)
{
    char line[LINE_MAX_LENGTH];

    while (next_line(file, line)) {
        if (GOOD != read_fact(learnt, line)) {
            return false;
        }
    }
    return feof(file);
}

static const char *read_head(FILE *file, uint64_t now)
{
    const uint64_t day = 24 * 60 * 60;
    char line[LINE_MAX_LENGTH];
    uint64_t version, written;
    int end = 0;

    if (!next_line(file, line)) {
        return feof(file) && 0 == ftell(file) ? "it is empty"
                                              : MCA_PML_CHAMPION_LEARNT_FOREIGN;
    }
    if (1 != sscanf(line, "champion learnt %" SCNu64 " ", &version)) {
        return MCA_PML_CHAMPION_LEARNT_FOREIGN;
    }
    if (MCA_PML_CHAMPION_LEARNT_VERSION != version) {
        return "it is of another version of champion";
    }
    if (1 != sscanf(line, "champion learnt 1 %" SCNu64 "%n", &written, &end) ||
        '\0' != line[end] || written > now + day) {
        return "it is damaged";
    }
    return written + MCA_PML_CHAMPION_LEARNT_DAYS * day < now
               ? "it is older than 90 days"
               : NULL;
}

/* The lines after the first. */
static const char *read_body(learnt_t *learnt, FILE *file, unsigned *number)
{
    char line[LINE_MAX_LENGTH];
    uint64_t facts;
    int end = 0;

    for (*number = 2; next_line(file, line); ++*number) {
        verdict_t verdict;

        if (1 == sscanf(line, "end %" SCNu64 "%n", &facts, &end) &&
            '\0' == line[end] && facts == *number - 2 && EOF == getc(file)) {
            *number = 0;
            return NULL;
        }
        verdict = read_fact(learnt, line);
        if (GOOD != verdict) {
            return WRONG == verdict ? "it is damaged" : "memory ran out";
        }
    }
    return feof(file) ? "it is cut off" : "it is damaged";
}

const char *mca_pml_champion_learnt_read_file(learnt_t *learnt, FILE *file,
                                              uint64_t now, unsigned *line)
{
    const char *why;

    memset(learnt, 0, sizeof(*learnt));
    *line = 0;
    why = read_head(file, now);
    if (NULL != why) {
        *line = 1;
        return why;
    }
    why = read_body(learnt, file, line);
    if (NULL != why) {
        mca_pml_champion_learnt_free(learnt);
        return why;
    }
    mca_pml_champion_learnt_merge(learnt);
    return NULL;
}
