# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Numbers with units, as people read them."""


def digits(number):
    """Three digits at least, and no power of ten: %.3g makes 1e+03 of 999.7."""
    return "%.3g" % number if number < 999.5 else "%.0f" % number


def count(number):
    """12 345; 1.23 million."""
    if number >= 10**9:
        return digits(number / 1e9) + " billion"
    if number >= 10**7:
        return digits(number / 1e6) + " million"
    if isinstance(number, float) and number != int(number):
        return digits(number) if number < 999.5 else count(round(number))
    return "{:,}".format(int(number)).replace(",", "\u202f")


def size(number):
    """Bytes."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if number < 1024 or unit == "TiB":
            return digits(number) + "\u00a0" + unit
        number /= 1024
    return None


def seconds(number):
    """A duration."""
    for least, factor, unit in ((1, 1, "s"), (1e-3, 1e3, "ms"),
                                (1e-6, 1e6, "\u00b5s"), (0, 1e9, "ns")):
        if number >= least:
            return digits(number * factor) + "\u00a0" + unit
    return None


def percent(part, whole):
    """A share; never 0 % or 100 % of something that is neither."""
    if not whole or not part:
        return "0\u00a0%"
    value = 100 * part / whole
    if value < 0.01:
        return "less than 0.01\u00a0%"
    if 99.9 < value < 100:
        return "more than 99.9\u00a0%"
    return "%.2g\u00a0%%" % value if value < 10 else "%.0f\u00a0%%" % value


def some(number, one, many=None):
    """`1 message`, `12 messages`."""
    return count(number) + "\u00a0" + (one if number == 1 else
                                       many or one + "s")


def shown(name):
    """A name that the user gave; what cannot be printed as \\xNN."""
    return "".join(one if one.isprintable() else "\\x%02x" % ord(one)
                   for one in name)


def listed(names, most=6):
    """a, b and 5 more."""
    names = list(names)
    if len(names) > most:
        return "%s and %s more" % (", ".join(names[:most]),
                                   count(len(names) - most))
    return names[0] if len(names) == 1 else "%s and %s" % (
        ", ".join(names[:-1]), names[-1])
