# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The table of many ranks on one node: more than a process has rings, so that
some peers are reached by rings, others by the FIFO and UCX, and some by one after
the other.
Stage many_ranks of contrib/check runs it; what needs minutes is tagged long, for
stage many_ranks_long."""

from row import Row
from rows import (HELD, LATE, NO_MQ, OFFLOAD_ALL, PREFETCH, RENDEZVOUS, RINGS,
                  RINGS_OFF, SLEEP, STATS, TCP, THREAD, YIELD, flow)

# What each of so many ranks does has to be little. In three rounds messages are
# unexpected, then awaited, then both.
TRAFFIC = '--messages 3 --rounds 3 --limits --uneven'
CHECKED = r'[1-9]\d* wildcards, [1-9]\d* probed, [1-9]\d* cancelled'
SOME_REFUSED = (r'(.|\n)*stats rings messages=[1-9]\d* fifo=[1-9]'
                r'.* refused=[1-9]')


def random_traffic(args=TRAFFIC, np='64', mca=RINGS, expect='', **more):
    """expect: of the statistics."""
    return Row('random_matching', args, np=np, not_under=NO_MQ,
               mca=[*mca, *YIELD], expect=CHECKED + expect, unheard=True,
               **more)


def long_row(program, args='', np='64', mca=(), **more):
    return Row(program, args, np=np, tags='long', needs='minutes',
               not_under=NO_MQ, mca=[*mca, *YIELD], **more)


def long_traffic(args=TRAFFIC, **more):
    return random_traffic(args, tags='long', needs='minutes', **more)


TABLE = [
    random_traffic(expect=SOME_REFUSED),
    random_traffic('--messages 2 --rounds 3 --limits --uneven --threads 2',
                   expect=SOME_REFUSED),
    random_traffic('--messages 1 --rounds 2 --limits --uneven', np='128',
                   expect=SOME_REFUSED),
    long_traffic('--messages 20 --rounds 6 --limits --uneven',
                 expect=SOME_REFUSED),
    long_traffic('--messages 12 --rounds 6'),
    long_traffic('--messages 3 --rounds 6 --limits --uneven --threads 4',
                 expect=SOME_REFUSED),
    long_traffic('--messages 3 --rounds 6 --limits --uneven', np='128',
                 expect=SOME_REFUSED),
    # One ring for all, a ring for each, none; asked for late.
    long_traffic(mca=RINGS + [('pml_champion_ring_count', '1')],
                 expect=SOME_REFUSED),
    long_traffic(mca=RINGS + [('pml_champion_ring_count', '64')],
                 expect=r'(.|\n)*stats rings messages=[0-9]{5}'),
    long_traffic(mca=RINGS_OFF),
    # By FIFO, or without it.
    long_traffic(mca=STATS + [('pml_champion_ring_after', '1000000')],
                 expect=r'(.|\n)*stats rings messages=[1-9]\d* fifo=[1-9]\d* '
                        r'granted=0 '),
    long_traffic(mca=RINGS + [('pml_champion_ring_fifo', '0')],
                 expect=r'(.|\n)*stats rings messages=[1-9]\d* fifo=0 '),
    long_traffic(mca=RINGS + [('pml_champion_ring_fragments', '1')],
                 expect=r'(.|\n)*stats rings .*waited=[1-9]'),
    long_row('rings', 'turns', mca=RINGS,
             expect=r'stats rings .* moved=[1-9]'),
    # Everything late and out of order, by rendezvous, in UCX's buffers, by
    # tags, prefetched, stopped at once; asleep; beside threads.
    long_traffic(mca=RINGS + LATE),
    long_traffic(mca=RENDEZVOUS),
    long_traffic(mca=RENDEZVOUS + PREFETCH[:1]),
    long_traffic(mca=HELD),
    long_traffic(mca=OFFLOAD_ALL),
    long_traffic(mca=RINGS + flow(1)),
    long_traffic(mca=RINGS + SLEEP),
    long_traffic(mca=RINGS + THREAD[:1]),
    long_traffic(mpirun=TCP),
    long_traffic(mca=RINGS + [('mq', 'list')]),
    long_row('send_cancel', '--random --rounds 2 --messages 40', mca=RINGS,
             expect=r'paths .*cancelled=[1-9]'),
    long_row('send_cancel', '--random --rounds 2 --messages 10 --threads 2',
             mca=RINGS, expect=r'paths .*cancelled=[1-9]'),
    long_row('crowd', '--rounds 10', mca=RINGS,
             expect=r'stats rings messages=[1-9].* refused=[1-9]'),
    long_row('crowd', '--rounds 3', np='128', mca=RINGS,
             expect=r'stats rings messages=[1-9].* refused=[1-9]'),
    long_row('collectives', mca=RINGS),
    long_row('communicator_life_cycle', '--times 3', mca=RINGS),
]
