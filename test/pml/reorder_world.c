/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "reorder_world.h"

#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/offload_hooks.h"

static pml_mq_t mqs[REORDER_CONTEXTS];

reorder_world_t world;

uint32_t reorder_number_of(reorder_id_t id)
{
    return REORDER_FIRST + id.index;
}

static uint32_t peer_index(const mca_pml_champion_peer_t *peer)
{
    for (uint32_t i = 0; i < REORDER_PEERS; ++i) {
        if (peer == world.peers[i]) {
            return i;
        }
    }
    fail_msg("a peer that is not there");
    return 0;
}

static mca_mq_entry_t *noting_arrive(mca_mq_base_module_t *module,
                                     const mca_mq_envelope_t *envelope,
                                     mca_mq_make_entry_fn_t make, void *arg)
{
    const mca_pml_champion_arrival_t *arrival = arg;

    assert_in_range(world.num_matched, 0, REORDER_LOG_MAX - 1);
    world.matched[world.num_matched++] = (reorder_id_t){
        peer_index(arrival->peer), arrival->sequence - REORDER_FIRST};
    return pml_mq_arrive(module, envelope, make, arg);
}

static void answer(mca_pml_champion_peer_t *peer, uint64_t token,
                   mca_pml_champion_withdrawal_t what)
{
    (void) peer_index(peer);
    ++world.num_answers;
    world.answer_token = token;
    world.answer_what = what;
}

static void sent(unsigned id, const void *bytes, size_t length)
{
    uint64_t token;

    assert_int_equal(MCA_PML_CHAMPION_AM_ACK, id);
    assert_int_equal(sizeof(token), length);
    memcpy(&token, bytes, sizeof(token));
    ++world.acks;
    world.ack_sum += token;
}

static void counted(mca_pml_champion_peer_t *peer,
                    const mca_mq_envelope_t *envelope, uint8_t kind,
                    uint64_t token)
{
    assert_ptr_equal(world.peers[REORDER_COUNTED], peer);
    ++world.num_counted;
    assert_int_equal(REORDER_FIRST + world.num_counted, peer->recv_sequence);
}

void reorder_comm_enter(uint32_t context)
{
    const uint32_t i = context - REORDER_ORDERED;

    pml_mq_enter(&mqs[i], &world.comms[i], context);
}

static void peers_begin(void)
{
    static const uint32_t vpids[REORDER_PEERS] = {0, 1, 3};

    for (int i = 0; i < REORDER_PEERS; ++i) {
        world.peers[i] = pml_world_peer(vpids[i]);
        world.peers[i]->ep = pml_world_ep;
        world.peers[i]->recv_sequence = REORDER_FIRST;
    }
}

int reorder_begin(void **state)
{
    pml_world_begin();
    pml_world.sent = sent;
    memset(&mca_pml_champion.counters, 0, sizeof(mca_pml_champion.counters));
    mca_pml_champion_hold_limit = REORDER_LARGE;
    mca_pml_champion_offload_hooks.counted = counted;
    mca_pml_champion_backlog_open(SIZE_MAX, NULL, NULL);
    pml_world_open();
    peers_begin();
    for (uint32_t i = 0; i < REORDER_CONTEXTS; ++i) {
        pml_mq_init(&mqs[i], REORDER_OVERTAKING == REORDER_ORDERED + i
                                 ? MCA_MQ_ASSERT_ALLOW_OVERTAKING
                                 : 0);
        mqs[i].super.mq_arrive = noting_arrive;
    }
    reorder_comm_enter(REORDER_ORDERED);
    reorder_comm_enter(REORDER_OVERTAKING);
    world.num_matched = world.num_answers = world.num_counted = 0;
    world.acks = world.ack_sum = 0;
    return 0;
}

int reorder_end(void **state)
{
    mca_pml_champion_unlock();
    for (int i = 0; i < REORDER_PEERS; ++i) {
        assert_null(world.peers[i]->reorder.first);
        assert_int_equal(0, world.peers[i]->reorder.recalls);
        assert_int_equal(0, world.peers[i]->backlog.waiting);
    }
    pml_world_close();
    return 0;
}

/* ---- messages ----------------------------------------------------------- */

static mca_mq_envelope_t envelope_of(const reorder_message_t *message)
{
    return (mca_mq_envelope_t){message->context, (int32_t) message->id.peer,
                               message->tag};
}

void reorder_arrive(const reorder_message_t *message)
{
    const size_t length = message->large ? REORDER_LARGE : sizeof(message->id);
    unsigned char *payload = malloc(length);
    mca_pml_champion_arrival_t arrival = {
        .length = length,
        .envelope = envelope_of(message),
        .sequence = reorder_number_of(message->id),
        .peer = world.peers[message->id.peer],
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

mca_pml_champion_withdrawal_t reorder_withdraw(const reorder_message_t *message)
{
    const mca_mq_envelope_t envelope = envelope_of(message);

    return mca_pml_champion_reorder_withdraw(
        world.peers[message->id.peer], &envelope,
        reorder_number_of(message->id), message->id.index + 1, answer);
}

void reorder_receive(reorder_receive_t *it, uint32_t context, bool internal)
{
    pml_mq_t *mq = &mqs[context - REORDER_ORDERED];
    mca_mq_entry_t *found;

    memset(it, 0, sizeof(*it));
    it->super.entry.envelope =
        (mca_mq_envelope_t){context, MCA_MQ_ANY_SOURCE,
                            internal ? REORDER_INTERNAL : MCA_MQ_ANY_TAG};
    it->super.data = &it->buffer;
    it->super.capacity = sizeof(it->buffer);
    it->super.contiguous = true;
    it->super.status = &it->status;
    found = pml_mq_take(mq, &it->super.entry.envelope);
    if (NULL != found) {
        mca_pml_champion_message_deliver((mca_pml_champion_message_t *) found,
                                         &it->super);
    } else {
        pml_mq_append(mq, MCA_MQ_POSTED, &it->super.entry);
    }
}
