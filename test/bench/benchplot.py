# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Curves over the depth of a queue and the like, by gnuplot as SVG."""

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
    """One figure per queue of compare in `folder`; returns their paths.

    A queue without two points to join has none.
    """
    rows = [row for row in rows if row["queue"] and row["key"] == "median"]
    paths = []
    for queue in dict.fromkeys(row["queue"] for row in rows):
        some = [row for row in rows if row["queue"] == queue]
        points = {pml: points_of(some, pml) for pml in pmls}
        if any(len(one) > 1 for one in points.values()):
            paths.append(os.path.join(folder, f"queues_{queue}.svg"))
            draw_curves(paths[-1], f"{queue}: {some[0]['series'][1]}",
                        "queued (N)", "us per message", points)
    return paths


def points_of(rows, pml):
    """(depth, median, lowest, highest); without what was given up."""
    return [(row["depth"], row["medians"][pml], min(row["values"][pml]),
             max(row["values"][pml])) for row in rows
            if pml in row["medians"] and pml not in row["too_slow"]]


def draw_curves(path, title, across, up, points, stamp=None):
    """points: {variant: [(x, median, lowest, highest)...]}. stamp: of which
    data, for who looks into the file. Nothing half-written is left: the figure
    is renamed when it is done."""
    benchlib.need("gnuplot", "gnuplot-nox")
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    part = path + ".part"
    script = gnuplot_script(title, across, up, points, part)
    done = subprocess.run(["gnuplot"], input=script, text=True, check=False,
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        if os.path.exists(part):
            os.remove(part)
        raise benchlib.Failure(f"gnuplot cannot draw {path}:\n{done.stderr}")
    state_licence(part, stamp)
    os.replace(part, path)


def state_licence(path, stamp):
    """Below the first line of a drawing, as in every file of the tree."""
    with open(path, encoding="utf-8") as file:
        first, rest = file.readline(), file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(first + LICENCE
                   + (f"<!-- {stamp} -->\n" if stamp else "") + rest)


def gnuplot_script(title, across, up, points, path):
    marks = sorted({point[0] for some in points.values() for point in some})
    lines = ['set terminal svg size 720,480 font "sans-serif,13" '
             'background "#ffffff"',
             f"set output {quoted(path)}",
             f"set title {quoted(title)} noenhanced",
             f"set xlabel {quoted(across)}", f"set ylabel {quoted(up)}",
             "set logscale xy", 'set format x "%g"', 'set format y "%g"',
             "set grid", "set key left top noenhanced",
             f"set xrange [{0.8 * marks[0]}:{1.25 * marks[-1]}]",
             "set xtics (" + ", ".join(f"{mark}" for mark in marks) + ")"]
    curves = []
    for variant, colour in colours_of(points):
        if points[variant]:
            block = f"$data{len(curves)}"
            lines += [f"{block} << EOD"]
            lines += [" ".join(f"{number:.6g}" for number in point)
                      for point in points[variant]] + ["EOD"]
            curves.append(f"{block} using 1:2:3:4 with yerrorlines "
                          f"lc rgb '{colour}' pt 7 ps 0.5 lw 1.5 "
                          f"title {quoted(variant)}")
    return "\n".join(lines + ["plot " + ", ".join(curves), ""])


def colours_of(pmls):
    more = iter(MORE_COLOURS * 2)
    return [(pml, COLOURS.get(pml) or next(more)) for pml in pmls]


def quoted(text):
    return "'" + text.replace("'", "''") + "'"
