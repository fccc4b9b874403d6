/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/stuck/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef mca_pml_champion_stuck_process_t process_t;
typedef mca_pml_champion_stuck_item_t item_t;

/* Causes and processes of a cycle that are named, each. */
enum { NAMED = 3, CYCLE_NAMED = 4 };

typedef struct judge_t {
    const process_t *process;
    size_t count;
    size_t unknown; /* processes of the job */
    uint64_t least;
    bool
        assuming; /* that nobody who polls, and no thread, does something else */
    bool *lives;  /* of each: it may go on */
    size_t living; /* how many do */
    bool *marked;  /* of each: for whoever walks through them */
    mca_pml_champion_stuck_say_t say;
    void *arg;
    int lines; /* said */
    char line[512];
    size_t length;
} judge_t;

/* ---- lines ---- */

static __attribute__((format(printf, 2, 3))) void add(judge_t *judge,
                                                      const char *format, ...)
{
    const size_t room = sizeof(judge->line) - judge->length;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(judge->line + judge->length, room, format, arguments);
    va_end(arguments);
    if (length > 0) {
        judge->length += (size_t) length < room ? (size_t) length : room - 1;
    }
}

static void end_line(judge_t *judge)
{
    if (judge->lines < MCA_PML_CHAMPION_STUCK_LINES) {
        judge->say(judge->line, judge->arg);
    }
    ++judge->lines;
    judge->line[0] = '\0';
    judge->length = 0;
}

/* The marked ones: "rank 7", or "ranks 0, 1, 3 to 63"; a long list ends with
 * how many they are. */
static void add_marked(judge_t *judge)
{
    enum { PARTS = 8 };
    size_t all = 0, parts = 0;

    for (size_t i = 0; i < judge->count; ++i) {
        all += judge->marked[i];
    }
    add(judge, 1 == all ? "rank " : "ranks ");
    for (size_t i = 0, last; i < judge->count; ++i) {
        if (!judge->marked[i]) {
            continue;
        }
        for (last = i; last + 1 < judge->count && judge->marked[last + 1] &&
                       judge->process[last + 1].state.vpid ==
                           judge->process[last].state.vpid + 1;
             ++last) {
        }
        if (++parts > PARTS) {
            add(judge, " and others, %zu in all", all);
            return;
        }
        last = last == i + 1 ? i : last; /* two are no range */
        add(judge, 1 == parts ? "%u" : ", %u", judge->process[i].state.vpid);
        if (last != i) {
            add(judge, " to %u", judge->process[last].state.vpid);
            i = last;
        }
    }
}

static void add_time(judge_t *judge, uint64_t ms)
{
    if (0 != ms) {
        add(judge, " for %llu s", (unsigned long long) (ms / 1000));
    }
}

/* "(MPI_Recv, tag 7, MPI_COMM_WORLD, for 12 s)" */
static void add_wait(judge_t *judge, const process_t *process,
                     const item_t *item)
{
    add(judge, "(%s", process->state.call);
    if (item->tag >= 0) {
        add(judge, ", tag %d", item->tag);
    }
    if (MCA_PML_CHAMPION_STUCK_SEND == item->kind) {
        add(judge, ", %llu bytes", (unsigned long long) item->bytes);
    }
    add(judge, ", %s,", item->comm);
    add_time(judge, process->state.since);
    add(judge, ")");
}

size_t mca_pml_champion_stuck_place(const process_t *process, size_t count,
                                    uint32_t vpid)
{
    size_t from = 0;

    while (from < count) {
        const size_t middle = from + (count - from) / 2;

        if (process[middle].state.vpid < vpid) {
            from = middle + 1;
        } else {
            count = middle;
        }
    }
    return from;
}

size_t mca_pml_champion_stuck_first(const process_t *process, size_t count,
                                    uint64_t least)
{
    size_t i = 0;

    while (i < count && !mca_pml_champion_stuck_stands(&process[i], least)) {
        ++i;
    }
    return i;
}

/* ---- who may go on ---- */

