/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a receive costs while N others are queued, between two ranks.
 *
 *   mpirun -np 2 queues --case NAME --depth N [--stride T] [--repeats R]
 *                       [--seconds S] [--budget B] [--seed X]
 *
 * Rank 0 receives and measures, rank 1 sends. Messages have 8 bytes.
 * Message or receive i of a queue, 0 <= i < N, has tag i, in the colliding
 * cases T * i (modulo what fits below MAX_TAG, so that a tag comes several
 * times; those are matched in order). Shuffles differ from round to round.
 *
 *   posted_shuffled        exact receives, posted in order, sent shuffled
 *   posted_in_order        ... sent in the same order
 *   reverse                ... sent in the opposite order
 *   any_source_posted      MPI_ANY_SOURCE and a tag, sent shuffled
 *   any_tag_posted         a source and MPI_ANY_TAG, sent in order
 *   colliding_posted       as posted_shuffled, with tags that collide
 *   unexpected_exact       sent in order, received exactly, shuffled
 *   unexpected_any_source  ... received with MPI_ANY_SOURCE and a tag, shuffled
 *   any_tag_unexpected     ... received with a source and MPI_ANY_TAG
 *   colliding_unexpected   as unexpected_exact, with tags that collide
 *   flood_shuffled         as posted_shuffled, all sent without pause
 *   flood_in_order         ... sent in the same order
 *   flood_any_source       as any_source_posted, all sent without pause
 *   pingpong_behind        ping-pong behind N receives that are never matched
 *   window                 windows of N messages with one tag
 *
 * The figure is microseconds per message, the median over the rounds; beside
 * processes that compute, the mean:
 *
 * posted_*, reverse, any_*_posted, colliding_posted: rank 0 posts all N, not
 *   timed. Rank 1 then sends bursts of BURST messages. Rank 0 stays outside
 *   MPI until all of a burst have left rank 1, starts the clock, calls
 *   MPI_Waitall for them, and stops it. So the sender is never waited for: the
 *   figure is taking N messages from the transport, matching and completing
 *   them, divided by N. It has no posting in it; "posting" is that time.
 * flood_*: rank 0 posts all N, not timed. After a barrier rank 1 sends all by
 *   MPI_Send while rank 0 waits for all in one MPI_Waitall, in the order in which
 *   they were posted, which is timed: so a receiver that waits for its sender,
 *   and a sender that waits for room, are in it.
 * unexpected_*, any_*_unexpected, colliding_unexpected: rank 1 sends N and then
 *   twice a marker in another communicator that rank 0 answers; then it stays
 *   outside MPI, so that whatever rank 0 gets had come before. The figure is
 *   the time of N calls of MPI_Recv, divided by N. It has no arrival in it.
 * pingpong_behind: both ranks have posted N receives before. Half a round trip
 *   of MPI_Send and MPI_Recv.
 * window: rank 0 posts N receives, waits for all and answers, while rank 1
 *   sends with MPI_Isend and waits for all and for the answer. Time divided by
 *   N; here sender and receiver work side by side, and the slower one counts.
 *
 * The clock's own cost (timer_ns) is subtracted. The first round is not counted
 * unless it is the only one. There are at most R rounds (100000), and no new
 * one when S seconds (0.2) are over, everything included. When the run has
 * lasted for B seconds (20) within a round, the round is given up: what is
 * queued is received in the order of the queue, which is cheap everywhere. If
 * it was the only round, "too_slow" is true and the figures are a lower bound:
 * time measured so far divided by N.
 *
 * Every message carries a stamp of round and place, and every stamp is checked:
 * after its burst or round, for window within the time. The ranks wait for each
 * other in shared memory. One that waits for a second calls MPI to help the
 * other on; "helped" counts that, and is 0 when the figures are what is said
 * above.
 */
#include "bench.h"

