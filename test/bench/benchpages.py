# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The pages of contrib/figures: what stands between the marks of tables."""

import fnmatch
import glob
import os
import re
import statistics

import benchcsv
import benchlib
import benchplot
from benchsets import set_of
from benchtable import figure, ratio_text

SUBJECT = "champion"
LIMIT = benchlib.LIMIT
OTHER = benchlib.RELEASE
NAMES = {SUBJECT: SUBJECT, "ucx": "pml/ucx", "ob1": "pml/ob1",
         "mpich": "MPICH", LIMIT: "limit", SUBJECT + OTHER: "champion*",
         "ucx" + OTHER: "pml/ucx*"}
# Whom champion is compared with, and champion over the other build of UCX.
RIVALS = {SUBJECT: ("ucx", "ob1", "mpich"),
          SUBJECT + OTHER: ("ucx" + OTHER, "ob1", "mpich")}
MARK = re.compile(r"(<!-- table: ([^>]*?) -->\n)(.*?)(<!-- end -->)", re.S)


def data_folder(top):
    return os.path.join(top, "docs", "performance", "data")


class Book:
    """The data files, each read once."""

    def __init__(self, top):
        self.top = top
        self.folder = data_folder(top)
        self.files = {}

    def __getitem__(self, name):
        """None: nobody has measured it."""
        if set_of(name) is None:
            raise benchlib.Failure(f"no set writes {name}.csv")
        if name not in self.files:
            path = os.path.join(self.folder, name + ".csv")
            self.files[name] = benchcsv.read(path) \
                if os.path.exists(path) else None
        return self.files[name]


def command_for(name):
    return f"`contrib/figures --measure {set_of(name)}`"


def not_measured(name):
    return "Not measured on this commit; command: " + command_for(name) + "."


def source_line(figures):
    """Machine, commit and command of a table."""
    head = figures.header
    count = max(one.round for one in figures.records)
    rounds = "one round" if count == 1 else f"medians of {count} rounds"
    return f"Commit {head['commit']}, {head['date']}. {head['machine']}, " \
        f"{head['system']}, {head['libraries']}; {rounds}: `{head['command']}`"


def cases_of(name, figures, patterns):
    """The cases that a mark names, in its order."""
    found = []
    for pattern in patterns:
        some = fnmatch.filter(figures.texts, pattern)
        if not some:
            raise benchlib.Failure(f"{name}.csv has no case '{pattern}'; it "
                                   "has " + ", ".join(figures.texts))
        found += [case for case in some if case not in found]
    return found


def only(figures, name, variants):
    """The variants that a mark names, in its order."""
    known = variants_of(figures, figures.texts)
    for one in variants:
        if one not in known:
            raise benchlib.Failure(f"{name}.csv has no variant '{one}'; it "
                                   "has " + ", ".join(known))
    records = [one for one in figures.records if one.variant in variants]
    return benchcsv.Figures(figures.header, figures.texts, sorted(
        records, key=lambda one: variants.index(one.variant)))


def size_text(size, word):
    if not word:
        return ""
    if word == "bytes":
        for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
            if size >= factor and size % factor == 0:
                return f"{size // factor} {unit}"
    if size == 1:
        word = word[:-1] if word.endswith("s") else word
    return f"{size} {word}"


class Cell:
    """The values of one case, size and variant, by round."""

    def __init__(self, records):
        self.values = [one.value for one in
                       sorted(records, key=lambda one: one.round)]
        self.bound = any(one.bound for one in records)
        self.unit = records[0].unit
        self.median = statistics.median(self.values)

    def text(self):
        return (">" if self.bound else "") + figure(self.median)


def cells_of(figures, case, size):
    """{variant: Cell}"""
    groups = {}
    for one in figures.records:
        if (one.case, one.size) == (case, size):
            groups.setdefault(one.variant, []).append(one)
    return {variant: Cell(some) for variant, some in groups.items()}


def sizes_of(figures, case):
    return sorted({one.size for one in figures.records if one.case == case})


