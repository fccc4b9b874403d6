/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Stands for a network whose adapters match tags (--mca
 * pml_champion_test_tag_ops FILE): processes of one machine, each with an
 * "adapter", a thread that matches and moves data while the program computes.
 *
 *     send        data are copied to a memory file, which goes with its tag to
 *                 the other process's adapter over a socket
 *     arrival     the adapter looks through its list of posted receives, and
 *                 moves the data itself; what it does not find there is left
 *                 to software, which looks when progress is made
 *     recv        goes to the adapter, unless one of UCX's rules is against it:
 *                 the list is full (FAKE_ADAPTER_LIST entries, 16), the
 *                 buffer is not contiguous or smaller than FAKE_ADAPTER_THRESH
 *                 (1024), a receive waits that only software can match, or no
 *                 message has come unexpected yet
 *     cancel      done at once in software; by the adapter later, and then the
 *                 message may have been faster
 *
 * What was unexpected and is received is complete at once, by turns with a
 * callback from within the call and without; both are UCX's ways. With
 * FAKE_ADAPTER_REPORT set each process tells at its end what happened.
 * Hosts that are network namespaces reach each other's adapters by files in
 * FAKE_ADAPTER_FOLDER (test/netns/hosts sets it).
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ompi/mca/pml/champion/offload/tag_ops.h"

/* Smaller sends complete at once. */
#define EAGER 4096
/* How long the adapter sleeps at most, ms. */
#define TICK 1

/* Header of a message's memory file; the data follow. */
typedef struct {
    atomic_uint taken;
    uint32_t sync;
    uint64_t length;
} file_t;

/* A message over the socket, sent together with the file. */
typedef struct {
    ucp_tag_t tag;
    uint64_t length;
} notice_t;

typedef struct request_t {
    struct request_t *next;
    ucp_request_param_t param;
    ucs_status_t status;
    ucp_tag_recv_info_t info;
    /* A send. */
    file_t *file;
    size_t mapped;
    /* A receive. */
    void *buffer;
    size_t count;
    ucp_tag_t tag;
    int generic, cancelling;
} request_t;

typedef struct message_t {
    struct message_t *next;
    ucp_tag_t tag;
    file_t *file;
    size_t mapped;
} message_t;

typedef struct {
    request_t *first, **tail;
    unsigned count;
} queue_t;

/* Protects all variables below. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static queue_t hardware, software, completed, sends;
static message_t *unexpected, **unexpected_tail = &unexpected;
static int activated;
static unsigned list_size = 16;
static size_t threshold = 1024;
static struct {
    unsigned matched, software, refused, cancelled, too_late;
} counters;

static mca_pml_champion_tag_self_t self;
static int connection = -1;
static pthread_t thread;
static atomic_int ending;

/* ---- queues ------------------------------------------------------------- */

static void push(queue_t *queue, request_t *request)
{
    if (NULL == queue->first) {
        queue->tail = &queue->first;
    }
    request->next = NULL;
    *queue->tail = request;
    queue->tail = &request->next;
    ++queue->count;
}

static void take(queue_t *queue, request_t **at)
{
    request_t *request = *at;

    *at = request->next;
    if (NULL == request->next) {
        queue->tail = at;
    }
    --queue->count;
}

static request_t **find(queue_t *queue, ucp_tag_t tag)
{
    request_t **at = &queue->first;

    while (NULL != *at && (*at)->tag != tag) {
        at = &(*at)->next;
    }
    return at;
}

/* ---- moving data -------------------------------------------------------- */

static void move_data(request_t *request, ucp_tag_t tag, file_t *file,
                      size_t mapped)
{
    size_t room =
        request->generic ? self.capacity(request->buffer) : request->count;
    size_t length = file->length < room ? file->length : room;

    if (0 != length) {
        if (request->generic) {
            self.unpack(request->buffer, 0, file + 1, length);
        } else {
            memcpy(request->buffer, file + 1, length);
        }
    }
    request->status = file->length > room ? UCS_ERR_MESSAGE_TRUNCATED : UCS_OK;
    request->info.sender_tag = tag;
    request->info.length = length;
    atomic_store(&file->taken, 1);
    munmap(file, mapped);
}

