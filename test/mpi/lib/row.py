# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""What a row of a table of MPI programs says, and how it is run."""

import concurrent.futures
import copy
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER.parent / 'lib'))

import job
import tap

# Program -> its source, below this folder's parent: each is in one of several
# folders, by subject.
SOURCES = {path.stem: path.relative_to(FOLDER)
           for path in sorted(FOLDER.glob('*/*.c'))}
HEADERS = sorted((FOLDER / 'lib').glob('*.h'))

# Its functions are called in place of UCX's, or by the stand-ins. As in
# Makefile.am.
LINKED_WITH = {'failing_sends': ['-rdynamic'], 'waits': ['-rdynamic'],
               'device_memory': ['-rdynamic'], 'tool_events': ['-rdynamic'],
               'messages_while_computing': ['-rdynamic'],
               'sessions': ['-rdynamic'], 'striped_messages': ['-rdynamic']}

NO_ABI = {series: "has not the standard's binary interface"
          for series in ('4.1', '5.0')}

SKIP = 77

COMPONENT_PATH = 'OMPI_MCA_mca_base_component_path'

# mpirun of Open MPI 4.1.4 with PMIx 4.2 loses about one help text in three: it
# frees the text before it sends it. Nothing of the text is shown then. Champion's
# own are printed as a line, too.
LOST_HELP = 'show_help.c at line'

# Now and then ThreadSanitizer wants 500 TB for a thread's shadow, and ends: that
# is no race found, nor none.
NO_SHADOW = 'ThreadSanitizer failed to allocate'
NO_SHADOW_RETRIES = 5

OTHER_RANKS = Path(__file__).resolve().parent / 'other_ranks'
# A process stands there, of those that say where they hang.
STARTS = re.compile(r'\(PMIx_Init\+')
# So often pml/ob1 may show that a fault is Open MPI's.
RUNS_OF_OTHER = 4

COMPLAINT = re.compile(
    r'leak|(?<!mpi_)assert|\bERROR\b|UCX\s+(WARN|ERROR)|Sanitizer|runtime error:',
    re.IGNORECASE)

# What champion says of a program's faults, and the programs that have some on
# purpose.
FAULT_NAMED = re.compile(
    r'champion: (MPI_ERR|rank \d+ of .* has not|there is no|the parameter'
    r'|stuck: |.* is ignored)')
FAULTY = {
    'communicator_life_cycle', 'component_changes', 'device_memory',
    'finalize_with_pending', 'late_receivers', 'messages_to_self',
    'messages_while_computing', 'partings', 'private_memory',
    'random_datatypes', 'receive_offload', 'rings', 'shared_copies',
    'striped_messages', 'thread_multiple', 'truncation_is_reported'}


class Row:
    """One run of one program.

    np        numbers of ranks; the ones asked for with --np that are not
              below the smallest of these are run, or these without --np
    tags      for --filter: threads, spawn, rma, slow, deep
    exit      expected exit code; 'nonzero' for a job that has to end itself
    mca       extra MCA parameters
    others    MCA parameters that ranks with an odd number have instead
    mpirun    other arguments of mpirun's
    quiet     False when the row's output may speak of errors
    expect    text (regular expression) that the output must contain
    not_under why a PML of Open MPI itself cannot pass (it is then skipped)
    not_in    the same by series of Open MPI, whatever the PML
    fault     a known fault of Open MPI's, by what a rank that hangs says of
              where it is (regular expression): pml/ob1 has to show it, too
    alone     pml/ob1 cannot run it: being there is enough
    told      exit code that tells the text expected, if mpirun loses that
    unheard   mpirun may say that ranks have left without MPI_Finalize: they say
              themselves that they have not
    device    there is an accelerator: Open MPI finds the stand-in's component,
              or driver, in --bin
    needs     what not every machine has: run only if --filter has one of the
              row's tags
    abi       the program is built for the standard's binary interface
    """

    def __init__(self, program, args='', np='2 4', tags='', exit=0, mca=(),
                 mpirun='', quiet=True, expect=None, not_under=None,
                 not_in=None, fault=None, alone=False, told=None, unheard=False,
                 device=False, needs='', abi=False, others=()):
        self.program = program
        self.args = shlex.split(args)
        self.np = [int(n) for n in np.split()]
        self.tags = tags.split()
        self.exit = exit
        self.mca = list(mca)
        self.others = list(others)
        self.mpirun = shlex.split(mpirun)
        self.quiet = quiet
        self.expect = expect
        self.not_under = not_under or {}
        self.not_in = not_in or {}
        self.fault = fault
        self.alone = alone
        self.told = told
        self.unheard = unheard
        self.device = device
        self.needs = needs
        self.abi = abi

    def name(self):
        return ' '.join([self.program] + ['(standard ABI)'] * self.abi +
                        self.args + self.mpirun +
                        ['%s=%s' % pair for pair in self.mca] +
                        ['odd ranks:'] * bool(self.others) +
                        ['%s=%s' % pair for pair in self.others])


