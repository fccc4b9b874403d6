/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "fuzz_input.h"

#include <string.h>

#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/stuck/ask.h"

#include "pml_random.h"

const fuzz_kind_t fuzz_kinds[FUZZ_AM(COUNT)] = {
    [FUZZ_AM(ACK)] = {.length = 8, .anonymous = true, .always = true},
    [FUZZ_AM(INVITE)] = {.length = 16},
    [FUZZ_AM(RING)] = {.length = 12, .always = true},
    [FUZZ_AM(CLOCK)] = {.length = 16},
    [FUZZ_AM(FLOW)] = {.length = 16, .has_job = true},
    [FUZZ_AM(DISCONNECT)] = {.length = 28, .has_job = true, .always = true},
    [FUZZ_AM(RECALL)] = {.length = 40, .has_job = true, .always = true},
    [FUZZ_AM(STRIPE)] = {.length = 20, .always = true},
    [FUZZ_AM(STUCK)] = {.length = 32},
};

bool fuzz_is_control(unsigned id)
{
    return 0 != fuzz_kinds[id].length;
}

uint64_t fuzz_number_at(const unsigned char *bytes, size_t offset, size_t size)
{
    uint64_t number = 0;

    memcpy(&number, bytes + offset, size);
    return number;
}

static uint64_t real_token(void)
{
    return (uintptr_t) &fuzz.request.send;
}

/* ---- making inputs ------------------------------------------------------ */

static uint32_t random_vpid(void)
{
    return pml_random_once_in(20) ? (uint32_t) pml_random()
                                  : pml_random_below(PML_WORLD_SIZE);
}

static uint32_t random_job(void)
{
    return pml_random_once_in(3) ? FUZZ_OTHER_JOB : PML_WORLD_JOB;
}

/* A number close to the next one of that peer. */
static uint32_t random_sequence(uint32_t jobid, uint32_t vpid)
{
    const opal_process_name_t name = {.jobid = jobid, .vpid = vpid};
    const mca_pml_champion_peer_t *peer = mca_pml_champion_peer_find(&name);

    return (NULL == peer ? 0 : peer->recv_sequence) + pml_random_below(8) - 2;
}

