/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Small messages within a node, through rings, or by UCX if there is no ring or
 * the ring is full.
 *
 *     rings sizes    all sizes about the edges of a ring's slots and of
 *                    fragments, more of them than a ring takes, contiguous and
 *                    not
 *     rings sizes --limit fsize | nofile
 *                    the same where odd ranks can make no shared memory, or
 *                    open none
 *     rings pieces   messages in fragments to receives of all kinds
 *     rings even     each rank sends alike to all others
 *     rings oneway   each even rank sends to the next one, which never answers
 *     rings absent   senders leave MPI when their sends are complete
 *     rings killed   a rank is killed while others send to it
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "mpi_test.h"

enum { LARGEST = 70000, OFTEN = 5000, TAG = 7 };

static uint64_t key_of(int from, int i)
{
    return mt_key(mt_seed, from, i, 12);
}

/* Every length that may be special: 104 bytes of the first slot, 128 of others,
 * what is packed, what goes in fragments of 4096, what is left to UCX. */
static int length_of(int i)
{
    static const int edges[] = {0,    64,   104,  232,   360,   1024,
                                4072, 4096, 8192, 16384, 32768, 65536};
    int n = (int) MT_COUNT_OF(edges);

    if (i % 3 == 0) {
        return i % 130;
    }
    if (i % 3 == 1) {
        int length = edges[i / 3 % n] + i / 3 / n % 3 - 1;
        return length < 0 ? 0 : length;
    }
    return (int) (mt_mix(i) % (i % 12 == 2 ? LARGEST : OFTEN));
}

static void spread(unsigned char *to, int length, uint64_t key)
{
    static unsigned char packed[LARGEST + 8];

    mt_fill(packed, length, key);
    for (int i = 0; i < length; ++i) {
        to[2 * i] = packed[i];
    }
}

