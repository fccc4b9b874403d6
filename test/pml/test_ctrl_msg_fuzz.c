/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a peer may send by mistake, or a broken network hand over: messages of
 * all kinds, cut at every length, too long, each number at its limits, changed
 * at random. Each input lies in memory of exactly its size, so that
 * AddressSanitizer sees who reads on; nothing may be read that is not there,
 * and what each is found to be is compared with a model. Who is refused has
 * changed nothing of its peer.
 *
 *     PML_TEST_OPS=1000000 _build/test/pml/test_ctrl_msg_fuzz
 *
 * gives a million in place of 20000; see pml_random.h. How to build it with the
 * sanitizers is in CONTRIBUTING.md.
 *
 * Tokens of ACKs are addresses of this process, so that only 0 and that of a real
 * send are tried (peer/ctrl_msg.h says why they are believed).
 */

#include "pml_ucx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ompi/mca/pml/champion/conn/disconnect.h"
#include "ompi/mca/pml/champion/conn/flow_control.h"
#include "ompi/mca/pml/champion/match/arrival.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/test_delay.h"
#include "ompi/mca/pml/champion/mpi/am.h"
#include "ompi/mca/pml/champion/mpi/cancel.h"
#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/ring/ring_out.h"
#include "ompi/mca/pml/champion/ring/ring_wireup.h"
#include "ompi/mca/pml/champion/rndv/thread_trigger.h"

#include "pml_mq.h"
#include "pml_random.h"

#define AM(name) MCA_PML_CHAMPION_AM_##name
#define VERDICT(name) MCA_PML_CHAMPION_CTRL_MSG_##name

enum {
    OTHER_JOB = 9,
    CONTEXT = 3,    /* of a communicator */
    OVERTAKING = 4, /* of one that allows that */
    CONTEXTS = 5,
    A_ROUND = 256, /* inputs, then all is made anew */
    LONGEST = 256,
    MANY = 200 /* events that a send waits for: more than will ever come */
};

/* ---- memory that ends where a message does ------------------------------ */

typedef struct input_t {
    unsigned id;
    size_t header_length, length;
    unsigned char header[LONGEST], bytes[LONGEST];
} input_t;

/* A copy; `shift` bytes lie before it, so that it need not be aligned. */
static unsigned char *exact(const void *bytes, size_t length, size_t shift)
{
    unsigned char *block = malloc(shift + length + (0 == shift + length));

    assert_non_null(block);
    memcpy(block + shift, bytes, length);
    return 0 == shift + length ? block + 1 : block + shift;
}

static void exact_free(unsigned char *copy, size_t length, size_t shift)
{
    free(copy - (0 == shift + length ? 1 : shift));
}

/* ---- this process ------------------------------------------------------- */

static pml_mq_t mqs[2];
static mca_mq_base_domain_t domains[2];
static mca_pml_champion_comm_t comms[2];
static ompi_communicator_t *ompi_comm;
static mca_pml_champion_send_request_t request;
/* A send to each process of this job that can be cancelled, and the token in
 * the question to its receiver; 0: it was not asked, or has answered. */
static mca_pml_champion_send_request_t asked[PML_UCX_SIZE];
static uint64_t asked_token[PML_UCX_SIZE], last_token;
/* A segment's name, as this process has told it. */
static mca_pml_champion_ring_name_t seen;

static void sent(unsigned id, const void *bytes, size_t length)
{
    unsigned char copy[LONGEST];

    assert_in_range(id, 0, AM(COUNT) - 1);
    assert_in_range(length, 1, LONGEST);
    memcpy(copy, bytes, length);
    if (AM(RECALL) == id) {
        assert_int_equal(sizeof(mca_pml_champion_recall_t), length);
        memcpy(&last_token, copy + offsetof(mca_pml_champion_recall_t, token),
               sizeof(last_token));
    }
    if (AM(RING) == id) {
        assert_int_equal(sizeof(mca_pml_champion_ring_control_t), length);
        memcpy(&seen, copy + offsetof(mca_pml_champion_ring_control_t, name),
               sizeof(seen));
    }
}

static void released(void *data)
{
    free(data);
}

static void elsewhere_deliver(mca_pml_champion_arrival_t *arrival,
                              mca_pml_champion_recv_t *recv)
{
    (void) arrival;
    mca_pml_champion_recv_complete(recv);
}

static mca_pml_champion_recv_t recvs[4];
static ompi_status_public_t statuses[4];
static char buffers[4][16];

