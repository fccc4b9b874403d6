/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/pml_champion_datatype.h"

void mca_pml_champion_layout_send(mca_pml_champion_layout_t *layout,
                                  const void *buffer, size_t count,
                                  ompi_datatype_t *datatype,
                                  opal_convertor_t *convertor)
{
    layout->buffer = (void *) (uintptr_t) buffer;
    layout->count = count;
    layout->datatype = datatype;
    layout->convertor = convertor;
    layout->offset = 0;
    layout->limit = mca_pml_champion_size(datatype, count);
    opal_convertor_copy_and_prepare_for_send(
        ompi_proc_local_proc->super.proc_convertor, &datatype->super, count,
        buffer, 0, convertor);
}

void mca_pml_champion_layout_recv(mca_pml_champion_layout_t *layout)
{
    layout->offset = 0;
    opal_convertor_copy_and_prepare_for_recv(
        ompi_proc_local_proc->super.proc_convertor, &layout->datatype->super,
        layout->count, layout->buffer, 0, layout->convertor);
}

void mca_pml_champion_layout_end(mca_pml_champion_layout_t *layout)
{
    opal_convertor_cleanup(layout->convertor);
}

size_t mca_pml_champion_layout_pack(mca_pml_champion_layout_t *layout,
                                    size_t offset, void *data, size_t length)
{
    struct iovec iov = {.iov_base = data, .iov_len = length};
    uint32_t count = 1;
    size_t packed = length;

    if (offset != layout->offset) {
        opal_convertor_set_position(layout->convertor, &offset);
    }
    opal_convertor_pack(layout->convertor, &iov, &count, &packed);
    layout->offset = offset + packed;
    return packed;
}

/* A convertor that stopped within an element keeps the part it has, so that
 * data out of order get one of their own. */
static void unpack_apart(const mca_pml_champion_layout_t *layout, size_t offset,
                         struct iovec *iov)
{
    opal_convertor_t convertor;
    uint32_t count = 1;
    size_t length = iov->iov_len;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    opal_convertor_copy_and_prepare_for_recv(
        ompi_proc_local_proc->super.proc_convertor, &layout->datatype->super,
        layout->count, layout->buffer, 0, &convertor);
    opal_convertor_set_position(&convertor, &offset);
    opal_convertor_unpack(&convertor, iov, &count, &length);
    OBJ_DESTRUCT(&convertor);
}

void mca_pml_champion_layout_unpack(mca_pml_champion_layout_t *layout,
                                    size_t offset, const void *data,
                                    size_t length)
{
    struct iovec iov = {.iov_base = (void *) (uintptr_t) data,
                        .iov_len = length};
    uint32_t count = 1;

    if (offset == layout->offset) {
        opal_convertor_unpack(layout->convertor, &iov, &count, &length);
        layout->offset += length;
    } else {
        unpack_apart(layout, offset, &iov);
    }
}

void mca_pml_champion_pack(const void *buffer, size_t count,
                           ompi_datatype_t *datatype, void *data, size_t length)
{
    opal_convertor_t convertor;
    mca_pml_champion_layout_t layout;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    mca_pml_champion_layout_send(&layout, buffer, count, datatype, &convertor);
    mca_pml_champion_layout_pack(&layout, 0, data, length);
    OBJ_DESTRUCT(&convertor);
}

/* UCX's side: context is not used, buffer is a layout. */

static void *generic_start_pack(void *context, const void *buffer, size_t count)
{
    (void) context;
    (void) count;
    return (void *) (uintptr_t) buffer;
}

static void *generic_start_unpack(void *context, void *buffer, size_t count)
{
    (void) context;
    (void) count;
    return buffer;
}

static size_t generic_packed_size(void *state)
{
    return ((mca_pml_champion_layout_t *) state)->limit;
}

static size_t generic_pack(void *state, size_t offset, void *data,
                           size_t length)
{
    return mca_pml_champion_layout_pack(state, offset, data, length);
}

static ucs_status_t generic_unpack(void *state, size_t offset, const void *data,
                                   size_t length)
{
    mca_pml_champion_layout_unpack(state, offset, data, length);
    return UCS_OK;
}

static void generic_finish(void *state)
{
    (void) state; /* the owner of the layout ends it */
}

ucs_status_t mca_pml_champion_datatype_init(void)
{
    static const ucp_generic_dt_ops_t ops = {
        .start_pack = generic_start_pack,
        .start_unpack = generic_start_unpack,
        .packed_size = generic_packed_size,
        .pack = generic_pack,
        .unpack = generic_unpack,
        .finish = generic_finish,
    };

    return ucp_dt_create_generic(&ops, NULL,
                                 &mca_pml_champion.generic_datatype);
}

void mca_pml_champion_datatype_fini(void)
{
    ucp_dt_destroy(mca_pml_champion.generic_datatype);
}
