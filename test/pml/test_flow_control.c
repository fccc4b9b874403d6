/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Flow control: which senders are stopped, and that each of them goes on again.
 * Tested with the accounting of unexpected messages below it, and with several
 * processes that send to each other and whose control messages arrive in any
 * order.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "ompi_config.h"

#include "opal/class/opal_object.h"
#include "opal/runtime/opal_progress.h"

#include "ompi/mca/mq/mq_ompi_compat.h"

#undef stop /* a macro of cmocka, a function of the unit */

/* The test replaces what the unit uses of the system. */
static int simulated_clock(clockid_t clock, struct timespec *time);
static int tell_user(const char *file, const char *topic, int header, ...);
static int looked_at(opal_progress_callback_t look);
static int looked_at_no_more(opal_progress_callback_t look);
#define clock_gettime simulated_clock
#undef opal_show_help
#define opal_show_help tell_user
#define opal_progress_register_lp looked_at
#define opal_progress_unregister looked_at_no_more

#include "ompi/mca/pml/champion/core/chores.c"
#include "ompi/mca/pml/champion/match/backlog.c"

#include "ompi/mca/pml/champion/match/flow_control.c"
#include "ompi/mca/pml/champion/match/message.c"
#include "ompi/mca/pml/champion/peer/throttle.c"

#undef clock_gettime

#include "pml_random.h"

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

/* The whole state of a process. That of one process at a time is in place. */
typedef struct process_t {
    mca_pml_champion_t champion;
    mca_pml_champion_backlog_t backlog;
    mca_pml_champion_throttle_t throttle;
    mca_pml_champion_flow_t flow;
    unsigned char patience[sizeof(patience)];
    unsigned char matching[sizeof(matching)];
    mca_pml_champion_peer_t peers[PROCESSES];
} process_t;

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

mca_pml_champion_t mca_pml_champion;
#if !defined(NDEBUG)
_Thread_local bool mca_pml_champion_lock_mine;
#endif

static process_t processes[PROCESSES];
static pair_t pairs[PROCESSES][PROCESSES]; /* sender, receiver */
static int me; /* the process whose state is in place */
static opal_proc_t proc;
static int ends[PROCESSES]; /* endpoints */

static void leave_place(void)
{
    process_t *process = &processes[me];

    process->champion = mca_pml_champion;
    process->backlog = mca_pml_champion_backlog;
    process->throttle = mca_pml_champion_throttle;
    process->flow = mca_pml_champion_flow;
    memcpy(process->patience, &patience, sizeof(patience));
    memcpy(process->matching, &matching, sizeof(matching));
}

static void take_place(int i)
{
    const process_t *process = &processes[i];

    leave_place();
    me = i;
    proc.proc_name.vpid = (opal_vpid_t) i;
    mca_pml_champion = process->champion;
    mca_pml_champion_backlog = process->backlog;
    mca_pml_champion_throttle = process->throttle;
    mca_pml_champion_flow = process->flow;
    memcpy(&patience, process->patience, sizeof(patience));
    memcpy(&matching, process->matching, sizeof(matching));
}

static mca_pml_champion_peer_t *peer_of(int i)
{
    return &processes[me].peers[i];
}

static int index_of(const mca_pml_champion_peer_t *peer)
{
    return (int) (peer - processes[me].peers);
}

void mca_pml_champion_send_marked_ended(mca_pml_champion_send_t *send)
{
}

