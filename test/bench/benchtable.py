# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The tables of compare: medians, ratios, what was wanted."""

import statistics

import benchlib


def figure(value):
    """Four significant digits, no exponent."""
    if abs(value) >= 1000:
        return f"{value:.0f}"
    if value == 0:
        return "0"
    return f"{value:.4g}"


def meets(sign, value, wanted):
    return value <= wanted if sign == "<=" else value >= wanted


def summarise(cases, pmls, subjects, results):
    """One dictionary per row of the table; lists are by round.

    In "values" a PML is missing where it was not measured; where it is in
    "too_slow" its values are lower bounds. "compared" has, by subject and
    baseline, the ratios subject/baseline of the rounds, their median, and
    "bound": "<" or ">" where one of both values is a bound.
    """
    rows = []
    for case in cases:
        runs = results[case.name]
        slow = [pml for pml in runs if runs[pml][0].get("too_slow")]
        for metric in case.metrics:
            values = {pml: [result[metric.key] for result in runs[pml]]
                      for pml in pmls if pml in runs}
            row = {"case": case.name, "text": case.text,
                   "queue": case.queue, "depth": case.depth,
                   "series": metric.series or case.series,
                   "size": case.size if metric.size is None else metric.size,
                   "key": metric.key, "label": metric.label, "unit": metric.unit,
                   "better": metric.better, "values": values,
                   "medians": {pml: statistics.median(some)
                               for pml, some in values.items()},
                   "too_slow": slow, "compared": {}, "wanted": {}}
            for subject in subjects:
                row["compared"][subject] = {
                    pml: compared(row, subject, pml) for pml in pmls
                    if pml not in subjects and comparable(row, subject, pml)}
                row["wanted"][subject] = verdicts(case, metric, row, subject)
            rows.append(row)
    return rows


def comparable(row, subject, baseline):
    values = row["values"]
    return subject in values and baseline in values \
        and all(values[baseline]) \
        and not (subject in row["too_slow"] and baseline in row["too_slow"])


def compared(row, subject, baseline):
    ratios = [mine / other for mine, other in
              zip(row["values"][subject], row["values"][baseline])]
    return {"ratios": ratios, "median": statistics.median(ratios),
            "bound": "<" if baseline in row["too_slow"] else
                     ">" if subject in row["too_slow"] else ""}


def verdicts(case, metric, row, subject):
    """What was wanted of champion, and whether it is so.

    What is wanted of queues is wanted of indexed, which is the default.
    """
    if not subject.startswith("champion") or subject not in row["values"] \
            or (case.queue is not None
                and subject not in ("champion", "champion:indexed")):
        return ""
    found = []
    if metric.limit is not None:
        good = meets("<=", row["medians"][subject], metric.limit)
        found.append(f"<= {metric.limit:g} {'met' if good else 'MISSED'}")
    sign = "<=" if metric.better == "lower" else ">="
    for baseline, wanted in metric.ratios.items():
        pair = row["compared"][subject].get(baseline)
        if pair is not None:
            good = meets(sign, pair["median"], wanted) \
                and pair["bound"] != ">"
            found.append(f"{baseline} {sign} {wanted:g} "
                         f"{'met' if good else 'MISSED'}")
    return ", ".join(found)


def print_tables(rows, pmls, subjects):
    lines = [["case", "unit"] + pmls + ["better"]]
    for row in rows:
        lines.append([row["label"], row["unit"]]
                     + [median_text(row, pml) for pml in pmls]
                     + [row["better"]])
    print(benchlib.table(lines))
    if any(row["too_slow"] for row in rows):
        print("\n'>': given up, at least so much. '-': not measured, as less "
              "was too slow already.")
    baselines = [pml for pml in pmls if pml not in subjects]
    for subject in subjects:
        print()
        print(benchlib.table(ratio_lines(rows, subject, baselines)))


def median_text(row, pml):
    if pml not in row["medians"]:
        return "-"
    return (">" if pml in row["too_slow"] else "") \
        + figure(row["medians"][pml])


def ratio_lines(rows, subject, baselines):
    head = [f"{subject} /"]
    for baseline in baselines:
        head += [baseline, "lowest..highest"]
    lines = [head + ["wanted"]]
    for row in rows:
        line = [row["label"]]
        for baseline in baselines:
            line += pair_texts(row["compared"][subject].get(baseline))
        lines.append(line + [row["wanted"][subject]])
    return lines


def pair_texts(pair):
    if pair is None:
        return ["", ""]
    ratios = pair["ratios"]
    spread = "" if len(ratios) == 1 else \
        f"{ratio_text(min(ratios))}..{ratio_text(max(ratios))}"
    return [pair["bound"] + ratio_text(pair["median"]), spread]


def ratio_text(ratio):
    return f"{ratio:.3f}" if ratio >= 0.1 else f"{ratio:.2g}"