/* Post one that is not. */
static void post(uint32_t i)
{
    mca_pml_champion_recv_t *recv = &recvs[i];
    const uint32_t which = pml_random_below(2);

    if (recv->posted) {
        return;
    }
    *recv = (mca_pml_champion_recv_t){
        .entry.envelope = {CONTEXT + which, MCA_MQ_ANY_SOURCE,
                           (int32_t) pml_random_below(3)},
        .data = buffers[i],
        .capacity = sizeof(buffers[i]),
        .contiguous = true,
        .posted = true,
        .status = &statuses[i],
    };
    pml_mq_append(&mqs[which], MCA_MQ_POSTED, &recv->entry);
}

static void comms_begin(void)
{
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_contexts_init());
    for (uint32_t i = 0; i < 2; ++i) {
        pml_mq_init(&mqs[i], &domains[i],
                    0 == i ? 0 : MCA_MQ_ASSERT_ALLOW_OVERTAKING);
        comms[i] = (mca_pml_champion_comm_t){
            .domain = &domains[i],
            .comm = ompi_comm,
            .context = CONTEXT + i,
            .index = CONTEXT + i,
        };
        assert_int_equal(OMPI_SUCCESS,
                         mca_pml_champion_context_enter(&comms[i]));
    }
}

static void units_open(void)
{
    mca_pml_champion_rings.enabled = true;
    mca_pml_champion_rings.count = 2;
    mca_pml_champion_rings.after = 16;
    mca_pml_champion_rings.max = 65536;
    mca_pml_champion_rings.fragments = 16;
    mca_pml_champion.memory_attr = 1;
    mca_pml_champion_offload.mode = pml_random_once_in(2)
                                        ? MCA_PML_CHAMPION_OFFLOAD_ALWAYS
                                        : MCA_PML_CHAMPION_OFFLOAD_OFF;
    mca_pml_champion_offload.streams = 4;
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_offload_open());
    mca_pml_champion_rings_open();
    mca_pml_champion_flow.patience = 0;
    mca_pml_champion_flow_open();
    mca_pml_champion_disconnect_open(true);
    mca_pml_champion_thread_trigger_open();
    mca_pml_champion_cancel_open();
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_am_register());
}

static void peer_reachable(mca_pml_champion_peer_t *peer)
{
    if (!peer->self && NULL == peer->ep && NULL == peer->reply_ep) {
        peer->reply_ep = pml_ucx_ep;
    }
}

static void peers_begin(void)
{
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_peers_init());
    for (uint32_t vpid = 0; vpid < PML_UCX_SIZE; ++vpid) {
        const opal_process_name_t name = {.jobid = PML_UCX_JOB, .vpid = vpid};
        mca_pml_champion_peer_t *peer = mca_pml_champion_peer_find(&name);

        assert_non_null(peer);
        peer->local = true;
        if (PML_UCX_ME != vpid) {
            assert_int_equal(OMPI_SUCCESS, mca_pml_champion_peer_connect_to(
                                               peer, &seen, true));
        }
    }
}

/* Of a process that has other parameters than in the last round. */
static void round_begin(void)
{
    mca_pml_champion_params_t *params = &mca_pml_champion.params;

    opal_size_pool_init(&mca_pml_champion.pool);
    params->hold_limit = 64;
    params->eager_limit = 8192;
    params->unexpected_limit = pml_random_once_in(2) ? 300000 : 0;
    params->test_delay = pml_random_once_in(8) ? 3 : 0;
    params->progress_thread =
        pml_random_once_in(2) ? MCA_PML_CHAMPION_AUTO : MCA_PML_CHAMPION_OFF;
    params->thread_late = 100;
    params->thread_after = 10;
    mca_pml_champion_payloads[MCA_PML_CHAMPION_RENDEZVOUS] =
        (mca_pml_champion_payload_ops_t){.deliver = elsewhere_deliver,
                                         .drop = mca_pml_champion_ucx_drop};
    mca_pml_champion_payloads[MCA_PML_CHAMPION_TAGGED].deliver =
        elsewhere_deliver;
    units_open();
    mca_pml_champion_lock();
    peers_begin();
    comms_begin();
    mca_pml_champion.finalizing = pml_random_once_in(8);
    memset(&seen, 0, sizeof(seen));
}

static void peer_drop(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_messages_drop(&peer->reorder.first);
    peer->reorder.recalls = 0;
}