#include <getopt.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    BURST = 16, /* messages that fit into any transport while no one receives */
    MAX_TAG = (1 << 23) - 1, /* the smallest MPI_TAG_UB, which is pml/ucx's */
    MAX_DEPTH = 1 << 24,
    MAX_REPEATS = 100000,
    SPINS = 2000,
    BLOCK = 64, /* receives between two looks at the clock */
    TAG_MARKER = 1,
    TAG_BALL = MAX_TAG
};

enum sends { IN_ORDER, SHUFFLED, REVERSED };

struct bench_case {
    const char *name;
    double (*round)(void); /* seconds per message; negative: gave up */
    enum sends order;      /* of what meets the queue: sends, or receives */
    bool any_source;
    bool any_tag;
    bool colliding;
};

/* What the ranks tell each other outside MPI, each in a line of its own. */
struct shared {
    _Alignas(64) atomic_long round;   /* rank 0: begin it; negative: the end */
    _Alignas(64) atomic_long sent;    /* rank 1: bursts, or rounds */
    _Alignas(64) atomic_long taken;   /* rank 0: bursts, or rounds */
    _Alignas(64) atomic_int given_up; /* rank 0: send the rest in order */
    _Alignas(64) atomic_long beats;   /* rank 0 is at work, and needs no help */
    _Alignas(64) atomic_long helped;
};

static struct {
    const char *name;
    int depth, stride, repeats;
    double seconds, budget;
    uint64_t seed;
} options = {NULL, 1024, 1021, MAX_REPEATS, 0.2, 20, 1};

static const struct bench_case *the_case;
static struct shared *shared;
static MPI_Comm data_comm, marker_comm;
static int rank;
static int depth;   /* N */
static int classes; /* different tags */
static long round_number;
static long bursts; /* of all rounds so far */
static double begin, timer_cost;
static int *order;       /* [k]: place in the queue of what comes k-th */
static int *next_of;     /* [class], scratch for it */
static uint64_t *stamps; /* [place], or the other way round: see each use */
static MPI_Request *requests;
static double posting[MAX_REPEATS + 1]; /* [round]: seconds per receive */

/* ---- waiting, clock, random numbers ---- */

/*
 * Until the other rank has brought `counter` to `value` or made it negative.
 * After a second without a sign of life, with calls of MPI.
 */
static void wait_for(atomic_long *counter, long value)
{
    double since = bench_now();
    long beats = -1;
    int flag;

    for (long spins = 1;; spins++) {
        long seen = atomic_load_explicit(counter, memory_order_acquire);

        if (seen >= value || seen < 0) {
            return;
        }
        if (0 != spins % SPINS) {
            continue;
        }
        sched_yield();
        if (beats != atomic_load(&shared->beats)) {
            beats = atomic_load(&shared->beats);
            since = bench_now();
        } else if (bench_now() - since > 1) {
            atomic_fetch_add(&shared->helped, 1);
            MPI_Iprobe(MPI_ANY_SOURCE, TAG_MARKER, MPI_COMM_SELF, &flag,
                       MPI_STATUS_IGNORE);
        }
    }
}

static bool over_budget(void)
{
    return bench_now() - begin > options.budget;
}

static double measure_timer(void)
{
    enum { TIMES = 1001 };
    static double costs[TIMES];

    for (int i = 0; i < TIMES; i++) {
        double start = bench_now();

        costs[i] = bench_now() - start;
    }
    return bench_median(costs, TIMES);
}

