# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Traces byte by byte, as mq_trace(5) describes them: to take one apart, and to
make another of its records."""

import struct

ARRIVE, POST, PROBE, WITHDRAW, BEGIN, FINISH, END = 0, 1, 4, 7, 9, 10, 11
SERVED = 12
FOUND, QUEUED = 0x40, 0x80


def number(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def ended(records):
    """Records, and what ends a trace."""
    body = b''.join(records)
    checksum = 0xcbf29ce484222325
    for byte in body:
        checksum = (checksum ^ byte) * 0x100000001b3 % 2**64
    return (body + bytes([END]) + number(len(records)) +
            struct.pack('<Q', checksum))


def records_in(trace):
    """(kind, bytes) of each record; of an operation how many numbers it has
    follows from its first byte."""
    found, at = [], 32
    while at < len(trace):
        begin, head = at, trace[at]
        kind = head & 15
        numbers = {BEGIN: 3, FINISH: 0, END: 1, SERVED: 1}.get(
            kind, 2 + sum(bool(head & bit) for bit in (0x20, FOUND, QUEUED)))
        at += 1
        for _ in range(numbers + bool(head & 0x10)):
            last = at
            while trace[at] >= 0x80:
                at += 1
            at += 1
        at += trace[last] if kind == SERVED else 8 if kind == END else 0
        found.append((kind, trace[begin:at]))
    return found


def without_served(trace):
    """A trace without records of who serves, as one made of an archive."""
    kept = [part for kind, part in records_in(trace)
            if kind not in (END, SERVED)]
    return trace[:32] + ended(kept)
