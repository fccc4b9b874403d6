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
         "Queue entries compared by successful searches"},
    COMM(posted.traversed_miss) =
        {"posted", "traversed_miss", COUNT, "entries", "unexpected",
         "Queue entries compared by unsuccessful searches"},
    COMM(posted.traversed_max) =
        {"posted", "traversed_max", HIGHEST, "entries", NULL,
         "Largest number of queue entries compared by a search"},
    COMM(posted.length) = {"posted", "length", NOW, "entries", NULL,
                           "Posted receives in the queue now"},
    COMM(
        posted.length_max) = {"posted", "queue_max", HIGHEST, "entries", NULL,
                              "Largest number of posted receives in the queue"},
    COMM(unexpected.hits) = {"unexpected", "matched", COUNT, "receives", NULL,
                             "Receives that found an unexpected message"},
    COMM(unexpected.misses) =
        {"unexpected", "missed", COUNT, "receives", NULL,
         "Receives that found no unexpected message and were queued"},
    COMM(unexpected.traversed_hit) =
        {"unexpected", "traversed_hit", COUNT, "entries", "matched",
         "Queue entries compared by successful searches"},
    COMM(unexpected.traversed_miss) =
        {"unexpected", "traversed_miss", COUNT, "entries", "missed",
         "Queue entries compared by unsuccessful searches"},
    COMM(unexpected.traversed_max) =
        {"unexpected", "traversed_max", HIGHEST, "entries", NULL,
         "Largest number of queue entries compared by a search"},
    COMM(unexpected.length) = {"unexpected", "length", NOW, "entries", NULL,
                               "Unexpected messages in the queue now"},
    COMM(unexpected.length_max) =
        {"unexpected", "queue_max", HIGHEST, "entries", NULL,
         "Largest number of unexpected messages in the queue"},
    COMM(unexpected_bytes) = {"unexpected", "bytes", NOW, "bytes", NULL,
                              "Payload of the unexpected messages in the queue "
                              "now, wherever it is stored"},
    COMM(unexpected_bytes_max) =
        {"unexpected", "bytes_max", HIGHEST, "bytes", NULL,
         "Largest total payload of the unexpected messages in the queue"},
    COMM(probe_hits) = {"probes", "matched", COUNT, "probes", NULL,
                        "Probes that found a message"},
    COMM(probe_misses) = {"probes", "missed", COUNT, "probes", NULL,
                          "Probes that found no message"},
    COMM(probe_traversed) = {"probes", "traversed", COUNT, "entries", NULL,
                             "Queue entries compared by probes"},
    COMM(recv_exact) = {"receives", "exact", COUNT, "receives", NULL,
                        "Receives that name source and tag"},
    COMM(recv_any_source) = {"receives", "any_source", COUNT, "receives", NULL,
                             "Receives from MPI_ANY_SOURCE with a tag"},
    COMM(recv_any_tag) = {"receives", "any_tag", COUNT, "receives", NULL,
                          "Receives from one source with MPI_ANY_TAG"},
    COMM(recv_any) = {"receives", "any", COUNT, "receives", NULL,
                      "Receives with both wildcards"},
    COMM(messages) = {"messages", "count", COUNT, "messages", NULL,
                      "Messages that arrived and were matched or queued"},
    COMM(bytes) = {"messages", "bytes", COUNT, "bytes", "count",
                   "Payload of all messages that arrived"},
    COMM(bytes_max) = {"messages", "largest", HIGHEST, "bytes", NULL,
                       "Largest payload of a message"},
    COMM(self) = {"messages", "self", COUNT, "messages", NULL,
                  "Messages of a process to itself"},
    COMM(size_class[0]) = {"messages", "upto_64", COUNT, "messages", NULL,
                           "Messages of at most 64 bytes"},
    COMM(size_class[1]) = {"messages", "upto_1k", COUNT, "messages", NULL,
                           "Messages of more than 64 bytes, up to 1 KiB"},
    COMM(size_class[2]) = {"messages", "upto_16k", COUNT, "messages", NULL,
                           "Messages of more than 1 KiB, up to 16 KiB"},
    COMM(size_class[3]) = {"messages", "upto_256k", COUNT, "messages", NULL,
                           "Messages of more than 16 KiB, up to 256 KiB"},
    COMM(size_class[4]) = {"messages", "larger", COUNT, "messages", NULL,
                           "Messages of more than 256 KiB"},
    COMM(internal_posted.hits) =
        {"internal_posted", "matched", COUNT, "messages", NULL,
         "Internal messages that found a posted receive"},
    COMM(internal_posted.misses) =
        {"internal_posted", "unexpected", COUNT, "messages", NULL,
         "Internal messages that found no posted receive and were queued"},
    COMM(internal_posted.traversed_hit) =
        {"internal_posted", "traversed_hit", COUNT, "entries", "matched",
         "Queue entries compared by successful searches"},
    COMM(internal_posted.traversed_miss) =
        {"internal_posted", "traversed_miss", COUNT, "entries", "unexpected",
         "Queue entries compared by unsuccessful searches"},
    COMM(internal_posted.traversed_max) =
        {"internal_posted", "traversed_max", HIGHEST, "entries", NULL,
         "Largest number of queue entries compared by a search"},
    COMM(
        internal_posted.length) = {"internal_posted", "length", NOW, "entries",
                                   NULL,
                                   "Internal posted receives in the queue now"},
    COMM(internal_posted.length_max) =
        {"internal_posted", "queue_max", HIGHEST, "entries", NULL,
         "Largest number of internal posted receives in the queue"},
    COMM(internal_unexpected.hits) =
        {"internal_unexpected", "matched", COUNT, "receives", NULL,
         "Internal receives that found an unexpected message"},
    COMM(internal_unexpected.misses) =
        {"internal_unexpected", "missed", COUNT, "receives", NULL,
         "Internal receives that found no unexpected message and were queued"},
    COMM(internal_unexpected.traversed_hit) =
        {"internal_unexpected", "traversed_hit", COUNT, "entries", "matched",
         "Queue entries compared by successful searches"},
    COMM(internal_unexpected.traversed_miss) =
        {"internal_unexpected", "traversed_miss", COUNT, "entries", "missed",
         "Queue entries compared by unsuccessful searches"},
    COMM(internal_unexpected.traversed_max) =
        {"internal_unexpected", "traversed_max", HIGHEST, "entries", NULL,
         "Largest number of queue entries compared by a search"},
    COMM(internal_unexpected.length) =
        {"internal_unexpected", "length", NOW, "entries", NULL,
         "Internal unexpected messages in the queue now"},
    COMM(internal_unexpected.length_max) =
        {"internal_unexpected", "queue_max", HIGHEST, "entries", NULL,
         "Largest number of internal unexpected messages in the queue"},
    COMM(internal_messages) = {"internal", "count", COUNT, "messages", NULL,
                               "Internal messages that arrived, such as those "
                               "of collective operations"},
    COMM(internal_bytes) = {"internal", "bytes", COUNT, "bytes", "count",
                            "Payload of internal messages"},
    PROCESS(rendezvous) = {"paths", "rendezvous", COUNT, "messages", NULL,
                           "Messages received by rendezvous"},
    PROCESS(deferred) =
        {"paths", "deferred", COUNT, "messages", NULL,
         "Rendezvous messages that MPI_Irecv found waiting and that were "
         "fetched only at the next send or call that makes progress"},
    PROCESS(out_of_order) = {"paths", "out_of_order", COUNT, "messages", NULL,
                             "Messages that arrived out of order and were held "
                             "until those sent before them had arrived"},
    PROCESS(matched_early) = {"paths", "matched_early", COUNT, "messages", NULL,
                              "Messages that arrived out of order and were "
                              "matched at once (mpi_assert_allow_overtaking)"},
    PROCESS(parked) = {"paths", "parked", COUNT, "messages", NULL,
                       "Messages held until their communicator had been "
                       "created in this process"},
    PROCESS(held) = {"paths", "held", COUNT, "messages", NULL,
                     "Unexpected messages kept in UCX's receive buffer"},
    PROCESS(delayed) = {"paths", "delayed", COUNT, "messages", NULL,
                        "Messages delayed by pml_champion_test_delay"},
    PROCESS(purged) = {"paths", "purged", COUNT, "messages", NULL,
                       "Messages dropped when their communicator was freed"},
    PROCESS(cancelled) = {"paths", "cancelled", COUNT, "messages", NULL,
                          "Messages dropped because their sender cancelled "
                          "them"},
    PROCESS(cancelled_late) = {"paths", "cancelled_late", COUNT, "messages",
                               NULL,
                               "Messages that had been matched when their "
                               "sender asked to cancel them"},
    PROCESS(migrations) = {"paths", "migrations", COUNT, "communicators", NULL,
                           "Communicators moved to another matching component"},
    PROCESS(ring_messages) = {"rings", "messages", COUNT, "messages", NULL,
                              "Messages received through rings, or the FIFO "
                              "that stands for them on large nodes"},
    PROCESS(ring_fifo) = {"rings", "fifo", COUNT, "messages", NULL,
                          "Of these, through the FIFO"},
    PROCESS(ring_opened) = {"rings", "opened", COUNT, "rings", NULL,
                            "Rings that senders have opened"},
    PROCESS(ring_failed) = {"rings", "failed", COUNT, "rings", NULL,
                            "Rings that could not be created or reached"},
    PROCESS(ring_waited) = {"rings", "waited", COUNT, "sends", NULL,
                            "Sends that waited for room in a ring"},
    PROCESS(ring_doorbells) =
        {"rings", "doorbells", COUNT, "events", NULL,
         "Times that a sender woke its receiver's progress thread"},
    PROCESS(ring_fragments) =
        {"rings", "fragments", COUNT, "fragments", NULL,
         "Fragments received, each with a message or a part of one"},
    PROCESS(ring_rget) =
        {"rings", "rget", COUNT, "messages", NULL,
         "Messages read directly from their sender's memory (CMA)"},
    PROCESS(ring_shared) =
        {"rings", "shared", COUNT, "messages", NULL,
         "Of these, messages of which their sender has copied a part, or all"},
    PROCESS(memory_waiting_max) =
        {"memory", "waiting_max", HIGHEST, "bytes", NULL,
         "Most memory occupied by messages that waited for a receive"},
    PROCESS(flow_stopped) = {"memory", "stopped", COUNT, "events", NULL,
                             "Times that this process told a sender to stop "
                             "because its messages occupied too much memory"},
    PROCESS(flow_held_up) = {"memory", "held_up", COUNT, "events", NULL,
                             "Times that a receiver told this process to stop"},
    PROCESS(prefetched) =
        {"prefetch", "fetched", COUNT, "messages", NULL,
         "Rendezvous messages fetched before their receive was posted"},
    PROCESS(prefetch_useful) = {"prefetch", "useful", COUNT, "messages", NULL,
                                "Prefetched messages that were complete when "
                                "their receive was posted"},
    PROCESS(prefetch_late) = {"prefetch", "late", COUNT, "messages", NULL,
                              "Prefetched messages that were still in transfer "
                              "when their receive was posted"},
    PROCESS(prefetch_full) =
        {"prefetch", "full", COUNT, "messages", NULL,
         "Messages not prefetched at once because the pool had no room"},
    PROCESS(prefetch_served) =
        {"prefetch", "served", COUNT, "messages", NULL,
         "Messages prefetched after they had waited for room in the pool"},
    PROCESS(
        prefetch_declined) = {"prefetch", "declined", COUNT, "messages", NULL,
                              "Messages not prefetched because too few recent "
                              "prefetches from their sender were useful"},
    PROCESS(prefetch_unneeded) = {"prefetch", "unneeded", COUNT, "messages",
                                  NULL,
                                  "Messages not prefetched because receives "
                                  "for their sender come soon enough"},
    PROCESS(prefetch_pool_max) = {"prefetch", "pool_max", HIGHEST, "bytes",
                                  NULL, "Most bytes of the pool in use"},
    PROCESS(prefetch_saved) =
        {"prefetch", "saved", COUNT, "ns", NULL,
         "Time of transfers before their receive was posted (an estimate)"},
    PROCESS(stripes_received) =
        {"stripes", "received", COUNT, "messages", NULL,
         "Rendezvous messages that came by several connections"},
    PROCESS(stripes_sent) = {"stripes", "sent", COUNT, "messages", NULL,
                             "Messages sent by several connections"},
    PROCESS(stripes_flows) = {"stripes", "flows", HIGHEST, "connections", NULL,
                              "Most connections that measurements have settled "
                              "on for messages from a peer"},
    PROCESS(offloaded) = {"offload", "offloaded", COUNT, "receives", NULL,
                          "Receives handed to UCX when they were posted or "
                          "when their tag became known"},
    PROCESS(
        offload_matched) = {"offload", "matched", COUNT, "receives", NULL,
                            "Offloaded receives that got their data that way"},
    PROCESS(offload_cancelled) =
        {"offload", "cancelled", COUNT, "receives", NULL,
         "Offloaded receives taken back because their message came another way "
         "or the program cancelled them"},
    PROCESS(offload_blocked) =
        {"offload", "blocked", COUNT, "receives", NULL,
         "Receives not offloaded because too many had been cancelled"},
    PROCESS(onloaded) = {"offload", "onloaded", COUNT, "receives", NULL,
                         "Receives handed to UCX only after their message, "
                         "which was sent for offload, had been matched"},
    PROCESS(
        offload_withdrawn) = {"offload", "withdrawn", COUNT, "peers", NULL,
                              "Senders no longer asked to send for offload "
                              "because most of their messages came unexpected"},
    PROCESS(
        others_connected) = {"others", "connected", COUNT, "endpoints", NULL,
                             "Endpoints created to processes of other jobs"},
    PROCESS(others_disconnected) = {"others", "disconnected", COUNT,
                                    "endpoints", NULL,
                                    "Endpoints to processes of other jobs "
                                    "closed with the last communicator"},
    PROCESS(thread_delayed) =
        {"thread", "delayed", COUNT, "messages", NULL,
         "Large messages delayed for lack of a progress thread"},
    PROCESS(thread_started) = {"thread", "started", COUNT, "processes", NULL,
                               "Processes that started a progress thread "
                               "because of delayed messages"},
    PROCESS(thread_ended) = {"thread", "ended", COUNT, "threads", NULL,
                             "Progress threads that ended because they were of "
                             "no use any more"},
    PROCESS(thread_again) = {"thread", "again", COUNT, "threads", NULL,
                             "Progress threads that started again after such "
                             "an end"},
    PROCESS(thread_lost) = {"thread", "lost", COUNT, "ns", NULL,
                            "Time that delayed messages waited for the "
                            "program"},
    PROCESS(thread_wakeups) = {"thread", "wakeups", COUNT, "events", NULL,
                               "Times that UCX woke the progress thread"},
    PROCESS(thread_notified) =
        {"thread", "notified", COUNT, "events", NULL,
         "Times that the program notified the progress thread of work"},
    PROCESS(
        thread_yielded) = {"thread", "yielded", COUNT, "events", NULL,
                           "Times that the progress thread left the work to "
                           "the program, which was making progress itself"},
    PROCESS(thread_events) = {"thread", "events", COUNT, "events", NULL,
                              "UCX events handled by the progress thread"},
    PROCESS(wait_sleeps) = {"waits", "sleeps", COUNT, "events", NULL,
                            "Times that a waiting call slept until an event"},
    PROCESS(wait_woken) = {"waits", "woken", COUNT, "events", NULL,
                           "Of these sleeps, those that an event ended, not "
                           "their time limit"},
    PROCESS(coll_started) = {"collectives", "started", COUNT, "calls", NULL,
                             "Non-blocking collectives of coll/champion"},
    PROCESS(coll_messages) = {"collectives", "messages", COUNT, "messages",
                              NULL,
                              "Sends and receives that these "
                              "collectives began"},
    PROCESS(coll_by_thread) = {"collectives", "by_thread", COUNT, "messages",
                               NULL,
                               "Of these sends and receives, those that the "
                               "progress thread began while the program "
                               "computed"},
    PROCESS(coll_delayed) = {"collectives", "delayed", COUNT, "calls", NULL,
                             "Collectives delayed for lack of a progress "
                             "thread; their waiting time is in thread, lost"},
    PROCESS(device_sends) =
        {"device", "sends", COUNT, "messages", NULL,
         "Sends from device memory whose data were copied to host memory"},
    PROCESS(device_ucx) =
        {"device", "ucx", COUNT, "messages", NULL,
         "Sends from device memory, and rendezvous into it, by UCX itself"},
    PROCESS(device_stages) =
        {"device", "stages", COUNT, "copies", NULL,
         "Copies of large pieces between device and host memory"},
};
