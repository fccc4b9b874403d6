/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In which order messages are matched that come in any order, which of them may
 * overtake others, what becomes of those whose communicator is not there yet,
 * and of those that their sender wants back. First one behaviour at a time,
 * then random sequences beside a naive model; see pml_random.h for their seed
 * and number.
 */

#include "pml_ucx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/offload_hooks.h"
#include "ompi/mca/pml/champion/match/reorder.h"

#include "pml_mq.h"
#include "pml_random.h"

enum {
    PEERS = 3,
    COUNTED = 2,    /* this peer's messages are counted, as offload wants it */
    ORDERED = 3,    /* contexts: */
    OVERTAKING = 4, /* its user allows that */
    NOT_YET = 5,    /* its communicator comes later */
    CONTEXTS = 3,
    INTERNAL = -7, /* a tag of MPI's own */
    LOG_MAX = 4096,
    LARGE = 100 /* bytes of payloads that UCX is left to keep */
};

/* Numbers wrap soon. */
static const uint32_t first_number = UINT32_MAX - 20;

/* ---- this process ------------------------------------------------------- */

static pml_mq_t mqs[CONTEXTS];
static mca_mq_base_domain_t domains[CONTEXTS];
static mca_pml_champion_comm_t comms[CONTEXTS];
static ompi_communicator_t *ompi_comm;
static mca_pml_champion_peer_t *peers[PEERS];

/* A message, by its peer and the how many-th it is. */
typedef struct name_t {
    uint32_t peer, index;
} name_t;

static uint32_t number_of(name_t id)
{
    return first_number + id.index;
}

static uint32_t peer_index(const mca_pml_champion_peer_t *peer)
{
    for (uint32_t i = 0; i < PEERS; ++i) {
        if (peer == peers[i]) {
            return i;
        }
    }
    fail_msg("a peer that is not there");
    return 0;
}

/* What mq was given, in this order. */
static name_t matched[LOG_MAX];
static uint32_t num_matched;

static mca_mq_entry_t *noting_arrive(mca_mq_base_module_t *module,
                                     const mca_mq_envelope_t *envelope,
                                     mca_mq_make_entry_fn_t make, void *arg)
{
    const mca_pml_champion_arrival_t *arrival = arg;

    assert_in_range(num_matched, 0, LOG_MAX - 1);
    matched[num_matched++] =
        (name_t){peer_index(arrival->peer), arrival->sequence - first_number};
    return pml_mq_arrive(module, envelope, make, arg);
}

/* The last answer to who wanted a message back. */
static uint32_t num_answers;
static uint64_t answer_token;
static mca_pml_champion_withdrawal_t answer_what;

static void answer(mca_pml_champion_peer_t *peer, uint64_t token,
                   mca_pml_champion_withdrawal_t what)
{
    (void) peer_index(peer);
    ++num_answers;
    answer_token = token;
    answer_what = what;
}

/* How many ACKs have been sent, and the sum of their tokens. */
static uint64_t acks, ack_sum;

static void sent(unsigned id, const void *bytes, size_t length)
{
    uint64_t token;

    assert_int_equal(MCA_PML_CHAMPION_AM_ACK, id);
    assert_int_equal(sizeof(token), length);
    memcpy(&token, bytes, sizeof(token));
    ++acks;
    ack_sum += token;
}

static void released(void *data)
{
    free(data);
}

static uint32_t num_counted;

static void counted(mca_pml_champion_peer_t *peer,
                    const mca_mq_envelope_t *envelope, uint8_t kind,
                    uint64_t token)
{
    (void) envelope;
    (void) kind;
    (void) token;
    assert_ptr_equal(peers[COUNTED], peer);
    ++num_counted;
    assert_int_equal(first_number + num_counted, peer->recv_sequence);
}

static void comm_enter(uint32_t context)
{
    const uint32_t i = context - ORDERED;

    comms[i] = (mca_pml_champion_comm_t){
        .domain = &domains[i],
        .comm = ompi_comm,
        .context = context,
        .index = context,
    };
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_context_enter(&comms[i]));
}

static void peers_begin(void)
{
    static const uint32_t vpids[PEERS] = {0, 1, 3};

    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_peers_init());
    for (int i = 0; i < PEERS; ++i) {
        const opal_process_name_t name = {.jobid = PML_UCX_JOB,
                                          .vpid = vpids[i]};

        peers[i] = mca_pml_champion_peer_find(&name);
        assert_non_null(peers[i]);
        peers[i]->ep = pml_ucx_ep;
        peers[i]->recv_sequence = first_number;
    }
}

