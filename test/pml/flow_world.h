/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Several processes, each of which counts its unexpected messages, stops senders
 * and is stopped: for test_flow_control and test_flow_random. Their control
 * messages arrive when the test says so.
 */

#ifndef TEST_PML_FLOW_WORLD_H
#define TEST_PML_FLOW_WORLD_H

#include "opal/class/opal_object.h"

#include "ompi/mca/mq/mq_ompi_compat.h"

static int tell_user(const char *file, const char *topic, int header, ...);
#undef opal_show_help
#define opal_show_help tell_user

/* Included for their state, of which each process has its own. */
#include "ompi/mca/pml/champion/match/backlog.c"

#include "ompi/mca/pml/champion/match/flow_control.c"

#include "ompi/mca/pml/champion/match/message.h"

#include "pml_random.h"
#include "pml_world.h"

enum {
    PROCESSES = 4,
    LIMIT = 1 << 22, /* more than twice what the pool caches */
    LENGTH = 4000,
    ENVELOPES = 4,  /* rendezvous messages that a sender may have under way */
    MAIL = 1 << 14, /* control messages */
    LATEST = 40,    /* number of actions after which one has arrived */
    BURST = 20      /* messages sent or received in an action */
};

/* ---- processes ---------------------------------------------------------- */

/* Messages from one process to another, as counted by the test. */
typedef struct pair_t {
    bool ring;          /* there is a ring; otherwise messages go by UCX */
    bool word;          /* the stop flag of the ring */
    bool eager[LATEST]; /* under way, oldest first; false: rendezvous */
    unsigned num_under_way;
    unsigned since_stop; /* eager messages sent since the STOP */
    unsigned envelopes;  /* rendezvous messages not yet received */
    bool ring_held;      /* sends do not use the ring */
} pair_t;

static const pml_part_t process_parts[] = {
    {&mca_pml_champion, sizeof(mca_pml_champion)},
    {&mca_pml_champion_backlog, sizeof(mca_pml_champion_backlog)},
    {&mca_pml_champion_throttle, sizeof(mca_pml_champion_throttle)},
    {&mca_pml_champion_flow, sizeof(mca_pml_champion_flow)},
    {&patience, sizeof(patience)},
    {&matching, sizeof(matching)},
    {NULL, 0},
};

static mca_pml_champion_peer_t peers[PROCESSES][PROCESSES]; /* of each */
static pair_t pairs[PROCESSES][PROCESSES]; /* sender, receiver */
static int ends[PROCESSES];                /* endpoints */

static inline void take_place(int i)
{
    pml_world_at(i);
    OPAL_PROC_MY_NAME.vpid = (opal_vpid_t) i;
}

static inline mca_pml_champion_peer_t *peer_of(int i)
{
    return &peers[pml_me][i];
}

static inline int index_of(const mca_pml_champion_peer_t *peer)
{
    return (int) (peer - peers[pml_me]);
}

void mca_pml_champion_peers_each(void (*visit)(mca_pml_champion_peer_t *peer))
{
    for (int i = 0; i < PROCESSES; ++i) {
        if (i != pml_me) {
            visit(peer_of(i));
        }
    }
}

/* ---- what stands for the rest of the component -------------------------- */

typedef struct mail_t {
    int from, to;
    unsigned age;
    mca_pml_champion_flow_control_t control;
} mail_t;

static mail_t mail[MAIL];
static unsigned num_mail;
static ucs_status_t send_status;
static mca_pml_champion_ctrl_msg_handler_t handler;
static unsigned complaints;
static uint32_t complained_of;
static unsigned bad_parameters;

static inline int tell_user(const char *file, const char *topic, int header,
                            ...)
{
    va_list list;

    assert_string_equal("help-mpi-pml-champion.txt", file);
    assert_string_equal("held up", topic);
    assert_int_equal(true, header);
    va_start(list, header);
    assert_int_equal(pml_me, va_arg(list, uint32_t));
    complained_of = va_arg(list, uint32_t);
    va_end(list);
    ++complaints;
    return 0;
}

bool mca_pml_champion_param_auto_size(const char *name, const char *description,
                                      mca_base_var_info_lvl_t level, size_t min,
                                      size_t max, size_t *storage)
{
    assert_string_equal("unexpected_limit", name);
    assert_true(0 == min && max > 0);
    *storage = MCA_PML_CHAMPION_UNEXPECTED_AUTO;
    return 0 == (bad_parameters & 1);
}

