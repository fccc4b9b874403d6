/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes an archive of OTF2 with random traffic, and on standard output what
 * mq_replay --import has to make of it:
 *
 *     otf2_archive FOLDER SEED
 *
 * It draws, in order of time, what happens to a rank: messages that come and
 * receives that are posted, each by one of the ways in which OTF2 records them,
 * and completes every receive at some later time. Clocks of ranks differ by
 * offsets that the archive tells. A line for each message and receive:
 *
 *     RANK arrive|post COMMUNICATOR SOURCE TAG
 *
 * ranks in order, each in order of time.
 */

#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANKS = 5,
    STEPS = 4000,
    EVENTS_MAX = 8 * STEPS,
    TICKS = 100, /* from one step to the next */
    SKEW = 1000000
};

/* Communicators: all; self; 4, 2, 0; an inter-communicator of these and 1, 3.
 */
enum { WORLD, SELF, EVEN, INTER, COMMS };

/* Their groups. */
enum { ALL_LOCATIONS, WORLD_GROUP, SELF_GROUP, EVEN_GROUP, ODD_GROUP };

static const uint64_t everybody[RANKS] = {0, 1, 2, 3, 4};
static const uint64_t even[] = {4, 2, 0};
static const uint64_t odd[] = {1, 3};
/* Not the numbers of ranks, so that these are not taken for each other. */
static const uint64_t locations[RANKS] = {70, 60, 50, 40, 30};

typedef enum kind_t {
    ENTER,
    LEAVE,
    SEND,
    ISEND,
    RECV,
    IRECV_REQUEST,
    IRECV,
    CANCELLED
} kind_t;

typedef struct event_t {
    uint64_t time;
    unsigned number; /* of events at the same time */
    kind_t kind;
    uint32_t peer;
    uint32_t communicator;
    uint32_t tag;
    uint64_t request;
} event_t;

static event_t events[RANKS][EVENTS_MAX];
static unsigned num_events[RANKS];
static uint64_t requests[RANKS];
static uint64_t state;

/* Sebastiano Vigna's splitmix64. */
static uint32_t below(uint32_t limit)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t) ((z ^ (z >> 31)) >> 33) % limit;
}

static void need(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "otf2_archive: %s\n", what);
        exit(2);
    }
}

static void check(OTF2_ErrorCode code)
{
    need(OTF2_SUCCESS == code, OTF2_Error_GetDescription(code));
}

/* ---- what happens ---- */

static event_t *add(uint32_t rank, uint64_t time, kind_t kind)
{
    event_t *event = &events[rank][num_events[rank]];

    need(num_events[rank] < EVENTS_MAX, "too many events");
    *event =
        (event_t){.time = time, .number = num_events[rank]++, .kind = kind};
    return event;
}

static void add_envelope(uint32_t rank, uint64_t time, kind_t kind,
                         uint32_t peer, uint32_t communicator, uint32_t tag,
                         uint64_t request)
{
    event_t *event = add(rank, time, kind);

    event->peer = peer;
    event->communicator = communicator;
    event->tag = tag;
    event->request = request;
}

/* A sender, and a receiver: in the communicator and in the world. */
typedef struct pair_t {
    uint32_t communicator;
    uint32_t source;
    uint32_t receiver;
    uint32_t from;
    uint32_t to;
} pair_t;

static pair_t draw_pair(void)
{
    pair_t pair = {.communicator = below(COMMS)};

    switch (pair.communicator) {
    case WORLD:
        pair.source = pair.from = below(RANKS);
        pair.receiver = pair.to = below(RANKS);
        break;
    case SELF:
        pair.from = pair.to = below(RANKS);
        break;
    case EVEN:
        pair.source = below(3);
        pair.receiver = below(3);
        pair.from = (uint32_t) even[pair.source];
        pair.to = (uint32_t) even[pair.receiver];
        break;
    default:
        if (below(2)) {
            pair.source = below(3);
            pair.receiver = below(2);
            pair.from = (uint32_t) even[pair.source];
            pair.to = (uint32_t) odd[pair.receiver];
        } else {
            pair.source = below(2);
            pair.receiver = below(3);
            pair.from = (uint32_t) odd[pair.source];
            pair.to = (uint32_t) even[pair.receiver];
        }
        break;
    }
    return pair;
}

static void message(const pair_t *pair, uint64_t time, uint32_t tag)
{
    /* Within a function that began earlier, which is of no meaning. */
    add(pair->from, time - 1, ENTER);
    if (below(2)) {
        add_envelope(pair->from, time, ISEND, pair->receiver,
                     pair->communicator, tag, requests[pair->from]++);
    } else {
        add_envelope(pair->from, time, SEND, pair->receiver, pair->communicator,
                     tag, 0);
    }
    add(pair->from, time + 1, LEAVE);
}