static int begin(void **state)
{
    (void) state;
    pml_ucx_begin();
    pml_ucx.sent = sent;
    pml_ucx.released = released;
    ompi_comm = calloc(1, sizeof(*ompi_comm));
    assert_non_null(ompi_comm);
    memset(&mca_pml_champion.counters, 0, sizeof(mca_pml_champion.counters));
    mca_pml_champion.params.hold_limit = LARGE;
    mca_pml_champion_offload_hooks.counted = counted;
    opal_size_pool_init(&mca_pml_champion.pool);
    mca_pml_champion_backlog_open(SIZE_MAX, NULL, NULL);
    mca_pml_champion_lock();
    peers_begin();
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_contexts_init());
    for (uint32_t i = 0; i < CONTEXTS; ++i) {
        pml_mq_init(&mqs[i], &domains[i],
                    OVERTAKING == ORDERED + i ? MCA_MQ_ASSERT_ALLOW_OVERTAKING
                                              : 0);
        mqs[i].super.mq_arrive = noting_arrive;
    }
    comm_enter(ORDERED);
    comm_enter(OVERTAKING);
    num_matched = num_answers = num_counted = 0;
    acks = ack_sum = 0;
    return 0;
}

static int end(void **state)
{
    (void) state;
    mca_pml_champion_unlock();
    for (int i = 0; i < PEERS; ++i) {
        assert_null(peers[i]->reorder.first);
        assert_int_equal(0, peers[i]->reorder.recalls);
        assert_int_equal(0, peers[i]->backlog.waiting);
    }
    assert_int_equal(0, mca_pml_champion.pool.live);
    assert_int_equal(0, mca_pml_champion_backlog.beside);
    opal_size_pool_fini(&mca_pml_champion.pool);
    mca_pml_champion_contexts_fini();
    mca_pml_champion_peers_fini();
    mca_pml_champion.ending = mca_pml_champion.finalizing = false;
    free(ompi_comm);
    return 0;
}

/* ---- messages ----------------------------------------------------------- */

typedef struct message_t {
    name_t id;
    uint32_t context;
    int32_t tag;
    bool large;     /* UCX may be left to keep it */
    uint64_t token; /* of a synchronous one, or 0 */
} message_t;

static mca_mq_envelope_t envelope_of(const message_t *message)
{
    return (mca_mq_envelope_t){message->context, (int32_t) message->id.peer,
                               message->tag};
}

static void arrive(const message_t *message)
{
    const size_t length = message->large ? LARGE : sizeof(message->id);
    unsigned char *payload = malloc(length);
    mca_pml_champion_arrival_t arrival = {
        .length = length,
        .envelope = envelope_of(message),
        .sequence = number_of(message->id),
        .peer = peers[message->id.peer],
        .payload = payload,
        .token = message->token,
        .kind = MCA_PML_CHAMPION_EAGER,
        .keepable = message->large,
    };

    assert_non_null(payload);
    memset(payload, 0x5a, length);
    memcpy(payload, &message->id, sizeof(message->id));
    mca_pml_champion_reorder_arrive(&arrival);
    if (!arrival.kept) {
        free(payload);
    }
}

static mca_pml_champion_withdrawal_t withdraw(const message_t *message)
{
    const mca_mq_envelope_t envelope = envelope_of(message);

    return mca_pml_champion_reorder_withdraw(peers[message->id.peer], &envelope,
                                             number_of(message->id),
                                             message->id.index + 1, answer);
}

/* One that came to a communicator with a tag, in any order, from anybody. */
typedef struct receive_t {
    mca_pml_champion_recv_t super;
    ompi_status_public_t status;
    struct {
        name_t id;
        unsigned char rest[LARGE];
    } buffer;
} receive_t;