def variants_of(figures, cases):
    return list(dict.fromkeys(one.variant for one in figures.records
                              if one.case in cases))


def is_rate(unit):
    return unit.endswith("/s")


def ratio(cells, subject=SUBJECT):
    """champion over the better of the others: (median, spread, mark)."""
    others = {name: cells[name] for name in RIVALS[subject] if name in cells}
    if subject not in cells or not others:
        return None
    mine = cells[subject]
    rate = is_rate(mine.unit)
    best = (max if rate else min)(others.values(),
                                  key=lambda cell: cell.median)
    if not all(best.values) or not all(mine.values) \
            or (mine.bound and best.bound):
        return None
    pairs = zip(best.values, mine.values) if rate \
        else zip(mine.values, best.values)
    ratios = [a / b for a, b in pairs]
    return statistics.median(ratios), ratios, \
        ">" if mine.bound else "<" if best.bound else ""


def limit_text(cells):
    """The limit, and how many times that champion takes."""
    text, mine = cells[LIMIT].text(), cells.get(SUBJECT)
    if mine is None or not all(cells[LIMIT].values + mine.values):
        return text
    pairs = zip(cells[LIMIT].values, mine.values)
    ratios = [a / b if is_rate(mine.unit) else b / a for a, b in pairs]
    return f"{text} ({statistics.median(ratios):.2f})"


def cell_text(cells, name):
    if name not in cells:
        return ""
    return limit_text(cells) if name == LIMIT else cells[name].text()


def ratio_cell(cells, spread=True, subject=SUBJECT):
    """Bold where champion is behind."""
    found = ratio(cells, subject)
    if found is None:
        return ""
    median, ratios, mark = found
    text = mark + ratio_text(median)
    if median >= 1.0005:
        text = f"**{text}**"
    lowest, highest = ratio_text(min(ratios)), ratio_text(max(ratios))
    if spread and lowest != highest:
        text += f" ({lowest} to {highest})"
    return text


def markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)


def rows_table(figures, cases):
    variants = variants_of(figures, cases)
    compared = [subject for subject in RIVALS
                if any(ratio(cells_of(figures, case, size), subject)
                       for case in cases for size in sizes_of(figures, case))]
    head = ["", "unit"] + [NAMES.get(name, f"`{name}`") for name in variants]
    rows = [head + [NAMES[subject] + " / better" for subject in compared]]
    for case in cases:
        text, word = figures.texts[case]
        for size in sizes_of(figures, case):
            cells = cells_of(figures, case, size)
            unit = next(iter(cells.values())).unit
            row = [", ".join(filter(None, (text, size_text(size, word)))), unit]
            text = ""       # once is enough
            row += [cell_text(cells, name) for name in variants]
            rows.append(row + [ratio_cell(cells, subject=subject)
                               for subject in compared])
    return markdown(rows)


def tell(path, records, texts):
    """Into a CSV file, if there is to be one, and as a table of rows."""
    if path:
        benchcsv.write(path, records, texts)
    print(rows_table(benchcsv.Figures({}, texts, records), list(texts)))


def sizes_table(figures, cases):
    sizes = sorted({size for case in cases for size in sizes_of(figures, case)})
    word = figures.texts[cases[0]][1]
    rows = [["case", "unit"] + [size_text(size, word) for size in sizes]]
    for case in cases:
        row, unit = [], ""
        for size in sizes:
            cells = cells_of(figures, case, size)
            if SUBJECT not in cells:
                row.append("")
                continue
            unit = cells[SUBJECT].unit
            text = ratio_cell(cells, spread=False)
            row.append(cells[SUBJECT].text() + (f" ({text})" if text else ""))
        rows.append([f"`{case}`: {figures.texts[case][0]}", unit] + row)
    return markdown(rows)


