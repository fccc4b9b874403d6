/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCX's context and worker. They are made together: if the worker cannot be, it
 * is tried with contexts that have fewer transports, and says so.
 */

#include <stdlib.h>
#include <string.h>

#include <ucm/api/ucm.h>

#include "ompi/mca/mq/base/param/environ.h"
#include "ompi/mca/mq/mq_ompi_compat.h"

#include "opal/mca/memory/base/base.h"
#include "opal/memoryhooks/memory.h"
#include "opal/util/show_help.h"

#include "ompi/mca/pml/champion/match/disconnect.h"
#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/boot/node.h"
#include "ompi/mca/pml/champion/boot/transports.h"
#include "ompi/mca/pml/champion/large/address_space.h"
#include "ompi/mca/pml/champion/core/datatype.h"
#include "ompi/mca/pml/champion/core/device.h"
#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/core/wire.h"

#define HELP "help-mpi-pml-champion.txt"

/* Is this process in a user namespace of its own? */
static bool apart;

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
    return NULL != mca_pml_champion.context &&
           mca_pml_champion_ucx_has_transport(mca_pml_champion.context,
                                              transport);
}

/* Is UCX newer than 1.13? */
static bool ucx_is_newer(void)
{
    unsigned major, minor, release;

    ucp_get_version(&major, &minor, &release);
    return 1 != major || minor > 13;
}

/* ---- Variables of UCX's transports ---- */

/* UCX takes them from the environment alone. It complains about those in a
 * ucp_config_t, and in the environment, if the transport is not there. */
typedef struct variable_t {
    const char *assignment;
    bool wanted; /* then: is it told? What the user has set stays. */
} variable_t;

static void tell(variable_t *variables, unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        variables[i].wanted = variables[i].wanted &&
                              mca_mq_base_environ_add(variables[i].assignment);
    }
}

static void untell(const variable_t *variables, unsigned count)
{
    while (0 != count--) {
        if (variables[count].wanted) {
            mca_mq_base_environ_remove(variables[count].assignment);
        }
    }
}

/* ---- The context ---- */

static ucp_params_t context_params(void)
{
    ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES |
                      UCP_PARAM_FIELD_MT_WORKERS_SHARED |
                      UCP_PARAM_FIELD_ESTIMATED_NUM_EPS |
                      UCP_PARAM_FIELD_ESTIMATED_NUM_PPN,
        .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP,
        .mt_workers_shared = 0,
        .estimated_num_eps = ompi_proc_world_size(),
        .estimated_num_ppn = opal_process_info.num_local_peers + 1,
    };

    if (mca_pml_champion_offload.on) {
        params.field_mask |= UCP_PARAM_FIELD_TAG_SENDER_MASK;
        params.features |= UCP_FEATURE_TAG;
        params.tag_sender_mask = MCA_PML_CHAMPION_TAG_SENDER_MASK;
    }
    return params;
}

/* As ucp_init. UCX opens files of other processes in /proc, which fails in a
 * user namespace of its own; their names in /dev/shm may do. */
static ucs_status_t init(const ucp_params_t *params, const ucp_config_t *config)
{
    variable_t link = {"UCX_POSIX_USE_PROC_LINK=n", apart};
    ucs_status_t status;

    tell(&link, 1);
    status = ucp_init(params, config, &mca_pml_champion.context);
    untell(&link, 1);
    if (UCS_OK != status) {
        mca_pml_champion.context = NULL;
    }
    return status;
}

/* Make the context; with this list of transports, unless it is NULL. */
static ucs_status_t context_create(const ucp_params_t *params, const char *tls)
{
    ucp_config_t *config;
    ucs_status_t status = ucp_config_read("MPI", NULL, &config);

    mca_pml_champion.context = NULL;
    if (UCS_OK != status) {
        return status;
    }
    if (NULL != tls) {
        status = ucp_config_modify(config, "TLS", tls);
    }
    if (UCS_OK == status) {
        status = init(params, config);
    }
    ucp_config_release(config);
    return status;
}

/* UCX 1.13 writes beyond an array when a short message has a header and tells
 * who sent it. */
static bool protocols_are_broken(const ucp_config_t *config)
{
    char *value;
    bool are;

    if (ucx_is_newer()) {
        return false;
    }
    value = mca_pml_champion_transports_value(config, "PROTO_ENABLE");
    are = NULL != value && 'y' == value[0];
    if (are) {
        const char *set = getenv("UCX_PROTO_ENABLE");
        unsigned major, minor, release;

        ucp_get_version(&major, &minor, &release);
        opal_show_help(HELP, "ucx protocols", true, major, minor, release,
                       NULL != set ? set : value);
    }
    free(value);
    return are;
}

/* Look at the configuration: can it be used? *tls is its list of transports. */
static bool config_is_good(char **tls)
{
    ucp_config_t *config;
    bool good;

    if (UCS_OK != ucp_config_read("MPI", NULL, &config)) {
        return true; /* reported when it is used */
    }
    *tls = mca_pml_champion_transports_value(config, "TLS");
    good = !protocols_are_broken(config);
    ucp_config_release(config);
    return good;
}

