# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Show what message matching can cost: a program with long queues.

Two ranks; of 15000 messages in a queue the last is received first, by source
and tag and by tag alone (contrib/demo.d/matching.c). Several runs under each of
pml/ob1, pml/ucx and champion, in turn; of each, the median.
"""

import argparse
import re
import sys
import time

from demolib import benchlib, build, measure, tell

# How messages are received: what the program is told, and what that is.
WAYS = {"exact": ([], "by source and tag"),
        "any": (["any"], "from any source, by tag")}


def command_of(program, pml, way, messages, rounds):
    return ["mpirun", "-np", "2"] + benchlib.pml_options(pml, None) \
        + [program, str(messages), str(rounds)] + WAYS[way][0]


def seconds_of(command, timeout):
    """What one run printed."""
    output = benchlib.run(command, timeout)
    found = re.search(r"^seconds (\S+)$", output, re.M)
    if found is None:
        raise benchlib.Failure("no time was printed: "
                               + benchlib.show(command))
    return float(found.group(1))


def compare(program, way, options):
    """One way to receive; fewer messages where others take too long."""
    print(f"  {WAYS[way][1]}:")
    tell(f"time of a receive {WAYS[way][1]}, queues long", measure(
        lambda pml, messages: seconds_of(command_of(
            program, pml, way, messages, options.rounds), options.timeout),
        options.runs, [max(1, options.messages // 4**i) for i in range(4)],
        "s"))


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
    program = build("matching")
    print(f"""
Long queues: rank 1 sends {options.messages} messages, rank 0 receives the last one
first. Seconds, {options.runs} runs of each:

  {benchlib.show(command_of(benchlib.near(program), "champion", "any",
                            options.messages, options.rounds))}
""", flush=True)
    start = time.monotonic()
    for way in WAYS:
        compare(program, way, options)
    print(f"({time.monotonic() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    try:
        main()
    except benchlib.Failure as failure:
        sys.exit(f"demo: {failure}")
    except KeyboardInterrupt:
        sys.exit("\ndemo: interrupted")