void mca_pml_champion_peers_each(void (*visit)(mca_pml_champion_peer_t *peer))
{
    for (int i = 0; i < PROCESSES; ++i) {
        if (i != me) {
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
static time_t clock_says;
static opal_progress_callback_t progress_look;
static unsigned complaints;
static uint32_t complained_of;
static unsigned bad_parameters;

static int simulated_clock(clockid_t clock, struct timespec *time)
{
    assert_int_equal(CLOCK_MONOTONIC, clock);
    *time = (struct timespec){.tv_sec = clock_says};
    return 0;
}

static int tell_user(const char *file, const char *topic, int header, ...)
{
    va_list list;

    assert_string_equal("help-mpi-pml-champion.txt", file);
    assert_string_equal("held up", topic);
    assert_int_equal(true, header);
    va_start(list, header);
    assert_int_equal(me, va_arg(list, uint32_t));
    complained_of = va_arg(list, uint32_t);
    va_end(list);
    ++complaints;
    return 0;
}

static int looked_at(opal_progress_callback_t look)
{
    assert_null(progress_look);
    progress_look = look;
    return OPAL_SUCCESS;
}

static int looked_at_no_more(opal_progress_callback_t look)
{
    assert_ptr_equal(progress_look, look);
    progress_look = NULL;
    return OPAL_SUCCESS;
}

opal_proc_t *opal_proc_local_get(void)
{
    return &proc;
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
    assert_int_not_equal(me, index_of(peer));
    if (NULL == peer->ep && NULL == peer->reply_ep) {
        return UCS_ERR_NOT_CONNECTED;
    }
    if (UCS_OK != send_status) {
        return send_status;
    }
    assert_true(num_mail < MAIL);
    ++num_mail;
    one->from = me;
    one->to = index_of(peer);
    one->age = 0;
    memcpy(&one->control, data, length);
    assert_int_equal(me, one->control.vpid);
    return UCS_OK;
}

void mca_pml_champion_abort(int error, const char *format, ...)
{
    fail_msg("aborted: %s", format);
}

void mca_pml_champion_lock_slow(void)
{
    fail();
}

/* Not used: no process sends to itself or completes a send. */
size_t mca_pml_champion_layout_pack(mca_pml_champion_layout_t *layout,
                                    size_t offset, void *data, size_t length)
{
    fail();
    return 0;
}

void mca_pml_champion_peer_due(mca_pml_champion_peer_t *peer, unsigned news)
{
    fail();
}

/* The sides of rings. */

static void ring_hold(mca_pml_champion_peer_t *peer)
{
    pair_t *pair = &pairs[me][index_of(peer)];

    assert_false(pair->ring_held);
    pair->ring_held = true;
}

static void ring_release(mca_pml_champion_peer_t *peer)
{
    pair_t *pair = &pairs[me][index_of(peer)];

    assert_true(pair->ring_held);
    pair->ring_held = false;
}

static void ring_set_stop(const mca_pml_champion_peer_t *peer, bool stop_it)
{
    pair_t *pair = &pairs[index_of(peer)][me];

    assert_false(stop_it && pair->word);
    pair->word = stop_it;
    pair->since_stop = 0;
}

/* ---- matching, which needs memory of its own ---------------------------- */

static size_t footprints[PROCESSES]; /* bytes for each unexpected message */
static unsigned questions;

static unsigned num_waiting(void);

static size_t footprint(const mca_mq_base_module_t *module)
{
    ++questions;
    return footprints[me] * num_waiting();
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

static unsigned num_waiting(void)
{
    return waiting_count[me];
}

/* A message arrives for which there is no receive. */
static void comes(int from, mca_pml_champion_payload_t kind, size_t length,
                  int tag, bool keepable)
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

    assert_true(waiting_count[me] < WAITING_MAX);
    waiting[me][waiting_count[me]++] = mca_pml_champion_message_new(&arrival);
    bytes = mca_pml_champion_backlog_bytes();
    if (bytes <= mca_pml_champion_backlog.limit || tag < 0) {
        assert_int_equal(told, peer_of(from)->flow.stopped);
    } else if (!mca_pml_champion.finalizing &&
               (NULL != peer_of(from)->ep || NULL != peer_of(from)->reply_ep)) {
        assert_true(UCS_OK != send_status || peer_of(from)->flow.stopped ||
                    0 != mca_pml_champion.chores);
    }
}

static void chores(void)
{
    if (0 != mca_pml_champion.chores) {
        assert_int_equal(0, mca_pml_champion_chores_step());
    }
    assert_int_equal(0, mca_pml_champion.chores);
}

/* Receive the i-th unexpected message. */
static void receive(unsigned i)
{
    mca_pml_champion_message_t *message = waiting[me][i];
    int from = index_of(message->peer);

    if (MCA_PML_CHAMPION_RENDEZVOUS == message->kind) {
        --pairs[from][me].envelopes;
    }
    waiting[me][i] = waiting[me][--waiting_count[me]];
    mca_pml_champion_message_free(message);
    chores();
    assert_true(0 == mca_pml_champion_backlog.stopped ||
                mca_pml_champion_backlog_bytes() >=
                    mca_pml_champion_flow.go_on);
}

static void receive_all(void)
{
    while (waiting_count[me] > 0) {
        receive(waiting_count[me] - 1);
    }
}

/* ---- control messages --------------------------------------------------- */

static mca_pml_champion_ctrl_msg_verdict_t hears(int from, uint32_t what,
                                                 uint32_t number)
{
    const mca_pml_champion_flow_control_t control = {
        .vpid = (uint32_t) from, .what = what, .number = number};

    return handler(peer_of(from), &control, sizeof(control));
}

static void deliver(unsigned i)
{
    const mail_t one = mail[i];
    const int before = me;

    mail[i] = mail[--num_mail];
    take_place(one.to);
    assert_int_equal(
        MCA_PML_CHAMPION_CTRL_MSG_GOOD,
        handler(peer_of(one.from), &one.control, sizeof(one.control)));
    take_place(before);
}

static void deliver_all(void)
{
    while (num_mail > 0) {
        deliver(pml_random_below(num_mail));
    }
}

/* Deliver the control messages for a process that makes progress. */
static void deliver_to(int to, unsigned age)
{
    for (unsigned i = num_mail; i > 0; --i) {
        if (mail[i - 1].to == to && mail[i - 1].age >= age) {
            deliver(i - 1);
        }
    }
}

/* ---- before and after each test ----------------------------------------- */

static void open_one(int i, size_t limit)
{
    take_place(i);
    memset(&mca_pml_champion, 0, sizeof(mca_pml_champion));
    memset(&patience, 0, sizeof(patience));
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
    assert_ptr_equal(hold, mca_pml_champion_throttle.stop_seen);
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

static void open_all(size_t limit)
{
    memset(pairs, 0, sizeof(pairs));
    memset(footprints, 0, sizeof(footprints));
    num_mail = 0;
    complaints = 0;
    progress_look = NULL;
    send_status = UCS_OK;
    for (int i = 0; i < PROCESSES; ++i) {
        open_one(i, limit);
    }
    take_place(0);
}

static int begin(void **state)
{
#if !defined(NDEBUG)
    mca_pml_champion_lock_mine = true;
#endif
    open_all(LIMIT);
    return 0;
}

static int end(void **state)
{
    for (int i = 0; i < PROCESSES; ++i) {
        take_place(i);
        mca_pml_champion.finalizing = true;
        receive_all();
        assert_int_equal(0, mca_pml_champion.pool.live);
        opal_size_pool_fini(&mca_pml_champion.pool);
        mca_pml_champion_flow_close();
    }
    return 0;
}

/* ---- tests of single rules ---------------------------------------------- */

static void fill(int from)
{
    while (!peer_of(from)->flow.stopped) {
        comes(from, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
        chores();
        assert_true(mca_pml_champion_backlog_bytes() <
                    LIMIT + 2 * OPAL_SIZE_POOL_SLAB);
    }
    assert_true(mca_pml_champion_backlog_bytes() > LIMIT);
}

static void a_sender_that_fills_the_memory_is_stopped_once(void **state)
{
    fill(1);
    assert_int_equal(1, num_mail);
    assert_int_equal(MCA_PML_CHAMPION_FLOW_STOP, mail[0].control.what);
    assert_int_equal(1, mail[0].to);
    comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
    assert_int_equal(1, num_mail);
    assert_true(pairs[1][0].word);
    comes(2, MCA_PML_CHAMPION_RENDEZVOUS, LENGTH, 1, false);
    assert_int_equal(2, num_mail);
    assert_int_equal(2, mca_pml_champion_backlog.stopped);
    assert_int_equal(2, mca_pml_champion.counters.flow_stopped);
    assert_false(peer_of(3)->flow.stopped);
}

static void below_half_of_the_limit_all_go_on(void **state)
{
    fill(1);
    comes(2, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
    /* One message of each sender stays, so that GO is sent because of the
     * memory. */
    while (0 != mca_pml_champion_backlog.stopped) {
        assert_true(waiting_count[0] > 2);
        receive(waiting_count[0] - 2);
    }
    assert_true(mca_pml_champion_backlog_bytes() < mca_pml_champion_flow.go_on);
    assert_int_equal(LIMIT / 2, mca_pml_champion_flow.go_on);
    assert_false(peer_of(1)->flow.stopped);
    assert_false(peer_of(2)->flow.stopped);
    assert_false(pairs[1][0].word);
    assert_int_equal(4, num_mail);
}

static void a_sender_without_waiting_messages_goes_on(void **state)
{
    fill(1);
    comes(2, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
    comes(2, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
    receive(waiting_count[0] - 1);
    assert_true(peer_of(2)->flow.stopped);
    receive(waiting_count[0] - 1);
    assert_false(peer_of(2)->flow.stopped);
    assert_true(peer_of(1)->flow.stopped);
    assert_int_equal(1, mca_pml_champion_backlog.stopped);
}

/* The slabs of the pool alone exceed such a limit. */
static void a_tiny_limit_does_not_stop_for_ever(void **state)
{
    end(state);
    open_all(1);
    comes(1, MCA_PML_CHAMPION_EAGER, 8, 1, false);
    comes(2, MCA_PML_CHAMPION_EAGER, 8, 1, false);
    assert_int_equal(2, mca_pml_champion_backlog.stopped);
    receive_all();
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    assert_true(mca_pml_champion_backlog_bytes() > 1);
}

static void messages_of_mpi_itself_stop_nobody(void **state)
{
    for (int i = 0; i < 2 * LIMIT / LENGTH; ++i) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, -17, false);
        chores();
    }
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    assert_int_equal(0, num_mail);
    comes(1, MCA_PML_CHAMPION_EAGER, 1, 0, false);
    assert_int_equal(1, mca_pml_champion_backlog.stopped);
}

static void buffers_of_ucx_that_are_kept_count(void **state)
{
    mca_pml_champion_hold_limit = 1000;
    comes(2, MCA_PML_CHAMPION_EAGER, LIMIT + 1, 1, true);
    assert_true(peer_of(2)->flow.stopped);
    assert_int_equal(1, mca_pml_champion.counters.held);
    assert_true(mca_pml_champion_backlog_bytes_max() > LIMIT);
    comes(2, MCA_PML_CHAMPION_EAGER, 999, 1, true);
    assert_int_equal(1, mca_pml_champion.counters.held);
    receive(0);
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
}

static void without_a_limit_nobody_stops_nor_looks(void **state)
{
    end(state);
    open_all(0);
    for (int i = 0; i < 2 * LIMIT / LENGTH; ++i) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
    }
    assert_int_equal(0, num_mail);
    assert_int_equal(0, mca_pml_champion.chores);
    mca_pml_champion_flow_due(peer_of(1));
    assert_false(peer_of(1)->flow.check);
    assert_int_equal(MCA_PML_CHAMPION_PACKED_MAX, peer_of(1)->packed_max);
    assert_int_equal(MCA_PML_CHAMPION_FLOW_LOOK, peer_of(1)->due_at);
}

static void by_itself_the_limit_is_a_share_of_the_memory(void **state)
{
    const size_t page = (size_t) sysconf(_SC_PAGESIZE);
    const size_t pages = (size_t) sysconf(_SC_PHYS_PAGES);

    opal_process_info.num_local_peers = 2;
    end(state);
    open_all(MCA_PML_CHAMPION_UNEXPECTED_AUTO);
    assert_in_range(mca_pml_champion_backlog.limit, (pages / 12 - 1) * page,
                    pages / 12 * page);
    opal_process_info.num_local_peers = 0;
}

static void bad_parameters_are_told(void **state)
{
    for (bad_parameters = 0; bad_parameters < 4; ++bad_parameters) {
        assert_int_equal(0 == bad_parameters, mca_pml_champion_flow_register());
    }
    assert_int_equal(10, mca_pml_champion_flow.patience);
}

static void a_peer_without_an_endpoint_is_not_stopped(void **state)
{
    for (int i = 0; i < 2 * LIMIT / LENGTH; ++i) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, -1, false);
        chores();
    }
    peer_of(1)->ep = NULL;
    /* There is no endpoint back. */
    comes(1, MCA_PML_CHAMPION_EAGER, 1, 1, false);
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    mca_pml_champion_backlog_waits(peer_of(0), 1); /* this process */
    mca_pml_champion_backlog_gone(peer_of(0));
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    peer_of(1)->reply_ep = (ucp_ep_h) &ends[1]; /* HELLO */
    comes(1, MCA_PML_CHAMPION_EAGER, 1, 1, false);
    assert_int_equal(1, mca_pml_champion_backlog.stopped);
    assert_int_equal(1, num_mail);
    mca_pml_champion.finalizing = true;
    comes(2, MCA_PML_CHAMPION_EAGER, 1, 1, false);
    receive_all();
    assert_int_equal(1, num_mail);
}

/* UCX cannot send for lack of memory: the control messages are retried. */
static void control_messages_that_fail_are_sent_later(void **state)
{
    send_status = UCS_ERR_NO_MEMORY;
    for (int i = 0; i < 2 * LIMIT / LENGTH; ++i) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, -1, false);
        chores();
    }
    comes(2, MCA_PML_CHAMPION_EAGER, LENGTH, -1, false);
    mca_pml_champion_backlog_waits(peer_of(1), 1);
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    send_status = UCS_OK;
    mca_pml_champion_backlog_waits(peer_of(1), 1);
    assert_int_equal(1, num_mail);
    assert_int_equal(1, mca_pml_champion_backlog.stopped);
    send_status = UCS_ERR_NO_MEMORY;
    for (int i = 0; i < 2 * LIMIT / LENGTH + 2; ++i) {
        mca_pml_champion_backlog_gone(peer_of(1)); /* received */
    }
    assert_int_equal(1, mca_pml_champion_backlog.stopped);
    assert_int_equal(1, mca_pml_champion.chores);
    (void) mca_pml_champion_chores_step();
    assert_int_equal(1, mca_pml_champion.chores);
    send_status = UCS_OK;
    (void) mca_pml_champion_chores_step();
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    assert_int_equal(0, mca_pml_champion.chores);
    assert_int_equal(2, num_mail);
    assert_int_equal(MCA_PML_CHAMPION_FLOW_GO, mail[1].control.what);
    /* They are still queued. */
    peer_of(1)->backlog.waiting = 2 * LIMIT / LENGTH;
}

/* Only the message with the highest number counts; numbers wrap. */
static void outdated_control_messages_are_ignored(void **state)
{
    mca_pml_champion_peer_t *peer = peer_of(1);

    peer->flow.last_received = UINT32_MAX - 1;
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 0);
    assert_false(peer->flow.throttled);
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, UINT32_MAX);
    assert_false(peer->flow.throttled);
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    assert_true(peer->flow.throttled);
    assert_int_equal(-1, peer->packed_max);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 1); /* a duplicate */
    hears(1, MCA_PML_CHAMPION_FLOW_HELLO, 2);
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 5);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 4);
    assert_true(peer->flow.throttled);
    assert_int_equal(1, mca_pml_champion.counters.flow_held_up);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 6);
    assert_false(peer->flow.throttled);
    assert_int_equal(MCA_PML_CHAMPION_PACKED_MAX, peer->packed_max);
    assert_int_equal(MCA_PML_CHAMPION_CTRL_MSG_KIND,
                     hears(1, MCA_PML_CHAMPION_FLOW_GO + 1, 7));
    assert_int_equal(6, peer->flow.last_received);
}

