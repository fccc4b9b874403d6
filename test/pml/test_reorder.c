/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The order in which messages are matched that arrive out of order, which of
 * them may overtake others, and what is done with messages whose communicator
 * is not known yet and with those that their sender has cancelled.
 */

#include "reorder_world.h"

#include "ompi/mca/pml/champion/match/deliver.h"

static void expect_received(uint32_t context, bool internal, uint32_t peer,
                            uint32_t index)
{
    reorder_receive_t it;

    reorder_receive(&it, context, internal);
    assert_true(it.super.done);
    assert_int_equal(peer, it.buffer.id.peer);
    assert_int_equal(index, it.buffer.id.index);
}

static void expect_matched(uint32_t at, uint32_t peer, uint32_t index)
{
    assert_true(at < world.num_matched);
    assert_int_equal(peer, world.matched[at].peer);
    assert_int_equal(index, world.matched[at].index);
}

static void arrive_user(uint32_t peer, uint32_t index, uint32_t context)
{
    reorder_arrive(
        &(reorder_message_t){.id = {peer, index}, .context = context});
}

#define ROW(name) UNIT_TEST_WITH(name, reorder_begin, reorder_end)

ROW(numbers_say_the_order_also_where_they_wrap)
{
    for (uint32_t i = 39; i > 0; --i) {
        arrive_user(0, i, REORDER_ORDERED);
    }
    assert_int_equal(0, world.num_matched);
    assert_int_equal(39, mca_pml_champion.counters.out_of_order);
    arrive_user(1, 0, REORDER_ORDERED); /* peers do not wait for each other */
    assert_int_equal(1, world.num_matched);
    arrive_user(0, 0, REORDER_ORDERED);
    assert_int_equal(41, world.num_matched);
    expect_received(REORDER_ORDERED, false, 1, 0);
    for (uint32_t i = 0; i < 40; ++i) {
        expect_matched(1 + i, 0, i);
        expect_received(REORDER_ORDERED, false, 0, i);
    }
    assert_int_equal(19, world.peers[0]->recv_sequence);
}

ROW(overtaking_messages_are_counted_in_their_turn)
{
    arrive_user(0, 2, REORDER_OVERTAKING);
    expect_matched(0, 0, 2);
    assert_int_equal(1, mca_pml_champion.counters.matched_early);
    assert_int_equal(REORDER_FIRST, world.peers[0]->recv_sequence);
    arrive_user(0, 1, REORDER_ORDERED); /* this one may not overtake */
    reorder_arrive(
        &(reorder_message_t){.id = {0, 3},
                             .context = REORDER_OVERTAKING,
                             .tag = REORDER_INTERNAL}); /* nor may this one */
    assert_int_equal(1, world.num_matched);
    arrive_user(0, 0, REORDER_OVERTAKING);
    assert_int_equal(4, world.num_matched);
    expect_matched(1, 0, 0);
    expect_matched(2, 0, 1);
    expect_matched(3, 0, 3);
    assert_int_equal(REORDER_FIRST + 4, world.peers[0]->recv_sequence);
    expect_received(REORDER_OVERTAKING, false, 0, 2);
    expect_received(REORDER_OVERTAKING, false, 0, 0);
    expect_received(REORDER_ORDERED, false, 0, 1);
    expect_received(REORDER_OVERTAKING, true, 0, 3);
}

ROW(messages_counted_for_offload_do_not_overtake)
{
    world.peers[REORDER_COUNTED]->offload.in_streams =
        (void *) &world.num_counted;
    arrive_user(REORDER_COUNTED, 1, REORDER_OVERTAKING);
    assert_int_equal(0, world.num_matched + world.num_counted);
    arrive_user(REORDER_COUNTED, 0, REORDER_OVERTAKING);
    assert_int_equal(2, world.num_counted);
    expect_received(REORDER_OVERTAKING, false, REORDER_COUNTED, 0);
    expect_received(REORDER_OVERTAKING, false, REORDER_COUNTED, 1);
}