/* It shows what it waits for. */
static bool is_waiting(const process_t *process)
{
    return MCA_PML_CHAMPION_STUCK_TOLD == process->known &&
           (MCA_PML_CHAMPION_STUCK_WAITS == process->state.where ||
            MCA_PML_CHAMPION_STUCK_POLLS == process->state.where) &&
           0 != process->state.items;
}

/* It does nothing before what it waits for has happened. */
static bool is_bound(const judge_t *judge, const process_t *process)
{
    return is_waiting(process) && process->state.since >= judge->least &&
           0 == process->state.transfers &&
           (judge->assuming ||
            (MCA_PML_CHAMPION_STUCK_WAITS == process->state.where &&
             0 == process->state.more));
}

/* It will send and receive nothing more, and those who have its last messages have
 * shown so since. */
static bool is_over(const judge_t *judge, const process_t *process)
{
    return MCA_PML_CHAMPION_STUCK_GONE == process->known ||
           (MCA_PML_CHAMPION_STUCK_TOLD == process->known &&
            process->state.since >= judge->least &&
            0 == process->state.transfers && 0 == process->state.more &&
            MCA_PML_CHAMPION_STUCK_ENDS == process->state.where);
}

static const process_t *find(const judge_t *judge, uint32_t vpid)
{
    const size_t i =
        mca_pml_champion_stuck_place(judge->process, judge->count, vpid);

    return i < judge->count && judge->process[i].state.vpid == vpid
               ? &judge->process[i]
               : NULL;
}

static bool lives(const judge_t *judge, const process_t *process)
{
    return judge->lives[process - judge->process];
}

/* May what it waits for happen? Of a process that was not asked it may. */
static bool may_happen(const judge_t *judge, const process_t *process,
                       const item_t *item)
{
    const process_t *other;

    if (0 != item->away && !judge->assuming) {
        return true;
    }
    switch (item->vpid) {
    case MCA_PML_CHAMPION_STUCK_FOREIGN:
        return true;
    case MCA_PML_CHAMPION_STUCK_ANY: /* another one */
        return judge->living + judge->unknown > lives(judge, process);
    default:
        other = find(judge, item->vpid);
        return NULL == other || lives(judge, other);
    }
}

/* The item that keeps it for ever; NULL: none does. */
static const item_t *fatal_item(const judge_t *judge, const process_t *process)
{
    const item_t *fatal = NULL;

    if (0 != process->state.one &&
        process->state.items_all > process->state.items) {
        return NULL;
    }
    for (uint32_t i = 0; i < process->state.items; ++i) {
        const item_t *item = &process->state.item[i];

        if (!may_happen(judge, process, item)) {
            fatal = NULL == fatal ? item : fatal;
        } else if (0 != process->state.one) {
            return NULL;
        }
    }
    return fatal;
}

static void find_living(judge_t *judge)
{
    bool more = true;

    judge->living = 0;
    for (size_t i = 0; i < judge->count; ++i) {
        judge->lives[i] = !is_bound(judge, &judge->process[i]) &&
                          !is_over(judge, &judge->process[i]);
        judge->living += judge->lives[i];
    }
    while (more) {
        more = false;
        for (size_t i = 0; i < judge->count; ++i) {
            if (!judge->lives[i] && is_waiting(&judge->process[i]) &&
                NULL == fatal_item(judge, &judge->process[i])) {
                judge->lives[i] = more = true;
                ++judge->living;
            }
        }
    }
}

static bool is_stuck(const judge_t *judge, const process_t *process)
{
    return is_waiting(process) && !lives(judge, process);
}

/* ---- causes ---- */

/* Is it one of Open MPI's own, by which collective operations wait? */
static bool is_internal(const item_t *item)
{
    return item->tag < -1;
}

/* A collective operation with a root, in which ranks that have another root, or
 * another count, send other messages than are awaited. */
static bool has_root(const char *call)
{
    static const char *const calls[] = {
        "MPI_Bcast",   "MPI_Reduce",  "MPI_Gather",
        "MPI_Gatherv", "MPI_Scatter", "MPI_Scatterv",
    };

    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); ++i) {
        if (0 == strcmp(calls[i], call)) {
            return true;
        }
    }
    return false;
}