def variants_table(figures, cases):
    """What all texts say after their ': ' stands once, in the first column."""
    columns = [(case, size) for case in cases
               for size in sizes_of(figures, case)]
    texts = {case: figures.texts[case][0].rpartition(": ") for case in cases}
    tails = {tail for _, _, tail in texts.values()}
    units = {cell.unit for case, size in columns
             for cell in cells_of(figures, case, size).values()}
    common = len(tails) == 1
    head = [", ".join(some.pop() for some in (tails, units)
                      if len(some) == 1)]
    for case, size in columns:
        text = texts[case][0] if common else figures.texts[case][0]
        head.append(", ".join(filter(None, (text, size_text(
            size, figures.texts[case][1])))))
    rows = [head]
    for variant in variants_of(figures, cases):
        cells = [cells_of(figures, case, size).get(variant)
                 for case, size in columns]
        rows.append([f"`{variant}`"] + [cell.text() if cell else ""
                                        for cell in cells])
    return markdown(rows)


SHAPES = {"rows": rows_table, "sizes": sizes_table, "variants": variants_table}


def first_table(book, items, folder):
    """A row for each of DATA:CASE:SIZE; the page that has it is linked."""
    rows = [["", "unit", "champion", "pml/ucx", "pml/ob1",
             "champion / better", "commit"]]
    for item in items:
        match = re.fullmatch(r"(\w+):(\w+):(\d+)", item)
        if match is None:
            raise benchlib.Failure(f"'{item}' is not DATA:CASE:SIZE")
        data, case, size = match.groups()
        figures = book[data]
        if figures is None:
            rows.append([f"{case}, {size}: not measured on this commit",
                         "", "", "", "", "", command_for(data)])
            continue
        cells = cells_of(figures, case, int(size))
        if SUBJECT not in cells:
            raise benchlib.Failure(f"{data}.csv has no '{case}' of size {size} "
                                   f"under {SUBJECT}")
        text = ", ".join(filter(None, (figures.texts[case][0], size_text(
            int(size), figures.texts[case][1]))))
        page = os.path.join(book.top, "docs", "performance",
                            PAGES[set_of(data)])
        rows.append([f"[{text}]({os.path.relpath(page, folder)})",
                     cells[SUBJECT].unit]
                    + [cells[name].text() if name in cells else ""
                       for name in (SUBJECT, "ucx", "ob1")]
                    + [ratio_cell(cells), figures.header["commit"]])
    return markdown(rows)


# Where the figures of a set are.
PAGES = {"node": "node.md", "rivals": "node.md", "network": "network.md",
         "beginning": "network.md", "queues": "queues.md",
         "memory": "memory.md", "instructions": "node.md",
         "papers": "papers.md", "counts": "papers.md"}


def curves(book, name, folder):
    """Links to the pictures of that file."""
    figures = book[name]
    if figures is None:
        return not_measured(name)
    lines = []
    for path in pictures(book.top, name, figures).values():
        link = os.path.relpath(path, folder)
        lines.append(f"![{os.path.basename(path)[:-4].replace('_', ' ')}]"
                     f"({link})")
    return "\n".join(lines)


# The files that have curves: those over a size.
DRAWN = {"queues": ("us per message", "*"),
         "papers": ("ns", "thresholds_search")}


def pictures(top, name, figures):
    """{case: path} of those that have two points to join."""
    return {case: os.path.join(top, "docs", "figures", f"{name}_{case}.svg")
            for case in fnmatch.filter(figures.texts, DRAWN[name][1])
            if len(sizes_of(figures, case)) > 1}


def draw(top):
    """All of them, anew; those of data that are gone go, too."""
    book = Book(top)
    for name, (label, _) in DRAWN.items():
        old = glob.glob(os.path.join(top, "docs", "figures", name + "_*.svg"))
        figures = book[name]
        new = pictures(top, name, figures) if figures else {}
        for path in set(old) - set(new.values()):
            os.remove(path)
        for case, path in new.items():
            text, word = figures.texts[case]
            points = {variant: points_of(figures, case, variant)
                      for variant in variants_of(figures, [case])}
            benchplot.draw_curves(path, f"{case}: {text}", word, label, points,
                                  stamp(name, figures))
            print(f"drawn: {benchlib.near(path)}")


