/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a parallel debugger shows of a process's requests: an MPI program that
 * loads Open MPI's library of message queues, ompi_msgq, as a debugger does and
 * looks at itself through it.
 *
 *     message_queues LIBRARY        two ranks, any PML
 *
 * A debugger knows types from debugging information; here they come from Open
 * MPI's headers. Rank 0 posts receives and starts sends that rank 1 does not
 * receive yet, and compares what the library lists. It posts and completes
 * others before, so that requests are used again. Prints each operation; the
 * exit code is 1 if one is missing, wrong or should not be there.
 */

#include "ompi_config.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/debuggers/msgq_interface.h"
#include "ompi/group/group.h"
#include "ompi/mca/pml/base/pml_base_request.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/mca/topo/topo.h"
#include "ompi/request/request.h"
#include "opal/class/opal_free_list.h"
#include "opal/class/opal_hash_table.h"
#include "opal/class/opal_list.h"
#include "opal/class/opal_pointer_array.h"

/* What is behind the base request in the headers that are not installed. */
typedef struct send_request_t {
    mca_pml_base_request_t req_base;
    const void *req_addr;
    size_t req_bytes_packed;
    mca_pml_base_send_mode_t req_send_mode;
} send_request_t;

typedef struct recv_request_t {
    mca_pml_base_request_t req_base;
    size_t req_bytes_packed;
} recv_request_t;

/* ---- types, as debugging information would have them ---- */

typedef struct field_t {
    const char *name;
    size_t offset;
} field_t;

struct mqs_type_ {
    const char *name;
    size_t size;
    field_t fields[12];
};

#define F(type, name)                                                          \
    {                                                                          \
#name, offsetof(type, name)                                            \
    }
#define TYPE(type, ...)                                                        \
    {                                                                          \
#type, sizeof(type),                                                   \
        {                                                                      \
            __VA_ARGS__                                                        \
        }                                                                      \
    }

static mqs_type types[] = {
    TYPE(opal_list_item_t, F(opal_list_item_t, opal_list_next)),
    TYPE(opal_list_t, F(opal_list_t, opal_list_sentinel)),
    {"opal_free_list_item_t", sizeof(opal_free_list_item_t), {{NULL, 0}}},
    TYPE(opal_free_list_t, F(opal_free_list_t, fl_mpool),
         F(opal_free_list_t, fl_allocations),
         F(opal_free_list_t, fl_frag_class), F(opal_free_list_t, fl_frag_size),
         F(opal_free_list_t, fl_frag_alignment),
         F(opal_free_list_t, fl_max_to_alloc),
         F(opal_free_list_t, fl_num_per_alloc),
         F(opal_free_list_t, fl_num_allocated)),
    TYPE(opal_hash_table_t, F(opal_hash_table_t, ht_table),
         F(opal_hash_table_t, ht_size)),
    TYPE(ompi_request_t, F(ompi_request_t, req_type),
         F(ompi_request_t, req_status), F(ompi_request_t, req_complete),
         F(ompi_request_t, req_state), F(ompi_request_t, req_f_to_c_index)),
    TYPE(mca_pml_base_request_t, F(mca_pml_base_request_t, req_addr),
         F(mca_pml_base_request_t, req_count),
         F(mca_pml_base_request_t, req_peer),
         F(mca_pml_base_request_t, req_tag),
         F(mca_pml_base_request_t, req_comm),
         F(mca_pml_base_request_t, req_datatype),
         F(mca_pml_base_request_t, req_proc),
         F(mca_pml_base_request_t, req_sequence),
         F(mca_pml_base_request_t, req_type),
         F(mca_pml_base_request_t, req_pml_complete)),
    {"mca_pml_base_send_request_t",
     sizeof(send_request_t),
     {F(send_request_t, req_addr), F(send_request_t, req_bytes_packed),
      F(send_request_t, req_send_mode)}},
    {"mca_pml_base_recv_request_t",
     sizeof(recv_request_t),
     {F(recv_request_t, req_bytes_packed)}},
    TYPE(opal_pointer_array_t, F(opal_pointer_array_t, lowest_free),
         F(opal_pointer_array_t, number_free), F(opal_pointer_array_t, size),
         F(opal_pointer_array_t, addr)),
    {"ompi_communicator_t",
     sizeof(ompi_communicator_t),
     {F(ompi_communicator_t, c_name), F(ompi_communicator_t, c_contextid),
#if OMPI_MAJOR_VERSION >= 5
      F(ompi_communicator_t, c_contextidb), F(ompi_communicator_t, c_index),
#endif
      F(ompi_communicator_t, c_my_rank), F(ompi_communicator_t, c_local_group),
      F(ompi_communicator_t, c_remote_group), F(ompi_communicator_t, c_flags),
      F(ompi_communicator_t, c_f_to_c_index), F(ompi_communicator_t, c_topo),
      F(ompi_communicator_t, c_keyhash)}},
    TYPE(ompi_group_t, F(ompi_group_t, grp_proc_count),
         F(ompi_group_t, grp_proc_pointers), F(ompi_group_t, grp_my_rank),
         F(ompi_group_t, grp_flags)),
    TYPE(ompi_status_public_t, F(ompi_status_public_t, MPI_SOURCE),
         F(ompi_status_public_t, MPI_TAG), F(ompi_status_public_t, MPI_ERROR),
         F(ompi_status_public_t, _ucount), F(ompi_status_public_t, _cancelled)),
    TYPE(ompi_datatype_t, F(ompi_datatype_t, name), F(ompi_datatype_t, super)),
    TYPE(opal_datatype_t, F(opal_datatype_t, size)),
};

