# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Reads a profile, which mq_profile(5) describes.

One pass over the file. What grows with the number of ranks is kept in arrays;
pairs of ranks are added up in bins at once, so that memory does not depend on
how many there are.
"""

import heapq
import urllib.parse

import numpy

from .errors import Wrong

BINS = 256
PAIRS = 10
SIZES = ("up to 64\u00a0B", "up to 1\u00a0KiB", "up to 16\u00a0KiB",
         "up to 256\u00a0KiB", "larger")
QUEUE = ("added", "hits", "misses", "traversed_hit", "traversed_miss",
         "length_max")
QUEUES = ("posted", "unexpected", "internal_posted", "internal_unexpected")
RANK = ["elapsed", "messages", "bytes", "internal_messages", "internal_bytes", "traversed",
        "searches"] + ["%s_%s" % (queue, what) for queue in QUEUES
                       for what in QUEUE]
# Lines that are only checked, and how many numbers they have.
UNUSED = {"peer": 6, "any": 3, "internal_receives": 3}
MANY_CONTEXTS = 2**32 - 1
VERSION = "1"  # of the format


class Communicators:
    """What belongs to communicators of one name."""

    def __init__(self, name, size):
        self.name = name
        self.size = size
        self.ranks = 0
        self.component = ""
        self.messages = self.bytes = 0
        self.sizes = [0] * len(SIZES)
        self.queue = {queue: dict.fromkeys(QUEUE, 0) for queue in QUEUES}


class Profile:
    """The contents of the file, added up."""

    def __init__(self, path):
        self.path = path
        self.ranks = 0
        self.rank = {}       # by name of RANK: an array with a value per rank
        self.bins = 0        # rank r is in bin r * bins // ranks
        self.heat = {}       # messages, bytes, internal: receiver, sender
        self.others = 0      # messages from other jobs
        self.pairs = []      # (bytes, messages, sender, receiver)
        # (rank, begin, end, posted, unexpected, messages, bytes, internal
        # messages, internal bytes); times in us.
        self.slices = []
        self.run = {}        # command, versions
        self.communicators = {}
        # Receives that were posted and probes that found a message, and those
        # with a wildcard.
        self.receives = self.any_source = self.any_tag = 0

    @property
    def elapsed(self):
        """Of the rank that took longest, in seconds."""
        return self.rank["elapsed"].max() / 1e6

    def sizes(self):
        """Messages by class of size."""
        return [sum(sizes) for sizes in
                zip(*(one.sizes for one in self.communicators.values()))]


class Reader:
    """Goes through the lines."""

    def __init__(self, path):
        self.path = path
        self.number = 0
        self.is_known = False   # it has begun with its version
        self.profile = Profile(path)
        self.at = -1
        self.domain = None
        self.is_new = True

    def wrong(self, text):
        """An error in the line."""
        return Wrong("%s: line %d: %s" % (self.path, self.number, text))

    def values(self, words, least):
        """The numbers behind the keyword."""
        if len(words) - 1 != least:
            raise self.wrong("'%s' is followed by %d words instead of %d" %
                             (words[0][:32], len(words) - 1, least))
        try:
            values = [int(word) for word in words[1:]]
        except ValueError:
            raise self.wrong("'%s' has something that is not a number: %s" %
                             (words[0], " ".join(words[1:])[:64])) from None
        if min(values) < 0:
            raise self.wrong("a negative number")
        if max(values) >= 2**64:
            raise self.wrong("a number of more than 64 bits")
        return values

    def read(self):
        """Returns the profile."""
        try:
            with open(self.path, encoding="utf-8", errors="replace") as file:
                self.lines(file)
        except OSError as error:
            raise Wrong("%s: %s" % (self.path, error.strerror)) from None
        return self.profile

    def lines(self, file):
        """All lines; the last one says that it is."""
        ended = False
        handlers = {"rank": self.rank, "domain": self.in_domain,
                    "from": self.sender,
                    "slice": self.slice, "elapsed": self.elapsed,
                    "name": self.name, "sizes": self.sizes,
                    "probes": self.probes, "receives": self.receives,
                    "run": self.run, **dict.fromkeys(UNUSED, self.unused),
                    **dict.fromkeys(QUEUES, self.queue)}
        for line in file:
            self.number += 1
            words = line.split()
            if line.startswith("#"):
                continue
            if ended:
                raise self.wrong("something follows the line 'end': several "
                                 "profiles in one file?")
            if not self.is_known:
                self.version(words)
            elif not self.profile.ranks:
                self.job(words)
            elif words == ["end"]:
                ended = True
            elif not words or words[0] not in handlers:
                raise self.wrong("'%s' is not a line of a profile" %
                                 line.strip()[:32])
            elif self.at < 0 and words[0] not in ("rank", "run"):
                raise self.wrong("'rank RANK' is expected")
            else:
                handlers[words[0]](words)
        if not ended:
            raise self.wrong("truncated: the last line is not 'end'")
        if self.at + 1 != self.profile.ranks:
            raise self.wrong("there are %d of %d ranks" %
                             (self.at + 1, self.profile.ranks))

    def version(self, words):
        """The first line."""
        if len(words) != 2 or words[0] != "mq-profile":
            raise self.wrong("not a profile: it does not begin with "
                             "'mq-profile VERSION'")
        if words[1] != VERSION:
            raise self.wrong("a profile of version %s; only version %s can be "
                             "read" % (words[1][:32], VERSION))
        self.is_known = True

    def job(self, words):
        """The second line."""
        profile = self.profile
        if words[:1] != ["job"]:
            raise self.wrong("'job SIZE' is expected")
        if words[1:] == ["*"]:
            raise self.wrong("a profile written by hand, for any job (*): "
                             "there is nothing to report on")
        ranks, = self.values(words, 1)
        if not 1 <= ranks <= 2**24:
            raise self.wrong("a job of %d ranks" % ranks)
        profile.ranks = ranks
        profile.rank = {name: numpy.zeros(ranks) for name in RANK}
        profile.bins = min(ranks, BINS)
        profile.heat = {what: numpy.zeros((profile.bins, profile.bins))
                        for what in ("messages", "bytes", "internal")}

    def run(self, words):
        """The command, or a version."""
        if self.at >= 0:
            raise self.wrong("'run' belongs before the first rank")
        if len(words) != 3:
            raise self.wrong("'run WHAT VALUE' is expected")
        self.profile.run[words[1]] = urllib.parse.unquote(words[2])

    def rank(self, words):
        """What follows is that rank's."""
        rank, = self.values(words, 1)
        if rank != self.at + 1 or rank >= self.profile.ranks:
            raise self.wrong("rank %d follows rank %d in a job of %d" %
                             (rank, self.at, self.profile.ranks))
        self.at = rank
        self.domain = None

    def add(self, name, value):
        """To what this rank has."""
        self.profile.rank[name][self.at] += value

    def elapsed(self, words):
        """How long was recorded."""
        self.add("elapsed", self.values(words, 1)[0])

    def slice(self, words):
        """Lengths over time."""
        values = self.values(words, 8)
        if values[0] >= values[1]:
            raise self.wrong("a slice that ends before it begins")
        self.profile.slices.append((self.at, *values))

    def heat(self, sender, messages, size, internal):
        """Messages from a rank to this one."""
        profile = self.profile
        to = self.at * profile.bins // profile.ranks
        of = sender * profile.bins // profile.ranks
        profile.heat["messages"][to, of] += messages
        profile.heat["bytes"][to, of] += size
        profile.heat["internal"][to, of] += internal
        if messages:
            heapq.heappush(profile.pairs, (size, messages, sender, self.at))
            if len(profile.pairs) > PAIRS:
                heapq.heappop(profile.pairs)

    def sender(self, words):
        """Messages by sender."""
        other = words[1:2] == ["other"]
        if other:
            words[1] = "0"
        sender, messages, size, internal, internal_size = self.values(words, 5)
        if sender >= self.profile.ranks:
            raise self.wrong("rank %d is not one of a job of %d ranks" %
                             (sender, self.profile.ranks))
        self.add("messages", messages)
        self.add("bytes", size)
        self.add("internal_messages", internal)
        self.add("internal_bytes", internal_size)
        if other:
            self.profile.others += messages
        else:
            self.heat(sender, messages, size, internal)

    def in_domain(self, words):
        """What follows is that communicator's."""
        context, size = self.values(words[:3], 2)
        name = ("context %d" % context if context != MANY_CONTEXTS else
                "(all communicators)")
        self.domain = (name, size, words[3] if len(words) > 3 else "")
        self.is_new = True

    def communicator(self):
        """That of the lines that follow."""
        if self.domain is None:
            raise self.wrong("'domain CONTEXT SIZE' is expected")
        name, size, component = self.domain
        known = self.profile.communicators
        one = known.get((name, size))
        if one is None:
            one = known[(name, size)] = Communicators(name, size)
        if self.is_new:
            one.ranks += 1
            one.component = component
            self.is_new = False
        return one

    def name(self, words):
        """Before all figures of a communicator."""
        if self.domain is None:
            raise self.wrong("'domain CONTEXT SIZE' is expected")
        name = urllib.parse.unquote(words[1]) if len(words) == 2 else ""
        if not name:
            raise self.wrong("'name NAME' is expected")
        if name == "(several)":
            name = "several in turn (%s)" % self.domain[0]
        self.domain = (name,) + self.domain[1:]

    def queue(self, words):
        """One of the queues, or its internal part."""
        queue = words[0]
        values = self.values(words, 6)
        self.add("searches", values[1] + values[2])
        of = self.communicator().queue[queue]
        for what, value in zip(QUEUE, values):
            if what == "length_max":
                of[what] = max(of[what], value)
                known = self.profile.rank["%s_%s" % (queue, what)]
                known[self.at] = max(known[self.at], value)
            else:
                of[what] += value
                self.add("%s_%s" % (queue, what), value)
        self.add("traversed", values[3] + values[4])

    def probes(self, words):
        """They search, too."""
        hits, misses, traversed, *wild = self.values(words, 5)
        self.communicator()
        self.asked(hits, *wild)
        self.add("searches", hits + misses)
        self.add("traversed", traversed)

    def asked(self, number, any_source, any_tag):
        """Receives, or probes that found a message."""
        self.profile.receives += number
        self.profile.any_source += any_source
        self.profile.any_tag += any_tag

    def receives(self, words):
        """The user's, whether they waited or not."""
        self.communicator()
        self.asked(*self.values(words, 3))

    def sizes(self, words):
        """Messages by size."""
        values = self.values(words, 7)
        one = self.communicator()
        one.messages += values[0]
        one.bytes += values[1]
        one.sizes = [a + b for a, b in zip(one.sizes, values[2:])]

    def unused(self, words):
        """Figures of a communicator that the report does not need."""
        self.values(words, UNUSED[words[0]])
        self.communicator()


def read(path):
    """Read the profile in a file."""
    return Reader(path).read()
