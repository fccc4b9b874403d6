/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Large messages that may come in parts, by several connections, between
 * neighbours (ranks 0 and 1, 2 and 3, ...). All data are checked.
 *
 *     striped_messages CASE... [--cap BYTES] [--refuse at-once|later]
 *                      [--break N] [--one-way] [--times N] [--size BYTES]
 *
 * stream    one message after the other, in one direction
 * sizes     many at a time in both directions, in random order, of sizes around
 *           those that are striped, of all send modes, into buffers that fit or
 *           are longer, matched or probed; the blocks of some are strided
 * truncated receives that are too short
 * cancelled sends are cancelled that are matched or not
 * freed     messages wait on communicators that are freed
 * threads   three threads send and receive
 * pending   MPI_Finalize finds messages that nobody receives, and sends whose
 *           requests were freed and whose receives come late, all in parts: by
 *           champion's performance variables
 *
 * --cap      each connection carries no more than so many bytes in a second
 * --refuse   after the first message no further connection can be made: it is
 *            refused at once, or goes to a host that is not there
 * --break    of `stream`: while this message is under way, the connection that
 *            was made last is broken
 *
 * --one-way  of `stream`: the receiver sends nothing at all
 *
 * The program has the functions that UCX opens sockets with (it is linked with
 * -rdynamic): so connections are limited, and refused.
 */
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "mpi_test_variable.h"

#define TAG 160

static uint32_t cap; /* bytes per second; 0: none */
static const char *refused = "";
static bool refusing;
static uint32_t refusals;
static int times, size, broken;
static bool one_way;
static int last_fd = -1; /* connected last, after the first message */

/* ---- sockets ------------------------------------------------------------ */

static int limited(int fd)
{
    if (fd >= 0 && cap > 0) {
        setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &cap, sizeof(cap));
    }
    return fd;
}

int socket(int domain, int type, int protocol)
{
    int (*real)(int, int, int) =
        (int (*)(int, int, int)) dlsym(RTLD_NEXT, "socket");
    int fd = real(domain, type, protocol);

    return AF_INET == domain || AF_INET6 == domain ? limited(fd) : fd;
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    int (*real)(int, const struct sockaddr *, socklen_t) =
        (int (*)(int, const struct sockaddr *, socklen_t)) dlsym(RTLD_NEXT,
                                                                 "connect");
    struct sockaddr_in nobody = *(const struct sockaddr_in *) address;

    if (AF_INET == address->sa_family &&
        __atomic_load_n(&refusing, __ATOMIC_ACQUIRE)) {
        last_fd = fd;
    }
    if (AF_INET != address->sa_family || '\0' == *refused ||
        !__atomic_load_n(&refusing, __ATOMIC_ACQUIRE)) {
        return real(fd, address, length);
    }
    __atomic_fetch_add(&refusals, 1, __ATOMIC_RELAXED);
    if (0 == strcmp("later", refused)) {
        nobody.sin_addr.s_addr |= htonl(0xf0);
        return real(fd, (const struct sockaddr *) &nobody, sizeof(nobody));
    }
    errno = ECONNREFUSED;
    return -1;
}

int accept(int fd, struct sockaddr *restrict address,
           socklen_t *restrict length)
{
    int (*real)(int, struct sockaddr *, socklen_t *) =
        (int (*)(int, struct sockaddr *, socklen_t *)) dlsym(RTLD_NEXT,
                                                             "accept");

    return limited(real(fd, address, length));
}

/* ---- what is sent ------------------------------------------------------- */

/* By the random numbers that both neighbours draw from one seed. */
typedef struct message_t {
    int size; /* bytes */
    int tag;
    int mode;
    bool strided; /* every second block of 4096 bytes */
    uint64_t key;
} message_t;

static message_t draw(mt_random_t *random, int tag)
{
    static const int near[] = {65535, 65536,  65537,  262144,
                               99999, 524288, 700001, 1048583};

    return (message_t){
        .size = near[mt_below(random, MT_COUNT_OF(near))] +
                4096 * mt_below(random, 3),
        .tag = tag,
        .mode = mt_below(random, 3),
        .strided = 0 == mt_below(random, 5),
        .key = mt_next(random),
    };
}

