# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a test that is a Python program, in the Test Anything Protocol.

A row is `ok N - what`; what explains a failure are `# ` lines behind it, and
the plan `1..N` is the last line. Which rows run is chosen as in tap.sh, by
TAP_ONLY and TAP_PREFIX, or the options of add_arguments; with TAP_LIST they are
only listed, and from TAP_UNTIL on they are skipped.

pytest would replace this file and little else: half of the tests are shell
scripts, tables of jobs need what runs and judges a row all the same, and to run
rows beside each other takes a plug-in.
"""

import argparse
import concurrent.futures
import fnmatch
import functools
import os
import subprocess
import sys
import threading
import time
import traceback
from dataclasses import dataclass, field

SHOWN = 40      # lines of what explains a failure
NO_TIME = 'no time'     # why rows are skipped from TAP_UNTIL on


class Broken(Exception):
    """A promise that is not kept; the text says what is wrong."""


@dataclass
class Result:
    """What came of a row: nothing is wrong, or something, or it was skipped."""
    wrong: str = ''
    lines: list = field(default_factory=list)
    skip: str = ''


_lock = threading.Lock()
_rows = _failed = 0
_pending = []       # what later rows build on, and none has needed yet


# ---- which rows ----

def only(pattern):
    """Rows whose text contains the pattern."""
    os.environ['TAP_ONLY'] = '\n'.join(_patterns() + ['*%s*' % pattern])


def _patterns():
    return [line for line in os.environ.get('TAP_ONLY', '').split('\n') if line]


def listing():
    return bool(os.environ.get('TAP_LIST'))


def out_of_time():
    """TAP_UNTIL has come, seconds since 1970."""
    return time.time() >= float(os.environ.get('TAP_UNTIL') or 'inf')


def selected(what):
    text = os.environ.get('TAP_PREFIX', '') + what
    patterns = _patterns()
    return not patterns or any(fnmatch.fnmatchcase(text, pattern)
                               for pattern in patterns)


def chosen(items, name, note=lambda item: ''):
    """Those whose rows, called name(item), are to run. If rows are only listed
    that is done, and none is to run."""
    wanted = [item for item in items if selected(name(item))]
    if not listing():
        return wanted
    for item in wanted:
        row(name(item), Result(skip='listed ' + note(item)))
    return []


class _Only(argparse.Action):
    def __call__(self, parser, options, values, option_string=None):
        only(values)


class _List(argparse.Action):
    def __call__(self, parser, options, values, option_string=None):
        os.environ['TAP_LIST'] = '1'


def add_arguments(parser):
    parser.add_argument('--only', action=_Only, metavar='PATTERN',
                        help='only rows whose text contains the pattern (of'
                        ' the shell; may be repeated)')
    parser.add_argument('--list', action=_List, nargs=0,
                        help='only list the rows')


# ---- rows ----

def row(what, result=Result(), seconds=None):
    """Prints one."""
    global _rows, _failed
    lines = [result.wrong] + result.lines if result.wrong else result.lines
    with _lock:
        _rows += 1
        _failed += bool(result.wrong)
        print('%s %d - %s%s%s' % (
            'not ok' if result.wrong else 'ok', _rows, what,
            ' # SKIP ' + result.skip.strip() if result.skip else '',
            '' if seconds is None or result.skip
            else ' # time=%.0fms' % (1000 * seconds)))
        for line in '\n'.join(lines).splitlines()[-SHOWN:]:
            print('# ' + line)
        sys.stdout.flush()


def note(text):
    """A line that is no row."""
    with _lock:
        print('# ' + text, flush=True)


def finish():
    """The end of a test; its exit code."""
    print('1..%d' % _rows, flush=True)
    return 1 if _failed else 0


def each(items, name, test, jobs=1):
    """A row for each item, so many at a time. test(item) returns a Result."""
    def one(item):
        start = time.monotonic()
        try:
            result = Result(skip=NO_TIME) if out_of_time() else test(item)
        except Exception:
            result = Result('the test itself fails', [traceback.format_exc()])
        row(name(item), result, time.monotonic() - start)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for future in [pool.submit(one, item) for item in items]:
            future.result()


# ---- promises that are functions ----

def need(condition, text):
    if not condition:
        raise Broken(text)


def same(what, got, wanted):
    need(got == wanted, '%s: %r, expected %r' % (what, got, wanted))


def promise(what):
    """Decorator: runs the function at once; it raises if something is wrong."""
    def run(function):
        if selected(what) and not listing() and out_of_time():
            row(what, Result(skip=NO_TIME))
            return function
        return _wanted(what, function)
    return run


def _wanted(what, function):
    if selected(what) and listing():
        row(what, Result(skip='listed'))
    elif selected(what):
        while _pending:
            _pending.pop(0)()
        start = time.monotonic()
        row(what, _tried(function), time.monotonic() - start)
    return function


def _tried(function):
    try:
        function()
    except (Broken, subprocess.TimeoutExpired, ValueError, OSError,
            LookupError) as why:
        return Result(str(why) or repr(why))
    return Result()


def step(what):
    """Decorator: a promise on which later ones build. If it is not wanted, it
    runs before the first of them that is."""
    if selected(what) or listing():
        return functools.partial(_wanted, what)
    return prepare


def prepare(function):
    """Decorator: what later rows build on, done before the first that runs."""
    _pending.append(function)
    return function
