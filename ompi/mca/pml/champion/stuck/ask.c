/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "ompi/mca/pml/champion/stuck/ask.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/chores.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/stuck/node.h"

typedef mca_pml_champion_stuck_item_t item_t;
typedef mca_pml_champion_stuck_message_t message_t;
typedef mca_pml_champion_stuck_process_t process_t;

/* ms until others of a host are asked for one that does not answer, and until
 * nobody is awaited any more; how many others, and how far from its vpid they are
 * looked for; questions for cards, in all, and to processes that are not connected
 * yet, at a time; and so many that none for counts is added; receives from any process for which all others are asked; and walks
 * along what is waited for. */
enum {
    OTHERS_MS = 1500,
    PATIENCE_MS = 4500,
    OTHERS = 3,
    AROUND = 64,
    CARDS_AT_ONCE = 8,
    AT_ONCE = 256,
    NEW_AT_ONCE = 8,
    COUNTS_MAX = 4096,
    ANYS = 16,
    WALKS = 64
};

/* In place of `with`: what the node shows. */
#define CARDS UINT32_MAX

typedef struct question_t {
    uint32_t vpid;                /* of whom it is asked */
    uint32_t with;                /* or CARDS */
    uint32_t sent, come, waiting; /* the answer, if there is one */
    bool answered;
    bool others;    /* these have been asked */
    uint64_t asked; /* when, ms; 0: not yet */
} question_t;

/* Someone who has asked, and is to be answered. */
typedef struct asker_t {
    mca_pml_champion_peer_t *peer;
    uint32_t number;
    uint32_t with; /* or CARDS */
} asker_t;

static struct {
    uint32_t number;   /* of the questions that are open */
    process_t *others; /* of other nodes, by vpid */
    size_t count, room;
    mca_pml_champion_stuck_verdict_t said; /* by their nodes */
    question_t *question;                  /* by vpid, with */
    size_t questions, question_room;
    asker_t *asker;
    size_t askers, asker_room;
    mca_pml_champion_chore_t chore; /* answers */
} ask;

/* Room for one more. False if there is no memory. */
static bool grow(void **array, size_t count, size_t *room, size_t size)
{
    void *larger;

    if (count < *room) {
        return true;
    }
    larger = realloc(*array, 2 * (count + 4) * size);
    if (NULL == larger) {
        return false;
    }
    *array = larger;
    *room = 2 * (count + 4);
    return true;
}

static void send_to(mca_pml_champion_peer_t *peer, const message_t *message,
                    size_t length, uint32_t flags)
{
    (void) mca_pml_champion_ctrl_msg_send(peer, MCA_PML_CHAMPION_AM_STUCK,
                                          message, length,
                                          UCP_AM_SEND_FLAG_EAGER | flags);
}

/* ---- answers ---- */

static void answer_cards(const asker_t *asker)
{
    struct {
        message_t message;
        process_t process;
    } card = {.message = {.vpid = OPAL_PROC_MY_NAME.vpid,
                          .what = MCA_PML_CHAMPION_STUCK_CARD,
                          .number = asker->number,
                          .said = mca_pml_champion_stuck_said()}};
    size_t count;
    process_t *process =
        mca_pml_champion_stuck_node(mca_pml_champion_stuck_now(), &count);

    for (size_t i = 0; NULL != process && i < count; ++i) {
        card.message.with = process->state.vpid;
        card.process = process[i];
        send_to(asker->peer, &card.message, sizeof(card), 0);
    }
    free(process);
}

/* What has gone between this process and that one. */
static void count_with(uint32_t vpid, uint32_t *sent, uint32_t *come,
                       uint32_t *waiting)
{
    const mca_pml_champion_peer_t *peer = mca_pml_champion.job_peers[vpid];

    mca_pml_champion_stuck_count_with(vpid, sent, come);
    *waiting = NULL == peer ? 0 : peer->backlog.waiting;
}

static void answer_counts(const asker_t *asker)
{
    message_t message = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = MCA_PML_CHAMPION_STUCK_COUNTS,
        .number = asker->number,
        .with = asker->with,
    };

    count_with(asker->with, &message.sent, &message.come, &message.waiting);
    send_to(asker->peer, &message, sizeof(message), 0);
}