def points_of(figures, case, variant):
    """(size, median, lowest, highest); without what was given up."""
    points = []
    for size in sizes_of(figures, case):
        cell = cells_of(figures, case, size).get(variant)
        if cell is not None and not cell.bound:
            points.append((size, cell.median, min(cell.values),
                           max(cell.values)))
    return points


def stamp(name, figures):
    """Of which data a picture is."""
    return f"{name}.csv of commit {figures.header['commit']}"


def filled(mark, book, folder):
    """What stands between these marks of a page in that folder."""
    words = mark.split()
    if words[:1] == ["first"]:
        return first_table(book, words[1:], folder)
    if words[:1] == ["curves"] and len(words) == 2 and words[1] in DRAWN:
        return curves(book, words[1], folder)
    variants = words.pop()[1:].split(",") if words[-1:] \
        and words[-1].startswith("@") else []
    if len(words) < 3 or words[1] not in SHAPES:
        raise benchlib.Failure(
            f"'table: {mark}' is neither DATA rows|sizes|variants CASE... "
            "[@VARIANT,...], nor first DATA:CASE:SIZE..., nor curves "
            + "|".join(DRAWN))
    figures = book[words[0]]
    if figures is None:
        return not_measured(words[0])
    if variants:
        figures = only(figures, words[0], variants)
    table = SHAPES[words[1]](figures, cases_of(words[0], figures, words[2:]))
    return table + "\n\n" + source_line(figures)


def rewritten(text, book, folder):
    if len(MARK.findall(text)) != text.count("<!-- table:") \
            or text.count("<!-- table:") != text.count("<!-- end -->"):
        raise benchlib.Failure("a mark '<!-- table: ... -->' stands alone in "
                               "its lines, and has its '<!-- end -->'")
    return MARK.sub(lambda match: match.group(1)
                    + filled(match.group(2), book, folder) + "\n"
                    + match.group(4), text)


def all_pages(top):
    """[(path, text as it is, text as it should be)] of pages with tables."""
    book, found = Book(top), []
    for pattern in ("README.md", "docs/*.md", "docs/performance/*.md"):
        for path in sorted(glob.glob(os.path.join(top, pattern))):
            try:
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                found.append((path, text, rewritten(text, book,
                                                    os.path.dirname(path))))
            except (OSError, ValueError) as reason:
                raise benchlib.Failure(f"cannot read {path}: {reason}") \
                    from None
            except benchlib.Failure as failure:
                raise benchlib.Failure(f"{benchlib.near(path)}: {failure}") \
                    from None
    return found


def check_data(top):
    """What is wrong with data and pictures, in words."""
    complaints, book = [], Book(top)
    for path in sorted(glob.glob(os.path.join(book.folder, "*.csv"))):
        name = os.path.basename(path)[:-4]
        figures = book[name]
        commit = figures.header["commit"]
        if not known_commit(commit):
            complaints.append(f"{benchlib.near(path)}: '{commit}' is no commit "
                              "of this history: " + command_for(name))
        for picture in pictures(top, name, figures).values() \
                if name in DRAWN else ():
            if not is_stamped(picture, stamp(name, figures)):
                complaints.append(f"{benchlib.near(picture)} is not of "
                                  f"{name}.csv: contrib/figures --draw")
    return complaints


def is_stamped(path, words):
    try:
        with open(path, encoding="utf-8") as file:
            return words in file.read(2000)
    except OSError:
        return False


def known_commit(commit):
    """Where git cannot tell, as in a release, it is believed."""
    if not benchcsv.output_of(["git", "rev-parse", "HEAD"]).strip() or \
            benchcsv.output_of(["git", "rev-parse",
                                "--is-shallow-repository"]).strip() == "true":
        return True
    return bool(re.fullmatch(r"[0-9a-f]{7,40}", commit)) and \
        benchcsv.output_of(["git", "merge-base", commit, "HEAD"]).strip() \
        .startswith(commit)
