# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The table for two hosts that are joined by a slow link:

    test/netns/hosts --rate 100mbit test/mpi/run --table flows

So slow that transfers take as long as the link, or the limit of a connection,
says, whatever else the machine does."""

from rows import NO_MQ, STATS, Row

QUARTER = '--cap 3125000'  # of the link


def flows_row(args, expect, mca=STATS, **more):
    return Row('striped_messages', 'stream ' + args, np='2', mca=mca,
               expect=expect, not_under=NO_MQ, **more)


def settled(flows, received=r'\d+'):
    return r'stats stripes received=%s sent=%s flows=%d\b' % (
        received, received, flows)


TABLE = [
    # One fills the link: two were tried for four messages.
    flows_row('--times 20', settled(1, '4')),
    # As many as fill it, by twice as many as before; the first ones come while
    # connections are made.
    flows_row('--times 30 ' + QUARTER, settled(4, r'2\d')),
    # Connections that go to a host that is not there are done without.
    flows_row('--times 10 --refuse later --cap 6250000',
              r'refused=[1-9](?!(.|\n)*stats stripes)', quiet=False),
    # One that is broken under way cannot be done without: the part it carried
    # would be missing for ever.
    flows_row('--times 5 --size 4194304 --break 4 --cap 3125000',
              'which carried a part of a message, is lost', quiet=False,
              exit='nonzero', mca=[('pml_champion_flows', '2')]),
]