static void start_send(const message_t *message, unsigned char *buffer,
                       MPI_Comm comm, MPI_Request *request)
{
    int count = message->size, position = 0;
    MPI_Datatype type = MPI_BYTE;

    if (message->strided) {
        unsigned char *packed = mt_payload(message->size, message->key);

        type = mt_vector(message->size / 4096, 4096, 8192, MPI_BYTE);
        count = 1;
        CHECK_OK(MPI_Unpack(packed, message->size, &position, buffer, 1, type,
                            comm));
        mt_free(packed);
    } else {
        mt_fill(buffer, message->size, message->key);
    }
    if (1 == message->mode) {
        CHECK_OK(MPI_Issend(buffer, count, type, mt_peer, message->tag, comm,
                            request));
    } else {
        CHECK_OK(MPI_Isend(buffer, count, type, mt_peer, message->tag, comm,
                           request));
    }
    if (message->strided) {
        CHECK_OK(MPI_Type_free(&type));
    }
}

/* What arrives of it: only whole blocks are sent if it is strided. */
static int arriving(const message_t *message)
{
    return message->strided ? message->size / 4096 * 4096 : message->size;
}

/* ---- cases -------------------------------------------------------------- */

/* So late that the message is under way. */
static void *break_last(void *arg)
{
    usleep(200000);
    (void) shutdown(last_fd, SHUT_RDWR);
    return NULL;
}

static void stream(MPI_Comm comm)
{
    unsigned char *buffer = mt_alloc(size);
    int word = 0;

    for (int i = 0; i < times; ++i) {
        MT_CASE("stream, message %d", i);
        if (0 == mt_rank % 2) {
            if (i > 0 && i == broken) {
                pthread_t thread;

                CHECK(last_fd >= 0);
                CHECK(0 == pthread_create(&thread, NULL, break_last, NULL));
                CHECK(0 == pthread_detach(thread));
            }
            mt_fill(buffer, size, mt_key(1, i, 0, 0));
            CHECK_OK(MPI_Send(buffer, size, MPI_BYTE, mt_peer, TAG, comm));
            if (!one_way) {
                CHECK_OK(MPI_Recv(&word, 1, MPI_INT, mt_peer, TAG, comm,
                                  MPI_STATUS_IGNORE));
            }
        } else {
            CHECK_RECV(buffer, size, mt_peer, TAG, comm, mt_key(1, i, 0, 0));
            if (!one_way) {
                CHECK_OK(MPI_Send(&word, 1, MPI_INT, mt_peer, TAG, comm));
            }
        }
    }
    mt_free(buffer);
}

enum { BURST = 12 };

static void receive(const message_t *message, bool probed, bool longer,
                    MPI_Comm comm)
{
    const int count = arriving(message), more = longer ? 100000 : 0;
    unsigned char *buffer = mt_alloc((size_t) (count + more));
    MPI_Message handle;
    MPI_Status status;

    if (probed) {
        CHECK_OK(MPI_Mprobe(mt_peer, message->tag, comm, &handle, &status));
        CHECK_STATUS(&status, mt_peer, message->tag, MPI_BYTE, count);
        CHECK_OK(MPI_Mrecv(buffer, count + more, MPI_BYTE, &handle, &status));
    } else {
        CHECK_OK(MPI_Recv(buffer, count + more, MPI_BYTE, mt_peer, message->tag,
                          comm, &status));
    }
    CHECK_STATUS(&status, mt_peer, message->tag, MPI_BYTE, count);
    CHECK_PAYLOAD(buffer, count, message->key);
    CHECK_UNTOUCHED(buffer + count, more);
    mt_free(buffer);
}

/* Both neighbours send a burst and receive one, each message by its tag, in an
 * order of its own. */