/* If a HELLO with a higher number made the GO invalid, the sender would never
 * go on. */
static void a_hello_that_overtakes_a_go_does_not_cancel_it(void **state)
{
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    hears(1, MCA_PML_CHAMPION_FLOW_HELLO, 3);
    assert_true(peer_of(1)->flow.throttled);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 2);
    assert_false(peer_of(1)->flow.throttled);
}

static void senders_look_at_times_and_greet_once(void **state)
{
    mca_pml_champion_peer_t *peer = peer_of(1);

    peer->send_sequence = 7;
    mca_pml_champion_flow_due(peer);
    assert_true(peer->flow.check);
    assert_int_equal(-1, peer->packed_max);
    assert_int_equal(7 + MCA_PML_CHAMPION_FLOW_LOOK, peer->due_at);
    mca_pml_champion_flow_check(peer);
    assert_false(peer->flow.check);
    assert_int_equal(MCA_PML_CHAMPION_PACKED_MAX, peer->packed_max);
    assert_int_equal(1, num_mail);
    assert_int_equal(MCA_PML_CHAMPION_FLOW_HELLO, mail[0].control.what);
    mca_pml_champion_flow_due(peer);
    /* A throttled sender stays throttled. */
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    mca_pml_champion_flow_check(peer);
    assert_int_equal(-1, peer->packed_max);
    assert_int_equal(1, num_mail);
}

