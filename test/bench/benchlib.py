# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""What compare and instructions share: programs, PML options, running."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BIN = os.path.join(TOP, "_build", "bench")
HOSTS = os.path.join(TOP, "test", "netns", "hosts")
HEADERS = [os.path.join(HERE, name) for name in ("bench.h", "lines.h")]
CFLAGS = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-g", "-Wall", "-Wextra",
          "-pthread"]

PMLS = ("champion", "ucx", "ob1")
# Another build of UCX (ucx_release): those over it are called so.
RELEASE = "_release"
# No MPI at all: what two processes can hand to each other (lines.h).
LIMIT = "limit"
UCX_RELEASE = os.path.join(TOP, ".cache", "ucx", "install")

# pml/ucx refuses transports that it does not know as fast unless told so.
UCX_OPTIONS = ["--mca", "pml", "ucx",
               "--mca", "opal_common_ucx_tls", "any",
               "--mca", "opal_common_ucx_devices", "any"]


class Failure(Exception):
    """Something that the user has to be told; no traceback needed."""


class NoEnd(Failure):
    """A command took longer than it may."""

    def __init__(self, timeout, command):
        super().__init__(f"no end after {timeout} s: {show(command)}")
        self.short = f"no end after {timeout} s"


def pml_options(pml, mq):
    """mpirun options that select a PML (and champion's matching).

    Without mq it is the framework's own choice.
    """
    if pml == "ucx":
        return list(UCX_OPTIONS)
    if pml == "champion":
        return ["--mca", "pml", "champion"] \
            + (["--mca", "mq", mq] if mq else [])
    return ["--mca", "pml", pml]


def variants(runs, mq=""):
    """{name: mpirun's options} of what --run says, by default all PMLs."""
    found = {}
    for run in runs or PMLS:
        name, words = re.fullmatch(r"(?:(\w+)=)?(.*)", run, re.S).groups()
        try:
            pml, *more = shlex.split(words) or [""]
        except ValueError as reason:
            raise Failure(f"--run '{run}': {reason}") from None
        if pml not in PMLS:
            raise Failure(f"--run '{run}': the PML '{pml}' is none of "
                          + ", ".join(PMLS))
        found[name or pml] = pml_options(pml, mq) + more
    return found


def add_run_argument(parser, default="all three"):
    parser.add_argument("--run", action="append",
                        metavar="'[NAME=]PML OPTION...'",
                        help="champion, ucx or ob1, with options of mpirun, "
                        "and what it is called; may be repeated "
                        f"({default})")


def add_mpirun_argument(parser):
    parser.add_argument("--mpirun", type=str.split, default=[],
                        metavar="OPTIONS",
                        help="more options for mpirun, in one word")


def add_csv_argument(parser):
    parser.add_argument("--csv", metavar="FILE",
                        help="write all figures as contrib/figures reads them")


def enter_hosts(options, hosts, rate):
    """The script again in host1 of so many; does not return."""
    command = [HOSTS, "--hosts", str(hosts)] + ["--pin"] * options.pin
    if rate:
        command += ["--rate", rate]
    os.execv(HOSTS, command + ["--", os.path.abspath(sys.argv[0]), "--inside"]
             + sys.argv[1:])


def positive_numbers(option, text, most):
    """Those of a list with commas, each once, as they stand there."""
    found = []
    for word in text.split(","):
        if not re.fullmatch(r"[0-9]{1,9}", word) or not 1 <= int(word) <= most:
            raise Failure(f"{option} '{text}': '{word}' is no number from 1 "
                          f"to {most}")
        if int(word) not in found:
            found.append(int(word))
    return found


def program(name, folder=None, mpich=False):
    """Path of a benchmark program; without a folder it is built if need be."""
    place = folder or (os.path.join(BIN, "mpich") if mpich else BIN)
    path = os.path.join(place, name)
    if folder is None:
        source = os.path.join(HERE, name + ".c")
        if not newer(path, [source] + HEADERS):
            os.makedirs(place, exist_ok=True)
            command = compiler(mpich) + [near(source), "-o", near(path)]
            print("building:", show(command), file=sys.stderr)
            if subprocess.run(command, check=False).returncode != 0:
                raise Failure(f"cannot build {name}")
    if not os.path.exists(path):
        raise Failure(f"no program {path}: run make {name} in {folder}")
    return near(path)