static void unexpected_drop(pml_mq_t *mq)
{
    mca_mq_entry_t *entry;

    while (NULL != (entry = pml_mq_take(&mq->first[MCA_MQ_UNEXPECTED]))) {
        mca_pml_champion_message_drop((mca_pml_champion_message_t *) entry);
    }
}

/* Nothing may be left of what came. */
static void round_end(void)
{
    while (NULL != mca_pml_champion.delayed) {
        mca_pml_champion_test_delay_progress();
    }
    mca_pml_champion.finalizing = true;
    mca_pml_champion_peers_each(peer_reachable);
    unexpected_drop(&mqs[0]);
    unexpected_drop(&mqs[1]);
    mca_pml_champion_peers_each(peer_drop);
    mca_pml_champion_parked_drop();
    mca_pml_champion_unlock();
    mca_pml_champion_rings_close();
    mca_pml_champion_flow_close();
    mca_pml_champion_disconnect_fini();
    mca_pml_champion_offload_fini();
    mca_pml_champion_cancel_close();
    memset(asked_token, 0, sizeof(asked_token));
    mca_pml_champion_peers_fini();
    mca_pml_champion_contexts_fini();
    memset(recvs, 0, sizeof(recvs));
    assert_int_equal(0, mca_pml_champion.pool.live);
    assert_int_equal(0, mca_pml_champion_backlog.other);
    opal_size_pool_fini(&mca_pml_champion.pool);
    mca_pml_champion.finalizing = false;
}

static int begin(void **state)
{
    (void) state;
    ompi_comm = calloc(1, sizeof(*ompi_comm));
    assert_non_null(ompi_comm);
    pml_ucx_begin();
    pml_ucx.sent = sent;
    pml_ucx.released = released;
    return 0;
}

static int end(void **state)
{
    (void) state;
    free(ompi_comm);
    return 0;
}

/* ---- the model ---------------------------------------------------------- */

/* Of control messages: what is said of each kind in core/wire.h. */
typedef struct kind_t {
    size_t length;
    bool has_job;   /* begins with jobid and vpid; else with vpid, or */
    bool anonymous; /* with neither */
    bool always;
} kind_t;

static const kind_t kinds[AM(COUNT)] = {
    [AM(ACK)] = {.length = 8, .anonymous = true, .always = true},
    [AM(OFFER)] = {.length = 16},
    [AM(RING)] = {.length = 80},
    [AM(CLOCK)] = {.length = 16},
    [AM(FLOW)] = {.length = 16, .has_job = true},
    [AM(DISCONNECT)] = {.length = 16, .has_job = true, .always = true},
    [AM(RECALL)] = {.length = 40, .has_job = true, .always = true},
};

static bool is_control(unsigned id)
{
    return 0 != kinds[id].length;
}

static uint64_t number_at(const unsigned char *bytes, size_t offset,
                          size_t size)
{
    uint64_t number = 0;

    memcpy(&number, bytes + offset, size);
    return number;
}

static opal_process_name_t name_in(const input_t *input)
{
    const bool has_job = kinds[input->id].has_job;

    return (opal_process_name_t){
        .jobid =
            has_job ? (uint32_t) number_at(input->bytes, 0, 4) : PML_UCX_JOB,
        .vpid = (uint32_t) number_at(input->bytes, has_job ? 4 : 0, 4),
    };
}

static bool can_be(opal_process_name_t name)
{
    return PML_UCX_JOB != name.jobid ||
           (name.vpid < PML_UCX_SIZE && PML_UCX_ME != name.vpid);
}

static bool is_in_list(const mca_pml_champion_peer_t *peer, uint32_t sequence,
                       uint8_t kind)
{
    const mca_pml_champion_message_t *message = peer->reorder.first;

    while (NULL != message &&
           (kind != message->kind || sequence != message->sequence)) {
        message = mca_pml_champion_message_next(message);
    }
    return NULL != message;
}

/* Has the peer asked for that message before, which may still come? */
static bool is_asked_for(const mca_pml_champion_peer_t *peer, uint32_t sequence)
{
    return (int32_t) (sequence - peer->recv_sequence) >= 0 &&
           !is_in_list(peer, sequence, MCA_PML_CHAMPION_OVERTOOK) &&
           is_in_list(peer, sequence, MCA_PML_CHAMPION_RECALLED);
}