static void a_disconnect_resets_flow_control(void **state)
{
    fill(1);
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    mca_pml_champion_flow_reset(peer_of(1));
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    assert_false(peer_of(1)->flow.throttled);
    mca_pml_champion_flow_reset(peer_of(1));
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    pairs[1][0].word = pairs[0][1].ring_held = false;
}

/* ---- the user is told who holds up -------------------------------------- */

static void seconds_pass(time_t seconds)
{
    clock_says += seconds;
#if !defined(NDEBUG)
    mca_pml_champion_lock_mine = false;
#endif
    if (NULL != progress_look) {
        assert_int_equal(0, progress_look());
    }
#if !defined(NDEBUG)
    mca_pml_champion_lock_mine = true;
#endif
}

static void a_long_stop_is_told_once(void **state)
{
    mca_pml_champion_flow.patience = 5;
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    hears(2, MCA_PML_CHAMPION_FLOW_STOP, 1);
    seconds_pass(4);
    assert_int_equal(0, complaints);
    seconds_pass(1);
    assert_int_equal(1, complaints);
    assert_int_equal(1, complained_of);
    seconds_pass(50);
    hears(3, MCA_PML_CHAMPION_FLOW_STOP, 1);
    seconds_pass(50);
    assert_int_equal(1, complaints);
}