/* ---- the adapter -------------------------------------------------------- */

static void leave_to_software(ucp_tag_t tag, file_t *file, size_t mapped)
{
    message_t *message = malloc(sizeof(*message));

    message->next = NULL;
    message->tag = tag;
    message->file = file;
    message->mapped = mapped;
    *unexpected_tail = message;
    unexpected_tail = &message->next;
    activated = 1;
}

static void arrive(const notice_t *notice, int descriptor)
{
    size_t mapped = sizeof(file_t) + notice->length;
    request_t **at;
    file_t *file;

    file =
        mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (MAP_FAILED == file) {
        perror("fake_adapter: mmap");
        abort();
    }
    pthread_mutex_lock(&mutex);
    at = find(&hardware, notice->tag);
    if (NULL != *at) {
        request_t *request = *at;

        take(&hardware, at);
        move_data(request, notice->tag, file, mapped);
        ++counters.matched;
        counters.too_late += request->cancelling;
        push(&completed, request);
    } else {
        leave_to_software(notice->tag, file, mapped);
    }
    pthread_mutex_unlock(&mutex);
}

static void receive_notice(void)
{
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    notice_t notice;
    struct iovec iov = {.iov_base = &notice, .iov_len = sizeof(notice)};
    struct msghdr header = {
        .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = control.room,
        .msg_controllen = sizeof(control.room),
    };
    struct cmsghdr *part;
    int descriptor;

    if (recvmsg(connection, &header, MSG_DONTWAIT) != sizeof(notice)) {
        return;
    }
    part = CMSG_FIRSTHDR(&header);
    if (NULL == part) {
        fprintf(stderr, "fake_adapter: a message without its file\n");
        abort();
    }
    memcpy(&descriptor, CMSG_DATA(part), sizeof(descriptor));
    arrive(&notice, descriptor);
}

/* Hand back the requests that software has cancelled. */
static void cancel_asked(void)
{
    request_t **at = &hardware.first;

    pthread_mutex_lock(&mutex);
    while (NULL != *at) {
        request_t *request = *at;

        if (request->cancelling) {
            take(&hardware, at);
            request->status = UCS_ERR_CANCELED;
            ++counters.cancelled;
            push(&completed, request);
        } else {
            at = &request->next;
        }
    }
    pthread_mutex_unlock(&mutex);
}

static void *adapter(void *arg)
{
    struct pollfd wait = {.fd = connection, .events = POLLIN};

    while (!atomic_load(&ending)) {
        if (poll(&wait, 1, TICK) > 0) {
            receive_notice();
        } else {
            cancel_asked();
        }
    }
    return NULL;
}

/* ---- software ----------------------------------------------------------- */

static request_t *request_new(const ucp_request_param_t *param)
{
    request_t *request = calloc(1, sizeof(*request));

    if (NULL != request) {
        request->param = *param;
    }
    return request;
}

/* A name that is unique to this network namespace, or a file. */
static void address_of(uint32_t vpid, struct sockaddr_un *address,
                       socklen_t *length)
{
    const char *folder = getenv("FAKE_ADAPTER_FOLDER");
    int n;

    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    n = snprintf(address->sun_path + (NULL == folder),
                 sizeof(address->sun_path) - 1, "%s%sfake_adapter-%lu-%u-%u",
                 NULL == folder ? "" : folder, NULL == folder ? "" : "/",
                 (unsigned long) getuid(), self.jobid, vpid);
    *length =
        (socklen_t) (offsetof(struct sockaddr_un, sun_path) + 1 + (size_t) n);
}

static int notify(uint32_t vpid, const notice_t *notice, int descriptor)
{
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {.room = {0}};
    struct sockaddr_un address;
    struct iovec iov = {.iov_base = (void *) (uintptr_t) notice,
                        .iov_len = sizeof(*notice)};
    struct msghdr header = {
        .msg_name = &address,
        .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = control.room,
        .msg_controllen = sizeof(control.room),
    };
    struct cmsghdr *part = CMSG_FIRSTHDR(&header);
    ssize_t sent;

    address_of(vpid, &address, &header.msg_namelen);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(part), &descriptor, sizeof(descriptor));
    /* Too many files may be under way; the other adapter takes them in. */
    while ((sent = sendmsg(connection, &header, 0)) < 0 &&
           (EINTR == errno || ETOOMANYREFS == errno)) {
        usleep(100);
    }
    return sent == sizeof(*notice) ? 0 : -1;
}

