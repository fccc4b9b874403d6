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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/util/argv.h"

#include "ompi/constants.h"
#include "ompi/mca/mq/base/record/profile.h"
#include "replay_advise.h"
#include "import/replay_import.h"
#include "import/replay_otf2.h"
#include "replay_options.h"
#include "replay_report.h"
#include "replay_state.h"
#include "sequence/replay_trace.h"
#include "sequence/replay_util.h"

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
        .wish = NULL == replay_options.trace ? &replay_options.wish : NULL,
        .trace = replay_options.trace,
        .ranks = sequence->ranks,
        .served = sequence->served,
        .messages = sequence->messages,
        .num_served = sequence->num_served,
        .verified = replay_options.verify,
        .timer_cost = replay_timer_cost(),
        .results = results,
        .num_results = replay_options.setup.num_components,
        .lengths = replay_options.lengths ? &lengths : NULL,
    };

    if (replay_options.lengths) {
        replay_lengths_take(sequence, &lengths);
    }
    if (replay_options.json) {
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

    replay_setup_open(&replay_options.setup, sequence);
    if (replay_setup_needs_profile(&replay_options.setup)) {
        make_profile(sequence);
    }
    check_declined(&replay_options.setup, sequence);
    results = measure_all(&replay_options.setup, sequence);
    report(sequence, results);
    free(results);
    replay_setup_close(&replay_options.setup);
}

static void advise(void)
{
    static const replay_order_t orders[2] = {REPLAY_SOURCES, REPLAY_SHUFFLED};
    replay_sequence_t sequence[2], *sequences[2] = {sequence, sequence + 1};
    replay_advised_t advised;
    replay_wish_t wish[2];

    replay_advise_read(replay_options.advise, &advised);
    if (!replay_advise_is_long(replay_options.advise, &advised)) {
        return;
    }
    for (int i = 0; i < 2; ++i) {
        replay_advise_wish(&advised, orders[i], &wish[i]);
        replay_pattern_open(&sequence[i], &wish[i]);
    }
    replay_setup_open(&replay_options.setup, &sequence[0]);
    make_profile(&sequence[0]);
    replay_advise(&advised, sequences);
    replay_setup_close(&replay_options.setup);
    for (int i = 0; i < 2; ++i) {
        replay_pattern_close(&sequence[i]);
    }
}

static void import(void)
{
    replay_import_t import;
    uint32_t written;

    replay_import_init(&import, replay_options.only);
    replay_otf2_read(replay_options.import, &import);
    written = replay_import_write(&import, replay_options.output);
    if (0 == written) {
        replay_die("%s: these ranks neither sent messages nor received any",
                   replay_options.import);
    }
    printf("%u traces of %u ranks, %s.RANK: %llu messages, %llu receives\n",
           written, import.num_ranks, replay_options.output,
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

    replay_options_parse(argc, argv);
    if (NULL != replay_options.import) {
        import();
        opal_argv_free(replay_options.setup.names);
        return REPLAY_EXIT_OK;
    }
    replay_setup_start();
    if (NULL != replay_options.advise) {
        advise();
        opal_argv_free(replay_options.setup.names);
        return REPLAY_EXIT_OK;
    }
    if (NULL != replay_options.trace) {
        replay_trace_open(&sequence, replay_options.trace);
    } else {
        replay_pattern_open(&sequence, &replay_options.wish);
    }
    sequence.verify = replay_options.verify;
    sequence.skip = replay_options.skip;
    if (0 != sequence.skip && sequence.skip >= sequence.length) {
        replay_die("--skip %llu: there are about %llu operations",
                   (unsigned long long) sequence.skip,
                   (unsigned long long) sequence.length);
    }
    replay(&sequence);
    if (NULL != replay_options.trace) {
        replay_trace_close(&sequence);
    } else {
        replay_pattern_close(&sequence);
    }
    opal_argv_free(replay_options.setup.names);
    opal_argv_free(replay_options.setup.settings);
    return REPLAY_EXIT_OK;
}
