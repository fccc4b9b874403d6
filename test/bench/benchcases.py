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
# What programs have: a few messages wait.
SHORT_DEPTHS = (4, 8, 64)
# All come without pause.
FLOOD_DEPTHS = (256, 4096, 16384)

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
    "flood_shuffled": "exact receives posted in order, sent shuffled without "
                      "pause",
    "flood_in_order": "exact receives posted and sent in order without pause",
    "flood_any_source": "any-source receives posted in order, sent shuffled "
                        "without pause",
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
                 limit=None, series=None, size=None):
        self.key = key              # in the program's JSON
        self.label = label
        self.unit = unit
        self.better = better        # "lower" or "higher"
        self.ratios = ratios or {}  # wanted of subject/baseline, by baseline
        self.limit = limit          # wanted of the subject's own figure
        self.series = series        # as in the CSV file, where they are not
        self.size = size            # those of the case


class Case:
    """A benchmark program, its arguments and its metrics."""

    def __init__(self, name, text, program, arguments, metrics,
                 transport=SHM, ranks=2, once=False, queue=None, depth=None,
                 threads=1, series=None, size=0, limit=None, group="",
                 hosts=(), hogs=None):
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
        # Arguments of p2p for the same without MPI, where there is that.
        self.limit = limit
        # In the CSV file: (name, text, what sizes count) of all cases that
        # differ in size alone.
        self.series = series
        self.size = size
        self.named_group = group
        # Options of test/netns/hosts, where it runs there.
        self.hosts = list(hosts)
        # Nice value of a busy loop on each core.
        self.hogs = hogs

    @property
    def group(self):
        if self.named_group:
            return self.named_group
        if self.program in ("overlap", "threads_rate"):
            return self.program.partition("_")[0]
        if self.name.startswith("size_"):
            return "sizes"
        return "basic" if self.queue is None else "queues"

    def runs_under(self, pml):
        """LAMMPS is not linked with MPICH, and --mca is not for it."""
        if pml == benchlib.LIMIT:
            return self.limit is not None
        return pml != "mpich" or (self.program in ("p2p", "queues", "overlap",
                                                   "threads_rate")
                                  and self.transport == SHM)


# Of p2p.c, by the name of the series.
P2P = {
    "pingpong": ("ping-pong of MPI_Send and MPI_Recv, half a round trip",
                 ["pingpong"], LATENCY),
    "pingpong_nb": ("ping-pong of MPI_Isend, MPI_Irecv and MPI_Wait, half a "
                    "round trip", ["pingpong", "--nonblocking"], LATENCY),
    "window64": ("windows of 64 messages, one message", ["window"], LATENCY),
    "stream_send": ("stream of MPI_Send", ["bandwidth", "--mode", "send"],
                    BANDWIDTH),
    "stream_isend": ("stream of MPI_Isend", ["bandwidth", "--mode", "isend"],
                     BANDWIDTH),
    "sendrecv": ("exchange by MPI_Sendrecv", ["sendrecv"], LATENCY),
    "issend64": ("windows of 64 messages by MPI_Issend, one message",
                 ["window", "--mode", "issend"], LATENCY),
}
# What is handed over without MPI: a line and back, a ring of lines, copies.
LIMITS = {"pingpong": ["line"], "window": ["lines"], "bandwidth": ["copy"]}
SIZES = {"8": 8, "64": 64, "256": 256, "1k": 1 << 10, "2000": 2000,
         "4k": 4 << 10, "8k": 8 << 10, "16k": 16 << 10, "20k": 20 << 10,
         "32k": 32 << 10, "64k": 64 << 10,
         "128k": 128 << 10, "256k": 256 << 10, "1m": 1 << 20, "8m": 8 << 20}


def p2p(name, series, words, options, transport=SHM, **more):
    text, arguments, (unit, better, ratio) = P2P[series]
    if transport == TCP:
        series, text = "tcp_" + series, text + "; TCP on the loopback"
    size = ["--bytes", str(SIZES[words])] + seconds_of(options)
    limit = LIMITS[arguments[0]] + size \
        if transport == SHM and arguments[0] in LIMITS else None
    return Case(name, f"{text}, {SIZES[words]} bytes", "p2p", arguments + size,
                [Metric("median", name, unit, better, {"ucx": ratio})],
                transport, series=(series, text, "bytes"), size=SIZES[words],
                limit=limit, **more)


def seconds_of(options):
    seconds = 0.1 if options.quick else options.seconds
    return ["--seconds", f"{seconds:g}"] if seconds else []


def size_cases(options):
    """More sizes than the basic cases have."""
    return [p2p(f"size_{series}_{words}", series, words, options)
            for series, some in (
                ("pingpong", [words for words, size in SIZES.items()
                              if size > 8 and size & size - 1 == 0]),
                ("pingpong_nb", ("1k", "4k", "16k", "64k", "1m")),
                ("stream_send", ("4k",)), ("stream_isend", ("4k",)))
            for words in some]