/* Post a receive for any of the user's messages, or for one of MPI's own. */
static void receive(receive_t *receive, uint32_t context, bool internal)
{
    pml_mq_t *mq = &mqs[context - ORDERED];
    mca_mq_entry_t *found;

    memset(receive, 0, sizeof(*receive));
    receive->super.entry.envelope = (mca_mq_envelope_t){
        context, MCA_MQ_ANY_SOURCE, internal ? INTERNAL : MCA_MQ_ANY_TAG};
    receive->super.data = &receive->buffer;
    receive->super.capacity = sizeof(receive->buffer);
    receive->super.contiguous = true;
    receive->super.status = &receive->status;
    found = pml_mq_take(pml_mq_message_for(mq, &receive->super.entry.envelope));
    if (NULL != found) {
        mca_pml_champion_message_deliver((mca_pml_champion_message_t *) found,
                                         &receive->super);
    } else {
        pml_mq_append(mq, MCA_MQ_POSTED, &receive->super.entry);
    }
}

static void expect_received(uint32_t context, bool internal, uint32_t peer,
                            uint32_t index)
{
    receive_t it;

    receive(&it, context, internal);
    assert_true(it.super.done);
    assert_int_equal(peer, it.buffer.id.peer);
    assert_int_equal(index, it.buffer.id.index);
}

static void expect_matched(uint32_t at, uint32_t peer, uint32_t index)
{
    assert_true(at < num_matched);
    assert_int_equal(peer, matched[at].peer);
    assert_int_equal(index, matched[at].index);
}

static void arrive_user(uint32_t peer, uint32_t index, uint32_t context)
{
    arrive(&(message_t){.id = {peer, index}, .context = context});
}

/* ---- one behaviour at a time -------------------------------------------- */

static void numbers_say_the_order_also_where_they_wrap(void **state)
{
    (void) state;
    for (uint32_t i = 39; i > 0; --i) {
        arrive_user(0, i, ORDERED);
    }
    assert_int_equal(0, num_matched);
    assert_int_equal(39, mca_pml_champion.counters.early);
    arrive_user(1, 0, ORDERED); /* peers do not wait for each other */
    assert_int_equal(1, num_matched);
    arrive_user(0, 0, ORDERED);
    assert_int_equal(41, num_matched);
    expect_received(ORDERED, false, 1, 0);
    for (uint32_t i = 0; i < 40; ++i) {
        expect_matched(1 + i, 0, i);
        expect_received(ORDERED, false, 0, i);
    }
    assert_int_equal(19, peers[0]->recv_sequence);
}

static void who_may_overtake_does_and_its_number_counts_later(void **state)
{
    (void) state;
    arrive_user(0, 2, OVERTAKING);
    expect_matched(0, 0, 2);
    assert_int_equal(1, mca_pml_champion.counters.overtook);
    assert_int_equal(first_number, peers[0]->recv_sequence);
    arrive_user(0, 1, ORDERED); /* this one may not */
    arrive(&(message_t){
        .id = {0, 3}, .context = OVERTAKING, .tag = INTERNAL}); /* nor this */
    assert_int_equal(1, num_matched);
    arrive_user(0, 0, OVERTAKING);
    assert_int_equal(4, num_matched);
    expect_matched(1, 0, 0);
    expect_matched(2, 0, 1);
    expect_matched(3, 0, 3);
    assert_int_equal(first_number + 4, peers[0]->recv_sequence);
    expect_received(OVERTAKING, false, 0, 2);
    expect_received(OVERTAKING, false, 0, 0);
    expect_received(ORDERED, false, 0, 1);
    expect_received(OVERTAKING, true, 0, 3);
}

static void where_messages_are_counted_none_overtakes(void **state)
{
    (void) state;
    peers[COUNTED]->offload.inflows = (void *) &num_counted;
    arrive_user(COUNTED, 1, OVERTAKING);
    assert_int_equal(0, num_matched + num_counted);
    arrive_user(COUNTED, 0, OVERTAKING);
    assert_int_equal(2, num_counted);
    expect_received(OVERTAKING, false, COUNTED, 0);
    expect_received(OVERTAKING, false, COUNTED, 1);
}

