/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The process of test_arming.c and test_thread.c: UCX, some rings whose records
 * are numbered, and the progress thread, which is the product's.
 */

#ifndef TEST_PML_ARMING_WORLD_H
#define TEST_PML_ARMING_WORLD_H

#include "ompi_config.h"

#include "opal/class/opal_object.h"

#include "ompi/mca/mq/mq_ompi_compat.h"

/* Open MPI, which is not initialized here, would show it. */
static int tell_user(const char *file, const char *topic, int header, ...)
{
    return 0;
}
#undef opal_show_help
#define opal_show_help tell_user

/* Random orders in one thread: what others do at a fence of the product, which
 * is between a mark and a look at the other side's, and around ucp_worker_arm. */
static void (*others)(void);

static void others_act(void)
{
    static int nested;

    if (NULL != others && nested < 3) {
        ++nested;
        others();
        --nested;
    }
}

#define __atomic_thread_fence(order)                                           \
    (others_act(), __atomic_thread_fence(order))

/* Included for their fences. */
#include "ompi/mca/pml/champion/shm/rings.c"
#include "ompi/mca/pml/champion/shm/ring_out.c"

/* What happens while a thread of the program waits for the end of the progress
 * thread. */
static void (*while_joining)(void);
static int joins;

static int join_thread(pthread_t id, void **result);
/* Included for this call. */
#define pthread_join join_thread
#include "ompi/mca/pml/champion/progress/thread.c"
#undef pthread_join

#include <semaphore.h>
#include <sys/eventfd.h>

#include "pml_random.h"
#include "pml_test.h"

enum { RING_COUNT = 3, SECONDS = 60 };

/* ---- UCX ---------------------------------------------------------------- */

/* What has arrived at this process, and whether UCX is to signal the next
 * event. */
static struct {
    pthread_mutex_t lock;
    unsigned pending;
    bool armed;
    int event;
    ucs_status_t arm_status; /* not UCS_OK: always returned by ucp_worker_arm */
    ucs_status_t event_status;
    unsigned arms;
} ucx = {.lock = PTHREAD_MUTEX_INITIALIZER, .event = -1};

static void ucx_brings(unsigned events)
{
    static const uint64_t one = 1;

    pthread_mutex_lock(&ucx.lock);
    ucx.pending += events;
    if (ucx.armed) {
        ucx.armed = false;
        assert_int_equal(sizeof(one), write(ucx.event, &one, sizeof(one)));
    }
    pthread_mutex_unlock(&ucx.lock);
}

static unsigned ucx_takes(void)
{
    unsigned events;

    pthread_mutex_lock(&ucx.lock);
    events = ucx.pending;
    ucx.pending = 0;
    pthread_mutex_unlock(&ucx.lock);
    return events;
}

ucs_status_t ucp_worker_arm(ucp_worker_h worker)
{
    ucs_status_t status = ucx.arm_status;
    uint64_t times;

    others_act();
    ++ucx.arms;
    if (UCS_OK != status) {
        return status;
    }
    pthread_mutex_lock(&ucx.lock);
    (void) !read(ucx.event, &times, sizeof(times));
    if (ucx.pending > 0) {
        status = UCS_ERR_BUSY;
    } else {
        ucx.armed = true;
    }
    pthread_mutex_unlock(&ucx.lock);
    others_act();
    return status;
}

ucs_status_t ucp_worker_get_efd(ucp_worker_h worker, int *fd)
{
    *fd = ucx.event;
    return ucx.event_status;
}

/* ---- what stands for the rest of the component -------------------------- */

void (*mca_pml_champion_progress_due)(void);

int mca_pml_champion_thread_place_attr(pthread_attr_t *attr)
{
    return pthread_attr_init(attr);
}

void mca_pml_champion_thread_trigger_again(unsigned doubt)
{
}

uint32_t mca_pml_champion_pauses;

bool mca_pml_champion_pause_is_asleep(void)
{
    return false;
}

void mca_pml_champion_thread_trigger_runs(void)
{
}

void mca_pml_champion_thread_place_enter(void)
{
}

/* Posted by a wake-up, for a process without a progress thread. */
static sem_t wake_up;
static bool wake_up_is_ucx;

/* The only control message is WAKE. */
ucs_status_t mca_pml_champion_ctrl_msg_send(mca_pml_champion_peer_t *peer,
                                            unsigned id, const void *data,
                                            size_t length, uint32_t flags)
{
    mca_pml_champion_ring_control_t control;

    assert_int_equal(MCA_PML_CHAMPION_AM_RING, id);
    assert_int_equal(sizeof(control), length);
    memcpy(&control, data, length);
    assert_int_equal(MCA_PML_CHAMPION_RING_WAKE, control.what);
    if (wake_up_is_ucx) {
        ucx_brings(1);
    } else {
        sem_post(&wake_up);
    }
    return UCS_OK;
}

void mca_pml_champion_peers_each(void (*visit)(mca_pml_champion_peer_t *peer))
{
}

/* No other function of the rings is used here. */

mca_pml_champion_peer_t *mca_pml_champion_peer_find(
    const opal_process_name_t *name)
{
    fail();
    return NULL;
}

void mca_pml_champion_single_copy_can_be_read(mca_pml_champion_peer_t *peer)
{
}

