/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/stats/stats_table.h"

#include <string.h>

/* Field; group, name, kind, unit, description. */
#define COMM(field, ...) [MCA_PML_CHAMPION_COMM_STAT(field)] = {__VA_ARGS__}
#define PROCESS(field, ...)                                                    \
    [MCA_PML_CHAMPION_PROCESS_STAT(field)] = {__VA_ARGS__}

/* A kind; that of a sum has a mean per counter of this name. */
#define COUNT MCA_PML_CHAMPION_STAT_COUNT, NULL
#define HIGHEST MCA_PML_CHAMPION_STAT_MAX, NULL
#define NOW MCA_PML_CHAMPION_STAT_NOW, NULL
#define PER(name) MCA_PML_CHAMPION_STAT_COUNT, name

/* A queue: the unit of its searches, and the name of those in vain; its text has
 * the searchers, what they find (with `a` in front), and the entries. */
#define QUEUE(queue, unit, missed, Searchers, a, found, Entries, entries)      \
    COMM(queue.hits, #queue, "matched", COUNT, unit,                           \
         Searchers " that found " a " " found),                                \
        COMM(queue.misses, #queue, missed, COUNT, unit,                        \
             Searchers " that found no " found " and were queued"),            \
        COMM(queue.traversed_hit, #queue, "traversed_hit", PER("matched"),     \
             "entries", "Queue entries compared by successful searches"),      \
        COMM(queue.traversed_miss, #queue, "traversed_miss", PER(missed),      \
             "entries", "Queue entries compared by unsuccessful searches"),    \
        COMM(queue.traversed_max, #queue, "traversed_max", HIGHEST, "entries", \
             "Largest number of queue entries compared by a search"),          \
        COMM(queue.length, #queue, "length", NOW, "entries",                   \
             Entries " in the queue now"),                                     \
        COMM(queue.length_max, #queue, "queue_max", HIGHEST, "entries",        \
             "Largest number of " entries " in the queue")

