/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Active messages with a header, whose data a generic datatype packs element by
 * element. See README.md.
 */
#include <ucp/api/ucp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENT = 24, HEADER = 16, ID = 1 };

typedef struct {
    size_t size;
} state_t;

static const char expected[HEADER + 1] = "0123456789abcdef";
static int seen, wrong;

static void *start_pack(void *context, const void *buffer, size_t count)
{
    state_t *state = malloc(sizeof(*state));

    (void) context;
    (void) buffer;
    state->size = count * ELEMENT;
    return state;
}

static void *start_unpack(void *context, void *buffer, size_t count)
{
    return start_pack(context, buffer, count);
}

static size_t packed_size(void *state)
{
    return ((state_t *) state)->size;
}

/* Whole elements only. */
static size_t pack(void *state, size_t offset, void *to, size_t room)
{
    const size_t rest = ((state_t *) state)->size - offset;
    const size_t length = (room < rest ? room : rest) / ELEMENT * ELEMENT;

    memset(to, 1, length);
    return length;
}

static ucs_status_t unpack(void *state, size_t offset, const void *from,
                           size_t length)
{
    (void) state;
    (void) offset;
    (void) from;
    (void) length;
    return UCS_OK;
}

static ucs_status_t received(void *arg, const void *header, size_t length,
                             void *data, size_t size,
                             const ucp_am_recv_param_t *param)
{
    (void) arg;
    (void) data;
    (void) size;
    (void) param;
    ++seen;
    wrong += HEADER != length || 0 != memcmp(header, expected, HEADER);
    return UCS_OK;
}

static void need(ucs_status_t status, const char *what)
{
    if (UCS_OK != status) {
        fprintf(stderr, "%s: %s\n", what, ucs_status_string(status));
        exit(1);
    }
}

int main(void)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM};
    const ucp_worker_params_t worker_params = {.field_mask = 0};
    const ucp_am_handler_param_t handler = {.field_mask =
                                                UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                UCP_AM_HANDLER_PARAM_FIELD_CB,
                                            .id = ID,
                                            .cb = received};
    const ucp_generic_dt_ops_t ops = {.start_pack = start_pack,
                                      .start_unpack = start_unpack,
                                      .packed_size = packed_size,
                                      .pack = pack,
                                      .unpack = unpack,
                                      .finish = free};
    ucp_request_param_t send = {.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE |
                                                UCP_OP_ATTR_FIELD_FLAGS,
                                .flags = UCP_AM_SEND_FLAG_EAGER};
    ucp_ep_params_t to = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS};
    ucp_config_t *config;
    ucp_context_h context;
    ucp_worker_h worker[2];
    ucp_address_t *address;
    ucp_ep_h ep;
    size_t length;
    int sent = 0;

    need(ucp_config_read(NULL, NULL, &config), "ucp_config_read");
    need(ucp_init(&params, config, &context), "ucp_init");
    for (int i = 0; i < 2; ++i) {
        need(ucp_worker_create(context, &worker_params, &worker[i]),
             "ucp_worker_create");
    }
    need(ucp_worker_set_am_recv_handler(worker[1], &handler), "the handler");
    need(ucp_worker_get_address(worker[1], &address, &length), "the address");
    to.address = address;
    need(ucp_ep_create(worker[0], &to, &ep), "ucp_ep_create");
    need(ucp_dt_create_generic(&ops, NULL, &send.datatype), "the datatype");
    for (size_t count = 1; count <= 2000; count += 7) {
        void *request =
            ucp_am_send_nbx(ep, ID, expected, HEADER, NULL, count, &send);

        for (++sent; seen < sent ||
                     (UCS_PTR_IS_PTR(request) &&
                      UCS_INPROGRESS == ucp_request_check_status(request));) {
            ucp_worker_progress(worker[0]);
            ucp_worker_progress(worker[1]);
        }
        if (UCS_PTR_IS_PTR(request)) {
            ucp_request_free(request);
        }
    }
    printf("%d of %d headers are not what was sent\n", wrong, sent);
    puts(0 == wrong ? "RIGHT" : "WRONG");
    return 0;
}
