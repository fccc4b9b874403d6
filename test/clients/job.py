# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Runs one MPI job under one PML, and ends it if it hangs."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "test" / "mpich"))

from suite import end_session, has_ended  # noqa: E402

# PML -> mpirun's arguments. Without its last two parameters pml/ucx leaves
# shared memory and TCP to pml/ob1.
PMLS = {
    "ob1": ["--mca", "pml", "ob1"],
    "ucx": ["--mca", "pml", "ucx", "--mca", "opal_common_ucx_tls", "any",
            "--mca", "opal_common_ucx_devices", "any"],
    "champion": ["--mca", "pml", "champion"],
}

# More ranks than cores, none bound to one, each with one thread. Open MPI 4.1
# and later ones each heed their own names.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


class Ran:
    """What a job did: its exit code, None if it hung; its output; seconds."""

    def __init__(self, code, output, seconds):
        self.code = code
        self.output = output
        self.seconds = seconds


def run(pml, ranks, command, folder, stdin=None, timeout=600, mca=(),
        environment=None):
    """Runs `command` on so many ranks, in `folder`."""
    env = {**ENVIRONMENT, **os.environ, **(environment or {})}
    line = ["mpirun", "-np", str(ranks), *PMLS[pml]]
    for key, value in mca:
        line += ["--mca", key, value]
    line += [str(word) for word in command]
    start = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as log, \
            open(stdin or os.devnull) as given:
        process = subprocess.Popen(line, cwd=folder, env=env, stdin=given,
                                   stdout=log, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        hung = not waited(process, timeout)
        code = process.wait()
        log.seek(0)
        return Ran(None if hung else code, log.read(),
                   time.monotonic() - start)


def waited(process, timeout):
    """Whether mpirun came to its end; nothing that it started is left."""
    until = time.monotonic() + timeout
    pause = 0.01
    try:
        while not has_ended(process) and time.monotonic() < until:
            time.sleep(pause)
            pause = min(2 * pause, 0.2)
        return has_ended(process)
    finally:
        end_session(process)
