#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joins what 'bankwise-gpu probe' wrote with what a profiler counted in the same run.

usage: join_launches.py launches PROBE.csv RAW.csv KERNEL COLUMN=METRIC...
       join_launches.py groups PROBE.csv RAW.csv KERNEL COLUMN=METRIC...
       join_launches.py page PROBE.csv SOURCE.csv

launches: a row of PROBE.csv is a launch of a kernel whose name has KERNEL in it; the metrics become
columns. groups: neighbouring rows with the same first cell are a launch: one row each comes out, with
how many there were and the least, middle and largest `measured`. page: each row is a load or copy in
a kernel bw_probe_page_…; the Source page's numbers of it become columns.

RAW.csv and SOURCE.csv are ncu's --csv of --page raw and --page source. A probe that was stopped has
written fewer rows than there are launches, the last perhaps in part: whole rows are joined.
"""
import csv
import itertools
import sys

PAGE = {"ld.64": "page_ld_64", "ld.128": "page_ld_128", "cp.async.16": "page_copy_16"}


def probe(path):
    """The comment lines, the header, and the whole rows."""
    with open(path) as file:
        text = file.read()
    lines = text.splitlines()[:None if text.endswith("\n") else -1]
    head = [line for line in lines if line.startswith("#")]
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    return head, rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]


def launches(path, kernel):
    with open(path) as file:
        rows = csv.DictReader(line for line in file if line.startswith('"'))
        return [row for row in rows if row["ID"].strip() and kernel in row["Kernel Name"]]


def number(text):
    return f"{float(text.replace(',', '')):.3f}".rstrip("0").rstrip(".")


def write(head, header, rows):
    print("\n".join(head))
    print(",".join(header))
    for row in rows:
        print(",".join(row))


def join(mode, path, raw, kernel, columns):
    head, header, rows = probe(path)
    names = [column.split("=")[0] for column in columns]
    metrics = [column.split("=")[1] for column in columns]
    runs = launches(raw, kernel)
    if mode == "groups":
        at, groups = header.index("measured"), []
        for _, group in itertools.groupby(rows, key=lambda row: row[0]):
            group = list(group)
            values = sorted((row[at] for row in group), key=float)
            groups.append([group[0][0], str(len(group)), *group[0][2:at], values[0], values[len(values) // 2], values[-1]])
        header = [header[0], "places", *header[2:at], "cycles_least", "cycles_middle", "cycles_largest"]
        rows = groups
    if len(runs) < len(rows):
        sys.exit(f"{len(rows)} launches were probed, {len(runs)} profiled")
    write(head, header + names,
          (row + [number(run[metric]) for metric in metrics] for row, run in zip(rows, runs)))


def page_rows(path):
    """For each operation, the rows of its kernels; the profiler prints each kernel twice."""
    found, seen = {}, {}
    with open(path) as file:
        for row in csv.reader(file):
            if row and row[0] == "Kernel Name":
                current = next((op for op, name in PAGE.items() if name in row[1]), None)
                seen[current] = seen.get(current, 0) + 1
            elif len(row) > 4 and current and seen[current] % 2 and ("LDGSTS" in row[1] or "LDS." in row[1]):
                found.setdefault(current, []).append((row[2], row[3]))
    return found


def join_page(path, source):
    head, header, rows = probe(path)
    pages = {op: iter(found) for op, found in page_rows(source).items()}
    write(head, ["op", "index", "page_wavefronts", "page_ideal"],
          ((row[0], row[1], *next(pages[row[0]])) for row in rows))


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "page":
        join_page(*sys.argv[2:])
    elif len(sys.argv) > 5 and sys.argv[1] in ("launches", "groups"):
        join(*sys.argv[1:5], sys.argv[5:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