bool mca_pml_champion_param_uint(const char *name, const char *description,
                                 mca_base_var_info_lvl_t level, unsigned min,
                                 unsigned max, unsigned *storage)
{
    assert_string_equal("unexpected_patience", name);
    assert_in_range(*storage, min, max);
    return 0 == (bad_parameters & 2);
}

void mca_pml_champion_ctrl_msg_register(
    const mca_pml_champion_ctrl_msg_kind_t *kind)
{
    assert_int_equal(MCA_PML_CHAMPION_AM_FLOW, kind->id);
    assert_int_equal(sizeof(mca_pml_champion_flow_control_t), kind->least);
    assert_int_equal(sizeof(mca_pml_champion_flow_control_t), kind->most);
    handler = kind->handler;
}

ucs_status_t mca_pml_champion_ctrl_msg_send(mca_pml_champion_peer_t *peer,
                                            unsigned id, const void *data,
                                            size_t length, uint32_t flags)
{
    mail_t *one = &mail[num_mail];

    assert_int_equal(MCA_PML_CHAMPION_AM_FLOW, id);
    assert_int_equal(sizeof(one->control), length);
    assert_true(0 != (flags & UCP_AM_SEND_FLAG_EAGER));
    assert_int_not_equal(pml_me, index_of(peer));
    if (NULL == peer->ep && NULL == peer->reply_ep) {
        return UCS_ERR_NOT_CONNECTED;
    }
    if (UCS_OK != send_status) {
        return send_status;
    }
    assert_true(num_mail < MAIL);
    ++num_mail;
    one->from = pml_me;
    one->to = index_of(peer);
    one->age = 0;
    memcpy(&one->control, data, length);
    assert_int_equal(pml_me, one->control.vpid);
    return UCS_OK;
}

/* Not used: no process completes a send. */
void mca_pml_champion_peer_due(mca_pml_champion_peer_t *peer, unsigned news)
{
    fail();
}

/* The sides of rings. */

static inline void ring_hold(mca_pml_champion_peer_t *peer)
{
    pair_t *pair = &pairs[pml_me][index_of(peer)];

    assert_false(pair->ring_held);
    pair->ring_held = true;
}

static inline void ring_release(mca_pml_champion_peer_t *peer)
{
    pair_t *pair = &pairs[pml_me][index_of(peer)];

    assert_true(pair->ring_held);
    pair->ring_held = false;
}

static inline void ring_set_stop(const mca_pml_champion_peer_t *peer,
                                 bool stop_it)
{
    pair_t *pair = &pairs[index_of(peer)][pml_me];

    assert_false(stop_it && pair->word);
    pair->word = stop_it;
    pair->since_stop = 0;
}

/* ---- matching, which needs memory of its own ---------------------------- */

static size_t footprints[PROCESSES]; /* bytes for each unexpected message */
static unsigned questions;

static inline unsigned num_waiting(void);

static inline size_t footprint(const mca_mq_base_module_t *module)
{
    ++questions;
    return footprints[pml_me] * num_waiting();
}

static mca_mq_base_module_t module = {.mq_footprint = footprint};
static mca_mq_base_domain_t domain = {.module = &module};
static mca_pml_champion_comm_t comm = {.domain = &domain};
static mca_pml_champion_comm_t *comms[] = {NULL, &comm,
                                           MCA_PML_CHAMPION_COMM_GONE};

/* ---- receivers ---------------------------------------------------------- */

enum { WAITING_MAX = 4096 };

static mca_pml_champion_message_t *waiting[PROCESSES][WAITING_MAX];
static unsigned waiting_count[PROCESSES];

static inline unsigned num_waiting(void)
{
    return waiting_count[pml_me];
}

/* A message arrives for which there is no receive. */
static inline void comes(int from, mca_pml_champion_payload_t kind,
                         size_t length, int tag, bool keepable)
{
    mca_pml_champion_arrival_t arrival = {
        .peer = peer_of(from),
        .length = length,
        .envelope.tag = tag,
        .kind = (uint8_t) kind,
        .keepable = keepable,
    };
    const bool told = peer_of(from)->flow.stopped;
    size_t bytes;

    assert_true(waiting_count[pml_me] < WAITING_MAX);
    waiting[pml_me][waiting_count[pml_me]++] =
        mca_pml_champion_message_new(&arrival);
    bytes = mca_pml_champion_backlog_bytes();
    if (bytes <= mca_pml_champion_backlog.limit || tag < 0) {
        assert_int_equal(told, peer_of(from)->flow.stopped);
    } else if (!mca_pml_champion.finalizing &&
               (NULL != peer_of(from)->ep || NULL != peer_of(from)->reply_ep)) {
        assert_true(UCS_OK != send_status || peer_of(from)->flow.stopped ||
                    0 != mca_pml_champion.chores);
    }
}

