/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/offload/stream.h"

#include <stdlib.h>

#include "opal/constants.h"

/* A spare stream, or a new one. */
static mca_pml_champion_out_stream_t *out_stream_new(
    mca_pml_champion_out_streams_t *streams)
{
    mca_pml_champion_out_stream_t *stream = streams->spare;

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

mca_pml_champion_out_stream_t *mca_pml_champion_out_stream_get(
    mca_pml_champion_out_streams_t *streams, uint32_t context, int32_t tag)
{
    mca_pml_champion_out_stream_t *stream =
        mca_pml_champion_out_stream_find(streams, context, tag);

    if (NULL != stream || streams->count >= streams->max) {
        return stream;
    }
    stream = out_stream_new(streams);
    if (NULL == stream) {
        return NULL;
    }
    if (OPAL_SUCCESS !=
        opal_flat_hash_put(&streams->by_envelope,
                           mca_pml_champion_stream_key(context, tag), stream)) {
        stream->next = streams->spare;
        streams->spare = stream;
        return NULL;
    }
    stream->context = context;
    stream->tag = tag;
    stream->next = streams->used;
    streams->used = stream;
    ++streams->count;
    return stream;
}

/* Take the stream at this place of the list out of use. */
static void out_stream_end(mca_pml_champion_out_streams_t *streams,
                           mca_pml_champion_out_stream_t **at)
{
    mca_pml_champion_out_stream_t *stream = *at;

    *at = stream->next;
    --streams->count;
    (void) opal_flat_hash_remove(
        &streams->by_envelope,
        mca_pml_champion_stream_key(stream->context, stream->tag));
    /* Skip the numbers for which the receiver may have posted receives. */
    stream->next_number += MCA_PML_CHAMPION_TAG_AHEAD;
    if (stream->next_number < MCA_PML_CHAMPION_TAG_NUMBERS) {
        stream->next = streams->spare;
        streams->spare = stream;
    } else {
        free(stream);
    }
}

void mca_pml_champion_out_stream_count(mca_pml_champion_out_streams_t *streams,
                                       uint32_t context, int32_t tag)
{
    mca_pml_champion_out_stream_t *stream =
        mca_pml_champion_out_stream_find(streams, context, tag);
    mca_pml_champion_out_stream_t **at = &streams->used;

    if (NULL == stream ||
        ++stream->next_number < MCA_PML_CHAMPION_TAG_NUMBERS) {
        return;
    }
    while (*at != stream) {
        at = &(*at)->next;
    }
    out_stream_end(streams, at);
}

void mca_pml_champion_out_streams_forget(
    mca_pml_champion_out_streams_t *streams, uint32_t context)
{
    mca_pml_champion_out_stream_t **at = &streams->used;

    while (NULL != *at) {
        if ((*at)->context == context) {
            out_stream_end(streams, at);
        } else {
            at = &(*at)->next;
        }
    }
}

static void out_stream_list_free(mca_pml_champion_out_stream_t *stream)
{
    while (NULL != stream) {
        mca_pml_champion_out_stream_t *next = stream->next;

        free(stream);
        stream = next;
    }
}

void mca_pml_champion_out_streams_fini(mca_pml_champion_out_streams_t *streams)
{
    out_stream_list_free(streams->used);
    out_stream_list_free(streams->spare);
    opal_flat_hash_fini(&streams->by_envelope);
}

mca_pml_champion_in_stream_t *mca_pml_champion_in_stream_begin(
    mca_pml_champion_in_streams_t *streams, uint32_t context, int32_t tag,
    uint32_t id, uint32_t next_number)
{
    mca_pml_champion_in_stream_t *stream;
    uint64_t key = mca_pml_champion_stream_key(context, tag);

    if (streams->count >= streams->max) {
        return NULL;
    }
    stream = calloc(1, sizeof(*stream));
    if (NULL == stream) {
        return NULL;
    }
    if (OPAL_SUCCESS !=
        opal_flat_hash_put(&streams->by_envelope, key, stream)) {
        free(stream);
        return NULL;
    }
    if (OPAL_SUCCESS != opal_flat_hash_put(&streams->by_id, id, stream)) {
        (void) opal_flat_hash_remove(&streams->by_envelope, key);
        free(stream);
        return NULL;
    }
    stream->context = context;
    stream->tag = tag;
    stream->id = id;
    stream->next_number = next_number;
    stream->next = streams->used;
    streams->used = stream;
    ++streams->count;
    return stream;
}

void mca_pml_champion_in_stream_end(mca_pml_champion_in_streams_t *streams,
                                    mca_pml_champion_in_stream_t *stream)
{
    mca_pml_champion_in_stream_t **at = &streams->used;

    while (*at != stream) {
        at = &(*at)->next;
    }
    *at = stream->next;
    --streams->count;
    (void) opal_flat_hash_remove(
        &streams->by_envelope,
        mca_pml_champion_stream_key(stream->context, stream->tag));
    (void) opal_flat_hash_remove(&streams->by_id, stream->id);
    free(stream);
}

void mca_pml_champion_in_streams_fini(mca_pml_champion_in_streams_t *streams)
{
    while (NULL != streams->used) {
        mca_pml_champion_in_stream_end(streams, streams->used);
    }
    opal_flat_hash_fini(&streams->by_envelope);
    opal_flat_hash_fini(&streams->by_id);
}
