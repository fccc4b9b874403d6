# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""What the programs under callgrind share: its files, and what is in them.

A program marks what it counts: after each block it has callgrind write a file
labelled "PATTERN PHASE OPERATIONS". The phase "empty nothing" is the cost of
the marks themselves, which is taken off.
"""

import glob
import os
import shutil
import statistics
import sys
import tempfile

import benchlib

EMPTY = "empty nothing"


def add_arguments(parser):
    """Options of count()."""
    parser.add_argument("--timeout", type=int, default=600,
                        help="seconds for one run (%(default)s)")
    benchlib.add_mpirun_argument(parser)
    parser.add_argument("--bin", help="folder of the built programs")
    parser.add_argument("--keep", metavar="FOLDER",
                        help="keep callgrind's files, for callgrind_annotate")


def valgrind(folder):
    """The words in front of a program whose instructions are counted."""
    return ["valgrind", "--quiet", "--tool=callgrind", "--collect-atstart=no",
            f"--callgrind-out-file={folder}/out.%q{{OMPI_COMM_WORLD_RANK}}"]


def read_file(path):
    """Label and instructions; None where there is nothing counted."""
    label, total = None, None
    with open(path, encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith("desc: Trigger: Client Request: "):
                label = line.split(": ", 3)[3].split()
            elif line.startswith(("totals:", "summary:")):
                total = int(line.split()[1])
    return label, total


def read_counts(folder):
    """{phase: [(instructions, operations) per block]} of all the files."""
    counts = {}
    for path in sorted(glob.glob(os.path.join(folder, "out.*"))):
        label, total = read_file(path)
        if label is not None and total is not None:
            phase = " ".join(label[:2])
            counts.setdefault(phase, []).append((total, int(label[2])))
    return counts


def per_operation(counts):
    """{phase: [instructions of an operation per block]}, without the marks."""
    if EMPTY not in counts:
        raise benchlib.Failure("callgrind wrote no counts")
    marks = statistics.median(total for total, _ in counts[EMPTY])
    return {phase: [(total - marks) / operations for total, operations
                    in blocks] for phase, blocks in counts.items()}


def keep_files(folder, name, target):
    os.makedirs(target, exist_ok=True)
    for path in glob.glob(os.path.join(folder, "out.*")):
        shutil.copyfile(path, os.path.join(
            target, name + "." + os.path.basename(path)))


def count(name, command_of, options):
    """{phase: [instructions per block]} of a command.

    command_of: its words, given the folder of callgrind's files. name: what
    the files that are kept, and the lines that are shown, begin with.
    """
    with tempfile.TemporaryDirectory(prefix="champion-instructions-") as out:
        command = command_of(out)
        print(f"{name}: {benchlib.show(command)}", file=sys.stderr, flush=True)
        benchlib.json_line(benchlib.run(command, options.timeout))
        if options.keep:
            keep_files(out, name, options.keep)
        return per_operation(read_counts(out))
