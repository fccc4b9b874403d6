/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two processes that each make a further endpoint to the other one, in the
 * callback of an active message, at the same moment. See
 * README.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

enum { FURTHER = 3, STEPS = 30000, HELLO = 0, AGAIN = 1 };

static ucp_worker_h worker;
static void *theirs; /* the peer's address */
static int made;
static ucp_ep_h ep[1 + FURTHER];

static void good(ucs_status_t status)
{
    if (UCS_OK != status) {
        fprintf(stderr, "%s\n", ucs_status_string(status));
        exit(1);
    }
}

static void sent(void *request, ucs_status_t status, void *arg)
{
    (void) status;
    (void) arg;
    ucp_request_free(request);
}

static void say(ucp_ep_h to, unsigned id)
{
    static char data[30000];
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK,
        .cb.send = sent,
    };

    (void) ucp_am_send_nbx(to, id, NULL, 0, data, sizeof(data), &param);
}

static ucp_ep_h make(void)
{
    const ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
        .address = theirs,
    };
    ucp_ep_h new;

    good(ucp_ep_create(worker, &params, &new));
    return new;
}

static ucs_status_t heard(void *arg, const void *header, size_t header_length,
                          void *data, size_t length,
                          const ucp_am_recv_param_t *param)
{
    (void) arg;
    (void) header;
    (void) header_length;
    (void) data;
    (void) length;
    (void) param;
    while (made < FURTHER) {
        ep[++made] = make();
        say(ep[made], AGAIN);
    }
    return UCS_OK;
}

static void listen_for(unsigned id)
{
    const ucp_am_handler_param_t param = {
        .field_mask =
            UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB,
        .id = id,
        .cb = heard,
    };

    good(ucp_worker_set_am_recv_handler(worker, &param));
}

static void talk(int socket)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM};
    const ucp_worker_params_t worker_params = {.field_mask = 0};
    ucp_context_h context;
    ucp_address_t *mine;
    size_t length;

    good(ucp_init(&params, NULL, &context));
    good(ucp_worker_create(context, &worker_params, &worker));
    listen_for(HELLO);
    listen_for(AGAIN);
    good(ucp_worker_get_address(worker, &mine, &length));
    theirs = malloc(length);
    if ((ssize_t) length != write(socket, mine, length) ||
        (ssize_t) length != recv(socket, theirs, length, MSG_WAITALL)) {
        exit(1);
    }
    ep[0] = make();
    for (int i = 0; i < STEPS; ++i) {
        ucp_worker_progress(worker);
        if (0 == i % 2000) {
            say(ep[0], HELLO);
            usleep(100);
        }
    }
    /* Both have all that they wait for. */
    _exit(0);
}

/* One pair of processes. Did UCX read from a connection that it had closed? */
static int reads_closed(void)
{
    static char said[65536];
    size_t length = 0;
    ssize_t got;
    int pair[2], log[2];

    if (0 != socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || 0 != pipe(log)) {
        exit(1);
    }
    for (int i = 0; i < 2; ++i) {
        if (0 == fork()) {
            (void) dup2(log[1], STDOUT_FILENO);
            (void) dup2(log[1], STDERR_FILENO);
            close(pair[!i]);
            talk(pair[i]);
        }
    }
    close(log[1]);
    close(pair[0]);
    close(pair[1]);
    while ((got = read(log[0], said + length, sizeof(said) - 1 - length)) > 0) {
        length += (size_t) got;
    }
    close(log[0]);
    while (wait(NULL) > 0) {
    }
    said[length] = '\0';
    if (NULL == strstr(said, "recv(-1)")) {
        return 0;
    }
    fputs(said, stdout);
    return 1;
}

int main(void)
{
    enum { TRIALS = 60 };

    for (int i = 0; i < TRIALS; ++i) {
        if (reads_closed()) {
            puts("WRONG");
            return 1;
        }
    }
    puts("RIGHT");
    return 0;
}