def compiler(mpich):
    if mpich:
        # Its header says that MPI_STATUSES_IGNORE is an array of no elements.
        return ["mpicc.mpich"] + CFLAGS + ["-Wno-stringop-overflow"]
    return [os.environ.get("MPICC", "mpicc")] + CFLAGS


def newer(path, sources):
    return os.path.exists(path) and all(
        os.path.getmtime(path) >= os.path.getmtime(file) for file in sources)


def near(path):
    """A path as one types it in the current folder."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else os.path.join(".", relative)


def need(tool, package):
    """Stop early when a program is not installed."""
    if shutil.which(tool) is None:
        raise Failure(f"{tool} is not installed (Debian: package {package})")


def need_open_mpi():
    """mpirun must not be that of another MPI which is installed as well."""
    need("mpirun", "openmpi-bin")
    if "Open MPI" not in run(["mpirun", "--version"], 60):
        raise Failure("mpirun is not Open MPI's; on Debian these bring it "
                      "back:\n  update-alternatives --auto mpi\n"
                      "  update-alternatives --auto mpirun")


def release_options():
    """mpirun options by which ranks load the other build of UCX."""
    folders = [os.path.join(UCX_RELEASE, "lib")] \
        + list(filter(None, [os.environ.get("LD_LIBRARY_PATH")]))
    return ["-x", "LD_LIBRARY_PATH=" + ":".join(folders)]


def need_release():
    if not os.path.exists(os.path.join(UCX_RELEASE, "lib", "libucp.so.0")):
        raise Failure("there is no UCX without assertions yet: run "
                      "test/bench/ucx_release")


def install_setting(folder):
    """The variable by which mpirun and its ranks load champion from there."""
    return "OMPI_MCA_mca_base_component_path=" \
        + os.path.join(folder, "lib", "openmpi") + ":SYS_DEFAULT:USER_DEFAULT"


def need_mpich():
    for tool in ("mpicc.mpich", "mpirun.mpich"):
        if shutil.which(tool) is None:
            raise Failure(f"{tool} is not installed: run contrib/setup "
                          "--mpich (Debian: packages mpich, libmpich-dev; "
                          "mpicc and mpirun stay Open MPI's)")


def show(command):
    """A command as one types it into a shell."""
    return " ".join(shlex.quote(word) for word in command)


def run(command, timeout, merge=False, forgive=None):
    """Standard output of a command that must succeed within `timeout` s.

    merge: its standard error as well. forgive: a failure with these words in
    it is only a warning, if the command printed its result.
    """
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merge else subprocess.PIPE, text=True,
        start_new_session=True)
    try:
        output, errors = process.communicate(timeout=timeout)
    except BaseException as reason:
        stop(process)
        if isinstance(reason, subprocess.TimeoutExpired):
            raise NoEnd(timeout, command) from None
        raise
    if process.returncode != 0 and forgive is not None \
            and forgive in errors and "{" in output:
        print(f"warning: exit status {process.returncode}, '{forgive}', "
              f"after the result: {show(command)}", file=sys.stderr)
    elif process.returncode != 0:
        raise Failure(f"exit status {process.returncode}: {show(command)}\n"
                      f"{output[-2000:]}{(errors or '')[-4000:]}")
    return output


def end_cleanly():
    """Being told to end (kill, a closed terminal) also ends what runs."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


def run_main(main):
    """Of a script: ends it with what main() returns, or says why not."""
    name = os.path.basename(sys.argv[0])
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"{name}: {failure}")
    except KeyboardInterrupt:
        sys.exit(f"{name}: interrupted")


def stop(process):
    """End a command started here, with all that it has started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.communicate(timeout=10)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def json_line(output, key=""):
    """The JSON object that a benchmark program prints on one line; with a key,
    the first that has it."""
    for line in output.splitlines():
        if line.startswith("{") and f'"{key}' in line:
            return json.loads(line)
    raise Failure(f"no result in this output:\n{output}")


def write_json(data, path):
    """Renamed when it is complete."""
    try:
        with open(path + ".part", "w", encoding="ascii") as file:
            json.dump(data, file, indent=1)
            file.write("\n")
        os.replace(path + ".part", path)
    except OSError as reason:
        raise Failure(f"cannot write {path}: {reason.strerror}") from None


def table(rows):
    """Rows of strings as aligned text; the first column to the left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join([row[0].ljust(widths[0])]
                       + [cell.rjust(width) for cell, width in
                          zip(row[1:], widths[1:])]).rstrip() for row in rows]
    lines.insert(1, "-" * max(len(line) for line in lines))
    return "\n".join(lines)
