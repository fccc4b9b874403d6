/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/progress/pause.h"
#include "ompi/mca/pml/champion/pml_champion_ucx.h"

#include <stdlib.h>
#include <string.h>

#include <ucm/api/ucm.h>

#include "ompi/mca/mq/mq_ompi_compat.h"

#include MCA_MQ_OMPI_PMIX_HEADER
#include "opal/mca/memory/base/base.h"
#include "opal/memoryhooks/memory.h"
#include "opal/util/show_help.h"

#include "ompi/mca/pml/champion/offload/tag.h"
#include "ompi/mca/pml/champion/pml_champion_agree.h"
#include "ompi/mca/pml/champion/core/datatype.h"
#include "ompi/mca/pml/champion/core/wire.h"

#define HELP "help-mpi-pml-champion.txt"

/* Can endpoints to other jobs be closed? */
static bool closes;

static void memory_released(void *buffer, size_t length, void *arg,
                            bool from_alloc)
{
    (void) arg;
    (void) from_alloc;
    ucm_vm_munmap(buffer, length);
}

/* Open MPI intercepts the release of memory; pass its events on to UCX, which
 * would patch the same functions a second time otherwise. */
static void memory_hooks_init(void)
{
    const int needed = OPAL_MEMORY_FREE_SUPPORT | OPAL_MEMORY_MUNMAP_SUPPORT;

    if (OPAL_SUCCESS !=
        mca_base_framework_open(&opal_memory_base_framework, 0)) {
        return;
    }
    if (needed == (needed & opal_mem_hooks_support_level())) {
        ucm_set_external_event(UCM_EVENT_VM_UNMAPPED);
        opal_mem_hooks_register_release(memory_released, NULL);
    }
}

static bool has(const char *transport)
{
    return mca_pml_champion_ucx_has_transport(mca_pml_champion.context,
                                              transport);
}

int mca_pml_champion_ucx_open(bool tags)
{
    ucp_context_attr_t attr = {.field_mask = UCP_ATTR_FIELD_MEMORY_TYPES};
    ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES |
                      UCP_PARAM_FIELD_MT_WORKERS_SHARED |
                      UCP_PARAM_FIELD_ESTIMATED_NUM_EPS |
                      UCP_PARAM_FIELD_ESTIMATED_NUM_PPN,
        .features =
            UCP_FEATURE_AM |
            (MCA_PML_CHAMPION_OFF != mca_pml_champion.params.progress_thread ||
                     mca_pml_champion_pause_needs_events()
                 ? UCP_FEATURE_WAKEUP
                 : 0),
        .mt_workers_shared = 0,
        .estimated_num_eps = ompi_proc_world_size(),
        .estimated_num_ppn = opal_process_info.num_local_peers + 1,
    };
    ucp_config_t *config;
    ucs_status_t status;

    if (tags) {
        params.field_mask |= UCP_PARAM_FIELD_TAG_SENDER_MASK;
        params.features |= UCP_FEATURE_TAG;
        params.tag_sender_mask = MCA_PML_CHAMPION_TAG_SENDER_MASK;
    }
    memory_hooks_init();
    status = ucp_config_read("MPI", NULL, &config);
    if (UCS_OK == status) {
        status = ucp_init(&params, config, &mca_pml_champion.context);
        ucp_config_release(config);
    }
    if (UCS_OK != status) {
        const char *tls = getenv("UCX_TLS"),
                   *devices = getenv("UCX_NET_DEVICES");

        mca_pml_champion.context = NULL;
        opal_show_help(HELP, "ucx init", true, ucs_status_string(status),
                       NULL != tls ? tls : "(not set)",
                       NULL != devices ? devices : "(not set)");
        return OMPI_ERR_NOT_AVAILABLE;
    }
    status = ucp_context_query(mca_pml_champion.context, &attr);
    if (UCS_OK == status &&
        UCS_BIT(UCS_MEMORY_TYPE_HOST) == attr.memory_types) {
        /* Only host memory: UCX need not detect the type of each buffer. */
        mca_pml_champion.memory_attr = UCP_OP_ATTR_FIELD_MEMORY_TYPE;
    }
    closes = mca_pml_champion.params.close_endpoints &&
             (has("posix") || !has("sysv"));
    return OMPI_SUCCESS;
}

