/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How the threads of a program wait (MPI_THREAD_MULTIPLE): they all poll in
 * turn and yield between empty polls, unless a thread is the only one
 * (core/mutex.h).
 *
 *     until the request is complete:
 *         try to take the lock; poll; release it; complete finished requests
 *         8 empty polls in a row: yield
 *         every 100 times: opal_progress instead
 *         (always, if the request is not a message but, say, a collective)
 *
 * Open MPI lets one thread poll, without yielding, and the others sleep on
 * condition variables. Then each message, or window of messages, costs the
 * system calls that wake a thread. The woken thread spins until the waking one
 * has left pthread_cond_signal (WAIT_SYNC_RELEASE); if both share a core, of
 * which the woken thread has deprived the other one, that takes a time slice.
 * Two ranks with four threads each on two cores spent half of their time there.
 *
 * So MPI_Wait, MPI_Waitall, MPI_Waitany and MPI_Waitsome, which Open MPI calls
 * through a table (ompi_request_functions), first wait here. Only when there is
 * nothing left to wait for are Open MPI's own functions called, which handle
 * statuses, errors, persistent and generalized requests. As no thread then
 * sleeps on a request, its completion takes one atomic operation instead of
 * three.
 *
 * Blocking calls wait in this way, too, on a word of their own
 * (mca_pml_champion_wait_in_turn). In runs with one thread requests are waited
 * for in the same way, so that such waits yield and sleep, too
 * (progress/pause.h). With fault tolerance, which wakes waiting threads itself,
 * they are waited for in Open MPI's way.
 */

#include "ompi/mca/pml/champion/core/unit.h"
#include "ompi/mca/pml/champion/progress/progress.h"
#include "ompi/mca/pml/champion/match/request.h"

/* Requests of MPI_Waitall that are handled at a time. */
enum { PART = 16 };

/* Polls of MPI_Waitsome, as long as they find something, once a request is
 * complete: each return costs a look at all requests. */
enum { MORE = 8 };

/* Open MPI's own functions. */
static ompi_request_fns_t theirs;

typedef mca_pml_champion_waiter_t waiter_t;

static inline bool is_message(const ompi_request_t *request)
{
    return OPAL_LIKELY(OMPI_REQUEST_PML == request->req_type);
}

/* One poll per call of opal_progress if what is waited for is not a message (a
 * collective operation, say), because then another component completes it. */
static inline waiter_t waiter_for(bool message)
{
    waiter_t waiter = mca_pml_champion_waiter(
        !message                    ? 1
        : mca_pml_champion.multiple ? MCA_PML_CHAMPION_POLLS
                                    : mca_pml_champion_pause_after);

    waiter.pause.others = !message;
    return waiter;
}

/* A pause is over, and the wait is not. */
static void note(ompi_request_t **requests, size_t count, bool one)
{
    mca_pml_champion_note_wait(MCA_PML_CHAMPION_FOR_REQUESTS, requests, count,
                               one);
}

static inline bool is_active(const ompi_request_t *request)
{
    return OMPI_REQUEST_INACTIVE != request->req_state;
}

static inline bool is_complete(ompi_request_t *request)
{
    if (REQUEST_COMPLETED !=
        __atomic_load_n(&request->req_complete, __ATOMIC_ACQUIRE)) {
        return false;
    }
    MCA_PML_CHAMPION_HAPPENS_AFTER(request);
    return true;
}

/* Is a request complete with an error? Then Open MPI does not wait for the
 * others. */
static inline bool one_has_failed(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; ++i) {
        if (is_active(requests[i]) && is_complete(requests[i]) &&
            MPI_SUCCESS != requests[i]->req_status.MPI_ERROR) {
            return true;
        }
    }
    return false;
}

/* The same in a pause, and of a few of them only, in turn: to look at thousands
 * of requests takes longer than the pause. After a sleep it does not. */
static bool one_is_seen_failed(size_t *seen, bool slept, size_t count,
                               ompi_request_t **requests)
{
    const size_t from = slept || *seen >= count ? 0 : *seen;
    const size_t most = slept ? count : PART;
    const size_t looks = count - from < most ? count - from : most;

    *seen = from + looks;
    return one_has_failed(looks, requests + from);
}

/* Wait until the first `part` requests are complete, or one of all has failed.
 * Returns false in the latter case. */
static bool until_all(size_t part, size_t count, ompi_request_t **requests)
{
    size_t seen = 0;
    waiter_t waiter;
    bool begun = false;
    int errors = 0;

    for (size_t i = 0; i < part; ++i) {
        ompi_request_t *request = requests[i];

        if (!is_complete(request) && is_active(request)) {
            if (!begun || 0 != waiter.pause.began ||
                waiter.pause.others == is_message(request)) {
                begun = true;
                waiter = waiter_for(is_message(request));
            }
            while (!is_complete(request)) {
                if (OPAL_UNLIKELY(mca_pml_champion_waiter_step(&waiter))) {
                    note(requests, count, false);
                    if (one_is_seen_failed(&seen, waiter.pause.slept, count,
                                           requests)) {
                        return false;
                    }
                }
            }
        }
        errors |= request->req_status.MPI_ERROR;
    }
    /* That of an inactive request says nothing. */
    return OPAL_LIKELY(MPI_SUCCESS == errors) ||
           !one_has_failed(part, requests);
}