/* Those that are over, in the way of the first one. */
static void add_over(judge_t *judge)
{
    mca_pml_champion_stuck_known_t known = MCA_PML_CHAMPION_STUCK_TOLD;
    size_t all = 0;

    for (size_t i = 0; i < judge->count; ++i) {
        const process_t *process = &judge->process[i];

        judge->marked[i] =
            is_over(judge, process) && (0 == all || known == process->known);
        known = judge->marked[i] ? process->known : known;
        all += judge->marked[i];
    }
    if (0 != all) {
        add(judge, ": ");
        add_marked(judge);
        add(judge, "%s %s", 1 == all ? " has" : " have",
            MCA_PML_CHAMPION_STUCK_GONE == known ? "ended"
                                                 : "called MPI_Finalize");
    }
}

static void say_never(judge_t *judge, const process_t *process,
                      const item_t *item)
{
    const process_t *other = find(judge, item->vpid);

    add(judge, "rank %u waits ", process->state.vpid);
    if (!mca_pml_champion_stuck_is_receive(item)) {
        add(judge, "for rank %u, which never receives its message ",
            item->vpid);
    } else if (MCA_PML_CHAMPION_STUCK_ANY == item->vpid) {
        add(judge, "for a message that no rank has sent ");
    } else {
        add(judge, "for a message from rank %u that was never sent ",
            item->vpid);
    }
    add_wait(judge, process, item);
    if (MCA_PML_CHAMPION_STUCK_ANY == item->vpid && is_internal(item)) {
        add_over(judge);
    } else if (NULL != other && is_over(judge, other)) {
        add(judge, ": rank %u has %s", item->vpid,
            MCA_PML_CHAMPION_STUCK_GONE == other->known
                ? "ended"
                : "called MPI_Finalize");
    } else if (NULL != other && is_stuck(judge, other)) {
        add(judge, ": rank %u is in %s on %s", item->vpid, other->state.call,
            fatal_item(judge, other)->comm);
    }
    if (is_internal(item) && has_root(process->state.call)) {
        add(judge, ": do roots or counts differ?");
    }
    end_line(judge);
}

/* How much a message that is there has in common with the receive; 0: too
 * little to have been meant. */
static int likeness(const item_t *item, const item_t *near)
{
    const bool source =
        MCA_PML_CHAMPION_STUCK_ANY == item->vpid || item->vpid == near->vpid;
    const bool tag = -1 == item->tag || item->tag == near->tag;
    const bool comm = item->context == near->context;

    if (item->tag < -1 || near->tag < 0 ||
        MCA_PML_CHAMPION_STUCK_FOREIGN == near->vpid ||
        source + tag + comm < 2) {
        return 0;
    }
    return 4 * source + 2 * comm + tag;
}

static const item_t *nearest(const process_t *process, const item_t *item)
{
    const item_t *found = NULL;
    int best = 0;

    for (uint32_t i = 0;
         mca_pml_champion_stuck_is_receive(item) && i < process->state.nears;
         ++i) {
        const int like = likeness(item, &process->state.near[i]);

        if (like > best) {
            best = like;
            found = &process->state.near[i];
        }
    }
    return found;
}

static void say_near(judge_t *judge, const process_t *process,
                     const item_t *item, const item_t *near)
{
    const char *wrong =
        MCA_PML_CHAMPION_STUCK_ANY != item->vpid && item->vpid != near->vpid
            ? "source"
        : item->context != near->context ? "communicator"
                                         : "tag";

    add(judge, "rank %u has sent rank %u ", near->vpid, process->state.vpid);
    if (1 == near->count) {
        add(judge, "a message");
    } else {
        add(judge, "%u messages", near->count);
    }
    add(judge,
        " that nobody receives: tag %d, %llu bytes, %s: is the %s wrong?",
        near->tag, (unsigned long long) near->bytes, near->comm, wrong);
    end_line(judge);
}

