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
 * looked for; questions for cards, and in all, at a time; and receives from any process for
 * which all are asked. */
enum {
    OTHERS_MS = 1500,
    PATIENCE_MS = 4500,
    OTHERS = 3,
    AROUND = 64,
    CARDS_AT_ONCE = 8,
    AT_ONCE = 256,
    ANYS = 16
};

/* In place of `to`: what the node shows. */
#define CARDS UINT32_MAX

typedef struct question_t {
    uint32_t vpid; /* of whom it is asked */
    uint32_t to;   /* or CARDS */
    uint32_t sent; /* the answer, if there is one */
    bool answered;
    bool others;    /* these have been asked */
    uint64_t asked; /* when, ms; 0: not yet */
} question_t;

/* Someone who has asked; what for. */
typedef struct asker_t {
    mca_pml_champion_peer_t *peer;
    uint32_t number;
    uint32_t to;   /* or CARDS */
    bool answered; /* it is kept to be told of a report */
} asker_t;

static struct {
    uint32_t number;   /* of the questions that are open */
    process_t *others; /* of other nodes, by vpid */
    size_t count, room;
    question_t *question; /* by vpid, to */
    size_t questions, question_room;
    asker_t *asker;
    size_t askers, asker_room;
    mca_pml_champion_chore_t chore;        /* answers */
    mca_pml_champion_stuck_verdict_t said; /* of the last report */
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

static bool send_to(mca_pml_champion_peer_t *peer, const message_t *message,
                    size_t length)
{
    return UCS_OK == mca_pml_champion_ctrl_msg_send(
                         peer, MCA_PML_CHAMPION_AM_STUCK, message, length,
                         UCP_AM_SEND_FLAG_EAGER | UCP_AM_SEND_FLAG_REPLY);
}

static void tell(mca_pml_champion_peer_t *peer,
                 mca_pml_champion_stuck_verdict_t verdict, bool said)
{
    const message_t message = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = MCA_PML_CHAMPION_STUCK_TELL,
        .to = verdict,
        .sent = said,
    };

    (void) send_to(peer, &message, sizeof(message));
}

/* ---- answers ---- */

static void answer_cards(const asker_t *asker)
{
    struct {
        message_t message;
        process_t process;
    } card = {.message = {.vpid = OPAL_PROC_MY_NAME.vpid,
                          .what = MCA_PML_CHAMPION_STUCK_ANSWER_CARD,
                          .number = asker->number}};
    size_t count;
    process_t *process =
        mca_pml_champion_stuck_node(mca_pml_champion_stuck_now(), &count);

    for (size_t i = 0; NULL != process && i < count; ++i) {
        card.process = process[i];
        (void) send_to(asker->peer, &card.message, sizeof(card));
    }
    free(process);
    if (MCA_PML_CHAMPION_STUCK_NOT != ask.said) {
        tell(asker->peer, ask.said, true);
    }
}

static uint32_t sent_to(uint32_t vpid)
{
    const mca_pml_champion_peer_t *peer = mca_pml_champion.job_peers[vpid];

    return NULL == peer ? 0 : peer->send_sequence;
}

static void answer_sent(const asker_t *asker)
{
    const message_t message = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = MCA_PML_CHAMPION_STUCK_ANSWER_SENT,
        .number = asker->number,
        .to = asker->to,
        .sent = sent_to(asker->to),
    };

    (void) send_to(asker->peer, &message, sizeof(message));
}

/* Not in UCX's callback, which does not send so much. */
static unsigned answer_all(void)
{
    unsigned answers = 0;

    MCA_PML_CHAMPION_LOCKED();
    mca_pml_champion_chore_set(&ask.chore, false);
    for (size_t i = 0; i < ask.askers; ++i) {
        asker_t *asker = &ask.asker[i];

        if (!asker->answered) {
            asker->answered = true;
            ++answers;
            (CARDS == asker->to ? answer_cards : answer_sent)(asker);
        }
    }
    return answers;
}

