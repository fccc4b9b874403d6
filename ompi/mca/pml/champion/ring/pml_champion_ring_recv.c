/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages come out of rings.
 */

#include <string.h>

#include "ompi/mca/pml/champion/pml_champion_deliver.h"
#include "ompi/mca/pml/champion/pml_champion_offload.h"
#include "ompi/mca/pml/champion/pml_champion_peer.h"

/* Records that are taken from one ring before it is the next one's turn. */
enum { AT_ONCE = 16 };

static void broken(const mca_pml_champion_ring_in_t *in)
{
    opal_output(0, "champion: the memory shared with %s is corrupted",
                OPAL_NAME_PRINT(in->peer->name));
    ompi_mpi_abort(&ompi_mpi_comm_world.comm, MPI_ERR_INTERN);
}

/* Is there such a rank in the communicator? */
static inline bool source_exists(const mca_pml_champion_comm_t *comm,
                                 int source)
{
    return (uint32_t) source < comm->sources;
}

/* The slow path: see mca_pml_champion_arrival_arrive. */
static __attribute__((noinline)) bool arrive_otherwise(
    mca_pml_champion_arrival_t *arrival)
{
    const mca_pml_champion_comm_t *comm =
        mca_pml_champion_comm_find(arrival->envelope.context);

    if (NULL != comm && !source_exists(comm, arrival->envelope.source)) {
        return false;
    }
    mca_pml_champion_arrival_arrive(arrival);
    return true;
}

/* Everything waits in a network that is late on purpose. */
static __attribute__((noinline)) bool arrive_late(
    mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_message_t *message = mca_pml_champion_message_new(arrival);

    if (NULL != message) {
        mca_pml_champion_delay_add(message);
    }
    return true;
}

/* One message. offload and late are constants. False: it cannot be. */
static inline __attribute__((always_inline)) bool receive(
    mca_pml_champion_peer_t *peer, const mca_pml_champion_ring_record_t *record,
    bool offload, bool late)
{
    mca_pml_champion_ring_envelope_t envelope;
    mca_pml_champion_arrival_t arrival;
    mca_pml_champion_comm_t *comm;
    mca_mq_entry_t *entry;

    memcpy(&envelope, record->slot->word, sizeof(envelope));
    memcpy(&arrival.envelope, &envelope, sizeof(arrival.envelope));
    arrival.sequence = envelope.sequence;
    arrival.peer = peer;
    arrival.payload = record->slot->data;
    arrival.length = record->length;
    arrival.token = 0;
    arrival.where = MCA_PML_CHAMPION_COPIED;
    arrival.keepable = false;
    arrival.kept = false;
    arrival.message = NULL;
    if (late) {
        return arrive_late(&arrival);
    }
    comm = mca_pml_champion_comm_find(envelope.context);
    if (OPAL_UNLIKELY(
            NULL == comm || envelope.sequence != peer->recv_sequence ||
            NULL != peer->early || !source_exists(comm, envelope.source) ||
            (offload && NULL != peer->inflows))) {
        return arrive_otherwise(&arrival);
    }
    ++peer->recv_sequence;
    arrival.comm = comm;
    entry = mca_mq_base_arrive(comm->domain, &arrival.envelope,
                               mca_pml_champion_arrival_entry, &arrival);
    if (offload && NULL != entry &&
        0 != ((mca_pml_champion_recv_t *) entry)->offload.flags) {
        mca_pml_champion_offload_matched(&arrival,
                                         (mca_pml_champion_recv_t *) entry);
    } else if (OPAL_LIKELY(NULL != entry)) {
        mca_pml_champion_deliver(&arrival, (mca_pml_champion_recv_t *) entry);
    }
    return true;
}

static inline __attribute__((always_inline)) unsigned take(
    mca_pml_champion_ring_in_t *in, bool offload, bool late)
{
    mca_pml_champion_ring_record_t record;
    unsigned taken = 0;

    do {
        bool good = mca_pml_champion_ring_look(&in->reader, &record);

        if (OPAL_LIKELY(good && MCA_PML_CHAMPION_RING_MESSAGE == record.kind)) {
            good = receive(in->peer, &record, offload, late);
            ++taken;
        } else {
            good = good && MCA_PML_CHAMPION_RING_PAD == record.kind;
        }
        if (OPAL_UNLIKELY(!good)) {
            broken(in);
            return taken;
        }
        mca_pml_champion_ring_advance(&in->reader, record.slots);
    } while (taken < AT_ONCE && mca_pml_champion_ring_ready(&in->reader));
    mca_pml_champion.counters.ring_messages += taken;
    return taken;
}

unsigned mca_pml_champion_ring_take(mca_pml_champion_ring_in_t *in)
{
    return take(in, false, false);
}

unsigned mca_pml_champion_ring_take_offload(mca_pml_champion_ring_in_t *in)
{
    return take(in, true, false);
}

unsigned mca_pml_champion_ring_take_late(mca_pml_champion_ring_in_t *in)
{
    return take(in, false, true);
}
