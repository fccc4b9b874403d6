# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The cases of compare: programs, arguments, metrics, and what is wanted."""

import fnmatch

import benchlib

SHM, TCP = "shared memory", "TCP"
LATENCY = ("us", "lower", 1.05)
BANDWIDTH = ("MB/s", "higher", 0.97)

DEPTHS = (1, 16, 256, 1024, 16384, 65536)

# Of queues.c; what it says there in full.
QUEUES = {
    "posted_shuffled": "exact receives posted in order, sent shuffled",
    "posted_in_order": "exact receives posted and sent in order",
    "reverse": "exact receives posted in order, sent in reverse",
    "any_source_posted": "any-source receives posted in order, sent shuffled",
    "any_tag_posted": "any-tag receives posted",
    "colliding_posted": "as posted_shuffled, tags are multiples of --stride",
    "unexpected_exact": "unexpected messages, received exactly, shuffled",
    "unexpected_any_source": "unexpected messages, received from any source, "
                             "shuffled",
    "any_tag_unexpected": "unexpected messages, received with any tag",
    "colliding_unexpected": "as unexpected_exact, tags are multiples of "
                            "--stride",
    "pingpong_behind": "ping-pong behind receives that are never matched",
    "window": "windows of messages with one tag",
}
POSTED = ("posted_shuffled", "posted_in_order", "reverse",
          "any_source_posted", "any_tag_posted", "colliding_posted")
EXACT = ("posted_shuffled", "posted_in_order", "reverse", "unexpected_exact")
COLLIDING = ("colliding_posted", "colliding_unexpected")
ANY_SOURCE = ("any_source_posted", "unexpected_any_source")
# Where ob1 and MPICH search a list, from end to end.
LINEAR_ELSEWHERE = ("posted_shuffled", "unexpected_exact",
                    "unexpected_any_source")


class Metric:
    """One row of the table: where its value is, and what is wanted."""

    def __init__(self, key, label, unit, better="lower", ratios=None,
                 limit=None):
        self.key = key              # in the program's JSON
        self.label = label
        self.unit = unit
        self.better = better        # "lower" or "higher"
        self.ratios = ratios or {}  # wanted of subject/baseline, by baseline
        self.limit = limit          # wanted of the subject's own figure


class Case:
    """A benchmark program, its arguments and its metrics."""

    def __init__(self, name, text, program, arguments, metrics,
                 transport=SHM, ranks=2, once=False, queue=None, depth=None,
                 threads=1):
        self.name = name
        self.text = text
        self.program = program
        self.arguments = arguments
        self.metrics = metrics
        self.transport = transport
        self.ranks = ranks
        self.threads = threads  # of a rank
        self.once = once        # a figure that does not vary: one round
        self.queue = queue      # the case of queues.c, and its depth
        self.depth = depth

    @property
    def group(self):
        if self.program in ("overlap", "threads_rate"):
            return self.program.partition("_")[0]
        return "basic" if self.queue is None else "queues"

    def runs_under(self, pml):
        """LAMMPS is not linked with MPICH, and --mca is not for it."""
        return pml != "mpich" or (self.program in ("p2p", "queues", "overlap",
                                                   "threads_rate")
                                  and self.transport == SHM)


def p2p(name, text, arguments, kind, transport=SHM):
    unit, better, ratio = kind
    return Case(name, text, "p2p", arguments,
                [Metric("median", name, unit, better, {"ucx": ratio})],
                transport)


def basic_cases(options):
    seconds = ["--seconds", "0.1"] if options.quick else []
    cases = [
        p2p("pingpong8", "8-byte ping-pong, MPI_Send and MPI_Recv",
            ["pingpong"] + seconds, LATENCY),
        p2p("pingpong8_nb", "8-byte ping-pong, MPI_Isend and MPI_Irecv",
            ["pingpong", "--nonblocking"] + seconds, LATENCY),
        p2p("window8", "windows of 64 messages of 8 bytes",
            ["window"] + seconds, LATENCY),
        p2p("tcp_pingpong8", "the same over TCP on the loopback",
            ["pingpong"] + seconds, LATENCY, TCP),
        p2p("tcp_pingpong8_nb", "the same over TCP on the loopback",
            ["pingpong", "--nonblocking"] + seconds, LATENCY, TCP),
        p2p("tcp_window8", "the same over TCP on the loopback",
            ["window"] + seconds, LATENCY, TCP),
    ]
    for mode, call in (("send", "MPI_Send"), ("isend", "MPI_Isend")):
        for size, words in ((16 << 10, "16k"), (64 << 10, "64k"),
                            (1 << 20, "1m"), (8 << 20, "8m")):
            cases.append(p2p(f"bw_{mode}_{words}",
                             f"windows of {call}, {size} bytes",
                             ["bandwidth", "--mode", mode, "--bytes",
                              str(size)] + seconds, BANDWIDTH))
    for size, limit in ((1, 128), (1024, 1400)):
        count = 20000 if options.quick else 200000
        cases.append(Case(
            f"unexpected{size}",
            f"{count} unexpected messages of {size} bytes, memory of both "
            "processes", "unexpected",
            ["--bytes", str(size), "--count", str(count)],
            [Metric("bytes_per_message", f"unexpected{size}: queued",
                    "B/message", limit=limit),
             Metric("left_per_message", f"unexpected{size}: left after drain",
                    "B/message")], once=True))
    cases.append(Case(
        "footprint_dup", "MPI_Comm_dup: memory and time", "footprint",
        ["dup"],
        [Metric("own_per_dup", "dup: memory", "B"),
         Metric("own_per_used_dup", "dup: memory after one message", "B"),
         Metric("dup_us", "dup: time", "us")]))
    peers = 64 if options.quick else options.peers
    marks = sorted({n for n in (4, 64, 1024, peers) if n <= peers})
    cases.append(Case(
        "footprint_peers",
        f"memory of rank 0 that knows 0 to {peers} peers, of as many",
        "footprint", ["peers"],
        [Metric(f"peers_{n}_anonymous", f"{n} peers: allocated memory", "KiB")
         for n in [0] + marks]
        + [Metric(f"peers_{n}_rss", f"{n} peers: resident set", "KiB")
           for n in [0] + marks]
        + [Metric("anonymous_per_peer", "per peer beyond 4: allocated memory",
                  "B"),
           Metric("rss_per_peer", "per peer beyond 4: resident set", "B")],
        ranks=peers + 1, once=True))
    cases.append(Case(
        "lammps", "LAMMPS, Lennard-Jones melt of "
        f"{4 * options.lammps_cells ** 3} atoms: loop time", "lmp", [],
        [Metric("loop", "lammps", "s", ratios={"ucx": 1.03})]))
    return cases


