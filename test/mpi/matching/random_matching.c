/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random sends meet random receives, and every match is the one that MPI
 * prescribes. Each rank knows from the seed what every rank sends to it and
 * in which order, so it can tell for each receive which message it must get.
 *
 *     random_matching [--messages N] [--depth N] [--tags N] [--rounds N]
 *                     [--limits] [--uneven] [--threads N]
 *
 * messages from each rank to each rank and round, receives posted at a time
 * at most, different tags; several communicators, all four kinds of wildcard,
 * posted and unexpected, probes, matched probes, cancelled receives.
 *
 *   --limits     sizes are those at which messages begin to travel in another
 *                way, or nearly so
 *   --uneven     in each round a rank sends much to a few ranks, N messages to
 *                others, and none to half of them
 *   --threads N  that do all this at a time, each in communicators of its own
 *
 * What must match: among the receives that got their message from one source,
 * taken in the order in which they were posted, each got the oldest message
 * of that source that it accepts and no earlier one got.
 *
 * No deadlock: a wildcard receive may take the message another one waits for.
 * A receive is posted only if for each posted receive there are at least as
 * many messages to come that it accepts as there are posted receives that
 * could take one of them (`slack` counts the surplus). Each match keeps that.
 */
#include "mpi_test.h"

#define NUM_COMMS 4
#define MAX_TAGS 512
#define SMALL_SIZE 2000 /* largest message but for the large tag */
#define LARGE_SIZE 150000
#define STRIDE 3 /* of the non-contiguous type */
#define MAX_THREADS 8
#define MUCH 40 /* times as many messages */

enum { UNEXPECTED_FIRST, POSTED_FIRST, MIXED, NUM_MODES };
static const char *const mode_names[] = {"unexpected first", "posted first",
                                         "mixed"};

/* ---- what is sent ------------------------------------------------------ */

typedef struct {
    int comm, tag, size;
    bool consumed;     /* in the receiver's model */
    int next_with_tag; /* same source and communicator; -1: none */
    uint64_t key;
} message_t;

typedef struct {
    int comm, source, tag; /* source: a rank of that communicator */
} envelope_t;

/*
 * Where messages begin to travel in another way: one slot of a ring, one
 * fragment, the longest record of a ring, the pieces of UCX's transports over
 * shared memory, single copy, rings and eager messages by default.
 */
static const int limits[] = {0,    8,    64,    104,   1024,  4096,  4200,
                             8192, 8208, 16384, 32768, 65536, 131072};

static int num_messages = 300, depth = 100, num_tags = 12, num_rounds = 6;
static bool around_limits, uneven;
static MPI_Datatype spread; /* one byte in STRIDE */

/* A thread's own. */
static _Thread_local MPI_Comm comms[NUM_COMMS];
static _Thread_local int thread;

/* Ranks of communicators 1 and 2 count backwards. */
static int rank_in(int comm, int world_rank)
{
    return (1 == comm || 2 == comm) ? mt_size - 1 - world_rank : world_rank;
}

/* Tells a round of a thread from all others. */
static uint64_t name_of(int round)
{
    return (uint64_t) round + ((uint64_t) thread << 32);
}

/* How many messages a rank sends to another in a round. */
static int count_of(int round, int from, int to)
{
    mt_random_t random = {mt_key(~mt_seed, name_of(round), from, to)};
    int kind = uneven ? mt_below(&random, 32) : 1;

    return 0 == kind ? MUCH * num_messages : kind < 16 ? num_messages : 0;
}

static int size_around_a_limit(mt_random_t *random)
{
    int a = mt_below(random, MT_COUNT_OF(limits));
    int b = mt_below(random, MT_COUNT_OF(limits));
    int size = limits[a < b ? a : b] + mt_below(random, 5) - 2;

    return size < 0 ? 0 : size;
}

