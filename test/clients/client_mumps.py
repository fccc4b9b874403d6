# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""MUMPS: the programs of Debian's mumps-test, whose system is tiny, and one of
ours with systems that are not."""

import re
from pathlib import Path

from client import HERE, Case, Unavailable, compiled, require
from outcome import Outcome

FOLDER = Path("/usr/lib/mumps")
SOLUTION = re.compile(r"Solution is\s*:?\s*(.*)", re.DOTALL | re.IGNORECASE)


def read_simple(ran, folder):
    """The solution is 1, 2, 3, 4, 5; complex numbers in parentheses."""
    found = Outcome()
    text = SOLUTION.search(ran.output)
    numbers = re.findall(r"[-+]?\d+\.\d+(?:[EeDd][-+]?\d+)?",
                         text.group(1) if text else "")
    values = [float(number) for number in numbers]
    if "(" in (text.group(1) if text else ""):
        values = values[::2]
    for index in range(5):
        value = values[index] if index < len(values) else float("nan")
        if abs(value - (index + 1)) < 1e-4:
            found.checks += 1
        else:
            found.failures.append("solution %d is %s" % (index + 1, value))
    return found


def read_ours(ran, folder):
    found = Outcome()
    for line in ran.output.splitlines():
        match = re.match(r"(.*): error (\S+)$", line)
        if match and float(match.group(2)) < 1e-9:
            found.checks += 1
        elif match:
            found.failures.append(line)
    if found.checks == 0:
        found.problem = "solved nothing"
    found.figures = {"checks": found.checks}
    return found


def cases(cache, ranks):
    require(FOLDER / "dsimpletest", "/usr/include/dmumps_c.h")
    binary = cache / "mumps" / "mumps"
    said = compiled(HERE / "mumps.c", binary, "-ldmumps", "-lmumps_common",
                    "-lm")
    if said:
        raise Unavailable("mumps.c does not build: " + said.splitlines()[-1])
    for np in ranks or (1, 2, 4):
        for letter, kind in zip("sdcz", ("real", "real", "cmplx", "cmplx")):
            yield Case("mumps", letter + "simpletest", np,
                       [FOLDER / (letter + "simpletest")], read_simple,
                       stdin=FOLDER / ("input_simpletest_" + kind))
        yield Case("mumps", "grids", np, [binary], read_ours)
