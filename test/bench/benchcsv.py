# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The CSV file that every benchmark writes with --csv.

    # commit: 0123456789
    # date: 2026-11-23
    # machine: NAME OF THE PROCESSOR, 2 cores, virtual
    # system: Linux 6.1.0
    # libraries: Open MPI 4.1.4, UCX 1.13.1
    # command: test/bench/compare --cases pingpong8 --csv FILE
    # case pingpong, bytes: ping-pong of MPI_Send and MPI_Recv
    case,size,variant,round,value,unit
    pingpong,8,champion,1,0.17,us

One line is one value of one round. "size" counts what the case's line says:
bytes, queued messages, threads; 0 and no word where there is none. "variant"
is a PML or a component. A value with ">" in front is a lower bound: that run
was given up. Units that end in "/s" are rates, of which more is better; of all
others less is.
"""

import collections
import csv
import os
import platform
import re
import subprocess
import sys
import time

import benchlib

HEADER = ("commit", "date", "machine", "system", "libraries", "command")
COLUMNS = ("case", "size", "variant", "round", "value", "unit")
# What a figure depends on. Documents and figures themselves do not count.
SOURCES = ("config", "ompi", "opal", "test/bench", "test/netns",
           "configure.ac", "VERSION")

Record = collections.namedtuple("Record", COLUMNS + ("bound",))


class Figures:
    """What a file holds: header, {case: (text, what sizes count)}, records."""

    def __init__(self, header, texts, records):
        self.header = header
        self.texts = texts
        self.records = records


def record(case, size, variant, number, value, unit, bound=False):
    return Record(case, int(size), variant, int(number), float(value), unit,
                  bound)


def output_of(command):
    """Standard output, or nothing where there is no such program."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, check=False,
                              cwd=benchlib.TOP)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def commit():
    """The commit of the sources; of a release its version."""
    name = output_of(["git", "rev-parse", "--short=10", "HEAD"]).strip()
    if not name:
        with open(os.path.join(benchlib.TOP, "VERSION"),
                  encoding="ascii") as file:
            version = dict(re.findall(r"^(\w+)=(\S*)", file.read(), re.M))
        return "release " + ".".join(version.get(key, "?") for key in
                                     ("major", "minor", "release"))
    changed = output_of(["git", "status", "--porcelain", "--untracked-files=no",
                         "--"] + list(SOURCES)).strip()
    return name + (" with changes" if changed else "")


# As it was when the benchmark began: nothing that is committed meanwhile.
BEGUN = commit()


def machine():
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            text = file.read()
    except OSError:
        text = ""
    name = re.search(r"^model name\s*: (.*)$", text, re.M)
    return f"{name.group(1) if name else platform.machine()}, " \
        f"{os.cpu_count()} cores" \
        + (", virtual" if re.search(r"^flags.*\bhypervisor\b", text, re.M)
           else "")


def libraries(variants):
    """Versions of what was measured with."""
    found = []
    for name, command, pattern in (
            ("Open MPI", ["mpirun", "--version"], r"Open MPI\) (\S+)"),
            ("UCX", ["ucx_info", "-v"], r"[Vv]ersion[: ]+(\d\S*)"),
            ("MPICH", ["mpichversion"], r"Version:\s*(\S+)")):
        version = re.search(pattern, output_of(command))
        if version and (name != "MPICH" or "mpich" in variants):
            found.append(f"{name} {version.group(1)}")
            if name == "UCX" and any(one.endswith(benchlib.RELEASE)
                                     for one in variants):
                found[-1] += " (with assertions, and without)"
    return ", ".join(found) or "none"


def header(variants):
    # The options that name this file's place say nothing about the figures.
    words = [benchlib.near(sys.argv[0])] + sys.argv[1:]
    for option, values in (("--csv", 1), ("--json", 1), ("--inside", 0),
                           ("--lock", 1)):
        while option in words:
            place = words.index(option)
            del words[place:place + 1 + values]
    if words[0].startswith("./"):
        words[0] = words[0][2:]
    release = re.match(r"[\d.]*\d", platform.release())
    return {"commit": BEGUN, "date": time.strftime("%Y-%m-%d"),
            "machine": machine(),
            "system": f"{platform.system()} {release.group(0)}"
                      if release else platform.system(),
            "libraries": libraries(variants), "command": benchlib.show(words)}


def number(value):
    """Six digits, and all of large counts."""
    return f"{value:.6g}" if value < 1e6 else f"{value:.0f}"


def write(path, records, texts, head=None):
    """Renamed when it is complete. texts: as of Figures; head: that of now."""
    lines = [f"# {key}: {value}" for key, value in
             (head or header({one.variant for one in records})).items()]
    for name in dict.fromkeys(one.case for one in records):
        text, word = texts[name]
        lines.append(f"# case {name}{', ' * bool(word)}{word}: {text}")
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path + ".part", "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
            table = csv.writer(file, lineterminator="\n")
            table.writerow(COLUMNS)
            for one in records:
                table.writerow([one.case, one.size, one.variant, one.round,
                                (">" if one.bound else "")
                                + number(one.value), one.unit])
        os.replace(path + ".part", path)
    except OSError as reason:
        raise benchlib.Failure(f"cannot write {path}: {reason.strerror}") \
            from None


def read(path):
    """Figures; a file that is not as it should be is a Failure."""
    try:
        with open(path, encoding="ascii") as file:
            lines = file.read().splitlines()
    except (OSError, ValueError) as reason:
        raise benchlib.Failure(f"cannot read {path}: {reason}") from None
    found, texts = {}, {}
    count = 0
    for count, line in enumerate(lines):
        if not line.startswith("#"):
            break
        match = re.fullmatch(r"# (?:(\w+)|case (\w+)(?:, (\w+))?): (\S.*)",
                             line)
        if match is None:
            raise benchlib.Failure(f"{path}:{count + 1}: neither '# NAME: "
                                   "TEXT' nor '# case NAME, WORD: TEXT'")
        key, name, word, text = match.groups()
        if key:
            found[key] = text
        else:
            texts[name] = (text, word or "")
    missing = [key for key in HEADER if key not in found]
    if missing:
        raise benchlib.Failure(f"{path}: no line '# {missing[0]}: ...'; the "
                               "header has " + ", ".join(HEADER))
    records = read_records(path, lines[count:], count + 1)
    for one in records:
        if one.case not in texts:
            raise benchlib.Failure(f"{path}: no line '# case {one.case}: "
                                   "...' says what that case is")
    return Figures(found, texts, records)


def read_records(path, lines, first):
    rows = list(csv.reader(lines))
    if not rows or tuple(rows[0]) != COLUMNS:
        raise benchlib.Failure(f"{path}:{first}: the columns are not "
                               + ",".join(COLUMNS))
    records = []
    for number, row in enumerate(rows[1:], first + 1):
        try:
            case, size, variant, turn, value, unit = row
            one = record(case, size, variant, turn, value.lstrip(">"), unit,
                         value.startswith(">"))
            if not case or not variant or not unit or one.size < 0 \
                    or one.round < 1 or not 0 <= one.value < float("inf"):
                raise ValueError
        except ValueError:
            raise benchlib.Failure(
                f"{path}:{number}: '{','.join(row)}' is not a case, a size, a "
                "variant, a round from 1, a value from 0 and a unit") from None
        records.append(one)
    if not records:
        raise benchlib.Failure(f"{path}: there are no figures in it")
    return records
