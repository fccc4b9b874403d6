# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The table of MPI programs: every promise has its row. test/mpi/run runs it."""

from row import NO_ABI, Row

# Whatever the PML, about one MPI_Comm_spawn, accept or connect in fifty never
# returns: Open MPI 4.1.4 waits in PMIx_Lookup for an answer that got lost.
LOST_LOOKUP = r'PMIx_Lookup'

DISCONNECTED = r'others connected=\d+ disconnected=[1-9]\d'

# Inter-communicators there have ids of their own that are used again.
KEPT_FOR_THE_NEXT = {
    series: 'what was not received is kept for the next inter-communicator'
    for series in ('5.0', '6.0')}


def others(what):
    """Neither of Open MPI's own PMLs can pass."""
    return dict.fromkeys(('ob1', 'ucx'), what)


NEVER_DROPPED = others(
    'waits for sends whose communicator is gone at the other end')

UNFINISHED = {'ob1': 'MPI_Finalize waits for pending sends',
              'ucx': 'UCX warns of what was not received'}

IGNORES_PROMISES = others('accepts wildcards that were promised away')


# A wait that never ends.
NEVER_SENT = (r'rank 0 waits for a message from rank %s that was never sent '
              r'\(%s, tag %s, %s, for \d+ s\)')


def hang(name, text, exit='nonzero', np='2 4', **more):
    """champion says why, and ends the job; exit 0: it may go on."""
    return Row('hangs_are_named', name, np=np, quiet=False, exit=exit,
               expect='champion: %s: (.|\n)*%s' % (
                   '(slow|seems stuck)' if exit == 0 else 'stuck', text),
               not_under=others('says nothing'),
               mca=[('pml_champion_stuck_after', '1'),
                    ('pml_champion_stuck_action', 'abort')], **more)


def hang_at(signal, name, text, exit='nonzero'):
    """The same when a signal comes, long before it would be said."""
    return Row('hangs_are_named', f'{name} {signal}', quiet=False, exit=exit,
               expect='champion: ' + text, not_under=others('ends'),
               mca=[('pml_champion_stuck_signal', signal.upper()),
                    ('pml_champion_stuck_after', '0'),
                    ('pml_champion_stuck_action', 'abort')])

# Cases of `hangs_are_named`, and what is said of them.
HANGS = [
    ('wrong_tag', NEVER_SENT % ('1', 'MPI_Recv', '7', 'halo') +
     r': rank 1 is in MPI_Barrier on MPI_COMM_WORLD(.|\n)*rank 1 has sent '
     r'rank 0 a message that nobody receives: tag 8, 4 bytes, halo: is the '
     r'tag wrong\?(.|\n)*rank 0 waits in MPI_Recv on halo'),
    ('wrong_communicator', r'tag 7, 4 bytes, other: is the communicator '
     r'wrong\?'),
    ('wrong_source', r'rank 1 has sent rank 0 a message that nobody receives: '
     r'tag 7, 4 bytes, halo: is the source wrong\?'),
    ('never_received', r'rank 0 waits for rank 1, which never receives its '
     r'message \(MPI_Ssend, tag 7, 4 bytes, halo, for \d+ s\): rank 1 is in '
     r'MPI_Barrier on MPI_COMM_WORLD'),
    ('large_never_received', r'rank 0 waits for rank 1, which never receives '
     r'its message \(MPI_Send, tag 7, 4194304 bytes, halo, '),
    ('one_too_few', NEVER_SENT % ('1', 'MPI_Recv', '7', 'halo')),
    ('send_and_send', r'ranks 0, 1 wait for each other: rank 0 for rank 1 '
     r'\(MPI_Send, tag 7, 4194304 bytes, .*: each message waits for its '
     r'receive'),
    ('receive_and_receive', r'ranks 0, 1 wait for each other: rank 0 for '
     r'rank 1 \(MPI_Recv, tag 7, halo, for \d+ s\), rank 1 for rank 0 '),
    ('ring', r'ranks 0( to 3|, 1) wait for each other: rank 0 for rank 1 '
     r'\(MPI_Ssend, '),
    ('one_of_many', NEVER_SENT % ('1', 'MPI_Waitall', '42', 'halo')),
    ('any_of_two', NEVER_SENT % ('1', 'MPI_Waitany', '7', 'halo')),
    ('any_source', r'rank 0 waits for a message that no rank has sent '
     r'\(MPI_Recv, tag 7, halo, '),
    ('probe', NEVER_SENT % ('1', 'MPI_Probe', '7', 'halo')),
    ('to_self', NEVER_SENT % ('0', 'MPI_Recv', '7', 'halo')),
    ('sendrecv', NEVER_SENT % ('1', 'MPI_Sendrecv', '7', 'halo')),
    ('barrier_and_allreduce', r'on halo rank(s 0 to 2 are| 0 is) in '
     r'MPI_Allreduce, and rank \d is in MPI_Barrier'),
    ('other_root', r'MPI_Bcast, .*halo, .*: do roots or counts differ\?'),
    ('other_root_before_barrier', r'MPI_Gather.*do roots or counts '
     r'differ\?'),
    ('left_out', r'rank 1 waits for a message from rank 0 that was never '
     r'sent \(MPI_Recv, .*: rank 0 is in MPI_Barrier on halo'),
    ('left_out_of_nonblocking', r'rank 0 is in MPI_Wait on halo'),
    ('ended', NEVER_SENT % ('1', 'MPI_Recv', '7', 'halo') +
     ': rank 1 has called MPI_Finalize')]

# Of what may yet go on.
SLOW = [
    ('poll_by_test', r'unless it does something else: rank 0 polls by '
     r'MPI_Test'),
    ('poll_by_iprobe', r'rank 0 is in MPI_Iprobe for \d+ s'),
    ('compute', r'rank 1 computes, in no MPI call that waits, for \d+ s'),
    ('sleep_outside', r'rank 1 sleeps, in no MPI call that waits, for \d+ s'),
    ('stop', r'rank 1 is stopped by a signal for \d+ s')]

NO_SESSIONS = {'4.1': 'has no sessions'}

NO_REVOKE = {'4.1': 'has no MPIX_Comm_revoke'}

# All in the memory of a device is copied; UCX accesses what is contiguous.
COPIED = r'sends=[1-9]\d* ucx=0 stages=[1-9]'
BY_UCX = r'sends=[1-9]\d* ucx=[1-9]\d* stages=[1-9]'

DEVICE_BY_UCX = [('pml_champion_device_memory', 'ucx')]

NO_STAND_IN = {
    'ob1': 'wants more of an accelerator than the stand-in has',
    'ucx': 'does not know the stand-in: it accesses the memory'}

NO_OSC_PT2PT = {'5.0': 'has no osc/pt2pt', '6.0': 'has no osc/pt2pt'}

# One-sided communication over UCX, beside the PML. All series have it. From
# 5.0 on it is the only one for a PML other than pml/ob1: osc/rdma wants the
# transports that pml/ob1 opens. Without the last two parameters osc/ucx
# declines shared memory and TCP.
OSC_UCX = [('osc', 'ucx'), ('opal_common_ucx_tls', 'any'),
           ('opal_common_ucx_devices', 'any')]

# Those that are there.
NO_COLL = {
    'adapt': {},
    'han': {},
    'xhc': dict.fromkeys(('4.1', '5.0'), 'has no coll/xhc'),
}
HAN_CRASHES = {'4.1': 'coll/han crashes, whatever the PML'}
XHC_CRASHES = {'6.0': 'coll/xhc crashes, whatever the PML'}

# Debian's choice for 4.1 and 5.0: osc/sm or osc/rdma. 6.0 has none, and osc/ucx
# prints an error when it declines.
OSC_DEBIAN = [('osc', '^ucx,pt2pt')]

# The same under pml/ob1 and pml/ucx; a port for each connection works.
PORT_USED_AGAIN = {
    '5.0': 'a second connection over a port hangs or gets wrong context ids'}

NO_PARTS = {'4.1': 'has no partitioned communication'}
PARTS_TAKEN_FOR_SENT = (
    'in the second round of a request part/persist takes parts for sent that '
    'are still to be given away: whatever the PML, it hangs or brings wrong '
    'data')
PARTS_GIVEN_AWAY = dict(NO_PARTS, **{
    series: PARTS_TAKEN_FOR_SENT for series in ('5.0', '6.0')})

NO_EVENTS = dict.fromkeys(('4.1', '5.0'), 'has no events of MPI_T')

# Else Open MPI refuses by itself to start what is under way.
UNCHECKED = [('mpi_param_check', '0')]
STARTS_AGAIN = others('starts a request that is under way once more')

UNSUPPORTED = {'ucx': 'MPI_Comm_create_from_group is not supported'}

# More threads or processes than cores.
YIELD = [('mpi_yield_when_idle', '1')]

SLEEP = [('pml_champion_wait', 'sleep')]

ONE_FRAGMENT = [('pml_champion_ring_fragments', '1')]

BY_RECEIVER = [('pml_champion_copy_by', 'receiver')]
# Large messages within a node, too.
COPIED_BY_UCX = [('pml_champion_copy_by', 'ucx')]

# As mpi.h of Open MPI has them; a fatal one is the exit code.
MPI_ERR_RANK, MPI_ERR_TRUNCATE = 6, 15

# Shows that what should have happened did.
STATS = [('pml_champion_stats', 'full')]

NO_MQ = others('matches in its own way')

# What UCX 1.13 and 1.18 do differently, all of it on ways that messages seldom
# take: eager payloads left in UCX's buffers, also when they came in pieces (1.13
# leaks or 1.14 crashes if they are not given back in the right way);
# rendezvous requests that are refused, too long for their receive, or never
# answered (1.13 leaks, 1.18 aborts at the end); headers that have to stay
# where they are while a send waits (1.13), as they do over TCP.
HELD = [('pml_champion_eager_limit', '1000000'),
        ('pml_champion_ring', '0')] + STATS
