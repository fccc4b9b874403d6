/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of messages: random sequences, compared with a naive model after
 * each step. pml_random.h describes how to set the seed and the number of
 * steps.
 */

#include "reorder_world.h"

#include <stdio.h>

#include "pml_random.h"

/* ---- the model ---------------------------------------------------------- */

enum { SENT_MAX = 400, POSTED_MAX = 4, STEPS = 600 };

/* What has become of a message. */
typedef enum {
    UNDER_WAY,
    HELD,     /* arrived out of order */
    PARKED,   /* its communicator is not known */
    QUEUED,   /* unexpected */
    RECEIVED, /* received */
    GONE
} fate_t;

typedef struct model_message_t {
    reorder_message_t super;
    fate_t fate;
    bool matched_early, recalled;
} model_message_t;

/* A line of messages, or of receives. */
typedef struct line_t {
    reorder_id_t ids[REORDER_PEERS * SENT_MAX];
    uint32_t count;
} line_t;

static struct {
    model_message_t sent[REORDER_PEERS][SENT_MAX];
    uint32_t num_sent[REORDER_PEERS];
    uint32_t next[REORDER_PEERS]; /* sequence number to be matched next */
    bool there[REORDER_CONTEXTS]; /* communicators */
    line_t matched, parked;
    line_t queued[REORDER_CONTEXTS][2]; /* of the user, and of MPI */
    reorder_receive_t *posted[REORDER_CONTEXTS][2][POSTED_MAX];
    uint32_t num_posted[REORDER_CONTEXTS][2];
    uint32_t answers, turns;
    mca_pml_champion_withdrawal_t answer_what;
    uint64_t acks, ack_sum;
} model;

static model_message_t *model_at(reorder_id_t id)
{
    return &model.sent[id.peer][id.index];
}

static void line_add(line_t *line, reorder_id_t id)
{
    line->ids[line->count++] = id;
}

static bool line_remove(line_t *line, reorder_id_t id)
{
    for (uint32_t i = 0; i < line->count; ++i) {
        if (line->ids[i].peer == id.peer && line->ids[i].index == id.index) {
            --line->count;
            memmove(&line->ids[i], &line->ids[i + 1],
                    (line->count - i) * sizeof(line->ids[0]));
            return true;
        }
    }
    return false;
}

static void model_fate(reorder_id_t id, fate_t fate)
{
    model_message_t *message = model_at(id);

    message->fate = fate;
    if (RECEIVED == fate || GONE == fate) {
        model.acks += 0 != message->super.token;
        model.ack_sum += message->super.token;
    }
}

static void expect_in(reorder_receive_t *receive, reorder_id_t id)
{
    assert_true(receive->super.done);
    assert_int_equal(id.peer, receive->buffer.id.peer);
    assert_int_equal(id.index, receive->buffer.id.index);
    free(receive);
}

static void model_match(reorder_id_t id)
{
    const reorder_message_t *message = &model_at(id)->super;
    const uint32_t context = message->context - REORDER_ORDERED;
    const bool internal = message->tag < 0;
    reorder_receive_t **posted = model.posted[context][internal];

    if (!model.there[context]) {
        line_add(&model.parked, id);
        model_fate(id, PARKED);
        return;
    }
    line_add(&model.matched, id);
    if (0 == model.num_posted[context][internal]) {
        line_add(&model.queued[context][internal], id);
        model_fate(id, QUEUED);
        return;
    }
    --model.num_posted[context][internal];
    expect_in(posted[0], id);
    memmove(&posted[0], &posted[1], (POSTED_MAX - 1) * sizeof(posted[0]));
    model_fate(id, RECEIVED);
}

static bool model_take_back(reorder_id_t id)
{
    const reorder_message_t *message = &model_at(id)->super;
    const uint32_t context = message->context - REORDER_ORDERED;

    if (!line_remove(&model.parked, id) &&
        !line_remove(&model.queued[context][message->tag < 0], id)) {
        return false;
    }
    model_fate(id, GONE);
    return true;
}

/* The turn of a message has come. */
static void model_turn(reorder_id_t id)
{
    const model_message_t *message = model_at(id);
    bool gone = true;

    ++model.next[id.peer];
    model.turns += REORDER_COUNTED == id.peer;
    if (!message->recalled) {
        if (!message->matched_early) {
            model_match(id);
        }
        return;
    }
    if (REORDER_COUNTED == id.peer) {
        model_match(id);
        gone = model_take_back(id);
    } else {
        model_fate(id, GONE);
    }
    ++model.answers;
    model.answer_what = gone ? MCA_PML_CHAMPION_GONE : MCA_PML_CHAMPION_MATCHED;
}