static message_t plan(int round, int from, int to, int index)
{
    uint64_t name = mt_key(mt_seed, name_of(round), from,
                           (uint64_t) to * 1000000u + (uint64_t) index);
    mt_random_t random = {name};
    int kind = mt_below(&random, 100);
    message_t m = {.next_with_tag = -1, .key = name};

    m.comm = mt_below(&random, NUM_COMMS);
    m.tag = mt_below(&random, num_tags);
    if (around_limits) {
        m.size = size_around_a_limit(&random);
    } else if (kind < 60) {
        m.size = mt_below(&random, 65);
    } else if (0 == m.tag && kind > 80) {
        m.size = mt_below(&random, kind > 95 ? LARGE_SIZE : 20000) + 1;
    } else {
        m.size = mt_below(&random, SMALL_SIZE) + 1;
    }
    return m;
}

/* ---- what the receiver knows ------------------------------------------- */

/* For one communicator and source: messages in order, and an index by tag. */
typedef struct {
    message_t *message;
    int count, first; /* all before `first` are consumed */
    int first_with_tag[MAX_TAGS];
    int to_come[MAX_TAGS]; /* not yet in a completed receive */
} stream_t;

typedef enum { POSTED, TAKEN, COMPLETE, CANCELLED } receive_state_t;

typedef struct {
    envelope_t wanted;
    receive_state_t state; /* TAKEN: by a matched probe */
    int slack;
    bool is_spread, cancelling;
    int room, probed_size; /* -1: not probed */
    unsigned char *buffer;
    MPI_Request request;
    MPI_Message message;
    envelope_t got;
    int size;
} receive_t;

static _Thread_local stream_t *streams;   /* [comm * mt_size + source] */
static _Thread_local receive_t *receives; /* in the order of posting */
static _Thread_local int num_receives, room_receives, first_unchecked;
/* Indices of those in state POSTED or TAKEN. */
static _Thread_local int *posted, num_posted;
static _Thread_local int total_to_come;
/* Whether calls may wait: all that this rank sends is on its way then. */
static _Thread_local bool may_wait;

/* What happened, of all threads. */
static _Atomic long num_wildcards, num_probed, num_cancelled;

static stream_t *stream_of(int comm, int source)
{
    return &streams[comm * mt_size + source];
}

static bool accepts(const envelope_t *wanted, const envelope_t *message)
{
    return wanted->comm == message->comm &&
           (MPI_ANY_SOURCE == wanted->source ||
            wanted->source == message->source) &&
           (MPI_ANY_TAG == wanted->tag || wanted->tag == message->tag);
}

static bool overlap(const envelope_t *a, const envelope_t *b)
{
    return a->comm == b->comm &&
           (MPI_ANY_SOURCE == a->source || MPI_ANY_SOURCE == b->source ||
            a->source == b->source) &&
           (MPI_ANY_TAG == a->tag || MPI_ANY_TAG == b->tag || a->tag == b->tag);
}

static int messages_for(const envelope_t *wanted)
{
    int sum = 0;

    for (int s = 0; s < mt_size; ++s) {
        if (MPI_ANY_SOURCE != wanted->source && s != wanted->source) {
            continue;
        }
        for (int t = 0; t < num_tags; ++t) {
            if (MPI_ANY_TAG == wanted->tag || t == wanted->tag) {
                sum += stream_of(wanted->comm, s)->to_come[t];
            }
        }
    }
    return sum;
}

static void prepare_streams(int round)
{
    streams = calloc((size_t) (NUM_COMMS * mt_size), sizeof(*streams));
    total_to_come = 0;
    for (int from = 0; from < mt_size; ++from) {
        int last[NUM_COMMS][MAX_TAGS];
        int count = count_of(round, from, mt_rank);

        memset(last, -1, sizeof(last));
        for (int c = 0; c < NUM_COMMS; ++c) {
            stream_t *stream = stream_of(c, rank_in(c, from));
            stream->message = malloc(count * sizeof(message_t));
            memset(stream->first_with_tag, -1, sizeof(stream->first_with_tag));
        }
        total_to_come += count;
        for (int i = 0; i < count; ++i) {
            message_t m = plan(round, from, mt_rank, i);
            stream_t *stream = stream_of(m.comm, rank_in(m.comm, from));
            int *before = &last[m.comm][m.tag];

            if (*before < 0) {
                stream->first_with_tag[m.tag] = stream->count;
            } else {
                stream->message[*before].next_with_tag = stream->count;
            }
            *before = stream->count;
            stream->message[stream->count++] = m;
            ++stream->to_come[m.tag];
        }
    }
    num_receives = first_unchecked = num_posted = 0;
}

