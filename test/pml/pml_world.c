/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "pml_world.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "opal/mca/base/mca_base_var.h"

#include "ompi/mca/pml/champion/offload/tag_ops.h"

/* A test may have its own. */
#pragma weak ompi_proc_find
#pragma weak ucp_am_data_release
#pragma weak ucp_am_recv_data_nbx
#pragma weak ucp_am_send_nbx
#pragma weak ucp_ep_close_nbx
#pragma weak ucp_ep_create
#pragma weak ucp_ep_flush_nbx
#pragma weak ucp_request_free
#pragma weak ucp_worker_progress
#pragma weak ucp_worker_query
#pragma weak ucp_worker_release_address
#pragma weak ucs_status_string

pml_world_t pml_world;

static char somewhere;
ucp_ep_h pml_world_ep = (ucp_ep_h) &somewhere;

void pml_world_begin(void)
{
    memset(&pml_world, 0, sizeof(pml_world));
    OPAL_PROC_MY_NAME =
        (opal_process_name_t){.jobid = PML_WORLD_JOB, .vpid = PML_WORLD_ME};
    opal_process_info.num_local_peers = PML_WORLD_SIZE - 1;
}

void pml_world_look(void)
{
    mca_pml_champion_unlock();
    if (NULL != pml_world.look) {
        assert_int_equal(0, pml_world.look());
    }
    mca_pml_champion_lock();
}

/* ---- mq ----------------------------------------------------------------- */

static pml_mq_t *mq_of(mca_mq_base_module_t *module)
{
    return (pml_mq_t *) module;
}

static mca_mq_entry_t **next_of(mca_mq_entry_t **at)
{
    return (mca_mq_entry_t **) &(*at)->link[0];
}

/* Take out what is at a place. */
static mca_mq_entry_t *take(mca_mq_entry_t **at)
{
    mca_mq_entry_t *entry = *at;

    if (NULL != entry) {
        *at = entry->link[0];
    }
    return entry;
}

void pml_mq_append(pml_mq_t *mq, mca_mq_queue_t queue, mca_mq_entry_t *entry)
{
    mca_mq_entry_t **at = &mq->first[queue];

    while (NULL != *at) {
        at = next_of(at);
    }
    entry->link[0] = NULL;
    *at = entry;
}

/* Where the oldest posted receive is that a message matches. */
static mca_mq_entry_t **receive_for(pml_mq_t *mq,
                                    const mca_mq_envelope_t *message)
{
    mca_mq_entry_t **at = &mq->first[MCA_MQ_POSTED];

    while (NULL != *at && !mca_mq_matches(&(*at)->envelope, message)) {
        at = next_of(at);
    }
    return at;
}

/* Where the oldest message is that matches a receive. */
static mca_mq_entry_t **message_for(pml_mq_t *mq,
                                    const mca_mq_envelope_t *receive)
{
    mca_mq_entry_t **at = &mq->first[MCA_MQ_UNEXPECTED];

    while (NULL != *at && !mca_mq_matches(receive, &(*at)->envelope)) {
        at = next_of(at);
    }
    return at;
}

mca_mq_entry_t *pml_mq_take(pml_mq_t *mq, const mca_mq_envelope_t *receive)
{
    return take(message_for(mq, receive));
}

mca_mq_entry_t *pml_mq_pop(pml_mq_t *mq, mca_mq_queue_t queue)
{
    return take(&mq->first[queue]);
}

mca_mq_entry_t *pml_mq_arrive(mca_mq_base_module_t *module,
                              const mca_mq_envelope_t *envelope,
                              mca_mq_make_entry_fn_t make, void *arg)
{
    mca_mq_entry_t *found = take(receive_for(mq_of(module), envelope));

    if (NULL == found) {
        mca_mq_entry_t *made = make(arg);

        if (NULL != made) {
            pml_mq_append(mq_of(module), MCA_MQ_UNEXPECTED, made);
        }
    }
    return found;
}

static mca_mq_entry_t *probe(mca_mq_base_module_t *module,
                             const mca_mq_envelope_t *envelope)
{
    return *message_for(mq_of(module), envelope);
}

static void withdraw_unexpected(mca_mq_base_module_t *module,
                                mca_mq_entry_t *entry)
{
    mca_mq_entry_t **at = &mq_of(module)->first[MCA_MQ_UNEXPECTED];

    while (*at != entry) {
        at = next_of(at);
    }
    (void) take(at);
}

static void each(mca_mq_base_module_t *module, mca_mq_queue_t queue,
                 mca_mq_visit_fn_t visit, void *arg)
{
    for (mca_mq_entry_t *entry = mq_of(module)->first[queue]; NULL != entry;
         entry = entry->link[0]) {
        visit(entry, arg);
    }
}

static size_t footprint(const mca_mq_base_module_t *module)
{
    return PML_MQ_FOOTPRINT;
}

void pml_mq_init(pml_mq_t *mq, uint32_t assertions)
{
    *mq = (pml_mq_t){
        .super =
            {
                .mq_arrive = pml_mq_arrive,
                .mq_probe = probe,
                .mq_withdraw_unexpected = withdraw_unexpected,
                .mq_each = each,
                .mq_footprint = footprint,
            },
        .domain = {.module = &mq->super, .info.assertions = assertions},
    };
}

/* ---- several processes -------------------------------------------------- */

static const pml_part_t *parts;
static unsigned char *copies; /* of all processes */

int pml_me;

