# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The table of long runs: random traffic, every way that messages take, while
memory and descriptors stay what they are. Stage soak of contrib/check runs it, for
SOAK_MINUTES in all (60)."""

import os

from row import Row
from rows import (COPIED_BY_UCX, LATE, OFFLOAD_ALL, PREFETCH, RINGS, RINGS_OFF,
                  SLEEP, TCP, THREAD, YIELD, flow)

WAYS = [dict(), dict(mca=RINGS), dict(mca=RINGS, np='4'), dict(mca=RINGS_OFF),
        dict(mca=LATE), dict(mca=SLEEP), dict(mca=SLEEP, np='4'),
        dict(mca=THREAD), dict(mca=PREFETCH), dict(mca=OFFLOAD_ALL),
        dict(mca=flow(10000)), dict(mca=COPIED_BY_UCX), dict(mpirun=TCP)]
SECONDS = int(60 * float(os.environ.get('SOAK_MINUTES', '60')) / len(WAYS))


def long_run(np='2', mca=(), mpirun=''):
    return Row('soak', '--seconds %d' % SECONDS, np=np, mca=[*mca, *YIELD],
               mpirun=mpirun)


TABLE = [long_run(**way) for way in WAYS]
