# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The testers of BLACS, PBLAS and ScaLAPACK."""

import re
from pathlib import Path

from client import Case, require
from outcome import Outcome

DATA = Path("/usr/share/scalapack")

# The data files ask for grids of four processes and fewer.
RANKS = 4

# What testers say of checks, one or many; `0 tests failed` is none.
PASSED = re.compile(r"\bPASSED\b|(\d+) tests completed and passed")
FAILED = re.compile(r"^.*(?:\bFAILED\b(?! *= *0)|\bFAIL\b).*$", re.MULTILINE)
COUNTED = re.compile(r"^ *([1-9]\d*) tests (?:completed and )?failed.*$",
                     re.MULTILINE)
SUM = re.compile(r"^ *(\d+) (tests .*)$", re.MULTILINE)


def read(ran, folder):
    found = Outcome()
    text = ran.output + "".join(
        path.read_text(errors="replace") for path in folder.glob("*.out"))
    found.output = text
    found.checks = sum(int(match.group(1) or 1)
                       for match in PASSED.finditer(text))
    found.failures = FAILED.findall(text) + \
        [match.group(0).strip() for match in COUNTED.finditer(text)]
    found.figures = {"checks": found.checks}
    for number, what in SUM.findall(text):
        found.figures.setdefault(what.strip(), []).append(number)
    if found.checks == 0:
        found.problem = "passed nothing"
    return found


def folder_of_programs():
    found = sorted(Path("/usr/lib").glob("*/scalapack/openmpi-tests"))
    require(*(found or ["/usr/lib/*/scalapack/openmpi-tests"]))
    return found[0]


def cases(cache, ranks):
    programs = folder_of_programs()
    if ranks and RANKS not in ranks:
        return
    for below, pattern, client in (("BLACS", "x?btest", "blacs"),
                                   ("PBLAS", "*tst", "pblas"),
                                   (".", "x*", "scalapack")):
        data = {path.name: path for path in (DATA / below).glob("*.dat")}
        require(DATA / below)
        for program in sorted((programs / below).glob(pattern)):
            # The last that BLACS' testers do is to abort.
            yield Case(client, program.name, RANKS, [program.resolve()], read,
                       files=data, timeout=600,
                       codes=range(256) if client == "blacs" else (0,))
