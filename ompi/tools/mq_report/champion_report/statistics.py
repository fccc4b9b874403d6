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

    def sum(self, group, name):
        """A figure over all ranks; 0 where this version has none."""
        return self.all.get(group, {}).get(name, {}).get("sum", 0)

    def most(self, group, name):
        """The largest value, and the rank that has it."""
        one = self.all.get(group, {}).get(name, {})
        return one.get("max", 0), one.get("max_rank", 0)

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


def check(path, data):
    """Is it what it has to be? What is used is checked; new figures are no
    error."""
    if not isinstance(data, dict) or data.get("format") != "champion-stats":
        raise Wrong("%s: not statistics of champion: it is JSON without "
                    "\"format\": \"champion-stats\"" % path)
    if data.get("version") not in (1, 2):
        raise Wrong("%s: statistics of version %s; versions 1 and 2 are what "
                    "can be read" % (path, data.get("version")))
    for name, kind in (("ranks", int), ("ranks_missing", int), ("mq", str),
                       ("all", dict), ("communicators", list),
                       ("decisions", list), ("decisions_left_out", int)):
        if not isinstance(data.get(name), kind):
            raise Wrong("%s: \"%s\" is missing or not as "
                        "docs/stats.schema.json has it" % (path, name))
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