/* The process for which a stuck one waits first, and that is stuck, too. */
static const process_t *next_stuck(const judge_t *judge,
                                   const process_t *process)
{
    const item_t *item = fatal_item(judge, process);
    const process_t *next;

    if (MCA_PML_CHAMPION_STUCK_ANY != item->vpid) {
        next = find(judge, item->vpid);
        return NULL != next && is_stuck(judge, next) ? next : NULL;
    }
    for (size_t i = 0; i < judge->count; ++i) {
        next = &judge->process[i];
        if (next != process && is_stuck(judge, next)) {
            return next;
        }
    }
    return NULL;
}

/* May these calls be for the same operation? Any call may wait for a non-blocking
 * one. */
static bool is_same_call(const char *one, const char *other)
{
    static const char wait[] = "MPI_Wait";

    return 0 == strcmp(one, other) ||
           (0 == strncmp(one, wait, sizeof(wait) - 1) &&
            0 == strncmp(other, wait, sizeof(wait) - 1));
}

/* Is it in the collective operation of that call on that communicator? */
static bool is_in(const judge_t *judge, const process_t *process,
                  const char *call, uint32_t context)
{
    const item_t *item =
        is_stuck(judge, process) ? fatal_item(judge, process) : NULL;

    return NULL != item && item->tag < -1 && item->context == context &&
           (NULL == call || is_same_call(call, process->state.call));
}

/* Is the process, or any that may send, in a collective operation, or over? It
 * will not send then what another waits for, and if that is no collective, it is
 * the cause. In a collective operation that receives from any process, one that is
 * over is, if all others are in the same one. */
static bool is_never(const judge_t *judge, const process_t *process,
                     const item_t *item)
{
    const bool any = MCA_PML_CHAMPION_STUCK_ANY == item->vpid;
    bool over = judge->count <= 1;

    for (size_t i = 0; i < judge->count; ++i) {
        const process_t *other = &judge->process[i];

        if (other == process || (!any && item->vpid != other->state.vpid)) {
            continue;
        }
        if (is_over(judge, other)) {
            over = true;
        } else if (is_internal(item)
                       ? !any || !is_in(judge, other, process->state.call,
                                        item->context)
                       : !is_stuck(judge, other) ||
                             !is_internal(fatal_item(judge, other))) {
            return false;
        }
    }
    return item->vpid != process->state.vpid &&
           (over || !any || !is_internal(item));
}

/* Those that wait for messages which are never sent, or never received: the
 * other process does something else, or has sent something else. */
static int say_missing(judge_t *judge)
{
    int causes = 0;

    for (size_t i = 0; i < judge->count && causes < NAMED; ++i) {
        const process_t *process = &judge->process[i];
        const item_t *item =
            is_stuck(judge, process) ? fatal_item(judge, process) : NULL;
        const item_t *near = NULL == item ? NULL : nearest(process, item);

        if (NULL == item || (NULL == near && !is_never(judge, process, item))) {
            continue;
        }
        ++causes;
        say_never(judge, process, item);
        if (NULL != near) {
            say_near(judge, process, item, near);
        }
    }
    return causes;
}

/* Add those in the same operation as process i, and mark them only. */
static void add_in_same(judge_t *judge, size_t i, uint32_t context)
{
    size_t all = 0;

    for (size_t k = 0; k < judge->count; ++k) {
        judge->marked[k] = is_in(judge, &judge->process[k],
                                 judge->process[i].state.call, context);
        all += judge->marked[k];
    }
    add_marked(judge);
    add(judge, "%s in %s", 1 == all ? " is" : " are",
        judge->process[i].state.call);
}

/* A process that is in another operation on the same communicator. */
static bool say_mixed(judge_t *judge)
{
    for (size_t i = 0; i < judge->count; ++i) {
        const process_t *process = &judge->process[i];
        const item_t *item =
            is_stuck(judge, process) ? fatal_item(judge, process) : NULL;

        if (NULL == item || item->tag >= -1) {
            continue;
        }
        for (size_t k = i + 1; k < judge->count; ++k) {
            const process_t *other = &judge->process[k];

            if (is_in(judge, other, NULL, item->context) &&
                !is_in(judge, other, process->state.call, item->context)) {
                add(judge, "on %s ", item->comm);
                add_in_same(judge, i, item->context);
                add(judge, ", and ");
                add_in_same(judge, k, item->context);
                if (has_root(process->state.call) ||
                    has_root(other->state.call)) {
                    add(judge, "; or do roots or counts differ?");
                }
                end_line(judge);
                return true;
            }
        }
    }
    return false;
}

