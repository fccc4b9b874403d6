/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Buffers in the memory of a device arrive whole, whatever the call, the size
 * and the datatype, between devices and between device and host; and the host
 * never touches them. The device is the stand-in of stand_in.c: its memory is
 * mapped here twice, without any access at the address that MPI is given, so
 * that a process that touches it ends with SIGSEGV.
 *
 * Arguments:
 *   --open        the memory can be accessed at both addresses, as UCX would if
 *                 it knew the device
 *   --threads     by several threads at a time
 *   --one-sided   only one-sided communication
 *
 * Collective calls that compute are not here: the components of Open MPI that
 * can do so with device memory are in no Debian package.
 */
#include "mpi_test.h"

#include <sys/mman.h>

enum { THREADS = 3, AREAS = 4096 };

static bool is_open;

/* ---- memory ------------------------------------------------------------- */

/* Memory of the device: what MPI is given, and what the test looks at. */
typedef struct {
    unsigned char *device, *host;
    size_t length;
} area_t;

static area_t areas[AREAS];
static int num_areas;
static pthread_rwlock_t areas_lock = PTHREAD_RWLOCK_INITIALIZER;

/* Called by the stand-in. */
void *device_memory_alias(const void *address);
void *device_memory_alias(const void *address)
{
    const unsigned char *at = address;
    void *alias = NULL;

    pthread_rwlock_rdlock(&areas_lock);
    for (int i = 0; i < num_areas && NULL == alias; ++i) {
        if (at >= areas[i].device && at < areas[i].device + areas[i].length) {
            alias = areas[i].host + (at - areas[i].device);
        }
    }
    pthread_rwlock_unlock(&areas_lock);
    return alias;
}

/* A buffer in either memory: `mpi` is for MPI, `host` for the test. */
typedef struct {
    unsigned char *mpi, *host;
    size_t length;
    bool device;
} buffer_t;

static unsigned char *area_map(int file, size_t length, int access)
{
    void *memory = mmap(NULL, length, access, MAP_SHARED, file, 0);

    CHECK(MAP_FAILED != memory);
    return memory;
}

static buffer_t buffer_new(bool device, size_t length)
{
    buffer_t buffer = {.length = length, .device = device};
    const size_t mapped = (length + 2 * MT_GUARD + 4095) & ~(size_t) 4095;
    int file;

    if (!device) {
        buffer.mpi = buffer.host = mt_alloc(length);
        return buffer;
    }
    file = memfd_create("device", 0);
    CHECK(file >= 0 && 0 == ftruncate(file, (off_t) mapped));
    pthread_rwlock_wrlock(&areas_lock);
    CHECK(num_areas < AREAS);
    areas[num_areas++] = (area_t){
        area_map(file, mapped, is_open ? PROT_READ | PROT_WRITE : PROT_NONE),
        area_map(file, mapped, PROT_READ | PROT_WRITE), mapped};
    buffer.mpi = areas[num_areas - 1].device + MT_GUARD;
    buffer.host = areas[num_areas - 1].host + MT_GUARD;
    pthread_rwlock_unlock(&areas_lock);
    close(file);
    memset(buffer.host - MT_GUARD, MT_BACKGROUND, length + 2 * MT_GUARD);
    return buffer;
}

static void buffer_free(buffer_t *buffer)
{
    if (!buffer->device) {
        mt_free(buffer->host);
        return;
    }
    CHECK_UNTOUCHED(buffer->host - MT_GUARD, MT_GUARD);
    CHECK_UNTOUCHED(buffer->host + buffer->length, MT_GUARD);
    pthread_rwlock_wrlock(&areas_lock);
    for (int i = 0; i < num_areas; ++i) {
        if (areas[i].device == buffer->mpi - MT_GUARD) {
            munmap(areas[i].device, areas[i].length);
            munmap(areas[i].host, areas[i].length);
            areas[i] = areas[--num_areas];
            break;
        }
    }
    pthread_rwlock_unlock(&areas_lock);
}

static void buffer_clear(const buffer_t *buffer)
{
    memset(buffer->host, MT_BACKGROUND, buffer->length);
}

/* ---- bytes -------------------------------------------------------------- */

/* Around the limits of rings, stages and protocols. */
static const int sizes[] = {
    0,    1,     8,      64,     65,     1000,   1024,    1025,         8192,
    8193, 65536, 262144, 262145, 524288, 524289, 1 << 20, (3 << 20) + 5};

