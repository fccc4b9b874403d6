/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/stats/stats_table.h"

#define AT(type, field) (offsetof(type, field) / sizeof(uint64_t))
#define COMM(field) [AT(mca_pml_champion_comm_counters_t, field)]
#define PROCESS(field)                                                         \
    [MCA_PML_CHAMPION_COMM_STATS + AT(mca_pml_champion_counters_t, field)]

#define COUNT MCA_PML_CHAMPION_STAT_COUNT
#define HIGHEST MCA_PML_CHAMPION_STAT_MAX
#define NOW MCA_PML_CHAMPION_STAT_NOW

const mca_pml_champion_stat_t mca_pml_champion_stats[MCA_PML_CHAMPION_STATS] = {
    COMM(posted.hits) = {"posted", "matched", COUNT, "messages", NULL,
                         "Messages that found a posted receive"},
    COMM(posted.misses) =
        {"posted", "unexpected", COUNT, "messages", NULL,
         "Messages that found no posted receive and were queued"},
    COMM(posted.traversed_hit) =
        {"posted", "traversed_hit", COUNT, "entries", "matched",
         "Queue entries compared by searches that found one"},
    COMM(posted.traversed_miss) =
        {"posted", "traversed_miss", COUNT, "entries", "unexpected",
         "Queue entries compared by searches that found none"},
    COMM(posted.traversed_max) = {"posted", "traversed_max", HIGHEST, "entries",
                                  NULL,
                                  "Most queue entries compared by one search"},
    COMM(posted.length) = {"posted", "length", NOW, "entries", NULL,
                           "Receives queued now"},
    COMM(posted.length_max) = {"posted", "queue_max", HIGHEST, "entries", NULL,
                               "Most receives queued at one time"},
    COMM(unexpected.hits) = {"unexpected", "matched", COUNT, "receives", NULL,
                             "Receives that found an unexpected message"},
    COMM(unexpected.misses) =
        {"unexpected", "missed", COUNT, "receives", NULL,
         "Receives that found no unexpected message and were queued"},
    COMM(unexpected.traversed_hit) =
        {"unexpected", "traversed_hit", COUNT, "entries", "matched",
         "Queue entries compared by searches that found one"},
    COMM(unexpected.traversed_miss) =
        {"unexpected", "traversed_miss", COUNT, "entries", "missed",
         "Queue entries compared by searches that found none"},
    COMM(unexpected.traversed_max) =
        {"unexpected", "traversed_max", HIGHEST, "entries", NULL,
         "Most queue entries compared by one search"},
    COMM(unexpected.length) = {"unexpected", "length", NOW, "entries", NULL,
                               "Messages queued now"},
    COMM(unexpected.length_max) = {"unexpected", "queue_max", HIGHEST,
                                   "entries", NULL,
                                   "Most messages queued at one time"},
    COMM(unexpected_bytes) =
        {"unexpected", "bytes", NOW, "bytes", NULL,
         "Payload of the unexpected messages queued now, wherever it is"},
    COMM(unexpected_bytes_max) =
        {"unexpected", "bytes_max", HIGHEST, "bytes", NULL,
         "Largest payload of all unexpected messages queued at one time"},
    COMM(probe_hits) = {"probes", "matched", COUNT, "probes", NULL,
                        "Probes that found a message"},
    COMM(probe_misses) = {"probes", "missed", COUNT, "probes", NULL,
                          "Probes that found none"},
    COMM(probe_traversed) = {"probes", "traversed", COUNT, "entries", NULL,
                             "Queue entries compared by probes"},
    COMM(recv_exact) = {"receives", "exact", COUNT, "receives", NULL,
                        "Receives that name their source and tag"},
    COMM(recv_any_source) = {"receives", "any_source", COUNT, "receives", NULL,
                             "Receives from MPI_ANY_SOURCE with a tag"},
    COMM(recv_any_tag) = {"receives", "any_tag", COUNT, "receives", NULL,
                          "Receives from one source with MPI_ANY_TAG"},
    COMM(recv_any) = {"receives", "any", COUNT, "receives", NULL,
                      "Receives with both wildcards"},
    COMM(messages) = {"messages", "count", COUNT, "messages", NULL,
                      "Messages that arrived and were matched or queued"},
    COMM(bytes) = {"messages", "bytes", COUNT, "bytes", "count",
                   "Their payload"},
    COMM(bytes_max) = {"messages", "largest", HIGHEST, "bytes", NULL,
                       "Largest payload of one of them"},
    COMM(self) = {"messages", "self", COUNT, "messages", NULL,
                  "Those that a process sent to itself"},
    COMM(size_class[0]) = {"messages", "upto_64", COUNT, "messages", NULL,
                           "Those of at most 64 bytes"},
    COMM(size_class[1]) = {"messages", "upto_1k", COUNT, "messages", NULL,
                           "Those of more, up to 1 KiB"},
    COMM(size_class[2]) = {"messages", "upto_16k", COUNT, "messages", NULL,
                           "Those of more, up to 16 KiB"},
    COMM(size_class[3]) = {"messages", "upto_256k", COUNT, "messages", NULL,
                           "Those of more, up to 256 KiB"},
    COMM(size_class[4]) = {"messages", "larger", COUNT, "messages", NULL,
                           "Those of more than 256 KiB"},
    COMM(internal_posted.hits) =
        {"internal_posted", "matched", COUNT, "messages", NULL,
         "Internal messages that found a posted receive"},
    COMM(internal_posted.misses) =
        {"internal_posted", "unexpected", COUNT, "messages", NULL,
         "Internal messages that found none and were queued"},
    COMM(internal_posted.traversed_hit) =
        {"internal_posted", "traversed_hit", COUNT, "entries", "matched",
         "Queue entries compared by searches that found one"},
    COMM(internal_posted.traversed_miss) =
        {"internal_posted", "traversed_miss", COUNT, "entries", "unexpected",
         "Queue entries compared by searches that found none"},
    COMM(internal_posted.traversed_max) =
        {"internal_posted", "traversed_max", HIGHEST, "entries", NULL,
         "Most queue entries compared by one search"},
    COMM(internal_posted.length) = {"internal_posted", "length", NOW, "entries",
                                    NULL, "Internal receives queued now"},
    COMM(internal_posted.length_max) =
        {"internal_posted", "queue_max", HIGHEST, "entries", NULL,
         "Most internal receives queued at one time"},
    COMM(internal_unexpected.hits) =
        {"internal_unexpected", "matched", COUNT, "receives", NULL,
         "Internal receives that found an unexpected message"},
    COMM(internal_unexpected.misses) =
        {"internal_unexpected", "missed", COUNT, "receives", NULL,
         "Internal receives that found none and were queued"},
    COMM(internal_unexpected.traversed_hit) =
        {"internal_unexpected", "traversed_hit", COUNT, "entries", "matched",
         "Queue entries compared by searches that found one"},
    COMM(internal_unexpected.traversed_miss) =
        {"internal_unexpected", "traversed_miss", COUNT, "entries", "missed",
         "Queue entries compared by searches that found none"},
    COMM(internal_unexpected.traversed_max) =
        {"internal_unexpected", "traversed_max", HIGHEST, "entries", NULL,
         "Most queue entries compared by one search"},
    COMM(internal_unexpected.length) = {"internal_unexpected", "length", NOW,
                                        "entries", NULL,
                                        "Internal messages queued now"},
    COMM(internal_unexpected.length_max) =
        {"internal_unexpected", "queue_max", HIGHEST, "entries", NULL,
         "Most internal messages queued at one time"},
    COMM(internal_messages) = {"internal", "count", COUNT, "messages", NULL,
                               "Internal messages that arrived, such as those "
                               "of collective operations"},
    COMM(internal_bytes) = {"internal", "bytes", COUNT, "bytes", "count",
                            "Their payload"},
    PROCESS(rendezvous) = {"paths", "rendezvous", COUNT, "messages", NULL,
                           "Messages received by rendezvous"},
    PROCESS(deferred) = {"paths", "deferred", COUNT, "messages", NULL,
                         "Those that were there when MPI_Irecv was called, and "
                         "not fetched before a send or progress"},
    PROCESS(out_of_order) =
        {"paths", "out_of_order", COUNT, "messages", NULL,
         "Messages held until messages sent before them had arrived"},
    PROCESS(
        matched_early) = {"paths", "matched_early", COUNT, "messages", NULL,
                          "Messages matched before messages sent before them "
                          "(mpi_assert_allow_overtaking)"},
    PROCESS(parked) =
        {"paths", "parked", COUNT, "messages", NULL,
         "Messages held until their communicator had been created here"},
    PROCESS(held) = {"paths", "held", COUNT, "messages", NULL,
                     "Unexpected messages kept in UCX's buffer"},
    PROCESS(delayed) = {"paths", "delayed", COUNT, "messages", NULL,
                        "Messages delayed by pml_champion_test_delay"},
    PROCESS(purged) = {"paths", "purged", COUNT, "messages", NULL,
                       "Messages dropped with their communicator"},
    PROCESS(cancelled) = {"paths", "cancelled", COUNT, "messages", NULL,
                          "Messages dropped because their sender cancelled "
                          "them"},
    PROCESS(cancelled_late) =
        {"paths", "cancelled_late", COUNT, "messages", NULL,
         "Messages that their sender cancelled after they had been matched"},
    PROCESS(migrations) = {"paths", "migrations", COUNT, "communicators", NULL,
                           "Communicators moved to another component"},
    PROCESS(ring_messages) = {"rings", "messages", COUNT, "messages", NULL,
                              "Messages received through rings"},
    PROCESS(ring_granted) = {"rings", "granted", COUNT, "rings", NULL,
                             "Rings granted to senders"},
    PROCESS(ring_refused) = {"rings", "refused", COUNT, "rings", NULL,
                             "Rings refused because all were taken"},
    PROCESS(ring_moved) =
        {"rings", "moved", COUNT, "rings", NULL,
         "Rings moved from one sender to another that sends more"},
    PROCESS(ring_failed) = {"rings", "failed", COUNT, "rings", NULL,
                            "Rings that could not be made or reached"},
    PROCESS(ring_waited) = {"rings", "waited", COUNT, "sends", NULL,
                            "Sends that waited for room in a ring"},
    PROCESS(ring_doorbells) = {"rings", "doorbells", COUNT, "events", NULL,
                               "Receivers whose progress thread was woken"},
    PROCESS(ring_fragments) =
        {"rings", "fragments", COUNT, "fragments", NULL,
         "Fragments received, with messages or parts of them"},
    PROCESS(ring_rget) = {"rings", "rget", COUNT, "messages", NULL,
                          "Messages read from their sender's memory"},
    PROCESS(memory_waiting_max) = {"memory", "waiting_max", HIGHEST, "bytes",
                                   NULL,
                                   "Most bytes occupied at one time by "
                                   "messages that waited for a receive"},
    PROCESS(flow_stopped) =
        {"memory", "stopped", COUNT, "events", NULL,
         "Times that this process told a sender to stop because of them"},
    PROCESS(
        flow_held_up) = {"memory", "held_up", COUNT, "events", NULL,
                         "Times that this process was told so by a receiver"},
    PROCESS(prefetched) =
        {"prefetch", "fetched", COUNT, "messages", NULL,
         "Rendezvous messages fetched before their receive was posted"},
    PROCESS(
        prefetch_useful) = {"prefetch", "useful", COUNT, "messages", NULL,
                            "Of these, complete when their receive was posted"},
    PROCESS(prefetch_late) = {"prefetch", "late", COUNT, "messages", NULL,
                              "Of these, still in transfer then"},
    PROCESS(
        prefetch_full) = {"prefetch", "full", COUNT, "messages", NULL,
                          "Messages not fetched because the pool had no room"},
    PROCESS(prefetch_served) =
        {"prefetch", "served", COUNT, "messages", NULL,
         "Messages fetched after they had waited for room in the pool"},
    PROCESS(prefetch_declined) = {"prefetch", "declined", COUNT, "messages",
                                  NULL,
                                  "Messages not fetched because too few of the "
                                  "sender's recent prefetches were useful"},
    PROCESS(prefetch_unneeded) = {"prefetch", "unneeded", COUNT, "messages",
                                  NULL,
                                  "Messages not fetched because receives from "
                                  "their sender come soon enough"},
    PROCESS(prefetch_pool_max) = {"prefetch", "pool_max", HIGHEST, "bytes",
                                  NULL,
                                  "Most bytes in use in the pool at one time"},
    PROCESS(offloaded) = {"offload", "offloaded", COUNT, "receives", NULL,
                          "Receives handed to UCX when they were posted, or "
                          "when their tag became known"},
    PROCESS(offload_matched) = {"offload", "matched", COUNT, "receives", NULL,
                                "Of these, those that got their data that way"},
    PROCESS(offload_cancelled) =
        {"offload", "cancelled", COUNT, "receives", NULL,
         "Of these, those taken back because their message came another way or "
         "the program cancelled them"},
    PROCESS(offload_blocked) =
        {"offload", "blocked", COUNT, "receives", NULL,
         "Receives not offloaded because of the limit on the cancel rate"},
    PROCESS(
        onloaded) = {"offload", "onloaded", COUNT, "receives", NULL,
                     "Receives whose message was sent for offload but which "
                     "were given to UCX only after it had been matched"},
    PROCESS(offload_withdrawn) =
        {"offload", "withdrawn", COUNT, "peers", NULL,
         "Senders asked for tags no more, because most of their messages came "
         "unexpected"},
    PROCESS(others_connected) = {"others", "connected", COUNT, "endpoints",
                                 NULL,
                                 "Endpoints made to processes of other jobs"},
    PROCESS(
        others_disconnected) = {"others", "disconnected", COUNT, "endpoints",
                                NULL,
                                "Of these, closed with the last communicator"},
    PROCESS(thread_delayed) =
        {"thread", "delayed", COUNT, "messages", NULL,
         "Messages that a progress thread would have brought on, seen before "
         "there was one"},
    PROCESS(
        thread_started) = {"thread", "started", COUNT, "processes", NULL,
                           "Processes that started a progress thread because "
                           "of them"},
    PROCESS(thread_wakeups) = {"thread", "wakeups", COUNT, "events", NULL,
                               "Times that UCX woke the progress thread"},
    PROCESS(thread_notified) =
        {"thread", "notified", COUNT, "events", NULL,
         "Times that the program told the progress thread of work"},
    PROCESS(
        thread_yielded) = {"thread", "yielded", COUNT, "events", NULL,
                           "Times that the progress thread left the work to "
                           "the program, which was making progress itself"},
    PROCESS(thread_events) = {"thread", "events", COUNT, "events", NULL,
                              "Events of UCX that the progress thread handled"},
};
