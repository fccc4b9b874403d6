/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A send can be cancelled until its message has been matched. First what has
 * to happen: messages that certainly wait are taken back, whatever the kind of
 * send and its size, those that certainly were matched are not. Then what may:
 * all ranks send to all, cancel some at random times, and receive in every way
 * there is; each message is received once or was cancelled, never both, never
 * neither.
 *
 *   --random      the second part only
 *   --rounds N    of the second part (20)
 *   --messages N  of each rank to all others, in each of these (200)
 *   --threads N   that do the second part at a time, each for itself (1)
 *   --large N     bytes of the largest message (300000)
 */
#include "mpi_test.h"

#define TAG 61
#define TAG_GO 62
#define TAG_NEXT 63
#define TAGS 5

enum { STANDARD, SYNCHRONOUS, BUFFERED, PERSISTENT, MODES };

static int large = 300000;

/* ---- what has to happen ------------------------------------------------- */

static void start(int mode, const void *data, int size, int peer, int tag,
                  MPI_Comm comm, MPI_Request *request)
{
    switch (mode) {
    case STANDARD:
        MPI_Isend(data, size, MPI_BYTE, peer, tag, comm, request);
        break;
    case SYNCHRONOUS:
        MPI_Issend(data, size, MPI_BYTE, peer, tag, comm, request);
        break;
    case BUFFERED:
        MPI_Ibsend(data, size, MPI_BYTE, peer, tag, comm, request);
        break;
    default:
        MPI_Send_init(data, size, MPI_BYTE, peer, tag, comm, request);
        MPI_Start(request);
    }
}

/* The request is complete: was it cancelled? */
static bool end(int mode, MPI_Request *request, MPI_Status *status)
{
    int flag;

    MPI_Test_cancelled(status, &flag);
    if (PERSISTENT == mode) {
        MPI_Request_free(request);
    }
    CHECK(MPI_REQUEST_NULL == *request);
    return flag;
}

static bool wait_for(int mode, MPI_Request *request)
{
    MPI_Status status;

    MPI_Wait(request, &status);
    return end(mode, request, &status);
}

static bool test_for(int mode, MPI_Request *request)
{
    MPI_Status status;
    int flag = 0;

    while (!flag) {
        MPI_Test(request, &flag, &status);
    }
    return end(mode, request, &status);
}

/* Two messages that nobody receives are taken back, in either order; those
 * before, between and after are received. */
static void taken_back(int mode, int size, int peer, int step)
{
    unsigned char *data = mt_alloc(size), others[3][16];
    MPI_Request request[2], sent[3];
    MPI_Status status;
    int first = step % 2;

    MT_CASE("taken back: mode %d, %d bytes", mode, size);
    if (0 == mt_rank % 2) {
        for (int i = 0; i < 3; ++i) {
            mt_fill(others[i], sizeof(others[i]), mt_key(1, i, 61, 0));
            mt_isend(others[i], sizeof(others[i]), peer, TAG, &sent[i]);
            if (i < 2) {
                start(mode, data, size, peer, TAG, MPI_COMM_WORLD, &request[i]);
            }
        }
        MPI_Cancel(&request[first]);
        MPI_Cancel(&request[first]);
        MPI_Cancel(&request[1 - first]);
        CHECK(wait_for(mode, &request[0]));
        CHECK(test_for(mode, &request[1]));
        mt_tell(peer, TAG_GO, MPI_COMM_WORLD);
        MPI_Waitall(3, sent, MPI_STATUSES_IGNORE);
    } else {
        mt_hear(peer, TAG_GO, MPI_COMM_WORLD);
        for (int i = 0; i < 3; ++i) {
            MPI_Recv(others[0], sizeof(others[0]), MPI_BYTE, MPI_ANY_SOURCE,
                     TAG, MPI_COMM_WORLD, &status);
            CHECK_STATUS(&status, peer, TAG, MPI_BYTE, (int) sizeof(others[0]));
            CHECK_PAYLOAD(others[0], sizeof(others[0]), mt_key(1, i, 61, 0));
        }
    }
    mt_free(data);
}