void mca_pml_champion_completed_sends_fill(void)
{
    fail();
}

bool mca_pml_champion_ring_can_read(int32_t pid, uint64_t address,
                                    const uint64_t mark[2])
{
    fail();
    return false;
}

/* ---- rings -------------------------------------------------------------- */

static mca_pml_champion_inbox_t inbox;
static mca_pml_champion_pair_t pairs[RING_COUNT];
static mca_pml_champion_ring_t rings[RING_COUNT];
static mca_pml_champion_ring_in_t ins[RING_COUNT];
static mca_pml_champion_ring_out_t outs[RING_COUNT];
static mca_pml_champion_peer_t peers[RING_COUNT];
static uint64_t written[RING_COUNT], taken[RING_COUNT]; /* records */

static void set_lock_mine(bool mine)
{
#if defined(NDEBUG)
#else
    mca_pml_champion_lock_mine = mine;
#endif
}

static unsigned read_records(mca_pml_champion_ring_in_t *in);

static void open_rings(void)
{
    memset(&inbox, 0, sizeof(inbox));
    memset(rings, 0, sizeof(rings));
    memset(ins, 0, sizeof(ins));
    memset(outs, 0, sizeof(outs));
    memset(written, 0, sizeof(written));
    memset(taken, 0, sizeof(taken));
    memset(&mca_pml_champion_rings, 0, sizeof(mca_pml_champion_rings));
    for (int i = 0; i < RING_COUNT; ++i) {
        mca_pml_champion_ring_writer_init(&outs[i].writer, &rings[i]);
        mca_pml_champion_ring_reader_init(&ins[i].reader, &rings[i],
                                          MCA_PML_CHAMPION_RING_SLOTS);
        outs[i].inbox = &inbox;
        outs[i].pair = &pairs[i];
        outs[i].own = true;
        outs[i].must_wake = true;
        outs[i].peer = &peers[i];
    }
    mca_pml_champion_rings.in = ins;
    mca_pml_champion_rings.in_end = ins + RING_COUNT;
    mca_pml_champion_rings.inbox = &inbox;
    mca_pml_champion_rings.read = read_records;
    mca_pml_champion_rings.busy = MCA_PML_CHAMPION_RINGS_BUSY;
}

/* Write a record as sends do. False if there is no room. */
static bool write_one(int i)
{
    mca_pml_champion_ring_slot_t *slot =
        mca_pml_champion_ring_reserve(&outs[i].writer, 8);

    if (NULL == slot) {
        return false;
    }
    slot->word[0] = written[i]++;
    mca_pml_champion_ring_publish_short(&outs[i].writer, slot, 1, 8);
    mca_pml_champion_ring_wake_reader(&outs[i]);
    return true;
}

static unsigned read_records(mca_pml_champion_ring_in_t *in)
{
    uint64_t *count = &taken[in - ins];
    mca_pml_champion_ring_record_t record;
    unsigned records = 0;

    while (mca_pml_champion_ring_ready(&in->reader)) {
        if (!mca_pml_champion_ring_look(&in->reader, &record)) {
            abort();
        }
        if (MCA_PML_CHAMPION_RING_PAD != record.kind) {
            if (record.slot->word[0] != *count) {
                abort();
            }
            __atomic_store_n(count, *count + 1, __ATOMIC_RELEASE);
            ++records;
        }
        mca_pml_champion_ring_advance(&in->reader, record.slots);
    }
    return records;
}

static unsigned take_all(void)
{
    mca_pml_champion_ring_in_t *in = mca_pml_champion_rings_look();

    return NULL == in ? 0 : mca_pml_champion_rings_read(in);
}

static void pause_at_random(void)
{
    switch (pml_random_below(8)) {
    case 0:
        usleep(pml_random_below(60));
        break;
    case 1:
        sched_yield();
        break;
    default:
        for (uint32_t i = pml_random_below(200); i > 0; --i) {
            __asm__ __volatile__("");
        }
    }
}

/* ---- progress ----------------------------------------------------------- */

static uint64_t from_ucx;     /* handled; atomic */
static uint64_t begun, ended; /* operations of the program; under the lock */
static uint64_t ended_shown;  /* copy of ended; atomic */

unsigned ucp_worker_progress(ucp_worker_h worker)
{
    return ucx_takes();
}

static unsigned ring_room; /* for sends that wait */

unsigned mca_pml_champion_rings_drain(void)
{
    const unsigned sends = ring_room;

    ring_room = 0;
    return sends;
}

unsigned mca_pml_champion_progress_step(void)
{
    unsigned events = ucx_takes();

    MCA_PML_CHAMPION_LOCKED();
    __atomic_store_n(&from_ucx, from_ucx + events, __ATOMIC_RELEASE);
    events += take_all();
    if (ended != begun) {
        ++events;
        ended = begun;
        __atomic_store_n(&ended_shown, ended, __ATOMIC_RELEASE);
    }
    return events;
}

static int join_thread(pthread_t id, void **result)
{
    void (*const meanwhile)(void) = while_joining;
    int rc = 0 == joins++ ? pthread_join(id, result) : EINVAL;

    while_joining = NULL;
    if (NULL != meanwhile) {
        meanwhile();
    }
    return rc;
}

#endif /* TEST_PML_ARMING_WORLD_H */