static void patience_begins_anew_with_another_stop(void **state)
{
    mca_pml_champion_flow.patience = 5;
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    seconds_pass(3);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 2);
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 3);
    hears(2, MCA_PML_CHAMPION_FLOW_STOP, 1);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 4);
    seconds_pass(3); /* the time of the other one counts from here on */
    assert_int_equal(0, complaints);
    seconds_pass(5);
    assert_int_equal(1, complaints);
    assert_int_equal(2, complained_of);
}

static void stops_that_have_ended_are_not_reported(void **state)
{
    mca_pml_champion_flow.patience = 5;
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 1);
    hears(1, MCA_PML_CHAMPION_FLOW_GO, 2);
    seconds_pass(6);
    seconds_pass(6);
    assert_int_equal(0, complaints);
    mca_pml_champion_flow.patience = 0;
    hears(1, MCA_PML_CHAMPION_FLOW_STOP, 3);
    seconds_pass(60);
    assert_int_equal(0, complaints);
}

/* ---- the question to mq ------------------------------------------------- */

static void memory_of_matching_counts_once_it_was_queried(void **state)
{
    footprints[0] = 1 << 14;
    questions = 0;
    while (0 == mca_pml_champion.chores) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
    }
    assert_int_equal(0, questions);
    chores();
    assert_int_equal(1, questions);
    assert_true(mca_pml_champion_backlog.other > 0);
    while (!peer_of(1)->flow.stopped) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, 1, false);
        chores();
    }
    assert_true(mca_pml_champion.pool.mapped < LIMIT / 2);
    /* Matching is queried while messages are received; otherwise the senders
     * would wait for the last one. */
    while (0 != mca_pml_champion_backlog.stopped) {
        receive(waiting_count[0] - 1);
    }
    assert_true(waiting_count[0] > 0);
    assert_true(mca_pml_champion_backlog.other < LIMIT / 2);
}