static int expect_recall(const input_t *input)
{
    const uint64_t token = number_at(input->bytes, 8, 8);
    const uint64_t what = number_at(input->bytes, 16, 4);
    const opal_process_name_t name = name_in(input);

    if (what > 2) {
        return VERDICT(KIND);
    }
    if (0 != what) {
        return PML_UCX_JOB == name.jobid && 0 != token &&
                       token == asked_token[name.vpid]
                   ? VERDICT(GOOD)
                   : VERDICT(ABSENT);
    }
    return is_asked_for(mca_pml_champion_peer_find(&name),
                        (uint32_t) number_at(input->bytes, 32, 4))
               ? VERDICT(ABSENT)
               : VERDICT(GOOD);
}

static int expect_disconnect(const input_t *input)
{
    const uint64_t what = number_at(input->bytes, 12, 4);
    const bool has_address = what<2, more = input->length> 16;

    if (what > 3) {
        return VERDICT(KIND);
    }
    if (PML_UCX_JOB == name_in(input).jobid) {
        return VERDICT(SENDER);
    }
    return has_address == more ? VERDICT(GOOD)
           : has_address       ? VERDICT(SHORT)
                               : VERDICT(LONG);
}

/* Length and sender are right. */
static int expect_content(const input_t *input)
{
    const unsigned char *bytes = input->bytes;
    uint64_t number;

    switch (input->id) {
    case AM(ACK):
        return 0 == number_at(bytes, 0, 8) ? VERDICT(ABSENT) : VERDICT(GOOD);
    case AM(OFFER):
        number = number_at(bytes, 4, 4);
        return 0 == number || number >= MCA_PML_CHAMPION_TAG_INDICES
                   ? VERDICT(ABSENT)
                   : VERDICT(GOOD);
    case AM(RING):
        number = number_at(bytes, 4, 2);
        return number > 7    ? VERDICT(KIND)
               : 7 == number ? VERDICT(ABSENT) /* nothing is lent here */
                             : VERDICT(GOOD);
    case AM(CLOCK):
        return number_at(bytes, 4, 4) > 2 ? VERDICT(KIND) : VERDICT(GOOD);
    case AM(FLOW):
        return number_at(bytes, 8, 4) > 2 ? VERDICT(KIND) : VERDICT(GOOD);
    case AM(DISCONNECT):
        return expect_disconnect(input);
    default:
        return expect_recall(input);
    }
}

static int expect_control(const input_t *input)
{
    const kind_t *kind = &kinds[input->id];

    if (input->length < kind->length) {
        return VERDICT(SHORT);
    }
    if (input->length > kind->length && AM(DISCONNECT) != input->id) {
        return VERDICT(LONG);
    }
    if (!kind->anonymous && !can_be(name_in(input))) {
        return VERDICT(SENDER);
    }
    return mca_pml_champion.finalizing && !kind->always ? VERDICT(GOOD)
                                                        : expect_content(input);
}

/* Messages: only that there is a header, and that there is such a process,
 * which may be this one. */
static int expect_message(const input_t *input)
{
    const bool packed = AM(PACKED) == input->id;
    const unsigned char *header = packed ? input->bytes : input->header;
    const size_t length = packed ? input->length : input->header_length;
    const size_t least = packed ? 20 : AM(MESSAGE) == input->id ? 28 : 36;

    if (length < least || (AM(TAGGED) == input->id && input->length < 16)) {
        return VERDICT(SHORT);
    }
    if (AM(TAGGED) == input->id && (length > least || input->length > 16)) {
        return VERDICT(LONG);
    }
    return (packed || PML_UCX_JOB == number_at(header, 20, 4)) &&
                   number_at(header, 16, 4) >= PML_UCX_SIZE
               ? VERDICT(SENDER)
               : VERDICT(GOOD);
}

/* ---- giving inputs ------------------------------------------------------ */

/* How often each kind was found to be what. */
static uint64_t found[AM(COUNT)][MCA_PML_CHAMPION_CTRL_MSG_VERDICTS];
static uint64_t num_answers;

/* What the line says that ends the job. */
static const char *const reasons[MCA_PML_CHAMPION_CTRL_MSG_VERDICTS] = {
    [VERDICT(GOOD)] = "",
    [VERDICT(SHORT)] = "is too short",
    [VERDICT(LONG)] = "is too long",
    [VERDICT(SENDER)] = "names a sender",
    [VERDICT(KIND)] = "has no meaning",
    [VERDICT(ABSENT)] = "does not exist",
};