def abi_compiler(directory):
    """Open MPI's wrapper for the standard's binary interface. Debian has what it
    is made of, but not its name. $MPICC is the one for Open MPI's own."""
    found = shutil.which('mpicc_abi')
    if not found:
        found = Path(directory).resolve() / 'mpicc_abi'
        if not found.is_symlink():
            found.parent.mkdir(parents=True, exist_ok=True)
            found.symlink_to(shutil.which('opal_wrapper') or 'opal_wrapper')
    return {'compiler': 'MPICC_ABI', 'default': str(found)}


def build(directory, rows, series):
    """Compiles what is older than its sources, on all cores; for use without
    make."""
    programs = sorted({(row.program, row.abi) for row in rows
                       if not (row.abi and series in NO_ABI)})
    how = {False: {}}
    if any(abi for _, abi in programs):
        how[True] = abi_compiler(directory)

    def compile_one(item):
        program, abi = item
        job.compile_program(binary(directory, program, abi),
                            FOLDER / SOURCES[program], '-I', FOLDER / 'lib',
                            *LINKED_WITH.get(program, []), headers=HEADERS,
                            **how[abi])

    with concurrent.futures.ThreadPoolExecutor(
            len(os.sched_getaffinity(0))) as pool:
        list(pool.map(compile_one, programs))
    job.compile_adapter(directory)
    job.compile_stand_in(directory)


def binary(directory, program, abi=False):
    return Path(directory, SOURCES[program].with_suffix('.abi' if abi else ''))


def arguments(options, row):
    """From 5.0 on Open MPI's own datatype engine gets about one random type in ten
    wrong, whatever the PML: there these are the ones that are known to be right."""
    if row.program != 'random_datatypes' or options.series == '4.1':
        return row.args
    words = ' '.join(row.args)
    return (words.replace('--salt', '--seed') if '--salt' in words
            else words + ' --seed 1').split()


def command(options, row, np):
    wanted = [('mq', options.mq)] if options.mq else []
    wanted += [tuple(pair) for pair in options.mca]
    # A row's own choice goes before: mpirun takes no parameter twice.
    wanted = [pair for pair in wanted if pair[0] not in dict(row.mca)]
    folder = str(Path(options.bin).resolve())
    parameters = [(key, value.replace('{bin}', folder))
                  for key, value in row.mca + wanted]
    line = job.mpirun(np, options.pml, parameters, options.mpirun)
    if options.seed is not None:
        line += ['-x', 'TEST_SEED=%s' % options.seed]
    others = ['OMPI_MCA_%s=%s' % (key, value.replace('{bin}', folder))
              for key, value in row.others]
    return [*line, *row.mpirun,
            *([str(OTHER_RANKS), str(len(others)), *others] if others else []),
            str(binary(options.bin, row.program, row.abi)),
            *arguments(options, row)]


# What mpirun says when it got no core for the two seconds in which a rank waits for
# it to hear that it ends.
UNHEARD = 'exiting improperly'


