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
#include <pthread.h>

#include "mpi_test_types.h"

#define BATCH 4
#define POOL (6 << 20)
#define MAX_SPAN (3 << 20)
#define SELF_EAGER 512     /* MPI_Send to oneself returns, whatever the PML */
#define BUFFERED (1 << 20) /* largest buffered send */
#define BUFFERED_THREADS 20000
#define ATTACHED (64 << 20)

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#define LATER_SERIES true
#else
#define LATER_SERIES false
#endif

typedef enum {
    SEND,
    SSEND,
    RSEND,
    BSEND,
    ISEND,
    ISSEND,
    IRSEND,
    IBSEND,
    SEND_INIT,
    SSEND_INIT,
    RSEND_INIT,
    BSEND_INIT,
    SENDRECV,
    SENDRECV_REPLACE,
    NUM_MODES
} send_mode_t;
static const char *const mode_names[] = {
    "Send",       "Ssend",      "Rsend",    "Bsend",           "Isend",
    "Issend",     "Irsend",     "Ibsend",   "Send_init",       "Ssend_init",
    "Rsend_init", "Bsend_init", "Sendrecv", "Sendrecv_replace"};

/* The first ones are posted before anything of the batch is sent. */
typedef enum {
    IRECV_EARLY,
    RECV_INIT_EARLY,
    RECV,
    IRECV,
    PROBE_RECV,
    MPROBE_MRECV,
    IMPROBE_IMRECV,
    NUM_WAYS
} way_t;
static const char *const way_names[] = {
    "Irecv early", "Recv_init early", "Recv",           "Irecv",
    "Probe, Recv", "Mprobe, Mrecv",   "Improbe, Imrecv"};
#define LAST_EARLY RECV_INIT_EARLY

typedef enum {
    ITSELF,
    PACKED,
    SCATTERED,
    AS_ONE,
    SPREAD,
    DUP,
    NUM_FORMS
} form_t;
static const char *const form_names[] = {"itself", "packed", "scattered",
                                         "as one", "spread", "a duplicate"};

/* Where messages go: memory from malloc(), with guards unless a sanitizer does
 * better. */
#ifdef __SANITIZE_ADDRESS__
#define GUARD 0
#else
#define GUARD MT_GUARD
#endif

typedef struct {
    unsigned char *memory, *first; /* byte `low` of the area is at `first` */
    size_t length;
} memory_t;

/* One side of a message: a type of its own if need be, and the buffer. */
typedef struct {
    form_t form;
    mt_area_t area;
    mt_type_t other;
    bool has_other;
    memory_t memory;
    MPI_Request request;
} side_t;

typedef struct {
    uint64_t key;
    int from, to, tag;
    send_mode_t mode;
    way_t way;
    bool wildcard;
    mt_type_t type;
    int count;
    mt_area_t data;      /* what is sent, as itself */
    size_t size, offset; /* of the data, and of where in the pool they are */
    bool part;           /* the last element is not complete */
    bool truncated;
    unsigned char *stream; /* the bytes of the message */
    side_t out, in;
} message_t;

typedef struct {
    int id; /* of the thread */
    MPI_Comm comm;
    int round;
    message_t message[2 * BATCH]; /* the second half: the way back */
    unsigned char *scratch;
    void *attached;
    long num_wrong;
} worker_t;

static int num_rounds = 1000, first_round, num_threads = 1;
static int self_eager = 512; /* a limit that all PMLs are above */
static bool truncation = true, go_on;
static unsigned char *pool;

/* ---- what is drawn ------------------------------------------------------ */

static mt_random_t random_of(const message_t *m, uint64_t purpose)
{
    return (mt_random_t){mt_mix(m->key ^ mt_mix(purpose))};
}

/*
 * Sizes where something changes: nothing, an envelope's payload, ob1's and
 * UCX's eager limits and fragments over shared memory and TCP, the limit from
 * which payloads are held, the largest at which prefetching and offload begin.
 */
