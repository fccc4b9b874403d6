/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Non-contiguous user data. UCX sees one generic datatype for all of them, and
 * a mca_pml_champion_layout_t as the buffer, which describes the data and the
 * convertor that walks over them. So nothing is cached per MPI datatype, and
 * nothing is allocated per message.
 *
 * UCX cuts the packed data where it likes, and a fragment must have the length
 * that UCX asked for: 1.13.1 writes the header of an active message behind that
 * length but reports the length it got (ucp_am_bcopy_pack_data), so that the
 * receiver would read its envelope somewhere else. Open MPI's convertor packs
 * whole predefined elements only. An element that is cut is therefore packed
 * into a small buffer, from which it goes out in parts:
 *
 *     asked for       |<---- fragment ----->|<---- fragment ----->|
 *     elements        |     |     |     |     |     |     |     |     |
 *     in split                          |-----|           |-----|
 *
 * When unpacking, the convertor reassembles an element that arrives in parts if
 * it has at most 16 bytes. Messages with larger elements that arrive in
 * fragments are staged and unpacked as a whole.
 *
 * Data in the memory of a device (core/device.h) have a layout, too, contiguous
 * or not: the convertor knows how to copy them. Data in fragments are copied
 * through a stage (core/stage.h). The checks that find such layouts are
 * those that find other rare cases: without a device they cost nothing.
 */

#ifndef MCA_PML_CHAMPION_CORE_DATATYPE_H
#define MCA_PML_CHAMPION_CORE_DATATYPE_H

#include <string.h>

#include "opal/datatype/opal_convertor.h"

#include "ompi/mca/pml/champion/core/champion.h"

#pragma GCC visibility push(hidden)

/** Size of the buffer for an element that has to be split; the largest
 * predefined datatype of Open MPI has 32 bytes. */
#define MCA_PML_CHAMPION_SPLIT_MAX 64

/** Offset of data that are sent through a stage; set after .._layout_send. */
#define MCA_PML_CHAMPION_LAYOUT_STAGED SIZE_MAX

/** User data, and how far they have been packed or unpacked. Must not move
 * while UCX works on it. */
typedef struct mca_pml_champion_layout_t {
    void *buffer;
    size_t count;
    ompi_datatype_t *datatype;
    opal_convertor_t *convertor; /**< constructed; the caller owns it */
    size_t offset;               /**< packed bytes done; if out of order, the
                                      next ones in the convertor's order; or
                                      MCA_PML_CHAMPION_LAYOUT_STAGED */
    size_t limit;                /**< packed bytes of the message */
    void *staged; /**< receive: staged data of the message, up to offset; of a
                       device a stage, also to send; or NULL */
    /* Send: split elements; the bytes from begin to end follow offset. */
    uint8_t split_begin, split_end;
    unsigned char split[MCA_PML_CHAMPION_SPLIT_MAX];
} mca_pml_champion_layout_t;

/** Create mca_pml_champion.generic_datatype. device: data may be in the memory
 * of one. */
ucs_status_t mca_pml_champion_datatype_init(bool device);
void mca_pml_champion_datatype_fini(void);

/** Packed size of count elements, bytes. */
static inline size_t mca_pml_champion_size(const ompi_datatype_t *datatype,
                                           size_t count)
{
    return datatype->super.size * count;
}

/** Are count elements contiguous in memory? */
static inline bool mca_pml_champion_contiguous(const ompi_datatype_t *datatype,
                                               size_t count)
{
    return opal_datatype_is_contiguous_memory_layout(
        &datatype->super, (int32_t) (count > 1 ? 2 : 1));
}

/** Where contiguous data begin. */
static inline void *mca_pml_champion_begin(const void *buffer,
                                           const ompi_datatype_t *datatype)
{
    return (char *) (uintptr_t) buffer + datatype->super.true_lb;
}

/** Copy; the sizes of single numbers (4 to 16 bytes) without a call. */
static inline void mca_pml_champion_copy(void *to, const void *from,
                                         size_t length)
{
    char *target = to;
    const char *source = from;

    if (OPAL_LIKELY(length - 8 <= 8)) {
        uint64_t first, last;

        memcpy(&first, source, 8);
        memcpy(&last, source + length - 8, 8);
        memcpy(target, &first, 8);
        memcpy(target + length - 8, &last, 8);
    } else if (length - 4 < 4) {
        uint32_t first, last;

        memcpy(&first, source, 4);
        memcpy(&last, source + length - 4, 4);
        memcpy(target, &first, 4);
        memcpy(target + length - 4, &last, 4);
    } else if (0 != length) { /* or the pointers may be null */
        memcpy(target, source, length);
    }
}

/** Prepare a layout for packing (send), or for unpacking a message of length
 * bytes, which must fit (recv). */
void mca_pml_champion_layout_send(mca_pml_champion_layout_t *layout,
                                  const void *buffer, size_t count,
                                  ompi_datatype_t *datatype,
                                  opal_convertor_t *convertor);
void mca_pml_champion_layout_recv(mca_pml_champion_layout_t *layout,
                                  size_t length);
/** Finish packing or unpacking. The message may be incomplete. */
void mca_pml_champion_layout_end(mca_pml_champion_layout_t *layout);

/** Pack length bytes from the packed offset on; offsets may come in any order.
 * Returns length; less only at the end of the data. */
size_t mca_pml_champion_layout_pack(mca_pml_champion_layout_t *layout,
                                    size_t offset, void *data, size_t length);
/** Unpack length bytes at the packed offset; offsets may come in any order,
 * none twice. False if out of memory. */
bool mca_pml_champion_layout_unpack(mca_pml_champion_layout_t *layout,
                                    size_t offset, const void *data,
                                    size_t length);

/** Pack a whole buffer of length packed bytes, for small sends. */
void mca_pml_champion_pack(const void *buffer, size_t count,
                           ompi_datatype_t *datatype, void *data,
                           size_t length);

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_CORE_DATATYPE_H */
