/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The component: parameters, life and death.
 */

#include <stdlib.h>

#include "opal/util/show_help.h"

#include "ompi/mca/mq/base/mq_base_param.h"
#include "ompi/mca/pml/champion/pml_champion_info.h"
#include "ompi/mca/pml/champion/offload/pml_champion_offload_recv.h"
#include "ompi/mca/pml/champion/pml_champion_am.h"
#include "ompi/mca/pml/champion/pml_champion_context.h"
#include "ompi/mca/pml/champion/pml_champion_finalize.h"
#include "ompi/mca/pml/champion/pml_champion_local.h"
#include "ompi/mca/pml/champion/pml_champion_module.h"
#include "ompi/mca/pml/champion/pml_champion_peer.h"
#include "ompi/mca/pml/champion/pml_champion_parting.h"
#include "ompi/mca/pml/champion/pml_champion_prefetch.h"
#include "ompi/mca/pml/champion/pml_champion_request.h"
#include "ompi/mca/pml/champion/pml_champion_revoke.h"
#include "ompi/mca/pml/champion/pml_champion_thread.h"
#include "ompi/mca/pml/champion/pml_champion_ucx.h"
#include "ompi/mca/pml/champion/ring/pml_champion_rings.h"

#define HELP "help-mpi-pml-champion.txt"

OMPI_DECLSPEC extern mca_pml_base_component_t mca_pml_champion_component;

static int champion_register(void);
static int champion_open(void);
static int champion_close(void);
static mca_pml_base_module_t *champion_init(int *priority,
                                            bool progress_threads,
                                            bool mpi_threads);
static int champion_fini(void);

mca_pml_base_component_t mca_pml_champion_component = {
    .pmlm_version =
        {
            MCA_MQ_OMPI_PML_VERSION,
            .mca_component_name = "champion",
            MCA_BASE_MAKE_VERSION(component, OMPI_MAJOR_VERSION,
                                  OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION),
            .mca_open_component = champion_open,
            .mca_close_component = champion_close,
            .mca_register_component_params = champion_register,
        },
    .pmlm_data = {.param_field = MCA_BASE_METADATA_PARAM_NONE},
    .pmlm_init = champion_init,
    .pmlm_finalize = champion_fini,
};

/* Whether a parameter was given a value that is not allowed: the component
 * cannot be used then. */
static bool invalid_parameter;

/* The MCA shows a value that is neither true nor false, and goes on. */
static void register_bool(const char *name, const char *description,
                          mca_base_var_info_lvl_t level, bool *storage)
{
    int rc = mca_base_component_var_register(
        mca_pml_champion.component, name, description, MCA_BASE_VAR_TYPE_BOOL,
        NULL, 0, 0, level, MCA_BASE_VAR_SCOPE_ALL_EQ, storage);

    invalid_parameter = invalid_parameter || rc < 0;
}

static void register_uint(const char *name, const char *description,
                          mca_base_var_info_lvl_t level, unsigned min,
                          unsigned max, unsigned *storage)
{
    int rc = mca_mq_base_param_uint(mca_pml_champion.component, name,
                                    description, level, min, max, storage);

    invalid_parameter = invalid_parameter || OMPI_SUCCESS != rc;
}

static void register_prefetch(mca_pml_champion_params_t *params)
{
    register_bool(
        "prefetch",
        "Fetch the data of unexpected rendezvous messages into a registered "
        "memory pool, so that late receives do not hold up their senders",
        OPAL_INFO_LVL_4, &params->prefetch);
    register_uint("prefetch_pool",
                  "Size of each process's pool for prefetched messages, in "
                  "bytes. Rounded down to a power of two",
                  OPAL_INFO_LVL_5, 1 << 16, (unsigned) 1 << 31,
                  &params->prefetch_pool);
    register_uint(
        "prefetch_largest", "Largest message, in bytes, that is prefetched",
        OPAL_INFO_LVL_5, 1, (unsigned) 1 << 31, &params->prefetch_largest);
    register_uint("prefetch_window",
                  "Number of recent prefetches per peer that decide whether "
                  "the next message is prefetched. While they argue against "
                  "it, one message per window is still prefetched as a trial",
                  OPAL_INFO_LVL_6, 1, MCA_PML_CHAMPION_PREFETCH_WINDOW_MAX,
                  &params->prefetch_window);
    register_uint(
        "prefetch_threshold",
        "Keep prefetching from a peer while at least this percentage of its "
        "recent prefetches completed before their receive was posted",
        OPAL_INFO_LVL_6, 0, 100, &params->prefetch_threshold);
}

