# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The table of many ranks on one node: they reach each other by FIFO, and by rings
where the user wants that.
Stage many_ranks of contrib/check runs it; what needs minutes is tagged long, for
stage many_ranks_long."""

from row import Row
from rows import (HANGS, HELD, LATE, NO_MQ, OFFLOAD_ALL, PREFETCH, RENDEZVOUS,
                  RINGS, RINGS_OFF, SLEEP, SLOW, STATS, TCP, THREAD, YIELD, flow,
                  hang)

# What each of so many ranks does has to be little. In three rounds messages are
# unexpected, then awaited, then both.
TRAFFIC = '--messages 3 --rounds 3 --limits --uneven'
CHECKED = r'[1-9]\d* wildcards, [1-9]\d* probed, [1-9]\d* cancelled'
BY_FIFO = r'(.|\n)*stats rings messages=[1-9]\d* fifo=[1-9]\d* opened=0 '


def random_traffic(args=TRAFFIC, np='64', mca=STATS, expect='', **more):
    """expect: of the statistics."""
    return Row('random_matching', args, np=np, not_under=NO_MQ,
               mca=[*mca, *YIELD], expect=CHECKED + expect, unheard=True,
               **more)


def long_row(program, args='', np='64', mca=(), **more):
    return Row(program, args, np=np, tags='long', needs='minutes',
               not_under=NO_MQ, mca=[*mca, *YIELD], **more)


def long_traffic(args=TRAFFIC, **more):
    return random_traffic(args, tags='long', needs='minutes', **more)


# Of ranks that the text of two and four names.
OF_64 = [('0( to 3|, 1)', '0 to 63'), ('(s 0 to 2 are| 0 is)', 's 0 to 62 are'),
         (r'rank \d is', 'rank 63 is')]


def of_64(text):
    for few, many in OF_64:
        text = text.replace(few, many)
    return text


def hangs(exit, cases):
    """Three of them always. Which ranks of so many meet in a broadcast that has
    two roots is chance."""
    return [hang(name, of_64(text), exit=exit, np='64', unheard=True,
                 **({} if name in ('wrong_tag', 'left_out', 'compute') else
                    {'tags': 'long', 'needs': 'minutes'}))
            for name, text in cases if name != 'other_root']


TABLE = [
    *hangs('nonzero', HANGS),
    *hangs(0, SLOW),
    random_traffic(expect=BY_FIFO),
    random_traffic('--messages 2 --rounds 3 --limits --uneven --threads 2',
                   expect=BY_FIFO),
    random_traffic('--messages 1 --rounds 2 --limits --uneven', np='128',
                   expect=BY_FIFO),
    long_traffic('--messages 20 --rounds 6 --limits --uneven',
                 expect=BY_FIFO),
    long_traffic('--messages 12 --rounds 6'),
    long_traffic('--messages 3 --rounds 6 --limits --uneven --threads 4',
                 expect=BY_FIFO),
    long_traffic('--messages 3 --rounds 6 --limits --uneven', np='128',
                 expect=BY_FIFO),
    # A ring for each; none.
    long_traffic(mca=RINGS,
                 expect=r'(.|\n)*stats rings messages=[0-9]{5}\d* fifo=0 '),
    long_traffic(mca=RINGS_OFF),
    long_traffic(mca=STATS + [('pml_champion_ring_fragments', '1')],
                 expect=r'(.|\n)*stats rings .*waited=[1-9]'),
    # Everything late and out of order, by rendezvous, in UCX's buffers, by
    # tags, prefetched, stopped at once; asleep; beside threads.
    long_traffic(mca=STATS + LATE),
    long_traffic(mca=RENDEZVOUS),
    long_traffic(mca=RENDEZVOUS + PREFETCH[:1]),
    long_traffic(mca=HELD),
    long_traffic(mca=OFFLOAD_ALL),
    long_traffic(mca=STATS + flow(1)),
    long_traffic(mca=STATS + SLEEP),
    long_traffic(mca=STATS + THREAD[:1]),
    long_traffic(mpirun=TCP),
    long_traffic(mca=STATS + [('mq', 'list')]),
    long_row('send_cancel', '--random --rounds 2 --messages 40', mca=STATS,
             expect=r'paths .*cancelled=[1-9]'),
    long_row('send_cancel', '--random --rounds 2 --messages 10 --threads 2',
             mca=STATS, expect=r'paths .*cancelled=[1-9]'),
    long_row('crowd', '--rounds 10', mca=STATS,
             expect=r'stats rings messages=[1-9]\d* fifo=[1-9]'),
    long_row('crowd', '--rounds 3', np='128', mca=STATS,
             expect=r'stats rings messages=[1-9]\d* fifo=[1-9]'),
    long_row('collectives', mca=STATS),
    long_row('communicator_life_cycle', '--times 3', mca=STATS),
]
