/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/pml_champion_units.h"

#include "ompi/mca/pml/champion/offload/offload_recv.h"
#include "ompi/mca/pml/champion/stripe/stripe.h"
#include "ompi/mca/pml/champion/stripe/stripe_sides.h"
#include "ompi/mca/pml/champion/pml_champion_address.h"
#include "ompi/mca/pml/champion/pml_champion_agree.h"
#include "ompi/mca/pml/champion/mpi/am.h"
#include "ompi/mca/pml/champion/mpi/cancel.h"
#include "ompi/mca/pml/champion/mpi/comm.h"
#include "ompi/mca/pml/champion/mpi/device_door.h"
#include "ompi/mca/pml/champion/copy/copy.h"
#include "ompi/mca/pml/champion/core/device.h"
#include "ompi/mca/pml/champion/core/stage.h"
#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/rndv/single_copy.h"
#include "ompi/mca/pml/champion/pml_champion_finalize.h"
#include "ompi/mca/pml/champion/conn/flow_control.h"
#include "ompi/mca/pml/champion/events/events.h"
#include "ompi/mca/pml/champion/ended/ended.h"
#include "ompi/mca/pml/champion/stats/info.h"
#include "ompi/mca/pml/champion/rndv/thread_trigger.h"
#include "ompi/mca/pml/champion/send/self.h"
#include "ompi/mca/pml/champion/pml_champion_module.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"
#include "ompi/mca/pml/champion/conn/disconnect.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/rndv/prefetch.h"
#include "ompi/mca/pml/champion/rndv/prefetch_pool.h"
#include "ompi/mca/pml/champion/stats/pvar.h"
#include "ompi/mca/pml/champion/rndv/rendezvous.h"
#include "ompi/mca/pml/champion/request/request.h"
#include "ompi/mca/pml/champion/mpi/revoke.h"
#include "ompi/mca/pml/champion/schedule/engine.h"
#include "ompi/mca/pml/champion/send/send_start.h"
#include "ompi/mca/pml/champion/stats/stats_form.h"
#include "ompi/mca/pml/champion/progress/pause.h"
#include "ompi/mca/pml/champion/progress/thread.h"
#include "ompi/mca/pml/champion/progress/thread_place.h"
#include "ompi/mca/pml/champion/pml_champion_ucx.h"
#include "ompi/mca/pml/champion/progress/waiting.h"
#include "ompi/mca/pml/champion/ring/ring_wireup.h"

/* A unit; functions that it does not have are NULL. */
typedef struct unit_t {
    const char *name; /* for messages */
    bool (*registers)(void);
    int (*open)(void);   /* undoes its own steps if it fails */
    int (*start)(void);  /* undoes its own steps if it fails */
    void (*stop)(void);  /* called if all units have started */
    void (*close)(void); /* called if the unit is open */
} unit_t;

/* ---- Functions that need an argument, or know of several units ---- */

static int mq_open(void)
{
    /* Only the job that mpirun started is profiled, none that it spawns. */
    mca_mq_base_job.rank = OPAL_PROC_MY_NAME.vpid;
    mca_mq_base_job.size =
        mca_mq_ompi_is_spawned() ? 0 : (uint32_t) ompi_proc_world_size();
    return mca_mq_base_open_framework();
}

static void mq_close(void)
{
    (void) mca_mq_base_close_framework();
}

/* All of MPI may have ended before in this process, with the plug-in still
 * loaded: MPI_Session_init begins it anew. */
static void core_begins(void)
{
    mca_pml_champion.finalizing = false;
    mca_pml_champion.ending = false;
    mca_pml_champion.in_progress = false;
    mca_pml_champion.due = 0;
    mca_pml_champion.slow_arrivals = 0 != mca_pml_champion.params.test_delay;
    mca_pml_champion.completed = NULL;
    mca_pml_champion.completed_tail = &mca_pml_champion.completed;
}

static int core_open(void)
{
    core_begins();
    mca_pml_champion.output = ompi_pml_base_framework.framework_output;
    mca_pml_champion.threaded =
        mca_pml_champion.multiple ||
        MCA_PML_CHAMPION_ON == mca_pml_champion_thread_mode();
    mca_pml_champion.slow = mca_pml_champion.threaded;
    if (mca_pml_champion.threaded) {
        mca_pml_champion_mutex_init(&mca_pml_champion.lock);
    }
    opal_size_pool_init(&mca_pml_champion.pool);
    return OMPI_SUCCESS;
}

static void core_close(void)
{
    opal_size_pool_fini(&mca_pml_champion.pool);
}

static int device_open(void)
{
    mca_pml_champion_device_open();
    return OMPI_SUCCESS;
}

static void device_close(void)
{
    mca_pml_champion_stages_close();
    mca_pml_champion_device_close();
}

/* After all units that change the module, or the payloads of rendezvous. */
static int device_door_open(void)
{
    if (mca_pml_champion_device.on) {
        mca_pml_champion_device_door_rendezvous();
        mca_pml_champion_module_device();
    }
    return OMPI_SUCCESS;
}

