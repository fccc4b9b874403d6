# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Puts the page together: sections of figures and tables, for report.html."""

import os
import shlex

import jinja2
import numpy

from . import charts, findings, words
from .profile import SIZES

COMMUNICATORS = 12
TIMES = 128


class Table:
    """Rows under a head; columns that begin with < are text."""

    def __init__(self, head, rows, caption):
        self.head = [name.lstrip("<") for name in head]
        self.is_text = [name.startswith("<") for name in head]
        self.rows = rows
        self.caption = caption


class Chart:
    """A figure, what it shows, and its numbers."""

    def __init__(self, title, svg, note="", table=None):
        self.title = title
        self.svg = svg
        self.note = note
        self.table = table


class Section:
    """Charts under a heading."""

    def __init__(self, name, title, text, charts_of, wide=True):
        self.name = name
        self.title = title
        self.text = text
        self.charts = charts_of
        self.wide = wide


def heat_section(profile):
    """Who sends to whom."""
    if not any(values.any() for values in profile.heat.values()):
        return None
    each = profile.ranks / profile.bins
    binned = ("" if each == 1 else "Each cell stands for about %s \u00d7 "
              "%s ranks." % (words.count(each), words.count(each)))
    shown = []
    titles = {"messages": "Messages", "bytes": "Payload",
              "internal": "Internal messages"}
    for what, title in titles.items():
        values = profile.heat[what]
        if not values.any():
            continue
        used = numpy.count_nonzero(values)
        total = (words.size(values.sum()) if what == "bytes" else
                 words.count(int(values.sum())))
        shown.append(Chart("%s: %s" % (title, total), charts.heat(
            profile, what, "Heat map: %s from each sender to each receiver, "
            "%s in all; %d of %d cells are used." %
            (title.lower(), total, used, values.size)), binned))
    pairs = sorted(profile.pairs, reverse=True)
    table = Table(["sender (rank)", "receiver (rank)", "messages", "payload"],
                  [[words.count(sender), words.count(receiver),
                    words.count(messages),
                    words.size(size)]
                   for size, messages, sender, receiver in pairs],
                  "Pairs of ranks with the largest payload")
    if shown and pairs:
        shown[0].table = table
    text = ("Rows are receivers, columns senders, as ranks of "
            "MPI_COMM_WORLD; the scale is logarithmic, and cells without "
            "messages are empty.")
    if profile.others:
        text += (" %s more came from other jobs." %
                 words.some(profile.others, "message"))
    return Section("traffic", "Who sends to whom", text, shown, wide=False)


def top_ranks(profile):
    """The ranks with the longest queues."""
    rank = profile.rank
    worst = numpy.maximum(rank["posted_length_max"],
                          rank["unexpected_length_max"])
    rows = []
    for at in numpy.argsort(-worst, kind="stable")[:10]:
        rows.append([words.count(int(at))] + [
            words.count(int(rank[name][at])) for name in
            ("posted_length_max", "unexpected_length_max",
             "internal_posted_length_max", "internal_unexpected_length_max",
             "searches", "traversed")])
    return Table(["rank", "posted", "unexpected", "internal posted",
                  "internal unexpected", "searches", "entries compared"],
                 rows, "Ranks with the longest queues of the user's receives "
                 "and messages")


