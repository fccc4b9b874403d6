# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Run LAMMPS unchanged under pml/ucx, pml/ob1 and champion, and compare.

Two inputs, a Lennard-Jones melt (test/lammps/in.melt) and the peptide in water
of Debian's lammps-examples, with 2 and 4 ranks. The energies must come out the
same, digit for digit, whichever library carries the messages. Champion tells
how much searching in its queues the program caused.
"""

import argparse
import gzip
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

from demolib import TOP, WORK, benchlib, tell

MELT = os.path.join(TOP, "test", "lammps", "in.melt")
PEPTIDE = "/usr/share/lammps/examples/peptide"

# A few of the components; all of them take too long for a first look.
SHOWN = ["list", "source_array", "partner_dynamic", "indexed"]

# These want to be told what the program did in an earlier run. It is the run
# with PROFILED that writes it down.
PROFILED = "list"
STATIC = ["kmeans", "partner_static"]

# This one serves only where no wildcards were promised. LAMMPS keeps that.
PROMISES = {"hash": ["--mca", "mq_base_assert", "no_any_source,no_any_tag"]}

# What the peptide input needs to be told: the length of the run, and energies
# with all their digits, where the example prints four.
PEPTIDE_CHANGES = [
    (r"^run\s+\d+.*$", "run ${steps}"),
    (r"^thermo\s+\d+.*$", "thermo ${every}"),
    (r"^thermo_style\s.*$",
     "thermo_style custom step temp etotal ke pe ebond eangle edihed eimp "
     "evdwl ecoul elong press\n"
     "thermo_modify format float %20.14g"),
]


class Input:
    """A LAMMPS input in the work folder."""

    def __init__(self, name, text, variables):
        self.name = name
        self.text = text
        self.variables = variables


class Run:
    """One run of LAMMPS and what it printed."""

    def __init__(self, source, ranks, pml, mq, profiles=False):
        self.source, self.ranks, self.pml, self.mq = source, ranks, pml, mq
        self.profiles = profiles
        self.output, self.problem = "", None
        self.loop, self.energies, self.stats = None, [], {}
        self.loops = []
        self.counts = pml == "champion"  # statistics cost time, too

    def name(self):
        return self.pml if self.mq is None else f"{self.pml}, {self.mq}"

    def command(self):
        command = ["mpirun", "-np", str(self.ranks)]
        command += benchlib.pml_options(self.pml, self.mq)
        if self.counts:
            command += ["--mca", "pml_champion_stats", "full"]
        command += PROMISES.get(self.mq, [])
        if self.profiles:
            command += ["--mca", "mq_base_profile", self.profile()]
        if self.mq in STATIC:
            command += ["--mca", f"mq_{self.mq}_profile", self.profile()]
        command += ["lmp", "-in", "in." + self.source.name, "-log", "none"]
        for name, value in self.source.variables.items():
            command += ["-var", name, str(value)]
        return command

    def profile(self):
        """Of the run of the same input and number of ranks."""
        return os.path.join(WORK, f"{self.source.name}-{self.ranks}.profile")

    def log(self):
        words = [self.source.name, str(self.ranks), self.pml, self.mq or ""]
        return os.path.join(WORK, "-".join(filter(None, words)) + ".log")


def read(path):
    """Text of a file of Debian's examples, which may be compressed."""
    for name, opener in ((path, open), (path + ".gz", gzip.open)):
        if os.path.exists(name):
            with opener(name, "rt", encoding="utf-8") as file:
                return file.read()
    raise benchlib.Failure(f"there is no {path} (Debian: package "
                           "lammps-examples)")


def write(name, text):
    with open(os.path.join(WORK, name), "w", encoding="utf-8") as file:
        file.write(text)


