/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random nested datatypes (mpi_test_types.h) by all ways of sending and of
 * receiving, in sizes around every limit at which a message is treated
 * differently, between all ranks and from each to itself.
 *
 *     random_datatypes [--rounds N] [--first N] [--threads N] [--describe]
 *                      [--no-truncation] [--sound | --all] [--go-on]
 *
 * A round is a batch of BATCH messages, drawn from the seed and the round's
 * number alone: --first 700 --rounds 1 is round 700 again, and --describe shows
 * its types. What is drawn for a message:
 *
 *   - its type and count, which give its bytes: those that the type map finds
 * in a piece of one pool of random bytes; the receiver finds them there too
 *   - how it is sent: as that, packed, or as another type of the same
 * signature; one in twenty ends within an element, which can be sent packed
 * only
 *   - what it is received in: the same choice, or with more room, or with less
 *   - how it is sent and received: all modes, blocking or not, persistent,
 *     exchanged, probed, matched by a probe; before or after it has come
 *
 * The receiver compares all of its buffer, holes and surroundings included,
 * with what it must be. Every rank goes through the batch in the same order, so
 * that calls that wait for each other meet.
 *
 * --no-truncation: no receive has less room than its message needs. --sound:
 * only types that the datatype engine of Open MPI 5.0 and 6.0 gets right, which
 * is what is done there; --all: all types there as well. --go-on: errors
 * are reported with their rounds, to compare PMLs, and the exit code is 0.
 */
#include "mpi_test_messages.h"

/* ---- sending and receiving ---------------------------------------------- */

typedef int (*send_t)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int (*isend_t)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                       MPI_Request *);

static void start_send(worker_t *w, message_t *m)
{
    static const send_t sends[] = {MPI_Send, MPI_Ssend, MPI_Rsend, MPI_Bsend};
    static const isend_t isends[] = {
        MPI_Isend,     MPI_Issend,     MPI_Irsend,     MPI_Ibsend,
        MPI_Send_init, MPI_Ssend_init, MPI_Rsend_init, MPI_Bsend_init};
    side_t *side = &m->out;

    describe(w, m);
    prepare_send(w, m);
    if (m->mode <= BSEND) {
        CHECK_OK(sends[m->mode](base_of(side), side->area.count,
                                side->area.type, m->to, m->tag, w->comm));
        return;
    }
    CHECK_OK(isends[m->mode - ISEND](base_of(side), side->area.count,
                                     side->area.type, m->to, m->tag, w->comm,
                                     &side->request));
    if (m->mode >= SEND_INIT) {
        CHECK_OK(MPI_Start(&side->request));
    }
}

static int source_of(const message_t *m)
{
    return m->wildcard ? MPI_ANY_SOURCE : m->from;
}

static void post_early(worker_t *w, message_t *m)
{
    side_t *side = &m->in;

    describe(w, m);
    prepare_receive(w, m);
    CHECK_OK((RECV_INIT_EARLY == m->way ? MPI_Recv_init : MPI_Irecv)(
        base_of(side), side->area.count, side->area.type, source_of(m), m->tag,
        w->comm, &side->request));
    if (RECV_INIT_EARLY == m->way) {
        CHECK_OK(MPI_Start(&side->request));
    }
}

/* What a probe says of it. */
static void check_probed(worker_t *w, message_t *m, const MPI_Status *status)
{
    int bytes = -1;

    MPI_Get_count(status, MPI_BYTE, &bytes);
    if (status->MPI_SOURCE != m->from || status->MPI_TAG != m->tag ||
        bytes != (int) m->size) {
        wrong(w, m, "a probe found source %d, tag %d, %d bytes",
              status->MPI_SOURCE, status->MPI_TAG, bytes);
    }
}

static void receive(worker_t *w, message_t *m)
{
    side_t *side = &m->in;
    void *base;
    MPI_Message message;
    MPI_Status status;
    int rc = MPI_SUCCESS, flag = 0;

    describe(w, m);
    prepare_receive(w, m);
    base = base_of(side);
    switch (m->way) {
    case PROBE_RECV:
        CHECK_OK(MPI_Probe(source_of(m), m->tag, w->comm, &status));
        check_probed(w, m, &status);
        /* fall through */
    case RECV:
        rc = MPI_Recv(base, side->area.count, side->area.type, source_of(m),
                      m->tag, w->comm, &status);
        break;
    case IRECV:
        CHECK_OK(MPI_Irecv(base, side->area.count, side->area.type,
                           source_of(m), m->tag, w->comm, &side->request));
        return;
    case MPROBE_MRECV:
        CHECK_OK(MPI_Mprobe(source_of(m), m->tag, w->comm, &message, &status));
        check_probed(w, m, &status);
        rc = MPI_Mrecv(base, side->area.count, side->area.type, &message,
                       &status);
        break;
    default:
        while (!flag) {
            CHECK_OK(MPI_Improbe(source_of(m), m->tag, w->comm, &flag, &message,
                                 &status));
        }
        check_probed(w, m, &status);
        rc = MPI_Imrecv(base, side->area.count, side->area.type, &message,
                        &side->request);
        if (MPI_SUCCESS == rc) {
            return; /* it may also be told now that it is truncated */
        }
    }
    check_receive(w, m, rc, &status);
}

