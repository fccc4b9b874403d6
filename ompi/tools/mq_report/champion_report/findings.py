# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The meaning of the figures, in words. Nothing is recommended that they do not
bear out; where something is an estimate, or not known, that is said."""

from .words import count, listed, percent, seconds, size, some

# Below this share of the run time no user would notice a difference.
WORTH = 0.01
# Where the run time is not known, less than this is nothing; in seconds.
LEAST = 1e-3
# A component that is faster by less than this may have been lucky.
AHEAD = 0.1
# Above this share of unexpected messages it is worth a look at the program.
UNEXPECTED = 0.5
# A rank that searched so much more often than those that were traced is told.
BUSIER = 2
LONG = 64


class Finding:
    """One sentence in short, and the rest."""

    def __init__(self, kind, title, text):
        self.kind = kind  # good, look, unknown
        self.title = title
        self.text = text


def served_by(inputs):
    """The component that served most communicators, by their searches."""
    if inputs.profile:
        searches = {}
        for one in inputs.profile.communicators.values():
            for queue in one.queue.values():
                searches[one.component] = (
                    searches.get(one.component, 1) + queue["hits"] +
                    queue["misses"] + queue["added"])
        return max(searches, key=searches.get, default="")
    return inputs.statistics.mq if inputs.statistics else ""


def elapsed_of(inputs, rank):
    """How long a rank ran, or None."""
    if inputs.profile and inputs.profile.elapsed:
        return inputs.profile.rank["elapsed"][rank] / 1e6
    return inputs.statistics.elapsed if inputs.statistics else None


class Matching:
    """What matching cost the rank that it cost most, or that was traced; which
    component served may not be known."""

    def __init__(self, inputs):
        self.component = served_by(inputs)
        self.rank = self.seconds = self.elapsed = self.replay = None
        self.least = None  # of an estimate; seconds is the most then
        self.estimated = True
        self.of_all = False  # as if one rank had the largest figures of all
        for replay in inputs.replays:
            self.look_at(replay, replay.served[0] if replay.served
                         else served_by(inputs))
        if self.replay is None and inputs.replays:
            # Of the first one it is known what others would cost.
            self.replay, self.estimated = inputs.replays[0], False
            self.rank = self.replay.rank
        if self.replay is None and inputs.profile and inputs.costs:
            rank = inputs.profile.rank
            least, most = inputs.costs.seconds(rank["searches"],
                                               rank["traversed"])
            self.rank = int(most.argmax())
            self.seconds = float(most[self.rank])
            self.least = float(least[self.rank])
        elif self.replay is None and inputs.costs:
            searches, traversed, self.rank = inputs.statistics.searched()
            self.least, self.seconds = inputs.costs.seconds(searches,
                                                            traversed)
            self.of_all = True
        if self.rank is not None:
            self.elapsed = elapsed_of(inputs, self.rank)

    def look_at(self, replay, component):
        """Keep a trace if matching cost its rank most so far."""
        one = replay.get(component)
        if one and (self.seconds is None or one["seconds"] > self.seconds):
            self.seconds, self.rank = one["seconds"], replay.rank
            self.component, self.replay = component, replay
            self.estimated = False

    @property
    def share(self):
        """Of the run time; None if one of the two is not known."""
        if self.seconds is None or not self.elapsed:
            return None
        return self.seconds / self.elapsed


def gain(matching):
    """The best component of the replay, and what it would save compared with
    the one that served, in seconds."""
    if matching.replay is None or not matching.replay.ran():
        return None, 0
    best = matching.replay.ran()[0]
    served = matching.replay.get(matching.component)
    return best, (served["seconds"] - best["seconds"]) if served else 0


def between(matching):
    """An estimate: the least and the most, if they differ."""
    least, most = seconds(matching.least), seconds(matching.seconds)
    return most if least == most else "%s to %s" % (least, most)


def not_known(matching):
    """Of a trace that does not name its component, or names one that is not
    here."""
    best = matching.replay.ran()[0]
    default = matching.replay.get("indexed")
    text = ("The trace of rank %d does not say which component served: it was "
            "made from another tool's." % matching.rank)
    if matching.component:
        text = ("%s served, which could not replay the trace of rank %d." %
                (matching.component, matching.rank))
    text += (" Replayed on this machine, %s would take %s" %
             (best["name"], seconds(best["seconds"])))
    if default and default is not best:
        text += ", and the default, indexed, %s" % seconds(default["seconds"])
    return Finding("unknown", "The cost of matching is not known",
                   text + ".")


def at_most(matching):
    """The share of the run time."""
    share = percent(matching.seconds, matching.elapsed)
    return ("at most " + share if matching.estimated and
            not share.startswith("less") else share)


def verdict(inputs, matching):
    """The recommendation."""
    if matching.seconds is None and matching.replay and matching.replay.ran():
        return not_known(matching)
    if matching.seconds is None:
        return Finding("unknown", "The cost of matching is not known",
                       "No component could replay the trace of rank %d." %
                       matching.rank)
    amount = (between(matching) if matching.estimated
              else seconds(matching.seconds))
    took = amount + (" at most" if matching.of_all else
                     " on rank %d" % matching.rank)
    most = (", if one rank had the largest figures of all" if matching.of_all
            else ", the only rank that was traced"
            if len(inputs.replays) == 1
            else ", more than on any other rank" +
            (" that was traced" if matching.replay else ""))
    how = ("an estimate from the number of searches and of entries compared, "
           "each at what it takes with short queues and with long ones"
           if matching.estimated else "its trace, replayed on this machine")
    best, saved = gain(matching)
    if matching.share is not None and matching.share < WORTH:
        return Finding(
            "good", "Matching is not worth your attention: %s of the run time"
            % at_most(matching),
            "Searching the queues took %s%s: %s of its "
            "%s (%s). No component could save more than that; leave the "
            "default." % (took, most,
                          percent(matching.seconds, matching.elapsed),
                          seconds(matching.elapsed), how))
    least = WORTH * matching.elapsed if matching.elapsed else LEAST
    if best and saved > AHEAD * matching.seconds and saved >= least:
        of = (" (%s of its run time)" % percent(saved, matching.elapsed)
              if matching.elapsed else "")
        return Finding(
            "look", "Try --mca mq %s: it would save %s%s" %
            (best["name"], seconds(saved), of),
            "Matching took %s with %s, and would take %s with %s: %s. The "
            "run time itself is what counts: measure it with both." %
            (took, matching.component, seconds(best["seconds"]), best["name"],
             how + ("" if matching.elapsed else
                    ". The run time is not known: a profile has it")))
    share = ("%s of the run time" % percent(matching.seconds, matching.elapsed)
             if matching.elapsed else "the run time is not known")
    if best:
        return Finding(
            "good", "Matching cost %s (%s), and no other component would %s" %
            (seconds(matching.seconds), share, "save 1\u00a0% of that time"
             if matching.elapsed else "save 1\u00a0ms"),
            "It took %s with %s (%s); the best, %s, would take %s. Keep what "
            "you have." % (took, matching.component, how,
                           best["name"], seconds(best["seconds"])))
    return Finding(
        "look", "Matching cost %s: %s%s" %
        (amount, "at most " if matching.estimated and matching.elapsed else "",
         share),
        "It took %s (%s). A trace would show the costs of others: "
        "mpirun --mca pml champion --mca mq_base_trace /tmp/trace --mca "
        "mq_base_trace_ranks %d ..., then mq_report with /tmp/trace.%d." %
        (took, how, matching.rank, matching.rank))


def against_list(matching):
    """The cost of a linear search."""
    listed_one = matching.replay and matching.replay.get("list")
    if not listed_one:
        return None
    served = matching.replay.get(matching.component)
    if not served or served is listed_one:
        return None
    more = listed_one["seconds"] - served["seconds"]
    if more < (WORTH * matching.elapsed if matching.elapsed else LEAST):
        return Finding("good", "A linear list would have been as good",
                       "%s took %s on rank %d; list, which searches one entry "
                       "after the other, would have taken %s." %
                       (matching.component, seconds(served["seconds"]),
                        matching.rank, seconds(listed_one["seconds"])))
    return Finding("good", "%s saved %s compared with a linear list" %
                   (matching.component, seconds(more)),
                   "list would have compared %s entries per search on rank %d "
                   "and taken %s; %s compared %s and took %s." %
                   (count(round(listed_one["traversals_mean"], 1)),
                    matching.rank, seconds(listed_one["seconds"]),
                    matching.component,
                    count(round(served["traversals_mean"], 1)),
                    seconds(served["seconds"])))


def longest_together(inputs):
    """The most entries of a process in all its communicators, internal ones
    included, as the curves show it; 0: not known."""
    profile = inputs.profile
    if not profile or not profile.slices:
        return 0
    return max(max(one[3:5]) for one in profile.slices)


def queue(inputs):
    """The longest queue, and its rank."""
    longest = []
    if inputs.profile:
        for name in ("posted", "unexpected"):
            of = inputs.profile.rank[name + "_length_max"]
            longest.append((int(of.max()), int(of.argmax()), name,
                            float(of.mean())))
    elif inputs.statistics:
        for name in ("posted", "unexpected"):
            one = inputs.statistics.all[name]["queue_max"]
            longest.append((one["max"], one["max_rank"], name, one["mean"]))
    if not longest:
        return None
    length, rank, name, mean = max(longest)
    what = ("posted receives" if name == "posted" else "unexpected messages")
    together = longest_together(inputs)
    more = (" All communicators of a process together, collective operations "
            "included, had up to %s." % count(together)
            if together > length else "")
    if length < LONG:
        return Finding("good", "Queues are short: at most %d %s of the user in "
                       "one communicator" % (length, what),
                       "With queues of this length all components cost "
                       "nearly the same." + more)
    text = ("This is the largest number of the user's in one communicator at "
            "one time; the mean over the ranks is %s.%s" %
            (count(round(mean, 1)), more))
    if length > 4 * mean:
        text += (" The load is uneven: rank %d is a hot spot, and the others "
                 "may wait for it." % rank)
    return Finding("look", "Longest queue: %s %s, on rank %d" %
                   (count(length), what, rank), text)


def arrivals(inputs):
    """(posted first, unexpected) of the user's messages."""
    if inputs.statistics:
        return (inputs.statistics.sum("posted", "matched"),
                inputs.statistics.sum("posted", "unexpected"))
    if inputs.profile:
        rank = inputs.profile.rank
        return (int(rank["posted_hits"].sum()),
                int(rank["unexpected_added"].sum()))
    return None