static file_t *file_new(const void *buffer, size_t length, size_t *mapped,
                        int *descriptor)
{
    file_t *file;

    *mapped = sizeof(file_t) + length;
    *descriptor = memfd_create("fake_adapter", MFD_CLOEXEC);
    if (*descriptor < 0) {
        return NULL;
    }
    if (0 != ftruncate(*descriptor, (off_t) *mapped)) {
        close(*descriptor);
        return NULL;
    }
    file =
        mmap(NULL, *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, *descriptor, 0);
    if (MAP_FAILED == file) {
        close(*descriptor);
        return NULL;
    }
    file->length = length;
    memcpy(file + 1, buffer, length);
    return file;
}

static ucs_status_ptr_t fake_send(ucp_ep_h ep, uint32_t vpid,
                                  const void *buffer, size_t length,
                                  ucp_tag_t tag, bool sync,
                                  const ucp_request_param_t *param)
{
    notice_t notice = {.tag = tag, .length = length};
    request_t *request;
    int descriptor, rc;
    size_t mapped;
    file_t *file;

    file = file_new(buffer, length, &mapped, &descriptor);
    if (NULL == file) {
        return UCS_STATUS_PTR(UCS_ERR_NO_MEMORY);
    }
    rc = notify(vpid, &notice, descriptor);
    close(descriptor);
    if (0 != rc || (length <= EAGER && !sync)) {
        munmap(file, mapped);
        return 0 != rc ? UCS_STATUS_PTR(UCS_ERR_IO_ERROR) : NULL;
    }
    request = request_new(param);
    if (NULL == request) {
        munmap(file, mapped);
        return UCS_STATUS_PTR(UCS_ERR_NO_MEMORY);
    }
    request->file = file;
    request->mapped = mapped;
    pthread_mutex_lock(&mutex);
    push(&sends, request);
    pthread_mutex_unlock(&mutex);
    return request;
}

/* The oldest unexpected message of that tag, or NULL. */
static message_t *unexpected_take(ucp_tag_t tag)
{
    message_t **at = &unexpected, *message;

    while (NULL != *at && (*at)->tag != tag) {
        at = &(*at)->next;
    }
    message = *at;
    if (NULL != message) {
        *at = message->next;
        if (NULL == message->next) {
            unexpected_tail = at;
        }
    }
    return message;
}

static void take_message(request_t *request, message_t *message)
{
    move_data(request, message->tag, message->file, message->mapped);
    free(message);
    ++counters.software;
}

/* Append a receive to one of the lists. */
static void post(request_t *request)
{
    if (request->generic || request->count < threshold || !activated ||
        0 != software.count || hardware.count >= list_size) {
        ++counters.refused;
        push(&software, request);
    } else {
        push(&hardware, request);
    }
}

static ucs_status_ptr_t fake_recv(ucp_worker_h worker, void *buffer,
                                  size_t count, ucp_tag_t tag,
                                  const ucp_request_param_t *param)
{
    request_t *request = request_new(param);
    message_t *message;
    ucs_status_t status;

    if (NULL == request) {
        return UCS_STATUS_PTR(UCS_ERR_NO_MEMORY);
    }
    request->buffer = buffer;
    request->count = count;
    request->tag = tag;
    request->generic = 0 != (param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE);
    pthread_mutex_lock(&mutex);
    message = unexpected_take(tag);
    if (NULL == message) {
        post(request);
        pthread_mutex_unlock(&mutex);
        return request;
    }
    take_message(request, message);
    status = request->status;
    if (counters.software % 2) {
        pthread_mutex_unlock(&mutex);
        param->cb.recv(request, status, &request->info, param->user_data);
        return (ucs_status_ptr_t) &activated; /* must not be used */
    }
    pthread_mutex_unlock(&mutex);
    free(request);
    return UCS_STATUS_PTR(status);
}