/* Endpoints that can be closed need error handling, which sysv lacks and posix
 * has if it is switched on; without either, they would use TCP within a node.
 * Only an environment variable can switch it on (UCX complains about the
 * setting in a ucp_config_t where there is no posix). */
static ucs_status_t worker_create(const ucp_worker_params_t *params)
{
    static const char *const variable = "UCX_POSIX_ERROR_HANDLING";
    bool tell = closes && has("posix") && NULL == getenv(variable);
    ucs_status_t status;

    if (tell) {
        setenv(variable, "y", 1);
    }
    status = ucp_worker_create(mca_pml_champion.context, params,
                               &mca_pml_champion.worker);
    if (tell) {
        unsetenv(variable);
    }
    return status;
}

bool mca_pml_champion_ucx_closes(void)
{
    return closes;
}

int mca_pml_champion_ucx_init(bool threads)
{
    ucp_worker_params_t params = {
        .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
        .thread_mode =
            threads ? UCS_THREAD_MODE_SERIALIZED : UCS_THREAD_MODE_SINGLE,
    };
    ucs_status_t status;

    status = worker_create(&params);
    if (UCS_OK != status) {
        mca_pml_champion.worker = NULL;
        opal_show_help(HELP, "ucx worker", true, ucs_status_string(status));
        return OMPI_ERR_NOT_AVAILABLE;
    }
    mca_pml_champion.packed_param = (ucp_request_param_t){
        .op_attr_mask = UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL,
    };
    if (UCS_OK != mca_pml_champion_datatype_init()) {
        ucp_worker_destroy(mca_pml_champion.worker);
        mca_pml_champion.worker = NULL;
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

static int publish(unsigned flags, int scope)
{
    ucp_worker_attr_t attr = {
        .field_mask =
            UCP_WORKER_ATTR_FIELD_ADDRESS | UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS,
        .address_flags = flags,
    };
    mca_pml_champion_address_t head = {
        .magic = MCA_PML_CHAMPION_MAGIC,
        .wire_version = MCA_PML_CHAMPION_WIRE_VERSION,
        .arch = opal_proc_local_get()->proc_arch,
        .wanted =
            mca_pml_champion_wanted() | (closes ? MCA_PML_CHAMPION_CLOSES : 0),
    };
    ucs_status_t status;
    char *blob;
    int rc;

    status = ucp_worker_query(mca_pml_champion.worker, &attr);
    if (UCS_OK != status) {
        opal_show_help(HELP, "ucx worker", true, ucs_status_string(status));
        return OMPI_ERROR;
    }
    blob = malloc(sizeof(head) + attr.address_length);
    if (NULL == blob) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    } else {
        memcpy(blob, &head, sizeof(head));
        memcpy(blob + sizeof(head), attr.address, attr.address_length);
        OPAL_MODEX_SEND(rc, scope, mca_pml_champion.component, blob,
                        sizeof(head) + attr.address_length);
        free(blob);
    }
    ucp_worker_release_address(mca_pml_champion.worker, attr.address);
    return rc;
}

int mca_pml_champion_ucx_publish(void)
{
    int rc;

    /* Processes on other hosts need no shared memory addresses. */
    rc = publish(UCP_WORKER_ADDRESS_FLAG_NET_ONLY, MCA_MQ_OMPI_MODEX_REMOTE);
    if (OMPI_SUCCESS == rc) {
        rc = publish(0, MCA_MQ_OMPI_MODEX_LOCAL);
    }
    return rc;
}

void mca_pml_champion_ucx_fini(void)
{
    if (NULL == mca_pml_champion.worker) {
        return;
    }
    /* UCX calls back what is still in flight. */
    mca_pml_champion_lock();
    ucp_worker_destroy(mca_pml_champion.worker);
    mca_pml_champion_unlock();
    mca_pml_champion.worker = NULL;
    mca_pml_champion_datatype_fini();
}

void mca_pml_champion_ucx_close(void)
{
    if (NULL == mca_pml_champion.context) {
        return;
    }
    opal_mem_hooks_unregister_release(memory_released);
    ucp_cleanup(mca_pml_champion.context);
    mca_pml_champion.context = NULL;
}
