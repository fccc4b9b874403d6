#!/usr/bin/env python3
# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""What distributed training does with its gradients: layer by layer, backwards,
they are computed and summed over all ranks, first by MPI_Allreduce, which the
next layer waits for, then by MPI_Iallreduce beside the layers that follow.

    mpirun -np 4 --mca pml champion python3 gradients.py

The computation is arithmetic, or with --accelerator somebody else's: the
processor has nothing to do meanwhile. The sums are checked. The last line has
the medians of the slowest rank: of a step's computation alone, and of whole
steps."""

import argparse
import time

import numpy
from mpi4py import MPI

COMM = MPI.COMM_WORLD


def arguments():
    parser = argparse.ArgumentParser(description="sums gradients")
    parser.add_argument("--layers", type=int, default=25)
    parser.add_argument("--kib", type=int, default=4096,
                        help="gradients of a layer, KiB (4096: 25 layers have "
                        "100 MiB, as ResNet-50)")
    parser.add_argument("--ms", type=float, default=15,
                        help="computation of a layer, ms (15)")
    parser.add_argument("--accelerator", action="store_true",
                        help="computation leaves the processor idle")
    parser.add_argument("--steps", type=int, default=5)
    return parser.parse_args()


class Network:
    """Layers whose gradients are known, so that their sums are, too."""

    def __init__(self, given):
        self.seconds = given.ms * 1e-3
        self.work = time.sleep if given.accelerator else self.calculate
        self.gradients = [numpy.empty(given.kib * 256, numpy.float32)
                          for _ in range(given.layers)]
        self.weights = numpy.linspace(0.5, 1.0, 4096, dtype=numpy.float32)

    def calculate(self, seconds):
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.weights = numpy.sqrt(self.weights * self.weights)

    def compute(self, layer, step):
        """Backwards through a layer, for as long as it takes."""
        self.work(self.seconds)
        self.gradients[layer].fill((COMM.rank + 1) * (layer + 1) + step)

    def check(self, step):
        for layer, sums in enumerate(self.gradients):
            wanted = (layer + 1) * COMM.size * (COMM.size + 1) // 2 + \
                COMM.size * step
            if not (sums == wanted).all():
                raise SystemExit("layer %d: %s instead of %d" %
                                 (layer, sums[sums != wanted][0], wanted))


def alone(network, step):
    for layer in reversed(range(len(network.gradients))):
        network.compute(layer, step)


def blocking(network, step):
    for layer in reversed(range(len(network.gradients))):
        network.compute(layer, step)
        COMM.Allreduce(MPI.IN_PLACE, network.gradients[layer])
    network.check(step)


def overlapped(network, step):
    requests = []
    for layer in reversed(range(len(network.gradients))):
        network.compute(layer, step)
        requests.append(COMM.Iallreduce(MPI.IN_PLACE,
                                        network.gradients[layer]))
    MPI.Request.Waitall(requests)
    network.check(step)


def median(way, network, steps):
    """Of the steps, each as long as its slowest rank takes, in ms."""
    times = []
    for step in range(steps):
        COMM.Barrier()
        begin = time.perf_counter()
        way(network, step)
        times.append(COMM.allreduce(time.perf_counter() - begin, MPI.MAX))
    return 1e3 * sorted(times)[steps // 2]


def main():
    given = arguments()
    network = Network(given)
    times = [median(way, network, given.steps)
             for way in (alone, blocking, overlapped)]
    if COMM.rank == 0:
        print("sums are right; computation %.1f ms, with MPI_Allreduce %.1f ms, "
              "with MPI_Iallreduce %.1f ms" % tuple(times))


main()
