/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * mq_replay: replays a trace, or a generated pattern, with matching components,
 * and prints what they cost. See its man page.
 *
 *     pattern, trace -> sequence (with the model) -> run -> report
 *                           setup (the framework) ---^
 *
 * Or converts archives of other tools to traces: replay_import.
 *
 * Plan. Files use those of the folders above theirs in this list, and of their
 * own (contrib/check.d/layers):
 *
 *     sequence/  operations with their expected results: patterns, traces, the
 *                model; utilities
 *     import/    archives of other tools
 *     (root)     running and measuring, advice, output, the program
 */

#include "ompi_config.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/util/argv.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/base/record/profile.h"
#include "replay_advise.h"
#include "import/replay_import.h"
#include "import/replay_otf2.h"
#include "sequence/replay_pattern.h"
#include "replay_report.h"
#include "replay_setup.h"
#include "replay_state.h"
#include "sequence/replay_trace.h"
#include "sequence/replay_util.h"

static struct arguments_t {
    const char *trace;  /* or NULL: a pattern */
    const char *advise; /* profile from which to give advice, or NULL */
    const char *import; /* archive to convert to traces, or NULL */
    const char *output; /* base name of these traces */
    const char *only;   /* list of ranks to convert, or NULL */
    replay_wish_t wish;
    replay_setup_t setup;
    uint64_t skip;
    bool seeded;
    bool mixed; /* an option of the pattern mix was given */
    bool verify;
    bool json;
    bool lengths;
} arguments = {.wish = {.seed = 1}};

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
    replay_setup_t *setup = &arguments.setup;

    opal_argv_free(setup->names);
    setup->names = opal_argv_split(text, ',');
    if (NULL == setup->names || NULL == setup->names[0]) {
        replay_die("--component needs names of components, or all");
    }
}

static void add_setting(const char *text)
{
    opal_argv_append_nosize(&arguments.setup.settings, text);
}

