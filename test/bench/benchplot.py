# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Curves over the depth of a queue, drawn by gnuplot as SVG."""

import os
import subprocess

import benchlib

LICENCE = """<!-- Copyright (c) 2026 The champion authors. All rights reserved.
     SPDX-License-Identifier: BSD-3-Clause -->
"""

# Fixed, so that one colour means the same in all figures.
COLOURS = {"ucx": "#888888", "ob1": "#b07c2a", "mpich": "#7a5195",
           "champion": "#0b6fb8", "champion:indexed": "#0b6fb8",
           "champion:list": "#c23b22"}
MORE_COLOURS = ("#2a9d50", "#d1578e", "#118a8a", "#8a8a11", "#5566dd",
                "#444444", "#e08214", "#35978f")


def draw(rows, pmls, folder):
    """One figure per queue in `folder`; returns their paths.

    A queue without two points to join has none.
    """
    benchlib.need("gnuplot", "gnuplot-nox")
    os.makedirs(folder, exist_ok=True)
    rows = [row for row in rows if row["queue"] and row["key"] == "median"]
    queues = dict.fromkeys(row["queue"] for row in rows)
    paths = []
    for queue in queues:
        some = [row for row in rows if row["queue"] == queue]
        if any(len(points_of(some, pml)) > 1 for pml in pmls):
            path = os.path.join(folder, f"queues_{queue}.svg")
            draw_one(queue, some, pmls, path)
            paths.append(path)
    return paths


def draw_one(queue, rows, pmls, path):
    """Nothing half-written is left: the figure is renamed when it is done."""
    part = path + ".part"
    script = gnuplot_script(queue, rows, pmls, part)
    done = subprocess.run(["gnuplot"], input=script, text=True, check=False,
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        if os.path.exists(part):
            os.remove(part)
        raise benchlib.Failure(f"gnuplot cannot draw {path}:\n{done.stderr}")
    state_licence(part)
    os.replace(part, path)


def state_licence(path):
    """Below the first line of a drawing, as in every file of the tree."""
    with open(path, encoding="utf-8") as file:
        first, rest = file.readline(), file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(first + LICENCE + rest)


def gnuplot_script(queue, rows, pmls, path):
    text = rows[0]["text"].rsplit(",", 1)[0]
    lines = ['set terminal svg size 720,480 font "sans-serif,13" '
             'background "#ffffff"',
             f"set output {quoted(path)}",
             f"set title {quoted(queue + ': ' + text)} noenhanced",
             'set xlabel "queued (N)"', 'set ylabel "us per message"',
             "set logscale xy", 'set format x "%g"', 'set format y "%g"',
             "set grid", "set key left top noenhanced",
             f"set xrange [{0.8 * rows[0]['depth']}:"
             f"{1.25 * rows[-1]['depth']}]",
             "set xtics (" + ", ".join(f"{row['depth']}" for row in rows)
             + ")"]
    curves = []
    for pml, colour in colours_of(pmls):
        points = points_of(rows, pml)
        if points:
            block = f"$data{len(curves)}"
            lines += [f"{block} << EOD"] + points + ["EOD"]
            curves.append(f"{block} using 1:2:3:4 with yerrorlines "
                          f"lc rgb '{colour}' pt 7 ps 0.5 lw 1.5 "
                          f"title {quoted(pml)}")
    return "\n".join(lines + ["plot " + ", ".join(curves), ""])


def points_of(rows, pml):
    """Depth, median, lowest and highest; without what was given up."""
    return [f"{row['depth']} {row['medians'][pml]:.6g} "
            f"{min(row['values'][pml]):.6g} {max(row['values'][pml]):.6g}"
            for row in rows
            if pml in row["medians"] and pml not in row["too_slow"]]


def colours_of(pmls):
    more = iter(MORE_COLOURS * 2)
    return [(pml, COLOURS.get(pml) or next(more)) for pml in pmls]


def quoted(text):
    return "'" + text.replace("'", "''") + "'"
