/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Invalid messages, as a faulty peer or network might deliver them: messages of
 * all kinds, truncated to every length, too long, with each number at its
 * limits, or changed at random. Each input is in memory of exactly its size, so
 * that AddressSanitizer detects reads beyond its end. The verdict on each input
 * is compared with a model; rejected input must not change the peer.
 *
 *     PML_TEST_OPS=1000000 _build/test/pml/test_ctrl_msg_fuzz
 *
 * gives a million in place of 20000; see pml_random.h. How to build it with the
 * sanitizers is in CONTRIBUTING.md.
 *
 * Tokens of ACKs are addresses in this process, so only 0 and that of a real
 * send are tried (peer/ctrl_msg.h explains why they are trusted).
 */

#include "fuzz_input.h"
#include "fuzz_world.h"

#include "ompi/mca/pml/champion/match/message.h"
#include "ompi/mca/pml/champion/offload/tag.h"
#include "ompi/mca/pml/champion/peer/ctrl_msg.h"
#include "ompi/mca/pml/champion/stuck/ask.h"

#include "pml_random.h"

#define VERDICT(name) MCA_PML_CHAMPION_CTRL_MSG_##name

enum { A_ROUND = 256 /* inputs; then the process is set up anew */ };

/* ---- memory that ends where a message does ------------------------------ */

/* A copy of a message; `shift` bytes precede it, so that it may be unaligned.
 */
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

/* ---- the model ---------------------------------------------------------- */

static opal_process_name_t name_in(const fuzz_input_t *input)
{
    const bool has_job = fuzz_kinds[input->id].has_job;

    return (opal_process_name_t){
        .jobid = has_job ? (uint32_t) fuzz_number_at(input->bytes, 0, 4)
                         : PML_WORLD_JOB,
        .vpid = (uint32_t) fuzz_number_at(input->bytes, has_job ? 4 : 0, 4),
    };
}