static void add_member(judge_t *judge, const process_t *process)
{
    const item_t *item = fatal_item(judge, process);

    add(judge, "rank %u for rank %u ", process->state.vpid,
        next_stuck(judge, process)->state.vpid);
    add_wait(judge, process, item);
}

/* Those that wait for each other: from the first stuck one along what each waits
 * for, until one comes again. */
static void say_cycle(judge_t *judge)
{
    const process_t *first = NULL, *process;
    size_t all = 0, named = 0;
    bool sends = true, rooted = false;

    for (size_t i = 0; i < judge->count && NULL == first; ++i) {
        first = is_stuck(judge, &judge->process[i]) ? &judge->process[i] : NULL;
    }
    for (size_t i = 0; NULL != first && i < judge->count; ++i) {
        first = next_stuck(judge, first); /* on the cycle, at last */
    }
    if (NULL == first) {
        return;
    }
    memset(judge->marked, 0, judge->count * sizeof(*judge->marked));
    process = first;
    do {
        judge->marked[process - judge->process] = true;
        sends = sends &&
                !mca_pml_champion_stuck_is_receive(fatal_item(judge, process));
        rooted = rooted || (is_internal(fatal_item(judge, process)) &&
                            has_root(process->state.call));
        process = next_stuck(judge, process);
        ++all;
    } while (process != first);
    add_marked(judge);
    add(judge, 1 == all ? " waits for itself: " : " wait for each other: ");
    do {
        add(judge, 0 == named ? "" : ", ");
        add_member(judge, process);
        process = next_stuck(judge, process);
    } while (++named < CYCLE_NAMED && process != first);
    if (process != first) {
        add(judge, ", ...");
    } else if (rooted) {
        add(judge, ": do roots or counts differ?");
    } else if (sends) {
        add(judge, ": each message waits for its receive");
    }
    end_line(judge);
}

/* ---- those that do not wait ---- */

static bool waits_for(const process_t *process, uint32_t vpid)
{
    for (uint32_t i = 0; is_waiting(process) && i < process->state.items; ++i) {
        if (vpid == process->state.item[i].vpid ||
            MCA_PML_CHAMPION_STUCK_ANY == process->state.item[i].vpid) {
            return true;
        }
    }
    return false;
}

static bool is_waited_for(const judge_t *judge, uint32_t vpid)
{
    for (size_t i = 0; i < judge->count; ++i) {
        if (waits_for(&judge->process[i], vpid)) {
            return true;
        }
    }
    return false;
}

static void say_what_it_does(judge_t *judge, const process_t *process)
{
    add(judge, "rank %u ", process->state.vpid);
    if ('\0' != *process->host) {
        add(judge, "on %s ", process->host);
    }
    switch (process->known) {
    case MCA_PML_CHAMPION_STUCK_STOPPED:
        add(judge, "is stopped by a signal");
        break;
    case MCA_PML_CHAMPION_STUCK_TRACED:
        add(judge, "is held by a debugger");
        break;
    case MCA_PML_CHAMPION_STUCK_SILENT:
        add(judge, "does not answer");
        break;
    case MCA_PML_CHAMPION_STUCK_OUT:
        add(judge, "is in no MPI call that waits,");
        break;
    case MCA_PML_CHAMPION_STUCK_TOLD:
        if (MCA_PML_CHAMPION_STUCK_GOES_ON == process->state.where) {
            add(judge, "goes on");
            break;
        }
        if (MCA_PML_CHAMPION_STUCK_OUTSIDE != process->state.where) {
            add(judge, "is in %s", process->state.call);
            break;
        }
        /* fall through */
    default:
        add(judge, MCA_PML_CHAMPION_STUCK_SLEEPS == process->known
                       ? "sleeps, in no MPI call that waits,"
                       : "computes, in no MPI call that waits,");
    }
    add_time(judge, process->state.since);
    end_line(judge);
}

