/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of a transfer is reported once, however UCX completes it: by a
 * callback later, at once without a callback, or by a callback from within the
 * call that starts it, which may start another transfer.
 */

#include "ompi/mca/pml/champion/offload/offload.h"
#include "ompi/mca/pml/champion/offload/transfer.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"

#include "pml_test.h"

/* ---- what stands for UCX and the rest of the component ------------------ */

enum { TRANSFERS = 2 };

/* What UCX is asked for, by the tag or descriptor of a transfer. */
typedef struct asked_t {
    ucp_request_param_t param;
    ucs_status_t at_once;  /* that it returns, if not UCS_INPROGRESS */
    const int *calls_back; /* those that end within the call, up to -1 */
    bool freed;            /* its request */
} asked_t;

static asked_t asked[TRANSFERS];
static int measured;

mca_pml_champion_cost_models_t mca_pml_champion_cost_models;

void mca_pml_champion_cost_model_begins(mca_pml_champion_peer_t *peer,
                                        size_t bytes)
{
    assert_non_null(peer);
    assert_true(bytes > 0);
    ++measured;
}

void mca_pml_champion_cost_model_ends(void)
{
    --measured;
}

/* UCX is done with one, whose request is the record of it. */
static void call_back(int i, ucs_status_t status)
{
    asked_t *one = &asked[i];

    assert_true(0 != (one->param.op_attr_mask & UCP_OP_ATTR_FIELD_CALLBACK));
    assert_true(0 != (one->param.op_attr_mask & UCP_OP_ATTR_FIELD_USER_DATA));
    if (0 == i) {
        one->param.cb.recv_am(one, status, 0, one->param.user_data);
    } else {
        one->param.cb.recv(one, status, NULL, one->param.user_data);
    }
    assert_true(one->freed);
}

static ucs_status_ptr_t ask(int i, const ucp_request_param_t *param)
{
    asked_t *one = &asked[i];

    one->param = *param;
    if (UCS_INPROGRESS != one->at_once) {
        return UCS_STATUS_PTR(one->at_once);
    }
    for (const int *each = one->calls_back; NULL != each && *each >= 0;
         ++each) {
        call_back(*each, UCS_OK);
    }
    return one;
}

/* The first one is a rendezvous message, the second is sent by tag. */
ucs_status_ptr_t ucp_am_recv_data_nbx(ucp_worker_h worker, void *descriptor,
                                      void *buffer, size_t count,
                                      const ucp_request_param_t *param)
{
    assert_ptr_equal(&asked[0], descriptor);
    return ask(0, param);
}

void ucp_request_free(void *request)
{
    assert_ptr_equal(&asked[0], request);
    assert_false(asked[0].freed);
    asked[0].freed = true;
}

static ucs_status_ptr_t ask_tagged(ucp_worker_h worker, void *buffer,
                                   size_t count, ucp_tag_t tag,
                                   const ucp_request_param_t *param)
{
    assert_int_equal(1, tag);
    return ask(1, param);
}

static void free_tagged(void *request)
{
    assert_ptr_equal(&asked[1], request);
    assert_false(asked[1].freed);
    asked[1].freed = true;
}

/* ---- transfers ---------------------------------------------------------- */

static mca_pml_champion_peer_t peer;
static mca_pml_champion_transfer_t transfers[TRANSFERS];
static int ended[TRANSFERS];
static ucs_status_t last_status;
static bool begins_other; /* the end of the first one begins the second */
static void *other;

static void *start(int i, bool is_measured)
{
    const mca_pml_champion_source_t source = {
        .peer = is_measured ? &peer : NULL,
        .descriptor = 0 == i ? &asked[0] : NULL,
        .tag = 1,
        .length = 100,
    };
    ucp_request_param_t param = {.op_attr_mask = 0};

    return mca_pml_champion_transfer_begin(&transfers[i], &source, NULL, 0,
                                           &param);
}