def basic_cases(options):
    cases = [p2p(prefix + name, series, "8", options, transport)
             for prefix, transport in (("", SHM), ("tcp_", TCP))
             for name, series in (("pingpong8", "pingpong"),
                                  ("pingpong8_nb", "pingpong_nb"),
                                  ("window8", "window64"))]
    cases += [p2p(f"bw_{mode}_{words}", f"stream_{mode}", words, options)
              for mode in ("send", "isend")
              for words in ("16k", "64k", "1m", "8m")]
    return cases + memory_cases(options) + lammps_cases(options)


def memory_cases(options):
    cases = []
    for size, limit in ((1, 128), (1024, 1400)):
        count = 20000 if options.quick else 200000
        cases.append(Case(
            f"unexpected{size}",
            f"{count} unexpected messages of {size} bytes, memory of both "
            "processes", "unexpected",
            ["--bytes", str(size), "--count", str(count)],
            [Metric("bytes_per_message", f"unexpected{size}: queued",
                    "B/message", limit=limit, series=(
                        "unexpected", "memory of an unexpected message, in "
                        "both processes together", "bytes")),
             Metric("left_per_message", f"unexpected{size}: left after drain",
                    "B/message", series=(
                        "unexpected_left", "the same after it was received",
                        "bytes"))],
            once=True, size=size))
    cases.append(Case(
        "footprint_dup", "MPI_Comm_dup: memory and time", "footprint",
        ["dup"],
        [Metric("own_per_dup", "dup: memory", "B",
                series=("dup", "memory of a duplicated communicator", "")),
         Metric("own_per_used_dup", "dup: memory after one message", "B",
                series=("dup_used", "the same after one message", "")),
         Metric("dup_us", "dup: time", "us",
                series=("dup_time", "time of MPI_Comm_dup", ""))]))
    peers = 64 if options.quick else options.peers
    marks = sorted({n for n in (4, 64, 1024, peers) if n <= peers})
    cases.append(Case(
        "footprint_peers",
        f"memory of rank 0 that knows 0 to {peers} peers, of as many",
        "footprint", ["peers"],
        [peers_metric(n, key, words) for key, words in
         (("anonymous", "allocated memory"), ("rss", "resident set"))
         for n in [0] + marks]
        + [Metric(f"{key}_per_peer", f"per peer beyond 4: {words}", "B",
                  series=(f"per_peer_{key}", f"{words} for each peer beyond "
                          "four, of as many", "peers"), size=peers)
           for key, words in (("anonymous", "allocated memory"),
                              ("rss", "resident set"))],
        ranks=peers + 1, once=True))
    return cases


def peers_metric(peers, key, words):
    return Metric(f"peers_{peers}_{key}", f"{peers} peers: {words}", "KiB",
                  series=(f"peers_{key}", f"{words} of a process that knows so "
                          "many peers", "peers"), size=peers)


def lammps_cases(options):
    atoms = 4 * options.lammps_cells ** 3
    return [Case("lammps", f"LAMMPS, Lennard-Jones melt of {atoms} atoms: loop "
                 "time", "lmp", [],
                 [Metric("loop", "lammps", "s", ratios={"ucx": 1.03})],
                 series=("lammps", "LAMMPS, Lennard-Jones melt of so many "
                         "atoms, loop time", "atoms"), size=atoms)]


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


def depths_of(queue):
    if queue.startswith("flood_"):
        return FLOOD_DEPTHS
    more = SHORT_DEPTHS if queue == "unexpected_exact" else ()
    return sorted(DEPTHS + more)


def queue_arguments(queue, depth, options):
    arguments = ["--case", queue, "--depth", str(depth),
                 "--budget", f"{options.budget:g}"]
    if queue in COLLIDING:
        arguments += ["--stride", str(options.stride)]
    if options.quick:
        return arguments + ["--seconds", "0.02", "--repeats", "20"]
    # Deep ones need some rounds too.
    seconds = options.seconds or (0.2 if depth <= 1024 else 0.5)
    return arguments + ["--seconds", f"{seconds:g}"]


def queue_metrics(queue, depth, options):
    metrics = [Metric("median", f"{queue} {depth}", "us",
                      ratios=queue_targets(queue, depth))]
    if options.posting and queue in POSTED:
        metrics.append(Metric("posting", f"{queue} {depth}: posting", "us",
                              series=(f"{queue}_posting", "posting of "
                                      + QUEUES[queue], "queued")))
    return metrics


def queue_cases(options):
    return [Case(f"q_{queue}_{depth}", f"{text}, {depth} of them", "queues",
                 queue_arguments(queue, depth, options),
                 queue_metrics(queue, depth, options),
                 queue=queue, depth=depth, series=(queue, text, "queued"),
                 size=depth, limit=LIMITS["window"] + ["--window", str(depth)]
                 + seconds_of(options) if queue == "window" else None)
            for queue, text in QUEUES.items() for depth in depths_of(queue)]


