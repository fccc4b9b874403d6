# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The runs of compare and speed: commands, results, alternating rounds."""

import contextlib
import errno
import os
import pathlib
import re
import subprocess
import sys
import time

import benchlib
from benchcases import TCP
from benchtable import figure

MELT = os.path.join(os.path.dirname(benchlib.HERE), "lammps", "in.melt")
# A run of queues that lasts longer is not done again in the other rounds.
PATIENCE = 3


def command_of(case, name, options):
    """name: a PML, champion:COMPONENT, any of these _release; mpich, limit; or
    an installation that the options name."""
    pml, _, mq = name.partition(":")
    install = getattr(options, "installs", {}).get(name)
    if install:
        pml = "champion"
    release = pml.endswith(benchlib.RELEASE)
    pml = pml.removesuffix(benchlib.RELEASE)
    cores = os.cpu_count() or 1
    pinned = case.ranks <= cores and 1 == case.threads
    if pml == "mpich":
        return ["mpirun.mpich", "-np", str(case.ranks)] \
            + (["-bind-to", "core"] if pinned else []) \
            + [benchlib.program(case.program, mpich=True)] + case.arguments
    command = ["mpirun", "-np", str(case.ranks)]
    if install:
        command = ["env", benchlib.install_setting(install)] + command
    if case.hosts:
        # Each has cores of its own there.
        command = [benchlib.HOSTS, "--pin", *case.hosts, "--", *command,
                   "--bind-to", "none"]
    elif pinned:
        command += ["--bind-to", "core", "--mca", "mpi_yield_when_idle", "0"]
    else:
        command += ["--bind-to", "none", "--oversubscribe",
                    "--mca", "mpi_yield_when_idle",
                    str(int(case.ranks > cores))]
    if pml == benchlib.LIMIT:
        # Messages go past it.
        return command + benchlib.pml_options("ob1", "") + options.mpirun \
            + [benchlib.program("p2p", options.bin)] + case.limit
    command += benchlib.pml_options(pml, mq)
    if release:
        command += benchlib.release_options()
    if case.transport == TCP:
        if pml == "ob1":
            command += ["--mca", "btl", "tcp,self",
                        "--mca", "btl_tcp_if_include", "lo"]
        else:
            command += ["-x", "UCX_TLS=tcp,self", "-x", "UCX_NET_DEVICES=lo"]
            if pml == "champion":
                # Small messages would go past UCX.
                command += ["--mca", "pml_champion_ring", "0"]
    command += options.mpirun
    if case.program == "lmp":
        return command + ["-x", "OMP_NUM_THREADS=1", "lmp",
                          "-in", benchlib.near(MELT), "-log", "none",
                          "-var", "cells", str(options.lammps_cells),
                          "-var", "steps", str(options.lammps_steps),
                          "-var", "every", "1000"]
    return command + [benchlib.program(case.program, options.bin)] \
        + case.arguments


def read_result(case, output):
    """{metric key: value} from what a run printed."""
    if case.program == "lmp":
        loop = re.search(r"^Loop time of ([0-9.eE+-]+) on", output, re.M)
        if loop is None:
            raise benchlib.Failure(f"no loop time from LAMMPS:\n{output}")
        return {"loop": float(loop.group(1))}
    result = benchlib.json_line(output, case.metrics[0].key)
    for peers in result.get("peers", []):
        for key in ("anonymous", "rss"):
            result[f"peers_{peers['peers']}_{key}"] = peers[key] / 1024
    return result


def check_transport(case, pml, options):
    """UCX must really use TCP when the case says so. Ask its log."""
    if case.transport != TCP or pml == "ob1":
        return
    command = command_of(case, pml, options)
    place = command.index("-x")
    command[place:place] = ["-x", "UCX_LOG_LEVEL=info"]
    command += ["--repeats", "1"]
    if case.program != "overlap":
        command += ["--seconds", "0.02"]
    output = benchlib.run(command, options.timeout, merge=True)
    lanes = set(re.findall(r"\b(tcp|sysv|posix|cma|self|rc_\w+|ud_\w+)/",
                           output))
    if "tcp" not in lanes or lanes - {"tcp", "self"}:
        raise benchlib.Failure(
            f"{case.name} under {pml} does not run over TCP alone; "
            f"transports in UCX's log: {sorted(lanes)}\n"
            f"{benchlib.show(command)}")


def check_release(case, pml, options):
    """The ranks must really have the UCX that is asked for."""
    command = command_of(case, pml, options)
    command[1:1] = ["-x", "UCX_LOG_LEVEL=info"]
    output = benchlib.run(command, options.timeout, merge=True)
    found = set(re.findall(r"Version .*\(loaded from (.*)/libucp\.so", output))
    wanted = os.path.join(benchlib.UCX_RELEASE, "lib")
    if found != {wanted}:
        raise benchlib.Failure(
            f"{case.name} under {pml} does not run over the UCX of {wanted}; "
            f"those in UCX's log: {sorted(found)}\n{benchlib.show(command)}")


