# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""What speed measures, and when it says that something is slower.

Rounds are paired: a round runs a case under both, one right after the other.
The ratio of a round is above 1 where the second of both is slower: of times it
is theirs, of rates the inverse.
"""

import copy
import statistics

from benchcases import Case, Metric, all_cases

# Below this two figures are the same.
WORSE = 1.05
# At least; where any round is above WORSE; where their median is.
ROUNDS, DISAGREE, SUSPECT = 3, 7, 11

CHOSEN = """
pingpong8 pingpong8_nb size_pingpong_64 size_pingpong_1k size_pingpong_4k
size_pingpong_16k size_pingpong_64k size_pingpong_256k size_pingpong_1m
size_pingpong_nb_1k size_pingpong_nb_64k tcp_pingpong8
window8 q_window_1 q_window_16 q_window_1024 q_window_16384
bw_send_64k bw_send_1m bw_isend_64k bw_isend_1m size_stream_send_4k
sendrecv_8 sendrecv_2000 sendrecv_20k sendrecv_256k sendrecv_1m
issend64_8 issend64_4k issend_1024 issend_16384 waitsome_2048 waitany_2048
q_flood_shuffled_4096 q_flood_shuffled_16384 q_flood_in_order_4096
q_flood_in_order_16384 q_flood_any_source_4096 q_flood_any_source_16384
q_posted_shuffled_16 q_posted_shuffled_1024 q_posted_shuffled_16384
q_posted_in_order_16384 q_reverse_1024 q_any_source_posted_16384
q_any_tag_posted_1024 q_colliding_posted_1024
q_unexpected_exact_8 q_unexpected_exact_64 q_unexpected_exact_1024
q_unexpected_exact_16384 q_unexpected_any_source_1024 q_any_tag_unexpected_1024
q_colliding_unexpected_1024 q_pingpong_behind_16 q_pingpong_behind_16384
exchange_64k exchange_1m late_1m
threads_own_1 threads_own_2 threads_shared_2 threads_shared_4
""".split()
# Beside a busy loop on each core, of nice 0 and of nice 19: so much longer that
# many of its time slices are in a run.
BESIDE = {"window8": ["--seconds", "1"], "sendrecv_20k": ["--seconds", "1"],
          "q_flood_shuffled_4096": ["--seconds", "1"],
          "barrier_2": ["imbalance:0:60000"]}
# By programs that write what they send.
FRESH = ("size_pingpong_64k", "sendrecv_20k", "sendrecv_1m", "bw_send_64k",
         "bw_isend_64k", "bw_isend_1m")
BETWEEN = ("pingpong8", "size_pingpong_64k", "sendrecv_2000", "sendrecv_20k",
           "bw_send_64k", "issend64_4k")
LINK = ("--hosts", "2", "--rate", "1gbit")

# Of waits.c: CASE:MS:STEPS, ranks, what it is, the figure.
WAITS = {
    "barrier": ("imbalance:0:3000", 2, "MPI_Barrier", "step_ms"),
    "iallreduce": ("iallreduce:0:3000", 2, "MPI_Iallreduce of 8 bytes",
                   "step_ms"),
    "token": ("token:1:60", 4, "a token, 1 ms of computation at each",
              "step_ms"),
    "alltoall": ("alltoall:0:300", 4, "8 bytes, each with each", "step_ms"),
    "alltoall1k": ("alltoall1k:0:1000", 2, "1 KiB, each with each", "step_ms"),
    "begin": ("begin:0:30", 2, "the first 30 exchanges with neighbours",
              "step_ms"),
}
# Of overlap_hosts.c.
COLLECTIVES = ("allreduce:1048576:0", "allgather:65536:0", "broadcast:262144:0",
               "transpose:65536:0", "reduce:1048576:0")
HOST_PATTERNS = ("halo:65536:2", "halo:524288:10", "sum:1048576:20",
                 "allgather:1048576:0", "late:8388608:20")


def waits_cases():
    for name, (step, ranks, text, key) in WAITS.items():
        name = f"{name}_{ranks}"
        yield Case(name, f"{ranks} ranks: {text}", "waits", [step],
                   [Metric(key, name, "ms")], ranks=ranks)


def pattern_case(pattern, hosts=(), words=()):
    """Of overlap_hosts, in one node or between hosts."""
    operation, size, ms = pattern.split(":")
    name = ("hosts_" if hosts else "coll_") + f"{operation}_{size}"
    text = f"{operation} of {size} bytes beside {ms} ms" \
        + "; between two hosts" * bool(hosts)
    return Case(name, text, "overlap_hosts", [*words, pattern],
                [Metric("total", name, "ms")], hosts=hosts)


def renamed(case, name, **changes):
    case = copy.copy(case)
    case.name = name
    for key, value in changes.items():
        setattr(case, key, value)
    return case


def beside(case, nice):
    """The mean: a median over repeats that are shorter than a time slice has none
    of the time in which others ran."""
    words = BESIDE[case.name]
    metric = copy.copy(case.metrics[0])
    if metric.key == "median":
        metric.key = "mean"
        words = case.arguments + words
    return renamed(case, f"{case.name}_nice{nice}", hogs=nice, arguments=words,
                   metrics=[metric],
                   text=case.text + f"; beside a busy loop of nice {nice} on each "
                   "core")


def speed_cases(options):
    """{name: case} of what speed measures."""
    known = all_cases(options)
    known = {name: known[name] for name in CHOSEN}
    found = list(known.values()) + list(waits_cases())
    found.append(Case("uneven_1m", "1 MiB each way, of which one rank computes "
                      "meanwhile, and the other waits", "overlap",
                      ["uneven", "--bytes", "1048576", "--compute", "300",
                       "--repeats", "101"],
                      [Metric("median", "uneven_1m", "us")]))
    found.append(Case("contact_4", "first round trip with a rank, longer than "
                      "the tenth", "contact", [],
                      [Metric("first_us", "contact_4", "us")], ranks=4))
    found += [pattern_case(one, words=("--repeats", "60"))
              for one in COLLECTIVES]
    known = {case.name: case for case in found}
    found += [renamed(known[name], f"{name}_fresh",
                      arguments=known[name].arguments + ["--fresh"],
                      text=known[name].text + ", written anew for each message")
              for name in FRESH]
    found += [beside(known[name], nice) for nice in (0, 19) for name in BESIDE]
    found += [renamed(known[name], f"hosts_{name}", hosts=list(LINK),
                      text=known[name].text + "; between two hosts")
              for name in BETWEEN]
    found += [pattern_case(one, LINK) for one in HOST_PATTERNS]
    return {case.name: case for case in found}


def metric_of(case):
    """What is compared: of overlap the time without computation, where there is
    one, as what is left of the other one may be 0."""
    return case.metrics[-1 if case.program == "overlap" else 0]


def slowdowns(first, second, better="lower"):
    """The ratios of the rounds; above 1 the second is slower."""
    return [b / a if better == "lower" else a / b
            for a, b in zip(first, second)]


def nearly_all(count):
    """So many rounds out of count: all but a fifth; of 3 all, of 7 all but one,
    of 11 all but two."""
    return count - count // 5


def is_slower(first, second, better="lower"):
    """The second is slower by more than 5 % and than the first's own spread:

    - the median of the ratios is above 1.05,
    - so is the ratio of nearly all rounds,
    - the second's median is worse than nearly all values of the first.
    """
    ratios = slowdowns(first, second, better)
    wanted = nearly_all(len(ratios))
    middle = statistics.median(second)
    passed = [value for value in first
              if (middle > value if better == "lower" else middle < value)]
    return statistics.median(ratios) > WORSE \
        and sum(one > WORSE for one in ratios) >= wanted \
        and len(passed) >= wanted


def rounds_wanted(ratios, least=ROUNDS):
    """So many there should be, as far as these tell."""
    if len(ratios) < least:
        return least
    if statistics.median(ratios) > WORSE:
        return max(least, SUSPECT)
    if max(ratios) > WORSE:
        return max(least, DISAGREE)
    return least


def verdict(first, second, better="lower"):
    """slower, faster, same; unclear: the median is above 1.05, but rounds
    disagree, or are too few to tell."""
    if len(second) < ROUNDS:
        return "too few rounds"
    if len(second) >= DISAGREE and is_slower(first, second, better):
        return "slower"
    if statistics.median(slowdowns(first, second, better)) > WORSE:
        return "unclear"
    return "faster" if is_slower(second, first, better) else "same"