static void check_line(int expected)
{
    const char *line = 0 == pml_ucx.num_aborts ? "" : pml_ucx.line;
    const bool right = VERDICT(GOOD) == expected
                           ? 0 == pml_ucx.num_aborts
                           : 1 == pml_ucx.num_aborts &&
                                 NULL != strstr(line, reasons[expected]);

    if (!right) {
        fail_msg("\"%s\" expected, not \"%s\"", reasons[expected], line);
    }
    pml_ucx.num_aborts = 0;
}

/* By UCX's function, in which the job ends. */
static void give_by_ucx(const input_t *input, unsigned char *header,
                        unsigned char *bytes, uint64_t attr)
{
    const ucp_am_recv_param_t param = {
        .recv_attr = attr | UCP_AM_RECV_ATTR_FIELD_REPLY_EP,
        .reply_ep = pml_ucx_ep,
    };
    /* Of a rendezvous there are no data here. */
    const size_t length = attr & UCP_AM_RECV_ATTR_FLAG_RNDV
                              ? (size_t) pml_random()
                              : input->length;
    const ucs_status_t status =
        pml_ucx.handler[input->id](pml_ucx.arg[input->id], header,
                                   input->header_length, bytes, length, &param);

    if (UCS_INPROGRESS == status) {
        assert_int_not_equal(0, attr);
    } else {
        assert_int_equal(UCS_OK, status);
        if (0 != attr) {
            released(bytes);
        }
    }
}

static void give_message(const input_t *input)
{
    static const uint64_t attrs[] = {0, UCP_AM_RECV_ATTR_FLAG_DATA,
                                     UCP_AM_RECV_ATTR_FLAG_RNDV};
    const bool plain = AM(PACKED) == input->id || AM(TAGGED) == input->id;
    const uint64_t attr = plain ? 0 : attrs[pml_random_below(3)];
    const int expected = expect_message(input);
    unsigned char *header = exact(input->header, input->header_length, 0);
    /* UCX may be left to keep it: then the block is given back as it is. */
    const size_t length = 0 != attr && 0 == input->length ? 1 : input->length;
    unsigned char *bytes = exact(input->bytes, length, 0);

    give_by_ucx(input, header, bytes, attr);
    check_line(expected);
    ++found[input->id][expected];
    exact_free(header, input->header_length, 0);
    if (0 == attr) {
        exact_free(bytes, length, 0);
    }
}

/* The peer that a control message names, if it is met. */
static mca_pml_champion_peer_t *peer_in(const input_t *input)
{
    const opal_process_name_t name = name_in(input);

    return kinds[input->id].anonymous ||
                   input->length < (kinds[input->id].has_job ? 8u : 4u)
               ? NULL
               : mca_pml_champion_peer_find(&name);
}

static void give_control(const input_t *input)
{
    const size_t shift = pml_random_below(8);
    unsigned char *bytes = exact(input->bytes, input->length, shift);
    mca_pml_champion_peer_t *peer = peer_in(input), before;
    const int expected = expect_control(input);

    if (NULL != peer) {
        peer->reply_ep = pml_ucx_ep;
        before = *peer;
    }
    if (pml_random_once_in(4)) {
        give_by_ucx(input, NULL, bytes, 0);
        check_line(expected);
    } else {
        assert_int_equal(
            expected, mca_pml_champion_ctrl_msg_receive(input->id, pml_ucx_ep,
                                                        bytes, input->length));
        check_line(VERDICT(GOOD));
    }
    if (VERDICT(GOOD) == expected && AM(RECALL) == input->id &&
        0 != number_at(input->bytes, 16, 4)) {
        assert_int_equal(MANY - 1, asked[peer->name.vpid].send.pending);
        asked[peer->name.vpid].send.pending = MANY;
        asked_token[peer->name.vpid] = 0;
        ++num_answers;
    }
    ++found[input->id][expected];
    if (NULL != peer && VERDICT(GOOD) != expected) {
        assert_memory_equal(&before, peer, sizeof(before));
    }
    exact_free(bytes, input->length, shift);
}

static void give(const input_t *input)
{
    request.send.pending = MANY;
    if (is_control(input->id)) {
        give_control(input);
    } else {
        give_message(input);
    }
    mca_pml_champion_peers_each(peer_reachable);
}

/* ---- making inputs ------------------------------------------------------ */

static uint32_t random_vpid(void)
{
    return pml_random_once_in(20) ? (uint32_t) pml_random()
                                  : pml_random_below(PML_UCX_SIZE);
}

static uint32_t random_job(void)
{
    return pml_random_once_in(3) ? OTHER_JOB : PML_UCX_JOB;
}

