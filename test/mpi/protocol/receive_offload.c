/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Large receives that are handed to UCX when they are posted get the messages
 * that MPI prescribes, whatever comes in between: small and non-contiguous
 * messages, receives with wildcards, cancelled ones, several tags and
 * communicators. Any MPI passes; rows of the table require champion's counters
 * to show that receives were offloaded.
 *
 *     receive_offload CASE
 *
 *     mix         random sizes, modes, tags, communicators and layouts;
 *                 receives that are cancelled, probed, persistent
 *     window      64 messages of which one is not contiguous
 *     cancels     receives for messages that turn out small; then large ones
 *     wildcards   receives with wildcards between exact ones
 *     withdrawn   MPI_Cancel of older, newer and all receives of a tag
 *     truncated   receives that are too small, also for synchronous sends
 *     tags        more tags than are followed, in communicators that come and
 *                 go, with receives that never get a message
 *     synchronous MPI_Issend is complete only once its receive is posted
 *     late        a sender that is behind, to a receiver that does not call MPI
 */
#include "mpi_test.h"

#define LARGE 40000
#define SMALL 48 /* bytes; sent eagerly */
#define WINDOW 64
#define TAG 7
#define STRIDE 2 /* ints of the non-contiguous type */

static MPI_Datatype spread; /* every other int */

/* Ranks in pairs: even ones send, odd ones receive, then the other way. */
static int partner(void)
{
    return mt_peer < mt_size ? mt_peer : MPI_PROC_NULL;
}

