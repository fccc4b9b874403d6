# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""What test/house/stats.c is known to have done is what the statistics say.

    stats.py SCHEMA FILE RANKS
"""

import json
import re
import sys

import jsonschema


def same(what, got, expected):
    """Complain if a figure is another one."""
    if got != expected:
        sys.exit("%s: %r, expected %r" % (what, got, expected))


def check_figures(stats):
    """Every figure that there is, is described, and the other way round."""
    described = {(one["group"], one["name"]): one for one in stats["figures"]}
    same("descriptions", len(described), len(stats["figures"]))
    there = {(group, name) for group, figures in stats["all"].items()
             for name in figures}
    same("figures", there, set(described))
    for (group, name), one in described.items():
        if one["per"] is not None and (group, one["per"]) not in described:
            sys.exit("%s: per %s" % (name, one["per"]))
        same(name + " has a sum", "sum" in stats["all"][group][name],
             one["kind"] != "max")


def check_lopsided(of, ranks):
    """Rank 0 got all of it."""
    small = sum(3 * rank for rank in range(ranks))
    large = ranks - 1
    messages = of["messages"]
    same("messages", messages["count"]["sum"], small + large)
    same("of whom", (messages["count"]["max"], messages["count"]["max_rank"],
                     messages["count"]["min"], messages["count"]["min_rank"]),
         (small + large, 0, 0, min(1, ranks - 1)))
    same("mean", messages["count"]["mean"], (small + large) / ranks)
    same("bytes", messages["bytes"]["sum"], 100 * small + 20000 * large)
    same("largest", messages["largest"]["max"], 20000 * (ranks > 1))
    same("classes", [messages[name]["sum"] for name in
                     ("upto_64", "upto_1k", "upto_16k", "upto_256k")],
         [0, small, 0, large])
    same("queue", (of["unexpected"]["queue_max"]["max"],
                   of["unexpected"]["queue_max"]["max_rank"]), (small, 0))
    same("bytes queued", of["unexpected"]["bytes_max"]["max"] >= 100 * small,
         True)
    same("left", of["unexpected"]["bytes"]["max"], 0)
    same("receives", (of["receives"]["exact"]["sum"],
                      of["receives"]["any_source"]["sum"]), (small, large))
    # A probe that does not wait looks twice.
    same("probes", (of["probes"]["matched"]["sum"],
                    of["probes"]["missed"]["sum"]), (0, 2 * ranks))
    same("self", messages["self"]["sum"], 0)


def check_run(stats, ranks):
    """What was run; the program gives itself no argument."""
    run = stats["run"]
    same("command", [word[-6:] for word in run["command"]], ["/stats"])
    same("time", 0 < run["seconds"] < 600, True)
    for name in ("open_mpi", "ucx", "mq"):
        if not re.match(r"\d+\.\d+\.\d+", run[name]):
            sys.exit("version of %s: %r" % (name, run[name]))
    # Messages of 20000 bytes, between any two.
    names = [one["name"] for one in stats["transports"]]
    same("transports", bool(names) or ranks == 1, True)
    same("twice", len(names), len(set(names)))
    for one in stats["transports"]:
        same("%s: ranks" % one, one["ranks"] <= ranks and
             one["ranks"] <= one["endpoints"] <= ranks * ranks, True)


def main():
    schema, path, ranks = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(path, encoding="utf-8") as file:
        stats = json.load(file)
    with open(schema, encoding="utf-8") as file:
        jsonschema.validate(stats, json.load(file))
    same("ranks", stats["ranks"], ranks)
    check_run(stats, ranks)
    check_figures(stats)
    comms = {one["name"]: one for one in stats["communicators"]}
    check_lopsided(comms["lopsided"]["of"], ranks)
    odd = comms["odd \"?\\ \u00e4\nchampion: \x1b[1m\x9b"]["of"]
    same("to oneself", (odd["messages"]["self"]["min"],
                        odd["posted"]["matched"]["min"],
                        odd["receives"]["any_tag"]["sum"]), (1, 1, ranks))
    same("twice", comms["twice"]["of"]["messages"]["count"]["min"], 2)
    # 100 Allreduces are none of the user's messages.
    world = comms["MPI_COMM_WORLD"]["of"]
    same("of the user", world["messages"]["count"]["sum"], 0)
    same("internal", world["internal"]["count"]["min"] >= 100 * (ranks > 1),
         True)
    total = sum(one["of"]["messages"]["bytes"]["sum"]
                for one in stats["communicators"])
    same("all", stats["all"]["messages"]["bytes"]["sum"], total)


if __name__ == "__main__":
    main()