static uint64_t random_next(uint64_t *state)
{
    uint64_t value = *state += 0x9e3779b97f4a7c15u;

    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

/* ---- tags, orders, stamps: the same in both ranks ---- */

static int tag_of(int place)
{
    return the_case->colliding ? place % classes * options.stride : place;
}

static uint64_t stamp_of(int place)
{
    return (uint64_t) round_number << 32 | (uint64_t) place;
}

static void check_stamp(uint64_t stamp, int place)
{
    BENCH_CHECK(stamp == stamp_of(place),
                "round %ld, place %d: the message of round %ld, place %ld "
                "was received",
                round_number, place, (long) (stamp >> 32),
                (long) (stamp & 0xffffffff));
}

static void shuffle(int *values, int count, uint64_t seed)
{
    for (int i = count - 1; i > 0; i--) {
        int other = (int) (random_next(&seed) % (uint64_t) (i + 1));
        int value = values[i];

        values[i] = values[other];
        values[other] = value;
    }
}

/*
 * The order of this round. Of several places with one tag the first comes
 * first, as MPI matches them.
 */
static void make_order(void)
{
    for (int k = 0; k < depth; k++) {
        order[k] = REVERSED == the_case->order ? depth - 1 - k : k;
    }
    if (SHUFFLED == the_case->order) {
        shuffle(order, depth, options.seed + (uint64_t) round_number);
    }
    for (int i = 0; i < classes; i++) {
        next_of[i] = i;
    }
    for (int k = 0; classes < depth && k < depth; k++) {
        int class = order[k] % classes;

        order[k] = next_of[class];
        next_of[class] += classes;
    }
}

static void send_stamp(int place)
{
    uint64_t stamp = stamp_of(place);

    MPI_Send(&stamp, 1, MPI_UINT64_T, 0, tag_of(place), data_comm);
}

static int source(void)
{
    return the_case->any_source ? MPI_ANY_SOURCE : 1;
}

/* ---- receives that are posted before the messages come ---- */

/* How many messages of the queue have gone with the bursts before `first`. */
static int burst_end(int first)
{
    return first + BURST < depth ? first + BURST : depth;
}

static void send_bursts(void)
{
    for (int first = 0; first < depth; first = burst_end(first)) {
        for (int k = first; k < burst_end(first); k++) {
            send_stamp(order[k]);
            order[k] = -1 - order[k];
        }
        atomic_store(&shared->sent, ++bursts);
        wait_for(&shared->taken, bursts);
        if (atomic_load(&shared->given_up)) {
            return;
        }
    }
}

/* What send_bursts left, by place. */
static void send_rest(void)
{
    for (int k = 0; k < depth; k++) {
        stamps[k] = 0;
    }
    for (int k = 0; k < depth; k++) {
        if (order[k] >= 0) {
            stamps[order[k]] = 1;
        }
    }
    for (int place = 0; place < depth; place++) {
        if (stamps[place]) {
            send_stamp(place);
        }
    }
}

/*
 * requests[k] and stamps[k] belong to the message that is sent k-th, so that a
 * burst can be waited for; of a flood to that of place k, as programs have them.
 */
static void post_all(bool by_place)
{
    int *turn = next_of; /* [place]: when its message is sent */
    double start;

    for (int k = 0; k < depth; k++) {
        turn[order[k]] = by_place ? order[k] : k;
        stamps[k] = UINT64_MAX;
    }
    start = bench_now();
    for (int place = 0; place < depth; place++) {
        int k = turn[place];

        MPI_Irecv(&stamps[k], 1, MPI_UINT64_T, source(),
                  the_case->any_tag ? MPI_ANY_TAG : tag_of(place), data_comm,
                  &requests[k]);
    }
    posting[round_number] = (bench_now() - start - timer_cost) / depth;
}

static void check_burst(int first, int end)
{
    for (int k = first; k < end; k++) {
        check_stamp(stamps[k], order[k]);
    }
}

static double receive_bursts(void)
{
    double seconds = 0, start;
    int end;

    for (int first = 0; first < depth; first = end) {
        end = burst_end(first);
        wait_for(&shared->sent, ++bursts);
        start = bench_now();
        MPI_Waitall(end - first, &requests[first], MPI_STATUSES_IGNORE);
        seconds += bench_now() - start - timer_cost;
        check_burst(first, end);
        if (end < depth && over_budget()) {
            atomic_store(&shared->given_up, 1);
            atomic_store(&shared->taken, bursts);
            MPI_Waitall(depth - end, &requests[end], MPI_STATUSES_IGNORE);
            check_burst(end, depth);
            break;
        }
        atomic_store(&shared->taken, bursts);
    }
    return seconds;
}

static double posted_round(void)
{
    double seconds = 0;

    make_order();
    if (0 == rank) {
        post_all(false);
        atomic_store(&shared->taken, ++bursts);
        seconds = receive_bursts();
    } else {
        wait_for(&shared->taken, ++bursts);
        send_bursts();
        if (atomic_load(&shared->given_up)) {
            send_rest();
        }
    }
    return seconds / depth;
}

static double flood_round(void)
{
    double seconds = 0;

    make_order();
    if (0 == rank) {
        post_all(true);
    }
    MPI_Barrier(marker_comm);
    if (0 == rank) {
        seconds = bench_now();
        MPI_Waitall(depth, requests, MPI_STATUSES_IGNORE);
        seconds = bench_now() - seconds - timer_cost;
        for (int place = 0; place < depth; place++) {
            check_stamp(stamps[place], place);
        }
    } else {
        for (int k = 0; k < depth; k++) {
            send_stamp(order[k]);
        }
    }
    return seconds / depth;
}

/* ---- messages that come before they are received ---- */

/* When these are through, all that rank 1 sent before is in rank 0. */
static void exchange_markers(MPI_Request *first_marker)
{
    for (int i = 0; i < 2; i++) {
        if (1 == rank) {
            MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_MARKER, marker_comm);
            MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_MARKER, marker_comm,
                     MPI_STATUS_IGNORE);
            continue;
        }
        if (0 == i) {
            MPI_Wait(first_marker, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG_MARKER, marker_comm,
                     MPI_STATUS_IGNORE);
        }
        MPI_Send(NULL, 0, MPI_BYTE, 1, TAG_MARKER, marker_comm);
    }
}