/* Two ranks, a thread of each. */
typedef struct {
    MPI_Comm comm;
    int rank, peer;
    bool device; /* this rank's buffer */
    int size;
    uint64_t key;
    buffer_t out, in;
} pair_t;

static void check_in(const pair_t *pair, const MPI_Status *status)
{
    if (NULL != status) {
        CHECK_STATUS(status, pair->peer, 7, MPI_BYTE, pair->size);
    }
    CHECK_PAYLOAD(pair->in.host, pair->size,
                  mt_key(pair->key, 0, pair->peer, 0));
    CHECK_UNTOUCHED(pair->in.host + pair->size,
                    pair->in.length - (size_t) pair->size);
    buffer_clear(&pair->in);
}

/* Both know that the other one is here. */
static void meet(const pair_t *pair)
{
    mt_meet(pair->peer, 1, pair->comm);
}

static void post_in(const pair_t *pair, MPI_Request *request)
{
    CHECK_OK(MPI_Irecv(pair->in.mpi, pair->in.length, MPI_BYTE, pair->peer, 7,
                       pair->comm, request));
}

static void receive_in(const pair_t *pair)
{
    MPI_Status status;

    CHECK_OK(MPI_Recv(pair->in.mpi, pair->in.length, MPI_BYTE, pair->peer, 7,
                      pair->comm, &status));
    check_in(pair, &status);
}

static void start_out(const pair_t *pair, MPI_Request *request)
{
    CHECK_OK(MPI_Isend(pair->out.mpi, pair->size, MPI_BYTE, pair->peer, 7,
                       pair->comm, request));
}

static void blocking(const pair_t *pair,
                     int (*send)(const void *, int, MPI_Datatype, int, int,
                                 MPI_Comm))
{
    for (int turn = 0; turn < 2; ++turn) {
        if (turn == pair->rank) {
            CHECK_OK(send(pair->out.mpi, pair->size, MPI_BYTE, pair->peer, 7,
                          pair->comm));
        } else {
            receive_in(pair);
        }
    }
}

/* Receives posted before the messages come. */
static void posted(const pair_t *pair)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];

    post_in(pair, &requests[0]);
    meet(pair);
    start_out(pair, &requests[1]);
    CHECK_OK(MPI_Waitall(2, requests, statuses));
    check_in(pair, &statuses[0]);
}

/* Messages that come before their receives; the last of several by a probe. */
static void unexpected(const pair_t *pair, int more)
{
    MPI_Request out, in;
    MPI_Message message;
    MPI_Status status;

    for (int way = 0; way < 3; ++way) {
        start_out(pair, &out);
        if (0 == way) {
            meet(pair);
            mt_progress(pair->comm, more);
            post_in(pair, &in);
        } else {
            CHECK_OK(MPI_Mprobe(pair->peer, 7, pair->comm, &message, &status));
            CHECK_STATUS(&status, pair->peer, 7, MPI_BYTE, pair->size);
        }
        if (1 == way) {
            CHECK_OK(MPI_Mrecv(pair->in.mpi, pair->in.length, MPI_BYTE,
                               &message, &status));
        } else {
            if (2 == way) {
                CHECK_OK(MPI_Imrecv(pair->in.mpi, pair->in.length, MPI_BYTE,
                                    &message, &in));
            }
            CHECK_OK(MPI_Wait(&in, &status));
        }
        check_in(pair, &status);
        CHECK_OK(MPI_Wait(&out, MPI_STATUS_IGNORE));
    }
}

static void buffered(const pair_t *pair)
{
    CHECK_OK(MPI_Bsend(pair->out.mpi, pair->size, MPI_BYTE, pair->peer, 7,
                       pair->comm));
    receive_in(pair);
}

typedef int (*init_t)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                      MPI_Request *);

static void persistent(const pair_t *pair, init_t init)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];

    CHECK_OK(MPI_Recv_init(pair->in.mpi, pair->in.length, MPI_BYTE, pair->peer,
                           7, pair->comm, &requests[0]));
    CHECK_OK(init(pair->out.mpi, pair->size, MPI_BYTE, pair->peer, 7,
                  pair->comm, &requests[1]));
    for (int round = 0; round < 3; ++round) {
        if (1 == round) { /* the message first */
            CHECK_OK(MPI_Start(&requests[1]));
            meet(pair);
            CHECK_OK(MPI_Start(&requests[0]));
        } else {
            CHECK_OK(MPI_Startall(2, requests));
        }
        CHECK_OK(MPI_Waitall(2, requests, statuses));
        check_in(pair, &statuses[0]);
    }
    CHECK_OK(MPI_Request_free(&requests[0]));
    CHECK_OK(MPI_Request_free(&requests[1]));
}