/* Exchange what is in place with the copies of a process. */
static void copy(int process, bool in_place)
{
    size_t size = 0;
    unsigned char *at;

    for (const pml_part_t *part = parts; 0 != part->size; ++part) {
        size += part->size;
    }
    at = copies + (size_t) process * size;
    for (const pml_part_t *part = parts; 0 != part->size; ++part) {
        memcpy(in_place ? part->where : at, in_place ? at : part->where,
               part->size);
        at += part->size;
    }
}

void pml_world_populate(int processes, const pml_part_t *its_parts)
{
    size_t size = 0;

    parts = its_parts;
    for (const pml_part_t *part = parts; 0 != part->size; ++part) {
        size += part->size;
    }
    free(copies);
    copies = calloc((size_t) processes, size);
    assert_non_null(copies);
    pml_me = 0;
    copy(0, true);
}

void pml_world_at(int process)
{
    copy(pml_me, false);
    pml_me = process;
    copy(process, true);
}

/* ---- the clock ---------------------------------------------------------- */

/* The Makefile gives the function another name, in the product, too. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (CLOCK_MONOTONIC != clock || 0 == pml_world.now) {
        return (int) syscall(SYS_clock_gettime, clock, time);
    }
    *time = (struct timespec){.tv_sec = (time_t) (pml_world.now / 1000000000),
                              .tv_nsec = (long) (pml_world.now % 1000000000)};
    return 0;
}

/* ---- Open MPI ----------------------------------------------------------- */

int ompi_proc_world_size(void)
{
    return 0 != pml_world.ranks ? pml_world.ranks : PML_WORLD_SIZE;
}

ompi_proc_t *ompi_proc_find(const opal_process_name_t *name)
{
    return NULL;
}

int ompi_mpi_abort(struct ompi_communicator_t *comm, int error)
{
    if (!pml_world.survives) {
        fail_msg("aborted: %s", pml_world.line);
    }
    ++pml_world.num_aborts;
    return OMPI_SUCCESS;
}

int opal_progress_register_lp(opal_progress_callback_t look)
{
    assert_null(pml_world.look);
    pml_world.look = look;
    return OPAL_SUCCESS;
}

int opal_progress_unregister(opal_progress_callback_t look)
{
    if (pml_world.look != look) {
        return OPAL_ERR_NOT_FOUND;
    }
    pml_world.look = NULL;
    return OPAL_SUCCESS;
}

void opal_output(int id, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void) vsnprintf(pml_world.line, sizeof(pml_world.line), format, arguments);
    va_end(arguments);
}

/* ---- UCX ---------------------------------------------------------------- */

ucs_status_ptr_t ucp_am_send_nbx(ucp_ep_h ep, unsigned id, const void *header,
                                 size_t header_length, const void *buffer,
                                 size_t count, const ucp_request_param_t *param)
{
    if (NULL != pml_world.sent) {
        pml_world.sent(id, buffer, count);
    }
    return NULL;
}

ucs_status_ptr_t ucp_am_recv_data_nbx(ucp_worker_h worker, void *descriptor,
                                      void *buffer, size_t count,
                                      const ucp_request_param_t *param)
{
    return NULL;
}

ucs_status_t ucp_worker_set_am_recv_handler(ucp_worker_h worker,
                                            const ucp_am_handler_param_t *param)
{
    pml_world.handler[param->id] = param->cb;
    pml_world.arg[param->id] =
        param->field_mask & UCP_AM_HANDLER_PARAM_FIELD_ARG ? param->arg : NULL;
    return UCS_OK;
}

void ucp_am_data_release(ucp_worker_h worker, void *data)
{
    free(data);
}

ucs_status_t ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params,
                           ucp_ep_h *ep)
{
    *ep = pml_world_ep;
    return UCS_OK;
}

ucs_status_ptr_t ucp_ep_close_nbx(ucp_ep_h ep, const ucp_request_param_t *param)
{
    return NULL;
}

ucs_status_ptr_t ucp_ep_flush_nbx(ucp_ep_h ep, const ucp_request_param_t *param)
{
    return NULL;
}

#if UCP_API_VERSION >= UCP_VERSION(1, 14)
ucs_status_t ucp_ep_query(ucp_ep_h ep, ucp_ep_attr_t *attr)
{
    return UCS_ERR_UNSUPPORTED;
}
#endif

void ucp_context_print_info(const ucp_context_h context, FILE *stream)
{
}

void ucp_ep_print_info(const ucp_ep_h ep, FILE *stream)
{
}

unsigned ucp_worker_progress(ucp_worker_h worker)
{
    return 0;
}

ucs_status_t ucp_worker_query(ucp_worker_h worker, ucp_worker_attr_t *attr)
{
    attr->address = (ucp_address_t *) &somewhere;
    attr->address_length = sizeof(somewhere);
    return UCS_OK;
}

void ucp_worker_release_address(ucp_worker_h worker, ucp_address_t *address)
{
}

ucs_status_t ucp_request_check_status(void *request)
{
    return UCS_OK;
}

void ucp_request_free(void *request)
{
}

ucs_status_t ucp_dt_create_generic(const ucp_generic_dt_ops_t *ops,
                                   void *context, ucp_datatype_t *datatype)
{
    *datatype = 0;
    return UCS_OK;
}

void ucp_dt_destroy(ucp_datatype_t datatype)
{
}

const char *ucs_status_string(ucs_status_t status)
{
    return UCS_OK == status ? "success" : "an error";
}

/* ---- adapters that match tags ------------------------------------------- */

static const mca_pml_champion_tag_ops_t tag_ops = {
    .abi = MCA_PML_CHAMPION_TAG_OPS_ABI,
};

bool mca_pml_champion_tag_ops_enabled(void)
{
    return false;
}

const mca_pml_champion_tag_ops_t *mca_pml_champion_tag_ops_get(const char *path)
{
    return &tag_ops;
}
