# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs: how they are started, limited, and ended with all their processes; and
what mpirun has to hear on a machine for tests.

    job.py SECONDS COMMAND...   runs it, and ends it after so long; exits as the
                                command does, with 124 if its time was over, with
                                137 if it had to be killed then. If it is over a
                                line names the processes that there are still
    job.py --settings           prints what a shell is to be told: the variables
                                of environment(), and series=...
    job.py --seed               prints seed()
"""

import hashlib
import os
import re
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]

# Seconds after which a job that was told to end is killed; and then given up.
PATIENCE, LAST_PATIENCE = 5, 5
# Seconds for processes to say where they are, on a machine that is busy.
LONGEST_ANSWER = 10


# ---- processes ----

def stat_of(pid):
    """State, parent, group and session of a process, or None."""
    try:
        with open('/proc/%s/stat' % pid, errors='replace') as stat:
            return stat.read().rpartition(')')[2].split()[:4]
    except OSError:
        return None


def name_of(pid):
    try:
        with open('/proc/%s/comm' % pid, errors='replace') as name:
            return name.read().strip()
    except OSError:
        return '?'


def watch(pid):
    """A descriptor that can be read when the process has ended, or None where
    the system has no such thing."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def kill(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Job:
    """A command in a session of its own, in which all that it starts stays:
    mpirun gives each rank a group of its own, but not a session.

    It is not reaped before end(): until then its id, which names the session,
    cannot go to somebody else. Its TMPDIR is its own: of two that share one, the
    mpirun that ends first removes what is the other's."""

    running = set()

    def __init__(self, command, **how):
        how.setdefault('stdin', subprocess.DEVNULL)
        self.folder = tempfile.TemporaryDirectory(prefix='job.',
                                                  ignore_cleanup_errors=True)
        how['env'] = {**how.get('env', os.environ), 'TMPDIR': self.folder.name}
        self.process = subprocess.Popen([str(word) for word in command],
                                        start_new_session=True, **how)
        self.code = None
        self.watched = watch(self.process.pid)
        self.running.add(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def members(self):
        """Its processes that live."""
        return [int(entry) for entry in os.listdir('/proc') if entry.isdigit()
                for stat in [stat_of(entry)]
                if stat and int(stat[3]) == self.process.pid and
                stat[0] not in 'ZX']

    def has_ended(self):
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return (self.code is not None or
                os.waitid(os.P_PID, self.process.pid, flags) is not None)

    def rest(self, seconds):
        """Until it ends, at most so long."""
        if self.watched is None:
            time.sleep(seconds)
        else:
            select.select([self.watched], [], [], seconds)

    def wait(self, seconds, stop=lambda: ''):
        """'' when it has ended by itself, else why it is waited for no longer:
        'timeout', or what stop() says."""
        until = time.monotonic() + seconds
        pause = 0.01
        while not self.has_ended():
            why = stop() or (time.monotonic() > until and 'timeout')
            if why:
                return why
            self.rest(pause)
            pause = min(1.5 * pause, 0.1)
        return ''

    def end(self):
        """Ends what is left of it. Its exit code."""
        if self.code is not None:
            return self.code
        told = set()
        start = time.monotonic()
        while time.monotonic() < start + PATIENCE + LAST_PATIENCE:
            targets = self.members()
            if not targets:
                break
            number = (signal.SIGTERM if time.monotonic() < start + PATIENCE
                      else signal.SIGKILL)
            # mpirun ends its job in good order, if it can.
            if number == signal.SIGTERM and self.process.pid in targets:
                targets = [self.process.pid]
            for pid in targets:
                if (pid, number) not in told:
                    told.add((pid, number))
                    kill(pid, number)
            time.sleep(0.02)
        self.code = self.process.wait()
        # A signal that ends all may come meanwhile, to another thread.
        watched, self.watched = self.watched, None
        if watched is not None:
            os.close(watched)
        self.folder.cleanup()
        self.running.discard(self)
        return self.code


def end_with_jobs():
    """A signal to this program ends what it has started, too."""
    def end(number, frame):
        for job in list(Job.running):
            job.end()
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


@dataclass
class Ran:
    """What a job did. Its exit code is None if it hung."""
    code: int
    output: str
    seconds: float = 0


def listen(file):
    """Until nothing more is written to it."""
    size = -1
    until = time.monotonic() + LONGEST_ANSWER
    while size != os.fstat(file.fileno()).st_size and time.monotonic() < until:
        size = os.fstat(file.fileno()).st_size
        time.sleep(2)


def run(command, seconds, ask=None, **how):
    """Runs it; ask: a signal that makes a job that hangs say where."""
    start = time.monotonic()
    # mpirun hands a rank's errors on in pieces that need not end with a line:
    # in one file, standard output would cut lines of the statistics in two.
    with tempfile.TemporaryFile('w+', errors='replace') as out, \
            tempfile.TemporaryFile('w+', errors='replace') as errors:
        with Job(command, stdout=out, stderr=errors, **how) as job:
            hung = job.wait(seconds)
            if hung and ask:
                job.process.send_signal(ask)
                listen(errors)
        out.seek(0)
        errors.seek(0)
        return Ran(None if hung else job.code, out.read() + errors.read(),
                   time.monotonic() - start)


def excerpt(output, most=30):
    """The output without most of its similar lines, and not all of it; of a
    sanitizer's report both sides."""
    shown, seen = [], {}
    if 'Sanitizer: ' in output:
        most *= 4
    for line in output.splitlines():
        kind = re.sub(r'0x[0-9a-f]+|[0-9]+', '#', line)
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] <= 3:
            shown.append(line)
    if len(shown) > most:
        left_out = len(shown) - most
        shown[most // 2:-most // 2] = ['... %d lines ...' % left_out]
    return shown


# ---- Open MPI ----

# PML -> parameters. Without its last two pml/ucx leaves shared memory and TCP to
# pml/ob1.
PMLS = {
    'champion': [],
    'ob1': [],
    'ucx': [('opal_common_ucx_tls', 'any'),
            ('opal_common_ucx_devices', 'any')],
}

# More ranks than cores, and none bound to one. Each series complains of the way
# of the one before.
FEW_CORES = {
    '4.1': {'OMPI_MCA_rmaps_base_oversubscribe': '1',
            'OMPI_MCA_hwloc_base_binding_policy': 'none'},
    '5.0': {'PRTE_MCA_rmaps_default_mapping_policy': ':oversubscribe',
            'PRTE_MCA_hwloc_default_binding_policy': 'none'},
    '6.0': {'PRTE_MCA_mapby': ':oversubscribe',
            'PRTE_MCA_bindto': 'none'},
}


def seed():
    """Of all random choices: TEST_SEED, or one that each commit has for itself, so
    that what is tested differs from one to the next and a run can be repeated."""
    if os.environ.get('TEST_SEED', '').isdigit():
        return int(os.environ['TEST_SEED'])
    try:
        commit = subprocess.run(
            ['git', '-C', str(TOP), 'rev-parse', 'HEAD'], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()
    except OSError:
        commit = ''
    # A release, and a copy, have none.
    text = commit or (TOP / 'VERSION').read_text()
    return int(hashlib.sha256(text.encode()).hexdigest()[:7], 16) or 1


def series():
    """Of the Open MPI that mpirun belongs to, such as '4.1'."""
    try:
        text = subprocess.run(['mpirun', '--version'], text=True,
                              stdout=subprocess.PIPE).stdout
    except OSError:
        return ''
    found = re.search(r'Open MPI\) (\d+\.\d+)', text)
    return found.group(1) if found else ''


# What mpirun and each rank look for with every start, and nothing here is placed
# by: GPUs and PCI devices. A third of the CPU time of a start is theirs.
NO_DEVICES = {'HWLOC_COMPONENTS': '-gl,-opencl,-cuda,-pci,-linuxio',
              'HWLOC_PLUGINS_PATH': '/nonexistent'}


def settings(of_series=None):
    """What a user types nothing for: root in a container, few cores."""
    return {'OMPI_ALLOW_RUN_AS_ROOT': '1',
            'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
            **NO_DEVICES,
            **FEW_CORES.get(of_series or series(), {})}


def environment(of_series=None, **more):
    """For a job; what is set already stays."""
    return {**settings(of_series), **os.environ, **more}


def mca(pairs):
    """mpirun's words for parameters."""
    return [word for key, value in pairs for word in ('--mca', key, str(value))]


def mpirun(np, pml, parameters=(), program='mpirun'):
    """The beginning of a command."""
    return [*shlex.split(program), '-np', str(np), '--mca', 'pml', pml,
            *mca([*PMLS.get(pml, []), *parameters])]


def has_pml(name):
    """Whether Open MPI finds the component; not knowing counts as yes."""
    try:
        listing = subprocess.run(['ompi_info', '--parsable'],
                                 stdout=subprocess.PIPE, text=True,
                                 stderr=subprocess.DEVNULL).stdout
    except OSError:
        return True
    return not listing or 'mca:pml:%s:' % name in listing


def has_accelerators():
    """Whether Open MPI was built for devices: 5.0 always, 4.1 with CUDA."""
    if series() != '4.1':
        return True
    listing = subprocess.run(['ompi_info', '--parsable', '--all'], text=True,
                             stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout
    return 'built_with_cuda_support:value:true' in listing


def need_pmls(*names):
    for name in names:
        if not has_pml(name):
            sys.exit('Open MPI finds no pml/%s: install it, or load the env.sh'
                     ' of its folder' % name)


# ---- programs ----

def add_arguments(parser, folder, jobs=1, timeout=120):
    """The options that all runners of programs have."""
    parser.add_argument('--bin', default=str(TOP / folder), metavar='DIR',
                        help='folder of the programs (default: %s)' % folder)
    parser.add_argument('--build', action='store_true',
                        help='compile what is missing or old into --bin, with'
                        ' $MPICC and $CFLAGS')
    parser.add_argument('--mpirun', default='mpirun',
                        help='mpirun, with further options if wanted')
    parser.add_argument('--timeout', type=float, default=timeout, metavar='S',
                        help='after which a program counts as hanging (%d)' %
                        timeout)
    parser.add_argument('--jobs', type=int, default=jobs, metavar='N',
                        help='programs at a time (default %d)' % jobs)


def compile_program(binary, source, *flags, headers=(), compiler='MPICC',
                    default='mpicc'):
    """Unless it is newer than its sources; for use without make."""
    binary, source = Path(binary), Path(source)
    newest = max(Path(file).stat().st_mtime for file in (source, *headers))
    if binary.exists() and binary.stat().st_mtime >= newest:
        return
    binary.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([*shlex.split(os.environ.get(compiler, default)),
                    '-std=c11', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror',
                    '-Wno-unused-parameter', '-Wno-deprecated-declarations',
                    '-pthread',
                    *shlex.split(os.environ.get('CFLAGS', '-O2 -g')),
                    *flags, '-o', str(binary), str(source), '-lm'], check=True)


def compile_adapter(folder):
    """The stand-in for adapters that match tags: a library for champion."""
    source = TOP / 'test/mpi/protocol/fake_adapter.c'
    compile_program(Path(folder, 'fake_adapter.so'), source, '-I', TOP,
                    '-shared', '-fPIC', compiler='CC', default='cc')


def compile_stand_in(folder):
    """The stand-ins for an accelerator: a component of Open MPI's, and the
    driver that 4.1 loads."""
    source = TOP / 'test/mpi/device/stand_in.c'
    compile_program(Path(folder, 'mca_accelerator_stand_in.so'), source,
                    *ompi_includes(), '-shared', '-fPIC', compiler='CC',
                    default='cc')
    source = TOP / 'test/mpi/device/cuda_driver.c'
    compile_program(Path(folder, 'libcuda.so.1'), source, '-shared', '-fPIC',
                    headers=[source.with_name('cuda.h')], compiler='CC',
                    default='cc')


def ompi_includes():
    """The compiler's flags for the headers of Open MPI's components, with those
    that distributions leave out, and of PMIx, which they include."""
    mpicc = shlex.split(os.environ.get('MPICC', 'mpicc'))
    folders = subprocess.run([*mpicc, '--showme:incdirs'], text=True, check=True,
                             stdout=subprocess.PIPE).stdout.split()
    flags = []
    for folder in folders:
        flags += ['-isystem', folder, '-isystem', folder + '/openmpi']
    pmix = subprocess.run(['pkg-config', '--cflags', 'pmix'], text=True,
                          stdout=subprocess.PIPE).stdout.split()
    return [*flags, *pmix, '-idirafter', str(TOP / 'config/headers')]


def main(arguments):
    if arguments == ['--settings']:
        for name, value in settings().items():
            print('export %s=%s' % (name, shlex.quote(value)))
        print('series=' + series())
        return 0
    if arguments == ['--seed']:
        print(seed())
        return 0
    if len(arguments) < 2 or not arguments[0].isdigit():
        sys.exit('usage: job.py SECONDS COMMAND..., or job.py --settings,'
                 ' or job.py --seed')
    end_with_jobs()
    with Job(arguments[1:]) as job:
        late = job.wait(int(arguments[0]))
        if late:
            print('job.py: after %s s there are still: %s' % (
                arguments[0], ' '.join(sorted(map(name_of, job.members())))),
                file=sys.stderr, flush=True)
    if not late:
        return job.code if job.code >= 0 else 128 - job.code
    return 137 if job.code == -signal.SIGKILL else 124


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