static void burst(MPI_Comm comm, int round, int first_tag)
{
    mt_random_t mine = mt_random(mt_key(2, round, mt_rank, first_tag));
    mt_random_t theirs = mt_random(mt_key(2, round, mt_peer, first_tag));
    MPI_Request requests[BURST];
    unsigned char *out[BURST];
    message_t in[BURST];

    for (int i = 0; i < BURST; ++i) {
        message_t message = draw(&mine, first_tag + i);

        out[i] = mt_alloc(2 * (size_t) message.size + 8192);
        start_send(&message, out[i], comm, &requests[i]);
        in[i] = draw(&theirs, first_tag + i);
    }
    for (int i = 0, at = mt_below(&mine, BURST); i < BURST; ++i) {
        receive(&in[at], 0 == mt_below(&mine, 4), 0 == mt_below(&mine, 4),
                comm);
        at = (at + 5) % BURST; /* 5 and BURST have no divisor in common */
    }
    CHECK_OK(MPI_Waitall(BURST, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < BURST; ++i) {
        mt_free(out[i]);
    }
}

static void sizes(MPI_Comm comm)
{
    for (int i = 0; i < times; ++i) {
        MT_CASE("sizes, round %d", i);
        burst(comm, i, TAG);
    }
}

static void truncated(MPI_Comm comm)
{
    const int length = 1 << 20, fits = length / 2;
    unsigned char *out = mt_alloc(length);
    unsigned char *in = mt_alloc(fits);
    MPI_Request request;

    mt_fill(out, length, 3);
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    for (int i = 0; i < times; ++i) {
        MT_CASE("truncated, message %d", i);
        CHECK_OK(
            MPI_Isend(out, length, MPI_BYTE, mt_peer, TAG, comm, &request));
        CHECK_RC(
            MPI_Recv(in, fits, MPI_BYTE, mt_peer, TAG, comm, MPI_STATUS_IGNORE),
            MPI_ERR_TRUNCATE);
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    MT_FREE(in, out);
}

/* The receiver takes every message that was not cancelled. */
static void cancelled(MPI_Comm comm)
{
    const int length = 1 << 20;
    unsigned char *out = mt_alloc(length);
    unsigned char *in = mt_alloc(length);
    MPI_Request request;
    MPI_Status status;
    int gone, tag;

    mt_fill(out, length, 4);
    for (int i = 0; i < times; ++i) {
        MT_CASE("cancelled, message %d", i);
        tag = TAG + 1 + i; /* not matched by the receive of the last one */
        if (0 == mt_rank % 2) {
            CHECK_OK(
                MPI_Isend(out, length, MPI_BYTE, mt_peer, tag, comm, &request));
            if (i % 3) {
                mt_progress(comm, i % 3);
            }
            CHECK_OK(MPI_Cancel(&request));
            CHECK_OK(MPI_Wait(&request, &status));
            CHECK_OK(MPI_Test_cancelled(&status, &gone));
            CHECK_OK(MPI_Send(&gone, 1, MPI_INT, mt_peer, TAG, comm));
        } else {
            CHECK_OK(
                MPI_Irecv(in, length, MPI_BYTE, mt_peer, tag, comm, &request));
            CHECK_OK(MPI_Recv(&gone, 1, MPI_INT, mt_peer, TAG, comm,
                              MPI_STATUS_IGNORE));
            if (gone) {
                CHECK_OK(MPI_Cancel(&request));
            }
            CHECK_OK(MPI_Wait(&request, &status));
            if (!gone) {
                CHECK_STATUS(&status, mt_peer, tag, MPI_BYTE, length);
                CHECK_PAYLOAD(in, length, 4);
            }
        }
    }
    MT_FREE(in, out);
}

/* Messages that are prefetched when their communicator goes. */
static void freed(MPI_Comm comm)
{
    const int length = 1 << 20;
    unsigned char *out = mt_payload(length, 5);
    MPI_Request requests[4];
    MPI_Comm own;
    for (int i = 0; i < times; ++i) {
        MT_CASE("freed, round %d", i);
        CHECK_OK(MPI_Comm_dup(comm, &own));
        for (int j = 0; j < 4; ++j) {
            CHECK_OK(MPI_Isend(out, length, MPI_BYTE, mt_peer, TAG, own,
                               &requests[j]));
        }
        mt_progress(comm, 1 + i % 3);
        CHECK_OK(MPI_Barrier(comm));
        CHECK_OK(MPI_Comm_free(&own));
        CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    }
    mt_free(out);
}

static void *thread(void *arg)
{
    const int number = *(int *) arg;

    for (int i = 0; i < times; ++i) {
        burst(MPI_COMM_WORLD, i, TAG + 100 * (1 + number));
    }
    return NULL;
}

static void threads(MPI_Comm comm)
{
    int numbers[] = {0, 1, 2};

    MT_CASE("threads");
    mt_in_threads(3, thread, numbers, sizeof(*numbers));
}

/* Nothing waits for further connections: exchange messages until both have got
 * one in parts. */
static void exchange_until_striped(MPI_Comm comm, unsigned char *out,
                                   unsigned char *in, int length,
                                   const mt_variable_t *striped)
{
    int done = 0, both = 0;

    for (int i = 0; i < 2000 && 0 == both; ++i) {
        CHECK_OK(MPI_Sendrecv(out, length, MPI_BYTE, mt_peer, TAG, in, length,
                              MPI_BYTE, mt_peer, TAG, comm, MPI_STATUS_IGNORE));
        done = mt_variable_value(striped) > 0;
        CHECK_OK(MPI_Allreduce(&done, &both, 1, MPI_INT, MPI_MIN, comm));
        usleep(1000);
    }
    CHECK(both);
}

static void pending(MPI_Comm comm)
{
    enum { SENT = 6, RECEIVED = 4 };
    static unsigned char out[1 << 20], in[1 << 20];
    mt_variable_t striped;
    MPI_Request request;
    MPI_Status status;
    int provided;
    unsigned long long before;

    MT_CASE("pending");
    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    striped = mt_variable("stripes_received", MPI_T_PVAR_CLASS_COUNTER,
                          MPI_COMM_NULL);
    mt_variable_start(&striped);
    mt_fill(out, sizeof(out), 6);
    exchange_until_striped(comm, out, in, sizeof(in), &striped);
    before = mt_variable_value(&striped);
    for (int i = 0; i < SENT; ++i) {
        CHECK_OK(MPI_Isend(out, sizeof(out), MPI_BYTE, mt_peer, TAG + i, comm,
                           &request));
        CHECK_OK(MPI_Request_free(&request));
    }
    if (0 != mt_rank % 2) {
        usleep(100000); /* the neighbour is in MPI_Finalize by now */
    }
    for (int i = 0; i < RECEIVED; ++i) {
        CHECK_OK(MPI_Recv(in, sizeof(in), MPI_BYTE, mt_peer, TAG + i, comm,
                          &status));
        CHECK_PAYLOAD(in, sizeof(in), 6);
    }
    CHECK(mt_variable_value(&striped) - before >= RECEIVED);
    mt_variable_release(&striped);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
}

static const struct {
    const char *name;
    void (*run)(MPI_Comm comm);
} cases[] = {
    {"stream", stream},       {"sizes", sizes}, {"truncated", truncated},
    {"cancelled", cancelled}, {"freed", freed}, {"threads", threads},
    {"pending", pending},
};

/* The first connections are made now, whatever happens to others. */
static void connect_first(void)
{
    unsigned char byte = 0;

    CHECK_OK(MPI_Sendrecv_replace(&byte, 1, MPI_BYTE, mt_peer, 0, mt_peer, 0,
                                  MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Before MPI_Init opens sockets. */
static void read_sockets(int argc, char **argv)
{
    cap = (uint32_t) mt_option(argc, argv, "--cap", 0);
    for (int i = 1; i + 1 < argc; ++i) {
        if (0 == strcmp("--refuse", argv[i])) {
            refused = argv[i + 1];
        }
    }
}

int main(int argc, char **argv)
{
    uint32_t tried = 0;

    read_sockets(argc, argv);
    mt_init_threads(&argc, &argv, 2, mt_flag(argc, argv, "threads"));
    times = mt_option(argc, argv, "--times", 10);
    size = mt_option(argc, argv, "--size", 1 << 20);
    broken = mt_option(argc, argv, "--break", 0);
    one_way = mt_flag(argc, argv, "--one-way");
    if (!one_way) {
        connect_first();
    }
    __atomic_store_n(&refusing, true, __ATOMIC_RELEASE);
    for (size_t i = 0; i < MT_COUNT_OF(cases); ++i) {
        if (mt_flag(argc, argv, cases[i].name)) {
            cases[i].run(MPI_COMM_WORLD);
        }
    }
    if ('\0' != *refused) {
        CHECK_OK(MPI_Reduce(&refusals, &tried, 1, MPI_UINT32_T, MPI_SUM, 0,
                            MPI_COMM_WORLD));
        if (0 == mt_rank) {
            printf("refused=%u\n", (unsigned) tried);
        }
    }
    return mt_finalize();
}