def queue_targets(queue, depth):
    """Wanted of indexed/baseline, by baseline."""
    if depth <= 16:
        return {"ucx": 1.05}
    if depth != 16384:
        return {}
    others = 0.01 if queue in LINEAR_ELSEWHERE else 1.0
    wanted = {"ob1": others, "mpich": others}
    if queue in EXACT:
        wanted["ucx"] = 1.0
    elif queue in COLLIDING:
        wanted["ucx"] = 0.05
    elif queue in ANY_SOURCE:
        wanted["ucx"] = 0.01
    return wanted


def queue_arguments(queue, depth, options):
    arguments = ["--case", queue, "--depth", str(depth),
                 "--budget", f"{options.budget:g}"]
    if queue in COLLIDING:
        arguments += ["--stride", str(options.stride)]
    if options.quick:
        return arguments + ["--seconds", "0.02", "--repeats", "20"]
    # Deep ones need some rounds too.
    return arguments + ["--seconds", "0.2" if depth <= 1024 else "0.5"]


def queue_metrics(queue, depth, options):
    metrics = [Metric("median", f"{queue} {depth}", "us",
                      ratios=queue_targets(queue, depth))]
    if options.posting and queue in POSTED:
        metrics.append(Metric("posting", f"{queue} {depth}: posting", "us"))
    return metrics


def queue_cases(options):
    return [Case(f"q_{queue}_{depth}", f"{text}, {depth} of them", "queues",
                 queue_arguments(queue, depth, options),
                 queue_metrics(queue, depth, options),
                 queue=queue, depth=depth)
            for queue, text in QUEUES.items() for depth in DEPTHS]


def overlap(name, text, arguments, options, transport=SHM):
    repeats = ["--repeats", "3"] if options.quick else []
    return Case(name, text, "overlap", arguments + repeats,
                [Metric("median", f"{name}: exposed", "us"),
                 Metric("alone", f"{name}: without computation", "us")],
                transport)


def overlap_cases(options):
    cases = []
    for prefix, transport in (("", SHM), ("tcp_", TCP)):
        for words, size, compute in (("64k", 64 << 10, 1000),
                                     ("1m", 1 << 20, 4000),
                                     ("8m", 8 << 20, 30000)):
            sizes = ["--bytes", str(size), "--compute", str(compute)]
            cases.append(overlap(
                f"{prefix}late_{words}",
                f"{size} bytes to a receiver that computes for {compute} us "
                "first, and looks 20 times",
                ["late", "--looks", "20"] + sizes, options, transport))
            cases.append(overlap(
                f"{prefix}exchange_{words}",
                f"{size} bytes each way beside {compute} us of computation",
                ["exchange"] + sizes, options, transport))
    return cases


def threads_cases(options):
    arguments = ["--seconds", "0.2", "--repeats", "4"] if options.quick else []
    wanted = {"ucx": 1.2, "ob1": 1.2, "mpich": 1.2}
    return [Case(f"threads_{comms}_{threads}",
                 f"windows of 64 messages of 8 bytes, MPI_THREAD_MULTIPLE, "
                 f"{threads} threads, {words}", "threads_rate",
                 ["--threads", str(threads), "--comms", comms] + arguments,
                 [Metric("median", f"{threads} threads, {comms}", "Mmsg/s",
                         "higher", wanted)], threads=threads)
            for comms, words in (("own", "a communicator each"),
                                 ("shared", "one communicator"))
            for threads in (1, 2, 4)]


def all_cases(options):
    """Every case by its name, in the order of the table."""
    return {case.name: case
            for case in basic_cases(options) + queue_cases(options)
            + overlap_cases(options) + threads_cases(options)}


def choose(known, names):
    """The cases that the user named, in the table's order."""
    chosen = set()
    for name in names.split(","):
        if name == "all":
            found = set(known)
        elif name in ("basic", "queues", "overlap", "threads"):
            found = {one for one, case in known.items() if case.group == name}
        else:
            found = set(fnmatch.filter(known, name))
        if not found:
            raise benchlib.Failure(f"no case '{name}'; there are all, basic, "
                                   "queues, overlap, threads, " + ", ".join(known))
        chosen |= found
    return [case for name, case in known.items() if name in chosen]
