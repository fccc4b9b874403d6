/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Waiting for requests of which some fail. It includes the source: what is
 * tested is not seen outside the plug-in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "opal/class/opal_object.h"

#include "ompi/mca/pml/champion/progress/waiting.c"

enum { REQUESTS = 40, POLLS = 100, MOST = 10000 };

mca_pml_champion_t mca_pml_champion;
unsigned mca_pml_champion_pause_after = POLLS;
#if !defined(NDEBUG)
_Thread_local bool mca_pml_champion_lock_mine;
#endif

static ompi_request_t all[REQUESTS], *requests[REQUESTS];
static ompi_status_public_t statuses[REQUESTS];
static unsigned steps;
static int completes_at[REQUESTS]; /* in which step; 0: never */

static void complete(int i, int error)
{
    all[i].req_status.MPI_ERROR = error;
    all[i].req_complete = REQUEST_COMPLETED;
}

/* What a pause learns of the core may change the number of polls until the next
 * one, to anything. */
bool mca_pml_champion_waiter_step(mca_pml_champion_waiter_t *waiter)
{
    ++steps;
    assert_true(steps < MOST);
    for (int i = 0; i < REQUESTS; ++i) {
        if (completes_at[i] == (int) steps) {
            complete(i, MPI_SUCCESS);
        }
    }
    if (0 != --waiter->left) {
        return false;
    }
    waiter->left = 1 + steps % 7;
    return true;
}

static int their_wait(ompi_request_t **request, ompi_status_public_t *status)
{
    assert_ptr_equal(REQUEST_COMPLETED, (*request)->req_complete);
    (*request)->req_state = OMPI_REQUEST_INACTIVE;
    (void) status;
    return (*request)->req_status.MPI_ERROR;
}

/* Sees complete requests only, and none that has failed. */
static int their_wait_all(size_t count, ompi_request_t **some,
                          ompi_status_public_t *status)
{
    (void) status;
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(MPI_SUCCESS, their_wait(&some[i], NULL));
    }
    return MPI_SUCCESS;
}

static int begin(void **state)
{
    (void) state;
    memset(all, 0, sizeof(all));
    memset(completes_at, 0, sizeof(completes_at));
    steps = 0;
    mca_pml_champion.params.progress_iterations = POLLS;
    theirs.req_wait = their_wait;
    theirs.req_wait_all = their_wait_all;
    for (int i = 0; i < REQUESTS; ++i) {
        requests[i] = &all[i];
        all[i].req_type = OMPI_REQUEST_PML;
        all[i].req_state = OMPI_REQUEST_ACTIVE;
        all[i].req_complete = REQUEST_PENDING;
        statuses[i].MPI_ERROR = -1;
    }
    return 0;
}

static void all_are_waited_for(void **state)
{
    (void) state;
    for (int i = 0; i < REQUESTS; ++i) {
        completes_at[i] = 1 + i * 31 % REQUESTS;
    }
    assert_int_equal(MPI_SUCCESS, wait_all(REQUESTS, requests, statuses));
    for (int i = 0; i < REQUESTS; ++i) {
        assert_int_equal(OMPI_REQUEST_INACTIVE, all[i].req_state);
        assert_int_equal(-1, statuses[i].MPI_ERROR); /* as MPI wants it */
    }
}

/* The one that failed may be before or behind those that are never complete,
 * and in another part. */
static void one_that_fails_ends_the_wait(void **state)
{
    (void) state;
    for (int failed = 0; failed < REQUESTS; ++failed) {
        (void) begin(NULL);
        for (int i = 0; i < REQUESTS; ++i) {
            completes_at[i] = i < REQUESTS / 2 ? 1 + i : 0;
        }
        completes_at[failed] = 0;
        complete(failed, MPI_ERR_TRUNCATE);
        assert_int_equal(MPI_ERR_IN_STATUS,
                         wait_all(REQUESTS, requests, statuses));
        for (int i = 0; i < REQUESTS; ++i) {
            const bool done = REQUEST_COMPLETED == all[i].req_complete;
            const int expected = i == failed ? MPI_ERR_TRUNCATE
                                 : done      ? MPI_SUCCESS
                                             : MPI_ERR_PENDING;

            assert_int_equal(expected, statuses[i].MPI_ERROR);
            assert_int_equal(done ? OMPI_REQUEST_INACTIVE : OMPI_REQUEST_ACTIVE,
                             all[i].req_state);
        }
    }
}

static void without_statuses_too(void **state)
{
    (void) state;
    complete(REQUESTS - 1, MPI_ERR_OTHER);
    assert_int_equal(MPI_ERR_IN_STATUS,
                     wait_all(REQUESTS, requests, MPI_STATUSES_IGNORE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_are_waited_for, begin),
        cmocka_unit_test_setup(one_that_fails_ends_the_wait, begin),
        cmocka_unit_test_setup(without_statuses_too, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
