/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/offload/stream.h"

#include <stdlib.h>

#include "opal/constants.h"

mca_pml_champion_streams_t *mca_pml_champion_streams_new(uint32_t index)
{
    mca_pml_champion_streams_t *streams = calloc(1, sizeof(*streams));

    if (NULL != streams) {
        streams->index = index;
        streams->max = MCA_PML_CHAMPION_STREAMS;
    }
    return streams;
}

static void list_free(mca_pml_champion_stream_t *stream)
{
    while (NULL != stream) {
        mca_pml_champion_stream_t *next = stream->next;

        free(stream);
        stream = next;
    }
}

void mca_pml_champion_streams_free(mca_pml_champion_streams_t *streams)
{
    if (NULL != streams) {
        list_free(streams->used);
        list_free(streams->spare);
        opal_flat_hash_fini(&streams->by_envelope);
        free(streams);
    }
}

/* Take a stream into use. False if there is no memory. */
static bool begin(mca_pml_champion_streams_t *streams,
                  mca_pml_champion_stream_t *stream, uint32_t context,
                  int32_t tag)
{
    if (OPAL_SUCCESS !=
        opal_flat_hash_put(&streams->by_envelope,
                           mca_pml_champion_stream_key(context, tag), stream)) {
        return false;
    }
    stream->context = context;
    stream->tag = tag;
    stream->next = streams->used;
    streams->used = stream;
    ++streams->count;
    return true;
}

/* Take a stream out of use. */
static void end(mca_pml_champion_streams_t *streams,
                const mca_pml_champion_stream_t *stream)
{
    mca_pml_champion_stream_t **at = &streams->used;

    while (*at != stream) {
        at = &(*at)->next;
    }
    *at = stream->next;
    --streams->count;
    (void) opal_flat_hash_remove(
        &streams->by_envelope,
        mca_pml_champion_stream_key(stream->context, stream->tag));
}

/* ---- the sender's side -------------------------------------------------- */

/* A spare stream, or a new one. */
static mca_pml_champion_stream_t *out_stream_new(
    mca_pml_champion_streams_t *streams)
{
    mca_pml_champion_stream_t *stream = streams->spare;

    if (NULL != stream) {
        streams->spare = stream->next;
        return stream;
    }
    if (streams->next_id >= MCA_PML_CHAMPION_TAG_STREAMS) {
        return NULL;
    }
    stream = calloc(1, sizeof(*stream));
    if (NULL != stream) {
        stream->id = streams->next_id++;
    }
    return stream;
}

static void out_stream_spare(mca_pml_champion_streams_t *streams,
                             mca_pml_champion_stream_t *stream)
{
    stream->next = streams->spare;
    streams->spare = stream;
}

mca_pml_champion_stream_t *mca_pml_champion_out_stream_get(
    mca_pml_champion_streams_t *streams, uint32_t context, int32_t tag)
{
    mca_pml_champion_stream_t *stream =
        mca_pml_champion_stream_find(streams, context, tag);

    if (NULL != stream || streams->count >= streams->max) {
        return stream;
    }
    stream = out_stream_new(streams);
    if (NULL != stream && !begin(streams, stream, context, tag)) {
        out_stream_spare(streams, stream);
        return NULL;
    }
    return stream;
}

static void out_stream_end(mca_pml_champion_streams_t *streams,
                           mca_pml_champion_stream_t *stream)
{
    end(streams, stream);
    /* Skip the numbers for which the receiver may have posted receives. */
    stream->next_number += MCA_PML_CHAMPION_TAG_AHEAD;
    if (stream->next_number < MCA_PML_CHAMPION_TAG_NUMBERS) {
        out_stream_spare(streams, stream);
    } else {
        free(stream);
    }
}

void mca_pml_champion_out_stream_count(mca_pml_champion_streams_t *streams,
                                       uint32_t context, int32_t tag)
{
    mca_pml_champion_stream_t *stream =
        mca_pml_champion_stream_find(streams, context, tag);

    if (NULL != stream &&
        ++stream->next_number == MCA_PML_CHAMPION_TAG_NUMBERS) {
        out_stream_end(streams, stream);
    }
}

void mca_pml_champion_out_streams_forget(mca_pml_champion_streams_t *streams,
                                         uint32_t context)
{
    mca_pml_champion_stream_t *stream, *next;

    for (stream = streams->used; NULL != stream; stream = next) {
        next = stream->next;
        if (stream->context == context) {
            out_stream_end(streams, stream);
        }
    }
}

/* ---- the receiver's side ------------------------------------------------ */

mca_pml_champion_stream_t *mca_pml_champion_in_stream_of(
    const mca_pml_champion_streams_t *streams, uint32_t id)
{
    mca_pml_champion_stream_t *stream = streams->used;

    while (NULL != stream && stream->id != id) {
        stream = stream->next;
    }
    return stream;
}

mca_pml_champion_stream_t *mca_pml_champion_in_stream_begin(
    mca_pml_champion_streams_t *streams, uint32_t context, int32_t tag,
    uint32_t id, uint32_t next_number)
{
    mca_pml_champion_stream_t *stream;

    if (streams->count >= streams->max) {
        return NULL;
    }
    stream = calloc(1, sizeof(*stream));
    if (NULL == stream || !begin(streams, stream, context, tag)) {
        free(stream);
        return NULL;
    }
    stream->id = id;
    stream->next_number = next_number;
    return stream;
}

void mca_pml_champion_in_stream_end(mca_pml_champion_streams_t *streams,
                                    mca_pml_champion_stream_t *stream)
{
    end(streams, stream);
    free(stream);
}
