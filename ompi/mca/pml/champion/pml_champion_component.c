/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The component: its parameters, opening and closing. The units of which it is
 * made are listed in pml_champion_units.c.
 */

#include <stdlib.h>

#include "ompi/mca/pml/champion/pml_champion_module.h"
#include "ompi/mca/pml/champion/core/device.h"
#include "ompi/mca/pml/champion/core/params.h"
#include "ompi/mca/pml/champion/rndv/prefetch.h"
#include "ompi/mca/pml/champion/schedule/engine.h"
#include "ompi/mca/pml/champion/pml_champion_units.h"

#define KIB ((size_t) 1 << 10)
#define GIB ((size_t) 1 << 30)

/* Among the plug-ins, the loader's has this name: pml_champion_loader.c. */
#if defined(MCA_MQ_PLUGIN_BUILD)
#define mca_pml_champion_component mca_pml_champion_loaded
#endif

OMPI_DECLSPEC extern mca_pml_champion_component_t mca_pml_champion_component;

static int champion_register(void);
static int champion_open(void);
static int champion_close(void);
static mca_pml_base_module_t *champion_init(int *priority,
                                            bool progress_threads,
                                            bool mpi_threads);
static int champion_fini(void);

static mca_pml_champion_coll_params_t coll_params;

mca_pml_champion_component_t mca_pml_champion_component = {
    .super =
        {
            .pmlm_version =
                {
                    MCA_MQ_OMPI_PML_VERSION,
                    .mca_component_name = "champion",
                    MCA_MQ_COMPONENT_RELEASE,
                    .mca_open_component = champion_open,
                    .mca_close_component = champion_close,
                    .mca_register_component_params = champion_register,
                },
            .pmlm_data = {.param_field = MCA_BASE_METADATA_PARAM_NONE},
            .pmlm_init = champion_init,
            .pmlm_finalize = champion_fini,
        },
    .schedules = &mca_pml_champion_schedule_calls,
    .coll = &coll_params,
};

/* A parameter has a value that is not allowed: the component cannot be used. */
static bool invalid_parameter;

static void register_bool(const char *name, const char *description,
                          mca_base_var_info_lvl_t level, bool *storage)
{
    invalid_parameter |=
        !mca_pml_champion_param_bool(name, description, level, storage);
}

static void register_uint(const char *name, const char *description,
                          mca_base_var_info_lvl_t level, unsigned min,
                          unsigned max, unsigned *storage)
{
    invalid_parameter |= !mca_pml_champion_param_uint(name, description, level,
                                                      min, max, storage);
}

static void register_size(const char *name, const char *description,
                          mca_base_var_info_lvl_t level, size_t min, size_t max,
                          size_t *storage)
{
    invalid_parameter |= !mca_pml_champion_param_size(name, description, level,
                                                      min, max, storage);
}

/* Register a size in bytes that may be "auto". */
static void register_auto_size(const char *name, const char *description,
                               mca_base_var_info_lvl_t level, size_t min,
                               size_t max, size_t *storage)
{
    invalid_parameter |= !mca_pml_champion_param_auto_size(
        name, description, level, min, max, storage);
}

/* Register a parameter that is off, on or auto; `by` is how. */
static void register_switch_by(
    int (*by)(const mca_base_component_t *component, const char *name,
              const char *description, mca_base_var_info_lvl_t level,
              const mca_base_var_enum_value_t *values, int *storage),
    const char *name, const char *description, mca_base_var_info_lvl_t level,
    int *storage)
{
    static const mca_base_var_enum_value_t words[] = {
        {MCA_PML_CHAMPION_OFF, "off"},
        {MCA_PML_CHAMPION_AUTO, "auto"},
        {MCA_PML_CHAMPION_ON, "on"},
        /* Truth values are accepted as well. */
        {MCA_PML_CHAMPION_OFF, "0"},
        {MCA_PML_CHAMPION_OFF, "false"},
        {MCA_PML_CHAMPION_ON, "1"},
        {MCA_PML_CHAMPION_ON, "true"},
        {0, NULL},
    };
    int rc = by(mca_pml_champion.component, name, description, level, words,
                storage);

    invalid_parameter = invalid_parameter || OMPI_SUCCESS != rc;
}

