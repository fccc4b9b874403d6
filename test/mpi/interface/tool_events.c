/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Events of MPI_T: each type is described before MPI_Init; in a run each one
 * comes when it has happened, as often as champion's counters say, with what
 * belongs to it, in the program's own thread, where MPI may be called.
 *
 *     tool_events [--only CASE] [--limit BYTES] [--silent] [--multiple]
 *
 *   flow       a receiver stops its senders and lets them go on; --limit is
 *              pml_champion_unexpected_limit
 *   thread     the progress thread is switched on and off
 *   migrated   communicators change their component
 *   prefetch   receives that are posted while their message is fetched; needs a
 *              network and pml_champion_prefetch on. Only if it is named
 *   dropped    a handler of dropped events, without a callback; handles
 *   too_many   more events than can wait to be raised
 *
 * --silent    nobody listens: then nothing is raised, whatever happens
 * --multiple  MPI_THREAD_MULTIPLE
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>

#include "mpi_test_variable.h"

#define TAG 31

#if OMPI_MAJOR_VERSION < 6

int main(void)
{
    printf("SKIP: this MPI has no events\n");
    return MT_SKIP;
}

#else

/* Called in place of Open MPI's own, which is called then. */
static int raised;

void mca_base_event_raise_internal(void *event, void *source, void *object,
                                   const void *data, int context);

void mca_base_event_raise_internal(void *event, void *source, void *object,
                                   const void *data, int context)
{
    static void (*next)(void *, void *, void *, const void *, int);

    if (NULL == next) {
        *(void **) &next = dlsym(RTLD_NEXT, "mca_base_event_raise_internal");
    }
    ++raised;
    next(event, source, object, data, context);
}

/* ---- what is expected --------------------------------------------------- */

enum {
    STOPPED,
    RELEASED,
    HELD_UP,
    LET_GO,
    WAITING_MAX,
    STARTED,
    ENDED,
    LATE,
    MIGRATED,
    KINDS
};

typedef struct {
    const char *name;
    int elements, ints; /* the last ones are of MPI_INT */
} kind_t;

static const kind_t kinds[KINDS] = {
    [STOPPED] = {"memory_stopped", 3, 0},
    [RELEASED] = {"memory_released", 3, 0},
    [HELD_UP] = {"memory_held_up", 3, 0},
    [LET_GO] = {"memory_let_go", 3, 0},
    [WAITING_MAX] = {"memory_waiting_max", 3, 0},
    [STARTED] = {"thread_started", 1, 0},
    [ENDED] = {"thread_ended", 1, 0},
    [LATE] = {"prefetch_late", 3, 0},
    [MIGRATED] = {"matching_migrated", 4, 2},
};

typedef struct {
    int kind;
    unsigned long long word[4];
    MPI_Count time;
} seen_t;

static bool silent;
static unsigned long long limit;
static pthread_t program;
static int source, types[KINDS];
static MPI_T_enum components;
static MPI_T_event_registration handles[KINDS];
static seen_t seen[4096];
static int num_seen, lost, freed;
static MPI_Count began;

static MPI_Count source_now(void)
{
    MPI_Count time;

    CHECK_EQ(MPI_T_source_get_timestamp(source, &time), MPI_SUCCESS);
    return time;
}

/* champion's own count of what an event tells of, from now on. */
static mt_variable_t count_of_champion(int kind)
{
    mt_variable_t one =
        mt_variable(kinds[kind].name, MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);

    mt_variable_start(&one);
    return one;
}

static unsigned long long most_memory(void)
{
    mt_variable_t one = mt_variable(
        "memory_waiting_max", MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_COMM_NULL);
    const unsigned long long value = mt_variable_value(&one);

    mt_variable_release(&one);
    return value;
}

/* ---- what comes --------------------------------------------------------- */

static void read_elements(MPI_T_event_instance event, seen_t *one)
{
    const kind_t *kind = &kinds[one->kind];
    unsigned char all[64];

    CHECK_EQ(MPI_T_event_copy(event, all), MPI_SUCCESS);
    for (int i = 0; i < kind->elements; ++i) {
        const bool is_int = i >= kind->elements - kind->ints;
        const size_t size = is_int ? sizeof(int) : sizeof(one->word[0]);
        union {
            unsigned long long word;
            int number;
        } value = {.word = 0};

        CHECK_EQ(MPI_T_event_read(event, i, &value), MPI_SUCCESS);
        /* The numbers stand behind each other, then the components. */
        CHECK(0 ==
              memcmp(&value, all + (is_int ? 24 + 4 * (i - 2) : 8 * i), size));
        one->word[i] = is_int ? (unsigned long long) value.number : value.word;
    }
}

