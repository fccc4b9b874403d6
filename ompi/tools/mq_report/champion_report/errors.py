# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Errors for the user: one line, without a traceback."""


class Wrong(Exception):
    """An input, an argument or a package: the text names it."""
