# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The sets of contrib/figures: which commands write which CSV file."""

BENCH = "test/bench/"
FOUR = "--mca mpi_yield_when_idle 1"    # four ranks share few cores
PINGPONGS = ("8", "1024", "8192", "65536", "1048576", "8388608")
TWO_HOSTS = ("expected:8388608:100", "late:8388608:100", "sender:8388608:100",
             "halo:65536:2", "halo:524288:10", "halo:4194304:70",
             "reduce:1048576:20", "probed:1125000:3", "probed:8388608:10")
FOUR_HOSTS = ("allgather:1048576:0", "allgather:1048576:3",
              "allreduce:4194304:0", "allreduce:4194304:3", "halo:524288:30",
              "halo:4194304:200", "reduce:1048576:40", "gather:1048576:40",
              "scatter:1048576:30", "transpose:262144:15", "sum:1048576:60",
              "broadcast:1048576:60", "ireduce:1048576:60",
              "iallgather:1048576:60")
# From the first iteration on, each in a run of its own.
FIRST = ("halo:524288:10", "scatterv:1048576:20", "transpose:1048576:20",
         "gatherv:1048576:20", "broadcast:1048576:20", "reduce:1048576:20")
FIRST_TWO = FIRST + ("sum:1048576:20", "begun:1048576:300")
FIRST_LONG = ("sum:1048576:60", "broadcast:1048576:60", "ireduce:1048576:60",
              "iallgather:1048576:60", "gather:1048576:40")


class Set:
    """What it is, how long it takes, and {CSV name: command} of options."""

    def __init__(self, text, seconds, brief, commands, quiet=True):
        self.text = text
        self.seconds = seconds
        self.brief = brief
        self.commands = commands
        self.quiet = quiet      # others' load would change the figures


def effort(options, rounds):
    """Options of compare: how long it may take."""
    words = ["--rounds", "3" if options.brief else str(rounds)]
    if options.brief:
        words += ["--seconds", "0.2"]
    if options.quick:
        words = ["--rounds", "1", "--quick"]
    return words + ["--baselines",
                    "ucx,ob1,mpich" if options.mpich else "ucx,ob1"]


def compare(cases, options, rounds=5):
    return [BENCH + "compare", "--cases", cases] + effort(options, rounds)


def node(options):
    windows = ",".join(f"q_window_{n}" for n in (1, 16, 1024, 16384))
    yield "node", compare("pingpong8*,window8,sizes,bw_*," + windows, options)
    yield "loopback", compare("tcp_pingpong8*,tcp_window8", options)
    yield "threads", compare("threads", options, 3)
    yield "overlap", compare("overlap", options, 3)


def rivals(options):
    """The limit and everybody else, in one run."""
    rounds = ["--quick", "--rounds", "1"] if options.quick else \
        ["--rounds", "3" if options.brief else "5", "--seconds", "0.2"]
    yield "rivals", [
        BENCH + "compare", "--cases", "pingpong8,size_pingpong_1k,window8,"
        "q_window_1024,q_unexpected_exact_4,q_unexpected_exact_16,"
        "threads_*_1,bw_*_64k,bw_*_1m", *rounds, "--baselines",
        "limit,ucx,ob1,mpich,champion_release,ucx_release"]


def queues(options):
    cases = ",".join(f"q_*_{n}" for n in (1, 16, 1024, 16384)) \
        if options.brief or options.quick else "queues"
    yield "queues", compare(cases, options, 3) \
        + ["--budget", "1" if options.brief or options.quick else "6"]


def memory(options):
    yield "memory", compare("unexpected*,footprint*", options, 3) + [
        "--peers", "64" if options.brief or options.quick else "256"]
    quick = ["--count", "20000"] if options.quick else []
    for name, ranks in (("flood", "2"), ("flood_three", "4")):
        yield name, [BENCH + "alternate", "--np", ranks, "--rounds",
                     "1" if options.quick else "3", "--run", "champion",
                     "--run", "limit_64M=champion --mca "
                     "pml_champion_unexpected_limit 64M",
                     "--", "backlog", "--seconds", "2", *quick,
                     "--", "backlog", "--seconds", "2", "--bytes", "1024",
                     *(quick or ["--count", "1000000"])]


def alternate(options, hosts, *words):
    rounds = "1" if options.quick else "3" if options.brief else "5"
    return [BENCH + "alternate", "--hosts", hosts, "--rate", "1gbit",
            "--rounds", rounds, *words]


def first(options, hosts, patterns, *words):
    programs = []
    for pattern in patterns:
        programs += ["--", "overlap_hosts"] \
            + (["--repeats", "4"] if options.quick else []) \
            + ["--all", pattern]
    return alternate(options, hosts, *words, *programs)


