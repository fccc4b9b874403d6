/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Waiting for requests of which some fail. It includes the source: what is
 * tested is not seen outside the plug-in.
 */

#include "pml_test.h"

#include "opal/class/opal_object.h"

#include "ompi/mca/pml/champion/progress/waiting.c"

enum { REQUESTS = 40, POLLS = 100, MOST = 10000 };

unsigned mca_pml_champion_pause_after = POLLS;
_Thread_local mca_pml_champion_note_t mca_pml_champion_note;

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
    ++waiter->idle;
    assert_true(steps < MOST);
    for (int i = 0; i < REQUESTS; ++i) {
        if (completes_at[i] == (int) steps) {
            complete(i, MPI_SUCCESS);
            waiter->idle = 0;
        }
    }
    if (0 != --waiter->left) {
        return false;
    }
    waiter->left = 1 + steps % 7;
    return true;
}

static unsigned more; /* polls that still find something */

int mca_pml_champion_progress(void)
{
    if (0 == more) {
        return 0;
    }
    --more;
    return 1;
}

static int their_wait(ompi_request_t **request, ompi_status_public_t *status)
{
    assert_ptr_equal(REQUEST_COMPLETED, (*request)->req_complete);
    (*request)->req_state = OMPI_REQUEST_INACTIVE;
    return (*request)->req_status.MPI_ERROR;
}

/* Sees complete requests only, and none that has failed. */
static int their_wait_all(size_t count, ompi_request_t **some,
                          ompi_status_public_t *status)
{
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(MPI_SUCCESS, their_wait(&some[i], NULL));
    }
    return MPI_SUCCESS;
}

static int their_wait_any(size_t count, ompi_request_t **some, int *index,
                          ompi_status_public_t *status)
{
    *index = MPI_UNDEFINED;
    for (size_t i = 0; i < count; ++i) {
        if (OMPI_REQUEST_INACTIVE != some[i]->req_state) {
            *index = (int) i;
            return their_wait(&some[i], status);
        }
    }
    return MPI_SUCCESS;
}

static int their_wait_some(size_t count, ompi_request_t **some, int *outcount,
                           int *indices, ompi_status_public_t *status)
{
    *outcount = 0;
    for (size_t i = 0; i < count; ++i) {
        if (OMPI_REQUEST_INACTIVE != some[i]->req_state &&
            REQUEST_COMPLETED == some[i]->req_complete) {
            assert_int_equal(MPI_SUCCESS, their_wait(&some[i], NULL));
            indices[(*outcount)++] = (int) i;
        }
    }
    return MPI_SUCCESS;
}

static int begin(void **state)
{
    memset(all, 0, sizeof(all));
    memset(completes_at, 0, sizeof(completes_at));
    memset(&mca_pml_champion_note, 0, sizeof(mca_pml_champion_note));
    steps = 0;
    theirs.req_wait = their_wait;
    theirs.req_wait_all = their_wait_all;
    theirs.req_wait_any = their_wait_any;
    theirs.req_wait_some = their_wait_some;
    for (int i = 0; i < REQUESTS; ++i) {
        requests[i] = &all[i];
        all[i].req_type = OMPI_REQUEST_PML;
        all[i].req_state = OMPI_REQUEST_ACTIVE;
        all[i].req_complete = REQUEST_PENDING;
        statuses[i].MPI_ERROR = -1;
    }
    return 0;
}

