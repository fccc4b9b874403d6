/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages from and to memory that no other process can read or write, though
 * its own process can: of devices, say. memfd_secret() of Linux makes such
 * memory. Without it the test is skipped.
 *
 *     private_memory [from] [to] [first] [returned] [managed|pinned]
 *                      messages of 20000 bytes to 4 MiB, sent in all ways, to
 *                      receives that are posted or late, contiguous or not.
 *                      from, to: the buffers that are private. first: the
 *                      processes have not exchanged messages before. returned:
 *                      with MPI_ERRORS_RETURN. managed, pinned: instead, what
 *                      CUDA's driver gives, cuMemAllocManaged() or
 *                      cuMemHostAlloc(); skipped without a GPU
 *     private_memory mixed [alone]
 *                      of the sender's buffers the ends can be read, and the rest
 *                      cannot, four messages at once: both sides get an error,
 *                      and go on; or the sender has copied all of it. alone: it
 *                      does not
 */
#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "mpi_test.h"

enum {
    TAG = 7,
    KIB = 1024,
    MIB = KIB * KIB,
    MOST = 4 << 20,
    ROOM = MOST + 65536
};

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

/* The driver's memory; NULL without a GPU. */
static void *cuda_memory(bool managed)
{
    enum { ATTACH_GLOBAL = 1 };
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    /* Of the context of the first device. */
    void *context;
    int device;
    union {
        void *memory;
        unsigned long long address;
    } found = {NULL};
    int (*init)(unsigned), (*get)(int *, int), (*retain)(void **, int),
        (*set)(void *),
        (*alloc_managed)(unsigned long long *, size_t, unsigned),
        (*alloc_host)(void **, size_t, unsigned);

    if (NULL == driver) {
        return NULL;
    }
    *(void **) &init = dlsym(driver, "cuInit");
    *(void **) &get = dlsym(driver, "cuDeviceGet");
    *(void **) &retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
    *(void **) &set = dlsym(driver, "cuCtxSetCurrent");
    *(void **) &alloc_managed = dlsym(driver, "cuMemAllocManaged");
    *(void **) &alloc_host = dlsym(driver, "cuMemHostAlloc");
    if (NULL == init || NULL == get || NULL == retain || NULL == set ||
        NULL == alloc_managed || NULL == alloc_host || 0 != init(0) ||
        0 != get(&device, 0) || 0 != retain(&context, device) ||
        0 != set(context) ||
        0 != (managed ? alloc_managed(&found.address, ROOM, ATTACH_GLOBAL)
                      : alloc_host(&found.memory, ROOM, 0))) {
        return NULL;
    }
    return found.memory;
}

static void *secret_memory(void)
{
    const int fd = (int) syscall(SYS_memfd_secret, 0);
    void *memory;

    if (fd < 0 || 0 != ftruncate(fd, ROOM)) {
        return NULL;
    }
    memory = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return MAP_FAILED == memory ? NULL : memory;
}

typedef enum { ORDINARY, SECRET, MANAGED, PINNED } memory_t;

/* NULL: there is no such. */
static unsigned char *memory(memory_t kind)
{
    switch (kind) {
    case ORDINARY:
        return mt_alloc(ROOM);
    case SECRET:
        return secret_memory();
    default:
        return cuda_memory(MANAGED == kind);
    }
}

/* ---- ways to send and to receive ---------------------------------------- */

typedef enum { SEND, SSEND, ISEND, ISSEND, SENDRECV, WAYS } way_t;

static void send_one(way_t way, const void *from, int length,
                     MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    switch (way) {
    case SEND:
    case SENDRECV:
        mt_send(from, length, mt_peer, TAG);
        break;
    case SSEND:
        mt_ssend(from, length, mt_peer, TAG);
        break;
    case ISEND:
        mt_isend(from, length, mt_peer, TAG, request);
        break;
    default:
        mt_issend(from, length, mt_peer, TAG, request);
        break;
    }
}

/* How a receive is made. */
typedef struct kind_t {
    bool late;   /* after the message has come */
    bool spread; /* not contiguous */
    bool cut;    /* it is too short */
} kind_t;