static void set_order(const char *value)
{
    static const char *const names[] = {
        [REPLAY_SHUFFLED] = "shuffled",
        [REPLAY_SOURCES] = "sources",
        [REPLAY_SAME] = "same",
        [REPLAY_REVERSE] = "reverse",
    };

    arguments.mixed = true;
    for (int i = 0; i <= REPLAY_REVERSE; ++i) {
        if (0 == strcmp(names[i], value)) {
            arguments.wish.mix.order = i;
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
    {"trace", .text = &arguments.trace},
    {"pattern", .text = &arguments.wish.pattern},
    {"ranks", .small = &arguments.wish.ranks, .min = REPLAY_RANKS_MIN,
     .max = REPLAY_RANKS_MAX},
    {"rounds", .small = &arguments.wish.rounds, .min = 1,
     .max = REPLAY_ROUNDS_MAX},
    {"burst", .small = &arguments.wish.burst, .min = 1,
     .max = REPLAY_BURST_MAX},
    {"seed", .large = &arguments.wish.seed, .max = UINT64_MAX,
     .given = &arguments.seeded},
    {"sources", .small = &arguments.wish.mix.sources, .min = 1,
     .max = REPLAY_RANKS_MAX - 1, .given = &arguments.mixed},
    {"order", .call = set_order},
    {"unexpected", .small = &arguments.wish.mix.unexpected, .max = 100,
     .given = &arguments.mixed},
    {"any-source", .small = &arguments.wish.mix.any_source, .max = 100,
     .given = &arguments.mixed},
    {"any-tag", .small = &arguments.wish.mix.any_tag, .max = 100,
     .given = &arguments.mixed},
    {"component", .call = set_names},
    {"set", .call = add_setting},
    {"assert", .text = &arguments.setup.asserts},
    {"profile", .text = &arguments.setup.profile},
    {"skip", .large = &arguments.skip, .min = 1, .max = UINT64_MAX},
    {"verify", .given = &arguments.verify, .alone = true},
    {"json", .given = &arguments.json, .alone = true},
    {"lengths", .given = &arguments.lengths, .alone = true},
    {"advise", .text = &arguments.advise},
    {"import", .text = &arguments.import},
    {"output", .text = &arguments.output},
    {"only", .text = &arguments.only},
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
    int own = (NULL != arguments.import) + (NULL != arguments.output) +
              (NULL != arguments.only);

    if (NULL == arguments.import) {
        replay_die("--output and --only are for --import");
    }
    if (NULL == arguments.output) {
        replay_die(
            "--import needs --output FILE: the traces will be FILE.RANK");
    }
    if (given > own) {
        replay_die("--import takes --output and --only, no other option");
    }
}

static void parse(int argc, char **argv)
{
    const replay_wish_t *wish = &arguments.wish;
    int given;

    set_names("all");
    given = parse_options(argc, argv);
    if (optind < argc) {
        replay_die("unexpected argument '%s'", argv[optind]);
    }
    if (NULL != arguments.advise) {
        if (given > 1) {
            replay_die("--advise takes no other option");
        }
        return;
    }
    if (NULL != arguments.import || NULL != arguments.output ||
        NULL != arguments.only) {
        check_import(given);
        return;
    }
    if ((NULL == arguments.trace) == (NULL == wish->pattern)) {
        fputs("mq_replay: either --trace or --pattern is needed\n", stderr);
        usage(stderr);
        exit(REPLAY_EXIT_BAD);
    }
    if (NULL != arguments.trace &&
        (0 != wish->ranks || 0 != wish->rounds || 0 != wish->burst)) {
        replay_die("--ranks, --rounds and --burst are for patterns; a trace "
                   "has its own");
    }
    if (NULL != arguments.trace && arguments.seeded) {
        replay_die("--seed is for patterns; a trace is not random");
    }
    if (arguments.lengths && !arguments.json) {
        replay_die("--lengths needs --json: the table does not show them");
    }
    if (arguments.mixed &&
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

/* Components that need a profile and have none get one recorded from the
 * sequence. */
static void make_profile(replay_sequence_t *sequence)
{
    mca_mq_base_profile_record();
    replay_run_observed(sequence);
    if (OMPI_SUCCESS != mca_mq_base_profile_adopt()) {
        replay_die("out of memory for a profile");
    }
}

/* Before measuring: check that no component that was named declines. */
static void check_declined(const replay_setup_t *setup,
                           const replay_sequence_t *sequence)
{
    for (int i = 0; !setup->all && i < setup->num_components; ++i) {
        const char *why = replay_setup_declines(setup->components[i], sequence);

        if (NULL != why) {
            replay_die("%s cannot serve '%s': %s", setup->names[i],
                       sequence->name, why);
        }
    }
}

static replay_result_t *measure_all(const replay_setup_t *setup,
                                    replay_sequence_t *sequence)
{
    replay_result_t *results =
        calloc((size_t) setup->num_components, sizeof(*results));

    if (NULL == results) {
        replay_die("out of memory");
    }
    for (int i = 0; i < setup->num_components; ++i) {
        const mca_mq_base_component_t *component = setup->components[i];

        results[i].name = component->mqm_version.mca_component_name;
        results[i].declined = replay_setup_declines(component, sequence);
        if (NULL == results[i].declined) {
            replay_measure(sequence, component, &results[i]);
        }
    }
    replay_progress_end();
    return results;
}

static void report(replay_sequence_t *sequence, const replay_result_t *results)
{
    static replay_lengths_t lengths;
    replay_report_t all = {
        .wish = NULL == arguments.trace ? &arguments.wish : NULL,
        .trace = arguments.trace,
        .ranks = sequence->ranks,
        .served = sequence->served,
        .messages = sequence->messages,
        .num_served = sequence->num_served,
        .verified = arguments.verify,
        .timer_cost = replay_timer_cost(),
        .results = results,
        .num_results = arguments.setup.num_components,
        .lengths = arguments.lengths ? &lengths : NULL,
    };

    if (arguments.lengths) {
        replay_lengths_take(sequence, &lengths);
    }
    if (arguments.json) {
        replay_features(sequence, &all.features);
        replay_report_json(&all);
    } else {
        replay_report_table(&all);
    }
    if (0 != fflush(stdout) || ferror(stdout)) {
        replay_die("standard output: %s", strerror(errno));
    }
}

static void replay(replay_sequence_t *sequence)
{
    replay_result_t *results;

    replay_setup_open(&arguments.setup, sequence);
    if (replay_setup_needs_profile(&arguments.setup)) {
        make_profile(sequence);
    }
    check_declined(&arguments.setup, sequence);
    results = measure_all(&arguments.setup, sequence);
    report(sequence, results);
    free(results);
    replay_setup_close(&arguments.setup);
}

static void advise(void)
{
    static const replay_order_t orders[2] = {REPLAY_SOURCES, REPLAY_SHUFFLED};
    replay_sequence_t sequence[2], *sequences[2] = {sequence, sequence + 1};
    replay_advised_t advised;
    replay_wish_t wish[2];

    replay_advise_read(arguments.advise, &advised);
    if (!replay_advise_is_long(arguments.advise, &advised)) {
        return;
    }
    for (int i = 0; i < 2; ++i) {
        replay_advise_wish(&advised, orders[i], &wish[i]);
        replay_pattern_open(&sequence[i], &wish[i]);
    }
    replay_setup_open(&arguments.setup, &sequence[0]);
    make_profile(&sequence[0]);
    replay_advise(&advised, sequences);
    replay_setup_close(&arguments.setup);
    for (int i = 0; i < 2; ++i) {
        replay_pattern_close(&sequence[i]);
    }
}

static void import(void)
{
    replay_import_t import;
    uint32_t written;

    replay_import_init(&import, arguments.only);
    replay_otf2_read(arguments.import, &import);
    written = replay_import_write(&import, arguments.output);
    if (0 == written) {
        replay_die("%s: these ranks neither sent messages nor received any",
                   arguments.import);
    }
    printf("%u traces of %u ranks, %s.RANK: %llu messages, %llu receives\n",
           written, import.num_ranks, arguments.output,
           (unsigned long long) import.messages,
           (unsigned long long) import.receives);
    if (0 != import.left_out) {
        printf("left out: %llu receives that never got a message; what they "
               "asked for is not in the archive\n",
               (unsigned long long) import.left_out);
    }
    replay_import_fini(&import);
}

int main(int argc, char **argv)
{
    replay_sequence_t sequence;

    parse(argc, argv);
    if (NULL != arguments.import) {
        import();
        opal_argv_free(arguments.setup.names);
        return REPLAY_EXIT_OK;
    }
    replay_setup_start();
    if (NULL != arguments.advise) {
        advise();
        opal_argv_free(arguments.setup.names);
        return REPLAY_EXIT_OK;
    }
    if (NULL != arguments.trace) {
        replay_trace_open(&sequence, arguments.trace);
    } else {
        replay_pattern_open(&sequence, &arguments.wish);
    }
    sequence.verify = arguments.verify;
    sequence.skip = arguments.skip;
    if (0 != sequence.skip && sequence.skip >= sequence.length) {
        replay_die("--skip %llu: there are about %llu operations",
                   (unsigned long long) sequence.skip,
                   (unsigned long long) sequence.length);
    }
    replay(&sequence);
    if (NULL != arguments.trace) {
        replay_trace_close(&sequence);
    } else {
        replay_pattern_close(&sequence);
    }
    opal_argv_free(arguments.setup.names);
    opal_argv_free(arguments.setup.settings);
    return REPLAY_EXIT_OK;
}
