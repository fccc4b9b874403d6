# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a page, for report.html."""


class Table:
    """Rows under a head; columns that begin with < are text."""

    def __init__(self, head, rows, caption):
        self.head = [name.lstrip("<") for name in head]
        self.is_text = [name.startswith("<") for name in head]
        self.rows = rows
        self.caption = caption


class Chart:
    """A figure, what it shows, and its numbers."""

    def __init__(self, title, svg, note="", table=None):
        self.title = title
        self.svg = svg
        self.note = note
        self.table = table


class Section:
    """Charts under a heading."""

    def __init__(self, name, title, text, charts_of, wide=True):
        self.name = name
        self.title = title
        self.text = text
        self.charts = charts_of
        self.wide = wide
