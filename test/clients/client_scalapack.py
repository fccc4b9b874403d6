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

# Of 2.2.1 on Debian 12: ranks of p?porfs disagree about how often they iterate.
# xsllt hangs under each PML, xdllt under pml/ob1. xssyevr and xdsyevr fail by
# chance, on matrices without a row, too: 5 of 18 runs under pml/ucx, 1 of 20
# under champion.
LEFT_OUT = ("xdllt", "xsllt", "xdsyevr", "xssyevr")

# What testers say of checks, one or many. `0 FAILED` is none.
PASSED = re.compile(r"(\d+) (?:tests completed and passed|PASSED,)|\bPASSED\b")
FAILED = re.compile(r"^.*(?<! 0 )\bFAIL(?:ED)?\b(?! *= *0).*$|"
                    r"^ *[1-9]\d* tests (?:completed and )?failed.*$",
                    re.MULTILINE)

# Sums: of ScaLAPACK's testers, and of BLACS', a line for each kind of call.
SUMS = re.compile(r"^ *(\d+) (tests .*)$", re.MULTILINE)
KINDS = re.compile(r"^ *([A-Z ]+): +\d+ TESTS; +(.*)$", re.MULTILINE)

# Times and residuals in a line that tells of a failure, which is the same
# without them.
MEASURED = re.compile(r"-?\d+\.\d*(?:E[-+]?\d+)?")

PBLAS_HEADING = "SUBROUTINE  TOTAL TESTS  PASSED   FAILED  SKIPPED"


def read(ran, folder):
    found = Outcome(output=ran.output)
    text = ran.output.replace(PBLAS_HEADING, "")
    found.checks = sum(int(match.group(1) or 1)
                       for match in PASSED.finditer(text))
    found.failures = [" ".join(MEASURED.sub("", line).split())
                      for line in FAILED.findall(text)]
    for number, what in SUMS.findall(text):
        found.figures.setdefault(what.strip(), []).append(number)
    found.figures.update(KINDS.findall(text))
    if found.checks == 0:
        found.problem = "passed nothing"
    return found


def read_blacs(ran, folder):
    """The last test is of abort: what was said just before may be lost."""
    found = read(ran, folder)
    if len(found.figures) < 15:
        found.problem = found.problem or "ended early"
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
        blacs = client == "blacs"
        require(DATA / below)
        for program in sorted((programs / below).glob(pattern)):
            if program.name in LEFT_OUT or (
                    client == "scalapack" and program.name.endswith("btest")):
                continue
            yield Case(client, program.name, RANKS, [program.resolve()],
                       read_blacs if blacs else read, files=data,
                       codes=range(256) if blacs else (0,))