/* A process of which nothing is known, for which one waits. */
static const item_t *unknown_item(const judge_t *judge,
                                  const process_t *process)
{
    for (uint32_t i = 0; is_waiting(process) && i < process->state.items; ++i) {
        const item_t *item = &process->state.item[i];

        if (MCA_PML_CHAMPION_STUCK_FOREIGN == item->vpid ||
            (MCA_PML_CHAMPION_STUCK_ANY != item->vpid &&
             NULL == find(judge, item->vpid))) {
            return item;
        }
    }
    return NULL;
}

static void say_elsewhere(judge_t *judge, const process_t *process)
{
    const item_t *item = unknown_item(judge, process);

    add(judge, "rank %u waits for ", process->state.vpid);
    if (MCA_PML_CHAMPION_STUCK_FOREIGN == item->vpid) {
        add(judge, "a process of another job ");
    } else {
        add(judge, "rank %u, which is on another node ", item->vpid);
    }
    add_wait(judge, process, item);
    end_line(judge);
}

/* Does it keep others waiting, and has for a while? */
static bool is_busy(const judge_t *judge, const process_t *process)
{
    return !is_waiting(process) && !is_over(judge, process) &&
           (process->state.since >= judge->least ||
            MCA_PML_CHAMPION_STUCK_SILENT == process->known) &&
           is_waited_for(judge, process->state.vpid);
}

/* Does it wait for one of which nothing is known? */
static bool is_elsewhere(const judge_t *judge, const process_t *process)
{
    return process->state.since >= judge->least &&
           NULL != unknown_item(judge, process);
}

/* Those that do not wait, and for which others do: what they do. Returns how
 * many it has named. */
static int say_busy(judge_t *judge)
{
    int causes = 0;

    for (size_t i = 0; i < judge->count && causes < NAMED; ++i) {
        const process_t *process = &judge->process[i];

        if (is_elsewhere(judge, process)) {
            say_elsewhere(judge, process);
            ++causes;
        } else if (is_busy(judge, process)) {
            say_what_it_does(judge, process);
            ++causes;
        }
    }
    return causes;
}

/* ---- those that suffer ---- */

static bool is_alike(const process_t *one, const process_t *other)
{
    return is_waiting(other) &&
           0 == strcmp(one->state.call, other->state.call) &&
           one->state.item[0].context == other->state.item[0].context;
}

/* All that wait, in the order of their first ones, those in the same call on the
 * same communicator together. */
static void say_waiting(judge_t *judge)
{
    for (size_t i = 0; i < judge->count; ++i) {
        const process_t *process = &judge->process[i];
        bool before = !is_waiting(process);
        size_t all = 0;

        for (size_t k = 0; k < i && !before; ++k) {
            before = is_alike(process, &judge->process[k]);
        }
        if (before) {
            continue;
        }
        for (size_t k = 0; k < judge->count; ++k) {
            judge->marked[k] = is_alike(process, &judge->process[k]);
            all += judge->marked[k];
        }
        add_marked(judge);
        add(judge, "%s in %s on %s", 1 == all ? " waits" : " wait",
            process->state.call, process->state.item[0].comm);
        end_line(judge);
    }
}

/* ---- the verdict ---- */

static size_t count_stuck(judge_t *judge)
{
    size_t stuck = 0;

    find_living(judge);
    for (size_t i = 0; i < judge->count; ++i) {
        stuck += is_stuck(judge, &judge->process[i]);
    }
    return stuck;
}

/* Both sides' counts, if they differ: a message is late, or lost. */
static void add_counts(judge_t *judge, const process_t *process,
                       const item_t *item)
{
    const bool receives = mca_pml_champion_stuck_is_receive(item);

    if (0 == item->counted || item->theirs == item->messages) {
        return;
    }
    add(judge, " (rank %u has sent rank %u %u messages, of which %u have come)",
        receives ? item->vpid : process->state.vpid,
        receives ? process->state.vpid : item->vpid,
        receives ? item->theirs : item->messages,
        receives ? item->messages : item->theirs);
}

