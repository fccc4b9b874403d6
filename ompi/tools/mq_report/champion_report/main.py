# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Arguments, files, and what is written."""

import argparse
import os
import shutil
import sys

from .errors import Wrong

PACKAGES = (("numpy", "python3-numpy"), ("jinja2", "python3-jinja2"),
            ("matplotlib", "python3-matplotlib"))

SYSTEM = "/usr/bin/python3"


class Inputs:
    """What was given, and read."""

    def __init__(self):
        self.profile = self.statistics = self.costs = None
        self.replays = []

    @property
    def ranks(self):
        """Size of the job."""
        one = self.profile or self.statistics or self.replays[0]
        return one.ranks


def other_python():
    """The user's own, such as that of a virtual environment, if we are the
    system's; else None."""
    other = shutil.which("python3")
    try:
        if other and os.path.samefile(sys.executable, SYSTEM) and \
                not os.path.samefile(other, SYSTEM):
            return other
    except OSError:
        pass
    return None


def need_packages():
    """A clear word if one is missing. Where the system's Python lacks one, the
    user's has another try."""
    lacking = []
    for module, package in PACKAGES:
        try:
            __import__(module)
        except ImportError:
            lacking.append((module, package))
    other = other_python() if lacking else None
    if other:
        os.execv(other, [other, *sys.argv])
    if lacking:
        raise Wrong("needs the Python modules %s; on Debian: apt-get install "
                    "%s" % (", ".join(one[0] for one in lacking),
                            " ".join(one[1] for one in lacking)))


def kind_of(path):
    """The kind of a file, by its beginning."""
    try:
        if os.path.isdir(path):
            raise Wrong("%s: a folder" % path)
        with open(path, "rb") as file:
            head = file.read(64)
    except OSError as error:
        raise Wrong("%s: %s" % (path, error.strerror)) from None
    if not head:
        raise Wrong("%s: empty; of a trace (.part): nothing had been written "
                    "when the job ended, records are written 256 KiB at a time"
                    % path)
    if head.startswith(b"mq trace"):
        return "trace"
    if head.startswith(b"mq-profile"):
        return "profile"
    if head.lstrip()[:1] in (b"{", b"["):
        return "statistics"
    raise Wrong("%s: neither a profile (mq_base_profile), nor statistics "
                "(pml_champion_stats json:FILE), nor a trace (mq_base_trace): "
                "it begins with %r" % (path, head[:16].decode("latin-1")))


def read_one(here, inputs, path, kind):
    """Read a file into what there is."""
    from . import profile, replay, statistics
    if kind == "trace":
        inputs.replays.append(replay.trace(here, path))
        return
    if getattr(inputs, kind):
        raise Wrong("%s: a second file of %s; %s is the first: a report is of "
                    "one run" % (path, kind, getattr(inputs, kind).path))
    reader = profile if kind == "profile" else statistics
    setattr(inputs, kind, reader.read(path))


def check_totals(profile, statistics):
    """Have both counted the same messages? Ranks without memory for statistics
    have not."""
    if not profile or not statistics or statistics.missing:
        return
    found = [(int(profile.rank["messages"].sum()),
              int(profile.rank["bytes"].sum())),
             (statistics.sum("messages", "count"),
              statistics.sum("messages", "bytes"))]
    if found[0] != found[1]:
        raise Wrong("%s has %d messages of %d bytes, %s %d of %d: not of the "
                    "same run" % (statistics.path, *found[1], profile.path,
                                  *found[0]))


def check_job(inputs):
    """All of one job?"""
    given = [one for one in (inputs.profile, inputs.statistics,
                             *inputs.replays) if one]
    for one in given[1:]:
        if one.ranks != given[0].ranks:
            raise Wrong("%s is of a job of %d ranks, %s of %d: not of the "
                        "same run" % (one.path, one.ranks, given[0].path,
                                      given[0].ranks))
    check_totals(inputs.profile, inputs.statistics)
    traced = set()
    for one in inputs.replays:
        if one.rank in traced:
            raise Wrong("%s: a second trace of rank %d" % (one.path, one.rank))
        traced.add(one.rank)


def read_all(here, paths):
    """All files; first whether they are what they have to be."""
    from . import replay
    inputs = Inputs()
    kinds = [(kind_of(path), path) for path in paths]
    for kind, path in sorted(kinds, key=lambda one: one[0] == "trace"):
        read_one(here, inputs, path, kind)
    check_job(inputs)
    if not inputs.replays:
        from . import findings
        inputs.costs = replay.Costs(here, findings.served_by(inputs))
    return inputs


def write(path, text):
    """The page; an interrupted or failed run leaves nothing half-written."""
    if path == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    temporary = "%s.%d.tmp" % (path, os.getpid())
    try:
        # Others can guess the name: what has it may be a link to another file.
        if os.path.lexists(temporary):
            os.unlink(temporary)
        with open(temporary, "x", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError as error:
        if not isinstance(error, FileExistsError) and \
                os.path.exists(temporary):
            os.unlink(temporary)
        raise Wrong("%s: cannot be written: %s" % (path, error.strerror)) \
            from None


def check_output(path, inputs):
    """Where it goes must not be where it comes from."""
    for one in inputs:
        if os.path.exists(path) and os.path.samefile(path, one):
            raise Wrong("--output %s would replace an input" % path)
    if os.path.isdir(path):
        raise Wrong("--output %s: a folder" % path)


def arguments(version):
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="mq_report", add_help=False, allow_abbrev=False,
        description="Writes a page of HTML about a program's messages from a "
        "profile, statistics and traces of one run, in any order. See "
        "mq_report(1).")
    parser.add_argument("files", nargs="+", metavar="FILE",
                        help="profile (mq_base_profile), statistics "
                        "(pml_champion_stats json:FILE), traces "
                        "(mq_base_trace)")
    parser.add_argument("-o", "--output", default="mq_report.html",
                        metavar="FILE", help="default mq_report.html; - is "
                        "standard output")
    parser.add_argument("-t", "--title", metavar="TEXT",
                        help="heading of the page")
    parser.add_argument("--version", action="version",
                        version="mq_report (champion) " + version)
    parser.add_argument("-h", "--help", action="help",
                        help="print this and exit")
    return parser.parse_args()


def main(here, version):
    """Returns the exit code: 0, or 2 if something was wrong."""
    given = arguments(version)
    try:
        need_packages()
        from . import page
        if given.output != "-":
            check_output(given.output, given.files)
        inputs = read_all(here, given.files)
        write(given.output, page.make(inputs, given.title, version))
    except Wrong as wrong:
        # A text of mq_replay begins with its name.
        text = str(wrong)
        if not text.startswith("mq_replay: "):
            text = "mq_report: " + text
        print(text, file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 2
    if given.output != "-":
        print("mq_report: wrote %s" % given.output)
    return 0