static void model_arrive(reorder_id_t id)
{
    model_message_t *message = model_at(id);

    if (id.index != model.next[id.peer] && REORDER_COUNTED != id.peer &&
        REORDER_OVERTAKING == message->super.context &&
        message->super.tag >= 0 && !message->recalled) {
        message->matched_early = true;
        model_match(id);
        return;
    }
    message->fate = HELD;
    while (model.next[id.peer] < model.num_sent[id.peer] &&
           UNDER_WAY != model.sent[id.peer][model.next[id.peer]].fate) {
        model_turn((reorder_id_t){id.peer, model.next[id.peer]});
    }
}

static mca_pml_champion_withdrawal_t model_withdraw(reorder_id_t id)
{
    model_message_t *message = model_at(id);

    if (id.index >= model.next[id.peer] && !message->matched_early) {
        if (message->recalled) {
            return MCA_PML_CHAMPION_TWICE;
        }
        message->recalled = true;
        return MCA_PML_CHAMPION_NOT_YET;
    }
    return model_take_back(id) ? MCA_PML_CHAMPION_GONE
                               : MCA_PML_CHAMPION_MATCHED;
}

/* ---- random sequences --------------------------------------------------- */

/* The last step. */
static struct {
    uint64_t number;
    const char *what;
    uint32_t peer;
} doing;

static void same(const char *what, uint64_t expected, uint64_t found)
{
    if (expected != found) {
        fail_msg("step %llu, %s, peer %u: %s: expected %llu, found %llu "
                 "(TEST_SEED above)",
                 (unsigned long long) doing.number, doing.what, doing.peer,
                 what, (unsigned long long) expected,
                 (unsigned long long) found);
    }
}

/* The number-th match is of another message than the model's. */
static void other_match(uint32_t number)
{
    const reorder_id_t ids[] = {model.matched.ids[number],
                                world.matched[number]};
    char text[2][100];

    for (int i = 0; i < 2; ++i) {
        const bool known = ids[i].peer < REORDER_PEERS &&
                           ids[i].index < model.num_sent[ids[i].peer];
        const reorder_message_t *message =
            known ? &model_at(ids[i])->super : NULL;

        snprintf(text[i], sizeof(text[i]),
                 "number %u of peer %u (context %u, tag %d)", ids[i].index,
                 ids[i].peer, known ? message->context : 0,
                 known ? message->tag : 0);
    }
    fail_msg("step %llu, %s, peer %u: match %u: expected %s, found %s "
             "(TEST_SEED above)",
             (unsigned long long) doing.number, doing.what, doing.peer, number,
             text[0], text[1]);
}

static void compare(void)
{
    same("matches", model.matched.count, world.num_matched);
    same("answers", model.answers, world.num_answers);
    same("turns", model.turns, world.num_counted);
    same("ACKs", model.acks, world.acks);
    same("their tokens", model.ack_sum, world.ack_sum);
    if (0 != world.num_answers) {
        assert_int_equal(model.answer_what, world.answer_what);
    }
    for (uint32_t i = 0; i < REORDER_PEERS; ++i) {
        same("next sequence number", REORDER_FIRST + model.next[i],
             world.peers[i]->recv_sequence);
    }
    for (uint32_t i = 0; i < world.num_matched; ++i) {
        if (0 != memcmp(&model.matched.ids[i], &world.matched[i],
                        sizeof(world.matched[i]))) {
            other_match(i);
        }
    }
}

static void send_one(uint32_t peer)
{
    const uint32_t index = model.num_sent[peer];

    if (index < SENT_MAX) {
        model.sent[peer][index].super = (reorder_message_t){
            .id = {peer, index},
            .context = REORDER_ORDERED + pml_random_below(REORDER_CONTEXTS),
            .tag = pml_random_once_in(4) ? REORDER_INTERNAL
                                         : (int32_t) pml_random_below(3),
            .large = pml_random_once_in(3),
            .token = pml_random_once_in(4) ? 1 + pml_random_below(1u << 20) : 0,
        };
        ++model.num_sent[peer];
    }
}

/* Deliver one of the messages under way, usually not the oldest. */
static void arrive_one(uint32_t peer)
{
    uint32_t skip = pml_random_below(8);

    for (int twice = 0; twice < 2; ++twice) {
        for (uint32_t i = model.next[peer]; i < model.num_sent[peer]; ++i) {
            if (UNDER_WAY == model.sent[peer][i].fate && 0 == skip--) {
                const reorder_message_t message = model.sent[peer][i].super;

                reorder_arrive(&message);
                model_arrive(message.id);
                return;
            }
        }
        skip = 0;
    }
}

