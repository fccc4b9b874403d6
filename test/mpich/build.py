# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Fetch and build the MPICH test suite for the Open MPI in PATH.

Nothing of MPICH is kept in this repository: its test suite is part of
Debian's `mpich` source package, which is fetched from the Debian archive that
the host uses and built in the cache folder.  A cache that is complete is
reused.
"""

import contextlib
import fcntl
import re
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]

# The release of Debian whose suite expected.txt is about, whatever the host's.
DEBIAN = "bookworm"

# program -> Debian package that has it
TOOLS = {
    "mpicc": "libopenmpi-dev",
    "mpirun": "openmpi-bin",
    "gcc": "gcc",
    "make": "make",
}
FETCH_TOOLS = {
    "apt-get": "apt",
    "dpkg-source": "dpkg-dev",
    "tar": "tar",
    "xz": "xz-utils",
}

# The suite uses MPI-1 names which Open MPI declares only when asked to.
CPPFLAGS = "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -DOMPI_REMOVED_USE_STATIC_ASSERT=0"


class BuildError(Exception):
    """The suite cannot be fetched or built; the text tells the user why."""


def require(tools):
    missing = {t: p for t, p in tools.items() if not shutil.which(t)}
    if missing:
        raise BuildError(
            "not found in PATH: %s\nDebian packages that have them: %s"
            % (" ".join(missing), " ".join(sorted(set(missing.values())))))


@contextlib.contextmanager
def locked(cache):
    """Only one process fetches and builds in a cache at a time."""
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def logged(command, log, **options):
    """Run a command with its output in a log; a BuildError if it fails."""
    with open(log, "w") as out:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out,
                              stderr=subprocess.STDOUT, **options)
    if done.returncode:
        tail = log.read_text(errors="replace").splitlines()[-15:]
        raise BuildError("%s failed, see %s\n%s" % (
            " ".join(map(str, command[:3])), log, "\n".join(tail)))


# ---------------------------------------------------------------- fetching

def unpacked_source(cache):
    found = sorted(cache.glob("source/mpich-*/test/mpi/configure"))
    return found[-1].parent if found else None


def fetch(cache):
    """Return the suite's source folder, fetching it if it is not there."""
    done = cache / "source" / "complete"
    if done.exists() and unpacked_source(cache):
        return unpacked_source(cache)
    require(FETCH_TOOLS)
    print("fetching Debian's mpich source package", flush=True)
    shutil.rmtree(cache / "source", ignore_errors=True)
    (cache / "source").mkdir()
    source = cache / "source"
    logged([TOP / "contrib" / "source", DEBIAN, "mpich"],
           cache / "fetch.log", cwd=source)
    logged(["dpkg-source", "-q", "-x", next(source.glob("mpich_*.dsc"))],
           cache / "unpack.log", cwd=source)
    if not unpacked_source(cache):
        raise BuildError("Debian's mpich source package has no test/mpi")
    done.touch()
    return unpacked_source(cache)


# ---------------------------------------------------------------- building

def mpi_version():
    text = subprocess.run(["mpicc", "--showme:version"], text=True,
                          capture_output=True).stdout
    found = re.search(r"Open MPI (\S+)", text)
    if not found:
        raise BuildError("the mpicc in PATH is not Open MPI's")
    return found.group(1)


def configure(source, build):
    """Configure once; the stamp is written only after success."""
    stamp = build / "configured"
    if stamp.exists():
        return
    print("configuring it for Open MPI %s" % mpi_version(), flush=True)
    shutil.rmtree(build, ignore_errors=True)
    build.mkdir(parents=True)
    prefix = Path(shutil.which("mpicc")).parent.parent
    logged([source / "configure", "--with-mpi=%s" % prefix, "CC=mpicc",
            "CPPFLAGS=%s" % CPPFLAGS, "--disable-cxx", "--enable-fortran=none",
            "--enable-threads=multiple", "--disable-romio"],
           build / "configure.log", cwd=build)
    stamp.touch()


def make(build, folder, targets, log):
    """Build what can be built; returns nothing, look for the programs."""
    with open(log, "w") as out:
        subprocess.run(["make", "-k", "-j2", "-C", build / folder, *targets],
                       stdin=subprocess.DEVNULL, stdout=out,
                       stderr=subprocess.STDOUT)


def note_failures(build, folder, programs):
    """Leave what make says about a program that does not build beside it.

    PROGRAM.make also spares the next run the attempt; it gets its name last,
    so that an interruption does not look like a failure.
    """
    for program in programs:
        path = build / folder / program
        if path.exists():
            continue
        partial = path.with_name(program + ".making")
        make(build, folder, [program], partial)
        partial.rename(path.with_name(program + ".make"))


def build_programs(build, folder, programs):
    """Build those of a folder's programs that were not tried before."""
    here = build / folder
    missing = [p for p in programs if not (here / p).exists()
               and not (here / (p + ".make")).exists()]
    if not missing:
        return
    print("building %s" % folder, flush=True)
    make(build, folder, missing, here / "make.log")
    note_failures(build, folder, missing)


def prepare(cache):
    """Fetch, configure, and build the support libraries.

    Returns (source folder, build folder)."""
    require(TOOLS)
    source = fetch(cache)
    version = source.parents[1].name
    build = cache / ("%s-openmpi-%s" % (version, mpi_version()))
    configure(source, build)
    for folder, targets in (("dtpools", []), ("util", ["all"])):
        log = build / folder / "make.log"
        make(build, folder, targets, log)
    if not list(build.glob("util/libmtest_*.la")):
        raise BuildError("the suite's support library does not build, see %s"
                         % (build / "util" / "make.log"))
    return source, build


if __name__ == "__main__":
    sys.exit("this is a part of the script `run`")
