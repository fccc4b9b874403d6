# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""What the parts of the demo share: programs under three PMLs in turn, what may
be said of their times, and the last paragraph. Run by itself it prints that:

    demolib.py PART...    the parts that failed
"""

import json
import os
import statistics
import subprocess
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "test", "bench"))
import benchlib  # noqa: E402 (from the folder above)

WORK = os.environ.get("DEMO_WORK") or os.path.join(TOP, "_build", "demo")
# What each part found, an object of JSON a line.
FINDINGS = os.path.join(WORK, "findings")
PMLS = ["ob1", "ucx", "champion"]
RIVALS = PMLS[:2]
# Where there is one run of each, less than this says nothing.
CLEAR = 2


def build(name, *options):
    """A program of this folder, built with the mpicc there is."""
    os.makedirs(WORK, exist_ok=True)
    target = os.path.join(WORK, name)
    command = benchlib.compiler(False) + [
        os.path.join(HERE, name + ".c"), "-o", target, *options]
    if subprocess.run(command, check=False).returncode != 0:
        raise benchlib.Failure(f"cannot build contrib/demo.d/{name}.c")
    return target


def in_turn(once, runs, amount, pmls):
    """The times of each PML; of a PML that does not end, none."""
    taken = {pml: [] for pml in pmls}
    for number in range(1, runs + 1):
        for pml in pmls:
            try:
                taken[pml].append(once(pml, amount))
            except benchlib.NoEnd as slow:
                print(f"    {pml:10} {slow.short}, with {amount}", flush=True)
                taken[pml] = []
                return taken, pml
        if runs > 1:
            print(f"    run {number} of {runs}:  " + "   ".join(
                f"{pml} {taken[pml][-1]:.4g}" for pml in pmls), flush=True)
    return taken, None


def measure(once, runs, amounts, unit):
    """once(pml, amount) under each PML in turn, with the first of the amounts
    that all of them end with; those that do not even with the last are left
    out. Prints and returns the times of each."""
    amounts, pmls = list(amounts), list(PMLS)
    while pmls:
        taken, slow = in_turn(once, runs, amounts[0], pmls)
        if slow is None:
            break
        if len(amounts) > 1:
            del amounts[0]
            print(f"    ... all of them again, with {amounts[0]}", flush=True)
        else:
            pmls.remove(slow)
            print(f"    ... without {slow}", flush=True)
    for pml in pmls:
        print(f"    {pml:10} median {statistics.median(taken[pml]):9.4g} {unit}"
              f"   ({min(taken[pml]):.4g} to {max(taken[pml]):.4g})",
              flush=True)
    return {pml: taken[pml] for pml in pmls}


def apart(mine, other):
    """Do the ranges of two not overlap?"""
    if len(mine) == 1 or len(other) == 1:
        low, high = sorted((statistics.median(mine),
                            statistics.median(other)))
        return high >= CLEAR * low
    return max(mine) < min(other) or max(other) < min(mine)


def times(factor):
    """As one says it."""
    return f"{factor:.2g}" if factor < 0.1 else \
        f"{factor:.2f}" if factor < 3 else \
        f"{factor:.1f}" if factor < 10 else f"{factor:.0f}"


def compared(taken, more_is_better=False):
    """{rival: (what champion gains: 1, 0, -1; in words)}."""
    found = {}
    mine = taken.get("champion")
    for rival in RIVALS:
        other = taken.get(rival)
        if not mine or not other:
            found[rival] = (0, f"pml/{rival if mine else 'champion'} did not "
                            "end in time")
        elif not apart(mine, other):
            found[rival] = (0, f"no difference to pml/{rival} that these runs "
                            "show")
        else:
            factor = statistics.median(mine) / statistics.median(other)
            found[rival] = (1 if (factor > 1) == more_is_better else -1,
                            f"{times(factor)} of pml/{rival}'s")
    return found


def tell(what, taken, more_is_better=False):
    """A sentence of what was measured, which the last paragraph repeats."""
    found = compared(taken, more_is_better)
    text = f"{what}: " + ", ".join(words for _, words in found.values())
    print("\n" + textwrap.fill(text[0].upper() + text[1:] + ".", 79) + "\n",
          flush=True)
    note({"text": text, "gains": [gain for gain, _ in found.values()]})


def not_shown(text):
    """A part that cannot be shown here."""
    print(f"\n{text}", flush=True)
    note({"text": text, "gains": None})


def note(finding):
    """For the last paragraph."""
    os.makedirs(WORK, exist_ok=True)
    with open(FINDINGS, "a", encoding="utf-8") as file:
        file.write(json.dumps(finding) + "\n")


def group_of(gains):
    """Under which words it is told."""
    if gains is None:
        return "not shown"
    if min(gains) < 0:
        return "lost"
    return ("no difference", "gained against one of the two",
            "gained")[sum(gains)]


def conclude(failed):
    """The last paragraph."""
    groups = {}
    if os.path.exists(FINDINGS):
        with open(FINDINGS, encoding="utf-8") as file:
            for line in file:
                one = json.loads(line)
                groups.setdefault(group_of(one["gains"]), []).append(
                    one["text"])
    if failed:
        groups["failed, see above"] = failed
    print("\nIn this run, on this machine:")
    for name in ("gained", "gained against one of the two", "no difference",
                 "lost", "not shown", "failed, see above"):
        if name in groups:
            print(f"\n  {name}")
            for text in groups[name]:
                print(textwrap.fill(text, 79, initial_indent="    - ",
                                    subsequent_indent="      "))
    print("\nOther machines, programs and sizes: docs/performance.md",
          flush=True)


if __name__ == "__main__":
    conclude(sys.argv[1:])
