# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Sections about a profile: senders and receivers, times, queue lengths."""

import numpy

from . import charts, words
from .parts import Chart, Section, Table

TIMES = 128


def heat_section(profile):
    """Senders and receivers."""
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
    return Section("traffic", "Senders and receivers", text, shown, wide=False)


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
