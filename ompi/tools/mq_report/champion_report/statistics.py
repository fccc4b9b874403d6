# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Reads statistics, which docs/stats.schema.json describes, and what ranks said
of their decisions."""

import json
import re

from .errors import Wrong

VERSION = 1  # of the format
SECONDS = r"\d{1,12}(?:\.\d{1,12})?"
LATE = re.compile(r"(?:progress thread started at (%s) s|no progress thread): "
                  r"(\d{1,12}) large messages? delayed \((%s) s lost\)" %
                  (SECONDS, SECONDS))


class Statistics:
    """The contents of the file."""

    def __init__(self, path, data):
        self.path = path
        self.ranks = data["ranks"]
        self.missing = data["ranks_missing"]
        self.mq = data["mq"]
        self.all = data["all"]
        self.communicators = data["communicators"]
        self.decisions = data["decisions"]
        self.left_out = data["decisions_left_out"]
        self.run = data["run"]
        self.transports = data["transports"]
        self.release = data.get("release", "")
        # Of a job that was ended: by what, and whose ranks, if not all.
        self.ended = data.get("ended", "")
        self.host = data.get("host", "")

    @property
    def elapsed(self):
        """How long rank 0 ran, in seconds."""
        return self.run["seconds"]

    def sum(self, group, name):
        """A figure over all ranks; 0 if there is none."""
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

    def lost(self):
        """Seconds that delayed messages waited for the program, on all ranks."""
        return self.sum("thread", "lost") * 1e-9

    def lateness(self):
        """For each rank that reported any: (rank, delayed messages, seconds
        lost, when its thread started or None)."""
        told = []
        for decision in self.decisions:
            for line in decision["lines"]:
                match = LATE.match(line)
                if match:
                    told.append((decision["rank"], int(match[2]),
                                 float(match[3]),
                                 float(match[1]) if match[1] else None))
        return told


# The shape of the file, as docs/stats.schema.json has it: names whose values
# have such a shape ("?": may be absent; "*": all others), lists of such values,
# or one of these.
COUNT, NUMBER, TEXT = "count", "number", "text"
SUMMARY = {"max": COUNT, "max_rank": COUNT, "mean": NUMBER, "?sum": COUNT}
SUMMED = {**SUMMARY, "sum": COUNT}
GROUPS = {
    "posted": {"matched": SUMMED, "unexpected": SUMMED, "queue_max": SUMMARY,
               "*": SUMMARY},
    "unexpected": {"queue_max": SUMMARY, "*": SUMMARY},
    "messages": {"count": SUMMED, "bytes": SUMMED, "*": SUMMARY},
    "internal": {"count": SUMMED, "*": SUMMARY},
    "*": {"*": SUMMARY}}
SHAPE = {
    "ranks": COUNT, "ranks_missing": COUNT, "mq": TEXT, "all": GROUPS,
    "communicators": [{"name": TEXT, "ranks": COUNT, "of": GROUPS}],
    "decisions": [{"rank": COUNT, "lines": [TEXT]}],
    "decisions_left_out": COUNT, "?release": TEXT, "?ended": TEXT,
    "?host": TEXT,
    "run": {"command": [TEXT], "seconds": NUMBER, "open_mpi": TEXT,
            "ucx": TEXT, "mq": TEXT},
    "transports": [{"name": TEXT, "endpoints": COUNT, "ranks": COUNT}]}


def is_one(value, kind):
    """A single value; True is no number, half of a character no text."""
    if kind == TEXT:
        return isinstance(value, str) and \
            value == value.encode("utf-8", "replace").decode()
    if isinstance(value, bool) or \
            not isinstance(value, int if kind == COUNT else (int, float)):
        return False
    return 0 <= value < 2**64


def misfit(value, shape, name=""):
    """The name of the first value that is missing or has another shape, such as
    all.posted.matched; None: there is none."""
    if isinstance(shape, str):
        return None if is_one(value, shape) else name
    if isinstance(shape, list):
        if not isinstance(value, list):
            return name
        parts = [(str(i), one, shape[0]) for i, one in enumerate(value)]
    else:
        if not isinstance(value, dict):
            return name
        parts = [(key.lstrip("?"), value.get(key.lstrip("?")), of)
                 for key, of in shape.items()
                 if key != "*" and (key[0] != "?" or key[1:] in value)]
        if "*" in shape:
            parts += [(key, one, shape["*"]) for key, one in value.items()
                      if key not in shape]
    for key, one, of in parts:
        found = misfit(one, of, name + "." + key if name else key)
        if found:
            return found
    return None


def check(path, data):
    """Is the file valid? Figures that are used are checked; new ones are no
    error."""
    if not isinstance(data, dict) or data.get("format") != "champion-stats":
        raise Wrong("%s: not statistics of champion: it is JSON without "
                    "\"format\": \"champion-stats\"" % path)
    version = data.get("version")
    if not is_one(version, COUNT) or version != VERSION:
        raise Wrong("%s: statistics of version %s; only version %d can be read"
                    % (path, str(version)[:32], VERSION))
    found = misfit(data, SHAPE)
    if not found and data["ranks"] == 0:
        found = "ranks"
    if found:
        raise Wrong("%s: \"%s\" is missing or not as docs/stats.schema.json has "
                    "it" % (path, found[:200].encode("ascii", "replace")
                            .decode()))


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
    except (RecursionError, ValueError) as error:  # too deep, too many digits
        raise Wrong("%s: not JSON of champion: %s" % (path, error)) from None
    check(path, data)
    return Statistics(path, data)