static void register_wait(mca_pml_champion_params_t *params)
{
    static const mca_base_var_enum_value_t words[] = {
        {MCA_PML_CHAMPION_WAIT_AUTO, "auto"},
        {MCA_PML_CHAMPION_WAIT_POLLING, "poll"},
        {MCA_PML_CHAMPION_WAIT_YIELDING, "yield"},
        {MCA_PML_CHAMPION_WAIT_SLEEPING, "sleep"},
        {0, NULL},
    };
    int rc = mca_mq_base_param_settable(
        mca_pml_champion.component, "wait",
        "What MPI calls do that wait: poll; yield the core after some polls; "
        "or sleep after 20 us until a message comes. auto: poll where the core "
        "is free, and sleep after 10 ms; yield where other processes wait, "
        "too; sleep where they compute. Can be changed at run time (MPI_T)",
        OPAL_INFO_LVL_3, words, &params->wait);

    invalid_parameter = invalid_parameter || OMPI_SUCCESS != rc;
}

static void register_device_memory(mca_pml_champion_params_t *params)
{
    static const mca_base_var_enum_value_t words[] = {
        {MCA_PML_CHAMPION_DEVICE_AUTO, "auto"},
        {MCA_PML_CHAMPION_DEVICE_UCX, "ucx"},
        {MCA_PML_CHAMPION_DEVICE_STAGING, "staging"},
        {0, NULL},
    };
    int rc = mca_mq_base_param_enum(
        mca_pml_champion.component, "device_memory",
        "How contiguous data in the memory of an accelerator travel: ucx: UCX "
        "accesses that memory; staging: the accelerator copies them to and "
        "from host memory. auto: ucx if UCX was built for the accelerator. Of "
        "no effect where Open MPI has none",
        OPAL_INFO_LVL_9, words, &params->device_memory);

    invalid_parameter = invalid_parameter || OMPI_SUCCESS != rc;
}

static void register_prefetch(mca_pml_champion_params_t *params)
{
    register_switch_by(
        mca_mq_base_param_enum, "prefetch",
        "Fetch the data of unexpected rendezvous messages into a registered "
        "memory pool, so that late receives do not hold up their senders. "
        "auto: from peers whose messages wait for their receive longer than "
        "their transfer takes",
        OPAL_INFO_LVL_4, &params->prefetch);
    register_auto_size(
        "prefetch_pool",
        "Size, in bytes, of each process's pool for prefetched messages: at "
        "most a quarter of pml_champion_unexpected_limit, towards which it "
        "counts. Rounded down to a power of two; allocated when needed, and "
        "given back when it was not used for 5 s. Messages larger than half of "
        "it get memory of their own, of which there may be a quarter of that "
        "limit. auto: 64 MiB, or 1 % of the node's memory divided by the "
        "number of its processes if that is less",
        OPAL_INFO_LVL_5, 64 * KIB, 32 * GIB, &params->prefetch_pool);
    register_uint("prefetch_window",
                  "Number of recent prefetches per peer that decide about the "
                  "next one. Once fewer than half of them completed before "
                  "their receive was posted, only one message per window is "
                  "prefetched, as a trial",
                  OPAL_INFO_LVL_9, 1, MCA_PML_CHAMPION_PREFETCH_WINDOW_MAX,
                  &params->prefetch_window);
}

static void register_thread(mca_pml_champion_params_t *params)
{
    register_switch_by(
        mca_mq_base_param_settable, "progress_thread",
        "Run a progress thread in each process, so that large messages advance "
        "while the program computes. It sleeps while there is nothing to do "
        "and while the program itself waits in MPI calls. auto: start it once "
        "large messages from other nodes were delayed because the program was "
        "computing, until it is of no use. Can be changed at run time (MPI_T); "
        "the process's next large message heeds that",
        OPAL_INFO_LVL_3, &params->progress_thread);
    register_uint("thread_after",
                  "With pml_champion_progress_thread=auto, a process starts "
                  "its progress thread when this many of its last 64 large "
                  "messages were late. Two are enough if they cost 1 % of "
                  "the time since MPI_Init together (2 ms to 0.1 s)",
                  OPAL_INFO_LVL_9, 1, 64, &params->thread_after);
    register_uint("thread_late",
                  "A large message counts as late if it waited at least this "
                  "long, in microseconds, and at least 1/8 of its estimated "
                  "transfer time, before it was noticed. 0: every large "
                  "message counts as late",
                  OPAL_INFO_LVL_9, 0, 10000000, &params->thread_late);
    register_bool("thread_local",
                  "Count late messages from processes of the same node as well",
                  OPAL_INFO_LVL_9, &params->thread_within_node);
    register_uint("thread_interval",
                  "How often, in microseconds, the progress thread checks "
                  "whether the program makes progress itself. While it does, "
                  "the interval grows to up to 16 times this value",
                  OPAL_INFO_LVL_9, 1, 10000000, &params->thread_interval);
}