def judge(row, ran, timeout):
    """Nothing when the run is as it should be, else what is wrong with it."""
    if row.unheard and ran.all_ended and UNHEARD in ran.output:
        ran.code = 0
    if ran.code is None:
        return 'still running after %d s' % timeout
    if row.exit == 'nonzero':
        if ran.code == 0:
            return 'exit code 0, expected another'
    elif ran.code != row.exit:
        return 'exit code %d, expected %d' % (ran.code, row.exit)
    if row.quiet:
        for line in ran.output.splitlines():
            if COMPLAINT.search(line) or (row.program not in FAULTY and
                                          FAULT_NAMED.search(line)):
                return 'printed: ' + line.strip()
    if row.expect and not re.search(row.expect, ran.output) and not (
            ran.code == row.told and LOST_HELP in ran.output):
        return 'did not print %r' % row.expect
    return ''


def find_device(env, options):
    """A driver of that name is not wanted where UCX may load it, too."""
    folder = Path(options.bin).resolve()
    if options.series == '4.1':
        paths = [str(folder), env.get('LD_LIBRARY_PATH', '')]
        env['LD_LIBRARY_PATH'] = ':'.join(filter(None, paths))
    else:
        path = env.get(COMPONENT_PATH, 'SYS_DEFAULT:USER_DEFAULT')
        env[COMPONENT_PATH] = '%s:%s' % (folder, path)


def run_once(options, row, np):
    """Once, unless ThreadSanitizer gave up."""
    env = job.environment(options.series)
    if options.seed is not None:
        env['TEST_SEED'] = str(options.seed)
    if row.device:
        find_device(env, options)
    for _ in range(NO_SHADOW_RETRIES):
        with tempfile.NamedTemporaryFile() as ends:
            env['MPI_TEST_ENDS'] = ends.name
            ran = job.run(command(options, row, np), options.timeout,
                          signal.SIGUSR1, env=env)
            ran.all_ended = len(set(ends.read().split())) == np
        if NO_SHADOW not in ran.output:
            break
    return ran


def held_against(options, row, np):
    """What pml/ob1 does with a row that showed a fault of Open MPI's."""
    if row.alone:
        return tap.Result(skip="Open MPI's fault: it hangs, whatever the PML")
    others = copy.copy(options)
    others.pml = 'ob1'
    for number in range(1, RUNS_OF_OTHER + 1):
        ran = run_once(others, row, np)
        if ran.code is None and re.search(row.fault, ran.output):
            return tap.Result(skip="Open MPI's fault: it hangs under pml/ob1,"
                              ' too (in run %d)' % number)
    return None


def run_row(options, row, np):
    """Returns its Result."""
    for name, reason in ((options.pml, row.not_under.get(options.pml)),
                         (options.series, row.not_in.get(options.series))):
        if reason and not options.all:
            return tap.Result(skip='not under %s: %s' % (name, reason))
    if row.device and not options.accelerators and not options.all:
        return tap.Result(skip='Open MPI was not built for accelerators')
    ran = run_once(options, row, np)
    if ran.code == SKIP:
        return tap.Result(skip=last_words(ran.output))
    if ran.code is None and row.fault and STARTS.search(ran.output):
        return tap.Result(skip="Open MPI's fault: a process hangs in PMIx_Init,"
                          ' before it has any PML')
    if ran.code is None and row.fault and re.search(row.fault, ran.output):
        known = held_against(options, row, np)
        if known:
            return known
    wrong = judge(row, ran, options.timeout)
    lines = job.excerpt(ran.output) if wrong or options.verbose else []
    if wrong:
        lines = [shlex.join(command(options, row, np))] + lines
    return tap.Result(wrong, lines)


def last_words(output):
    """Of a program that says why it is skipped."""
    lines = [line for line in output.splitlines() if line.startswith('SKIP')]
    return lines and lines[-1][4:].strip(' :') or 'the program says not why'
