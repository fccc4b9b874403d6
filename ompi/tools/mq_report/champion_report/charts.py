# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Figures as SVG that is part of the page: its text is text, its colours are
variables of the page's style sheet, so that it is readable light and dark."""

import io
import itertools
import re
import textwrap

import matplotlib
import numpy
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator

from . import words

INK = "#a10001"      # text
LINES = "#a10002"    # axes
SERIES = ("#a10003", "#a10004", "#a10005")
FAINT = "#a10006"    # grids, what does not matter
VARIABLES = {INK: "--ink", LINES: "--line", SERIES[0]: "--one",
             SERIES[1]: "--two", SERIES[2]: "--three", FAINT: "--faint"}
DASHES = ("solid", (0, (5, 2)), (0, (1, 1.2)))

WIDTH = 9.6  # inches: the width of the page
NARROW = 4.3  # of a telephone's; 310 points in about 350 pixels
NARROW_FONT = 10

STYLE = {
    "figure.facecolor": "none", "axes.facecolor": "none",
    "axes.xmargin": 0, "svg.fonttype": "none", "svg.hashsalt": "champion", "font.size": 9,
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": LINES,
    "xtick.color": LINES, "ytick.color": LINES, "xtick.labelcolor": INK,
    "ytick.labelcolor": INK, "axes.spines.top": False,
    "axes.spines.right": False, "grid.color": FAINT, "grid.linewidth": 0.6,
    "axes.axisbelow": True, "legend.frameon": False,
    "figure.constrained_layout.use": True,
}

# From light to dark; on a dark page a filter turns it round.
MAP = LinearSegmentedColormap.from_list(
    "champion", ["#cfe3f2", "#7fb4d8", "#3b82b8", "#1f4f8f", "#1b1f5e"])

numbers = itertools.count(1)


# The one that is drawn is for narrow pages.
is_narrow = False


def figure(width=WIDTH, height=2.8):
    """A figure of so many inches, with the style of all."""
    return Figure(figsize=(min(width, NARROW) if is_narrow else width,
                           height))


def ticks(most):
    """How many there is room for."""
    return max(3, most // 2) if is_narrow else most


def legend(axes, columns):
    """Above the axes; there is no room for two columns beside each other on a
    telephone."""
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1),
                ncols=1 if is_narrow else columns, borderaxespad=0.2)


def folded(name):
    """In lines, where there is little room."""
    return "\n".join(textwrap.wrap(name, 16)) if is_narrow else name


def svg(one, label):
    """Its SVG, to stand in HTML; label is what it shows, for those who do not
    see it."""
    out = io.BytesIO()
    FigureCanvasSVG(one).print_svg(out, metadata=dict.fromkeys(
        ("Creator", "Date", "Format", "Type")))
    text = out.getvalue().decode("utf-8")
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # A style there would be that of the whole page, which has it itself.
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text,
                  flags=re.DOTALL)
    text = re.sub(r'(data:image/png;base64,)([^"]*)',
                  lambda match: match[1] + "".join(match[2].split()), text)
    text = re.sub(r'\s(?:xmlns(?::\w+)?|version)="[^"]*"', "", text)
    text = text.replace("xlink:href=", "href=")
    for colour, variable in VARIABLES.items():
        text = text.replace(colour, "var(%s)" % variable)
    # Names are those of one figure; there are several on the page.
    prefix = "f%d-" % next(numbers)
    text = re.sub(r'\bid="', 'id="' + prefix, text)
    text = re.sub(r'href="#', 'href="#' + prefix, text)
    text = re.sub(r"url\(#", "url(#" + prefix, text)
    label = (label.replace("&", "&amp;").replace('"', "&quot;")
             .replace("<", "&lt;"))
    size = re.search(r'width="([\d.]+)pt"', text)
    text = re.sub(r'\s(?:width|height)="[\d.]+pt"', "", text, count=2)
    return text.replace("<svg", '<svg role="img" aria-label="%s" '
                        'style="max-width: %dpx"' %
                        (label, float(size[1]) * 1.4), 1)


def drawn(function):
    """Decorator: with the style of all figures."""
    def draw(*arguments, **named):
        with matplotlib.rc_context(STYLE):
            return function(*arguments, **named)
    return draw


def drawn_twice(function):
    """Decorator: for wide pages and for narrow ones; the page shows one of
    them. Labels that are shrunk with a figure cannot be read."""
    def draw(*arguments, **named):
        global is_narrow
        wide = function(*arguments, **named)
        is_narrow = True
        try:
            with matplotlib.rc_context({"font.size": NARROW_FONT}):
                narrow = function(*arguments, **named)
        finally:
            is_narrow = False
        return ('<div class="on-wide">%s</div>\n<div class="on-narrow">%s'
                '</div>' % (wide, narrow))
    return drawn(draw)


class Numbers(EngFormatter):
    """1k, 20M, but 0.5 where there is no unit: not 500m."""

    def __call__(self, value, at=None):
        if not self.unit and 0 < abs(value) < 1:
            return "%g" % value
        return super().__call__(value, at)


def engineering(axis, unit=""):
    """1 k, 20 M."""
    axis.set_major_formatter(Numbers(unit=unit, sep="\u00a0" if unit else ""))


