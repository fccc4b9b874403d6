# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Show what message matching can cost: a program with long queues.

Two ranks; of 15000 messages in a queue the last is received first, by source
and tag and by tag alone (contrib/demo.d/matching.c). Several runs under each of
pml/ob1, pml/ucx and champion, in turn; of each, the median.
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
PMLS = ["ob1", "ucx", "champion"]

# How messages are received: what the program is told, and what that is.
WAYS = {"exact": ([], "by source and tag"),
        "any": (["any"], "from any source, by tag")}


def build():
    """The program, built with the mpicc there is."""
    os.makedirs(WORK, exist_ok=True)
    target = os.path.join(WORK, "matching")
    command = benchlib.compiler(False) + [os.path.join(HERE, "matching.c"),
                                          "-o", target]
    if subprocess.run(command, check=False).returncode != 0:
        raise benchlib.Failure("cannot build contrib/demo.d/matching.c")
    return target


def command_of(program, pml, way, options):
    return ["mpirun", "-np", "2"] + benchlib.pml_options(pml, None) \
        + [program, str(options.messages), str(options.rounds)] \
        + WAYS[way][0]


def seconds_of(command, timeout):
    """What one run printed."""
    output = benchlib.run(command, timeout)
    found = re.search(r"^seconds (\S+)$", output, re.M)
    if found is None:
        raise benchlib.Failure("no time was printed: "
                               + benchlib.show(command))
    return float(found.group(1))


def times(factor):
    """As one says it."""
    if 0.8 <= factor <= 1.25:
        return "about as long"
    return f"{factor:.1f} times as long" if factor < 10 \
        else f"{factor:.0f} times as long"


def verdict(median, way):
    """One sentence."""
    return (f"Received {WAYS[way][1]}, the messages take "
            f"{times(median['ob1'] / median['champion'])} under pml/ob1 and "
            f"{times(median['ucx'] / median['champion'])}\nunder pml/ucx as "
            "under champion, with nothing recompiled.")


def measure(program, way, options):
    """Runs in turn; the medians."""
    taken = {pml: [] for pml in PMLS}
    for _ in range(options.runs):
        for pml in PMLS:
            taken[pml].append(seconds_of(
                command_of(program, pml, way, options), options.timeout))
    print(f"  {WAYS[way][1]}:")
    for pml in PMLS:
        runs = "  ".join(f"{value:.4f}" for value in sorted(taken[pml]))
        print(f"    {pml:10} median {statistics.median(taken[pml]):7.4f} s"
              f"   ({runs})", flush=True)
    return {pml: statistics.median(taken[pml]) for pml in PMLS}


def main():
    parser = argparse.ArgumentParser(
        description="A program with long queues under three PMLs.")
    parser.add_argument("--messages", type=int, default=15000,
                        help="messages in the queue (%(default)s)")
    parser.add_argument("--rounds", type=int, default=1,
                        help="rounds per run (%(default)s)")
    parser.add_argument("--runs", type=int, default=3,
                        help="runs of each; the median counts "
                        "(%(default)s)")
    parser.add_argument("--timeout", type=int, default=120,
                        help="seconds for one run (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="one run each")
    options = parser.parse_args()
    if options.quick:
        options.runs = options.rounds = 1
    benchlib.end_cleanly()
    benchlib.need("mpirun", "openmpi-bin")
    program = build()
    print(f"""
Long queues: rank 1 sends {options.messages} messages, rank 0 receives the last one
first. Seconds, {options.runs} runs of each:

  {benchlib.show(command_of(benchlib.near(program), "champion", "any",
                            options))}
""", flush=True)
    start = time.monotonic()
    medians = {way: measure(program, way, options) for way in WAYS}
    print()
    for way, median in medians.items():
        print(verdict(median, way))
    print(f"({time.monotonic() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    try:
        main()
    except benchlib.Failure as failure:
        sys.exit(f"demo: {failure}")
    except KeyboardInterrupt:
        sys.exit("\ndemo: interrupted")