static void who_is_wanted_back_before_it_comes_is_dropped_in_its_turn(
    void **state)
{
    const message_t next = {.id = {0, 0}, .context = ORDERED},
                    later = {.id = {0, 2}, .context = OVERTAKING};

    (void) state;
    assert_int_equal(MCA_PML_CHAMPION_NOT_YET, withdraw(&next));
    assert_int_equal(MCA_PML_CHAMPION_TWICE, withdraw(&next));
    assert_int_equal(MCA_PML_CHAMPION_NOT_YET, withdraw(&later));
    arrive(&later); /* it could overtake if it were not wanted back */
    assert_int_equal(0, num_matched + num_answers);
    arrive(&next);
    assert_int_equal(1, num_answers);
    assert_int_equal(MCA_PML_CHAMPION_GONE, answer_what);
    assert_int_equal(1, answer_token);
    arrive_user(0, 1, ORDERED);
    assert_int_equal(2, num_answers);
    assert_int_equal(3, answer_token);
    assert_int_equal(1, num_matched);
    assert_int_equal(2, mca_pml_champion.counters.recalled);
    expect_received(ORDERED, false, 0, 1);
    assert_int_equal(first_number + 3, peers[0]->recv_sequence);
}

static void who_has_come_before_its_turn_can_be_wanted_back(void **state)
{
    const message_t message = {.id = {0, 1}, .context = ORDERED};

    (void) state;
    arrive(&message);
    assert_int_equal(MCA_PML_CHAMPION_NOT_YET, withdraw(&message));
    arrive_user(0, 0, ORDERED);
    assert_int_equal(1, num_answers);
    assert_int_equal(MCA_PML_CHAMPION_GONE, answer_what);
    expect_received(ORDERED, false, 0, 0);
}

static void who_waits_for_its_receive_is_gone_and_who_has_it_is_not(
    void **state)
{
    const message_t one = {.id = {0, 0}, .context = ORDERED, .token = 77},
                    two = {.id = {0, 1}, .context = ORDERED, .large = true},
                    over = {.id = {1, 1}, .context = OVERTAKING};

    (void) state;
    arrive(&one);
    arrive(&two);
    assert_int_equal(MCA_PML_CHAMPION_GONE, withdraw(&one));
    assert_int_equal(1, acks);
    assert_int_equal(77, ack_sum);
    expect_received(ORDERED, false, 0, 1);
    assert_int_equal(MCA_PML_CHAMPION_MATCHED, withdraw(&two));
    arrive(&over);
    assert_int_equal(MCA_PML_CHAMPION_GONE, withdraw(&over));
    assert_int_equal(0, num_answers);
    arrive_user(1, 0, ORDERED);
    expect_received(ORDERED, false, 1, 0);
    assert_int_equal(1, mca_pml_champion.counters.recalled_late);
}

/* A receive may have its number already. */
static void where_messages_are_counted_a_receive_comes_first(void **state)
{
    const message_t one = {.id = {COUNTED, 0}, .context = ORDERED},
                    two = {.id = {COUNTED, 1}, .context = ORDERED};
    receive_t it;

    (void) state;
    peers[COUNTED]->offload.inflows = (void *) &num_counted;
    receive(&it, ORDERED, false);
    assert_int_equal(MCA_PML_CHAMPION_NOT_YET, withdraw(&one));
    assert_int_equal(MCA_PML_CHAMPION_NOT_YET, withdraw(&two));
    arrive(&one);
    assert_true(it.super.done);
    assert_int_equal(MCA_PML_CHAMPION_MATCHED, answer_what);
    arrive(&two);
    assert_int_equal(MCA_PML_CHAMPION_GONE, answer_what);
    assert_int_equal(2, num_answers);
    assert_int_equal(2, num_counted);
}

static void who_comes_before_its_communicator_waits_for_it(void **state)
{
    const message_t taken = {.id = {0, 1}, .context = NOT_YET},
                    last = {.id = {1, 1}, .context = NOT_YET};

    (void) state;
    arrive_user(0, 0, NOT_YET);
    arrive(&taken);
    arrive_user(1, 0, NOT_YET);
    arrive(&last);
    arrive_user(0, 2, NOT_YET + 1); /* for another one */
    assert_int_equal(5, mca_pml_champion.counters.parked);
    assert_int_equal(MCA_PML_CHAMPION_GONE, withdraw(&taken));
    assert_int_equal(MCA_PML_CHAMPION_MATCHED, withdraw(&taken));
    assert_int_equal(0, num_matched);
    comm_enter(NOT_YET);
    mca_pml_champion_parked_release(NOT_YET);
    assert_int_equal(3, num_matched);
    expect_received(NOT_YET, false, 0, 0);
    expect_received(NOT_YET, false, 1, 0);
    expect_received(NOT_YET, false, 1, 1);
    mca_pml_champion_parked_drop();
    assert_int_equal(1, mca_pml_champion.counters.purged);
}