def network(options):
    seconds = "0.1" if options.quick else "0.3" if options.brief else "0.6"
    programs = []
    for size in PINGPONGS:
        programs += ["--", "p2p", "pingpong", "--bytes", size, "--seconds",
                     seconds]
    programs += ["--", "p2p", "window", "--seconds", seconds]
    yield "network", alternate(options, "2", "--pin", *programs)
    repeats = ["--repeats", "4"] if options.quick else []
    yield "network_two", alternate(options, "2", "--", "overlap_hosts",
                                   *repeats, *TWO_HOSTS)
    yield "network_four", alternate(options, "4", "--mpirun", FOUR, "--",
                                    "overlap_hosts", *repeats, *FOUR_HOSTS)


def beginning(options):
    yield "first_two", first(options, "2", FIRST_TWO)
    yield "first_four", first(options, "4", FIRST, "--mpirun", FOUR)
    yield "first_four_long", first(options, "4", FIRST_LONG, "--mpirun", FOUR)


def waiting(options):
    """More ranks than cores, which Open MPI does not know, and does."""
    rounds = ["--rounds", "1" if options.quick else "3" if options.brief
              else "5"]

    def of(ranks, yields, *cases):
        return [BENCH + "alternate", "--np", ranks, *rounds, "--mpirun",
                f"--mca mpi_yield_when_idle {yields}", "--", "waits", *cases]

    for name, yields in (("waiting", "0"), ("yielding", "1")):
        steps = ":20" if options.quick else ":300"
        yield name + "_4", of("4", yields, "exchange:0" + steps, "token:5:8")
        yield name + "_8", of("8", yields, "imbalance:5:20",
                              "iallreduce:5:10", "master:2:20")
    # Each on a core of its own, and not.
    yield "begin_2", [BENCH + "alternate", "--np", "2", *rounds, "--", "waits",
                      "begin:0:30"]
    for ranks in "4", "16":
        yield "begin_" + ranks, of(ranks, "1", "begin:0:30")
    yield "waiting_16", of("16", "0", "idle:1000" if options.quick
                           else "idle:2000")
    if not options.quick:
        yield "many_ranks", of("64", "1", "alltoall:0:100",
                               "alltoall1k:0:100")


def instructions(options):
    few = ["--rounds", "10", "--blocks", "2"] if options.quick else []
    yield "instructions", [BENCH + "instructions", "--mq", "indexed"] + few
    few = ["--peers", "2,17", "--rounds", "5", "--blocks", "2"] \
        if options.quick else []
    yield "instructions_peers", [BENCH + "instructions_peers"] + few


def start(options):
    few = ["--rounds", "5"] if options.brief else []
    if options.quick:
        few = ["--np", "1,2", "--rounds", "1"]
    yield "start", [BENCH + "start"] + few


def papers(options):
    words = [BENCH + "papers"]
    if options.brief or options.quick:
        words += ["--rounds", "1"]
    if options.quick:
        words += ["--only", "short"]
    yield "papers", words


def counts(options):
    yield "counts", [BENCH + "papers", "--exact"] \
        + (["--only", "memory"] if options.quick else [])


def scale(options):
    program = BENCH + "scale"
    few = ["--ranks", "64,1024"] if options.quick else []
    yield "scale_alltoall", [program, "match", "--pattern", "alltoall"] + (
        few or ["--ranks", "64,1024,16384"])
    if not options.quick:
        yield "scale_million", [program, "match", "--pattern", "alltoall",
                                "--ranks", "1048576", "--component",
                                "indexed,source_array"]
    yield "scale_memory", [program, "memory"] + few
    yield "scale_steps", [program, "steps"] + (
        ["--np", "2,4", "--rounds", "1"] if options.quick
        else ["--rounds", "7"])
    yield "scale_contact", [program, "contact", "--np", "2,4" if options.quick
                            else "2,4,8,16,32", "--rounds", "1"]
    if not options.quick:
        yield "scale_contact_many", [program, "contact", "--np", "64,128",
                                     "--rounds", "1", "--run", "champion",
                                     "--run", "ucx"]


SETS = {
    "node": Set("latency, rate, threads, overlap within a node", 1500, 400,
                node),
    "rivals": Set("a node's limit, MPICH, UCX with and without assertions",
                  500, 330, rivals),
    "network": Set("two and four hosts made of namespaces, 1 Gbit/s", 660, 400,
                   network),
    "beginning": Set("the first iterations there", 600, 400, beginning),
    "queues": Set("deep queues, through MPI", 1200, 240, queues),
    "memory": Set("messages, communicators, peers, floods", 300, 120, memory),
    "waiting": Set("more ranks than cores, long waits", 500, 300, waiting),
    "instructions": Set("instructions of a message, by callgrind", 180, 180,
                        instructions, quiet=False),
    "start": Set("mpirun of an empty program", 75, 30, start),
    "scale": Set("what grows with the size of a job", 400, 400,
                 scale),
    "papers": Set("the papers' claims, by mq_replay: times", 600, 210, papers),
    "counts": Set("the papers' claims: entries traversed, memory", 180, 180,
                  counts, quiet=False),
}


def set_of(data):
    """Name of the set that writes that file."""
    from argparse import Namespace
    all_of_it = Namespace(brief=False, quick=False, mpich=False)
    for name, one in SETS.items():
        if data in dict(one.commands(all_of_it)):
            return name
    return None
