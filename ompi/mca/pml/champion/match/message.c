/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/match/message.h"

#include <string.h>

#include "ompi/mca/pml/champion/match/request.h"

size_t mca_pml_champion_hold_limit = 32768;

/* The message would be lost: end the job. */
static void out_of_memory(const mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_abort(MPI_ERR_NO_MEM,
                           "out of memory: a message of %zu bytes from %s "
                           "cannot be kept",
                           arrival->length,
                           OPAL_NAME_PRINT(arrival->peer->name));
}

/* Is the payload of a message that is queued copied into it? */
static inline bool is_to_be_copied(const mca_pml_champion_arrival_t *arrival)
{
    if (OPAL_LIKELY(MCA_PML_CHAMPION_EAGER == arrival->kind)) {
        /* A buffer of UCX is kept only if the payload fills a good part of it:
         * a buffer with 1 KiB takes about 10 KiB. */
        return !(arrival->keepable &&
                 arrival->length >= mca_pml_champion_hold_limit);
    }
    return MCA_PML_CHAMPION_SELF == arrival->kind &&
           mca_pml_champion_send_is_eager(arrival->payload);
}

/* Are the data of a message still at another process? */
static inline bool is_remote(uint8_t kind)
{
    return MCA_PML_CHAMPION_RENDEZVOUS == kind ||
           MCA_PML_CHAMPION_READABLE == kind || MCA_PML_CHAMPION_TAGGED == kind;
}

static void remote_begin(mca_pml_champion_message_t *message,
                         const mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_remote_message_t *remote =
        (mca_pml_champion_remote_message_t *) message;

    message->sync = MCA_PML_CHAMPION_TAGGED == arrival->kind && arrival->sync;
    remote->since = 0;
    remote->waits = false;
}

/* Copy the payload of a send to this process, which completes the send. */
static void self_pack(mca_pml_champion_message_t *message,
                      mca_pml_champion_send_t *send)
{
    if (send->contiguous) {
        mca_pml_champion_copy(message->copy, send->data, send->length);
    } else {
        mca_pml_champion_layout_pack(&send->layout, 0, message->copy,
                                     send->length);
    }
    message->kind = MCA_PML_CHAMPION_COPIED;
    mca_pml_champion_send_event(send);
}

mca_pml_champion_message_t *mca_pml_champion_message_new(
    mca_pml_champion_arrival_t *arrival)
{
    mca_pml_champion_message_t *message;
    bool copy = is_to_be_copied(arrival), remote = is_remote(arrival->kind);

    message = opal_size_pool_alloc(
        &mca_pml_champion.pool,
        remote ? sizeof(mca_pml_champion_remote_message_t)
               : mca_pml_champion_message_size(copy ? arrival->length : 0));
    if (OPAL_UNLIKELY(NULL == message)) {
        out_of_memory(arrival);
        return NULL;
    }
    message->entry.envelope = arrival->envelope;
    message->peer = arrival->peer;
    message->length = arrival->length;
    message->payload = (void *) (uintptr_t) arrival->payload;
    message->token = arrival->token;
    message->sequence = arrival->sequence;
    message->kind = arrival->kind;
    message->owned = copy;
    message->remote = remote;
    message->sync = false;
    if (OPAL_UNLIKELY(remote)) {
        remote_begin(message, arrival);
    }
    if (OPAL_UNLIKELY(MCA_PML_CHAMPION_EAGER != arrival->kind)) {
        arrival->kept = MCA_PML_CHAMPION_RENDEZVOUS == arrival->kind;
        if (copy) {
            self_pack(message, message->payload);
        }
    } else if (OPAL_LIKELY(copy)) {
        message->kind = MCA_PML_CHAMPION_COPIED;
        if (OPAL_LIKELY(NULL != arrival->payload)) {
            memcpy(message->copy, arrival->payload, arrival->length);
        }
    } else {
        message->kind = MCA_PML_CHAMPION_HELD;
        arrival->kept = true;
        ++mca_pml_champion.counters.held;
        mca_pml_champion_backlog.other += message->length;
    }
    mca_pml_champion_backlog_waits(message->peer, message->entry.envelope.tag);
    return message;
}