static void what_nobody_can_receive_is_dropped(void **state)
{
    (void) state;
    mca_pml_champion_context_leave(&comms[0]);
    arrive(&(message_t){.id = {0, 0}, .context = ORDERED, .token = 5});
    assert_int_equal(5, ack_sum);
    mca_pml_champion.ending = true; /* only MPI's own are received now */
    arrive_user(0, 1, OVERTAKING);
    arrive(&(message_t){.id = {0, 2}, .context = OVERTAKING, .tag = INTERNAL});
    expect_received(OVERTAKING, true, 0, 2);
    mca_pml_champion.finalizing = true;
    arrive_user(0, 3, NOT_YET);
    assert_int_equal(3, mca_pml_champion.counters.purged);
    arrive(&(message_t){.id = {0, 5}, .context = OVERTAKING, .large = true});
    expect_matched(num_matched - 1, 0, 5);
    mca_pml_champion_messages_drop(&peers[0]->reorder.first);
    mca_pml_champion.ending = mca_pml_champion.finalizing = false;
}

/* They are matched before their send returns. */
static void messages_to_self_are_never_to_come(void **state)
{
    const mca_mq_envelope_t envelope = {ORDERED, 0, 0};
    mca_pml_champion_peer_t *self =
        mca_pml_champion_peer_find(&OPAL_PROC_MY_NAME);

    (void) state;
    assert_int_equal(
        MCA_PML_CHAMPION_MATCHED,
        mca_pml_champion_reorder_withdraw(self, &envelope, 3, 0, NULL));
}

static void who_probes_is_told(void **state)
{
    mca_pml_champion_prober_t all = {
        .envelope = {ORDERED, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG}};
    mca_pml_champion_prober_t one = {.envelope = {ORDERED, 1, 0}};

    (void) state;
    mca_pml_champion_probers_add(&all);
    mca_pml_champion_probers_add(&one);
    arrive_user(0, 1, ORDERED);
    assert_int_equal(0, all.found);
    arrive_user(0, 0, ORDERED);
    assert_int_equal(1, all.found);
    assert_int_equal(0, one.found);
    mca_pml_champion_probers_wake(OVERTAKING);
    assert_int_equal(0, one.found);
    mca_pml_champion_probers_wake(ORDERED);
    assert_int_equal(1, one.found);
    mca_pml_champion_probers_remove(&all);
    mca_pml_champion_probers_remove(&one);
    expect_received(ORDERED, false, 0, 0);
    expect_received(ORDERED, false, 0, 1);
}

/* ---- the model ---------------------------------------------------------- */

enum { SENT_MAX = 400, POSTED_MAX = 4, STEPS = 600 };

/* What has become of a message. */
typedef enum {
    UNDER_WAY,
    HELD,     /* it has come, its turn has not */
    PARKED,   /* it waits for its communicator */
    QUEUED,   /* .. for its receive */
    RECEIVED, /* .. for nothing */
    GONE
} fate_t;

typedef struct model_message_t {
    message_t super;
    fate_t fate;
    bool overtook, wanted_back;
} model_message_t;

/* A line of messages, or of receives. */
typedef struct line_t {
    name_t ids[PEERS * SENT_MAX];
    uint32_t count;
} line_t;

static struct {
    model_message_t sent[PEERS][SENT_MAX];
    uint32_t num_sent[PEERS];
    uint32_t next[PEERS]; /* whose turn it is */
    bool there[CONTEXTS]; /* communicators */
    line_t matched, parked;
    line_t queued[CONTEXTS][2]; /* of the user, and of MPI */
    receive_t *posted[CONTEXTS][2][POSTED_MAX];
    uint32_t num_posted[CONTEXTS][2];
    uint32_t answers, turns;
    mca_pml_champion_withdrawal_t answer_what;
    uint64_t acks, ack_sum;
} model;

static model_message_t *model_at(name_t id)
{
    return &model.sent[id.peer][id.index];
}

static void line_add(line_t *line, name_t id)
{
    line->ids[line->count++] = id;
}

static bool line_remove(line_t *line, name_t id)
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

static void model_fate(name_t id, fate_t fate)
{
    model_message_t *message = model_at(id);

    message->fate = fate;
    if (RECEIVED == fate || GONE == fate) {
        model.acks += 0 != message->super.token;
        model.ack_sum += message->super.token;
    }
}