ROW(a_message_recalled_before_it_arrives_is_dropped)
{
    const reorder_message_t next = {.id = {0, 0}, .context = REORDER_ORDERED},
                            later = {.id = {0, 2},
                                     .context = REORDER_OVERTAKING};

    assert_int_equal(MCA_PML_CHAMPION_NOT_YET, reorder_withdraw(&next));
    assert_int_equal(MCA_PML_CHAMPION_TWICE, reorder_withdraw(&next));
    assert_int_equal(MCA_PML_CHAMPION_NOT_YET, reorder_withdraw(&later));
    reorder_arrive(&later); /* it would overtake if it were not recalled */
    assert_int_equal(0, world.num_matched + world.num_answers);
    reorder_arrive(&next);
    assert_int_equal(1, world.num_answers);
    assert_int_equal(MCA_PML_CHAMPION_GONE, world.answer_what);
    assert_int_equal(1, world.answer_token);
    arrive_user(0, 1, REORDER_ORDERED);
    assert_int_equal(2, world.num_answers);
    assert_int_equal(3, world.answer_token);
    assert_int_equal(1, world.num_matched);
    assert_int_equal(2, mca_pml_champion.counters.cancelled);
    expect_received(REORDER_ORDERED, false, 0, 1);
    assert_int_equal(REORDER_FIRST + 3, world.peers[0]->recv_sequence);
}

ROW(a_message_out_of_order_can_be_recalled)
{
    const reorder_message_t message = {.id = {0, 1},
                                       .context = REORDER_ORDERED};

    reorder_arrive(&message);
    assert_int_equal(MCA_PML_CHAMPION_NOT_YET, reorder_withdraw(&message));
    arrive_user(0, 0, REORDER_ORDERED);
    assert_int_equal(1, world.num_answers);
    assert_int_equal(MCA_PML_CHAMPION_GONE, world.answer_what);
    expect_received(REORDER_ORDERED, false, 0, 0);
}

ROW(who_waits_for_its_receive_is_gone_and_who_has_it_is_not)
{
    const reorder_message_t
        one = {.id = {0, 0}, .context = REORDER_ORDERED, .token = 77},
        two = {.id = {0, 1}, .context = REORDER_ORDERED, .large = true},
        over = {.id = {1, 1}, .context = REORDER_OVERTAKING};

    reorder_arrive(&one);
    reorder_arrive(&two);
    assert_int_equal(MCA_PML_CHAMPION_GONE, reorder_withdraw(&one));
    assert_int_equal(1, world.acks);
    assert_int_equal(77, world.ack_sum);
    expect_received(REORDER_ORDERED, false, 0, 1);
    assert_int_equal(MCA_PML_CHAMPION_MATCHED, reorder_withdraw(&two));
    reorder_arrive(&over);
    assert_int_equal(MCA_PML_CHAMPION_GONE, reorder_withdraw(&over));
    assert_int_equal(0, world.num_answers);
    arrive_user(1, 0, REORDER_ORDERED);
    expect_received(REORDER_ORDERED, false, 1, 0);
    assert_int_equal(1, mca_pml_champion.counters.cancelled_late);
}

/* A receive may be bound to the message by counting. */
ROW(a_recall_of_a_counted_message_prefers_its_receive)
{
    const reorder_message_t one = {.id = {REORDER_COUNTED, 0},
                                   .context = REORDER_ORDERED},
                            two = {.id = {REORDER_COUNTED, 1},
                                   .context = REORDER_ORDERED};
    reorder_receive_t it;

    world.peers[REORDER_COUNTED]->offload.in_streams =
        (void *) &world.num_counted;
    reorder_receive(&it, REORDER_ORDERED, false);
    assert_int_equal(MCA_PML_CHAMPION_NOT_YET, reorder_withdraw(&one));
    assert_int_equal(MCA_PML_CHAMPION_NOT_YET, reorder_withdraw(&two));
    reorder_arrive(&one);
    assert_true(it.super.done);
    assert_int_equal(MCA_PML_CHAMPION_MATCHED, world.answer_what);
    reorder_arrive(&two);
    assert_int_equal(MCA_PML_CHAMPION_GONE, world.answer_what);
    assert_int_equal(2, world.num_answers);
    assert_int_equal(2, world.num_counted);
}

