# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""What a row of the table of MPI programs says."""

import shlex


class Row:
    """One run of one program.

    np        numbers of ranks; the ones asked for with --np that are not
              below the smallest of these are run, or these without --np
    tags      for --filter: threads, spawn, rma, slow, deep
    exit      expected exit code; 'nonzero' for a job that has to end itself
    mca       extra MCA parameters
    mpirun    other arguments of mpirun's
    quiet     False when the row's output may speak of errors
    expect    text (regular expression) that the output must contain
    not_under why a PML of Open MPI itself cannot pass (it is then skipped)
    not_in    the same by series of Open MPI, whatever the PML
    retry     a hang is tried again if a rank says that it is in this
    help      the text expected is a help text that mpirun may lose
    needs     what not every machine has: run only if --filter has one of the
              row's tags
    """

    def __init__(self, program, args='', np='2 4', tags='', exit=0, mca=(),
                 mpirun='', quiet=True, expect=None, not_under=None,
                 not_in=None, retry=None, help=False, needs=''):
        self.program = program
        self.args = shlex.split(args)
        self.np = [int(n) for n in np.split()]
        self.tags = tags.split()
        self.exit = exit
        self.mca = list(mca)
        self.mpirun = shlex.split(mpirun)
        self.quiet = quiet
        self.expect = expect
        self.not_under = not_under or {}
        self.not_in = not_in or {}
        self.retry = retry
        self.help = help
        self.needs = needs

    def name(self):
        return ' '.join([self.program] + self.args + self.mpirun +
                        ['%s=%s' % pair for pair in self.mca])
