# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The table for ThreadSanitizer: programs of MPI_THREAD_MULTIPLE, and some of
one thread beside champion's progress thread. The plug-ins and the programs are
built for it (stage `threads` of contrib/check); what it cannot know is in
tsan.supp, with reasons."""

from row import Row
from rows import ADAPTER, COPIED_BY_UCX, OFFLOAD_ALL, YIELD


def threads_row(program, args='', mq='list', np='2', mca=()):
    return Row(program, args, np=np, mca=[('mq', mq), *mca, *YIELD])


# All messages are rendezvous, and fetched before their receives.
FETCHED = [('pml_champion_eager_limit', '0'), ('pml_champion_prefetch', 'on')]
# All messages by tag: with UCX, and with a thread that moves the data.
BY_TAG = OFFLOAD_ALL[:-1]
# The programs beside a thread read nothing that has not been received.
BUSY = [('pml_champion_thread_interval', '1')]
THREAD = [('pml_champion_progress_thread', 'on')] + BUSY
# A thread that is started in the midst of it, by the first large message.
BEGUN = [('pml_champion_eager_limit', '0'), ('pml_champion_thread_local', '1'),
         ('pml_champion_thread_late', '0')] + BUSY

TABLE = [
    threads_row('thread_multiple', '--times 20'),
    threads_row('thread_multiple', '--times 10', mq='source_array'),
    threads_row('thread_multiple', '--times 10 --threads 6',
                mq='partner_dynamic'),
    threads_row('thread_multiple', '--times 5', np='4'),
    threads_row('failing_sends', mca=COPIED_BY_UCX),
    threads_row('shared_copies', 'sizes --rounds 8',
                mca=THREAD + [('pml_champion_copy_by', 'both')]),
    threads_row('waits', '--messages --threads 3 --ms 5',
                mca=[('pml_champion_wait', 'sleep')]),
    threads_row('thread_multiple', '--times 10', mq='indexed', mca=FETCHED),
    threads_row('thread_multiple', '--times 10', mca=BY_TAG),
    threads_row('thread_multiple', '--times 10', mca=BY_TAG + ADAPTER),
    threads_row('thread_multiple', '--times 10', mca=THREAD),
    threads_row('nonblocking_collectives', '--rounds 8 --free', mca=THREAD),
    threads_row('nonblocking_collectives', '--rounds 5 --threads 3 --free',
                mca=THREAD),
    threads_row('nonblocking_collectives',
                '--beside_long --served --rounds 3 --threads 2', np='3',
                mca=THREAD),
    threads_row('random_matching', mq='indexed', mca=THREAD),
    threads_row('noncontiguous_datatypes', mca=THREAD),
    threads_row('messages_while_computing', '--only sender', mca=THREAD),
    threads_row('messages_while_computing', '--only crowd', mca=THREAD),
    threads_row('thread_multiple', '--times 10', mca=BEGUN),
    threads_row('random_matching', mq='indexed', mca=BEGUN),
    threads_row('noncontiguous_datatypes', mca=BEGUN),
    threads_row('messages_while_computing', '--begun --only sender',
                mca=BEGUN),
]
