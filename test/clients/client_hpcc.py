# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""HPC Challenge: HPL, PTRANS, RandomAccess, FFT and others, each verified."""

import re
from pathlib import Path

from client import Case, require
from outcome import Outcome

PROGRAM = Path("/usr/bin/hpcc")
SAMPLE = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")

# Lines of the input, from 1 on: its values for so many ranks.
GRIDS = {1: (1, 1), 2: (1, 2), 4: (2, 2)}


def settings(ranks):
    """The sample, with a problem that takes seconds."""
    rows, columns = GRIDS[ranks]
    lines = SAMPLE.read_text().splitlines()
    for number, value in ((6, 700), (8, 48), (11, rows), (12, columns)):
        lines[number - 1] = "%-12s %s" % (
            value, lines[number - 1].split(None, 1)[1])
    return "\n".join(lines) + "\n"


# HPCC allows RandomAccess to get one update in a hundred wrong; over messages
# all are right.
NO_ERRORS = ("MPIRandomAccess_Errors", "MPIRandomAccess_LCG_Errors",
             "PTRANS_residual")
NO_TIMES = re.compile(r"_(n|nb|N|ExeUpdates|nprow|npcol|Procs)$|^HPL_N")


def read(ran, folder):
    found = Outcome()
    path = folder / "hpccoutf.txt"
    text = path.read_text(errors="replace") if path.exists() else ""
    found.output = ran.output + text
    summary = dict(re.findall(r"^(\w+)=(\S+)$", text, re.MULTILINE))
    found.checks = len(re.findall(r"PASSED|\(passed\)", text))
    found.failures = re.findall(r"^.*(?:FAILED|\(failed\)).*$", text,
                                re.MULTILINE)
    if summary.get("Success") != "1":
        found.failures.append("Success=%s" % summary.get("Success"))
    found.failures += ["%s=%s" % (name, summary.get(name))
                       for name in NO_ERRORS
                       if float(summary.get(name, "nan")) != 0]
    found.figures = {name: value for name, value in summary.items()
                     if NO_TIMES.search(name)}
    found.figures["checks"] = found.checks
    found.note = "HPL %s, FFT %s" % (summary.get("HPL_RnormI"),
                                     summary.get("MPIFFT_maxErr"))
    return found


def cases(cache, ranks):
    require(PROGRAM, SAMPLE)
    for np in ranks or (2, 4):
        if np in GRIDS:
            yield Case("hpcc", "all", np, [PROGRAM], read,
                       files={"hpccinf.txt": settings(np)}, timeout=900)
