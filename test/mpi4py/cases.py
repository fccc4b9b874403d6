# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""What programs over mpi4py do. Usage: cases.py NAME, under mpirun."""

import sys

import numpy
from mpi4py import MPI

ROUNDS = 50


def thing(rank, number):
    """An object whose pickled size goes from tens of bytes to megabytes."""
    return {"rank": rank, "number": number, "text": "x" * (number ** 4),
            "list": list(range(number))}


def objects(comm):
    rank, size = comm.rank, comm.size
    for number in range(ROUNDS):
        requests = [comm.isend(thing(rank, number), dest=peer, tag=number)
                    for peer in range(size)]
        for peer in reversed(range(size)):
            assert comm.recv(source=peer, tag=number) == thing(peer, number)
        MPI.Request.waitall(requests)
    assert comm.allgather(thing(rank, 5)) == [thing(r, 5) for r in range(size)]
    assert comm.bcast(thing(0, 9) if rank == 0 else None) == thing(0, 9)
    for number in range(ROUNDS):
        right, left = (rank + 1) % size, (rank - 1) % size
        got = comm.sendrecv((rank, number), dest=right, source=left)
        assert got == (left, number)


def buffers(comm):
    rank, size = comm.rank, comm.size
    right, left = (rank + 1) % size, (rank - 1) % size
    for count in (0, 1, 100, 10000, 1000000):
        mine = numpy.arange(count, dtype="d") + rank
        other = numpy.empty(count, dtype="d")
        comm.Sendrecv(mine, dest=right, recvbuf=other, source=left)
        assert (other == numpy.arange(count, dtype="d") + left).all()
        total = numpy.empty(count, dtype="d")
        comm.Allreduce(mine, total)
        expected = size * numpy.arange(count, dtype="d") + sum(range(size))
        assert (total == expected).all()

    # every other column of a matrix
    columns = MPI.DOUBLE.Create_vector(300, 1, 400).Commit()
    flat = numpy.arange(300 * 400, dtype="d") * (rank + 1)
    matrix = flat.reshape(300, 400)
    for column in range(0, 400, 40):
        got = numpy.empty(300, dtype="d")
        request = comm.Isend([flat[column:], 1, columns], dest=right)
        comm.Recv(got, source=left)
        request.Wait()
        assert (got == matrix[:, column] // (rank + 1) * (left + 1)).all()
    columns.Free()


def mprobe(comm):
    rank, size = comm.rank, comm.size
    requests = [comm.isend(thing(rank, number), dest=peer, tag=number)
                for number in range(20) for peer in range(size)]
    seen = set()
    for turn in range(20 * size):
        status = MPI.Status()
        if turn % 2:
            message = comm.mprobe(status=status)
        else:
            message = None
            while message is None:
                message = comm.improbe(status=status)
        got = message.recv()
        assert got == thing(status.source, status.tag)
        seen.add((status.source, status.tag))
    assert len(seen) == 20 * size
    MPI.Request.waitall(requests)


def spawn(comm):
    children = comm.Spawn(sys.executable, args=[__file__, "child"], maxprocs=2)
    children.bcast(thing(0, 7), root=MPI.ROOT)
    for child in range(2):
        children.send(thing(child, 3), dest=child, tag=3)
        assert children.recv(source=child, tag=4) == thing(child, 4)
    assert children.gather(None, root=MPI.ROOT) == [0, 1]
    children.Disconnect()


def child():
    parent = MPI.Comm.Get_parent()
    rank = MPI.COMM_WORLD.rank
    assert parent.bcast(None, root=0) == thing(0, 7)
    assert parent.recv(source=0, tag=3) == thing(rank, 3)
    parent.send(thing(rank, 4), dest=0, tag=4)
    parent.gather(rank, root=0)
    parent.Disconnect()


def main():
    case = sys.argv[1]
    if case == "child":
        child()
        return
    {"objects": objects, "buffers": buffers, "mprobe": mprobe,
     "spawn": spawn}[case](MPI.COMM_WORLD)
    MPI.COMM_WORLD.Barrier()
    if MPI.COMM_WORLD.rank == 0:
        print(case, "as expected")


main()