/* The first request that is complete, or `count`; *active: is there one that is
 * active? */
static size_t first_complete(size_t count, ompi_request_t **requests,
                             bool *active)
{
    /* Most of a long array may be: they are told without a look at them. */
    const ompi_request_t *const gone = &ompi_request_null.request;

    *active = false;
    for (size_t i = 0; i < count; ++i) {
        if (gone != requests[i] && is_active(requests[i])) {
            *active = true;
            if (is_complete(requests[i])) {
                return i;
            }
        }
    }
    return count;
}

static waiter_t waiter_for_all(size_t count, ompi_request_t **requests)
{
    bool messages = true;

    for (size_t i = 0; i < count; ++i) {
        messages =
            messages && (!is_active(requests[i]) || is_message(requests[i]));
    }
    return waiter_for(messages);
}

/* Wait until a request is complete. Returns which, or `count` if none is active.
 * To look at all of them may take long: only after a step that may have
 * completed one, or in which another thread may have. */
static size_t until_one(size_t count, ompi_request_t **requests)
{
    bool active;
    size_t first = first_complete(count, requests, &active);
    waiter_t waiter;

    if (first < count || !active) {
        return first;
    }
    waiter = waiter_for_all(count, requests);
    do {
        bool paused;

        do {
            paused = mca_pml_champion_waiter_step(&waiter);
        } while (!paused && 0 != waiter.idle && !mca_pml_champion.multiple);
        if (OPAL_UNLIKELY(paused)) {
            note(requests, count, true);
        }
        first = first_complete(count, requests, &active);
    } while (first == count);
    return first;
}

static int wait_one(ompi_request_t **request, ompi_status_public_t *status)
{
    if (!is_complete(*request) && is_active(*request)) {
        waiter_t waiter = waiter_for(is_message(*request));

        while (!is_complete(*request)) {
            if (OPAL_UNLIKELY(mca_pml_champion_waiter_step(&waiter))) {
                note(request, 1, false);
            }
        }
    }
    return theirs.req_wait(request, status);
}

static int wait_any(size_t count, ompi_request_t **requests, int *index,
                    ompi_status_public_t *status)
{
    const size_t first = until_one(count, requests);
    int rc;

    if (first == count) {
        return theirs.req_wait_any(count, requests, index, status);
    }
    rc = theirs.req_wait_any(1, requests + first, index, status);
    *index = (int) first;
    return rc;
}

/* A request has failed: finish those that are complete, each on its own. Those
 * before `done` are finished. */
static int finish_failed(size_t done, size_t count, ompi_request_t **requests,
                         ompi_status_public_t *statuses)
{
    for (size_t i = 0; i < count; ++i) {
        ompi_status_public_t *status =
            MPI_STATUSES_IGNORE == statuses ? MPI_STATUS_IGNORE : &statuses[i];
        int error = MPI_SUCCESS;

        if (i >= done) {
            error = is_active(requests[i]) && !is_complete(requests[i])
                        ? MPI_ERR_PENDING
                        : theirs.req_wait(&requests[i], status);
        }
        if (MPI_STATUS_IGNORE != status) {
            status->MPI_ERROR = error;
        }
    }
    return MPI_ERR_IN_STATUS;
}

/* Part by part, so that what is found complete is still in the cache when Open
 * MPI looks at it again. Open MPI's function sees no request that has failed:
 * that of 4.1 would spin forever, on a flag that nobody clears, if one failed
 * before the call in a run with threads. */
static int wait_all(size_t count, ompi_request_t **requests,
                    ompi_status_public_t *statuses)
{
    for (size_t done = 0, part; done < count; done += part) {
        part = count - done < PART ? count - done : PART;
        if (OPAL_UNLIKELY(!until_all(part, count - done, requests + done))) {
            return finish_failed(done, count, requests, statuses);
        }
        (void) theirs.req_wait_all(part, requests + done,
                                   MPI_STATUSES_IGNORE == statuses
                                       ? MPI_STATUSES_IGNORE
                                       : statuses + done);
    }
    return MPI_SUCCESS;
}

/* A request is complete: those whose messages have come may be, too. */
static void take_more(void)
{
    for (unsigned i = 0; i < MORE && 0 != mca_pml_champion_progress(); ++i) {
    }
}

static int wait_some(size_t count, ompi_request_t **requests, int *outcount,
                     int *indices, ompi_status_public_t *statuses)
{
    if (until_one(count, requests) < count) {
        take_more();
    }
    return theirs.req_wait_some(count, requests, outcount, indices, statuses);
}

/* Replace Open MPI's functions for MPI_Wait, _Waitall, _Waitany, _Waitsome. */
static int waiting_start(void)
{
    if (MCA_MQ_OMPI_FT_ENABLED) {
        return OMPI_SUCCESS;
    }
    theirs = ompi_request_functions;
    ompi_request_functions.req_wait = wait_one;
    ompi_request_functions.req_wait_any = wait_any;
    ompi_request_functions.req_wait_all = wait_all;
    ompi_request_functions.req_wait_some = wait_some;
    return OMPI_SUCCESS;
}

static void waiting_stop(void)
{
    if (wait_one == ompi_request_functions.req_wait) {
        ompi_request_functions = theirs;
    }
}

MCA_PML_CHAMPION_UNIT(waiting) = {
    .name = "waiting", .start = waiting_start, .stop = waiting_stop};