/* Too long a message: the part that fits, or nothing, and an error. */
static void truncated(const pair_t *pair)
{
    const int half = pair->size / 2;
    MPI_Request request;

    start_out(pair, &request);
    CHECK_RC(MPI_Recv(pair->in.mpi, half, MPI_BYTE, pair->peer, 7, pair->comm,
                      MPI_STATUS_IGNORE),
             half < pair->size ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_UNTOUCHED(pair->in.host + half, pair->in.length - (size_t) half);
    buffer_clear(&pair->in);
}

/* A message to this process itself. */
static void self(pair_t *pair)
{
    const int peer = pair->peer;
    MPI_Request request;
    MPI_Status status;

    pair->peer = pair->rank;
    mt_fill(pair->out.host, pair->size, mt_key(pair->key, 0, pair->rank, 0));
    post_in(pair, &request);
    CHECK_OK(MPI_Send(pair->out.mpi, pair->size, MPI_BYTE, pair->rank, 7,
                      pair->comm));
    CHECK_OK(MPI_Wait(&request, &status));
    check_in(pair, &status);
    start_out(pair, &request);
    receive_in(pair);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    pair->peer = peer;
}

static void receive_cancelled(const pair_t *pair)
{
    MPI_Request request;

    CHECK_OK(MPI_Irecv(pair->in.mpi, pair->in.length, MPI_BYTE, pair->peer, 8,
                       pair->comm, &request));
    CHECK_OK(MPI_Cancel(&request));
    CHECK(mt_wait_cancelled(&request));
}

/* All calls, with the buffers that this rank is to have. */
static void bytes(pair_t *pair, bool out, bool in)
{
    const size_t room = (size_t) pair->size + 100;

    pair->out = buffer_new(out, room);
    pair->in = buffer_new(in, room);
    mt_fill(pair->out.host, pair->size, mt_key(pair->key, 0, pair->rank, 0));
#define DO(call)                                                               \
    do {                                                                       \
        MT_CASE("%s, %d bytes, %s to %s", #call, pair->size,                   \
                out ? "device" : "host", in ? "device" : "host");              \
        call;                                                                  \
    } while (0)
    DO(blocking(pair, MPI_Send));
    DO(blocking(pair, MPI_Ssend));
    DO(posted(pair));
    DO(unexpected(pair, 20));
    DO(persistent(pair, MPI_Send_init));
    DO(persistent(pair, MPI_Ssend_init));
    DO(truncated(pair));
    DO(receive_cancelled(pair));
    DO(self(pair));
    DO(buffered(pair));
    DO(persistent(pair, MPI_Bsend_init));
#undef DO
    buffer_free(&pair->out);
    buffer_free(&pair->in);
}

static void all_bytes(MPI_Comm comm, int rank, uint64_t key)
{
    pair_t pair = {.comm = comm, .rank = rank, .peer = 1 - rank};

    for (size_t i = 0; i < MT_COUNT_OF(sizes); ++i) {
        for (int kinds = 1; kinds < 16; ++kinds) {
            /* Two bits of each rank. */
            const int mine = 3 & (kinds >> (2 * rank));

            pair.size = sizes[i];
            pair.key = mt_key(key, i, kinds, 0);
            bytes(&pair, 0 != (mine & 1), 0 != (mine & 2));
        }
    }
}

/* ---- datatypes ---------------------------------------------------------- */

/* A datatype, and where it has data. */
typedef struct {
    const char *name;
    MPI_Datatype type, base;
    int count;
    size_t extent, size;      /* of one element */
    size_t block, stride, at; /* bytes: blocks of data in an element */
} layout_t;

static layout_t layout_vector(const char *name, MPI_Datatype base, int blocks,
                              int block, int stride, int count)
{
    layout_t layout = {.name = name, .base = base, .count = count};
    MPI_Aint lb, extent;
    int size;

    MPI_Type_size(base, &size);
    layout.type = mt_vector(blocks, block, stride, base);
    MPI_Type_get_extent(layout.type, &lb, &extent);
    layout.extent = (size_t) extent;
    layout.block = (size_t) (block * size);
    layout.stride = (size_t) (stride * size);
    layout.size = (size_t) blocks * layout.block;
    return layout;
}

/* Data that begin behind the buffer's address, with or without gaps between
 * the elements. */
static layout_t layout_shifted(const char *name, int at, int gap, int count)
{
    layout_t layout = {
        .name = name, .base = MPI_BYTE, .count = count, .at = (size_t) at};
    MPI_Datatype shifted;
    const int block = 1000;
    MPI_Aint where = at;

    MPI_Type_create_hindexed(1, &block, &where, MPI_BYTE, &shifted);
    MPI_Type_create_resized(shifted, 0, 1000 + gap, &layout.type);
    MPI_Type_commit(&layout.type);
    MPI_Type_free(&shifted);
    layout.extent = (size_t) (1000 + gap);
    layout.size = layout.block = layout.stride = 1000;
    return layout;
}

/* A long double is 10 bytes in the room of 16, of which Open MPI 6.0 copies
 * those. */
static bool is_padding(const layout_t *layout, size_t byte)
{
    return MPI_C_LONG_DOUBLE_COMPLEX == layout->base && byte % 16 >= 10;
}

/* Write the data that key names into a buffer, or check them. */
static void layout_walk(const layout_t *layout, unsigned char *buffer,
                        uint64_t key, bool write)
{
    size_t done = 0;

    for (int i = 0; i < layout->count; ++i) {
        unsigned char *element = buffer + (size_t) i * layout->extent;

        for (size_t b = 0; b < layout->size / layout->block; ++b) {
            unsigned char *at = element + layout->at + b * layout->stride;

            for (size_t k = 0; k < layout->block; ++k, ++done) {
                if (write) {
                    at[k] = mt_byte(key, done);
                } else {
                    CHECK(is_padding(layout, done) ||
                          at[k] == mt_byte(key, done));
                    at[k] = MT_BACKGROUND;
                }
            }
        }
    }
}

static void exchange_layout(MPI_Comm comm, int rank, const layout_t *layout,
                            bool out_device, bool in_device, uint64_t key)
{
    const size_t room =
        (size_t) layout->count * layout->extent + layout->at + 8;
    buffer_t out = buffer_new(out_device, room),
             in = buffer_new(in_device, room);
    const int peer = 1 - rank;
    MPI_Request request;

    layout_walk(layout, out.host, mt_key(key, rank, 0, 0), true);
    for (int round = 0; round < 4; ++round) {
        const int to = round < 3 ? peer : rank;

        MT_CASE("%s, round %d, %s to %s", layout->name, round,
                out_device ? "device" : "host", in_device ? "device" : "host");
        if (0 == round) {
            CHECK_OK(MPI_Irecv(in.mpi, layout->count, layout->type, to, 3, comm,
                               &request));
            CHECK_OK(MPI_Barrier(comm));
            CHECK_OK(
                MPI_Send(out.mpi, layout->count, layout->type, to, 3, comm));
        } else if (1 == round) {
            CHECK_OK(
                MPI_Bsend(out.mpi, layout->count, layout->type, to, 3, comm));
            CHECK_OK(MPI_Irecv(in.mpi, layout->count, layout->type, to, 3, comm,
                               &request));
        } else {
            MPI_Request send;

            CHECK_OK(MPI_Isend(out.mpi, layout->count, layout->type, to, 3,
                               comm, &send));
            CHECK_OK(MPI_Barrier(comm));
            CHECK_OK(MPI_Irecv(in.mpi, layout->count, layout->type, to, 3, comm,
                               &request));
            CHECK_OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
        }
        CHECK_WAIT(&request, to, 3, layout->type, layout->count);
        layout_walk(layout, in.host, mt_key(key, to, 0, 0), false);
        CHECK_UNTOUCHED(in.host, in.length);
    }
    buffer_free(&out);
    buffer_free(&in);
}

static void all_layouts(MPI_Comm comm, int rank, uint64_t key)
{
    layout_t layouts[] = {
        layout_vector("small vector", MPI_INT, 3, 2, 5, 1),
        layout_vector("vector of 4 KiB", MPI_DOUBLE, 64, 8, 11, 1),
        layout_vector("vectors of 12 KiB", MPI_CHAR, 4, 1001, 1500, 3),
        layout_vector("vectors of 1 MiB", MPI_DOUBLE, 128, 129, 140, 8),
        layout_vector("wide elements", MPI_C_LONG_DOUBLE_COMPLEX, 100, 17, 19,
                      3),
        layout_shifted("shifted", 16, 0, 1),
        layout_shifted("shifted, contiguous", 24, 0, 300),
        layout_shifted("with gaps", 8, 24, 600),
    };

    for (size_t i = 0; i < MT_COUNT_OF(layouts); ++i) {
        for (int kinds = 1; kinds < 16; ++kinds) {
            const int mine = 3 & (kinds >> (2 * rank));

            exchange_layout(comm, rank, &layouts[i], 0 != (mine & 1),
                            0 != (mine & 2), mt_key(key, i, kinds, 1));
        }
        MPI_Type_free(&layouts[i].type);
    }
}

/* ---- several messages at a time ------------------------------------------ */

/* More than there are stages. */
static void many(MPI_Comm comm, int rank, uint64_t key)
{
    enum { MESSAGES = 80, LENGTH = 300000 };
    MPI_Request requests[2 * MESSAGES];
    buffer_t out = buffer_new(true, LENGTH), in[MESSAGES];

    MT_CASE("%d messages at a time", MESSAGES);
    mt_fill(out.host, LENGTH, mt_key(key, rank, 0, 3));
    for (int i = 0; i < MESSAGES; ++i) {
        in[i] = buffer_new(true, LENGTH);
        CHECK_OK(MPI_Isend(out.mpi, LENGTH, MPI_BYTE, 1 - rank, i, comm,
                           &requests[i]));
    }
    for (int i = 0; i < MESSAGES; ++i) {
        CHECK_OK(MPI_Irecv(in[i].mpi, LENGTH, MPI_BYTE, 1 - rank,
                           MESSAGES - 1 - i, comm, &requests[MESSAGES + i]));
    }
    CHECK_OK(MPI_Waitall(2 * MESSAGES, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < MESSAGES; ++i) {
        CHECK_PAYLOAD(in[i].host, LENGTH,
                      mt_key(key, (uint64_t) (1 - rank), 0, 3));
        buffer_free(&in[i]);
    }
    buffer_free(&out);
}

/* ---- collective calls ---------------------------------------------------- */

static void collectives(MPI_Comm comm, int size)
{
    int rank = mt_rank_in(comm), ranks = mt_size_in(comm);

    buffer_t one = buffer_new(true, (size_t) size);
    buffer_t all = buffer_new(true, (size_t) (size * ranks));
    buffer_t other = buffer_new(true, (size_t) (size * ranks));

    MT_CASE("MPI_Bcast of %d bytes", size);
    for (int root = 0; root < ranks; ++root) {
        if (root == rank) {
            mt_fill(one.host, size, mt_key(1, root, 0, 0));
        }
        CHECK_OK(MPI_Bcast(one.mpi, size, MPI_BYTE, root, comm));
        CHECK_PAYLOAD(one.host, size, mt_key(1, root, 0, 0));
    }
    MT_CASE("MPI_Allgather of %d bytes", size);
    mt_fill(one.host, size, mt_key(2, rank, 0, 0));
    CHECK_OK(
        MPI_Allgather(one.mpi, size, MPI_BYTE, all.mpi, size, MPI_BYTE, comm));
    for (int i = 0; i < ranks; ++i) {
        CHECK_PAYLOAD(all.host + i * size, size, mt_key(2, i, 0, 0));
    }
    MT_CASE("MPI_Scatter and MPI_Gather of %d bytes", size);
    CHECK_OK(
        MPI_Scatter(all.mpi, size, MPI_BYTE, one.mpi, size, MPI_BYTE, 0, comm));
    CHECK_PAYLOAD(one.host, size, mt_key(2, rank, 0, 0));
    CHECK_OK(MPI_Gather(one.mpi, size, MPI_BYTE, other.mpi, size, MPI_BYTE, 0,
                        comm));
    if (0 == rank) {
        CHECK(0 == memcmp(other.host, all.host, (size_t) (size * ranks)));
    }
    MT_CASE("MPI_Alltoall of %d bytes", size);
    for (int i = 0; i < ranks; ++i) {
        mt_fill(all.host + i * size, size, mt_key(3, rank, i, 0));
    }
    CHECK_OK(
        MPI_Alltoall(all.mpi, size, MPI_BYTE, other.mpi, size, MPI_BYTE, comm));
    for (int i = 0; i < ranks; ++i) {
        CHECK_PAYLOAD(other.host + i * size, size, mt_key(3, i, rank, 0));
    }
    buffer_free(&one);
    buffer_free(&all);
    buffer_free(&other);
}

/* ---- one-sided ----------------------------------------------------------- */

static void one_sided(size_t length)
{
    buffer_t buffer = buffer_new(true, length);
    unsigned char *window_memory;
    MPI_Win window;

    MT_CASE("one-sided, %zu bytes", length);
    CHECK_OK(MPI_Win_allocate((MPI_Aint) length, 1, MPI_INFO_NULL,
                              MPI_COMM_WORLD, &window_memory, &window));
    mt_fill(buffer.host, length, mt_key(5, mt_rank, 0, 0));
    CHECK_OK(MPI_Win_fence(0, window));
    CHECK_OK(MPI_Put(buffer.mpi, length, MPI_BYTE, mt_after, 0, length,
                     MPI_BYTE, window));
    CHECK_OK(MPI_Win_fence(0, window));
    CHECK_PAYLOAD(window_memory, length, mt_key(5, mt_before, 0, 0));
    buffer_clear(&buffer);
    CHECK_OK(MPI_Win_fence(0, window));
    CHECK_OK(MPI_Get(buffer.mpi, length, MPI_BYTE, mt_after, 0, length,
                     MPI_BYTE, window));
    CHECK_OK(MPI_Win_fence(0, window));
    CHECK_PAYLOAD(buffer.host, length, mt_key(5, mt_rank, 0, 0));
    CHECK_OK(MPI_Win_free(&window));
    buffer_free(&buffer);
}

/* ---- the program --------------------------------------------------------- */

typedef struct {
    MPI_Comm comm;
    int number;
} worker_t;

static void *work(void *arg)
{
    const worker_t *worker = arg;
    int rank;

    MPI_Comm_rank(worker->comm, &rank);
    pair_t pair = {.comm = worker->comm, .rank = rank, .peer = 1 - rank};

    for (size_t i = 0; i < MT_COUNT_OF(sizes); i += 2) {
        pair.size = sizes[i];
        pair.key = mt_key(mt_seed, i, worker->number, 9);
        pair.out = buffer_new(true, (size_t) pair.size + 100);
        pair.in = buffer_new(true, (size_t) pair.size + 100);
        mt_fill(pair.out.host, pair.size, mt_key(pair.key, 0, rank, 0));
        for (int round = 0; round < 5; ++round) {
            posted(&pair);
            unexpected(&pair, 0);
            persistent(&pair, MPI_Send_init);
        }
        buffer_free(&pair.out);
        buffer_free(&pair.in);
    }
    return NULL;
}

static void in_threads(MPI_Comm comm)
{
    worker_t workers[THREADS];

    for (int i = 0; i < THREADS; ++i) {
        CHECK_OK(MPI_Comm_dup(comm, &workers[i].comm));
        workers[i].number = i;
    }
    mt_in_threads(THREADS, work, workers, sizeof(*workers));
    for (int i = 0; i < THREADS; ++i) {
        CHECK_OK(MPI_Comm_free(&workers[i].comm));
    }
}

static void in_pairs(bool threads)
{
    MPI_Comm pair;
    int rank, size;

    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, mt_rank / 2, 0, &pair));
    CHECK_OK(MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN));
    rank = mt_rank_in(pair);
    size = mt_size_in(pair);
    if (2 == size && threads) {
        in_threads(pair);
    } else if (2 == size) {
        mt_attach(64 << 20);
        all_bytes(pair, rank, mt_seed);
        all_layouts(pair, rank, mt_seed);
        many(pair, rank, mt_seed);
        MT_CASE("MPI_Buffer_detach");
        mt_detach();
    }
    CHECK_OK(MPI_Comm_free(&pair));
}

int main(int argc, char **argv)
{
    const bool threads = mt_flag(argc, argv, "--threads");

    mt_init_threads(&argc, &argv, 2, threads);
    is_open = mt_flag(argc, argv, "--open");
    if (mt_flag(argc, argv, "--one-sided")) {
        one_sided(8);
        one_sided(100000);
    } else {
        in_pairs(threads);
        for (size_t i = 1; i < MT_COUNT_OF(sizes); ++i) {
            collectives(MPI_COMM_WORLD, sizes[i]);
        }
    }
    return mt_finalize();
}
