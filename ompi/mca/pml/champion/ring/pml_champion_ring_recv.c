/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages come out of rings.
 */

#include <string.h>

#include "ompi/mca/pml/champion/offload/pml_champion_offload_recv.h"
#include "ompi/mca/pml/champion/pml_champion_arrival.h"
#include "ompi/mca/pml/champion/pml_champion_context.h"
#include "ompi/mca/pml/champion/pml_champion_delay.h"
#include "ompi/mca/pml/champion/pml_champion_deliver.h"
#include "ompi/mca/pml/champion/pml_champion_peer.h"
#include "ompi/mca/pml/champion/ring/pml_champion_rings.h"

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

/* A message on its way from the ring to its receive. */
typedef struct mail_t {
    size_t length; /* of the payload, bytes; first, as in an arrival */
    mca_pml_champion_ring_envelope_t envelope;
    mca_pml_champion_peer_t *peer;
    mca_pml_champion_comm_t *comm;
    const void *payload;
} mail_t;
_Static_assert(0 == offsetof(mail_t, length),
               "whoever counts reads the length");

static inline const mca_mq_envelope_t *mq_envelope(const mail_t *mail)
{
    return (const mca_mq_envelope_t *) &mail->envelope;
}

_Static_assert(offsetof(mca_pml_champion_ring_envelope_t, context) ==
                       offsetof(mca_mq_envelope_t, context) &&
                   offsetof(mca_pml_champion_ring_envelope_t, source) ==
                       offsetof(mca_mq_envelope_t, source) &&
                   offsetof(mca_pml_champion_ring_envelope_t, tag) ==
                       offsetof(mca_mq_envelope_t, tag),
               "an envelope begins with that of mq");

/* The same as all arrivals are described. Only what is not matched at once
 * needs it. */
static void describe(mca_pml_champion_arrival_t *arrival, const mail_t *mail)
{
    *arrival = (mca_pml_champion_arrival_t){
        .envelope = *mq_envelope(mail),
        .sequence = mail->envelope.sequence,
        .peer = mail->peer,
        .payload = mail->payload,
        .length = mail->length,
        .kind = MCA_PML_CHAMPION_EAGER,
        .comm = mail->comm,
    };
}

static mca_mq_entry_t *mail_entry(void *arg)
{
    mca_pml_champion_arrival_t arrival;

    describe(&arrival, arg);
    return mca_pml_champion_arrival_entry(&arrival);
}

/* The slow path: a peer that offload counts for, a message that is not next in
 * its pair, or whose communicator is not there. */
static __attribute__((noinline)) bool arrive_slow(const mail_t *mail)
{
    mca_pml_champion_arrival_t arrival;

    if (NULL != mail->comm &&
        !source_exists(mail->comm, mail->envelope.source)) {
        return false;
    }
    describe(&arrival, mail);
    mca_pml_champion_arrival_arrive(&arrival);
    return true;
}

/* Everything waits in a network that is late on purpose. */
static bool arrive_late(const mail_t *mail)
{
    mca_pml_champion_arrival_t arrival;
    mca_pml_champion_message_t *message;

    describe(&arrival, mail);
    message = mca_pml_champion_message_new(&arrival);
    if (NULL != message) {
        mca_pml_champion_delay_add(message);
    }
    return true;
}

/* The message found a receive that offload has to do with. */
static void match_offload(const mail_t *mail, mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_arrival_t arrival;

    describe(&arrival, mail);
    mca_pml_champion_offload_matched(&arrival, recv);
}

/* One message. offload and late are constants. False: it cannot be. */
static inline __attribute__((always_inline)) bool receive(
    mca_pml_champion_peer_t *peer, const mca_pml_champion_ring_record_t *record,
    bool offload, bool late)
{
    mail_t mail;
    mca_pml_champion_recv_t *recv;

    memcpy(&mail.envelope, record->slot->word, sizeof(mail.envelope));
    mail.peer = peer;
    mail.payload = record->slot->data;
    mail.length = record->length;
    mail.comm = mca_pml_champion_comm_find(mail.envelope.context);
    if (late) {
        return arrive_late(&mail);
    }
    if (OPAL_UNLIKELY(NULL == mail.comm ||
                      mail.envelope.sequence != peer->recv_sequence ||
                      NULL != peer->early ||
                      !source_exists(mail.comm, mail.envelope.source) ||
                      (offload && NULL != peer->inflows))) {
        return arrive_slow(&mail);
    }
    ++peer->recv_sequence;
    recv = (mca_pml_champion_recv_t *) mca_mq_base_arrive(
        mail.comm->domain, mq_envelope(&mail), mail_entry, &mail);
    if (offload && NULL != recv && 0 != recv->offload.flags) {
        match_offload(&mail, recv);
    } else if (OPAL_LIKELY(NULL != recv)) {
        mca_pml_champion_deliver_eager(recv, mq_envelope(&mail),
                                       record->slot->data, record->length);
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
        } else if (good && MCA_PML_CHAMPION_RING_END == record.kind) {
            mca_pml_champion_ring_in_end(in);
            break;
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