static void free_streams(void)
{
    for (int i = 0; i < NUM_COMMS * mt_size; ++i) {
        CHECK_EQ(streams[i].first, streams[i].count);
        free(streams[i].message);
    }
    free(streams);
}

/* ---- the model --------------------------------------------------------- */

/* The oldest unconsumed message of a stream that `wanted` accepts. */
static message_t *oldest(stream_t *stream, const envelope_t *wanted)
{
    int i;

    if (MPI_ANY_TAG == wanted->tag) {
        i = stream->first;
        return (i < stream->count) ? &stream->message[i] : NULL;
    }
    i = stream->first_with_tag[wanted->tag];
    while (i >= 0 && stream->message[i].consumed) {
        i = stream->message[i].next_with_tag;
    }
    stream->first_with_tag[wanted->tag] = i;
    return (i >= 0) ? &stream->message[i] : NULL;
}

static void check_receive(receive_t *receive)
{
    stream_t *stream = stream_of(receive->got.comm, receive->got.source);
    message_t *m = oldest(stream, &receive->wanted);
    int step = receive->is_spread ? STRIDE : 1;

    CHECK(accepts(&receive->wanted, &receive->got));
    if (NULL == m || m->tag != receive->got.tag || m->size != receive->size) {
        MT_FAIL("receive (comm %d source %d tag %d) got "
                "tag %d size %d from %d, expected tag %d size %d",
                receive->wanted.comm, receive->wanted.source,
                receive->wanted.tag, receive->got.tag, receive->size,
                receive->got.source, m ? m->tag : -1, m ? m->size : -1);
    }
    CHECK(receive->probed_size < 0 || receive->probed_size == receive->size);
    for (int i = 0; i < m->size; ++i) {
        if (receive->buffer[i * step] != mt_byte(m->key, i)) {
            MT_FAIL("byte %d of %d from %d comm %d tag "
                    "%d is wrong",
                    i, m->size, receive->got.source, receive->got.comm, m->tag);
        }
    }
    CHECK_EQ(receive->buffer[receive->room * step], MT_BACKGROUND);
    m->consumed = true;
    while (stream->first < stream->count &&
           stream->message[stream->first].consumed) {
        ++stream->first;
    }
}

/* In the order of posting, as far as all before are complete. */
static void check_complete(void)
{
    for (; first_unchecked < num_receives; ++first_unchecked) {
        receive_t *receive = &receives[first_unchecked];

        if (POSTED == receive->state || TAKEN == receive->state) {
            break;
        }
        if (COMPLETE == receive->state) {
            check_receive(receive);
        }
        free(receive->buffer);
    }
}

/* ---- receiving --------------------------------------------------------- */

static int largest_for(const envelope_t *wanted)
{
    return (around_limits || MPI_ANY_TAG == wanted->tag || 0 == wanted->tag)
               ? LARGE_SIZE
               : SMALL_SIZE;
}

/* Whether a receive for `wanted` may be posted; its slack if so. */
static bool is_safe(const envelope_t *wanted, int *slack)
{
    *slack = messages_for(wanted) - 1;
    for (int i = 0; i < num_posted; ++i) {
        const receive_t *other = &receives[posted[i]];
        if (POSTED == other->state && overlap(&other->wanted, wanted)) {
            --*slack;
            if (other->slack < 1) {
                return false;
            }
        }
    }
    return *slack >= 0;
}

