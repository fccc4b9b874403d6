/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The choice of a send's route, without UCX and without a peer.
 */

#include "pml_test.h"

#include "ompi/mca/pml/champion/mpi/route.h"

typedef mca_pml_champion_route_facts_t facts_t;

#define AUTO SIZE_MAX

static const char *const names[MCA_PML_CHAMPION_ROUTES] = {
    [MCA_PML_CHAMPION_ROUTE_SELF] = "self",
    [MCA_PML_CHAMPION_ROUTE_TAGGED] = "tagged",
    [MCA_PML_CHAMPION_ROUTE_SYNC] = "sync",
    [MCA_PML_CHAMPION_ROUTE_RGET] = "rget",
    [MCA_PML_CHAMPION_ROUTE_RING] = "ring",
    [MCA_PML_CHAMPION_ROUTE_UCX] = "ucx",
    [MCA_PML_CHAMPION_ROUTE_EAGER] = "eager",
    [MCA_PML_CHAMPION_ROUTE_RENDEZVOUS] = "rendezvous",
};

static const char *taken(facts_t facts)
{
    return names[mca_pml_champion_route_next(&facts, 0)];
}

/* The route of a send that the route before could not start. */
static const char *taken_after(mca_pml_champion_route_t refused, facts_t facts)
{
    return names[mca_pml_champion_route_next(&facts, refused + 1)];
}

UNIT_TEST(a_tag_that_cannot_be_used_leaves_the_usual_route)
{
    facts_t facts = {.tagged = true, .length = 65536, .eager_limit = AUTO};

    assert_string_equal("ucx",
                        taken_after(MCA_PML_CHAMPION_ROUTE_TAGGED, facts));
    facts.ring = true;
    assert_string_equal("ring",
                        taken_after(MCA_PML_CHAMPION_ROUTE_TAGGED, facts));
}

UNIT_TEST(messages_to_self_stay_here)
{
    assert_string_equal("self", taken((facts_t){.self = true}));
    assert_string_equal("self", taken((facts_t){.self = true,
                                                .length = 1 << 20,
                                                .sync = true,
                                                .throttled = true,
                                                .tagged = true,
                                                .ring = true,
                                                .fetch = true,
                                                .readable = true}));
}

UNIT_TEST(data_requested_by_tag_are_sent_by_tag)
{
    assert_string_equal("tagged", taken((facts_t){.tagged = true,
                                                  .length = 1 << 20,
                                                  .eager_limit = AUTO,
                                                  .ring = true}));
    assert_string_equal("tagged",
                        taken((facts_t){.tagged = true, .sync = true}));
}

UNIT_TEST(a_ring_takes_what_it_may)
{
    facts_t facts = {.length = 65536, .eager_limit = AUTO, .ring = true};

    assert_string_equal("ring", taken(facts));
    facts.readable = true;
    assert_string_equal("ring", taken(facts));
    facts.sync = true;
    assert_string_equal("rendezvous", taken(facts));
}

UNIT_TEST(a_synchronous_send_goes_by_ring_if_its_token_fits)
{
    facts_t facts = {.length = MCA_PML_CHAMPION_SYNC_RING,
                     .eager_limit = AUTO,
                     .sync = true};

    assert_string_equal("eager", taken(facts));
    facts.ring = true;
    assert_string_equal("sync", taken(facts));
    assert_string_equal("eager",
                        taken_after(MCA_PML_CHAMPION_ROUTE_SYNC, facts));
    ++facts.length;
    assert_string_equal("eager", taken(facts));
}

UNIT_TEST(large_messages_go_by_rget_if_memory_can_be_read)
{
    facts_t facts = {.length = 65536,
                     .eager_limit = AUTO,
                     .ring = true,
                     .fetch = true,
                     .readable = true};

    assert_string_equal("rget", taken(facts));
    assert_string_equal("rendezvous",
                        taken_after(MCA_PML_CHAMPION_ROUTE_RGET, facts));
    facts.readable = false;
    assert_string_equal("rendezvous", taken(facts));
    facts.readable = true;
    facts.ring = false; /* longer than ring_max */
    assert_string_equal("rget", taken(facts));
    facts.sync = true;
    assert_string_equal("rendezvous", taken(facts));
    facts.sync = false;
    facts.throttled = true;
    assert_string_equal("rendezvous", taken(facts));
}