static void receive(const pair_t *pair, uint64_t time, uint32_t tag)
{
    uint64_t later = time + 50 + (uint64_t) below(100) * TICKS;

    if (below(2)) {
        /* A request, as a rule a new one; persistent ones come again. */
        uint64_t request = below(8) ? requests[pair->to]++ : UINT64_MAX - time;

        add_envelope(pair->to, time, IRECV_REQUEST, 0, 0, 0, request);
        add_envelope(pair->to, later, IRECV, pair->source, pair->communicator,
                     tag, request);
    } else {
        /* Nothing else happens to this rank until it has its message. */
        add(pair->to, time, ENTER);
        add_envelope(pair->to, time + 20, RECV, pair->source,
                     pair->communicator, tag, 0);
        add(pair->to, time + 30, LEAVE);
    }
}

/* A receive that gets nothing: what it asked for is nowhere. */
static void vain(uint64_t time)
{
    uint32_t rank = below(RANKS);
    uint64_t request = requests[rank]++;

    add_envelope(rank, time, IRECV_REQUEST, 0, 0, 0, request);
    if (below(2)) {
        add_envelope(rank, time + 10, CANCELLED, 0, 0, 0, request);
    }
}

static char *expected[RANKS];
static size_t expected_size[RANKS];
static FILE *expectation[RANKS];

static void happen(void)
{
    unsigned left_out = 0;

    for (uint32_t rank = 0; rank < RANKS; ++rank) {
        expectation[rank] =
            open_memstream(&expected[rank], &expected_size[rank]);
        need(NULL != expectation[rank], "no memory");
    }
    for (uint64_t step = 1; step <= STEPS; ++step) {
        pair_t pair = draw_pair();
        uint64_t time = step * TICKS;
        uint32_t tag = below(4) ? below(8) : INT32_MAX - below(2);
        bool is_message = below(2);

        if (0 == below(200)) {
            vain(time);
            ++left_out;
            continue;
        }
        if (is_message) {
            message(&pair, time, tag);
        } else {
            receive(&pair, time, tag);
        }
        fprintf(expectation[pair.to], "%u %s %u %u %u\n", pair.to,
                is_message ? "arrive" : "post", pair.communicator, pair.source,
                tag);
    }
    for (uint32_t rank = 0; rank < RANKS; ++rank) {
        fclose(expectation[rank]);
        fputs(expected[rank], stdout);
        free(expected[rank]);
    }
    printf("left out: %u\n", left_out);
}

/* ---- the archive ---- */

static OTF2_FlushType before_flush(void *data, OTF2_FileType type,
                                   OTF2_LocationRef location, void *caller,
                                   bool final)
{
    return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *data, OTF2_FileType type,
                                  OTF2_LocationRef location)
{
    return STEPS * TICKS + 2 * SKEW;
}

static int by_time(const void *left, const void *right)
{
    const event_t *a = left, *b = right;

    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

/* What the clock of a rank is ahead of the others'. */
static int64_t skew(uint32_t rank)
{
    return (int64_t) (rank * 7 % RANKS) * (SKEW / RANKS);
}

static void write_event(OTF2_EvtWriter *writer, uint32_t rank,
                        const event_t *event)
{
    uint64_t time = event->time + (uint64_t) skew(rank);

    switch (event->kind) {
    case ENTER:
        check(OTF2_EvtWriter_Enter(writer, NULL, time, 0));
        break;
    case LEAVE:
        check(OTF2_EvtWriter_Leave(writer, NULL, time, 0));
        break;
    case SEND:
        check(OTF2_EvtWriter_MpiSend(writer, NULL, time, event->peer,
                                     event->communicator, event->tag, 8));
        break;
    case ISEND:
        check(OTF2_EvtWriter_MpiIsend(writer, NULL, time, event->peer,
                                      event->communicator, event->tag, 8,
                                      event->request));
        break;
    case RECV:
        check(OTF2_EvtWriter_MpiRecv(writer, NULL, time, event->peer,
                                     event->communicator, event->tag, 8));
        break;
    case IRECV_REQUEST:
        check(
            OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, time, event->request));
        break;
    case IRECV:
        check(OTF2_EvtWriter_MpiIrecv(writer, NULL, time, event->peer,
                                      event->communicator, event->tag, 8,
                                      event->request));
        break;
    default:
        check(OTF2_EvtWriter_MpiRequestCancelled(writer, NULL, time,
                                                 event->request));
        break;
    }
}