def unexpected(inputs):
    """Messages that came before their receive."""
    both = arrivals(inputs)
    if not both or not sum(both):
        return None
    part, whole = both[1], sum(both)
    title = "%s of the messages came before their receive" % percent(part,
                                                                     whole)
    if part < UNEXPECTED * whole:
        return Finding("good", title, "%s of %s; the others found their "
                       "receive posted." % (count(part), count(whole)))
    text = ("%s of %s had to wait, and to be copied if they were small. "
            "Posting receives (MPI_Irecv) before their messages are sent "
            "avoids that." % (count(part), count(whole)))
    if inputs.statistics:
        most, rank = inputs.statistics.most("unexpected", "bytes_max")
        text += " At most %s waited at one time, on rank %d." % (size(most),
                                                                 rank)
    return Finding("look", title, text)


def wildcards(inputs):
    """Receives, and probes if a profile has them, that do not name source or
    tag."""
    profile = inputs.profile
    if profile and profile.receives:
        what, each = "receives and probes", "receive or probe"
        number, source, tag = (profile.receives, profile.any_source,
                               profile.any_tag)
    elif inputs.statistics:
        what, each = "receives", "receive"
        exact, source, tag, both = inputs.statistics.receives()
        number, source, tag = (exact + source + tag + both, source + both,
                               tag + both)
    if not (profile and profile.receives or inputs.statistics) or not number:
        return None
    return Finding(
        "good", "%s of the %s were from any source, %s with any tag" %
        (percent(source, number), what, percent(tag, number)),
        "%s of the user that were posted or found a message. Some components "
        "search all that waits for those from any source; the default does "
        "not." % some(number, each, what))