/* The envelope of some message to come, made a wildcard where that is safe. */
static bool choose_envelope(mt_random_t *random, envelope_t *wanted, int *slack)
{
    int start = mt_below(random, NUM_COMMS * mt_size * num_tags);
    int wildcard = mt_below(random, 4);

    for (int i = 0; i < NUM_COMMS * mt_size * num_tags; ++i) {
        int at = (start + i) % (NUM_COMMS * mt_size * num_tags);
        envelope_t exact = {at / num_tags / mt_size, at / num_tags % mt_size,
                            at % num_tags};

        if (0 == stream_of(exact.comm, exact.source)->to_come[exact.tag]) {
            continue;
        }
        *wanted = exact;
        if (wildcard & 1) {
            wanted->source = MPI_ANY_SOURCE;
        }
        if (wildcard & 2) {
            wanted->tag = MPI_ANY_TAG;
        }
        if (is_safe(wanted, slack)) {
            num_wildcards += wildcard > 0;
            return true;
        }
        *wanted = exact;
        if (is_safe(wanted, slack)) {
            return true;
        }
        if (i > 20 && num_posted > 0) {
            return false;
        }
    }
    return false;
}

static receive_t *add_receive(mt_random_t *random, const envelope_t *wanted,
                              int room, receive_state_t state)
{
    receive_t *receive;
    int step;

    if (num_receives == room_receives) {
        room_receives = 2 * room_receives + 1000;
        receives = realloc(receives, room_receives * sizeof(*receives));
        posted = realloc(posted, room_receives * sizeof(*posted));
    }
    receive = &receives[num_receives];
    memset(receive, 0, sizeof(*receive));
    receive->wanted = *wanted;
    receive->state = state;
    receive->room = room;
    receive->probed_size = -1;
    receive->is_spread = 0 == mt_below(random, 6);
    step = receive->is_spread ? STRIDE : 1;
    receive->buffer = malloc((size_t) (room * step) + 1);
    receive->buffer[room * step] = MT_BACKGROUND;
    receive->request = MPI_REQUEST_NULL;
    posted[num_posted++] = num_receives++;
    return receive;
}

static MPI_Datatype type_of(const receive_t *receive)
{
    return receive->is_spread ? spread : MPI_BYTE;
}

/* A message left the queue for `receive`: all slacks stay true. */
static void account(receive_t *receive, const envelope_t *message)
{
    for (int i = 0; i < num_posted; ++i) {
        receive_t *other = &receives[posted[i]];
        if (other == receive || POSTED != other->state) {
            continue;
        }
        other->slack += overlap(&other->wanted, &receive->wanted);
        if (NULL != message) {
            other->slack -= accepts(&other->wanted, message);
        }
    }
    if (NULL != message) {
        int *left =
            &stream_of(message->comm, message->source)->to_come[message->tag];
        CHECK(*left > 0);
        --*left;
        --total_to_come;
    }
}

static void add_overlap(const receive_t *receive)
{
    for (int i = 0; i < num_posted; ++i) {
        receive_t *other = &receives[posted[i]];
        if (other != receive && POSTED == other->state) {
            other->slack -= overlap(&other->wanted, &receive->wanted);
        }
    }
}

static bool post(mt_random_t *random)
{
    envelope_t wanted;
    receive_t *receive;
    int slack;

    if (!choose_envelope(random, &wanted, &slack)) {
        return false;
    }
    receive = add_receive(random, &wanted, largest_for(&wanted), POSTED);
    receive->slack = slack;
    add_overlap(receive);
    MPI_Irecv(receive->buffer, receive->room, type_of(receive), wanted.source,
              wanted.tag, comms[wanted.comm], &receive->request);
    return true;
}

static envelope_t envelope_of(int comm, const MPI_Status *status)
{
    envelope_t envelope = {comm, status->MPI_SOURCE, status->MPI_TAG};

    CHECK(envelope.source >= 0 && envelope.source < mt_size);
    CHECK(envelope.tag >= 0 && envelope.tag < num_tags);
    return envelope;
}