static size_t draw_size(mt_random_t *random)
{
    static const int limits[] = {0,     1,     16,     64,     64,    65,
                                 128,   1024,  4096,   8192,   8208,  8208,
                                 8256,  16384, 16416,  24624,  32768, 65536,
                                 65536, 83000, 131072, 262144, 400000};
    int kind = mt_below(random, 100);
    size_t n = MT_COUNT_OF(limits);

    if (kind < 30) {
        return (size_t) mt_below(random, 130);
    }
    if (kind < 45) {
        return (size_t) mt_below(random, 30000);
    }
    if (kind < 92) {
        n -= 6; /* the large ones are rare */
    }
    return (size_t) limits[mt_below(random, (int) n)];
}

static void draw_count(mt_random_t *random, message_t *m)
{
    size_t size = draw_size(random);
    ptrdiff_t each = m->type.high - m->type.low + labs(m->type.extent) + 1;
    int most = (int) (MAX_SPAN / 2 / each);

    if (0 == m->type.size) {
        m->count = mt_below(random, 4);
    } else {
        m->count = (int) (size / m->type.size) + mt_below(random, 4) - 1;
    }
    m->count = m->count < 0 ? 0 : m->count < most ? m->count : most;
    mt_area_of(&m->data, &m->type, m->count);
    m->size = m->data.size;
    m->offset = mt_next(random) % (POOL - MAX_SPAN);
    /* Not the end of a basic element, which is all a receive may be left with
     * by MPI; but it is no error to be left with a complete one. */
    m->part = m->count > 0 && m->type.num_entries > 1 && m->mode < SENDRECV &&
              0 == mt_below(random, 20);
    if (m->part) {
        for (int e = 1 + mt_below(random, m->type.num_entries - 1);
             e < m->type.num_entries; ++e) {
            const mt_basic_t *b = mt_basic(m->type.entry[e].basic);

            m->size -= b->length[0] + b->length[1];
        }
    }
}

/* What the modes and ways ask of each other. */
static void reconcile(message_t *m)
{
    bool self = m->from == m->to;
    bool ready = RSEND == m->mode || IRSEND == m->mode || RSEND_INIT == m->mode;
    bool blocking = m->mode <= BSEND && m->mode != BSEND;

    if (ready && m->way > LAST_EARLY) {
        m->way = m->key % 2 ? IRECV_EARLY : RECV_INIT_EARLY;
    }
    if (self && blocking && m->way > LAST_EARLY &&
        (SEND != m->mode || (long) m->size > self_eager)) {
        m->mode = SSEND == m->mode ? ISSEND : ISEND;
    }
}

static bool buffered(const message_t *m)
{
    return BSEND == m->mode || IBSEND == m->mode || BSEND_INIT == m->mode;
}

static void draw_message(worker_t *w, int slot, bool back)
{
    message_t *m = &w->message[slot + (back ? BATCH : 0)];
    const message_t *forth = &w->message[slot];
    mt_random_t random;

    m->key = mt_key(mt_seed, (uint64_t) w->round, (uint64_t) slot,
                    (uint64_t) (w->id * 2 + back));
    random = random_of(m, 0);
    m->tag = (w->round * BATCH + slot) % 30000;
    m->from = back ? forth->to : mt_below(&random, mt_size);
    m->to = back ? forth->from : mt_below(&random, mt_size);
    m->mode = back ? forth->mode : (send_mode_t) mt_below(&random, NUM_MODES);
    m->way = (way_t) mt_below(&random, NUM_WAYS);
    m->wildcard = 0 == mt_below(&random, 4);
    m->stream = NULL;
    m->out.request = m->in.request = MPI_REQUEST_NULL;
    if (back && SENDRECV_REPLACE == m->mode) {
        random = random_of(forth, 1);
        mt_type_random(&random, &m->type);
        draw_count(&random, m);
        m->offset = m->key % (POOL - MAX_SPAN);
    } else {
        random = random_of(m, 1);
        mt_type_random(&random, &m->type);
        draw_count(&random, m);
    }
    reconcile(m);
    if (buffered(m) &&
        m->size > (num_threads > 1 ? BUFFERED_THREADS : BUFFERED)) {
        m->mode = ISEND;
    }
    random = random_of(m, 2);
    m->truncated = truncation && m->size > 0 && m->mode < SENDRECV &&
                   0 == mt_below(&random, 12);
}