/* Both messages of a pair; `back` goes from `m->to` to `m->from`. */
static void exchange(worker_t *w, message_t *m, message_t *back)
{
    message_t *out = m->from == mt_rank ? m : back;
    message_t *in = out->from == out->to ? out : out == m ? back : m;
    MPI_Status status;
    int rc;

    describe(w, out);
    prepare_send(w, out);
    prepare_receive(w, in);
    if (SENDRECV == m->mode) {
        rc = MPI_Sendrecv(base_of(&out->out), out->out.area.count,
                          out->out.area.type, out->to, out->tag,
                          base_of(&in->in), in->in.area.count, in->in.area.type,
                          source_of(in), in->tag, w->comm, &status);
        check_receive(w, in, rc, &status);
        return;
    }
    /* In place: the bytes go first into the buffer that is received into. */
    if (ITSELF == in->in.form) {
        make_stream(out);
        mt_area_copy(&in->in.area, in->in.memory.first, out->stream, out->size,
                     false);
    } else {
        make_stream(out);
        memcpy(in->in.memory.first, out->stream, out->size);
    }
    rc = MPI_Sendrecv_replace(base_of(&in->in), in->in.area.count,
                              in->in.area.type, out->to, out->tag,
                              source_of(in), in->tag, w->comm, &status);
    check_receive(w, in, rc, &status);
}

/* ---- a round ------------------------------------------------------------ */

static bool is_exchange(const message_t *m)
{
    return m->mode >= SENDRECV;
}

static bool needs_early(const message_t *m)
{
    return !is_exchange(m) && m->way <= LAST_EARLY;
}

static void go_through(worker_t *w)
{
    for (int i = 0; i < BATCH; ++i) {
        message_t *m = &w->message[i];

        if (is_exchange(m)) {
            if (m->from == mt_rank || m->to == mt_rank) {
                exchange(w, m, &w->message[i + BATCH]);
            }
            continue;
        }
        if (m->from == mt_rank) {
            start_send(w, m);
        }
        if (m->to == mt_rank && !needs_early(m)) {
            receive(w, m);
        }
    }
}

/* A request that is to be completed, and what it is of. */
typedef struct {
    message_t *message;
    bool receives;
} pending_t;

/* Returns how many there are; fills in their requests too. */
static int find_pending(worker_t *w, pending_t *pending, MPI_Request *request)
{
    int n = 0;

    for (int i = 0; i < BATCH; ++i) {
        message_t *m = &w->message[i];

        for (int receives = 0; receives < 2; ++receives) {
            side_t *side = receives ? &m->in : &m->out;

            if (MPI_REQUEST_NULL != side->request) {
                pending[n] = (pending_t){m, receives};
                request[n++] = side->request;
            }
        }
    }
    return n;
}

/*
 * All in one call. A failure makes Open MPI leave others pending; one of a
 * persistent request it tells in the status only.
 */
static void complete_at_once(worker_t *w, MPI_Request *request,
                             MPI_Status *status, int n)
{
    MT_CASE("round %d: waits for all", w->round);
    for (int i = 0; i < n; ++i) {
        status[i].MPI_ERROR = MPI_SUCCESS;
    }
    MPI_Waitall(n, request, status);
}

static int complete_one(worker_t *w, const pending_t *pending,
                        MPI_Request *request, MPI_Status *status)
{
    int rc, flag = 0;

    describe(w, pending->message);
    if (pending->message->key / 2 % 2) {
        return MPI_Wait(request, status);
    }
    do {
        rc = MPI_Test(request, &flag, status);
    } while (MPI_SUCCESS == rc && !flag);
    return rc;
}

static void complete(worker_t *w)
{
    pending_t pending[2 * BATCH];
    MPI_Request request[2 * BATCH];
    MPI_Status status[2 * BATCH];
    int n = find_pending(w, pending, request), rc;
    /* MPI_Waitall of Open MPI 4.1.4 never returns if a request has failed
     * before, with MPI_THREAD_MULTIPLE. */
    bool at_once = w->message[0].key % 3 && (!truncation || 1 == num_threads);

    if (at_once) {
        complete_at_once(w, request, status, n);
    }
    for (int i = 0; i < n; ++i) {
        message_t *m = pending[i].message;

        rc = status[i].MPI_ERROR;
        if (!at_once || MPI_ERR_PENDING == rc) {
            rc = complete_one(w, &pending[i], &request[i], &status[i]);
        }
        if (pending[i].receives) {
            check_receive(w, m, rc, &status[i]);
        } else if (MPI_SUCCESS != rc) {
            wrong(w, m, "sending it failed");
        }
        if (MPI_REQUEST_NULL != request[i]) {
            MPI_Request_free(&request[i]);
        }
    }
}

