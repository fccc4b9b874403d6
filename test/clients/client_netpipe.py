# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""NetPIPE's check of integrity: patterns of all sizes, to and fro, received in
each of its ways."""

import re
from pathlib import Path

from client import Case, require
from outcome import Outcome

PROGRAM = Path("/usr/bin/NPopenmpi")

WAYS = {
    "blocking": [],
    "posted before": ["-a"],
    "any source": ["-z"],
    "synchronous": ["-S"],
    "posted before, any source, synchronous": ["-a", "-z", "-S"],
    "streams": ["-s"],
    "offsets": ["-O", "1,3"],
}


def read(ran, folder):
    found = Outcome()
    found.checks = len(re.findall("Integrity check passed", ran.output))
    found.failures = re.findall("^.*(?:Integrity check failed|corrupt).*$",
                                ran.output, re.MULTILINE | re.IGNORECASE)
    found.figures = {"sizes": re.findall(r"^ *\d+: +(\d+) bytes", ran.output,
                                         re.MULTILINE)}
    if found.checks == 0:
        found.problem = "checked nothing"
    return found


def cases(cache, ranks):
    require(PROGRAM)
    if ranks and 2 not in ranks:
        return
    for name, arguments in WAYS.items():
        # As many times as said: else it would depend on the time they take.
        yield Case("netpipe", name, 2,
                   [PROGRAM, "-i", "-n", "30", "-u", "3000000", *arguments],
                   read)