static void write_location(OTF2_Archive *archive, uint32_t rank)
{
    OTF2_EvtWriter *writer =
        OTF2_Archive_GetEvtWriter(archive, locations[rank]);
    OTF2_DefWriter *definitions;

    qsort(events[rank], num_events[rank], sizeof(event_t), by_time);
    for (unsigned i = 0; i < num_events[rank]; ++i) {
        write_event(writer, rank, &events[rank][i]);
    }
    check(OTF2_Archive_CloseEvtWriter(archive, writer));
    definitions = OTF2_Archive_GetDefWriter(archive, locations[rank]);
    check(OTF2_DefWriter_WriteClockOffset(definitions, 0, -skew(rank), 0.0));
    check(OTF2_DefWriter_WriteClockOffset(definitions, STEPS * TICKS + 2 * SKEW,
                                          -skew(rank), 0.0));
    check(OTF2_Archive_CloseDefWriter(archive, definitions));
}

static void write_groups(OTF2_GlobalDefWriter *writer)
{
    check(OTF2_GlobalDefWriter_WriteGroup(
        writer, ALL_LOCATIONS, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
        OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, RANKS, locations));
    check(OTF2_GlobalDefWriter_WriteGroup(
        writer, WORLD_GROUP, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
        OTF2_GROUP_FLAG_NONE, RANKS, everybody));
    check(OTF2_GlobalDefWriter_WriteGroup(
        writer, SELF_GROUP, 0, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
        OTF2_GROUP_FLAG_NONE, 0, NULL));
    check(OTF2_GlobalDefWriter_WriteGroup(
        writer, EVEN_GROUP, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
        OTF2_GROUP_FLAG_NONE, 3, even));
    check(OTF2_GlobalDefWriter_WriteGroup(
        writer, ODD_GROUP, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
        OTF2_GROUP_FLAG_NONE, 2, odd));
}

static void write_definitions(OTF2_Archive *archive)
{
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);

    check(OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, 0,
                                                    STEPS * TICKS + 2 * SKEW,
                                                    OTF2_UNDEFINED_TIMESTAMP));
    check(OTF2_GlobalDefWriter_WriteString(writer, 0, "name"));
    check(OTF2_GlobalDefWriter_WriteRegion(
        writer, 0, 0, 0, 0, OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI,
        OTF2_REGION_FLAG_NONE, 0, 0, 0));
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
        writer, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t rank = 0; rank < RANKS; ++rank) {
        check(OTF2_GlobalDefWriter_WriteLocationGroup(
            writer, rank, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
            OTF2_UNDEFINED_LOCATION_GROUP));
        check(OTF2_GlobalDefWriter_WriteLocation(writer, locations[rank], 0,
                                                 OTF2_LOCATION_TYPE_CPU_THREAD,
                                                 num_events[rank], rank));
    }
    write_groups(writer);
    check(OTF2_GlobalDefWriter_WriteComm(writer, WORLD, 0, WORLD_GROUP,
                                         OTF2_UNDEFINED_COMM,
                                         OTF2_COMM_FLAG_NONE));
    check(OTF2_GlobalDefWriter_WriteComm(
        writer, SELF, 0, SELF_GROUP, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    check(OTF2_GlobalDefWriter_WriteComm(writer, EVEN, 0, EVEN_GROUP, WORLD,
                                         OTF2_COMM_FLAG_NONE));
    check(OTF2_GlobalDefWriter_WriteInterComm(
        writer, INTER, 0, EVEN_GROUP, ODD_GROUP, WORLD, OTF2_COMM_FLAG_NONE));
}

int main(int argc, char **argv)
{
    static OTF2_FlushCallbacks flush = {
        .otf2_pre_flush = before_flush,
        .otf2_post_flush = after_flush,
    };
    OTF2_Archive *archive;

    need(3 == argc, "usage: otf2_archive FOLDER SEED");
    state = strtoull(argv[2], NULL, 10);
    happen();
    archive = OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE,
                                OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                                OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
                                OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    need(NULL != archive, "the archive cannot be written");
    check(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    check(OTF2_Archive_OpenEvtFiles(archive));
    check(OTF2_Archive_OpenDefFiles(archive));
    for (uint32_t rank = 0; rank < RANKS; ++rank) {
        write_location(archive, rank);
    }
    check(OTF2_Archive_CloseEvtFiles(archive));
    check(OTF2_Archive_CloseDefFiles(archive));
    write_definitions(archive);
    check(OTF2_Archive_Close(archive));
    return 0;
}