static void withdraw_one(uint32_t peer)
{
    const uint32_t count = model.num_sent[peer];
    const uint32_t back = 1 + pml_random_below(24);
    reorder_id_t id = {peer, count - back};

    if (back <= count) {
        assert_int_equal(model_withdraw(id),
                         reorder_withdraw(&model_at(id)->super));
    }
}

static void receive_one(uint32_t context, bool internal)
{
    uint32_t *num_posted = &model.num_posted[context][internal];
    line_t *queued = &model.queued[context][internal];
    reorder_receive_t *it;

    if (POSTED_MAX == *num_posted) {
        return;
    }
    it = malloc(sizeof(*it));
    assert_non_null(it);
    reorder_receive(it, REORDER_ORDERED + context, internal);
    if (0 != queued->count) {
        const reorder_id_t id = queued->ids[0];

        (void) line_remove(queued, id);
        expect_in(it, id);
        model_fate(id, RECEIVED);
    } else {
        assert_false(it->super.done);
        model.posted[context][internal][(*num_posted)++] = it;
    }
}

static void comm_comes(void)
{
    const uint32_t context = REORDER_NOT_YET - REORDER_ORDERED;
    const line_t parked = model.parked;

    if (model.there[context]) {
        return;
    }
    reorder_comm_enter(REORDER_NOT_YET);
    mca_pml_champion_parked_release(REORDER_NOT_YET);
    model.there[context] = true;
    model.parked.count = 0;
    for (uint32_t i = 0; i < parked.count; ++i) {
        model_match(parked.ids[i]);
    }
}

static void step(void)
{
    const uint32_t peer = pml_random_below(REORDER_PEERS);

    ++doing.number;
    doing.peer = peer;
    switch (pml_random_below(10)) {
    case 0:
    case 1:
    case 2:
        doing.what = "a send";
        send_one(peer);
        break;
    case 3:
    case 4:
    case 5:
        doing.what = "an arrival";
        arrive_one(peer);
        break;
    case 6:
        doing.what = "a withdrawal";
        withdraw_one(peer);
        break;
    default:
        doing.what = "a receive";
        receive_one(pml_random_below(REORDER_CONTEXTS), pml_random_once_in(4));
    }
    if (pml_random_once_in(STEPS)) {
        comm_comes();
    }
    compare();
}

/* Deliver and receive all messages. */
static void settle(void)
{
    doing.what = "what is left comes";
    comm_comes();
    for (uint32_t peer = 0; peer < REORDER_PEERS; ++peer) {
        while (model.next[peer] < model.num_sent[peer]) {
            arrive_one(peer);
            compare();
        }
    }
    for (uint32_t context = 0; context < REORDER_CONTEXTS; ++context) {
        for (int internal = 0; internal < 2; ++internal) {
            while (0 != model.queued[context][internal].count) {
                receive_one(context, internal);
            }
            for (uint32_t i = 0; i < model.num_posted[context][internal]; ++i) {
                free(model.posted[context][internal][i]);
            }
        }
    }
    for (uint32_t peer = 0; peer < REORDER_PEERS; ++peer) {
        for (uint32_t i = 0; i < model.num_sent[peer]; ++i) {
            assert_true(model.sent[peer][i].fate >= RECEIVED);
        }
    }
    compare();
}

UNIT_TEST_WITH(any_sequence_is_as_the_model_says, reorder_begin, reorder_end)
{
    const uint64_t ops = pml_random_ops(60000);
    uint64_t matched_early = 0, recalled = 0, recalled_late = 0, parked = 0;

    for (uint64_t done = 0; done < ops; done += STEPS) {
        memset(&model, 0, sizeof(model));
        model.there[0] = model.there[1] = true;
        world.peers[REORDER_COUNTED]->offload.in_streams =
            (void *) &world.num_counted;
        for (int i = 0; i < STEPS; ++i) {
            step();
        }
        settle();
        matched_early += mca_pml_champion.counters.matched_early;
        recalled += mca_pml_champion.counters.cancelled;
        recalled_late += mca_pml_champion.counters.cancelled_late;
        parked += mca_pml_champion.counters.parked;
        (void) reorder_end(unit_state);
        (void) reorder_begin(unit_state);
    }
    /* Every case has occurred. */
    assert_true(matched_early > ops / 1000);
    assert_true(recalled > ops / 1000);
    assert_true(recalled_late > ops / 1000);
    assert_true(parked > ops / 1000);
}

int main(void)
{
    pml_random_begin();
    return unit_run(NULL, NULL);
}