def prepare(quick):
    """Put the inputs into the work folder."""
    os.makedirs(WORK, exist_ok=True)
    write("in.melt", read(MELT))
    peptide = read(os.path.join(PEPTIDE, "in.peptide"))
    for pattern, replacement in PEPTIDE_CHANGES:
        peptide, count = re.subn(pattern, lambda _, new=replacement: new,
                                 peptide, flags=re.M)
        if count != 1:
            raise benchlib.Failure(
                f"{PEPTIDE}/in.peptide is not the input that this script "
                f"knows: {count} lines match '{pattern}'")
    write("in.peptide", peptide)
    write("data.peptide", read(os.path.join(PEPTIDE, "data.peptide")))
    return [
        Input("melt", "4000 Lennard-Jones particles, a crystal that melts",
              {"cells": 10, "steps": 200 if quick else 500,
               "every": 50 if quick else 100}),
        Input("peptide", "a peptide in water, 2004 atoms, long-range forces",
              {"steps": 20 if quick else 80, "every": 10}),
    ]


def execute(run, title, timeout):
    """Run LAMMPS; show on one line how long it has taken so far."""
    live = sys.stdout.isatty()
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    start = time.monotonic()
    print(title, end="", flush=True)
    # What mpirun hands on need not end with a line: in one file, statistics and
    # output would cut each other in two.
    with open(run.log(), "w", encoding="utf-8") as log, \
            tempfile.TemporaryFile("w+", encoding="utf-8",
                                   errors="replace") as errors:
        log.write("$ " + benchlib.show(run.command()) + "\n")
        log.flush()
        process = subprocess.Popen(
            run.command(), stdin=subprocess.DEVNULL, stdout=log,
            stderr=errors, cwd=WORK, env=environment, start_new_session=True)
        try:
            while process.poll() is None:
                elapsed = time.monotonic() - start
                if elapsed > timeout:
                    run.problem = f"no end after {timeout} s"
                    break
                if live:
                    print(f"\r{title}{elapsed:6.1f} s", end="", flush=True)
                try:
                    process.wait(0.5 if live else timeout - elapsed + 0.1)
                except subprocess.TimeoutExpired:
                    pass
        finally:
            if process.poll() is None:
                benchlib.stop(process)
            log.seek(0, os.SEEK_END)
            errors.seek(0)
            log.write(errors.read())
    if run.problem is None and process.returncode != 0:
        run.problem = f"mpirun's exit status is {process.returncode}"
    with open(run.log(), encoding="utf-8", errors="replace") as log:
        run.output = log.read()
    if run.problem is None:
        understand(run)
    elapsed = time.monotonic() - start
    print(("\r" + title if live else "")
          + f"{elapsed:6.1f} s  {run.problem or ''}".rstrip(), flush=True)


def understand(run):
    """Loop time, energies and champion's statistics from the output."""
    loop = re.search(r"^Loop time of (\S+) on (\d+) procs", run.output, re.M)
    if loop is None:
        run.problem = "LAMMPS printed no loop time"
        return
    if int(loop.group(2)) != run.ranks:
        run.problem = (f"LAMMPS ran on {loop.group(2)} ranks: is 'lmp' linked "
                       "to another MPI than this mpirun's?")
        return
    run.loops.append(float(loop.group(1)))
    run.loop = statistics.median(run.loops)
    run.energies = thermo_table(run.output)
    if len(run.energies) < 3:
        run.problem = "LAMMPS printed no table of energies"
        return
    for line in run.output.splitlines():
        found = re.match(r"champion: stats (posted|unexpected) (.*)", line)
        if found:
            pairs = (word.split("=", 1) for word in found.group(2).split())
            run.stats[found.group(1)] = {key: float(value)
                                         for key, value in pairs}
    if run.counts:
        check_component(run)


def check_component(run):
    """Did the component serve that was asked for?"""
    served = re.search(r"^champion: stats ranks=\d+ mq=(\w+)", run.output, re.M)
    if len(run.stats) != 2 or served is None:
        run.problem = "champion printed no statistics"
    # `adaptive` gives its domains to others.
    elif served.group(1) != run.mq and run.mq != "adaptive":
        run.problem = f"served by {served.group(1)}"


def thermo_table(output):
    """Lines of LAMMPS's table of energies, blanks reduced, heading first."""
    lines, columns = [], 0
    for line in output.splitlines():
        words = line.split()
        if words[:2] == ["Step", "Temp"]:
            lines, columns = [" ".join(words)], len(words)
        elif line.startswith("Loop time"):
            break
        elif columns and len(words) == columns and words[0].isdigit():
            lines.append(" ".join(words))
    return lines