static void context_failed(ucs_status_t status)
{
    const char *tls = getenv("UCX_TLS"), *devices = getenv("UCX_NET_DEVICES");

    opal_show_help(HELP, "ucx init", true, ucs_status_string(status),
                   NULL != tls ? tls : "(not set)",
                   NULL != devices ? devices : "(not set)");
}

/* ---- Transports that do not work here ---- */

/* A transport that the context or the worker had to do without. */
typedef struct lost_t {
    const char *transport;
    const char *why;
    const char *how; /* how to get it back */
    bool is;
} lost_t;

static lost_t lost_cma = {
    .transport = "cma",
    .why = "processes of this node may not read each other's memory "
           "(process_vm_readv, user namespaces), so that large messages "
           "between them are copied twice",
    .how = "Start them in one user namespace, and allow process_vm_readv",
};
static lost_t lost_shared[] = {
    {.transport = "posix",
     .why = "/dev/shm is too small or cannot be written to",
     .how = "Give /dev/shm 5 MiB or more for each process (docker: "
            "--shm-size)"},
    {.transport = "sysv",
     .why = "UCX got no shared memory of System V either, so that messages "
            "within this node that are not sent through rings go by the "
            "network",
     .how = "Enlarge /dev/shm, or the limits shown by ipcs -l"},
};
enum { LOST_SHARED = sizeof(lost_shared) / sizeof(lost_shared[0]) };

/* Make the context again without a transport, if it has it. False if the list
 * of transports, *tls, allows none in its stead; all is as it was then, but if
 * UCX fails there is no context. */
static bool leave_out(const ucp_params_t *params, char **tls, lost_t *lost)
{
    char *rest;

    if (NULL == *tls || !has(lost->transport)) {
        return false;
    }
    rest = mca_pml_champion_transports_without(*tls, lost->transport, has);
    if (NULL == rest) {
        return false;
    }
    free(*tls);
    *tls = rest;
    lost->is = true;
    ucp_cleanup(mca_pml_champion.context);
    return UCS_OK == context_create(params, rest);
}

static void say_lost(const lost_t *lost)
{
    if (lost->is && mca_pml_champion_node_is_first(lost->transport)) {
        opal_output(0,
                    "champion: UCX does without its transport %s: %s. %s. "
                    "UCX_TLS=^%s does the same without this line.",
                    lost->transport, lost->why, lost->how, lost->transport);
    }
}

/* ---- The worker ---- */

/* How many receive buffers of 8 KiB UCX's shared memory transports make at a
 * time. By UCX's own default it is 512: 4 MiB for each of the two transports,
 * written in MPI_Init and seldom used. Its queues have a buffer for each of
 * their elements from the start, 64, from UCX 1.14 on 256; a few more are for
 * messages. */
#define BUFFERS_AT_A_TIME(variable)                                            \
    (ucx_is_newer() ? variable "288" : variable "96")

/* With a limited address space UCX keeps its default: memory that is missing
 * shows in MPI_Init, while a send for which UCX cannot map its peer's buffers
 * would never end. */
#define RESERVE MCA_PML_CHAMPION_ADDRESS_SPACE_RESERVE
#define LIMITED mca_pml_champion_address_space_is_limited()

/* What the transport posix takes of /dev/shm for each process: that, and as much
 * again when it is used; or 512 buffers. */
static uint64_t shm_needed(void)
{
    return (uint64_t) (ucx_is_newer() || LIMITED ? 5 : 2) << 20;
}

/* In pieces of 8 KiB, UCX's own, messages between hosts that go both ways take up
 * to half as long again; a message of 64 KiB and its header are read at once. UCX
 * refuses to read less than it sends: a user who sets one of them sets both. */
#define TCP_SENT_AT_ONCE "UCX_TCP_TX_SEG_SIZE"
#define TCP_READ_AT_ONCE "UCX_TCP_RX_SEG_SIZE"

/* Endpoints that can be closed need error handling, which sysv lacks and posix
 * has if it is switched on (but it may not reach processes of another user
 * namespace); without either, they would use TCP within a node. */
static ucs_status_t worker_create(void)
{
    ucp_worker_params_t params = {
        .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
        .thread_mode = UCS_THREAD_MODE_SERIALIZED,
    };
    const bool few = !LIMITED;
    const bool segments = has("tcp") && NULL == getenv(TCP_SENT_AT_ONCE) &&
                          NULL == getenv(TCP_READ_AT_ONCE);
    variable_t variables[] = {
        {"UCX_POSIX_ERROR_HANDLING=y", false},
        {BUFFERS_AT_A_TIME("UCX_POSIX_RX_BUFS_GROW="), few && has("posix")},
        {BUFFERS_AT_A_TIME("UCX_SYSV_RX_BUFS_GROW="), few && has("sysv")},
        {TCP_SENT_AT_ONCE "=64K", segments},
        {TCP_READ_AT_ONCE "=72K", segments},
    };
    const unsigned count = sizeof(variables) / sizeof(*variables);
    ucs_status_t status;

    mca_pml_champion_closes = (has("posix") && !apart) || !has("sysv");
    variables[0].wanted = mca_pml_champion_closes && has("posix");
    tell(variables, count);
    status = ucp_worker_create(mca_pml_champion.context, &params,
                               &mca_pml_champion.worker);
    untell(variables, count);
    if (UCS_OK != status) {
        mca_pml_champion.worker = NULL;
    }
    return status;
}