static void put(fuzz_input_t *input, const void *message, size_t length)
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
                .super = {.context = pml_random_below(FUZZ_CONTEXTS + 1),
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

static void make_part(fuzz_input_t *input)
{
    const mca_pml_champion_part_header_t header = {
        .vpid = random_vpid(),
        .id = pml_random_below(4),
        .part = pml_random_below(9),
    };

    memcpy(input->header, &header, sizeof(header));
    input->header_length = sizeof(header);
    input->length = pml_random_below(FUZZ_LONGEST - 16);
}

static void make_message(fuzz_input_t *input)
{
    const mca_pml_champion_sync_header_t header = random_header();
    const mca_pml_champion_tagged_t tagged = {.length = pml_random(),
                                              .sync = pml_random_below(2)};

    memcpy(input->header, &header, sizeof(header));
    input->header_length = FUZZ_AM(PACKED) == input->id ? 0
                           : FUZZ_AM(MESSAGE) == input->id
                               ? sizeof(header.super)
                               : sizeof(header);
    if (FUZZ_AM(TAGGED) == input->id) {
        put(input, &tagged, sizeof(tagged));
    } else if (FUZZ_AM(PACKED) == input->id) {
        memcpy(input->bytes, &header, sizeof(header.super.super));
        input->length = sizeof(header.super.super) +
                        pml_random_below(MCA_PML_CHAMPION_PACKED_MAX + 1);
    } else {
        input->length = pml_random_below(FUZZ_LONGEST - 16);
    }
}

static void make_ring(fuzz_input_t *input, uint32_t vpid)
{
    const mca_pml_champion_ring_control_t ring = {
        .vpid = vpid,
        .what = pml_random_below(4),
        .sequence = (uint32_t) pml_random_below(4),
    };

    put(input, &ring, sizeof(ring));
}

static void make_recall(fuzz_input_t *input, uint32_t jobid, uint32_t vpid)
{
    const uint32_t who = pml_random_below(PML_WORLD_SIZE);
    const bool right = pml_random_once_in(2);
    const mca_pml_champion_recall_t recall = {
        .jobid = right ? PML_WORLD_JOB : jobid,
        .vpid = right ? who : vpid,
        .token = fuzz.asked_token[who],
        .what = pml_random_below(3),
        .context = pml_random_below(FUZZ_CONTEXTS + 1),
        .source = (int32_t) pml_random_below(4),
        .tag = (int32_t) pml_random_below(4) - 1,
        .sequence = random_sequence(jobid, vpid),
    };

    put(input, &recall, sizeof(recall));
}

static void make_disconnect(fuzz_input_t *input, uint32_t vpid)
{
    const uint32_t piece = 1 + pml_random_below(60);
    const bool whole = !pml_random_once_in(16);
    const mca_pml_champion_disconnect_t disconnect = {
        .jobid = pml_random_once_in(8) ? PML_WORLD_JOB : FUZZ_OTHER_JOB,
        .vpid = vpid,
        .sequence = whole ? 0 : pml_random_below(4),
        .what = pml_random_once_in(3)
                    ? MCA_PML_CHAMPION_DISCONNECT_ADDRESS
                    : pml_random_below(MCA_PML_CHAMPION_DISCONNECT_KINDS),
        .length = whole ? piece : pml_random_below(100),
    };

    put(input, &disconnect, sizeof(disconnect));
    if (MCA_PML_CHAMPION_DISCONNECT_ADDRESS == disconnect.what) {
        input->length += piece;
    }
}

static void make_stripe(fuzz_input_t *input, uint32_t vpid)
{
    const uint32_t what = pml_random_below(MCA_PML_CHAMPION_STRIPE_KINDS);
    const bool opens = MCA_PML_CHAMPION_STRIPE_OPEN == what;
    const mca_pml_champion_stripe_control_t stripe = {
        .vpid = vpid,
        .what = what,
        .id = opens ? 1 + pml_random_below(100) : pml_random_below(4),
        .sequence = pml_random_below(4),
        .parts = 1 + pml_random_below(MCA_PML_CHAMPION_STRIPES_MAX),
    };

    put(input, &stripe, sizeof(stripe));
    input->length += opens ? stripe.id : 0;
}

/* Those with a process behind them are longer than all that is made here. */
static void make_stuck(fuzz_input_t *input, uint32_t vpid)
{
    const mca_pml_champion_stuck_message_t message = {
        .vpid = vpid,
        .what = pml_random_below(MCA_PML_CHAMPION_STUCK_KINDS),
        .number = pml_random_below(4),
        .with = pml_random_below(PML_WORLD_SIZE + 1),
    };

    put(input, &message, sizeof(message));
}

static void make_small(fuzz_input_t *input, uint32_t jobid, uint32_t vpid)
{
    const uint64_t token = real_token();
    const mca_pml_champion_invitation_t invitation = {
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
    case FUZZ_AM(ACK):
        put(input, &token, sizeof(token));
        break;
    case FUZZ_AM(INVITE):
        put(input, &invitation, sizeof(invitation));
        break;
    case FUZZ_AM(CLOCK):
        put(input, &clock, sizeof(clock));
        break;
    default:
        put(input, &flow, sizeof(flow));
    }
}

/* Make a valid message. */
void fuzz_input_make(fuzz_input_t *input, unsigned id)
{
    const uint32_t jobid = random_job(), vpid = random_vpid();

    for (size_t i = 0; i < FUZZ_LONGEST; ++i) {
        input->bytes[i] = input->header[i] = (unsigned char) pml_random();
    }
    input->id = id;
    input->header_length = 0;
    if (FUZZ_AM(PART) == id) {
        make_part(input);
    } else if (!fuzz_is_control(id)) {
        make_message(input);
    } else if (FUZZ_AM(RING) == id) {
        make_ring(input, vpid);
    } else if (FUZZ_AM(RECALL) == id) {
        make_recall(input, jobid, vpid);
    } else if (FUZZ_AM(DISCONNECT) == id) {
        make_disconnect(input, vpid);
    } else if (FUZZ_AM(STRIPE) == id) {
        make_stripe(input, vpid);
    } else if (FUZZ_AM(STUCK) == id) {
        make_stuck(input, vpid);
    } else {
        make_small(input, jobid, vpid);
    }
}

/* ---- changing them ------------------------------------------------------ */

/* The token of an ACK is an address: use that of a real send, or 0. */
void fuzz_input_mend(fuzz_input_t *input)
{
    const uint64_t token = pml_random_once_in(4) ? 0 : real_token();

    if (FUZZ_AM(ACK) == input->id &&
        real_token() != fuzz_number_at(input->bytes, 0, 8)) {
        memcpy(input->bytes, &token, sizeof(token));
    }
}

/* Set one of the numbers to a limit of its range. */
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
    *length = pml_random_once_in(4) ? pml_random_below(FUZZ_LONGEST + 1)
              : pml_random_once_in(2) && *length < FUZZ_LONGEST
                  ? *length + 1
                  : pml_random_below((uint32_t) *length + 1);
}

void fuzz_input_change(fuzz_input_t *input)
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
    fuzz_input_mend(input);
}
