/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * No event is missed: by a process that polls UCX only when a doorbell rings,
 * by one that marks its rings and sleeps while others write to them, and by the
 * progress thread, which sleeps until UCX, a WAKE message or the program wakes
 * it.
 */

#include "ompi_config.h"

#include "opal/class/opal_object.h"
#include "opal/util/output.h"

#include "ompi/mca/mq/mq_ompi_compat.h"

/* Open MPI, which is not initialized here, would show it. */
static int tell_user(const char *file, const char *topic, int header, ...)
{
    (void) file;
    (void) topic;
    (void) header;
    return 0;
}
#undef opal_show_help
#define opal_show_help tell_user

/* Open MPI 5.0 has no output before it is initialized. */
static void no_output(int stream, const char *format, ...)
{
    (void) stream;
    (void) format;
}
#define opal_output no_output

#include "ompi/mca/pml/champion/ring/rings.c"
#include "ompi/mca/pml/champion/ring/ring_in.c"
#include "ompi/mca/pml/champion/ring/ring_out.c"

#include "ompi/mca/pml/champion/core/champion.c"
#include "ompi/mca/pml/champion/core/inflight.c"
#include "ompi/mca/pml/champion/core/mutex.c"
#include "ompi/mca/pml/champion/core/wake.c"
/* What happens while a thread of the program waits for the end of the progress
 * thread. */
static void (*while_joining)(void);
static int joins;

static int join_thread(pthread_t id, void **result);
#define pthread_join join_thread
#include "ompi/mca/pml/champion/progress/thread.c"
#undef pthread_join
#include "ompi/mca/pml/champion/ring/fifo.c"
#include "ompi/mca/pml/champion/ring/ring.c"
#include "ompi/mca/pml/champion/ring/ring_pool.c"
#include "ompi/mca/pml/champion/ring/ring_recv.h"
#include "ompi/mca/pml/champion/node/board.c"
#include "ompi/mca/pml/champion/node/segment.c"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/eventfd.h>

#include <cmocka.h>

#include "pml_random.h"

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

    (void) worker;
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
    return status;
}

ucs_status_t ucp_worker_get_efd(ucp_worker_h worker, int *fd)
{
    (void) worker;
    *fd = ucx.event;
    return ucx.event_status;
}

const char *ucs_status_string(ucs_status_t status)
{
    return UCS_OK == status ? "fine" : "not fine";
}

/* ---- what stands for the rest of the component -------------------------- */

void (*mca_pml_champion_progress_due)(void);

int mca_pml_champion_thread_place_attr(pthread_attr_t *attr)
{
    return pthread_attr_init(attr);
}