UNIT_TEST(what_only_its_process_can_read_is_never_fetched)
{
    facts_t facts = {.length = 1 << 20, .eager_limit = AUTO, .private = true};

    for (int i = 0; i < 8; ++i) {
        facts.sync = 0 != (i & 1);
        facts.throttled = 0 != (i & 2);
        facts.eager_limit = 0 != (i & 4) ? 4096 : AUTO;
        facts.ring = false;
        assert_string_equal("eager", taken(facts));
        facts.ring = true;
        assert_string_equal(facts.sync || facts.throttled ? "eager" : "ring",
                            taken(facts));
    }
}

UNIT_TEST(ucx_decides_unless_something_is_known)
{
    assert_string_equal("ucx", taken((facts_t){.eager_limit = AUTO}));
    assert_string_equal(
        "ucx", taken((facts_t){.length = 1 << 20, .eager_limit = AUTO}));
}

UNIT_TEST(the_limit_is_eager_one_byte_more_is_not)
{
    facts_t facts = {.length = 4096, .eager_limit = 4096};
    facts_t sync = {.length = MCA_PML_CHAMPION_SYNC_EAGER,
                    .eager_limit = AUTO,
                    .sync = true};

    assert_string_equal("eager", taken(facts));
    ++facts.length;
    assert_string_equal("rendezvous", taken(facts));
    assert_string_equal("rendezvous", taken((facts_t){.length = 1}));
    assert_string_equal("eager", taken((facts_t){.length = 0}));
    assert_string_equal("eager", taken(sync));
    ++sync.length;
    assert_string_equal("rendezvous", taken(sync));
}

UNIT_TEST(a_receiver_that_falls_behind_gets_envelopes_only)
{
    facts_t facts = {.throttled = true};

    for (unsigned bits = 0; bits < 32; ++bits) {
        facts.eager_limit = bits & 1 ? AUTO : 4096;
        facts.sync = 0 != (bits & 2);
        facts.tagged = 0 != (bits & 4);
        facts.ring = 0 != (bits & 8);
        facts.fetch = facts.readable = 0 != (bits & 16);
        facts.length = 1;
        assert_string_equal("rendezvous", taken(facts));
        facts.length = 0;
        assert_string_equal("eager", taken(facts));
    }
}

/* The choice as one function, independent of the table. */
static const char *model(const facts_t *facts)
{
    const bool ring = facts->ring && !facts->sync;

    if (facts->self) {
        return "self";
    }
    if (facts->throttled) {
        return 0 == facts->length ? "eager" : "rendezvous";
    }
    if (facts->tagged) {
        return "tagged";
    }
    if (facts->sync && facts->ring && facts->length <= 1024) {
        return "sync";
    }
    if (facts->fetch && facts->readable && !facts->sync) {
        return "rget";
    }
    if (ring && !facts->fetch) {
        return "ring";
    }
    if (AUTO != facts->eager_limit) {
        return facts->length <= facts->eager_limit ? "eager" : "rendezvous";
    }
    if (!facts->sync && !facts->fetch) {
        return "ucx";
    }
    return facts->length <= 8192 ? "eager" : "rendezvous";
}

UNIT_TEST(every_send_has_one_route)
{
    static const size_t lengths[] = {0,    1,    1024, 1025,   4096,
                                     4097, 8192, 8193, 1 << 20};
    static const size_t limits[] = {0, 4096, AUTO};

    for (size_t i = 0; i < 9 * 3 * 128; ++i) {
        const size_t bits = i / 27;
        const facts_t facts = {.length = lengths[i % 9],
                               .eager_limit = limits[i / 9 % 3],
                               .sync = 0 != (bits & 1),
                               .self = 0 != (bits & 2),
                               .throttled = 0 != (bits & 4),
                               .tagged = 0 != (bits & 8),
                               .ring = 0 != (bits & 16),
                               .fetch = 0 != (bits & 32),
                               .readable = 0 != (bits & 64)};

        assert_string_equal(model(&facts), taken(facts));
    }
}

UNIT_MAIN(NULL, NULL)
