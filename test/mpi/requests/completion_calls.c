/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All ways to complete requests make progress by themselves and report the
 * right request and status: MPI_Test alone, Testany, Testsome, Testall, Wait,
 * Waitany, Waitsome, Waitall, MPI_Request_get_status; with empty, null and
 * inactive requests among them.
 */
#include "mpi_test.h"

#define NUM 40

enum {
    TEST,
    TESTANY,
    TESTSOME,
    TESTALL,
    WAIT,
    WAITANY,
    WAITSOME,
    WAITALL,
    GET_STATUS,
    NUM_CALLS
};
static const char *const calls[] = {
    "Test",    "Testany",  "Testsome", "Testall",           "Wait",
    "Waitany", "Waitsome", "Waitall",  "Request_get_status"};

static int size_of(int i)
{
    static const int sizes[] = {0, 8, 900, 5000, 9000, 70000, 400000};

    return sizes[i % (int) MT_COUNT_OF(sizes)];
}

typedef struct {
    MPI_Request request[NUM];
    unsigned char *buffer[NUM];
    bool done[NUM];
    bool is_receive;
    int step, left;
} set_t;

static void finish(set_t *set, int i, const MPI_Status *status)
{
    int from = set->is_receive ? mt_peer : mt_rank;

    CHECK(i >= 0 && i < NUM);
    CHECK(!set->done[i]);
    CHECK(MPI_REQUEST_NULL == set->request[i]);
    set->done[i] = true;
    --set->left;
    if (set->is_receive) {
        CHECK_STATUS(status, mt_peer, i, MPI_BYTE, size_of(i));
    }
    CHECK_PAYLOAD(set->buffer[i], size_of(i), mt_key(set->step, from, i, 0));
    mt_free(set->buffer[i]);
}

/* One call; completes none, one or several requests. */
static void complete_some(set_t *set, int call, mt_random_t *random)
{
    int index[NUM], flag = 0, n = 0, i = mt_below(random, NUM);
    MPI_Status status[NUM];

    switch (call) {
    case TEST:
    case WAIT:
    case GET_STATUS:
        while (set->done[i]) {
            i = (i + 1) % NUM;
        }
        if (TEST == call) {
            MPI_Test(&set->request[i], &flag, &status[0]);
        } else if (GET_STATUS == call) {
            MPI_Request_get_status(set->request[i], &flag, &status[0]);
            CHECK(MPI_REQUEST_NULL != set->request[i]);
            if (flag) {
                MPI_Request_free(&set->request[i]);
            }
        } else {
            MPI_Wait(&set->request[i], &status[0]);
            flag = 1;
        }
        if (flag) {
            index[n++] = i;
        }
        break;
    case TESTANY:
    case WAITANY:
        flag = 1;
        if (TESTANY == call) {
            MPI_Testany(NUM, set->request, &index[0], &flag, &status[0]);
        } else {
            MPI_Waitany(NUM, set->request, &index[0], &status[0]);
        }
        n = flag;
        break;
    case TESTSOME:
        MPI_Testsome(NUM, set->request, &n, index, status);
        break;
    case WAITSOME:
        MPI_Waitsome(NUM, set->request, &n, index, status);
        CHECK(n > 0);
        break;
    default:
        flag = 1;
        if (TESTALL == call) {
            MPI_Testall(NUM, set->request, &flag, status);
        } else {
            MPI_Waitall(NUM, set->request, status);
        }
        for (i = 0; flag && i < NUM; ++i) {
            index[n] = i;
            status[n++] = status[i];
        }
    }
    for (i = 0; i < n; ++i) {
        finish(set, index[i], &status[i]);
    }
}

static void start(set_t *set, bool is_receive, int step)
{
    *set = (set_t){.is_receive = is_receive, .step = step, .left = NUM};
    for (int i = 0; i < NUM; ++i) {
        set->buffer[i] = mt_alloc(size_of(i));
        if (is_receive) {
            mt_irecv(set->buffer[i], size_of(i), mt_peer, i, &set->request[i]);
        } else {
            mt_fill(set->buffer[i], size_of(i), mt_key(step, mt_rank, i, 0));
            (i % 3 ? mt_isend : mt_issend)(set->buffer[i], size_of(i), mt_peer,
                                           i, &set->request[i]);
        }
    }
}

/* Calls on nothing: null and inactive requests complete at once. */
static void nothing_to_complete(void)
{
    MPI_Request request[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                              MPI_REQUEST_NULL};
    MPI_Status status[3];
    int index[3], n, flag, data;

    MT_CASE("null and inactive requests");
    for (int inactive = 0; inactive < 2; ++inactive) {
        if (inactive) {
            MPI_Recv_init(&data, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD,
                          &request[1]);
        }
        MPI_Waitall(3, request, status);
        for (int i = 0; i < 3; ++i) {
            CHECK_STATUS(&status[i], MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_INT, 0);
        }
        MPI_Testall(3, request, &flag, status);
        CHECK(flag);
        MPI_Waitany(3, request, &n, status);
        CHECK_EQ(n, MPI_UNDEFINED);
        MPI_Testany(3, request, &n, &flag, status);
        CHECK(flag);
        CHECK_EQ(n, MPI_UNDEFINED);
        MPI_Waitsome(3, request, &n, index, status);
        CHECK_EQ(n, MPI_UNDEFINED);
        MPI_Testsome(3, request, &n, index, status);
        CHECK_EQ(n, MPI_UNDEFINED);
        MPI_Test(&request[1], &flag, status);
        CHECK(flag);
        MPI_Waitall(0, request, status);
    }
    MPI_Request_free(&request[1]);
}

int main(int argc, char **argv)
{
    mt_random_t random;
    int step = 0;

    mt_init(&argc, &argv, 2);
    random = mt_random(mt_rank);
    for (int r = 0; r < NUM_CALLS && mt_peer < mt_size; ++r) {
        for (int s = 0; s < NUM_CALLS; ++s, ++step) {
            set_t receives, sends;

            MT_CASE("receives by %s, sends by %s", calls[r], calls[s]);
            if (step % 2) {
                start(&receives, true, step);
                start(&sends, false, step);
            } else {
                start(&sends, false, step);
                start(&receives, true, step);
            }
            while (receives.left > 0) {
                complete_some(&receives, r, &random);
                if (sends.left > 0) {
                    complete_some(&sends, s, &random);
                }
            }
            while (sends.left > 0) {
                complete_some(&sends, s, &random);
            }
        }
    }
    nothing_to_complete();
    return mt_finalize();
}
