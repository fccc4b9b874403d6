# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's test lists, and how one line of them is run.

A line of a list reads `program processes key=value...`.  It passes when the
program says `No Errors` and nothing else, and mpirun returns 0; a line with
`resultTest` passes when mpirun returns something else than 0.
"""

import re
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import tap
from job import Job, environment

DEFAULT_LIMIT = 60          # seconds for a line that declares nothing
LONGEST_LIMIT = 180         # seconds for one that declares a limit
LARGEST_OUTPUT = 32 << 20   # bytes after which a program is stopped
KEPT_LINES = 100            # lines of output kept of a line that fails

# what says nothing against a program; mpirun speaks when it was stopped and
# continued, as by a shell's job control
SILENT = re.compile(r"\s*(No [Ee]rrors|Test Passed|"
                    r"mpirun: Forwarding signal \d+ to job)?\s*")
NO_ERRORS = re.compile(r"^\s*No [Ee]rrors\s*$", re.MULTILINE)


@dataclass
class Line:
    """One line of a test list."""
    folder: str
    program: str
    processes: int
    args: list = field(default_factory=list)
    env: list = field(default_factory=list)
    limit: int = 0          # seconds, 0 when none is declared
    memory: float = 0       # GB needed by all processes together
    must_fail: bool = False  # mpirun is to report an error
    key: str = ""           # what names it in expected.txt

    def seconds(self, patience):
        """The time limit; patience is a factor for busy machines."""
        if self.must_fail and self.limit:
            return self.limit
        limit = min(self.limit, LONGEST_LIMIT)
        return round(patience * max(DEFAULT_LIMIT, limit))


@dataclass
class Result:
    line: Line
    status: str             # ok, fail, skip, nolink or timeout
    seconds: float = 0
    said: str = ""          # why, in a few words
    log: Path = None


# ----------------------------------------------------------------- reading

def parse(folder, text):
    """The Lines of a test list.  `xfail` is about MPICH: it is ignored."""
    lines = []
    for raw in text.splitlines():
        words = raw.split("#")[0].split()
        if not words or words[0].startswith("!"):
            continue
        np = int(words[1]) if words[1:] and words[1].isdigit() else 2
        line = Line(folder, words[0], np)
        for word in words[2:]:
            read_setting(line, word)
        line.key = " ".join(["%s/%s" % (folder, line.program), str(np),
                             *line.args, *("env=" + e for e in line.env)])
        lines.append(line)
    return number_repeats(lines)


def read_setting(line, word):
    name, _, value = word.partition("=")
    if name == "arg":
        line.args.append(value)
    elif name == "env":
        line.env.append(value)
    elif name == "timeLimit":
        line.limit = int(value)
    elif name == "mem":
        line.memory = float(value)
    elif name == "resultTest":
        line.must_fail = True


def number_repeats(lines):
    """Identical lines get names of their own: `... #2`."""
    seen = {}
    for line in lines:
        seen[line.key] = seen.get(line.key, 0) + 1
        if seen[line.key] > 1:
            line.key += " #%d" % seen[line.key]
    return lines


def read_list(source, build, folder):
    """configure may have made the list, otherwise it is in the sources."""
    for root in (build, source):
        path = root / folder / "testlist"
        if path.exists():
            return parse(folder, path.read_text())
    raise FileNotFoundError("MPICH's suite has no folder '%s'" % folder)


# ----------------------------------------------------------------- running

def environment_of(line, seconds, shared):
    """What Open MPI wants to hear before it runs here.

    The lines ask for up to 16 processes wherever they run; processes that
    wait must yield, and nothing is bound, or two jobs would share a core.
    With few slots MPI_UNIVERSE_SIZE is small, and the spawn programs would
    skip what they are to test, or wait for children that skip it.
    """
    env = environment()
    env.update({
        "OMPI_MCA_orte_set_default_slots": "64",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        # mpirun ends its job itself when the time is over
        "MPIEXEC_TIMEOUT": str(seconds),
        "OMPI_MCA_btl_vader_backing_directory": shared,
        "OMPI_MCA_osc_sm_backing_directory": shared,
        "OMPI_MCA_osc_rdma_backing_directory": shared,
    })
    env.setdefault("OMPI_MCA_btl_tcp_if_include", "lo")
    env.setdefault("OMPI_MCA_oob_tcp_if_include", "lo")
    env.update(setting.split("=", 1) for setting in line.env)
    return env


def own_folder(parent):
    """A folder in shared memory for one line, removed after it: programs that
    abort leave their files there."""
    return tempfile.TemporaryDirectory(dir=parent, prefix="l",
                                       ignore_cleanup_errors=True)


def telling(output):
    """The line of a failure's output that says most, cut to fit a report."""
    frame = re.compile(r"\W*$|.*ORTE_ERROR_LOG|Primary job|a non-zero exit")
    lines = [o.strip() for o in output if not frame.match(o.strip())]
    return (lines or output)[0][:100]