def transports(inputs):
    """How messages travelled."""
    stats = inputs.statistics
    ways = stats.ways() if stats else []
    total = sum(number for _, number in ways)
    if not total:
        return None
    return Finding("good", "Transports: " + ", ".join(
        "%s %s" % (percent(number, total), name) for name, number in ways
        if number), "Of all messages, collective operations included. "
        "Within a node small ones travel through rings in shared memory, and "
        "through a FIFO where a sender has no ring.")


def collectives(inputs):
    """Internal messages."""
    if inputs.statistics:
        user = inputs.statistics.sum("messages", "count")
        internal = inputs.statistics.sum("internal", "count")
    elif inputs.profile:
        user = int(inputs.profile.rank["messages"].sum())
        internal = int(inputs.profile.rank["internal_messages"].sum())
    else:
        return None
    if not user + internal:
        return Finding("unknown", "No messages were received", "")
    return Finding("good" if user else "unknown",
                   "%s of all messages belong to collective operations" %
                   percent(internal, user + internal),
                   "%s internal, %s of the user. The two never match each "
                   "other." % (some(internal, "message"), count(user)))


def saved(stats):
    """By prefetching."""
    time = stats.sum("prefetch", "saved") * 1e-9
    return ": about %s saved" % seconds(time) if time else ""