static void receive_place(int place)
{
    MPI_Recv(&stamps[place], 1, MPI_UINT64_T, source(),
             the_case->any_tag ? MPI_ANY_TAG : tag_of(place), data_comm,
             MPI_STATUS_IGNORE);
}

static double receive_unexpected(void)
{
    double start = bench_now(), seconds;
    int k;

    for (k = 0; k < depth; k++) {
        if (0 == (k + 1) % BLOCK) {
            atomic_fetch_add(&shared->beats, 1);
            if (over_budget()) {
                atomic_store(&shared->given_up, 1);
                break;
            }
        }
        receive_place(order[k]);
    }
    seconds = bench_now() - start - timer_cost;
    for (int place = 0; k < depth && place < depth; place++) {
        if (UINT64_MAX == stamps[place]) {
            receive_place(place);
        }
    }
    return seconds;
}

static double unexpected_round(void)
{
    MPI_Request marker;
    double seconds;

    make_order();
    if (1 == rank) {
        wait_for(&shared->taken, ++bursts);
        for (int place = 0; place < depth; place++) {
            send_stamp(place);
        }
        exchange_markers(NULL);
        atomic_store(&shared->sent, ++bursts);
        wait_for(&shared->taken, bursts);
        return 0;
    }
    /* Posted, as a probe would search all that has come, time and again. */
    MPI_Irecv(NULL, 0, MPI_BYTE, 1, TAG_MARKER, marker_comm, &marker);
    atomic_store(&shared->taken, ++bursts);
    memset(stamps, 0xff, (size_t) depth * sizeof(*stamps));
    exchange_markers(&marker);
    wait_for(&shared->sent, ++bursts);
    seconds = receive_unexpected();
    for (int place = 0; place < depth; place++) {
        check_stamp(stamps[place], place);
    }
    atomic_store(&shared->taken, bursts);
    return seconds / depth;
}

/* ---- ping-pong behind receives that are never matched ---- */