UNIT_TEST_WITH(all_are_waited_for, begin, NULL)
{
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
UNIT_TEST_WITH(one_that_fails_ends_the_wait, begin, NULL)
{
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

UNIT_TEST_WITH(without_statuses_too, begin, NULL)
{
    complete(REQUESTS - 1, MPI_ERR_OTHER);
    assert_int_equal(MPI_ERR_IN_STATUS,
                     wait_all(REQUESTS, requests, MPI_STATUSES_IGNORE));
}

/* A pause that looked at all of 16384 requests took longer than all else. */
UNIT_TEST_WITH(a_pause_looks_at_a_few_in_turn, begin, NULL)
{
    ompi_request_t *const last = requests[REQUESTS - 1];
    size_t seen = 0;
    int looks = 1;

    for (int i = PART; i < REQUESTS; ++i) {
        requests[i] = NULL; /* a look at it would crash */
    }
    assert_false(one_is_seen_failed(&seen, false, REQUESTS, requests));
    (void) begin(NULL);
    complete(REQUESTS - 1, MPI_ERR_OTHER);
    for (; !one_is_seen_failed(&seen, false, REQUESTS, requests); ++looks) {
        assert_true(looks <= REQUESTS / PART + 1);
    }
    /* After a sleep at all of them, whatever came before. */
    assert_true(one_is_seen_failed(&seen, true, REQUESTS, requests));
    last->req_status.MPI_ERROR = MPI_SUCCESS;
    assert_false(one_is_seen_failed(&seen, true, REQUESTS, requests));
    assert_false(one_is_seen_failed(&seen, false, 1, requests));
}

static void note_is(size_t count, bool one)
{
    assert_int_equal(MCA_PML_CHAMPION_FOR_REQUESTS, mca_pml_champion_note.what);
    assert_int_equal(count, mca_pml_champion_note.count);
    assert_int_equal(one, mca_pml_champion_note.one);
    memset(&mca_pml_champion_note, 0, sizeof(mca_pml_champion_note));
}

/* What is waited for is noted when there was a pause, and not before. */
UNIT_TEST_WITH(a_wait_is_noted_after_a_pause, begin, NULL)
{
    int index;

    completes_at[0] = POLLS - 1;
    completes_at[1] = 2 * POLLS + 50;
    completes_at[2] = 4 * POLLS;
    assert_int_equal(MPI_SUCCESS, wait_one(&requests[0], MPI_STATUS_IGNORE));
    assert_int_equal(MCA_PML_CHAMPION_FOR_UNKNOWN, mca_pml_champion_note.what);
    assert_int_equal(MPI_SUCCESS,
                     wait_any(2, requests + 1, &index, MPI_STATUS_IGNORE));
    note_is(2, true);
    assert_int_equal(MPI_SUCCESS, wait_one(&requests[2], MPI_STATUS_IGNORE));
    note_is(1, false);
    completes_at[3] = (int) steps + 4 * POLLS;
    assert_int_equal(MPI_SUCCESS, wait_all(1, requests + 3, statuses));
    note_is(1, false);
}

UNIT_TEST_WITH(each_is_returned_by_a_wait_for_any, begin, NULL)
{
    int index;

    for (int i = 0; i < REQUESTS; ++i) {
        completes_at[i] = 3 + i * 31 % REQUESTS;
    }
    for (int i = 0; i < REQUESTS; ++i) {
        assert_int_equal(MPI_SUCCESS,
                         wait_any(REQUESTS, requests, &index, NULL));
        assert_in_range(index, 0, REQUESTS - 1);
        assert_int_equal(OMPI_REQUEST_INACTIVE, all[index].req_state);
        all[index].req_type = OMPI_REQUEST_NULL; /* returned once */
    }
    for (int i = 0; i < REQUESTS; ++i) {
        assert_int_equal(OMPI_REQUEST_NULL, all[i].req_type);
    }
    assert_int_equal(MPI_SUCCESS, wait_any(REQUESTS, requests, &index, NULL));
    assert_int_equal(MPI_UNDEFINED, index);
}

UNIT_TEST_WITH(a_wait_for_some_takes_what_has_come, begin, NULL)
{
    int indices[REQUESTS], got, left = REQUESTS;

    for (int i = 0; i < REQUESTS; ++i) {
        completes_at[i] = 1 + i / 8;
    }
    more = 2;
    for (; 0 != left; left -= got) {
        assert_int_equal(MPI_SUCCESS, wait_some(REQUESTS, requests, &got,
                                                indices, MPI_STATUSES_IGNORE));
        assert_int_equal(8, got);
    }
    assert_int_equal(0, more);
    more = MOST; /* it returns nevertheless */
    (void) begin(NULL);
    completes_at[0] = 1;
    assert_int_equal(MPI_SUCCESS, wait_some(REQUESTS, requests, &got, indices,
                                            MPI_STATUSES_IGNORE));
    assert_int_equal(MOST - MORE, more);
}

UNIT_MAIN(NULL, NULL)