static void fake_cancel(ucp_worker_h worker, void *handle)
{
    request_t *request = handle, **at = &software.first;

    pthread_mutex_lock(&mutex);
    while (NULL != *at && *at != request) {
        at = &(*at)->next;
    }
    if (NULL == *at) {
        request->cancelling = 1; /* the adapter cancels it if it still has it */
        pthread_mutex_unlock(&mutex);
        return;
    }
    take(&software, at);
    ++counters.cancelled;
    pthread_mutex_unlock(&mutex);
    request->param.cb.recv(request, UCS_ERR_CANCELED, &request->info,
                           request->param.user_data);
}

static void fake_free(void *request)
{
    free(request);
}

static bool fake_capable(ucp_ep_h ep)
{
    return true;
}

/* Match the messages left to software, and find the sends that were received.
 */
static request_t *collect(void)
{
    request_t **at = &software.first, *request;

    while (NULL != (request = *at)) {
        message_t *message = unexpected_take(request->tag);

        if (NULL == message) {
            at = &request->next;
            continue;
        }
        take(&software, at);
        take_message(request, message);
        push(&completed, request);
    }
    for (at = &sends.first; NULL != (request = *at);) {
        if (!atomic_load(&request->file->taken)) {
            at = &request->next;
            continue;
        }
        take(&sends, at);
        push(&completed, request);
    }
    request = completed.first;
    completed.first = NULL;
    completed.count = 0;
    return request;
}

static int fake_progress(void)
{
    request_t *request, *next;
    int events = 0;

    pthread_mutex_lock(&mutex);
    request = collect();
    pthread_mutex_unlock(&mutex);
    for (; NULL != request; request = next, ++events) {
        const ucp_request_param_t *param = &request->param;

        next = request->next;
        if (NULL != request->file) {
            munmap(request->file, request->mapped);
            param->cb.send(request, UCS_OK, param->user_data);
        } else {
            param->cb.recv(request, request->status, &request->info,
                           param->user_data);
        }
    }
    return events;
}

static void number_from(const char *name, size_t *number)
{
    const char *text = getenv(name);

    if (NULL != text) {
        *number = strtoul(text, NULL, 0);
    }
}

static int fake_open(const mca_pml_champion_tag_self_t *process)
{
    struct sockaddr_un address;
    struct rlimit limit;
    socklen_t length;
    size_t size = list_size;

    self = *process;
    number_from("FAKE_ADAPTER_LIST", &size);
    number_from("FAKE_ADAPTER_THRESH", &threshold);
    list_size = (unsigned) size;
    /* A file for each message under way. */
    if (0 == getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max;
        (void) setrlimit(RLIMIT_NOFILE, &limit);
    }
    address_of(self.vpid, &address, &length);
    connection = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (connection < 0 ||
        0 != bind(connection, (struct sockaddr *) &address, length) ||
        0 != pthread_create(&thread, NULL, adapter, NULL)) {
        perror("fake_adapter");
        return -1;
    }
    return 0;
}

static void fake_close(void)
{
    struct sockaddr_un address;
    socklen_t length;

    atomic_store(&ending, 1);
    pthread_join(thread, NULL);
    close(connection);
    address_of(self.vpid, &address, &length);
    if ('\0' != address.sun_path[0]) {
        unlink(address.sun_path);
    }
    if (NULL != getenv("FAKE_ADAPTER_REPORT")) {
        fprintf(stderr,
                "adapter: matched=%u software=%u refused=%u cancelled=%u "
                "too_late=%u left=%u\n",
                counters.matched, counters.software, counters.refused,
                counters.cancelled, counters.too_late,
                hardware.count + software.count + sends.count);
    }
}

const mca_pml_champion_tag_ops_t mca_pml_champion_test_tag_ops_table = {
    .abi = MCA_PML_CHAMPION_TAG_OPS_ABI,
    .send = fake_send,
    .recv = fake_recv,
    .cancel = fake_cancel,
    .free = fake_free,
    .capable = fake_capable,
    .open = fake_open,
    .close = fake_close,
    .progress = fake_progress,
};