class Quiet:
    """--lock: nobody else uses the machine while that command runs."""

    MOST = 58       # seconds, after which others may have a turn

    def __init__(self, command):
        self.command = command
        self.holder = None
        self.since = self.case_since = self.longest = 0

    def take(self):
        if self.command and self.holder is None:
            holder = subprocess.Popen(
                self.command + ["sh", "-c", "echo held; read -r _ || :"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                start_new_session=True)
            try:
                if holder.stdout.readline() != "held\n":
                    raise benchlib.Failure(
                        f"--lock '{benchlib.show(self.command)}' runs nothing")
            except BaseException:
                benchlib.stop(holder)
                raise
            self.holder = holder
            self.since = time.monotonic()
        self.case_since = time.monotonic()

    def give(self):
        if self.holder:
            self.holder.communicate()
            self.holder = None

    def give_if_next_is_too_long(self):
        """After a case."""
        now = time.monotonic()
        self.longest = max(self.longest, now - self.case_since)
        if now - self.since + self.longest > self.MOST:
            self.give()


def measure(cases, pmls, options):
    """{case: {pml: [result per round]}}, with a line per run.

    A PML under which a queue is too slow is spared what is deeper: it is not
    in the results of those cases.
    """
    results, hopeless = {}, set()
    quiet = Quiet(options.lock)
    try:
        for pml in pmls if cases else ():
            if pml.partition(":")[0].endswith(benchlib.RELEASE):
                check_release(cases[0], pml, options)
        measure_all(cases, pmls, options, results, hopeless, quiet)
    finally:
        quiet.give()
    return results


def measure_all(cases, pmls, options, results, hopeless, quiet):
    for case in cases:
        quiet.take()
        able = [pml for pml in pmls if case.runs_under(pml)
                and (case.queue, pml) not in hopeless]
        results[case.name] = measure_case(case, able, options)
        hopeless |= {(case.queue, pml) for pml in able
                     if results[case.name][pml][0].get("too_slow")}
        quiet.give_if_next_is_too_long()


def measure_case(case, pmls, options):
    rounds = 1 if case.once and not options.all_rounds else options.rounds
    results = {pml: [] for pml in pmls}
    for pml in pmls:
        check_transport(case, pml, options)
    for number in range(rounds):
        for pml in pmls if number % 2 == 0 else pmls[::-1]:
            if slow(case, results[pml]):
                # Its one result stands for all rounds.
                results[pml].append(results[pml][0])
                continue
            label = f"{case.name}: round {number + 1} of {rounds}, {pml}"
            results[pml].append(one_run(case, pml, label, options))
    return results


def slow(case, runs):
    """Queues: the first run took long; or it has stood for others already."""
    return case.queue is not None and len(runs) > 0 \
        and (runs[0].get("too_slow") or runs[0].get("seconds", 0) > PATIENCE)


def one_run(case, pml, label, options):
    # With hundreds of ranks on a few cores mpirun now and then loses track of
    # one that ends, under any PML.
    forgive = "with PID 0" if case.ranks > 100 else None
    start = time.monotonic()
    with hogs(case.hogs):
        output = benchlib.run(command_of(case, pml, options), options.timeout,
                              forgive=forgive)
    result = read_result(case, output)
    metric = case.metrics[0]
    print(f"{label}: {'> ' if result.get('too_slow') else ''}"
          f"{figure(result[metric.key])} {metric.unit} "
          f"({time.monotonic() - start:.1f} s)", file=sys.stderr, flush=True)
    warn(case, pml, result)
    return result


@contextlib.contextmanager
def hogs(nice):
    """A busy loop on each core, of that nice value; none without one."""
    loops = []
    try:
        for core in [] if nice is None else sorted(os.sched_getaffinity(0)):
            loops.append(subprocess.Popen(
                ["taskset", "-c", str(core), "nice", "-n", str(nice), "sh",
                 "-c", "while :; do :; done"], start_new_session=True))
            renice_group(loops[-1].pid, nice)
        yield loops
    finally:
        for loop in loops:
            benchlib.stop(loop)


def renice_group(pid, nice):
    """Where the kernel groups processes by session (autogroup) their own nice
    values count within the group alone: it has one, too."""
    path = pathlib.Path(f"/proc/{pid}/autogroup")
    deadline = time.monotonic() + 5
    while path.exists():
        try:
            path.write_text(str(nice), encoding="ascii")
            return
        except OSError as why:      # EAGAIN: one in 100 ms, of all users
            if why.errno != errno.EAGAIN or time.monotonic() > deadline:
                raise benchlib.Failure(
                    f"busy loops of nice {nice} would have half of each core: "
                    f"{why}") from None
            time.sleep(0.05)


def enough_steps(case, options):
    """Steps of LAMMPS that last 12 s under pml/ucx (quick: 2 s)."""
    options.lammps_steps = 500
    output = benchlib.run(command_of(case, "ucx", options), options.timeout)
    seconds = read_result(case, output)["loop"]
    wanted = 2 if options.quick else 12
    return max(100, 100 * round(5 * wanted / seconds))


def warn(case, pml, result):
    if result.get("arrived", 0) != result.get("count", 0) \
            and case.program == "unexpected":
        print(f"warning: {case.name} under {pml}: only {result['arrived']} "
              f"of {result['count']} messages had left the sender",
              file=sys.stderr)
    if result.get("helped", 0) > 0:
        print(f"warning: {case.name} under {pml}: a rank had to be helped on "
              "by the other; the figure is not that of a receiver alone",
              file=sys.stderr)
    if case.program == "lmp" and result["loop"] < 2:
        print(f"warning: a loop of {result['loop']:.1f} s is too short "
              "to mean anything", file=sys.stderr)