RENDEZVOUS = [('pml_champion_eager_limit', '0')] + STATS
TCP = '-x UCX_TLS=tcp,self -x OMPI_MCA_pml_champion_ring=0'

# Large messages by several connections.
STRIPED = [('pml_champion_flows', '4'),
           ('pml_champion_flows_min', '64K')] + STATS
IN_PARTS = r'stats stripes received=[1-9]'

# The progress thread; what it has done is shown. `notified` and `yielded` are
# of the ways on which it meets the program.
THREAD = [('pml_champion_progress_thread', 'on')] + STATS
# Collectives of many segments.
SHORT_SEGMENTS = [('coll_champion_segment', '2K'),
                  ('coll_champion_short', '100')]
NO_THREAD = [('pml_champion_progress_thread', 'off')]
WORKED = r'thread .*wakeups=[1-9].* events=[1-9]'
NOTIFIED = r'thread .*wakeups=[1-9].* notified=[1-9].* events=[1-9]'

# The thread is started by the first large message, late or not.
BEGUN = [('pml_champion_thread_local', '1'),
         ('pml_champion_thread_late', '0')] + STATS
EAGER = [('pml_champion_eager_limit', '8192')]
STARTED = r'stats thread .*started=[1-9]'

PREFETCH = [('pml_champion_prefetch', 'on'),
            ('pml_champion_prefetch_pool', str(16 << 20)),
            ('pml_champion_eager_limit', '8192')] + STATS
LIMITED_PREFETCH = [('pml_champion_prefetch', 'on'),
                    ('pml_champion_unexpected_limit', str(64 << 20)),
                    ('pml_champion_eager_limit', '8192')] + STATS

# Receives handed to UCX when they are posted, and small sizes at which that is
# done. ADAPTER: by a library that stands for adapters which match tags.
OFFLOAD = [('pml_champion_offload', 'always')] + STATS
OFFLOAD_ALL = OFFLOAD + [('pml_champion_offload_min', '1'),
                         ('pml_champion_offload_cancel_limit', '100')]
LATE = [('pml_champion_test_delay', '60')]
ADAPTER = [('pml_champion_test_tag_ops', '{bin}/fake_adapter.so')]
AUTO = [('pml_champion_offload', 'auto'),
        ('pml_champion_eager_limit', '8192')] + ADAPTER + STATS
REPORT = '-x FAKE_ADAPTER_REPORT=1'

# Rings for all pairs; none.
RINGS = [('pml_champion_ring_pairs', '64')] + STATS
RINGS_OFF = [('pml_champion_ring', '0')] + STATS
# Receiver and sender copy, although other rows may run beside; and each has
# copied a part of some messages.
BOTH = RINGS + [('pml_champion_copy_by', 'both')]
SHARED = r'rget=[1-9]\d* shared=[1-9]'
# A FIFO for each rank instead, as where there are many.
FIFO = [('pml_champion_ring_pairs', '0')]

# Nothing makes a message late on purpose, or a look.
PROMPT = [('pml_champion_test_delay', '0'),
          ('pml_champion_progress_thread', 'off')]


# Whether a fetch is deferred depends on the order of the program's calls alone.
# What processes of a node copy themselves is not fetched.
DEFERRING = [('pml_champion_prefetch', 'off'),
             *COPIED_BY_UCX] + PROMPT + STATS


def spawn_row(program, args='', tags='spawn', **more):
    """With processes that come or connect."""
    return Row(program, args, tags=tags, fault=LOST_LOOKUP, **more)


def parting_row(args, np='2', mca=(), **more):
    more.setdefault('not_under', NO_MQ)
    more.setdefault('expect', DISCONNECTED)
    return spawn_row('partings', args, np=np, mca=YIELD + STATS + list(mca),
                     **more)


def deferred_row(args, deferred, mca=DEFERRING, **more):
    """Fetches that begin after the receive's call; deferred: how many."""
    return Row('deferred_fetches', args, np='2', tags='ucx', not_under=NO_MQ,
               mca=mca, expect=r'stats paths .*deferred=%s\b' % deferred, **more)


def offload_row(program, args='', mca=OFFLOAD, expect=r'matched=[1-9]',
                tags_more='', **more):
    """Independent of the matching component too. expect: of the line about
    offload."""
    return Row(program, args, tags='ucx offload ' + tags_more,
               not_under=NO_MQ, mca=mca,
               expect=r'stats offload .*' + expect, **more)


def ucx_row(program, args='', **more):
    """Independent of the matching component."""
    return Row(program, args, np='2', tags='ucx', not_under=NO_MQ, **more)


def flow(limit, patience=0):
    """The limit of waiting messages. Without patience nothing is said about
    senders that wait: how long they do depends on the machine."""
    return [('pml_champion_unexpected_limit', str(limit)),
            ('pml_champion_unexpected_patience', str(patience))]


def flow_row(args, limit=4 << 20, mca=None, patience=0,
             expect=r'waiting_max=[1-9].*stopped=[1-9]', **more):
    """A receiver that falls behind its senders. expect: of the line about
    memory."""
    more.setdefault('np', '2')
    # So little is never reached.
    args += ' --limit %d' % (limit if limit > 1 else 1 << 40)
    return Row('slow_receiver', args, tags='ucx', not_under=NO_MQ,
               mca=(STATS if mca is None else mca) + flow(limit, patience),
               expect=expect, **more)


def cancel_row(args='--rounds 5 --messages 100', tags='', expect=r'late=[1-9]', **more):
    """Sends that are cancelled. expect: of the line about paths."""
    more['mca'] = STATS + more.get('mca', [])
    more.setdefault('np', '2 4')
    return Row('send_cancel', args, tags='cancel ' + tags, not_under=others(
        'does not cancel sends'), expect=r'paths .*cancelled=[1-9]\d* cancelled_' + expect, **more)


def ring_row(program, args='', np='2 4', tags='', expect='', **more):
    """About rings. expect: of the line about them."""
    more.setdefault('mca', RINGS)
    return Row(program, args, np=np, tags='ucx ring ' + tags, not_under=NO_MQ,
               expect=r'stats rings .*' + expect if not
               expect.startswith('(?!') else r'migrations=\d+\n' + expect,
               **more)


def thread_row(program, args='', tags='', **more):
    """The same, about the progress thread."""
    more.setdefault('np', '2')
    return Row(program, args, tags='ucx ' + tags,
               not_under=others('has no progress thread'), **more)


def auto_row(program, args='', **more):
    """About a thread that is started where it pays, or is not."""
    return thread_row(program, args, tags='auto', **more)


def busy_row(args='', **more):
    """What a thread does while the program computes."""
    return thread_row('messages_while_computing', args, **more)


def busy_auto_row(args='', **more):
    return busy_row(args, tags='auto', **more)


def wait_row(args, woken=r'[1-9]\d*', wait='sleep', **more):
    """Waiting calls that sleep. woken: how many sleeps an event ends."""
    more['mca'] = [('pml_champion_wait', wait)] + YIELD + STATS \
        + list(more.get('mca', ()))
    more.setdefault('np', '2')
    return Row('waits', args, tags='ucx ' + more.pop('tags', ''),
               not_under=NO_MQ, **more,
               expect=r'stats waits sleeps=[1-9]\d* woken=%s\n' % woken)


def device_row(args='', expect=COPIED, program='device_memory', tags='', **more):
    """Where Open MPI has an accelerator, the stand-in for one. expect: of the
    line about devices."""
    # Open MPI 4.1 does not know the parameter, and ignores it.
    more['mca'] = [('accelerator', 'stand_in'), *more.get('mca', STATS)]
    more.setdefault('np', '2')
    return Row(program, args, tags='device ' + tags, device=True,
               not_under=NO_STAND_IN, **more,
               expect=r'stats device ' + expect if expect else
               r'(?s)\A(?!.*stats device)')


def coll_row(args='', tags='', **more):
    """What coll/champion does; pml/ob1 and pml/ucx have coll/libnbc."""
    more.setdefault('np', '2 3 4')
    return Row('nonblocking_collectives', args, tags='ucx ' + tags,
               not_under=others('has no coll/champion'), **more)


def abi_row(program, args='', **more):
    """A program that was built for the binary interface of MPI's standard."""
    more.setdefault('np', '2')
    return Row(program, args, tags='ucx neighbours ' + more.pop('tags', ''),
               abi=True, not_in=NO_ABI, expect=r'\(standard ABI\)', **more)


def coll_neighbour_row(component, program, args='', np='4', **more):
    """Collectives of another component, which is asked first; what it does not
    have is coll/champion's, or of others. coll/han declines within a host."""
    return Row(program, args, np=np, tags='ucx neighbours',
               mca=YIELD + [('coll_%s_priority' % component, '100'),
                            ('coll_base_verbose', '9')],
               not_in={**NO_COLL[component], **more.pop('not_in', {})},
               quiet=False,
               expect=r'selecting +%s, priority 100, Enabled' % component,
               **more)


# With fault tolerance, whatever the call before it was and whatever the PML: PMIx does
# not end the fence of MPI_Finalize (docs/upstream/README.md). No function of
# champion is on a stack then.
HUNG_AT_THE_END = r'\A(?![\s\S]*mca_pml_champion)[\s\S]*is in: MPI_Finalize'