/* Near the next number of that peer. */
static uint32_t random_sequence(uint32_t jobid, uint32_t vpid)
{
    const opal_process_name_t name = {.jobid = jobid, .vpid = vpid};
    const mca_pml_champion_peer_t *peer = mca_pml_champion_peer_find(&name);

    return (NULL == peer ? 0 : peer->recv_sequence) + pml_random_below(8) - 2;
}

static uint64_t real_token(void)
{
    return (uintptr_t) &request.send;
}

static void put(input_t *input, const void *message, size_t length)
{
    memcpy(input->bytes, message, length);
    input->length = length;
}

static mca_pml_champion_sync_header_t random_header(void)
{
    const uint32_t jobid = random_job(), vpid = random_vpid();

    return (mca_pml_champion_sync_header_t){
        .super =
            {
                .super = {.context = pml_random_below(CONTEXTS + 1),
                          .source = (int32_t) pml_random_below(4),
                          .tag = (int32_t) pml_random_below(4) - 1,
                          .sequence = random_sequence(jobid, vpid),
                          .vpid = vpid},
                .jobid = jobid,
                .sent = (uint32_t) pml_random(),
            },
        .token = pml_random(),
    };
}

static void make_message(input_t *input)
{
    const mca_pml_champion_sync_header_t header = random_header();
    const mca_pml_champion_tagged_t tagged = {.length = pml_random(),
                                              .sync = pml_random_below(2)};

    memcpy(input->header, &header, sizeof(header));
    input->header_length = AM(PACKED) == input->id    ? 0
                           : AM(MESSAGE) == input->id ? sizeof(header.super)
                                                      : sizeof(header);
    if (AM(TAGGED) == input->id) {
        put(input, &tagged, sizeof(tagged));
    } else if (AM(PACKED) == input->id) {
        memcpy(input->bytes, &header, sizeof(header.super.super));
        input->length = sizeof(header.super.super) +
                        pml_random_below(MCA_PML_CHAMPION_PACKED_MAX + 1);
    } else {
        input->length = pml_random_below(LONGEST - 16);
    }
}

static void make_ring(input_t *input, uint32_t vpid)
{
    const mca_pml_champion_ring_control_t ring = {
        .vpid = vpid,
        .what = (uint16_t) pml_random_below(8),
        .wakes = (uint16_t) pml_random_below(2),
        .fragments = pml_random_once_in(4) ? (uint32_t) pml_random() : 16,
        .sequence = (uint32_t) pml_random_below(4),
        .reads = pml_random_below(2),
        .address = pml_random(),
        .name = seen,
    };

    put(input, &ring, sizeof(ring));
}

static void make_recall(input_t *input, uint32_t jobid, uint32_t vpid)
{
    const uint32_t who = pml_random_below(PML_UCX_SIZE);
    const bool right = pml_random_once_in(2);
    const mca_pml_champion_recall_t recall = {
        .jobid = right ? PML_UCX_JOB : jobid,
        .vpid = right ? who : vpid,
        .token = asked_token[who],
        .what = pml_random_below(3),
        .context = pml_random_below(CONTEXTS + 1),
        .source = (int32_t) pml_random_below(4),
        .tag = (int32_t) pml_random_below(4) - 1,
        .sequence = random_sequence(jobid, vpid),
    };

    put(input, &recall, sizeof(recall));
}

static void make_disconnect(input_t *input, uint32_t vpid)
{
    const mca_pml_champion_disconnect_t disconnect = {
        .jobid = pml_random_once_in(8) ? PML_UCX_JOB : OTHER_JOB,
        .vpid = vpid,
        .sequence = pml_random_below(4),
        .what = pml_random_below(4),
    };

    put(input, &disconnect, sizeof(disconnect));
    if (disconnect.what < 2) {
        input->length += 1 + pml_random_below(100);
    }
}

static void make_small(input_t *input, uint32_t jobid, uint32_t vpid)
{
    const uint64_t token = real_token();
    const mca_pml_champion_offer_t offer = {
        .vpid = vpid, .index = 1 + pml_random_below(9), .min = pml_random()};
    const mca_pml_champion_clock_t clock = {.vpid = vpid,
                                            .what = pml_random_below(3),
                                            .asked = (uint32_t) pml_random(),
                                            .answered =
                                                (uint32_t) pml_random()};
    const mca_pml_champion_flow_control_t flow = {.jobid = jobid,
                                                  .vpid = vpid,
                                                  .what = pml_random_below(3),
                                                  .number =
                                                      pml_random_below(200)};

    switch (input->id) {
    case AM(ACK):
        put(input, &token, sizeof(token));
        break;
    case AM(OFFER):
        put(input, &offer, sizeof(offer));
        break;
    case AM(CLOCK):
        put(input, &clock, sizeof(clock));
        break;
    default:
        put(input, &flow, sizeof(flow));
    }
}