/* Iprobe, and a receive for exactly what it shows. */
static void probe(mt_random_t *random)
{
    envelope_t wanted, shown;
    receive_t *receive;
    MPI_Status status;
    int slack, flag;

    if (!choose_envelope(random, &wanted, &slack)) {
        return;
    }
    MPI_Iprobe(wanted.source, wanted.tag, comms[wanted.comm], &flag, &status);
    if (!flag) {
        return;
    }
    ++num_probed;
    shown = envelope_of(wanted.comm, &status);
    CHECK(accepts(&wanted, &shown));
    receive = add_receive(random, &shown, largest_for(&shown), POSTED);
    MPI_Get_count(&status, MPI_BYTE, &receive->probed_size);
    receive->slack = messages_for(&shown) - 1;
    for (int i = 0; i < num_posted; ++i) {
        const receive_t *other = &receives[posted[i]];
        receive->slack -= other != receive && POSTED == other->state &&
                          overlap(&other->wanted, &shown);
    }
    add_overlap(receive);
    MPI_Irecv(receive->buffer, receive->room, type_of(receive), shown.source,
              shown.tag, comms[shown.comm], &receive->request);
}

/* Improbe, or Mprobe, takes a message now; it is received some time later. */
static void take(mt_random_t *random)
{
    envelope_t wanted;
    MPI_Message message;
    receive_t *receive;
    MPI_Status status;
    int slack, flag = 1, size;

    if (!choose_envelope(random, &wanted, &slack)) {
        return;
    }
    if (may_wait && 0 == mt_below(random, 3)) {
        MPI_Mprobe(wanted.source, wanted.tag, comms[wanted.comm], &message,
                   &status);
    } else {
        MPI_Improbe(wanted.source, wanted.tag, comms[wanted.comm], &flag,
                    &message, &status);
    }
    if (!flag) {
        return;
    }
    ++num_probed;
    MPI_Get_count(&status, MPI_BYTE, &size);
    receive = add_receive(random, &wanted, size, TAKEN);
    receive->probed_size = size;
    receive->message = message;
    receive->got = envelope_of(wanted.comm, &status);
    add_overlap(receive);
    account(receive, &receive->got);
}

static void complete(receive_t *receive, const MPI_Status *status)
{
    envelope_t got;
    int flag;

    MPI_Test_cancelled(status, &flag);
    if (flag) {
        CHECK(POSTED == receive->state);
        ++num_cancelled;
        account(receive, NULL);
        receive->state = CANCELLED;
        return;
    }
    got = envelope_of(receive->wanted.comm, status);
    MPI_Get_count(status, type_of(receive), &receive->size);
    if (TAKEN == receive->state) {
        CHECK(got.source == receive->got.source);
        CHECK(got.tag == receive->got.tag);
    } else {
        receive->got = got;
        account(receive, &got);
    }
    receive->state = COMPLETE;
}

/* Receives what matched probes took. */
static void receive_taken(mt_random_t *random, bool all)
{
    for (int i = 0; i < num_posted; ++i) {
        receive_t *receive = &receives[posted[i]];
        if (TAKEN != receive->state || MPI_MESSAGE_NULL == receive->message ||
            (!all && mt_below(random, 4))) {
            continue;
        }
        MPI_Imrecv(receive->buffer, receive->room, type_of(receive),
                   &receive->message, &receive->request);
        CHECK(MPI_MESSAGE_NULL == receive->message);
    }
}

/* Completes what can be, or one at least. Returns how many. */
static int complete_some(mt_random_t *random, int n, MPI_Request *request,
                         int *index, MPI_Status *status)
{
    int done;

    if (may_wait && 0 == mt_below(random, 4)) {
        MPI_Waitsome(n, request, &done, index, status);
    } else if (mt_below(random, 3)) {
        MPI_Testsome(n, request, &done, index, status);
    } else {
        int flag;
        MPI_Testany(n, request, &index[0], &flag, &status[0]);
        done = (flag && MPI_UNDEFINED != index[0]) ? 1 : 0;
    }
    return MPI_UNDEFINED == done ? 0 : done;
}

