/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Large messages in parts, each by a connection of its own, where a flow of TCP
 * gets only a share of the link. UCX makes one connection for each endpoint, so
 * the sender makes further endpoints to the same worker.
 *
 *     sender                              receiver
 *        |   HERE, after the first large one |
 *        |---------------------------------->| if it has sent nothing so far
 *        |     OPEN: endpoints, address      | wants one more connection
 *        |<----------------------------------|
 *        | HELLO, by the further endpoint    |
 *        |---------------------------------->| it works
 *        |               ...                 |
 *        | rendezvous of the whole message   |
 *        |---------------------------------->| matched or prefetched: it is to
 *        |            ASK: parts             | be fetched
 *        |<----------------------------------|
 *        | PART 0, a rendezvous, endpoint 0  |
 *        |---------------------------------->| fetched to its place
 *        | PART 1, a rendezvous, endpoint 1  |
 *        |---------------------------------->| all are here: the first request
 *        |        end of the rendezvous      | is answered without a transfer
 *        |<----------------------------------|
 *
 * So order, matching, probing, cancelling, truncation and what MPI_Finalize
 * drops are those of any rendezvous: all happen before the data are fetched.
 * Striping costs half a round trip.
 *
 * Connections are asked for one by one, and made when UCX's poll has returned:
 * UCX 1.13 prints errors where it gets to join connections that both sides
 * make.
 *
 * Nothing waits for a further connection: until its HELLO has come, messages
 * come by those that work, at first as a whole. If it is refused, that stays
 * so. All peers together get no more of them than a quarter of the files that
 * a process may open: where there are none left, UCX stops accepting. One that
 * breaks later is not used again; if a part was on its way the job ends with a
 * line that says so, as both sides would wait for it for ever.
 *
 * The sender finds the message by its sequence number in a list of its sends to
 * the peer that may be asked for, and declines one that is missing, or has more
 * parts than it has endpoints: it is fetched as a whole then. If it declines
 * several in a row, some that follow are not asked for, because each answer takes
 * half a round trip. A send waits for its parts, too, so its buffer stays.
 *
 * The receiver decides the number of parts, for each sender, by measurements
 * (peer/flows_rule.h): at the end of each busy period
 * (peer/cost_model.h) in which all messages came from one peer, were large, and
 * came by as many connections as the rule says. Peers whose messages always
 * overlap with those of others are not measured, and get one connection; several
 * peers have several flows anyway.
 *
 * Only messages whose data are contiguous and in the host's memory on both
 * sides are striped, between processes of one job that reach each other by TCP
 * alone; by default not within a node. Data that receive offload sends by tag
 * come as a whole.
 */

#ifndef MCA_PML_CHAMPION_LARGE_STRIPE_H
#define MCA_PML_CHAMPION_LARGE_STRIPE_H

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Prepare, before messages arrive. Striping is on then, unless the parameter
 * flows is 1. Register the handler of STRIPEs. Returns OMPI_SUCCESS. */
int mca_pml_champion_stripes_open(void);

/** Register UCX's handler of PARTs, when there is a worker. Returns
 * OMPI_SUCCESS or OMPI_ERROR. */
int mca_pml_champion_stripes_listen(void);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_LARGE_STRIPE_H */
