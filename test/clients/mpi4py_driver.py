# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Runs test modules of mpi4py's own suite, each rank all of them.

    mpirun ... python3 mpi4py_driver.py SUITE-FOLDER MODULE...

Writes what came of each test to results.RANK, one line of JSON per test; the
last line of a run that hangs or crashes has no outcome.
"""

import json
import os
import sys
import time
import unittest

sys.dont_write_bytecode = True


class Recorder(unittest.TestResult):
    """Writes down each test when it starts, and when it has ended."""

    def __init__(self, file):
        super().__init__()
        self.file = file

    def write(self, **what):
        self.file.write(json.dumps(what) + "\n")
        self.file.flush()

    def startTest(self, test):
        super().startTest(test)
        self.outcome, self.reason = "ok", ""
        self.start = time.monotonic()
        self.write(test=test.id())

    def stopTest(self, test):
        super().stopTest(test)
        self.write(test=test.id(), outcome=self.outcome, reason=self.reason,
                   seconds=round(time.monotonic() - self.start, 3))

    def put(self, outcome, reason):
        if self.outcome != "failed":
            self.outcome, self.reason = outcome, reason

    def addError(self, test, err):
        self.put("failed", self._exc_info_to_string(err, test))

    def addFailure(self, test, err):
        self.put("failed", self._exc_info_to_string(err, test))

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.put("failed", self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        self.put("skipped", reason)

    def addExpectedFailure(self, test, err):
        self.put("ok", "expected failure")

    def addUnexpectedSuccess(self, test):
        self.put("failed", "unexpected success")


def main():
    folder, modules = sys.argv[1], sys.argv[2:]
    from mpi4py import MPI
    sys.path.insert(0, folder)
    loader = unittest.TestLoader()
    suite = unittest.TestSuite(
        loader.loadTestsFromName(module) for module in modules)
    here = os.path.join(os.getcwd(), "results.%d" % MPI.COMM_WORLD.rank)
    with open(here, "w") as file:
        suite.run(Recorder(file))


if __name__ == "__main__":
    main()