static void send_spread(int i, int peer, MPI_Request *request)
{
    static unsigned char buffer[2 * (LARGEST + 8)];
    MPI_Datatype type = mt_vector(length_of(i), 1, 2, MPI_BYTE);

    spread(buffer, length_of(i), key_of(mt_rank, i));
    MPI_Send(buffer, 1, type, peer, TAG, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    *request = MPI_REQUEST_NULL;
}

/* A window of sends that fills every ring, while no receive is posted. */
static void window(int first, int count)
{
    int to = mt_after, from = mt_before;
    MPI_Request *request = calloc(count, sizeof(*request));
    unsigned char **buffer = calloc(count, sizeof(*buffer));
    unsigned char *in = mt_alloc(LARGEST + 8);
    MPI_Status status;

    for (int i = 0; i < count; ++i) {
        int length = length_of(first + i);

        buffer[i] = mt_payload(length, key_of(mt_rank, first + i));
        if (i % 7 == 6 && i < 60 && length <= 4096) {
            send_spread(first + i, to, &request[i]);
        } else {
            mt_isend(buffer[i], length, to, TAG, &request[i]);
        }
    }
    for (int i = 0; i < count; ++i) {
        int length = length_of(first + i);

        MPI_Recv(in, LARGEST + 8, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &status);
        CHECK_STATUS(&status, from, TAG, MPI_BYTE, length);
        CHECK_PAYLOAD(in, length, key_of(from, first + i));
    }
    MPI_Waitall(count, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; ++i) {
        mt_free(buffer[i]);
    }
    mt_free(in);
    free(buffer);
    free(request);
}

static void limit_set(int resource, rlim_t most)
{
    struct rlimit limit;

    CHECK_EQ(getrlimit(resource, &limit), 0);
    limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
    CHECK_EQ(setrlimit(resource, &limit), 0);
}

static void unlimit(void)
{
    limit_set(RLIMIT_FSIZE, RLIM_INFINITY);
    limit_set(RLIMIT_NOFILE, RLIM_INFINITY);
}

/* All ranks know each other from here on; with a ring if few messages are
 * enough for one. */
static void meet(void)
{
    char out = 1, in = 0;

    MT_CASE("meeting");
    for (int i = 0; i < 40; ++i) {
        int to = (mt_rank + 1 + i) % mt_size;
        int from = (mt_rank + 2 * mt_size - 1 - i % mt_size) % mt_size;

        mt_swap(&out, 1, to, &in, 1, from, TAG);
    }
}

/* Have UCX connect, too: a long synchronous message goes by it. */
static void connect_all(void)
{
    static char out[4000], in[4000];
    MPI_Request request;

    MPI_Issend(out, sizeof(out), MPI_CHAR, mt_after, TAG, MPI_COMM_WORLD,
               &request);
    MPI_Recv(in, sizeof(in), MPI_CHAR, mt_before, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* From now on odd ranks cannot make or open files. */
static void limit(const char *what)
{
    int fd = dup(STDERR_FILENO);

    connect_all();

    close(fd);
    if (0 == mt_rank % 2) {
        return;
    }
    if (0 == strcmp(what, "fsize")) {
        limit_set(RLIMIT_FSIZE, 4096);
    } else {
        limit_set(RLIMIT_NOFILE, (rlim_t) fd);
        /* Another thread may have had one open for a moment. */
        for (int i = 0; i < 5; ++i) {
            usleep(1000);
            while (dup(STDERR_FILENO) >= 0) {
            }
        }
    }
}

/* Messages in fragments to receives of all kinds: posted or not, not
 * contiguous, too small. */
static void pieces(void)
{
    enum { COUNT = 24 };
    static const int length[] = {1025, 4097, 8192, 20000, 32767, 40001, 65536};
    static unsigned char out[2 * LARGEST], in[COUNT][2 * LARGEST];
    int to = mt_after, from = mt_before;

    for (int i = 0; i < COUNT * (int) MT_COUNT_OF(length); ++i) {
        int bytes = length[i / COUNT], posted = i & 1, part = i & 2,
            cut = i & 4;
        int room = cut ? bytes / 2 + 3 : bytes, k = i % COUNT;
        MPI_Datatype type = mt_vector(bytes, 1, 2, MPI_BYTE),
                     half = mt_vector(room, 1, 2, MPI_BYTE);
        unsigned char *expected = mt_payload(bytes, key_of(mt_rank, i));
        MPI_Request request[2];
        MPI_Status status[2];

        MT_CASE("pieces of %d bytes, %s%s%s", bytes, posted ? "posted" : "late",
                part ? ", not contiguous" : "", cut ? ", truncated" : "");
        memset(in[k], 0x5a, sizeof(in[k]));
        for (int pass = 0; pass < 2; ++pass) {
            if (pass == posted) {
                if (i & 8) {
                    spread(out, bytes, key_of(mt_rank, i));
                    MPI_Isend(out, 1, type, to, TAG, MPI_COMM_WORLD,
                              &request[0]);
                } else {
                    mt_isend(expected, bytes, to, TAG, &request[0]);
                }
                continue;
            }
            if (!posted) {
                continue;
            }
            MPI_Irecv(in[k], part ? 1 : room, part ? half : MPI_BYTE, from, TAG,
                      MPI_COMM_WORLD, &request[1]);
        }
        if (!posted) {
            MPI_Probe(from, TAG, MPI_COMM_WORLD, &status[1]);
            CHECK_STATUS(&status[1], from, TAG, MPI_BYTE, bytes);
            MPI_Irecv(in[k], part ? 1 : room, part ? half : MPI_BYTE, from, TAG,
                      MPI_COMM_WORLD, &request[1]);
        }
        MPI_Wait(&request[0], &status[0]);
        CHECK_EQ(cut ? MPI_ERR_TRUNCATE : MPI_SUCCESS,
                 mt_class_of(MPI_Wait(&request[1], &status[1])));
        mt_fill(expected, bytes, key_of(from, i));
        for (int at = 0; at < 2 * LARGEST; ++at) {
            int step = part ? 2 : 1, is = at % step == 0 && at / step < room;

            /* What a message that is too long leaves in the buffer is up to
             * the library; what is around it is not. */
            if (!is) {
                CHECK_EQ(0x5a, in[k][at]);
            } else if (!cut) {
                CHECK_EQ(expected[at / step], in[k][at]);
            }
        }
        mt_free(expected);
        MPI_Type_free(&type);
        MPI_Type_free(&half);
    }
}

static void sizes(void)
{
    for (int round = 0; round < 6; ++round) {
        MT_CASE("sizes, round %d", round);
        window(round * 1000, 100 + 300 * round);
    }
}

/* One message each way, at distances of 1 to the largest one. */
static void exchange_round(int i, int largest)
{
    for (int distance = 1; distance <= largest; ++distance) {
        const int to = (mt_rank + distance) % mt_size,
                  from = (mt_rank + mt_size - distance) % mt_size;
        const size_t length = (size_t) (i % 200);
        unsigned char out[200], in[200];

        mt_fill(out, length, key_of(mt_rank, i));
        mt_swap(out, length, to, in, sizeof(in), from, TAG);
        CHECK_PAYLOAD(in, length, key_of(from, i));
    }
}

static void exchange(int largest)
{
    for (int i = 0; i < 100; ++i) {
        MT_CASE("distances up to %d, round %d", largest, i);
        exchange_round(i, largest);
    }
}

/* Signal another process without MPI, or wait for its signal. */
static void call_out(const char *path)
{
    int fd = open(path, O_WRONLY);

    CHECK(fd >= 0);
    CHECK_EQ(write(fd, "", 1), 1);
    close(fd);
}

static void listen_to(const char *path)
{
    int fd = open(path, O_RDONLY);
    char byte;

    CHECK(fd >= 0);
    CHECK_EQ(read(fd, &byte, 1), 1);
    close(fd);
}

/* Even ranks send and leave MPI; their receivers need no more of them. */
static void absent(void)
{
    enum { MESSAGES = 1000, BYTES = 100 };
    static unsigned char data[MESSAGES][BYTES];
    static MPI_Request request[MESSAGES];
    char folder[64] = "/tmp/champion-rings-XXXXXX", path[128];
    int peer = mt_peer;

    MT_CASE("senders that are absent");
    if (0 == mt_rank) {
        CHECK(NULL != mkdtemp(folder));
    }
    MPI_Bcast(folder, sizeof(folder), MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof(path), "%s/%d", folder, mt_rank & ~1);
    if (0 == mt_rank % 2) {
        CHECK_EQ(mkfifo(path, 0600), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MESSAGES && peer < mt_size; ++i) {
        if (0 == mt_rank % 2) {
            mt_fill(data[i], BYTES, key_of(mt_rank, i));
            mt_isend(data[i], BYTES, peer, TAG, &request[i]);
        } else {
            CHECK_RECV(data[i], BYTES, peer, TAG, MPI_COMM_WORLD,
                       key_of(peer, i));
        }
    }
    if (peer < mt_size && 0 == mt_rank % 2) {
        MPI_Waitall(MESSAGES, request, MPI_STATUSES_IGNORE);
        listen_to(path);
    } else if (peer < mt_size) {
        call_out(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == mt_rank % 2) {
        unlink(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == mt_rank) {
        rmdir(folder);
    }
}

static void killed(void)
{
    unsigned char data[64] = {0};

    MT_CASE("a rank that is killed");
    for (int i = 0;; ++i) {
        if (0 != mt_rank) {
            mt_send(data, sizeof(data), 0, TAG);
        } else if (i < 5000) {
            MPI_Recv(data, sizeof(data), MPI_BYTE, MPI_ANY_SOURCE, TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            raise(SIGKILL);
        }
    }
}

/* Nothing was sent before. The sender never looks for messages; the receiver
 * keeps up, because its FIFO has room for few. */
static void oneway(void)
{
    enum { MESSAGES = 4000, SIZE = 8 };
    const int to = mt_rank + 1, from = mt_rank - 1;

    for (int i = 0; i < MESSAGES; ++i) {
        unsigned char data[SIZE];

        if (0 == mt_rank % 2 && to < mt_size) {
            mt_fill(data, SIZE, key_of(mt_rank, i));
            mt_send(data, SIZE, to, TAG);
        } else if (0 != mt_rank % 2) {
            CHECK_RECV(data, SIZE, from, TAG, MPI_COMM_WORLD, key_of(from, i));
        }
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "sizes";

    mt_init(&argc, &argv, 2);
    if (0 == strcmp(what, "oneway")) {
        oneway();
        return mt_finalize();
    }
    meet();
    if (argc > 3 && 0 == strcmp(argv[2], "--limit")) {
        limit(argv[3]);
    }
    if (0 == strcmp(what, "sizes")) {
        sizes();
    } else if (0 == strcmp(what, "pieces")) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        pieces();
    } else if (0 == strcmp(what, "even")) {
        exchange(mt_size - 1);
    } else if (0 == strcmp(what, "absent")) {
        absent();
    } else if (0 == strcmp(what, "killed")) {
        killed();
    } else {
        CHECK(!"a case that is known");
    }
    unlimit();
    return mt_finalize();
}