def over_time(profile):
    """(seconds, edges, posted and unexpected by bin of ranks and of time)."""
    end = max(profile.elapsed, 1e-6)
    slices = numpy.array(profile.slices, dtype=float)
    width = numpy.min(slices[:, 2] - slices[:, 1])
    times = int(min(TIMES, max(1, -(-end * 1e6 // width))))
    edges = numpy.linspace(0, end, times + 1)
    bins = profile.bins
    most = numpy.zeros((2, bins, times))
    row = (slices[:, 0] * bins // profile.ranks).astype(int)
    first = numpy.clip((slices[:, 1] / 1e6 / end * times).astype(int), 0,
                       times - 1)
    last = numpy.clip(numpy.ceil(slices[:, 2] / 1e6 / end * times).astype(int),
                      1, times)
    for step in range(int(numpy.max(last - first))):
        at = first + step
        inside = at < last
        for queue in (0, 1):
            numpy.maximum.at(most[queue], (row[inside], at[inside]),
                             slices[inside, 3 + queue])
    return end, edges, most


def length_section(profile):
    """How long the queues were, over ranks and time."""
    rank = profile.rank
    series = [("posted receives", rank["posted_length_max"]),
              ("unexpected messages", rank["unexpected_length_max"])]
    note = ("" if profile.bins == profile.ranks else "Neighbouring ranks are "
            "drawn as one, with the largest value among them.")
    shown = [Chart("Longest queue of each rank", charts.over_ranks(
        series, "entries", "Longest queues by rank: at most %d posted "
        "receives and %d unexpected messages." %
        (series[0][1].max(), series[1][1].max())), note, top_ranks(profile))]
    text = "The largest number of entries in one communicator at one time."
    if profile.slices:
        end, edges, most = over_time(profile)
        posted, unexpected = most.max(axis=1)
        step = max(1, len(posted) // 16)
        rows = [["%.4g" % edges[i],
                 words.count(int(posted[i:i + step].max())),
                 words.count(int(unexpected[i:i + step].max()))]
                for i in range(0, len(posted), step)]
        shown.append(Chart("Over time, the longest on any rank", charts.lines(
            edges, [("posted receives", posted),
                    ("unexpected messages", unexpected)],
            "time since MPI_Init (s)", "entries",
            "Longest queues over %s: at most %d posted receives and %d "
            "unexpected messages." % (words.seconds(end), posted.max(),
                                      unexpected.max())),
            "All communicators of a process together, internal messages "
            "included.", Table(["from (s)", "posted", "unexpected"], rows,
                               "Longest queues over time")))
        if profile.ranks > 1:
            for name, values in zip(("Posted receives",
                                     "Unexpected messages"), most):
                if values.max() >= 2:
                    shown.append(Chart(
                        name + ", by rank and time", charts.ranks_over_time(
                            values, profile.ranks, end, "Heat map of %s "
                            "queued, by rank and time: at most %d." %
                            (name.lower(), values.max()))))
    return Section("lengths", "How long queues are", text, shown)


def arrived(profile, end, edges):
    """Messages and bytes of the user, then internal ones, in each interval."""
    slices = numpy.array(profile.slices, dtype=float)
    begin = slices[:, 1] / 1e6
    width = numpy.maximum(numpy.minimum(slices[:, 2] / 1e6, end) - begin, 1e-6)
    sums = numpy.array([numpy.clip((edge - begin) / width, 0, 1) @
                        slices[:, 5:9] for edge in edges])
    return numpy.diff(sums, axis=0).T


def time_section(inputs):
    """When messages came."""
    profile = inputs.profile
    if not profile or not profile.slices:
        return None
    end, edges, _ = over_time(profile)
    of = arrived(profile, end, edges)
    if not of.any():
        return None
    width = edges[1] - edges[0]
    step = max(1, len(of[0]) // 16)
    rows = [["%.4g" % edges[i]] +
            [words.count(round(of[0][i:i + step].sum())),
             words.size(of[1][i:i + step].sum()),
             words.count(round(of[2][i:i + step].sum())),
             words.size(of[3][i:i + step].sum())]
            for i in range(0, len(of[0]), step)]
    note = ""
    if inputs.statistics:
        begun = [(one[3], one[0]) for one in inputs.statistics.lateness()
                 if one[3] is not None]
        if begun:
            note = "Progress threads started: " + words.listed(
                "%s (rank %d)" % (words.seconds(at), rank)
                for at, rank in sorted(begun)) + "."
    names = ("the user's", "internal (collective operations)")
    shown = [Chart("Messages", charts.lines(
        edges, list(zip(names, (of[0] / width, of[2] / width))),
        "time since MPI_Init (s)", "messages per second",
        "Messages that arrived on all ranks over %s: %d of the user, %d "
        "internal." % (words.seconds(end), of[0].sum(), of[2].sum()),
        rates=True), note, Table(
            ["from (s)", "user's messages", "payload", "internal messages",
             "payload"], rows, "Messages over time")),
             Chart("Payload", charts.lines(
                 edges, list(zip(names, (of[1] / width, of[3] / width))),
                 "time since MPI_Init (s)", "bytes per second",
                 "Payload that arrived on all ranks over %s: %s of the user, "
                 "%s internal." % (words.seconds(end), words.size(of[1].sum()),
                                   words.size(of[3].sum())), rates=True))]
    return Section("time", "When in the run", "Messages that arrived, on all "
                   "ranks together. Time is counted from MPI_Init of each "
                   "process.", shown)


def both_kinds(inputs):
    """(what, messages, bytes, unexpected, longest posted, longest unexpected)
    of the user's messages and of internal ones."""
    stats, profile = inputs.statistics, inputs.profile
    rows = []
    for what, prefix, group in (("the user's", "", "messages"),
                                ("internal", "internal_", "internal")):
        if stats:
            rows.append((what, stats.sum(group, "count"),
                         stats.sum(group, "bytes"),
                         stats.sum(prefix + "posted", "unexpected"),
                         stats.most(prefix + "posted", "queue_max")[0],
                         stats.most(prefix + "unexpected", "queue_max")[0]))
        elif profile:
            rank = profile.rank
            rows.append((what, rank[prefix + "messages"].sum(),
                         rank[prefix + "bytes"].sum(),
                         rank[prefix + "unexpected_added"].sum(),
                         rank[prefix + "posted_length_max"].max(),
                         rank[prefix + "unexpected_length_max"].max()))
    return rows


def kinds_chart(inputs):
    """The user's messages beside those of collective operations."""
    rows = both_kinds(inputs)
    if not sum(row[1] for row in rows):
        return None
    return Chart("The user's and internal messages", charts.bars(
        [row[0] for row in rows], [("messages", [row[1] for row in rows])],
        "Messages: " + "; ".join("%s %d" % row[:2] for row in rows),
        "messages"), "Internal are those of collective operations and of Open "
        "MPI itself. The two never match each other.", Table(
            ["<messages", "number", "payload", "unexpected",
             "longest posted", "longest unexpected"],
            [[row[0], words.count(int(row[1])), words.size(row[2]),
              words.percent(row[3], row[1]), words.count(int(row[4])),
              words.count(int(row[5]))] for row in rows],
            "The user's and internal messages"))


def wildcard_chart(inputs):
    """What receives name."""
    if not inputs.statistics or not sum(inputs.statistics.receives()):
        return None
    numbers = inputs.statistics.receives()
    names = ("source and tag", "any source", "any tag", "any source and tag")
    return Chart("What receives ask for", charts.bars(
        names, [("receives", numbers)], "Receives: " + "; ".join(
            "%s %d" % one for one in zip(names, numbers)), "receives"), "",
        Table(["<receives for", "number", "share"],
              [[name, words.count(number),
                words.percent(number, sum(numbers))]
               for name, number in zip(names, numbers)],
              "The user's receives, by what they name"))


def transport_section(stats):
    """How messages travelled."""
    ways = stats.ways()
    total = sum(number for _, number in ways)
    if not total:
        return None
    shown = [Chart("Messages by transport", charts.bars(
        [name for name, _ in ways], [("messages", [number for _, number in
                                                   ways])],
        "Messages by transport: " + "; ".join("%s %d" % one for one in ways),
        "messages"), "Internal messages included; those of a process to "
        "itself count as UCX's if they are internal.", Table(
            ["<transport", "messages", "share"],
            [[name, words.count(number), words.percent(number, total)]
             for name, number in ways], "Messages by transport"))]
    if stats.transports:
        shown.append(Chart("Transports of UCX", None, "An endpoint may use "
                           "several.", Table(
                               ["<transport", "endpoints", "ranks"],
                               [[one["name"], words.count(one["endpoints"]),
                                 words.count(one["ranks"])]
                                for one in stats.transports],
                               "Endpoints that have it among theirs, of all "
                               "ranks")))
    rows = effects(stats, (
        ("rings", "granted", "rings granted to senders"),
        ("rings", "refused", "requests for a ring refused: all were taken"),
        ("rings", "moved", "rings moved to a sender that sends more"),
        ("rings", "failed", "rings that could not be created or reached"),
        ("rings", "waited", "sends that waited for room in a ring")))
    if rows:
        shown.append(Chart("Rings", None, "", Table(
            ["<what", "all ranks", "most on one rank"], rows,
            "Rings in shared memory")))
    return Section("transports", "Which transports", "How messages travelled.",
                   shown)


def effects(stats, names):
    """Rows of counts that are not 0: (group, name, what)."""
    rows = []
    for group, name, what in names:
        if stats.sum(group, name):
            most, rank = stats.most(group, name)
            rows.append([what, words.count(stats.sum(group, name)),
                         "%s (rank %d)" % (words.count(most), rank)])
    return rows


def stats_communicators(stats):
    """By name, from statistics: (name, ranks, posted first, unexpected,
    longest, bytes, component)."""
    rows = []
    for one in stats.communicators:
        of = one["of"]
        rows.append((words.shown(one["name"]), one["ranks"], of["posted"]["matched"]["sum"],
                     of["posted"]["unexpected"]["sum"],
                     max(of["posted"]["queue_max"]["max"],
                         of["unexpected"]["queue_max"]["max"]),
                     of["messages"]["bytes"]["sum"], of["internal"]["count"]
                     ["sum"]))
    return rows


def profile_communicators(profile):
    """The same from a profile."""
    rows = []
    for one in profile.communicators.values():
        queue = one.queue
        rows.append((words.shown(one.name), one.ranks, queue["posted"]["hits"],
                     queue["unexpected"]["added"],
                     max(queue["posted"]["length_max"],
                         queue["unexpected"]["length_max"]), one.bytes,
                     queue["internal_posted"]["hits"] +
                     queue["internal_unexpected"]["added"]))
    return rows


def message_section(inputs):
    """What messages there were: by communicator, by size."""
    rows = None
    if inputs.statistics:
        rows = stats_communicators(inputs.statistics)
    elif inputs.profile:
        rows = profile_communicators(inputs.profile)
    if not rows:
        return None
    rows.sort(key=lambda row: -(row[2] + row[3]))
    top = rows[:COMMUNICATORS]
    table = Table(["<communicator", "ranks", "receive first", "unexpected",
                   "share unexpected", "longest queue", "payload",
                   "internal messages"],
                  [[name, words.count(ranks), words.count(first),
                    words.count(late), words.percent(late, first + late),
                    words.count(longest), words.size(size),
                    words.count(internal)]
                   for name, ranks, first, late, longest, size, internal
                   in rows[:50]], "The user's messages, by communicator")
    shown = []
    used = [row for row in top if row[2] + row[3]]
    note = ("" if len(rows) <= COMMUNICATORS else "The %d with the most "
            "messages, of %d." % (COMMUNICATORS, len(rows)))
    if used:
        shown.append(Chart("Receive first, or message first", charts.bars(
            [short(row[0]) for row in used],
            [("receive was posted first", [row[2] for row in used]),
             ("unexpected", [row[3] for row in used])],
            "Messages by communicator: " + "; ".join(
                "%s %d expected, %d unexpected" % (short(row[0]), row[2],
                                                   row[3])
                for row in used), "messages"), note, table))
    sizes = message_sizes(inputs)
    if sum(sizes):
        shown.append(Chart("Sizes", charts.bars(
            SIZES, [("messages", sizes)], "Messages by size: " + "; ".join(
                "%s %d" % one for one in zip(SIZES, sizes)), "messages"), "",
            Table(["<payload", "messages", "share"],
                  [[name, words.count(number),
                    words.percent(number, sum(sizes))]
                   for name, number in zip(SIZES, sizes)],
                  "The user's messages, by size")))
    if not shown:
        shown = [Chart("By communicator", None, "", table)]
    shown += [one for one in (wildcard_chart(inputs), kinds_chart(inputs))
              if one]
    return Section("messages", "Which messages",
                   "The user's messages; those of collective operations are "
                   "named as internal.", shown)


def short(name):
    """For the axis of a figure."""
    return name if len(name) <= 28 else name[:27] + "\u2026"


def message_sizes(inputs):
    """By class."""
    if inputs.statistics:
        return [inputs.statistics.sum("messages", name) for name in
                ("upto_64", "upto_1k", "upto_16k", "upto_256k", "larger")]
    return inputs.profile.sizes()


def replay_table(replay, elapsed):
    """What each component cost."""
    rows = []
    for one in replay.ran():
        rows.append([one["name"], words.seconds(one["seconds"]),
                     words.percent(one["seconds"], elapsed) if elapsed else
                     "not known",
                     words.seconds(one["search_ns_mean"] * 1e-9),
                     words.seconds(one["search_ns_max"] * 1e-9),
                     words.count(one["traversals_mean"]),
                     words.count(one["traversals_max"]),
                     words.size(one["memory_peak_bytes"])])
    for one in replay.components:
        if "declined" in one:
            rows.append([one["name"], "declined: " + one["declined"]] +
                        [""] * 6)
    return Table(["<component", "all matching", "of the run time",
                  "mean search", "longest search", "entries per search",
                  "at most", "memory"], rows,
                 "Rank %d: %s matching operations, replayed" %
                 (replay.rank, words.count(replay.ran()[0]["operations"])))


def replay_section(inputs):
    """Traces, replayed."""
    shown = []
    for replay in inputs.replays:
        ran = replay.ran()
        if not ran:
            continue
        elapsed = findings.elapsed_of(inputs, replay.rank)
        names = [one["name"] for one in ran]
        shown.append(Chart(
            "Rank %d: time for all its matching" % replay.rank, charts.bars(
                names, [("time", [one["seconds"] for one in ran])],
                "Time for all matching of rank %d by component: " %
                replay.rank + "; ".join(
                    "%s %s" % (one["name"], words.seconds(one["seconds"]))
                    for one in ran), "", "s", words.seconds), replay.note,
            replay_table(replay, elapsed)))
        shown.append(Chart(
            "Rank %d: entries compared by each search" % replay.rank,
            charts.bars(names, [("entries", [one["traversals_mean"]
                                             for one in ran])],
                        "Mean number of entries compared by a search of rank "
                        "%d: " % replay.rank + "; ".join(
                            one["name"] + " " +
                            words.count(one["traversals_mean"])
                            for one in ran), "entries per search (mean)", "",
                        words.count)))
        lengths = replay.lengths
        edges = [i * lengths["operations"] for i in
                 range(len(lengths["posted"]) + 1)]
        shown.append(Chart(
            "Rank %d: queue lengths" % replay.rank, charts.lines(
                edges, [("posted receives", lengths["posted"]),
                        ("unexpected messages", lengths["unexpected"])],
                "matching operations", "entries",
                "Queue lengths of rank %d over its matching operations: at "
                "most %d posted receives and %d unexpected messages." %
                (replay.rank, max(lengths["posted"]),
                 max(lengths["unexpected"])), True),
            "All communicators together, internal messages included."))
    if not shown:
        return None
    return Section("components", "What each component would cost",
                   "The recorded operations, replayed by mq_replay on the "
                   "machine that made this report. The times are those of "
                   "matching alone: without the program's work in between, "
                   "caches are warmer than in the program.", shown)


def overlap_section(stats):
    """Threads, prefetching, offload."""
    rows = effects(stats, (
            ("thread", "delayed", "messages delayed for lack of a thread"),
            ("thread", "started", "processes that started a progress thread"),
            ("prefetch", "fetched", "messages prefetched"),
            ("prefetch", "useful", "of these, complete when received"),
            ("prefetch", "late", "of these, still in transfer"),
            ("prefetch", "full", "not prefetched: no room in the pool"),
            ("prefetch", "declined", "not prefetched: seldom useful"),
            ("prefetch", "unneeded", "not prefetched: receives come soon enough"),
            ("offload", "offloaded", "receives handed to UCX"),
            ("offload", "matched", "of these, matched there"),
            ("offload", "cancelled", "of these, taken back"),
            ("memory", "stopped", "times that senders were stopped")))
    shown = []
    times = [("lost: delayed messages", stats.lost()),
             ("saved: prefetching (an estimate)",
              stats.sum("prefetch", "saved") * 1e-9)]
    if any(time for _, time in times):
        shown.append(Chart("Time lost and saved, all ranks together",
                           charts.bars(
                               [name for name, _ in times],
                               [("time", [time for _, time in times])],
                               "Time: " + "; ".join(
                                   "%s %s" % (name, words.seconds(time))
                                   for name, time in times), "", "s",
                               words.seconds),
                           "What progress threads save is not measured: it is "
                           "what is lost no more.", Table(
                               ["<what", "time"],
                               [[name, words.seconds(time)]
                                for name, time in times],
                               "Time lost and saved")))
    if rows:
        shown.append(Chart("Counts", None, "", Table(
            ["<what", "all ranks", "most on one rank"], rows,
            "Effects of overlap and flow control")))
    told = stats.lateness()
    if told:
        text = ["" if at is None else words.seconds(at)
                for _, _, _, at in told]
        shown.append(Chart("Time lost, on the ranks that reported it",
                           charts.bars(
                               ["rank %d" % one[0] for one in told],
                               [("lost", [one[2] for one in told])],
                               "Time lost by delayed messages: " + "; ".join(
                                   "rank %d %s" % (one[0],
                                                   words.seconds(one[2]))
                                   for one in told), "", "s", words.seconds),
                           "",
                           Table(["rank", "delayed messages", "time lost",
                                  "thread started at"],
                                 [[words.count(one[0]), words.count(one[1]),
                                   words.seconds(one[2]), at or "never"]
                                  for one, at in zip(told, text)],
                                 "Delayed messages")))
    said = [[words.count(one["rank"]), line] for one in stats.decisions
            for line in one["lines"]]
    if said:
        more = ("Decisions of %s are not listed." %
                words.some(stats.left_out, "more rank") if stats.left_out
                else "")
        shown.append(Chart("What ranks decided", None, more, Table(
            ["rank", "<decision"], said, "Decisions, as reported")))
    if not shown:
        return None
    return Section("overlap", "Overlap: losses and gains",
                   "Large messages that waited while the program computed, "
                   "and what was done about it.", shown)


def tiles(inputs, matching):
    """The numbers at the top: (value, what)."""
    found = [(words.count(inputs.ranks), "ranks")]
    elapsed = (inputs.profile and inputs.profile.elapsed or
               inputs.statistics and inputs.statistics.elapsed)
    if elapsed:
        found.append((words.seconds(elapsed), "run time"))
    if matching.component or matching.replay:
        found.append((matching.component or "not known", "component"))
    both = findings.arrivals(inputs)
    if both:
        found.append((words.count(sum(both)), "messages"))
        found.append((words.percent(both[1], sum(both)), "unexpected"))
    if inputs.statistics:
        found.append((words.size(inputs.statistics.sum("messages", "bytes")),
                      "payload"))
    elif inputs.profile:
        found.append((words.size(inputs.profile.rank["bytes"].sum()),
                      "payload"))
    if matching.share is not None:
        found.append((words.percent(matching.seconds, matching.elapsed)
                      .replace("less than", "<"),
                      "matching, rank\u00a0%d" % matching.rank))
    return found


def sections(inputs):
    """Those that there is something for."""
    made = [message_section(inputs)]
    if inputs.profile:
        made[:0] = [heat_section(inputs.profile), time_section(inputs),
                    length_section(inputs.profile)]
    made.append(replay_section(inputs))
    if inputs.statistics:
        made += [transport_section(inputs.statistics),
                 overlap_section(inputs.statistics)]
    return [one for one in made if one]


def about_run(inputs, matching):
    """The command and versions: (what, text)."""
    run, release = {}, ""
    if inputs.statistics:
        run = dict(inputs.statistics.run)
        run["command"] = shlex.join(run["command"])
        release = inputs.statistics.release
    elif inputs.profile:
        run = inputs.profile.run
        release = run.get("champion", "")
    component = matching.component
    told = [("command", run.get("command")), ("Open MPI", run.get("open_mpi")),
            ("UCX", run.get("ucx")), ("champion", release),
            ("mq", "%s %s" % (component, run["mq"])
             if component and run.get("mq") else "")]
    return [(what, words.shown(text)) for what, text in told if text]


def make(inputs, title, version):
    """The page."""
    matching, found = findings.all_findings(inputs)
    files = [one.path for one in (inputs.profile, inputs.statistics,
                                  *inputs.replays) if one]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(os.path.dirname(__file__)),
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True)
    return environment.get_template("report.html").render(
        title=title or "Message matching", files=files, version=version,
        tiles=tiles(inputs, matching), run=about_run(inputs, matching),
        verdict=found[0], findings=found[1:],
        sections=sections(inputs), missing=findings.missing(inputs))
