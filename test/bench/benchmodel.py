# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The model of test/bench/estimate: the time of a step of one process.

After LogGOPS (Hoefler, Schneider, Lumsdaine, "LogGOPSim: simulating large-scale
applications in the LogGOPS model", 2010), with a term for matching and one for
ranks that share cores. All ranks do the same at the same time, so that one of
them stands for all. Times are in us.

    latency   L: of a small message, from send to receive
    overhead  o: of a processor for a message, at each side
    per_byte  G: of a link, for a byte
    slice     until the kernel gives a core to another one, if nobody yields
"""

import collections
import math

Machine = collections.namedtuple("Machine", "latency overhead per_byte slice")


def beside(compute, transfer, overlap):
    """Computation, and a transfer that goes on meanwhile, or afterwards."""
    return max(compute, transfer) if overlap else compute + transfer


def halo(machine, peers, size, compute, match, overlap):
    """A message to and from each of some peers, around a computation. match: us
    for a message."""
    return peers * (2 * machine.overhead + match) + beside(
        compute, machine.latency + peers * size * machine.per_byte, overlap)


def alltoall(machine, ranks, size, compute, match, overlap):
    """All receives posted, then all messages sent: Open MPI's linear one, and
    what programs do themselves. The processor's part does not overlap."""
    return halo(machine, ranks - 1, size, compute, match, overlap)


def rounds_of(ranks):
    return math.ceil(math.log2(ranks))


def allreduce(machine, ranks, size, compute, match, overlap):
    """Recursive doubling: in each round a message from one peer."""
    one = machine.latency + 2 * machine.overhead + match \
        + size * machine.per_byte
    return beside(compute, rounds_of(ranks) * one, overlap)


PATTERNS = {"halo": halo, "alltoall": alltoall, "allreduce": allreduce}


def dependent(pattern, ranks):
    """Messages of a step that have to wait for each other."""
    return rounds_of(ranks) if pattern == "allreduce" else 1


def polling(machine, ranks_per_core, messages):
    """What ranks lose that share cores and poll: before each message that
    depends on another one, those that wait use up their slices."""
    return (ranks_per_core - 1) * machine.slice * messages


def line(points):
    """Least squares of relative errors: (a, b) of y = a + b x, neither of them
    negative."""
    weights = [1 / y ** 2 for _, y in points]
    total = sum(weights)
    x_mean = sum(w * x for w, (x, _) in zip(weights, points)) / total
    y_mean = sum(w * y for w, (_, y) in zip(weights, points)) / total
    spread = sum(w * (x - x_mean) ** 2 for w, (x, _) in zip(weights, points))
    slope = sum(w * (x - x_mean) * (y - y_mean)
                for w, (x, y) in zip(weights, points)) / spread
    slope = max(0.0, slope)
    if y_mean - slope * x_mean >= 0:
        return y_mean - slope * x_mean, slope
    return 0.0, sum(w * x * y for w, (x, y) in zip(weights, points)) \
        / sum(w * x * x for w, (x, _) in zip(weights, points))