def judge(line, why, code, output):
    """(status, why) of a line that ran."""
    if why and why != "timeout":
        return "fail", why
    over = why or "time limit for job" in output.lower()
    # the one line that is to fail and declares a limit is to exceed it
    if over and not (line.must_fail and line.limit and not why):
        return "timeout", ""
    if line.must_fail:
        return ("ok", "") if code else ("fail", "mpirun returned 0")
    odd = [o for o in output.splitlines() if not SILENT.fullmatch(o)]
    if odd:
        return "fail", telling(odd)
    if code:
        return "fail", "mpirun returned %d" % code
    if not NO_ERRORS.search(output):
        return "fail", "ended without 'No Errors'"
    return "ok", ""


def keep_first_lines(log, output):
    lines = output.splitlines(keepends=True)[:KEPT_LINES]
    log.write_text("".join(lines))


def memory_available():
    """GB of memory this machine can give now."""
    found = re.search(r"MemAvailable:\s+(\d+)",
                      Path("/proc/meminfo").read_text())
    return int(found.group(1)) / 2**20


class Runner:
    """Runs lines with one choice of parameters."""

    def __init__(self, build, logs, shared, mca, ignore, patience, stop):
        self.build = build
        self.logs = logs
        self.shared = shared        # folder in shared memory
        self.mca = mca
        self.ignore = re.compile(ignore) if ignore else None
        self.patience = patience    # factor of the time limits
        self.stop = stop

    def output_of(self, log):
        text = log.read_text(errors="replace")
        if not self.ignore:
            return text
        return "".join(l for l in text.splitlines(keepends=True)
                       if not self.ignore.search(l))

    def log_of(self, line):
        name = re.sub(r"[^\w.+=#-]+", "_", line.key)[:150] + ".log"
        return self.logs / name

    def run(self, line):
        log = self.log_of(line)
        folder = self.build / line.folder
        if self.stop.is_set():
            return Result(line, "skip", said="interrupted")
        if tap.out_of_time():
            return Result(line, "skip", said=tap.NO_TIME)
        if not (folder / line.program).exists():
            return self.not_built(line, log)
        if line.memory * 1.5 > memory_available():
            return Result(line, "skip", said="needs %g GB" % line.memory)
        return self.launch(line, folder, log)

    def not_built(self, line, log):
        made = self.build / line.folder / (line.program + ".make")
        output = made.read_text(errors="replace") if made.exists() else ""
        keep_first_lines(log, output)
        found = re.search(r"undefined reference to .(\w+)", output) or \
            re.search(r"error: (.*)", output)
        return Result(line, "nolink", said=found.group(1) if found else "",
                      log=log)

    def launch(self, line, folder, log):
        command = ["mpirun", "-n", str(line.processes), *self.mca,
                   "./" + line.program, *line.args]
        start, limit = time.monotonic(), line.seconds(self.patience)
        with own_folder(self.shared) as own, open(log, "w") as out:
            def stop():
                if self.stop.is_set():
                    return "interrupted"
                return ("endless output"
                        if log.stat().st_size > LARGEST_OUTPUT else "")

            with Job(command, cwd=folder, stdout=out,
                     stderr=subprocess.STDOUT,
                     env=environment_of(line, limit, own)) as job:
                # some patience more: mpirun's own limit comes first
                why = job.wait(limit + 10, stop)
        seconds = time.monotonic() - start
        output = self.output_of(log)
        status, said = judge(line, why, job.code, output)
        if status == "timeout":
            said = "after %d s" % limit
        if status == "ok":
            log.unlink()
            return Result(line, status, seconds)
        keep_first_lines(log, "$ %s\n%s" % (" ".join(command), output))
        return Result(line, status, seconds, said, log)