/* The call is at a place where MPI may be called. */
static void call_mpi(void)
{
    int out = 5, in = 0;

    (void) most_memory();
    CHECK_OK(MPI_Sendrecv(&out, 1, MPI_INT, 0, TAG, &in, 1, MPI_INT, 0, TAG,
                          MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK_EQ(in, 5);
}

static void came(MPI_T_event_instance event, MPI_T_event_registration handle,
                 MPI_T_cb_safety safety, void *user)
{
    seen_t *one = &seen[num_seen];
    int from;

    CHECK(num_seen < (int) MT_COUNT_OF(seen));
    one->kind = (int) ((const kind_t *) user - kinds);
    CHECK(handle == handles[one->kind]);
    CHECK_EQ(safety, MPI_T_CB_REQUIRE_NONE);
    CHECK(pthread_equal(pthread_self(), program));
    CHECK_EQ(MPI_T_event_get_source(event, &from), MPI_SUCCESS);
    CHECK_EQ(from, source);
    CHECK_EQ(MPI_T_event_get_timestamp(event, &one->time), MPI_SUCCESS);
    CHECK(one->time >= began && one->time <= source_now());
    CHECK(0 == num_seen || one->time >= one[-1].time);
    read_elements(event, one);
    ++num_seen;
    call_mpi();
}

static void was_lost(MPI_Count count, MPI_T_event_registration handle, int from,
                     MPI_T_cb_safety safety, void *user)
{
    CHECK(handle == handles[MIGRATED]);
    CHECK_EQ(from, source);
    lost += (int) count;
}

static void was_freed(MPI_T_event_registration handle, MPI_T_cb_safety safety,
                      void *user)
{
    CHECK(user == &freed);
    ++freed;
}

static int count_of(int kind)
{
    int count = 0;

    for (int i = 0; i < num_seen; ++i) {
        count += seen[i].kind == kind;
    }
    return count;
}

static void listen_to(int kind)
{
    if (silent) {
        return;
    }
    CHECK_EQ(MPI_T_event_handle_alloc(types[kind], NULL, MPI_INFO_NULL,
                                      &handles[kind]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_register_callback(
                 handles[kind], MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL,
                 (void *) (uintptr_t) &kinds[kind], came),
             MPI_SUCCESS);
}

static void leave(int kind)
{
    const int before = freed;

    if (silent) {
        return;
    }
    CHECK_EQ(MPI_T_event_handle_free(handles[kind], &freed, was_freed),
             MPI_SUCCESS);
    CHECK_EQ(freed, before + 1);
}

/* What is queued comes with the next call that makes progress. */
static void let_come(void)
{
    mt_progress(MPI_COMM_SELF, 2);
}

/* As many events of this kind came as there were. */
static void check_count(int kind, mt_variable_t *counted)
{
    const unsigned long long happened = mt_variable_value(counted);

    CHECK(0 != happened);
    CHECK_EQ(count_of(kind), silent ? 0 : (int) happened);
    mt_variable_release(counted);
}

/* ---- what they are ------------------------------------------------------ */

static void describe_source(void)
{
    char name[64], text[256];
    int num, length = sizeof(name), text_length = sizeof(text);
    MPI_T_source_order order;
    MPI_Count ticks, last;

    MT_CASE("the source");
    CHECK_EQ(MPI_T_source_get_num(&num), MPI_SUCCESS);
    for (source = 0; source < num; ++source) {
        length = sizeof(name);
        text_length = sizeof(text);
        CHECK_EQ(MPI_T_source_get_info(source, name, &length, text,
                                       &text_length, &order, &ticks, &last,
                                       NULL),
                 MPI_SUCCESS);
        if (0 == strcmp(name, "pml_champion")) {
            break;
        }
    }
    CHECK(source < num);
    CHECK_EQ(order, MPI_T_SOURCE_UNORDERED);
    CHECK_EQ(ticks, 1000000000);
    began = source_now();
    CHECK(began <= last && source_now() >= began);
}

static void describe(int kind)
{
    MPI_Datatype of[8];
    MPI_Aint at[8];
    char name[64], text[1024];
    int length = sizeof(name), text_length = sizeof(text), verbosity, bind;
    int elements = MT_COUNT_OF(of);
    MPI_T_enum names;

    snprintf(name, sizeof(name), "ompi.pml_champion_%s", kinds[kind].name);
    MT_CASE("%s is described", name);
    CHECK_EQ(MPI_T_event_get_index(name, &types[kind]), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_get_info(types[kind], name, &length, &verbosity, of,
                                  at, &elements, &names, NULL, text,
                                  &text_length, &bind),
             MPI_SUCCESS);
    CHECK_EQ(bind, MPI_T_BIND_NO_OBJECT);
    CHECK_EQ(elements, kinds[kind].elements);
    for (int i = 0; i < elements; ++i) {
        const bool is_int = i >= elements - kinds[kind].ints;
        char number[16];

        CHECK((is_int ? MPI_INT : MPI_UNSIGNED_LONG_LONG) == of[i]);
        /* Of elements MPI_T has no texts: the event's names them all. */
        snprintf(number, sizeof(number), "%d: ", i);
        CHECK(NULL != strstr(text, number));
    }
    CHECK((MPI_T_ENUM_NULL == names) == (0 == kinds[kind].ints));
    if (MPI_T_ENUM_NULL != names) {
        components = names;
    }
}

/* The number of a component in events. */
static int number_of(const char *wanted)
{
    int items, length, value;
    char name[64];

    length = sizeof(name);
    CHECK_EQ(MPI_T_enum_get_info(components, &items, name, &length),
             MPI_SUCCESS);
    for (int i = 0; i < items; ++i) {
        length = sizeof(name);
        CHECK_EQ(MPI_T_enum_get_item(components, i, &value, name, &length),
                 MPI_SUCCESS);
        if (0 == strcmp(name, wanted)) {
            return value;
        }
    }
    MT_FAIL("no component %s among %d", wanted, items);
}

/* ---- cases -------------------------------------------------------------- */

enum { MESSAGES = 6000, SIZE = 1000 };

static void check_flow(int kind, int peer)
{
    for (int i = 0, times = 0; i < num_seen; ++i) {
        if (kind != seen[i].kind) {
            continue;
        }
        ++times;
        CHECK_EQ(seen[i].word[0], (unsigned long long) peer);
        CHECK_EQ(seen[i].word[1], 0);
        if (STOPPED == kind) {
            CHECK(seen[i].word[2] > limit);
        } else if (RELEASED != kind) {
            CHECK_EQ(seen[i].word[2], (unsigned long long) times);
        }
    }
}

/* Each one is of twice the memory of the last one, at least. */
static void check_maxima(void)
{
    unsigned long long last = 0;

    for (int i = 0; i < num_seen; ++i) {
        if (WAITING_MAX == seen[i].kind) {
            CHECK(seen[i].word[0] > seen[i].word[1]);
            CHECK(seen[i].word[0] <= 2 * seen[i].word[1]);
            CHECK(seen[i].word[1] >= 2 * last);
            CHECK_EQ(seen[i].word[2], limit);
            last = seen[i].word[1];
        }
    }
    CHECK(silent || 2 * last > limit);
    CHECK(silent || most_memory() > last);
}

/* Rank 1 looks on until rank 0 has been told to wait. */
static void flow(void)
{
    static char data[SIZE];
    const int first = 0 == mt_rank ? HELD_UP : STOPPED;
    mt_variable_t counted = count_of_champion(first);
    int flag;

    MT_CASE("flow control");
    for (int kind = STOPPED; kind <= WAITING_MAX; ++kind) {
        listen_to(kind);
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; 0 == mt_rank && i < MESSAGES; ++i) {
        mt_send(data, SIZE, 1, TAG);
    }
    while (1 == mt_rank && 0 == mt_variable_value(&counted)) {
        CHECK_OK(
            MPI_Iprobe(0, TAG + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    }
    for (int i = 0; 1 == mt_rank && i < MESSAGES; ++i) {
        CHECK_OK(MPI_Recv(data, SIZE, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    let_come();
    if (mt_rank < 2) {
        check_count(first, &counted);
        CHECK_EQ(count_of(first), count_of(first + 1));
        check_flow(first, 1 - mt_rank);
        check_flow(first + 1, 1 - mt_rank);
    }
    if (1 == mt_rank) {
        check_maxima();
    }
    for (int kind = STOPPED; kind <= WAITING_MAX; ++kind) {
        leave(kind);
    }
}

/* Neighbours in pairs; a process takes heed at its next large message. */
static void exchange_large(int until, int wanted)
{
    static char out[1 << 20], in[1 << 20];
    const int peer = mt_peer;
    int mine, all;

    do {
        if (peer < mt_size) {
            mt_swap(out, sizeof(out), peer, in, sizeof(in), peer, TAG);
        }
        let_come();
        mine = peer >= mt_size || silent || count_of(until) >= wanted;
        CHECK_OK(
            MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    } while (!all);
}

static void progress_thread(void)
{
    enum { OFF = 1, ON = 3, TIMES = 3 };
    const bool alone = (mt_peer) >= mt_size;
    int times = 0;

    listen_to(STARTED);
    listen_to(ENDED);
    for (int i = 1; i <= TIMES; ++i) {
        MT_CASE("the progress thread starts, %d", i);
        mt_variable_write("progress_thread", ON);
        exchange_large(STARTED, i);
        CHECK(silent || alone || count_of(ENDED) == i - 1);
        MT_CASE("the progress thread ends, %d", i);
        mt_variable_write("progress_thread", OFF);
        exchange_large(ENDED, i);
    }
    for (int i = 0; i < num_seen; ++i) {
        if (STARTED == seen[i].kind) {
            CHECK_EQ(seen[i].word[0], (unsigned long long) ++times);
        } else if (ENDED == seen[i].kind) {
            CHECK_EQ(seen[i].word[0], 0);
        }
    }
    CHECK(silent || alone || TIMES == times);
    leave(STARTED);
    leave(ENDED);
}

/* With some receives and one message in its queues. */
static void migrated(void)
{
    static const char *const order[] = {"list", "bin", "source_array", "list"};
    enum { RECEIVES = 7, CHANGES = MT_COUNT_OF(order) - 1 };
    MPI_Request receives[RECEIVES], send;
    MPI_Comm comm;
    int first, word[RECEIVES + 1];

    MT_CASE("migration");
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    mt_set_info(comm, "ompi_mq", order[0]);
    for (int i = 0; i < RECEIVES; ++i) {
        CHECK_OK(MPI_Irecv(&word[i], 1, MPI_INT, 0, i, comm, &receives[i]));
    }
    CHECK_OK(MPI_Isend(&first, 0, MPI_INT, 0, TAG, comm, &send));
    CHECK_OK(MPI_Probe(0, TAG, comm, MPI_STATUS_IGNORE));
    listen_to(MIGRATED);
    first = num_seen;
    for (int i = 1; i <= CHANGES; ++i) {
        mt_set_info(comm, "ompi_mq", order[i]);
    }
    mt_set_info(comm, "ompi_mq", order[CHANGES]); /* it is there already */
    let_come();
    CHECK_EQ(num_seen, silent ? first : first + CHANGES);
    for (int i = 0; i < num_seen - first; ++i) {
        const seen_t *one = &seen[first + i];

        CHECK_EQ(one->kind, MIGRATED);
        CHECK_EQ(one->word[0], (unsigned long long) MPI_Comm_c2f(comm));
        CHECK_EQ(one->word[1], RECEIVES + 1);
        CHECK_EQ(one->word[2], (unsigned long long) number_of(order[i]));
        CHECK_EQ(one->word[3], (unsigned long long) number_of(order[i + 1]));
    }
    MT_CASE("migration, nobody listens any more");
    leave(MIGRATED);
    first = num_seen;
    mt_set_info(comm, "ompi_mq", "bin");
    let_come();
    CHECK_EQ(num_seen, first);
    CHECK_OK(MPI_Recv(&first, 0, MPI_INT, 0, TAG, comm, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    for (int i = 0; i < RECEIVES; ++i) {
        CHECK_OK(MPI_Send(&i, 1, MPI_INT, 0, i, comm));
    }
    CHECK_OK(MPI_Waitall(RECEIVES, receives, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Comm_free(&comm));
}

/* Without a callback all events of a handle are dropped: its handler is told
 * how many, at the latest when the handle is freed. */
static void dropped(void)
{
    enum { CHANGES = 5 };
    const int before = num_seen;
    MPI_Comm comm;

    MT_CASE("dropped events");
    if (silent) {
        return;
    }
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    mt_set_info(comm, "ompi_mq", "list");
    CHECK_EQ(MPI_T_event_handle_alloc(types[MIGRATED], NULL, MPI_INFO_NULL,
                                      &handles[MIGRATED]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_set_dropped_handler(handles[MIGRATED], was_lost),
             MPI_SUCCESS);
    for (int i = 0; i < CHANGES; ++i) {
        mt_set_info(comm, "ompi_mq", 0 == i % 2 ? "bin" : "list");
        let_come();
    }
    leave(MIGRATED);
    CHECK_EQ(lost, CHANGES);
    CHECK_EQ(num_seen, before);
    CHECK_OK(MPI_Comm_free(&comm));
}

/* More events than can wait while the program makes no progress. */
static void too_many(void)
{
    enum { WAITING = 512, MORE = 88 };
    const int before = num_seen, lost_before = lost;
    MPI_Comm comm;

    MT_CASE("more events than can wait");
    if (silent) {
        return;
    }
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    mt_set_info(comm, "ompi_mq", "list");
    let_come();
    listen_to(MIGRATED);
    CHECK_EQ(MPI_T_event_set_dropped_handler(handles[MIGRATED], was_lost),
             MPI_SUCCESS);
    for (int i = 0; i < WAITING + MORE; ++i) {
        mt_set_info(comm, "ompi_mq", 0 == i % 2 ? "bin" : "list");
    }
    CHECK_EQ(num_seen, before);
    let_come();
    CHECK_EQ(num_seen, before + WAITING);
    CHECK_EQ(lost, lost_before + MORE);
    leave(MIGRATED);
    CHECK_EQ(lost, lost_before + MORE);
    CHECK_OK(MPI_Comm_free(&comm));
}

/* Even ranks send, odd ones receive as soon as they have seen a message. */
static void prefetch(void)
{
    enum { LARGE = 4 << 20 };
    mt_variable_t counted = count_of_champion(LATE);
    char *data = mt_alloc(LARGE);
    int enough;

    MT_CASE("prefetches that come late");
    listen_to(LATE);
    do {
        if (0 == mt_rank) {
            mt_send(data, LARGE, 1, TAG);
        } else if (1 == mt_rank) {
            CHECK_OK(MPI_Probe(0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_OK(MPI_Recv(data, LARGE, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
        }
        enough = mt_variable_value(&counted) >= 3;
        CHECK_OK(MPI_Bcast(&enough, 1, MPI_INT, 1, MPI_COMM_WORLD));
    } while (!enough);
    let_come();
    if (1 == mt_rank) {
        check_count(LATE, &counted);
        for (int i = 0; i < num_seen; ++i) {
            if (LATE == seen[i].kind) {
                CHECK_EQ(seen[i].word[0], 0);
                CHECK_EQ(seen[i].word[1], 0);
                CHECK_EQ(seen[i].word[2], LARGE);
            }
        }
    }
    leave(LATE);
    mt_free(data);
}

static const struct {
    const char *name;
    void (*run)(void);
    bool always;
} cases[] = {{"flow", flow, true},         {"thread", progress_thread, true},
             {"migrated", migrated, true}, {"dropped", dropped, true},
             {"too_many", too_many, true}, {"prefetch", prefetch, false}};

static const char *only_of(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; ++i) {
        if (0 == strcmp(argv[i], "--only")) {
            return argv[i + 1];
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *only = only_of(argc, argv);
    int provided;

    silent = mt_flag(argc, argv, "--silent");
    limit = (unsigned long long) mt_option(argc, argv, "--limit", 0);
    program = pthread_self();
    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    describe_source();
    for (int kind = 0; kind < KINDS; ++kind) {
        describe(kind);
    }
    mt_init_threads(&argc, &argv, 2, mt_flag(argc, argv, "--multiple"));
    for (size_t i = 0; i < MT_COUNT_OF(cases); ++i) {
        if (NULL == only ? cases[i].always : 0 == strcmp(only, cases[i].name)) {
            cases[i].run();
        }
    }
    if (silent) {
        CHECK_EQ(raised, 0);
    } else {
        CHECK(raised >= num_seen);
    }
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return mt_finalize();
}

#endif
