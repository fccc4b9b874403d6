/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counted streams: the messages of one (context, tag) from one process to
 * another, which both count from the same message on.
 *
 *     sender                                 receiver
 *     number of the next message to send     number of the next to arrive
 *
 * A stream begins with the first message whose data are sent by tag. From then
 * on every message of that (context, tag) is counted, whatever its route,
 * because a receive may get any of them: so receives can be offloaded while
 * small and non-contiguous messages come in between (Bayatpour et al. 2020,
 * section 5.2). The receiver counts messages in the order of their sequence
 * numbers, so that both sides count the same.
 *
 * The receiver may stop counting a stream at any time, and resume with any
 * message that carries a tag, which contains the number. It must not count
 * messages that the sender does not count. Both sides end the streams of a
 * communicator when it is freed, and its context is not reused before both have
 * done so. Both end a stream after its last number. (Receives that are posted
 * to UCX by then find no data: see offload/tag.h.)
 *
 * Tables are bounded; messages of streams that do not fit are not counted. A
 * look-up in a flat hash table is made only between processes that have agreed
 * on offload.
 */

#ifndef MCA_PML_CHAMPION_OFFLOAD_STREAM_H
#define MCA_PML_CHAMPION_OFFLOAD_STREAM_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stdint.h>

#include "opal/class/opal_flat_hash.h"

#include "ompi/mca/pml/champion/offload/tag.h"

#pragma GCC visibility push(hidden)

struct mca_pml_champion_recv_t;

/** Streams in use to a receiver, or from a sender, at most. */
enum { MCA_PML_CHAMPION_STREAMS = 64 };

/** A stream. */
typedef struct mca_pml_champion_stream_t {
    uint32_t context;
    int32_t tag;
    uint32_t id;
    uint32_t next_number;
    struct mca_pml_champion_stream_t *next; /**< next stream in use, or next
                                                 spare one */
    /* At its receiver: */
    /** All posted receives exactly for this stream, the oldest first. The i-th
     * gets message next_number + i, if no wildcard receive takes one before. */
    struct mca_pml_champion_recv_t *first, *last;
    uint32_t length;
    bool unwanted; /**< the user has cancelled one of them */
    bool settling; /**< cancelling is in progress */
} mca_pml_champion_stream_t;

/** Streams to one receiver, or from one sender. */
typedef struct mca_pml_champion_streams_t {
    uint32_t index; /**< of the sender, assigned by the receiver */
    uint32_t max;   /**< limit of streams in use */
    uint32_t count; /**< in use */
    opal_flat_hash_t by_envelope;
    mca_pml_champion_stream_t *used;
    /* At the sender: */
    uint32_t next_id;
    uint64_t min; /**< smallest message that is sent by tag, bytes */
    mca_pml_champion_stream_t *spare; /**< with numbers left */
    /* At the receiver: */
    bool withdrawn; /**< the sender was asked to stop sending by tag */
} mca_pml_champion_streams_t;

/** A table without streams; NULL if out of memory. */
mca_pml_champion_streams_t *mca_pml_champion_streams_new(uint32_t index);

/** Free a table, and all its streams. NULL: nothing to do. */
void mca_pml_champion_streams_free(mca_pml_champion_streams_t *streams);

/** Hash key of a stream. */
static inline uint64_t mca_pml_champion_stream_key(uint32_t context,
                                                   int32_t tag)
{
    return (uint64_t) context << 32 | (uint32_t) tag;
}

/** The stream of a (context, tag), or NULL. */
static inline mca_pml_champion_stream_t *mca_pml_champion_stream_find(
    const mca_pml_champion_streams_t *streams, uint32_t context, int32_t tag)
{
    return opal_flat_hash_get(&streams->by_envelope,
                              mca_pml_champion_stream_key(context, tag));
}

/* The sender's side. */

/** The stream of a (context, tag), created if it is new; NULL if there is no
 * room or memory. */
mca_pml_champion_stream_t *mca_pml_champion_out_stream_get(
    mca_pml_champion_streams_t *streams, uint32_t context, int32_t tag);

/** Count a message that was sent; the stream ends with the last number. */
void mca_pml_champion_out_stream_count(mca_pml_champion_streams_t *streams,
                                       uint32_t context, int32_t tag);

/** End the streams of a freed communicator. */
void mca_pml_champion_out_streams_forget(mca_pml_champion_streams_t *streams,
                                         uint32_t context);

/* The receiver's side. */

/** The stream with this number, or NULL. */
mca_pml_champion_stream_t *mca_pml_champion_in_stream_of(
    const mca_pml_champion_streams_t *streams, uint32_t id);

/** Begin counting a stream that is not in the table, for a (context, tag) that
 * is not either. NULL if there is no room or memory. */
mca_pml_champion_stream_t *mca_pml_champion_in_stream_begin(
    mca_pml_champion_streams_t *streams, uint32_t context, int32_t tag,
    uint32_t id, uint32_t next_number);

/** End a stream, whose list of receives is empty. */
void mca_pml_champion_in_stream_end(mca_pml_champion_streams_t *streams,
                                    mca_pml_champion_stream_t *stream);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_STREAM_H */