static int trigger_open(void)
{
    mca_pml_champion_thread_trigger_open();
    return OMPI_SUCCESS;
}

static int rendezvous_open(void)
{
    mca_pml_champion_self_open();
    mca_pml_champion_rendezvous_open();
    return OMPI_SUCCESS;
}

static int flow_open(void)
{
    mca_pml_champion_flow_open();
    return OMPI_SUCCESS;
}

static int offload_open(void)
{
    int rc = mca_pml_champion_offload_open();

    if (OMPI_SUCCESS == rc && mca_pml_champion_offload.on) {
        mca_pml_champion_offload_recv_open();
        mca_pml_champion_module_offload();
    }
    return rc;
}

/* Transfers are measured if any unit decides by the cost model. */
static int measuring_open(void)
{
    mca_pml_champion_cost_models.on =
        MCA_PML_CHAMPION_OFF != mca_pml_champion.params.prefetch ||
        mca_pml_champion_thread_trigger.on || mca_pml_champion_offload.on ||
        MCA_PML_CHAMPION_FLOWS_AUTO == mca_pml_champion_stripes.flows;
    return OMPI_SUCCESS;
}

static int context_open(void)
{
    return mca_pml_champion_ucx_open(mca_pml_champion_offload.on);
}

static int prefetch_open(void)
{
    mca_pml_champion_prefetch_open();
    return OMPI_SUCCESS;
}

static int single_copy_open(void)
{
    mca_pml_champion_single_copy_open();
    return OMPI_SUCCESS;
}

static int rings_open(void)
{
    mca_pml_champion_rings_open();
    mca_pml_champion_rings.send_by_ucx = mca_pml_champion_send_again;
    if (!mca_pml_champion_rings.simple) {
        mca_pml_champion_module_no_fast_path();
    }
    return OMPI_SUCCESS;
}

static int cancel_open(void)
{
    mca_pml_champion_cancel_open();
    return OMPI_SUCCESS;
}

static int disconnect_open(void)
{
    mca_pml_champion_disconnect_open(mca_pml_champion_ucx_closes());
    return OMPI_SUCCESS;
}

static int finalize_open(void)
{
    mca_pml_champion_self_added = mca_pml_champion_finalize_arm;
    return OMPI_SUCCESS;
}

static int thread_open(void)
{
    return mca_pml_champion_thread_open(mca_pml_champion_module_switch);
}

static int ft_open(void)
{
    int rc = mca_pml_champion_ft_open(mca_pml_champion.multiple);

    if (OMPI_SUCCESS == rc && MCA_MQ_OMPI_FT_ENABLED) {
        mca_pml_champion_module_faults();
    }
    return rc;
}

static int waiting_open(void)
{
    mca_pml_champion_pause_open();
    return OMPI_SUCCESS;
}

static int waiting_start(void)
{
    mca_pml_champion_waiting_open();
    return OMPI_SUCCESS;
}

static bool pvar_register(void)
{
    mca_pml_champion_pvar_register();
    return true;
}

static bool info_register(void)
{
    mca_pml_champion_info_add_mq();
    return true;
}

/*
 * Reasons for the order, other than that units call those above them:
 *
 * - Destroying the worker calls back what is still in flight. So it precedes
 *   the end of all that these callbacks use: peers, requests, those of
 *   schedules, the pool of messages, rings, the slots of prefetch, offloaded receives, the list of
 *   disconnecting peers. If champion is not chosen, nothing is in flight, so a
 *   wrong order would go unnoticed there.
 * - The worker is made with the context, but destroyed where its line is.
 * - Prefetch owns memory mapped by UCX's context, and is closed before it. It
 *   extends the payload operations of rendezvous and offload, and is opened
 *   after them.
 * - Rings ask the context for the memory types. Like offload, they release a
 *   peer's resources when the peers are stopped.
 * - Disconnect provides UCX's error handler: before the first endpoint is made,
 *   until the worker is destroyed.
 * - Finalize drains all messages: after the progress thread, which would
 *   compete with it, has ended, and before the worker does.
 * - Open MPI's wait functions are restored before anything else ends.
 */
