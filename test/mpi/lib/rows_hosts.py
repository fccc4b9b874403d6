# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The table for several hosts, in which ranks are placed in turn:

    test/netns/hosts --hosts 2 test/mpi/run --table hosts

With 2 hosts 2 ranks have nobody beside them, and of 4 each has one."""

from row import Row
from rows import (ADAPTER, AUTO, DEFERRING, HAN_CRASHES, LATE, LOST_LOOKUP,
                  OFFLOAD, OFFLOAD_ALL, OVERRUN, PREFETCH, RENDEZVOUS, RINGS,
                  NEVER_SENT, SHORT_SEGMENTS,
                  STATS, THREAD, UNFINISHED, WORKED, YIELD,
                  coll_neighbour_row, coll_row, hang, hang_at, offload_row,
                  others, random_row, ring_row, thread_row)

# Rings are for ranks of one host; others neither ask for one nor get it. Ranks
# 0 and 1 on one, 2 and 3 on another.
WITHIN = RINGS + YIELD
PAIRS = '--map-by ppr:2:node:oversubscribe'
NO_RING = r'(?!(.|\n)*stats rings)'

TABLE = [
    Row('send_modes'),
    Row('noncontiguous_datatypes'),
    Row('split_elements', np='2 4', not_under=OVERRUN),
    Row('messages_do_not_overtake', np='2 4'),
    Row('messages_do_not_overtake', np='4', mca=LATE),
    Row('random_matching', np='2 4'),
    Row('random_matching', '--messages 2000 --depth 1500 --tags 400'
        ' --rounds 3', np='4', tags='deep'),
    Row('collectives', np='2 4'),
    Row('collectives', '--late-root', np='2 4', mca=PREFETCH,
        expect=r'useful=[0-9]{2,}', not_under=others(
            'does not prefetch')),
    # MPI_Allreduce around the ring, MPI_Reduce along the chain: without them there
    # are 6000 and 12000 messages less.
    Row('collectives', np='4', mca=SHORT_SEGMENTS + STATS + YIELD,
        tags='spread', needs='a host for each process',
        expect=r'stats collectives .*messages=1[6-9][0-9]{3}\b', not_under=others(
            'has no coll/champion')),
    coll_row('--free --salt 51', np='2 4', mca=YIELD),
    coll_row('--free --salt 52', np='4', mca=THREAD + SHORT_SEGMENTS),
    # The ring's own segments.
    coll_row('--free --salt 54', np='4', mca=[('coll_champion_short', '100')]
             + STATS + YIELD, expect=r'collectives started=[1-9]\d*'),
    coll_row('--computing', np='2 4', mca=THREAD,
             expect=r'collectives .*by_thread=[1-9]'),
    coll_neighbour_row('han', 'collectives', np='2 4', not_in=HAN_CRASHES),
    coll_neighbour_row('han', 'nonblocking_collectives', '--salt 53',
                       np='2 4'),
    hang_at('usr2', 'wrong_tag', 'stuck: ' +
            NEVER_SENT % ('1', 'MPI_Recv', '7', 'halo')),
    hang_at('term', 'wrong_tag', r'slow: rank 0 waits for rank 1, which is on '
            r'another node'),
    # What is said needs to be known of the other host.
    *[hang(name, text, np='4', **more) for name, text, more in [
        ('wrong_tag', NEVER_SENT % ('1', 'MPI_Recv', '7', 'halo') + r'(.|\n)*'
         r'tag 8, 4 bytes, halo: is the tag wrong', {}),
        ('send_and_send', r'ranks 0, 1 wait for each other: rank 0 for rank 1 ',
         {}),
        ('any_source', r'a message that no rank has sent \(MPI_Recv, tag 7', {}),
        # Those are named for which one waits; alone on its host rank 1 is not.
        ('barrier_and_allreduce', r'on halo ranks 0( to|,) 2 are in '
         r'MPI_Allreduce, and rank 3 is in MPI_Barrier', {}),
        ('ended', NEVER_SENT % ('1', 'MPI_Recv', '7', 'halo') +
         ': rank 1 has called MPI_Finalize', {}),
        # Beside it there is one that answers for it.
        ('compute', r'rank 1 on \S+ computes, in no MPI call that waits, for',
         {'exit': 0, 'mpirun': PAIRS})]],
    Row('crowd', np='2 4'),
    Row('connect_and_disconnect', np='2 4', tags='spawn', fault=LOST_LOOKUP),
    # Whatever the PML, processes that are spawned on more than one host do not
    # find each other's addresses (Open MPI 4.1.4).
    Row('spawned_processes', '--together', np='2 4', tags='spawn',
        fault=LOST_LOOKUP, mca=YIELD),
    Row('thread_multiple', np='4', tags='threads', mca=YIELD),
    Row('finalize_with_pending', 'both', np='2 4', not_under=UNFINISHED),
    random_row('--no-truncation --elements-of-16', salt=21, rounds=500,
               row=Row, np='4'),
    random_row(salt=22, rounds=500, row=Row, np='2 4',
               mca=RENDEZVOUS + PREFETCH[:1], expect=r'fetched=[0-9]{2,}'),
    random_row(salt=23, rounds=500, np='4', row=offload_row,
               mca=OFFLOAD_ALL + ADAPTER, expect=r'onloaded=[1-9]'),
    random_row(salt=24, rounds=500, np='2 4', row=thread_row, mca=THREAD,
               expect=WORKED),
    Row('late_receivers', np='2', mca=PREFETCH,
        expect=r'useful=[0-9]{3,} late=[1-9]\d* full=[1-9]'),
    Row('late_receivers', np='4', mca=PREFETCH,
        expect=r'useful=[0-9]{3,}'),
    Row('prefetch_memory', 'large', np='2', mca=PREFETCH,
        expect=r'useful=2 '),
    Row('random_matching', np='2 4', mca=RENDEZVOUS + PREFETCH[:1],
        expect=r'fetched=[0-9]{3,}'),
    Row('deferred_fetches', 'exchange', np='2 4', mca=DEFERRING,
        expect=r'stats paths .*deferred=(60|120)\b'),
    Row('deferred_fetches', 'turn', np='2 4', mca=DEFERRING,
        expect=r'stats paths .*deferred=(61|122)\b'),
    *[Row('deferred_fetches', args, np='2 4', mca=mca)
      for args in ('turn', 'many') for mca in (STATS, THREAD)],
    offload_row('receive_offload', 'mix', np='2 4'),
    offload_row('receive_offload', 'mix', np='2 4', mca=OFFLOAD + ADAPTER),
    offload_row('receive_offload', 'late', np='2', mca=AUTO),
    offload_row('random_matching', np='2 4', mca=OFFLOAD_ALL + ADAPTER),
    thread_row('messages_while_computing', np='2 4', mca=THREAD,
               expect=WORKED),
    # The thread comes with the second late message, and goes where it is of no
    # use.
    *[thread_row('late_messages', case, np='2', mca=STATS,
                 expect=r'rank %d: progress thread started at \S+ s: 2 large '
                 r'messages delayed' % rank)
      for case, rank in (('late', 1), ('begun', 1), ('sending', 0))],
    thread_row('late_messages', 'late given_up late', np='2', mca=STATS,
               expect=r'stats thread .* started=[1-4] ended=[1-9] again=[1-9]'),
    # So it does where none of the messages is large.
    thread_row('late_messages', 'standing', np='4', mca=STATS + YIELD,
               expect=r'rank 0: progress thread started at \S+ s: 0 large '
               r'messages and [2-6] collectives delayed'),
    thread_row('late_messages', 'standing given_up standing', np='4',
               mca=STATS + YIELD,
               expect=r'stats thread delayed=0 started=[1-4] ended=[1-9]'
               r' again=[1-9]'),
    ring_row('rings', 'sizes', np='4', mca=WITHIN, mpirun=PAIRS,
             expect=r'messages=[0-9]{4,} fifo=0 opened=[24] '),
    ring_row('rings', 'sizes', np='2', mca=WITHIN, expect=NO_RING),
    ring_row('random_matching', np='2', mca=WITHIN, expect=NO_RING),
    ring_row('random_matching', np='4', mca=WITHIN + LATE, mpirun=PAIRS,
             expect=r'messages=[0-9]{3,} fifo=0 opened=4 '),
]