static inline void chores(void)
{
    if (0 != mca_pml_champion.chores) {
        assert_int_equal(0, mca_pml_champion_chores_step());
    }
    assert_int_equal(0, mca_pml_champion.chores);
}

/* Receive the i-th unexpected message. */
static inline void receive(unsigned i)
{
    mca_pml_champion_message_t *message = waiting[pml_me][i];
    int from = index_of(message->peer);

    if (MCA_PML_CHAMPION_RENDEZVOUS == message->kind) {
        --pairs[from][pml_me].envelopes;
    }
    waiting[pml_me][i] = waiting[pml_me][--waiting_count[pml_me]];
    mca_pml_champion_message_free(message);
    chores();
    assert_true(0 == mca_pml_champion_backlog.stopped ||
                mca_pml_champion_backlog_bytes() >=
                    mca_pml_champion_flow.go_on);
}

static inline void receive_all(void)
{
    while (waiting_count[pml_me] > 0) {
        receive(waiting_count[pml_me] - 1);
    }
}

/* ---- control messages --------------------------------------------------- */

static inline mca_pml_champion_ctrl_msg_verdict_t hears(int from, uint32_t what,
                                                        uint32_t number)
{
    const mca_pml_champion_flow_control_t control = {
        .vpid = (uint32_t) from, .what = what, .number = number};

    return handler(peer_of(from), &control, sizeof(control));
}

static inline void deliver(unsigned i)
{
    const mail_t one = mail[i];
    const int before = pml_me;

    mail[i] = mail[--num_mail];
    take_place(one.to);
    assert_int_equal(
        MCA_PML_CHAMPION_CTRL_MSG_GOOD,
        handler(peer_of(one.from), &one.control, sizeof(one.control)));
    take_place(before);
}

static inline void deliver_all(void)
{
    while (num_mail > 0) {
        deliver(pml_random_below(num_mail));
    }
}

/* Deliver the control messages for a process that makes progress. */
static inline void deliver_to(int to, unsigned age)
{
    for (unsigned i = num_mail; i > 0; --i) {
        if (mail[i - 1].to == to && mail[i - 1].age >= age) {
            deliver(i - 1);
        }
    }
}

/* ---- before and after each test ----------------------------------------- */

static inline void open_one(int i, size_t limit)
{
    take_place(i);
    opal_size_pool_init(&mca_pml_champion.pool);
    mca_pml_champion.comms = comms;
    mca_pml_champion.num_comms = sizeof(comms) / sizeof(*comms);
    mca_pml_champion.params.unexpected_limit = limit;
    mca_pml_champion_hold_limit = SIZE_MAX;
    mca_pml_champion_throttle = (mca_pml_champion_throttle_t){
        .hold = ring_hold,
        .release = ring_release,
        .set_stop = ring_set_stop,
    };
    mca_pml_champion_flow_open();
    assert_ptr_equal(hold, mca_pml_champion_throttle.on_stop);
    for (int k = 0; k < PROCESSES; ++k) {
        mca_pml_champion_peer_t *peer = peer_of(k);

        memset(peer, 0, sizeof(*peer));
        peer->self = k == i;
        peer->name.vpid = (opal_vpid_t) k;
        peer->ep = (ucp_ep_h) &ends[k];
        peer->packed_max = MCA_PML_CHAMPION_PACKED_MAX;
        peer->due_at = MCA_PML_CHAMPION_FLOW_LOOK;
    }
}

static inline void open_all(size_t limit)
{
    memset(pairs, 0, sizeof(pairs));
    memset(footprints, 0, sizeof(footprints));
    num_mail = 0;
    complaints = 0;
    pml_world_populate(PROCESSES, process_parts);
    send_status = UCS_OK;
    for (int i = 0; i < PROCESSES; ++i) {
        open_one(i, limit);
    }
    take_place(0);
}

static inline int begin(void **state)
{
    pml_world.now = 1;
    open_all(LIMIT);
    return 0;
}

static inline int end(void **state)
{
    for (int i = 0; i < PROCESSES; ++i) {
        take_place(i);
        mca_pml_champion.finalizing = true;
        receive_all();
        assert_int_equal(0, mca_pml_champion.pool.live);
        opal_size_pool_fini(&mca_pml_champion.pool);
        mca_pml_champion_flow_close();
    }
    assert_null(pml_world.look);
    return 0;
}

#define TEST(name) UNIT_TEST_WITH(name, begin, end)

#endif /* TEST_PML_FLOW_WORLD_H */
