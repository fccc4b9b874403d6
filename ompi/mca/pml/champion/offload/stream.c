/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/offload/stream.h"

#include <stdlib.h>

#include "opal/constants.h"

/* A spare stream, or a new one. */
static mca_pml_champion_outflow_t *outflow_new(
    mca_pml_champion_outflows_t *flows)
{
    mca_pml_champion_outflow_t *flow = flows->spare;

    if (NULL != flow) {
        flows->spare = flow->next;
        return flow;
    }
    if (flows->next_stream >= MCA_PML_CHAMPION_TAG_STREAMS) {
        return NULL;
    }
    flow = calloc(1, sizeof(*flow));
    if (NULL != flow) {
        flow->stream = flows->next_stream++;
    }
    return flow;
}

mca_pml_champion_outflow_t *mca_pml_champion_outflow_get(
    mca_pml_champion_outflows_t *flows, uint32_t context, int32_t tag)
{
    mca_pml_champion_outflow_t *flow =
        mca_pml_champion_outflow_find(flows, context, tag);

    if (NULL != flow || flows->count >= flows->max) {
        return flow;
    }
    flow = outflow_new(flows);
    if (NULL == flow) {
        return NULL;
    }
    if (OPAL_SUCCESS !=
        opal_flat_hash_put(&flows->by_envelope,
                           mca_pml_champion_stream_key(context, tag), flow)) {
        flow->next = flows->spare;
        flows->spare = flow;
        return NULL;
    }
    flow->context = context;
    flow->tag = tag;
    flow->next = flows->used;
    flows->used = flow;
    ++flows->count;
    return flow;
}

/* Take the stream at this place of the list out of use. */
static void outflow_end(mca_pml_champion_outflows_t *flows,
                        mca_pml_champion_outflow_t **at)
{
    mca_pml_champion_outflow_t *flow = *at;

    *at = flow->next;
    --flows->count;
    (void) opal_flat_hash_remove(
        &flows->by_envelope,
        mca_pml_champion_stream_key(flow->context, flow->tag));
    /* Skip the numbers for which the receiver may have posted receives. */
    flow->next_number += MCA_PML_CHAMPION_TAG_AHEAD;
    if (flow->next_number < MCA_PML_CHAMPION_TAG_NUMBERS) {
        flow->next = flows->spare;
        flows->spare = flow;
    } else {
        free(flow);
    }
}

void mca_pml_champion_outflow_count(mca_pml_champion_outflows_t *flows,
                                    uint32_t context, int32_t tag)
{
    mca_pml_champion_outflow_t *flow =
        mca_pml_champion_outflow_find(flows, context, tag);
    mca_pml_champion_outflow_t **at = &flows->used;

    if (NULL == flow || ++flow->next_number < MCA_PML_CHAMPION_TAG_NUMBERS) {
        return;
    }
    while (*at != flow) {
        at = &(*at)->next;
    }
    outflow_end(flows, at);
}

void mca_pml_champion_outflows_forget(mca_pml_champion_outflows_t *flows,
                                      uint32_t context)
{
    mca_pml_champion_outflow_t **at = &flows->used;

    while (NULL != *at) {
        if ((*at)->context == context) {
            outflow_end(flows, at);
        } else {
            at = &(*at)->next;
        }
    }
}

static void outflow_list_free(mca_pml_champion_outflow_t *flow)
{
    while (NULL != flow) {
        mca_pml_champion_outflow_t *next = flow->next;

        free(flow);
        flow = next;
    }
}

void mca_pml_champion_outflows_fini(mca_pml_champion_outflows_t *flows)
{
    outflow_list_free(flows->used);
    outflow_list_free(flows->spare);
    opal_flat_hash_fini(&flows->by_envelope);
}

mca_pml_champion_inflow_t *mca_pml_champion_inflow_begin(
    mca_pml_champion_inflows_t *flows, uint32_t context, int32_t tag,
    uint32_t stream, uint32_t next_number)
{
    mca_pml_champion_inflow_t *flow;
    uint64_t key = mca_pml_champion_stream_key(context, tag);

    if (flows->count >= flows->max) {
        return NULL;
    }
    flow = calloc(1, sizeof(*flow));
    if (NULL == flow) {
        return NULL;
    }
    if (OPAL_SUCCESS != opal_flat_hash_put(&flows->by_envelope, key, flow)) {
        free(flow);
        return NULL;
    }
    if (OPAL_SUCCESS != opal_flat_hash_put(&flows->by_stream, stream, flow)) {
        (void) opal_flat_hash_remove(&flows->by_envelope, key);
        free(flow);
        return NULL;
    }
    flow->context = context;
    flow->tag = tag;
    flow->stream = stream;
    flow->next_number = next_number;
    flow->next = flows->used;
    flows->used = flow;
    ++flows->count;
    return flow;
}

void mca_pml_champion_inflow_end(mca_pml_champion_inflows_t *flows,
                                 mca_pml_champion_inflow_t *flow)
{
    mca_pml_champion_inflow_t **at = &flows->used;

    while (*at != flow) {
        at = &(*at)->next;
    }
    *at = flow->next;
    --flows->count;
    (void) opal_flat_hash_remove(
        &flows->by_envelope,
        mca_pml_champion_stream_key(flow->context, flow->tag));
    (void) opal_flat_hash_remove(&flows->by_stream, flow->stream);
    free(flow);
}

void mca_pml_champion_inflows_fini(mca_pml_champion_inflows_t *flows)
{
    while (NULL != flows->used) {
        mca_pml_champion_inflow_end(flows, flows->used);
    }
    opal_flat_hash_fini(&flows->by_envelope);
    opal_flat_hash_fini(&flows->by_stream);
}