static void go(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static uint64_t key(int step, int index)
{
    return mt_key(step, index, 7, 7);
}

/* Send messages in both directions, so that the pair has agreed on offload. */
static void warm_up(int tag, MPI_Comm comm)
{
    unsigned char *out = mt_alloc(LARGE), *in = mt_alloc(LARGE);
    MPI_Request request;

    for (int i = 0; i < 3; ++i) {
        MPI_Irecv(in, LARGE, MPI_BYTE, partner(), tag, comm, &request);
        MPI_Barrier(comm);
        mt_fill(out, LARGE, key(-1 - i, tag));
        MPI_Send(out, LARGE, MPI_BYTE, partner(), tag, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (MPI_PROC_NULL != partner()) {
            CHECK_PAYLOAD(in, LARGE, key(-1 - i, tag));
        }
        MPI_Barrier(comm);
    }
    MT_FREE(in, out);
}

static void spread_out(int *to, const int *from, int count)
{
    for (int i = 0; i < count; ++i) {
        to[i * STRIDE] = from[i];
    }
}

static void spread_in(int *to, const int *from, int count)
{
    for (int i = 0; i < count; ++i) {
        to[i] = from[i * STRIDE];
    }
}

/* ---- mix ---------------------------------------------------------------- */

#define MIX_MESSAGES 400
#define MIX_DEPTH 24
#define MIX_TAGS 5
#define MIX_COMMS 3
#define MIX_SIZE 60000

typedef struct {
    int comm, tag, ints, mode;
    bool spread_sent, spread_received, cancelled, probed, persistent;
    uint64_t name;
} plan_t;

static plan_t plan(int round, int from, int to, int index)
{
    uint64_t name = mt_key(mt_seed + (uint64_t) round, from, to, index);
    mt_random_t random = {name};
    plan_t p = {.name = name};

    p.comm = mt_below(&random, MIX_COMMS);
    p.tag = mt_below(&random, MIX_TAGS);
    p.ints = mt_below(&random, 3) ? mt_below(&random, MIX_SIZE / 4)
                                  : mt_below(&random, 20);
    p.mode = mt_below(&random, 4);
    p.spread_sent = 0 == mt_below(&random, 6);
    p.spread_received = 0 == mt_below(&random, 6);
    p.cancelled = 0 == mt_below(&random, 10);
    p.probed = 0 == mt_below(&random, 12);
    p.persistent = 0 == mt_below(&random, 8);
    return p;
}

typedef struct {
    int *buffer, *packed;
    MPI_Request request;
} mix_send_t;

static void mix_send(const plan_t *p, int to, MPI_Comm comm, mix_send_t *s)
{
    MPI_Datatype type = p->spread_sent ? spread : MPI_INT;

    s->packed = mt_payload(p->ints * 4, p->name);
    s->buffer = s->packed;
    if (p->spread_sent) {
        s->buffer = mt_alloc((size_t) p->ints * 4 * STRIDE);
        spread_out(s->buffer, s->packed, p->ints);
    }
    if (0 == p->mode) {
        MPI_Issend(s->buffer, p->ints, type, to, p->tag, comm, &s->request);
    } else if (p->persistent) {
        MPI_Send_init(s->buffer, p->ints, type, to, p->tag, comm, &s->request);
        MPI_Start(&s->request);
    } else {
        MPI_Isend(s->buffer, p->ints, type, to, p->tag, comm, &s->request);
    }
}

static void mix_send_end(const plan_t *p, mix_send_t *s)
{
    MPI_Wait(&s->request, MPI_STATUS_IGNORE);
    if (MPI_REQUEST_NULL != s->request) {
        MPI_Request_free(&s->request);
    }
    if (p->spread_sent) {
        mt_free(s->buffer);
    }
    mt_free(s->packed);
}

typedef struct {
    int *buffer;
    int room;
    bool spread;
    MPI_Request request;
} mix_receive_t;

/* Receive with room for any message of the program, so that champion cannot
 * tell from the room which messages are large. */
static void mix_receive(const plan_t *p, int from, MPI_Comm comm,
                        mix_receive_t *r)
{
    MPI_Datatype type = p->spread_received ? spread : MPI_INT;

    r->room = MIX_SIZE / 4;
    r->spread = p->spread_received;
    r->buffer = mt_alloc((size_t) r->room * 4 * (r->spread ? STRIDE : 1));
    if (p->persistent) {
        MPI_Recv_init(r->buffer, r->room, type, from, p->tag, comm,
                      &r->request);
        MPI_Start(&r->request);
    } else {
        MPI_Irecv(r->buffer, r->room, type, from, p->tag, comm, &r->request);
    }
}

static void mix_check(const plan_t *p, const mix_receive_t *r, int from,
                      MPI_Status *status)
{
    int *packed = r->buffer;

    CHECK_STATUS(status, from, p->tag, MPI_INT, p->ints);
    if (r->spread) {
        packed = calloc((size_t) p->ints + 1, 4);
        spread_in(packed, r->buffer, p->ints);
    }
    CHECK_PAYLOAD(packed, (size_t) p->ints * 4, p->name);
    if (r->spread) {
        free(packed);
    } else {
        CHECK_UNTOUCHED(packed + p->ints,
                        ((size_t) r->room - (size_t) p->ints) * 4);
    }
    mt_free(r->buffer);
}

/* A receive that is to be cancelled is posted behind those of its tag, and
 * taken back before there is a message for it. */
static void mix_cancel(const plan_t *p, int from, MPI_Comm comm)
{
    int room = MIX_SIZE / 4;
    int *buffer = mt_alloc((size_t) room * 4);
    MPI_Request request;

    MPI_Irecv(buffer, room, MPI_INT, from, p->tag + 100, comm, &request);
    MPI_Cancel(&request);
    CHECK(mt_wait_cancelled(&request));
    CHECK_UNTOUCHED(buffer, (size_t) room * 4);
    mt_free(buffer);
}

static void mix_probed(const plan_t *p, int from, MPI_Comm comm)
{
    mix_receive_t r = {.room = p->ints};
    MPI_Message message;
    MPI_Status status;

    MPI_Mprobe(from, p->tag, comm, &message, &status);
    CHECK_STATUS(&status, from, p->tag, MPI_INT, p->ints);
    r.buffer = mt_alloc((size_t) p->ints * 4);
    MPI_Mrecv(r.buffer, p->ints, MPI_INT, &message, &status);
    mix_check(p, &r, from, &status);
}

/* The sends of this rank. */
typedef struct {
    int round, to, next;
    MPI_Comm *comms;
    mix_send_t sends[MIX_MESSAGES];
} mix_sender_t;

/* Send all messages up to one. */
static void mix_send_until(mix_sender_t *sender, int last)
{
    for (; sender->next <= last; ++sender->next) {
        plan_t p = plan(sender->round, mt_rank, sender->to, sender->next);

        mix_send(&p, sender->to, sender->comms[p.comm],
                 &sender->sends[sender->next]);
    }
}

static void mix_send_finish(mix_sender_t *sender)
{
    for (int i = 0; i < MIX_MESSAGES; ++i) {
        plan_t p = plan(sender->round, mt_rank, sender->to, i);

        mix_send_end(&p, &sender->sends[i]);
    }
}

/* All from one rank: posted some at a time, awaited oldest first. A matched
 * probe must not find receives queued that want the same message. */
static void mix_receive_all(int round, int from, MPI_Comm *comms,
                            mix_sender_t *sender)
{
    mix_receive_t receives[MIX_DEPTH];
    int first = 0, next = 0;
    MPI_Status status;

    while (first < MIX_MESSAGES) {
        while (next < MIX_MESSAGES && next - first < MIX_DEPTH) {
            plan_t p = plan(round, from, mt_rank, next);

            if (p.probed && next != first) {
                break;
            }
            if (p.probed) {
                mix_send_until(sender, next);
            }
            if (p.cancelled) {
                mix_cancel(&p, from, comms[p.comm]);
            }
            if (p.probed) {
                mix_probed(&p, from, comms[p.comm]);
                ++first;
            } else {
                mix_receive(&p, from, comms[p.comm],
                            &receives[next % MIX_DEPTH]);
            }
            ++next;
        }
        if (first < next) {
            plan_t p = plan(round, from, mt_rank, first);
            mix_receive_t *r = &receives[first % MIX_DEPTH];

            mix_send_until(sender, first);
            MPI_Wait(&r->request, &status);
            if (MPI_REQUEST_NULL != r->request) {
                MPI_Request_free(&r->request);
            }
            mix_check(&p, r, from, &status);
            ++first;
        }
    }
}

/* In turn every rank receives from every other one: messages that are there
 * already, and messages for which the receives are. */
static void mix(void)
{
    static mix_sender_t sender;
    MPI_Comm comms[MIX_COMMS] = {MPI_COMM_WORLD};

    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
    sender.comms = comms;
    for (int i = 0; i < 3 * (mt_size - 1); ++i) {
        int shift = 1 + i / 3;
        int from = (mt_rank + mt_size - shift) % mt_size;

        MT_CASE("mix, shift %d, round %d", shift, i % 3);
        sender.round = i % 3;
        sender.to = (mt_rank + shift) % mt_size;
        sender.next = 0;
        if (0 == sender.round) {
            mix_send_until(&sender, MIX_MESSAGES - 1);
        }
        mix_receive_all(sender.round, from, comms, &sender);
        mix_send_finish(&sender);
    }
    MPI_Comm_free(&comms[2]);
    MPI_Comm_free(&comms[1]);
}

/* ---- window ------------------------------------------------------------- */

/* One window. Message `odd` is not contiguous: at its sender if `sent`, at its
 * receiver otherwise. */
static void one_window(int step, int odd, bool sent)
{
    int count = LARGE / 4;
    int *in[WINDOW], *out[WINDOW], *packed = malloc(LARGE);
    MPI_Request request[2 * WINDOW];

    for (int i = 0; i < WINDOW; ++i) {
        size_t room = (size_t) LARGE * (i == odd ? STRIDE : 1);

        in[i] = mt_alloc(room);
        MPI_Irecv(in[i], count, i == odd && !sent ? spread : MPI_INT, partner(),
                  TAG, MPI_COMM_WORLD, &request[i]);
    }
    go();
    for (int i = 0; i < WINDOW; ++i) {
        bool apart = i == odd && sent;

        out[i] = mt_alloc((size_t) LARGE * (apart ? STRIDE : 1));
        mt_fill(packed, LARGE, key(step, i));
        if (apart) {
            spread_out(out[i], packed, count);
        } else {
            memcpy(out[i], packed, LARGE);
        }
        MPI_Isend(out[i], count, apart ? spread : MPI_INT, partner(), TAG,
                  MPI_COMM_WORLD, &request[WINDOW + i]);
    }
    MPI_Waitall(2 * WINDOW, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < WINDOW && MPI_PROC_NULL != partner(); ++i) {
        if (i == odd && !sent) {
            spread_in(packed, in[i], count);
        } else {
            memcpy(packed, in[i], LARGE);
        }
        CHECK_PAYLOAD(packed, LARGE, key(step, i));
    }
    for (int i = 0; i < WINDOW; ++i) {
        MT_FREE(in[i], out[i]);
    }
    free(packed);
}

static void window(void)
{
    static const int places[] = {0, 1, 31, 62, 63};

    warm_up(TAG, MPI_COMM_WORLD);
    for (size_t i = 0; i < MT_COUNT_OF(places); ++i) {
        for (int sent = 0; sent < 2; ++sent) {
            MT_CASE("window, message %d, sent %d", places[i], sent);
            one_window((int) i * 2 + sent, places[i], sent);
        }
    }
}

/* ---- cancels ------------------------------------------------------------ */

/* `times` windows of messages of `size` bytes for receives of LARGE. */
static void sized_windows(int step, int times, int size)
{
    unsigned char *in[WINDOW], *out = mt_alloc(LARGE);
    MPI_Request request[WINDOW];
    MPI_Status status;

    for (int t = 0; t < times; ++t) {
        for (int i = 0; i < WINDOW; ++i) {
            in[i] = mt_alloc(LARGE);
            mt_irecv(in[i], LARGE, partner(), TAG, &request[i]);
        }
        go();
        for (int i = 0; i < WINDOW; ++i) {
            mt_fill(out, size, key(step, i));
            mt_send(out, size, partner(), TAG);
        }
        for (int i = 0; i < WINDOW; ++i) {
            MPI_Wait(&request[i], &status);
            if (MPI_PROC_NULL != partner()) {
                CHECK_STATUS(&status, partner(), TAG, MPI_BYTE, size);
                CHECK_PAYLOAD(in[i], size, key(step, i));
                CHECK_UNTOUCHED(in[i] + size, (size_t) (LARGE - size));
            }
            mt_free(in[i]);
        }
    }
    mt_free(out);
}

static void cancels(void)
{
    warm_up(TAG, MPI_COMM_WORLD);
    MT_CASE("small messages");
    sized_windows(1, 10, SMALL);
    MT_CASE("large messages");
    sized_windows(2, 20, LARGE);
}

/* ---- wildcards ---------------------------------------------------------- */

/* Which receives have a wildcard, and of which kind. */
enum { EXACT, ANY_TAG, ANY_SOURCE, ANY_BOTH, KINDS };

static void wildcard_round(int step, mt_random_t *random)
{
    enum { NUM = 24 };
    unsigned char *in[NUM], *out = mt_alloc(LARGE);
    MPI_Request request[NUM];
    MPI_Status status;

    for (int i = 0; i < NUM; ++i) {
        int kind = mt_below(random, 4) ? EXACT : mt_below(random, KINDS);
        int source =
            ANY_SOURCE == kind || ANY_BOTH == kind ? MPI_ANY_SOURCE : partner();
        int tag = ANY_TAG == kind || ANY_BOTH == kind ? MPI_ANY_TAG : TAG;

        if (MPI_PROC_NULL == partner()) {
            source = MPI_PROC_NULL;
        }
        in[i] = mt_alloc(LARGE);
        mt_irecv(in[i], LARGE, source, tag, &request[i]);
    }
    go();
    for (int i = 0; i < NUM; ++i) {
        size_t size = (step + i) % 5 ? LARGE : SMALL;

        mt_fill(out, size, key(step, i));
        mt_send(out, size, partner(), TAG);
    }
    for (int i = 0; i < NUM; ++i) {
        int size = (step + i) % 5 ? LARGE : SMALL;

        MPI_Wait(&request[i], &status);
        if (MPI_PROC_NULL != partner()) {
            CHECK_STATUS(&status, partner(), TAG, MPI_BYTE, size);
            CHECK_PAYLOAD(in[i], size, key(step, i));
        }
        mt_free(in[i]);
    }
    mt_free(out);
}

static void wildcards(void)
{
    mt_random_t random = mt_random(1);

    warm_up(TAG, MPI_COMM_WORLD);
    for (int i = 0; i < 30; ++i) {
        MT_CASE("wildcards, round %d", i);
        wildcard_round(i, &random);
        go();
    }
}

/* ---- withdrawn ---------------------------------------------------------- */

static void await_cancelled(MPI_Request *request, const void *buffer)
{
    CHECK(mt_wait_cancelled(request) || MPI_PROC_NULL == partner());
    CHECK_UNTOUCHED(buffer, LARGE);
}

/* Receives of which some are cancelled, in random order, while none of their
 * messages has been sent; or while they come, and then MPI says which were. */
static void withdraw_round(int step, mt_random_t *random, bool racing)
{
    enum { NUM = 20 };
    unsigned char *in[NUM], *out = mt_alloc(LARGE);
    MPI_Request request[NUM], sent[NUM];
    int order[NUM], flag, next = 0, left = NUM;
    bool drop[NUM];
    MPI_Status status;

    for (int i = 0; i < NUM; ++i) {
        in[i] = mt_alloc(LARGE);
        drop[i] = 0 == mt_below(random, 3);
        mt_irecv(in[i], LARGE, partner(), TAG, &request[i]);
    }
    mt_shuffle(random, order, NUM);
    if (racing) {
        go();
        mt_fill(out, LARGE, key(step, 0));
        for (int i = 0; i < NUM; ++i) {
            mt_isend(out, LARGE, partner(), TAG, &sent[i]);
        }
    }
    for (int i = 0; i < NUM; ++i) {
        if (drop[order[i]]) {
            MPI_Cancel(&request[order[i]]);
        }
    }
    if (!racing) {
        /* Until then the next messages may be theirs. */
        for (int i = 0; i < NUM; ++i) {
            if (drop[i]) {
                await_cancelled(&request[i], in[i]);
                --left;
            }
        }
        go();
        for (int i = 0; i < left; ++i) {
            mt_fill(out, LARGE, key(step, i));
            mt_send(out, LARGE, partner(), TAG);
        }
    }
    for (int i = 0; i < NUM; ++i) {
        bool over = MPI_REQUEST_NULL == request[i];

        MPI_Wait(&request[i], &status);
        MPI_Test_cancelled(&status, &flag);
        if (over || MPI_PROC_NULL == partner()) {
            flag = 0;
        } else if (flag) {
            CHECK(drop[i]);
            CHECK_UNTOUCHED(in[i], LARGE);
        } else {
            CHECK_STATUS(&status, partner(), TAG, MPI_BYTE, LARGE);
            CHECK_PAYLOAD(in[i], LARGE, key(step, racing ? 0 : next));
            ++next;
        }
        mt_free(in[i]);
    }
    /* What was cancelled has left its message to others. */
    for (; racing && MPI_PROC_NULL != partner() && next < NUM; ++next) {
        unsigned char *rest = mt_alloc(LARGE);

        MPI_Recv(rest, LARGE, MPI_BYTE, partner(), TAG, MPI_COMM_WORLD,
                 &status);
        CHECK_PAYLOAD(rest, LARGE, key(step, 0));
        mt_free(rest);
    }
    if (racing) {
        MPI_Waitall(NUM, sent, MPI_STATUSES_IGNORE);
    }
    mt_free(out);
}

static void withdrawn(void)
{
    mt_random_t random = mt_random(2);

    warm_up(TAG, MPI_COMM_WORLD);
    for (int i = 0; i < 40; ++i) {
        MT_CASE("withdrawn, round %d", i);
        withdraw_round(i, &random, i % 2);
        go();
    }
}

/* ---- truncated ---------------------------------------------------------- */

static void truncated_round(int step, bool synchronous, bool posted_first)
{
    unsigned char *in[2], *out = mt_alloc(LARGE);
    MPI_Request request[2], sent[2];
    int room = LARGE - 1000;

    in[0] = mt_alloc(room);
    in[1] = mt_alloc(LARGE);
    mt_fill(out, LARGE, key(step, 0));
    for (int way = 0; way < 2; ++way) {
        if (way == !posted_first) {
            mt_irecv(in[0], room, partner(), TAG, &request[0]);
            mt_irecv(in[1], LARGE, partner(), TAG, &request[1]);
        } else {
            for (int i = 0; i < 2; ++i) {
                (synchronous ? mt_issend : mt_isend)(out, LARGE, partner(), TAG,
                                                     &sent[i]);
            }
        }
        go();
    }
    if (MPI_PROC_NULL != partner()) {
        CHECK_RC(MPI_Wait(&request[0], MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        CHECK_OK(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
        CHECK_PAYLOAD(in[1], LARGE, key(step, 0));
    } else {
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
    MT_FREE(in[0], in[1], out);
}

static void truncated(void)
{
    warm_up(TAG, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 16; ++i) {
        MT_CASE("truncated, round %d", i);
        truncated_round(i, i & 1, i & 2);
        go();
    }
}

/* ---- tags --------------------------------------------------------------- */

static void tags_in(MPI_Comm comm, int step)
{
    enum { TAGS = 70, TIMES = 6 };
    unsigned char *in[TAGS], *never = mt_alloc(LARGE), *out = mt_alloc(LARGE);
    MPI_Request request[TAGS], hopeless;

    for (int t = 0; t < TIMES; ++t) {
        for (int tag = 0; tag < TAGS; ++tag) {
            in[tag] = mt_alloc(LARGE);
            MPI_Irecv(in[tag], LARGE, MPI_BYTE, partner(), tag, comm,
                      &request[tag]);
        }
        MPI_Barrier(comm);
        for (int tag = TAGS - 1; tag >= 0; --tag) {
            mt_fill(out, LARGE, key(step * 100 + t, tag));
            MPI_Send(out, LARGE, MPI_BYTE, partner(), tag, comm);
        }
        for (int tag = 0; tag < TAGS; ++tag) {
            MPI_Wait(&request[tag], MPI_STATUS_IGNORE);
            if (MPI_PROC_NULL != partner()) {
                CHECK_PAYLOAD(in[tag], LARGE, key(step * 100 + t, tag));
            }
            mt_free(in[tag]);
        }
    }
    /* It outlives the communicator's handle, and the other side may be in the
     * next communicator already. */
    MPI_Irecv(never, LARGE, MPI_BYTE, partner(), step % TAGS, comm, &hopeless);
    MPI_Comm_free(&comm);
    if (mt_rank % 2) {
        usleep(2000);
    }
    MPI_Cancel(&hopeless);
    CHECK(mt_wait_cancelled(&hopeless) || MPI_PROC_NULL == partner());
    CHECK_UNTOUCHED(never, LARGE);
    MT_FREE(never, out);
}

/* Odd ranks have a receive that never gets a message, in a communicator that
 * even ranks have let go of while they send in another one. */
static void forgotten(int step)
{
    unsigned char *in = mt_alloc(LARGE), *never = mt_alloc(LARGE);
    MPI_Comm first, second;
    MPI_Request hopeless;

    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    warm_up(TAG, first);
    if (mt_rank % 2) {
        MPI_Irecv(never, LARGE, MPI_BYTE, partner(), TAG, first, &hopeless);
    }
    MPI_Barrier(second);
    MPI_Comm_free(&first);
    for (int i = 0; i < 3; ++i) {
        if (mt_rank % 2) {
            CHECK_RECV(in, LARGE, partner(), TAG, second, key(step, i));
        } else {
            mt_fill(in, LARGE, key(step, i));
            MPI_Send(in, LARGE, MPI_BYTE, partner(), TAG, second);
        }
    }
    if (mt_rank % 2) {
        MPI_Cancel(&hopeless);
        CHECK(mt_wait_cancelled(&hopeless));
        CHECK_UNTOUCHED(never, LARGE);
    }
    MPI_Comm_free(&second);
    MT_FREE(never, in);
}

static void tags(void)
{
    MPI_Comm comm;

    for (int i = 0; i < 4; ++i) {
        MT_CASE("forgotten, round %d", i);
        forgotten(i);
    }
    for (int i = 0; i < 4; ++i) {
        MT_CASE("tags, communicator %d", i);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        tags_in(comm, i);
    }
}

/* ---- synchronous --------------------------------------------------------- */

/* Rank 0 of each pair sends, then rank 1. */
static void synchronous_round(int step, int size, bool sending)
{
    unsigned char *buffer = mt_alloc(size);
    MPI_Request request;

    if (sending) {
        mt_fill(buffer, size, key(step, size));
        mt_issend(buffer, size, partner(), TAG, &request);
        for (int i = 0; i < 300 && MPI_PROC_NULL != partner(); ++i) {
            CHECK(!mt_test(&request));
        }
        mt_tell(partner(), TAG + 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        mt_hear(partner(), TAG + 1, MPI_COMM_WORLD);
        MPI_Recv(buffer, size, MPI_BYTE, partner(), TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (MPI_PROC_NULL != partner()) {
            CHECK_PAYLOAD(buffer, size, key(step, size));
        }
    }
    mt_free(buffer);
}

static void synchronous(void)
{
    static const int sizes[] = {SMALL, 1500, LARGE, 1000000};

    warm_up(TAG, MPI_COMM_WORLD);
    for (int i = 0; i < 6; ++i) {
        for (size_t s = 0; s < MT_COUNT_OF(sizes); ++s) {
            MT_CASE("synchronous, round %d, %d bytes", i, sizes[s]);
            synchronous_round(i, sizes[s], mt_rank % 2 == i % 2);
        }
    }
}

/* ---- late --------------------------------------------------------------- */

static void late(void)
{
    unsigned char *in = mt_alloc(LARGE), *out = mt_alloc(LARGE);
    MPI_Request request;

    for (int i = 0; i < 40; ++i) {
        MT_CASE("late, message %d", i);
        mt_irecv(in, LARGE, partner(), TAG, &request);
        go();
        mt_fill(out, LARGE, key(i, 0));
        usleep(3000);
        mt_send(out, LARGE, partner(), TAG);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (MPI_PROC_NULL != partner()) {
            CHECK_PAYLOAD(in, LARGE, key(i, 0));
        }
        go();
    }
    MT_FREE(in, out);
}

/* First late messages, then late receives; and late messages again. */
static void too_late(void)
{
    unsigned char *in = mt_alloc(LARGE), *out = mt_alloc(LARGE);

    late();
    for (int i = 0; i < 40; ++i) {
        MPI_Request request;

        MT_CASE("too late, message %d", i);
        mt_fill(out, LARGE, key(i, 1));
        mt_isend(out, LARGE, partner(), TAG, &request);
        MPI_Probe(partner(), TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, LARGE, MPI_BYTE, partner(), TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (MPI_PROC_NULL != partner()) {
            CHECK_PAYLOAD(in, LARGE, key(i, 1));
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MT_FREE(in, out);
    late();
}

typedef struct {
    const char *name;
    void (*run)(void);
} case_t;

static const case_t cases[] = {
    {"mix", mix},
    {"window", window},
    {"cancels", cancels},
    {"wildcards", wildcards},
    {"withdrawn", withdrawn},
    {"truncated", truncated},
    {"tags", tags},
    {"synchronous", synchronous},
    {"late", late},
    {"too_late", too_late},
};

int main(int argc, char **argv)
{
    mt_init(&argc, &argv, 2);
    MPI_Type_create_resized(MPI_INT, 0, 4 * STRIDE, &spread);
    MPI_Type_commit(&spread);
    for (size_t i = 0; i < MT_COUNT_OF(cases); ++i) {
        if (argc > 1 && 0 == strcmp(argv[1], cases[i].name)) {
            cases[i].run();
            MPI_Type_free(&spread);
            return mt_finalize();
        }
    }
    MT_FAIL("no case of that name: %s", argc > 1 ? argv[1] : "");
}