static int champion_register(void)
{
    mca_pml_champion_params_t *params = &mca_pml_champion.params;
    const char *running;

    mca_pml_champion.component = &mca_pml_champion_component.pmlm_version;
#if defined(MCA_MQ_PLUGIN_BUILD)
    opal_show_help_add_dir(mca_mq_base_help_dir());
#endif
    if (!mca_mq_ompi_series_matches(&running)) {
        opal_show_help(HELP, "series", true, MCA_MQ_OMPI_MAJOR,
                       MCA_MQ_OMPI_MINOR, running);
        return OMPI_ERR_NOT_AVAILABLE;
    }
    *params = (mca_pml_champion_params_t){
        .priority = 60,
        .eager_limit = MCA_PML_CHAMPION_EAGER_AUTO,
        .self_eager_limit = 131072,
        .hold_limit = 32768,
        .progress_iterations = 100,
        .test_delay = 0,
        .prefetch_pool = 16 << 20,
        .prefetch_largest = 4 << 20,
        .prefetch_window = 16,
        .prefetch_threshold = 50,
        .prefetch = false,
        .thread_interval = 100,
        .progress_thread = false,
        .close_endpoints = true,
        .stats = false,
    };
    invalid_parameter = false;
    register_uint("priority",
                  "Priority among the PMLs. Open MPI considers champion only "
                  "if the parameter pml names it",
                  OPAL_INFO_LVL_3, 0, 100, &params->priority);
    register_uint(
        "eager_limit",
        "Eager limit: largest payload, in bytes, that is sent without waiting "
        "for a matching receive. 2147483647: chosen for each peer",
        OPAL_INFO_LVL_4, 0, MCA_PML_CHAMPION_EAGER_AUTO, &params->eager_limit);
    register_uint("self_eager_limit",
                  "Eager limit for messages of a process to itself, in bytes: "
                  "up to this size a message whose receive is not posted yet "
                  "is copied, and its send does not wait",
                  OPAL_INFO_LVL_5, 0, 1 << 30, &params->self_eager_limit);
    register_uint("hold_limit",
                  "Smallest unexpected eager payload, in bytes, that stays in "
                  "UCX's buffer instead of being copied",
                  OPAL_INFO_LVL_6, 0, 1 << 30, &params->hold_limit);
    register_uint("progress_iterations",
                  "In blocking calls, how many times UCX's progress function "
                  "is called for each call of opal_progress",
                  OPAL_INFO_LVL_6, 1, 1 << 20, &params->progress_iterations);
    register_bool(
        "progress_thread",
        "Run a progress thread in each process, so that large messages advance "
        "while the program computes. It sleeps while there is nothing to do "
        "and while the program itself waits in MPI calls",
        OPAL_INFO_LVL_3, &params->progress_thread);
    register_uint("thread_interval",
                  "How often, in microseconds, the progress thread checks "
                  "whether the program makes progress by itself. While it "
                  "does, the interval grows to up to 16 times this value",
                  OPAL_INFO_LVL_6, 1, 10000000, &params->thread_interval);
    register_bool(
        "close_endpoints",
        "Close the connection to a process of another job when the last "
        "communicator with it is freed. Such connections within a node need "
        "UCX's transport posix; without it they stay until MPI_Finalize",
        OPAL_INFO_LVL_5, &params->close_endpoints);
    register_uint("test_delay",
                  "For testing: delay each message by a random number of "
                  "progress calls, at most this many, so that messages arrive "
                  "late and out of order. 0: no delay",
                  OPAL_INFO_LVL_9, 0, 1 << 20, &params->test_delay);
    register_prefetch(params);
    register_bool("stats",
                  "At MPI_Finalize, print matching statistics summed over all "
                  "processes to the standard error of rank 0",
                  OPAL_INFO_LVL_3, &params->stats);
    if (!mca_pml_champion_offload_register() ||
        !mca_pml_champion_rings_register()) {
        invalid_parameter = true;
    }
    mca_pml_champion_info_add_mq();
    return OMPI_SUCCESS;
}