/* What the library asks for, but does not look into in what follows: headers of
 * ob1, topologies. */
static mqs_type unused = {.name = "unused", .size = 8};

/* ---- what a debugger offers ---- */

struct mqs_image_ {
    mqs_image_info *info;
};

struct mqs_process_ {
    mqs_process_info *info;
};

static mqs_image image;
static mqs_process process;

static mqs_type *find_type(mqs_image *where, char *name, mqs_lang_code language)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
        if (0 == strcmp(name, types[i].name)) {
            return &types[i];
        }
    }
    return &unused;
}

static int field_offset(mqs_type *type, char *name)
{
    for (int i = 0; i < 12 && NULL != type->fields[i].name; ++i) {
        if (0 == strcmp(name, type->fields[i].name)) {
            return (int) type->fields[i].offset;
        }
    }
    return &unused == type ? 0 : -1;
}

static int size_of(mqs_type *type)
{
    return (int) type->size;
}

static int find_symbol(mqs_image *where, char *name, mqs_taddr_t *address)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);

    if (NULL != symbol && NULL != address) {
        *address = (mqs_taddr_t) symbol;
    }
    return NULL != symbol ? mqs_ok : mqs_no_information;
}

static int find_function(mqs_image *where, char *name, mqs_lang_code language,
                         mqs_taddr_t *address)
{
    return find_symbol(where, name, address);
}

static void get_type_sizes(mqs_process *where, mqs_target_type_sizes *sizes)
{
    *sizes = (mqs_target_type_sizes){
        .short_size = sizeof(short),
        .int_size = sizeof(int),
        .long_size = sizeof(long),
        .long_long_size = sizeof(long long),
        .pointer_size = sizeof(void *),
        .bool_size = sizeof(bool),
        .size_t_size = sizeof(size_t),
    };
}

static int fetch_data(mqs_process *where, mqs_taddr_t address, int size,
                      void *data)
{
    memcpy(data, (const void *) address, (size_t) size);
    return mqs_ok;
}

static void target_to_host(mqs_process *where, const void *from, void *to,
                           int size)
{
    memcpy(to, from, (size_t) size);
}

static void put_image_info(mqs_image *where, mqs_image_info *info)
{
    where->info = info;
}

static mqs_image_info *get_image_info(mqs_image *where)
{
    return where->info;
}

static void put_process_info(mqs_process *where, mqs_process_info *info)
{
    where->info = info;
}

static mqs_process_info *get_process_info(mqs_process *where)
{
    return where->info;
}

static int get_global_rank(mqs_process *where)
{
    return 0;
}

static mqs_image *get_image(mqs_process *where)
{
    return &image;
}

static void print_text(const char *text)
{
    fputs(text, stderr);
}

static char *error_string(int error)
{
    static char text[] = "error";

    return text;
}

static const mqs_basic_callbacks basic_callbacks = {
    .mqs_malloc_fp = malloc,
    .mqs_free_fp = free,
    .mqs_dprints_fp = print_text,
    .mqs_errorstring_fp = error_string,
    .mqs_put_image_info_fp = put_image_info,
    .mqs_get_image_info_fp = get_image_info,
    .mqs_put_process_info_fp = put_process_info,
    .mqs_get_process_info_fp = get_process_info,
};

