/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "pml_ucx.h"

#include <stdarg.h>
#include <stdio.h>

#include "opal/mca/base/mca_base_var.h"

#include "ompi/mca/pml/champion/offload/tag_ops.h"

pml_ucx_t pml_ucx;

static char somewhere;
ucp_ep_h pml_ucx_ep = (ucp_ep_h) &somewhere;

void pml_ucx_begin(void)
{
    OPAL_PROC_MY_NAME =
        (opal_process_name_t){.jobid = PML_UCX_JOB, .vpid = PML_UCX_ME};
    opal_process_info.num_local_peers = PML_UCX_SIZE - 1;
}

/* ---- Open MPI ----------------------------------------------------------- */

int ompi_proc_world_size(void)
{
    return 0 != pml_ucx.ranks ? pml_ucx.ranks : PML_UCX_SIZE;
}

ompi_proc_t *ompi_proc_find(const opal_process_name_t *name)
{
    return NULL;
}

int ompi_mpi_abort(struct ompi_communicator_t *comm, int error)
{
    ++pml_ucx.num_aborts;
    return OMPI_SUCCESS;
}

void opal_output(int id, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void) vsnprintf(pml_ucx.line, sizeof(pml_ucx.line), format, arguments);
    va_end(arguments);
}

/* ---- UCX ---------------------------------------------------------------- */

ucs_status_ptr_t ucp_am_send_nbx(ucp_ep_h ep, unsigned id, const void *header,
                                 size_t header_length, const void *buffer,
                                 size_t count, const ucp_request_param_t *param)
{
    if (NULL != pml_ucx.sent) {
        pml_ucx.sent(id, buffer, count);
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
    pml_ucx.handler[param->id] = param->cb;
    pml_ucx.arg[param->id] =
        param->field_mask & UCP_AM_HANDLER_PARAM_FIELD_ARG ? param->arg : NULL;
    return UCS_OK;
}

void ucp_am_data_release(ucp_worker_h worker, void *data)
{
    pml_ucx.released(data);
}

ucs_status_t ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params,
                           ucp_ep_h *ep)
{
    *ep = pml_ucx_ep;
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