/* No sender is stopped because of memory that matching needed before. */
static void before_a_stop_matching_is_asked_if_it_may_need_less(void **state)
{
    footprints[0] = 1 << 14;
    for (int i = 0; i < LIMIT / LENGTH; ++i) {
        comes(1, MCA_PML_CHAMPION_EAGER, LENGTH, -1, false);
        chores();
    }
    assert_true(mca_pml_champion_backlog_bytes() > LIMIT);
    receive_all(); /* no sender is stopped, so there is no query */
    assert_true(mca_pml_champion_backlog_bytes() > LIMIT);
    for (int i = 0; 0 == mca_pml_champion.chores; ++i) {
        assert_true(i < 10);
        comes(2, MCA_PML_CHAMPION_EAGER, 8, 1, false);
    }
    chores();
    assert_int_equal(0, mca_pml_champion_backlog.stopped);
    assert_true(mca_pml_champion_backlog_bytes() < LIMIT);
}

/* ---- processes that send to each other ---------------------------------- */

/* A sender receives control messages only when it makes progress. */
static bool by_looks;

/* Send a message; true if by rendezvous. */
static bool send_one(int to)
{
    mca_pml_champion_peer_t *peer = peer_of(to);
    pair_t *pair = &pairs[me][to];

    if (pair->ring && !peer->flow.throttled && pair->word) {
        mca_pml_champion_throttle.stop_seen(peer);
    }
    if (!pair->ring || peer->flow.throttled) {
        if (peer->flow.check) {
            mca_pml_champion_flow_check(peer);
            deliver_to(me, by_looks ? 0 : LATEST / 2); /* one progress call */
        }
        if ((int32_t) (++peer->send_sequence - peer->due_at) >= 0) {
            mca_pml_champion_flow_due(peer);
        }
    }
    return peer->flow.throttled;
}

