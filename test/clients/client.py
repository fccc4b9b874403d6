# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""What each client is to the runner: cases, and the help to make them."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent


class Unavailable(Exception):
    """The client cannot be had here; the text says why."""


@dataclass
class Case:
    """One program on so many ranks, the same under each PML.

    command   with its arguments; run in a folder of its own
    files     name in that folder -> the file to be copied there, or its text
    stdin     a file
    read      (ran, folder) -> Outcome, when it has come to an end
    codes     exit codes that mean no problem
    attempts  how often it may hang, for what hangs at times whatever the PML
    """
    client: str
    name: str
    ranks: int
    command: list
    read: Callable
    files: dict = field(default_factory=dict)
    stdin: Path = None
    codes: tuple = (0,)
    timeout: float = 600
    attempts: int = 1

    def title(self):
        return "%s %s, %d %s" % (self.client, self.name, self.ranks,
                                 "rank" if self.ranks == 1 else "ranks")


def require(*paths):
    """Files that packages have."""
    missing = [str(path) for path in paths if not Path(path).exists()]
    if missing:
        raise Unavailable("contrib/setup --clients installs what is missing: "
                          + " ".join(missing[:3]))


def compiled(source, binary, *flags, compiler="mpicc"):
    """Compile a program, unless that is done. What the compiler says if it
    cannot, else nothing."""
    if binary.exists() and binary.stat().st_mtime > source.stat().st_mtime:
        return ""
    binary.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([compiler, "-O1", "-g", "-w", "-o", str(binary),
                           str(source), *flags], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return "" if done.returncode == 0 else done.stdout or "no compiler"
