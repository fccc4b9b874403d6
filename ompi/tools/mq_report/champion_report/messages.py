# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The section about messages: by communicator, size and kind, and what receives
ask for."""

from . import charts, words
from .parts import Chart, Section, Table
from .profile import SIZES

COMMUNICATORS = 12


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


def share_chart(title, what, intro, head, caption, named, note=""):
    """A bar for each (name, number) of `what`, and a table of their shares."""
    total = sum(number for _, number in named)
    return Chart(title, charts.bars(
        [name for name, _ in named], [(what, [number for _, number in named])],
        intro + ": " + "; ".join("%s %d" % one for one in named), what), note,
        Table([*head, "share"],
              [[name, words.count(number), words.percent(number, total)]
               for name, number in named], caption))


def wildcard_chart(inputs):
    """What receives name."""
    if not inputs.statistics or not sum(inputs.statistics.receives()):
        return None
    names = ("source and tag", "any source", "any tag", "any source and tag")
    return share_chart("Wanted by receives", "receives", "Receives",
                       ("<receives for", "number"),
                       "The user's receives, by what they name",
                       list(zip(names, inputs.statistics.receives())))


def stats_communicators(stats):
    """By name, from statistics: (name, ranks, posted first, unexpected,
    longest, bytes, internal messages)."""
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
        shown.append(share_chart("Sizes", "messages", "Messages by size",
                                 ("<payload", "messages"),
                                 "The user's messages, by size",
                                 list(zip(SIZES, sizes))))
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