static void end_message(message_t *m)
{
    if (m->from == mt_rank) {
        end_side(&m->out);
    }
    if (m->to == mt_rank) {
        end_side(&m->in);
    }
    free(m->stream);
}

static void end_round(worker_t *w)
{
    bool was_buffered = false;

    for (int i = 0; i < BATCH; ++i) {
        message_t *m = &w->message[i];
        message_t *back = &w->message[i + BATCH];

        was_buffered |= buffered(m) && m->from == mt_rank;
        end_message(m);
        mt_type_free(&m->type);
        if (is_exchange(m)) {
            if (m->from != m->to) {
                end_message(back);
            }
            mt_type_free(&back->type);
        }
    }
    /* Returns when all that is in it has been delivered. */
    if (was_buffered && 1 == num_threads && 0 == w->round % 2) {
        int size;

        MT_CASE("round %d: detaches the buffer", w->round);
        MPI_Buffer_detach(&w->attached, &size);
        CHECK_EQ(size, ATTACHED);
        MPI_Buffer_attach(w->attached, ATTACHED);
    }
}

static void do_round(worker_t *w, int round)
{
    mt_random_t random = {mt_key(mt_seed, round, 77, 0)};
    bool wait = mt_below(&random, 2);

    w->round = round;
    for (int i = 0; i < BATCH; ++i) {
        MT_CASE("round %d, message %d: its type", round, i);
        draw_message(w, i, false);
        if (is_exchange(&w->message[i])) {
            draw_message(w, i, true);
        }
        wait |= needs_early(&w->message[i]) && w->message[i].mode != SEND;
    }
    for (int i = 0; i < BATCH; ++i) {
        if (needs_early(&w->message[i]) && w->message[i].to == mt_rank) {
            post_early(w, &w->message[i]);
        }
    }
    if (wait) {
        MT_CASE("round %d: barrier", round);
        MPI_Barrier(w->comm);
    }
    go_through(w);
    complete(w);
    end_round(w);
}

static void *work(void *argument)
{
    worker_t *w = argument;

    for (int i = 0; i < num_rounds; ++i) {
        do_round(w, first_round + i);
    }
    return NULL;
}

/* ---- all of it ---------------------------------------------------------- */

static void make_worker(worker_t *w, int id)
{
    w->id = id;
    MPI_Comm_dup(MPI_COMM_WORLD, &w->comm);
    MPI_Comm_set_errhandler(w->comm, MPI_ERRORS_RETURN);
    w->scratch = malloc(MAX_SPAN);
}

static void run(void)
{
    worker_t *workers = calloc(num_threads, sizeof(*workers));
    void *attached = malloc(ATTACHED);
    long num_wrong = 0, total;
    int size;

    MPI_Buffer_attach(attached, ATTACHED);
    for (int i = 0; i < num_threads; ++i) {
        make_worker(&workers[i], i);
    }
    mt_in_threads(num_threads, work, workers, sizeof(*workers));
    for (int i = 0; i < num_threads; ++i) {
        num_wrong += workers[i].num_wrong;
        MPI_Comm_free(&workers[i].comm);
        free(workers[i].scratch);
    }
    MPI_Buffer_detach(&attached, &size);
    free(attached);
    free(workers);
    MPI_Reduce(&num_wrong, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (0 == mt_rank && go_on) {
        printf("%s: %ld wrong\n", mt_program, total);
    }
}

int main(int argc, char **argv)
{
    num_threads = mt_option(argc, argv, "--threads", 1);
    mt_init_threads(&argc, &argv, 1, num_threads > 1);
    num_rounds = mt_option(argc, argv, "--rounds", num_rounds);
    self_eager = mt_option(argc, argv, "--self-eager", self_eager);
    first_round = mt_option(argc, argv, "--first", 0);
    truncation = !mt_flag(argc, argv, "--no-truncation");
    go_on = mt_flag(argc, argv, "--go-on");
    if (mt_flag(argc, argv, "--elements-of-16")) {
        mt_num_basics = MT_BASICS_OF_16;
    }
    mt_sound = mt_flag(argc, argv, "--sound") ||
               (LATER_SERIES && !mt_flag(argc, argv, "--all"));
    mt_type_describe = mt_flag(argc, argv, "--describe");
    pool = malloc(POOL);
    mt_fill(pool, POOL, mt_mix(mt_seed));
    run();
    free(pool);
    return mt_finalize();
}