/* One that a peer could send. */
static void make(input_t *input, unsigned id)
{
    const uint32_t jobid = random_job(), vpid = random_vpid();

    for (size_t i = 0; i < LONGEST; ++i) {
        input->bytes[i] = input->header[i] = (unsigned char) pml_random();
    }
    input->id = id;
    input->header_length = 0;
    if (!is_control(id)) {
        make_message(input);
    } else if (AM(RING) == id) {
        make_ring(input, vpid);
    } else if (AM(RECALL) == id) {
        make_recall(input, jobid, vpid);
    } else if (AM(DISCONNECT) == id) {
        make_disconnect(input, vpid);
    } else {
        make_small(input, jobid, vpid);
    }
}

/* ---- changing them ------------------------------------------------------ */

/* The token of an ACK is an address: of a real send, or 0. */
static void mend_token(input_t *input)
{
    const uint64_t token = pml_random_once_in(4) ? 0 : real_token();

    if (AM(ACK) == input->id && real_token() != number_at(input->bytes, 0, 8)) {
        memcpy(input->bytes, &token, sizeof(token));
    }
}

/* One of its numbers at a limit. */
static void set_limit(unsigned char *bytes, size_t length)
{
    static const uint64_t limits[] = {0,
                                      1,
                                      2,
                                      3,
                                      4,
                                      7,
                                      8,
                                      INT32_MAX,
                                      UINT16_MAX,
                                      (uint64_t) INT32_MAX + 1,
                                      UINT32_MAX,
                                      INT64_MAX,
                                      UINT64_MAX,
                                      UINT64_MAX - 1,
                                      UINT32_MAX - 1};
    const size_t size = (size_t) 2 << pml_random_below(3);
    const uint64_t limit =
        limits[pml_random_below(sizeof(limits) / sizeof(limits[0]))];

    if (length >= size) {
        memcpy(bytes + size * pml_random_below((uint32_t) (length / size)),
               &limit, size);
    }
}

static void set_bits(unsigned char *bytes, size_t length)
{
    for (uint32_t i = pml_random_below(8); 0 != length && i > 0; --i) {
        bytes[pml_random_below((uint32_t) length)] ^=
            (unsigned char) (1u << pml_random_below(8));
    }
}

static void set_length(size_t *length)
{
    *length = pml_random_once_in(4) ? pml_random_below(LONGEST + 1)
              : pml_random_once_in(2) && *length < LONGEST
                  ? *length + 1
                  : pml_random_below((uint32_t) *length + 1);
}

static void change(input_t *input)
{
    const bool header = 0 != input->header_length && pml_random_once_in(2);
    unsigned char *bytes = header ? input->header : input->bytes;
    size_t *length = header ? &input->header_length : &input->length;

    switch (pml_random_below(5)) {
    case 0:
        break; /* as it is */
    case 1:
        set_length(length);
        break;
    case 2:
        set_limit(bytes, *length);
        break;
    case 3:
        set_bits(bytes, *length);
        break;
    default:
        set_limit(bytes, *length);
        set_bits(bytes, *length);
        set_length(length);
    }
    mend_token(input);
}

/* ---- what happens besides ----------------------------------------------- */

/* MPI_Cancel of a send. */
static void cancel(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_send_request_t *it = &asked[peer->name.vpid];
    ompi_request_t *ompi = &it->super.super.req_ompi;

    if (peer->self || 0 != asked_token[peer->name.vpid]) {
        return;
    }
    memset(it, 0, sizeof(*it));
    ompi->req_state = OMPI_REQUEST_ACTIVE;
    it->send.peer = peer;
    it->send.pending = MANY - 1;
    last_token = 0;
    mca_pml_champion_unlock();
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_cancel_send(ompi, 1));
    mca_pml_champion_lock();
    assert_int_equal(it->send.recalled, 0 != last_token);
    asked_token[peer->name.vpid] = last_token;
}

