# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""What came of a run, and how two runs of the same program differ."""

import re
from dataclasses import dataclass, field

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?")


@dataclass
class Outcome:
    problem: str = ""       # the run as a whole is no good: a hang, a crash
    checks: int = 0         # of the program's own, passed
    failures: list = field(default_factory=list)    # and failed, by name
    figures: dict = field(default_factory=dict)     # what is to be the same
    by_chance: list = field(default_factory=list)   # failed in other runs
    changing: set = field(default_factory=set)      # figures that are none
    note: str = ""          # worth seeing, such as a residual
    seconds: float = 0
    output: str = ""

    def bad(self):
        return bool(self.problem or self.failures)

    def cell(self):
        """In a few words."""
        if self.problem:
            return self.problem
        if self.failures:
            return "%d failed" % len(self.failures)
        return "ok"


def same(one, other, relative, absolute):
    """Of two figures: numbers, texts, or tuples of them."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(
            same(a, b, relative, absolute) for a, b in zip(one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) <= absolute + relative * max(
            abs(one), abs(other))
    return one == other


def differences(reference, other, relative=1e-5, absolute=1e-9):
    """Names of figures that only one has, or that are not the same."""
    names = list(reference.figures) + [name for name in other.figures
                                       if name not in reference.figures]
    return [name for name in names
            if name not in reference.changing and (
                name not in reference.figures or name not in other.figures
                or not same(reference.figures[name], other.figures[name],
                            relative, absolute))]


def new_failures(reference, other):
    known = set(reference.failures).union(reference.by_chance)
    return [name for name in other.failures if name not in known]


def learn(reference, again):
    """From another run of the same: what fails by chance, and which figures
    change from run to run."""
    reference.by_chance += new_failures(reference, again)
    reference.changing.update(differences(reference, again))


def text_figures(text):
    """Each line of a program's output is a figure: its words are the name,
    its numbers the value. Lines of the same words are told apart by their
    order."""
    figures, seen = {}, {}
    for line in text.splitlines():
        words = " ".join(NUMBER.sub("#", line).split())
        if not words:
            continue
        seen[words] = seen.get(words, 0) + 1
        figures["%s (%d)" % (words, seen[words])] = tuple(
            float(number.replace("D", "e").replace("d", "e"))
            for number in NUMBER.findall(line))
    return figures
