/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages come out of rings.
 */

#include <errno.h>
#include <string.h>

#include "ompi/mca/pml/champion/match/arrival.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/match/test_delay.h"
#include "ompi/mca/pml/champion/match/deliver.h"
#include "ompi/mca/pml/champion/match/offload_hooks.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/ring/rings.h"

/* Records that are taken from one ring before it is the next one's turn. */
enum { AT_ONCE = 16 };

static void broken(const mca_pml_champion_ring_in_t *in)
{
    mca_pml_champion_abort(MPI_ERR_INTERN,
                           "the memory shared with %s is corrupted",
                           OPAL_NAME_PRINT(in->peer->name));
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

/* The same as all arrivals are described. Only what is not matched at once
 * needs it. */
static void describe(mca_pml_champion_arrival_t *arrival, const mail_t *mail)
{
    const mca_mq_envelope_t *envelope = &mail->envelope.super;

    *arrival = (mca_pml_champion_arrival_t){
        .envelope = {envelope->context, envelope->source, envelope->tag},
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

/* What becomes of a record. */
typedef enum {
    IMPOSSIBLE, /* it cannot be */
    TAKEN,
    TAKEN_EARLY /* and it is UCX's turn */
} outcome_t;

/* What comes before a message has gone by UCP if it is not there: look there
 * next. A sender has filled UCX's queues before it was granted a ring, while
 * this process did not look, and the more is taken from the ring meanwhile the
 * more has to be kept. */
static inline outcome_t taken_early(void)
{
    mca_pml_champion_rings.busy = 1;
    return TAKEN_EARLY;
}

/* The slow path: a peer that offload counts for, a message that is not next in
 * its pair, or whose communicator is not there. */
static __attribute__((noinline)) outcome_t arrive_slow(const mail_t *mail)
{
    const bool early = mail->envelope.sequence != mail->peer->recv_sequence;
    mca_pml_champion_arrival_t arrival;

    if (NULL != mail->comm &&
        !source_exists(mail->comm, mail->envelope.super.source)) {
        return IMPOSSIBLE;
    }
    describe(&arrival, mail);
    mca_pml_champion_arrival_arrive(&arrival);
    return early ? taken_early() : TAKEN;
}

/* Everything waits in a network that is late on purpose. */
static outcome_t arrive_late(const mail_t *mail)
{
    mca_pml_champion_arrival_t arrival;
    mca_pml_champion_message_t *message;

    describe(&arrival, mail);
    message = mca_pml_champion_message_new(&arrival);
    if (NULL != message) {
        mca_pml_champion_test_delay_add(message);
    }
    return NULL != mail->peer->early ? taken_early() : TAKEN;
}

/* The message found a receive that offload has to do with. */
static void match_offload(const mail_t *mail, mca_pml_champion_recv_t *recv)
{
    mca_pml_champion_arrival_t arrival;

    describe(&arrival, mail);
    mca_pml_champion_offload_hooks.matched(&arrival, recv);
}

/* One message. offload and late are constants. */
static inline __attribute__((always_inline)) outcome_t receive(
    mca_pml_champion_peer_t *peer, const mca_pml_champion_ring_slot_t *slot,
    const void *payload, size_t length, bool offload, bool late)
{
    mail_t mail;
    mca_pml_champion_recv_t *recv;

    memcpy(&mail.envelope, slot->word, sizeof(mail.envelope));
    mail.peer = peer;
    mail.payload = payload;
    mail.length = length;
    mail.comm = mca_pml_champion_comm_find(mail.envelope.super.context);
    if (late) {
        return arrive_late(&mail);
    }
    if (OPAL_UNLIKELY(NULL == mail.comm ||
                      mail.envelope.sequence != peer->recv_sequence ||
                      NULL != peer->early ||
                      !source_exists(mail.comm, mail.envelope.super.source) ||
                      (offload && NULL != peer->offload.inflows))) {
        return arrive_slow(&mail);
    }
    ++peer->recv_sequence;
    recv = (mca_pml_champion_recv_t *) mca_mq_base_arrive(
        mail.comm->domain, &mail.envelope.super, mail_entry, &mail);
    if (offload && NULL != recv && 0 != recv->offload.flags) {
        match_offload(&mail, recv);
    } else if (OPAL_LIKELY(NULL != recv)) {
        mca_pml_champion_deliver_eager(recv, &mail.envelope.super, payload,
                                       length);
    }
    return TAKEN;
}

/* A piece, and where it is. */
typedef struct piece_t {
    mca_pml_champion_ring_piece_t super;
    const unsigned char *data;
} piece_t;

/* False: it cannot be. */
static bool piece_find(const mca_pml_champion_peer_t *peer,
                       const mca_pml_champion_ring_record_t *record,
                       piece_t *piece)
{
    if (record->length < sizeof(piece->super)) {
        return false;
    }
    memcpy(&piece->super, record->slot->data, sizeof(piece->super));
    if (MCA_PML_CHAMPION_RING_NO_FRAGMENT == piece->super.fragment) {
        piece->data = record->slot->data + sizeof(piece->super);
        return piece->super.bytes == record->length - sizeof(piece->super);
    }
    if (NULL == peer->ring.fragments ||
        piece->super.fragment >= peer->ring.num_fragments ||
        piece->super.bytes > MCA_PML_CHAMPION_RING_FRAGMENT) {
        return false;
    }
    piece->data = peer->ring.fragments->fragment[piece->super.fragment];
    ++mca_pml_champion.counters.ring_fragments;
    return true;
}

static mca_mq_entry_t *no_entry(void *arg)
{
    (void) arg;
    return NULL;
}

/* The receive of a message of which only the first piece has come, if it is
 * posted. */
static mca_pml_champion_recv_t *partial_match(mail_t *mail)
{
    mca_pml_champion_peer_t *peer = mail->peer;
    mca_pml_champion_recv_t *recv;

    if (NULL == mail->comm || mail->envelope.sequence != peer->recv_sequence ||
        NULL != peer->early || NULL != peer->offload.inflows) {
        return NULL;
    }
    recv = (mca_pml_champion_recv_t *) mca_mq_base_arrive(
        mail->comm->domain, &mail->envelope.super, no_entry, mail);
    if (NULL != recv) {
        ++peer->recv_sequence;
    }
    return recv;
}

/* Who sends what to whom. False: it cannot be. */
static bool mail_open(mail_t *mail, mca_pml_champion_peer_t *peer,
                      const mca_pml_champion_ring_slot_t *slot)
{
    memcpy(&mail->envelope, slot->word, sizeof(mail->envelope));
    mail->peer = peer;
    mail->comm = mca_pml_champion_comm_find(mail->envelope.super.context);
    return NULL == mail->comm ||
           source_exists(mail->comm, mail->envelope.super.source);
}

/* A message begins. False: it cannot be. */
static bool partial_begin(mca_pml_champion_ring_partial_t *partial,
                          mail_t *mail, bool at_once)
{
    mca_pml_champion_arrival_t arrival;

    if (mail->length > MCA_PML_CHAMPION_RING_PIECES_MAX) {
        return false;
    }
    *partial = (mca_pml_champion_ring_partial_t){.total = mail->length};
    if (at_once) {
        partial->recv = partial_match(mail);
    }
    if (NULL != partial->recv) {
        mca_pml_champion_fragments_begin(partial->recv, &mail->envelope.super,
                                         mail->length);
        return true;
    }
    if (mail->envelope.sequence != mail->peer->recv_sequence) {
        (void) taken_early();
    }
    describe(&arrival, mail);
    partial->message = mca_pml_champion_message_new(&arrival);
    return NULL != partial->message;
}

/* All of a message has come. */
static void partial_end(mca_pml_champion_ring_partial_t *partial, bool late)
{
    partial->total = 0;
    if (NULL == partial->recv) {
        if (late) {
            mca_pml_champion_test_delay_add(partial->message);
        } else {
            mca_pml_champion_message_arrive(partial->message);
        }
        return;
    }
    mca_pml_champion_fragments_end(partial->recv);
}

/* A piece of a message that has begun. False: it cannot be. */
static bool partial_add(mca_pml_champion_ring_partial_t *partial,
                        const piece_t *piece, bool late)
{
    size_t bytes = piece->super.bytes;

    if (0 == bytes || bytes > partial->total - partial->done) {
        return false;
    }
    if (NULL != partial->recv) {
        mca_pml_champion_fragments_add(partial->recv, partial->done,
                                       piece->data, bytes);
    } else {
        memcpy(partial->message->copy + partial->done, piece->data, bytes);
    }
    partial->done += bytes;
    if (partial->done == partial->total) {
        partial_end(partial, late);
    }
    return true;
}

/* All of a message in one piece, or a piece of it. False: it cannot be. */
static bool receive_piece(mca_pml_champion_ring_in_t *in,
                          const mca_pml_champion_ring_record_t *record,
                          bool offload, bool late)
{
    bool first = MCA_PML_CHAMPION_RING_FIRST == record->kind;
    piece_t piece;
    mail_t mail;

    if (!piece_find(in->peer, record, &piece) ||
        first != (0 == in->partial.total)) {
        return false;
    }
    if (first) {
        mail.payload = NULL;
        mail.length = piece.super.total;
        if (!mail_open(&mail, in->peer, record->slot)) {
            return false;
        }
        if (piece.super.bytes == piece.super.total) {
            mail.payload = piece.data;
            return IMPOSSIBLE !=
                   (late ? arrive_late(&mail) : arrive_slow(&mail));
        }
        if (!partial_begin(&in->partial, &mail, !offload && !late)) {
            return false;
        }
    }
    return partial_add(&in->partial, &piece, late);
}

/* Read what was lent to where it belongs. */
static bool rget_read(const mca_pml_champion_ring_partial_t *partial,
                      int32_t pid, uint64_t address)
{
    mca_pml_champion_recv_t *recv = partial->recv;
    unsigned char piece[MCA_PML_CHAMPION_RING_FRAGMENT];
    size_t length = partial->total;

    if (NULL == recv) {
        return mca_pml_champion_ring_read(pid, address, partial->message->copy,
                                          length);
    }
    if (length > recv->capacity) {
        length = recv->capacity;
    }
    if (recv->contiguous) {
        return mca_pml_champion_ring_read(pid, address, recv->data, length);
    }
    for (size_t at = 0, part; at < length; at += part) {
        part = length - at < sizeof(piece) ? length - at : sizeof(piece);
        if (!mca_pml_champion_ring_read(pid, address + at, piece, part)) {
            return false;
        }
        mca_pml_champion_fragments_add(recv, at, piece, part);
    }
    return true;
}

/* The sender's memory is such that nobody else can read it: a device's, say.
 * The receive says so. */
static void rget_lost(const mca_pml_champion_ring_partial_t *partial,
                      const mca_pml_champion_peer_t *peer)
{
    opal_output(0, "champion: %zu bytes of %s cannot be read: %s",
                (size_t) partial->total, OPAL_NAME_PRINT(peer->name),
                strerror(errno));
    if (NULL != partial->recv) {
        mca_pml_champion_recv_fail(partial->recv, MPI_ERR_OTHER);
    } else {
        partial->message->kind = MCA_PML_CHAMPION_LOST;
    }
}

/* A message that is at its sender. False: it cannot be. */
static bool receive_rget(mca_pml_champion_ring_in_t *in,
                         const mca_pml_champion_ring_record_t *record,
                         bool offload, bool late)
{
    mca_pml_champion_peer_t *peer = in->peer;
    mca_pml_champion_ring_rget_t loan;
    mail_t mail;

    if (sizeof(loan) != record->length || 0 != in->partial.total ||
        !peer->ring.can_be_read) {
        return false;
    }
    memcpy(&loan, record->slot->data, sizeof(loan));
    mail.payload = NULL;
    mail.length = loan.length;
    if (0 == loan.length || !mail_open(&mail, peer, record->slot) ||
        !partial_begin(&in->partial, &mail, !offload && !late)) {
        return false;
    }
    if (!rget_read(&in->partial, peer->ring.pid, loan.address)) {
        rget_lost(&in->partial, peer);
    }
    ++mca_pml_champion.counters.ring_lent;
    mca_pml_champion_ring_fin(peer, mail.envelope.sequence);
    partial_end(&in->partial, late);
    return true;
}

/* This process's own message has been read. False: there was none. */
static bool receive_fin(const mca_pml_champion_ring_in_t *in,
                        const mca_pml_champion_ring_record_t *record)
{
    return mca_pml_champion_ring_fin_came(in->peer->out,
                                          (uint32_t) record->slot->word[0]);
}

/* What is no message in the slots. Returns false at the end of the ring, and if
 * it cannot be. */
static __attribute__((noinline)) bool receive_other(
    mca_pml_champion_ring_in_t *in, bool offload, bool late)
{
    mca_pml_champion_ring_record_t record;
    bool good = mca_pml_champion_ring_look(&in->reader, &record);
    bool message = false;

    if (good && MCA_PML_CHAMPION_RING_END == record.kind &&
        0 == in->partial.total) {
        mca_pml_champion_ring_in_end(in);
        return false;
    }
    switch (record.kind) {
    case MCA_PML_CHAMPION_RING_FIRST:
        message = true;
        /* fall through */
    case MCA_PML_CHAMPION_RING_MORE:
        good = good && receive_piece(in, &record, offload, late);
        break;
    case MCA_PML_CHAMPION_RING_RGET:
        message = true;
        good = good && receive_rget(in, &record, offload, late);
        break;
    case MCA_PML_CHAMPION_RING_FIN:
        good = good && receive_fin(in, &record);
        break;
    default:
        good = good && MCA_PML_CHAMPION_RING_PAD == record.kind;
        break;
    }
    if (!good) {
        broken(in);
        return false;
    }
    mca_pml_champion.counters.ring_messages -= !message;
    mca_pml_champion_ring_advance(&in->reader, record.slots);
    if (MCA_PML_CHAMPION_RING_FIRST == record.kind ||
        MCA_PML_CHAMPION_RING_MORE == record.kind) {
        /* A fragment is free. */
        mca_pml_champion_ring_tell(&in->reader);
    }
    return true;
}

static inline __attribute__((always_inline)) unsigned take(
    mca_pml_champion_ring_in_t *in, bool offload, bool late)
{
    mca_pml_champion_ring_record_t record;
    outcome_t outcome;
    unsigned taken = 0;

    do {
        if (OPAL_LIKELY(mca_pml_champion_ring_look(&in->reader, &record) &&
                        MCA_PML_CHAMPION_RING_MESSAGE == record.kind)) {
            outcome = receive(in->peer, record.slot, record.slot->data,
                              record.length, offload, late);
            if (OPAL_UNLIKELY(IMPOSSIBLE == outcome)) {
                broken(in);
                break;
            }
            mca_pml_champion_ring_advance(&in->reader, record.slots);
            if (OPAL_UNLIKELY(TAKEN_EARLY == outcome)) {
                ++taken;
                break;
            }
        } else if (!receive_other(in, offload, late)) {
            break;
        }
        ++taken;
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
