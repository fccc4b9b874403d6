/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "replay_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/util/argv.h"

#include "sequence/replay_util.h"

replay_options_t replay_options = {.wish = {.seed = 1}};

static void usage(FILE *file)
{
    fputs("usage: mq_replay [--trace FILE.RANK | --pattern NAME --ranks N]\n"
          "           [--rounds R] [--burst B] [--seed S]\n"
          "           [--sources N] [--order shuffled|sources|same|reverse]\n"
          "           [--unexpected %]"
          " [--any-source %] [--any-tag %]   (pattern mix)\n"
          "           [--component NAME[,NAME...]|all] "
          "[--set NAME:PARAM=VALUE]...\n"
          "           [--assert LIST] [--profile FILE] [--skip N] [--verify] "
          "[--json [--lengths]]\n"
          "       mq_replay --advise PROFILE\n"
          "       mq_replay --import ARCHIVE.otf2 --output FILE "
          "[--only RANKS]\n"
          "       mq_replay --version | --help\n"
          "See mq_replay(1).\n"
          "patterns: ",
          file);
    replay_pattern_names(file, " ");
    fputc('\n', file);
}

static uint64_t number(const char *option, const char *text, uint64_t min,
                       uint64_t max)
{
    unsigned long long value;
    char *end;

    errno = 0;
    value = strtoull(text, &end, 0);
    /* strtoull accepts blanks and signs, too. */
    if (text[0] < '0' || text[0] > '9' || '\0' != *end || 0 != errno ||
        value < min || value > max) {
        replay_die("--%s %s: must be a number from %llu to %llu", option, text,
                   (unsigned long long) min, (unsigned long long) max);
    }
    return value;
}

static void set_names(const char *text)
{
    replay_setup_t *setup = &replay_options.setup;

    opal_argv_free(setup->names);
    setup->names = opal_argv_split(text, ',');
    if (NULL == setup->names || NULL == setup->names[0]) {
        replay_die("--component needs names of components, or all");
    }
}

static void add_setting(const char *text)
{
    opal_argv_append_nosize(&replay_options.setup.settings, text);
}

static void set_order(const char *value)
{
    static const char *const names[] = {
        [REPLAY_SHUFFLED] = "shuffled",
        [REPLAY_SOURCES] = "sources",
        [REPLAY_SAME] = "same",
        [REPLAY_REVERSE] = "reverse",
    };

    replay_options.mixed = true;
    for (int i = 0; i <= REPLAY_REVERSE; ++i) {
        if (0 == strcmp(names[i], value)) {
            replay_options.wish.mix.order = i;
            return;
        }
    }
    replay_die("--order %s: must be shuffled, sources, same or reverse", value);
}

static void show_version(const char *value)
{
    (void) value;
    puts("mq_replay (champion) " MCA_MQ_RELEASE);
    exit(REPLAY_EXIT_OK);
}

static void show_help(const char *value)
{
    (void) value;
    usage(stdout);
    exit(REPLAY_EXIT_OK);
}

/* An option: what it sets, or a function that it calls with its value. */
typedef struct option_t {
    const char *name;
    const char **text;
    uint32_t *small;
    uint64_t *large;
    uint64_t min, max; /* of a number */
    bool *given;       /* set to true */
    void (*call)(const char *value);
    bool alone; /* it has no value */
} option_t;

static const option_t options[] = {
    {"trace", .text = &replay_options.trace},
    {"pattern", .text = &replay_options.wish.pattern},
    {"ranks", .small = &replay_options.wish.ranks, .min = REPLAY_RANKS_MIN,
     .max = REPLAY_RANKS_MAX},
    {"rounds", .small = &replay_options.wish.rounds, .min = 1,
     .max = REPLAY_ROUNDS_MAX},
    {"burst", .small = &replay_options.wish.burst, .min = 1,
     .max = REPLAY_BURST_MAX},
    {"seed", .large = &replay_options.wish.seed, .max = UINT64_MAX,
     .given = &replay_options.seeded},
    {"sources", .small = &replay_options.wish.mix.sources, .min = 1,
     .max = REPLAY_RANKS_MAX - 1, .given = &replay_options.mixed},
    {"order", .call = set_order},
    {"unexpected", .small = &replay_options.wish.mix.unexpected, .max = 100,
     .given = &replay_options.mixed},
    {"any-source", .small = &replay_options.wish.mix.any_source, .max = 100,
     .given = &replay_options.mixed},
    {"any-tag", .small = &replay_options.wish.mix.any_tag, .max = 100,
     .given = &replay_options.mixed},
    {"component", .call = set_names},
    {"set", .call = add_setting},
    {"assert", .text = &replay_options.setup.asserts},
    {"profile", .text = &replay_options.setup.profile},
    {"skip", .large = &replay_options.skip, .min = 1, .max = UINT64_MAX},
    {"verify", .given = &replay_options.verify, .alone = true},
    {"json", .given = &replay_options.json, .alone = true},
    {"lengths", .given = &replay_options.lengths, .alone = true},
    {"advise", .text = &replay_options.advise},
    {"import", .text = &replay_options.import},
    {"output", .text = &replay_options.output},
    {"only", .text = &replay_options.only},
    {"version", .call = show_version, .alone = true},
    {"help", .call = show_help, .alone = true},
};