static int champion_open(void)
{
    return OMPI_SUCCESS;
}

static int champion_close(void)
{
    return OMPI_SUCCESS;
}

/* Nothing of what init made so far may stay. */
static void init_undo(void)
{
    mca_pml_champion_ft_close();
    mca_pml_champion_thread_end();
    mca_pml_champion_offload_fini();
    if (NULL != mca_pml_champion.worker) {
        ucp_worker_destroy(mca_pml_champion.worker);
        mca_pml_champion.worker = NULL;
    }
    mca_pml_champion_prefetch_fini();
    mca_pml_champion_ucx_close();
    mca_mq_base_close_framework();
}

static mca_pml_base_module_t *champion_init(int *priority,
                                            bool progress_threads,
                                            bool mpi_threads)
{
    int rc;

    (void) progress_threads;
    if (invalid_parameter) {
        return NULL; /* has been reported */
    }
    /* Profiles are of the job that mpirun has started. */
    mca_mq_base_job.rank = OPAL_PROC_MY_NAME.vpid;
    mca_mq_base_job.size =
        mca_mq_ompi_is_spawned() ? 0 : (uint32_t) ompi_proc_world_size();
    rc = mca_mq_base_open_framework();
    if (OMPI_SUCCESS != rc) {
        return NULL;
    }
    mca_pml_champion.threaded =
        mpi_threads || mca_pml_champion.params.progress_thread;
    mca_pml_champion.output = ompi_pml_base_framework.framework_output;
    OBJ_CONSTRUCT(&mca_pml_champion.lock, opal_mutex_t);
    opal_size_pool_init(&mca_pml_champion.pool);
    mca_pml_champion_local_open();
    rc = mca_pml_champion_offload_open();
    if (OMPI_SUCCESS == rc && mca_pml_champion_offload.on) {
        mca_pml_champion_offload_recv_open();
        mca_pml_champion_module_offload();
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_pml_champion_ucx_open(mca_pml_champion_offload.on);
    }
    if (OMPI_SUCCESS == rc) {
        mca_pml_champion_rings_open();
        if (!mca_pml_champion_rings.simple) {
            mca_pml_champion_module_no_fast_path();
        }
        rc = mca_pml_champion_ucx_init(mca_pml_champion.threaded);
    }
    if (OMPI_SUCCESS == rc && mca_pml_champion_ucx_closes()) {
        mca_pml_champion_parting_open();
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_pml_champion_am_register();
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_pml_champion_thread_open();
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_pml_champion_prefetch_init();
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_pml_champion_offload_init();
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_pml_champion_ucx_publish();
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_pml_champion_ft_open(mpi_threads);
    }
    if (OMPI_SUCCESS != rc) {
        init_undo();
        return NULL;
    }
    *priority = (int) mca_pml_champion.params.priority;
    return &mca_pml_champion_module;
}

static int champion_fini(void)
{
    if (NULL == mca_pml_champion.job_peers) {
        init_undo(); /* another PML was chosen */
        return OMPI_SUCCESS;
    }
    mca_pml_champion_ft_close();
    mca_pml_champion_thread_end();
    mca_pml_champion_disconnect();
    mca_pml_champion_ucx_fini();
    mca_pml_champion_prefetch_fini();
    mca_pml_champion_offload_fini();
    mca_pml_champion_rings_close();
    mca_pml_champion_ucx_close();
    mca_pml_champion_parting_fini();
    mca_pml_champion_peers_fini();
    mca_pml_champion_request_fini();
    opal_size_pool_fini(&mca_pml_champion.pool);
    mca_pml_champion_contexts_fini();
    OBJ_DESTRUCT(&mca_pml_champion.lock);
    return mca_mq_base_close_framework();
}
