# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Runs mq_replay: traces through all components, and small patterns to know
what a search costs on this machine."""

import json
import os
import re
import shutil
import struct
import subprocess

from .errors import Wrong

SECONDS = 600


class Replay:
    """A trace, replayed."""

    def __init__(self, path, rank, ranks, data, note):
        self.path = path
        self.rank = rank
        self.ranks = ranks
        self.note = note  # what mq_replay said beside it
        self.lengths = data["lengths"]
        self.messages = data["messages"]  # of the user, that arrived
        # Components that served in the program, the busiest first; none if
        # the trace does not say.
        self.served = [one["name"] for one in data["served"]]
        self.components = []
        for one, paths in zip(data["components"], data["paths"]):
            if "declined" not in one:
                one["seconds"] = sum(path["operations"] * path["ns_mean"]
                                     for path in paths.values()) * 1e-9
                one["paths"] = paths
            self.components.append(one)

    def ran(self):
        """Components that did not decline, the fastest first."""
        return sorted((one for one in self.components
                       if "declined" not in one),
                      key=lambda one: one["seconds"])

    def get(self, name):
        """A component that ran, or None."""
        for one in self.ran():
            if one["name"] == name:
                return one
        return None


def find(here):
    """mq_replay, beside mq_report or in PATH."""
    beside = os.path.join(here, "mq_replay")
    path = beside if os.access(beside, os.X_OK) else shutil.which("mq_replay")
    if path is None:
        raise Wrong("mq_replay is neither in %s nor in PATH" % here)
    return path


def run(here, *arguments):
    """Its JSON, and what it said."""
    try:
        done = subprocess.run([find(here), *arguments, "--json"],
                              stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", errors="replace",
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Wrong("mq_replay %s takes more than %d s" %
                    (" ".join(arguments), SECONDS)) from None
    said = done.stderr.strip()
    if done.returncode != 0:
        raise Wrong(said.split("\n")[-1] or "mq_replay %s ended with %d" %
                    (" ".join(arguments), done.returncode))
    return json.loads(done.stdout), said


def header(path):
    """Whose trace it is: rank, size of the job."""
    with open(path, "rb") as file:
        head = file.read(32)
    if len(head) < 32:
        raise Wrong("%s: truncated: %d bytes of a header of 32" %
                    (path, len(head)))
    return struct.unpack("=II", head[16:24])


def trace(here, path):
    """Replay a trace through all components."""
    rank, ranks = header(path)
    data, said = run(here, "--trace", path, "--lengths")
    # The rest is how far it is.
    note = " ".join(line.replace("mq_replay: ", "", 1)
                    for line in said.splitlines() if "stops after" in line)
    return Replay(path, rank, ranks, data, note)


class Costs:
    """What matching costs here, in nanoseconds: at least, as a list has it with
    short queues, whose entries (256) are in the nearest cache; and at most, as
    the component that served has it with a thousand entries, each of which costs
    what it does in a list of 4096."""

    def __init__(self, here, component):
        base = one_of(here, "list", "fds", "2", "--burst", "1", "--rounds",
                      "2000")
        deep = one_of(here, "list", "alltoall", "257", "--rounds", "16")
        far = one_of(here, "list", "mix", "257", "--burst", "16", "--rounds",
                     "1")
        self.operation = max(base["search_ns_mean"], base["insert_ns_mean"])
        self.entry = deep["search_ns_mean"] / deep["traversals_mean"]
        self.far_entry = max(self.entry, far["search_ns_mean"] /
                             far["traversals_mean"])
        self.far_operation = max(self.operation,
                                 self.long_operation(here, component))

    def long_operation(self, here, component):
        """An operation of the component with long queues, without what it
        compares; 0 if it cannot serve."""
        if not re.fullmatch(r"\w+", component):
            return 0  # what a file calls so
        try:
            one = one_of(here, component, "mix", "65", "--burst", "16",
                         "--unexpected", "50", "--rounds", "4")
        except Wrong:
            return 0  # it is not here, or needs a promise
        return max(one["search_ns_mean"], one["insert_ns_mean"]) - \
            one["traversals_mean"] * self.entry

    def seconds(self, searches, traversed):
        """The least and the most for a number of searches and of entries
        compared."""
        return ((searches * self.operation + traversed * self.entry) * 1e-9,
                (searches * self.far_operation + traversed * self.far_entry) *
                1e-9)


def one_of(here, component, pattern, ranks, *more):
    """What one component costs in a pattern."""
    data, _ = run(here, "--pattern", pattern, "--ranks", ranks, "--component",
                  component, *more)
    return data["components"][0]