/* ---- failing ------------------------------------------------------------ */

static void show(const message_t *m, const char *what)
{
    fprintf(stderr,
            "%s: round %d: %s: %zu bytes, %d elements of %zu (%s)%s, %d to %d"
            " tag %d, %s as %s, %s as %s (%d of them)%s\n",
            mt_program, m->tag / BATCH, what, m->size, m->count, m->type.size,
            m->type.num_runs > 1 ? "not contiguous" : "contiguous",
            m->part ? ", one of them not complete" : "", m->from, m->to, m->tag,
            mode_names[m->mode], form_names[m->out.form],
            m->mode < SENDRECV ? way_names[m->way] : "", form_names[m->in.form],
            m->in.area.count, m->truncated ? ", truncated" : "");
}

static void wrong(worker_t *w, const message_t *m, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void wrong(worker_t *w, const message_t *m, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    ++w->num_wrong;
    show(m, text);
    if (!go_on) {
        mt_fail(__FILE__, __LINE__,
                "seed %" PRIu64 ": see above; again by --first %d --rounds 1"
                " --describe",
                mt_seed, w->round);
    }
}

static void describe(const worker_t *w, const message_t *m)
{
    MT_CASE("round %d, message %td: %zu bytes, %d of %zu, %d to %d, %s, %s",
            w->round, m - w->message, m->size, m->count, m->type.size, m->from,
            m->to, mode_names[m->mode],
            m->mode < SENDRECV ? way_names[m->way] : "exchanged");
}

/* ---- memory ------------------------------------------------------------- */

static void get_memory(side_t *side, uint64_t key)
{
    size_t span = (size_t) (side->area.high - side->area.low);
    memory_t *memory = &side->memory;

    memory->length = span + 2 * GUARD + key % 8;
    memory->memory = malloc(memory->length + 1);
    CHECK(NULL != memory->memory);
    memory->first = memory->memory + GUARD + key % 8;
}

/* What to hand to MPI. */
static void *base_of(const side_t *side)
{
    return side->memory.first - side->area.low;
}

/* Each side of a message: `size` bytes as the form says, or the type itself if
 * that would be no type that can be received into. */
static void make_side(worker_t *w, message_t *m, side_t *side, uint64_t purpose,
                      bool receives)
{
    mt_random_t random = random_of(m, purpose);
    form_t form = (form_t) mt_below(&random, NUM_FORMS);
    int count = m->count, extra = 0;

    side->has_other = false;
    if (mt_sound && form >= SCATTERED && form <= SPREAD) {
        form = DUP; /* the others are structures */
    }
    if (SENDRECV_REPLACE == m->mode) {
        form = ITSELF;
    } else if (m->part && !receives) {
        form = PACKED;
    } else if (receives && m->truncated) {
        form = form % 3 ? ITSELF : PACKED;
    } else if ((AS_ONE == form || SPREAD == form) && count < 1) {
        form = ITSELF;
    }
    if (receives && m->truncated) {
        count = m->size < m->type.size
                    ? 0
                    : mt_below(&random, (int) (m->size / m->type.size));
    } else if (receives && form < AS_ONE && m->mode < SENDRECV_REPLACE) {
        extra = mt_below(&random, 3) ? 0 : 1 + mt_below(&random, 5);
    }
    switch (form) {
    case ITSELF:
        mt_area_of(&side->area, &m->type, count + extra);
        break;
    case PACKED:
        mt_area_packed(&side->area,
                       m->truncated && receives
                           ? m->size - 1 -
                                 (size_t) mt_below(&random, (int) m->size)
                           : m->size + (size_t) extra);
        break;
    case SCATTERED:
        mt_type_scattered(&random, &m->type, &side->other);
        side->has_other = true;
        mt_area_of(&side->area, &side->other, count + extra);
        break;
    case DUP:
        mt_area_of(&side->area, &m->type, count);
        side->area.own = true;
        MPI_Type_dup(m->type.type, &side->area.type);
        break;
    default:
        mt_area_as_one(&side->area, &m->type, count,
                       AS_ONE == form ? 0 : 1 + mt_below(&random, 50));
    }
    side->form = form;
    if ((receives || ITSELF != form) && PACKED != form &&
        (side->area.high - side->area.low > MAX_SPAN ||
         mt_area_twice(&side->area, w->scratch))) {
        if (side->has_other) {
            mt_type_free(&side->other);
            side->has_other = false;
        }
        mt_area_end(&side->area);
        side->form = PACKED;
        mt_area_packed(&side->area,
                       m->truncated && receives ? m->size / 2 : m->size);
    }
    get_memory(side, mt_next(&random));
}

static void end_side(side_t *side)
{
    mt_area_end(&side->area);
    if (side->has_other) {
        mt_type_free(&side->other);
    }
    free(side->memory.memory);
}

/* ---- the bytes ---------------------------------------------------------- */

static unsigned char *piece_of_pool(const message_t *m)
{
    return pool + m->offset;
}

static void make_stream(message_t *m)
{
    if (NULL == m->stream) {
        m->stream = malloc(m->size + 1);
        CHECK(NULL != m->stream);
        mt_area_copy(&m->data, piece_of_pool(m), m->stream, m->size, true);
    }
}

/* MPI_Pack gives the same bytes; so the datatype engine is not at fault. */
static void check_pack(worker_t *w, message_t *m)
{
    int room = 0, position = 0;
    unsigned char *bytes;

    MPI_Pack_size(m->count, m->type.type, w->comm, &room);
    bytes = malloc((size_t) room + 1);
    MPI_Pack(piece_of_pool(m) - m->data.low, m->count, m->type.type, bytes,
             room, &position, w->comm);
    make_stream(m);
    if (!m->part && position != (int) m->size) {
        wrong(w, m, "MPI_Pack gave %d bytes", position);
    }
    if (0 != memcmp(bytes, m->stream, m->size)) {
        wrong(w, m, "MPI_Pack gave other bytes");
    }
    free(bytes);
}

static void prepare_send(worker_t *w, message_t *m)
{
    side_t *side = &m->out;

    make_side(w, m, side, 3, false);
    if (ITSELF == side->form) {
        memcpy(side->memory.first, piece_of_pool(m),
               (size_t) (side->area.high - side->area.low));
    } else {
        make_stream(m);
        mt_area_copy(&side->area, side->memory.first, m->stream, m->size,
                     false);
    }
    if (0 == m->key % 8) {
        check_pack(w, m);
    }
}

static void prepare_receive(worker_t *w, message_t *m)
{
    make_side(w, m, &m->in, 4, true);
    memset(m->in.memory.memory, MT_BACKGROUND, m->in.memory.length);
}

/* The first byte that differs, told by where it is. */
static void differs(worker_t *w, message_t *m, const unsigned char *expected)
{
    const memory_t *memory = &m->in.memory;
    size_t i = 0;

    while (memory->memory[i] == expected[i]) {
        ++i;
    }
    wrong(w, m,
          "byte %td of the buffer (data from %td to %td) is 0x%02x, expected"
          " 0x%02x",
          memory->memory + i - memory->first + m->in.area.low, m->in.area.low,
          m->in.area.high, memory->memory[i], expected[i]);
}

/* All of the buffer is as it must be. After a truncated message anything may be
 * in the data, but nothing elsewhere. */
static void check_data(worker_t *w, message_t *m)
{
    side_t *side = &m->in;
    memory_t *memory = &side->memory;
    unsigned char *expected = malloc(memory->length + 1);
    unsigned char *first = expected + (memory->first - memory->memory);

    CHECK(NULL != expected);
    memset(expected, MT_BACKGROUND, memory->length);
    if (m->truncated) {
        unsigned char *data = malloc(side->area.size + 1);

        mt_area_copy(&side->area, memory->first, data, side->area.size, true);
        mt_area_copy(&side->area, first, data, side->area.size, false);
        free(data);
    } else {
        make_stream(m);
        mt_area_copy(&side->area, first, m->stream, m->size, false);
    }
    if (0 != memcmp(memory->memory, expected, memory->length)) {
        differs(w, m, expected);
    }
    free(expected);
}

static void check_status(worker_t *w, message_t *m, const MPI_Status *status)
{
    int bytes = -1, elements = -1, expected, cancelled = 1, size;

    MPI_Get_count(status, MPI_BYTE, &bytes);
    MPI_Get_count(status, m->in.area.type, &elements);
    MPI_Test_cancelled(status, &cancelled);
    MPI_Type_size(m->in.area.type, &size);
    expected = 0 == size                      ? 0
               : 0 == m->size % (size_t) size ? (int) m->size / size
                                              : MPI_UNDEFINED;
    if (status->MPI_SOURCE != m->from || status->MPI_TAG != m->tag ||
        cancelled || (!m->truncated && bytes != (int) m->size)) {
        wrong(w, m, "status has source %d, tag %d, %d bytes, cancelled %d",
              status->MPI_SOURCE, status->MPI_TAG, bytes, cancelled);
    } else if (!m->truncated && elements != expected) {
        wrong(w, m, "MPI_Get_count gave %d, expected %d", elements, expected);
    }
}

static void check_receive(worker_t *w, message_t *m, int rc,
                          const MPI_Status *status)
{
    int class = MPI_SUCCESS,
        expected = m->truncated ? MPI_ERR_TRUNCATE : MPI_SUCCESS;

    if (MPI_SUCCESS != rc) {
        MPI_Error_class(rc, &class);
    }
    if (class != expected) {
        wrong(w, m, "error class %d, expected %d", class, expected);
    }
    check_status(w, m, status);
    check_data(w, m);
}

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
    mt_random_t random = {mt_key(mt_seed, (uint64_t) round, 77, 0)};
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
    worker_t *workers = calloc((size_t) num_threads, sizeof(*workers));
    pthread_t *threads = calloc((size_t) num_threads, sizeof(*threads));
    void *attached = malloc(ATTACHED);
    long num_wrong = 0, total;
    int size;

    MPI_Buffer_attach(attached, ATTACHED);
    for (int i = 0; i < num_threads; ++i) {
        make_worker(&workers[i], i);
    }
    for (int i = 1; i < num_threads; ++i) {
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    work(&workers[0]);
    for (int i = 0; i < num_threads; ++i) {
        if (i > 0) {
            pthread_join(threads[i], NULL);
        }
        num_wrong += workers[i].num_wrong;
        MPI_Comm_free(&workers[i].comm);
        free(workers[i].scratch);
    }
    MPI_Buffer_detach(&attached, &size);
    free(attached);
    free(workers);
    free(threads);
    MPI_Reduce(&num_wrong, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (0 == mt_rank && go_on) {
        printf("%s: %ld wrong\n", mt_program, total);
    }
}

int main(int argc, char **argv)
{
    int provided;

    for (int i = 1; i + 1 < argc; ++i) {
        num_threads = (int) mt_option(argc, argv, "--threads", 1);
    }
    provided = mt_init_thread(&argc, &argv, 1,
                              num_threads > 1 ? MPI_THREAD_MULTIPLE
                                              : MPI_THREAD_SINGLE);
    if (num_threads > 1 && provided < MPI_THREAD_MULTIPLE) {
        printf("SKIP: no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return MT_SKIP;
    }
    num_rounds = (int) mt_option(argc, argv, "--rounds", num_rounds);
    self_eager = (int) mt_option(argc, argv, "--self-eager", self_eager);
    first_round = (int) mt_option(argc, argv, "--first", 0);
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
