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
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "test", "bench"))
import benchlib  # noqa: E402 (from the folder above)

WORK = os.path.join(TOP, "_build", "demo")
HOSTS = [os.path.join(TOP, "test", "netns", "hosts"), "--rate", "1gbit"]
HPCC_SAMPLE = "/usr/share/doc/hpcc/examples/_hpccinf.txt"
PMLS = ["ob1", "ucx", "champion"]
NO_NAMESPACES = 77  # test/netns/hosts ends so


def on_hosts(pml, program):
    """Two ranks, one on each host. Nothing is set but the PML."""
    return HOSTS + ["mpirun", "-np", "2"] + benchlib.pml_options(pml, None) \
        + program


def build():
    """The stencil, built with the mpicc there is."""
    os.makedirs(WORK, exist_ok=True)
    target = os.path.join(WORK, "halo")
    command = benchlib.compiler(False) + [os.path.join(HERE, "halo.c"),
                                          "-o", target, "-lm"]
    if subprocess.run(command, check=False).returncode != 0:
        raise benchlib.Failure("cannot build contrib/demo.d/halo.c")
    return target


def find(pattern, text, command):
    found = re.search(pattern, text, re.M)
    if found is None:
        raise benchlib.Failure(f"no '{pattern}' was printed: "
                               + benchlib.show(command))
    return found.group(1)


def measure(runs, once, unit, scale):
    """once(pml) in turn, the median of each printed; returns them."""
    taken = {pml: [] for pml in PMLS}
    for _ in range(runs):
        for pml in PMLS:
            taken[pml].append(once(pml) * scale)
    for pml in PMLS:
        values = "  ".join(f"{value:.1f}" for value in sorted(taken[pml]))
        print(f"    {pml:10} median {statistics.median(taken[pml]):6.1f} "
              f"{unit}   ({values})", flush=True)
    return {pml: statistics.median(taken[pml]) for pml in PMLS}


def stencil(options):
    """Milliseconds of a step."""
    program = build()
    sums = set()

    def once(pml):
        command = on_hosts(pml, [program, str(options.steps)])
        text = benchlib.run(command, options.timeout)
        sums.add(find(r"^sum (\S+)$", text, command))
        if len(sums) > 1:
            raise benchlib.Failure("the results differ: "
                                   + " ".join(sorted(sums)))
        return float(find(r"^seconds (\S+)$", text, command))

    print("  a stencil, 4 MiB to each rank while it computes, time of a step:")
    median = measure(options.runs, once, "ms", 1000)
    print(f"\nA step of the stencil takes {ratio(median, 'ob1')} under pml/ob1 "
          f"and {ratio(median, 'ucx')}\nunder pml/ucx as under champion: messages "
          "travel while it computes. Its results are the same.\n")


def ratio(median, pml):
    return f"{median[pml] / median['champion']:.2f} times as long"


def hpcc_input(folder):
    """The sample, with a problem that takes seconds."""
    try:
        with open(HPCC_SAMPLE, encoding="ascii") as file:
            lines = file.read().splitlines()
    except OSError as error:
        raise benchlib.Failure(f"{error} (Debian: package hpcc)") from None
    for number, value in ((6, 700), (8, 48), (11, 1), (12, 2)):
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
    hpcc_input(folder)
    result = os.path.join(folder, "hpccoutf.txt")

    def once(pml):
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
        return float(find(r"^MPIRandomAccess_GUPs=(\S+)$", text, command))

    print("  HPC Challenge's MPIRandomAccess, updates (more is better):")
    median = measure(options.runs, once, "million/s", 1000)
    print("\nUnder champion, RandomAccess does "
          f"{median['champion'] / median['ob1']:.2f} times the updates of "
          f"pml/ob1 and\n{median['champion'] / median['ucx']:.2f} times those "
          "of pml/ucx; all of HPC Challenge's own checks pass.")


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
        print("\nTwo hosts: skipped, since they cannot be made here: "
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