/* Of each process the last question of a kind is kept. */
static mca_pml_champion_ctrl_msg_verdict_t asked(mca_pml_champion_peer_t *peer,
                                                 const message_t *message,
                                                 uint32_t to)
{
    const asker_t asker = {.peer = peer, .number = message->number, .to = to};
    size_t i = 0;

    if (CARDS != to && to >= mca_pml_champion.job_size) {
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    while (i < ask.askers &&
           (ask.asker[i].peer != peer || ask.asker[i].to != to)) {
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
    ask.chore.step = answer_all;
    mca_pml_champion_chore_set(&ask.chore, true);
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

/* ---- what others have answered ---- */

static size_t place_of(const process_t *process, size_t count, uint32_t vpid)
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

static process_t *find(process_t *process, size_t count, uint32_t vpid)
{
    const size_t i = place_of(process, count, vpid);

    return i < count && process[i].state.vpid == vpid ? &process[i] : NULL;
}

/* The newest card of a process counts. */
static void keep(const process_t *process)
{
    const size_t i = place_of(ask.others, ask.count, process->state.vpid);

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

static bool ends(const char *name)
{
    return NULL != memchr(name, '\0', MCA_PML_CHAMPION_STUCK_NAME);
}

static bool are_good(const item_t *item, uint32_t count, uint32_t most)
{
    bool good = count <= most;

    for (uint32_t i = 0; good && i < count; ++i) {
        good = ends(item[i].comm);
    }
    return good;
}

static mca_pml_champion_ctrl_msg_verdict_t got_card(const message_t *message,
                                                    const void *bytes)
{
    process_t process;

    memcpy(&process, bytes, sizeof(process));
    if (process.known > MCA_PML_CHAMPION_STUCK_SILENT ||
        process.state.where > MCA_PML_CHAMPION_STUCK_ENDS ||
        process.state.vpid >= mca_pml_champion.job_size ||
        !ends(process.host) || !ends(process.state.call) ||
        !are_good(process.state.item, process.state.items,
                  MCA_PML_CHAMPION_STUCK_ITEMS) ||
        !are_good(process.state.near, process.state.nears,
                  MCA_PML_CHAMPION_STUCK_NEAR)) {
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    process.node = message->vpid + 1;
    if (message->number == ask.number) {
        keep(&process);
    }
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

static size_t question_at(uint32_t vpid, uint32_t to)
{
    size_t from = 0, count = ask.questions;

    while (from < count) {
        const size_t middle = from + (count - from) / 2;
        const question_t *question = &ask.question[middle];

        if (question->vpid < vpid ||
            (question->vpid == vpid && question->to < to)) {
            from = middle + 1;
        } else {
            count = middle;
        }
    }
    return from;
}

static question_t *question_of(uint32_t vpid, uint32_t to)
{
    const size_t i = question_at(vpid, to);

    return i < ask.questions && ask.question[i].vpid == vpid &&
                   ask.question[i].to == to
               ? &ask.question[i]
               : NULL;
}

static void got_sent(const message_t *message)
{
    question_t *question = message->number == ask.number
                               ? question_of(message->vpid, message->to)
                               : NULL;

    if (NULL != question) {
        question->sent = message->sent;
        question->answered = true;
    }
}

static mca_pml_champion_ctrl_msg_verdict_t received(
    mca_pml_champion_peer_t *peer, const void *bytes, size_t length)
{
    message_t message;

    MCA_PML_CHAMPION_LOCKED();
    memcpy(&message, bytes, sizeof(message));
    if (message.what >= MCA_PML_CHAMPION_STUCK_KINDS ||
        (length != sizeof(message)) !=
            (MCA_PML_CHAMPION_STUCK_ANSWER_CARD == message.what) ||
        (length != sizeof(message) &&
         length != sizeof(message) + sizeof(process_t))) {
        return MCA_PML_CHAMPION_CTRL_MSG_KIND;
    }
    switch (message.what) {
    case MCA_PML_CHAMPION_STUCK_ASK_CARDS:
        return asked(peer, &message, CARDS);
    case MCA_PML_CHAMPION_STUCK_ASK_SENT:
        return CARDS == message.to ? MCA_PML_CHAMPION_CTRL_MSG_KIND
                                   : asked(peer, &message, message.to);
    case MCA_PML_CHAMPION_STUCK_ANSWER_CARD:
        return got_card(&message, (const char *) bytes + sizeof(message));
    case MCA_PML_CHAMPION_STUCK_ANSWER_SENT:
        got_sent(&message);
        break;
    default:
        if (message.to > MCA_PML_CHAMPION_STUCK_HANGS) {
            return MCA_PML_CHAMPION_CTRL_MSG_KIND;
        }
        mca_pml_champion_stuck_words.told = mca_pml_champion_stuck_now();
        if (0 != message.sent && MCA_PML_CHAMPION_STUCK_NOT != message.to) {
            (void) mca_pml_champion_stuck_claim(
                (mca_pml_champion_stuck_verdict_t) message.to);
        }
    }
    return MCA_PML_CHAMPION_CTRL_MSG_GOOD;
}

/* ---- what is asked ---- */

static void silent(uint32_t vpid)
{
    keep(&(process_t){.known = MCA_PML_CHAMPION_STUCK_SILENT,
                      .node = vpid + 1,
                      .state = {.vpid = vpid}});
}

/* The question, new or not; NULL: there is no memory. */
static question_t *need(uint32_t vpid, uint32_t to)
{
    const size_t i = question_at(vpid, to);

    if (i < ask.questions && ask.question[i].vpid == vpid &&
        ask.question[i].to == to) {
        return &ask.question[i];
    }
    if (!grow((void **) &ask.question, ask.questions, &ask.question_room,
              sizeof(question_t))) {
        return NULL;
    }
    memmove(&ask.question[i + 1], &ask.question[i],
            (ask.questions - i) * sizeof(question_t));
    ++ask.questions;
    ask.question[i] = (question_t){.vpid = vpid, .to = to};
    return &ask.question[i];
}

/* How the others stand, from a process's point of view. */
typedef struct view_t {
    process_t *all;
    size_t count;
    uint64_t now, least;
    bool *wanted;  /* by vpid: its card is */
    bool open;     /* an answer is awaited */
    unsigned anys; /* receives from any process that were looked at */
} view_t;

static bool is_receive(const item_t *item)
{
    return MCA_PML_CHAMPION_STUCK_RECEIVE == item->kind ||
           MCA_PML_CHAMPION_STUCK_PROBE == item->kind;
}

/* Is it there to be asked, and does it matter how much it has sent? */
static bool is_in_mpi(const process_t *process)
{
    return MCA_PML_CHAMPION_STUCK_TOLD == process->known &&
           MCA_PML_CHAMPION_STUCK_OUTSIDE != process->state.where &&
           MCA_PML_CHAMPION_STUCK_GOES_ON != process->state.where;
}

/* How many messages the other one has sent to the process. False: it is not
 * known, or not yet. */
static bool is_known(view_t *view, const process_t *process,
                     const process_t *other, uint32_t *sent)
{
    const question_t *question;

    if (!is_in_mpi(other)) {
        return false;
    }
    if (other->state.vpid == OPAL_PROC_MY_NAME.vpid) {
        *sent = sent_to(process->state.vpid);
        return true;
    }
    question = need(other->state.vpid, process->state.vpid);
    if (NULL == question) {
        return false;
    }
    if (!question->answered &&
        (0 == question->asked || view->now < question->asked + PATIENCE_MS)) {
        view->open = true;
    }
    *sent = question->sent;
    return question->answered;
}

/* May a message for the receive be on its way? */
static bool is_away(view_t *view, const process_t *process, const item_t *item,
                    const process_t *other)
{
    uint32_t sent;

    return is_receive(item) && process->node != other->node &&
           (!is_known(view, process, other, &sent) || sent != item->received);
}

/* The same of one from any other process. */
static bool any_is_away(view_t *view, const process_t *process,
                        const item_t *item)
{
    uint32_t sent, all = 0;
    bool known = true;

    if (0 == ask.count) {
        return false;
    }
    if (++view->anys > ANYS) {
        return true;
    }
    for (size_t i = 0; i < view->count; ++i) {
        const process_t *other = &view->all[i];

        if (other->state.vpid == process->state.vpid) {
            continue;
        }
        if (is_known(view, process, other, &sent)) {
            all += sent;
        } else {
            known = false;
        }
    }
    return !known || all != item->received;
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
        item->away = is_away(view, process, item, other);
    }
}

/* What is not known yet, of those that have waited for long. */
static void see_all(view_t *view)
{
    for (size_t i = 0; i < view->count; ++i) {
        process_t *process = &view->all[i];

        if (!is_in_mpi(process) || process->state.since < view->least) {
            continue;
        }
        for (uint32_t k = 0; k < process->state.items; ++k) {
            see_item(view, process, &process->state.item[k]);
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

    return NULL != proc && (CARDS != question->to ||
                            !OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags));
}

static void put(uint32_t vpid, uint32_t to, uint32_t number)
{
    const message_t message = {
        .vpid = OPAL_PROC_MY_NAME.vpid,
        .what = CARDS == to ? MCA_PML_CHAMPION_STUCK_ASK_CARDS
                            : MCA_PML_CHAMPION_STUCK_ASK_SENT,
        .number = number,
        .to = to,
    };
    mca_pml_champion_peer_t *peer =
        mca_pml_champion_peer_get(&ompi_mpi_comm_world.comm, (int) vpid);

    if (NULL != peer) {
        mca_pml_champion_lock();
        (void) send_to(peer, &message, sizeof(message));
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
static bool is_due(uint64_t now, question_t *due)
{
    bool found = false;

    mca_pml_champion_lock();
    for (size_t i = 0; i < ask.questions && !found; ++i) {
        question_t *question = &ask.question[i];
        const bool cards = CARDS == question->to;

        if (0 == question->asked) {
            question->asked = now;
            found = true;
        } else if (cards && !question->others &&
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

static void put_all(uint64_t now)
{
    question_t due;

    for (int left = AT_ONCE; 0 != left && is_due(now, &due); --left) {
        if (due.others) {
            put_to_others(due.vpid, ask.number);
        } else if (can_be_asked(&due)) {
            put(due.vpid, due.to, ask.number);
        } else if (CARDS == due.to) {
            mca_pml_champion_lock();
            silent(due.vpid);
            mca_pml_champion_unlock();
        }
    }
}

/* Does one of another node stand that has a lower vpid? */
static bool is_after_others(uint64_t least)
{
    for (size_t i = 0;
         i < ask.count && ask.others[i].state.vpid < OPAL_PROC_MY_NAME.vpid;
         ++i) {
        if (mca_pml_champion_stuck_stands(&ask.others[i], least)) {
            return true;
        }
    }
    return false;
}

process_t *mca_pml_champion_stuck_ask(const process_t *here, size_t *count,
                                      uint64_t now, uint64_t least, bool all)
{
    view_t view = {.now = now, .least = least};
    bool enough;

    MCA_PML_CHAMPION_UNLOCKED();
    view.wanted = calloc(mca_pml_champion.job_size + 1, sizeof(bool));
    mca_pml_champion_lock();
    view.all = NULL == view.wanted ? NULL : merge(here, count);
    enough = !all && is_after_others(least);
    if (NULL != view.all && !enough) {
        view.count = *count;
        see_all(&view);
        choose(&view);
    }
    mca_pml_champion_unlock();
    free(view.wanted);
    if (!enough) {
        put_all(now);
    }
    if (view.open) {
        free(view.all);
        view.all = NULL;
    }
    return view.all;
}

void mca_pml_champion_stuck_ask_anew(void)
{
    mca_pml_champion_lock();
    ++ask.number;
    ask.count = ask.questions = 0;
    mca_pml_champion_unlock();
}

void mca_pml_champion_stuck_tell(mca_pml_champion_stuck_verdict_t verdict,
                                 bool said)
{
    mca_pml_champion_lock();
    ask.said = said ? verdict : ask.said;
    for (size_t i = 0; i < ask.askers; ++i) {
        if (CARDS == ask.asker[i].to) { /* before all else */
            tell(ask.asker[i].peer, verdict, said);
        }
    }
    for (size_t i = 0; i < ask.count; ++i) {
        const uint32_t node = ask.others[i].node - 1;

        if (node == ask.others[i].state.vpid &&
            NULL != mca_pml_champion.job_peers[node]) {
            tell(mca_pml_champion.job_peers[node], verdict, said);
        }
    }
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
    ask.said = MCA_PML_CHAMPION_STUCK_NOT;
    mca_pml_champion_chore_set(&ask.chore, false);
}

MCA_PML_CHAMPION_UNIT(asks) = {
    .name = "questions between nodes", .open = asks_open, .close = asks_close};