static const mqs_image_callbacks image_callbacks = {
    .mqs_get_type_sizes_fp = get_type_sizes,
    .mqs_find_function_fp = find_function,
    .mqs_find_symbol_fp = find_symbol,
    .mqs_find_type_fp = find_type,
    .mqs_field_offset_fp = field_offset,
    .mqs_sizeof_fp = size_of,
};

static const mqs_process_callbacks process_callbacks = {
    .mqs_get_global_rank_fp = get_global_rank,
    .mqs_get_image_fp = get_image,
    .mqs_fetch_data_fp = fetch_data,
    .mqs_target_to_host_fp = target_to_host,
};

/* ---- the library ---- */

static struct {
    __typeof__(&mqs_setup_basic_callbacks) setup_basic_callbacks;
    __typeof__(&mqs_setup_image) setup_image;
    __typeof__(&mqs_image_has_queues) image_has_queues;
    __typeof__(&mqs_setup_process) setup_process;
    __typeof__(&mqs_process_has_queues) process_has_queues;
    __typeof__(&mqs_update_communicator_list) update_communicator_list;
    __typeof__(&mqs_setup_communicator_iterator) setup_communicators;
    __typeof__(&mqs_get_communicator) get_communicator;
    __typeof__(&mqs_next_communicator) next_communicator;
    __typeof__(&mqs_setup_operation_iterator) setup_operations;
    __typeof__(&mqs_next_operation) next_operation;
} library;