/* A message that has been matched is not cancelled. */
static void too_late(int mode, int size, int peer, bool probed)
{
    unsigned char *data = mt_alloc(size);
    uint64_t key = mt_key(2, size, 61, 0);
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;

    MT_CASE("too late: mode %d, %d bytes", mode, size);
    if (0 == mt_rank % 2) {
        mt_fill(data, size, key);
        start(mode, data, size, peer, TAG, MPI_COMM_WORLD, &request);
        mt_hear(peer, TAG_GO, MPI_COMM_WORLD);
        MPI_Cancel(&request);
        mt_tell(peer, TAG_NEXT, MPI_COMM_WORLD);
        CHECK(!wait_for(mode, &request));
    } else if (probed) {
        MPI_Mprobe(peer, TAG, MPI_COMM_WORLD, &message, &status);
        mt_tell(peer, TAG_GO, MPI_COMM_WORLD);
        mt_hear(peer, TAG_NEXT, MPI_COMM_WORLD);
        MPI_Mrecv(data, size, MPI_BYTE, &message, &status);
        CHECK_PAYLOAD(data, size, key);
    } else {
        MPI_Recv(data, size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &status);
        mt_tell(peer, TAG_GO, MPI_COMM_WORLD);
        mt_hear(peer, TAG_NEXT, MPI_COMM_WORLD);
        CHECK_PAYLOAD(data, size, key);
    }
    mt_free(data);
}

/* A process sends to itself. */
static void to_oneself(int mode, int size)
{
    unsigned char *data = mt_alloc(size), *in = mt_alloc(size);
    uint64_t key = mt_key(3, size, 61, 0);
    MPI_Request request, receive;

    MT_CASE("to oneself: mode %d, %d bytes", mode, size);
    mt_fill(data, size, key);
    start(mode, data, size, 0, TAG, MPI_COMM_SELF, &request);
    MPI_Cancel(&request);
    CHECK(wait_for(mode, &request));
    CHECK(!mt_is_there(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF));
    MPI_Irecv(in, size, MPI_BYTE, 0, TAG, MPI_COMM_SELF, &receive);
    start(mode, data, size, 0, TAG, MPI_COMM_SELF, &request);
    MPI_Cancel(&request);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    CHECK(!wait_for(mode, &request));
    CHECK_PAYLOAD(in, size, key);
    MT_FREE(in, data);
}

/* More sends than requests are kept for at first. Those that are not cancelled
 * are received. */
static void many(int peer, int number)
{
    MPI_Request *request = malloc(number * sizeof(*request));
    int *values = malloc(number * sizeof(*values));
    int cancelled = 0, left = -1, value;
    MPI_Status status;

    MT_CASE("many: %d", number);
    if (0 == mt_rank % 2) {
        for (int i = 0; i < number; ++i) {
            values[i] = i;
            MPI_Isend(&values[i], 1, MPI_INT, peer, TAG, MPI_COMM_WORLD,
                      &request[i]);
        }
        for (int i = number - 1; i >= 0; --i) {
            MPI_Cancel(&request[i]);
        }
        for (int i = 0; i < number; ++i) {
            cancelled += wait_for(STANDARD, &request[i]);
        }
        CHECK(cancelled >= (number < 64 ? number : 64));
        left = number - cancelled;
        MPI_Send(&left, 1, MPI_INT, peer, TAG_GO, MPI_COMM_WORLD);
    } else {
        /* Whatever is not cancelled may have to be received first. */
        MPI_Recv(&left, 1, MPI_INT, peer, TAG_GO, MPI_COMM_WORLD, &status);
        for (int i = 0, last = -1; i < left; ++i, last = value) {
            MPI_Recv(&value, 1, MPI_INT, peer, TAG, MPI_COMM_WORLD, &status);
            CHECK(value > last && value < number);
        }
    }
    free(values);
    free(request);
}

