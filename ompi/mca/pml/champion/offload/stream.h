/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counted streams: the messages of one (context, tag) from one process to
 * another, which both count from the same message on.
 *
 *     sender: outflow                        receiver: inflow
 *     number of the next message to send     number of the next to arrive
 *
 * A stream begins with the first message whose data travel under a tag, which
 * the sender numbers. From there on every message of that (context, tag)
 * counts, whatever way it takes, because any of them may be the one that a
 * receive gets: that is what lets receives go on being offloaded while small
 * and non-contiguous messages come in between (Bayatpour et al. 2020, section
 * 5.2). The receiver counts messages as their turn comes in the order of their
 * pair of processes, so that both count the same.
 *
 * The receiver may give up a stream at any time, and take it up again with any
 * message that carries its tag: the tag says the number. It must not count
 * messages that the sender does not. A sender gives up the streams of a
 * communicator when it is freed; the receiver does so too, and no new
 * communicator gets the same context before both have. At the end of the
 * numbers both give up. (What the receiver had posted to UCX by then finds no
 * data: see offload/tag.h.)
 *
 * Tables have a bound; messages of what does not fit are not counted. A look-up
 * is one in a flat hash table, and made only between processes that have agreed
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

/** A stream as its sender sees it. */
typedef struct mca_pml_champion_outflow_t {
    uint32_t context;
    int32_t tag;
    uint32_t stream;
    uint32_t next_number;
    struct mca_pml_champion_outflow_t *next; /**< in use, or spare */
} mca_pml_champion_outflow_t;

/** Streams to one receiver. All zero but for the first two: none. */
typedef struct mca_pml_champion_outflows_t {
    uint32_t index; /**< of this process, given by the receiver */
    uint32_t max;   /**< streams in use at one time */
    uint32_t count; /**< in use */
    uint32_t next_stream;
    uint64_t min; /**< smallest message that goes by tag, bytes */
    opal_flat_hash_t by_envelope;
    mca_pml_champion_outflow_t *used;
    mca_pml_champion_outflow_t *spare; /**< not at the end of their numbers */
} mca_pml_champion_outflows_t;

/** A stream as its receiver sees it. */
typedef struct mca_pml_champion_inflow_t {
    uint32_t context;
    int32_t tag;
    uint32_t stream;
    uint32_t next_number;
    struct mca_pml_champion_inflow_t *next;
    /** Posted receives that are exactly for it, by age; all of them. The i-th
     * gets message next_number + i, if no receive with a wildcard comes in
     * between. */
    struct mca_pml_champion_recv_t *first, *last;
    uint32_t length;
    bool unwanted; /**< one of them is to be cancelled */
    bool settling; /**< they are being cancelled */
} mca_pml_champion_inflow_t;

/** Streams from one sender. All zero but for the first two: none. */
typedef struct mca_pml_champion_inflows_t {
    uint32_t index; /**< given to the sender */
    uint32_t max;
    uint32_t count;
    opal_flat_hash_t by_envelope;
    opal_flat_hash_t by_stream;
    mca_pml_champion_inflow_t *used;
    bool withdrawn;   /**< it was asked to send no more by tag */
    uint8_t looked;   /**< messages in history, at most its bits */
    uint16_t history; /**< a bit for each of its last large messages: was it
                           unexpected? */
} mca_pml_champion_inflows_t;

/** The key of an envelope's stream. */
static inline uint64_t mca_pml_champion_stream_key(uint32_t context,
                                                   int32_t tag)
{
    return (uint64_t) context << 32 | (uint32_t) tag;
}

/** The stream of a (context, tag), or NULL. */
static inline mca_pml_champion_outflow_t *mca_pml_champion_outflow_find(
    const mca_pml_champion_outflows_t *flows, uint32_t context, int32_t tag)
{
    return opal_flat_hash_get(&flows->by_envelope,
                              mca_pml_champion_stream_key(context, tag));
}

static inline mca_pml_champion_inflow_t *mca_pml_champion_inflow_find(
    const mca_pml_champion_inflows_t *flows, uint32_t context, int32_t tag)
{
    return opal_flat_hash_get(&flows->by_envelope,
                              mca_pml_champion_stream_key(context, tag));
}

/** The same, begun if it is new; NULL if there is no room or memory. */
mca_pml_champion_outflow_t *mca_pml_champion_outflow_get(
    mca_pml_champion_outflows_t *flows, uint32_t context, int32_t tag);

/** A message was sent; its stream ends with the last number. */
void mca_pml_champion_outflow_count(mca_pml_champion_outflows_t *flows,
                                    uint32_t context, int32_t tag);

/** A communicator is gone. */
void mca_pml_champion_outflows_forget(mca_pml_champion_outflows_t *flows,
                                      uint32_t context);

/** Free all memory. */
void mca_pml_champion_outflows_fini(mca_pml_champion_outflows_t *flows);

/** The stream of a number, or NULL. */
static inline mca_pml_champion_inflow_t *mca_pml_champion_inflow_of(
    const mca_pml_champion_inflows_t *flows, uint32_t stream)
{
    return opal_flat_hash_get(&flows->by_stream, stream);
}

/** Take up a stream that is not in the table, for a (context, tag) that is not
 * either. NULL if there is no room or memory. */
mca_pml_champion_inflow_t *mca_pml_champion_inflow_begin(
    mca_pml_champion_inflows_t *flows, uint32_t context, int32_t tag,
    uint32_t stream, uint32_t next_number);

/** Give up a stream, whose list of receives is empty. */
void mca_pml_champion_inflow_end(mca_pml_champion_inflows_t *flows,
                                 mca_pml_champion_inflow_t *flow);

/** Free all memory. */
void mca_pml_champion_inflows_fini(mca_pml_champion_inflows_t *flows);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_OFFLOAD_STREAM_H */