static const unit_t units[] = {
    {.name = "mq", .open = mq_open, .close = mq_close},
    {.name = "core", .open = core_open, .close = core_close},
    {.name = "events",
     .registers = mca_pml_champion_events_register,
     .close = mca_pml_champion_events_close},
    {.name = "device memory", .open = device_open, .close = device_close},
    {.name = "agreement", .start = mca_pml_champion_agree},
    {.name = "requests",
     .start = mca_pml_champion_module_requests,
     .stop = mca_pml_champion_request_fini},
    {.name = "schedules",
     .open = mca_pml_champion_schedules_open,
     .close = mca_pml_champion_schedules_close},
    {.name = "contexts",
     .start = mca_pml_champion_contexts_init,
     .stop = mca_pml_champion_contexts_fini},
    {.name = "migrations",
     .open = mca_pml_champion_comm_watch,
     .close = mca_pml_champion_comm_unwatch},
    {.name = "peers",
     .start = mca_pml_champion_peers_init,
     .stop = mca_pml_champion_peers_fini},
    {.name = "statistics",
     .registers = mca_pml_champion_stats_register,
     .open = mca_pml_champion_stats_open,
     .close = mca_pml_champion_stats_close},
    {.name = "rendezvous", .open = rendezvous_open},
    {.name = "thread trigger", .open = trigger_open},
    {.name = "cost model", .registers = mca_pml_champion_cost_model_register},
    {.name = "flow control",
     .registers = mca_pml_champion_flow_register,
     .open = flow_open,
     .close = mca_pml_champion_flow_close},
    {.name = "receive offload",
     .registers = mca_pml_champion_offload_register,
     .open = offload_open,
     .close = mca_pml_champion_offload_fini},
    {.name = "stripes",
     .registers = mca_pml_champion_stripes_register,
     .open = mca_pml_champion_stripes_open,
     .close = mca_pml_champion_stripes_close},
    {.name = "measuring", .open = measuring_open},
    {.name = "UCX's context",
     .open = context_open,
     .close = mca_pml_champion_ucx_close},
    {.name = "prefetch",
     .open = prefetch_open,
     .close = mca_pml_champion_prefetch_pool_fini},
    {.name = "single copy", .open = single_copy_open},
    {.name = "rings",
     .registers = mca_pml_champion_rings_register,
     .open = rings_open,
     .close = mca_pml_champion_rings_close},
    {.name = "copies",
     .registers = mca_pml_champion_copy_register,
     .open = mca_pml_champion_copy_open,
     .close = mca_pml_champion_copy_close},
    {.name = "device memory's functions",
     .open = device_door_open,
     .close = mca_pml_champion_module_end},
    {.name = "cancelling",
     .open = cancel_open,
     .close = mca_pml_champion_cancel_close},
    {.name = "disconnect",
     .open = disconnect_open,
     .close = mca_pml_champion_disconnect_fini},
    {.name = "UCX's worker",
     .open = mca_pml_champion_ucx_init,
     .close = mca_pml_champion_ucx_fini},
    {.name = "active messages", .open = mca_pml_champion_am_register},
    {.name = "parts of messages", .open = mca_pml_champion_stripes_listen},
    {.name = "finalize",
     .open = finalize_open,
     .stop = mca_pml_champion_disconnect},
    {.name = "progress thread's place",
     .registers = mca_pml_champion_thread_place_register,
     .open = mca_pml_champion_thread_place_open},
    {.name = "progress thread",
     .open = thread_open,
     .start = mca_pml_champion_thread_start,
     .close = mca_pml_champion_thread_end},
    {.name = "offload's progress", .open = mca_pml_champion_offload_init},
    {.name = "address", .open = mca_pml_champion_address_publish},
    {.name = "fault tolerance",
     .open = ft_open,
     .close = mca_pml_champion_ft_close},
    {.name = "waiting",
     .open = waiting_open,
     .start = waiting_start,
     .stop = mca_pml_champion_waiting_close},
    {.name = "statistics of an end",
     .start = mca_pml_champion_ended_arm,
     .stop = mca_pml_champion_ended_disarm},
    {.name = "performance variables", .registers = pvar_register},
    {.name = "ompi_info", .registers = info_register},
};

enum { UNITS = sizeof(units) / sizeof(units[0]) };

static unsigned opened; /* number of units that are open */
static bool started;    /* all units have started */

bool mca_pml_champion_units_register(void)
{
    bool good = true;

    for (unsigned i = 0; i < UNITS; ++i) {
        good &= NULL == units[i].registers || units[i].registers();
    }
    return good;
}

/* Say which unit made champion unavailable; the unit has reported why. */
static int failed(const char *what, unsigned i, int rc)
{
    opal_output_verbose(1, mca_pml_champion.output,
                        "champion: cannot %s %s: error %d", what, units[i].name,
                        rc);
    return rc;
}

int mca_pml_champion_units_open(void)
{
    for (opened = 0; opened < UNITS; ++opened) {
        const unit_t *unit = &units[opened];
        int rc = NULL == unit->open ? OMPI_SUCCESS : unit->open();

        if (OMPI_SUCCESS != rc) {
            (void) failed("open", opened, rc);
            mca_pml_champion_units_close();
            return rc;
        }
    }
    return OMPI_SUCCESS;
}

int mca_pml_champion_units_start(void)
{
    for (unsigned i = 0; i < UNITS; ++i) {
        int rc = NULL == units[i].start ? OMPI_SUCCESS : units[i].start();

        if (OMPI_SUCCESS == rc) {
            continue;
        }
        for (unsigned k = i; k-- > 0;) {
            if (NULL != units[k].start && NULL != units[k].stop) {
                units[k].stop();
            }
        }
        return failed("start", i, rc);
    }
    started = true;
    return OMPI_SUCCESS;
}

void mca_pml_champion_units_close(void)
{
    for (unsigned i = UNITS; i-- > 0;) {
        if (started && NULL != units[i].stop) {
            units[i].stop();
        }
        if (i < opened && NULL != units[i].close) {
            units[i].close();
        }
    }
    started = false;
    opened = 0;
}