static void play(long iterations)
{
    int other = 1 - rank;

    for (long i = 0; i < iterations; i++) {
        uint64_t ball = (uint64_t) i, answer = UINT64_MAX;

        if (0 == rank) {
            MPI_Send(&ball, 1, MPI_UINT64_T, other, TAG_BALL, data_comm);
        }
        MPI_Recv(&answer, 1, MPI_UINT64_T, other, TAG_BALL, data_comm,
                 MPI_STATUS_IGNORE);
        BENCH_CHECK(answer == ball, "ball %ld came as %ld", i, (long) answer);
        if (1 == rank) {
            MPI_Send(&ball, 1, MPI_UINT64_T, other, TAG_BALL, data_comm);
        }
    }
}

/* Iterations that take about `wanted` seconds, the same in both ranks. */
static long enough(void (*act)(long), double wanted)
{
    long iterations = 1;
    double seconds;

    for (;;) {
        double start = bench_now();

        act(iterations);
        seconds = bench_now() - start;
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, marker_comm);
        if (seconds >= 0.3 * wanted) {
            break;
        }
        iterations *= 2;
    }
    iterations = (long) ((double) iterations * wanted / seconds);
    return iterations < 1 ? 1 : iterations;
}

/* Both ranks send what the other one's receives wait for, in their order. */
static void release_posted(int sender)
{
    for (int place = 0; place < depth && rank == sender; place++) {
        uint64_t stamp = stamp_of(place);

        MPI_Send(&stamp, 1, MPI_UINT64_T, 1 - rank, place, data_comm);
    }
    if (rank != sender) {
        MPI_Waitall(depth, requests, MPI_STATUSES_IGNORE);
        for (int place = 0; place < depth; place++) {
            check_stamp(stamps[place], place);
        }
    }
}

/* Seconds that one of several rounds may take. */
static double share_of_time(void)
{
    int rounds = options.repeats < 10 ? options.repeats : 10;

    return options.seconds / (rounds + 1);
}

static double pingpong_round(void)
{
    static long iterations = 0;
    double seconds;

    for (int place = 0; place < depth; place++) {
        stamps[place] = UINT64_MAX;
        MPI_Irecv(&stamps[place], 1, MPI_UINT64_T, 1 - rank, place, data_comm,
                  &requests[place]);
    }
    MPI_Barrier(marker_comm);
    if (0 == iterations) {
        play(1); /* it faults pages in, and may wait for rank 1's receives */
        iterations = enough(play, share_of_time());
    }
    play(1); /* so that rank 1 waits for the ball already */
    seconds = bench_now();
    play(iterations);
    seconds = bench_now() - seconds - timer_cost;
    MPI_Barrier(marker_comm); /* the last ball comes alone */
    release_posted(1);
    release_posted(0);
    return seconds / (2.0 * (double) iterations);
}

/* ---- windows ---- */

static void one_window(void)
{
    for (int i = 0; i < depth; i++) {
        stamps[i] = 0 == rank ? UINT64_MAX : stamp_of(i);
        if (0 == rank) {
            MPI_Irecv(&stamps[i], 1, MPI_UINT64_T, 1, TAG_BALL, data_comm,
                      &requests[i]);
        } else {
            MPI_Isend(&stamps[i], 1, MPI_UINT64_T, 0, TAG_BALL, data_comm,
                      &requests[i]);
        }
    }
    MPI_Waitall(depth, requests, MPI_STATUSES_IGNORE);
    if (1 == rank) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_MARKER, marker_comm,
                 MPI_STATUS_IGNORE);
        return;
    }
    for (int i = 0; i < depth; i++) {
        check_stamp(stamps[i], i);
    }
    MPI_Send(NULL, 0, MPI_BYTE, 1, TAG_MARKER, marker_comm);
}

static void windows(long count)
{
    for (long i = 0; i < count; i++) {
        one_window();
    }
}