static void done(mca_pml_champion_transfer_t *transfer, ucs_status_t status)
{
    const int i = (int) (transfer - transfers);

    ++ended[i];
    last_status = status;
    memset(transfer, 0xff, sizeof(*transfer)); /* it may be gone */
    if (0 == i && begins_other) {
        other = start(1, false);
    }
}

static int begin(void **state)
{
    static const mca_pml_champion_tag_ops_t ops = {
        .recv = ask_tagged,
        .free = free_tagged,
    };

    memset(asked, 0, sizeof(asked));
    memset(ended, 0, sizeof(ended));
    for (int i = 0; i < TRANSFERS; ++i) {
        asked[i].at_once = UCS_INPROGRESS;
        transfers[i].on_end = done;
    }
    mca_pml_champion_offload.ops = &ops;
    mca_pml_champion_cost_models.on = true;
    measured = 0;
    begins_other = false;
    other = NULL;
    return 0;
}

UNIT_TEST_WITH(it_ends_when_ucx_says_so, begin, NULL)
{
    for (int i = 0; i < TRANSFERS; ++i) {
        assert_ptr_equal(&asked[i], start(i, true));
        assert_int_equal(0, ended[i]);
        assert_int_equal(1, measured);
        call_back(i, UCS_ERR_CANCELED);
        assert_int_equal(1, ended[i]);
        assert_int_equal(UCS_ERR_CANCELED, last_status);
        assert_int_equal(0, measured);
    }
}

UNIT_TEST_WITH(it_ends_at_once, begin, NULL)
{
    for (int i = 0; i < TRANSFERS; ++i) {
        asked[i].at_once = 0 == i ? UCS_OK : UCS_ERR_NO_MEMORY;
        assert_null(start(i, true));
        assert_int_equal(1, ended[i]);
        assert_int_equal(asked[i].at_once, last_status);
        assert_int_equal(0, measured);
        assert_false(asked[i].freed);
    }
}

UNIT_TEST_WITH(it_ends_within_the_call_that_returns_a_request, begin, NULL)
{
    static const int self[TRANSFERS][2] = {{0, -1}, {1, -1}};

    for (int i = 0; i < TRANSFERS; ++i) {
        asked[i].calls_back = self[i];
        assert_null(start(i, true));
        assert_int_equal(1, ended[i]);
        assert_int_equal(0, measured);
    }
}

UNIT_TEST_WITH(its_end_begins_another_within_the_call, begin, NULL)
{
    static const int first[] = {0, -1};

    asked[0].calls_back = first;
    begins_other = true;
    assert_null(start(0, true));
    assert_int_equal(1, ended[0]);
    assert_ptr_equal(&asked[1], other);
    assert_int_equal(0, ended[1]);
    call_back(1, UCS_OK);
    assert_int_equal(1, ended[1]);
}

UNIT_TEST_WITH(another_one_ends_within_the_call, begin, NULL)
{
    static const int both[] = {0, 1, -1}, first[] = {0, -1};

    assert_ptr_equal(&asked[0], start(0, true));
    asked[1].calls_back = first;
    assert_ptr_equal(&asked[1], start(1, true));
    assert_int_equal(1, ended[0]);
    assert_int_equal(0, ended[1]);
    call_back(1, UCS_OK);
    assert_int_equal(0, measured);
    begin(NULL);
    assert_ptr_equal(&asked[0], start(0, true));
    asked[1].calls_back = both;
    assert_null(start(1, true));
    assert_int_equal(1, ended[0]);
    assert_int_equal(1, ended[1]);
}

UNIT_TEST_WITH(without_a_peer_nothing_is_measured, begin, NULL)
{
    assert_non_null(start(1, false));
    assert_int_equal(0, measured);
    call_back(1, UCS_OK);
    assert_int_equal(0, measured);
    begin(NULL);
    mca_pml_champion_cost_models.on = false;
    assert_non_null(start(0, true));
    assert_int_equal(0, measured);
    call_back(0, UCS_OK);
    assert_int_equal(0, measured);
}

int main(void)
{
    mca_pml_champion_lock();
    return unit_run(NULL, NULL);
}
