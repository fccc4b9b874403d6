# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Reads statistics, which docs/stats.schema.json describes, and what ranks said
of their decisions."""

import json
import re

from .errors import Wrong

THREAD = re.compile(r"progress thread started at ([\d.]+) s: (\d+) large "
                    r"messages? delayed \(([\d.]+) s lost\)")
NO_THREAD = re.compile(r"no progress thread: (\d+) large messages? delayed "
                       r"\(([\d.]+) s lost\)")


class Statistics:
    """What the file has."""

    def __init__(self, path, data):
        self.path = path
        self.ranks = data["ranks"]
        self.missing = data["ranks_missing"]
        self.mq = data["mq"]
        self.all = data["all"]
        self.communicators = data["communicators"]
        self.decisions = data["decisions"]
        self.left_out = data["decisions_left_out"]
        # Version 3 has these.
        self.run = data.get("run", {})
        self.transports = data.get("transports", [])
        self.release = data.get("release", "")
        # Of a job that was ended: by what, and whose ranks, if not all.
        self.ended = data.get("ended", "")
        self.host = data.get("host", "")

    @property
    def elapsed(self):
        """How long rank 0 ran, in seconds; None: not known."""
        return self.run.get("seconds")

    def sum(self, group, name):
        """A figure over all ranks; 0 where this version has none."""
        return self.all.get(group, {}).get(name, {}).get("sum", 0)

    def most(self, group, name):
        """The largest value, and the rank that has it."""
        one = self.all.get(group, {}).get(name, {})
        return one.get("max", 0), one.get("max_rank", 0)

    def receives(self):
        """The user's: (exact, any source, any tag, both)."""
        return [self.sum("receives", name) for name in
                ("exact", "any_source", "any_tag", "any")]

    def searched(self):
        """Searches and entries compared, as if one rank had the largest
        values, and the rank that compared most in one of the queues."""
        searches = traversed = most = rank = 0
        for group in ("posted", "unexpected", "internal_posted",
                      "internal_unexpected", "probes"):
            for name in ("matched", "missed" if "posted" not in group else
                         "unexpected"):
                searches += self.most(group, name)[0]
            for name in ("traversed", "traversed_hit", "traversed_miss"):
                value, at = self.most(group, name)
                traversed += value
                if value > most:
                    most, rank = value, at
        return searches, traversed, rank

    def ways(self):
        """How messages travelled: (name, messages). Those of a process to
        itself are known of the user's only."""
        everything = (self.sum("messages", "count") +
                      self.sum("internal", "count"))
        ring, fifo, rget = (self.sum("rings", name) for name in
                            ("messages", "fifo", "rget"))
        own = self.sum("messages", "self")
        ucx = ", ".join(one["name"] for one in self.transports)
        return [("rings", max(0, ring - fifo - rget)), ("FIFO", fifo),
                ("CMA (read from the sender)", rget),
                ("UCX (%s)" % ucx if ucx else "UCX",
                 max(0, everything - ring - own)), ("to itself", own)]

    def knows_lost(self):
        """Is the time lost known of all ranks? Since version 3."""
        return "lost" in self.all.get("thread", {})

    def lost(self):
        """Seconds that delayed messages waited for the program: on all ranks,
        or on those that reported it."""
        if self.knows_lost():
            return self.sum("thread", "lost") * 1e-9
        return sum(one[2] for one in self.lateness())

    def lateness(self):
        """For each rank that reported any: (rank, delayed messages, seconds
        lost, when its thread started or None)."""
        told = []
        for decision in self.decisions:
            for line in decision["lines"]:
                match = THREAD.match(line)
                if match:
                    told.append((decision["rank"], int(match[2]),
                                 float(match[3]), float(match[1])))
                match = NO_THREAD.match(line)
                if match:
                    told.append((decision["rank"], int(match[1]),
                                 float(match[2]), None))
        return told


def check_run(path, data):
    """What version 3 says of the run."""
    run = data.get("run")
    good = (isinstance(run, dict) and isinstance(run.get("command"), list) and
            all(isinstance(word, str) for word in run["command"]) and
            isinstance(run.get("seconds"), (int, float)) and
            all(isinstance(run.get(name), str)
                for name in ("open_mpi", "ucx", "mq")))
    if not good:
        raise Wrong("%s: \"run\" is missing or not as "
                    "docs/stats.schema.json has it" % path)
    lanes = data.get("transports")
    good = isinstance(lanes, list) and all(
        isinstance(one, dict) and isinstance(one.get("name"), str) and
        isinstance(one.get("endpoints"), int) and
        isinstance(one.get("ranks"), int) for one in lanes)
    if not good:
        raise Wrong("%s: \"transports\" is missing or not as "
                    "docs/stats.schema.json has it" % path)


def check(path, data):
    """Is it what it has to be? What is used is checked; new figures are no
    error."""
    if not isinstance(data, dict) or data.get("format") != "champion-stats":
        raise Wrong("%s: not statistics of champion: it is JSON without "
                    "\"format\": \"champion-stats\"" % path)
    if data.get("version") not in (1, 2, 3):
        raise Wrong("%s: statistics of version %s; versions 1 to 3 are what "
                    "can be read" % (path, data.get("version")))
    for name, kind in (("ranks", int), ("ranks_missing", int), ("mq", str),
                       ("all", dict), ("communicators", list),
                       ("decisions", list), ("decisions_left_out", int)):
        if not isinstance(data.get(name), kind):
            raise Wrong("%s: \"%s\" is missing or not as "
                        "docs/stats.schema.json has it" % (path, name))
    for name in ("ended", "host"):
        if not isinstance(data.get(name, ""), str):
            raise Wrong("%s: \"%s\" is not as docs/stats.schema.json has it" %
                        (path, name))
    if data["version"] > 2:
        check_run(path, data)
    for group, name in (("posted", "matched"), ("posted", "unexpected"),
                        ("unexpected", "queue_max"), ("messages", "count"),
                        ("messages", "bytes"), ("internal", "count")):
        one = data["all"].get(group, {}).get(name)
        if not isinstance(one, dict) or "max" not in one:
            raise Wrong("%s: the figure %s %s is missing" % (path, group, name))


def read(path):
    """Read the statistics in a file."""
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except OSError as error:
        raise Wrong("%s: %s" % (path, error.strerror)) from None
    except UnicodeDecodeError:
        raise Wrong("%s: not text in UTF-8" % path) from None
    except json.JSONDecodeError as error:
        raise Wrong("%s: line %d: not JSON, or cut off: %s" %
                    (path, error.lineno, error.msg)) from None
    check(path, data)
    return Statistics(path, data)
