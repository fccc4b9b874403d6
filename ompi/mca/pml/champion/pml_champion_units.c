/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/pml_champion_units.h"

#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/mq/base/param/unknown.h"
#include "ompi/mca/pml/champion/core/unit.h"

/*
 * Reasons for the order, other than that units call those above them:
 *
 * - Destroying the worker calls back what is still in flight. So it precedes
 *   the end of all that these callbacks use: peers, requests, those of
 *   schedules, the pool of messages, rings, the slots of prefetch, offloaded
 *   receives, the list of disconnecting peers. If champion is not chosen,
 *   nothing is in flight, so a wrong order would go unnoticed there.
 * - The worker is made with the context, but destroyed where it stands itself.
 * - Prefetch owns memory mapped by UCX's context, and is closed before it. It
 *   extends the payload operations of rendezvous and offload, and is opened
 *   after them.
 * - Rings ask the context for the memory types. Like offload, they release a
 *   peer's resources when the peers are stopped.
 * - Disconnect provides UCX's error handler: before the first endpoint is made,
 *   until the worker is destroyed.
 * - Offload, stripes and prefetch switch the cost model on, which the thread
 *   trigger resets.
 * - The functions for an accelerator come after all that change the payloads of
 *   rendezvous, and the module after all that decide about it.
 * - Finalize drains all messages: after the progress thread, which would
 *   compete with it, has ended, and before the worker does.
 * - Open MPI's wait functions are restored before anything else ends.
 */
#define UNITS(DO)                                                              \
    DO(mq), DO(core), DO(events), DO(device), DO(stages), DO(agreement),       \
        DO(requests), DO(schedules), DO(contexts), DO(migrations), DO(peers),  \
        DO(statistics), DO(sends), DO(self), DO(rendezvous),                   \
        DO(thread_trigger), DO(test_delay), DO(flow), DO(offload),             \
        DO(stripes), DO(ucx_context), DO(prefetch), DO(single_copy),           \
        DO(rings), DO(copies), DO(device_entry), DO(cancel), DO(disconnect),   \
        DO(asks), DO(ucx_worker), DO(active_messages), DO(parts),              \
        DO(finalize), DO(thread_place), DO(thread), DO(address), DO(faults),   \
        DO(module), DO(pause), DO(waiting), DO(ended), DO(pvars), DO(info),    \
        DO(heart)

#define UNIT(id) mca_pml_champion_unit_##id
extern const mca_pml_champion_unit_t __attribute__((visibility("hidden")))
UNITS(UNIT);

#define POINTER(id) &UNIT(id)
static const mca_pml_champion_unit_t *const units[] = {UNITS(POINTER)};

/* Only the job that mpirun started is profiled, none that it spawns. */
static int mq_open(void)
{
    mca_mq_base_job.rank = OPAL_PROC_MY_NAME.vpid;
    mca_mq_base_job.size =
        mca_mq_ompi_is_spawned() ? 0 : (uint32_t) ompi_proc_world_size();
    return mca_mq_base_open_framework();
}

static void mq_close(void)
{
    (void) mca_mq_base_close_framework();
}

/* All processes are started with the same parameters, and so are those that they
 * spawn. */
static int mq_start(void)
{
    static bool told;
    static mca_base_framework_t *const frameworks[] = {
        &ompi_mq_base_framework, &ompi_coll_base_framework, NULL};

    if (0 == OPAL_PROC_MY_NAME.vpid && !told && !mca_mq_ompi_is_spawned()) {
        told = true;
        mca_mq_base_unknown_report(frameworks);
    }
    return OMPI_SUCCESS;
}

MCA_PML_CHAMPION_UNIT(mq) = {
    .name = "mq", .open = mq_open, .start = mq_start, .close = mq_close};

/* All of MPI may have ended before in this process, with the plug-in still
 * loaded: MPI_Session_init begins it anew. */
static int core_open(void)
{
    mca_pml_champion.finalizing = false;
    mca_pml_champion.ending = false;
    mca_pml_champion.in_progress = false;
    mca_pml_champion.due = 0;
    mca_pml_champion.slow_arrivals = 0 != mca_pml_champion.params.test_delay;
    mca_pml_champion.completed = NULL;
    mca_pml_champion.completed_tail = &mca_pml_champion.completed;
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

MCA_PML_CHAMPION_UNIT(core) = {
    .name = "core", .open = core_open, .close = core_close};

enum { COUNT = sizeof(units) / sizeof(units[0]) };

static unsigned opened; /* number of units that are open */
static bool started;    /* all units have started */

bool mca_pml_champion_units_register(void)
{
    bool good = true;

    for (unsigned i = 0; i < COUNT; ++i) {
        good &= NULL == units[i]->registers || units[i]->registers();
    }
    return good;
}

/* Say which unit made champion unavailable; the unit has reported why. */
static int failed(const char *what, unsigned i, int rc)
{
    opal_output_verbose(1, mca_pml_champion.output,
                        "champion: cannot %s %s: error %d", what,
                        units[i]->name, rc);
    return rc;
}

int mca_pml_champion_units_open(void)
{
    for (opened = 0; opened < COUNT; ++opened) {
        const mca_pml_champion_unit_t *unit = units[opened];
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
    for (unsigned i = 0; i < COUNT; ++i) {
        int rc = NULL == units[i]->start ? OMPI_SUCCESS : units[i]->start();

        if (OMPI_SUCCESS == rc) {
            continue;
        }
        for (unsigned k = i; k-- > 0;) {
            if (NULL != units[k]->start && NULL != units[k]->stop) {
                units[k]->stop();
            }
        }
        return failed("start", i, rc);
    }
    started = true;
    return OMPI_SUCCESS;
}

void mca_pml_champion_units_close(void)
{
    for (unsigned i = COUNT; i-- > 0;) {
        if (started && NULL != units[i]->stop) {
            units[i]->stop();
        }
        if (i < opened && NULL != units[i]->close) {
            units[i]->close();
        }
    }
    started = false;
    opened = 0;
}