def failed_row(args='', np='4', mpirun='--with-ft ulfm', **more):
    """A process that fails beside others that go on. btl: what Open MPI tells
    them by."""
    more['mca'] = [('btl', 'self,sm'), *more.get('mca', ())]
    return Row('failed_process', args, np=np, tags='ucx neighbours',
               mpirun=mpirun, quiet=False, not_in=NO_REVOKE,
               fault=HUNG_AT_THE_END, alone=True,
               not_under={'ob1': 'MPI_Iprobe does not tell of the failure',
                          'ucx': 'crashes in MPI_Init'}, **more)


def without_thread(case, **more):
    """Shows that the row of that case can fail."""
    return thread_row('messages_while_computing',
                      '--only %s --patience 1' % case, exit='nonzero',
                      quiet=False, mca=NO_THREAD,
                      expect='nothing came within 1 s without an MPI call',
                      **more)


def promise_row(args='', np='2 4', mca=(), osc=OSC_DEBIAN, **more):
    return Row('broken_promises', args, np=np, not_under=IGNORES_PROMISES,
               mca=[*mca, *osc], **more)


def session_row(args='', np='2 4', mca=(), **ob1):
    """ob1: what it does not do."""
    return Row('sessions', args, np=np, mca=mca, not_in=NO_SESSIONS,
               not_under={**UNSUPPORTED, **ob1})


def striped_row(args, tags='', expect=IN_PARTS, mca=STRIPED, **more):
    return Row('striped_messages', args, np='2', tags=('ucx ' + tags).strip(),
               mca=mca + YIELD, mpirun=TCP, expect=expect, not_under=NO_MQ,
               **more)


def random_row(args='', rounds=1000, salt=None, **more):
    """Random datatypes; a round has four messages. Salts differ from row to
    row, so that each sees others. From 5.0 on these are fewer types."""
    row = more.pop('row', ucx_row)
    more['mca'] = list(more.get('mca', ())) + YIELD
    args = '%s --rounds %d --salt %d' % (args, rounds, salt)
    return row('random_datatypes', args.strip(), **more)


OVERRUN = others('Open MPI overruns 16 bytes by half a long double _Complex')

# Open MPI's datatype engine writes half of such an element beyond 16 bytes, and
# pml/ob1 and pml/ucx write more than fits, or crash, when it does not fit.
FOR_ALL = '--elements-of-16 --no-truncation'


def shared_memory(transports):
    return '-x UCX_TLS=%s,self' % transports


RANDOM_DATATYPES = [
    Row('random_datatypes', FOR_ALL + ' --rounds 1000', np='1 2 3', tags='ucx',
        mca=YIELD),
    random_row(salt=2, row=Row, np='1 2 3', tags='ucx', not_under=NO_MQ,
               rounds=2000),
    random_row(salt=3, mpirun=shared_memory('posix')),
    random_row(salt=4, mpirun=shared_memory('posix,cma')),
    random_row(salt=5, mpirun=shared_memory('sysv')),
    # UCX reads less at a time than champion would have it send.
    random_row(salt=27, mpirun=shared_memory('tcp') +
               ' -x UCX_TCP_RX_SEG_SIZE=20000'),
    random_row(salt=6, mpirun=shared_memory('sysv,cma')),
    random_row(salt=7, mpirun=TCP),
    random_row(salt=8, mca=RENDEZVOUS, expect=r'rendezvous=[0-9]{3,}'),
    random_row(salt=9, mca=RENDEZVOUS, mpirun=TCP,
               expect=r'rendezvous=[0-9]{3,}'),
    # By FIFO; without fragments.
    random_row(salt=34, mca=FIFO + STATS, expect=r'fifo=[0-9]{4}.*opened=0 .*fragments=[1-9]'),
    random_row(salt=35, mca=RINGS + [('pml_champion_ring_fragments', '0')],
               expect=r'messages=[0-9]{4}.*fragments=0 '),
    random_row(salt=10, mca=HELD, expect=r'held=[1-9]'),
    random_row(salt=11, mca=LATE + STATS, expect=r'delayed=[0-9]{3,}'),
    random_row(salt=12, mca=PREFETCH, expect=r'fetched=[1-9]'),
    random_row(salt=13, mca=RENDEZVOUS + PREFETCH[:1], mpirun=TCP,
               expect=r'fetched=[0-9]{2,}'),
    random_row(salt=14, mca=OFFLOAD_ALL, row=offload_row, np='2',
               expect=r'onloaded=[1-9]'),
    random_row(salt=15, mca=OFFLOAD_ALL + ADAPTER, row=offload_row, np='2',
               expect=r'onloaded=[1-9]'),
    random_row(salt=16, row=thread_row, mca=THREAD, expect=WORKED),
    random_row(salt=19, mca=RENDEZVOUS[:1] + STRIPED,
               mpirun=TCP, rounds=500, expect=IN_PARTS),
    random_row('--threads 3', salt=17, rounds=500, row=Row, np='1 2 3',
               tags='ucx threads', not_under=NO_MQ),
    random_row('--threads 3', salt=18, rounds=500, row=Row, np='2',
               tags='ucx threads', not_under=NO_MQ, mca=OFFLOAD_ALL + ADAPTER),
]

