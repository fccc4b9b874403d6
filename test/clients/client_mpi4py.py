# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own test suite, from the source package of the mpi4py that is
installed. It stays in the cache; where the archive does not have it, the
sources may be put there by hand, as mpi4py-VERSION."""

import json
import re
import shutil
import subprocess
from pathlib import Path

from client import HERE, Case, Unavailable, require
from outcome import Outcome

# Debian's: another python3 may be the first in PATH.
PYTHON = Path("/usr/bin/python3")

# Processes that come and go, and programs that are looked up: Open MPI loses
# an answer at times, whatever the PML. A case of their own.
DYNAMIC = ("test_spawn", "test_dynproc")


def version():
    done = subprocess.run([PYTHON, "-c",
                           "import mpi4py; print(mpi4py.__version__)"],
                          text=True, capture_output=True)
    if done.returncode:
        raise Unavailable("contrib/setup installs python3-mpi4py")
    return done.stdout.strip()


def release():
    """This Debian's name."""
    text = Path("/etc/os-release").read_text()
    found = re.search(r"^VERSION_CODENAME=(\w+)", text, re.MULTILINE)
    return found.group(1) if found else "bookworm"


def what_failed(output):
    """The first error that apt tells, such as a file that the archive lacks, or
    the last line of others."""
    lines = output.strip().splitlines() or ["no reason given"]
    return next((line for line in lines if line.startswith("E:")), lines[-1])


def fetched(cache):
    """The folder of the sources, which are fetched if they are not there."""
    source = cache / ("mpi4py-" + version())
    if (source / "test").is_dir():
        return source
    cache.mkdir(parents=True, exist_ok=True)
    part = cache / "mpi4py.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    for command in ([str(HERE.parents[1] / "contrib" / "source"), release(),
                     "mpi4py"],
                    ["sh", "-c", "dpkg-source -q -x mpi4py_*.dsc unpacked"]):
        done = subprocess.run(command, cwd=part, text=True,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode:
            shutil.rmtree(part)
            raise Unavailable(
                "no sources of mpi4py %s: %s (they can be put into %s)"
                % (version(), what_failed(done.stdout), source))
    (part / "unpacked").rename(source)
    shutil.rmtree(part)
    return source


def read_rank(path, found):
    """Adds a rank's tests to the outcome."""
    rank = path.suffix[1:]
    running = None
    for line in path.read_text().splitlines():
        test = json.loads(line)
        name = "rank %s: %s" % (rank, test["test"])
        if "outcome" not in test:
            running = name
            continue
        running = None
        if test["outcome"] == "ok":
            found.checks += 1
        elif test["outcome"] == "failed":
            found.failures.append(name)
            found.output += "%s: %s\n" % (name, test["reason"])
        else:
            found.skipped += 1
    if running:
        found.problem = "ended in %s" % running


def reader(ranks):
    def read(ran, folder):
        found = Outcome(output=ran.output)
        found.skipped = 0
        for rank in range(ranks):
            path = folder / ("results.%d" % rank)
            if path.exists():
                read_rank(path, found)
            elif not found.problem:
                found.problem = "rank %d ran no test" % rank
        found.note = "%d skipped" % found.skipped
        return found
    return read


def cases(cache, ranks):
    require(PYTHON)
    suite = fetched(cache) / "test"
    modules = sorted(path.stem for path in suite.glob("test_*.py"))
    static = [name for name in modules if name not in DYNAMIC]
    command = [PYTHON, HERE / "mpi4py_driver.py", suite]
    for np in ranks or (1, 2, 4):
        yield Case("mpi4py", "suite", np, command + static, reader(np),
                   timeout=900)
        yield Case("mpi4py", "spawn and connect", np,
                   command + [name for name in modules if name in DYNAMIC],
                   reader(np), timeout=120, attempts=4)