void mca_pml_champion_thread_trigger_again(unsigned doubt)
{
    (void) doubt;
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
mca_pml_champion_offload_t mca_pml_champion_offload;

/* Posted by a wake-up, for a process without a progress thread. */
static sem_t wake_up;
static bool wake_up_is_ucx;

/* The only control message is WAKE. */
ucs_status_t mca_pml_champion_ctrl_msg_send(mca_pml_champion_peer_t *peer,
                                            unsigned id, const void *data,
                                            size_t length, uint32_t flags)
{
    mca_pml_champion_ring_control_t control;

    (void) peer;
    (void) flags;
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
    (void) visit;
}

/* No other function of the rings is used here. */

void mca_pml_champion_single_copy_can_be_read(mca_pml_champion_peer_t *peer)
{
    (void) peer;
}

void mca_pml_champion_completed_sends_fill(void)
{
    fail();
}

bool mca_pml_champion_ring_can_read(int32_t pid, uint64_t address,
                                    const uint64_t mark[2])
{
    (void) pid;
    (void) address;
    (void) mark;
    fail();
    return false;
}

/* ---- rings -------------------------------------------------------------- */

static mca_pml_champion_ring_t rings[RING_COUNT];
static mca_pml_champion_ring_in_t ins[RING_COUNT];
static mca_pml_champion_ring_out_t outs[RING_COUNT];
static mca_pml_champion_peer_t peers[RING_COUNT];
static uint64_t written[RING_COUNT], taken[RING_COUNT]; /* records */

static void set_lock_mine(bool mine)
{
#if defined(NDEBUG)
    (void) mine;
#else
    mca_pml_champion_lock_mine = mine;
#endif
}

static void open_rings(void)
{
    memset(rings, 0, sizeof(rings));
    memset(ins, 0, sizeof(ins));
    memset(outs, 0, sizeof(outs));
    memset(written, 0, sizeof(written));
    memset(taken, 0, sizeof(taken));
    memset(&mca_pml_champion_rings, 0, sizeof(mca_pml_champion_rings));
    for (int i = 0; i < RING_COUNT; ++i) {
        mca_pml_champion_ring_writer_init(&outs[i].writer, &rings[i]);
        mca_pml_champion_ring_reader_init(&ins[i].reader, &rings[i]);
        ins[i].take = mca_pml_champion_ring_take;
        outs[i].own = true;
        outs[i].wakes = true;
        outs[i].peer = &peers[i];
    }
    mca_pml_champion_rings.in = ins;
    mca_pml_champion_rings.rings_end = ins + RING_COUNT;
    mca_pml_champion_rings.in_end = ins + RING_COUNT;
    mca_pml_champion_rings.take = mca_pml_champion_ring_take;
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

unsigned mca_pml_champion_ring_take(mca_pml_champion_ring_in_t *in)
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

    return NULL == in ? 0 : mca_pml_champion_rings_take(in);
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

static struct timespec deadline(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += SECONDS;
    return time;
}

/* ---- doorbells ---------------------------------------------------------- */

/* An event and its doorbell came after a poll that found nothing, and before
 * the doorbells were read. */
static bool rung_late;

/* Poll like mca_pml_champion_progress, with empty rings. True if UCX was
 * polled. */
static bool look_at_ucx(unsigned *pending)
{
    unsigned events;

    if (mca_pml_champion_rings_idle()) {
        return false;
    }
    events = __atomic_exchange_n(pending, 0, __ATOMIC_ACQUIRE);
    rung_late = 0 == pml_random_below(500);
    if (rung_late) {
        ++*pending;
        mca_pml_champion_doorbell_ring(
            &rings[pml_random_below(RING_COUNT)].doorbell);
    }
    mca_pml_champion_rings_polled(0 != events);
    return true;
}

static void open_doorbells(void)
{
    open_rings();
    memset(&mca_pml_champion.poll_backoff, 0,
           sizeof(mca_pml_champion.poll_backoff));
    mca_pml_champion.inflight = 0;
    mca_pml_champion.job_size = RING_COUNT + 1;
    mca_pml_champion_rings_look_for_all();
    assert_true(mca_pml_champion_rings.all);
    for (int i = 0; i < RING_COUNT; ++i) { /* the counters wrap soon */
        rings[i].doorbell = ins[i].doorbell = 0 - pml_random_below(4);
    }
}

static void a_look_after_a_doorbell_polls(void **state)
{
    unsigned pending = 0, left_out = 0;

    (void) state;
    set_lock_mine(true);
    open_doorbells();
    for (int i = 0; i < 100000; ++i) {
        const bool rings_now = 0 == pml_random_below(300);
        const bool rung = rings_now || rung_late;

        if (rings_now) {
            /* The message may arrive after its doorbell. */
            pending += pml_random_below(2);
            mca_pml_champion_doorbell_ring(
                &rings[pml_random_below(RING_COUNT)].doorbell);
        }
        if (0 == pml_random_below(2000)) {
            mca_pml_champion_inflight_begin();
        }
        if (mca_pml_champion.inflight > 0 && pml_random_percent(10)) {
            mca_pml_champion_inflight_end();
        }
        if (look_at_ucx(&pending)) {
            assert_int_equal(rung_late, pending);
        } else {
            ++left_out;
            assert_false(rung);
            assert_int_equal(0, mca_pml_champion.inflight);
        }
    }
    assert_true(left_out > 10000);
}

/* An event without a doorbell, or long after it, is found all the same. */
static void without_a_doorbell_it_takes_some_looks(void **state)
{
    unsigned pending = 0, looks = 0;

    (void) state;
    set_lock_mine(true);
    open_doorbells();
    for (int i = 0; i < 100000; ++i) {
        const bool nothing = 0 == pending;

        pending += nothing && 0 == pml_random_below(500);
        looks = nothing ? 0 : looks;
        (void) look_at_ucx(&pending);
        if (0 != pending) {
            assert_true(++looks < MCA_PML_CHAMPION_POLL_BACKOFF_PAUSE);
        }
    }
}

/* A process without a ring to this one has no doorbell here. */
static void a_process_without_a_doorbell_polls_at_every_look(void **state)
{
    unsigned pending = 0;

    (void) state;
    set_lock_mine(true);
    open_doorbells();
    mca_pml_champion_rings.foreign = true;
    mca_pml_champion_rings_look_for_all();
    for (int i = 0; i < 1000; ++i) {
        assert_true(look_at_ucx(&pending));
    }
    mca_pml_champion_doorbell_ring(&mca_pml_champion_doorbell_dummy);
    mca_pml_champion_rings.foreign = false;
}

enum { UCX_MESSAGES = 3000 };

static unsigned by_ucx; /* messages that have arrived; atomic */
static unsigned seen;   /* messages that were found; atomic */

static void *send_by_ucx(void *arg)
{
    (void) arg;
    for (unsigned i = 0; i < UCX_MESSAGES; ++i) {
        __atomic_fetch_add(&by_ucx, 1, __ATOMIC_RELEASE);
        mca_pml_champion_doorbell_ring(&rings[i % RING_COUNT].doorbell);
        while (__atomic_load_n(&seen, __ATOMIC_ACQUIRE) <= i) {
            sched_yield();
        }
        for (unsigned k = 0; k < i % 2000; ++k) {
            __asm__ __volatile__("");
        }
    }
    return NULL;
}

static void doorbells_are_heard_while_another_rings(void **state)
{
    unsigned looks = 0, worst = 0;
    pthread_t writer;

    (void) state;
    set_lock_mine(true);
    open_doorbells();
    by_ucx = seen = 0;
    assert_int_equal(0, pthread_create(&writer, NULL, send_by_ucx, NULL));
    while (seen < UCX_MESSAGES) {
        const bool there = 0 != __atomic_load_n(&by_ucx, __ATOMIC_ACQUIRE);
        const unsigned before = seen;

        if (!mca_pml_champion_rings_idle()) {
            unsigned events = __atomic_exchange_n(&by_ucx, 0, __ATOMIC_ACQUIRE);

            mca_pml_champion_rings_polled(0 != events);
            __atomic_store_n(&seen, seen + events, __ATOMIC_RELEASE);
        }
        looks = there && before == seen ? looks + 1 : 0;
        worst = looks > worst ? looks : worst;
        if (0 == pml_random_below(50)) {
            sched_yield();
        }
    }
    assert_int_equal(0, pthread_join(writer, NULL));
    assert_true(worst < MCA_PML_CHAMPION_POLL_BACKOFF_PAUSE);
}

/* ---- a reader that sleeps ----------------------------------------------- */

enum { RECORDS = 20000 };

static uint64_t writer_seed;

static bool is_taken(int ring)
{
    return __atomic_load_n(&taken[ring], __ATOMIC_ACQUIRE) == written[ring];
}

static void *write_all(void *arg)
{
    uint64_t random = writer_seed;

    (void) arg;
    set_lock_mine(true);
    for (unsigned i = 0; i < RECORDS;) {
        int ring;

        random = random * 6364136223846793005u + 1442695040888963407u;
        ring = (int) ((random >> 33) % RING_COUNT);
        i += write_one(ring);
        while (0 != (random >> 35) % 4 && !is_taken(ring)) {
            sched_yield(); /* no other record will wake the reader */
        }
        if (0 == (random >> 40) % 4) {
            usleep((random >> 50) % 20);
        } else if (0 == (random >> 40) % 3) {
            sched_yield();
        }
    }
    return NULL;
}

/* The writer publishes a record and then reads the reader's mark; the reader
 * sets its mark and then polls once more. */
static void a_reader_that_sleeps_is_woken(void **state)
{
    unsigned sleeps = 0, refused = 0;
    struct timespec until = deadline();
    pthread_t writer;
    uint64_t sum = 0;

    (void) state;
    set_lock_mine(true);
    open_rings();
    wake_up_is_ucx = false;
    mca_pml_champion.counters.ring_doorbells = 0;
    assert_int_equal(0, sem_init(&wake_up, 0, 0));
    writer_seed = pml_random_below(UINT32_MAX);
    assert_int_equal(0, pthread_create(&writer, NULL, write_all, NULL));
    while (sum < RECORDS) {
        if (0 != take_all()) {
            sum = taken[0] + taken[1] + taken[2];
            continue;
        }
        pause_at_random();
        if (mca_pml_champion_rings_sleep(MCA_PML_CHAMPION_SLEEPER_THREAD)) {
            ++sleeps;
            assert_int_equal(0, sem_timedwait(&wake_up, &until));
            mca_pml_champion_rings_wake(MCA_PML_CHAMPION_SLEEPER_THREAD);
        } else {
            ++refused;
            assert_int_equal(
                0, __atomic_load_n(&rings[0].asleep, __ATOMIC_RELAXED));
        }
    }
    assert_int_equal(0, pthread_join(writer, NULL));
    assert_true(sleeps > 100);
    assert_true(refused > 0);
    assert_true(mca_pml_champion.counters.ring_doorbells >= sleeps);
    sem_destroy(&wake_up);
}

static void a_reader_does_not_sleep_while_a_ring_has_records(void **state)
{
    (void) state;
    set_lock_mine(true);
    open_rings();
    wake_up_is_ucx = false;
    assert_int_equal(0, sem_init(&wake_up, 0, 0));
    mca_pml_champion.counters.ring_doorbells = 0;
    assert_true(write_one(1));
    assert_false(mca_pml_champion_rings_sleep(MCA_PML_CHAMPION_SLEEPER_THREAD));
    assert_true(write_one(1));
    assert_int_equal(0, mca_pml_champion.counters.ring_doorbells);
    assert_int_equal(2, take_all());
    assert_true(mca_pml_champion_rings_sleep(MCA_PML_CHAMPION_SLEEPER_THREAD));
    assert_true(write_one(2));
    assert_true(write_one(2)); /* one wake-up is enough */
    assert_int_equal(1, mca_pml_champion.counters.ring_doorbells);
    mca_pml_champion_rings_wake(MCA_PML_CHAMPION_SLEEPER_THREAD);
    assert_true(write_one(0));
    assert_int_equal(1, mca_pml_champion.counters.ring_doorbells);
    sem_destroy(&wake_up);
}

/* ---- the progress thread ------------------------------------------------ */

static uint64_t from_ucx;     /* handled; atomic */
static uint64_t begun, ended; /* operations of the program; under the lock */
static uint64_t ended_shown;  /* copy of ended; atomic */
static bool fast_path = true, switch_fails;

unsigned ucp_worker_progress(ucp_worker_h worker)
{
    (void) worker;
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

static bool switch_path(bool fast)
{
    if (switch_fails) {
        return false;
    }
    fast_path = fast;
    return true;
}

/* The program's progress, beside the thread. */
static void program_polls(void)
{
    if (mca_pml_champion_trylock()) {
        __atomic_store_n(&mca_pml_champion.calls, mca_pml_champion.calls + 1,
                         __ATOMIC_RELAXED);
        (void) mca_pml_champion_progress_step();
        mca_pml_champion_unlock();
    } else {
        __atomic_store_n(&mca_pml_champion.lock_wanted, true, __ATOMIC_RELAXED);
    }
}

/* The program starts an operation whose end UCX does not signal. */
static void program_begins(void)
{
    mca_pml_champion_lock();
    ++begun;
    mca_pml_champion_wake_tell();
    mca_pml_champion_unlock();
}

static unsigned fifo_taken;

static unsigned take_all_of_fifo(mca_pml_champion_ring_in_t *in)
{
    ++fifo_taken;
    return mca_pml_champion_ring_take(in);
}

/* The last of the rings is the FIFO here. */
static void rings_that_never_rest_do_not_keep_out_the_fifo(void **state)
{
    enum { FIFO = RING_COUNT - 1 };

    (void) state;
    open_rings();
    ins[FIFO].take = take_all_of_fifo;
    mca_pml_champion_rings.rings_end = ins + FIFO;
    fifo_taken = 0;
    assert_true(write_one(FIFO));
    for (int i = 1; i < MCA_PML_CHAMPION_RINGS_BUSY; ++i) {
        assert_true(write_one(0));
        assert_ptr_equal(ins, mca_pml_champion_rings_look());
        (void) mca_pml_champion_poll_rings(ins);
        assert_int_equal(0, fifo_taken);
    }
    assert_true(write_one(0));
    (void) mca_pml_champion_poll_rings(ins);
    assert_int_equal(1, fifo_taken);
    assert_ptr_equal(NULL, mca_pml_champion_rings_look());
    assert_true(write_one(FIFO)); /* at once, if nothing else is there */
    assert_ptr_equal(ins + FIFO, mca_pml_champion_rings_look());
    assert_int_equal(1, mca_pml_champion_poll_rings(ins + FIFO));
    assert_int_equal(2, fifo_taken);
}

static void open_thread(int mode)
{
    set_lock_mine(false);
    memset(&mca_pml_champion, 0, sizeof(mca_pml_champion));
    memset(&thread, 0, sizeof(thread));
    open_rings();
    joins = 0;
    while_joining = NULL;
    wake_up_is_ucx = true;
    ucx.pending = 0;
    ucx.armed = false;
    ucx.arm_status = ucx.event_status = UCS_OK;
    ucx.arms = 0;
    ucx.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert_true(ucx.event >= 0);
    from_ucx = begun = ended = ended_shown = 0;
    fast_path = true;
    switch_fails = false;
    mca_pml_champion_mutex_init(&mca_pml_champion.lock);
    mca_pml_champion.params.progress_thread = mode;
    mca_pml_champion.params.thread_interval = 50;
    mca_pml_champion.threaded = MCA_PML_CHAMPION_ON == mode;
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_thread_open(switch_path));
}

static void close_thread(void)
{
    mca_pml_champion_thread_end();
    (void) close(ucx.event);
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

static bool all_is_handled(uint64_t sent)
{
    bool handled = __atomic_load_n(&from_ucx, __ATOMIC_ACQUIRE) >= sent;

    for (int i = 0; i < RING_COUNT; ++i) {
        handled = handled &&
                  __atomic_load_n(&taken[i], __ATOMIC_ACQUIRE) == written[i];
    }
    return handled && __atomic_load_n(&ended_shown, __ATOMIC_ACQUIRE) == begun;
}

/* The thread does all the work; the program only waits. */
static void wait_for_thread(uint64_t sent)
{
    const time_t limit = time(NULL) + SECONDS;

    while (!all_is_handled(sent)) {
        assert_true(time(NULL) < limit);
        usleep(50);
    }
}

static void make_work(int rounds)
{
    uint64_t sent = 0;

    for (int round = 0; round < rounds; ++round) {
        for (uint32_t i = pml_random_below(6); i > 0; --i) {
            switch (pml_random_below(4)) {
            case 0:
                ucx_brings(1);
                ++sent;
                break;
            case 1:
                (void) write_one((int) pml_random_below(RING_COUNT));
                break;
            case 2:
                program_begins();
                break;
            default:
                program_polls();
            }
            pause_at_random();
        }
        wait_for_thread(sent);
        if (pml_random_percent(30)) { /* the thread falls asleep */
            usleep(pml_random_below(3000));
        }
    }
}

static void the_thread_leaves_nothing_unseen(void **state)
{
    mca_pml_champion_counters_t counters;

    (void) state;
    open_thread(MCA_PML_CHAMPION_ON);
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_thread_start());
    make_work(400);
    close_thread();
    assert_false(mca_pml_champion.thread_asleep);
    memset(&counters, 0, sizeof(counters));
    mca_pml_champion_thread_count(&counters);
    /* Or the thread never slept. */
    assert_true(counters.thread_wakeups > 10);
    assert_true(counters.thread_notified > 10);
    assert_true(counters.thread_events > 100);
    assert_true(mca_pml_champion.counters.ring_doorbells > 0);
}

static void a_thread_that_is_wanted_is_started_by_the_program(void **state)
{
    (void) state;
    open_thread(MCA_PML_CHAMPION_AUTO);
    assert_int_equal(OMPI_SUCCESS, mca_pml_champion_thread_start());
    assert_false(runs());
    assert_int_equal(0, ucx.arms);
    mca_pml_champion_progress_due(); /* nobody wants the thread */
    assert_false(runs());
    mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
    mca_pml_champion_progress_due();
    assert_true(runs());
    assert_true(mca_pml_champion.threaded);
    assert_true(mca_pml_champion.slow);
    assert_int_equal(mca_pml_champion.due, 0);
    assert_false(fast_path);
    assert_int_equal(1, mca_pml_champion.counters.thread_started);
    assert_true(0 != mca_pml_champion_thread_begun_at());
    make_work(20);
    close_thread();
    assert_false(runs());
}

static void a_program_goes_on_without_the_thread_it_cannot_have(void **state)
{
    (void) state;
    for (int what = 0; what < 4; ++what) {
        open_thread(MCA_PML_CHAMPION_AUTO);
        mca_pml_champion.output = -1;
        mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
        switch_fails = 0 == what;
        ucx.event_status = 1 == what ? UCS_ERR_UNSUPPORTED : UCS_OK;
        mca_pml_champion.ending = 2 == what;
        mca_pml_champion.finalizing = 3 == what;
        mca_pml_champion_progress_due();
        assert_false(runs());
        assert_false(mca_pml_champion.threaded);
        assert_false(mca_pml_champion.slow);
        assert_true(fast_path);
        assert_int_equal(0, mca_pml_champion.counters.thread_started);
        close_thread();
    }
}

/* Two messages may find at the same time that the thread is switched off. */
static void *another_finds_it_due(void *arg)
{
    set_lock_mine(false);
    mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
    mca_pml_champion_progress_due();
    return arg;
}

static void another_thread_calls(void)
{
    pthread_t other;

    assert_int_equal(0,
                     pthread_create(&other, NULL, another_finds_it_due, NULL));
    assert_int_equal(0, pthread_join(other, NULL));
}

static void one_thread_of_the_program_puts_it_away(void **state)
{
    (void) state;
    open_thread(MCA_PML_CHAMPION_AUTO);
    mca_pml_champion.multiple = true;
    mca_pml_champion.threaded = true;
    mca_pml_champion.slow = true;
    mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
    mca_pml_champion_progress_due();
    assert_true(runs());
    __atomic_store_n(&mca_pml_champion.params.progress_thread,
                     MCA_PML_CHAMPION_OFF, __ATOMIC_RELAXED);
    while_joining = another_thread_calls;
    while (runs()) { /* the thread may hold the lock for a moment */
        mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
        mca_pml_champion_progress_due();
    }
    assert_int_equal(1, joins);
    /* What the other one has found stays due. */
    assert_int_equal(MCA_PML_CHAMPION_DUE_THREAD, mca_pml_champion.due);
    mca_pml_champion_progress_due();
    assert_int_equal(0, mca_pml_champion.due);
    assert_false(runs());
    close_thread();
}

/* MPI_Finalize still waits for messages after the thread's end. */
static void none_starts_after_the_end(void **state)
{
    (void) state;
    open_thread(MCA_PML_CHAMPION_AUTO);
    mca_pml_champion_due(MCA_PML_CHAMPION_DUE_THREAD);
    mca_pml_champion_thread_end();
    assert_int_equal(0, mca_pml_champion.due);
    mca_pml_champion_progress_due();
    assert_false(runs());
    close_thread();
}

/* ---- single steps of the thread ----------------------------------------- */

static outcome_t one_step(unsigned *idle)
{
    outcome_t outcome;

    mca_pml_champion_lock();
    outcome = work_step(idle);
    mca_pml_champion_unlock();
    return outcome;
}

/* Sleeps (us is 0) are ended by UCX here, watching by time. */
static unsigned look_after(unsigned us)
{
    return look(us, 0 == us ? EVENT : TIME_IS_UP);
}

static void it_sleeps_only_if_all_is_quiet(void **state)
{
    unsigned idle = 0;

    (void) state;
    open_thread(MCA_PML_CHAMPION_ON);
    ucx_brings(1);
    assert_int_equal(GO_ON, one_step(&idle));
    assert_int_equal(ARMED, one_step(&idle));
    assert_true(mca_pml_champion.thread_asleep);
    assert_int_equal(1, rings[0].asleep);
    mca_pml_champion.thread_asleep = false;
    mca_pml_champion_rings_wake(MCA_PML_CHAMPION_SLEEPER_THREAD);
    mca_pml_champion.chores = 1;
    assert_int_equal(GO_ON, one_step(&idle));
    mca_pml_champion.chores = 0;
    /* A send waits for room in a ring, which nothing signals. */
    mca_pml_champion_rings.waiting = &outs[0];
    for (int i = 1; i < IDLE_STEPS; ++i) {
        assert_int_equal(GO_ON, one_step(&idle));
    }
    assert_int_equal(STUCK, one_step(&idle));
    assert_false(mca_pml_champion.thread_asleep);
    mca_pml_champion_rings.waiting = NULL;
    close_thread();
}

static void without_an_armed_ucx_it_looks_at_intervals(void **state)
{
    unsigned idle = 0;

    (void) state;
    open_thread(MCA_PML_CHAMPION_ON);
    ucx.arm_status = UCS_ERR_BUSY;
    for (int i = 1; i < IDLE_STEPS; ++i) {
        assert_int_equal(GO_ON, one_step(&idle));
    }
    assert_int_equal(STUCK, one_step(&idle));
    assert_int_equal(50, look_after(0));
    assert_int_equal(100, look_after(50));
    assert_int_equal(LONGEST * 50, look_after(LONGEST * 50));
    idle = 0;
    ucx.arm_status = UCS_ERR_IO_ERROR;
    assert_int_equal(STUCK, one_step(&idle));
    assert_true(thread.complained);
    assert_int_equal(STUCK, one_step(&idle));
    close_thread();
}

static void it_leaves_a_program_alone_that_polls(void **state)
{
    mca_pml_champion_counters_t counters;

    (void) state;
    open_thread(MCA_PML_CHAMPION_ON);
    mca_pml_champion.calls = 6;
    assert_int_equal(100, look_after(50));
    mca_pml_champion.calls += 5; /* too few calls in 100 us */
    assert_int_equal(0, look_after(100));
    mca_pml_champion.calls += 1;
    assert_int_equal(50, look_after(0)); /* woken while the program is in MPI */
    memset(&counters, 0, sizeof(counters));
    mca_pml_champion_thread_count(&counters);
    assert_int_equal(2, counters.thread_yielded);
    close_thread();
}

/* The thread handles an event while transfers are in flight. */
static benefit_t benefit_of_an_event(void)
{
    unsigned idle = 0;

    thread.benefit = NEITHER;
    ucx_brings(1);
    assert_int_equal(GO_ON, one_step(&idle));
    return thread.benefit;
}

static void it_is_of_use_only_to_a_program_that_is_away(void **state)
{
    (void) state;
    open_thread(MCA_PML_CHAMPION_ON);
    mca_pml_champion.params.thread_late = 3600000000u; /* us */
    mca_pml_champion.inflight = 1;
    thread.pauses = mca_pml_champion_pauses;
    thread.away = mca_pml_champion_now();
    assert_int_equal(BY_ITSELF,
                     benefit_of_an_event()); /* it has just been here */
    mca_pml_champion.params.thread_late = 0;
    assert_int_equal(OF_USE, benefit_of_an_event());
    mca_pml_champion.params.thread_late = 3600000000u;
    thread.away = 0;
    ++mca_pml_champion_pauses; /* a pause ends while the thread works */
    assert_int_equal(BY_ITSELF, benefit_of_an_event());
    assert_int_equal(BY_ITSELF, benefit_of_an_event()); /* polls, preempted */
    thread.away = 0;
    ++mca_pml_champion.calls;
    assert_int_equal(BY_ITSELF, benefit_of_an_event());
    mca_pml_champion.params.thread_late = 0;
    mca_pml_champion.inflight = 0;
    close_thread();
}

/* Nothing is in flight in UCX. */
static void it_is_of_use_to_sends_that_wait_for_room_in_a_ring(void **state)
{
    unsigned idle = 0;

    (void) state;
    open_thread(MCA_PML_CHAMPION_ON);
    mca_pml_champion.params.thread_late = 0;
    mca_pml_champion_rings.waiting = &outs[0];
    thread.benefit = NEITHER;
    assert_int_equal(GO_ON, one_step(&idle));
    assert_int_equal(NEITHER, thread.benefit); /* there is no room yet */
    ring_room = 3;
    assert_int_equal(GO_ON, one_step(&idle));
    assert_int_equal(OF_USE, thread.benefit);
    assert_int_equal(0, idle);
    mca_pml_champion.params.thread_late = 3600000000u;
    thread.away = mca_pml_champion_now();
    ring_room = 1;
    assert_int_equal(GO_ON, one_step(&idle));
    assert_int_equal(BY_ITSELF, thread.benefit); /* the program waits for it */
    mca_pml_champion_rings.waiting = NULL;
    mca_pml_champion.params.thread_late = 0;
    close_thread();
}

static void events_that_are_none_end_its_sleep(void **state)
{
    (void) state;
    open_thread(MCA_PML_CHAMPION_ON);
    for (int i = 1; i < SPURIOUS_MAX; ++i) {
        assert_int_equal(0, look_after(0));
    }
    assert_int_equal(50, look_after(0));
    ucx_brings(1);
    assert_int_equal(0, look_after(0));
    close_thread();
}

/* A sleep that ends by itself; whether UCX has something then. */
static unsigned look_after_silence(bool brings)
{
    ucx.pending = brings;
    slept(TIME_IS_UP);
    return look(0, TIME_IS_UP);
}

static void a_descriptor_that_stays_silent_is_not_waited_for(void **state)
{
    (void) state;
    open_thread(MCA_PML_CHAMPION_ON);
    thread.sleep_us = SLEEP_MIN;
    for (int i = 0; i < 3; ++i) { /* nothing comes: longer sleeps */
        assert_int_equal(SLEEP_MIN << i, thread.sleep_us);
        assert_int_equal(0, look_after_silence(false));
    }
    for (int i = 1; i < MISSED_MAX; ++i) {
        assert_int_equal(0, look_after_silence(true));
        assert_int_equal(SLEEP_MIN, thread.sleep_us);
    }
    slept(EVENT); /* it speaks after all */
    for (int i = 1; i < MISSED_MAX; ++i) {
        assert_int_equal(0, look_after_silence(true));
    }
    assert_int_equal(50, look_after_silence(true));
    assert_int_equal(100, look_after(50)); /* for good */
    close_thread();
}

static void the_thread_leaves_the_holder_of_the_lock_alone(void **state)
{
    (void) state;
    open_thread(MCA_PML_CHAMPION_ON);
    assert_true(mca_pml_champion_mutex_trylock(&mca_pml_champion.lock));
    assert_int_equal(50, look_after(0));
    mca_pml_champion_mutex_unlock(&mca_pml_champion.lock);
    assert_int_equal(0, look_after(0));
    close_thread();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_after_a_doorbell_polls),
        cmocka_unit_test(without_a_doorbell_it_takes_some_looks),
        cmocka_unit_test(a_process_without_a_doorbell_polls_at_every_look),
        cmocka_unit_test(doorbells_are_heard_while_another_rings),
        cmocka_unit_test(a_reader_that_sleeps_is_woken),
        cmocka_unit_test(a_reader_does_not_sleep_while_a_ring_has_records),
        cmocka_unit_test(rings_that_never_rest_do_not_keep_out_the_fifo),
        cmocka_unit_test(the_thread_leaves_nothing_unseen),
        cmocka_unit_test(a_thread_that_is_wanted_is_started_by_the_program),
        cmocka_unit_test(a_program_goes_on_without_the_thread_it_cannot_have),
        cmocka_unit_test(one_thread_of_the_program_puts_it_away),
        cmocka_unit_test(none_starts_after_the_end),
        cmocka_unit_test(it_sleeps_only_if_all_is_quiet),
        cmocka_unit_test(without_an_armed_ucx_it_looks_at_intervals),
        cmocka_unit_test(it_leaves_a_program_alone_that_polls),
        cmocka_unit_test(it_is_of_use_only_to_a_program_that_is_away),
        cmocka_unit_test(it_is_of_use_to_sends_that_wait_for_room_in_a_ring),
        cmocka_unit_test(events_that_are_none_end_its_sleep),
        cmocka_unit_test(a_descriptor_that_stays_silent_is_not_waited_for),
        cmocka_unit_test(the_thread_leaves_the_holder_of_the_lock_alone),
    };

    pml_random_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