static bool can_be(opal_process_name_t name)
{
    return PML_WORLD_JOB != name.jobid ||
           (name.vpid < PML_WORLD_SIZE && PML_WORLD_ME != name.vpid);
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

/* Has the peer recalled that message before, and is the message still to come?
 */
static bool may_be_recalled(const mca_pml_champion_peer_t *peer,
                            uint32_t sequence)
{
    return (int32_t) (sequence - peer->recv_sequence) >= 0 &&
           !is_in_list(peer, sequence, MCA_PML_CHAMPION_MATCHED_EARLY) &&
           is_in_list(peer, sequence, MCA_PML_CHAMPION_RECALLED);
}

static int expect_recall(const fuzz_input_t *input)
{
    const uint64_t token = fuzz_number_at(input->bytes, 8, 8);
    const uint64_t what = fuzz_number_at(input->bytes, 16, 4);
    const opal_process_name_t name = name_in(input);

    if (what > 2) {
        return VERDICT(KIND);
    }
    if (0 != what) {
        return PML_WORLD_JOB == name.jobid && 0 != token &&
                       token == fuzz.asked_token[name.vpid]
                   ? VERDICT(GOOD)
                   : VERDICT(ABSENT);
    }
    return may_be_recalled(mca_pml_champion_peer_find(&name),
                           (uint32_t) fuzz_number_at(input->bytes, 32, 4))
               ? VERDICT(ABSENT)
               : VERDICT(GOOD);
}

static int expect_disconnect(const fuzz_input_t *input)
{
    const uint64_t what = fuzz_number_at(input->bytes, 12, 4);
    const bool more = input->length > 28;

    if (what > 4) {
        return VERDICT(KIND);
    }
    if (PML_WORLD_JOB == name_in(input).jobid) {
        return VERDICT(SENDER);
    }
    return (4 == what) == more ? VERDICT(GOOD)
           : 4 == what         ? VERDICT(SHORT)
                               : VERDICT(LONG);
}

/* Nothing is striped here, and no connection was asked for. */
static int expect_stripe(const fuzz_input_t *input)
{
    const uint64_t what = fuzz_number_at(input->bytes, 4, 4);
    const uint64_t id = fuzz_number_at(input->bytes, 8, 4);
    const uint64_t parts = fuzz_number_at(input->bytes, 16, 4);
    const bool more = input->length > 20;

    if (what > 4 || 0 == parts || parts > 8) {
        return VERDICT(KIND);
    }
    if (0 == what) { /* OPEN */
        return !more || id > input->length - 20 ? VERDICT(SHORT)
               : id < input->length - 20        ? VERDICT(LONG)
                                                : VERDICT(GOOD);
    }
    return more                     ? VERDICT(LONG)
           : 2 == what || 4 == what ? VERDICT(GOOD) /* ASK: declined; HERE */
                                    : VERDICT(ABSENT);
}

/* It is never as long as one with a process. */
static int expect_stuck(const fuzz_input_t *input)
{
    const uint64_t what = fuzz_number_at(input->bytes, 4, 4);
    const uint64_t with = fuzz_number_at(input->bytes, 12, 4);

    return input->length == fuzz_kinds[input->id].length &&
                   what < MCA_PML_CHAMPION_STUCK_KINDS &&
                   MCA_PML_CHAMPION_STUCK_CARD != what &&
                   (MCA_PML_CHAMPION_STUCK_ASK_COUNTS != what ||
                    with < PML_WORLD_SIZE)
               ? VERDICT(GOOD)
               : VERDICT(KIND);
}

/* Length and sender are right. */
static int expect_content(const fuzz_input_t *input)
{
    const unsigned char *bytes = input->bytes;
    uint64_t number;

    switch (input->id) {
    case FUZZ_AM(ACK):
        return 0 == fuzz_number_at(bytes, 0, 8) ? VERDICT(ABSENT)
                                                : VERDICT(GOOD);
    case FUZZ_AM(INVITE):
        number = fuzz_number_at(bytes, 4, 4);
        return 0 == number || number >= MCA_PML_CHAMPION_TAG_INDICES
                   ? VERDICT(ABSENT)
                   : VERDICT(GOOD);
    case FUZZ_AM(RING):
        number = fuzz_number_at(bytes, 4, 4);
        return number > 2    ? VERDICT(KIND)
               : number >= 1 ? VERDICT(ABSENT) /* there are no RGETs here */
                             : VERDICT(GOOD);
    case FUZZ_AM(CLOCK):
        return fuzz_number_at(bytes, 4, 4) > 2 ? VERDICT(KIND) : VERDICT(GOOD);
    case FUZZ_AM(FLOW):
        return fuzz_number_at(bytes, 8, 4) > 2 ? VERDICT(KIND) : VERDICT(GOOD);
    case FUZZ_AM(DISCONNECT):
        return expect_disconnect(input);
    case FUZZ_AM(STRIPE):
        return expect_stripe(input);
    case FUZZ_AM(STUCK):
        return expect_stuck(input);
    default:
        return expect_recall(input);
    }
}

static int expect_control(const fuzz_input_t *input)
{
    const fuzz_kind_t *kind = &fuzz_kinds[input->id];

    if (input->length < kind->length) {
        return VERDICT(SHORT);
    }
    if (input->length > kind->length && FUZZ_AM(DISCONNECT) != input->id &&
        FUZZ_AM(STRIPE) != input->id && FUZZ_AM(STUCK) != input->id) {
        return VERDICT(LONG);
    }
    if (!kind->anonymous && !can_be(name_in(input))) {
        return VERDICT(SENDER);
    }
    return mca_pml_champion.finalizing && !kind->always ? VERDICT(GOOD)
                                                        : expect_content(input);
}

/* A part of a message that nobody has asked for. */
static int expect_part(const fuzz_input_t *input)
{
    const uint64_t vpid = fuzz_number_at(input->header, 0, 4);

    if (12 != input->header_length) {
        return input->header_length < 12 ? VERDICT(SHORT) : VERDICT(LONG);
    }
    return vpid >= PML_WORLD_SIZE || PML_WORLD_ME == vpid ? VERDICT(SENDER)
                                                          : VERDICT(ABSENT);
}

/* Point-to-point messages: checked only for a complete header, and that the
 * sender is a process of the job. */
static int expect_message(const fuzz_input_t *input)
{
    const bool packed = FUZZ_AM(PACKED) == input->id;
    const unsigned char *header = packed ? input->bytes : input->header;
    const size_t length = packed ? input->length : input->header_length;
    const size_t least = packed ? 20 : FUZZ_AM(MESSAGE) == input->id ? 28 : 36;

    if (FUZZ_AM(PART) == input->id) {
        return expect_part(input);
    }
    if (length < least ||
        (FUZZ_AM(TAGGED) == input->id && input->length < 16)) {
        return VERDICT(SHORT);
    }
    if (FUZZ_AM(TAGGED) == input->id &&
        (length > least || input->length > 16)) {
        return VERDICT(LONG);
    }
    return (packed || PML_WORLD_JOB == fuzz_number_at(header, 20, 4)) &&
                   fuzz_number_at(header, 16, 4) >= PML_WORLD_SIZE
               ? VERDICT(SENDER)
               : VERDICT(GOOD);
}

/* ---- giving inputs ------------------------------------------------------ */

/* How often each kind got each verdict. */
static uint64_t found[FUZZ_AM(COUNT)][MCA_PML_CHAMPION_CTRL_MSG_VERDICTS];
static uint64_t num_answers;

/* The expected part of the line with which the job ends. */
static const char *const reasons[MCA_PML_CHAMPION_CTRL_MSG_VERDICTS] = {
    [VERDICT(GOOD)] = "",
    [VERDICT(SHORT)] = "is too short",
    [VERDICT(LONG)] = "is too long",
    [VERDICT(SENDER)] = "names a sender",
    [VERDICT(KIND)] = "has a value without a meaning",
    [VERDICT(ABSENT)] = "names something that does not exist",
};

static void check_line(int expected)
{
    const char *line = 0 == pml_world.num_aborts ? "" : pml_world.line;
    const bool right = VERDICT(GOOD) == expected
                           ? 0 == pml_world.num_aborts
                           : 1 == pml_world.num_aborts &&
                                 NULL != strstr(line, reasons[expected]);

    if (!right) {
        fail_msg("\"%s\" expected, not \"%s\"", reasons[expected], line);
    }
    pml_world.num_aborts = 0;
}

/* Pass an input to its handler as UCX does; the handler ends the job if the
 * input is invalid. */
static void give_by_ucx(const fuzz_input_t *input, unsigned char *header,
                        unsigned char *bytes, uint64_t attr)
{
    const ucp_am_recv_param_t param = {
        .recv_attr = attr | UCP_AM_RECV_ATTR_FIELD_REPLY_EP,
        .reply_ep = pml_world_ep,
    };
    /* Data of a rendezvous are not here: any length will do. */
    const size_t length = attr & UCP_AM_RECV_ATTR_FLAG_RNDV
                              ? (size_t) pml_random()
                              : input->length;
    const ucs_status_t status = pml_world.handler[input->id](
        pml_world.arg[input->id], header, input->header_length, bytes, length,
        &param);

    if (UCS_INPROGRESS == status) {
        assert_int_not_equal(0, attr);
    } else {
        assert_int_equal(UCS_OK, status);
        if (0 != attr) {
            free(bytes);
        }
    }
}

static void give_message(const fuzz_input_t *input)
{
    static const uint64_t attrs[] = {0, UCP_AM_RECV_ATTR_FLAG_DATA,
                                     UCP_AM_RECV_ATTR_FLAG_RNDV};
    const bool plain =
        FUZZ_AM(PACKED) == input->id || FUZZ_AM(TAGGED) == input->id;
    const uint64_t attr = plain ? 0 : attrs[pml_random_below(3)];
    const int expected = expect_message(input);
    unsigned char *header = exact(input->header, input->header_length, 0);
    /* The handler may let UCX keep the data: then the block is returned as it
     * is. */
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

/* The peer named by a control message, if this process has met it. */
static mca_pml_champion_peer_t *peer_in(const fuzz_input_t *input)
{
    const opal_process_name_t name = name_in(input);

    return fuzz_kinds[input->id].anonymous ||
                   input->length < (fuzz_kinds[input->id].has_job ? 8u : 4u)
               ? NULL
               : mca_pml_champion_peer_find(&name);
}

static void give_control(const fuzz_input_t *input)
{
    const size_t shift = pml_random_below(8);
    unsigned char *bytes = exact(input->bytes, input->length, shift);
    mca_pml_champion_peer_t *peer = peer_in(input), before;
    const int expected = expect_control(input);

    if (NULL != peer) {
        peer->reply_ep = pml_world_ep;
        before = *peer;
    }
    if (pml_random_once_in(4)) {
        give_by_ucx(input, NULL, bytes, 0);
        check_line(expected);
    } else {
        assert_int_equal(
            expected, mca_pml_champion_ctrl_msg_receive(input->id, pml_world_ep,
                                                        bytes, input->length));
        check_line(VERDICT(GOOD));
    }
    if (VERDICT(GOOD) == expected && FUZZ_AM(RECALL) == input->id &&
        0 != fuzz_number_at(input->bytes, 16, 4)) {
        assert_int_equal(FUZZ_MANY - 1,
                         fuzz.asked[peer->name.vpid].send.pending);
        fuzz.asked[peer->name.vpid].send.pending = FUZZ_MANY;
        fuzz.asked_token[peer->name.vpid] = 0;
        ++num_answers;
    }
    ++found[input->id][expected];
    if (NULL != peer && VERDICT(GOOD) != expected) {
        assert_memory_equal(&before, peer, sizeof(before));
    }
    exact_free(bytes, input->length, shift);
}

static void give(const fuzz_input_t *input)
{
    fuzz.request.send.pending = FUZZ_MANY;
    if (fuzz_is_control(input->id)) {
        give_control(input);
    } else {
        give_message(input);
    }
    mca_pml_champion_peers_each(fuzz_peer_reachable);
}

/* ---- tests -------------------------------------------------------------- */

/* Every kind of input has occurred, valid and with every error that is possible
 * for the kind. */
static void expect_all_found(uint64_t inputs)
{
    const uint64_t least = inputs / 20000;

    for (unsigned id = 0; id < FUZZ_AM(COUNT); ++id) {
        assert_true(
            found[id][FUZZ_AM(PART) == id ? VERDICT(ABSENT) : VERDICT(GOOD)] >
            least);
        assert_true(found[id][VERDICT(SHORT)] > least);
        assert_true(FUZZ_AM(ACK) == id || found[id][VERDICT(SENDER)] > least);
        if (fuzz_is_control(id)) {
            assert_true(FUZZ_AM(STUCK) == id ||
                        found[id][VERDICT(LONG)] > least);
            assert_true(FUZZ_AM(DISCONNECT) == id || FUZZ_AM(FLOW) == id ||
                        FUZZ_AM(CLOCK) == id || FUZZ_AM(STUCK) == id ||
                        found[id][VERDICT(ABSENT)] > least);
            assert_true(FUZZ_AM(ACK) == id || FUZZ_AM(INVITE) == id ||
                        found[id][VERDICT(KIND)] > least);
        }
    }
    assert_true(num_answers > least);
    assert_true(mca_pml_champion.counters.cancelled > least);
    assert_true(mca_pml_champion.counters.matched_early > least);
    assert_true(mca_pml_champion.counters.parked > least);
    assert_true(mca_pml_champion.counters.others_disconnected > least);
    assert_true(mca_pml_champion.counters.flow_held_up > least);
}

UNIT_TEST(each_kind_is_refused_at_every_other_length)
{
    fuzz_input_t input;

    for (unsigned id = 0; id < FUZZ_AM(COUNT); ++id) {
        fuzz_round_begin();
        for (size_t length = 0; length <= FUZZ_LONGEST; ++length) {
            fuzz_input_make(&input, id);
            *(0 != input.header_length ? &input.header_length : &input.length) =
                length;
            fuzz_input_mend(&input);
            give(&input);
        }
        fuzz_round_end();
    }
}

UNIT_TEST(each_number_is_tried_at_its_limits)
{
    static const uint32_t limits[] = {0, 1, UINT32_MAX - 1, UINT32_MAX};
    fuzz_input_t input;

    for (unsigned id = 0; id < FUZZ_AM(COUNT); ++id) {
        fuzz_round_begin();
        for (size_t at = 0; at + 4 <= 80; at += 4) {
            for (size_t i = 0; i < 4; ++i) {
                fuzz_input_make(&input, id);
                memcpy((0 != input.header_length ? input.header : input.bytes) +
                           at,
                       &limits[i], sizeof(limits[i]));
                fuzz_input_mend(&input);
                give(&input);
            }
        }
        fuzz_round_end();
    }
}

UNIT_TEST(a_kind_that_is_not_registered_is_refused)
{
    const unsigned char byte = 0;

    assert_int_equal(VERDICT(KIND),
                     mca_pml_champion_ctrl_msg_receive(FUZZ_AM(COUNT), NULL,
                                                       &byte, sizeof(byte)));
    assert_int_equal(VERDICT(KIND), mca_pml_champion_ctrl_msg_receive(
                                        UINT32_MAX, NULL, &byte, sizeof(byte)));
    assert_int_equal(VERDICT(KIND),
                     mca_pml_champion_ctrl_msg_receive(FUZZ_AM(PACKED), NULL,
                                                       &byte, sizeof(byte)));
}

/* The last one: it counts the verdicts of all. */
UNIT_TEST(no_input_does_harm)
{
    const uint64_t inputs = pml_random_ops(40000);
    fuzz_input_t input;

    for (uint64_t i = 0; i < inputs; ++i) {
        if (0 == i % A_ROUND) {
            fuzz_round_begin();
        }
        fuzz_input_make(&input, pml_random_below(FUZZ_AM(COUNT)));
        fuzz_input_change(&input);
        give(&input);
        if (pml_random_once_in(8)) {
            fuzz_happen();
        }
        if (A_ROUND - 1 == i % A_ROUND || inputs - 1 == i) {
            fuzz_round_end();
        }
    }
    if (inputs >= 40000) {
        expect_all_found(inputs);
    }
}

int main(void)
{
    pml_random_begin();
    return unit_run(fuzz_begin, NULL);
}