static void expect_in(receive_t *receive, name_t id)
{
    assert_true(receive->super.done);
    assert_int_equal(id.peer, receive->buffer.id.peer);
    assert_int_equal(id.index, receive->buffer.id.index);
    free(receive);
}

static void model_match(name_t id)
{
    const message_t *message = &model_at(id)->super;
    const uint32_t context = message->context - ORDERED;
    const bool internal = message->tag < 0;
    receive_t **posted = model.posted[context][internal];

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

static bool model_take_back(name_t id)
{
    const message_t *message = &model_at(id)->super;
    const uint32_t context = message->context - ORDERED;

    if (!line_remove(&model.parked, id) &&
        !line_remove(&model.queued[context][message->tag < 0], id)) {
        return false;
    }
    model_fate(id, GONE);
    return true;
}

/* It is its turn. */
static void model_turn(name_t id)
{
    const model_message_t *message = model_at(id);
    bool gone = true;

    ++model.next[id.peer];
    model.turns += COUNTED == id.peer;
    if (!message->wanted_back) {
        if (!message->overtook) {
            model_match(id);
        }
        return;
    }
    if (COUNTED == id.peer) {
        model_match(id);
        gone = model_take_back(id);
    } else {
        model_fate(id, GONE);
    }
    ++model.answers;
    model.answer_what = gone ? MCA_PML_CHAMPION_GONE : MCA_PML_CHAMPION_MATCHED;
}

static void model_arrive(name_t id)
{
    model_message_t *message = model_at(id);

    if (id.index != model.next[id.peer] && COUNTED != id.peer &&
        OVERTAKING == message->super.context && message->super.tag >= 0 &&
        !message->wanted_back) {
        message->overtook = true;
        model_match(id);
        return;
    }
    message->fate = HELD;
    while (model.next[id.peer] < model.num_sent[id.peer] &&
           UNDER_WAY != model.sent[id.peer][model.next[id.peer]].fate) {
        model_turn((name_t){id.peer, model.next[id.peer]});
    }
}

static mca_pml_champion_withdrawal_t model_withdraw(name_t id)
{
    model_message_t *message = model_at(id);

    if (id.index >= model.next[id.peer] && !message->overtook) {
        if (message->wanted_back) {
            return MCA_PML_CHAMPION_TWICE;
        }
        message->wanted_back = true;
        return MCA_PML_CHAMPION_NOT_YET;
    }
    return model_take_back(id) ? MCA_PML_CHAMPION_GONE
                               : MCA_PML_CHAMPION_MATCHED;
}

/* ---- random sequences --------------------------------------------------- */

static void compare(void)
{
    assert_int_equal(model.matched.count, num_matched);
    assert_int_equal(model.answers, num_answers);
    assert_int_equal(model.turns, num_counted);
    assert_int_equal(model.acks, acks);
    assert_int_equal(model.ack_sum, ack_sum);
    if (0 != num_answers) {
        assert_int_equal(model.answer_what, answer_what);
    }
    for (uint32_t i = 0; i < PEERS; ++i) {
        assert_int_equal(first_number + model.next[i], peers[i]->recv_sequence);
    }
    if (0 != num_matched) {
        assert_memory_equal(model.matched.ids, matched,
                            num_matched * sizeof(matched[0]));
    }
}

static void send_one(uint32_t peer)
{
    const uint32_t index = model.num_sent[peer];

    if (index < SENT_MAX) {
        model.sent[peer][index].super = (message_t){
            .id = {peer, index},
            .context = ORDERED + pml_random_below(CONTEXTS),
            .tag = pml_random_once_in(4) ? INTERNAL
                                         : (int32_t) pml_random_below(3),
            .large = pml_random_once_in(3),
            .token = pml_random_once_in(4) ? 1 + pml_random_below(1u << 20) : 0,
        };
        ++model.num_sent[peer];
    }
}

/* One of those that are under way: mostly not the oldest. */
static void arrive_one(uint32_t peer)
{
    uint32_t skip = pml_random_below(8);

    for (int twice = 0; twice < 2; ++twice) {
        for (uint32_t i = model.next[peer]; i < model.num_sent[peer]; ++i) {
            if (UNDER_WAY == model.sent[peer][i].fate && 0 == skip--) {
                const message_t message = model.sent[peer][i].super;

                arrive(&message);
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
    name_t id = {peer, count - back};

    if (back <= count) {
        assert_int_equal(model_withdraw(id), withdraw(&model_at(id)->super));
    }
}

static void receive_one(uint32_t context, bool internal)
{
    uint32_t *num_posted = &model.num_posted[context][internal];
    line_t *queued = &model.queued[context][internal];
    receive_t *it;

    if (POSTED_MAX == *num_posted) {
        return;
    }
    it = malloc(sizeof(*it));
    assert_non_null(it);
    receive(it, ORDERED + context, internal);
    if (0 != queued->count) {
        const name_t id = queued->ids[0];

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
    const uint32_t context = NOT_YET - ORDERED;
    const line_t parked = model.parked;

    if (model.there[context]) {
        return;
    }
    comm_enter(NOT_YET);
    mca_pml_champion_parked_release(NOT_YET);
    model.there[context] = true;
    model.parked.count = 0;
    for (uint32_t i = 0; i < parked.count; ++i) {
        model_match(parked.ids[i]);
    }
}

static void step(void)
{
    const uint32_t peer = pml_random_below(PEERS);

    switch (pml_random_below(10)) {
    case 0:
    case 1:
    case 2:
        send_one(peer);
        break;
    case 3:
    case 4:
    case 5:
        arrive_one(peer);
        break;
    case 6:
        withdraw_one(peer);
        break;
    default:
        receive_one(pml_random_below(CONTEXTS), pml_random_once_in(4));
    }
    if (pml_random_once_in(STEPS)) {
        comm_comes();
    }
    compare();
}

/* All comes, and is received. */
static void settle(void)
{
    comm_comes();
    for (uint32_t peer = 0; peer < PEERS; ++peer) {
        while (model.next[peer] < model.num_sent[peer]) {
            arrive_one(peer);
            compare();
        }
    }
    for (uint32_t context = 0; context < CONTEXTS; ++context) {
        for (int internal = 0; internal < 2; ++internal) {
            while (0 != model.queued[context][internal].count) {
                receive_one(context, internal);
            }
            for (uint32_t i = 0; i < model.num_posted[context][internal]; ++i) {
                free(model.posted[context][internal][i]);
            }
        }
    }
    for (uint32_t peer = 0; peer < PEERS; ++peer) {
        for (uint32_t i = 0; i < model.num_sent[peer]; ++i) {
            assert_true(model.sent[peer][i].fate >= RECEIVED);
        }
    }
    compare();
}

static void any_sequence_is_as_the_model_says(void **state)
{
    const uint64_t ops = pml_random_ops(60000);
    uint64_t overtook = 0, recalled = 0, recalled_late = 0, parked = 0;

    for (uint64_t done = 0; done < ops; done += STEPS) {
        memset(&model, 0, sizeof(model));
        model.there[0] = model.there[1] = true;
        peers[COUNTED]->offload.inflows = (void *) &num_counted;
        for (int i = 0; i < STEPS; ++i) {
            step();
        }
        settle();
        overtook += mca_pml_champion.counters.overtook;
        recalled += mca_pml_champion.counters.recalled;
        recalled_late += mca_pml_champion.counters.recalled_late;
        parked += mca_pml_champion.counters.parked;
        (void) end(state);
        (void) begin(state);
    }
    /* It was all there. */
    assert_true(overtook > ops / 1000);
    assert_true(recalled > ops / 1000);
    assert_true(recalled_late > ops / 1000);
    assert_true(parked > ops / 1000);
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(numbers_say_the_order_also_where_they_wrap),
        ROW(who_may_overtake_does_and_its_number_counts_later),
        ROW(where_messages_are_counted_none_overtakes),
        ROW(who_is_wanted_back_before_it_comes_is_dropped_in_its_turn),
        ROW(who_has_come_before_its_turn_can_be_wanted_back),
        ROW(who_waits_for_its_receive_is_gone_and_who_has_it_is_not),
        ROW(where_messages_are_counted_a_receive_comes_first),
        ROW(who_comes_before_its_communicator_waits_for_it),
        ROW(what_nobody_can_receive_is_dropped),
        ROW(messages_to_self_are_never_to_come),
        ROW(who_probes_is_told),
        ROW(any_sequence_is_as_the_model_says),
    };

    pml_random_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
