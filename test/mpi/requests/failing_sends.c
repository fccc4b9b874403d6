/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends that UCX accepts and that fail later: the wait for them returns an
 * error, by the error handler of their communicator, and all others go on.
 * Meanwhile another thread makes and frees communicators.
 *
 *     failing_sends [--times N]
 *
 * UCX fails when we tell it to: the plug-in's calls of ucp_am_send_nbx come
 * here, because the program's own symbols go first (it is linked with
 * -rdynamic). The data arrive all the same.
 */
#include <dlfcn.h>
#include <ucp/api/ucp.h>

#include "mpi_test.h"

#define TAG 131
#define SIZE (1 << 20)

typedef struct {
    ucp_send_nbx_callback_t done;
    void *arg;
} listener_t;

typedef ucs_status_ptr_t (*send_t)(ucp_ep_h ep, unsigned id, const void *header,
                                   size_t header_length, const void *buffer,
                                   size_t count,
                                   const ucp_request_param_t *param);

static _Thread_local bool failing; /* sends that this thread starts */
static int times, failures;

static send_t real_send(void)
{
    static send_t send;

    if (NULL == send) {
        void *ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);

        CHECK(NULL != ucp);
        send = (send_t) dlsym(ucp, "ucp_am_send_nbx");
        CHECK(NULL != send);
    }
    return send;
}

static void tell_failure(void *request, ucs_status_t status, void *arg)
{
    listener_t listener = *(listener_t *) arg;

    free(arg);
    __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
    listener.done(request, UCS_ERR_CONNECTION_RESET, listener.arg);
}

ucs_status_ptr_t ucp_am_send_nbx(ucp_ep_h ep, unsigned id, const void *header,
                                 size_t header_length, const void *buffer,
                                 size_t count, const ucp_request_param_t *param)
{
    ucp_request_param_t changed = *param;
    listener_t *listener;
    ucs_status_ptr_t request;

    if (!failing || SIZE != count ||
        0 == (param->op_attr_mask & UCP_OP_ATTR_FIELD_USER_DATA)) {
        return real_send()(ep, id, header, header_length, buffer, count, param);
    }
    listener = malloc(sizeof(*listener));
    CHECK(NULL != listener);
    *listener = (listener_t){param->cb.send, param->user_data};
    changed.cb.send = tell_failure;
    changed.user_data = listener;
    request =
        real_send()(ep, id, header, header_length, buffer, count, &changed);
    if (!UCS_PTR_IS_PTR(request)) {
        free(listener);
    }
    return request;
}

/* Every second one fails. */
static void send_all(MPI_Comm comm, int peer)
{
    unsigned char *out = mt_alloc(SIZE);
    MPI_Request request;

    for (int i = 0; i < times; ++i) {
        MT_CASE("send %d", i);
        mt_fill(out, SIZE, i);
        failing = 0 == i % 2;
        CHECK_OK(MPI_Isend(out, SIZE, MPI_BYTE, peer, TAG, comm, &request));
        failing = false;
        CHECK_RC(MPI_Wait(&request, MPI_STATUS_IGNORE),
                 0 == i % 2 ? MPI_ERR_OTHER : MPI_SUCCESS);
    }
    mt_free(out);
    CHECK_EQ(failures, (times + 1) / 2);
}

static void receive_all(MPI_Comm comm, int peer)
{
    unsigned char *in = mt_alloc(SIZE);

    for (int i = 0; i < times; ++i) {
        MT_CASE("receive %d", i);
        CHECK_RECV(in, SIZE, peer, TAG, comm, i);
    }
    mt_free(in);
}

/* More at a time than are foreseen at first. */
enum { AT_A_TIME = 200 };
static MPI_Comm others[AT_A_TIME];

static void make(int n)
{
    for (int i = 0; i < n; ++i) {
        CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &others[i]));
    }
}

static void unmake(int n)
{
    for (int i = 0; i < n; ++i) {
        CHECK_OK(MPI_Comm_free(&others[i]));
    }
}

static void *make_and_free(void *enough)
{
    MT_CASE("communicators come and go");
    do {
        make(AT_A_TIME);
        unmake(AT_A_TIME);
    } while (!__atomic_load_n((bool *) enough, __ATOMIC_RELAXED));
    return NULL;
}

/* With room for others before it, where they come and go. */
static MPI_Comm comm_of_sends(void)
{
    MPI_Comm comm;

    make(AT_A_TIME / 4);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    unmake(AT_A_TIME / 4);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

int main(int argc, char **argv)
{
    bool enough = false;
    pthread_t thread;
    MPI_Comm comm;
    int peer;

    mt_init_threads(&argc, &argv, 2, true);
    times = mt_option(argc, argv, "--times", 100);
    peer = mt_peer;
    comm = comm_of_sends();
    if (peer < mt_size) {
        CHECK_EQ(pthread_create(&thread, NULL, make_and_free, &enough), 0);
        (0 == mt_rank % 2 ? send_all : receive_all)(comm, peer);
        __atomic_store_n(&enough, true, __ATOMIC_RELAXED);
        CHECK_EQ(pthread_join(thread, NULL), 0);
    }
    MPI_Comm_free(&comm);
    return mt_finalize();
}
