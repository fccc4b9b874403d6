/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/core/datatype.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/mca/pml/champion/core/stage.h"

/* Basic types of data that unpack_with_care unpacks if they arrive in
 * fragments. */
static uint32_t careful;

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
    layout->split_begin = 0;
    layout->split_end = 0;
    layout->staged = NULL;
    opal_convertor_copy_and_prepare_for_send(
        ompi_proc_local_proc->super.proc_convertor, &datatype->super, count,
        buffer, 0, convertor);
}

static void convertor_recv(const mca_pml_champion_layout_t *layout,
                           opal_convertor_t *convertor)
{
    opal_convertor_copy_and_prepare_for_recv(
        ompi_proc_local_proc->super.proc_convertor, &layout->datatype->super,
        layout->count, layout->buffer, 0, convertor);
}

void mca_pml_champion_layout_recv(mca_pml_champion_layout_t *layout,
                                  size_t length)
{
    layout->offset = 0;
    layout->limit = length;
    layout->staged = NULL;
    convertor_recv(layout, layout->convertor);
}

/* Packed offset of the beginning of the element that contains offset. */
static size_t element_at(const mca_pml_champion_layout_t *layout, size_t offset)
{
    opal_convertor_t convertor;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    opal_convertor_copy_and_prepare_for_send(
        ompi_proc_local_proc->super.proc_convertor, &layout->datatype->super,
        layout->count, layout->buffer, 0, &convertor);
    opal_convertor_set_position(&convertor, &offset);
    OBJ_DESTRUCT(&convertor);
    return offset;
}

/* Pack as many whole predefined elements as fit. Returns bytes; 0 at the end of
 * the data, or if the next element does not fit. */
static size_t pack_elements(const mca_pml_champion_layout_t *layout, void *data,
                            size_t length)
{
    struct iovec iov = {.iov_base = data, .iov_len = length};
    uint32_t count = 1;
    size_t packed = length;

    opal_convertor_pack(layout->convertor, &iov, &count, &packed);
    return packed;
}

/* Pack elements that have to be split into the split buffer. False at the end
 * of the data. */
static bool split_fill(mca_pml_champion_layout_t *layout)
{
    layout->split_begin = 0;
    layout->split_end =
        (uint8_t) pack_elements(layout, layout->split, sizeof(layout->split));
    return 0 != layout->split_end;
}

/* Copy from the split buffer what is left there. */
static size_t split_take(mca_pml_champion_layout_t *layout, void *data,
                         size_t length)
{
    size_t left = (size_t) (layout->split_end - layout->split_begin);

    length = left < length ? left : length;
    memcpy(data, layout->split + layout->split_begin, length);
    layout->split_begin = (uint8_t) (layout->split_begin + length);
    return length;
}

/* Continue at another offset. The convertor can only be set to the beginning of
 * an element, so that the part before offset is skipped. */
static void pack_seek(mca_pml_champion_layout_t *layout, size_t offset)
{
    size_t element = offset;

    opal_convertor_set_position(layout->convertor, &element);
    layout->split_begin = 0;
    layout->split_end = 0;
    if (element < offset && split_fill(layout)) {
        layout->split_begin = (uint8_t) (offset - element);
    }
}

/* A convertor that stopped within an element keeps the part it has, so that
 * out-of-order data get a convertor of their own. */
static void unpack_apart(const mca_pml_champion_layout_t *layout, size_t offset,
                         struct iovec *iov)
{
    opal_convertor_t convertor;
    uint32_t count = 1;
    size_t length = iov->iov_len;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    convertor_recv(layout, &convertor);
    opal_convertor_set_position(&convertor, &offset);
    opal_convertor_unpack(&convertor, iov, &count, &length);
    OBJ_DESTRUCT(&convertor);
}