/* What the verdict takes for granted. */
static void say_assumed(judge_t *judge)
{
    int causes = 0;

    for (size_t i = 0; i < judge->count && causes < NAMED; ++i) {
        const process_t *process = &judge->process[i];

        if (!is_stuck(judge, process)) {
            continue;
        }
        if (MCA_PML_CHAMPION_STUCK_POLLS == process->state.where ||
            0 != process->state.more) {
            add(judge,
                0 == causes++ ? "unless it does something else: rank %u %s"
                              : ", rank %u %s",
                process->state.vpid,
                0 != process->state.more ? "may do more than wait"
                                         : "polls by ");
            add(judge, "%s",
                0 != process->state.more ? "" : process->state.call);
        } else if (0 != fatal_item(judge, process)->away) {
            add(judge,
                0 == causes++ ? "unless what rank %u waits for is on its way"
                              : ", or what rank %u waits for is on its way",
                process->state.vpid);
            add_counts(judge, process, fatal_item(judge, process));
        }
    }
    if (0 != causes) {
        end_line(judge);
    }
}

static mca_pml_champion_stuck_verdict_t verdict(judge_t *judge)
{
    bool waits = false;

    for (size_t i = 0; i < judge->count; ++i) {
        waits |= is_waiting(&judge->process[i]);
    }
    if (!waits) {
        return MCA_PML_CHAMPION_STUCK_NOT;
    }
    if (0 == count_stuck(judge)) {
        judge->assuming = true;
        if (0 == count_stuck(judge)) {
            if (0 == say_busy(judge)) {
                return MCA_PML_CHAMPION_STUCK_NOT;
            }
            say_waiting(judge);
            return MCA_PML_CHAMPION_STUCK_SLOW;
        }
    }
    if (0 == say_missing(judge) && !say_mixed(judge)) {
        say_cycle(judge);
    }
    if (judge->assuming) {
        say_assumed(judge);
    }
    say_waiting(judge);
    return judge->assuming ? MCA_PML_CHAMPION_STUCK_SEEMS
                           : MCA_PML_CHAMPION_STUCK_HANGS;
}

uint64_t mca_pml_champion_stuck_sum(const process_t *process, size_t count,
                                    uint64_t least)
{
    uint64_t sum = 1;

    for (size_t i = 0; i < count; ++i) {
        mca_pml_champion_stuck_state_t state = process[i].state;

        if (!mca_pml_champion_stuck_stands(&process[i], least) &&
            MCA_PML_CHAMPION_STUCK_ENDS != state.where) {
            continue;
        }
        state.since = 0;
        for (uint32_t k = 0; k < MCA_PML_CHAMPION_STUCK_ITEMS; ++k) {
            state.item[k].theirs = state.item[k].counted = 0; /* away tells */
        }
        for (size_t k = 0; k < sizeof(state); ++k) {
            sum = 31 * sum + ((const unsigned char *) &state)[k];
        }
    }
    return 0 == sum ? 1 : sum;
}

mca_pml_champion_stuck_verdict_t mca_pml_champion_stuck_judge(
    const mca_pml_champion_stuck_job_t *job, mca_pml_champion_stuck_say_t say,
    void *arg)
{
    mca_pml_champion_stuck_verdict_t found = MCA_PML_CHAMPION_STUCK_NOT;
    judge_t judge = {
        .process = job->process,
        .count = job->count,
        .unknown = job->size > job->count ? job->size - job->count : 0,
        .least = job->least,
        .lives = calloc(job->count + 1, sizeof(bool)),
        .marked = calloc(job->count + 1, sizeof(bool)),
        .say = say,
        .arg = arg,
    };

    if (NULL != judge.lives && NULL != judge.marked) {
        found = verdict(&judge);
    }
    free(judge.lives);
    free(judge.marked);
    return found;
}
