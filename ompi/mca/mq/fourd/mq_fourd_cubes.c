/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Cubes, planes and lines: allocation, traversal and freeing. Not on the path
 * of an ordinary message.
 */

#include "ompi_config.h"

#include <stdlib.h>

#include "mq_fourd.h"

typedef mca_mq_fourd_module_t fourd_module_t;
typedef mca_mq_fourd_source_t fourd_source_t;

#define PLANE MCA_MQ_BASE_PLANE_A

/* Number of bits of the largest rank. */
static uint32_t bits_of(uint32_t size)
{
    uint32_t bits = 0;

    while (bits < 32 && (uint64_t) 1 << bits < size) {
        ++bits;
    }
    return bits;
}

/* The last dimension, whose arrays have the largest elements, gets no more bits
 * than any other. */
void mca_mq_fourd_cubes_init(fourd_module_t *m)
{
    uint32_t bits = bits_of(m->size), shift = 0;

    for (int d = MCA_MQ_FOURD_LAST; d >= 0; --d) {
        uint32_t share = (bits - shift) / (uint32_t) (d + 1);

        m->dimension[d].shift = shift;
        m->dimension[d].mask = (UINT32_C(1) << share) - 1;
        shift += share;
    }
    m->space = NULL;
}

static size_t bytes_of(const fourd_module_t *m, int dimension)
{
    size_t count = (size_t) m->dimension[dimension].mask + 1;

    return count * (MCA_MQ_FOURD_LAST == dimension ? sizeof(fourd_source_t)
                                                   : sizeof(void *));
}

/* Get the array behind a pointer, made if necessary. */
static void *array_get(fourd_module_t *m, int dimension, void **pointer)
{
    if (NULL == *pointer) {
        *pointer = calloc(1, bytes_of(m, dimension));
        if (NULL != *pointer) {
            ++m->figures.arrays;
            m->figures.bytes += bytes_of(m, dimension);
        }
    }
    return *pointer;
}

fourd_source_t *mca_mq_fourd_cubes_get(fourd_module_t *m, uint32_t source)
{
    void **pointer = &m->space, **array;
    fourd_source_t *line;

    for (int d = 0; d < MCA_MQ_FOURD_LAST; ++d) {
        array = array_get(m, d, pointer);
        if (NULL == array) {
            return NULL;
        }
        pointer = &array[mca_mq_fourd_coordinate(m, d, source)];
    }
    line = array_get(m, MCA_MQ_FOURD_LAST, pointer);
    return NULL == line
               ? NULL
               : &line[mca_mq_fourd_coordinate(m, MCA_MQ_FOURD_LAST, source)];
}

/* Called for each array, those of the last dimension first. */
typedef void (*array_fn_t)(fourd_module_t *m, int dimension, void *array,
                           void *arg);

static void each_array(fourd_module_t *m, int dimension, void *array,
                       array_fn_t call, void *arg)
{
    void **pointers = array;

    if (NULL == array) {
        return;
    }
    if (dimension < MCA_MQ_FOURD_LAST) {
        for (uint32_t i = 0; i <= m->dimension[dimension].mask; ++i) {
            each_array(m, dimension + 1, pointers[i], call, arg);
        }
    }
    call(m, dimension, array, arg);
}

static void array_free(fourd_module_t *m, int dimension, void *array, void *arg)
{
    (void) arg;
    --m->figures.arrays;
    m->figures.bytes -= bytes_of(m, dimension);
    free(array);
}

void mca_mq_fourd_cubes_free(fourd_module_t *m)
{
    each_array(m, 0, m->space, array_free, NULL);
    m->space = NULL;
}

typedef struct visitor_t {
    mca_mq_visit_fn_t visit;
    void *arg;
} visitor_t;

static void line_visit(fourd_module_t *m, int dimension, void *array, void *arg)
{
    const fourd_source_t *line = array;
    const visitor_t *visitor = arg;

    if (MCA_MQ_FOURD_LAST != dimension) {
        return;
    }
    for (uint32_t i = 0; i <= m->dimension[dimension].mask; ++i) {
        mca_mq_base_fifo_each(&line[i].posted, visitor->visit, visitor->arg,
                              PLANE);
    }
}

void mca_mq_fourd_cubes_each_posted(fourd_module_t *m, mca_mq_visit_fn_t visit,
                                    void *arg)
{
    visitor_t visitor = {visit, arg};

    each_array(m, 0, m->space, line_visit, &visitor);
}