/* The largest number of messages sent between a STOP and its arrival. */
static unsigned most_since_stop;

static void action_send(void)
{
    const int to = (me + 1 + (int) pml_random_below(PROCESSES - 1)) % PROCESSES;
    pair_t *pair = &pairs[me][to];

    for (uint32_t more = pml_random_below(BURST); more > 0; --more) {
        if (LATEST == pair->num_under_way) {
            return; /* UCX takes no more */
        }
        if (peer_of(to)->flow.throttled && pair->envelopes >= ENVELOPES) {
            deliver_to(me, 0); /* the send waits */
            return;
        }
        if (send_one(to)) {
            ++pair->envelopes;
            pair->eager[pair->num_under_way++] = false;
        } else {
            assert_false(pair->ring && pair->word);
            pair->eager[pair->num_under_way++] = true;
            pair->since_stop += pair->word;
        }
        assert_true(pair->since_stop <=
                    MCA_PML_CHAMPION_FLOW_LOOK +
                        (by_looks ? 1 : BURST * LATEST / 2));
        most_since_stop = pair->since_stop > most_since_stop ? pair->since_stop
                                                             : most_since_stop;
    }
}

static void one_arrives(int from, bool eager)
{
    const unsigned length =
        pml_random_percent(50) ? LENGTH : pml_random_below(40000);

    if (eager && pml_random_percent(10)) {
        return; /* there is a receive for it */
    }
    comes(from, eager ? MCA_PML_CHAMPION_EAGER : MCA_PML_CHAMPION_RENDEZVOUS,
          length, pml_random_percent(95) ? 1 : -1, pml_random_percent(10));
}

static void action_arrive(void)
{
    const int from =
        (me + 1 + (int) pml_random_below(PROCESSES - 1)) % PROCESSES;
    pair_t *pair = &pairs[from][me];

    for (uint32_t more = pml_random_below(BURST);
         more > 0 && pair->num_under_way > 0 && waiting_count[me] < WAITING_MAX;
         --more) {
        one_arrives(from, pair->eager[0]);
        memmove(pair->eager, pair->eager + 1,
                --pair->num_under_way * sizeof(*pair->eager));
        chores();
    }
}

static void action_receive(void)
{
    for (uint32_t more = pml_random_below(BURST); more > 0 && num_waiting() > 0;
         --more) {
        receive(pml_random_below(num_waiting()));
    }
}

/* The state of the receiver must agree with what it has sent. */
static void check_books(void)
{
    unsigned stopped = 0, sum = 0;

    for (int i = 0; i < PROCESSES; ++i) {
        stopped += peer_of(i)->flow.stopped;
        sum += peer_of(i)->backlog.waiting;
        assert_int_equal(peer_of(i)->flow.stopped, pairs[i][me].word);
        assert_int_equal(peer_of(i)->flow.throttled, pairs[me][i].ring_held);
        assert_false(peer_of(i)->flow.throttled &&
                     mca_pml_champion_peer_takes_packed(peer_of(i), 0));
    }
    assert_int_equal(stopped, mca_pml_champion_backlog.stopped);
    assert_int_equal(sum, waiting_count[me]);
}

static void age_mail(void)
{
    for (unsigned i = num_mail; i > 0; --i) {
        if (++mail[i - 1].age > LATEST) {
            deliver(i - 1);
        }
    }
}

