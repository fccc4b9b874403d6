# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Puts the page together: sections of figures and tables, for report.html."""

import os
import shlex

import jinja2

from . import charts, course, findings, messages, words
from .parts import Chart, Section, Table


def transport_section(stats):
    """How messages travelled."""
    ways = stats.ways()
    if not sum(number for _, number in ways):
        return None
    shown = [messages.share_chart(
        "Messages by transport", "messages", "Messages by transport",
        ("<transport", "messages"), "Messages by transport", ways,
        "Internal messages included; those of a process to itself count as "
        "UCX's if they are internal.")]
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
        ("rings", "opened", "rings that senders have opened"),
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


def replay_table(replay, elapsed):
    """The cost of each component."""
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
    return Section("components", "Cost of each component",
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
                           "The time that progress threads save, by losing "
                           "no more, is not measured.", Table(
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
        shown.append(Chart("Decisions of ranks", None, more, Table(
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
    made = [messages.message_section(inputs)]
    if inputs.profile:
        made[:0] = [course.heat_section(inputs.profile),
                    course.time_section(inputs),
                    course.length_section(inputs.profile)]
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
