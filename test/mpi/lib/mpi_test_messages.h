/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The messages of random_datatypes: what is drawn for one, the memory of its two
 * sides, and what its receiver must find there.
 */

#ifndef MPI_TEST_MESSAGES_H
#define MPI_TEST_MESSAGES_H

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

static inline mt_random_t random_of(const message_t *m, uint64_t purpose)
{
    return (mt_random_t){mt_mix(m->key ^ mt_mix(purpose))};
}

/*
 * Sizes where something changes: nothing, an envelope's payload, ob1's and
 * UCX's eager limits and fragments over shared memory and TCP, the limit from
 * which payloads are held, the largest at which prefetching and offload begin.
 */
static inline size_t draw_size(mt_random_t *random)
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

static inline void draw_count(mt_random_t *random, message_t *m)
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
static inline void reconcile(message_t *m)
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

static inline bool buffered(const message_t *m)
{
    return BSEND == m->mode || IBSEND == m->mode || BSEND_INIT == m->mode;
}

static inline void draw_message(worker_t *w, int slot, bool back)
{
    message_t *m = &w->message[slot + (back ? BATCH : 0)];
    const message_t *forth = &w->message[slot];
    mt_random_t random;

    m->key = mt_key(mt_seed, w->round, slot, (uint64_t) (w->id * 2 + back));
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

static inline void show(const message_t *m, const char *what)
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

static inline void wrong(worker_t *w, const message_t *m, const char *format,
                         ...) __attribute__((format(printf, 3, 4)));

static inline void wrong(worker_t *w, const message_t *m, const char *format,
                         ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    ++w->num_wrong;
    show(m, text);
    if (!go_on) {
        MT_FAIL("seed %" PRIu64 ": see above; again by --first %d --rounds 1"
                " --describe",
                mt_seed, w->round);
    }
}

static inline void describe(const worker_t *w, const message_t *m)
{
    MT_CASE("round %d, message %td: %zu bytes, %d of %zu, %d to %d, %s, %s",
            w->round, m - w->message, m->size, m->count, m->type.size, m->from,
            m->to, mode_names[m->mode],
            m->mode < SENDRECV ? way_names[m->way] : "exchanged");
}

/* ---- memory ------------------------------------------------------------- */

static inline void get_memory(side_t *side, uint64_t key)
{
    size_t span = (size_t) (side->area.high - side->area.low);
    memory_t *memory = &side->memory;

    memory->length = span + 2 * GUARD + key % 8;
    memory->memory = malloc(memory->length + 1);
    CHECK(NULL != memory->memory);
    memory->first = memory->memory + GUARD + key % 8;
}

/* What to hand to MPI. */
static inline void *base_of(const side_t *side)
{
    return side->memory.first - side->area.low;
}

/* Each side of a message: `size` bytes as the form says, or the type itself if
 * that would be no type that can be received into. */
static inline void make_side(worker_t *w, message_t *m, side_t *side,
                             uint64_t purpose, bool receives)
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

static inline void end_side(side_t *side)
{
    mt_area_end(&side->area);
    if (side->has_other) {
        mt_type_free(&side->other);
    }
    free(side->memory.memory);
}

/* ---- the bytes ---------------------------------------------------------- */

static inline unsigned char *piece_of_pool(const message_t *m)
{
    return pool + m->offset;
}

static inline void make_stream(message_t *m)
{
    if (NULL == m->stream) {
        m->stream = malloc(m->size + 1);
        CHECK(NULL != m->stream);
        mt_area_copy(&m->data, piece_of_pool(m), m->stream, m->size, true);
    }
}

/* MPI_Pack gives the same bytes; so the datatype engine is not at fault. */
static inline void check_pack(worker_t *w, message_t *m)
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

static inline void prepare_send(worker_t *w, message_t *m)
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

static inline void prepare_receive(worker_t *w, message_t *m)
{
    make_side(w, m, &m->in, 4, true);
    memset(m->in.memory.memory, MT_BACKGROUND, m->in.memory.length);
}

/* The first byte that differs, told by where it is. */
static inline void differs(worker_t *w, message_t *m,
                           const unsigned char *expected)
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
static inline void check_data(worker_t *w, message_t *m)
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

static inline void check_status(worker_t *w, message_t *m,
                                const MPI_Status *status)
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

static inline void check_receive(worker_t *w, message_t *m, int rc,
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

#endif /* MPI_TEST_MESSAGES_H */
