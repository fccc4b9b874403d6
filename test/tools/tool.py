# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of mq_replay and mq_report share: a folder of their own, and
commands that run in it."""

import os
import subprocess
import tempfile

import job
from tap import need

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 240
work = ''


def begin(folder=None):
    global work
    work = folder or tempfile.mkdtemp()
    os.makedirs(work, exist_ok=True)
    os.environ.update(job.environment())


def command(*arguments, **environment):
    """Exit code, standard output, standard error."""
    done = subprocess.run([str(a) for a in arguments], timeout=SECONDS,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          cwd=work, encoding='utf-8', errors='replace',
                          env=dict(os.environ, **environment))
    return done.returncode, done.stdout, done.stderr


def succeed(*arguments):
    """Standard output of a command that has to succeed."""
    code, out, err = command(*arguments)
    need(code == 0, 'exit code %d\n%s%s' % (code, out, err))
    return out


def refused(texts, *arguments, code=2, **environment):
    """A command that has to fail, with each of these texts, and print nothing."""
    got, out, err = command(*arguments, **environment)
    said = '%s\nexit code %d\n%s%s' % (arguments, got, out, err)
    need(got == code, said)
    need('Traceback' not in err, said)
    need(out == '', 'there is something on standard output: ' + said)
    for text in texts.split('|'):
        need(text in err, "expected, but not there: '%s'\n%s" % (text, said))


def compiled(name, source):
    succeed('mpicc', '-O1', '-I', HERE + '/../mpi/lib', '-o', path(name), source)


def path(name):
    return os.path.join(work, name)


def beginning(text):
    """Names of the files that begin so."""
    return sorted(name for name in os.listdir(work) if name.startswith(text))


def write(name, text):
    with open(path(name), 'wb' if isinstance(text, bytes) else 'w') as file:
        file.write(text)
    return name


def read(name):
    with open(path(name), encoding='utf-8') as file:
        return file.read()


def read_bytes(name):
    with open(path(name), 'rb') as file:
        return file.read()