static double window_round(void)
{
    static long iterations = 0;
    double seconds;

    if (0 == iterations) {
        iterations = enough(windows, share_of_time());
    }
    MPI_Barrier(marker_comm);
    seconds = bench_now();
    windows(iterations);
    seconds = bench_now() - seconds - timer_cost;
    return seconds / ((double) iterations * depth);
}

/* ---- rounds, options ---- */

static const struct bench_case cases[] = {
    {"posted_shuffled", posted_round, SHUFFLED, false, false, false},
    {"posted_in_order", posted_round, IN_ORDER, false, false, false},
    {"reverse", posted_round, REVERSED, false, false, false},
    {"any_source_posted", posted_round, SHUFFLED, true, false, false},
    {"any_tag_posted", posted_round, IN_ORDER, false, true, false},
    {"colliding_posted", posted_round, SHUFFLED, false, false, true},
    {"unexpected_exact", unexpected_round, SHUFFLED, false, false, false},
    {"unexpected_any_source", unexpected_round, SHUFFLED, true, false, false},
    {"any_tag_unexpected", unexpected_round, IN_ORDER, false, true, false},
    {"colliding_unexpected", unexpected_round, SHUFFLED, false, false, true},
    {"flood_shuffled", flood_round, SHUFFLED, false, false, false},
    {"flood_in_order", flood_round, IN_ORDER, false, false, false},
    {"flood_any_source", flood_round, SHUFFLED, true, false, false},
    {"pingpong_behind", pingpong_round, IN_ORDER, false, false, false},
    {"window", window_round, IN_ORDER, false, false, false}};

static void usage(void)
{
    if (0 == rank) {
        fprintf(stderr,
                "usage: mpirun -np 2 queues --case NAME --depth 1..%d\n"
                "       [--stride 1..%d] [--repeats 1..%d] [--seconds S]\n"
                "       [--budget SECONDS] [--seed X]\ncases:",
                MAX_DEPTH, MAX_TAG, MAX_REPEATS);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            fprintf(stderr, " %s", cases[i].name);
        }
        fprintf(stderr, "\n");
    }
    MPI_Finalize();
    exit(2);
}

static int int_of(const char *text, int highest)
{
    char *end;
    long value = strtol(text, &end, 10);

    return '\0' == *end && value >= 1 && value <= highest ? (int) value : -1;
}

/* NAN and rubbish become -1. */
static double seconds_of(const char *text)
{
    char *end;
    double value = strtod(text, &end);

    return '\0' == *end && value > 0 && value < 1e6 ? value : -1;
}

static void parse_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"case", required_argument, NULL, 'c'},
        {"depth", required_argument, NULL, 'd'},
        {"stride", required_argument, NULL, 't'},
        {"repeats", required_argument, NULL, 'r'},
        {"seconds", required_argument, NULL, 's'},
        {"budget", required_argument, NULL, 'b'},
        {"seed", required_argument, NULL, 'x'},
        {NULL, 0, NULL, 0}};
    int option;

    opterr = 0;
    while (-1 != (option = getopt_long(argc, argv, "", known, NULL))) {
        switch (option) {
        case 'c':
            options.name = optarg;
            break;
        case 'd':
            options.depth = int_of(optarg, MAX_DEPTH);
            break;
        case 't':
            options.stride = int_of(optarg, MAX_TAG);
            break;
        case 'r':
            options.repeats = int_of(optarg, MAX_REPEATS);
            break;
        case 's':
            options.seconds = seconds_of(optarg);
            break;
        case 'b':
            options.budget = seconds_of(optarg);
            break;
        case 'x':
            options.seed = strtoull(optarg, NULL, 10);
            break;
        default:
            usage();
        }
    }
    for (size_t i = 0;
         NULL != options.name && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (0 == strcmp(options.name, cases[i].name)) {
            the_case = &cases[i];
        }
    }
    if (NULL == the_case || optind != argc || options.depth < 1 ||
        options.stride < 1 || options.repeats < 1 || options.seconds <= 0 ||
        options.budget <= 0) {
        usage();
    }
}