static inline __attribute__((always_inline)) void unpack_now(
    mca_pml_champion_layout_t *layout, size_t offset, const void *data,
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

/* ---- data of a device, through a stage ---------------------------------- */

static bool is_device(const mca_pml_champion_layout_t *layout)
{
    return 0 != (MCA_MQ_OMPI_CONVERTOR_DEVICE & layout->convertor->flags);
}

/* Fill the stage with the data from the packed offset on; from the beginning of
 * the element there, as the convertor wants it. False at the end of the data. */
static bool stage_fill(const mca_pml_champion_layout_t *layout,
                       mca_pml_champion_stage_t *stage, size_t offset)
{
    size_t begin = offset;

    if (offset != stage->end) {
        opal_convertor_set_position(layout->convertor, &begin);
    }
    stage->begin = begin;
    stage->end = begin + pack_elements(layout, stage->data,
                                       MCA_PML_CHAMPION_STAGE_BYTES);
    ++mca_pml_champion.counters.device_stages;
    return offset < stage->end;
}

/* Pack a fragment. */
static size_t stage_pack(const mca_pml_champion_layout_t *layout, size_t offset,
                         void *data, size_t length)
{
    mca_pml_champion_stage_t *stage = layout->staged;
    size_t packed = 0, part;

    for (; packed < length; packed += part) {
        const size_t at = offset + packed;

        if ((at < stage->begin || at >= stage->end) &&
            !stage_fill(layout, stage, at)) {
            break;
        }
        part = length - packed;
        if (part > stage->end - at) {
            part = stage->end - at;
        }
        memcpy((char *) data + packed, stage->data + (at - stage->begin), part);
    }
    return packed;
}

/* Pack data of a device. A message that goes in one piece needs no stage, and
 * there may be none: the convertor, which is at the beginning, does it then. */
static __attribute__((noinline)) size_t pack_from_device(
    mca_pml_champion_layout_t *layout, size_t offset, void *data, size_t length)
{
    if (NULL == layout->staged && length < layout->limit) {
        layout->staged = mca_pml_champion_stage_take();
    }
    if (NULL != layout->staged) {
        return stage_pack(layout, offset, data, length);
    }
    layout->offset = 0;
    return mca_pml_champion_layout_pack(layout, offset, data, length);
}

/* Unpack what the stage has. */
static void stage_flush(mca_pml_champion_layout_t *layout,
                        mca_pml_champion_stage_t *stage)
{
    if (stage->begin != stage->end) {
        unpack_now(layout, stage->begin, stage->data,
                   stage->end - stage->begin);
        ++mca_pml_champion.counters.device_stages;
    }
    stage->begin = stage->end;
}

/* Collect a fragment. */
static void stage_unpack(mca_pml_champion_layout_t *layout, size_t offset,
                         const void *data, size_t length)
{
    mca_pml_champion_stage_t *stage = layout->staged;
    size_t done = 0, part;

    for (; done < length; done += part) {
        const size_t at = offset + done;

        if (at != stage->end ||
            MCA_PML_CHAMPION_STAGE_BYTES == stage->end - stage->begin) {
            stage_flush(layout, stage);
            stage->begin = stage->end = at;
        }
        part = MCA_PML_CHAMPION_STAGE_BYTES - (stage->end - stage->begin);
        if (part > length - done) {
            part = length - done;
        }
        memcpy(stage->data + (stage->end - stage->begin),
               (const char *) data + done, part);
        stage->end += part;
    }
}

/* May a fragment end within an element that Open MPI cannot reassemble? Its
 * buffer for that has 16 bytes; only long double _Complex is larger. */
static uint32_t wide_types(void)
{
    return ompi_mpi_c_long_double_complex.dt.super.bdt_used;
}

static bool is_wide(const mca_pml_champion_layout_t *layout)
{
    return 0 != (layout->datatype->super.bdt_used & wide_types());
}

/* Keep a fragment until all have come. */
static bool whole_add(mca_pml_champion_layout_t *layout, size_t offset,
                      const void *data, size_t length)
{
    if (NULL == layout->staged) {
        layout->staged = malloc(layout->limit);
    }
    if (NULL == layout->staged) {
        return false;
    }
    memcpy((char *) layout->staged + offset, data, length);
    if (layout->offset < offset + length) {
        layout->offset = offset + length;
    }
    return true;
}

/* Unpack the data that were staged as a whole; they may be incomplete if UCX
 * has failed. */
static void whole_unpack(mca_pml_champion_layout_t *layout)
{
    size_t length = layout->offset;
    struct iovec iov = {.iov_base = layout->staged};
    uint32_t count = 1;

    if (length < layout->limit) {
        length = element_at(layout, length);
    }
    iov.iov_len = length;
    opal_convertor_unpack(layout->convertor, &iov, &count, &length);
    free(layout->staged);
}

/* ---- packing ------------------------------------------------------------ */

size_t mca_pml_champion_layout_pack(mca_pml_champion_layout_t *layout,
                                    size_t offset, void *data, size_t length)
{
    size_t packed = 0;

    if (OPAL_UNLIKELY(offset != layout->offset)) {
        /* It is read again: otherwise the compiler keeps it in a register, which
         * costs the common case an instruction. */
        __asm__("" : "+m"(layout->offset));
        if (MCA_PML_CHAMPION_LAYOUT_STAGED == layout->offset) {
            return pack_from_device(layout, offset, data, length);
        }
        pack_seek(layout, offset);
    }
    while (packed < length) {
        char *to = (char *) data + packed;
        size_t done;

        done = split_take(layout, to, length - packed);
        if (0 == done) {
            done = pack_elements(layout, to, length - packed);
        }
        if (0 == done && !split_fill(layout)) {
            break;
        }
        packed += done;
    }
    layout->offset = offset + packed;
    return packed;
}

/* Unpack a fragment of data that may have wide elements, or be a device's. */
static __attribute__((noinline)) bool unpack_with_care(
    mca_pml_champion_layout_t *layout, size_t offset, const void *data,
    size_t length)
{
    if (is_wide(layout)) {
        return whole_add(layout, offset, data, length);
    }
    if (is_device(layout)) {
        if (NULL == layout->staged) {
            layout->staged = mca_pml_champion_stage_take();
        }
        if (NULL != layout->staged) {
            stage_unpack(layout, offset, data, length);
            return true;
        }
    }
    unpack_now(layout, offset, data, length);
    return true;
}

bool mca_pml_champion_layout_unpack(mca_pml_champion_layout_t *layout,
                                    size_t offset, const void *data,
                                    size_t length)
{
    if (OPAL_UNLIKELY(0 != (layout->datatype->super.bdt_used & careful)) &&
        length != layout->limit) {
        return unpack_with_care(layout, offset, data, length);
    }
    unpack_now(layout, offset, data, length);
    return true;
}

/* ---- the end ------------------------------------------------------------ */

static __attribute__((noinline)) void staged_end(
    mca_pml_champion_layout_t *layout)
{
    if (MCA_PML_CHAMPION_LAYOUT_STAGED == layout->offset) {
        mca_pml_champion_stage_return(layout->staged);
    } else if (is_wide(layout)) {
        whole_unpack(layout);
    } else {
        stage_flush(layout, layout->staged);
        mca_pml_champion_stage_return(layout->staged);
    }
    layout->staged = NULL;
}

void mca_pml_champion_layout_end(mca_pml_champion_layout_t *layout)
{
    if (OPAL_UNLIKELY(NULL != layout->staged)) {
        staged_end(layout);
    }
    opal_convertor_cleanup(layout->convertor);
}

/* ---- for the rest of this component, and UCX ---------------------------- */

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

/* UCX's callbacks: context is unused, buffer is a layout. */

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
    return mca_pml_champion_layout_unpack(state, offset, data, length)
               ? UCS_OK
               : UCS_ERR_NO_MEMORY;
}

static void generic_finish(void *state)
{
    (void) state; /* the owner of the layout ends it */
}

ucs_status_t mca_pml_champion_datatype_init(bool device)
{
    static const ucp_generic_dt_ops_t ops = {
        .start_pack = generic_start_pack,
        .start_unpack = generic_start_unpack,
        .packed_size = generic_packed_size,
        .pack = generic_pack,
        .unpack = generic_unpack,
        .finish = generic_finish,
    };

    careful = device ? UINT32_MAX : wide_types();
    return ucp_dt_create_generic(&ops, NULL,
                                 &mca_pml_champion.generic_datatype);
}

void mca_pml_champion_datatype_fini(void)
{
    ucp_dt_destroy(mca_pml_champion.generic_datatype);
}