static void need(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "message_queues: %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void load(const char *name)
{
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    need(NULL != handle, dlerror());
#define LOAD(name, symbol)                                                     \
    need(NULL != (*(void **) &library.name = dlsym(handle, symbol)), symbol)
    LOAD(setup_basic_callbacks, "mqs_setup_basic_callbacks");
    LOAD(setup_image, "mqs_setup_image");
    LOAD(image_has_queues, "mqs_image_has_queues");
    LOAD(setup_process, "mqs_setup_process");
    LOAD(process_has_queues, "mqs_process_has_queues");
    LOAD(update_communicator_list, "mqs_update_communicator_list");
    LOAD(setup_communicators, "mqs_setup_communicator_iterator");
    LOAD(get_communicator, "mqs_get_communicator");
    LOAD(next_communicator, "mqs_next_communicator");
    LOAD(setup_operations, "mqs_setup_operation_iterator");
    LOAD(next_operation, "mqs_next_operation");
}

/* ---- what there is, and what is shown ---- */

enum { WORLD, COPY, COMMS };
enum { LARGE = 8 << 20 };

typedef struct wanted_t {
    int what; /* mqs_op_class */
    int comm;
    long peer;
    long tag; /* -1: any */
    long length;
    int seen;
} wanted_t;

static wanted_t wanted[] = {
    {mqs_pending_receives, WORLD, 1, 5, 40, 0},
    {mqs_pending_receives, WORLD, -1, 6, 4, 0},
    {mqs_pending_receives, WORLD, 1, -1, 80, 0},
    {mqs_pending_receives, COPY, -1, -1, 12, 0},
    {mqs_pending_sends, WORLD, 1, 7, LARGE, 0},
    {mqs_pending_sends, COPY, 1, 8, LARGE, 0},
};

enum { WANTED = sizeof(wanted) / sizeof(wanted[0]) };

static const char *const names[COMMS] = {"MPI_COMM_WORLD", "a copy"};
static MPI_Comm comms[COMMS];
static MPI_Request requests[WANTED];
static char buffers[WANTED][LARGE];
static int wrong;

static void compare(int what, int comm, const mqs_pending_operation *op)
{
    long tag = op->tag_wild ? -1 : (long) op->desired_tag;
    /* The library widens it without its sign: MPI_ANY_SOURCE. */
    long peer = (int) op->desired_local_rank;

    printf("%s: %s, rank %ld, tag %ld, %ld bytes, status %d; in all %ld%s\n",
           names[comm], mqs_pending_sends == what ? "send" : "receive", peer,
           tag, (long) op->desired_length, op->status, (long) op->actual_length,
           op->system_buffer ? ", from a buffer" : "");
    if (mqs_st_pending != op->status) {
        return;
    }
    for (int i = 0; i < WANTED; ++i) {
        const wanted_t *one = &wanted[i];

        if (what == one->what && comm == one->comm && tag == one->tag &&
            peer == one->peer && (long) op->desired_length == one->length &&
            (mqs_taddr_t) buffers[i] == op->buffer &&
            (mqs_pending_sends != what ||
             ((long) op->actual_length == one->length && !op->system_buffer))) {
            ++wanted[i].seen;
            return;
        }
    }
    printf("that is wrong\n");
    ++wrong;
}

static void list_operations(int comm)
{
    static const int kinds[2] = {mqs_pending_receives, mqs_pending_sends};

    for (int i = 0; i < 2; ++i) {
        mqs_pending_operation op;

        memset(&op, 0, sizeof(op));
        need(mqs_ok == library.setup_operations(&process, kinds[i]),
             "no operations");
        while (mqs_ok == library.next_operation(&process, &op)) {
            compare(kinds[i], comm, &op);
            memset(&op, 0, sizeof(op));
        }
    }
}

static void list_all(void)
{
    mqs_communicator comm;
    char *message = NULL;

    library.setup_basic_callbacks(&basic_callbacks);
    need(mqs_ok == library.setup_image(&image, &image_callbacks), "no image");
    need(mqs_ok == library.image_has_queues(&image, &message),
         "the image has no queues");
    need(mqs_ok == library.setup_process(&process, &process_callbacks),
         "no process");
    need(mqs_ok == library.process_has_queues(&process, &message),
         "the process has no queues");
    library.update_communicator_list(&process);
    need(mqs_ok == library.setup_communicators(&process), "no communicators");
    while (mqs_ok == library.get_communicator(&process, &comm)) {
        for (int i = 0; i < COMMS; ++i) {
            if (0 == strcmp(names[i], comm.name)) {
                need(2 == comm.size && 0 == comm.local_rank, "communicator");
                list_operations(i);
            }
        }
        if (mqs_ok != library.next_communicator(&process)) {
            break;
        }
    }
    for (int i = 0; i < WANTED; ++i) {
        if (1 != wanted[i].seen) {
            printf("shown %d times: %s, rank %ld, tag %ld, %ld bytes\n",
                   wanted[i].seen, names[wanted[i].comm], wanted[i].peer,
                   wanted[i].tag, wanted[i].length);
            ++wrong;
        }
    }
}

/* Requests that are complete, and are used again. */
static void use_requests(int rank)
{
    static char small[64];
    MPI_Request used[64];

    for (int i = 0; i < 64; ++i) {
        if (0 == rank) {
            MPI_Irecv(&small[i], 1, MPI_CHAR, 1, i, MPI_COMM_WORLD, &used[i]);
        } else {
            MPI_Issend(&small[i], 1, MPI_CHAR, 0, i, MPI_COMM_WORLD, &used[i]);
        }
    }
    MPI_Waitall(64, used, MPI_STATUSES_IGNORE);
}

static void start(void)
{
    for (int i = 0; i < WANTED; ++i) {
        MPI_Comm comm = comms[wanted[i].comm];
        int peer = -1 == wanted[i].peer ? MPI_ANY_SOURCE : 1;
        int tag = -1 == wanted[i].tag ? MPI_ANY_TAG : (int) wanted[i].tag;
        int length = (int) wanted[i].length;

        if (mqs_pending_sends == wanted[i].what) {
            MPI_Isend(buffers[i], length, MPI_CHAR, peer, tag, comm,
                      &requests[i]);
        } else {
            MPI_Irecv(buffers[i], length / 4, MPI_INT, peer, tag, comm,
                      &requests[i]);
        }
    }
}

/* The other side of all of them. */
static void finish(int rank)
{
    static const int tags[WANTED] = {5, 6, 9, 9, 7, 8};

    for (int i = 0; 1 == rank && i < WANTED; ++i) {
        MPI_Comm comm = comms[wanted[i].comm];

        if (mqs_pending_sends == wanted[i].what) {
            MPI_Recv(buffers[i], LARGE, MPI_CHAR, 0, tags[i], comm,
                     MPI_STATUS_IGNORE);
        } else {
            MPI_Send(buffers[i], 1, MPI_INT, 0, tags[i], comm);
        }
    }
    if (0 == rank) {
        MPI_Waitall(WANTED, requests, MPI_STATUSES_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank, token = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    need(2 == argc, "usage: message_queues LIBRARY");
    comms[WORLD] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[COPY]);
    MPI_Comm_set_name(comms[COPY], names[COPY]);
    use_requests(rank);
    if (0 == rank) {
        load(argv[1]);
        start();
        list_all();
        MPI_Send(&token, 1, MPI_INT, 1, 99, comms[COPY]);
    } else {
        MPI_Recv(&token, 1, MPI_INT, 0, 99, comms[COPY], MPI_STATUS_IGNORE);
    }
    finish(rank);
    MPI_Comm_free(&comms[COPY]);
    MPI_Finalize();
    return 0 != wrong;
}