static void prepare(void)
{
    size_t count;
    int size, found, *highest_tag;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    BENCH_CHECK(2 == size, "run this with exactly two ranks");
    depth = options.depth;
    classes = the_case->any_tag ? 1 : depth;
    if (the_case->colliding && MAX_TAG / options.stride + 1 < depth) {
        classes = MAX_TAG / options.stride + 1;
    }
    BENCH_CHECK(the_case->colliding || depth <= MAX_TAG, "too many tags");
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest_tag, &found);
    BENCH_CHECK(found && *highest_tag >= MAX_TAG, "MPI_TAG_UB is too small");
    count = (size_t) depth;
    order = bench_alloc(count * sizeof(*order));
    next_of = bench_alloc(count * sizeof(*next_of));
    stamps = bench_alloc(count * sizeof(*stamps));
    requests = bench_alloc(count * sizeof(*requests));
    MPI_Comm_dup(MPI_COMM_WORLD, &data_comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &marker_comm);
    shared = bench_shared_page(sizeof(*shared));
    timer_cost = measure_timer();
    MPI_Barrier(data_comm);
    MPI_Barrier(marker_comm);
}

/* Rank 0: is there to be another round? Rank 1 learns it. */
static bool another_round(long done)
{
    if (1 == rank) {
        wait_for(&shared->round, done + 1);
        return atomic_load(&shared->round) >= 0;
    }
    if (done > 0 && (done > options.repeats || over_budget() ||
                     bench_now() - begin > options.seconds ||
                     atomic_load(&shared->given_up))) {
        atomic_store(&shared->round, -1);
        return false;
    }
    atomic_store(&shared->round, done + 1);
    return true;
}

static double at_quantile(const double *sorted, int count, double quantile)
{
    return 1e6 * sorted[(int) (quantile * (count - 1) + 0.5)];
}

static double mean_of(const double *values, int count)
{
    double sum = 0;

    for (int i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum / count;
}

/* A round that was given up only counts when there is no other. */
static void report(double *results, long done)
{
    bool gave_up = atomic_load(&shared->given_up);
    bool too_slow = gave_up && 1 == done;
    int count = (int) done - (gave_up && !too_slow);
    double *posts = posting, median;

    if (count > 1) { /* the first was the warm-up */
        results++;
        posts++;
        count--;
    }
    median = 1e6 * bench_median(results, count);
    printf("{\"benchmark\": \"queues\", \"case\": \"%s\", \"depth\": %d, "
           "\"stride\": %d, \"different_tags\": %d, \"seed\": %llu, "
           "\"rounds\": %d, \"unit\": \"us\", \"median\": %.6g, "
           "\"mean\": %.6g, \"tenth\": %.6g, \"ninetieth\": %.6g, "
           "\"posting\": %.6g, \"too_slow\": %s, "
           "\"timer_ns\": %.1f, \"helped\": %ld, \"seconds\": %.3f, "
           "\"verified\": true}\n",
           the_case->name, depth, the_case->colliding ? options.stride : 1,
           classes, (unsigned long long) options.seed, count, median,
           1e6 * mean_of(results, count), at_quantile(results, count, 0.1),
           at_quantile(results, count, 0.9), 1e6 * bench_median(posts, count),
           too_slow ? "true" : "false", 1e9 * timer_cost,
           atomic_load(&shared->helped), bench_now() - begin);
}

int main(int argc, char **argv)
{
    static double results[MAX_REPEATS + 1];
    long done = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    parse_options(argc, argv);
    prepare();

    begin = bench_now();
    while (another_round(done)) {
        round_number = done;
        results[done] = the_case->round();
        done++;
    }
    if (0 == rank) {
        report(results, done);
    }

    free(order);
    free(next_of);
    free(stamps);
    free(requests);
    MPI_Comm_free(&data_comm);
    MPI_Comm_free(&marker_comm);
    MPI_Finalize();
    return 0;
}