def image(axes, values, extent, unit):
    """A heat map with its scale; what is 0 has no colour."""
    values = numpy.ma.masked_less_equal(values, 0)
    least = values.min() if values.count() else 1
    most = values.max() if values.count() else 1
    if least == most:
        least = most / 10
    shown = axes.imshow(values, cmap=MAP, norm=LogNorm(least, most),
                        origin="upper", extent=extent, aspect="auto",
                        interpolation="nearest")
    bar = axes.figure.colorbar(shown, ax=axes, fraction=0.05, pad=0.02)
    if unit == "B":
        ticks = 4.0 ** numpy.arange(numpy.floor(numpy.log2(least) / 2),
                                    numpy.log2(most) / 2 + 1)
        ticks = ticks[(ticks >= least) & (ticks <= most)]
        bar.set_ticks(ticks[::-(-len(ticks) // 6) or 1], minor=False)
        bar.ax.yaxis.set_major_formatter(lambda value, _: words.size(value))
    else:
        subs = (1, 2, 5) if most < 100 * least else (1,)
        bar.ax.yaxis.set_major_locator(LogLocator(subs=subs))
        engineering(bar.ax.yaxis)
    bar.ax.yaxis.set_minor_formatter("")
    bar.outline.set_visible(False)
    for name in ("top", "right"):
        axes.spines[name].set_visible(True)


@drawn
def heat(profile, what, label):
    """Amounts by sender and receiver."""
    unit = "B" if what == "bytes" else ""
    one = figure(NARROW, 3.6)
    axes = one.add_subplot()
    edge = profile.ranks - 0.5
    image(axes, profile.heat[what], (-0.5, edge, edge, -0.5), unit)
    axes.set_xlabel("sender (rank)")
    axes.set_ylabel("receiver (rank)")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    return svg(one, label)


def binned(values, function, most=256):
    """Neighbouring ranks together: (first rank of each bin, value)."""
    bins = min(len(values), most)
    edges = numpy.unique(numpy.arange(bins + 1) * len(values) // bins)
    return edges, numpy.array([function(values[a:b]) for a, b in
                               zip(edges[:-1], edges[1:])])


def steps(series, xlabel, ylabel, locator):
    """The figure of steps of (name, edges, values), and its axes."""
    one = figure()
    axes = one.add_subplot()
    for number, (name, edges, values) in enumerate(series):
        axes.stairs(values, edges, color=SERIES[number], label=name,
                    linestyle=DASHES[number], linewidth=1.5, baseline=None)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(locator)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.grid(axis="y")
    legend(axes, len(series))
    return one, axes


@drawn_twice
def over_ranks(series, ylabel, label):
    """Steps, one for each rank or some neighbouring ones."""
    parts = []
    for name, values in series:
        edges, most = binned(values, numpy.max)
        parts.append((name, edges - 0.5, most))
    return svg(steps(parts, "rank", ylabel,
                     MaxNLocator(nbins=ticks(8), integer=True))[0], label)


@drawn_twice
def lines(positions, series, xlabel, ylabel, label, prefixes=False,
          rates=False):
    """Steps over time, or over operations; with prefixes: 1 k, 20 M; rates:
    these on the other axis."""
    one, axes = steps([(name, positions, values) for name, values in series],
                      xlabel, ylabel, MaxNLocator(nbins=ticks(9)))
    if prefixes:
        engineering(axes.xaxis)
    if rates:
        engineering(axes.yaxis)
    return svg(one, label)


@drawn_twice
def ranks_over_time(values, ranks, seconds, label):
    """Heat map: rank (bins) and time."""
    one = figure(WIDTH, 3.2)
    axes = one.add_subplot()
    image(axes, values, (0, seconds, ranks - 0.5, -0.5), "")
    axes.set_xlabel("time since MPI_Init (s)")
    axes.set_ylabel("rank")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=ticks(9)))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    return svg(one, label)


@drawn_twice
def bars(names, parts, label, xlabel="", unit="", write=words.count):
    """Horizontal bars, one above the other; parts: (name, values) that are
    stacked; write makes the text at the end of a bar."""
    lines_of = sum(1 + folded(name).count("\n") for name in names)
    one = figure(WIDTH, 0.75 + (0.2 * len(parts) if is_narrow else 0) +
                 0.12 * len(names) + 0.17 * lines_of)
    axes = one.add_subplot()
    left = numpy.zeros(len(names))
    for number, (name, values) in enumerate(parts):
        values = numpy.array(values, dtype=float)
        drawn_bars = axes.barh(range(len(names)), values, left=left, height=0.62,
                  color=SERIES[number], label=name,
                  hatch=(None, "////")[number % 2],
                  edgecolor=(SERIES[number], "#a10007")[number % 2],
                  linewidth=0)
        left += values
    axes.bar_label(drawn_bars, [write(value) for value in left], padding=4,
                   color=INK)
    axes.margins(x=0.3 if is_narrow else 0.12)
    # Text between two $ would be taken for a formula.
    axes.set_yticks(range(len(names)),
                    [folded(name).replace("$", "\\$") for name in names])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel(xlabel)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=ticks(6)))
    engineering(axes.xaxis, unit)
    axes.grid(axis="x")
    if len(parts) > 1:
        legend(axes, len(parts))
    return svg(one, label).replace("#a10007", "var(--paper)")