/* When no message is under way, both sides of each pair must agree. */
static void check_agreement(void)
{
    deliver_all();
    for (int from = 0; from < PROCESSES; ++from) {
        for (int to = 0; to < PROCESSES; ++to) {
            assert_int_equal(processes[to].peers[from].flow.stopped,
                             processes[from].peers[to].flow.throttled);
        }
    }
}

/* One process acts; it receives with this probability, in percent. */
static void act(uint32_t receives)
{
    take_place((int) pml_random_below(PROCESSES));
    if (pml_random_percent(receives)) {
        action_receive();
    } else if (pml_random_percent(50)) {
        action_send();
    } else {
        action_arrive();
    }
    chores();
    check_books();
    if (by_looks) {
        return;
    }
    if (num_mail > 0 && pml_random_percent(30)) {
        deliver(pml_random_below(num_mail));
    }
    age_mail();
}

static void settle(void)
{
    for (int i = 0; i < PROCESSES; ++i) {
        take_place(i);
        while (num_waiting() > 0) {
            receive(pml_random_below(num_waiting()));
        }
        chores();
        check_books();
        assert_int_equal(0, mca_pml_champion_backlog.stopped);
    }
    leave_place();
    check_agreement();
}

static void open_at_random(void)
{
    open_all((size_t) LIMIT >> pml_random_below(4));
    for (int i = 0; i < PROCESSES; ++i) {
        footprints[i] = pml_random_below(3) * 100;
        for (int k = 0; k < PROCESSES; ++k) {
            pairs[i][k].ring = pml_random_percent(50);
            processes[i].peers[k].flow.last_sent =
                processes[k].peers[i].flow.last_received =
                    0 - pml_random_below(4); /* numbers wrap */
        }
    }
}

/* Numbers of STOPs sent and received. */
static uint64_t stops, holds;

static void live_at_random(void)
{
    for (int phase = 0; phase < 10; ++phase) {
        const uint32_t receives = 5 + pml_random_below(50);

        for (int i = 0; i < 500; ++i) {
            act(receives);
        }
        leave_place();
        check_agreement();
    }
    settle();
    for (int i = 0; i < PROCESSES; ++i) {
        take_place(i);
        stops += mca_pml_champion.counters.flow_stopped;
        holds += mca_pml_champion.counters.flow_held_up;
    }
}

/* Otherwise the test has checked nothing. */
static void rounds(void **state)
{
    stops = holds = most_since_stop = 0;
    for (int round = 0; round < 8; ++round) {
        end(state);
        open_at_random();
        live_at_random();
    }
    assert_true(stops > 100);
    assert_true(holds > 100);
    assert_true(most_since_stop > 0);
}

static void no_stop_is_for_ever(void **state)
{
    by_looks = false;
    rounds(state);
}

static void nor_if_only_looks_find_it(void **state)
{
    by_looks = true;
    rounds(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_sender_that_fills_the_memory_is_stopped_once),
        TEST(below_half_of_the_limit_all_go_on),
        TEST(a_sender_without_waiting_messages_goes_on),
        TEST(a_tiny_limit_does_not_stop_for_ever),
        TEST(messages_of_mpi_itself_stop_nobody),
        TEST(buffers_of_ucx_that_are_kept_count),
        TEST(without_a_limit_nobody_stops_nor_looks),
        TEST(by_itself_the_limit_is_a_share_of_the_memory),
        TEST(bad_parameters_are_told),
        TEST(a_peer_without_an_endpoint_is_not_stopped),
        TEST(control_messages_that_fail_are_sent_later),
        TEST(outdated_control_messages_are_ignored),
        TEST(a_hello_that_overtakes_a_go_does_not_cancel_it),
        TEST(senders_look_at_times_and_greet_once),
        TEST(a_disconnect_resets_flow_control),
        TEST(a_long_stop_is_told_once),
        TEST(patience_begins_anew_with_another_stop),
        TEST(stops_that_have_ended_are_not_reported),
        TEST(memory_of_matching_counts_once_it_was_queried),
        TEST(before_a_stop_matching_is_asked_if_it_may_need_less),
        TEST(no_stop_is_for_ever),
        TEST(nor_if_only_looks_find_it),
    };

    pml_random_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