ROW(a_message_waits_for_its_communicator)
{
    const reorder_message_t taken = {.id = {0, 1}, .context = REORDER_NOT_YET},
                            last = {.id = {1, 1}, .context = REORDER_NOT_YET};

    arrive_user(0, 0, REORDER_NOT_YET);
    reorder_arrive(&taken);
    arrive_user(1, 0, REORDER_NOT_YET);
    reorder_arrive(&last);
    arrive_user(0, 2, REORDER_NOT_YET + 1); /* for another communicator */
    assert_int_equal(5, mca_pml_champion.counters.parked);
    assert_int_equal(MCA_PML_CHAMPION_GONE, reorder_withdraw(&taken));
    assert_int_equal(MCA_PML_CHAMPION_MATCHED, reorder_withdraw(&taken));
    assert_int_equal(0, world.num_matched);
    reorder_comm_enter(REORDER_NOT_YET);
    mca_pml_champion_parked_release(REORDER_NOT_YET);
    assert_int_equal(3, world.num_matched);
    expect_received(REORDER_NOT_YET, false, 0, 0);
    expect_received(REORDER_NOT_YET, false, 1, 0);
    expect_received(REORDER_NOT_YET, false, 1, 1);
    mca_pml_champion_parked_drop();
    assert_int_equal(1, mca_pml_champion.counters.purged);
}

ROW(messages_that_cannot_be_received_are_dropped)
{
    mca_pml_champion_context_leave(&world.comms[0]);
    reorder_arrive(&(reorder_message_t){
        .id = {0, 0}, .context = REORDER_ORDERED, .token = 5});
    assert_int_equal(5, world.ack_sum);
    /* Only MPI's own messages are received now. */
    mca_pml_champion_comm_find(REORDER_OVERTAKING)->over = true;
    arrive_user(0, 1, REORDER_OVERTAKING);
    reorder_arrive(&(reorder_message_t){
        .id = {0, 2}, .context = REORDER_OVERTAKING, .tag = REORDER_INTERNAL});
    expect_received(REORDER_OVERTAKING, true, 0, 2);
    mca_pml_champion.finalizing = true;
    arrive_user(0, 3, REORDER_NOT_YET);
    assert_int_equal(3, mca_pml_champion.counters.purged);
    reorder_arrive(&(reorder_message_t){
        .id = {0, 5}, .context = REORDER_OVERTAKING, .large = true});
    expect_matched(world.num_matched - 1, 0, 5);
    mca_pml_champion_messages_drop(&world.peers[0]->reorder.first);
    mca_pml_champion.finalizing = false;
}

/* Messages to self are matched before their send returns. */
ROW(messages_to_self_are_never_to_come)
{
    const mca_mq_envelope_t envelope = {REORDER_ORDERED, 0, 0};
    mca_pml_champion_peer_t *self =
        mca_pml_champion_peer_find(&OPAL_PROC_MY_NAME);

    assert_int_equal(
        MCA_PML_CHAMPION_MATCHED,
        mca_pml_champion_reorder_withdraw(self, &envelope, 3, 0, NULL));
}

ROW(probing_threads_are_notified)
{
    mca_pml_champion_prober_t all = {
        .envelope = {REORDER_ORDERED, MCA_MQ_ANY_SOURCE, MCA_MQ_ANY_TAG}};
    mca_pml_champion_prober_t one = {.envelope = {REORDER_ORDERED, 1, 0}};

    mca_pml_champion_probers_add(&all);
    mca_pml_champion_probers_add(&one);
    arrive_user(0, 1, REORDER_ORDERED);
    assert_int_equal(0, all.found);
    arrive_user(0, 0, REORDER_ORDERED);
    assert_int_equal(1, all.found);
    assert_int_equal(0, one.found);
    mca_pml_champion_probers_wake(REORDER_OVERTAKING);
    assert_int_equal(0, one.found);
    mca_pml_champion_probers_wake(REORDER_ORDERED);
    assert_int_equal(1, one.found);
    mca_pml_champion_probers_remove(&all);
    mca_pml_champion_probers_remove(&one);
    expect_received(REORDER_ORDERED, false, 0, 0);
    expect_received(REORDER_ORDERED, false, 0, 1);
}

UNIT_MAIN(NULL, NULL)
