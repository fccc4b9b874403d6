/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How many connections large messages from a peer come by. Clouds limit each
 * flow of TCP, some to an eighth of the link, so that several are faster. Where
 * one fills the link, more gain nothing; nor where one is faster than any limit
 * of a flow, since then a processor copies as fast as it can.
 *
 *     measure --- 1.2 times as fast as before, or first --> twice as many
 *        |   \
 *        |    `-- most connections already, or fast ------> check these
 *        `------- less gain ------------------------------> check those before
 *
 *     check: measure half as many again
 *        |    `-- these are 1.2 times as fast ------------> keep these
 *        `------- less gain, or the half is fast ---------> check the half
 *
 * The first messages are slow for many reasons, so that anything may look like a
 * gain over them: hence the second measurement of the former number.
 *
 * A measurement is the highest rate of some busy periods, as disturbances only
 * make transfers slower. Short transfers are slower, too, so only periods of
 * about the same size are compared. A decision stays. Arithmetic only, so that
 * it can be tested alone.
 */

#ifndef MCA_PML_CHAMPION_PEER_FLOWS_RULE_H
#define MCA_PML_CHAMPION_PEER_FLOWS_RULE_H

#include <stdbool.h>
#include <stdint.h>

/** Busy periods in a measurement, and bytes that each has at least. */
#define MCA_PML_CHAMPION_FLOWS_PERIODS 4
#define MCA_PML_CHAMPION_FLOWS_BYTES ((uint64_t) 1 << 20)

/** After so many periods of other sizes in a row it begins anew with these. */
#define MCA_PML_CHAMPION_FLOWS_OTHERS 16

/** The least gain of twice as many connections. */
#define MCA_PML_CHAMPION_FLOWS_GAIN 1.2

/** Bytes per ns of each connection at which no more are tried: 12 Gbit/s. Clouds
 * limit a flow to 5 or 10. */
#define MCA_PML_CHAMPION_FLOWS_FAST 1.5

/** All zero at first. */
typedef struct mca_pml_champion_flows_rule_t {
    uint32_t more;    /**< connections beside the first one */
    uint32_t before;  /**< number of connections measured before; 0: none */
    uint32_t periods; /**< of this measurement, so far */
    uint32_t others;  /**< periods of other sizes in a row */
    uint64_t bytes;   /**< of the first period */
    uint32_t checked; /**< number of connections that is checked; 0: none */
    bool decided;
    double rate;        /**< highest of this measurement, bytes per ns */
    double rate_before; /**< of the one before; of the checked one */
} mca_pml_champion_flows_rule_t;

/** Number of connections that messages are to come by. */
static inline uint32_t mca_pml_champion_flows(
    const mca_pml_champion_flows_rule_t *rule)
{
    return 1 + rule->more;
}

/** Check `flows` connections, which were as fast as `rate`, against half as
 * many. One alone needs no check. */
static inline void mca_pml_champion_flows_check(
    mca_pml_champion_flows_rule_t *rule, uint32_t flows, double rate)
{
    rule->checked = flows;
    rule->rate_before = rate;
    rule->decided = 1 == flows;
    rule->more = (1 == flows ? 1 : flows / 2) - 1;
}

/** A measurement is complete. */
static inline void mca_pml_champion_flows_measured(
    mca_pml_champion_flows_rule_t *rule, uint32_t most)
{
    const uint32_t flows = mca_pml_champion_flows(rule);
    const double rate = rule->rate;
    const bool gained = rate >= MCA_PML_CHAMPION_FLOWS_GAIN * rule->rate_before;

    const bool fast = rate >= MCA_PML_CHAMPION_FLOWS_FAST * flows;

    rule->periods = 0;
    rule->rate = 0;
    if (0 != rule->checked) {
        if (!fast && rule->rate_before >= MCA_PML_CHAMPION_FLOWS_GAIN * rate) {
            rule->more = rule->checked - 1;
            rule->decided = true;
        } else {
            mca_pml_champion_flows_check(rule, flows, rate);
        }
    } else if (0 != rule->before && !gained) {
        mca_pml_champion_flows_check(rule, rule->before, rule->rate_before);
    } else if (flows >= most || fast) {
        mca_pml_champion_flows_check(rule, flows, rate);
    } else {
        rule->before = flows;
        rule->rate_before = rate;
        rule->more = (2 * flows < most ? 2 * flows : most) - 1;
    }
}

/** Is a period of so many bytes to be compared with the others? */
static inline bool mca_pml_champion_flows_is_alike(
    mca_pml_champion_flows_rule_t *rule, uint64_t bytes)
{
    if (0 == rule->bytes) {
        rule->bytes = bytes;
    }
    if (bytes <= 2 * rule->bytes && 2 * bytes >= rule->bytes) {
        rule->others = 0;
        return true;
    }
    if (++rule->others >= MCA_PML_CHAMPION_FLOWS_OTHERS) {
        *rule = (mca_pml_champion_flows_rule_t){.bytes = 0};
    }
    return false;
}

/** A busy period has ended, in which `bytes` bytes came in `ns` ns, all by as
 * many connections as the rule says, of which there are `most` at most. */
static inline void mca_pml_champion_flows_add(
    mca_pml_champion_flows_rule_t *rule, uint32_t most, uint64_t bytes,
    uint64_t ns)
{
    const double rate = (double) bytes / (double) (ns + !ns);

    if (rule->decided || bytes < MCA_PML_CHAMPION_FLOWS_BYTES ||
        !mca_pml_champion_flows_is_alike(rule, bytes)) {
        return;
    }
    rule->rate = rate > rule->rate ? rate : rule->rate;
    if (++rule->periods >= MCA_PML_CHAMPION_FLOWS_PERIODS) {
        mca_pml_champion_flows_measured(rule, most);
    }
}

#endif /* MCA_PML_CHAMPION_PEER_FLOWS_RULE_H */