def exchange_cases(options):
    """Calls in which a rank waits for another one that does the same, or for
    one message of many."""
    cases = [p2p(f"{series}_{words}", series, words, options, group="exchanges")
             for series, some in (("sendrecv", ("8", "2000", "20k", "256k", "1m")),
                                  ("issend64", ("8", "4k")))
             for words in some]
    return cases + [windows(name, call, count, arguments, options)
                    for name, call, count, arguments in
                    (("issend_1024", "MPI_Issend", 1024, ["--mode", "issend"]),
                     ("issend_16384", "MPI_Issend", 16384,
                      ["--mode", "issend"]),
                     ("waitsome_2048", "MPI_Waitsome", 2048,
                      ["--wait", "some"]),
                     ("waitany_2048", "MPI_Waitany", 2048, ["--wait", "any"]))]


def windows(name, call, count, arguments, options):
    """Of p2p, with a call that others do not have; 8 bytes."""
    series = name.partition("_")[0] + "_window"
    text = f"windows of messages of 8 bytes with {call}, one message"
    return Case(name, f"{text}, {count} of them", "p2p",
                ["window", "--window", str(count)] + arguments
                + seconds_of(options), [Metric("median", name, "us")],
                series=(series, text, "messages"), size=count,
                group="exchanges")


# Of overlap.c: what its figure is, and what besides it.
OVERLAP = {"late": ["--looks", "20"], "exchange": []}
OVERLAP_TEXTS = {
    "late": "to a receiver that computes for {} us first, and looks 20 times",
    "exchange": "each way beside {} us of computation"}
OVERLAP_SERIES = {
    "late": "MPI_Send to a receiver that computes first, looking 20 times",
    "exchange": "exchange beside computation"}


def overlap(command, words, size, compute, options, transport):
    tcp = transport == TCP
    series = "tcp_" + command if tcp else command
    text = OVERLAP_SERIES[command] + ("; TCP on the loopback" if tcp else "")
    name = f"{series}_{words}"
    return Case(name, f"{size} bytes {OVERLAP_TEXTS[command].format(compute)}",
                "overlap",
                [command] + OVERLAP[command]
                + ["--bytes", str(size), "--compute", str(compute)]
                + (["--repeats", "3"] if options.quick else []),
                [Metric("median", f"{name}: exposed", "us"),
                 Metric("alone", f"{name}: without computation", "us",
                        series=(series + "_alone", "the same without "
                                "computation", "bytes"))],
                transport, series=(series, text, "bytes"), size=size)


def overlap_cases(options):
    return [overlap(command, words, size, compute, options, transport)
            for transport in (SHM, TCP)
            for words, size, compute in (("64k", 64 << 10, 1000),
                                         ("1m", 1 << 20, 4000),
                                         ("8m", 8 << 20, 30000))
            for command in ("late", "exchange")]


def threads_cases(options):
    arguments = ["--seconds", "0.2", "--repeats", "4"] if options.quick \
        else seconds_of(options)
    wanted = {"ucx": 1.2, "ob1": 1.2, "mpich": 1.2}
    return [Case(f"threads_{comms}_{threads}",
                 f"windows of 64 messages of 8 bytes, MPI_THREAD_MULTIPLE, "
                 f"{threads} threads, {words}", "threads_rate",
                 ["--threads", str(threads), "--comms", comms] + arguments,
                 [Metric("median", f"{threads} threads, {comms}", "Mmsg/s",
                         "higher", wanted)], threads=threads,
                 series=(f"threads_{comms}", "messages of 8 bytes, "
                         f"MPI_THREAD_MULTIPLE, {words}", "threads"),
                 size=threads)
            for comms, words in (("own", "a communicator for each thread"),
                                 ("shared", "one communicator for all"))
            for threads in (1, 2, 4)]


def all_cases(options):
    """Every case by its name, in the order of the table."""
    return {case.name: case
            for case in basic_cases(options) + size_cases(options)
            + exchange_cases(options) + queue_cases(options) + overlap_cases(options)
            + threads_cases(options)}


GROUPS = ("basic", "sizes", "exchanges", "queues", "overlap", "threads")


def choose(known, names):
    """The cases that the user named, in the table's order."""
    chosen = set()
    for name in names.split(","):
        if name == "all":
            found = set(known)
        elif name in GROUPS:
            found = {one for one, case in known.items() if case.group == name}
        else:
            found = set(fnmatch.filter(known, name))
        if not found:
            raise benchlib.Failure(f"no case '{name}'; there are all, "
                                   + ", ".join(GROUPS + tuple(known)))
        chosen |= found
    return [case for name, case in known.items() if name in chosen]