def compare_energies(runs):
    """Give a problem to each run whose energies are not the first one's."""
    reference = {}
    for run in runs:
        if run.problem is not None:
            continue
        first = reference.setdefault((run.source.name, run.ranks), run)
        for mine, other in zip(run.energies, first.energies):
            if mine != other:
                run.problem = (f"energies differ from those under "
                               f"{first.name()}:\n    {run.energies[0]}\n"
                               f"    {mine}\n    {other}")
                break
        else:
            if len(run.energies) != len(first.energies):
                run.problem = (f"{len(run.energies) - 1} lines of energies, "
                               f"{len(first.energies) - 1} under "
                               f"{first.name()}")


HEADING = ["input", "ranks", "pml, mq", "loop, s", "matched"] \
    + 2 * ["mean", "largest", "longest"]
TEXT_COLUMNS = (0, 2)


def table(runs):
    """One row per run; a line between the groups that are compared."""
    rows, group = [], None
    for run in runs:
        new = (run.source.name, str(run.ranks))
        row = list(new if new != group else ("", "")) + [run.name()]
        group = new
        row.append("failed" if run.loop is None else f"{run.loop:.2f}")
        if run.stats:
            both = [run.stats["posted"], run.stats["unexpected"]]
            row.append(f"{sum(one['matched'] for one in both):.0f}")
            for one in both:
                row += [f"{one['traversed_mean']:.2f}",
                        f"{one['traversed_max']:.0f}",
                        f"{one['queue_max']:.0f}"]
        rows.append(row + ["-"] * (len(HEADING) - len(row)))

    widths = [max(len(row[i]) for row in [HEADING] + rows)
              for i in range(len(HEADING))]

    def line(row):
        return "  ".join(
            cell.ljust(width) if i in TEXT_COLUMNS else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths)))

    queue = sum(widths[5:8]) + 4
    lines = [" " * (sum(widths[:5]) + 10)
             + " posted queue ".center(queue, "-") + "  "
             + " unexpected queue ".center(queue, "-"), line(HEADING)]
    for row in rows:
        lines += [""] if row[0] else []
        lines.append(line(row))
    return "\n".join(lines)


def introduce(inputs, runs):
    print("""
LAMMPS (Debian's 'lmp', nothing recompiled) runs two inputs on the stock Open
MPI, whose point-to-point layer (PML) is chosen on the command line:

  ob1, ucx    Open MPI's own, each with the message matching it was built with
  champion    this project's, with the matching algorithm named by --mca mq
""")
    for source in inputs:
        print(f"  {source.name:10}{source.text}")
    example = next((run for run in runs if run.mq == "partner_dynamic"),
                   runs[-1])
    print(f"\nFor example:\n\n  {benchlib.show(example.command())}\n\n"
          f"Inputs and outputs are in {benchlib.near(WORK)}\n", flush=True)


def conclude(runs, seconds):
    failed = [run for run in runs if run.problem is not None]
    print("\n" + table(runs))
    print("""
loop      LAMMPS's own timing, the median if there were several runs; with more
          ranks than cores it says little
matched   messages that found their receive, on all ranks together
mean      entries traversed per search of the queue, successful or not
largest   entries traversed by the longest search
longest   largest length of the queue on any rank
Only champion counts these.
""")
    verdicts(runs)
    for run in failed:
        print(f"FAILED: {run.source.name}, {run.ranks} ranks, {run.name()}: "
              f"{run.problem}\n    see {benchlib.near(run.log())}")
    if failed:
        print(f"demo: {len(failed)} of {len(runs)} runs failed "
              f"({seconds:.0f} s)")
        return 1
    print(f"demo: the energies of all {len(runs)} runs are identical, digit "
          "for digit, for the same\n"
          f"input and number of ranks ({seconds:.0f} s)")
    return 0


# Those that the verdict is about; the component is champion's default.
COMPARED = ["ob1", "ucx", "champion, indexed"]


def is_timed(run, runs):
    """One of those whose times are compared: as few ranks as there are."""
    return run.name() in COMPARED and \
        run.ranks == min(other.ranks for other in runs)