/* One at a time, so that messages go on; and not in UCX's callback, which does not
 * send so much. */
static unsigned answer(void)
{
    asker_t asker;

    MCA_PML_CHAMPION_LOCKED();
    asker = ask.asker[--ask.askers];
    mca_pml_champion_chore_set(&ask.chore, 0 != ask.askers);
    (CARDS == asker.with ? answer_cards : answer_counts)(&asker);
    return 1;
}

/* Of each process the last question of a kind counts. */
static mca_pml_champion_ctrl_msg_verdict_t asked(mca_pml_champion_peer_t *peer,
                                                 const message_t *message,
                                                 uint32_t with)
{
    const asker_t asker = {
        .peer = peer, .number = message->number, .with = with};
    size_t i = 0;

    if (CARDS != with && with >= mca_pml_champion.job_size) {
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    while (i < ask.askers &&
           (ask.asker[i].peer != peer || ask.asker[i].with != with)) {
        ++i;
    }
    if (i == ask.askers) {
        if (!grow((void **) &ask.asker, ask.askers, &ask.asker_room,
                  sizeof(asker))) {
            return MCA_PML_CHAMPION_CTRL_MSG_GOOD; /* it does not wait for it */
        }
        ++ask.askers;
    }
    ask.asker[i] = asker;
    ask.chore.step = answer;
    mca_pml_champion_chore_set(&ask.chore, true);
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

/* ---- what others have answered ---- */

static process_t *find(process_t *process, size_t count, uint32_t vpid)
{
    const size_t i = mca_pml_champion_stuck_place(process, count, vpid);

    return i < count && process[i].state.vpid == vpid ? &process[i] : NULL;
}

/* The newest card of a process counts. */
static void keep(const process_t *process)
{
    const size_t i = mca_pml_champion_stuck_place(ask.others, ask.count,
                                                  process->state.vpid);

    if (i == ask.count || ask.others[i].state.vpid != process->state.vpid) {
        if (!grow((void **) &ask.others, ask.count, &ask.room,
                  sizeof(*process))) {
            return;
        }
        memmove(&ask.others[i + 1], &ask.others[i],
                (ask.count - i) * sizeof(*process));
        ++ask.count;
    }
    ask.others[i] = *process;
}

static mca_pml_champion_ctrl_msg_verdict_t got_card(const message_t *message,
                                                    const void *bytes)
{
    process_t process;

    memcpy(&process, bytes, sizeof(process));
    if (process.known > MCA_PML_CHAMPION_STUCK_SILENT ||
        process.state.vpid >= mca_pml_champion.job_size ||
        message->said > MCA_PML_CHAMPION_STUCK_HANGS ||
        message->with >= mca_pml_champion.job_size ||
        NULL == memchr(process.host, '\0', sizeof(process.host)) ||
        !mca_pml_champion_stuck_is_sound(&process.state)) {
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    process.node = message->with + 1;
    if (message->number == ask.number) {
        keep(&process);
        if (message->said > (uint32_t) ask.said) {
            ask.said = (mca_pml_champion_stuck_verdict_t) message->said;
        }
    }
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

static size_t question_at(uint32_t vpid, uint32_t with)
{
    size_t from = 0, count = ask.questions;

    while (from < count) {
        const size_t middle = from + (count - from) / 2;
        const question_t *question = &ask.question[middle];

        if (question->vpid < vpid ||
            (question->vpid == vpid && question->with < with)) {
            from = middle + 1;
        } else {
            count = middle;
        }
    }
    return from;
}

static question_t *question_of(uint32_t vpid, uint32_t with)
{
    const size_t i = question_at(vpid, with);

    return i < ask.questions && ask.question[i].vpid == vpid &&
                   ask.question[i].with == with
               ? &ask.question[i]
               : NULL;
}

static void got_counts(const message_t *message)
{
    question_t *question = message->number == ask.number
                               ? question_of(message->vpid, message->with)
                               : NULL;

    if (NULL != question) {
        question->sent = message->sent;
        question->come = message->come;
        question->waiting = message->waiting;
        question->answered = true;
    }
}

static mca_pml_champion_ctrl_msg_verdict_t received(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length)
{
    message_t message;

    MCA_PML_CHAMPION_LOCKED();
    memcpy(&message, bytes, sizeof(message));
    if (length != sizeof(message) + (MCA_PML_CHAMPION_STUCK_CARD == message.what
                                         ? sizeof(process_t)
                                         : 0)) {
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    switch (message.what) {
    case MCA_PML_CHAMPION_STUCK_ASK_CARDS:
        return asked(peer, &message, CARDS);
    case MCA_PML_CHAMPION_STUCK_ASK_COUNTS:
        return CARDS == message.with ? MCA_PML_CHAMPION_CTRL_MSG_KIND
                                     : asked(peer, &message, message.with);
    case MCA_PML_CHAMPION_STUCK_CARD:
        return got_card(&message, (const char *) bytes + sizeof(message));
    case MCA_PML_CHAMPION_STUCK_COUNTS:
        got_counts(&message);
        return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
    default:
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
}

/* ---- what is asked ---- */

static void silent(uint32_t vpid)
{
    keep(&(process_t){.known = MCA_PML_CHAMPION_STUCK_SILENT,
                      .node = vpid + 1,
                      .state = {.vpid = vpid}});
}

/* The question, new or not; NULL: there is no memory. */
static question_t *need(uint32_t vpid, uint32_t with)
{
    const size_t i = question_at(vpid, with);

    if (NULL != question_of(vpid, with)) {
        return &ask.question[i];
    }
    if (!grow((void **) &ask.question, ask.questions, &ask.question_room,
              sizeof(question_t))) {
        return NULL;
    }
    memmove(&ask.question[i + 1], &ask.question[i],
            (ask.questions - i) * sizeof(question_t));
    ++ask.questions;
    ask.question[i] = (question_t){.vpid = vpid, .with = with};
    return &ask.question[i];
}

/* What is known, and what is missing. */
typedef struct view_t {
    process_t *all;
    size_t count;
    uint64_t now, least;
    bool assuming; /* that those who may do more than wait do not */
    bool *held;    /* of each: it waits for one that is known to go on */
    bool *wanted;  /* by vpid: its card is */
    bool open;     /* an answer is awaited */
    unsigned anys; /* receives from any process that were looked at */
} view_t;

/* Is it there to be asked, and does it matter what it has sent? */
static bool is_in_mpi(const process_t *process)
{
    return MCA_PML_CHAMPION_STUCK_TOLD == process->known &&
           MCA_PML_CHAMPION_STUCK_OUTSIDE != process->state.where &&
           MCA_PML_CHAMPION_STUCK_GOES_ON != process->state.where;
}

/* May it be found to wait for ever, as judge.c has it? */
static bool stands(const view_t *view, const process_t *process)
{
    return mca_pml_champion_stuck_stands(process, view->least) &&
           0 != process->state.items && 0 == process->state.transfers &&
           (view->assuming ||
            (MCA_PML_CHAMPION_STUCK_WAITS == process->state.where &&
             0 == process->state.more));
}

/* Does it wait for one that goes on, or is held up by such? */
static bool is_held(const view_t *view, const process_t *process)
{
    for (uint32_t k = 0; k < process->state.items; ++k) {
        const uint32_t vpid = process->state.item[k].vpid;
        const size_t i =
            mca_pml_champion_stuck_place(view->all, view->count, vpid);

        if (i < view->count && view->all[i].state.vpid == vpid &&
            view->held[i]) {
            return true;
        }
        for (size_t m = 0;
             MCA_PML_CHAMPION_STUCK_ANY == vpid && m < view->count; ++m) {
            if (view->held[m]) {
                return true;
            }
        }
    }
    return false;
}

/* Those that go on, and whoever waits for them: about these nobody is asked. In a
 * job that is only slow a question or two lead to one that computes. */
static void find_held(view_t *view)
{
    bool more = true;

    for (size_t i = 0; i < view->count; ++i) {
        const process_t *process = &view->all[i];

        view->held[i] = !stands(view, process) &&
                        !(is_in_mpi(process) &&
                          MCA_PML_CHAMPION_STUCK_ENDS == process->state.where);
    }
    for (int walk = 0; more && walk < WALKS; ++walk) {
        more = false;
        for (size_t i = 0; i < view->count; ++i) {
            if (!view->held[i] && is_held(view, &view->all[i])) {
                view->held[i] = more = true;
            }
        }
    }
}

/* What has gone between the other one and the process; NULL: it is not known, or
 * not yet. */
static const question_t *counts(view_t *view, const process_t *process,
                                const process_t *other)
{
    question_t *question;

    if (!is_in_mpi(other) ||
        (ask.questions >= COUNTS_MAX &&
         NULL == question_of(other->state.vpid, process->state.vpid))) {
        return NULL;
    }
    question = need(other->state.vpid, process->state.vpid);
    if (NULL == question) {
        return NULL;
    }
    if (other->state.vpid == OPAL_PROC_MY_NAME.vpid) {
        count_with(question->with, &question->sent, &question->come,
                   &question->waiting);
        question->answered = true;
        question->asked = view->now;
    }
    if (!question->answered &&
        (0 == question->asked || view->now < question->asked + PATIENCE_MS)) {
        view->open = true;
    }
    return question->answered ? question : NULL;
}

/* May a message of the item be on its way? What is sent has come, and waits for its
 * receive. Within a node the cards tell. */
static void see_counts(view_t *view, const process_t *process, item_t *item,
                       const process_t *other)
{
    const question_t *known;

    if (process->node == other->node) {
        return;
    }
    item->away = 1;
    known = counts(view, process, other);
    if (NULL != known) {
        mca_pml_champion_stuck_compare(item, known->sent, known->come);
        item->away |=
            !mca_pml_champion_stuck_is_receive(item) && 0 == known->waiting;
    }
}

/* The same of a receive from any other process. */
static bool any_is_away(view_t *view, const process_t *process,
                        const item_t *item)
{
    uint32_t all = 0;
    bool known = true;

    if (0 == ask.count) {
        return false;
    }
    if (++view->anys > ANYS) {
        return true;
    }
    for (size_t i = 0; i < view->count; ++i) {
        const question_t *question;

        if (view->all[i].state.vpid == process->state.vpid) {
            continue;
        }
        question = counts(view, process, &view->all[i]);
        known = known && NULL != question;
        all += NULL == question ? 0 : question->sent;
    }
    return !known || all != item->messages;
}

static void want(view_t *view, uint32_t vpid)
{
    if (vpid < mca_pml_champion.job_size &&
        NULL == find(view->all, view->count, vpid)) {
        view->wanted[vpid] = true;
        view->open = true;
    }
}

static void see_item(view_t *view, const process_t *process, item_t *item)
{
    const process_t *other;

    if (MCA_PML_CHAMPION_STUCK_ANY == item->vpid) {
        for (uint32_t i = 0; i < mca_pml_champion.job_size; ++i) {
            want(view, i);
        }
        item->away = view->open || any_is_away(view, process, item);
        return;
    }
    other = find(view->all, view->count, item->vpid);
    if (NULL == other) {
        want(view, item->vpid);
    } else {
        see_counts(view, process, item, other);
    }
}

/* The same, without a question. */
static void see_unasked(const view_t *view, const process_t *process,
                        item_t *item)
{
    const process_t *other = find(view->all, view->count, item->vpid);

    if (MCA_PML_CHAMPION_STUCK_ANY == item->vpid) {
        item->away = 0 != ask.count;
    } else if (NULL != other && process->node != other->node) {
        item->away = 1;
    }
}

/* What is not known yet, of those that have waited for long, and of which nobody
 * keeps them waiting that is known. */
static void see_all(view_t *view)
{
    find_held(view);
    for (size_t i = 0; i < view->count; ++i) {
        process_t *process = &view->all[i];

        for (uint32_t k = 0; is_in_mpi(process) && k < process->state.items;
             ++k) {
            item_t *item = &process->state.item[k];

            if (view->held[i] || !stands(view, process)) {
                see_unasked(view, process, item);
            } else {
                see_item(view, process, item);
            }
        }
    }
}

/* Some of those that are wanted are asked, far from each other: their neighbours
 * often are on the same node. */
static void choose(const view_t *view)
{
    size_t all = 0, seen = 0, chosen = 0;

    for (uint32_t i = 0; i < mca_pml_champion.job_size; ++i) {
        all += view->wanted[i];
    }
    for (uint32_t i = 0; i < mca_pml_champion.job_size; ++i) {
        if (view->wanted[i] && seen++ * CARDS_AT_ONCE >= chosen * all) {
            ++chosen;
            (void) need(i, CARDS);
        }
    }
}

/* Those of this node and the others; by vpid. */
static process_t *merge(const process_t *here, size_t *count)
{
    process_t *all = calloc(*count + ask.count + 1, sizeof(*all));
    size_t i = 0, k = 0, n = 0;

    while (NULL != all && (i < *count || k < ask.count)) {
        if (k == ask.count ||
            (i < *count && here[i].state.vpid <= ask.others[k].state.vpid)) {
            k +=
                k < ask.count && here[i].state.vpid == ask.others[k].state.vpid;
            all[n++] = here[i++];
        } else {
            all[n++] = ask.others[k++];
        }
    }
    *count = n;
    return all;
}

/* The process of the job; NULL: it is not known by its rank (MPI's sessions). */
static ompi_proc_t *proc_of(uint32_t vpid)
{
    ompi_communicator_t *world = &ompi_mpi_comm_world.comm;
    ompi_proc_t *proc;

    if (NULL == world->c_remote_group ||
        (int) vpid >= ompi_group_size(world->c_remote_group)) {
        return NULL;
    }
    proc = ompi_comm_peer_lookup(world, (int) vpid);
    return NULL == proc || proc->super.proc_name.vpid != vpid ||
                   proc->super.proc_name.jobid != mca_pml_champion.my_jobid
               ? NULL
               : proc;
}

/* One of this node that shows nothing has left, or cannot. */
static bool can_be_asked(const question_t *question)
{
    const ompi_proc_t *proc = proc_of(question->vpid);

    return NULL != proc && (CARDS != question->with ||
                            !OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags));
}

static bool is_new(uint32_t vpid)
{
    return NULL ==
           mca_pml_champion_peer_known(&ompi_mpi_comm_world.comm, (int) vpid);
}

static void put(uint32_t vpid, uint32_t with, uint32_t number)
{
    const message_t message = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = CARDS == with ? MCA_PML_CHAMPION_STUCK_ASK_CARDS
                              : MCA_PML_CHAMPION_STUCK_ASK_COUNTS,
        .number = number,
        .with = with,
    };
    mca_pml_champion_peer_t *peer =
        mca_pml_champion_peer_get(&ompi_mpi_comm_world.comm, (int) vpid);

    if (NULL != peer) {
        mca_pml_champion_lock();
        send_to(peer, &message, sizeof(message),
                mca_pml_champion_ctrl_msg_reply(peer));
        mca_pml_champion_unlock();
    }
}

/* One does not answer: those beside it, of its host. */
static void put_to_others(uint32_t vpid, uint32_t number)
{
    const ompi_proc_t *proc = proc_of(vpid);
    const char *host =
        NULL == proc ? NULL : opal_get_proc_hostname(&proc->super);
    int left = OTHERS;

    for (uint32_t i = 2; NULL != host && i < 2 * AROUND && 0 != left; ++i) {
        const uint32_t other = i % 2 ? vpid - i / 2 : vpid + i / 2;
        const ompi_proc_t *beside =
            other < mca_pml_champion.job_size ? proc_of(other) : NULL;
        const char *its =
            NULL == beside || OPAL_PROC_ON_LOCAL_NODE(beside->super.proc_flags)
                ? NULL
                : opal_get_proc_hostname(&beside->super);

        if (NULL != its && 0 == strcmp(host, its)) {
            --left;
            put(other, CARDS, number);
        }
    }
}

/* The next question that is due; false: none is. */
static bool is_due(uint64_t now, bool others, question_t *due)
{
    bool found = false;

    mca_pml_champion_lock();
    for (size_t i = 0; i < ask.questions && !found; ++i) {
        question_t *question = &ask.question[i];
        const bool cards = CARDS == question->with;

        if (0 == question->asked) {
            question->asked = now;
            found = true;
        } else if (cards && others && !question->others &&
                   now >= question->asked + OTHERS_MS &&
                   NULL == find(ask.others, ask.count, question->vpid)) {
            question->others = found = true;
        } else if (cards && now >= question->asked + PATIENCE_MS &&
                   NULL == find(ask.others, ask.count, question->vpid)) {
            silent(question->vpid);
        }
        *due = *question;
    }
    mca_pml_champion_unlock();
    return found;
}

/* `others`: those beside one that does not answer are asked. */
static void put_all(uint64_t now, bool others)
{
    int left = AT_ONCE, strangers = NEW_AT_ONCE;
    question_t due;

    while (0 != left-- && 0 != strangers && is_due(now, others, &due)) {
        if (due.others) {
            put_to_others(due.vpid, ask.number);
            strangers = 0;
        } else if (can_be_asked(&due)) {
            strangers -= is_new(due.vpid);
            put(due.vpid, due.with, ask.number);
        } else if (CARDS == due.with) {
            mca_pml_champion_lock();
            silent(due.vpid);
            mca_pml_champion_unlock();
        }
    }
}

process_t *mca_pml_champion_stuck_ask(const process_t *here, size_t *known,
                                      uint64_t now, uint64_t least,
                                      bool assuming)
{
    view_t view = {.now = now, .least = least, .assuming = assuming};

    MCA_PML_CHAMPION_UNLOCKED();
    view.wanted = calloc(mca_pml_champion.job_size + 1, sizeof(bool));
    mca_pml_champion_lock();
    view.held = calloc(*known + ask.count + 1, sizeof(bool));
    view.all = merge(here, known);
    view.open = NULL == view.wanted || NULL == view.held;
    if (NULL != view.all && !view.open &&
        !MCA_MQ_OMPI_FT_ENABLED) { /* it may be a failed one that is awaited */
        view.count = *known;
        see_all(&view);
        choose(&view);
    }
    mca_pml_champion_unlock();
    free(view.held);
    free(view.wanted);
    put_all(now, assuming);
    if (view.open) {
        free(view.all);
        view.all = NULL;
    }
    return view.all;
}

mca_pml_champion_stuck_verdict_t mca_pml_champion_stuck_others_said(void)
{
    return ask.said;
}

void mca_pml_champion_stuck_ask_anew(void)
{
    mca_pml_champion_lock();
    ++ask.number;
    ask.count = ask.questions = 0;
    ask.said = MCA_PML_CHAMPION_STUCK_NOT;
    mca_pml_champion_unlock();
}

static int asks_open(void)
{
    static const mca_pml_champion_ctrl_msg_kind_t kind = {
        .id = MCA_PML_CHAMPION_AM_STUCK,
        .name = "STUCK",
        .least = sizeof(message_t),
        .most = sizeof(message_t) + sizeof(process_t),
        .by = MCA_PML_CHAMPION_CTRL_MSG_BY_VPID,
        .handler = received,
    };

    mca_pml_champion_ctrl_msg_register(&kind);
    return OMPI_SUCCESS;
}

static void asks_close(void)
{
    free(ask.others);
    free(ask.question);
    free(ask.asker);
    ask.others = NULL;
    ask.question = NULL;
    ask.asker = NULL;
    ask.count = ask.room = ask.questions = ask.question_room = 0;
    ask.askers = ask.asker_room = 0;
    mca_pml_champion_chore_set(&ask.chore, false);
}

MCA_PML_CHAMPION_UNIT(asks) = {
    .name = "questions between nodes", .open = asks_open, .close = asks_close};