#define OPTIONS ((int) (sizeof(options) / sizeof(options[0])))

static void one_option(const option_t *option, const char *value)
{
    if (NULL != option->text) {
        *option->text = value;
    }
    if (NULL != option->small) {
        *option->small =
            (uint32_t) number(option->name, value, option->min, option->max);
    }
    if (NULL != option->large) {
        *option->large = number(option->name, value, option->min, option->max);
    }
    if (NULL != option->given) {
        *option->given = true;
    }
    if (NULL != option->call) {
        option->call(value);
    }
}

/* Parse the options. Returns their number. */
static int parse_options(int argc, char **argv)
{
    struct option known[OPTIONS + 1] = {{.name = NULL}};
    int which, count = 0;

    for (int i = 0; i < OPTIONS; ++i) {
        known[i] = (struct option){
            .name = options[i].name,
            .has_arg = options[i].alone ? no_argument : required_argument,
            .val = i,
        };
    }
    while (-1 != (which = getopt_long(argc, argv, "h", known, NULL))) {
        if ('h' == which) {
            show_help(NULL);
        }
        if ('?' == which) {
            usage(stderr);
            exit(REPLAY_EXIT_BAD);
        }
        one_option(&options[which], optarg);
        ++count;
    }
    return count;
}

/* Check --import and its options; given: number of options on the command
 * line. */
static void check_import(int given)
{
    int own = (NULL != replay_options.import) +
              (NULL != replay_options.output) + (NULL != replay_options.only);

    if (NULL == replay_options.import) {
        replay_die("--output and --only are for --import");
    }
    if (NULL == replay_options.output) {
        replay_die(
            "--import needs --output FILE: the traces will be FILE.RANK");
    }
    if (given > own) {
        replay_die("--import takes --output and --only, no other option");
    }
}

void replay_options_parse(int argc, char **argv)
{
    const replay_wish_t *wish = &replay_options.wish;
    int given;

    set_names("all");
    given = parse_options(argc, argv);
    if (optind < argc) {
        replay_die("unexpected argument '%s'", argv[optind]);
    }
    if (NULL != replay_options.advise) {
        if (given > 1) {
            replay_die("--advise takes no other option");
        }
        return;
    }
    if (NULL != replay_options.import || NULL != replay_options.output ||
        NULL != replay_options.only) {
        check_import(given);
        return;
    }
    if ((NULL == replay_options.trace) == (NULL == wish->pattern)) {
        fputs("mq_replay: either --trace or --pattern is needed\n", stderr);
        usage(stderr);
        exit(REPLAY_EXIT_BAD);
    }
    if (NULL != replay_options.trace &&
        (0 != wish->ranks || 0 != wish->rounds || 0 != wish->burst)) {
        replay_die("--ranks, --rounds and --burst are for patterns; a trace "
                   "has its own");
    }
    if (NULL != replay_options.trace && replay_options.seeded) {
        replay_die("--seed is for patterns; a trace is not random");
    }
    if (replay_options.lengths && !replay_options.json) {
        replay_die("--lengths needs --json: the table does not show them");
    }
    if (replay_options.mixed &&
        (NULL == wish->pattern || 0 != strcmp("mix", wish->pattern))) {
        replay_die("--sources, --order, --unexpected, --any-source and "
                   "--any-tag are for the pattern mix");
    }
    if (NULL != wish->pattern && wish->mix.sources >= wish->ranks &&
        0 != wish->ranks) {
        replay_die("--sources %u: at most %u, one less than --ranks",
                   wish->mix.sources, wish->ranks - 1);
    }
    if (NULL != wish->pattern && 0 == wish->ranks) {
        replay_die("--pattern needs --ranks");
    }
}