const mca_pml_champion_stat_t mca_pml_champion_stats[MCA_PML_CHAMPION_STATS] = {
    QUEUE(posted, "messages", "unexpected", "Messages", "a", "posted receive",
          "Posted receives", "posted receives"),
    QUEUE(unexpected, "receives", "missed", "Receives", "an",
          "unexpected message", "Unexpected messages", "unexpected messages"),
    COMM(unexpected_bytes, "unexpected", "bytes", NOW, "bytes",
         "Payload of the unexpected messages in the queue now, wherever it is "
         "stored"),
    COMM(unexpected_bytes_max, "unexpected", "bytes_max", HIGHEST, "bytes",
         "Largest total payload of the unexpected messages in the queue"),
    COMM(probe_hits, "probes", "matched", COUNT, "probes",
         "Probes that found a message"),
    COMM(probe_misses, "probes", "missed", COUNT, "probes",
         "Probes that found no message"),
    COMM(probe_traversed, "probes", "traversed", COUNT, "entries",
         "Queue entries compared by probes"),
    COMM(recv_exact, "receives", "exact", COUNT, "receives",
         "Receives that name source and tag"),
    COMM(recv_any_source, "receives", "any_source", COUNT, "receives",
         "Receives from MPI_ANY_SOURCE with a tag"),
    COMM(recv_any_tag, "receives", "any_tag", COUNT, "receives",
         "Receives from one source with MPI_ANY_TAG"),
    COMM(recv_any, "receives", "any", COUNT, "receives",
         "Receives with both wildcards"),
    COMM(messages, "messages", "count", COUNT, "messages",
         "Messages that arrived and were matched or queued"),
    COMM(bytes, "messages", "bytes", PER("count"), "bytes",
         "Payload of all messages that arrived"),
    COMM(bytes_max, "messages", "largest", HIGHEST, "bytes",
         "Largest payload of a message"),
    COMM(self, "messages", "self", COUNT, "messages",
         "Messages of a process to itself"),
    COMM(size_class[0], "messages", "upto_64", COUNT, "messages",
         "Messages of at most 64 bytes"),
    COMM(size_class[1], "messages", "upto_1k", COUNT, "messages",
         "Messages of more than 64 bytes, up to 1 KiB"),
    COMM(size_class[2], "messages", "upto_16k", COUNT, "messages",
         "Messages of more than 1 KiB, up to 16 KiB"),
    COMM(size_class[3], "messages", "upto_256k", COUNT, "messages",
         "Messages of more than 16 KiB, up to 256 KiB"),
    COMM(size_class[4], "messages", "larger", COUNT, "messages",
         "Messages of more than 256 KiB"),
    QUEUE(internal_posted, "messages", "unexpected", "Internal messages", "a",
          "posted receive", "Internal posted receives",
          "internal posted receives"),
    QUEUE(internal_unexpected, "receives", "missed", "Internal receives", "an",
          "unexpected message", "Internal unexpected messages",
          "internal unexpected messages"),
    COMM(internal_messages, "internal", "count", COUNT, "messages",
         "Internal messages that arrived, such as those of collective "
         "operations"),
    COMM(internal_bytes, "internal", "bytes", PER("count"), "bytes",
         "Payload of internal messages"),
    PROCESS(rendezvous, "paths", "rendezvous", COUNT, "messages",
            "Messages received by rendezvous"),
    PROCESS(deferred, "paths", "deferred", COUNT, "messages",
            "Rendezvous messages that MPI_Irecv found waiting and that were "
            "fetched only at the next send or call that makes progress"),
    PROCESS(out_of_order, "paths", "out_of_order", COUNT, "messages",
            "Messages that arrived out of order and were held until those sent "
            "before them had arrived"),
    PROCESS(matched_early, "paths", "matched_early", COUNT, "messages",
            "Messages that arrived out of order and were matched at once "
            "(mpi_assert_allow_overtaking)"),
    PROCESS(parked, "paths", "parked", COUNT, "messages",
            "Messages held until their communicator had been created in this "
            "process"),
    PROCESS(held, "paths", "held", COUNT, "messages",
            "Unexpected messages kept in UCX's receive buffer"),
    PROCESS(delayed, "paths", "delayed", COUNT, "messages",
            "Messages delayed by pml_champion_test_delay"),
    PROCESS(purged, "paths", "purged", COUNT, "messages",
            "Messages dropped when their communicator was freed"),
    PROCESS(cancelled, "paths", "cancelled", COUNT, "messages",
            "Messages dropped because their sender cancelled them"),
    PROCESS(cancelled_late, "paths", "cancelled_late", COUNT, "messages",
            "Messages that had been matched when their sender asked to cancel "
            "them"),
    PROCESS(migrations, "paths", "migrations", COUNT, "communicators",
            "Communicators moved to another matching component"),
    PROCESS(ring_messages, "rings", "messages", COUNT, "messages",
            "Messages received through rings, or the FIFO that stands for them "
            "on large nodes"),
    PROCESS(ring_fifo, "rings", "fifo", COUNT, "messages",
            "Of these, through the FIFO"),
    PROCESS(ring_opened, "rings", "opened", COUNT, "rings",
            "Rings that senders have opened"),
    PROCESS(ring_failed, "rings", "failed", COUNT, "rings",
            "Rings that could not be created or reached"),
    PROCESS(ring_waited, "rings", "waited", COUNT, "sends",
            "Sends that waited for room in a ring"),
    PROCESS(ring_doorbells, "rings", "doorbells", COUNT, "events",
            "Times that a sender woke its receiver's progress thread"),
    PROCESS(ring_fragments, "rings", "fragments", COUNT, "fragments",
            "Fragments received, each with a message or a part of one"),
    PROCESS(ring_rget, "rings", "rget", COUNT, "messages",
            "Messages read directly from their sender's memory (CMA)"),
    PROCESS(
        ring_shared, "rings", "shared", COUNT, "messages",
        "Of these, messages of which their sender has copied a part, or all"),
    PROCESS(memory_shared, "memory", "shared", HIGHEST, "bytes",
            "Shared memory for messages from processes of the node, that is "
            "used or reserved: rings, the FIFO, fragments, the card"),
    PROCESS(memory_connections, "memory", "connections", HIGHEST, "endpoints",
            "Endpoints of UCX to processes of the job"),
    PROCESS(memory_waiting_max, "memory", "waiting_max", HIGHEST, "bytes",
            "Most memory occupied by messages that waited for a receive"),
    PROCESS(flow_stopped, "memory", "stopped", COUNT, "events",
            "Times that this process told a sender to stop because its "
            "messages occupied too much memory"),
    PROCESS(flow_held_up, "memory", "held_up", COUNT, "events",
            "Times that a receiver told this process to stop"),
    PROCESS(prefetched, "prefetch", "fetched", COUNT, "messages",
            "Rendezvous messages fetched before their receive was posted"),
    PROCESS(
        prefetch_useful, "prefetch", "useful", COUNT, "messages",
        "Prefetched messages that were complete when their receive was posted"),
    PROCESS(prefetch_late, "prefetch", "late", COUNT, "messages",
            "Prefetched messages that were still in transfer when their "
            "receive was posted"),
    PROCESS(prefetch_full, "prefetch", "full", COUNT, "messages",
            "Messages not prefetched at once because the pool had no room"),
    PROCESS(prefetch_served, "prefetch", "served", COUNT, "messages",
            "Messages prefetched after they had waited for room in the pool"),
    PROCESS(prefetch_declined, "prefetch", "declined", COUNT, "messages",
            "Messages not prefetched because too few recent prefetches from "
            "their sender were useful"),
    PROCESS(prefetch_unneeded, "prefetch", "unneeded", COUNT, "messages",
            "Messages not prefetched because receives for their sender come "
            "soon enough"),
    PROCESS(prefetch_pool_max, "prefetch", "pool_max", HIGHEST, "bytes",
            "Most bytes of the pool in use"),
    PROCESS(prefetch_saved, "prefetch", "saved", COUNT, "ns",
            "Time of transfers before their receive was posted (an estimate)"),
    PROCESS(stripes_received, "stripes", "received", COUNT, "messages",
            "Rendezvous messages that came by several connections"),
    PROCESS(stripes_sent, "stripes", "sent", COUNT, "messages",
            "Messages sent by several connections"),
    PROCESS(stripes_flows, "stripes", "flows", HIGHEST, "connections",
            "Most connections that measurements have settled on for messages "
            "from a peer"),
    PROCESS(offloaded, "offload", "offloaded", COUNT, "receives",
            "Receives handed to UCX when they were posted or when their tag "
            "became known"),
    PROCESS(offload_matched, "offload", "matched", COUNT, "receives",
            "Offloaded receives that got their data that way"),
    PROCESS(offload_cancelled, "offload", "cancelled", COUNT, "receives",
            "Offloaded receives taken back because their message came another "
            "way or the program cancelled them"),
    PROCESS(offload_blocked, "offload", "blocked", COUNT, "receives",
            "Receives not offloaded because too many had been cancelled"),
    PROCESS(onloaded, "offload", "onloaded", COUNT, "receives",
            "Receives handed to UCX only after their message, which was sent "
            "for offload, had been matched"),
    PROCESS(offload_withdrawn, "offload", "withdrawn", COUNT, "peers",
            "Senders no longer asked to send for offload because most of their "
            "messages came unexpected"),
    PROCESS(others_connected, "others", "connected", COUNT, "endpoints",
            "Endpoints created to processes of other jobs"),
    PROCESS(others_disconnected, "others", "disconnected", COUNT, "endpoints",
            "Endpoints to processes of other jobs closed with the last "
            "communicator"),
    PROCESS(thread_delayed, "thread", "delayed", COUNT, "messages",
            "Large messages delayed for lack of a progress thread"),
    PROCESS(
        thread_started, "thread", "started", COUNT, "processes",
        "Processes that started a progress thread because of delayed messages"),
    PROCESS(thread_ended, "thread", "ended", COUNT, "threads",
            "Progress threads that ended because they were of no use any more"),
    PROCESS(thread_again, "thread", "again", COUNT, "threads",
            "Progress threads that started again after such an end"),
    PROCESS(thread_lost, "thread", "lost", COUNT, "ns",
            "Time that delayed messages waited for the program"),
    PROCESS(thread_wakeups, "thread", "wakeups", COUNT, "events",
            "Times that UCX woke the progress thread"),
    PROCESS(thread_notified, "thread", "notified", COUNT, "events",
            "Times that the program notified the progress thread of work"),
    PROCESS(thread_yielded, "thread", "yielded", COUNT, "events",
            "Times that the progress thread left the work to the program, "
            "which was making progress itself"),
    PROCESS(thread_events, "thread", "events", COUNT, "events",
            "UCX events handled by the progress thread"),
    PROCESS(wait_sleeps, "waits", "sleeps", COUNT, "events",
            "Times that a waiting call slept until an event"),
    PROCESS(wait_woken, "waits", "woken", COUNT, "events",
            "Of these sleeps, those that an event ended, not their time limit"),
    PROCESS(coll_started, "collectives", "started", COUNT, "calls",
            "Non-blocking collectives of coll/champion"),
    PROCESS(coll_messages, "collectives", "messages", COUNT, "messages",
            "Sends and receives that these collectives began"),
    PROCESS(coll_by_thread, "collectives", "by_thread", COUNT, "messages",
            "Of these sends and receives, those that the progress thread began "
            "while the program computed"),
    PROCESS(coll_delayed, "collectives", "delayed", COUNT, "calls",
            "Collectives delayed for lack of a progress thread; their waiting "
            "time is in thread, lost"),
    PROCESS(device_sends, "device", "sends", COUNT, "messages",
            "Sends from device memory whose data were copied to host memory"),
    PROCESS(device_ucx, "device", "ucx", COUNT, "messages",
            "Sends from device memory, and rendezvous into it, by UCX itself"),
    PROCESS(device_stages, "device", "stages", COUNT, "copies",
            "Copies of large pieces between device and host memory"),
};

size_t mca_pml_champion_stats_group_end(size_t from, size_t count)
{
    size_t end = from + 1;

    while (end < count && 0 == strcmp(mca_pml_champion_stats[from].group,
                                      mca_pml_champion_stats[end].group)) {
        ++end;
    }
    return end;
}