static void check_spread(const unsigned char *to, int length, uint64_t key)
{
    unsigned char *expected = mt_payload(length, key);

    for (int at = 0; at < length; at += 192) {
        const int left = length - at;

        CHECK(0 == memcmp(to + at / 192 * 256, expected + at,
                          (size_t) (left < 192 ? left : 192)));
    }
    mt_free(expected);
}

static void receive(unsigned char *to, int length, kind_t kind, uint64_t key)
{
    /* 192 of each 256 bytes. */
    MPI_Datatype type =
        kind.spread ? mt_vector((length + 191) / 192, 192, 256, MPI_BYTE)
                    : MPI_BYTE;
    const int room = kind.cut ? length / 2 : length;
    MPI_Request request;
    MPI_Status status;
    int error;

    if (kind.late) {
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_OK(MPI_Probe(mt_peer, TAG, MPI_COMM_WORLD, &status));
    }
    CHECK_OK(MPI_Irecv(to, kind.spread ? 1 : room, type, mt_peer, TAG,
                       MPI_COMM_WORLD, &request));
    if (!kind.late) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    error = MPI_Wait(&request, &status);
    CHECK_EQ(mt_class_of(error), kind.cut ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    if (kind.spread) {
        check_spread(to, length, key);
        MPI_Type_free(&type);
    } else if (!kind.cut) {
        CHECK_PAYLOAD(to, length, key);
    }
}

/* Both send and receive. */
static void exchange(const void *from, void *to, int length, uint64_t key)
{
    mt_swap(from, length, mt_peer, to, length, mt_peer, TAG);
    CHECK_PAYLOAD(to, length, key);
}

static void pass(way_t way, unsigned char *from, unsigned char *to, int length,
                 kind_t kind)
{
    static uint64_t number;
    const uint64_t key =
        mt_key(mt_seed, ++number, 5, SENDRECV == way ? (uint64_t) mt_rank : 5);
    MPI_Request request;

    MT_CASE("way %d, %d bytes, late %d, spread %d, cut %d", way, length,
            kind.late, kind.spread, kind.cut);
    mt_fill(from, length, key);
    if (SENDRECV == way) {
        exchange(from, to, length, mt_key(mt_seed, number, 5, mt_peer));
    } else if (0 == (mt_rank + (int) number) % 2) {
        if (!kind.late) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
        if (kind.late && (SEND == way || SSEND == way)) {
            way += ISEND - SEND; /* the other one waits in MPI_Barrier */
        }
        send_one(way, from, length, &request);
        if (kind.late) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        receive(to, length, kind, key);
    }
}

static void pass_all(unsigned char *from, unsigned char *to, bool returned)
{
    static const int lengths[] = {20000, 65537, 140000, 1000000, 4 << 20};

    for (way_t way = SEND; way < WAYS; ++way) {
        for (size_t i = 0; i < MT_COUNT_OF(lengths); ++i) {
            for (int kind = 0; kind < 4; ++kind) {
                pass(way, from, to, lengths[i],
                     (kind_t){.late = 0 != (kind & 1),
                              .spread =
                                  2 == (kind & 2) && lengths[i] <= 1000000});
            }
            if (returned) {
                pass(way, from, to, lengths[i],
                     (kind_t){.cut = SENDRECV != way});
                pass(way, from, to, lengths[i],
                     (kind_t){.late = true, .cut = SENDRECV != way});
            }
        }
    }
}

/* Can a process read another one's memory here? */
static bool can_read(void)
{
    uint64_t mine[2] = {(uint64_t) getpid(), (uintptr_t) &mine[0]}, theirs[2],
             value = 0;
    struct iovec local = {&value, sizeof(value)},
                 remote = {NULL, sizeof(value)};
    int good;

    MPI_Sendrecv(mine, 2, MPI_UINT64_T, mt_peer, TAG, theirs, 2, MPI_UINT64_T,
                 mt_peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    remote.iov_base = (void *) (uintptr_t) theirs[1];
    good = sizeof(value) ==
               process_vm_readv((pid_t) theirs[0], &local, 1, &remote, 1, 0) &&
           theirs[0] == value;
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return good;
}

/* The sender cannot know. */
static void pass_mixed(unsigned char *from, int length, bool late, bool alone)
{
    enum { TIMES = 4 };
    const uint64_t key = mt_key(mt_seed, length, late, 6);
    unsigned char *to = mt_alloc(TIMES * (size_t) length);
    MPI_Request request[TIMES];
    int error[TIMES], other[TIMES];

    MT_CASE("mixed, %d bytes, late %d", length, late);
    if (0 == mt_rank) {
        mt_fill(from, length, key);
    }
    if (mt_rank == (late ? 1 : 0)) {
        MPI_Barrier(MPI_COMM_WORLD); /* the other one is first */
    }
    for (int i = 0; i < TIMES; ++i) {
        CHECK_OK(0 == mt_rank
                     ? MPI_Isend(from, length, MPI_BYTE, 1, TAG, MPI_COMM_WORLD,
                                 &request[i])
                     : MPI_Irecv(to + i * (size_t) length, length, MPI_BYTE, 0,
                                 TAG, MPI_COMM_WORLD, &request[i]));
    }
    if (mt_rank != (late ? 1 : 0)) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; i < TIMES; ++i) {
        error[i] = MPI_SUCCESS != MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    }
    CHECK_OK(MPI_Sendrecv(error, TIMES, MPI_INT, 1 - mt_rank, TAG, other, TIMES,
                          MPI_INT, 1 - mt_rank, TAG, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
    for (int i = 0; i < TIMES; ++i) {
        CHECK_EQ(error[i], other[i]);
        CHECK(0 != error[i] || !alone);
        if (1 == mt_rank && 0 == error[i]) {
            CHECK_PAYLOAD(to + i * (size_t) length, length, key);
        }
    }
    mt_free(to);
}

/* The ends of what is sent are ordinary memory. */
static void mixed(unsigned char *from, bool alone)
{
    static const int lengths[] = {64 * KIB, 136 * KIB, MIB, 4 * MIB};

    for (size_t i = 0; i < MT_COUNT_OF(lengths); ++i) {
        unsigned char *last = from + lengths[i] - 4096;

        CHECK(MAP_FAILED != mmap(last, 4096, PROT_READ | PROT_WRITE,
                                 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1,
                                 0));
        CHECK(MAP_FAILED != mmap(from, 4096, PROT_READ | PROT_WRITE,
                                 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1,
                                 0));
        for (int turn = 0; turn < 4; ++turn) {
            pass_mixed(from, lengths[i], 0 != turn % 2, alone);
        }
    }
}

/* Have rings, and a pool of fragments. */
static void meet(void)
{
    static char out[100 * KIB], in[100 * KIB];

    for (int i = 0; i < 30; ++i) {
        mt_swap(out, sizeof(out), mt_peer, in, sizeof(in), mt_peer, TAG);
    }
}

int main(int argc, char **argv)
{
    const bool is_mixed = mt_flag(argc, argv, "mixed");
    const bool returned = is_mixed || mt_flag(argc, argv, "returned");
    const memory_t kind = mt_flag(argc, argv, "managed")  ? MANAGED
                          : mt_flag(argc, argv, "pinned") ? PINNED
                                                          : SECRET;
    unsigned char *from, *to;

    mt_init(&argc, &argv, 2);
    from = memory(is_mixed || mt_flag(argc, argv, "from") ? kind : ORDINARY);
    to = memory(mt_flag(argc, argv, "to") ? kind : ORDINARY);
    if (NULL == from || NULL == to) {
        printf("SKIP: no memory of %s here\n",
               SECRET == kind ? "memfd_secret()" : "CUDA's driver");
        MPI_Finalize();
        return MT_SKIP;
    }
    if (returned) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    if (!mt_flag(argc, argv, "first")) {
        meet();
    }
    if (is_mixed && !can_read()) {
        printf("SKIP: processes cannot read each other's memory here\n");
        MPI_Finalize();
        return MT_SKIP;
    }
    if (is_mixed) {
        mixed(from, mt_flag(argc, argv, "alone"));
        from = memory(SECRET);
    }
    pass_all(from, to, returned);
    return mt_finalize();
}
