/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/stats/run.h"

#include <stdarg.h>
#include <stdio.h>

#include "ompi/mca/pml/champion/peer/comm_table.h"
#include "ompi/mca/pml/champion/large/thread_trigger.h"
#include "ompi/mca/pml/champion/peer/cost_model.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/progress/thread.h"

/* Peers that are reported in detail; others are only counted. */
#define PEERS 4

static struct {
    char *text;
    size_t used;
    unsigned peers;
} report;

/* Add a line, or nothing if not all of it fits. */
__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
    size_t room = MCA_PML_CHAMPION_DECISIONS_LENGTH - report.used;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(report.text + report.used, room, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t) length < room) {
        report.used += (size_t) length;
    } else {
        report.text[report.used] = '\0';
    }
}

/* What was delayed: "2 large messages", "2 large messages and 1 collective". */
static const char *what_was_delayed(unsigned long long messages,
                                    unsigned long long collectives)
{
    static char text[96];
    const int used = snprintf(text, sizeof(text), "%llu large message%s",
                              messages, 1 == messages ? "" : "s");

    if (0 != collectives) {
        (void) snprintf(text + used, sizeof(text) - (size_t) used,
                        " and %llu collective%s", collectives,
                        1 == collectives ? "" : "s");
    }
    return text;
}

static void report_thread(void)
{
    const mca_pml_champion_counters_t *counters = &mca_pml_champion.counters;
    const unsigned long long ended = counters->thread_ended;
    const double lost = (double) counters->thread_lost * 1e-9;
    const char *delayed =
        what_was_delayed(counters->thread_delayed, counters->coll_delayed);
    const uint64_t begun_at = mca_pml_champion_thread_begun_at();

    if (0 != ended) {
        line("progress thread ended %llu time%s: of no use any more\n", ended,
             1 == ended ? "" : "s");
    }
    if (0 != begun_at) {
        line("progress thread started at %.3f s: %s delayed (%.3f s lost)\n",
             (double) (begun_at - mca_pml_champion_thread_trigger.since) * 1e-9,
             delayed, lost);
    } else if (0 != counters->thread_delayed + counters->coll_delayed) {
        line("no progress thread: %s delayed (%.3f s lost), %u of the last "
             "64\n",
             delayed, lost,
             (unsigned) mca_pml_champion_thread_trigger.lateness.late);
    }
}

/* What matching components that decide by themselves have decided. */
static void report_matching(void)
{
    const mca_mq_base_domain_t *last = NULL;

    for (uint32_t i = 0; i < mca_pml_champion.num_comms; ++i) {
        const mca_pml_champion_comm_t *comm = mca_pml_champion_comm_at(i);
        const char *remark =
            NULL == comm ? "" : mca_mq_base_domain_remark(comm->domain);

        /* Communicators may share one domain. */
        if ('\0' != *remark && comm->domain != last) {
            last = comm->domain;
            line("matching in context %u: %s\n", (unsigned) last->info.context,
                 remark);
        }
    }
}

static void report_peer(mca_pml_champion_peer_t *peer)
{
    double alpha, beta;

    if (0 == peer->prefetch.total || report.peers++ >= PEERS) {
        return;
    }
    mca_pml_champion_cost_model_of(peer, &alpha, &beta);
    line("prefetched %u messages from rank %u, which wait %.3f ms for their "
         "receive and take %.4g ns/B + %.4g us\n",
         (unsigned) peer->prefetch.total, (unsigned) peer->name.vpid,
         (double) peer->prefetch.wait * 1e-6, alpha, beta * 1e-3);
}

void mca_pml_champion_decision_report(
    char text[MCA_PML_CHAMPION_DECISIONS_LENGTH])
{
    MCA_PML_CHAMPION_LOCKED();
    report.text = text;
    report.used = 0;
    report.peers = 0;
    text[0] = '\0';
    report_thread();
    report_matching();
    mca_pml_champion_peers_each(report_peer);
    if (report.peers > PEERS) {
        line("prefetched from %u more peers\n", report.peers - PEERS);
    }
}
