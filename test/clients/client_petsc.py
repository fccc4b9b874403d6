# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""PETSc's examples. Each says in a comment at its end how it is tested: with
how many ranks, and with which arguments, maybe several times."""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from client import Case, Unavailable, compiled
from outcome import Outcome, text_figures

# Those that communicate in many ways: scatters, star forests, ghost points of
# structured, staggered and unstructured grids, assembly from any source,
# multigrid, sparse products, networks.
SOURCES = """
    vec/is/sf/tutorials/ex1.c
    vec/vec/utils/tagger/tutorials/ex1.c
    vec/vec/tests/ex2.c
    vec/vec/tests/ex9.c
    vec/vec/tests/ex12.c
    mat/tests/ex2.c
    mat/tests/ex9.c
    mat/tests/ex18.c
    mat/tests/ex23.c
    mat/tests/ex94.c
    dm/tests/ex21.c
    dm/impls/stag/tests/ex1.c
    dm/impls/plex/tests/ex1.c
    ksp/ksp/tutorials/ex2.c
    ksp/ksp/tutorials/ex5.c
    ksp/ksp/tutorials/ex49.c
    ksp/ksp/tutorials/ex56.c
    snes/tutorials/ex5.c
    snes/tutorials/ex19.c
    ts/tutorials/ex41.c
""".split()

# What a test may require; others want packages that may not be there.
HAVE = {"!single", "double", "!complex", "c", "!__float128", "!quad"}


def settings(*names):
    done = subprocess.run(["pkg-config", *names, "PETSc"], text=True,
                          capture_output=True)
    if done.returncode:
        raise Unavailable("contrib/setup --clients installs petsc-dev")
    return done.stdout.split()


def examples():
    found = sorted(Path("/usr/share/petsc").glob(
        "*/share/petsc/examples/src"))
    if not found:
        raise Unavailable("contrib/setup --clients installs PETSc's examples")
    return found[-1]


def blocks(lines, indent):
    """Splits lines into (header, own lines) by what is indented less."""
    found = []
    for line in lines:
        if not line.strip() or line.strip().startswith("#"):
            continue
        depth = len(line) - len(line.lstrip())
        if depth <= indent:
            found.append((line.strip(), []))
        elif found:
            found[-1][1].append(line)
    return found


def depth_of(lines):
    return min((len(line) - len(line.lstrip()) for line in lines
                if line.strip()), default=0)


def gather(lines, inherited):
    """Yields the tests of a block; those of a testset inherit its words."""
    own = {key: list(words) for key, words in inherited.items()}
    inner = []
    for header, below in blocks(lines, depth_of(lines)):
        key, _, value = header.partition(":")
        if key in ("test", "testset"):
            inner.append(below)
        elif key == "args":
            own.setdefault("args", []).append(
                " ".join([value] + [line.strip() for line in below]))
        else:
            own[key] = [value.strip()]
    for below in inner:
        yield from gather(below, own)
    if not inner:
        yield own


def tests(source):
    """Of a source: (suffix, ranks, arguments) of the tests that can be run."""
    text = source.read_text(errors="replace")
    found = re.search(r"/\*TEST(.*?)TEST\*/", text,
                      re.DOTALL)
    lines = found.group(1).splitlines() if found else []
    inner = [below for header, below in blocks(lines, depth_of(lines))
             if header in ("test:", "testset:")]
    for below in inner:
        for test in gather(below, {}):
            arguments = " ".join(test.get("args", []))
            ranks = test.get("nsize", ["1"])[0]
            requires = " ".join(test.get("requires", [])).split()
            # With these PETSc's own harness would do more than run it.
            if {"filter", "localrunfiles", "TODO", "env"} & set(test) or \
                    re.search(r"[{}$]|draw", arguments) or \
                    not set(requires) <= HAVE or not ranks.isdigit():
                continue
            yield test.get("suffix", ["1"])[0], int(ranks), arguments.split()


def read(ran, folder):
    found = Outcome()
    found.figures = text_figures(ran.output)
    found.checks = 1 if ran.code == 0 else 0
    return found


def build(cache, source, name, flags):
    said = compiled(source, cache / "petsc" / name, *flags, "-lm")
    if said:
        raise Unavailable("%s does not build: %s"
                          % (name, said.splitlines()[-1]))


def cases(cache, ranks):
    flags = settings("--cflags", "--libs")
    top = examples()
    names = {source: source.replace("/", "-")[:-2] for source in SOURCES}
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(build, cache, top / source, name, flags)
                     for source, name in names.items()]:
            done.result()
    for source, name in names.items():
        for suffix, np, arguments in tests(top / source):
            if np > 1 if ranks is None else np in ranks:
                yield Case("petsc", "%s %s" % (source, suffix), np,
                           [cache / "petsc" / name, *arguments], read)
