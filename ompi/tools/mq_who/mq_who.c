/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * mq_who: in a running job, who waits for whom. See its man page.
 *
 *     PID -> who_find: the board of the job on this node
 *         -> cards: what each process shows there -> judge: why -> who_print
 *
 * It maps the board to read it, and takes no part in the job: no process of the
 * job notices.
 */

#include "ompi_config.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/mca/mq/mq_version.h"
#include "ompi/mca/pml/champion/stuck/cards.h"
#include "who_find.h"
#include "who_print.h"

/* Between two looks that must find the same, s; how many follow the first; tries
 * to map a board, whose leader may just have ended. */
enum { AGAIN = 2, LOOKS = 3, TRIES = 3 };

static struct {
    pid_t pid;
    bool json;
    unsigned watch; /* s; 0: once */
    unsigned after; /* s */
} options = {.after = 2};

static __attribute__((noreturn, format(printf, 2, 3))) void die(
    int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fprintf(stderr, "mq_who: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(status);
}

typedef mca_pml_champion_stuck_report_t report_t;

/* ---- a look ---- */

/* What the card at a place tells of its process. */
static void see_number(report_t *report, uint32_t place)
{
    mca_pml_champion_stuck_words_t words;
    uint32_t vpid;
    const mca_pml_champion_entry_t *entry =
        mca_pml_champion_board_at(place, &vpid);
    size_t i;

    if (NULL == entry ||
        !mca_pml_champion_board_hear(place, &words, sizeof(words))) {
        return;
    }
    report->size = (size_t) words.size;
    i = mca_pml_champion_stuck_place(report->process, report->count, vpid);
    if (i < report->count && report->process[i].state.vpid == vpid &&
        0 != words.pids && mca_pml_champion_stuck_pids() == words.pids) {
        report->pid[i] = entry->pid;
    }
}

/* The processor on which it was last; -1: not known. */
static int core_of(int32_t pid)
{
    enum { CORE = 39 }; /* processor, in proc(5) */
    char line[1024];

    return 0 == pid ? -1
                    : mca_pml_champion_stuck_stat_field(
                          mca_pml_champion_stuck_stat(pid, line, sizeof(line)),
                          CORE);
}

static void look(report_t *report)
{
    memset(report, 0, sizeof(*report));
    report->process = mca_pml_champion_stuck_cards(
        mca_pml_champion_stuck_now(), mca_pml_champion_stuck_pids(),
        &report->count);
    report->pid = calloc(report->count + 1, sizeof(*report->pid));
    report->core = calloc(report->count + 1, sizeof(*report->core));
    if (NULL == report->process || NULL == report->pid ||
        NULL == report->core) {
        die(1, "out of memory");
    }
    report->least = 1000 * (uint64_t) options.after;
    for (uint32_t i = 0; i < mca_pml_champion_board_shape()->places; ++i) {
        see_number(report, i);
    }
    for (size_t i = 0; i < report->count; ++i) {
        report->core[i] = core_of(report->pid[i]);
    }
    mca_pml_champion_stuck_report(report);
}

static void forget(report_t *report)
{
    free(report->process);
    free(report->pid);
    free(report->core);
}

static uint64_t sum_of(const report_t *report)
{
    return mca_pml_champion_stuck_sum(report->process, report->count,
                                      report->least);
}

/* Who stands may only seem to, between two messages: it must stand at the next
 * look, too, in the same wait. */
static void look_again(report_t *report)
{
    look(report);
    for (unsigned i = 0;
         i < LOOKS && MCA_PML_CHAMPION_STUCK_NOT != report->verdict; ++i) {
        const uint64_t before = sum_of(report);

        forget(report);
        (void) sleep(AGAIN);
        look(report);
        if (before == sum_of(report)) {
            return;
        }
    }
    report->verdict = MCA_PML_CHAMPION_STUCK_NOT;
    report->lines = 0;
}

/* ---- what is asked for ---- */

static void usage(FILE *file)
{
    fprintf(file,
            "usage: mq_who [OPTION...] PID\n"
            "Says for whom the processes of an MPI job on this node wait, if "
            "they use pml/champion.\n"
            "PID is that of mpirun, of whatever has started processes of the "
            "job, or of one of them.\n"
            "  --after SECONDS    judge waits of so many seconds (%u)\n"
            "  --json             as JSON, one object for each job\n"
            "  --watch[=SECONDS]  again every so many seconds (5), until the "
            "job ends\n"
            "  --version, --help\n",
            options.after);
}

static unsigned number(const char *option, const char *text, unsigned least,
                       unsigned most)
{
    char *end;
    unsigned long value;

    errno = 0;
    value = strtoul(text, &end, 10);
    if ('\0' == *text || '-' == *text || '\0' != *end || 0 != errno ||
        value < least || value > most) {
        die(2, "%s '%s' is not a number from %u to %u", option, text, least,
            most);
    }
    return (unsigned) value;
}

static void parse(int argc, char **argv)
{
    static const struct option known[] = {
        {"after", required_argument, NULL, 'a'},
        {"json", no_argument, NULL, 'j'},
        {"watch", optional_argument, NULL, 'w'},
        {"version", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;

    while (-1 != (option = getopt_long(argc, argv, "", known, NULL))) {
        switch (option) {
        case 'a':
            options.after = number("--after", optarg, 1, 1000000);
            break;
        case 'j':
            options.json = true;
            break;
        case 'w':
            options.watch =
                NULL == optarg ? 5 : number("--watch", optarg, 1, 1000000);
            break;
        case 'v':
            printf("mq_who (champion) %s\n", MCA_MQ_RELEASE);
            exit(0);
        case 'h':
            usage(stdout);
            exit(0);
        default:
            usage(stderr);
            exit(2);
        }
    }
    if (argc - 1 != optind) {
        usage(stderr);
        exit(2);
    }
    options.pid = (pid_t) number("PID", argv[optind], 1, 1u << 30);
}

/* Why nothing was found. */
static __attribute__((noreturn)) void refuse(who_search_t search)
{
    const long pid = (long) options.pid;

    switch (search) {
    case WHO_NO_PROCESS:
        die(1, "there is no process %ld", pid);
    case WHO_FORBIDDEN:
        die(1,
            "this user may not look at process %ld, or at one that it has "
            "started: %s",
            pid, strerror(EACCES));
    default:
        die(1,
            "neither process %ld nor any that it has started on this node "
            "has shared memory of pml/champion. It has none without --mca "
            "pml champion, if it is alone on its node, and if the first "
            "process of the node has ended",
            pid);
    }
}

static bool show(const mca_pml_champion_board_name_t *board, bool is_first)
{
    report_t report;

    if (!mca_pml_champion_board_view(board)) {
        return false;
    }
    look_again(&report);
    printf("%s", is_first ? "" : "\n");
    if (options.json) {
        mca_pml_champion_stuck_report_json(stdout, &report);
        printf("\n");
    } else {
        who_print_text(stdout, &report);
    }
    fflush(stdout);
    forget(&report);
    mca_pml_champion_board_close();
    return true;
}

/* Show all jobs. How many were shown. */
static size_t show_all(bool is_first)
{
    mca_pml_champion_board_name_t board[WHO_BOARDS];
    size_t count, shown = 0;
    who_search_t search = who_find(options.pid, board, &count);

    if (WHO_FOUND != search && is_first) {
        refuse(search);
    }
    for (size_t i = 0; i < count; ++i) {
        shown += show(&board[i], is_first && 0 == shown);
    }
    return shown;
}

int main(int argc, char **argv)
{
    size_t shown = 0;

    parse(argc, argv);
    for (unsigned i = 0; 0 == shown && i < TRIES; ++i) {
        shown = show_all(true);
    }
    if (0 == shown) {
        die(1,
            "the job of process %ld runs another version of champion, or has "
            "just ended",
            (long) options.pid);
    }
    while (0 != options.watch && 0 != shown) {
        (void) sleep(options.watch);
        shown = show_all(false);
    }
    return 0;
}