static void happen(void)
{
    const opal_process_name_t name = {.jobid = PML_UCX_JOB,
                                      .vpid = pml_random_below(PML_UCX_SIZE)};

    if (NULL != mca_pml_champion_peers_due) {
        mca_pml_champion_disconnect_step();
        mca_pml_champion_peers_each(peer_reachable);
    }
    if (NULL != mca_pml_champion.delayed) {
        mca_pml_champion_test_delay_progress();
    }
    mca_pml_champion_ring_offer(mca_pml_champion_peer_find(&name));
    cancel(mca_pml_champion_peer_find(&name));
    post(pml_random_below(4));
}

/* ---- tests -------------------------------------------------------------- */

/* The inputs were of all kinds: each was good, and wrong in every way in which
 * it can be. */
static void expect_all_found(uint64_t inputs)
{
    const uint64_t least = inputs / 10000;

    for (unsigned id = 0; id < AM(COUNT); ++id) {
        assert_true(found[id][VERDICT(GOOD)] > least);
        assert_true(found[id][VERDICT(SHORT)] > least);
        assert_true(AM(ACK) == id || found[id][VERDICT(SENDER)] > least);
        if (is_control(id)) {
            assert_true(found[id][VERDICT(LONG)] > least);
            assert_true(AM(DISCONNECT) == id || AM(FLOW) == id ||
                        AM(CLOCK) == id || found[id][VERDICT(ABSENT)] > least);
            assert_true(AM(ACK) == id || AM(OFFER) == id ||
                        found[id][VERDICT(KIND)] > least);
        }
    }
    assert_true(num_answers > least);
    assert_true(mca_pml_champion.counters.ring_granted > least);
    assert_true(mca_pml_champion.counters.cancelled > least);
    assert_true(mca_pml_champion.counters.matched_early > least);
    assert_true(mca_pml_champion.counters.parked > least);
    assert_true(mca_pml_champion.counters.others_disconnected > least);
    assert_true(mca_pml_champion.counters.flow_held_up > least);
}

static void no_input_does_harm(void **state)
{
    const uint64_t inputs = pml_random_ops(20000);
    input_t input;

    (void) state;
    for (uint64_t i = 0; i < inputs; ++i) {
        if (0 == i % A_ROUND) {
            round_begin();
        }
        make(&input, pml_random_below(AM(COUNT)));
        change(&input);
        give(&input);
        if (pml_random_once_in(8)) {
            happen();
        }
        if (A_ROUND - 1 == i % A_ROUND || inputs - 1 == i) {
            round_end();
        }
    }
    if (inputs >= 20000) {
        expect_all_found(inputs);
    }
}

static void each_kind_is_refused_at_every_other_length(void **state)
{
    input_t input;

    (void) state;
    for (unsigned id = 0; id < AM(COUNT); ++id) {
        round_begin();
        for (size_t length = 0; length <= LONGEST; ++length) {
            make(&input, id);
            *(0 != input.header_length ? &input.header_length : &input.length) =
                length;
            mend_token(&input);
            give(&input);
        }
        round_end();
    }
}

static void each_number_is_tried_at_its_limits(void **state)
{
    static const uint32_t limits[] = {0, 1, UINT32_MAX - 1, UINT32_MAX};
    input_t input;

    (void) state;
    for (unsigned id = 0; id < AM(COUNT); ++id) {
        round_begin();
        for (size_t at = 0; at + 4 <= 80; at += 4) {
            for (size_t i = 0; i < 4; ++i) {
                make(&input, id);
                memcpy((0 != input.header_length ? input.header : input.bytes) +
                           at,
                       &limits[i], sizeof(limits[i]));
                mend_token(&input);
                give(&input);
            }
        }
        round_end();
    }
}

static void what_nobody_has_registered_has_no_meaning(void **state)
{
    const unsigned char byte = 0;

    (void) state;
    assert_int_equal(VERDICT(KIND), mca_pml_champion_ctrl_msg_receive(
                                        AM(COUNT), NULL, &byte, sizeof(byte)));
    assert_int_equal(VERDICT(KIND), mca_pml_champion_ctrl_msg_receive(
                                        UINT32_MAX, NULL, &byte, sizeof(byte)));
    assert_int_equal(VERDICT(KIND), mca_pml_champion_ctrl_msg_receive(
                                        AM(PACKED), NULL, &byte, sizeof(byte)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nobody_has_registered_has_no_meaning),
        cmocka_unit_test(each_kind_is_refused_at_every_other_length),
        cmocka_unit_test(each_number_is_tried_at_its_limits),
        cmocka_unit_test(no_input_does_harm),
    };

    pml_random_begin();
    return cmocka_run_group_tests(tests, begin, end);
}