def verdicts(runs):
    """One sentence for each input."""
    for source in dict.fromkeys(run.source.name for run in runs):
        loops = {run.name(): run for run in runs
                 if run.source.name == source and is_timed(run, runs)
                 and run.loop is not None}
        mine = loops.get(COMPARED[-1])
        if mine is None or not mine.stats:
            continue
        longest = max(one["queue_max"] for one in mine.stats.values())
        tell(f"time of LAMMPS, {source}, {mine.ranks} ranks, no queue longer "
             f"than {longest:.0f}",
             {pml: loops[name].loops for pml, name in
              zip(("ob1", "ucx", "champion"), COMPARED) if name in loops})


def installed():
    """The mq components that ompi_info lists."""
    listing = subprocess.run(["ompi_info", "--parsable"], check=False,
                             stdout=subprocess.PIPE, text=True).stdout
    return sorted(set(re.findall(r"^mca:mq:(\w+):version", listing, re.M))
                  - {"base"})


def components(wanted):
    """What --mq names, the one that writes the profiles first."""
    names = installed() if wanted == "all" else wanted.split(",")
    unknown = set(names) - set(installed())
    if unknown:
        raise benchlib.Failure(
            f"--mq: no component '{sorted(unknown)[0]}'; there are: "
            + ", ".join(installed()))
    if set(names) & set(STATIC):
        names = [PROFILED] + [name for name in names if name != PROFILED]
    return names


def choose_runs(options, inputs):
    """All combinations that were asked for; a group's first is the one whose
    energies the others are compared with."""
    pmls = options.pmls.split(",")
    names = components(options.mq) if "champion" in pmls else []
    profiles = bool(set(names) & set(STATIC))
    choices = [("ob1", None), ("ucx", None)] \
        + [("champion", name) for name in names]
    return [Run(source, int(ranks), pml, mq, mq == PROFILED and profiles)
            for source in inputs for ranks in options.ranks.split(",")
            for pml, mq in choices if pml in pmls]


def repeat_timed(runs, options):
    """Runs of those that are compared, in turn, without statistics."""
    timed = [] if options.quick else \
        [run for run in runs if is_timed(run, runs)]
    for run in timed:
        run.counts, run.loops = False, []
    for _ in range(options.repeat):
        for run in timed:
            if run.problem is None:
                title = f"again:   {run.source.name}, {run.name()}"
                execute(run, title.ljust(52), options.timeout)


def main():
    parser = argparse.ArgumentParser(
        prog="contrib/demo",
        description="Builds champion, then runs a program with long queues, "
        "programs on two hosts, and LAMMPS, under pml/ob1, pml/ucx and "
        "champion. --quick is for all of these, the other options are for "
        "LAMMPS.")
    parser.add_argument("--ranks", default="2,4",
                        help="numbers of ranks (%(default)s)")
    parser.add_argument("--inputs", default="melt,peptide",
                        help="which inputs (%(default)s)")
    parser.add_argument("--pmls", default="ob1,ucx,champion",
                        help="which PMLs (%(default)s)")
    parser.add_argument("--mq", default=",".join(SHOWN), metavar="LIST",
                        help="which mq components, or 'all' (%(default)s)")
    parser.add_argument("--repeat", type=int, default=3,
                        help="runs of those that the conclusion compares "
                        "(%(default)s)")
    parser.add_argument("--quick", action="store_true", help="short runs")
    parser.add_argument("--timeout", type=int, default=240,
                        help="seconds for one run (%(default)s)")
    options = parser.parse_args()
    benchlib.end_cleanly()

    benchlib.need("mpirun", "openmpi-bin")
    benchlib.need("lmp", "lammps")
    inputs = [source for source in prepare(options.quick)
              if source.name in options.inputs.split(",")]
    runs = choose_runs(options, inputs)
    if not runs:
        raise benchlib.Failure("no run: see --help")
    introduce(inputs, runs)
    start = time.monotonic()
    for number, run in enumerate(runs, 1):
        title = (f"[{number:2}/{len(runs)}]  {run.source.name}, {run.ranks} "
                 f"ranks, {run.name()}").ljust(52)
        execute(run, title, options.timeout)
    repeat_timed(runs, options)
    compare_energies(runs)
    return conclude(runs, time.monotonic() - start)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except benchlib.Failure as failure:
        sys.exit(f"demo: {failure}")
    except KeyboardInterrupt:
        sys.exit("\ndemo: interrupted")