static void progress(mt_random_t *random)
{
    static _Thread_local MPI_Request *request;
    static _Thread_local int *index;
    static _Thread_local MPI_Status *status;
    static _Thread_local int room;
    int n = num_posted, done, left = 0;

    if (n >= room) {
        room = 2 * n + 1;
        request = realloc(request, room * sizeof(*request));
        index = realloc(index, room * sizeof(*index));
        status = realloc(status, room * sizeof(*status));
    }
    for (int i = 0; i < n; ++i) {
        request[i] = receives[posted[i]].request;
    }
    done = complete_some(random, n, request, index, status);
    for (int i = 0; i < done; ++i) {
        complete(&receives[posted[index[i]]], &status[i]);
    }
    for (int i = 0; i < n; ++i) {
        receive_t *receive = &receives[posted[i]];
        receive->request = request[i];
        if (POSTED == receive->state || TAKEN == receive->state) {
            posted[left++] = posted[i];
        }
    }
    num_posted = left;
    check_complete();
}

static void cancel(mt_random_t *random)
{
    receive_t *receive;

    if (0 == num_posted) {
        return;
    }
    receive = &receives[posted[mt_below(random, num_posted)]];
    /* Twice is too often for pml/ob1. */
    if (POSTED == receive->state && !receive->cancelling) {
        receive->cancelling = true;
        MPI_Cancel(&receive->request);
    }
}

/* ---- sending ----------------------------------------------------------- */

typedef struct {
    unsigned char *buffer;
    MPI_Request request;
} send_t;

static void send_one(mt_random_t *random, int round, int to, int index,
                     send_t *send)
{
    message_t m = plan(round, mt_rank, to, index);
    bool is_spread = 0 == mt_below(random, 6);
    int step = is_spread ? STRIDE : 1;

    send->buffer = malloc((size_t) (m.size * step) + 1);
    for (int i = 0; i < m.size; ++i) {
        send->buffer[i * step] = mt_byte(m.key, i);
    }
    (0 == mt_below(random, 8) ? MPI_Issend : MPI_Isend)(
        send->buffer, m.size, is_spread ? spread : MPI_BYTE,
        rank_in(m.comm, to), m.tag, comms[m.comm], &send->request);
}

/* ---- a round ----------------------------------------------------------- */

/* What a thread does in a round: its sends, and how far they are. */
typedef struct {
    int round, mode, total, sent;
    int *left; /* by rank: messages not sent */
    send_t *send;
    mt_random_t random;
} round_t;

static round_t begin_round(int round)
{
    round_t r = {.round = round, .mode = round % NUM_MODES};

    r.random = mt_random(name_of(round) * 1000 + (uint64_t) mt_rank);
    r.left = malloc(mt_size * sizeof(*r.left));
    for (int to = 0; to < mt_size; ++to) {
        r.left[to] = count_of(round, mt_rank, to);
        r.total += r.left[to];
    }
    r.send = malloc(r.total * sizeof(*r.send));
    prepare_streams(round);
    may_wait = false;
    return r;
}

static void send_some(round_t *r)
{
    int batch =
        UNEXPECTED_FIRST == r->mode ? r->total : mt_below(&r->random, 20);

    for (; batch > 0 && r->sent < r->total; --batch, ++r->sent) {
        int to = mt_below(&r->random, mt_size);
        while (0 == r->left[to]) {
            to = (to + 1) % mt_size;
        }
        send_one(&r->random, r->round, to,
                 count_of(r->round, mt_rank, to) - r->left[to]--,
                 &r->send[r->sent]);
    }
    if (UNEXPECTED_FIRST == r->mode && !may_wait) {
        MPI_Barrier(comms[0]);
    }
    may_wait = r->sent == r->total;
}

static void receive_some(mt_random_t *random)
{
    int batch = mt_below(random, 20);

    while (batch-- > 0 && num_posted < depth && post(random)) {
    }
    if (0 == mt_below(random, 3)) {
        probe(random);
    }
    if (0 == mt_below(random, 3)) {
        take(random);
    }
    if (0 == mt_below(random, 5)) {
        cancel(random);
    }
    receive_taken(random, 0 == total_to_come);
    progress(random);
}