static void what_has_to(void)
{
    const int sizes[] = {0, 8, 65, 1000, 6000, 20000, large};
    int peer = mt_peer, step = 0;

    for (int mode = 0; mode < MODES; ++mode) {
        for (size_t i = 0; i < MT_COUNT_OF(sizes); ++i) {
            to_oneself(mode, sizes[i]);
            if (peer >= mt_size) {
                continue;
            }
            for (int times = 0; times < 4; ++times) {
                taken_back(mode, sizes[i], peer, step++);
            }
            too_late(mode, sizes[i], peer, false);
            too_late(mode, sizes[i], peer, true);
        }
    }
    if (peer < mt_size) {
        many(peer, 50);
        many(peer, 5000);
        many(peer, 5000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- what may ----------------------------------------------------------- */

/* Header of a message. */
typedef struct head_t {
    int round, source, id, tag;
} head_t;

enum { MINIMUM = (int) sizeof(head_t) };

typedef struct send_t {
    unsigned char *data;
    MPI_Request request;
    int peer, size, mode;
    bool asked, complete, cancelled, forgotten;
} send_t;

enum { RECEIVES = 4 };

typedef struct worker_t {
    MPI_Comm comm, reports;
    mt_random_t random;
    int index, rounds, messages;
    int round;
    send_t *sends;
    int begun, complete;
    int *seen;   /* [source][id]: number of receives */
    char *fates; /* [source][id]: as reported by its sender */
    unsigned char *in[RECEIVES];
    MPI_Request receive[RECEIVES];
    long received, cancelled;
    bool lazy; /* this rank receives nothing for now */
} worker_t;

static int size_of(worker_t *worker)
{
    const int limits[] = {32, 200, 1100, 9000, 70000, large};
    int limit = limits[mt_below(&worker->random, MT_COUNT_OF(limits))];

    limit = limit > large ? large : limit;
    return MINIMUM + mt_below(&worker->random, limit - MINIMUM);
}

static uint64_t key_of(const worker_t *worker, const head_t *head)
{
    return mt_key(head->round, head->source, head->id, worker->index);
}

static void begin_send(worker_t *worker)
{
    send_t *send = &worker->sends[worker->begun];
    head_t head = {worker->round, mt_rank, worker->begun,
                   mt_below(&worker->random, TAGS)};

    send->peer = mt_below(&worker->random, mt_size);
    send->size = size_of(worker);
    send->mode = mt_below(&worker->random, MODES);
    if (BUFFERED == send->mode && send->size > 2000) {
        send->mode = STANDARD;
    }
    send->data = mt_payload(send->size, key_of(worker, &head));
    memcpy(send->data, &head, sizeof(head));
    send->asked = send->complete = send->cancelled = send->forgotten = false;
    start(send->mode, send->data, send->size, send->peer, head.tag,
          worker->comm, &send->request);
    ++worker->begun;
}

static send_t *some_send(worker_t *worker)
{
    send_t *send;

    if (0 == worker->begun) {
        return NULL;
    }
    send = &worker->sends[mt_below(&worker->random, worker->begun)];
    return send->complete ? NULL : send;
}

static void cancel_send(worker_t *worker, send_t *send)
{
    if (NULL == send || send->asked) {
        return;
    }
    send->asked = true;
    MPI_Cancel(&send->request);
    /* Small ones may be forgotten, whose data have been copied. */
    if (PERSISTENT != send->mode && send->size < 100 &&
        0 == mt_below(&worker->random, 8)) {
        MPI_Request_free(&send->request);
        send->forgotten = true;
        send->complete = true;
        ++worker->complete;
    }
}

static void test_send(worker_t *worker, send_t *send)
{
    MPI_Status status;
    int flag;

    if (NULL == send) {
        return;
    }
    MPI_Test(&send->request, &flag, &status);
    if (!flag) {
        return;
    }
    send->complete = true;
    send->cancelled = end(send->mode, &send->request, &status);
    CHECK(!send->cancelled || send->asked);
    worker->cancelled += send->cancelled;
    ++worker->complete;
}

static void message_came(worker_t *worker, const unsigned char *data,
                         MPI_Status *status)
{
    unsigned char *expected;
    head_t head;
    int size;

    MPI_Get_count(status, MPI_BYTE, &size);
    CHECK(size >= MINIMUM);
    memcpy(&head, data, sizeof(head));
    CHECK(head.id >= 0 && head.id < worker->messages);
    CHECK(head.source == status->MPI_SOURCE && head.tag == status->MPI_TAG);
    CHECK_EQ(head.round, worker->round);
    expected = mt_payload(size, key_of(worker, &head));
    CHECK(0 == memcmp(data + sizeof(head), expected + sizeof(head),
                      (size_t) size - sizeof(head)));
    mt_free(expected);
    ++worker->seen[head.source * worker->messages + head.id];
    ++worker->received;
}

static void receive_probed_from(worker_t *worker, int source, int tag)
{
    unsigned char *data;
    MPI_Message message;
    MPI_Status status;
    int flag, size;

    MPI_Improbe(source, tag, worker->comm, &flag, &message, &status);
    if (!flag) {
        return;
    }
    MPI_Get_count(&status, MPI_BYTE, &size);
    data = mt_alloc(size);
    MPI_Mrecv(data, size, MPI_BYTE, &message, &status);
    message_came(worker, data, &status);
    mt_free(data);
}

static int some_source(worker_t *worker)
{
    return mt_below(&worker->random, 2) ? MPI_ANY_SOURCE
                                        : mt_below(&worker->random, mt_size);
}

static int some_tag(worker_t *worker)
{
    return mt_below(&worker->random, 2) ? MPI_ANY_TAG
                                        : mt_below(&worker->random, TAGS);
}

static void receive_probed(worker_t *worker)
{
    int source = some_source(worker);

    receive_probed_from(worker, source, some_tag(worker));
}

static void post(worker_t *worker, int which)
{
    int source = some_source(worker);

    MPI_Irecv(worker->in[which], large, MPI_BYTE, source, some_tag(worker),
              worker->comm, &worker->receive[which]);
}

static void receive_posted(worker_t *worker)
{
    int which = mt_below(&worker->random, RECEIVES), flag;
    MPI_Status status;

    if (MPI_REQUEST_NULL == worker->receive[which]) {
        post(worker, which);
        return;
    }
    MPI_Test(&worker->receive[which], &flag, &status);
    if (flag) {
        message_came(worker, worker->in[which], &status);
    }
}

/* Cancel the receives that have no message. */
static void withdraw_posted(worker_t *worker)
{
    MPI_Status status;
    int flag;

    for (int i = 0; i < RECEIVES; ++i) {
        if (MPI_REQUEST_NULL == worker->receive[i]) {
            continue;
        }
        MPI_Cancel(&worker->receive[i]);
        MPI_Wait(&worker->receive[i], &status);
        MPI_Test_cancelled(&status, &flag);
        if (!flag) {
            message_came(worker, worker->in[i], &status);
        }
    }
}

/* Only make progress for a while, which delays the messages of this rank. */
static void idle(worker_t *worker)
{
    for (int i = mt_below(&worker->random, 8); i > 0; --i) {
        mt_progress(worker->reports, 1);
    }
}

static void act(worker_t *worker)
{
    switch (mt_below(&worker->random, 12)) {
    case 0:
    case 1:
    case 2:
        if (worker->begun < worker->messages) {
            begin_send(worker);
            if (0 == mt_below(&worker->random, 3)) {
                cancel_send(worker, &worker->sends[worker->begun - 1]);
            }
        }
        break;
    case 3:
    case 4:
        cancel_send(worker, some_send(worker));
        break;
    case 5:
    case 6:
    case 7:
        test_send(worker, some_send(worker));
        break;
    case 8:
        idle(worker);
        break;
    case 9:
        worker->lazy = worker->begun < worker->messages &&
                       0 != mt_below(&worker->random, 3);
        break;
    case 10:
        if (!worker->lazy) {
            receive_posted(worker);
        }
        break;
    default:
        if (!worker->lazy) {
            receive_probed(worker);
        }
    }
}

enum { NOT_FOR_YOU, SENT, CANCELLED, FORGOTTEN };

/* Exchange with all ranks what became of the messages. */
static void exchange_fates(worker_t *worker)
{
    size_t all = (size_t) worker->messages * (size_t) mt_size;
    char *fates = calloc(all, 1);
    MPI_Request request;
    int flag = 0;

    for (int i = 0; i < worker->messages; ++i) {
        const send_t *send = &worker->sends[i];

        fates[send->peer * worker->messages + i] =
            (char) (send->forgotten   ? FORGOTTEN
                    : send->cancelled ? CANCELLED
                                      : SENT);
    }
    MPI_Ialltoall(fates, worker->messages, MPI_CHAR, worker->fates,
                  worker->messages, MPI_CHAR, worker->reports, &request);
    /* The others may wait for this rank to receive. */
    while (!flag) {
        receive_posted(worker);
        receive_probed(worker);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    free(fates);
}

/* Is there a message that was sent, and has not been received? */
static bool is_missing(const worker_t *worker)
{
    for (int i = 0; i < worker->messages * mt_size; ++i) {
        if (SENT == worker->fates[i] && 0 == worker->seen[i]) {
            return true;
        }
    }
    return false;
}

static void check_fates(const worker_t *worker)
{
    for (int i = 0; i < worker->messages * mt_size; ++i) {
        int source = i / worker->messages, id = i % worker->messages;
        int fate = worker->fates[i], seen = worker->seen[i];

        MT_CASE("round %d: message %d of rank %d: fate %d, received %d times",
                worker->round, id, source, fate, seen);
        CHECK(SENT == fate ? 1 == seen : FORGOTTEN == fate || 0 == seen);
        CHECK(seen <= 1);
    }
}

/* What was forgotten may still be on its way, until a message behind it in its
 * pair of processes has come. */
static void flush(worker_t *worker)
{
    MPI_Request *requests = malloc(mt_size * sizeof(*requests));
    long before;

    MPI_Barrier(worker->reports); /* nobody takes it for another one */
    for (int i = 0; i < mt_size; ++i) {
        MPI_Isend(NULL, 0, MPI_BYTE, i, TAGS, worker->comm, &requests[i]);
    }
    for (int i = 0; i < mt_size; ++i) {
        mt_hear(i, TAGS, worker->comm);
    }
    MPI_Waitall(mt_size, requests, MPI_STATUSES_IGNORE);
    free(requests);
    do {
        before = worker->received;
        for (int i = 0; i < mt_size; ++i) {
            for (int tag = 0; tag < TAGS; ++tag) {
                receive_probed_from(worker, i, tag);
            }
        }
    } while (before != worker->received);
}

static void one_round(worker_t *worker)
{
    size_t all = (size_t) worker->messages * (size_t) mt_size;

    MT_CASE("round %d", worker->round);
    worker->begun = worker->complete = 0;
    worker->lazy = false;
    memset(worker->seen, 0, all * sizeof(*worker->seen));
    while (worker->complete < worker->messages) {
        act(worker);
    }
    exchange_fates(worker);
    while (is_missing(worker)) {
        receive_posted(worker);
        receive_probed(worker);
    }
    withdraw_posted(worker);
    flush(worker);
    check_fates(worker);
    for (int i = 0; i < worker->messages; ++i) {
        mt_free(worker->sends[i].data);
    }
    MPI_Barrier(worker->reports);
}

static void *work(void *arg)
{
    worker_t *worker = arg;
    size_t all = (size_t) worker->messages * (size_t) mt_size;

    worker->random = mt_random((uint64_t) (mt_rank * 100 + worker->index));
    worker->sends = malloc(worker->messages * sizeof(send_t));
    worker->seen = malloc(all * sizeof(*worker->seen));
    worker->fates = malloc(all);
    for (int i = 0; i < RECEIVES; ++i) {
        worker->in[i] = mt_alloc(large);
        worker->receive[i] = MPI_REQUEST_NULL;
    }
    for (worker->round = 0; worker->round < worker->rounds; ++worker->round) {
        one_round(worker);
    }
    for (int i = 0; i < RECEIVES; ++i) {
        mt_free(worker->in[i]);
    }
    free(worker->fates);
    free(worker->seen);
    free(worker->sends);
    return NULL;
}

static void what_may(int threads, int rounds, int messages)
{
    worker_t *workers = calloc(threads, sizeof(*workers));
    long sums[2] = {0, 0}, all[2];

    for (int i = 0; i < threads; ++i) {
        workers[i].index = i;
        workers[i].rounds = rounds;
        workers[i].messages = messages;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].reports);
    }
    mt_in_threads(threads, work, workers, sizeof(*workers));
    for (int i = 0; i < threads; ++i) {
        sums[0] += workers[i].received;
        sums[1] += workers[i].cancelled;
        MPI_Comm_free(&workers[i].comm);
        MPI_Comm_free(&workers[i].reports);
    }
    MPI_Allreduce(sums, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (0 == mt_rank) {
        printf("send_cancel: %ld received, %ld cancelled\n", all[0], all[1]);
    }
    CHECK(0 == rounds || (all[0] > 0 && all[1] > 0));
    free(workers);
}

int main(int argc, char **argv)
{
    long threads = 1;

    /* Looked for before MPI has seen the arguments. */
    threads = mt_option(argc, argv, "--threads", 1);
    mt_init_threads(&argc, &argv, 1, threads > 1);
    large = mt_option(argc, argv, "--large", large);
    mt_attach(1 << 24);
    if (!mt_flag(argc, argv, "--random")) {
        what_has_to();
    }
    what_may((int) threads, mt_option(argc, argv, "--rounds", 20),
             mt_option(argc, argv, "--messages", 200));
    mt_detach();
    return mt_finalize();
}