def overlap(inputs):
    """What was lost while programs computed, and what was won."""
    stats = inputs.statistics
    if not stats:
        return []
    found = []
    late = stats.sum("thread", "delayed")
    lost = stats.lost()
    if late:
        began = stats.sum("thread", "started")
        found.append(Finding(
            "good" if began else "look",
            "%s waited while the program computed: %s lost" %
            (some(late, "message"), seconds(lost)),
            "The sum over all ranks. %s started a progress thread because of "
            "that%s. Time was lost until then, and on ranks without one. The "
            "time that a thread saves, by losing no more, is not measured." %
            (some(began, "process", "processes"),
             "" if began else "; too few messages were late (see "
             "pml_champion_thread_late in pml_champion(7))")))
    fetched = stats.sum("prefetch", "fetched")
    if fetched:
        useful = stats.sum("prefetch", "useful")
        found.append(Finding(
            "good" if useful * 2 >= fetched else "look",
            "%s of the prefetched messages were complete when their receive "
            "was posted%s" % (percent(useful, fetched), saved(stats)),
            "%s of %s: their transfer was hidden completely. %s were still "
            "in transfer, %s were not fetched because the pool had no room "
            "(pml_champion_prefetch_pool)." %
            (count(useful), count(fetched),
             count(stats.sum("prefetch", "late")),
             count(stats.sum("prefetch", "full")))))
    if not late and not fetched:
        found.append(Finding(
            "good", "No time was lost to missing overlap",
            "No large message waited because the program computed, so neither "
            "a progress thread nor prefetching was needed."))
    return found


def pressure(inputs):
    """Senders that were stopped."""
    stats = inputs.statistics
    stopped = stats.sum("memory", "stopped") if stats else 0
    if not stopped:
        return None
    most, rank = stats.most("memory", "waiting_max")
    return Finding("look", "Senders were stopped %s, because messages that "
                   "wait filled the memory" % some(stopped, "time"),
                   "At most %s waited, on rank %d: a receiver falls behind. "
                   "See pml_champion_unexpected_limit in pml_champion(7)." %
                   (size(most), rank))


def other_run(inputs, replay):
    """A trace may be of another run of the same program; of another program,
    or of one with other arguments, it says little about this one."""
    if not inputs.profile or replay.note:
        return None
    recorded = int(inputs.profile.rank["messages"][replay.rank])
    if abs(replay.messages - recorded) <= AHEAD * max(recorded,
                                                      replay.messages):
        return None
    return Finding("look", "The trace of rank %d is not of this run" %
                   replay.rank,
                   "It has %s of the user, the profile has %s for that rank. "
                   "The costs of components are those of the trace; the share "
                   "of the run time is wrong." %
                   (some(replay.messages, "message"), count(recorded)))


def not_traced(inputs):
    """A rank whose matching costs more than that of those that were traced."""
    if not inputs.profile or not inputs.replays:
        return None
    searches = inputs.profile.rank["searches"]
    busiest = int(searches.argmax())
    traced = max(int(searches[replay.rank]) for replay in inputs.replays)
    if searches[busiest] < BUSIER * traced:
        return None
    return Finding("unknown", "Rank %d, which was not traced, searched more" %
                   busiest,
                   "%s, %s at most on the ranks whose traces are here. Pass its "
                   "trace as well, FILE.%d of mq_base_trace." %
                   (some(int(searches[busiest]), "time"), count(traced),
                    busiest))


def left_out(stats):
    """Ranks whose figures the statistics do not have."""
    if stats and stats.ended:
        there = stats.ranks - stats.missing
        return Finding(
            "unknown", "The job was ended by %s: figures of %s of %s%s" %
            (stats.ended, count(there), some(stats.ranks, "rank"),
             ", those on %s" % stats.host if stats.host else ""),
            "They are those of the moment when the signal came. A rank that has "
            "called MPI_Abort or died has left none." if stats.missing else
            "They are those of the moment when the signal came.")
    if stats and stats.missing:
        return Finding("unknown", "The statistics lack %s" %
                       some(stats.missing, "rank"),
                       "Their figures did not arrive at rank 0.")
    return None


def missing(inputs):
    """Inputs that the report lacks, and how to get them."""
    lacks = []
    if not inputs.profile:
        lacks.append(("senders and receivers, lengths over ranks, messages "
                      "and lengths over time", "--mca mq_base_profile FILE"))
    if not inputs.statistics:
        lacks.append(("transports, overlap, memory, figures by name of "
                      "communicator", "--mca pml_champion_stats json:FILE"))
    if not inputs.replays:
        lacks.append(("the cost of each component", "--mca mq_base_trace "
                      "FILE, then FILE.RANK"))
    return lacks


def all_findings(inputs):
    """The verdict first."""
    matching = Matching(inputs)
    found = [verdict(inputs, matching), against_list(matching), queue(inputs),
             unexpected(inputs), wildcards(inputs), collectives(inputs),
             transports(inputs), *overlap(inputs),
             pressure(inputs), left_out(inputs.statistics),
             not_traced(inputs)]
    for replay in inputs.replays:
        found.append(other_run(inputs, replay))
        declined = [one["name"] for one in replay.components
                    if "declined" in one]
        if replay.note:
            found.append(Finding("unknown", "The trace of rank %d is not "
                                 "complete" % replay.rank, replay.note))
        if declined and replay is matching.replay:
            found.append(Finding("unknown", "%s could not replay rank %d" %
                                 (listed(declined), replay.rank),
                                 "The table of components says why."))
    return matching, [one for one in found if one]