/* Everything has been received: nothing is left of it. */
static void end_round(round_t *r)
{
    CHECK_EQ(first_unchecked, num_receives);
    for (int i = 0; i < r->total; ++i) {
        MPI_Wait(&r->send[i].request, MPI_STATUS_IGNORE);
        free(r->send[i].buffer);
    }
    free_streams();
    free(r->send);
    free(r->left);
    MPI_Barrier(comms[0]);
    for (int c = 0; c < NUM_COMMS; ++c) {
        CHECK(!mt_is_there(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[c]));
    }
    MPI_Barrier(comms[0]);
}

static void run_round(int round)
{
    round_t r = begin_round(round);

    MT_CASE("round %d, %s", round, mode_names[r.mode]);
    if (POSTED_FIRST == r.mode) {
        while (num_posted < depth && post(&r.random)) {
        }
        MPI_Barrier(comms[0]);
    }
    do {
        send_some(&r);
        receive_some(&r.random);
        MT_CASE("round %d, %s, %d of %d sent, %d to come, %d posted", round,
                mode_names[r.mode], r.sent, r.total, total_to_come, num_posted);
    } while (r.sent < r.total || total_to_come > 0 || num_posted > 0);
    end_round(&r);
}

/* ---- threads ----------------------------------------------------------- */

typedef struct {
    int number;
    MPI_Comm comms[NUM_COMMS];
} thread_t;

static void *run_rounds(void *argument)
{
    const thread_t *mine = argument;

    thread = mine->number;
    memcpy(comms, mine->comms, sizeof(comms));
    for (int round = 0; round < num_rounds; ++round) {
        run_round(round);
    }
    free(receives);
    free(posted);
    return NULL;
}

static void make_comms(thread_t *t)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &t->comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, mt_size - mt_rank, &t->comms[1]);
    MPI_Comm_dup(t->comms[1], &t->comms[2]);
    MPI_Comm_dup(t->comms[0], &t->comms[3]);
}

static void run_threads(int num_threads)
{
    thread_t threads[MAX_THREADS];

    for (int i = 0; i < num_threads; ++i) {
        threads[i].number = i;
        make_comms(&threads[i]);
    }
    mt_in_threads(num_threads, run_rounds, threads, sizeof(*threads));
    for (int i = 0; i < num_threads; ++i) {
        for (int c = 0; c < NUM_COMMS; ++c) {
            MPI_Comm_free(&threads[i].comms[c]);
        }
    }
}

static void print_what_happened(void)
{
    long mine[] = {num_wildcards, num_probed, num_cancelled};
    long sum[MT_COUNT_OF(mine)];

    MPI_Reduce(mine, sum, (int) MT_COUNT_OF(mine), MPI_LONG, MPI_SUM, 0,
               MPI_COMM_WORLD);
    if (0 == mt_rank) {
        printf("%s: %ld wildcards, %ld probed, %ld cancelled\n", mt_program,
               sum[0], sum[1], sum[2]);
    }
}

int main(int argc, char **argv)
{
    int num_threads = mt_option(argc, argv, "--threads", 1);

    mt_init_threads(&argc, &argv, 1, num_threads > 1);
    num_messages = mt_option(argc, argv, "--messages", num_messages);
    depth = mt_option(argc, argv, "--depth", depth);
    num_tags = mt_option(argc, argv, "--tags", num_tags);
    num_rounds = mt_option(argc, argv, "--rounds", num_rounds);
    around_limits = mt_flag(argc, argv, "--limits");
    uneven = mt_flag(argc, argv, "--uneven");
    CHECK(num_tags > 0 && num_tags <= MAX_TAGS);
    CHECK(num_threads > 0 && num_threads <= MAX_THREADS);

    MPI_Type_create_resized(MPI_BYTE, 0, STRIDE, &spread);
    MPI_Type_commit(&spread);
    run_threads(num_threads);
    MPI_Type_free(&spread);
    print_what_happened();
    return mt_finalize();
}