/* Make the worker; as long as that fails, without another transport that needs
 * shared memory. Where that is sure to fail it is not tried: UCX would print
 * errors. */
static ucs_status_t worker_create_somehow(const ucp_params_t *params,
                                          char **tls)
{
    ucs_status_t status;

    if (!mca_pml_champion_node_has_shm(params->estimated_num_ppn *
                                       shm_needed())) {
        (void) leave_out(params, tls, &lost_shared[0]);
    }
    status =
        NULL == mca_pml_champion.context ? UCS_ERR_NO_DEVICE : worker_create();
    for (unsigned i = 0; UCS_OK != status && i < LOST_SHARED; ++i) {
        if (leave_out(params, tls, &lost_shared[i])) {
            status = worker_create();
        }
    }
    return status;
}

static void worker_destroy(void)
{
    /* UCX calls back what is still in flight. */
    mca_pml_champion_lock();
    ucp_worker_destroy(mca_pml_champion.worker);
    mca_pml_champion_unlock();
    mca_pml_champion.worker = NULL;
}

static void context_close(void)
{
    if (NULL != mca_pml_champion.worker) {
        worker_destroy(); /* a unit between context and worker failed */
    }
    opal_mem_hooks_unregister_release(memory_released);
    if (NULL != mca_pml_champion.context) {
        ucp_cleanup(mca_pml_champion.context);
        mca_pml_champion.context = NULL;
    }
    mca_pml_champion_node_close();
}

static int worker_open(const ucp_params_t *params, char **tls)
{
    ucs_status_t status = worker_create_somehow(params, tls);

    if (UCS_OK == status && !mca_pml_champion_address_space_allows(0)) {
        opal_show_help(
            HELP, "address space", true,
            (unsigned long) (mca_pml_champion_address_space_left() >> 10),
            (unsigned long) (RESERVE >> 10));
    } else if (UCS_OK != status) {
        opal_show_help(HELP, "ucx worker", true, ucs_status_string(status));
    } else {
        say_lost(&lost_cma);
        for (unsigned i = 0; i < LOST_SHARED; ++i) {
            say_lost(&lost_shared[i]);
        }
        return OMPI_SUCCESS;
    }
    context_close();
    return OMPI_ERR_NOT_AVAILABLE;
}

static void memory_types(void)
{
    ucp_context_attr_t attr = {.field_mask = UCP_ATTR_FIELD_MEMORY_TYPES};
    ucs_status_t status = ucp_context_query(mca_pml_champion.context, &attr);

    mca_pml_champion_device_choose(UCS_OK == status ? attr.memory_types : 0);
    if (UCS_OK == status &&
        UCS_BIT(UCS_MEMORY_TYPE_HOST) == attr.memory_types) {
        /* Only host memory: UCX need not detect the type of each buffer. */
        mca_pml_champion.memory_attr = UCP_OP_ATTR_FIELD_MEMORY_TYPE;
    }
}

/* Make context and worker; *tls is the list of transports. */
static int open_with(const ucp_params_t *params, char **tls)
{
    ucs_status_t status = context_create(params, NULL);

    if (UCS_OK == status && (apart || !mca_pml_champion_node_can_read())) {
        (void) leave_out(params, tls, &lost_cma);
    }
    if (NULL == mca_pml_champion.context) {
        context_failed(UCS_OK == status ? UCS_ERR_NO_DEVICE : status);
        return OMPI_ERR_NOT_AVAILABLE;
    }
    memory_types();
    return worker_open(params, tls);
}

static int context_open(void)
{
    ucp_params_t params = context_params();
    char *tls = NULL;
    int rc = OMPI_ERR_NOT_AVAILABLE;

    memory_hooks_init();
    apart = mca_pml_champion_node_is_apart();
    if (config_is_good(&tls)) {
        rc = open_with(&params, &tls);
    }
    free(tls);
    return rc;
}

/* Prepare what is sent by the worker. */
static int worker_ready(void)
{
    mca_pml_champion.packed_param = (ucp_request_param_t){
        .op_attr_mask = UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL,
    };
    return UCS_OK == mca_pml_champion_datatype_init(mca_pml_champion_device.on)
               ? OMPI_SUCCESS
               : OMPI_ERR_OUT_OF_RESOURCE;
}

static void worker_close(void)
{
    worker_destroy();
    mca_pml_champion_datatype_fini();
}

MCA_PML_CHAMPION_UNIT(ucx_context) = {
    .name = "UCX's context", .open = context_open, .close = context_close};
MCA_PML_CHAMPION_UNIT(ucx_worker) = {
    .name = "UCX's worker", .open = worker_ready, .close = worker_close};
