# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Show what communication between two hosts can cost.

The hosts are namespaces, joined by a link of 1 Gbit/s (test/netns/hosts): a
stencil that computes while its messages travel (contrib/demo.d/halo.c), and the
HPC Challenge benchmark as Debian ships it, of which RandomAccess sends many
small messages to whoever they belong to. Several runs under each of pml/ob1,
pml/ucx and champion, in turn; of each, the median.
"""

import argparse
import os
import re
import subprocess
import sys
import time

from demolib import TOP, WORK, benchlib, build, measure, not_shown, tell

HOSTS = [os.path.join(TOP, "test", "netns", "hosts"), "--rate", "1gbit"]
HPCC_SAMPLE = "/usr/share/doc/hpcc/examples/_hpccinf.txt"
NO_NAMESPACES = 77  # test/netns/hosts ends so


def on_hosts(pml, program):
    """Two ranks, one on each host. Nothing is set but the PML."""
    return HOSTS + ["mpirun", "-np", "2"] + benchlib.pml_options(pml, None) \
        + program


def find(pattern, text, command):
    found = re.search(pattern, text, re.M)
    if found is None:
        raise benchlib.Failure(f"no '{pattern}' was printed: "
                               + benchlib.show(command))
    return found.group(1)


def stencil(options):
    """Milliseconds of a step."""
    program = build("halo", "-lm")
    sums = {}

    def once(pml, steps):
        command = on_hosts(pml, [program, str(steps)])
        text = benchlib.run(command, options.timeout)
        found = sums.setdefault(steps, set())
        found.add(find(r"^sum (\S+)$", text, command))
        if len(found) > 1:
            raise benchlib.Failure("the results differ: "
                                   + " ".join(sorted(found)))
        return float(find(r"^seconds (\S+)$", text, command)) * 1000

    print("  a stencil, 4 MiB to each rank while it computes, time of a step:")
    taken = measure(once, options.runs,
                    [options.steps, max(2, options.steps // 4),
                     max(2, options.steps // 16)], "ms")
    tell("time of a step of the stencil between two hosts", taken)


def hpcc_input(folder, size):
    """The sample, with a problem that takes seconds."""
    try:
        with open(HPCC_SAMPLE, encoding="ascii") as file:
            lines = file.read().splitlines()
    except OSError as error:
        raise benchlib.Failure(f"{error} (Debian: package hpcc)") from None
    for number, value in ((6, size), (8, 48), (11, 1), (12, 2)):
        lines[number - 1] = "%-12s %s" % (
            value, lines[number - 1].split(None, 1)[1])
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "hpccinf.txt"), "w",
              encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


def random_access(options):
    """Millions of updates in a second."""
    benchlib.need("hpcc", "hpcc")
    folder = os.path.join(WORK, "hpcc")
    result = os.path.join(folder, "hpccoutf.txt")

    def once(pml, size):
        hpcc_input(folder, size)
        command = on_hosts(pml, ["-wdir", folder, "hpcc"])
        if os.path.exists(result):
            os.remove(result)
        benchlib.run(command, options.timeout)
        with open(result, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for name, value in (("Success", "1"), ("MPIRandomAccess_Errors", "0")):
            if find(rf"^{name}=(\S+)$", text, command) != value:
                raise benchlib.Failure(f"{name} is not {value}: "
                                       + benchlib.show(command))
        return 1000 * float(find(r"^MPIRandomAccess_GUPs=(\S+)$", text,
                                 command))

    print("  HPC Challenge's MPIRandomAccess, updates (more is better):")
    tell("updates of HPC Challenge's RandomAccess between two hosts, all of "
         "whose own checks pass",
         measure(once, options.runs, [700, 350, 175], "million/s"), True)


def main():
    parser = argparse.ArgumentParser(
        description="Two hosts under three PMLs.")
    parser.add_argument("--steps", type=int, default=30,
                        help="steps of the stencil (%(default)s)")
    parser.add_argument("--runs", type=int, default=3,
                        help="runs of each; the median counts "
                        "(%(default)s)")
    parser.add_argument("--timeout", type=int, default=120,
                        help="seconds for one run (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="one run each")
    options = parser.parse_args()
    if options.quick:
        options.runs, options.steps = 1, 10
    benchlib.end_cleanly()
    benchlib.need("mpirun", "openmpi-bin")
    possible = subprocess.run(HOSTS + ["true"], capture_output=True, text=True,
                              check=False)
    if possible.returncode == NO_NAMESPACES:
        not_shown("Two hosts: they cannot be made here: "
                  + possible.stdout.strip().rpartition(" here: ")[2])
        return
    print(f"""
Two hosts with a link of 1 Gbit/s between them; {options.runs} runs of each. To try
it yourself:

  test/netns/hosts --rate 1gbit mpirun -np 2 --mca pml champion _build/demo/halo
""", flush=True)
    start = time.monotonic()
    stencil(options)
    random_access(options)
    print(f"({time.monotonic() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    try:
        main()
    except benchlib.Failure as failure:
        sys.exit(f"demo: {failure}")
    except KeyboardInterrupt:
        sys.exit("\ndemo: interrupted")