static int champion_register(void)
{
    mca_pml_champion_params_t *params = &mca_pml_champion.params;

    mca_pml_champion.component = &mca_pml_champion_component.super.pmlm_version;
    *params = (mca_pml_champion_params_t){
        .priority = 60,
        .eager_limit = MCA_PML_CHAMPION_EAGER_AUTO,
        .hold_limit = 32768,
        .unexpected_limit = MCA_PML_CHAMPION_UNEXPECTED_AUTO,
        .progress_iterations = 100,
        .test_delay = 0,
        .device_memory = MCA_PML_CHAMPION_DEVICE_AUTO,
        .wait = MCA_PML_CHAMPION_WAIT_AUTO,
        .prefetch_pool = MCA_MQ_BASE_SIZE_AUTO,
        .prefetch_window = 16,
        .prefetch = MCA_PML_CHAMPION_AUTO,
        .thread_interval = 100,
        .thread_after = 8,
        .thread_late = 500,
        .thread_within_node = false,
        .progress_thread = MCA_PML_CHAMPION_AUTO,
        .close_endpoints = true,
        .stats = false,
        .stats_form = (char *) (uintptr_t) "false", /* the MCA copies it */
    };
    invalid_parameter = false;
    register_uint("priority",
                  "Priority among the PMLs. Open MPI considers champion only "
                  "if the parameter pml names it",
                  OPAL_INFO_LVL_3, 0, 100, &params->priority);
    register_auto_size(
        "eager_limit",
        "Eager limit: largest payload, in bytes, that is sent without waiting "
        "for a matching receive. Payloads of up to 64 bytes always are. auto: "
        "chosen for each peer",
        OPAL_INFO_LVL_4, 0, 2 * GIB, &params->eager_limit);
    register_size("hold_limit",
                  "Smallest unexpected eager payload, in bytes, that stays in "
                  "UCX's receive buffer instead of being copied",
                  OPAL_INFO_LVL_9, 0, GIB, &params->hold_limit);
    register_uint("progress_iterations",
                  "In blocking calls, number of times that rings and UCX are "
                  "polled per call of opal_progress. Fewer where other "
                  "processes share the core",
                  OPAL_INFO_LVL_9, 1, 1 << 20, &params->progress_iterations);
    register_wait(params);
    register_device_memory(params);
    register_thread(params);
    register_bool(
        "close_endpoints",
        "Close the connection to a process of another job when the last "
        "communicator with it is freed. Where UCX has the transport sysv but "
        "not posix, all connections stay open until MPI_Finalize",
        OPAL_INFO_LVL_5, &params->close_endpoints);
    register_uint("test_delay",
                  "For testing: delay each message by a random number of "
                  "progress calls, up to this value, so that messages arrive "
                  "late and out of order. 0: no delay",
                  OPAL_INFO_LVL_9, 0, 1 << 20, &params->test_delay);
    register_prefetch(params);
    if (!mca_pml_champion_units_register()) {
        invalid_parameter = true;
    }
    return OMPI_SUCCESS;
}

static int champion_open(void)
{
    coll_params = (mca_pml_champion_coll_params_t){0};
    return OMPI_SUCCESS;
}

static int champion_close(void)
{
    return OMPI_SUCCESS;
}

static int champion_enable(bool enable)
{
    return enable ? mca_pml_champion_units_start() : OMPI_SUCCESS;
}

static mca_pml_base_module_t *champion_init(int *priority,
                                            bool progress_threads,
                                            bool mpi_threads)
{
    (void) progress_threads;
    if (invalid_parameter) {
        return NULL; /* reported when it was registered */
    }
    mca_pml_champion.multiple = mpi_threads;
    if (OMPI_SUCCESS != mca_pml_champion_units_open()) {
        return NULL;
    }
    mca_pml_champion_module.pml_enable = champion_enable;
    *priority = (int) mca_pml_champion.params.priority;
    return &mca_pml_champion_module;
}

static int champion_fini(void)
{
    mca_pml_champion_units_close();
    return OMPI_SUCCESS;
}