TABLE = RANDOM_DATATYPES + [
    Row('send_modes'),
    Row('noncontiguous_datatypes'),
    *[Row('noncontiguous_datatypes', '--huge', np='2', tags='huge',
          mpirun=mpirun, mca=YIELD, needs='5 GB of memory')
      for mpirun in ('', shared_memory('posix'), TCP)],
    Row('split_elements', np='1 2 4', not_under=OVERRUN),
    Row('ssend_waits_for_match'),
    Row('truncation_is_reported', not_under={
        'ob1': 'writes beyond the buffer of a large receive',
        'ucx': 'crashes in Imrecv'}),
    Row('messages_do_not_overtake'),
    Row('overtaking', np='2 3', not_under={
        'ob1': 'waits for ever once the key is taken back'}),
    Row('overtaking', '--expect', np='2 4', not_under=NO_MQ, mca=STATS +
        [('pml_champion_test_delay', '50')], expect=r'matched_early=[1-9]'),
    Row('overtaking', '--all', np='2', not_under=NO_MQ,
        mca=[('mq_base_assert', 'allow_overtaking'),
             ('pml_champion_test_delay', '50')]),
    Row('probes'),
    Row('performance_variables', not_under=NO_MQ),
    Row('performance_variables', mca=STATS, tags='ucx', not_under=NO_MQ,
        np='2'),
    *[Row('tool_events', '--limit 1048576' + args, np=np, tags='ucx',
          not_under=NO_MQ, not_in=NO_EVENTS, mca=flow(1 << 20) + EAGER)
      for args, np in (('', '2 3'), (' --multiple', '2'), (' --silent', '2'))],
    *[Row('tool_events', '--only prefetch' + args, np='2', tags='ucx',
          not_under=NO_MQ, not_in=NO_EVENTS, mca=PREFETCH, mpirun=TCP)
      for args in ('', ' --silent')],
    Row('performance_variables', mca=[('mq_base_scope', 'process')],
        tags='ucx', not_under=NO_MQ, np='3'),
    Row('random_matching', np='1 2 4'),
    Row('random_matching', '--messages 2000 --depth 1500 --tags 4 --rounds 3',
        np='2 4', tags='deep'),
    Row('random_matching', '--messages 2000 --depth 1500 --tags 400'
        ' --rounds 3', np='2 4', tags='deep'),
    Row('receive_cancel'),
    cancel_row(np='1 2 4'),
    cancel_row('--threads 4 --rounds 4 --messages 50', mca=YIELD,
               tags='threads'),
    Row('messages_to_self', np='1 2', not_under={
        'ob1': 'cuts small messages to itself without an error'}),
    Row('messages_to_self', '--threads', np='1', tags='threads', not_under={
        'ob1': 'cuts small messages to itself without an error'}),
    Row('full_tag_range'),
    Row('full_tag_range', '--require-full-tags', not_under={
        'ucx': 'its MPI_TAG_UB is 2^23 - 1'}),
    Row('persistent_requests', not_under={
        'ob1': 'a send that cannot be started looks as if it were complete',
        'ucx': 'the requests after one that cannot be started stay inactive'}),
    Row('persistent_requests', '--again', np='2', mca=UNCHECKED,
        expect='started again before', not_under=STARTS_AGAIN),
    Row('persistent_requests', '--again', np='2', mca=UNCHECKED + ONE_FRAGMENT, not_under=STARTS_AGAIN),
    Row('intercommunicators', np='2 3 4'),
    Row('communicator_life_cycle'),
    Row('communicator_life_cycle', '--times 100 --pending', not_under={
        'ucx': 'a request does not keep its context id from being reused'}),
    Row('communicator_life_cycle', '--times 100 --abandoned', not_under=others(
        'the next communicator gets the messages of a freed one')),
    spawn_row('spawned_processes', np='1 2', mca=YIELD),
    spawn_row('spawned_processes', '--at-once', np='1 2', mca=YIELD),
    spawn_row('connect_and_disconnect', not_in=PORT_USED_AGAIN),
    spawn_row('connect_and_disconnect', '--jobs', np='2',
              not_in=PORT_USED_AGAIN),
    spawn_row('connect_and_disconnect', '--new-ports'),
    spawn_row('connect_and_disconnect', '--new-ports --jobs', np='2'),
    # What is connected is closed again, but for the last connection.
    spawn_row('connect_and_disconnect', '--new-ports --jobs --times 100',
              np='2', mca=YIELD + STATS, not_under=NO_MQ,
              expect=r'others connected=404 disconnected=40[0-4]'),
    parting_row('--times 70', np='1 2 3'),
    parting_row('--times 70 --unreceived', np='1 2 3',
                not_under=NEVER_DROPPED, not_in=KEPT_FOR_THE_NEXT),
    parting_row('--times 70', mca=[('pml_champion_test_delay', '20')]),
    parting_row('--times 70', mpirun='-x UCX_TLS=tcp'),
    parting_row('--times 70', tags='spawn threads',
                mca=[('pml_champion_progress_thread', '1')]),
    # Few, because each may be the one that Open MPI loses.
    parting_row('--clients 8', np='1 2', expect=DISCONNECTED[:-2]),
    Row('failing_sends', tags='ucx threads', mca=YIELD + COPIED_BY_UCX,
        not_under={'ob1': 'does not send by UCX',
        'ucx': 'does not send active messages'}),
    Row('thread_multiple', tags='threads', mca=YIELD),
    Row('thread_multiple', '--threads 8 --times 40', np='2', tags='threads',
        mca=YIELD),
    Row('collectives', np='2 3 4'),
    Row('nonblocking_collectives', '--salt 41', np='2 3 4 5'),
    Row('nonblocking_collectives', '--small --rounds 60 --salt 42', np='7',
        mca=YIELD),
    Row('nonblocking_collectives', '--beside_long --rounds 12', np='3 4',
        mca=YIELD),
    Row('nonblocking_collectives', '--beside_long --threads 3 --rounds 3',
        np='3', tags='threads', mca=YIELD),
    Row('nonblocking_collectives', '--threads 4 --rounds 15 --salt 43',
        np='3', tags='threads', mca=YIELD),
    Row('one_sided', np='2 3', tags='rma', mca=[('osc', 'pt2pt')],
        not_in=NO_OSC_PT2PT),
    Row('one_sided', '--locks', np='2 3', tags='rma', mca=[('osc', 'pt2pt')],
        not_in=NO_OSC_PT2PT, not_under={
            'ucx': 'osc/pt2pt hangs in MPI_Win_lock'}),
    # With holes osc/ucx of 4.1.4 loses data in one of 25 runs, under every PML.
    Row('one_sided', '--dense', np='2 3', tags='rma', mca=OSC_UCX),
    Row('one_sided', '--locks', np='2 3', tags='rma', mca=OSC_UCX),
    # Two contexts of UCX in a process, over the same memory.
    Row('one_sided_and_messages', np='2 3', tags='ucx rma neighbours',
        mca=OSC_UCX + YIELD),
    # Not quiet: when a window over TCP ends, UCX 1.23 may say that the connection
    # was reset.
    Row('one_sided_and_messages', np='2', tags='ucx rma neighbours',
        mca=OSC_UCX + YIELD, mpirun='-x UCX_TLS=tcp,self', quiet=False),
    *[Row('one_sided_and_messages', '--windows 4', np='2',
          tags='ucx rma neighbours', mca=OSC_UCX + YIELD + mca, mpirun=mpirun,
          not_under=NO_MQ, quiet=not mpirun)
      for mca, mpirun in [(SLEEP, '-x UCX_TLS=tcp,self'), (THREAD, ''),
                          (RENDEZVOUS, '')]],
    coll_row('--free --salt 55', np='4', mca=STATS + YIELD, tags='neighbours',
             expect=r'collectives started=[1-9]\d*'),
    # coll/acoll declines, in a test of 4 ranks on one node.
    coll_neighbour_row('adapt', 'collectives'),
    coll_neighbour_row('xhc', 'collectives', not_in=XHC_CRASHES),
    *[coll_neighbour_row(component, program, args)
      for component in ('adapt', 'xhc')
      for program, args in (('nonblocking_collectives', '--salt 51'),
                            ('persistent_operations', ''))],
    *[abi_row(program, args, **more) for program, args, more in [
        ('random_matching', '', {}),
        ('probes', '', {}),
        ('completion_calls', '', {}),
        ('send_modes', '', {}),
        ('persistent_requests', '', {}),
        ('noncontiguous_datatypes', '', {}),
        ('communicator_life_cycle', '', {}),
        ('intercommunicators', '', {}),
        ('collectives', '', {}),
        ('nonblocking_collectives', '--salt 52', {}),
        ('one_sided', '--dense', {'mca': OSC_UCX}),
        ('partitioned_communication', '--at_once', {}),
        ('thread_multiple', '', {'mca': YIELD, 'tags': 'threads'})]],
    failed_row(),
    *[failed_row('--blocked %d' % first) for first in (0, 3, 6)],
    failed_row(mca=RINGS_OFF[:1]),
    Row('failed_process', '--alone', np='3', tags='ucx neighbours',
        exit='nonzero', quiet=False, expect='signal 9', told=137),
    # Searched from the first on, so that no list has to be searched far.
    Row('persistent_operations', np='2 3 4'),
    Row('partitioned_communication', np='2 3', not_in=PARTS_GIVEN_AWAY),
    Row('partitioned_communication', '--once', np='2 3', not_in=NO_PARTS),
    Row('partitioned_communication', '--once --posted --differ', np='2 3',
        not_in=NO_PARTS),
    Row('partitioned_communication', '--at_once', np='2 3', not_in=NO_PARTS),
    Row('partitioned_communication', '--at_once --largest 20000', np='2',
        not_in=NO_PARTS),
    # More of them than are under way at a time.
    Row('partitioned_communication', '--at_once --parts 4000 --largest 20'
        ' --rounds 18', np='2', tags='ucx neighbours', not_in=NO_PARTS),
    Row('partitioned_communication', '--once --parts 4000 --largest 20'
        ' --rounds 6', np='2', tags='ucx neighbours', not_in=NO_PARTS),
    Row('flood', np='2', not_under={
        'ob1': 'mixes up the order of so many pending sends'}),
    Row('flood', '--messages 20000 --size 1024', np='2'),
    Row('flood', '--messages 50000 --order 2'),
    Row('flood', '--messages 5000'),
    Row('flood', '--messages 10000 --order 1', np='2'),
    Row('flood', '--messages 3000 --size 8192 --order 1', np='2'),
    Row('slow_receiver', 'blocking --messages 20000'),
    # With list the time of so many would be quadratic.
    Row('slow_receiver', 'blocking', tags='ucx', mca=[('mq', 'indexed')],
        not_under=NO_MQ),
    Row('slow_receiver', 'pending --messages 4000'),
    Row('slow_receiver', 'mutual --messages 4000'),
    cancel_row(mca=LATE, expect=r'late=[1-9]', tags='ucx'),
    cancel_row(mca=RINGS_OFF[:1], tags='ucx'),
    cancel_row(mca=RINGS[:1], tags='ucx ring'),
    cancel_row(mpirun=TCP, tags='ucx'),
    cancel_row(mca=RENDEZVOUS[:1], tags='ucx'),
    cancel_row(mca=HELD[:2], tags='ucx', np='2'),
    cancel_row(mca=PREFETCH[:3], tags='ucx', np='2'),
    cancel_row(mca=THREAD[:1] + YIELD, tags='ucx thread', np='2'),
    cancel_row(mca=OFFLOAD_ALL[:1] + OFFLOAD_ALL[2:], tags='ucx offload'),
    cancel_row(mca=flow(1), tags='ucx'),
    cancel_row(mca=flow(1), mpirun=TCP, tags='ucx', np='2'),
    # Any order will do.
    cancel_row('--rounds 5 --random', mca=LATE + [
        ('mq_base_assert', 'allow_overtaking')], expect=r'late=[1-9]',
               tags='ucx'),
    cancel_row('--threads 4 --rounds 4 --messages 50', mca=YIELD +
               OFFLOAD_ALL[:1] + OFFLOAD_ALL[2:], tags='ucx threads', np='2'),
    flow_row('blocking', np='3'),
    flow_row('blocking', np='3', mpirun=TCP),
    flow_row('blocking', np='3', mpirun='-x UCX_TLS=posix,self'),
    flow_row('blocking', np='3', mca=RINGS_OFF),
    flow_row('blocking --messages 4000 --wait 1', limit=1),
    # Fetched before its receive, a message would let its sender go on.
    flow_row('blocking --messages 2000 --wait 1', limit=1,
             mca=STATS + PREFETCH[:1], expect=r'prefetch fetched=0 '),
    flow_row('pending --messages 4000', limit=1 << 20, np='2 3'),
    flow_row('pending --messages 4000', limit=1 << 20, mpirun=TCP),
    flow_row('pending --messages 4000', limit=1 << 20, mca=STATS + LATE),
    flow_row('mutual --messages 4000', limit=1 << 20, np='2 4'),
    flow_row('mutual --messages 4000', limit=1 << 20, mpirun=TCP,
             mca=STATS + PREFETCH[:1]),
    flow_row('mutual --messages 4000', limit=1 << 20, mca=THREAD),
    # The sender says what it waits for, and goes on.
    flow_row('blocking --messages 4000 --wait 5', limit=1, patience=1,
             expect=r'Process 1 of this job has waited for process 0',
             quiet=False),
    # Whatever else a program does: every unexpected message stops its sender.
    *[ucx_row(program, args, mca=flow(1))
      for program, args in [
          ('random_matching', ''),
          ('send_modes', ''), ('persistent_requests', ''),
          ('messages_do_not_overtake', ''), ('finalize_with_pending', 'both'),
          ('finalize_with_pending', 'crossing'),
          ('communicator_life_cycle', '--times 100 --abandoned')]],
    Row('thread_multiple', np='2', tags='ucx threads', not_under=NO_MQ,
        mca=YIELD + flow(1)),
    random_row(FOR_ALL, salt=31, mca=flow(1)),
    Row('completion_calls'),
    Row('component_changes', '--rounds 8', mca=STATS,
        expect=r'migrations=[0-9]{4,}', not_under=NO_MQ),
    Row('component_changes', '--threads 3 --rounds 3 --depth 400',
        tags='threads', mca=STATS + YIELD, expect=r'migrations=[0-9]{3,}',
        not_under=NO_MQ),
    striped_row('sizes truncated cancelled freed --times 6'),
    striped_row('sizes --times 3', mca=STRIPED[:2] + THREAD),
    striped_row('threads --times 2', tags='threads'),
    striped_row('pending'),
    # A receiver that never sends has no endpoint of its own to ask by.
    striped_row('stream --one-way --times 15 --size 4194304'),
    # What is refused is done without.
    striped_row('sizes --refuse at-once --times 3', quiet=False,
                expect=r'refused=[1-9](?!(.|\n)*stats stripes)'),
    Row('finalize_with_pending', 'sends', not_under=UNFINISHED),
    Row('finalize_with_pending', 'receives'),
    Row('finalize_with_pending', 'both', not_under=UNFINISHED),
    Row('finalize_with_pending', 'probed', not_under={
        'ucx': UNFINISHED['ucx']}),
    Row('finalize_with_pending', 'crossing', not_under=UNFINISHED),
    ucx_row('random_matching', '--messages 1000', mca=HELD, expect=r'held=[1-9]'),
    ucx_row('random_matching', '--messages 1000', mca=HELD, mpirun=TCP,
            expect=r'held=[1-9]'),
    ucx_row('noncontiguous_datatypes', mca=HELD),
    ucx_row('finalize_with_pending', 'probed', mca=HELD, expect=r'held=[1-9]'),
    ucx_row('random_matching', mca=RENDEZVOUS, expect=r'rendezvous=[0-9]{3,}'),
    ucx_row('noncontiguous_datatypes', mca=RENDEZVOUS,
            expect=r'rendezvous=[0-9]{2,}'),
    ucx_row('split_elements', mpirun=TCP),
    ucx_row('split_elements', mca=RENDEZVOUS, expect=r'rendezvous=[0-9]{2,}'),
    ucx_row('split_elements', mca=RENDEZVOUS + PREFETCH[:1]),
    ucx_row('truncation_is_reported', mca=RENDEZVOUS),
    ucx_row('finalize_with_pending', 'both', mca=RENDEZVOUS),
    ucx_row('finalize_with_pending', 'both', mpirun=TCP),
    ucx_row('send_modes', mpirun=TCP),
    ucx_row('flood', '--messages 5000 --size 1024 --order 1', mpirun=TCP),
    # A fetch is deferred unless no send came the last time before progress. In an
    # exchange both ranks do that.
    *[deferred_row(args, deferred, mca=DEFERRING + mca, mpirun=mpirun)
      for args, deferred in [('exchange', 60), ('compute', 1), ('turn', 61),
                             ('blocking', 0)]
      for mca, mpirun in [([], ''), (RINGS_OFF[:1], ''), ([], TCP)]],
    *[Row('deferred_fetches', args, np='2 4', tags='ucx', mca=mca,
          mpirun=mpirun)
      for args in ('exchange', 'turn', 'many')
      for mca, mpirun in [(STATS, ''), (STATS, TCP), (THREAD, TCP),
                          (PREFETCH, '')]],
    ucx_row('late_receivers', mca=PREFETCH,
            expect=r'useful=[0-9]{3,} .* full=[1-9]\d* served=[1-9]'),
    ucx_row('late_receivers', mca=PREFETCH, mpirun=TCP,
            expect=r'useful=[0-9]{3,} late=[1-9]\d* full=[1-9]\d* served=[1-9]'),
    ucx_row('late_receivers', '--hasty', mpirun=TCP, mca=PREFETCH,
            expect=r'useful=\d+ late=[1-9]\d* full=0 served=0 declined=[1-9]'),
    *[ucx_row('prefetch_memory', args, mca=mca, mpirun=mpirun,
              expect=r'useful=[1-9]')
      for args, mca, mpirun in [('idle', PREFETCH, TCP),
                                ('large', PREFETCH, ''),
                                ('large', PREFETCH, TCP)]],
    # Whether what is fetched comes before its receive is the network's affair.
    *[ucx_row('prefetch_memory', 'flood --limit %d' % (64 << 20), mpirun=mpirun,
              mca=LIMITED_PREFETCH, expect=r'stats prefetch fetched=[1-9]')
      for mpirun in ('', TCP)],
    ucx_row('ssend_waits_for_match', mca=PREFETCH, expect=r'useful=[1-9]'),
    ucx_row('random_matching', mca=RENDEZVOUS + PREFETCH[:1],
            expect=r'fetched=[0-9]{3,}'),
    ucx_row('random_matching', mca=RENDEZVOUS + PREFETCH[:1], mpirun=TCP,
            expect=r'fetched=[0-9]{3,}'),
    ucx_row('finalize_with_pending', 'both', mca=RENDEZVOUS + PREFETCH[:1]),
    offload_row('receive_offload', 'mix'),
    offload_row('receive_offload', 'mix', mca=OFFLOAD_ALL + LATE),
    offload_row('receive_offload', 'mix', np='3'),
    # Of 1280 messages for each pair of ranks 10 are not contiguous, nor are the
    # receives of 10 others: not one more goes another way.
    offload_row('receive_offload', 'window',
                expect=r'matched=(?:12[0-9]{2}|[2-9][0-9]{3}) '),
    offload_row('receive_offload', 'window', mca=OFFLOAD + LATE,
                expect=r'matched=(?:12[0-9]{2}|[2-9][0-9]{3}) '),
    # First blocked, then offloaded again.
    offload_row('receive_offload', 'cancels',
                expect=r'matched=[0-9]{4} .*blocked=[0-9]{3}'),
    offload_row('receive_offload', 'cancels',
                mca=OFFLOAD + [('pml_champion_offload_cancel_limit', '100')],
                expect=r'cancelled=[0-9]{4} blocked=0 '),
    offload_row('receive_offload', 'wildcards'),
    offload_row('receive_offload', 'wildcards', mca=OFFLOAD + LATE),
    offload_row('receive_offload', 'withdrawn', mca=OFFLOAD_ALL,
                expect=r'matched=[1-9][0-9]* cancelled=[0-9]{2}'),
    offload_row('receive_offload', 'withdrawn', mca=OFFLOAD_ALL + LATE,
                expect=r'matched=[1-9][0-9]* cancelled=[0-9]{2}'),
    offload_row('receive_offload', 'truncated'),
    offload_row('receive_offload', 'tags'),
    # Messages with tags that are not followed go as UCX likes.
    Row('receive_offload', 'tags', np='2', tags='ucx offload', not_under=NO_MQ,
        mca=OFFLOAD, mpirun=TCP + ' -x UCX_RNDV_THRESH=1g',
        expect=r'stats paths rendezvous=0 '),
    offload_row('receive_offload', 'mix', np='2', mpirun=TCP),
    Row('receive_offload', 'mix', np='2'),
    Row('receive_offload', 'window', np='2'),
    Row('receive_offload', 'wildcards', np='2'),
    Row('receive_offload', 'truncated', np='2', not_under={
        'ob1': 'writes beyond the buffer of a large receive'}),
    # Everything under a tag, and all orders of data and envelopes.
    offload_row('random_matching', mca=OFFLOAD_ALL),
    offload_row('random_matching', mca=OFFLOAD_ALL + LATE),
    offload_row('send_modes', mca=OFFLOAD_ALL),
    offload_row('receive_offload', 'synchronous', mca=OFFLOAD_ALL,
                expect=r'onloaded=[0-9]{2}'),
    offload_row('receive_offload', 'synchronous', np='2',
                mca=OFFLOAD_ALL + ADAPTER, expect=r'onloaded=[0-9]{2}'),
    offload_row('noncontiguous_datatypes', mca=OFFLOAD_ALL,
                expect=r'onloaded=[1-9]'),
    offload_row('split_elements', mca=OFFLOAD_ALL, expect=r'onloaded=[1-9]'),
    offload_row('truncation_is_reported', mca=OFFLOAD_ALL),
    offload_row('probes', mca=OFFLOAD_ALL, expect=r'onloaded=[1-9]'),
    offload_row('receive_cancel', mca=OFFLOAD_ALL, expect=r'cancelled=[1-9]'),
    offload_row('persistent_requests', mca=OFFLOAD_ALL),
    offload_row('component_changes', '--rounds 8', mca=OFFLOAD_ALL),
    offload_row('collectives', mca=OFFLOAD_ALL),
    offload_row('communicator_life_cycle', '--times 100 --pending',
                mca=OFFLOAD_ALL, expect=r'onloaded=[1-9]'),
    offload_row('communicator_life_cycle', '--times 100 --abandoned',
                mca=OFFLOAD_ALL, expect=r'onloaded=[1-9]'),
    # Most are to the process itself: how many are asked for by tag is chance.
    offload_row('finalize_with_pending', 'both', mca=OFFLOAD_ALL,
                expect=r'onloaded=\d'),
    offload_row('finalize_with_pending', 'probed', mca=OFFLOAD_ALL,
                expect=r'onloaded=\d'),
    offload_row('revoked_communicators', np='2 4', mca=OFFLOAD_ALL,
                expect='onloaded=[1-9]', not_in=NO_REVOKE),
    # Beside prefetching: what comes unexpected is prefetched, with a tag or
    # without.
    offload_row('receive_offload', 'mix', np='2',
                mca=OFFLOAD_ALL + PREFETCH[:1]),
    offload_row('receive_offload', 'synchronous', np='2',
                mca=OFFLOAD_ALL + ADAPTER + PREFETCH[:1]),
    offload_row('late_receivers', np='2', mca=OFFLOAD_ALL + PREFETCH[:-1],
                expect=r'onloaded=[1-9]'),
    offload_row('late_receivers', np='2', mca=OFFLOAD_ALL + PREFETCH[:-1] +
                ADAPTER, expect=r'onloaded=[1-9]'),
    # Asked for tags, then for none: only receives that come too late.
    offload_row('receive_offload', 'too_late', np='2', mca=AUTO,
                expect=r'offloaded=[1-9].* withdrawn=[1-9]'),
    # What adapters do: match by themselves, refuse, and cancel later.
    offload_row('receive_offload', 'mix', mca=OFFLOAD + ADAPTER),
    offload_row('receive_offload', 'mix', mca=OFFLOAD_ALL + ADAPTER + LATE),
    Row('receive_offload', 'window', np='2', tags='ucx offload', not_under=NO_MQ,
        mca=OFFLOAD + ADAPTER, mpirun=REPORT,
        expect=r'adapter: matched=[1-9][0-9]{2,} .*refused=[1-9]'),
    offload_row('receive_offload', 'wildcards', mca=OFFLOAD + ADAPTER),
    Row('receive_offload', 'withdrawn', np='2', tags='ucx offload',
        not_under=NO_MQ, mca=OFFLOAD_ALL + ADAPTER, mpirun=REPORT,
        expect=r'adapter: matched=[1-9][0-9]* .*cancelled=[1-9]'),
    offload_row('receive_offload', 'withdrawn', mca=OFFLOAD_ALL + ADAPTER +
                LATE),
    offload_row('receive_offload', 'truncated', mca=OFFLOAD + ADAPTER),
    offload_row('receive_offload', 'tags', mca=OFFLOAD + ADAPTER),
    offload_row('random_matching', mca=OFFLOAD_ALL + ADAPTER),
    offload_row('finalize_with_pending', 'both', mca=OFFLOAD_ALL + ADAPTER,
                expect=r'onloaded=\d'),
    # Where it pays: the sender is late.
    offload_row('receive_offload', 'late', np='2', mca=AUTO),
    # No adapter, and UCX has not been told of one: as if it were off.
    Row('receive_offload', 'late', np='2', tags='ucx offload', not_under=NO_MQ,
        mca=[('pml_champion_offload', 'auto')] + STATS,
        expect=r'migrations=\d+\n(?!(.|\n)*stats offload)'),
    offload_row('thread_multiple', tags_more='threads', mca=OFFLOAD_ALL +
                YIELD),
    offload_row('thread_multiple', np='2', tags_more='threads',
                mca=OFFLOAD_ALL + ADAPTER + YIELD),
    # Rings within the node. All of the table runs with them; here is that they
    # were used, and what happens when they cannot be.
    ring_row('rings', 'sizes', expect=r'messages=[0-9]{4}.* waited=[1-9]'),
    ring_row('looks_between_steps', mca=RINGS + YIELD + PROMPT,
             expect=r'messages=[0-9]{3}'),
    ring_row('looks_between_steps', np='2', mca=PROMPT +
             STATS, expect=r'opened=[12]'),
    # By ring from the first message on, and UCX not at all.
    ring_row('rings', 'oneway', np='2', mca=STATS,
             expect=r'messages=40\d\d fifo=0 opened=[12] .*failed=0'),
    ring_row('rings', 'oneway', np='2', mca=STATS + FIFO,
             expect=r'messages=40\d\d fifo=40\d\d opened=0 .*failed=0'),
    ring_row('looks_between_steps', '--size 20000', np='2',
             mca=RINGS + PROMPT, expect=r'messages=[0-9]{3}'),
    ring_row('rings', 'sizes', np='3', mca=RINGS + LATE,
             expect=r'messages=[0-9]{4}'),
    ring_row('rings', 'sizes', np='2', mca=RINGS_OFF,
             expect=r'(?!(.|\n)*stats rings)'),
    ring_row('rings', 'sizes', np='2', mca=RINGS +
             [('pml_champion_ring_max', '100')], expect=r'messages=[0-9]{3}'),
    ring_row('rings', 'sizes', np='2', mca=RINGS +
             [('pml_champion_ring_max', '4200')], expect=r'messages=[0-9]{4}'),
    # Longer messages in pieces: through fragments, as many as there are, or
    # through the ring itself, or past it.
    ring_row('rings', 'pieces', expect=r'fragments=[0-9]{3}'),
    ring_row('rings', 'pieces', np='2', expect=r'rget=[1-9]'),
    ring_row('rings', 'pieces', np='2', mpirun='-x UCX_TLS=posix,self',
             expect=r'rget=0'),
    ring_row('rings', 'pieces', np='2', mca=RINGS + LATE,
             expect=r'fragments=[0-9]{3}'),
    # Longer ones stay at their senders, and are copied by both sides.
    ring_row('rings', 'pieces', np='2', mca=RINGS +
             [('pml_champion_ring_max', '16384')], expect=r'rget=[1-9]'),
    ring_row('shared_copies', 'sizes', np='2 3 4', mca=BOTH + YIELD,
             expect=SHARED),
    ring_row('shared_copies', 'sizes', np='2', mca=BOTH + LATE, expect=SHARED),
    ring_row('shared_copies', 'sizes', np='2 4', mca=BOTH + YIELD +
             [('pml_champion_prefetch', 'on')], expect=SHARED),
    ring_row('shared_copies', 'sizes', np='2 4', mca=BOTH + YIELD +
             THREAD[:1], expect=SHARED),
    ring_row('shared_copies', 'sizes', np='2', mca=RINGS + SLEEP,
             expect=r'rget=[1-9]'),
    ring_row('shared_copies', 'sizes', np='2', mca=RINGS + BY_RECEIVER,
             expect=r'rget=[1-9]\d* shared=0'),
    ring_row('shared_copies', 'sizes', np='2', mca=RINGS +
             COPIED_BY_UCX, expect=r'rget=[12]?\d{1,2} shared=0'),
    ring_row('shared_copies', 'sizes', np='4', mca=FIFO + STATS +
             YIELD + [('pml_champion_copy_by', 'both')], expect=SHARED),
    ring_row('shared_copies', 'sizes --limit writes', np='2 4',
             mca=BOTH + YIELD, expect=SHARED),
    ring_row('shared_copies', 'alone', np='2', mca=BOTH, expect=SHARED),
    ring_row('shared_copies', 'cancelled', np='2 4', mca=BOTH + YIELD,
             expect=r'rget=[1-9]'),
    # Memory of senders and receivers that no other process can access.
    ring_row('private_memory', 'from', np='2', mca=BOTH + LATE),
    ring_row('private_memory', 'to', np='2', mca=BOTH, expect=r'rget=[1-9]'),
    ring_row('private_memory', 'from to returned', np='2', mca=RINGS + SLEEP +
             BY_RECEIVER),
    ring_row('private_memory', 'from to first', np='2'),
    ring_row('private_memory', 'from', np='2', mca=RINGS + COPIED_BY_UCX),
    # Its sender finds out by the receiver. With one fragment there is never room for
    # a large message.
    ring_row('private_memory', 'mixed', np='2', quiet=False, mca=BOTH,
             expect=r'rget=[1-9]'),
    ring_row('private_memory', 'mixed alone', np='2', quiet=False, mca=RINGS +
             ONE_FRAGMENT + BY_RECEIVER, expect=r'rget=[1-9]'),
    ring_row('private_memory', 'mixed alone', np='2', quiet=False, mca=RINGS +
             ONE_FRAGMENT + LATE + BY_RECEIVER, expect=r'rget=[1-9]'),
    # The memory of a real one, whose driver maps it.
    *[ring_row('private_memory', 'from to %s %s' % (kind, more), np='2',
               mca=mca, tags='gpu', needs='a GPU')
      for kind in ('managed', 'pinned') for more, mca in (
          ('', BOTH), ('first', RINGS), ('returned', RINGS + [
              ('pml_champion_copy_by', 'receiver')]))],
    # A large message is here after a few calls of MPI_Test.
    ring_row('rare_tests', np='2', expect=r'rget=[1-9]'),
    ring_row('rare_tests', np='2', mca=RINGS +
             BY_RECEIVER, expect=r'rget=[1-9]'),
    # By itself, where cores are shared or not.
    ring_row('shared_copies', 'sizes', np='2 4', mca=RINGS + YIELD,
             expect=r'rget=[1-9]'),
    ring_row('rings', 'pieces', np='2', mca=RINGS_OFF,
             expect=r'(?!(.|\n)*stats rings)'),
    ring_row('rings', 'sizes', mca=RINGS + ONE_FRAGMENT,
             expect=r'waited=[1-9].*fragments=[1-9]'),
    ring_row('rings', 'sizes', np='4', mca=RINGS +
             [('pml_champion_ring_fragments', '3'),
              ('pml_champion_ring_max', '100000')],
             expect=r'waited=[1-9].*fragments=[1-9]'),
    # None left, and the ring nearly full: a message of two records is all there
    # or not at all.
    ring_row('messages_do_not_overtake', np='4', mca=RINGS + ONE_FRAGMENT,
             expect=r'waited=[1-9].*fragments=[1-9]'),
    ring_row('messages_do_not_overtake', np='4', mca=RINGS + LATE +
             [('pml_champion_ring_fragments', '4')],
             expect=r'waited=[1-9].*fragments=[1-9]'),
    ring_row('rings', 'sizes', np='2', mca=RINGS +
             [('pml_champion_ring_fragments', '0')], expect=r'fragments=0'),
    ring_row('rings', 'sizes', np='2', mca=RINGS +
             [('pml_champion_ring_max', '0')] + COPIED_BY_UCX,
             expect=r'messages=[0-9]{1,3} '),
    ring_row('rings', 'sizes --limit fsize', np='2', mca=RINGS,
             expect=r'opened=2 .*failed=0'),
    # Those that cannot open the memory again have no fragments.
    ring_row('rings', 'sizes --limit nofile', np='2', mca=RINGS,
             expect=r'opened=2 failed=[1-9]'),
    # By default, where there are more than 17.
    ring_row('crowd', '--rounds 3', np='20', tags='slow', mca=STATS + YIELD,
             expect=r'fifo=[1-9].* opened=0 '),
    ring_row('rings', 'even', np='20', tags='slow', mca=STATS + YIELD,
             expect=r'fifo=[0-9]{5}.* opened=0 '),
    # By FIFO: in any order and number, cancelled, synchronous, with large ones in
    # between, from several threads, to ranks that sleep, to ranks that fall
    # behind, until MPI_Finalize.
    ring_row('crowd', '--rounds 12', np='4', tags='fifo', mca=STATS + FIFO,
             expect=r'fifo=[0-9]{3}.* opened=0 '),
    ring_row('messages_do_not_overtake', np='4', mca=STATS + FIFO +
             ONE_FRAGMENT, expect=r'fifo=[0-9]{3}.* waited=[1-9]'),
    ring_row('rings', 'pieces', np='3', mca=STATS + FIFO + LATE,
             expect=r'fifo=[0-9].*fragments=[1-9]'),
    ring_row('private_memory', 'from to returned', np='2', mca=STATS + FIFO +
             SLEEP),
    ring_row('shared_copies', 'sizes', np='2 4', mca=STATS + FIFO + YIELD,
             expect=r'fifo=[1-9].*rget=[1-9]'),
    offload_row('receive_offload', 'late', np='2', mca=AUTO + FIFO),
    ring_row('rings', 'sizes', np='3', mca=STATS + FIFO,
             expect=r'fifo=[0-9]{3}.* opened=0 '),
    ring_row('rings', 'absent', np='4', mca=STATS + FIFO,
             expect=r'fifo=[0-9]{2}'),
    ring_row('random_matching', np='4', tags='fifo', mca=STATS + FIFO,
             expect=r'fifo=[0-9]{4}'),
    ring_row('random_matching', np='4', tags='fifo', mca=STATS + FIFO + LATE,
             expect=r'fifo=[0-9]{4}'),
    ring_row('random_matching', np='4', mca=STATS + FIFO + SLEEP,
             expect=r'fifo=[0-9]{3}'),
    ring_row('thread_multiple', np='4', mca=STATS + FIFO + YIELD,
             tags='threads fifo', expect=r'fifo=[0-9]{3}'),
    ring_row('messages_do_not_overtake', np='4', mca=STATS + FIFO,
             expect=r'fifo=[0-9]{3}'),
    ring_row('communicator_life_cycle', '--times 100 --abandoned', np='4',
             mca=STATS + FIFO, expect=r'fifo=[0-9]{2}'),
    ring_row('finalize_with_pending', 'both', np='4', mca=STATS + FIFO,
             expect=r'fifo=[1-9]'),
    # 250 of these are not synchronous.
    ring_row('ssend_waits_for_match', np='4', mca=STATS + FIFO,
             expect=r'fifo=3[6-9]\d '),
    ring_row('messages_while_computing', np='4', mca=STATS + FIFO + THREAD[:1],
             expect=r'fifo=[1-9].* doorbells=[1-9]'),
    cancel_row(mca=FIFO, np='4', tags='ucx ring fifo'),
    wait_row('', mca=FIFO, np='4'),
    # The receiver throttles senders that no endpoint leads to.
    flow_row('blocking --messages 20000', np='4', limit=1 << 20,
             mca=STATS + FIFO),
    ring_row('rings', 'absent', expect=r'messages=[0-9]{3}'),
    Row('rings', 'killed', np='3', exit='nonzero', quiet=False, tags='ucx',
        not_under=NO_MQ, mca=FIFO),
    ring_row('random_matching', np='4', mca=RINGS,
             expect=r'messages=[0-9]{4}'),
    ring_row('random_matching', np='4', mca=RINGS + LATE,
             expect=r'messages=[0-9]{4}'),
    ring_row('communicator_life_cycle', '--times 100 --abandoned', mca=RINGS,
             expect=r'messages=[0-9]{2}'),
    ring_row('finalize_with_pending', 'both', np='2', mca=RINGS,
             expect=r'messages=[1-9]'),
    ring_row('thread_multiple', mca=RINGS + YIELD, tags='threads',
             expect=r'messages=[0-9]{3}'),
    ring_row('messages_while_computing', np='2', mca=RINGS + THREAD[:1],
             expect=r'messages=[1-9].* doorbells=[1-9]'),
    ring_row('rings', 'sizes', np='2 4', mca=RINGS + THREAD[:1],
             expect=r'messages=[0-9]{4}'),
    # However a call waits: by itself; asleep, woken by rings, by UCX, by neither;
    # beside a progress thread, and other threads; as the program says meanwhile.
    Row('waits', np='2 4', tags='ucx', mca=YIELD),
    wait_row('', np='2 4'),
    wait_row('', mpirun=TCP),
    # By the bell, if UCX's descriptor says nothing.
    wait_row('--silent'),
    wait_row('--silent', woken='0', mca=RINGS_OFF[:1]),
    wait_row('--silent', mpirun=TCP, woken='0'),
    wait_row('', mca=THREAD[:1]),
    wait_row('--threads 3 --ms 10', tags='threads'),
    wait_row('--threads 3 --ms 10', mca=THREAD[:1], tags='threads'),
    wait_row('--threads 3 --ms 10', mpirun=TCP, tags='threads'),
    wait_row('', mca=LATE),
    wait_row('--switch', np='2 4', wait='auto'),
    wait_row('--switch --threads 2', tags='threads', wait='auto'),
    Row('waits', np='2', tags='ucx', mca=[('pml_champion_wait', 'poll')] + STATS,
        not_under=NO_MQ, expect=r'migrations=\d+\n(?!(.|\n)*stats waits)'),
    ring_row('random_matching', np='4', mca=RINGS + SLEEP,
             expect=r'messages=[0-9]{4}'),
    ring_row('rings', 'sizes', np='2 4', mca=RINGS + SLEEP,
             expect=r'messages=[0-9]{4}'),
    Row('thread_multiple', np='2', tags='threads ucx', not_under=NO_MQ,
        mca=SLEEP + YIELD),
    Row('collectives', np='2 4', tags='ucx', not_under=NO_MQ,
        mca=SLEEP + YIELD),
    Row('random_datatypes', '--rounds 500 --salt 31', np='3', tags='ucx',
        not_under=NO_MQ, mca=SLEEP + YIELD),
    coll_row('--free --salt 44', mca=STATS + YIELD,
             expect=r'collectives started=[1-9]\d*'),
    coll_row('--free --salt 45', mca=SHORT_SEGMENTS + YIELD),
    coll_row('--salt 46', mca=SHORT_SEGMENTS + RENDEZVOUS + YIELD),
    coll_row('--free --salt 47', mca=THREAD + SHORT_SEGMENTS + YIELD,
             expect=r'collectives .*by_thread=[1-9]'),
    coll_row('--free --threads 4 --rounds 15 --salt 48', tags='threads',
             mca=THREAD + YIELD),
    coll_row('--computing', mca=THREAD + YIELD,
             expect=r'collectives .*by_thread=[1-9]'),
    busy_row(np='2 4', mca=THREAD, expect=NOTIFIED),
    busy_row(mca=THREAD, mpirun=TCP, expect=NOTIFIED),
    # Without memory that another process reads: all data in pieces.
    busy_row(mca=THREAD, expect=NOTIFIED, mpirun='-x UCX_TLS=posix,self'),
    busy_auto_row('--multiple', mca=THREAD, expect=NOTIFIED),
    busy_auto_row(expect=r'paths .*delayed=[1-9](.|\n)*'
               + WORKED, mca=THREAD + [('pml_champion_test_delay', '50')]),
    # Started by the first large messages.
    busy_auto_row('--begun', np='2 4', mca=BEGUN + EAGER, expect=STARTED),
    busy_auto_row('--begun', mca=BEGUN + EAGER, mpirun=TCP, expect=STARTED),
    # Of processes that only send, by the fetches that wait for them.
    busy_auto_row('--sending --only sender', np='2 4',
             mca=[('pml_champion_thread_local', '1')] + EAGER + STATS,
             mpirun=TCP, expect=STARTED),
    # Where the memory is read without the sender it is not late: no thread.
    busy_auto_row('--sending --only sender --patience 1',
             mca=[('pml_champion_thread_local', '1'),
                  ('pml_champion_ring', '0')] + EAGER, exit='nonzero',
             quiet=False, expect=r'not true: mt_now.. < until'),
    busy_auto_row('--begun --multiple', mca=BEGUN + EAGER, expect=STARTED),
    auto_row('late_receivers', mca=BEGUN[:-1] + PREFETCH, expect=STARTED),
    auto_row('random_matching', mca=BEGUN + RENDEZVOUS[:1], expect=STARTED),
    auto_row('finalize_with_pending', 'both', mca=BEGUN + RENDEZVOUS[:1]),
    auto_row('collectives', np='2 4', mca=BEGUN + RENDEZVOUS[:1],
               expect=STARTED),
    # Two of the last 64 are not enough, nor what is not late.
    auto_row('random_matching',
             expect=r'migrations=\d+\n(?!(.|\n)*stats thread)',
             mca=RENDEZVOUS + [('pml_champion_thread_local', '1'),
             ('pml_champion_thread_late', '10000000')]),
    auto_row('random_matching',
               expect=r'migrations=\d+\n(?!(.|\n)*stats thread)',
               mca=RENDEZVOUS + [('pml_champion_thread_late', '0')]),
    # It ends where it is of no use, and starts again.
    *[busy_auto_row('--begun --only given_up' + more,
               mca=BEGUN + EAGER, mpirun=mpirun,
               expect=STARTED + r' ended=[2-9] again=[2-9] ')
      for more, mpirun in (('', ''), ('', TCP), (' --multiple', ''))],
    # The program switches it on and off.
    *[busy_auto_row('--only switched' + more,
               mca=EAGER + [('pml_champion_progress_thread', first)],
               mpirun=mpirun)
      for more, first, mpirun in (('', 'auto', ''), ('', 'off', TCP),
                                  ('', 'on', ''), (' --multiple', 'off', ''))],
    *[busy_auto_row('--only chosen' + more, mca=EAGER,
               mpirun=mpirun)
      for more, mpirun in (('', ''), (' --multiple', TCP))],
    # It does not follow the program to where it goes after MPI_Init.
    busy_auto_row('--begun --only placed', np='2',
             mca=BEGUN + EAGER, expect=STARTED, mpirun='--bind-to none'),
    busy_auto_row('--begun --only placed --core 1',
             np='2', mca=BEGUN + EAGER + [('pml_champion_thread_cores', '1')],
             expect=STARTED, mpirun='--bind-to none'),
    # A transport without events: the thread finds out, and looks by itself.
    busy_row('--silent', mca=THREAD + RINGS_OFF[:1],
               expect=r'thread .*wakeups=0 '),
    busy_row('--silent', mca=THREAD, expect=r'thread .*wakeups=[1-9]'),
    busy_row('--silent', mca=THREAD, mpirun=TCP,
               expect=r'thread .*wakeups=0 '),
    busy_row('--silent --only idle', mca=THREAD),
    without_thread('posted'),
    without_thread('unexpected'),
    without_thread('sender', mpirun=TCP),
    without_thread('crowd'),
    busy_row('--only idle', mca=THREAD),
    # Beside a program that polls it looks on, five times a second at first here.
    # By UCX, because what rings bring does not wake it while it looks on.
    busy_row('--only waiting', mca=THREAD + YIELD +
             [('pml_champion_thread_interval', '200000'),
             ('pml_champion_ring', '0')],
             expect=r'thread .*wakeups=[1-9].* yielded=[1-9]'),
    busy_row('--only leave', exit=3, quiet=False, mca=THREAD),
    thread_row('bad_input', '--fatal rank', exit='nonzero', quiet=False,
               expect='MPI_ERR_RANK', told=MPI_ERR_RANK,
               mca=THREAD + [('orte_base_help_aggregate', '0')]),
    Row('thread_multiple', np='2', tags='threads', not_under=NO_MQ,
        mca=THREAD + YIELD + [('pml_champion_thread_interval', '1')],
        expect=WORKED),
    Row('crowd', np='1 2 3 4'),
    Row('crowd', np='2', mca=[('ompi_display_comm', 'mpi_finalize')],
        expect=r'connections are ucx=\w+',
        not_in={'4.1': 'does not ask PMLs for their transports'},
        not_under={'ob1': 'has no transports of UCX'}),
    Row('addresses_and_counts'),
    Row('bad_input'),
    Row('bad_input', '--buffered', np='2', not_under={
        'ob1': 'a buffered send without a buffer waits for its receive',
        'ucx': 'a buffered send without a buffer gives MPI_ERR_OTHER'}),
    # Aggregated help messages of several ranks get lost at times.
    Row('bad_input', '--fatal rank', np='2', exit='nonzero', quiet=False,
        expect='MPI_ERR_RANK', told=MPI_ERR_RANK,
        mca=[('orte_base_help_aggregate', '0')]),
    Row('bad_input', '--fatal truncation', np='2', exit='nonzero',
        quiet=False, expect='MPI_ERR_TRUNCATE', told=MPI_ERR_TRUNCATE,
        mca=[('orte_base_help_aggregate', '0')]),
    *[hang(name, text) for name, text in HANGS],
    hang('left_out_of_dup', r'rank 0 is in MPI_Comm_dup on halo', not_in={
        series: 'MPI_Comm_dup may wait for PMIx' for series in ('5.0', '6.0')}),
    *[hang(name, text, exit=0) for name, text in SLOW],
    hang_at('usr2', 'wrong_tag', 'stuck: ' +
            NEVER_SENT % ('1', 'MPI_Recv', '7', 'halo')),
    hang_at('usr2', 'compute', r'slow: rank 1 computes, in no MPI call', exit=0),
    # Of another host nothing is known then.
    hang_at('term', 'wrong_tag', '(stuck: ' +
            NEVER_SENT % ('1', 'MPI_Recv', '7', 'halo') +
            '|slow: rank 0 waits for rank 1, which is on another node)'),
    hang_at('term', 'compute', r'slow: rank (1 is in no MPI call that waits|0 '
            r'waits for rank 1, which is on another node)'),
    hang('poll_in_turn', r'unless it does something else: rank 0 polls by '
         r'MPI_(Test|Iprobe)', exit=0, np='2'),
    hang('spawned', r'rank 0 waits for a process of another job \(MPI_Recv, tag '
         r'7, ', exit=0, np='2', tags='spawn'),
    hang('in_the_background', r'rank (0 sleeps|\d may do more than wait)',
         exit=0, np='4'),
    *[Row('faults_are_named', args, np='2 4', quiet=not text, expect=text,
          not_under=others('names no message')) for args, text in [
        ('recv', 'TRUNCATE: a message of 800 bytes from rank 1, tag 7, on halo '
                 "is longer than the 8 bytes of rank 0's receive"),
        ('irecv', 'TRUNCATE: a message of 80000 bytes from rank 1, tag 7, on '
                  "halo is longer than the 16 bytes of rank 0's receive"),
        ('mrecv', 'TRUNCATE: a message of 800 bytes from rank 1, tag 7, on '
                  "halo is longer than the 8 bytes of rank 0's receive"),
        ('self', r'TRUNCATE: a message of 800 bytes from rank (\d), tag 7, on '
                 r"halo is longer than the 8 bytes of rank \1's receive"),
        ('bcast', r'TRUNCATE in MPI_Bcast on halo: rank 0 has sent 800 bytes, '
                  r'rank 1 expects at most 8:'),
        ('ibcast', r'TRUNCATE in a nonblocking collective on halo: rank 0 has '
                   r'sent 800 bytes, rank 1 expects at most 8:'),
        ('free', 'rank 0 of halo has not received 3 messages when the '
                 'communicator ends; the first is from rank 1, tag 7, 800 '
                 'bytes'),
        ('finalize', 'rank 0 of MPI_COMM_WORLD has not received 1 message when '
                     'MPI ends; the first is from rank 1, tag 7, 80000 bytes'),
        ('cancelled', ''), ('received', '')]],
    promise_row(np='1 2 4'),
    promise_row(mca=[('mq', 'hash,list')]),
    promise_row('--all', np='1 2 4',
                mca=[('mq_base_assert', 'no_any_source,no_any_tag')]),
    promise_row('--all', mca=[('mq_base_assert', 'no_any_source,no_any_tag'),
                              ('mq', 'hash')]),
    promise_row(np='2', tags='rma', mca=[('mq', 'hash,list')], osc=OSC_UCX),
    # Not with --all: osc/pt2pt receives from any source, in communicators of
    # its own that cannot be told from the program's.
    promise_row(np='2', tags='rma', mca=[('mq', 'hash,list')],
                osc=[('osc', 'pt2pt')], not_in=NO_OSC_PT2PT),
    session_row(np='1 2 4'),
    session_row('--alone'),
    *[session_row(args, np=np, ob1='cancels no send') for args, np in [
        ('--lives 2 --times 10', '2 4'),
        ('--alone --lives 2 --times 10', '2')]],
    # They are found late, and on the board.
    session_row('--alone --lives 2 --times 3 --late', np='2',
                mca=[('pml_champion_ring', '1')], **NO_MQ),
    session_row('--outlive', np='2 4'),
    session_row('--hints', np='1 2 4', ob1='ignores the hints'),
    session_row('--alone --hints', np='2', ob1='ignores the hints'),
    device_row(np='2 4'),
    device_row(mca=RINGS_OFF),
    device_row(mpirun=TCP),
    device_row(mca=RENDEZVOUS),
    device_row(mca=HELD),
    device_row(mca=PREFETCH),
    device_row(mca=OFFLOAD_ALL),
    device_row(mca=LATE + STATS),
    device_row(mca=THREAD),
    device_row(mca=BEGUN),
    device_row('--threads', mca=STATS + YIELD, tags='threads'),
    device_row('--open', mca=DEVICE_BY_UCX + STATS, expect=BY_UCX),
    device_row('--open', mca=DEVICE_BY_UCX + RENDEZVOUS, expect=BY_UCX),
    device_row('--open', mca=DEVICE_BY_UCX + OFFLOAD_ALL, expect=BY_UCX),
    # Nobody but champion makes CUDA's driver known (4.1).
    device_row(mca=[('btl', 'self')] + STATS),
    # Over the memory that the ranks of a node share; Open MPI's own.
    device_row('--one-sided', mca=[('osc', 'sm')], expect=None),
    # Host memory, where there is an accelerator: nothing is a device's.
    *[device_row(program=program, expect=None)
      for program in ('random_matching', 'persistent_requests', 'send_modes',
                      'messages_to_self', 'noncontiguous_datatypes')],
    Row('revoked_communicators', np='2 3 4', not_in=NO_REVOKE, not_under={
        'ob1': 'hangs when each rank revokes for itself',
        'ucx': 'revoking is not implemented'}),
    # btl: what Open MPI tells the ranks by.
    Row('revoked_communicators', '--told', np='2 4', not_in=NO_REVOKE,
        mpirun='--with-ft ulfm', mca=[('btl', 'self,sm')], not_under={
            'ucx': 'crashes in MPI_Init'}),
]
